/* A launch: several blocks at a time, whose warps take turns in an order that the seed selects. */
#include "exec.h"

enum { FIRST_BLOCKS = 4, MAX_BLOCKS = 1024, MAX_THREADS = 1024, PATIENCE = 256 };
#define MAX_MEMORY (UINT64_C(1) << 28)

/* -- Blocks ------------------------------------------------------------------------------- */

struct layout {
	size_t warps, regs, poison, local, shared, total;
	size_t regs_size, poison_size, local_size;
};

static size_t
align64(size_t n)
{
	return (n + 63) & ~(size_t)63;
}

static void
lay_out(struct run *r, struct layout *y)
{
	const struct func *f = r->f;

	r->local_stride = (f->local_size + 15) & ~15u;
	r->dynamic_at = (uint32_t)align64(f->entry.shared_size);
	r->shared_size = r->dynamic_at + r->l->dynamic_shared;
	y->regs_size = align64(f->file_size);
	y->poison_size = align64(f->n_slots * sizeof(uint64_t));
	r->unwritten_shared = align64(r->shared_size);
	r->unwritten_local = align64((size_t)32 * r->local_stride);
	y->local_size = 2 * r->unwritten_local;
	y->warps = align64(sizeof(struct block));
	y->regs = align64(y->warps + r->n_warps * sizeof(struct warp));
	y->poison = y->regs + r->n_warps * y->regs_size;
	y->local = y->poison + r->n_warps * y->poison_size;
	y->shared = y->local + r->n_warps * y->local_size;
	y->total = y->shared + 2 * r->unwritten_shared + 64;
}

static uint32_t
special_value(const struct run *r, const struct warp *w, unsigned special, uint32_t lane)
{
	const uint32_t *n = r->l->block, *at = w->block->index;
	uint32_t t = w->index * 32 + lane;

	switch (special) {
	case SR_tid_x: return t % n[0];
	case SR_tid_y: return t / n[0] % n[1];
	case SR_tid_z: return t / n[0] / n[1];
	case SR_ntid_x: return n[0];
	case SR_ntid_y: return n[1];
	case SR_ntid_z: return n[2];
	case SR_ctaid_x: return at[0];
	case SR_ctaid_y: return at[1];
	case SR_ctaid_z: return at[2];
	case SR_nctaid_x: return r->l->grid[0];
	case SR_nctaid_y: return r->l->grid[1];
	case SR_nctaid_z: return r->l->grid[2];
	case SR_laneid: return lane;
	case SR_warpid: return w->index;
	case SR_nwarpid: return r->n_warps;
	case SR_smid: return 0;
	case SR_nsmid: return 1;
	case SR_lanemask_eq: return UINT32_C(1) << lane;
	case SR_lanemask_lt: return (UINT32_C(1) << lane) - 1;
	case SR_lanemask_le: return (UINT32_C(2) << lane) - 1;
	case SR_lanemask_gt: return ~((UINT32_C(2) << lane) - 1);
	case SR_lanemask_ge: return ~((UINT32_C(1) << lane) - 1);
	case SR_dynamic_smem_size: return r->l->dynamic_shared;
	default: return r->shared_size;
	}
}

static void
fill_specials(const struct run *r, struct warp *w, const struct specials *s)
{
	for (uint32_t k = 0; k < s->n; k++) {
		uint32_t *d = (uint32_t *)(void *)(w->regs + s->use[k].at.off);

		for (uint32_t l = 0; l < 32; l++)
			d[l] = special_value(r, w, s->use[k].special, l);
		w->poison[s->use[k].at.slot] = 0;
	}
}

static void
warp_begin(struct run *r, struct warp *w)
{
	const struct func *f = r->f;
	uint32_t left = r->n_threads - w->index * 32;

	w->n_groups = 0;
	w->exists = w->alive = left >= 32 ? UINT32_MAX : (UINT32_C(1) << left) - 1;
	w->carry = 0;
	w->carry_poison = UINT32_MAX;
	w->clock = 0;
	w->n_pending = 0;
	memset(w->bar_mask, 0, sizeof w->bar_mask);
	memset(w->n_commits, 0, sizeof w->n_commits);
	memset(w->regs, 0, f->file_size);
	w->poison[0] = 0;
	for (uint32_t s = 1; s < f->n_slots; s++)
		w->poison[s] = UINT32_MAX;
	if (w->profile)
		profile_wave_begin(w->profile, f->n_slots);
	fill_specials(r, w, &f->specials);
	fill_specials(r, w, &r->m->specials);
	if (r->local_stride) {
		memset(w->local, 0xa5, (size_t)32 * r->local_stride);
		memset(w->local + r->unwritten_local, 1, (size_t)32 * r->local_stride);
	}
	group_add(w, f->start, w->exists, 0);
}

