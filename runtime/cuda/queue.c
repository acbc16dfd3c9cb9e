/* Queues: a queue is a CUDA stream, and a timeline is a ring of events, one for each batch that may
 * be in flight.
 *
 * cuLaunchKernel is a submission by itself, so commands are submitted as they are recorded
 * (cuda_start), between one cuCtxPushCurrent and cuCtxPopCurrent. The batch's event is recorded
 * when the batch is submitted. Consecutive launches therefore cost three calls each and three per
 * batch, without a query whether the device is idle. Commands are stored until they are submitted.
 * If that fails, the next attempt continues with the rest. A batch that cannot be submitted has no
 * event, so the call waits for the commands that the driver has accepted. */
#include <time.h>

#include "cuda_internal.h"

/* -- Timelines ---------------------------------------------------------------------- */

struct cuda_timeline {
	struct timeline base;
	pthread_mutex_t lock;
	uint64_t last; /* last submitted value */
	/* The event of value v is at v % MAX_BATCH. It is recorded again when v has passed. */
	struct CUevent_st *events[MAX_BATCH];
};

static struct cuda_timeline *
timeline_of(struct timeline *t)
{
	return (struct cuda_timeline *)t;
}

static struct cuda_device *
device_of(const struct timeline *t)
{
	return cuda_device_of(t->dev);
}

static void
destroy_timeline(struct cuda_device *dev, struct cuda_timeline *t)
{
	if (t->events[0] && cuda_enter(dev, QD_IGNORE_ERROR) == QD_OK) {
		for (uint32_t i = 0; i < MAX_BATCH && t->events[i]; i++)
			CUDA_DROP(dev, cuEventDestroy, t->events[i]);
		cuda_leave(dev);
	}
	pthread_mutex_destroy(&t->lock);
	pool_delete(&dev->base.ctx->pool, t);
}

qd_status
cuda_timeline_create(struct qd_device *base, struct timeline **out, struct qd_error *err)
{
	struct cuda_device *dev = cuda_device_of(base);
	struct cuda_timeline *t = pool_new(&base->ctx->pool, sizeof *t);
	if (!t)
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	pthread_mutex_init(&t->lock, NULL);
	int r = CUDA_OK;
	qd_status st = cuda_enter(dev, err);
	if (st == QD_OK) {
		for (uint32_t i = 0; i < MAX_BATCH && r == CUDA_OK; i++) {
			struct CUevent_st *e;
			r = dev->cu->cuEventCreate(
				&e, CUDA_EVENT_BLOCKING_SYNC | CUDA_EVENT_DISABLE_TIMING);
			t->events[i] = r == CUDA_OK ? e : NULL;
		}
		cuda_leave(dev);
		if (r != CUDA_OK)
			st = cuda_fail(dev, err, r, "cuEventCreate");
	}
	if (st == QD_OK)
		*out = &t->base;
	else
		destroy_timeline(dev, t);
	return st;
}

void
cuda_timeline_free(struct timeline *t)
{
	destroy_timeline(device_of(t), timeline_of(t));
}

/* Returns the event of the oldest batch that is not known to have passed, or NULL. Requires the
 * lock. */
static struct CUevent_st *
oldest(const struct cuda_timeline *t, uint64_t *value)
{
	*value = atomic_load(&t->base.done) + 1;
	return *value <= t->last ? t->events[*value % MAX_BATCH] : NULL;
}

/* Called between cuda_enter and cuda_leave. */
static qd_status
poll_entered(struct cuda_timeline *t, struct qd_error *err)
{
	struct cuda_device *dev = device_of(&t->base);
	struct CUevent_st *e;
	uint64_t value;
	int r = CUDA_OK;
	pthread_mutex_lock(&t->lock);
	while (r == CUDA_OK && (e = oldest(t, &value))) {
		r = dev->cu->cuEventQuery(e);
		if (r == CUDA_OK)
			timeline_advance(&t->base, value);
	}
	pthread_mutex_unlock(&t->lock);
	return r == CUDA_OK || r == CUDA_NOT_READY ? QD_OK : cuda_fail(dev, err, r, "cuEventQuery");
}

qd_status
cuda_poll(struct timeline *base, struct qd_error *err)
{
	struct cuda_device *dev = device_of(base);
	QD_TRY(cuda_enter(dev, err));
	qd_status st = poll_entered(timeline_of(base), err);
	cuda_leave(dev);
	return st;
}

