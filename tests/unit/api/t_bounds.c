/* Limits of the caches: images, functions and freed memory. Trimming releases everything unused. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "device.h"
#include "fake.h"
#include "stream.h"
#include "unit.h"

struct bounds {
	struct unit_ctx *t;
	struct unit_alloc mem;
	struct qd_context *ctx;
	struct qd_device *dev;
	struct qd_stream *stream;
	struct qd_error e;
};

enum where { ON_REF, ON_FAKE, ON_VULKAN };

static bool
begin(struct unit_ctx *t, struct bounds *b, enum where where, struct qd_context_desc desc)
{
	memset(b, 0, sizeof *b);
	b->t = t;
	unit_alloc_init(&b->mem);
	desc.version = QD_VERSION;
	desc.allocator = unit_alloc_hooks(&b->mem);
	qd_status st = qd_context_create(&desc, &b->ctx, &b->e);
	if (!st)
		st = where == ON_FAKE ? fake_open(b->ctx, FAKE_HIDDEN, &b->dev, &b->e)
				      : qd_device_open(b->ctx, where == ON_REF ? "ref:4" : "vulkan",
						       &b->dev, &b->e);
	if (where == ON_VULKAN && st == QD_E_UNAVAILABLE) {
		unit_skip(t, b->e.text);
		qd_context_free(b->ctx);
		unit_alloc_fini(&b->mem);
		return false;
	}
	if (!st)
		st = qd_stream_create(b->dev, &b->stream, &b->e);
	UNIT_CHECK(t, !st, "%s", b->e.text);
	return !st;
}

static void
end(struct bounds *b)
{
	qd_stream_free(b->stream);
	qd_device_close(b->dev);
	qd_context_free(b->ctx);
	UNIT_CHECK(b->t, b->mem.n_out == 0, "%zu blocks leak", b->mem.n_out);
	UNIT_CHECK(b->t, !b->mem.wrong_size, "freed with a size other than that of its allocation");
	unit_alloc_fini(&b->mem);
}

/* Builds data[block] += n, a different kernel for each n. */
static struct qd_kernel *
make(struct bounds *b, uint32_t n)
{
	struct qd_builder *k = NULL;
	struct qd_kernel *kernel = NULL;
	struct qd_error e;
	if (qd_builder_create(b->ctx, "add", &k, &e))
		return NULL;
	qd_block(k, 1, 1, 1);
	struct qd_array data = qd_param_buffer(k, "data", QD_TYPE_U32, QD_ACCESS_INOUT);
	struct qd_val i = qd_block_idx(k), v = qd_load(k, data, i);
	qd_store(k, data, i, qd_add(k, v, qd_u32(k, n)));
	qd_builder_finish(k, &kernel, &e);
	return kernel;
}

static struct qd_function *
get(struct bounds *b, const struct qd_kernel *k)
{
	struct qd_function *fn = NULL;
	if (!k)
		return NULL;
	qd_status st = qd_function_get(b->dev, k, NULL, 0, &fn, &b->e);
	UNIT_CHECK(b->t, !st, "%s", b->e.text);
	return fn;
}

static struct qd_cache_stats
stats(struct bounds *b)
{
	struct qd_cache_stats s;
	qd_cache_stats(b->ctx, &s);
	return s;
}

static void
want(struct bounds *b, const char *when, uint64_t functions, uint64_t unused, uint64_t images)
{
	struct qd_cache_stats s = stats(b);
	UNIT_CHECK(b->t, s.functions == functions && s.unused == unused && s.images == images,
		   "%s: %llu functions, %llu unused, %llu images", when,
		   (unsigned long long)s.functions, (unsigned long long)s.unused,
		   (unsigned long long)s.images);
	UNIT_CHECK(b->t, (s.bytes != 0) == (images != 0), "%s: %llu bytes", when,
		   (unsigned long long)s.bytes);
}

/* -- Unlimited numbers of kernels ----------------------------------------------------- */

enum { KERNELS = 100000, IMAGES = 1 << 20, EMPTY = 2 << 20, FUNCTIONS = 64 };

