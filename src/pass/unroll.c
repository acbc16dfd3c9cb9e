/* Replaces loops of few iterations by copies of their bodies.
 *
 * The number of iterations must follow from a counter: a variable that is a constant before the
 * loop and that one store of the body advances. The test is the first jump out of the loop in its
 * own instruction list. Test and advance are computed from the counter and constants until the
 * test holds. Neither depends on a thread, so every thread that enters an iteration makes the same
 * copy, and operations that involve other lanes may be copied. Other jumps out of the loop leave a
 * block around the copies; the threads that they exclude stay inactive to its end.
 *
 * A copy ends at the END of the loop, the last one at the test. The counter remains a variable,
 * which pass_values replaces by constants. Inner loops are decided first. The copies of a loop have
 * at most pass_ctx.unroll weighted instructions, and a body grows by a multiple of that.
 *
 * UNROLL_PART precedes a short loop that reads memory by one with several copies of the body and a
 * single test, `last <= counter`, where `last` is the limit less the steps of all copies but one. It
 * saturates, so no value wraps. The loop itself remains for the last iterations. Its body must be
 * free of loops, jumps and operations that involve other threads. A loop that moves the values of
 * variables to other variables gets as many copies as the longest chain of moves has variables: then
 * each variable has its own value again, and pass_values removes the moves. */
#include "rewrite.h"

#include <assert.h>

/* A test compiles this file with each rule disabled in turn and must detect it. */
#ifndef UNROLL_RULE
#define UNROLL_RULE(name) true
#endif

enum {
	MAX_ROUNDS = 64,
	DEPTH = 4,	   /* operations between the counter and the test, or the next counter */
	GROUP_WEIGHT = 16, /* of an operation of a subgroup or block, which may be expanded */
	LEFT_PART = 8,	   /* of the budget, for a loop that other jumps leave: its copies do not end
			    * early */
	GROWTH = 4,	   /* of a body, in budgets */
	MANY = 4, FEW = 2, /* copies of a loop that remains */
	PART = 96,	   /* weight of these copies */
	MAX_CHAIN = 16,	   /* variables in a chain of moves */
	MOVES_PART = 8,	   /* of the weight of a loop, for the moves that make copies worthwhile */
	MAX_STEP = 1 << 16
};

struct note {
	uint32_t home;	 /* of a jump, variable, store, construct: the arm that contains it */
	uint32_t link;	 /* of a variable, its last store; of a store, the one before it; of a
			  * loop, its test */
	uint32_t copies; /* of a loop: complete iterations, plus 1; 0: the loop remains */
	uint32_t parts;	 /* of a loop that remains: copies of its body before it; or 0 */
	uint32_t step;	 /* of that: the store to its counter */
	uint32_t from;	 /* of a variable: the one whose value its last store moves to it; or 0 */
	uint32_t moves;	 /* of a loop: its last store that is a move; of that, the one before it */
	bool left;	 /* of a loop: by other jumps too */
};

/* An open construct, or the body. */
struct open {
	uint32_t at, arm;    /* the opener; the opener or the else */
	uint32_t cost, head; /* weight so far, and before the test */
	uint32_t n_moves;
	bool ends;	     /* a jump that is always taken is in its own list */
	bool reads;	     /* it reads memory */
	bool joins;	     /* it has loops, jumps other than its test, or operations that involve other
			      * threads */
	bool acts, acts_first; /* it has effects; before its test */
};

/* A loop of which copies are being appended. */
struct copy {
	uint32_t loop, left; /* complete iterations that remain */
	bool part;
};

struct unroller {
	struct rw w;
	struct note *note; /* by instruction */
	struct open *open;
	struct copy *copies;
	uint32_t n_open, cap_open, n_copies, budget;
	uint64_t grown;
	bool part; /* UNROLL_PART */
	bool used;
};

/* -- The number of iterations ---------------------------------------------------------- */

/* The counter of a loop, in one iteration. */
struct counter {
	const struct ir *in;
	uint32_t loop, var, set;
	uint64_t now, next; /* before and after the store */
	bool known;	    /* every value so far */
};

