/* Device memory: blocks from the driver, cut into pieces.  A block is one
 * VkDeviceMemory under one VkBuffer, mapped as long as it lives where the host
 * can see it.  What is larger than half a block gets one of its own.
 *
 * A block's pieces form a list by address; free ones also stand in a list of
 * their size class, so taking and giving back cost no search. */
#include "vulkan_internal.h"

enum { KEEP_EMPTY = 1 }; /* blocks kept although nothing in them is used */

static const VkBufferUsageFlags usage =
	VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
	VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

/* -- Pieces, under memory_lock ------------------------------------------------- */

static uint32_t
floor_log2(uint64_t n)
{
	uint32_t r = 0;
	while (n >>= 1)
		r++;
	return r;
}

static void
push_free(struct vulkan_heap *h, struct vulkan_range *r)
{
	struct vulkan_range **list = &h->free[floor_log2(r->size)];
	r->free_prev = NULL;
	r->free_next = *list;
	if (*list)
		(*list)->free_prev = r;
	*list = r;
}

static void
pull_free(struct vulkan_heap *h, struct vulkan_range *r)
{
	if (r->free_prev)
		r->free_prev->free_next = r->free_next;
	else
		h->free[floor_log2(r->size)] = r->free_next;
	if (r->free_next)
		r->free_next->free_prev = r->free_prev;
}

/* Any piece of a class above that of size fits; in its own class the first few
 * are looked at. */
static struct vulkan_range *
find_free(const struct vulkan_heap *h, uint64_t size)
{
	enum { LOOK = 8 };
	uint32_t class = floor_log2(size);
	struct vulkan_range *r = h->free[class];
	for (int i = 0; r && i < LOOK; i++, r = r->free_next) {
		if (r->size >= size)
			return r;
	}
	while (++class < VULKAN_N_CLASS) {
		if (h->free[class])
			return h->free[class];
	}
	return NULL;
}

static bool
is_whole(const struct vulkan_range *r)
{
	return !r->prev && !r->next;
}

/* The first `size` bytes of a free piece; the rest stays free. */
static bool
cut(struct pool *pool, struct vulkan_heap *h, struct vulkan_range *r, uint64_t size)
{
	struct vulkan_range *rest = NULL;
	if (r->size > size) {
		rest = pool_new(pool, sizeof *rest);
		if (!rest)
			return false;
	}
	h->n_empty -= is_whole(r);
	pull_free(h, r);
	r->used = true;
	if (!rest)
		return true;
	*rest = (struct vulkan_range){
		.block = r->block,
		.prev = r,
		.next = r->next,
		.offset = r->offset + size,
		.size = r->size - size,
	};
	if (r->next)
		r->next->prev = rest;
	r->next = rest;
	r->size = size;
	push_free(h, rest);
	return true;
}

/* r takes its free right neighbour in. */
static void
absorb_next(struct pool *pool, struct vulkan_heap *h, struct vulkan_range *r)
{
	struct vulkan_range *next = r->next;
	if (!next || next->used)
		return;
	pull_free(h, next);
	r->size += next->size;
	r->next = next->next;
	if (r->next)
		r->next->prev = r;
	pool_delete(pool, next);
}

/* -- Blocks ---------------------------------------------------------------------- */

static void
destroy_block(struct vulkan_device *dev, struct vulkan_block *b)
{
	for (struct vulkan_range *r = b->first, *next; r; r = next) {
		next = r->next;
		pool_delete(&dev->base.ctx->pool, r);
	}
	dev->vk.vkDestroyBuffer(dev->device, b->buffer, NULL);
	dev->vk.vkFreeMemory(dev->device, b->memory, NULL);
	pool_delete(&dev->base.ctx->pool, b);
}

static VkResult
fill_block(struct vulkan_device *dev, struct vulkan_block *b, const char **call)
{
	const struct vulkan_device_symbols *vk = &dev->vk;
	VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = b->size,
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
		.memoryTypeIndex = b->heap->type,
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
	if (r == VK_SUCCESS && b->heap->mapped) {
		void *host;
		*call = "vkMapMemory";
		r = vk->vkMapMemory(dev->device, b->memory, 0, VK_WHOLE_SIZE, 0, &host);
		b->host = r == VK_SUCCESS ? host : NULL;
	}
	if (r != VK_SUCCESS)
		return r;
	VkBufferDeviceAddressInfo where = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
		.buffer = b->buffer,
	};
	b->addr = vk->vkGetBufferDeviceAddress(dev->device, &where);
	return VK_SUCCESS;
}

