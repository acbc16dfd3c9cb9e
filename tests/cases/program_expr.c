/* Generation of expressions. Each has the requested type. A uniform expression consists of
 * uniform operands; cross-lane calls are used if they are allowed.
 *
 * No operation has only literals as operands, so the parser folds nothing, and no divisor can
 * be the constant 0. Floats are normal numbers of moderate size. */
#include <string.h>

#include "program_gen.h"

/* Flags of an operand that must not be a literal. */
#define BARE (~(uint32_t)GEN_LITERAL)

/* -- Pieces ------------------------------------------------------------------------ */

struct expr *
x_new(struct gen *g, enum xkind kind, qd_type type, uint32_t op)
{
	struct expr *x = gen_alloc(g->p, sizeof *x);

	x->kind = (uint8_t)kind;
	x->type = (uint8_t)type;
	x->op = (uint8_t)op;
	x->tile = TILE_FULL;
	g->f->size += g->inlined;
	g->cost += g->rounds;
	return x;
}

struct expr *
x_arg(struct expr *x, struct expr *a)
{
	x->arg[x->n++] = a;
	return x;
}

struct expr *
x_literal(struct gen *g, qd_type type, uint64_t bits)
{
	struct expr *x = x_new(g, X_LITERAL, type, 0);

	x->bits = bits;
	return x;
}

struct expr *
x_var(struct gen *g, uint16_t id)
{
	struct expr *x = x_new(g, X_VAR, g->f->var[id].type, 0);

	x->id = id;
	return x;
}

struct expr *
x_place(struct gen *g, enum place op)
{
	return x_new(g, X_PLACE, place_info[op].type, op);
}

struct expr *
x_binary(struct gen *g, enum ref_op op, struct expr *a, struct expr *b)
{
	bool compares = op >= REF_OP_EQ && op <= REF_OP_GE;
	struct expr *x = x_new(g, X_BINARY, compares ? QD_TYPE_BOOL : a->type, op);

	return x_arg(x_arg(x, a), b);
}

struct expr *
x_cast(struct gen *g, qd_type to, struct expr *x)
{
	gen_has(g, HAS_CONVERSION);
	if (!SIGN_EXTENSION && ref_width(to) == 64 && x->type == QD_TYPE_I32)
		x = x_arg(x_new(g, X_BITCAST, QD_TYPE_U32, 0), x);
	return x_arg(x_new(g, X_CAST, to, 0), x);
}

/* -- Leaves --------------------------------------------------------------------------- */

static uint64_t
f32_bits(float f)
{
	uint32_t low;

	memcpy(&low, &f, sizeof low);
	return low;
}

/* Returns a float literal of either type. */
static struct expr *
x_float(struct gen *g, qd_type type, float f)
{
	return x_literal(g, type, ref_cast(QD_TYPE_F32, type, f32_bits(f), false));
}

struct expr *
x_clamp(struct gen *g, struct expr *x, float most)
{
	struct expr *clamp = x_arg(x_new(g, X_CLAMP, (qd_type)x->type, 0), x);

	x_arg(clamp, x_float(g, (qd_type)x->type, -most));
	return x_arg(clamp, x_float(g, (qd_type)x->type, most));
}

struct expr *
x_any_literal(struct gen *g, qd_type type)
{
	static const float floats[] = { 1.0f, -1.0f, 1.5f,     -2.25f, 3.0f, 7.0f,
					1.1f, 0.1f,  1000.25f, -0.7f,  0.5f };
	uint64_t r = random_u64(&g->rng);

	switch (type) {
	case QD_TYPE_F32:
	case QD_TYPE_F64: return x_float(g, type, floats[gen_upto(g, 11)]);
	case QD_TYPE_BOOL: return x_literal(g, type, r & 1);
	case QD_TYPE_U64:
		return x_literal(g, type, gen_one_in(g, 3) ? r >> gen_upto(g, 64) : r % 40);
	case QD_TYPE_I64:
		if (gen_one_in(g, 3))
			return x_literal(g, type, r >> gen_upto(g, 64));
		return x_literal(g, type, (uint64_t)(int64_t)((int)gen_upto(g, 40) - 20));
	case QD_TYPE_I32:
		if (gen_one_in(g, 4))
			return x_literal(g, type, (uint32_t)r >> gen_upto(g, 32));
		return x_literal(g, type, (uint32_t)((int)gen_upto(g, 40) - 20));
	default:
		if (gen_one_in(g, 3))
			return x_literal(g, type, (uint32_t)r >> gen_upto(g, 32));
		return x_literal(g, type, gen_upto(g, 40));
	}
}

