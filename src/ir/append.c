/* Appends instructions to a body: capacity, partners of control flow, reuse of constants and
 * leaves.
 *
 * Out of memory and excessive nesting are sticky errors: every later call is safe and returns value
 * 0. A constant or leaf dominates the rest of its block. Small direct-mapped tables find it again
 * until the block ends. A region uses no constants from outside, since it is entered by name. */
#include "ir.h"

#include <assert.h>

enum { FIRST_OPEN = 16 };

bool
ir_reserve(struct ir *ir, struct arena *a, uint32_t n)
{
	uint32_t need = ir->n + n, cap = ir->cap ? ir->cap : 64;
	struct ins *ins;
	uint32_t *pos;

	if (need <= ir->cap)
		return true;
	if (need > MAX_BODY || need < n)
		return false;
	while (cap < need)
		cap *= 2;
	ins = arena_alloc(a, cap * sizeof *ins);
	pos = arena_alloc(a, cap * sizeof *pos);
	if (!ins || !pos)
		return false;
	if (ir->n) {
		memcpy(ins, ir->ins, ir->n * sizeof *ins);
		memcpy(pos, ir->pos, ir->n * sizeof *pos);
	}
	ir->ins = ins;
	ir->pos = pos;
	ir->cap = cap;
	return true;
}

bool
append_init(struct appender *a, struct ir *ir, struct arena *mem)
{
	a->ir = ir;
	a->mem = mem;
	a->pos = 0;
	a->too_deep = a->marks = a->literal = false;
	a->n_open = a->region = a->last_kept = 0;
	a->cap_open = FIRST_OPEN;
	memset(a->consts, 0, sizeof a->consts);
	memset(a->leaves, 0, sizeof a->leaves);
	a->numbers = (struct number_table){ .slots = NULL };
	a->open = arena_alloc(mem, FIRST_OPEN * sizeof *a->open);
	a->nomem = !a->open || (!ir->n && !ir_push(ir, mem, (struct ins){ .op = OP_NONE }, 0) &&
				!ir->n);
	return !a->nomem;
}

/* -- Existing constants and leaves ------------------------------------------------- */

static uint32_t
keep(struct appender *a, uint32_t *slot, uint32_t v)
{
	*slot = a->last_kept = v;
	return v;
}

/* Drops the entries of the block that began at arm, which ends. */
static void
forget(struct appender *a, uint32_t arm)
{
	if (a->numbers.n_log)
		append_forget(a, arm);
	if (a->last_kept < arm)
		return;
	for (uint32_t i = 0; i < QD_COUNT(a->consts); i++)
		a->consts[i] = a->consts[i] > arm ? 0 : a->consts[i];
	for (uint32_t i = 0; i < QD_COUNT(a->leaves); i++)
		a->leaves[i] = a->leaves[i] > arm ? 0 : a->leaves[i];
	a->last_kept = arm;
}

void
append_restore(struct appender *a, const struct appender *before)
{
	memcpy(a->consts, before->consts, sizeof a->consts);
	memcpy(a->leaves, before->leaves, sizeof a->leaves);
	a->last_kept = before->last_kept;
}

/* -- Control flow ---------------------------------------------------------------- */

static bool
grow_open(struct appender *a)
{
	uint32_t *open;

	if (a->n_open == 2 * MAX_NEST) {
		a->too_deep = true;
		return false;
	}
	open = arena_alloc(a->mem, 2 * a->cap_open * sizeof *open);
	if (!open) {
		a->nomem = true;
		return false;
	}
	memcpy(open, a->open, a->n_open * sizeof *open);
	a->open = open;
	a->cap_open *= 2;
	return true;
}

/* Returns whether a break can leave the construct: an if or a region cannot be left. */
static bool
is_target(const struct appender *a, uint32_t opener)
{
	enum op op = (enum op)a->ir->ins[opener].op;

	return op == OP_LOOP || op == OP_BLOCK || op == OP_GRID;
}

uint32_t
append_target(const struct appender *a, uint32_t levels)
{
	for (uint32_t d = a->n_open; d-- > 0;)
		if (is_target(a, a->open[d]) && --levels == 0)
			return a->open[d];
	return 0;
}

static uint32_t
append_break(struct appender *a, struct ins ins)
{
	uint64_t holds;

	/* A break that is always taken keeps its condition: code may follow it. */
	if (ins.a && append_is_const(a, ins.a, &holds) && !holds)
		return 0;
	if (!ins.x) {
		ins.x = append_target(a, ins.b);
	} else {
		ins.b = 0;
		for (uint32_t d = a->n_open; d-- > 0 && a->open[d] >= ins.x;)
			ins.b += is_target(a, a->open[d]);
	}
	assert(ins.x && ins.b);
	return append_value(a, ins);
}

/* Matches `if c { break }`, which becomes a conditional break. */
static bool
is_conditional_break(const struct appender *a, uint32_t opener)
{
	const struct ir *ir = a->ir;

	return ir->ins[opener].op == OP_IF && ir->n == opener + 2 &&
	       ir->ins[opener + 1].op == OP_BREAK && !ir->ins[opener + 1].a;
}

