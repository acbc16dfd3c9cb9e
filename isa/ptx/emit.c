/* Emitter of PTX text from legal IR.
 *
 * The body is emitted in one pass. The head precedes it and declares the number of registers, so
 * the body remains in scratch memory until the head is known. A variable is a register. Leaving a
 * construct is a branch to the label at its end, without flags or phi nodes. */
#include "ptx.h"

qd_status
ptx_illegal(const struct emitter *e, uint32_t i, const char *why, struct qd_error *err)
{
	const struct ins *ins = &e->ir->ins[i];

	return qd_fail(err, QD_E_INTERNAL, "%s: %s (%s, instruction %u) cannot be emitted: %s",
		       e->k->name, op_info[ins->op].text, type_info[ins->type].name, i, why);
}

qd_status
ptx_no_memory(struct qd_error *err)
{
	return qd_fail(err, QD_E_NOMEM, "out of memory");
}

/* -- Control flow -------------------------------------------------------------------- */

static void
put_label(struct emitter *e, uint32_t label)
{
	ptx_put(e, "$L", 2);
	ptx_put_number(e, label);
	ptx_put(e, ":\n", 2);
}

/* Emits a branch to a label under the current guard. bra.uni states that all lanes that execute the
 * branch together take it or none does. In a loop this is unknown: diverged lanes may be in
 * different iterations. */
static void
branch(struct emitter *e, uint32_t label, bool uniform)
{
	ptx_line(e, uniform ? "bra.uni $L%u" : "bra $L%u", label);
}

static struct frame *
open_frame(struct emitter *e, uint32_t i)
{
	struct frame *f = &e->frame[e->n_frame++];
	const uint8_t *level = e->in->body->level;

	*f = (struct frame){ .op = e->ir->ins[i].op, .end = ++e->n_label };
	e->n_loops += f->op == OP_LOOP;
	f->uniform = level && level[i] < LEVEL_VARYING && !e->n_loops;
	return f;
}

static qd_status
emit_if(struct emitter *e, uint32_t i, struct qd_error *err)
{
	const struct ins *s = &e->ir->ins[i];
	struct val p = ptx_reg(e, ptx_use(e, s->a));
	struct frame *f = open_frame(e, i);

	(void)err;
	if (e->ir->ins[s->x].op == OP_ELSE)
		f->other = ++e->n_label;
	ptx_guard(e, p, true);
	branch(e, f->other ? f->other : f->end, f->uniform);
	ptx_unguard(e);
	return QD_OK;
}

static qd_status
emit_else(struct emitter *e, uint32_t i, struct qd_error *err)
{
	struct frame *f = e->n_frame ? &e->frame[e->n_frame - 1] : NULL;

	if (!f || f->op != OP_IF || !f->other)
		return ptx_illegal(e, i, "no if is open", err);
	branch(e, f->end, f->uniform);
	put_label(e, f->other);
	return QD_OK;
}

static qd_status
emit_open(struct emitter *e, uint32_t i, struct qd_error *err)
{
	struct frame *f = open_frame(e, i);

	(void)err;
	if (f->op == OP_LOOP)
		put_label(e, f->other = ++e->n_label);
	if (e->ir->ins[i].attr & ATTR_UNROLLED)
		ptx_line(e, ".pragma \"nounroll\"");
	return QD_OK;
}

static qd_status
emit_break(struct emitter *e, uint32_t i, struct qd_error *err)
{
	const struct ins *s = &e->ir->ins[i];
	uint32_t out = s->b, n = e->n_frame;

	/* only loops and blocks count */
	while (n && out)
		out -= e->frame[--n].op != OP_IF;
	if (out || !s->b)
		return ptx_illegal(e, i, "no construct is open at that level", err);
	if (s->a)
		ptx_guard(e, ptx_reg(e, ptx_use(e, s->a)), false);
	branch(e, e->frame[n].end, e->frame[n].uniform);
	ptx_unguard(e);
	return QD_OK;
}