/* Returns a leaf that is uniform in the subgroup, or in the block. */
static struct expr *
uniform_leaf(struct gen *g, qd_type type, bool block)
{
	static const uint8_t places[] = { P_BLOCK_IDX,	    P_BLOCK_DIM, P_GRID_DIM, P_SUBGROUP_ID,
					  P_SUBGROUP_COUNT, P_SIZE,	 P_LOG2_SIZE };
	uint16_t id = gen_pick(g, type, block ? SAME_BLOCK : SAME_SUBGROUP, false);
	struct expr *x;

	if (id != NO_VAR && !gen_one_in(g, 3))
		return x_var(g, id);
	x = x_place(g, (enum place)places[gen_upto(g, sizeof places)]);
	if (block && x->op == P_SUBGROUP_ID)
		x = x_place(g, P_BLOCK_IDX);
	if (gen_one_in(g, 4)) {
		x = x_new(g, X_CONST, QD_TYPE_U32, 0);
		x->id = (uint16_t)gen_upto(g, N_CONST);
	} else if (gen_one_in(g, 4) && g->in_kernel) {
		x = x_new(g, X_LEN, QD_TYPE_U32, 0);
		x->id = (uint16_t)gen_upto(g, N_ARRAY);
	}
	if (x->kind == X_CONST)
		/* An expression of constants only would be folded. */
		x = x_binary(g, REF_OP_ADD, x_place(g, P_BLOCK_IDX), x);
	return x->type == type ? x : x_cast(g, type, x);
}

static struct expr *
varying_leaf(struct gen *g, qd_type type)
{
	static const uint8_t places[] = { P_THREAD, P_THREAD_X, P_THREAD_Y,  P_THREAD_Z,
					  P_GLOBAL, P_LANE,	P_TILE_LANE, P_ELECT };
	uint16_t id = gen_pick(g, type, false, false);
	struct expr *x;

	if (id != NO_VAR && !gen_one_in(g, 5))
		return x_var(g, id);
	x = x_place(g, (enum place)places[gen_upto(g, sizeof places)]);
	if (x->op == P_TILE_LANE)
		x->tile = gen_shaped(g) && gen_one_in(g, 2) ? TILE_L : (uint8_t)gen_upto(g, 3);
	return x->type == type ? x : x_cast(g, type, x);
}

static struct expr *
leaf(struct gen *g, qd_type type, uint32_t flags)
{
	if (type == QD_TYPE_BOOL) {
		enum ref_op op = (enum ref_op)(REF_OP_EQ + gen_upto(g, 6));
		struct expr *x = leaf(g, QD_TYPE_U32, flags & BARE);

		return x_binary(g, op, x, x_any_literal(g, QD_TYPE_U32));
	}
	if ((flags & GEN_LITERAL) && gen_one_in(g, 3))
		return x_any_literal(g, type);
	return flags & GEN_UNIFORM ? uniform_leaf(g, type, (flags & GEN_BLOCK) != 0)
				   : varying_leaf(g, type);
}

/* -- Loads -------------------------------------------------------------------------------- */

/* Returns an index that is mostly in range. */
static struct expr *
any_index(struct gen *g, uint32_t depth, uint32_t flags)
{
	qd_type type = gen_one_in(g, 6)	  ? QD_TYPE_I64
		       : gen_one_in(g, 3) ? QD_TYPE_I32
					  : QD_TYPE_U32;
	struct expr *x = gen_expr(g, type, depth, flags);

	if (type == QD_TYPE_I64)
		gen_has(g, HAS_WIDE_INDEX);
	if (gen_one_in(g, 8))
		return x;
	return x_binary(g, REF_OP_REM, x, x_literal(g, type, 5 + gen_upto(g, 150)));
}

