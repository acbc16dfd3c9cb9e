/* Builder calls: locals, control flow, memory, and where a thread is. */
#include "build_call.h"

/* -- Locals and control flow ------------------------------------------------------------------ */

struct qd_var
qd_var(struct qd_builder *b, struct qd_val init)
{
	qd_type t;

	if (!build_enter(b, "qd_var") || !(t = build_operand(b, init, TM_ALL)))
		return (struct qd_var){ 0 };
	return (struct qd_var){ build_push_op(b, OP_VAR, t, init, no_val, no_val).id };
}

static qd_type
var_type(struct qd_builder *b, struct qd_var var)
{
	if (var.id && var.id < b->k->ir.n && b->k->ir.ins[var.id].op == OP_VAR)
		return b->k->ir.ins[var.id].type;
	if (!b->failed)
		FAIL(b, DIAG_E0310, "variable");
	return QD_TYPE_NONE;
}

struct qd_val
qd_get(struct qd_builder *b, struct qd_var var)
{
	qd_type t;

	if (!build_enter(b, "qd_get") || !(t = var_type(b, var)))
		return no_val;
	return build_push(b, (struct ins){ .op = OP_GET, .type = (uint8_t)t, .a = var.id });
}

void
qd_set(struct qd_builder *b, struct qd_var var, struct qd_val v)
{
	qd_type t, u;

	if (!build_enter(b, "qd_set") || !(t = var_type(b, var)) ||
	    !(u = build_operand(b, v, TM_ALL)))
		return;
	if (t != u) {
		FAIL(b, DIAG_E0306, type_info[t].name, type_info[u].name);
		return;
	}
	build_push(b, (struct ins){ .op = OP_SET, .a = var.id, .b = v.id });
}

static void
open_block(struct qd_builder *b, uint32_t id)
{
	if (!id)
		return;
	if (b->n_open == MAX_NEST) {
		FAIL(b, DIAG_E0315, MAX_NEST);
		return;
	}
	b->open[b->n_open++] = id;
}

void
qd_if(struct qd_builder *b, struct qd_val cond)
{
	if (build_enter(b, "qd_if") && build_condition(b, cond))
		open_block(b, build_push(b, (struct ins){ .op = OP_IF, .a = cond.id }).id);
}

void
qd_else(struct qd_builder *b)
{
	struct ir *ir = &b->k->ir;
	uint32_t top;

	if (!build_enter(b, "qd_else"))
		return;
	top = b->n_open ? b->open[b->n_open - 1] : 0;
	if (!top || ir->ins[top].op != OP_IF) {
		FAIL(b, DIAG_E0313, "else", "if");
		return;
	}
	b->open[b->n_open - 1] = build_push(b, (struct ins){ .op = OP_ELSE }).id;
}

void
qd_loop(struct qd_builder *b)
{
	if (build_enter(b, "qd_loop"))
		open_block(b, build_push(b, (struct ins){ .op = OP_LOOP }).id);
}

static bool
in_loop(struct qd_builder *b, const char *what)
{
	for (uint32_t i = b->n_open; i-- > 0;)
		if (b->k->ir.ins[b->open[i]].op == OP_LOOP)
			return true;
	FAIL(b, DIAG_E0313, what, "loop");
	return false;
}

void
qd_break(struct qd_builder *b)
{
	if (build_enter(b, "qd_break") && in_loop(b, "break"))
		build_push(b, (struct ins){ .op = OP_BREAK });
}

void
qd_break_if(struct qd_builder *b, struct qd_val cond)
{
	if (build_enter(b, "qd_break_if") && in_loop(b, "break_if") && build_condition(b, cond))
		build_push(b, (struct ins){ .op = OP_BREAK_IF, .a = cond.id });
}

void
qd_continue(struct qd_builder *b)
{
	if (build_enter(b, "qd_continue") && in_loop(b, "continue"))
		build_push(b, (struct ins){ .op = OP_CONTINUE });
}

void
qd_end(struct qd_builder *b)
{
	if (!build_enter(b, "qd_end"))
		return;
	if (!b->n_open) {
		FAIL(b, DIAG_E0313, "end", "if or loop");
		return;
	}
	build_push(b, (struct ins){ .op = OP_END });
	b->n_open--;
}

/* -- Memory -------------------------------------------------------------------------------- */

static struct param *
array_param(struct qd_builder *b, struct qd_array a)
{
	if (a.id && a.id <= b->k->n_params && b->k->params[a.id - 1].access)
		return &b->k->params[a.id - 1];
	if (!b->failed)
		FAIL(b, DIAG_E0310, "buffer");
	return NULL;
}

struct qd_val
qd_len(struct qd_builder *b, struct qd_array a)
{
	if (!build_enter(b, "qd_len") || !array_param(b, a))
		return no_val;
	return build_push(b, (struct ins){ .op = OP_LEN, .type = QD_TYPE_U32, .x = a.id - 1 });
}

/* An index as u32: buffers have fewer than 2^32 elements, so what does not fit
 * becomes the largest, which is always out of range. */
static struct qd_val
index_operand(struct qd_builder *b, struct qd_val v)
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
	return build_push_op(b, OP_SELECT, QD_TYPE_U32, fits,
			     build_push_op(b, OP_CVT, QD_TYPE_U32, v, no_val, no_val),
			     build_constant(b, QD_TYPE_U32, UINT32_MAX));
}

