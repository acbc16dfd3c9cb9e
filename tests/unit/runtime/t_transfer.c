/* Transfers, copies, fills, events and waits on every driver, compared with a model in host memory,
 * while earlier uses of the buffers are still running. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "fake.h"
#include "t_stream.h"

/* -- Random work against a model ---------------------------------------------------- */

#define MINUTE UINT64_C(60000000000) /* in nanoseconds */

enum { SIZE = 40000, N_BUF = 2, STEPS = 120 };

struct model {
	struct unit_ctx *t;
	struct stream_rig *r;
	struct unit_rng rng;
	struct qd_buffer *buf[N_BUF], *slice[N_BUF];
	size_t at[N_BUF]; /* offset of the slice */
	uint8_t *want[N_BUF];
};

static size_t
below(struct model *m, size_t n)
{
	return (size_t)(unit_random(&m->rng) % n);
}

/* Returns a range within [at, SIZE): mostly short, sometimes the rest. */
static size_t
some(struct model *m, size_t at, size_t room, size_t *size)
{
	size_t from = at + below(m, room - at);
	size_t most = below(m, 4) ? 40 : room - from;
	*size = 1 + below(m, most < room - from ? most : room - from);
	return from;
}

static void
step_fill(struct model *m, uint32_t b)
{
	static const size_t units[] = { 1, 2, 4, 8 };
	size_t unit = units[below(m, 4)], size, from = some(m, m->at[b], SIZE, &size);
	uint64_t v = unit_random(&m->rng);
	if (unit == 8 && below(m, 2)) /* two equal words */
		v = (uint32_t)v | v << 32;
	size -= size % unit;
	STREAM_OK(m->t, m->r, qd_buffer_fill(m->r->stream, m->slice[b], from - m->at[b], size, &v,
					     unit, &m->r->e));
	for (size_t i = 0; i < size; i++)
		m->want[b][from + i] = (uint8_t)(v >> i % unit * 8);
}

static void
step_copy(struct model *m, uint32_t b)
{
	uint32_t to = (uint32_t)below(m, N_BUF);
	size_t size, from = some(m, 0, SIZE, &size), dst = below(m, SIZE - size + 1);
	if (to == b && from < dst + size && dst < from + size) {
		UNIT_CHECK(m->t, qd_buffer_copy(m->r->stream, m->buf[b], dst, m->buf[b], from, size,
						NULL) == QD_E_INVALID,
			   "an overlapping copy");
		return;
	}
	STREAM_OK(m->t, m->r, qd_buffer_copy(m->r->stream, m->buf[to], dst, m->buf[b], from, size,
					     &m->r->e));
	memcpy(m->want[to] + dst, m->want[b] + from, size);
}

static void
step_upload(struct model *m, uint32_t b)
{
	size_t size, from = some(m, 0, SIZE, &size);
	for (size_t i = 0; i < size; i++)
		m->want[b][from + i] = (uint8_t)unit_random(&m->rng);
	if (below(m, 2)) {
		uint8_t *mine = malloc(size);
		memcpy(mine, m->want[b] + from, size);
		STREAM_OK(m->t, m->r, qd_buffer_upload(m->r->stream, m->buf[b], from, mine, size,
						       &m->r->e));
		memset(mine, 0x5a, size); /* the memory belongs to the caller again */
		free(mine);
		return;
	}
	uint8_t *mine = malloc(size);
	memcpy(mine, m->want[b] + from, size);
	STREAM_OK(m->t, m->r, qd_buffer_upload_async(m->r->stream, m->buf[b], from, mine, size,
						     &m->r->e));
	STREAM_OK(m->t, m->r, qd_stream_sync(m->r->stream, &m->r->e));
	free(mine);
}

static void
step_download(struct model *m, uint32_t b)
{
	size_t size, from = some(m, 0, SIZE, &size);
	uint8_t *got = malloc(size);
	memset(got, 0xee, size);
	STREAM_OK(m->t, m->r, qd_buffer_download(m->r->stream, m->buf[b], from, got, size, &m->r->e));
	UNIT_CHECK(m->t, memcmp(got, m->want[b] + from, size) == 0, "%zu bytes at %zu", size, from);
	free(got); /* the download has completed */
}

/* Adds 1 to data[block], so that the buffer is in use. */
static void
step_launch(struct model *m, uint32_t b)
{
	uint32_t n = 1 + (uint32_t)below(m, 64), word;
	STREAM_OK(m->t, m->r, stream_inc(m->r, m->r->stream, m->buf[b], n, &m->r->e));
	for (uint32_t i = 0; i < n; i++) {
		memcpy(&word, m->want[b] + i * 4, 4);
		word++;
		memcpy(m->want[b] + i * 4, &word, 4);
	}
}

