/* Conditions that hold at the insertion point, at which the next instruction is appended.
 *
 * The condition of an `if` holds in its first arm and does not hold in its second. The condition
 * of a break does not hold in the rest of the arm around the break. Lanes for which the
 * condition differs are inactive there. A fact is removed at the end of its arm. The list is
 * short, so a query takes bounded time; facts beyond its capacity are not recorded. */
#include "prim.h"

enum {
	DEPTH = 4, /* of NOT, AND and OR */
	SUMS = 8   /* additions of constants to a value */
};

static void
add_fact(struct lg *l, uint32_t arm, uint32_t value, bool holds, uint32_t depth)
{
	const struct ins *s = &l->w.o.ir->ins[value];

	if (!depth--)
		return;
	switch (s->op) {
	case OP_NOT: add_fact(l, arm, s->a, !holds, depth); break;
	case OP_UNIFORM: add_fact(l, arm, s->a, holds, depth); break;
	case OP_AND: case OP_OR:
		if (holds != (s->op == OP_AND))
			break;
		add_fact(l, arm, s->a, holds, depth);
		add_fact(l, arm, s->b, holds, depth);
		break;
	case OP_LT: case OP_LE:
		if (l->n_facts < MAX_FACTS)
			l->facts[l->n_facts++] = (struct fact){ value, arm, holds };
		break;
	default: break;
	}
}

/* Removes the facts of the arms that begin at or after an instruction of the new body. */
static void
forget(struct lg *l, uint32_t arm)
{
	while (PRIM_RULE(ARM_ENDS) && l->n_facts && l->facts[l->n_facts - 1].arm >= arm)
		l->n_facts--;
}

void
fact_flow(struct lg *l, uint32_t i)
{
	const struct ins *in = l->w.in->ins, *s = &in[i];
	const struct appender *o = &l->w.o;
	const uint32_t *map = l->w.map;
	uint32_t opener;

	/* With assume_uniform a condition may hold in the first lane only. */
	if (l->p->opt < OPT_FULL || lg_failed(l) || (l->p->k->assume_uniform && PRIM_RULE(UNIFORM)))
		return;
	switch (s->op) {
	case OP_IF: add_fact(l, map[i], map[s->a], true, DEPTH); break;
	case OP_ELSE:
		opener = in[s->x].x;
		forget(l, map[opener]);
		add_fact(l, map[opener], map[in[opener].a], false, DEPTH);
		break;
	case OP_BREAK:
		if (s->a && o->n_open)
			add_fact(l, o->open[o->n_open - 1], map[s->a], false, DEPTH);
		break;
	case OP_END: forget(l, map[s->x]); break;
	default: break;
	}
}

struct relation
fact_relation(const struct lg *l, uint32_t fact)
{
	const struct fact *f = &l->facts[fact];
	const struct ins *s = &l->w.o.ir->ins[f->value];
	const bool strict = f->holds == (s->op == OP_LT);

	return f->holds ? (struct relation){ s->a, s->b, strict } : (struct relation){ s->b, s->a, strict };
}

/* -- Proofs: numbers are read as u32 ------------------------------------------------------- */

/* Returns the integer that a value is a bitcast of. */
static uint32_t
integer_of(const struct lg *l, uint32_t v)
{
	const struct ins *ins = l->w.o.ir->ins;

	while ((ins[v].op == OP_BITCAST && type_is((qd_type)ins[ins[v].a].type, TM_I32)) || ins[v].op == OP_UNIFORM)
		v = ins[v].a;
	return v;
}

static bool
is_same(const struct lg *l, uint32_t u, uint32_t v)
{
	const struct ins *s, *t;

	u = integer_of(l, u);
	v = integer_of(l, v);
	s = &l->w.o.ir->ins[u];
	t = &l->w.o.ir->ins[v];
	return u == v || (s->op == t->op && ((s->op == OP_LEN && s->x == t->x) ||
					     (s->op == OP_CONST && s->a == t->a)));
}

/* Writes v as a sum of a value and a constant, modulo 2^32 if it is a sum of several. */
static uint32_t
split(const struct lg *l, uint32_t v, uint64_t *add)
{
	const struct ins *s = &l->w.o.ir->ins[v];
	uint64_t more;

	*add = 0;
	for (uint32_t n = 0; n < SUMS && s->op == OP_ADD && rw_is_const(&l->w, s->b, &more); n++) {
		if (n && !type_is((qd_type)s->type, TM_I32))
			break;
		*add = n ? (uint32_t)(*add + more) : more;
		v = integer_of(l, s->a);
		s = &l->w.o.ir->ins[v];
	}
	return v;
}

/* Returns the factor that v multiplies *of by; 1 if it is no product. */
static uint64_t
factor(const struct lg *l, uint32_t v, uint32_t *of)
{
	const struct ins *s = &l->w.o.ir->ins[v];
	uint64_t k;

	*of = v;
	if ((s->op != OP_SHL && s->op != OP_MUL) || !rw_is_const(&l->w, s->b, &k))
		return 1;
	*of = integer_of(l, s->a);
	return s->op == OP_SHL ? UINT64_C(1) << (k & 31) : k;
}

/* Returns the constant that v divides *of by; 0 if it is no quotient of u32. */
static uint64_t
divisor(const struct lg *l, uint32_t v, uint32_t *of)
{
	const struct ins *s = &l->w.o.ir->ins[v];
	uint64_t k;

	if ((s->op != OP_SHR && s->op != OP_DIV) || s->type != QD_TYPE_U32 || !rw_is_const(&l->w, s->b, &k))
		return 0;
	*of = integer_of(l, s->a);
	return s->op == OP_SHR ? UINT64_C(1) << (k & 31) : k;
}

