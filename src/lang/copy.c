/* Asynchronous copies, nvvm.cp_async(s[i], a[j], n), and waits for groups of them. */
#include "lower.h"

/* Lowers one side of a copy: an element of a shared array or of a buffer. */
static bool
side(struct lower *l, const struct node *a, const struct prim *p, bool shared, struct binding *out,
     struct value *index)
{
	const struct binding *found;

	l->help.help = "write nvvm.cp_async(s[i], a[j], n), where s is a shared array and a a buffer";
	if (a->kind != N_INDEX || a->c)
		return lower_error(l, a, DIAG_E0378, p->name, shared ? "shared array" : "buffer");
	l->help.help = NULL;
	if (!(found = lower_array(l, a->a)))
		return false;
	*out = *found;
	l->help.help = "write nvvm.cp_async(s[i], a[j], n), where s is a shared array and a a buffer";
	if (shared != (out->n_dims != 0))
		return lower_error(l, a, DIAG_E0378, p->name, shared ? "shared array" : "buffer");
	l->help.help = NULL;
	return lower_index(l, a, out, index);
}

bool
lower_copy(struct lower *l, const struct node *n, const struct prim *p, struct results *out)
{
	const struct node *a = n->b;
	struct binding to, from;
	struct value at, index, count;
	char name[MAX_NAME + 1], other[MAX_NAME + 1], list[64];
	int64_t k;
	bool ok;

	out->n = 0;
	if (!call_takes(l, n, p->name, 3))
		return false;
	ok = side(l, a, p, true, &to, &at);
	ok = side(l, a->next, p, false, &from, &index) && ok;
	count = lower_expr(l, a->next->next, QD_TYPE_U32);
	if (!value_need(l, a->next->next, &count, "the number of elements", &k) || !ok)
		return false;
	if (from.access == QD_ACCESS_OUT)
		return lower_error(l, a->next, DIAG_E0311, lower_name(l, from.sym, name));
	if (!type_is((qd_type)from.type, op_info[p->op].types)) {
		type_list(list, sizeof list, op_info[p->op].types);
		snprintf(l->convert_text, sizeof l->convert_text, "elements may be %s", list);
		l->help.help = l->convert_text;
		return lower_error(l, a->next, DIAG_E0324, type_info[from.type].name, p->name);
	}
	if (to.type != from.type)
		return lower_error(l, a->next, DIAG_E0377, lower_name(l, to.sym, name),
				   type_info[to.type].name, lower_name(l, from.sym, other),
				   type_info[from.type].name);
	if (k < 1 || k > 4 || !ir_can_copy((uint32_t)k, type_info[from.type].size))
		return lower_error(l, a->next->next, DIAG_E0240, (long long)k,
				   type_info[from.type].size);
	lower_at(l, n);
	struct qd_val i = value_emit(l, &at);
	qd_nvvm_cp_async(l->b, to.array, i, from.array, value_emit(l, &index), (uint32_t)k);
	return true;
}

bool
lower_copy_wait(struct lower *l, const struct node *n, const struct prim *p, struct results *out)
{
	struct value v;
	int64_t k;

	out->n = 0;
	if (!call_takes(l, n, p->name, 1))
		return false;
	v = lower_expr(l, n->b, QD_TYPE_U32);
	if (!value_need(l, n->b, &v, "the number of groups", &k))
		return false;
	if (k < 0 || k > MAX_COPY_GROUPS)
		return lower_error(l, n->b, DIAG_E0219, "the number of groups", (long long)k, "0 to 63");
	lower_at(l, n);
	qd_nvvm_cp_async_wait_group(l->b, (uint32_t)k);
	return true;
}
