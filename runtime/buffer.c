/* Public functions on buffers and streams, which check the arguments. A slice has no memory of its
 * own. */
#include "function.h"
#include "stream.h"

/* -- Buffers -------------------------------------------------------------------- */

/* Zeroes memory that the host cannot access, in the device's own stream. */
static qd_status
zero(struct qd_buffer *buf, struct qd_error *err)
{
	struct qd_stream *s = buf->dev->own;
	QD_TRY(stream_enter(s, err));
	qd_status st = stream_open(s, 0, err);
	if (st == QD_OK)
		st = use_note(s, buf, err);
	if (st == QD_OK) {
		buf->dev->driver->fill(s->queue, &buf->memory, 0, buf->memory.size & ~UINT64_C(3), 0);
		st = stream_flush(s, err);
		if (!buf->dev->in_order)
			atomic_store(&buf->born, s->submitted);
	}
	stream_leave(s);
	return st;
}

/* If memory is short, waits for freed buffers that are in use, frees cached memory, and tries
 * again. */
static qd_status
alloc(struct qd_device *dev, size_t size, struct device_memory *out, struct qd_error *err)
{
	const struct driver *d = dev->driver;
	struct qd_error first;
	QD_TRY(device_check_lost(dev, err));
	freed_collect(dev, FREED_LOOK);
	qd_status st = d->memory_alloc(dev, MEMORY_DEVICE, size, out, &first);
	if (QD_LIKELY(st == QD_OK))
		return QD_OK;
	bool again = st == QD_E_DEVICE_NOMEM && atomic_load(&dev->n_freed);
	if (again) {
		streams_drain(dev);
		freed_collect(dev, UINT32_MAX);
	}
	again |= device_retry(dev, st);
	if (again)
		return d->memory_alloc(dev, MEMORY_DEVICE, size, out, err);
	return qd_fail_text(err, st, 0, 0, first.text, strlen(first.text));
}

qd_status
qd_buffer_create(struct qd_device *dev, size_t size, uint32_t flags, struct qd_buffer **out,
		 struct qd_error *err)
{
	QD_CHECK_ARG(dev, err, "the device is NULL");
	QD_CHECK_ARG(out, err, "the result pointer is NULL");
	*out = NULL;
	if (flags)
		return qd_fail(err, QD_E_INVALID, "%s: flags 0x%x; no flag is defined, pass 0",
			       __func__, (unsigned)flags);
	QD_CHECK_FORK(dev, err);
	struct qd_buffer *buf = pool_new(&dev->ctx->pool, sizeof *buf);
	if (!buf)
		return qd_fail(err, QD_E_NOMEM, "a buffer of %zu bytes: out of memory", size);
	/* Drivers fill whole words. */
	size_t words = size ? (size + 3) & ~(size_t)3 : 4;
	qd_status st = alloc(dev, words < size ? size : words, &buf->memory, err);
	if (st != QD_OK) {
		pool_delete(&dev->ctx->pool, buf);
		return st;
	}
	buf->dev = dev;
	buf->addr = buf->memory.addr;
	buf->host = buf->memory.host;
	buf->size = size;
	buf->uses = buf->few_uses;
	buf->cap_uses = N_USE;
	atomic_init(&buf->refs, 1);
	if (buf->host)
		memset(buf->host, 0, (size_t)buf->memory.size);
	else
		st = zero(buf, err);
	if (st != QD_OK) {
		buffer_dispose(buf);
		return st;
	}
	device_hold(dev, LIVE_BUFFER);
	*out = buf;
	return QD_OK;
}

static qd_status
check_range(const char *call, const struct qd_buffer *buf, size_t offset, size_t size,
	    struct qd_error *err)
{
	if (QD_LIKELY(offset <= buf->size && size <= buf->size - offset))
		return QD_OK;
	return qd_fail(err, QD_E_INVALID, "%s: %zu bytes at offset %zu of a buffer of %zu bytes",
		       call, size, offset, buf->size);
}

