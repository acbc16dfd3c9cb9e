/* Groups of lanes. */
#include "exec.h"

void
group_add(struct warp *w, uint32_t pc, uint32_t mask, uint64_t steps)
{
	w->group[w->n_groups++] = (struct group){ .pc = pc, .mask = mask, .steps = steps };
}

void
group_drop(struct warp *w, uint32_t g)
{
	w->group[g] = w->group[--w->n_groups];
}

bool
group_gather(struct run *r, struct warp *w, uint32_t *at, uint32_t want)
{
	uint32_t need = want & w->alive, pc = w->group[*at].pc, have = w->group[*at].mask;

	if (r->converged) {
		if (!(need & ~have))
			return true;
	}
	for (uint32_t g = 0; g < w->n_groups; g++)
		if (g != *at && w->group[g].pc == pc && w->group[g].state == G_SYNC &&
		    w->group[g].want == want)
			have |= w->group[g].mask;
	if (need & ~have)
		return false;
	struct group *me = &w->group[*at];

	me->mask = have;
	for (uint32_t g = w->n_groups; g-- > 0;) {
		struct group *o = &w->group[g];

		if (g == *at || o->pc != pc || o->state != G_SYNC || o->want != want)
			continue;
		if (o->steps > me->steps)
			me->steps = o->steps;
		/* group_drop moves the last group to g; it may be this one. */
		group_drop(w, g);
		if (*at == w->n_groups) {
			*at = g;
			me = &w->group[g];
		}
	}
	return true;
}
