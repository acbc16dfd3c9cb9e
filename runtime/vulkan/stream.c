/* Streams.  What a stream is given is recorded into a batch, one command
 * buffer, and goes to the queue when somebody waits for it, when the batch is
 * full or when an event marks its end.  One timeline semaphore per stream counts
 * its batches; nobody polls.
 *
 * All streams share one queue.  A barrier at the start of each batch orders it
 * behind all that the queue was given before, so batches of a stream need no
 * semaphore between them; streams wait for each other's events by semaphore. */
#include "vulkan_internal.h"

/* -- Timelines ------------------------------------------------------------------ */

static qd_status
timeline_create(struct vulkan_device *dev, struct vulkan_timeline **out, struct qd_error *err)
{
	struct vulkan_timeline *t = pool_new(&dev->base.ctx->pool, sizeof *t);
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
		pool_delete(&dev->base.ctx->pool, t);
		return vulkan_fail(dev, err, r, "vkCreateSemaphore");
	}
	atomic_init(&t->refs, 1);
	*out = t;
	return QD_OK;
}

struct vulkan_timeline *
vulkan_timeline_ref(struct vulkan_timeline *t)
{
	atomic_fetch_add_explicit(&t->refs, 1, memory_order_relaxed);
	return t;
}

void
vulkan_timeline_unref(struct vulkan_device *dev, struct vulkan_timeline *t)
{
	if (atomic_fetch_sub_explicit(&t->refs, 1, memory_order_acq_rel) != 1)
		return;
	dev->vk.vkDestroySemaphore(dev->device, t->semaphore, NULL);
	pool_delete(&dev->base.ctx->pool, t);
}

static void
set_done(struct vulkan_timeline *t, uint64_t value)
{
	uint64_t old = atomic_load(&t->done);
	while (old < value && !atomic_compare_exchange_weak(&t->done, &old, value))
		;
}

qd_status
vulkan_timeline_passed(struct vulkan_device *dev, struct vulkan_timeline *t, uint64_t value,
		       bool *passed, struct qd_error *err)
{
	*passed = atomic_load(&t->done) >= value;
	if (*passed)
		return QD_OK;
	QD_TRY(vulkan_check_lost(dev, err));
	uint64_t now = 0;
	VkResult r = dev->vk.vkGetSemaphoreCounterValue(dev->device, t->semaphore, &now);
	if (r != VK_SUCCESS)
		return vulkan_fail(dev, err, r, "vkGetSemaphoreCounterValue");
	set_done(t, now);
	*passed = now >= value;
	return QD_OK;
}

qd_status
vulkan_timeline_wait(struct vulkan_device *dev, struct vulkan_timeline *t, uint64_t value,
		     struct qd_error *err)
{
	if (atomic_load(&t->done) >= value)
		return QD_OK;
	QD_TRY(vulkan_check_lost(dev, err));
	VkSemaphoreWaitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
		.semaphoreCount = 1,
		.pSemaphores = &t->semaphore,
		.pValues = &value,
	};
	VkResult r;
	do {
		r = dev->vk.vkWaitSemaphores(dev->device, &info, UINT64_C(60000000000));
	} while (r == VK_TIMEOUT);
	if (r != VK_SUCCESS)
		return vulkan_fail(dev, err, r, "vkWaitSemaphores");
	set_done(t, value);
	return QD_OK;
}

/* -- Batches ---------------------------------------------------------------------- */

static inline struct vulkan_device *
device(const struct vulkan_stream *s)
{
	return vulkan_device_of(s->base.dev);
}

qd_status
vulkan_stream_check(struct vulkan_stream *s, struct qd_error *err)
{
	QD_TRY(vulkan_check_lost(device(s), err));
	if (QD_LIKELY(s->broken == QD_OK))
		return QD_OK;
	return qd_fail(err, s->broken,
		       "%s: the stream lost recorded work when vkEndCommandBuffer failed; free it "
		       "and create another",
		       s->base.dev->info.selector);
}

static void
release_held(struct vulkan_stream *s, struct vulkan_batch *b)
{
	for (uint32_t i = 0; i < b->n_held; i++)
		vulkan_timeline_unref(device(s), b->held[i]);
	b->n_held = 0;
}

