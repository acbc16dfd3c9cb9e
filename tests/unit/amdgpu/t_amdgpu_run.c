/* The amdgpu driver at work on the fake: recording, retries, threads, memory, events, forks. */
#include "t_amdgpu.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stream.h"

enum { WORDS = 64 };

struct qd_buffer *
amdgpu_buffer(struct unit_ctx *t, struct amdgpu_rig *r, size_t size)
{
	struct qd_buffer *buf = NULL;
	AMDGPU_GOOD(t, r, qd_buffer_create(r->dev, size, 0, &buf, &r->e));
	return buf;
}

qd_status
amdgpu_inc(struct qd_stream *s, struct qd_function *fn, struct qd_buffer *buf, uint32_t n,
	   struct qd_error *err)
{
	struct qd_arg arg = qd_arg_buffer(buf);
	return qd_launch(s, fn, n, &arg, 1, err);
}

uint32_t
amdgpu_count_other(const uint32_t *p, uint32_t n, uint32_t want)
{
	uint32_t other = 0;
	for (uint32_t i = 0; i < n; i++)
		other += p[i] != want;
	return other;
}

/* -- Recording ------------------------------------------------------------------------- */

/* Queue without a stream. Its batches are inspected, but never run. */
struct desk {
	struct amdgpu_rig r;
	struct timeline *t;
	struct queue *q;
	struct qd_buffer *bufs[4];
	char args[256];
};

static bool
desk_open(struct unit_ctx *t, struct desk *d, const char *config)
{
	if (!amdgpu_rig_open(t, &d->r, config))
		return false;
	const struct driver *drv = d->r.dev->driver;
	AMDGPU_GOOD(t, &d->r, drv->timeline_create(d->r.dev, &d->t, &d->r.e));
	d->t->dev = d->r.dev;
	AMDGPU_GOOD(t, &d->r, drv->queue_create(d->r.dev, d->t, &d->q, &d->r.e));
	d->q->dev = d->r.dev;
	d->q->timeline = d->t;
	for (unsigned i = 0; i < QD_COUNT(d->bufs); i++)
		d->bufs[i] = amdgpu_buffer(t, &d->r, 1024);
	return true;
}

static void
desk_close(struct unit_ctx *t, struct desk *d)
{
	for (unsigned i = 0; i < QD_COUNT(d->bufs); i++)
		qd_buffer_free(d->bufs[i]);
	d->r.dev->driver->queue_free(d->q);
	d->r.dev->driver->timeline_free(d->t);
	amdgpu_rig_end(t, &d->r);
}

static void
put_inc(struct unit_ctx *t, struct desk *d, unsigned buf, uint32_t from)
{
	struct qd_buffer *const b = d->bufs[buf];
	uint64_t elements = 1, at[2] = { b->memory.addr + 4 * from, elements };
	struct launch l = { .fn = d->r.fn,
			    .n_blocks = 1,
			    .args = d->args,
			    .bits = &elements,
			    .bufs = &b,
			    .n_params = 1 };
	struct dispatch p = { .launch = &l, .x = 1, .y = 1, .args = d->args, .args_addr = 0x10000 };
	memcpy(d->args, at, sizeof at);
	AMDGPU_GOOD(t, &d->r, d->r.dev->driver->dispatch(d->q, &p, &d->r.e));
}

static uint32_t
count_packets(const struct desk *d, enum pm4_packet_id id)
{
	const struct kgd_queue *q = (const struct kgd_queue *)d->q;
	const struct kgd_chunk *c = q->batch->last;
	struct pm4_read p;
	uint32_t n = 0;
	for (uint32_t at = 0; pm4_next(kgd_piece_host(c->piece), q->stream.n, &at, &p);)
		n += p.packet == &pm4_packets[id];
	return n;
}

/* Checks that a batch begins with one wait, and that only commands that share memory wait for each
 * other. */
