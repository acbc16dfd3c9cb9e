/* Block operations, compared with a sequential computation over the block's values: subgroup
 * boundaries must not affect results. Each operation is tested by itself and in a loop. The
 * loop has other data in each iteration, to detect early writes to slots of shared memory. */
#include <stdlib.h>

#include "family.h"

/* ALONE: the operation on v. SECOND: a loop over v, w, v; the second iteration's result. */
enum { ALONE, SECOND, N_VARIANT };
enum { BEYOND = 5 }; /* from this block on, n_active exceeds block_dim */

static uint32_t
variants(const struct suite *t, qd_type type)
{
	(void)t, (void)type;
	return N_VARIANT;
}

static void
label(const struct suite *t, qd_type type, uint32_t variant, char *s, size_t size)
{
	(void)t, (void)type;
	snprintf(s, size, "%s", variant == SECOND ? " (second round)" : "");
}

typedef struct qd_val call_fn(struct qd_builder *b, const struct operands *o, struct qd_val v);

static struct qd_val
in_rounds(struct qd_builder *b, const struct operands *o, uint32_t variant, call_fn *call,
	  qd_type result)
{
	struct qd_val round, v, x, zero, want;
	struct qd_var kept;

	if (variant == ALONE)
		return call(b, o, o->v);
	kept = qd_var(b, qd_const_bits(b, result, 0));
	zero = qd_u32(b, 0);
	round = qd_for(b, zero, qd_u32(b, 3));
	v = qd_select(b, qd_eq(b, round, qd_u32(b, 1)), o->w, o->v);
	x = call(b, o, v);
	want = qd_eq(b, round, qd_u32(b, variant));
	qd_if(b, want);
	qd_set(b, kept, x);
	qd_end(b);
	qd_end(b);
	return qd_get(b, kept);
}

/* Returns the values of the block; those of padding threads are undefined. */
static const uint64_t *
values(const struct lanes *in, uint32_t variant)
{
	return (variant == SECOND ? in->w : in->s.v) - in->first;
}

/* Emits the n_active of a row. Each block has another value, from `least` to all threads, or a
 * value above block_dim, which means all. `least` is 1 if a result over no threads is undefined. */
static struct qd_val
some(struct qd_builder *b, const struct operands *o, uint32_t least)
{
	struct qd_val x = o->uniform, k = qd_u32(b, 97), of = qd_block_dim(b), at = qd_block_idx(b);
	struct qd_val beyond;

	x = qd_mul(b, x, k);
	k = qd_u32(b, 41);
	x = qd_add(b, x, qd_mul(b, at, k));
	k = qd_u32(b, 1 - least);
	of = qd_add(b, of, k);
	x = qd_rem(b, x, of);
	k = qd_u32(b, least);
	x = qd_add(b, x, k);
	k = qd_u32(b, BEYOND);
	beyond = qd_div(b, at, k);
	k = qd_u32(b, 0x40000001);
	return qd_add(b, x, qd_mul(b, beyond, k));
}

/* Returns the number of active threads, without padding threads. */
static uint32_t
some_of(const struct lanes *in, uint32_t least)
{
	uint32_t n = (in->uniform * 97 + in->block_idx * 41) % (in->block_dim + 1 - least) + least;

	n += in->block_idx / BEYOND * 0x40000001u;
	return n < in->block_n ? n : in->block_n;
}