static void
random_on(struct unit_ctx *t, struct stream_rig *r)
{
	static void (*const step[])(struct model *m, uint32_t b) = { step_fill, step_copy, step_launch,
								     step_upload, step_fill,
								     step_download };
	struct model m = { .t = t, .r = r, .rng = { .state = 77 } };
	for (uint32_t i = 0; i < N_BUF; i++) {
		m.buf[i] = stream_buffer(t, r, SIZE);
		m.at[i] = i ? 4099 : 0;
		STREAM_OK(t, r, qd_buffer_slice(m.buf[i], m.at[i], SIZE - m.at[i], &m.slice[i], &r->e));
		m.want[i] = calloc(1, SIZE);
	}
	for (uint32_t i = 0; i < STEPS && !t->n_failed; i++)
		step[below(&m, QD_COUNT(step))](&m, (uint32_t)below(&m, N_BUF));
	for (uint32_t i = 0; i < N_BUF; i++) {
		uint8_t *got = malloc(SIZE);
		STREAM_OK(t, r, qd_buffer_download(r->stream, m.buf[i], 0, got, SIZE, &r->e));
		UNIT_CHECK(t, memcmp(got, m.want[i], SIZE) == 0, "buffer %u", i);
		free(got);
		free(m.want[i]);
		qd_buffer_free(m.slice[i]);
		qd_buffer_free(m.buf[i]);
	}
}

static void
model(struct unit_ctx *t)
{
	stream_on_each(t, random_on);
}

/* Queues more copies than a batch contains and than may be in flight. */
static void
many_on(struct unit_ctx *t, struct stream_rig *r)
{
	enum { N = 1500 };
	struct qd_buffer *buf = stream_buffer(t, r, 8);
	uint32_t got = 0, i;
	for (i = 0; i < N; i++) {
		STREAM_OK(t, r, stream_inc(r, r->stream, buf, 1, &r->e));
		STREAM_OK(t, r, qd_buffer_copy(r->stream, buf, 4, buf, 0, 4, &r->e));
	}
	STREAM_OK(t, r, qd_buffer_download(r->stream, buf, 4, &got, 4, &r->e));
	UNIT_CHECK(t, got == N, "%u", got);
	qd_buffer_free(buf);
}

static void
many(struct unit_ctx *t)
{
	stream_on_each(t, many_on);
}

/* -- Two threads: a download has completed when it returns ------------------------------ */

struct pair {
	struct stream_rig *r;
	struct qd_buffer *buf;
	uint32_t n, wrong;
};

static void *
rounds(void *user)
{
	struct pair *p = user;
	struct qd_error e;
	for (uint32_t i = 1; i <= p->n; i++) {
		uint32_t *got = calloc(4, sizeof *got);
		p->wrong += stream_inc(p->r, p->r->stream, p->buf, 4, &e) != QD_OK;
		p->wrong += qd_buffer_download(p->r->stream, p->buf, 0, got, 16, &e) != QD_OK;
		p->wrong += got[0] != i || got[3] != i;
		free(got);
	}
	return NULL;
}

static void
two_threads_on(struct unit_ctx *t, struct stream_rig *r)
{
	const char *s = getenv("QD_TEST_ITERATIONS");
	uint32_t n = s && *s ? (uint32_t)strtoul(s, NULL, 10) : getenv("QD_TEST_SOME") ? 100 : 300;
	struct pair a = { .r = r, .n = n }, b = { .r = r, .n = n };
	pthread_t other;
	a.buf = stream_buffer(t, r, 64);
	b.buf = stream_buffer(t, r, 64);
	pthread_create(&other, NULL, rounds, &b);
	rounds(&a);
	pthread_join(other, NULL);
	UNIT_CHECK(t, !a.wrong && !b.wrong, "%u and %u are wrong", a.wrong, b.wrong);
	qd_buffer_free(a.buf);
	qd_buffer_free(b.buf);
}

static void
two_threads(struct unit_ctx *t)
{
	stream_on_each(t, two_threads_on);
}

/* -- Waits with a timeout ------------------------------------------------------------------- */

enum { SHORT = 3000000 }; /* nanoseconds */

