/* bench/launch: what qd_launch costs beside the bare Vulkan calls that do the
 * same: one dispatch of a kernel that does next to nothing, submitted and waited
 * for; and a hundred and ten thousand of them submitted together.  The bare path
 * records its own command buffer each time, with a timeline semaphore, as the
 * driver's manual has it.  Beside the whole, what recording costs the host.
 *
 *	launch [--json] [SELECTOR]		default vulkan */
#include <dlfcn.h>
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include "qd.h"

#include "bench.h"

enum { SOME = 100, MANY = 10000 };

/* -- qd ---------------------------------------------------------------------------- */

struct ours {
	struct qd_stream *stream;
	struct qd_function *fn, *busy;
	struct qd_buffer *buf;
	uint32_t n; /* launches per sample */
	struct qd_error err;
};

static bool
launch_ours(void *user)
{
	struct ours *o = user;
	struct qd_arg arg = qd_arg_buffer(o->buf);

	for (uint32_t i = 0; i < o->n; i++)
		if (qd_launch(o->stream, o->fn, QD_GRID, &arg, 1, &o->err))
			return false;
	return qd_stream_sync(o->stream, &o->err) == QD_OK;
}

/* -- Bare Vulkan ---------------------------------------------------------------------- */

#define INSTANCE_CALLS(X)                                                                          \
	X(vkEnumeratePhysicalDevices) X(vkGetPhysicalDeviceMemoryProperties) X(vkCreateDevice)     \
	X(vkGetDeviceProcAddr)
#define DEVICE_CALLS(X)                                                                            \
	X(vkGetDeviceQueue) X(vkCreateBuffer) X(vkGetBufferMemoryRequirements) X(vkAllocateMemory) \
	X(vkBindBufferMemory) X(vkGetBufferDeviceAddress) X(vkCreateShaderModule)                  \
	X(vkCreatePipelineLayout) X(vkCreateComputePipelines) X(vkCreateCommandPool)               \
	X(vkAllocateCommandBuffers) X(vkResetCommandPool) X(vkBeginCommandBuffer)                  \
	X(vkEndCommandBuffer) X(vkCmdBindPipeline) X(vkCmdPushConstants) X(vkCmdDispatch)          \
	X(vkCmdPipelineBarrier2) X(vkCreateSemaphore) X(vkWaitSemaphores) X(vkQueueSubmit2)

struct bare {
#define FIELD(name) PFN_##name name;
	INSTANCE_CALLS(FIELD) DEVICE_CALLS(FIELD)
	VkDevice device;
	VkQueue queue;
	VkCommandPool pool;
	VkCommandBuffer cmd;
	VkPipeline pipeline;
	VkPipelineLayout layout;
	VkSemaphore semaphore;
	uint64_t value;
	uint32_t n;
	struct { uint64_t address, len; uint32_t n_blocks, base, zero, reserved; } args;
	const char *failed;
};

#define TRY(b, call)                                                                               \
	do {                                                                                       \
		if ((b)->call != VK_SUCCESS) {                                                     \
			(b)->failed = #call;                                                       \
			return false;                                                              \
		}                                                                                  \
	} while (0)

/* The device that qd chose: by its number in the enumeration of one driver. */
static bool
bare_device(struct bare *b)
{
	PFN_vkGetInstanceProcAddr get;
	PFN_vkCreateInstance create;
	VkApplicationInfo app = { .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
				  .apiVersion = VK_API_VERSION_1_3 };
	VkInstanceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
				      .pApplicationInfo = &app };
	float priority = 1;
	VkDeviceQueueCreateInfo queue = { .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
					  .queueCount = 1, .pQueuePriorities = &priority };
	VkPhysicalDeviceVulkan13Features f13 = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
		.synchronization2 = 1, .subgroupSizeControl = 1, .computeFullSubgroups = 1 };
	VkPhysicalDeviceVulkan12Features f12 = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .pNext = &f13,
		.bufferDeviceAddress = 1, .timelineSemaphore = 1, .vulkanMemoryModel = 1,
		.vulkanMemoryModelDeviceScope = 1, .shaderSubgroupExtendedTypes = 1 };
	VkPhysicalDeviceFeatures2 features = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &f12 };
	VkDeviceCreateInfo device = { .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
				      .pNext = &features, .queueCreateInfoCount = 1,
				      .pQueueCreateInfos = &queue };
	VkInstance instance;
	VkPhysicalDevice physical;
	uint32_t one = 1;
	void *lib = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL), *sym;

	b->failed = "libvulkan.so.1";
	if (!lib || !(sym = dlsym(lib, "vkGetInstanceProcAddr")))
		return false;
	memcpy(&get, &sym, sizeof get);
	create = (PFN_vkCreateInstance)get(NULL, "vkCreateInstance");
	if (!create || create(&info, NULL, &instance) != VK_SUCCESS)
		return false;