/* A block with one piece, free and in no list.  Takes no lock. */
static qd_status
make_block(struct vulkan_device *dev, struct vulkan_heap *h, uint64_t size, bool dedicated,
	   struct vulkan_block **out, struct qd_error *err)
{
	struct pool *pool = &dev->base.ctx->pool;
	struct vulkan_block *b = pool_new(pool, sizeof *b);
	struct vulkan_range *r = pool_new(pool, sizeof *r);
	if (!b || !r) {
		pool_delete(pool, b);
		pool_delete(pool, r);
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	}
	b->heap = h;
	b->size = size;
	b->dedicated = dedicated;
	b->first = r;
	r->block = b;
	r->size = size;
	const char *call;
	VkResult result = fill_block(dev, b, &call);
	if (result == VK_SUCCESS) {
		*out = b;
		return QD_OK;
	}
	destroy_block(dev, b);
	qd_status st = vulkan_fail(dev, err, result, call);
	if (st != QD_E_DEVICE_NOMEM)
		return st;
	return qd_fail(err, st, "%s (%s): no room for %llu bytes: %s failed: %s (%d)",
		       dev->base.info.selector, dev->base.info.name, (unsigned long long)size, call,
		       vulkan_result_name(result), (int)result);
}

/* Under memory_lock. */
static void
link_block(struct vulkan_block *b)
{
	struct vulkan_heap *h = b->heap;
	b->next = h->blocks;
	if (h->blocks)
		h->blocks->prev = b;
	h->blocks = b;
}

static void
unlink_block(struct vulkan_block *b)
{
	if (b->prev)
		b->prev->next = b->next;
	else
		b->heap->blocks = b->next;
	if (b->next)
		b->next->prev = b->prev;
}

/* -- Taking and giving back --------------------------------------------------------- */

static qd_status
alloc_dedicated(struct vulkan_device *dev, struct vulkan_heap *h, uint64_t size,
		struct vulkan_range **out, struct qd_error *err)
{
	const struct vulkan_physical *p = &dev->physical;
	uint64_t limit = p->max_alloc < p->max_buffer ? p->max_alloc : p->max_buffer;
	if (size > limit)
		return qd_fail(err, QD_E_LIMIT,
			       "%s (%s): a buffer of %llu bytes; the device takes %llu at most",
			       dev->base.info.selector, dev->base.info.name,
			       (unsigned long long)size, (unsigned long long)limit);
	struct vulkan_block *b;
	QD_TRY(make_block(dev, h, size, true, &b, err));
	b->first->used = true;
	pthread_mutex_lock(&dev->memory_lock);
	link_block(b);
	pthread_mutex_unlock(&dev->memory_lock);
	*out = b->first;
	return QD_OK;
}

qd_status
vulkan_memory_alloc(struct vulkan_device *dev, struct vulkan_heap *h, uint64_t size,
		    struct vulkan_range **out, struct qd_error *err)
{
	if (size > UINT64_MAX - VULKAN_ALIGN)
		return qd_fail(err, QD_E_LIMIT, "%s: a buffer of %llu bytes",
			       dev->base.info.selector, (unsigned long long)size);
	size = (size + VULKAN_ALIGN - 1) & ~(uint64_t)(VULKAN_ALIGN - 1);
	if (size > h->block_size / 2)
		return alloc_dedicated(dev, h, size, out, err);

	pthread_mutex_lock(&dev->memory_lock);
	struct vulkan_range *r = find_free(h, size);
	if (!r) {
		/* The driver is asked without the lock; at worst two threads make a
		 * block each. */
		pthread_mutex_unlock(&dev->memory_lock);
		struct vulkan_block *b;
		struct qd_error first;
		qd_status st = make_block(dev, h, h->block_size, false, &b, &first);
		if (st == QD_E_DEVICE_NOMEM)
			return alloc_dedicated(dev, h, size, out, err);
		if (st != QD_OK)
			return qd_fail_text(err, st, 0, 0, first.text, strlen(first.text));
		pthread_mutex_lock(&dev->memory_lock);
		link_block(b);
		r = b->first;
		push_free(h, r);
		h->n_empty++;
	}
	bool ok = cut(&dev->base.ctx->pool, h, r, size);
	pthread_mutex_unlock(&dev->memory_lock);
	if (!ok)
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	*out = r;
	return QD_OK;
}

