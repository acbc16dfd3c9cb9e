/* Functions of the file: always inlined.  Arguments are evaluated in the caller's
 * scope onto the stack of bindings, without names; then the names are given and
 * everything below is out of sight. */
#include "lower.h"

/* What is known of a call while its arguments are evaluated. */
struct inlining {
	const struct node *call, *fn;
	const char *name;
	uint32_t base;		 /* the first binding */
	uint8_t types[MAX_TMPL]; /* of type templates, as they are found */
	struct value ints[MAX_TMPL];
	char text[MAX_NAME + 1];
};

/* -- Templates of functions --------------------------------------------------------- */

static bool
is_type_choice(const struct node *t)
{
	return t->a != NULL && !(t->flags & F_STATIC);
}

/* The slot of the template parameter that a type names, or NULL. */
static uint8_t *
type_slot(struct inlining *in, const struct node *type)
{
	uint32_t i = 0;

	for (const struct node *t = in->fn->a; t; t = t->next, i++)
		if (t->sym == type->sym && is_type_choice(t))
			return &in->types[i];
	return NULL;
}

/* A parameter's type, NONE where it is not known yet. */
static bool
param_type(struct lower *l, struct inlining *in, const struct node *type, qd_type *out)
{
	uint8_t *slot = type_slot(in, type);

	if (slot) {
		*out = *slot;
		return true;
	}
	if (!word_is_type(type->sym))
		return lower_error(l, type, DIAG_E0343, SYM(l->m, type->sym));
	*out = word_type(type->sym);
	if (!(type->flags & F_ARRAY) && type_info[*out].wide != *out)
		return lower_error(l, type, DIAG_E0344, type_info[*out].name);
	return true;
}

static bool
choice_allowed(struct lower *l, struct inlining *in, const struct node *t, qd_type type)
{
	char list[96];
	uint32_t mask = 0;

	for (const struct node *c = t->a; c; c = c->next) {
		if (c->kind != N_NAME || !word_is_type(c->sym))
			return lower_error(l, c, DIAG_E0227, in->name);
		mask |= 1u << word_type(c->sym);
	}
	if (mask >> type & 1)
		return true;
	return lower_error(l, in->call, DIAG_E0222, lower_name(l, t->sym, in->text), type_info[type].name,
		    type_list(list, sizeof list, mask));
}

/* static L in lo..=hi, given as L = value in the call */
static bool
integer_template(struct lower *l, struct inlining *in, const struct node *t, struct value *out)
{
	const struct node *a = in->call->kind == N_CALL ? in->call->b : NULL;
	struct value lo, hi;
	int64_t from, to, given;

	while (a && !(a->kind == N_NAMED && a->sym == t->sym))
		a = a->next;
	if (!a)
		return lower_error(l, in->call, DIAG_E0226, SYM(l->m, t->sym));
	*out = lower_expr(l, a->a, QD_TYPE_I32);
	if (out->kind == V_ERROR)
		return false;
	if (!out->known || out->type != QD_TYPE_I32)
		return lower_error(l, a->a, DIAG_E0218, "a template argument");
	if (out->kind != V_CONST || t->a)
		return true;
	lo = lower_expr(l, t->b, QD_TYPE_I32);
	hi = lower_expr(l, t->c, QD_TYPE_I32);
	if (!value_need(l, t->b, &lo, "a template's range", &from) ||
	    !value_need(l, t->c, &hi, "a template's range", &to))
		return false;
	given = (int32_t)(uint32_t)out->bits;
	if (given >= from && given <= to)
		return true;
	return lower_error(l, a->a, DIAG_E0203, lower_name(l, t->sym, in->text), (long long)given,
		    (int)from, (int)to);
}

static bool
check_templates(struct lower *l, struct inlining *in)
{
	uint32_t i = 0;

	for (const struct node *t = in->fn->a; t; t = t->next, i++) {
		if (!is_type_choice(t)) {
			if (!integer_template(l, in, t, &in->ints[i]))
				return false;
		} else if (!in->types[i])
			return lower_error(l, in->call, DIAG_E0226, SYM(l->m, t->sym)); else if (!choice_allowed(l, in, t, in->types[i])) {
			return false;
		}
	}
	return true;
}

/* -- Arguments -------------------------------------------------------------------------- */