/* Sleeps until the value's batch has passed. Called between cuda_enter and cuda_leave. */
static qd_status
block(struct cuda_timeline *t, uint64_t value, struct qd_error *err)
{
	struct cuda_device *dev = device_of(&t->base);
	pthread_mutex_lock(&t->lock);
	bool there = value <= t->last && value + MAX_BATCH > t->last;
	bool passed = value + MAX_BATCH <= t->last;
	struct CUevent_st *e = there ? t->events[value % MAX_BATCH] : NULL;
	pthread_mutex_unlock(&t->lock);
	if (passed)
		timeline_advance(&t->base, value);
	if (!e)
		return QD_OK;
	int r = dev->cu->cuEventSynchronize(e);
	if (r != CUDA_OK)
		return cuda_fail(dev, err, r, "cuEventSynchronize");
	timeline_advance(&t->base, value);
	return QD_OK;
}

/* The driver wakes a thread tens of microseconds late, so the thread polls for LOOK_NS first. */
enum { LOOK_NS = 50000, NAP_NS = 50000 };

static qd_status
wait_entered(struct cuda_timeline *t, uint64_t value, uint64_t ns, struct qd_error *err)
{
	struct timeline *base = &t->base;
	uint64_t from = clock_ns();
	for (;;) {
		QD_TRY(poll_entered(t, err));
		uint64_t past = clock_ns() - from;
		if (atomic_load(&base->done) >= value || past >= ns)
			return QD_OK;
		if (past < LOOK_NS)
			continue;
		if (ns == FOREVER)
			QD_TRY(block(t, value, err));
		if (atomic_load(&base->done) >= value)
			return QD_OK;
		struct timespec nap = { 0, ns - past < NAP_NS ? (long)(ns - past) : NAP_NS };
		nanosleep(&nap, NULL);
	}
}

qd_status
cuda_wait(struct timeline *base, uint64_t value, uint64_t ns, struct qd_error *err)
{
	struct cuda_device *dev = device_of(base);
	QD_TRY(cuda_enter(dev, err));
	qd_status st = wait_entered(timeline_of(base), value, ns, err);
	cuda_leave(dev);
	return st;
}

void
cuda_drain(struct qd_device *base)
{
	struct cuda_device *dev = cuda_device_of(base);
	if (cuda_enter(dev, QD_IGNORE_ERROR))
		return;
	/* On a lost device, this returns an error when the device has dropped its work. */
	dev->cu->cuCtxSynchronize();
	cuda_leave(dev);
}

/* -- Batches ------------------------------------------------------------------------ */

struct command {
	enum { COPY, FILL, DISPATCH, TIMESTAMP } what;
	uint32_t size; /* size of the arguments that follow, a multiple of 8 */
	uint64_t dst;
	union {
		struct {
			uint64_t src, n;
		} copy;
		struct {
			uint64_t n;
			uint32_t word;
		} fill;
		struct {
			const struct cuda_function *fn;
			uint32_t x, y, n_args;
		} dispatch;
		struct cuda_timestamp *timestamp;
	} u;
};

struct cuda_queue {
	struct queue base;
	struct CUstream_st *stream;
	struct buf commands; /* of the batch being recorded */
	size_t given;	     /* bytes of commands submitted to the driver */
	uint32_t n_waits;    /* waits of the batch submitted to the driver */
};

static struct cuda_queue *
queue_of(struct queue *q)
{
	return (struct cuda_queue *)q;
}

static struct cuda_device *
device(const struct cuda_queue *q)
{
	return cuda_device_of(q->base.dev);
}

static struct command *
command_at(struct cuda_queue *q, size_t at)
{
	return (struct command *)(void *)(buf_data(&q->commands) + at);
}

/* Drops recorded commands that are not submitted. */
static void
empty_batch(struct cuda_queue *q)
{
	while (q->given < q->commands.len) {
		const struct command *c = command_at(q, q->given);
		if (c->what == TIMESTAMP)
			cuda_timestamp_unref(device(q), c->u.timestamp);
		q->given += sizeof *c + c->size;
	}
	q->commands.len = 0;
	q->commands.nomem = false;
	q->given = 0;
	q->n_waits = 0;
}

