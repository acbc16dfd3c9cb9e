/* The bytes of a foreign kernel's image: descriptor, then code, constants and variables at the
 * distances of the link, then the record of variables and addresses (variables.h). */
#include "object.h"

#include <elf.h>
#include <stdio.h>

#include "variables.h"

enum { ALIGN = AMD_CODE_ALIGN, MOST_GAPS = 1 << 20 };

/* Returns whether only loaders read the section. */
static bool
is_loaders(const struct elf_section *s)
{
	switch (s->type) {
	case SHT_NULL:
	case SHT_SYMTAB:
	case SHT_STRTAB:
	case SHT_HASH:
	case SHT_DYNAMIC:
	case SHT_NOTE:
	case SHT_DYNSYM:
	case SHT_GNU_HASH: return true;
	default: return s->type == SHT_NOBITS && strcmp(s->name, ".relro_padding") == 0;
	}
}

static qd_status
fail(const struct object_kernel *k, const struct elf_section *s, struct qd_error *err,
     const char *fmt, const char *more)
{
	char text[400];

	snprintf(text, sizeof text, "section '%.60s' %s%s", s->name, fmt, more);
	return elf_fail(&k->o->elf, s->offset, err, "kernel '%.80s': %s", k->k->name, text);
}

static qd_status
check_section(const struct object_kernel *k, const struct elf_section *s, struct qd_error *err)
{
	char size[100];

	if (!(s->flags & SHF_ALLOC) || is_loaders(s) || !s->size)
		return QD_OK;
	if (s->flags & SHF_TLS)
		return fail(k, s, err,
			    "contains thread-local variables, which devices do not support: ",
			    "make them global variables");
	if (s->type == SHT_INIT_ARRAY || s->type == SHT_FINI_ARRAY)
		return fail(k, s, err, "contains constructors, which launches do not run: ",
			    "initialize the variables with constants");
	if ((s->flags & SHF_WRITE) && (s->flags & SHF_EXECINSTR))
		return fail(k, s, err, "is writable code", "");
	if (s->addr > UINT64_MAX - s->size)
		return fail(k, s, err, "extends past the last address", "");
	snprintf(size, sizeof size, "has 0x%llx bytes; a kernel's memory has at most 0x%x",
		 (unsigned long long)s->size, VARIABLES_MAX);
	return s->size > VARIABLES_MAX ? fail(k, s, err, size, "") : QD_OK;
}

/* Finds whether a section contains anything but kernel descriptors. */
static qd_status
has_constants(const struct object_kernel *k, const struct elf_section *s, bool *has,
	      struct qd_error *err)
{
	enum { UNIT = AMD_DESCRIPTOR_SIZE };
	uint64_t covered = 0;
	uint8_t *seen;

	*has = true;
	if (!s->data || (s->flags & SHF_WRITE))
		return QD_OK;
	seen = arena_zalloc(k->mem, (size_t)(s->size / UNIT) + 1);
	if (!seen)
		return qd_fail(err, QD_E_NOMEM, "out of memory for kernel '%.80s'", k->k->name);
	for (uint32_t i = 0; i < k->o->n_kernels; i++) {
		const struct code_kernel *other = &k->o->kernels[i];
		/* Several symbols may name one descriptor. */
		if (other->descriptor < s->data || other->descriptor >= s->data + s->size ||
		    (other->descriptor_addr - s->addr) % UNIT)
			continue;
		uint64_t unit = (other->descriptor_addr - s->addr) / UNIT;
		covered += seen[unit] ? 0 : UNIT;
		seen[unit] = 1;
	}
	*has = covered < s->size;
	return QD_OK;
}

/* Sections of a kernel's image: its code, and the sections that code reads or writes. */
struct span {
	const struct elf_section *text;
	uint64_t from, to;
	uint64_t file_to;	     /* end of the bytes in the file; zeros follow */
	uint64_t zeros;		     /* bytes of sections that are not in the file */
	uint64_t write_from, write_to; /* variables; write_to 0: none */
	bool *taken;		     /* by section: whether it is part of the image */
};

static void
take(const struct object_kernel *k, struct span *p, uint32_t i)
{
	const struct elf_section *s = &k->o->elf.sections[i];

	uint64_t end = s->addr + s->size;

	p->taken[i] = true;
	p->from = s->addr < p->from ? s->addr : p->from;
	p->to = end > p->to ? end : p->to;
	if (s->data)
		p->file_to = end > p->file_to ? end : p->file_to;
	else
		p->zeros += s->size;
	if (!(s->flags & SHF_WRITE))
		return;
	p->write_from = p->write_to && p->write_from < s->addr ? p->write_from : s->addr;
	p->write_to = end > p->write_to ? end : p->write_to;
}

