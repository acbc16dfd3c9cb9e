/* Reads ELF. Each structure is copied from the bytes after a bounds check, so the data need not be
 * aligned. */
#include "elffile.h"
#include "show.h"

#include <elf.h>
#include <stdlib.h>

#include "bytes.h"

qd_status
elf_fail(const struct elf_file *f, uint64_t at, struct qd_error *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	qd_status st = bytes_vfail(err, f->base + at, "", fmt, ap);
	va_end(ap);
	return st;
}

static bool
fits(const struct elf_file *f, uint64_t at, uint64_t size)
{
	return at <= f->size && size <= f->size - at;
}

static qd_status
read_header(struct elf_file *f, Elf64_Ehdr *h, struct qd_error *err)
{
	if (!elf_is(f->data, f->size))
		return elf_fail(f, 0, err, "not an ELF file");
	if (f->size < sizeof *h)
		return elf_fail(f, f->size, err, "the file ends within the ELF header");
	memcpy(h, f->data, sizeof *h);
	if (h->e_ident[EI_CLASS] != ELFCLASS64)
		return elf_fail(f, EI_CLASS, err, "ELF class %u; only 64-bit files are read",
				h->e_ident[EI_CLASS]);
	if (h->e_ident[EI_DATA] != ELFDATA2LSB)
		return elf_fail(f, EI_DATA, err, "data encoding %u; only little-endian is read",
				h->e_ident[EI_DATA]);
	f->type = h->e_type;
	f->machine = h->e_machine;
	f->os_abi = h->e_ident[EI_OSABI];
	f->abi_version = h->e_ident[EI_ABIVERSION];
	f->flags = h->e_flags;
	return QD_OK;
}

static Elf64_Shdr
section_header(const struct elf_file *f, const Elf64_Ehdr *h, uint64_t i)
{
	Elf64_Shdr s;

	memcpy(&s, f->data + h->e_shoff + i * sizeof s, sizeof s);
	return s;
}

/* Returns the string at `at` of a table whose last byte must be NUL, or NULL. Names may share
 * bytes; the budget limits the sum of their lengths, so that a small file cannot cause much
 * work. */
static const char *
string_at(const struct elf_section *table, uint32_t at, uint64_t *budget)
{
	if (at >= table->size)
		return NULL;
	const char *s = (const char *)table->data + at;
	size_t len = strlen(s);
	if (len > *budget)
		return NULL;
	*budget -= len;
	return s;
}

static uint64_t
name_budget(const struct elf_file *f)
{
	return 16 * (uint64_t)f->size;
}

static qd_status
check_strings(const struct elf_file *f, const struct elf_section *s, struct qd_error *err)
{
	if (!s->data || !s->size)
		return elf_fail(f, s->offset, err, "the string table is empty");
	if (s->data[s->size - 1])
		return elf_fail(f, s->offset + s->size - 1, err,
				"the string table does not end in a NUL");
	return QD_OK;
}

