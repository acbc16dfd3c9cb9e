/* Classifies the jumps of each construct of a legal body, for lower_jumps.c. */
#include "lower_jumps.h"

enum { MAX_TAIL = 16 /* jumps of a block that each nest its rest */ };

struct open {
	uint32_t at;
	uint32_t tail_of; /* the block whose end this instruction list falls through to, or 0 */
	uint32_t segment; /* the segment around the construct */
	bool in_else, at_head;
};

struct walk {
	struct jumps *e;
	const struct ins *ins;
	struct open *open; /* open[0]: the body itself */
	uint32_t n_open;
	uint32_t *n_tail; /* by block: jumps at its tail so far */
};

/* Returns whether s may precede a loop's test: it has no effect that is visible outside the
 * round. */
static bool
is_quiet(const struct ins *s)
{
	return op_info[s->op].effect <= EFFECT_READ && s->op != OP_SET && s->op != OP_VAR;
}

/* -- Need for the pass ------------------------------------------------------------------ */

bool
lower_jumps_needed(const struct ir *in)
{
	uint32_t head = 0; /* a loop of which only quiet instructions were visited yet */

	if (!(in->has & (HAS_LOOP | HAS_JUMP)))
		return false;
	for (uint32_t i = 1; i < in->n; i++) {
		const struct ins *s = &in->ins[i];

		if (is_quiet(s))
			continue;
		if (s->op == OP_BLOCK)
			return true;
		if (s->op == OP_BREAK && (s->x != head || !s->a || s->b != 1))
			return true;
		if (head && s->op != OP_BREAK)
			return true;
		head = s->op == OP_LOOP ? i : 0;
	}
	return false;
}

/* -- Targets ---------------------------------------------------------------------------------- */

/* Returns the block whose end a thread reaches from the end of construct `at`, through ends of
 * ifs only; 0 if other code is between. */
static uint32_t
falls_to(const struct ir *in, uint32_t at)
{
	uint32_t i = ir_end_of(in, at) + 1;

	while (i < in->n) {
		const struct ins *s = &in->ins[i];

		if (s->op == OP_ELSE) {
			i = s->x + 1;
		} else if (s->op == OP_END) {
			if (in->ins[s->x].op != OP_IF)
				return in->ins[s->x].op == OP_BLOCK ? s->x : 0;
			i++;
		} else {
			return 0;
		}
	}
	return 0;
}

/* Returns the innermost construct with the same exit as `target`: a block at the very end of the
 * target. */
static uint32_t
nearest_target(const struct walk *w, uint32_t target)
{
	uint32_t d = w->n_open;

	for (uint32_t at = 1; at < d; at++) {
		uint32_t block = w->open[at].at;

		if (block > target && w->ins[block].op == OP_BLOCK &&
		    falls_to(w->e->in, block) == target)
			target = block;
	}
	return target;
}

/* -- Forms ------------------------------------------------------------------------------------ */

/* Returns whether i is the last instruction of its list. */
static bool
is_last(const struct ir *in, uint32_t i)
{
	return i + 1 == in->n || in->ins[i + 1].op == OP_END || in->ins[i + 1].op == OP_ELSE;
}

/* Returns whether this jump out of block t can be lowered at the block's tail. Marks the if
 * around it. */
static bool
is_tail_jump(struct walk *w, uint32_t i, uint32_t t)
{
	const struct open *o = &w->open[w->n_open - 1];
	const struct ins *s = &w->ins[i];

	if (w->ins[t].op != OP_BLOCK || w->e->crossed[t])
		return false;
	if (o->tail_of == t)
		return !s->a || ++w->n_tail[t] <= MAX_TAIL;
	/* The jump ends the first arm of an if in the tail: the rest becomes the second arm. */
	if (s->a || w->ins[o->at].op != OP_IF || o->in_else || w->n_open < 2 ||
	    o[-1].tail_of != t || !is_last(w->e->in, i))
		return false;
	w->e->rest_in_else[o->at] = 1;
	return ++w->n_tail[t] <= MAX_TAIL;
}