/* Returns the bits of value v in this iteration; clears c->known if it depends on anything but the
 * counter. */
static uint64_t
value_of(struct counter *c, uint32_t v, uint32_t depth)
{
	const struct ins *s = &c->in->ins[v];
	const struct op_info *info = &op_info[s->op];
	uint64_t arg[3] = { 0 };

	if (s->op == OP_CONST)
		return const_bits(s);
	if (s->op == OP_GET && s->a == c->var && v > c->loop)
		return v < c->set ? c->now : c->next;
	c->known = c->known && info->is_alu && !info->is_approx && depth;
	for (uint32_t j = 0, n = op_sig((enum op)s->op)->n_opnd; c->known && j < n; j++)
		arg[j] = value_of(c, s->arg[j], depth - 1);
	return c->known ? ir_eval((enum op)s->op, ir_lead_type(c->in, s), (qd_type)s->type, arg[0],
				  arg[1], arg[2])
			: 0;
}

/* Returns the variable that a value of the loop reads first; 0: none. */
static uint32_t
variable_of(const struct ir *in, uint32_t v, uint32_t depth)
{
	const struct ins *s = &in->ins[v];
	uint32_t var = 0;

	if (s->op == OP_GET)
		return s->a;
	if (!op_info[s->op].is_alu || !depth)
		return 0;
	for (uint32_t j = 0; !var && j < op_sig((enum op)s->op)->n_opnd; j++)
		var = variable_of(in, s->arg[j], depth - 1);
	return var;
}

/* Finds the counter that the test reads, with the only store of the loop to it. Sets *first to its
 * store or variable before the loop. */
static bool
find_counter(const struct unroller *u, uint32_t loop, struct counter *c, uint32_t *first)
{
	const struct ins *ins = u->w.in->ins;
	const struct note *note = u->note;
	uint32_t var = variable_of(u->w.in, ins[note[loop].link].a, DEPTH), set;

	if (!var || var > loop || !type_is((qd_type)ins[var].type, TM_INT))
		return false;
	set = note[var].link;
	*first = set && note[set].link ? note[set].link : var;
	*c = (struct counter){ .in = u->w.in, .loop = loop, .var = var, .set = set, .known = true };
	return set > loop && (note[set].home == loop || !UNROLL_RULE(HOME)) &&
	       (*first < loop || !UNROLL_RULE(ONE_SET));
}

/* Sets c->now to the value of the counter before the loop. */
static bool
find_first(const struct unroller *u, struct counter *c, uint32_t first)
{
	const struct ins *ins = u->w.in->ins;
	const uint32_t v = first == c->var ? ins[first].a : ins[first].b;

	c->now = const_bits(&ins[v]);
	return ins[v].op == OP_CONST &&
	       (u->note[first].home == u->note[c->loop].home || !UNROLL_RULE(FIRST));
}

/* Counts the complete iterations of a loop. Returns false if their number is unknown or large. */
static bool
count_rounds(const struct unroller *u, uint32_t loop, uint32_t *rounds)
{
	const struct ins *ins = u->w.in->ins;
	const uint32_t test = ins[u->note[loop].link].a;
	struct counter c;
	uint32_t first;

	if (!find_counter(u, loop, &c, &first) || !find_first(u, &c, first))
		return false;
	for (*rounds = 0; *rounds <= MAX_ROUNDS; ++*rounds) {
		c.next = value_of(&c, ins[c.set].b, DEPTH);
		if (value_of(&c, test, DEPTH) & c.known)
			return true;
		if (!c.known)
			return false;
		c.now = c.next;
	}
	return false;
}

/* -- Loops that remain ------------------------------------------------------------------- */

/* Returns the store that adds the step to the counter of a loop with the test `limit <= counter`
 * before it; 0: there is none. */
