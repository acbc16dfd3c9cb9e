/* Counters of open loops: variables that start at a value, grow by a constant in each iteration, and
 * are compared with a limit before that.
 *
 * The only store to a counter adds a positive constant to the value that a test at the loop's head
 * has found below the limit. The sum does not wrap, so the counter is between its first value and the
 * largest limit plus the step minus 1. */
#include "prim.h"

#define MANY UINT32_MAX /* stores to a variable */

enum { DEPTH = 4 /* of OR */ };

bool
counter_begin(struct lg *l)
{
	const struct ir *in = l->w.in;

	if (!(in->has & HAS_LOOP) || !(in->has & HAS_LOCAL) || l->p->opt < OPT_FULL)
		return true;
	l->set_of = arena_zalloc(l->p->mem, in->n * sizeof *l->set_of);
	if (!l->set_of)
		return false;
	for (uint32_t i = 1; i < in->n; i++)
		if (in->ins[i].op == OP_SET)
			l->set_of[in->ins[i].a] = l->set_of[in->ins[i].a] && PRIM_RULE(ONE_STORE) ? MANY : i;
	return true;
}

/* Returns the constant that the only store to variable v adds to value `now`; 0: it does not. */
static int64_t
step_of(const struct lg *l, uint32_t v, uint32_t now, uint32_t test, uint32_t end)
{
	const struct ins *ins = l->w.in->ins, *sum;
	const uint32_t set = l->set_of[v];

	if ((set <= test && PRIM_RULE(TEST_FIRST)) || set >= end)
		return 0;
	sum = &ins[ins[set].b];
	if (sum->op != OP_ADD || sum->a != now || ins[sum->b].op != OP_CONST)
		return 0;
	return range_number((qd_type)sum->type, const_bits(&ins[sum->b]));
}

/* Returns the greatest value of a limit of the input. */
static int64_t
greatest_limit(const struct lg *l, uint32_t limit)
{
	const struct ins *s = &l->w.in->ins[limit];

	if (s->op == OP_CONST)
		return range_number((qd_type)s->type, const_bits(s));
	return l->w.map[limit] ? range_of(l, l->w.map[limit]).hi : range_of_type((qd_type)s->type).hi;
}

/* Adds the counter that a break at the loop's head compares, if there is one: `cond` of the input does
 * not hold after the break. */
static void
add_counter(struct lg *l, uint32_t loop, uint32_t test, uint32_t cond, uint32_t depth)
{
	const struct ins *ins = l->w.in->ins, *s = &ins[cond], *now = &ins[s->b];
	const uint32_t var = now->a;
	int64_t step, most;
	struct range first;

	if (s->op == OP_OR && depth) {
		add_counter(l, loop, test, s->a, depth - 1);
		add_counter(l, loop, test, s->b, depth - 1);
	}
	if ((s->op != OP_LE && s->op != OP_LT) || now->op != OP_GET || s->b < loop ||
	    !type_is((qd_type)now->type, TM_I32) || var > loop || l->n_counters == MAX_COUNTERS)
		return;
	step = step_of(l, var, s->b, test, ins[loop].x);
	most = greatest_limit(l, s->a) - (s->op == OP_LE) + step;
	if ((step <= 0 && PRIM_RULE(STEP)) || (PRIM_RULE(LIMIT) && most > range_of_type((qd_type)now->type).hi))
		return;
	first = range_of(l, l->w.map[ins[var].a]);
	l->counters[l->n_counters++] = (struct counter){
		.var = l->w.map[var], .loop = loop, .range = { first.lo, first.hi > most ? first.hi : most }
	};
}

void
counter_flow(struct lg *l, uint32_t i)
{
	const struct ins *ins = l->w.in->ins;

	if (!l->set_of || lg_failed(l))
		return;
	if (ins[i].op == OP_END)
		while (l->n_counters && l->counters[l->n_counters - 1].loop == ins[i].x)
			l->n_counters--;
	if (ins[i].op != OP_LOOP)
		return;
	for (uint32_t j = i + 1; !op_flow[ins[j].op] || ins[j].op == OP_BREAK; j++)
		if (ins[j].op == OP_BREAK && ins[j].a)
			add_counter(l, i, j, ins[j].a, DEPTH);
}

struct range
counter_range(const struct lg *l, uint32_t var, qd_type t)
{
	for (uint32_t j = l->n_counters; j-- > 0;)
		if (l->counters[j].var == var)
			return l->counters[j].range;
	return range_of_type(t);
}
