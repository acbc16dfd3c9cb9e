/* Operations of 16-bit floats, conversions from and to them, and results with modifiers. */
#include "number.h"

#define OP(name) void amd_op_##name(struct op *o)

/* -- Values ------------------------------------------------------------------------------------- */

double
amd_half(uint64_t bits)
{
	unsigned exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
	uint64_t sign = (bits >> 15 & 1) << 63;

	if (exponent == 31)
		return f64_of(sign | UINT64_C(0x7ff) << 52 | (uint64_t)fraction << 42);
	if (!exponent)
		return copysign((double)fraction * 0x1p-24, sign ? -1.0 : 1.0);
	return f64_of(sign | (uint64_t)(exponent - 15 + 1023) << 52 | (uint64_t)fraction << 42);
}

uint16_t
amd_half_bits(double v, bool toward_zero)
{
	uint16_t sign = signbit(v) ? 0x8000 : 0;
	double a = fabs(v), unit, n;
	int e;

	if (isnan(v))
		return (uint16_t)(sign | 0x7e00 | (f64_bits(v) >> 42 & 0x3ff));
	if (isinf(v))
		return sign | 0x7c00;
	if (a < 0x1p-14) {
		n = a * 0x1p24;
		return (uint16_t)(sign | (unsigned)(toward_zero ? floor(n) : rint(n)));
	}
	if (toward_zero && a >= 65504.0)
		return sign | 0x7bff;
	(void)frexp(a, &e); /* a is in [2^(e-1), 2^e) */
	unit = ldexp(1.0, e - 11);
	n = toward_zero ? floor(a / unit) : rint(a / unit);
	a = n * unit;
	if (a >= 65536.0)
		return sign | 0x7c00;
	(void)frexp(a, &e);
	return (uint16_t)(sign | (unsigned)(e + 14) << 10 |
			  ((unsigned)(a / ldexp(1.0, e - 11)) & 0x3ff));
}

/* -- Results ------------------------------------------------------------------------------------- */

/* Flushes subnormals, below `least`, and multiplies by 2 or 4, or halves. The guides: output
 * modifiers are ignored in IEEE mode and if subnormal results are kept; they make +0 of -0. */
static double
scaled(const struct op *o, double v, double least)
{
	static const double by[4] = { 1.0, 2.0, 4.0, 0.5 };

	v = flushed(v, least);
	if (!o->omod || o->ieee)
		return v;
	v = flushed(v * by[o->omod], least);
	return v == 0 ? 0.0 : v;
}

static double
clamped(struct op *o, double v)
{
	if (!o->clamp)
		return v;
	o->clamped = true;
	if (isnan(v) && !(o->mode & MODE_CLAMP_NAN))
		return v;
	return v > 0 ? (v < 1 ? v : 1.0) : 0.0;
}

void
amd_out32_modified(struct op *o, float v)
{
	if (!(o->mode & MODE_OUT32))
		v = (float)scaled(o, (double)v, 0x1p-126);
	o->d = f32_bits(o->clamp ? (float)clamped(o, (double)v) : v);
}

void
amd_out64_modified(struct op *o, double v)
{
	if (!(o->mode & MODE_OUT))
		v = scaled(o, v, 0x1p-1022);
	o->d = f64_bits(clamped(o, v));
}

void
amd_out16(struct op *o, double v)
{
	o->half = true;
	o->d = amd_half_bits(v, false);
	if (QD_LIKELY(!o->clamp && (o->mode & MODE_OUT)))
		return;
	v = amd_half(o->d);
	if (!(o->mode & MODE_OUT))
		v = scaled(o, v, 0x1p-14);
	o->d = amd_half_bits(clamped(o, v), false);
}

/* -- Arithmetic ------------------------------------------------------------------------------------ */

#define H0 amd_in16(o, 0)
#define H1 amd_in16(o, 1)
#define H2 amd_in16(o, 2)
#define OPH(name, expr) OP(name) { amd_out16(o, expr); }

/* Sums and products of halves are exact as doubles, so that they are rounded once. */
OPH(add_f16, H0 + H1)
OPH(sub_f16, H0 - H1)
OPH(subrev_f16, H1 - H0)
OPH(mul_f16, H0 * H1)

