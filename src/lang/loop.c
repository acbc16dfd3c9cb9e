/* Loops: while, for, unroll for. */
#include "lower.h"

/* A loop of the builder's own. */
struct open_loop {
	struct loop loop;
	uint8_t tail_mask;
};

static void
open_loop(struct lower *l, struct open_loop *o)
{
	o->loop = (struct loop){ .up = l->loop };
	o->tail_mask = l->tail_mask;
	l->loop = &o->loop;
	l->tail_mask = 0;
	flow_loop_begin(l);
}

static void
close_loop(struct lower *l, struct open_loop *o)
{
	l->loop = o->loop.up;
	l->tail_mask = o->tail_mask;
	flow_loop_end(l);
}

/* -- while ------------------------------------------------------------------------ */

/* Is the symbol, or where it is a buffer an element of it, assigned in the list? */
static bool
is_assigned(struct lower *l, const struct node *list, uint32_t sym)
{
	for (const struct node *s = list; s; s = s->next) {
		if (!lower_count(l, s, 1))
			return true;
		switch (s->kind) {
		case N_ASSIGN:
			for (const struct node *e = s->a; e; e = e->next)
				if (e->sym == sym || (e->kind == N_INDEX && e->a->sym == sym))
					return true;
			break;
		case N_IF:
			if (is_assigned(l, s->b->a, sym) ||
			    (s->c && is_assigned(l, s->c->kind == N_IF ? s->c : s->c->a, sym)))
				return true;
			break;
		case N_BLOCK:
		case N_GRID:
		case N_WHILE:
			if (is_assigned(l, s->kind == N_BLOCK ? s->a : s->b->a, sym))
				return true;
			break;
		case N_FOR:
			if (is_assigned(l, s->d->a, sym))
				return true;
			break;
		case N_EXPR:
			if (s->a->flags & F_CALL)
				return true; /* a function may store */
			break;
		default: break;
		}
	}
	return false;
}

/* Does the condition load something another thread might write, and read nothing
 * that the body changes? */
static bool
only_waits(struct lower *l, const struct node *e, const struct node *body, bool *loads)
{
	struct meaning m;

	switch (e->kind) {
	case N_INT:
	case N_FLOAT:
	case N_INF:
	case N_NAN:
	case N_BOOL: return true;
	case N_NAME:
		m = scope_find(l, e->sym);
		return !(m.local && m.local->kind == B_VAR && is_assigned(l, body, e->sym));
	case N_MEMBER: return true;
	case N_UNARY: return only_waits(l, e->a, body, loads);
	case N_BITCAST: return only_waits(l, e->b, body, loads);
	case N_BINARY:
		for (; e->kind == N_BINARY; e = e->a)
			if (!only_waits(l, e->b, body, loads))
				return false;
		return only_waits(l, e, body, loads);
	case N_INDEX:
		m = scope_find(l, e->a->sym);
		if (e->a->kind != N_NAME || !m.local || m.local->kind != B_ARRAY ||
		    is_assigned(l, body, e->a->sym))
			return false;
		*loads = *loads || m.local->access != QD_ACCESS_IN;
		return only_waits(l, e->b, body, loads) &&
		       (!e->c || only_waits(l, e->c, body, loads));
	default: return false;
	}
}

static void
warn_waiting(struct lower *l, const struct node *s)
{
	bool loads = false;

	if (l->sink->quiet || (s->b->jumps & (J_BREAK | J_RETURN)))
		return;
	if (only_waits(l, s->a, s->b->a, &loads) && loads)
		sink_warn(l->sink, s->a->at, s->a->len, DIAG_W0302);
}

enum flow
lower_while(struct lower *l, const struct node *s)
{
	struct open_loop o;
	struct value cond, stop;
	bool forever;

	warn_waiting(l, s);
	open_loop(l, &o);
	cond = lower_condition(l, s->a);
	forever = cond.kind == V_CONST && cond.bits && !(s->b->jumps & J_BREAK);
	if (cond.kind != V_CONST || !cond.bits) {
		stop = value_apply(l, s->a, OP_NOT, &cond, 1);
		qd_break_if(l->b, value_emit(l, &stop));
	}
	lower_block(l, s->b);
	close_loop(l, &o);
	return forever ? ENDED : FALLS;
}

