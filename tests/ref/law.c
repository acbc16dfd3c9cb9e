/* The law of float sums, as it is stated. */
#include <math.h>
#include <string.h>

#include "ref.h"

static float
as_f32(uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	float f;

	memcpy(&f, &low, sizeof f);
	return f;
}

static uint64_t
f32_bits(float f)
{
	uint32_t low;

	memcpy(&low, &f, sizeof low);
	return low;
}

/* A subnormal as the zero of its sign. */
static uint64_t
flushed(uint64_t bits)
{
	return fpclassify(as_f32(bits)) == FP_SUBNORMAL ? bits & 0x80000000 : bits;
}

uint64_t
ref_add(qd_type type, uint64_t a, uint64_t b, bool flush)
{
	double x, y, sum;
	uint64_t bits;

	switch (type) {
	case QD_TYPE_F32:
		if (!flush)
			return f32_bits(as_f32(a) + as_f32(b));
		return flushed(f32_bits(as_f32(flushed(a)) + as_f32(flushed(b))));
	case QD_TYPE_F64:
		memcpy(&x, &a, sizeof x);
		memcpy(&y, &b, sizeof y);
		sum = x + y;
		memcpy(&bits, &sum, sizeof bits);
		return bits;
	case QD_TYPE_I32:
	case QD_TYPE_U32:
		return (uint32_t)(a + b);
	default:
		return a + b;
	}
}

uint64_t
ref_tree_add(qd_type type, const uint64_t *v, uint32_t n, bool flush)
{
	uint32_t h = 1;

	if (n == 1)
		return v[0];
	while (2 * h < n)
		h *= 2;
	return ref_add(type, ref_tree_add(type, v, h, flush),
		       ref_tree_add(type, v + h, n - h, flush), flush);
}
