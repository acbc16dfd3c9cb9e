/* Builder calls: arithmetic, bits, comparisons, conversions. */
#include "build_call.h"

/* -- Per-lane operations ------------------------------------------------------------------ */

#define BINARY(fn, op)                                                                             \
	struct qd_val fn(struct qd_builder *b, struct qd_val x, struct qd_val y)                   \
	{                                                                                          \
		return build_op(b, #fn, op, (struct qd_val[]){ x, y }, 0);                         \
	}
#define UNARY(fn, op)                                                                              \
	struct qd_val fn(struct qd_builder *b, struct qd_val x)                                    \
	{                                                                                          \
		return build_op(b, #fn, op, &x, 0);                                                \
	}
/* gt and ge are lt and le with the operands exchanged. */
#define EXCHANGED(fn, op)                                                                          \
	struct qd_val fn(struct qd_builder *b, struct qd_val x, struct qd_val y)                   \
	{                                                                                          \
		return build_op(b, #fn, op, (struct qd_val[]){ y, x }, 0);                         \
	}

/* clang-format off */
BINARY(qd_add, OP_ADD)
BINARY(qd_sub, OP_SUB)
BINARY(qd_mul, OP_MUL)
BINARY(qd_div, OP_DIV)
BINARY(qd_rem, OP_REM)
BINARY(qd_min, OP_MIN)
BINARY(qd_max, OP_MAX)
BINARY(qd_mulhi, OP_MULHI)
BINARY(qd_and, OP_AND)
BINARY(qd_or, OP_OR)
BINARY(qd_xor, OP_XOR)
UNARY(qd_neg, OP_NEG)
UNARY(qd_abs, OP_ABS)
UNARY(qd_sqrt, OP_SQRT)
UNARY(qd_floor, OP_FLOOR)
UNARY(qd_ceil, OP_CEIL)
UNARY(qd_trunc, OP_TRUNC)
UNARY(qd_round, OP_ROUND)
UNARY(qd_exp, OP_EXP)
UNARY(qd_log, OP_LOG)
UNARY(qd_sin, OP_SIN)
UNARY(qd_cos, OP_COS)
BINARY(qd_pow, OP_POW)
UNARY(qd_not, OP_NOT)
UNARY(qd_popcount, OP_POPCOUNT)
UNARY(qd_clz, OP_CLZ)
UNARY(qd_ffs, OP_FFS)
UNARY(qd_brev, OP_BREV)
BINARY(qd_shl, OP_SHL)
BINARY(qd_shr, OP_SHR)
BINARY(qd_eq, OP_EQ)
BINARY(qd_ne, OP_NE)
BINARY(qd_lt, OP_LT)
BINARY(qd_le, OP_LE)
EXCHANGED(qd_gt, OP_LT)
EXCHANGED(qd_ge, OP_LE)
/* clang-format on */

struct qd_val
qd_fma(struct qd_builder *b, struct qd_val x, struct qd_val y, struct qd_val z)
{
	return build_op(b, "qd_fma", OP_FMA, (struct qd_val[]){ x, y, z }, 0);
}

struct qd_val
qd_clamp(struct qd_builder *b, struct qd_val x, struct qd_val lo, struct qd_val hi)
{
	qd_type t;

	if (!build_enter(b, "qd_clamp") || !(t = build_operands(b, x, lo, TM_NUM)) ||
	    !build_operands(b, x, hi, TM_NUM))
		return no_val;
	return build_push_op(b, OP_MIN, t, build_push_op(b, OP_MAX, t, x, lo, no_val), hi, no_val);
}

/* Returns x / y rounded down: one less than the truncated quotient if the remainder is not 0 and
 * its sign differs from y's. */
struct qd_val
qd_floordiv(struct qd_builder *b, struct qd_val x, struct qd_val y)
{
	struct qd_val q, r, off, zero;
	qd_type t;

	if (!build_enter(b, "qd_floordiv") || !(t = build_operands(b, x, y, TM_NUM)))
		return no_val;
	q = build_push_op(b, OP_DIV, t, x, y, no_val);
	if (type_info[t].is_float)
		return build_push_op(b, OP_FLOOR, t, q, no_val, no_val);
	if (!type_info[t].is_signed)
		return q;
	r = build_push_op(b, OP_REM, t, x, y, no_val);
	zero = build_constant(b, t, 0);
	off = build_push_op(b, OP_LT, QD_TYPE_BOOL, build_push_op(b, OP_XOR, t, r, y, no_val), zero,
			    no_val);
	off = build_push_op(b, OP_AND, QD_TYPE_BOOL, off,
			    build_push_op(b, OP_NE, QD_TYPE_BOOL, r, zero, no_val), no_val);
	off = build_push_op(b, OP_AND, QD_TYPE_BOOL, off,
			    build_push_op(b, OP_NE, QD_TYPE_BOOL, y, zero, no_val), no_val);
	return build_push_op(b, OP_SELECT, t, off,
			     build_push_op(b, OP_SUB, t, q, build_constant(b, t, 1), no_val), q);
}

/* Returns the remainder of floordiv, which has y's sign. For y = 0 it is x, as for rem. */
struct qd_val
qd_floormod(struct qd_builder *b, struct qd_val x, struct qd_val y)
{
	struct qd_val r, off, zero;
	qd_type t;

	if (!build_enter(b, "qd_floormod") || !(t = build_operands(b, x, y, TM_INT)))
		return no_val;
	r = build_push_op(b, OP_REM, t, x, y, no_val);
	if (!type_info[t].is_signed)
		return r;
	zero = build_constant(b, t, 0);
	off = build_push_op(b, OP_LT, QD_TYPE_BOOL, build_push_op(b, OP_XOR, t, r, y, no_val), zero,
			    no_val);
	off = build_push_op(b, OP_AND, QD_TYPE_BOOL, off,
			    build_push_op(b, OP_NE, QD_TYPE_BOOL, r, zero, no_val), no_val);
	off = build_push_op(b, OP_AND, QD_TYPE_BOOL, off,
			    build_push_op(b, OP_NE, QD_TYPE_BOOL, y, zero, no_val), no_val);
	return build_push_op(b, OP_SELECT, t, off, build_push_op(b, OP_ADD, t, r, y, no_val), r);
}

struct qd_val
qd_isnan(struct qd_builder *b, struct qd_val x)
{
	if (!build_enter(b, "qd_isnan") || !build_operand(b, x, TM_FLT))
		return no_val;
	return build_push_op(b, OP_NE, QD_TYPE_BOOL, x, x, no_val);
}

struct qd_val
qd_isinf(struct qd_builder *b, struct qd_val x)
{
	qd_type t;

	if (!build_enter(b, "qd_isinf") || !(t = build_operand(b, x, TM_FLT)))
		return no_val;
	x = build_push_op(b, OP_ABS, t, x, no_val, no_val);
	return build_push_op(
		b, OP_EQ, QD_TYPE_BOOL, x,
		build_constant(b, t, t == QD_TYPE_F32 ? 0x7f800000 : UINT64_C(0x7ff0000000000000)),
		no_val);
}

struct qd_val
qd_select(struct qd_builder *b, struct qd_val c, struct qd_val x, struct qd_val y)
{
	return build_op(b, "qd_select", OP_SELECT, (struct qd_val[]){ c, x, y }, 0);
}

struct qd_val
qd_cast(struct qd_builder *b, qd_type to, struct qd_val x)
{
	qd_type t;

	if (!build_enter(b, "qd_cast"))
		return no_val;
	if (!type_given(to, TM_ALL)) {
		FAIL(b, DIAG_E0324, qd_type_name(to), "a value");
		return no_val;
	}
	if (!(t = build_operand(b, x, TM_ALL)) || t == to)
		return x;
	if (to == QD_TYPE_BOOL)
		return build_truth(b, x);
	if (t == QD_TYPE_BOOL) {
		struct qd_val one =
			build_constant(b, to, to == QD_TYPE_F32	  ? 0x3f800000
					      : to == QD_TYPE_F64 ? UINT64_C(0x3ff0000000000000)
								  : 1);

		return build_push_op(b, OP_SELECT, to, x, one, build_constant(b, to, 0));
	}
	return build_push_op(b, OP_CVT, to, x, no_val, no_val);
}

struct qd_val
qd_bitcast(struct qd_builder *b, qd_type to, struct qd_val x)
{
	qd_type t;

	if (!build_enter(b, "qd_bitcast") || !(t = build_operand(b, x, TM_NUM)))
		return no_val;
	if (!type_given(to, TM_NUM) || type_info[t].size != type_info[to].size) {
		FAIL(b, DIAG_E0304, type_info[t].name, qd_type_name(to));
		return no_val;
	}
	return t == to ? x : build_push_op(b, OP_BITCAST, to, x, no_val, no_val);
}