void
t_amdgpu_order(struct unit_ctx *t)
{
	static const struct {
		const char *what;
		int buf[4]; /* buffers to increment; -1 ends the list */
		uint32_t waits;
	} rows[] = {
		{ "one", { 0, -1, 0, 0 }, 0 },
		{ "others", { 0, 1, 2, 3 }, 0 },
		{ "the same", { 0, 0, 0, 0 }, 3 },
		{ "the first again", { 0, 1, 2, 0 }, 1 },
		{ "each again", { 0, 1, 0, 1 }, 1 }, /* one wait covers both */
	};
	struct desk d;
	if (!desk_open(t, &d, "gpu=gfx1100"))
		return;
	const struct driver *drv = d.r.dev->driver;
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		AMDGPU_GOOD(t, &d.r, drv->begin(d.q, (uint32_t)i % MAX_BATCH, &d.r.e));
		for (int k = 0; k < 4 && rows[i].buf[k] >= 0; k++)
			put_inc(t, &d, (unsigned)rows[i].buf[k], 0);
		uint32_t n = count_packets(&d, PM4_PKT_EVENT_WRITE), caches = count_packets(&d, PM4_PKT_ACQUIRE_MEM);
		UNIT_CHECK(t, n == 1 + rows[i].waits && caches == n, "%s: %u waits, %u times caches",
			   rows[i].what, n, caches);
	}
	/* A copy reads one buffer and writes another. */
	AMDGPU_GOOD(t, &d.r, drv->begin(d.q, 0, &d.r.e));
	drv->copy(d.q, &d.bufs[0]->memory, 0, &d.bufs[1]->memory, 0, 256);
	drv->copy(d.q, &d.bufs[2]->memory, 0, &d.bufs[1]->memory, 0, 256);
	uint32_t n = count_packets(&d, PM4_PKT_EVENT_WRITE);
	UNIT_CHECK(t, n == 1, "two copies of one buffer: %u waits", n);
	drv->copy(d.q, &d.bufs[3]->memory, 0, &d.bufs[2]->memory, 128, 8);
	n = count_packets(&d, PM4_PKT_EVENT_WRITE);
	UNIT_CHECK(t, n == 2, "a copy of copied data: %u waits", n);
	drv->fill(d.q, &d.bufs[1]->memory, 256, 256, 7);
	n = count_packets(&d, PM4_PKT_EVENT_WRITE);
	UNIT_CHECK(t, n == 2, "a fill after these copies: %u waits", n);
	/* With more uses than the driver tracks, it waits for all of them. */
	for (uint32_t i = 0; i < KGD_MAX_USES; i++)
		put_inc(t, &d, 3, 64 + i);
	n = count_packets(&d, PM4_PKT_EVENT_WRITE);
	UNIT_CHECK(t, n == 3, "many: %u waits", n);
	desk_close(t, &d);
}

/* Checks that a batch of thousands of small copies has more than one stream. */
void
t_amdgpu_many(struct unit_ctx *t)
{
	enum { N = 1500 };
	struct amdgpu_rig r;
	static uint32_t got[N];
	if (!amdgpu_rig_open(t, &r, "gpu=gfx1100 delays=0"))
		return;
	struct qd_buffer *buf = amdgpu_buffer(t, &r, sizeof got);
	struct qd_stream *other = NULL;
	struct qd_event *e = NULL;
	/* A batch that waits for another stream is not submitted before a call needs it. */
	AMDGPU_GOOD(t, &r, qd_stream_create(r.dev, &other, &r.e));
	AMDGPU_GOOD(t, &r, unit_event(r.dev, other, &e, &r.e));
	AMDGPU_GOOD(t, &r, qd_stream_wait(r.stream, e, &r.e));
	const struct driver *drv = r.dev->driver;
	struct qd_stream *s = r.stream;
	AMDGPU_GOOD(t, &r, stream_enter(s, &r.e));
	for (uint32_t i = 0; i < N; i++) {
		AMDGPU_GOOD(t, &r, stream_open(s, 64, &r.e));
		uint32_t at = ring_take(s, 4, NULL, s->ticket);
		memcpy(s->ring.memory.host + at, &i, 4);
		drv->copy(s->queue, &buf->memory, 4 * i, &s->ring.memory, at, 4);
	}
	const struct kgd_queue *q = (const struct kgd_queue *)s->queue;
	uint32_t n = q->batch->n_chunks;
	stream_leave(s);
	AMDGPU_GOOD(t, &r, qd_stream_sync(s, &r.e));
	AMDGPU_GOOD(t, &r, qd_buffer_download(s, buf, 0, got, sizeof got, &r.e));
	uint32_t bad = 0;
	for (uint32_t i = 0; i < N; i++)
		bad += got[i] != i;
	UNIT_CHECK(t, n > 2 && bad == 0, "%u streams, %u words are wrong", n, bad);
	qd_event_free(e);
	qd_stream_free(other);
	qd_buffer_free(buf);
	amdgpu_rig_end(t, &r);
}

/* Checks that repeated launches allocate no memory from host or kernel, and that each batch is one
 * submission. */
