/* Two exact properties that need a program of their own.
 *
 *	exact alloc	interposes malloc: a warm compile, from the first builder call
 *			until the image is freed, must not call it
 *	exact bytes N	compiles every kernel here for several targets in N threads
 *			at once, checks that all threads got the same bytes, and
 *			prints a hash of each image, which is the same in every run,
 *			locale and directory (exact.sh compares) */
#include <dlfcn.h>
#include <locale.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qd.h"

/* -- Counting allocation functions ------------------------------------------------ */

static _Atomic uint64_t n_calls;

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_OWN_MALLOC 1
#endif
#endif
#if !defined(HAS_OWN_MALLOC) && !defined(__SANITIZE_ADDRESS__)

/* Exported, so that the library uses these instead of the C library's. */
QD_API void *malloc(size_t size);
QD_API void *calloc(size_t n, size_t size);
QD_API void *realloc(void *old, size_t size);
QD_API void *aligned_alloc(size_t align, size_t size);
QD_API void free(void *p);

static void *
next(const char *name)
{
	void *p = dlsym(RTLD_NEXT, name);

	if (!p)
		abort();
	return p;
}

/* dlsym itself may call calloc before the real one is known. */
static char early[4096];
static _Atomic size_t early_used;

void *
malloc(size_t size)
{
	static void *(*real)(size_t);

	atomic_fetch_add(&n_calls, 1);
	if (!real) {
		void *p = next("malloc");

		memcpy(&real, &p, sizeof real);
	}
	return real(size);
}

void *
calloc(size_t n, size_t size)
{
	static void *(*real)(size_t, size_t);
	static _Atomic int inside;

	atomic_fetch_add(&n_calls, 1);
	if (!real) {
		void *p;

		if (atomic_exchange(&inside, 1)) {
			size_t at = atomic_fetch_add(&early_used, (n * size + 15) & ~(size_t)15);

			return at + n * size <= sizeof early ? early + at : NULL;
		}
		p = next("calloc");
		memcpy(&real, &p, sizeof real);
	}
	return real(n, size);
}

void *
realloc(void *old, size_t size)
{
	static void *(*real)(void *, size_t);

	atomic_fetch_add(&n_calls, 1);
	if (!real) {
		void *p = next("realloc");

		memcpy(&real, &p, sizeof real);
	}
	return real(old, size);
}

void *
aligned_alloc(size_t align, size_t size)
{
	static void *(*real)(size_t, size_t);

	atomic_fetch_add(&n_calls, 1);
	if (!real) {
		void *p = next("aligned_alloc");

		memcpy(&real, &p, sizeof real);
	}
	return real(align, size);
}

void
free(void *p)
{
	static void (*real)(void *);

	if ((char *)p >= early && (char *)p < early + sizeof early)
		return;
	if (!real) {
		void *f = next("free");

		memcpy(&real, &f, sizeof real);
	}
	real(p);
}
#endif

/* -- Kernels --------------------------------------------------------------------------- */

static void
keep_larger(struct qd_builder *b, void *user, const struct qd_val *x, const struct qd_val *y,
	    struct qd_val *out, uint32_t k)
{
	(void)user;
	for (uint32_t i = 0; i < k; i++)
		out[i] = qd_max(b, x[i], y[i]);
}

/* A sum with a branch and a division; loops with 64-bit values; an operator. */
static struct qd_kernel *
make(struct qd_context *ctx, int which, struct qd_error *err)
{
	static const qd_type types[] = { QD_TYPE_F32, QD_TYPE_I64, QD_TYPE_U32 };
	qd_type type = types[which];
	struct qd_kernel *k = NULL;
	struct qd_builder *b;
	struct qd_array src, dst;
	struct qd_val i, v, r;
	struct qd_var sum;

	if (qd_builder_create(ctx, "exact", &b, err))
		return NULL;
	qd_block(b, which == 2 ? 37 : 64, 1, 1);
	src = qd_param_buffer(b, "src", type, QD_ACCESS_IN);
	dst = qd_param_buffer(b, "dst", type, QD_ACCESS_OUT);
	i = qd_grid(b, qd_len(b, src));
	v = qd_load(b, src, i);
	r = v;
	if (which == 0) {
		r = qd_subgroup_reduce_add(b, v);
		r = qd_add(b, r, qd_subgroup_inclusive_add_tiled(b, qd_mul(b, v, qd_f32(b, 0.1f)), 2));
	} else if (which == 1) {
		sum = qd_var(b, v);
		qd_loop(b);
		r = qd_get(b, sum);
		qd_break_if(b, qd_gt(b, r, qd_i64(b, 1000)));
		r = qd_get(b, sum);
		r = qd_mul(b, r, qd_i64(b, 3));
		qd_set(b, sum, qd_add(b, r, qd_i64(b, 1)));
		qd_end(b);
		r = qd_subgroup_reduce_min(b, qd_get(b, sum));
	} else {
		qd_subgroup_inclusive_scan(b, &v, &r, 1, 1, keep_larger, NULL);
	}
	v = qd_subgroup_invocation_id(b);
	qd_if(b, qd_eq(b, v, qd_u32(b, 0)));
	qd_store(b, dst, qd_div(b, i, qd_u32(b, 4)), r);
	qd_end(b);
	return qd_builder_finish(b, &k, err) ? NULL : k;
}

