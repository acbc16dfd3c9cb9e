/* Moves values between lanes. The index that reaches the target is always a lane of the subgroup,
 * whatever the kernel passes. */
#include "prim.h"

/* -- Carriers: unsigned integers, wide values as two ------------------------------ */

/* The numbering of an index: the kernel's lanes, or the hardware's. */
enum numbers { OF_KERNEL, OF_HARDWARE };

static bool
moves(struct lg *l, enum op op, qd_type t, enum numbers of)
{
	struct query q = { .op = op, .type = t, .to = t };

	return of == OF_KERNEL ? lg_native(l, op, t) : !lg_two_words(l, t) && l->m->native(l->m, &q);
}

/* Returns another type in which v can be moved; NONE: as two words. */
static qd_type
carrier(qd_type t)
{
	return t == QD_TYPE_I32 || t == QD_TYPE_F32 ? QD_TYPE_U32 : QD_TYPE_NONE;
}

static uint32_t
move(struct lg *l, enum op op, uint32_t v, uint32_t index, enum numbers of)
{
	qd_type t = lg_type(l, v);
	struct pair p;

	if (lg_failed(l))
		return 0;
	if (moves(l, op, t, of))
		return lg_push_op(l, op, t, v, index);
	if (op == OP_SHUFFLE_XOR && moves(l, OP_SHUFFLE, t, of))
		return move(l, OP_SHUFFLE, v, lg_bin(l, OP_XOR, lg_lane(l), index), of);
	if (op == OP_BROADCAST && moves(l, OP_SHUFFLE, t, of))
		return move(l, OP_SHUFFLE, v, index, of);
	if (carrier(t))
		return lg_bits(l, t, move(l, op, lg_bits(l, carrier(t), v), index, of));
	if (type_info[t].size != 8)
		return machine_gathers(l->m) && of == OF_KERNEL ? prim_gather(l, op, v, index) :
								   lg_refuse(l, op, t);
	p = pair_split(l, v);
	p.lo = move(l, op, p.lo, index, of);
	p.hi = move(l, op, p.hi, index, of);
	return pair_join(l, p, t);
}

uint32_t
prim_move(struct lg *l, enum op op, uint32_t v, uint32_t index)
{
	if (!machine_splits(l->m))
		return move(l, op, v, index, OF_KERNEL);
	if (op == OP_SHUFFLE_XOR)
		index = lg_bin(l, OP_XOR, lg_lane(l), index);
	return move(l, OP_SHUFFLE, v, lg_bin(l, OP_OR, prim_first_lane(l), index), OF_HARDWARE);
}

/* -- Patterns ------------------------------------------------------------------------ */

/* Returns whether the pattern's lanes at distance m are in the same hardware subgroup with the same
 * numbers. This is so for blocks of 2m lanes, unless they span several. */
static bool
is_within(const struct lg *l, enum lane_pattern pattern, uint32_t m)
{
	return !machine_makes(l->m) || (pattern < PATTERN_SHIFT && m < l->m->lanes);
}

static bool
has_pattern(struct lg *l, enum lane_pattern pattern, qd_type t, uint32_t m)
{
	struct query q = { .op = OP_LANE_PATTERN, .type = t, .to = t, .pattern = (uint8_t)pattern };

	return is_within(l, pattern, m) && !lg_two_words(l, t) && l->m->native(l->m, &q);
}

/* Returns the source lane: this lane if the offset leaves the subgroup. Offsets may be of any
 * size, so the comparison avoids overflow of lane + offset. */
static uint32_t
neighbor(struct lg *l, enum op op, uint32_t offset)
{
	uint32_t size = l->m->subgroup_size, lane = lg_lane(l), in;

	if (op == OP_SHUFFLE_UP)
		in = lg_cmp(l, OP_LE, offset, lane);
	else
		in = lg_cmp(l, OP_LT, offset, lg_bin(l, OP_SUB, lg_u32(l, size), lane));
	return lg_select(l, in,
			 lg_bin(l, op == OP_SHUFFLE_UP ? OP_SUB : OP_ADD, lane, offset), lane);
}

