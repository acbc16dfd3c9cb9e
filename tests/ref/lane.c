/* Cross-lane primitives on arrays of lanes. */
#include "ref.h"

#include <string.h>

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

/* Returns the first lane of lane l's tile, and in *n the tile's lanes without padding threads. */
static uint32_t
tile(const struct ref_subgroup *s, uint32_t l, uint32_t log2_size, uint32_t *n)
{
	uint32_t width = 1u << log2_size, base = l / width * width;

	*n = s->n - base < width ? s->n - base : width;
	return base;
}

uint32_t
ref_ballot_word(const struct ref_subgroup *s, uint32_t word)
{
	uint32_t bits = 0;

	for (uint32_t l = 32 * word; l < s->n && l < 32 * word + 32; l++)
		bits |= (uint32_t)ref_truth(s->type, s->v[l]) << l % 32;
	return bits;
}

void
ref_vote(const struct ref_subgroup *s, enum ref_vote vote, uint32_t log2_size, uint64_t *out)
{
	for (uint32_t l = 0; l < s->n; l++) {
		uint32_t n, base = tile(s, l, log2_size, &n), n_true = 0, n_equal = 0;

		for (uint32_t i = 0; i < n; i++) {
			n_true += ref_truth(s->type, s->v[base + i]);
			n_equal += ref_scalar(REF_OP_EQ, s->type, s->v[base], s->v[base + i], false) != 0;
		}
		out[l] = vote == REF_ANY_TRUE ? n_true > 0 : (vote == REF_ALL_TRUE ? n_true : n_equal) == n;
	}
}

void
ref_reduce(const struct ref_subgroup *s, enum ref_reduction op, uint32_t log2_size, uint64_t *out)
{
	for (uint32_t l = 0; l < s->n; l++) {
		uint32_t n, base = tile(s, l, log2_size, &n);

		out[l] = ref_tree(op, s->type, s->v + base, n, s->flush);
	}
}

void
ref_inclusive(const struct ref_subgroup *s, enum ref_reduction op, uint32_t log2_size,
	      uint64_t *out)
{
	for (uint32_t l = 0; l < s->n; l++) {
		uint32_t n, base = tile(s, l, log2_size, &n);

		out[l] = ref_tree(op, s->type, s->v + base, l - base + 1, s->flush);
	}
}

uint64_t
ref_identity(enum ref_reduction op, qd_type type)
{
	bool wide = ref_width(type) == 64, is_signed = type == QD_TYPE_I32 || type == QD_TYPE_I64;
	uint64_t ones = wide ? UINT64_MAX : UINT32_MAX, low = ones >> 1;

	switch (op) {
	case REF_MUL:
		return type == QD_TYPE_F32 ? 0x3f800000
		     : type == QD_TYPE_F64 ? UINT64_C(0x3ff0000000000000) : 1;
	case REF_MIN:
		return type == QD_TYPE_F32 ? 0x7f800000
		     : type == QD_TYPE_F64 ? UINT64_C(0x7ff0000000000000) : is_signed ? low : ones;
	case REF_MAX:
		return type == QD_TYPE_F32 ? 0xff800000
		     : type == QD_TYPE_F64 ? UINT64_C(0xfff0000000000000) : is_signed ? low + 1 : 0;
	case REF_AND: return ones;
	default: return 0;
	}
}

void
ref_exclusive(const struct ref_subgroup *s, enum ref_reduction op, uint32_t log2_size,
	      uint64_t *out)
{
	for (uint32_t l = 0; l < s->n; l++) {
		uint32_t n, base = tile(s, l, log2_size, &n);

		out[l] = l == base ? ref_identity(op, s->type)
				   : ref_tree(op, s->type, s->v + base, l - base, s->flush);
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
ref_affine_exclusive(const struct ref_subgroup *s, uint64_t identity, uint32_t log2_size,
		     uint64_t *out)
{
	uint64_t scan[REF_MAX_LANES];

	ref_affine_scan(s, log2_size, scan);
	for (uint32_t l = 0; l < s->n; l++) {
		uint32_t n, base = tile(s, l, log2_size, &n);

		out[l] = l == base ? identity : scan[l - 1];
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

void
ref_segmented(const struct ref_subgroup *s, enum ref_reduction op, const bool *head,
	      uint32_t log2_size, uint64_t *out)
{
	for (uint32_t l = 0; l < s->n; l++) {
		uint32_t n, base = tile(s, l, log2_size, &n), from = l - base;

		while (from > 0 && !head[base + from])
			from--;
		out[l] = ref_tree_of(op, s->type, s->v + base, 1u << log2_size, from, l - base, s->flush);
	}
}

/* -- Order ------------------------------------------------------------------------- */

/* Maps a value to an integer in the sort order: a float's magnitude with its sign. Positive
 * NaNs come last, negative ones first. With `zero`, -0 equals 0; otherwise it is below 0. */
static int64_t
place(qd_type type, uint64_t v, bool zero)
{
	uint32_t w = ref_width(type);
	uint64_t top = UINT64_C(1) << (w - 1);

	if (ref_is_float(type)) {
		int64_t magnitude = (int64_t)(v & (top - 1));

		return !(v & top) ? magnitude : zero ? -magnitude : -magnitude - 1;
	}
	if (type == QD_TYPE_U64)
		return (int64_t)(v ^ top);
	return type == QD_TYPE_I32 ? (int32_t)(uint32_t)v : (int64_t)v;
}

static bool
is_before(qd_type key, uint64_t k, uint64_t l, qd_type value, uint64_t v, uint64_t w)
{
	if (place(key, k, true) != place(key, l, true))
		return place(key, k, true) < place(key, l, true);
	if (place(value, v, false) != place(value, w, false))
		return place(value, v, false) < place(value, w, false);
	return place(key, k, false) < place(key, l, false);
}

/* Selection sort: repeatedly takes the least of the remaining pairs. */
void
ref_sort(const struct ref_subgroup *s, qd_type value_type, const uint64_t *value, uint32_t log2_size,
	 uint64_t *out_key, uint64_t *out_value)
{
	for (uint32_t l = 0, n; l < s->n; l += n) {
		uint32_t base = tile(s, l, log2_size, &n);
		bool taken[REF_MAX_LANES] = { false };

		for (uint32_t i = 0; i < n; i++) {
			uint32_t least = REF_MAX_LANES;

			for (uint32_t j = 0; j < n; j++)
				if (!taken[j] &&
				    (least == REF_MAX_LANES ||
				     is_before(s->type, s->v[base + j], s->v[base + least], value_type,
					       value[base + j], value[base + least])))
					least = j;
			taken[least] = true;
			out_key[base + i] = s->v[base + least];
			out_value[base + i] = value[base + least];
		}
	}
}

/* Merge sort: merges runs of one pair, of two, of four and so on. */
void
ref_sort_block(qd_type key_type, const uint64_t *key, qd_type value_type, const uint64_t *value,
	       uint32_t n, uint32_t *order)
{
	uint32_t merged[REF_MAX_BLOCK];

	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	for (uint32_t run = 1; run < n; run *= 2) {
		for (uint32_t base = 0; base < n; base += 2 * run) {
			uint32_t mid = base + run < n ? base + run : n;
			uint32_t end = mid + run < n ? mid + run : n, x = base, y = mid;

			for (uint32_t i = base; i < end; i++) {
				bool second = x == mid ||
					      (y < end && is_before(key_type, key[order[y]],
								    key[order[x]], value_type,
								    value[order[y]], value[order[x]]));

				merged[i] = order[second ? y++ : x++];
			}
		}
		memcpy(order, merged, n * sizeof *order);
	}
}
