/* The amdgpu driver at work on the fake: recording, retries, threads, memory, events, forks. */
#include "t_amdgpu.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stream.h"

enum { WORDS = 64 };

/* -- Recording ------------------------------------------------------------------------- */

/* Queue without a stream. Its batches are inspected, but never run. */
struct desk {
	struct fake_rig r;
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
	RIG_GOOD(t, &d->r, drv->timeline_create(d->r.dev, &d->t, &d->r.e));
	d->t->dev = d->r.dev;
	RIG_GOOD(t, &d->r, drv->queue_create(d->r.dev, d->t, &d->q, &d->r.e));
	d->q->dev = d->r.dev;
	d->q->timeline = d->t;
	for (unsigned i = 0; i < QD_COUNT(d->bufs); i++)
		d->bufs[i] = fake_rig_buffer(t, &d->r, 1024);
	return true;
}

static void
desk_close(struct unit_ctx *t, struct desk *d)
{
	for (unsigned i = 0; i < QD_COUNT(d->bufs); i++)
		qd_buffer_free(d->bufs[i]);
	d->r.dev->driver->queue_free(d->q);
	d->r.dev->driver->timeline_free(d->t);
	fake_rig_end(t, &d->r);
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
	RIG_GOOD(t, &d->r, d->r.dev->driver->dispatch(d->q, &p, &d->r.e));
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
		RIG_GOOD(t, &d.r, drv->begin(d.q, (uint32_t)i % MAX_BATCH, &d.r.e));
		for (int k = 0; k < 4 && rows[i].buf[k] >= 0; k++)
			put_inc(t, &d, (unsigned)rows[i].buf[k], 0);
		uint32_t n = count_packets(&d, PM4_PKT_EVENT_WRITE), caches = count_packets(&d, PM4_PKT_ACQUIRE_MEM);
		UNIT_CHECK(t, n == 1 + rows[i].waits && caches == n, "%s: %u waits, %u times caches",
			   rows[i].what, n, caches);
	}
	/* A copy reads one buffer and writes another. */
	RIG_GOOD(t, &d.r, drv->begin(d.q, 0, &d.r.e));
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
	struct fake_rig r;
	static uint32_t got[N];
	if (!amdgpu_rig_open(t, &r, "gpu=gfx1100 delays=0"))
		return;
	struct qd_buffer *buf = fake_rig_buffer(t, &r, sizeof got);
	struct qd_stream *other = NULL;
	struct qd_event *e = NULL;
	/* A batch that waits for another stream is not submitted before a call needs it. */
	RIG_GOOD(t, &r, qd_stream_create(r.dev, &other, &r.e));
	RIG_GOOD(t, &r, unit_event(r.dev, other, &e, &r.e));
	RIG_GOOD(t, &r, qd_stream_wait(r.stream, e, &r.e));
	const struct driver *drv = r.dev->driver;
	struct qd_stream *s = r.stream;
	RIG_GOOD(t, &r, stream_enter(s, &r.e));
	for (uint32_t i = 0; i < N; i++) {
		RIG_GOOD(t, &r, stream_open(s, 64, &r.e));
		uint32_t at = ring_take(s, 4, NULL, s->ticket);
		memcpy(s->ring.memory.host + at, &i, 4);
		drv->copy(s->queue, &buf->memory, 4 * i, &s->ring.memory, at, 4);
	}
	const struct kgd_queue *q = (const struct kgd_queue *)s->queue;
	uint32_t n = q->batch->n_chunks;
	stream_leave(s);
	RIG_GOOD(t, &r, qd_stream_sync(s, &r.e));
	RIG_GOOD(t, &r, qd_buffer_download(s, buf, 0, got, sizeof got, &r.e));
	uint32_t bad = 0;
	for (uint32_t i = 0; i < N; i++)
		bad += got[i] != i;
	UNIT_CHECK(t, n > 2 && bad == 0, "%u streams, %u words are wrong", n, bad);
	qd_event_free(e);
	qd_stream_free(other);
	qd_buffer_free(buf);
	fake_rig_end(t, &r);
}

/* Checks that repeated launches allocate no memory from host or kernel, and that each batch is one
 * submission. */
