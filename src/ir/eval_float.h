/* Operations on one float type, from op.def. eval.c includes this file once per type, with
 *   F, FLOAT(name)  the type; the name with the type's suffix
 *   RESULT(x)       the bits of a float
 *   EVAL_x          the functions of the C library for this type
 *   EVAL_LEAST, EVAL_TURNS  the least normal number; the bound of sin and cos */
#define OP(...)

static uint64_t
FLOAT(eval)(enum op op, F a, F b, F c)
{
	switch (op) {
#define ALU(name, text, sig, types, count, laws, u, s, f)                                          \
	case OP_##name:                                                                            \
		return FLOAT_##sig(f);
#include "op.def"
	default:
		assert(0 && "not a per-lane operation");
		return 0;
	}
}

#define OP(...)

/* Returns whether an approximate function is inside of its domain. */
static bool
FLOAT(agrees)(enum op op, F a, F b)
{
	switch (op) {
#define ALU(...)
#define APPROX(name, text, sig, types, f, inside, where)                                           \
	case OP_##name:                                                                            \
		return (inside);
#include "op.def"
	default: return true;
	}
}

#undef F
#undef FLOAT
#undef RESULT
#undef EVAL_FABS
#undef EVAL_FMA
#undef EVAL_SQRT
#undef EVAL_FLOOR
#undef EVAL_CEIL
#undef EVAL_TRUNC
#undef EVAL_ROUND
#undef EVAL_EXP
#undef EVAL_LOG
#undef EVAL_SIN
#undef EVAL_COS
#undef EVAL_POW
#undef EVAL_LEAST
#undef EVAL_TURNS