static uint32_t
append_end(struct appender *a, struct ins ins)
{
	uint32_t opener = a->open[a->n_open - 1], v;
	struct ins *all = a->ir->ins;

	if (is_conditional_break(a, opener)) {
		uint32_t cond = all[opener].a;

		all[opener] = all[opener + 1];
		all[opener].a = cond;
		a->ir->n--;
		a->n_open--;
		return 0;
	}
	forget(a, all[opener].x ? all[opener].x : opener);
	ins.x = opener;
	if (!(v = append_value(a, ins)))
		return 0;
	all = a->ir->ins;
	a->n_open--;
	if (opener == a->region)
		a->region = 0;
	if (all[opener].x)
		all[all[opener].x].x = v; /* of the else */
	else
		all[opener].x = v;
	return v;
}

static uint32_t
append_flow(struct appender *a, struct ins ins)
{
	uint32_t v;

	if (QD_UNLIKELY(a->nomem || a->too_deep))
		return 0;
	switch ((enum flow_kind)op_flow[ins.op]) {
	case FLOW_JUMP: return append_break(a, ins);
	case FLOW_CLOSE: assert(a->n_open); return append_end(a, ins);
	case FLOW_ELSE:
		ins.x = 0;
		if ((v = append_value(a, ins))) {
			struct ins *opener = &a->ir->ins[a->open[a->n_open - 1]];
			assert(opener->op == OP_IF && !opener->x);
			forget(a, a->open[a->n_open - 1]);
			opener->x = v;
		}
		return v;
	default: break;
	}
	ins.x = 0;
	if (QD_UNLIKELY(a->n_open == a->cap_open) && !grow_open(a))
		return 0;
	if ((v = append_value(a, ins))) {
		a->open[a->n_open++] = v;
		if (ins.op == OP_REGION)
			a->region = v;
	}
	return v;
}

/* -- Values ------------------------------------------------------------------------- */

uint32_t
append_marked(struct appender *a, qd_type type, uint64_t bits, uint32_t attr)
{
	struct ins ins = { .op = OP_CONST,
			   .type = (uint8_t)type,
			   .attr = (uint16_t)attr,
			   .a = (uint32_t)bits,
			   .b = (uint32_t)(bits >> 32) };
	uint32_t *slot = &a->consts[(ins.a + ins.b + ins.a / 16 + type * 5) % QD_COUNT(a->consts)];

	if (QD_UNLIKELY(a->region))
		return append_value(a, ins);
	if (*slot) {
		const struct ins *old = &a->ir->ins[*slot];
		if (old->a == ins.a && old->b == ins.b && old->type == type && old->attr == ins.attr)
			return *slot;
	}
	return keep(a, slot, append_value(a, ins));
}

uint32_t
append_const(struct appender *a, qd_type type, uint64_t bits)
{
	return append_marked(a, type, bits, 0);
}

uint32_t
append_folded(struct appender *a, qd_type type, uint64_t bits)
{
	return append_marked(a, type, bits, a->marks ? ATTR_FOLDED : 0);
}

/* Returns the leaf, which has the same value everywhere in the body. */
static uint32_t
append_leaf(struct appender *a, const struct ins *ins)
{
	uint32_t *slot = &a->leaves[(ins->op * 5u + ins->x) % QD_COUNT(a->leaves)];

	if (*slot) {
		const struct ins *old = &a->ir->ins[*slot];
		if (old->op == ins->op && old->x == ins->x && old->type == ins->type &&
		    old->attr == ins->attr)
			return *slot;
	}
	return keep(a, slot, append_value(a, *ins));
}

/* Folds a memory access whose condition is constant. */
static uint32_t
append_access(struct appender *a, struct ins *ins, const struct sig_info *sig)
{
	uint64_t holds;
	int p = sig->where;

	if (p < 0 || !ins->arg[p] || !append_is_const(a, ins->arg[p], &holds))
		return append_value(a, *ins);
	if (holds)
		ins->arg[p] = 0;
	if (holds || sig->n_results > 1) /* RESULT instructions refer to it */
		return append_value(a, *ins);
	if (!sig->n_results)
		return 0;
	/* A skipped load returns its alternative value, or 0. */
	if (sig->opnd[1] == (OPND_MAY | OPND_ELEM) && ins->b)
		return ins->b;
	return append_folded(a, (qd_type)ins->type, 0);
}

uint32_t
append(struct appender *a, struct ins ins)
{
	const struct op_info *info = &op_info[ins.op];
	const struct sig_info *sig = &sig_info[info->sig];
	uint64_t k;
	uint32_t v;

	if (QD_LIKELY(info->is_alu)) {
		v = simplify(a, &ins);
		return v ? v : append_value(a, ins);
	}
	if (ins.op == OP_CONST)
		return append_marked(a, (qd_type)ins.type, const_bits(&ins),
				     a->marks ? ins.attr : 0);
	if (sig->flow)
		return append_flow(a, ins);
	if (sig->x == X_MEMORY)
		return append_access(a, &ins, sig);
	if (!sig->n_opnd && sig->n_results == 1)
		return append_leaf(a, &ins);
	/* A tile of one lane. */
	if (info->sig == SIG_LANE_K && ins.b && append_is_const(a, ins.b, &k) && k == 0) {
		qd_type t = (qd_type)ins.type;
		enum op combine = (enum op)info->combine;
		return info->expand == EXPAND_exclusive
			       ? append_folded(a, t, ir_identity_bits(combine, t))
			       : ins.a;
	}
	return append_value(a, ins);
}

uint32_t
append_raw(struct appender *a, struct ins ins)
{
	return op_flow[ins.op] ? append_flow(a, ins) : append_value(a, ins);
}
