/* 64-bit little-endian ELF files, as views over the caller's bytes: sections,
 * symbols, notes.  Everything is checked when it is read, and each refusal names
 * the offset where the file is wrong.
 *
 * The structures are read by hand: libelf takes header fields on trust in places
 * and cannot say where it stopped, and what it would save is a few bounds checks. */
#ifndef JIT_ELFFILE_H
#define JIT_ELFFILE_H

#include "base.h"

struct elf_section {
	const char *name;
	uint32_t type, link, info;
	uint64_t flags, addr, offset, size, entry_size;
	const uint8_t *data; /* NULL: nothing in the file */
};

#define ELF_NO_SECTION UINT32_MAX /* of absolute and common symbols */

struct elf_symbol {
	const char *name;
	uint64_t value, size;
	uint64_t offset; /* of its entry, in the file */
	uint32_t section; /* place in the file's table; 0: undefined; or ELF_NO_SECTION */
	uint8_t type, bind, visibility;
};

struct elf_note {
	const char *owner; /* owner_size bytes, the NUL among them when there is one */
	const uint8_t *desc;
	uint32_t owner_size, desc_size, type;
	uint64_t offset; /* of desc, in the file */
};

struct elf_file {
	const uint8_t *data;
	size_t size;
	uint64_t base; /* where data lies in the file that the user named; for messages */
	uint16_t type, machine;
	uint8_t os_abi, abi_version;
	uint32_t flags;
	uint32_t n_sections;
	struct elf_section *sections; /* the first is the null section */
	uint32_t n_notes;
	struct elf_note *notes;
};

static inline bool
elf_is(const void *data, size_t size)
{
	return size >= 4 && memcmp(data, "\177ELF", 4) == 0;
}

/* The views live as long as data and mem do. */
qd_status elf_read(struct arena *mem, const void *data, size_t size, uint64_t base,
		   struct elf_file *out, struct qd_error *err);
/* Sections of a linked file by their addresses. */
struct elf_by_address {
	const struct elf_section **v;
	uint32_t n;
};
void elf_sort_by_address(struct elf_by_address *sections);
/* The section that has the byte at an address; NULL: none. */
const struct elf_section *elf_section_at(const struct elf_by_address *sections, uint64_t addr);
/* The first of this name; NULL: none. */
const struct elf_section *elf_section_named(const struct elf_file *f, const char *name);
/* The symbols of the first table of type SHT_SYMTAB or SHT_DYNSYM, without the
 * null symbol; no table is no symbols. */
qd_status elf_symbols(struct arena *mem, const struct elf_file *f, uint32_t type,
		      struct elf_symbol **out, uint32_t *n, struct qd_error *err);

/* "offset 0x40: text", with the base added to at. */
QD_COLD qd_status elf_fail(const struct elf_file *f, uint64_t at, struct qd_error *err,
			   const char *fmt, ...) QD_PRINTF(4, 5);

#endif
