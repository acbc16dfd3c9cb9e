/* Errors of the Vulkan driver for images that exceed limits, and for failures of the underlying
 * driver. The tests replace entries of its symbol table. */
#include "function.h"
#include "t_vulkan.h"

#include <stdio.h>

/* -- Limits --------------------------------------------------------------------------- */

static struct vulkan_device_symbols real;
static uint32_t n_modules;

static VKAPI_ATTR VkResult VKAPI_CALL
count_modules(VkDevice device, const VkShaderModuleCreateInfo *info, const VkAllocationCallbacks *a,
	      VkShaderModule *out)
{
	n_modules++;
	return real.vkCreateShaderModule(device, info, a, out);
}

/* Checks the status and the error for a copy of the image after `change`. */
static void
refused(struct unit_ctx *t, struct vulkan_rig *r, const struct qd_image *good,
	void (*change)(struct qd_image *, struct vulkan_rig *), qd_status want, const char *part)
{
	static struct qd_image img;
	memcpy(&img, good, sizeof img);
	change(&img, r);
	qd_status st = device_accepts(r->dev, &img, &r->e);
	UNIT_CHECK(t, st == want && strstr(r->e.text, part), "want '%s', got %s: %s", part,
		   qd_status_name(st), st ? r->e.text : "");
}

static void
too_many_threads(struct qd_image *img, struct vulkan_rig *r)
{
	img->meta.local_size = r->dev->target.m.max_block_dim + img->target->m.subgroup_size;
}

static void
partial_subgroup(struct qd_image *img, struct vulkan_rig *r)
{
	(void)r;
	img->meta.local_size = img->target->m.subgroup_size + 1;
}

static void
too_much_shared(struct qd_image *img, struct vulkan_rig *r)
{
	img->meta.shared_size = r->dev->target.m.max_shared + 4;
}

static void
too_many_args(struct qd_image *img, struct vulkan_rig *r)
{
	(void)r;
	img->meta.flags = 0; /* the wide kernel has 500 bytes */
}

static void
unknown_need(struct qd_image *img, struct vulkan_rig *r)
{
	(void)r;
	img->meta.needs |= UINT64_C(1) << 40;
}

static void
missing_f64(struct qd_image *img, struct vulkan_rig *r)
{
	img->meta.needs |= SPV_NEED_F64;
	r->vk->physical.has &= ~(uint64_t)SPV_NEED_F64;
}

static void
other_size(struct qd_image *img, struct vulkan_rig *r)
{
	static struct target other;
	other = *img->target;
	other.m.subgroup_size = other.m.lanes = 2;
	other.m.log2_size = other.m.log2_lanes = 1;
	img->target = &other;
	(void)r;
}

static void
other_isa(struct qd_image *img, struct vulkan_rig *r)
{
	static struct target other;
	if (isa_target("ref:w32", &other, &r->e) == QD_OK)
		img->target = &other;
}

static void
no_module(struct qd_image *img, struct vulkan_rig *r)
{
	(void)r;
	img->code_size -= 2;
}

