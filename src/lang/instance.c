/* Builds one kernel for one choice of templates: attributes, parameters, body. Also the trial
 * builds at parse, which find a kernel's errors before it is requested. */
#include "build_call.h"
#include "lower.h"

enum {
	KEEP_SOURCE = 32 << 10, /* for a longer text, no kernel is kept from the trial */
	MAX_TRIALS = 32,	/* combinations of types */
	MAX_VALUES_TRIED = 16,	/* of an integer that the code's shape depends on */
	TRIAL_POT = 1 << 18	/* work of all trials beyond the size of each kernel's text */
};

/* -- Attributes ------------------------------------------------------------------ */

/* The builder checks the values. */
static void
size_attr(struct lower *l, const struct node *a)
{
	uint32_t size[3] = { 1, 1, 1 }, n = 0;
	bool block = a->sym == W_block;
	int64_t v;

	for (const struct node *e = a->a; e; e = e->next) {
		struct value x = lower_expr(l, e, QD_TYPE_U32);

		if (!value_need(l, e, &x, block ? "a block size" : "a subgroup size", &v))
			return;
		if (n == 3) {
			lower_error(l, a, DIAG_E0129, "block", "1 to 3 sizes", n + 1);
			return;
		}
		size[n] = v < 0 || v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
		lower_at(l, block ? a : e);
		if (block)
			n++;
		else
			qd_subgroup_sizes(l->b, size, 1);
	}
	if (block)
		qd_block(l->b, size[0], size[1], size[2]);
}

/* Copies a part of the text as one line. */
static char *
copy_text(struct lower *l, uint32_t at, uint32_t len)
{
	char *s = lower_alloc(l, &l->mem, len + 1);

	for (uint32_t i = 0; i < len && s; i++) {
		char c = l->m->text[at + i];

		s[i] = c >= ' ' && c < 0x7f ? c : ' '; /* in a comment */
	}
	return s;
}

static void
assume_attr(struct lower *l, const struct node *a)
{
	char *why = copy_text(l, a->d->at + 1, a->d->len < 2 ? 0 : a->d->len - 2);

	lower_at(l, a->d);
	if (a->sym == W_assume_uniform)
		qd_assume_uniform(l->b, why);
	else
		qd_assume_in_bounds(l->b, why);
	l->in_bounds = l->in_bounds || a->sym == W_assume_in_bounds;
}

static void
attributes(struct lower *l, const struct node *kernel)
{
	for (const struct node *a = kernel->c; a; a = a->next) {
		for (const struct node *b = kernel->c; b != a && a->sym != W_requires && a->sym != W_allow; b = b->next)
			if (b->sym == a->sym)
				lower_error(l, a, DIAG_E0132, l->m->syms.sym[a->sym].s);
		if (l->stop || !lower_count(l, a, 1))
			return;
		if (a->sym == W_allow)
			allow_check(l, a);
		else if (a->d)
			assume_attr(l, a);
		else if (a->sym != W_requires)
			size_attr(l, a);
	}
}

/* Extends from..to over a condition's text; an operator's node spans only the operator. */
static void
span(const struct node *n, uint32_t *from, uint32_t *to)
{
	for (; n->kind == N_BINARY; n = n->a)
		span(n->b, from, to);
	*from = n->at < *from ? n->at : *from;
	*to = n->at + n->len > *to ? n->at + n->len : *to;
}

static void
requirements(struct lower *l, const struct node *kernel)
{
	for (const struct node *a = kernel->c; a; a = a->next) {
		for (const struct node *e = a->sym == W_requires ? a->a : NULL; e; e = e->next) {
			struct value v = lower_condition(l, e);
			uint32_t from = e->at, to = e->at + e->len;
			char *text;

			if (v.kind == V_ERROR)
				continue;
			span(e, &from, &to);
			if (!(text = copy_text(l, from, to - from)))
				return;
			lower_at(l, e);
			qd_require(l->b, value_emit(l, &v), text);
		}
	}
}

