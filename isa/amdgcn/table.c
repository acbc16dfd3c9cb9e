/* The tables expanded, and the ways into them. */
#include "table.h"

const struct gcn_kind gcn_kinds[GCN_N_KIND] = {
#define KIND(id, bank, n, type, flags) { BANK_##bank, n, T_##type, flags },
#include "kind.def"
};

#define O(f, k) { GCN_F_##f, K_##k },
#define SHAPE(id, ops)                                                                             \
	{ .op = { ops },                                                                           \
	  .n_op = sizeof((struct gcn_operand[]){ ops { 0, 0 } }) / sizeof(struct gcn_operand) - 1 },
const struct gcn_shape gcn_shapes[GCN_N_SHAPE] = {
#define SHAPE_EMPTY(id) { .n_op = 0 },
#include "shape.def"
};
#undef O

/* Does a shape have its destination in scalar registers?  SCALAR_x is 1 then. */
enum {
#define KIND(id, bank, n, type, flags) BANK_OF_##id = BANK_##bank,
#include "kind.def"
#define IS_VECTOR(bank)                                                                            \
	((bank) == BANK_V || (bank) == BANK_VH || (bank) == BANK_VL || (bank) == BANK_VW ||        \
	 (bank) == BANK_A || (bank) == BANK_AC || (bank) == BANK_AV || (bank) == BANK_AVC ||       \
	 (bank) == BANK_VC)
#define O(f, k) | (GCN_F_##f == GCN_F_VDST && !IS_VECTOR(BANK_OF_##k))
#define SHAPE(id, ops) SCALAR_##id = 0 ops,
#define SHAPE_EMPTY(id) SCALAR_##id = 0,
#include "shape.def"
#define TWIN(e32, e64) SCALAR_##e32##_e64 = SCALAR_##e64,
#define HALVES(id, old, m9, gfx11, m11, gfx12, m12, e64, m64)                                      \
	SCALAR_##id##_old = 0, SCALAR_##id##_gfx11 = 0, SCALAR_##id##_gfx12 = 0,                   \
	SCALAR_##id##_e64 = SCALAR_##e64,
#include "shape.def"
#undef O
};

/* How a row is called: by its format, but for those of VOP3 and VOP3P that have another
 * kind of result. */