qd_status
cuda_queue_create(struct qd_device *base, struct timeline *t, struct queue **out,
		  struct qd_error *err)
{
	struct cuda_device *dev = cuda_device_of(base);
	struct cuda_queue *q = pool_new(&base->ctx->pool, sizeof *q);
	(void)t;
	if (!q)
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	buf_init(&q->commands, &base->ctx->pool);
	qd_status st = cuda_enter(dev, err);
	if (st == QD_OK) {
		int r = dev->cu->cuStreamCreate(&q->stream, CUDA_STREAM_NON_BLOCKING);
		cuda_leave(dev);
		if (r != CUDA_OK)
			st = cuda_fail(dev, err, r, "cuStreamCreate");
	}
	if (st == QD_OK)
		*out = &q->base;
	else
		pool_delete(&base->ctx->pool, q);
	return st;
}

void
cuda_queue_free(struct queue *base)
{
	struct cuda_queue *q = queue_of(base);
	struct cuda_device *dev = device(q);
	empty_batch(q);
	buf_fini(&q->commands);
	if (cuda_enter(dev, QD_IGNORE_ERROR) == QD_OK) {
		CUDA_DROP(dev, cuStreamDestroy, q->stream);
		cuda_leave(dev);
	}
	pool_delete(&dev->base.ctx->pool, q);
}

qd_status
cuda_begin(struct queue *base, uint32_t at, struct qd_error *err)
{
	enum { ROOM = 4096 };
	struct cuda_queue *q = queue_of(base);
	(void)at;
	empty_batch(q);
	/* Makes room, so that commands that cannot report errors rarely need memory. */
	if (!buf_extend(&q->commands, ROOM)) {
		q->commands.nomem = false;
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	}
	q->commands.len = 0;
	return QD_OK;
}

void
cuda_copy(struct queue *base, const struct device_memory *dst, uint64_t to,
	  const struct device_memory *src, uint64_t from, uint64_t size)
{
	struct command c = {
		.what = COPY,
		.dst = dst->addr + to,
		.u.copy = { .src = src->addr + from, .n = size },
	};
	buf_put(&queue_of(base)->commands, &c, sizeof c);
}

void
cuda_fill(struct queue *base, const struct device_memory *dst, uint64_t to, uint64_t size,
	  uint32_t word)
{
	struct command c = {
		.what = FILL,
		.dst = dst->addr + to,
		.u.fill = { .n = size / 4, .word = word },
	};
	buf_put(&queue_of(base)->commands, &c, sizeof c);
}

qd_status
cuda_dispatch(struct queue *base, const struct dispatch *d, struct qd_error *err)
{
	struct cuda_queue *q = queue_of(base);
	const struct cuda_function *fn = (const struct cuda_function *)d->launch->fn;
	bool by_address = fn->base.args_in_memory;
	uint32_t n = by_address ? (uint32_t)sizeof d->args_addr : d->launch->args_size;
	struct command c = {
		.what = DISPATCH,
		.size = (n + 7) & ~7u,
		.u.dispatch = { .fn = fn, .x = d->x, .y = d->y, .n_args = n },
	};
	char *at = buf_extend(&q->commands, sizeof c + c.size);
	if (!at) {
		q->commands.nomem = false;
		return qd_fail(err, QD_E_NOMEM, "a launch: out of memory");
	}
	memcpy(at, &c, sizeof c);
	memcpy(at + sizeof c, by_address ? (const void *)&d->args_addr : d->args, n);
	return QD_OK;
}

void
cuda_put_timestamp(struct queue *base, const struct timestamp *s)
{
	struct cuda_queue *q = queue_of(base);
	struct command c = { .what = TIMESTAMP, .u.timestamp = s->pool };
	buf_put(&q->commands, &c, sizeof c);
	if (!q->commands.nomem)
		atomic_fetch_add(&c.u.timestamp->refs, 1);
}

/* -- Submission --------------------------------------------------------------------- */

static qd_status
give_dispatch(struct cuda_queue *q, const struct command *c, struct qd_error *err)
{
	struct cuda_device *dev = device(q);
	const struct cuda_function *fn = c->u.dispatch.fn;
	const struct isa_meta *meta = &cuda_function_image(fn)->meta;
	size_t n_args = c->u.dispatch.n_args;
	const void *args = c + 1;
	void *extra[] = { CUDA_LAUNCH_BUFFER, NULL, CUDA_LAUNCH_SIZE, &n_args, CUDA_LAUNCH_END };
	memcpy(&extra[1], &args, sizeof args);
	CUDA_TRY(dev, err, cuLaunchKernel, fn->fn, c->u.dispatch.x, c->u.dispatch.y, 1,
		 meta->local_size, 1, 1, 0, q->stream, NULL, extra);
	return QD_OK;
}

