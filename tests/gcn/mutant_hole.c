/* Facts at the removed write of exec, the hole: which lanes are the other lanes, and, from the
 * compare that made the mask, which values they cannot have. */
#include "mutant_side.h"

bool
side_writes(const struct mutant_code *c, uint32_t line, const struct gcn_range *what)
{
	struct gcn_effect fx;

	gcn_effect_of(c->t, &c->f.line[line].insn, &fx);
	for (unsigned i = 0; i < fx.n_range; i++)
		if ((fx.range[i].access & GCN_WRITE) && gcn_overlap(&fx.range[i], what))
			return true;
	return false;
}

/* Returns whether the line writes a source of the other one, apart from exec. */
bool
side_writes_source(const struct mutant_code *c, uint32_t line, uint32_t other)
{
	struct gcn_effect fx;

	gcn_effect_of(c->t, &c->f.line[other].insn, &fx);
	for (unsigned i = 0; i < fx.n_range; i++)
		if ((fx.range[i].access & GCN_READ) && !is_exec(&fx.range[i]) &&
		    side_writes(c, line, &fx.range[i]))
			return true;
	return false;
}

/* -- Compares -------------------------------------------------------------------------------- */

/* Returns the compare's name, "_eq_u32", of v_cmp and v_cmpx in both encodings; its length in
 * *n. */
static const char *
compare_name(const struct gcn_insn *in, size_t *n)
{
	const char *name = gcn_row_name(&gcn_rows[in->row]), *at = strchr(name + 2, '_');
	const char *end = strstr(name, "_e32") ? strstr(name, "_e32") : strstr(name, "_e64");

	*n = strlen(at ? at : name) - (end ? strlen(end) : 0);
	return at ? at : name;
}

static bool
compares_alike(const struct gcn_insn *a, const struct gcn_insn *b)
{
	size_t n, m;
	const char *x = compare_name(a, &n), *y = compare_name(b, &m);

	return n == m && !strncmp(x, y, n);
}

/* Returns both sources, numbered as in the longer encoding. */
static void
compared(const struct gcn_insn *in, uint32_t *a, uint32_t *b)
{
	*a = in->field[GCN_F_SRC0];
	*b = gcn_rows[in->row].format == GCN_VOPC ? 256 + in->field[GCN_F_VSRC1] : in->field[GCN_F_SRC1];
}

/* Returns whether the compare is false in the other lanes: it repeats the compare of the hole's
 * mask, or it compares a constant that is not lower with the same end. */
static bool
is_false(const struct side *d, const struct pair *p, const struct gcn_insn *in)
{
	const struct gcn_insn *was = d->made == GCN_NOWHERE ? NULL : &d->c->f.line[d->made].insn;
	const char *name = gcn_row_name(&gcn_rows[in->row]);
	uint32_t a, b, wa, wb;

	if (!was || in->form != GCN_FORM_BASE || was->form != GCN_FORM_BASE || !begins(name, "v_cmp"))
		return false;
	compared(in, &a, &b);
	compared(was, &wa, &wb);
	if (in->field[GCN_F_NEG] || in->field[GCN_F_ABS] || a == GCN_LITERAL || b == GCN_LITERAL)
		return false;
	if (!p->anew && a == wa && b == wb && compares_alike(in, was))
		return true;
	return d->end.n && d->index < 193 && begins(name, "v_cmp_lt_u32") && b == d->end.first &&
	       a < 193 && a >= d->index;
}

/* Analyzes a compare for equality. Returns the vector register and the compared bits of it, which
 * are all or selected by v_and in the same block. Returns false for other compares, and if some
 * line writes the register. */
