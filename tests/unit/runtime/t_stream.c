/* Guarantees of streams, on every driver: data stays intact if threads share a stream, frees
 * never block, and work starts on submission. Each test runs on each device of the table
 * `where`; unavailable devices are skipped.
 *
 * QD_TEST_ITERATIONS: iterations of the threads (default 500, with QD_TEST_SOME 150).
 * stream.in_order runs eight times this number plus 2000 random steps.
 * QD_TEST_ON: a prefix of the devices to test. */
#include "t_stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "amdgpu_fake.h"
#include "cuda_fake.h"
#include "fake.h"
#include "stream.h"
#include "vulkan_internal.h"

/* -- The rig ------------------------------------------------------------------------ */

static bool
open_ref(struct stream_rig *r)
{
	return qd_device_open(r->ctx, "ref:8", &r->dev, &r->e) == QD_OK;
}

void
stream_mesa_cache(void)
{
	if (!getenv("MESA_SHADER_CACHE_DIR"))
		setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
}

static bool
open_vulkan(struct stream_rig *r)
{
	stream_mesa_cache();
	return qd_device_open(r->ctx, "vulkan", &r->dev, &r->e) == QD_OK;
}

static bool
open_staged(struct stream_rig *r)
{
	vulkan_hooks.staged = true;
	bool ok = open_vulkan(r);
	vulkan_hooks.staged = false;
	return ok;
}

static bool
open_fake(struct stream_rig *r)
{
	r->is_fake = true;
	return fake_open(r->ctx, FAKE_SEEN, &r->dev, &r->e) == QD_OK;
}

static bool
open_fake_hidden(struct stream_rig *r)
{
	r->is_fake = true;
	return fake_open(r->ctx, FAKE_HIDDEN, &r->dev, &r->e) == QD_OK;
}

static bool
open_cuda(struct stream_rig *r)
{
	const struct cuda_fake *fake = cuda_fake();
	if (!fake) {
		r->e.code = QD_E_UNAVAILABLE;
		return false;
	}
	fake->set("devices=1");
	r->is_cuda = true;
	return qd_device_open(r->ctx, "cuda", &r->dev, &r->e) == QD_OK;
}

static bool
open_amdgpu_as(struct stream_rig *r, const char *config)
{
	const struct amdgpu_fake *fake = amdgpu_fake();
	if (!fake) {
		r->e.code = QD_E_UNAVAILABLE;
		return false;
	}
	fake->set(config);
	r->is_amdgpu = true;
	return qd_device_open(r->ctx, "amdgpu", &r->dev, &r->e) == QD_OK;
}

static bool
open_amdgpu(struct stream_rig *r)
{
	return open_amdgpu_as(r, "gpu=gfx1100");
}

/* Opens an APU, whose memory is the host's. */
static bool
open_amdgpu_seen(struct stream_rig *r)
{
	return open_amdgpu_as(r, "gpu=gfx906 apu=1");
}

static bool
open_emu_ptx(struct stream_rig *r)
{
	return qd_device_open(r->ctx, "emu:sm_90", &r->dev, &r->e) == QD_OK;
}

static bool
open_emu_gcn(struct stream_rig *r)
{
	return qd_device_open(r->ctx, "emu:gfx1100", &r->dev, &r->e) == QD_OK;
}

static const struct stream_where where[] = {
	{ "ref", open_ref },
	{ "fake", open_fake },
	{ "fake hidden", open_fake_hidden },
	{ "vulkan", open_vulkan },
	{ "vulkan staged", open_staged },
	{ "cuda", open_cuda },
	{ "amdgpu", open_amdgpu },
	{ "amdgpu seen", open_amdgpu_seen },
	{ "emu sm_90", open_emu_ptx },
	{ "emu gfx1100", open_emu_gcn },
};
enum { N_EMU = 2 }; /* the last ones */

