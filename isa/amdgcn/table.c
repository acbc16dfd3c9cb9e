/* The tables expanded, and the ways into them. */
#include "table.h"

const struct gcn_kind gcn_kinds[GCN_N_KIND] = {
#define KIND(id, bank, n, type, flags) { BANK_##bank, n, T_##type, flags },
#include "kind.def"
};

#define O(f, k) { F_##f, K_##k },
#define SHAPE(id, ops)                                                                             \
	{ .op = { ops },                                                                           \
	  .n_op = sizeof((struct gcn_operand[]){ ops { 0, 0 } }) / sizeof(struct gcn_operand) - 1 },
const struct gcn_shape gcn_shapes[GCN_N_SHAPE] = {
#define SHAPE_EMPTY(id) { .n_op = 0 },
#include "shape.def"
};
#undef O

/* The opcode of a row on the targets `of`. */
#define OP(has, of, op) ((has) & (of) ? (op) : NA)
#define OPS(has, o9, o10, o11, o12)                                                                \
	{ OP(has, GFX90, o9), OP(has, C90A, o9), OP(has, GFX94, o9), o10, o11, o12 }
#define GCN(id, text, fmt, o9, o10, o11, o12, hasm, sh, m, dpp, fx)                                \
	{ .name = text, .format = fmt, .effect = FX_##fx, .shape = SH_##sh, .op = OPS(hasm, o9, o10, o11, o12),        \
	  .has = hasm, .mods = m, .dpp16 = (hasm) & (dpp) & GCN_DPP16(fmt),                          \
	  .dpp8 = (hasm) & (dpp) & GCN_DPP8(fmt),                                                  \
	  .sdwa = (dpp) & WITH_SDWA ? (hasm) & (GFX9 | GFX10) : 0 },
const struct gcn_row gcn_rows[GCN_N_ROW] = {
#include "insn.def"
};

#define N_BITS(...) (sizeof((struct gcn_bits[]){ __VA_ARGS__ }) / sizeof(struct gcn_bits))
#define F(f, lo, width) { F_##f, lo, width, 0 },
#define F_LOW(f, lo, width) { F_##f, lo, width, 0 },
#define F_FROM(f, lo, width, from) { F_##f, lo, width, from },
#define FORMAT(fmt, gens, n, mask, match, fields)                                                  \
	{ fmt, gens, n, N_BITS(fields), mask, match, 0, 0, 0, { fields } },
#define FORMAT1(fmt, gens, n, mask, match, set1, fields)                                           \
	{ fmt, gens, n, N_BITS(fields), mask, match, 0, 0, set1, { fields } },
#define FORMAT2(fmt, gens, n, mask, match, mask2, match2, fields)                                  \
	{ fmt, gens, n, N_BITS(fields), mask, match, mask2, match2, 0, { fields } },
const struct gcn_layout gcn_layouts[] = {
#include "format.def"
};
#undef F
#undef F_LOW
#undef F_FROM
const size_t gcn_n_layouts = sizeof gcn_layouts / sizeof *gcn_layouts;

/* Row numbers by generation, format and opcode; 0 is none.  A row that a
 * generation has not falls behind the end, each to a place of its own, so that
 * two rows on one opcode are an error of the compiler. */
enum { SLOTS = GCN_N_FORMAT * 256 + 1024 };
#define SLOT(fmt, op, id) [(op) == GCN_NA ? SLOTS + GCN_##id : (fmt) * 256 + (op)] = GCN_##id + 1,
static const uint16_t row_of[GCN_N_GEN][SLOTS + GCN_N_ROW] = {
	{
#define GCN(id, text, fmt, o9, o10, o11, o12, has, ...) SLOT(fmt, OP(has, GFX90, o9), id)
#define GCN_ALT(...)
#include "insn.def"
	},
	{
#define GCN(id, text, fmt, o9, o10, o11, o12, has, ...) SLOT(fmt, OP(has, C90A, o9), id)
#define GCN_ALT(...)
#include "insn.def"
	},
	{
#define GCN(id, text, fmt, o9, o10, o11, o12, has, ...) SLOT(fmt, OP(has, GFX94, o9), id)
#define GCN_ALT(...)
#include "insn.def"
	},
	{
#define GCN(id, text, fmt, o9, o10, o11, o12, has, ...) SLOT(fmt, o10, id)
#define GCN_ALT(...)
#include "insn.def"
	},
	{
#define GCN(id, text, fmt, o9, o10, o11, o12, has, ...) SLOT(fmt, o11, id)
#define GCN_ALT(...)
#include "insn.def"
	},
	{
#define GCN(id, text, fmt, o9, o10, o11, o12, has, ...) SLOT(fmt, o12, id)
#define GCN_ALT(...)
#include "insn.def"
	},
};

/* How many rows at the end of the table share an opcode with an earlier one. */
enum {
	N_ALT = 0
#define GCN(...)
#define GCN_ALT(...) +1
#include "insn.def"
};

unsigned
gcn_row_find(const struct gcn_target *t, unsigned format, unsigned op)
{
	unsigned row = row_of[t->gen][format * 256 + op];

	if (row && (gcn_rows[row - 1].has & t->class_bit))
		return row - 1;
	for (row = GCN_N_ROW - N_ALT; row < GCN_N_ROW; row++) {
		const struct gcn_row *r = &gcn_rows[row];
		if (r->format == format && r->op[t->gen] == op && (r->has & t->class_bit))
			return row;
	}
	return GCN_N_ROW;
}

/* Places of layouts plus 1 by generation and format.  A row of format.def is known
 * by its line; where a generation has it not, it falls behind the end. */
#define LINE_NAME_(line) LAYOUT_##line
#define LINE_NAME(line) LINE_NAME_(line)
enum {
#define FORMAT(...) LINE_NAME(__LINE__),
#include "format.def"
	N_LAYOUTS
};
#define PLACE(fmt, gens, bit, layout)                                                              \
	[(gens) & (bit) ? fmt : GCN_N_LAYOUT_FORMAT + layout] = layout + 1,
static const uint8_t layout_of[GCN_N_GEN][GCN_N_LAYOUT_FORMAT + N_LAYOUTS] = {
	{
#define FORMAT(fmt, gens, ...) PLACE(fmt, gens, B9, LINE_NAME(__LINE__))
#include "format.def"
	},
	{
#define FORMAT(fmt, gens, ...) PLACE(fmt, gens, B90A, LINE_NAME(__LINE__))
#include "format.def"
	},
	{
#define FORMAT(fmt, gens, ...) PLACE(fmt, gens, B94, LINE_NAME(__LINE__))
#include "format.def"
	},
	{
#define FORMAT(fmt, gens, ...) PLACE(fmt, gens, B10, LINE_NAME(__LINE__))
#include "format.def"
	},
	{
#define FORMAT(fmt, gens, ...) PLACE(fmt, gens, B11, LINE_NAME(__LINE__))
#include "format.def"
	},
	{
#define FORMAT(fmt, gens, ...) PLACE(fmt, gens, B12, LINE_NAME(__LINE__))
#include "format.def"
	},
};

unsigned
gcn_opcode(const struct gcn_target *t, unsigned row)
{
	return gcn_rows[row].op[t->gen];
}

const struct gcn_layout *
gcn_layout_of(const struct gcn_target *t, unsigned format)
{
	unsigned i = layout_of[t->gen][format];

	return i ? &gcn_layouts[i - 1] : NULL;
}
