/* Assembler restrictions on vector arithmetic; see strict.c. */
#include "effect.h"
#include "strict.h"

/* -- Number of scalars --------------------------------------------------------- */

/* Returns true for registers, and for values that are read like registers. */
static bool
takes_bus(const struct strict *s, uint32_t v)
{
	return (v < 128 && v != gcn_null_of(s->t)) || (v >= 230 && v <= 239 && v != 233 && v != 234) ||
	       (v >= 251 && v <= 253);
}

/* Returns true for instructions that read vcc implicitly. */
static bool
reads_vcc(const struct strict *s)
{
	switch (s->in->row) {
	case GCN_v_div_fmas_f32:
	case GCN_v_div_fmas_f64:
	case GCN_v_dual_cndmask_b32:
		return true;
	default:
		return gcn_second_row(s->t, s->in) == &gcn_rows[GCN_v_dual_cndmask_b32];
	}
}

/* Each register counts once; a pair and one of its halves count as two. A read-only value
 * counts once, whatever its width. A literal counts once for each size in which it is
 * read. */
static bool
bus_overrun(const struct strict *s)
{
	unsigned limit = s->t->gen < GCN_G10 || s->row->shape == SH_V2_VSB32_VSB64 ? 1 : 2;
	uint32_t seen[GCN_MAX_VIEWS + 1], key;
	unsigned n = 0, sizes = 0, k;
	/* An implicit read covers the pair, even in waves of 32. */
	const unsigned vcc = 106u << 8 | 2;

	if (reads_vcc(s))
		seen[n++] = vcc;
	for (unsigned i = 0; i < s->n; i++) {
		const struct gcn_view *o = &s->op[i];
		if (o->kind.bank == BANK_LIT32 || o->kind.bank == BANK_LIT16) {
			sizes |= 1;
			continue;
		}
		if (o->kind.bank == BANK_VCC ? i < 2 : o->src < 0 || !gcn_is_scalar_bank(o->kind.bank))
			continue;
		/* The lane index in m0 is not read over the bus. */
		if (s->in->row == GCN_v_writelane_b32 && o->src == 1 && o->v == 124)
			continue;
		if (o->v == GCN_LITERAL)
			sizes |= o->kind.n;
		if (!takes_bus(s, o->v))
			continue;
		key = o->kind.bank == BANK_VCC ? vcc : o->v << 8 | (o->v < 128 ? o->kind.n : 0);
		for (k = 0; k < n && seen[k] != key; k++)
			;
		if (k == n)
			seen[n++] = key;
	}
	return n + (sizes & 1) + (sizes >> 1) > limit;
}

/* -- Literals ------------------------------------------------------------------ */

bool
gcn_half_literal_too_wide(const struct strict *s)
{
	uint32_t v = s->in->field[GCN_F_LIT];

	if (v >> 16 == 0 || (v >> 15) == 0x1ffff)
		return false;
	for (unsigned i = 0; i < s->n; i++) {
		unsigned type = s->op[i].kind.type;
		if (s->op[i].kind.bank == BANK_LIT16 ||
		    (s->op[i].v == GCN_LITERAL &&
		     (type == T_B16 || type == T_F16 || type == T_BF16)))
			return true;
	}
	return false;
}

/* Sources that accept constants but no literal. */
static bool
literal_misplaced(const struct strict *s)
{
	switch (s->in->row) {
	case GCN_v_readlane_b32:
	case GCN_v_writelane_b32:
		return s->in->field[GCN_F_SRC1] == GCN_LITERAL;
	default:
		return false;
	}
}

/* Checks 64-bit literals, for which the literal word is the upper half. */
static bool
literal_modified(const struct strict *s)
{
	for (unsigned i = 0; i < s->n; i++) {
		const struct gcn_view *o = &s->op[i];
		uint32_t mods = s->in->field[GCN_F_NEG] |
				(gcn_row_mods(s->row) & M_VOP3B ? 0 : s->in->field[GCN_F_ABS]);
		if (o->v == GCN_LITERAL && o->kind.type == T_F64 && o->src >= 0 && (mods >> o->src & 1))
			return true;
	}
	return false;
}

/* -- lds_direct ---------------------------------------------------------------- */

enum { LDS_DIRECT = 254 };

static bool
lds_direct(const struct strict *s)
{
	for (unsigned i = 0; i < s->n; i++) {
		if (s->op[i].v == LDS_DIRECT)
			return true;
	}
	return false;
}

/* lds_direct must be the first source, and the instruction must not swap its operands. */
static bool
lds_direct_misplaced(const struct strict *s)
{
	for (unsigned i = 0; i < s->n; i++) {
		if (s->op[i].src > 0 && s->op[i].v == LDS_DIRECT)
			return true;
	}
	return lds_direct(s) && (s->in->form == GCN_FORM_SDWA || (gcn_row_mods(s->row) & M_REVERSED));
}

/* -- DPP ----------------------------------------------------------------------- */

