/* Expansions of operations that combine lanes, against the canonical order of reductions as
 * implemented in lanes.c. */
#include "t_prim.h"

#include <stdio.h>

/* Calls fn for every machine, subgroup size and number type it has. */
static void
each(struct unit_ctx *t, void (*fn)(struct unit_ctx *t, const struct machine *m, qd_type type))
{
	for (unsigned i = 0; i < n_prim_machines; i++) {
		for (uint32_t log2 = 2; log2 <= 7; log2++) {
			struct machine m = prim_machine(i, log2);
			for (qd_type type = QD_TYPE_I32; type <= QD_TYPE_F64; type++) {
				if (kit_has_type(&m, type) && prim_chosen(i, log2, type))
					fn(t, &m, type);
			}
		}
	}
}

/* -- Shuffles --------------------------------------------------------------------- */

typedef struct qd_val move(struct qd_builder *b, struct qd_val v, struct qd_val index);

static void
shuffles(struct unit_ctx *t, const struct machine *m, qd_type type)
{
	static const struct {
		const char *name;
		move *fn;
		bool checked; /* a constant must be a valid lane */
	} moves[] = {
		{ "shuffle", qd_subgroup_shuffle, true },
		{ "shuffle_xor", qd_subgroup_shuffle_xor, false },
		{ "shuffle_up", qd_subgroup_shuffle_up, false },
		{ "shuffle_down", qd_subgroup_shuffle_down, false },
		{ "broadcast", qd_subgroup_broadcast, true },
	};
	const uint32_t size = m->subgroup_size;
	const uint32_t offsets[] = { 0, 1, 2, size - 1, size, size + 1, 0x80000000, 0xffffffff };

	for (size_t i = 0; i < QD_COUNT(moves); i++) {
		struct kit k;
		char what[64];
		struct qd_builder *b = kit_open(&k, t, m, 256);
		struct qd_val x = kit_in(b, "x", type), y = kit_in(b, "y", QD_TYPE_U32);
		if (i == 4) /* a uniform index */
			y = qd_param_scalar(b, "s", QD_TYPE_U32);
		kit_result(b, moves[i].fn(b, x, y));
		snprintf(what, sizeof what, "%s %s", moves[i].name, type_info[type].name);
		k.what = what;
		k.same_nans = true;
		if (kit_ready(&k)) {
			kit_fill(&k, 0);
			kit_fill(&k, 1);
			for (uint32_t e = 0; i != 4 && e < ELEMENTS; e += 2)
				kit_element(&k, MEANT, 1)[e] %= 2 * size;
			k.x.scalar[2] = size + 2;
			kit_compare(&k);
		}
		kit_close(&k);

		for (size_t j = 0; j < QD_COUNT(offsets); j++) {
			if (moves[i].checked && offsets[j] >= size)
				continue;
			b = kit_open(&k, t, m, 256);
			kit_result(b, moves[i].fn(b, kit_in(b, "x", type), qd_u32(b, offsets[j])));
			snprintf(what, sizeof what, "%s %s by %u", moves[i].name,
				 type_info[type].name, offsets[j]);
			k.same_nans = true;
			kit_check(&k, what, 1, 1);
			kit_close(&k);
		}
	}
}

void
prim_shuffles(struct unit_ctx *t)
{
	each(t, shuffles);
}

/* -- Votes ---------------------------------------------------------------------------- */

static void
votes(struct unit_ctx *t, const struct machine *m, qd_type type)
{
	struct kit k;
	struct qd_builder *b = kit_open(&k, t, m, 256);
	struct qd_val x = kit_in(b, "x", type);

	for (uint32_t n = 1; n <= 32; n += n < 4 || n > 28 ? 1 : 5)
		kit_result(b, qd_subgroup_ballot_first_n(b, x, n));
	if (m->subgroup_size <= 64)
		kit_result(b, qd_subgroup_ballot(b, x));
	struct qd_val word[4];
	qd_subgroup_ballot128(b, x, word);
	for (uint32_t j = 0; j < 4; j++)
		kit_result(b, word[j]);
	for (uint32_t log2 = 0; log2 <= m->log2_size; log2++) {
		kit_result(b, qd_subgroup_all_true_tiled(b, x, log2));
		kit_result(b, qd_subgroup_any_true_tiled(b, x, log2));
		kit_result(b, qd_subgroup_all_equal_tiled(b, x, log2));
	}
	kit_result(b, qd_subgroup_elect(b));
	kit_result(b, qd_subgroup_id(b));
	kit_result(b, qd_subgroup_invocation_id(b));
	kit_check(&k, "votes", 1, 2);
	kit_close(&k);
}

void
prim_votes(struct unit_ctx *t)
{
	each(t, votes);
}

/* -- Reductions and the sum scan ---------------------------------------------------------- */

typedef struct qd_val tiled(struct qd_builder *b, struct qd_val v, uint32_t log2_size);

