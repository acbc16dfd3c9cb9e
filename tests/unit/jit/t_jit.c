/* Compile driver and image cache: cached images, single compilation of a key, allocations of a warm
 * compile. */
#include "unit.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "jit.h"

enum { N_THREAD = 8 };

static struct qd_context *
make_context(struct unit_ctx *t, struct unit_alloc *a)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_context *ctx = NULL;
	struct qd_error e;
	if (a)
		desc.allocator = unit_alloc_hooks(a);
	UNIT_CHECK(t, qd_context_create(&desc, &ctx, &e) == QD_OK, "%s", e.text);
	return ctx;
}

/* Builds dst[i] = sum of src[i] + add over tiles of 2^L lanes. Each value of `add` makes a
 * different kernel. */
static struct qd_kernel *
make_kernel(struct unit_ctx *t, struct qd_context *ctx, float add)
{
	struct qd_builder *b;
	struct qd_kernel *k = NULL;
	struct qd_error e;
	if (qd_builder_create(ctx, "tile_sum", &b, &e)) {
		UNIT_CHECK(t, false, "%s", e.text);
		return NULL;
	}
	qd_block(b, 64, 1, 1);
	uint32_t log2_size = qd_template(b, "L", 0, 6);
	struct qd_array src = qd_param_buffer(b, "src", QD_TYPE_F32, QD_ACCESS_IN);
	struct qd_array dst = qd_param_buffer(b, "dst", QD_TYPE_F32, QD_ACCESS_OUT);
	struct qd_val i = qd_grid(b, qd_len(b, src));
	struct qd_val v = qd_add(b, qd_load(b, src, i), qd_f32(b, add));
	qd_store(b, dst, i, qd_subgroup_reduce_add_tiled(b, v, log2_size));
	UNIT_CHECK(t, qd_builder_finish(b, &k, &e) == QD_OK, "%s", e.text);
	return k;
}

static struct target
make_target(struct unit_ctx *t, const char *name)
{
	struct target out;
	struct qd_error e;
	UNIT_CHECK(t, isa_target(name, &out, &e) == QD_OK, "%s", e.text);
	return out;
}

static const struct qd_tmpl L3[] = { { "L", 3, QD_TYPE_NONE } };
static const struct qd_tmpl L4[] = { { "L", 4, QD_TYPE_NONE } };
static const struct qd_tmpl L6[] = { { "L", 6, QD_TYPE_NONE } };

static struct qd_image *
get(struct unit_ctx *t, const struct qd_kernel *k, const struct target *target,
    const struct qd_tmpl *tmpl)
{
	struct qd_image *img = NULL;
	struct qd_error e;
	if (!k)
		return NULL;
	UNIT_CHECK(t, jit_get(k->ctx, k, target, tmpl, 1, &img, &e) == QD_OK, "%s", e.text);
	return img;
}

/* -- Keys ---------------------------------------------------------------------- */

static void
hit(struct unit_ctx *t)
{
	struct qd_context *ctx = make_context(t, NULL);
	struct qd_kernel *k = make_kernel(t, ctx, 0), *same = make_kernel(t, ctx, 0);
	struct target w32 = make_target(t, "spirv:w32");
	struct qd_image *a = get(t, k, &w32, L3), *b = get(t, k, &w32, L3);
	struct qd_image *c = get(t, same, &w32, L3);
	struct qd_cache_stats s;
	UNIT_CHECK(t, a && a == b, "the second call gave another image");
	UNIT_CHECK(t, a == c, "an equal kernel gave another image");
	qd_cache_stats(ctx, &s);
	UNIT_CHECK(t, s.misses == 1 && s.hits == 2 && s.images == 1 && s.failures == 0,
		   "misses %llu hits %llu images %llu", (unsigned long long)s.misses,
		   (unsigned long long)s.hits, (unsigned long long)s.images);
	UNIT_CHECK(t, a && s.bytes == ((struct pool_block *)a - 1)->size + kernel_bytes(a->kernel),
		   "bytes %llu", (unsigned long long)s.bytes);
	qd_kernel_free(k);
	qd_kernel_free(same);
	UNIT_CHECK(t, a && strcmp(a->kernel->name, "tile_sum") == 0,
		   "the image lost its kernel");
	qd_image_free(a);
	qd_image_free(b);
	qd_image_free(c);
	qd_context_free(ctx);
}

