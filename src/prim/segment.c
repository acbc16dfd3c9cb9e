/* Segmented reductions of a tile. A single ballot finds the beginning of the lane's segment; the
 * first lane of a tile is always a head. Padding threads are the last ones, so no other lane needs
 * their flags.
 *
 * An integer sum is the difference of two inclusive scans of the subgroup, if the machine has a
 * scan. Otherwise it is the scan's network, in which a lane takes from the lower half only values
 * of its own segment. */
#include "prim.h"

static uint32_t
leading_zeros(struct lg *l, uint32_t word)
{
	return lg_op(l, OP_CLZ, QD_TYPE_U32, word, 0, 0);
}

/* Returns the last head before the lane's word, for a tile whose bits are in n words. It applies
 * if the lane's word has no head up to the lane. word: on entry all words; on return word[0] is
 * the lane's. */
static uint32_t
head_before(struct lg *l, uint32_t *word, uint32_t n, uint32_t lane, uint32_t width)
{
	uint32_t last[4] = { lg_u32(l, 0) };

	for (uint32_t j = 1; j < n; j++) {
		uint32_t zeros = leading_zeros(l, word[j - 1]);

		last[j] = lg_bin(l, OP_SUB, lg_u32(l, 32 * j - 1), zeros);
		if (j > 1)
			last[j] = lg_select(l, lg_cmp_imm(l, OP_NE, word[j - 1], 0), last[j],
					    last[j - 1]);
	}
	for (uint32_t bit = width / 2; n > 1; bit /= 2, n /= 2) {
		uint32_t upper = prim_is_upper(l, bit);

		for (uint32_t j = 0; j < n / 2; j++) {
			word[j] = lg_select(l, upper, word[n / 2 + j], word[j]);
			last[j] = lg_select(l, upper, last[n / 2 + j], last[j]);
		}
	}
	if (width == l->m->subgroup_size)
		return last[0];
	return lg_bin(l, OP_OR, last[0], lg_imm(l, OP_AND, lane, 0u - width));
}

/* Returns the first lane of this lane's segment. */
static uint32_t
find_head(struct lg *l, uint32_t flag, uint32_t lane, uint32_t log2_size)
{
	uint32_t width = 1u << log2_size, firsts = 0, word[4], before = 0, back, head;
	uint32_t n = prim_tile_ballot(l, flag, log2_size, word);

	for (uint32_t bit = 0; bit < 32; bit += width)
		firsts |= 1u << bit;
	word[0] = lg_imm(l, OP_OR, word[0], firsts);
	if (n > 1)
		before = head_before(l, word, n, lane, width);
	/* The shift removes the bits of the lanes above: counts are modulo 32. */
	back = lg_un(l, OP_NOT, lane);
	back = leading_zeros(l, lg_bin(l, OP_SHL, word[0], back));
	head = lg_bin(l, OP_SUB, lane, back);
	return before ? lg_select(l, lg_cmp_imm(l, OP_EQ, back, 32), before, head) : head;
}

/* Computes an integer sum as the scan up to this lane minus the scan before the head; 0: the
 * machine has no such scan. */
static uint32_t
difference(struct lg *l, uint32_t v, uint32_t head)
{
	uint32_t up_to_here = prim_lane_native(l, OP_INCLUSIVE_ADD, v, l->m->log2_size), below;

	if (!up_to_here)
		return 0;
	below = lg_bin(l, OP_SUB, up_to_here, v);
	return lg_bin(l, OP_SUB, up_to_here, prim_move(l, OP_SHUFFLE, below, head));
}

/* Returns the levels at which the lane takes from below: the bits of its number up to the highest
 * bit in which the head's number differs. */
static uint32_t
levels(struct lg *l, uint32_t lane, uint32_t head, uint32_t log2_size)
{
	uint32_t differ = lg_bin(l, OP_XOR, lane, head);

	for (uint32_t n = 1; n < log2_size; n *= 2)
		differ = lg_bin(l, OP_OR, differ, lg_imm(l, OP_SHR, differ, n));
	return lg_bin(l, OP_AND, lane, differ);
}

static uint32_t
segmented(struct lg *l, enum op op, uint32_t v, uint32_t flag, uint32_t log2_size)
{
	enum op combine = (enum op)op_info[op].combine;
	uint32_t lane = lg_lane(l), head = find_head(l, flag, lane, log2_size), r;
	qd_type t = lg_type(l, v);

	if (lg_failed(l))
		return 0;
	if (combine == OP_ADD && !is_float(t) && (r = difference(l, v, head)))
		return r;
	r = levels(l, lane, head, log2_size);
	if (!is_float(t) || (combine != OP_MIN && combine != OP_MAX) ||
	    !prim_by_order(l, op, t, log2_size))
		return prim_network(l, combine, v, r, log2_size);
	v = prim_network(l, combine, prim_extreme_bits(l, combine, v), r, log2_size);
	return lg_bits(l, t, prim_order(l, v));
}

void
expand_segmented(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	uint32_t v = l->w.map[s->a], log2_size = prim_tile(l, i);

	if (log2_size && !lg_failed(l))
		v = segmented(l, (enum op)s->op, v, l->w.map[s->b], log2_size);
	l->w.map[i] = v;
}
