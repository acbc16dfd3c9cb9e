/* Launches that end after a number of steps of all their threads, or that another thread
 * cancels. Other launches of the stream and their data are unaffected.
 *
 * QD_TEST_ON: a driver that cannot end a launch, and must reject the request. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "qd.h"
#include "unit.h"

static const char text[] =
	"kernel number(a: u32[]) block(32) {\n"
	"	let i = block.global_thread_idx(); a[i] = u32(i) + 1; }\n"
	"kernel turns(a: u32[]) block(64) { shared s: u32[64];\n"
	"	let t = block.thread_idx(); let i = block.global_thread_idx();\n"
	"	s[t] = 1; block.sync(); a[i] = s[63 - t] + u32(i); }\n"
	"kernel many(a: u32[]) block(1) { a[block.idx] = block.idx + 1; }\n"
	"kernel endless(a: u32[]) block(1) { a[0] = 1; while a[1] == 0 { } }\n";

enum { N = 256, ROUNDS = 200 };

static const char *const selectors[] = { "ref:8", "ref:128", "emu:sm_90", "emu:gfx1100", "emu:gfx90a" };

struct rig {
	struct qd_context *ctx;
	struct qd_device *dev;
	struct qd_stream *stream;
	struct qd_module *module;
	struct qd_kernel *kernel;
	struct qd_function *fn;
	struct qd_buffer *buf;
	uint32_t *mem; /* contents of the buffer */
	struct qd_error e;
};

static bool
rig_open(struct unit_ctx *t, struct rig *r, const char *selector, const char *kernel,
	 const struct qd_context_desc *given)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	void *mem;

	memset(r, 0, sizeof *r);
	if (given)
		desc = *given;
	alarm(300); /* if a launch is not ended */
	if (qd_context_create(&desc, &r->ctx, &r->e) ||
	    qd_device_open(r->ctx, selector, &r->dev, &r->e) ||
	    qd_stream_create(r->dev, &r->stream, &r->e) ||
	    qd_module_parse(r->ctx, text, sizeof text - 1, "cancel.qdk", &r->module, &r->e) ||
	    qd_module_kernel(r->module, kernel, NULL, 0, &r->kernel, &r->e) ||
	    qd_function_get(r->dev, r->kernel, NULL, 0, &r->fn, &r->e) ||
	    qd_buffer_create(r->dev, N * sizeof *r->mem, 0, &r->buf, &r->e) ||
	    qd_buffer_map(r->buf, &mem, &r->e)) {
		UNIT_CHECK(t, false, "%s: %s", selector, r->e.text);
		return false;
	}
	r->mem = mem;
	return true;
}

static void
rig_close(struct rig *r)
{
	qd_buffer_free(r->buf);
	qd_function_free(r->fn);
	qd_kernel_free(r->kernel);
	qd_module_free(r->module);
	qd_stream_free(r->stream);
	qd_device_close(r->dev);
	qd_context_free(r->ctx);
	alarm(0);
}

static qd_status
launch(struct rig *r, uint32_t n_blocks)
{
	struct qd_arg arg = qd_arg_buffer(r->buf);

	return qd_launch(r->stream, r->fn, n_blocks, &arg, 1, &r->e);
}

static qd_status
run(struct rig *r, uint32_t n_blocks)
{
	qd_status st = launch(r, n_blocks);

	return st ? st : qd_stream_sync(r->stream, &r->e);
}

static qd_status
zero(struct rig *r)
{
	uint32_t none = 0;

	return qd_buffer_fill(r->stream, r->buf, 0, N * sizeof none, &none, sizeof none, &r->e);
}

/* Returns the number of leading elements that equal the results of a complete launch. */
static uint32_t
n_right(const struct rig *r)
{
	uint32_t n = 0;

	while (n < N && r->mem[n] == n + 1)
		n++;
	return n;
}

/* -- Steps -------------------------------------------------------------------------------- */

