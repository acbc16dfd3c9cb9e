/* Thread indices, shuffles and ballots. */
#include "family.h"

/* -- Indices ---------------------------------------------------------------------- */

enum { P_LANE, P_SIZE, P_LOG2, P_ELECT, P_SUBGROUP, P_COUNT, P_BLOCK, P_DIM, P_GRID, P_THREAD,
       P_AXIS0, P_AXIS1, P_AXIS2, P_GLOBAL, P_TILE0, P_TILE1, P_TILE2, N_PLACE };

static const char *const place_names[N_PLACE] = {
	"invocation_id", "group_size", "log2_group_size", "elect", "subgroup.id",
	"subgroup.count", "block.idx", "block.dim", "grid.dim", "thread_idx", "thread_idx(0)",
	"thread_idx(1)", "thread_idx(2)", "global_thread_idx", "tile_lane(0)", "tile_lane(1)",
	"tile_lane(2)" };

static uint32_t
place_variants(const struct suite *t, qd_type type)
{
	(void)t;
	(void)type;
	return N_PLACE;
}

static void
place_label(const struct suite *t, qd_type type, uint32_t variant, char *s, size_t size)
{
	(void)t;
	(void)type;
	snprintf(s, size, " %s", place_names[variant]);
}

static struct qd_val
place_build(struct qd_builder *b, const struct operands *o, uint32_t variant)
{
	(void)o;
	switch (variant) {
	case P_LANE: return qd_subgroup_invocation_id(b);
	case P_SIZE: return qd_subgroup_group_size(b);
	case P_LOG2: return qd_subgroup_log2_group_size(b);
	case P_ELECT: return qd_subgroup_elect(b);
	case P_SUBGROUP: return qd_subgroup_id(b);
	case P_COUNT: return qd_subgroup_count(b);
	case P_BLOCK: return qd_block_idx(b);
	case P_DIM: return qd_block_dim(b);
	case P_GRID: return qd_grid_dim(b);
	case P_THREAD: return qd_block_thread_idx(b);
	case P_AXIS0: case P_AXIS1: case P_AXIS2:
		return qd_block_thread_idx_axis(b, variant - P_AXIS0);
	case P_GLOBAL: return qd_block_global_thread_idx(b);
	default: return qd_subgroup_tile_lane(b, variant - P_TILE0);
	}
}

static void
place_want(const struct suite *t, const struct lanes *in, uint32_t variant, uint64_t *out,
	   bool *defined)
{
	(void)defined;
	for (uint32_t l = 0; l < in->s.n; l++) {
		uint32_t thread = in->first + l;

		switch (variant) {
		case P_LANE: out[l] = l; break;
		case P_SIZE: out[l] = t->size; break;
		case P_LOG2: out[l] = t->log2_size; break;
		case P_ELECT: out[l] = l == 0; break;
		case P_SUBGROUP: out[l] = in->first / t->size; break;
		case P_COUNT: out[l] = (in->block_dim + t->size - 1) / t->size; break;
		case P_BLOCK: out[l] = in->block_idx; break;
		case P_DIM: out[l] = in->block_dim; break;
		case P_GRID: out[l] = N_PATTERN; break;
		case P_THREAD: case P_AXIS0: out[l] = thread; break; /* blocks are n x 1 x 1 */
		case P_AXIS1: case P_AXIS2: out[l] = 0; break;
		case P_GLOBAL: out[l] = in->block_idx * in->block_dim + thread; break;
		default: out[l] = l % (1u << (variant - P_TILE0));
		}
	}
}

static qd_type
place_result(qd_type type, uint32_t variant)
{
	(void)type;
	return variant == P_ELECT ? QD_TYPE_I32 : QD_TYPE_U32;
}

static const struct row place_rows[] = {
	{ .name = "place", .types = 1 << QD_TYPE_U32, .blocks = blocks_all,
	  .n_variants = place_variants, .label = place_label, .build = place_build,
	  .want = place_want, .result_of = place_result },
};
const struct family family_place = { "place", place_rows, 1, NULL, NULL };

/* -- Shuffles ------------------------------------------------------------------------- */

enum { SH_VARYING, SH_SELF, SH_FIRST, SH_LAST, SH_CONST, SH_SIGNED, N_SHUFFLE };

static const char *const shuffle_names[N_SHUFFLE] = { " varying", " 0 or self", " 1", " S-1",
						      " S/2", " varying i32" };

static uint32_t
shuffle_variants(const struct suite *t, qd_type type)
{
	(void)t;
	(void)type;
	return N_SHUFFLE;
}

static void
shuffle_label(const struct suite *t, qd_type type, uint32_t variant, char *s, size_t size)
{
	(void)t;
	(void)type;
	snprintf(s, size, "%s", shuffle_names[variant]);
}

