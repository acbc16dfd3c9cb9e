/* Data patterns that expose errors in cross-lane code. */
#include "cases.h"

static const char *const names[N_PATTERN] = { "random",	  "extremes", "wide",	  "nan",
					      "zeros",	  "inf",      "subnormal" };

const char *
pattern_name(uint32_t pattern)
{
	return names[pattern];
}

/* SplitMix64. */
uint64_t
random_u64(uint64_t *rng)
{
	uint64_t z = *rng += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static uint64_t
pick(const uint64_t *from, uint32_t n, uint64_t *rng)
{
	return from[random_u64(rng) % n];
}

/* Returns a normal number of moderate size and either sign: sums round, but do not overflow. */
static uint64_t
normal_f32(uint64_t r)
{
	return (r & 0x807fffff) | (uint64_t)(127 - 20 + (r >> 32) % 40) << 23;
}

static uint64_t
normal_f64(uint64_t r)
{
	return (r & UINT64_C(0x800fffffffffffff)) | (1023 - 40 + (r >> 53) % 80) << 52;
}

static uint64_t
float_value(qd_type type, uint32_t pattern, uint64_t *rng)
{
	static const uint64_t ext32[] = { 0x7f7fffff, 0xff7fffff, 0x00800000, 0x80800000,
					  0x3f800000, 0xbf800000, 0x4b800000, 0x33800000 };
	static const uint64_t ext64[] = {
		0x7fefffffffffffff, 0xffefffffffffffff, 0x0010000000000000, 0x8010000000000000,
		0x3ff0000000000000, 0xbff0000000000000, 0x4340000000000000, 0x3ca0000000000000 };
	bool d = type == QD_TYPE_F64;
	uint64_t r = random_u64(rng), sign = r >> 63 << (d ? 63 : 31);
	uint64_t normal = d ? normal_f64(r) : normal_f32(r);
	uint64_t inf = d ? UINT64_C(0x7ff0000000000000) : 0x7f800000;

	switch (pattern) {
	case 1: return d ? pick(ext64, 8, rng) : pick(ext32, 8, rng);
	case 2: /* any exponent except that of infinity */
		r = random_u64(rng);
		if (!d)
			r &= UINT32_MAX;
		return (r & inf) == inf || !(r & inf) ? normal : r;
	case 3: /* NaNs of any payload, mixed with numbers */
		return r % 3 ? normal : sign | inf | 1 | (random_u64(rng) & (inf >> 3));
	case 4: return r % 5 ? sign : normal;
	case 5: return r % 3 ? normal : sign | inf;
	case 6: return r % 4 ? sign | (random_u64(rng) & (d ? UINT64_C(0xfffffffffffff) : 0x7fffff))
			     : normal;
	default: return normal;
	}
}

uint64_t
pattern_value(qd_type type, uint32_t pattern, uint64_t *rng)
{
	uint32_t w = 8 * (uint32_t)element_size(type);
	uint64_t mask = w == 64 ? UINT64_MAX : (UINT64_C(1) << w) - 1, top = mask & ~(mask >> 1);
	uint64_t r, ext[8] = { 0, 1, mask, top, top - 1, top + 1, 2, mask - 1 };

	if (type == QD_TYPE_F32 || type == QD_TYPE_F64)
		return float_value(type, pattern, rng);
	if (type == QD_TYPE_F16 || type == QD_TYPE_BF16)
		return random_u64(rng) & mask; /* any bit pattern */
	r = random_u64(rng);
	switch (pattern) {
	case 1: return pick(ext, 8, rng);
	case 2: return (r | (w == 64 ? UINT64_C(1) << 33 : top)) & mask;
	case 3: return r % 7; /* small */
	case 4: return r & 1 ? 0 : mask;
	case 5: return r % 16 ? 0 : UINT64_C(1) << r / 16 % w;
	case 6: return (0 - r % 9) & mask;
	default: return r & mask;
	}
}