static void
every_part_of_the_key_counts(struct unit_ctx *t)
{
	static const char *const names[] = { "spirv:w32",     "spirv:w16",	  "spirv:w32:-i64",
					     "spirv:w32:b512", "spirv:w32:a256", "ref:w32" };
	struct qd_context *ctx = make_context(t, NULL);
	struct qd_kernel *k[] = { make_kernel(t, ctx, 0), make_kernel(t, ctx, 1) };
	struct qd_image *seen[32];
	uint32_t n = 0;
	struct qd_cache_stats s;
	for (uint32_t i = 0; i < QD_COUNT(names); i++) {
		struct target target = make_target(t, names[i]);
		for (uint32_t j = 0; j < 2; j++) {
			seen[n++] = get(t, k[j], &target, L3);
			seen[n++] = get(t, k[j], &target, L4);
		}
	}
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t j = 0; j < i; j++)
			UNIT_CHECK(t, seen[i] != seen[j], "images %u and %u are one", i, j);
	}
	qd_cache_stats(ctx, &s);
	UNIT_CHECK(t, s.misses == n && s.images == n && s.hits == 0, "misses %llu",
		   (unsigned long long)s.misses);
	for (uint32_t i = 0; i < n; i++)
		qd_image_free(seen[i]);
	qd_kernel_free(k[0]);
	qd_kernel_free(k[1]);
	qd_context_free(ctx);
}

/* Checks that the optimization level changes the hash, the code and the image's record, which the
 * disk cache's key contains, and that a saved image keeps its level. */
static void
levels(struct unit_ctx *t)
{
	struct qd_image *img[3], *again;
	struct qd_context *ctx[3];
	struct qd_error e;
	char bytes[8192];
	size_t size = 0;

	for (uint32_t i = 0; i < 3; i++) {
		struct qd_context_desc desc = { .version = QD_VERSION, .opt = QD_OPT_NONE + i };
		struct target target = make_target(t, "ptx:sm_90");

		if (qd_context_create(&desc, &ctx[i], &e)) {
			UNIT_CHECK(t, false, "%s", e.text);
			return;
		}
		struct qd_kernel *k = make_kernel(t, ctx[i], 1);
		img[i] = get(t, k, &target, L3);
		qd_kernel_free(k);
		UNIT_CHECK(t, img[i]->meta.opt_below == OPT_FULL - i, "level %u is recorded as %u", i,
			   img[i]->meta.opt_below);
		UNIT_CHECK(t, qd_image_save(img[i], bytes, sizeof bytes, &size, &e) == QD_OK, "%s", e.text);
		UNIT_CHECK(t, qd_image_load(ctx[i], bytes, size, &again, &e) == QD_OK, "%s", e.text);
		UNIT_CHECK(t, again->meta.opt_below == OPT_FULL - i, "loaded as %u", again->meta.opt_below);
		qd_image_free(again);
	}
	UNIT_CHECK(t, img[0]->hash != img[1]->hash && img[1]->hash != img[2]->hash &&
			      img[0]->hash != img[2]->hash, "equal hashes");
	UNIT_CHECK(t, img[0]->code_size > img[2]->code_size, "%zu and %zu bytes", img[0]->code_size,
		   img[2]->code_size);
	for (uint32_t i = 0; i < 3; i++) {
		qd_image_free(img[i]);
		qd_context_free(ctx[i]);
	}
}

/* Checks the lookup after every shard's table has grown. */
static void
many_images(struct unit_ctx *t)
{
	enum { N = 1200 };
	struct qd_context *ctx = make_context(t, NULL);
	struct target target = make_target(t, "ref:w32");
	struct qd_image *first[N];
	struct qd_cache_stats s;
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < N; i++) {
			struct qd_kernel *k = make_kernel(t, ctx, (float)i);
			struct qd_image *img = get(t, k, &target, L3);
			if (round == 0)
				first[i] = img;
			else
				UNIT_CHECK(t, img == first[i], "image %d was lost", i);
			qd_image_free(img);
			qd_kernel_free(k);
		}
	}
	qd_cache_stats(ctx, &s);
	UNIT_CHECK(t, s.images == N && s.hits == N, "images %llu hits %llu",
		   (unsigned long long)s.images, (unsigned long long)s.hits);
	qd_context_free(ctx);
}

