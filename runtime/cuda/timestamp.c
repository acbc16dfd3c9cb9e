/* Stamps: events with times, reused after they are given back. */
#include "cuda_internal.h"

qd_status
cuda_timestamp_take(struct qd_device *base, struct timestamp *out, struct qd_error *err)
{
	struct cuda_device *dev = cuda_device_of(base);
	*out = (struct timestamp){ .pool = NULL };
	pthread_mutex_lock(&dev->timestamps_lock);
	struct cuda_timestamp *s = dev->timestamps;
	if (s)
		dev->timestamps = s->next;
	pthread_mutex_unlock(&dev->timestamps_lock);
	if (!s) {
		s = pool_new(&base->ctx->pool, sizeof *s);
		if (!s)
			return qd_fail(err, QD_E_NOMEM, "out of memory");
		qd_status st = cuda_enter(dev, err);
		if (st == QD_OK) {
			int r = dev->cu->cuEventCreate(&s->event, CUDA_EVENT_BLOCKING_SYNC);
			cuda_leave(dev);
			if (r != CUDA_OK)
				st = cuda_fail(dev, err, r, "cuEventCreate");
		}
		if (st != QD_OK) {
			pool_delete(&base->ctx->pool, s);
			return st;
		}
	}
	atomic_store(&s->refs, 1);
	out->pool = s;
	return QD_OK;
}

void
cuda_timestamp_unref(struct cuda_device *dev, struct cuda_timestamp *s)
{
	if (atomic_fetch_sub(&s->refs, 1) != 1)
		return;
	pthread_mutex_lock(&dev->timestamps_lock);
	s->next = dev->timestamps;
	dev->timestamps = s;
	pthread_mutex_unlock(&dev->timestamps_lock);
}

void
cuda_timestamp_give(struct qd_device *base, const struct timestamp *s)
{
	if (s->pool)
		cuda_timestamp_unref(cuda_device_of(base), s->pool);
}

qd_status
cuda_timestamp_ns(struct qd_device *base, const struct timestamp *from, const struct timestamp *to,
		  uint64_t *ns, struct qd_error *err)
{
	struct cuda_device *dev = cuda_device_of(base);
	const struct cuda_timestamp *a = from->pool, *b = to->pool;
	float ms = 0;
	if (a == b) {
		*ns = 0;
		return QD_OK;
	}
	QD_TRY(cuda_enter(dev, err));
	int r = dev->cu->cuEventElapsedTime(&ms, a->event, b->event);
	cuda_leave(dev);
	if (r != CUDA_OK)
		return cuda_fail(dev, err, r, "cuEventElapsedTime");
	if (ms < 0)
		return qd_fail(err, QD_E_INVALID,
			       "%s: the second event passed before the first; swap them",
			       base->info.selector);
	*ns = (uint64_t)((double)ms * 1e6);
	return QD_OK;
}

void
cuda_timestamps_fini(struct cuda_device *dev)
{
	bool entered = dev->timestamps && cuda_enter(dev, QD_IGNORE_ERROR) == QD_OK;
	for (struct cuda_timestamp *s = dev->timestamps, *next; s; s = next) {
		next = s->next;
		if (entered)
			CUDA_DROP(dev, cuEventDestroy, s->event);
		pool_delete(&dev->base.ctx->pool, s);
	}
	if (entered)
		cuda_leave(dev);
	dev->timestamps = NULL;
}
