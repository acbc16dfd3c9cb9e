/* Barriers of a block (PTX ISA 9.0, 9.7.13.1). A warp counts with all 32 threads once all lanes
 * that have not ended have arrived. */
#include "profiling.h"
#include "table.h"

const struct bar_op bar_sync = { true, true, false }, bar_arrive = { true, false, false },
		    bar_red = { true, true, true }, barrier_sync = { false, true, false },
		    barrier_arrive = { false, false, false }, barrier_red = { false, true, true };

static uint32_t
arrived(const struct run *r, const struct block *b, uint32_t id)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < r->n_warps; k++) {
		const struct warp *w = &b->warps[k];
		uint32_t m = w->bar_mask[id];

		n += m && !(w->alive & ~m) ? 32 : popcount(m);
	}
	return n;
}

static void
give_result(struct warp *w, const struct insn *i, const struct bar *bar, uint32_t act)
{
	if (i->form->op[0] == OP_POPC) {
		uint32_t *d = dst_at(w, i->o[0]);

		EACH_LANE(l, act)
		d[l] = bar->n_true;
		poison_set(w, i->o[0], act, 0);
		return;
	}
	bool yes = i->form->op[0] == OP_AND ? bar->n_true == bar->n_voted : bar->n_true != 0;

	pred_set(w, i->o[0], act, yes ? UINT32_MAX : 0, 0);
}

/* Releases the waiting groups if enough threads have arrived. */
static bool
complete(struct run *r, struct block *b, uint32_t id)
{
	struct bar *bar = &b->bar[id];
	uint32_t want = bar->expect ? bar->expect : 32 * b->n_alive;
	const struct insn *code = r->code;

	if (!bar->busy || arrived(r, b, id) < want)
		return false;
	for (uint32_t k = 0; k < r->n_warps; k++) {
		struct warp *w = &b->warps[k];

		for (uint32_t g = 0; g < w->n_groups; g++) {
			struct group *at = &w->group[g];

			if (at->state != G_BAR || at->bar != id)
				continue;
			if (((const struct bar_op *)code[at->pc].form->table)->reduces)
				give_result(w, &code[at->pc], bar, at->mask);
			if (w->profile)
				ptx_profile_resume(w, bar);
			at->pc++;
			at->state = G_RUN;
		}
		w->bar_mask[id] = 0;
	}
	*bar = (struct bar){ 0 };
	return true;
}

enum bar_result
exec_bar(struct run *r, struct warp *w, const struct insn *i, uint32_t act, uint8_t *id)
{
	const struct bar_op *op = i->form->table;
	uint32_t lane = qd_lowest_bit(act), number, expect = 0;
	struct opnd which = i->o[i->n_dst], count = i->o[i->n_dst + 1];
	struct block *b = w->block;

	if (!CHECK_POISON(r, w, i, which, act, "the barrier number"))
		return BAR_FAIL;
	const uint32_t *numbers = src_at(r, w, which);

	number = numbers[lane];
	EACH_LANE(l, act)
	if (numbers[l] != number) {
		find_lane(r, w, i, l, "lanes specify different barriers: %u and %u", number,
			  numbers[l]);
		return BAR_FAIL;
	}
	if (number >= N_BARS) {
		find_lane(r, w, i, lane, "barrier %u is out of range: expected 0 to 15", number);
		return BAR_FAIL;
	}
	if (count.slot != NO_SLOT) {
		if (!CHECK_POISON(r, w, i, count, act, "the thread count"))
			return BAR_FAIL;
		expect = ((const uint32_t *)src_at(r, w, count))[lane];
		if (!expect || expect % 32 || expect > 32 * r->n_warps) {
			find_lane(
				r, w, i, lane,
				"barrier thread count %u: expected a multiple of 32 from 32 to %u",
				expect, 32 * r->n_warps);
			return BAR_FAIL;
		}
	}
	struct bar *bar = &b->bar[number];

	if (bar->busy && bar->expect != expect) {
		find_lane(r, w, i, lane,
			  "barrier %u expects %u threads, but this instruction specifies %u",
			  number, bar->expect ? bar->expect : 32 * b->n_alive,
			  expect ? expect : 32 * b->n_alive);
		return BAR_FAIL;
	}
	bar->busy = true;
	bar->expect = expect;
	if (op->reduces) {
		struct opnd p = i->o[i->n_dst + 2];

		if (!CHECK_POISON(r, w, i, p, act, "the predicate"))
			return BAR_FAIL;
		bar->n_true += popcount(pred_value(r, w, i, 2) & act);
		bar->n_voted += popcount(act);
	}
	w->bar_mask[number] |= act;
	if (w->profile)
		ptx_profile_arrive(w, bar);
	if (!op->waits) {
		complete(r, b, number);
		return BAR_GO;
	}
	*id = (uint8_t)number;
	/* complete() resets the barrier and skips this group, whose pc the caller advances. */
	struct bar now = *bar;

	if (!complete(r, b, number))
		return BAR_WAIT;
	if (op->reduces)
		give_result(w, i, &now, act);
	if (w->profile)
		ptx_profile_resume(w, &now);
	return BAR_GO;
}

void
bar_lanes_gone(struct run *r, struct block *b)
{
	for (uint32_t id = 0; id < N_BARS; id++)
		if (b->n_alive && b->bar[id].busy)
			complete(r, b, id);
}
