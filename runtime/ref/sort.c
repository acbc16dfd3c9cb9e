/* Sorts of pairs: the pairs of a tile's active lanes, put in order one after the other. */
#include "interp.h"

struct pair {
	uint64_t key, value;
	uint64_t rank[3]; /* what decides, and what does where that is alike */
};

/* An unsigned number in the order of the type's; a float's -0 is below its +0, NaNs are at
 * both ends. */
static uint64_t
rank_of(qd_type type, uint64_t bits)
{
	uint64_t top = UINT64_C(1) << (type_bits(type) - 1);

	if (type_info[type].is_float && (bits & top))
		return bits ^ (top | (top - 1));
	return type_info[type].is_float || type_info[type].is_signed ? bits ^ top : bits;
}

static struct pair
make_pair(qd_type key_type, uint64_t key, qd_type value_type, uint64_t value)
{
	uint64_t minus_zero = UINT64_C(1) << (type_bits(key_type) - 1);
	bool is_zero = type_info[key_type].is_float && key == minus_zero;

	return (struct pair){ key, value,
			      { rank_of(key_type, is_zero ? 0 : key), rank_of(value_type, value),
				rank_of(key_type, key) } };
}

static bool
comes_before(const struct pair *a, const struct pair *b)
{
	uint32_t n = 0;

	while (n < 2 && a->rank[n] == b->rank[n])
		n++;
	return a->rank[n] < b->rank[n];
}

void
interp_sort(struct wave *w, uint32_t at)
{
	const struct ir *ir = w->run->ir;
	const struct ins *i = &ir->ins[at];
	const uint64_t *key = wave_row(w, i->a), *value = wave_row(w, i->b);
	uint64_t *keys = wave_row(w, at), *values = keys + w->run->n_lanes;
	uint32_t log2 = interp_tile(w, i);

	interp_check_converged(w, at, log2, MAX_LANE);
	interp_use(w, at, i->a, w->active, "the key");
	interp_use(w, at, i->b, w->active, "the value");
	for (uint32_t base = 0; base < w->n_threads; base += 1u << log2) {
		struct pair pairs[MAX_LANE];
		uint32_t n = 0, end = base + (1u << log2);

		for (uint32_t l = base; l < end && l < w->n_threads; l++) {
			struct pair p = make_pair(ir->ins[i->a].type, key[l], ir->ins[i->b].type, value[l]);
			uint32_t j = n;

			if (!mask_has(&w->active, l))
				continue;
			for (; j > 0 && comes_before(&p, &pairs[j - 1]); j--)
				pairs[j] = pairs[j - 1];
			pairs[j] = p;
			n++;
		}
		for (uint32_t l = base, j = 0; l < end && l < w->n_threads; l++) {
			keys[l] = values[l] = 0;
			if (!mask_has(&w->active, l))
				continue;
			keys[l] = pairs[j].key;
			values[l] = pairs[j++].value;
		}
	}
}
