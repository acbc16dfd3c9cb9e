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

/* Returns the index of the first element. If it does not fit u32, returns the largest u32, which
 * is past the end of every buffer; so are then the following indices, which set its low bits. */
static struct qd_val
first_element(struct qd_builder *b, struct qd_val index, uint32_t log2)
{
	struct qd_val i = build_index_operand(b, index);
	struct qd_val fits = build_push_op(b, OP_LT, QD_TYPE_BOOL, i,
					   build_constant(b, QD_TYPE_U32, 1ull << (32 - log2)), no_val);
	struct qd_val first = build_push_op(b, OP_SHL, QD_TYPE_U32, i,
					    build_constant(b, QD_TYPE_U32, log2), no_val);

	return build_push_op(b, OP_SELECT, QD_TYPE_U32, fits, first,
			     build_constant(b, QD_TYPE_U32, UINT32_MAX));
}

static struct qd_val
element(struct qd_builder *b, struct qd_val first, uint32_t k)
{
	return k ? build_push_op(b, OP_OR, QD_TYPE_U32, first, build_constant(b, QD_TYPE_U32, k), no_val)
		 : first;
}

static void
load_wide(struct qd_builder *b, struct qd_array a, struct qd_val index, const struct qd_val *other,
	  uint32_t n, struct qd_val *out)
{
	uint32_t log2 = wide_log2(b, a, n);
	struct qd_val first = log2 ? first_element(b, index, log2) : no_val;

	for (uint32_t k = 0; k < n && log2; k++)
		out[k] = build_access(b, OP_LOAD, a, element(b, first, k), other, other != NULL, 0);
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
	struct qd_val first;

	if (!build_enter(b, "qd_store_wide") || !(log2 = wide_log2(b, a, n)))
		return;
	first = first_element(b, index, log2);
	for (uint32_t k = 0; k < n; k++)
		build_access(b, OP_STORE, a, element(b, first, k), v + k, 1, 0);
}
