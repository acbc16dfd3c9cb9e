/* Warp operations of NVVM: of all lanes, and of subsets of members. */
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
	if (which == OF_ALL_LATE) /* uniform is a lane index: the quotient is 0 */
		return qd_not(b, qd_div(b, o->uniform, qd_u32(b, 1000)));
	lane = qd_subgroup_invocation_id(b);
	lane = qd_and(b, lane, qd_u32(b, bit));
	lane = qd_ne(b, lane, qd_u32(b, 0));
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

/* Sets of values: arbitrary ones; a few, including zeros and NaNs that differ in one bit; a single
 * one, with another in some lanes. */
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

/* Packs both results into one word: the members in the low half, the predicate in the high half. */
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

/* -- Votes and masks ------------------------------------------------------------------------------ */

enum { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT, VOTE_ELECT, N_VOTES };

static const char *const votes_names[N_VOTES] = { " all", " any", " uni", " ballot", " elect" };

/* Only few lanes have the idx that makes a predicate true, or false. */
static uint32_t
vote_variants(const struct suite *t, qd_type type)
{
	(void)t;
	(void)type;
	return N_MEMBERS * N_VOTES * 2;
}

static void
vote_label(const struct suite *t, qd_type type, uint32_t variant, char *s, size_t size)
{
	(void)t;
	(void)type;
	snprintf(s, size, "%s%s%s", votes_names[variant / N_MEMBERS % N_VOTES],
		 members_names[variant % N_MEMBERS], variant / N_MEMBERS / N_VOTES ? " mostly" : "");
}

static struct qd_val
vote_build(struct qd_builder *b, const struct operands *o, uint32_t variant)
{
	struct qd_val mask = members(b, o, variant % N_MEMBERS), p = o->v, r;

	if (variant / N_MEMBERS / N_VOTES)
		p = qd_lt(b, o->idx, qd_u32(b, o->t->size));
	switch (variant / N_MEMBERS % N_VOTES) {
	case VOTE_ALL: r = qd_nvvm_vote_all(b, mask, p); break;
	case VOTE_ANY: r = qd_nvvm_vote_any(b, mask, p); break;
	case VOTE_UNI: r = qd_nvvm_vote_uni(b, mask, p); break;
	case VOTE_BALLOT: return qd_nvvm_vote_ballot(b, mask, p);
	default: r = qd_nvvm_elect(b, mask); break;
	}
	return qd_cast(b, QD_TYPE_U32, r);
}

static void
vote_want(const struct suite *t, const struct lanes *in, uint32_t variant, uint64_t *out, bool *defined)
{
	uint32_t vote = variant / N_MEMBERS % N_VOTES;
	struct ref_subgroup s = in->s;
	uint64_t v[REF_MAX_LANES];

	(void)defined;
	for (uint32_t l = 0; l < s.n; l++)
		v[l] = variant / N_MEMBERS / N_VOTES ? in->idx[l] < t->size
						     : ref_truth(s.type, s.v[l]);
	s.v = v;
	s.type = QD_TYPE_U32;
	for (uint32_t l = 0; l < s.n; l++) {
		uint32_t mask = members_of(variant % N_MEMBERS, l);

		out[l] = vote == VOTE_BALLOT  ? ref_ballot_members(&s, mask, l)
			 : vote == VOTE_ELECT ? ref_elect(&s, mask, l)
					      : ref_vote_members(&s, (enum ref_member_vote)vote, mask, l);
	}
}

typedef struct qd_val made_fn(struct qd_builder *b);
static made_fn *const masks[] = { qd_nvvm_activemask,  qd_nvvm_lanemask_lt, qd_nvvm_lanemask_le,
				  qd_nvvm_lanemask_eq, qd_nvvm_lanemask_ge, qd_nvvm_lanemask_gt };

static uint32_t
mask_variants(const struct suite *t, qd_type type)
{
	(void)t;
	(void)type;
	return sizeof masks / sizeof masks[0];
}

