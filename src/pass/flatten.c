/* Replaces short ifs whose condition varies by selections.
 *
 * An if is replaced if its arms contain only a few cheap operations and stores to variables. Each
 * stored value becomes a selection of it and of the variable's old value. The operations are total,
 * so all threads may execute them. The variables hold the same values as before, and the code has
 * fewer basic blocks, so that loads of several iterations can be issued together. Inner ifs are
 * decided first. pass_values must follow: it replaces the reads that the pass appends. */
#include "rewrite.h"

#include <assert.h>

/* A test compiles this file with each rule disabled in turn and must detect it. */
#ifndef FLATTEN_RULE
#define FLATTEN_RULE(name) true
#endif

/* Operations and 32-bit words that both arms may compute and store. A branch costs about three
 * instructions. */
enum { MAX_OPS = 6, MAX_WORDS = 3 };

/* An open construct. */
struct open {
	uint32_t at, ops, words;
	bool stays; /* it contains something else */
	uint32_t cond, other; /* of a replaced if: where the current arm executes; the other arm */
};

struct flatten {
	struct rw w;
	uint8_t *level;
	bool *flat; /* by opener: it is replaced */
	struct open *open;
	uint32_t n_open, n_flat; /* n_flat: open constructs that are replaced; they are the innermost */
	bool used;
};

#define CHEAP(op) [OP_##op] = true
static const bool cheap[N_OP] = { CHEAP(ADD), CHEAP(SUB), CHEAP(MUL), CHEAP(MIN), CHEAP(MAX), CHEAP(AND),
				  CHEAP(OR), CHEAP(XOR), CHEAP(NOT), CHEAP(NEG), CHEAP(ABS), CHEAP(SHL),
				  CHEAP(SHR), CHEAP(EQ), CHEAP(NE), CHEAP(LT), CHEAP(LE), CHEAP(FMA),
				  CHEAP(SELECT), CHEAP(BITCAST) };

/* -- The ifs to replace -------------------------------------------------------------------- */

static bool
is_cheap(const struct ir *in, const struct ins *s)
{
	const qd_type lead = ir_lead_type(in, s);

	return cheap[s->op] && (type_info[lead].size == 4 || lead == QD_TYPE_BOOL || !FLATTEN_RULE(CHEAP));
}

static void
note(struct flatten *f, uint32_t i)
{
	const struct ir *in = f->w.in;
	const struct ins *s = &in->ins[i];
	struct open *o = &f->open[f->n_open - 1];

	if (s->op == OP_CONST || s->op == OP_GET)
		return;
	if (s->op == OP_SET) {
		const uint32_t size = type_info[in->ins[s->a].type].size;
		o->words += (size + 3) / 4;
		o->stays |= in->ins[s->a].type == QD_TYPE_BOOL;
	} else if (is_cheap(in, s)) {
		o->ops++;
	} else {
		o->stays = true;
	}
}

static void
close_open(struct flatten *f)
{
	const struct open o = f->open[--f->n_open];
	const struct ins *s = &f->w.in->ins[o.at];
	struct open *up = &f->open[f->n_open - 1];
	const bool flat = s->op == OP_IF && !o.stays && o.ops <= MAX_OPS && o.words && o.words <= MAX_WORDS &&
			  (f->level[s->a] >= LEVEL_VARYING || !FLATTEN_RULE(UNIFORM));

	f->flat[o.at] = flat;
	f->used |= flat;
	up->ops += o.ops + o.words + 1;
	up->words += o.words;
	up->stays |= !flat;
}

static void
find(struct flatten *f)
{
	const struct ir *in = f->w.in;

	f->n_open = 1;
	for (uint32_t i = 1; i < in->n; i++) {
		switch ((enum flow_kind)op_flow[in->ins[i].op]) {
		case FLOW_OPEN: f->open[f->n_open++] = (struct open){ .at = i }; break;
		case FLOW_CLOSE: close_open(f); break;
		case FLOW_ELSE: break;
		case FLOW_JUMP: f->open[f->n_open - 1].stays = true; break;
		case FLOW_NONE: note(f, i); break;
		}
	}
}

/* -- The new body ---------------------------------------------------------------------------- */

static uint32_t
both(struct flatten *f, uint32_t around, uint32_t cond)
{
	return around ? rw_bin(&f->w, OP_AND, around, cond) : cond;
}

static void
open_flat(struct flatten *f, uint32_t i)
{
	struct rw *w = &f->w;
	const uint32_t around = f->n_flat && FLATTEN_RULE(NEST) ? f->open[f->n_open - 1].cond : 0;
	const uint32_t cond = w->map[w->in->ins[i].a], other = w->in->ins[i].x;
	struct open o = { .at = i, .cond = both(f, around, cond) };

	if (w->in->ins[other].op == OP_ELSE)
		o.other = both(f, around, rw_un(w, OP_NOT, cond));
	f->open[f->n_open++] = o;
	f->n_flat++;
}

/* Stores the value in the threads that execute the arm. */
static void
set_some(struct flatten *f, uint32_t i)
{
	struct rw *w = &f->w;
	const struct ins *s = &w->in->ins[i];
	const uint32_t var = w->map[s->a], old = rw_get(w, var);

	rw_set(w, var, rw_select(w, f->open[f->n_open - 1].cond, w->map[s->b], old));
}

static void
control(struct flatten *f, uint32_t i)
{
	const struct ins *s = &f->w.in->ins[i];
	const enum flow_kind kind = (enum flow_kind)op_flow[s->op];

	if (kind == FLOW_OPEN && f->flat[i]) {
		open_flat(f, i);
	} else if (kind == FLOW_ELSE && f->n_flat) {
		struct open *top = &f->open[f->n_open - 1];
		if (FLATTEN_RULE(ELSE))
			top->cond = top->other;
	} else if (kind == FLOW_CLOSE && f->n_flat) {
		f->n_open--;
		f->n_flat--;
	} else {
		rw_copy(&f->w, i);
	}
}

qd_status
pass_flatten(struct pass_ctx *p, const struct ir *in, struct ir *out, bool *used)
{
	struct flatten f = { .w = { .p = p, .in = in } };

	*used = false;
	f.flat = arena_zalloc(p->mem, in->n * sizeof *f.flat);
	f.open = arena_zalloc(p->mem, (2 * MAX_NEST + 2) * sizeof *f.open);
	if (!f.flat || !f.open)
		return qd_fail(p->err, QD_E_NOMEM, "kernel '%s': out of memory", p->k->name);
	QD_TRY(pass_levels(p, in, &f.level));
	find(&f);
	if (!f.used)
		return QD_OK;
	*used = true;
	f.n_open = 0;
	QD_TRY(rw_begin(&f.w, p, in, out));
	for (uint32_t i = 1; i < in->n && !f.w.o.nomem; i++) {
		if (QD_LIKELY(op_info[in->ins[i].op].is_alu))
			rw_copy_alu(&f.w, i);
		else if (op_flow[in->ins[i].op])
			control(&f, i);
		else if (in->ins[i].op == OP_SET && f.n_flat)
			set_some(&f, i);
		else
			rw_copy(&f.w, i);
	}
	return rw_end(&f.w);
}
