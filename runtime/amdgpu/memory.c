/* Memory: a block is a buffer object of the kernel with a range of addresses. It stays mapped
 * during its lifetime if the host can access it. heap.c divides it into pieces.
 *
 * The memory of a card is hidden from the host, even if the host could access all of it: reads by
 * the host would be a hundred times slower than from its own memory. A device that uses the host's
 * memory hides nothing.
 *
 * The kernel may move objects that no submission names, so each submission names every block. An
 * object that a submission in flight names is not freed, whether it is used or not. */
#include "kgd.h"

/* A buffer object of the kernel, possibly created in part. */
struct kgd_object {
	struct kgd_object *next; /* freed after this one */
	struct amdgpu_bo *bo;
	struct amdgpu_va *va;
	uint64_t addr, size;
	bool placed, seen;
};

struct kgd_block {
	struct heap_block base;
	struct kgd_object *object;
	bool listed;
};

/* For cards, and for devices that use the host's memory. */
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

/* -- Objects ---------------------------------------------------------------------------------- */

static uint64_t
whole_pages(const struct kgd_device *dev, uint64_t size)
{
	uint64_t page = dev->physical.page;
	return (size + page - 1) / page * page;
}

/* Returns the name of the call that failed, or NULL. */
static const char *
make_object(struct kgd_device *dev, const struct kgd_heap *h, struct kgd_object *o, void **host,
	    int *r)
{
	enum { LARGE_PAGE = 2 << 20, SMALL_PAGE = 64 << 10 };
	const struct kgd_symbols *drm = dev->drm;
	/* Keeps the number of page table entries low. */
	uint64_t align = o->size >= LARGE_PAGE ? LARGE_PAGE : SMALL_PAGE;
	struct kgd_bo_request ask = {
		.size = o->size,
		.alignment = align,
		.domain = h->domain,
		.flags = h->flags,
	};
	if ((*r = drm->amdgpu_bo_alloc(dev->handle, &ask, &o->bo)) != 0) {
		o->bo = NULL;
		return "amdgpu_bo_alloc";
	}
	*r = drm->amdgpu_va_range_alloc(dev->handle, KGD_VA_GENERAL, o->size, align, 0, &o->addr,
					&o->va, 0);
	if (*r) {
		o->va = NULL;
		return "amdgpu_va_range_alloc";
	}
	*r = drm->amdgpu_bo_va_op_raw(dev->handle, o->bo, 0, o->size, o->addr, KGD_PAGE_ALL,
				      KGD_VA_MAP);
	if (*r)
		return "amdgpu_bo_va_op_raw";
	o->placed = true;
	if (h->seen && (*r = drm->amdgpu_bo_cpu_map(o->bo, host)) != 0)
		return "amdgpu_bo_cpu_map";
	o->seen = h->seen;
	return NULL;
}

static void
free_objects(struct kgd_device *dev, struct kgd_object *o)
{
	while (o) {
		struct kgd_object *next = o->next;
		if (o->seen)
			KGD_DROP(dev, amdgpu_bo_cpu_unmap, o->bo);
		if (o->placed)
			KGD_DROP(dev, amdgpu_bo_va_op_raw, dev->handle, o->bo, 0, o->size, o->addr,
				 KGD_PAGE_ALL, KGD_VA_UNMAP);
		/* Freeing the object removes its mapping in any case, so the range is free
		 * afterwards. */
		if (o->bo)
			KGD_DROP(dev, amdgpu_bo_free, o->bo);
		if (o->va)
			KGD_DROP(dev, amdgpu_va_range_free, o->va);
		pool_delete(&dev->base.ctx->pool, o);
		o = next;
	}
}

/* -- Lists of blocks ------------------------------------------------------------------------------ */

/* Removes the lists that are older than the oldest referenced one. Returns a chain to destroy
 * without the lock. */
static struct kgd_list *
take_over(struct kgd_device *dev)
{
	struct kgd_list *first = dev->oldest, **at = &first;
	while (*at && !(*at)->refs)
		at = &(*at)->next;
	dev->oldest = *at;
	if (!dev->oldest)
		dev->newest = &dev->oldest;
	*at = NULL;
	return first;
}

static void
end_lists(struct kgd_device *dev, struct kgd_list *l)
{
	while (l) {
		struct kgd_list *next = l->next;
		KGD_DROP(dev, amdgpu_bo_list_destroy, l->handle);
		free_objects(dev, l->freed);
		pool_delete(&dev->base.ctx->pool, l);
		l = next;
	}
}

/* Drops the current list, because the set of blocks has changed. Requires the lock. */
static struct kgd_list *
forget_list(struct kgd_device *dev)
{
	if (dev->list)
		dev->list->refs--;
	dev->list = NULL;
	return take_over(dev);
}