/* Returns the second operand of a variant, for the kernel and as a value. */
static struct qd_val
shuffle_operand(struct qd_builder *b, const struct operands *o, uint32_t variant)
{
	switch (variant) {
	case SH_VARYING: return o->idx;
	case SH_SELF: return qd_u32(b, 0);
	case SH_FIRST: return qd_i32(b, 1);
	case SH_LAST: return qd_u32(b, o->t->size - 1);
	case SH_CONST: return qd_u32(b, o->t->size / 2);
	default: return qd_bitcast(b, QD_TYPE_I32, o->idx);
	}
}

static void
shuffle_values(const struct suite *t, const struct lanes *in, uint32_t variant, uint32_t *idx)
{
	for (uint32_t l = 0; l < in->s.n; l++)
		idx[l] = variant == SH_SELF    ? 0
			 : variant == SH_FIRST ? 1
			 : variant == SH_LAST  ? t->size - 1
			 : variant == SH_CONST ? t->size / 2
					       : in->idx[l];
}

#define SHUFFLE(name)                                                                              \
	static struct qd_val name##_build(struct qd_builder *b, const struct operands *o,          \
					  uint32_t variant)                                        \
	{                                                                                          \
		return qd_subgroup_##name(b, o->v, shuffle_operand(b, o, variant));                \
	}                                                                                          \
	static void name##_want(const struct suite *t, const struct lanes *in, uint32_t variant,   \
				uint64_t *out, bool *defined)                                      \
	{                                                                                          \
		uint32_t idx[REF_MAX_LANES];                                                       \
                                                                                                   \
		shuffle_values(t, in, variant, idx);                                               \
		ref_##name(&in->s, idx, out, defined);                                             \
	}

SHUFFLE(shuffle)
SHUFFLE(shuffle_xor)
SHUFFLE(shuffle_up)
SHUFFLE(shuffle_down)

/* Broadcasts from a uniform run-time index, and from constants. */
static struct qd_val
broadcast_build(struct qd_builder *b, const struct operands *o, uint32_t variant)
{
	return qd_subgroup_broadcast(b, o->v,
				     variant == SH_VARYING || variant == SH_SIGNED
					     ? o->uniform
					     : shuffle_operand(b, o, variant));
}

static void
broadcast_want(const struct suite *t, const struct lanes *in, uint32_t variant, uint64_t *out,
	       bool *defined)
{
	uint32_t idx[REF_MAX_LANES];

	shuffle_values(t, in, variant, idx);
	if (variant == SH_VARYING || variant == SH_SIGNED)
		for (uint32_t l = 0; l < in->s.n; l++)
			idx[l] = in->uniform;
	ref_shuffle(&in->s, idx, out, defined);
}

#define SHUFFLE_ROW(fn)                                                                            \
	{                                                                                          \
		.name = "subgroup." #fn, .types = T_ALL, .blocks = blocks_all,                     \
		.n_variants = shuffle_variants, .label = shuffle_label, .build = fn##_build,       \
		.want = fn##_want                                                                  \
	}

static const struct row shuffle_rows[] = {
	SHUFFLE_ROW(shuffle),	   SHUFFLE_ROW(shuffle_xor), SHUFFLE_ROW(shuffle_up),
	SHUFFLE_ROW(shuffle_down), SHUFFLE_ROW(broadcast),
};
const struct family family_shuffle = { "shuffle", shuffle_rows, 5, NULL, NULL };

/* -- Ballots ----------------------------------------------------------------------------- */

static const uint32_t ballot_n[] = { 1, 2, 7, 31, 32 };

static uint32_t
ballot_variants(const struct suite *t, qd_type type)
{
	(void)t;
	(void)type;
	return 5;
}

static void
ballot_label(const struct suite *t, qd_type type, uint32_t variant, char *s, size_t size)
{
	(void)t;
	(void)type;
	snprintf(s, size, " n=%u", ballot_n[variant]);
}

static struct qd_val
ballot_build(struct qd_builder *b, const struct operands *o, uint32_t variant)
{
	return qd_subgroup_ballot_first_n(b, o->v, ballot_n[variant]);
}

static void
ballot_want(const struct suite *t, const struct lanes *in, uint32_t variant, uint64_t *out,
	    bool *defined)
{
	(void)t;
	(void)defined;
	for (uint32_t l = 0; l < in->s.n; l++)
		out[l] = ref_ballot_first_n(&in->s, ballot_n[variant]);
}

/* Variant n is word n of ballot128; the last one is the ballot of 64 lanes, for subgroups of at
 * most 64. */
static uint32_t
words_variants(const struct suite *t, qd_type type)
{
	(void)type;
	return t->size > 64 ? 4 : 5;
}

