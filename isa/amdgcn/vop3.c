/* Modifiers of two-word instructions: which bits of op_sel, neg, abs and clamp are used, which
 * are ignored, and which must be clear. */
#include "table.h"

/* Sources of each shape: one bit per source except lane masks, which take no modifier, and
 * HALVES if the text names halves of an operand. */
enum { HALVES = 8 };
enum {
#define KIND(id, bank, n, type, flags) BANK_OF_##id = BANK_##bank,
#include "kind.def"
};
#define IS_BANK(k, bank) ((int)BANK_OF_##k == (int)BANK_##bank)
static const uint8_t source_bits[GCN_N_SHAPE] = {
#define O(f, k)                                                                                    \
	| (IS_BANK(k, M) ? 0 :                                                                     \
	   GCN_F_##f == GCN_F_SRC0 ? 1 :                                                           \
	   GCN_F_##f == GCN_F_SRC1 ? 2 :                                                           \
	   GCN_F_##f == GCN_F_SRC2 ? 4 : 0) | (IS_BANK(k, VH) || IS_BANK(k, VSH) ? HALVES : 0)
#define SHAPE(id, ops) [SH_##id] = 0 ops,
#define SHAPE_EMPTY(id) [SH_##id] = 0,
#include "shape.def"
#undef O
};

unsigned
gcn_sel_bits(const struct gcn_target *t, const struct gcn_row *r)
{
	unsigned own = gcn_row_mods(r) / M_SEL0 & 15;
	const struct gcn_shape *s = &gcn_shapes[r->shape];

	if (own || !(t->features & GCN_TRUE16) || (gcn_row_mods(r) & M_VOP3B) ||
	    !(source_bits[r->shape] & HALVES))
		return own;
	return (source_bits[r->shape] & 7) |
	       (s->op[0].field == GCN_F_VDST && s->op[0].kind != K_M ? 8 : 0);
}

bool
gcn_has_halves(const struct gcn_target *t, const struct gcn_insn *in)
{
	const struct gcn_row *r = &gcn_rows[in->row];

	if (r->format != GCN_VOP3)
		return true;
	if (!(t->features & GCN_TRUE16))
		return false;
	return !in->field[GCN_F_OPSEL] || (gcn_row_mods(r) & M_SELS3) ||
	       !(in->field[GCN_F_OPSEL] & ~gcn_sel_bits(t, r));
}

static const char *
check_lane_mask(const struct gcn_row *r, const struct gcn_insn *in)
{
	if (!(gcn_row_mods(r) & M_CLAMP) && in->field[GCN_F_CLAMP])
		return "the instruction takes no clamp";
	if (in->field[GCN_F_NEG] & ~(gcn_row_mods(r) / M_NEG0) & 7)
		return "the instruction takes no neg";
	if (!(gcn_row_mods(r) & M_OMOD) && in->field[GCN_F_OMOD])
		return "the instruction takes no output modifier";
	return NULL;
}

const char *
gcn_vop3_check(const struct gcn_target *t, const struct gcn_row *r, const struct gcn_insn *in)
{
	unsigned sel = gcn_sel_bits(t, r), stray = in->field[GCN_F_OPSEL] & ~sel, unread;

	if (gcn_row_mods(r) & M_VOP3B)
		return check_lane_mask(r, in);
	if (in->field[GCN_F_VDST] && !(gcn_row_mods(r) & M_CMPX) &&
	    (!gcn_shapes[r->shape].n_op || gcn_shapes[r->shape].op[0].field != GCN_F_VDST))
		return "unused bits must be clear";
	if (stray && (gcn_row_mods(r) & (M_SELS3 | M_SELNONE)) && !(gcn_row_mods(r) & M_SELANY))
		return "the instruction takes no op_sel";
	if (!(gcn_row_mods(r) & (M_CLAMP | M_CLAMPFIRST)) && in->field[GCN_F_CLAMP])
		return "the instruction takes no clamp";
	if (gcn_row_mods(r) & M_BITOP3)
		return NULL;
	unread = gcn_row_mods(r) / M_INT0 & 7;
	/* From gfx11 on, neg and abs may be set for each source of an instruction with op_sel. */
	if (t->gen >= GCN_G11 && sel && !(gcn_row_mods(r) & M_NOINT) && (!stray || (gcn_row_mods(r) & M_SELANY)))
		unread |= source_bits[r->shape] & 7;
	if (in->field[GCN_F_ABS] & ~(gcn_row_mods(r) / M_ABS0 | unread) & 7)
		return "the instruction takes no abs";
	if (in->field[GCN_F_NEG] & ~(gcn_row_mods(r) / M_NEG0 | unread) & 7)
		return "the instruction takes no neg";
	if (!(gcn_row_mods(r) & M_OMOD) && in->field[GCN_F_OMOD])
		return "the instruction takes no output modifier";
	return NULL;
}

const char *
gcn_packed_check(const struct gcn_target *t, const struct gcn_row *r, const struct gcn_insn *in)
{
	uint32_t sel = in->field[GCN_F_OPSEL] & 7;

	if (gcn_row_mods(r) & M_MATRIX) {
		if (!(gcn_row_mods(r) & M_ABID) && r->format == GCN_VOP3P && in->field[GCN_F_ABID])
			return "the instruction takes no abid";
		if (!(gcn_row_mods(r) & (M_BLGP | M_NEGLIST)) && in->field[GCN_F_BLGP])
			return "the instruction takes no blgp";
		return NULL;
	}
	if ((in->field[GCN_F_VDST] && gcn_shapes[r->shape].op[0].field != GCN_F_VDST) ||
	    ((gcn_row_mods(r) & M_LDSCALE) && in->field[GCN_F_OMOD] > 1) ||
	    (gcn_is_scaled(r->format) && ((in->field[GCN_F_SCALE_SEL] & 2) ||
				       in->field[GCN_F_SELHI] > 1 || in->field[GCN_F_SCALE_A] > 3)))
		return "unused bits must be clear";
	if (in->field[GCN_F_NEG_HI] & ~(gcn_row_mods(r) / M_ABS0) & 7)
		return "the instruction takes no neg_hi";
	if (in->field[GCN_F_NEG_LO] & ~(gcn_row_mods(r) / M_NEG0) & 7)
		return "the instruction takes no neg_lo";
	if (!(gcn_row_mods(r) & (M_CLAMP | M_CLANY)) && in->field[GCN_F_CLAMP])
		return "the instruction takes no clamp";
	if (gcn_row_mods(r) & (M_KEY | M_KEY64)) {
		unsigned n = gcn_row_mods(r) & M_KEY ? 1 : 0;
		if (t->wave == 64 && (gcn_row_mods(r) & M_KEY64))
			n++;
		if ((sel & (gcn_row_mods(r) & M_REUSE ? 3 : 7)) >> n)
			return "index_key is out of range";
	} else if (sel & ~(gcn_row_mods(r) / M_SEL0) & (gcn_row_mods(r) & M_FMT ? 0 : gcn_row_mods(r) & (M_REUSE | M_LDSCALE) ? 3 : 7)) {
		return "the instruction takes no op_sel";
	}
	if (((gcn_row_mods(r) & M_HIONES) && gcn_op_sel_hi(in) != 7) ||
	    ((gcn_row_mods(r) & M_REUSE) && in->field[GCN_F_OMOD] != 3))
		return "the instruction takes no op_sel_hi";
	return NULL;
}
