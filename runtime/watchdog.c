/* Limits the duration of batches, on devices whose driver ends long submissions.
 *
 * A batch is one submission, and a watchdog counts the time of the whole submission, however short
 * its launches are. A batch is therefore closed before its expected duration exceeds an eighth of
 * the watchdog's limit. A launch that takes longer by itself is alone in its batch.
 *
 * The expected duration of a launch is its function's time per block, times its blocks. The host's
 * clock measures it, from the submission of a batch until the host sees that the batch has passed.
 * This is an upper bound: it includes waits for other batches, and the delay until the host looks.
 * A function is charged with the whole duration of its batches, so its estimate is an upper bound
 * too. An estimate that is too high only shortens batches. A function that was never measured is
 * alone in its batch. Copies and fills are assumed to move a byte per nanosecond, the rate of one
 * lane of PCI Express 3.0. */
#include "stream.h"

enum { SHARE = 8 };

struct work {
	struct qd_function *fn;
	uint64_t blocks;
};

struct watched_batch {
	uint64_t sent_ns;
	uint32_t n;
	struct work work[MAX_COMMANDS];
};

struct watchdog {
	struct pool *pool;
	uint64_t most_ns; /* maximum of a batch */
	/* The batch being recorded, used only by the thread in the stream. */
	struct watched_batch *open;
	uint64_t bytes;				 /* copied and filled in it */
	pthread_mutex_t lock;			 /* guards the rest and timeline.done */
	uint64_t last;				 /* last submitted value */
	struct watched_batch batches[MAX_BATCH]; /* batch of value v at v % MAX_BATCH */
};

struct watchdog_hooks watchdog_hooks;

static uint64_t
now_ns(void)
{
	return watchdog_hooks.clock ? watchdog_hooks.clock() : clock_ns();
}

qd_status
watchdog_create(struct qd_device *dev, struct watchdog **out, struct qd_error *err)
{
	struct watchdog *w = pool_new(&dev->ctx->pool, sizeof *w);
	if (!w)
		return qd_fail(err, QD_E_NOMEM, "a stream: out of memory");
	w->pool = &dev->ctx->pool;
	w->most_ns = dev->watchdog_ns / SHARE;
	pthread_mutex_init(&w->lock, NULL);
	*out = w;
	return QD_OK;
}

void
watchdog_free(struct watchdog *w)
{
	if (!w)
		return;
	pthread_mutex_destroy(&w->lock);
	pool_delete(w->pool, w);
}

/* -- Expected durations ---------------------------------------------------------------- */

static uint64_t
expected_ns(const struct watchdog *w, const struct qd_function *fn, uint64_t blocks)
{
	uint64_t ps = atomic_load_explicit(&fn->block_ps, memory_order_relaxed), all;
	if (!ps || __builtin_mul_overflow(ps, blocks, &all) || all / 1000 >= w->most_ns)
		return w->most_ns;
	return all / 1000 + 1;
}

bool
watchdog_fits(const struct watchdog *w, const struct qd_function *fn, uint64_t n)
{
	uint64_t ns = w->bytes;
	for (uint32_t i = 0; i < w->open->n; i++)
		ns += expected_ns(w, w->open->work[i].fn, w->open->work[i].blocks);
	if (ns >= w->most_ns)
		return false;
	/* A command that takes longer by itself gets a batch of its own. */
	return !ns || (fn ? expected_ns(w, fn, n) : n) <= w->most_ns - ns;
}

void
watchdog_begin(struct watchdog *w, uint64_t value)
{
	w->open = &w->batches[value % MAX_BATCH];
	w->open->n = 0;
	w->bytes = 0;
}

void
watchdog_add(struct watchdog *w, struct qd_function *fn, uint64_t n)
{
	struct watched_batch *b = w->open;
	if (!fn) {
		w->bytes += n;
		return;
	}
	for (uint32_t i = b->n; i-- > 0;) {
		if (b->work[i].fn == fn) {
			b->work[i].blocks += n;
			return;
		}
	}
	b->work[b->n++] = (struct work){ .fn = fn, .blocks = n };
}

void
watchdog_remove(struct watchdog *w, const struct qd_function *fn, uint64_t n)
{
	struct watched_batch *b = w->open;
	uint32_t i = 0;
	while (b->work[i].fn != fn)
		i++;
	b->work[i].blocks -= n;
	if (!b->work[i].blocks)
		b->work[i] = b->work[--b->n];
}

/* -- Measurement ------------------------------------------------------------------------- */

void
watchdog_submit(struct watchdog *w, uint64_t value, bool empty)
{
	struct watched_batch *b = &w->batches[value % MAX_BATCH];
	pthread_mutex_lock(&w->lock);
	if (empty)
		b->n = 0;
	b->sent_ns = now_ns();
	w->last = value;
	pthread_mutex_unlock(&w->lock);
}

/* Returns the blocks of a function in these batches, and removes them, so that they count once. */
static uint64_t
take_blocks(struct watchdog *w, const struct qd_function *fn, uint64_t first, uint64_t last)
{
	uint64_t blocks = 0;
	for (uint64_t v = first; v <= last; v++) {
		struct watched_batch *b = &w->batches[v % MAX_BATCH];
		for (uint32_t i = 0; i < b->n; i++) {
			if (b->work[i].fn != fn)
				continue;
			blocks += b->work[i].blocks;
			b->work[i].fn = NULL;
			break;
		}
	}
	return blocks;
}

/* Measures batches first to last, which have passed since the first of them was submitted. */
static void
measure(struct watchdog *w, uint64_t first, uint64_t last)
{
	uint64_t ns = now_ns() - w->batches[first % MAX_BATCH].sent_ns, ps;
	if (__builtin_mul_overflow(ns, 1000, &ps))
		ps = UINT64_MAX;
	for (uint64_t v = first; v <= last; v++) {
		struct watched_batch *b = &w->batches[v % MAX_BATCH];
		for (uint32_t i = 0; i < b->n; i++) {
			struct qd_function *fn = b->work[i].fn;
			if (!fn)
				continue;
			uint64_t each = ps / take_blocks(w, fn, v, last);
			atomic_store_explicit(&fn->block_ps, each ? each : 1, memory_order_relaxed);
		}
		b->n = 0;
	}
}

/* Measures first: a thread that sees the batch pass may unload its functions. */
void
watchdog_advance(struct watchdog *w, struct timeline *t, uint64_t done)
{
	pthread_mutex_lock(&w->lock);
	uint64_t old = atomic_load(&t->done), last = done < w->last ? done : w->last;
	if (old < last)
		measure(w, old + 1, last);
	if (old < done)
		atomic_store(&t->done, done);
	pthread_mutex_unlock(&w->lock);
}

void
watchdog_end(struct watchdog *w)
{
	pthread_mutex_lock(&w->lock);
	w->last = 0;
	pthread_mutex_unlock(&w->lock);
}
