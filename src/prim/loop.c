/* The pass for machines on which a loop may be left at its head only.  A break
 * clears the flag that the head tests, a continue the one that says whether this
 * round still runs, and what follows either in its block runs under that flag.
 * A loop whose only exit is a test that comes first stays as it is: then nothing
 * that changes in a round can be seen behind it half done.  One without any exit
 * gets the test too, which never fails. */
#include "prim.h"

/* A construct that is open, in the input. */
struct frame {
	uint32_t at;
	uint32_t go, live; /* of a loop: its flags, variables of the output */
	uint32_t n_wraps;  /* ifs around the rest of this block */
	bool is_loop, has_flags;
	bool at_head; /* of a loop: nothing happened in it yet */
	bool tested;  /* of a loop: its test came first */
	bool left;    /* a jump in this block, or under it, may have been taken */
};

enum { NEEDS_FLAGS = 1, HAS_CONTINUE = 2 };

struct flags {
	struct lg *l;
	uint8_t *loop; /* by index of the LOOP: what it needs */
	struct frame open[MAX_NEST + 2];
	uint32_t n_open;
};

static struct frame *
innermost_loop(struct flags *f)
{
	for (uint32_t i = f->n_open; i--;) {
		if (f->open[i].is_loop)
			return &f->open[i];
	}
	return NULL;
}

static qd_status
open_frame(struct flags *f, uint32_t at, bool is_loop)
{
	if (f->n_open == QD_COUNT(f->open))
		return diag_ins(f->l->p->k, f->l->w.in, at, f->l->p->err, NULL, DIAG_E0315,
				MAX_NEST);
	f->open[f->n_open++] = (struct frame){ .at = at, .is_loop = is_loop, .at_head = is_loop };
	return QD_OK;
}

/* What may come before a loop's test: it is seen by nobody outside the round. */
static bool
is_quiet(const struct ins *s)
{
	return (op_info[s->op].flags & (OPF_PURE | OPF_CROSS)) || s->op == OP_GET ||
	       s->op == OP_LOAD;
}

/* Finds out which loops are not in the form; *any if there is one. */
static qd_status
survey(struct flags *f, const struct ir *in, bool *any)
{
	*any = false;
	for (uint32_t i = 1; i < in->n; i++) {
		const struct ins *s = &in->ins[i];
		struct frame *loop;

		if (is_quiet(s))
			continue;
		loop = innermost_loop(f);
		switch (s->op) {
		case OP_LOOP:
		case OP_IF:
			if (loop)
				loop->at_head = false;
			QD_TRY(open_frame(f, i, s->op == OP_LOOP));
			continue;
		case OP_END:
			if (loop && loop == &f->open[f->n_open - 1] && !loop->tested) {
				f->loop[loop->at] |= NEEDS_FLAGS;
				*any = true;
			}
			f->n_open -= f->n_open > 0;
			continue;
		case OP_BREAK_IF:
			if (loop && loop->at_head)
				loop->tested = true;
			else if (loop)
				f->loop[loop->at] |= NEEDS_FLAGS;
			break;
		case OP_BREAK:
		case OP_CONTINUE:
			if (loop)
				f->loop[loop->at] |= s->op == OP_CONTINUE
							     ? NEEDS_FLAGS | HAS_CONTINUE
							     : NEEDS_FLAGS;
			break;
		default:
			break;
		}
		if (loop) {
			*any = *any || (f->loop[loop->at] & NEEDS_FLAGS);
			loop->at_head = false;
		}
	}
	f->n_open = 0;
	return QD_OK;
}

static uint32_t
constant(struct flags *f, bool v)
{
	return lg_const(f->l, QD_TYPE_BOOL, v);
}

static bool
ends_block(const struct ir *in, uint32_t i)
{
	return i >= in->n || in->ins[i].op == OP_END || in->ins[i].op == OP_ELSE;
}

