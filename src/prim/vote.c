/* Ballots, votes, election, and the subgroup's index. A vote of a tile tests its bits of one
 * ballot. */
#include "prim.h"

void
expand_elect(struct lg *l, uint32_t i)
{
	if (!machine_makes(l->m) && lg_native(l, OP_ELECT, QD_TYPE_I32))
		l->w.map[i] = lg_push_op(l, OP_ELECT, QD_TYPE_I32, 0, 0);
	else
		l->w.map[i] = lg_bits(l, QD_TYPE_I32,
				      lg_bit(l, lg_cmp_imm(l, OP_EQ, lg_lane(l), 0)));
}

uint32_t
prim_subgroup(struct lg *l)
{
	if (!machine_makes(l->m) && lg_native(l, OP_SUBGROUP_ID, QD_TYPE_U32))
		return lg_push_op(l, OP_SUBGROUP_ID, QD_TYPE_U32, 0, 0);
	return lg_imm(l, OP_SHR, lg_thread(l), l->m->log2_size);
}

void
expand_lane(struct lg *l, uint32_t i)
{
	if (machine_makes(l->m))
		l->w.map[i] = lg_lane(l);
	else
		rw_copy(&l->w, i);
}

void
expand_subgroup_id(struct lg *l, uint32_t i)
{
	l->w.map[i] = prim_subgroup(l);
}

/* -- Ballots ---------------------------------------------------------------------------- */

/* Returns bits 32 * word and up of the subgroup's ballot. */
static uint32_t
ballot_word(struct lg *l, uint32_t p, uint32_t word)
{
	if (32 * word >= l->m->subgroup_size)
		return lg_u32(l, 0);
	if (machine_makes(l->m))
		return prim_made_ballot(l, p, word);
	if (!lg_native(l, OP_BALLOT_WORD, QD_TYPE_BOOL))
		return lg_refuse(l, (enum op)l->w.in->ins[l->at].op, QD_TYPE_BOOL);
	return lg_push(l, (struct ins){ .op = OP_BALLOT_WORD, .type = QD_TYPE_U32, .a = p, .x = word });
}

void
expand_ballot(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	uint32_t p = l->w.map[s->a], word[4] = { 0 };
	uint64_t count = 32;
	struct pair both;

	if (lg_failed(l))
		return;
	if (op_sig((enum op)s->op)->n_results > 1) {
		for (uint32_t j = 0; j < QD_COUNT(word); j++)
			word[j] = ballot_word(l, p, j);
		prim_results(l, i, word, QD_COUNT(word));
		return;
	}
	word[0] = ballot_word(l, p, 0);
	if (s->type == QD_TYPE_U64) {
		both = (struct pair){ word[0], ballot_word(l, p, 1) };
		l->w.map[i] = pair_join(l, both, QD_TYPE_U64);
		return;
	}
	rw_is_const(&l->w, l->w.map[s->b], &count);
	l->w.map[i] = count >= 32 || count >= l->m->subgroup_size
			      ? word[0]
			      : lg_imm(l, OP_AND, word[0], (1u << count) - 1);
}

/* -- Votes ------------------------------------------------------------------------------- */

/* Keeps the half of n words that contains the lane, by a bit of its number. */
static void
own_half(struct lg *l, uint32_t *word, uint32_t n, uint32_t bit)
{
	uint32_t upper = prim_is_upper(l, bit);

	for (uint32_t j = 0; j < n / 2; j++)
		word[j] = lg_select(l, upper, word[n / 2 + j], word[j]);
}

uint32_t
prim_tile_ballot(struct lg *l, uint32_t p, uint32_t log2_size, uint32_t word[4])
{
	uint32_t size = l->m->subgroup_size, n = 0;

	do
		word[n] = ballot_word(l, p, n);
	while (32 * ++n < size);
	for (uint32_t bit = size / 2; n > 1 && bit >= 1u << log2_size; bit /= 2, n /= 2)
		own_half(l, word, n, bit);
	return n;
}

uint32_t
prim_vote(struct lg *l, enum op op, uint32_t p, uint32_t log2_size)
{
	uint32_t size = l->m->subgroup_size, width = 1u << log2_size, word[4], n, all, yes;
	enum op combine = (enum op)op_info[op].combine;

	if (!log2_size)
		return lg_bits(l, QD_TYPE_I32, lg_bit(l, p));
	if ((all = prim_lane_native(l, op, p, log2_size)))
		return all;
	n = prim_tile_ballot(l, p, log2_size, word);
	all = word[0];
	for (uint32_t j = 1; j < n; j++)
		all = lg_bin(l, combine, all, word[j]);
	if (width < 32 && width < size) {
		uint32_t first = lg_imm(l, OP_AND, lg_lane(l), 31 & ~(width - 1));
		all = lg_op(l, OP_SHR, QD_TYPE_U32, all, first, 0);
		all = lg_imm(l, OP_AND, all, (1u << width) - 1);
	}
	if (combine == OP_OR)
		yes = lg_cmp_imm(l, OP_NE, all, 0);
	else
		yes = lg_cmp_imm(l, OP_EQ, all, width < 32 ? (1u << width) - 1 : UINT32_MAX);
	return lg_bits(l, QD_TYPE_I32, lg_bit(l, yes));
}

void
expand_vote(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];

	if (!lg_failed(l))
		l->w.map[i] = prim_vote(l, (enum op)s->op, l->w.map[s->a], prim_tile(l, i));
}

/* Compares with the first lane, since equality is transitive except for NaN. If the first lane is
 * NaN, it does not equal itself. */
void
expand_all_equal(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	uint32_t v = l->w.map[s->a], limit = l->w.map[s->d], log2_size = prim_tile(l, i), first, same;

	if (lg_failed(l))
		return;
	if (log2_size == l->m->log2_size) {
		first = prim_move(l, OP_BROADCAST, v, lg_u32(l, 0));
	} else {
		first = lg_imm(l, OP_AND, lg_lane(l), l->m->subgroup_size - (1u << log2_size));
		first = log2_size ? prim_move(l, OP_SHUFFLE, v, first) : v;
	}
	same = lg_cmp(l, OP_EQ, v, first);
	if (limit)
		same = lg_bin(l, OP_OR, same, lg_cmp(l, OP_LE, limit, lg_lane(l)));
	l->w.map[i] = prim_vote(l, OP_ALL_TRUE, same, log2_size);
}
