/* Appending to a body: partners of control flow, constants, short forms.
 *
 * Running out of memory (or of nesting) sticks and is reported by rw_end; until
 * then every call is safe and gives value 0.  Constants made outside control
 * flow are found again through a small direct-mapped table: they dominate all
 * that follows.  A region keeps to its own, since it is entered by name. */
#include "rewrite.h"

#include <assert.h>

/* clang-format off */
enum {
	VALUES_SIG_VOID = 0,    VALUES_SIG_LEAF = 0,  VALUES_SIG_UN = 1,     VALUES_SIG_BIN = 3,
	VALUES_SIG_TER = 7,     VALUES_SIG_CMP = 3,   VALUES_SIG_SHIFT = 3,  VALUES_SIG_COUNT = 1,
	VALUES_SIG_SELECT = 7,  VALUES_SIG_CVT = 1,   VALUES_SIG_BITCAST = 1, VALUES_SIG_VAR = 1,
	VALUES_SIG_GET = 1,     VALUES_SIG_SET = 3,   VALUES_SIG_COND = 1,   VALUES_SIG_ARG = 1,
	VALUES_SIG_YIELD = 1,   VALUES_SIG_PACK = 3,  VALUES_SIG_RESULT = 1, VALUES_SIG_LOAD = 7,
	VALUES_SIG_STORE = 7,   VALUES_SIG_LANE = 3,  VALUES_SIG_LANE_K = 3, VALUES_SIG_BALLOT = 3,
	VALUES_SIG_LANE_OP = 7
};
const uint8_t op_value_operands[N_OP] = {
#define OP(name, text, n, sig, types, flags, doc) VALUES_##sig,
#include "op.def"
};
/* clang-format on */

qd_status
rw_begin(struct rw *w, struct pass_ctx *p, const struct ir *in, struct ir *out)
{
	w->p = p;
	w->in = in;
	w->out = out;
	w->pos = 0;
	w->nomem = false;
	w->too_deep = false;
	w->n_open = 0;
	w->n_region = 0;
	w->argword_base = p->k->tail / 4;
	memset(w->consts, 0, sizeof w->consts);
	memset(out, 0, sizeof *out);
	w->map = arena_zalloc(p->mem, in->n * sizeof *w->map);
	if (!w->map || !ir_reserve(out, p->mem, in->n + (in->n < MAX_BODY / 4 ? in->n / 2 : 0) + 16))
		return qd_fail(p->err, QD_E_NOMEM, "kernel '%s': out of memory", p->k->name);
	ir_push(out, p->mem, (struct ins){ .op = OP_NONE }, 0);
	return QD_OK;
}

qd_status
rw_end(struct rw *w)
{
	if (QD_UNLIKELY(w->nomem && w->out->n >= MAX_BODY / 2))
		return qd_fail(w->p->err, QD_E_LIMIT,
			       "kernel '%s' expands to more than %d instructions", w->p->k->name,
			       MAX_BODY);
	if (QD_UNLIKELY(w->nomem))
		return qd_fail(w->p->err, QD_E_NOMEM, "kernel '%s': out of memory", w->p->k->name);
	if (QD_UNLIKELY(w->too_deep))
		return qd_fail(w->p->err, QD_E_LIMIT,
			       "kernel '%s': control flow is nested too deep", w->p->k->name);
	assert(w->n_open == 0 && w->n_region == 0);
	return QD_OK;
}

/* if, else, loop, region and end. */
static uint32_t
control(struct rw *w, struct ins ins)
{
	if (QD_UNLIKELY(w->nomem || w->too_deep))
		return 0;
	ins.x = 0;
	uint32_t v = ir_push(w->out, w->p->mem, ins, w->pos);
	if (QD_UNLIKELY(!v)) {
		w->nomem = true;
		return 0;
	}
	struct ins *all = w->out->ins;
	if (!(op_info[ins.op].flags & OPF_CLOSE)) {
		if (QD_UNLIKELY(w->n_open == QD_COUNT(w->open))) {
			w->too_deep = true;
			return 0;
		}
		w->open[w->n_open++] = v;
		w->n_region += ins.op == OP_REGION;
		return v;
	}
	assert(w->n_open);
	uint32_t opener = w->open[w->n_open - 1];
	if (ins.op == OP_ELSE) {
		assert(all[opener].op == OP_IF && !all[opener].x);
		all[opener].x = v;
		return v;
	}
	w->n_open--;
	w->n_region -= all[opener].op == OP_REGION;
	if (all[opener].x)
		all[all[opener].x].x = v; /* of the else */
	else
		all[opener].x = v;
	all[v].x = opener;
	return v;
}

uint32_t
rw_ins(struct rw *w, struct ins ins)
{
	if (op_info[ins.op].flags & (OPF_OPEN | OPF_CLOSE))
		return control(w, ins);
	uint32_t v = ir_push(w->out, w->p->mem, ins, w->pos);
	if (QD_UNLIKELY(!v))
		w->nomem = true;
	return v;
}