/* Returns NULL if the function has no array of this type. */
static struct expr *
any_load(struct gen *g, qd_type type, uint32_t depth, uint32_t flags)
{
	uint32_t id = type == QD_TYPE_U32 ? A_SRC : type == QD_TYPE_F32 ? A_FSRC : A_WSRC;
	bool own = type == QD_TYPE_U32 && g->at != NO_VAR && !(flags & GEN_UNIFORM) &&
		   gen_one_in(g, 3);
	struct expr *x;

	if (gen_one_in(g, 3) && (x = wide_table(g, type))) {
		x_arg(x, any_index(g, depth, flags & BARE));
		if (gen_one_in(g, 3)) {
			x_arg(x, gen_one_in(g, 2) ? x_any_literal(g, type) : leaf(g, type, flags));
			gen_has(g, HAS_TABLE_ELSE);
		}
		return x;
	}
	if (g->in_kernel && type == array_value(&g->p->array[A_SMALL]) && gen_one_in(g, 2)) {
		id = A_SMALL;
		own = false;
	} else if (type != QD_TYPE_U32 && type != QD_TYPE_F32 && type != QD_TYPE_I64) {
		return NULL;
	}
	if (own)
		id = A_ACC;
	if (!g->in_kernel) {
		uint32_t i = 0;

		while (i < g->f->n_arrays && g->f->array[i] != id)
			i++;
		if (i == g->f->n_arrays)
			return NULL;
		id = i;
	}
	x = x_new(g, X_LOAD, type, 0);
	x->id = (uint16_t)id;
	/* Each thread writes its own elements of acc. */
	if (own)
		x_arg(x, x_binary(g, REF_OP_ADD, x_var(g, g->at),
				  x_literal(g, QD_TYPE_U32, gen_upto(g, 4))));
	else
		x_arg(x, any_index(g, depth, flags & BARE));
	if (gen_one_in(g, 2)) {
		x_arg(x, gen_one_in(g, 2) ? x_any_literal(g, type) : leaf(g, type, flags));
		gen_has(g, HAS_LOAD_ELSE);
	}
	return x;
}

/* -- Operations --------------------------------------------------------------------------- */

/* Returns whether the expression has no type of its own. Functions have one: see settled. */
static bool
adapts(const struct gen *g, const struct expr *x)
{
	bool shifts = x->op == REF_OP_SHL || x->op == REF_OP_SHR;

	switch ((enum xkind)x->kind) {
	case X_LITERAL: return x->type == QD_TYPE_I32;
	case X_VAR: return g->f->var[x->id].adapts;
	case X_UNARY: return adapts(g, x->arg[0]);
	case X_BINARY:
		return x->type == QD_TYPE_I32 && adapts(g, x->arg[0]) && (shifts || adapts(g, x->arg[1]));
	default: return false;
	}
}

/* Returns a, the first of the operands that give a function its type, as an i32 if no operand has a type:
 * in an index they would be u32. other: NULL or the second. */
static struct expr *
settled(struct gen *g, struct expr *a, const struct expr *other)
{
	return adapts(g, a) && (!other || adapts(g, other)) ? x_cast(g, QD_TYPE_I32, a) : a;
}

static struct expr *
two(struct gen *g, enum xkind kind, enum ref_op op, qd_type type, uint32_t depth, uint32_t flags)
{
	struct expr *a = gen_expr(g, type, depth, flags & BARE);
	struct expr *b = gen_expr(g, type, depth, flags | GEN_LITERAL), *x;

	if (b->kind == X_LITERAL)
		b->plain = gen_one_in(g, 2);
	x = x_binary(g, op, kind == X_MATH ? settled(g, a, b) : a, b);
	x->kind = (uint8_t)kind;
	return x;
}

static struct expr *
one(struct gen *g, enum xkind kind, uint32_t op, qd_type type, qd_type of, uint32_t depth,
    uint32_t flags)
{
	struct expr *a = gen_expr(g, of, depth, flags & BARE);

	return x_arg(x_new(g, kind, type, op), kind == X_MATH ? settled(g, a, NULL) : a);
}