struct qd_kernel *
stream_make_inc(struct qd_context *ctx, struct qd_error *e)
{
	struct qd_builder *b;
	struct qd_kernel *k = NULL;
	if (qd_builder_create(ctx, "inc", &b, e))
		return NULL;
	qd_block(b, 1, 1, 1);
	struct qd_array data = qd_param_buffer(b, "data", QD_TYPE_U32, QD_ACCESS_INOUT);
	struct qd_val i = qd_block_idx(b);
	qd_store(b, data, i, qd_add(b, qd_load(b, data, i), qd_u32(b, 1)));
	qd_builder_finish(b, &k, e);
	return k;
}

/* Builds a kernel whose run time is proportional to its number of blocks. A longer loop would
 * not help: lavapipe ends a loop after 65535 iterations. The kernel stores the loop's result, so
 * that the loop is not dead code; stores beyond the buffer have no effect. */
static struct qd_kernel *
make_spin(struct qd_context *ctx, struct qd_error *e)
{
	struct qd_builder *b;
	struct qd_kernel *k = NULL;
	if (qd_builder_create(ctx, "spin", &b, e))
		return NULL;
	qd_block(b, 1, 1, 1);
	struct qd_array data = qd_param_buffer(b, "data", QD_TYPE_U32, QD_ACCESS_INOUT);
	struct qd_val zero = qd_u32(b, 0), one = qd_u32(b, 1), block = qd_block_idx(b);
	struct qd_var i = qd_var(b, zero), x = qd_var(b, qd_add(b, block, one));
	qd_if(b, qd_eq(b, block, zero));
	qd_store(b, data, zero, qd_add(b, qd_load(b, data, zero), one));
	qd_end(b);
	qd_loop(b);
	qd_break_if(b, qd_ge(b, qd_get(b, i), qd_u32(b, 2000)));
	struct qd_val y = qd_mul(b, qd_get(b, x), qd_u32(b, 1664525));
	qd_set(b, x, qd_xor(b, y, qd_shr(b, qd_get(b, x), qd_u32(b, 15))));
	qd_set(b, i, qd_add(b, qd_get(b, i), one));
	qd_end(b);
	qd_store(b, data, qd_add(b, block, qd_u32(b, 32)), qd_get(b, x));
	qd_builder_finish(b, &k, e);
	return k;
}

qd_status
stream_inc(struct stream_rig *r, struct qd_stream *s, struct qd_buffer *data, uint32_t n_blocks,
	   struct qd_error *err)
{
	struct qd_arg arg = qd_arg_buffer(data);
	return qd_launch(s, r->inc, n_blocks, &arg, 1, err);
}

qd_status
stream_spin(struct stream_rig *r, struct qd_stream *s, struct qd_buffer *data, uint32_t n,
	    struct qd_error *err)
{
	struct qd_arg arg = qd_arg_buffer(data);
	return qd_launch(s, r->spin, n, &arg, 1, err);
}

static bool
load(struct stream_rig *r, struct qd_kernel *k, struct qd_function **out)
{
	bool ok = k && qd_function_get(r->dev, k, NULL, 0, out, &r->e) == QD_OK;
	qd_kernel_free(k);
	return ok;
}

static void
close_rig(struct unit_ctx *t, struct stream_rig *r)
{
	qd_stream_free(r->stream);
	qd_stream_free(r->other);
	qd_device_close(r->dev);
	qd_context_free(r->ctx);
	if (r->is_cuda)
		cuda_fake_end(t);
	if (r->is_amdgpu)
		amdgpu_fake_end(t);
	UNIT_CHECK(t, r->alloc.n_out == 0, "%zu host blocks are not freed", r->alloc.n_out);
	unit_alloc_fini(&r->alloc);
}

static bool
open_rig(struct unit_ctx *t, struct stream_rig *r, const struct stream_where *w)
{
	memset(r, 0, sizeof *r);
	unit_alloc_init(&r->alloc);
	struct qd_context_desc desc = { .version = QD_VERSION,
					.allocator = unit_alloc_hooks(&r->alloc) };
	bool ok = qd_context_create(&desc, &r->ctx, &r->e) == QD_OK;
	if (ok && !w->open(r) && r->e.code == QD_E_UNAVAILABLE) {
		close_rig(t, r);
		return false;
	}
	ok = ok && r->dev && qd_stream_create(r->dev, &r->stream, &r->e) == QD_OK &&
	     qd_stream_create(r->dev, &r->other, &r->e) == QD_OK &&
	     load(r, stream_make_inc(r->ctx, &r->e), &r->inc) &&
	     load(r, make_spin(r->ctx, &r->e), &r->spin);
	UNIT_CHECK(t, ok, "%s: %s", w->name, r->e.text);
	return ok;
}

