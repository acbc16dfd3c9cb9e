/* Warnings, and the attribute that allows one in a kernel: allow("W0301", "why"). */
#include "lower.h"

/* Returns the warning of that code, or N_DIAG. */
static enum diag
warning_named(const char *code, uint32_t len)
{
	for (uint32_t d = 0; d < N_DIAG; d++)
		if (diag_info[d].code[0] == 'W' && strlen(diag_info[d].code) == len &&
		    memcmp(diag_info[d].code, code, len) == 0)
			return (enum diag)d;
	return N_DIAG;
}

/* Returns the warning that the attribute names, or N_DIAG. */
static enum diag
allowed(const struct lower *l, const struct node *attr)
{
	return attr->d->len < 2 ? N_DIAG : warning_named(l->m->text + attr->d->at + 1, attr->d->len - 2);
}

void
allow_check(struct lower *l, const struct node *attr)
{
	if (allowed(l, attr) == N_DIAG)
		lower_error(l, attr->d, DIAG_E0336, (int)attr->d->len, l->m->text + attr->d->at);
}

void
lower_warn(struct lower *l, const struct node *n, enum diag d, ...)
{
	const struct call *c = l->call;
	va_list ap;

	while (c && c->up)
		c = c->up;
	for (const struct node *a = c && c->fn->kind == N_KERNEL ? c->fn->c : NULL; a; a = a->next)
		if (a->sym == W_allow && allowed(l, a) == d)
			return;
	va_start(ap, d);
	sink_vwarn(l->sink, n->at, n->len, d, ap);
	va_end(ap);
}

bool
warn_was_signed(const struct symbol *name)
{
	static const char *const names[] = { "thread_idx", "global_thread_idx", "invocation_id", "tile_lane", "group_size",
					     "log2_group_size", "popcount", "clz", "ffs", "ctz" };

	for (uint32_t i = 0; i < QD_COUNT(names); i++)
		if (strlen(names[i]) == name->len && memcmp(name->s, names[i], name->len) == 0)
			return true;
	return false;
}