static bool
fits(struct unit_ctx *t, struct rig *r, uint64_t steps, uint32_t n_blocks)
{
	qd_status st;

	UNIT_CHECK(t, !qd_stream_limit(r->stream, steps, &r->e) && !zero(r), "%s", r->e.text);
	st = run(r, n_blocks);
	UNIT_CHECK(t, st == QD_OK || st == QD_E_LIMIT, "%llu steps: %s",
		   (unsigned long long)steps, r->e.text);
	if (st == QD_OK)
		UNIT_CHECK(t, n_right(r) == N, "%u elements are right after a whole launch",
			   n_right(r));
	return st == QD_OK;
}

/* Returns the fewest steps with which a launch completes. */
static uint64_t
least(struct unit_ctx *t, struct rig *r, uint32_t n_blocks)
{
	uint64_t lo = 0, hi = 1 << 22;

	while (hi - lo > 1) {
		uint64_t mid = lo + (hi - lo) / 2;

		if (fits(t, r, mid, n_blocks))
			hi = mid;
		else
			lo = mid;
	}
	return hi;
}

/* Checks that the limit is exact, counts all blocks together, and applies to each launch
 * separately. */
static void
steps_are_exact(struct unit_ctx *t)
{
	static const struct {
		const char *name;
		uint32_t block;
	} kernels[] = { { "number", 32 }, { "turns", 64 } };

	for (size_t i = 0; i < QD_COUNT(selectors) * QD_COUNT(kernels); i++) {
		const char *selector = selectors[i / QD_COUNT(kernels)];
		const char *name = kernels[i % QD_COUNT(kernels)].name;
		uint32_t n_blocks = N / kernels[i % QD_COUNT(kernels)].block;
		char want[160];
		struct rig r;

		if (!rig_open(t, &r, selector, name, NULL))
			return;
		uint64_t all = least(t, &r, n_blocks);
		UNIT_CHECK(t, all > 2 * n_blocks && all < 1 << 16, "%s, %s: %llu steps", selector,
			   name, (unsigned long long)all);
		UNIT_CHECK(t, !fits(t, &r, all - 1, n_blocks), "%s, %s", selector, name);
		snprintf(want, sizeof want,
			 "kernel '%s': the launch was ended after %llu steps, the limit of all its "
			 "threads together (QD_STEPS, ",
			 name, (unsigned long long)all - 1);
		UNIT_CHECK(t, strstr(r.e.text, want) == r.e.text, "%s: %s", selector, r.e.text);
		UNIT_CHECK(t, qd_stream_sync(r.stream, &r.e) == QD_OK, "%s: reported twice", selector);
		for (unsigned k = 0; k < 4; k++)
			UNIT_CHECK(t, fits(t, &r, all, n_blocks), "%s, %s: %s", selector, name, r.e.text);
		/* Two launches, of which only the second is ended; then only the first. */
		UNIT_CHECK(t, !zero(&r) && !launch(&r, n_blocks) && !qd_stream_limit(r.stream, 2, &r.e) &&
				      !launch(&r, n_blocks),
			   "%s", r.e.text);
		UNIT_CHECK(t, qd_stream_sync(r.stream, &r.e) == QD_E_LIMIT && n_right(&r) == N, "%s",
			   r.e.text);
		UNIT_CHECK(t, !zero(&r) && !launch(&r, n_blocks) && !qd_stream_limit(r.stream, 0, &r.e) &&
				      !launch(&r, n_blocks),
			   "%s", r.e.text);
		UNIT_CHECK(t, qd_stream_sync(r.stream, &r.e) == QD_E_LIMIT && n_right(&r) == N, "%s",
			   r.e.text);
		rig_close(&r);
	}
}

