/* Memory: a block is a buffer object of the kernel's with a range of addresses, mapped as
 * long as it lives where the host is to see it.  heap.c cuts it into pieces.
 *
 * A card's own memory is hidden from the host even where the host could see all of it: it
 * would write it well, and read it a hundred times slower than its own.  A device that has
 * the host's memory has nothing to hide.
 *
 * The kernel may move what no submission names, so each names every block. */
#include "kgd.h"

struct kgd_block {
	struct heap_block base;
	struct amdgpu_bo *bo;
	struct amdgpu_va *va;
	bool placed, listed;
};

/* For cards, and for devices that have the host's memory. */
static const struct place {
	uint32_t domain, flags, size;
	bool seen;
} places[2][KGD_N_USE] = {
	{
		[KGD_DEVICE] = { KGD_DOMAIN_VRAM, KGD_BO_HIDDEN, 64 << 20, false },
		[KGD_STAGING] = { KGD_DOMAIN_GTT, 0, 16 << 20, true },
		[KGD_COMMAND] = { KGD_DOMAIN_GTT, KGD_BO_COMBINED, 2 << 20, true },
		[KGD_CODE] = { KGD_DOMAIN_VRAM, KGD_BO_SEEN, 2 << 20, true },
	},
	{
		[KGD_DEVICE] = { KGD_DOMAIN_GTT, 0, 16 << 20, true },
		[KGD_STAGING] = { KGD_DOMAIN_GTT, 0, 16 << 20, true },
		[KGD_COMMAND] = { KGD_DOMAIN_GTT, KGD_BO_COMBINED, 2 << 20, true },
		[KGD_CODE] = { KGD_DOMAIN_GTT, KGD_BO_COMBINED, 2 << 20, true },
	},
};

/* -- The list of blocks ----------------------------------------------------------------------- */

static void
unref_list(struct kgd_device *dev, struct kgd_list *list)
{
	if (!list || --list->refs)
		return;
	KGD_DROP(dev, amdgpu_bo_list_destroy, list->handle);
	pool_delete(&dev->base.ctx->pool, list);
}

/* What blocks there are has changed.  A list keeps what it names, so it goes at once. */
static void
forget_list(struct kgd_device *dev)
{
	unref_list(dev, dev->list);
	dev->list = NULL;
}

static qd_status
add_block(struct kgd_device *dev, struct amdgpu_bo *bo, struct qd_error *err)
{
	enum { FIRST = 16 };
	struct pool *pool = &dev->base.ctx->pool;
	qd_status st = QD_OK;
	pthread_mutex_lock(&dev->lists_lock);
	if (dev->n_bo == dev->cap_bo) {
		uint32_t cap = dev->cap_bo ? 2 * dev->cap_bo : FIRST;
		struct amdgpu_bo **bos = pool_new(pool, cap * sizeof(struct amdgpu_bo *));
		if (bos) {
			if (dev->n_bo)
				memcpy(bos, dev->bos, dev->n_bo * sizeof(struct amdgpu_bo *));
			pool_delete(pool, dev->bos);
			dev->bos = bos;
			dev->cap_bo = cap;
		} else {
			st = qd_fail(err, QD_E_NOMEM, "out of memory");
		}
	}
	if (st == QD_OK) {
		dev->bos[dev->n_bo++] = bo;
		forget_list(dev);
	}
	pthread_mutex_unlock(&dev->lists_lock);
	return st;
}

static void
remove_block(struct kgd_device *dev, const struct amdgpu_bo *bo)
{
	pthread_mutex_lock(&dev->lists_lock);
	uint32_t i = 0;
	while (dev->bos[i] != bo)
		i++;
	dev->bos[i] = dev->bos[--dev->n_bo];
	forget_list(dev);
	pthread_mutex_unlock(&dev->lists_lock);
}

static qd_status
make_list(struct kgd_device *dev, struct qd_error *err)
{
	struct kgd_list *list = pool_new(&dev->base.ctx->pool, sizeof *list);
	if (!list)
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	int r = dev->drm->amdgpu_bo_list_create(dev->handle, dev->n_bo, dev->bos, NULL, &list->handle);
	if (r) {
		pool_delete(&dev->base.ctx->pool, list);
		return kgd_fail(dev, err, r, "amdgpu_bo_list_create");
	}
	list->refs = 1;
	dev->list = list;
	return QD_OK;
}

qd_status
kgd_list_get(struct kgd_device *dev, struct kgd_list **out, struct qd_error *err)
{
	pthread_mutex_lock(&dev->lists_lock);
	qd_status st = dev->list ? QD_OK : make_list(dev, err);
	if (st == QD_OK) {
		*out = dev->list;
		dev->list->refs++;
	}
	pthread_mutex_unlock(&dev->lists_lock);
	return st;
}

void
kgd_list_put(struct kgd_device *dev, struct kgd_list *list)
{
	pthread_mutex_lock(&dev->lists_lock);
	unref_list(dev, list);
	pthread_mutex_unlock(&dev->lists_lock);
}

/* -- Blocks ----------------------------------------------------------------------------------- */

static uint64_t
whole_pages(const struct kgd_device *dev, uint64_t size)
{
	uint64_t page = dev->physical.page;
	return (size + page - 1) / page * page;
}

