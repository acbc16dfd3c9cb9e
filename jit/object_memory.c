/* The bytes of a foreign kernel's image: its descriptor, then code and the constants beside
 * it, as far from each other as they were linked.  What would need an address, or memory that
 * is written, is refused. */
#include "object.h"

#include <elf.h>
#include <stdio.h>

enum { ALIGN = 256, LDS_AT = 0, KERNARG_AT = 8, ENTRY_AT = 16, MOST_GAPS = 1 << 20 };

/* Sections that loaders read and code does not. */
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
	if ((s->type == SHT_REL || s->type == SHT_RELA) && s->size && (s->flags & SHF_ALLOC))
		return fail(k, s, err, "has relocations, which want the addresses of symbols: ",
			    "link the object with all that it uses");
	if (!(s->flags & SHF_ALLOC) || is_loaders(s) || !s->size)
		return QD_OK;
	if (s->flags & (SHF_WRITE | SHF_TLS))
		return fail(k, s, err, "is variables of the program, which are not loaded: ",
			    "let the kernel take them as a buffer");
	if (s->addr > UINT64_MAX - s->size)
		return fail(k, s, err, "goes past the last address", "");
	return QD_OK;
}

/* Whether a section that is read only has anything but kernel descriptors. */
static qd_status
has_constants(const struct object_kernel *k, const struct elf_section *s, bool *has,
	      struct qd_error *err)
{
	enum { UNIT = CODE_DESCRIPTOR_SIZE };
	uint64_t covered = 0;
	uint8_t *seen = arena_zalloc(k->mem, s->data ? (size_t)(s->size / UNIT) + 1 : 1);

	if (!seen)
		return qd_fail(err, QD_E_NOMEM, "out of memory for kernel '%.80s'", k->k->name);
	for (uint32_t i = 0; s->data && i < k->o->n_kernels; i++) {
		const struct code_kernel *other = &k->o->kernels[i];
		/* Several symbols may name one. */
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

/* What goes with the kernel: its code's section, and those that are read. */
struct span {
	const struct elf_section *text;
	uint64_t from, to;
	bool *taken; /* by section */
};

static void
take(const struct object_kernel *k, struct span *p, uint32_t i)
{
	const struct elf_section *s = &k->o->elf.sections[i];

	p->taken[i] = true;
	p->from = s->addr < p->from ? s->addr : p->from;
	p->to = s->addr + s->size > p->to ? s->addr + s->size : p->to;
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
			return fail(k, s, err, "is code beside the section of the kernel's", "");
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
	uint64_t at = k->k->descriptor_offset + ENTRY_AT;

	if (!p->text)
		return elf_fail(f, at, err, "kernel '%.80s': its descriptor's entry point, address 0x%llx, "
				"is in no section of code",
				k->k->name, (unsigned long long)k->k->entry);
	if (k->k->entry % ALIGN || p->text->size % 4 || p->text->addr % 4)
		return elf_fail(f, at, err, "kernel '%.80s': its code at address 0x%llx is not words at a "
				"multiple of %d",
				k->k->name, (unsigned long long)k->k->entry, ALIGN);
	if (p->to - p->from > f->size + MOST_GAPS)
		return elf_fail(f, p->text->offset, err,
				"kernel '%.80s': code and constants lie 0x%llx bytes apart, in a file of "
				"0x%zx",
				k->k->name, (unsigned long long)(p->to - p->from), f->size);
	return QD_OK;
}

static void
put_number(uint8_t *to, uint64_t v, size_t size)
{
	memcpy(to, &v, size);
}

qd_status
object_load(const struct object_kernel *k, struct object_memory *out, struct qd_error *err)
{
	const struct elf_file *f = &k->o->elf;
	struct span p;

	QD_TRY(find_span(k, &p, err));
	QD_TRY(check_span(k, &p, err));
	/* At multiples of 256 what was at multiples of that. */
	uint64_t base = ALIGN + p.from % ALIGN;
	out->size = (size_t)(base + (p.to - p.from) + 3) & ~(size_t)3;
	out->bytes = arena_zalloc(k->mem, out->size);
	if (!out->bytes)
		return qd_fail(err, QD_E_NOMEM, "out of memory for kernel '%.80s'", k->k->name);
	for (uint32_t i = 1; i < f->n_sections; i++) {
		const struct elf_section *s = &f->sections[i];
		if (p.taken[i] && s->data)
			memcpy(out->bytes + base + (s->addr - p.from), s->data, (size_t)s->size);
	}
	out->text_at = (uint32_t)(base + (p.text->addr - p.from));
	out->text_size = (uint32_t)p.text->size;
	memcpy(out->bytes, k->k->descriptor, CODE_DESCRIPTOR_SIZE);
	put_number(out->bytes + LDS_AT, k->lds_size, 4);
	put_number(out->bytes + KERNARG_AT, k->kernarg_size, 4);
	put_number(out->bytes + ENTRY_AT, base + (k->k->entry - p.from), 8);
	return QD_OK;
}
