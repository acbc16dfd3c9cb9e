/* Uses of buffers, and deferred freeing of buffers that are in use.
 *
 * A buffer stores, for each stream that used it, the timeline value that passes with the last
 * use. A buffer that is freed before all these values have passed, or while a download will
 * still read it, goes to the device's list. The list is examined when buffers are created or freed,
 * at each sync, when memory is short, and when the device is closed. So freeing a buffer never
 * waits.
 *
 * Memory that the host cannot access is zeroed by a stream of the device's own. If the device
 * has one queue (in_order), later submissions see the zeros. Otherwise the first stream that
 * uses the buffer waits for that stream's timeline, as for an event. The same holds for all
 * other dependencies between streams: nothing here relies on the order of two queues without a
 * wait, and memory is reused only when its uses have passed. */
#include <sched.h>

#include "stream.h"

/* -- Uses ------------------------------------------------------------------------------ */

/* A spin lock, held for a few instructions. A mutex per buffer would dominate the cost of a
 * launch. */
static void
uses_lock(struct qd_buffer *buf)
{
	while (atomic_exchange_explicit(&buf->uses_busy, true, memory_order_acquire))
		sched_yield();
}

static void
uses_unlock(struct qd_buffer *buf)
{
	atomic_store_explicit(&buf->uses_busy, false, memory_order_release);
}

static bool
grow(struct qd_buffer *buf)
{
	struct pool *pool = &buf->dev->ctx->pool;
	struct wait *to = pool_new(pool, 2 * buf->cap_uses * sizeof *to);
	if (!to)
		return false;
	memcpy(to, buf->uses, buf->n_uses * sizeof *to);
	if (buf->uses != buf->few_uses)
		pool_delete(pool, buf->uses);
	buf->uses = to;
	buf->cap_uses *= 2;
	return true;
}

/* Returns the stream's entry in the list, or an entry whose use has passed, or a new one; NULL if
 * out of memory. */
static struct wait *
find_place(struct qd_buffer *buf, const struct timeline *t)
{
	struct wait *over = NULL;
	for (uint32_t i = 0; i < buf->n_uses; i++) {
		struct wait *u = &buf->uses[i];
		if (u->timeline == t)
			return u;
		if (!over && timeline_known(u->timeline, u->value))
			over = u;
	}
	if (over)
		return over;
	if (buf->n_uses == buf->cap_uses && !grow(buf))
		return NULL;
	struct wait *u = &buf->uses[buf->n_uses++];
	u->timeline = NULL;
	return u;
}

qd_status
use_note(struct qd_stream *s, struct qd_buffer *buf, struct qd_error *err)
{
	struct timeline *old = NULL;
	uses_lock(buf);
	struct wait *u = find_place(buf, s->timeline);
	if (u) {
		if (QD_UNLIKELY(u->timeline != s->timeline)) {
			old = u->timeline;
			u->timeline = timeline_ref(s->timeline);
		}
		u->value = s->submitted + 1;
	}
	uses_unlock(buf);
	timeline_unref(old);
	return QD_LIKELY(u != NULL) ? QD_OK : qd_fail(err, QD_E_NOMEM, "out of memory");
}

/* Finds a use that is not known to have passed, and takes a reference on its timeline. */
static bool
find_use(struct qd_buffer *buf, struct wait *out)
{
	bool found = false;
	uses_lock(buf);
	for (uint32_t i = 0; i < buf->n_uses && !found; i++) {
		*out = buf->uses[i];
		found = !timeline_known(out->timeline, out->value);
	}
	if (found)
		timeline_ref(out->timeline);
	uses_unlock(buf);
	return found;
}

bool
uses_passed(struct qd_buffer *buf)
{
	struct wait use;
	while (find_use(buf, &use)) {
		bool passed = false;
		qd_status st = timeline_passed(use.timeline, use.value, &passed, QD_IGNORE_ERROR);
		timeline_unref(use.timeline);
		if (st != QD_OK || !passed)
			return false;
	}
	return true;
}

qd_status
stream_wait_zeroed(struct qd_stream *s, struct qd_buffer *buf, struct qd_error *err)
{
	uint64_t born = atomic_load_explicit(&buf->born, memory_order_relaxed);
	bool passed;
	if (QD_LIKELY(!born))
		return QD_OK;
	struct timeline *t = s->dev->own->timeline;
	QD_TRY(timeline_passed(t, born, &passed, err));
	if (passed) {
		atomic_store_explicit(&buf->born, 0, memory_order_relaxed);
		return QD_OK;
	}
	return stream_add_wait(s, t, born, err);
}

/* -- Freeing ----------------------------------------------------------------------------- */

static void
destroy(struct qd_buffer *buf)
{
	struct qd_device *dev = buf->dev;
	for (uint32_t i = 0; i < buf->n_uses; i++)
		timeline_unref(buf->uses[i].timeline);
	if (buf->uses != buf->few_uses)
		pool_delete(&dev->ctx->pool, buf->uses);
	dev->driver->memory_free(dev, &buf->memory);
	pool_delete(&dev->ctx->pool, buf);
}

static bool
in_use(struct qd_buffer *buf)
{
	return atomic_load(&buf->reads) || !uses_passed(buf);
}

void
buffer_dispose(struct qd_buffer *buf)
{
	struct qd_device *dev = buf->dev;
	freed_collect(dev, FREED_LOOK);
	if (!in_use(buf)) {
		destroy(buf);
		return;
	}
	pthread_mutex_lock(&dev->freed_lock);
	buf->next = NULL;
	*dev->freed_end = buf;
	dev->freed_end = &buf->next;
	atomic_fetch_add(&dev->n_freed, 1);
	pthread_mutex_unlock(&dev->freed_lock);
}

void
freed_collect(struct qd_device *dev, uint32_t most)
{
	struct qd_buffer *over = NULL;
	if (QD_LIKELY(!atomic_load_explicit(&dev->n_freed, memory_order_relaxed)))
		return;
	pthread_mutex_lock(&dev->freed_lock);
	for (struct qd_buffer **at = &dev->freed; *at && most; most--) {
		struct qd_buffer *buf = *at;
		if (in_use(buf)) {
			at = &buf->next;
			continue;
		}
		*at = buf->next;
		if (!*at)
			dev->freed_end = at;
		atomic_fetch_sub(&dev->n_freed, 1);
		buf->next = over;
		over = buf;
	}
	pthread_mutex_unlock(&dev->freed_lock);
	while (over) {
		struct qd_buffer *buf = over;
		over = buf->next;
		destroy(buf);
	}
}

void
freed_fini(struct qd_device *dev)
{
	while (dev->freed) {
		struct qd_buffer *buf = dev->freed;
		dev->freed = buf->next;
		destroy(buf);
	}
}
