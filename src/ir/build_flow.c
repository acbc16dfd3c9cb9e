/* Builder calls: locals, control flow, and thread indices. */
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

/* Records a construct that was opened. */
static void
opened_for(struct qd_builder *b, uint32_t id, uint32_t body, uint32_t var)
{
	if (b->failed || !id)
		return;
	if (b->n_open == b->cap_open) {
		uint32_t cap = b->cap_open ? 2 * b->cap_open : 8;
		struct build_open *open = arena_alloc(&b->k->arena, cap * sizeof *open);

		if (!open) {
			build_nomem(b);
			return;
		}
		if (b->n_open)
			memcpy(open, b->open, b->n_open * sizeof *open);
		b->open = open;
		b->cap_open = cap;
	}
	b->open[b->n_open++] = (struct build_open){ id, body, var };
}

static void
opened(struct qd_builder *b, uint32_t id, uint32_t body)
{
	opened_for(b, id, body, 0);
}

static uint32_t
open_construct(struct qd_builder *b, enum op op)
{
	uint32_t id = build_push(b, (struct ins){ .op = (uint8_t)op }).id;

	opened(b, id, 0);
	return id;
}

static enum op
open_op(const struct qd_builder *b, uint32_t d)
{
	return (enum op)b->k->ir.ins[b->open[d].at].op;
}

void
qd_if(struct qd_builder *b, struct qd_val cond)
{
	if (!build_enter(b, "qd_if"))
		return;
	cond = build_truth(b, cond);
	opened(b, build_push(b, (struct ins){ .op = OP_IF, .a = cond.id }).id, 0);
}

void
qd_else(struct qd_builder *b)
{
	const struct ins *top;

	if (!build_enter(b, "qd_else"))
		return;
	top = b->n_open ? &b->k->ir.ins[b->open[b->n_open - 1].at] : NULL;
	if (!top || top->op != OP_IF || top->x) {
		FAIL(b, DIAG_E0313, "else", "if");
		return;
	}
	build_push(b, (struct ins){ .op = OP_ELSE });
}

/* Opens a loop whose body is a block of its own, so that continue can leave it. The passes remove
 * the block if nothing leaves it. */
void
qd_loop(struct qd_builder *b)
{
	uint32_t at;

	if (!build_enter(b, "qd_loop"))
		return;
	at = build_push(b, (struct ins){ .op = OP_LOOP }).id;
	opened(b, at, build_push(b, (struct ins){ .op = OP_BLOCK }).id);
}

/* Opens loop { if (!(i < end)) break; { body } i += 1; }. The addition does not wrap, because i <
 * end before it. */
struct qd_val
qd_for(struct qd_builder *b, struct qd_val begin, struct qd_val end)
{
	struct qd_val i, c;
	uint32_t var, at, body;
	qd_type t;

	if (!build_enter(b, "qd_for") || !(t = build_operands(b, begin, end, TM_INT)))
		return no_val;
	var = build_push_op(b, OP_VAR, t, begin, no_val, no_val).id;
	at = build_push(b, (struct ins){ .op = OP_LOOP }).id;
	i = build_push(b, (struct ins){ .op = OP_GET, .type = (uint8_t)t, .a = var });
	c = build_push_op(b, OP_LT, QD_TYPE_BOOL, i, end, no_val);
	c = build_push_op(b, OP_NOT, QD_TYPE_BOOL, c, no_val, no_val);
	build_push(b, (struct ins){ .op = OP_BREAK, .a = c.id, .x = at });
	body = build_push(b, (struct ins){ .op = OP_BLOCK }).id;
	opened_for(b, at, body, var);
	return i;
}

void
qd_scope(struct qd_builder *b)
{
	if (build_enter(b, "qd_scope"))
		open_construct(b, OP_BLOCK);
}

/* Leaves construct `target` if cond is true (0: always). */
static void
leave(struct qd_builder *b, uint32_t target, uint32_t cond)
{
	build_push(b, (struct ins){ .op = OP_BREAK, .a = cond, .x = target });
}

/* Returns the innermost open loop, or NULL after an error. */
static const struct build_open *
innermost_loop(struct qd_builder *b, const char *what)
{
	for (uint32_t d = b->n_open; d-- > 0;)
		if (open_op(b, d) == OP_LOOP)
			return &b->open[d];
	FAIL(b, DIAG_E0313, what, "loop");
	return NULL;
}

void
qd_break(struct qd_builder *b)
{
	const struct build_open *loop;

	if (build_enter(b, "qd_break") && (loop = innermost_loop(b, "break")))
		leave(b, loop->at, 0);
}

void
qd_break_if(struct qd_builder *b, struct qd_val cond)
{
	const struct build_open *loop;

	if (!build_enter(b, "qd_break_if") || !(loop = innermost_loop(b, "break_if")))
		return;
	cond = build_truth(b, cond);
	leave(b, loop->at, cond.id);
}

void
qd_while(struct qd_builder *b, struct qd_val cond)
{
	const struct build_open *loop;

	if (!build_enter(b, "qd_while") || !(loop = innermost_loop(b, "while")))
		return;
	cond = build_truth(b, cond);
	cond = build_push_op(b, OP_NOT, QD_TYPE_BOOL, cond, no_val, no_val);
	leave(b, loop->at, cond.id);
}

void
qd_continue(struct qd_builder *b)
{
	const struct build_open *loop;

	if (build_enter(b, "qd_continue") && (loop = innermost_loop(b, "continue")))
		leave(b, loop->body ? loop->body : loop->at, 0);
}

