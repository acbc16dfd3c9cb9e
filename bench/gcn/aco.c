/* aco SIZE FILE.spv...: prints the machine code that RADV's compiler, ACO, generates for compute
 * shaders, and the statistics of any driver (VK_KHR_pipeline_executable_properties). It needs no
 * hardware: with RADV_FORCE_FAMILY=navi21 the driver simulates the device. SIZE: lanes of a
 * subgroup, if the device supports several sizes; 0: its default. Shaders have up to MAX_BUFFERS
 * storage buffers in set 0 and constants in PUSH bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

enum { MAX_CODE = 1 << 20, PUSH = 256, MAX_BUFFERS = 8 };

struct made {
	VkDevice dev;
	VkPipelineLayout layout;
	PFN_vkGetPipelineExecutableInternalRepresentationsKHR get;
	PFN_vkGetPipelineExecutableStatisticsKHR count;
	uint32_t size;
};

static void
must(VkResult r, const char *call)
{
	if (r == VK_SUCCESS)
		return;
	fprintf(stderr, "aco: %s: %d\n", call, (int)r);
	exit(1);
}

static VkDescriptorSetLayout
buffers(VkDevice dev)
{
	VkDescriptorSetLayoutBinding b[MAX_BUFFERS];
	const VkDescriptorSetLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.bindingCount = MAX_BUFFERS,
		.pBindings = b
	};
	VkDescriptorSetLayout set;

	for (uint32_t i = 0; i < MAX_BUFFERS; i++)
		b[i] = (VkDescriptorSetLayoutBinding){ .binding = i,
						       .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
						       .descriptorCount = 1,
						       .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT };
	must(vkCreateDescriptorSetLayout(dev, &info, NULL, &set), "vkCreateDescriptorSetLayout");
	return set;
}

/* Opens the device with all its features except robustness, which would check accesses twice. */
static void
open_device(struct made *m)
{
	const VkApplicationInfo app = { .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
					.apiVersion = VK_API_VERSION_1_3 };
	const VkInstanceCreateInfo instance_info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app
	};
	VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR features = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR
	};
	VkPhysicalDeviceVulkan13Features v13 = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, .pNext = &features
	};
	VkPhysicalDeviceVulkan12Features v12 = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .pNext = &v13
	};
	VkPhysicalDeviceVulkan11Features v11 = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, .pNext = &v12
	};
	VkPhysicalDeviceFeatures2 all = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
					  .pNext = &v11 };
	const float priority = 1;
	const VkDeviceQueueCreateInfo queue = { .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
						.queueCount = 1,
						.pQueuePriorities = &priority };
	static const char *const extensions[] = { VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME };
	const VkPushConstantRange range = { VK_SHADER_STAGE_COMPUTE_BIT, 0, PUSH };
	VkPipelineLayoutCreateInfo layout = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = 1,
		.pushConstantRangeCount = 1,
		.pPushConstantRanges = &range
	};
	VkInstance instance;
	VkPhysicalDevice physical;
	uint32_t n = 1;

	must(vkCreateInstance(&instance_info, NULL, &instance), "vkCreateInstance");
	vkEnumeratePhysicalDevices(instance, &n, &physical);
	if (!n) {
		fprintf(stderr, "aco: no device\n");
		exit(1);
	}
	vkGetPhysicalDeviceFeatures2(physical, &all);
	all.features.robustBufferAccess = VK_FALSE;
	const VkDeviceCreateInfo device = { .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
					    .pNext = &all,
					    .queueCreateInfoCount = 1,
					    .pQueueCreateInfos = &queue,
					    .enabledExtensionCount = 1,
					    .ppEnabledExtensionNames = extensions };
	must(vkCreateDevice(physical, &device, NULL, &m->dev), "vkCreateDevice");
	const VkDescriptorSetLayout set = buffers(m->dev);
	layout.pSetLayouts = &set;
	must(vkCreatePipelineLayout(m->dev, &layout, NULL, &m->layout), "vkCreatePipelineLayout");
	m->get = (PFN_vkGetPipelineExecutableInternalRepresentationsKHR)vkGetDeviceProcAddr(
		m->dev, "vkGetPipelineExecutableInternalRepresentationsKHR");
	m->count = (PFN_vkGetPipelineExecutableStatisticsKHR)vkGetDeviceProcAddr(
		m->dev, "vkGetPipelineExecutableStatisticsKHR");
}

