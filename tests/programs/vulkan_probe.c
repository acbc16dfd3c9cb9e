/* Access to the Vulkan driver's internals for tests/run: the number of validation messages, and an
 * error for the validation layer to find. */
#include <stdlib.h>

#include "vulkan_internal.h"

#include "vulkan_probe.h"

uint64_t
probe_validation_messages(void)
{
	return vulkan_validation_messages();
}

bool
probe_layer_loaded(void)
{
	const char *layers = getenv("VK_INSTANCE_LAYERS");

	return layers && strstr(layers, "VK_LAYER_KHRONOS_validation");
}

/* Creates a buffer of size 0, which the specification forbids. */
void
probe_inject_error(struct qd_device *dev)
{
	struct vulkan_device *d = vulkan_device_of(dev);
	VkBufferCreateInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 0,
				    .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT };
	VkBuffer buffer = VK_NULL_HANDLE;

	if (d->vk.vkCreateBuffer(d->device, &info, NULL, &buffer) == VK_SUCCESS)
		d->vk.vkDestroyBuffer(d->device, buffer, NULL);
}
