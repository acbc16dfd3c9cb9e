/* Builder calls: what lanes of a warp do together.  Members are the first argument, the
 * value is the first operand. */
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

#define OP(...)
#define LOW(...)
#define ALU(...)
#define SUBGROUP(...)
#define NVVM(name, lower, sig, ...) DEFINE_##sig(qd_nvvm_##lower, OP_##name)
#include "op.def"
