/* Runs the line number program (DWARF 5, 6.2) twice: to count its ranges, and to store them.
 * Numbers are validated before use; the first invalid one ends the run with an error. */
#include "lines.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

#include "lines_read.h"

/* -- Bytes ------------------------------------------------------------------------ */

qd_status
lines_fail(const struct line_reader *r, struct qd_error *err, const char *what)
{
	return elf_fail(r->f, r->section->offset + r->at, err, "line table: %s", what);
}

uint64_t
lines_number(struct line_reader *r, unsigned bytes)
{
	uint64_t v = 0;

	if (r->end - r->at < bytes) {
		r->short_of = true;
		r->at = r->end;
		return 0;
	}
	for (unsigned i = 0; i < bytes; i++)
		v |= (uint64_t)r->data[r->at + i] << 8 * i;
	r->at += bytes;
	return v;
}

/* Reads LEB128, modulo 2^64. */
uint64_t
lines_leb(struct line_reader *r, bool is_signed)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)lines_number(r, 1);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (is_signed && (byte & 0x40) && shift < 64)
		v |= ~UINT64_C(0) << shift;
	return v;
}

const char *
lines_string(struct line_reader *r)
{
	const char *s = (const char *)r->data + r->at;
	size_t left = r->end - r->at, len = strnlen(s, left);

	if (len == left) {
		r->short_of = true;
		r->at = r->end;
		return "";
	}
	r->at += len + 1;
	return s;
}

/* -- Relocations ------------------------------------------------------------------- */

