/* Reductions, scans, operators: on the whole subgroup and on every tile size. */
#include "family.h"

uint32_t
tile_variants(const struct suite *t, qd_type type)
{
	(void)type;
	return t->log2_size + 2;
}

uint32_t
tile_log2(const struct suite *t, uint32_t variant)
{
	return variant > t->log2_size ? t->log2_size : variant;
}

void
tile_label(const struct suite *t, qd_type type, uint32_t variant, char *s, size_t size)
{
	(void)type;
	if (variant > t->log2_size)
		snprintf(s, size, " full");
	else
		snprintf(s, size, "_tiled log2_size=%u", variant);
}

#define TILE(name)                                                                                 \
	static struct qd_val name##_build(struct qd_builder *b, const struct operands *o,          \
					  uint32_t variant)                                        \
	{                                                                                          \
		return variant > o->t->log2_size ? qd_subgroup_##name(b, o->v)                     \
						 : qd_subgroup_##name##_tiled(b, o->v, variant);   \
	}

static void
sum_want(const struct suite *t, const struct lanes *in, uint32_t variant, uint64_t *out,
	 bool *defined)
{
	(void)defined;
	ref_reduce(&in->s, REF_ADD, tile_log2(t, variant), out);
}

/* Padding threads contribute -0.0 to a sum and 1 to a product, which does not change values. If
 * arithmetic flushes subnormals, it does flush a subnormal that is alone in its tile. */
static void
alone(const struct suite *t, const struct lanes *in, uint32_t variant, uint64_t *out)
{
	uint32_t width = 1u << tile_log2(t, variant), l = in->s.n - 1;

	if (t->flush && ref_is_float(in->s.type) && width > 1 && l % width == 0)
		out[l] = ref_add(in->s.type, out[l], UINT64_C(0x80000000), true);
}

#define REDUCE(name, op, of, rows)                                                                           \
	TILE(name)                                                                                 \
	static void name##_want(const struct suite *t, const struct lanes *in, uint32_t variant,   \
				uint64_t *out, bool *defined)                                      \
	{                                                                                          \
		(void)defined;                                                                     \
		ref_reduce(&in->s, op, tile_log2(t, variant), out);                                  \
		if (op == REF_ADD || op == REF_MUL)                                                \
			alone(t, in, variant, out);                                                \
	}
#define SCAN(name, fn, op, of, rows)                                                                         \
	TILE(name)                                                                                 \
	static void name##_want(const struct suite *t, const struct lanes *in, uint32_t variant,   \
				uint64_t *out, bool *defined)                                      \
	{                                                                                          \
		(void)defined;                                                                     \
		fn(&in->s, op, tile_log2(t, variant), out);                                          \
	}

#include "reduce.def"

#define TILE_FULL(fn, of) TILE_ROW_(fn, of, 0)
#define TILE_SOME(fn, of) TILE_ROW_(fn, of, ROW_SOME)
#define TILE_ROW_(fn, of, some)                                                                    \
	{                                                                                          \
		.name = "subgroup." #fn, .types = of, .flags = ROW_ANY_NAN | some,                 \
		.blocks = blocks_all, .n_variants = tile_variants, .label = tile_label,            \
		.build = fn##_build, .want = fn##_want                                             \
	}

static const struct row reduce_rows[] = {
#define REDUCE(name, op, of, rows) TILE_##rows(name, of),
#include "reduce.def"
};
static const struct row scan_rows[] = {
#define SCAN(name, fn, op, of, rows) TILE_##rows(name, of),
#include "reduce.def"
};

/* -- Votes ----------------------------------------------------------------------------- */

