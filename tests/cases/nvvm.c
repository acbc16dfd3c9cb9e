/* What lanes of a warp do together: of all of them, and of parts that name each other. */
#include "family.h"

/* -- Members ----------------------------------------------------------------------------- */

enum { OF_ALL, OF_ALL_LATE, OF_PARITY, OF_HALVES, N_MEMBERS };

static const char *const members_names[N_MEMBERS] = { " all", " all, not constant", " odd or even",
						      " lower or upper" };

static struct qd_val
members(struct qd_builder *b, const struct operands *o, uint32_t which)
{
	uint32_t bit = which == OF_PARITY ? 1 : 2, mask = which == OF_PARITY ? 0xaaaaaaaa : 0xcccccccc;
	struct qd_val lane;

	if (which == OF_ALL)
		return qd_u32(b, UINT32_MAX);
	if (which == OF_ALL_LATE) /* the number is one of a lane */
		return qd_not(b, qd_div(b, o->uniform, qd_u32(b, 1000)));
	lane = qd_subgroup_invocation_id(b);
	lane = qd_and(b, lane, qd_i32(b, (int32_t)bit));
	lane = qd_ne(b, lane, qd_i32(b, 0));
	struct qd_val upper = qd_u32(b, mask);
	return qd_select(b, lane, upper, qd_u32(b, ~mask));
}

static uint32_t
members_of(uint32_t which, uint32_t lane)
{
	switch (which) {
	case OF_PARITY: return lane & 1 ? 0xaaaaaaaa : 0x55555555;
	case OF_HALVES: return lane & 2 ? 0xcccccccc : 0x33333333;
	default: return UINT32_MAX;
	}
}

/* -- Values -------------------------------------------------------------------------------- */

/* Any; few, zeros and NaNs among them that differ in one bit; one, but in a lane here and
 * there. */
enum { V_ANY, V_FEW, V_ONE, N_VALUES };

static const char *const values_names[N_VALUES] = { " of any", " of few", " of one" };

static uint64_t
few(qd_type type, uint32_t i)
{
	static const uint64_t wide[] = { 0, UINT64_C(1) << 63, UINT64_C(0x7ff8000000000000),
					 UINT64_C(0x7ff8000000000001) };
	static const uint32_t narrow[] = { 0, 1u << 31, 0x7fc00000, 0x7fc00001 };

	return ref_width(type) == 64 ? wide[i % 4] : narrow[i % 4];
}

static struct qd_val
value(struct qd_builder *b, const struct operands *o, uint32_t which)
{
	struct qd_val c[4], odd, high;

	if (which == V_ANY)
		return o->v;
	for (uint32_t i = 0; i < 4; i++)
		c[i] = qd_const_bits(b, o->type, few(o->type, i));
	if (which == V_ONE)
		return qd_select(b, qd_lt(b, o->idx, qd_u32(b, o->t->size)), c[2], c[3]);
	odd = qd_and(b, o->idx, qd_u32(b, 1));
	high = qd_and(b, o->idx, qd_u32(b, 2));
	c[0] = qd_select(b, odd, c[1], c[0]);
	return qd_select(b, high, qd_select(b, odd, c[3], c[2]), c[0]);
}

static struct ref_subgroup
values(const struct suite *t, const struct lanes *in, uint32_t which, uint64_t v[REF_MAX_LANES])
{
	struct ref_subgroup s = in->s;

	for (uint32_t l = 0; l < s.n; l++)
		v[l] = which == V_ANY ? s.v[l]
		     : which == V_FEW ? few(s.type, in->idx[l])
				      : few(s.type, in->idx[l] < t->size ? 2 : 3);
	s.v = v;
	return s;
}

/* -- Matches ---------------------------------------------------------------------------------- */

static uint32_t
match_variants(const struct suite *t, qd_type type)
{
	(void)t;
	(void)type;
	return N_MEMBERS * N_VALUES;
}

static void
match_label(const struct suite *t, qd_type type, uint32_t variant, char *s, size_t size)
{
	(void)t;
	(void)type;
	snprintf(s, size, "%s%s", members_names[variant % N_MEMBERS],
		 values_names[variant / N_MEMBERS]);
}

static struct qd_val
match_any_build(struct qd_builder *b, const struct operands *o, uint32_t variant)
{
	struct qd_val mask = members(b, o, variant % N_MEMBERS);

	return qd_nvvm_match_any(b, mask, value(b, o, variant / N_MEMBERS));
}

static void
match_any_want(const struct suite *t, const struct lanes *in, uint32_t variant, uint64_t *out,
	       bool *defined)
{
	uint64_t v[REF_MAX_LANES];
	struct ref_subgroup s = values(t, in, variant / N_MEMBERS, v);

	(void)defined;
	for (uint32_t l = 0; l < s.n; l++)
		out[l] = ref_match_any(&s, members_of(variant % N_MEMBERS, l), l);
}

/* Both results in one word: the members, and above them whether they match. */
static struct qd_val
match_all_build(struct qd_builder *b, const struct operands *o, uint32_t variant)
{
	struct qd_val mask = members(b, o, variant % N_MEMBERS), out[2], above;

	qd_nvvm_match_all(b, mask, value(b, o, variant / N_MEMBERS), out);
	above = qd_cast(b, QD_TYPE_U64, out[1]);
	above = qd_shl(b, above, qd_u32(b, 32));
	return qd_or(b, above, qd_cast(b, QD_TYPE_U64, out[0]));
}

static void
match_all_want(const struct suite *t, const struct lanes *in, uint32_t variant, uint64_t *out,
	       bool *defined)
{
	uint64_t v[REF_MAX_LANES];
	struct ref_subgroup s = values(t, in, variant / N_MEMBERS, v);
	uint32_t lanes;

	(void)defined;
	for (uint32_t l = 0; l < s.n; l++) {
		out[l] = (uint64_t)ref_match_all(&s, members_of(variant % N_MEMBERS, l), l, &lanes) << 32;
		out[l] |= lanes;
	}
}

#define MATCH(fn, of)                                                                              \
	{                                                                                          \
		.name = "nvvm." #fn, .types = T_ALL, .result = of,                                 \
		.flags = ROW_SOME | ROW_WARP, .blocks = blocks_all,                                \
		.n_variants = match_variants, .label = match_label, .build = fn##_build,           \
		.want = fn##_want                                                                  \
	}

static const struct row nvvm_rows[] = {
	MATCH(match_any, QD_TYPE_U32),
	MATCH(match_all, QD_TYPE_U64),
};
const struct family family_nvvm = { "nvvm", nvvm_rows, sizeof nvvm_rows / sizeof nvvm_rows[0], NULL,
				    NULL };
