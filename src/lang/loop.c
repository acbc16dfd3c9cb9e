/* Loops: while, for, unroll for. */
#include "lower.h"

static void
open_loop(struct lower *l, struct loop *loop)
{
	*loop = (struct loop){ .up = l->loop, .on_break = build_loop(l->b) };
	l->loop = loop;
}

/* Emits a jump out of the loop, before its body, if `stop` is true. */
static void
leave_loop(struct lower *l, struct loop *loop, const struct value *stop)
{
	struct qd_val v = value_emit(l, stop);
	uint64_t always;

	loop->is_dead = build_is_const(l->b, v, &always) && always;
	if (loop->is_dead)
		qd_if(l->b, qd_bool(l->b, false));
	else
		build_break(l->b, loop->on_break, v);
}

/* Lowers the body and ends the loop. Returns the exits of the body. */
static uint32_t
close_loop(struct lower *l, struct loop *loop, const struct node *body)
{
	uint32_t ways;

	loop->on_continue = exit_open(l, body->maybe & J_CONTINUE);
	ways = lower_block(l, body);
	exit_close(l, loop->on_continue);
	l->loop = loop->up;
	if (loop->is_dead) {
		qd_end(l->b);
		build_break(l->b, loop->on_break, (struct qd_val){ 0 });
	}
	qd_end(l->b);
	return ways;
}

/* -- while ------------------------------------------------------------------------ */

/* Returns whether the loop at `loop`, whose body begins at `body`, only waits: its condition
 * reads memory that another thread may write, and its body changes nothing that the condition
 * reads. Long loops are not examined. */
static bool
only_waits(const struct qd_kernel *k, uint32_t loop, uint32_t body)
{
	const struct ins *ins = k->ir.ins, *s = ins + body;
	bool loads = false;

	if (body - loop > 64 || k->ir.n - loop > 4096)
		return false;
	for (uint32_t i = loop + 1; i < body - 1; i++) {
		if (ins[i].op == OP_LOAD)
			loads = loads || k->mems[ins[i].x].access != QD_ACCESS_IN;
		else if (op_info[ins[i].op].effect > EFFECT_LOCAL)
			return false;
	}
	for (; s < ins + k->ir.n && loads; s++) {
		enum effect effect = (enum effect)op_info[s->op].effect;

		if (op_copies((enum op)s->op) || effect == EFFECT_ATOMIC || effect == EFFECT_FENCE || effect == EFFECT_SYNC ||
		    (s->op == OP_BREAK && s->x <= loop))
			return false;
		for (const struct ins *c = ins + loop + 1; c < ins + body; c++)
			if (effect == EFFECT_WRITE
				    ? c->op == OP_LOAD && c->x == s->x
				    : s->op == OP_SET && c->op == OP_GET && c->a == s->a)
				return false;
	}
	return loads;
}

uint32_t
lower_while(struct lower *l, const struct node *s)
{
	struct loop loop;
	struct value cond, stop;
	bool forever;
	uint32_t ways, body;

	lower_at(l, s);
	open_loop(l, &loop);
	cond = lower_condition(l, s->a);
	forever = cond.kind == V_CONST && cond.bits;
	if (!forever) {
		stop = value_apply(l, s->a, OP_NOT, &cond, 1);
		leave_loop(l, &loop, &stop);
	}
	body = l->b->k->ir.n;
	ways = close_loop(l, &loop, s->b) & J_RETURN;
	if (!forever && !loop.is_dead && !build_failed(l->b) &&
	    only_waits(l->b->k, loop.on_break, body))
		lower_warn(l, s->a, DIAG_W0302);
	return forever && !(s->b->jumps & J_BREAK) ? ways : ways | FALLS;
}

/* -- for ----------------------------------------------------------------------------- */

/* Lowers the bounds, which must have the same integer type. */
static bool
bounds(struct lower *l, const struct node *s, struct value *v)
{
	if (!lower_same(l, s->a, 2, QD_TYPE_NONE, v))
		return false;
	for (int i = 0; i < 2; i++) {
		if (!type_is(v[i].type, TM_INT))
			return lower_error(l, i ? s->b : s->a, DIAG_E0348,
					   type_info[v[i].type].name);
	}
	if (v[0].type != v[1].type) {
		lower_mixed(l, v[0].type, s->a, v[1].type, s->b);
		return lower_error(l, s->b, DIAG_E0301, type_info[v[0].type].name,
				   type_info[v[1].type].name);
	}
	return true;
}