#define SOME_BUILD(name, least, result)                                                            \
	static struct qd_val name##_some_call(struct qd_builder *b, const struct operands *o,      \
					      struct qd_val v)                                     \
	{                                                                                          \
		qd_block_n_active(b, some(b, o, least));                                           \
		return name##_call(b, o, v);                                                       \
	}                                                                                          \
	static struct qd_val name##_some_build(struct qd_builder *b, const struct operands *o,     \
					       uint32_t variant)                                   \
	{                                                                                          \
		return in_rounds(b, o, variant, name##_some_call, result);                         \
	}

/* -- Reductions and scans ---------------------------------------------------------------- */

enum total { OF_ALL, UP_TO_HERE, BELOW_HERE };

static uint32_t
total_of(enum total which, uint32_t thread, uint32_t n)
{
	uint32_t below = which == UP_TO_HERE ? thread + 1 : thread;

	return which == OF_ALL || below > n ? n : below;
}

/* Computes the results if the first `count` threads contribute. */
static void
total_want(const struct lanes *in, uint32_t variant, enum ref_reduction op, enum total which,
	   uint32_t count, uint64_t *out)
{
	const uint64_t *v = values(in, variant);
	qd_type type = in->s.type;
	bool flush = in->s.flush;

	for (uint32_t l = 0; l < in->s.n; l++) {
		uint32_t thread = in->first + l, n = total_of(which, thread, count);
		uint32_t positions = which == OF_ALL ? 2 : which == UP_TO_HERE ? thread + 1 : thread;

		if (which == OF_ALL && l) {
			out[l] = out[0];
			continue;
		}
		out[l] = n ? ref_tree(op, type, v, n, flush) : ref_identity(op, type);
		/* A single contribution is added to the identity of padding threads, which flushes. */
		if (n == 1 && positions > 1 && flush && ref_is_float(type) &&
		    (op == REF_ADD || op == REF_MUL))
			out[l] = ref_add(type, out[l], UINT64_C(0x80000000), true);
	}
}

#define TOTAL(name, op, which)                                                                     \
	static struct qd_val name##_call(struct qd_builder *b, const struct operands *o,           \
					 struct qd_val v)                                          \
	{                                                                                          \
		(void)o;                                                                           \
		return qd_block_##name(b, v);                                                      \
	}                                                                                          \
	static struct qd_val name##_build(struct qd_builder *b, const struct operands *o,          \
					  uint32_t variant)                                        \
	{                                                                                          \
		return in_rounds(b, o, variant, name##_call, o->type);                             \
	}                                                                                          \
	static void name##_want(const struct suite *t, const struct lanes *in, uint32_t variant,   \
				uint64_t *out, bool *defined)                                      \
	{                                                                                          \
		(void)t, (void)defined;                                                            \
		total_want(in, variant, op, which, in->block_n, out);                              \
	}
#define TOTAL_SOME(name, op, which)                                                                \
	SOME_BUILD(name, 0, o->type)                                                               \
	static void name##_some_want(const struct suite *t, const struct lanes *in,                \
				     uint32_t variant, uint64_t *out, bool *defined)               \
	{                                                                                          \
		(void)t, (void)defined;                                                            \
		total_want(in, variant, op, which, some_of(in, 0), out);                           \
	}
