/* The bare Vulkan calls of bench-launch: each series of launches records the command buffer again
 * and waits for a timeline semaphore. */
#include "launch.h"

#include <dlfcn.h>
#include <string.h>
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

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

struct peer {
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
	struct peer_kernel kernel;
};

#define TRY(b, call)                                                                               \
	do {                                                                                       \
		if ((b)->call != VK_SUCCESS) {                                                     \
			*failed = #call;                                                           \
			return false;                                                              \
		}                                                                                  \
	} while (0)

/* Opens the first device that the loader enumerates. */
static bool
bare_device(struct peer *b, const char **failed)
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

	*failed = "libvulkan.so.1";
	if (!lib || !(sym = dlsym(lib, "vkGetInstanceProcAddr")))
		return false;
	memcpy(&get, &sym, sizeof get);
	create = (PFN_vkCreateInstance)get(NULL, "vkCreateInstance");
	if (!create || create(&info, NULL, &instance) != VK_SUCCESS)
		return false;
#define LOAD_I(name) b->name = (PFN_##name)get(instance, #name);
	INSTANCE_CALLS(LOAD_I)
	*failed = "vkEnumeratePhysicalDevices";
	if (b->vkEnumeratePhysicalDevices(instance, &one, &physical) < 0 || !one)
		return false;
	/* The module was compiled with 64-bit integers if the device has them. */
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
bare_buffer(struct peer *b, const char **failed)
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
	b->kernel.args.address = b->vkGetBufferDeviceAddress(b->device, &address);
	return true;
}

static bool
bare_pipeline(struct peer *b, const char **failed)
{
	VkShaderModuleCreateInfo module = { .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
					    .codeSize = b->kernel.size,
					    .pCode = b->kernel.code };
	VkPushConstantRange range = { VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof b->kernel.args };
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
bare_record(struct peer *b, uint32_t n)
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
				      sizeof b->kernel.args, &b->kernel.args);
		b->vkCmdDispatch(b->cmd, b->kernel.args.n_blocks, 1, 1);
	}
}

static bool
begin(struct peer *b, const char **failed)
{
	VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT };

	TRY(b, vkResetCommandPool(b->device, b->pool, 0));
	TRY(b, vkBeginCommandBuffer(b->cmd, &begin));
	b->vkCmdBindPipeline(b->cmd, VK_PIPELINE_BIND_POINT_COMPUTE, b->pipeline);
	return true;
}

static bool
give(struct peer *b, uint32_t n, const char **failed)
{
	(void)failed;
	bare_record(b, n);
	return true;
}

static bool
finish(struct peer *b, const char **failed)
{
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

	TRY(b, vkEndCommandBuffer(b->cmd));
	TRY(b, vkQueueSubmit2(b->queue, 1, &submit, VK_NULL_HANDLE));
	TRY(b, vkWaitSemaphores(b->device, &wait, UINT64_MAX));
	return true;
}

static bool
launch(struct peer *b, uint32_t n, const char **failed)
{
	return begin(b, failed) && give(b, n, failed) && finish(b, failed);
}

static struct peer *
open_vulkan(const struct peer_kernel *k, const char **failed)
{
	static struct peer b;

	b.kernel = *k;
	return bare_device(&b, failed) && bare_buffer(&b, failed) && bare_pipeline(&b, failed) ? &b : NULL;
}

/* The instance and the device end with the process. */
static void
close_vulkan(struct peer *b)
{
	(void)b;
}

const struct peer_driver peer_vulkan = {
	.selector = "vulkan",
	.name = "bare Vulkan",
	.open = open_vulkan,
	.close = close_vulkan,
	.launch = launch,
	.begin = begin,
	.give = give,
	.finish = finish,
};
