/* Device memory: a block is a VkDeviceMemory with a VkBuffer. It stays mapped during its lifetime
 * if the host can access it. heap.c divides it into pieces. */
#include "vulkan_internal.h"

static const VkBufferUsageFlags usage =
	VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
	VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

/* -- Blocks ----------------------------------------------------------------------- */

static VkResult
make(struct vulkan_device *dev, struct vulkan_block *b, const char **call)
{
	const struct vulkan_heap *h = (const struct vulkan_heap *)b->base.heap;
	const struct vulkan_device_symbols *vk = &dev->vk;
	VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = b->base.size,
		.usage = usage,
	};
	VkDeviceBufferMemoryRequirements ask = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS,
		.pCreateInfo = &info,
	};
	VkMemoryRequirements2 req = { .sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2 };
	vk->vkGetDeviceBufferMemoryRequirements(dev->device, &ask, &req);
	VkMemoryAllocateFlagsInfo flags = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
		.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
	};
	VkMemoryAllocateInfo alloc = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.pNext = &flags,
		.allocationSize = req.memoryRequirements.size,
		.memoryTypeIndex = h->type,
	};
	*call = "vkAllocateMemory";
	VkResult r = vk->vkAllocateMemory(dev->device, &alloc, NULL, &b->memory);
	if (r != VK_SUCCESS) {
		b->memory = VK_NULL_HANDLE;
		return r;
	}
	*call = "vkCreateBuffer";
	r = vk->vkCreateBuffer(dev->device, &info, NULL, &b->buffer);
	if (r != VK_SUCCESS) {
		b->buffer = VK_NULL_HANDLE;
		return r;
	}
	*call = "vkBindBufferMemory";
	r = vk->vkBindBufferMemory(dev->device, b->buffer, b->memory, 0);
	if (r == VK_SUCCESS && h->mapped) {
		void *host;
		*call = "vkMapMemory";
		r = vk->vkMapMemory(dev->device, b->memory, 0, VK_WHOLE_SIZE, 0, &host);
		b->base.host = r == VK_SUCCESS ? host : NULL;
	}
	if (r != VK_SUCCESS)
		return r;
	VkBufferDeviceAddressInfo where = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
		.buffer = b->buffer,
	};
	b->base.addr = vk->vkGetBufferDeviceAddress(dev->device, &where);
	return VK_SUCCESS;
}

static qd_status
fill_block(struct heap_block *b, struct qd_error *err)
{
	struct vulkan_device *dev = vulkan_device_of(b->heap->dev);
	const char *call;
	VkResult r = make(dev, (struct vulkan_block *)b, &call);
	if (r == VK_SUCCESS)
		return QD_OK;
	qd_status st = vulkan_fail(dev, err, r, call);
	if (st != QD_E_DEVICE_NOMEM)
		return st;
	return qd_fail(err, st, "%s (%s): no room for %llu bytes: %s failed: %s (%d)",
		       dev->base.info.selector, dev->base.info.name, (unsigned long long)b->size,
		       call, vulkan_result_name(r), (int)r);
}

static void
empty_block(struct heap_block *base)
{
	struct vulkan_device *dev = vulkan_device_of(base->heap->dev);
	struct vulkan_block *b = (struct vulkan_block *)base;
	dev->vk.vkDestroyBuffer(dev->device, b->buffer, NULL);
	dev->vk.vkFreeMemory(dev->device, b->memory, NULL);
}

qd_status
vulkan_buffer_memory(struct qd_device *base, enum memory_kind kind, uint64_t size,
		     struct device_memory *out, struct qd_error *err)
{
	struct vulkan_device *dev = vulkan_device_of(base);
	struct vulkan_heap *h = kind == MEMORY_STAGING ? dev->staging : dev->main;
	struct heap_piece *p;
	QD_TRY(heap_alloc(&h->base, size, &p, err));
	*out = heap_memory(p);
	return QD_OK;
}

void
vulkan_buffer_memory_free(struct qd_device *base, struct device_memory *m)
{
	(void)base;
	heap_free(m->piece);
}