#define TOTALS(op, OP)                                                                             \
	TOTAL(reduce_##op, OP, OF_ALL)                                                             \
	TOTAL(inclusive_##op, OP, UP_TO_HERE)                                                      \
	TOTAL(exclusive_##op, OP, BELOW_HERE)

TOTALS(add, REF_ADD)
TOTALS(mul, REF_MUL)
TOTALS(min, REF_MIN)
TOTALS(max, REF_MAX)
TOTALS(and, REF_AND)
TOTALS(or, REF_OR)
TOTALS(xor, REF_XOR)
TOTAL(reduce_all_add, REF_ADD, OF_ALL)
TOTAL_SOME(reduce_add, REF_ADD, OF_ALL)
TOTAL_SOME(reduce_min, REF_MIN, OF_ALL)
TOTAL_SOME(inclusive_mul, REF_MUL, UP_TO_HERE)
TOTAL_SOME(inclusive_max, REF_MAX, UP_TO_HERE)
TOTAL_SOME(exclusive_add, REF_ADD, BELOW_HERE)
TOTAL_SOME(exclusive_and, REF_AND, BELOW_HERE)

#define ROW(fn, of) ROW_(fn, of, result, QD_TYPE_NONE, 0)
#define ROW_SOME(fn, of, result_) ROW_SOME_(fn, of, result_, 0)
#define ROW_SOME_(fn, of, result_, more)                                                           \
	{                                                                                          \
		.name = "block." #fn "(n_active)", .types = of,                                    \
		.flags = ROW_ANY_NAN | ROW_FEW | (more),                                           \
		.blocks = blocks_large, .n_variants = variants, .label = label,                    \
		.build = fn##_some_build, .want = fn##_some_want, .result = result_                \
	}
#define ROW_(fn, of, field, value, more)                                                           \
	{                                                                                          \
		.name = "block." #fn, .types = of, .flags = ROW_ANY_NAN | ROW_FEW | (more),        \
		.blocks = blocks_large, .n_variants = variants, .label = label,                    \
		.build = fn##_build, .want = fn##_want, .field = value                             \
	}

/* -- Votes ----------------------------------------------------------------------------------- */

enum vote { ALL, ANY, COUNT };

static void
vote_want(const struct suite *t, const struct lanes *in, uint32_t variant, enum vote vote,
	  uint32_t n, uint64_t *out)
{
	const uint64_t *v = values(in, variant);
	uint32_t yes = 0;

	(void)t;
	for (uint32_t i = 0; i < n; i++)
		yes += ref_truth(in->s.type, v[i]);
	for (uint32_t l = 0; l < in->s.n; l++)
		out[l] = vote == ALL ? yes == n : vote == ANY ? yes > 0 : yes;
}

#define VOTE(name, vote)                                                                           \
	static struct qd_val name##_call(struct qd_builder *b, const struct operands *o,           \
					 struct qd_val v)                                          \
	{                                                                                          \
		(void)o;                                                                           \
		return qd_block_##name(b, v);                                                      \
	}                                                                                          \
	static struct qd_val name##_build(struct qd_builder *b, const struct operands *o,          \
					  uint32_t variant)                                        \
	{                                                                                          \
		return in_rounds(b, o, variant, name##_call, QD_TYPE_I32);                         \
	}                                                                                          \
	static void name##_want(const struct suite *t, const struct lanes *in, uint32_t variant,   \
				uint64_t *out, bool *defined)                                      \
	{                                                                                          \
		(void)defined;                                                                     \
		vote_want(t, in, variant, vote, in->block_n, out);                                 \
	}                                                                                          \
	SOME_BUILD(name, 0, QD_TYPE_I32)                                                           \
	static void name##_some_want(const struct suite *t, const struct lanes *in,                \
				     uint32_t variant, uint64_t *out, bool *defined)               \
	{                                                                                          \
		(void)defined;                                                                     \
		vote_want(t, in, variant, vote, some_of(in, 0), out);                              \
	}

VOTE(sync_all_nonzero, ALL)
VOTE(sync_any_nonzero, ANY)
VOTE(sync_count_nonzero, COUNT)

/* -- Movement ---------------------------------------------------------------------------------- */

static struct qd_val
broadcast_call(struct qd_builder *b, const struct operands *o, struct qd_val v)
{
	return qd_block_broadcast(b, v, o->uniform);
}

static struct qd_val
broadcast_build(struct qd_builder *b, const struct operands *o, uint32_t variant)
{
	return in_rounds(b, o, variant, broadcast_call, o->type);
}

static void
broadcast_want(const struct suite *t, const struct lanes *in, uint32_t variant, uint64_t *out,
	       bool *defined)
{
	uint32_t from = in->uniform % in->block_dim;

	(void)t;
	for (uint32_t l = 0; l < in->s.n; l++) {
		defined[l] = from < in->block_n;
		out[l] = defined[l] ? values(in, variant)[from] : 0;
	}
}

/* Multiplies idx so that the source thread is usually in another subgroup. */
static struct qd_val
shuffle_call(struct qd_builder *b, const struct operands *o, struct qd_val v)
{
	struct qd_val size = qd_u32(b, o->t->size + 3);

	return qd_block_shuffle(b, v, qd_mul(b, o->idx, size));
}

static struct qd_val
shuffle_build(struct qd_builder *b, const struct operands *o, uint32_t variant)
{
	return in_rounds(b, o, variant, shuffle_call, o->type);
}

static void
shuffle_want(const struct suite *t, const struct lanes *in, uint32_t variant, uint64_t *out,
	     bool *defined)
{
	for (uint32_t l = 0; l < in->s.n; l++) {
		uint32_t from = in->idx[l] * (t->size + 3) % in->block_dim;

		defined[l] = from < in->block_n;
		out[l] = defined[l] ? values(in, variant)[from] : 0;
	}
}

/* -- Sorts: few distinct values, so that pairs are equal -------------------------------------- */

