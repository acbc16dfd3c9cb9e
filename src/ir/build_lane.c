/* Builder calls: cross-lane primitives and operators. */
#include "build_call.h"

struct qd_val
qd_subgroup_tile_lane(struct qd_builder *b, uint32_t log2_size)
{
	struct qd_val lane, mask, one;
	uint64_t bits;

	if (!build_enter(b, "qd_subgroup_tile_lane"))
		return no_val;
	mask = build_tmpl_operand(b, log2_size, 0, MAX_LOG2, DIAG_E0211);
	lane = build_push(b, (struct ins){ .op = OP_LANE, .type = QD_TYPE_U32 });
	if (build_is_const(b, mask, &bits)) {
		mask = build_constant(b, QD_TYPE_U32, (1u << bits) - 1);
	} else {
		one = build_constant(b, QD_TYPE_U32, 1);
		mask = build_push_op(b, OP_BITCAST, QD_TYPE_U32, mask, no_val, no_val);
		mask = build_push_op(b, OP_SUB, QD_TYPE_U32,
				     build_push_op(b, OP_SHL, QD_TYPE_U32, one, mask, no_val), one,
				     no_val);
	}
	return build_push_op(b, OP_AND, QD_TYPE_U32, lane, mask, no_val);
}

/* -- Masks of lanes --------------------------------------------------------------- */

enum relation { MASK_EQ, MASK_GE, MASK_GT, MASK_LE, MASK_LT };

/* Builds a mask of type t of the lanes that have this relation to `lane`. A lane number beyond the
 * mask's width is above all its lanes. */
static struct qd_val
lane_mask(struct qd_builder *b, const char *name, qd_type t, enum relation relation,
	  struct qd_val lane)
{
	struct qd_val beyond, bit, below, none;
	qd_type of;

	if (!build_enter(b, name) || !(of = build_operand(b, lane, TM_I32)))
		return no_val;
	if (of != QD_TYPE_U32)
		lane = build_push_op(b, OP_BITCAST, QD_TYPE_U32, lane, no_val, no_val);
	none = build_constant(b, t, 0);
	beyond = build_constant(b, QD_TYPE_U32, type_bits(t));
	beyond = build_push_op(b, OP_LE, QD_TYPE_BOOL, beyond, lane, no_val);
	bit = build_push_op(b, OP_SHL, t, build_constant(b, t, 1), lane, no_val);
	below = build_push_op(b, OP_SUB, t, bit, build_constant(b, t, 1), no_val);
	bit = build_push_op(b, OP_SELECT, t, beyond, none, bit);
	below = build_push_op(b, OP_SELECT, t, beyond,
			      build_push_op(b, OP_NOT, t, none, no_val, no_val), below);
	if (relation == MASK_EQ)
		return bit;
	if (relation == MASK_LE || relation == MASK_GT)
		below = build_push_op(b, OP_OR, t, below, bit, no_val);
	return relation == MASK_LT || relation == MASK_LE
		       ? below
		       : build_push_op(b, OP_NOT, t, below, no_val, no_val);
}