qd_status
qd_buffer_slice(struct qd_buffer *parent, size_t offset, size_t size, struct qd_buffer **out,
		struct qd_error *err)
{
	QD_CHECK_ARG(parent, err, "the buffer is NULL");
	QD_CHECK_ARG(out, err, "the result pointer is NULL");
	*out = NULL;
	QD_CHECK_FORK(parent->dev, err);
	QD_TRY(check_range(__func__, parent, offset, size, err));
	struct qd_buffer *root = buffer_root(parent);
	struct qd_buffer *buf = pool_new(&root->dev->ctx->pool, sizeof *buf);
	if (!buf)
		return qd_fail(err, QD_E_NOMEM, "%s: out of memory", __func__);
	buf->dev = root->dev;
	buf->parent = root;
	buf->addr = parent->addr + offset;
	buf->host = parent->host ? (char *)parent->host + offset : NULL;
	buf->size = size;
	buf->offset = parent->offset + offset;
	atomic_init(&buf->refs, 1);
	atomic_fetch_add(&root->refs, 1);
	*out = buf;
	return QD_OK;
}

void
qd_buffer_free(struct qd_buffer *buf)
{
	if (!buf || device_forked(buf->dev, __func__))
		return;
	struct qd_buffer *root = buffer_root(buf);
	struct qd_device *dev = root->dev;
	if (buf != root)
		pool_delete(&dev->ctx->pool, buf);
	if (atomic_fetch_sub(&root->refs, 1) != 1)
		return;
	buffer_dispose(root);
	device_release(dev, LIVE_BUFFER);
}

size_t
qd_buffer_size(const struct qd_buffer *buf)
{
	return buf ? buf->size : 0;
}

qd_status
qd_buffer_map(struct qd_buffer *buf, void **out, struct qd_error *err)
{
	QD_CHECK_ARG(buf, err, "the buffer is NULL");
	QD_CHECK_ARG(out, err, "the result pointer is NULL");
	*out = NULL;
	QD_CHECK_FORK(buf->dev, err);
	if (!buf->host)
		return qd_fail(err, QD_E_UNAVAILABLE,
			       "%s: the host cannot see this memory of device %s; use "
			       "qd_buffer_upload and qd_buffer_download",
			       __func__, buf->dev->info.selector);
	*out = buf->host;
	return QD_OK;
}

/* -- Streams -------------------------------------------------------------------- */

qd_status
qd_stream_create(struct qd_device *dev, struct qd_stream **out, struct qd_error *err)
{
	QD_CHECK_ARG(dev, err, "the device is NULL");
	QD_CHECK_ARG(out, err, "the result pointer is NULL");
	*out = NULL;
	QD_CHECK_FORK(dev, err);
	QD_TRY(stream_create(dev, out, err));
	device_hold(dev, LIVE_STREAM);
	return QD_OK;
}

void
qd_stream_free(struct qd_stream *stream)
{
	if (!stream || device_forked(stream->dev, __func__))
		return;
	struct qd_device *dev = stream->dev;
	stream_free(stream);
	device_release(dev, LIVE_STREAM);
}

static qd_status
cannot_end(const struct qd_device *dev, const char *call, const char *what, struct qd_error *err)
{
	return qd_fail(err, QD_E_UNAVAILABLE, "%s: the driver of %s cannot %s; ref and emu can", call,
		       dev->info.selector, what);
}

qd_status
qd_stream_limit(struct qd_stream *stream, uint64_t max_steps, struct qd_error *err)
{
	QD_CHECK_ARG(stream, err, "the stream is NULL");
	QD_CHECK_FORK(stream->dev, err);
	if (!stream->dev->driver->cancels)
		return cannot_end(stream->dev, __func__, "count the steps of a launch", err);
	QD_TRY(stream_enter(stream, err));
	stream->queue->max_steps = max_steps;
	stream_leave(stream);
	return QD_OK;
}

