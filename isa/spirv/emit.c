/* Emitter of SPIR-V words from legal IR.
 *
 * A first pass over the IR counts the sizes of the sections, and records the arguments and inputs
 * that the head of the function must load. A second pass emits the body and collects types,
 * constants and decorations in their own sections. The head is prepended at the end. Variables are
 * Function variables. Every loop has the form
 *
 *	header -> test: -> merge, or body: -> next: -> header
 *
 * and exits only at its test. Some drivers lose the values of lanes that leave a loop at its bottom
 * or in its middle. */
#include "emit.h"

qd_status
spv_illegal(const struct emitter *e, uint32_t i, const char *why, struct qd_error *err)
{
	const struct ins *ins = &e->ir->ins[i];

	return qd_fail(err, QD_E_INTERNAL, "%s: %s (%s, instruction %u) cannot be emitted: %s",
		       e->k->name, op_info[ins->op].text, type_info[ins->type].name, i, why);
}

qd_status
spv_no_memory(struct qd_error *err)
{
	return qd_fail(err, QD_E_NOMEM, "out of memory");
}

/* -- First pass ---------------------------------------------------------------- */

/* Runs the first pass. Returns the maximum nesting depth of control flow. */
static uint32_t
scan(struct emitter *e, struct module_size *size)
{
	uint32_t depth = 0, deepest = 0;

	for (uint32_t i = 1; i < e->ir->n; i++) {
		const struct ins *ins = &e->ir->ins[i];
		const struct op_info *info = &op_info[ins->op];

		if (QD_LIKELY(info->is_alu)) {
			size->n_floats += type_info[ins->type].is_float;
			continue;
		}
		/* a mask, distance or size that is a literal in the IR */
		size->n_consts += ins->op == OP_CONST || info->scope == SCOPE_SUBGROUP;
		size->n_consts += ins->attr & ATTR_ORDER || info->effect == EFFECT_SYNC ? 2 : 0;
		size->n_consts += ins->attr & ATTR_NEAR && info->effect <= EFFECT_WRITE ? 4 : 0;
		spv_want_memory(e, ins);
		switch (op_flow[ins->op]) {
		case FLOW_OPEN:
			if (++depth > deepest)
				deepest = depth;
			break;
		case FLOW_CLOSE: depth--; break;
		default: break;
		}
		switch (ins->op) {
		case OP_LANE: e->lane = 1; break;
		case OP_THREAD_IDX: e->local_index = 1; break;
		case OP_SUBGROUP_ID: e->subgroup = 1; break;
		default: break;
		}
	}
	for (uint32_t i = e->k->n_params; i < e->in->body->n_mems; i++)
		size->n_arrays += e->mems[i].space != SPACE_GLOBAL;
	/* The guard at the entry of every kernel reads these. */
	e->word[e->k->tail / 4 + TAIL_N_BLOCKS] = 1;
	e->word[e->k->tail / 4 + TAIL_BLOCK_BASE] = 1;
	return deepest;
}

/* -- Head of the function ---------------------------------------------------------- */

static uint32_t
load_input(struct emitter *e, enum spv_type pointer, enum spv_type t, uint32_t builtin)
{
	uint32_t var = module_builtin(&e->m, pointer, builtin), id = module_id(&e->m);

	PUT(&e->m.body, Load, module_type(&e->m, t), id, var);
	return id;
}

uint32_t
spv_component(struct emitter *e, uint32_t vector, uint32_t n)
{
	uint32_t id = module_id(&e->m);

	PUT(&e->m.body, CompositeExtract, module_type(&e->m, T_U32), id, vector, n);
	return id;
}

/* Emits the index of the block in the grid. The launch may have folded the grid into two dimensions
 * and split it into several dispatches: block_base + y * width + x. */
