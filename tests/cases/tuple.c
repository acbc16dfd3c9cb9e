/* User-defined operators on several values: 2x2 matrices of u32, which do not commute and wrap
 * exactly, and complex products of floats, which round and thus depend on the order. */
#include <string.h>

#include "family.h"

enum { MOST = 4, N_TOTAL = 3 };
enum total { OF_ALL, UP_TO_HERE, BELOW_HERE };

struct tuple {
	uint64_t x[MOST];
};

/* An operator, on the host and in the kernel. */
struct kind {
	uint32_t k, parts; /* values; parts in which the result is compared */
	qd_operator_fn *build;
	struct tuple (*combine)(qd_type type, struct tuple a, struct tuple b, bool flush);
	uint64_t first[MOST]; /* initial value of an exclusive scan; no identity, so its use is
			       * visible */
};

/* -- Matrices -------------------------------------------------------------------------- */

static void
product(struct qd_builder *b, void *user, const struct qd_val *x, const struct qd_val *y,
	struct qd_val *out, uint32_t k)
{
	struct qd_val r[4];

	(void)user;
	for (uint32_t i = 0; i < k; i++) {
		struct qd_val left = qd_mul(b, x[i & 2], y[i & 1]);
		struct qd_val right = qd_mul(b, x[(i & 2) + 1], y[(i & 1) + 2]);
		r[i] = qd_add(b, left, right);
	}
	for (uint32_t i = 0; i < k; i++)
		out[i] = r[i];
}

static struct tuple
matrix_product(qd_type type, struct tuple a, struct tuple b, bool flush)
{
	struct tuple r;

	(void)type, (void)flush;
	for (int row = 0; row < 2; row++)
		for (int col = 0; col < 2; col++)
			r.x[2 * row + col] = (uint32_t)(a.x[2 * row] * b.x[col] +
							a.x[2 * row + 1] * b.x[2 + col]);
	return r;
}

/* -- Complex numbers -------------------------------------------------------------------- */

static void
complex_product(struct qd_builder *b, void *user, const struct qd_val *x, const struct qd_val *y,
		struct qd_val *out, uint32_t k)
{
	struct qd_val ac = qd_mul(b, x[0], y[0]), bd = qd_mul(b, x[1], y[1]);
	struct qd_val ad = qd_mul(b, x[0], y[1]), bc = qd_mul(b, x[1], y[0]);

	(void)user, (void)k;
	out[0] = qd_sub(b, ac, bd);
	out[1] = qd_add(b, ad, bc);
}

static struct tuple
complex_reference(qd_type type, struct tuple a, struct tuple b, bool flush)
{
	uint64_t sign = UINT64_C(1) << (ref_width(type) - 1);
	uint64_t ac = ref_mul(type, a.x[0], b.x[0], flush), bd = ref_mul(type, a.x[1], b.x[1], flush);
	uint64_t ad = ref_mul(type, a.x[0], b.x[1], flush), bc = ref_mul(type, a.x[1], b.x[0], flush);

	return (struct tuple){ { ref_add(type, ac, bd ^ sign, flush), ref_add(type, ad, bc, flush) } };
}

static const struct kind matrices = { 4, 2, product, matrix_product, { 3, 5, 7, 11 } };
/* 1.5 - 2i */
static const struct kind complex32 = { 2, 2, complex_product, complex_reference,
				       { 0x3fc00000, 0xc0000000 } };
static const struct kind complex64 = { 2, 2, complex_product, complex_reference,
				       { UINT64_C(0x3ff8000000000000), UINT64_C(0xc000000000000000) } };

static const struct kind *
kind_of(qd_type type)
{
	return type == QD_TYPE_F32 ? &complex32 : type == QD_TYPE_F64 ? &complex64 : &matrices;
}

/* -- The rows --------------------------------------------------------------------------------- */

/* Variants: each part of the result, for each log2_size and the form without a tile. */
static uint32_t
variants(const struct suite *t, qd_type type)
{
	return (t->log2_size + 2) * kind_of(type)->parts;
}

static void
label(const struct suite *t, qd_type type, uint32_t variant, char *s, size_t size)
{
	uint32_t parts = kind_of(type)->parts, log2_size = variant / parts;

	if (log2_size > t->log2_size)
		snprintf(s, size, " full, part %u", variant % parts);
	else
		snprintf(s, size, "_tiled log2_size=%u, part %u", log2_size, variant % parts);
}

