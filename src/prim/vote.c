/* Ballots and the one that is elected. */
#include "prim.h"

uint32_t
prim_elect(struct lg *l)
{
	if (lg_native(l, OP_ELECT, QD_TYPE_I32, 0))
		return rw_op(&l->w, OP_ELECT, QD_TYPE_I32, 0, 0, 0);
	return lg_bits(l, QD_TYPE_I32, lg_bit(l, lg_cmp_imm(l, OP_EQ, lg_lane(l), 0)));
}

uint32_t
prim_subgroup_id(struct lg *l)
{
	if (lg_native(l, OP_SUBGROUP_ID, QD_TYPE_U32, 0))
		return rw_op(&l->w, OP_SUBGROUP_ID, QD_TYPE_U32, 0, 0, 0);
	return lg_imm(l, OP_SHR, lg_thread(l), l->m->log2_size);
}

/* The target's form is that of the first 32 lanes; fewer are masked after it. */
uint32_t
prim_ballot_first_n(struct lg *l, uint32_t predicate, uint32_t n)
{
	uint64_t count = 32;

	if (!lg_native(l, OP_BALLOT_FIRST_N, QD_TYPE_BOOL, 0))
		return lg_refuse(l, OP_BALLOT_FIRST_N, QD_TYPE_BOOL);
	rw_is_const(&l->w, n, &count);

	uint32_t all = rw_op(&l->w, OP_BALLOT_FIRST_N, QD_TYPE_U32, predicate,
			     lg_const(l, QD_TYPE_I32, 32), 0);
	if (count >= 32 || count >= l->m->subgroup_size)
		return all;
	return lg_imm(l, OP_AND, all, (1u << count) - 1);
}
