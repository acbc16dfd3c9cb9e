/* Streams: timelines, batches, submission and waiting. Work in flight is bounded by
 * MAX_BATCH batches of MAX_COMMANDS commands and by the bytes of the ring. A call that
 * submits to a full stream blocks until the oldest batch completes. Later calls on the
 * same stream wait for it; other streams do not. */
#include "stream.h"
#include "function.h"

#include <stdio.h>

/* -- Timelines ------------------------------------------------------------------------ */

struct timeline *
timeline_ref(struct timeline *t)
{
	atomic_fetch_add_explicit(&t->refs, 1, memory_order_relaxed);
	return t;
}

void
timeline_unref(struct timeline *t)
{
	if (!t || atomic_fetch_sub_explicit(&t->refs, 1, memory_order_acq_rel) != 1)
		return;
	struct watchdog *w = t->watchdog;
	t->dev->driver->timeline_free(t);
	watchdog_free(w);
}

void
timeline_advance(struct timeline *t, uint64_t done)
{
	uint64_t old = atomic_load(&t->done);
	if (old >= done)
		return;
	if (QD_UNLIKELY(t->watchdog != NULL)) {
		watchdog_advance(t->watchdog, t, done);
		return;
	}
	while (old < done && !atomic_compare_exchange_weak(&t->done, &old, done))
		;
}

qd_status
device_check_lost(struct qd_device *dev, struct qd_error *err)
{
	const char *call = atomic_load_explicit(&dev->lost, memory_order_relaxed);
	if (QD_LIKELY(!call))
		return QD_OK;
	return qd_fail(err, QD_E_DEVICE_LOST,
		       "%s (%s): the device was lost when %s failed; close it and open it again",
		       dev->info.selector, dev->info.name, call);
}

qd_status
timeline_passed(struct timeline *t, uint64_t value, bool *passed, struct qd_error *err)
{
	*passed = timeline_known(t, value);
	if (*passed)
		return QD_OK;
	QD_TRY(device_check_lost(t->dev, err));
	QD_TRY(t->dev->driver->poll(t, err));
	*passed = timeline_known(t, value);
	return QD_OK;
}

qd_status
timeline_wait(struct timeline *t, uint64_t value, uint64_t ns, bool *passed, struct qd_error *err)
{
	*passed = timeline_known(t, value);
	if (*passed)
		return QD_OK;
	QD_TRY(device_check_lost(t->dev, err));
	QD_TRY(t->dev->driver->wait(t, value, ns, err));
	*passed = timeline_known(t, value);
	return QD_OK;
}

static qd_status
timeline_pass(struct timeline *t, uint64_t value, struct qd_error *err)
{
	bool passed;
	return timeline_wait(t, value, FOREVER, &passed, err);
}

/* -- Entering -------------------------------------------------------------------------- */

/* Fails if the device is lost or the stream is broken. */
static qd_status
check(const struct qd_stream *s, struct qd_error *err)
{
	QD_TRY(device_check_lost(s->dev, err));
	if (QD_LIKELY(s->broken == QD_OK))
		return QD_OK;
	return qd_fail(err, s->broken,
		       "%s: the stream lost recorded work when a batch could not be finished; free "
		       "it and create another\n  cause: %s",
		       s->dev->info.selector, s->cause);
}

/* Waits until no thread is in the stream, or until `until` (clock_ns; FOREVER: no limit).
 * Returns whether the stream is free. */
static bool
wait_left(struct qd_stream *s, uint64_t until)
{
	struct timespec ts = { (time_t)(until / 1000000000), (long)(until % 1000000000) };
	int over = 0;
	s->n_entering++;
	while (s->entered && !over)
		over = until == FOREVER ? pthread_cond_wait(&s->left, &s->lock)
					: pthread_cond_timedwait(&s->left, &s->lock, &ts);
	s->n_entering--;
	return !s->entered;
}

qd_status
stream_enter(struct qd_stream *s, struct qd_error *err)
{
	pthread_mutex_lock(&s->lock);
	if (QD_UNLIKELY(s->entered))
		wait_left(s, FOREVER);
	s->entered = true;
	qd_status st = check(s, err);
	if (QD_UNLIKELY(st != QD_OK))
		stream_leave(s);
	return st;
}

void
stream_leave(struct qd_stream *s)
{
	s->entered = false;
	if (QD_UNLIKELY(s->n_entering))
		pthread_cond_broadcast(&s->left);
	pthread_mutex_unlock(&s->lock);
}