static void
many_kernels(struct unit_ctx *t)
{
	struct qd_context_desc desc = { .max_image_bytes = IMAGES,
					.max_empty_bytes = EMPTY,
					.max_functions = FUNCTIONS };
	struct bounds b;
	if (!begin(t, &b, ON_REF, desc))
		return;
	uint32_t n_over = 0;
	size_t most = b.mem.bytes_out;
	for (uint32_t n = 1; n <= KERNELS && !t->n_failed; n++) {
		struct qd_kernel *k = make(&b, n);
		qd_function_free(get(&b, k));
		qd_kernel_free(k);
		struct qd_cache_stats s = stats(&b);
		/* functions may hold images that the cache has evicted */
		n_over += s.functions > FUNCTIONS || s.unused > FUNCTIONS ||
			  s.bytes > IMAGES + FUNCTIONS * 4096 || s.empty_bytes > EMPTY;
		if (most < b.mem.bytes_out)
			most = b.mem.bytes_out;
	}
	UNIT_CHECK(t, n_over == 0, "%u times more than the limits", n_over);
	UNIT_CHECK(t, most < IMAGES + EMPTY + (1 << 20), "%zu bytes", most);
	UNIT_CHECK(t, stats(&b).misses == KERNELS, "%llu compiles",
		   (unsigned long long)stats(&b).misses);
	end(&b);
}

/* Checks that the cache evicts the least recently used images. */
static void
images_by_use(struct unit_ctx *t)
{
	enum { N = 400 };
	struct qd_context_desc desc = { .max_image_bytes = 64 << 10, .max_functions = 1 };
	static struct qd_kernel *k[N];
	struct bounds b;
	if (!begin(t, &b, ON_REF, desc))
		return;
	/* kernel 0 is requested in every iteration, the others once */
	for (uint32_t n = 0; n < N; n++) {
		k[n] = make(&b, n + 1);
		qd_function_free(get(&b, k[n]));
		qd_function_free(get(&b, k[0]));
		UNIT_CHECK(t, stats(&b).bytes <= (64 << 10) + 8192, "%llu bytes",
			   (unsigned long long)stats(&b).bytes);
	}
	UNIT_CHECK(t, stats(&b).misses == N, "%llu compiles", (unsigned long long)stats(&b).misses);
	qd_function_free(get(&b, k[1]));
	UNIT_CHECK(t, stats(&b).misses == N + 1, "the second is still there");
	for (uint32_t n = 0; n < N; n++)
		qd_kernel_free(k[n]);
	end(&b);
}

/* -- Functions ---------------------------------------------------------------------------- */

static void
functions_by_use(struct unit_ctx *t)
{
	struct qd_context_desc desc = { .max_functions = 2 };
	struct qd_kernel *k[4];
	struct qd_function *fn[4];
	struct bounds b;
	if (!begin(t, &b, ON_FAKE, desc))
		return;
	for (uint32_t i = 0; i < 4; i++) {
		k[i] = make(&b, i + 1);
		fn[i] = get(&b, k[i]);
	}
	want(&b, "held", 4, 0, 4);
	/* a second qd_function_get adds a reference */
	UNIT_CHECK(t, get(&b, k[0]) == fn[0], "another function");
	qd_function_free(fn[0]);
	want(&b, "freed once", 4, 0, 4);
	for (uint32_t i = 0; i < 3; i++)
		qd_function_free(fn[i]);
	want(&b, "three freed", 3, 2, 4);
	UNIT_CHECK(t, fake_loaded(b.dev) == 3, "%u loaded", fake_loaded(b.dev));
	/* 0 is unloaded; 1 is used again, so 2 is the next to be unloaded */
	UNIT_CHECK(t, get(&b, k[1]) == fn[1], "1 was unloaded");
	want(&b, "got again", 3, 1, 4);
	qd_function_free(fn[1]);
	fn[0] = get(&b, k[0]);
	qd_function_free(fn[0]);
	want(&b, "2 goes", 3, 2, 4);
	UNIT_CHECK(t, get(&b, k[1]) == fn[1] && get(&b, k[0]) == fn[0], "the wrong one went");
	want(&b, "both got again", 3, 0, 4);
	UNIT_CHECK(t, stats(&b).misses == 4, "compiled again");
	qd_function_free(NULL);
	qd_function_free(fn[0]);
	qd_function_free(fn[1]);
	UNIT_CHECK(t, qd_context_trim(b.ctx, &b.e) == QD_OK, "%s", b.e.text);
	want(&b, "trimmed, one held", 1, 0, 1);
	/* closing the device frees the functions that are still held */
	for (uint32_t i = 0; i < 4; i++)
		qd_kernel_free(k[i]);
	end(&b);
}