static bool
wide_dpp(const struct strict *s)
{
	for (unsigned i = 0; i < s->n; i++) {
		if (s->op[i].kind.n > 1 && s->op[i].v >= 256 && s->op[i].src >= 0)
			return true;
	}
	return false;
}

/* Some targets require a vector register in every source but the last. */
static bool
scalar_with_dpp(const struct strict *s)
{
	for (unsigned i = 0; i < s->n; i++) {
		if (s->in->form && s->op[i].src == 1 && s->op[i].v < 256)
			return !(s->t->features & GCN_DPP_SGPR);
	}
	return false;
}

/* -- Dual instructions --------------------------------------------------------- */

/* Vector registers that one half reads as its first, second and third source; -1: none. */
struct ports {
	int src[3];
};

static struct ports
ports_of(const struct strict *s, const struct gcn_row *r, bool second)
{
	struct ports p = { { -1, -1, -1 } };

	for (unsigned i = 0; i < s->n; i++) {
		const struct gcn_view *o = &s->op[i];
		if (gcn_is_second(o->field) != second || o->v < 256)
			continue;
		if (o->src >= 0)
			p.src[o->src] = (int)o->v - 256;
		else if (o->kind.bank != BANK_V)
			continue; /* a literal */
		else if (gcn_props_of((unsigned)(r - gcn_rows)).flags & E(TIED))
			p.src[2] = (int)o->v - 256;
	}
	if (r == &gcn_rows[GCN_v_dual_fmamk_f32]) {
		p.src[2] = p.src[1];
		p.src[1] = -1;
	}
	return p;
}

/* Registers are in four banks by number, or in two for the third source of VOPD. The registers of
 * a pair are in two banks. Two moves on gfx12 read through different ports, and on gfx1250 both
 * halves may read the same register. */
static bool
bank_conflict(const struct strict *s)
{
	bool short_form = s->row->format == GCN_VOPD, wide = s->op[0].kind.n > 1;
	const int banks[3] = { 3, 3, short_form ? 1 : 3 };
	const struct gcn_row *second = gcn_second_row(s->t, s->in);
	struct ports x = ports_of(s, s->row, false), y = ports_of(s, second, true);
	bool moves = s->row == second && (s->row == &gcn_rows[GCN_v_dual_mov_b32] ||
					  s->row == &gcn_rows[GCN_v_dual_mov_b32_vopd3]);

	for (int i = s->t->gen >= GCN_G12 && moves; i < 3; i++) {
		int d = x.src[i] ^ y.src[i];
		if (x.src[i] < 0 || y.src[i] < 0 || (s->t->gen == GCN_G125 && !d && !wide))
			continue;
		if (!(d & banks[i]) || (wide && !(((x.src[i] + 1) ^ y.src[i]) & banks[i])))
			return true;
	}
	return false;
}

/* Returns true if both halves write one register. The short form has an even and an odd one. */
static bool
results_overlap(const struct strict *s)
{
	unsigned y = s->in->field[GCN_F_Y_VDST], x = s->in->field[GCN_F_VDST];

	return y - x < s->op[0].kind.n;
}

/* -- Dot products and matrices ------------------------------------------------- */

static bool
dot_halves(const struct strict *s)
{
	return (gcn_row_mods(s->row) & M_DOTSEL) &&
	       ((s->in->field[GCN_F_OPSEL] & 7) || gcn_op_sel_hi(s->in) != 7);
}

/* The third source may be the result's registers, but must not overlap them partly: the
 * result is written while the source is still being read. */
static bool
result_overlaps(const struct strict *s)
{
	const struct gcn_view *d = &s->op[0], *c = &s->op[3];

	return s->n > 3 && d->kind.n > 4 && c->kind.n == d->kind.n && c->v >= 256 && d->v != c->v &&
	       d->v < c->v + c->kind.n && c->v < d->v + d->kind.n;
}

/* gfx908 reads a constant third source incorrectly. */
static bool
constant_added(const struct strict *s)
{
	return s->n > 3 && s->op[3].kind.bank == BANK_AC && s->op[3].v < 256;
}

static bool
accumulator_from_scalar(const struct strict *s)
{
	return s->in->row == GCN_v_accvgpr_write_b32 && s->op[1].v < 256 &&
	       (s->op[1].v < 128 || s->op[1].v > 208) && (s->op[1].v < 240 || s->op[1].v > 248);
}

/* LLVM decodes such an addend of v_fmamk_f64, but does not assemble it. */
static bool
odd_pair(const struct strict *s)
{
	const struct gcn_view *o = &s->op[s->n - 1];

	return s->n && (o->kind.flags & R_ODD) && (o->v & 1);
}

/* gfx1250 reads only one register of a scalar pair, for both halves of a packed instruction. */
static bool
scalar_pair_packed(const struct strict *s)
{
	for (unsigned i = 0; i < s->n; i++) {
		const struct gcn_view *o = &s->op[i];
		if (o->kind.type == T_V2F32 && takes_bus(s, o->v) &&
		    ((s->in->field[GCN_F_OPSEL] | gcn_op_sel_hi(s->in)) >> o->src & 1))
			return true;
	}
	return false;
}

