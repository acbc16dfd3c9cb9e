/* Listing, opening and closing: the row of the driver table. */
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "dl.h"
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
	(void)ctx;
	if (st == QD_OK)
		st = vulkan_physical_list(in, all, &n, &why);
	if (st == QD_E_NOMEM)
		return qd_fail_text(err, st, 0, 0, why.text, strlen(why.text));
	if (st != QD_OK) {
		struct qd_device_info info = { .selector = "vulkan", .name = "vulkan" };
		snprintf(info.why, sizeof info.why, "%.255s", why.text);
		add(user, &info);
		return QD_OK;
	}
	for (uint32_t i = 0; i < n; i++)
		add(user, &all[i].info);
	return QD_OK;
}

/* -- Choosing ------------------------------------------------------------------- */

static bool
contains(const char *text, const char *part)
{
	size_t len = strlen(part);
	for (; *text; text++) {
		if (strncasecmp(text, part, len) == 0)
			return true;
	}
	return false;
}

static qd_status
not_usable(const struct vulkan_physical *p, struct qd_error *err)
{
	return qd_fail(err, QD_E_UNAVAILABLE, "%s (%s) cannot be used: it %s", p->info.selector,
		       p->info.name, p->info.why);
}

static qd_status
choose_index(const struct vulkan_physical *all, uint32_t n, const char *which, uint32_t *out,
	     struct qd_error *err)
{
	unsigned long i = strlen(which) < 9 ? strtoul(which, NULL, 10) : n;
	if (i >= n)
		return qd_fail(err, QD_E_NOT_FOUND, "no device vulkan:%s; there %s %u, from 0",
			       which, n == 1 ? "is" : "are", n);
	if (!all[i].info.usable)
		return not_usable(&all[i], err);
	*out = (uint32_t)i;
	return QD_OK;
}

/* By name, or the first usable one where `which` is empty. */
static qd_status
choose_name(const struct vulkan_physical *all, uint32_t n, const char *which, uint32_t *out,
	    struct qd_error *err)
{
	const struct vulkan_physical *near = NULL;
	for (uint32_t i = 0; i < n; i++) {
		if (*which && !contains(all[i].info.name, which))
			continue;
		if (all[i].info.usable) {
			*out = i;
			return QD_OK;
		}
		if (!near)
			near = &all[i];
	}
	if (near)
		return not_usable(near, err);
	return qd_fail(err, QD_E_NOT_FOUND,
		       "no Vulkan device has '%s' in its name; the first of %u is '%s'", which, n,
		       all[0].info.name);
}

static qd_status
choose(const struct vulkan_physical *all, uint32_t n, const char *which, uint32_t *out,
       struct qd_error *err)
{
	if (*which && strspn(which, "0123456789") == strlen(which))
		return choose_index(all, n, which, out, err);
	return choose_name(all, n, which, out, err);
}

static qd_status
check_size(const struct vulkan_physical *p, uint32_t size, struct qd_error *err)
{
	for (uint32_t i = 0; i <= MAX_LOG2; i++) {
		if (p->sizes >> i & 1 && size == 1u << i)
			return QD_OK;
	}
	if (p->info.min_subgroup_size == p->info.max_subgroup_size)
		return qd_fail(err, QD_E_LIMIT,
			       "%s (%s): no subgroups of %u lanes; the device has %u",
			       p->info.selector, p->info.name, size, p->info.subgroup_size);
	return qd_fail(err, QD_E_LIMIT,
		       "%s (%s): no subgroups of %u lanes; the device takes powers of two from %u "
		       "to %u",
		       p->info.selector, p->info.name, size, p->info.min_subgroup_size,
		       p->info.max_subgroup_size);
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
	static const char *const portability = "VK_KHR_portability_subset";
	struct vulkan_features f = dev->physical.enable;
	f.core.pNext = &f.v11;
	f.v11.pNext = &f.v12;
	f.v12.pNext = &f.v13;
	VkDeviceQueueCreateInfo queue = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueFamilyIndex = dev->physical.family,
		.queueCount = 1,
		.pQueuePriorities = &priority,
	};
	VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.pNext = &f.core,
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue,
		.enabledExtensionCount = dev->physical.portability,
		.ppEnabledExtensionNames = &portability,
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

/* What the driver itself destroys with the device is left to it. */
static void
destroy_device(struct vulkan_device *dev)
{
	const struct vulkan_device_symbols *vk = &dev->vk;
	if (!dev->device)
		return;
	if (!atomic_load(&dev->base.lost) && vk->vkDeviceWaitIdle)
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
	pthread_mutex_destroy(&dev->memory_lock);
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
	QD_TRY(vulkan_physical_list(in, all, &n, err));
	QD_TRY(choose(all, n, sel->which, &which, err));
	const struct vulkan_physical *p = &all[which];
	uint32_t size = sel->size ? sel->size : p->info.subgroup_size;
	QD_TRY(check_size(p, size, err));

	struct vulkan_device *dev = pool_new(&ctx->pool, sizeof *dev);
	if (!dev)
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	dev->instance = in;
	dev->physical = *p;
	dev->base.max_x = p->limits.maxComputeWorkGroupCount[0];
	dev->base.max_y = p->limits.maxComputeWorkGroupCount[1];
	dev->base.in_order = true;
	dev->base.ctx = ctx;
	dev->base.driver = &driver_vulkan;
	dev->base.pid = getpid();
	dev->base.info = p->info;
	dev->base.sizes = p->sizes;
	pthread_mutex_init(&dev->queue_lock, NULL);
	pthread_mutex_init(&dev->layout_lock, NULL);
	pthread_mutex_init(&dev->memory_lock, NULL);
	pthread_mutex_init(&dev->query_lock, NULL);
	vulkan_log_attach(&dev->log, ctx);
	qd_status st = vulkan_physical_target(p, size, &dev->base.target, err);
	if (st == QD_OK) {
		/* What opens the same again. */
		if (size != p->info.subgroup_size) {
			size_t at = strlen(dev->base.info.selector);

			snprintf(dev->base.info.selector + at,
				 sizeof dev->base.info.selector - at, ":w%u", size);
		}
		dev->base.info.subgroup_size = size;
		dev->base.info.max_block_dim = dev->base.target.m.max_block_dim;
		snprintf(dev->base.info.target, sizeof dev->base.info.target, "%s",
			 dev->base.target.m.name);
		st = create_device(dev, err);
	}
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
	.zero = vulkan_zero,
	.dispatch = vulkan_dispatch,
	.stamp = vulkan_stamp,
	.finish = vulkan_finish,
	.submit = vulkan_submit,
	.stamp_take = vulkan_stamp_take,
	.stamp_give = vulkan_stamp_give,
	.stamp_ns = vulkan_stamp_ns,
};