/* Checks that a function freed while a batch uses it stays loaded until the batch completes, and
 * that freeing it does not block. */
static void
freed_in_flight(struct unit_ctx *t)
{
	struct qd_context_desc desc = { .max_functions = 1 };
	struct qd_kernel *k[3];
	struct qd_stream *other = NULL;
	struct qd_buffer *buf = NULL;
	uint32_t got = 0;
	struct bounds b;
	if (!begin(t, &b, ON_FAKE, desc))
		return;
	qd_status st = qd_buffer_create(b.dev, 4, 0, &buf, &b.e);
	st = st ? st : qd_stream_sync(b.stream, &b.e);
	st = st ? st : qd_stream_create(b.dev, &other, &b.e);
	UNIT_CHECK(t, !st, "%s", b.e.text);
	for (uint32_t i = 0; i < 3; i++)
		k[i] = make(&b, 1u << 4 * i);
	fake_hold(b.dev, true);
	struct qd_arg a = qd_arg_buffer(buf);
	for (uint32_t i = 0; i < 3 && !st; i++) {
		struct qd_function *fn = get(&b, k[i]);
		st = qd_launch(b.stream, fn, 1, &a, 1, &b.e);
		qd_function_free(fn);
	}
	UNIT_CHECK(t, !st, "%s", b.e.text);
	UNIT_CHECK(t, qd_context_trim(b.ctx, &b.e) == QD_OK, "%s", b.e.text);
	want(&b, "in flight", 3, 3, 3);
	/* an unused function is returned again, and then also waits for the new launch */
	struct qd_function *fn = get(&b, k[1]);
	st = qd_launch(b.stream, fn, 1, &a, 1, &b.e);
	qd_function_free(fn);
	UNIT_CHECK(t, !st && qd_context_trim(b.ctx, &b.e) == QD_OK, "%s", b.e.text);
	want(&b, "in flight again", 3, 3, 3);
	UNIT_CHECK(t, fake_loaded(b.dev) == 3, "%u loaded", fake_loaded(b.dev));
	fake_hold(b.dev, false);
	qd_buffer_download_async(b.stream, buf, 0, &got, 4, &b.e);
	UNIT_CHECK(t, !qd_stream_sync(b.stream, &b.e) && got == 0x121, "0x%x: %s", got, b.e.text);
	/* freeing a function unloads those beyond the limit */
	qd_function_free(get(&b, k[2]));
	want(&b, "passed", 1, 1, 3);
	qd_context_trim(b.ctx, &b.e);
	want(&b, "trimmed", 0, 0, 0);
	UNIT_CHECK(t, fake_loaded(b.dev) == 0, "%u loaded", fake_loaded(b.dev));
	for (uint32_t i = 0; i < 3; i++)
		qd_kernel_free(k[i]);
	qd_buffer_free(buf);
	qd_stream_free(other);
	end(&b);
}

/* Checks that a pending batch of an abandoned stream does not keep its functions loaded. The batch
 * is recorded after a running one, and no call on that stream follows. */
static void
abandoned_stream(struct unit_ctx *t)
{
	enum { N = 6 };
	struct qd_context_desc desc = { .max_functions = 1 };
	struct qd_stream *left = NULL;
	struct qd_kernel *k[N];
	struct qd_buffer *buf = NULL;
	struct bounds b;
	if (!begin(t, &b, ON_FAKE, desc))
		return;
	qd_status st = qd_buffer_create(b.dev, 4, 0, &buf, &b.e);
	st = st ? st : qd_stream_sync(b.stream, &b.e);
	st = st ? st : qd_stream_create(b.dev, &left, &b.e);
	struct qd_arg a = qd_arg_buffer(buf);
	for (uint32_t i = 0; i < N; i++)
		k[i] = make(&b, 1u << 4 * i);
	fake_hold(b.dev, true);
	struct qd_function *fn = get(&b, k[0]);
	for (int i = 0; i < 2; i++)
		st = st ? st : qd_launch(left, fn, 1, &a, 1, &b.e);
	UNIT_CHECK(t, !st && left->state == RECORDING, "%s", b.e.text);
	qd_function_free(fn);
	fake_hold(b.dev, false);
	/* Give the device time, without a call on the stream. */
	uint32_t ms = 0;
	do {
		for (uint32_t i = 0; i < N; i++)
			qd_function_free(get(&b, k[i]));
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	} while (ms++ < 5000 && fake_loaded(b.dev) > 1);
	UNIT_CHECK(t, fake_loaded(b.dev) == 1, "%u loaded", fake_loaded(b.dev));
	for (uint32_t i = 0; i < N; i++)
		qd_kernel_free(k[i]);
	qd_buffer_free(buf);
	qd_stream_free(left);
	end(&b);
}

