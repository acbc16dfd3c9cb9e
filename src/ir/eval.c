/* Evaluates every per-lane operation on one lane. The functions are generated from op.def, one per
 * type. Both the constant folder and the interpreter use them, so that folding does not change a
 * result.
 *
 * Floats are evaluated in the default environment, one operation at a time, and are passed as bits.
 * The build disables contraction. */
#include "ir.h"

#include <assert.h>
#include <float.h>
#include <math.h>

_Static_assert(FLT_EVAL_METHOD == 0, "f32 is computed in f32");

/* -- Helpers used in op.def; W is the width, 32 or 64 ---------------------------- */

static uint64_t
eval_umulhi(uint64_t a, uint64_t b, uint32_t w)
{
	if (w == 32)
		return a * b >> 32;
	uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
	uint64_t mid = ah * bl + (al * bl >> 32);
	uint64_t mid2 = al * bh + (uint32_t)mid;
	return ah * bh + (mid >> 32) + (mid2 >> 32);
}

/* The signed product is the unsigned one, less the other operand times 2^w for
 * each negative operand. */
static uint64_t
eval_smulhi(int64_t a, int64_t b, uint32_t w)
{
	uint64_t mask = w == 32 ? UINT32_MAX : UINT64_MAX;
	uint64_t ua = (uint64_t)a & mask, ub = (uint64_t)b & mask;

	return eval_umulhi(ua, ub, w) - (a < 0 ? ub : 0) - (b < 0 ? ua : 0);
}

static uint32_t
eval_popcount(uint64_t v)
{
	uint32_t n = 0;

	for (; v; v &= v - 1)
		n++;
	return n;
}

static uint32_t
eval_clz(uint64_t v, uint32_t w)
{
	uint32_t n = w;

	for (uint32_t half = 32; half; half /= 2) {
		if (v >> half) {
			v >>= half;
			n -= half;
		}
	}
	return n - (uint32_t)v;
}

static uint32_t
eval_ffs(uint64_t v)
{
	return v ? 64 - eval_clz(v & (0 - v), 64) : 0;
}

/* The high word of hi:lo shifted left, and the low word of it shifted right. */
static uint64_t
eval_funnel_left(uint64_t hi, uint64_t lo, uint64_t count, uint32_t w)
{
	count &= w - 1;
	return count ? hi << count | lo >> (w - count) : hi;
}

static uint64_t
eval_funnel_right(uint64_t hi, uint64_t lo, uint64_t count, uint32_t w)
{
	count &= w - 1;
	return count ? hi << (w - count) | lo >> count : lo;
}

static uint64_t
eval_brev(uint64_t v, uint32_t w)
{
	static const uint64_t even[] = {
		0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
		0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff,
	};

	for (uint32_t i = 0; i < QD_COUNT(even); i++) {
		uint32_t shift = 1u << i;
		v = (v >> shift & even[i]) | (v & even[i]) << shift;
	}
	return v >> (64 - w);
}

/* Each 4 bits of the selector choose a byte of y:x. With bit 3 it is replaced by 8 copies of its
 * top bit. */
static uint32_t
eval_byte_permute(uint32_t x, uint32_t y, uint32_t selector)
{
	uint64_t bytes = (uint64_t)y << 32 | x;
	uint32_t r = 0;

	for (uint32_t i = 0; i < 4; i++) {
		uint32_t digit = selector >> 4 * i, byte = (uint32_t)(bytes >> 8 * (digit & 7)) & 0xff;
		if (digit & 8)
			byte = byte >> 7 ? 0xff : 0;
		r |= byte << 8 * i;
	}
	return r;
}

/* Adds the products of the bytes of x and y to acc. The sign bit of signed bytes is 0x80, else 0. */
static uint32_t
eval_dot4(uint32_t x, uint32_t y, uint32_t acc, uint32_t sign_x, uint32_t sign_y)
{
	for (uint32_t i = 0; i < 32; i += 8) {
		uint32_t a = ((x >> i & 0xff) ^ sign_x) - sign_x, b = ((y >> i & 0xff) ^ sign_y) - sign_y;
		acc += a * b;
	}
	return acc;
}

/* -- Functions for each type ------------------------------------------------------ */

/* A row has 0 for the types that it excludes; verify rejects them. */