static qd_status
wait_so_long(struct qd_stream *s, uint64_t value, uint64_t ns, bool *passed, struct qd_error *err)
{
	*passed = timeline_known(s->timeline, value);
	if (!*passed) {
		pthread_mutex_unlock(&s->lock);
		qd_status st = ns ? timeline_wait(s->timeline, value, ns, passed, err)
				  : timeline_passed(s->timeline, value, passed, err);
		pthread_mutex_lock(&s->lock);
		QD_TRY(st);
	}
	stream_deliver(s);
	report_collect(s);
	return QD_OK;
}

qd_status
stream_wait_for(struct qd_stream *s, uint64_t value, struct qd_error *err)
{
	bool passed;
	return wait_so_long(s, value, FOREVER, &passed, err);
}

/* -- Batches ---------------------------------------------------------------------------- */

static void
release_held(struct batch *b)
{
	for (uint32_t i = 0; i < b->n_held; i++)
		timeline_unref(b->held[i]);
	b->n_held = 0;
}

static struct batch *
next_batch(struct qd_stream *s)
{
	return &s->batches[(s->at + 1) % MAX_BATCH];
}

static qd_status
begin(struct qd_stream *s, struct qd_error *err)
{
	struct batch *b = next_batch(s);
	uint32_t at = (uint32_t)(b - s->batches);
	release_held(b);
	report_collect(s);
	qd_status st = s->dev->driver->begin(s->queue, at, err);
	if (device_retry(s->dev, st))
		st = s->dev->driver->begin(s->queue, at, err);
	QD_TRY(st);
	atomic_store_explicit(&s->given, s->submitted + 1, memory_order_release);
	s->at = at;
	s->state = RECORDING;
	s->n_commands = 0;
	if (s->timeline->watchdog)
		watchdog_begin(s->timeline->watchdog, s->submitted + 1);
	return QD_OK;
}

static qd_status
finish(struct qd_stream *s, struct qd_error *err)
{
	const struct driver *d = s->dev->driver;
	struct qd_error why;
	report_record(s, s->submitted + 1);
	qd_status st = d->finish ? d->finish(s->queue, s->submitted + 1, &why) : QD_OK;
	s->state = st == QD_OK ? RECORDED : NO_BATCH;
	s->broken = st;
	if (QD_LIKELY(st == QD_OK))
		return QD_OK;
	/* The batch never passes, so nothing may wait for it. */
	report_drop(s);
	atomic_store_explicit(&s->given, s->submitted, memory_order_release);
	/* Stored in the stream, because stream_kick ignores the error. */
	snprintf(s->cause, sizeof s->cause, "%.*s", (int)strcspn(why.text, "\n"), why.text);
	return qd_fail_text(err, st, 0, 0, why.text, strlen(why.text));
}

static qd_status
submit(struct qd_stream *s, bool empty, struct qd_error *err)
{
	if (s->timeline->watchdog)
		watchdog_submit(s->timeline->watchdog, s->submitted + 1, empty);
	QD_TRY(s->dev->driver->submit(s->queue, empty, s->waits, s->n_waits, s->submitted + 1,
				      err));
	if (empty) {
		struct batch *b = next_batch(s);
		release_held(b);
		s->at = (uint32_t)(b - s->batches);
	}
	struct batch *b = &s->batches[s->at];
	b->value = ++s->submitted;
	if (!empty)
		s->hinted = s->submitted;
	for (uint32_t i = 0; i < s->n_waits; i++)
		b->held[i] = s->waits[i].timeline;
	b->n_held = s->n_waits;
	s->n_waits = 0;
	s->state = NO_BATCH;
	return QD_OK;
}

qd_status
stream_flush(struct qd_stream *s, struct qd_error *err)
{
	for (;;) {
		if (s->state == RECORDING)
			QD_TRY(finish(s, err));
		if (s->state == RECORDED)
			return submit(s, false, err);
		if (!s->n_waits)
			return QD_OK;
		uint64_t oldest = next_batch(s)->value;
		if (timeline_known(s->timeline, oldest))
			return submit(s, true, err);
		QD_TRY(stream_wait_for(s, oldest, err));
	}
}

qd_status
stream_add_wait(struct qd_stream *s, struct timeline *t, uint64_t value, struct qd_error *err)
{
	/* Work submitted earlier must not wait. */
	while (s->state != NO_BATCH || s->n_waits == MAX_WAITS)
		QD_TRY(stream_flush(s, err));
	s->waits[s->n_waits++] = (struct wait){ .timeline = timeline_ref(t), .value = value };
	return QD_OK;
}