/* Returns the n-th enclosing loop, scope or grid loop, as the caller counts; 0 after an error. */
static uint32_t
nth_around(struct qd_builder *b, uint32_t n)
{
	uint32_t open = 0;

	for (uint32_t d = b->n_open; d-- > 0;)
		if (open_op(b, d) != OP_IF && ++open == n)
			return b->open[d].at;
	FAIL(b, DIAG_E0355, n, open);
	return 0;
}

void
qd_leave(struct qd_builder *b, uint32_t n)
{
	uint32_t target;

	if (build_enter(b, "qd_leave") && (target = nth_around(b, n)))
		leave(b, target, 0);
}

void
qd_leave_if(struct qd_builder *b, uint32_t n, struct qd_val cond)
{
	uint32_t target;

	if (!build_enter(b, "qd_leave_if") || !(target = nth_around(b, n)))
		return;
	cond = build_truth(b, cond);
	leave(b, target, cond.id);
}

static void
count_up(struct qd_builder *b, uint32_t var)
{
	qd_type t = b->k->ir.ins[var].type;
	struct qd_val i = build_push(b, (struct ins){ .op = OP_GET, .type = (uint8_t)t, .a = var });
	struct qd_val one = build_constant(b, t, 1);

	i = build_push_op(b, OP_ADD, t, i, one, no_val);
	build_push(b, (struct ins){ .op = OP_SET, .a = var, .b = i.id });
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
	b->n_open--;
	if (b->open[b->n_open].body)
		build_push(b, (struct ins){ .op = OP_END });
	if (b->open[b->n_open].var)
		count_up(b, b->open[b->n_open].var);
	build_push(b, (struct ins){ .op = OP_END });
}

uint32_t
build_loop(struct qd_builder *b)
{
	return build_enter(b, "qd_loop") ? open_construct(b, OP_LOOP) : 0;
}

uint32_t
build_block(struct qd_builder *b)
{
	return build_enter(b, "qd_scope") ? open_construct(b, OP_BLOCK) : 0;
}

void
build_break(struct qd_builder *b, uint32_t construct, struct qd_val c)
{
	if (!build_enter(b, "qd_leave"))
		return;
	if (c.id)
		c = build_truth(b, c);
	leave(b, construct, c.id);
}

/* -- Indices --------------------------------------------------------------------------------- */

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
	for (uint32_t d = 0; d < b->n_open; d++) {
		if (open_op(b, d) != OP_BLOCK) {
			FAIL(b, DIAG_E0317);
			return no_val;
		}
	}
	v = build_push(b, (struct ins){ .op = OP_GRID, .type = (uint8_t)t, .a = n.id });
	opened(b, v.id, 0);
	b->k->grid = v.id;
	return v;
}

#define LEAF(fn, op_, type_)                                                                       \
	struct qd_val fn(struct qd_builder *b)                                                     \
	{                                                                                          \
		if (!build_enter(b, #fn))                                                          \
			return no_val;                                                             \
		return build_push(b, (struct ins){ .op = op_, .type = type_ });                    \
	}

/* clang-format off */
LEAF(qd_block_idx, OP_BLOCK_IDX, QD_TYPE_U32)
LEAF(qd_block_dim, OP_BLOCK_DIM, QD_TYPE_U32)
LEAF(qd_grid_dim, OP_GRID_DIM, QD_TYPE_U32)
LEAF(qd_block_thread_idx, OP_THREAD_IDX, QD_TYPE_U32)
LEAF(qd_subgroup_id, OP_SUBGROUP_ID, QD_TYPE_U32)
LEAF(qd_subgroup_count, OP_SUBGROUP_COUNT, QD_TYPE_U32)
LEAF(qd_subgroup_invocation_id, OP_LANE, QD_TYPE_U32)
LEAF(qd_subgroup_group_size, OP_GROUP_SIZE, QD_TYPE_U32)
LEAF(qd_subgroup_log2_group_size, OP_LOG2_GROUP_SIZE, QD_TYPE_U32)
LEAF(qd_subgroup_elect, OP_ELECT, QD_TYPE_I32)
/* clang-format on */

struct qd_val
qd_block_thread_idx_axis(struct qd_builder *b, uint32_t axis)
{
	const uint32_t *n;
	struct qd_val v;

	if (!build_enter(b, "qd_block_thread_idx_axis"))
		return no_val;
	if (axis > 2) {
		FAIL(b, DIAG_E0323, axis);
		return no_val;
	}
	n = b->k->block;
	b->shape_used = true;
	v = build_push(b, (struct ins){ .op = OP_THREAD_IDX, .type = QD_TYPE_U32 });
	if (axis > 0)
		v = build_push_op(b, OP_DIV, QD_TYPE_U32, v,
				  build_constant(b, QD_TYPE_U32, axis == 1 ? n[0] : n[0] * n[1]),
				  no_val);
	if (axis < 2)
		v = build_push_op(b, OP_REM, QD_TYPE_U32, v,
				  build_constant(b, QD_TYPE_U32, n[axis]), no_val);
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
	tid = build_push(b, (struct ins){ .op = OP_THREAD_IDX, .type = QD_TYPE_U32 });
	idx = build_push_op(b, OP_MUL, QD_TYPE_U32, idx, dim, no_val);
	return build_push_op(b, OP_ADD, QD_TYPE_U32, idx, tid, no_val);
}
