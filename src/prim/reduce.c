/* Reductions of a tile. A float sum or product is the butterfly of adjacent pairs, which computes
 * the canonical tree in every lane. If the order is free, the target's own reduction is used, else
 * the same butterfly. After the step at distance m, all lanes of a block of m hold the same value.
 * So the source can be any lane of the partner block. */
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

	if (lg_two_words(l, t) || !machine_has(l->m, &q))
		return 0;
	return lg_push_op(l, op, op_sig(op)->result[0] == OPND_I32 ? QD_TYPE_I32 : t, v,
			  full ? 0 : lg_const(l, QD_TYPE_I32, log2_size));
}

uint32_t
prim_lane_native(struct lg *l, enum op op, uint32_t v, uint32_t log2_size)
{
	qd_type t = lg_type(l, v);
	enum op combine = (enum op)op_info[op].combine;
	uint32_t r;

	if ((r = ask_native(l, op, t, v, log2_size)))
		return r;
	/* Only minimum and maximum depend on the sign. */
	if (!type_info[t].is_signed || combine == OP_MIN || combine == OP_MAX)
		return 0;
	r = ask_native(l, op, type_unsigned(t), lg_bits(l, type_unsigned(t), v), log2_size);
	return r ? lg_bits(l, t, r) : 0;
}

/* -- Wide integers word by word ----------------------------------------------------- */

/* Computes a 64-bit minimum or maximum with reductions of words: first the high word, then the low
 * word of the lanes that have this high word. */
static uint32_t
wide_extreme(struct lg *l, enum op op, qd_type t, struct pair v, uint32_t log2_size)
{
	qd_type half = type_info[t].is_signed ? QD_TYPE_I32 : QD_TYPE_U32;
	bool least = op_info[op].combine == OP_MIN;
	uint32_t high = prim_lane_native(l, op, lg_bits(l, half, v.hi), log2_size), same, low;

	if (!high)
		return 0;
	high = lg_bits(l, QD_TYPE_U32, high);
	same = lg_cmp(l, OP_EQ, v.hi, high);
	low = lg_select(l, same, v.lo, lg_u32(l, least ? UINT32_MAX : 0));
	low = prim_lane_native(l, op, low, log2_size);
	return low ? pair_join(l, (struct pair){ low, high }, t) : 0;
}

/* Computes a 64-bit sum from the sums of bits 0-15, of bits 16-31, and of the high words modulo
 * 2^32. The first two cannot overflow in any subgroup. */
static uint32_t
wide_sum(struct lg *l, enum op op, qd_type t, struct pair v, uint32_t log2_size)
{
	uint32_t low = prim_lane_native(l, op, lg_imm(l, OP_AND, v.lo, 0xffff), log2_size);
	uint32_t mid, high, sum;

	if (!low)
		return 0;
	mid = prim_lane_native(l, op, lg_imm(l, OP_SHR, v.lo, 16), log2_size);
	high = prim_lane_native(l, op, v.hi, log2_size);
	if (!mid || !high)
		return 0;
	sum = lg_imm(l, OP_SHL, lg_cast(l, t, mid), 16);
	return lg_bin(l, OP_ADD, sum, pair_join(l, (struct pair){ low, high }, t));
}

static uint32_t
wide_bits(struct lg *l, enum op op, qd_type t, struct pair v, uint32_t log2_size)
{
	struct pair r = { prim_lane_native(l, op, v.lo, log2_size), 0 };

	if (!r.lo)
		return 0;
	r.hi = prim_lane_native(l, op, v.hi, log2_size);
	return r.hi ? pair_join(l, r, t) : 0;
}

static uint32_t
wide(struct lg *l, enum op op, uint32_t v, uint32_t log2_size)
{
	qd_type t = lg_type(l, v);
	struct query q = { .op = op, .type = QD_TYPE_U32, .to = QD_TYPE_U32,
			   .log2_size = log2_size == l->m->log2_size ? LOG2_FULL
								      : (uint8_t)log2_size };

	if (!is_int64(t) || lg_two_words(l, t) || !machine_has(l->m, &q))
		return 0;
	switch (op_info[op].combine) {
	case OP_ADD: return wide_sum(l, op, t, pair_split(l, v), log2_size);
	case OP_MIN:
	case OP_MAX: return wide_extreme(l, op, t, pair_split(l, v), log2_size);
	case OP_AND:
	case OP_OR:
	case OP_XOR: return wide_bits(l, op, t, pair_split(l, v), log2_size);
	default: return 0;
	}
}

/* -- Floats ---------------------------------------------------------------------- */

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

/* Returns whether minimum or maximum of floats of type t uses integer order: the machine has the
 * integer operation, or no fast float one. */
bool
prim_by_order(struct lg *l, enum op op, qd_type t, uint32_t log2_size)
{
	struct query q = { .op = op, .type = QD_TYPE_I32, .to = QD_TYPE_I32,
			   .log2_size = log2_size == l->m->log2_size ? LOG2_FULL
								      : (uint8_t)log2_size };

	return machine_has(l->m, &q) || !lg_native(l, (enum op)op_info[op].combine, t) ||
	       (t == QD_TYPE_F64 && (l->m->caps & CAP_F64_ORDER_SLOW));
}

uint32_t
prim_reduce(struct lg *l, enum op op, uint32_t v, uint32_t log2_size)
{
	enum op combine = (enum op)op_info[op].combine;
	bool is_extreme = combine == OP_MIN || combine == OP_MAX;
	uint32_t r;

	if (!log2_size || lg_failed(l))
		return v;
	if ((r = prim_lane_native(l, op, v, log2_size)) || (r = wide(l, op, v, log2_size)))
		return r;
	if (is_float(lg_type(l, v)) && is_extreme && prim_by_order(l, op, lg_type(l, v), log2_size)) {
		qd_type t = lg_type(l, v);
		r = prim_reduce(l, op, prim_extreme_bits(l, combine, v), log2_size);
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

	l->w.map[i] = prim_reduce(l, (enum op)s->op, l->w.map[s->a], prim_tile(l, i));
}