/* -- Threads ------------------------------------------------------------------- */

struct job {
	pthread_barrier_t *start;
	struct qd_kernel *k;
	const struct target *target;
	const struct qd_tmpl *tmpl;
	struct qd_image *img;
	qd_status st;
	struct qd_error e;
};

static void *
run_job(void *p)
{
	struct job *j = p;
	pthread_barrier_wait(j->start);
	j->st = jit_get(j->k->ctx, j->k, j->target, j->tmpl, 1, &j->img, &j->e);
	return NULL;
}

static void
run_jobs(struct job *jobs, struct qd_kernel *const *k, const struct target *target,
	 const struct qd_tmpl *tmpl)
{
	pthread_barrier_t start;
	pthread_t thread[N_THREAD];
	pthread_barrier_init(&start, NULL, N_THREAD);
	for (int i = 0; i < N_THREAD; i++) {
		jobs[i] = (struct job){ .start = &start, .k = k[i], .target = target,
					.tmpl = tmpl };
		pthread_create(&thread[i], NULL, run_job, &jobs[i]);
	}
	for (int i = 0; i < N_THREAD; i++)
		pthread_join(thread[i], NULL);
	pthread_barrier_destroy(&start);
}

static void
single_flight(struct unit_ctx *t)
{
	enum { N_ROUND = 50 };
	struct target target = make_target(t, "spirv:w32");
	struct qd_context *ctx = make_context(t, NULL);
	struct qd_cache_stats s;
	for (int round = 0; round < N_ROUND; round++) {
		/* Equal kernels, one for each thread. */
		struct qd_kernel *k[N_THREAD];
		struct job jobs[N_THREAD];
		for (int i = 0; i < N_THREAD; i++)
			k[i] = make_kernel(t, ctx, (float)round);
		run_jobs(jobs, k, &target, L3);
		for (int i = 0; i < N_THREAD; i++) {
			UNIT_CHECK(t, jobs[i].st == QD_OK, "%s", jobs[i].e.text);
			UNIT_CHECK(t, jobs[i].img == jobs[0].img, "thread %d has another image", i);
			qd_image_free(jobs[i].img);
			qd_kernel_free(k[i]);
		}
	}
	qd_cache_stats(ctx, &s);
	UNIT_CHECK(t, s.misses == N_ROUND, "%llu compiles of %d keys",
		   (unsigned long long)s.misses, N_ROUND);
	UNIT_CHECK(t, s.hits + s.waits == N_ROUND * (N_THREAD - 1), "hits %llu waits %llu",
		   (unsigned long long)s.hits, (unsigned long long)s.waits);
	qd_context_free(ctx);
}

static void
failure_is_reported_and_not_kept(struct unit_ctx *t)
{
	enum { N_ROUND = 20 };
	struct target target = make_target(t, "spirv:w32");
	struct qd_context *ctx = make_context(t, NULL);
	struct qd_kernel *k = make_kernel(t, ctx, 0), *all[N_THREAD];
	struct qd_cache_stats s;
	struct qd_image *img;
	struct qd_error first;
	qd_status st = jit_get(ctx, k, &target, L6, 1, &img, &first);
	UNIT_CHECK(t, st == QD_E_TEMPLATE, "status %d: %s", (int)st, first.text);
	UNIT_CHECK(t, strstr(first.text, "log2_size 6 needs 64 lanes but target spirv:w32 has 32"),
		   "%s", first.text);
	for (int i = 0; i < N_THREAD; i++)
		all[i] = k;
	for (int round = 0; round < N_ROUND; round++) {
		struct job jobs[N_THREAD];
		run_jobs(jobs, all, &target, L6);
		for (int i = 0; i < N_THREAD; i++) {
			UNIT_CHECK(t, jobs[i].st == st && !jobs[i].img, "thread %d: status %d", i,
				   (int)jobs[i].st);
			UNIT_CHECK(t, strcmp(jobs[i].e.text, first.text) == 0, "thread %d: %s", i,
				   jobs[i].e.text);
		}
	}
	qd_cache_stats(ctx, &s);
	UNIT_CHECK(t, s.images == 0 && s.hits == 0 && s.misses == s.failures &&
			      s.failures + s.waits == 1 + N_ROUND * N_THREAD,
		   "images %llu misses %llu failures %llu waits %llu",
		   (unsigned long long)s.images, (unsigned long long)s.misses,
		   (unsigned long long)s.failures, (unsigned long long)s.waits);
	qd_kernel_free(k);
	qd_context_free(ctx);
}