static uint32_t
same_of(uint32_t flags)
{
	return flags & GEN_BLOCK ? SAME_BLOCK : flags & GEN_UNIFORM ? SAME_SUBGROUP : SAME_NOWHERE;
}

/* Divides by a nonzero literal, or by a variable, which may be 0 but is not constant. */
static struct expr *
division(struct gen *g, qd_type type, uint32_t depth, uint32_t flags)
{
	static const uint8_t ops[] = { REF_OP_DIV, REF_OP_REM, REF_OP_FLOORDIV, REF_OP_FLOORMOD };
	enum ref_op op = (enum ref_op)ops[gen_upto(g, 4)];
	struct expr *a = gen_expr(g, type, depth, flags & BARE), *b, *x;
	uint16_t var = gen_pick(g, type, same_of(flags), true);

	b = gen_one_in(g, 3) || var == NO_VAR ? x_literal(g, type, 1 + gen_upto(g, 30))
					      : x_var(g, var);
	if (op == REF_OP_DIV || op == REF_OP_REM)
		return x_binary(g, op, a, b);
	x = x_binary(g, op, settled(g, a, b), b);
	x->kind = X_MATH;
	return x;
}

static struct expr *
shifted(struct gen *g, qd_type type, uint32_t depth, uint32_t flags)
{
	static const uint8_t ops[] = { REF_OP_SHL, REF_OP_SHR, REF_OP_ROTL, REF_OP_ROTR,
				       REF_OP_UNPACK_U8 };
	enum ref_op op = (enum ref_op)ops[gen_upto(g, type == QD_TYPE_U32 ? 5 : 4)];
	struct expr *a = gen_expr(g, type, depth, flags & BARE), *n, *x;

	n = gen_one_in(g, 2) ? x_literal(g, QD_TYPE_U32, gen_upto(g, ref_width(type)))
			     : gen_expr(g, QD_TYPE_U32, depth, flags & BARE);
	if (op == REF_OP_SHL || op == REF_OP_SHR)
		return x_binary(g, op, a, n);
	x = x_binary(g, op, settled(g, a, NULL), n);
	x->kind = X_MATH;
	return x;
}

static struct expr *
converted(struct gen *g, qd_type type, uint32_t depth, uint32_t flags)
{
	qd_type of;

	if (ref_width(type) == 64 && gen_one_in(g, 3))
		return one(g, X_BITCAST, 0, type,
			   type == QD_TYPE_U64 ? QD_TYPE_I64
			   : g->p->has_f64     ? QD_TYPE_F64
					       : QD_TYPE_U64,
			   depth, flags);
	if (ref_width(type) == 64 || gen_one_in(g, 3)) {
		of = gen_one_in(g, 4) ? QD_TYPE_BOOL : gen_type(g);
		return x_cast(g, type, gen_expr(g, of, depth, flags & BARE));
	}
	of = gen_one_in(g, 2) ? QD_TYPE_F32 : QD_TYPE_U32;
	return one(g, X_BITCAST, 0, type, of, depth, flags);
}

/* Functions of three operands: bits of any integers, bytes of words. */
static struct expr *
of_three(struct gen *g, qd_type type, uint32_t op, uint32_t depth, uint32_t flags)
{
	static const uint8_t ops[] = { REF_OP_FUNNEL_LEFT, REF_OP_FUNNEL_RIGHT, REF_OP_EXTRACT_BITS };
	bool is_word = ref_width(type) == 32 && op % 3 != 0;
	qd_type first = is_word ? QD_TYPE_U32 : type, second = first, third = QD_TYPE_U32;
	struct expr *x = x_new(g, X_MATH, type, ops[op / 3 % 3]), *a, *b;

	if (x->op == REF_OP_EXTRACT_BITS)
		second = QD_TYPE_U32;
	if (is_word) {
		x->op = type == QD_TYPE_I32 ? (op & 4 ? REF_OP_DOT4_I8 : REF_OP_DOT4_I8U8) :
			op & 4		    ? REF_OP_DOT4_U8 : REF_OP_BYTE_PERMUTE;
		second = QD_TYPE_U32;
		third = type;
	}
	a = gen_expr(g, first, depth, flags & BARE);
	b = gen_expr(g, second, depth, flags & BARE);
	x_arg(x_arg(x, settled(g, a, second == type ? b : NULL)), b);
	return x_arg(x, gen_expr(g, third, depth, flags | GEN_LITERAL));
}

