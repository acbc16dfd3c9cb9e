/* LDS instructions at issue: addresses, data and moved lanes; barriers. */
#include "wave.h"

static bool
address(struct run *r, struct wave *w, const struct insn *i, unsigned lane, uint32_t *v)
{
	unsigned reg = vector_of(view_of(i, GCN_F_ADDR)->v);

	*v = w->v[reg][lane];
	return !w->vu[reg][lane] || amd_find(r, w, i, lane, "the address is undefined");
}

static bool
addresses(struct run *r, struct wave *w, const struct insn *i, struct pending *f)
{
	uint32_t offset = i->in.field[GCN_F_OFFSET], unit = i->sem->bytes, v;
	bool two = i->sem->flags & F_TWO;

	if (two && (i->sem->flags & F_FAR))
		unit *= 64;
	for (unsigned lane = 0; lane < wave_size(r); lane++) {
		if (!(f->lanes >> lane & 1))
			continue;
		if (!address(r, w, i, lane, &v))
			return false;
		/* The sum wraps: LLVM's ds-sub-offset.ll has a negative register. */
		f->addr[lane] = v + (two ? (offset & 255) * unit : offset);
		f->addr2[lane] = v + (offset >> 8) * unit;
	}
	return true;
}

static bool
data(struct run *r, struct wave *w, const struct insn *i, struct pending *f)
{
	const struct gcn_view *a = view_of(i, GCN_F_DATA0), *b = view_of(i, GCN_F_DATA1);
	unsigned n = (i->sem->bytes + 3u) / 4;

	if (i->sem->kind == M_KIND_LOAD)
		return true;
	return amd_take_data(r, w, f, vector_of(a->v), n, 0) &&
	       (!b || amd_take_data(r, w, f, vector_of(b->v), n, n));
}

/* -- Lanes ---------------------------------------------------------------------------------- */

/* Returns the lane that ds_swizzle reads, or 64 if the pattern is not modeled. */
static unsigned
swizzled(uint32_t pattern, unsigned lane)
{
	unsigned at = lane & 31;

	if (pattern >> 14 == 2 && pattern < 0x8100)
		return (lane & ~3u) + (pattern >> 2 * (lane & 3) & 3);
	if (pattern >> 15)
		return 64;
	at = ((at & pattern) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31);
	return (lane & 32) + (at & 31);
}

/* Sets *from to the source of the lane's value, or, for ds_permute, to its destination. */
static bool
source_lane(struct run *r, struct wave *w, const struct insn *i, unsigned lane, unsigned *from)
{
	/* Range of lanes that can be addressed. LLVM and Mesa assume all of them again from gfx12
	 * on. */
	unsigned reach = r->t->gen == GCN_G10 || r->t->gen == GCN_G11 ? 32 : 64;
	uint32_t v;

	if (i->in.row == GCN_ds_swizzle_b32) {
		*from = swizzled(i->in.field[GCN_F_OFFSET], lane);
		return *from < 64 || amd_find(r, w, i, lane, "this pattern is not emulated");
	}
	if (!address(r, w, i, lane, &v))
		return false;
	*from = (lane & ~(reach - 1)) + ((v + i->in.field[GCN_F_OFFSET]) / 4 & (reach - 1));
	return true;
}

static bool
move_lanes(struct run *r, struct wave *w, const struct insn *i, struct pending *f)
{
	const struct gcn_view *d = view_of(i, GCN_F_DATA0);
	unsigned src = vector_of(d ? d->v : view_of(i, GCN_F_ADDR)->v), other;
	bool push = i->in.row == GCN_ds_permute_b32;

	memset(f->data[0], 0, sizeof f->data[0]);
	memset(f->data[1], 0, sizeof f->data[1]);
	for (unsigned lane = 0; lane < wave_size(r); lane++) {
		unsigned from = lane, to = lane;
		if (!(f->lanes >> lane & 1))
			continue;
		if (!source_lane(r, w, i, lane, &other))
			return false;
		*(push ? &to : &from) = other;
		if (!(f->lanes >> from & 1))
			return amd_find(r, w, i, lane,
					"the instruction reads lane %u, which is inactive", from);
		f->data[0][to] = w->v[src][from];
		f->data[1][to] = w->vu[src][from];
	}
	return true;
}

bool
amd_lds(struct run *r, struct wave *w, const struct insn *i)
{
	const struct gcn_view *dst = view_of(i, GCN_F_VDST);
	struct pending *f = amd_pending_new(r, w, i);

	if (!f)
		return false;
	f->lds = true;
	amd_pending_issue(r, w, f);
	if (i->in.field[GCN_F_GDS])
		return amd_find(r, w, i, NO_LANE, "GDS is not emulated");
	if (dst) {
		f->dst = (uint16_t)vector_of(dst->v);
		f->n_dst = dst->kind.n;
	}
	if (i->sem->kind == M_KIND_NONE)
		return move_lanes(r, w, i, f);
	return addresses(r, w, i, f) && data(r, w, i, f);
}

/* -- Barriers ------------------------------------------------------------------------------------ */

static void
arrived(struct block *b)
{
	if (b->n_alive && b->n_arrived == b->n_alive) {
		b->n_arrived = 0;
		b->phase++;
	}
}

static void
arrive(struct wave *w)
{
	w->phase = w->block->phase;
	w->block->n_arrived++;
	arrived(w->block);
}

bool
amd_barrier(struct run *r, struct wave *w, const struct insn *i)
{
	enum { ALL_SIGNAL = 193 /* -1 */, ALL_WAIT = 0xffff };

	switch (i->in.row) {
	case GCN_s_barrier:
		arrive(w);
		w->waits = true;
		return true;
	case GCN_s_barrier_signal:
		if (i->in.field[GCN_F_SSRC0] != ALL_SIGNAL)
			return amd_find(r, w, i, NO_LANE, "a named barrier is not emulated");
		if (w->signaled)
			return amd_find(
				r, w, i, NO_LANE,
				"the wave signals the barrier twice without a wait in between");
		w->signaled = true;
		arrive(w);
		return true;
	default:
		if (i->in.field[GCN_F_SIMM] != ALL_WAIT)
			return amd_find(r, w, i, NO_LANE, "a named barrier is not emulated");
		if (!w->signaled)
			return amd_find(r, w, i, NO_LANE,
					"the wave waits at the barrier and has not signaled it");
		w->signaled = false;
		w->waits = true;
		return true;
	}
}

void
amd_barrier_left(struct wave *w)
{
	w->block->n_alive--;
	arrived(w->block);
}
