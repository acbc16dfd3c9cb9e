/* Operations of a warp: of the subgroup, or of each 32 lanes of a larger one. Members are given
 * by masks that may differ from lane to lane. An active lane named in a mask must pass the same
 * mask; otherwise it is a finding. */
#include "interp.h"

/* Returns the first lane of a lane's warp. */
static uint32_t
warp_of(uint32_t lane)
{
	return lane & ~(uint32_t)(WARP_LANES - 1);
}

static uint32_t
active_lanes(const struct wave *w, uint32_t base)
{
	return (uint32_t)(w->active.w[base >> 6] >> (base & 63));
}

static void
report_members(struct wave *w, uint32_t at, uint32_t lane, const uint64_t *members)
{
	uint32_t mask = (uint32_t)members[lane], base = warp_of(lane);
	uint32_t others = mask & active_lanes(w, base), other = 0;
	const char *name = interp_name(&w->run->ir->ins[at]);

	if (!(mask >> (lane - base) & 1)) {
		interp_report(w, REPORT_FINDING, at, lane,
			      "%s: the mask 0x%08x does not include lane %u, which executes it", name, mask,
			      lane - base);
		return;
	}
	while (other < WARP_LANES && (!(others >> other & 1) || members[base + other] == mask))
		other++;
	if (other < WARP_LANES)
		interp_report(
			w, REPORT_FINDING, at, lane,
			"%s: the mask 0x%08x of lane %u includes lane %u, whose mask is 0x%08x",
			name, mask, lane - base, other, (uint32_t)members[base + other]);
}

/* Checks the masks of the active lanes and returns them. */
static const uint64_t *
members_of(struct wave *w, uint32_t at)
{
	const struct ins *i = &w->run->ir->ins[at];
	uint32_t v = i->arg[op_sig((enum op)i->op)->members];
	uint32_t log2 = w->run->log2_lanes < WARP_LOG2 ? w->run->log2_lanes : WARP_LOG2;
	const uint64_t *members = wave_row(w, v);

	interp_check_converged(w, at, log2, MAX_LANE);
	interp_use(w, at, v, w->active, "the mask");
	for (uint32_t l = 0; l < w->n_threads; l++)
		if (mask_has(&w->active, l) && (uint32_t)members[l] != UINT32_MAX)
			report_members(w, at, l, members);
	return members;
}

/* Returns the active members of an active lane's mask. */
static uint32_t
here(const struct wave *w, const uint64_t *members, uint32_t lane)
{
	return (uint32_t)members[lane] & active_lanes(w, warp_of(lane));
}

void
interp_match(struct wave *w, uint32_t at)
{
	const struct ins *i = &w->run->ir->ins[at];
	bool all = op_info[i->op].combine == OP_AND;
	const uint64_t *members = members_of(w, at), *v = wave_row(w, i->a);
	uint64_t *r = wave_row(w, at), *yes = r + w->run->n_lanes;

	interp_use(w, at, i->a, w->active, "the operand");
	for (uint32_t l = 0; l < w->n_threads; l++) {
		uint32_t mask = mask_has(&w->active, l) ? here(w, members, l) : 0, like = 0;

		for (uint32_t j = 0; j < WARP_LANES; j++)
			like |= (uint32_t)((mask >> j & 1) && v[warp_of(l) + j] == v[l]) << j;
		r[l] = !all || like == mask ? like : 0;
		if (all)
			yes[l] = like == mask;
	}
}

void
interp_vote_members(struct wave *w, uint32_t at)
{
	const struct ins *i = &w->run->ir->ins[at];
	const uint64_t *members = members_of(w, at), *p = wave_row(w, i->a);
	uint64_t *r = wave_row(w, at);

	interp_use(w, at, i->a, w->active, "the predicate");
	for (uint32_t l = 0; l < w->n_threads; l++) {
		uint32_t mask = mask_has(&w->active, l) ? here(w, members, l) : 0, yes = 0;

		for (uint32_t j = 0; j < WARP_LANES; j++)
			yes |= (uint32_t)((mask >> j & 1) && p[warp_of(l) + j]) << j;
		switch (op_info[i->op].combine) {
		case OP_AND: r[l] = yes == mask; break;
		case OP_OR: r[l] = yes != 0; break;
		case OP_EQ: r[l] = yes == mask || !yes; break;
		default: r[l] = yes; break;
		}
	}
}

