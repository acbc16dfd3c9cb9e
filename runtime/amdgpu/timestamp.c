/* Stamps: words that the device writes its clock to, reused after they are given back. */
#include "kgd.h"

qd_status
kgd_timestamp_take(struct qd_device *base, struct timestamp *out, struct qd_error *err)
{
	struct kgd_device *dev = kgd_device_of(base);
	*out = (struct timestamp){ .pool = NULL };
	if (!dev->physical.clock_khz)
		return QD_OK;
	pthread_mutex_lock(&dev->timestamps_lock);
	struct kgd_timestamp *s = dev->timestamps;
	if (s)
		dev->timestamps = s->next;
	pthread_mutex_unlock(&dev->timestamps_lock);
	if (!s) {
		s = pool_new(&base->ctx->pool, sizeof *s);
		if (!s)
			return qd_fail(err, QD_E_NOMEM, "out of memory");
		qd_status st = kgd_piece(dev, KGD_STAGING, sizeof(uint64_t), &s->piece, err);
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
kgd_timestamp_unref(struct kgd_device *dev, struct kgd_timestamp *s)
{
	if (atomic_fetch_sub(&s->refs, 1) != 1)
		return;
	pthread_mutex_lock(&dev->timestamps_lock);
	s->next = dev->timestamps;
	dev->timestamps = s;
	pthread_mutex_unlock(&dev->timestamps_lock);
}

void
kgd_timestamp_give(struct qd_device *base, const struct timestamp *s)
{
	if (s->pool)
		kgd_timestamp_unref(kgd_device_of(base), s->pool);
}

static uint64_t
ticks(const struct timestamp *s)
{
	const struct kgd_timestamp *at = s->pool;
	return QD_SHARED_LOAD(uint64_t, kgd_piece_host(at->piece));
}

qd_status
kgd_timestamp_ns(struct qd_device *base, const struct timestamp *from, const struct timestamp *to,
		 uint64_t *ns, struct qd_error *err)
{
	const struct kgd_device *dev = kgd_device_of(base);
	uint64_t n = ticks(to) - ticks(from);
	if (n > UINT64_MAX / 2)
		return qd_fail(err, QD_E_INVALID,
			       "%s: the second event passed before the first; swap them",
			       base->info.selector);
	*ns = (uint64_t)((double)n * 1e6 / dev->physical.clock_khz);
	return QD_OK;
}

void
kgd_timestamps_fini(struct kgd_device *dev)
{
	for (struct kgd_timestamp *s = dev->timestamps, *next; s; s = next) {
		next = s->next;
		heap_free(s->piece);
		pool_delete(&dev->base.ctx->pool, s);
	}
	dev->timestamps = NULL;
}
