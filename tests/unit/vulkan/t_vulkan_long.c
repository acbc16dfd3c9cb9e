/* Number of launches in a submission, on a Vulkan device whose kernel driver aborts work that takes
 * seconds. The clock is simulated: a dispatch takes a given time, at its submission. */
#include "stream.h"
#include "t_vulkan.h"

static struct vulkan_device_symbols real;
static struct {
	uint64_t now, each_ns;			   /* each_ns: of a dispatch */
	uint32_t n_recorded, n_submits, n_longest; /* dispatches */
	uint64_t waited; /* largest value of the semaphore that was waited for */
} time_of;

static uint64_t
virtual_clock(void)
{
	return time_of.now;
}

static VKAPI_ATTR void VKAPI_CALL
dispatch(VkCommandBuffer cmd, uint32_t x, uint32_t y, uint32_t z)
{
	time_of.n_recorded++;
	real.vkCmdDispatch(cmd, x, y, z);
}

static VKAPI_ATTR VkResult VKAPI_CALL
submit(VkQueue queue, uint32_t n, const VkSubmitInfo2 *info, VkFence fence)
{
	if (time_of.n_recorded) {
		time_of.n_submits++;
		if (time_of.n_recorded > time_of.n_longest)
			time_of.n_longest = time_of.n_recorded;
		time_of.now += time_of.n_recorded * time_of.each_ns;
		time_of.n_recorded = 0;
	}
	return real.vkQueueSubmit2(queue, n, info, fence);
}

/* Work appears complete only after a wait. */
static VKAPI_ATTR VkResult VKAPI_CALL
wait(VkDevice device, const VkSemaphoreWaitInfo *info, uint64_t timeout)
{
	VkResult r = real.vkWaitSemaphores(device, info, timeout);
	if (r == VK_SUCCESS && info->pValues[0] > time_of.waited)
		time_of.waited = info->pValues[0];
	return r;
}

static VKAPI_ATTR VkResult VKAPI_CALL
look(VkDevice device, VkSemaphore semaphore, uint64_t *value)
{
	(void)device, (void)semaphore;
	*value = time_of.waited;
	return VK_SUCCESS;
}

static void
be_a_gpu(struct vulkan_facts *f)
{
	f->core.deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
}

/* Runs n launches that take each_ns, and checks that each ran once. */
static void
launches(struct unit_ctx *t, struct vulkan_rig *r, struct qd_function *fn, struct qd_buffer *buf,
	 uint32_t n, uint64_t each_ns)
{
	enum { BLOCKS = 8 };
	uint32_t got[BLOCKS], before[BLOCKS];
	VULKAN_OK(t, r, qd_buffer_download(r->stream, buf, 0, before, sizeof before, &r->e));
	time_of.each_ns = each_ns;
	time_of.n_submits = time_of.n_longest = 0;
	for (uint32_t i = 0; i < n; i++)
		VULKAN_OK(t, r, vulkan_rig_inc(r->stream, fn, buf, BLOCKS, &r->e));
	VULKAN_OK(t, r, qd_stream_sync(r->stream, &r->e));
	VULKAN_OK(t, r, qd_buffer_download(r->stream, buf, 0, got, sizeof got, &r->e));
	UNIT_CHECK(t, vulkan_count_other(got, BLOCKS, before[0] + n) == 0, "%u launches gave %u", n,
		   got[0] - before[0]);
}

static bool
open_gpu(struct unit_ctx *t, struct vulkan_rig *r, bool gpu)
{
	memset(&time_of, 0, sizeof time_of);
	vulkan_hooks.facts = gpu ? be_a_gpu : NULL;
	bool ok = vulkan_rig_open(t, r, false);
	vulkan_hooks.facts = NULL;
	if (!ok)
		return false;
	real = r->vk->vk;
	r->vk->vk.vkCmdDispatch = dispatch;
	r->vk->vk.vkQueueSubmit2 = submit;
	r->vk->vk.vkWaitSemaphores = wait;
	r->vk->vk.vkGetSemaphoreCounterValue = look;
	watchdog_hooks.clock = virtual_clock;
	return true;
}

