/* Builder calls: shared arrays, constant tables; loads, stores, atomics; barriers and fences. */
#include "build_call.h"

/* -- Shared arrays --------------------------------------------------------------------- */

bool
build_is_memory_name(const struct qd_builder *b, const char *name)
{
	const struct qd_kernel *k = b->k;
	uint32_t i = 0;

	while (i < k->n_mems && strcmp(k->mems[i].name, name) != 0)
		i++;
	return i < k->n_mems;
}

/* Makes room for one more row. The rows of the parameters have a fixed capacity, MAX_PARAM. With
 * shared arrays, the table is doubled whenever it is full. */
static bool
grow_memories(struct qd_builder *b)
{
	struct qd_kernel *k = b->k;
	uint32_t cap = 2 * k->n_mems + 8;
	struct memory *m;

	if (k->n_mems < b->cap_mems)
		return true;
	if (!(m = arena_zalloc(&k->arena, cap * sizeof *m))) {
		build_nomem(b);
		return false;
	}
	if (k->n_mems)
		memcpy(m, k->mems, k->n_mems * sizeof *m);
	k->mems = m;
	b->cap_mems = cap;
	return true;
}

/* Checks the name of one more array and that there is room for it. */
static bool
may_declare(struct qd_builder *b, const char *name)
{
	if (!build_name(b, name))
		return false;
	if (build_is_memory_name(b, name))
		FAIL(b, DIAG_E0362, name);
	else if (b->k->n_mems - b->k->n_params == MAX_ARRAYS)
		FAIL(b, DIAG_E0370, MAX_ARRAYS);
	return !b->failed;
}

/* Appends the row of an array, with a copy of its name. */
static struct qd_array
declare(struct qd_builder *b, const char *name, struct memory row)
{
	struct qd_kernel *k = b->k;

	if (!grow_memories(b))
		return (struct qd_array){ 0 };
	if (!(row.name = arena_strdup(&k->arena, name, strlen(name)))) {
		build_nomem(b);
		return (struct qd_array){ 0 };
	}
	row.pos = b->pos;
	k->mems[k->n_mems++] = row;
	return (struct qd_array){ k->n_mems };
}

struct qd_array
qd_shared(struct qd_builder *b, const char *name, qd_type element, uint32_t len)
{
	struct qd_kernel *k = b ? b->k : NULL;

	if (!build_enter(b, "qd_shared") || !may_declare(b, name))
		return (struct qd_array){ 0 };
	if (element >= N_TYPE || !type_info[element].size) {
		FAIL(b, DIAG_E0324, qd_type_name(element), "the elements of a shared array");
		return (struct qd_array){ 0 };
	}
	if (!len || len > MAX_SHARED) {
		FAIL(b, DIAG_E0360, (unsigned)MAX_SHARED, (long long)len);
		return (struct qd_array){ 0 };
	}
	if (ir_shared_bytes(k, element, len) > b->ctx->limits.max_shared) {
		FAIL(b, DIAG_E0380, (unsigned long long)ir_shared_bytes(k, element, len),
		     (unsigned long long)b->ctx->limits.max_shared,
		     LIMIT_FIELD(b->ctx, max_shared, LIMIT_SHARED));
		return (struct qd_array){ 0 };
	}
	return declare(b, name, (struct memory){ .type = (uint8_t)element, .space = SPACE_SHARED,
						 .access = QD_ACCESS_INOUT, .len = len });
}

/* -- Constant tables ------------------------------------------------------------------- */

struct qd_array
qd_table(struct qd_builder *b, const char *name, qd_type element, const void *values, uint32_t len)
{
	struct memory row = { .type = (uint8_t)element, .space = SPACE_TABLE, .access = QD_ACCESS_IN, .len = len };
	void *copy;

	if (!build_enter(b, "qd_table") || !may_declare(b, name))
		return (struct qd_array){ 0 };
	if (!ir_may_be_in_table(element)) {
		FAIL(b, DIAG_E0324, qd_type_name(element), "the elements of a table");
		return (struct qd_array){ 0 };
	}
	if (!len || ir_table_bytes(b->k, ir_table_size(&row)) > MAX_TABLES) {
		FAIL(b, DIAG_E0390, MAX_TABLES, (unsigned long long)ir_table_bytes(b->k, ir_table_size(&row)));
		return (struct qd_array){ 0 };
	}
	if (!values) {
		FAIL(b, DIAG_E0391, name);
		return (struct qd_array){ 0 };
	}
	if (!(copy = arena_alloc(&b->k->arena, ir_table_size(&row)))) {
		build_nomem(b);
		return (struct qd_array){ 0 };
	}
	row.data = memcpy(copy, values, ir_table_size(&row));
	return declare(b, name, row);
}