static struct qd_val
mask_build(struct qd_builder *b, const struct operands *o, uint32_t variant)
{
	(void)o;
	return masks[variant](b);
}

static void
mask_want(const struct suite *t, const struct lanes *in, uint32_t variant, uint64_t *out, bool *defined)
{
	(void)t;
	(void)defined;
	for (uint32_t l = 0; l < in->s.n; l++) {
		out[l] = 0;
		for (uint32_t j = 0; j < 32; j++) {
			uint32_t own = l % 32;
			bool set = variant == 0	  ? l - own + j < in->s.n
				   : variant == 1 ? j < own
				   : variant == 2 ? j <= own
				   : variant == 3 ? j == own
				   : variant == 4 ? j >= own
						  : j > own;

			out[l] |= (uint64_t)set << j;
		}
	}
}

/* -- Shuffles -------------------------------------------------------------------------------------- */

typedef struct qd_val shfl_fn(struct qd_builder *b, struct qd_val mask, struct qd_val v, struct qd_val x,
			      uint32_t width);
typedef void shfl_p_fn(struct qd_builder *b, struct qd_val mask, struct qd_val v, struct qd_val x,
		       uint32_t width, struct qd_val *out);
static shfl_fn *const shfls[] = { qd_nvvm_shfl_up, qd_nvvm_shfl_down, qd_nvvm_shfl_bfly,
				  qd_nvvm_shfl_idx };
static shfl_p_fn *const shfl_ps[] = { qd_nvvm_shfl_up_p, qd_nvvm_shfl_down_p, qd_nvvm_shfl_bfly_p,
				      qd_nvvm_shfl_idx_p };

/* Variants: by a varying number, and by 0, 1, 3 and 35; widths 1 to 32; members all or halves. */
enum { N_WIDTHS = 6, N_BY = 5 };
static const uint32_t shfl_by[N_BY] = { 0, 0, 1, 3, 35 };

static uint32_t
shfl_members(uint32_t variant)
{
	return variant % 2 ? OF_HALVES : OF_ALL;
}

static uint32_t
shfl_variants(const struct suite *t, qd_type type)
{
	(void)t;
	(void)type;
	return N_WIDTHS * N_BY;
}

static void
shfl_label(const struct suite *t, qd_type type, uint32_t variant, char *s, size_t size)
{
	(void)t;
	(void)type;
	snprintf(s, size, " width %u by %s%.0u%s", 1u << variant % N_WIDTHS, variant < N_WIDTHS ? "any" : "",
		 shfl_by[variant / N_WIDTHS], members_names[shfl_members(variant / N_WIDTHS)]);
}

static struct qd_val
shfl_operand(struct qd_builder *b, const struct operands *o, uint32_t variant)
{
	return variant < N_WIDTHS ? o->idx : qd_u32(b, shfl_by[variant / N_WIDTHS]);
}

static struct qd_val
shfl_build(struct qd_builder *b, const struct operands *o, uint32_t variant, enum ref_shfl how)
{
	struct qd_val mask = members(b, o, shfl_members(variant / N_WIDTHS));

	return shfls[how](b, mask, o->v, shfl_operand(b, o, variant), 1u << variant % N_WIDTHS);
}

static void
shfl_want(const struct lanes *in, uint32_t variant, uint64_t *out, bool *defined, enum ref_shfl how,
	  bool predicate)
{
	for (uint32_t l = 0; l < in->s.n; l++) {
		uint32_t x = variant < N_WIDTHS ? in->idx[l] : shfl_by[variant / N_WIDTHS];
		uint32_t mask = members_of(shfl_members(variant / N_WIDTHS), l);
		bool is_one = ref_shfl(&in->s, how, 1u << variant % N_WIDTHS, mask, x, l, &out[l],
				       &defined[l]);

		/* The predicate is in the high half. */
		if (predicate)
			out[l] |= (uint64_t)is_one << 32;
	}
}

