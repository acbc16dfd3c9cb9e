/* Asynchronous copies. A copy writes its elements immediately, but they are pending until the
 * thread has waited for the copy; an access before that is a finding. Each element of a shared
 * array has space for one pending copy. The pending copies of a subgroup form a list. */
#include "interp.h"

bool
interp_bind_copies(struct run *r, struct arena *mem)
{
	const struct qd_kernel *k = r->image->kernel;
	uint32_t n = 0;

	if (!r->fn->copies)
		return true;
	for (uint32_t i = k->n_params; i < k->n_mems; i++) {
		r->params[i].first_copy = n;
		n += k->mems[i].len;
	}
	r->copies = arena_alloc(mem, n * sizeof *r->copies);
	return r->copies != NULL;
}

void
interp_not_there(struct wave *w, uint32_t at, uint32_t lane, uint32_t x, uint32_t n)
{
	const struct run *r = w->run;
	const struct copy *c = &r->copies[r->params[x].first_copy + n];
	uint32_t self = wave_thread(w, lane);

	interp_report(w, REPORT_FINDING, at, lane,
		      "%s[%u] is not available yet: thread %u copies to it and has not waited; "
		      "call nvvm.cp_async_wait_all()%s first",
		      r->image->kernel->mems[x].name, n, c->thread,
		      self == c->thread ? "" : " and block.sync()");
}

/* -- The copy ------------------------------------------------------------------------ */

/* Checks that both indices are multiples of the copy's size and that the array can hold it. */
static bool
may_copy(struct wave *w, uint32_t at, uint32_t lane, uint32_t from, uint32_t to)
{
	const struct run *r = w->run;
	const struct ins *i = &r->ir->ins[at];
	const struct memory *mems = r->image->kernel->mems;
	uint32_t x = r->ir->ins[i->b].x, n = ir_count(i);

	if (from % n || to % n) {
		interp_report(
			w, REPORT_FINDING, at, lane,
			"%s[%u] cannot begin a copy of %u elements: its index is not a multiple",
			mems[from % n ? i->x : x].name, from % n ? from : to, n);
		return false;
	}
	if (to >= mems[x].len || mems[x].len - to < n) {
		interp_report(w, REPORT_FINDING, at, lane,
			      "copy of %u to %s[%u] is out of bounds: %s has %u elements, and a "
			      "shared array has no guards",
			      n, mems[x].name, to, mems[x].name, mems[x].len);
		return false;
	}
	return true;
}

/* Returns true if the buffer contains the element; otherwise reports it. Only the first element
 * of a copy gives a remark. */
static bool
is_there(struct wave *w, uint32_t at, uint32_t lane, uint32_t from, bool first)
{
	const struct run *r = w->run;
	const struct ins *i = &r->ir->ins[at];
	const char *name = r->image->kernel->mems[i->x].name;
	unsigned long long n = r->params[i->x].elements;

	if (QD_LIKELY(from < n))
		return true;
	if (!(i->attr & ATTR_GUARD))
		interp_report(w, REPORT_FINDING, at, lane,
			      "copy of %s[%u] is out of bounds: %s has %llu elements, and the "
			      "kernel has no guards",
			      name, from, name, n);
	else if (first && interp_counts(w, lane))
		interp_report(w, REPORT_REMARK, at, lane,
			      "copy of %s[%u] is out of bounds: %s has %llu elements; it writes 0",
			      name, from, name, n);
	return false;
}

/* Begins the copy of one element; beyond the buffer's length it copies a 0. */
static void
begin(struct wave *w, uint32_t at, uint32_t lane, uint32_t from, bool there, uint32_t to)
{
	struct run *r = w->run;
	const struct ins *i = &r->ir->ins[at];
	const struct bound_param *src = &r->params[i->x];
	const struct bound_param *dst = &r->params[r->ir->ins[i->b].x];
	uint32_t number = dst->first_copy + to;
	uint64_t bits = 0;

	if (dst->known[to] == ELEMENT_COMES) {
		interp_not_there(w, at, lane, r->ir->ins[i->b].x, to);
		return;
	}
	if (there) {
		bits = interp_read_element(src->mem + (size_t)from * src->size, src->size);
		if (src->cells)
			interp_touch(w, at, lane, from, TOUCH_READ);
	}
	interp_write_element(dst->mem + (size_t)to * dst->size, dst->size, bits);
	interp_touch(w, i->b, lane, to, TOUCH_WRITE);
	dst->known[to] = ELEMENT_COMES;
	r->copies[number] = (struct copy){ .next = w->copies,
					   .ins = at,
					   .thread = wave_thread(w, lane),
					   .from = from,
					   .to = to,
					   .group = w->commits[lane],
					   .lane = (uint8_t)lane,
					   .there = there };
	w->copies = number + 1;
}

void
interp_cp_async(struct wave *w, uint32_t at)
{
	const struct ins *i = &w->run->ir->ins[at];
	uint32_t to_index = w->run->ir->ins[i->b].a, n = ir_count(i);
	const uint64_t *from = wave_row(w, i->a), *to = wave_row(w, to_index);
	struct mask lanes = interp_accessing(w, at);

	interp_use(w, at, to_index, lanes, "the index");
	for (uint32_t l = 0; l < w->n_threads; l++) {
		uint32_t a = (uint32_t)from[l], b = (uint32_t)to[l];
		bool all = true;

		if (!mask_has(&lanes, l) || !may_copy(w, at, l, a, b))
			continue;
		for (uint32_t k = 0; k < n; k++) {
			bool there = is_there(w, at, l, a + k, all);

			all = all && there;
			if (there || (i->attr & ATTR_GUARD))
				begin(w, at, l, a + k, there, b + k);
		}
	}
}

/* -- Waiting ---------------------------------------------------------------------------- */

/* Ends a copy: from here on its element counts as written now, from the buffer's current value. */
static void
arrive(struct wave *w, const struct copy *c)
{
	struct run *r = w->run;
	const struct ins *i = &r->ir->ins[c->ins];
	const struct bound_param *src = &r->params[i->x];
	const struct bound_param *dst = &r->params[r->ir->ins[i->b].x];
	const uint8_t *is = src->mem + (size_t)c->from * src->size;
	const uint8_t *was = dst->mem + (size_t)c->to * dst->size;

	dst->known[c->to] = ELEMENT_KNOWN;
	interp_touch(w, i->b, c->lane, c->to, TOUCH_WRITE);
	if (!c->there || !src->cells)
		return;
	interp_touch(w, c->ins, c->lane, c->from, TOUCH_READ);
	if (interp_read_element(is, src->size) != interp_read_element(was, dst->size))
		interp_report(w, REPORT_FINDING, c->ins, c->lane,
			      "%s[%u] was changed before the copy from it completed",
			      r->image->kernel->mems[i->x].name, c->from);
}

void
interp_cp_async_wait(struct wave *w, uint32_t at)
{
	struct run *r = w->run;
	const struct ins *i = &r->ir->ins[at];
	uint32_t *link = &w->copies;

	for (uint32_t l = 0; l < w->n_threads && i->op == OP_CP_ASYNC_COMMIT; l++)
		w->commits[l] += mask_has(&w->active, l);
	while (i->op != OP_CP_ASYNC_COMMIT && *link) {
		const struct copy *c = &r->copies[*link - 1];

		if (mask_has(&w->active, c->lane) && (i->op == OP_CP_ASYNC_WAIT_ALL ||
						      c->group + i->x < w->commits[c->lane])) {
			*link = c->next;
			arrive(w, c);
		} else {
			link = &r->copies[*link - 1].next;
		}
	}
}
