/* gpu-facts: prints the properties of each Vulkan device that qd uses, one "name = value" a
 * line, with the names of the Vulkan specification. Fails if there is no loader, no driver or no
 * device. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#define GLOBAL_CALLS(X) X(vkEnumerateInstanceVersion) X(vkCreateInstance)
#define INSTANCE_CALLS(X)                                                                                    \
	X(vkDestroyInstance) X(vkEnumeratePhysicalDevices) X(vkGetPhysicalDeviceProperties2)                 \
	X(vkGetPhysicalDeviceFeatures2) X(vkGetPhysicalDeviceMemoryProperties)                               \
	X(vkGetPhysicalDeviceQueueFamilyProperties) X(vkEnumerateDeviceExtensionProperties)

static struct {
#define FIELD(name) PFN_##name name;
	GLOBAL_CALLS(FIELD) INSTANCE_CALLS(FIELD)
} vk;

/* The members that qd reads, of VkPhysicalDeviceLimits and of the properties and features of each core version. */
#define LIMITS(X)                                                                                            \
	X(maxComputeWorkGroupInvocations) X(maxComputeSharedMemorySize) X(maxStorageBufferRange)             \
	X(maxPushConstantsSize) X(maxMemoryAllocationCount) X(nonCoherentAtomSize) X(minMemoryMapAlignment)  \
	X(timestampComputeAndGraphics)
#define PROPERTIES_11(X)                                                                                     \
	X(subgroupSize) X(subgroupSupportedStages) X(subgroupSupportedOperations) X(maxMemoryAllocationSize)
#define PROPERTIES_12(X)                                                                                     \
	X(driverID) X(denormBehaviorIndependence) X(roundingModeIndependence)                                \
	X(shaderSignedZeroInfNanPreserveFloat16) X(shaderSignedZeroInfNanPreserveFloat32)                    \
	X(shaderSignedZeroInfNanPreserveFloat64) X(shaderDenormPreserveFloat16)                              \
	X(shaderDenormPreserveFloat32) X(shaderDenormPreserveFloat64) X(shaderDenormFlushToZeroFloat16)      \
	X(shaderDenormFlushToZeroFloat32) X(shaderDenormFlushToZeroFloat64) X(shaderRoundingModeRTEFloat16)  \
	X(shaderRoundingModeRTEFloat32) X(shaderRoundingModeRTEFloat64) X(shaderRoundingModeRTZFloat32)      \
	X(shaderRoundingModeRTZFloat64)
#define PROPERTIES_13(X)                                                                                     \
	X(minSubgroupSize) X(maxSubgroupSize) X(maxComputeWorkgroupSubgroups) X(requiredSubgroupSizeStages)
#define FEATURES_10(X) X(shaderFloat64) X(shaderInt64) X(shaderInt16) X(robustBufferAccess)
#define FEATURES_11(X) X(storageBuffer16BitAccess)
#define FEATURES_12(X)                                                                                       \
	X(bufferDeviceAddress) X(vulkanMemoryModel) X(vulkanMemoryModelDeviceScope)                          \
	X(vulkanMemoryModelAvailabilityVisibilityChains) X(timelineSemaphore) X(storageBuffer8BitAccess)     \
	X(shaderFloat16) X(shaderInt8) X(shaderBufferInt64Atomics) X(shaderSharedInt64Atomics)               \
	X(shaderSubgroupExtendedTypes) X(hostQueryReset)
#define FEATURES_13(X)                                                                                       \
	X(subgroupSizeControl) X(computeFullSubgroups) X(synchronization2) X(maintenance4)                   \
	X(shaderZeroInitializeWorkgroupMemory) X(pipelineCreationCacheControl)

static void
print_value(const char *name, unsigned long long value)
{
	printf(value > 0xffff ? "  %s = 0x%llx\n" : "  %s = %llu\n", name, value);
}