static qd_status
read_sections(struct arena *mem, struct elf_file *f, const Elf64_Ehdr *h, struct qd_error *err)
{
	uint64_t n = h->e_shnum, names = h->e_shstrndx;

	if (!h->e_shoff)
		return elf_fail(f, offsetof(Elf64_Ehdr, e_shoff), err,
				"the file has no section header table");
	if (h->e_shentsize != sizeof(Elf64_Shdr))
		return elf_fail(f, offsetof(Elf64_Ehdr, e_shentsize), err,
				"section headers of %u bytes; the size must be %zu", h->e_shentsize,
				sizeof(Elf64_Shdr));
	if (!fits(f, h->e_shoff, sizeof(Elf64_Shdr)))
		return elf_fail(f, offsetof(Elf64_Ehdr, e_shoff), err,
				"section header table at 0x%llx is past the end of the file",
				(unsigned long long)h->e_shoff);
	/* The null section contains numbers that are too large for the header. */
	Elf64_Shdr first = section_header(f, h, 0);
	if (!n)
		n = first.sh_size;
	if (names == SHN_XINDEX)
		names = first.sh_link;
	if (!n || n > (f->size - h->e_shoff) / sizeof(Elf64_Shdr))
		return elf_fail(f, offsetof(Elf64_Ehdr, e_shnum), err,
				"section header table (%llu sections at 0x%llx) extends past the "
				"end of the file",
				(unsigned long long)n, (unsigned long long)h->e_shoff);
	if (names >= n)
		return elf_fail(
			f, offsetof(Elf64_Ehdr, e_shstrndx), err,
			"section %llu should contain the names, but there are %llu sections",
			(unsigned long long)names, (unsigned long long)n);
	f->sections = arena_zalloc(mem, (size_t)n * sizeof *f->sections);
	if (!f->sections)
		return qd_fail(err, QD_E_NOMEM, "out of memory for %llu sections",
			       (unsigned long long)n);
	for (uint64_t i = 0; i < n; i++) {
		Elf64_Shdr s = section_header(f, h, i);
		struct elf_section *out = &f->sections[i];
		*out = (struct elf_section){ "",	   s.sh_type, s.sh_link,   s.sh_info,
					     s.sh_flags,   s.sh_addr, s.sh_offset, s.sh_size,
					     s.sh_entsize, NULL };
		if (!i || s.sh_type == SHT_NULL || s.sh_type == SHT_NOBITS)
			continue;
		if (!fits(f, s.sh_offset, s.sh_size))
			return elf_fail(f, h->e_shoff + i * sizeof s, err,
					"section %llu (0x%llx bytes at 0x%llx) extends past the "
					"end of the file",
					(unsigned long long)i, (unsigned long long)s.sh_size,
					(unsigned long long)s.sh_offset);
		out->data = f->data + s.sh_offset;
	}
	f->n_sections = (uint32_t)n;
	if (names == SHN_UNDEF)
		return QD_OK;
	QD_TRY(check_strings(f, &f->sections[names], err));
	uint64_t budget = name_budget(f);
	for (uint64_t i = 1; i < n; i++) {
		f->sections[i].name =
			string_at(&f->sections[names], section_header(f, h, i).sh_name, &budget);
		if (f->sections[i].name && !(f->sections[i].name = show_in(mem, f->sections[i].name)))
			return qd_fail(err, QD_E_NOMEM, "out of memory for a section");
		if (!f->sections[i].name)
			return elf_fail(f, h->e_shoff + i * sizeof(Elf64_Shdr), err,
					"the name of section %llu is not in the string table",
					(unsigned long long)i);
	}
	return QD_OK;
}

/* -- Notes ----------------------------------------------------------------------- */

static uint64_t
align4(uint64_t v)
{
	return (v + 3) & ~(uint64_t)3;
}

/* Counts a section's notes in *n, and stores them if out is not NULL. */
static qd_status
walk_notes(const struct elf_file *f, const struct elf_section *s, struct elf_note *out, uint32_t *n,
	   struct qd_error *err)
{
	uint64_t at = s->offset, end = s->offset + s->size;

	while (at < end) {
		Elf64_Nhdr h;
		if (end - at < sizeof h)
			return elf_fail(f, at, err, "a note is cut off within its header");
		memcpy(&h, f->data + at, sizeof h);
		uint64_t owner = at + sizeof h, desc = owner + align4(h.n_namesz);
		if (desc > end || h.n_descsz > end - desc)
			return elf_fail(f, at, err,
					"a note (owner %u bytes, content %u bytes) extends past "
					"its section",
					h.n_namesz, h.n_descsz);
		if (out)
			out[*n] = (struct elf_note){ (const char *)f->data + owner,
						     f->data + desc,
						     h.n_namesz,
						     h.n_descsz,
						     h.n_type,
						     desc };
		(*n)++;
		at = desc + align4(h.n_descsz);
	}
	return QD_OK;
}

static qd_status
read_notes(struct arena *mem, struct elf_file *f, struct qd_error *err)
{
	uint64_t bytes = 0;
	uint32_t n = 0;

	for (uint32_t i = 1; i < f->n_sections; i++) {
		const struct elf_section *s = &f->sections[i];
		if (s->type != SHT_NOTE || !s->data)
			continue;
		/* Overlapping sections would let a small file cause much work. */
		bytes += s->size;
		if (bytes > f->size)
			return elf_fail(f, s->offset, err, "note sections overlap");
		QD_TRY(walk_notes(f, s, NULL, &n, err));
	}
	if (!n)
		return QD_OK;
	f->notes = arena_alloc(mem, n * sizeof *f->notes);
	if (!f->notes)
		return qd_fail(err, QD_E_NOMEM, "out of memory for %u notes", n);
	for (uint32_t i = 1; i < f->n_sections; i++) {
		const struct elf_section *s = &f->sections[i];
		if (s->type == SHT_NOTE && s->data)
			QD_TRY(walk_notes(f, s, f->notes, &f->n_notes, err));
	}
	return QD_OK;
}

qd_status
elf_read(struct arena *mem, const void *data, size_t size, uint64_t base, struct elf_file *out,
	 struct qd_error *err)
{
	Elf64_Ehdr h;

	*out = (struct elf_file){ .data = data, .size = size, .base = base };
	QD_TRY(read_header(out, &h, err));
	QD_TRY(read_sections(mem, out, &h, err));
	return read_notes(mem, out, err);
}

