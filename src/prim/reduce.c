/* Reductions of a tile.  A float sum or product is the adjacent-pair butterfly, which
 * is the canonical tree on every lane; where order is free the target's own is used
 * if it has one, else the same butterfly.  After the step at distance m all lanes of
 * a block of m hold one value, so any lane of the partner block will do. */
#include "prim.h"

uint32_t
prim_tile(const struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	uint64_t log2_size = l->m->log2_size;

	rw_is_const(&l->w, l->w.map[s->arg[op_sig((enum op)s->op)->known]], &log2_size);
	return (uint32_t)log2_size;
}

static uint32_t
ask_native(struct lg *l, enum op op, qd_type t, uint32_t v, uint32_t log2_size)
{
	bool full = log2_size == l->m->log2_size;
	struct query q = { .op = op, .type = t, .to = t,
			   .log2_size = full ? LOG2_FULL : (uint8_t)log2_size };

	if (lg_two_words(l, t) || !l->m->native(l->m, &q))
		return 0;
	return lg_push_op(l, op, t, v, full ? 0 : lg_const(l, QD_TYPE_I32, log2_size));
}

uint32_t
prim_lane_native(struct lg *l, enum op op, uint32_t v, uint32_t log2_size)
{
	qd_type t = lg_type(l, v);
	enum op combine = (enum op)op_info[op].combine;
	uint32_t r;

	if ((r = ask_native(l, op, t, v, log2_size)))
		return r;
	/* Only the order of values cares for the sign. */
	if (!type_info[t].is_signed || combine == OP_MIN || combine == OP_MAX)
		return 0;
	r = ask_native(l, op, type_unsigned(t), lg_bits(l, type_unsigned(t), v), log2_size);
	return r ? lg_bits(l, t, r) : 0;
}

uint32_t
prim_extreme_bits(struct lg *l, enum op combine, uint32_t v)
{
	qd_type t = lg_type(l, v), s = type_signed(t);
	uint64_t most = t == QD_TYPE_F64 ? ~0ull >> 1 : 0x7fffffffu;
	uint32_t x = lg_bits(l, s, v);
	uint32_t losing = lg_const(l, s, combine == OP_MIN ? most : most + 1);
	uint32_t is_nan = prim_is_nan(l, x);

	return lg_select(l, is_nan, losing, prim_order(l, x));
}

static uint32_t
reduce(struct lg *l, enum op op, uint32_t v, uint32_t log2_size)
{
	enum op combine = (enum op)op_info[op].combine;
	bool is_extreme = combine == OP_MIN || combine == OP_MAX;
	uint32_t r;

	if (!log2_size || lg_failed(l))
		return v;
	if ((r = prim_lane_native(l, op, v, log2_size)))
		return r;
	if (is_float(lg_type(l, v)) && is_extreme) {
		qd_type t = lg_type(l, v);
		r = reduce(l, op, prim_extreme_bits(l, combine, v), log2_size);
		return lg_bits(l, t, prim_order(l, r));
	}
	for (uint32_t m = 1; m < 1u << log2_size; m *= 2)
		v = lg_op(l, combine, lg_type(l, v), v, prim_pattern(l, PATTERN_PARTNER, v, m), 0);
	return v;
}

void
expand_reduce(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];

	l->w.map[i] = reduce(l, (enum op)s->op, l->w.map[s->a], prim_tile(l, i));
}