static uint32_t
shuffle_pattern(struct lg *l, enum lane_pattern pattern, uint32_t v, uint32_t m)
{
	uint32_t lane, inside;

	switch (pattern) {
	case PATTERN_XOR:
	case PATTERN_PARTNER:
		if (machine_makes(l->m) && is_within(l, pattern, m))
			return move(l, OP_SHUFFLE, v, lg_imm(l, OP_XOR, lg_hw_lane(l), m), OF_HARDWARE);
		return prim_move(l, OP_SHUFFLE_XOR, v, lg_u32(l, m));
	case PATTERN_LAST:
		if (machine_makes(l->m) && is_within(l, pattern, m)) {
			lane = lg_imm(l, OP_AND, lg_hw_lane(l), ~(2 * m - 1));
			return move(l, OP_SHUFFLE, v, lg_imm(l, OP_OR, lane, m - 1), OF_HARDWARE);
		}
		lane = lg_imm(l, OP_AND, lg_lane(l), ~(2 * m - 1));
		return prim_move(l, OP_SHUFFLE, v, lg_imm(l, OP_OR, lane, m - 1));
	case PATTERN_DOWN:
		return prim_move(l, OP_SHUFFLE, v, neighbor(l, OP_SHUFFLE_DOWN, lg_u32(l, m)));
	default:
		lane = lg_lane(l);
		inside = lg_cmp(l, OP_LE, lg_u32(l, m), lane);
		lane = lg_select(l, inside, lg_imm(l, OP_SUB, lane, m), lane);
		return prim_move(l, OP_SHUFFLE, v, lane);
	}
}

uint32_t
prim_pattern(struct lg *l, enum lane_pattern pattern, uint32_t v, uint32_t m)
{
	qd_type t = lg_type(l, v);
	struct pair p;

	if (lg_failed(l))
		return 0;
	if (has_pattern(l, pattern, t, m))
		return lg_push(l, (struct ins){ .op = OP_LANE_PATTERN, .type = (uint8_t)t, .a = v,
						.b = m, .x = pattern });
	if (carrier(t) && has_pattern(l, pattern, carrier(t), m))
		return lg_bits(l, t, prim_pattern(l, pattern, lg_bits(l, carrier(t), v), m));
	if (type_info[t].size == 8 && has_pattern(l, pattern, QD_TYPE_U32, m)) {
		p = pair_split(l, v);
		p.lo = prim_pattern(l, pattern, p.lo, m);
		p.hi = prim_pattern(l, pattern, p.hi, m);
		return pair_join(l, p, t);
	}
	return shuffle_pattern(l, pattern, v, m);
}

uint32_t
prim_is_upper(struct lg *l, uint32_t m)
{
	return lg_cmp_imm(l, OP_NE, lg_imm(l, OP_AND, lg_lane(l), m), 0);
}

/* -- The primitives ------------------------------------------------------------------- */

static uint32_t
shuffle(struct lg *l, enum op op, uint32_t v, uint32_t index)
{
	uint32_t size = l->m->subgroup_size;
	uint64_t k = 0;
	bool is_const = rw_is_const(&l->w, index, &k);
	qd_type t = lg_type(l, v);

	switch (op) {
	case OP_SHUFFLE:
	case OP_BROADCAST:
		return prim_move(l, op, v, lg_imm(l, OP_AND, index, size - 1));
	case OP_SHUFFLE_XOR:
		if (is_const) {
			k &= size - 1;
			return k ? prim_pattern(l, PATTERN_XOR, v, (uint32_t)k) : v;
		}
		index = lg_bin(l, OP_XOR, lg_lane(l), index);
		return prim_move(l, OP_SHUFFLE, v, lg_imm(l, OP_AND, index, size - 1));
	default:
		if (is_const && (!k || k >= size))
			return v;
		if (moves(l, op, t, OF_KERNEL))
			return lg_push_op(l, op, t, v, index);
		if (is_const)
			return prim_pattern(l, op == OP_SHUFFLE_UP ? PATTERN_SHIFT : PATTERN_DOWN, v, (uint32_t)k);
		return prim_move(l, OP_SHUFFLE, v, neighbor(l, op, index));
	}
}

void
expand_shuffle(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];

	l->w.map[i] = shuffle(l, (enum op)s->op, l->w.map[s->a], l->w.map[s->b]);
}
