/* Atomics, fences and barriers (PTX ISA, "Memory Consistency Model"; 9.7.13).
 *
 * Every atomic here is relaxed: other orders are separate fences. Floats that are only moved are
 * handled as bits. The add of f32 is not used, as it flushes subnormals. */
#include "ptx.h"

/* -- Availability --------------------------------------------------------------------- */

/* Operation and type for i32, u32, i64, u64, f32, f64, and the first target that has it, separately
 * for f64. */
static const struct change {
	const char *name[6];
	uint8_t sm, sm_f64;
} changes[N_ATOMIC] = {
	[ATOMIC_ROW(OP_ATOMIC_ADD)] = { { "add.s32", "add.u32", "add.u64", "add.u64", NULL, "add.f64" }, 20, 60 },
	[ATOMIC_ROW(OP_ATOMIC_MIN)] = { { "min.s32", "min.u32", "min.s64", "min.u64", NULL, NULL }, 32, 0 },
	[ATOMIC_ROW(OP_ATOMIC_MAX)] = { { "max.s32", "max.u32", "max.s64", "max.u64", NULL, NULL }, 32, 0 },
	[ATOMIC_ROW(OP_ATOMIC_AND)] = { { "and.b32", "and.b32", "and.b64", "and.b64", NULL, NULL }, 32, 0 },
	[ATOMIC_ROW(OP_ATOMIC_OR)] = { { "or.b32", "or.b32", "or.b64", "or.b64", NULL, NULL }, 32, 0 },
	[ATOMIC_ROW(OP_ATOMIC_XOR)] = { { "xor.b32", "xor.b32", "xor.b64", "xor.b64", NULL, NULL }, 32, 0 },
	[ATOMIC_ROW(OP_ATOMIC_EXCHANGE)] = { { "exch.b32", "exch.b32", "exch.b64", "exch.b64", "exch.b32", "exch.b64" },
				 20, 20 },
	[ATOMIC_ROW(OP_ATOMIC_CAS)] = { { "cas.b32", "cas.b32", "cas.b64", "cas.b64", "cas.b32", "cas.b64" }, 20, 20 },
};

static const uint8_t column[N_TYPE] = { [QD_TYPE_I32] = 0, [QD_TYPE_U32] = 1, [QD_TYPE_I64] = 2,
					[QD_TYPE_U64] = 3, [QD_TYPE_F32] = 4, [QD_TYPE_F64] = 5 };

static bool
only_moves(enum op op)
{
	return op == OP_ATOMIC_LOAD || op == OP_ATOMIC_STORE;
}

bool
ptx_has_atomic(uint32_t sm, enum op op, qd_type t, enum mem_scope scope)
{
	const struct change *c = &changes[ATOMIC_ROW(op) % N_ATOMIC];

	if (ATOMIC_ROW(op) >= N_ATOMIC || !type_is(t, TM_NUM) || (scope == MEM_SYSTEM && sm < 60))
		return false;
	if (only_moves(op))
		return true;
	return c->name[column[t]] && sm >= (t == QD_TYPE_F64 ? c->sm_f64 : c->sm);
}

/* -- One atomic ------------------------------------------------------------------------ */

/* Indexed by enum mem_scope. */
static const struct {
	uint8_t load, store, atom, red;
} strong[] = {
	[MEM_DEVICE] = { PTX_LD_GPU, PTX_ST_GPU, PTX_ATOM, PTX_RED },
	[MEM_SUBGROUP] = { PTX_LD_CTA, PTX_ST_CTA, PTX_ATOM_CTA, PTX_RED_CTA },
	[MEM_BLOCK] = { PTX_LD_CTA, PTX_ST_CTA, PTX_ATOM_CTA, PTX_RED_CTA },
	[MEM_SYSTEM] = { PTX_LD_SYS, PTX_ST_SYS, PTX_ATOM_SYS, PTX_RED_SYS },
};

/* Only its block can access a shared array. Before sm_60 an instruction has no scope and acts for
 * the device. */
static enum mem_scope
scope_of(const struct emitter *e, const struct ins *s)
{
	enum mem_scope scope = ir_scope(s);

	if (e->mems[s->x].space == SPACE_SHARED && e->sm >= 60)
		return MEM_BLOCK;
	return e->sm < 60 ? MEM_DEVICE : scope;
}