static void
held_on(struct unit_ctx *t, struct stream_rig *r)
{
	struct qd_buffer *buf = stream_buffer(t, r, 64);
	struct qd_event *event = NULL;
	bool done = true, passed = true;
	uint32_t got = 0;
	STREAM_OK(t, r, qd_stream_sync(r->stream, &r->e));
	STREAM_OK(t, r, qd_event_create(r->dev, &event, &r->e));
	fake_hold(r->dev, true);
	STREAM_OK(t, r, stream_inc(r, r->stream, buf, 1, &r->e));
	STREAM_OK(t, r, qd_buffer_download_async(r->stream, buf, 0, &got, 4, &r->e));
	STREAM_OK(t, r, qd_event_record(r->stream, event, &r->e));
	STREAM_OK(t, r, qd_stream_query(r->stream, &done, &r->e));
	UNIT_CHECK(t, !done, "held, and done");
	done = true;
	STREAM_OK(t, r, qd_stream_sync_for(r->stream, SHORT, &done, &r->e));
	UNIT_CHECK(t, !done, "held, and done");
	STREAM_OK(t, r, qd_event_query(event, &passed, &r->e));
	UNIT_CHECK(t, !passed, "held, and passed");
	passed = true;
	STREAM_OK(t, r, qd_event_sync(event, SHORT, &passed, &r->e));
	UNIT_CHECK(t, !passed && got == 0, "held, and passed");
	fake_hold(r->dev, false);
	STREAM_OK(t, r, qd_event_sync(event, QD_FOREVER, &passed, &r->e));
	/* Data downloaded before the event are available without a wait for the stream. */
	UNIT_CHECK(t, passed && got == 1, "got %u", got);
	STREAM_OK(t, r, qd_stream_sync_for(r->stream, QD_FOREVER, &done, &r->e));
	STREAM_OK(t, r, qd_stream_query(r->stream, &passed, &r->e));
	UNIT_CHECK(t, done && passed, "let go, and not done");
	qd_event_free(event);
	qd_buffer_free(buf);
}

static void
held_where_it_can_be(struct unit_ctx *t, struct stream_rig *r)
{
	if (r->is_fake)
		held_on(t, r);
}

static void
timeouts(struct unit_ctx *t)
{
	stream_on_each(t, held_where_it_can_be);
}

/* Checks that a query starts work that was recorded but not flushed. */
static void
query_on(struct unit_ctx *t, struct stream_rig *r)
{
	struct qd_buffer *buf = stream_buffer(t, r, 64);
	bool done = false;
	for (int i = 0; i < 10; i++)
		STREAM_OK(t, r, stream_inc(r, r->stream, buf, 1, &r->e));
	/* A driver whose worker shares the processor with this thread needs pauses. */
	for (uint64_t from = clock_ns(); !done && !t->n_failed && clock_ns() - from < MINUTE;) {
		STREAM_OK(t, r, qd_stream_query(r->stream, &done, &r->e));
		if (!done)
			nanosleep(&(struct timespec){ .tv_nsec = 20000 }, NULL);
	}
	UNIT_CHECK(t, done, "it never ends");
	qd_buffer_free(buf);
}

static void
query(struct unit_ctx *t)
{
	stream_on_each(t, query_on);
}

/* -- Events -------------------------------------------------------------------------------------- */

