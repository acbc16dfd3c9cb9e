/* Statements, lists of them, and the body of a kernel with its grid loop. */
#include "lower.h"

static enum flow lower_stmt(struct lower *l, const struct node *s);
static bool count_statement(struct lower *l, const struct node *s);

static bool
always_ends(const struct node *s, uint8_t mask)
{
	return s->ends && !(s->ends & ~mask);
}

/* -- if ------------------------------------------------------------------------ */

/* Opens it; 1 or 0 where the condition is known to hold or not, else -1. */
static int
begin_if(struct lower *l, const struct node *s)
{
	struct value cond = lower_condition(l, s->a);

	if (l->in_operator)
		lower_error(l, s, DIAG_E0326, "'if'");
	lower_at(l, s);
	qd_if(l->b, value_emit(l, &cond));
	return cond.kind == V_CONST ? cond.bits != 0 : -1;
}

/* An if, or what stands behind an else: in a loop along the else-ifs, each in the
 * else of the one before; a static one takes the place of the arm that it picks. */
static enum flow
lower_if(struct lower *l, const struct node *s)
{
	uint32_t n_open = 0;
	bool falls = false;
	enum flow state = FALLS;
	int known, n_dead = l->n_dead;

	for (; s && s->kind == N_IF; s = s->c) {
		struct value cond;
		int64_t holds;

		if (s->d && !count_statement(l, s))
			break;
		if (s->flags & F_STATIC) {
			cond = lower_condition(l, s->a);
			if (!value_need(l, s->a, &cond, "the condition of a 'static if'", &holds))
				break;
			if (!holds)
				continue;
			s = s->b;
			break;
		}
		known = begin_if(l, s);
		n_open++;
		l->n_dead += known == 0;
		falls = lower_block(l, s->b) == FALLS || falls;
		l->n_dead += (known == 1) - (known == 0);
		if (s->c)
			qd_else(l->b);
	}
	if (s && s->kind == N_BLOCK)
		state = lower_block(l, s);
	l->n_dead = n_dead;
	if (!n_open)
		return state;
	while (n_open--)
		qd_end(l->b);
	return falls || state == FALLS ? FALLS : ENDED;
}

/* An if of which one arm jumps, in a place where jumps are not emitted: what
 * follows it becomes part of the other arm. */
static enum flow
lower_tail_if(struct lower *l, const struct node *s)
{
	bool rest_in_else = always_ends(s->b, l->tail_mask);
	enum flow state = FALLS;

	if (!lower_deeper(l, s))
		return ENDED;
	begin_if(l, s);
	lower_block(l, s->b);
	if (!rest_in_else)
		state = lower_list(l, s->next);
	qd_else(l->b);
	if (s->c)
		lower_if(l, s->c);
	if (rest_in_else)
		state = lower_list(l, s->next);
	qd_end(l->b);
	l->depth--;
	return state == FALLS ? FALLS : ENDED;
}

/* -- Jumps ----------------------------------------------------------------------- */

static enum flow
lower_return(struct lower *l, const struct node *s)
{
	struct call *c = l->call;
	struct results r;
	struct value *v = r.v;

	r.n = 0;
	if (s->a && !lower_values(l, s->a, c->types, c->n, &r))
		return flow_jump(l, c->frame);
	if (r.n != c->n) {
		lower_error(l, s, DIAG_E0123, SYM(l->m, c->fn->sym), c->n, r.n);
		return flow_jump(l, c->frame);
	}
	for (uint32_t i = 0; i < r.n; i++) {
		if (v[i].kind != V_ERROR && v[i].type != c->types[i]) {
			lower_convert(l, c->types[i]);
			lower_error(l, s, DIAG_E0349, i + 1, type_info[v[i].type].name,
				    SYM(l->m, c->fn->sym), type_info[c->types[i]].name);
			v[i] = value_error;
		}
		if (c->direct)
			c->values[i] = v[i];
		else
			qd_set(l->b, c->vars[i], value_emit(l, &v[i]));
	}
	lower_at(l, s);
	return flow_jump(l, c->frame);
}

static enum flow
lower_break(struct lower *l, const struct node *s)
{
	struct loop *loop = l->loop;
	bool is_break = s->kind == N_BREAK;
	struct frame *f;

	if (!loop) {
		lower_error(l, s, DIAG_E0120, is_break ? "break" : "continue");
		return ENDED;
	}
	if (is_break && loop->is_grid) {
		lower_error(l, s, DIAG_E0133);
		return ENDED;
	}
	lower_at(l, s);
	f = is_break ? loop->on_break : loop->on_continue;
	loop->hit_break = loop->hit_break || is_break;
	if (f)
		return flow_jump(l, f);
	if (is_break)
		qd_break(l->b);
	else
		qd_continue(l->b);
	return JUMPED;
}

/* -- Others ------------------------------------------------------------------------- */

static void
lower_expr_stmt(struct lower *l, const struct node *s)
{
	struct results r;

	if (s->a->kind == N_CALL)
		lower_call(l, s->a, QD_TYPE_NONE, &r);
	else if (lower_expr(l, s->a, QD_TYPE_NONE).kind != V_ERROR)
		lower_error(l, s->a, DIAG_E0122);
}

static bool
count_statement(struct lower *l, const struct node *s)
{
	if (QD_UNLIKELY(++l->n_statements > MAX_STATEMENTS))
		lower_too_much(l, s, true);
	lower_sync(l);
	return !l->stop && lower_count(l, s, 1);
}

