/* Builder calls: cross-lane primitives and operators. */
#include "build_call.h"

/* -- Primitives ---------------------------------------------------------------------------------
 */

struct qd_val
qd_subgroup_tile_lane(struct qd_builder *b, uint32_t log2_size)
{
	struct qd_val lane, mask, one;
	uint64_t bits;

	if (!build_enter(b, "qd_subgroup_tile_lane"))
		return no_val;
	mask = build_tmpl_operand(b, log2_size, 0, MAX_LOG2, DIAG_E0211);
	lane = build_push(b, (struct ins){ .op = OP_LANE, .type = QD_TYPE_I32 });
	if (build_is_const(b, mask, &bits)) {
		mask = build_constant(b, QD_TYPE_I32, (1u << bits) - 1);
	} else {
		one = build_constant(b, QD_TYPE_I32, 1);
		mask = build_push_op(b, OP_BITCAST, QD_TYPE_U32, mask, no_val, no_val);
		mask = build_push_op(b, OP_SUB, QD_TYPE_I32,
				     build_push_op(b, OP_SHL, QD_TYPE_I32, one, mask, no_val), one,
				     no_val);
	}
	return build_push_op(b, OP_AND, QD_TYPE_I32, lane, mask, no_val);
}

static struct qd_val
lane_op(struct qd_builder *b, const char *name, enum op op, struct qd_val v, struct qd_val lane,
	const char *what)
{
	qd_type t;

	if (!build_enter(b, name) || !(t = build_operand(b, v, TM_NUM)))
		return no_val;
	return build_push_op(b, op, t, v, build_lane_operand(b, lane, what), no_val);
}

