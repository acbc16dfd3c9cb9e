/* Inclusive scans of a tile.  The Sklansky network: at distance m the lanes with
 * bit m take the last lane of the half below into the combination, on the left.
 * Lane t so gets the canonical tree of the first t + 1 values; and since absent
 * threads are the last ones, no present lane ever takes from one. */
#include "prim.h"

/* The last lane of the lower half, for the lanes of the upper half; those of the
 * lower get some lane of their own block. */
static uint32_t
source_lane(struct lg *l, uint32_t lane, uint32_t m)
{
	return lg_imm(l, OP_OR, lg_imm(l, OP_AND, lane, ~m), m - 1);
}

uint32_t
prim_inclusive_add(struct lg *l, uint32_t v, uint32_t log2_size)
{
	uint32_t r, lane;

	if (!log2_size)
		return v;
	if ((r = prim_lane_native(l, OP_INCLUSIVE_ADD, v, log2_size)))
		return r;
	v = prim_hide_zero(l, v);
	lane = lg_lane(l);
	for (uint32_t m = 1; m < 1u << log2_size; m *= 2) {
		uint32_t below = prim_move(l, OP_SHUFFLE, v, source_lane(l, lane, m));
		uint32_t is_upper = lg_cmp_imm(l, OP_NE, lg_imm(l, OP_AND, lane, m), 0);
		uint32_t sum = lg_legal(l, OP_ADD, lg_type(l, v), below, v, 0);
		v = lg_select(l, is_upper, sum, v);
	}
	return v;
}

void
prim_scan_op(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	uint32_t args[2 * MAX_YIELD], v[MAX_YIELD], out[MAX_YIELD];
	struct lane_results *res;
	uint32_t n = prim_operands(l, i, v, &res);
	uint32_t log2_size = prim_tile(l, l->w.map[s->c]);
	uint32_t lane = log2_size ? lg_lane(l) : 0;

	for (uint32_t m = 1; n && m < 1u << log2_size; m *= 2) {
		uint32_t from = source_lane(l, lane, m);
		uint32_t is_upper = lg_cmp_imm(l, OP_NE, lg_imm(l, OP_AND, lane, m), 0);
		for (uint32_t j = 0; j < n; j++) {
			args[n + j] = prim_hide_zero(l, v[j]);
			args[j] = prim_move(l, OP_SHUFFLE, args[n + j], from);
		}
		prim_inline(l, s->a, args, out);
		for (uint32_t j = 0; j < n; j++)
			v[j] = lg_select(l, is_upper, out[j], args[n + j]);
	}
	if (n)
		memcpy(res->v, v, n * sizeof *v);
}