/* Packs both results into one word: the predicate in the high half, the value in the low half. */
static struct qd_val
shfl_p_build(struct qd_builder *b, const struct operands *o, uint32_t variant, enum ref_shfl how)
{
	struct qd_val mask = members(b, o, shfl_members(variant / N_WIDTHS)), r[2], above;

	shfl_ps[how](b, mask, o->v, shfl_operand(b, o, variant), 1u << variant % N_WIDTHS, r);
	above = qd_cast(b, QD_TYPE_U64, r[1]);
	above = qd_shl(b, above, qd_u32(b, 32));
	r[0] = qd_bitcast(b, QD_TYPE_U32, r[0]);
	return qd_or(b, above, qd_cast(b, QD_TYPE_U64, r[0]));
}

#define SHFL(name, how)                                                                            \
	static struct qd_val name##_build(struct qd_builder *b, const struct operands *o,          \
					  uint32_t variant)                                        \
	{                                                                                          \
		return shfl_build(b, o, variant, how);                                             \
	}                                                                                          \
	static void name##_want(const struct suite *t, const struct lanes *in, uint32_t variant,   \
				uint64_t *out, bool *defined)                                      \
	{                                                                                          \
		(void)t;                                                                           \
		shfl_want(in, variant, out, defined, how, false);                                  \
	}                                                                                          \
	static struct qd_val name##_p_build(struct qd_builder *b, const struct operands *o,        \
					    uint32_t variant)                                      \
	{                                                                                          \
		return shfl_p_build(b, o, variant, how);                                           \
	}                                                                                          \
	static void name##_p_want(const struct suite *t, const struct lanes *in, uint32_t variant, \
				  uint64_t *out, bool *defined)                                    \
	{                                                                                          \
		(void)t;                                                                           \
		shfl_want(in, variant, out, defined, how, true);                                   \
	}

SHFL(shfl_up, REF_SHFL_UP)
SHFL(shfl_down, REF_SHFL_DOWN)
SHFL(shfl_bfly, REF_SHFL_BFLY)
SHFL(shfl_idx, REF_SHFL_IDX)

/* -- Reductions -------------------------------------------------------------------------------------- */

static uint32_t
redux_variants(const struct suite *t, qd_type type)
{
	(void)t;
	(void)type;
	return N_MEMBERS;
}

static void
redux_label(const struct suite *t, qd_type type, uint32_t variant, char *s, size_t size)
{
	(void)t;
	(void)type;
	snprintf(s, size, "%s", members_names[variant]);
}

#define REDUX(name, op)                                                                            \
	static struct qd_val name##_build(struct qd_builder *b, const struct operands *o,          \
					  uint32_t variant)                                        \
	{                                                                                          \
		return qd_nvvm_##name(b, members(b, o, variant), o->v);                            \
	}                                                                                          \
	static void name##_want(const struct suite *t, const struct lanes *in, uint32_t variant,   \
				uint64_t *out, bool *defined)                                      \
	{                                                                                          \
		(void)t;                                                                           \
		(void)defined;                                                                     \
		for (uint32_t l = 0; l < in->s.n; l++)                                             \
			out[l] = ref_redux(&in->s, op, members_of(variant, l), l);                 \
	}

REDUX(redux_add, REF_ADD)
REDUX(redux_min, REF_MIN)
REDUX(redux_max, REF_MAX)
REDUX(redux_and, REF_AND)
REDUX(redux_or, REF_OR)
REDUX(redux_xor, REF_XOR)

/* -- Words of predicates ------------------------------------------------------------------------------- */

static const uint32_t packed[] = { 1, 3, 32 };

/* Variants: the numbers of predicates in `packed`, and one bit of a word. */
static uint32_t
pack_variants(const struct suite *t, qd_type type)
{
	(void)t;
	(void)type;
	return 4;
}

