/* The CUDA driver at work on the fake: lost devices, current contexts, retries, threads, memory,
 * events, forks. */
#include "t_cuda.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 64 };

/* -- Lost devices ------------------------------------------------------------------- */

static uint32_t
count_text(const char *log, const char *part)
{
	uint32_t n = 0;
	for (; (log = strstr(log, part)); log++)
		n++;
	return n;
}

/* Checks a kernel that breaks the context. The first call that notices reports the error. Later
 * calls report a lost device, and the log repeats nothing. A new device works. */
void
t_cuda_lost(struct unit_ctx *t)
{
	struct fake_rig r;
	uint32_t got[WORDS];
	if (!cuda_rig_open(t, &r, "devices=1 fail=kernel:2:700"))
		return;
	struct qd_buffer *buf = fake_rig_buffer(t, &r, sizeof got);
	struct qd_stream *other = NULL;
	RIG_GOOD(t, &r, qd_stream_create(r.dev, &other, &r.e));
	RIG_GOOD(t, &r, fake_rig_inc(r.stream, r.fn, buf, WORDS, &r.e));
	RIG_GOOD(t, &r, qd_stream_sync(r.stream, &r.e));
	RIG_GOOD(t, &r, fake_rig_inc(r.stream, r.fn, buf, WORDS, &r.e));
	qd_status st = qd_stream_sync(r.stream, &r.e);
	/* The failed call may be one of a launch, which succeeded nevertheless. */
	UNIT_CHECK(t, st == QD_E_DEVICE_LOST && strstr(r.e.text, "cuda:0 (Fake GPU 0): ") &&
			      strstr(r.e.text, "cuEvent") &&
			      strstr(r.e.text, "CUDA_ERROR_ILLEGAL_ADDRESS") && strstr(r.e.text, "700") &&
			      strstr(r.e.text, ": an earlier kernel accessed invalid memory"),
		   "%s: %s", qd_status_name(st), r.e.text);
	for (int i = 0; i < 2; i++) {
		st = i ? fake_rig_inc(other, r.fn, buf, 1, &r.e) : qd_stream_sync(r.stream, &r.e);
		UNIT_CHECK(t, st == QD_E_DEVICE_LOST &&
				      strstr(r.e.text, "cuda:0 (Fake GPU 0): the device was lost when "
						       "cuEvent") &&
				      strstr(r.e.text, " (CUDA_ERROR_ILLEGAL_ADDRESS, 700: an earlier kernel "
						       "accessed invalid memory) failed; "
						       "close it and open it again"),
			   "%s: %s", qd_status_name(st), r.e.text);
	}
	qd_buffer_free(buf);
	qd_stream_free(other);
	fake_rig_shut(&r);
	UNIT_CHECK(t, count_text(r.log, "700") <= 1, "reported more than once:\n%s", r.log);

	RIG_GOOD(t, &r, qd_device_open(r.ctx, "cuda", &r.dev, &r.e));
	RIG_GOOD(t, &r, qd_stream_create(r.dev, &r.stream, &r.e));
	RIG_GOOD(t, &r, qd_function_get(r.dev, r.inc, NULL, 0, &r.fn, &r.e));
	buf = fake_rig_buffer(t, &r, sizeof got);
	RIG_GOOD(t, &r, fake_rig_inc(r.stream, r.fn, buf, WORDS, &r.e));
	RIG_GOOD(t, &r, qd_buffer_download(r.stream, buf, 0, got, sizeof got, &r.e));
	UNIT_CHECK(t, fake_rig_count_other(got, WORDS, 1) == 0, "got[0] is %u", got[0]);
	qd_buffer_free(buf);
	fake_rig_end(t, &r);
}

