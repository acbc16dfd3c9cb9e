/* Operations of floats of 32 and 64 bits. They round to nearest; valu.c rejects other modes. Approximate
 * operations (reciprocals, roots) return any value that the manual allows: for 32 bits one of the
 * two floats next to the exact value, for 64 bits a relative error of up to 2^-25. The error is a
 * function of the launch's seed, the operation and the input. Equal inputs give equal results in
 * all lanes, which integer divisions by compilers rely on. */
#include "number.h"

#define OP(name) void amd_op_##name(struct op *o)

#define F0 amd_in32(o, 0)
#define F1 amd_in32(o, 1)
#define F2 amd_in32(o, 2)
#define D0 amd_in64(o, 0)
#define D1 amd_in64(o, 1)
#define D2 amd_in64(o, 2)
#define OPF(name, expr) OP(name) { amd_out32(o, expr); }
#define OPD(name, expr) OP(name) { amd_out64(o, expr); }

OPF(add_f32, F0 + F1)
OPF(sub_f32, F0 - F1)
OPF(subrev_f32, F1 - F0)
OPF(mul_f32, F0 * F1)
OPF(fma_f32, fmaf(F0, F1, F2))
OPD(add_f64, D0 + D1)
OPD(mul_f64, D0 * D1)
OPD(fma_f64, fma(D0, D1, D2))
OPF(trunc_f32, truncf(F0))
OPF(ceil_f32, ceilf(F0))
OPF(floor_f32, floorf(F0))
OPF(rndne_f32, rintf(F0))
OPF(fmac_f32, fmaf(F1, F2, F0)) /* scalar: the addend is the old value of the destination */
/* A factor of zero makes the product +0, whatever the other is. */
OPF(mul_legacy_f32, F0 == 0 || F1 == 0 ? 0.0f : F0 * F1)
OPF(fma_legacy_f32, F0 == 0 || F1 == 0 ? 0.0f + F2 : fmaf(F0, F1, F2))
OPD(trunc_f64, trunc(D0))
OPD(ceil_f64, ceil(D0))
OPD(floor_f64, floor(D0))
OPD(rndne_f64, rint(D0))

/* -- Conversions --------------------------------------------------------------------------------- */

static uint32_t
to_i32(double v)
{
	if (isnan(v))
		return 0;
	if (v <= -2147483648.0)
		return 0x80000000;
	return v >= 2147483647.0 ? 0x7fffffff : (uint32_t)(int32_t)v;
}

static uint32_t
to_u32(double v)
{
	if (isnan(v) || v <= 0)
		return 0;
	return v >= 4294967295.0 ? UINT32_MAX : (uint32_t)v;
}

OP(i32_f32) { o->d = to_i32((double)F0); }
OP(u32_f32) { o->d = to_u32((double)F0); }
OP(i32_f64) { o->d = to_i32(D0); }
OP(u32_f64) { o->d = to_u32(D0); }
OPF(f32_i32, (float)(int32_t)(uint32_t)o->s[0])
OPF(f32_u32, (float)(uint32_t)o->s[0])
OPD(f64_i32, (double)(int32_t)(uint32_t)o->s[0])
OPD(f64_u32, (double)(uint32_t)o->s[0])
OPF(f32_f64, (float)D0)
OPD(f64_f32, (double)F0)
OPF(f32_ubyte0, (float)(o->s[0] & 255))
OPF(f32_ubyte1, (float)(o->s[0] >> 8 & 255))
OPF(f32_ubyte2, (float)(o->s[0] >> 16 & 255))
OPF(f32_ubyte3, (float)(o->s[0] >> 24 & 255))

/* -- Exponents ------------------------------------------------------------------------------------- */

static int
exponent32(float f)
{
	return (int)(f32_bits(f) >> 23 & 255);
}

static int
exponent64(double f)
{
	return (int)(f64_bits(f) >> 52 & 2047);
}

OPF(fract_f32, fminf(F0 - floorf(F0), 0x1.fffffep-1f))
OPD(fract_f64, fmin(D0 - floor(D0), 0x1.fffffffffffffp-1))
OPF(ldexp_f32, ldexpf(F0, (int32_t)(uint32_t)o->s[1]))
OPD(ldexp_f64, ldexp(D0, (int32_t)(uint32_t)o->s[1]))

static uint32_t
frexp_exponent(double v)
{
	int e = 0;

	if (!isfinite(v) || v == 0)
		return 0;
	(void)frexp(v, &e);
	return (uint32_t)e;
}

static double
frexp_mantissa(double v)
{
	int e = 0;

	return !isfinite(v) ? v : frexp(v, &e);
}

