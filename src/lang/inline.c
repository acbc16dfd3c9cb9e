/* Functions of the file, which are always inlined. Arguments are evaluated in the caller's scope
 * and pushed as bindings without names. Then the parameters are named, and all other bindings
 * become invisible. */
#include "lower.h"

/* State of a call while its arguments are evaluated. */
struct inlining {
	struct lower *l;
	const struct node *call, *fn;
	const struct tmpl_decl *tmpls; /* of fn, in order */
	uint32_t base;		       /* the first binding */
	uint8_t types[MAX_TMPL];       /* of type templates, as they are deduced */
	struct value ints[MAX_TMPL];
	struct results *out;
	bool ok;
};

static struct inlining
inlining(struct lower *l, const struct node *call, const struct node *fn, struct results *out)
{
	return (struct inlining){ .l = l,
				  .call = call,
				  .fn = fn,
				  .tmpls = l->m->fn_tmpls[fn->sym],
				  .base = l->n_bind,
				  .out = out };
}

/* -- Templates of functions --------------------------------------------------------- */

/* Returns the slot of the template parameter that a type names, or NULL. */
static uint8_t *
type_slot(struct inlining *in, const struct node *type)
{
	uint32_t i = 0;

	for (const struct node *t = in->fn->a; t; t = t->next, i++)
		if (t->sym == type->sym && in->tmpls[i].is_type)
			return &in->types[i];
	return NULL;
}

/* Stores a parameter's type, NONE if it is not deduced yet. */
static bool
param_type(struct inlining *in, const struct node *type, qd_type *out)
{
	uint8_t *slot = type_slot(in, type);

	if (slot) {
		*out = *slot;
		return true;
	}
	if (!word_is_type(type->sym))
		return lower_error(in->l, type, DIAG_E0343, SYM(in->l->m, type->sym));
	*out = word_type(type->sym);
	if (!(type->flags & F_ARRAY) && type_info[*out].wide != *out)
		return lower_error(in->l, type, DIAG_E0344, type_info[*out].name);
	return true;
}

/* Evaluates the value of static L in lo..=hi, given as L = value in the call. */
static bool
integer_template(struct inlining *in, const struct tmpl_decl *t, struct value *out)
{
	const struct node *a = in->call->kind == N_CALL ? in->call->b : NULL;
	struct choice c = { .given = true };

	while (a && !(a->kind == N_NAMED && a->sym == t->node->sym))
		a = a->next;
	if (!a)
		return lower_error(in->l, in->call, DIAG_E0226, SYM(in->l->m, t->node->sym));
	*out = lower_expr(in->l, a->a, QD_TYPE_I32);
	if (out->kind == V_ERROR)
		return false;
	if (!out->known || !type_is(out->type, TM_I32))
		return lower_error(in->l, a->a, DIAG_E0218, "a template argument");
	*out = value_bitcast(in->l, a->a, QD_TYPE_I32, *out);
	c.value = (int32_t)(uint32_t)out->bits;
	if (out->kind == V_CONST)
		*out = adapt_integer(c.value);
	out->adapts = true;
	return out->kind != V_CONST || choice_check(in->l, a->a, t, &c);
}

static bool
check_templates(struct inlining *in)
{
	uint32_t i = 0;

	for (const struct node *n = in->fn->a; n; n = n->next, i++) {
		struct choice c = { .given = true, .type = in->types[i] };

		if (!in->tmpls[i].is_type) {
			if (!integer_template(in, &in->tmpls[i], &in->ints[i]))
				return false;
		} else if (!c.type) {
			return lower_error(in->l, in->call, DIAG_E0226, SYM(in->l->m, n->sym));
		} else if (!choice_check(in->l, in->call, &in->tmpls[i], &c)) {
			return false;
		}
	}
	return true;
}

/* -- Arguments -------------------------------------------------------------------------- */

