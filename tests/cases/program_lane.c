/* Generation of cross-lane calls. No lane reads the value of a padding thread: indices are taken
 * modulo the number of other lanes. */
#include "program_gen.h"

void
gen_note_lanes(struct gen *g)
{
	gen_has(g, HAS_LANES);
	if (gen_inside(g, LV_IF))
		gen_has(g, HAS_LANES_IN_IF);
	if (gen_n_loops(g))
		gen_has(g, HAS_LANES_IN_LOOP);
	if (!g->in_kernel)
		gen_has(g, HAS_LANES_IN_FN);
	for (uint32_t i = 0; i < g->n_open; i++)
		if (g->open[i].kind != LV_IF && !g->open[i].calm)
			gen_has(g, HAS_LANES_BEFORE_JUMP);
}

static void
note_op(struct gen *g, enum lane_op op)
{
	static const uint8_t traits[N_LANE_OP] = {
#define LANE_OP(name, text, trait) trait,
#include "lane_op.def"
	};

	gen_note_lanes(g);
	gen_has(g, (enum trait)traits[op]);
}

static uint8_t
any_tile(struct gen *g)
{
	if (gen_one_in(g, 2))
		return TILE_FULL;
	if (gen_shaped(g) && gen_one_in(g, 2)) {
		gen_has(g, HAS_TILE_L);
		return TILE_L;
	}
	return (uint8_t)gen_upto(g, 3);
}

/* -- Lanes that are not padding threads ---------------------------------------------- */

static struct expr *
lane_below_here(struct gen *g, struct expr *x)
{
	return x_binary(g, REF_OP_REM, x, x_var(g, g->here));
}

static struct expr *
own_lane(struct gen *g)
{
	return x_cast(g, QD_TYPE_U32, x_place(g, P_LANE));
}

/* Returns a mask with a partner that is not a padding thread. */
static struct expr *
xor_mask(struct gen *g)
{
	uint64_t bits = 1 + gen_upto(g, 3);
	struct expr *partner, *x;

	if (g->even % 4 == 0 && gen_one_in(g, 2))
		return x_literal(g, QD_TYPE_U32, bits);
	partner = x_binary(g, REF_OP_XOR, own_lane(g), x_literal(g, QD_TYPE_U32, bits));
	x = x_new(g, X_SELECT, QD_TYPE_U32, 0);
	x_arg(x, x_binary(g, REF_OP_LT, partner, x_var(g, g->here)));
	x_arg(x, x_literal(g, QD_TYPE_U32, bits));
	return x_arg(x, x_literal(g, QD_TYPE_U32, 0));
}

/* Returns an offset to a lane that is not a padding thread, or beyond the subgroup. */
static struct expr *
down_offset(struct gen *g, uint32_t depth)
{
	struct expr *x = gen_expr(g, QD_TYPE_U32, depth, 0), *last;

	if (gen_one_in(g, 4))
		return x_binary(g, REF_OP_OR, x, x_literal(g, QD_TYPE_U32, 128));
	last = x_binary(g, REF_OP_SUB, x_var(g, g->here), x_literal(g, QD_TYPE_U32, 1));
	last = x_binary(g, REF_OP_SUB, last, own_lane(g));
	return x_arg(x_arg(x_new(g, X_MATH, QD_TYPE_U32, REF_OP_MIN), x), last);
}

static struct expr *
second_operand(struct gen *g, enum lane_op op, uint32_t depth)
{
	bool literal = gen_one_in(g, 3);

	switch (op) {
	case L_SHUFFLE_XOR: return xor_mask(g);
	case L_SHUFFLE_DOWN: return down_offset(g, depth);
	case L_SHUFFLE_UP:
		return literal ? x_literal(g, QD_TYPE_U32, gen_upto(g, 4))
			       : gen_expr(g, QD_TYPE_U32, depth, 0);
	case L_BROADCAST: return lane_below_here(g, gen_expr(g, QD_TYPE_U32, depth, GEN_UNIFORM));
	default:
		return literal ? x_literal(g, QD_TYPE_U32, 0)
			       : lane_below_here(g, gen_expr(g, QD_TYPE_U32, depth, 0));
	}
}

/* -- Calls --------------------------------------------------------------------------------- */

