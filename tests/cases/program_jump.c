/* Generation of jumps: break, continue, return. */
#include "program_gen.h"

static bool
is_loop(const struct level *l)
{
	return l->kind == LV_LOOP || l->kind == LV_UNROLL;
}

/* Returns the innermost construct that break or continue refers to, or NULL. */
static struct level *
innermost(struct gen *g)
{
	for (uint32_t i = g->n_open; i-- > 0;)
		if (is_loop(&g->open[i]) || g->open[i].kind == LV_GRID)
			return &g->open[i];
	return NULL;
}

/* Returns whether no barrier for all threads follows, here or in the next iteration. */
static bool
may_leave(const struct gen *g, const struct level *in)
{
	for (const struct level *l = in; l < &g->open[g->n_open]; l++)
		if (l->kind == LV_PHASES)
			return false;
	return !in->whole || gen_whole(g);
}

static bool
may_return(struct gen *g)
{
	bool uniform = gen_uniform(g), whole = gen_whole(g);

	if (!CALM_EXITS && (gen_n_loops(g) || gen_inside(g, LV_GRID)) && g->open[0].calm)
		return false;
	for (uint32_t i = 0; i < g->n_open; i++) {
		const struct level *l = &g->open[i];

		if (l->kind == LV_PHASES)
			return false;
		if (l->kind != LV_IF && !uniform && (l->calm || (is_loop(l) && l->only_round)))
			return false;
		if (l->kind != LV_IF && l->whole && !whole)
			return false;
	}
	/* Only padding threads would reach the code after the grid loop. */
	if (gen_inside(g, LV_GRID) && g->has_tail && g->open[0].calm)
		return false;
	/* A kernel may return early only in its grid loop or after it. */
	return !g->in_kernel || !g->p->grid_type || g->grid_seen;
}

void
gen_return(struct gen *g, struct stmts *l)
{
	struct stmt *s = stmts_add(g, l, S_RETURN);

	s->n = (uint8_t)g->f->n_results;
	for (uint32_t i = 0; i < s->n; i++)
		s->e[i] = x_varies(g, gen_value(g, g->f->result[i], gen_flags(g)));
}

static void
note_return(struct gen *g)
{
	uint32_t loops = gen_n_loops(g);
	bool varying = !gen_uniform(g);

	gen_has(g, g->in_kernel ? HAS_KERNEL_RETURN : HAS_EARLY_RETURN);
	if (loops)
		gen_has(g, HAS_RETURN_IN_LOOP);
	if (loops > 1)
		gen_has(g, HAS_RETURN_IN_NESTED);
	for (uint32_t i = 0; i < g->n_open; i++)
		g->open[i].left |= varying;
	g->grid_left |= gen_inside(g, LV_GRID);
}

static void
note_jump(struct gen *g, struct level *in, bool is_break)
{
	if (in->kind == LV_UNROLL)
		gen_has(g, is_break ? HAS_UNROLL_BREAK : HAS_UNROLL_CONTINUE);
	else if (in->kind == LV_GRID)
		gen_has(g, HAS_GRID_CONTINUE);
	else
		gen_has(g, is_break ? HAS_BREAK : HAS_CONTINUE);
	if (is_break && gen_n_loops(g) > 1)
		gen_has(g, HAS_BREAK_NESTED);
	in->left |= !gen_uniform(g);
}

/* which: 0 break, 1 continue, 2 return. */
static void
jump(struct gen *g, struct stmts *l, uint32_t which)
{
	struct level *in = innermost(g);
	bool rough = in && (gen_uniform(g) || !in->calm) && may_leave(g, in);
	bool may_break;

	if (rough && !CALM_EXITS && in->kind == LV_UNROLL && in->calm)
		rough = false;
	may_break = rough && in->kind != LV_GRID && (gen_uniform(g) || !in->only_round);

	if (which == 0 && may_break) {
		stmts_add(g, l, S_BREAK);
		note_jump(g, in, true);
	} else if (which == 1 && rough) {
		stmts_add(g, l, S_CONTINUE);
		note_jump(g, in, false);
	} else if (which == 2 && may_return(g)) {
		gen_return(g, l);
		note_return(g);
	}
}

void
gen_jump(struct gen *g, struct stmts *l)
{
	jump(g, l, gen_upto(g, 3));
}

void
gen_leave(struct gen *g, struct stmts *l)
{
	uint32_t first = gen_upto(g, 2);

	jump(g, l, first);
	if (!l->first)
		jump(g, l, 1 - first);
	if (!l->first && gen_one_in(g, 3))
		jump(g, l, 2);
}
