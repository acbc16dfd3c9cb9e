/* Execution of statements on masks of active lanes. Blocks run one after another: the result
 * of a program does not depend on their order, nor on the order of threads between two
 * barriers. */
#include <stdlib.h>
#include <string.h>

#include "program_eval.h"

enum { MAX_STEPS = 4000000 };

/* Lanes that left the current loop. */
struct exits {
	struct mask broke, continued;
	struct exits *around; /* of the enclosing loop */
};

static void run_list(struct machine *m, struct frame *f, const struct stmt *first, struct mask *on,
		     struct exits *loop);

void
machine_fault(struct machine *m, const char *what)
{
	if (!m->fault)
		m->fault = what;
}

/* -- Assignments --------------------------------------------------------------------- */

static struct mask
lanes_where(struct machine *m, struct frame *f, const struct expr *x, struct mask on)
{
	struct vector v = { { 0 } };
	struct mask r = { { 0, 0 } };

	value_of(m, f, x, on, &v);
	for (uint32_t l = 0; l < m->n_lanes; l++)
		mask_put(&r, l, mask_has(on, l) && ref_truth(x->type, v.lane[l]));
	return r;
}

/* Evaluates all right sides before any assignment. */
static void
right_sides(struct machine *m, struct frame *f, const struct stmt *s, struct mask on,
	    struct vector *v)
{
	if (s->n > 1 && !s->e[1]) {
		values_of(m, f, s->e[0], on, v);
		return;
	}
	for (uint32_t i = 0; i < s->n; i++)
		value_of(m, f, s->e[i], on, &v[i]);
}

static void
assign(struct machine *m, struct frame *f, const struct stmt *s, struct mask on)
{
	struct vector v[MAX_VALUES] = { { { 0 } } };

	right_sides(m, f, s, on, v);
	for (uint32_t i = 0; i < s->n; i++) {
		struct vector *var = &f->var[s->id[i]];
		qd_type type = f->f->var[s->id[i]].type;

		for (uint32_t l = 0; l < m->n_lanes; l++) {
			if (!mask_has(on, l))
				continue;
			var->lane[l] = s->op == OP_PLAIN
					       ? v[i].lane[l]
					       : ref_scalar((enum ref_op)s->op, type, var->lane[l],
							    v[i].lane[l], m->flush);
		}
	}
}

/* -- Control flow --------------------------------------------------------------------------- */

static void
run_if(struct machine *m, struct frame *f, const struct stmt *s, struct mask *on,
       struct exits *loop)
{
	struct mask then = lanes_where(m, f, s->e[0], *on), other = mask_less(*on, then);

	if (mask_any(then))
		run_list(m, f, s->body, &then, loop);
	if (mask_any(other) && s->other)
		run_list(m, f, s->other, &other, loop);
	*on = mask_or(then, other);
}

/* Adds the lanes that continued to the next iteration. */
static void
go_on(const struct machine *m, const struct exits *own, struct mask *live)
{
	if (m->wrong_loop && own->around)
		own->around->continued = mask_or(own->around->continued, own->continued);
	else
		*live = mask_or(*live, own->continued);
}

static void
run_while(struct machine *m, struct frame *f, const struct stmt *s, struct mask *on,
	  struct exits *loop)
{
	struct mask live = *on, out = { { 0, 0 } };

	while (mask_any(live) && !m->fault) {
		struct exits own = { .around = loop };
		struct mask in = lanes_where(m, f, s->e[0], live);

		out = mask_or(out, mask_less(live, in));
		live = in;
		if (mask_any(live))
			run_list(m, f, s->body, &live, &own);
		out = mask_or(out, own.broke);
		go_on(m, &own, &live);
	}
	*on = out;
}

static int64_t
number(qd_type type, uint64_t bits)
{
	if (ref_width(type) == 64)
		return (int64_t)bits; /* for u64, values are small */
	if (type == QD_TYPE_I32)
		return (int64_t)(bits & UINT32_MAX) - (bits >> 31 & 1 ? INT64_C(1) << 32 : 0);
	return (int64_t)(bits & UINT32_MAX);
}

static void
run_for(struct machine *m, struct frame *f, const struct stmt *s, struct mask *on,
	struct exits *loop)
{
	struct vector from = { { 0 } }, to = { { 0 } }, step = { { 0 } };
	struct vector *var = &f->var[s->id[0]];
	struct mask live = *on, out = { { 0, 0 } };
	qd_type type = f->f->var[s->id[0]].type;

	value_of(m, f, s->e[0], *on, &from);
	value_of(m, f, s->e[1], *on, &to);
	if (s->e[2])
		value_of(m, f, s->e[2], *on, &step);
	for (int64_t round = 0; mask_any(live) && !m->fault; round++) {
		struct exits own = { .around = loop };

		for (uint32_t l = 0; l < m->n_lanes; l++) {
			int64_t by = s->e[2] ? number(type, step.lane[l]) : 1;
			int64_t at = number(type, from.lane[l]) + round * by;
			bool goes_on = at < number(type, to.lane[l]);

			if (!mask_has(live, l))
				continue;
			if (goes_on)
				var->lane[l] = ref_width(type) == 64 ? (uint64_t)at : (uint32_t)at;
			mask_put(goes_on ? &live : &out, l, true);
			mask_put(&live, l, goes_on);
		}
		if (mask_any(live))
			run_list(m, f, s->body, &live, &own);
		out = mask_or(out, own.broke);
		go_on(m, &own, &live);
	}
	*on = out;
}