OP(frexp_exp_f32) { o->d = frexp_exponent((double)F0); }
OP(frexp_exp_f64) { o->d = frexp_exponent(D0); }
OPF(frexp_mant_f32, (float)frexp_mantissa((double)F0))
OPD(frexp_mant_f64, frexp_mantissa(D0))

/* -- Approximations ---------------------------------------------------------------------------------- */

static bool
is_tiny(double v, bool wide)
{
	return v != 0 && fabs(v) < (wide ? 0x1p-1022 : 0x1p-126);
}

/* Rounds twice, and flushes subnormals in every mode (Vega 7nm guide, V_MAD_F32). */
OP(mad_f32)
{
	float product = flushed32(flushed32(F0) * flushed32(F1));

	amd_out32(o, flushed32(product + flushed32(F2)));
}

enum approximation { RCP32 = 1, RSQ32, SQRT32, RCP64, RSQ64, SQRT64, EXP32, LOG32, SIN32, COS32 };

static uint32_t
error_of(const struct op *o, enum approximation which)
{
	uint64_t z = (o->s[0] ^ (o->seed * 8 + which) * 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;

	return (uint32_t)((z ^ z >> 29) * 0x94d049bb133111ebu >> 40);
}

/* Sets the result to one of the two floats next to v. */
static void
near32(struct op *o, enum approximation which, double in, double v)
{
	float f = (float)v;

	if (is_tiny(in, false) || (is_tiny(v, false) && (o->mode & MODE_OUT32)))
		o->cannot = "a subnormal";
	if (isfinite(f) && (double)f != v && (error_of(o, which) & 1))
		f = nextafterf(f, (double)f < v ? INFINITY : -INFINITY);
	amd_out32(o, f);
}

static void
near64(struct op *o, enum approximation which, double in, double v)
{
	double e = ((double)(error_of(o, which) & 0xffff) / 32768.0 - 1.0) * 0x1p-25;

	if (is_tiny(in, true) || (is_tiny(v, true) && (o->mode & MODE_OUT)))
		o->cannot = "a subnormal";
	amd_out64(o, isfinite(v) && v != 0 ? v * (1.0 + e) : v);
}

/* Dividing by the largest number below a power of two is correct only with the nearest reciprocal
 * (Markstein's exception). So v_rcp_f32 returns the nearest value there. */
OP(rcp_f32)
{
	near32(o, RCP32, (double)F0, 1.0 / (double)F0);
	if ((f32_bits(F0) & 0x7fffff) == 0x7fffff && !isnan(F0))
		amd_out32(o, (float)(1.0 / (double)F0));
}
OP(rsq_f32) { near32(o, RSQ32, (double)F0, 1.0 / sqrt((double)F0)); }
OP(sqrt_f32) { near32(o, SQRT32, (double)F0, sqrt((double)F0)); }
OP(rcp_f64) { near64(o, RCP64, D0, 1.0 / D0); }
OP(rsq_f64) { near64(o, RSQ64, D0, 1.0 / sqrt(D0)); }
OP(sqrt_f64) { near64(o, SQRT64, D0, sqrt(D0)); }
OP(exp_f32) { near32(o, EXP32, 0, exp2((double)F0)); }
OP(log_f32) { near32(o, LOG32, (double)F0, log2((double)F0)); }

/* Sets the sine of `turns` of 2 pi. */
static void
sine(struct op *o, enum approximation which, double turns)
{
	if (fabs(turns) > 256 && isfinite(turns))
		o->cannot = "an angle above 256 turns";
	near32(o, which, 0, isfinite(turns) ? sin((turns - rint(turns)) * 6.283185307179586) : (double)NAN);
}

OP(sin_f32) { sine(o, SIN32, (double)F0); }
OP(cos_f32) { sine(o, COS32, (double)F0 < 0 ? (double)F0 - 0.25 : (double)F0 + 0.25); }

/* -- Division; sources: value to scale, denominator, numerator -------------------------------------------- */

OP(div_scale_f32)
{
	float s = F0, den = F1, num = F2;
	double r = 1.0 / (double)den, q = (double)num / (double)den;
	bool same_den = f32_bits(s) == f32_bits(den), same_num = f32_bits(s) == f32_bits(num);

	o->out = false;
	if (num == 0 || den == 0) {
		s = NAN;
	} else if (exponent32(num) - exponent32(den) >= 96) {
		o->out = true;
		if (same_den)
			s = ldexpf(s, 64);
	} else if (is_tiny((double)den, false)) {
		s = ldexpf(s, 64);
	} else if (is_tiny(r, false) && is_tiny(q, false)) {
		o->out = true;
		if (same_den) /* the manual scales by 2^64 here, which would overflow */
			s = ldexpf(s, -64);
	} else if (is_tiny(r, false)) {
		s = ldexpf(s, -64);
	} else if (is_tiny(q, false)) {
		o->out = true;
		if (same_num)
			s = ldexpf(s, 64);
	} else if (exponent32(num) <= 23) {
		s = ldexpf(s, 64);
	}
	amd_out32(o, s);
}

OP(div_scale_f64)
{
	double s = D0, den = D1, num = D2, r = 1.0 / den, q = num / den;
	bool same_den = o->s[0] == o->s[1], same_num = o->s[0] == o->s[2];

	o->out = false;
	if (num == 0 || den == 0) {
		s = (double)NAN;
	} else if (exponent64(num) - exponent64(den) >= 768) {
		o->out = true;
		if (same_den)
			s = ldexp(s, 128);
	} else if (is_tiny(den, true)) {
		s = ldexp(s, 128);
	} else if (is_tiny(r, true) && is_tiny(q, true)) {
		o->out = true;
		if (same_den)
			s = ldexp(s, -128);
	} else if (is_tiny(r, true)) {
		s = ldexp(s, -128);
	} else if (is_tiny(q, true)) {
		o->out = true;
		if (same_num)
			s = ldexp(s, 128);
	} else if (exponent64(num) <= 53) {
		s = ldexp(s, 128);
	}
	amd_out64(o, s);
}

/* Returns a * b + c - v, accurately enough for its sign; v is the rounded a * b + c. */
static double
beyond(double a, double b, double c, double v)
{
	double p = a * b, low = fma(a, b, -p), s = p + c, from_c = s - p;
	double left = (p - (s - from_c)) + (c - from_c);

	return (s - v) + (left + low);
}

/* If the mask bit of v_div_scale is set, scales the quotient back with a single rounding. A tie
 * between two subnormals is resolved by the sign of the rest. */
OP(div_fmas_f32)
{
	float v = fmaf(F0, F1, F2), r;
	double more = beyond((double)F0, (double)F1, (double)F2, (double)v), wide, left;

	amd_out32(o, v);
	if (!o->in)
		return;
	wide = ldexp((double)v, exponent32(F2) > 127 ? 64 : -64);
	r = (float)wide;
	left = wide - (double)r;
	if (fabs(left) == ldexp(1, -150) && more != 0 && (more > 0) == (left > 0))
		r = (float)((double)r + copysign(ldexp(1, -149), left));
	amd_out32(o, r);
}

OP(div_fmas_f64)
{
	double v = fma(D0, D1, D2), more = beyond(D0, D1, D2, v), r, left;
	int by = exponent64(D2) > 1023 ? 128 : -128;

	amd_out64(o, v);
	if (!o->in)
		return;
	r = ldexp(v, by);
	left = v - ldexp(r, -by);
	if (fabs(left) == ldexp(1, -1075 - by) && more != 0 && (more > 0) == (left > 0))
		r += copysign(ldexp(1, -1074), left);
	amd_out64(o, r);
}

/* Returns the quotient with the correct sign, or the result of a special case. */
static double
fixed_up(double quotient, double den, double num, bool *nan_made)
{
	bool minus = signbit(den) != signbit(num);
	double sign = minus ? -1.0 : 1.0;

	*nan_made = false;
	if (isnan(num))
		return num;
	if (isnan(den))
		return den;
	if ((den == 0 && num == 0) || (isinf(den) && isinf(num))) {
		*nan_made = true;
		return (double)NAN;
	}
	if (den == 0 || isinf(num))
		return sign * (double)INFINITY;
	if (isinf(den) || num == 0)
		return sign * 0.0;
	if (isnan(quotient)) /* overflow of an earlier step; the manual omits this case */
		return sign * (double)INFINITY;
	return copysign(quotient, sign);
}

OP(div_fixup_f32)
{
	bool made;
	float q = (float)fixed_up((double)F0, (double)F1, (double)F2, &made);

	amd_out32(o, made ? f32_of(0xffc00000) : q);
	if (!made && exponent32(F2) - exponent32(F1) < -150 && isfinite(F1) && F2 != 0)
		amd_out32(o, copysignf(0.0f, q));
}

OP(div_fixup_f64)
{
	bool made;
	double q = fixed_up(D0, D1, D2, &made);

	amd_out64(o, made ? f64_of(UINT64_C(0xfff8000000000000)) : q);
	if (!made && exponent64(D2) - exponent64(D1) < -1075 && isfinite(D1) && D2 != 0)
		amd_out64(o, copysign(0.0, q));
}