/* Binds the argument found at `at` to parameter p, number i. It may determine p's type. */
static bool
give(struct inlining *in, const struct node *p, uint32_t i, const struct node *at,
     struct binding arg)
{
	struct lower *l = in->l;
	bool array = arg.kind == B_ARRAY;
	qd_type want, is = array ? arg.type : arg.value.type;
	uint8_t *slot = type_slot(in, p->a);
	char has[16], wants[16], name[MAX_NAME + 1];

	if (!param_type(in, p->a, &want))
		return false;
	if (slot && !want)
		*slot = (uint8_t)(want = is);
	if (is != want) {
		snprintf(has, sizeof has, "%s%s", type_info[is].name, array ? "[]" : "");
		snprintf(wants, sizeof wants, "%s%s", type_info[want].name, array ? "[]" : "");
		if (!array)
			lower_convert(l, want, NULL);
		return lower_error(l, at, DIAG_E0341, i + 1, lower_name(l, in->fn->sym, name), has,
				   wants);
	}
	if (p->flags & F_STATIC && !arg.value.known)
		return lower_error(l, at, DIAG_E0218, "an argument for a 'static' parameter");
	arg.at = p->at;
	arg.len = p->len;
	arg.what = "a parameter";
	l->bind[in->base + i] = arg;
	return true;
}

static bool
argument(struct inlining *in, const struct node *p, uint32_t i, const struct node *at)
{
	struct lower *l = in->l;
	struct binding arg = { .kind = B_VALUE }, *a;
	char name[MAX_NAME + 1];
	qd_type want;

	if (p->a->flags & F_ARRAY) {
		if (!(a = lower_array(l, at)) || (a->table && !table_declare(l, at, a)))
			return false;
		arg = *a;
		if ((a->n_dims != 0) != (p->op == 0))
			return lower_error(l, at, DIAG_E0341, i + 1,
					   lower_name(l, in->fn->sym, name),
					   a->n_dims ? "a shared array" : "a buffer",
					   a->n_dims ? "a buffer" : "a shared array");
		if (!p->op && !shared_fits(l, p, a, at))
			return false;
		if (p->op && !(arg.access &= p->op))
			return lower_error(l, at,
					   a->table ? DIAG_E0392 : a->access == QD_ACCESS_IN ? DIAG_E0312 : DIAG_E0311,
					   lower_name(l, a->sym, name));
	} else {
		if (!param_type(in, p->a, &want))
			return false;
		arg.value = lower_expr(l, at, want);
		if (arg.value.kind == V_ERROR)
			return false;
	}
	return give(in, p, i, at, arg);
}

static bool
count_arguments(struct inlining *in)
{
	uint32_t n_params = 0, n_args = 0, i;
	char text[32], name[MAX_NAME + 1];

	lower_name(in->l, in->fn->sym, name);
	for (const struct node *p = in->fn->b; p; p = p->next)
		n_params++;
	for (const struct node *a = in->call->b; a; a = a->next) {
		const struct node *t = in->fn->a;

		n_args += a->kind != N_NAMED;
		for (i = 0; t && !(t->sym == a->sym && !in->tmpls[i].is_type); i++)
			t = t->next;
		if (a->kind == N_NAMED && !call_may_name(in->l, in->call, a, name, t))
			return false;
	}
	if (n_args == n_params)
		return true;
	snprintf(text, sizeof text, "%u argument%s", n_params, n_params == 1 ? "" : "s");
	return lower_error(in->l, in->call, DIAG_E0129, name, text, n_args);
}

static bool
push_parameters(struct inlining *in)
{
	for (const struct node *p = in->fn->b; p; p = p->next) {
		if (!p->op && !(p->a->flags & F_ARRAY))
			return lower_error(in->l, p, DIAG_E0347, "'shared'", "a scalar");
		if (p->op && p->a->a)
			return lower_error(in->l, p->a, DIAG_E0347, "a size", "a buffer");
		if (!scope_push(in->l, B_VALUE, p, "a parameter"))
			return false;
	}
	return true;
}

/* Lowers the arguments. Values that adapt, whose type follows only from another argument come
 * last. */