void
t_amdgpu_warm(struct unit_ctx *t)
{
	struct amdgpu_rig r;
	uint32_t got[WORDS];
	const char *times = getenv("QD_TEST_ITERATIONS");
	uint32_t n = times && *times ? (uint32_t)strtoul(times, NULL, 10) : 1000, warm = 1200;
	if (!amdgpu_rig_open(t, &r, "gpu=gfx1100 delays=0"))
		return;
	struct qd_buffer *buf = amdgpu_buffer(t, &r, sizeof got);
	for (uint32_t i = 0; i < warm; i++)
		AMDGPU_GOOD(t, &r, amdgpu_inc(r.stream, r.fn, buf, 1, &r.e));
	AMDGPU_GOOD(t, &r, qd_stream_sync(r.stream, &r.e));
	const struct amdgpu_fake *f = amdgpu_fake();
	size_t calls = r.alloc.n_calls;
	unsigned bos = f->calls("amdgpu_bo_alloc"), lists = f->calls("amdgpu_bo_list_create");
	unsigned submits = f->calls("amdgpu_cs_submit");
	uint64_t value = r.stream->submitted;
	for (uint32_t i = 0; i < n; i++)
		AMDGPU_GOOD(t, &r, amdgpu_inc(r.stream, r.fn, buf, 1, &r.e));
	AMDGPU_GOOD(t, &r, qd_stream_sync(r.stream, &r.e));
	UNIT_CHECK(t, r.alloc.n_calls == calls, "%zu allocations", r.alloc.n_calls - calls);
	UNIT_CHECK(t, f->calls("amdgpu_bo_alloc") == bos && f->calls("amdgpu_bo_list_create") == lists,
		   "%u buffers, %u lists", f->calls("amdgpu_bo_alloc") - bos,
		   f->calls("amdgpu_bo_list_create") - lists);
	submits = f->calls("amdgpu_cs_submit") - submits;
	UNIT_CHECK(t, submits == r.stream->submitted - value && submits <= n, "%u submissions of %llu batches",
		   submits, (unsigned long long)(r.stream->submitted - value));
	AMDGPU_GOOD(t, &r, qd_buffer_download(r.stream, buf, 0, got, sizeof got, &r.e));
	UNIT_CHECK(t, got[0] == n + warm, "got[0] is %u", got[0]);
	qd_buffer_free(buf);
	amdgpu_rig_end(t, &r);
}

/* -- Retries ------------------------------------------------------------------------ */

/* Checks that a submission that fails for lack of memory is retried silently. Another failure is
 * reported once, and the work is retried. Every launch must run once. */
void
t_amdgpu_retry(struct unit_ctx *t)
{
	static const struct {
		const char *fail;
		uint32_t reported;
	} rows[] = { { "amdgpu_cs_submit:1:12", 0 }, { "amdgpu_cs_submit:3:12", 0 },
		     { "amdgpu_cs_submit:1:22", 1 }, { "amdgpu_cs_submit:2:22", 1 },
		     { "amdgpu_bo_list_create:1:12", 1 } };
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		struct amdgpu_rig r;
		char config[64];
		uint32_t got[WORDS], n_failed = 0, n_run = 0;
		if (!amdgpu_rig_open(t, &r, "gpu=gfx1030 vram=16"))
			return;
		struct qd_buffer *buf = amdgpu_buffer(t, &r, sizeof got);
		AMDGPU_GOOD(t, &r, amdgpu_inc(r.stream, r.fn, buf, WORDS, &r.e));
		AMDGPU_GOOD(t, &r, qd_stream_sync(r.stream, &r.e));
		struct qd_buffer *more = amdgpu_buffer(t, &r, 5 << 18); /* own block, so another list */
		/* The fake may be configured only when no work is in flight. */
		AMDGPU_GOOD(t, &r, qd_buffer_download(r.stream, more, 0, got, sizeof got, &r.e));
		snprintf(config, sizeof config, "gpu=gfx1030 vram=16 fail=%s", rows[i].fail);
		amdgpu_fake()->set(config);
		for (int j = 0; j < 7; j++)
			n_run += amdgpu_inc(r.stream, r.fn, buf, WORDS, &r.e) == QD_OK;
		n_failed += 7 - n_run;
		for (int j = 0; j < 3 && qd_stream_sync(r.stream, &r.e) != QD_OK; j++)
			n_failed++;
		qd_status st = QD_E_BUSY;
		while (st != QD_OK && n_failed < 9) {
			st = qd_buffer_download(r.stream, buf, 0, got, sizeof got, &r.e);
			n_failed += st != QD_OK;
		}
		UNIT_CHECK(t, n_failed <= rows[i].reported && amdgpu_count_other(got, WORDS, n_run + 1) == 0,
			   "%s: %u calls failed, got[0] is %u: %s", rows[i].fail, n_failed, got[0], r.e.text);
		qd_buffer_free(more);
		qd_buffer_free(buf);
		amdgpu_rig_end(t, &r);
	}
}