/* Requires that a template whose value is given later is one of its set. */
static void
require_choice(struct lower *l, const struct tmpl_decl *t)
{
	struct binding *b = scope_find(l, t->node->sym).local;
	struct tmpl_param *p;
	struct value is = value_error;
	char list[96], text[MAX_NAME + 112];

	if (!b || b->kind != B_VALUE || b->value.kind != V_TOKEN || build_failed(l->b))
		return;
	choice_list(t, list, sizeof list);
	p = &l->b->k->tmpls[b->value.bits & ~(uint64_t)TOKEN_TEMPLATE];
	p->choices = arena_strdup(&l->b->k->arena, list, strlen(list));
	for (uint32_t i = 0; i < t->n; i++) {
		struct value one = value_apply2(l, t->node, OP_EQ, b->value, value_const(QD_TYPE_I32, (uint32_t)t->set[i]));

		is = i ? value_apply2(l, t->node, OP_OR, is, one) : one;
	}
	snprintf(text, sizeof text, "%s is one of %s", t->name, list);
	lower_at(l, t->node);
	qd_require(l->b, value_emit(l, &is), text);
}

/* -- Templates and parameters --------------------------------------------------------- */

static void
bind_template(struct lower *l, const struct tmpl_decl *t, const struct choice *c, uint32_t i)
{
	struct binding *b =
		scope_bind(l, t->is_type ? B_TYPE : B_VALUE, t->node, "a template parameter");

	if (!b)
		return;
	if (t->is_type) {
		b->type = (uint8_t)c->type;
	} else if (c->given) {
		b->value = adapt_integer(c->value);
	} else {
		lower_at(l, t->node);
		b->value = value_const(QD_TYPE_I32, qd_template(l->b, t->name, t->lo, t->hi));
		b->value.kind = V_TOKEN;
		b->value.adapts = true;
		b->value.deps = 1u << i;
	}
}

static void
bind_parameter(struct lower *l, const struct node *p)
{
	bool array = p->a->flags & F_ARRAY;
	qd_type type = p->op ? scope_type(l, p->a, array) : QD_TYPE_NONE;
	char name[MAX_NAME + 1];
	struct binding *b;

	lower_name(l, p->sym, name);
	if (p->flags & F_STATIC)
		lower_error(l, p, DIAG_E0347, "'static'", "a kernel's parameter");
	if (!p->op)
		lower_error(l, p, DIAG_E0347, "'shared'", "a kernel's parameter");
	else if (!array && p->op != QD_ACCESS_INOUT)
		lower_error(l, p, DIAG_E0347, p->op == QD_ACCESS_IN ? "'in'" : "'out'", "a scalar");
	if (type == QD_TYPE_BOOL)
		lower_error(l, p->a, DIAG_E0324, "bool",
			    array ? "a buffer's elements" : "a scalar parameter");
	if (array && p->op && p->a->a)
		lower_error(l, p->a, DIAG_E0347, "a size", "a buffer");
	b = scope_bind(l, array && type ? B_ARRAY : B_VALUE, p, "a parameter");
	if (!b || !type)
		return;
	lower_at(l, p);
	b->type = (uint8_t)type;
	b->access = p->op;
	if (array)
		b->array = qd_param_buffer(l->b, name, type, p->op);
	else
		b->value = value_dyn(type, qd_param_scalar(l->b, name, type));
}

/* -- A kernel ------------------------------------------------------------------------------ */

static bool
begin(struct lower *l, const char *name)
{
	const struct qd_module *m = l->m;
	struct qd_error err;

	l->n_bind = l->scope = l->floor = 1;
	l->depth = l->n_calls = l->n_statements = l->demand = 0;
	l->work = 0;
	l->n_dead = l->n_maybe = 0;
	l->n_builds++;
	l->tables = NULL;
	l->stop = l->failed = l->in_operator = l->in_bounds = false;
	l->with[0] = '\0';
	l->grid = NULL;
	l->loop = NULL;
	l->call = NULL;
	if (qd_builder_create(m->ctx, name, &l->b, &err)) {
		l->b = NULL;
		sink_take(l->sink, &err);
		return false;
	}
	build_set_source(l->b, m->source);
	return true;
}

static struct qd_kernel *
finish(struct lower *l)
{
	struct qd_kernel *k = NULL;
	struct qd_error err;

	lower_sync(l);
	if (l->failed || l->demand || l->sink->nomem || sink_full(l->sink)) {
		qd_builder_free(l->b);
	} else if (qd_builder_finish(l->b, &k, &err)) {
		sink_take(l->sink, &err);
		l->failed = true;
		k = NULL;
	}
	l->b = NULL;
	return k;
}

