/* Queues: a batch is a command buffer, and a timeline is a semaphore.
 *
 * All streams of a device share one VkQueue, and rely on its order (the device has in_order):
 *   - A barrier at the start of each batch orders it after everything submitted earlier to the
 *     queue. Batches of a stream therefore need no semaphore between them.
 *   - The zeroing of a buffer, submitted when the buffer is created, needs no semaphore for the
 *     stream that uses the buffer first.
 *   - A query is reset in the batch that writes it, after the batch that wrote it for an event
 *     freed since (timestamp.c).
 * With several queues, the driver would need a VkQueue per stream and a wait for the stream's last
 * value in each batch. It would clear in_order, and give timestamps back when their event has
 * passed. */
#include "vulkan_internal.h"

#define MINUTE UINT64_C(60000000000) /* in nanoseconds */

/* -- Timelines ------------------------------------------------------------------------ */

struct vulkan_timeline {
	struct timeline base;
	VkSemaphore semaphore;
};

static VkSemaphore
semaphore_of(const struct timeline *t)
{
	return ((const struct vulkan_timeline *)t)->semaphore;
}

qd_status
vulkan_timeline_create(struct qd_device *base, struct timeline **out, struct qd_error *err)
{
	struct vulkan_device *dev = vulkan_device_of(base);
	struct vulkan_timeline *t = pool_new(&base->ctx->pool, sizeof *t);
	if (!t)
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	VkSemaphoreTypeCreateInfo type = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
		.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
	};
	VkSemaphoreCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
		.pNext = &type,
	};
	VkResult r = dev->vk.vkCreateSemaphore(dev->device, &info, NULL, &t->semaphore);
	if (r != VK_SUCCESS) {
		pool_delete(&base->ctx->pool, t);
		return vulkan_fail(dev, err, r, "vkCreateSemaphore");
	}
	*out = &t->base;
	return QD_OK;
}

void
vulkan_timeline_free(struct timeline *t)
{
	struct vulkan_device *dev = vulkan_device_of(t->dev);
	dev->vk.vkDestroySemaphore(dev->device, semaphore_of(t), NULL);
	pool_delete(&dev->base.ctx->pool, t);
}

qd_status
vulkan_poll(struct timeline *t, struct qd_error *err)
{
	struct vulkan_device *dev = vulkan_device_of(t->dev);
	uint64_t now = 0;
	VkResult r = dev->vk.vkGetSemaphoreCounterValue(dev->device, semaphore_of(t), &now);
	if (r != VK_SUCCESS)
		return vulkan_fail(dev, err, r, "vkGetSemaphoreCounterValue");
	timeline_advance(t, now);
	return QD_OK;
}

qd_status
vulkan_wait(struct timeline *t, uint64_t value, uint64_t ns, struct qd_error *err)
{
	struct vulkan_device *dev = vulkan_device_of(t->dev);
	VkSemaphore semaphore = semaphore_of(t);
	VkSemaphoreWaitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
		.semaphoreCount = 1,
		.pSemaphores = &semaphore,
		.pValues = &value,
	};
	VkResult r;
	/* Some drivers add the timeout to the clock without a check for overflow. */
	do {
		r = dev->vk.vkWaitSemaphores(dev->device, &info, ns == FOREVER ? MINUTE : ns);
	} while (r == VK_TIMEOUT && ns == FOREVER);
	if (r == VK_SUCCESS)
		timeline_advance(t, value);
	if (r == VK_SUCCESS || r == VK_TIMEOUT)
		return QD_OK;
	return vulkan_fail(dev, err, r, "vkWaitSemaphores");
}

void
vulkan_drain(struct qd_device *base)
{
	struct vulkan_device *dev = vulkan_device_of(base);
	/* On a lost device, this returns an error when the device has dropped its work. */
	pthread_mutex_lock(&dev->queue_lock);
	dev->vk.vkDeviceWaitIdle(dev->device);
	pthread_mutex_unlock(&dev->queue_lock);
}

/* -- Batches ---------------------------------------------------------------------------- */

struct vulkan_queue {
	struct queue base;
	struct heap_piece *hint; /* in staging memory */
	VkCommandPool pools[MAX_BATCH];
	VkCommandBuffer cmds[MAX_BATCH];
	VkCommandBuffer cmd; /* of the batch being recorded */
	VkPipeline bound;
	bool barrier; /* the next command depends on earlier ones */
};

static struct vulkan_queue *
queue_of(struct queue *q)
{
	return (struct vulkan_queue *)q;
}

static struct vulkan_device *
device(const struct vulkan_queue *q)
{
	return vulkan_device_of(q->base.dev);
}