/* -- for ----------------------------------------------------------------------------- */

/* The bounds, of one integer type. */
static bool
bounds(struct lower *l, const struct node *s, struct value *v)
{
	/* The two stand alone, not in a list. */
	struct node pair[2] = { *s->a, *s->b };

	pair[0].next = &pair[1];
	pair[1].next = NULL;
	if (!lower_same(l, pair, 2, QD_TYPE_NONE, v))
		return false;
	for (int i = 0; i < 2; i++) {
		if (!type_is(v[i].type, TM_INT)) {
			lower_error(l, i ? s->b : s->a, DIAG_E0348, type_info[v[i].type].name);
			return false;
		}
	}
	if (v[0].type != v[1].type) {
		lower_error(l, s->b, DIAG_E0301, type_info[v[0].type].name,
			    type_info[v[1].type].name);
		return false;
	}
	return true;
}

static struct value
apply2(struct lower *l, const struct node *n, enum op op, struct value a, struct value b)
{
	struct value v[2] = { a, b };

	return value_apply(l, n, op, v, 2);
}

static bool
is_one(const struct value *v)
{
	return v->kind == V_CONST && v->bits == 1;
}

static bool
is_zero(const struct value *v)
{
	return v->kind == V_CONST && v->bits == 0;
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
	if (step->type != type) {
		lower_error(l, s->c, DIAG_E0301, type_info[type].name, type_info[step->type].name);
		return false;
	}
	if (step->kind == V_CONST && !is_positive(step)) {
		number = type == QD_TYPE_I32 ? (int32_t)(uint32_t)step->bits
					     : (long long)(int64_t)step->bits;
		lower_error(l, s->c, DIAG_E0219, "the step", number, "positive");
		return false;
	}
	return true;
}

/* Rounds of a..b step s as an unsigned number: (b - a - 1) / s + 1 where a < b and
 * s > 0, else none.  No part of it wraps, so neither does the count. */
static struct value
count_rounds(struct lower *l, const struct node *s, struct value a, struct value b,
	     struct value step)
{
	qd_type u = type_unsigned(a.type);
	struct value one = value_const(u, 1), zero = value_const(u, 0), sel[3], n;

	n = value_bitcast(l, s, u, is_zero(&a) ? b : apply2(l, s, OP_SUB, b, a));
	if (!is_one(&step)) {
		n = apply2(l, s, OP_DIV, apply2(l, s, OP_SUB, n, one),
			   value_bitcast(l, s, u, step));
		n = apply2(l, s, OP_ADD, n, one);
	}
	sel[0] = apply2(l, s, OP_LT, a, b);
	if (step.kind != V_CONST)
		sel[0] = apply2(l, s, OP_AND, sel[0],
				apply2(l, s, OP_LT, value_const(a.type, 0), step));
	sel[1] = n;
	sel[2] = zero;
	return value_select(l, s, sel);
}

static struct value
make_dyn(struct lower *l, struct value v)
{
	struct value r = value_dyn(v.type, value_emit(l, &v));

	return v.kind == V_ERROR ? v : r;
}

/* The variable counts rounds and is advanced at the head, so that continue needs
 * no way of its own; with step 1 it is the index itself and never wraps. */
