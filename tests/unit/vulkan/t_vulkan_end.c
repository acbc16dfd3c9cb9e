/* Destruction of objects by the Vulkan driver. After a failure they live until all submitted work
 * has ended. Cached objects are freed when memory is short. The tests replace entries of the symbol
 * table. */
#include "t_vulkan.h"

static struct vulkan_device_symbols real;

/* -- Objects in use ---------------------------------------------------------------------- */

static struct {
	bool running; /* work was submitted since the device was last idle */
	uint32_t n_early, n_destroyed;
	uint32_t submits_left; /* until the device is lost; 0: never */
	VkResult wait;
} end;

static VKAPI_ATTR VkResult VKAPI_CALL
submit(VkQueue queue, uint32_t n, const VkSubmitInfo2 *info, VkFence fence)
{
	if (end.submits_left && --end.submits_left == 0)
		return VK_ERROR_DEVICE_LOST;
	end.running = true;
	return real.vkQueueSubmit2(queue, n, info, fence);
}

static VKAPI_ATTR VkResult VKAPI_CALL
fail_wait(VkDevice device, const VkSemaphoreWaitInfo *info, uint64_t timeout)
{
	(void)device, (void)info, (void)timeout;
	return end.wait;
}

static VKAPI_ATTR VkResult VKAPI_CALL
not_yet(VkDevice device, VkSemaphore semaphore, uint64_t *value)
{
	(void)device, (void)semaphore;
	*value = 0;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
idle(VkDevice device)
{
	VkResult r = real.vkDeviceWaitIdle(device);
	end.running = false;
	return end.wait == VK_ERROR_DEVICE_LOST ? end.wait : r;
}

/* Work in flight must end before the real driver is called. */
#define DESTROY(name, handle)                                                                      \
	static VKAPI_ATTR void VKAPI_CALL name(VkDevice device, handle h,                          \
					       const VkAllocationCallbacks *a)                     \
	{                                                                                          \
		end.n_destroyed += h != VK_NULL_HANDLE;                                            \
		end.n_early += h != VK_NULL_HANDLE && end.running;                                 \
		if (end.running)                                                                   \
			real.vkDeviceWaitIdle(device);                                             \
		real.vk##name(device, h, a);                                                       \
	}
DESTROY(DestroyCommandPool, VkCommandPool)
DESTROY(DestroySemaphore, VkSemaphore)
DESTROY(DestroyBuffer, VkBuffer)
DESTROY(DestroyPipeline, VkPipeline)
DESTROY(DestroyQueryPool, VkQueryPool)
DESTROY(FreeMemory, VkDeviceMemory)

/* Frees a stream and everything else while its work may still run, because waiting has failed. */
static void
drained(struct unit_ctx *t, bool staged, uint32_t submits, VkResult wait)
{
	struct vulkan_rig r;
	if (!vulkan_rig_open(t, &r, staged))
		return;
	struct qd_function *inc = vulkan_rig_function(t, &r, r.inc);
	struct qd_buffer *buf = vulkan_rig_buffer(t, &r, 64);
	struct qd_event *ev = NULL;
	VULKAN_OK(t, &r, qd_stream_sync(r.stream, &r.e));
	memset(&end, 0, sizeof end);
	end.submits_left = submits;
	end.wait = wait;
	real = r.vk->vk;
	r.vk->vk.vkQueueSubmit2 = submit;
	r.vk->vk.vkWaitSemaphores = fail_wait;
	r.vk->vk.vkGetSemaphoreCounterValue = not_yet;
	r.vk->vk.vkDeviceWaitIdle = idle;
	r.vk->vk.vkDestroyCommandPool = DestroyCommandPool;
	r.vk->vk.vkDestroySemaphore = DestroySemaphore;
	r.vk->vk.vkDestroyBuffer = DestroyBuffer;
	r.vk->vk.vkDestroyPipeline = DestroyPipeline;
	r.vk->vk.vkDestroyQueryPool = DestroyQueryPool;
	r.vk->vk.vkFreeMemory = FreeMemory;
	VULKAN_OK(t, &r, vulkan_rig_inc(r.stream, inc, buf, 16, &r.e));
	unit_event(r.dev, r.stream, &ev, &r.e);
	vulkan_rig_inc(r.stream, inc, buf, 16, &r.e);
	qd_status st = qd_stream_sync(r.stream, &r.e);
	UNIT_CHECK(t, st == QD_E_DEVICE_LOST || st == QD_E_NOMEM, "%s", qd_status_name(st));
	UNIT_CHECK(t, end.running, "nothing runs");
	qd_buffer_free(buf);
	qd_event_free(ev);
	qd_function_free(inc);
	qd_context_trim(r.ctx, &r.e);
	UNIT_CHECK(t, end.n_destroyed == 0, "%u objects are gone already", end.n_destroyed);
	vulkan_rig_close(t, &r);
	UNIT_CHECK(t, end.n_early == 0 && end.n_destroyed > 4,
		   "%u of %u objects destroyed too early", end.n_early, end.n_destroyed);
}

void
t_vulkan_drained(struct unit_ctx *t)
{
	for (int staged = 0; staged < 2 && !t->skipped; staged++) {
		drained(t, staged, 0, VK_ERROR_DEVICE_LOST);
		if (t->skipped)
			return;
		drained(t, staged, 2, VK_ERROR_DEVICE_LOST);
		drained(t, staged, 0, VK_ERROR_OUT_OF_HOST_MEMORY);
	}
}

/* -- Short of memory ------------------------------------------------------------------------ */

/* Device with a fixed amount of memory, all types together. */
static struct {
	VkDeviceMemory memory[64];
	uint64_t size[64];
	uint64_t left;
	uint32_t n, n_failed;
} purse;

static VKAPI_ATTR VkResult VKAPI_CALL
purse_alloc(VkDevice device, const VkMemoryAllocateInfo *info, const VkAllocationCallbacks *a,
	    VkDeviceMemory *out)
{
	if (info->allocationSize > purse.left || purse.n == QD_COUNT(purse.size)) {
		purse.n_failed++;
		return VK_ERROR_OUT_OF_DEVICE_MEMORY;
	}
	VkResult r = real.vkAllocateMemory(device, info, a, out);
	if (r == VK_SUCCESS) {
		purse.memory[purse.n] = *out;
		purse.size[purse.n++] = info->allocationSize;
		purse.left -= info->allocationSize;
	}
	return r;
}

static VKAPI_ATTR void VKAPI_CALL
purse_free(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks *a)
{
	for (uint32_t i = 0; i < purse.n; i++) {
		if (purse.memory[i] != memory)
			continue;
		purse.left += purse.size[i];
		purse.memory[i] = purse.memory[--purse.n];
		purse.size[i] = purse.size[purse.n];
		break;
	}
	real.vkFreeMemory(device, memory, a);
}

static void
give_purse(struct vulkan_rig *r, uint64_t size)
{
	memset(&purse, 0, sizeof purse);
	purse.left = size;
	real = r->vk->vk;
	r->vk->vk.vkAllocateMemory = purse_alloc;
	r->vk->vk.vkFreeMemory = purse_free;
}

/* Checks that an empty block is kept until its memory is needed. */
void
t_vulkan_short_of_memory(struct unit_ctx *t)
{
	struct vulkan_rig r;
	if (!vulkan_rig_open(t, &r, true))
		return;
	uint64_t block = r.vk->main->base.block_size;
	give_purse(&r, block + (1 << 20));
	qd_buffer_free(vulkan_rig_buffer(t, &r, 1000));
	VULKAN_OK(t, &r, qd_stream_sync(r.stream, &r.e));
	purse.n_failed = 0;
	struct qd_buffer *large = vulkan_rig_buffer(t, &r, (size_t)block), *more = NULL;
	UNIT_CHECK(t, large && purse.n_failed == 1, "%u calls failed", purse.n_failed);
	/* nothing more can be freed, so the call must fail */
	qd_status st = qd_buffer_create(r.dev, (size_t)block, 0, &more, &r.e);
	UNIT_CHECK(t, st == QD_E_DEVICE_NOMEM, "%s", qd_status_name(st));
	qd_buffer_free(large);
	vulkan_rig_close(t, &r);
}

/* Checks that rings of idle streams are given to a busy one. */
void
t_vulkan_short_of_staging(struct unit_ctx *t)
{
	enum { STREAMS = 8 };
	struct qd_stream *s[STREAMS] = { NULL };
	struct vulkan_rig r;
	uint32_t word = 5, got[STREAMS] = { 0 };
	if (!vulkan_rig_open(t, &r, true))
		return;
	give_purse(&r, r.vk->main->base.block_size + r.vk->staging->base.block_size);
	struct qd_buffer *buf = vulkan_rig_buffer(t, &r, 64);
	qd_status st = qd_buffer_upload(r.stream, buf, 0, &word, 4, &r.e);
	st = st ? st : qd_stream_sync(r.stream, &r.e);
	for (uint32_t i = 0; i < STREAMS && !st; i++) {
		st = qd_stream_create(r.dev, &s[i], &r.e);
		st = st ? st : qd_buffer_download_async(s[i], buf, 0, &got[i], 4, &r.e);
		st = st ? st : qd_stream_sync(s[i], &r.e);
		UNIT_CHECK(t, !st && got[i] == 5, "stream %u: %u: %s", i, got[i], r.e.text);
	}
	UNIT_CHECK(t, purse.n_failed > 0, "there was enough");
	/* the first stream gets a ring again when it needs one */
	got[0] = 0;
	st = st ? st : qd_buffer_download_async(s[0], buf, 0, &got[0], 4, &r.e);
	st = st ? st : qd_stream_sync(s[0], &r.e);
	UNIT_CHECK(t, !st && got[0] == 5, "again: %u: %s", got[0], r.e.text);
	for (uint32_t i = 0; i < STREAMS; i++)
		qd_stream_free(s[i]);
	qd_buffer_free(buf);
	vulkan_rig_close(t, &r);
}

static uint32_t n_pipelines;

static VKAPI_ATTR VkResult VKAPI_CALL
one_pipeline(VkDevice device, VkPipelineCache cache, uint32_t n,
	     const VkComputePipelineCreateInfo *info, const VkAllocationCallbacks *a,
	     VkPipeline *out)
{
	if (n_pipelines)
		return VK_ERROR_OUT_OF_DEVICE_MEMORY;
	VkResult r = real.vkCreateComputePipelines(device, cache, n, info, a, out);
	n_pipelines += r == VK_SUCCESS;
	return r;
}

static VKAPI_ATTR void VKAPI_CALL
destroy_pipeline(VkDevice device, VkPipeline pipeline, const VkAllocationCallbacks *a)
{
	n_pipelines--;
	real.vkDestroyPipeline(device, pipeline, a);
}

/* Checks that an unused function is freed to make room for another. */
void
t_vulkan_short_of_pipelines(struct unit_ctx *t)
{
	struct vulkan_rig r;
	if (!vulkan_rig_open(t, &r, false))
		return;
	struct qd_function *wide = NULL;
	n_pipelines = 0;
	real = r.vk->vk;
	r.vk->vk.vkCreateComputePipelines = one_pipeline;
	r.vk->vk.vkDestroyPipeline = destroy_pipeline;
	struct qd_function *inc = vulkan_rig_function(t, &r, r.inc);
	qd_status st = qd_function_get(r.dev, r.wide, NULL, 0, &wide, &r.e);
	UNIT_CHECK(t, st == QD_E_DEVICE_NOMEM && inc, "%s", qd_status_name(st));
	qd_function_free(inc);
	wide = vulkan_rig_function(t, &r, r.wide);
	UNIT_CHECK(t, wide && n_pipelines == 1, "%u pipelines", n_pipelines);
	vulkan_rig_close(t, &r);
}