/* Selects bits by a mask, or the majority of three values: forms that targets have instructions for. */
static struct expr *
chosen_bits(struct gen *g, qd_type type, uint16_t mask, uint32_t depth, uint32_t flags)
{
	enum ref_op sum = gen_one_in(g, 2) ? REF_OP_OR : REF_OP_XOR;
	uint16_t other = gen_pick(g, type, same_of(flags), true);
	struct expr *m = x_var(g, mask), *yes = gen_expr(g, type, depth, flags & BARE), *a, *b;

	if (gen_one_in(g, 2)) {
		m = x_arg(x_new(g, X_UNARY, type, REF_OP_NOT), m);
		a = x_binary(g, REF_OP_AND, x_var(g, mask), yes);
		b = x_binary(g, REF_OP_AND, m, gen_expr(g, type, depth, flags & BARE));
		return x_binary(g, sum, a, b);
	}
	if (other == NO_VAR || gen_one_in(g, 3)) {
		other = other == NO_VAR ? mask : other;
		a = x_binary(g, REF_OP_XOR, yes, x_var(g, other));
		return x_binary(g, REF_OP_XOR, x_binary(g, REF_OP_AND, m, a), x_var(g, other));
	}
	a = x_binary(g, REF_OP_AND, m, x_var(g, other));
	b = x_binary(g, REF_OP_AND, x_var(g, mask), x_literal(g, type, 0x5a));
	a = x_binary(g, sum, a, b);
	return x_binary(g, sum, a, x_binary(g, REF_OP_AND, x_literal(g, type, 0x5a), x_var(g, other)));
}

static struct expr *
integer(struct gen *g, qd_type type, uint32_t depth, uint32_t flags)
{
	static const uint8_t plain[] = { REF_OP_ADD, REF_OP_SUB, REF_OP_MUL,
					 REF_OP_AND, REF_OP_OR,	 REF_OP_XOR };
	static const uint8_t math[] = { REF_OP_MIN, REF_OP_MAX, REF_OP_MULHI, REF_OP_ADD_SAT,
					REF_OP_SUB_SAT, REF_OP_AVERAGE_FLOOR, REF_OP_AVERAGE_CEIL };
	static const uint8_t alone[] = { REF_OP_NEG, REF_OP_NOT };
	static const uint8_t calls[] = { REF_OP_ABS, REF_OP_BREV, REF_OP_SIGN };
	static const uint8_t counts[] = { REF_OP_POPCOUNT, REF_OP_CLZ, REF_OP_FFS, REF_OP_CTZ };
	uint32_t shape = gen_upto(g, 12), op = gen_upto(g, 12);
	uint16_t var;
	qd_type of;

	switch (shape) {
	case 0: return division(g, type, depth, flags);
	case 1: return shifted(g, type, depth, flags);
	case 2: return two(g, X_MATH, (enum ref_op)math[op % 7], type, depth, flags);
	case 3: return one(g, X_UNARY, alone[op % 2], type, type, depth, flags);
	case 4: return one(g, X_MATH, calls[op % 3], type, type, depth, flags);
	case 5: return converted(g, type, depth, flags);
	case 6:
		of = op % 4 ? QD_TYPE_U32 : QD_TYPE_I64;
		if (type == QD_TYPE_U32)
			return one(g, X_MATH, counts[op / 4 + op % 2], type, of, depth, flags);
		break;
	case 7:
		if (type == QD_TYPE_I32)
			return one(g, X_ROUGH, op % N_ROUGH, type, QD_TYPE_U32, depth, flags);
		break;
	case 8: return of_three(g, type, op, depth, flags);
	case 9:
		var = gen_pick(g, type, same_of(flags), true);
		if (var != NO_VAR)
			return chosen_bits(g, type, var, depth, flags);
		break;
	default: break;
	}
	return two(g, X_BINARY, (enum ref_op)plain[op % 6], type, depth, flags);
}