static struct qd_val
bitonic_sort_kv_call(struct qd_builder *b, const struct operands *o, struct qd_val v)
{
	struct qd_val pair[2], half = qd_u32(b, 32);

	qd_block_bitonic_sort_kv(b, v, qd_bitcast(b, QD_TYPE_I32, o->idx), pair);
	pair[1] = qd_cast(b, QD_TYPE_U64, qd_bitcast(b, QD_TYPE_U32, pair[1]));
	pair[1] = qd_shl(b, pair[1], half);
	if (ref_width(o->type) == 64)
		return qd_xor(b, pair[1], qd_bitcast(b, QD_TYPE_U64, pair[0]));
	return qd_or(b, pair[1], qd_cast(b, QD_TYPE_U64, qd_bitcast(b, QD_TYPE_U32, pair[0])));
}

static struct qd_val
bitonic_sort_kv_build(struct qd_builder *b, const struct operands *o, uint32_t variant)
{
	return in_rounds(b, o, variant, bitonic_sort_kv_call, QD_TYPE_U64);
}

/* Returns the padding after the pairs of the active threads: the greatest key and value. */
static uint64_t
last_pair(qd_type key)
{
	uint64_t value = 0x7fffffff, greatest = ref_width(key) == 64 ? INT64_MAX : INT32_MAX;

	if (key == QD_TYPE_U32 || key == QD_TYPE_U64)
		greatest = 2 * greatest + 1;
	return greatest ^ value << 32;
}

static void
sort_want(const struct lanes *in, uint32_t variant, uint32_t n, uint64_t *out)
{
	const uint64_t *key = values(in, variant);
	uint64_t value[REF_MAX_BLOCK];
	uint32_t order[REF_MAX_BLOCK];

	for (uint32_t i = 0; i < n; i++)
		value[i] = (in->idx - in->first)[i];
	ref_sort_block(in->s.type, key, QD_TYPE_I32, value, n, order);
	for (uint32_t l = 0; l < in->s.n; l++) {
		uint32_t at = in->first + l;

		out[l] = at < n ? key[order[at]] ^ value[order[at]] << 32 : last_pair(in->s.type);
	}
}

static void
bitonic_sort_kv_want(const struct suite *t, const struct lanes *in, uint32_t variant, uint64_t *out,
		     bool *defined)
{
	(void)t, (void)defined;
	sort_want(in, variant, in->block_n, out);
}

SOME_BUILD(bitonic_sort_kv, 0, QD_TYPE_U64)

static void
bitonic_sort_kv_some_want(const struct suite *t, const struct lanes *in, uint32_t variant,
			  uint64_t *out, bool *defined)
{
	(void)t, (void)defined;
	sort_want(in, variant, some_of(in, 0), out);
}

/* -- Ranks, and the contents of their arrays --------------------------------------------------- */

enum { MAX_KEYS = 8 };

/* A cell's value combines counts and ranks, one after the other, by this factor. */
static const uint64_t RANK_FACTOR = 6364136223846793005;

struct digits {
	uint32_t k, radix, start, bits;
};
static const struct digits few_bits = { 1, 5, 2, 4 }, top_bits = { 1, 8, 24, 8 },
			   no_bits = { 1, 1, 31, 0 }, three_keys = { 3, 3, 1, 3 },
			   six_keys = { 6, 4, 2, 4 }, eight_keys = { 8, 5, 0, 5 };