#define LANE_OP(fn, op, arg)                                                                       \
	struct qd_val fn(struct qd_builder *b, struct qd_val v, struct qd_val arg)                 \
	{                                                                                          \
		return lane_op(b, #fn, op, v, arg, #arg);                                          \
	}

/* clang-format off */
LANE_OP(qd_subgroup_shuffle, OP_SHUFFLE, index)
LANE_OP(qd_subgroup_shuffle_xor, OP_SHUFFLE_XOR, mask)
LANE_OP(qd_subgroup_shuffle_up, OP_SHUFFLE_UP, offset)
LANE_OP(qd_subgroup_shuffle_down, OP_SHUFFLE_DOWN, offset)
LANE_OP(qd_subgroup_broadcast, OP_BROADCAST, index)
/* clang-format on */

struct qd_val
qd_subgroup_ballot_first_n(struct qd_builder *b, struct qd_val predicate, uint32_t n)
{
	if (!build_enter(b, "qd_subgroup_ballot_first_n"))
		return no_val;
	predicate = build_truth(b, predicate);
	return build_push_op(b, OP_BALLOT_FIRST_N, QD_TYPE_U32, predicate,
			     build_tmpl_operand(b, n, 1, 32, DIAG_E0212), no_val);
}

/* log2_size QD_FULL: the whole subgroup, operand 0. */
static struct qd_val
tile_op(struct qd_builder *b, const char *name, enum op op, struct qd_val v, uint32_t log2_size)
{
	struct qd_val k = no_val;
	qd_type t;

	if (!build_enter(b, name) || !(t = build_operand(b, v, op_info[op].types)))
		return no_val;
	if (log2_size != QD_FULL)
		k = build_tmpl_operand(b, log2_size, 0, MAX_LOG2, DIAG_E0211);
	return build_push_op(b, op, t, v, k, no_val);
}

#define TILE_OP(fn, op)                                                                            \
	struct qd_val fn(struct qd_builder *b, struct qd_val v)                                    \
	{                                                                                          \
		return tile_op(b, #fn, op, v, QD_FULL);                                            \
	}                                                                                          \
	struct qd_val fn##_tiled(struct qd_builder *b, struct qd_val v, uint32_t log2_size)        \
	{                                                                                          \
		return tile_op(b, #fn "_tiled", op, v,                                             \
			       log2_size == QD_FULL ? QD_FULL - 1 : log2_size);                    \
	}

/* clang-format off */
TILE_OP(qd_subgroup_reduce_add, OP_REDUCE_ADD)
TILE_OP(qd_subgroup_reduce_min, OP_REDUCE_MIN)
TILE_OP(qd_subgroup_reduce_max, OP_REDUCE_MAX)
TILE_OP(qd_subgroup_inclusive_add, OP_INCLUSIVE_ADD)
/* clang-format on */

/* -- Operators as regions -----------------------------------------------------------------------
 */

/* Builds the region by calling op once; its id, 0 after an error. */
static uint32_t
build_region(struct qd_builder *b, const struct qd_val *v, uint32_t k, qd_operator_fn *op,
	     void *user, const char *name)
{
	struct qd_val args[2 * MAX_YIELD], out[MAX_YIELD];
	uint32_t region, pos = b->pos;

	if (b->region) {
		FAIL(b, DIAG_E0326, name);
		return 0;
	}
	region = build_push(b, (struct ins){ .op = OP_REGION, .b = k }).id;
	if (!region)
		return 0;
	b->region = region;
	for (uint32_t i = 0; i < 2 * k; i++) {
		qd_type t = build_type(b, v[i % k]);

		args[i] = build_push(
			b, (struct ins){ .op = OP_ARG, .type = (uint8_t)t, .a = region, .x = i });
	}
	memset(out, 0, sizeof out);
	op(b, user, args, args + k, out, k);
	if (b->failed)
		return 0;
	b->name = name;
	if (b->positioned)
		b->pos = pos;
	for (uint32_t i = 0; i < k; i++) {
		qd_type t = build_operand(b, out[i], TM_NUM), want = build_type(b, v[i]);

		if (t && t != want)
			FAIL(b, DIAG_E0328, i, type_info[t].name, type_info[want].name);
		build_push(b,
			   (struct ins){
				   .op = OP_YIELD, .type = (uint8_t)want, .a = out[i].id, .x = i });
	}
	build_push(b, (struct ins){ .op = OP_END });
	b->region = 0;
	return region;
}

static void
generic_op(struct qd_builder *b, const char *name, enum op code, const struct qd_val *from,
	   struct qd_val *out, uint32_t k, uint32_t log2_size, qd_operator_fn *op, void *user)
{
	struct qd_val v[MAX_YIELD], tile = no_val, list = no_val, all;
	uint32_t region;

	/* out may be the values themselves. */
	for (uint32_t i = 0; i < k && i < MAX_YIELD; i++) {
		v[i] = from[i];
		out[i] = no_val;
	}
	if (!build_enter(b, name))
		return;
	if (k < 1 || k > MAX_YIELD) {
		FAIL(b, DIAG_E0327, k);
		return;
	}
	for (uint32_t i = 0; i < k; i++)
		if (!build_operand(b, v[i], TM_NUM))
			return;
	if (log2_size != QD_FULL)
		tile = build_tmpl_operand(b, log2_size, 0, MAX_LOG2, DIAG_E0211);
	if (b->failed || !(region = build_region(b, v, k, op, user, name)))
		return;
	for (uint32_t i = k; i-- > 0;)
		list = build_push(b, (struct ins){ .op = OP_PACK,
						   .type = (uint8_t)build_type(b, v[i]),
						   .a = v[i].id,
						   .b = list.id });
	all = build_push(
		b, (struct ins){ .op = (uint16_t)code, .a = region, .b = list.id, .c = tile.id });
	for (uint32_t i = 0; i < k; i++)
		out[i] = build_push(b, (struct ins){ .op = OP_RESULT,
						     .type = (uint8_t)build_type(b, v[i]),
						     .a = all.id,
						     .x = i });
}

void
qd_subgroup_reduce(struct qd_builder *b, const struct qd_val *v, struct qd_val *out, uint32_t k,
		   uint32_t log2_size, qd_operator_fn *op, void *user)
{
	generic_op(b, "qd_subgroup_reduce", OP_REDUCE, v, out, k, log2_size, op, user);
}

void
qd_subgroup_inclusive_scan(struct qd_builder *b, const struct qd_val *v, struct qd_val *out,
			   uint32_t k, uint32_t log2_size, qd_operator_fn *op, void *user)
{
	generic_op(b, "qd_subgroup_inclusive_scan", OP_INCLUSIVE_SCAN, v, out, k, log2_size, op,
		   user);
}