static struct expr *
ballot(struct gen *g, uint32_t depth)
{
	struct expr *x = x_new(g, X_LANE, QD_TYPE_U32, L_BALLOT);
	qd_type of = gen_one_in(g, 2) ? QD_TYPE_BOOL : gen_type(g);

	note_op(g, L_BALLOT);
	x->bits = 1 + gen_upto(g, 32);
	return x_arg(x, gen_expr(g, of, depth, GEN_LANES));
}

struct expr *
gen_ballot(struct gen *g, enum lane_op op, uint32_t depth)
{
	struct expr *x = x_new(g, X_LANE, op == L_BALLOT64 ? QD_TYPE_U64 : QD_TYPE_U32, op);
	qd_type of = gen_one_in(g, 2) ? QD_TYPE_BOOL : gen_type(g);

	note_op(g, op);
	return x_arg(x, gen_expr(g, of, depth, GEN_LANES));
}

static struct expr *
vote(struct gen *g, uint32_t depth, bool uniform)
{
	enum lane_op op = (enum lane_op)(L_ALL_TRUE + gen_upto(g, 3));
	struct expr *x = x_new(g, X_LANE, QD_TYPE_I32, op);
	qd_type of = op != L_ALL_EQUAL && gen_one_in(g, 2) ? QD_TYPE_BOOL : gen_type(g);

	note_op(g, op);
	x->tile = uniform ? TILE_FULL : any_tile(g);
	return x_arg(x, gen_expr(g, of, depth, GEN_LANES));
}

static struct expr *
segmented(struct gen *g, qd_type type, uint32_t depth)
{
	enum lane_op op = (enum lane_op)(L_SEGMENTED_ADD + gen_upto(g, 3));
	struct expr *x = x_new(g, X_LANE, type, op);
	qd_type of = gen_one_in(g, 2) ? QD_TYPE_BOOL : gen_type(g);

	note_op(g, op);
	x->tile = any_tile(g);
	x_arg(x, gen_expr(g, type, depth, GEN_LANES));
	return x_arg(x, gen_expr(g, of, depth, GEN_LANES));
}

/* Chooses an operation. Floats have no bitwise ones. Products and infinite identities are
 * excluded, to keep floats at a size for which sums are exact enough. */
static uint32_t
which_total(struct gen *g, enum lane_op first, qd_type type, bool whole)
{
	static const uint8_t tame[] = { REF_ADD, REF_MIN, REF_MAX };
	enum lane_op next = whole ? (enum lane_op)(first + REF_N_BLOCK_REDUCTION)
			    : first == L_REDUCE_ADD    ? L_INCLUSIVE_ADD
			    : first == L_INCLUSIVE_ADD ? L_EXCLUSIVE_ADD
						       : L_SEGMENTED_ADD;

	if (!ref_is_float(type))
		return gen_upto(g, (uint32_t)(next - first));
	return first == L_EXCLUSIVE_ADD ? REF_ADD : tame[gen_upto(g, sizeof tame)];
}

struct expr *
gen_lane(struct gen *g, qd_type type, uint32_t depth, bool uniform)
{
	static const uint8_t same[] = { L_BROADCAST,  L_BROADCAST_FIRST, L_REDUCE_ADD,
					L_REDUCE_ADD, L_REDUCE_ADD,	 L_BALLOT };
	static const uint8_t any[] = { L_SHUFFLE,   L_SHUFFLE_XOR,     L_SHUFFLE_UP, L_SHUFFLE_DOWN,
				       L_BROADCAST, L_BROADCAST_FIRST, L_BALLOT,     L_REDUCE_ADD,
				       L_REDUCE_ADD, L_INCLUSIVE_ADD,  L_EXCLUSIVE_ADD,
				       L_SEGMENTED_ADD, L_WARP };
	enum lane_op op = uniform ? (enum lane_op)same[gen_upto(g, sizeof same)]
				  : (enum lane_op)any[gen_upto(g, sizeof any)];
	struct expr *x;

	if (op == L_BALLOT && type == QD_TYPE_U32)
		return ballot(g, depth);
	if (op == L_BALLOT && type == QD_TYPE_U64)
		return gen_ballot(g, L_BALLOT64, depth);
	if (op == L_BALLOT && type == QD_TYPE_I32)
		return vote(g, depth, uniform);
	if (op == L_SEGMENTED_ADD)
		return segmented(g, type, depth);
	if (op == L_WARP && (x = gen_warp(g, type, depth)))
		return x;
	if (op == L_BALLOT || op == L_WARP)
		op = L_REDUCE_ADD;
	if (op >= L_REDUCE_ADD)
		op += which_total(g, op, type, false);
	note_op(g, op);
	x = x_new(g, X_LANE, type, op);
	x_arg(x, gen_expr(g, type, depth, GEN_LANES));
	if (op < L_BROADCAST_FIRST)
		x_arg(x, second_operand(g, op, depth));
	if (op >= L_REDUCE_ADD) {
		x->other = op < L_INCLUSIVE_ADD && gen_one_in(g, 2);
		x->tile = uniform ? TILE_FULL : any_tile(g);
	}
	return x;
}