struct qd_buffer *
stream_buffer(struct unit_ctx *t, struct stream_rig *r, size_t size)
{
	struct qd_buffer *buf = NULL;
	STREAM_OK(t, r, qd_buffer_create(r->dev, size, 0, &buf, &r->e));
	return buf;
}

static void
on_first(struct unit_ctx *t, size_t n, void (*fn)(struct unit_ctx *t, struct stream_rig *r))
{
	const char *on = getenv("QD_TEST_ON");
	for (size_t i = 0; i < n; i++) {
		struct stream_rig r;
		if (on && strncmp(where[i].name, on, strlen(on)))
			continue;
		if (!open_rig(t, &r, &where[i]))
			continue;
		unsigned before = t->n_failed;
		fn(t, &r);
		UNIT_CHECK(t, t->n_failed == before, "that was on %s", where[i].name);
		close_rig(t, &r);
	}
}

void
stream_on_each(struct unit_ctx *t, void (*fn)(struct unit_ctx *t, struct stream_rig *r))
{
	on_first(t, QD_COUNT(where) - N_EMU, fn);
}

void
stream_on_all(struct unit_ctx *t, void (*fn)(struct unit_ctx *t, struct stream_rig *r))
{
	on_first(t, QD_COUNT(where), fn);
}

static void
sleep_ms(uint32_t ms)
{
	struct timespec ts = { ms / 1000, (long)(ms % 1000) * 1000000 };
	nanosleep(&ts, NULL);
}

/* Returns the number of blocks for which spin takes about SPIN_MS, or 1 if launches are
 * synchronous. */
static uint32_t
spin_blocks(struct unit_ctx *t, struct stream_rig *r, struct qd_buffer *data)
{
	if (!strncmp(r->dev->info.selector, "ref", 3))
		return 1;
	STREAM_OK(t, r, stream_spin(r, r->stream, data, 1, &r->e)); /* warm-up */
	STREAM_OK(t, r, qd_stream_sync(r->stream, &r->e));
	for (uint32_t n = 1;;) {
		uint64_t from = clock_ns();
		STREAM_OK(t, r, stream_spin(r, r->stream, data, n, &r->e));
		STREAM_OK(t, r, qd_stream_sync(r->stream, &r->e));
		uint64_t ms = (clock_ns() - from) / 1000000;
		if (ms >= SPIN_MS || n >= 1u << 20 || t->n_failed)
			return n;
		/* Short times are imprecise; extrapolate only from longer ones. */
		n = ms < SPIN_MS / 8 ? 4 * n : n * SPIN_MS / (uint32_t)ms + 1;
	}
}

enum { CHANCES = 4 }; /* attempts of tests that measure time, because the machine may be busy */

/* -- Two threads, one stream ----------------------------------------------------------- */

enum { WORDS = 64 };

struct pair {
	struct stream_rig *r;
	_Atomic bool stop;
	uint32_t n, wrong;
	struct qd_error e;
};

uint32_t
stream_iterations(void)
{
	const char *s = getenv("QD_TEST_ITERATIONS");
	return s && *s ? (uint32_t)strtoul(s, NULL, 10) : getenv("QD_TEST_SOME") ? 150 : 500;
}