/* -- Threads ------------------------------------------------------------------------ */

enum { THREADS = 8, ROUNDS = 12 };

struct worker {
	struct amdgpu_rig *r;
	uint32_t number, wrong;
	struct qd_error e;
};

static void *
work(void *user)
{
	struct worker *w = user;
	struct qd_stream *s = NULL;
	struct qd_buffer *buf = NULL;
	struct qd_function *fn = NULL;
	uint32_t up[WORDS], got[WORDS];
	w->wrong += qd_stream_create(w->r->dev, &s, &w->e) != QD_OK;
	w->wrong += qd_function_get(w->r->dev, w->r->inc, NULL, 0, &fn, &w->e) != QD_OK;
	for (uint32_t i = 0; i < ROUNDS && !w->wrong; i++) {
		for (uint32_t j = 0; j < WORDS; j++)
			up[j] = 1000 * w->number + i;
		w->wrong += qd_buffer_create(w->r->dev, sizeof up, 0, &buf, &w->e) != QD_OK;
		w->wrong += qd_buffer_upload(s, buf, 0, up, sizeof up, &w->e) != QD_OK;
		for (uint32_t j = 0; j < i && !w->wrong; j++)
			w->wrong += amdgpu_inc(s, fn, buf, WORDS, &w->e) != QD_OK;
		w->wrong += qd_buffer_download(s, buf, 0, got, sizeof got, &w->e) != QD_OK;
		w->wrong += amdgpu_count_other(got, WORDS, 1000 * w->number + 2 * i);
		qd_buffer_free(buf);
		buf = NULL;
	}
	qd_function_free(fn);
	qd_stream_free(s);
	return NULL;
}

/* Runs each thread on its own stream. */
void
t_amdgpu_threads(struct unit_ctx *t)
{
	struct amdgpu_rig r;
	struct worker w[THREADS];
	pthread_t threads[THREADS];
	if (!amdgpu_rig_open(t, &r, "gpu=gfx1100"))
		return;
	for (uint32_t i = 0; i < THREADS; i++) {
		w[i] = (struct worker){ .r = &r, .number = i };
		if (pthread_create(&threads[i], NULL, work, &w[i]))
			abort();
	}
	for (uint32_t i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		UNIT_CHECK(t, w[i].wrong == 0, "thread %u: %u wrong: %s", i, w[i].wrong, w[i].e.text);
	}
	amdgpu_rig_end(t, &r);
}

/* -- Memory ------------------------------------------------------------------------- */

/* Allocates until memory is exhausted. Freed buffers, in use or not, must be available again. */
void
t_amdgpu_memory(struct unit_ctx *t)
{
	enum { SIZE = 3 << 19, MAX = 24 };
	struct amdgpu_rig r;
	struct qd_buffer *bufs[MAX] = { NULL };
	uint32_t n = 0;
	if (!amdgpu_rig_open(t, &r, "gpu=gfx1100 vram=16 delays=0"))
		return;
	qd_status st = QD_OK;
	while (n < MAX - 1 && (st = qd_buffer_create(r.dev, SIZE, 0, &bufs[n], &r.e)) == QD_OK)
		n++;
	UNIT_CHECK(t, n >= 7 && n <= 10 && st == QD_E_DEVICE_NOMEM &&
			      strstr(r.e.text, "no room for 1572864 bytes: amdgpu_bo_alloc failed: ENOMEM (-12)"),
		   "%u buffers, %s: %s", n, qd_status_name(st), r.e.text);
	st = qd_buffer_create(r.dev, (size_t)1 << 40, 0, &bufs[MAX - 1], &r.e);
	UNIT_CHECK(t, st == QD_E_LIMIT && strstr(r.e.text, "the device supports 16515072 at most"), "%s: %s",
		   qd_status_name(st), r.e.text);
	for (uint32_t i = 0; i < n; i++) {
		AMDGPU_GOOD(t, &r, amdgpu_inc(r.stream, r.fn, bufs[i], WORDS, &r.e));
		qd_buffer_free(bufs[i]);
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t got[WORDS];
		bufs[i] = amdgpu_buffer(t, &r, SIZE);
		AMDGPU_GOOD(t, &r, qd_buffer_download(r.stream, bufs[i], 0, got, sizeof got, &r.e));
		UNIT_CHECK(t, amdgpu_count_other(got, WORDS, 0) == 0, "not zero: %u", got[0]);
	}
	for (uint32_t i = 0; i < n; i++)
		qd_buffer_free(bufs[i]);
	AMDGPU_GOOD(t, &r, qd_stream_sync(r.stream, &r.e));
	AMDGPU_GOOD(t, &r, qd_context_trim(r.ctx, &r.e));
	amdgpu_rig_end(t, &r);
}

