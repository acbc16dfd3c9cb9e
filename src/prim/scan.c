/* Scans of a tile by the Sklansky network. At distance m, the lanes with bit m combine the last
 * lane of the lower half, on the left, with their own value. So lane t gets the canonical tree of
 * the first t + 1 values. Padding threads are the last ones, so no other lane reads from them. An
 * exclusive scan is the inclusive one, shifted up by a lane. */
#include "prim.h"

uint32_t
prim_network(struct lg *l, enum op combine, uint32_t v, uint32_t takes, uint32_t log2_size)
{
	for (uint32_t m = 1; m < 1u << log2_size && !lg_failed(l); m *= 2) {
		uint32_t below = prim_pattern(l, PATTERN_LAST, v, m);
		uint32_t upper = lg_cmp_imm(l, OP_NE, lg_imm(l, OP_AND, takes, m), 0);
		/* Adjacent to its select: a machine may fuse the two. */
		uint32_t both = lg_op(l, combine, lg_type(l, v), below, v, 0);

		v = lg_select(l, upper, both, v);
	}
	return v;
}

uint32_t
prim_inclusive(struct lg *l, enum op op, uint32_t v, uint32_t log2_size)
{
	enum op combine = (enum op)op_info[op].combine;
	bool is_extreme = combine == OP_MIN || combine == OP_MAX;
	qd_type t = lg_type(l, v);
	uint32_t r;

	if (!log2_size || lg_failed(l))
		return v;
	if ((r = prim_lane_native(l, op, v, log2_size)))
		return r;
	if (is_float(t) && is_extreme && prim_by_order(l, op, t, log2_size)) {
		r = prim_inclusive(l, op, prim_extreme_bits(l, combine, v), log2_size);
		return lg_bits(l, t, prim_order(l, r));
	}
	return prim_network(l, combine, v, lg_lane(l), log2_size);
}

void
expand_scan(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];

	l->w.map[i] = prim_inclusive(l, (enum op)s->op, l->w.map[s->a], prim_tile(l, i));
}

uint32_t
prim_from_below(struct lg *l, uint32_t v, uint32_t first, uint32_t log2_size)
{
	uint32_t below = log2_size ? prim_pattern(l, PATTERN_SHIFT, v, 1) : first;
	uint32_t place = lg_imm(l, OP_AND, lg_lane(l), (1u << log2_size) - 1);

	return lg_select(l, lg_cmp_imm(l, OP_EQ, place, 0), first, below);
}

_Static_assert(OP_EXCLUSIVE_XOR - OP_EXCLUSIVE_ADD == OP_INCLUSIVE_XOR - OP_INCLUSIVE_ADD,
	       "the scans of op.def keep one order");

uint32_t
prim_exclusive(struct lg *l, enum op op, uint32_t v, uint32_t log2_size)
{
	enum op combine = (enum op)op_info[op].combine;
	qd_type t = lg_type(l, v);
	uint32_t r = 0;

	if (log2_size)
		r = prim_lane_native(l, op, v, log2_size);
	op = (enum op)(op - OP_EXCLUSIVE_ADD + OP_INCLUSIVE_ADD);
	/* If the operation is exactly invertible, the lane's own value is removed again. */
	if (!r && !is_float(t) && (combine == OP_ADD || combine == OP_XOR))
		r = lg_bin(l, combine == OP_ADD ? OP_SUB : OP_XOR,
			   prim_inclusive(l, op, v, log2_size), v);
	if (r)
		return r;
	r = lg_const(l, t, ir_identity_bits(combine, t));
	return prim_from_below(l, prim_inclusive(l, op, v, log2_size), r, log2_size);
}

void
expand_exclusive(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];

	if (!lg_failed(l))
		l->w.map[i] = prim_exclusive(l, (enum op)s->op, l->w.map[s->a], prim_tile(l, i));
}
