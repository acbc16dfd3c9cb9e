/* Variables. A variable whose type takes two words becomes two variables. */
#include "prim.h"

uint32_t
prim_high_var(const struct lg *l, uint32_t var)
{
	return l->hi ? l->hi[var] : 0;
}

static bool
make_high(struct lg *l, uint32_t var, uint32_t init)
{
	if (!l->hi && !(l->hi = arena_zalloc(l->p->mem, l->w.in->n * sizeof *l->hi))) {
		l->w.o.nomem = true;
		return false;
	}
	l->hi[var] = rw_var(&l->w, init);
	return true;
}

void
expand_local(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	uint32_t *map = l->w.map, var = s->op == OP_VAR ? i : s->a;
	qd_type t = (qd_type)l->w.in->ins[var].type;
	struct pair v;

	if (!lg_two_words(l, t)) {
		rw_copy(&l->w, i);
		return;
	}
	switch (s->op) {
	case OP_VAR:
		v = pair_split(l, map[s->a]);
		if (make_high(l, i, v.hi))
			map[i] = rw_var(&l->w, v.lo);
		break;
	case OP_GET:
		v.lo = rw_get(&l->w, map[var]);
		v.hi = rw_get(&l->w, prim_high_var(l, var));
		map[i] = pair_join(l, v, t);
		break;
	default: /* SET */
		v = pair_split(l, map[s->b]);
		rw_set(&l->w, map[var], v.lo);
		rw_set(&l->w, prim_high_var(l, var), v.hi);
	}
}
