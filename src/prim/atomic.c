/* Atomics: the order becomes fences around a relaxed atomic. Float atomics operate on the bits;
 * float arithmetic uses compare-and-swap. */
#include "prim.h"

/* -- Order --------------------------------------------------------------------------- */

/* Fences by the atomic's scope. */
static const uint8_t fences[] = {
	[MEM_DEVICE] = OP_GRID_FENCE,
	[MEM_SUBGROUP] = OP_SUBGROUP_FENCE,
	[MEM_BLOCK] = OP_BLOCK_FENCE,
	[MEM_SYSTEM] = OP_GRID_FENCE,
};

static void
fence(struct lg *l, enum mem_scope scope, enum mem_order order)
{
	uint32_t attr = (uint32_t)scope << ATTR_SCOPE_AT | (uint32_t)order << ATTR_ORDER_AT;

	lg_push(l, (struct ins){ .op = fences[scope], .attr = (uint16_t)attr });
}

/* -- A relaxed atomic ---------------------------------------------------------------- */

static bool
is_native(struct lg *l, const struct ins *s, qd_type t)
{
	return lg_ask(l, &(struct query){ .op = (enum op)s->op,
					  .type = t,
					  .to = t,
					  .space = l->p->mems[s->x].space,
					  .scope = (uint8_t)ir_scope(s),
					  .order = MEM_RELAXED });
}

static uint32_t
as_bits(struct lg *l, qd_type t, uint32_t v)
{
	return lg_type(l, v) == t ? v : lg_bits(l, t, v);
}

/* Replaces the element with `combine` of it and v in a compare-and-swap loop. Returns the old
 * bits; 0 if the condition is false. */
static uint32_t
by_exchange(struct lg *l, struct ins s, enum op combine, qd_type t, qd_type bits, uint32_t v)
{
	uint32_t where = s.c, was = rw_var(&l->w, lg_const(l, bits, 0)), loop, old, now, got;
	struct ins load = s, cas = s;

	load.op = OP_ATOMIC_LOAD;
	cas.op = OP_ATOMIC_CAS;
	load.type = cas.type = (uint8_t)bits;
	load.b = load.c = cas.d = 0;
	if (where)
		rw_open(&l->w, OP_IF, where);
	rw_set(&l->w, was, lg_push(l, load));
	loop = rw_open(&l->w, OP_LOOP, 0);
	old = rw_get(&l->w, was);
	now = lg_op(l, combine, t, as_bits(l, t, old), v, 0);
	cas.b = old;
	cas.c = as_bits(l, bits, now);
	got = lg_push(l, cas);
	rw_set(&l->w, was, got);
	rw_break(&l->w, loop, lg_cmp(l, OP_EQ, got, old));
	rw_close(&l->w);
	if (where)
		rw_close(&l->w);
	return rw_get(&l->w, was);
}

static uint32_t
relaxed(struct lg *l, struct ins s, qd_type t)
{
	qd_type wide = type_info[t].size == 8 ? QD_TYPE_U64 : QD_TYPE_U32;
	qd_type bits = is_float(t) ? wide : t;
	enum op combine = (enum op)op_info[s.op].combine;
	const struct sig_info *sig = op_sig((enum op)s.op);
	bool gives = sig->n_results != 0;
	uint32_t r;

	if (is_native(l, &s, t))
		return lg_push(l, s);
	if (combine == OP_SUB && !is_float(t)) {
		s.op = OP_ATOMIC_ADD;
		s.b = lg_un(l, OP_NEG, s.b);
		return relaxed(l, s, t);
	}
	if (!is_native(l, &(struct ins){ .op = OP_ATOMIC_CAS, .attr = s.attr, .x = s.x }, bits))
		return lg_refuse(l, (enum op)s.op, t);
	s.attr |= is_float(t) ? ATTR_BITS : 0;
	if (combine) {
		r = by_exchange(l, s, combine, t, bits, s.b);
	} else {
		for (uint32_t j = 1; j < sig->n_opnd; j++)
			if (opnd_kind(sig->opnd[j]) == OPND_ELEM && s.arg[j])
				s.arg[j] = as_bits(l, bits, s.arg[j]);
		s.type = (uint8_t)(gives ? bits : QD_TYPE_NONE);
		r = lg_push(l, s);
	}
	return gives ? as_bits(l, t, r) : 0;
}

void
expand_atomic(struct lg *l, uint32_t i)
{
	const struct ins *in = &l->w.in->ins[i];
	const struct sig_info *sig = op_sig((enum op)in->op);
	enum mem_order order = ir_order(in);
	enum mem_scope scope = prim_scope(l, ir_scope(in));
	struct ins s = *in;

	for (uint32_t j = 0; j < sig->n_opnd; j++)
		s.arg[j] = l->w.map[in->arg[j]];
	s.arg[sig->where] = prim_where(l, in);
	s.attr = (uint16_t)((uint32_t)scope << ATTR_SCOPE_AT | MEM_RELAXED << ATTR_ORDER_AT);
	if (order == MEM_RELEASE || order == MEM_ACQ_REL)
		fence(l, scope, MEM_RELEASE);
	l->w.map[i] = relaxed(l, s, (qd_type)l->p->mems[s.x].type);
	if (order == MEM_ACQUIRE || order == MEM_ACQ_REL)
		fence(l, scope, MEM_ACQUIRE);
}