static int
by_offset(const void *a, const void *b)
{
	const struct line_reloc *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static void
patch(uint8_t *at, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (uint8_t)(v >> 8 * i);
}

/* Returns the bytes of a supported relocation, else 0: R_AMDGPU_ABS64 and R_AMDGPU_ABS32, S + A. */
static unsigned
reloc_size(uint64_t info)
{
	return (uint32_t)info == 3 ? 8 : (uint32_t)info == 6 ? 4 : 0;
}

/* Applies the relocations of a relocatable file to a copy of the bytes. */
static qd_status
relocate(struct arena *mem, struct line_reader *r, const struct elf_section *table,
	 const struct elf_symbol *symbols, uint32_t n_symbols, struct qd_error *err)
{
	size_t n = (size_t)(table->size / sizeof(Elf64_Rela));
	uint8_t *copy = arena_alloc(mem, r->end);

	r->reloc = arena_alloc(mem, n * sizeof *r->reloc);
	if (!copy || !r->reloc)
		return qd_fail(err, QD_E_NOMEM, "out of memory for a line table");
	memcpy(copy, r->data, r->end);
	r->data = copy;
	for (size_t i = 0; i < n; i++) {
		Elf64_Rela a;
		memcpy(&a, table->data + i * sizeof a, sizeof a);
		unsigned size = reloc_size(a.r_info);
		uint64_t symbol = ELF64_R_SYM(a.r_info);
		if (!size || a.r_offset > r->end || r->end - a.r_offset < size || !symbol ||
		    symbol > n_symbols)
			return elf_fail(r->f, table->offset + i * sizeof a, err,
					"line table: relocation %zu has an unknown kind or offset",
					i);
		const struct elf_symbol *s = &symbols[symbol - 1];
		patch(copy + a.r_offset, s->value + (uint64_t)a.r_addend, size);
		r->reloc[r->n_reloc++] = (struct line_reloc){ a.r_offset, s->section };
	}
	if (n)
		qsort(r->reloc, n, sizeof *r->reloc, by_offset);
	return QD_OK;
}

static uint32_t
section_at(const struct line_reader *r, size_t offset)
{
	const struct line_reloc key = { offset, 0 };
	const struct line_reloc *found = NULL;

	if (r->n_reloc)
		found = bsearch(&key, r->reloc, r->n_reloc, sizeof key, by_offset);
	return found ? found->section : ELF_NO_SECTION;
}

/* -- The program ------------------------------------------------------------------- */

struct state {
	uint64_t addr;
	uint64_t file, line, column;
	uint32_t section;
	bool open;	       /* this sequence has a row */
	struct line_range row; /* the last row */
};

struct output {
	struct line_range *ranges; /* NULL: only count */
	size_t n;
};

/* Ends the range of the last row at the current address. */
static void
close_range(struct state *s, struct output *out)
{
	s->row.to = s->addr;
	if (!s->open || s->row.to <= s->row.from)
		return;
	if (out->ranges)
		out->ranges[out->n] = s->row;
	out->n++;
}

static void
give_row(const struct line_unit *u, struct state *s, struct output *out, bool last)
{
	close_range(s, out);
	s->row = (struct line_range){ s->addr,
				      0,
				      s->section,
				      s->line <= UINT32_MAX ? (uint32_t)s->line : 0,
				      s->column <= UINT32_MAX ? (uint32_t)s->column : 0,
				      s->file >= u->first_file &&
						      s->file - u->first_file < u->n_files
					      ? u->files[s->file - u->first_file]
					      : NULL };
	s->open = !last;
}

static struct state
first_state(void)
{
	return (struct state){ .file = 1, .line = 1, .section = ELF_NO_SECTION };
}

static qd_status
extended(struct line_reader *r, const struct line_unit *u, struct state *s, struct output *out,
	 struct qd_error *err)
{
	uint64_t len = lines_leb(r, false);
	size_t next = r->at;

	if (!len || len > r->end - r->at)
		return lines_fail(r, err, "an instruction that extends past its unit");
	next += (size_t)len;
	switch (lines_number(r, 1)) {
	case 1: /* DW_LNE_end_sequence */
		give_row(u, s, out, true);
		*s = first_state();
		break;
	case 2: /* DW_LNE_set_address */
		if (len != 5 && len != 9)
			return lines_fail(r, err, "an address size other than 4 or 8 bytes");
		s->section = section_at(r, r->at);
		s->addr = lines_number(r, (unsigned)len - 1);
		break;
	default: break; /* unused: define_file, discriminators, vendor extensions */
	}
	r->at = next;
	return QD_OK;
}

static void
standard(struct line_reader *r, const struct line_unit *u, struct state *s, struct output *out,
	 unsigned op)
{
	switch (op) {
	case 1: give_row(u, s, out, false); break;			      /* copy */
	case 2: s->addr += lines_leb(r, false) * u->least; break;	      /* advance_pc */
	case 3: s->line = (s->line + lines_leb(r, true)) & UINT32_MAX; break; /* advance_line */
	case 4: s->file = lines_leb(r, false); break;			      /* set_file */
	case 5: s->column = lines_leb(r, false); break;			      /* set_column */
	case 8:
		s->addr += (255u - u->first_special) / u->range * u->least;
		break;				      /* const_add_pc */
	case 9: s->addr += lines_number(r, 2); break; /* fixed_advance_pc */
	default:
		for (unsigned i = 0; i < u->n_operands[op]; i++)
			lines_leb(r, false);
	}
}

static qd_status
run(struct line_reader *r, const struct line_unit *u, struct output *out, struct qd_error *err)
{
	struct state s = first_state();

	r->at = u->program;
	while (r->at < u->end && !r->short_of) {
		unsigned op = (unsigned)lines_number(r, 1);
		if (op >= u->first_special) {
			op -= u->first_special;
			s.addr += (uint64_t)(op / u->range) * u->least;
			s.line = (s.line + (uint64_t)(int64_t)u->base + op % u->range) & UINT32_MAX;
			give_row(u, &s, out, false);
		} else if (op) {
			standard(r, u, &s, out, op);
		} else {
			QD_TRY(extended(r, u, &s, out, err));
		}
	}
	return r->short_of ? lines_fail(r, err, "the unit ends within an instruction") : QD_OK;
}

/* -- The table ---------------------------------------------------------------------- */

static int
by_place(const void *a, const void *b)
{
	const struct line_range *x = a, *y = b;

	if (x->section != y->section)
		return x->section < y->section ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

/* Walks all units and counts them in *n. Without out, reads their headers, with the lists of files
 * if units is not NULL; with out, runs their programs. */
static qd_status
run_units(struct arena *mem, struct line_reader *r, struct line_unit *units, size_t *n,
	  struct output *out, struct qd_error *err)
{
	size_t whole = r->end, at = 0;

	for (size_t i = 0; at < whole; i++) {
		struct line_unit counted;
		struct line_unit *u = units ? &units[i] : &counted;
		r->at = at;
		r->end = whole;
		if (out) {
			r->end = u->end;
			if (u->program)
				QD_TRY(run(r, u, out, err));
		} else {
			QD_TRY(lines_unit(mem, r, u, units != NULL, err));
		}
		at = u->end;
		*n = i + 1;
	}
	r->end = whole;
	return QD_OK;
}

qd_status
lines_read(struct arena *mem, const struct elf_file *f, struct line_table *out,
	   struct qd_error *err)
{
	struct line_reader r = { .f = f,
				 .section = elf_section_named(f, ".debug_line"),
				 .str = elf_section_named(f, ".debug_str"),
				 .line_str = elf_section_named(f, ".debug_line_str") };
	const struct elf_section *relocs = elf_section_named(f, ".rela.debug_line");
	struct elf_symbol *symbols;
	uint32_t n_symbols;
	size_t n = 0;

	*out = (struct line_table){ 0 };
	if (!r.section || !r.section->data)
		return QD_OK;
	r.data = r.section->data;
	r.end = (size_t)r.section->size;
	/* Limit the memory for paths, since many of them may contain the same directory. */
	r.budget = 16 * (uint64_t)f->size + 4096;
	if (f->type == ET_REL && relocs && relocs->data && relocs->type == SHT_RELA) {
		QD_TRY(elf_symbols(mem, f, SHT_SYMTAB, &symbols, &n_symbols, err));
		QD_TRY(relocate(mem, &r, relocs, symbols, n_symbols, err));
	}
	QD_TRY(run_units(mem, &r, NULL, &n, NULL, err));
	struct line_unit *units = arena_zalloc(mem, (n + 1) * sizeof *units);
	if (!units)
		return qd_fail(err, QD_E_NOMEM, "out of memory for %zu line tables", n);
	QD_TRY(run_units(mem, &r, units, &n, NULL, err));
	struct output o = { NULL, 0 };
	QD_TRY(run_units(mem, &r, units, &n, &o, err));
	o.ranges = arena_alloc(mem, (o.n + 1) * sizeof *o.ranges);
	if (!o.ranges)
		return qd_fail(err, QD_E_NOMEM, "out of memory for %zu lines", o.n);
	o.n = 0;
	QD_TRY(run_units(mem, &r, units, &n, &o, err));
	if (o.n)
		qsort(o.ranges, o.n, sizeof *o.ranges, by_place);
	*out = (struct line_table){ o.ranges, o.n };
	return QD_OK;
}

const struct line_range *
lines_find(const struct line_table *t, const struct elf_file *f, uint32_t section, uint64_t addr)
{
	size_t lo = 0, hi = t->n;

	section = f->type == ET_REL ? section : ELF_NO_SECTION;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct line_range *x = &t->ranges[mid];
		if (x->section < section || (x->section == section && x->from <= addr))
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || t->ranges[lo - 1].section != section || t->ranges[lo - 1].to <= addr)
		return NULL;
	return &t->ranges[lo - 1];
}