/* Checks each error code of a kernel, reported first by a sync or by a download. */
void
t_cuda_lost_codes(struct unit_ctx *t)
{
	static const int codes[] = { 214, 220, 226, 700, 702, 709, 710, 714, 715,
				     716, 717, 718, 719, 721, 810, 911 };
	for (size_t i = 0; i < QD_COUNT(codes); i++) {
		struct fake_rig r;
		char config[64], number[16];
		uint32_t got[WORDS];
		snprintf(config, sizeof config, "devices=1 fail=kernel:1:%d", codes[i]);
		snprintf(number, sizeof number, "%d", codes[i]);
		if (!cuda_rig_open(t, &r, config))
			return;
		struct qd_buffer *buf = fake_rig_buffer(t, &r, sizeof got);
		RIG_GOOD(t, &r, fake_rig_inc(r.stream, r.fn, buf, WORDS, &r.e));
		qd_status st = i % 2 ? qd_buffer_download(r.stream, buf, 0, got, sizeof got, &r.e)
				     : qd_stream_sync(r.stream, &r.e);
		UNIT_CHECK(t, st == QD_E_DEVICE_LOST && strstr(r.e.text, number) &&
				      strstr(r.e.text, cuda_result_name(codes[i])),
			   "%d: %s: %s", codes[i], qd_status_name(st), r.e.text);
		qd_buffer_free(buf);
		fake_rig_end(t, &r);
	}
}

/* -- Contexts ----------------------------------------------------------------------- */

