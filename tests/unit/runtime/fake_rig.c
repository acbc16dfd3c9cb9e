/* Fixture of fake_rig.h, and the tests that all drivers share. */
#include "fake_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void
on_log(void *user, qd_log_level level, const char *component, const char *msg, size_t len)
{
	struct fake_rig *r = user;
	size_t at = strlen(r->log);
	if (level <= QD_LOG_WARNING)
		snprintf(r->log + at, sizeof r->log - at, "%d %s: %.*s\n", (int)level, component,
			 (int)len, msg);
}

bool
fake_rig_begin(struct unit_ctx *t, struct fake_rig *r, const struct fake_driver *d, const char *config)
{
	memset(r, 0, sizeof *r);
	r->driver = d;
	if (!d->begin(t, config))
		return false;
	unit_alloc_init(&r->alloc);
	struct qd_context_desc desc = { .version = QD_VERSION,
					.allocator = unit_alloc_hooks(&r->alloc),
					.log = on_log,
					.log_user = r };
	bool ok = qd_context_create(&desc, &r->ctx, &r->e) == QD_OK &&
		  (r->inc = stream_make_inc(r->ctx, &r->e));
	UNIT_CHECK(t, ok, "rig: %s", r->e.text);
	return ok;
}

bool
fake_rig_open(struct unit_ctx *t, struct fake_rig *r, const struct fake_driver *d, const char *config)
{
	if (!fake_rig_begin(t, r, d, config))
		return false;
	bool ok = qd_device_open(r->ctx, d->selector, &r->dev, &r->e) == QD_OK &&
		  qd_stream_create(r->dev, &r->stream, &r->e) == QD_OK &&
		  qd_function_get(r->dev, r->inc, NULL, 0, &r->fn, &r->e) == QD_OK;
	UNIT_CHECK(t, ok, "rig: %s: %s", config, r->e.text);
	if (!ok)
		fake_rig_end(t, r);
	return ok;
}

void
fake_rig_shut(struct fake_rig *r)
{
	qd_stream_free(r->stream);
	qd_device_close(r->dev);
	r->stream = NULL;
	r->dev = NULL;
	r->fn = NULL;
}

void
fake_rig_end(struct unit_ctx *t, struct fake_rig *r)
{
	fake_rig_shut(r);
	qd_kernel_free(r->inc);
	qd_context_free(r->ctx);
	r->driver->end(t);
	UNIT_CHECK(t, r->alloc.n_out == 0, "%zu host blocks are not freed", r->alloc.n_out);
	UNIT_CHECK(t, !r->alloc.wrong_size, "a block was freed with a size other than that of its allocation");
	unit_alloc_fini(&r->alloc);
}

enum { WORDS = 64 };

struct qd_buffer *
fake_rig_buffer(struct unit_ctx *t, struct fake_rig *r, size_t size)
{
	struct qd_buffer *buf = NULL;
	RIG_GOOD(t, r, qd_buffer_create(r->dev, size, 0, &buf, &r->e));
	return buf;
}

qd_status
fake_rig_inc(struct qd_stream *s, struct qd_function *fn, struct qd_buffer *buf, uint32_t n,
	     struct qd_error *err)
{
	struct qd_arg arg = qd_arg_buffer(buf);
	return qd_launch(s, fn, n, &arg, 1, err);
}

uint32_t
fake_rig_count_other(const uint32_t *p, uint32_t n, uint32_t want)
{
	uint32_t other = 0;
	for (uint32_t i = 0; i < n; i++)
		other += p[i] != want;
	return other;
}

/* -- Tests ---------------------------------------------------------------------------- */

enum { THREADS = 8, ROUNDS = 12 };

struct worker {
	struct fake_rig *r;
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
			w->wrong += fake_rig_inc(s, fn, buf, WORDS, &w->e) != QD_OK;
		w->wrong += qd_buffer_download(s, buf, 0, got, sizeof got, &w->e) != QD_OK;
		w->wrong += fake_rig_count_other(got, WORDS, 1000 * w->number + 2 * i);
		qd_buffer_free(buf);
		buf = NULL;
	}
	qd_function_free(fn);
	qd_stream_free(s);
	return NULL;
}

void
fake_rig_threads(struct unit_ctx *t, struct fake_rig *r)
{
	struct worker w[THREADS];
	pthread_t threads[THREADS];
	for (uint32_t i = 0; i < THREADS; i++) {
		w[i] = (struct worker){ .r = r, .number = i };
		if (pthread_create(&threads[i], NULL, work, &w[i]))
			abort();
	}
	for (uint32_t i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		UNIT_CHECK(t, w[i].wrong == 0, "thread %u: %u wrong: %s", i, w[i].wrong, w[i].e.text);
	}
	fake_rig_end(t, r);
}