/* -- Loads and stores -------------------------------------------------------------- */

const struct memory *
build_memory(struct qd_builder *b, struct qd_array a)
{
	if (a.id && a.id <= b->k->n_mems && b->k->mems[a.id - 1].space != SPACE_NONE)
		return &b->k->mems[a.id - 1];
	if (!b->failed)
		FAIL(b, DIAG_E0310, "buffer or shared array");
	return NULL;
}

struct qd_val
qd_len(struct qd_builder *b, struct qd_array a)
{
	const struct memory *m;

	if (!build_enter(b, "qd_len") || !(m = build_memory(b, a)))
		return no_val;
	if (m->len)
		return build_constant(b, QD_TYPE_U32, m->len);
	return build_push(b, (struct ins){ .op = OP_LEN, .type = QD_TYPE_U32, .x = a.id - 1 });
}

struct qd_val
build_index_operand(struct qd_builder *b, struct qd_val v)
{
	qd_type t = build_type(b, v);
	struct qd_val fits;

	if (t == QD_TYPE_I32 || t == QD_TYPE_U32)
		return build_lane_operand(b, v, "index");
	if (!type_is(t, TM_I64)) {
		if (!b->failed) {
			if (t == QD_TYPE_NONE)
				FAIL(b, DIAG_E0309);
			else
				FAIL(b, DIAG_E0307, type_info[t].name);
		}
		return no_val;
	}
	if (t == QD_TYPE_I64)
		v = build_push_op(b, OP_BITCAST, QD_TYPE_U64, v, no_val, no_val);
	fits = build_push_op(b, OP_LT, QD_TYPE_BOOL, v, build_constant(b, QD_TYPE_U64, UINT32_MAX),
			     no_val);
	v = build_push_op(b, OP_CVT, QD_TYPE_U32, v, no_val, no_val);
	return build_push_op(b, OP_SELECT, QD_TYPE_U32, fits, v,
			     build_constant(b, QD_TYPE_U32, UINT32_MAX));
}

/* Checks that v has the type to which elements of m widen. */
static bool
element_value(struct qd_builder *b, const struct memory *m, struct qd_val v)
{
	qd_type t = build_operand(b, v, TM_NUM), want = type_info[m->type].wide;

	if (t && t != want)
		FAIL(b, DIAG_E0308, type_info[want].name, type_info[t].name);
	return t == want;
}

struct qd_val
build_access(struct qd_builder *b, enum op op, struct qd_array a, struct qd_val index,
	     const struct qd_val *operand, uint32_t n, uint32_t attr)
{
	const struct memory *m = build_memory(b, a);
	struct ins ins = { .op = (uint8_t)op, .attr = (uint16_t)attr, .x = a.id - 1 };

	if (!m)
		return no_val;
	if (op_reads(op) && m->access == QD_ACCESS_OUT) {
		FAIL(b, DIAG_E0311, m->name);
		return no_val;
	}
	if (op_writes(op) && m->access == QD_ACCESS_IN) {
		FAIL(b, m->space == SPACE_TABLE ? DIAG_E0392 : DIAG_E0312, m->name);
		return no_val;
	}
	if (op_info[op].effect == EFFECT_ATOMIC && !type_is((qd_type)m->type, op_info[op].types)) {
		FAIL(b, DIAG_E0324, type_info[m->type].name, op_info[op].text);
		return no_val;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (!element_value(b, m, operand[i]))
			return no_val;
		ins.arg[1 + i] = operand[i].id;
	}
	ins.attr |= m->space != SPACE_SHARED ? ATTR_GUARD : 0;
	ins.type = op_reads(op) ? type_info[m->type].wide : QD_TYPE_NONE;
	ins.a = build_index_operand(b, index).id;
	return build_push(b, ins);
}

