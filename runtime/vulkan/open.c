/* Lists, opens and closes devices; defines driver_vulkan. */
#include <stdio.h>

#include "dl.h"
#include "device_select.h"
#include "vulkan_internal.h"

struct vulkan_hooks vulkan_hooks;

enum { OPTIONAL, REQUIRED };

static const struct dl_symbol device_symbols[] = {
#define VULKAN_DEVICE(name, need) { #name, offsetof(struct vulkan_device_symbols, name), need },
#include "sym.def"
};

static qd_status
list(struct qd_context *ctx, void (*add)(void *user, const struct qd_device_info *info), void *user,
     struct qd_error *err)
{
	const struct vulkan_instance *in;
	struct vulkan_physical all[VULKAN_MAX_PHYSICAL];
	uint32_t n = 0;
	struct qd_error why;
	qd_status st = vulkan_instance_get(&in, &why);
	if (st == QD_OK)
		st = vulkan_physical_list(in, &ctx->pool, all, &n, &why);
	if (st != QD_OK)
		return list_nothing("vulkan", &why, add, user, err);
	for (uint32_t i = 0; i < n; i++)
		add(user, &all[i].info);
	return QD_OK;
}

/* -- Opening --------------------------------------------------------------------- */

static dl_fn *
get_symbol(void *user, const char *name)
{
	const struct vulkan_device *dev = user;
	return (dl_fn *)dev->instance->vk.vkGetDeviceProcAddr(dev->device, name);
}

static qd_status
create_device(struct vulkan_device *dev, struct qd_error *err)
{
	static const float priority = 1.0f;
	const char *extensions[N_VULKAN_EXTENSION];
	uint32_t n_extensions = 0;
	struct vulkan_features f = dev->physical.enable;
	for (uint32_t i = 0; i < N_VULKAN_EXTENSION; i++) {
		if (dev->physical.extensions >> i & 1)
			extensions[n_extensions++] = vulkan_extension_names[i];
	}
	VkDeviceQueueCreateInfo queue = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueFamilyIndex = dev->physical.family,
		.queueCount = 1,
		.pQueuePriorities = &priority,
	};
	VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.pNext = vulkan_features_chain(&f, dev->physical.extensions),
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue,
		.enabledExtensionCount = n_extensions,
		.ppEnabledExtensionNames = extensions,
	};
	VkResult r =
		dev->instance->vk.vkCreateDevice(dev->physical.handle, &info, NULL, &dev->device);
	if (r != VK_SUCCESS) {
		dev->device = VK_NULL_HANDLE;
		return vulkan_fail(dev, err, r, "vkCreateDevice");
	}
	const char *missing =
		dl_resolve(device_symbols, QD_COUNT(device_symbols), &dev->vk, get_symbol, dev);
	if (missing)
		return qd_fail(err, QD_E_UNAVAILABLE, "%s (%s): the driver has no %s",
			       dev->base.info.selector, dev->base.info.name, missing);
	if (vulkan_hooks.symbols)
		vulkan_hooks.symbols(&dev->vk);
	dev->vk.vkGetDeviceQueue(dev->device, dev->physical.family, 0, &dev->queue);

	VkPipelineCacheCreateInfo cache = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
	};
	r = dev->vk.vkCreatePipelineCache(dev->device, &cache, NULL, &dev->cache);
	if (r != VK_SUCCESS) {
		dev->cache = VK_NULL_HANDLE;
		return vulkan_fail(dev, err, r, "vkCreatePipelineCache");
	}
	return vulkan_memory_init(dev, err);
}