/* Checks a grid that no machine completes. */
static void
steps_end_a_grid(struct unit_ctx *t)
{
	for (size_t i = 0; i < QD_COUNT(selectors); i++) {
		struct rig r;

		if (!rig_open(t, &r, selectors[i], "many", NULL))
			return;
		UNIT_CHECK(t, !qd_stream_limit(r.stream, 100000, &r.e), "%s", r.e.text);
		UNIT_CHECK(t, run(&r, INT32_MAX) == QD_E_LIMIT, "%s", r.e.text);
		UNIT_CHECK(t, run(&r, UINT32_MAX - 1) == QD_E_LIMIT, "%s: %s", selectors[i], r.e.text);
		rig_close(&r);
	}
}

/* Checks that the stream's limit overrides the context's, and that one the environment's. */
static void
steps_from_anywhere(struct unit_ctx *t)
{
	static const char *const wrong[] = { "0", "-1", "1e8", " 5", "many" };
	struct qd_context_desc desc = { .version = QD_VERSION };
	const char *old = getenv("QD_STEPS");
	char *saved = old ? strdup(old) : NULL;
	struct rig r;

	setenv("QD_STEPS", "7", 1);
	for (size_t i = 0; i < QD_COUNT(selectors); i++) {
		if (!rig_open(t, &r, selectors[i], "number", NULL))
			return;
		UNIT_CHECK(t, run(&r, N / 32) == QD_E_LIMIT && strstr(r.e.text, " after 7 steps"), "%s",
			   r.e.text);
		rig_close(&r);
		desc.limits.max_steps = 9;
		if (!rig_open(t, &r, selectors[i], "number", &desc))
			return;
		UNIT_CHECK(t, run(&r, N / 32) == QD_E_LIMIT && strstr(r.e.text, " after 9 steps"), "%s",
			   r.e.text);
		UNIT_CHECK(t, !qd_stream_limit(r.stream, 11, &r.e), "%s", r.e.text);
		UNIT_CHECK(t, run(&r, N / 32) == QD_E_LIMIT && strstr(r.e.text, " after 11 steps"), "%s",
			   r.e.text);
		UNIT_CHECK(t, !qd_stream_limit(r.stream, 0, &r.e), "%s", r.e.text);
		UNIT_CHECK(t, run(&r, N / 32) == QD_E_LIMIT && strstr(r.e.text, " after 9 steps"), "%s",
			   r.e.text);
		rig_close(&r);
	}
	setenv("QD_STEPS", "1000000", 1);
	if (!rig_open(t, &r, "ref:8", "number", NULL))
		return;
	for (size_t i = 0; i < QD_COUNT(wrong); i++) {
		struct qd_device *dev = NULL;

		setenv("QD_STEPS", wrong[i], 1);
		UNIT_CHECK(t, qd_device_open(r.ctx, i & 1 ? "ref" : "emu", &dev, &r.e) == QD_E_INVALID &&
				      strstr(r.e.text, "expected the limit of steps per launch"),
			   "%s: %s", wrong[i], r.e.text);
	}
	rig_close(&r);
	if (saved)
		setenv("QD_STEPS", saved, 1);
	else
		unsetenv("QD_STEPS");
	free(saved);
}

/* -- Another thread ------------------------------------------------------------------------ */

struct launcher {
	struct rig *r;
	uint32_t n_blocks;
	qd_status launched, synced;
	struct qd_error e;
};

static void *
launch_and_sync(void *p)
{
	struct launcher *l = p;
	struct qd_arg arg = qd_arg_buffer(l->r->buf);

	l->launched = qd_launch(l->r->stream, l->r->fn, l->n_blocks, &arg, 1, &l->e);
	l->synced = qd_stream_sync(l->r->stream, &l->e);
	return NULL;
}

/* Waits until the launch is running. */
static void
wait_for_first(struct rig *r)
{
	while (!__atomic_load_n(r->mem, __ATOMIC_RELAXED))
		usleep(100);
}