static qd_status
create_batch(struct vulkan_device *dev, struct vulkan_batch *b, struct qd_error *err)
{
	VkCommandPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
		.queueFamilyIndex = dev->physical.family,
	};
	VkResult r = dev->vk.vkCreateCommandPool(dev->device, &pool, NULL, &b->pool);
	if (r != VK_SUCCESS) {
		b->pool = VK_NULL_HANDLE;
		return vulkan_fail(dev, err, r, "vkCreateCommandPool");
	}
	VkCommandBufferAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandPool = b->pool,
		.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
		.commandBufferCount = 1,
	};
	r = dev->vk.vkAllocateCommandBuffers(dev->device, &info, &b->cmd);
	if (r == VK_SUCCESS)
		return QD_OK;
	dev->vk.vkDestroyCommandPool(dev->device, b->pool, NULL);
	b->pool = VK_NULL_HANDLE;
	return vulkan_fail(dev, err, r, "vkAllocateCommandBuffers");
}

/* The oldest batch, done and ready to record. */
static qd_status
begin(struct vulkan_stream *s, struct qd_error *err)
{
	struct vulkan_device *dev = device(s);
	uint32_t at = (s->at + 1) % VULKAN_N_BATCH;
	struct vulkan_batch *b = &s->batches[at];
	VkResult r;
	if (!b->pool) {
		QD_TRY(create_batch(dev, b, err));
	} else {
		QD_TRY(vulkan_timeline_wait(dev, s->timeline, b->value, err));
		release_held(s, b);
		r = dev->vk.vkResetCommandPool(dev->device, b->pool, 0);
		if (r != VK_SUCCESS)
			return vulkan_fail(dev, err, r, "vkResetCommandPool");
	}
	VkCommandBufferBeginInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
	};
	r = dev->vk.vkBeginCommandBuffer(b->cmd, &info);
	if (r != VK_SUCCESS)
		return vulkan_fail(dev, err, r, "vkBeginCommandBuffer");
	s->at = at;
	s->state = VULKAN_RECORDING;
	s->n_launches = 0;
	s->bound = VK_NULL_HANDLE;
	s->barrier = true;
	return QD_OK;
}

static const VkPipelineStageFlags2 work_stages =
	VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;

static void
put_barrier(struct vulkan_stream *s, VkPipelineStageFlags2 to, VkAccessFlags2 access)
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
	device(s)->vk.vkCmdPipelineBarrier2(s->batches[s->at].cmd, &info);
}

qd_status
vulkan_stream_record(struct vulkan_stream *s, VkCommandBuffer *out, struct qd_error *err)
{
	/* A batch that could not be submitted goes first. */
	if (QD_UNLIKELY(s->state == VULKAN_RECORDED))
		QD_TRY(vulkan_stream_flush(s, err));
	if (s->state == VULKAN_NO_BATCH)
		QD_TRY(begin(s, err));
	if (s->barrier)
		put_barrier(s, work_stages,
			    VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT);
	s->barrier = false;
	*out = s->batches[s->at].cmd;
	return QD_OK;
}

static qd_status
end(struct vulkan_stream *s, struct qd_error *err)
{
	struct vulkan_device *dev = device(s);
	/* What was written becomes visible to the host. */
	put_barrier(s, VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT);
	VkResult r = dev->vk.vkEndCommandBuffer(s->batches[s->at].cmd);
	if (r == VK_SUCCESS) {
		s->state = VULKAN_RECORDED;
		return QD_OK;
	}
	s->state = VULKAN_NO_BATCH;
	s->broken = vulkan_fail(dev, err, r, "vkEndCommandBuffer");
	return s->broken;
}

static qd_status
submit(struct vulkan_stream *s, struct qd_error *err)
{
	struct vulkan_device *dev = device(s);
	struct vulkan_batch *b = &s->batches[s->at];
	VkSemaphoreSubmitInfo waits[VULKAN_MAX_WAITS];
	for (uint32_t i = 0; i < s->n_waits; i++)
		waits[i] = (VkSemaphoreSubmitInfo){
			.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
			.semaphore = s->waits[i].timeline->semaphore,
			.value = s->waits[i].value,
			.stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
		};
	VkSemaphoreSubmitInfo signal = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
		.semaphore = s->timeline->semaphore,
		.value = s->submitted + 1,
		.stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
	};
	VkCommandBufferSubmitInfo cmd = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
		.commandBuffer = b->cmd,
	};
	VkSubmitInfo2 info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
		.waitSemaphoreInfoCount = s->n_waits,
		.pWaitSemaphoreInfos = waits,
		.commandBufferInfoCount = 1,
		.pCommandBufferInfos = &cmd,
		.signalSemaphoreInfoCount = 1,
		.pSignalSemaphoreInfos = &signal,
	};
	pthread_mutex_lock(&dev->queue_lock);
	VkResult r = dev->vk.vkQueueSubmit2(dev->queue, 1, &info, VK_NULL_HANDLE);
	pthread_mutex_unlock(&dev->queue_lock);
	if (r != VK_SUCCESS)
		return vulkan_fail(dev, err, r, "vkQueueSubmit2");
	b->value = ++s->submitted;
	for (uint32_t i = 0; i < s->n_waits; i++)
		b->held[i] = s->waits[i].timeline;
	b->n_held = s->n_waits;
	s->n_waits = 0;
	s->state = VULKAN_NO_BATCH;
	return QD_OK;
}