static qd_status
emit_end(struct emitter *e, uint32_t i, struct qd_error *err)
{
	struct frame *f = e->n_frame ? &e->frame[--e->n_frame] : NULL;

	if (!f)
		return ptx_illegal(e, i, "no construct is open", err);
	if (f->op == OP_LOOP) {
		branch(e, f->other, false);
		e->n_loops--;
	}
	put_label(e, f->end);
	return QD_OK;
}

/* -- Leaves and variables ------------------------------------------------------------- */

static qd_status
emit_const(struct emitter *e, uint32_t i, struct qd_error *err)
{
	const struct ins *s = &e->ir->ins[i];

	(void)err;
	e->id[i] = ptx_const((qd_type)s->type, const_bits(s));
	return QD_OK;
}

/* A driver may split a launch: adds the index of this dispatch's first block. */
static qd_status
emit_block_index(struct emitter *e, uint32_t i, struct qd_error *err)
{
	struct val here = ptx_new(e, QD_TYPE_U32), first = ptx_new(e, QD_TYPE_U32);

	(void)err;
	ptx_line(e, "mov.u32 %v, %s", here, "%ctaid.x");
	ptx_load_argument(e, first, e->k->tail + 4 * TAIL_BLOCK_BASE);
	e->id[i] = ptx_new(e, QD_TYPE_U32);
	ptx_line(e, "add.u32 %v, %v, %v", e->id[i], here, first);
	return QD_OK;
}

static qd_status
emit_grid_dim(struct emitter *e, uint32_t i, struct qd_error *err)
{
	(void)err;
	e->id[i] = ptx_new(e, QD_TYPE_U32);
	ptx_load_argument(e, e->id[i], e->k->tail + 4 * TAIL_N_BLOCKS);
	return QD_OK;
}

/* Blocks are one-dimensional and consist of whole warps: the lane is the thread's index modulo
 * 32. */
static qd_status
emit_index(struct emitter *e, uint32_t i, struct qd_error *err)
{
	bool lane = e->ir->ins[i].op == OP_LANE || machine_rounded(e->machine, e->k->block_dim) <= e->machine->lanes;

	(void)err;
	e->id[i] = ptx_new(e, QD_TYPE_U32);
	ptx_line(e, "mov.u32 %v, %s", e->id[i], lane ? "%laneid" : "%tid.x");
	return QD_OK;
}

struct val
ptx_result(struct emitter *e, uint32_t i)
{
	const struct ins *s = &e->ir->ins[i], *next = s + 1;

	if (i + 1 < e->ir->n && next->op == OP_SET && next->b == i && e->in->body->uses[i] == 1)
		return e->id[next->a];
	return ptx_new(e, (qd_type)s->type);
}

