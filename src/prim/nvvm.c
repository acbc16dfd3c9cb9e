/* Operations of a warp of 32 lanes. A warp is the subgroup, a part of a wider one, or a narrower
 * one whose upper lanes are padding.
 *
 * All lanes except padding lanes execute the call, whichever members each names. So the target's
 * own instructions and ballots cover all lanes, and non-members are masked out. */
#include "prim.h"

/* -- The lane's warp ------------------------------------------------------------------- */

static bool
is_wide(const struct lg *l)
{
	return l->m->subgroup_size > WARP_LANES;
}

static uint32_t
log2_lanes(const struct lg *l)
{
	return is_wide(l) ? WARP_LOG2 : l->m->log2_size;
}

/* Returns the mask of the lanes in which p is true. */
static uint32_t
ballot(struct lg *l, uint32_t p)
{
	uint32_t word[4] = { 0 };

	prim_tile_ballot(l, p, log2_lanes(l), word);
	return word[0];
}

static uint32_t
is_included(struct lg *l, uint32_t limit)
{
	return lg_cmp(l, OP_LT, lg_lane(l), limit);
}

/* Returns the mask of the lanes that are not padding. limit: the number of such lanes in the
 * subgroup; 0: all. */
static uint32_t
included_lanes(struct lg *l, uint32_t limit)
{
	uint32_t lanes = l->m->subgroup_size;

	if (limit)
		return ballot(l, is_included(l, limit));
	return lg_u32(l, lanes < WARP_LANES ? (1u << lanes) - 1 : UINT32_MAX);
}

/* Returns v of a lane of the same warp. uniform: `lane` is uniform in the warp. */
static uint32_t
fetch(struct lg *l, uint32_t v, uint32_t lane, bool uniform)
{
	uint32_t first;

	if (is_wide(l)) {
		first = lg_imm(l, OP_AND, lg_lane(l), l->m->subgroup_size - WARP_LANES);
		lane = lg_bin(l, OP_OR, first, lane);
	}
	return prim_move(l, uniform && !is_wide(l) ? OP_BROADCAST : OP_SHUFFLE, v, lane);
}

/* Returns a valid lane number for any mask. */
static uint32_t
lane_of(struct lg *l, uint32_t place)
{
	uint32_t last = (1u << log2_lanes(l)) - 1;

	return lg_imm(l, OP_AND, place, last);
}

static uint32_t
lowest(struct lg *l, uint32_t mask)
{
	uint32_t place = lg_op(l, OP_FFS, QD_TYPE_U32, mask, 0, 0);

	return lane_of(l, lg_imm(l, OP_SUB, place, 1));
}

/* -- Loops over groups: all warps run in lockstep --------------------------------------------- */

struct groups {
	uint32_t loop;
	uint32_t round; /* variable: iterations done, or 0 */
};

/* Returns whether a warp that has finished must run in step with warps that have not. */
static bool
may_be_over(const struct lg *l)
{
	return is_wide(l) || machine_makes(l->m);
}

static struct groups
groups_begin(struct lg *l)
{
	struct groups g = { .round = 0 };

	if (machine_makes(l->m))
		g.round = rw_var(&l->w, lg_u32(l, 0));
	g.loop = rw_open(&l->w, OP_LOOP, 0);
	return g;
}

/* Leaves the loop when all warps that run in step have finished. For a virtual subgroup, the whole
 * block runs as many iterations as a warp can have groups. */
static void
break_when_all(struct lg *l, const struct groups *g, uint32_t none)
{
	if (g->round) {
		uint32_t n = rw_get(&l->w, g->round);
		rw_set(&l->w, g->round, lg_imm(l, OP_ADD, n, 1));
		none = lg_cmp(l, OP_LE, lg_u32(l, 1u << log2_lanes(l)), n);
	} else if (is_wide(l)) {
		none = lg_cmp_imm(l, OP_NE, prim_vote(l, OP_ALL_TRUE, none, l->m->log2_size), 0);
	}
	rw_break(&l->w, g->loop, none);
}

/* Returns the highest lane of `rest`. rest is 0 only in a warp that has finished. */
static uint32_t
highest_of(struct lg *l, uint32_t rest)
{
	uint32_t place = lg_imm(l, OP_XOR, lg_op(l, OP_CLZ, QD_TYPE_U32, rest, 0, 0), 31);

	return may_be_over(l) ? lane_of(l, place) : place;
}