static void
argument_type(struct lower *l, struct inlining *in, const struct node *arg, uint32_t i,
	      const char *is, qd_type want, bool array)
{
	char text[16];

	snprintf(text, sizeof text, "%s%s", type_info[want].name, array ? "[]" : "");
	if (!array)
		lower_convert(l, want);
	lower_error(l, arg, DIAG_E0341, i + 1, in->name, is, text);
}

static bool
array_argument(struct lower *l, struct inlining *in, const struct node *p, const struct node *arg,
	       uint32_t i)
{
	struct binding *a = lower_array(l, arg), *b = &l->bind[in->base + i];
	uint8_t *slot = type_slot(in, p->a);
	char text[16], name[MAX_NAME + 1];
	qd_type want;

	if (!a || !param_type(l, in, p->a, &want))
		return false;
	if (slot && !want)
		*slot = (uint8_t)(want = a->type);
	if (want != a->type) {
		snprintf(text, sizeof text, "%s[]", type_info[a->type].name);
		argument_type(l, in, arg, i, text, want, true);
		return false;
	}
	if (!(a->access & p->op))
		return lower_error(l, arg, a->access == QD_ACCESS_IN ? DIAG_E0312 : DIAG_E0311,
			    lower_name(l, a->sym, name));
	b->kind = B_ARRAY;
	b->type = a->type;
	b->access = a->access & p->op;
	b->array = a->array;
	return true;
}

static bool
scalar_argument(struct lower *l, struct inlining *in, const struct node *p, const struct node *arg,
		uint32_t i)
{
	uint8_t *slot = type_slot(in, p->a);
	struct value v;
	qd_type want;

	if (!param_type(l, in, p->a, &want))
		return false;
	v = lower_expr(l, arg, want);
	if (v.kind == V_ERROR)
		return false;
	if (slot && !want)
		*slot = (uint8_t)(want = v.type);
	if (v.type != want) {
		argument_type(l, in, arg, i, type_info[v.type].name, want, false);
		return false;
	}
	if (p->flags & F_STATIC && !v.known)
		return lower_error(l, arg, DIAG_E0218, "an argument for a 'static' parameter");
	l->bind[in->base + i].value = v;
	return true;
}

static bool
count_arguments(struct lower *l, struct inlining *in)
{
	uint32_t n_params = 0, n_args = 0;
	char text[32];

	for (const struct node *p = in->fn->b; p; p = p->next)
		n_params++;
	for (const struct node *a = in->call->b; a; a = a->next) {
		const struct node *t = in->fn->a;

		if (a->kind != N_NAMED) {
			n_args++;
			continue;
		}
		while (t && !(t->sym == a->sym && !is_type_choice(t)))
			t = t->next;
		if (!t)
			return lower_error(l, a, DIAG_E0131, in->name, SYM(l->m, a->sym));
	}
	if (n_args == n_params)
		return true;
	snprintf(text, sizeof text, "%u argument%s", n_params, n_params == 1 ? "" : "s");
	return lower_error(l, in->call, DIAG_E0129, in->name, text, n_args);
}

static bool
push_parameters(struct lower *l, struct inlining *in)
{
	for (const struct node *p = in->fn->b; p; p = p->next) {
		if (p->op == 0)
			return lower_error(l, p, DIAG_E0117, "shared");
		if (!scope_push(l, B_VALUE, p, "a parameter"))
			return false;
	}
	return true;
}

/* Those whose type follows from nothing but another argument come last. */
static bool
arguments(struct lower *l, struct inlining *in)
{
	bool ok = count_arguments(l, in) && push_parameters(l, in);

	for (int late = 0; ok && late < 2; late++) {
		const struct node *a = in->call->b;
		uint32_t i = 0;

		for (const struct node *p = in->fn->b; p; p = p->next, i++, a = a->next) {
			bool is_late;

			while (a->kind == N_NAMED)
				a = a->next;
			is_late = !(p->a->flags & F_ARRAY) && (a->flags & F_UNTYPED) &&
				  type_slot(in, p->a);
			if (is_late != (late == 1))
				continue;
			ok = (p->a->flags & F_ARRAY ? array_argument : scalar_argument)(l, in, p, a,
											i) &&
			     ok;
		}
	}
	return ok && check_templates(l, in);
}

/* -- The body ------------------------------------------------------------------------------ */

