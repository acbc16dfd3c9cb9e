/* Floats, all 32 lanes at once, with the rounding mode that alu.c sets (PTX ISA 9.0, 9.7.3,
 * 9.7.4). Approximate functions are computed in double and rounded once, more exactly than on any
 * device. */
#include <math.h>

#include "half.h"
#include "table.h"

#define LANES for (unsigned l = 0; l < 32; l++)
#define FN(name) static void name(void *restrict dv, const void *const *s)

/* An f32 NaN is 7fffffff on every device. PTX does not specify the payload of an f64 NaN. */
static inline float
canon(float v)
{
	return v == v ? v : f32_of(0x7fffffff);
}

#define FN1(name, T, expr)                                                                         \
	FN(name)                                                                                   \
	{                                                                                          \
		T *d = dv;                                                                         \
		const T *ap = s[0];                                                                \
		LANES {                                                                            \
			T a = ap[l];                                                               \
			d[l] = (T)(expr);                                                          \
		}                                                                                  \
	}
#define FN2(name, T, expr)                                                                         \
	FN(name)                                                                                   \
	{                                                                                          \
		T *d = dv;                                                                         \
		const T *ap = s[0], *bp = s[1];                                                    \
		LANES {                                                                            \
			T a = ap[l], b = bp[l];                                                    \
			d[l] = (T)(expr);                                                          \
		}                                                                                  \
	}
#define FN3(name, T, expr)                                                                         \
	FN(name)                                                                                   \
	{                                                                                          \
		T *d = dv;                                                                         \
		const T *ap = s[0], *bp = s[1], *cp = s[2];                                        \
		LANES {                                                                            \
			T a = ap[l], b = bp[l], c = cp[l];                                         \
			d[l] = (T)(expr);                                                          \
		}                                                                                  \
	}

/* Defines name_f16, its pair name_f16x2, and the same for bf16; expr is evaluated in double. */
#define HALF(name, n, fmt, suffix, expr)                                                           \
	static inline uint16_t name##_one_##suffix(uint16_t x, uint16_t y, uint16_t z)             \
	{                                                                                          \
		double a = half_value(fmt, x), b = n > 1 ? half_value(fmt, y) : 0,                 \
		       c = n > 2 ? half_value(fmt, z) : 0;                                         \
		(void)b, (void)c;                                                                  \
		return half_round(fmt, expr, ROUND_NEAR);                                          \
	}                                                                                          \
	HALF_LANES(name, n, suffix)