/* -- Trimming -------------------------------------------------------------------------------- */

static void
trim_gives_back(struct unit_ctx *t)
{
	struct bounds b;
	uint32_t got = 0;
	if (!begin(t, &b, ON_FAKE, (struct qd_context_desc){ .version = 0 }))
		return;
	struct qd_buffer *buf = NULL;
	qd_status st = qd_buffer_create(b.dev, 4, 0, &buf, &b.e);
	struct qd_arg a = qd_arg_buffer(buf);
	struct qd_error e = { 0 };
	qd_status none = qd_context_trim(NULL, &e);
	UNIT_CHECK(t, none == QD_E_INVALID && strstr(e.text, "qd_context_trim"), "%s", e.text);
	qd_context_trim(b.ctx, &b.e);
	size_t bare = b.mem.bytes_out;
	for (uint32_t round = 0; round < 3 && !st; round++) {
		for (uint32_t n = 1; n <= 10 && !st; n++) {
			struct qd_kernel *k = make(&b, n);
			struct qd_function *fn = get(&b, k);
			st = qd_launch(b.stream, fn, 1, &a, 1, &b.e);
			qd_function_free(fn);
			qd_kernel_free(k);
		}
		/* the first download creates the 8 MiB ring of a stream with hidden memory */
		st = st ? st : qd_buffer_download_async(b.stream, buf, 0, &got, 4, &b.e);
		st = st ? st : qd_stream_sync(b.stream, &b.e);
		UNIT_CHECK(t, !st && got == 55 * (round + 1), "%u: %s", got, b.e.text);
		want(&b, "kept", 10, 10, 10);
		UNIT_CHECK(t, b.mem.bytes_out > bare + (8 << 20), "no ring");
		qd_context_trim(b.ctx, &b.e);
		want(&b, "trimmed", 0, 0, 0);
		UNIT_CHECK(t, stats(&b).empty_bytes == 0, "%llu bytes kept",
			   (unsigned long long)stats(&b).empty_bytes);
		/* only tables may have grown */
		UNIT_CHECK(t, b.mem.bytes_out < bare + 65536, "%zu bytes, %zu before",
			   b.mem.bytes_out, bare);
	}
	qd_buffer_free(buf);
	end(&b);
}

/* -- The pool ------------------------------------------------------------------------------ */

static void
pool_has_a_limit(struct unit_ctx *t)
{
	enum { LIMIT = 1 << 20, N = 64 };
	struct unit_alloc mem;
	struct pool_block *b[N];
	struct pool p;
	unit_alloc_init(&mem);
	struct qd_allocator hooks = unit_alloc_hooks(&mem);
	pool_init(&p, &hooks);
	pool_limit(&p, LIMIT);
	for (uint32_t round = 0; round < 50; round++) {
		for (size_t i = 0; i < N; i++) {
			b[i] = pool_get(&p, (i * 7919 + round * 104729) % 300000 + 1);
			UNIT_CHECK(t, b[i], "no memory");
			memset(pool_data(b[i]), 0xcc, pool_room(b[i]));
		}
		for (size_t i = 0; i < N; i++) {
			pool_put(&p, b[i]);
			UNIT_CHECK(t, pool_kept(&p) <= LIMIT, "%zu bytes", pool_kept(&p));
		}
		UNIT_CHECK(t, pool_kept(&p) == mem.bytes_out, "%zu kept, %zu out", pool_kept(&p),
			   mem.bytes_out);
	}
	/* if only one of two blocks fits, the pool keeps the small one */
	pool_trim(&p);
	UNIT_CHECK(t, mem.n_out == 0, "%zu blocks left", mem.n_out);
	b[0] = pool_get(&p, 100);
	b[1] = pool_get(&p, LIMIT - 100);
	pool_put(&p, b[1]);
	pool_put(&p, b[0]);
	UNIT_CHECK(t, mem.n_out == 1 && mem.bytes_out < 1000, "%zu bytes", mem.bytes_out);
	pool_fini(&p);
	UNIT_CHECK(t, mem.n_out == 0 && !mem.wrong_size, "%zu blocks leak", mem.n_out);
	unit_alloc_fini(&mem);
}