static void
flag(struct jumps *e, uint32_t construct)
{
	if (e->form[construct] == EXIT_FLAG)
		return;
	e->form[construct] = EXIT_FLAG;
	e->number[construct] = ++e->n_flagged;
}

static void
visit_break(struct walk *w, uint32_t i)
{
	struct jumps *e = w->e;
	const struct ins *s = &w->ins[i];
	struct open *o = &w->open[w->n_open - 1];
	uint32_t t = e->target[i] = nearest_target(w, s->x);

	/* Constructs between the jump and its target: a loop needs its test, a block has no tail
	 * lowering any more. */
	for (uint32_t d = w->n_open; w->open[--d].at != t;) {
		uint32_t at = w->open[d].at;

		if (w->ins[at].op == OP_LOOP || (w->ins[at].op == OP_BLOCK && e->form[at]))
			flag(e, at);
		else if (w->ins[at].op == OP_BLOCK)
			e->crossed[at] = 1;
	}
	if (o->at == t && w->ins[t].op == OP_LOOP && o->at_head && s->a && !e->form[t] &&
	    !e->limited)
		e->form[t] = EXIT_HEAD;
	else if (e->form[t] != EXIT_FLAG && is_tail_jump(w, i, t))
		e->form[t] = EXIT_TAIL;
	else
		flag(e, t);
}

static void
open_construct(struct walk *w, uint32_t i)
{
	const struct open *around = &w->open[w->n_open - 1];
	enum op op = (enum op)w->ins[i].op;
	uint32_t tail_of = op == OP_BLOCK ? i : 0;

	if (op == OP_IF && around->tail_of && is_last(w->e->in, ir_end_of(w->e->in, i)))
		tail_of = around->tail_of;
	w->open[w->n_open++] =
		(struct open){ .at = i, .tail_of = tail_of, .at_head = op == OP_LOOP };
}

static void
find_forms(struct walk *w)
{
	struct jumps *e = w->e;
	const struct ir *in = e->in;

	for (uint32_t i = 1; i < in->n; i++) {
		const struct ins *s = &in->ins[i];
		struct open *o = &w->open[w->n_open - 1];

		if (is_quiet(s))
			continue;
		switch ((enum flow_kind)op_flow[s->op]) {
		case FLOW_OPEN: open_construct(w, i); break;
		case FLOW_ELSE: o->in_else = true; break;
		case FLOW_JUMP: visit_break(w, i); break;
		case FLOW_CLOSE:
			w->n_open--;
			/* A loop without jumps gets a test too, which never fires. */
			if (in->ins[s->x].op == OP_LOOP && !e->form[s->x])
				flag(e, s->x);
			break;
		case FLOW_NONE: break;
		}
		o->at_head = false;
	}
}

/* Recomputes `crossed` and rest_in_else when all flagged constructs are known. A jump to a
 * flagged construct sets the state, crosses the constructs between, and forbids rest_in_else for
 * them. */
static void
settle(struct walk *w)
{
	struct jumps *e = w->e;
	const struct ir *in = e->in;

	memset(e->crossed, 0, in->n);
	for (uint32_t i = 1; i < in->n; i++) {
		const struct ins *s = &in->ins[i];

		if (op_flow[s->op] == FLOW_OPEN)
			w->open[w->n_open++].at = i;
		else if (op_flow[s->op] == FLOW_CLOSE)
			w->n_open--;
		if (s->op != OP_BREAK || e->form[e->target[i]] != EXIT_FLAG)
			continue;
		for (uint32_t d = w->n_open; w->open[--d].at != e->target[i];) {
			e->crossed[w->open[d].at] = 1;
			e->rest_in_else[w->open[d].at] = 0;
		}
	}
}

/* -- Segments ------------------------------------------------------------------------------------ */

/* Returns whether the state may be set after i, in its instruction list. */
static bool
may_leave(const struct jumps *e, uint32_t i)
{
	const struct ins *s = &e->in->ins[i];

	if (s->op == OP_BREAK)
		return e->form[e->target[i]] == EXIT_FLAG;
	if (s->op != OP_END)
		return false;
	return e->crossed[s->x];
}