static struct qd_val
build(struct qd_builder *b, const struct operands *o, uint32_t variant, enum total total)
{
	const struct kind *kind = kind_of(o->type);
	uint32_t log2_size = variant / kind->parts, part = variant % kind->parts;
	qd_type type = o->type == QD_TYPE_U64 ? QD_TYPE_U32 : o->type;
	struct qd_val v[MOST] = { o->v, o->w }, first[MOST], r[MOST];

	if (o->type == QD_TYPE_U64) {
		for (uint32_t i = 0; i < 4; i++) {
			struct qd_val word = qd_shr(b, i < 2 ? o->v : o->w, qd_u32(b, 32 * (i & 1)));
			v[i] = qd_cast(b, type, word);
		}
	}
	for (uint32_t i = 0; i < kind->k; i++)
		first[i] = qd_const_bits(b, type, kind->first[i]);
	log2_size = log2_size > o->t->log2_size ? QD_FULL : log2_size;
	switch (total) {
	case OF_ALL: qd_subgroup_reduce(b, v, r, kind->k, log2_size, kind->build, NULL); break;
	case UP_TO_HERE:
		qd_subgroup_inclusive_scan(b, v, r, kind->k, log2_size, kind->build, NULL);
		break;
	case BELOW_HERE:
		qd_subgroup_exclusive_scan(b, v, first, r, kind->k, log2_size, kind->build, NULL);
		break;
	}
	if (o->type != QD_TYPE_U64)
		return r[part];
	struct qd_val low = qd_cast(b, QD_TYPE_U64, r[2 * part]);
	struct qd_val high = qd_cast(b, QD_TYPE_U64, r[2 * part + 1]);
	return qd_or(b, low, qd_shl(b, high, qd_u32(b, 32)));
}

static struct tuple
tree(const struct kind *kind, qd_type type, const struct tuple *v, uint32_t n, bool flush)
{
	uint32_t half = 1;

	if (n == 1)
		return v[0];
	while (2 * half < n)
		half *= 2;
	return kind->combine(type, tree(kind, type, v, half, flush),
			     tree(kind, type, v + half, n - half, flush), flush);
}

static void
want(const struct suite *t, const struct lanes *in, uint32_t variant, uint64_t *out, enum total total)
{
	qd_type type = in->s.type;
	const struct kind *kind = kind_of(type);
	uint32_t log2_size = variant / kind->parts, part = variant % kind->parts, width;
	struct tuple v[REF_MAX_LANES], r;

	width = 1u << (log2_size > t->log2_size ? t->log2_size : log2_size);
	for (uint32_t l = 0; l < in->s.n; l++) {
		v[l] = (struct tuple){ { in->s.v[l], in->w[l] } };
		if (type == QD_TYPE_U64)
			v[l] = (struct tuple){ { (uint32_t)in->s.v[l], in->s.v[l] >> 32,
						 (uint32_t)in->w[l], in->w[l] >> 32 } };
	}
	for (uint32_t l = 0; l < in->s.n; l++) {
		uint32_t base = l - l % width, n = in->s.n - base < width ? in->s.n - base : width;

		n = total == UP_TO_HERE ? l - base + 1 : total == BELOW_HERE ? l - base : n;
		if (n)
			r = tree(kind, type, v + base, n, in->s.flush);
		else
			memcpy(r.x, kind->first, sizeof r.x);
		out[l] = type == QD_TYPE_U64 ? r.x[2 * part] | r.x[2 * part + 1] << 32 : r.x[part];
	}
}

#define TOTAL(name, total)                                                                         \
	static struct qd_val name##_build(struct qd_builder *b, const struct operands *o,          \
					  uint32_t variant)                                        \
	{                                                                                          \
		return build(b, o, variant, total);                                                \
	}                                                                                          \
	static void name##_want(const struct suite *t, const struct lanes *in, uint32_t variant,   \
				uint64_t *out, bool *defined)                                      \
	{                                                                                          \
		(void)defined;                                                                     \
		want(t, in, variant, out, total);                                                  \
	}
TOTAL(reduce, OF_ALL)
TOTAL(inclusive_scan, UP_TO_HERE)
TOTAL(exclusive_scan, BELOW_HERE)

#define ROW(fn)                                                                                    \
	{ .name = "subgroup." #fn "(product)", .types = 1 << QD_TYPE_U64 | T_FLT,                  \
	  .flags = ROW_ANY_NAN | ROW_SOME, .blocks = blocks_all, .n_variants = variants,           \
	  .label = label, .build = fn##_build, .want = fn##_want }

static const struct row tuple_rows[N_TOTAL] = { ROW(reduce), ROW(inclusive_scan), ROW(exclusive_scan) };
const struct family family_tuple = { "tuple", tuple_rows, N_TOTAL, NULL, NULL };
