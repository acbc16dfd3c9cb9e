/* Begins and ends the output of a pass, and copies instructions of its input. */
#include "rewrite.h"

#include <assert.h>

qd_status
rw_begin(struct rw *w, struct pass_ctx *p, const struct ir *in, struct ir *out)
{
	uint32_t room = in->n + (in->n < MAX_BODY / 4 ? in->n / 2 : 0) + 16;

	w->p = p;
	w->in = in;
	w->fold = (in->has & HAS_RAW) != 0;
	memset(out, 0, sizeof *out);
	w->map = arena_zalloc(p->mem, in->n * sizeof *w->map);
	if (!w->map || !ir_reserve(out, p->mem, room) || !append_init(&w->o, out, p->mem))
		return qd_fail(p->err, QD_E_NOMEM, "kernel '%s': out of memory", p->k->name);
	w->o.literal = !p->opt;
	return QD_OK;
}

qd_status
rw_end(struct rw *w)
{
	static const struct diag_note counts = { .help = "expansions of operations are counted too" };
	const struct qd_kernel *k = w->p->k;
	const struct ir *ir = w->o.ir;

	if (QD_UNLIKELY(w->o.nomem && ir->n >= MAX_BODY / 2))
		return diag_ins(k, ir, ir->n - 1, w->p->err, &counts, DIAG_E0332, MAX_BODY, "");
	if (QD_UNLIKELY(w->o.nomem))
		return qd_fail(w->p->err, QD_E_NOMEM, "kernel '%s': out of memory", k->name);
	if (QD_UNLIKELY(w->o.too_deep)) /* the innermost open construct is the last that fitted */
		return diag_ins(k, ir, w->o.open[w->o.n_open - 1], w->p->err, NULL, DIAG_E0315,
				2 * MAX_NEST);
	assert(w->o.n_open == 0);
	return QD_OK;
}

uint32_t
rw_fold_if(struct rw *w, uint32_t i)
{
	const struct ir *in = w->in;
	const struct ins *s = &in->ins[i];
	uint64_t bits;

	switch ((enum flow_kind)op_flow[s->op]) {
	case FLOW_OPEN: return s->op != OP_IF || !rw_is_const(w, w->map[s->a], &bits) ? 0 : bits ? i + 1 : s->x + 1;
	case FLOW_ELSE: return w->map[in->ins[s->x].x] ? 0 : s->x + 1;
	case FLOW_CLOSE: return w->map[s->x] ? 0 : i + 1;
	default: return 0;
	}
}

struct ins
rw_draft(struct rw *w, uint32_t i)
{
	const struct ins *from = &w->in->ins[i];
	const uint32_t values = op_values[from->op], *map = w->map;
	struct ins to = *from;

	w->o.pos = w->in->pos[i];
	/* Operand 0 maps to 0: no branch that depends on the operation. */
	to.a = values & 1 ? map[from->a] : from->a;
	to.b = values & 2 ? map[from->b] : from->b;
	to.c = values & 4 ? map[from->c] : from->c;
	to.d = values & 8 ? map[from->d] : from->d;
	if (QD_UNLIKELY(from->op == OP_BREAK))
		to.x = map[from->x];
	return to;
}

uint32_t
rw_skip_dead(const struct rw *w, uint32_t i)
{
	const struct ir *in = w->in;

	for (; i < in->n; i++) {
		const struct ins *s = &in->ins[i];

		switch ((enum flow_kind)op_flow[s->op]) {
		case FLOW_CLOSE:
			if (w->map[s->x])
				return i;
			break;
		case FLOW_ELSE:
			if (w->map[in->ins[s->x].x])
				return i;
			i = s->x;
			break;
		case FLOW_OPEN: i = ir_end_of(in, i); break;
		default: break;
		}
	}
	return i;
}