static void
close_gpu(struct unit_ctx *t, struct vulkan_rig *r, struct qd_buffer *buf)
{
	qd_buffer_free(buf);
	r->vk->vk = real;
	vulkan_rig_close(t, r);
	watchdog_hooks.clock = NULL;
}

enum { BATCHES = 10 };
static const uint64_t MS = 1000000;

/* Checks launches of 50 ms. 64 of them in one submission would take 3.2 s; 5 take the 250 ms that a
 * batch may take. */
void
t_vulkan_long(struct unit_ctx *t)
{
	struct vulkan_rig r;
	if (!open_gpu(t, &r, true))
		return;
	struct qd_function *inc = vulkan_rig_function(t, &r, r.inc);
	struct qd_buffer *buf = vulkan_rig_buffer(t, &r, 64);
	launches(t, &r, inc, buf, MAX_COMMANDS, 50 * MS);
	UNIT_CHECK(t, time_of.n_longest <= 5, "%u launches of 50 ms in a submission",
		   time_of.n_longest);
	/* Each takes longer than a batch may, so each is submitted alone. */
	launches(t, &r, inc, buf, MAX_COMMANDS, 600 * MS);
	launches(t, &r, inc, buf, MAX_COMMANDS, 600 * MS);
	UNIT_CHECK(t, time_of.n_longest == 1, "%u launches of 600 ms in a submission",
		   time_of.n_longest);
	close_gpu(t, &r, buf);
}

/* Checks that a new kernel is not assumed to be as fast as earlier ones. */
void
t_vulkan_long_after_short(struct unit_ctx *t)
{
	struct vulkan_rig r;
	if (!open_gpu(t, &r, true))
		return;
	struct qd_function *inc = vulkan_rig_function(t, &r, r.inc);
	struct qd_function *wide = vulkan_rig_function(t, &r, r.wide);
	struct qd_buffer *buf = vulkan_rig_buffer(t, &r, 64), *spare = vulkan_rig_buffer(t, &r, 64);
	launches(t, &r, inc, buf, BATCHES * MAX_COMMANDS, MS / 100);
	time_of.each_ns = 600 * MS;
	time_of.n_longest = 0;
	for (uint32_t i = 0; i < MAX_COMMANDS; i++)
		VULKAN_OK(t, &r, vulkan_rig_wide(r.stream, wide, buf, spare, 8, &r.e));
	VULKAN_OK(t, &r, qd_stream_sync(r.stream, &r.e));
	UNIT_CHECK(t, time_of.n_longest == 1, "%u launches of 600 ms in a submission",
		   time_of.n_longest);
	qd_buffer_free(spare);
	close_gpu(t, &r, buf);
}

/* Checks that short launches share submissions as without a watchdog. Exceptions are the first
 * launches of a kernel, as many as may be in flight, because their time is unknown. */
void
t_vulkan_short(struct unit_ctx *t)
{
	struct vulkan_rig r;
	uint32_t n[2] = { 0, 0 };
	for (int gpu = 0; gpu < 2; gpu++) {
		if (!open_gpu(t, &r, gpu))
			return;
		UNIT_CHECK(t, !r.dev->watchdog_ns == !gpu, "GPU %d: the watchdog allows %llu ns",
			   gpu, (unsigned long long)r.dev->watchdog_ns);
		struct qd_function *inc = vulkan_rig_function(t, &r, r.inc);
		struct qd_buffer *buf = vulkan_rig_buffer(t, &r, 64);
		launches(t, &r, inc, buf, BATCHES * MAX_COMMANDS, MS / 100);
		/* one per batch, and one that is submitted immediately */
		uint32_t most = BATCHES + 2 + (gpu ? MAX_BATCH : 0);
		UNIT_CHECK(t, time_of.n_submits <= most, "GPU %d: %u submissions", gpu,
			   time_of.n_submits);
		launches(t, &r, inc, buf, BATCHES * MAX_COMMANDS, MS / 100);
		n[gpu] = time_of.n_submits;
		UNIT_CHECK(t, n[gpu] <= BATCHES + 2, "GPU %d: %u submissions when known", gpu,
			   n[gpu]);
		close_gpu(t, &r, buf);
	}
}