/* Votes on the value, and on its lowest bit, which is equal in more tiles. */
#define VOTE(name, vote)                                                                           \
	TILE(name)                                                                                 \
	static struct qd_val name##_bit_build(struct qd_builder *b, const struct operands *o,      \
					      uint32_t variant)                                    \
	{                                                                                          \
		struct operands bit = *o;                                                          \
		struct qd_val one = qd_cast(b, o->type, qd_u32(b, 1));                             \
                                                                                                   \
		bit.v = qd_and(b, o->v, one);                                                      \
		return name##_build(b, &bit, variant);                                             \
	}                                                                                          \
	static void name##_want(const struct suite *t, const struct lanes *in, uint32_t variant,   \
				uint64_t *out, bool *defined)                                      \
	{                                                                                          \
		vote_want(t, in, vote, ~UINT64_C(0), tile_log2(t, variant), out);                    \
		(void)defined;                                                                     \
	}                                                                                          \
	static void name##_bit_want(const struct suite *t, const struct lanes *in,                 \
				    uint32_t variant, uint64_t *out, bool *defined)                \
	{                                                                                          \
		vote_want(t, in, vote, 1, tile_log2(t, variant), out);                               \
		(void)defined;                                                                     \
	}

/* With flushing, subnormals compare equal, but each is true as a condition. */
static void
vote_want(const struct suite *t, const struct lanes *in, enum ref_vote vote, uint64_t mask,
	  uint32_t log2_size, uint64_t *out)
{
	uint64_t v[REF_MAX_LANES];
	struct ref_subgroup s = in->s;
	bool flush = t->flush && s.type == QD_TYPE_F32 && vote == REF_ALL_EQUAL;

	for (uint32_t l = 0; l < s.n; l++) {
		v[l] = s.v[l] & mask;
		if (flush && !ref_scalar(REF_OP_NE, s.type, v[l], 0, true))
			v[l] = 0;
	}
	s.v = v;
	ref_vote(&s, vote, log2_size, out);
}

VOTE(all_true, REF_ALL_TRUE)
VOTE(any_true, REF_ANY_TRUE)
VOTE(all_equal, REF_ALL_EQUAL)

