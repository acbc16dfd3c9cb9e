/* Upper bounds of 32-bit integers of the new body, read as unsigned. The bound of a value follows
 * from its operation and its operands' bounds, through DEPTH operations, so a query takes a bounded
 * time. */
#include "prim.h"

enum { DEPTH = 5 };

/* Returns the smallest number of the form 2^k - 1 that is at least x. */
static uint64_t
ones_above(uint64_t x)
{
	for (uint32_t s = 1; s < 64; s *= 2)
		x |= x >> s;
	return x;
}

static uint64_t
least_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t bound(const struct lg *l, uint32_t v, uint32_t depth);

/* Bounds an operation on a and b, whose bounds are x and y. Returns UINT32_MAX if the result may
 * wrap, or if the operation reads a sign that may be set. */
static uint64_t
bound_of(const struct lg *l, const struct ins *s, uint64_t x, uint64_t y)
{
	const struct ins *b = &l->w.o.ir->ins[s->b];
	const bool known = b->op == OP_CONST, positive = (x | y) <= INT32_MAX || !type_info[s->type].is_signed;
	const uint64_t all = UINT32_MAX;

	switch (s->op) {
	case OP_AND: return least_of(x, y);
	case OP_OR: case OP_XOR: return ones_above(x | y);
	case OP_ADD: return least_of(x + y, all);
	case OP_MUL: return least_of(x * y, all);
	case OP_SHL: return known ? least_of(x << (y & 31), all) : all;
	case OP_SHR: return !positive ? all : known ? x >> (y & 31) : x;
	case OP_DIV: return positive && known && y ? x / y : all;
	case OP_REM: return positive && known && y ? least_of(x, y - 1) : all;
	case OP_MIN: return positive ? least_of(x, y) : all;
	case OP_MAX: return positive ? (x > y ? x : y) : all;
	default: return all;
	}
}

static uint64_t
bound(const struct lg *l, uint32_t v, uint32_t depth)
{
	const struct ins *s = &l->w.o.ir->ins[v];
	uint64_t x, y;

	if (!type_is((qd_type)s->type, TM_I32) || !depth--)
		return UINT32_MAX;
	switch (s->op) {
	case OP_CONST: return const_bits(s);
	case OP_THREAD_IDX: return machine_rounded(l->m, l->p->k->block_dim) - 1;
	case OP_LANE: return l->m->lanes - 1;
	case OP_POPCOUNT: return 64;
	case OP_UNIFORM: case OP_BITCAST: return bound(l, s->a, depth);
	case OP_LOAD:
		x = type_info[l->p->mems[s->x].type].size;
		return x < 4 && s->type == QD_TYPE_U32 && !s->b ? (UINT64_C(1) << 8 * x) - 1 : UINT32_MAX;
	case OP_SELECT:
		x = bound(l, s->b, depth);
		y = bound(l, s->c, depth);
		return x > y ? x : y;
	default:
		if (!op_info[s->op].is_alu || op_sig((enum op)s->op)->n_opnd != 2)
			return UINT32_MAX;
		x = bound(l, s->a, depth);
		return bound_of(l, s, x, bound(l, s->b, depth));
	}
}

uint64_t
prim_bound(const struct lg *l, uint32_t v)
{
	return l->p->opt == OPT_FULL ? bound(l, v, DEPTH) : UINT32_MAX;
}