/* Launches and uploads, on its own buffer, until p->stop. */
static void *
keep_busy(void *user)
{
	struct pair *p = user;
	struct qd_buffer *buf;
	uint32_t up[WORDS] = { 0 };
	if (qd_buffer_create(p->r->dev, sizeof up, 0, &buf, &p->e)) {
		p->wrong++;
		return NULL;
	}
	for (uint32_t i = 0; !atomic_load(&p->stop); i++) {
		p->wrong += stream_inc(p->r, p->r->stream, buf, 1, &p->e) != QD_OK;
		p->wrong += qd_buffer_upload(p->r->stream, buf, 0, up, sizeof up, &p->e) != QD_OK;
		/* limits the backlog of the device */
		p->wrong += i % 4 == 3 && qd_stream_sync(p->r->stream, &p->e) != QD_OK;
	}
	qd_buffer_free(buf);
	return NULL;
}

/* Downloads into memory that exists for one iteration only. */
static void *
download_rounds(void *user)
{
	struct pair *p = user;
	struct qd_stream *s = p->r->stream;
	for (uint32_t i = 0; i < p->n && p->wrong < 10; i++) {
		struct qd_buffer *buf, *next = NULL;
		uint32_t *got = malloc(WORDS * sizeof *got), up[WORDS];
		memset(got, 0xee, WORDS * sizeof *got);
		memset(up, 0x77, sizeof up);
		if (qd_buffer_create(p->r->dev, sizeof up, 0, &buf, &p->e)) {
			p->wrong++;
			free(got);
			break;
		}
		p->wrong += stream_inc(p->r, s, buf, WORDS, &p->e) != QD_OK;
		p->wrong += qd_buffer_download_async(s, buf, 0, got, sizeof up, &p->e) != QD_OK;
		if (i % 2) {
			/* The download must not return the contents of the buffer that reuses the memory. */
			qd_buffer_free(buf);
			buf = NULL;
			p->wrong += qd_buffer_create(p->r->dev, sizeof up, 0, &next, &p->e) != QD_OK;
			p->wrong += qd_buffer_upload(s, next, 0, up, sizeof up, &p->e) != QD_OK;
		}
		p->wrong += qd_stream_sync(s, &p->e) != QD_OK;
		for (uint32_t j = 0; j < WORDS; j++)
			p->wrong += got[j] != 1;
		free(got);
		qd_buffer_free(buf);
		qd_buffer_free(next);
	}
	return NULL;
}

/* Runs `rounds` in this thread while another thread keeps the stream busy. */
static void
with_busy_thread(struct unit_ctx *t, struct stream_rig *r, uint32_t n, void *(*rounds)(void *))
{
	struct pair a = { .r = r, .n = n }, b = { .r = r };
	pthread_t other;
	pthread_create(&other, NULL, keep_busy, &b);
	rounds(&a);
	atomic_store(&b.stop, true);
	pthread_join(other, NULL);
	UNIT_CHECK(t, a.wrong == 0, "%u words or calls are wrong: %s", a.wrong, a.e.text);
	UNIT_CHECK(t, b.wrong == 0, "%u calls of the other failed: %s", b.wrong, b.e.text);
}

static void
two_threads_on(struct unit_ctx *t, struct stream_rig *r)
{
	with_busy_thread(t, r, stream_iterations(), download_rounds);
}

/* A download is complete when its thread's sync returns, even if another thread submits
 * further work in the meantime. */
static void
two_threads(struct unit_ctx *t)
{
	stream_on_each(t, two_threads_on);
}

enum { BIG = 3 << 19 };

/* Runs several downloads at once, each larger than a ring. */
static void *
download_much(void *user)
{
	struct pair *p = user;
	struct qd_stream *s = p->r->stream;
	uint32_t *got[3] = { malloc(BIG), malloc(BIG), malloc(BIG) };
	struct qd_buffer *buf;
	p->wrong += qd_buffer_create(p->r->dev, BIG, 0, &buf, &p->e) != QD_OK;
	for (uint32_t i = 0; i < p->n && !p->wrong; i++) {
		p->wrong += stream_inc(p->r, s, buf, WORDS, &p->e) != QD_OK;
		for (uint32_t j = 0; j < QD_COUNT(got); j++) {
			memset(got[j], 0xee, BIG);
			p->wrong += qd_buffer_download_async(s, buf, 0, got[j], BIG, &p->e) != QD_OK;
		}
		/* varies the position of the other thread */
		nanosleep(&(struct timespec){ 0, 20000L * (i % 16) }, NULL);
		p->wrong += qd_stream_sync(s, &p->e) != QD_OK;
		for (uint32_t j = 0; j < QD_COUNT(got); j++)
			for (uint32_t k = 0; k < BIG / 4; k++)
				p->wrong += got[j][k] != (k < WORDS ? i + 1 : 0);
	}
	qd_buffer_free(buf);
	for (uint32_t j = 0; j < QD_COUNT(got); j++)
		free(got[j]);
	return NULL;
}