static struct qd_val
rank_call(struct qd_builder *b, const struct operands *o, struct qd_val v, const struct digits *d)
{
	struct qd_val key[MAX_KEYS] = { v, o->w, o->idx }, rank[MAX_KEYS], r, x, at;
	struct qd_val factor = qd_u64(b, RANK_FACTOR);
	struct qd_array bins, below;
	char name[32];

	for (uint32_t j = 3; j < d->k; j++) {
		struct qd_val one = qd_u32(b, 1), number = qd_u32(b, j);

		key[j] = qd_add(b, qd_shr(b, key[j - 3], one), number);
	}
	/* Each call needs arrays of its own. */
	snprintf(name, sizeof name, "bins%u", v.id);
	bins = qd_shared(b, name, QD_TYPE_I32, 1u << d->radix);
	snprintf(name, sizeof name, "below%u", v.id);
	below = qd_shared(b, name, QD_TYPE_I32, 1u << d->radix);
	if (d->k == 1)
		rank[0] = qd_block_radix_rank_match_atomic_or(b, v, d->radix, d->start, d->bits, bins,
							      below);
	else
		qd_block_radix_rank_match_atomic_or_keys(b, key, rank, d->k, d->radix, d->start,
							 d->bits, bins, below);
	x = qd_u32(b, (1u << d->radix) - 1);
	at = qd_and(b, qd_block_thread_idx(b), x);
	r = qd_load(b, bins, at);
	r = qd_cast(b, QD_TYPE_U64, r);
	for (uint32_t j = 0; j <= d->k; j++) {
		x = j ? rank[j - 1] : qd_load(b, below, at);
		x = qd_cast(b, QD_TYPE_U64, x);
		r = qd_add(b, qd_mul(b, r, factor), x);
	}
	return r;
}

static void
rank_want(const struct lanes *in, uint32_t variant, const struct digits *d, uint32_t count,
	  uint64_t *out)
{
	const uint64_t *v = values(in, variant), *w = in->w - in->first;
	const uint32_t *idx = in->idx - in->first;
	uint32_t bins[256] = { 0 }, below[256] = { 0 }, number[MAX_KEYS * REF_MAX_BLOCK];
	uint32_t digit[MAX_KEYS * REF_MAX_BLOCK], n = d->k * in->block_n, len = 1u << d->radix;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t t = i / d->k, j = i % d->k;
		uint32_t key = (uint32_t)(j % 3 == 0 ? v[t] : j % 3 == 1 ? w[t] : idx[t]);

		for (uint32_t more = 3 + j % 3; more <= j; more += 3)
			key = (key >> 1) + more;
		digit[i] = (key >> d->start) & ((1u << d->bits) - 1);
		number[i] = bins[digit[i]];
		bins[digit[i]] += t < count;
	}
	for (uint32_t i = 1; i < len; i++)
		below[i] = below[i - 1] + bins[i - 1];
	for (uint32_t l = 0; l < in->s.n; l++) {
		uint32_t t = in->first + l;

		out[l] = bins[t % len] * RANK_FACTOR + below[t % len];
		for (uint32_t j = 0; j < d->k; j++)
			out[l] = out[l] * RANK_FACTOR + below[digit[d->k * t + j]] +
				 number[d->k * t + j];
	}
}

#define RANK(name)                                                                                 \
	static struct qd_val name##_call(struct qd_builder *b, const struct operands *o,           \
					 struct qd_val v)                                          \
	{                                                                                          \
		return rank_call(b, o, v, &name);                                                  \
	}                                                                                          \
	static struct qd_val name##_build(struct qd_builder *b, const struct operands *o,          \
					  uint32_t variant)                                        \
	{                                                                                          \
		return in_rounds(b, o, variant, name##_call, QD_TYPE_U64);                         \
	}                                                                                          \
	static void name##_want(const struct suite *t, const struct lanes *in, uint32_t variant,   \
				uint64_t *out, bool *defined)                                      \
	{                                                                                          \
		(void)t, (void)defined;                                                            \
		rank_want(in, variant, &name, in->block_n, out);                                   \
	}
#define RANK_SOME(name)                                                                            \
	SOME_BUILD(name, 0, QD_TYPE_U64)                                                           \
	static void name##_some_want(const struct suite *t, const struct lanes *in,                \
				     uint32_t variant, uint64_t *out, bool *defined)               \
	{                                                                                          \
		(void)t, (void)defined;                                                            \
		rank_want(in, variant, &name, some_of(in, 0), out);                                \
	}
RANK(few_bits)
RANK(top_bits)
RANK(no_bits)
RANK(three_keys)
RANK(six_keys)
RANK(eight_keys)
RANK_SOME(few_bits)
RANK_SOME(three_keys)
RANK_SOME(eight_keys)