static bool
grow(struct kgd_device *dev)
{
	enum { FIRST = 16 };
	struct pool *pool = &dev->base.ctx->pool;
	uint32_t cap = dev->cap_bo ? 2 * dev->cap_bo : FIRST;
	struct amdgpu_bo **bos = pool_new(pool, cap * sizeof(struct amdgpu_bo *));
	if (!bos)
		return false;
	if (dev->n_bo)
		memcpy(bos, dev->bos, dev->n_bo * sizeof(struct amdgpu_bo *));
	pool_delete(pool, dev->bos);
	dev->bos = bos;
	dev->cap_bo = cap;
	return true;
}

static qd_status
add_object(struct kgd_device *dev, const struct kgd_object *o, struct qd_error *err)
{
	struct kgd_list *over = NULL;
	pthread_mutex_lock(&dev->lists_lock);
	bool ok = dev->n_bo < dev->cap_bo || grow(dev);
	if (ok) {
		dev->bos[dev->n_bo++] = o->bo;
		over = forget_list(dev);
	}
	pthread_mutex_unlock(&dev->lists_lock);
	end_lists(dev, over);
	return ok ? QD_OK : qd_fail(err, QD_E_NOMEM, "out of memory");
}

/* Frees the object now, or with the youngest list that may name it. */
static void
remove_object(struct kgd_device *dev, struct kgd_object *o)
{
	pthread_mutex_lock(&dev->lists_lock);
	uint32_t i = 0;
	while (dev->bos[i] != o->bo)
		i++;
	dev->bos[i] = dev->bos[--dev->n_bo];
	struct kgd_list *over = forget_list(dev), *last = dev->oldest;
	while (last && last->next)
		last = last->next;
	if (last) {
		o->next = last->freed;
		last->freed = o;
	}
	pthread_mutex_unlock(&dev->lists_lock);
	end_lists(dev, over);
	if (!last)
		free_objects(dev, o);
}

/* Requires the lock. *r: the kernel's result. */
static bool
make_list(struct kgd_device *dev, int *r)
{
	struct kgd_list *list = pool_new(&dev->base.ctx->pool, sizeof *list);
	*r = 0;
	if (!list)
		return false;
	*r = dev->drm->amdgpu_bo_list_create(dev->handle, dev->n_bo, dev->bos, NULL, &list->handle);
	if (*r) {
		pool_delete(&dev->base.ctx->pool, list);
		return false;
	}
	list->refs = 1;
	dev->list = list;
	*dev->newest = list;
	dev->newest = &list->next;
	return true;
}

qd_status
kgd_list_get(struct kgd_device *dev, struct kgd_list **out, struct qd_error *err)
{
	int r = 0;
	pthread_mutex_lock(&dev->lists_lock);
	bool ok = dev->list || make_list(dev, &r);
	if (ok) {
		*out = dev->list;
		dev->list->refs++;
	}
	pthread_mutex_unlock(&dev->lists_lock);
	if (QD_LIKELY(ok))
		return QD_OK;
	return r ? kgd_fail(dev, err, r, "amdgpu_bo_list_create") :
		   qd_fail(err, QD_E_NOMEM, "out of memory");
}

void
kgd_list_put(struct kgd_device *dev, struct kgd_list *list)
{
	if (!list)
		return;
	pthread_mutex_lock(&dev->lists_lock);
	struct kgd_list *over = --list->refs ? NULL : take_over(dev);
	pthread_mutex_unlock(&dev->lists_lock);
	end_lists(dev, over);
}

/* -- Blocks ----------------------------------------------------------------------------------- */

static qd_status
fill_block(struct heap_block *base, struct qd_error *err)
{
	struct kgd_device *dev = kgd_device_of(base->heap->dev);
	struct kgd_block *b = (struct kgd_block *)base;
	struct kgd_object *o = pool_new(&dev->base.ctx->pool, sizeof *o);
	void *host = NULL;
	int r;
	if (!o)
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	b->object = o;
	o->size = whole_pages(dev, base->size);
	/* Frees memory of blocks that were freed while in use. */
	kgd_release_passed(dev);
	const char *call = make_object(dev, (const struct kgd_heap *)base->heap, o, &host, &r);
	if (!call) {
		base->addr = o->addr;
		base->host = host;
		QD_TRY(add_object(dev, o, err));
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
	kgd_release_passed(dev);
	if (b->listed)
		remove_object(dev, b->object);
	else
		free_objects(dev, b->object);
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
	dev->newest = &dev->oldest;
	for (unsigned use = 0; use < KGD_N_USE; use++)
		add_heap(dev, (enum kgd_use)use);
	dev->base.hidden = !places[dev->physical.apu][KGD_DEVICE].seen;
}

void
kgd_memory_fini(struct kgd_device *dev)
{
	while (dev->n_heap)
		heap_fini(&dev->heaps[--dev->n_heap].base);
	pthread_mutex_lock(&dev->lists_lock);
	struct kgd_list *over = forget_list(dev);
	pthread_mutex_unlock(&dev->lists_lock);
	end_lists(dev, over);
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
	kgd_release_passed(dev);
	for (uint32_t i = 0; i < dev->n_heap; i++)
		any |= heap_trim(&dev->heaps[i].base);
	return any;
}
