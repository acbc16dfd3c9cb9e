/* The state of a launch: blocks, warps, and groups of lanes with the same pc. */
#ifndef EMU_PTX_EXEC_H
#define EMU_PTX_EXEC_H

#include "decode.h"
#include "profile.h"

enum { N_BARS = 16, MAX_WARPS = 32 };

enum group_state {
	G_RUN,
	G_SYNC, /* at a warp operation, waiting for the lanes it names */
	G_BAR,	/* at a barrier, waiting for the block's threads */
};

struct group {
	uint32_t pc, mask, want;
	uint8_t state, bar;
	uint64_t steps;
};

/* An asynchronous copy that has not been waited for. */
struct pending {
	uint64_t src;
	uint32_t dst;
	uint8_t lane, size, n; /* n bytes of the source, then zeros */
	uint32_t group;	       /* it was committed with; UINT32_MAX: not committed */
};

struct warp {
	struct block *block;
	uint8_t *regs;
	uint64_t *poison; /* by slot: the lanes without a value; upper half: those of them whose
			   * value should have come from another lane */
	uint8_t *local;
	uint32_t index, n_groups;
	uint32_t exists, alive;
	uint32_t carry;
	uint64_t carry_poison;
	uint32_t bar_mask[N_BARS]; /* lanes that have arrived */
	uint64_t clock;
	struct group group[32];
	uint32_t n_commits[32]; /* committed groups of copies, by lane */
	struct pending *pending;
	uint32_t n_pending, max_pending;
	struct profile_wave *profile; /* NULL: not profiled */
};

struct bar {
	uint32_t expect; /* threads; 0: all of the block */
	uint32_t n_true, n_voted;
	bool busy;
	uint64_t time; /* of the last arrival, if the launch is profiled */
};

struct block {
	uint32_t index[3];
	uint32_t n_alive; /* warps */
	struct bar bar[N_BARS];
	uint8_t *shared;
	struct warp *warps;
};

struct run {
	const struct ptx_launch *l;
	const struct func *f;
	const struct ptx_module *m;
	const uint8_t *konst;
	const struct insn *code;
	struct pool *pool;
	struct qd_error *err;
	qd_status status;
	uint64_t rng;
	uint32_t n_threads, n_warps;
	uint32_t dynamic_at, shared_size; /* dynamic shared memory follows the static memory */
	uint32_t local_stride;
	/* Offsets from a byte of the block's shared memory, and of a warp's local memory, to its
	 * flag: nonzero if no thread has written the byte. */
	size_t unwritten_shared, unwritten_local;
	struct ptx_range last[2]; /* of the last load and the last store */
	bool over;		  /* the meter has ended the launch */
	bool converged;		  /* below sm_70: no lane runs ahead of another */
};

static inline uint64_t
run_random(struct run *r)
{
	r->rng ^= r->rng << 13;
	r->rng ^= r->rng >> 7;
	r->rng ^= r->rng << 17;
	return r->rng;
}

static inline unsigned
popcount(uint32_t m)
{
	m -= m >> 1 & 0x55555555;
	m = (m & 0x33333333) + (m >> 2 & 0x33333333);
	m = (m + (m >> 4)) & 0x0f0f0f0f;
	return m * 0x01010101u >> 24;
}