/* A product has a leaf and a factor that does not make it small. */
static struct expr *
floating(struct gen *g, qd_type type, uint32_t depth, uint32_t flags)
{
	static const uint8_t parts[] = { REF_OP_FLOOR, REF_OP_CEIL, REF_OP_TRUNC, REF_OP_ROUND,
					 REF_OP_ABS };
	static const uint8_t ints[] = { QD_TYPE_I32, QD_TYPE_U32, QD_TYPE_I32, QD_TYPE_U32,
					QD_TYPE_I64 };
	static const float factors[] = { 1.5f, -2.25f, 3.0f, 1.1f, -1.0f };
	qd_type from;
	uint32_t shape = gen_upto(g, 6), op = gen_upto(g, 5);
	struct expr *x;

	switch (shape) {
	case 0:
		x = leaf(g, type, flags & BARE);
		return x_binary(g, REF_OP_MUL, x, x_float(g, type, factors[op]));
	case 1: return one(g, X_MATH, parts[op], type, type, depth, flags);
	case 2: return two(g, X_MATH, op % 2 ? REF_OP_MIN : REF_OP_MAX, type, depth, flags);
	case 3: return one(g, X_UNARY, REF_OP_NEG, type, type, depth, flags);
	case 4:
		from = (qd_type)ints[op];
		if (g->p->has_f64 && gen_one_in(g, 3))
			from = type == QD_TYPE_F32 ? QD_TYPE_F64 : QD_TYPE_F32;
		return x_cast(g, type, gen_expr(g, from, depth, flags & BARE));
	default: return two(g, X_BINARY, op % 2 ? REF_OP_ADD : REF_OP_SUB, type, depth, flags);
	}
}

/* The right operand is in control flow that depends on the left one. */
static struct expr *
short_circuit(struct gen *g, uint32_t depth, uint32_t flags)
{
	bool lanes = (flags & GEN_LANES) && gen_one_in(g, 2);
	struct expr *x = x_new(g, gen_one_in(g, 2) ? X_AND : X_OR, QD_TYPE_BOOL, 0);
	qd_type right = gen_one_in(g, 3) ? gen_type(g) : QD_TYPE_BOOL;

	gen_has(g, lanes ? HAS_AND_OR_LANES : HAS_AND_OR);
	x_arg(x, gen_expr(g, QD_TYPE_BOOL, depth, lanes ? flags | GEN_UNIFORM : flags));
	return x_arg(x, gen_expr(g, right, depth, lanes ? flags : flags & ~(uint32_t)GEN_LANES));
}

static struct expr *
logical(struct gen *g, uint32_t depth, uint32_t flags)
{
	enum ref_op op = (enum ref_op)(REF_OP_EQ + gen_upto(g, 6));
	uint32_t shape = gen_upto(g, 5);
	qd_type of = gen_type(g);

	if (shape < 2)
		return short_circuit(g, depth, flags);
	if (shape == 2)
		return one(g, X_NOT, 0, QD_TYPE_BOOL, op % 2 ? of : QD_TYPE_BOOL, depth, flags);
	return two(g, X_BINARY, op, of, depth, flags);
}

static struct expr *
choice(struct gen *g, qd_type type, uint32_t depth, uint32_t flags)
{
	struct expr *x = x_new(g, X_SELECT, type, 0), *a, *b;

	x_arg(x, gen_condition(g, flags));
	a = gen_expr(g, type, depth, flags & BARE);
	b = gen_expr(g, type, depth, flags | GEN_LITERAL);
	return x_arg(x_arg(x, settled(g, a, b)), b);
}