/* Checks that the same code from two source positions shares one module, except on targets that run
 * the IR, which reports positions. */
static void
places(struct unit_ctx *t)
{
	static const char *const names[] = { "spirv:w8", "ref:w8" };
	static const char *const text[] = {
		"kernel \"k\"\nfile \"a\"\n{\n  %1 = block.thread_idx u32 ; 2:3\n}\n",
		"kernel \"k\"\nfile \"a\"\n{\n  %1 = block.thread_idx u32 ; 9:3\n}\n",
		"kernel \"k\"\nfile \"b\"\n{\n  %1 = block.thread_idx u32 ; 2:3\n}\n",
	};
	struct qd_context *ctx = make_context(t, NULL);
	struct qd_error e;
	for (uint32_t n = 0; n < QD_COUNT(names); n++) {
		struct target target = make_target(t, names[n]);
		struct qd_image *img[2 * QD_COUNT(text)];
		for (uint32_t i = 0; i < QD_COUNT(img); i++) {
			const char *s = text[i % QD_COUNT(text)];
			struct qd_kernel *k = NULL;
			qd_status st = qd_kernel_read(ctx, s, strlen(s), "t", &k, &e);
			UNIT_CHECK(t, st == QD_OK, "%s", e.text);
			img[i] = NULL;
			st = k ? jit_get(ctx, k, &target, NULL, 0, &img[i], &e) : st;
			UNIT_CHECK(t, st == QD_OK, "%s", e.text);
			qd_kernel_free(k);
		}
		for (uint32_t i = 1; i < QD_COUNT(img); i++) {
			bool same = n == 0 || i % QD_COUNT(text) == 0;
			UNIT_CHECK(t, (img[i] == img[0]) == same, "%s: text %u", names[n], i);
		}
		for (uint32_t i = 0; i < QD_COUNT(img); i++)
			qd_image_free(img[i]);
	}
	qd_context_free(ctx);
}

/* -- Memory -------------------------------------------------------------------- */

static void
warm_compile_allocates_nothing(struct unit_ctx *t)
{
	static const char *const names[] = { "spirv:w32", "spirv:w8:-i64:-f64", "ref:w32" };
	struct unit_alloc a;
	struct qd_error e;
	unit_alloc_init(&a);
	struct qd_context *ctx = make_context(t, &a);
	struct qd_kernel *k = make_kernel(t, ctx, 0);
	for (uint32_t i = 0; i < QD_COUNT(names); i++) {
		struct target target = make_target(t, names[i]);
		struct qd_image *img;
		size_t warm = 0;
		for (int round = 0; round < 20; round++) {
			qd_status st = jit_compile(ctx, k, &target, L3, 1, &img, &e);
			UNIT_CHECK(t, st == QD_OK, "%s", e.text);
			if (st == QD_OK)
				qd_image_free(img);
			if (round == 3)
				warm = a.n_calls;
		}
		UNIT_CHECK(t, a.n_calls == warm, "%s: %zu allocations in warm compiles", names[i],
			   a.n_calls - warm);
		qd_image_free(get(t, k, &target, L3));
		warm = a.n_calls;
		for (int round = 0; round < 100; round++)
			qd_image_free(get(t, k, &target, L3));
		UNIT_CHECK(t, a.n_calls == warm, "%s: %zu allocations in hits", names[i],
			   a.n_calls - warm);
	}
	qd_kernel_free(k);
	qd_context_free(ctx);
	UNIT_CHECK(t, a.n_out == 0 && !a.wrong_size, "%zu blocks leaked", a.n_out);
	unit_alloc_fini(&a);
}

