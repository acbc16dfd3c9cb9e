/* Streams under load: random operations compared with a model, transfers larger than a ring,
 * more launches than a stream queues. t_stream.c contains the table of tests. */
#include <stdlib.h>

#include "device.h"
#include "fake.h"
#include "t_stream.h"

/* -- In order ----------------------------------------------------------------------------- */

enum { N_BUFFER = 5, N_STREAM = 3, N_EXPECT = 400, LEN = 48 };

/* A pending download and its expected data. */
struct expect {
	uint32_t *got, want[LEN], stream;
};

struct model {
	struct unit_ctx *t;
	struct stream_rig *r;
	struct unit_rng rng;
	struct qd_stream *stream[N_STREAM];
	struct qd_buffer *buf[N_BUFFER];
	uint32_t words[N_BUFFER][LEN], owner[N_BUFFER]; /* owner: the stream that used it last */
	struct expect expect[N_EXPECT];
	uint32_t n_expect;
};

static uint32_t
pick(struct model *m, uint32_t n)
{
	return (uint32_t)(unit_random(&m->rng) % n);
}

/* Syncs, then checks and frees the targets of the stream's downloads: later writes to them are
 * errors that a sanitizer detects. */
static void
model_sync(struct model *m, uint32_t stream)
{
	uint32_t n = 0, wrong = 0;
	STREAM_OK(m->t, m->r, qd_stream_sync(m->stream[stream], &m->r->e));
	for (uint32_t i = 0; i < m->n_expect; i++) {
		struct expect *x = &m->expect[i];
		if (x->stream != stream) {
			m->expect[n++] = *x;
			continue;
		}
		for (uint32_t k = 0; k < LEN; k++)
			wrong += x->got[k] != x->want[k];
		free(x->got);
	}
	m->n_expect = n;
	UNIT_CHECK(m->t, wrong == 0, "%u words are wrong", wrong);
}

static void
model_download(struct model *m, uint32_t b, uint32_t stream)
{
	struct expect *x = &m->expect[m->n_expect];
	if (m->n_expect == N_EXPECT) {
		model_sync(m, stream);
		return;
	}
	x->got = malloc(sizeof x->want);
	memset(x->got, 0xee, sizeof x->want);
	memcpy(x->want, m->words[b], sizeof x->want);
	x->stream = stream;
	m->n_expect++;
	STREAM_OK(m->t, m->r, qd_buffer_download_async(m->stream[stream], m->buf[b], 0, x->got,
						 sizeof x->want, &m->r->e));
}

static void
model_upload(struct model *m, uint32_t b, uint32_t stream)
{
	uint32_t at = pick(m, LEN), n = 1 + pick(m, LEN - at), up[LEN];
	for (uint32_t i = 0; i < n; i++)
		m->words[b][at + i] = up[i] = pick(m, UINT32_MAX);
	STREAM_OK(m->t, m->r, qd_buffer_upload(m->stream[stream], m->buf[b], at * 4, up, n * 4,
					       &m->r->e));
	memset(up, 0x55, sizeof up);
}

static void
model_launch(struct model *m, uint32_t b, uint32_t stream)
{
	uint32_t n = 1 + pick(m, LEN);
	for (uint32_t i = 0; i < n; i++)
		m->words[b][i]++;
	STREAM_OK(m->t, m->r, stream_inc(m->r, m->stream[stream], m->buf[b], n, &m->r->e));
}

static void
model_renew(struct model *m, uint32_t b, uint32_t stream)
{
	qd_buffer_free(m->buf[b]);
	m->buf[b] = stream_buffer(m->t, m->r, LEN * 4);
	memset(m->words[b], 0, sizeof m->words[b]);
	m->owner[b] = stream;
}

/* Makes the stream wait for the one that used the buffer last. */
static void
model_hand_over(struct model *m, uint32_t b, uint32_t stream)
{
	struct qd_event *e = NULL;
	if (m->owner[b] == stream)
		return;
	STREAM_OK(m->t, m->r, unit_event(m->r->dev, m->stream[m->owner[b]], &e, &m->r->e));
	STREAM_OK(m->t, m->r, qd_stream_wait(m->stream[stream], e, &m->r->e));
	qd_event_free(e);
	m->owner[b] = stream;
}

static void
in_order_on(struct unit_ctx *t, struct stream_rig *r)
{
	static struct model m;
	m = (struct model){ .t = t, .r = r, .rng = { 5 } };
	for (uint32_t i = 0; i < N_STREAM; i++)
		STREAM_OK(t, r, qd_stream_create(r->dev, &m.stream[i], &r->e));
	for (uint32_t i = 0; i < N_BUFFER; i++)
		m.buf[i] = stream_buffer(t, r, LEN * 4);
	uint32_t n_steps = 2000 + 8 * stream_iterations();
	for (uint32_t step = 0; step < n_steps && !t->n_failed; step++) {
		uint32_t b = pick(&m, N_BUFFER), s = pick(&m, N_STREAM), what = pick(&m, 64);
		if (what < 40)
			s = m.owner[b];
		model_hand_over(&m, b, s);
		if (what == 0)
			model_sync(&m, s);
		else if (what == 1)
			STREAM_OK(t, r, qd_stream_flush(m.stream[s], &r->e));
		else if (what < 6)
			model_renew(&m, b, s);
		else if (what % 3 == 0)
			model_upload(&m, b, s);
		else if (what % 3 == 1)
			model_download(&m, b, s);
		else
			model_launch(&m, b, s);
	}
	for (uint32_t i = 0; i < N_STREAM; i++) {
		model_sync(&m, i);
		qd_stream_free(m.stream[i]);
	}
	for (uint32_t i = 0; i < N_BUFFER; i++)
		qd_buffer_free(m.buf[i]);
}

