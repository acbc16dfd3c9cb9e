/* Wait counters: data flow over the blocks computes what may be outstanding at the start
 * of each, then one pass reports. */
#include "wait.h"

#include "table.h"

/* -- Outstanding instructions ----------------------------------------------------------- */

struct run {
	const struct cfg *f;
	void (*note)(void *user, const struct gcn_wait_note *n);
	void *user;
};

static void
report(const struct run *r, unsigned kind, unsigned counter, uint32_t line, uint32_t other,
     unsigned n)
{
	struct gcn_wait_note note = { .kind = (uint8_t)kind,
				      .counter = (uint8_t)counter,
				      .n = (uint16_t)n,
				      .line = line,
				      .other = other };

	if (r->note)
		r->note(r->user, &note);
}

/* Adds p. Returns true if the entry is new or nearer than before. */
static bool
add_pending(struct gcn_wait_state *s, const struct gcn_pending *p)
{
	for (unsigned i = 0; i < s->n; i++) {
		if (s->p[i].line == p->line && s->p[i].counter == p->counter) {
			bool nearer = p->younger < s->p[i].younger;
			s->p[i].younger = nearer ? p->younger : s->p[i].younger;
			return nearer;
		}
	}
	if (s->n == GCN_MAX_PENDING) {
		s->full = true;
		return false;
	}
	s->p[s->n++] = *p;
	return true;
}

/* Returns the class in which the instruction completes in order of issue, or CL_NONE.
 * While two classes share a counter, only a wait for 0 covers either. Flat memory
 * accesses memory or LDS, which is known at run time only: on gfx10 and later it is in
 * order with both, on earlier targets with neither. */
static unsigned
order_of(const struct cfg *f, const struct gcn_pending *p)
{
	unsigned class = gcn_props_of(f->line[p->line].insn.row).class;

	if (class == CL_FLAT && f->target->gen < GCN_G10)
		return CL_NONE;
	if (class == CL_FLAT)
		class = p->counter == EV_DS ? CL_DS : CL_VMEM;
	return class == CL_SMEM ? CL_NONE : class;
}

static bool
in_order(const struct cfg *f, const struct gcn_wait_state *s, unsigned counter)
{
	unsigned order = CL_NONE;

	for (unsigned i = 0; i < s->n; i++) {
		unsigned o;
		if (s->p[i].counter != counter)
			continue;
		o = order_of(f, &s->p[i]);
		if (!o || (order && o != order))
			return false;
		order = o;
	}
	return true;
}

/* Removes an entry. Flat memory counts in two counters and is complete when both are.
 * Returns true if no entry of the line remains. */
static bool
forget(struct gcn_wait_state *s, unsigned i)
{
	uint32_t line = s->p[i].line;
	bool last = true;

	s->n--;
	memmove(&s->p[i], &s->p[i + 1], (s->n - i) * sizeof s->p[0]);
	for (unsigned k = 0; k < s->n; k++)
		last &= s->p[k].line != line;
	return last;
}

static void
wait_for(const struct run *r, struct gcn_wait_state *s, uint32_t line, unsigned counter,
	 unsigned limit)
{
	bool ordered = in_order(r->f, s, counter);

	for (unsigned i = 0; i < s->n;) {
		uint32_t other = s->p[i].line;
		if (s->p[i].counter != counter ||
		    (limit && (!ordered || s->p[i].younger < limit)))
			i++;
		else if (forget(s, i))
			report(r, WAIT_COVERS, counter, line, other, 0);
	}
	if (s->count[counter] > limit)
		s->count[counter] = (uint8_t)limit;
}

/* Returns true for a write over the result of a load of the same kind, which completes
 * first. */
static bool
same_kind(const struct cfg *f, const struct gcn_effect *e, uint32_t other)
{
	unsigned class = gcn_props_of(f->line[other].insn.row).class;

	return (e->class == CL_VMEM || e->class == CL_FLAT || e->class == CL_DS) &&
	       (class == e->class || (e->class != CL_DS && (class == CL_VMEM || class == CL_FLAT)));
}

static void
use(const struct run *r, const struct gcn_wait_state *s, uint32_t line, const struct gcn_effect *e)
{
	for (unsigned i = 0; i < s->n; i++) {
		const struct gcn_pending *p = &s->p[i];
		for (unsigned k = 0; p->dst.n && k < e->n_range; k++) {
			const struct gcn_range *u = &e->range[k];
			struct gcn_wait_note note = {
				WAIT_MISSING, p->counter, 0, line, p->line, *u
			};
			if (!gcn_overlap(&p->dst, u) ||
			    (!(u->access & GCN_READ) && same_kind(r->f, e, p->line)))
				continue;
			if (r->note)
				r->note(r->user, &note);
			return;
		}
	}
}

