/* Control flow. Code that no lane enters is skipped. If a lane leaves n constructs, it is
 * inactive up to the end of the outermost one. It is in the mask `gone` of the inner n - 1 frames
 * and in `back` of the outermost; `back` also excludes it from further iterations of a loop. */
#include <assert.h>

#include "interp.h"

struct mask
wave_where(const struct wave *w, uint32_t v)
{
	const uint64_t *c = wave_row(w, v);
	struct mask m = { { 0, 0 } };

	for (uint32_t l = 0; l < w->n_threads; l++)
		if (c[l])
			mask_add(&m, l);
	return mask_and(m, w->active);
}

static struct frame *
top(const struct wave *w)
{
	assert(w->n_frames);
	return &w->frames[w->n_frames - 1];
}

static struct frame *
push(struct wave *w, uint32_t at)
{
	assert(w->n_frames < w->run->fn->n_nest);
	w->frames[w->n_frames++] = (struct frame){
		.opener = at,
		.next = w->run->ir->ins[at].x,
		.outer = w->active,
		.ordinary = w->ordinary,
	};
	return top(w);
}

/* Without an active lane, continues at the innermost open construct's else or end. */
static void
settle(struct wave *w)
{
	if (mask_empty(w->active))
		w->pc = top(w)->next;
}

void
interp_if(struct wave *w, uint32_t at)
{
	uint32_t condition = w->run->ir->ins[at].a;
	struct frame *f = push(w, at);

	interp_use(w, at, condition, w->active, "the condition");
	w->active = wave_where(w, condition);
	f->other = mask_less(f->outer, w->active);
	settle(w);
}

void
interp_else(struct wave *w, uint32_t at)
{
	struct frame *f = top(w);

	w->active = f->other;
	f->next = w->run->ir->ins[at].x;
	settle(w);
}

void
interp_open(struct wave *w, uint32_t at)
{
	push(w, at);
}

static uint64_t
count(qd_type type, uint64_t bits)
{
	bool negative = type_info[type].is_signed && bits >> (type_bits(type) - 1);

	return negative ? 0 : bits;
}

/* Remarks on a count above the number of threads: defined, but probably not intended. */
static void
check_visited(struct wave *w, uint32_t at, uint64_t n)
{
	const struct run *r = w->run;
	uint64_t visited = (uint64_t)r->launch->n_blocks * r->block_dim;

	if (QD_UNLIKELY(n > visited && w->block == 0 && w->subgroup == 0))
		interp_report(w, REPORT_REMARK, at, 0,
			      "the launch has %u block%s of %u: of the %llu indices of this loop, "
			      "the last %llu have no thread",
			      r->launch->n_blocks, r->launch->n_blocks == 1 ? "" : "s",
			      r->block_dim, (unsigned long long)n,
			      (unsigned long long)(n - visited));
}

/* Activates the lanes with an index below the count. */
void
interp_grid(struct wave *w, uint32_t at)
{
	const struct ins *i = &w->run->ir->ins[at];
	const uint64_t *n = wave_row(w, i->a);
	uint64_t *index = wave_row(w, at);
	struct mask in = { { 0, 0 } };

	for (uint32_t l = 0; l < w->n_threads; l++) {
		index[l] = wave_index(w, l);
		if (index[l] < count(i->type, n[l]))
			mask_add(&in, l);
	}
	if (mask_has(&w->active, 0))
		check_visited(w, at, count(i->type, n[0]));
	push(w, at);
	w->active = mask_and(w->active, in);
	w->skipped = mask_empty(w->active);
	w->ordinary = mask_and(w->ordinary, in);
	settle(w);
}

void
interp_break(struct wave *w, uint32_t at)
{
	const struct ins *i = &w->run->ir->ins[at];
	struct mask lanes = i->a ? wave_where(w, i->a) : w->active;
	struct frame *f = top(w);

	interp_use(w, at, i->a, w->active, "the condition");
	for (; f->opener != i->x; f--) {
		assert(f != w->frames);
		f->gone = mask_or(f->gone, lanes);
	}
	f->back = mask_or(f->back, lanes);
	w->active = mask_less(w->active, lanes);
	settle(w);
}

void
interp_end(struct wave *w, uint32_t at)
{
	const struct frame *f = top(w);
	struct mask stay = mask_less(f->outer, f->gone), again = mask_less(stay, f->back);

	(void)at;
	assert(w->run->ir->ins[at].x == f->opener);
	if (w->run->ir->ins[f->opener].op == OP_LOOP && !mask_empty(again)) {
		w->active = again;
		w->pc = f->opener + 1;
		return;
	}
	w->active = stay;
	w->ordinary = f->ordinary;
	w->n_frames--;
	if (w->n_frames)
		settle(w);
	else
		assert(!mask_empty(w->active));
}

void
interp_endless(struct wave *w, uint32_t at)
{
	const struct run *r = w->run;
	uint32_t lane = 0, i = w->n_frames;

	while (i && r->ir->ins[w->frames[i - 1].opener].op != OP_LOOP)
		i--;
	while (lane < w->n_threads && !mask_has(&w->active, lane))
		lane++;
	w->run->stopped = true;
	interp_report(
		w, REPORT_FINDING, i ? w->frames[i - 1].opener : at, lane,
		"%s after %llu operations, the limit of a thread in a launch (QD_REF_STEPS); %s",
		i ? "the loop has not ended" : "the kernel has not ended",
		(unsigned long long)r->max_steps,
		i ? "end it by 'break', 'return' or a condition that becomes false, or raise the "
		    "limit"
		  : "do less work per thread, or raise the limit");
}
