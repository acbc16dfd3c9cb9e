/* Creates pipelines. With the disk cache, each has a VkPipelineCache of its own, initialized with
 * the driver's data for the same module, if stored. Without the disk cache, the device's
 * VkPipelineCache is used. */
#include <stdio.h>

#include "disk.h"
#include "vulkan_internal.h"

/* Feedback of the driver on the creation. */
struct feedback {
	VkPipelineCreationFeedback whole, stage;
	VkPipelineCreationFeedbackCreateInfo info;
};

static VkPipelineCreationFeedbackCreateInfo *
ask_feedback(struct feedback *f)
{
	*f = (struct feedback){ 0 };
	f->info = (VkPipelineCreationFeedbackCreateInfo){
		.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
		.pPipelineCreationFeedback = &f->whole,
		.pipelineStageCreationFeedbackCount = 1,
		.pPipelineStageCreationFeedbacks = &f->stage,
	};
	return &f->info;
}

static VkResult
create(struct vulkan_device *dev, const VkComputePipelineCreateInfo *info, VkPipelineCache cache,
       struct feedback *f, VkPipeline *out)
{
	VkComputePipelineCreateInfo asked = *info;
	if (f)
		asked.pNext = ask_feedback(f);
	return dev->vk.vkCreateComputePipelines(dev->device, cache, 1, &asked, NULL, out);
}

/* -- Blobs -------------------------------------------------------------------------- */

/* Vulkan 1.3, 10.7.4, "Pipeline Cache Header"; little-endian. */
struct blob_header {
	uint32_t size, version, vendor, device;
	uint8_t uuid[VK_UUID_SIZE];
};
enum { BLOB_HEADER = 32, BLOB_VERSION = 1 };
_Static_assert(sizeof(struct blob_header) == BLOB_HEADER, "as the manual has it");

/* Returns why the blob cannot be used, or NULL. Drivers crash on blobs of other drivers. */
static const char *
wrong_blob(const struct vulkan_physical *p, const void *blob, size_t size)
{
	struct blob_header h;
	if (size < sizeof h)
		return "the blob is too short";
	memcpy(&h, blob, sizeof h);
	if (h.size < BLOB_HEADER || h.size > size || h.version != BLOB_VERSION)
		return "the blob has an unknown header";
	if (h.vendor != p->info.vendor || h.device != p->device_id ||
	    memcmp(h.uuid, p->cache_uuid, sizeof h.uuid) != 0)
		return "the blob is from another driver";
	return NULL;
}

/* Stores the cache's data on disk, if it is more than a header. */
static void
keep_blob(struct vulkan_device *dev, struct disk_ask *ask, VkPipelineCache cache)
{
	struct pool *pool = &dev->base.ctx->pool;
	size_t size = 0;
	if (dev->vk.vkGetPipelineCacheData(dev->device, cache, &size, NULL) != VK_SUCCESS)
		return;
	if (size <= BLOB_HEADER) { /* both CPU drivers; Mesa's has its own cache */
		ctx_log(dev->base.ctx, QD_LOG_DEBUG, "cache",
			"%s (%s): the driver returns no cache data", dev->base.info.selector,
			dev->base.info.name);
		return;
	}
	void *blob = pool_new(pool, size);
	/* VK_INCOMPLETE: the cache has grown in the meantime, and the blob is incomplete. */
	if (blob && dev->vk.vkGetPipelineCacheData(dev->device, cache, &size, blob) == VK_SUCCESS &&
	    !wrong_blob(&dev->physical, blob, size))
		disk_keep(ask, blob, size, "");
	pool_delete(pool, blob);
}

static VkPipelineCache
create_cache(struct vulkan_device *dev, const void *blob, size_t size)
{
	VkPipelineCacheCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
		.initialDataSize = size,
		.pInitialData = blob,
	};
	VkPipelineCache cache;
	VkResult r = dev->vk.vkCreatePipelineCache(dev->device, &info, NULL, &cache);
	return r == VK_SUCCESS ? cache : VK_NULL_HANDLE;
}

/* -- Disk cache --------------------------------------------------------------------- */

/* Returns a cache with the stored data if the driver accepts it, else an empty cache or NULL. */
static VkPipelineCache
begin_cache(struct vulkan_device *dev, struct disk_ask *ask)
{
	VkPipelineCache cache = VK_NULL_HANDLE;
	if (ask->payload) {
		const char *wrong = wrong_blob(&dev->physical, ask->payload, ask->size);
		if (!wrong)
			cache = create_cache(dev, ask->payload, ask->size);
		if (!cache)
			disk_refused(ask, wrong ? wrong : "vkCreatePipelineCache failed");
	}
	return cache ? cache : create_cache(dev, NULL, 0);
}

/* Records whether the driver used the stored data. A driver without feedback is assumed to. */
static void
set_result(struct disk_ask *ask, const struct feedback *f)
{
	VkPipelineCreationFeedbackFlags flags = f->whole.flags;
	if (flags & VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT &&
	    !(flags & VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT))
		disk_refused(ask, "the driver did not use it");
	else
		disk_took(ask);
}

/* Returns false if no pipeline was created. */
static bool
create_kept(struct vulkan_device *dev, struct disk_ask *ask, const VkComputePipelineCreateInfo *info,
	    VkPipeline *out)
{
	struct feedback f;
	VkPipelineCache cache = begin_cache(dev, ask);
	if (!cache)
		return false;
	VkResult r = create(dev, info, cache, &f, out);
	if (r == VK_SUCCESS)
		set_result(ask, &f);
	else
		disk_refused(ask, "vkCreateComputePipelines failed");
	if (r == VK_SUCCESS && !ask->payload)
		keep_blob(dev, ask, cache);
	dev->vk.vkDestroyPipelineCache(dev->device, cache, NULL);
	return r == VK_SUCCESS;
}

VkResult
vulkan_pipeline_create(struct vulkan_device *dev, const struct qd_image *img,
		       const VkComputePipelineCreateInfo *info, VkPipeline *out)
{
	const struct vulkan_physical *p = &dev->physical;
	char version[sizeof p->info.driver + 64], device[sizeof p->info.uuid + sizeof p->info.name + 32];
	char uuid[2 * VK_UUID_SIZE + 1];
	struct disk_driver driver = { "vulkan", version, device };
	struct disk_ask ask;
	for (size_t i = 0; i < VK_UUID_SIZE; i++)
		snprintf(uuid + 2 * i, 3, "%02x", p->cache_uuid[i]);
	snprintf(version, sizeof version, "%s, %x, cache %s", p->info.driver, p->driver_version, uuid);
	snprintf(device, sizeof device, "%s, %04x:%04x, %s", p->info.name, p->info.vendor, p->device_id,
		 p->info.uuid);
	bool made = disk_ask(&ask, img, DISK_PIPELINE, &driver) &&
		    create_kept(dev, &ask, info, out);
	disk_done(&ask);
	/* Retries without the disk cache, which may have caused the failure. */
	return made ? VK_SUCCESS : create(dev, info, dev->cache, NULL, out);
}