/* -- Lanes with equal bits ---------------------------------------------------------------- */

/* Returns the bits of a float, so that NaNs and zeros are compared by their bits. */
static uint32_t
bits_of(struct lg *l, uint32_t v)
{
	return lg_bits(l, type_unsigned(lg_type(l, v)), v);
}

/* Returns the target's own match of all running lanes; 0: it has none. */
static uint32_t
match_word(struct lg *l, uint32_t v, enum match how)
{
	qd_type t = lg_type(l, v);

	if (lg_two_words(l, t) || !lg_native(l, how == MATCH_ALL ? OP_MATCH_ALL : OP_MATCH_ANY, t))
		return 0;
	return lg_push(l, (struct ins){ .op = OP_MATCH_WORD, .type = QD_TYPE_U32, .a = v, .x = how });
}

/* Matches by a loop: each iteration takes the lanes whose value equals that of a remaining lane. */
static uint32_t
match_by_ballots(struct lg *l, uint32_t v, uint32_t limit)
{
	uint32_t left = rw_var(&l->w, included_lanes(l, limit));
	uint32_t like = rw_var(&l->w, lg_u32(l, 0));
	struct groups g = groups_begin(l);
	uint32_t rest = rw_get(&l->w, left), same, mine, none;

	none = lg_cmp_imm(l, OP_EQ, rest, 0);
	break_when_all(l, &g, none);
	same = lg_cmp(l, OP_EQ, v, fetch(l, v, highest_of(l, rest), true));
	if (may_be_over(l))
		same = lg_bin(l, OP_AND, same, lg_un(l, OP_NOT, none));
	mine = lg_bin(l, OP_AND, ballot(l, same), rest);
	rw_set(&l->w, like, lg_select(l, same, mine, rw_get(&l->w, like)));
	rw_set(&l->w, left, lg_bin(l, OP_XOR, rest, mine));
	rw_close(&l->w);
	return rw_get(&l->w, like);
}

static uint32_t
match_any(struct lg *l, uint32_t v, uint32_t members, uint32_t limit)
{
	uint32_t like = match_word(l, v, MATCH_ANY);

	if (!like)
		like = match_by_ballots(l, v, limit);
	else if (limit)
		like = lg_bin(l, OP_AND, like, included_lanes(l, limit));
	return lg_bin(l, OP_AND, like, members);
}

/* Compares with the lowest member. It is not a padding lane: the calling lane is a member, and
 * padding lanes are above all others. */
static uint32_t
match_all(struct lg *l, uint32_t v, uint32_t members, uint32_t limit, uint32_t *yes)
{
	uint64_t bits = 0;
	bool uniform = rw_is_const(&l->w, members, &bits);
	uint32_t like, other;

	if (bits == UINT32_MAX && !limit && (like = match_word(l, v, MATCH_ALL))) {
		*yes = lg_cmp_imm(l, OP_NE, like, 0);
		return like;
	}
	other = lg_cmp(l, OP_NE, v, fetch(l, v, lowest(l, members), uniform));
	if (limit)
		other = lg_bin(l, OP_AND, other, is_included(l, limit));
	*yes = lg_cmp_imm(l, OP_EQ, lg_bin(l, OP_AND, ballot(l, other), members), 0);
	members = lg_bin(l, OP_AND, members, included_lanes(l, limit));
	return lg_select(l, *yes, members, lg_u32(l, 0));
}

void
expand_match(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	uint32_t v = l->w.map[s->a], members = l->w.map[s->b], limit = l->w.map[s->d], r[2];

	if (lg_failed(l))
		return;
	v = bits_of(l, v);
	if (op_info[s->op].combine == OP_NONE) {
		l->w.map[i] = match_any(l, v, members, limit);
		return;
	}
	r[0] = match_all(l, v, members, limit, &r[1]);
	prim_results(l, i, r, QD_COUNT(r));
}

/* -- Votes ------------------------------------------------------------------------------------ */

static bool
is_all(const struct lg *l, uint32_t members)
{
	uint64_t bits;

	return rw_is_const(&l->w, members, &bits) && bits == UINT32_MAX;
}

/* Returns p, or `other` in a padding lane. */
static uint32_t
if_included(struct lg *l, uint32_t p, uint32_t limit, bool other)
{
	uint32_t included;

	if (!limit)
		return p;
	included = is_included(l, limit);
	return other ? lg_bin(l, OP_OR, p, lg_un(l, OP_NOT, included)) : lg_bin(l, OP_AND, p, included);
}