#define WRAPS_NO	 false
#define WRAPS_EXACT	 false
#define WRAPS_WRAPS(c)	 (c)
#define EVAL_OVER(name)	 __builtin_##name##_overflow(a, b, &(T){ 0 })
#define EVAL_OVER_NEG	 __builtin_sub_overflow((T)0, a, &(T){ 0 })
#define EVAL_OVER_ABS	 (IS_LEAST)
#define EVAL_NO_QUOTIENT (b == 0 || (IS_LEAST && b == (T)-1))
#define EVAL_OVER_SHL                                                                              \
	(ub >= W ? a != 0 : __builtin_mul_overflow(a, UINT64_C(1) << ub, &(T){ 0 }))

#define INT(name)  name##_u32
#define U	   uint32_t
#define S	   int32_t
#define W	   32u
#define T	   U
#define EXPR(u, s) u
#define IS_LEAST   false
#include "eval_int.h"

#define INT(name)  name##_i32
#define U	   uint32_t
#define S	   int32_t
#define W	   32u
#define T	   S
#define EXPR(u, s) s
#define IS_LEAST   a == INT32_MIN
#include "eval_int.h"

#define INT(name)  name##_u64
#define U	   uint64_t
#define S	   int64_t
#define W	   64u
#define T	   U
#define EXPR(u, s) u
#define IS_LEAST   false
#include "eval_int.h"

#define INT(name)  name##_i64
#define U	   uint64_t
#define S	   int64_t
#define W	   64u
#define T	   S
#define EXPR(u, s) s
#define IS_LEAST   a == INT64_MIN
#include "eval_int.h"

/* The result of a float row is a float, or a truth value, as in its signature. */
#define FLOAT_UN(x)    RESULT(x)
#define FLOAT_BIN(x)   RESULT(x)
#define FLOAT_TER(x)   RESULT(x)
#define FLOAT_SHIFT(x) ((uint64_t)(x))
#define FLOAT_FUNNEL(x) ((uint64_t)(x))
#define FLOAT_DOT4(x)  ((uint64_t)(x))
#define FLOAT_COUNT(x) ((uint64_t)(x))
#define FLOAT_CMP(x)   ((uint64_t)(x))

#define F	      float
#define FLOAT(name)   name##_f32
#define RESULT(x)     f32_bits(x)
#define EVAL_FABS(x)  fabsf(x)
#define EVAL_FMA      fmaf
#define EVAL_SQRT(x)  sqrtf(x)
#define EVAL_FLOOR(x) floorf(x)
#define EVAL_CEIL(x)  ceilf(x)
#define EVAL_TRUNC(x) truncf(x)
#define EVAL_ROUND(x) rintf(x)
#define EVAL_EXP(x)   expf(x)
#define EVAL_LOG(x)   logf(x)
#define EVAL_SIN(x)   sinf(x)
#define EVAL_COS(x)   cosf(x)
#define EVAL_POW      powf
#define EVAL_LEAST    FLT_MIN
#define EVAL_TURNS    0x1.921fb6p+1f
#include "eval_float.h"

#define F	      double
#define FLOAT(name)   name##_f64
#define RESULT(x)     f64_bits(x)
#define EVAL_FABS(x)  fabs(x)
#define EVAL_FMA      fma
#define EVAL_SQRT(x)  sqrt(x)
#define EVAL_FLOOR(x) floor(x)
#define EVAL_CEIL(x)  ceil(x)
#define EVAL_TRUNC(x) trunc(x)
#define EVAL_ROUND(x) rint(x)
#define EVAL_EXP(x)   exp(x)
#define EVAL_LOG(x)   log(x)
#define EVAL_SIN(x)   sin(x)
#define EVAL_COS(x)   cos(x)
#define EVAL_POW      pow
#define EVAL_LEAST    DBL_MIN
#define EVAL_TURNS    0x1p20
#include "eval_float.h"

/* -- Conversion ------------------------------------------------------------------ */

/* Truncates and saturates; NaN gives 0. A f64 represents every f32, so one function suffices. */
static uint64_t
float_to_int(double v, qd_type to)
{
	switch (to) {
	case QD_TYPE_U32:
		return !(v > 0) ? 0 : v >= 0x1p32 ? UINT32_MAX : (uint32_t)v;
	case QD_TYPE_I32:
		return (uint32_t)(isnan(v)	 ? 0
				  : v <= -0x1p31 ? INT32_MIN
				  : v >= 0x1p31	 ? INT32_MAX
						 : (int32_t)v);
	case QD_TYPE_U64:
		return !(v > 0) ? 0 : v >= 0x1p64 ? UINT64_MAX : (uint64_t)v;
	default:
		assert(to == QD_TYPE_I64);
		return (uint64_t)(isnan(v)	 ? 0
				  : v <= -0x1p63 ? INT64_MIN
				  : v >= 0x1p63	 ? INT64_MAX
						 : (int64_t)v);
	}
}