static void
much_on(struct unit_ctx *t, struct stream_rig *r)
{
	with_busy_thread(t, r, stream_iterations() / 10, download_much);
}

/* The same, but the stream must wait for ring space while it copies downloads. */
static void
two_threads_much(struct unit_ctx *t)
{
	stream_on_each(t, much_on);
}

/* -- Frees ------------------------------------------------------------------------------ */

/* Returns the milliseconds that freeing an idle buffer takes while the third stream is busy. */
static uint64_t
time_free(struct unit_ctx *t, struct stream_rig *r, struct qd_stream *third,
	  struct qd_buffer *busy, uint32_t n)
{
	struct qd_buffer *buf = stream_buffer(t, r, 256);
	STREAM_OK(t, r, stream_inc(r, r->stream, buf, 4, &r->e));
	STREAM_OK(t, r, qd_stream_sync(r->stream, &r->e));
	STREAM_OK(t, r, stream_inc(r, r->other, buf, 4, &r->e));
	STREAM_OK(t, r, qd_stream_sync(r->other, &r->e));
	STREAM_OK(t, r, stream_spin(r, third, busy, 2 * n, &r->e));
	uint64_t from = clock_ns();
	qd_buffer_free(buf);
	uint64_t ms = (clock_ns() - from) / 1000000;
	STREAM_OK(t, r, qd_stream_sync(third, &r->e));
	return ms;
}

static void
free_idle_on(struct unit_ctx *t, struct stream_rig *r)
{
	struct qd_buffer *busy = stream_buffer(t, r, 256);
	struct qd_stream *third = NULL;
	uint32_t n = spin_blocks(t, r, busy);
	uint64_t ms = SPIN_MS;
	STREAM_OK(t, r, qd_stream_create(r->dev, &third, &r->e));
	for (int i = 0; i < CHANCES && ms >= SPIN_MS / 2; i++)
		ms = time_free(t, r, third, busy, n);
	UNIT_CHECK(t, ms < SPIN_MS / 2, "freeing an idle buffer took %llu ms",
		   (unsigned long long)ms);
	qd_stream_free(third);
	qd_buffer_free(busy);
}

/* Freeing a buffer that two idle streams have used does not wait for a third stream. */
static void
free_idle(struct unit_ctx *t)
{
	stream_on_each(t, free_idle_on);
}

/* Frees a buffer that a launch and a download use, and allocates another of the same size.
 * Returns the milliseconds that this takes. */
static uint64_t
time_free_in_use(struct unit_ctx *t, struct stream_rig *r, struct qd_buffer *busy, uint32_t n)
{
	uint32_t got = 77, junk = 5;
	STREAM_OK(t, r, stream_spin(r, r->stream, busy, 2 * n, &r->e));
	STREAM_OK(t, r, qd_buffer_download_async(r->stream, busy, 8, &got, 4, &r->e));
	uint64_t from = clock_ns();
	qd_buffer_free(busy);
	/* The memory may be reused only after all pending accesses. */
	struct qd_buffer *next = stream_buffer(t, r, 256);
	STREAM_OK(t, r, qd_buffer_upload(r->other, next, 8, &junk, 4, &r->e));
	uint64_t ms = (clock_ns() - from) / 1000000;
	STREAM_OK(t, r, qd_stream_sync(r->stream, &r->e));
	UNIT_CHECK(t, got == 0, "the received value is %u", got);
	STREAM_OK(t, r, qd_buffer_download_async(r->other, next, 0, &got, 4, &r->e));
	STREAM_OK(t, r, qd_stream_sync(r->other, &r->e));
	UNIT_CHECK(t, got == 0, "a new buffer holds %u", got);
	qd_buffer_free(next);
	return ms;
}

