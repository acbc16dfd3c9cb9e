/* Operations on one integer type, from op.def. eval.c includes this file once per type, with
 *   INT(name)   the name with the type's suffix
 *   U, S, W     the unsigned and the signed type of the width, and the width
 *   T           the type of the operands: U or S
 *   EXPR(u, s)  the one of the two expressions that is for T
 *   IS_LEAST    whether a is the least value of a signed type */
#define OP(...)

static uint64_t
INT(eval)(enum op op, U ua, U ub, U c)
{
	T a = (T)ua, b = (T)ub;

	switch (op) {
#define ALU(name, text, sig, types, count, laws, u, s, f)                                          \
	case OP_##name:                                                                            \
		return (U)(EXPR(u, s));
#include "op.def"
	default:
		assert(0 && "not a per-lane operation");
		return 0;
	}
}

#define OP(...)

/* Returns whether the result differs from the arithmetic one. */
static bool
INT(wraps)(enum op op, U ua, U ub)
{
	T a = (T)ua, b = (T)ub;

	switch (op) {
#define ALU(name, text, sig, types, count, laws, u, s, f)                                          \
	case OP_##name:                                                                            \
		return WRAPS_##count;
#include "op.def"
	default: return false;
	}
}

#undef INT
#undef U
#undef S
#undef W
#undef T
#undef EXPR
#undef IS_LEAST