#define LOAD_I(name) b->name = (PFN_##name)get(instance, #name);
	INSTANCE_CALLS(LOAD_I)
	b->failed = "vkEnumeratePhysicalDevices";
	if (b->vkEnumeratePhysicalDevices(instance, &one, &physical) < 0 || !one)
		return false;
	/* 64-bit integers are what the module was compiled with. */
	features.features.shaderInt64 = 1;
	if (b->vkCreateDevice(physical, &device, NULL, &b->device) != VK_SUCCESS) {
		features.features.shaderInt64 = 0;
		TRY(b, vkCreateDevice(physical, &device, NULL, &b->device));
	}
#define LOAD_D(name) b->name = (PFN_##name)b->vkGetDeviceProcAddr(b->device, #name);
	DEVICE_CALLS(LOAD_D)
	b->vkGetDeviceQueue(b->device, 0, 0, &b->queue);
	return true;
}

static bool
bare_buffer(struct bare *b)
{
	VkBufferCreateInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 256,
				    .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
					     VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT };
	VkMemoryAllocateFlagsInfo flags = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
		.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT };
	VkMemoryAllocateInfo alloc = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
				       .pNext = &flags };
	VkBufferDeviceAddressInfo address = { .sType =
						      VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO };
	VkMemoryRequirements need;
	VkDeviceMemory memory;
	VkBuffer buffer;

	TRY(b, vkCreateBuffer(b->device, &info, NULL, &buffer));
	b->vkGetBufferMemoryRequirements(b->device, buffer, &need);
	alloc.allocationSize = need.size;
	while (!(need.memoryTypeBits >> alloc.memoryTypeIndex & 1))
		alloc.memoryTypeIndex++;
	TRY(b, vkAllocateMemory(b->device, &alloc, NULL, &memory));
	TRY(b, vkBindBufferMemory(b->device, buffer, memory, 0));
	address.buffer = buffer;
	b->args.address = b->vkGetBufferDeviceAddress(b->device, &address);
	b->args.len = 64;
	b->args.n_blocks = 1;
	return true;
}

static bool
bare_pipeline(struct bare *b, const void *words, size_t size)
{
	VkShaderModuleCreateInfo module = { .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
					    .codeSize = size, .pCode = words };
	VkPushConstantRange range = { VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof b->args };
	VkPipelineLayoutCreateInfo layout = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .pushConstantRangeCount = 1,
		.pPushConstantRanges = &range };
	VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			   .flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT,
			   .stage = VK_SHADER_STAGE_COMPUTE_BIT, .pName = "main" } };
	VkCommandPoolCreateInfo pool = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO };
	VkCommandBufferAllocateInfo cmd = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandBufferCount = 1 };
	VkSemaphoreTypeCreateInfo type = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
					   .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE };
	VkSemaphoreCreateInfo semaphore = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
					    .pNext = &type };

	TRY(b, vkCreateShaderModule(b->device, &module, NULL, &info.stage.module));
	TRY(b, vkCreatePipelineLayout(b->device, &layout, NULL, &b->layout));
	info.layout = b->layout;
	TRY(b, vkCreateComputePipelines(b->device, VK_NULL_HANDLE, 1, &info, NULL, &b->pipeline));
	TRY(b, vkCreateCommandPool(b->device, &pool, NULL, &b->pool));
	cmd.commandPool = b->pool;
	TRY(b, vkAllocateCommandBuffers(b->device, &cmd, &b->cmd));
	TRY(b, vkCreateSemaphore(b->device, &semaphore, NULL, &b->semaphore));
	return true;
}

