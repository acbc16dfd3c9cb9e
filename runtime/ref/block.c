/* A block. Its subgroups run one after the other, each to its end. If threads wait for others or
 * read what others write concurrently, the subgroups take turns. A turn ends at a barrier or
 * after TURN operations, so a subgroup that spins on another one's write makes progress. */
#include "interp.h"

enum { TURN = 4096 /* operations of a subgroup */ };

/* -- Shared arrays ------------------------------------------------------------------ */

bool
interp_bind_shared(struct run *r, struct arena *mem)
{
	const struct qd_kernel *k = r->image->kernel;

	for (uint32_t i = k->n_params; i < k->n_mems; i++) {
		const struct memory *m = &k->mems[i];
		struct bound_param *p = &r->params[i];

		p->size = type_info[m->type].size;
		p->elements = m->len;
		if (m->space == SPACE_TABLE) {
			uint8_t *data = arena_alloc(mem, ir_table_size(m));

			if (!data)
				return false;
			p->mem = memcpy(data, m->data, ir_table_size(m));
			continue;
		}
		p->writable = true;
		p->n_cells = 1;
		p->mem = arena_alloc(mem, (size_t)m->len * p->size);
		p->known = arena_alloc(mem, m->len);
		p->cells = arena_alloc(mem, m->len * sizeof *p->cells);
		if (!p->mem || !p->known || !p->cells)
			return false;
	}
	return true;
}

/* Marks all elements of the shared arrays as not written. */
static void
forget_shared(struct run *r)
{
	const struct qd_kernel *k = r->image->kernel;

	for (uint32_t i = k->n_params; i < k->n_mems; i++) {
		struct bound_param *p = &r->params[i];

		if (!p->known)
			continue;
		memset(p->known, 0, p->elements);
		memset(p->cells, 0, p->elements * sizeof *p->cells);
	}
}

static uint64_t
shared_bytes(const struct run *r)
{
	const struct qd_kernel *k = r->image->kernel;
	uint64_t n = 0;

	for (uint32_t i = k->n_params; i < k->n_mems; i++)
		n += r->params[i].known ? r->params[i].elements * (1 + sizeof *r->params[i].cells) : 0;
	return n;
}

/* -- Order of accesses ----------------------------------------------------------------- */

/* Returns the next tick of the clock. When the ticks run out, race detection is disabled. */
static uint32_t
tick(struct run *r)
{
	r->blind = r->blind || r->clock == CLOCK_MAX;
	return r->blind ? r->clock : ++r->clock;
}

void
interp_release(struct wave *w, enum mem_scope scope)
{
	struct run *r = w->run;

	r->released = tick(r);
	if (scope == MEM_DEVICE || scope == MEM_SYSTEM)
		r->far_released[(w->block - r->block_base) % r->n_far] = r->clock;
}

void
interp_acquire(struct wave *w, enum mem_scope scope)
{
	struct run *r = w->run;

	r->acquired = tick(r);
	if (scope == MEM_DEVICE || scope == MEM_SYSTEM)
		r->far_acquired = r->clock;
}

void
interp_fence(struct wave *w, uint32_t at)
{
	const struct ins *i = &w->run->ir->ins[at];
	enum mem_order order = ir_order(i);

	if (order != MEM_ACQUIRE)
		interp_release(w, ir_scope(i));
	if (order != MEM_RELEASE)
		interp_acquire(w, ir_scope(i));
}

/* -- Barriers ---------------------------------------------------------------------------- */

void
interp_sync(struct wave *w, uint32_t at)
{
	const struct run *r = w->run;
	bool block = op_info[r->ir->ins[at].op].scope == SCOPE_BLOCK;

	interp_check_converged(w, at, r->log2_lanes, MAX_LANE);
	if (block)
		w->waits = at;
	else
		w->met = tick(w->run);
	if (mask_empty(mask_less(w->all, w->ordinary)))
		w->met_all = w->met;
}

static bool
is_inside_grid(const struct run *r, uint32_t at)
{
	uint32_t grid = r->ir->n;

	while (--grid > 0 && r->ir->ins[grid].op != OP_GRID)
		;
	return grid && at > grid && at < ir_end_of(r->ir, grid);
}

/* Releases the barrier that all subgroups of the block wait at. A subgroup that waits at another
 * barrier or has ended is a finding; the exception is one of padding threads only, at a barrier in
 * the grid loop. */
static void
meet(struct run *r, struct wave *waves)
{
	struct wave *first = NULL;
	bool inside = false;

	for (uint32_t s = 0; s < r->n_subgroups; s++) {
		struct wave *w = &waves[s];

		if (w->waits && (!first || (!inside && is_inside_grid(r, w->waits)))) {
			first = w;
			inside = is_inside_grid(r, w->waits);
		}
	}
	if (!first)
		return;
	for (uint32_t s = 0; s < r->n_subgroups; s++) {
		const struct wave *w = &waves[s];

		if (w->waits == first->waits || (inside && w->skipped))
			continue;
		r->stopped = true;
		interp_report(first, REPORT_FINDING, first->waits, 0,
			      "subgroup %u %s, but this thread waits for it: all threads of a "
			      "block must execute %s together",
			      s, w->waits ? "waits at a different barrier" : "has ended",
			      op_info[r->ir->ins[first->waits].op].text);
		return;
	}
	uint32_t at = first->waits;
	if (op_info[r->ir->ins[at].op].effect == EFFECT_SYNC) {
		r->met = tick(r);
		if (!inside)
			r->met_all = r->met;
	}
	interp_together(r, waves, at);
	for (uint32_t s = 0; s < r->n_subgroups; s++)
		if (waves[s].waits == at)
			waves[s].waits = 0;
}

/* -- Turns --------------------------------------------------------------------------------- */

static bool
is_over(const struct wave *w)
{
	return w->pc >= w->run->ir->n;
}

static void
take_turn(struct wave *w)
{
	struct run *r = w->run;
	uint64_t n;

	if (!w->left) {
		interp_endless(w, w->pc);
		return;
	}
	n = meter_ask(r->meter, w->left < TURN ? w->left : TURN);
	r->stopped = !n;
	w->turn = n;
	if (n)
		interp_wave_run(w);
	n -= w->turn;
	meter_made(r->meter, n);
	w->left -= n;
}

static void
run_in_turns(struct run *r, struct wave *waves)
{
	bool more = true;

	while (more && !r->stopped) {
		bool ran = false;

		more = false;
		for (uint32_t s = 0; s < r->n_subgroups && !r->stopped; s++) {
			struct wave *w = &waves[s];

			if (!w->waits && !is_over(w)) {
				take_turn(w);
				ran = true;
			}
			more = more || w->waits || !is_over(w);
		}
		if (!ran)
			meet(r, waves);
	}
}

void
interp_run_blocks(struct run *r, struct wave *waves)
{
	const uint64_t shared = shared_bytes(r);

	for (uint32_t b = 0; b < r->n_blocks && !r->stopped; b++) {
		if (!meter_block(r->meter, shared))
			break;
		forget_shared(r);
		r->met = r->met_all = r->released = r->acquired = r->far_acquired = 0;
		for (uint32_t s = 0; s < r->n_subgroups && !r->stopped; s++) {
			struct wave *w = &waves[r->fn->in_turns ? s : 0];

			interp_wave_start(w, r->block_base + b, s);
			while (!r->fn->in_turns && !is_over(w) && !r->stopped)
				take_turn(w);
		}
		if (r->fn->in_turns)
			run_in_turns(r, waves);
	}
}
