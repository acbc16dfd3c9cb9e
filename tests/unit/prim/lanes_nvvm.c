/* Lockstep machine of lanes.h: operations of warps. */
#include "lanes_part.h"

/* Returns a bit for each active lane of the warp that begins at thread first. */
static uint32_t
acting(const struct lanes *x, const bool *act, uint32_t first)
{
	uint32_t size = x->m->subgroup_size, bits = 0;

	for (uint32_t j = 0; j < WARP_LANES && j < size; j++)
		bits |= (uint32_t)act[first + j] << j;
	return bits;
}

/* Returns the first thread of t's warp. */
static uint32_t
warp_of(const struct lanes *x, uint32_t t)
{
	uint32_t size = x->m->subgroup_size;

	return t - t % (size < WARP_LANES ? size : WARP_LANES);
}

/* Returns the active lanes among t's members. They must name the same members. */
static uint32_t
members(struct lanes *x, const struct ins *s, const bool *act, uint32_t t)
{
	const uint64_t *mask = lanes_at(x, s->arg[op_sig((enum op)s->op)->members]);
	uint32_t first = warp_of(x, t), here = acting(x, act, first) & (uint32_t)mask[t];

	if (!(here >> (t - first) & 1))
		lanes_fault(x, "thread %u is not one of its members", t);
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

static bool
vote(enum op op, uint32_t yes, uint32_t of)
{
	switch (op) {
	case OP_VOTE_ALL: return yes == of;
	case OP_VOTE_ANY: return yes != 0;
	default: return yes == of || !yes;
	}
}

/* Returns the source lane of a shuffle within its warp. *in is true if it is within the width. */
static uint32_t
partner(enum op op, uint32_t lane, uint32_t n, uint32_t width, bool *in)
{
	uint32_t first = lane / width * width, from;

	if (op == OP_SHFL_UP || op == OP_SHFL_UP_P) {
		*in = lane >= first + n;
		return lane - n;
	}
	from = op == OP_SHFL_DOWN || op == OP_SHFL_DOWN_P   ? lane + n
	       : op == OP_SHFL_BFLY || op == OP_SHFL_BFLY_P ? lane ^ n
							    : first + n % width;
	*in = from < first + width;
	return from;
}

static void
shfl(struct lanes *x, uint32_t i, const struct ins *s, uint32_t t)
{
	uint32_t first = warp_of(x, t), n = (uint32_t)lanes_at(x, s->c)[t] % WARP_LANES, from;
	bool two = op_sig((enum op)s->op)->n_results > 1, in;
	uint64_t *r = two ? lanes_result(x, i, 0) : lanes_at(x, i);

	from = partner((enum op)s->op, t - first, n, 1u << s->x, &in);
	/* In a narrower warp, lanes beyond its size wrap. */
	r[t] = lanes_at(x, s->a)[!in ? t : first + from % x->m->subgroup_size];
	if (two)
		lanes_result(x, i, 1)[t] = in;
}

static uint64_t
redux(struct lanes *x, const struct ins *s, uint32_t of, uint32_t t)
{
	enum op op = (enum op)op_info[op_info[s->op].combine].combine;
	uint32_t first = warp_of(x, t);
	uint64_t total = lanes_at(x, s->a)[t];

	for (uint32_t j = 0; j < WARP_LANES; j++)
		if ((of >> j & 1) && first + j != t)
			total = ir_eval(op, s->type, s->type, total, lanes_at(x, s->a)[first + j], 0);
	return total;
}

void
lanes_warp(struct lanes *x, uint32_t i, const struct ins *s, const bool *act)
{
	for (uint32_t t = 0; t < x->n_threads; t++) {
		uint32_t first = warp_of(x, t), of, yes = 0;

		if (!act[t])
			continue;
		of = members(x, s, act, t);
		for (uint32_t j = 0; j < WARP_LANES; j++)
			yes |= (uint32_t)((of >> j & 1) && lanes_at(x, s->a)[first + j]) << j;
		switch (op_info[s->op].expand) {
		case EXPAND_vote_members:
			lanes_at(x, i)[t] = s->op == OP_VOTE_BALLOT ? yes : vote((enum op)s->op, yes, of);
			break;
		case EXPAND_elect_member: lanes_at(x, i)[t] = !(of & ((1u << (t - first)) - 1)); break;
		case EXPAND_redux: lanes_at(x, i)[t] = redux(x, s, of, t); break;
		default: shfl(x, i, s, t); break;
		}
	}
}