/* Fails each allocation of a cold compile once. The call must return a status and leak nothing. */
static void
out_of_memory(struct unit_ctx *t)
{
	static const char *const names[] = { "spirv:w32", "ref:w32" };
	for (size_t at = 1, i = 0; i < QD_COUNT(names) && at < 1000; at++) {
		struct unit_alloc a;
		struct qd_error e;
		struct qd_image *img;
		struct target target = make_target(t, names[i]);
		unit_alloc_init(&a);
		struct qd_context *ctx = make_context(t, &a);
		struct qd_kernel *k = make_kernel(t, ctx, 0);
		size_t before = a.n_calls;
		a.fail_at = before + at;
		qd_status st = jit_get(ctx, k, &target, L3, 1, &img, &e);
		bool reached = a.n_calls >= a.fail_at;
		UNIT_CHECK(t, st == QD_OK || st == QD_E_NOMEM, "allocation %zu: status %d: %s", at,
			   (int)st, e.text);
		if (st == QD_OK)
			qd_image_free(img);
		a.fail_at = 0;
		qd_image_free(get(t, k, &target, L3));
		qd_kernel_free(k);
		qd_context_free(ctx);
		UNIT_CHECK(t, a.n_out == 0 && !a.wrong_size, "allocation %zu: %zu blocks leaked",
			   at, a.n_out);
		unit_alloc_fini(&a);
		if (!reached) {
			UNIT_CHECK(t, st == QD_OK, "%s", e.text);
			i++;
			at = 0;
		}
	}
}

/* -- Sizes and public calls ------------------------------------------------------ */

static struct qd_kernel *
make_sized(struct unit_ctx *t, struct qd_context *ctx, const uint32_t *sizes, uint32_t n)
{
	struct qd_builder *b;
	struct qd_kernel *k = NULL;
	struct qd_error e;
	if (qd_builder_create(ctx, "sized", &b, &e))
		return NULL;
	qd_subgroup_sizes(b, sizes, n);
	struct qd_array dst = qd_param_buffer(b, "dst", QD_TYPE_U32, QD_ACCESS_OUT);
	qd_store(b, dst, qd_block_global_thread_idx(b), qd_subgroup_group_size(b));
	UNIT_CHECK(t, qd_builder_finish(b, &k, &e) == QD_OK, "%s", e.text);
	return k;
}

static void
subgroup_size(struct unit_ctx *t)
{
	struct qd_context *ctx = make_context(t, NULL);
	struct qd_kernel *k = make_sized(t, ctx, (const uint32_t[]){ 64, 16, 8 }, 3);
	struct qd_image *img;
	struct qd_error e;
	uint32_t size = 0;

	/* Order of preference: the size requested at qd_device_open, then the first listed size
	 * that the device has. Otherwise the first that several of its subgroups form, then the
	 * first that is a part of one. */
	static const struct {
		const char *target;
		uint32_t sizes, want;
	} rows[] = {
		{ "spirv:w16", 0xfc, 16 },	      { "spirv:w32", 0xfc, 64 },
		{ "spirv:w4", 4 | 8 | 16, 16 },	      { "spirv:w32", 32 | 128, 64 },
		{ "spirv:w32:b32", 32, 16 },	      { "spirv:w128", 128, 64 },
		{ "spirv:w4:b32", 4, 16 },	      { "spirv:w4", 4, 64 },
	};
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		struct target target;
		UNIT_CHECK(t, !isa_target(rows[i].target, &target, &e) &&
				      !jit_pick_size(k, &target, rows[i].sizes, "x", &size, &e) &&
				      size == rows[i].want,
			   "%s: %u", rows[i].target, size);
	}
	struct target tiny;
	UNIT_CHECK(t, isa_target("spirv:w4:b4", &tiny, &e) == QD_OK, "%s", e.text);
	qd_status st = jit_pick_size(k, &tiny, 4, "vulkan:0", &size, &e);
	UNIT_CHECK(t, st == QD_E_TARGET &&
			      strcmp(e.text, "call 1, qd_subgroup_sizes: the kernel accepts subgroup sizes "
					     "64, 16, 8; vulkan:0 has 4 [E0504]") == 0,
		   "%s", e.text);

	/* a target without :wN accepts any size */
	st = qd_compile(ctx, k, "spirv:-i64", NULL, 0, &img, &e);
	UNIT_CHECK(t, st == QD_OK, "%s", e.text);
	if (st == QD_OK) {
		UNIT_CHECK(t, strcmp(qd_image_target(img), "spirv:w64:-i64") == 0 &&
				      qd_image_subgroup_size(img) == 64,
			   "%s", qd_image_target(img));
		qd_image_free(img);
	}
	st = qd_compile(ctx, k, "spirv:w32", NULL, 0, &img, &e);
	UNIT_CHECK(t, !st && !strcmp(qd_image_target(img), "spirv:w64:h32") &&
			      qd_image_subgroup_size(img) == 64, "%s", e.text);
	qd_image_free(img);
	st = qd_compile(ctx, k, "spirv:w4:b4", NULL, 0, &img, &e);
	UNIT_CHECK(t, st == QD_E_TARGET && img == NULL, "status %d", (int)st);
	qd_kernel_free(k);
	qd_context_free(ctx);
}

