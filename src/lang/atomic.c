/* Atomics on elements, and fences. Scope and order are named arguments. */
#include "build_call.h"
#include "lower.h"

/* Finds the word of `argument = word` among names, and stores its index. */
static bool
named_word(struct lower *l, const struct node *a, const char *const *names, uint32_t set,
	   uint32_t *out)
{
	const struct node *v = a->a;
	char list[64] = "";
	size_t len = 0;

	for (uint32_t i = 0; set >> i; i++) {
		if (!(set >> i & 1))
			continue;
		if (v->kind == N_NAME && strlen(names[i]) == l->m->syms.sym[v->sym].len &&
		    memcmp(names[i], l->m->syms.sym[v->sym].s, strlen(names[i])) == 0) {
			*out = i;
			return true;
		}
		len += (size_t)snprintf(list + len, sizeof list - len, "%s%s", len ? ", " : "",
					names[i]);
	}
	return lower_error(l, v, DIAG_E0368, SYM(l->m, a->sym), list);
}

/* Reads the scope and order of a call. Returns false after an error. */
static bool
ordering(struct lower *l, const struct node *n, const struct prim *p, qd_mem_scope *scope,
	 qd_mem_order *order)
{
	uint32_t scopes = op_scopes(p->op), orders = op_orders(p->op);

	*scope = MEM_DEVICE;
	while (!(scopes >> *scope & 1))
		++*scope;
	*order = orders >> MEM_RELAXED & 1 ? MEM_RELAXED : MEM_ACQ_REL;
	for (const struct node *a = n->b; a; a = a->next) {
		bool is_scope = a->sym == W_scope && (scopes & (scopes - 1));

		if (a->kind != N_NAMED)
			continue;
		if (!call_may_name(l, n, a, p->name, is_scope || a->sym == W_order))
			return false;
		if (is_scope) {
			if (!named_word(l, a, mem_scope_name, scopes, scope))
				return false;
		} else if (!named_word(l, a, mem_order_name, orders, order)) {
			return false;
		}
	}
	return true;
}

bool
lower_fence(struct lower *l, const struct node *n, const struct prim *p, struct results *out)
{
	qd_mem_scope scope;
	qd_mem_order order;

	out->n = 0;
	if (!call_has(l, n, p->name, 0) || !ordering(l, n, p, &scope, &order))
		return false;
	lower_at(l, n);
	build_fence(l->b, op_info[p->op].text, p->op, scope, order);
	return true;
}

/* Lowers a value that must have the element's type. */
static bool
element_value(struct lower *l, const struct node *a, qd_type type, struct value *v)
{
	*v = lower_expr(l, a, type);
	if (v->kind == V_ERROR)
		return false;
	if (v->type == type)
		return true;
	lower_convert(l, type, NULL);
	return lower_error(l, a, DIAG_E0308, type_info[type].name, type_info[v->type].name);
}

bool
lower_atomic(struct lower *l, const struct node *n, const struct prim *p, struct results *out)
{
	const struct sig_info *sig = op_sig(p->op);
	uint32_t n_values = 0;
	const struct node *a = call_next(n->b);
	struct binding *found, array;
	struct value index, v[2];
	struct qd_val arg[2];
	qd_mem_scope scope;
	qd_mem_order order;
	char name[MAX_NAME + 1], list[64];
	bool ok;

	for (uint32_t j = 0; j < sig->n_opnd; j++)
		n_values += sig->opnd[j] == OPND_ELEM;
	if (!call_has(l, n, p->name, 1 + n_values))
		return false;
	if (a->kind != N_INDEX || a->c)
		return lower_error(l, a, DIAG_E0369, p->name);
	if (!(found = lower_array(l, a->a)))
		return false;
	if (found->table && !table_declare(l, a, found))
		return false;
	array = *found;
	if (op_reads(p->op) && array.access == QD_ACCESS_OUT)
		return lower_error(l, a, DIAG_E0311, lower_name(l, array.sym, name));
	if (op_writes(p->op) && array.access == QD_ACCESS_IN)
		return lower_error(l, a, array.table ? DIAG_E0392 : DIAG_E0312, lower_name(l, array.sym, name));
	if (!type_is((qd_type)array.type, op_info[p->op].types)) {
		type_list(list, sizeof list, op_info[p->op].types);
		snprintf(l->convert_text, sizeof l->convert_text, "elements may be %s", list);
		l->help.help = l->convert_text;
		return lower_error(l, a, DIAG_E0324, type_info[array.type].name, p->name);
	}
	ok = lower_index(l, a, &array, &index);
	for (uint32_t i = 0; i < n_values; i++) {
		a = call_next(a->next);
		ok = element_value(l, a, (qd_type)array.type, &v[i]) && ok;
	}
	if (!ordering(l, n, p, &scope, &order) || !ok)
		return false;
	lower_at(l, n);
	struct qd_val at = value_emit(l, &index);
	for (uint32_t i = 0; i < n_values; i++)
		arg[i] = value_emit(l, &v[i]);
	at = build_atomic(l->b, op_info[p->op].text, p->op, array.array, at, arg, scope, order);
	out->n = sig->n_results;
	out->v[0] = value_dyn((qd_type)array.type, at);
	return true;
}