static void
cancel_ends(struct unit_ctx *t, const char *selector, const char *kernel, uint32_t n_blocks)
{
	struct launcher l = { .n_blocks = n_blocks };
	char want[80];
	pthread_t thread;
	struct rig r;

	if (!rig_open(t, &r, selector, kernel, NULL))
		return;
	l.r = &r;
	if (pthread_create(&thread, NULL, launch_and_sync, &l)) {
		UNIT_CHECK(t, false, "no thread");
		return;
	}
	wait_for_first(&r);
	UNIT_CHECK(t, qd_stream_cancel(r.stream, &r.e) == QD_OK, "%s", r.e.text);
	pthread_join(thread, NULL);
	UNIT_CHECK(t, l.launched == QD_OK && l.synced == QD_E_CANCELED, "%s: %s", selector, l.e.text);
	snprintf(want, sizeof want, "kernel '%s': qd_stream_cancel ended the launch after ", kernel);
	UNIT_CHECK(t, strstr(l.e.text, want) == l.e.text, "%s: %s", selector, l.e.text);
	UNIT_CHECK(t, qd_stream_sync(r.stream, &r.e) == QD_OK, "%s: reported twice", selector);
	/* The stream must still be usable. */
	r.mem[1] = 1;
	UNIT_CHECK(t, run(&r, 1) == QD_OK && r.mem[0] == 1, "%s: %s", selector, r.e.text);
	rig_close(&r);
}

static void
cancel_running(struct unit_ctx *t)
{
	setenv("QD_REF_STEPS", "999999999999", 1);
	setenv("QD_EMU_STEPS", "999999999999", 1);
	for (size_t i = 0; i < QD_COUNT(selectors); i++) {
		cancel_ends(t, selectors[i], "endless", 1);
		cancel_ends(t, selectors[i], "many", UINT32_MAX - 1);
	}
	unsetenv("QD_REF_STEPS");
	unsetenv("QD_EMU_STEPS");
}

/* Checks that launches after a cancel do not run until a call has returned it. */
static void
cancel_pending(struct unit_ctx *t)
{
	for (size_t i = 0; i < QD_COUNT(selectors); i++) {
		uint32_t seven = 7, got[N] = { 0 };
		struct rig r;

		if (!rig_open(t, &r, selectors[i], "number", NULL))
			return;
		UNIT_CHECK(t, !run(&r, N / 32) && n_right(&r) == N, "%s", r.e.text);
		UNIT_CHECK(t, !qd_stream_cancel(r.stream, &r.e) && !qd_stream_cancel(r.stream, &r.e), "%s",
			   r.e.text);
		UNIT_CHECK(t, !qd_buffer_fill(r.stream, r.buf, 0, sizeof got, &seven, 4, &r.e) &&
				      !launch(&r, N / 32) && !launch(&r, N / 32),
			   "%s", r.e.text);
		UNIT_CHECK(t, qd_buffer_download(r.stream, r.buf, 0, got, sizeof got, &r.e) == QD_E_CANCELED,
			   "%s", r.e.text);
		for (uint32_t k = 0; k < N; k++)
			UNIT_CHECK(t, got[k] == seven, "%s: element %u is %u", selectors[i], k, got[k]);
		UNIT_CHECK(t, !run(&r, N / 32) && n_right(&r) == N, "%s", r.e.text);
		UNIT_CHECK(t, !qd_stream_cancel(r.stream, &r.e) &&
				      qd_stream_sync(r.stream, &r.e) == QD_E_CANCELED &&
				      strstr(r.e.text, "no launch was running"),
			   "%s", r.e.text);
		qd_stream_cancel(r.stream, &r.e); /* then freed while pending */
		rig_close(&r);
	}
}

struct shared {
	struct rig *r;
	_Atomic bool done;
	uint32_t n_cancels, n_reported, n_whole, n_wrong;
};

static void *
cancel_often(void *p)
{
	struct shared *s = p;

	while (!atomic_load(&s->done)) {
		s->n_cancels += qd_stream_cancel(s->r->stream, NULL) == QD_OK;
		usleep(50);
	}
	return NULL;
}

/* One thread launches and another cancels. A launch that returns QD_OK is complete, and each
 * cancel is returned once at most. */