void
t_vulkan_limits(struct unit_ctx *t)
{
	struct vulkan_rig r;
	if (!vulkan_rig_open(t, &r, false))
		return;
	const struct qd_function *inc = vulkan_rig_function(t, &r, r.inc);
	struct qd_function *wide = NULL;
	uint64_t has = r.vk->physical.has;
	real = r.vk->vk;
	/* a rejected module must not reach the driver */
	r.vk->physical.has = 0;
	r.vk->vk.vkCreateShaderModule = count_modules;
	qd_status st = qd_function_get(r.dev, r.wide, NULL, 0, &wide, &r.e);
	UNIT_CHECK(t, st == QD_E_TARGET && strstr(r.e.text, ", which the device lacks"), "%s: %s",
		   qd_status_name(st), r.e.text);
	UNIT_CHECK(t, n_modules == 0, "the driver saw the module");
	r.vk->physical.has = has;
	r.vk->vk = real;
	wide = vulkan_rig_function(t, &r, r.wide);
	refused(t, &r, inc->image, too_many_threads, QD_E_LIMIT, "threads per block");
	refused(t, &r, inc->image, partial_subgroup, QD_E_INVALID, "not whole subgroups");
	refused(t, &r, inc->image, too_much_shared, QD_E_LIMIT, "bytes of shared memory");
	refused(t, &r, wide->image, too_many_args, QD_E_LIMIT, "bytes of push constants");
	refused(t, &r, inc->image, unknown_need, QD_E_TARGET, "feature bits 0x10000000000");
	refused(t, &r, inc->image, missing_f64, QD_E_TARGET, "needs f64, which the device lacks");
	refused(t, &r, inc->image, other_size, QD_E_TARGET, "subgroups of 2");
	refused(t, &r, inc->image, other_isa, QD_E_TARGET, "compiled for target ref:w");
	refused(t, &r, inc->image, no_module, QD_E_INVALID, "is not a SPIR-V module");

	struct qd_buffer *buf = NULL;
	uint64_t most = r.vk->physical.max_alloc;
	if (r.vk->physical.max_buffer < most)
		most = r.vk->physical.max_buffer;
	st = qd_buffer_create(r.dev, (size_t)most + 1, 0, &buf, &r.e);
	UNIT_CHECK(t, st == QD_E_LIMIT && strstr(r.e.text, "the device supports"), "%s", r.e.text);
	vulkan_rig_close(t, &r);
}

/* -- A lost device ---------------------------------------------------------------------- */

static uint32_t n_calls;

static VKAPI_ATTR VkResult VKAPI_CALL
submit_lost(VkQueue queue, uint32_t n, const VkSubmitInfo2 *info, VkFence fence)
{
	(void)queue, (void)n, (void)info, (void)fence;
	n_calls++;
	return VK_ERROR_DEVICE_LOST;
}

static VKAPI_ATTR VkResult VKAPI_CALL
wait_lost(VkDevice device, const VkSemaphoreWaitInfo *info, uint64_t timeout)
{
	/* the work must end, so that everything can be destroyed */
	real.vkWaitSemaphores(device, info, timeout);
	n_calls++;
	return VK_ERROR_DEVICE_LOST;
}

static VKAPI_ATTR VkResult VKAPI_CALL
not_yet(VkDevice device, VkSemaphore semaphore, uint64_t *value)
{
	(void)device, (void)semaphore;
	*value = 0;
	return VK_SUCCESS;
}

#define LOST(t, r, expr)                                                                           \
	do {                                                                                       \
		qd_status lost_ = (expr);                                                          \
		UNIT_CHECK(t, lost_ == QD_E_DEVICE_LOST, "%s: %s: %s", #expr,                      \
			   qd_status_name(lost_), (r)->e.text);                                    \
	} while (0)

static void
lose(struct unit_ctx *t, bool in_wait)
{
	struct vulkan_rig r;
	if (!vulkan_rig_open(t, &r, false))
		return;
	struct qd_function *inc = vulkan_rig_function(t, &r, r.inc), *fn = NULL;
	struct qd_buffer *buf = vulkan_rig_buffer(t, &r, 64), *other = NULL;
	struct qd_stream *s = NULL;
	struct qd_event *e = NULL;
	uint32_t word = 77;
	real = r.vk->vk;
	n_calls = 0;
	if (in_wait) {
		r.vk->vk.vkWaitSemaphores = wait_lost;
		r.vk->vk.vkGetSemaphoreCounterValue = not_yet;
	} else {
		r.vk->vk.vkQueueSubmit2 = submit_lost;
	}
	/* a launch is recorded even if its submission fails */
	UNIT_CHECK(t, vulkan_rig_inc(r.stream, inc, buf, 16, &r.e) == QD_OK, "%s", r.e.text);
	if (in_wait) {
		UNIT_CHECK(t, qd_buffer_download_async(r.stream, buf, 0, &word, 4, &r.e) == QD_OK, "%s",
			   r.e.text);
		UNIT_CHECK(t, n_calls == 0, "%u calls", n_calls);
	}
	LOST(t, &r, qd_stream_sync(r.stream, &r.e));
	const char *want = in_wait ? "vkWaitSemaphores failed: VK_ERROR_DEVICE_LOST (-4)"
				   : "the device was lost when vkQueueSubmit2 failed";
	UNIT_CHECK(t, strstr(r.e.text, want) && strstr(r.e.text, r.dev->info.selector), "%s",
		   r.e.text);
	UNIT_CHECK(t, n_calls == 1, "%u calls", n_calls);
	UNIT_CHECK(t, word == 77, "bytes arrived from a lost device");

	/* it stays lost, and no driver function is called */
	LOST(t, &r, qd_stream_sync(r.stream, &r.e));
	UNIT_CHECK(t, strstr(r.e.text, "the device was lost when"), "%s", r.e.text);
	LOST(t, &r, vulkan_rig_inc(r.stream, inc, buf, 16, &r.e));
	LOST(t, &r, qd_buffer_upload(r.stream, buf, 0, &word, 4, &r.e));
	LOST(t, &r, qd_buffer_download_async(r.stream, buf, 0, &word, 4, &r.e));
	LOST(t, &r, unit_event(r.dev, r.stream, &e, &r.e));
	LOST(t, &r, qd_stream_create(r.dev, &s, &r.e));
	LOST(t, &r, qd_buffer_create(r.dev, 64, 0, &other, &r.e));
	LOST(t, &r, qd_function_get(r.dev, r.wide, NULL, 0, &fn, &r.e));
	UNIT_CHECK(t, n_calls == 1, "%u calls", n_calls);
	qd_buffer_free(buf);
	UNIT_CHECK(t, n_calls == 1, "%u calls", n_calls);
	vulkan_rig_close(t, &r);
}