/* Checks that every call restores the current context of a thread that uses another device. */
void
t_cuda_foreign_context(struct unit_ctx *t)
{
	struct fake_rig r;
	struct qd_event *a = NULL, *b = NULL;
	struct qd_buffer *buf = NULL, *large = NULL;
	void *mine, *now, *popped;
	uint32_t got[WORDS];
	uint64_t ns;
	if (!cuda_rig_begin(t, &r, "devices=2"))
		return;
	const struct cuda_fake *f = cuda_fake();
	/* Opening a device loads the library. */
	RIG_GOOD(t, &r, qd_device_open(r.ctx, "cuda:0", &r.dev, &r.e));
	fake_rig_shut(&r);
	UNIT_CHECK(t, f->retain(&mine, 1) == 0 && f->push(mine) == 0, "no context of my own");
#define STILL(expr)                                                                                \
	do {                                                                                       \
		RIG_GOOD(t, &r, expr);                                                             \
		UNIT_CHECK(t, f->depth(&now) == 1 && now == mine, "another context after %s",      \
			   #expr);                                                                 \
	} while (0)
	STILL(qd_device_open(r.ctx, "cuda:0", &r.dev, &r.e));
	STILL(qd_stream_create(r.dev, &r.stream, &r.e));
	STILL(qd_function_get(r.dev, r.inc, NULL, 0, &r.fn, &r.e));
	STILL(qd_buffer_create(r.dev, sizeof got, 0, &buf, &r.e));
	STILL(qd_buffer_create(r.dev, 40 << 20, 0, &large, &r.e));
	STILL(unit_event(r.dev, r.stream, &a, &r.e));
	STILL(fake_rig_inc(r.stream, r.fn, buf, WORDS, &r.e));
	STILL(unit_event(r.dev, r.stream, &b, &r.e));
	STILL(qd_buffer_download(r.stream, buf, 0, got, sizeof got, &r.e));
	STILL(qd_event_elapsed(a, b, &ns, &r.e));
	STILL((qd_event_free(a), qd_event_free(b), qd_buffer_free(large), qd_buffer_free(buf), QD_OK));
	STILL(qd_context_trim(r.ctx, &r.e));
	STILL((fake_rig_shut(&r), QD_OK));
#undef STILL
	UNIT_CHECK(t, fake_rig_count_other(got, WORDS, 1) == 0, "got[0] is %u", got[0]);
	f->pop(&popped);
	UNIT_CHECK(t, popped == mine && f->release(1) == 0, "another context");
	fake_rig_end(t, &r);
}

/* -- Retries ------------------------------------------------------------------------ */

/* Checks that work that the driver rejects is reported once and then continued where it stopped.
 * Every launch must run once. */
void
t_cuda_retry(struct unit_ctx *t)
{
	static const char *const calls[] = { "cuLaunchKernel:3", "cuEventRecord:1", "cuEventRecord:2",
					     "cuMemcpyAsync:1", "cuStreamWaitEvent:1" };
	for (size_t i = 0; i < QD_COUNT(calls); i++) {
		struct fake_rig r;
		char config[64];
		uint32_t got[WORDS], n_failed = 0, n_run = 0;
		struct qd_event *e = NULL;
		struct qd_stream *other = NULL;
		if (!cuda_rig_open(t, &r, "devices=1"))
			return;
		struct qd_buffer *buf = fake_rig_buffer(t, &r, sizeof got);
		RIG_GOOD(t, &r, qd_stream_create(r.dev, &other, &r.e));
		RIG_GOOD(t, &r, qd_stream_sync(r.stream, &r.e));
		RIG_GOOD(t, &r, unit_event(r.dev, other, &e, &r.e));
		snprintf(config, sizeof config, "devices=1 fail=%s:2", calls[i]);
		cuda_fake()->set(config);
		n_failed += qd_stream_wait(r.stream, e, &r.e) != QD_OK;
		for (int j = 0; j < 7; j++)
			n_run += fake_rig_inc(r.stream, r.fn, buf, WORDS, &r.e) == QD_OK;
		n_failed += 7 - n_run;
		qd_status st = qd_stream_sync(r.stream, &r.e);
		n_failed += st != QD_OK;
		st = qd_stream_sync(r.stream, &r.e);
		RIG_GOOD(t, &r, st);
		for (st = QD_E_BUSY; st != QD_OK;) {
			st = qd_buffer_download(r.stream, buf, 0, got, sizeof got, &r.e);
			n_failed += st != QD_OK;
			if (n_failed > 2)
				break;
		}
		UNIT_CHECK(t, n_failed <= 1 && fake_rig_count_other(got, WORDS, n_run) == 0,
			   "%s: %u calls failed, got[0] is %u: %s", calls[i], n_failed, got[0],
			   r.e.text);
		qd_event_free(e);
		qd_stream_free(other);
		qd_buffer_free(buf);
		fake_rig_end(t, &r);
	}
}

/* -- Calls of the driver -------------------------------------------------------------- */

/* Checks the number of driver calls. A launch makes three, two of which change the thread's
 * context, and is submitted to the device immediately. Each batch of 64 records one event,
 * with three calls. The speed of the device makes no difference. */
void
t_cuda_calls(struct unit_ctx *t)
{
	enum { BATCH = 64, LAUNCHES = 4 * BATCH, EACH = 3 };
	static const char *const configs[] = { "devices=1 delays=0", "devices=1" };
	const struct cuda_fake *f = cuda_fake();
	for (size_t i = 0; i < QD_COUNT(configs); i++) {
		struct fake_rig r;
		uint32_t got[WORDS];
		if (!cuda_rig_open(t, &r, configs[i]))
			return;
		struct qd_buffer *buf = fake_rig_buffer(t, &r, sizeof got);
		/* Afterwards the buffer is known to be cleared, and the stream is empty. */
		for (uint32_t j = 0; j < 2; j++) {
			RIG_GOOD(t, &r, fake_rig_inc(r.stream, r.fn, buf, WORDS, &r.e));
			RIG_GOOD(t, &r, qd_stream_sync(r.stream, &r.e));
		}
		f->set(configs[i]);
		for (uint32_t j = 0; j < LAUNCHES; j++)
			RIG_GOOD(t, &r, fake_rig_inc(r.stream, r.fn, buf, WORDS, &r.e));
		unsigned all = f->calls(NULL), launches = f->calls("cuLaunchKernel");
		unsigned records = f->calls("cuEventRecord"), queries = f->calls("cuEventQuery");
		UNIT_CHECK(t, launches == LAUNCHES && records <= LAUNCHES / BATCH && queries == 0 &&
				      all <= EACH * LAUNCHES + EACH * (LAUNCHES / BATCH),
			   "%s: %u calls for %u launches: %u cuLaunchKernel, %u cuEventRecord, "
			   "%u cuEventQuery, %u cuCtxPushCurrent",
			   configs[i], all, LAUNCHES, launches, records, queries,
			   f->calls("cuCtxPushCurrent_v2"));
		RIG_GOOD(t, &r, qd_buffer_download(r.stream, buf, 0, got, sizeof got, &r.e));
		UNIT_CHECK(t, fake_rig_count_other(got, WORDS, LAUNCHES + 2) == 0, "got[0] is %u", got[0]);
		qd_buffer_free(buf);
		fake_rig_end(t, &r);
	}
}

/* Checks that launches already given to the device are waited for if their batch is never
 * submitted, because its event cannot be recorded. */
void
t_cuda_started(struct unit_ctx *t)
{
	struct fake_rig r;
	if (!cuda_rig_open(t, &r, "devices=1"))
		return;
	struct qd_buffer *buf = fake_rig_buffer(t, &r, 6 << 20);
	RIG_GOOD(t, &r, fake_rig_inc(r.stream, r.fn, buf, 1, &r.e));
	RIG_GOOD(t, &r, qd_stream_sync(r.stream, &r.e));
	cuda_fake()->set("devices=1 fail=cuEventRecord:0:2");
	for (int i = 0; i < 40; i++)
		RIG_GOOD(t, &r, fake_rig_inc(r.stream, r.fn, buf, 4096, &r.e));
	unsigned n = cuda_fake()->calls("cuLaunchKernel");
	UNIT_CHECK(t, n == 40, "%u launches were given to the device", n);
	qd_buffer_free(buf);
	qd_status st = qd_stream_flush(r.stream, &r.e);
	UNIT_CHECK(t, st == QD_E_DEVICE_NOMEM && cuda_fake()->calls("cuStreamSynchronize") == 1,
		   "%s: %s", qd_status_name(st), r.e.text);
	fake_rig_end(t, &r);
}

/* Checks the same for a batch that is lost because a command finds no memory. The launches before
 * that command use the buffer. */
void
t_cuda_lost_batch(struct unit_ctx *t)
{
	enum { N_WORDS = 40, LAUNCHES = 50, FILLS = 12 };
	struct fake_rig r;
	struct qd_module *m = NULL;
	struct qd_kernel *k = NULL;
	struct qd_function *fn = NULL;
	struct qd_arg args[1 + N_WORDS];
	char text[1024] = "qdk 2;\nkernel many(a: u32[]";
	uint32_t word = 7;
	size_t at = strlen(text);
	if (!cuda_rig_open(t, &r, "devices=1"))
		return;
	for (unsigned i = 0; i < N_WORDS; i++) {
		at += (size_t)snprintf(text + at, sizeof text - at, ", s%u: u64", i);
		args[1 + i] = qd_arg_u64(i);
	}
	snprintf(text + at, sizeof text - at, ") block(32) { for i in grid(a.len) { a[i] = a[i] + 1; } }");
	RIG_GOOD(t, &r, qd_module_parse(r.ctx, text, strlen(text), "many", &m, &r.e));
	RIG_GOOD(t, &r, qd_module_kernel(m, "many", NULL, 0, &k, &r.e));
	RIG_GOOD(t, &r, qd_function_get(r.dev, k, NULL, 0, &fn, &r.e));
	struct qd_buffer *buf = fake_rig_buffer(t, &r, 6 << 20);
	args[0] = qd_arg_buffer(buf);
	RIG_GOOD(t, &r, qd_launch(r.stream, fn, 1, args, QD_COUNT(args), &r.e));
	RIG_GOOD(t, &r, qd_stream_sync(r.stream, &r.e));
	RIG_GOOD(t, &r, qd_context_trim(r.ctx, &r.e)); /* empty the pool */
	r.alloc.fail_at = r.alloc.n_calls + 1;
	r.alloc.fail_on = true;
	qd_status st = QD_OK;
	for (int i = 0; i < LAUNCHES && st == QD_OK; i++)
		st = qd_launch(r.stream, fn, 2000, args, QD_COUNT(args), &r.e);
	UNIT_CHECK(t, st == QD_E_NOMEM, "%d launches found room", LAUNCHES);
	/* Fills and copies cannot report a lack of memory; the end of the batch does. */
	for (int i = 0; i < FILLS; i++)
		RIG_GOOD(t, &r, qd_buffer_fill(r.stream, buf, 0, 4096, &word, sizeof word, &r.e));
	r.alloc.fail_at = 0;
	r.alloc.fail_on = false;
	cuda_fake()->set("devices=1");
	st = qd_stream_flush(r.stream, &r.e);
	UNIT_CHECK(t, st == QD_E_NOMEM && cuda_fake()->calls("cuStreamSynchronize") == 1, "%s: %s", qd_status_name(st), st ? r.e.text : "");
	qd_function_free(fn);
	qd_buffer_free(buf);
	qd_kernel_free(k);
	qd_module_free(m);
	fake_rig_end(t, &r);
}

/* -- Threads ------------------------------------------------------------------------ */

void
t_cuda_threads(struct unit_ctx *t)
{
	struct fake_rig r;
	if (cuda_rig_open(t, &r, "devices=1"))
		fake_rig_threads(t, &r);
}

/* -- Memory ------------------------------------------------------------------------- */

void
t_cuda_memory(struct unit_ctx *t)
{
	struct fake_rig r;
	if (cuda_rig_open(t, &r, "devices=1 memory=67108864"))
		fake_rig_memory(t, &r, 6 << 20, 8, 10, "no room for 6291456 bytes: cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (2)",
				"the device supports 67108864 at most");
}

/* -- Events ------------------------------------------------------------------------- */

void
t_cuda_events(struct unit_ctx *t)
{
	struct fake_rig r;
	if (cuda_rig_open(t, &r, "devices=1"))
		fake_rig_events(t, &r);
}

/* -- Pieces --------------------------------------------------------------------------- */

/* Checks a launch of more blocks than a grid may have. Every block must run once. */
void
t_cuda_pieces(struct unit_ctx *t)
{
	struct fake_rig r;
	uint32_t got[WORDS];
	if (!cuda_rig_open(t, &r, "devices=1 blocks=15"))
		return;
	struct qd_buffer *buf = fake_rig_buffer(t, &r, sizeof got);
	RIG_GOOD(t, &r, fake_rig_inc(r.stream, r.fn, buf, WORDS, &r.e));
	RIG_GOOD(t, &r, qd_buffer_download(r.stream, buf, 0, got, sizeof got, &r.e));
	unsigned n = cuda_fake()->calls("cuLaunchKernel");
	UNIT_CHECK(t, n == 5 && fake_rig_count_other(got, WORDS, 1) == 0, "%u launches, got[0] is %u", n,
		   got[0]);
	qd_buffer_free(buf);
	fake_rig_end(t, &r);
}

/* -- Forks -------------------------------------------------------------------------- */

static int
in_child(struct fake_rig *r, struct qd_buffer *buf)
{
	struct qd_context *ctx = NULL;
	struct qd_device *dev = NULL;
	struct qd_device_info all[4];
	struct qd_context_desc desc = { .version = QD_VERSION };
	uint32_t n = 0;
	alarm(60);
	if (fake_rig_inc(r->stream, r->fn, buf, 1, &r->e) != QD_E_FORKED)
		return 1;
	qd_buffer_free(buf);
	fake_rig_shut(r);
	if (qd_context_create(&desc, &ctx, &r->e))
		return 2;
	if (qd_device_open(ctx, "cuda", &dev, &r->e) != QD_E_FORKED ||
	    !strstr(r->e.text, "CUDA was initialized by the parent of process "))
		return 3;
	if (qd_device_list(ctx, all, QD_COUNT(all), &n, &r->e) || !n ||
	    !strstr(all[0].why, "before a fork"))
		return 4;
	if (qd_device_open(ctx, "ref:8", &dev, &r->e))
		return 5;
	qd_device_close(dev);
	qd_context_free(ctx);
	return 0;
}

/* Checks that the child of a process that has used CUDA is rejected, and that the parent
 * continues. */
void
t_cuda_fork(struct unit_ctx *t)
{
	struct fake_rig r;
	if (cuda_rig_open(t, &r, "devices=1"))
		fake_rig_fork(t, &r, in_child);
}

/* -- The fake itself ---------------------------------------------------------------- */

struct bare { /* the driver without qd; its context is current */
	const struct cuda_symbols *cu;
	struct CUctx_st *ctx;
	struct CUstream_st *stream;
	uint64_t a, b;
};

enum { BARE = 16 << 20 };

static void
pop_nothing(struct bare *d)
{
	d->cu->cuCtxPopCurrent(&d->ctx);
	d->cu->cuCtxPopCurrent(&d->ctx);
}

static void
release_twice(struct bare *d)
{
	d->cu->cuMemFree(d->a);
	d->cu->cuMemFree(d->b);
	d->cu->cuStreamDestroy(d->stream);
	d->cu->cuDevicePrimaryCtxRelease(0);
	d->cu->cuDevicePrimaryCtxRelease(0);
}

static void
without_context(struct bare *d)
{
	d->cu->cuCtxPopCurrent(&d->ctx);
	d->cu->cuStreamSynchronize(d->stream);
}

static void
event_after_its_end(struct bare *d)
{
	struct CUevent_st *e;
	d->cu->cuEventCreate(&e, 0);
	d->cu->cuEventDestroy(e);
	d->cu->cuEventQuery(e);
}

static void
stream_for_event(struct bare *d)
{
	d->cu->cuEventQuery((struct CUevent_st *)(void *)d->stream);
}

static void
copy_past_the_end(struct bare *d)
{
	d->cu->cuMemcpyAsync(d->a, d->b, BARE + 4, d->stream);
}

static void
free_in_use(struct bare *d)
{
	for (int i = 0; i < 100; i++)
		d->cu->cuMemcpyAsync(d->a, d->b, BARE, d->stream);
	d->cu->cuMemFree(d->a);
	d->cu->cuStreamSynchronize(d->stream);
}

static void
module_in_use(struct bare *d)
{
	static const char text[] = ".version 6.0\n.target sm_70\n.address_size 64\n.visible .entry "
				   "k(.param .align 8 .b8 args[8])\n{\n\tret;\n}\n";
	struct CUmod_st *m;
	struct CUfunc_st *f;
	uint64_t args = 0;
	size_t size = sizeof args;
	void *extra[] = { CUDA_LAUNCH_BUFFER, &args, CUDA_LAUNCH_SIZE, &size, CUDA_LAUNCH_END };
	if (d->cu->cuModuleLoadDataEx(&m, text, 0, NULL, NULL) ||
	    d->cu->cuModuleGetFunction(&f, m, "k"))
		return;
	for (int i = 0; i < 5000; i++)
		d->cu->cuLaunchKernel(f, 64, 1, 1, 64, 1, 1, 0, d->stream, NULL, extra);
	d->cu->cuModuleUnload(m);
}

static void
leave_all(struct bare *d)
{
	d->cu->cuDevicePrimaryCtxRelease(0);
}

static int
run_bare(const struct cuda_symbols *cu, void (*fn)(struct bare *d))
{
	struct bare d = { .cu = cu };
	signal(SIGABRT, SIG_DFL);
	signal(SIGSEGV, SIG_DFL);
	signal(SIGBUS, SIG_DFL);
	alarm(60);
	if (!freopen("/dev/null", "w", stderr) || cu->cuInit(0) ||
	    cu->cuDevicePrimaryCtxRetain(&d.ctx, 0) || cu->cuCtxPushCurrent(d.ctx) ||
	    cu->cuMemAlloc(&d.a, BARE) || cu->cuMemAlloc(&d.b, BARE) ||
	    cu->cuStreamCreate(&d.stream, CUDA_STREAM_NON_BLOCKING))
		return 1;
	fn(&d);
	return 2;
}

/* Checks that the fake aborts on misuse. Otherwise tests on it would prove little. */
void
t_cuda_strict(struct unit_ctx *t)
{
	static const struct {
		void (*fn)(struct bare *d);
		const char *name;
	} rows[] = {
		{ pop_nothing, "a context is popped that was not pushed" },
		{ release_twice, "a context is released twice" },
		{ without_context, "a call without a context" },
		{ event_after_its_end, "an event after its end" },
		{ stream_for_event, "a stream for an event" },
		{ copy_past_the_end, "a copy past the end" },
		{ free_in_use, "memory is freed in use" },
		{ module_in_use, "a module is unloaded in use" },
		{ leave_all, "a context is destroyed with its objects" },
	};
	const struct cuda_library *lib;
	struct qd_error e;
	if (!cuda_fake_begin(t, "devices=1"))
		return;
	qd_status st = cuda_library_get(&lib, &e);
	UNIT_CHECK(t, st == QD_OK, "%s", e.text);
	for (size_t i = 0; i < QD_COUNT(rows) && st == QD_OK; i++) {
		int status = 0;
		pid_t pid = fork();
		if (pid == 0)
			_exit(run_bare(&lib->cu, rows[i].fn));
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			abort();
		UNIT_CHECK(t, WIFSIGNALED(status) && WTERMSIG(status) != SIGALRM,
			   "%s: goes unseen (%d)", rows[i].name, status);
	}
	cuda_fake_end(t);
}
