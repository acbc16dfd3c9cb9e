/* Ballots, the one that is elected, and where a subgroup is. */
#include "prim.h"

void
expand_elect(struct lg *l, uint32_t i)
{
	if (lg_native(l, OP_ELECT, QD_TYPE_I32))
		l->w.map[i] = lg_push_op(l, OP_ELECT, QD_TYPE_I32, 0, 0);
	else
		l->w.map[i] = lg_bits(l, QD_TYPE_I32,
				      lg_bit(l, lg_cmp_imm(l, OP_EQ, lg_lane(l), 0)));
}

void
expand_subgroup_id(struct lg *l, uint32_t i)
{
	if (lg_native(l, OP_SUBGROUP_ID, QD_TYPE_U32))
		l->w.map[i] = lg_push_op(l, OP_SUBGROUP_ID, QD_TYPE_U32, 0, 0);
	else
		l->w.map[i] = lg_imm(l, OP_SHR, lg_thread(l), l->m->log2_size);
}

/* The target's form is that of the first 32 lanes; fewer are masked after it. */
void
expand_ballot(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	uint64_t count = 32;
	uint32_t all;

	if (!lg_native(l, (enum op)s->op, QD_TYPE_BOOL)) {
		lg_refuse(l, (enum op)s->op, QD_TYPE_BOOL);
		return;
	}
	rw_is_const(&l->w, l->w.map[s->b], &count);
	all = lg_push_op(l, (enum op)s->op, QD_TYPE_U32, l->w.map[s->a],
			 lg_const(l, QD_TYPE_I32, 32));
	l->w.map[i] = count >= 32 || count >= l->m->subgroup_size
			      ? all
			      : lg_imm(l, OP_AND, all, (1u << count) - 1);
}
