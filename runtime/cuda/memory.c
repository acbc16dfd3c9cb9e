/* Memory: blocks of the device, which the host cannot access, and page-locked blocks of the host,
 * which the device can access. heap.c divides them into pieces, because cuMemFree waits for the
 * device, and freeing a buffer must not. */
#include "cuda_internal.h"

enum { DEVICE_BLOCK = 32 << 20, HOST_BLOCK = 16 << 20 };

static qd_status
no_room(struct cuda_device *dev, struct qd_error *err, const struct heap_block *b, int r,
	const char *call)
{
	qd_status st = cuda_fail(dev, err, r, call);
	if (st != QD_E_DEVICE_NOMEM)
		return st;
	return qd_fail(err, st, "%s (%s): no room for %llu bytes: %s failed: %s (%d)",
		       dev->base.info.selector, dev->base.info.name, (unsigned long long)b->size,
		       call, cuda_result_name(r), r);
}

static qd_status
fill_device(struct heap_block *b, struct qd_error *err)
{
	struct cuda_device *dev = cuda_device_of(b->heap->dev);
	QD_TRY(cuda_enter(dev, err));
	int r = dev->cu->cuMemAlloc(&b->addr, b->size);
	cuda_leave(dev);
	if (r == CUDA_OK)
		return QD_OK;
	b->addr = 0;
	return no_room(dev, err, b, r, "cuMemAlloc");
}

static qd_status
fill_host(struct heap_block *b, struct qd_error *err)
{
	struct cuda_device *dev = cuda_device_of(b->heap->dev);
	void *host = NULL;
	QD_TRY(cuda_enter(dev, err));
	const char *call = "cuMemHostAlloc";
	int r = dev->cu->cuMemHostAlloc(&host, b->size, CUDA_HOST_PORTABLE | CUDA_HOST_DEVICEMAP);
	if (r == CUDA_OK) {
		b->host = host;
		call = "cuMemHostGetDevicePointer";
		r = dev->cu->cuMemHostGetDevicePointer(&b->addr, host, 0);
	}
	cuda_leave(dev);
	return r == CUDA_OK ? QD_OK : no_room(dev, err, b, r, call);
}

static void
empty_device(struct heap_block *b)
{
	struct cuda_device *dev = cuda_device_of(b->heap->dev);
	if (!b->addr || cuda_enter(dev, QD_IGNORE_ERROR))
		return;
	CUDA_DROP(dev, cuMemFree, b->addr);
	cuda_leave(dev);
}

static void
empty_host(struct heap_block *b)
{
	struct cuda_device *dev = cuda_device_of(b->heap->dev);
	if (!b->host || cuda_enter(dev, QD_IGNORE_ERROR))
		return;
	CUDA_DROP(dev, cuMemFreeHost, b->host);
	cuda_leave(dev);
}

void
cuda_memory_init(struct cuda_device *dev)
{
	uint64_t memory = dev->physical.info.memory;
	dev->device_heap = (struct heap){
		.dev = &dev->base,
		.block_struct = sizeof(struct heap_block),
		.block_size = DEVICE_BLOCK,
		.max_size = memory,
		.fill = fill_device,
		.empty = empty_device,
	};
	dev->host_heap = (struct heap){
		.dev = &dev->base,
		.block_struct = sizeof(struct heap_block),
		.block_size = HOST_BLOCK,
		.max_size = UINT64_MAX,
		.fill = fill_host,
		.empty = empty_host,
	};
	while (dev->device_heap.block_size > 1u << 20 && dev->device_heap.block_size > memory / 8)
		dev->device_heap.block_size /= 2;
	heap_init(&dev->device_heap);
	heap_init(&dev->host_heap);
}

void
cuda_memory_fini(struct cuda_device *dev)
{
	heap_fini(&dev->device_heap);
	heap_fini(&dev->host_heap);
}

qd_status
cuda_memory_alloc(struct qd_device *base, enum memory_kind kind, uint64_t size,
		  struct device_memory *out, struct qd_error *err)
{
	struct cuda_device *dev = cuda_device_of(base);
	struct heap_piece *p;
	QD_TRY(heap_alloc(kind == MEMORY_STAGING ? &dev->host_heap : &dev->device_heap, size, &p,
			  err));
	*out = heap_memory(p);
	return QD_OK;
}

void
cuda_memory_free(struct qd_device *base, struct device_memory *m)
{
	(void)base;
	heap_free(m->piece);
}

bool
cuda_trim(struct qd_device *base)
{
	struct cuda_device *dev = cuda_device_of(base);
	bool any = heap_trim(&dev->device_heap);
	return heap_trim(&dev->host_heap) || any;
}