static VkPipeline
compile(const struct made *m, const char *code, size_t size)
{
	const VkShaderModuleCreateInfo module = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = size,
		.pCode = (const uint32_t *)(const void *)code
	};
	const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo lanes = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
		.requiredSubgroupSize = m->size
	};
	VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.flags = VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR |
			 VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR,
		.stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			   .pNext = m->size ? &lanes : NULL,
			   .flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT,
			   .stage = VK_SHADER_STAGE_COMPUTE_BIT,
			   .pName = "main" },
		.layout = m->layout
	};
	VkPipeline pipeline;

	must(vkCreateShaderModule(m->dev, &module, NULL, &info.stage.module), "vkCreateShaderModule");
	must(vkCreateComputePipelines(m->dev, VK_NULL_HANDLE, 1, &info, NULL, &pipeline),
	     "vkCreateComputePipelines");
	vkDestroyShaderModule(m->dev, info.stage.module, NULL);
	return pipeline;
}

/* Prints the driver's statistics, as lines "statistic VALUE NAME". */
static void
print_statistics(const struct made *m, VkPipeline pipeline)
{
	const VkPipelineExecutableInfoKHR which = { .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR,
						    .pipeline = pipeline };
	VkPipelineExecutableStatisticKHR s[32] = { 0 };
	uint32_t n = 32;

	for (uint32_t i = 0; i < n; i++)
		s[i].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR;
	must(m->count(m->dev, &which, &n, s), "vkGetPipelineExecutableStatisticsKHR");
	for (uint32_t i = 0; i < n; i++)
		if (s[i].format == VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR)
			printf("statistic %llu %s\n", (unsigned long long)s[i].value.u64, s[i].name);
}

/* Prints the machine code, one of the driver's representations. */
static void
print(const struct made *m, VkPipeline pipeline)
{
	const VkPipelineExecutableInfoKHR which = { .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR,
						    .pipeline = pipeline };
	VkPipelineExecutableInternalRepresentationKHR r[8] = { 0 };
	uint32_t n = 8;

	for (uint32_t i = 0; i < n; i++)
		r[i].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR;
	must(m->get(m->dev, &which, &n, r), "vkGetPipelineExecutableInternalRepresentationsKHR");
	for (uint32_t i = 0; i < n; i++)
		r[i].pData = calloc(1, r[i].dataSize + 1);
	must(m->get(m->dev, &which, &n, r), "vkGetPipelineExecutableInternalRepresentationsKHR");
	for (uint32_t i = 0; i < n; i++) {
		if (strcmp(r[i].name, "Assembly") == 0)
			printf("%s", (const char *)r[i].pData);
		free(r[i].pData);
	}
}

int
main(int argc, char **argv)
{
	struct made m = { .size = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0 };
	char *code = malloc(MAX_CODE);

	if (argc < 3 || !code) {
		fprintf(stderr, "usage: aco SIZE FILE.spv...\n");
		return 2;
	}
	open_device(&m);
	for (int i = 2; i < argc; i++) {
		FILE *f = fopen(argv[i], "rb");
		size_t size = f ? fread(code, 1, MAX_CODE, f) : 0;
		if (!size || size == MAX_CODE) {
			fprintf(stderr, "aco: cannot read '%s'\n", argv[i]);
			return 1;
		}
		fclose(f);
		VkPipeline pipeline = compile(&m, code, size);
		printf("file %s\n", argv[i]);
		print(&m, pipeline);
		print_statistics(&m, pipeline);
		vkDestroyPipeline(m.dev, pipeline, NULL);
	}
	free(code);
	return 0;
}
