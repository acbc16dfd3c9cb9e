/* Functions that nobody holds: kept, the most recently used first, and unloaded when
 * they are too many.
 *
 * A launch notes nothing of its function.  When a function is to go, all that the
 * device's streams have been given so far must pass, since one of them may use it and
 * none that comes later can: nobody holds it.  Who gets it again meanwhile has it as
 * it was. */
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

/* Notes what the streams have been given and have not done; false where that cannot
 * be found out just now. */
static bool
note_uses(struct qd_function *f)
{
	struct qd_device *dev = f->dev;
	uint32_t n = 0;
	/* It may be held by who waits for a kernel, where kernels run under the lock
	 * of their stream. */
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
