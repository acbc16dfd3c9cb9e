/* A stream's ring of host-visible memory: pieces are taken in order and come
 * back in order, when the batch that uses them is done.  A piece with a
 * destination is a download: its bytes are copied out when it comes back. */
#include "vulkan_internal.h"

/* Small where it only serves arguments and the odd transfer into memory in use;
 * where all transfers pass through it, large enough to overlap them. */
enum { RING_MAPPED = 1 << 20, RING_STAGED = 8 << 20, RING_ALIGN = 64 };

static uint32_t
ring_size(const struct vulkan_device *dev)
{
	return dev->main == dev->staging ? RING_MAPPED : RING_STAGED;
}

uint32_t
vulkan_ring_chunk(const struct vulkan_stream *s)
{
	return ring_size(vulkan_device_of(s->base.dev)) / 4;
}

static qd_status
create(struct vulkan_stream *s, struct qd_error *err)
{
	struct vulkan_device *dev = vulkan_device_of(s->base.dev);
	struct vulkan_ring *r = &s->ring;
	struct vulkan_range *range;
	uint32_t size = ring_size(dev);
	QD_TRY(vulkan_memory_alloc(dev, dev->staging, size, &range, err));
	r->range = range;
	r->host = range->block->host + range->offset;
	r->buffer = range->block->buffer;
	r->addr = range->block->addr + range->offset;
	r->offset = range->offset;
	r->size = size;
	return QD_OK;
}

static void
drop_oldest(struct vulkan_ring *r)
{
	r->n_downloads -= r->slots[r->first].dst != NULL;
	r->first = (r->first + 1) % VULKAN_N_SLOT;
	r->n--;
}

void
vulkan_ring_collect(struct vulkan_ring *r, uint64_t done)
{
	while (r->n && r->slots[r->first].value <= done) {
		const struct vulkan_slot *slot = &r->slots[r->first];
		if (slot->dst)
			memcpy(slot->dst, r->host + slot->at, slot->dst_size);
		drop_oldest(r);
	}
}

void
vulkan_ring_forget(struct vulkan_ring *r, const void *dst, size_t size)
{
	uintptr_t from = (uintptr_t)dst;
	for (uint32_t i = 0; dst && i < r->n; i++) {
		struct vulkan_slot *slot = &r->slots[(r->first + i) % VULKAN_N_SLOT];
		if (!slot->dst || (uintptr_t)slot->dst - from >= size)
			continue;
		slot->dst = NULL;
		r->n_downloads--;
	}
}

/* Waits until the oldest piece is free. */
static qd_status
retire_oldest(struct vulkan_stream *s, struct qd_error *err)
{
	struct vulkan_ring *r = &s->ring;
	uint64_t value = r->slots[r->first].value;
	if (value > s->submitted)
		QD_TRY(vulkan_stream_flush(s, err));
	if (value > s->submitted) {
		/* Taken for a command that was never recorded. */
		drop_oldest(r);
		return QD_OK;
	}
	QD_TRY(vulkan_timeline_wait(vulkan_device_of(s->base.dev), s->timeline, value, err));
	vulkan_ring_collect(r, value);
	return QD_OK;
}

/* Where size bytes are free in one piece, if anywhere. */
static bool
find_room(struct vulkan_ring *r, uint32_t size, uint32_t *at)
{
	if (r->n == 0) {
		r->head = 0;
		*at = 0;
		return size <= r->size;
	}
	if (r->n == VULKAN_N_SLOT)
		return false;
	uint32_t tail = r->slots[r->first].at;
	*at = r->head;
	if (r->head <= tail)
		return tail - r->head >= size;
	if (r->size - r->head >= size)
		return true;
	*at = 0;
	return tail >= size;
}

qd_status
vulkan_ring_take(struct vulkan_stream *s, uint32_t size, void *dst, uint32_t *at,
		 struct qd_error *err)
{
	struct vulkan_ring *r = &s->ring;
	uint32_t dst_size = size;
	if (!r->range)
		QD_TRY(create(s, err));
	size = (size + RING_ALIGN - 1) & ~(uint32_t)(RING_ALIGN - 1);
	while (!find_room(r, size, at))
		QD_TRY(retire_oldest(s, err));
	/* The batch that is recorded now, or the next one; what was recorded and
	 * not submitted goes first. */
	if (s->state == VULKAN_RECORDED)
		QD_TRY(vulkan_stream_flush(s, err));
	uint64_t value = s->submitted + 1;
	r->head = *at + size;
	struct vulkan_slot *last = &r->slots[(r->first + r->n - 1) % VULKAN_N_SLOT];
	if (r->n && !dst && !last->dst && last->value == value && last->at + last->size == *at) {
		last->size += size;
		return QD_OK;
	}
	r->slots[(r->first + r->n) % VULKAN_N_SLOT] = (struct vulkan_slot){
		.at = *at,
		.size = size,
		.value = value,
		.dst = dst,
		.dst_size = dst_size,
	};
	r->n++;
	r->n_downloads += dst != NULL;
	return QD_OK;
}
