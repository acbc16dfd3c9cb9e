/* Legal IR to SPIR-V words.
 *
 * The body is written in one walk over the IR; types, constants and decorations
 * gather beside it, and the head goes before it at the end.  A first walk counts
 * what needs room and notes which arguments and inputs the head of the function
 * must load.  Variables are Function variables.  A loop is always
 *
 *	header -> test: -> merge, or body: -> next: -> header
 *
 * left at its test and nowhere else: drivers are known to lose values of lanes
 * that leave a loop at its bottom or in its middle. */
#include "emit.h"

qd_status
spv_illegal(const struct emitter *e, uint32_t i, const char *why, struct qd_error *err)
{
	const struct ins *ins = &e->in->ir->ins[i];

	return qd_fail(err, QD_E_INTERNAL, "%s: %s (%s, instruction %u) is not legal here: %s",
		       e->k->name, op_info[ins->op].text, type_info[ins->type].name, i, why);
}

static QD_COLD qd_status
no_memory(struct qd_error *err)
{
	return qd_fail(err, QD_E_NOMEM, "out of memory");
}

/* -- First walk ---------------------------------------------------------------- */

struct count {
	uint32_t consts, floats, depth;
};

static void
scan(struct emitter *e, struct count *n)
{
	const struct ir *ir = e->in->ir;
	uint32_t depth = 0;

	for (uint32_t i = 1; i < ir->n; i++) {
		const struct ins *ins = &ir->ins[i];
		switch (ins->op) {
		case OP_CONST: n->consts++; break;
		case OP_ADD:
		case OP_SUB:
		case OP_MUL:
		case OP_DIV: n->floats += type_info[ins->type].is_float; break;
		case OP_LOAD:
		case OP_STORE:
		case OP_PARAM:
		case OP_LEN:
		case OP_ARGWORD: spv_want_memory(e, ins); break;
		case OP_LANE: e->lane = 1; break;
		case OP_BALLOT_FIRST_N: n->consts++; break; /* its mask */
		case OP_THREAD_IDX:
		case OP_SUBGROUP_ID: e->local_index = 1; break;
		case OP_IF:
		case OP_LOOP:
			if (++depth > n->depth)
				n->depth = depth;
			break;
		case OP_END: depth--; break;
		default: break;
		}
	}
	/* The guard at the entry needs them in every kernel. */
	e->word[e->k->tail / 4 + TAIL_N_BLOCKS] = 1;
	e->word[e->k->tail / 4 + TAIL_BLOCK_BASE] = 1;
}

/* -- Head of the function ---------------------------------------------------------- */

static uint32_t
load_input(struct emitter *e, enum spv_type pointer, enum spv_type t, uint32_t builtin)
{
	uint32_t var = module_builtin(&e->m, pointer, builtin), id = module_id(&e->m);

	PUT(&e->m.body, Load, module_type(&e->m, t), id, var);
	return id;
}

static uint32_t
component(struct emitter *e, uint32_t vector, uint32_t n)
{
	uint32_t id = module_id(&e->m);

	PUT(&e->m.body, CompositeExtract, module_type(&e->m, T_U32), id, vector, n);
	return id;
}

/* The index of the block in the grid, which the launch may have folded into two
 * dimensions and cut into several dispatches: block_base + y * width + x. */
static uint32_t
block_index(struct emitter *e)
{
	struct module *m = &e->m;
	uint32_t at = load_input(e, T_IN_UVEC3, T_UVEC3, SPV_BuiltIn_WorkgroupId);
	uint32_t size = load_input(e, T_IN_UVEC3, T_UVEC3, SPV_BuiltIn_NumWorkgroups);
	uint32_t x = component(e, at, 0), y = component(e, at, 1), width = component(e, size, 0);
	uint32_t row = module_id(m), in_grid = module_id(m), id = module_id(m);
	uint32_t type = module_type(m, T_U32);

	PUT(&m->body, IMul, type, row, y, width);
	PUT(&m->body, IAdd, type, in_grid, row, x);
	PUT(&m->body, IAdd, type, id, in_grid, e->word[e->k->tail / 4 + TAIL_BLOCK_BASE]);
	return id;
}

