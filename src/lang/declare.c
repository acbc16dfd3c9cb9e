/* Declarations of the files, evaluated before any kernel is built: constants, and the choices of
 * templates. */
#include "lower.h"

static void
unique_names(struct lower *l, const struct node *tparams, const struct node *params)
{
	struct scope_mark mark = scope_open(l, true);

	for (const struct node *t = tparams; t; t = t->next)
		scope_bind(l, B_VALUE, t, "");
	for (const struct node *p = params; p; p = p->next)
		scope_bind(l, B_VALUE, p, "");
	scope_close(l, mark);
}

/* -- Constants ----------------------------------------------------------------------- */

static bool
scalar(struct lower *l, struct node *c)
{
	qd_type type = c->a ? scope_type(l, c->a, false) : QD_TYPE_NONE;
	struct value v;

	if (c->a)
		v = lower_expr(l, c->b, type);
	else
		v = c->b->flags & F_UNTYPED ? adapt_text(l, c->b) : lower_adapting(l, c->b, QD_TYPE_NONE);
	if (v.kind == V_CONST && type && v.type != type) {
		struct node whole = lower_whole(l, c->b);
		lower_convert(l, type, &whole);
		lower_error(l, &whole, DIAG_E0342, SYM(l->m, c->sym), type_info[type].name,
			    type_info[v.type].name);
		return false;
	}
	if (v.kind != V_CONST || (c->a && !type))
		return false;
	c->flags |= v.adapts ? F_ADAPTS : 0;
	c->d = v.literal ? c->b : NULL;
	c->type = v.type;
	c->num = v.bits;
	return true;
}

bool
const_evaluate(struct lower *l, const struct node *use, struct node *c)
{
	if (c->state == CONST_DONE)
		return true;
	if (c->state == CONST_OPEN)
		lower_error(l, use, DIAG_E0140, SYM(l->m, c->sym));
	if (c->state != CONST_NEW) {
		l->failed = true;
		c->state = CONST_BAD;
		return false;
	}
	const uint32_t file = l->file;

	c->state = CONST_OPEN;
	l->file = file_of(l->m, c->at);
	if (!(c->a && c->a->flags & F_ARRAY ? table_evaluate(l, c) : scalar(l, c)) || c->state != CONST_OPEN)
		c->state = CONST_BAD;
	else
		c->state = CONST_DONE;
	l->file = file;
	return c->state == CONST_DONE;
}

/* -- Template parameters ----------------------------------------------------------------- */

static bool
names_type(const struct node *n)
{
	return n->kind == N_NAME && word_is_type(n->sym);
}

static bool
constant_i32(struct lower *l, const struct node *n, int32_t *out)
{
	struct value v = lower_expr(l, n, QD_TYPE_I32);

	if (v.kind == V_ERROR)
		return false;
	if (v.type != QD_TYPE_I32)
		return lower_error(l, n, DIAG_E0347, type_info[v.type].name,
				   "a template's integer");
	*out = (int32_t)(uint32_t)v.bits;
	return true;
}

/* Evaluates one of the choices that a parameter lists. */
static void
declare_choice(struct lower *l, const struct node *c, struct tmpl_decl *t)
{
	int32_t *v = &t->set[t->n];

	if (names_type(c) != t->is_type) {
		lower_error(l, c, DIAG_E0227, t->name);
	} else if (c->sym == W_bool_ && t->is_type) {
		lower_error(l, c, DIAG_E0347, "bool", "a type template");
	} else if (t->is_type) {
		*v = (int32_t)word_type(c->sym);
		t->type_mask |= 1u << *v;
		t->n++;
	} else if (constant_i32(l, c, v)) {
		t->lo = !t->n || *v < t->lo ? *v : t->lo;
		t->hi = !t->n || *v > t->hi ? *v : t->hi;
		t->n++;
	}
}

static void
declare_range(struct lower *l, const struct node *n, struct tmpl_decl *t)
{
	if (constant_i32(l, n->b, &t->lo) && constant_i32(l, n->c, &t->hi) && t->lo > t->hi)
		lower_error(l, n->b, DIAG_E0205, t->lo, t->hi);
}

static const char *
copy_name(struct lower *l, uint32_t sym)
{
	const struct symbol *from = &l->m->syms.sym[sym];
	char *s = lower_alloc(l, &l->m->arena, from->len + 1);

	return s ? memcpy(s, from->s, from->len) : "";
}

static const struct tmpl_decl *
declare_templates(struct lower *l, const struct node *first, uint32_t *n)
{
	struct tmpl_decl *t, *all;

	*n = 0;
	for (const struct node *p = first; p; p = p->next)
		++*n;
	t = all = lower_alloc(l, &l->m->arena, (*n + 1) * sizeof *t);
	if (!t)
		*n = 0;
	for (uint32_t i = 0; i < *n; i++, t++, first = first->next) {
		size_t n_choices = 1;
		bool is_static = first->flags & F_STATIC;

		t->node = first;
		t->name = copy_name(l, first->sym);
		t->is_type = first->a && names_type(first->a);
		for (const struct node *c = first->a; c; c = c->next)
			n_choices++;
		if (first->a)
			t->set = lower_alloc(l, &l->m->arena, n_choices * sizeof *t->set);
		if (l->stop)
			break;
		if (is_static == t->is_type)
			lower_error(l, first, is_static ? DIAG_E0225 : DIAG_E0224, t->name);
		for (const struct node *c = first->a; c; c = c->next)
			declare_choice(l, c, t);
		if (!first->a)
			declare_range(l, first, t);
	}
	return all;
}