struct qd_val
qd_load(struct qd_builder *b, struct qd_array a, struct qd_val index)
{
	return build_enter(b, "qd_load") ? build_access(b, OP_LOAD, a, index, NULL, 0, 0) : no_val;
}

struct qd_val
qd_load_else(struct qd_builder *b, struct qd_array a, struct qd_val index, struct qd_val other)
{
	return build_enter(b, "qd_load_else") ? build_access(b, OP_LOAD, a, index, &other, 1, 0) : no_val;
}

void
qd_store(struct qd_builder *b, struct qd_array a, struct qd_val index, struct qd_val v)
{
	if (build_enter(b, "qd_store"))
		build_access(b, OP_STORE, a, index, &v, 1, 0);
}

/* -- Asynchronous copies ------------------------------------------------------------ */

/* Returns the source or destination of a copy, which must be in this space. */
static const struct memory *
side(struct qd_builder *b, struct qd_array a, enum space space)
{
	const struct memory *m = build_memory(b, a);

	if (!m || m->space == space)
		return m;
	FAIL(b, DIAG_E0378, op_info[OP_CP_ASYNC].text,
	     space == SPACE_SHARED ? "shared array" : "buffer");
	return NULL;
}

void
qd_nvvm_cp_async(struct qd_builder *b, struct qd_array to, struct qd_val at, struct qd_array from,
		 struct qd_val index, uint32_t n)
{
	const struct memory *src, *dst;
	struct ins place = { .op = OP_PLACE, .type = QD_TYPE_U32, .x = to.id - 1 };
	struct ins ins = { .op = OP_CP_ASYNC, .attr = ATTR_GUARD, .x = from.id - 1 };

	if (!build_enter(b, "qd_nvvm_cp_async") || !(dst = side(b, to, SPACE_SHARED)) ||
	    !(src = side(b, from, SPACE_GLOBAL)))
		return;
	if (src->access == QD_ACCESS_OUT)
		FAIL(b, DIAG_E0311, src->name);
	else if (!type_is((qd_type)src->type, op_info[OP_CP_ASYNC].types))
		FAIL(b, DIAG_E0324, type_info[src->type].name, op_info[OP_CP_ASYNC].text);
	else if (dst->type != src->type)
		FAIL(b, DIAG_E0377, dst->name, type_info[dst->type].name, src->name,
		     type_info[src->type].name);
	else if (!ir_can_copy(n, type_info[src->type].size))
		FAIL(b, DIAG_E0240, (long long)n, type_info[src->type].size);
	if (b->failed)
		return;
	place.a = build_index_operand(b, at).id;
	ins.a = build_index_operand(b, index).id;
	ins.attr |= (uint16_t)((n == 4 ? 2u : n - 1) << ATTR_COUNT_AT);
	ins.b = build_push(b, place).id;
	build_push(b, ins);
}

void
qd_nvvm_cp_async_wait_group(struct qd_builder *b, uint32_t n)
{
	if (!build_enter(b, "qd_nvvm_cp_async_wait_group"))
		return;
	if (n > MAX_COPY_GROUPS)
		FAIL(b, DIAG_E0219, "the number of groups", (long long)n, "0 to 63");
	else
		build_push(b, (struct ins){ .op = OP_CP_ASYNC_WAIT, .x = n });
}

/* -- Atomics and fences -------------------------------------------------------------- */

/* Encodes scope and order as attributes; false after an error. */
static bool
order_attr(struct qd_builder *b, enum op op, qd_mem_scope scope, qd_mem_order order, uint32_t *attr)
{
	uint32_t scopes = op_scopes(op), orders = op_orders(op);

	if ((uint32_t)scope > MEM_SYSTEM || !(scopes >> scope & 1)) {
		FAIL(b, DIAG_E0359, op_info[op].text,
		     (uint32_t)scope > MEM_SYSTEM ? "?" : mem_scope_name[scope]);
		return false;
	}
	if ((uint32_t)order > MEM_ACQ_REL || !(orders >> order & 1)) {
		FAIL(b, DIAG_E0358, op_info[op].text,
		     (uint32_t)order > MEM_ACQ_REL ? "?" : mem_order_name[order]);
		return false;
	}
	*attr = (uint32_t)scope << ATTR_SCOPE_AT | (uint32_t)order << ATTR_ORDER_AT;
	return true;
}