static qd_status
emit_head(struct emitter *e, uint32_t *end, struct qd_error *err)
{
	struct module *m = &e->m;
	const struct ir *ir = e->in->ir;

	for (uint32_t i = 1; i < ir->n; i++) {
		if (ir->ins[i].op != OP_VAR)
			continue;
		if (!module_room(m))
			return no_memory(err);
		uint32_t type = module_type(m, spv_variable_type(ir->ins[i].type));
		PUT(&m->body, Variable, type, e->id[i] = module_id(m), SPV_StorageClass_Function);
	}
	if (!module_room(m))
		return no_memory(err);
	QD_TRY(spv_emit_arguments(e, err));
	if (!module_room(m))
		return no_memory(err);
	if (e->lane) {
		e->lane = load_input(e, T_IN_U32, T_U32, SPV_BuiltIn_SubgroupLocalInvocationId);
		module_cap(m, CAPABILITY_SUBGROUP);
	}
	if (e->local_index)
		e->local_index =
			load_input(e, T_IN_U32, T_U32, SPV_BuiltIn_LocalInvocationIndex);
	e->block = block_index(e);

	/* Blocks past the last one, of a grid that was folded, leave here. */
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

static void
open_if(struct emitter *e, const struct ins *ins)
{
	struct module *m = &e->m;
	uint32_t then = module_id(m), merge = module_id(m);
	bool has_else = e->in->ir->ins[ins->x].op == OP_ELSE;
	uint32_t other = has_else ? module_id(m) : merge;

	PUT(&m->body, SelectionMerge, merge, SPV_SelectionControl_None);
	PUT(&m->body, BranchConditional, e->id[ins->a], then, other);
	put_label(e, then);
	e->frame[e->n_frame++] = (struct frame){ .op = OP_IF, .merge = merge, .other = other };
}

static void
open_loop(struct emitter *e)
{
	struct module *m = &e->m;
	uint32_t header = module_id(m), test = module_id(m), next = module_id(m),
		 merge = module_id(m);

	PUT(&m->body, Branch, header);
	PUT(&m->body, Label, header);
	PUT(&m->body, LoopMerge, merge, next, SPV_LoopControl_None);
	PUT(&m->body, Branch, test);
	put_label(e, test);
	e->frame[e->n_frame++] = (struct frame){ .op = OP_LOOP, .merge = merge, .other = header,
						 .next = next };
}

static qd_status
emit_control(struct emitter *e, uint32_t i, struct qd_error *err)
{
	struct module *m = &e->m;
	const struct ins *ins = &e->in->ir->ins[i];
	struct frame *f = e->n_frame ? &e->frame[e->n_frame - 1] : NULL;

	switch (ins->op) {
	case OP_IF: open_if(e, ins); return QD_OK;
	case OP_LOOP: open_loop(e); return QD_OK;
	case OP_ELSE:
		if (!f || f->op != OP_IF)
			return spv_illegal(e, i, "no if is open", err);
		PUT(&m->body, Branch, f->merge);
		put_label(e, f->other);
		f->op = OP_ELSE;
		return QD_OK;
	case OP_BREAK_IF: {
		if (!f || f->op != OP_LOOP || f->tested)
			return spv_illegal(e, i, "a loop is left only by one test at its head",
					   err);
		uint32_t body = module_id(m);
		PUT(&m->body, BranchConditional, e->id[ins->a], f->merge, body);
		put_label(e, body);
		f->tested = true;
		return QD_OK;
	}
	default: /* OP_END */
		if (!f)
			return spv_illegal(e, i, "nothing is open", err);
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
}

/* -- Cross-lane -------------------------------------------------------------------------- */

/* op(type, scope, a, b).  A lane number has been brought into range. */
static uint32_t
put_cross(struct emitter *e, uint32_t i, enum spv_op op, enum spv_cap cap, uint32_t a, uint32_t b)
{
	qd_type t = e->in->ir->ins[i].type;
	uint32_t scope = module_u32(&e->m, SPV_SCOPE_SUBGROUP), id = module_id(&e->m);

	module_cap(&e->m, CAPABILITY_SUBGROUP);
	module_cap(&e->m, cap);
	e->cross64 |= type_is_64(t);
	PUT_OP(&e->m.body, op, type_id(e, t), id, scope, a, b);
	return id;
}

static uint32_t
ballot(struct emitter *e, uint32_t i)
{
	struct module *m = &e->m;
	const struct ins *ins = &e->in->ir->ins[i];
	uint32_t n = e->in->ir->ins[ins->b].a, all = module_id(m);

	module_cap(m, CAPABILITY_SUBGROUP);
	module_cap(m, CAPABILITY_BALLOT);
	PUT(&m->body, GroupNonUniformBallot, module_type(m, T_UVEC4), all,
	    module_u32(m, SPV_SCOPE_SUBGROUP), e->id[ins->a]);
	uint32_t id = component(e, all, 0);
	if (!ins->b || n >= 32 || n >= e->machine->subgroup_size)
		return id;
	uint32_t masked = module_id(m);
	PUT(&m->body, BitwiseAnd, module_type(m, T_U32), masked, id, module_u32(m, (1u << n) - 1));
	return masked;
}

static qd_status
emit_reduction(struct emitter *e, uint32_t i, struct qd_error *err)
{
	const struct ins *ins = &e->in->ir->ins[i];
	bool is_signed = type_info[ins->type].is_signed;
	uint32_t group = SPV_GroupOperation_Reduce;
	enum spv_op op = SPV_GroupNonUniformIAdd;

	if (type_info[ins->type].is_float)
		return spv_illegal(e, i, "the device's order of a float reduction is its own", err);
	if (ins->b && e->in->ir->ins[ins->b].a != e->machine->log2_size)
		return spv_illegal(e, i, "only the whole subgroup has an instruction", err);
	if (ins->op == OP_INCLUSIVE_ADD)
		group = SPV_GroupOperation_InclusiveScan;
	else if (ins->op == OP_REDUCE_MIN)
		op = is_signed ? SPV_GroupNonUniformSMin : SPV_GroupNonUniformUMin;
	else if (ins->op == OP_REDUCE_MAX)
		op = is_signed ? SPV_GroupNonUniformSMax : SPV_GroupNonUniformUMax;
	e->id[i] = put_cross(e, i, op, CAPABILITY_ARITHMETIC, group, e->id[ins->a]);
	return QD_OK;
}

/* -- The walk ---------------------------------------------------------------------------- */

static qd_status
emit_one(struct emitter *e, uint32_t i, struct qd_error *err)
{
	struct module *m = &e->m;
	const struct ins *ins = &e->in->ir->ins[i];

	switch (ins->op) {
	case OP_NONE: return QD_OK;
	case OP_CONST:
		e->id[i] = module_const(m, spv_value_type(ins->type), const_bits(ins));
		return QD_OK;
	case OP_PARAM:
	case OP_LEN: spv_emit_param(e, i); return QD_OK;
	case OP_ARGWORD: e->id[i] = e->word[ins->x]; return QD_OK;
	case OP_BLOCK_IDX: e->id[i] = e->block; return QD_OK;
	case OP_GRID_DIM: e->id[i] = e->word[e->k->tail / 4 + TAIL_N_BLOCKS]; return QD_OK;
	case OP_THREAD_IDX: e->id[i] = e->local_index; return QD_OK;
	case OP_LANE: e->id[i] = e->lane; return QD_OK;
	case OP_SUBGROUP_ID:
		e->id[i] = module_id(m);
		PUT(&m->body, ShiftRightLogical, module_type(m, T_U32), e->id[i], e->local_index,
		    module_u32(m, e->machine->log2_size));
		return QD_OK;
	case OP_VAR: PUT(&m->body, Store, e->id[i], e->id[ins->a]); return QD_OK;
	case OP_GET: {
		uint32_t type = type_id(e, ins->type);
		PUT(&m->body, Load, type, e->id[i] = module_id(m), e->id[ins->a]);
		return QD_OK;
	}
	case OP_SET: PUT(&m->body, Store, e->id[ins->a], e->id[ins->b]); return QD_OK;
	case OP_IF:
	case OP_ELSE:
	case OP_LOOP:
	case OP_BREAK_IF:
	case OP_END: return emit_control(e, i, err);
	case OP_LOAD: return spv_emit_load(e, i, err);
	case OP_STORE: return spv_emit_store(e, i, err);
	case OP_SHUFFLE:
		e->id[i] = put_cross(e, i, SPV_GroupNonUniformShuffle, CAPABILITY_SHUFFLE,
				     e->id[ins->a], e->id[ins->b]);
		return QD_OK;
	case OP_SHUFFLE_XOR:
		if (e->in->ir->ins[ins->b].op != OP_CONST)
			return spv_illegal(e, i, "the mask must be constant", err);
		e->id[i] = put_cross(e, i, SPV_GroupNonUniformShuffleXor, CAPABILITY_SHUFFLE,
				     e->id[ins->a], e->id[ins->b]);
		return QD_OK;
	case OP_BROADCAST:
		e->id[i] = put_cross(e, i, SPV_GroupNonUniformBroadcast, CAPABILITY_BALLOT,
				     e->id[ins->a], e->id[ins->b]);
		return QD_OK;
	case OP_BALLOT_FIRST_N: e->id[i] = ballot(e, i); return QD_OK;
	case OP_REDUCE_ADD:
	case OP_REDUCE_MIN:
	case OP_REDUCE_MAX:
	case OP_INCLUSIVE_ADD: return emit_reduction(e, i, err);
	default:
		if (spv_emit_alu(e, i))
			return QD_OK;
		return spv_illegal(e, i, "the target has no form of it", err);
	}
}

qd_status
spv_emit(const struct isa_in *in, struct buf *code, struct isa_meta *meta, struct qd_error *err)
{
	const struct qd_kernel *k = in->k;
	uint32_t n = in->ir->n, size = in->target->m.subgroup_size;
	struct emitter e = { .in = in, .k = k, .machine = &in->target->m };
	struct count count = { 0 };

	e.id = arena_alloc(in->mem, n * sizeof *e.id);
	e.word = arena_zalloc(in->mem, k->args_size);
	e.base = arena_zalloc(in->mem, (k->n_params + 1) * N_VIEW * sizeof *e.base);
	if (!e.id || !e.word || !e.base)
		return no_memory(err);
	scan(&e, &count);
	e.frame = arena_alloc(in->mem, (count.depth + 1) * sizeof *e.frame);
	if (!e.frame || !module_init(&e.m, in->mem, code, count.consts, count.floats,
				     k->args_size / 4))
		return no_memory(err);

	struct module *m = &e.m;
	uint32_t entry = module_id(m), end = 0;
	PUT(&m->body, Function, module_type(m, T_VOID), entry, SPV_FunctionControl_None,
	    module_type(m, T_MAIN));
	put_label(&e, module_id(m));
	QD_TRY(emit_head(&e, &end, err));
	for (uint32_t i = 1; i < n; i++) {
		if (!module_room(m))
			return no_memory(err);
		QD_TRY(emit_one(&e, i, err));
	}
	if (e.n_frame)
		return spv_illegal(&e, n - 1, "control flow is still open", err);
	if (!module_room(m))
		return no_memory(err);
	PUT(&m->body, Branch, end);
	PUT(&m->body, Label, end);
	put_word(&m->body, SPV_Return);
	put_word(&m->body, SPV_FunctionEnd);

	memset(meta, 0, sizeof *meta);
	meta->local_size = (k->block_dim + size - 1) / size * size;
	meta->args_by_address = k->args_size > in->target->m.inline_args;
	meta->needs = module_needs(m) | (e.cross64 ? ISA_NEED_CROSS64 : 0);
	if (!module_finish(m, entry, meta->local_size))
		return no_memory(err);
	return QD_OK;
}