qd_status
vulkan_stream_flush(struct vulkan_stream *s, struct qd_error *err)
{
	if (s->state == VULKAN_NO_BATCH && s->n_waits)
		QD_TRY(begin(s, err));
	if (s->state == VULKAN_RECORDING)
		QD_TRY(end(s, err));
	if (s->state == VULKAN_RECORDED)
		QD_TRY(submit(s, err));
	return QD_OK;
}

void
vulkan_stream_collect(struct vulkan_stream *s, uint64_t done)
{
	vulkan_ring_collect(&s->ring, done);
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->n_pending; i++) {
		const struct vulkan_download *d = &s->pending[i];
		if (d->value <= done)
			memcpy(d->dst, d->src, d->size);
		else
			s->pending[n++] = *d;
	}
	s->n_pending = n;
}

/* -- Waiting for several ------------------------------------------------------------ */

void
vulkan_buffer_used(struct vulkan_stream *s, struct vulkan_buffer *buf)
{
	const struct vulkan_stream *own = device(s)->own;
	uint64_t me = s->timeline->id, value = vulkan_stream_value(s);
	uint64_t user = atomic_load_explicit(&buf->user, memory_order_relaxed);
	if (user == VULKAN_USER_MANY)
		return;
	if (user != me) {
		/* The queue runs the zeroing before what came later, so it needs no
		 * waiting of its own. */
		bool first = user == VULKAN_USER_NONE || (own && user == own->timeline->id);
		if (!first || !atomic_compare_exchange_strong(&buf->user, &user, me)) {
			atomic_store(&buf->user, VULKAN_USER_MANY);
			return;
		}
	}
	/* Only the stream that is the one user says up to where: another thread's
	 * value, of another timeline, would be taken for this one's. */
	atomic_store_explicit(&buf->value, value, memory_order_relaxed);
}

/* The first stream whose id is above `after`; with only, that id or none. */
static struct vulkan_stream *
find_stream(const struct vulkan_device *dev, uint64_t after, uint64_t only)
{
	struct vulkan_stream *s = dev->streams;
	while (s && (only ? s->timeline->id != only : s->timeline->id <= after))
		s = s->next;
	return s;
}

/* Waits for what the streams, or one of them, were given until now, and for
 * that one up to value at most. */
static qd_status
wait_streams(struct vulkan_device *dev, uint64_t only, uint64_t value, struct qd_error *err)
{
	QD_TRY(vulkan_check_lost(dev, err));
	uint64_t id = 0;
	for (;;) {
		/* A stream is not freed while the list is locked; its timeline not
		 * while it is held here. */
		pthread_mutex_lock(&dev->streams_lock);
		struct vulkan_stream *s = find_stream(dev, id, only);
		if (!s) {
			pthread_mutex_unlock(&dev->streams_lock);
			return QD_OK;
		}
		pthread_mutex_lock(&s->lock);
		qd_status st = QD_OK;
		if (!only)
			value = vulkan_stream_value(s);
		if (value > s->submitted && s->broken == QD_OK)
			st = vulkan_stream_flush(s, err);
		if (value > s->submitted) /* it will never run */
			value = s->submitted;
		struct vulkan_timeline *t = vulkan_timeline_ref(s->timeline);
		id = t->id;
		pthread_mutex_unlock(&s->lock);
		pthread_mutex_unlock(&dev->streams_lock);

		if (st == QD_OK)
			st = vulkan_timeline_wait(dev, t, value, err);
		vulkan_timeline_unref(dev, t);
		QD_TRY(st);

		pthread_mutex_lock(&dev->streams_lock);
		s = find_stream(dev, 0, id);
		if (s) {
			pthread_mutex_lock(&s->lock);
			vulkan_stream_collect(s, value);
			pthread_mutex_unlock(&s->lock);
		}
		pthread_mutex_unlock(&dev->streams_lock);
		if (only)
			return QD_OK;
	}
}

