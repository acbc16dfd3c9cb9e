#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "vulkan_internal.h"

#include "swallow.h"

struct swallow swallow;

static struct vulkan_instance_symbols real_instance;
static struct vulkan_device_symbols real;

/* -- Objects -------------------------------------------------------------------------- */

/* All stand-ins for Vulkan objects have this type. */
struct object {
	uint64_t value; /* a semaphore's counter, a buffer's address */
	void *host;	/* the bytes of a memory object */
};

static VkResult
make(void *out)
{
	struct object *o = calloc(1, sizeof *o);

	memcpy(out, &o, sizeof o);
	return o ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

/* Vulkan handles are pointers on 64-bit platforms. */
#define OBJECT(handle) ((struct object *)(uintptr_t)(handle))

static void
drop(struct object *o)
{
	if (o)
		free(o->host);
	free(o);
}

#define MAKES(name, type, info)                                                                    \
	static VKAPI_ATTR VkResult VKAPI_CALL name(VkDevice dev, const info *i,                    \
						   const VkAllocationCallbacks *a, type *out)      \
	{                                                                                          \
		(void)dev;                                                                         \
		(void)i;                                                                           \
		(void)a;                                                                           \
		return make(out);                                                                  \
	}
#define DROPS(name, type)                                                                          \
	static VKAPI_ATTR void VKAPI_CALL name(VkDevice dev, type o, const VkAllocationCallbacks *a) \
	{                                                                                          \
		(void)dev;                                                                         \
		(void)a;                                                                           \
		drop(OBJECT(o));                                                                   \
	}

MAKES(create_buffer, VkBuffer, VkBufferCreateInfo)
DROPS(destroy_buffer, VkBuffer)
DROPS(free_memory, VkDeviceMemory)
MAKES(create_command_pool, VkCommandPool, VkCommandPoolCreateInfo)
DROPS(destroy_command_pool, VkCommandPool)
MAKES(create_semaphore, VkSemaphore, VkSemaphoreCreateInfo)
DROPS(destroy_semaphore, VkSemaphore)
MAKES(create_query_pool, VkQueryPool, VkQueryPoolCreateInfo)
DROPS(destroy_query_pool, VkQueryPool)

/* -- Memory ----------------------------------------------------------------------------- */

/* Gives the device one memory type, visible to the host. RADV's null devices have none. */
static void
give_memory(struct vulkan_facts *f)
{
	f->memory = (VkPhysicalDeviceMemoryProperties){
		.memoryTypeCount = 1,
		.memoryTypes[0].propertyFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT |
						VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
						VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
						VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
		.memoryHeapCount = 1,
		.memoryHeaps[0] = { UINT64_C(4) << 30, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT },
	};
}

static VKAPI_ATTR void VKAPI_CALL
memory_requirements(VkDevice dev, const VkDeviceBufferMemoryRequirements *info,
		    VkMemoryRequirements2 *out)
{
	(void)dev;
	out->memoryRequirements = (VkMemoryRequirements){ .size = info->pCreateInfo->size,
							  .alignment = 256,
							  .memoryTypeBits = 1 };
}

static VKAPI_ATTR VkResult VKAPI_CALL
allocate_memory(VkDevice dev, const VkMemoryAllocateInfo *info, const VkAllocationCallbacks *a,
		VkDeviceMemory *out)
{
	struct object *o;

	(void)dev;
	(void)a;
	if (make(&o) != VK_SUCCESS)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	o->host = calloc(1, info->allocationSize);
	memcpy(out, &o, sizeof o);
	if (o->host)
		return VK_SUCCESS;
	drop(o);
	return VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

static VKAPI_ATTR VkResult VKAPI_CALL
map_memory(VkDevice dev, VkDeviceMemory memory, VkDeviceSize at, VkDeviceSize size,
	   VkMemoryMapFlags flags, void **out)
{
	(void)dev;
	(void)size;
	(void)flags;
	*out = (char *)OBJECT(memory)->host + at;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
bind_memory(VkDevice dev, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize at)
{
	(void)dev;
	OBJECT(buffer)->value = (uintptr_t)OBJECT(memory)->host + at;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkDeviceAddress VKAPI_CALL
buffer_address(VkDevice dev, const VkBufferDeviceAddressInfo *info)
{
	(void)dev;
	return OBJECT(info->buffer)->value;
}

/* -- Commands, which are not recorded ------------------------------------------------------- */

static VKAPI_ATTR VkResult VKAPI_CALL
reset_pool(VkDevice dev, VkCommandPool pool, VkCommandPoolResetFlags flags)
{
	(void)dev;
	(void)pool;
	(void)flags;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
allocate_commands(VkDevice dev, const VkCommandBufferAllocateInfo *info, VkCommandBuffer *out)
{
	(void)dev;
	/* Nothing is recorded, so the pool's address is used as the handle. */
	for (uint32_t i = 0; i < info->commandBufferCount; i++)
		out[i] = (VkCommandBuffer)(uintptr_t)OBJECT(info->commandPool);
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
begin_commands(VkCommandBuffer cmd, const VkCommandBufferBeginInfo *info)
{
	(void)cmd;
	(void)info;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
end_commands(VkCommandBuffer cmd)
{
	(void)cmd;
	return VK_SUCCESS;
}

#define IGNORES(name, ...)                                                                         \
	static VKAPI_ATTR void VKAPI_CALL name(__VA_ARGS__)                                        \
	{                                                                                          \
	}
/* clang-format off */
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
IGNORES(cmd_barrier, VkCommandBuffer cmd, const VkDependencyInfo *info)
IGNORES(cmd_bind, VkCommandBuffer cmd, VkPipelineBindPoint point, VkPipeline pipeline)
IGNORES(cmd_push, VkCommandBuffer cmd, VkPipelineLayout layout, VkShaderStageFlags stages, uint32_t at,
	uint32_t size, const void *values)
IGNORES(cmd_dispatch, VkCommandBuffer cmd, uint32_t x, uint32_t y, uint32_t z)
IGNORES(cmd_copy, VkCommandBuffer cmd, VkBuffer from, VkBuffer to, uint32_t n, const VkBufferCopy *regions)
IGNORES(cmd_fill, VkCommandBuffer cmd, VkBuffer to, VkDeviceSize at, VkDeviceSize size, uint32_t word)
IGNORES(cmd_update, VkCommandBuffer cmd, VkBuffer to, VkDeviceSize at, VkDeviceSize size, const void *data)
IGNORES(cmd_reset_queries, VkCommandBuffer cmd, VkQueryPool pool, uint32_t first, uint32_t n)
IGNORES(cmd_stamp, VkCommandBuffer cmd, VkPipelineStageFlags2 stage, VkQueryPool pool, uint32_t query)
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
/* clang-format on */

/* -- The queue --------------------------------------------------------------------------- */

static VKAPI_ATTR VkResult VKAPI_CALL
submit(VkQueue queue, uint32_t n, const VkSubmitInfo2 *batches, VkFence fence)
{
	(void)queue;
	(void)fence;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < batches[i].signalSemaphoreInfoCount; j++) {
			const VkSemaphoreSubmitInfo *s = &batches[i].pSignalSemaphoreInfos[j];

			OBJECT(s->semaphore)->value = s->value;
		}
	swallow.n_submitted += n;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
semaphore_value(VkDevice dev, VkSemaphore semaphore, uint64_t *out)
{
	(void)dev;
	*out = OBJECT(semaphore)->value;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
wait_semaphores(VkDevice dev, const VkSemaphoreWaitInfo *info, uint64_t ns)
{
	(void)dev;
	(void)ns;
	/* Nothing is ever pending, so a value that is not reached now is never reached. */
	for (uint32_t i = 0; i < info->semaphoreCount; i++)
		if (OBJECT(info->pSemaphores[i])->value < info->pValues[i])
			return VK_ERROR_DEVICE_LOST;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
wait_idle(VkDevice dev)
{
	(void)dev;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
query_results(VkDevice dev, VkQueryPool pool, uint32_t first, uint32_t n, size_t size, void *data,
	      VkDeviceSize stride, VkQueryResultFlags flags)
{
	(void)dev;
	(void)pool;
	(void)first;
	(void)n;
	(void)stride;
	(void)flags;
	memset(data, 0, size);
	return VK_SUCCESS;
}

/* -- Pipelines, which the driver creates ---------------------------------------------------------- */

static PFN_vkGetPipelineExecutablePropertiesKHR get_executables;
static PFN_vkGetPipelineExecutableStatisticsKHR get_statistics;

static uint64_t
number(const VkPipelineExecutableStatisticKHR *s)
{
	switch (s->format) {
	case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR: return s->value.b32;
	case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR: return (uint64_t)s->value.i64;
	case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR: return s->value.u64;
	default: return (uint64_t)s->value.f64;
	}
}

static void
report(VkDevice dev, VkPipeline pipeline, struct swallow_report *out)
{
	const VkPipelineInfoKHR which = { .sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR, .pipeline = pipeline };
	VkPipelineExecutablePropertiesKHR p[SWALLOW_MAX_EXECUTABLE];
	uint32_t n = SWALLOW_MAX_EXECUTABLE;

	for (uint32_t i = 0; i < n; i++)
		p[i] = (VkPipelineExecutablePropertiesKHR){
			.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR
		};
	if (get_executables(dev, &which, &n, p) < 0)
		return;
	out->n_executables = n;
	for (uint32_t i = 0; i < n; i++) {
		const VkPipelineExecutableInfoKHR one = {
			.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR,
			.pipeline = pipeline,
			.executableIndex = i
		};
		VkPipelineExecutableStatisticKHR s[SWALLOW_MAX_STATISTIC];
		uint32_t m = SWALLOW_MAX_STATISTIC;

		for (uint32_t j = 0; j < m; j++)
			s[j] = (VkPipelineExecutableStatisticKHR){
				.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR
			};
		if (get_statistics(dev, &one, &m, s) < 0)
			return;
		snprintf(out->executable[i].name, sizeof out->executable[i].name, "%.63s", p[i].name);
		out->executable[i].subgroup_size = p[i].subgroupSize;
		out->executable[i].n = m;
		for (uint32_t j = 0; j < m; j++) {
			snprintf(out->executable[i].statistic[j].name, 64, "%.63s", s[j].name);
			out->executable[i].statistic[j].value = number(&s[j]);
		}
	}
}

static uint64_t n_asked; /* calls that created a pipeline or failed */

static uint64_t
cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static bool
is_faulty(enum swallow_fault fault)
{
	return swallow.fault == fault && n_asked + 1 == swallow.fault_at;
}

/* Replaces the opcode of each OpFunction (54; SPIR-V 1.6, 3.49.9) with 0xffff, which is not used. */
static VkResult
create_invalid(VkDevice dev, const VkShaderModuleCreateInfo *info, VkShaderModule *out)
{
	enum { HEADER = 5, FUNCTION = 54 };
	VkShaderModuleCreateInfo changed = *info;
	const size_t n = info->codeSize / 4;
	uint32_t *code = malloc(info->codeSize);
	VkResult r;

	if (!code)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	memcpy(code, info->pCode, info->codeSize);
	for (size_t at = HEADER; at < n && code[at] >> 16; at += code[at] >> 16)
		if ((code[at] & 0xffff) == FUNCTION)
			code[at] |= 0xffff;
	changed.pCode = code;
	r = real.vkCreateShaderModule(dev, &changed, NULL, out);
	free(code);
	return r;
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_module(VkDevice dev, const VkShaderModuleCreateInfo *info, const VkAllocationCallbacks *a,
	      VkShaderModule *out)
{
	(void)a;
	if (is_faulty(FAULT_INVALID))
		return create_invalid(dev, info, out);
	return real.vkCreateShaderModule(dev, info, NULL, out);
}

static VKAPI_ATTR VkResult VKAPI_CALL
create_pipelines(VkDevice dev, VkPipelineCache cache, uint32_t n,
		 const VkComputePipelineCreateInfo *infos, const VkAllocationCallbacks *a, VkPipeline *out)
{
	VkComputePipelineCreateInfo info = infos[0];
	uint64_t before = cpu_ns();
	VkResult r;

	(void)a;
	if (is_faulty(FAULT_CRASH))
		abort();
	while (is_faulty(FAULT_HANG))
		;
	r = n != 1 || is_faulty(FAULT_ERROR) ? VK_ERROR_UNKNOWN : VK_SUCCESS;
	n_asked++;
	if (r != VK_SUCCESS)
		return r;
	if (get_statistics)
		info.flags |= VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
	r = real.vkCreateComputePipelines(dev, cache, 1, &info, NULL, out);
	swallow.n_pipelines += r == VK_SUCCESS;
	if (get_statistics) {
		swallow.last = (struct swallow_report){ .cpu_ns = cpu_ns() - before };
		if (r == VK_SUCCESS)
			report(dev, *out, &swallow.last);
	}
	return r;
}

/* -- Hooks into the driver's tables --------------------------------------------------------- */

static VkDevice latest;

static VKAPI_ATTR VkResult VKAPI_CALL
create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info, const VkAllocationCallbacks *a,
	      VkDevice *out)
{
	enum { MAX_EXTENSION = 16 };
	VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR feature = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR,
		.pNext = (void *)(uintptr_t)info->pNext,
		.pipelineExecutableInfo = VK_TRUE
	};
	const char *extensions[MAX_EXTENSION];
	VkDeviceCreateInfo more = *info;
	VkResult r;

	(void)a;
	if (swallow.ask && info->enabledExtensionCount < MAX_EXTENSION) {
		for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
			extensions[i] = info->ppEnabledExtensionNames[i];
		extensions[more.enabledExtensionCount++] =
			VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME;
		more.ppEnabledExtensionNames = extensions;
		more.pNext = &feature;
	}
	r = real_instance.vkCreateDevice(physical, &more, NULL, out);
	latest = *out;
	return r;
}

static void
wrap_instance(struct vulkan_instance_symbols *vk)
{
	real_instance = *vk;
	vk->vkCreateDevice = create_device;
}

static void
wrap_device(struct vulkan_device_symbols *vk)
{
	PFN_vkVoidFunction f;

	real = *vk;
	if (swallow.ask) {
		f = real_instance.vkGetDeviceProcAddr(latest, "vkGetPipelineExecutablePropertiesKHR");
		memcpy(&get_executables, &f, sizeof f);
		f = real_instance.vkGetDeviceProcAddr(latest, "vkGetPipelineExecutableStatisticsKHR");
		memcpy(&get_statistics, &f, sizeof f);
	}
	vk->vkCreateShaderModule = create_module;
	vk->vkCreateComputePipelines = create_pipelines;

	vk->vkDeviceWaitIdle = wait_idle;
	vk->vkQueueSubmit2 = submit;
	vk->vkAllocateMemory = allocate_memory;
	vk->vkFreeMemory = free_memory;
	vk->vkMapMemory = map_memory;
	vk->vkGetDeviceBufferMemoryRequirements = memory_requirements;
	vk->vkCreateBuffer = create_buffer;
	vk->vkDestroyBuffer = destroy_buffer;
	vk->vkBindBufferMemory = bind_memory;
	vk->vkGetBufferDeviceAddress = buffer_address;
	vk->vkCreateCommandPool = create_command_pool;
	vk->vkDestroyCommandPool = destroy_command_pool;
	vk->vkResetCommandPool = reset_pool;
	vk->vkAllocateCommandBuffers = allocate_commands;
	vk->vkBeginCommandBuffer = begin_commands;
	vk->vkEndCommandBuffer = end_commands;
	vk->vkCmdPipelineBarrier2 = cmd_barrier;
	vk->vkCmdBindPipeline = cmd_bind;
	vk->vkCmdPushConstants = cmd_push;
	vk->vkCmdDispatch = cmd_dispatch;
	vk->vkCmdCopyBuffer = cmd_copy;
	vk->vkCmdFillBuffer = cmd_fill;
	vk->vkCmdUpdateBuffer = cmd_update;
	vk->vkCreateSemaphore = create_semaphore;
	vk->vkDestroySemaphore = destroy_semaphore;
	vk->vkWaitSemaphores = wait_semaphores;
	vk->vkGetSemaphoreCounterValue = semaphore_value;
	vk->vkCreateQueryPool = create_query_pool;
	vk->vkDestroyQueryPool = destroy_query_pool;
	vk->vkGetQueryPoolResults = query_results;
	vk->vkCmdResetQueryPool = cmd_reset_queries;
	vk->vkCmdWriteTimestamp2 = cmd_stamp;
}

void
swallow_begin(void)
{
	vulkan_hooks = (struct vulkan_hooks){ .facts = give_memory,
					      .symbols = wrap_device,
					      .instance = wrap_instance };
}