static enum flow
lower_stmt(struct lower *l, const struct node *s)
{
	if (!count_statement(l, s))
		return FALLS;
	if (l->in_operator &&
	    (s->kind == N_WHILE || (s->kind == N_FOR && !(s->flags & F_STATIC)))) {
		lower_error(l, s, DIAG_E0326, "a loop");
		return FALLS;
	}
	switch (s->kind) {
	case N_LET: lower_let(l, s); return FALLS;
	case N_ASSIGN: lower_assign(l, s); return FALLS;
	case N_EXPR: lower_expr_stmt(l, s); return FALLS;
	case N_SHARED:
		lower_error(l, s, DIAG_E0117, "shared");
		scope_bind(l, B_VALUE, s, "a shared array");
		return FALLS;
	case N_IF: return lower_if(l, s);
	case N_WHILE: return lower_while(l, s);
	case N_FOR: return s->flags & F_STATIC ? lower_unroll(l, s) : lower_for(l, s);
	case N_GRID: lower_error(l, s, l->b->k->grid ? DIAG_E0316 : DIAG_E0317); return FALLS;
	case N_RETURN: return lower_return(l, s);
	case N_BREAK:
	case N_CONTINUE: return lower_break(l, s);
	default: return lower_block(l, s);
	}
}

enum flow
lower_list(struct lower *l, const struct node *first)
{
	for (const struct node *s = first; s && !l->stop; s = s->next) {
		enum flow state;

		if (s->kind == N_IF && !(s->flags & F_STATIC) && s->next &&
		    (s->jumps & l->tail_mask) && !always_ends(s, l->tail_mask) &&
		    (always_ends(s->b, l->tail_mask) || (s->c && always_ends(s->c, l->tail_mask))))
			return count_statement(l, s) ? lower_tail_if(l, s) : ENDED;
		state = lower_stmt(l, s);
		if (state == FALLS)
			continue;
		if (s->next && !(s->kind == N_IF && s->flags & F_STATIC) && s->kind != N_FOR)
			sink_warn(l->sink, s->at, s->len, DIAG_W0304);
		return state;
	}
	return FALLS;
}

enum flow
lower_block(struct lower *l, const struct node *block)
{
	struct scope_mark mark = scope_open(l, false);
	enum flow state = FALLS;

	if (lower_deeper(l, block)) {
		state = lower_list(l, block->a);
		l->depth--;
	}
	scope_close(l, mark);
	return state;
}

/* -- The body of a kernel ---------------------------------------------------------------- */

/* The grid loop and what follows it. */
static void
lower_grid(struct lower *l, const struct node *s, struct frame *whole)
{
	struct scope_mark mark;
	struct loop loop = { .is_grid = true };
	struct frame round;
	struct binding *bind;
	struct value n = lower_expr(l, s->a, QD_TYPE_NONE), i = value_error;
	uint8_t jumps = s->b->jumps;
	bool alone = !s->next, wrap;
	enum flow state;

	if (n.kind != V_ERROR && !type_is(n.type, TM_INT))
		lower_error(l, s->a, DIAG_E0302, type_info[n.type].name, "an integer");
	else if (n.kind != V_ERROR) {
		lower_at(l, s);
		i = value_dyn(n.type, qd_grid(l->b, value_emit(l, &n)));
	}
	/* Where nothing follows, continue and return are the same. */
	if (alone)
		wrap = !flow_is_tail(l, s->b->a, J_RETURN | J_CONTINUE);
	else
		wrap = (jumps & J_RETURN) || !flow_is_tail(l, s->next, J_RETURN);
	flow_open(l, whole, alone ? J_RETURN | J_CONTINUE : J_RETURN, wrap, true);
	mark = scope_open(l, false);
	if ((bind = scope_bind(l, B_VALUE, s, "the grid loop's index")))
		bind->value = i;
	loop.on_continue = whole;
	l->loop = &loop;
	if (!alone) {
		flow_open(l, &round, J_CONTINUE,
			  (jumps & J_CONTINUE) && !flow_is_tail(l, s->b->a, J_CONTINUE), false);
		loop.on_continue = &round;
	}
	state = lower_block(l, s->b);
	scope_close(l, mark);
	l->loop = NULL;
	if (!alone) {
		if (state == JUMPED && !round.wrap) {
			/* An unconditional return: the rest is never reached. */
			flow_close(l, &round, state);
		} else {
			flow_close(l, &round, state);
			state = lower_list(l, s->next);
		}
	}
	flow_close(l, whole, state);
}

enum flow
lower_body(struct lower *l, const struct node *body)
{
	struct scope_mark mark = scope_open(l, false);
	struct frame whole = { 0 };
	const struct node *s = body->a;
	enum flow state;

	l->call->frame = &whole;
	while (s && s->kind != N_GRID)
		s = s->next;
	if (!s) {
		flow_open(l, &whole, J_RETURN, !flow_is_tail(l, body->a, J_RETURN),
			  body->jumps & J_DEEP);
		state = lower_list(l, body->a);
		flow_close(l, &whole, state);
	} else {
		for (s = body->a; s->kind != N_GRID; s = s->next) {
			if (s->jumps & J_RETURN) {
				lower_error(l, s, DIAG_E0124);
				continue;
			}
			lower_stmt(l, s);
		}
		if (count_statement(l, s))
			lower_grid(l, s, &whole);
	}
	scope_close(l, mark);
	return FALLS;
}
