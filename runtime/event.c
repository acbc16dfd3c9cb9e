/* Events: a timestamp of the device's clock, and the value of the stream's timeline that passes
 * with it. Streams are ordered after each other's work only by events. Each recording takes a new
 * timestamp, so no two batches write the same one. */
#include "function.h"
#include "stream.h"

static qd_status
take_timestamp(struct qd_device *dev, struct timestamp *out, struct qd_error *err)
{
	qd_status st = dev->driver->timestamp_take(dev, out, err);
	if (device_retry(dev, st))
		st = dev->driver->timestamp_take(dev, out, err);
	return st;
}

qd_status
qd_event_create(struct qd_device *dev, struct qd_event **out, struct qd_error *err)
{
	QD_CHECK_ARG(dev, err, "the device is NULL");
	QD_CHECK_ARG(out, err, "the result pointer is NULL");
	*out = NULL;
	QD_CHECK_FORK(dev, err);
	QD_TRY(device_check_lost(dev, err));
	struct qd_event *e = pool_new(&dev->ctx->pool, sizeof *e);
	if (!e)
		return qd_fail(err, QD_E_NOMEM, "an event: out of memory");
	e->dev = dev;
	pthread_mutex_init(&e->lock, NULL);
	device_hold(dev, LIVE_EVENT);
	*out = e;
	return QD_OK;
}

/* -- Recording ---------------------------------------------------------------------------- */

static qd_status
record(struct qd_stream *s, const struct timestamp *timestamp, uint64_t *value,
       struct qd_error *err)
{
	/* Work that waits for the event may overwrite the memory that pending downloads read. */
	QD_TRY(stream_stage(s, err));
	if (timestamp->pool) {
		QD_TRY(stream_open(s, 0, err));
		s->dev->driver->timestamp(s->queue, timestamp);
	}
	QD_TRY(stream_flush(s, err));
	*value = s->submitted;
	return QD_OK;
}

/* Replaces the recording of the event, and releases the old one. */
static void
become(struct qd_event *e, struct timeline *t, uint64_t value, const struct timestamp *timestamp)
{
	struct timeline *old = e->timeline;
	struct timestamp old_timestamp = e->timestamp;
	e->timeline = t;
	e->value = value;
	e->timestamp = *timestamp;
	if (!old)
		return;
	e->dev->driver->timestamp_give(e->dev, &old_timestamp);
	timeline_unref(old);
}

qd_status
qd_event_record(struct qd_stream *stream, struct qd_event *event, struct qd_error *err)
{
	QD_CHECK_ARG(stream, err, "the stream is NULL");
	QD_CHECK_ARG(event, err, "the event is NULL");
	struct qd_device *dev = stream->dev;
	QD_CHECK_FORK(dev, err);
	QD_CHECK_ARG(dev == event->dev, err, "stream and event belong to different devices");
	QD_TRY(device_check_lost(dev, err));
	struct timestamp timestamp;
	uint64_t value;
	QD_TRY(take_timestamp(dev, &timestamp, err));
	qd_status st = stream_enter(stream, err);
	if (st == QD_OK) {
		st = record(stream, &timestamp, &value, err);
		stream_leave(stream);
	}
	if (st != QD_OK) {
		dev->driver->timestamp_give(dev, &timestamp);
		return st;
	}
	pthread_mutex_lock(&event->lock);
	become(event, timeline_ref(stream->timeline), value, &timestamp);
	pthread_mutex_unlock(&event->lock);
	return QD_OK;
}

/* -- Queries and waits ---------------------------------------------------------------------- */

/* Returns the last recording. The caller owns the reference to the timeline. */
static qd_status
recorded(struct qd_event *e, const char *call, struct wait *out, struct qd_error *err)
{
	pthread_mutex_lock(&e->lock);
	*out = (struct wait){ .timeline = e->timeline, .value = e->value };
	if (out->timeline)
		timeline_ref(out->timeline);
	pthread_mutex_unlock(&e->lock);
	if (out->timeline)
		return QD_OK;
	return qd_fail(err, QD_E_INVALID, "%s: the event was never recorded; record it in a stream first",
		       call);
}

