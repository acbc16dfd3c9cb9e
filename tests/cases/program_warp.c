/* Warp calls of a program: generation, and evaluation on arrays of lanes. */
#include "program_eval.h"
#include "program_gen.h"

/* -- Generation ---------------------------------------------------------------------- */

static struct expr *
call(struct gen *g, enum lane_op op, qd_type type)
{
	gen_note_lanes(g);
	gen_has(g, HAS_WARP);
	return x_new(g, X_LANE, type, op);
}

/* Returns a mask: all lanes; the lanes of the same parity; or the lanes with an equal value. */
static struct expr *
members(struct gen *g, uint32_t depth)
{
	struct expr *x, *bit;

	if (gen_one_in(g, 2))
		return x_literal(g, QD_TYPE_U32, UINT32_MAX);
	gen_has(g, HAS_MEMBERS);
	if (gen_one_in(g, 2)) {
		x = x_arg(call(g, L_MATCH_ANY, QD_TYPE_U32), x_literal(g, QD_TYPE_U32, UINT32_MAX));
		bit = gen_expr(g, QD_TYPE_U32, depth, GEN_LANES);
		return x_arg(x, x_binary(g, REF_OP_REM, bit, x_literal(g, QD_TYPE_U32, 3)));
	}
	bit = x_cast(g, QD_TYPE_U32, x_place(g, P_LANE));
	bit = x_binary(g, REF_OP_REM, bit, x_literal(g, QD_TYPE_U32, 2));
	x = x_new(g, X_SELECT, QD_TYPE_U32, 0);
	x_arg(x, x_binary(g, REF_OP_EQ, bit, x_literal(g, QD_TYPE_U32, 0)));
	x_arg(x, x_literal(g, QD_TYPE_U32, 0x55555555));
	return x_arg(x, x_literal(g, QD_TYPE_U32, 0xaaaaaaaa));
}

static struct expr *
with_value(struct gen *g, struct expr *x, qd_type of, uint32_t depth)
{
	x_arg(x, members(g, depth));
	return x_arg(x, gen_expr(g, of, depth, GEN_LANES));
}

static struct expr *
own_lane(struct gen *g)
{
	return x_cast(g, QD_TYPE_U32, x_place(g, P_LANE));
}

/* Returns a distance to a lane that is not a padding thread and has the same members. */
static struct expr *
distance(struct gen *g, uint32_t how, uint64_t width, uint32_t depth)
{
	struct expr *x = gen_expr(g, QD_TYPE_U32, depth, 0), *most;

	switch (how) {
	case REF_SHFL_UP: return x;
	case REF_SHFL_DOWN: /* up to the last lane */
		most = x_binary(g, REF_OP_SUB, x_var(g, g->here), x_literal(g, QD_TYPE_U32, 1));
		most = x_binary(g, REF_OP_SUB, most, own_lane(g));
		break;
	case REF_SHFL_BFLY: /* no higher lane: only bits of the lane's index */
		return x_binary(g, REF_OP_AND, x, own_lane(g));
	default: /* no higher lane */
		most = x_binary(g, REF_OP_AND, own_lane(g), x_literal(g, QD_TYPE_U32, width - 1));
		break;
	}
	return x_arg(x_arg(x_new(g, X_MATH, QD_TYPE_U32, REF_OP_MIN), x), most);
}

static struct expr *
shfl(struct gen *g, enum lane_op first, qd_type type, uint32_t depth)
{
	uint32_t how = gen_upto(g, 4);
	struct expr *x = call(g, (enum lane_op)(first + how), type);

	x->bits = 1u << gen_upto(g, 6);
	x_arg(x, x_literal(g, QD_TYPE_U32, UINT32_MAX));
	x_arg(x, gen_expr(g, type, depth, GEN_LANES));
	return x_arg(x, distance(g, how, x->bits, depth));
}

