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

/* -- Operators as regions --------------------------------------------------------- */

/* Builds the region by calling op once; its id, 0 after an error. */
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
	/* The operator's own calls have gone by: what follows is this call's again. */
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

void
build_operator(struct qd_builder *b, const char *name, enum op op, const struct qd_val *from,
	       struct qd_val *out, uint32_t k, uint32_t token, qd_operator_fn *combine, void *user)
{
	struct qd_val v[MAX_YIELD], tile = no_val, list = no_val, all;
	uint32_t region;

	for (uint32_t i = 0; i < k && i < MAX_YIELD; i++) {
		v[i] = from ? from[i] : no_val;
		if (out)
			out[i] = no_val;
	}
	if (!build_enter(b, name))
		return;
	if (!from || !out) {
		FAIL(b, DIAG_E0354, from ? "the list of results" : "the list of values");
		return;
	}
	if (!combine) {
		FAIL(b, DIAG_E0354, "the operator");
		return;
	}
	if (k < 1 || k > MAX_YIELD) {
		FAIL(b, DIAG_E0327, k);
		return;
	}
	for (uint32_t i = 0; i < k; i++)
		if (!build_operand(b, v[i], TM_NUM))
			return;
	if (token != QD_FULL)
		tile = build_tmpl_operand(b, token, 0, MAX_LOG2, DIAG_E0211);
	if (b->failed || !(region = build_region(b, v, k, combine, user, name)))
		return;
	for (uint32_t i = k; i-- > 0;)
		list = build_push(b, (struct ins){ .op = OP_PACK,
						   .type = (uint8_t)build_type(b, v[i]),
						   .a = v[i].id,
						   .b = list.id });
	all = build_push(
		b, (struct ins){ .op = (uint8_t)op, .a = region, .b = list.id, .c = tile.id });
	for (uint32_t i = 0; i < k; i++)
		out[i] = build_push(b, (struct ins){ .op = OP_RESULT,
						     .type = (uint8_t)build_type(b, v[i]),
						     .a = all.id,
						     .x = i });
}

/* -- The primitives: one row, one or two functions ---------------------------------- */

/* What is no log2_size at all must not pass for the whole subgroup. */
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
#define DEFINE_LANE_K(fn, op)                                                                      \
	struct qd_val fn(struct qd_builder *b, struct qd_val v)                                    \
	{                                                                                          \
		return build_op(b, #fn, op, &v, QD_FULL);                                          \
	}                                                                                          \
	struct qd_val fn##_tiled(struct qd_builder *b, struct qd_val v, uint32_t log2_size)        \
	{                                                                                          \
		return build_op(b, #fn "_tiled", op, &v, TILE(log2_size));                         \
	}
#define DEFINE_OPERATOR_K(fn, op)                                                                  \
	void fn(struct qd_builder *b, const struct qd_val *v, struct qd_val *out, uint32_t k,      \
		uint32_t log2_size, qd_operator_fn *combine, void *user)                           \
	{                                                                                          \
		build_operator(b, #fn, op, v, out, k, log2_size, combine, user);                  \
	}

/* A reduction by its other name. */
#define ALL(fn, op) DEFINE_LANE_K(qd_subgroup_reduce_all_##fn, op)
ALL(add, OP_REDUCE_ADD)
ALL(mul, OP_REDUCE_MUL)
ALL(min, OP_REDUCE_MIN)
ALL(max, OP_REDUCE_MAX)
ALL(and, OP_REDUCE_AND)
ALL(or, OP_REDUCE_OR)
ALL(xor, OP_REDUCE_XOR)

#define OP(...)
#define LOW(...)
#define ALU(...)
#define SUBGROUP(name, lower, sig, ...) DEFINE_##sig(qd_subgroup_##lower, OP_##name)
#include "op.def"
