/* Sorts of pairs by heapsort: of a tile's active lanes, or of the threads of a block that reached
 * the operation. */
#include "interp.h"

struct pair {
	uint64_t key, value;
	uint64_t rank[3]; /* sort keys, in decreasing significance */
};

/* Maps bits to an unsigned number with the order of the type. The order of floats is total: -0
 * precedes +0, and NaNs are at both ends. */
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

/* Moves p[at] down until no child is greater. */
static void
sift(struct pair *p, uint32_t n, uint32_t at)
{
	struct pair own = p[at];
	uint32_t child;

	while ((child = 2 * at + 1) < n) {
		child += child + 1 < n && comes_before(&p[child], &p[child + 1]);
		if (!comes_before(&own, &p[child]))
			break;
		p[at] = p[child];
		at = child;
	}
	p[at] = own;
}

static void
put_in_order(struct pair *p, uint32_t n)
{
	for (uint32_t i = n / 2; i-- > 0;)
		sift(p, n, i);
	while (n > 1) {
		struct pair last = p[--n];

		p[n] = p[0];
		p[0] = last;
		sift(p, n, 0);
	}
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

		for (uint32_t l = base; l < end && l < w->n_threads; l++)
			if (mask_has(&w->active, l))
				pairs[n++] = make_pair(ir->ins[i->a].type, key[l],
						       ir->ins[i->b].type, value[l]);
		put_in_order(pairs, n);
		for (uint32_t l = base, j = 0; l < end && l < w->n_threads; l++) {
			keys[l] = values[l] = 0;
			if (!mask_has(&w->active, l))
				continue;
			keys[l] = pairs[j].key;
			values[l] = pairs[j++].value;
		}
	}
}

_Static_assert(sizeof(struct pair) == SORT_WORDS * sizeof(uint64_t), "scratch memory has SORT_WORDS per pair");

void
interp_sort_block(const struct run *r, struct wave *waves, uint32_t at)
{
	const struct ins *i = &r->ir->ins[at];
	qd_type key = (qd_type)r->ir->ins[i->a].type, value = (qd_type)r->ir->ins[i->b].type;
	struct pair *pairs = (struct pair *)r->values;
	uint32_t active = interp_count_active(r, waves, at), n = 0, count, lane;

	for (uint32_t t = 0; t < r->block_dim && t < active; t++) {
		const struct wave *w = interp_find(r, waves, at, t, &lane);

		if (w)
			pairs[n++] = make_pair(key, wave_row(w, i->a)[lane], value,
					       wave_row(w, i->b)[lane]);
	}
	put_in_order(pairs, n);
	count = n;
	n = 0;
	for (uint32_t t = 0; t < r->block_dim; t++) {
		struct wave *w = interp_find(r, waves, at, t, &lane);
		struct pair none = { .key = ir_padding_bits(PADDING_LAST, key),
				     .value = ir_padding_bits(PADDING_LAST, value) };
		const struct pair *p = n < count ? &pairs[n] : &none;

		if (!w)
			continue;
		wave_row(w, at)[lane] = p->key;
		wave_row(w, at)[r->n_lanes + lane] = p->value;
		n++;
	}
}