static qd_status
wait_recorded(struct qd_event *e, const char *call, uint64_t ns, bool *passed,
	      struct qd_error *err)
{
	struct wait w;
	QD_TRY(recorded(e, call, &w, err));
	qd_status st = timeline_passed(w.timeline, w.value, passed, err);
	if (st == QD_OK && !*passed && ns)
		st = timeline_wait(w.timeline, w.value, ns, passed, err);
	*passed &= st == QD_OK;
	/* Downloads before the event must be delivered as well. */
	if (*passed)
		stream_deliver_of(e->dev, w.timeline->id);
	timeline_unref(w.timeline);
	return st;
}

qd_status
qd_event_sync(struct qd_event *event, uint64_t timeout_ns, bool *passed, struct qd_error *err)
{
	bool done = false;
	QD_CHECK_ARG(event, err, "the event is NULL");
	QD_CHECK_ARG(passed || timeout_ns == QD_FOREVER, err, "the result pointer is NULL");
	if (passed)
		*passed = false;
	QD_CHECK_FORK(event->dev, err);
	qd_status st = wait_recorded(event, __func__, timeout_ns, &done, err);
	if (passed)
		*passed = done;
	return st;
}

qd_status
qd_event_query(struct qd_event *event, bool *passed, struct qd_error *err)
{
	QD_CHECK_ARG(event, err, "the event is NULL");
	QD_CHECK_ARG(passed, err, "the result pointer is NULL");
	*passed = false;
	QD_CHECK_FORK(event->dev, err);
	return wait_recorded(event, __func__, 0, passed, err);
}

/* Checks one of two events to compare, with its lock held. */
static qd_status
check_passed(const struct qd_event *e, const char *call, struct qd_error *err)
{
	struct qd_device *dev = e->dev;
	bool passed;
	QD_TRY(device_check_lost(dev, err));
	if (!e->timeline)
		return qd_fail(err, QD_E_INVALID, "%s: an event was never recorded", call);
	if (!e->timestamp.pool)
		return qd_fail(err, QD_E_UNAVAILABLE,
			       "%s (%s): the device's queue does not support timestamps",
			       dev->info.selector, dev->info.name);
	QD_TRY(timeline_passed(e->timeline, e->value, &passed, err));
	if (!passed)
		return qd_fail(err, QD_E_BUSY,
			       "%s: the stream has not reached the event; synchronize it first",
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
	/* Locks in order of address, so that two threads cannot deadlock. */
	struct qd_event *first = from < to ? from : to, *second = from < to ? to : from;
	pthread_mutex_lock(&first->lock);
	if (second != first)
		pthread_mutex_lock(&second->lock);
	qd_status st = check_passed(from, __func__, err);
	if (st == QD_OK)
		st = check_passed(to, __func__, err);
	if (st == QD_OK)
		st = from->dev->driver->timestamp_ns(from->dev, &from->timestamp, &to->timestamp,
						     ns, err);
	if (second != first)
		pthread_mutex_unlock(&second->lock);
	pthread_mutex_unlock(&first->lock);
	return st;
}

qd_status
qd_stream_wait(struct qd_stream *stream, struct qd_event *event, struct qd_error *err)
{
	QD_CHECK_ARG(stream, err, "the stream is NULL");
	QD_CHECK_ARG(event, err, "the event is NULL");
	QD_CHECK_FORK(stream->dev, err);
	QD_CHECK_ARG(stream->dev == event->dev, err,
		     "stream and event belong to different devices");
	struct wait w;
	QD_TRY(recorded(event, __func__, &w, err));
	bool passed = w.timeline == stream->timeline;
	qd_status st = passed ? QD_OK : timeline_passed(w.timeline, w.value, &passed, err);
	if (st == QD_OK)
		st = stream_enter(stream, err);
	if (st == QD_OK) {
		/* Earlier downloads must not see writes that other streams make after the event. */
		st = stream_stage(stream, err);
		if (st == QD_OK && !passed)
			st = stream_add_wait(stream, w.timeline, w.value, err);
		stream_leave(stream);
	}
	timeline_unref(w.timeline);
	return st;
}

void
qd_event_free(struct qd_event *event)
{
	if (!event || device_forked(event->dev, __func__))
		return;
	struct qd_device *dev = event->dev;
	become(event, NULL, 0, &(struct timestamp){ .pool = NULL });
	pthread_mutex_destroy(&event->lock);
	pool_delete(&dev->ctx->pool, event);
	device_release(dev, LIVE_EVENT);
}