/* The name of the call that failed, or NULL. */
static const char *
make(struct kgd_device *dev, struct kgd_block *b, int *r)
{
	enum { LARGE_PAGE = 2 << 20, SMALL_PAGE = 64 << 10 };
	const struct kgd_heap *h = (const struct kgd_heap *)b->base.heap;
	const struct kgd_symbols *drm = dev->drm;
	uint64_t size = whole_pages(dev, b->base.size);
	/* So that the page tables need few entries. */
	uint64_t align = size >= LARGE_PAGE ? LARGE_PAGE : SMALL_PAGE;
	struct kgd_bo_request ask = {
		.size = size,
		.alignment = align,
		.domain = h->domain,
		.flags = h->flags,
	};
	if ((*r = drm->amdgpu_bo_alloc(dev->handle, &ask, &b->bo)) != 0) {
		b->bo = NULL;
		return "amdgpu_bo_alloc";
	}
	*r = drm->amdgpu_va_range_alloc(dev->handle, KGD_VA_GENERAL, size, align, 0, &b->base.addr,
					&b->va, 0);
	if (*r) {
		b->va = NULL;
		return "amdgpu_va_range_alloc";
	}
	*r = drm->amdgpu_bo_va_op_raw(dev->handle, b->bo, 0, size, b->base.addr, KGD_PAGE_ALL,
				      KGD_VA_MAP);
	if (*r)
		return "amdgpu_bo_va_op_raw";
	b->placed = true;
	void *host = NULL;
	if (h->seen && (*r = drm->amdgpu_bo_cpu_map(b->bo, &host)) != 0)
		return "amdgpu_bo_cpu_map";
	b->base.host = host;
	return NULL;
}

static qd_status
fill_block(struct heap_block *base, struct qd_error *err)
{
	struct kgd_device *dev = kgd_device_of(base->heap->dev);
	struct kgd_block *b = (struct kgd_block *)base;
	int r;
	const char *call = make(dev, b, &r);
	if (!call) {
		QD_TRY(add_block(dev, b->bo, err));
		b->listed = true;
		return QD_OK;
	}
	qd_status st = kgd_fail(dev, err, r, call);
	if (st != QD_E_DEVICE_NOMEM)
		return st;
	return qd_fail(err, st, "%s (%s): no room for %llu bytes: %s failed: %s (%d)",
		       dev->base.info.selector, dev->base.info.name, (unsigned long long)base->size,
		       call, kgd_result_name(r), r);
}

static void
empty_block(struct heap_block *base)
{
	struct kgd_device *dev = kgd_device_of(base->heap->dev);
	struct kgd_block *b = (struct kgd_block *)base;
	if (b->listed)
		remove_block(dev, b->bo);
	if (b->base.host)
		KGD_DROP(dev, amdgpu_bo_cpu_unmap, b->bo);
	if (b->placed)
		KGD_DROP(dev, amdgpu_bo_va_op_raw, dev->handle, b->bo, 0, whole_pages(dev, base->size),
			 base->addr, KGD_PAGE_ALL, KGD_VA_UNMAP);
	if (b->va)
		KGD_DROP(dev, amdgpu_va_range_free, b->va);
	if (b->bo)
		KGD_DROP(dev, amdgpu_bo_free, b->bo);
}

/* -- Heaps -------------------------------------------------------------------------------------- */

static void
add_heap(struct kgd_device *dev, enum kgd_use use)
{
	const struct place *p = &places[dev->physical.apu][use];
	struct kgd_heap *h = &dev->heaps[use];
	uint64_t memory = p->domain == KGD_DOMAIN_VRAM ? dev->physical.vram : dev->physical.gtt;
	*h = (struct kgd_heap){
		.base = {
			.dev = &dev->base,
			.block_struct = sizeof(struct kgd_block),
			.block_size = p->size,
			.max_size = memory,
			.fill = fill_block,
			.empty = empty_block,
		},
		.domain = p->domain,
		.flags = p->flags,
		.seen = p->seen,
	};
	while (h->base.block_size > 1u << 20 && h->base.block_size > memory / 8)
		h->base.block_size /= 2;
	heap_init(&h->base);
	dev->n_heap++;
}

void
kgd_memory_init(struct kgd_device *dev)
{
	for (unsigned use = 0; use < KGD_N_USE; use++)
		add_heap(dev, (enum kgd_use)use);
	dev->base.hidden = !places[dev->physical.apu][KGD_DEVICE].seen;
}

void
kgd_memory_fini(struct kgd_device *dev)
{
	while (dev->n_heap)
		heap_fini(&dev->heaps[--dev->n_heap].base);
	forget_list(dev);
	pool_delete(&dev->base.ctx->pool, dev->bos);
	dev->bos = NULL;
}

qd_status
kgd_piece(struct kgd_device *dev, enum kgd_use use, uint64_t size, struct heap_piece **out,
	  struct qd_error *err)
{
	return heap_alloc(&dev->heaps[use].base, size, out, err);
}

qd_status
kgd_memory_alloc(struct qd_device *base, enum memory_kind kind, uint64_t size,
		 struct device_memory *out, struct qd_error *err)
{
	struct heap_piece *p;
	QD_TRY(kgd_piece(kgd_device_of(base), kind == MEMORY_STAGING ? KGD_STAGING : KGD_DEVICE, size,
			 &p, err));
	*out = heap_memory(p);
	return QD_OK;
}

void
kgd_memory_free(struct qd_device *base, struct device_memory *m)
{
	(void)base;
	heap_free(m->piece);
}

bool
kgd_trim(struct qd_device *base)
{
	struct kgd_device *dev = kgd_device_of(base);
	bool any = false;
	for (uint32_t i = 0; i < dev->n_heap; i++)
		any |= heap_trim(&dev->heaps[i].base);
	return any;
}
