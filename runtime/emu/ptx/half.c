/* Floats of 16 bits, converted through double, which represents each of them exactly. */
#include <math.h>

#include "half.h"

const struct half_format half_f16 = { 5, 10 }, half_bf16 = { 8, 7 };

double
half_value(struct half_format f, uint16_t bits)
{
	int max = (1 << f.exponent) - 1, bias = max >> 1;
	int e = bits >> f.fraction & max;
	int frac = bits & ((1 << f.fraction) - 1);
	double v;

	if (e == max)
		v = frac ? NAN : INFINITY;
	else if (e)
		v = ldexp(frac | 1 << f.fraction, e - bias - f.fraction);
	else
		v = ldexp(frac, 1 - bias - f.fraction);
	return bits & 0x8000 ? -v : v;
}

uint16_t
half_round(struct half_format f, double v, enum rounding how)
{
	int max = (1 << f.exponent) - 1, bias = max >> 1, e;
	uint64_t bits = f64_bits(v), q, rest, half;
	uint16_t sign = (uint16_t)(bits >> 63 << 15);
	int drop;

	if (isnan(v))
		return 0x7fff;
	if (isinf(v))
		return (uint16_t)(sign | max << f.fraction);
	if (v == 0)
		return sign;
	e = (int)(bits >> 52 & 2047);
	bits &= (UINT64_C(1) << 52) - 1;
	if (e)
		bits |= UINT64_C(1) << 52;
	else
		e = 1;
	e += bias - 1023; /* in this format; below 1: subnormal */
	drop = 52 - f.fraction + (e < 1 ? 1 - e : 0);
	if (e < 1)
		e = 1;
	if (drop > 63)
		q = 0, rest = 1, half = 2;
	else
		q = bits >> drop, rest = bits & ((UINT64_C(1) << drop) - 1),
		half = UINT64_C(1) << (drop - 1);
	switch (how) {
	case ROUND_ZERO: break;
	case ROUND_DOWN: q += sign && rest; break;
	case ROUND_UP: q += !sign && rest; break;
	default: q += rest > half || (rest == half && (q & 1)); break;
	}
	/* The hidden bit is added to the exponent, and a carry of the rounding too. */
	q += (uint64_t)(e - 1) << f.fraction;
	if (q >= (uint64_t)max << f.fraction) {
		bool stays = how == ROUND_ZERO || (how == ROUND_DOWN && !sign) ||
			     (how == ROUND_UP && sign);

		q = ((uint64_t)max << f.fraction) - (stays ? 1 : 0);
	}
	return (uint16_t)(sign | q);
}

double
sum_to_odd(double a, double b)
{
	double s = a + b, t = s - a, rest = (a - (s - t)) + (b - t);

	if (!isfinite(s) || rest == 0 || f64_bits(s) & 1)
		return s;
	/* The sign of the rest shows on which side of s the exact sum is. */
	return f64_of(f64_bits(s) + ((rest > 0) == (s > 0) ? 1 : UINT64_MAX));
}

double
int_to_odd(uint64_t magnitude, bool minus)
{
	double v;

	if (magnitude >> 53) {
		unsigned drop = qd_log2(magnitude) - 52;

		magnitude = magnitude >> drop << drop |
			    (uint64_t)((magnitude & ((UINT64_C(1) << drop) - 1)) != 0) << drop;
	}
	v = (double)magnitude;
	return minus ? -v : v;
}