void
t_amdgpu_warm(struct unit_ctx *t)
{
	struct fake_rig r;
	uint32_t got[WORDS];
	const char *times = getenv("QD_TEST_ITERATIONS");
	uint32_t n = times && *times ? (uint32_t)strtoul(times, NULL, 10) : 1000, warm = 1200;
	if (!amdgpu_rig_open(t, &r, "gpu=gfx1100 delays=0"))
		return;
	struct qd_buffer *buf = fake_rig_buffer(t, &r, sizeof got);
	for (uint32_t i = 0; i < warm; i++)
		RIG_GOOD(t, &r, fake_rig_inc(r.stream, r.fn, buf, 1, &r.e));
	RIG_GOOD(t, &r, qd_stream_sync(r.stream, &r.e));
	const struct amdgpu_fake *f = amdgpu_fake();
	size_t calls = r.alloc.n_calls;
	unsigned bos = f->calls("amdgpu_bo_alloc"), lists = f->calls("amdgpu_bo_list_create");
	unsigned submits = f->calls("amdgpu_cs_submit");
	uint64_t value = r.stream->submitted;
	for (uint32_t i = 0; i < n; i++)
		RIG_GOOD(t, &r, fake_rig_inc(r.stream, r.fn, buf, 1, &r.e));
	RIG_GOOD(t, &r, qd_stream_sync(r.stream, &r.e));
	UNIT_CHECK(t, r.alloc.n_calls == calls, "%zu allocations", r.alloc.n_calls - calls);
	UNIT_CHECK(t, f->calls("amdgpu_bo_alloc") == bos && f->calls("amdgpu_bo_list_create") == lists,
		   "%u buffers, %u lists", f->calls("amdgpu_bo_alloc") - bos,
		   f->calls("amdgpu_bo_list_create") - lists);
	submits = f->calls("amdgpu_cs_submit") - submits;
	UNIT_CHECK(t, submits == r.stream->submitted - value && submits <= n, "%u submissions of %llu batches",
		   submits, (unsigned long long)(r.stream->submitted - value));
	RIG_GOOD(t, &r, qd_buffer_download(r.stream, buf, 0, got, sizeof got, &r.e));
	UNIT_CHECK(t, got[0] == n + warm, "got[0] is %u", got[0]);
	qd_buffer_free(buf);
	fake_rig_end(t, &r);
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
		struct fake_rig r;
		char config[64];
		uint32_t got[WORDS], n_failed = 0, n_run = 0;
		if (!amdgpu_rig_open(t, &r, "gpu=gfx1030 vram=16"))
			return;
		struct qd_buffer *buf = fake_rig_buffer(t, &r, sizeof got);
		RIG_GOOD(t, &r, fake_rig_inc(r.stream, r.fn, buf, WORDS, &r.e));
		RIG_GOOD(t, &r, qd_stream_sync(r.stream, &r.e));
		struct qd_buffer *more = fake_rig_buffer(t, &r, 5 << 18); /* own block, so another list */
		/* The fake may be configured only when no work is in flight. */
		RIG_GOOD(t, &r, qd_buffer_download(r.stream, more, 0, got, sizeof got, &r.e));
		snprintf(config, sizeof config, "gpu=gfx1030 vram=16 fail=%s", rows[i].fail);
		amdgpu_fake()->set(config);
		for (int j = 0; j < 7; j++)
			n_run += fake_rig_inc(r.stream, r.fn, buf, WORDS, &r.e) == QD_OK;
		n_failed += 7 - n_run;
		for (int j = 0; j < 3 && qd_stream_sync(r.stream, &r.e) != QD_OK; j++)
			n_failed++;
		qd_status st = QD_E_BUSY;
		while (st != QD_OK && n_failed < 9) {
			st = qd_buffer_download(r.stream, buf, 0, got, sizeof got, &r.e);
			n_failed += st != QD_OK;
		}
		UNIT_CHECK(t, n_failed <= rows[i].reported && fake_rig_count_other(got, WORDS, n_run + 1) == 0,
			   "%s: %u calls failed, got[0] is %u: %s", rows[i].fail, n_failed, got[0], r.e.text);
		qd_buffer_free(more);
		qd_buffer_free(buf);
		fake_rig_end(t, &r);
	}
}

/* -- Threads ------------------------------------------------------------------------ */

void
t_amdgpu_threads(struct unit_ctx *t)
{
	struct fake_rig r;
	if (amdgpu_rig_open(t, &r, "gpu=gfx1100"))
		fake_rig_threads(t, &r);
}

/* -- Memory ------------------------------------------------------------------------- */

void
t_amdgpu_memory(struct unit_ctx *t)
{
	struct fake_rig r;
	if (amdgpu_rig_open(t, &r, "gpu=gfx1100 vram=16 delays=0"))
		fake_rig_memory(t, &r, 3 << 19, 7, 10, "no room for 1572864 bytes: amdgpu_bo_alloc failed: ENOMEM (-12)",
				"the device supports 16515072 at most");
}

/* -- Events ------------------------------------------------------------------------- */

void
t_amdgpu_events(struct unit_ctx *t)
{
	struct fake_rig r;
	if (amdgpu_rig_open(t, &r, "gpu=gfx1100"))
		fake_rig_events(t, &r);
}

/* -- Forks -------------------------------------------------------------------------- */

static int
in_child(struct fake_rig *r, struct qd_buffer *buf)
{
	struct qd_context *ctx = NULL;
	struct qd_device *dev = NULL;
	struct qd_context_desc desc = { .version = QD_VERSION };
	alarm(60);
	if (fake_rig_inc(r->stream, r->fn, buf, 1, &r->e) != QD_E_FORKED)
		return 1;
	qd_buffer_free(buf);
	fake_rig_shut(r);
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
	struct fake_rig r;
	if (amdgpu_rig_open(t, &r, "gpu=gfx1100"))
		fake_rig_fork(t, &r, in_child);
}
