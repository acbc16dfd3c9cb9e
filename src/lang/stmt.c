/* Statements, statement lists, and the body of a kernel with its grid loop. */
#include "lower.h"

static uint32_t lower_stmt(struct lower *l, const struct node *s);
static bool count_statement(struct lower *l, const struct node *s);

/* -- if ------------------------------------------------------------------------ */

/* Opens an if. Returns 1 or 0 if the condition is constant, -2 if it is constant once the target
 * and the templates are known, else -1. */
static int
begin_if(struct lower *l, const struct node *s)
{
	struct value cond = lower_condition(l, s->a);

	if (l->in_operator)
		lower_error(l, s, DIAG_E0326, "'if'");
	lower_at(l, s);
	qd_if(l->b, value_emit(l, &cond));
	if (cond.kind == V_CONST)
		return cond.bits != 0;
	return cond.kind != V_ERROR && cond.known ? -2 : -1;
}

/* Lowers an if or an else branch. Walks along the else-ifs in a loop; each is nested in the else
 * of the previous one. A static if is replaced by the arm that it selects. */
static uint32_t
lower_if(struct lower *l, const struct node *s)
{
	uint32_t n_open = 0, ways = 0;
	int known, n_dead = l->n_dead, n_maybe = l->n_maybe;

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
		l->n_maybe += known == -2;
		ways |= lower_block(l, s->b);
		l->n_dead += (known == 1) - (known == 0);
		if (s->c)
			qd_else(l->b);
	}
	ways |= s && s->kind == N_BLOCK ? lower_block(l, s) : FALLS;
	l->n_dead = n_dead;
	l->n_maybe = n_maybe;
	while (n_open--)
		qd_end(l->b);
	return ways;
}

/* -- Jumps ----------------------------------------------------------------------- */

uint32_t
exit_open(struct lower *l, bool wanted)
{
	return wanted && !l->in_operator ? build_block(l->b) : 0;
}

void
exit_close(struct lower *l, uint32_t exit)
{
	if (exit)
		qd_end(l->b);
}

static uint32_t
jump(struct lower *l, const struct node *s, uint32_t to)
{
	lower_at(l, s);
	if (to)
		build_break(l->b, to, (struct qd_val){ 0 });
	return s->jumps;
}

static uint32_t
lower_return(struct lower *l, const struct node *s)
{
	struct call *c = l->call;
	struct results r;
	struct value *v = r.v;

	if (l->grid && !c->up) {
		lower_error(l, s, DIAG_E0124);
		return FALLS;
	}
	r.n = 0;
	if (s->a && !lower_values(l, s->a, c->types, c->n, &r))
		return J_RETURN;
	if (r.n != c->n) {
		if (c->fn->kind == N_KERNEL)
			l->help.help = "a kernel returns nothing: store the value in an 'out' buffer";
		else if (!c->n)
			l->help.help = "write '->' and its type after the parameters: fn f(x: f32) -> f32";
		lower_error(l, s, DIAG_E0123, SYM(l->m, c->fn->sym), c->n, r.n);
		return J_RETURN;
	}
	for (uint32_t i = 0; i < r.n; i++) {
		if (v[i].kind != V_ERROR && v[i].type != c->types[i]) {
			struct node whole = *s;
			const struct node *e = s->a;

			for (uint32_t j = 0; j < i && e; j++)
				e = e->next;
			if (e)
				whole = lower_whole(l, e);
			lower_convert(l, c->types[i], e ? &whole : NULL);
			lower_error(l, &whole, DIAG_E0349, i + 1, type_info[v[i].type].name,
				    SYM(l->m, c->fn->sym), type_info[c->types[i]].name);
			v[i] = value_error;
		}
		if (c->direct)
			c->values[i] = v[i];
		else
			qd_set(l->b, c->vars[i], value_emit(l, &v[i]));
	}
	return jump(l, s, c->on_return);
}

static uint32_t
lower_break(struct lower *l, const struct node *s)
{
	struct loop *loop = l->loop;
	bool is_break = s->kind == N_BREAK;

	if (!loop)
		lower_error(l, s, DIAG_E0120, is_break ? "break" : "continue");
	else if (is_break && loop->is_grid)
		lower_error(l, s, DIAG_E0133);
	else
		return jump(l, s, is_break ? loop->on_break : loop->on_continue);
	return s->jumps;
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

/* Lowers the loop and its body. Threads without an index in the loop continue after it too. */
static uint32_t
lower_grid(struct lower *l, const struct node *s)
{
	struct scope_mark mark;
	struct loop loop = { .is_grid = true };
	struct binding *bind;
	struct value n = lower_expr(l, s->a, QD_TYPE_NONE), i = value_error;

	if (n.kind != V_ERROR && !type_is(n.type, TM_INT))
		lower_error(l, s->a, DIAG_E0302, type_info[n.type].name, "an integer");
	else if (n.kind != V_ERROR) {
		lower_at(l, s);
		i = value_dyn(n.type, qd_grid(l->b, value_emit(l, &n)));
	}
	l->grid = NULL;
	l->loop = &loop;
	loop.on_continue = i.v.id;
	if (!s->next)
		l->call->on_return = i.v.id;
	mark = scope_open(l, false);
	if ((bind = scope_bind(l, B_VALUE, s, "the grid loop's index")))
		bind->value = i;
	lower_block(l, s->b);
	scope_close(l, mark);
	l->loop = NULL;
	qd_end(l->b);
	return FALLS;
}

static uint32_t
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
	case N_SHARED: lower_shared(l, s); return FALLS;
	case N_IF: return lower_if(l, s);
	case N_WHILE: return lower_while(l, s);
	case N_FOR: return s->flags & F_STATIC ? lower_unroll(l, s) : lower_for(l, s);
	case N_GRID:
		if (s == l->grid)
			return lower_grid(l, s);
		lower_error(l, s, l->b->k->grid ? DIAG_E0316 : DIAG_E0317);
		return FALLS;
	case N_RETURN: return lower_return(l, s);
	case N_BREAK:
	case N_CONTINUE: return lower_break(l, s);
	default: return lower_block(l, s);
	}
}

static uint32_t
lower_list(struct lower *l, const struct node *first)
{
	uint32_t ways = FALLS;

	for (const struct node *s = first; s && !l->stop; s = s->next) {
		ways = (ways & ~(uint32_t)FALLS) | lower_stmt(l, s);
		if (ways & FALLS)
			continue;
		if (s->next && !(s->kind == N_IF && s->flags & F_STATIC) && s->kind != N_FOR)
			lower_warn(l, s, DIAG_W0304);
		break;
	}
	return ways;
}

uint32_t
lower_block(struct lower *l, const struct node *block)
{
	struct scope_mark mark = scope_open(l, false);
	uint32_t ways = FALLS;

	if (lower_deeper(l, block)) {
		ways = lower_list(l, block->a);
		depth_leave(&l->depth);
	}
	scope_close(l, mark);
	return ways;
}

/* -- The body of a kernel ---------------------------------------------------------------- */

void
lower_body(struct lower *l, const struct node *body)
{
	struct scope_mark mark = scope_open(l, false);
	const struct node *s = body->a;
	uint32_t whole;

	while (s && s->kind != N_GRID)
		s = s->next;
	l->grid = s;
	/* A return in a grid loop that is the last statement only needs to leave that loop. */
	whole = exit_open(l, (body->maybe & J_RETURN) && !(s && !s->next));
	l->call->on_return = whole;
	lower_list(l, body->a);
	exit_close(l, whole);
	scope_close(l, mark);
}