static void
block_begin(struct run *r, struct block *b, uint64_t index)
{
	const uint32_t *grid = r->l->grid;

	b->index[0] = (uint32_t)(index % grid[0]);
	b->index[1] = (uint32_t)(index / grid[0] % grid[1]);
	b->index[2] = (uint32_t)(index / grid[0] / grid[1]);
	b->n_alive = r->n_warps;
	memset(b->bar, 0, sizeof b->bar);
	memset(b->shared, 0xa5, r->shared_size);
	memset(b->shared + r->unwritten_shared, 1, r->shared_size);
	for (uint32_t k = 0; k < r->n_warps; k++)
		warp_begin(r, &b->warps[k]);
}

static void
block_free(struct run *r, struct block *b)
{
	for (uint32_t k = 0; k < r->n_warps; k++) {
		if (b->warps[k].pending)
			pool_delete(r->pool, b->warps[k].pending);
		if (b->warps[k].profile)
			pool_delete(r->pool, b->warps[k].profile);
	}
	pool_delete(r->pool, b);
}

static struct block *
block_new(struct run *r, const struct layout *y)
{
	uint8_t *p = pool_new(r->pool, y->total);
	struct block *b = (struct block *)(void *)p;
	size_t skew;

	if (!p)
		return NULL;
	/* Aligns registers to cache lines. */
	skew = (64 - ((uintptr_t)p & 63)) & 63;
	b->warps = (struct warp *)(void *)(p + y->warps);
	b->shared = p + y->shared + skew;
	for (uint32_t k = 0; k < r->n_warps; k++) {
		struct warp *w = &b->warps[k];

		w->block = b;
		w->index = k;
		w->regs = p + y->regs + skew + k * y->regs_size;
		w->poison = (uint64_t *)(void *)(p + y->poison + skew + k * y->poison_size);
		w->local = p + y->local + skew + k * y->local_size;
		if (!r->l->profile)
			continue;
		w->profile = pool_new(r->pool, profile_wave_size(r->f->n_slots));
		if (!w->profile) {
			block_free(r, b);
			return NULL;
		}
	}
	return b;
}

/* -- Turns -------------------------------------------------------------------------------- */

struct crew {
	struct block *at[MAX_BLOCKS];
	uint32_t n, most;
	uint64_t next, total; /* blocks not yet started */
};

static bool
meter_begin(struct run *r, const struct layout *y)
{
	r->over = r->l->meter && !meter_block(r->l->meter, y->total);
	return !r->over;
}

static bool
crew_add(struct run *r, struct crew *c, const struct layout *y)
{
	struct block *b;

	if (!meter_begin(r, y))
		return false;
	b = block_new(r, y);
	if (!b) {
		r->status = qd_fail(r->err, QD_E_NOMEM, "out of memory for a PTX launch");
		return false;
	}
	c->at[c->n++] = b;
	block_begin(r, b, c->next++);
	return true;
}

/* Returns a warp that can run, starting at a random one; NULL if all wait. */
static struct warp *
next_warp(struct run *r, const struct crew *c)
{
	uint32_t n = c->n * r->n_warps, at = n > 1 ? (uint32_t)(run_random(r) % n) : 0;

	for (uint32_t k = 0; k < n; k++) {
		struct warp *w = &c->at[at / r->n_warps]->warps[at % r->n_warps];

		if (warp_runnable(w))
			return w;
		at = at + 1 == n ? 0 : at + 1;
	}
	return NULL;
}

static void
warp_turn(struct run *r, struct warp *w, uint64_t n)
{
	struct meter *m = r->l->meter;

	if (m && !(n = meter_ask(m, n))) {
		r->over = true;
		return;
	}
	n = warp_run(r, w, n);
	if (m)
		meter_made(m, n);
}