/* The rest of the innermost open block, from i on, runs only where cond holds. */
static void
wrap_rest(struct flags *f, uint32_t i, uint32_t cond)
{
	if (ends_block(f->l->w.in, i))
		return;
	if (!cond) {
		struct frame *loop = innermost_loop(f);
		cond = rw_get(&f->l->w, loop->live);
	}
	rw_if(&f->l->w, cond);
	f->open[f->n_open - 1].n_wraps++;
}

static void
close_wraps(struct flags *f)
{
	struct frame *top = &f->open[f->n_open - 1];

	for (; top->n_wraps; top->n_wraps--)
		rw_end_block(&f->l->w);
}

static qd_status
open_loop(struct flags *f, uint32_t i)
{
	struct rw *w = &f->l->w;

	QD_TRY(open_frame(f, i, true));
	struct frame *loop = &f->open[f->n_open - 1];
	if (!(f->loop[i] & NEEDS_FLAGS)) {
		rw_loop(w);
		return QD_OK;
	}
	loop->has_flags = true;
	loop->go = loop->live = rw_var(w, constant(f, true));
	if (f->loop[i] & HAS_CONTINUE)
		loop->live = rw_var(w, constant(f, true));
	rw_loop(w);
	uint32_t stop = lg_un(f->l, OP_NOT, rw_get(w, loop->go));
	rw_op(w, OP_BREAK_IF, QD_TYPE_NONE, stop, 0, 0);
	if (loop->live != loop->go)
		rw_set(w, loop->live, constant(f, true));
	return QD_OK;
}

static void
close_block(struct flags *f, uint32_t i)
{
	close_wraps(f);
	rw_end_block(&f->l->w);
	struct frame closed = f->open[--f->n_open];
	if (closed.is_loop || !closed.left)
		return;
	f->open[f->n_open - 1].left = true;
	wrap_rest(f, i + 1, 0);
}

/* break, break_if and continue, of a loop with flags. */
static void
jump(struct flags *f, uint32_t i, const struct ins *s, const struct frame *loop)
{
	struct rw *w = &f->l->w;
	uint32_t stay = constant(f, false);

	if (s->op == OP_BREAK_IF)
		stay = lg_un(f->l, OP_NOT, w->map[s->a]);
	if (s->op != OP_CONTINUE)
		rw_set(w, loop->go, stay);
	if (loop->live != loop->go)
		rw_set(w, loop->live, stay);
	f->open[f->n_open - 1].left = true;
	if (s->op == OP_BREAK_IF)
		wrap_rest(f, i + 1, stay);
}

static qd_status
rewrite(struct flags *f, uint32_t i)
{
	struct rw *w = &f->l->w;
	const struct ins *s = &w->in->ins[i];
	struct frame *loop;

	w->pos = w->in->pos[i];
	switch (s->op) {
	case OP_LOOP:
		return open_loop(f, i);
	case OP_IF:
		rw_copy(w, i);
		return open_frame(f, i, false);
	case OP_ELSE:
		close_wraps(f);
		rw_else(w);
		return QD_OK;
	case OP_END:
		close_block(f, i);
		return QD_OK;
	case OP_BREAK:
	case OP_BREAK_IF:
	case OP_CONTINUE:
		loop = innermost_loop(f);
		if (loop && loop->has_flags) {
			jump(f, i, s, loop);
			return QD_OK;
		}
		break;
	case OP_CONST:
		w->map[i] = lg_const(f->l, s->type, const_bits(s));
		return QD_OK;
	default:
		break;
	}
	rw_copy(w, i);
	return QD_OK;
}

qd_status
prim_flag_loops(struct lg *l, const struct ir *in, struct ir *out, bool *out_used)
{
	struct flags f = { .l = l };

	f.loop = arena_zalloc(l->p->mem, in->n);
	if (!f.loop)
		return qd_fail(l->p->err, QD_E_NOMEM, "out of memory");
	l->w.in = in;
	QD_TRY(survey(&f, in, out_used));
	if (!*out_used)
		return QD_OK;
	QD_TRY(rw_begin(&l->w, l->p, in, out));
	for (uint32_t i = 1; i < in->n; i++) {
		l->at = i;
		QD_TRY(rewrite(&f, i));
	}
	if (l->st)
		return l->st;
	return rw_end(&l->w);
}
