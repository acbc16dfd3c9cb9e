/* Identities of integer and bool arithmetic: what x op y is known to be when the
 * operands are one value or one of them is a constant.  Folding takes them on
 * any body, legalising on what its expansions bring in.  Floats have none: an
 * identity must hold for every bit. */
#include "ir.h"

static bool
commutes(enum op op)
{
	return op == OP_ADD || op == OP_MUL || op == OP_MULHI || op == OP_AND || op == OP_OR ||
	       op == OP_XOR || op == OP_EQ || op == OP_NE;
}

/* x op x */
static enum known
with_itself(enum op op)
{
	switch (op) {
	case OP_AND: case OP_OR: case OP_MIN: case OP_MAX:
		return KNOWN_A;
	case OP_SUB: case OP_XOR: case OP_NE: case OP_LT:
		return KNOWN_ZERO;
	case OP_EQ: case OP_LE:
		return KNOWN_ONE;
	default:
		return KNOWN_NOT;
	}
}

/* x op k: A is x, B is k. */
static enum known
with_constant(enum op op, qd_type t, uint64_t k)
{
	uint32_t width = type_bits(t);
	uint64_t all = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
	bool zero = k == 0, one = k == 1, ones = k == all, is_unsigned = !type_info[t].is_signed;

	switch (op) {
	case OP_ADD: case OP_SUB: case OP_XOR:
		return zero ? KNOWN_A : KNOWN_NOT;
	case OP_OR:
		return zero ? KNOWN_A : ones ? KNOWN_B : KNOWN_NOT;
	case OP_AND:
		return zero ? KNOWN_B : ones ? KNOWN_A : KNOWN_NOT;
	case OP_MUL:
		return zero ? KNOWN_B : one ? KNOWN_A : KNOWN_NOT;
	case OP_MULHI:
		return zero || (one && is_unsigned) ? KNOWN_ZERO : KNOWN_NOT;
	case OP_DIV:
		return one ? KNOWN_A : KNOWN_NOT;
	case OP_REM:
		return one ? KNOWN_ZERO : KNOWN_NOT;
	case OP_SHL: case OP_SHR:
		return (k & (width - 1)) == 0 ? KNOWN_A : KNOWN_NOT;
	case OP_LT:
		return zero && is_unsigned ? KNOWN_ZERO : KNOWN_NOT;
	case OP_LE:
		return ones && is_unsigned ? KNOWN_ONE : KNOWN_NOT;
	case OP_EQ:
		return t == QD_TYPE_BOOL && one ? KNOWN_A : KNOWN_NOT;
	case OP_NE:
		return t == QD_TYPE_BOOL && zero ? KNOWN_A : KNOWN_NOT;
	default:
		return KNOWN_NOT;
	}
}

enum known
ir_known(enum op op, qd_type t, bool same, const uint64_t *a, const uint64_t *b)
{
	static const uint8_t swapped[] = { [KNOWN_NOT] = KNOWN_NOT,  [KNOWN_A] = KNOWN_B,
					   [KNOWN_B] = KNOWN_A,	     [KNOWN_ZERO] = KNOWN_ZERO,
					   [KNOWN_ONE] = KNOWN_ONE };

	if (same)
		return with_itself(op);
	if (b)
		return with_constant(op, t, *b);
	if (a && commutes(op))
		return (enum known)swapped[with_constant(op, t, *a)];
	if (a && *a == 0 && (op == OP_SHL || op == OP_SHR))
		return KNOWN_A;
	return KNOWN_NOT;
}
