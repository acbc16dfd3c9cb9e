/* Minimum, maximum and median of floats of 16, 32 and 64 bits. */
#include "number.h"

#define OP(name) void amd_op_##name(struct op *o)

enum order { LEAST, GREATEST };
static const struct width {
	uint8_t bits, mantissa;
} half_width = { 16, 10 }, single_width = { 32, 23 }, double_width = { 64, 52 };

static bool
signals(uint64_t v, const struct width *w)
{
	uint64_t frac = v & ((UINT64_C(1) << w->mantissa) - 1);
	uint64_t ones = (UINT64_C(1) << (w->bits - 1 - w->mantissa)) - 1;

	return (v >> w->mantissa & ones) == ones && frac && !(frac >> (w->mantissa - 1));
}

static double
value_of(uint64_t v, const struct width *w)
{
	return w->bits == 64 ? f64_of(v) : w->bits == 32 ? (double)f32_of(v) : amd_half(v);
}

/* In IEEE mode, a signaling NaN becomes quiet and is the result. Otherwise a NaN is ignored. -0
 * is below +0. */
static uint64_t
chosen(const struct op *o, uint64_t a, uint64_t b, enum order order, const struct width *w)
{
	uint64_t sign = UINT64_C(1) << (w->bits - 1), quiet = UINT64_C(1) << (w->mantissa - 1);
	double x = value_of(a, w), y = value_of(b, w);
	bool first;

	if (o->ieee && signals(a, w))
		return a | quiet;
	if (o->ieee && signals(b, w))
		return b | quiet;
	if (isnan(x))
		return b;
	if (isnan(y))
		return a;
	first = x < y || (x == y && (a & sign) > (b & sign));
	return first != (order == GREATEST) ? a : b;
}

/* If one is a NaN, so is the result (IEEE 754-2019, minimum and maximum). */
static uint64_t
strict(const struct op *o, uint64_t a, uint64_t b, enum order order, const struct width *w)
{
	uint64_t quiet = UINT64_C(1) << (w->mantissa - 1);

	if (isnan(value_of(a, w)))
		return a | quiet;
	return isnan(value_of(b, w)) ? b | quiet : chosen(o, a, b, order, w);
}

/* The median; if there is a NaN, the minimum of the others. */
static uint64_t
median(const struct op *o, const uint64_t s[3], const struct width *w)
{
	uint64_t low = chosen(o, s[0], s[1], LEAST, w), high;

	if (isnan(value_of(s[0], w)) || isnan(value_of(s[1], w)) || isnan(value_of(s[2], w)))
		return chosen(o, low, s[2], LEAST, w);
	high = chosen(o, chosen(o, s[0], s[1], GREATEST, w), s[2], LEAST, w);
	return chosen(o, low, high, GREATEST, w);
}

/* -- Sources and results ------------------------------------------------------------------------- */

static void
take(const struct op *o, uint64_t s[3], const struct width *w)
{
	uint32_t in = w->bits == 32 ? MODE_IN32 : MODE_IN;

	for (unsigned k = 0; k < 3; k++) {
		s[k] = w->bits == 64 ? o->s[k] : o->s[k] & ((UINT64_C(1) << w->bits) - 1);
		if (QD_LIKELY(o->mode & in))
			continue;
		s[k] = w->bits == 64   ? f64_bits(amd_in64(o, k))
		       : w->bits == 32 ? f32_bits(amd_in32(o, k))
				       : amd_half_bits(amd_in16(o, k), false);
	}
}

static void
put(struct op *o, uint64_t v, const struct width *w)
{
	if (w->bits == 64)
		amd_out64(o, f64_of(v));
	else if (w->bits == 32)
		amd_out32(o, f32_of(v));
	else
		amd_out16(o, amd_half(v));
}

static void
two(struct op *o, enum order order, const struct width *w)
{
	uint64_t s[3];

	take(o, s, w);
	put(o, chosen(o, s[0], s[1], order, w), w);
}

static void
three(struct op *o, enum order first, enum order second, const struct width *w)
{
	uint64_t s[3];

	take(o, s, w);
	put(o, chosen(o, chosen(o, s[0], s[1], first, w), s[2], second, w), w);
}

static void
middle(struct op *o, const struct width *w)
{
	uint64_t s[3];

	take(o, s, w);
	put(o, median(o, s, w), w);
}

static void
strict_two(struct op *o, enum order order, const struct width *w)
{
	uint64_t s[3];

	take(o, s, w);
	put(o, strict(o, s[0], s[1], order, w), w);
}

static void
strict_three(struct op *o, enum order first, enum order second, const struct width *w)
{
	uint64_t s[3];

	take(o, s, w);
	put(o, strict(o, strict(o, s[0], s[1], first, w), s[2], second, w), w);
}

#define ORDERED(type, width)                                                                       \
	OP(min_##type) { two(o, LEAST, &width); }                                                  \
	OP(max_##type) { two(o, GREATEST, &width); }                                               \
	OP(minimum_##type) { strict_two(o, LEAST, &width); }                                       \
	OP(maximum_##type) { strict_two(o, GREATEST, &width); }
#define ORDERED3(type, width)                                                                      \
	OP(min3_##type) { three(o, LEAST, LEAST, &width); }                                        \
	OP(max3_##type) { three(o, GREATEST, GREATEST, &width); }                                  \
	OP(minmax_##type) { three(o, LEAST, GREATEST, &width); }                                   \
	OP(maxmin_##type) { three(o, GREATEST, LEAST, &width); }                                   \
	OP(med3_##type) { middle(o, &width); }                                                     \
	OP(maximum3_##type) { strict_three(o, GREATEST, GREATEST, &width); }                       \
	OP(minimummaximum_##type) { strict_three(o, LEAST, GREATEST, &width); }                    \
	OP(maximumminimum_##type) { strict_three(o, GREATEST, LEAST, &width); }
ORDERED(f16, half_width)
ORDERED(f32, single_width)
ORDERED(f64, double_width)
ORDERED3(f16, half_width)
ORDERED3(f32, single_width)
OP(minimum3_f32) { strict_three(o, LEAST, LEAST, &single_width); }
OP(minimum3_f16) { strict_three(o, LEAST, LEAST, &half_width); }