/* Writes "with T = f32, N = 4", for the messages. */
static void
describe(struct lower *l, const struct entry *e, const struct choice *choices)
{
	size_t at = 0, size = sizeof l->with;

	for (uint32_t i = 0; i < e->n_tmpls && at < size; i++) {
		const char *name = e->tmpls[i].name, *comma = at ? ", " : "with ";

		if (choices[i].given && e->tmpls[i].is_type)
			at += (size_t)snprintf(l->with + at, size - at, "%s%s = %s", comma, name,
					       type_info[choices[i].type].name);
		else if (choices[i].given)
			at += (size_t)snprintf(l->with + at, size - at, "%s%s = %d", comma, name,
					       choices[i].value);
	}
}

/* Records the templates that are given, so that they cannot be given again. */
static void
note_given(struct lower *l, const struct entry *e, const struct choice *choices)
{
	size_t size = 1;
	char *s;

	for (uint32_t i = 0; i < e->n_tmpls; i++)
		size += choices[i].given ? strlen(e->tmpls[i].name) + 1 : 0;
	if (size == 1)
		return;
	l->b->k->given = s = lower_alloc(l, &l->b->k->arena, size);
	for (uint32_t i = 0; i < e->n_tmpls && s; i++)
		if (choices[i].given)
			s = stpcpy(s, e->tmpls[i].name) + 1;
}

/* Records what this kernel has in common with the same kernel for other values. */
static void
note_origin(struct qd_kernel *k, const struct lower *l, const struct entry *e, const struct choice *choices)
{
	uint32_t words[3 * MAX_TMPL] = { 0 };
	struct hash128 both[2];

	if (!e->n_tmpls)
		return;
	for (uint32_t i = 0; i < e->n_tmpls; i++) {
		words[3 * i] = choices[i].given;
		words[3 * i + 1] = choices[i].given ? choices[i].type : 0;
		words[3 * i + 2] = choices[i].given ? (uint32_t)choices[i].value : 0;
	}
	both[0] = l->m->text_hash;
	both[1] = hash_bytes(e->name, strlen(e->name));
	k->origin = hash_bytes(both, sizeof both);
	k->chosen = hash_bytes(words, sizeof words).lo;
}

struct qd_kernel *
instance_build(struct lower *l, const struct entry *e, const struct choice *choices)
{
	struct call call = { .fn = e->kernel };
	struct scope_mark mark;

	if (!begin(l, e->name))
		return NULL;
	describe(l, e, choices);
	note_given(l, e, choices);
	mark = scope_open(l, true);
	l->call = &call;
	l->file = file_of(l->m, e->kernel->at);
	for (uint32_t i = 0; i < e->n_tmpls && !l->stop; i++) {
		bind_template(l, &e->tmpls[i], &choices[i], i);
	}
	if (!l->demand)
		attributes(l, e->kernel);
	for (const struct node *p = e->kernel->b; p && !l->stop && !l->demand; p = p->next)
		bind_parameter(l, p);
	for (uint32_t i = 0; i < e->n_tmpls && !l->stop && !l->demand; i++)
		if (e->tmpls[i].set && !e->tmpls[i].is_type && !choices[i].given)
			require_choice(l, &e->tmpls[i]);
	if (!l->stop && !l->demand)
		requirements(l, e->kernel);
	if (!l->stop && !l->demand &&
	    (!(e->kernel->flags & F_CALL) || size_check(l, e->kernel, e->kernel->d->a, 1)))
		lower_body(l, e->kernel->d);
	if (l->parsing && !l->stop && !l->failed && !l->demand && !build_failed(l->b))
		stale_check(l);
	scope_close(l, mark);
	l->call = NULL;
	l->file = 0;
	struct qd_kernel *k = finish(l);
	if (k)
		note_origin(k, l, e, choices);
	return k;
}

/* -- Trial builds -------------------------------------------------------------------- */

/* The first build of an entry may do the work of its text and a quarter of the pot, all others a
 * quarter of the rest. This bounds the time of the trials, and each leaves some work to the
 * next. */
static void
open_pot(struct lower *l, uint32_t own)
{
	l->max_work = 2 * own + l->pot / 4;
}

static void
close_pot(struct lower *l, uint32_t own)
{
	if (l->work > 2 * own)
		l->pot -= l->work - 2 * own < l->pot ? l->work - 2 * own : l->pot;
}

/* Builds a function that is never called, in a kernel that is discarded. */
static void
check_function(struct lower *l, const struct node *fn)
{
	struct call call = { .fn = fn };

	for (const struct node *t = fn->a; t; t = t->next)
		if (t->flags & F_STATIC)
			return;
	for (const struct node *p = fn->b; p; p = p->next)
		if (p->flags & F_STATIC)
			return;
	if (!begin(l, "fn"))
		return;
	l->call = &call;
	l->trying = true;
	open_pot(l, fn->n_nodes);
	lower_function_alone(l, fn);
	close_pot(l, fn->n_nodes);
	l->call = NULL;
	lower_sync(l);
	qd_builder_free(l->b);
	l->b = NULL;
}