#define RANK_ROW(fn) RANK_ROW_(fn, fn)
#define RANK_ROW_(fn, label_)                                                                      \
	{                                                                                          \
		.name = "block.radix_rank_match_atomic_or(" #label_ ")",                           \
		.types = 1 << QD_TYPE_U32,                                                         \
		.result = QD_TYPE_U64, .flags = ROW_FEW, .blocks = blocks_large,                   \
		.n_variants = variants, .label = label, .build = fn##_build, .want = fn##_want     \
	}

/* -- Operators: affine maps, which do not commute ----------------------------------------------- */

enum { FIRST_A = 3, FIRST_B = 5 };

static void
affine(struct qd_builder *b, void *user, const struct qd_val *x, const struct qd_val *y,
       struct qd_val *out, uint32_t k)
{
	struct qd_val slope = qd_mul(b, x[0], y[0]), shifted = qd_mul(b, x[1], y[0]);

	(void)user, (void)k;
	out[1] = qd_add(b, shifted, y[1]);
	out[0] = slope;
}

static void
float_sum(struct qd_builder *b, void *user, const struct qd_val *x, const struct qd_val *y,
	  struct qd_val *out, uint32_t k)
{
	(void)user, (void)k;
	out[0] = qd_add(b, x[0], y[0]);
}

static void
combine(struct qd_builder *b, enum total which, const struct qd_val *v, const struct qd_val *first,
	struct qd_val *r, uint32_t k, qd_operator_fn *op)
{
	switch (which) {
	case OF_ALL: qd_block_reduce(b, v, r, k, op, NULL); break;
	case UP_TO_HERE: qd_block_inclusive_scan(b, v, r, k, op, NULL); break;
	case BELOW_HERE: qd_block_exclusive_scan(b, v, first, r, k, op, NULL); break;
	}
}

/* Emits the operation. A u64 is an affine map, with a in its low half and b in its high half;
 * floats are summed. */
static struct qd_val
operator_call(struct qd_builder *b, const struct operands *o, struct qd_val v, enum total which)
{
	struct qd_val ab[2], r[2], first[2], high = qd_u32(b, 32);

	if (o->type != QD_TYPE_U64) {
		first[0] = qd_const_bits(b, o->type, 0);
		combine(b, which, &v, first, r, 1, float_sum);
		return r[0];
	}
	ab[0] = qd_cast(b, QD_TYPE_U32, v);
	ab[1] = qd_cast(b, QD_TYPE_U32, qd_shr(b, v, high));
	first[0] = qd_u32(b, FIRST_A);
	first[1] = qd_u32(b, FIRST_B);
	combine(b, which, ab, first, r, 2, affine);
	r[0] = qd_cast(b, QD_TYPE_U64, r[0]);
	r[1] = qd_cast(b, QD_TYPE_U64, r[1]);
	return qd_or(b, r[0], qd_shl(b, r[1], high));
}

static void
operator_want(const struct lanes *in, uint32_t variant, enum total which, uint32_t count,
	      uint64_t *out)
{
	const uint64_t *v = values(in, variant);
	uint64_t sum = (uint64_t)FIRST_B << 32 | FIRST_A;
	uint32_t at = 0;

	for (uint32_t l = 0; l < in->s.n; l++) {
		uint32_t n = total_of(which, in->first + l, count);

		if (in->s.type != QD_TYPE_U64) {
			out[l] = n ? ref_tree(REF_ADD, in->s.type, v, n, in->s.flush) : 0;
			continue;
		}
		for (; at < n; at++)
			sum = at ? ref_affine(sum, v[at]) : v[at];
		out[l] = sum;
	}
}

#define OPERATOR(name, which)                                                                      \
	static struct qd_val name##_call(struct qd_builder *b, const struct operands *o,           \
					 struct qd_val v)                                          \
	{                                                                                          \
		return operator_call(b, o, v, which);                                              \
	}                                                                                          \
	static struct qd_val name##_build(struct qd_builder *b, const struct operands *o,          \
					  uint32_t variant)                                        \
	{                                                                                          \
		return in_rounds(b, o, variant, name##_call, o->type);                             \
	}                                                                                          \
	static void name##_want(const struct suite *t, const struct lanes *in, uint32_t variant,   \
				uint64_t *out, bool *defined)                                      \
	{                                                                                          \
		(void)t, (void)defined;                                                            \
		operator_want(in, variant, which, in->block_n, out);                               \
	}                                                                                          \
	SOME_BUILD(name, (which) != BELOW_HERE, o->type)                                           \
	static void name##_some_want(const struct suite *t, const struct lanes *in,                \
				     uint32_t variant, uint64_t *out, bool *defined)               \
	{                                                                                          \
		(void)t, (void)defined;                                                            \
		operator_want(in, variant, which, some_of(in, (which) != BELOW_HERE), out);        \
	}