static bool
is_bits(const struct value *v, uint64_t bits)
{
	return v->kind == V_CONST && v->bits == bits;
}

static bool
is_positive(const struct value *v)
{
	return v->bits && !(type_info[v->type].is_signed && v->bits >> (type_bits(v->type) - 1));
}

static bool
for_step(struct lower *l, const struct node *s, qd_type type, struct value *step)
{
	long long number;

	*step = s->c ? lower_expr(l, s->c, type) : value_const(type, 1);
	if (step->kind == V_ERROR)
		return false;
	if (step->type != type)
		return lower_error(l, s->c, DIAG_E0301, type_info[type].name,
				   type_info[step->type].name);
	if (step->kind == V_CONST && !is_positive(step)) {
		number = type == QD_TYPE_I32 ? (int32_t)(uint32_t)step->bits
					     : (long long)(int64_t)step->bits;
		return lower_error(l, s->c, DIAG_E0219, "the step", number, "positive");
	}
	return true;
}

/* Returns the number of iterations of a..b step s as an unsigned value: (b - a - 1) / s + 1 if a
 * < b and s > 0, else 0. No intermediate result wraps, so the number does not wrap either. */
static struct value
count_rounds(struct lower *l, const struct node *s, struct value a, struct value b,
	     struct value step)
{
	qd_type u = type_unsigned(a.type);
	struct value one = value_const(u, 1), zero = value_const(u, 0), any, n, by;

	n = value_bitcast(l, s, u, is_bits(&a, 0) ? b : value_apply2(l, s, OP_SUB, b, a));
	if (!is_bits(&step, 1)) {
		by = value_bitcast(l, s, u, step);
		if (step.kind != V_CONST)
			by = value_apply2(l, s, OP_MAX, by,
					  one); /* avoids a remark about a division by 0 */
		n = value_apply2(l, s, OP_DIV, value_apply2(l, s, OP_SUB, n, one), by);
		n = value_apply2(l, s, OP_ADD, n, one);
	}
	any = value_apply2(l, s, OP_LT, a, b);
	if (step.kind != V_CONST)
		any = value_apply2(l, s, OP_AND, any,
				   value_apply2(l, s, OP_LT, value_const(a.type, 0), step));
	return value_select(l, s, (struct value[]){ any, n, zero });
}

static struct value
make_dyn(struct lower *l, struct value v)
{
	struct value r = value_dyn(v.type, value_emit(l, &v));

	return v.kind == V_ERROR ? v : r;
}

/* The variable counts iterations and is advanced at the head, so that continue needs no separate
 * code. With step 1 it is the index itself, and never wraps. */
uint32_t
lower_for(struct lower *l, const struct node *s)
{
	struct scope_mark mark = scope_open(l, false);
	struct value v[2], step, limit, i, k;
	bool by_one, ok;
	struct loop loop;
	struct binding *bind;
	struct qd_var var = { 0 };
	uint32_t ways;

	ok = bounds(l, s, v) && for_step(l, s, v[0].type, &step);
	if (!ok) {
		v[0] = v[1] = step = value_error;
		v[0].type = QD_TYPE_NONE;
	}
	by_one = !ok || is_bits(&step, 1);
	lower_at(l, s);
	if (ok) {
		v[0] = v[0].kind == V_CONST ? v[0] : make_dyn(l, v[0]);
		step = step.kind == V_CONST ? step : make_dyn(l, step);
		limit = make_dyn(l, by_one ? v[1] : count_rounds(l, s, v[0], v[1], step));
		k = by_one ? v[0] : value_const(limit.type, 0);
		var = qd_var(l->b, value_emit(l, &k));
	}
	open_loop(l, &loop);
	i = value_error;
	if (ok) {
		k = value_dyn(limit.type, qd_get(l->b, var));
		i = value_apply2(l, s, OP_LE, limit, k);
		leave_loop(l, &loop, &i);
		i = value_apply2(l, s, OP_ADD, k, value_const(k.type, 1));
		qd_set(l->b, var, value_emit(l, &i));
		i = k;
		if (!by_one)
			i = value_apply2(l, s, OP_MUL, value_bitcast(l, s, v[0].type, k), step);
		if (!by_one && !is_bits(&v[0], 0))
			i = value_apply2(l, s, OP_ADD, v[0], i);
	}
	if ((bind = scope_bind(l, B_VALUE, s, "a loop variable")))
		bind->value = i;
	ways = close_loop(l, &loop, s->d) & J_RETURN;
	scope_close(l, mark);
	return ways | FALLS;
}