#define HALF_LANES(name, n, suffix)                                                                \
	FN(name##_##suffix)                                                                        \
	{                                                                                          \
		uint16_t *d = dv;                                                                  \
		const uint16_t *a = s[0], *b = n > 1 ? s[1] : s[0], *c = n > 2 ? s[2] : s[0];      \
		LANES d[l] = name##_one_##suffix(a[l], b[l], c[l]);                                \
	}                                                                                          \
	FN(name##_##suffix##x2)                                                                    \
	{                                                                                          \
		uint32_t *d = dv;                                                                  \
		const uint32_t *a = s[0], *b = n > 1 ? s[1] : s[0], *c = n > 2 ? s[2] : s[0];      \
		LANES d[l] = name##_one_##suffix((uint16_t)a[l], (uint16_t)b[l], (uint16_t)c[l]) | \
			     (uint32_t)name##_one_##suffix((uint16_t)(a[l] >> 16),                 \
							   (uint16_t)(b[l] >> 16),                 \
							   (uint16_t)(c[l] >> 16))                 \
				     << 16;                                                        \
	}
#define HALVES(name, n, expr)                                                                      \
	HALF(name, n, half_f16, f16, expr)                                                         \
	HALF(name, n, half_bf16, bf16, expr)
#define TABLE(name)                                                                                \
	alu_table falu_##name = { [T_f32] = name##_f32,	    [T_f64] = name##_f64,                  \
				  [T_f16] = name##_f16,	    [T_f16x2] = name##_f16x2,              \
				  [T_bf16] = name##_bf16, [T_bf16x2] = name##_bf16x2 };
#define TABLE_NO_HALF(name) alu_table falu_##name = { [T_f32] = name##_f32, [T_f64] = name##_f64 };

/* -- Arithmetic --------------------------------------------------------------------------- */

#define ARITH(name, op)                                                                            \
	FN2(name##_f32, float, canon(a op b))                                                      \
	FN2(name##_f64, double, a op b)
ARITH(add, +)
ARITH(sub, -)
ARITH(mul, *)
ARITH(div, /)
/* Exact in double, or rounded to odd. */
HALVES(add, 2, sum_to_odd(a, b))
HALVES(sub, 2, sum_to_odd(a, -b))
HALVES(mul, 2, a *b)
TABLE(add)
TABLE(sub)
TABLE(mul)
TABLE_NO_HALF(div)

FN3(mad_f32, float, canon(fmaf(a, b, c)))
FN3(mad_f64, double, fma(a, b, c))
HALVES(mad, 3, sum_to_odd(a * b, c))
TABLE(mad)

/* abs and neg of f32 and f64. ptxas emits an addition for them. A NaN result has the canonical
 * bits in f32, and in f64 the operand's bits with the sign unchanged (measured on sm_90). PTX does
 * not specify the bits of an f64 NaN, so code must not rely on its sign: here only NaNs with bit 50
 * set keep it. */
static inline double
sign_f64(double v, uint64_t bits)
{
	uint64_t was;

	memcpy(&was, &v, sizeof was);
	if (v == v || !(was >> 50 & 1))
		memcpy(&v, &bits, sizeof v);
	return v;
}

static inline uint64_t
bits_f64(double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof bits);
	return bits;
}
FN1(abs_u16, uint16_t, a & 0x7fff)
FN1(abs_u16x2, uint32_t, a & 0x7fff7fff)
FN1(abs_f32, float, canon(fabsf(a)))
FN1(abs_f64, double, sign_f64(a, bits_f64(a) & ~(UINT64_C(1) << 63)))
FN1(neg_u16, uint16_t, a ^ 0x8000)
FN1(neg_u16x2, uint32_t, a ^ 0x80008000)
FN1(neg_f32, float, canon(-a))
FN1(neg_f64, double, sign_f64(a, bits_f64(a) ^ UINT64_C(1) << 63))
#define TABLE_BITS(name)                                                                           \
	alu_table falu_##name = { [T_f32] = name##_f32,	    [T_f64] = name##_f64,                  \
				  [T_f16] = name##_u16,	    [T_f16x2] = name##_u16x2,              \
				  [T_bf16] = name##_u16, [T_bf16x2] = name##_u16x2 };
TABLE_BITS(abs)
TABLE_BITS(neg)
FN2(copysign_f32, uint32_t, (a & 0x80000000) | (b & 0x7fffffff))
FN2(copysign_f64, uint64_t, (a & UINT64_C(1) << 63) | (b & ~(UINT64_C(1) << 63)))
TABLE_NO_HALF(copysign)

/* -- Minimum and maximum: -0 is below +0 -------------------------------------------------- */

static inline double
min_of(double a, double b, bool nan)
{
	if (isnan(a) || isnan(b))
		return nan || (isnan(a) && isnan(b)) ? (double)NAN : isnan(a) ? b : a;
	if (a == b)
		return signbit(a) ? a : b;
	return a < b ? a : b;
}
static inline double
max_of(double a, double b, bool nan)
{
	if (isnan(a) || isnan(b))
		return nan || (isnan(a) && isnan(b)) ? (double)NAN : isnan(a) ? b : a;
	if (a == b)
		return signbit(a) ? b : a;
	return a > b ? a : b;
}
FN2(min_f32, float, canon((float)min_of(a, b, false)))
FN2(max_f32, float, canon((float)max_of(a, b, false)))
FN2(min_f64, double, min_of(a, b, false))
FN2(max_f64, double, max_of(a, b, false))
FN2(min_nan_f32, float, canon((float)min_of(a, b, true)))
FN2(max_nan_f32, float, canon((float)max_of(a, b, true)))
HALVES(min, 2, min_of(a, b, false))
HALVES(max, 2, max_of(a, b, false))
HALVES(min_nan, 2, min_of(a, b, true))
HALVES(max_nan, 2, max_of(a, b, true))
TABLE(min)
TABLE(max)
#define TABLE_NO_F64(name)                                                                         \
	alu_table falu_##name = { [T_f32] = name##_f32,	    [T_f16] = name##_f16,                  \
				  [T_f16x2] = name##_f16x2, [T_bf16] = name##_bf16,                \
				  [T_bf16x2] = name##_bf16x2 };
TABLE_NO_F64(min_nan)
TABLE_NO_F64(max_nan)

/* -- Roots and approximate functions ------------------------------------------------------ */

FN1(sqrt_f32, float, canon(sqrtf(a)))
FN1(sqrt_f64, double, sqrt(a))
TABLE_NO_HALF(sqrt)
FN1(rcp_f32, float, canon(1 / a))
FN1(rcp_f64, double, 1 / a)
TABLE_NO_HALF(rcp)
/* The result for -0 is -inf. */
FN1(rsqrt_f32, float, canon((float)(a == 0 ? 1 / (double)a : 1 / sqrt((double)a))))
FN1(rsqrt_f64, double, a == 0 ? 1 / a : 1 / sqrt(a))
TABLE_NO_HALF(rsqrt)

#define LIBM(name, fn)                                                                             \
	FN1(name##_f32, float, canon((float)fn((double)a)))                                        \
	alu_table falu_##name = { [T_f32] = name##_f32 };
LIBM(sin, sin)
LIBM(cos, cos)
LIBM(lg2, log2)
#define LIBM_HALF(name, fn)                                                                        \
	FN1(name##_f32, float, canon((float)fn((double)a)))                                        \
	HALVES(name, 1, fn(a))                                                                     \
	TABLE_NO_F64(name)
LIBM_HALF(ex2, exp2)
LIBM_HALF(tanh, tanh)

/* -0 selects a, like +0. */
FN(slct_16)
{
	uint16_t *d = dv;
	const uint16_t *a = s[0], *b = s[1];
	const float *c = s[2];

	LANES d[l] = c[l] >= 0 ? a[l] : b[l];
}
FN(slct_32)
{
	uint32_t *d = dv;
	const uint32_t *a = s[0], *b = s[1];
	const float *c = s[2];

	LANES d[l] = c[l] >= 0 ? a[l] : b[l];
}
FN(slct_64)
{
	uint64_t *d = dv;
	const uint64_t *a = s[0], *b = s[1];
	const float *c = s[2];

	LANES d[l] = c[l] >= 0 ? a[l] : b[l];
}
alu_table falu_slct = { [T_u16] = slct_16, [T_s16] = slct_16, [T_b16] = slct_16, [T_u32] = slct_32,
			[T_s32] = slct_32, [T_b32] = slct_32, [T_f32] = slct_32, [T_u64] = slct_64,
			[T_s64] = slct_64, [T_b64] = slct_64, [T_f64] = slct_64 };
