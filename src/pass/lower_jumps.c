/* Lowers jumps to conditions, for machines that leave a loop only by a test at its head and never
 * leave a block. Input and output are legal bodies. The pass adds not of a bool, eq and ne of
 * u32, and select, which such a machine must have.
 *
 * For drivers that end loops after LOOP_LIMIT iterations (CAP_LOOP_LIMIT) every loop is flagged:
 * after the loop, the state variable shows whether the thread has left it.
 *
 * A loop whose only exit is the test at its head is unchanged. A block whose jumps are all at
 * its tail needs no state: after `break` if c, the rest runs under !c; after an `if` whose arm
 * ends in the jump, the rest becomes the other arm. Any other construct is flagged. The state
 * variable holds the number of the construct that a thread is leaving, or 0. After each point
 * that may set it, the rest of the instruction list becomes a segment, an `if` on state == 0.
 * Segments follow each other and do not nest. A value that another segment uses goes through a
 * variable.
 *
 * Two walks analyze the body, a third writes it. */
#include "lower_jumps.h"

#include <assert.h>

/* -- Writing ------------------------------------------------------------------------ */

/* An open construct of the input. */
struct frame {
	uint32_t at;
	uint32_t n_wraps; /* open ifs around the rest of its instruction list */
	bool in_segment;
};

struct writer {
	struct rw w;
	struct jumps *e;
	uint32_t state;	   /* the state variable; 0 if nothing is flagged */
	uint32_t ended;	   /* variable: position of the first loop that the driver ended; 0:
			    * not tracked */
	uint32_t *spilled; /* by value of the input: the variable that carries it between
			    * segments */
	struct frame *open; /* open[0]: the body itself */
	uint32_t n_open;
};

static uint32_t
raw(struct rw *w, enum op op, qd_type t, uint32_t a, uint32_t b, uint32_t c)
{
	struct ins ins = { .op = (uint8_t)op, .type = (uint8_t)t, .attr = ATTR_RAW,
			   .a = a, .b = b, .c = c };
	uint32_t v = simplify(&w->o, &ins);

	return v ? v : append_raw(&w->o, ins);
}

/* Returns the negation of c. The negation of a comparison is another comparison, if the machine
 * has it. */
static uint32_t
not(struct rw *w, uint32_t c)
{
	struct ins ins = { .op = OP_NOT, .type = QD_TYPE_BOOL, .a = c };
	uint32_t v = simplify(&w->o, &ins);
	struct query q = { .op = (enum op)ins.op };

	if (v)
		return v;
	q.type = q.to = rw_type(w, ins.a);
	if (ins.op != OP_NOT && !w->p->m->native(w->p->m, &q))
		ins = (struct ins){ .op = OP_NOT, .type = QD_TYPE_BOOL, .a = c };
	ins.attr = ATTR_RAW;
	return append_raw(&w->o, ins);
}

static uint32_t
leaving(struct writer *x, enum op op, uint32_t which)
{
	struct rw *w = &x->w;

	uint32_t state = rw_get(w, x->state);

	return raw(w, op, QD_TYPE_BOOL, state, rw_const(w, QD_TYPE_U32, which), 0);
}

/* Returns the new value of `old` at the current point. A value of a closed segment is read from
 * its variable. */
static uint32_t
use(struct writer *x, uint32_t old)
{
	struct jumps *e = x->e;
	const struct ins *s = &x->w.in->ins[old];

	if (s->op == OP_CONST)
		return rw_const(&x->w, (qd_type)s->type, const_bits(s));
	if (QD_LIKELY(!x->spilled || !x->spilled[old]))
		return x->w.map[old];
	if (s->op == OP_VAR || e->is_open[e->segment[old]])
		return x->w.map[old];
	return rw_get(&x->w, x->spilled[old]);
}

static struct ins
draft(struct writer *x, uint32_t i)
{
	const struct ins *s = &x->w.in->ins[i];
	struct ins r = *s;

	x->w.o.pos = x->w.in->pos[i];
	for (uint32_t values = op_values[s->op], j = 0; values; values >>= 1, j++)
		if ((values & 1) && s->arg[j])
			r.arg[j] = use(x, s->arg[j]);
	return r;
}

static void
close_segment(struct writer *x)
{
	struct frame *f = &x->open[x->n_open - 1];

	if (!f->in_segment)
		return;
	rw_close(&x->w);
	f->in_segment = false;
}

static void
close_block(struct writer *x)
{
	struct frame *f = &x->open[x->n_open - 1];

	close_segment(x);
	for (; f->n_wraps; f->n_wraps--)
		rw_close(&x->w);
}

