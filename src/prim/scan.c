/* Inclusive scans of a tile.  The Sklansky network: at distance m the lanes with
 * bit m take the last lane of the half below into the combination, on the left.
 * Lane t so gets the canonical tree of the first t + 1 values; and since absent
 * threads are the last ones, no present lane ever takes from one. */
#include "prim.h"

void
expand_scan(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	enum op op = (enum op)s->op, combine = (enum op)op_info[op].combine;
	uint32_t v = l->w.map[s->a], log2_size = prim_tile(l, i), r;

	if (log2_size && (r = prim_lane_native(l, op, v, log2_size)))
		v = r;
	else
		for (uint32_t m = 1; m < 1u << log2_size && !lg_failed(l); m *= 2) {
			uint32_t below = prim_pattern(l, PATTERN_LAST, v, m);
			uint32_t both = lg_op(l, combine, lg_type(l, v), below, v, 0);
			v = lg_select(l, prim_is_upper(l, m), both, v);
		}
	l->w.map[i] = v;
}
