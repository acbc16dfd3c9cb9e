/* Ranges of 32-bit integers of the new body, and operations whose result they decide.
 *
 * A range contains the values that an instruction may have where it is defined, and also satisfies
 * the facts at the insertion point (fact.c). A query visits at most VISITS values, through DEPTH
 * operations, so it takes a bounded time. */
#include "prim.h"

enum { DEPTH = 6, VISITS = 40 };

struct range
range_of_type(qd_type t)
{
	return t == QD_TYPE_I32 ? (struct range){ INT32_MIN, INT32_MAX } : (struct range){ 0, UINT32_MAX };
}

/* Returns [lo, hi], or the range of the type if the operation may wrap. */
static struct range
unless_wraps(qd_type t, int64_t lo, int64_t hi)
{
	const struct range all = range_of_type(t);

	return (lo >= all.lo && hi <= all.hi) || !PRIM_RULE(WRAPS) ? (struct range){ lo, hi } : all;
}

static int64_t
least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t
greatest(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Returns the smallest number of the form 2^k - 1 that is at least x. */
static int64_t
ones_above(int64_t x)
{
	for (uint32_t s = 1; s < 32; s *= 2)
		x |= x >> s;
	return x;
}

static int64_t
shift_right(int64_t x, int64_t by)
{
	return x >= 0 ? x >> by : ~(~x >> by);
}

static struct range
product(qd_type t, struct range x, struct range y)
{
	int64_t v[4];

	if (x.lo >= 0 && y.lo >= 0) /* the product of two u32 may exceed an int64_t */
		return y.hi && x.hi > UINT32_MAX / y.hi ? range_of_type(t) : unless_wraps(t, x.lo * y.lo, x.hi * y.hi);
	v[0] = x.lo * y.lo, v[1] = x.lo * y.hi, v[2] = x.hi * y.lo, v[3] = x.hi * y.hi;
	return unless_wraps(t, least(least(v[0], v[1]), least(v[2], v[3])),
			    greatest(greatest(v[0], v[1]), greatest(v[2], v[3])));
}

/* The divisor is at least 1. */
static struct range
quotient(struct range x, struct range y)
{
	return (struct range){ x.lo / (x.lo < 0 ? y.lo : y.hi), x.hi / (x.hi < 0 ? y.hi : y.lo) };
}

/* The remainder has the sign of x. The remainder of x by 0 is x. */
static struct range
remainder_of(struct range x, struct range y)
{
	int64_t most = y.lo >= 1 || !PRIM_RULE(ZERO_DIVISOR) ? y.hi - 1 : INT64_MAX;

	if (x.lo >= 0 && x.hi < y.lo)
		return x;
	return (struct range){ x.lo < 0 ? greatest(x.lo, -most) : 0, x.hi > 0 ? least(x.hi, most) : 0 };
}

static struct range
bits_and(qd_type t, struct range x, struct range y)
{
	if (x.lo < 0 && y.lo < 0)
		return range_of_type(t);
	return (struct range){ 0, x.lo < 0 ? y.hi : y.lo < 0 ? x.hi : least(x.hi, y.hi) };
}

static struct range
of_two(qd_type t, enum op op, struct range x, struct range y)
{
	const struct range all = range_of_type(t);
	const bool known = y.lo == y.hi;

	switch (op) {
	case OP_ADD: return unless_wraps(t, x.lo + y.lo, x.hi + y.hi);
	case OP_SUB: return unless_wraps(t, x.lo - y.hi, x.hi - y.lo);
	case OP_MUL: case OP_MUL24: return product(t, x, y);
	case OP_AND: return bits_and(t, x, y);
	case OP_OR: case OP_XOR:
		return x.lo >= 0 && y.lo >= 0 ? (struct range){ 0, ones_above(x.hi | y.hi) } : all;
	case OP_SHL: return known ? product(t, x, (struct range){ INT64_C(1) << (y.lo & 31), INT64_C(1) << (y.lo & 31) }) : all;
	case OP_SHR:
		return known ? (struct range){ shift_right(x.lo, y.lo & 31), shift_right(x.hi, y.lo & 31) } :
		       x.lo >= 0 ? (struct range){ 0, x.hi } : all;
	case OP_DIV: return y.lo >= 1 ? quotient(x, y) : all;
	case OP_REM: return remainder_of(x, y);
	case OP_MIN: return (struct range){ least(x.lo, y.lo), least(x.hi, y.hi) };
	case OP_MAX: return (struct range){ greatest(x.lo, y.lo), greatest(x.hi, y.hi) };
	default: return all;
	}
}

/* -- Queries ----------------------------------------------------------------------------- */

/* A query. A visit beyond the limit gives the range of the type. */
struct visit {
	const struct lg *l;
	uint32_t left;
};

static struct range find(struct visit *q, uint32_t v, uint32_t depth);

static struct range
of_elements(const struct lg *l, const struct ins *s)
{
	const qd_type t = (qd_type)l->p->mems[s->x].type;
	const uint32_t bits = 8u * type_info[t].size;

	if (bits >= 32 || s->b)
		return range_of_type((qd_type)s->type);
	if (s->type == QD_TYPE_I32)
		return (struct range){ -(INT64_C(1) << (bits - 1)), (INT64_C(1) << (bits - 1)) - 1 };
	return (struct range){ 0, (INT64_C(1) << bits) - 1 };
}

/* Reads a number of one type as one of another type with the same bits. */
static struct range
recast(qd_type to, struct range r)
{
	const struct range all = range_of_type(to);

	if (to == QD_TYPE_U32 && r.hi < 0)
		return (struct range){ r.lo + all.hi + 1, r.hi + all.hi + 1 };
	if (to == QD_TYPE_I32 && r.lo > INT32_MAX)
		return (struct range){ r.lo - UINT32_MAX - 1, r.hi - UINT32_MAX - 1 };
	return (r.lo >= all.lo && r.hi <= all.hi) || !PRIM_RULE(RECAST) ? r : all;
}

/* Returns the range of a value without the facts about it. */
static struct range
of_operation(struct visit *q, const struct ins *s, uint32_t depth)
{
	const struct lg *l = q->l;
	const qd_type t = (qd_type)s->type;
	const struct range all = range_of_type(t);
	struct range x, y;

	switch (s->op) {
	case OP_THREAD_IDX: case OP_SUBGROUP_ID: return (struct range){ 0, machine_rounded(l->m, l->p->k->block_dim) - 1 };
	case OP_LANE: return (struct range){ 0, l->m->lanes - 1 };
	case OP_POPCOUNT: case OP_CLZ: case OP_FFS: return (struct range){ 0, type_bits((qd_type)l->w.o.ir->ins[s->a].type) };
	case OP_NARROW_F16: case OP_NARROW_BF16: return (struct range){ 0, UINT16_MAX };
	case OP_LOAD: return of_elements(l, s);
	case OP_GET: return counter_range(l, s->a, t);
	case OP_UNIFORM: return find(q, s->a, depth);
	case OP_BITCAST:
		return type_is((qd_type)l->w.o.ir->ins[s->a].type, TM_I32) ? recast(t, find(q, s->a, depth)) : all;
	case OP_ABS:
		x = find(q, s->a, depth);
		return x.lo >= 0 ? x : x.lo > INT32_MIN ? (struct range){ 0, greatest(-x.lo, x.hi) } : all;
	case OP_SELECT:
		x = find(q, s->b, depth);
		y = find(q, s->c, depth);
		return (struct range){ least(x.lo, y.lo), greatest(x.hi, y.hi) };
	default:
		if (!op_info[s->op].is_alu || op_sig((enum op)s->op)->n_opnd != 2)
			return all;
		x = find(q, s->a, depth);
		return of_two(t, (enum op)s->op, x, find(q, s->b, depth));
	}
}

/* Returns the part of r in which the facts about value v hold. */
static struct range
with_facts(struct visit *q, uint32_t v, struct range r, uint32_t depth)
{
	const struct range before = r;
	const struct lg *l = q->l;

	for (uint32_t i = l->n_facts; i-- > 0 && q->left;) {
		const struct relation c = fact_relation(l, i);

		if (v == c.less)
			r.hi = least(r.hi, find(q, c.greater, depth).hi - (c.strict || !PRIM_RULE(STRICT_RANGE)));
		else if (v == c.greater)
			r.lo = greatest(r.lo, find(q, c.less, depth).lo + c.strict);
	}
	return r.lo <= r.hi ? r : before; /* the code is dead */
}

static struct range
find(struct visit *q, uint32_t v, uint32_t depth)
{
	const struct ins *s = &q->l->w.o.ir->ins[v];
	struct range r = range_of_type((qd_type)s->type);
	uint64_t bits;

	if (!type_is((qd_type)s->type, TM_I32))
		return r;
	if (rw_is_const(&q->l->w, v, &bits)) {
		r.lo = r.hi = range_number((qd_type)s->type, bits);
		return r;
	}
	if (!depth || !q->left)
		return r;
	q->left--;
	return with_facts(q, v, of_operation(q, s, depth - 1), depth - 1);
}

struct range
range_of(const struct lg *l, uint32_t v)
{
	struct visit q = { .l = l, .left = VISITS };

	return l->p->opt == OPT_FULL ? find(&q, v, DEPTH) : range_of_type((qd_type)l->w.o.ir->ins[v].type);
}

bool
range_is_positive(const struct lg *l, uint32_t v)
{
	return type_is(lg_type(l, v), TM_I32) && range_of(l, v).lo >= 0;
}

/* -- Decided operations ----------------------------------------------------------------------- */

/* Returns the operand that an integer operation gives for all values of the ranges, or 0. */
static uint32_t
selected(enum op op, uint32_t a, uint32_t b, struct range x, struct range y)
{
	switch (op) {
	case OP_MIN: return x.hi <= y.lo ? a : y.hi <= x.lo ? b : 0;
	case OP_MAX: return x.lo >= y.hi ? a : y.lo >= x.hi ? b : 0;
	case OP_AND: /* a mask that contains all bits */
		if (y.lo == y.hi && y.lo == ones_above(y.lo) && x.lo >= 0 && x.hi <= y.lo)
			return a;
		return x.lo == x.hi && x.lo == ones_above(x.lo) && y.lo >= 0 && y.hi <= x.lo ? b : 0;
	case OP_REM: return x.lo >= 0 && x.hi < y.lo ? a : 0;
	default: return 0;
	}
}

/* Returns 1 if the comparison holds for all values of the ranges, 0 if for none, and else 2. */
static uint32_t
compared(enum op op, struct range x, struct range y)
{
	switch (op) {
	case OP_LT: return x.hi < y.lo ? 1 : x.lo >= y.hi ? 0 : 2;
	case OP_LE: return x.hi <= y.lo ? 1 : x.lo > y.hi ? 0 : 2;
	case OP_EQ: return x.hi < y.lo || y.hi < x.lo ? 0 : 2;
	case OP_NE: return x.hi < y.lo || y.hi < x.lo ? 1 : 2;
	default: return 2;
	}
}

uint32_t
range_decide(struct lg *l, enum op op, uint32_t a, uint32_t b)
{
	const qd_type t = lg_type(l, a);
	struct range x, y;
	uint32_t holds;

	if (l->p->opt < OPT_FULL || !type_is(t, TM_I32))
		return 0;
	y = range_of(l, b);
	x = range_of(l, a);
	if (op == OP_DIV)
		return x.lo >= 0 && x.hi < y.lo ? lg_const(l, t, 0) : 0;
	holds = compared(op, x, y);
	return holds < 2 ? lg_const(l, QD_TYPE_BOOL, holds) : selected(op, a, b, x, y);
}