#define VOTE_ROWS(fn)                                                                              \
	{ .name = "subgroup." #fn, .types = T_ALL, .result = QD_TYPE_I32, .blocks = blocks_all,    \
	  .n_variants = tile_variants, .label = tile_label, .build = fn##_build,                   \
	  .want = fn##_want },                                                                     \
	{ .name = "subgroup." #fn "(bit)", .types = T_INT, .flags = ROW_SOME, .result = QD_TYPE_I32, \
	  .blocks = blocks_all, .n_variants = tile_variants, .label = tile_label,                  \
	  .build = fn##_bit_build, .want = fn##_bit_want }

static const struct row vote_rows[] = { VOTE_ROWS(all_true), VOTE_ROWS(any_true),
					VOTE_ROWS(all_equal) };

#define N(rows) (sizeof(rows) / sizeof((rows)[0]))
const struct family family_reduce = { "reduce", reduce_rows, N(reduce_rows), NULL, NULL };
const struct family family_vote = { "vote", vote_rows, N(vote_rows), NULL, NULL };
const struct family family_scan = { "scan", scan_rows, N(scan_rows), NULL, NULL };

/* -- Operators: affine maps, which do not commute -------------------------------------- */

static void
affine(struct qd_builder *b, void *user, const struct qd_val *x, const struct qd_val *y,
       struct qd_val *out, uint32_t k)
{
	(void)user;
	(void)k;
	out[0] = qd_mul(b, x[0], y[0]);
	out[1] = qd_add(b, qd_mul(b, x[1], y[0]), y[1]);
}

enum total { OF_ALL, UP_TO_HERE, BELOW_HERE };
/* Initial value of an exclusive scan. It is not the identity of affine maps, so its use is
 * visible. */
enum { FIRST_A = 3, FIRST_B = 5 };

/* a is v's low half, b its high half; the result is packed into a u64 again. */
static struct qd_val
affine_build(struct qd_builder *b, const struct operands *o, uint32_t variant, enum total total)
{
	struct qd_val ab[2], r[2], high = qd_u32(b, 32);
	uint32_t log2_size = variant > o->t->log2_size ? QD_FULL : variant;

	ab[0] = qd_cast(b, QD_TYPE_U32, o->v);
	ab[1] = qd_cast(b, QD_TYPE_U32, qd_shr(b, o->v, high));
	struct qd_val first[2] = { qd_u32(b, FIRST_A) };
	first[1] = qd_u32(b, FIRST_B);
	switch (total) {
	case OF_ALL: qd_subgroup_reduce(b, ab, r, 2, log2_size, affine, NULL); break;
	case UP_TO_HERE: qd_subgroup_inclusive_scan(b, ab, r, 2, log2_size, affine, NULL); break;
	case BELOW_HERE:
		qd_subgroup_exclusive_scan(b, ab, first, r, 2, log2_size, affine, NULL);
		break;
	}
	r[0] = qd_cast(b, QD_TYPE_U64, r[0]);
	r[1] = qd_cast(b, QD_TYPE_U64, r[1]);
	return qd_or(b, r[0], qd_shl(b, r[1], high));
}

static struct qd_val
affine_reduce_build(struct qd_builder *b, const struct operands *o, uint32_t variant)
{
	return affine_build(b, o, variant, OF_ALL);
}

static struct qd_val
affine_scan_build(struct qd_builder *b, const struct operands *o, uint32_t variant)
{
	return affine_build(b, o, variant, UP_TO_HERE);
}

static struct qd_val
affine_exclusive_build(struct qd_builder *b, const struct operands *o, uint32_t variant)
{
	return affine_build(b, o, variant, BELOW_HERE);
}

static void
affine_exclusive_want(const struct suite *t, const struct lanes *in, uint32_t variant,
		      uint64_t *out, bool *defined)
{
	(void)defined;
	ref_affine_exclusive(&in->s, (uint64_t)FIRST_B << 32 | FIRST_A, tile_log2(t, variant), out);
}

static void
affine_reduce_want(const struct suite *t, const struct lanes *in, uint32_t variant, uint64_t *out,
		   bool *defined)
{
	(void)defined;
	ref_affine_reduce(&in->s, tile_log2(t, variant), out);
}

static void
affine_scan_want(const struct suite *t, const struct lanes *in, uint32_t variant, uint64_t *out,
		 bool *defined)
{
	(void)defined;
	ref_affine_scan(&in->s, tile_log2(t, variant), out);
}

/* An operator on floats must follow the canonical order. */
static void
float_sum(struct qd_builder *b, void *user, const struct qd_val *x, const struct qd_val *y,
	  struct qd_val *out, uint32_t k)
{
	(void)user;
	(void)k;
	out[0] = qd_add(b, x[0], y[0]);
}

static struct qd_val
sum_reduce_build(struct qd_builder *b, const struct operands *o, uint32_t variant)
{
	struct qd_val r;

	qd_subgroup_reduce(b, &o->v, &r, 1, variant > o->t->log2_size ? QD_FULL : variant,
			   float_sum, NULL);
	return r;
}

static struct qd_val
sum_scan_build(struct qd_builder *b, const struct operands *o, uint32_t variant)
{
	struct qd_val r;

	qd_subgroup_inclusive_scan(b, &o->v, &r, 1, variant > o->t->log2_size ? QD_FULL : variant,
				   float_sum, NULL);
	return r;
}

static const struct row operator_rows[] = {
	{ .name = "subgroup.reduce(affine)", .types = 1 << QD_TYPE_U64, .blocks = blocks_all,
	  .n_variants = tile_variants, .label = tile_label, .build = affine_reduce_build,
	  .want = affine_reduce_want },
	{ .name = "subgroup.inclusive_scan(affine)", .types = 1 << QD_TYPE_U64,
	  .blocks = blocks_all, .n_variants = tile_variants, .label = tile_label,
	  .build = affine_scan_build, .want = affine_scan_want },
	{ .name = "subgroup.exclusive_scan(affine)", .types = 1 << QD_TYPE_U64,
	  .blocks = blocks_all, .n_variants = tile_variants, .label = tile_label,
	  .build = affine_exclusive_build, .want = affine_exclusive_want },
	{ .name = "subgroup.reduce(add)", .types = T_FLT, .flags = ROW_ANY_NAN,
	  .blocks = blocks_all, .n_variants = tile_variants, .label = tile_label,
	  .build = sum_reduce_build, .want = sum_want },
	{ .name = "subgroup.inclusive_scan(add)", .types = T_FLT, .flags = ROW_ANY_NAN,
	  .blocks = blocks_all, .n_variants = tile_variants, .label = tile_label,
	  .build = sum_scan_build, .want = inclusive_add_want },
};
const struct family family_operator = { "operator", operator_rows, N(operator_rows), NULL, NULL };