static uint32_t
block_index(struct emitter *e)
{
	struct module *m = &e->m;
	uint32_t at = load_input(e, T_IN_UVEC3, T_UVEC3, SPV_BuiltIn_WorkgroupId);
	uint32_t size = load_input(e, T_IN_UVEC3, T_UVEC3, SPV_BuiltIn_NumWorkgroups);
	uint32_t x = spv_component(e, at, 0), y = spv_component(e, at, 1);
	uint32_t width = spv_component(e, size, 0);
	uint32_t row = module_id(m), in_grid = module_id(m), id = module_id(m);
	uint32_t type = module_type(m, T_U32);

	PUT(&m->body, IMul, type, row, y, width);
	PUT(&m->body, IAdd, type, in_grid, row, x);
	PUT(&m->body, IAdd, type, id, in_grid, e->word[e->k->tail / 4 + TAIL_BLOCK_BASE]);
	return id;
}

/* Emits the thread's lane, subgroup and index in the block. Vulkan does not define the lane of a
 * local index, so the index is computed from subgroup and lane. Blocks consist of whole
 * subgroups. */
static void
place_thread(struct emitter *e)
{
	struct module *m = &e->m;
	uint32_t size = e->machine->lanes;
	bool one = machine_rounded(e->machine, e->k->block_dim) <= size;

	if (e->lane || e->local_index)
		e->lane = load_input(e, T_IN_U32, T_U32, SPV_BuiltIn_SubgroupLocalInvocationId);
	if (one)
		e->subgroup = e->subgroup ? module_u32(m, 0) : 0;
	else if (e->subgroup || e->local_index)
		e->subgroup = load_input(e, T_IN_U32, T_U32, SPV_BuiltIn_SubgroupId);
	if (e->lane || (e->subgroup && !one))
		module_cap(m, CAPABILITY_SUBGROUP);
	if (e->local_index && one) {
		e->local_index = e->lane;
	} else if (e->local_index) {
		uint32_t type = module_type(m, T_U32), lanes = module_u32(m, size);
		uint32_t first = module_id(m);

		PUT(&m->body, IMul, type, first, e->subgroup, lanes);
		e->local_index = module_id(m);
		PUT(&m->body, IAdd, type, e->local_index, first, e->lane);
	}
}

static qd_status
emit_head(struct emitter *e, uint32_t *end, struct qd_error *err)
{
	struct module *m = &e->m;
	const struct ir *ir = e->ir;

	for (uint32_t i = 1; (ir->has & HAS_LOCAL) && i < ir->n; i++) {
		if (ir->ins[i].op != OP_VAR)
			continue;
		if (!module_room(m))
			return spv_no_memory(err);
		uint32_t type = module_type(m, spv_variable_type(ir->ins[i].type));
		PUT(&m->body, Variable, type, e->id[i] = module_id(m), SPV_StorageClass_Function);
	}
	if (!module_room(m))
		return spv_no_memory(err);
	spv_declare_shared(e);
	if (!spv_declare_tables(e))
		return spv_no_memory(err);
	QD_TRY(spv_emit_arguments(e, err));
	if (!module_room(m))
		return spv_no_memory(err);
	place_thread(e);
	e->block = block_index(e);

	/* A folded grid may have more blocks than the launch: they exit here. */
	uint32_t there = module_id(m), then = module_id(m);
	*end = module_id(m);
	PUT(&m->body, ULessThan, module_type(m, T_BOOL), there, e->block,
	    e->word[e->k->tail / 4 + TAIL_N_BLOCKS]);
	PUT(&m->body, SelectionMerge, *end, SPV_SelectionControl_None);
	PUT(&m->body, BranchConditional, there, then, *end);
	PUT(&m->body, Label, then);
	e->label = then;
	return QD_OK;
}

/* -- Control flow -------------------------------------------------------------------- */

static void
put_label(struct emitter *e, uint32_t label)
{
	PUT(&e->m.body, Label, label);
	e->label = label;
}

static struct frame *
innermost(struct emitter *e)
{
	return e->n_frame ? &e->frame[e->n_frame - 1] : NULL;
}

/* Opens a construct. The test of a loop must precede all other control flow in it. */
static qd_status
open_frame(struct emitter *e, uint32_t i, struct frame f, struct qd_error *err)
{
	const struct frame *outer = innermost(e);

	if (outer && outer->op == OP_LOOP && !outer->tested)
		return spv_illegal(e, i, "the enclosing loop has no test yet", err);
	e->frame[e->n_frame++] = f;
	return QD_OK;
}