/* Objects that the driver destroys with the device are not destroyed here. */
static void
destroy_device(struct vulkan_device *dev)
{
	const struct vulkan_device_symbols *vk = &dev->vk;
	if (!dev->device)
		return;
	if (vk->vkDeviceWaitIdle)
		vk->vkDeviceWaitIdle(dev->device);
	for (struct vulkan_queries *q = dev->queries, *next; q; q = next) {
		next = q->next;
		vk->vkDestroyQueryPool(dev->device, q->pool, NULL);
		pool_delete(&dev->base.ctx->pool, q);
	}
	for (size_t i = 0; i < QD_COUNT(dev->layouts); i++) {
		if (dev->layouts[i])
			vk->vkDestroyPipelineLayout(dev->device, dev->layouts[i], NULL);
	}
	if (dev->cache)
		vk->vkDestroyPipelineCache(dev->device, dev->cache, NULL);
	vulkan_memory_fini(dev);
	if (vk->vkDestroyDevice)
		vk->vkDestroyDevice(dev->device, NULL);
}

static void
close_device(struct qd_device *base)
{
	struct vulkan_device *dev = vulkan_device_of(base);
	struct pool *pool = &base->ctx->pool;
	destroy_device(dev);
	vulkan_log_detach(&dev->log);
	pthread_mutex_destroy(&dev->queue_lock);
	pthread_mutex_destroy(&dev->layout_lock);
	pthread_mutex_destroy(&dev->query_lock);
	pool_delete(pool, dev);
}

static qd_status
open_device(struct qd_context *ctx, const struct selector *sel, struct qd_device **out,
	    struct qd_error *err)
{
	const struct vulkan_instance *in;
	struct vulkan_physical all[VULKAN_MAX_PHYSICAL];
	uint32_t n, which = 0;
	QD_TRY(vulkan_instance_get(&in, err));
	QD_TRY(vulkan_physical_list(in, &ctx->pool, all, &n, err));
	QD_TRY(vulkan_choose(all, n, sel->which, &which, err));
	const struct vulkan_physical *p = &all[which];

	struct vulkan_device *dev = pool_new(&ctx->pool, sizeof *dev);
	if (!dev)
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	dev->instance = in;
	dev->physical = *p;
	dev->base.max_x = p->limits.maxComputeWorkGroupCount[0];
	dev->base.max_y = p->limits.maxComputeWorkGroupCount[1];
	dev->base.in_order = true;
	/* The watchdog is below the driver, which does not report its limit. */
	dev->base.watchdog_ns = p->type == VK_PHYSICAL_DEVICE_TYPE_CPU ? 0 : WATCHDOG_NS;
	dev->base.ctx = ctx;
	dev->base.driver = &driver_vulkan;
	dev->base.pid = getpid();
	dev->base.info = p->info;
	dev->base.sizes = p->sizes;
	pthread_mutex_init(&dev->queue_lock, NULL);
	pthread_mutex_init(&dev->layout_lock, NULL);
	pthread_mutex_init(&dev->query_lock, NULL);
	vulkan_log_attach(&dev->log, ctx);
	qd_status st = vulkan_physical_target(p, p->info.subgroup_size, &dev->base.target, err);
	if (st == QD_OK)
		st = create_device(dev, err);
	if (st != QD_OK) {
		close_device(&dev->base);
		return st;
	}
	*out = &dev->base;
	return QD_OK;
}

const struct driver driver_vulkan = {
	.name = "vulkan",
	.list = list,
	.open = open_device,
	.close = close_device,
	.accepts = vulkan_accepts,
	.load = vulkan_load,
	.unload = vulkan_unload,
	.memory_alloc = vulkan_buffer_memory,
	.memory_free = vulkan_buffer_memory_free,
	.timeline_create = vulkan_timeline_create,
	.timeline_free = vulkan_timeline_free,
	.poll = vulkan_poll,
	.wait = vulkan_wait,
	.queue_create = vulkan_queue_create,
	.queue_free = vulkan_queue_free,
	.begin = vulkan_begin,
	.copy = vulkan_copy,
	.fill = vulkan_fill,
	.dispatch = vulkan_dispatch,
	.timestamp = vulkan_timestamp,
	.finish = vulkan_finish,
	.submit = vulkan_submit,
	.timestamp_take = vulkan_timestamp_take,
	.timestamp_give = vulkan_timestamp_give,
	.timestamp_ns = vulkan_timestamp_ns,
	.drain = vulkan_drain,
	.trim = vulkan_trim,
};
