/* Execution of launches by the interpreter: concurrency of two streams, the limit of operations,
 * release of memory. */
#include <stdio.h>
#include <stdlib.h>

#include "base.h"
#include "interp.h"
#include "ref_rig.h"

/* Sets QD_REF_STEPS, or removes it if value is NULL. Returns the old value for steps_back(). */
static char *
steps(const char *value)
{
	const char *old = getenv("QD_REF_STEPS");
	char *saved = old ? strdup(old) : NULL;

	if (value)
		setenv("QD_REF_STEPS", value, 1);
	else
		unsetenv("QD_REF_STEPS");
	return saved;
}

static void
steps_back(char *saved)
{
	free(steps(saved));
	free(saved);
}

/* -- Two streams ---------------------------------------------------------------------- */

/* Builds a kernel that writes own[0] and waits until other[0] is written. */
static struct qd_kernel *
make_meet(struct rig *r)
{
	struct qd_kernel *k = NULL;
	struct qd_builder *b = rig_kernel(r, 1);
	struct qd_array own = qd_param_buffer(b, "own", QD_TYPE_U32, QD_ACCESS_INOUT);
	struct qd_array other = qd_param_buffer(b, "other", QD_TYPE_U32, QD_ACCESS_INOUT);
	struct qd_val zero = qd_u32(b, 0), one = qd_u32(b, 1);

	qd_store(b, own, zero, one);
	qd_loop(b);
	struct qd_val there = qd_load(b, other, zero);
	qd_break_if(b, qd_ne(b, there, zero));
	qd_end(b);
	qd_store(b, own, one, qd_u32(b, 7));
	qd_builder_finish(b, &k, &r->err);
	return k;
}

struct meeting {
	struct rig *r;
	struct qd_function *fn;
	struct qd_buffer *own, *other;
	qd_status st;
	struct qd_error err;
};

static void *
meet(void *user)
{
	struct meeting *m = user;
	struct qd_stream *s = NULL;
	struct qd_arg a[] = { qd_arg_buffer(m->own), qd_arg_buffer(m->other) };

	m->st = qd_stream_create(m->r->dev, &s, &m->err);
	if (!m->st)
		m->st = qd_launch(s, m->fn, 1, a, 2, &m->err);
	if (!m->st)
		m->st = qd_stream_sync(s, &m->err);
	qd_stream_free(s);
	return NULL;
}

/* Checks that two kernels that wait for each other run concurrently. */
static void
together(struct unit_ctx *t)
{
	char *saved = steps("1000000000");
	struct rig r;
	struct meeting m[2];
	struct qd_buffer *buf[2] = { NULL };
	struct qd_function *fn = NULL;
	pthread_t thread[2];
	uint32_t got[2][2] = { { 0 } };

	bool opened = rig_open(&r, t, "ref:4");
	steps_back(saved);
	if (!opened)
		return;
	struct qd_kernel *k = make_meet(&r);
	qd_status st = k ? qd_function_get(r.dev, k, NULL, 0, &fn, &r.err) : r.err.code;
	for (int i = 0; i < 2 && !st; i++)
		st = qd_buffer_create(r.dev, 8, 0, &buf[i], &r.err);
	UNIT_CHECK(t, !st, "%s", r.err.text);
	for (int i = 0; i < 2 && !st; i++) {
		m[i] = (struct meeting){ &r, fn, buf[i], buf[!i], QD_E_INTERNAL, { 0 } };
		if (pthread_create(&thread[i], NULL, meet, &m[i]))
			abort();
	}
	for (int i = 0; i < 2 && !st; i++) {
		pthread_join(thread[i], NULL);
		UNIT_CHECK(t, !m[i].st, "%s", m[i].err.text);
		qd_buffer_download_async(r.stream, buf[i], 0, got[i], sizeof got[i], &r.err);
	}
	UNIT_CHECK(t, !qd_stream_sync(r.stream, &r.err) && got[0][1] == 7 && got[1][1] == 7,
		   "%u, %u", got[0][1], got[1][1]);
	rig_text(t, r.log, "");
	qd_buffer_free(buf[0]);
	qd_buffer_free(buf[1]);
	qd_kernel_free(k);
	rig_close(&r);
}

static struct qd_kernel *make_add(struct rig *r, bool clash);

/* Checks that a launch that got its numbers before another one, but begins after the other has
 * finished, does not race with it. */