qd_status
stream_open(struct qd_stream *s, uint32_t size, struct qd_error *err)
{
	if (size && !s->ring.size)
		QD_TRY(ring_create(s, err));
	for (;;) {
		uint64_t oldest;
		if (QD_UNLIKELY(s->state == RECORDED)) /* a batch that could not be submitted */
			QD_TRY(stream_flush(s, err));
		if (size && !ring_has_room(&s->ring, size, &oldest)) {
			if (oldest > s->submitted)
				QD_TRY(stream_flush(s, err));
			QD_TRY(stream_wait_for(s, oldest, err));
			continue;
		}
		if (s->state == RECORDING)
			return QD_OK;
		oldest = next_batch(s)->value;
		if (timeline_known(s->timeline, oldest))
			return begin(s, err);
		QD_TRY(stream_wait_for(s, oldest, err));
	}
}

static bool
is_full(struct qd_stream *s, const struct qd_function *fn, uint64_t n)
{
	const struct watchdog *w = s->timeline->watchdog;
	bool passed;
	if (s->n_commands >= MAX_COMMANDS)
		return true;
	if (QD_LIKELY(!w) || watchdog_fits(w, fn, n))
		return false;
	/* Completed batches may have taken less time than expected. */
	timeline_passed(s->timeline, s->submitted, &passed, QD_IGNORE_ERROR);
	return !watchdog_fits(w, fn, n);
}

qd_status
stream_open_command(struct qd_stream *s, uint32_t size, struct qd_function *fn, uint64_t n,
		    struct qd_error *err)
{
	/* Flush before recording, not after: recorded work runs, whatever the result of a later
	 * submission. */
	if (s->state != NO_BATCH && is_full(s, fn, n))
		QD_TRY(stream_flush(s, err));
	QD_TRY(stream_open(s, size, err));
	s->n_commands++;
	if (s->timeline->watchdog)
		watchdog_add(s->timeline->watchdog, fn, n);
	return QD_OK;
}

/* If the driver accepts parts of a batch, the new part is submitted immediately. Otherwise the
 * first launch after a pause is submitted immediately. Later launches share the next batch while
 * that one runs, so longer kernels lead to larger batches. An error here does not fail the
 * launch, which is recorded; the next submission reports it. */
void
stream_kick(struct qd_stream *s)
{
	const struct driver *d = s->dev->driver;
	const _Atomic uint64_t *hint = s->queue->hint;
	bool idle;
	if (s->state != RECORDING)
		return;
	if (d->start) {
		d->start(s->queue, s->waits, s->n_waits, QD_IGNORE_ERROR);
		return;
	}
	if (hint && atomic_load_explicit(hint, memory_order_relaxed) < s->hinted)
		return;
	if (timeline_passed(s->timeline, s->submitted, &idle, QD_IGNORE_ERROR) == QD_OK && idle)
		stream_flush(s, QD_IGNORE_ERROR);
}

/* -- Waiting ------------------------------------------------------------------------------ */

/* Waits until all tickets up to this one are delivered, or until `until`. Requires the lock. */
static qd_status
wait_delivered(struct qd_stream *s, uint64_t ticket, uint64_t until, bool *done,
	       struct qd_error *err)
{
	*done = false;
	for (;;) {
		uint64_t now = until == 0 || until == FOREVER ? 0 : clock_ns();
		uint64_t ns = until == FOREVER ? FOREVER : until > now ? until - now : 0;
		QD_TRY(check(s, err));
		QD_TRY(stream_flush(s, err));
		QD_TRY(wait_so_long(s, s->submitted, ns, done, err));
		/* Another thread is turning the download into a copy: wait for it. */
		bool staged = *done && s->staging && s->staging <= ticket;
		if (staged)
			*done = wait_left(s, until);
		if (!*done)
			return QD_OK;
		*done = stream_delivered(s, ticket);
		if (*done)
			return QD_OK;
	}
}

/* Returns how launches ended, from the driver and from their reports. */
static qd_status
ended(struct qd_stream *s, struct qd_error *err)
{
	const struct driver *d = s->dev->driver;
	struct qd_error why = { .code = QD_OK };
	bool canceled = atomic_exchange(&s->queue->canceled, false);
	qd_status st = d->ended ? d->ended(s->queue, &why) : QD_OK;
	if (QD_UNLIKELY(canceled && st != QD_E_CANCELED))
		return qd_fail(err, QD_E_CANCELED,
			       "%s: qd_stream_cancel was called; no launch was running%s%s",
			       s->dev->info.selector, st ? "\nnote: before that: " : "", why.text);
	if (QD_UNLIKELY(st))
		return qd_fail_text(err, st, why.line, why.col, why.text, strlen(why.text));
	return report_ended(s, err);
}