static void
reductions(struct unit_ctx *t, const struct machine *m, qd_type type)
{
#define ONE(name) { qd_subgroup_##name##_tiled, #name, false },
#define EACH(name) ONE(name##_add) ONE(name##_mul) ONE(name##_min) ONE(name##_max)
#define BITS(name) { qd_subgroup_##name##_tiled, #name, true },
#define EACH_BITS(name) BITS(name##_and) BITS(name##_or) BITS(name##_xor)
	static const struct {
		tiled *fn;
		const char *name;
		bool is_bits;
	} rows[] = { EACH(reduce) EACH(inclusive) EACH(exclusive) EACH_BITS(reduce)
			     EACH_BITS(inclusive) EACH_BITS(exclusive) };
	/* Whole subgroups, and a last one of a few threads. */
	const uint32_t blocks[] = { 2 * m->subgroup_size, 3 * m->subgroup_size - 3,
				    m->subgroup_size / 2 + 1 };

	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		if (rows[i].is_bits && type_is(type, TM_FLT))
			continue;
		for (uint32_t log2 = 0; log2 <= m->log2_size; log2++) {
			/* Sums at every size, other operations at one size. */
			bool sums = i < 12 && i % 4 == 0;
			if (!sums && log2 != (i + type) % (m->log2_size + 1))
				continue;
			size_t j = (i + log2 + type + m->log2_size) % QD_COUNT(blocks);
			struct kit k;
			char what[64];
			struct qd_builder *b = kit_open(&k, t, m, blocks[j]);
			kit_result(b, rows[i].fn(b, kit_in(b, "x", type), log2));
			snprintf(what, sizeof what, "%s %s k=%u of %u", rows[i].name,
				 type_info[type].name, log2, blocks[j]);
			kit_check(&k, what, 1, 2);
			kit_close(&k);
		}
	}
}

/* Checks the whole subgroup, and a literal zero. */
static void
whole(struct unit_ctx *t, const struct machine *m, qd_type type)
{
	struct kit k;
	struct qd_builder *b = kit_open(&k, t, m, 2 * m->subgroup_size);
	struct qd_val x = kit_in(b, "x", type), zero = qd_const_bits(b, type, 0);

	kit_result(b, qd_subgroup_reduce_add(b, x));
	kit_result(b, qd_subgroup_reduce_min(b, x));
	kit_result(b, qd_subgroup_reduce_max(b, x));
	kit_result(b, qd_subgroup_inclusive_add(b, x));
	kit_result(b, qd_subgroup_exclusive_add(b, x));
	kit_result(b, qd_subgroup_exclusive_min(b, x));
	kit_result(b, qd_subgroup_reduce_add(b, zero));
	kit_result(b, qd_subgroup_reduce_max(b, zero));
	kit_result(b, qd_subgroup_inclusive_add(b, zero));
	kit_check(&k, "whole subgroup", 1, 2);
	kit_close(&k);
}

void
prim_reductions(struct unit_ctx *t)
{
	each(t, reductions);
	each(t, whole);
}

/* -- Segments ------------------------------------------------------------------------------------ */

typedef struct qd_val segmented(struct qd_builder *b, struct qd_val v, struct qd_val head,
				uint32_t log2_size);

/* Checks heads of any type: a bool that is rarely true, and numbers that are mostly nonzero. */
static void
segments(struct unit_ctx *t, const struct machine *m, qd_type type)
{
	static segmented *const fns[] = { qd_subgroup_segmented_reduce_add_tiled,
					  qd_subgroup_segmented_reduce_min_tiled,
					  qd_subgroup_segmented_reduce_max_tiled };
	const uint32_t blocks[] = { 2 * m->subgroup_size, 3 * m->subgroup_size - 3,
				    m->subgroup_size / 2 + 1 };

	for (uint32_t log2 = 0; log2 <= m->log2_size; log2++) {
		struct kit k;
		struct qd_builder *b = kit_open(&k, t, m, blocks[(log2 + type) % QD_COUNT(blocks)]);
		struct qd_val x = kit_in(b, "x", type), y = kit_in(b, "y", QD_TYPE_U32);
		struct qd_val few = qd_eq(b, qd_rem(b, y, qd_u32(b, 5)), qd_u32(b, 0));
		/* Sums at every size, other operations at one size. */
		uint32_t n = log2 == (type + m->log2_size) % (m->log2_size + 1) ? 3 : 1;

		for (uint32_t i = 0; i < n; i++)
			kit_result(b, fns[i](b, x, few, log2));
		kit_result(b, fns[n - 1](b, x, log2 % 2 ? x : y, log2));
		kit_result(b, fns[0](b, x, qd_bool(b, false), log2));
		kit_check(&k, "segments", 2, 2);
		kit_close(&k);
	}
	struct kit k;
	struct qd_builder *b = kit_open(&k, t, m, 2 * m->subgroup_size);
	struct qd_val x = kit_in(b, "x", type);
	kit_result(b, qd_subgroup_segmented_reduce_add(b, x, qd_subgroup_elect(b)));
	kit_result(b, qd_subgroup_segmented_reduce_min(b, x, qd_bool(b, true)));
	kit_result(b, qd_subgroup_segmented_reduce_max(b, x, x));
	kit_check(&k, "segments of the subgroup", 1, 1);
	kit_close(&k);
}

void
prim_segments(struct unit_ctx *t)
{
	each(t, segments);
}

