/* Modifiers of instructions of two words: which bits of op_sel, neg, abs and
 * clamp mean something, which are not looked at, and which must be clear. */
#include "table.h"

/* Sources; a lane mask takes no modifier. */
static unsigned
source_bits(const struct gcn_row *r)
{
	const struct gcn_shape *s = &gcn_shapes[r->shape];
	unsigned bits = 0;

	for (unsigned i = 0; i < s->n_op; i++) {
		if (gcn_kinds[s->op[i].kind].bank == BANK_M)
			continue;
		bits |= s->op[i].field == F_SRC0 ? 1 : s->op[i].field == F_SRC1 ? 2
							: s->op[i].field == F_SRC2 ? 4 : 0;
	}
	return bits;
}

static bool
names_halves(const struct gcn_row *r)
{
	const struct gcn_shape *s = &gcn_shapes[r->shape];

	for (unsigned i = 0; i < s->n_op; i++) {
		unsigned bank = gcn_kinds[s->op[i].kind].bank;
		if (bank == BANK_VH || bank == BANK_VSH)
			return true;
	}
	return false;
}

unsigned
gcn_sel_bits(const struct gcn_target *t, const struct gcn_row *r)
{
	unsigned own = r->mods / M_SEL0 & 15;
	const struct gcn_shape *s = &gcn_shapes[r->shape];

	if (own || !(t->features & TRUE16) || (r->mods & M_VOP3B) || !names_halves(r))
		return own;
	return source_bits(r) | (s->op[0].field == F_VDST && s->op[0].kind != K_M ? 8 : 0);
}

bool
gcn_has_halves(const struct gcn_target *t, const struct gcn_insn *in)
{
	const struct gcn_row *r = &gcn_rows[in->row];

	if (r->format != VOP3)
		return true;
	if (!(t->features & TRUE16))
		return false;
	return (r->mods & M_SELS3) || !(in->field[F_OPSEL] & ~gcn_sel_bits(t, r));
}

static const char *
check_lane_mask(const struct gcn_row *r, const struct gcn_insn *in)
{
	if (!(r->mods & M_CLAMP) && in->field[F_CLAMP])
		return "no clamp here";
	if (in->field[F_NEG] & ~(r->mods / M_NEG0) & 7)
		return "no negation here";
	if (!(r->mods & M_OMOD) && in->field[F_OMOD])
		return "no output modifier here";
	return NULL;
}

const char *
gcn_vop3_check(const struct gcn_target *t, const struct gcn_row *r, const struct gcn_insn *in)
{
	unsigned sel = gcn_sel_bits(t, r), stray = in->field[F_OPSEL] & ~sel, unread;

	if (r->mods & M_VOP3B)
		return check_lane_mask(r, in);
	if (in->field[F_VDST] && !(r->mods & M_CMPX) &&
	    (!gcn_shapes[r->shape].n_op || gcn_shapes[r->shape].op[0].field != F_VDST))
		return "unused bits must be clear";
	if (stray && (r->mods & (M_SELS3 | M_SELNONE)) && !(r->mods & M_SELANY))
		return "no op_sel here";
	if (!(r->mods & (M_CLAMP | M_CLANY)) && in->field[F_CLAMP])
		return "no clamp here";
	if (r->mods & M_BITOP3)
		return NULL;
	unread = (r->mods & M_INT0 ? 1 : 0) | (r->mods & M_INT1 ? 2 : 0) | (r->mods & M_INT2 ? 4 : 0);
	/* From gfx11 on, whoever has op_sel has neg and abs as well. */
	if (t->gen >= G11 && sel && !(r->mods & M_NOINT) && (!stray || (r->mods & M_SELANY)))
		unread |= source_bits(r);
	if (in->field[F_ABS] & ~(r->mods / M_ABS0 | unread) & 7)
		return "no absolute value here";
	if (in->field[F_NEG] & ~(r->mods / M_NEG0 | unread) & 7)
		return "no negation here";
	if (!(r->mods & M_OMOD) && in->field[F_OMOD])
		return "no output modifier here";
	return NULL;
}

const char *
gcn_packed_check(const struct gcn_target *t, const struct gcn_row *r, const struct gcn_insn *in)
{
	uint32_t sel = in->field[F_OPSEL] & 7;

	if (r->mods & M_MATRIX) {
		if (!(r->mods & M_ABID) && r->format == VOP3P && in->field[F_ABID])
			return "no abid here";
		if (!(r->mods & (M_BLGP | M_NEGLIST)) && in->field[F_BLGP])
			return "no blgp here";
		return NULL;
	}
	if (in->field[F_VDST] && gcn_shapes[r->shape].op[0].field != F_VDST)
		return "unused bits must be clear";
	if (in->field[F_NEG_HI] & ~(r->mods / M_ABS0) & 7)
		return "no neg_hi here";
	if (in->field[F_NEG_LO] & ~(r->mods / M_NEG0) & 7)
		return "no neg_lo here";
	if (!(r->mods & (M_CLAMP | M_CLANY)) && in->field[F_CLAMP])
		return "no clamp here";
	if (r->mods & (M_KEY | M_KEY64)) {
		unsigned n = r->mods & M_KEY ? 1 : 0;
		if (t->wave == 64 && (r->mods & M_KEY64))
			n++;
		if (sel >> n)
			return "index_key is out of range";
	} else if (sel & ~(r->mods / M_SEL0)) {
		return "no op_sel here";
	}
	if ((r->mods & M_HIONES) && gcn_op_sel_hi(in) != 7)
		return "no op_sel_hi here";
	return NULL;
}