static uint32_t
step_of(const struct unroller *u, uint32_t loop)
{
	const struct ins *ins = u->w.in->ins, *test, *now, *sum;
	struct counter c;
	uint32_t first;

	if (!find_counter(u, loop, &c, &first))
		return 0;
	test = &ins[ins[u->note[loop].link].a];
	now = &ins[test->b];
	sum = &ins[ins[c.set].b];
	if (test->op != OP_LE || now->op != OP_GET || now->a != c.var || test->b < loop ||
	    u->note[loop].link > c.set || sum->op != OP_ADD || ins[sum->b].op != OP_CONST ||
	    ins[sum->a].op != OP_GET || ins[sum->a].a != c.var || sum->a < loop ||
	    (ins[test->a].op != OP_CONST && test->a > loop) || const_bits(&ins[sum->b]) > MAX_STEP)
		return 0;
	return const_bits(&ins[sum->b]) ? c.set : 0;
}

/* Returns the number of variables in the longest chain of moves of a loop. */
static uint32_t
chain_of(const struct unroller *u, uint32_t loop)
{
	const struct note *note = u->note;
	uint32_t longest = 0;

	for (uint32_t set = note[loop].moves; set; set = note[set].moves) {
		const uint32_t first = u->w.in->ins[set].a;
		uint32_t n = 1;
		for (uint32_t var = note[first].from; var && var != first && n < MAX_CHAIN; var = note[var].from)
			n++;
		longest = n > longest ? n : longest;
	}
	return longest;
}

/* Returns the number of copies of a loop that moves variables; 0: it moves few. */
static uint32_t
rotations_of(struct unroller *u, const struct open *o)
{
	uint32_t copies = 1;
	uint64_t size;

	if (o->n_moves < 2 || o->n_moves * MOVES_PART < o->cost)
		return 0;
	for (const uint32_t chain = chain_of(u, o->at); copies < chain;)
		copies *= 2;
	size = (uint64_t)copies * o->cost;
	if (size > u->budget || u->grown + size > (uint64_t)GROWTH * u->budget)
		return 0;
	u->grown += size;
	return copies;
}

/* Returns the number of copies of a loop that remains. */
static uint32_t
parts_of(struct unroller *u, const struct open *o)
{
	struct note *note = &u->note[o->at];
	uint32_t rotations;

	if ((o->joins && UNROLL_RULE(JOINS)) || (o->acts_first && UNROLL_RULE(ACTS)) ||
	    !(note->step = step_of(u, o->at)))
		return 0;
	rotations = rotations_of(u, o);
	if (rotations || !o->reads)
		return rotations;
	return MANY * o->cost <= PART ? MANY : FEW * o->cost <= PART ? FEW : 0;
}

/* -- The loops to unroll ------------------------------------------------------------------ */

static struct open *
top_of(const struct unroller *u)
{
	return &u->open[u->n_open - 1];
}

static uint32_t
weight(const struct ins *s)
{
	const struct op_info *info = &op_info[s->op];

	if (s->op == OP_CONST || info->effect == EFFECT_LOCAL)
		return 0;
	return info->scope == SCOPE_LANE ? 1 : GROUP_WEIGHT;
}

/* Decides on a loop at its end. Returns the weight of what replaces it. */
static uint64_t
decide(struct unroller *u, const struct open *o)
{
	struct note *note = &u->note[o->at];
	uint32_t rounds;
	uint64_t size;

	if (u->w.in->ins[o->at].op != OP_LOOP || !note->link)
		return o->cost;
	if (u->part) {
		note->parts = parts_of(u, o);
		u->used = u->used || note->parts;
		return o->cost;
	}
	if ((o->ends && UNROLL_RULE(ENDS)) || !count_rounds(u, o->at, &rounds))
		return o->cost;
	size = (uint64_t)rounds * o->cost + o->head;
	if (size > (note->left ? u->budget / LEFT_PART : u->budget) || u->grown + size > (uint64_t)GROWTH * u->budget)
		return o->cost;
	u->grown += size;
	u->used = true;
	note->copies = rounds + 1;
	return size;
}

static void
push_open(struct unroller *u, uint32_t i)
{
	struct open *open = u->open;

	if (u->n_open == u->cap_open) {
		open = arena_alloc(u->w.p->mem, 2 * u->cap_open * sizeof *open);
		if (!open) {
			u->w.o.nomem = true;
			return;
		}
		memcpy(open, u->open, u->n_open * sizeof *open);
		u->open = open;
		u->cap_open *= 2;
	}
	open[u->n_open++] = (struct open){ .at = i, .arm = i };
}