/* -- Events ------------------------------------------------------------------------- */

void
t_amdgpu_events(struct unit_ctx *t)
{
	struct amdgpu_rig r;
	struct qd_event *a = NULL, *b = NULL;
	uint64_t ns = 0;
	if (!amdgpu_rig_open(t, &r, "gpu=gfx1100"))
		return;
	struct qd_buffer *buf = amdgpu_buffer(t, &r, 4 * WORDS);
	AMDGPU_GOOD(t, &r, unit_event(r.dev, r.stream, &a, &r.e));
	for (int i = 0; i < 20; i++)
		AMDGPU_GOOD(t, &r, amdgpu_inc(r.stream, r.fn, buf, WORDS, &r.e));
	AMDGPU_GOOD(t, &r, unit_event(r.dev, r.stream, &b, &r.e));
	AMDGPU_GOOD(t, &r, qd_stream_sync(r.stream, &r.e));
	AMDGPU_GOOD(t, &r, qd_event_elapsed(a, b, &ns, &r.e));
	UNIT_CHECK(t, ns > 0 && ns < UINT64_C(60000000000), "%llu ns", (unsigned long long)ns);
	AMDGPU_GOOD(t, &r, qd_event_elapsed(a, a, &ns, &r.e));
	UNIT_CHECK(t, ns == 0, "%llu ns from one to itself", (unsigned long long)ns);
	qd_status st = qd_event_elapsed(b, a, &ns, &r.e);
	UNIT_CHECK(t, st == QD_E_INVALID && strstr(r.e.text, "swap them"), "%s: %s", qd_status_name(st),
		   r.e.text);
	/* Free events before their batch is submitted or complete. */
	for (int i = 0; i < 20; i++) {
		struct qd_event *e = NULL;
		AMDGPU_GOOD(t, &r, amdgpu_inc(r.stream, r.fn, buf, WORDS, &r.e));
		AMDGPU_GOOD(t, &r, unit_event(r.dev, r.stream, &e, &r.e));
		qd_event_free(e);
	}
	AMDGPU_GOOD(t, &r, qd_event_elapsed(a, b, &ns, &r.e));
	qd_event_free(a);
	qd_event_free(b);
	qd_buffer_free(buf);
	amdgpu_rig_end(t, &r);
}

/* -- Forks -------------------------------------------------------------------------- */

static int
in_child(struct amdgpu_rig *r, struct qd_buffer *buf)
{
	struct qd_context *ctx = NULL;
	struct qd_device *dev = NULL;
	struct qd_context_desc desc = { .version = QD_VERSION };
	alarm(60);
	if (amdgpu_inc(r->stream, r->fn, buf, 1, &r->e) != QD_E_FORKED)
		return 1;
	qd_buffer_free(buf);
	amdgpu_rig_shut(r);
	if (qd_context_create(&desc, &ctx, &r->e))
		return 2;
	if (qd_device_open(ctx, "amdgpu", &dev, &r->e) != QD_E_FORKED ||
	    !strstr(r->e.text, "had an amdgpu device open when it forked"))
		return 3;
	if (qd_device_open(ctx, "ref:8", &dev, &r->e))
		return 4;
	qd_device_close(dev);
	qd_context_free(ctx);
	return 0;
}

/* Checks that the child of a process with an open device is rejected, and that the parent
 * continues. */
void
t_amdgpu_fork(struct unit_ctx *t)
{
	struct amdgpu_rig r;
	uint32_t got[WORDS];
	int status = -1;
	if (!amdgpu_rig_open(t, &r, "gpu=gfx1100"))
		return;
	struct qd_buffer *buf = amdgpu_buffer(t, &r, sizeof got);
	AMDGPU_GOOD(t, &r, amdgpu_inc(r.stream, r.fn, buf, WORDS, &r.e));
	pid_t pid = fork();
	if (pid == 0)
		_exit(in_child(&r, buf));
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		abort();
	UNIT_CHECK(t, WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child: %s %d",
		   WIFEXITED(status) ? "step" : "signal",
		   WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	AMDGPU_GOOD(t, &r, qd_buffer_download(r.stream, buf, 0, got, sizeof got, &r.e));
	UNIT_CHECK(t, amdgpu_count_other(got, WORDS, 1) == 0, "got[0] is %u", got[0]);
	qd_buffer_free(buf);
	amdgpu_rig_end(t, &r);
}
