/* The canonical order of float sums and products, written from its definition. */
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

/* Replaces a subnormal with the zero of its sign. */
static uint64_t
flushed(uint64_t bits)
{
	return fpclassify(as_f32(bits)) == FP_SUBNORMAL ? bits & 0x80000000 : bits;
}

static uint64_t
arithmetic(bool product, qd_type type, uint64_t a, uint64_t b, bool flush)
{
	double x, y, r;
	uint64_t bits;
	float f, g;

	switch (type) {
	case QD_TYPE_F32:
		f = as_f32(flush ? flushed(a) : a);
		g = as_f32(flush ? flushed(b) : b);
		bits = f32_bits(product ? f * g : f + g);
		return flush ? flushed(bits) : bits;
	case QD_TYPE_F64:
		memcpy(&x, &a, sizeof x);
		memcpy(&y, &b, sizeof y);
		r = product ? x * y : x + y;
		memcpy(&bits, &r, sizeof bits);
		return bits;
	case QD_TYPE_I32:
	case QD_TYPE_U32: return (uint32_t)(product ? a * b : a + b);
	default: return product ? a * b : a + b;
	}
}

uint64_t
ref_add(qd_type type, uint64_t a, uint64_t b, bool flush)
{
	return arithmetic(false, type, a, b, flush);
}

uint64_t
ref_mul(qd_type type, uint64_t a, uint64_t b, bool flush)
{
	return arithmetic(true, type, a, b, flush);
}

static uint64_t
of_two(enum ref_reduction op, qd_type type, uint64_t a, uint64_t b, bool flush)
{
	switch (op) {
#define REDUCTION(name, result) case REF_##name: return result;
#include "reduction.def"
	default: return 0;
	}
}

uint64_t
ref_tree(enum ref_reduction op, qd_type type, const uint64_t *v, uint32_t n, bool flush)
{
	uint32_t h = 1;

	if (n == 1)
		return v[0];
	while (2 * h < n)
		h *= 2;
	return of_two(op, type, ref_tree(op, type, v, h, flush),
		      ref_tree(op, type, v + h, n - h, flush), flush);
}

uint64_t
ref_tree_of(enum ref_reduction op, qd_type type, const uint64_t *v, uint32_t n, uint32_t from,
	    uint32_t to, bool flush)
{
	uint32_t h = n / 2;
	uint64_t lower;

	if (n == 1)
		return v[0];
	if (from >= h)
		return ref_tree_of(op, type, v + h, h, from - h, to - h, flush);
	if (to < h)
		return ref_tree_of(op, type, v, h, from, to, flush);
	lower = ref_tree_of(op, type, v, h, from, h - 1, flush);
	return of_two(op, type, lower, ref_tree_of(op, type, v + h, h, 0, to - h, flush), flush);
}