static void
public_calls(struct unit_ctx *t)
{
	struct qd_context *ctx = make_context(t, NULL);
	struct qd_kernel *k = make_kernel(t, ctx, 0);
	struct qd_image *img = NULL;
	struct qd_error e;
	size_t size = 0;

	qd_status st = qd_compile(ctx, k, "spirv:w32", L3, 1, &img, &e);
	UNIT_CHECK(t, st == QD_OK, "%s", e.text);
	const void *code = qd_image_data(img, &size);
	UNIT_CHECK(t, code && size > 20, "%zu bytes of code", size);
	qd_image_free(img);

	st = qd_compile(ctx, k, "sprv", L3, 1, &img, &e);
	UNIT_CHECK(t, st == QD_E_NOT_FOUND && !img, "status %d", (int)st);
	st = qd_compile(ctx, k, "spirv", NULL, 0, &img, &e);
	UNIT_CHECK(t, st == QD_E_TEMPLATE && strstr(e.text, "[E0201]"), "%s", e.text);
	st = qd_compile(ctx, NULL, "spirv", NULL, 0, &img, &e);
	UNIT_CHECK(t, st == QD_E_INVALID && strcmp(e.text, "qd_compile: the kernel is NULL") == 0,
		   "%s", e.text);
	st = qd_compile(ctx, k, NULL, NULL, 0, &img, &e);
	UNIT_CHECK(t, st == QD_E_INVALID && strcmp(e.text, "qd_compile: the target is NULL") == 0,
		   "%s", e.text);
	st = qd_compile(ctx, k, "spirv", NULL, 1, &img, &e);
	UNIT_CHECK(t, st == QD_E_INVALID &&
			      strcmp(e.text, "qd_compile: the template values are NULL") == 0,
		   "%s", e.text);
	qd_image_free(NULL);
	qd_kernel_free(k);
	qd_context_free(ctx);
}

/* -- QD_DUMP ---------------------------------------------------------------------- */

struct environment {
	char *dump, *dir;
};

static void
put_environment(const char *dump, const char *dir)
{
	if (dump)
		setenv("QD_DUMP", dump, 1);
	else
		unsetenv("QD_DUMP");
	if (dir)
		setenv("QD_DUMP_DIR", dir, 1);
	else
		unsetenv("QD_DUMP_DIR");
}

/* Removes the files with this suffix and returns their number. */
static int
take_files(const char *dir, const char *end)
{
	DIR *d = opendir(dir);
	int n = 0;
	for (struct dirent *f; d && (f = readdir(d));) {
		size_t len = strlen(f->d_name);
		char path[600];
		if (len < strlen(end) || strcmp(f->d_name + len - strlen(end), end) != 0)
			continue;
		snprintf(path, sizeof path, "%s/%.255s", dir, f->d_name);
		unlink(path);
		n++;
	}
	if (d)
		closedir(d);
	return n;
}

struct seen {
	int n;
	char text[256];
};

