/* Cross-lane primitives on arrays of lanes. */
#include "ref.h"

static void
fetch(const struct ref_subgroup *s, uint32_t lane, uint32_t from, uint64_t *out, bool *defined)
{
	defined[lane] = from < s->n;
	out[lane] = from < s->n ? s->v[from] : 0;
}

void
ref_shuffle(const struct ref_subgroup *s, const uint32_t *index, uint64_t *out, bool *defined)
{
	for (uint32_t l = 0; l < s->n; l++)
		fetch(s, l, index[l] % s->size, out, defined);
}

void
ref_shuffle_xor(const struct ref_subgroup *s, const uint32_t *mask, uint64_t *out, bool *defined)
{
	for (uint32_t l = 0; l < s->n; l++)
		fetch(s, l, (l ^ mask[l]) % s->size, out, defined);
}

void
ref_shuffle_up(const struct ref_subgroup *s, const uint32_t *offset, uint64_t *out, bool *defined)
{
	for (uint32_t l = 0; l < s->n; l++)
		fetch(s, l, offset[l] <= l ? l - offset[l] : l, out, defined);
}

void
ref_shuffle_down(const struct ref_subgroup *s, const uint32_t *offset, uint64_t *out,
		 bool *defined)
{
	for (uint32_t l = 0; l < s->n; l++)
		fetch(s, l, offset[l] < s->size - l ? l + offset[l] : l, out, defined);
}

uint32_t
ref_ballot_first_n(const struct ref_subgroup *s, uint32_t n)
{
	uint32_t bits = 0;

	for (uint32_t l = 0; l < s->n && l < n; l++)
		bits |= (uint32_t)ref_truth(s->type, s->v[l]) << l;
	return bits;
}

/* The tile of lane l: its first lane, and how many of its lanes are present. */
static uint32_t
tile(const struct ref_subgroup *s, uint32_t l, uint32_t log2_size, uint32_t *n)
{
	uint32_t width = 1u << log2_size, base = l / width * width;

	*n = s->n - base < width ? s->n - base : width;
	return base;
}

/* Of two values, in any order. */
static uint64_t
combine(enum ref_reduction op, qd_type type, uint64_t a, uint64_t b)
{
	switch (op) {
	case REF_MIN: return ref_min(type, a, b);
	case REF_MAX: return ref_max(type, a, b);
	default: return 0; /* sums have an order */
	}
}

void
ref_reduce(const struct ref_subgroup *s, enum ref_reduction op, uint32_t log2_size, uint64_t *out)
{
	for (uint32_t l = 0; l < s->n; l++) {
		uint32_t n, base = tile(s, l, log2_size, &n);
		uint64_t r = s->v[base];

		for (uint32_t i = 1; i < n; i++)
			r = combine(op, s->type, r, s->v[base + i]);
		out[l] = op == REF_ADD ? ref_tree_add(s->type, s->v + base, n, s->flush) : r;
	}
}

void
ref_inclusive_add(const struct ref_subgroup *s, uint32_t log2_size, uint64_t *out)
{
	for (uint32_t l = 0; l < s->n; l++) {
		uint32_t n, base = tile(s, l, log2_size, &n);

		out[l] = ref_tree_add(s->type, s->v + base, l - base + 1, s->flush);
	}
}

uint64_t
ref_affine(uint64_t lower, uint64_t upper)
{
	uint32_t a0 = (uint32_t)lower, b0 = (uint32_t)(lower >> 32);
	uint32_t a1 = (uint32_t)upper, b1 = (uint32_t)(upper >> 32);

	return (uint64_t)(b0 * a1 + b1) << 32 | a0 * a1;
}

void
ref_affine_scan(const struct ref_subgroup *s, uint32_t log2_size, uint64_t *out)
{
	for (uint32_t l = 0; l < s->n; l++) {
		uint32_t n, base = tile(s, l, log2_size, &n);

		out[l] = l == base ? s->v[l] : ref_affine(out[l - 1], s->v[l]);
	}
}

void
ref_affine_reduce(const struct ref_subgroup *s, uint32_t log2_size, uint64_t *out)
{
	uint64_t scan[REF_MAX_LANES];

	ref_affine_scan(s, log2_size, scan);
	for (uint32_t l = 0; l < s->n; l++) {
		uint32_t n, base = tile(s, l, log2_size, &n);

		out[l] = scan[base + n - 1];
	}
}