enum { N_KERNEL = 3 };
static const char *const targets[] = { "spirv:w4:-i64:-f64:-i8:-i16", "spirv:w32",
				       "spirv:w8:+hidezero", "ptx:sm_70", "ptx:sm_90", "ref:w16" };
enum { N_TARGET = sizeof targets / sizeof targets[0] };

/* FNV-1a; 0 after a failure. */
static uint64_t
compile_hash(struct qd_context *ctx, int kernel, int target, struct qd_error *err)
{
	struct qd_kernel *k = make(ctx, kernel, err);
	struct qd_image *image = NULL;
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	const unsigned char *p;
	size_t size;

	if (!k || qd_compile(ctx, k, targets[target], NULL, 0, &image, err)) {
		qd_kernel_free(k);
		return 0;
	}
	p = qd_image_data(image, &size);
	for (size_t i = 0; i < size; i++)
		h = (h ^ p[i]) * UINT64_C(0x100000001b3);
	qd_image_free(image);
	qd_kernel_free(k);
	return h;
}

/* -- exact alloc -------------------------------------------------------------------------- */

static int
check_allocations(struct qd_context *ctx)
{
	enum { ROUNDS = 1000 };
	struct qd_context *cold;
	struct qd_error err = { 0 };
	uint64_t before, calls;
	int bad = 0;

	for (int t = 0; t < N_TARGET; t++) {
		for (int k = 0; k < N_KERNEL; k++) {
			if (!compile_hash(ctx, k, t, &err) || !compile_hash(ctx, k, t, &err)) {
				printf("%s: %s\n", targets[t], err.text);
				return 1;
			}
			before = atomic_load(&n_calls);
			for (int i = 0; i < ROUNDS; i++)
				compile_hash(ctx, k, t, &err);
			calls = atomic_load(&n_calls) - before;
			if (calls) {
				printf("%s, kernel %d: %llu allocations in %d warm compiles\n",
				       targets[t], k, (unsigned long long)calls, ROUNDS);
				bad = 1;
			}
		}
	}
	/* Check of the count itself: a second context starts cold. */
	before = atomic_load(&n_calls);
	if (qd_context_create(&(struct qd_context_desc){ .version = QD_VERSION }, &cold, &err)) {
		printf("%s\n", err.text);
		return 1;
	}
	compile_hash(cold, 0, 0, &err);
	qd_context_free(cold);
	if (atomic_load(&n_calls) < before + 2) {
		printf("malloc is not interposed\n");
		bad = 1;
	}
	if (!bad)
		printf("%d warm compiles without an allocation\n", ROUNDS * N_TARGET * N_KERNEL);
	return bad;
}

/* -- exact bytes ---------------------------------------------------------------------------- */

struct job {
	struct qd_context *ctx;
	uint64_t hash[N_TARGET][N_KERNEL];
};

static void *
compile_all(void *user)
{
	struct job *j = user;
	struct qd_error err;

	for (int t = 0; t < N_TARGET; t++)
		for (int k = 0; k < N_KERNEL; k++)
			j->hash[t][k] = compile_hash(j->ctx, k, t, &err);
	return NULL;
}

static int
check_bytes(struct qd_context *ctx, unsigned n)
{
	static struct job job[16];
	pthread_t id[16];

	for (unsigned i = 0; i < n; i++) {
		job[i].ctx = ctx;
		if (pthread_create(&id[i], NULL, compile_all, &job[i]))
			return 1;
	}
	for (unsigned i = 0; i < n; i++)
		pthread_join(id[i], NULL);
	for (int t = 0; t < N_TARGET; t++) {
		for (int k = 0; k < N_KERNEL; k++) {
			printf("%s %d %016llx\n", targets[t], k,
			       (unsigned long long)job[0].hash[t][k]);
			for (unsigned i = 0; i < n; i++) {
				if (!job[i].hash[t][k] || job[i].hash[t][k] != job[0].hash[t][k]) {
					printf("thread %u: the bytes differ\n", i);
					return 1;
				}
			}
		}
	}
	return 0;
}

int
main(int argc, char **argv)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_context *ctx;
	struct qd_error err;
	unsigned n = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
	int rc = 2;

	setlocale(LC_ALL, "");
	if (qd_context_create(&desc, &ctx, &err)) {
		printf("%s\n", err.text);
		return 1;
	}
	if (argc > 1 && strcmp(argv[1], "alloc") == 0)
		rc = check_allocations(ctx);
	else if (argc > 1 && strcmp(argv[1], "bytes") == 0 && n > 0 && n <= 16)
		rc = check_bytes(ctx, n);
	qd_context_free(ctx);
	return rc;
}