/* Returns whether x + c <= y + d because c <= d and y + d does not wrap. */
static bool
is_sum_at_most(const struct lg *l, uint32_t u, uint32_t v)
{
	uint64_t c, d;
	uint32_t x = split(l, u, &c), y = split(l, v, &d);

	return is_same(l, x, y) && c <= d && range_is_positive(l, y) &&
	       (range_of(l, y).hi + (int64_t)d <= UINT32_MAX || !PRIM_RULE(SUM));
}

static bool is_at_most(const struct lg *l, uint32_t u, uint32_t v, uint32_t depth);

/* Does what is_at_most does, by the operation of u. */
static bool
is_result_at_most(const struct lg *l, uint32_t u, uint32_t v, uint32_t depth)
{
	const struct ins *s = &l->w.o.ir->ins[u];

	switch (s->op) {
	case OP_AND: return is_at_most(l, s->a, v, depth) || is_at_most(l, s->b, v, depth);
	case OP_MIN:
		return range_is_positive(l, u) && range_is_positive(l, s->a) && range_is_positive(l, s->b) &&
		       (is_at_most(l, s->a, v, depth) || is_at_most(l, s->b, v, depth));
	case OP_SHR: case OP_REM: return range_is_positive(l, s->a) && is_at_most(l, s->a, v, depth);
	case OP_DIV:
		return range_is_positive(l, s->a) && range_of(l, s->b).lo >= 1 && is_at_most(l, s->a, v, depth);
	case OP_SUB:
		return range_is_positive(l, s->b) && (range_of(l, s->a).lo >= range_of(l, s->b).hi || !PRIM_RULE(DIFFERENCE)) &&
		       is_at_most(l, s->a, v, depth);
	case OP_SELECT: return is_at_most(l, s->b, v, depth) && is_at_most(l, s->c, v, depth);
	default: return false;
	}
}

/* Returns whether u <= v. */
static bool
is_at_most(const struct lg *l, uint32_t u, uint32_t v, uint32_t depth)
{
	const struct ins *t;

	u = integer_of(l, u);
	v = integer_of(l, v);
	if (is_same(l, u, v) || is_sum_at_most(l, u, v))
		return true;
	if (!depth--)
		return false;
	t = &l->w.o.ir->ins[v];
	if (t->op == OP_MAX && t->type == QD_TYPE_U32 &&
	    (is_at_most(l, u, t->a, depth) || is_at_most(l, u, t->b, depth)))
		return true;
	return is_result_at_most(l, u, v, depth);
}

/* Returns whether a < b because r is x < max(limit, c) - c: then limit > c, and x + c < limit does not
 * wrap. Loops of several copies have such a test (pass/unroll.c). */
static bool
is_before_last(const struct lg *l, const struct relation *r, uint32_t a, uint32_t b)
{
	const struct ins *ins = l->w.o.ir->ins, *sub = &ins[integer_of(l, r->greater)], *max = &ins[sub->a];
	uint64_t add, steps, least;

	return sub->op == OP_SUB && sub->type == QD_TYPE_U32 && rw_is_const(&l->w, sub->b, &steps) && max->op == OP_MAX &&
	       rw_is_const(&l->w, max->b, &least) && (least == steps || !PRIM_RULE(LEAST_LIMIT)) &&
	       is_same(l, split(l, a, &add), r->less) && (add <= steps || !PRIM_RULE(LAST)) && is_at_most(l, max->a, b, DEPTH);
}

/* Returns whether a < b because r is a < b, or scales both sides. */
static bool
implies_less(const struct lg *l, const struct relation *r, uint32_t a, uint32_t b)
{
	uint32_t x, of;
	uint64_t add, k, by;

	if (is_at_most(l, r->greater, b, DEPTH) && is_at_most(l, a, r->less, DEPTH))
		return true;
	if (is_before_last(l, r, a, b))
		return true;
	/* x < len / by: k * x + add < len if add < k <= by. */
	by = divisor(l, integer_of(l, r->greater), &of);
	k = factor(l, split(l, a, &add), &x);
	if (by && (add < k || !PRIM_RULE(ADDEND)) && (k <= by || !PRIM_RULE(FACTOR)) && is_at_most(l, of, b, DEPTH) && is_at_most(l, x, r->less, DEPTH))
		return true;
	/* x < len * by, where the product may wrap: x / by < len. */
	by = divisor(l, a, &x);
	return by && factor(l, integer_of(l, r->greater), &of) == by && is_same(l, of, b) &&
	       is_at_most(l, x, r->less, DEPTH);
}

/* Returns whether a < b where the facts hold. */
static bool
is_less(const struct lg *l, uint32_t a, uint32_t b)
{
	if (range_is_positive(l, a) && range_of(l, a).hi < range_of(l, b).lo)
		return true;
	for (uint32_t i = l->n_facts; i-- > 0;) {
		const struct relation r = fact_relation(l, i);

		/* A relation of two i32 is one of u32 if the first is not negative. */
		if ((r.strict || !PRIM_RULE(STRICT)) && type_is(lg_type(l, r.less), TM_I32) &&
		    (range_is_positive(l, r.less) || !PRIM_RULE(SIGN)) &&
		    implies_less(l, &r, a, b))
			return true;
	}
	return false;
}

bool
fact_is_less(struct lg *l, uint32_t a, uint32_t b, uint32_t where)
{
	const uint32_t n = l->n_facts;
	bool less;

	if (l->p->opt < OPT_FULL)
		return false;
	if (where)
		add_fact(l, UINT32_MAX, where, true, DEPTH);
	less = is_less(l, integer_of(l, a), b);
	l->n_facts = PRIM_RULE(WHERE_ENDS) ? n : l->n_facts;
	return less;
}