static bool
bits_compared(const struct side *d, uint32_t line, const struct gcn_insn *in, uint32_t *reg, uint32_t *bits,
	      uint32_t *value)
{
	uint32_t a, b;

	if (in->form != GCN_FORM_BASE ||
	    (!begins(gcn_row_name(&gcn_rows[in->row]), "v_cmp_eq_u32") && !begins(gcn_row_name(&gcn_rows[in->row]), "v_cmpx_eq_u32")))
		return false;
	compared(in, &a, &b);
	if (b < 256) {
		uint32_t swap = a;
		a = b;
		b = swap;
	}
	if (b < 256 || a < 128 || a > 192)
		return false;
	*value = a - 128;
	*bits = UINT32_MAX;
	*reg = b;
	struct gcn_range v = { .file = FILE_V, .first = (uint16_t)(b - 256), .n = 1, .half = 3 };
	for (uint32_t k = line; k-- > d->c->f.block[d->c->f.line[line].block].first;) {
		const struct gcn_insn *of = &d->c->f.line[k].insn;
		if (!side_writes(d->c, k, &v))
			continue;
		if (gcn_rows[of->row].format != GCN_VOP2 || of->form != GCN_FORM_BASE ||
		    !begins(gcn_row_name(&gcn_rows[of->row]), "v_and_b32") || of->field[GCN_F_SRC0] < 128 ||
		    of->field[GCN_F_SRC0] > 192)
			return false;
		*bits = of->field[GCN_F_SRC0] - 128;
		*reg = 256 + of->field[GCN_F_VSRC1];
		break;
	}
	v.first = (uint16_t)(*reg - 256);
	for (uint32_t k = 0; k < d->c->f.n_line; k++)
		if (side_writes(d->c, k, &v))
			return false;
	return true;
}

/* Returns whether the compare is false because the hole's mask requires other bits of the
 * register. */
static bool
follows(const struct side *d, uint32_t line)
{
	uint32_t reg, bits, value, was_reg, was_bits, was_value;

	if (d->made == GCN_NOWHERE ||
	    !bits_compared(d, d->made, &d->c->f.line[d->made].insn, &was_reg, &was_bits, &was_value) ||
	    !bits_compared(d, line, &d->c->f.line[line].insn, &reg, &bits, &value))
		return false;
	return reg == was_reg && (bits & was_bits) == was_bits && (value & was_bits) == was_value;
}

bool
side_fails(const struct side *d, const struct pair *p, uint32_t line)
{
	return is_false(d, p, &d->c->f.line[line].insn) || follows(d, line);
}

/* -- The hole -------------------------------------------------------------------------------- */

static bool
source_of(const struct mutant_code *c, uint32_t line, struct gcn_range *out)
{
	struct gcn_effect fx;

	gcn_effect_of(c->t, &c->f.line[line].insn, &fx);
	for (unsigned i = 0; i < fx.n_range; i++)
		if (fx.range[i].role == ROLE_SRC0 && fx.range[i].file == FILE_S) {
			*out = fx.range[i];
			return true;
		}
	return false;
}

static const char *
name_of(const struct mutant_code *c, uint32_t line)
{
	return gcn_row_name(&gcn_rows[c->f.line[line].insn.row]);
}

/* Returns the last line before `line` that writes exec, if every path to `line` passes it and then
 * stays between the two; else GCN_NOWHERE. */
static uint32_t
exec_before(const struct mutant_code *c, uint32_t line)
{
	static const struct gcn_range exec = { .file = FILE_S, .first = GCN_EXEC, .n = 2, .half = 3 };
	uint32_t from = line;

	while (from && !side_writes(c, from - 1, &exec))
		from--;
	if (!from--)
		return GCN_NOWHERE;
	for (uint32_t k = 0; k < c->f.n_line; k++) {
		uint32_t to = c->f.line[k].target;
		if (to != GCN_NOWHERE && to > from && to <= line && (k < from || k >= line))
			return GCN_NOWHERE;
	}
	return from;
}

static bool
kept(const struct mutant_code *c, uint32_t from, uint32_t to, const struct gcn_range *what)
{
	for (uint32_t k = from + 1; k < to; k++)
		if (side_writes(c, k, what))
			return false;
	return true;
}

/* Notes that the mask contains the lanes whose index is below an end: v_cmp_gt mask, end, index or
 * v_cmp_lt mask, index, end. Index and end must be unchanged at the hole. */
static void
note_end(struct side *d, struct pair *p, uint32_t line)
{
	const struct gcn_insn *in = &d->c->f.line[line].insn;
	const char *name = gcn_row_name(&gcn_rows[in->row]);
	bool lt = begins(name, "v_cmp_lt_u32") || begins(name, "v_cmpx_lt_u32");
	bool gt = begins(name, "v_cmp_gt_u32") || begins(name, "v_cmpx_gt_u32");
	uint32_t a, b;
	struct gcn_range index = { .file = FILE_V, .n = 1, .half = 3 };
	struct gcn_range end = { .file = FILE_S, .n = 1, .half = 3 };

	if (in->form != GCN_FORM_BASE || (!lt && !gt))
		return;
	compared(in, &a, &b);
	uint32_t limit = gt ? a : b, of = gt ? b : a;
	if (limit >= 106 || of == GCN_LITERAL)
		return;
	end.first = (uint16_t)limit;
	index.first = (uint16_t)(of - 256);
	if (!kept(d->c, line, d->hole, &end) || (of >= 256 && !kept(d->c, line, d->hole, &index)) ||
	    (of < 256 && of < 128))
		return;
	d->index = of;
	d->end = end;
	if (of >= 256)
		side_put(p, &index, PAST);
}