/* Numbers the segments and finds the values that are used outside their segment. */
static void
find_segments(struct walk *w)
{
	struct jumps *e = w->e;
	const struct ir *in = e->in;
	uint32_t now = 0, n = 0, outer;

	for (uint32_t i = 1; i < in->n; i++) {
		const struct ins *s = &in->ins[i];

		if (op_flow[s->op] == FLOW_CLOSE || op_flow[s->op] == FLOW_ELSE) {
			outer = w->open[w->n_open - 1].segment;
			for (; now != outer; now = e->parent[now])
				e->is_open[now] = 0;
			w->n_open -= op_flow[s->op] == FLOW_CLOSE;
		} else if (e->begins[i]) {
			/* The previous segment of this list, if any, ends. */
			outer = w->open[w->n_open - 1].segment;
			for (; now != outer; now = e->parent[now])
				e->is_open[now] = 0;
			e->parent[++n] = now;
			e->is_open[now = n] = 1;
		}
		for (uint32_t values = op_values[s->op], j = 0; values; values >>= 1, j++) {
			uint32_t v = s->arg[j];

			if ((values & 1) && v && e->segment[v] && !e->is_open[e->segment[v]] &&
			    !e->spill[v] && in->ins[v].op != OP_CONST) {
				e->spill[v] = 1;
				e->n_spilled++;
			}
		}
		e->segment[i] = now;
		if (op_flow[s->op] == FLOW_OPEN) {
			w->open[w->n_open++] = (struct open){ .at = i, .segment = now };
		} else if (may_leave(e, i) && !is_last(in, i)) {
			e->begins[i + 1] = 1;
		}
	}
	memset(e->is_open, 0, n + 1);
}

/* -- Entry point ---------------------------------------------------------------------------------- */

static uint32_t
deepest(const struct ir *in)
{
	uint32_t depth = 0, most = 0;

	for (uint32_t i = 1; i < in->n; i++) {
		depth += op_flow[in->ins[i].op] == FLOW_OPEN;
		depth -= op_flow[in->ins[i].op] == FLOW_CLOSE;
		most = depth > most ? depth : most;
	}
	return most;
}

qd_status
lower_jumps_find(struct jumps *e)
{
	struct arena *mem = e->p->mem;
	uint32_t n = e->in->n;
	struct walk w = { .e = e, .ins = e->in->ins };

	e->depth = deepest(e->in);
	w.open = arena_zalloc(mem, (e->depth + 1) * sizeof *w.open);
	w.n_tail = arena_zalloc(mem, n * sizeof *w.n_tail);
	e->form = arena_zalloc(mem, n);
	e->crossed = arena_zalloc(mem, n);
	e->rest_in_else = arena_zalloc(mem, n);
	e->number = arena_zalloc(mem, n * sizeof *e->number);
	e->target = arena_zalloc(mem, n * sizeof *e->target);
	if (!w.open || !w.n_tail || !e->form || !e->crossed || !e->rest_in_else || !e->number ||
	    !e->target)
		goto nomem;
	w.n_open = 1;
	find_forms(&w);
	if (!e->n_flagged)
		return QD_OK;
	w.n_open = 1;
	settle(&w);
	e->segment = arena_zalloc(mem, n * sizeof *e->segment);
	e->parent = arena_zalloc(mem, n * sizeof *e->parent);
	e->is_open = arena_zalloc(mem, n);
	e->begins = arena_zalloc(mem, n + 1);
	e->spill = arena_zalloc(mem, n);
	if (!e->segment || !e->parent || !e->is_open || !e->begins || !e->spill)
		goto nomem;
	w.n_open = 1;
	w.open[0].segment = 0;
	find_segments(&w);
	return QD_OK;
nomem:
	return qd_fail(e->p->err, QD_E_NOMEM, "kernel '%s': out of memory", e->p->k->name);
}