#define CALLED(fmt, shape, mods)                                                                   \
	(FMT_IS(fmt, VOP3) && ((mods) & M_VOP3B)	  ? CALL_VOP3B :                           \
	 FMT_IS(fmt, VOP3) && (SCALAR_##shape || ((mods) & M_CMPX)) ? CALL_VOP3S :                 \
	 FMT_IS(fmt, VOP3P) && ((mods) & M_MATRIX) ? CALL_MFMA :                                   \
						 (unsigned)GCN_##fmt)

/* Each row's numbers, worked out once for all tables. */
enum {
#define GCN(id, text, fmt, o9, o10, o11, o12, targets, sh, m, ...)                                 \
	HAS_##id = (targets), O9_##id = (o9), O10_##id = (o10), O11_##id = (o11), O12_##id = (o12), \
	CALLED_##id = CALLED(fmt, sh, m),
#include "insn.def"
};
/* The opcode on gfx9, where three generations have a column of it. */
#define OP9(id, gen) (HAS_##id & (gen) ? O9_##id : (int)NA)

#define GCN(id, text, fmt, o9, o10, o11, o12, targets, sh, m, dpp, fx)                             \
	{ .name = text, .format = GCN_##fmt, .effect = FX_##fx, .shape = SH_##sh, .has = HAS_##id, \
	  .op = { OP9(id, GFX90), OP9(id, C90A), OP9(id, GFX94), O10_##id, O11_##id, O12_##id },   \
	  .dpp16 = HAS_##id & (dpp) & WITH_DPP16(fmt), .dpp8 = HAS_##id & (dpp) & WITH_DPP8(fmt),  \
	  .sdwa = (dpp) & WITH_SDWA ? HAS_##id & (GFX9 | GFX10) : 0, .mods = m },
const struct gcn_row gcn_rows[GCN_N_ROW] = {
#include "insn.def"
};

/* What the modifiers of a format can be. */
#define MODS_MEMORY (M_STORE | M_ATOMIC | M_LDS | M_LDSONLY | M_FLOAT_ATOMIC)
#define MODS_VALU   (M_NEG0 | M_NEG1 | M_OMOD | M_INT0 | M_INT1 | M_WHOLE | M_HALVES | M_REVERSED)
#define MODS_VOP3                                                                                  \
	(M_F3 | M_SELS3 | M_OUT | M_SELANY | M_VOP3B | M_INT0 | M_INT1 | M_INT2 | M_CMPX |         \
	 M_HALVES | M_REVERSED | M_NOINT | M_SELNONE | M_SELQUIET | M_FIBC | M_FIBCWORD |          \
	 M_BYTESEL | M_SELTIED | M_HIGH | M_BITOP3 | M_CLAMPFIRST)
#define MODS_VOP3P                                                                                 \
	(M_DOT2 | M_CLANY | M_MIXSEL | M_HIONES | M_KEY | M_KEY64 | M_MFMA | M_NEGLIST | M_REVERSED)
#define MODS_OF(fmt)                                                                               \
	(FMT_IS(fmt, SMEM) ? M_CPOL :                                                              \
	 FMT_IS(fmt, DS) ? M_OFF | M_OFF2 | M_SWIZZLE | M_GDS | M_GDSONLY :                        \
	 FMT_IS(fmt, FLAT) || FMT_IS(fmt, GLOBAL) || FMT_IS(fmt, SCRATCH) ? MODS_MEMORY :          \
	 FMT_IS(fmt, MUBUF) || FMT_IS(fmt, MTBUF) ? MODS_MEMORY | M_CPOL :                         \
	 FMT_IS(fmt, VOP1) || FMT_IS(fmt, VOP2) || FMT_IS(fmt, VOPC) ? MODS_VALU :                 \
	 FMT_IS(fmt, VOPD) ? M_REVERSED :                                                          \
	 FMT_IS(fmt, VOP3) || FMT_IS(fmt, VINTERP) ? MODS_VOP3 :                                   \
	 FMT_IS(fmt, VOP3P) || FMT_IS(fmt, VOP3PX) ? MODS_VOP3P : 0)
#define GCN(id, text, fmt, o9, o10, o11, o12, targets, sh, m, ...)                                 \
	_Static_assert(((m) & ~MODS_OF(fmt)) == 0, text " has a modifier of another format");
#include "insn.def"

/* Of each row for a class of targets: the opcode, and above it how it is called, so that the
 * packer of another format finds bits too many; GCN_NA has them for all. */
enum {
	COLUMN_906, COLUMN_908, COLUMN_9G, COLUMN_90A, COLUMN_942, COLUMN_950, COLUMN_94G,
	COLUMN_1010, COLUMN_1011, COLUMN_1030, COLUMN_1100, COLUMN_1150, COLUMN_1200, N_COLUMN
};
#define CALL(class, id, op)                                                                        \
	[COLUMN_##class * GCN_N_ROW + GCN_##id] = HAS_##id & C##class && op##_##id != (int)NA ?    \
		(op##_##id & CALL_OP) | CALLED_##id << CALL_SHIFT : NA,
static const uint16_t calls[N_COLUMN * GCN_N_ROW] = {
#define GCN(id, ...)                                                                               \
	CALL(906, id, O9) CALL(908, id, O9) CALL(9G, id, O9) CALL(90A, id, O9) CALL(942, id, O9)   \
	CALL(950, id, O9) CALL(94G, id, O9) CALL(1010, id, O10) CALL(1011, id, O10)                \
	CALL(1030, id, O10) CALL(1100, id, O11) CALL(1150, id, O11) CALL(1200, id, O12)
#include "insn.def"
};

const uint16_t *
gcn_calls_of(const struct gcn_target *t)
{
	static const uint32_t class_bit[N_COLUMN] = { C906, C908, C9G, C90A, C942, C950, C94G,
						      C1010, C1011, C1030, C1100, C1150, C1200 };
	unsigned i = 0;

	while (class_bit[i] != t->class_bit)
		i++;
	return calls + i * GCN_N_ROW;
}

#define N_BITS(...) (sizeof((struct gcn_bits[]){ __VA_ARGS__ }) / sizeof(struct gcn_bits))
#define F(f, lo, width) { GCN_F_##f, lo, width, 0 },
#define F_LOW(f, lo, width) { GCN_F_##f, lo, width, 0 },
#define F_FROM(f, lo, width, from) { GCN_F_##f, lo, width, from },
#define FORMAT(fmt, gens, n, mask, match, fields)                                                  \
	{ GCN_##fmt, gens, n, N_BITS(fields), mask, match, 0, 0, 0, { fields } },
#define FORMAT1(fmt, gens, n, mask, match, set1, fields)                                           \
	{ GCN_##fmt, gens, n, N_BITS(fields), mask, match, 0, 0, set1, { fields } },
#define FORMAT2(fmt, gens, n, mask, match, mask2, match2, fields)                                  \
	{ GCN_##fmt, gens, n, N_BITS(fields), mask, match, mask2, match2, 0, { fields } },
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
enum { SLOTS = GCN_N_FORMAT * 256 + 1024, N_SLOT = SLOTS + GCN_N_ROW };
#define SLOT(gen, fmt, op, id)                                                                     \
	[GCN_##gen * N_SLOT +                                                                      \
	 ((op) == (int)NA ? SLOTS + (int)GCN_##id : GCN_##fmt * 256 + (op))] = GCN_##id + 1,
static const uint16_t row_of[GCN_N_GEN * N_SLOT] = {
#define GCN(id, text, fmt, ...)                                                                    \
	SLOT(G9, fmt, OP9(id, GFX90), id) SLOT(G90A, fmt, OP9(id, C90A), id)                       \
	SLOT(G94, fmt, OP9(id, GFX94), id) SLOT(G10, fmt, O10_##id, id)                            \
	SLOT(G11, fmt, O11_##id, id) SLOT(G12, fmt, O12_##id, id)
#define GCN_ALT(...)
#include "insn.def"
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
	unsigned row = row_of[t->gen * N_SLOT + format * 256 + op];

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
#define PLACE(gen, fmt, gens, layout)                                                              \
	[GCN_##gen][(gens) >> GCN_##gen & 1 ? GCN_##fmt : GCN_N_LAYOUT_FORMAT + layout] = layout + 1,
static const uint8_t layout_of[GCN_N_GEN][GCN_N_LAYOUT_FORMAT + N_LAYOUTS] = {
#define FORMAT(fmt, gens, ...)                                                                     \
	PLACE(G9, fmt, gens, LINE_NAME(__LINE__)) PLACE(G90A, fmt, gens, LINE_NAME(__LINE__))      \
	PLACE(G94, fmt, gens, LINE_NAME(__LINE__)) PLACE(G10, fmt, gens, LINE_NAME(__LINE__))      \
	PLACE(G11, fmt, gens, LINE_NAME(__LINE__)) PLACE(G12, fmt, gens, LINE_NAME(__LINE__))
#include "format.def"
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
