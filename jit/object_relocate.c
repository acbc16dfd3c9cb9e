/* Dynamic relocations of a code object: words with the address of a variable, a constant or a
 * function of the object. Types: LLVM's AMDGPU usage guide, "Relocation Records". */
#include "object.h"

#include <elf.h>

enum { R_NONE = 0, R_ABS64 = 3, R_RELATIVE64 = 13, TYPE_RELR = 19 /* SHT_RELR */, ADDRESS = 8 };

struct relocating {
	const struct object_kernel *k;
	struct object_addresses *a;
	const struct elf_symbol *symbols;
	struct elf_by_address loaded; /* taken sections with bytes */
	uint32_t n_symbols;
};

static bool
is_relocations(const struct elf_section *s)
{
	return (s->type == SHT_REL || s->type == SHT_RELA || s->type == TYPE_RELR) && s->size &&
	       (s->flags & SHF_ALLOC);
}

/* Returns the value of the relocation's symbol. For an undefined weak symbol *is_here is
 * false. */
static qd_status
symbol_value(const struct relocating *r, const struct elf_section *s, uint64_t at, uint32_t number,
	     uint64_t *value, bool *is_here, struct qd_error *err)
{
	const struct elf_file *f = &r->k->o->elf;

	if (!number || number > r->n_symbols)
		return elf_fail(f, s->offset + at, err,
				"kernel '%.80s': a relocation is against symbol %u; the object has %u",
				r->k->k->name, number, r->n_symbols);
	const struct elf_symbol *y = &r->symbols[number - 1];
	*value = y->value;
	*is_here = y->section != 0;
	if (*is_here || y->bind == STB_WEAK)
		return QD_OK;
	return elf_fail(f, s->offset + at, err,
			"kernel '%.80s': '%.80s' is in another object; link the two (hipcc -fgpu-rdc)",
			r->k->k->name, y->name);
}

static qd_status
sort_loaded(struct relocating *r, struct qd_error *err)
{
	const struct elf_file *f = &r->k->o->elf;

	r->loaded.v = arena_alloc(r->k->mem, (size_t)f->n_sections * sizeof *r->loaded.v);
	if (!r->loaded.v)
		return qd_fail(err, QD_E_NOMEM, "out of memory for kernel '%.80s'", r->k->k->name);
	for (uint32_t i = 1; i < f->n_sections; i++) {
		if (r->a->taken[i] && f->sections[i].data)
			r->loaded.v[r->loaded.n++] = &f->sections[i];
	}
	elf_sort_by_address(&r->loaded);
	return QD_OK;
}

/* Returns whether the 8 bytes at an address are in a section of the image. */
static bool
is_loaded(const struct relocating *r, uint64_t addr)
{
	const struct elf_section *s = elf_section_at(&r->loaded, addr);

	return s && s->size - (addr - s->addr) >= ADDRESS;
}

static qd_status
add(const struct relocating *r, const struct elf_section *s, uint64_t at, struct qd_error *err)
{
	const struct elf_file *f = &r->k->o->elf;
	struct object_addresses *a = r->a;
	uint64_t value = 0;
	bool is_here = true;
	Elf64_Rela e;

	memcpy(&e, s->data + at, sizeof e);
	uint32_t type = (uint32_t)ELF64_R_TYPE(e.r_info), symbol = (uint32_t)ELF64_R_SYM(e.r_info);
	if (type == R_NONE)
		return QD_OK;
	if (type != R_ABS64 && type != R_RELATIVE64)
		return elf_fail(f, s->offset + at, err,
				"kernel '%.80s': a relocation of type %u; loaders resolve 3 "
				"(R_AMDGPU_ABS64) and 13 (R_AMDGPU_RELATIVE64)",
				r->k->k->name, type);
	if (!is_loaded(r, e.r_offset))
		return elf_fail(f, s->offset + at, err,
				"kernel '%.80s': a relocation at address 0x%llx, which is not in a "
				"loaded section",
				r->k->k->name, (unsigned long long)e.r_offset);
	if (type == R_ABS64)
		QD_TRY(symbol_value(r, s, at, symbol, &value, &is_here, err));
	value += (uint64_t)e.r_addend;
	if (is_here && (value < a->from || value > a->to))
		return elf_fail(f, s->offset + at, err,
				"kernel '%.80s': a relocation to address 0x%llx; the loaded range "
				"is 0x%llx to 0x%llx",
				r->k->k->name, (unsigned long long)value,
				(unsigned long long)a->from, (unsigned long long)a->to);
	if (!is_here)
		return QD_OK;
	a->places[a->n] = (uint32_t)(a->base + (e.r_offset - a->from));
	a->values[a->n++] = a->base + (value - a->from);
	return QD_OK;
}

/* Counts the entries of relocation sections, and checks their form. */
static qd_status
count(const struct object_kernel *k, uint64_t *n, struct qd_error *err)
{
	const struct elf_file *f = &k->o->elf;

	*n = 0;
	for (uint32_t i = 1; i < f->n_sections; i++) {
		const struct elf_section *s = &f->sections[i];
		if (!is_relocations(s))
			continue;
		if (s->type != SHT_RELA || !s->data || s->size % sizeof(Elf64_Rela))
			return elf_fail(f, s->offset, err,
					"kernel '%.80s': section '%.60s' has relocations that are not "
					"entries of %zu bytes (SHT_RELA); link without --pack-dyn-relocs",
					k->k->name, s->name, sizeof(Elf64_Rela));
		*n += s->size / sizeof(Elf64_Rela);
	}
	return QD_OK;
}

qd_status
object_relocate(const struct object_kernel *k, struct object_addresses *a, struct qd_error *err)
{
	const struct elf_file *f = &k->o->elf;
	struct relocating r = { .k = k, .a = a };
	struct elf_symbol *symbols;
	uint64_t n;

	a->n = 0;
	QD_TRY(count(k, &n, err));
	if (!n)
		return QD_OK;
	QD_TRY(elf_symbols(k->mem, f, SHT_DYNSYM, &symbols, &r.n_symbols, err));
	r.symbols = symbols;
	QD_TRY(sort_loaded(&r, err));
	a->places = n > f->size ? NULL : arena_alloc(k->mem, (size_t)n * sizeof *a->places);
	a->values = n > f->size ? NULL : arena_alloc(k->mem, (size_t)n * sizeof *a->values);
	if (!a->places || !a->values)
		return qd_fail(err, QD_E_NOMEM, "out of memory for kernel '%.80s'", k->k->name);
	for (uint32_t i = 1; i < f->n_sections; i++) {
		const struct elf_section *s = &f->sections[i];
		for (uint64_t at = 0; is_relocations(s) && at < s->size; at += sizeof(Elf64_Rela))
			QD_TRY(add(&r, s, at, err));
	}
	return QD_OK;
}