static void
see(void *user, qd_log_level level, const char *component, const char *msg, size_t len)
{
	struct seen *s = user;
	if (level > QD_LOG_WARNING || strcmp(component, "dump") != 0)
		return;
	s->n++;
	snprintf(s->text, sizeof s->text, "%.*s", (int)len, msg);
}

/* Compiles three times for each of two targets, in a new context. */
static struct seen
compile_with(struct unit_ctx *t, const char *dump, const char *dir)
{
	struct seen seen = { 0 };
	struct qd_context_desc desc = { .version = QD_VERSION, .log = see, .log_user = &seen };
	struct qd_context *ctx;
	struct qd_error e;
	put_environment(dump, dir);
	if (qd_context_create(&desc, &ctx, &e))
		return seen;
	struct qd_kernel *k = make_kernel(t, ctx, 0);
	for (int i = 0; i < 6; i++) {
		struct qd_image *img;
		qd_status st = qd_compile(ctx, k, i % 2 ? "ref:w8" : "spirv:w8", L3, 1, &img, &e);
		UNIT_CHECK(t, st == QD_OK, "%s", e.text);
		qd_image_free(img);
	}
	qd_kernel_free(k);
	qd_context_free(ctx);
	return seen;
}

static void
dump(struct unit_ctx *t)
{
	char dir[] = "/tmp/qd-dump-XXXXXX";
	const char *a = getenv("QD_DUMP"), *b = getenv("QD_DUMP_DIR");
	struct environment saved = { a ? strdup(a) : NULL, b ? strdup(b) : NULL };
	if (!mkdtemp(dir)) {
		unit_skip(t, "no temporary folder");
		return;
	}
	struct seen seen = compile_with(t, "ir,isa,bin", dir);
	int n_ir = take_files(dir, ".ir"), n_isa = take_files(dir, ".s");
	int n_bin = take_files(dir, ".spv");
#ifdef HAVE_DIS_LIBRARY
	UNIT_CHECK(t, n_ir == 2 && n_isa == 1 && n_bin == 1, "%d ir, %d isa, %d bin", n_ir, n_isa,
		   n_bin);
	UNIT_CHECK(t, seen.n == 0, "%s", seen.text);
#else
	UNIT_CHECK(t, n_ir == 2 && n_isa == 0 && n_bin == 1, "%d ir, %d isa, %d bin", n_ir, n_isa,
		   n_bin);
	UNIT_CHECK(t, seen.n == 1 && strstr(seen.text, "libqdgpu-dis.so.0 cannot be loaded"), "%s", seen.text);
#endif

	seen = compile_with(t, "", dir);
	/* only . and .. */
	UNIT_CHECK(t, take_files(dir, "") == 2 && seen.n == 0, "files without QD_DUMP");
	seen = compile_with(t, "bin,asm", dir);
	UNIT_CHECK(t, seen.n == 1 && strcmp(seen.text, "QD_DUMP='bin,asm' is ignored: it takes a comma-separated list of ir, isa, bin") == 0,
		   "%d messages: %s", seen.n, seen.text);
	seen = compile_with(t, "bin", NULL);
	UNIT_CHECK(t, seen.n == 1 && strcmp(seen.text, "QD_DUMP is ignored: QD_DUMP_DIR does not name a directory") == 0,
		   "%d messages: %s", seen.n, seen.text);
	rmdir(dir);
	put_environment(saved.dump, saved.dir);
	free(saved.dump);
	free(saved.dir);
}

const struct unit units_jit[] = {
	{ "jit.hit", hit },
	{ "jit.key", every_part_of_the_key_counts },
	{ "jit.levels", levels },
	{ "jit.many_images", many_images },
	{ "jit.places", places },
	{ "jit.single_flight", single_flight },
	{ "jit.failure", failure_is_reported_and_not_kept },
	{ "jit.warm_compile", warm_compile_allocates_nothing },
	{ "jit.out_of_memory", out_of_memory },
	{ "jit.subgroup_size", subgroup_size },
	{ "jit.public_calls", public_calls },
	{ "jit.dump", dump },
};
const unsigned n_units_jit = QD_COUNT(units_jit);
