/* Operations in flight: issued, but not yet covered by a wait. Each completes (accesses memory,
 * writes its result) at any time before the wait that covers it. Until then, the use of its
 * registers is a finding. */
#include "profiling.h"

static bool
overlaps(const struct pending *f, const struct gcn_range *u)
{
	unsigned first = u->file == FILE_A ? u->first + 256u : u->first;
	bool scalar = u->file == FILE_S || u->file == FILE_X;

	if (scalar != (f->file == FILE_S))
		return false;
	return f->n_dst && f->dst < first + u->n && first < (unsigned)f->dst + f->n_dst;
}

/* Returns the order in which an instruction completes. Results of one order are written in issue
 * order, so writing the same register again is not a race. */
static unsigned
order_of(const struct run *r, const struct insn *i)
{
	switch (i->fx.class) {
	case CL_DS: return ORDER_LDS;
	case CL_FLAT:
		if (r->t->gen < GCN_G10)
			return ANY_ORDER;
		break;
	case CL_VMEM: break;
	default: return ANY_ORDER;
	}
	return i->fx.events >> EV_STORE & 1 ? ORDER_STORE : ORDER_LOAD;
}

static bool
check_flying(struct run *r, struct wave *w, const struct insn *i, const struct gcn_range *u,
	     unsigned order)
{
	for (const struct pending *f = w->first; f; f = f->next) {
		if (!overlaps(f, u))
			continue;
		if (!(u->access & GCN_READ) && order && f->order == order)
			continue;
		return amd_find(r, w, i, NO_LANE, "no wait covers %c%u, in flight from offset 0x%x",
				u->file == FILE_S   ? 's'
				: u->file == FILE_A ? 'a'
						    : 'v',
				u->first, f->i->at * 4);
	}
	return true;
}

bool
amd_pending_check(struct run *r, struct wave *w, const struct insn *i)
{
	unsigned order = order_of(r, i);

	for (unsigned k = 0; k < i->fx.n_range; k++) {
		struct gcn_range u = i->fx.range[k];
		if (u.file == FILE_X) {
			if (u.first != X_M0)
				continue;
			u.first = (uint16_t)gcn_m0_of(r->t);
			u.file = FILE_S;
		}
		if (u.file == FILE_S && u.first + u.n > N_SCALAR)
			return amd_find(r, w, i, NO_LANE,
					"an operand names registers that do not exist");
		if (u.file == FILE_V && u.first + u.n > r->n_vgprs)
			return amd_find(
				r, w, i, NO_LANE,
				"v%u is not among the %u registers that the descriptor allocates",
				u.first + u.n - 1u, r->n_vgprs);
		if (u.file == FILE_A && u.first + u.n > r->l->start->n_accs)
			return amd_find(r, w, i, NO_LANE,
					"a%u is not among the %u accumulation registers",
					u.first + u.n - 1u, r->l->start->n_accs);
		if (r->l->start->n_sgprs && u.file == FILE_S && u.first < r->t->n_sgpr &&
		    u.first + u.n > r->l->start->n_sgprs)
			return amd_find(r, w, i, NO_LANE,
					"s%u is not among the %u allocated registers",
					u.first + u.n - 1u, r->l->start->n_sgprs);
		if (w->first && !check_flying(r, w, i, &u, order))
			return false;
	}
	return true;
}

struct pending *
amd_pending_new(struct run *r, struct wave *w, const struct insn *i)
{
	struct pending *f = r->spare;

	if (f)
		r->spare = f->next;
	else
		f = arena_alloc(r->mem, sizeof *f);
	if (!f) {
		r->status = qd_fail(r->err, QD_E_NOMEM, "out of memory");
		return NULL;
	}
	memset(f, 0, offsetof(struct pending, addr));
	f->dead = 0;
	f->i = i;
	f->lanes = exec_of(r, w);
	f->order = (uint8_t)order_of(r, i);
	f->file = FILE_V;
	return f;
}

void
amd_pending_issue(struct run *r, struct wave *w, struct pending *f)
{
	for (unsigned event = 0; event < GCN_N_EVENT; event++) {
		unsigned c = gcn_counter_of(r->t, event)->of;
		if (!(f->i->fx.events >> event & 1) || (f->counters >> c & 1))
			continue;
		f->counters |= (uint8_t)(1u << c);
		f->seq[c] = w->issued[c]++;
	}
	f->next = NULL;
	if (w->last)
		w->last->next = f;
	else
		w->first = f;
	w->last = f;
}

/* -- Landing ---------------------------------------------------------------------------------- */