qd_status
qd_stream_cancel(struct qd_stream *stream, struct qd_error *err)
{
	QD_CHECK_ARG(stream, err, "the stream is NULL");
	QD_CHECK_FORK(stream->dev, err);
	if (!stream->dev->driver->cancels)
		return cannot_end(stream->dev, __func__, "end a launch", err);
	/* Without the stream's lock, because the launch holds it. */
	atomic_store(&stream->queue->canceled, true);
	return QD_OK;
}

qd_status
qd_stream_sync(struct qd_stream *stream, struct qd_error *err)
{
	bool done;
	QD_CHECK_ARG(stream, err, "the stream is NULL");
	QD_CHECK_FORK(stream->dev, err);
	return stream_sync(stream, FOREVER, &done, err);
}

qd_status
qd_stream_sync_for(struct qd_stream *stream, uint64_t timeout_ns, bool *done, struct qd_error *err)
{
	QD_CHECK_ARG(stream, err, "the stream is NULL");
	QD_CHECK_ARG(done, err, "the result pointer is NULL");
	*done = false;
	QD_CHECK_FORK(stream->dev, err);
	/* A timeout of 0 is still a sync, which reports how launches ended; ns 0 would not. */
	return stream_sync(stream, timeout_ns ? timeout_ns : 1, done, err);
}

qd_status
qd_stream_query(struct qd_stream *stream, bool *done, struct qd_error *err)
{
	QD_CHECK_ARG(stream, err, "the stream is NULL");
	QD_CHECK_ARG(done, err, "the result pointer is NULL");
	*done = false;
	QD_CHECK_FORK(stream->dev, err);
	return stream_sync(stream, 0, done, err);
}

qd_status
qd_stream_flush(struct qd_stream *stream, struct qd_error *err)
{
	QD_CHECK_ARG(stream, err, "the stream is NULL");
	QD_CHECK_FORK(stream->dev, err);
	QD_TRY(stream_enter(stream, err));
	qd_status st = stream_flush(stream, err);
	stream_leave(stream);
	return st;
}

/* -- Transfers --------------------------------------------------------------------- */

/* Performs the checks common to all transfers. */
static qd_status
check_copy(const char *call, const struct qd_stream *stream, const struct qd_buffer *buf,
	   size_t offset, size_t size, struct qd_error *err)
{
	if (QD_UNLIKELY(buf->dev != stream->dev))
		return qd_fail(err, QD_E_INVALID,
			       "%s: the buffer belongs to device %s, the stream to %s", call,
			       buf->dev->info.selector, stream->dev->info.selector);
	return check_range(call, buf, offset, size, err);
}

static qd_status
upload(const char *call, struct qd_stream *stream, struct qd_buffer *dst, size_t offset,
       const void *src, size_t size, struct qd_error *err)
{
	QD_CHECK_ARG_OF(call, stream, err, "the stream is NULL");
	QD_CHECK_ARG_OF(call, dst, err, "the buffer is NULL");
	QD_CHECK_ARG_OF(call, src || size == 0, err, "the source is NULL");
	QD_CHECK_FORK_OF(call, stream->dev, err);
	QD_TRY(check_copy(call, stream, dst, offset, size, err));
	if (size == 0)
		return QD_OK;
	return stream_upload(stream, buffer_root(dst), dst->offset + offset, src, size, err);
}

qd_status
qd_buffer_upload(struct qd_stream *stream, struct qd_buffer *dst, size_t offset, const void *src,
		 size_t size, struct qd_error *err)
{
	return upload(__func__, stream, dst, offset, src, size, err);
}

/* Copies to the ring like qd_buffer_upload, because no driver reads the caller's memory
 * directly. */
qd_status
qd_buffer_upload_async(struct qd_stream *stream, struct qd_buffer *dst, size_t offset,
		       const void *src, size_t size, struct qd_error *err)
{
	return upload(__func__, stream, dst, offset, src, size, err);
}

