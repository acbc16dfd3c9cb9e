/* Caches of devices: unreferenced functions, empty staging rings of streams, and unused memory of
 * the driver. They are freed by qd_context_trim, and when a device is short of memory. */
#include "function.h"
#include "stream.h"

/* Open devices of a context. */
struct devices {
	pthread_mutex_t lock;
	struct qd_device *first;
};

static void
trim_all(struct qd_context *ctx, void *p)
{
	struct devices *l = p;
	(void)ctx;
	/* No device is closed while the lock is held. */
	pthread_mutex_lock(&l->lock);
	for (struct qd_device *dev = l->first; dev; dev = dev->next)
		device_trim(dev);
	pthread_mutex_unlock(&l->lock);
}

static void
devices_free(struct qd_context *ctx, void *p)
{
	struct devices *l = p;
	/* A device that is still open finds the slot empty when it is closed. */
	pthread_mutex_destroy(&l->lock);
	pool_delete(&ctx->pool, l);
}

static void *
devices_make(struct qd_context *ctx)
{
	struct devices *l = pool_new(&ctx->pool, sizeof *l);
	if (l) {
		pthread_mutex_init(&l->lock, NULL);
		ctx_slot_trim(ctx, CTX_SLOT_RUNTIME, trim_all);
	}
	return l;
}

qd_status
device_enlist(struct qd_device *dev, struct qd_error *err)
{
	struct devices *l = ctx_slot(dev->ctx, CTX_SLOT_RUNTIME, devices_make, devices_free);
	if (!l)
		return qd_fail(err, QD_E_NOMEM, "the list of devices: out of memory");
	pthread_mutex_lock(&l->lock);
	dev->next = l->first;
	dev->link = &l->first;
	if (dev->next)
		dev->next->link = &dev->next;
	l->first = dev;
	pthread_mutex_unlock(&l->lock);
	return QD_OK;
}

void
device_delist(struct qd_device *dev)
{
	struct devices *l = atomic_load(&dev->ctx->slot[CTX_SLOT_RUNTIME].p);
	if (!l)
		return;
	pthread_mutex_lock(&l->lock);
	if (dev->link) { /* device_enlist has succeeded */
		*dev->link = dev->next;
		if (dev->next)
			dev->next->link = dev->link;
	}
	pthread_mutex_unlock(&l->lock);
}

bool
device_trim(struct qd_device *dev)
{
	struct qd_function *out;
	bool any = false;

	streams_kick(dev);
	/* An unloaded function releases its general variant, which the next pass unloads. */
	do {
		pthread_mutex_lock(&dev->lock);
		out = unused_shed(dev, 0, UINT32_MAX);
		pthread_mutex_unlock(&dev->lock);
		any |= out != NULL;
		unused_unload(out);
	} while (out);
	any |= streams_trim(dev);
	if (dev->driver->trim)
		any |= dev->driver->trim(dev);
	return any;
}
