/* Buffers, streams and events as the caller sees them: arguments are checked
 * here, then the driver does it.  A slice has no driver object of its own. */
#include "function.h"

/* -- Buffers -------------------------------------------------------------------- */

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
	struct qd_buffer *buf = NULL;
	QD_TRY(dev->driver->buffer_create(dev, size, &buf, err));
	buf->dev = dev;
	buf->parent = NULL;
	buf->size = size;
	buf->offset = 0;
	atomic_init(&buf->refs, 1);
	atomic_fetch_add(&dev->n_live, 1);
	*out = buf;
	return QD_OK;
}

/* Do [offset, offset + size) lie in the buffer? */
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
	dev->driver->buffer_free(root);
	device_release(dev);
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
	QD_TRY(dev->driver->stream_create(dev, out, err));
	(*out)->dev = dev;
	atomic_fetch_add(&dev->n_live, 1);
	return QD_OK;
}

void
qd_stream_free(struct qd_stream *stream)
{
	if (!stream || device_forked(stream->dev, __func__))
		return;
	struct qd_device *dev = stream->dev;
	dev->driver->stream_free(stream);
	device_release(dev);
}

qd_status
qd_stream_sync(struct qd_stream *stream, struct qd_error *err)
{
	QD_CHECK_ARG(stream, err, "the stream is NULL");
	QD_CHECK_FORK(stream->dev, err);
	return stream->dev->driver->stream_sync(stream, err);
}

/* What both transfers check. */
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

qd_status
qd_buffer_upload(struct qd_stream *stream, struct qd_buffer *dst, size_t offset, const void *src,
		 size_t size, struct qd_error *err)
{
	QD_CHECK_ARG(stream, err, "the stream is NULL");
	QD_CHECK_ARG(dst, err, "the buffer is NULL");
	QD_CHECK_ARG(src || size == 0, err, "the source is NULL");
	QD_CHECK_FORK(stream->dev, err);
	QD_TRY(check_copy(__func__, stream, dst, offset, size, err));
	if (size == 0)
		return QD_OK;
	return stream->dev->driver->upload(stream, buffer_root(dst), dst->offset + offset, src,
					   size, err);
}

qd_status
qd_buffer_download(struct qd_stream *stream, struct qd_buffer *src, size_t offset, void *dst,
		   size_t size, struct qd_error *err)
{
	QD_CHECK_ARG(stream, err, "the stream is NULL");
	QD_CHECK_ARG(src, err, "the buffer is NULL");
	QD_CHECK_ARG(dst || size == 0, err, "the destination is NULL");
	QD_CHECK_FORK(stream->dev, err);
	QD_TRY(check_copy(__func__, stream, src, offset, size, err));
	if (size == 0)
		return QD_OK;
	return stream->dev->driver->download(stream, buffer_root(src), src->offset + offset, dst,
					     size, err);
}

/* -- Events --------------------------------------------------------------------- */

qd_status
qd_event_record(struct qd_stream *stream, struct qd_event **out, struct qd_error *err)
{
	QD_CHECK_ARG(stream, err, "the stream is NULL");
	QD_CHECK_ARG(out, err, "the result pointer is NULL");
	*out = NULL;
	QD_CHECK_FORK(stream->dev, err);
	QD_TRY(stream->dev->driver->event_record(stream, out, err));
	(*out)->dev = stream->dev;
	atomic_fetch_add(&stream->dev->n_live, 1);
	return QD_OK;
}

qd_status
qd_event_elapsed(struct qd_event *from, struct qd_event *to, uint64_t *ns, struct qd_error *err)
{
	QD_CHECK_ARG(from && to, err, "an event is NULL");
	QD_CHECK_ARG(ns, err, "the result pointer is NULL");
	*ns = 0;
	QD_CHECK_FORK(from->dev, err);
	QD_CHECK_ARG(from->dev == to->dev, err, "the events belong to different devices");
	return from->dev->driver->event_elapsed(from, to, ns, err);
}

qd_status
qd_stream_wait(struct qd_stream *stream, struct qd_event *event, struct qd_error *err)
{
	QD_CHECK_ARG(stream, err, "the stream is NULL");
	QD_CHECK_ARG(event, err, "the event is NULL");
	QD_CHECK_FORK(stream->dev, err);
	QD_CHECK_ARG(stream->dev == event->dev, err,
		     "stream and event belong to different devices");
	return stream->dev->driver->stream_wait(stream, event, err);
}

void
qd_event_free(struct qd_event *event)
{
	if (!event || device_forked(event->dev, __func__))
		return;
	struct qd_device *dev = event->dev;
	dev->driver->event_free(event);
	device_release(dev);
}