/* -- Sorts ----------------------------------------------------------------------------------- */

/* Checks keys of one type with values of each, also with many equal ones. */
static void
sorts(struct unit_ctx *t, const struct machine *m, qd_type type)
{
	const uint32_t blocks[] = { 2 * m->subgroup_size, 3 * m->subgroup_size - 3,
				    m->subgroup_size / 2 + 1 };

	for (qd_type other = QD_TYPE_I32; other <= QD_TYPE_F64; other++) {
		uint32_t n = type + other + m->log2_size;
		struct qd_val pair[2];
		struct kit k;
		char what[64];

		if (!kit_has_type(m, other))
			continue;
		struct qd_builder *b = kit_open(&k, t, m, blocks[n % QD_COUNT(blocks)]);
		struct qd_val key = kit_in(b, "key", type), value = kit_in(b, "value", other);
		struct qd_val zero = qd_const_bits(b, type, 0), few = qd_const_bits(b, other, 0);
		struct qd_val sign = qd_const_bits(b, type, UINT64_C(1) << (type_bits(type) - 1));
		struct qd_val bit = qd_rem(b, kit_thread(b), qd_u32(b, 3));
		qd_subgroup_bitonic_sort_kv_tiled(b, key, value, n % (m->log2_size + 1), pair);
		kit_result(b, pair[0]);
		kit_result(b, pair[1]);
		/* Zeros of both signs, with values that are often equal. */
		few = qd_select(b, qd_eq(b, bit, qd_u32(b, 0)), few, value);
		bit = qd_ne(b, bit, qd_u32(b, 1));
		zero = qd_select(b, bit, zero, sign);
		zero = qd_select(b, qd_eq(b, key, key), zero, key);
		if (other % 3 == m->log2_size % 3)
			qd_subgroup_bitonic_sort_kv(b, zero, few, pair);
		else
			qd_subgroup_bitonic_sort_kv_tiled(b, zero, few, 2, pair);
		kit_result(b, pair[0]);
		kit_result(b, pair[1]);
		k.same_nans = true;
		snprintf(what, sizeof what, "sort of %s, %s", type_info[type].name,
			 type_info[other].name);
		kit_check(&k, what, 2, 2);
		kit_close(&k);
	}
}

void
prim_sorts(struct unit_ctx *t)
{
	each(t, sorts);
}

/* -- Operators of the kernel ----------------------------------------------------------------- */

/* Composes affine maps, a v + b; lower lanes are applied first. The operator is associative on
 * integers, never commutative, and shows the order of operations on floats. */
static void
affine(struct qd_builder *b, void *user, const struct qd_val *x, const struct qd_val *y,
       struct qd_val *out, uint32_t k)
{
	struct qd_val one = qd_const_bits(b, build_type(b, x[0]), 0);

	(void)user, (void)k;
	out[0] = qd_mul(b, y[0], x[0]);
	out[1] = qd_add(b, qd_add(b, qd_mul(b, y[0], x[1]), y[1]), one);
}

/* Keeps the value with the greater key; the lower lane's if the keys are equal. */
static void
arg_max(struct qd_builder *b, void *user, const struct qd_val *x, const struct qd_val *y,
	struct qd_val *out, uint32_t k)
{
	struct qd_val upper = qd_lt(b, x[0], y[0]);

	(void)user;
	for (uint32_t i = 0; i < k; i++)
		out[i] = qd_select(b, upper, y[i], x[i]);
}

static void
operators(struct unit_ctx *t, const struct machine *m, qd_type type)
{
	const uint32_t blocks[] = { 2 * m->subgroup_size, 2 * m->subgroup_size - 1,
				    m->subgroup_size + 3 };
	const uint32_t sizes[] = { QD_FULL, m->log2_size, m->log2_size - 1, 0, 1 };

	for (size_t i = 0; i < QD_COUNT(sizes); i++) {
		struct kit k;
		struct qd_builder *b = kit_open(&k, t, m, blocks[i % QD_COUNT(blocks)]);
		struct qd_val v[3] = { kit_in(b, "x", type), kit_in(b, "y", type), kit_thread(b) };
		struct qd_val r[3];
		qd_subgroup_reduce(b, v, r, 2, sizes[i], affine, NULL);
		kit_result(b, r[0]);
		kit_result(b, r[1]);
		qd_subgroup_inclusive_scan(b, v, r, 2, sizes[i], affine, NULL);
		kit_result(b, r[1]);
		kit_result(b, r[0]);
		struct qd_val first[2] = { v[1], v[0] };
		qd_subgroup_exclusive_scan(b, v, first, r, 2, sizes[i], affine, NULL);
		kit_result(b, r[1]);
		kit_result(b, r[0]);
		qd_subgroup_reduce(b, v, r, 3, sizes[i], arg_max, NULL);
		kit_result(b, r[2]);
		qd_subgroup_inclusive_scan(b, v, r, 3, sizes[i], arg_max, NULL);
		kit_result(b, r[2]);
		kit_check(&k, "operators", 2, 1);
		kit_close(&k);
	}
}

void
prim_operators(struct unit_ctx *t)
{
	each(t, operators);
}
