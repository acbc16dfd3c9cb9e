/* Lists, opens and closes devices; defines driver_amdgpu. */
#include <stdio.h>
#include <unistd.h>

#include "device_select.h"
#include "kgd.h"

/* -- Listing ------------------------------------------------------------------------------------ */

/* Allocates the list, which is too large for the stack. */
static qd_status
get_list(struct qd_context *ctx, const struct kgd_symbols **drm, struct kgd_physical **out,
	 uint32_t *n, struct qd_error *err)
{
	QD_TRY(kgd_library_get(drm, err));
	*out = pool_new(&ctx->pool, KGD_MAX_PHYSICAL * sizeof **out);
	if (!*out)
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	qd_status st = kgd_physical_list(*drm, *out, n, err);
	if (st != QD_OK)
		pool_delete(&ctx->pool, *out);
	return st;
}

static qd_status
list(struct qd_context *ctx, void (*add)(void *user, const struct qd_device_info *info), void *user,
     struct qd_error *err)
{
	const struct kgd_symbols *drm;
	struct kgd_physical *all;
	uint32_t n;
	struct qd_error why;
	qd_status st = get_list(ctx, &drm, &all, &n, &why);
	if (st != QD_OK)
		return list_nothing("amdgpu", &why, add, user, err);
	for (uint32_t i = 0; i < n; i++)
		add(user, &all[i].info);
	pool_delete(&ctx->pool, all);
	return QD_OK;
}

/* -- Opening ------------------------------------------------------------------------------------- */

static void
close_device(struct qd_device *base)
{
	struct kgd_device *dev = kgd_device_of(base);
	struct pool *pool = &base->ctx->pool;
	if (dev->handle) {
		kgd_drain(base);
		kgd_timestamps_fini(dev);
		kgd_copy_kernels_fini(dev);
		kgd_memory_fini(dev);
		KGD_DROP(dev, amdgpu_device_deinitialize, dev->handle);
		kgd_library_release();
	}
	if (dev->fd >= 0)
		close(dev->fd);
	pthread_mutex_destroy(&dev->lists_lock);
	pthread_mutex_destroy(&dev->timestamps_lock);
	pthread_mutex_destroy(&dev->timelines_lock);
	pthread_mutex_destroy(&dev->lost_lock);
	pool_delete(pool, dev);
}

/* Creates an empty stream, for batches that only wait. */
static qd_status
make_idle(struct kgd_device *dev, struct qd_error *err)
{
	struct pm4 p;
	QD_TRY(kgd_piece(dev, KGD_COMMAND, KGD_IDLE * sizeof(uint32_t), &dev->idle, err));
	pm4_begin(&p, dev->gpu->gen, kgd_piece_host(dev->idle), KGD_IDLE, err);
	pm4_drain(&p);
	pm4_pad(&p);
	return p.st;
}

static qd_status
start(struct kgd_device *dev, struct qd_error *err)
{
	uint32_t major, minor;
	QD_TRY(isa_target(dev->gpu->name, &dev->base.target, err));
	dev->fd = dev->drm->drmOpenRender(dev->physical.minor);
	if (dev->fd < 0)
		return kgd_fail(dev, err, dev->fd, "drmOpenRender");
	kgd_library_hold();
	int r = dev->drm->amdgpu_device_initialize(dev->fd, &major, &minor, &dev->handle);
	if (r) {
		kgd_library_release();
		dev->handle = NULL;
		return kgd_fail(dev, err, r, "amdgpu_device_initialize");
	}
	kgd_memory_init(dev);
	QD_TRY(make_idle(dev, err));
	return kgd_copy_kernels_init(dev, err);
}

static qd_status
open_physical(struct qd_context *ctx, const struct kgd_symbols *drm, const struct kgd_physical *p,
	      struct qd_device **out, struct qd_error *err)
{
	struct kgd_device *dev = pool_new(&ctx->pool, sizeof *dev);
	if (!dev)
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	dev->drm = drm;
	dev->physical = *p;
	dev->gpu = p->gpu;
	dev->fd = -1;
	dev->base.max_x = PM4_MAX_X;
	dev->base.max_y = 1; /* kernels use only x, whose limit is high enough */
	dev->base.solid_blocks = true;
	dev->base.watchdog_ns = WATCHDOG_NS;
	dev->base.ctx = ctx;
	dev->base.driver = &driver_amdgpu;
	dev->base.pid = getpid();
	dev->base.info = p->info;
	dev->base.sizes = p->gpu->sizes; /* 32 is bit 5, 64 bit 6 */
	pm4_all_units(dev->engines, p->n_engine);
	pthread_mutex_init(&dev->lists_lock, NULL);
	pthread_mutex_init(&dev->timestamps_lock, NULL);
	pthread_mutex_init(&dev->timelines_lock, NULL);
	pthread_mutex_init(&dev->lost_lock, NULL);
	qd_status st = start(dev, err);
	if (st != QD_OK) {
		close_device(&dev->base);
		return st;
	}
	*out = &dev->base;
	return QD_OK;
}

static qd_status
open_device(struct qd_context *ctx, const struct selector *sel, struct qd_device **out,
	    struct qd_error *err)
{
	const struct kgd_symbols *drm;
	struct kgd_physical *all;
	uint32_t n, which;
	QD_TRY(get_list(ctx, &drm, &all, &n, err));
	qd_status st = kgd_choose(all, n, sel->which, &which, err);
	if (st == QD_OK)
		st = open_physical(ctx, drm, &all[which], out, err);
	pool_delete(&ctx->pool, all);
	return st;
}

const struct driver driver_amdgpu = {
	.name = "amdgpu",
	.list = list,
	.open = open_device,
	.close = close_device,
	.accepts = kgd_accepts,
	.load = kgd_load,
	.unload = kgd_unload,
	.memory_alloc = kgd_memory_alloc,
	.memory_free = kgd_memory_free,
	.timeline_create = kgd_timeline_create,
	.timeline_free = kgd_timeline_free,
	.poll = kgd_poll,
	.wait = kgd_wait,
	.queue_create = kgd_queue_create,
	.queue_free = kgd_queue_free,
	.begin = kgd_begin,
	.copy = kgd_copy,
	.fill = kgd_fill,
	.dispatch = kgd_dispatch,
	.timestamp = kgd_put_timestamp,
	.finish = kgd_finish,
	.submit = kgd_submit,
	.timestamp_take = kgd_timestamp_take,
	.timestamp_give = kgd_timestamp_give,
	.timestamp_ns = kgd_timestamp_ns,
	.drain = kgd_drain,
	.trim = kgd_trim,
};
