/* Findings: violations by a launch, with position in the text, thread and block. */
#include <stdio.h>

#include "exec.h"

bool
find_lane(struct run *r, const struct warp *w, const struct insn *i, uint32_t lane, const char *fmt,
	  ...)
{
	const uint32_t *b = r->l->block, *at = w->block->index;
	uint32_t t = w->index * 32 + lane;
	char text[512];
	va_list ap;
	int n;

	if (r->status != QD_OK)
		return false;
	n = snprintf(text, sizeof text, "thread (%u, %u, %u) of block (%u, %u, %u): %s: ", t % b[0],
		     t / b[0] % b[1], t / b[0] / b[1], at[0], at[1], at[2],
		     i->form ? i->form->name : "the end of the function");
	va_start(ap, fmt);
	vsnprintf(text + n, sizeof text - (size_t)n, fmt, ap);
	va_end(ap);
	r->status = qd_fail_text(r->err, QD_E_FINDING, i->line, i->col, text, strlen(text));
	return false;
}

bool
find_poison(struct run *r, const struct warp *w, const struct insn *i, uint64_t poison,
	    const char *what)
{
	uint32_t lane = qd_lowest_bit((uint32_t)poison);

	return find_lane(r, w, i, lane,
			 poison >> (32 + lane) & 1 ? "%s comes from an inactive lane"
						   : "%s was never written",
			 what);
}

void
find_stuck(struct run *r, struct block *const *blocks, uint32_t n)
{
	const struct insn *code = r->code;

	for (uint32_t b = 0; b < n; b++) {
		for (uint32_t k = 0; k < r->n_warps; k++) {
			struct warp *w = &blocks[b]->warps[k];
			const struct group *g = &w->group[0];
			const struct insn *i = &code[g->pc];
			uint32_t lane;

			if (!w->n_groups)
				continue;
			lane = qd_lowest_bit(g->mask);
			if (g->state == G_BAR) {
				find_lane(r, w, i, lane,
					  "barrier %u waits for threads that never arrive", g->bar);
				return;
			}
			const struct group *other = NULL;

			for (uint32_t o = 1; o < w->n_groups; o++)
				if (w->group[o].mask & g->want)
					other = &w->group[o];
			if (!other)
				find_lane(r, w, i, lane,
					  "the instruction waits for lanes that never arrive");
			else if (other->pc == g->pc)
				find_lane(r, w, i, lane,
					  "member masks differ: 0x%x here, but lane %u has 0x%x",
					  g->want, qd_lowest_bit(other->mask), other->want);
			else
				find_lane(
					r, w, i, lane,
					"the instruction waits for lane %u, which waits in line %u",
					qd_lowest_bit(other->mask & g->want), code[other->pc].line);
			return;
		}
	}
}
