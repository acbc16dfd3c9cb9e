/* Accesses to adjacent elements: a.load4(i), a.load4(i) else v, a.store4(i, x, y, z, w). */
#include "lower.h"

bool
wide_named(const struct symbol *s, uint32_t *n, bool *is_store)
{
	static const char *const names[] = { "load2", "load4", "load8", "load16",
					     "store2", "store4", "store8", "store16" };

	for (uint32_t i = 0; i < QD_COUNT(names); i++) {
		if (s->len != strlen(names[i]) || memcmp(s->s, names[i], s->len) != 0)
			continue;
		*n = 2u << i % 4;
		*is_store = i >= 4;
		return true;
	}
	return false;
}

/* Lowers the index. A constant index past the end of a shared array is an error. */
static bool
wide_index(struct lower *l, const struct node *e, const struct binding *a, uint32_t n,
	   struct value *out)
{
	char name[MAX_NAME + 1];
	uint64_t last;

	*out = lower_expr(l, e, QD_TYPE_U32);
	if (out->kind == V_ERROR)
		return false;
	if (!type_is(out->type, TM_INT))
		return lower_error(l, e, DIAG_E0307, type_info[out->type].name);
	if (!a->n_dims || out->kind != V_CONST || l->n_dead || l->n_maybe)
		return true;
	last = out->bits > UINT32_MAX ? out->bits : out->bits * n + n - 1;
	return last < shared_len(a) || lower_error(l, e, DIAG_E0363, (unsigned long long)last,
						   lower_name(l, a->sym, name), shared_len(a));
}

/* Checks the access, whose element type has `size` bytes. */
static bool
may_access(struct lower *l, const struct node *n, const struct binding *a, uint32_t count,
	   bool is_store)
{
	uint32_t size = type_info[a->type].size;
	char name[MAX_NAME + 1];

	if (l->in_operator)
		return lower_error(l, n, DIAG_E0326, is_store ? "a store" : "a load");
	if (!l->b)
		return lower_error(l, n, DIAG_E0218, l->const_what);
	if (!ir_is_wide(count, size)) {
		snprintf(l->convert_text, sizeof l->convert_text, "%s elements have %u bytes: write %s%u",
			 type_info[a->type].name, size, is_store ? "store" : "load", 16 / size);
		l->help.help = l->convert_text;
		return lower_error(l, n, DIAG_E0249, (long long)count, size);
	}
	if (a->n_dims > 1)
		return lower_error(l, n, DIAG_E0365, lower_name(l, a->sym, name), a->n_dims, 1u);
	if (!is_store && a->access == QD_ACCESS_OUT)
		return lower_error(l, n, DIAG_E0311, lower_name(l, a->sym, name));
	if (is_store && a->access == QD_ACCESS_IN)
		return lower_error(l, n, a->table ? DIAG_E0392 : DIAG_E0312, lower_name(l, a->sym, name));
	if (n->c && a->n_dims)
		return lower_error(l, n->c, DIAG_E0364);
	return true;
}

/* Lowers a value that is stored, or that replaces elements past the end. */
static bool
element_value(struct lower *l, const struct node *e, const struct binding *a, struct value *out)
{
	qd_type type = type_info[a->type].wide;

	*out = lower_expr(l, e, type);
	if (out->kind == V_ERROR || out->type == type)
		return out->kind != V_ERROR;
	lower_convert(l, type, NULL);
	return lower_error(l, e, DIAG_E0308, type_info[type].name, type_info[out->type].name);
}

static void
load(struct lower *l, const struct node *n, const struct binding *a, const struct value *index,
     const struct value *other, uint32_t count, struct results *out)
{
	struct qd_val v[MAX_VALUES] = { { 0 } }, at = value_emit(l, index);

	if (other)
		qd_load_wide_else(l->b, a->array, at, value_emit(l, other), count, v);
	else
		qd_load_wide(l->b, a->array, at, count, v);
	for (out->n = 0; out->n < count; out->n++) {
		out->v[out->n] = value_dyn(type_info[a->type].wide, v[out->n]);
		out->v[out->n].guarded = !n->c && !l->in_bounds && !a->n_dims;
	}
}

bool
lower_wide(struct lower *l, const struct node *n, uint32_t count, bool is_store, struct results *out)
{
	struct binding *found = lower_array(l, n->a->a), a;
	struct value index, other, v[MAX_VALUES];
	struct qd_val at, stored[MAX_VALUES];
	const struct node *e = n->b;
	char name[MAX_NAME + 1];
	bool ok;

	out->n = 0;
	if (!found || !call_takes(l, n, lower_name(l, n->a->sym, name), is_store ? count + 1 : 1) ||
	    !may_access(l, n, found, count, is_store) || (found->table && !table_declare(l, n, found)))
		return false;
	a = *found;
	ok = wide_index(l, e, &a, count, &index);
	if (n->c)
		ok = element_value(l, n->c, &a, &other) && ok;
	for (uint32_t i = 0; i < count && is_store; i++)
		ok = element_value(l, e = e->next, &a, &v[i]) && ok;
	if (!ok)
		return false;
	lower_at(l, n);
	if (!is_store) {
		load(l, n, &a, &index, n->c ? &other : NULL, count, out);
		return true;
	}
	at = value_emit(l, &index);
	for (uint32_t i = 0; i < count; i++)
		stored[i] = value_emit(l, &v[i]);
	qd_store_wide(l->b, a.array, at, stored, count);
	return true;
}