void
vulkan_memory_free(struct vulkan_device *dev, struct vulkan_range *r)
{
	struct vulkan_block *b = r->block, *dead = NULL;
	struct vulkan_heap *h = b->heap;
	struct pool *pool = &dev->base.ctx->pool;
	pthread_mutex_lock(&dev->memory_lock);
	if (b->dedicated) {
		dead = b;
	} else {
		r->used = false;
		absorb_next(pool, h, r);
		if (r->prev && !r->prev->used) {
			struct vulkan_range *prev = r->prev;
			pull_free(h, prev);
			push_free(h, r); /* absorb_next pulls it out */
			absorb_next(pool, h, prev);
			r = prev;
		}
		if (is_whole(r) && h->n_empty >= KEEP_EMPTY) {
			dead = b;
		} else {
			h->n_empty += is_whole(r);
			push_free(h, r);
		}
	}
	if (dead)
		unlink_block(dead);
	pthread_mutex_unlock(&dev->memory_lock);
	if (dead)
		destroy_block(dev, dead);
}

/* Blocks that are kept although nothing in them is used. */
bool
vulkan_trim(struct qd_device *base)
{
	struct vulkan_device *dev = vulkan_device_of(base);
	struct vulkan_block *dead = NULL;
	pthread_mutex_lock(&dev->memory_lock);
	for (size_t i = 0; i < QD_COUNT(dev->heaps); i++) {
		struct vulkan_heap *h = &dev->heaps[i];
		for (struct vulkan_block *b = h->blocks, *next; b; b = next) {
			next = b->next;
			if (b->first->used || !is_whole(b->first))
				continue;
			pull_free(h, b->first);
			h->n_empty--;
			unlink_block(b);
			b->next = dead;
			dead = b;
		}
	}
	pthread_mutex_unlock(&dev->memory_lock);
	bool any = dead != NULL;
	while (dead) {
		struct vulkan_block *b = dead;
		dead = b->next;
		destroy_block(dev, b);
	}
	return any;
}

qd_status
vulkan_buffer_memory(struct qd_device *base, enum memory_kind kind, uint64_t size,
		     struct device_memory *out, struct qd_error *err)
{
	struct vulkan_device *dev = vulkan_device_of(base);
	struct vulkan_range *r;
	QD_TRY(vulkan_memory_alloc(dev, kind == MEMORY_STAGING ? dev->staging : dev->main, size,
				   &r, err));
	*out = (struct device_memory){
		.addr = r->block->addr + r->offset,
		.host = r->block->host ? r->block->host + r->offset : NULL,
		.size = r->size,
		.piece = r,
	};
	return QD_OK;
}

void
vulkan_buffer_memory_free(struct qd_device *base, struct device_memory *m)
{
	vulkan_memory_free(vulkan_device_of(base), m->piece);
}

/* -- Choosing memory types ------------------------------------------------------------ */

/* Types that need a feature of their own, or hold nothing that buffers need. */
static const VkMemoryPropertyFlags special =
	VK_MEMORY_PROPERTY_PROTECTED_BIT | VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT |
	VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD | VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD;

/* The first type that has all of `want`; else UINT32_MAX. */
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

static void
init_heap(const struct vulkan_physical *p, struct vulkan_heap *h, uint32_t type, bool mapped,
	  uint64_t want)
{
	uint64_t heap = p->memory.memoryHeaps[p->memory.memoryTypes[type].heapIndex].size;
	h->type = type;
	h->mapped = mapped;
	h->block_size = want;
	while (h->block_size > 1u << 20 &&
	       (h->block_size > heap / 8 || h->block_size > p->max_alloc ||
		h->block_size > p->max_buffer))
		h->block_size /= 2;
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
		.size = VULKAN_ALIGN,
		.usage = usage,
	};
	VkDeviceBufferMemoryRequirements ask = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS,
		.pCreateInfo = &info,
	};
	VkMemoryRequirements2 req = { .sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2 };
	dev->vk.vkGetDeviceBufferMemoryRequirements(dev->device, &ask, &req);
	uint32_t allowed = req.memoryRequirements.memoryTypeBits;

	/* Local memory that the host reads at full speed is cached; a discrete
	 * card's window into its memory is not, and reading through it is slow. */
	uint32_t all = find_type(p, allowed, LOCAL | HOST | CACHED);
	if (all != UINT32_MAX && !vulkan_hooks.staged) {
		init_heap(p, &dev->heaps[0], all, true, 16u << 20);
		dev->main = dev->staging = &dev->heaps[0];
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
	init_heap(p, &dev->heaps[0], local, false, 64u << 20);
	init_heap(p, &dev->heaps[1], host, true, 32u << 20);
	dev->main = &dev->heaps[0];
	dev->staging = &dev->heaps[1];
	dev->base.hidden = true;
	return QD_OK;
}

void
vulkan_memory_fini(struct vulkan_device *dev)
{
	for (size_t i = 0; i < QD_COUNT(dev->heaps); i++) {
		for (struct vulkan_block *b = dev->heaps[i].blocks, *next; b; b = next) {
			next = b->next;
			destroy_block(dev, b);
		}
		dev->heaps[i].blocks = NULL;
	}
}