static uint64_t
convert(qd_type from, qd_type to, uint64_t a)
{
	assert(type_is(from, TM_NUM) && type_is(to, TM_NUM));
	if (from == to)
		return a;
	if (type_info[from].is_float) {
		double v = from == QD_TYPE_F32 ? (double)f32_of(a) : f64_of(a);
		if (to == QD_TYPE_F32)
			return f32_bits((float)v);
		return to == QD_TYPE_F64 ? f64_bits(v) : float_to_int(v, to);
	}
	if (from == QD_TYPE_I32)
		a = (uint64_t)(int32_t)(uint32_t)a;
	if (to == QD_TYPE_F32)
		return f32_bits(type_info[from].is_signed ? (float)(int64_t)a : (float)a);
	if (to == QD_TYPE_F64)
		return f64_bits(type_info[from].is_signed ? (double)(int64_t)a : (double)a);
	return type_info[to].size == 4 ? (uint32_t)a : a;
}

/* Extends the low 24 bits as the type does. */
static uint64_t
low_24(qd_type type, uint64_t v)
{
	uint64_t sign = type_info[type].is_signed ? 0x800000 : 0;

	return ((v & 0xffffff) ^ sign) - sign;
}

/* The bytes of the selector are below 8. */
static uint32_t
byte_select(uint32_t high, uint32_t low, uint32_t selector)
{
	uint64_t bytes = (uint64_t)high << 32 | low;
	uint32_t r = 0;

	for (uint32_t i = 0; i < 32; i += 8)
		r |= (uint32_t)(bytes >> 8 * (selector >> i & 7) & 0xff) << i;
	return r;
}

static uint64_t
eval(enum op op, qd_type type, qd_type to, uint64_t a, uint64_t b, uint64_t c)
{
	switch (op) {
	case OP_SELECT: return a & 1 ? b : c;
	case OP_CVT: return convert(type, to, a);
	case OP_BITCAST:
		assert(type_bits(type) == type_bits(to));
		return a;
	case OP_LO: return (uint32_t)a;
	case OP_HI: return a >> 32;
	case OP_MUL24: return (uint32_t)(low_24(type, a) * low_24(type, b));
	case OP_BIT_SELECT: return (a & b) | (~a & c);
	case OP_BYTE_SELECT: return byte_select((uint32_t)a, (uint32_t)b, (uint32_t)c);
	case OP_WIDEN_F16: return ir_widen(QD_TYPE_F16, a);
	case OP_NARROW_F16: return ir_narrow(QD_TYPE_F16, a);
	case OP_NARROW_BF16: return ir_narrow(QD_TYPE_BF16, a);
	case OP_PAIR: return b << 32 | (uint32_t)a;
	default: break;
	}
	switch (type) {
	case QD_TYPE_BOOL: /* bool has one bit: a word's bitwise operation */
		return eval_u32(op, (uint32_t)a & 1, (uint32_t)b & 1, 0) & 1;
	case QD_TYPE_U32: return eval_u32(op, (uint32_t)a, (uint32_t)b, (uint32_t)c);
	case QD_TYPE_I32: return eval_i32(op, (uint32_t)a, (uint32_t)b, (uint32_t)c);
	case QD_TYPE_U64: return eval_u64(op, a, b, c);
	case QD_TYPE_I64: return eval_i64(op, a, b, c);
	case QD_TYPE_F32: return eval_f32(op, f32_of(a), f32_of(b), f32_of(c));
	case QD_TYPE_F64: return eval_f64(op, f64_of(a), f64_of(b), f64_of(c));
	default:
		assert(0 && "a value has one of the value types");
		return 0;
	}
}

/* Evaluates in the default float environment. The volatile copies keep the operation between the
 * changes of the environment. */
static QD_COLD uint64_t
eval_in_default_env(enum op op, qd_type type, qd_type to, uint64_t a, uint64_t b, uint64_t c)
{
	volatile uint64_t v[3] = { a, b, c }, r;
	fenv_t saved;
	bool entered = float_env_enter(&saved);

	r = eval(op, type, to, v[0], v[1], v[2]);
	float_env_leave(entered, &saved);
	return r;
}

uint64_t
ir_eval(enum op op, qd_type type, qd_type to, uint64_t a, uint64_t b, uint64_t c)
{
	if ((type_info[type].is_float || type_info[to].is_float) &&
	    QD_UNLIKELY(QD_FLOAT_ENV_CHANGED()))
		return eval_in_default_env(op, type, to, a, b, c);
	return eval(op, type, to, a, b, c);
}

/* -- Results that differ from arithmetic ---------------------------------------------- */

