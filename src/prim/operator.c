/* Reductions and scans with an operator of the kernel: the networks of reduce.c and scan.c over k
 * values, with a copy of the operator's region at every step. */
#include "prim.h"

/* -- Operations with several results ------------------------------------------------ */

static bool
grow_results(struct lg *l)
{
	uint32_t cap = l->cap_results ? 2 * l->cap_results : 4;
	uint32_t (*results)[MAX_YIELD] = arena_alloc(l->p->mem, cap * sizeof *results);

	if (!l->result_of)
		l->result_of = arena_zalloc(l->p->mem, l->w.in->n * sizeof *l->result_of);
	if (!results || !l->result_of) {
		l->w.o.nomem = true;
		return false;
	}
	if (l->n_results)
		memcpy(results, l->results, l->n_results * sizeof *results);
	l->results = results;
	l->cap_results = cap;
	return true;
}

void
prim_results(struct lg *l, uint32_t i, const uint32_t *v, uint32_t n)
{
	if (l->n_results == l->cap_results && !grow_results(l))
		return;
	memset(l->results[l->n_results], 0, sizeof *l->results);
	memcpy(l->results[l->n_results], v, n * sizeof *v);
	l->result_of[i] = ++l->n_results;
}

void
expand_result(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];

	if (l->result_of && l->result_of[s->a])
		l->w.map[i] = l->results[l->result_of[s->a] - 1][s->x];
	else if (l->w.map[s->a]) /* native */
		rw_copy(&l->w, i);
}

/* -- Regions ------------------------------------------------------------------------- */

void
expand_arg(struct lg *l, uint32_t i)
{
	l->w.map[i] = l->region_args[l->w.in->ins[i].x];
}

void
expand_yield(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];

	l->region_out[s->x] = l->w.map[s->a];
}

/* Each copy maps the region's instructions again. They are folded again, since the arguments may
 * be constants now. */
void
prim_inline(struct lg *l, uint32_t region, const uint32_t *args, uint32_t *out)
{
	const struct ir *in = l->w.in;
	uint32_t end = in->ins[region].x, at = l->at, *map = l->w.map;

	l->region_args = args;
	l->region_out = out;
	for (uint32_t i = region + 1; i < end; i++) {
		const struct ins *s = &in->ins[i];
		uint32_t n = op_sig((enum op)s->op)->n_opnd;

		if (op_info[s->op].is_alu)
			map[i] = lg_op(l, (enum op)s->op, (qd_type)s->type, map[s->a],
				       n > 1 ? map[s->b] : 0, n > 2 ? map[s->c] : 0);
		else
			lg_visit(l, i);
	}
	l->at = at;
	l->w.o.pos = in->pos[at];
}

/* -- The networks ---------------------------------------------------------------------- */

uint32_t
prim_list(const struct lg *l, uint32_t pack, uint32_t *v)
{
	const struct ir *in = l->w.in;
	uint32_t n = 0;

	for (; pack && n < MAX_YIELD; pack = in->ins[pack].b)
		v[n++] = l->w.map[in->ins[pack].a];
	return n;
}

/* Emits the butterfly, with operands in lane order. Padding lanes are the last ones. If the first
 * lane of an upper half is a padding lane, the half is empty, and the lower half's values continue
 * unchanged. */
void
prim_operator_reduce(struct lg *l, uint32_t region, uint32_t *v, uint32_t n, uint32_t log2_size,
		     uint32_t limit)
{
	uint32_t args[2 * MAX_YIELD], out[MAX_YIELD];

	for (uint32_t m = 1; m < 1u << log2_size && !lg_failed(l); m *= 2) {
		uint32_t is_upper = prim_is_upper(l, m);

		for (uint32_t j = 0; j < n; j++) {
			uint32_t other = prim_pattern(l, PATTERN_PARTNER, v[j], m);

			args[j] = lg_select(l, is_upper, other, v[j]);
			args[n + j] = lg_select(l, is_upper, v[j], other);
		}
		prim_inline(l, region, args, out);
		if (limit) {
			uint32_t first = lg_imm(l, OP_AND, lg_lane(l), 0u - 2 * m);
			uint32_t included = lg_cmp(l, OP_LT, lg_imm(l, OP_OR, first, m), limit);

			for (uint32_t j = 0; j < n; j++)
				out[j] = lg_select(l, included, out[j], args[j]);
		}
		memcpy(v, out, n * sizeof *v);
	}
}

void
expand_operator_reduce(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	uint32_t v[MAX_YIELD], n = prim_list(l, s->b, v);

	prim_operator_reduce(l, s->a, v, n, prim_tile(l, i), l->w.map[s->d]);
	prim_results(l, i, v, n);
}

/* Emits the scan network. If the first lane of an upper half is a padding lane, the half takes the
 * lower half's values. */
void
prim_operator_scan(struct lg *l, uint32_t region, uint32_t *v, uint32_t n, uint32_t log2_size,
		   uint32_t limit)
{
	uint32_t args[2 * MAX_YIELD], out[MAX_YIELD];

	for (uint32_t m = 1; m < 1u << log2_size && !lg_failed(l); m *= 2) {
		uint32_t is_upper = prim_is_upper(l, m);

		for (uint32_t j = 0; j < n; j++) {
			args[n + j] = v[j];
			args[j] = prim_pattern(l, PATTERN_LAST, v[j], m);
		}
		prim_inline(l, region, args, out);
		if (limit) {
			uint32_t first = lg_imm(l, OP_AND, lg_lane(l), 0u - m);
			uint32_t included = lg_cmp(l, OP_LT, first, limit);

			for (uint32_t j = 0; j < n; j++)
				out[j] = lg_select(l, included, out[j], args[j]);
		}
		for (uint32_t j = 0; j < n; j++)
			v[j] = lg_select(l, is_upper, out[j], v[j]);
	}
}

void
expand_operator_scan(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	uint32_t v[MAX_YIELD], n = prim_list(l, s->b, v);

	prim_operator_scan(l, s->a, v, n, prim_tile(l, i), 0);
	prim_results(l, i, v, n);
}

void
expand_operator_exclusive(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	uint32_t v[MAX_YIELD], first[MAX_YIELD], n = prim_list(l, s->b, v);
	uint32_t log2_size = prim_tile(l, i);

	prim_list(l, s->d, first);
	prim_operator_scan(l, s->a, v, n, log2_size, 0);
	for (uint32_t j = 0; j < n && !lg_failed(l); j++)
		v[j] = prim_from_below(l, v[j], first[j], log2_size);
	prim_results(l, i, v, n);
}