static struct qd_val
load(struct qd_builder *b, struct qd_array a, struct qd_val index, struct qd_val other)
{
	struct param *p = array_param(b, a);

	if (!p)
		return no_val;
	if (p->access == QD_ACCESS_OUT) {
		FAIL(b, DIAG_E0311, p->name);
		return no_val;
	}
	index = index_operand(b, index);
	return build_push(b, (struct ins){ .op = OP_LOAD,
					   .type = type_info[p->type].wide,
					   .aux = AUX_GUARD,
					   .a = index.id,
					   .b = other.id,
					   .x = a.id - 1 });
}

/* Does v have what the elements of p widen to? */
static bool
element_value(struct qd_builder *b, const struct param *p, struct qd_val v)
{
	qd_type t = build_operand(b, v, TM_NUM), want = type_info[p->type].wide;

	if (t && t != want)
		FAIL(b, DIAG_E0308, type_info[want].name, type_info[t].name);
	return t == want;
}

struct qd_val
qd_load(struct qd_builder *b, struct qd_array a, struct qd_val index)
{
	return build_enter(b, "qd_load") ? load(b, a, index, no_val) : no_val;
}

struct qd_val
qd_load_else(struct qd_builder *b, struct qd_array a, struct qd_val index, struct qd_val other)
{
	struct param *p;

	if (!build_enter(b, "qd_load_else") || !(p = array_param(b, a)) ||
	    !element_value(b, p, other))
		return no_val;
	return load(b, a, index, other);
}

void
qd_store(struct qd_builder *b, struct qd_array a, struct qd_val index, struct qd_val v)
{
	struct param *p;

	if (!build_enter(b, "qd_store") || !(p = array_param(b, a)))
		return;
	if (p->access == QD_ACCESS_IN) {
		FAIL(b, DIAG_E0312, p->name);
		return;
	}
	if (!element_value(b, p, v))
		return;
	index = index_operand(b, index);
	build_push(b, (struct ins){ .op = OP_STORE,
				    .aux = AUX_GUARD,
				    .a = index.id,
				    .b = v.id,
				    .x = a.id - 1 });
}

/* -- Places ---------------------------------------------------------------------------------- */

struct qd_val
qd_grid(struct qd_builder *b, struct qd_val n)
{
	qd_type t;
	struct qd_val v;

	if (!build_enter(b, "qd_grid") || !(t = build_operand(b, n, TM_INT)))
		return no_val;
	if (b->k->grid) {
		FAIL(b, DIAG_E0316);
		return no_val;
	}
	if (b->n_open) {
		FAIL(b, DIAG_E0317);
		return no_val;
	}
	v = build_push(b, (struct ins){ .op = OP_GRID, .type = (uint8_t)t, .a = n.id });
	b->k->grid = v.id;
	return v;
}

#define LEAF(fn, op, type)                                                                         \
	struct qd_val fn(struct qd_builder *b)                                                     \
	{                                                                                          \
		return build_leaf(b, #fn, op, type, 0);                                            \
	}

/* clang-format off */
LEAF(qd_block_idx, OP_BLOCK_IDX, QD_TYPE_U32)
LEAF(qd_block_dim, OP_BLOCK_DIM, QD_TYPE_U32)
LEAF(qd_grid_dim, OP_GRID_DIM, QD_TYPE_U32)
LEAF(qd_block_thread_idx, OP_THREAD_IDX, QD_TYPE_I32)
LEAF(qd_subgroup_id, OP_SUBGROUP_ID, QD_TYPE_U32)
LEAF(qd_subgroup_count, OP_SUBGROUP_COUNT, QD_TYPE_U32)
LEAF(qd_subgroup_invocation_id, OP_LANE, QD_TYPE_I32)
LEAF(qd_subgroup_group_size, OP_GROUP_SIZE, QD_TYPE_I32)
LEAF(qd_subgroup_log2_group_size, OP_LOG2_GROUP_SIZE, QD_TYPE_I32)
LEAF(qd_subgroup_elect, OP_ELECT, QD_TYPE_I32)
/* clang-format on */

struct qd_val
qd_block_thread_idx_axis(struct qd_builder *b, uint32_t axis)
{
	const uint32_t *n = b->k->block;
	struct qd_val v;

	if (!build_enter(b, "qd_block_thread_idx_axis"))
		return no_val;
	if (axis > 2) {
		FAIL(b, DIAG_E0323, axis);
		return no_val;
	}
	v = build_push(b, (struct ins){ .op = OP_THREAD_IDX, .type = QD_TYPE_I32 });
	if (axis > 0)
		v = build_push_op(b, OP_DIV, QD_TYPE_I32, v,
				  build_constant(b, QD_TYPE_I32, axis == 1 ? n[0] : n[0] * n[1]),
				  no_val);
	if (axis < 2)
		v = build_push_op(b, OP_REM, QD_TYPE_I32, v,
				  build_constant(b, QD_TYPE_I32, n[axis]), no_val);
	return v;
}

struct qd_val
qd_block_global_thread_idx(struct qd_builder *b)
{
	struct qd_val idx, dim, tid;

	if (!build_enter(b, "qd_block_global_thread_idx"))
		return no_val;
	idx = build_push(b, (struct ins){ .op = OP_BLOCK_IDX, .type = QD_TYPE_U32 });
	dim = build_push(b, (struct ins){ .op = OP_BLOCK_DIM, .type = QD_TYPE_U32 });
	tid = build_push(b, (struct ins){ .op = OP_THREAD_IDX, .type = QD_TYPE_I32 });
	idx = build_push_op(b, OP_BITCAST, QD_TYPE_I32,
			    build_push_op(b, OP_MUL, QD_TYPE_U32, idx, dim, no_val), no_val,
			    no_val);
	return build_push_op(b, OP_ADD, QD_TYPE_I32, idx, tid, no_val);
}
