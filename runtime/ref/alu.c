/* Evaluation of an operation over an array of lanes. The most frequent operations have loops of
 * their own here, for speed only. ir_eval defines the results; the unit tests compare every loop
 * with it. */
#include "interp.h"

static inline int32_t
i32_of(uint64_t bits)
{
	return (int32_t)(uint32_t)bits;
}

static inline int64_t
i64_of(uint64_t bits)
{
	return (int64_t)bits;
}

static inline uint32_t
u32_of(uint64_t bits)
{
	return (uint32_t)bits;
}

static inline uint64_t
u64_of(uint64_t bits)
{
	return bits;
}

/* x and y: the operands as type T; the expression gives the result's bits. */
#define EACH(T, get, expr)                                                                         \
	do {                                                                                       \
		for (uint32_t l = 0; l < n; l++) {                                                 \
			const T x = get(a[l]), y = get(b[l]);                                      \
			r[l] = (expr);                                                             \
		}                                                                                  \
		return true;                                                                       \
	} while (0)

#define ARITH(name, op)                                                                            \
	static bool name(qd_type type, uint32_t n, const uint64_t *restrict a,                     \
			 const uint64_t *restrict b, uint64_t *restrict r)                         \
	{                                                                                          \
		switch (type) {                                                                    \
		case QD_TYPE_I32:                                                                  \
		case QD_TYPE_U32: EACH(uint32_t, u32_of, u32_of((uint64_t)x op y));                \
		case QD_TYPE_I64:                                                                  \
		case QD_TYPE_U64: EACH(uint64_t, u64_of, x op y);                                  \
		case QD_TYPE_F32: EACH(float, f32_of, f32_bits(x op y));                        \
		case QD_TYPE_F64: EACH(double, f64_of, f64_bits(x op y));                       \
		default: return false;                                                             \
		}                                                                                  \
	}

#define COMPARE(name, op)                                                                          \
	static bool name(qd_type type, uint32_t n, const uint64_t *restrict a,                     \
			 const uint64_t *restrict b, uint64_t *restrict r)                         \
	{                                                                                          \
		switch (type) {                                                                    \
		case QD_TYPE_I32: EACH(int32_t, i32_of, x op y);                                   \
		case QD_TYPE_I64: EACH(int64_t, i64_of, x op y);                                   \
		case QD_TYPE_BOOL:                                                                 \
		case QD_TYPE_U32:                                                                  \
		case QD_TYPE_U64: EACH(uint64_t, u64_of, x op y);                                  \
		case QD_TYPE_F32: EACH(float, f32_of, x op y);                                     \
		case QD_TYPE_F64: EACH(double, f64_of, x op y);                                    \
		default: return false;                                                             \
		}                                                                                  \
	}

/* Integers only: the order of floats must handle signed zeros and NaNs. */
#define CHOOSE(name, op)                                                                           \
	static bool name(qd_type type, uint32_t n, const uint64_t *restrict a,                     \
			 const uint64_t *restrict b, uint64_t *restrict r)                         \
	{                                                                                          \
		switch (type) {                                                                    \
		case QD_TYPE_I32: EACH(int32_t, i32_of, x op y ? a[l] : b[l]);                     \
		case QD_TYPE_I64: EACH(int64_t, i64_of, x op y ? a[l] : b[l]);                     \
		case QD_TYPE_U32:                                                                  \
		case QD_TYPE_U64: EACH(uint64_t, u64_of, x op y ? a[l] : b[l]);                    \
		default: return false;                                                             \
		}                                                                                  \
	}

/* Zero-extended operands give zero-extended results. */
#define BITWISE(name, op)                                                                          \
	static bool name(qd_type type, uint32_t n, const uint64_t *restrict a,                     \
			 const uint64_t *restrict b, uint64_t *restrict r)                         \
	{                                                                                          \
		(void)type;                                                                        \
		EACH(uint64_t, u64_of, x op y);                                                    \
	}

ARITH(add, +)
ARITH(sub, -)
ARITH(mul, *)
COMPARE(equal, ==)
COMPARE(differ, !=)
COMPARE(less, <)
COMPARE(less_equal, <=)
CHOOSE(least, <)
CHOOSE(greatest, >)
BITWISE(and_bits, &)
BITWISE(or_bits, |)
BITWISE(xor_bits, ^)

static bool
shift_left(qd_type type, uint32_t n, const uint64_t *restrict a, const uint64_t *restrict b,
	   uint64_t *restrict r)
{
	if (type_info[type].size == 8)
		EACH(uint64_t, u64_of, x << (y & 63));
	EACH(uint32_t, u32_of, x << (y & 31));
}

static bool
shift_right(qd_type type, uint32_t n, const uint64_t *restrict a, const uint64_t *restrict b,
	    uint64_t *restrict r)
{
	switch (type) {
	case QD_TYPE_U32: EACH(uint32_t, u32_of, x >> (y & 31));
	case QD_TYPE_U64: EACH(uint64_t, u64_of, x >> (y & 63));
	default: return false;
	}
}

static bool
fast(enum op op, qd_type type, uint32_t n, const uint64_t *a, const uint64_t *b, uint64_t *r)
{
	switch (op) {
	case OP_ADD: return add(type, n, a, b, r);
	case OP_SUB: return sub(type, n, a, b, r);
	case OP_MUL: return mul(type, n, a, b, r);
	case OP_EQ: return equal(type, n, a, b, r);
	case OP_NE: return differ(type, n, a, b, r);
	case OP_LT: return less(type, n, a, b, r);
	case OP_LE: return less_equal(type, n, a, b, r);
	case OP_MIN: return least(type, n, a, b, r);
	case OP_MAX: return greatest(type, n, a, b, r);
	case OP_AND: return and_bits(type, n, a, b, r);
	case OP_OR: return or_bits(type, n, a, b, r);
	case OP_XOR: return xor_bits(type, n, a, b, r);
	case OP_SHL: return shift_left(type, n, a, b, r);
	case OP_SHR: return shift_right(type, n, a, b, r);
	default: return false;
	}
}

void
interp_alu(enum op op, qd_type type, qd_type to, uint32_t n, const uint64_t *a, const uint64_t *b,
	   const uint64_t *c, uint64_t *r)
{
	if (op == OP_BITCAST || (op == OP_CVT && type == to)) {
		memcpy(r, a, n * sizeof *r);
	} else if (op == OP_SELECT) {
		for (uint32_t l = 0; l < n; l++)
			r[l] = a[l] ? b[l] : c[l];
	} else if (!b || !fast(op, type, n, a, b, r)) {
		for (uint32_t l = 0; l < n; l++)
			r[l] = ir_eval(op, type, to, a[l], b ? b[l] : 0, c ? c[l] : 0);
	}
}