static void
turns(struct run *r, struct crew *c, const struct layout *y)
{
	uint32_t quiet = 0;

	while (c->n < FIRST_BLOCKS && c->n < c->most && c->next < c->total)
		if (!crew_add(r, c, y))
			return;
	while (c->n) {
		struct warp *w = next_warp(r, c);
		uint64_t n = run_random(r);

		/* The running blocks may wait for one that has not started. */
		if ((!w || ++quiet > PATIENCE * c->n) && c->next < c->total && c->n < c->most) {
			quiet = 0;
			if (!crew_add(r, c, y))
				return;
			continue;
		}
		if (!w) {
			find_stuck(r, c->at, c->n);
			return;
		}
		warp_turn(r, w, n & 7 ? 64 + (n >> 8) % 1024 : 1 + (n >> 8) % 32);
		if (r->status != QD_OK || r->over)
			return;
		if (w->block->n_alive)
			continue;
		quiet = 0;
		if (c->next < c->total) {
			if (!meter_begin(r, y))
				return;
			block_begin(r, w->block, c->next++);
			continue;
		}
		for (uint32_t k = 0; k < c->n; k++)
			if (c->at[k] == w->block) {
				block_free(r, c->at[k]);
				c->at[k] = c->at[--c->n];
				break;
			}
	}
}

/* -- Launches ----------------------------------------------------------------------------- */

static qd_status
check(const struct ptx_launch *l, struct qd_error *err)
{
	uint64_t threads = 1;

	for (unsigned k = 0; k < 3; k++) {
		if (!l->grid[k] || !l->block[k] || l->block[k] > MAX_THREADS ||
		    (k && l->grid[k] > 65535) || l->grid[k] > INT32_MAX)
			return qd_fail(
				err, QD_E_LIMIT,
				"%s: cannot launch %u x %u x %u blocks of %u x %u x %u threads: "
				"expected up to %d x 65535 x 65535 blocks and %u threads",
				l->entry->name, l->grid[0], l->grid[1], l->grid[2], l->block[0],
				l->block[1], l->block[2], INT32_MAX, (unsigned)MAX_THREADS);
		threads *= l->block[k];
	}
	if (threads > MAX_THREADS || (l->entry->max_threads && threads > l->entry->max_threads))
		return qd_fail(err, QD_E_LIMIT,
			       "%s: expected at most %u threads per block, found %llu",
			       l->entry->name,
			       l->entry->max_threads && l->entry->max_threads < MAX_THREADS
				       ? l->entry->max_threads
				       : (unsigned)MAX_THREADS,
			       (unsigned long long)threads);
	if (l->dynamic_shared > DYNAMIC_SHARED)
		return qd_fail(err, QD_E_LIMIT,
			       "%s: expected at most %u bytes of dynamic shared memory, found %u",
			       l->entry->name, (unsigned)DYNAMIC_SHARED, l->dynamic_shared);
	return QD_OK;
}

qd_status
ptx_run(struct pool *pool, const struct ptx_launch *l, struct qd_error *err)
{
	const struct func *f = (const struct func *)(const void *)l->entry;
	struct run r = { .l = l, .f = f, .m = f->entry.module, .pool = pool, .err = err };
	struct layout y;
	struct crew *c;
	fenv_t saved;

	QD_TRY(check(l, err));
	r.konst = (const uint8_t *)buf_data(&r.m->konst);
	r.code = (const struct insn *)(const void *)buf_data(&r.m->code);
	r.rng = (l->seed + 1) * UINT64_C(0x9e3779b97f4a7c15) | 1;
	r.n_threads = l->block[0] * l->block[1] * l->block[2];
	r.n_warps = (r.n_threads + 31) / 32;
	r.converged = r.m->sm < 70;
	lay_out(&r, &y);
	if (y.total > MAX_MEMORY)
		return qd_fail(
			err, QD_E_LIMIT,
			"%s: a block needs %zu MB of the emulator's memory; the limit is %llu MB",
			l->entry->name, y.total >> 20, (unsigned long long)(MAX_MEMORY >> 20));
	c = pool_new(pool, sizeof *c);
	if (!c)
		return qd_fail(err, QD_E_NOMEM, "out of memory for a PTX launch");
	c->total = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	c->most = (uint32_t)(MAX_MEMORY / y.total);
	c->most = c->most > MAX_BLOCKS ? MAX_BLOCKS : c->most < 1 ? 1 : c->most;
	bool entered = float_env_enter(&saved);

	turns(&r, c, &y);
	float_env_leave(entered, &saved);
	for (uint32_t k = 0; k < c->n; k++)
		block_free(&r, c->at[k]);
	pool_delete(pool, c);
	return r.status;
}