static void
again_on(struct unit_ctx *t, struct stream_rig *r)
{
	struct qd_buffer *buf = stream_buffer(t, r, 64);
	struct qd_event *a = NULL, *b = NULL;
	uint64_t ns = 0;
	uint32_t got;
	bool passed;
	STREAM_OK(t, r, qd_event_create(r->dev, &a, &r->e));
	STREAM_OK(t, r, qd_event_create(r->dev, &b, &r->e));
	UNIT_CHECK(t, qd_event_query(a, &passed, &r->e) == QD_E_INVALID &&
			      strstr(r->e.text, "qd_event_query: the event was never recorded"),
		   "%s", r->e.text);
	UNIT_CHECK(t, qd_event_sync(a, 0, &passed, &r->e) == QD_E_INVALID, "%s", r->e.text);
	UNIT_CHECK(t, qd_stream_wait(r->stream, a, &r->e) == QD_E_INVALID, "%s", r->e.text);
	UNIT_CHECK(t, qd_event_elapsed(a, b, &ns, &r->e) == QD_E_INVALID, "%s", r->e.text);
	/* Recorded while the previous record is pending, alternating between two streams. */
	for (uint32_t i = 0; i < 40 && !t->n_failed; i++) {
		struct qd_stream *s = i % 3 ? r->stream : r->other, *o = i % 3 ? r->other : r->stream;
		STREAM_OK(t, r, stream_inc(r, s, buf, 1, &r->e));
		STREAM_OK(t, r, qd_event_record(s, a, &r->e));
		STREAM_OK(t, r, qd_stream_wait(o, a, &r->e));
		STREAM_OK(t, r, stream_inc(r, o, buf, 1, &r->e));
		STREAM_OK(t, r, qd_event_record(o, b, &r->e));
		STREAM_OK(t, r, qd_stream_wait(r->stream, b, &r->e));
		STREAM_OK(t, r, qd_stream_wait(r->other, b, &r->e));
	}
	STREAM_OK(t, r, qd_event_sync(b, QD_FOREVER, NULL, &r->e));
	qd_status st = qd_event_elapsed(a, b, &ns, &r->e);
	UNIT_CHECK(t, st == QD_OK || st == QD_E_UNAVAILABLE, "%s", r->e.text);
	UNIT_CHECK(t, ns < UINT64_C(10000000000), "%llu ns", (unsigned long long)ns);
	STREAM_OK(t, r, qd_event_elapsed(b, b, &ns, &r->e) == QD_E_UNAVAILABLE
				? QD_OK
				: qd_event_elapsed(b, b, &ns, &r->e));
	STREAM_OK(t, r, qd_buffer_download(r->other, buf, 0, &got, 4, &r->e));
	UNIT_CHECK(t, got == 80, "%u", got);
	qd_event_free(a);
	qd_event_free(b);
	qd_buffer_free(buf);
}

static void
again(struct unit_ctx *t)
{
	stream_on_each(t, again_on);
}

struct recorder {
	struct stream_rig *r;
	struct qd_stream *s;
	struct qd_event *event;
	uint32_t n, wrong;
};

static void *
record_rounds(void *user)
{
	struct recorder *x = user;
	struct qd_error e;
	bool passed;
	for (uint32_t i = 0; i < x->n; i++) {
		x->wrong += qd_event_record(x->s, x->event, &e) != QD_OK;
		x->wrong += qd_event_sync(x->event, QD_FOREVER, &passed, &e) != QD_OK || !passed;
		x->wrong += qd_stream_wait(x->s, x->event, &e) != QD_OK;
		qd_status st = qd_event_elapsed(x->event, x->event, &(uint64_t){ 0 }, &e);
		x->wrong += st != QD_OK && st != QD_E_BUSY && st != QD_E_UNAVAILABLE;
	}
	return NULL;
}

/* Checks one event that two threads record and wait for in two streams. */
static void
shared_on(struct unit_ctx *t, struct stream_rig *r)
{
	struct qd_event *event = NULL;
	STREAM_OK(t, r, qd_event_create(r->dev, &event, &r->e));
	struct recorder a = { r, r->stream, event, 200, 0 }, b = { r, r->other, event, 200, 0 };
	pthread_t other;
	pthread_create(&other, NULL, record_rounds, &b);
	record_rounds(&a);
	pthread_join(other, NULL);
	UNIT_CHECK(t, !a.wrong && !b.wrong, "%u and %u calls are wrong", a.wrong, b.wrong);
	qd_event_free(event);
}

static void
shared(struct unit_ctx *t)
{
	stream_on_each(t, shared_on);
}

/* -- Errors ------------------------------------------------------------------------------------------ */