static void
span(const struct pending *f, uint64_t *lo, uint64_t *hi)
{
	*lo = UINT64_MAX;
	*hi = 0;
	for (unsigned lane = 0; lane < 64; lane++) {
		if (!(f->lanes >> lane & 1))
			continue;
		*lo = f->addr[lane] < *lo ? f->addr[lane] : *lo;
		*hi = f->addr[lane] > *hi ? f->addr[lane] : *hi;
	}
}

/* Returns whether `old` must land before f: if they complete in order, or access overlapping
 * memory. */
static bool
must_precede(const struct pending *old, const struct pending *f)
{
	uint64_t lo, hi, lo2, hi2;

	if (f->broadcast || old->broadcast)
		return false;
	if (old->order && old->order == f->order)
		return true;
	if (old->lds != f->lds)
		return false;
	span(old, &lo, &hi);
	span(f, &lo2, &hi2);
	return lo < hi2 + 64 && lo2 < hi + 64;
}

static bool
complete(struct run *r, struct wave *w, struct pending *f)
{
	if (f->completed)
		return true;
	for (struct pending *old = w->first; old != f; old = old->next)
		if (!old->completed && must_precede(old, f) && !complete(r, w, old))
			return false;
	f->completed = true;
	return amd_complete(r, w, f);
}

static void
release(struct run *r, struct wave *w, struct pending *before, struct pending *f)
{
	if (before)
		before->next = f->next;
	else
		w->first = f->next;
	if (w->last == f)
		w->last = before;
	f->next = r->spare;
	r->spare = f;
}

/* The maximum of operations without result in flight: no counter exceeds 63, and a wave stalls at
 * a full one. This also bounds the list when a loop stores without a wait. */
enum { MOST_OUT = 64 };

static bool
complete_oldest(struct run *r, struct wave *w)
{
	struct pending *before = NULL, *f = w->first;

	for (; f->n_dst; f = f->next)
		before = f;
	if (!complete(r, w, f))
		return false;
	release(r, w, before, f);
	return true;
}

bool
amd_complete_some(struct run *r, struct wave *w)
{
	unsigned n = 0, out = 0, at;

	for (const struct pending *f = w->first; f; f = f->next) {
		n += !f->completed;
		out += !f->n_dst;
	}
	if (out > MOST_OUT)
		return complete_oldest(r, w);
	if (!n || amd_random(r) % r->lazy)
		return true;
	at = (unsigned)(amd_random(r) % n);
	for (struct pending *f = w->first; f; f = f->next)
		if (!f->completed && !at--)
			return complete(r, w, f);
	return true;
}

/* -- Waits --------------------------------------------------------------------------------------- */

/* Returns whether the counter's operations complete in issue order. Otherwise only a wait for 0
 * covers any of them. */
static bool
in_order(const struct wave *w, unsigned counter)
{
	unsigned order = ANY_ORDER;

	for (const struct pending *f = w->first; f; f = f->next) {
		unsigned o = f->order;
		if (!(f->counters >> counter & 1))
			continue;
		if (o && f->i->fx.class == CL_FLAT && counter == EV_DS)
			o = ORDER_LDS;
		if (o == ORDER_STORE)
			o = ORDER_LOAD;
		if (!o || (order && o != order))
			return false;
		order = o;
	}
	return true;
}

static bool
cover(struct run *r, struct wave *w, const struct insn *i, unsigned counter, unsigned limit)
{
	bool ordered = in_order(w, counter);
	struct pending *before = NULL, *next;

	for (struct pending *f = w->first; f; f = next) {
		next = f->next;
		if (!(f->counters >> counter & 1) || (limit && !ordered) ||
		    w->issued[counter] - f->seq[counter] <= limit) {
			before = f;
			continue;
		}
		f->counters &= (uint8_t)~(1u << counter);
		if (r->l->covered && i)
			r->l->covered[i->at]++;
		if (w->profile && i)
			amd_profile_covered(w, f);
		if (f->counters) {
			before = f;
			continue;
		}
		if (!complete(r, w, f))
			return false;
		release(r, w, before, f);
	}
	return true;
}

bool
amd_wait(struct run *r, struct wave *w, const struct insn *i)
{
	uint8_t limit[GCN_N_EVENT];

	if (i->fx.flags & E(DEPCTR))
		return true; /* affects timing only */
	gcn_wait_limits(r->t, &i->in, limit);
	for (unsigned c = 0; c < GCN_N_EVENT; c++)
		if (limit[c] != GCN_NO_WAIT && !cover(r, w, i, c, limit[c]))
			return false;
	return true;
}

bool
amd_complete_all(struct run *r, struct wave *w)
{
	for (unsigned c = 0; c < GCN_N_EVENT; c++)
		if (!cover(r, w, NULL, c, 0))
			return false;
	return true;
}

void
amd_pending_drop(struct run *r, struct wave *w)
{
	while (w->first)
		release(r, w, NULL, w->first);
}
