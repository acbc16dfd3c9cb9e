/* Lists, opens and closes devices; defines driver_cuda. */
#include <stdio.h>

#include "device_select.h"
#include "cuda_internal.h"

/* -- Contexts ----------------------------------------------------------------------- */

qd_status
cuda_enter(struct cuda_device *dev, struct qd_error *err)
{
	CUDA_TRY(dev, err, cuCtxPushCurrent, dev->ctx);
	return QD_OK;
}

void
cuda_leave(struct cuda_device *dev)
{
	struct CUctx_st *ctx;
	CUDA_DROP(dev, cuCtxPopCurrent, &ctx);
}

/* -- Listing ------------------------------------------------------------------------ */

/* Allocates the list, which is too large for the stack. */
static qd_status
get_list(struct qd_context *ctx, const struct cuda_library **lib, struct cuda_physical **out,
	 uint32_t *n, struct qd_error *err)
{
	QD_TRY(cuda_library_get(lib, err));
	*out = pool_new(&ctx->pool, CUDA_MAX_PHYSICAL * sizeof **out);
	if (!*out)
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	qd_status st = cuda_physical_list(*lib, *out, n, err);
	if (st != QD_OK)
		pool_delete(&ctx->pool, *out);
	return st;
}

static qd_status
list(struct qd_context *ctx, void (*add)(void *user, const struct qd_device_info *info), void *user,
     struct qd_error *err)
{
	const struct cuda_library *lib;
	struct cuda_physical *all;
	uint32_t n;
	struct qd_error why;
	qd_status st = get_list(ctx, &lib, &all, &n, &why);
	if (st != QD_OK)
		return list_nothing("cuda", &why, add, user, err);
	for (uint32_t i = 0; i < n; i++)
		add(user, &all[i].info);
	pool_delete(&ctx->pool, all);
	return QD_OK;
}

/* -- Opening ------------------------------------------------------------------------ */

static void
close_device(struct qd_device *base)
{
	struct cuda_device *dev = cuda_device_of(base);
	struct pool *pool = &base->ctx->pool;
	if (dev->ctx) {
		cuda_drain(base);
		cuda_timestamps_fini(dev);
		cuda_memory_fini(dev);
		CUDA_DROP(dev, cuDevicePrimaryCtxRelease, dev->physical.handle);
	}
	pthread_mutex_destroy(&dev->timestamps_lock);
	pthread_mutex_destroy(&dev->lost_lock);
	pool_delete(pool, dev);
}

static qd_status
start(struct cuda_device *dev, struct qd_error *err)
{
	QD_TRY(cuda_physical_target(&dev->physical, &dev->base.target, err));
	int r = dev->cu->cuDevicePrimaryCtxRetain(&dev->ctx, dev->physical.handle);
	if (r != CUDA_OK) {
		dev->ctx = NULL;
		return cuda_fail(dev, err, r, "cuDevicePrimaryCtxRetain");
	}
	cuda_memory_init(dev);
	QD_TRY(cuda_enter(dev, err));
	qd_status st = cuda_probe(dev, err);
	cuda_leave(dev);
	return st;
}

/* Formats the version of the interface and of the kernel module. Many modules have the same
 * version of the interface. */
static void
read_version(struct cuda_device *dev)
{
	char module[64] = "";
	FILE *f = fopen("/sys/module/nvidia/version", "re");
	if (f) {
		if (!fgets(module, sizeof module, f))
			module[0] = '\0';
		fclose(f);
	}
	module[strcspn(module, "\n")] = '\0';
	snprintf(dev->version, sizeof dev->version, "CUDA %d%s%s", dev->lib->version,
		 module[0] ? ", module " : "", module);
}

static qd_status
open_physical(struct qd_context *ctx, const struct cuda_library *lib, const struct cuda_physical *p,
	      struct qd_device **out, struct qd_error *err)
{
	struct cuda_device *dev = pool_new(&ctx->pool, sizeof *dev);
	if (!dev)
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	dev->lib = lib;
	dev->cu = &lib->cu;
	dev->physical = *p;
	read_version(dev);
	dev->base.max_x = p->max_x;
	dev->base.watchdog_ns = p->watchdog ? WATCHDOG_NS : 0;
	dev->base.max_y = 1; /* kernels use only x, whose limit is high enough */
	dev->base.hidden = true;
	dev->base.ctx = ctx;
	dev->base.driver = &driver_cuda;
	dev->base.pid = getpid();
	dev->base.info = p->info;
	dev->base.sizes = p->info.subgroup_size; /* 32 is bit 5 */
	pthread_mutex_init(&dev->timestamps_lock, NULL);
	pthread_mutex_init(&dev->lost_lock, NULL);
	qd_status st = start(dev, err);
	if (st != QD_OK) {
		close_device(&dev->base);
		return st;
	}
	snprintf(dev->base.info.target, sizeof dev->base.info.target, "%s",
		 dev->base.target.m.name);
	*out = &dev->base;
	return QD_OK;
}

static qd_status
open_device(struct qd_context *ctx, const struct selector *sel, struct qd_device **out,
	    struct qd_error *err)
{
	const struct cuda_library *lib;
	struct cuda_physical *all;
	uint32_t n, which;
	QD_TRY(get_list(ctx, &lib, &all, &n, err));
	qd_status st = cuda_choose(all, n, sel->which, &which, err);
	if (st == QD_OK)
		st = open_physical(ctx, lib, &all[which], out, err);
	pool_delete(&ctx->pool, all);
	return st;
}

const struct driver driver_cuda = {
	.name = "cuda",
	.list = list,
	.open = open_device,
	.close = close_device,
	.accepts = cuda_accepts,
	.load = cuda_load,
	.unload = cuda_unload,
	.memory_alloc = cuda_memory_alloc,
	.memory_free = cuda_memory_free,
	.timeline_create = cuda_timeline_create,
	.timeline_free = cuda_timeline_free,
	.poll = cuda_poll,
	.wait = cuda_wait,
	.queue_create = cuda_queue_create,
	.queue_free = cuda_queue_free,
	.begin = cuda_begin,
	.copy = cuda_copy,
	.fill = cuda_fill,
	.dispatch = cuda_dispatch,
	.timestamp = cuda_put_timestamp,
	.start = cuda_start,
	.finish = cuda_finish,
	.submit = cuda_submit,
	.timestamp_take = cuda_timestamp_take,
	.timestamp_give = cuda_timestamp_give,
	.timestamp_ns = cuda_timestamp_ns,
	.drain = cuda_drain,
	.trim = cuda_trim,
};