/* -- Choices ------------------------------------------------------------------------------ */

const char *
choice_list(const struct tmpl_decl *t, char *out, size_t size)
{
	size_t at = 0;

	if (!t->set)
		snprintf(out, size, "%d..=%d", t->lo, t->hi);
	for (uint32_t i = 0; t->set && i < t->n && at < size; i++)
		at += (size_t)snprintf(out + at, size - at, "%s%d", i ? ", " : "", t->set[i]);
	return out;
}

bool
choice_check(struct lower *l, const struct node *n, const struct tmpl_decl *t,
	     const struct choice *c)
{
	char list[96] = "", number[16];

	if (t->is_type != (c->type != QD_TYPE_NONE))
		return lower_error(l, n, t->is_type ? DIAG_E0220 : DIAG_E0204, t->name);
	if (t->is_type) {
		if (type_given(c->type, t->type_mask))
			return true;
		return lower_error(l, n, DIAG_E0222, t->name, qd_type_name(c->type),
				   type_list(list, sizeof list, t->type_mask));
	}
	if (!t->set) {
		if (c->value >= t->lo && c->value <= t->hi)
			return true;
		return lower_error(l, n, DIAG_E0203, t->name, (long long)c->value, t->lo, t->hi);
	}
	for (uint32_t i = 0; i < t->n; i++)
		if (t->set[i] == c->value)
			return true;
	snprintf(number, sizeof number, "%d", c->value);
	return lower_error(l, n, DIAG_E0222, t->name, number, choice_list(t, list, sizeof list));
}

/* -- Entries --------------------------------------------------------------------------------- */

static void
declare_kernel(struct lower *l, struct node *n, uint32_t i)
{
	struct entry *e = &l->m->entries[n->num = i];

	e->kernel = n;
	e->name = copy_name(l, n->sym);
	e->tmpls = declare_templates(l, n->a, &e->n_tmpls);
	unique_names(l, n->a, n->b);
}

static void
declare_instance(struct lower *l, struct node *n)
{
	const struct node *kernel = scope_named(l, n->a).global;
	struct entry *e, *base;
	const struct node *arg = n->b;
	uint32_t n_args = 0;
	bool ok = true;

	if (!kernel || kernel->kind != N_KERNEL) {
		scope_wrong(l, n->a, "a kernel with templates");
		return;
	}
	base = &l->m->entries[kernel->num];
	for (const struct node *b = n->b; b; b = b->next)
		n_args++;
	if (base->n_tmpls != n_args) {
		lower_error(l, n->a, DIAG_E0223, SYM(l->m, n->a->sym), base->n_tmpls, n_args);
		return;
	}
	e = &l->m->entries[l->m->n_entries];
	*e = *base;
	e->name = copy_name(l, n->sym);
	e->bound = lower_alloc(l, &l->m->arena, (e->n_tmpls + 1) * sizeof *e->bound);
	if (!e->bound)
		return;
	for (uint32_t i = 0; i < e->n_tmpls && ok; i++, arg = arg->next) {
		struct choice *c = &e->bound[i];

		c->given = true;
		if (names_type(arg))
			c->type = word_type(arg->sym);
		else
			ok = constant_i32(l, arg, &c->value);
		ok = ok && choice_check(l, arg, &e->tmpls[i], c);
	}
	if (ok)
		n->num = l->m->n_entries++;
}

static void
too_many(struct lower *l, const struct node *at)
{
	const struct qd_context *ctx = l->m->ctx;
	uint32_t n_entries = 0;

	for (const struct node *n = l->m->items; n; n = n->next)
		n_entries += n->kind == N_KERNEL || n->kind == N_INSTANTIATE;
	lower_error(l, at, DIAG_E0144, n_entries, ctx->limits.max_kernels,
		    LIMIT_FIELD(ctx, max_kernels, LIMIT_KERNELS));
	l->stop = true;
}

void
module_declare(struct lower *l)
{
	struct qd_module *m = l->m;
	uint32_t n_entries = 0, n_own = 0, n_tmpls;

	for (const struct node *n = m->items; n; n = n->next) {
		n_entries += n->kind == N_KERNEL || n->kind == N_INSTANTIATE;
		n_own = file_of(m, n->at) ? n_own : n_entries;
		if (n_entries > m->ctx->limits.max_kernels && !l->stop) {
			too_many(l, n);
			return;
		}
	}
	m->fn_tmpls = lower_alloc(l, &m->arena, m->syms.n * sizeof *m->fn_tmpls);
	m->entries = lower_alloc(l, &m->arena, (n_entries + 1) * sizeof *m->entries);
	if (l->stop)
		return;
	l->const_what = "the value of a 'const'";
	for (struct node *n = m->items; n && !l->stop; n = n->next)
		if (n->kind == N_CONST)
			const_evaluate(l, n, n);
	l->const_what = "a template's choice";
	for (struct node *n = m->items; n && !l->stop; n = n->next) {
		l->file = file_of(m, n->at);
		if (n->kind == N_KERNEL) {
			declare_kernel(l, n, l->file ? n_own + m->n_imported++ : m->n_entries++);
		} else if (n->kind == N_FN) {
			m->fn_tmpls[n->sym] = declare_templates(l, n->a, &n_tmpls);
			unique_names(l, n->a, n->b);
		}
	}
	l->file = 0;
	for (struct node *n = m->items; n && !l->stop; n = n->next)
		if (n->kind == N_INSTANTIATE && !file_of(m, n->at))
			declare_instance(l, n);
}