static void
note_jump(struct unroller *u, uint32_t i)
{
	const struct ins *s = &u->w.in->ins[i];
	struct open *o = top_of(u);

	if (o->arm == s->x && !u->note[s->x].link && s->a) {
		u->note[s->x].link = i;
		o->head = o->cost;
		o->acts_first = o->acts;
		return;
	}
	u->note[s->x].left = o->joins = true;
	o->ends = o->ends || !s->a;
}

/* Closes the innermost construct. Its properties become those of the one around it. */
static void
close_open(struct unroller *u)
{
	const struct open o = *top_of(u);
	uint64_t size = decide(u, &o);
	struct open *up = &u->open[--u->n_open - 1];

	size += up->cost;
	up->cost = size < UINT32_MAX / 2 ? (uint32_t)size : UINT32_MAX / 2;
	up->reads |= o.reads;
	up->acts |= o.acts;
	up->joins |= o.joins || u->w.in->ins[o.at].op == OP_LOOP;
}

/* Records a store, and whether it moves the value of another variable. */
static void
note_set(struct unroller *u, uint32_t i)
{
	const struct ins *ins = u->w.in->ins, *s = &ins[i];
	struct note *var = &u->note[s->a], *loop = &u->note[top_of(u)->at];

	u->note[i].link = var->link;
	var->link = i;
	var->from = ins[s->b].op == OP_GET && ins[s->b].a != s->a ? ins[s->b].a : 0;
	if (!var->from)
		return;
	u->note[i].moves = loop->moves;
	loop->moves = i;
	top_of(u)->n_moves++;
}

static void
note_flow(struct unroller *u, uint32_t i)
{
	switch ((enum flow_kind)op_flow[u->w.in->ins[i].op]) {
	case FLOW_OPEN: push_open(u, i); break;
	case FLOW_ELSE: top_of(u)->arm = i; break;
	case FLOW_JUMP: note_jump(u, i); break;
	case FLOW_CLOSE: close_open(u); break;
	case FLOW_NONE: break;
	}
}

static void
note_effect(struct open *o, const struct ins *s)
{
	const struct op_info *info = &op_info[s->op];
	const enum effect effect = (enum effect)info->effect;

	o->reads |= effect == EFFECT_READ;
	o->acts |= effect != EFFECT_NONE && effect != EFFECT_FLOW && s->op != OP_GET;
	o->joins |= info->scope != SCOPE_LANE || (effect > EFFECT_WRITE && effect != EFFECT_FLOW);
}

static void
find_loops(struct unroller *u)
{
	const struct ir *in = u->w.in;

	for (uint32_t i = 1; i < in->n && !u->w.o.nomem; i++) {
		const struct ins *s = &in->ins[i];

		u->note[i].home = top_of(u)->arm;
		top_of(u)->cost += weight(s);
		if (!op_info[s->op].is_alu)
			note_effect(top_of(u), s);
		if (s->op == OP_SET)
			note_set(u, i);
		else if (op_flow[s->op])
			note_flow(u, i);
	}
}

/* -- The copies ------------------------------------------------------------------------------ */

/* Begins a loop of several copies, with a single test. */
static void
begin_parts(struct unroller *u, uint32_t loop)
{
	struct rw *w = &u->w;
	struct note *note = &u->note[loop];
	const struct ins *ins = w->in->ins, *set = &ins[note->step];
	const uint64_t steps = const_bits(&ins[ins[set->b].b]) * (note->parts - 1);
	uint32_t limit = ins[ins[note->link].a].a, first, last, now;
	const struct ins *bound = &ins[limit];
	const qd_type t = (qd_type)bound->type;
	const uint64_t least = type_info[t].is_signed ? UINT64_C(1) << (type_bits(t) - 1) : 0;

	w->o.pos = w->in->pos[loop];
	limit = limit > loop ? rw_const(w, t, const_bits(bound)) : w->map[limit];
	first = rw_const(w, t, least + steps);
	last = rw_bin(w, OP_MAX, limit, first);
	last = rw_bin(w, OP_SUB, last, rw_const(w, t, steps));
	w->map[loop] = rw_ins(w, (struct ins){ .op = OP_LOOP, .attr = ATTR_UNROLLED });
	now = rw_get(w, w->map[set->a]);
	rw_break(w, w->map[loop], rw_cmp(w, OP_LE, last, now));
	u->copies[u->n_copies++] = (struct copy){ loop, note->parts, true };
	note->parts = 0;
}