bool
vulkan_trim(struct qd_device *base)
{
	struct vulkan_device *dev = vulkan_device_of(base);
	bool any = false;
	for (size_t i = 0; i < dev->n_heaps; i++)
		any |= heap_trim(&dev->heaps[i].base);
	return any;
}

/* -- Selection of memory types -------------------------------------------------------- */

/* Types that require a feature of their own, or that are of no use for buffers. */
static const VkMemoryPropertyFlags special =
	VK_MEMORY_PROPERTY_PROTECTED_BIT | VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT |
	VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD | VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD;

/* Returns the first type that has all of `want`, or UINT32_MAX. */
static uint32_t
find_type(const struct vulkan_physical *p, uint32_t allowed, VkMemoryPropertyFlags want)
{
	for (uint32_t i = 0; i < p->memory.memoryTypeCount; i++) {
		VkMemoryPropertyFlags f = p->memory.memoryTypes[i].propertyFlags;
		if (allowed >> i & 1 && (f & want) == want && !(f & special))
			return i;
	}
	return UINT32_MAX;
}

static struct vulkan_heap *
add_heap(struct vulkan_device *dev, uint32_t type, bool mapped, uint64_t want)
{
	const struct vulkan_physical *p = &dev->physical;
	struct vulkan_heap *h = &dev->heaps[dev->n_heaps++];
	uint64_t most = p->max_alloc < p->max_buffer ? p->max_alloc : p->max_buffer;
	uint64_t heap = p->memory.memoryHeaps[p->memory.memoryTypes[type].heapIndex].size;
	h->type = type;
	h->mapped = mapped;
	h->base = (struct heap){
		.dev = &dev->base,
		.block_struct = sizeof(struct vulkan_block),
		.block_size = want,
		.max_size = most,
		.fill = fill_block,
		.empty = empty_block,
	};
	while (h->base.block_size > 1u << 20 &&
	       (h->base.block_size > heap / 8 || h->base.block_size > most))
		h->base.block_size /= 2;
	heap_init(&h->base);
	return h;
}

qd_status
vulkan_memory_init(struct vulkan_device *dev, struct qd_error *err)
{
	enum {
		LOCAL = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
		HOST = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
		CACHED = VK_MEMORY_PROPERTY_HOST_CACHED_BIT
	};
	const struct vulkan_physical *p = &dev->physical;
	VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = HEAP_ALIGN,
		.usage = usage,
	};
	VkDeviceBufferMemoryRequirements ask = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS,
		.pCreateInfo = &info,
	};
	VkMemoryRequirements2 req = { .sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2 };
	dev->vk.vkGetDeviceBufferMemoryRequirements(dev->device, &ask, &req);
	uint32_t allowed = req.memoryRequirements.memoryTypeBits;

	/* Local memory that the host reads at full speed is cached. A discrete card's window into
	 * its memory is not cached, and reads through it are slow. */
	uint32_t all = find_type(p, allowed, LOCAL | HOST | CACHED);
	if (all != UINT32_MAX && !vulkan_hooks.staged) {
		dev->main = dev->staging = add_heap(dev, all, true, 16u << 20);
		return QD_OK;
	}
	uint32_t local = find_type(p, allowed, LOCAL);
	uint32_t host = find_type(p, allowed, HOST | CACHED);
	if (local == UINT32_MAX)
		local = find_type(p, allowed, 0);
	if (host == UINT32_MAX)
		host = find_type(p, allowed, HOST);
	if (local == UINT32_MAX || host == UINT32_MAX)
		return qd_fail(err, QD_E_UNAVAILABLE,
			       "%s (%s): no memory type for storage buffers with addresses",
			       dev->base.info.selector, dev->base.info.name);
	dev->main = add_heap(dev, local, false, 64u << 20);
	dev->staging = add_heap(dev, host, true, 32u << 20);
	dev->base.hidden = true;
	return QD_OK;
}

void
vulkan_memory_fini(struct vulkan_device *dev)
{
	while (dev->n_heaps)
		heap_fini(&dev->heaps[--dev->n_heaps].base);
}
