/* Calls that expand to a few other operations: indices along an axis, masks of lanes, predicates
 * as the bits of a word. */
#include "build_call.h"
#include "lower.h"

/* (axis) */
bool
prim_axis(struct lower *l, const struct node *n, const struct prim *p, struct value *out)
{
	struct value v;
	int64_t axis;

	if (n->num != 1 || n->b->kind == N_NAMED)
		return lower_error(l, n, DIAG_E0129, p->name, "at most 1 argument", (unsigned)n->num);
	v = lower_expr(l, n->b, QD_TYPE_I32);
	if (!value_need(l, n->b, &v, "an axis", &axis))
		return false;
	lower_at(l, n->b);
	axis = axis >> 32 ? UINT32_MAX : axis;
	out[0] = value_dyn(QD_TYPE_U32, qd_block_thread_idx_axis(l->b, (uint32_t)axis));
	return true;
}

/* (lane) */
bool
prim_mask(struct lower *l, const struct node *n, const struct prim *p, struct value *out)
{
	struct value lane;
	struct qd_val v;

	if (!call_takes(l, n, p->name, 1))
		return false;
	lane = lower_expr(l, n->b, QD_TYPE_U32);
	if (lane.kind == V_ERROR)
		return false;
	if (!type_is(lane.type, TM_I32))
		return lower_error(l, n->b, DIAG_E0305, "lane", type_info[lane.type].name);
	lower_at(l, n);
	v = value_emit(l, &lane);
	out[0] = value_dyn(p->mask_type, p->mask(l->b, v));
	return true;
}

/* (p, ...): predicates as the bits of a word */
bool
prim_pack(struct lower *l, const struct node *n, const struct prim *p, struct value *out)
{
	struct qd_val arg[32];
	uint32_t i = 0;

	if (!call_takes(l, n, p->name, (uint32_t)n->num))
		return false;
	if (n->num < 1 || n->num > QD_COUNT(arg))
		return lower_error(l, n, DIAG_E0231, (unsigned)n->num);
	for (const struct node *a = n->b; a; a = a->next) {
		struct value v = lower_condition(l, a);

		if (v.kind == V_ERROR)
			return false;
		arg[i++] = value_emit(l, &v);
	}
	lower_at(l, n);
	out[0] = value_dyn(QD_TYPE_U32, qd_nvvm_p2r(l->b, arg, i));
	return true;
}

/* (v, i): a bit of a word as a predicate */
bool
prim_unpack(struct lower *l, const struct node *n, const struct prim *p, struct value *out)
{
	struct value v[2];
	const struct node *a = n->b;
	struct qd_val word;

	if (!call_takes(l, n, p->name, 2))
		return false;
	for (uint32_t i = 0; i < 2; i++, a = a->next) {
		v[i] = lower_expr(l, a, QD_TYPE_U32);
		if (v[i].kind == V_ERROR)
			return false;
		if (!type_is(v[i].type, TM_I32))
			return lower_error(l, a, DIAG_E0305, i ? "index" : "word",
					   type_info[v[i].type].name);
	}
	lower_at(l, n);
	word = value_emit(l, &v[0]);
	out[0] = value_dyn(QD_TYPE_BOOL, qd_nvvm_r2p(l->b, word, value_emit(l, &v[1])));
	return true;
}