static void
words_label(const struct suite *t, qd_type type, uint32_t variant, char *s, size_t size)
{
	(void)t;
	(void)type;
	if (variant < 4)
		snprintf(s, size, "128 word %u", variant);
}

static struct qd_val
words_build(struct qd_builder *b, const struct operands *o, uint32_t variant)
{
	struct qd_val word[4];

	if (variant == 4)
		return qd_subgroup_ballot(b, o->v);
	qd_subgroup_ballot128(b, o->v, word);
	return qd_cast(b, QD_TYPE_U64, word[variant]);
}

static void
words_want(const struct suite *t, const struct lanes *in, uint32_t variant, uint64_t *out,
	   bool *defined)
{
	(void)t;
	(void)defined;
	for (uint32_t l = 0; l < in->s.n; l++)
		out[l] = variant == 4 ? (uint64_t)ref_ballot_word(&in->s, 1) << 32 | ref_ballot_word(&in->s, 0)
				      : ref_ballot_word(&in->s, variant);
}

/* -- Masks of lanes ------------------------------------------------------------------------ */

enum { MASK_LT, MASK_LE, MASK_EQ, MASK_GE, MASK_GT, N_MASK };

typedef struct qd_val mask_fn(struct qd_builder *b, struct qd_val lane);
static mask_fn *const mask_fns[2 * N_MASK] = {
	qd_subgroup_lanemask_lt,   qd_subgroup_lanemask_le,   qd_subgroup_lanemask_eq,
	qd_subgroup_lanemask_ge,   qd_subgroup_lanemask_gt,   qd_subgroup_lanemask64_lt,
	qd_subgroup_lanemask64_le, qd_subgroup_lanemask64_eq, qd_subgroup_lanemask64_ge,
	qd_subgroup_lanemask64_gt,
};
/* Masks of the lane itself, of any number, and of constants. */
static const uint32_t mask_of[] = { 0, 1, 0, 31, 32, 63, 64, UINT32_MAX };
enum { OWN, ANY, N_MASK_OF = 8 };

static uint32_t
mask_variants(const struct suite *t, qd_type type)
{
	(void)t;
	(void)type;
	return 2 * N_MASK * N_MASK_OF;
}

static void
mask_label(const struct suite *t, qd_type type, uint32_t variant, char *s, size_t size)
{
	(void)t;
	(void)type;
	snprintf(s, size, " %u of %u", variant % (2 * N_MASK), variant / (2 * N_MASK));
}

static struct qd_val
mask_build(struct qd_builder *b, const struct operands *o, uint32_t variant)
{
	uint32_t of = variant / (2 * N_MASK);
	struct qd_val lane = of == OWN	 ? qd_subgroup_invocation_id(b)
			     : of == ANY ? qd_rem(b, o->v, qd_u32(b, 70))
					 : qd_u32(b, mask_of[of]);

	return qd_cast(b, QD_TYPE_U64, mask_fns[variant % (2 * N_MASK)](b, lane));
}

static void
mask_want(const struct suite *t, const struct lanes *in, uint32_t variant, uint64_t *out,
	  bool *defined)
{
	uint32_t of = variant / (2 * N_MASK), fn = variant % (2 * N_MASK);
	uint32_t n = fn < N_MASK ? 32 : 64;

	(void)t;
	(void)defined;
	for (uint32_t l = 0; l < in->s.n; l++) {
		uint32_t lane = of == OWN ? l : of == ANY ? (uint32_t)in->s.v[l] % 70 : mask_of[of];
		out[l] = 0;
		for (uint32_t j = 0; j < n; j++) {
			bool set = false;
			switch (fn % N_MASK) {
			case MASK_LT: set = j < lane; break;
			case MASK_LE: set = j <= lane; break;
			case MASK_EQ: set = j == lane; break;
			case MASK_GE: set = j >= lane; break;
			default: set = j > lane; break;
			}
			out[l] |= (uint64_t)set << j;
		}
	}
}

static const struct row ballot_rows[] = {
	{ .name = "subgroup.ballot_first_n", .types = T_ALL, .result = QD_TYPE_U32,
	  .blocks = blocks_all, .n_variants = ballot_variants, .label = ballot_label,
	  .build = ballot_build, .want = ballot_want },
	{ .name = "subgroup.ballot", .types = T_ALL, .result = QD_TYPE_U64, .blocks = blocks_all,
	  .n_variants = words_variants, .label = words_label, .build = words_build,
	  .want = words_want },
	{ .name = "subgroup.lanemask", .types = 1 << QD_TYPE_U32, .result = QD_TYPE_U64,
	  .blocks = blocks_all, .n_variants = mask_variants, .label = mask_label,
	  .build = mask_build, .want = mask_want },
};
const struct family family_ballot = { "ballot", ballot_rows, 3, NULL, NULL };
