/* let, var and assignments. All right sides are evaluated before anything on the left changes,
 * so `a, b = b, a` swaps. */
#include "lower.h"

/* Target of an assignment. */
struct place {
	const struct node *n;
	uint8_t type; /* required type of the value; NONE: any, or an error */
	bool is_element, is_error;
	uint32_t bind;	      /* of a variable */
	struct binding array; /* of an element */
	struct value index;
};

static bool
counts_agree(struct lower *l, const struct node *s, uint32_t left, uint32_t right)
{
	if (left == right)
		return true;
	if (!right)
		l->help.help = "the call returns no value: write it as a statement";
	return lower_error(l, s, DIAG_E0130, left, right);
}

/* Returns the expression of the next value; one call may give several. */
static const struct node *
after(const struct node *e)
{
	return e->next ? e->next : e;
}

/* -- let and var ------------------------------------------------------------------- */

static void
declare(struct lower *l, const struct node *s, const struct node *name, struct value v)
{
	struct binding *b;

	if (!s->op) {
		if ((b = scope_bind(l, B_VALUE, name, "a 'let'")))
			b->value = v;
		return;
	}
	if (!(b = scope_bind(l, B_VAR, name, "a 'var'")))
		return;
	b->type = v.kind == V_ERROR ? QD_TYPE_NONE : v.type;
	b->local = l->in_operator;
	v.guarded = false;
	b->value = v;
	if (b->type && !b->local) {
		lower_at(l, name);
		b->var = qd_var(l->b, value_emit(l, &v));
	}
}

void
lower_let(struct lower *l, const struct node *s)
{
	struct results r;
	uint8_t want[MAX_VALUES] = { 0 };
	uint32_t n_names = (uint32_t)s->num, i = 0;
	qd_type type = QD_TYPE_NONE;
	bool ok = true;

	if (s->b && s->b->flags & F_ARRAY) {
		l->help.help = help_local_array;
		ok = lower_error(l, s->b, DIAG_E0347, "an array", "a local");
	} else if (s->b)
		ok = (type = scope_type(l, s->b, false)) != QD_TYPE_NONE;
	memset(want, (int)type, sizeof want);
	ok = lower_values(l, s->c, want, n_names, &r) && counts_agree(l, s, n_names, r.n) && ok;
	for (const struct node *name = s->a, *e = s->c; name; name = name->next, e = after(e), i++) {
		struct value x = ok ? r.v[i] : value_error;

		if (x.kind != V_ERROR && type && x.type != type) {
			struct node whole = lower_whole(l, e);
			lower_convert(l, type, &whole);
			lower_error(l, &whole, DIAG_E0342, SYM(l->m, name->sym), type_info[type].name,
				    type_info[x.type].name);
			x = value_error;
		}
		declare(l, s, name, x);
	}
}

/* -- Assignments ---------------------------------------------------------------------- */

static void
find_variable(struct lower *l, const struct node *n, struct place *p)
{
	struct meaning m = scope_find(l, n->sym);

	p->is_error = true;
	if (m.is == B_VAR) {
		p->is_error = m.local->type == QD_TYPE_NONE;
		p->type = m.local->type;
		p->bind = (uint32_t)(m.local - l->bind);
	} else if (m.is == M_NOTHING) {
		scope_wrong(l, n, n->sym, "");
	} else {
		if (m.local)
			lower_note(l, m.local->at, m.local->len, "it is declared here");
		lower_error(l, n, DIAG_E0119, SYM(l->m, n->sym),
			    m.local ? m.local->what : meaning_text(&m));
	}
}

static void
find_element(struct lower *l, const struct node *n, struct place *p)
{
	struct binding *a = lower_array(l, n->a);
	char name[MAX_NAME + 1];

	p->is_error = true;
	p->is_element = true;
	if (!a)
		return;
	p->array = *a;
	p->type = type_info[a->type].wide;
	if (n->c) {
		lower_error(l, n, DIAG_E0136);
		return;
	}
	if (p->array.access == QD_ACCESS_IN) {
		lower_error(l, n, p->array.table ? DIAG_E0392 : DIAG_E0312, lower_name(l, p->array.sym, name));
		return;
	}
	p->is_error = false;
}