static bool
arguments(struct inlining *in)
{
	bool ok = count_arguments(in) && push_parameters(in);

	for (int late = 0; ok && late < 2; late++) {
		const struct node *a = in->call->b;
		uint32_t i = 0;

		for (const struct node *p = in->fn->b; p; p = p->next, i++, a = a->next) {
			bool is_late;

			while (a->kind == N_NAMED)
				a = a->next;
			is_late = !(p->a->flags & F_ARRAY) && type_slot(in, p->a) && adapt_is(in->l, a);
			if (is_late == (late == 1))
				ok = argument(in, p, i, a) && ok;
		}
	}
	return ok && check_templates(in);
}

/* -- The body ------------------------------------------------------------------------------ */

/* Names the parameters and hides all other bindings. */
static struct scope_mark
enter(struct lower *l, struct inlining *in)
{
	struct scope_mark mark = { l->scope, l->floor };
	uint32_t i = in->base, t = 0;

	l->scope = l->floor = in->base;
	for (const struct node *p = in->fn->b; p; p = p->next)
		scope_name(l, i++, p->sym);
	for (const struct node *n = in->fn->a; n; n = n->next, t++) {
		bool is_type = in->tmpls[t].is_type;
		struct binding *b =
			scope_push(l, is_type ? B_TYPE : B_VALUE, n, "a template parameter");

		if (!b)
			break;
		b->value = in->ints[t];
		b->type = in->types[t];
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
	c->direct = !(c->fn->d->maybe & J_RETURN);
	for (uint32_t i = 0; i < c->n && !c->direct && !l->in_operator; i++)
		c->vars[i] = qd_var(l->b, qd_const_bits(l->b, c->types[i], 0));
	return true;
}

static void
close_results(struct lower *l, struct inlining *in, struct call *c, uint32_t ways)
{
	if ((ways & FALLS) && c->n && !l->stop)
		lower_error(l, c->fn, DIAG_E0125, SYM(l->m, c->fn->sym));
	lower_at(l, in->call);
	in->out->n = c->n;
	for (uint32_t i = 0; i < c->n; i++)
		in->out->v[i] = c->direct	 ? c->values[i]
				: l->in_operator ? value_error
						 : value_dyn(c->types[i], qd_get(l->b, c->vars[i]));
}

/* Lowers the body of a call whose arguments are bound. Sets in->ok on success. */
static void
inline_body(void *arg)
{
	struct inlining *in = arg;
	struct lower *l = in->l;
	struct call c = { .up = l->call, .fn = in->fn };
	struct scope_mark mark = enter(l, in);
	struct loop *loop = l->loop;
	uint32_t ways, file = l->file;

	lower_at(l, in->call);
	l->call = &c;
	l->loop = NULL;
	l->file = file_of(l->m, in->fn->at);
	l->n_calls++;
	lower_symbol(l, in->fn->sym)->marks |= MARK_OPEN;
	if (open_results(l, &c)) {
		c.on_return = exit_open(l, !c.direct);
		ways = lower_block(l, in->fn->d);
		exit_close(l, c.on_return);
		close_results(l, in, &c, ways);
		in->ok = true;
	}
	l->file = file;
	l->n_calls--;
	lower_symbol(l, in->fn->sym)->marks &= (uint8_t)~MARK_OPEN;
	l->loop = loop;
	l->call = c.up;
	scope_close(l, mark);
}

static bool
may_inline(struct lower *l, const struct node *n, const struct node *fn)
{
	if (!l->b)
		return lower_error(l, n, DIAG_E0218, l->const_what);
	if (lower_symbol(l, fn->sym)->marks & MARK_OPEN) {
		lower_note(l, fn->at, fn->len, "functions are always inlined");
		return lower_error(l, n, DIAG_E0126, SYM(l->m, fn->sym));
	}
	if (l->n_calls == MAX_CALLS) {
		l->stop = true;
		return lower_error(l, n, DIAG_E0112, MAX_CALLS, "");
	}
	if (l->parsing)
		((struct node *)(uintptr_t)fn)->state = true;
	return lower_count(l, n, 1);
}

bool
lower_function(struct lower *l, const struct node *n, const struct node *fn, struct results *out)
{
	struct inlining in = inlining(l, n, fn, out);
	uint32_t depth = l->depth;

	if (!may_inline(l, n, fn))
		return false;
	if (!arguments(&in) || l->stop) {
		/* already reported */
	} else if (depth < NEW_STACK_DEPTH) {
		inline_body(&in);
	} else {
		/* The nesting is so deep that no stack of fixed size would suffice. */
		l->depth = 0;
		if (!run_on_new_stack(STACK_SIZE, inline_body, &in))
			l->sink->nomem = l->stop = true;
		l->depth = depth;
	}
	l->n_bind = in.base;
	return in.ok;
}

/* -- Operators --------------------------------------------------------------------------------- */

bool
lower_operator(struct lower *l, const struct node *n, const struct node *fn, const struct value *v,
	       uint32_t k, struct results *out)
{
	struct inlining in = inlining(l, n, fn, out);
	uint32_t n_params = 0, i = 0;
	bool ok;

	if (!may_inline(l, n, fn))
		return false;
	for (const struct node *p = fn->b; p; p = p->next)
		n_params++;
	if (n_params != 2 * k || fn->num != k)
		return lower_error(l, n, DIAG_E0350, k, 2 * k, k, SYM(l->m, fn->sym), n_params,
				   (unsigned)fn->num);
	ok = push_parameters(&in);
	for (const struct node *p = fn->b; p && ok; p = p->next, i++) {
		struct binding arg = { .kind = B_VALUE, .value = v[i] };

		if (p->a->flags & F_ARRAY)
			ok = lower_error(l, p, DIAG_E0347, "an array", "an operator");
		else
			ok = give(&in, p, i, n, arg);
	}
	if (ok && check_templates(&in))
		inline_body(&in);
	l->n_bind = in.base;
	for (i = 0; i < k && in.ok; i++) {
		if (out->v[i].kind == V_ERROR)
			return false;
		if (out->v[i].type != v[i].type) {
			lower_convert(l, v[i].type, NULL);
			return lower_error(l, n, DIAG_E0328, i + 1, type_info[out->v[i].type].name,
					   type_info[v[i].type].name);
		}
	}
	return in.ok;
}

/* -- Functions that are never called ---------------------------------------------------- */

void
lower_function_alone(struct lower *l, const struct node *fn)
{
	struct results out;
	struct inlining in = inlining(l, fn, fn, &out);
	uint32_t i = 0;
	bool ok;

	for (const struct node *t = fn->a; t; t = t->next, i++)
		in.types[i] = in.tmpls[i].is_type ? (uint8_t)in.tmpls[i].set[0] : 0;
	lower_at(l, fn);
	ok = push_parameters(&in);
	i = 0;
	for (const struct node *p = fn->b; p && ok; p = p->next, i++) {
		struct binding arg = { .kind = B_ARRAY, .access = p->op };
		char name[16];
		qd_type type;

		if (!(ok = param_type(&in, p->a, &type)))
			break;
		snprintf(name, sizeof name, "p%u", i);
		arg.type = (uint8_t)type;
		if (!p->op) {
			continue; /* shared arrays follow the parameters */
		} else if (p->a->flags & F_ARRAY) {
			arg.array = qd_param_buffer(l->b, name, type, p->op);
		} else {
			arg.kind = B_VALUE;
			arg.value = value_dyn(type, type == QD_TYPE_BOOL
							    ? qd_bool(l->b, false)
							    : qd_param_scalar(l->b, name, type));
		}
		ok = give(&in, p, i, p, arg);
	}
	i = 0;
	for (const struct node *p = fn->b; p && ok; p = p->next, i++) {
		struct binding arg;
		char name[16];
		qd_type type;

		snprintf(name, sizeof name, "p%u", i);
		if (!p->op)
			ok = param_type(&in, p->a, &type) && shared_any(l, p, type, name, &arg) &&
			     give(&in, p, i, p, arg);
	}
	if (ok)
		inline_body(&in);
	l->n_bind = in.base;
}
