/* Buffers, uploads and downloads.  Memory that the host sees is written and
 * read directly when nothing in flight can touch it; otherwise, and always for
 * memory that it does not see, the bytes pass through the stream's ring as
 * copies in the stream. */
#include "vulkan_internal.h"

/* -- Buffers --------------------------------------------------------------------- */

/* Zeroes memory the host cannot see, in the device's own stream.  Later batches
 * of any stream come behind it in the queue. */
static qd_status
fill_zero(struct vulkan_device *dev, struct vulkan_buffer *buf, struct qd_error *err)
{
	struct vulkan_stream *s = dev->own;
	const struct vulkan_range *r = buf->range;
	VkCommandBuffer cmd;
	pthread_mutex_lock(&s->lock);
	qd_status st = vulkan_stream_check(s, err);
	if (st == QD_OK)
		st = vulkan_stream_record(s, &cmd, err);
	if (st == QD_OK) {
		dev->vk.vkCmdFillBuffer(cmd, r->block->buffer, r->offset, r->size, 0);
		s->barrier = true;
		vulkan_buffer_used(s, buf);
		st = vulkan_stream_flush(s, err);
	}
	pthread_mutex_unlock(&s->lock);
	return st;
}

qd_status
vulkan_buffer_create(struct qd_device *base, size_t size, struct qd_buffer **out,
		     struct qd_error *err)
{
	struct vulkan_device *dev = vulkan_device_of(base);
	struct vulkan_buffer *buf = pool_new(&base->ctx->pool, sizeof *buf);
	if (!buf)
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	qd_status st = vulkan_memory_alloc(dev, dev->main, size ? size : 1, &buf->range, err);
	if (st != QD_OK) {
		pool_delete(&base->ctx->pool, buf);
		return st;
	}
	const struct vulkan_range *r = buf->range;
	buf->base.dev = base;
	buf->base.addr = r->block->addr + r->offset;
	buf->base.host = r->block->host ? r->block->host + r->offset : NULL;
	buf->base.size = size;
	atomic_init(&buf->base.refs, 1);
	if (buf->base.host)
		memset(buf->base.host, 0, (size_t)r->size);
	else
		st = fill_zero(dev, buf, err);
	if (st != QD_OK) {
		vulkan_buffer_free(&buf->base);
		return st;
	}
	*out = &buf->base;
	return QD_OK;
}

void
vulkan_buffer_free(struct qd_buffer *base)
{
	struct vulkan_buffer *buf = (struct vulkan_buffer *)base;
	struct vulkan_device *dev = vulkan_device_of(base->dev);
	struct qd_error err;
	/* Memory that might still be written is kept until the device is closed; of
	 * a lost device nothing runs any more. */
	if (atomic_load(&dev->lost) || vulkan_wait_buffer(dev, buf, &err) == QD_OK ||
	    atomic_load(&dev->lost)) {
		vulkan_memory_free(dev, buf->range);
		pool_delete(&base->dev->ctx->pool, buf);
		return;
	}
	qd_log(base->dev->ctx, QD_LOG_ERROR, "vulkan",
	       "qd_buffer_free: %zu bytes stay allocated: %s", base->size, err.text);
	/* A stream may still name it among its downloads. */
	pthread_mutex_lock(&dev->memory_lock);
	buf->next_kept = dev->kept;
	dev->kept = buf;
	pthread_mutex_unlock(&dev->memory_lock);
}

/* -- Transfers --------------------------------------------------------------------- */

/* May the host touch mapped memory now, as if the stream had come to here? */
static qd_status
is_idle(struct vulkan_stream *s, const struct vulkan_buffer *buf, bool *idle, struct qd_error *err)
{
	uint64_t user = atomic_load_explicit(&buf->user, memory_order_relaxed);
	uint64_t value = vulkan_stream_value(s);
	*idle = user == VULKAN_USER_NONE;
	if (*idle)
		return QD_OK;
	if (user == s->timeline->id)
		value = atomic_load_explicit(&buf->value, memory_order_relaxed);
	if (value > s->submitted)
		return QD_OK;
	return vulkan_timeline_passed(vulkan_device_of(s->base.dev), s->timeline, value, idle, err);
}

/* A copy between the buffer and a fresh piece of the ring. */
static qd_status
put_copy(struct vulkan_stream *s, const struct vulkan_range *range, uint64_t offset,
	 const void *src, void *dst, uint32_t size, bool more, struct qd_error *err)
{
	struct vulkan_device *dev = vulkan_device_of(s->base.dev);
	struct vulkan_ring *r = &s->ring;
	VkCommandBuffer cmd;
	uint32_t at;
	QD_TRY(vulkan_ring_take(s, size, dst, &at, err));
	if (src)
		memcpy(r->host + at, src, size);
	QD_TRY(vulkan_stream_record(s, &cmd, err));
	uint64_t in_ring = r->offset + at, in_buf = range->offset + offset;
	VkBufferCopy copy = {
		.srcOffset = src ? in_ring : in_buf,
		.dstOffset = src ? in_buf : in_ring,
		.size = size,
	};
	dev->vk.vkCmdCopyBuffer(cmd, src ? r->buffer : range->block->buffer,
				src ? range->block->buffer : r->buffer, 1, &copy);
	/* Pieces of one transfer do not overlap. */
	s->barrier = !more;
	return QD_OK;
}

