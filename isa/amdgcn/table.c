/* Expands the .def files to tables; lookup.c searches them. */
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

/* The traits, and TRAITS_ of each row. */
#include "traits.inc"

/* Evaluates the numbers of each row once. */
enum {
#define GCN(id, text, fmt, o9, o10, o11, o12, ...)                                                 \
	O9_##id = (o9), O10_##id = (o10), O11_##id = (o11), O12_##id = (o12),
#include "insn.def"
};

/* The names, one after the other: a row has an offset, since a pointer takes eight bytes and a relocation. */
struct names {
#define GCN(id, text, ...) char id[sizeof(text)];
#include "insn.def"
};
static const struct names names = {
#define GCN(id, text, ...) text,
#include "insn.def"
};
_Static_assert(sizeof names <= UINT16_MAX, "name_at has 16 bits");

const char *
gcn_row_name(const struct gcn_row *row)
{
	return (const char *)&names + row->name_at;
}

#define GCN(id, text, fmt, o9, o10, o11, o12, targets, sh, m, dpp, fx)                             \
	{ .name_at = offsetof(struct names, id), .format = GCN_##fmt, .effect = FX_##fx, .shape = SH_##sh, \
	  .op = { O9_##id, O9_##id, O9_##id, O10_##id, O11_##id, O12_##id, O12_##id },             \
	  .traits = TRAITS_##id },
const struct gcn_row gcn_rows[GCN_N_ROW] = {
#include "insn.def"
};

/* The modifiers that rows of each format may have. */
#define MODS_MEMORY (M_STORE | M_ATOMIC | M_LDS | M_LDSONLY | M_FLOAT_ATOMIC)
#define MODS_VALU   (M_NEG0 | M_NEG1 | M_OMOD | M_INT0 | M_INT1 | M_WHOLE | M_HALVES | M_REVERSED)
#define MODS_VOP3                                                                                  \
	(M_F3 | M_SELS3 | M_OUT | M_SELANY | M_VOP3B | M_INT0 | M_INT1 | M_INT2 | M_CMPX |         \
	 M_HALVES | M_REVERSED | M_NOINT | M_SELNONE | M_SELQUIET | M_FIBC | M_FIBCWORD |          \
	 M_BYTESEL | M_SELTIED | M_HIGH | M_BITOP3 | M_CLAMPFIRST | M_SCALESEL | M_BYTEHIGH)
#define MODS_VOP3P                                                                                 \
	(M_DOT2 | M_CLANY | M_MIXSEL | M_HIONES | M_KEY | M_KEY64 | M_MFMA | M_NEGLIST |        \
	 M_REVERSED | M_FMT | M_REUSE | M_LDSCALE)
#define MODS_OF(fmt)                                                                               \
	(FMT_IS(fmt, SMEM) ? M_CPOL :                                                              \
	 FMT_IS(fmt, DS) ? M_OFF | M_OFF2 | M_SWIZZLE | M_GDS | M_GDSONLY :                        \
	 FMT_IS(fmt, FLAT) || FMT_IS(fmt, GLOBAL) || FMT_IS(fmt, SCRATCH) ? MODS_MEMORY :          \
	 FMT_IS(fmt, TENSOR) ? M_STORE :                                                          \
	 FMT_IS(fmt, MUBUF) || FMT_IS(fmt, MTBUF) ? MODS_MEMORY | M_CPOL :                         \
	 FMT_IS(fmt, VOP1) || FMT_IS(fmt, VOP2) || FMT_IS(fmt, VOPC) ? MODS_VALU :                 \
	 FMT_IS(fmt, VOPD3) ? M_F3 | M_BITOP3 | M_FIRST | M_SECOND | M_REVERSED :                 \
	 FMT_IS(fmt, VOPD) ? M_REVERSED :                                                          \
	 FMT_IS(fmt, VOP3) || FMT_IS(fmt, VINTERP) ? MODS_VOP3 :                                   \
	 FMT_IS(fmt, VOP3P) || FMT_IS(fmt, VOP3PX) || FMT_IS(fmt, VOP3PX16) ? MODS_VOP3P : 0)
#define GCN(id, text, fmt, o9, o10, o11, o12, targets, sh, m, ...)                                 \
	_Static_assert(((m) & ~MODS_OF(fmt)) == 0, text " has a modifier of another format");
#include "insn.def"

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
const size_t gcn_n_layouts = QD_COUNT(gcn_layouts);