qd_status
vulkan_queue_create(struct qd_device *dev, struct timeline *t, struct queue **out,
		    struct qd_error *err)
{
	struct vulkan_queue *q = pool_new(&dev->ctx->pool, sizeof *q);
	(void)t;
	if (!q)
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	*out = &q->base;
	return QD_OK;
}

void
vulkan_queue_free(struct queue *base)
{
	struct vulkan_queue *q = queue_of(base);
	struct vulkan_device *dev = device(q);
	for (uint32_t i = 0; i < MAX_BATCH; i++) {
		if (q->pools[i])
			dev->vk.vkDestroyCommandPool(dev->device, q->pools[i], NULL);
	}
	if (q->hint)
		heap_free(q->hint);
	pool_delete(&dev->base.ctx->pool, q);
}

static qd_status
create_batch(struct vulkan_queue *q, uint32_t at, struct qd_error *err)
{
	struct vulkan_device *dev = device(q);
	VkCommandPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
		.queueFamilyIndex = dev->physical.family,
	};
	VkResult r = dev->vk.vkCreateCommandPool(dev->device, &pool, NULL, &q->pools[at]);
	if (r != VK_SUCCESS) {
		q->pools[at] = VK_NULL_HANDLE;
		return vulkan_fail(dev, err, r, "vkCreateCommandPool");
	}
	VkCommandBufferAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandPool = q->pools[at],
		.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
		.commandBufferCount = 1,
	};
	r = dev->vk.vkAllocateCommandBuffers(dev->device, &info, &q->cmds[at]);
	if (r == VK_SUCCESS)
		return QD_OK;
	dev->vk.vkDestroyCommandPool(dev->device, q->pools[at], NULL);
	q->pools[at] = VK_NULL_HANDLE;
	return vulkan_fail(dev, err, r, "vkAllocateCommandBuffers");
}

/* Polling a semaphore takes up to a microsecond if the driver emulates it. */
static qd_status
create_hint(struct vulkan_queue *q, struct qd_error *err)
{
	struct vulkan_device *dev = device(q);
	QD_TRY(heap_alloc(&dev->staging->base, sizeof(uint64_t), &q->hint, err));
	q->base.hint = (_Atomic uint64_t *)(void *)(q->hint->block->host + q->hint->offset);
	atomic_store(q->base.hint, 0);
	return QD_OK;
}

qd_status
vulkan_begin(struct queue *base, uint32_t at, struct qd_error *err)
{
	struct vulkan_queue *q = queue_of(base);
	struct vulkan_device *dev = device(q);
	VkResult r;
	if (!q->hint)
		QD_TRY(create_hint(q, err));
	if (!q->pools[at]) {
		QD_TRY(create_batch(q, at, err));
	} else {
		r = dev->vk.vkResetCommandPool(dev->device, q->pools[at], 0);
		if (r != VK_SUCCESS)
			return vulkan_fail(dev, err, r, "vkResetCommandPool");
	}
	VkCommandBufferBeginInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
	};
	r = dev->vk.vkBeginCommandBuffer(q->cmds[at], &info);
	if (r != VK_SUCCESS)
		return vulkan_fail(dev, err, r, "vkBeginCommandBuffer");
	q->cmd = q->cmds[at];
	q->bound = VK_NULL_HANDLE;
	q->barrier = true;
	return QD_OK;
}

static const VkPipelineStageFlags2 work_stages =
	VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;

static void
put_barrier(struct vulkan_queue *q, VkPipelineStageFlags2 to, VkAccessFlags2 access)
{
	VkMemoryBarrier2 memory = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
		.srcStageMask = work_stages,
		.srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT,
		.dstStageMask = to,
		.dstAccessMask = access,
	};
	VkDependencyInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
		.memoryBarrierCount = 1,
		.pMemoryBarriers = &memory,
	};
	device(q)->vk.vkCmdPipelineBarrier2(q->cmd, &info);
}

/* Orders each command after the previous one. */
static void
put_order(struct vulkan_queue *q)
{
	if (q->barrier)
		put_barrier(q, work_stages,
			    VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT);
	q->barrier = true;
}

void
vulkan_copy(struct queue *base, const struct device_memory *dst, uint64_t to,
	    const struct device_memory *src, uint64_t from, uint64_t size)
{
	struct vulkan_queue *q = queue_of(base);
	const struct heap_piece *d = dst->piece, *s = src->piece;
	VkBufferCopy copy = {
		.srcOffset = s->offset + from,
		.dstOffset = d->offset + to,
		.size = size,
	};
	put_order(q);
	device(q)->vk.vkCmdCopyBuffer(q->cmd, vulkan_piece_buffer(s), vulkan_piece_buffer(d), 1, &copy);
}