static void
issue(const struct run *r, struct gcn_wait_state *s, uint32_t line, const struct gcn_effect *e)
{
	struct gcn_pending p = { .line = line };
	unsigned seen = 0;

	for (unsigned i = 0; i < e->n_range; i++) {
		if (e->range[i].access & GCN_WRITE)
			p.dst = e->range[i];
	}
	for (unsigned event = 0; event < GCN_N_EVENT; event++) {
		const struct gcn_counter *c = gcn_counter_of(r->f->target, event);
		if (!(e->events >> event & 1) || (seen >> c->of & 1))
			continue;
		seen |= 1u << c->of;
		for (unsigned i = 0; i < s->n; i++) {
			if (s->p[i].counter == c->of && s->p[i].younger < c->max)
				s->p[i].younger++;
		}
		if (s->count[c->of] < c->max)
			s->count[c->of]++;
		p.counter = c->of;
		add_pending(s, &p);
		report(r, WAIT_OUTSTANDING, c->of, line, line, s->count[c->of]);
	}
}

static void
step(const struct run *r, struct gcn_wait_state *s, uint32_t line)
{
	const struct gcn_line *l = &r->f->line[line];
	struct gcn_effect e;
	uint8_t limit[GCN_N_EVENT];

	if (l->flags & LINE_UNKNOWN)
		return;
	gcn_effect_of(r->f->target, &l->insn, &e);
	if (e.class == CL_WAIT) {
		if (!gcn_wait_limits(r->f->target, &l->insn, limit))
			return;
		for (unsigned c = 0; c < GCN_N_EVENT; c++) {
			if (limit[c] != GCN_NO_WAIT)
				wait_for(r, s, line, c, limit[c]);
		}
		return;
	}
	use(r, s, line, &e);
	if (e.events)
		issue(r, s, line, &e);
}

/* -- Blocks ---------------------------------------------------------------------------------- */

/* Merges `from` into `into`. Returns true if `into` changed. */
static bool
merge(struct gcn_wait_state *into, const struct gcn_wait_state *from)
{
	bool changed = !into->seen;

	into->seen = true;
	into->full |= from->full;
	for (unsigned c = 0; c < GCN_N_EVENT; c++) {
		if (from->count[c] > into->count[c]) {
			into->count[c] = from->count[c];
			changed = true;
		}
	}
	for (unsigned i = 0; i < from->n; i++)
		changed |= add_pending(into, &from->p[i]);
	return changed;
}

static void
flow_out(const struct run *r, struct gcn_wait_state *state, uint32_t block, bool *again)
{
	const struct cfg *f = r->f;
	const struct gcn_block *b = &f->block[block];
	struct gcn_wait_state *s = &state[f->n_block];
	const struct gcn_line *last = &f->line[b->first + b->n_line - 1];
	bool call = !(last->flags & LINE_UNKNOWN) && (gcn_props_of(last->insn.row).flags & E(LINK));

	*s = state[block];
	for (uint32_t i = b->first; i < b->first + b->n_line; i++)
		step(r, s, i);
	for (uint32_t k = 0; k < b->n_succ; k++) {
		uint32_t to = f->edge[b->succ + k];
		if (call && to == block + 1) {
			struct gcn_wait_state after = { .seen = true };
			if (merge(&state[to], &after) && to <= block)
				*again = true;
		} else if (merge(&state[to], s) && to <= block) {
			*again = true;
		}
	}
}

void
gcn_waits(const struct cfg *f, struct gcn_wait_state *state,
	  void (*note)(void *user, const struct gcn_wait_note *n), void *user)
{
	struct run r = { .f = f };
	bool again = true;

	for (size_t i = 0; i <= f->n_block; i++)
		memset(&state[i], 0, offsetof(struct gcn_wait_state, p));
	while (again) {
		again = false;
		for (uint32_t i = 0; i < f->n_block; i++) {
			if (f->block[i].reached)
				flow_out(&r, state, i, &again);
		}
	}
	r.note = note;
	r.user = user;
	for (uint32_t i = 0; i < f->n_block; i++) {
		const struct gcn_block *b = &f->block[i];
		struct gcn_wait_state *s = &state[f->n_block];
		if (!b->reached)
			continue;
		*s = state[i];
		for (uint32_t k = b->first; k < b->first + b->n_line; k++)
			step(&r, s, k);
	}
}