static qd_status
find_span(const struct object_kernel *k, struct span *p, struct qd_error *err)
{
	const struct elf_file *f = &k->o->elf;

	*p = (struct span){ .from = UINT64_MAX, .taken = arena_zalloc(k->mem, f->n_sections) };
	if (!p->taken)
		return qd_fail(err, QD_E_NOMEM, "out of memory for kernel '%.80s'", k->k->name);
	for (uint32_t i = 1; i < f->n_sections; i++) {
		const struct elf_section *s = &f->sections[i];
		bool has = false;
		QD_TRY(check_section(k, s, err));
		if (!(s->flags & SHF_ALLOC) || is_loaders(s) || !s->size || s->type == SHT_REL ||
		    s->type == SHT_RELA)
			continue;
		if (!(s->flags & SHF_EXECINSTR)) {
			QD_TRY(has_constants(k, s, &has, err));
		} else if (s->data && k->k->entry >= s->addr && k->k->entry - s->addr < s->size) {
			p->text = s;
			has = true;
		} else {
			return fail(k, s, err, "is code outside the kernel's section", "");
		}
		if (has)
			take(k, p, i);
	}
	return QD_OK;
}

static qd_status
check_span(const struct object_kernel *k, const struct span *p, struct qd_error *err)
{
	const struct elf_file *f = &k->o->elf;
	uint64_t at = k->k->descriptor_offset + AMD_AT_ENTRY;

	if (!p->text)
		return elf_fail(f, at, err,
				"kernel '%.80s': its descriptor's entry point, address 0x%llx, is "
				"not in a code section",
				k->k->name, (unsigned long long)k->k->entry);
	if (k->k->entry % ALIGN || p->text->size % 4 || p->text->addr % 4)
		return elf_fail(f, at, err,
				"kernel '%.80s': its code at address 0x%llx must consist of words "
				"and begin at a multiple of %d",
				k->k->name, (unsigned long long)k->k->entry, ALIGN);
	if (p->to - p->from > f->size + MOST_GAPS + p->zeros)
		return elf_fail(
			f, p->text->offset, err,
			"kernel '%.80s': code, constants and variables span 0x%llx bytes, more "
			"than the file (0x%zx bytes) and its zeros (0x%llx bytes) can fill",
			k->k->name, (unsigned long long)(p->to - p->from), f->size,
			(unsigned long long)p->zeros);
	if (p->to - p->from > VARIABLES_MAX - 2 * ALIGN)
		return elf_fail(f, p->text->offset, err,
				"kernel '%.80s': code, constants and variables take 0x%llx bytes; "
				"the limit is 0x%x",
				k->k->name, (unsigned long long)(p->to - p->from),
				VARIABLES_MAX - 2 * ALIGN);
	return QD_OK;
}

static void
put_number(uint8_t *to, uint64_t v, size_t size)
{
	memcpy(to, &v, size);
}

/* Returns whether the image needs a record: it has variables, addresses or trailing zeros. */
static bool
wants_record(const struct span *p, const struct object_addresses *a)
{
	return p->write_to || a->n || p->file_to < p->to;
}

/* Writes the record after the memory's bytes. */
static void
put_record(struct object_memory *m, const struct span *p, const struct object_addresses *a, size_t at)
{
	const uint64_t head[4] = { a->base + (p->to - p->from), p->write_to ? a->base + (p->write_from - p->from) : 0,
				   p->write_to ? p->write_to - p->write_from : 0, a->n };

	m->variables_at = (uint32_t)at;
	for (size_t i = 0; i < QD_COUNT(head); i++)
		put_number(m->bytes + at + 4 * i, head[i], 4);
	for (uint32_t i = 0; i < a->n; i++)
		put_number(m->bytes + at + VARIABLES_HEAD + 4 * (size_t)i, a->places[i], 4);
}

qd_status
object_load(const struct object_kernel *k, struct object_memory *out, struct qd_error *err)
{
	const struct elf_file *f = &k->o->elf;
	struct object_addresses a = { .n = 0 };
	struct span p;

	QD_TRY(find_span(k, &p, err));
	QD_TRY(check_span(k, &p, err));
	/* Keep addresses modulo 256. */
	a.base = ALIGN + p.from % ALIGN;
	a.from = p.from;
	a.to = p.to;
	a.taken = p.taken;
	QD_TRY(object_relocate(k, &a, err));
	size_t own = (size_t)(a.base + (p.file_to - p.from) + 3) & ~(size_t)3;
	*out = (struct object_memory){ .size = own };
	if (wants_record(&p, &a))
		out->size += VARIABLES_HEAD + 4 * (size_t)a.n;
	out->bytes = arena_zalloc(k->mem, out->size);
	if (!out->bytes)
		return qd_fail(err, QD_E_NOMEM, "out of memory for kernel '%.80s'", k->k->name);
	for (uint32_t i = 1; i < f->n_sections; i++) {
		const struct elf_section *s = &f->sections[i];
		if (p.taken[i] && s->data)
			memcpy(out->bytes + a.base + (s->addr - p.from), s->data, (size_t)s->size);
	}
	for (uint32_t i = 0; i < a.n; i++)
		put_number(out->bytes + a.places[i], a.values[i], 8);
	out->text_at = (uint32_t)(a.base + (p.text->addr - p.from));
	out->text_size = (uint32_t)p.text->size;
	memcpy(out->bytes, k->k->descriptor, AMD_DESCRIPTOR_SIZE);
	put_number(out->bytes + AMD_AT_group_segment_fixed_size, k->lds_size, 4);
	put_number(out->bytes + AMD_AT_kernarg_size, k->kernarg_size, 4);
	put_number(out->bytes + AMD_AT_ENTRY, a.base + (k->k->entry - p.from), 8);
	if (wants_record(&p, &a))
		put_record(out, &p, &a, own);
	return QD_OK;
}