/* -- unroll for ----------------------------------------------------------------------------- */

struct range {
	qd_type type;
	int64_t from;
	uint64_t n, step;
	bool adapts; /* the bounds have no type of their own */
};

static bool
constant_range(struct lower *l, const struct node *s, struct range *r)
{
	struct value v[2], step;
	int64_t from, to, by;
	uint64_t span;

	if (!bounds(l, s, v) ||
	    !value_need(l, s->a, &v[0], "the bound of an 'unroll for'", &from) ||
	    !value_need(l, s->b, &v[1], "the bound of an 'unroll for'", &to) ||
	    !for_step(l, s, v[0].type, &step) ||
	    !value_need(l, s->c ? s->c : s->b, &step, "the step of an 'unroll for'", &by))
		return false;
	r->type = v[0].type;
	r->adapts = adapt_is(l, s->a) && adapt_is(l, s->b);
	r->from = from;
	r->step = (uint64_t)by;
	if (by == 0 || (type_info[r->type].is_signed && by < 0))
		by = 1; /* a template value: reported when the kernel is instantiated */
	span = (uint64_t)to - (uint64_t)from;
	if (type_info[r->type].is_signed ? from >= to : (uint64_t)from >= (uint64_t)to)
		r->n = 0;
	else
		r->n = (span - 1) / (uint64_t)by + 1;
	return true;
}

static uint32_t
one_round(struct lower *l, const struct node *s, struct value i)
{
	struct scope_mark mark = scope_open(l, false);
	struct binding *bind;
	uint32_t ways;

	if ((bind = scope_bind(l, B_VALUE, s, "a loop variable")))
		bind->value = i;
	lower_at(l, s);
	l->loop->on_continue = exit_open(l, s->d->maybe & J_CONTINUE);
	ways = lower_block(l, s->d);
	exit_close(l, l->loop->on_continue);
	scope_close(l, mark);
	return ways;
}

uint32_t
lower_unroll(struct lower *l, const struct node *s)
{
	struct loop loop = { .up = l->loop };
	struct range r = { 0 };
	uint32_t ways = 0, last = FALLS;

	if (!constant_range(l, s, &r)) {
		if (l->stop)
			return FALLS;
		r = (struct range){ .n = 1 }; /* one iteration, to report its errors */
	}
	if (!size_check(l, s, s->d->a, s->d->jumps & (J_BREAK | J_RETURN) ? 1 : r.n))
		return FALLS;
	lower_at(l, s);
	/* If only some threads take a break, the others continue. */
	loop.on_break = exit_open(l, s->d->jumps & J_BREAK && s->d->maybe & (J_BREAK | J_CONTINUE));
	l->loop = &loop;
	for (uint64_t i = 0; i < r.n && last & (FALLS | J_CONTINUE) && !l->stop; i++) {
		uint64_t bits = (uint64_t)r.from + i * r.step;
		struct value v = value_error;

		if (r.adapts)
			v = adapt_integer((int64_t)bits);
		else if (r.type)
			v = value_const(r.type, type_bits(r.type) == 32 ? (uint32_t)bits : bits);

		if (!lower_count(l, s, 1))
			break;
		last = one_round(l, s, v);
		ways |= last;
		if (l->failed)
			break; /* the other iterations would have the same errors */
	}
	l->loop = loop.up;
	exit_close(l, loop.on_break);
	return (ways & J_RETURN) | (last & (FALLS | J_CONTINUE) || ways & J_BREAK ? FALLS : 0);
}
