/* Shared arrays: declarations, and parameters of functions. */
#include "build_call.h"
#include "lower.h"

/* Evaluates the sizes in a type's brackets, slowest first. Returns false after an error. */
static bool
sizes(struct lower *l, const struct node *type, const uint32_t **dims, uint8_t *n_dims)
{
	uint32_t *d, n = 0, i = 0;

	for (const struct node *e = type->a; e; e = e->next)
		n++;
	if (n > MAX_VALUES)
		return lower_error(l, type, DIAG_E0139, MAX_VALUES);
	if (!(d = lower_alloc(l, &l->mem, (n + 1) * sizeof *d)))
		return false;
	for (const struct node *e = type->a; e; e = e->next) {
		struct value v = lower_expr(l, e, QD_TYPE_U32);
		int64_t size;

		if (!value_need(l, e, &v, "the size of a shared array", &size))
			return false;
		if (size < 1 || size > MAX_SHARED)
			return lower_error(l, e, DIAG_E0360, (unsigned)MAX_SHARED, (long long)size);
		d[i++] = (uint32_t)size;
	}
	*dims = d;
	*n_dims = (uint8_t)n;
	return true;
}

uint32_t
shared_len(const struct binding *a)
{
	uint32_t len = 1;

	for (uint32_t i = 0; i < a->n_dims; i++)
		len *= a->dims[i];
	return len;
}

void
shared_name(const struct lower *l, const char *name, char *out, size_t size)
{
	snprintf(out, size, "%s", name);
	for (uint32_t n = l->b->k->n_mems; build_is_memory_name(l->b, out); n++)
		snprintf(out, size, "%s.%u", name, n);
}

/* Appends an array with b's sizes. at: for errors. */
static bool
make(struct lower *l, const struct node *at, qd_type type, const char *name, struct binding *b)
{
	char own[MAX_NAME + 16];
	uint64_t len = 1;

	for (uint32_t i = 0; i < b->n_dims; i++) {
		len *= b->dims[i];
		if (len > MAX_SHARED)
			return lower_error(l, at, DIAG_E0360, (unsigned)MAX_SHARED, (long long)len);
	}
	shared_name(l, name, own, sizeof own);
	lower_at(l, at);
	b->type = (uint8_t)type;
	b->access = QD_ACCESS_INOUT;
	b->array = qd_shared(l->b, own, type, (uint32_t)len);
	return true;
}

void
lower_shared(struct lower *l, const struct node *s)
{
	qd_type type = scope_type(l, s->a, true);
	struct binding array = { .kind = B_ARRAY }, *b;
	char name[MAX_NAME + 1];
	bool ok = type != QD_TYPE_NONE;

	if (l->in_operator)
		ok = lower_error(l, s, DIAG_E0326, "a shared array");
	else if (ok && type == QD_TYPE_BOOL)
		ok = lower_error(l, s->a, DIAG_E0324, "bool", "the elements of a shared array");
	else if (ok && !s->a->a)
		ok = lower_error(l, s->a, DIAG_E0366);
	ok = ok && sizes(l, s->a, &array.dims, &array.n_dims) &&
	     make(l, s, type, lower_name(l, s->sym, name), &array);
	if (!(b = scope_bind(l, ok ? B_ARRAY : B_VALUE, s, "a shared array")) || !ok)
		return;
	b->type = array.type;
	b->access = array.access;
	b->array = array.array;
	b->dims = array.dims;
	b->n_dims = array.n_dims;
}

bool
shared_fits(struct lower *l, const struct node *p, const struct binding *a, const struct node *at)
{
	struct binding want = { .kind = B_ARRAY };
	char name[MAX_NAME + 1];
	bool same = true;

	if (!p->a->a)
		return true;
	if (!sizes(l, p->a, &want.dims, &want.n_dims))
		return false;
	same = want.n_dims == a->n_dims;
	for (uint32_t i = 0; i < want.n_dims && same; i++)
		same = want.dims[i] == a->dims[i];
	if (same)
		return true;
	lower_note(l, p->at, p->len, "the parameter is here");
	return lower_error(l, at, DIAG_E0367, lower_name(l, a->sym, name));
}

bool
shared_any(struct lower *l, const struct node *p, qd_type type, const char *name,
	   struct binding *out)
{
	static const uint32_t most[] = { MAX_SHARED };

	*out = (struct binding){ .kind = B_ARRAY, .dims = most, .n_dims = 1 };
	if (p->a->a && !sizes(l, p->a, &out->dims, &out->n_dims))
		return false;
	return make(l, p, type, name, out);
}