#define LANE_MASK(fn, type, relation)                                                              \
	struct qd_val fn(struct qd_builder *b, struct qd_val lane)                                 \
	{                                                                                          \
		return lane_mask(b, #fn, type, relation, lane);                                    \
	}
LANE_MASK(qd_subgroup_lanemask_eq, QD_TYPE_U32, MASK_EQ)
LANE_MASK(qd_subgroup_lanemask_ge, QD_TYPE_U32, MASK_GE)
LANE_MASK(qd_subgroup_lanemask_gt, QD_TYPE_U32, MASK_GT)
LANE_MASK(qd_subgroup_lanemask_le, QD_TYPE_U32, MASK_LE)
LANE_MASK(qd_subgroup_lanemask_lt, QD_TYPE_U32, MASK_LT)
LANE_MASK(qd_subgroup_lanemask64_eq, QD_TYPE_U64, MASK_EQ)
LANE_MASK(qd_subgroup_lanemask64_ge, QD_TYPE_U64, MASK_GE)
LANE_MASK(qd_subgroup_lanemask64_gt, QD_TYPE_U64, MASK_GT)
LANE_MASK(qd_subgroup_lanemask64_le, QD_TYPE_U64, MASK_LE)
LANE_MASK(qd_subgroup_lanemask64_lt, QD_TYPE_U64, MASK_LT)

/* -- Operators as regions --------------------------------------------------------- */

/* Builds the region by calling op once. Returns its id, 0 after an error. */
static uint32_t
build_region(struct qd_builder *b, const struct qd_val *v, uint32_t k, qd_operator_fn *op,
	     void *user, const char *name)
{
	struct qd_val args[2 * MAX_YIELD], out[MAX_YIELD];
	uint32_t region, pos = b->pos;

	if (b->o.region) {
		FAIL(b, DIAG_E0326, name);
		return 0;
	}
	region = build_push(b, (struct ins){ .op = OP_REGION, .b = k }).id;
	if (!region)
		return 0;
	for (uint32_t i = 0; i < 2 * k; i++) {
		qd_type t = build_type(b, v[i % k]);

		args[i] = build_push(
			b, (struct ins){ .op = OP_ARG, .type = (uint8_t)t, .a = region, .x = i });
	}
	memset(out, 0, sizeof out);
	op(b, user, args, args + k, out, k);
	if (b->failed)
		return 0;
	/* The operator's calls have changed the current name and position. */
	b->name = name;
	b->pos = pos;
	for (uint32_t i = 0; i < k; i++) {
		qd_type want = build_type(b, v[i]), t;

		if (!out[i].id)
			FAIL(b, DIAG_E0328, i, "nothing", type_info[want].name);
		t = build_operand(b, out[i], TM_NUM);

		if (t && t != want)
			FAIL(b, DIAG_E0328, i, type_info[t].name, type_info[want].name);
		build_push(b, (struct ins){ .op = OP_YIELD, .a = out[i].id, .x = i });
	}
	build_push(b, (struct ins){ .op = OP_END });
	return region;
}

struct qd_val
build_list(struct qd_builder *b, const struct qd_val *v, uint32_t k)
{
	struct qd_val list = no_val;

	for (uint32_t i = k; i-- > 0;)
		list = build_push(b, (struct ins){ .op = OP_PACK,
						   .type = (uint8_t)build_type(b, v[i]),
						   .a = v[i].id,
						   .b = list.id });
	return list;
}

void
build_operator(struct qd_builder *b, const char *name, enum op op, const struct qd_val *from,
	       const struct qd_val *identity, struct qd_val *out, uint32_t k, uint32_t token,
	       qd_operator_fn *combine, void *user)
{
	bool exclusive = opnd_kind(op_sig(op)->opnd[3]) == OPND_LIST;
	struct qd_val v[MAX_YIELD], e[MAX_YIELD], tile = no_val, list, first = no_val, all;
	struct ins ins;
	uint32_t region;

	for (uint32_t i = 0; i < k && i < MAX_YIELD; i++) {
		v[i] = from ? from[i] : no_val;
		e[i] = identity ? identity[i] : no_val;
		if (out)
			out[i] = no_val;
	}
	if (!build_enter(b, name))
		return;
	if (!from || !out) {
		FAIL(b, DIAG_E0354, from ? "the list of results" : "the list of values");
		return;
	}
	if (!combine || (exclusive && !identity)) {
		FAIL(b, DIAG_E0354, combine ? "the list of identities" : "the operator");
		return;
	}
	if (k < 1 || k > MAX_YIELD) {
		FAIL(b, DIAG_E0327, k);
		return;
	}
	for (uint32_t i = 0; i < k; i++) {
		qd_type t = build_operand(b, v[i], TM_NUM), of = t;

		if (!t || (exclusive && !(of = build_operand(b, e[i], TM_NUM))))
			return;
		if (of != t) {
			FAIL(b, DIAG_E0301, type_info[t].name, type_info[of].name);
			return;
		}
	}
	if (token != QD_FULL)
		tile = build_tmpl_operand(b, token, 0, MAX_LOG2, DIAG_E0211);
	if (b->failed || !(region = build_region(b, v, k, combine, user, name)))
		return;
	list = build_list(b, v, k);
	if (exclusive)
		first = build_list(b, e, k);
	ins = (struct ins){
		.op = (uint8_t)op, .a = region, .b = list.id, .c = tile.id, .d = first.id
	};
	if (b->active.id && op_info[op].scope == SCOPE_BLOCK)
		ins.arg[op_sig(op)->active] = build_take_active(b, op);
	all = build_push(b, ins);
	for (uint32_t i = 0; i < k; i++)
		out[i] = build_push(b, (struct ins){ .op = OP_RESULT,
						     .type = (uint8_t)build_type(b, v[i]),
						     .a = all.id,
						     .x = i });
}

void
build_several(struct qd_builder *b, const char *name, enum op op, const struct qd_val *arg,
	      uint32_t token, struct qd_val *out, uint32_t n)
{
	struct qd_val all;

	for (uint32_t i = 0; out && i < n; i++)
		out[i] = no_val;
	if (!out) {
		if (build_enter(b, name))
			FAIL(b, DIAG_E0354, "the list of results");
		return;
	}
	all = build_op(b, name, op, arg, token);
	for (uint32_t i = 0; all.id && i < n; i++)
		out[i] = build_push(b, (struct ins){ .op = OP_RESULT,
						     .type = (uint8_t)ir_result_type(&b->k->ir, all.id, i),
						     .a = all.id,
						     .x = i });
}

/* -- The primitives: one row, one or two functions ---------------------------------- */

/* A log2_size that equals QD_FULL by accident must not select the whole subgroup. */
#define TILE(log2_size) ((log2_size) == QD_FULL ? QD_FULL - 1 : (log2_size))

#define DEFINE_LANE(fn, op)                                                                        \
	struct qd_val fn(struct qd_builder *b, struct qd_val v, struct qd_val lane)                \
	{                                                                                          \
		return build_op(b, #fn, op, (struct qd_val[]){ v, lane }, 0);                      \
	}
#define DEFINE_BROADCAST DEFINE_LANE
#define DEFINE_OFFSET	 DEFINE_LANE
#define DEFINE_BALLOT_N(fn, op)                                                                    \
	struct qd_val fn(struct qd_builder *b, struct qd_val predicate, uint32_t n)                \
	{                                                                                          \
		return build_op(b, #fn, op, &predicate, n);                                        \
	}
#define DEFINE_BALLOT(fn, op)                                                                      \
	struct qd_val fn(struct qd_builder *b, struct qd_val predicate)                            \
	{                                                                                          \
		return build_op(b, #fn, op, &predicate, QD_FULL);                                  \
	}
#define DEFINE_BALLOT4(fn, op)                                                                     \
	void fn(struct qd_builder *b, struct qd_val predicate, struct qd_val *out)                 \
	{                                                                                          \
		build_several(b, #fn, op, &predicate, QD_FULL, out, 4);                            \
	}
#define DEFINE_VOTE_K  DEFINE_LANE_K
#define DEFINE_EQUAL_K DEFINE_LANE_K
#define DEFINE_LANE_K(fn, op)                                                                      \
	struct qd_val fn(struct qd_builder *b, struct qd_val v)                                    \
	{                                                                                          \
		return build_op(b, #fn, op, &v, QD_FULL);                                          \
	}                                                                                          \
	struct qd_val fn##_tiled(struct qd_builder *b, struct qd_val v, uint32_t log2_size)        \
	{                                                                                          \
		return build_op(b, #fn "_tiled", op, &v, TILE(log2_size));                         \
	}
#define DEFINE_SEGMENT_K(fn, op)                                                                   \
	struct qd_val fn(struct qd_builder *b, struct qd_val v, struct qd_val head)                \
	{                                                                                          \
		return build_op(b, #fn, op, (struct qd_val[]){ v, head }, QD_FULL);                \
	}                                                                                          \
	struct qd_val fn##_tiled(struct qd_builder *b, struct qd_val v, struct qd_val head,        \
				 uint32_t log2_size)                                               \
	{                                                                                          \
		return build_op(b, #fn "_tiled", op, (struct qd_val[]){ v, head },                 \
				TILE(log2_size));                                                  \
	}
#define DEFINE_SORT_K(fn, op)                                                                      \
	void fn(struct qd_builder *b, struct qd_val key, struct qd_val value, struct qd_val *out)  \
	{                                                                                          \
		build_several(b, #fn, op, (struct qd_val[]){ key, value }, QD_FULL, out, 2);       \
	}                                                                                          \
	void fn##_tiled(struct qd_builder *b, struct qd_val key, struct qd_val value,              \
			uint32_t log2_size, struct qd_val *out)                                    \
	{                                                                                          \
		build_several(b, #fn "_tiled", op, (struct qd_val[]){ key, value },                \
			      TILE(log2_size), out, 2);                                            \
	}
#define DEFINE_OPERATOR_K(fn, op)                                                                  \
	void fn(struct qd_builder *b, const struct qd_val *v, struct qd_val *out, uint32_t k,      \
		uint32_t log2_size, qd_operator_fn *combine, void *user)                           \
	{                                                                                          \
		build_operator(b, #fn, op, v, NULL, out, k, log2_size, combine, user);             \
	}
#define DEFINE_OPERATOR_I(fn, op)                                                                  \
	void fn(struct qd_builder *b, const struct qd_val *v, const struct qd_val *identity,       \
		struct qd_val *out, uint32_t k, uint32_t log2_size, qd_operator_fn *combine,       \
		void *user)                                                                        \
	{                                                                                          \
		build_operator(b, #fn, op, v, identity, out, k, log2_size, combine, user);         \
	}

/* Second names of the reductions. */
#define ALL(fn, op) DEFINE_LANE_K(qd_subgroup_reduce_all_##fn, op)
ALL(add, OP_REDUCE_ADD)
ALL(mul, OP_REDUCE_MUL)
ALL(min, OP_REDUCE_MIN)
ALL(max, OP_REDUCE_MAX)
ALL(and, OP_REDUCE_AND)
ALL(or, OP_REDUCE_OR)
ALL(xor, OP_REDUCE_XOR)

/* The primitives of a block. */
#define DEFINE_TOTAL_B(fn, op)                                                                         \
	struct qd_val fn(struct qd_builder *b, struct qd_val v)                                    \
	{                                                                                          \
		return build_op(b, #fn, op, &v, QD_FULL);                                          \
	}
#define DEFINE_VOTE_B DEFINE_TOTAL_B
#define DEFINE_SORT_B(fn, op)                                                                        \
	void fn(struct qd_builder *b, struct qd_val key, struct qd_val value, struct qd_val *out)  \
	{                                                                                          \
		build_several(b, #fn, op, (struct qd_val[]){ key, value }, QD_FULL, out, 2);       \
	}
#define DEFINE_OPERATOR_B(fn, op)                                                                  \
	void fn(struct qd_builder *b, const struct qd_val *v, struct qd_val *out, uint32_t k,      \
		qd_operator_fn *combine, void *user)                                               \
	{                                                                                          \
		build_operator(b, #fn, op, v, NULL, out, k, QD_FULL, combine, user);               \
	}
#define DEFINE_OPERATOR_BI(fn, op)                                                                 \
	void fn(struct qd_builder *b, const struct qd_val *v, const struct qd_val *identity,       \
		struct qd_val *out, uint32_t k, qd_operator_fn *combine, void *user)               \
	{                                                                                          \
		build_operator(b, #fn, op, v, identity, out, k, QD_FULL, combine, user);           \
	}

#define DEFINE_RANK(fn, op) /* build_rank.c */

void
qd_block_n_active(struct qd_builder *b, struct qd_val n)
{
	if (!build_enter(b, "qd_block_n_active"))
		return;
	if (b->active.id)
		FAIL(b, DIAG_E0379, "qd_block_n_active");
	n = build_lane_operand(b, n, "n_active");
	b->active = b->failed ? no_val : n;
}

DEFINE_TOTAL_B(qd_block_reduce_all_add, OP_BLOCK_REDUCE_ADD)
DEFINE_TOTAL_B(qd_block_reduce_all_mul, OP_BLOCK_REDUCE_MUL)
DEFINE_TOTAL_B(qd_block_reduce_all_min, OP_BLOCK_REDUCE_MIN)
DEFINE_TOTAL_B(qd_block_reduce_all_max, OP_BLOCK_REDUCE_MAX)
DEFINE_TOTAL_B(qd_block_reduce_all_and, OP_BLOCK_REDUCE_AND)
DEFINE_TOTAL_B(qd_block_reduce_all_or, OP_BLOCK_REDUCE_OR)
DEFINE_TOTAL_B(qd_block_reduce_all_xor, OP_BLOCK_REDUCE_XOR)
DEFINE_OPERATOR_B(qd_block_reduce_all, OP_BLOCK_REDUCE)

#define OP(...)
#define LOW(...)
#define ALU(...)
#define NVVM(...)
#define BLOCK_OP(name, lower, sig, ...) DEFINE_##sig(qd_block_##lower, OP_BLOCK_##name)
#define SUBGROUP(name, lower, sig, ...) DEFINE_##sig(qd_subgroup_##lower, OP_##name)
#include "op.def"