static int64_t
n_choices(const struct tmpl_decl *t)
{
	return t->set ? (int64_t)t->n : (int64_t)t->hi - t->lo + 1;
}

static struct choice
nth_choice(const struct tmpl_decl *t, int64_t i)
{
	int32_t v = t->set ? t->set[i] : (int32_t)(t->lo + i);

	return (struct choice){ true, t->is_type ? (qd_type)v : QD_TYPE_NONE, v };
}

/* Builds a kernel and fills in the integers it needs. Returns NULL after an error or at the end
 * of the trial. */
static struct qd_kernel *
build_needed(struct lower *l, struct entry *e, struct choice *c, uint32_t own)
{
	struct qd_kernel *k = NULL;

	for (;;) {
		uint32_t news;

		open_pot(l, own);
		k = instance_build(l, e, c);
		close_pot(l, own);
		news = l->demand & ~e->resolved;
		if (k || !news || l->failed)
			return k;
		l->trying = true;
		e->resolved |= news;
		for (uint32_t i = 0; i < e->n_tmpls; i++) {
			if ((news >> i & 1) && !c[i].given)
				c[i] = nth_choice(&e->tmpls[i], 0);
		}
	}
}

/* Tries the other values of integers that the code's shape depends on, one at a time. */
static void
try_integers(struct lower *l, struct entry *e, const struct choice *c)
{
	struct choice other[MAX_TMPL];

	for (uint32_t i = 0; i < e->n_tmpls; i++) {
		int64_t n = n_choices(&e->tmpls[i]);

		if (!(e->resolved >> i & 1) || e->bound)
			continue;
		for (int64_t j = 1; j < n && j < MAX_VALUES_TRIED && !l->sink->n_errors; j++) {
			memcpy(other, c, e->n_tmpls * sizeof *c);
			other[i] = nth_choice(&e->tmpls[i], j);
			qd_kernel_free(build_needed(l, e, other, 0));
		}
	}
}

/* Advances to the next combination of types. Returns false after the last. */
static bool
next_types(const struct entry *e, uint32_t *at, struct choice *c)
{
	for (uint32_t i = 0; i < e->n_tmpls; i++) {
		const struct tmpl_decl *t = &e->tmpls[i];

		if (!t->is_type)
			continue;
		at[i] = (at[i] + 1) % t->n;
		c[i] = nth_choice(t, at[i]);
		if (at[i])
			return true;
	}
	return false;
}

static void
try_entry(struct lower *l, struct entry *e)
{
	struct choice c[MAX_TMPL] = { { 0 } };
	uint32_t at[MAX_TMPL] = { 0 }, n_types = 0, before = l->sink->n_errors;
	bool keep = l->m->len <= KEEP_SOURCE;
	uint32_t own = e->kernel->n_nodes;
	struct qd_kernel *k;

	for (uint32_t i = 0; i < e->n_tmpls; i++) {
		const struct tmpl_decl *t = &e->tmpls[i];

		if (e->bound) {
			c[i] = e->bound[i];
		} else if (t->is_type) {
			c[i] = nth_choice(t, 0);
			n_types++;
		}
	}
	l->trying = n_types > 0;
	for (uint32_t trial = 0; trial < MAX_TRIALS; trial++) {
		k = build_needed(l, e, c, trial ? 0 : own);
		if (k && keep && !n_types && (e->bound || !e->resolved))
			e->built = k;
		else
			qd_kernel_free(k);
		if (l->sink->n_errors > before || sink_full(l->sink))
			return;
		try_integers(l, e, c);
		if (e->bound || !next_types(e, at, c))
			return;
	}
}

void
module_try(struct lower *l)
{
	l->pot = TRIAL_POT;
	for (uint32_t i = 0; i < l->m->n_entries && !sink_full(l->sink); i++)
		try_entry(l, &l->m->entries[i]);
	/* A function called by a failed kernel may only seem unused. */
	if (l->sink->n_errors)
		return;
	for (const struct node *n = l->m->items; n && !sink_full(l->sink); n = n->next)
		if (n->kind == N_FN && !n->state && !file_of(l->m, n->at))
			check_function(l, n);
}