struct qd_val
build_atomic(struct qd_builder *b, const char *name, enum op op, struct qd_array a,
	     struct qd_val index, const struct qd_val *operand, qd_mem_scope scope, qd_mem_order order)
{
	uint32_t n = op_sig(op)->opnd[2] == OPND_ELEM ? 2 : op_writes(op), attr;

	if (!build_enter(b, name) || !order_attr(b, op, scope, order, &attr))
		return no_val;
	return build_access(b, op, a, index, operand, n, attr);
}

void
build_fence(struct qd_builder *b, const char *name, enum op op, qd_mem_scope scope, qd_mem_order order)
{
	uint32_t attr;

	if (build_enter(b, name) && order_attr(b, op, scope, order, &attr))
		build_push(b, (struct ins){ .op = (uint8_t)op, .attr = (uint16_t)attr });
}

#define ATOMIC_RMW(fn, op)                                                                         \
	struct qd_val fn(struct qd_builder *b, struct qd_array a, struct qd_val index,             \
			 struct qd_val v, qd_mem_scope scope, qd_mem_order order)                          \
	{                                                                                          \
		return build_atomic(b, #fn, op, a, index, &v, scope, order);                       \
	}

ATOMIC_RMW(qd_atomic_add, OP_ATOMIC_ADD)
ATOMIC_RMW(qd_atomic_sub, OP_ATOMIC_SUB)
ATOMIC_RMW(qd_atomic_min, OP_ATOMIC_MIN)
ATOMIC_RMW(qd_atomic_max, OP_ATOMIC_MAX)
ATOMIC_RMW(qd_atomic_and, OP_ATOMIC_AND)
ATOMIC_RMW(qd_atomic_or, OP_ATOMIC_OR)
ATOMIC_RMW(qd_atomic_xor, OP_ATOMIC_XOR)
ATOMIC_RMW(qd_atomic_exchange, OP_ATOMIC_EXCHANGE)

struct qd_val
qd_atomic_cas(struct qd_builder *b, struct qd_array a, struct qd_val index, struct qd_val expected,
	      struct qd_val desired, qd_mem_scope scope, qd_mem_order order)
{
	struct qd_val v[] = { expected, desired };

	return build_atomic(b, "qd_atomic_cas", OP_ATOMIC_CAS, a, index, v, scope, order);
}

struct qd_val
qd_atomic_load(struct qd_builder *b, struct qd_array a, struct qd_val index, qd_mem_scope scope,
	       qd_mem_order order)
{
	return build_atomic(b, "qd_atomic_load", OP_ATOMIC_LOAD, a, index, NULL, scope, order);
}

void
qd_atomic_store(struct qd_builder *b, struct qd_array a, struct qd_val index, struct qd_val v,
		qd_mem_scope scope, qd_mem_order order)
{
	build_atomic(b, "qd_atomic_store", OP_ATOMIC_STORE, a, index, &v, scope, order);
}

void
qd_subgroup_mem_fence(struct qd_builder *b, qd_mem_order order)
{
	build_fence(b, "qd_subgroup_mem_fence", OP_SUBGROUP_FENCE, QD_SCOPE_SUBGROUP, order);
}

void
qd_block_mem_fence(struct qd_builder *b, qd_mem_order order)
{
	build_fence(b, "qd_block_mem_fence", OP_BLOCK_FENCE, QD_SCOPE_BLOCK, order);
}

void
qd_grid_mem_fence(struct qd_builder *b, qd_mem_scope scope, qd_mem_order order)
{
	build_fence(b, "qd_grid_mem_fence", OP_GRID_FENCE, scope, order);
}

#define MEETING(fn, op_)                                                                           \
	void fn(struct qd_builder *b)                                                              \
	{                                                                                          \
		if (!build_enter(b, #fn))                                                          \
			return;                                                                    \
		if (op_info[op_].scope == SCOPE_BLOCK)                                             \
			build_take_active(b, op_);                                                 \
		build_push(b, (struct ins){ .op = op_ });                                          \
	}

MEETING(qd_nvvm_cp_async_commit_group, OP_CP_ASYNC_COMMIT)
MEETING(qd_nvvm_cp_async_wait_all, OP_CP_ASYNC_WAIT_ALL)
MEETING(qd_block_sync, OP_BLOCK_SYNC)
MEETING(qd_subgroup_sync, OP_SUBGROUP_SYNC)