static void
find_place(struct lower *l, const struct node *n, struct place *p)
{
	*p = (struct place){ .n = n };
	if (n->kind == N_NAME) {
		find_variable(l, n, p);
	} else if (n->kind == N_INDEX) {
		find_element(l, n, p);
	} else {
		lower_error(l, n, DIAG_E0136);
		p->is_error = true;
	}
}

static void
find_index(struct lower *l, struct place *p)
{
	if (!p->is_element || p->is_error)
		return;
	p->is_error = !lower_index(l, p->n, &p->array, &p->index);
}

/* e is the expression of the value. */
static void
store(struct lower *l, const struct place *p, struct value v, const struct node *e)
{
	if (p->is_error || v.kind == V_ERROR)
		return;
	if (v.type != p->type) {
		struct node whole = lower_whole(l, e);
		lower_convert(l, p->type, &whole);
		lower_error(l, &whole, p->is_element ? DIAG_E0308 : DIAG_E0306,
			    type_info[p->type].name, type_info[v.type].name);
		return;
	}
	lower_at(l, p->n);
	if (p->is_element) {
		if (l->in_operator)
			lower_error(l, p->n, DIAG_E0326, "a store");
		struct qd_val index = value_emit(l, &p->index);
		qd_store(l->b, p->array.array, index, value_emit(l, &v));
	} else if (l->bind[p->bind].local) {
		v.guarded = false;
		l->bind[p->bind].value = v;
	} else {
		qd_set(l->b, l->bind[p->bind].var, value_emit(l, &v));
	}
}

/* Returns the current value of the target of a compound assignment. */
static struct value
current(struct lower *l, struct place *p)
{
	if (p->is_error)
		return value_error;
	if (!p->is_element)
		return lower_expr(l, p->n, QD_TYPE_NONE);
	find_index(l, p);
	return p->is_error ? value_error : lower_load(l, p->n, &p->array, p->index, NULL);
}

static void
compound(struct lower *l, const struct node *s, struct place *p, uint32_t n_left)
{
	struct value v[MAX_VALUES];
	struct node op = { .kind = N_BINARY, .op = s->op };
	uint32_t i = 0, n_right = 0;

	for (const struct node *e = s->c; e; e = e->next)
		n_right++;
	if (!counts_agree(l, s, n_left, n_right))
		return;
	for (const struct node *e = s->c; e; e = e->next, i++) {
		v[i] = current(l, &p[i]);
		op.at = p[i].n->at;
		op.len = p[i].n->len;
		op.b = (struct node *)(uintptr_t)e;
		v[i] = lower_operation(l, &op, v[i]);
	}
	i = 0;
	for (const struct node *e = s->c; e; e = e->next, i++)
		store(l, &p[i], v[i], e);
}

void
lower_assign(struct lower *l, const struct node *s)
{
	struct place p[MAX_VALUES];
	struct results r;
	uint8_t want[MAX_VALUES] = { 0 };
	uint32_t n_left = (uint32_t)s->num, i = 0;

	for (const struct node *e = s->a; e; e = e->next, i++) {
		find_place(l, e, &p[i]);
		want[i] = p[i].type;
	}
	if (s->op != T_ASSIGN) {
		compound(l, s, p, n_left);
		return;
	}
	if (!lower_values(l, s->c, want, n_left, &r) || !counts_agree(l, s, n_left, r.n))
		return;
	for (i = 0; i < n_left; i++)
		find_index(l, &p[i]);
	const struct node *e = s->c;
	for (i = 0; i < n_left; i++, e = after(e))
		store(l, &p[i], r.v[i], e);
}