void
vulkan_fill(struct queue *base, const struct device_memory *dst, uint64_t to, uint64_t size,
	    uint32_t word)
{
	struct vulkan_queue *q = queue_of(base);
	const struct heap_piece *d = dst->piece;
	put_order(q);
	device(q)->vk.vkCmdFillBuffer(q->cmd, vulkan_piece_buffer(d), d->offset + to, size, word);
}

void
vulkan_update(struct queue *base, const struct heap_piece *to, const void *bytes, uint32_t size)
{
	enum { MOST = 65536 /* bytes of one command */ };
	struct vulkan_queue *q = queue_of(base);

	put_order(q);
	for (uint32_t at = 0; at < size; at += MOST)
		device(q)->vk.vkCmdUpdateBuffer(q->cmd, vulkan_piece_buffer(to), to->offset + at,
						size - at < MOST ? size - at : MOST, (const char *)bytes + at);
}

qd_status
vulkan_dispatch(struct queue *base, const struct dispatch *d, struct qd_error *err)
{
	struct vulkan_queue *q = queue_of(base);
	struct vulkan_device *dev = device(q);
	const struct vulkan_function *fn = (const struct vulkan_function *)d->launch->fn;
	const void *push = fn->base.args_in_memory ? &d->args_addr : d->args;
	(void)err;
	put_order(q);
	if (q->bound != fn->pipeline) {
		dev->vk.vkCmdBindPipeline(q->cmd, VK_PIPELINE_BIND_POINT_COMPUTE, fn->pipeline);
		q->bound = fn->pipeline;
	}
	dev->vk.vkCmdPushConstants(q->cmd, fn->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
				   fn->push_size, push);
	if (fn->tables)
		dev->vk.vkCmdPushConstants(q->cmd, fn->layout, VK_SHADER_STAGE_COMPUTE_BIT, fn->push_size,
					   sizeof fn->tables_addr, &fn->tables_addr);
	dev->vk.vkCmdDispatch(q->cmd, d->x, d->y, 1);
	return QD_OK;
}

void
vulkan_timestamp(struct queue *base, const struct timestamp *s)
{
	struct vulkan_queue *q = queue_of(base);
	const struct vulkan_queries *queries = s->pool;
	struct vulkan_device *dev = device(q);
	put_order(q);
	dev->vk.vkCmdResetQueryPool(q->cmd, queries->pool, s->slot, 1);
	dev->vk.vkCmdWriteTimestamp2(q->cmd, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, queries->pool,
				     s->slot);
}

qd_status
vulkan_finish(struct queue *base, uint64_t value, struct qd_error *err)
{
	struct vulkan_queue *q = queue_of(base);
	struct vulkan_device *dev = device(q);
	put_order(q);
	dev->vk.vkCmdUpdateBuffer(q->cmd, vulkan_piece_buffer(q->hint), q->hint->offset, sizeof value,
				  &value);
	/* Makes the batch's writes visible to the host. */
	put_barrier(q, VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT);
	VkResult r = dev->vk.vkEndCommandBuffer(q->cmd);
	return r == VK_SUCCESS ? QD_OK : vulkan_fail(dev, err, r, "vkEndCommandBuffer");
}

qd_status
vulkan_submit(struct queue *base, bool empty, const struct wait *waits, uint32_t n_waits,
	      uint64_t value, struct qd_error *err)
{
	struct vulkan_queue *q = queue_of(base);
	struct vulkan_device *dev = device(q);
	VkSemaphoreSubmitInfo infos[MAX_WAITS];
	for (uint32_t i = 0; i < n_waits; i++)
		infos[i] = (VkSemaphoreSubmitInfo){
			.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
			.semaphore = semaphore_of(waits[i].timeline),
			.value = waits[i].value,
			.stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
		};
	VkSemaphoreSubmitInfo signal = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
		.semaphore = semaphore_of(base->timeline),
		.value = value,
		.stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
	};
	VkCommandBufferSubmitInfo cmd = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
		.commandBuffer = q->cmd,
	};
	VkSubmitInfo2 info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
		.waitSemaphoreInfoCount = n_waits,
		.pWaitSemaphoreInfos = infos,
		.commandBufferInfoCount = !empty,
		.pCommandBufferInfos = &cmd,
		.signalSemaphoreInfoCount = 1,
		.pSignalSemaphoreInfos = &signal,
	};
	pthread_mutex_lock(&dev->queue_lock);
	VkResult r = dev->vk.vkQueueSubmit2(dev->queue, 1, &info, VK_NULL_HANDLE);
	pthread_mutex_unlock(&dev->queue_lock);
	return r == VK_SUCCESS ? QD_OK : vulkan_fail(dev, err, r, "vkQueueSubmit2");
}
