/* State of the generator: visible variables, and open constructs. */
#include <stdlib.h>
#include <string.h>

#include "program_gen.h"

enum { MAX_COST = 20000 };

struct chunk {
	struct chunk *next;
	size_t used;
	_Alignas(16) char mem[1 << 16];
};

void *
gen_alloc(struct program *p, size_t size)
{
	void *r;

	size = (size + 15) & ~(size_t)15;
	if (!p->mem || p->mem->used + size > sizeof p->mem->mem) {
		struct chunk *c = calloc(1, sizeof *c);

		if (!c) {
			fputs("out of memory\n", stderr);
			exit(4);
		}
		c->next = p->mem;
		p->mem = c;
	}
	r = p->mem->mem + p->mem->used;
	p->mem->used += size;
	return r;
}

void
program_free(struct program *p)
{
	while (p && p->mem) {
		struct chunk *next = p->mem->next;

		free(p->mem);
		p->mem = next;
	}
	free(p);
}

/* -- Random numbers ---------------------------------------------------------------- */

uint32_t
gen_upto(struct gen *g, uint32_t n)
{
	return (uint32_t)(random_u64(&g->rng) >> 33) % n;
}

bool
gen_one_in(struct gen *g, uint32_t n)
{
	return gen_upto(g, n) == 0;
}

qd_type
gen_type(struct gen *g)
{
	static const uint8_t types[] = { QD_TYPE_U32, QD_TYPE_U32, QD_TYPE_I32,
					 QD_TYPE_I32, QD_TYPE_F32, QD_TYPE_I64 };

	if (g->p->has_u64 && gen_one_in(g, 6))
		return QD_TYPE_U64;
	if (g->p->has_f64 && gen_one_in(g, 5))
		return QD_TYPE_F64;
	return types[gen_upto(g, sizeof types)];
}

bool
gen_shaped(const struct gen *g)
{
	return g->in_kernel || g->f->shaped;
}

static qd_type
widened(qd_type type)
{
	switch (type) {
	case QD_TYPE_I8:
	case QD_TYPE_I16: return QD_TYPE_I32;
	case QD_TYPE_U8:
	case QD_TYPE_U16: return QD_TYPE_U32;
	case QD_TYPE_F16:
	case QD_TYPE_BF16: return QD_TYPE_F32;
	default: return type;
	}
}

qd_type
array_value(const struct array *a)
{
	return widened(a->type);
}

qd_type
shared_value(const struct shared *a)
{
	return widened(a->type);
}

void
gen_has(struct gen *g, enum trait t)
{
	g->p->traits[t / 64] |= UINT64_C(1) << t % 64;
}

bool
program_has(const struct program *p, enum trait t)
{
	return p->traits[t / 64] >> t % 64 & 1;
}

bool
gen_affords(const struct gen *g, uint32_t size)
{
	return g->f->size + size * g->inlined <= g->max_size &&
	       g->cost + size * g->rounds < MAX_COST && g->f->n_vars + 16 < MAX_VARS;
}

/* -- Names ----------------------------------------------------------------------------- */

uint16_t
gen_variable(struct gen *g, qd_type type)
{
	uint16_t id = (uint16_t)g->f->n_vars++;

	g->f->var[id] = (struct variable){ .type = type, .name = id };
	return id;
}

/* Makes the variable visible. Sometimes it takes the name of a variable in an outer scope and
 * hides that, except where the kernel stores its final values. */
void
gen_show(struct gen *g, uint16_t id, bool is_var, uint32_t same)
{
	uint32_t i = gen_upto(g, 8 * g->n_see + 1);

	if (i < g->n_see && !g->see[i].hidden_by && g->see[i].scope < g->scope &&
	    g->scope > (g->in_kernel ? GRID_SCOPE : 1) && g->see[i].id != g->here &&
	    g->see[i].id != g->at) {
		g->f->var[id].name = g->f->var[g->see[i].id].name;
		g->see[i].hidden_by = (uint16_t)g->n_see;
		gen_has(g, HAS_SHADOW);
	}
	g->see[g->n_see++] = (struct visible){ .id = id,
					       .is_var = is_var,
					       .same = (uint8_t)same,
					       .scope = (uint16_t)g->scope,
					       .in_grid = gen_inside(g, LV_GRID) };
}

uint32_t
gen_scope_open(struct gen *g)
{
	g->scope++;
	return g->n_see;
}

void
gen_scope_close(struct gen *g, uint32_t mark)
{
	g->scope--;
	g->n_see = mark;
	for (uint32_t i = 0; i < mark; i++)
		if (g->see[i].hidden_by >= mark)
			g->see[i].hidden_by = 0;
}

/* Returns whether an assignment is possible. It needs control flow as uniform as the variable. In
 * a grid loop, padding threads would keep the old value of an outer variable. */
static bool
may_set(const struct gen *g, const struct visible *v)
{
	bool here = v->same == SAME_BLOCK ? gen_whole(g) : gen_uniform(g);

	return !v->same || (here && v->in_grid == gen_inside(g, LV_GRID));
}

uint16_t
gen_pick(struct gen *g, qd_type type, uint32_t same, bool to_set)
{
	uint16_t found = NO_VAR;
	uint32_t n = 0;

	for (uint32_t i = 0; i < g->n_see; i++) {
		const struct visible *v = &g->see[i];

		if (v->hidden_by || g->f->var[v->id].type != type || v->same < same ||
		    (to_set && (!v->is_var || v->same != same || !may_set(g, v))))
			continue;
		if (gen_one_in(g, ++n))
			found = v->id;
	}
	return found;
}

/* -- Control flow -------------------------------------------------------------------------- */

struct level *
gen_open(struct gen *g, enum level_kind kind, bool uniform, bool calm)
{
	struct level *l = &g->open[g->n_open++];

	*l = (struct level){ .kind = (uint8_t)kind, .uniform = uniform, .calm = calm };
	l->whole = kind == LV_PHASES;
	return l;
}

bool
gen_uniform(const struct gen *g)
{
	for (uint32_t i = 0; i < g->n_open; i++) {
		const struct level *l = &g->open[i];
		bool loop = l->kind == LV_LOOP || l->kind == LV_UNROLL;

		if (!l->uniform)
			return false;
		if (l->calm || l->kind == LV_IF || l->kind == LV_PHASES)
			continue;
		if (!CALLS_BEFORE_JUMPS || l->left || (loop && !l->only_round))
			return false;
	}
	return true;
}

bool
gen_whole(const struct gen *g)
{
	for (uint32_t i = 0; i < g->n_open; i++)
		if (!g->open[i].whole)
			return false;
	return true;
}

uint32_t
gen_any_same(struct gen *g, uint32_t one_in)
{
	if (!gen_uniform(g) || !gen_one_in(g, one_in))
		return SAME_NOWHERE;
	return gen_whole(g) && gen_one_in(g, 2) ? SAME_BLOCK : SAME_SUBGROUP;
}

bool
gen_inside(const struct gen *g, enum level_kind kind)
{
	for (uint32_t i = 0; i < g->n_open; i++)
		if (g->open[i].kind == kind)
			return true;
	return false;
}

uint32_t
gen_n_loops(const struct gen *g)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < g->n_open; i++)
		n += g->open[i].kind == LV_LOOP || g->open[i].kind == LV_UNROLL;
	return n;
}
