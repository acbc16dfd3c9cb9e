/* The lockstep machine of lanes.h: what members of a warp do together. */
#include "lanes_part.h"

/* Of the warp from thread `first` on a bit for each lane that acts. */
static uint32_t
acting(const struct lanes *x, const bool *act, uint32_t first)
{
	uint32_t size = x->m->subgroup_size, bits = 0;

	for (uint32_t j = 0; j < WARP_LANES && j < size; j++)
		bits |= (uint32_t)act[first + j] << j;
	return bits;
}

/* First thread of t's warp. */
static uint32_t
warp_of(const struct lanes *x, uint32_t t)
{
	uint32_t size = x->m->subgroup_size;

	return t - t % (size < WARP_LANES ? size : WARP_LANES);
}

/* Of the lanes that take part those that t names, which name the same ones. */
static uint32_t
members(struct lanes *x, const struct ins *s, const bool *act, uint32_t t)
{
	const uint64_t *mask = lanes_at(x, s->arg[op_sig((enum op)s->op)->members]);
	uint32_t first = warp_of(x, t), here = acting(x, act, first) & (uint32_t)mask[t];

	if (!(here >> (t - first) & 1))
		lanes_fault(x, "thread %u is none of its members", t);
	for (uint32_t j = 0; j < WARP_LANES; j++)
		if ((here >> j & 1) && mask[first + j] != mask[t])
			lanes_fault(x, "threads %u and %u name other members", t, first + j);
	return here;
}

static uint32_t
like(const struct lanes *x, uint32_t v, uint32_t of, uint32_t t)
{
	const uint64_t *a = lanes_at(x, v);
	uint32_t first = warp_of(x, t), bits = 0;

	for (uint32_t j = 0; j < WARP_LANES; j++)
		bits |= (uint32_t)((of >> j & 1) && a[first + j] == a[t]) << j;
	return bits;
}

void
lanes_match(struct lanes *x, uint32_t i, const struct ins *s, const bool *act)
{
	bool word = s->op == OP_MATCH_WORD, all = word ? s->x == MATCH_ALL : s->op == OP_MATCH_ALL;

	for (uint32_t t = 0; t < x->n_threads; t++) {
		if (!act[t])
			continue;
		uint32_t of = word ? acting(x, act, warp_of(x, t)) : members(x, s, act, t);
		uint32_t same = like(x, s->a, of, t), bits = !all || same == of ? same : 0;

		lanes_at(x, i)[t] = bits;
		if (s->op == OP_MATCH_ALL) {
			lanes_result(x, i, 0)[t] = bits;
			lanes_result(x, i, 1)[t] = bits != 0;
		}
	}
}