/* Random operations on buffers that streams hand to each other, compared with a model. */
void
t_stream_in_order(struct unit_ctx *t)
{
	stream_on_each(t, in_order_on);
}

static void
large_on(struct unit_ctx *t, struct stream_rig *r)
{
	enum { N = 9 * 1024 * 1024 / 4 + 13 };
	struct qd_buffer *buf = stream_buffer(t, r, N * (size_t)4);
	uint32_t *up = malloc(N * (size_t)4), *down = calloc(N, 4), bad = 0;
	for (uint32_t i = 0; i < N; i++)
		up[i] = i * 2654435761u;
	STREAM_OK(t, r, stream_inc(r, r->stream, buf, 9, &r->e));
	STREAM_OK(t, r, qd_buffer_upload(r->stream, buf, 0, up, N * (size_t)4, &r->e));
	STREAM_OK(t, r, stream_inc(r, r->stream, buf, 400, &r->e));
	STREAM_OK(t, r, qd_buffer_download_async(r->stream, buf, 0, down, N * (size_t)4, &r->e));
	STREAM_OK(t, r, stream_inc(r, r->stream, buf, 100, &r->e));
	STREAM_OK(t, r, qd_stream_sync(r->stream, &r->e));
	for (uint32_t i = 0; i < N; i++)
		bad += down[i] != up[i] + (i < 400);
	UNIT_CHECK(t, bad == 0, "%u of %u words are wrong", bad, (uint32_t)N);
	free(up);
	free(down);
	qd_buffer_free(buf);
}

/* Transfers larger than a ring, to and from a buffer in use. */
void
t_stream_large(struct unit_ctx *t)
{
	stream_on_each(t, large_on);
}

static void
ahead_on(struct unit_ctx *t, struct stream_rig *r)
{
	enum { LAUNCHES = 1500, EACH = 150 };
	struct qd_buffer *buf = stream_buffer(t, r, 64), *side = stream_buffer(t, r, 64);
	static uint32_t got[LAUNCHES / EACH];
	uint32_t bad = 0, up = 9, down = 0;
	for (uint32_t i = 0; i < LAUNCHES; i++) {
		STREAM_OK(t, r, stream_inc(r, r->stream, buf, 1, &r->e));
		if (i % EACH == EACH - 1)
			STREAM_OK(t, r, qd_buffer_download_async(r->stream, buf, 0, &got[i / EACH], 4,
							   &r->e));
	}
	/* another stream has its own queue */
	STREAM_OK(t, r, qd_buffer_upload(r->other, side, 0, &up, 4, &r->e));
	STREAM_OK(t, r, qd_buffer_download_async(r->other, side, 0, &down, 4, &r->e));
	STREAM_OK(t, r, qd_stream_sync(r->other, &r->e));
	UNIT_CHECK(t, down == 9, "%u", down);
	STREAM_OK(t, r, qd_stream_sync(r->stream, &r->e));
	for (uint32_t i = 0; i < LAUNCHES / EACH; i++)
		bad += got[i] != (i + 1) * EACH;
	UNIT_CHECK(t, bad == 0, "%u of the downloads are wrong", bad);
	qd_buffer_free(buf);
	qd_buffer_free(side);
}

/* More launches than a stream queues ahead of the device. */
void
t_stream_ahead(struct unit_ctx *t)
{
	stream_on_each(t, ahead_on);
}

static void
short_of_memory_on(struct unit_ctx *t, struct stream_rig *r)
{
	enum { SIZE = 1 << 20, ROUNDS = 60 };
	uint32_t got[ROUNDS] = { 0 }, bad = 0;
	if (strcmp(r->dev->driver->name, "fake"))
		return;
	/* memory for the rings and three buffers */
	fake_limit(r->dev, (uint64_t)3 * SIZE + (r->dev->hidden ? 16 << 20 : 2 << 20));
	for (uint32_t i = 0; i < ROUNDS; i++) {
		struct qd_stream *s = i % 3 ? r->stream : r->other;
		struct qd_buffer *buf = stream_buffer(t, r, SIZE);
		STREAM_OK(t, r, stream_inc(r, s, buf, 3, &r->e));
		STREAM_OK(t, r, qd_buffer_download_async(s, buf, 8, &got[i], 4, &r->e));
		qd_buffer_free(buf);
	}
	STREAM_OK(t, r, qd_stream_sync(r->stream, &r->e));
	STREAM_OK(t, r, qd_stream_sync(r->other, &r->e));
	for (uint32_t i = 0; i < ROUNDS; i++)
		bad += got[i] != 1;
	UNIT_CHECK(t, bad == 0, "%u downloads are wrong", bad);
}

/* If memory is short, an allocation waits for buffers that were freed while in use. */
void
t_stream_short_of_memory(struct unit_ctx *t)
{
	stream_on_each(t, short_of_memory_on);
}
