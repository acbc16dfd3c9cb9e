/* Shuffles, ballots, reductions and scans. Lane indices are already in range. */
#include "emit.h"

/* Emits op(type, scope, a, b), with a third operand if c is not 0. */
static uint32_t
put_cross(struct emitter *e, uint32_t i, enum spv_op op, enum spv_cap cap, uint32_t a, uint32_t b,
	  uint32_t c)
{
	qd_type t = e->ir->ins[i].type;
	uint32_t scope = module_u32(&e->m, SPV_SCOPE_SUBGROUP), id = module_id(&e->m);
	uint32_t operands[] = { type_id(e, t), id, scope, a, b, c };

	module_cap(&e->m, CAPABILITY_SUBGROUP);
	module_cap(&e->m, cap);
	e->cross64 |= type_is_64(t);
	put_words(&e->m.body, op, operands, c ? 6 : 5);
	return id;
}

qd_status
spv_emit_move(struct emitter *e, uint32_t i, struct qd_error *err)
{
	const struct ins *ins = &e->ir->ins[i];
	bool any = ins->op == OP_SHUFFLE;

	(void)err;
	e->id[i] = put_cross(e, i,
			     any ? SPV_GroupNonUniformShuffle : SPV_GroupNonUniformBroadcast,
			     any ? CAPABILITY_SHUFFLE : CAPABILITY_BALLOT, e->id[ins->a],
			     e->id[ins->b], 0);
	return QD_OK;
}

/* All lanes of the partner's block hold the same value, so lane ^ m is also correct for
 * PATTERN_PARTNER. */
qd_status
spv_emit_pattern(struct emitter *e, uint32_t i, struct qd_error *err)
{
	const struct ins *ins = &e->ir->ins[i];

	if (ins->x != PATTERN_XOR && ins->x != PATTERN_PARTNER)
		return spv_illegal(e, i, "the target has no such pattern", err);
	if (ins->b >= e->machine->lanes)
		return spv_illegal(e, i, "the lane is outside the subgroup", err);
	e->id[i] = put_cross(e, i, SPV_GroupNonUniformShuffleXor, CAPABILITY_SHUFFLE,
			     e->id[ins->a], module_u32(&e->m, ins->b), 0);
	return QD_OK;
}

qd_status
spv_emit_ballot(struct emitter *e, uint32_t i, struct qd_error *err)
{
	struct module *m = &e->m;
	const struct ins *ins = &e->ir->ins[i];
	uint32_t all = module_id(m);

	(void)err;
	module_cap(m, CAPABILITY_SUBGROUP);
	module_cap(m, CAPABILITY_BALLOT);
	uint32_t type = module_type(m, T_UVEC4);
	PUT(&m->body, GroupNonUniformBallot, type, all, module_u32(m, SPV_SCOPE_SUBGROUP),
	    e->id[ins->a]);
	e->id[i] = spv_component(e, all, ins->x);
	return QD_OK;
}

/* -- Reductions and scans ------------------------------------------------------------ */

/* Indexed by the combining operation. Floats are omitted: the device determines the order of a
 * float sum, and its minimum and maximum do not order zeros. */
/* clang-format off */
static const struct {
	uint16_t u, s;
} group_forms[N_OP] = {
	/*	     unsigned			    signed */
	[OP_ADD] = { SPV_GroupNonUniformIAdd,	    SPV_GroupNonUniformIAdd },
	[OP_MUL] = { SPV_GroupNonUniformIMul,	    SPV_GroupNonUniformIMul },
	[OP_MIN] = { SPV_GroupNonUniformUMin,	    SPV_GroupNonUniformSMin },
	[OP_MAX] = { SPV_GroupNonUniformUMax,	    SPV_GroupNonUniformSMax },
	[OP_AND] = { SPV_GroupNonUniformBitwiseAnd, SPV_GroupNonUniformBitwiseAnd },
	[OP_OR]	 = { SPV_GroupNonUniformBitwiseOr,  SPV_GroupNonUniformBitwiseOr },
	[OP_XOR] = { SPV_GroupNonUniformBitwiseXor, SPV_GroupNonUniformBitwiseXor },
};
/* clang-format on */

uint32_t
spv_group_form(enum op combine, qd_type type)
{
	if (!type_is(type, TM_INT))
		return 0;
	return type_info[type].is_signed ? group_forms[combine].s : group_forms[combine].u;
}

qd_status
spv_emit_group(struct emitter *e, uint32_t i, struct qd_error *err)
{
	const struct ins *ins = &e->ir->ins[i];
	enum spv_op op =
		(enum spv_op)spv_group_form((enum op)op_info[ins->op].combine, ins->type);
	uint32_t whole = e->machine->log2_size, log2_size = ins->b ? e->ir->ins[ins->b].a : whole;
	static const uint8_t how[N_EXPAND] = { [EXPAND_reduce] = SPV_GroupOperation_Reduce,
					       [EXPAND_scan] = SPV_GroupOperation_InclusiveScan,
					       [EXPAND_exclusive] = SPV_GroupOperation_ExclusiveScan };
	bool scan = op_info[ins->op].expand != EXPAND_reduce;

	if (!op)
		return spv_illegal(e, i, "the target has no such instruction", err);
	if (log2_size == whole) {
		e->id[i] = put_cross(e, i, op, CAPABILITY_ARITHMETIC,
				     how[op_info[ins->op].expand], e->id[ins->a], 0);
		return QD_OK;
	}
	if (scan || log2_size > whole || !(e->machine->features & FEATURE_CLUSTERS))
		return spv_illegal(e, i, "only operations on the whole subgroup have instructions",
				   err);
	e->id[i] = put_cross(e, i, op, CAPABILITY_CLUSTERED, SPV_GroupOperation_ClusteredReduce,
			     e->id[ins->a], module_u32(&e->m, 1u << log2_size));
	return QD_OK;
}