static qd_status
give(struct cuda_queue *q, const struct command *c, struct qd_error *err)
{
	struct cuda_device *dev = device(q);
	switch (c->what) {
	case COPY:
		CUDA_TRY(dev, err, cuMemcpyAsync, c->dst, c->u.copy.src, c->u.copy.n, q->stream);
		return QD_OK;
	case FILL:
		CUDA_TRY(dev, err, cuMemsetD32Async, c->dst, c->u.fill.word, c->u.fill.n, q->stream);
		return QD_OK;
	case TIMESTAMP:
		CUDA_TRY(dev, err, cuEventRecord, c->u.timestamp->event, q->stream);
		cuda_timestamp_unref(dev, c->u.timestamp);
		return QD_OK;
	case DISPATCH:
		break;
	}
	return give_dispatch(q, c, err);
}

/* Waits for a value of another timeline. If that has passed long ago, its event may have been
 * recorded again. */
static qd_status
give_wait(struct cuda_queue *q, const struct wait *w, struct qd_error *err)
{
	struct cuda_device *dev = device(q);
	struct cuda_timeline *t = timeline_of(w->timeline);
	int r = CUDA_OK;
	pthread_mutex_lock(&t->lock);
	if (atomic_load(&w->timeline->done) < w->value && w->value + MAX_BATCH > t->last)
		r = dev->cu->cuStreamWaitEvent(q->stream, t->events[w->value % MAX_BATCH], 0);
	pthread_mutex_unlock(&t->lock);
	return r == CUDA_OK ? QD_OK : cuda_fail(dev, err, r, "cuStreamWaitEvent");
}

/* Submits the waits and commands of the batch that the driver does not have yet. */
static qd_status
give_all(struct cuda_queue *q, const struct wait *waits, uint32_t n_waits, struct qd_error *err)
{
	for (; q->n_waits < n_waits; q->n_waits++)
		QD_TRY(give_wait(q, &waits[q->n_waits], err));
	while (q->given < q->commands.len) {
		const struct command *c = command_at(q, q->given);
		QD_TRY(give(q, c, err));
		q->given += sizeof *c + c->size;
	}
	return QD_OK;
}

static qd_status
record(struct cuda_queue *q, uint64_t value, struct qd_error *err)
{
	struct cuda_device *dev = device(q);
	struct cuda_timeline *t = timeline_of(q->base.timeline);
	pthread_mutex_lock(&t->lock);
	int r = dev->cu->cuEventRecord(t->events[value % MAX_BATCH], q->stream);
	if (r == CUDA_OK)
		t->last = value;
	pthread_mutex_unlock(&t->lock);
	return r == CUDA_OK ? QD_OK : cuda_fail(dev, err, r, "cuEventRecord");
}

qd_status
cuda_start(struct queue *base, const struct wait *waits, uint32_t n_waits, struct qd_error *err)
{
	struct cuda_queue *q = queue_of(base);
	/* cuda_finish reports commands that could not be recorded. */
	if (QD_UNLIKELY(q->commands.nomem))
		return QD_OK;
	QD_TRY(cuda_enter(device(q), err));
	qd_status st = give_all(q, waits, n_waits, err);
	cuda_leave(device(q));
	return st;
}

/* Waits for the submitted commands of a batch without an event. They must end before the memory
 * that they use is freed. */
static void
run_out(struct cuda_queue *q)
{
	if (q->given)
		device(q)->cu->cuStreamSynchronize(q->stream);
}

qd_status
cuda_finish(struct queue *base, uint64_t value, struct qd_error *err)
{
	struct cuda_queue *q = queue_of(base);
	(void)value;
	if (QD_LIKELY(!q->commands.nomem))
		return QD_OK;
	if (cuda_enter(device(q), QD_IGNORE_ERROR) == QD_OK) {
		run_out(q);
		cuda_leave(device(q));
	}
	return qd_fail(err, QD_E_NOMEM, "a command of a stream: out of memory");
}

qd_status
cuda_submit(struct queue *base, bool empty, const struct wait *waits, uint32_t n_waits,
	    uint64_t value, struct qd_error *err)
{
	struct cuda_queue *q = queue_of(base);
	struct cuda_device *dev = device(q);
	if (empty && q->commands.len)
		empty_batch(q);
	QD_TRY(cuda_enter(dev, err));
	qd_status st = give_all(q, waits, n_waits, err);
	if (st == QD_OK)
		st = record(q, value, err);
	if (QD_UNLIKELY(st != QD_OK))
		run_out(q);
	else
		q->n_waits = 0;
	cuda_leave(dev);
	return st;
}
