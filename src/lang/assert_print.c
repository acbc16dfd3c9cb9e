/* assert and print. append_restore hides the constants and leaves that they appended, so that
 * later code does not share them. The code without them is therefore that of the kernel without
 * them. */
#include "lower.h"

/* Returns the text as a C string, or NULL. */
static const char *
text_of(struct lower *l, const struct node *a)
{
	char *text;

	if (!a || a->kind != N_STRING)
		return NULL;
	if ((text = lower_alloc(l, &l->mem, a->len - 1)))
		memcpy(text, l->m->text + a->at + 1, a->len - 2);
	return text;
}

static bool
lower_assert(struct lower *l, const struct node *n)
{
	const struct node *a = n->b;
	const char *why = n->num == 2 ? text_of(l, a->next) : NULL;
	struct value cond;

	if (!why || !*why)
		return l->stop ? false
			       : lower_error(l, n, DIAG_E0372, "assert", "assert(condition, \"why\")");
	cond = lower_condition(l, a);
	if (cond.kind == V_ERROR)
		return false;
	lower_at(l, n);
	qd_assert(l->b, value_emit(l, &cond), why);
	return true;
}

static bool
lower_print(struct lower *l, const struct node *n)
{
	const char *text = text_of(l, n->b);
	struct qd_val v[MAX_PRINT];
	uint32_t k = 0;

	if (!text)
		return l->stop ? false
			       : lower_error(l, n, DIAG_E0372, "print", "print(\"text\", value, ...)");
	if (n->num > MAX_PRINT + 1)
		return lower_error(l, n, DIAG_E0371, MAX_PRINT);
	for (const struct node *a = n->b->next; a; a = a->next) {
		struct value x = lower_expr(l, a, QD_TYPE_NONE);

		if (!value_is(l, a, &x, TM_ALL))
			return false;
		lower_at(l, a);
		v[k++] = value_emit(l, &x);
	}
	lower_at(l, n);
	qd_print(l->b, text, v, k);
	return true;
}

bool
lower_check(struct lower *l, const struct node *n, struct results *out)
{
	bool is_assert = n->a->sym == W_assert, ok;
	const char *name = is_assert ? "assert" : "print";
	struct appender before;

	out->n = 0;
	for (const struct node *a = n->b; a; a = a->next)
		if (a->kind == N_NAMED)
			return lower_error(l, a, DIAG_E0131, name, SYM(l->m, a->sym));
	if (!l->b)
		return lower_error(l, n, DIAG_E0218, l->const_what);
	if (l->in_operator)
		return lower_error(l, n, DIAG_E0326, name);
	before = l->b->o;
	ok = is_assert ? lower_assert(l, n) : lower_print(l, n);
	append_restore(&l->b->o, &before);
	return ok;
}
