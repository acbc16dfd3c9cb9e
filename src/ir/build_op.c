/* Builder calls: arithmetic, bits, comparisons, conversions. */
#include "build_call.h"
#include "composed.h"

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

/* -- Functions composed of operations -------------------------------------------------------- */

struct building {
	struct composer c;
	struct qd_builder *b;
	struct qd_val v[COMPOSED_MAX_VALUE];
};

static void
build_step(struct composer *c, uint32_t to, enum op op, qd_type type, const uint32_t *from, uint32_t n)
{
	struct building *s = (struct building *)c;

	s->v[to] = build_push_op(s->b, op, type, s->v[from[0]], n > 1 ? s->v[from[1]] : no_val,
				 n > 2 ? s->v[from[2]] : no_val);
}

static void
build_number(struct composer *c, uint32_t to, qd_type type, uint64_t bits)
{
	struct building *s = (struct building *)c;

	s->v[to] = build_constant(s->b, type, bits);
}

static struct qd_val
compose(struct qd_builder *b, const char *name, enum composed_id id, const struct qd_val *arg)
{
	const struct composed *f = &composed[id];
	struct building s = { .c = { .apply = build_step, .constant = build_number }, .b = b };

	if (!build_enter(b, name))
		return no_val;
	for (uint32_t i = 0; i < f->n_same; i++) {
		s.v[i] = arg[i];
		s.c.type[i] = (uint8_t)build_operands(b, arg[0], arg[i], f->types);
		if (!s.c.type[i])
			return no_val;
	}
	for (uint32_t i = f->n_same; i < (uint32_t)f->n_same + f->n_counts; i++)
		s.v[i] = build_count_operand(b, arg[i]);
	return b->failed ? no_val : s.v[composed_apply(id, &s.c)];
}

#define PARAMS_T    struct qd_val x
#define PARAMS_TT   struct qd_val x, struct qd_val y
#define PARAMS_TTT  struct qd_val x, struct qd_val y, struct qd_val z
#define PARAMS_TTTT struct qd_val x, struct qd_val y, struct qd_val z, struct qd_val w
#define PARAMS_TN   struct qd_val x, struct qd_val n
#define PARAMS_TNN  struct qd_val x, struct qd_val first, struct qd_val n
#define PARAMS_TTNN struct qd_val x, struct qd_val y, struct qd_val first, struct qd_val n
#define ARGS_T	    x
#define ARGS_TT	    x, y
#define ARGS_TTT    x, y, z
#define ARGS_TTTT   x, y, z, w
#define ARGS_TN	    x, n
#define ARGS_TNN    x, first, n
#define ARGS_TTNN   x, y, first, n
#define COMPOSED(name, types, operands, result)                                                    \
	struct qd_val qd_##name(struct qd_builder *b, PARAMS_##operands)                           \
	{                                                                                          \
		return compose(b, "qd_" #name, COMPOSED_##name, (struct qd_val[]){ ARGS_##operands }); \
	}
#include "composed.def"

/* -- Three operands, selection, conversions ------------------------------------------------------ */

struct qd_val
qd_funnel_left(struct qd_builder *b, struct qd_val hi, struct qd_val lo, struct qd_val n)
{
	return build_op(b, "qd_funnel_left", OP_FUNNEL_LEFT, (struct qd_val[]){ hi, lo, n }, 0);
}

struct qd_val
qd_funnel_right(struct qd_builder *b, struct qd_val hi, struct qd_val lo, struct qd_val n)
{
	return build_op(b, "qd_funnel_right", OP_FUNNEL_RIGHT, (struct qd_val[]){ hi, lo, n }, 0);
}

#define TERNARY(name, op)                                                                          \
	struct qd_val qd_##name(struct qd_builder *b, struct qd_val x, struct qd_val y, struct qd_val z) \
	{                                                                                          \
		return build_op(b, "qd_" #name, op, (struct qd_val[]){ x, y, z }, 0);              \
	}
TERNARY(fma, OP_FMA)
TERNARY(byte_permute, OP_BYTE_PERMUTE)
TERNARY(dot4_i8, OP_DOT4_I8)
TERNARY(dot4_u8, OP_DOT4_U8)
TERNARY(dot4_i8u8, OP_DOT4_I8U8)

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