/* From here on the bindings have names, and only they. */
static struct scope_mark
enter(struct lower *l, struct inlining *in)
{
	struct scope_mark mark = { l->scope, l->floor };
	uint32_t i = in->base, t = 0;

	l->scope = l->floor = in->base;
	for (const struct node *p = in->fn->b; p; p = p->next)
		scope_name(l, i++, p->sym);
	for (const struct node *n = in->fn->a; n; n = n->next, t++) {
		bool is_type = is_type_choice(n);
		struct binding *b =
			scope_push(l, is_type ? B_TYPE : B_VALUE, n, "a template parameter");

		if (!b)
			break;
		b->value = in->ints[t];
		b->type = is_type ? in->types[t] : 0;
		scope_name(l, l->n_bind - 1, n->sym);
	}
	return mark;
}

static bool
open_results(struct lower *l, struct call *c)
{
	for (const struct node *r = c->fn->c; r; r = r->next) {
		qd_type t = scope_type(l, r, false);

		if (t && r->flags & F_ARRAY) {
			lower_error(l, r, DIAG_E0347, "an array", "a result");
			t = QD_TYPE_NONE;
		}
		if (!t)
			return false;
		c->types[c->n] = (uint8_t)t;
		c->values[c->n++] = value_error;
	}
	c->direct = flow_is_static(l, c->fn->d->a, J_RETURN);
	for (uint32_t i = 0; i < c->n && !c->direct && !l->in_operator; i++)
		c->vars[i] = qd_var(l->b, qd_const_bits(l->b, c->types[i], 0));
	return true;
}

static void
close_results(struct lower *l, struct inlining *in, struct call *c, enum flow state,
	      struct value *out)
{
	if (state == FALLS && c->n && !l->stop)
		lower_error(l, c->fn, DIAG_E0125, SYM(l->m, c->fn->sym));
	lower_at(l, in->call);
	for (uint32_t i = 0; i < c->n; i++)
		out[i] = c->direct	  ? c->values[i]
			 : l->in_operator ? value_error
					  : value_dyn(c->types[i], qd_get(l->b, c->vars[i]));
}

static uint32_t
inline_body(struct lower *l, struct inlining *in, struct value *out)
{
	struct call c = { .up = l->call, .fn = in->fn };
	struct scope_mark mark = enter(l, in);
	struct loop *loop = l->loop;
	struct frame frame = { 0 };
	enum flow state;
	uint32_t n = CALL_FAILED;

	lower_at(l, in->call);
	l->call = &c;
	l->loop = NULL;
	l->n_calls++;
	l->marks[in->fn->sym] |= MARK_OPEN;
	if (open_results(l, &c)) {
		bool wrap = !c.direct && !flow_is_tail(l, in->fn->d->a, J_RETURN);

		flow_open(l, &frame, J_RETURN, wrap && !l->in_operator, in->fn->d->jumps & J_DEEP);
		c.frame = &frame;
		state = lower_block(l, in->fn->d);
		flow_close(l, &frame, state);
		close_results(l, in, &c, state, out);
		n = c.n;
	}
	l->n_calls--;
	l->marks[in->fn->sym] &= (uint8_t)~MARK_OPEN;
	l->loop = loop;
	l->call = c.up;
	scope_close(l, mark);
	return n;
}

struct deep_body {
	struct lower *l;
	struct inlining *in;
	struct value *out;
	uint32_t n;
};

static void
deep_body(void *arg)
{
	struct deep_body *d = arg;

	d->n = inline_body(d->l, d->in, d->out);
}

/* The body of a call that many others are around, which no stack of fixed size
 * would do for. */
static uint32_t
inline_deep(struct lower *l, struct inlining *in, struct value *out)
{
	struct deep_body d = { l, in, out, CALL_FAILED };
	uint32_t depth = l->depth;

	l->depth = 0;
	if (!run_on_new_stack(STACK_SIZE, deep_body, &d))
		l->sink->nomem = l->stop = true;
	l->depth = depth;
	return d.n;
}

static bool
may_inline(struct lower *l, const struct node *n, const struct node *fn)
{
	if (!l->b)
		return lower_error(l, n, DIAG_E0218, l->const_what);
	if (l->marks[fn->sym] & MARK_OPEN) {
		lower_note(l, fn->at, fn->len, "functions are always inlined");
		return lower_error(l, n, DIAG_E0126, SYM(l->m, fn->sym));
	}
	if (l->n_calls == MAX_CALLS) {
		lower_error(l, n, DIAG_E0112, MAX_CALLS);
		l->stop = true;
		return false;
	}
	if (l->parsing)
		((struct node *)(uintptr_t)fn)->state = true;
	return lower_count(l, n, 1);
}