#define WRONG(call, want)                                                                          \
	do {                                                                                       \
		qd_status st_ = (call);                                                            \
		UNIT_CHECK(t, st_ == QD_E_INVALID && strcmp(r->e.text, want) == 0, "%s: %d, %s",   \
			   #call, (int)st_, r->e.text);                                            \
	} while (0)

static void
wrong_on(struct unit_ctx *t, struct stream_rig *r)
{
	struct qd_buffer *buf = stream_buffer(t, r, 64);
	struct qd_stream *s = r->stream;
	struct qd_event *event = NULL;
	uint32_t word = 0;
	bool done;
	STREAM_OK(t, r, qd_event_create(r->dev, &event, &r->e));
	WRONG(qd_buffer_fill(s, buf, 0, 6, &word, 3, &r->e),
	      "qd_buffer_fill: a value of 3 bytes; the size must be 1, 2, 4 or 8");
	WRONG(qd_buffer_fill(s, buf, 0, 6, &word, 4, &r->e),
	      "qd_buffer_fill: 6 bytes are not a multiple of the value's 4");
	WRONG(qd_buffer_fill(s, buf, 60, 8, &word, 4, &r->e),
	      "qd_buffer_fill: 8 bytes at offset 60 of a buffer of 64 bytes");
	WRONG(qd_buffer_fill(s, buf, 0, 4, NULL, 4, &r->e), "qd_buffer_fill: the value is NULL");
	WRONG(qd_buffer_fill(NULL, buf, 0, 4, &word, 4, &r->e), "qd_buffer_fill: the stream is NULL");
	WRONG(qd_buffer_fill(s, NULL, 0, 4, &word, 4, &r->e), "qd_buffer_fill: the buffer is NULL");
	WRONG(qd_buffer_copy(s, buf, 8, buf, 0, 12, &r->e),
	      "qd_buffer_copy: 12 bytes from offset 0 to offset 8 of the same memory overlap; copy "
	      "through another buffer");
	WRONG(qd_buffer_copy(s, buf, 0, buf, SIZE_MAX, 2, &r->e),
	      "qd_buffer_copy: 2 bytes at offset 18446744073709551615 of a buffer of 64 bytes");
	WRONG(qd_buffer_copy(s, buf, 60, buf, 0, 8, &r->e),
	      "qd_buffer_copy: 8 bytes at offset 60 of a buffer of 64 bytes");
	WRONG(qd_buffer_copy(NULL, buf, 0, buf, 8, 4, &r->e), "qd_buffer_copy: the stream is NULL");
	WRONG(qd_buffer_copy(s, NULL, 0, buf, 8, 4, &r->e), "qd_buffer_copy: the destination is NULL");
	WRONG(qd_buffer_copy(s, buf, 0, NULL, 8, 4, &r->e), "qd_buffer_copy: the source is NULL");
	WRONG(qd_buffer_upload_async(s, buf, 0, NULL, 4, &r->e),
	      "qd_buffer_upload_async: the source is NULL");
	WRONG(qd_buffer_download(s, buf, 0, NULL, 4, &r->e),
	      "qd_buffer_download: the destination is NULL");
	WRONG(qd_buffer_download_async(s, buf, 61, &word, 4, &r->e),
	      "qd_buffer_download_async: 4 bytes at offset 61 of a buffer of 64 bytes");
	WRONG(qd_stream_sync_for(s, 1, NULL, &r->e), "qd_stream_sync_for: the result pointer is NULL");
	WRONG(qd_stream_sync_for(NULL, 1, &done, &r->e), "qd_stream_sync_for: the stream is NULL");
	WRONG(qd_stream_query(s, NULL, &r->e), "qd_stream_query: the result pointer is NULL");
	WRONG(qd_stream_query(NULL, &done, &r->e), "qd_stream_query: the stream is NULL");
	WRONG(qd_event_create(NULL, &event, &r->e), "qd_event_create: the device is NULL");
	WRONG(qd_event_create(r->dev, NULL, &r->e), "qd_event_create: the result pointer is NULL");
	WRONG(qd_event_record(s, NULL, &r->e), "qd_event_record: the event is NULL");
	WRONG(qd_event_record(NULL, event, &r->e), "qd_event_record: the stream is NULL");
	WRONG(qd_event_sync(event, 5, NULL, &r->e), "qd_event_sync: the result pointer is NULL");
	WRONG(qd_event_sync(NULL, 5, &done, &r->e), "qd_event_sync: the event is NULL");
	WRONG(qd_event_query(event, NULL, &r->e), "qd_event_query: the result pointer is NULL");
	WRONG(qd_event_query(NULL, &done, &r->e), "qd_event_query: the event is NULL");
	WRONG(qd_event_query(event, &done, &r->e),
	      "qd_event_query: the event was never recorded; record it in a stream first");
	STREAM_OK(t, r, qd_buffer_fill(s, buf, 64, 0, &word, 4, &r->e));
	STREAM_OK(t, r, qd_buffer_copy(s, buf, 64, buf, 64, 0, &r->e));
	qd_event_free(event);
	qd_buffer_free(buf);
}

static void
wrong(struct unit_ctx *t)
{
	stream_on_each(t, wrong_on);
}

const struct unit units_transfer[] = {
	{ "transfer.model", model },	     { "transfer.many", many },
	{ "transfer.two_threads", two_threads }, { "transfer.timeouts", timeouts },
	{ "transfer.query", query },	     { "transfer.events_again", again },
	{ "transfer.event_shared", shared }, { "transfer.wrong", wrong },
};
const unsigned n_units_transfer = QD_COUNT(units_transfer);
