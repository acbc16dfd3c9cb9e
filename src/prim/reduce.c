/* Reductions of a tile.  A float sum is the adjacent-pair butterfly, which is the
 * canonical tree on every lane; where order is free the target's own is used if
 * it has one, else the same butterfly. */
#include "prim.h"

uint32_t
prim_tile(const struct lg *l, uint32_t k)
{
	uint64_t log2_size = l->m->log2_size;

	rw_is_const(&l->w, k, &log2_size);
	return (uint32_t)log2_size;
}

static uint32_t
ask_native(struct lg *l, enum op op, qd_type t, uint32_t v, uint32_t log2_size)
{
	bool full = log2_size == l->m->log2_size;

	if (!lg_native(l, op, t, full ? LOG2_FULL : log2_size))
		return 0;
	return rw_op(&l->w, op, t, v, full ? 0 : lg_const(l, QD_TYPE_I32, log2_size), 0);
}

uint32_t
prim_lane_native(struct lg *l, enum op op, uint32_t v, uint32_t log2_size)
{
	qd_type t = lg_type(l, v);
	uint32_t r;

	if (is_int64(t) && l->two_words)
		return 0;
	if ((r = ask_native(l, op, t, v, log2_size)))
		return r;
	/* Sums do not care for the sign. */
	if (!type_info[t].is_signed || op == OP_REDUCE_MIN || op == OP_REDUCE_MAX)
		return 0;
	r = ask_native(l, op, type_unsigned(t), lg_bits(l, type_unsigned(t), v), log2_size);
	return r ? lg_bits(l, t, r) : 0;
}

static uint32_t
butterfly(struct lg *l, enum op op, uint32_t v, uint32_t log2_size)
{
	for (uint32_t m = 1; m < 1u << log2_size; m *= 2)
		v = lg_legal(l, op, lg_type(l, v), v, prim_partner(l, v, m), 0);
	return v;
}

/* Float extremes as those of integers in the same order; a NaN becomes the one
 * that loses, and comes back as a NaN where nothing else was there. */
static uint32_t
float_extreme(struct lg *l, enum op op, uint32_t v, uint32_t log2_size)
{
	qd_type t = lg_type(l, v), s = type_signed(t);
	uint64_t most = t == QD_TYPE_F64 ? ~0ull >> 1 : 0x7fffffffu;

	if (t == QD_TYPE_F64 && l->two_words)
		return lg_lacks(l, op, "64-bit integers");

	uint32_t x = lg_bits(l, s, v);
	uint32_t losing = lg_const(l, s, op == OP_REDUCE_MIN ? most : most + 1);
	x = lg_select(l, prim_is_nan(l, x), losing, prim_order(l, x));
	return lg_bits(l, t, prim_order(l, prim_reduce(l, op, x, log2_size)));
}

uint32_t
prim_reduce(struct lg *l, enum op op, uint32_t v, uint32_t log2_size)
{
	uint32_t r;

	if (!log2_size)
		return v;
	if ((r = prim_lane_native(l, op, v, log2_size)))
		return r;
	if (op == OP_REDUCE_ADD)
		return butterfly(l, OP_ADD, prim_hide_zero(l, v), log2_size);
	if (is_float(lg_type(l, v)))
		return float_extreme(l, op, v, log2_size);
	return butterfly(l, op == OP_REDUCE_MIN ? OP_MIN : OP_MAX, v, log2_size);
}

/* -- With an operator of the kernel's ---------------------------------------------- */

uint32_t
prim_operands(struct lg *l, uint32_t i, uint32_t *v, struct lane_results **out)
{
	const struct ir *in = l->w.in;
	uint32_t n = 0;

	for (uint32_t pack = in->ins[i].b; pack && n < MAX_YIELD; pack = in->ins[pack].b)
		v[n++] = l->w.map[in->ins[pack].a];

	struct lane_results *r = arena_alloc(l->p->mem, sizeof *r);
	if (!r) {
		l->w.nomem = true;
		return 0;
	}
	r->next = l->results;
	r->at = i;
	memset(r->v, 0, sizeof r->v);
	l->results = *out = r;
	return n;
}

uint32_t
prim_result(const struct lg *l, const struct ins *s)
{
	for (const struct lane_results *r = l->results; r; r = r->next) {
		if (r->at == s->a)
			return s->x < MAX_YIELD ? r->v[s->x] : 0;
	}
	return 0;
}

void
prim_inline(struct lg *l, uint32_t region, const uint32_t *args, uint32_t *out)
{
	uint32_t end = l->w.in->ins[region].x;

	l->region_args = args;
	l->region_out = out;
	for (uint32_t i = region + 1; i < end; i++)
		lg_visit(l, i);
}

/* The butterfly with its operands in the order of the lanes.  Where threads are
 * absent they are the last of the block, so an upper half whose first thread is
 * one has none: what the lower half holds goes on alone. */
void
prim_reduce_op(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	uint32_t args[2 * MAX_YIELD], v[MAX_YIELD], out[MAX_YIELD];
	struct lane_results *res;
	uint32_t n = prim_operands(l, i, v, &res);
	uint32_t log2_size = prim_tile(l, l->w.map[s->c]);

	for (uint32_t m = 1; n && m < 1u << log2_size; m *= 2) {
		uint32_t is_upper = lg_cmp_imm(l, OP_NE, lg_imm(l, OP_AND, lg_lane(l), m), 0);
		for (uint32_t j = 0; j < n; j++) {
			uint32_t mine = prim_hide_zero(l, v[j]);
			uint32_t other = prim_partner(l, mine, m);
			args[j] = lg_select(l, is_upper, other, mine);
			args[n + j] = lg_select(l, is_upper, mine, other);
		}
		prim_inline(l, s->a, args, out);
		if (s->aux & AUX_PARTIAL) {
			uint32_t first = lg_imm(l, OP_OR, lg_imm(l, OP_AND, lg_thread(l),
								 0u - 2 * m), m);
			uint32_t present = lg_cmp_imm(l, OP_LT, first, l->p->k->block_dim);
			for (uint32_t j = 0; j < n; j++)
				out[j] = lg_select(l, present, out[j], args[j]);
		}
		memcpy(v, out, n * sizeof *v);
	}
	if (n)
		memcpy(res->v, v, n * sizeof *v);
}