static int
by_address(const void *a, const void *b)
{
	const struct elf_section *const *x = a, *const *y = b;

	return (*x)->addr < (*y)->addr ? -1 : (*x)->addr > (*y)->addr;
}

void
elf_sort_by_address(struct elf_by_address *sections)
{
	if (sections->n)
		qsort(sections->v, sections->n, sizeof *sections->v, by_address);
}

const struct elf_section *
elf_section_at(const struct elf_by_address *sections, uint64_t addr)
{
	uint32_t lo = 0, hi = sections->n;

	/* Find the last section that begins at or before the address. */
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (sections->v[mid]->addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && addr - sections->v[lo - 1]->addr < sections->v[lo - 1]->size ? sections->v[lo - 1] : NULL;
}

const struct elf_section *
elf_section_named(const struct elf_file *f, const char *name)
{
	for (uint32_t i = 1; i < f->n_sections; i++) {
		if (strcmp(f->sections[i].name, name) == 0)
			return &f->sections[i];
	}
	return NULL;
}

const struct elf_section *
elf_section_begins(const struct elf_file *f, const char *name)
{
	for (uint32_t i = 1; i < f->n_sections; i++) {
		const struct elf_section *s = &f->sections[i];
		if (strncmp(s->name, name, strlen(name)) == 0 && s->data && s->size)
			return s;
	}
	return NULL;
}

/* -- Symbols --------------------------------------------------------------------- */

static qd_status
read_symbols(struct arena *mem, const struct elf_file *f, const struct elf_section *table,
	     struct elf_symbol **out, uint32_t *n, struct qd_error *err)
{
	const struct elf_section *names = NULL;
	uint64_t count = table->size / sizeof(Elf64_Sym);

	if (table->entry_size != sizeof(Elf64_Sym) || table->size % sizeof(Elf64_Sym))
		return elf_fail(f, table->offset, err,
				"a symbol table of 0x%llx bytes with entries of %llu bytes; the "
				"size must be %zu",
				(unsigned long long)table->size,
				(unsigned long long)table->entry_size, sizeof(Elf64_Sym));
	if (count < 2)
		return QD_OK;
	if (count > UINT32_MAX)
		return elf_fail(f, table->offset, err, "too many symbols");
	if (table->link < f->n_sections && f->sections[table->link].type == SHT_STRTAB)
		names = &f->sections[table->link];
	if (!names)
		return elf_fail(f, table->offset, err,
				"the names of the symbol table should be in section %u, which is "
				"not a string table",
				table->link);
	QD_TRY(check_strings(f, names, err));
	*out = arena_alloc(mem, (size_t)count * sizeof **out);
	if (!*out)
		return qd_fail(err, QD_E_NOMEM, "out of memory for %llu symbols",
			       (unsigned long long)count);
	uint64_t budget = name_budget(f);
	for (uint64_t i = 1; i < count; i++) {
		uint64_t at = table->offset + i * sizeof(Elf64_Sym);
		Elf64_Sym s;
		memcpy(&s, f->data + at, sizeof s);
		const char *name = string_at(names, s.st_name, &budget);
		if (!name)
			return elf_fail(f, at, err,
					"the name of symbol %llu is not in the string table",
					(unsigned long long)i);
		if (!(name = show_in(mem, name)))
			return qd_fail(err, QD_E_NOMEM, "out of memory for a symbol");
		if (s.st_shndx < SHN_LORESERVE && s.st_shndx >= f->n_sections)
			return elf_fail(
				f, at, err,
				"symbol '%.60s' is in section %u, but there are %u sections", name,
				s.st_shndx, f->n_sections);
		(*out)[(*n)++] = (struct elf_symbol){ name,
						      s.st_value,
						      s.st_size,
						      at,
						      s.st_shndx < SHN_LORESERVE ? s.st_shndx
										 : ELF_NO_SECTION,
						      ELF64_ST_TYPE(s.st_info),
						      ELF64_ST_BIND(s.st_info),
						      ELF64_ST_VISIBILITY(s.st_other) };
	}
	return QD_OK;
}

qd_status
elf_symbols(struct arena *mem, const struct elf_file *f, uint32_t type, struct elf_symbol **out,
	    uint32_t *n, struct qd_error *err)
{
	static struct elf_symbol none; /* the address of an empty list */

	*out = &none;
	*n = 0;
	for (uint32_t i = 1; i < f->n_sections; i++) {
		if (f->sections[i].type == type)
			return read_symbols(mem, f, &f->sections[i], out, n, err);
	}
	return QD_OK;
}