/* Begins the copies of a loop, in a block if other jumps leave it. */
static void
begin_copies(struct unroller *u, uint32_t loop)
{
	struct rw *w = &u->w;
	const struct note *note = &u->note[loop];

	w->o.pos = w->in->pos[loop];
	w->map[loop] = note->left ? rw_open(w, OP_BLOCK, 0) : 0;
	u->copies[u->n_copies++] = (struct copy){ loop, note->copies - 1, false };
}

/* Ends the copies of the innermost loop, at its test. Returns the next instruction to visit. */
static uint32_t
end_copies(struct unroller *u)
{
	const uint32_t loop = u->copies[--u->n_copies].loop, end = u->w.in->ins[loop].x;

	u->w.o.pos = u->w.in->pos[end];
	if (u->w.map[loop])
		rw_close(&u->w);
	return end + 1;
}

/* Ends a copy at the end of the loop. Returns the next instruction to visit. */
static uint32_t
next_copy(struct unroller *u, struct copy *c)
{
	assert(c->left);
	if (--c->left || !c->part)
		return c->loop + 1;
	rw_close(&u->w);
	u->n_copies--;
	rw_copy(&u->w, c->loop);
	u->w.o.ir->ins[u->w.map[c->loop]].attr |= ATTR_UNROLLED;
	return c->loop + 1;
}

/* Returns the next instruction to visit. */
static uint32_t
control(struct unroller *u, uint32_t i)
{
	const struct ins *s = &u->w.in->ins[i];
	struct copy *c = u->n_copies ? &u->copies[u->n_copies - 1] : NULL;

	if (s->op == OP_LOOP && u->note[i].copies) {
		begin_copies(u, i);
		return i + 1;
	}
	if (s->op == OP_LOOP && u->note[i].parts) {
		begin_parts(u, i);
		return i + 1;
	}
	if (c && i == u->note[c->loop].link)
		return c->left ? i + 1 : end_copies(u);
	if (c && s->op == OP_END && s->x == c->loop)
		return next_copy(u, c);
	rw_copy(&u->w, i);
	return i + 1;
}

static bool
begin(struct unroller *u)
{
	struct arena *mem = u->w.p->mem;

	u->cap_open = 16;
	u->note = arena_zalloc(mem, u->w.in->n * sizeof *u->note);
	u->open = arena_alloc(mem, u->cap_open * sizeof *u->open);
	if (!u->note || !u->open)
		return false;
	u->open[0] = (struct open){ .at = 0 };
	u->n_open = 1;
	find_loops(u);
	return !u->w.o.nomem;
}

qd_status
pass_unroll(struct pass_ctx *p, const struct ir *in, enum unroll kind, struct ir *out, bool *used)
{
	struct unroller u = { .budget = p->unroll, .part = kind == UNROLL_PART, .w = { .p = p, .in = in } };

	*used = false;
	if (!begin(&u))
		return qd_fail(p->err, QD_E_NOMEM, "kernel '%s': out of memory", p->k->name);
	if (!u.used)
		return QD_OK;
	*used = true;
	QD_TRY(rw_begin(&u.w, p, in, out));
	u.copies = arena_alloc(p->mem, 2 * MAX_NEST * sizeof *u.copies);
	if (!u.copies)
		u.w.o.nomem = true;
	for (uint32_t i = 1; i < in->n && !u.w.o.nomem;) {
		if (QD_LIKELY(op_info[in->ins[i].op].is_alu))
			rw_copy_alu(&u.w, i++);
		else if (op_flow[in->ins[i].op])
			i = control(&u, i);
		else
			rw_copy(&u.w, i++);
	}
	return rw_end(&u.w);
}