static uint32_t
vote(struct lg *l, enum op op, uint32_t p, uint32_t members, uint32_t limit)
{
	enum op combine = (enum op)op_info[op].combine;
	bool all = combine == OP_AND, uni = combine == OP_EQ;
	uint32_t lanes, none;

	if (is_all(l, members) && !is_wide(l) && !(uni && limit) && lg_native(l, op, QD_TYPE_BOOL))
		return lg_push_op(l, op, QD_TYPE_BOOL, if_included(l, p, limit, all), members);
	lanes = ballot(l, if_included(l, all ? lg_un(l, OP_NOT, p) : p, limit, false));
	lanes = lg_bin(l, OP_AND, lanes, members);
	none = lg_cmp_imm(l, OP_EQ, lanes, 0);
	if (all)
		return none;
	if (!uni)
		return lg_un(l, OP_NOT, none);
	members = lg_bin(l, OP_AND, members, included_lanes(l, limit));
	return lg_bin(l, OP_OR, none, lg_cmp(l, OP_EQ, lanes, members));
}

void
expand_vote_members(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	uint32_t p = l->w.map[s->a], members = l->w.map[s->b];

	if (lg_failed(l))
		return;
	if (op_info[s->op].combine == OP_NONE)
		l->w.map[i] = lg_bin(l, OP_AND, ballot(l, p), members);
	else
		l->w.map[i] = vote(l, (enum op)s->op, p, members, l->w.map[s->d]);
}

/* Returns the lane index in its warp. */
static uint32_t
own_lane(struct lg *l)
{
	return is_wide(l) ? lg_imm(l, OP_AND, lg_lane(l), WARP_LANES - 1) : lg_lane(l);
}

/* Elects the lane that has no member below it. Padding lanes are above all others. */
void
expand_elect_member(struct lg *l, uint32_t i)
{
	uint32_t members = l->w.map[l->w.in->ins[i].a], bit, below;

	if (lg_failed(l))
		return;
	bit = lg_u32(l, 1);
	bit = lg_op(l, OP_SHL, QD_TYPE_U32, bit, own_lane(l), 0);
	below = lg_bin(l, OP_AND, members, lg_imm(l, OP_SUB, bit, 1));
	l->w.map[i] = lg_cmp_imm(l, OP_EQ, below, 0);
}

/* -- Shuffles in segments ------------------------------------------------------------------------ */

/* Returns the source lane in the warp. *in: whether it is in the segment; 0: always. */
static uint32_t
source(struct lg *l, enum op op, uint32_t n, uint32_t width, uint32_t *in)
{
	uint32_t own = own_lane(l), place = lg_imm(l, OP_AND, own, width - 1), above, from;

	switch (op) {
	case OP_SHFL_UP:
		*in = lg_cmp(l, OP_LE, n, place);
		return lg_bin(l, OP_SUB, own, n);
	case OP_SHFL_DOWN:
		above = lg_imm(l, OP_XOR, place, width - 1);
		*in = lg_cmp(l, OP_LE, n, above);
		return lg_bin(l, OP_ADD, own, n);
	case OP_SHFL_BFLY:
		from = lg_bin(l, OP_XOR, own, n);
		*in = lg_cmp(l, OP_LE, from, lg_imm(l, OP_OR, own, width - 1));
		return from;
	default:
		*in = 0;
		from = lg_imm(l, OP_AND, n, width - 1);
		return lg_bin(l, OP_OR, from, lg_bin(l, OP_XOR, own, place));
	}
}

static uint32_t
shfl(struct lg *l, enum op op, uint32_t v, uint32_t x, uint32_t log2_width, uint32_t *in)
{
	uint32_t n = lg_imm(l, OP_AND, x, WARP_LANES - 1), width = 1u << log2_width;
	uint32_t from = source(l, op, n, width, in);
	uint64_t bits = WARP_LANES;
	bool is_const = rw_is_const(&l->w, n, &bits);

	if (op != OP_SHFL_IDX && is_const && !bits)
		return v;
	if (!is_wide(l) && lg_native(l, op, lg_type(l, v)))
		return lg_push(l, (struct ins){ .op = (uint8_t)op, .type = (uint8_t)lg_type(l, v),
						.a = v, .b = lg_u32(l, UINT32_MAX), .c = x,
						.x = log2_width });
	if (op == OP_SHFL_BFLY && bits < width && bits < l->m->subgroup_size)
		return prim_pattern(l, PATTERN_XOR, v, (uint32_t)bits);
	if (*in)
		from = lg_select(l, *in, from, own_lane(l));
	return fetch(l, v, lane_of(l, from), op == OP_SHFL_IDX && is_const && width == WARP_LANES);
}