void
fake_rig_memory(struct unit_ctx *t, struct fake_rig *r, uint32_t size, uint32_t least, uint32_t most,
		const char *no_room, const char *limit)
{
	enum { MAX = 16 };
	struct qd_buffer *bufs[MAX] = { NULL };
	uint32_t n = 0;
	qd_status st = QD_OK;
	while (n < MAX - 1 && (st = qd_buffer_create(r->dev, size, 0, &bufs[n], &r->e)) == QD_OK)
		n++;
	UNIT_CHECK(t, n >= least && n <= most && st == QD_E_DEVICE_NOMEM &&
			      strstr(r->e.text, no_room),
		   "%u buffers, %s: %s", n, qd_status_name(st), r->e.text);
	st = qd_buffer_create(r->dev, (size_t)1 << 40, 0, &bufs[MAX - 1], &r->e);
	UNIT_CHECK(t, st == QD_E_LIMIT && strstr(r->e.text, limit),
		   "%s: %s", qd_status_name(st), r->e.text);
	for (uint32_t i = 0; i < n; i++) {
		RIG_GOOD(t, r, fake_rig_inc(r->stream, r->fn, bufs[i], WORDS, &r->e));
		qd_buffer_free(bufs[i]);
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t got[WORDS];
		bufs[i] = fake_rig_buffer(t, r, size);
		RIG_GOOD(t, r, qd_buffer_download(r->stream, bufs[i], 0, got, sizeof got, &r->e));
		UNIT_CHECK(t, fake_rig_count_other(got, WORDS, 0) == 0, "not zero: %u", got[0]);
	}
	for (uint32_t i = 0; i < n; i++)
		qd_buffer_free(bufs[i]);
	RIG_GOOD(t, r, qd_stream_sync(r->stream, &r->e));
	RIG_GOOD(t, r, qd_context_trim(r->ctx, &r->e));
	fake_rig_end(t, r);
}

void
fake_rig_events(struct unit_ctx *t, struct fake_rig *r)
{
	struct qd_event *a = NULL, *b = NULL;
	uint64_t ns = 0;
	struct qd_buffer *buf = fake_rig_buffer(t, r, 4 * WORDS);
	RIG_GOOD(t, r, unit_event(r->dev, r->stream, &a, &r->e));
	for (int i = 0; i < 20; i++)
		RIG_GOOD(t, r, fake_rig_inc(r->stream, r->fn, buf, WORDS, &r->e));
	uint64_t from = clock_ns();
	RIG_GOOD(t, r, unit_event(r->dev, r->stream, &b, &r->e));
	RIG_GOOD(t, r, qd_stream_sync(r->stream, &r->e));
	RIG_GOOD(t, r, qd_event_elapsed(a, b, &ns, &r->e));
	UNIT_CHECK(t, ns > 0 && ns < clock_ns() - from + UINT64_C(10000000000), "%llu ns",
		   (unsigned long long)ns);
	RIG_GOOD(t, r, qd_event_elapsed(a, a, &ns, &r->e));
	UNIT_CHECK(t, ns == 0, "%llu ns from one to itself", (unsigned long long)ns);
	qd_status st = qd_event_elapsed(b, a, &ns, &r->e);
	UNIT_CHECK(t, st == QD_E_INVALID && strstr(r->e.text, "swap them"), "%s: %s",
		   qd_status_name(st), r->e.text);
	/* Free events before their batch is submitted or complete. */
	for (int i = 0; i < 20; i++) {
		struct qd_event *e = NULL;
		RIG_GOOD(t, r, fake_rig_inc(r->stream, r->fn, buf, WORDS, &r->e));
		RIG_GOOD(t, r, unit_event(r->dev, r->stream, &e, &r->e));
		qd_event_free(e);
	}
	RIG_GOOD(t, r, qd_event_elapsed(a, b, &ns, &r->e));
	qd_event_free(a);
	qd_event_free(b);
	qd_buffer_free(buf);
	fake_rig_end(t, r);
}

void
fake_rig_fork(struct unit_ctx *t, struct fake_rig *r,
	      int (*in_child)(struct fake_rig *r, struct qd_buffer *buf))
{
	uint32_t got[WORDS];
	int status = -1;
	struct qd_buffer *buf = fake_rig_buffer(t, r, sizeof got);
	RIG_GOOD(t, r, fake_rig_inc(r->stream, r->fn, buf, WORDS, &r->e));
	pid_t pid = fork();
	if (pid == 0)
		_exit(in_child(r, buf));
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		abort();
	UNIT_CHECK(t, WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child: %s %d",
		   WIFEXITED(status) ? "step" : "signal",
		   WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	RIG_GOOD(t, r, qd_buffer_download(r->stream, buf, 0, got, sizeof got, &r->e));
	UNIT_CHECK(t, fake_rig_count_other(got, WORDS, 1) == 0, "got[0] is %u", got[0]);
	qd_buffer_free(buf);
	fake_rig_end(t, r);
}
