/* Floats of 16 bits by definition: the nearest of all halves, of two the one with an even last
 * bit. */
#ifndef HALF_REF_H
#define HALF_REF_H

#include <math.h>
#include <stdint.h>

/* Returns the value of a half. */
static inline double
half(uint32_t bits)
{
	int e = bits >> 10 & 31;
	double m = bits & 0x3ff, v = e == 31 ? (m > 0 ? (double)NAN : (double)INFINITY)
				   : e	     ? ldexp(m + 1024, e - 25)
					     : ldexp(m, -24);

	return bits >> 15 & 1 ? -v : v;
}

/* Returns the sign of p + c - m. The rounded sum decides, or its exact error if it equals m. */
static inline int
half_side(double p, double c, double m)
{
	double s = p + c, back = s - p, rest = (p - (s - back)) + (c - back);

	return s > m ? 1 : s < m ? -1 : rest > 0 ? 1 : rest < 0 ? -1 : 0;
}

/* Returns the nearest half to p + c. */
static inline uint16_t
sum16(double p, double c)
{
	uint32_t low = 0, high = 0x7c00, sign;
	double s = p + c;
	int at;

	if (isnan(s))
		return 0x7e00;
	sign = signbit(s) ? 0x8000 : 0;
	if (sign) {
		p = -p;
		c = -c;
	}
	if (isinf(s))
		return (uint16_t)(sign | 0x7c00);
	while (high - low > 1) { /* half(low) <= the sum < half(high) */
		uint32_t mid = (low + high) / 2;
		if (half_side(p, c, half(mid)) >= 0)
			low = mid;
		else
			high = mid;
	}
	at = half_side(p, c, (half(low) + (high == 0x7c00 ? 65536.0 : half(high))) / 2);
	return (uint16_t)(sign | (at > 0 || (at == 0 && (low & 1)) ? high : low));
}

static inline uint16_t
to16(double v)
{
	return sum16(v, signbit(v) ? -0.0 : 0.0);
}

#endif