/* *ticket 0: there is nothing to wait for. */
static qd_status
download(const char *call, struct qd_stream *stream, struct qd_buffer *src, size_t offset,
	 void *dst, size_t size, uint64_t *ticket, struct qd_error *err)
{
	*ticket = 0;
	QD_CHECK_ARG_OF(call, stream, err, "the stream is NULL");
	QD_CHECK_ARG_OF(call, src, err, "the buffer is NULL");
	QD_CHECK_ARG_OF(call, dst || size == 0, err, "the destination is NULL");
	QD_CHECK_FORK_OF(call, stream->dev, err);
	QD_TRY(check_copy(call, stream, src, offset, size, err));
	if (size == 0)
		return QD_OK;
	return stream_download(stream, buffer_root(src), src->offset + offset, dst, size, ticket,
			       err);
}

qd_status
qd_buffer_download(struct qd_stream *stream, struct qd_buffer *src, size_t offset, void *dst,
		   size_t size, struct qd_error *err)
{
	uint64_t ticket;
	QD_TRY(download(__func__, stream, src, offset, dst, size, &ticket, err));
	return ticket ? stream_arrive(stream, ticket, err) : qd_stream_sync(stream, err);
}

qd_status
qd_buffer_download_async(struct qd_stream *stream, struct qd_buffer *src, size_t offset,
			 void *dst, size_t size, struct qd_error *err)
{
	uint64_t ticket;
	return download(__func__, stream, src, offset, dst, size, &ticket, err);
}

qd_status
qd_buffer_copy(struct qd_stream *stream, struct qd_buffer *dst, size_t dst_offset,
	       struct qd_buffer *src, size_t src_offset, size_t size, struct qd_error *err)
{
	QD_CHECK_ARG(stream, err, "the stream is NULL");
	QD_CHECK_ARG(dst, err, "the destination is NULL");
	QD_CHECK_ARG(src, err, "the source is NULL");
	QD_CHECK_FORK(stream->dev, err);
	QD_TRY(check_copy(__func__, stream, dst, dst_offset, size, err));
	QD_TRY(check_copy(__func__, stream, src, src_offset, size, err));
	size_t to = dst->offset + dst_offset, from = src->offset + src_offset;
	if (size == 0)
		return QD_OK;
	if (buffer_root(dst) == buffer_root(src) && to < from + size && from < to + size)
		return qd_fail(err, QD_E_INVALID,
			       "%s: %zu bytes from offset %zu to offset %zu of the same memory "
			       "overlap; copy through another buffer",
			       __func__, size, from, to);
	return stream_copy(stream, buffer_root(dst), to, buffer_root(src), from, size, err);
}

qd_status
qd_buffer_fill(struct qd_stream *stream, struct qd_buffer *dst, size_t offset, size_t size,
	       const void *value, size_t value_size, struct qd_error *err)
{
	QD_CHECK_ARG(stream, err, "the stream is NULL");
	QD_CHECK_ARG(dst, err, "the buffer is NULL");
	QD_CHECK_ARG(value, err, "the value is NULL");
	QD_CHECK_FORK(stream->dev, err);
	if (value_size != 1 && value_size != 2 && value_size != 4 && value_size != 8)
		return qd_fail(err, QD_E_INVALID,
			       "%s: a value of %zu bytes; the size must be 1, 2, 4 or 8", __func__,
			       value_size);
	if (size % value_size)
		return qd_fail(err, QD_E_INVALID,
			       "%s: %zu bytes are not a multiple of the value's %zu", __func__,
			       size, value_size);
	QD_TRY(check_copy(__func__, stream, dst, offset, size, err));
	if (size == 0)
		return QD_OK;
	return stream_fill(stream, buffer_root(dst), dst->offset + offset, size, value,
			   (uint32_t)value_size, err);
}