static void
cancel_races(struct unit_ctx *t)
{
	for (size_t i = 0; i < QD_COUNT(selectors); i++) {
		struct shared s = { .n_cancels = 0 };
		pthread_t thread;
		struct rig r;

		if (!rig_open(t, &r, selectors[i], "number", NULL))
			return;
		s.r = &r;
		atomic_init(&s.done, false);
		if (pthread_create(&thread, NULL, cancel_often, &s)) {
			UNIT_CHECK(t, false, "no thread");
			return;
		}
		for (uint32_t k = 0; k < ROUNDS; k++) {
			qd_status st = zero(&r) ? QD_E_INTERNAL : run(&r, N / 32);

			s.n_reported += st == QD_E_CANCELED;
			s.n_whole += st == QD_OK;
			s.n_wrong += st == QD_OK ? n_right(&r) != N : st != QD_E_CANCELED;
		}
		atomic_store(&s.done, true);
		pthread_join(thread, NULL);
		s.n_reported += qd_stream_sync(r.stream, NULL) == QD_E_CANCELED;
		UNIT_CHECK(t, !s.n_wrong && s.n_reported <= s.n_cancels, "%s: %u wrong, %u of %u reported",
			   selectors[i], s.n_wrong, s.n_reported, s.n_cancels);
		UNIT_CHECK(t, !zero(&r) && !run(&r, N / 32) && n_right(&r) == N, "%s", r.e.text);
		rig_close(&r);
	}
}

/* -- Drivers without cancel ---------------------------------------------------------------- */

static void
cancel_refused(struct unit_ctx *t)
{
	static const char *const drivers[] = { "cuda", "amdgpu", "vulkan" };
	const char *on = getenv("QD_TEST_ON");
	bool any = false;

	for (size_t i = 0; i < QD_COUNT(drivers); i++) {
		struct qd_context_desc desc = { .version = QD_VERSION };
		struct qd_context *ctx = NULL;
		struct qd_device *dev = NULL;
		struct qd_stream *s = NULL;
		struct qd_error e;

		if (on && strcmp(on, drivers[i]) != 0)
			continue;
		if (qd_context_create(&desc, &ctx, &e) == QD_OK &&
		    qd_device_open(ctx, drivers[i], &dev, &e) == QD_OK) {
			any = true;
			UNIT_CHECK(t, !qd_stream_create(dev, &s, &e), "%s", e.text);
			UNIT_CHECK(t, qd_stream_cancel(s, &e) == QD_E_UNAVAILABLE &&
					      strstr(e.text, " cannot end a launch; ref and emu can"),
				   "%s", e.text);
			UNIT_CHECK(t, qd_stream_limit(s, 5, &e) == QD_E_UNAVAILABLE, "%s", e.text);
			UNIT_CHECK(t, qd_stream_sync(s, &e) == QD_OK, "%s", e.text);
		}
		qd_stream_free(s);
		qd_device_close(dev);
		qd_context_free(ctx);
	}
	UNIT_CHECK(t, any || !on, "%s cannot be opened", on ? on : "");
	if (!any)
		unit_skip(t, "no driver of a GPU");
}

static void
wrong_calls(struct unit_ctx *t)
{
	struct qd_error e;

	UNIT_CHECK(t, qd_stream_cancel(NULL, &e) == QD_E_INVALID, "%s", e.text);
	UNIT_CHECK(t, qd_stream_limit(NULL, 1, &e) == QD_E_INVALID, "%s", e.text);
}

const struct unit units_cancel[] = {
	{ "cancel.steps_are_exact", steps_are_exact },
	{ "cancel.steps_end_a_grid", steps_end_a_grid },
	{ "cancel.steps_from_anywhere", steps_from_anywhere },
	{ "cancel.running", cancel_running },
	{ "cancel.pending", cancel_pending },
	{ "cancel.races", cancel_races },
	{ "cancel.refused", cancel_refused },
	{ "cancel.wrong_calls", wrong_calls },
};
const size_t n_units_cancel = QD_COUNT(units_cancel);
