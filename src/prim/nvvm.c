/* What lanes of a warp do together.  A warp is 32 lanes: the subgroup, a part of a wider
 * one, or a narrower one whose upper lanes are absent.
 *
 * All lanes that are present come to the call, whatever members each names, so the
 * target's own instructions and ballots are of all, and what is no member is masked. */
#include "prim.h"

/* -- The own warp ---------------------------------------------------------------------- */

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

/* The lanes where p holds. */
static uint32_t
ballot(struct lg *l, uint32_t p)
{
	uint32_t word[4] = { 0 };

	prim_tile_ballot(l, p, log2_lanes(l), word);
	return word[0];
}

static uint32_t
is_present(struct lg *l, uint32_t limit)
{
	return lg_cmp(l, OP_LT, lg_lane(l), limit);
}

/* The lanes that are there; limit: of the subgroup those below it are, 0: all. */
static uint32_t
present_lanes(struct lg *l, uint32_t limit)
{
	uint32_t lanes = l->m->subgroup_size;

	if (limit)
		return ballot(l, is_present(l, limit));
	return lg_u32(l, lanes < WARP_LANES ? (1u << lanes) - 1 : UINT32_MAX);
}

/* v of a lane of the own warp; uniform: all lanes of the warp have that number. */
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

/* A lane whatever the mask is. */
static uint32_t
lane_of(struct lg *l, uint32_t place)
{
	uint32_t last = (1u << log2_lanes(l)) - 1;

	return lg_imm(l, OP_AND, lg_bits(l, QD_TYPE_U32, place), last);
}

static uint32_t
lowest(struct lg *l, uint32_t mask)
{
	uint32_t place = lg_op(l, OP_FFS, QD_TYPE_I32, mask, 0, 0);

	return lane_of(l, lg_imm(l, OP_SUB, place, 1));
}

/* -- Lanes of like bits ------------------------------------------------------------------- */

/* A float's bits are compared, which are its own where it is NaN or a zero. */
static uint32_t
bits_of(struct lg *l, uint32_t v)
{
	return lg_bits(l, type_unsigned(lg_type(l, v)), v);
}

/* What the target says itself, of all lanes that run; 0: nothing. */
static uint32_t
match_word(struct lg *l, uint32_t v, enum match how)
{
	qd_type t = lg_type(l, v);

	if (lg_two_words(l, t) || !lg_native(l, how == MATCH_ALL ? OP_MATCH_ALL : OP_MATCH_ANY, t))
		return 0;
	return lg_push(l, (struct ins){ .op = OP_MATCH_WORD, .type = QD_TYPE_U32, .a = v, .x = how });
}

/* Again and again the lanes that have what one has that is left, till none is. */
static uint32_t
match_by_ballots(struct lg *l, uint32_t v, uint32_t limit)
{
	uint32_t left = rw_var(&l->w, present_lanes(l, limit));
	uint32_t like = rw_var(&l->w, lg_u32(l, 0));
	uint32_t loop = rw_open(&l->w, OP_LOOP, 0), rest = rw_get(&l->w, left), same, mine, none,
		 highest;

	none = lg_cmp_imm(l, OP_EQ, rest, 0);
	if (is_wide(l)) /* another warp may not have come to its end */
		rw_break(&l->w, loop,
			 lg_cmp_imm(l, OP_NE, prim_vote(l, OP_ALL_TRUE, none, l->m->log2_size), 0));
	else
		rw_break(&l->w, loop, none);
	highest = lg_imm(l, OP_XOR, lg_op(l, OP_CLZ, QD_TYPE_I32, rest, 0, 0), 31);
	highest = is_wide(l) ? lane_of(l, highest) : lg_bits(l, QD_TYPE_U32, highest);
	same = lg_cmp(l, OP_EQ, v, fetch(l, v, highest, true));
	if (is_wide(l))
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
		like = lg_bin(l, OP_AND, like, present_lanes(l, limit));
	return lg_bin(l, OP_AND, like, members);
}

/* The lowest member is one that is there, since the own lane is a member and is there. */
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
		other = lg_bin(l, OP_AND, other, is_present(l, limit));
	*yes = lg_cmp_imm(l, OP_EQ, lg_bin(l, OP_AND, ballot(l, other), members), 0);
	members = lg_bin(l, OP_AND, members, present_lanes(l, limit));
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
