/* Builder calls: operations of a warp. Member masks are the first argument of a call; the value is
 * the first operand of the instruction. */
#include "build_call.h"

#define DEFINE_MATCH_ANY(fn, op)                                                                   \
	struct qd_val fn(struct qd_builder *b, struct qd_val mask, struct qd_val v)                \
	{                                                                                          \
		return build_op(b, #fn, op, (struct qd_val[]){ v, mask }, 0);                      \
	}
#define DEFINE_MATCH_ALL(fn, op)                                                                   \
	void fn(struct qd_builder *b, struct qd_val mask, struct qd_val v, struct qd_val *out)     \
	{                                                                                          \
		build_several(b, #fn, op, (struct qd_val[]){ v, mask }, 0, out, 2);                \
	}
#define DEFINE_REDUX	DEFINE_MATCH_ANY
#define DEFINE_VOTE_M	DEFINE_MATCH_ANY
#define DEFINE_BALLOT_M DEFINE_MATCH_ANY
#define DEFINE_ELECT_M(fn, op)                                                                     \
	struct qd_val fn(struct qd_builder *b, struct qd_val mask)                                 \
	{                                                                                          \
		return build_op(b, #fn, op, &mask, 0);                                             \
	}
#define DEFINE_SYNC_M(fn, op)                                                                      \
	void fn(struct qd_builder *b, struct qd_val mask)                                          \
	{                                                                                          \
		build_op(b, #fn, op, &mask, 0);                                                    \
	}
#define DEFINE_SHFL(fn, op)                                                                        \
	struct qd_val fn(struct qd_builder *b, struct qd_val mask, struct qd_val v,                \
			 struct qd_val x, uint32_t width)                                          \
	{                                                                                          \
		return build_op(b, #fn, op, (struct qd_val[]){ v, mask, x }, width);               \
	}
#define DEFINE_SHFL_P(fn, op)                                                                      \
	void fn(struct qd_builder *b, struct qd_val mask, struct qd_val v, struct qd_val x,        \
		uint32_t width, struct qd_val *out)                                                \
	{                                                                                          \
		build_several(b, #fn, op, (struct qd_val[]){ v, mask, x }, width, out, 2);         \
	}

#define OP(...)
#define LOW(...)
#define ALU(...)
#define SUBGROUP(...)
#define NVVM(name, lower, sig, ...) DEFINE_##sig(qd_nvvm_##lower, OP_##name)
#include "op.def"

/* -- Compositions --------------------------------------------------------------------- */

struct qd_val
qd_nvvm_activemask(struct qd_builder *b)
{
	struct qd_val arg[2];

	if (!build_enter(b, "qd_nvvm_activemask"))
		return no_val;
	arg[0] = build_constant(b, QD_TYPE_BOOL, 1);
	arg[1] = build_constant(b, QD_TYPE_U32, UINT32_MAX);
	return build_push_op(b, OP_VOTE_BALLOT, QD_TYPE_U32, arg[0], arg[1], no_val);
}

enum relation { MASK_EQ, MASK_GE, MASK_GT, MASK_LE, MASK_LT };

/* Builds the mask relative to the current lane. A shift counts modulo 32. */
static struct qd_val
lane_mask(struct qd_builder *b, const char *name, enum relation relation)
{
	const qd_type u32 = QD_TYPE_U32;
	struct qd_val lane, bit, below;

	if (!build_enter(b, name))
		return no_val;
	lane = build_push(b, (struct ins){ .op = OP_LANE, .type = QD_TYPE_U32 });
	bit = build_push_op(b, OP_SHL, u32, build_constant(b, u32, 1), lane, no_val);
	if (relation == MASK_EQ)
		return bit;
	below = build_push_op(b, OP_SUB, u32, bit, build_constant(b, u32, 1), no_val);
	if (relation == MASK_LE || relation == MASK_GT)
		below = build_push_op(b, OP_OR, u32, below, bit, no_val);
	return relation == MASK_LT || relation == MASK_LE
		       ? below
		       : build_push_op(b, OP_NOT, u32, below, no_val, no_val);
}

#define LANE_MASK(fn, relation)                                                                    \
	struct qd_val fn(struct qd_builder *b)                                                     \
	{                                                                                          \
		return lane_mask(b, #fn, relation);                                                \
	}
LANE_MASK(qd_nvvm_lanemask_eq, MASK_EQ)
LANE_MASK(qd_nvvm_lanemask_ge, MASK_GE)
LANE_MASK(qd_nvvm_lanemask_gt, MASK_GT)
LANE_MASK(qd_nvvm_lanemask_le, MASK_LE)
LANE_MASK(qd_nvvm_lanemask_lt, MASK_LT)

void
qd_nvvm_nanosleep(struct qd_builder *b, struct qd_val ns)
{
	build_op(b, "qd_nvvm_nanosleep", OP_NANOSLEEP, &ns, 0);
}

struct qd_val
qd_nvvm_p2r(struct qd_builder *b, const struct qd_val *p, uint32_t n)
{
	const qd_type u32 = QD_TYPE_U32;
	struct qd_val word, bit;

	if (!build_enter(b, "qd_nvvm_p2r"))
		return no_val;
	if (!p) {
		FAIL(b, DIAG_E0354, "the list of predicates");
		return no_val;
	}
	if (n < 1 || n > 32) {
		FAIL(b, DIAG_E0231, n);
		return no_val;
	}
	word = build_constant(b, u32, 0);
	for (uint32_t i = 0; i < n && !b->failed; i++) {
		struct qd_val truth = build_truth(b, p[i]);

		bit = build_constant(b, u32, 1u << i);
		bit = build_push_op(b, OP_SELECT, u32, truth, bit, build_constant(b, u32, 0));
		word = build_push_op(b, OP_OR, u32, word, bit, no_val);
	}
	return b->failed ? no_val : word;
}

struct qd_val
qd_nvvm_r2p(struct qd_builder *b, struct qd_val v, struct qd_val i)
{
	const qd_type u32 = QD_TYPE_U32;

	if (!build_enter(b, "qd_nvvm_r2p"))
		return no_val;
	v = build_lane_operand(b, v, "word");
	i = build_lane_operand(b, i, "index");
	v = build_push_op(b, OP_SHR, u32, v, i, no_val);
	v = build_push_op(b, OP_AND, u32, v, build_constant(b, u32, 1), no_val);
	return build_push_op(b, OP_NE, QD_TYPE_BOOL, v, build_constant(b, u32, 0), no_val);
}