qd_status
stream_sync(struct qd_stream *s, uint64_t ns, bool *done, struct qd_error *err)
{
	uint64_t now = ns && ns != FOREVER ? clock_ns() : 0;
	uint64_t until = ns > FOREVER - now ? FOREVER : now + ns;
	pthread_mutex_lock(&s->lock);
	qd_status st = wait_delivered(s, s->ticket, until, done, err);
	*done &= st == QD_OK;
	st = *done && ns ? ended(s, err) : st;
	struct buf texts = report_texts(s);
	pthread_mutex_unlock(&s->lock);
	report_log(s->dev->ctx, &texts);
	if (ns)
		freed_collect(s->dev, UINT32_MAX);
	return st;
}

qd_status
stream_arrive(struct qd_stream *s, uint64_t ticket, struct qd_error *err)
{
	bool done;
	pthread_mutex_lock(&s->lock);
	qd_status st = wait_delivered(s, ticket, FOREVER, &done, err);
	if (QD_LIKELY(st == QD_OK)) {
		st = ended(s, err);
	} else {
		/* Another thread may be turning the download into a copy. */
		if (s->staging == ticket)
			wait_left(s, FOREVER);
		stream_forget_one(s, ticket);
	}
	struct buf texts = report_texts(s);
	pthread_mutex_unlock(&s->lock);
	report_log(s->dev->ctx, &texts);
	freed_collect(s->dev, FREED_LOOK);
	return st;
}

/* Returns the first stream whose id is above `after`. */
static struct qd_stream *
find_stream(const struct qd_device *dev, uint64_t after)
{
	struct qd_stream *s = dev->streams;
	while (s && s->timeline->id <= after)
		s = s->next;
	return s;
}

void
stream_deliver_of(struct qd_device *dev, uint64_t id)
{
	pthread_mutex_lock(&dev->streams_lock);
	struct qd_stream *s = find_stream(dev, id - 1);
	if (s && s->timeline->id == id) {
		pthread_mutex_lock(&s->lock);
		stream_deliver(s);
		pthread_mutex_unlock(&s->lock);
	}
	pthread_mutex_unlock(&dev->streams_lock);
}

void
streams_drain(struct qd_device *dev)
{
	uint64_t id = 0;
	for (;;) {
		/* The list's lock keeps the stream alive, and the reference keeps its timeline
		 * alive. */
		pthread_mutex_lock(&dev->streams_lock);
		struct qd_stream *s = find_stream(dev, id);
		if (!s) {
			pthread_mutex_unlock(&dev->streams_lock);
			return;
		}
		pthread_mutex_lock(&s->lock);
		id = s->timeline->id;
		if (s->state != NO_BATCH && s->broken == QD_OK)
			stream_flush(s, QD_IGNORE_ERROR);
		struct timeline *t = timeline_ref(s->timeline);
		uint64_t value = s->submitted;
		pthread_mutex_unlock(&s->lock);
		pthread_mutex_unlock(&dev->streams_lock);

		timeline_pass(t, value, QD_IGNORE_ERROR);
		timeline_unref(t);
		stream_deliver_of(dev, id);
	}
}

void
streams_kick(struct qd_device *dev)
{
	if (pthread_mutex_trylock(&dev->streams_lock))
		return;
	for (struct qd_stream *s = dev->streams; s; s = s->next) {
		if (pthread_mutex_trylock(&s->lock))
			continue;
		/* This flush does not block. */
		if (!s->entered && s->state == RECORDING && s->broken == QD_OK)
			stream_flush(s, QD_IGNORE_ERROR);
		pthread_mutex_unlock(&s->lock);
	}
	pthread_mutex_unlock(&dev->streams_lock);
}

bool
streams_trim(struct qd_device *dev)
{
	bool any = false;
	/* The caller may hold the lock of a stream. */
	if (pthread_mutex_trylock(&dev->streams_lock))
		return false;
	for (struct qd_stream *s = dev->streams; s; s = s->next) {
		if (pthread_mutex_trylock(&s->lock))
			continue;
		any |= !s->entered && ring_drop(s);
		pthread_mutex_unlock(&s->lock);
	}
	pthread_mutex_unlock(&dev->streams_lock);
	return any;
}