struct expr *
gen_warp(struct gen *g, qd_type type, uint32_t depth)
{
	uint32_t which = gen_upto(g, 4);
	qd_type of = gen_one_in(g, 2) ? QD_TYPE_BOOL : gen_type(g);
	enum lane_op op;

	if (type == QD_TYPE_BOOL) {
		op = (enum lane_op)(L_VOTE_ALL + gen_upto(g, 5));
		op = op == L_VOTE_BALLOT ? L_VOTE_UNI : op;
		return op == L_ELECT ? x_arg(call(g, op, type), members(g, depth))
				     : with_value(g, call(g, op, type), of, depth);
	}
	if (type == QD_TYPE_U32 && which == 0)
		return with_value(g, call(g, L_MATCH_ANY, type), gen_type(g), depth);
	if (type == QD_TYPE_U32 && which == 1 && gen_one_in(g, 2))
		return with_value(g, call(g, L_VOTE_BALLOT, type), of, depth);
	if (type == QD_TYPE_U32 && which == 1)
		return call(g, (enum lane_op)(L_ACTIVEMASK + gen_upto(g, 6)), type);
	if ((type == QD_TYPE_U32 || type == QD_TYPE_I32) && which == 2)
		return with_value(g, call(g, (enum lane_op)(L_REDUX_ADD + gen_upto(g, 6)), type), type,
				  depth);
	return shfl(g, L_SHFL_UP, type, depth);
}

struct expr *
gen_warp_two(struct gen *g, qd_type types[2])
{
	types[1] = QD_TYPE_BOOL;
	if (gen_one_in(g, 2)) {
		types[0] = gen_type(g);
		return shfl(g, L_SHFL_UP_P, types[0], 1);
	}
	types[0] = QD_TYPE_U32;
	return with_value(g, call(g, L_MATCH_ALL, types[0]), gen_type(g), 1);
}

/* -- Evaluation ---------------------------------------------------------------------- */

static uint64_t
lane_mask(enum lane_op op, uint32_t own, uint32_t n)
{
	uint64_t bit = UINT64_C(1) << own % 32, all = UINT32_MAX;

	switch (op) {
	case L_LANEMASK_LT: return bit - 1;
	case L_LANEMASK_LE: return bit | (bit - 1);
	case L_LANEMASK_EQ: return bit;
	case L_LANEMASK_GE: return all & ~(bit - 1);
	case L_LANEMASK_GT: return all & ~(bit | (bit - 1));
	default:
		n -= own / 32 * 32;
		return n < 32 ? (UINT64_C(1) << n) - 1 : all;
	}
}

/* Returns false if the result is undefined. */
static bool
warp_lane(const struct expr *x, const struct ref_subgroup *s, const struct vector *in, uint32_t l,
	  struct vector *out)
{
	static const uint8_t redux[] = { REF_ADD, REF_MIN, REF_MAX, REF_AND, REF_OR, REF_XOR };
	uint32_t mask = (uint32_t)in[0].lane[l], op = x->op, lanes;
	bool defined = true, in_range;

	if (op == L_MATCH_ANY) {
		out->lane[l] = ref_match_any(s, mask, l);
	} else if (op == L_MATCH_ALL) {
		out[1].lane[l] = ref_match_all(s, mask, l, &lanes);
		out[0].lane[l] = lanes;
	} else if (op < L_VOTE_BALLOT) {
		out->lane[l] = ref_vote_members(s, (enum ref_member_vote)(op - L_VOTE_ALL), mask, l);
	} else if (op == L_VOTE_BALLOT) {
		out->lane[l] = ref_ballot_members(s, mask, l);
	} else if (op == L_ELECT) {
		out->lane[l] = ref_elect(s, mask, l);
	} else if (op < L_SHFL_UP) {
		out->lane[l] = lane_mask((enum lane_op)op, l, s->n);
	} else if (op < L_REDUX_ADD) {
		in_range = ref_shfl(s, (enum ref_shfl)((op - L_SHFL_UP) % 4), (uint32_t)x->bits, mask,
				    (uint32_t)in[2].lane[l], l, &out->lane[l], &defined);
		if (op >= L_SHFL_UP_P)
			out[1].lane[l] = in_range;
	} else {
		out->lane[l] = ref_redux(s, (enum ref_reduction)redux[op - L_REDUX_ADD], mask, l);
	}
	return defined;
}

bool
warp_value(const struct expr *x, const struct ref_subgroup *s, const struct vector *in,
	   struct vector *out)
{
	bool defined = true;

	for (uint32_t l = 0; l < s->n; l++)
		defined = warp_lane(x, s, in, l, out) && defined;
	return defined;
}