OPERATOR(reduce, OF_ALL)
OPERATOR(inclusive_scan, UP_TO_HERE)
OPERATOR(exclusive_scan, BELOW_HERE)

enum { T_OPERATOR = T_FLT | 1 << QD_TYPE_U64, T_FEW = T_I32 | 1 << QD_TYPE_F32 };

static const struct row rows[] = {
	ROW_(sync_all_nonzero, T_ALL, result, QD_TYPE_I32, 0),
	ROW_(sync_any_nonzero, T_ALL, result, QD_TYPE_I32, 0),
	ROW_(sync_count_nonzero, T_ALL, result, QD_TYPE_I32, 0),
	ROW(broadcast, T_ALL), ROW(shuffle, T_ALL),
	ROW(reduce_add, T_ALL), ROW(reduce_all_add, T_ALL), ROW(reduce_mul, T_ALL),
	ROW(reduce_min, T_ALL), ROW(reduce_max, T_ALL), ROW(reduce_and, T_INT),
	ROW(reduce_or, T_INT), ROW(reduce_xor, T_INT),
	ROW(inclusive_add, T_ALL), ROW(inclusive_mul, T_ALL), ROW(inclusive_min, T_ALL),
	ROW(inclusive_max, T_ALL), ROW(inclusive_and, T_INT), ROW(inclusive_or, T_INT),
	ROW(inclusive_xor, T_INT),
	ROW(exclusive_add, T_ALL), ROW(exclusive_mul, T_ALL), ROW(exclusive_min, T_ALL),
	ROW(exclusive_max, T_ALL), ROW(exclusive_and, T_INT), ROW(exclusive_or, T_INT),
	ROW(exclusive_xor, T_INT),
	ROW_(bitonic_sort_kv, T_ALL, result, QD_TYPE_U64, ROW_SLOW),
	RANK_ROW(few_bits), RANK_ROW(top_bits), RANK_ROW(no_bits), RANK_ROW(three_keys),
	RANK_ROW(six_keys), RANK_ROW(eight_keys),
	ROW(reduce, T_OPERATOR), ROW(inclusive_scan, T_OPERATOR), ROW(exclusive_scan, T_OPERATOR),
	/* Rows with n_active: at least one of each kind of operation. */
	ROW_SOME(sync_all_nonzero, T_FEW, QD_TYPE_I32), ROW_SOME(sync_any_nonzero, T_FEW, QD_TYPE_I32),
	ROW_SOME(sync_count_nonzero, T_FEW, QD_TYPE_I32),
	ROW_SOME(reduce_add, T_ALL, QD_TYPE_NONE), ROW_SOME(reduce_min, T_ALL, QD_TYPE_NONE),
	ROW_SOME(inclusive_mul, T_ALL, QD_TYPE_NONE), ROW_SOME(inclusive_max, T_ALL, QD_TYPE_NONE),
	ROW_SOME(exclusive_add, T_ALL, QD_TYPE_NONE), ROW_SOME(exclusive_and, T_INT, QD_TYPE_NONE),
	ROW_SOME_(bitonic_sort_kv, T_ALL, QD_TYPE_U64, ROW_SLOW),
	RANK_ROW_(few_bits_some, n_active), RANK_ROW_(three_keys_some, three_keys n_active),
	RANK_ROW_(eight_keys_some, eight_keys n_active),
	ROW_SOME(reduce, T_OPERATOR, QD_TYPE_NONE), ROW_SOME(inclusive_scan, T_OPERATOR, QD_TYPE_NONE),
	ROW_SOME(exclusive_scan, T_OPERATOR, QD_TYPE_NONE),
};

const struct family family_block = { "block", rows, sizeof rows / sizeof rows[0], NULL, NULL };