/* Returns a * b + c as a double that rounds to the half that the exact value rounds to: rounded to
 * odd, with more than 2 bits more than a half. */
static double
fused(double a, double b, double c)
{
	double p = a * b, s = p + c, from_c = s - p, rest = (p - (s - from_c)) + (c - from_c);
	uint64_t bits = f64_bits(s);

	if (!isfinite(s) || rest == 0 || (bits & 1))
		return s;
	return f64_of((rest > 0) == (s > 0) ? bits + 1 : bits - 1);
}

OPH(fma_f16, fused(H0, H1, H2))
OPH(sfmac_f16, fused(H1, H2, H0)) /* scalar: the addend is the old value of the destination */

/* Rounds twice. Compilers use it only where subnormals are flushed. */
OP(mad_f16)
{
	double product = flushed(amd_half(amd_half_bits(H0 * H1, false)), 0x1p-14);
	double sum = amd_half(amd_half_bits(product + H2, false));

	if ((o->mode & (MODE_IN | MODE_OUT)) &&
	    (flushed(H0, 0x1p-14) != H0 || flushed(H1, 0x1p-14) != H1 || flushed(H2, 0x1p-14) != H2 ||
	     product != H0 * H1 || flushed(sum, 0x1p-14) != sum))
		o->cannot = "a subnormal or inexact product of v_mad_f16";
	amd_out16(o, sum);
}

OPH(trunc_f16, trunc(H0))
OPH(ceil_f16, ceil(H0))
OPH(floor_f16, floor(H0))
OPH(rndne_f16, rint(H0))
OPH(fract_f16, fmin(amd_half(amd_half_bits(H0 - floor(H0), false)), 0x1.ffcp-1))
OPH(ldexp_f16, ldexp(H0, (int16_t)(uint16_t)o->s[1]))

OP(pack_f16) { o->d = (o->s[0] & 0xffff) | (o->s[1] & 0xffff) << 16; }

OP(frexp_mant_f16)
{
	int e;

	amd_out16(o, isfinite(H0) ? frexp(H0, &e) : H0);
}

OP(frexp_exp_f16)
{
	int e = 0;

	if (isfinite(H0) && H0 != 0)
		(void)frexp(H0, &e);
	o->d = (uint16_t)e;
	o->half = true;
}

/* -- Approximations: an error of 0.51 units in the last place ----------------------------------------- */

