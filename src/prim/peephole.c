/* Finds unions and exclusive ors that one instruction computes together with their operands: rotations and
 * selections of bits. The operands stay in the body, and are removed if nothing else reads them. */
#include "prim.h"

static const struct ins *
at(const struct lg *l, uint32_t v)
{
	return &l->w.o.ir->ins[v];
}

/* -- Rotations ------------------------------------------------------------------ */

static uint32_t
rotation(struct lg *l, uint32_t a, uint32_t b)
{
	const struct ins *x = at(l, a), *y = at(l, b);
	uint64_t left, right;

	if (x->op != OP_SHL || y->op != OP_SHR || !rw_is_const(&l->w, x->b, &left) ||
	    !rw_is_const(&l->w, y->b, &right) || !left || left + right != 32)
		return 0;
	return prim_funnel_by(l, x->a, y->a, (uint32_t)right);
}

/* -- Selections of bits ------------------------------------------------------------ */

/* Returns the operand of v other than `known`, or 0 if v is not this operation on it. */
static uint32_t
other_operand(const struct lg *l, enum op op, uint32_t v, uint32_t known)
{
	const struct ins *s = at(l, v);

	if (s->op != op)
		return 0;
	return s->a == known ? s->b : s->b == known ? s->a : 0;
}

/* (m & yes) | (~m & no): returns the result for the mask m that is an operand of the AND a. */
static uint32_t
by_complement(struct lg *l, uint32_t a, uint32_t b)
{
	for (uint32_t j = 0; j < 2; j++) {
		uint32_t m = at(l, a)->arg[j], yes = at(l, a)->arg[1 - j];
		for (uint32_t k = 0; k < 2; k++) {
			const struct ins *not_m = at(l, at(l, b)->arg[k]);
			if (not_m->op == OP_NOT && not_m->a == m)
				return lg_raw(l, OP_BIT_SELECT, lg_type(l, m), m, yes,
					      at(l, b)->arg[1 - k]);
		}
	}
	return 0;
}

/* no ^ (m & (yes ^ no)): a is no, b is the AND. */
static uint32_t
by_difference(struct lg *l, uint32_t a, uint32_t b)
{
	for (uint32_t j = 0; j < 2; j++) {
		uint32_t yes = other_operand(l, OP_XOR, at(l, b)->arg[j], a);
		if (yes)
			return lg_raw(l, OP_BIT_SELECT, lg_type(l, a), at(l, b)->arg[1 - j], yes, a);
	}
	return 0;
}

/* The majority of x, y and z, as (x & y) ^ (x & z) ^ (y & z): where x and y differ, z decides. a is
 * the union of two of the products, b the third. The union may be an exclusive or. */
static uint32_t
majority(struct lg *l, enum op op, uint32_t a, uint32_t b)
{
	const struct ins *pair = at(l, a), *third = at(l, b);

	if (pair->op != op || at(l, pair->a)->op != OP_AND)
		return 0;
	for (uint32_t j = 0; j < 2; j++) {
		uint32_t x = at(l, pair->a)->arg[j], y = at(l, pair->a)->arg[1 - j];
		uint32_t z = other_operand(l, OP_AND, pair->b, x);
		if (z && other_operand(l, OP_AND, b, y) == z && third->op == OP_AND)
			return lg_raw(l, OP_BIT_SELECT, lg_type(l, x), lg_bin(l, OP_XOR, x, y), z, y);
	}
	return 0;
}

static uint32_t
selection(struct lg *l, enum op op, uint32_t a, uint32_t b)
{
	uint32_t v = 0;

	if (at(l, b)->op != OP_AND || !lg_native(l, OP_BIT_SELECT, lg_type(l, b)))
		return 0;
	if (at(l, a)->op == OP_AND)
		v = by_complement(l, a, b);
	if (!v && op == OP_XOR)
		v = by_difference(l, a, b);
	return v ? v : majority(l, op, a, b);
}

uint32_t
prim_peephole(struct lg *l, enum op op, qd_type t, uint32_t a, uint32_t b)
{
	uint32_t v;

	if (l->w.o.literal || !type_is(t, TM_I32))
		return 0;
	if (t == QD_TYPE_U32 && ((v = rotation(l, a, b)) != 0 || (v = rotation(l, b, a)) != 0))
		return v;
	v = selection(l, op, a, b);
	return v ? v : selection(l, op, b, a);
}