struct expr *
gen_expr(struct gen *g, qd_type type, uint32_t depth, uint32_t flags)
{
	bool uniform = flags & GEN_UNIFORM;
	struct expr *x = NULL;

	if (depth == 0 || gen_one_in(g, 5))
		return leaf(g, type, flags);
	depth--;
	if (flags & GEN_BLOCK)
		flags &= ~(uint32_t)GEN_LANES;
	if ((flags & GEN_LANES) && type != QD_TYPE_BOOL && gen_one_in(g, 7))
		return gen_lane(g, type, depth, uniform);
	if ((flags & GEN_LANES) && type == QD_TYPE_BOOL && !uniform && gen_one_in(g, 10))
		return gen_warp(g, type, depth);
	if (!uniform && gen_one_in(g, 6))
		x = memory_load(g, type, depth, flags & ~(uint32_t)GEN_LANES);
	if (!x && gen_one_in(g, 5))
		x = any_load(g, type, depth, flags & ~(uint32_t)GEN_LANES);
	else if (!x && !uniform && gen_one_in(g, 5))
		x = gen_call_in_expr(g, type, depth, flags);
	if (x)
		return x;
	if (gen_one_in(g, 9))
		return choice(g, type, depth, flags);
	if (type == QD_TYPE_BOOL)
		return logical(g, depth, flags & BARE);
	if (ref_is_float(type))
		return floating(g, type, depth, flags);
	return integer(g, type, depth, flags);
}

struct expr *
gen_value(struct gen *g, qd_type type, uint32_t flags)
{
	uint32_t depth = 1 + gen_upto(g, 3);
	struct expr *x = gen_expr(g, type, depth, flags | GEN_LITERAL);

	if (!ref_is_float(type) || x->kind == X_LITERAL || x->kind == X_VAR)
		return x;
	return x_clamp(g, x, 16777216.0f);
}

/* Returns whether the expression is constant for known block and subgroup sizes. */
static bool
is_constant(const struct gen *g, const struct expr *x)
{
	switch ((enum xkind)x->kind) {
	case X_LITERAL:
	case X_CONST:
	case X_SHAPE: return true;
	case X_PLACE:
		return x->op == P_BLOCK_DIM || x->op == P_SUBGROUP_COUNT || x->op == P_SIZE ||
		       x->op == P_LOG2_SIZE || (x->op == P_TILE_LANE && x->tile == 0) ||
		       (x->op == P_THREAD && g->p->block_dim == 1) ||
		       (x->op == P_THREAD_X && g->p->block[0] == 1) ||
		       (x->op == P_THREAD_Y && g->p->block[1] == 1) ||
		       (x->op == P_THREAD_Z && g->p->block[2] == 1);
	case X_VAR:
	case X_LEN:
	case X_LOAD:
	case X_SHARED_LOAD:
	case X_ATOMIC:
	case X_LANE:
	case X_CALL: return false;
	default: break;
	}
	for (uint32_t i = 0; i < x->n; i++)
		if (!is_constant(g, x->arg[i]))
			return false;
	return true;
}

struct expr *
x_varies(struct gen *g, struct expr *x)
{
	struct expr *idx;

	if (CONSTANT_VARIABLES || x->type == QD_TYPE_BOOL || !is_constant(g, x))
		return x;
	idx = x_place(g, P_BLOCK_IDX);
	if (x->type != QD_TYPE_U32)
		idx = x_cast(g, x->type, idx);
	return x_binary(g, REF_OP_ADD, idx, x);
}

/* Returns a condition: a bool or any scalar, often a bit of a number. */
struct expr *
gen_condition(struct gen *g, uint32_t flags)
{
	enum ref_op op = gen_one_in(g, 2) ? REF_OP_EQ : REF_OP_NE;
	uint64_t bit = UINT64_C(1) << gen_upto(g, 4);
	qd_type type = gen_type(g);
	struct expr *x;

	if (gen_one_in(g, 3))
		return gen_expr(g, QD_TYPE_BOOL, 2, flags & BARE);
	if (gen_one_in(g, 6))
		return gen_expr(g, type, 2, flags & BARE);
	x = gen_expr(g, QD_TYPE_U32, 2, flags & BARE);
	x = x_binary(g, REF_OP_AND, x, x_literal(g, QD_TYPE_U32, bit));
	return x_binary(g, op, x, x_literal(g, QD_TYPE_U32, 0));
}

uint32_t
gen_flags(const struct gen *g)
{
	return gen_uniform(g) && g->here != NO_VAR ? GEN_LANES : 0;
}

uint32_t
gen_flags_same(const struct gen *g, uint32_t same)
{
	return same == SAME_BLOCK      ? GEN_UNIFORM | GEN_BLOCK
	       : same == SAME_SUBGROUP ? gen_flags(g) | GEN_UNIFORM
				       : gen_flags(g);
}
