/* Atomics, fences and barriers.
 *
 * All atomics are relaxed: orders are separate fences. A known driver implements an ordered atomic
 * as a device fence, which it handles incorrectly in loops. Atomics on buffers have queue family
 * scope, which needs no further feature. Atomics on shared arrays have workgroup scope. Every fence
 * and barrier orders buffers and shared arrays, and makes writes available and visible (SPIR-V
 * Specification, 2.18 and 3.25 to 3.27). */
#include "emit.h"

/* -- Atomics ----------------------------------------------------------------------- */

/* Instructions for unsigned and signed elements. */
static const struct {
	uint16_t u, s;
} forms[N_OP] = {
#define SAME(op) { SPV_##op, SPV_##op }
	[OP_ATOMIC_LOAD] = SAME(AtomicLoad),	     [OP_ATOMIC_STORE] = SAME(AtomicStore),
	[OP_ATOMIC_ADD] = SAME(AtomicIAdd),	     [OP_ATOMIC_SUB] = SAME(AtomicISub),
	[OP_ATOMIC_AND] = SAME(AtomicAnd),	     [OP_ATOMIC_OR] = SAME(AtomicOr),
	[OP_ATOMIC_XOR] = SAME(AtomicXor),	     [OP_ATOMIC_EXCHANGE] = SAME(AtomicExchange),
	[OP_ATOMIC_CAS] = SAME(AtomicCompareExchange),
	[OP_ATOMIC_MIN] = { SPV_AtomicUMin, SPV_AtomicSMin },
	[OP_ATOMIC_MAX] = { SPV_AtomicUMax, SPV_AtomicSMax },
#undef SAME
};

uint32_t
spv_atomic_form(enum op op, qd_type type)
{
	return type_info[type].is_signed ? forms[op].s : forms[op].u;
}

/* Writes the operands that every atomic has after type and result: pointer, scope, relaxed
 * semantics. */
static uint32_t
put_place(struct emitter *e, const struct ins *ins, const struct access *a, uint32_t *words,
	  uint32_t condition)
{
	bool shared = e->mems[ins->x].space == SPACE_SHARED;

	words[0] = spv_element(e, ins, a, condition);
	words[1] = module_u32(&e->m, shared ? SPV_SCOPE_WORKGROUP : SPV_SCOPE_QUEUE_FAMILY);
	words[2] = module_u32(&e->m, SPV_SEMANTICS_RELAXED);
	return 3;
}

/* If its condition is false, a load reads the first element and discards it, and any other atomic
 * is skipped. The result is then 0. */
qd_status
spv_emit_atomic(struct emitter *e, uint32_t i, struct qd_error *err)
{
	struct module *m = &e->m;
	const struct ins *ins = &e->ir->ins[i];
	const struct sig_info *sig = op_sig((enum op)ins->op);
	struct access a = spv_access(e, ins);
	uint32_t form = spv_atomic_form((enum op)ins->op, e->mems[ins->x].type);
	uint32_t words[8], n = 0, where = ins->arg[sig->where], after = 0, before = e->label, id = 0;
	bool gives = sig->n_results != 0, loads = gives && !op_writes((enum op)ins->op);

	if (!form || a.view != VIEW_ELEMENT || (a.element != T_U32 && a.element != T_U64))
		return spv_illegal(e, i, "atomics operate on whole integers", err);
	if (a.element == T_U64)
		module_cap(m, CAPABILITY_ATOMIC64);
	if (where && !loads)
		after = spv_open_predicate(e, where);
	if (gives) {
		words[n++] = module_type(m, a.element);
		words[n++] = id = module_id(m);
	}
	n += put_place(e, ins, &a, words + n, loads ? where : 0);
	if (loads && e->mems[ins->x].space == SPACE_SHARED && (e->machine->features & FEATURE_RMW_LOAD)) {
		form = SPV_AtomicOr;
		words[n++] = module_const(m, a.element, 0);
	} else if (ins->op == OP_ATOMIC_CAS) {
		words[n] = words[n - 1]; /* semantics if the comparison fails */
		words[n + 1] = e->id[ins->c];
		words[n + 2] = e->id[ins->b];
		n += 3;
	} else if (!loads) {
		words[n++] = e->id[ins->b];
	}
	put_words(&m->body, (enum spv_op)form, words, n);
	if (after) {
		uint32_t from = e->label;
		spv_close_predicate(e, after);
		if (gives) {
			uint32_t type = module_type(m, a.element), zero = module_const(m, a.element, 0);
			uint32_t phi = module_id(m);
			PUT(&m->body, Phi, type, phi, id, from, zero, before);
			id = phi;
		}
	} else if (where && gives) {
		id = spv_chosen(e, a.element, where, id, module_const(m, a.element, 0));
	}
	e->id[i] = id;
	return QD_OK;
}

/* -- Fences and barriers --------------------------------------------------------------- */

/* Returns the semantics of an order, for buffers and shared arrays. */
static uint32_t
semantics(enum mem_order order)
{
	const uint32_t storage = SPV_SEMANTICS_UNIFORM_MEMORY | SPV_SEMANTICS_WORKGROUP_MEMORY;

	switch (order) {
	case MEM_ACQUIRE:
		return storage | SPV_SEMANTICS_ACQUIRE | SPV_SEMANTICS_MAKE_VISIBLE;
	case MEM_RELEASE:
		return storage | SPV_SEMANTICS_RELEASE | SPV_SEMANTICS_MAKE_AVAILABLE;
	default:
		return storage | SPV_SEMANTICS_ACQUIRE_RELEASE |
		       SPV_SEMANTICS_MAKE_VISIBLE | SPV_SEMANTICS_MAKE_AVAILABLE;
	}
}

qd_status
spv_emit_fence(struct emitter *e, uint32_t i, struct qd_error *err)
{
	struct module *m = &e->m;
	const struct ins *ins = &e->ir->ins[i];
	uint32_t scope = SPV_SCOPE_QUEUE_FAMILY;

	(void)err;
	if (ir_scope(ins) == MEM_SUBGROUP)
		scope = SPV_SCOPE_SUBGROUP;
	else if (ir_scope(ins) == MEM_BLOCK && !(e->machine->features & FEATURE_FENCE5))
		scope = SPV_SCOPE_WORKGROUP;
	uint32_t order = module_u32(m, semantics(ir_order(ins)));
	scope = module_u32(m, scope);
	PUT(&m->body, MemoryBarrier, scope, order);
	return QD_OK;
}

qd_status
spv_emit_barrier(struct emitter *e, uint32_t i, struct qd_error *err)
{
	struct module *m = &e->m;
	bool block = op_info[e->ir->ins[i].op].scope == SCOPE_BLOCK;
	uint32_t scope = module_u32(m, block ? SPV_SCOPE_WORKGROUP : SPV_SCOPE_SUBGROUP);
	uint32_t order = module_u32(m, semantics(MEM_ACQ_REL));

	(void)err;
	if (!block && e->machine->features & FEATURE_SYNC_FENCE) {
		PUT(&m->body, MemoryBarrier, scope, order);
		return QD_OK;
	}
	if (!block)
		module_cap(m, CAPABILITY_SUBGROUP);
	PUT(&m->body, ControlBarrier, scope, scope, order);
	return QD_OK;
}
