/* Computes an upper bound on the iterations that the loops of a legal body execute. The bound of
 * a loop follows from a counter in its test: a variable that is a constant before the loop,
 * grows by a constant in every iteration, and is compared with a constant at the loop's head.
 * Other exits only make a loop shorter. */
#include "pass.h"

#define MANY (UINT64_C(1) << 32) /* iterations: small enough that no sum or product here wraps */
enum { MAX_DEPTH = 32 };

/* Returns whether variable v holds a known constant before instruction `at`, from a store in the
 * same instruction list. Sets *bits to the constant. */
static bool
value_before(const struct ir *in, uint32_t at, uint32_t v, uint64_t *bits)
{
	while (--at) {
		const struct ins *s = &in->ins[at];
		uint32_t init = at == v ? s->a : s->op == OP_SET && s->a == v ? s->b : 0;

		if (op_flow[s->op])
			return false;
		if (!init)
			continue;
		*bits = const_bits(&in->ins[init]);
		return in->ins[init].op == OP_CONST;
	}
	return false;
}

/* Returns the constant that each iteration of the loop adds to variable v, or 0 if there is
 * none. */
static uint64_t
step_of(const struct ir *in, uint32_t loop, uint32_t v)
{
	uint64_t step = 0;
	uint32_t depth = 0;

	for (uint32_t i = loop + 1; i < in->ins[loop].x; i++) {
		const struct ins *s = &in->ins[i], *sum, *get;

		depth += op_flow[s->op] == FLOW_OPEN;
		depth -= op_flow[s->op] == FLOW_CLOSE;
		if (s->op != OP_SET || s->a != v)
			continue;
		sum = &in->ins[s->b];
		get = &in->ins[sum->a];
		if (depth || step || sum->op != OP_ADD || in->ins[sum->b].op != OP_CONST ||
		    get->op != OP_GET || get->a != v || sum->a < loop)
			return 0;
		step = const_bits(&in->ins[sum->b]);
	}
	return step;
}

/* Returns a 32-bit integer of either signedness as a number. */
static int64_t
number(qd_type t, uint64_t bits)
{
	return t == QD_TYPE_I32 ? (int32_t)(uint32_t)bits : (int64_t)(uint32_t)bits;
}

/* Returns the iterations of a loop that exits at its head if c holds; MANY: unknown. */
static uint64_t
rounds_by(const struct ir *in, uint32_t loop, const struct ins *c)
{
	const struct ins *limit = &in->ins[c->a], *k = &in->ins[c->b];
	qd_type t = (qd_type)limit->type;
	uint64_t from, step;
	int64_t first, end, most = t == QD_TYPE_I32 ? INT32_MAX : UINT32_MAX;

	if ((c->op != OP_LE && c->op != OP_LT) || limit->op != OP_CONST || k->op != OP_GET ||
	    c->b < loop || !type_is(t, TM_I32))
		return MANY;
	step = step_of(in, loop, k->a);
	if (!step || !value_before(in, loop, k->a, &from))
		return MANY;
	first = number(t, from);
	end = number(t, const_bits(limit)) + (c->op == OP_LT);
	/* The step is positive and does not wrap before the test sees the limit. */
	if (number(t, step) <= 0 || end + number(t, step) - 1 > most)
		return MANY;
	return first < end ? (uint64_t)(end - first - 1) / (uint64_t)number(t, step) + 1 : 0;
}

/* Returns the rounds of a loop from the first test in its instruction list. */
static uint64_t
rounds_of(const struct ir *in, uint32_t loop)
{
	for (uint32_t i = loop + 1; i < in->ins[loop].x; i++) {
		const struct ins *s = &in->ins[i];

		if (s->op == OP_BREAK)
			return s->x == loop && s->a ? rounds_by(in, loop, &in->ins[s->a]) : MANY;
		if (op_flow[s->op])
			return MANY;
	}
	return MANY;
}

/* Returns the total iterations of the loops from *i to end. Each loop counts two more iterations,
 * because pass_lower_jumps makes it exit through a variable. A nest of MAX_DEPTH loops is above
 * every limit. */
static uint64_t
total(const struct ir *in, uint32_t *i, uint32_t end, uint32_t depth)
{
	uint64_t sum = 0;

	while (*i < end) {
		uint32_t at = (*i)++;

		if (in->ins[at].op == OP_LOOP && sum < MANY) {
			uint64_t rounds = depth < MAX_DEPTH ? rounds_of(in, at) : MANY;
			uint64_t inner = rounds < MANY ? total(in, i, in->ins[at].x, depth + 1) : 0;
			sum = rounds >= MANY || inner >= MANY || (rounds + 2) >= MANY / (inner + 1)
				      ? MANY : sum + (rounds + 2) * (inner + 1);
		}
		if (sum >= MANY)
			return MANY;
	}
	return sum;
}

bool
pass_rounds_below(const struct ir *in, uint64_t limit)
{
	uint32_t i = 1;

	return total(in, &i, in->n, 0) < limit;
}
