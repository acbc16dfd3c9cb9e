/* The shortest decimal that reads back to a binary float; among several, the nearest. The
 * algorithm is Schubfach (R. Giulietti, "The Schubfach way to render doubles"). It multiplies
 * the float, and both ends of the interval that rounds to it, by a power of ten of 128 bits. The
 * products are rounded to odd, which keeps every comparison between them exact. These
 * comparisons then decide between the candidates with one decimal digit more or fewer. Valid for
 * any format whose significands and exponents are a subset of those of doubles.
 *
 * The powers are computed exactly on first use, in about 50 us. */
#include "shortest.h"

#include <pthread.h>

/* -- Powers of ten ------------------------------------------------------------- */

enum {
	MIN_POWER = -292,
	MAX_POWER = 324,
	N_LIMB = 36,	      /* of 32 bits: 10^324 has 1077 bits */
	LOG2_UNIT = 1119,     /* scaled by 2^1119, 10^-292 still has 150 bits */
};

/* ceil(10^k * 2^n), with n such that bit 127 is the highest set bit */
struct power {
	uint64_t hi, lo;
};
static struct power powers[MAX_POWER - MIN_POWER + 1];
static pthread_once_t made = PTHREAD_ONCE_INIT;

/* Returns the 128 bits from the highest set bit down. *rest: a lower bit is set too. */
static struct power
top_bits(const uint32_t limb[N_LIMB], bool *rest)
{
	uint32_t n = N_LIMB, w[5] = { 0 }, shift = 0;

	while (!limb[n - 1])
		n--;
	for (uint32_t i = 0; i < 5 && i < n; i++)
		w[i] = limb[n - 1 - i];
	while (!(w[0] >> (31 - shift)))
		shift++;
	*rest = (uint32_t)((uint64_t)w[4] << shift) != 0;
	for (uint32_t i = 0; i < 4 && shift; i++)
		w[i] = w[i] << shift | w[i + 1] >> (32 - shift);
	for (uint32_t i = 5; i < n; i++)
		*rest |= limb[n - 1 - i] != 0;
	return (struct power){ (uint64_t)w[0] << 32 | w[1], (uint64_t)w[2] << 32 | w[3] };
}

static void
make_powers(void)
{
	uint32_t up[N_LIMB] = { 1 }, down[N_LIMB] = { 0 };
	bool rest;

	for (int k = 0; k <= MAX_POWER; k++) {
		uint64_t carry = 0;
		struct power p = top_bits(up, &rest);
		p.lo += rest;
		p.hi += rest && !p.lo;
		powers[k - MIN_POWER] = p;
		for (uint32_t i = 0; i < N_LIMB; i++) {
			carry += (uint64_t)up[i] * 10;
			up[i] = (uint32_t)carry;
			carry >>= 32;
		}
	}
	/* Rounding down at every step equals rounding down once. No 10^-k is finite in binary. */
	down[LOG2_UNIT / 32] = UINT32_C(1) << LOG2_UNIT % 32;
	for (int k = -1; k >= MIN_POWER; k--) {
		uint64_t left = 0;
		for (uint32_t i = N_LIMB; i-- > 0;) {
			left = left << 32 | down[i];
			down[i] = (uint32_t)(left / 10);
			left %= 10;
		}
		struct power p = top_bits(down, &rest);
		p.lo++;
		p.hi += !p.lo;
		powers[k - MIN_POWER] = p;
	}
}

/* -- Arithmetic ------------------------------------------------------------------ */

static int
floor_shift(int x, int n)
{
	return x >= 0 ? x >> n : ~(~x >> n);
}

/* Returns the decimal logarithm of 2^e, or of three quarters of 2^e, rounded down. */
static int
floor_log10(int e, bool three_quarters)
{
	return floor_shift(e * 1262611 - (three_quarters ? 524031 : 0), 22);
}

static int
floor_log2_of_power(int k)
{
	return floor_shift(k * 1741647, 19);
}

static uint64_t
multiply(uint64_t a, uint64_t b, uint64_t *lo)
{
	uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
	uint64_t low = a0 * b0, x = a1 * b0 + (low >> 32), y = a0 * b1 + (uint32_t)x;

	*lo = y << 32 | (uint32_t)low;
	return a1 * b1 + (x >> 32) + (y >> 32);
}

/* Returns p * c / 2^128, rounded to odd. */
static uint64_t
multiply_to_odd(const struct power *p, uint64_t c)
{
	uint64_t x0, y0, x1 = multiply(p->lo, c, &x0), y1 = multiply(p->hi, c, &y0);

	y0 += x1;
	y1 += y0 < x1;
	return y1 | (y0 > 1);
}

/* -- Algorithm ------------------------------------------------------------------------ */

struct shortest
shortest_decimal(uint64_t c, int q, bool is_power)
{
	/* Integers whose neighbors are less than two away. */
	if (q <= 0 && q > -64 && c >> -q << -q == c)
		return (struct shortest){ c >> -q, 0 };

	pthread_once(&made, make_powers);
	int k = floor_log10(q, is_power);
	int h = q + floor_log2_of_power(-k) + 1;
	const struct power *p = &powers[-k - MIN_POWER];
	/* In quarters. A reader rounds a tie to the even float, so for an odd c the ends are
	 * excluded. */
	uint64_t odd = c & 1;
	uint64_t lower = multiply_to_odd(p, (4 * c - 2 + is_power) << h) + odd;
	uint64_t upper = multiply_to_odd(p, (4 * c + 2) << h) - odd;
	uint64_t v = multiply_to_odd(p, 4 * c << h);
	uint64_t s = v / 4, t = s / 10;

	if (s >= 10) {
		bool below = lower <= 40 * t, above = 40 * t + 40 <= upper;
		if (below != above)
			return (struct shortest){ t + above, k + 1 };
	}
	bool below = lower <= 4 * s, above = 4 * s + 4 <= upper;
	if (below != above)
		return (struct shortest){ s + above, k };
	bool up = v > 4 * s + 2 || (v == 4 * s + 2 && (s & 1));
	return (struct shortest){ s + up, k };
}
