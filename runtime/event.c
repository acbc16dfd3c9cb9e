/* Events: a stamp of the device's clock, and the value of the stream's timeline
 * that passes with it.  An event is the one way in which a stream comes behind
 * another's work. */
#include "function.h"
#include "stream.h"

static qd_status
record(struct qd_stream *s, struct qd_event *e, struct qd_error *err)
{
	const struct driver *d = s->dev->driver;
	/* Who waits for the event may then change what they would read. */
	QD_TRY(stream_stage(s, err));
	if (e->stamp.pool) {
		QD_TRY(stream_open(s, 0, err));
		d->stamp(s->queue, &e->stamp);
	}
	QD_TRY(stream_flush(s, err));
	e->timeline = timeline_ref(s->timeline);
	e->value = s->submitted;
	return QD_OK;
}

qd_status
qd_event_record(struct qd_stream *stream, struct qd_event **out, struct qd_error *err)
{
	QD_CHECK_ARG(stream, err, "the stream is NULL");
	QD_CHECK_ARG(out, err, "the result pointer is NULL");
	*out = NULL;
	struct qd_device *dev = stream->dev;
	QD_CHECK_FORK(dev, err);
	QD_TRY(device_check_lost(dev, err));
	struct qd_event *e = pool_new(&dev->ctx->pool, sizeof *e);
	if (!e)
		return qd_fail(err, QD_E_NOMEM, "an event: out of memory");
	e->dev = dev;
	qd_status st = dev->driver->stamp_take(dev, &e->stamp, err);
	if (device_retry(dev, st))
		st = dev->driver->stamp_take(dev, &e->stamp, err);
	if (st != QD_OK) {
		pool_delete(&dev->ctx->pool, e);
		return st;
	}
	st = stream_enter(stream, err);
	if (st == QD_OK) {
		st = record(stream, e, err);
		stream_leave(stream);
	}
	if (st != QD_OK) {
		dev->driver->stamp_give(dev, &e->stamp);
		pool_delete(&dev->ctx->pool, e);
		return st;
	}
	atomic_fetch_add(&dev->n_live, 1);
	*out = e;
	return QD_OK;
}

static qd_status
check_passed(const struct qd_event *e, struct qd_error *err)
{
	struct qd_device *dev = e->dev;
	bool passed;
	QD_TRY(device_check_lost(dev, err));
	if (!e->stamp.pool)
		return qd_fail(err, QD_E_UNAVAILABLE,
			       "%s (%s): the device's queue has no timestamps", dev->info.selector,
			       dev->info.name);
	QD_TRY(timeline_passed(e->timeline, e->value, &passed, err));
	if (!passed)
		return qd_fail(err, QD_E_BUSY,
			       "%s: the stream has not come to the event; synchronise it first",
			       dev->info.selector);
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
	QD_TRY(check_passed(from, err));
	QD_TRY(check_passed(to, err));
	return from->dev->driver->stamp_ns(from->dev, &from->stamp, &to->stamp, ns, err);
}

qd_status
qd_stream_wait(struct qd_stream *stream, struct qd_event *event, struct qd_error *err)
{
	QD_CHECK_ARG(stream, err, "the stream is NULL");
	QD_CHECK_ARG(event, err, "the event is NULL");
	QD_CHECK_FORK(stream->dev, err);
	QD_CHECK_ARG(stream->dev == event->dev, err,
		     "stream and event belong to different devices");
	bool passed = event->timeline == stream->timeline;
	if (!passed)
		QD_TRY(timeline_passed(event->timeline, event->value, &passed, err));
	QD_TRY(stream_enter(stream, err));
	/* What others write after the event is not for downloads before this. */
	qd_status st = stream_stage(stream, err);
	if (st == QD_OK && !passed)
		st = stream_behind(stream, event->timeline, event->value, err);
	stream_leave(stream);
	return st;
}

void
qd_event_free(struct qd_event *event)
{
	if (!event || device_forked(event->dev, __func__))
		return;
	struct qd_device *dev = event->dev;
	dev->driver->stamp_give(dev, &event->stamp);
	timeline_unref(event->timeline);
	pool_delete(&dev->ctx->pool, event);
	device_release(dev);
}