/* Sets the nearest half, or the next one if v is within 0.01 units of the middle of both. */
static void
near(struct op *o, unsigned which, double v)
{
	uint64_t h = amd_half_bits(v, false), z = (o->s[0] ^ (o->seed * 8 + which) * 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
	double nearest = amd_half(h), unit = fabs(v) < 0x1p-14 ? 0x1p-24 : 0, left = v - nearest;
	int e;

	if (isfinite(v) && isfinite(nearest) && left != 0) {
		(void)frexp(v, &e);
		unit = unit != 0 ? unit : ldexp(1.0, e - 11);
		if (fabs(left) > 0.49 * unit && (z ^ z >> 29) >> 40 & 1)
			v = nearest + copysign(unit, left);
	}
	amd_out16(o, v);
}

OP(rcp_f16) { near(o, 1, 1.0 / H0); }
OP(sqrt_f16) { near(o, 2, sqrt(H0)); }
OP(rsq_f16) { near(o, 3, 1.0 / sqrt(H0)); }
OP(log_f16) { near(o, 4, log2(H0)); }
OP(exp_f16) { near(o, 5, exp2(H0)); }

static double
turned(double turns) /* the sine of turns of 2 pi */
{
	return sin((turns - rint(turns)) * 6.283185307179586);
}

OP(sin_f16)
{
	if (isfinite(H0) && fabs(H0) > 256)
		o->cannot = "an angle above 256 turns";
	near(o, 6, isfinite(H0) ? turned(H0) : (double)NAN);
}
OP(cos_f16)
{
	if (isfinite(H0) && fabs(H0) > 256)
		o->cannot = "an angle above 256 turns";
	near(o, 7, isfinite(H0) ? turned(H0 - floor(H0) + 0.25) : (double)NAN);
}

/* -- Conversions -------------------------------------------------------------------------------------- */

static uint16_t
to_16(double v, double least, double most)
{
	if (isnan(v))
		return 0;
	v = trunc(v);
	return (uint16_t)(int32_t)(v < least ? least : v > most ? most : v);
}

static uint32_t
saturated(int64_t v, int64_t least, int64_t most)
{
	return (uint16_t)(v < least ? least : v > most ? most : v);
}

#define A ((uint32_t)o->s[0])
#define B ((uint32_t)o->s[1])
OP(f32_f16) { amd_out32(o, (float)H0); }
OPH(f16_f32, (double)amd_in32(o, 0))
OPH(f16_i16, (double)(int16_t)A)
OPH(f16_u16, (double)(uint16_t)A)
OP(i16_f16) { o->d = to_16(H0, -32768.0, 32767.0); o->half = true; }
OP(u16_f16) { o->d = to_16(H0, 0.0, 65535.0); o->half = true; }
OP(pk_i16_f32) { o->d = to_16((double)amd_in32(o, 0), -32768.0, 32767.0) | (uint32_t)to_16((double)amd_in32(o, 1), -32768.0, 32767.0) << 16; }
OP(pk_u16_f32) { o->d = to_16((double)amd_in32(o, 0), 0.0, 65535.0) | (uint32_t)to_16((double)amd_in32(o, 1), 0.0, 65535.0) << 16; }
OP(pk_i16_i32) { o->d = saturated((int32_t)A, -32768, 32767) | saturated((int32_t)B, -32768, 32767) << 16; }
OP(pk_u16_u32) { o->d = saturated(A, 0, 65535) | saturated(B, 0, 65535) << 16; }
OP(sat_pk_u8)
{
	o->d = saturated((int16_t)A, 0, 255) | saturated((int16_t)(A >> 16), 0, 255) << 8;
	o->half = true;
}

/* Rounds toward zero, whatever the mode is. */
OP(pkrtz_f16)
{
	uint32_t d = 0;

	for (unsigned k = 0; k < 2; k++) {
		struct op x = *o;
		amd_out16(&x, amd_half(amd_half_bits((double)amd_in32(o, k), true)));
		o->clamped = x.clamped;
		d |= (uint32_t)x.d << 16 * k;
	}
	o->d = d;
}

OP(pk_f16_f32)
{
	struct op x = *o, y = *o;

	amd_out16(&x, (double)amd_in32(o, 0));
	amd_out16(&y, (double)amd_in32(o, 1));
	o->clamped = x.clamped;
	o->d = x.d | y.d << 16;
}

/* Returns the nearest bfloat16, the upper half of a float; a NaN becomes quiet. */
static uint32_t
bfloat_bits(float v)
{
	uint32_t bits = f32_bits(v), upper = bits >> 16, lower = bits & 0xffff;

	if (isnan(v))
		return upper | 0x40;
	return upper + (lower > 0x8000 || (lower == 0x8000 && upper & 1));
}

OP(pk_bf16_f32)
{
	if (o->clamp || o->omod)
		o->cannot = "a modified result of v_cvt_pk_bf16_f32";
	o->d = bfloat_bits(amd_in32(o, 0)) | bfloat_bits(amd_in32(o, 1)) << 16;
}

/* Half of a wider product, for v_fma_mixlo and v_fma_mixhi: the sum is rounded to 32 bits first. */
OP(mix_f16) { amd_out16(o, (double)fmaf(amd_in32(o, 0), amd_in32(o, 1), amd_in32(o, 2))); }

/* -- Division: quotient, denominator, numerator ----------------------------------------------------------- */

OP(div_fixup_f16)
{
	double q = H0, den = H1, num = H2, sign = signbit(den) != signbit(num) ? -1.0 : 1.0, r;

	if (isnan(num))
		r = num;
	else if (isnan(den))
		r = den;
	else if ((den == 0 && num == 0) || (isinf(den) && isinf(num)))
		r = -(double)NAN;
	else if (den == 0 || isinf(num))
		r = sign * (double)INFINITY;
	else if (isinf(den) || num == 0)
		r = sign * 0.0;
	else
		r = copysign(q, sign);
	amd_out16(o, r);
}