static void
bare_record(struct bare *b, uint32_t n)
{
	VkMemoryBarrier2 memory = { .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
				    .srcStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
				    .srcAccessMask = VK_ACCESS_2_SHADER_WRITE_BIT,
				    .dstStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
				    .dstAccessMask = VK_ACCESS_2_SHADER_READ_BIT |
						     VK_ACCESS_2_SHADER_WRITE_BIT };
	VkDependencyInfo barrier = { .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
				     .memoryBarrierCount = 1, .pMemoryBarriers = &memory };

	for (uint32_t i = 0; i < n; i++) {
		if (i)
			b->vkCmdPipelineBarrier2(b->cmd, &barrier);
		b->vkCmdPushConstants(b->cmd, b->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
				      sizeof b->args, &b->args);
		b->vkCmdDispatch(b->cmd, 1, 1, 1);
	}
}

static bool
launch_bare(void *user)
{
	struct bare *b = user;
	VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT };
	VkCommandBufferSubmitInfo cmd = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
					  .commandBuffer = b->cmd };
	VkSemaphoreSubmitInfo signal = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
					 .semaphore = b->semaphore, .value = ++b->value,
					 .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT };
	VkSubmitInfo2 submit = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
				 .commandBufferInfoCount = 1, .pCommandBufferInfos = &cmd,
				 .signalSemaphoreInfoCount = 1, .pSignalSemaphoreInfos = &signal };
	VkSemaphoreWaitInfo wait = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
				     .semaphoreCount = 1, .pSemaphores = &b->semaphore,
				     .pValues = &b->value };

	TRY(b, vkResetCommandPool(b->device, b->pool, 0));
	TRY(b, vkBeginCommandBuffer(b->cmd, &begin));
	b->vkCmdBindPipeline(b->cmd, VK_PIPELINE_BIND_POINT_COMPUTE, b->pipeline);
	bare_record(b, b->n);
	TRY(b, vkEndCommandBuffer(b->cmd));
	TRY(b, vkQueueSubmit2(b->queue, 1, &submit, VK_NULL_HANDLE));
	TRY(b, vkWaitSemaphores(b->device, &wait, UINT64_MAX));
	return true;
}

/* -- Side by side ------------------------------------------------------------------------ */

static bool
both(struct ours *o, struct bare *b, uint32_t n, bool json)
{
	static struct bench r, s;
	char ours[64], bare[64];

	o->n = b->n = n;
	snprintf(ours, sizeof ours, "launch/qd/%u per sync", n);
	snprintf(bare, sizeof bare, "launch/bare Vulkan/%u per sync", n);
	if (!bench_run_pair(&r, &s, ours, bare, n == MANY ? 20 : n > 1 ? 200 : 1000, launch_ours, o,
			    launch_bare, b))
		return false;
	bench_print(&r, json);
	bench_print(&s, json);
	if (!json)
		/* A CPU driver's threads wake fast or slowly by the scheduler's mood: the best
		 * of each tells what the calls cost. */
		printf("%44s %.2f times the bare calls at best, %.2f at the median\n", "",
		       r.us[0] / s.us[0], bench_median(&r) / bench_median(&s));
	return true;
}

/* What giving one launch costs the host while the device is busy, so that nothing
 * is submitted: of qd and of the calls that record the same. */
