/* Segmented reductions of a tile: the scan's network, in which a lane takes from the half
 * below only what is of its own segment.  One ballot tells where that began; the first
 * lane of a tile is a head whatever it says.  Absent threads are the last ones, so no
 * present lane asks for a flag of theirs. */
#include "prim.h"

static uint32_t
leading_zeros(struct lg *l, uint32_t word)
{
	return lg_bits(l, QD_TYPE_U32, lg_op(l, OP_CLZ, QD_TYPE_I32, word, 0, 0));
}

/* Of lane number `place` of the tile: the number of the lane where its segment began. */
static uint32_t
find_head(struct lg *l, uint32_t flag, uint32_t place, uint32_t log2_size)
{
	uint32_t width = 1u << log2_size, firsts = 0, word[4], last[4], back, head;
	uint32_t n = prim_tile_ballot(l, flag, log2_size, word);
	bool one_word = n == 1;

	for (uint32_t bit = 0; bit < 32; bit += width)
		firsts |= 1u << bit;
	word[0] = lg_imm(l, OP_OR, word[0], firsts);
	/* The last head in front of each word. */
	last[0] = lg_u32(l, 0);
	for (uint32_t j = 1; j < n; j++) {
		back = leading_zeros(l, word[j - 1]);
		last[j] = lg_bin(l, OP_SUB, lg_u32(l, 32 * j - 1), back);
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
	/* What the lanes above say is shifted out: counts are modulo 32. */
	back = lg_un(l, OP_NOT, lg_lane(l));
	back = leading_zeros(l, lg_bin(l, OP_SHL, word[0], back));
	head = lg_bin(l, OP_SUB, place, back);
	return one_word ? head
			: lg_select(l, lg_cmp_imm(l, OP_EQ, back, 32), last[0], head);
}

/* The levels at which the lane takes from below: those bits of its number that are not
 * above the first in which its head's differs. */
static uint32_t
levels(struct lg *l, uint32_t flag, uint32_t log2_size)
{
	uint32_t place = lg_lane(l), differ;

	if (log2_size < l->m->log2_size)
		place = lg_imm(l, OP_AND, place, (1u << log2_size) - 1);
	differ = find_head(l, flag, place, log2_size);
	differ = lg_bin(l, OP_XOR, place, differ);
	for (uint32_t n = 1; n < log2_size; n *= 2)
		differ = lg_bin(l, OP_OR, differ, lg_imm(l, OP_SHR, differ, n));
	return lg_bin(l, OP_AND, place, differ);
}

void
expand_segmented(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	enum op combine = (enum op)op_info[s->op].combine;
	uint32_t v = l->w.map[s->a], log2_size = prim_tile(l, i), takes;
	qd_type t = (qd_type)s->type;
	bool by_order = is_float(t) && (combine == OP_MIN || combine == OP_MAX);

	if (log2_size && !lg_failed(l)) {
		takes = levels(l, l->w.map[s->b], log2_size);
		if (by_order)
			v = prim_extreme_bits(l, combine, v);
		v = prim_network(l, combine, v, takes, log2_size);
		if (by_order)
			v = lg_bits(l, t, prim_order(l, v));
	}
	l->w.map[i] = v;
}
