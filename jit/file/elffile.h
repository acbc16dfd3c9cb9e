/* 64-bit little-endian ELF files, as views over the caller's bytes: sections, symbols, notes. All
 * fields are validated when they are read; errors contain the offset in the file.
 *
 * This reader does not use libelf, which does not validate all header fields and does not report
 * the offset of an error. */
#ifndef JIT_ELFFILE_H
#define JIT_ELFFILE_H

#include "base.h"

struct elf_section {
	const char *name;
	uint32_t type, link, info;
	uint64_t flags, addr, offset, size, entry_size;
	const uint8_t *data; /* NULL: no bytes in the file */
};

#define ELF_NO_SECTION UINT32_MAX /* section of absolute and common symbols */

struct elf_symbol {
	const char *name;
	uint64_t value, size;
	uint64_t offset; /* of its entry, in the file */
	uint32_t section; /* index of the section; 0: undefined; or ELF_NO_SECTION */
	uint8_t type, bind, visibility;
};

struct elf_note {
	const char *owner; /* owner_size bytes, including the NUL if there is one */
	const uint8_t *desc;
	uint32_t owner_size, desc_size, type;
	uint64_t offset; /* of desc, in the file */
};

struct elf_file {
	const uint8_t *data;
	size_t size;
	uint64_t base; /* offset of data in the user's file, for messages */
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

/* Reads a file. The views are valid as long as data and mem. */
qd_status elf_read(struct arena *mem, const void *data, size_t size, uint64_t base,
		   struct elf_file *out, struct qd_error *err);
/* Sections of a linked file, sorted by address. */
struct elf_by_address {
	const struct elf_section **v;
	uint32_t n;
};
void elf_sort_by_address(struct elf_by_address *sections);
/* Returns the section that contains the byte at an address, or NULL. */
const struct elf_section *elf_section_at(const struct elf_by_address *sections, uint64_t addr);
/* Returns the first section of this name, or NULL. */
const struct elf_section *elf_section_named(const struct elf_file *f, const char *name);
/* Returns the first nonempty section whose name begins so, or NULL: compilers append .relocatable
 * to the names of sections with device code. */
const struct elf_section *elf_section_begins(const struct elf_file *f, const char *name);
/* Reads the symbols, without the null symbol, of the first table of type SHT_SYMTAB or
 * SHT_DYNSYM. Without a table there are no symbols. */
qd_status elf_symbols(struct arena *mem, const struct elf_file *f, uint32_t type,
		      struct elf_symbol **out, uint32_t *n, struct qd_error *err);

/* Reports "offset 0x40: text"; the offset is at plus the base. */
QD_COLD qd_status elf_fail(const struct elf_file *f, uint64_t at, struct qd_error *err,
			   const char *fmt, ...) QD_PRINTF(4, 5);

#endif