/* Iterates over the lanes of a mask. */
#define EACH_LANE(l, m)                                                                            \
	for (uint32_t m_##l = (m), l; m_##l && (l = qd_lowest_bit(m_##l), true); m_##l &= m_##l - 1)

/* -- Operands ----------------------------------------------------------------------------- */

static inline const void *
src_at(const struct run *r, const struct warp *w, struct opnd o)
{
	return (o.slot ? w->regs : r->konst) + o.off;
}
static inline uint64_t
poison_of(const struct warp *w, struct opnd o)
{
	return w->poison[o.slot];
}
/* Sets the poison of the lanes of act, whose values were computed from operands with poison p. */
static inline void
poison_set(struct warp *w, struct opnd d, uint32_t act, uint64_t p)
{
	uint64_t a = act | (uint64_t)act << 32;

	w->poison[d.slot] = (w->poison[d.slot] & ~a) | (p & a);
}
static inline uint64_t
lane_value(const void *p, unsigned size, unsigned l)
{
	switch (size) {
	case 2: return ((const uint16_t *)p)[l];
	case 4: return ((const uint32_t *)p)[l];
	default: return ((const uint64_t *)p)[l];
	}
}
static inline void
lane_put(void *p, unsigned size, unsigned l, uint64_t v)
{
	switch (size) {
	case 2: ((uint16_t *)p)[l] = (uint16_t)v; break;
	case 4: ((uint32_t *)p)[l] = (uint32_t)v; break;
	default: ((uint64_t *)p)[l] = v; break;
	}
}
static inline void *
dst_at(struct warp *w, struct opnd o)
{
	return w->regs + o.off;
}
static inline uint32_t *
pred_at(struct warp *w, struct opnd o)
{
	return (uint32_t *)(void *)(w->regs + o.off);
}
static inline void
pred_set(struct warp *w, struct opnd o, uint32_t act, uint32_t v, uint64_t poison)
{
	uint32_t *p = pred_at(w, o);

	*p = (*p & ~act) | (v & act);
	poison_set(w, o, act, poison);
}
/* Returns source k as a predicate. */
static inline uint32_t
pred_value(const struct run *r, const struct warp *w, const struct insn *i, unsigned k)
{
	uint32_t v = *(const uint32_t *)src_at(r, w, i->o[i->n_dst + k]);

	return i->flags & (uint32_t)F_NEG << k ? ~v : v;
}

/* -- report.c: false, so that it can be returned ------------------------------------------ */
QD_COLD bool find_lane(struct run *r, const struct warp *w, const struct insn *i, uint32_t lane,
		       const char *fmt, ...) QD_PRINTF(5, 6);
/* Reports the use of a poisoned value as a condition, a stored value or an address. */
QD_COLD bool find_poison(struct run *r, const struct warp *w, const struct insn *i, uint64_t poison,
			 const char *what);
#define CHECK_POISON(r, w, i, o, act, what)                                                        \
	(QD_LIKELY(!(poison_of(w, o) & (act))) ||                                                  \
	 find_poison(r, w, i, poison_of(w, o) & ((act) | (uint64_t)(act) << 32), what))
QD_COLD void find_stuck(struct run *r, struct block *const *blocks, uint32_t n);

/* -- alu.c -------------------------------------------------------------------------------- */
void exec_alu(struct run *r, struct warp *w, const struct insn *i, uint32_t act);
void exec_carry(struct run *r, struct warp *w, const struct insn *i, uint32_t act);
void exec_setp(struct run *r, struct warp *w, const struct insn *i, uint32_t act);
void exec_set(struct run *r, struct warp *w, const struct insn *i, uint32_t act);
void exec_selp(struct run *r, struct warp *w, const struct insn *i, uint32_t act);
void exec_pred(struct run *r, struct warp *w, const struct insn *i, uint32_t act);
void exec_special(struct run *r, struct warp *w, const struct insn *i, uint32_t act);
void exec_pack(struct run *r, struct warp *w, const struct insn *i, uint32_t act);
void exec_unpack(struct run *r, struct warp *w, const struct insn *i, uint32_t act);
void exec_cvta(struct run *r, struct warp *w, const struct insn *i, uint32_t act);
void exec_isspace(struct run *r, struct warp *w, const struct insn *i, uint32_t act);

/* -- memory.c, atomic.c, async.c, cvt.c --------------------------------------------------- */
bool exec_ld(struct run *r, struct warp *w, const struct insn *i, uint32_t act);
bool exec_st(struct run *r, struct warp *w, const struct insn *i, uint32_t act);
bool exec_atom(struct run *r, struct warp *w, const struct insn *i, uint32_t act);
bool exec_async(struct run *r, struct warp *w, const struct insn *i, uint32_t act);
bool exec_async_wait(struct run *r, struct warp *w, const struct insn *i, uint32_t act);
void exec_cvt(struct run *r, struct warp *w, const struct insn *i, uint32_t act);
/* Returns the host address, or NULL with a finding. *own: no other thread of the host accesses
 * it. */
uint8_t *mem_at(struct run *r, struct warp *w, const struct insn *i, uint32_t lane,
		enum space space, uint64_t addr, uint32_t size, bool write, bool *own);
uint64_t mem_get(const uint8_t *p, uint32_t size, bool own);
void mem_put(uint8_t *p, uint32_t size, uint64_t v, bool own);
/* Returns the flag of a byte of shared or local memory, nonzero if no thread has written it; NULL
 * for other memory. */
static inline uint8_t *
mem_unwritten(const struct run *r, const struct warp *w, const uint8_t *p)
{
	if ((uintptr_t)p - (uintptr_t)w->block->shared < r->shared_size)
		return w->block->shared + (p - w->block->shared) + r->unwritten_shared;
	if ((uintptr_t)p - (uintptr_t)w->local < (size_t)32 * r->local_stride)
		return w->local + (p - w->local) + r->unwritten_local;
	return NULL;
}
/* Returns whether one of these bytes, at most 8, has not been written. */
static inline bool
mem_holds_nothing(const uint8_t *unwritten, uint32_t size)
{
	uint64_t v = 0;

	memcpy(&v, unwritten, size);
	return v != 0;
}
/* Returns the address of a lane with its offset. */
uint64_t lane_address(const struct run *r, const struct warp *w, const struct insn *i,
		      struct opnd o, uint32_t lane);

/* -- lane.c ------------------------------------------------------------------------------- */
bool exec_lanes(struct run *r, struct warp *w, const struct insn *i, uint32_t act);

/* -- barrier.c ---------------------------------------------------------------------------- */
enum bar_result { BAR_FAIL, BAR_GO, BAR_WAIT };
enum bar_result exec_bar(struct run *r, struct warp *w, const struct insn *i, uint32_t act,
			 uint8_t *id);
/* Updates the barriers after lanes have ended; waiting groups may continue. */
void bar_lanes_gone(struct run *r, struct block *b);

/* -- flow.c ------------------------------------------------------------------------------- */
void group_add(struct warp *w, uint32_t pc, uint32_t mask, uint64_t steps);
void group_drop(struct warp *w, uint32_t g);
/* Merges the groups that wait here for the same lanes into *g; returns false if lanes of want are
 * missing. */
bool group_gather(struct run *r, struct warp *w, uint32_t *g, uint32_t want);

/* -- exec.c ------------------------------------------------------------------------------- */
/* Runs the warp until none of its groups can continue, or for a number of steps; returns the steps
 * made. */
uint64_t warp_run(struct run *r, struct warp *w, uint64_t budget);
static inline bool
warp_runnable(const struct warp *w)
{
	for (uint32_t g = 0; g < w->n_groups; g++)
		if (w->group[g].state == G_RUN)
			return true;
	return false;
}

#endif
