/* Reads the properties of a physical device from the driver, without checking them. */
#include "vulkan_internal.h"

/* Extensions that are enabled if they are available. */
const char *const vulkan_extension_names[N_VULKAN_EXTENSION] = {
	/* of layered implementations; must be enabled if it is available */
	[VULKAN_PORTABILITY] = "VK_KHR_portability_subset",
	[VULKAN_UNIFORM_FLOW] = "VK_KHR_shader_subgroup_uniform_control_flow",
	/* only queried, for devices on that bus */
	[VULKAN_PCI] = "VK_EXT_pci_bus_info",
};

VkPhysicalDeviceFeatures2 *
vulkan_features_chain(struct vulkan_features *f, uint32_t extensions)
{
	f->core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
	f->v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
	f->v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
	f->v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
	f->flow.sType =
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR;
	f->core.pNext = &f->v11;
	f->v11.pNext = &f->v12;
	f->v12.pNext = &f->v13;
	f->v13.pNext = extensions >> VULKAN_UNIFORM_FLOW & 1 ? &f->flow : NULL;
	f->flow.pNext = NULL;
	return &f->core;
}

static qd_status
get_extensions(const struct vulkan_instance *in, struct pool *pool, struct vulkan_facts *f,
	       struct qd_error *err)
{
	VkExtensionProperties *have = NULL;
	uint32_t n = 0;
	VkResult r;
	do {
		r = in->vk.vkEnumerateDeviceExtensionProperties(f->handle, NULL, &n, NULL);
		if (r != VK_SUCCESS && r != VK_INCOMPLETE)
			break;
		pool_delete(pool, have);
		have = pool_new(pool, (n + 1) * sizeof *have);
		if (!have)
			return qd_fail(err, QD_E_NOMEM, "out of memory");
		r = in->vk.vkEnumerateDeviceExtensionProperties(f->handle, NULL, &n, have);
	} while (r == VK_INCOMPLETE);
	f->extensions_result = r;
	for (uint32_t i = 0; i < n && r == VK_SUCCESS; i++) {
		for (uint32_t j = 0; j < N_VULKAN_EXTENSION; j++) {
			if (strcmp(have[i].extensionName, vulkan_extension_names[j]) == 0)
				f->extensions |= 1u << j;
		}
	}
	pool_delete(pool, have);
	return QD_OK;
}

qd_status
vulkan_facts_get(const struct vulkan_instance *in, struct pool *pool, VkPhysicalDevice handle,
		 struct vulkan_facts *f, struct qd_error *err)
{
	VkPhysicalDeviceProperties2 props = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
	};
	VkPhysicalDeviceMemoryProperties2 memory = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2,
	};
	VkQueueFamilyProperties2 families[VULKAN_MAX_FAMILIES];

	memset(f, 0, sizeof *f);
	f->handle = handle;
	in->vk.vkGetPhysicalDeviceProperties2(handle, &props);
	f->core = props.properties;
	in->vk.vkGetPhysicalDeviceMemoryProperties2(handle, &memory);
	f->memory = memory.memoryProperties;
	if (f->core.apiVersion < VK_API_VERSION_1_3)
		return QD_OK;

	f->v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
	f->v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES;
	f->v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES;
	f->v11.pNext = &f->v12;
	f->v12.pNext = &f->v13;
	props.pNext = &f->v11;
	in->vk.vkGetPhysicalDeviceProperties2(handle, &props);
	f->v11.pNext = f->v12.pNext = NULL; /* f may be copied */
	QD_TRY(get_extensions(in, pool, f, err));
	if (f->extensions >> VULKAN_PCI & 1) {
		f->pci.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT;
		props.pNext = &f->pci;
		in->vk.vkGetPhysicalDeviceProperties2(handle, &props);
	}
	in->vk.vkGetPhysicalDeviceFeatures2(handle,
					    vulkan_features_chain(&f->features, f->extensions));
	for (uint32_t i = 0; i < VULKAN_MAX_FAMILIES; i++)
		families[i] = (VkQueueFamilyProperties2){
			.sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2,
		};
	f->n_families = VULKAN_MAX_FAMILIES;
	in->vk.vkGetPhysicalDeviceQueueFamilyProperties2(handle, &f->n_families, families);
	for (uint32_t i = 0; i < f->n_families; i++)
		f->families[i] = families[i].queueFamilyProperties;
	return QD_OK;
}