/* Opens the segment that begins at i, after an instruction that may set the state. */
static void
open_segment(struct writer *x, uint32_t i)
{
	const struct ins *before = &x->w.in->ins[i - 1];
	struct frame *f = &x->open[x->n_open - 1];
	uint32_t cond;

	x->w.o.pos = x->w.in->pos[i];
	if (before->op == OP_BREAK && !f->in_segment) {
		cond = not(&x->w, use(x, before->a));
	} else {
		close_segment(x);
		cond = leaving(x, OP_EQ, 0);
	}
	rw_open(&x->w, OP_IF, cond);
	f->in_segment = true;
}

static void
push_frame(struct writer *x, uint32_t at)
{
	x->open[x->n_open++] = (struct frame){ .at = at };
}

static void
write_break(struct writer *x, uint32_t i)
{
	struct rw *w = &x->w;
	const struct jumps *e = x->e;
	struct ins s = draft(x, i);
	uint32_t target = e->target[i], which = e->number[target];

	switch ((enum exit_form)e->form[target]) {
	case EXIT_HEAD: rw_break(w, w->map[target], s.a); return;
	case EXIT_TAIL:
		if (!s.a)
			return; /* the rest is empty, or is the other arm */
		rw_open(w, OP_IF, not(w, s.a));
		x->open[x->n_open - 1].n_wraps++;
		return;
	default: break;
	}
	which = rw_const(w, QD_TYPE_U32, which);
	if (s.a)
		which = raw(w, OP_SELECT, QD_TYPE_U32, s.a, which, rw_const(w, QD_TYPE_U32, 0));
	rw_set(w, x->state, which);
}

/* Records that the driver ended a loop. After the loop, a thread whose state is 0 has not left it,
 * so the driver ended it at its iteration limit. A compiler that assumes loops end only by their
 * tests would fold state != 0 here. OR with the argument block's zero word prevents that. */
static void
check_ended(struct writer *x, uint32_t loop)
{
	struct rw *w = &x->w;
	struct ins hidden = { .op = OP_OR, .type = QD_TYPE_U32, .attr = ATTR_RAW };
	uint32_t pos = w->in->pos[loop], zero = rw_const(w, QD_TYPE_U32, 0), cut, now;

	hidden.a = rw_get(w, x->state);
	hidden.b = append(&w->o, (struct ins){ .op = OP_ARGWORD, .type = QD_TYPE_U32,
					       .x = w->p->k->tail / 4 + TAIL_ZERO });
	cut = raw(w, OP_EQ, QD_TYPE_BOOL, append_raw(&w->o, hidden), zero, 0);
	now = rw_get(w, x->ended);
	cut = raw(w, OP_AND, QD_TYPE_BOOL, cut, raw(w, OP_EQ, QD_TYPE_BOOL, now, zero, 0), 0);
	pos = rw_const(w, QD_TYPE_U32, pos ? pos : NO_POS);
	rw_set(w, x->ended, raw(w, OP_SELECT, QD_TYPE_U32, cut, pos, now));
}

/* Reports, at the end of the kernel, the first loop that the driver ended, for each thread that
 * is not padding. */
static void
report_ended(struct writer *x)
{
	struct rw *w = &x->w;
	uint32_t pos = rw_get(w, x->ended), limit = rw_const(w, QD_TYPE_U32, LOOP_LIMIT);
	uint32_t any = raw(w, OP_NE, QD_TYPE_BOOL, pos, rw_const(w, QD_TYPE_U32, 0), 0), is_there;

	if (w->p->padded_block) {
		is_there = rw_ins(w, (struct ins){ .op = OP_THREAD_IDX, .type = QD_TYPE_U32 });
		is_there = raw(w, OP_LT, QD_TYPE_BOOL, is_there,
			       rw_const(w, QD_TYPE_U32, w->p->k->block_dim), 0);
		any = raw(w, OP_AND, QD_TYPE_BOOL, any, is_there, 0);
	}
	rw_report(w, any, REPORT_LOOP_ENDED, pos, &limit, 1);
}

/* Clears the state after a flagged construct in threads that left only this construct. */
static void
arrive(struct writer *x, uint32_t at)
{
	struct rw *w = &x->w;
	uint32_t zero = rw_const(w, QD_TYPE_U32, 0), now = zero;

	if (x->e->crossed[at]) {
		uint32_t here = leaving(x, OP_EQ, x->e->number[at]);
		now = raw(w, OP_SELECT, QD_TYPE_U32, here, zero, rw_get(w, x->state));
	}
	rw_set(w, x->state, now);
}