uint32_t
lower_function(struct lower *l, const struct node *n, const struct node *fn, struct value *out)
{
	struct inlining in = { .call = n, .fn = fn, .base = l->n_bind, .name = "" };
	char name[MAX_NAME + 1];
	uint32_t count = CALL_FAILED;

	if (!may_inline(l, n, fn))
		return CALL_FAILED;
	in.name = lower_name(l, fn->sym, name);
	if (arguments(l, &in) && !l->stop)
		count = (l->depth < NEW_STACK_DEPTH ? inline_body : inline_deep)(l, &in, out);
	l->n_bind = in.base;
	return count;
}

/* -- Operators --------------------------------------------------------------------------------- */

bool
lower_operator(struct lower *l, const struct node *n, const struct node *fn, const struct value *v,
	       uint32_t k, struct value *out)
{
	struct inlining in = { .call = n, .fn = fn, .base = l->n_bind, .name = "" };
	uint32_t n_params = 0, i = 0, count;
	qd_type want;
	bool ok = true;

	if (!may_inline(l, n, fn))
		return false;
	for (const struct node *p = fn->b; p; p = p->next)
		n_params++;
	if (n_params != 2 * k || fn->num != k)
		return lower_error(l, n, DIAG_E0350, k, 2 * k, k, SYM(l->m, fn->sym), n_params,
			    (unsigned)fn->num);
	ok = push_parameters(l, &in);
	for (const struct node *p = fn->b; p && ok; p = p->next, i++) {
		uint8_t *slot = type_slot(&in, p->a);

		ok = param_type(l, &in, p->a, &want);
		if (ok && p->a->flags & F_ARRAY) {
			lower_error(l, p, DIAG_E0347, "an array", "an operator");
			ok = false;
		}
		if (ok && slot && !want)
			*slot = (uint8_t)(want = v[i].type);
		if (ok && want != v[i].type) {
			lower_error(l, n, DIAG_E0328, i % k + 1, type_info[want].name,
				    type_info[v[i].type].name);
			ok = false;
		}
		if (ok)
			l->bind[in.base + i].value = v[i];
	}
	ok = ok && check_templates(l, &in);
	count = ok ? inline_body(l, &in, out) : CALL_FAILED;
	l->n_bind = in.base;
	for (i = 0; i < k && count == k; i++) {
		if (out[i].kind == V_ERROR)
			return false;
		if (out[i].type != v[i].type) {
			lower_convert(l, v[i].type);
			return lower_error(l, n, DIAG_E0328, i + 1, type_info[out[i].type].name,
					   type_info[v[i].type].name);
		}
	}
	return count == k;
}

/* -- A function that nothing calls
 * ------------------------------------------------------------------- */

void
lower_function_alone(struct lower *l, const struct node *fn)
{
	struct inlining in = { .call = fn, .fn = fn, .base = l->n_bind, .name = "" };
	struct value out[MAX_VALUES];
	uint32_t i = 0;
	bool ok;

	for (const struct node *t = fn->a; t; t = t->next, i++)
		if (is_type_choice(t) && t->a->kind == N_NAME && word_is_type(t->a->sym))
			in.types[i] = (uint8_t)word_type(t->a->sym);
	lower_at(l, fn);
	ok = push_parameters(l, &in);
	i = in.base;
	for (const struct node *p = fn->b; p && ok; p = p->next, i++) {
		char name[16];
		qd_type type;

		if (!(ok = param_type(l, &in, p->a, &type)))
			break;
		snprintf(name, sizeof name, "p%u", i);
		if (p->a->flags & F_ARRAY) {
			l->bind[i].kind = B_ARRAY;
			l->bind[i].type = (uint8_t)type;
			l->bind[i].access = p->op;
			l->bind[i].array = qd_param_buffer(l->b, name, type, p->op);
		} else {
			l->bind[i].value = value_dyn(
				type, type == QD_TYPE_BOOL ? qd_bool(l->b, false)
							   : qd_param_scalar(l->b, name, type));
		}
	}
	if (ok)
		inline_body(l, &in, out);
	l->n_bind = in.base;
}
