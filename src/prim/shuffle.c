/* Values moved between lanes.  Whatever index a kernel gives, the one that
 * reaches the target names a lane of the subgroup. */
#include "prim.h"

uint32_t
prim_move(struct lg *l, enum op op, uint32_t v, uint32_t index)
{
	qd_type t = lg_type(l, v);

	if (is_int64(t) && l->two_words) {
		l->saw_64 = true;
		return rw_op(&l->w, op, t, v, index, 0);
	}
	if (lg_native(l, op, t, 0))
		return rw_op(&l->w, op, t, v, index, 0);
	if (op == OP_SHUFFLE_XOR && lg_native(l, OP_SHUFFLE, t, 0))
		return prim_move(l, OP_SHUFFLE, v, lg_bin(l, OP_XOR, lg_lane(l), index));
	if (op == OP_BROADCAST && lg_native(l, OP_SHUFFLE, t, 0))
		return prim_move(l, OP_SHUFFLE, v, index);
	/* Bits travel: as unsigned integers, wide ones as two. */
	if (t == QD_TYPE_I32 || t == QD_TYPE_F32)
		return lg_bits(l, t, prim_move(l, op, lg_bits(l, QD_TYPE_U32, v), index));
	if (type_info[t].size == 8 && !l->two_words) {
		struct pair p = pair_split(l, v);
		p.lo = prim_move(l, op, p.lo, index);
		p.hi = prim_move(l, op, p.hi, index);
		return pair_join(l, p, t);
	}
	return lg_refuse(l, op, t);
}

uint32_t
prim_partner(struct lg *l, uint32_t v, uint32_t mask)
{
	return prim_move(l, OP_SHUFFLE_XOR, v, lg_u32(l, mask));
}

/* The own lane where the offset leaves the subgroup; offsets of any size, and
 * lane + offset must not wrap before it is judged. */
static uint32_t
neighbour(struct lg *l, enum op op, uint32_t offset)
{
	uint32_t size = l->m->subgroup_size, lane = lg_lane(l), in;

	if (op == OP_SHUFFLE_UP)
		in = lg_cmp(l, OP_LE, offset, lane);
	else
		in = lg_cmp(l, OP_LT, offset, lg_bin(l, OP_SUB, lg_u32(l, size), lane));
	return lg_select(l, in,
			 lg_bin(l, op == OP_SHUFFLE_UP ? OP_SUB : OP_ADD, lane, offset), lane);
}

uint32_t
prim_shuffle(struct lg *l, enum op op, uint32_t v, uint32_t index)
{
	uint32_t size = l->m->subgroup_size;
	uint64_t k;
	bool is_const = rw_is_const(&l->w, index, &k);
	qd_type t = lg_type(l, v);

	switch (op) {
	case OP_SHUFFLE:
	case OP_BROADCAST:
		return prim_move(l, op, v, lg_imm(l, OP_AND, index, size - 1));
	case OP_SHUFFLE_XOR:
		if (is_const) {
			k &= size - 1;
			return k ? prim_move(l, op, v, lg_u32(l, (uint32_t)k)) : v;
		}
		index = lg_bin(l, OP_XOR, lg_lane(l), index);
		return prim_move(l, OP_SHUFFLE, v, lg_imm(l, OP_AND, index, size - 1));
	default:
		if (is_const && (!k || k >= size))
			return v;
		if (!(is_int64(t) && l->two_words) && lg_native(l, op, t, 0))
			return rw_op(&l->w, op, t, v, index, 0);
		return prim_move(l, OP_SHUFFLE, v, neighbour(l, op, index));
	}
}