void
interp_elect_member(struct wave *w, uint32_t at)
{
	const uint64_t *members = members_of(w, at);
	uint64_t *r = wave_row(w, at);

	for (uint32_t l = 0; l < w->n_threads; l++)
		r[l] = mask_has(&w->active, l) &&
		       !(here(w, members, l) & ((1u << (l - warp_of(l))) - 1));
}

/* -- Shuffles in segments ---------------------------------------------------------------- */

/* Returns the source lane; *in: it is in range. As in PTX, the bits `seg` of a lane's number
 * select its segment. A shuffle up is limited by the segment's first lane, the others by its
 * last. */
static uint32_t
source(enum op op, uint32_t lane, uint32_t operand, uint32_t log2_width, bool *in)
{
	uint32_t seg = WARP_LANES - (1u << log2_width), n = operand % WARP_LANES, from;
	uint32_t first = lane & seg, last = first | (WARP_LANES - 1 - seg);

	switch (op) {
	case OP_SHFL_UP:
		*in = lane - first >= n;
		return *in ? lane - n : lane;
	case OP_SHFL_DOWN: from = lane + n; break;
	case OP_SHFL_BFLY: from = lane ^ n; break;
	default: from = first | (n & ~seg); break;
	}
	*in = from <= last;
	return *in ? from : lane;
}

void
interp_shfl(struct wave *w, uint32_t at)
{
	const struct ins *i = &w->run->ir->ins[at];
	enum op op = (enum op)(op_info[i->op].combine ? op_info[i->op].combine : i->op);
	const uint64_t *members = members_of(w, at), *n = wave_row(w, i->c);
	uint64_t *r = wave_row(w, at), *yes = r + w->run->n_lanes;
	bool in;

	interp_use(w, at, i->c, w->active, "the lane index");
	w->undefined[w->run->fn->mark[at]] = (struct mask){ { 0, 0 } };
	for (uint32_t l = 0; l < w->n_threads; l++) {
		uint32_t base = warp_of(l), from;

		r[l] = 0;
		if (!mask_has(&w->active, l))
			continue;
		from = source(op, l - base, (uint32_t)n[l], i->x, &in);
		if (op != i->op)
			yes[l] = in;
		if (base + from < w->run->n_lanes)
			interp_take(w, at, l, base + from, members[l] >> from & 1);
		else /* a narrower warp has no such lane */
			interp_take(w, at, l, from, false);
	}
}

/* -- Reductions ----------------------------------------------------------------------------- */

void
interp_redux(struct wave *w, uint32_t at)
{
	const struct ins *i = &w->run->ir->ins[at];
	enum op op = (enum op)op_info[op_info[i->op].combine].combine;
	const uint64_t *members = members_of(w, at), *v = wave_row(w, i->a);
	uint64_t *r = wave_row(w, at);

	interp_use(w, at, i->a, w->active, "the operand");
	for (uint32_t l = 0; l < w->n_threads; l++) {
		uint32_t mask = mask_has(&w->active, l) ? here(w, members, l) : 0;
		bool any = false;

		r[l] = 0;
		for (uint32_t j = 0; j < WARP_LANES; j++) {
			uint64_t x;

			if (!(mask >> j & 1))
				continue;
			x = v[warp_of(l) + j];
			r[l] = any ? ir_eval(op, i->type, i->type, r[l], x, 0) : x;
			any = true;
		}
	}
}

/* -- Waiting ----------------------------------------------------------------------------------- */

void
interp_syncwarp(struct wave *w, uint32_t at)
{
	members_of(w, at);
	interp_sync(w, at);
}