static qd_status
emit_if(struct emitter *e, uint32_t i, struct qd_error *err)
{
	struct module *m = &e->m;
	const struct ins *ins = &e->ir->ins[i];
	uint32_t then = module_id(m), merge = module_id(m);
	bool has_else = e->ir->ins[ins->x].op == OP_ELSE;
	uint32_t other = has_else ? module_id(m) : merge;

	PUT(&m->body, SelectionMerge, merge, SPV_SelectionControl_None);
	PUT(&m->body, BranchConditional, e->id[ins->a], then, other);
	put_label(e, then);
	return open_frame(e, i, (struct frame){ .op = OP_IF, .merge = merge, .other = other }, err);
}

static qd_status
emit_else(struct emitter *e, uint32_t i, struct qd_error *err)
{
	struct frame *f = innermost(e);

	if (!f || f->op != OP_IF)
		return spv_illegal(e, i, "no if is open", err);
	PUT(&e->m.body, Branch, f->merge);
	put_label(e, f->other);
	f->op = OP_ELSE;
	return QD_OK;
}

static qd_status
emit_loop(struct emitter *e, uint32_t i, struct qd_error *err)
{
	struct module *m = &e->m;
	uint32_t header = module_id(m), test = module_id(m), next = module_id(m),
		 merge = module_id(m);

	PUT(&m->body, Branch, header);
	PUT(&m->body, Label, header);
	PUT(&m->body, LoopMerge, merge, next, SPV_LoopControl_None);
	PUT(&m->body, Branch, test);
	put_label(e, test);
	return open_frame(e, i, (struct frame){ .op = OP_LOOP, .merge = merge, .other = header,
						.next = next }, err);
}

static qd_status
emit_break(struct emitter *e, uint32_t i, struct qd_error *err)
{
	const struct ins *ins = &e->ir->ins[i];
	struct frame *f = innermost(e);

	if (!f || f->op != OP_LOOP || f->tested || !ins->a || ins->b != 1)
		return spv_illegal(e, i, "a loop exits only at the test at its head", err);
	uint32_t body = module_id(&e->m);
	PUT(&e->m.body, BranchConditional, e->id[ins->a], f->merge, body);
	put_label(e, body);
	f->tested = true;
	return QD_OK;
}

static qd_status
emit_end(struct emitter *e, uint32_t i, struct qd_error *err)
{
	struct module *m = &e->m;
	struct frame *f = innermost(e);

	if (!f)
		return spv_illegal(e, i, "no construct is open", err);
	if (f->op == OP_LOOP) {
		if (!f->tested)
			return spv_illegal(e, i, "the loop has no test", err);
		PUT(&m->body, Branch, f->next);
		PUT(&m->body, Label, f->next);
		PUT(&m->body, Branch, f->other);
	} else {
		PUT(&m->body, Branch, f->merge);
	}
	put_label(e, f->merge);
	e->n_frame--;
	return QD_OK;
}

/* -- Leaves and variables ------------------------------------------------------------- */

static qd_status
emit_const(struct emitter *e, uint32_t i, struct qd_error *err)
{
	const struct ins *ins = &e->ir->ins[i];

	(void)err;
	e->id[i] = module_const(&e->m, spv_value_type(ins->type), const_bits(ins));
	return QD_OK;
}

static qd_status
emit_index(struct emitter *e, uint32_t i, struct qd_error *err)
{
	const struct ins *ins = &e->ir->ins[i];

	(void)err;
	switch (ins->op) {
	case OP_ARGWORD: e->id[i] = e->word[ins->x]; break;
	case OP_GRID_DIM: e->id[i] = e->word[e->k->tail / 4 + TAIL_N_BLOCKS]; break;
	case OP_BLOCK_IDX: e->id[i] = e->block; break;
	case OP_LANE: e->id[i] = e->lane; break;
	case OP_THREAD_IDX: e->id[i] = e->local_index; break;
	default: e->id[i] = e->subgroup; /* OP_SUBGROUP_ID */
	}
	return QD_OK;
}