void
t_vulkan_lost(struct unit_ctx *t)
{
	lose(t, false);
	if (!t->skipped)
		lose(t, true);
}

/* -- Out of memory, and other errors -------------------------------------------------------- */

static VKAPI_ATTR VkResult VKAPI_CALL
no_memory(VkDevice device, const VkMemoryAllocateInfo *info, const VkAllocationCallbacks *a,
	  VkDeviceMemory *out)
{
	(void)device, (void)info, (void)a, (void)out;
	return VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

/* Rejects whole blocks, but not the requested size. */
static VKAPI_ATTR VkResult VKAPI_CALL
little_memory(VkDevice device, const VkMemoryAllocateInfo *info, const VkAllocationCallbacks *a,
	      VkDeviceMemory *out)
{
	if (info->allocationSize > 1 << 20)
		return VK_ERROR_OUT_OF_DEVICE_MEMORY;
	return real.vkAllocateMemory(device, info, a, out);
}

static VKAPI_ATTR VkResult VKAPI_CALL
no_mapping(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
	   VkMemoryMapFlags flags, void **out)
{
	(void)device, (void)memory, (void)offset, (void)size, (void)flags, (void)out;
	return VK_ERROR_MEMORY_MAP_FAILED;
}

void
t_vulkan_device_nomem(struct unit_ctx *t)
{
	struct vulkan_rig r;
	if (!vulkan_rig_open(t, &r, false))
		return;
	struct qd_buffer *buf = NULL;
	real = r.vk->vk;
	r.vk->vk.vkAllocateMemory = no_memory;
	qd_status st = qd_buffer_create(r.dev, 1000, 0, &buf, &r.e);
	UNIT_CHECK(t,
		   st == QD_E_DEVICE_NOMEM &&
			   strstr(r.e.text, "no room for 1024 bytes: vkAllocateMemory failed: "
					    "VK_ERROR_OUT_OF_DEVICE_MEMORY (-2)"),
		   "%s", r.e.text);
	r.vk->vk.vkAllocateMemory = little_memory;
	buf = vulkan_rig_buffer(t, &r, 1000);
	qd_buffer_free(buf);
	r.vk->vk = real;
	r.vk->vk.vkMapMemory = no_mapping;
	st = qd_buffer_create(r.dev, 1000, 0, &buf, &r.e);
	UNIT_CHECK(t,
		   (st == QD_E_DRIVER && strstr(r.e.text, "VK_ERROR_MEMORY_MAP_FAILED (-5)")) ||
			   !r.vk->main->mapped,
		   "%s", r.e.text);
	if (st == QD_OK)
		qd_buffer_free(buf);
	r.vk->vk = real;
	buf = vulkan_rig_buffer(t, &r, 1000);
	qd_buffer_free(buf);
	vulkan_rig_close(t, &r);
}

static VKAPI_ATTR VkResult VKAPI_CALL
no_pipeline(VkDevice device, VkPipelineCache cache, uint32_t n,
	    const VkComputePipelineCreateInfo *info, const VkAllocationCallbacks *a,
	    VkPipeline *out)
{
	(void)device, (void)cache, (void)n, (void)info, (void)a, (void)out;
	return VK_ERROR_UNKNOWN;
}

void
t_vulkan_driver_error(struct unit_ctx *t)
{
	struct vulkan_rig r;
	if (!vulkan_rig_open(t, &r, false))
		return;
	struct qd_function *fn = NULL;
	real = r.vk->vk;
	r.vk->vk.vkCreateComputePipelines = no_pipeline;
	qd_status st = qd_function_get(r.dev, r.inc, NULL, 0, &fn, &r.e);
	UNIT_CHECK(
		t,
		st == QD_E_DRIVER &&
			strstr(r.e.text, "vkCreateComputePipelines failed: VK_ERROR_UNKNOWN (-13)"),
		"%s", r.e.text);
	r.vk->vk = real;
	/* the failure is not cached */
	fn = vulkan_rig_function(t, &r, r.inc);
	UNIT_CHECK(t, fn, "no function");
	vulkan_rig_close(t, &r);
}

/* Checks the time between events that are not complete. */
void
t_vulkan_event_busy(struct unit_ctx *t)
{
	struct vulkan_rig r;
	if (!vulkan_rig_open(t, &r, false))
		return;
	struct qd_event *a = NULL, *b = NULL;
	uint64_t ns;
	VULKAN_OK(t, &r, unit_event(r.dev, r.stream, &a, &r.e));
	VULKAN_OK(t, &r, unit_event(r.dev, r.stream, &b, &r.e));
	real = r.vk->vk;
	r.vk->vk.vkGetSemaphoreCounterValue = not_yet;
	qd_status st = qd_event_elapsed(a, b, &ns, &r.e);
	UNIT_CHECK(t, st == (r.vk->physical.timestamp_bits ? QD_E_BUSY : QD_E_UNAVAILABLE), "%s",
		   r.e.text);
	r.vk->vk = real;
	VULKAN_OK(t, &r, qd_stream_sync(r.stream, &r.e));
	uint32_t bits = r.vk->physical.timestamp_bits;
	if (bits)
		VULKAN_OK(t, &r, qd_event_elapsed(a, b, &ns, &r.e));
	qd_event_free(a);
	qd_event_free(b);
	/* like a queue without timestamps: events order work, but measure nothing */
	r.vk->physical.timestamp_bits = 0;
	VULKAN_OK(t, &r, unit_event(r.dev, r.stream, &a, &r.e));
	st = qd_event_elapsed(a, a, &ns, &r.e);
	UNIT_CHECK(t, st == QD_E_UNAVAILABLE && strstr(r.e.text, "does not support timestamps"), "%s",
		   r.e.text);
	qd_event_free(a);
	r.vk->physical.timestamp_bits = bits;
	vulkan_rig_close(t, &r);
}

static uint32_t n_failing, n_refused;

static VKAPI_ATTR VkResult VKAPI_CALL
submit_nomem(VkQueue queue, uint32_t n, const VkSubmitInfo2 *info, VkFence fence)
{
	if (n_failing && n_failing--) {
		n_refused++;
		return VK_ERROR_OUT_OF_DEVICE_MEMORY;
	}
	return real.vkQueueSubmit2(queue, n, info, fence);
}

/* Checks that a batch that the queue rejects is submitted again. Every launch must run once. */
void
t_vulkan_submit_retry(struct unit_ctx *t)
{
	struct vulkan_rig r;
	if (!vulkan_rig_open(t, &r, false))
		return;
	struct qd_function *inc = vulkan_rig_function(t, &r, r.inc);
	struct qd_buffer *buf = vulkan_rig_buffer(t, &r, 16);
	uint32_t down[4] = { 0 }, launched = 0;
	real = r.vk->vk;
	n_refused = 0;
	r.vk->vk.vkQueueSubmit2 = submit_nomem;
	for (int i = 0; i < 500; i++) {
		n_failing = i % 3 == 0 ? 1 : 0;
		/* Timing determines which launch reports the failure. */
		launched += vulkan_rig_inc(r.stream, inc, buf, 4, &r.e) == QD_OK;
	}
	UNIT_CHECK(t, n_refused > 0, "no submit failed");
	VULKAN_OK(t, &r, qd_stream_sync(r.stream, &r.e));
	/* Nothing runs: the first launch is recorded but not submitted, and the second fails. */
	n_failing = 100;
	qd_status st = vulkan_rig_inc(r.stream, inc, buf, 4, &r.e);
	UNIT_CHECK(t, st == QD_OK, "%s: %s", qd_status_name(st), r.e.text);
	launched += st == QD_OK;
	st = vulkan_rig_inc(r.stream, inc, buf, 4, &r.e);
	UNIT_CHECK(t, st == QD_E_DEVICE_NOMEM, "%s: %s", qd_status_name(st), r.e.text);
	qd_buffer_download_async(r.stream, buf, 0, down, sizeof down, &r.e);
	st = qd_stream_sync(r.stream, &r.e);
	UNIT_CHECK(t, st == QD_E_DEVICE_NOMEM, "%s: %s", qd_status_name(st), r.e.text);
	n_failing = 0;
	st = qd_stream_sync(r.stream, &r.e);
	UNIT_CHECK(t, st == QD_OK, "%s", r.e.text);
	UNIT_CHECK(t, down[0] == launched && down[3] == launched, "%u launches, %u ran", launched,
		   down[0]);
	r.vk->vk = real;
	qd_buffer_free(buf);
	vulkan_rig_close(t, &r);
}

static VKAPI_ATTR VkResult VKAPI_CALL
end_nomem(VkCommandBuffer cmd)
{
	real.vkEndCommandBuffer(cmd);
	return VK_ERROR_OUT_OF_HOST_MEMORY;
}

/* Checks that a stream that loses recorded work returns an error from then on. Other streams are
 * not affected. */
void
t_vulkan_broken_stream(struct unit_ctx *t)
{
	struct vulkan_rig r;
	if (!vulkan_rig_open(t, &r, false))
		return;
	struct qd_function *inc = vulkan_rig_function(t, &r, r.inc);
	struct qd_buffer *buf = vulkan_rig_buffer(t, &r, 16);
	struct qd_stream *s = NULL;
	uint32_t down = 0;
	UNIT_CHECK(t, qd_stream_create(r.dev, &s, &r.e) == QD_OK, "%s", r.e.text);
	real = r.vk->vk;
	/* the first is submitted immediately, the second remains recorded */
	r.vk->vk.vkGetSemaphoreCounterValue = not_yet;
	vulkan_rig_inc(s, inc, buf, 4, &r.e);
	vulkan_rig_inc(s, inc, buf, 4, &r.e);
	r.vk->vk.vkEndCommandBuffer = end_nomem;
	qd_status st = qd_stream_sync(s, &r.e);
	UNIT_CHECK(t, st == QD_E_NOMEM && strstr(r.e.text, "vkEndCommandBuffer failed"), "%s",
		   r.e.text);
	r.vk->vk = real;
	st = vulkan_rig_inc(s, inc, buf, 4, &r.e);
	UNIT_CHECK(t, st == QD_E_NOMEM && strstr(r.e.text, "the stream lost recorded work"), "%s",
		   r.e.text);
	st = vulkan_rig_inc(r.stream, inc, buf, 4, &r.e);
	UNIT_CHECK(t, st == QD_OK, "%s", r.e.text);
	qd_buffer_download_async(r.stream, buf, 0, &down, 4, &r.e);
	st = qd_stream_sync(r.stream, &r.e);
	UNIT_CHECK(t, st == QD_OK && down == 2, "%u", down);
	qd_buffer_free(buf);
	qd_stream_free(s);
	vulkan_rig_close(t, &r);
}

/* -- Opening -------------------------------------------------------------------------------- */

static VKAPI_ATTR VkResult VKAPI_CALL
no_semaphore(VkDevice device, const VkSemaphoreCreateInfo *info, const VkAllocationCallbacks *a,
	     VkSemaphore *out)
{
	(void)device, (void)info, (void)a, (void)out;
	return VK_ERROR_OUT_OF_HOST_MEMORY;
}

static void
break_semaphores(struct vulkan_device_symbols *vk)
{
	vk->vkCreateSemaphore = no_semaphore;
}

static VKAPI_ATTR VkResult VKAPI_CALL
no_cache(VkDevice device, const VkPipelineCacheCreateInfo *info, const VkAllocationCallbacks *a,
	 VkPipelineCache *out)
{
	(void)device, (void)info, (void)a, (void)out;
	return VK_ERROR_UNKNOWN;
}

static void
break_cache(struct vulkan_device_symbols *vk)
{
	vk->vkCreatePipelineCache = no_cache;
}

void
t_vulkan_open_faults(struct unit_ctx *t)
{
	struct vulkan_rig r;
	if (!vulkan_rig_open(t, &r, false))
		return;
	struct qd_device *dev = NULL;
	vulkan_hooks.symbols = break_cache;
	qd_status st = qd_device_open(r.ctx, r.dev->info.selector, &dev, &r.e);
	UNIT_CHECK(t, st == QD_E_DRIVER && strstr(r.e.text, "vkCreatePipelineCache"), "%s",
		   r.e.text);
	vulkan_hooks.symbols = break_semaphores;
	vulkan_hooks.staged = true;
	st = qd_device_open(r.ctx, r.dev->info.selector, &dev, &r.e);
	UNIT_CHECK(t, st == QD_E_NOMEM && strstr(r.e.text, "vkCreateSemaphore"), "%s", r.e.text);
	vulkan_hooks = (struct vulkan_hooks){ 0 };
	vulkan_rig_close(t, &r);
}

/* -- Host memory ------------------------------------------------------------------------------ */

/* Uses one object of each kind. Returns QD_OK or the first error. */
static qd_status
scenario(struct qd_context *ctx, const struct qd_kernel *k, bool staged, struct qd_error *e)
{
	struct qd_device *dev = NULL;
	struct qd_stream *s = NULL;
	struct qd_buffer *a = NULL, *b = NULL;
	struct qd_event *ev = NULL;
	struct qd_function *fn = NULL;
	uint32_t word = 1;
	vulkan_hooks.staged = staged;
	qd_status st = qd_device_open(ctx, "vulkan", &dev, e);
	vulkan_hooks.staged = false;
	st = st ? st : qd_stream_create(dev, &s, e);
	st = st ? st : qd_buffer_create(dev, 100, 0, &a, e);
	/* a part of a block, and a separate block */
	size_t large = st ? 0 : (size_t)((struct vulkan_device *)dev)->main->base.block_size / 2 + 1;
	st = st ? st : qd_buffer_create(dev, large, 0, &b, e);
	st = st ? st : qd_function_get(dev, k, NULL, 0, &fn, e);
	st = st ? st : vulkan_rig_inc(s, fn, a, 3, e);
	st = st ? st : qd_buffer_upload(s, a, 0, &word, 4, e);
	st = st ? st : unit_event(dev, s, &ev, e);
	st = st ? st : qd_buffer_download_async(s, a, 0, &word, 4, e);
	st = st ? st : qd_stream_sync(s, e);
	qd_event_free(ev);
	qd_buffer_free(a);
	qd_buffer_free(b);
	qd_stream_free(s);
	qd_device_close(dev);
	return st;
}

void
t_vulkan_host_nomem(struct unit_ctx *t)
{
	struct vulkan_rig r;
	if (!vulkan_rig_open(t, &r, false))
		return;
	vulkan_rig_close(t, &r);
	for (int staged = 0; staged < 2; staged++) {
		qd_status st = QD_E_NOMEM;
		for (size_t n = 1; n < 500 && st != QD_OK; n++) {
			struct vulkan_rig bare;
			if (!vulkan_rig_context(t, &bare))
				return;
			bare.alloc.fail_at = bare.alloc.n_calls + n;
			st = scenario(bare.ctx, bare.inc, staged, &bare.e);
			bare.alloc.fail_at = 0;
			UNIT_CHECK(t, st == QD_OK || st == QD_E_NOMEM, "failing call %zu: %s: %s",
				   n, qd_status_name(st), bare.e.text);
			vulkan_rig_close(t, &bare);
		}
		UNIT_CHECK(t, st == QD_OK, "never enough memory");
	}
}