qd_status
vulkan_wait_all(struct vulkan_device *dev, struct qd_error *err)
{
	return wait_streams(dev, 0, 0, err);
}

qd_status
vulkan_wait_buffer(struct vulkan_device *dev, struct vulkan_buffer *buf, struct qd_error *err)
{
	uint64_t user = atomic_load(&buf->user);
	if (user == VULKAN_USER_NONE)
		return QD_OK;
	if (user == VULKAN_USER_MANY)
		return vulkan_wait_all(dev, err);
	return wait_streams(dev, user, atomic_load(&buf->value), err);
}

/* -- Streams as device.h has them ------------------------------------------------------ */

qd_status
vulkan_stream_create(struct qd_device *base, struct qd_stream **out, struct qd_error *err)
{
	struct vulkan_device *dev = vulkan_device_of(base);
	QD_TRY(vulkan_check_lost(dev, err));
	struct vulkan_stream *s = pool_new(&base->ctx->pool, sizeof *s);
	if (!s)
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	s->base.dev = base;
	qd_status st = timeline_create(dev, &s->timeline, err);
	if (st != QD_OK) {
		pool_delete(&base->ctx->pool, s);
		return st;
	}
	pthread_mutex_init(&s->lock, NULL);
	pthread_mutex_lock(&dev->streams_lock);
	s->timeline->id = ++dev->last_id;
	struct vulkan_stream **at = &dev->streams;
	while (*at)
		at = &(*at)->next;
	*at = s;
	pthread_mutex_unlock(&dev->streams_lock);
	*out = &s->base;
	return QD_OK;
}

void
vulkan_stream_free(struct qd_stream *stream)
{
	struct vulkan_stream *s = (struct vulkan_stream *)stream;
	struct vulkan_device *dev = device(s);
	struct pool *pool = &dev->base.ctx->pool;
	struct qd_error err;
	if (!atomic_load(&dev->lost) && vulkan_stream_sync(stream, &err) != QD_OK)
		qd_log(dev->base.ctx, QD_LOG_ERROR, "vulkan", "qd_stream_free: %s", err.text);
	/* Work that could not be submitted is given up; what was, must end. */
	if (!atomic_load(&dev->lost) &&
	    vulkan_timeline_wait(dev, s->timeline, s->submitted, &err) != QD_OK)
		qd_log(dev->base.ctx, QD_LOG_ERROR, "vulkan", "qd_stream_free: %s", err.text);

	pthread_mutex_lock(&dev->streams_lock);
	struct vulkan_stream **at = &dev->streams;
	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	pthread_mutex_unlock(&dev->streams_lock);
	for (uint32_t i = 0; i < VULKAN_N_BATCH; i++) {
		release_held(s, &s->batches[i]);
		if (s->batches[i].pool)
			dev->vk.vkDestroyCommandPool(dev->device, s->batches[i].pool, NULL);
	}
	for (uint32_t i = 0; i < s->n_waits; i++)
		vulkan_timeline_unref(dev, s->waits[i].timeline);
	if (s->ring.range)
		vulkan_memory_free(dev, s->ring.range);
	vulkan_timeline_unref(dev, s->timeline);
	pthread_mutex_destroy(&s->lock);
	pool_delete(pool, s);
}

qd_status
vulkan_stream_sync(struct qd_stream *stream, struct qd_error *err)
{
	struct vulkan_stream *s = (struct vulkan_stream *)stream;
	pthread_mutex_lock(&s->lock);
	qd_status st = vulkan_stream_check(s, err);
	if (st == QD_OK)
		st = vulkan_stream_flush(s, err);
	uint64_t value = s->submitted;
	pthread_mutex_unlock(&s->lock);
	QD_TRY(st);
	/* Others may go on giving work to the stream meanwhile. */
	QD_TRY(vulkan_timeline_wait(device(s), s->timeline, value, err));
	pthread_mutex_lock(&s->lock);
	vulkan_stream_collect(s, value);
	pthread_mutex_unlock(&s->lock);
	return QD_OK;
}