static qd_status
emit_local(struct emitter *e, uint32_t i, struct qd_error *err)
{
	const struct ins *ins = &e->ir->ins[i];
	uint32_t type;

	(void)err;
	switch (ins->op) {
	case OP_VAR:
		if (!(ins->attr & ATTR_UNSET))
			PUT(&e->m.body, Store, e->id[i], e->id[ins->a]);
		break;
	case OP_SET: PUT(&e->m.body, Store, e->id[ins->a], e->id[ins->b]); break;
	default: /* OP_GET */
		type = type_id(e, ins->type);
		PUT(&e->m.body, Load, type, e->id[i] = module_id(&e->m), e->id[ins->a]);
	}
	return QD_OK;
}

static qd_status
emit_mark(struct emitter *e, uint32_t i, struct qd_error *err)
{
	(void)err;
	e->id[i] = e->id[e->ir->ins[i].a];
	return QD_OK;
}

/* -- The walk ---------------------------------------------------------------------------- */

static spv_emit_fn *const by_op[N_OP] = {
	[OP_CONST] = emit_const,
	[OP_PARAM] = spv_emit_param,	    [OP_LEN] = spv_emit_param,
	[OP_ARGWORD] = emit_index,	    [OP_GRID_DIM] = emit_index,
	[OP_BLOCK_IDX] = emit_index,	    [OP_LANE] = emit_index,
	[OP_THREAD_IDX] = emit_index,	    [OP_SUBGROUP_ID] = emit_index,
	[OP_VAR] = emit_local,		    [OP_GET] = emit_local,
	[OP_SET] = emit_local,		    [OP_UNIFORM] = emit_mark,
	[OP_IF] = emit_if,		    [OP_ELSE] = emit_else,
	[OP_LOOP] = emit_loop,		    [OP_BREAK] = emit_break,
	[OP_END] = emit_end,
	[OP_LOAD] = spv_emit_load,	    [OP_STORE] = spv_emit_store,
	[OP_SHUFFLE] = spv_emit_move,	    [OP_BROADCAST] = spv_emit_move,
	[OP_LANE_PATTERN] = spv_emit_pattern,
	[OP_BALLOT_WORD] = spv_emit_ballot,
	[OP_BLOCK_SYNC] = spv_emit_barrier, [OP_SUBGROUP_SYNC] = spv_emit_barrier,
	[OP_SUBGROUP_FENCE] = spv_emit_fence, [OP_BLOCK_FENCE] = spv_emit_fence,
	[OP_GRID_FENCE] = spv_emit_fence,
};

/* Operations that share one function per family. */
static spv_emit_fn *const by_expansion[N_EXPAND] = {
	[EXPAND_alu] = spv_emit_alu,
	[EXPAND_reduce] = spv_emit_group,
	[EXPAND_scan] = spv_emit_group,
	[EXPAND_exclusive] = spv_emit_group,
	[EXPAND_atomic] = spv_emit_atomic,
};

static qd_status
emit_one(struct emitter *e, uint32_t i, struct qd_error *err)
{
	uint32_t op = e->ir->ins[i].op;
	spv_emit_fn *emit = by_op[op] ? by_op[op] : by_expansion[op_info[op].expand];

	return QD_LIKELY(emit != NULL)
		       ? emit(e, i, err)
		       : spv_illegal(e, i, "the target has no such instruction", err);
}

/* Appends a mark if the source position differs from the last one, and drops a position without
 * code. Offsets are relative to the body until the head is known. */
static void
mark(struct emitter *e, uint32_t i, uint32_t *last)
{
	struct buf *marks = e->in->marks;
	struct isa_mark m = { .at = 4 * (uint32_t)(e->m.body.at - e->m.body.base), .pos = e->ir->pos[i] };
	struct isa_mark *before = marks->len && !marks->nomem
		? (struct isa_mark *)(void *)(buf_data(marks) + marks->len - sizeof m) : NULL;

	if (!m.pos || m.pos == *last || e->ir->ins[i].op == OP_CONST)
		return;
	if (before && before->at == m.at)
		*before = m;
	else
		buf_put(marks, &m, sizeof m);
	*last = m.pos;
}