struct ins *
rw_draft(struct rw *w, uint32_t i)
{
	const struct ins *from = &w->in->ins[i];
	const uint32_t values = ir_value_operands(from), *map = w->map;
	struct ins *to = &w->spare;

	if (QD_LIKELY(w->out->n < w->out->cap || ir_reserve(w->out, w->p->mem, 1)))
		to = &w->out->ins[w->out->n];
	else
		w->nomem = true;
	to->op = from->op;
	to->type = from->type;
	to->aux = from->aux;
	to->x = from->x;
	/* Operand 0 maps to 0: no branch that depends on the operation. */
	uint32_t a = map[values & 1 ? from->a : 0];
	uint32_t b = map[values & 2 ? from->b : 0];
	uint32_t c = map[values & 4 ? from->c : 0];
	to->a = values & 1 ? a : from->a;
	to->b = values & 2 ? b : from->b;
	to->c = values & 4 ? c : from->c;
	w->pos = w->in->pos[i];
	return to;
}

uint32_t
rw_copy(struct rw *w, uint32_t i)
{
	struct ins *s = rw_draft(w, i);

	if (op_info[s->op].flags & (OPF_OPEN | OPF_CLOSE))
		return w->map[i] = control(w, *s);
	return w->map[i] = rw_commit(w);
}

uint32_t
rw_const(struct rw *w, qd_type type, uint64_t bits)
{
	struct ins ins = { .op = OP_CONST,
			   .type = (uint8_t)type,
			   .a = (uint32_t)bits,
			   .b = (uint32_t)(bits >> 32) };
	if (w->n_region)
		return rw_ins(w, ins);

	uint32_t *slot = &w->consts[(ins.a + ins.b + ins.a / 16 + type * 5) % QD_COUNT(w->consts)];
	if (*slot) {
		const struct ins *old = &w->out->ins[*slot];
		if (old->a == ins.a && old->b == ins.b && old->type == type)
			return *slot;
	}
	uint32_t v = rw_ins(w, ins);
	if (!w->n_open)
		*slot = v;
	return v;
}

bool
rw_is_const(const struct rw *w, uint32_t v, uint64_t *bits)
{
	const struct ins *i = &w->out->ins[v];
	if (i->op != OP_CONST)
		return false;
	*bits = const_bits(i);
	return true;
}

bool
rw_eval(const struct rw *w, const struct ins *ins, uint64_t *bits)
{
	const struct op_info *info = &op_info[ins->op];
	uint64_t a, b = 0, c = 0;

	if (!(info->flags & OPF_ALU) || !rw_is_const(w, ins->a, &a) ||
	    (info->n_args > 1 && !rw_is_const(w, ins->b, &b)) ||
	    (info->n_args > 2 && !rw_is_const(w, ins->c, &c)))
		return false;
	if (ins->op == OP_SELECT)
		*bits = a ? b : c;
	else
		*bits = ir_eval((enum op)ins->op, rw_type(w, ins->a), ins->type, a, b, c);
	return true;
}

uint32_t
rw_bitcast(struct rw *w, qd_type to, uint32_t v)
{
	uint64_t bits;
	if (rw_type(w, v) == to)
		return v;
	if (rw_is_const(w, v, &bits))
		return rw_const(w, to, bits);
	return rw_op(w, OP_BITCAST, to, v, 0, 0);
}

uint32_t
rw_cvt(struct rw *w, qd_type to, uint32_t v)
{
	uint64_t bits;
	qd_type from = rw_type(w, v);
	if (from == to)
		return v;
	if (rw_is_const(w, v, &bits))
		return rw_const(w, to, ir_eval(OP_CVT, from, to, bits, 0, 0));
	return rw_op(w, OP_CVT, to, v, 0, 0);
}

uint32_t
rw_lane_u32(struct rw *w)
{
	return rw_bitcast(w, QD_TYPE_U32, rw_op(w, OP_LANE, QD_TYPE_I32, 0, 0, 0));
}

uint32_t
rw_var(struct rw *w, uint32_t init)
{
	return rw_un(w, OP_VAR, init);
}

uint32_t
rw_get(struct rw *w, uint32_t var)
{
	return rw_un(w, OP_GET, var);
}

void
rw_set(struct rw *w, uint32_t var, uint32_t v)
{
	rw_op(w, OP_SET, QD_TYPE_NONE, var, v, 0);
}

void
rw_if(struct rw *w, uint32_t cond)
{
	rw_op(w, OP_IF, QD_TYPE_NONE, cond, 0, 0);
}

void
rw_else(struct rw *w)
{
	rw_op(w, OP_ELSE, QD_TYPE_NONE, 0, 0, 0);
}

void
rw_loop(struct rw *w)
{
	rw_op(w, OP_LOOP, QD_TYPE_NONE, 0, 0, 0);
}

void
rw_end_block(struct rw *w)
{
	rw_op(w, OP_END, QD_TYPE_NONE, 0, 0, 0);
}