static bool
host_part(struct ours *o, struct bare *b, bool json)
{
	enum { N = 50, SAMPLES = 200 };
	static struct bench r, s;
	struct qd_arg arg = qd_arg_buffer(o->buf);
	VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT };

	snprintf(r.name, sizeof r.name, "launch/qd/host part");
	snprintf(s.name, sizeof s.name, "launch/bare Vulkan/host part");
	r.n = s.n = SAMPLES;
	r.allocs = s.allocs = -1;
	for (uint32_t i = 0; i < SAMPLES; i++) {
		/* the second begins a batch, as beginning the bare one is not measured */
		if (qd_launch(o->stream, o->busy, 1000, &arg, 1, &o->err) ||
		    qd_launch(o->stream, o->fn, QD_GRID, &arg, 1, &o->err))
			return false;
		double t = bench_now_us();
		for (uint32_t j = 0; j < N; j++)
			if (qd_launch(o->stream, o->fn, QD_GRID, &arg, 1, &o->err))
				return false;
		r.us[i] = (bench_now_us() - t) / N;
		if (qd_stream_sync(o->stream, &o->err))
			return false;

		/* beside a busy device as well */
		if (qd_launch(o->stream, o->busy, 1000, &arg, 1, &o->err))
			return false;
		TRY(b, vkResetCommandPool(b->device, b->pool, 0));
		TRY(b, vkBeginCommandBuffer(b->cmd, &begin));
		b->vkCmdBindPipeline(b->cmd, VK_PIPELINE_BIND_POINT_COMPUTE, b->pipeline);
		t = bench_now_us();
		bare_record(b, N);
		s.us[i] = (bench_now_us() - t) / N;
		TRY(b, vkEndCommandBuffer(b->cmd));
		if (qd_stream_sync(o->stream, &o->err))
			return false;
	}
	r.first = r.us[0];
	s.first = s.us[0];
	qsort(r.us, r.n, sizeof r.us[0], bench_by_value);
	qsort(s.us, s.n, sizeof s.us[0], bench_by_value);
	bench_print(&r, json);
	bench_print(&s, json);
	if (!json)
		printf("%44s %.0f ns beyond the bare calls at best, %.0f at the median\n", "",
		       1e3 * (r.us[0] - s.us[0]), 1e3 * (bench_median(&r) - bench_median(&s)));
	return true;
}

int
main(int argc, char **argv)
{
	static struct bare b;
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct ours o = { .n = 1 };
	struct qd_context *ctx;
	struct qd_device *dev;
	struct qd_kernel *k = NULL, *busy = NULL;
	struct qd_image *image;
	const void *words;
	size_t size;
	bool json = false, ok;
	const char *selector = bench_args(argc, argv, "bench-launch [--json] [SELECTOR]", "vulkan",
					  &json);

	if (qd_context_create(&desc, &ctx, &o.err) ||
	    qd_device_open(ctx, selector, &dev, &o.err) || !(k = bench_tiny(ctx, &o.err)) ||
	    !(busy = bench_long(ctx, &o.err)) ||
	    qd_function_get(dev, k, NULL, 0, &o.fn, &o.err) ||
	    qd_function_get(dev, busy, NULL, 0, &o.busy, &o.err) ||
	    qd_stream_create(dev, &o.stream, &o.err) ||
	    qd_buffer_create(dev, 256, 0, &o.buf, &o.err) ||
	    qd_compile(ctx, k, qd_device_target(dev), NULL, 0, &image, &o.err)) {
		fprintf(stderr, "%s\n", o.err.text);
		return 1;
	}
	words = qd_image_data(image, &size);
	ok = bare_device(&b) && bare_buffer(&b) && bare_pipeline(&b, words, size) &&
	     both(&o, &b, 1, json) && both(&o, &b, SOME, json) &&
	     both(&o, &b, MANY, json) &&
	     host_part(&o, &b, json);
	if (!ok)
		fprintf(stderr, "%s\n", o.err.code ? o.err.text : b.failed);
	qd_image_free(image);
	qd_function_free(o.fn);
	qd_function_free(o.busy);
	qd_stream_free(o.stream);
	qd_buffer_free(o.buf);
	qd_kernel_free(k);
	qd_kernel_free(busy);
	qd_device_close(dev);
	qd_context_free(ctx);
	return ok ? 0 : 1;
}