static void
move_marks(struct buf *marks, size_t by)
{
	struct isa_mark *m = marks && !marks->nomem ? (struct isa_mark *)(void *)buf_data(marks) : NULL;

	for (size_t i = 0; m && i < marks->len / sizeof *m; i++)
		m[i].at += (uint32_t)by;
}

qd_status
spv_emit(const struct isa_in *in, struct buf *code, struct isa_meta *meta, struct qd_error *err)
{
	const struct qd_kernel *k = in->k;
	const struct body *body = in->body;
	uint32_t n = body->ir.n, lanes = in->target->m.lanes;
	struct emitter e = { .in = in, .ir = &body->ir, .mems = body->mems, .k = k,
			     .machine = &in->target->m };
	struct module_size size = { .n_members = body->args_size / 4 };

	e.id = arena_zalloc(in->mem, n * sizeof *e.id);
	e.word = arena_zalloc(in->mem, body->args_size);
	e.base = arena_zalloc(in->mem, (body->n_mems + 1) * N_VIEW * sizeof *e.base);
	e.address = arena_zalloc(in->mem, (k->n_params + 1u) * sizeof *e.address);
	e.bits = arena_zalloc(in->mem, (body->n_mems + 1) * sizeof *e.bits);
	if (!e.id || !e.word || !e.base || !e.address || !e.bits)
		return spv_no_memory(err);
	uint32_t depth = scan(&e, &size);
	e.frame = arena_alloc(in->mem, (depth + 1) * sizeof *e.frame);
	if (!e.frame || !module_init(&e.m, in->mem, code, &size))
		return spv_no_memory(err);

	struct module *m = &e.m;
	uint32_t entry = module_id(m), none = module_type(m, T_VOID), end = 0, last_pos = 0;
	PUT(&m->body, Function, none, entry, SPV_FunctionControl_None, module_type(m, T_MAIN));
	put_label(&e, module_id(m));
	QD_TRY(emit_head(&e, &end, err));
	for (uint32_t i = 1; i < n; i++) {
		if (!module_room(m))
			return spv_no_memory(err);
		if (QD_UNLIKELY(in->marks != NULL))
			mark(&e, i, &last_pos);
		QD_TRY(emit_one(&e, i, err));
	}
	if (e.n_frame)
		return spv_illegal(&e, n - 1, "control flow is still open", err);
	if (!module_room(m))
		return spv_no_memory(err);
	PUT(&m->body, Branch, end);
	PUT(&m->body, Label, end);
	put_word(&m->body, SPV_Return);
	put_word(&m->body, SPV_FunctionEnd);

	uint32_t flags = spv_args_by_address(&e) ? ISA_ARGS_BY_ADDRESS : 0;
	if (spv_facts_differ(&e))
		flags |= ISA_FACTS_DIFFER;
	module_set_modes(m, e.machine->features >> FEATURE_MODES);
	*meta = (struct isa_meta){
		.version = ISA_META_VERSION,
		.flags = flags,
		.local_size = machine_rounded(&in->target->m, k->block_dim),
		.wave_size = lanes,
		.shared_size = body->shared_size,
		.barriers = body->n_barriers,
		.needs = module_needs(m) | (e.cross64 ? SPV_NEED_CROSS64 : 0),
		.entry = MODULE_ENTRY,
	};
	size_t body_size = 4 * (size_t)(m->body.at - m->body.base);
	if (!module_finish(m, in->mem, entry, meta->local_size))
		return spv_no_memory(err);
	meta->own[ISA_SPIRV_TABLES_AT] = 4 * m->tables_at;
	meta->own[ISA_SPIRV_TABLES_SIZE] = m->tables_size;
	move_marks(in->marks, code->len - body_size);
	return QD_OK;
}