static void
free_in_use_on(struct unit_ctx *t, struct stream_rig *r)
{
	struct qd_buffer *busy = stream_buffer(t, r, 256);
	uint32_t n = spin_blocks(t, r, busy);
	uint64_t ms = time_free_in_use(t, r, busy, n);
	for (int i = 1; i < CHANCES && ms >= SPIN_MS / 2; i++)
		ms = time_free_in_use(t, r, stream_buffer(t, r, 256), n);
	UNIT_CHECK(t, ms < SPIN_MS / 2, "freeing a buffer in use took %llu ms",
		   (unsigned long long)ms);
}

/* Freeing a buffer in use does not block; its memory stays allocated until its last use. */
static void
free_in_use(struct unit_ctx *t)
{
	stream_on_each(t, free_in_use_on);
}

/* -- Submission --------------------------------------------------------------------------- */

/* Returns true if all work of the stream completes although no call waits for it. The limit of
 * ten seconds is for a device that hangs. */
static bool
gets_done(struct qd_stream *s)
{
	struct qd_error e;
	bool passed = false;
	for (uint32_t ms = 0; ms < 10000 && !passed; ms++) {
		pthread_mutex_lock(&s->lock);
		bool submitted = s->state == NO_BATCH;
		uint64_t value = s->submitted;
		pthread_mutex_unlock(&s->lock);
		if (!submitted || timeline_passed(s->timeline, value, &passed, &e) || !passed)
			sleep_ms(1);
	}
	return passed;
}

static void
overlap_on(struct unit_ctx *t, struct stream_rig *r)
{
	struct qd_buffer *busy = stream_buffer(t, r, 256);
	/* A driver with `start` gets the launch before the batch is submitted. */
	bool starts = r->dev->driver->start != NULL;
	unsigned before = starts ? cuda_fake()->calls("cuLaunchKernel") : 0;
	STREAM_OK(t, r, stream_spin(r, r->stream, busy, 1, &r->e));
	bool runs = starts ? cuda_fake()->calls("cuLaunchKernel") == before + 1 : gets_done(r->stream);
	UNIT_CHECK(t, runs, "a launch is deferred until the next wait");
	qd_buffer_free(busy);
}

/* A launch runs while the host does something else. */
static void
overlap(struct unit_ctx *t)
{
	stream_on_each(t, overlap_on);
}

static void
flush_on(struct unit_ctx *t, struct stream_rig *r)
{
	struct qd_buffer *busy = stream_buffer(t, r, 256);
	uint32_t n = spin_blocks(t, r, busy);
	/* the second launch is recorded while the first runs, so it stays in the pending batch */
	STREAM_OK(t, r, stream_spin(r, r->stream, busy, n, &r->e));
	STREAM_OK(t, r, stream_spin(r, r->stream, busy, n, &r->e));
	STREAM_OK(t, r, qd_stream_flush(r->stream, &r->e));
	UNIT_CHECK(t, gets_done(r->stream), "a flushed launch is deferred until the next wait");
	qd_buffer_free(busy);
}

/* A flush starts the pending batch. */
static void
flush(struct unit_ctx *t)
{
	stream_on_each(t, flush_on);
}

const struct unit units_stream[] = {
	{ "stream.two_threads", two_threads },
	{ "stream.two_threads_much", two_threads_much },
	{ "stream.free_idle", free_idle },
	{ "stream.free_in_use", free_in_use },
	{ "stream.overlap", overlap },
	{ "stream.flush", flush },
	{ "stream.in_order", t_stream_in_order },
	{ "stream.large", t_stream_large },
	{ "stream.ahead", t_stream_ahead },
	{ "stream.short_of_memory", t_stream_short_of_memory },
};
const unsigned n_units_stream = QD_COUNT(units_stream);