/* Allocator with a fixed amount of memory. */
struct purse {
	size_t left;
	uint32_t n_calls, n_failed;
};

static void *
purse_alloc(void *user, size_t size)
{
	struct purse *p = user;
	p->n_calls++;
	void *m = size <= p->left ? malloc(size) : NULL;
	if (m)
		p->left -= size;
	else
		p->n_failed++;
	return m;
}

static void
purse_free(void *user, void *m, size_t size)
{
	((struct purse *)user)->left += size;
	free(m);
}

/* Checks that a failed allocation empties the pool and is retried once. */
static void
pool_empties_itself(struct unit_ctx *t)
{
	struct purse purse = { .left = 1 << 20 };
	struct qd_allocator hooks = { purse_alloc, purse_free, &purse };
	struct pool p;
	pool_init(&p, &hooks);
	struct pool_block *a = pool_get(&p, 300000), *b = pool_get(&p, 400000);
	pool_put(&p, a);
	pool_put(&p, b);
	a = pool_get(&p, 700000);
	UNIT_CHECK(t, a && purse.n_failed == 1 && purse.n_calls == 4, "%u calls, %u failed",
		   purse.n_calls, purse.n_failed);
	/* an empty pool does not retry */
	b = pool_get(&p, 700000);
	UNIT_CHECK(t, !b && purse.n_failed == 2 && purse.n_calls == 5, "%u calls, %u failed",
		   purse.n_calls, purse.n_failed);
	pool_put(&p, a);
	pool_fini(&p);
	UNIT_CHECK(t, purse.left == 1 << 20, "%zu bytes left", purse.left);
}

/* -- Threads ----------------------------------------------------------------------------------- */

enum { THREADS = 4, SHARED = 6 };

struct worker {
	struct bounds *b;
	struct qd_kernel **k;
	struct qd_buffer *buf;
	uint32_t id, rounds, n_bad, sum;
};

/* Runs every combination of function calls that may be concurrent. */
static void *
work(void *user)
{
	struct worker *w = user;
	struct unit_rng rng = { w->id };
	struct qd_arg a = qd_arg_buffer(w->buf);
	struct qd_stream *s = NULL;
	struct qd_error e;
	w->n_bad += qd_stream_create(w->b->dev, &s, &e) != QD_OK;
	for (uint32_t i = 0; i < w->rounds && !w->n_bad; i++) {
		uint32_t which = (uint32_t)(unit_random(&rng) % SHARED);
		struct qd_function *fn = NULL, *again = NULL;
		struct qd_cache_stats st;
		w->n_bad += qd_function_get(w->b->dev, w->k[which], NULL, 0, &fn, &e) != QD_OK;
		w->n_bad += qd_launch(s, fn, 1, &a, 1, &e) != QD_OK;
		w->sum += which + 1;
		switch (unit_random(&rng) % 8) {
		case 0: w->n_bad += qd_context_trim(w->b->ctx, &e) != QD_OK; break;
		case 1: w->n_bad += qd_stream_sync(s, &e) != QD_OK; break;
		case 2:
			w->n_bad += qd_function_get(w->b->dev, w->k[which], NULL, 0, &again,
						    &e) != QD_OK;
			w->n_bad += again != fn; /* because fn is held */
			qd_function_free(again);
			break;
		case 3:
			qd_cache_stats(w->b->ctx, &st);
			w->n_bad += st.functions > SHARED || st.unused > SHARED || !st.functions;
			break;
		case 4: w->n_bad += qd_stream_flush(s, &e) != QD_OK; break;
		default: break;
		}
		qd_function_free(fn);
	}
	w->n_bad += qd_stream_sync(s, &e) != QD_OK;
	qd_stream_free(s);
	return NULL;
}

