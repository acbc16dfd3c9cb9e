/* Generation of function calls. */
#include "program_gen.h"

/* Returns the caller's array that is passed for an array of the kernel. */
static uint32_t
passed_array(const struct gen *g, uint32_t id)
{
	uint32_t i = 0;

	if (g->in_kernel)
		return id;
	while (i < g->f->n_arrays && g->f->array[i] != id)
		i++;
	return i;
}

struct expr *
gen_call(struct gen *g, uint32_t id, uint32_t depth, uint32_t flags)
{
	const struct function *fn = &g->p->fn[id];
	struct expr *x;
	uint64_t arrays = 0;
	uint32_t i = 0;

	if (fn->shaped && !gen_shaped(g))
		return NULL;
	if ((fn->lanes && !(flags & GEN_LANES)) || !gen_affords(g, fn->size + 20))
		return NULL;
	if (fn->stores && g->at == NO_VAR)
		return NULL;
	if (!memory_fits(g, fn))
		return NULL;
	for (uint32_t a = 0; a < fn->n_arrays; a++) {
		uint32_t at = passed_array(g, fn->array[a]);

		if (!g->in_kernel && at == g->f->n_arrays)
			return NULL;
		arrays |= (uint64_t)at << 8 * a;
	}
	x = x_new(g, X_CALL, fn->n_results ? fn->result[0] : QD_TYPE_NONE, 0);
	x->id = (uint16_t)id;
	x->bits = arrays;
	if (fn->stores)
		x->arg[i++] = x_var(g, g->at);
	if (fn->lanes) {
		x->arg[i++] = x_var(g, g->here);
		x->arg[i++] = gen_expr(g, QD_TYPE_U32, depth,
				       fn->syncs ? GEN_UNIFORM | GEN_BLOCK : GEN_UNIFORM);
	}
	for (; i < fn->n_params; i++)
		x->arg[i] = gen_value(g, fn->var[i].type, flags & ~(uint32_t)GEN_UNIFORM);
	x->n = (uint8_t)fn->n_params;
	g->f->wants_all |= fn->wants_all;
	g->f->shared_bytes += fn->shared_bytes * g->inlined;
	if (fn->shared)
		gen_has(g, HAS_SHARED_FN);
	if (fn->shared && fn->shared_any)
		gen_has(g, HAS_SHARED_ANY);
	if (fn->has_local)
		gen_has(g, HAS_SHARED_LOCAL);
	if (fn->syncs)
		gen_has(g, HAS_SYNC_FN);
	g->f->size += fn->size * g->inlined;
	g->cost += fn->size * g->rounds;
	if (fn->depth >= g->f->depth)
		g->f->depth = fn->depth + 1;
	gen_has(g, HAS_FN);
	if (fn->shaped)
		gen_has(g, HAS_FN_STATIC);
	if (fn->templated)
		gen_has(g, HAS_FN_TYPE);
	if (g->f->depth > 2)
		gen_has(g, HAS_FN_DEEP);
	return x;
}

/* Chooses only functions with a single result and no side effects. */
struct expr *
gen_call_in_expr(struct gen *g, qd_type type, uint32_t depth, uint32_t flags)
{
	uint32_t first = g->n_callable ? gen_upto(g, g->n_callable) : 0;

	for (uint32_t i = 0; i < g->n_callable; i++) {
		uint32_t id = (first + i) % g->n_callable;
		const struct function *fn = &g->p->fn[id];
		struct expr *x;

		if (fn->n_results != 1 || fn->result[0] != type || fn->stores || fn->shared ||
		    fn->has_local || fn->syncs)
			continue;
		if ((x = gen_call(g, id, depth, flags))) {
			gen_has(g, HAS_FN_IN_EXPR);
			return x;
		}
	}
	return NULL;
}