static bool
is_negative(qd_type type, uint64_t bits)
{
	return type_info[type].is_signed && bits >> (type_bits(type) - 1);
}

bool
ir_eval_wraps(enum op op, qd_type type, qd_type to, uint64_t a, uint64_t b)
{
	if (!type_is(type, TM_INT) || !type_is(to, TM_INT))
		return false;
	if (op == OP_CVT) {
		uint64_t r = convert(type, to, a);
		return convert(to, type, r) != a || is_negative(type, a) != is_negative(to, r);
	}
	switch (type) {
	case QD_TYPE_U32: return wraps_u32(op, (uint32_t)a, (uint32_t)b);
	case QD_TYPE_I32: return wraps_i32(op, (uint32_t)a, (uint32_t)b);
	case QD_TYPE_U64: return wraps_u64(op, a, b);
	default: return wraps_i64(op, a, b);
	}
}

/* -- Domains of the approximate functions --------------------------------------------- */

bool
ir_eval_agrees(enum op op, qd_type type, uint64_t a, uint64_t b)
{
	return type == QD_TYPE_F32 ? agrees_f32(op, f32_of(a), f32_of(b)) :
				     agrees_f64(op, f64_of(a), f64_of(b));
}

/* -- Storage types ------------------------------------------------------------------ */

/* Converts IEEE-754 binary16: 5 bits of exponent, bias 15, 10 of fraction. NaNs keep the part of
 * their payload that fits. */
static uint32_t
f16_to_f32(uint32_t h)
{
	uint32_t sign = (h & 0x8000) << 16, exp = h >> 10 & 0x1f, frac = h & 0x3ff;

	if (exp == 0x1f)
		return sign | 0x7f800000 | frac << 13;
	if (exp)
		return sign | (exp + 127 - 15) << 23 | frac << 13;
	/* zero or frac * 2^-24, which a f32 holds exactly */
	return sign | (uint32_t)f32_bits((float)frac * 0x1p-24f);
}

static uint32_t
f32_to_f16(uint32_t f)
{
	uint32_t sign = f >> 16 & 0x8000, mag = f & 0x7fffffff, exp = mag >> 23;

	if (mag > 0x7f800000) {
		uint32_t frac = mag >> 13 & 0x3ff;
		return sign | 0x7c00 | (frac ? frac : 0x200);
	}
	if (mag >= 0x477ff000) /* 65520, halfway from the largest to the next */
		return sign | 0x7c00;
	if (exp >= 127 - 14) {
		mag -= (uint32_t)(127 - 15) << 23;
		return sign | (mag + 0xfff + (mag >> 13 & 1)) >> 13;
	}
	if (exp < 127 - 25) /* less than half of the smallest */
		return sign;
	/* In units of 2^-24: the significand times 2^(exp - 126). */
	uint32_t shift = 126 - exp, significand = (mag & 0x7fffff) | 0x800000;
	uint32_t q = significand >> shift, half = 1u << (shift - 1);
	uint32_t rest = significand & (2 * half - 1);
	return sign | (q + (rest > half || (rest == half && (q & 1))));
}

static uint32_t
f32_to_bf16(uint32_t f)
{
	if ((f & 0x7fffffff) > 0x7f800000)
		return f >> 16 | (f & 0x7f0000 ? 0 : 0x40);
	return (f + 0x7fff + (f >> 16 & 1)) >> 16;
}

uint64_t
ir_widen(qd_type storage, uint64_t bits)
{
	switch (storage) {
	case QD_TYPE_I8:
		return (((uint32_t)bits & 0xff) ^ 0x80) - 0x80; /* sign-extends */
	case QD_TYPE_U8: return (uint8_t)bits;
	case QD_TYPE_I16: return (((uint32_t)bits & 0xffff) ^ 0x8000) - 0x8000;
	case QD_TYPE_U16: return (uint16_t)bits;
	case QD_TYPE_F16: return f16_to_f32((uint16_t)bits);
	case QD_TYPE_BF16: return (uint64_t)(uint16_t)bits << 16;
	default: return bits; /* a value type is its own storage */
	}
}

uint64_t
ir_narrow(qd_type storage, uint64_t bits)
{
	switch (storage) {
	case QD_TYPE_I8:
	case QD_TYPE_U8: return (uint8_t)bits;
	case QD_TYPE_I16:
	case QD_TYPE_U16: return (uint16_t)bits;
	case QD_TYPE_F16: return f32_to_f16((uint32_t)bits);
	case QD_TYPE_BF16: return f32_to_bf16((uint32_t)bits);
	default: return bits;
	}
}