static void
write_end(struct writer *x, uint32_t i)
{
	struct rw *w = &x->w;
	uint32_t at = w->in->ins[i].x;
	const struct ins *opener = &w->in->ins[at];

	w->o.pos = w->in->pos[i];
	close_block(x);
	x->n_open--;
	if (opener->op == OP_IF && x->e->rest_in_else[at]) {
		if (w->in->ins[opener->x].op != OP_ELSE)
			rw_op(w, OP_ELSE, QD_TYPE_NONE, 0, 0, 0);
		x->open[x->n_open - 1].n_wraps++;
		return;
	}
	if (opener->op != OP_BLOCK)
		rw_close(w);
	if (opener->op == OP_LOOP && x->ended)
		check_ended(x, at);
	if (opener->op != OP_IF && x->e->form[at] == EXIT_FLAG)
		arrive(x, at);
}

static void
write_flow(struct writer *x, uint32_t i)
{
	struct rw *w = &x->w;
	struct ins s;

	switch ((enum flow_kind)op_flow[w->in->ins[i].op]) {
	case FLOW_OPEN:
		s = draft(x, i);
		if (s.op != OP_BLOCK)
			w->map[i] = append(&w->o, s);
		push_frame(x, i);
		if (s.op == OP_LOOP && x->e->form[i] == EXIT_FLAG)
			rw_break(w, w->map[i], leaving(x, OP_NE, 0));
		break;
	case FLOW_ELSE:
		close_block(x);
		rw_op(w, OP_ELSE, QD_TYPE_NONE, 0, 0, 0);
		break;
	case FLOW_JUMP: write_break(x, i); break;
	default: write_end(x, i);
	}
}

static void
write_value(struct writer *x, uint32_t i)
{
	struct rw *w = &x->w;
	struct ins s = draft(x, i);
	uint32_t var = x->spilled ? x->spilled[i] : 0;

	if (s.op == OP_VAR && var) {
		w->map[i] = var;
		rw_set(w, var, s.a);
		return;
	}
	w->map[i] = op_info[s.op].is_alu ? append_raw(&w->o, s) : append(&w->o, s);
	if (var)
		rw_set(w, var, w->map[i]);
}

/* Declares all variables at the start of the body. */
static bool
declare(struct writer *x)
{
	struct rw *w = &x->w;
	struct jumps *e = x->e;

	if (!e->n_flagged)
		return true;
	x->state = rw_var(w, rw_const(w, QD_TYPE_U32, 0));
	if (e->limited)
		x->ended = rw_var(w, rw_const(w, QD_TYPE_U32, 0));
	if (!e->n_spilled)
		return true;
	x->spilled = arena_zalloc(w->p->mem, w->in->n * sizeof *x->spilled);
	if (!x->spilled)
		return false;
	for (uint32_t i = 1; i < w->in->n; i++)
		if (e->spill[i])
			x->spilled[i] = rw_var(w, rw_const(w, (qd_type)w->in->ins[i].type, 0));
	return true;
}

/* Updates is_open when the walk moves from segment `from` to segment `to`. */
static void
follow(struct jumps *e, uint32_t from, uint32_t to)
{
	for (uint32_t s = from; s; s = e->parent[s])
		e->is_open[s] = 0;
	for (uint32_t s = to; s; s = e->parent[s])
		e->is_open[s] = 1;
}

qd_status
pass_lower_jumps(struct pass_ctx *p, const struct ir *in, struct ir *out, bool *used)
{
	struct jumps e = { .p = p, .in = in };
	struct writer x = { .e = &e };
	uint32_t segment = 0;

	*used = (p->m->caps & CAP_FLAG_LOOPS) && lower_jumps_needed(in);
	if (p->m->caps & CAP_LOOP_LIMIT && in->has & HAS_LOOP &&
	    !pass_rounds_below(in, LOOP_LIMIT))
		*used = e.limited = true;
	if (!*used)
		return QD_OK;
	QD_TRY(lower_jumps_find(&e));
	QD_TRY(rw_begin(&x.w, p, in, out));
	x.open = arena_alloc(p->mem, (e.depth + 1) * sizeof *x.open);
	if (!x.open || !declare(&x))
		return qd_fail(p->err, QD_E_NOMEM, "kernel '%s': out of memory", p->k->name);
	push_frame(&x, 0);
	for (uint32_t i = 1; i < in->n && !x.w.o.nomem; i++) {
		if (e.segment && e.begins[i])
			open_segment(&x, i);
		if (e.segment && e.segment[i] != segment) {
			follow(&e, segment, e.segment[i]);
			segment = e.segment[i];
		}
		if (op_flow[in->ins[i].op])
			write_flow(&x, i);
		else
			write_value(&x, i);
	}
	close_block(&x);
	if (x.ended)
		report_ended(&x);
	return rw_end(&x.w);
}
