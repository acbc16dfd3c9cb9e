/* Builder calls of accesses to n adjacent elements, n * index and the following. Each element
 * has an access of its own, with its own guard. */
#include "build_call.h"

/* Checks the number of elements. Returns its logarithm, or 0 after an error. */
static uint32_t
wide_log2(struct qd_builder *b, struct qd_array a, uint32_t n)
{
	const struct memory *m = build_memory(b, a);

	if (!m)
		return 0;
	if (!ir_is_wide(n, type_info[m->type].size)) {
		FAIL(b, DIAG_E0249, (long long)n, type_info[m->type].size);
		return 0;
	}
	return (uint32_t)qd_log2(n);
}

/* Returns whether index i of a grid loop times the number of elements fits u32, because the loop's count
 * is a quotient. */
static bool
is_quotient(const struct qd_builder *b, struct qd_val i, uint32_t log2)
{
	const struct ins *ins = b->k->ir.ins, *count, *by;

	if (ins[i.id].op != OP_GRID)
		return false;
	count = &ins[ins[i.id].a];
	if (count->op != OP_DIV && count->op != OP_SHR)
		return false;
	by = &ins[count->b];
	if (count->type != QD_TYPE_U32 || by->op != OP_CONST)
		return false;
	return (count->op == OP_DIV && const_bits(by) >> log2) ||
	       (count->op == OP_SHR && (const_bits(by) & 31) >= log2);
}

/* The elements of an access. */
struct wide {
	struct qd_val first; /* index of the first one */
	enum op next;	     /* adds the number of another one */
};

/* If the index of the first element does not fit u32, it is replaced by the largest u32, which is past
 * the end of every buffer. A union then leaves the following indices past the end too. */
static struct wide
wide_elements(struct qd_builder *b, struct qd_val index, uint32_t log2)
{
	struct qd_val i = build_index_operand(b, index), fits;
	struct wide w = { .next = OP_ADD };

	w.first = build_push_op(b, OP_SHL, QD_TYPE_U32, i, build_constant(b, QD_TYPE_U32, log2), no_val);
	if (b->failed || is_quotient(b, i, log2))
		return w;
	fits = build_push_op(b, OP_LT, QD_TYPE_BOOL, i, build_constant(b, QD_TYPE_U32, 1ull << (32 - log2)),
			     no_val);
	w.next = OP_OR;
	w.first = build_push_op(b, OP_SELECT, QD_TYPE_U32, fits, w.first,
				build_constant(b, QD_TYPE_U32, UINT32_MAX));
	return w;
}

static struct qd_val
element(struct qd_builder *b, const struct wide *w, uint32_t k)
{
	struct qd_val n = k ? build_constant(b, QD_TYPE_U32, k) : no_val;

	return k ? build_push_op(b, w->next, QD_TYPE_U32, w->first, n, no_val) : w->first;
}

static void
load_wide(struct qd_builder *b, struct qd_array a, struct qd_val index, const struct qd_val *other,
	  uint32_t n, struct qd_val *out)
{
	uint32_t log2 = wide_log2(b, a, n);
	struct wide w;

	if (!log2)
		return;
	w = wide_elements(b, index, log2);
	for (uint32_t k = 0; k < n; k++)
		out[k] = build_access(b, OP_LOAD, a, element(b, &w, k), other, other != NULL, 0);
}

void
qd_load_wide(struct qd_builder *b, struct qd_array a, struct qd_val index, uint32_t n,
	     struct qd_val *out)
{
	if (build_enter(b, "qd_load_wide"))
		load_wide(b, a, index, NULL, n, out);
}

void
qd_load_wide_else(struct qd_builder *b, struct qd_array a, struct qd_val index, struct qd_val other,
		  uint32_t n, struct qd_val *out)
{
	if (build_enter(b, "qd_load_wide_else"))
		load_wide(b, a, index, &other, n, out);
}

void
qd_store_wide(struct qd_builder *b, struct qd_array a, struct qd_val index, const struct qd_val *v,
	      uint32_t n)
{
	uint32_t log2;
	struct wide w;

	if (!build_enter(b, "qd_store_wide") || !(log2 = wide_log2(b, a, n)))
		return;
	w = wide_elements(b, index, log2);
	for (uint32_t k = 0; k < n; k++)
		build_access(b, OP_STORE, a, element(b, &w, k), v + k, 1, 0);
}