static void
late_start(struct unit_ctx *t)
{
	struct rig r;
	struct qd_buffer *buf = NULL;
	struct qd_function *fn = NULL;
	uint32_t got[16] = { 0 };

	if (!rig_open(&r, t, "ref:4"))
		return;
	struct ref_device *dev = (struct ref_device *)r.dev;
	struct qd_kernel *k = make_add(&r, false);
	qd_status st = k ? qd_function_get(r.dev, k, NULL, 0, &fn, &r.err) : r.err.code;
	st = st ? st : qd_buffer_create(r.dev, sizeof got, 0, &buf, &r.err);
	struct qd_arg a = qd_arg_buffer(buf);
	dev->next_id = 1000;
	st = st ? st : qd_launch(r.stream, fn, QD_GRID, &a, 1, &r.err);
	/* as if this launch had got its numbers first */
	dev->next_id = 100;
	st = st ? st : qd_launch(r.stream, fn, QD_GRID, &a, 1, &r.err);
	dev->next_id = 2000;
	qd_buffer_download_async(r.stream, buf, 0, got, sizeof got, &r.err);
	UNIT_CHECK(t, !st && !qd_stream_sync(r.stream, &r.err) && got[0] == 2 && got[15] == 2,
		   "%u: %s", got[0], r.err.text);
	rig_text(t, r.log, "");
	qd_buffer_free(buf);
	qd_kernel_free(k);
	rig_close(&r);
}

/* Builds mem[i] += 1 for all i; with clash, also of one element shared by all threads. */
static struct qd_kernel *
make_add(struct rig *r, bool clash)
{
	struct qd_kernel *k = NULL;
	struct qd_builder *b = rig_kernel(r, 8);
	struct qd_array mem = qd_param_buffer(b, "mem", QD_TYPE_U32, QD_ACCESS_INOUT);
	struct qd_val i = qd_grid(b, qd_len(b, mem));

	if (clash)
		i = qd_div(b, i, qd_u32(b, 2));
	struct qd_val v = qd_load(b, mem, i);
	qd_store(b, mem, i, qd_add(b, v, qd_u32(b, 1)));
	qd_builder_finish(b, &k, &r->err);
	return k;
}

enum { SHARERS = 4, ROUNDS = 200, PART = 64 };

struct sharer {
	struct rig *r;
	struct qd_function *fn;
	struct qd_buffer *part;
	bool races;
	uint32_t n_bad;
};

static void *
share(void *user)
{
	struct sharer *w = user;
	struct qd_stream *s = NULL;
	struct qd_error err;
	struct qd_arg a = qd_arg_buffer(w->part);

	qd_stream_create(w->r->dev, &s, &err);
	for (uint32_t i = 0; i < ROUNDS; i++) {
		qd_status st = qd_launch(s, w->fn, QD_GRID, &a, 1, &err);
		if (!st)
			st = qd_stream_sync(s, &err);
		w->n_bad += st != (w->races ? QD_E_FINDING : QD_OK);
	}
	qd_stream_free(s);
	return NULL;
}

/* Checks that concurrent launches on slices of one buffer report only the races of their own
 * threads. */
static void
watched_together(struct unit_ctx *t)
{
	struct rig r;
	struct sharer w[SHARERS];
	struct qd_buffer *whole = NULL, *part[SHARERS] = { NULL };
	struct qd_kernel *k[2];
	struct qd_function *fn[2] = { NULL };
	pthread_t thread[SHARERS];

	if (!rig_open(&r, t, "ref:8"))
		return;
	qd_status st = qd_buffer_create(r.dev, SHARERS * PART * 4, 0, &whole, &r.err);
	for (int i = 0; i < 2; i++) {
		k[i] = make_add(&r, i);
		st = st ? st : qd_function_get(r.dev, k[i], NULL, 0, &fn[i], &r.err);
	}
	for (size_t i = 0; i < SHARERS && !st; i++)
		st = qd_buffer_slice(whole, i * PART * 4, PART * 4, &part[i], &r.err);
	UNIT_CHECK(t, !st, "%s", r.err.text);
	r.ctx->log = NULL; /* the rig's log is not thread-safe */
	for (size_t i = 0; i < SHARERS && !st; i++) {
		w[i] = (struct sharer){ &r, fn[i % 2], part[i], i % 2, 0 };
		if (pthread_create(&thread[i], NULL, share, &w[i]))
			abort();
	}
	for (size_t i = 0; i < SHARERS && !st; i++) {
		pthread_join(thread[i], NULL);
		UNIT_CHECK(t, w[i].n_bad == 0, "%u of %d launches %s", w[i].n_bad, ROUNDS,
			   i % 2 ? "show no race" : "show a race");
	}
	for (size_t i = 0; i < SHARERS; i++)
		qd_buffer_free(part[i]);
	qd_buffer_free(whole);
	qd_kernel_free(k[0]);
	qd_kernel_free(k[1]);
	rig_close(&r);
}

/* -- Endless loops ---------------------------------------------------------------------- */

static const char endless[] = "kernel spin(a: u32[]) block(2) {\n"
			      "  for i in grid(a.len) {\n"
			      "    while i < 4 {\n"
			      "      a[i] = 1;\n"
			      "      while a[0] == 1 {\n"
			      "      }\n"
			      "    }\n"
			      "  }\n"
			      "}\n";

/* Checks that the report names the innermost open loop, and that earlier messages do not hide
 * it. */