struct expr *
gen_generic(struct gen *g, uint32_t oper)
{
	static const uint8_t ops[] = { L_REDUCE, L_REDUCE, L_INCLUSIVE_SCAN, L_EXCLUSIVE_SCAN };
	enum lane_op op = (enum lane_op)ops[gen_upto(g, sizeof ops)];
	struct expr *x = x_new(g, X_LANE, opers[oper].type[0], op);

	note_op(g, (enum lane_op)x->op);
	g->p->used_opers |= 1u << oper;
	x->id = (uint16_t)oper;
	x->tile = any_tile(g);
	x->other = op == L_REDUCE && gen_one_in(g, 2);
	for (uint32_t i = 0; i < opers[oper].k; i++)
		x_arg(x, gen_value(g, opers[oper].type[i], GEN_LANES));
	/* The identity is never combined, so it may be any value. */
	for (uint32_t i = 0; i < opers[oper].k && op == L_EXCLUSIVE_SCAN; i++)
		x_arg(x, x_any_literal(g, opers[oper].type[i]));
	return x;
}

struct expr *
gen_sort(struct gen *g, qd_type types[2])
{
	struct expr *x;

	/* Keys are often equal; then the values determine the order. */
	types[0] = gen_type(g);
	types[1] = gen_type(g);
	x = x_new(g, X_LANE, types[0], L_SORT);
	note_op(g, L_SORT);
	x->tile = any_tile(g);
	for (uint32_t i = 0; i < 2; i++)
		x_arg(x, gen_value(g, types[i], GEN_LANES));
	return x;
}

/* Appends a number of active threads, constant or not. Without active threads a float minimum is
 * infinite, which is excluded. */
static void
of_first_threads(struct gen *g, struct expr *x)
{
	bool is_float = x->type == QD_TYPE_F32 || x->type == QD_TYPE_F64;
	uint32_t n = gen_upto(g, g->p->block_dim + 1);

	if (gen_one_in(g, 3) && !is_float)
		x_arg(x, x_place(g, P_BLOCK_IDX));
	else
		x_arg(x, x_literal(g, QD_TYPE_U32, n == 0 && is_float ? 1 : n));
	x->active = true;
	gen_has(g, HAS_ACTIVE);
}

/* Returns a call of the whole block. Only the first thread and the thread itself are known to
 * exist. */
struct expr *
gen_whole_call(struct gen *g, qd_type type)
{
	static const uint8_t ops[] = { L_SHUFFLE,	L_BROADCAST,	 L_REDUCE_ADD,	 L_REDUCE_ADD,
				       L_INCLUSIVE_ADD, L_INCLUSIVE_ADD, L_EXCLUSIVE_ADD,
				       L_EXCLUSIVE_ADD };
	enum lane_op op = (enum lane_op)ops[gen_upto(g, sizeof ops)];
	struct expr *x;

	if (type == QD_TYPE_I32 && gen_one_in(g, 2))
		op = (enum lane_op)(L_SYNC_ALL + gen_upto(g, 3));
	if (op >= L_REDUCE_ADD && op < L_SYNC_ALL)
		op += which_total(g, op, type, true);
	note_op(g, op);
	x = x_new(g, X_LANE, type, op);
	x->whole = true;
	x->tile = TILE_FULL;
	x->other = op >= L_REDUCE_ADD && op < L_INCLUSIVE_ADD && gen_one_in(g, 2);
	x_arg(x, gen_value(g, op >= L_SYNC_ALL ? gen_type(g) : type, gen_flags(g)));
	if (op == L_SHUFFLE)
		x_arg(x, x_cast(g, QD_TYPE_U32, x_place(g, P_THREAD)));
	else if (op == L_BROADCAST)
		x_arg(x, x_literal(g, QD_TYPE_U32, 0));
	else if (gen_one_in(g, 3))
		of_first_threads(g, x);
	return x;
}