enum flow
lower_for(struct lower *l, const struct node *s)
{
	struct scope_mark mark = scope_open(l, false);
	struct value v[2], step, limit, i, k;
	bool by_one, ok;
	struct open_loop o;
	struct binding *bind;
	struct qd_var var = { 0 };

	ok = bounds(l, s, v) && for_step(l, s, v[0].type, &step);
	if (!ok) {
		v[0] = v[1] = step = value_error;
		v[0].type = QD_TYPE_NONE;
	}
	by_one = !ok || is_one(&step);
	lower_at(l, s);
	if (ok) {
		v[0] = v[0].kind == V_CONST ? v[0] : make_dyn(l, v[0]);
		step = step.kind == V_CONST ? step : make_dyn(l, step);
		limit = make_dyn(l, by_one ? v[1] : count_rounds(l, s, v[0], v[1], step));
		k = by_one ? v[0] : value_const(limit.type, 0);
		var = qd_var(l->b, value_emit(l, &k));
	}
	open_loop(l, &o);
	i = value_error;
	if (ok) {
		k = value_dyn(limit.type, qd_get(l->b, var));
		i = apply2(l, s, OP_LE, limit, k);
		qd_break_if(l->b, value_emit(l, &i));
		i = apply2(l, s, OP_ADD, k, value_const(k.type, 1));
		qd_set(l->b, var, value_emit(l, &i));
		i = k;
		if (!by_one)
			i = apply2(l, s, OP_MUL, value_bitcast(l, s, v[0].type, k), step);
		if (!by_one && !is_zero(&v[0]))
			i = apply2(l, s, OP_ADD, v[0], i);
	}
	if ((bind = scope_bind(l, B_VALUE, s, "a loop variable")))
		bind->value = i;
	lower_block(l, s->d);
	close_loop(l, &o);
	scope_close(l, mark);
	return FALLS;
}

/* -- unroll for ----------------------------------------------------------------------------- */

struct range {
	qd_type type;
	int64_t from;
	uint64_t n, step;
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
	r->from = from;
	r->step = (uint64_t)by;
	if (by == 0 || (type_info[r->type].is_signed && by < 0))
		by = 1; /* a template's value: reported where it is chosen */
	span = (uint64_t)to - (uint64_t)from;
	if (type_info[r->type].is_signed ? from >= to : (uint64_t)from >= (uint64_t)to)
		r->n = 0;
	else
		r->n = (span - 1) / (uint64_t)by + 1;
	return true;
}

static enum flow
one_round(struct lower *l, const struct node *s, struct value i, struct frame *round, bool wrap)
{
	struct scope_mark mark = scope_open(l, false);
	struct binding *bind;
	enum flow state;

	if ((bind = scope_bind(l, B_VALUE, s, "a loop variable")))
		bind->value = i;
	lower_at(l, s);
	flow_open(l, round, J_CONTINUE, wrap, false);
	l->loop->on_continue = round;
	state = lower_block(l, s->d);
	flow_close(l, round, state);
	scope_close(l, mark);
	return state;
}

enum flow
lower_unroll(struct lower *l, const struct node *s)
{
	struct loop loop = { .up = l->loop, .is_unrolled = true };
	struct frame whole, round;
	struct range r = { 0 };
	bool wrap_round, wrap_whole;
	enum flow state = FALLS;

	if (!constant_range(l, s, &r)) {
		if (l->stop)
			return FALLS;
		r = (struct range){ .n = 1 }; /* once, for its errors */
	}
	wrap_round = (s->d->jumps & J_CONTINUE) && !flow_is_tail(l, s->d->a, J_CONTINUE);
	/* Who goes on to the next round does not reach the break of this one. */
	wrap_whole = (s->d->jumps & J_BREAK) &&
		     (!flow_is_static(l, s->d->a, J_BREAK) ||
		      ((s->d->jumps & J_CONTINUE) && !flow_is_static(l, s->d->a, J_CONTINUE)));
	lower_at(l, s);
	flow_open(l, &whole, J_BREAK, wrap_whole || wrap_round, wrap_round);
	l->tail_mask = 0;
	loop.on_break = &whole;
	l->loop = &loop;
	for (uint64_t i = 0; i < r.n && !l->stop; i++) {
		uint64_t bits = (uint64_t)r.from + i * r.step;
		struct value v =
			r.type ? value_const(r.type,
					     type_bits(r.type) == 32 ? (uint32_t)bits : bits)
			       : value_error;

		if (!lower_count(l, s, 1))
			break;
		state = one_round(l, s, v, &round, wrap_round);
		if (state == JUMPED && !wrap_round)
			break;
		if (state == ENDED && loop.hit_break && !whole.wrap)
			break;
		state = FALLS;
		if (l->failed)
			break; /* the other rounds would say the same */
	}
	l->loop = loop.up;
	flow_close(l, &whole, state);
	return state == JUMPED && !whole.wrap ? JUMPED : FALLS;
}