static struct qd_val
pack_build(struct qd_builder *b, const struct operands *o, uint32_t variant)
{
	struct qd_val p[32];

	if (variant == 3)
		return qd_cast(b, QD_TYPE_U32, qd_nvvm_r2p(b, o->idx, o->uniform));
	for (uint32_t i = 0; i < 32; i++)
		p[i] = i % 3 == 0 ? o->v : i % 3 == 1 ? qd_nvvm_r2p(b, o->idx, qd_u32(b, i)) : qd_bool(b, i % 2);
	return qd_nvvm_p2r(b, p, packed[variant]);
}

static void
pack_want(const struct suite *t, const struct lanes *in, uint32_t variant, uint64_t *out, bool *defined)
{
	(void)t;
	(void)defined;
	for (uint32_t l = 0; l < in->s.n; l++) {
		out[l] = variant == 3 ? in->idx[l] >> in->uniform % 32 & 1 : 0;
		for (uint32_t i = 0; variant < 3 && i < packed[variant]; i++) {
			bool p = i % 3 == 0   ? ref_truth(in->s.type, in->s.v[l])
				 : i % 3 == 1 ? in->idx[l] >> i & 1
					      : i % 2;

			out[l] |= (uint64_t)p << i;
		}
	}
}

static const uint16_t blocks[] = { 7, 64, 37 | BLOCK_SHORT, 160 | BLOCK_LEN, 0 };

#define ROW(fn, forms, of, gives)                                                                  \
	{                                                                                          \
		.name = "nvvm." #fn, .types = of, .result = gives, .flags = ROW_SOME | ROW_WARP,   \
		.blocks = blocks, .n_variants = forms##_variants, .label = forms##_label,      \
		.build = fn##_build, .want = fn##_want                                             \
	}

static const struct row nvvm_rows[] = {
	ROW(match_any, match, T_ALL, QD_TYPE_U32),
	ROW(match_all, match, T_ALL, QD_TYPE_U64),
	ROW(vote, vote, T_ALL, QD_TYPE_U32),
	{ .name = "nvvm.mask", .types = 1 << QD_TYPE_U32, .flags = ROW_WARP, .blocks = blocks,
	  .n_variants = mask_variants, .build = mask_build, .want = mask_want },
	{ .name = "nvvm.p2r", .types = T_ALL, .result = QD_TYPE_U32, .flags = ROW_SOME,
	  .blocks = blocks_one, .n_variants = pack_variants, .build = pack_build, .want = pack_want },
	ROW(shfl_up, shfl, T_ALL, QD_TYPE_NONE),
	ROW(shfl_down, shfl, T_ALL, QD_TYPE_NONE),
	ROW(shfl_bfly, shfl, T_ALL, QD_TYPE_NONE),
	ROW(shfl_idx, shfl, T_ALL, QD_TYPE_NONE),
	ROW(shfl_up_p, shfl, 1 << QD_TYPE_U32, QD_TYPE_U64),
	ROW(shfl_down_p, shfl, 1 << QD_TYPE_U32, QD_TYPE_U64),
	ROW(shfl_bfly_p, shfl, 1 << QD_TYPE_U32, QD_TYPE_U64),
	ROW(shfl_idx_p, shfl, 1 << QD_TYPE_U32, QD_TYPE_U64),
	ROW(redux_add, redux, T_I32, QD_TYPE_NONE),
	ROW(redux_min, redux, T_I32, QD_TYPE_NONE),
	ROW(redux_max, redux, T_I32, QD_TYPE_NONE),
	ROW(redux_and, redux, T_I32, QD_TYPE_NONE),
	ROW(redux_or, redux, T_I32, QD_TYPE_NONE),
	ROW(redux_xor, redux, T_I32, QD_TYPE_NONE),
};
const struct family family_nvvm = { "nvvm", nvvm_rows, sizeof nvvm_rows / sizeof nvvm_rows[0], NULL,
				    NULL };