/* Returns true for formats of matrices or scales that have no name. */
static bool
format_nameless(const struct strict *s)
{
	const uint32_t *f = s->in->field;

	if ((gcn_row_mods(s->row) & M_FMT) && ((f[GCN_F_OPSEL] & 7) > 4 || gcn_op_sel_hi(s->in) > 4))
		return true;
	return gcn_row_mods(s->row) & M_LDSCALE ? f[GCN_F_NEG] == 3 || f[GCN_F_ABS] == 3
					: f[GCN_F_SCALE_A] == 3 || f[GCN_F_SCALE_B] == 3;
}

/* -- Others -------------------------------------------------------------------- */

enum { LAST_ATTRIBUTE = 32 };

static bool
attribute_unsupported(const struct strict *s)
{
	for (unsigned i = 0; i < s->n; i++) {
		const struct gcn_view *o = &s->op[i];
		if (o->kind.bank == BANK_ATTR && o->v >> 2 > LAST_ATTRIBUTE)
			return true;
	}
	return false;
}

/* Returns true for VOP3 modifier bits that have no text. */
static bool
unseen_modifier(const struct strict *s)
{
	const uint32_t *f = s->in->field;
	uint64_t mods = gcn_row_mods(s->row);

	if (mods & (M_VOP3B | M_SCALESEL))
		return false;
	if (f[GCN_F_OPSEL] & ~gcn_sel_bits(s->t, s->row))
		return true;
	return !(mods & M_BITOP3) &&
	       ((f[GCN_F_ABS] & ~(mods / M_ABS0) & 7) || (f[GCN_F_NEG] & ~(mods / M_NEG0) & 7));
}

static const struct rule vector_rules[] = {
	{ VALU | F(VOP3PX) | F(VOP3PX16), ALL, SCALAR, HARDWARE, gcn_register_unsupported,
	  "the target has no such register" },
	{ VALU, ALL, EITHER, HARDWARE, bus_overrun,
	  "more scalar registers and literals than one instruction may read" },
	{ VALU, ALL, LITERAL, ASSEMBLER, gcn_half_literal_too_wide,
	  "the literal has more than 16 bits" },
	{ F(VOP3), ALL, LITERAL, HARDWARE, literal_misplaced, "the instruction takes no literal" },
	{ VALU, GFX90, DPP, HARDWARE, wide_dpp, "a 64-bit operation takes no DPP" },
	{ F(VOP3), GFX10 | GFX11 | GFX12, LITERAL, ASSEMBLER, literal_modified,
	  "a 64-bit literal takes no neg or abs" },
	{ F(VOP3P), GFX94, ANY, HARDWARE, dot_halves, "the dot product takes no op_sel" },
	{ F(VOP3P) | F(VOP3PX), GFX9, ANY, HARDWARE, result_overlaps,
	  "the third source overlaps the result" },
	{ F(VOP3P), C908, ANY, HARDWARE, constant_added,
	  "the third source of the matrix instruction cannot be a constant" },
	{ F(VOP3P), C908, SCALAR, HARDWARE, accumulator_from_scalar,
	  "expected a vector register or a constant" },
	{ F(VOP3) | F(VINTERP) | F(LDSDIR), ALL, ANY, HARDWARE, attribute_unsupported,
	  "the target has no such attribute" },
	{ F(VOP3), ALL, ANY, ASSEMBLER, unseen_modifier,
	  "a modifier of an operand that the instruction lacks" },
	{ F(VOP3) | F(VOP3P), GFX11, ANY, HARDWARE, scalar_with_dpp, "expected a vector register" },
	{ VALU, C90A | GFX94 | GFX11 | C1200, SCALAR, HARDWARE, lds_direct,
	  "the target has no lds_direct" },
	{ VALU, ALL & ~GFX125, SCALAR, HARDWARE, lds_direct_misplaced, "the instruction takes no lds_direct" },
	{ F(VOP2), GFX125, LITERAL, ASSEMBLER, odd_pair,
	  "the register tuple must begin at an even register" },
	{ F(VOP3P), GFX125, SCALAR, HARDWARE, scalar_pair_packed,
	  "op_sel and op_sel_hi of a scalar register must be clear here" },
	{ F(VOP3P) | F(VOP3PX) | F(VOP3PX16), GFX125, ANY, ASSEMBLER, format_nameless,
	  "the format of a matrix or of a scale has no name" },
	{ F(VOPD) | F(VOPD3), ALL, ANY, HARDWARE, bank_conflict,
	  "both halves read the same register bank" },
	{ F(VOPD3), ALL, ANY, HARDWARE, results_overlap, "both halves write one register" },
};
const struct rules gcn_vector_rules = {
	VALU | F(VOP3PX) | F(VOP3PX16) | F(VINTERP) | F(LDSDIR),
	QD_COUNT(vector_rules), vector_rules
};