void
expand_shfl(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	enum op op = (enum op)(op_info[s->op].combine ? op_info[s->op].combine : s->op);
	uint32_t r[2];

	if (lg_failed(l))
		return;
	r[0] = shfl(l, op, l->w.map[s->a], l->w.map[s->c], s->x, &r[1]);
	if (!op_info[s->op].combine) {
		l->w.map[i] = r[0];
		return;
	}
	if (!r[1])
		r[1] = lg_const(l, QD_TYPE_BOOL, 1);
	prim_results(l, i, r, QD_COUNT(r));
}

/* -- Reductions ------------------------------------------------------------------------------------ */

/* Returns the value that the reduction ignores. */
static uint32_t
skipped(struct lg *l, enum op op, qd_type t)
{
	return lg_const(l, t, ir_padding_bits((enum padding_effect)op_info[op].padding, t));
}

/* Reduces one group per iteration: that of the highest remaining lane. All members of a group name
 * the same mask. */
static uint32_t
redux_by_groups(struct lg *l, enum op op, uint32_t v, uint32_t members, uint32_t limit)
{
	uint32_t left = rw_var(&l->w, included_lanes(l, limit)), total = rw_var(&l->w, v), rest, group;
	uint32_t none, highest, bit, mine, other = skipped(l, op, lg_type(l, v)), sum;

	struct groups g = groups_begin(l);
	rest = rw_get(&l->w, left);
	none = lg_cmp_imm(l, OP_EQ, rest, 0);
	break_when_all(l, &g, none);
	highest = highest_of(l, rest);
	group = fetch(l, members, highest, true);
	group = lg_bin(l, OP_AND, group, rest);
	bit = lg_u32(l, 1);
	bit = lg_op(l, OP_SHL, QD_TYPE_U32, bit, own_lane(l), 0);
	mine = lg_cmp_imm(l, OP_NE, lg_bin(l, OP_AND, group, bit), 0);
	sum = lg_select(l, mine, v, other);
	sum = prim_reduce(l, op, sum, log2_lanes(l));
	rw_set(&l->w, total, lg_select(l, mine, sum, rw_get(&l->w, total)));
	bit = lg_u32(l, 1); /* a lane that does not name itself is removed too */
	bit = lg_op(l, OP_SHL, QD_TYPE_U32, bit, highest, 0);
	group = lg_bin(l, OP_OR, group, bit);
	group = lg_un(l, OP_NOT, group);
	rw_set(&l->w, left, lg_bin(l, OP_AND, rest, group));
	rw_close(&l->w);
	return rw_get(&l->w, total);
}

void
expand_redux(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	enum op op = (enum op)op_info[s->op].combine;
	uint32_t v = l->w.map[s->a], members = l->w.map[s->b], limit = l->w.map[s->d], included;

	if (lg_failed(l))
		return;
	if (!is_all(l, members)) {
		l->w.map[i] = redux_by_groups(l, op, v, members, limit);
		return;
	}
	if (limit) {
		included = is_included(l, limit);
		v = lg_select(l, included, v, skipped(l, op, lg_type(l, v)));
	}
	l->w.map[i] = prim_reduce(l, op, v, log2_lanes(l));
}

/* -- Synchronization --------------------------------------------------------------------------- */

/* Waits for all lanes except padding lanes, members or not: each executes the call. */
void
expand_syncwarp(struct lg *l, uint32_t i)
{
	(void)i;
	lg_push(l, (struct ins){ .op = machine_gathers(l->m) ? OP_BLOCK_SYNC : OP_SUBGROUP_SYNC });
}

/* Emits the delay, or nothing if the target has no instruction for it. */
void
expand_nanosleep(struct lg *l, uint32_t i)
{
	if (lg_native(l, OP_NANOSLEEP, QD_TYPE_NONE))
		lg_push(l, (struct ins){ .op = OP_NANOSLEEP, .a = l->w.map[l->w.in->ins[i].a] });
}