static void
print_device(VkPhysicalDevice d)
{
	VkPhysicalDeviceVulkan13Properties p13 = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES };
	VkPhysicalDeviceVulkan12Properties p12 = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES, .pNext = &p13 };
	VkPhysicalDeviceVulkan11Properties p11 = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, .pNext = &p12 };
	VkPhysicalDeviceProperties2 p = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2 };
	VkPhysicalDeviceVulkan13Features f13 = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES };
	VkPhysicalDeviceVulkan12Features f12 = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .pNext = &f13 };
	VkPhysicalDeviceVulkan11Features f11 = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, .pNext = &f12 };
	VkPhysicalDeviceFeatures2 f = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &f11 };
	VkPhysicalDeviceMemoryProperties m;
	VkQueueFamilyProperties q[16];
	VkExtensionProperties *e;
	uint32_t n = sizeof q / sizeof *q;

	vk.vkGetPhysicalDeviceProperties2(d, &p);
	printf("%s, type %d, vendor 0x%04x, API %u.%u.%u\n", p.properties.deviceName, (int)p.properties.deviceType,
	       p.properties.vendorID, VK_API_VERSION_MAJOR(p.properties.apiVersion),
	       VK_API_VERSION_MINOR(p.properties.apiVersion), VK_API_VERSION_PATCH(p.properties.apiVersion));
	if (p.properties.apiVersion < VK_API_VERSION_1_3)
		return;
	p.pNext = &p11;
	vk.vkGetPhysicalDeviceProperties2(d, &p);
	vk.vkGetPhysicalDeviceFeatures2(d, &f);
	printf("  driver = %s %s, conformance %u.%u.%u.%u\n", p12.driverName, p12.driverInfo, p12.conformanceVersion.major,
	       p12.conformanceVersion.minor, p12.conformanceVersion.subminor, p12.conformanceVersion.patch);
#define OF(from, name) print_value(#name, (unsigned long long)from.name);
#define OF_LIMITS(name) OF(p.properties.limits, name)
	LIMITS(OF_LIMITS)
	printf("  timestampPeriod = %g\n", (double)p.properties.limits.timestampPeriod);
#define OF_P11(name) OF(p11, name)
	PROPERTIES_11(OF_P11)
#define OF_P12(name) OF(p12, name)
	PROPERTIES_12(OF_P12)
#define OF_P13(name) OF(p13, name)
	PROPERTIES_13(OF_P13)
#define OF_F10(name) OF(f.features, name)
	FEATURES_10(OF_F10)
#define OF_F11(name) OF(f11, name)
	FEATURES_11(OF_F11)
#define OF_F12(name) OF(f12, name)
	FEATURES_12(OF_F12)
#define OF_F13(name) OF(f13, name)
	FEATURES_13(OF_F13)
	vk.vkGetPhysicalDeviceMemoryProperties(d, &m);
	for (uint32_t i = 0; i < m.memoryHeapCount; i++)
		printf("  heap %u = %llu MiB, flags 0x%x\n", i, (unsigned long long)m.memoryHeaps[i].size >> 20, m.memoryHeaps[i].flags);
	for (uint32_t i = 0; i < m.memoryTypeCount; i++)
		printf("  memory type %u = heap %u, flags 0x%x\n", i, m.memoryTypes[i].heapIndex, m.memoryTypes[i].propertyFlags);
	vk.vkGetPhysicalDeviceQueueFamilyProperties(d, &n, q);
	for (uint32_t i = 0; i < n; i++)
		printf("  queue family %u = %u queues, flags 0x%x, timestamps of %u bits\n", i, q[i].queueCount, q[i].queueFlags, q[i].timestampValidBits);
	n = 0;
	vk.vkEnumerateDeviceExtensionProperties(d, NULL, &n, NULL);
	e = calloc(n + 1u, sizeof *e);
	if (!e)
		return;
	vk.vkEnumerateDeviceExtensionProperties(d, NULL, &n, e);
	printf("  extensions =");
	for (uint32_t i = 0; i < n; i++)
		printf(" %s", e[i].extensionName);
	puts("");
	free(e);
}

int
main(void)
{
	VkApplicationInfo app = { .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3 };
	VkInstanceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app };
	void *library = dlopen("libvulkan.so.1", RTLD_NOW);
	PFN_vkGetInstanceProcAddr get = NULL;
	VkPhysicalDevice devices[16];
	VkInstance instance = VK_NULL_HANDLE;
	uint32_t n = 16, version = 0;
	VkResult r;

	if (library)
		*(void **)&get = dlsym(library, "vkGetInstanceProcAddr");
	if (!get) {
		printf("error: libvulkan.so.1 does not load: %s\n", dlerror());
		return 1;
	}
#define GET(name) vk.name = (PFN_##name)get(instance, #name);
	GLOBAL_CALLS(GET)
	vk.vkEnumerateInstanceVersion(&version);
	printf("loader %u.%u.%u\n", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version), VK_API_VERSION_PATCH(version));
	r = vk.vkCreateInstance(&info, NULL, &instance);
	if (r != VK_SUCCESS) {
		printf("error: vkCreateInstance returns %d: no driver loads\n", (int)r);
		return 1;
	}
	INSTANCE_CALLS(GET)
	r = vk.vkEnumeratePhysicalDevices(instance, &n, devices);
	if (r < 0 || !n) {
		printf("error: vkEnumeratePhysicalDevices returns %d with %u devices\n", (int)r, n);
		n = 0;
	}
	for (uint32_t i = 0; i < n; i++)
		print_device(devices[i]);
	vk.vkDestroyInstance(instance, NULL);
	if (n)
		printf("%u devices\n", n);
	return n == 0;
}