static void
note_compare(struct side *d, struct pair *p, uint32_t line)
{
	if (!begins(name_of(d->c, line), "v_cmp"))
		return;
	d->made = line;
	for (uint32_t k = line; k < d->hole; k++)
		p->anew |= side_writes_source(d->c, k, line);
}

static void
note_mask(struct side *d, struct pair *p, uint32_t from, const struct gcn_range *mask)
{
	for (uint32_t k = from; k-- > d->c->f.block[d->c->f.line[from].block].first;)
		if (side_writes(d->c, k, mask)) {
			note_compare(d, p, k);
			note_end(d, p, k);
			return;
		}
}

/* exec = save, after save = exec, exec &= mask: the other lanes are in save and not in the mask. */
static void
hole_restores(struct side *d, struct pair *p)
{
	uint32_t from = exec_before(d->c, d->hole);
	struct gcn_range save, mask, saved = { .file = FILE_S, .n = 1, .half = 3 };

	if (from == GCN_NOWHERE || !begins(name_of(d->c, from), "s_and_saveexec") ||
	    !source_of(d->c, d->hole, &save) || !source_of(d->c, from, &mask))
		return;
	saved.first = (uint16_t)d->c->f.line[from].insn.field[GCN_F_SDST];
	if (saved.first == save.first && !gcn_overlap(&save, &mask) && kept(d->c, from, d->hole, &save) &&
	    kept(d->c, from, d->hole, &mask))
		side_put(p, &mask, CLEAR);
	else
		return;
	note_mask(d, p, from, &mask);
}

/* exec = mask, from a compare by the lanes that are active until the hole. The other lanes are
 * those for which it is false. */
static bool
hole_narrows(struct side *d, struct pair *p)
{
	static const struct gcn_range exec = { .file = FILE_S, .first = GCN_EXEC, .n = 2, .half = 3 };
	struct gcn_range mask;

	if (!source_of(d->c, d->hole, &mask))
		return false;
	for (uint32_t k = d->hole; k-- > d->c->f.block[d->c->f.line[d->hole].block].first;) {
		if (side_writes(d->c, k, &exec))
			return false;
		if (!side_writes(d->c, k, &mask))
			continue;
		if (!begins(name_of(d->c, k), "v_cmp"))
			return false;
		side_put(p, &mask, CLEAR);
		note_mask(d, p, d->hole, &mask);
		return true;
	}
	return false;
}

/* save = exec, exec &= mask: the other lanes are not in the mask. If exec was just copied from
 * save, save has the value that it would get. */
static void
hole_saves(struct side *d, struct pair *p)
{
	uint32_t from = exec_before(d->c, d->hole);
	struct gcn_range mask, save;

	if (source_of(d->c, d->hole, &mask)) {
		side_put(p, &mask, CLEAR);
		note_mask(d, p, d->hole, &mask);
	}
	if (from != GCN_NOWHERE && begins(name_of(d->c, from), "s_mov_b") &&
	    source_of(d->c, from, &save) && kept(d->c, from, d->hole, &save) &&
	    save.first == d->c->f.line[d->hole].insn.field[GCN_F_SDST])
		side_put(p, &save, SAME);
}

void
side_begin(struct side *d, struct pair *p)
{
	const char *name = name_of(d->c, d->hole);
	struct gcn_effect fx;

	memset(p, 0, sizeof *p);
	p->seen = true;
	gcn_effect_of(d->c->t, &d->c->f.line[d->hole].insn, &fx);
	for (unsigned i = 0; i < fx.n_range; i++)
		if (fx.range[i].access & GCN_WRITE)
			side_put(p, &fx.range[i], is_exec(&fx.range[i]) ? OTHER : WRONG);
	if (begins(name, "v_cmpx"))
		note_end(d, p, d->hole);
	else if (begins(name, "s_mov_b") && !hole_narrows(d, p))
		hole_restores(d, p);
	else if (begins(name, "s_and_saveexec"))
		hole_saves(d, p);
}