static void
together(struct unit_ctx *t, enum where where, uint32_t rounds)
{
	struct qd_context_desc desc = { .max_functions = 2,
					.max_image_bytes = 8192,
					.max_empty_bytes = 65536 };
	struct qd_kernel *k[SHARED];
	struct worker w[THREADS];
	pthread_t thread[THREADS];
	struct bounds b;
	if (!begin(t, &b, where, desc))
		return;
	for (uint32_t i = 0; i < SHARED; i++)
		k[i] = make(&b, i + 1);
	for (uint32_t i = 0; i < THREADS; i++) {
		w[i] = (struct worker){ .b = &b, .k = k, .id = i, .rounds = rounds };
		if (qd_buffer_create(b.dev, 4, 0, &w[i].buf, &b.e) ||
		    pthread_create(&thread[i], NULL, work, &w[i]))
			abort();
	}
	for (uint32_t i = 0; i < THREADS; i++) {
		uint32_t got = 0;
		pthread_join(thread[i], NULL);
		qd_buffer_download_async(b.stream, w[i].buf, 0, &got, 4, &b.e);
		qd_stream_sync(b.stream, &b.e);
		UNIT_CHECK(t, !w[i].n_bad && got == w[i].sum, "%u bad, %u of %u: %s", w[i].n_bad,
			   got, w[i].sum, qd_last_error()->text);
		qd_buffer_free(w[i].buf);
	}
	struct qd_cache_stats s = stats(&b);
	UNIT_CHECK(t, s.functions == s.unused, "%llu functions, %llu unused",
		   (unsigned long long)s.functions, (unsigned long long)s.unused);
	qd_context_trim(b.ctx, &b.e);
	want(&b, "trimmed", 0, 0, 0);
	for (uint32_t i = 0; i < SHARED; i++)
		qd_kernel_free(k[i]);
	end(&b);
}

static void
threads_ref(struct unit_ctx *t)
{
	together(t, ON_REF, 2000);
}

static void
threads_fake(struct unit_ctx *t)
{
	together(t, ON_FAKE, 500);
}

/* Checks early destruction under Vulkan: the driver compiles each kernel, and the validation layer,
 * if installed, reports objects destroyed too early. */
static void
threads_vulkan(struct unit_ctx *t)
{
	together(t, ON_VULKAN, 50);
}

/* Requests the kernel that another thread requests too: they share one image and one function with
 * two references. */
static void *
get_one(void *user)
{
	struct worker *w = user;
	struct qd_function *fn = NULL;
	struct qd_error e;
	w->n_bad += qd_function_get(w->b->dev, w->k[0], NULL, 0, &fn, &e) != QD_OK;
	return fn;
}

static void
counted_once(struct unit_ctx *t)
{
	struct bounds b;
	if (!begin(t, &b, ON_REF, (struct qd_context_desc){ .version = 0 }))
		return;
	for (uint32_t round = 1; round <= 50; round++) {
		struct qd_kernel *k = make(&b, round);
		struct worker w[2] = { { .b = &b, .k = &k }, { .b = &b, .k = &k } };
		pthread_t thread[2];
		void *fn[2];
		for (int i = 0; i < 2; i++)
			if (pthread_create(&thread[i], NULL, get_one, &w[i]))
				abort();
		for (int i = 0; i < 2; i++)
			pthread_join(thread[i], &fn[i]);
		UNIT_CHECK(t, !w[0].n_bad && !w[1].n_bad && fn[0] == fn[1], "two functions");
		want(&b, "held twice", round, round - 1, round);
		qd_function_free(fn[0]);
		want(&b, "held once", round, round - 1, round);
		qd_function_free(fn[1]);
		want(&b, "without an owner", round, round, round);
		qd_kernel_free(k);
	}
	end(&b);
}

const struct unit units_bounds[] = {
	{ "bounds.kernels", many_kernels },
	{ "bounds.images", images_by_use },
	{ "bounds.functions", functions_by_use },
	{ "bounds.in_flight", freed_in_flight },
	{ "bounds.abandoned", abandoned_stream },
	{ "bounds.trim", trim_gives_back },
	{ "bounds.pool", pool_has_a_limit },
	{ "bounds.pool_short", pool_empties_itself },
	{ "bounds.threads_ref", threads_ref },
	{ "bounds.threads_fake", threads_fake },
	{ "bounds.threads_vulkan", threads_vulkan },
	{ "bounds.counted_once", counted_once },
};
const unsigned n_units_bounds = QD_COUNT(units_bounds);