static void
change(struct emitter *e, const struct ins *s, const struct address *a, struct val d, bool used,
       enum mem_scope scope)
{
	const char *space = ptx_space(e, s->x);
	const char *name = changes[ATOMIC_ROW(s->op)].name[column[e->mems[s->x].type]];
	struct val b = ptx_reg(e, ptx_use(e, s->b)), c = { 0 };
	bool cas = s->op == OP_ATOMIC_CAS;
	uint32_t where = s->arg[op_sig((enum op)s->op)->where];
	/* red has no exchange and no compare-and-swap */
	bool give = used || cas || s->op == OP_ATOMIC_EXCHANGE;

	if (cas)
		c = ptx_reg(e, ptx_use(e, s->c));
	if (where) {
		if (give)
			ptx_move(e, d, ptx_const((qd_type)s->type, 0));
		ptx_guard(e, ptx_reg(e, ptx_use(e, where)), false);
	}
	if (cas)
		ptx_line(e, "%i%s.%s %v, %a, %v, %v", strong[scope].atom, space, name, d, a, b, c);
	else if (give)
		ptx_line(e, "%i%s.%s %v, %a, %v", strong[scope].atom, space, name, d, a, b);
	else
		ptx_line(e, "%i%s.%s %a, %v", strong[scope].red, space, name, a, b);
	ptx_unguard(e);
}

qd_status
ptx_emit_atomic(struct emitter *e, uint32_t i, struct qd_error *err)
{
	const struct ins *s = &e->ir->ins[i];
	const struct sig_info *sig = op_sig((enum op)s->op);
	uint32_t where = s->arg[sig->where];
	qd_type t = (qd_type)e->mems[s->x].type;
	enum mem_scope scope = scope_of(e, s);
	struct address a;
	struct val v = { 0 };

	if (!ptx_has_atomic(e->sm, (enum op)s->op, t, ir_scope(s)))
		return ptx_illegal(e, i, "the target has no such instruction", err);
	a = ptx_address(e, s);
	if (sig->n_results)
		e->id[i] = ptx_new(e, (qd_type)s->type);
	if (!only_moves((enum op)s->op)) {
		change(e, s, &a, e->id[i], e->in->body->uses[i] != 0, scope);
		return QD_OK;
	}
	if (s->op == OP_ATOMIC_STORE)
		v = ptx_reg(e, ptx_use(e, s->b));
	else if (where)
		ptx_move(e, e->id[i], ptx_const((qd_type)s->type, 0));
	if (where)
		ptx_guard(e, ptx_reg(e, ptx_use(e, where)), false);
	if (s->op == OP_ATOMIC_STORE)
		ptx_line(e, "%i%s.b%u %a, %v", e->sm < 70 ? PTX_ST_VOLATILE : strong[scope].store,
			 ptx_space(e, s->x), type_bits(t), &a, v);
	else
		ptx_line(e, "%i%s.b%u %v, %a", e->sm < 70 ? PTX_LD_VOLATILE : strong[scope].load,
			 ptx_space(e, s->x), type_bits(t), e->id[i], &a);
	ptx_unguard(e);
	return QD_OK;
}

/* -- Fences and barriers ------------------------------------------------------------------ */

/* The narrowest scope of a fence is the block. */
qd_status
ptx_emit_fence(struct emitter *e, uint32_t i, struct qd_error *err)
{
	static const uint8_t fences[][2] = {
		[MEM_DEVICE] = { PTX_MEMBAR_GL, PTX_FENCE_GPU },
		[MEM_SUBGROUP] = { PTX_MEMBAR_CTA, PTX_FENCE_CTA },
		[MEM_BLOCK] = { PTX_MEMBAR_CTA, PTX_FENCE_CTA },
		[MEM_SYSTEM] = { PTX_MEMBAR_SYS, PTX_FENCE_SYS },
	};

	(void)err;
	ptx_line(e, "%i", fences[ir_scope(&e->ir->ins[i])][e->sm >= 70]);
	return QD_OK;
}

/* A block of one warp uses the barrier of a subgroup. */
qd_status
ptx_emit_barrier(struct emitter *e, uint32_t i, struct qd_error *err)
{
	bool block = op_info[e->ir->ins[i].op].scope == SCOPE_BLOCK;

	(void)err;
	if (block && machine_rounded(e->machine, e->k->block_dim) > e->machine->lanes)
		ptx_line(e, "%i 0", PTX_BAR_SYNC);
	else
		ptx_line(e, "%i 0xffffffff", PTX_BAR_WARP);
	return QD_OK;
}

qd_status
ptx_emit_sleep(struct emitter *e, uint32_t i, struct qd_error *err)
{
	(void)err;
	ptx_line(e, "%i %v", PTX_NANOSLEEP, ptx_use(e, e->ir->ins[i].a));
	return QD_OK;
}
