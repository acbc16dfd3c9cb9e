/* Unreferenced functions, kept in order of last use and unloaded when they are too many.
 *
 * A launch records nothing about its function. Before a function is unloaded, all work submitted
 * so far to the device's streams must pass: part of it may use the function, and later work
 * cannot, because the function is unreferenced. A function that is acquired again in the
 * meantime is used as it is. */
#include "function.h"
#include "stream.h"

static void
forget_uses(struct qd_function *f)
{
	if (!f->uses)
		return;
	for (uint32_t i = 0; i < f->n_uses; i++)
		timeline_unref(f->uses[i].timeline);
	pool_delete(&f->dev->ctx->pool, f->uses);
	f->uses = NULL;
	f->n_uses = 0;
}

void
unused_pull(struct qd_function *f)
{
	struct qd_device *dev = f->dev;
	if (f->newer)
		f->newer->older = f->older;
	else
		dev->newest = f->older;
	if (f->older)
		f->older->newer = f->newer;
	else
		dev->oldest = f->newer;
	atomic_fetch_sub_explicit(&dev->hits.n_unused, 1, memory_order_relaxed);
	forget_uses(f);
}

void
unused_push(struct qd_function *f)
{
	struct qd_device *dev = f->dev;
	f->newer = NULL;
	f->older = dev->newest;
	if (dev->newest)
		dev->newest->newer = f;
	else
		dev->oldest = f;
	dev->newest = f;
	atomic_fetch_add_explicit(&dev->hits.n_unused, 1, memory_order_relaxed);
}

/* Records the work that the streams have been given and have not completed. Returns false if
 * that cannot be determined now. */
static bool
note_uses(struct qd_function *f)
{
	struct qd_device *dev = f->dev;
	uint32_t n = 0;
	/* A thread that waits for a kernel may hold the lock, if kernels run under the lock of
	 * their stream. */
	if (pthread_mutex_trylock(&dev->streams_lock))
		return false;
	for (const struct qd_stream *s = dev->streams; s; s = s->next)
		n++;
	f->uses = pool_new(&dev->ctx->pool, (n + 1) * sizeof *f->uses);
	for (const struct qd_stream *s = dev->streams; s && f->uses; s = s->next) {
		uint64_t given = atomic_load_explicit(&s->given, memory_order_acquire);
		if (!timeline_known(s->timeline, given))
			f->uses[f->n_uses++] = (struct wait){ timeline_ref(s->timeline), given };
	}
	pthread_mutex_unlock(&dev->streams_lock);
	return f->uses != NULL;
}

static bool
is_idle(struct qd_function *f)
{
	if (!f->uses && !note_uses(f))
		return false;
	while (f->n_uses) {
		const struct wait *use = &f->uses[f->n_uses - 1];
		struct qd_error err;
		bool passed = false;
		if (timeline_passed(use->timeline, use->value, &passed, &err) != QD_OK || !passed)
			return false;
		timeline_unref(use->timeline);
		f->n_uses--;
	}
	return true;
}

struct qd_function *
unused_shed(struct qd_device *dev, uint32_t most, uint32_t look)
{
	struct qd_function *out = NULL;
	for (struct qd_function *f = dev->oldest, *newer; f && look; f = newer, look--) {
		newer = f->newer;
		if (atomic_load_explicit(&dev->hits.n_unused, memory_order_relaxed) <= most)
			break;
		if (!is_idle(f))
			continue;
		unused_pull(f);
		function_take_out(f);
		f->next = out;
		out = f;
	}
	return out;
}

void
unused_unload(struct qd_function *chain)
{
	while (chain) {
		struct qd_function *f = chain;
		chain = f->next;
		function_unload(f);
	}
}