/* -- Creation and destruction ---------------------------------------------------------------- */

qd_status
stream_create(struct qd_device *dev, struct qd_stream **out, struct qd_error *err)
{
	const struct driver *d = dev->driver;
	QD_TRY(device_check_lost(dev, err));
	struct qd_stream *s = pool_new(&dev->ctx->pool, sizeof *s);
	if (!s)
		return qd_fail(err, QD_E_NOMEM, "a stream: out of memory");
	s->dev = dev;
	atomic_init(&s->given, 0);
	qd_status st = d->timeline_create(dev, &s->timeline, err);
	if (device_retry(dev, st))
		st = d->timeline_create(dev, &s->timeline, err);
	if (st == QD_OK) {
		s->timeline->dev = dev;
		atomic_init(&s->timeline->done, 0);
		atomic_init(&s->timeline->refs, 1);
		s->timeline->watchdog = NULL;
		if (dev->watchdog_ns)
			st = watchdog_create(dev, &s->timeline->watchdog, err);
	}
	if (st == QD_OK) {
		st = d->queue_create(dev, s->timeline, &s->queue, err);
		if (device_retry(dev, st))
			st = d->queue_create(dev, s->timeline, &s->queue, err);
	}
	if (st != QD_OK) {
		timeline_unref(s->timeline);
		pool_delete(&dev->ctx->pool, s);
		return st;
	}
	s->queue->dev = dev;
	s->queue->timeline = s->timeline;
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_t attr;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC); /* as clock_ns */
	pthread_cond_init(&s->left, &attr);
	pthread_condattr_destroy(&attr);
	pthread_mutex_lock(&dev->streams_lock);
	s->timeline->id = ++dev->last_id;
	struct qd_stream **at = &dev->streams;
	while (*at)
		at = &(*at)->next;
	*at = s;
	pthread_mutex_unlock(&dev->streams_lock);
	*out = s;
	return QD_OK;
}

/* Returns whether the status is the end of a launch rather than a failure of the stream. */
static bool
is_end(qd_status st)
{
	return st == QD_E_FINDING || st == QD_E_LIMIT || st == QD_E_CANCELED;
}

void
stream_free(struct qd_stream *s)
{
	struct qd_device *dev = s->dev;
	struct pool *pool = &dev->ctx->pool;
	struct qd_error err;
	bool done;
	if (!atomic_load(&dev->lost) && stream_sync(s, FOREVER, &done, &err) != QD_OK)
		ctx_log(dev->ctx, is_end(err.code) ? QD_LOG_DEBUG : QD_LOG_ERROR, "stream",
			"qd_stream_free: %s", err.text);
	/* Discards work that could not be submitted, so that no other thread submits it later
	 * (streams_kick). Submitted work must complete. */
	pthread_mutex_lock(&s->lock);
	s->state = NO_BATCH;
	uint64_t last = s->submitted;
	pthread_mutex_unlock(&s->lock);
	bool lost = atomic_load(&dev->lost) != NULL;
	if (!lost && timeline_pass(s->timeline, last, &err) == QD_OK) {
		/* Buffers and functions may have recorded uses by the discarded batch. */
		timeline_advance(s->timeline, last + 1);
	} else {
		if (!lost)
			ctx_log(dev->ctx, QD_LOG_ERROR, "stream", "qd_stream_free: %s", err.text);
		if (dev->driver->drain)
			dev->driver->drain(dev);
	}

	/* Its functions may be unloaded from here on. */
	if (s->timeline->watchdog)
		watchdog_end(s->timeline->watchdog);
	pthread_mutex_lock(&dev->streams_lock);
	struct qd_stream **at = &dev->streams;
	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	pthread_mutex_unlock(&dev->streams_lock);
	stream_forget(s);
	report_free(s);
	for (uint32_t i = 0; i < MAX_BATCH; i++)
		release_held(&s->batches[i]);
	for (uint32_t i = 0; i < s->n_waits; i++)
		timeline_unref(s->waits[i].timeline);
	dev->driver->queue_free(s->queue);
	if (s->ring.size)
		dev->driver->memory_free(dev, &s->ring.memory);
	timeline_unref(s->timeline);
	pthread_mutex_destroy(&s->lock);
	pthread_cond_destroy(&s->left);
	pool_delete(pool, s);
}