/* Threads from n on are padding threads in the body, and active again after it. */
static void
run_grid(struct machine *m, struct frame *f, const struct stmt *s, struct mask *on)
{
	struct mask all = m->ordinary, padding = { { 0, 0 } }, body = *on;
	struct exits own = { .around = NULL };

	for (uint32_t l = 0; l < m->n_lanes; l++) {
		uint64_t i = (uint64_t)m->block * m->p->block_dim + l;

		f->var[s->id[0]].lane[l] = i;
		mask_put(&padding, l, mask_has(all, l) && i >= m->p->grid_n);
	}
	m->ordinary = mask_less(all, padding);
	body = mask_less(body, padding);
	if (mask_any(body))
		run_list(m, f, s->body, &body, &own);
	m->ordinary = all;
	*on = mask_or(mask_or(body, own.continued), mask_and(*on, padding));
}

static void
run_return(struct machine *m, struct frame *f, const struct stmt *s, struct mask *on)
{
	struct vector v[MAX_VALUES] = { { { 0 } } };

	right_sides(m, f, s, *on, v);
	for (uint32_t i = 0; i < s->n; i++)
		for (uint32_t l = 0; l < m->n_lanes; l++)
			if (mask_has(*on, l))
				f->result[i].lane[l] = v[i].lane[l];
	*on = (struct mask){ { 0, 0 } };
}

/* Runs the phases, with barriers before, between and after them. */
static void
run_phases(struct machine *m, struct frame *f, const struct stmt *s, struct mask *on)
{
	access_sync(m, s->flag, *on);
	for (; s; s = s->other) {
		if (s->removed)
			continue;
		run_list(m, f, s->body, on, NULL);
		access_sync(m, s->flag, *on);
	}
}

static void
run_stmt(struct machine *m, struct frame *f, const struct stmt *s, struct mask *on,
	 struct exits *loop)
{
	const struct mask none = { { 0, 0 } };
	struct vector ignored[MAX_VALUES];

	switch ((enum skind)s->kind) {
	case S_LET:
	case S_SET: assign(m, f, s, *on); break;
	case S_WIDE_LOAD: access_wide_load(m, f, s, *on); break;
	case S_WIDE_STORE: access_wide_store(m, f, s, *on); break;
	case S_STORE: access_store(m, f, s, *on); break;
	case S_SHARED: access_fill(m, f, s, *on); break;
	case S_SHARED_STORE: access_shared_store(m, f, s, *on); break;
	case S_SYNC: access_sync(m, s->flag, *on); break;
	case S_PHASES: run_phases(m, f, s, on); break;
	case S_FENCE: break; /* the machine executes all threads in order */
	case S_DEBUG: break;  /* assertions hold */
	case S_IF: run_if(m, f, s, on, loop); break;
	case S_WHILE: run_while(m, f, s, on, loop); break;
	case S_FOR: run_for(m, f, s, on, loop); break;
	case S_GRID: run_grid(m, f, s, on); break;
	case S_BLOCK: run_list(m, f, s->body, on, loop); break;
	case S_BREAK:
		loop->broke = mask_or(loop->broke, *on);
		*on = none;
		break;
	case S_CONTINUE:
		loop->continued = mask_or(loop->continued, *on);
		*on = none;
		break;
	case S_RETURN: run_return(m, f, s, on); break;
	case S_DO: values_of(m, f, s->e[0], *on, ignored); break;
	}
}

static void
run_list(struct machine *m, struct frame *f, const struct stmt *first, struct mask *on,
	 struct exits *loop)
{
	for (const struct stmt *s = first; s && mask_any(*on) && !m->fault; s = s->next) {
		if (++m->steps > MAX_STEPS)
			machine_fault(m, "it does not terminate");
		if (!s->removed)
			run_stmt(m, f, s, on, loop);
	}
}

/* -- Functions and launches ------------------------------------------------------------------- */

static void *
room(size_t n, size_t size)
{
	void *r = calloc(n, size);

	if (!r) {
		fputs("out of memory\n", stderr);
		exit(4);
	}
	return r;
}

void
machine_call(struct machine *m, const struct function *fn, const struct vector *args,
	     struct mask on, struct vector *out)
{
	struct frame f = { .f = fn,
			   .var = room(fn->n_vars + 1, sizeof *f.var),
			   .local = fn->has_local ? room(1, sizeof *f.local) : NULL };
	struct mask left = on;

	for (uint32_t i = 0; i < fn->n_params; i++)
		f.var[i] = args[i];
	run_list(m, &f, fn->body, &left, NULL);
	if (fn->n_results && mask_any(left))
		machine_fault(m, "a function ends without a result");
	for (uint32_t i = 0; i < fn->n_results; i++)
		for (uint32_t l = 0; l < m->n_lanes; l++)
			if (mask_has(on, l))
				out[i].lane[l] = f.result[i].lane[l];
	free(f.var);
	free(f.local);
}

const char *
program_eval(const struct program *p, uint32_t size, bool flush, bool wrong_loop,
	     void *const data[N_ARRAY])
{
	struct machine *m = room(1, sizeof *m);
	struct vector args[N_SCALAR], none[MAX_VALUES];
	const char *fault;

	m->p = p;
	m->data = data;
	m->size = size;
	m->flush = flush;
	m->wrong_loop = wrong_loop;
	while (1u << m->log2_size < size)
		m->log2_size++;
	for (uint32_t i = 0; i < N_SCALAR; i++)
		for (uint32_t l = 0; l < REF_MAX_LANES; l++)
			args[i].lane[l] = p->scalar[i];
	m->n_lanes = (p->block_dim + size - 1) / size * size;
	for (m->block = 0; m->block < p->n_blocks && !m->fault; m->block++) {
		memset(m->shared, 0, sizeof m->shared);
		for (uint32_t l = 0; l < m->n_lanes; l++)
			mask_put(&m->ordinary, l, l < p->block_dim);
		machine_call(m, &p->kernel, args, m->ordinary, none);
	}
	fault = m->fault;
	free(m);
	return fault;
}