static qd_status
emit_local(struct emitter *e, uint32_t i, struct qd_error *err)
{
	const struct ins *s = &e->ir->ins[i];

	(void)err;
	switch (s->op) {
	case OP_VAR:
		e->id[i] = ptx_new(e, (qd_type)s->type);
		if (!(s->attr & ATTR_UNSET))
			ptx_move(e, e->id[i], ptx_use(e, s->a));
		break;
	case OP_SET:
		if (e->id[s->b].kind != e->id[s->a].kind || e->id[s->b].bits != e->id[s->a].bits)
			ptx_move(e, e->id[s->a], ptx_use(e, s->b));
		break;
	default: /* OP_GET: copies the current value, unless no store follows */
		if (e->ir->ins[s->a].attr & ATTR_UNSET) {
			e->id[i] = e->id[s->a];
			break;
		}
		e->id[i] = ptx_new(e, (qd_type)s->type);
		ptx_move(e, e->id[i], e->id[s->a]);
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

/* -- Dispatch by operation --------------------------------------------------------------- */

static ptx_emit_fn *const by_op[N_OP] = {
	[OP_CONST] = emit_const,
	[OP_PARAM] = ptx_emit_param,	    [OP_LEN] = ptx_emit_param,
	[OP_ARGWORD] = ptx_emit_param,	    [OP_GRID_DIM] = emit_grid_dim,
	[OP_BLOCK_IDX] = emit_block_index,  [OP_LANE] = emit_index,
	[OP_THREAD_IDX] = emit_index,
	[OP_VAR] = emit_local,		    [OP_GET] = emit_local,
	[OP_SET] = emit_local,		    [OP_UNIFORM] = emit_mark,
	[OP_IF] = emit_if,		    [OP_ELSE] = emit_else,
	[OP_LOOP] = emit_open,		    [OP_BLOCK] = emit_open,
	[OP_BREAK] = emit_break,	    [OP_END] = emit_end,
	[OP_LOAD] = ptx_emit_load,	    [OP_STORE] = ptx_emit_store,
	[OP_SHUFFLE] = ptx_emit_move,	    [OP_BROADCAST] = ptx_emit_move,
	[OP_SHUFFLE_UP] = ptx_emit_shift,   [OP_SHUFFLE_DOWN] = ptx_emit_shift,
	[OP_LANE_PATTERN] = ptx_emit_pattern,
	[OP_BALLOT_WORD] = ptx_emit_ballot, [OP_MATCH_WORD] = ptx_emit_match,
	[OP_ALL_TRUE] = ptx_emit_vote,	    [OP_ANY_TRUE] = ptx_emit_vote,
	[OP_VOTE_ALL] = ptx_emit_members,   [OP_VOTE_ANY] = ptx_emit_members,
	[OP_VOTE_UNI] = ptx_emit_members,   [OP_SHFL_UP] = ptx_emit_shfl,
	[OP_SHFL_DOWN] = ptx_emit_shfl,	    [OP_SHFL_BFLY] = ptx_emit_shfl,
	[OP_SHFL_IDX] = ptx_emit_shfl,	    [OP_NANOSLEEP] = ptx_emit_sleep,
	[OP_PLACE] = ptx_emit_place,	    [OP_CP_ASYNC] = ptx_emit_copy,
	[OP_CP_ASYNC_COMMIT] = ptx_emit_copy_wait, [OP_CP_ASYNC_WAIT] = ptx_emit_copy_wait,
	[OP_CP_ASYNC_WAIT_ALL] = ptx_emit_copy_wait,
	[OP_BLOCK_SYNC] = ptx_emit_barrier, [OP_SUBGROUP_SYNC] = ptx_emit_barrier,
	[OP_SUBGROUP_FENCE] = ptx_emit_fence, [OP_BLOCK_FENCE] = ptx_emit_fence,
	[OP_GRID_FENCE] = ptx_emit_fence,
};

/* Operations that share one function per family. */
static ptx_emit_fn *const by_expansion[N_EXPAND] = {
	[EXPAND_alu] = ptx_emit_alu,
	[EXPAND_reduce] = ptx_emit_reduce,
	[EXPAND_scan] = ptx_emit_scan,
	[EXPAND_atomic] = ptx_emit_atomic,
	[EXPAND_block_vote] = ptx_emit_block_vote,
};

static qd_status
emit_one(struct emitter *e, uint32_t i, struct qd_error *err)
{
	uint32_t op = e->ir->ins[i].op;
	ptx_emit_fn *emit = by_op[op] ? by_op[op] : by_expansion[op_info[op].expand];

	return QD_LIKELY(emit != NULL)
		       ? emit(e, i, err)
		       : ptx_illegal(e, i, "the target has no such instruction", err);
}

/* Appends a mark if the source position differs from the last one. */
static void
mark(struct emitter *e, uint32_t i, uint32_t *last)
{
	struct isa_mark m = { .at = (uint32_t)(e->at - e->start), .pos = e->ir->pos[i] };

	if (!m.pos || m.pos == *last || e->ir->ins[i].op == OP_CONST)
		return;
	buf_put(e->in->marks, &m, sizeof m);
	*last = m.pos;
}

static qd_status
emit_body(struct emitter *e, struct qd_error *err)
{
	uint32_t last_pos = 0;

	if (!ptx_room(e))
		return ptx_no_memory(err);
	ptx_emit_bases(e);
	for (uint32_t i = 1; i < e->ir->n; i++) {
		if (!ptx_room(e))
			return ptx_no_memory(err);
		if (QD_UNLIKELY(e->in->marks != NULL))
			mark(e, i, &last_pos);
		if (i != e->fused)
			QD_TRY(emit_one(e, i, err));
	}
	if (e->n_frame)
		return ptx_illegal(e, e->ir->n - 1, "control flow is still open", err);
	return ptx_room(e) ? QD_OK : ptx_no_memory(err);
}

/* -- The head ------------------------------------------------------------------------------ */

/* Converts a kernel's name to a PTX identifier of letters, digits and _, other than PTX's reserved
 * names. */
static void
entry_name(const char *name, char out[ISA_ENTRY])
{
	uint32_t n = 0;

	if ((*name >= '0' && *name <= '9') || strcmp(name, "WARP_SZ") == 0)
		out[n++] = '_';
	for (; *name && n < ISA_ENTRY - 1; name++) {
		char c = *name, lower = (char)(c | 0x20);
		bool plain = (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9');
		out[n++] = plain ? c : '_';
	}
	if (n == 1 && out[0] == '_')
		out[n++] = 'k';
	out[n] = '\0';
}

static void
put_registers(struct emitter *e)
{
	static const struct {
		const char *type, *name;
	} kinds[N_REG] = {
		[VAL_PRED] = { "pred", "%p" }, [VAL_WORD] = { "b32", "%r" }, [VAL_PAIR] = { "b64", "%rd" },
		[VAL_HALF] = { "b16", "%h" },
	};

	for (uint32_t i = VAL_PRED; i < N_REG; i++) {
		if (e->n_reg[i])
			ptx_line(e, ".reg .%s %s<%u>", kinds[i].type, kinds[i].name,
				 e->n_reg[i] + 1);
	}
}

static void
put_shared(struct emitter *e)
{
	for (uint32_t x = e->k->n_params; x < e->in->body->n_mems; x++) {
		const struct memory *mem = &e->mems[x];
		uint32_t size = type_info[mem->type].size, align = ir_copy_size(e->ir, e->mems, x);

		if (mem->space != SPACE_SHARED || !ptx_room(e))
			continue;
		align = align > size ? align : size;
		size = ir_vector_size(e->ir, x) > align ? ir_vector_size(e->ir, x) : align;
		ptx_line(e, ".shared .align %u .b8 s%u[%u]", size, x, type_info[mem->type].size * mem->len);
	}
}

static uint32_t
version_of(uint32_t sm)
{
	for (uint32_t i = 0; i < ptx_n_targets; i++)
		if (ptx_targets[i].sm == sm)
			return ptx_targets[i].version;
	return 0;
}

/* Emits table x. */
static bool
put_table(struct emitter *e, uint32_t x)
{
	enum { LINE = 16 /* elements of a line */ };
	const struct memory *mem = &e->mems[x];
	uint32_t size = type_info[mem->type].size;

	if (!ptx_room(e))
		return false;
	ptx_put_text(e, ".const .align ");
	ptx_put_number(e, size);
	ptx_put_text(e, size == 8 ? " .b64 " : " .b32 ");
	ptx_put_symbol(e, x);
	ptx_put_text(e, "[");
	ptx_put_number(e, mem->len);
	ptx_put_text(e, "] = {");
	for (uint32_t i = 0; i < mem->len; i++) {
		if (!ptx_room(e))
			return false;
		ptx_put_text(e, !i ? "" : i % LINE ? ", " : ",\n\t");
		ptx_put_number(e, ir_table_bits(mem, i));
	}
	ptx_put_text(e, "};\n");
	return true;
}

/* Emits the tables that the body reads, those of larger elements first: padding between them would count towards the limit of
 * 65536 bytes. */
static bool
put_tables(struct emitter *e)
{
	for (uint32_t size = 8; size >= 4; size /= 2)
		for (uint32_t x = e->k->n_params; x < e->in->body->n_mems; x++)
			if (e->mems[x].space == SPACE_TABLE && e->used[x] && type_info[e->mems[x].type].size == size && !put_table(e, x))
				return false;
	return true;
}

/* Emits the head, which precedes the body in the output but follows it in the emitter's memory. */
static bool
put_head(struct emitter *e, const struct isa_meta *meta)
{
	ptx_put_text(e, ".version ");
	ptx_put_number(e, e->version / 10);
	ptx_put_text(e, ".");
	ptx_put_number(e, e->version % 10);
	ptx_put_text(e, "\n.target sm_");
	ptx_put_number(e, e->sm);
	ptx_put_text(e, "\n.address_size 64\n\n");
	if (!put_tables(e) || !ptx_room(e))
		return false;
	ptx_put_text(e, ".visible .entry ");
	ptx_put_text(e, meta->entry);
	ptx_put_text(e, "(.param .align 8 .b8 args[");
	ptx_put_number(e, e->in->body->args_size);
	ptx_put_text(e, "])\n.reqntid ");
	ptx_put_number(e, meta->local_size);
	ptx_put_text(e, "\n{\n");
	put_registers(e);
	put_shared(e);
	return ptx_room(e);
}

/* Returns the maximum nesting depth of control flow. */
static uint32_t
nesting(const struct ir *ir)
{
	uint32_t depth = 0, deepest = 0;

	for (uint32_t i = 1; (ir->has & HAS_FLOW) && i < ir->n; i++) {
		if (op_flow[ir->ins[i].op] == FLOW_OPEN && ++depth > deepest)
			deepest = depth;
		depth -= op_flow[ir->ins[i].op] == FLOW_CLOSE;
	}
	return deepest;
}

/* Marks were recorded relative to the body; makes them relative to the whole text. */
static void
move_marks(struct buf *marks, uint32_t by)
{
	struct isa_mark *m = marks && !marks->nomem ? (struct isa_mark *)(void *)buf_data(marks) : NULL;

	for (size_t i = 0; m && i < marks->len / sizeof *m; i++)
		m[i].at += by;
}

qd_status
ptx_emit(const struct isa_in *in, struct buf *code, struct isa_meta *meta, struct qd_error *err)
{
	const struct qd_kernel *k = in->k;
	const struct body *body = in->body;
	uint32_t lanes = in->target->m.lanes;
	char entry[ISA_ENTRY] = "";
	struct emitter e = { .in = in, .entry = entry, .ir = &body->ir, .mems = body->mems, .k = k,
			     .machine = &in->target->m, .sm = in->target->arch };

	e.id = arena_zalloc(in->mem, body->ir.n * sizeof *e.id);
	e.base = arena_zalloc(in->mem, (body->n_mems + 1) * sizeof *e.base);
	e.used = arena_zalloc(in->mem, body->n_mems + 1);
	e.frame = arena_alloc(in->mem, (nesting(&body->ir) + 1) * sizeof *e.frame);
	size_t room = body->ir.n * 40 + 4 * PTX_ROOM;
	e.start = e.at = arena_alloc(in->mem, room);
	if (!e.id || !e.base || !e.used || !e.frame || !e.start)
		return ptx_no_memory(err);
	e.end = e.start + room;
	e.version = version_of(e.sm);
	entry_name(k->name, entry);
	QD_TRY(emit_body(&e, err));

	*meta = (struct isa_meta){
		.version = ISA_META_VERSION,
		.flags = e.facts_differ ? ISA_FACTS_DIFFER : 0,
		.local_size = machine_rounded(&in->target->m, k->block_dim),
		.wave_size = lanes,
		.shared_size = body->shared_size,
		.barriers = body->n_barriers,
		.own = { [PTX_OWN_VERSION] = e.version },
	};
	memcpy(meta->entry, entry, sizeof meta->entry);
	size_t body_size = (size_t)(e.at - e.start);
	if (!put_head(&e, meta))
		return ptx_no_memory(err);
	size_t head_size = (size_t)(e.at - e.start) - body_size;
	move_marks(in->marks, (uint32_t)head_size);
	buf_put(code, e.start + body_size, head_size);
	buf_put(code, e.start, body_size);
	buf_put(code, "\tret;\n}\n", 8);
	return QD_OK;
}