/* One transfer, in pieces that the ring takes; each of several goes to the queue
 * at once, so that copying to or from the ring overlaps with it. */
static qd_status
put_copies(struct vulkan_stream *s, struct vulkan_buffer *buf, size_t offset, const void *src,
	   void *dst, size_t size, struct qd_error *err)
{
	uint32_t chunk = vulkan_ring_chunk(s);
	bool several = size > chunk;
	for (size_t i = 0; i < size; i += chunk) {
		bool more = size - i > chunk;
		uint32_t n = more ? chunk : (uint32_t)(size - i);
		qd_status st =
			put_copy(s, buf->range, offset + i, src ? (const char *)src + i : NULL,
				 dst ? (char *)dst + i : NULL, n, more, err);
		if (st == QD_OK)
			vulkan_buffer_used(s, buf);
		if (st == QD_OK && several)
			st = vulkan_stream_flush(s, err);
		if (st != QD_OK) {
			/* The caller is told that nothing will arrive. */
			vulkan_ring_forget(&s->ring, dst, size);
			return st;
		}
	}
	return QD_OK;
}

/* Oldest first: two of them may have one destination. */
qd_status
vulkan_stage_pending(struct vulkan_stream *s, struct qd_error *err)
{
	qd_status st = QD_OK;
	uint32_t i = 0;
	for (; i < s->n_pending && st == QD_OK; i += st == QD_OK) {
		struct vulkan_download *d = &s->pending[i];
		bool passed = false;
		if (!s->ring.n_downloads && d->value <= s->submitted)
			st = vulkan_timeline_passed(vulkan_device_of(s->base.dev), s->timeline,
						    d->value, &passed, err);
		if (passed)
			memcpy(d->dst, d->src, d->size);
		else if (st == QD_OK)
			st = put_copies(s, d->buf, d->offset, NULL, d->dst, d->size, err);
	}
	s->n_pending -= i;
	memmove(s->pending, s->pending + i, s->n_pending * sizeof s->pending[0]);
	return st;
}

static qd_status
upload(struct vulkan_stream *s, struct vulkan_buffer *buf, size_t offset, const void *src,
       size_t size, struct qd_error *err)
{
	QD_TRY(vulkan_stream_check(s, err));
	bool idle = false;
	if (buf->base.host && !s->n_pending)
		QD_TRY(is_idle(s, buf, &idle, err));
	if (idle) {
		memcpy((char *)buf->base.host + offset, src, size);
		return QD_OK;
	}
	QD_TRY(vulkan_stage_pending(s, err));
	return put_copies(s, buf, offset, src, NULL, size, err);
}

qd_status
vulkan_upload(struct qd_stream *stream, struct qd_buffer *dst, size_t offset, const void *src,
	      size_t size, struct qd_error *err)
{
	struct vulkan_stream *s = (struct vulkan_stream *)stream;
	pthread_mutex_lock(&s->lock);
	qd_status st = upload(s, vulkan_buffer_of(dst), dst->offset + offset, src, size, err);
	pthread_mutex_unlock(&s->lock);
	return st;
}

static qd_status
download(struct vulkan_stream *s, struct vulkan_buffer *buf, size_t offset, void *dst, size_t size,
	 struct qd_error *err)
{
	QD_TRY(vulkan_stream_check(s, err));
	if (!buf->base.host)
		return put_copies(s, buf, offset, NULL, dst, size, err);
	bool idle;
	const char *src = (const char *)buf->base.host + offset;
	QD_TRY(is_idle(s, buf, &idle, err));
	if (idle && !s->n_pending && !s->ring.n_downloads) {
		memcpy(dst, src, size);
		return QD_OK;
	}
	/* The last downloads before a sync need no copy in the stream. */
	if (s->n_pending == VULKAN_MAX_PENDING)
		QD_TRY(vulkan_stage_pending(s, err));
	vulkan_buffer_used(s, buf);
	s->pending[s->n_pending++] = (struct vulkan_download){
		.src = src,
		.dst = dst,
		.size = size,
		.offset = offset,
		.value = vulkan_stream_value(s),
		.buf = buf,
	};
	return QD_OK;
}

qd_status
vulkan_download(struct qd_stream *stream, struct qd_buffer *src, size_t offset, void *dst,
		size_t size, struct qd_error *err)
{
	struct vulkan_stream *s = (struct vulkan_stream *)stream;
	pthread_mutex_lock(&s->lock);
	qd_status st = download(s, vulkan_buffer_of(src), src->offset + offset, dst, size, err);
	pthread_mutex_unlock(&s->lock);
	return st;
}