static void
endless_loops(struct unit_ctx *t)
{
	char *saved = steps("2000");
	struct rig r;
	struct qd_module *m = NULL;
	struct qd_kernel *k = NULL;
	uint32_t a[2] = { 0 };
	const struct io io[] = { IO(a) };

	if (!rig_open(&r, t, "ref:8"))
		return;
	qd_status st = qd_module_parse(r.ctx, endless, sizeof endless - 1, "spin.qdk", &m, &r.err);
	st = st ? st : qd_module_kernel(m, "spin", NULL, 0, &k, &r.err);
	UNIT_CHECK(t, !st, "%s", r.err.text);
	if (!st) {
		UNIT_CHECK(t, rig_launch(&r, k, 1, io, 1) == QD_E_FINDING, "%s", r.err.text);
		UNIT_CHECK(t,
			   strstr(r.log, "spin.qdk:5:7: finding: the loop has not ended after 2000 operations, the limit of a thread in a launch (QD_REF_STEPS); end it by 'break', 'return' or a condition that becomes false, or raise the limit (kernel spin, "
					 "block 0, thread 0)"),
			   "%s", r.log);
		/* the results are available, and the device is still usable */
		UNIT_CHECK(t, a[0] == 1, "%u", a[0]);
		UNIT_CHECK(t, rig_launch(&r, k, 1, io, 1) == QD_E_FINDING, "%s", r.err.text);
	}
	qd_kernel_free(k);
	qd_module_free(m);
	rig_close(&r);
	steps_back(saved);
}

/* Checks a kernel that needs exactly the limit of operations, and one fewer. */
static void
limit_is_exact(struct unit_ctx *t)
{
	char *saved = steps(NULL);
	struct rig r;
	uint32_t a[2] = { 0 }, most = 0;
	const struct io io[] = { IO(a) };

	for (uint32_t n = 1; n < 100 && !most; n++) {
		char text[16];
		snprintf(text, sizeof text, "%u", n);
		setenv("QD_REF_STEPS", text, 1);
		if (!rig_open(&r, t, "ref:8"))
			return;
		struct qd_builder *b = rig_kernel(&r, 8);
		struct qd_array dst = rig_dst(b);
		qd_store(b, dst, rig_thread(b), qd_u32(b, 5));
		qd_status st = rig_run(&r, b, 3, io, 1);
		if (st == QD_OK)
			most = n;
		else
			UNIT_CHECK(t, strstr(r.log, "the kernel has not ended after "), "%s",
				   r.log);
		rig_close(&r);
	}
	/* the limit applies to each block and subgroup separately */
	UNIT_CHECK(t, most > 1 && most < 20 && a[1] == 5, "%u operations", most);
	steps_back(saved);
}

static void
wrong_limits(struct unit_ctx *t)
{
	static const char *const wrong[] = { "0", "-1", "1e8", " 5", "5 ", "0x10", "many",
					     "1000000000000000000" };
	char *saved = steps(NULL);
	struct rig r;

	if (!rig_open(&r, t, "ref:8"))
		return;
	for (size_t i = 0; i < QD_COUNT(wrong); i++) {
		struct qd_device *dev = NULL;
		char want[64];

		setenv("QD_REF_STEPS", wrong[i], 1);
		qd_status st = qd_device_open(r.ctx, "ref:8", &dev, &r.err);
		snprintf(want, sizeof want, "QD_REF_STEPS='%s': expected ", wrong[i]);
		UNIT_CHECK(t, st == QD_E_INVALID && strstr(r.err.text, want), "%s: %s", wrong[i],
			   qd_status_name(st));
		qd_device_close(dev);
	}
	rig_close(&r);
	steps_back(saved);
}

/* -- Memory -------------------------------------------------------------------------------- */

/* Checks that a stream does not keep the memory of a large launch. */
static void
large_launch(struct unit_ctx *t)
{
	enum { VALUES = 20000, SLACK = 8 << 20 };
	static uint32_t a[128];
	const struct io io[] = { IO(a) };
	struct rig r;

	if (!rig_open(&r, t, "ref:128"))
		return;
	struct qd_builder *b = rig_kernel(&r, 128);
	struct qd_array dst = rig_dst(b);
	struct qd_val i = rig_thread(b), v = i;
	for (uint32_t n = 0; n < VALUES; n++)
		v = qd_mul(b, v, qd_add(b, i, v));
	qd_store(b, dst, i, v);
	size_t before = r.mem.bytes_out;
	UNIT_CHECK(t, rig_run(&r, b, 1, io, 1) == QD_OK, "%s", r.err.text);
	UNIT_CHECK(t, r.mem.bytes_out < before + SLACK, "%zu bytes, before %zu", r.mem.bytes_out,
		   before);
	rig_close(&r);
}

const struct unit units_ref_run[] = {
	{ "ref.together", together },
	{ "ref.watched_together", watched_together },
	{ "ref.late_start", late_start },
	{ "ref.endless", endless_loops },
	{ "ref.limit", limit_is_exact },
	{ "ref.wrong_limit", wrong_limits },
	{ "ref.large", large_launch },
};
const unsigned n_units_ref_run = QD_COUNT(units_ref_run);
