/* Timing loop and result lines of all benches:
 *
 *	compile/spirv:w32/reduce_add.f32  n=300 first=41.20 min=5.90 median=6.10 p90=6.60 us allocs=0
 *
 * The first call has a column of its own, because cold start is a goal too. */
#ifndef QD_BENCH_H
#define QD_BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __linux__
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

enum { BENCH_MAX_SAMPLES = 4096 };

struct bench {
	char name[96];
	uint32_t n;
	double first, us[BENCH_MAX_SAMPLES];
	double allocs; /* heap allocations per sample after the first; negative: not counted */
	uint32_t ins;  /* instructions of the legal body; 0: unknown */
	double limit;  /* of the median, in us; 0: none */
};

static inline double
bench_now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static inline int
bench_by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Calls fn once and then takes n samples. A sample is the mean of `each` calls in a row; more than
 * one if the 25 ns of reading the clock would be significant. Returns false if fn fails. */
static inline bool
bench_run_each(struct bench *r, const char *name, uint32_t n, uint32_t each, bool (*fn)(void *), void *user)
{
	double t = bench_now_us();

	snprintf(r->name, sizeof r->name, "%s", name);
	r->n = n < BENCH_MAX_SAMPLES ? n : BENCH_MAX_SAMPLES;
	r->allocs = -1;
	r->ins = 0;
	r->limit = 0;
	if (!fn(user))
		return false;
	r->first = bench_now_us() - t;
	for (uint32_t i = 0; i < r->n; i++) {
		t = bench_now_us();
		for (uint32_t k = 0; k < each; k++)
			if (!fn(user))
				return false;
		r->us[i] = (bench_now_us() - t) / each;
	}
	qsort(r->us, r->n, sizeof r->us[0], bench_by_value);
	return true;
}

static inline bool
bench_run(struct bench *r, const char *name, uint32_t n, bool (*fn)(void *), void *user)
{
	return bench_run_each(r, name, n, 1, fn, user);
}

static inline double
bench_median(const struct bench *r)
{
	return r->us[r->n / 2];
}

/* Runs two functions in turn, 50 samples at a time, so that other activity of the machine
 * affects both, and each is measured warm. */
static inline bool
bench_run_pair(struct bench *r, struct bench *s, const char *r_name, const char *s_name, uint32_t n,
	       bool (*r_fn)(void *), void *r_user, bool (*s_fn)(void *), void *s_user)
{
	struct bench *both[2] = { r, s };

	if (!bench_run(r, r_name, 0, r_fn, r_user) || !bench_run(s, s_name, 0, s_fn, s_user))
		return false;
	n = n < BENCH_MAX_SAMPLES ? n : BENCH_MAX_SAMPLES;
	while (s->n < n) {
		for (int w = 0; w < 2; w++) {
			uint32_t end = both[w]->n + 50 < n ? both[w]->n + 50 : n;

			while (both[w]->n < end) {
				double t = bench_now_us();

				if (!(w ? s_fn(s_user) : r_fn(r_user)))
					return false;
				both[w]->us[both[w]->n++] = bench_now_us() - t;
			}
		}
	}
	qsort(r->us, r->n, sizeof r->us[0], bench_by_value);
	qsort(s->us, s->n, sizeof s->us[0], bench_by_value);
	return true;
}

/* Opens a counter of this thread's instructions in user mode. Returns a descriptor, or -1 if
 * the machine does not permit it. */
static inline int
bench_counter_open(void)
{
#ifdef __linux__
	struct perf_event_attr a = { .type = PERF_TYPE_HARDWARE,
				     .size = sizeof a,
				     .config = PERF_COUNT_HW_INSTRUCTIONS,
				     .exclude_kernel = 1,
				     .exclude_hv = 1 };

	return (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, 0);
#else
	return -1;
#endif
}

/* Returns the count since the last call. */
static inline uint64_t
bench_counter_read(int fd)
{
	uint64_t n = 0;

#ifdef __linux__
	if (read(fd, &n, sizeof n) != sizeof n)
		n = 0;
	ioctl(fd, PERF_EVENT_IOC_RESET, 0);
#else
	(void)fd;
#endif
	return n;
}

/* Returns the operand and parses --json; exits on any other argument. */
static inline const char *
bench_args(int argc, char **argv, const char *usage, const char *operand, bool *json)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--json") == 0) {
			*json = true;
		} else if (argv[i][0] == '-' || !operand) {
			fprintf(stderr, "usage: %s\n", usage);
			exit(strcmp(argv[i], "--help") == 0 ? 0 : 2);
		} else {
			operand = argv[i];
		}
	}
	return operand;
}

static inline void
bench_print(const struct bench *r, bool json)
{
	double p90 = r->us[(size_t)r->n * 9 / 10];

	if (json) {
		printf("{\"schema\":\"qd.bench/1\",\"name\":\"%s\",\"n\":%u,\"first\":%.3f,"
		       "\"min\":%.3f,\"median\":%.3f,\"p90\":%.3f,\"unit\":\"us\"",
		       r->name, r->n, r->first, r->us[0], bench_median(r), p90);
		if (r->allocs >= 0)
			printf(",\"allocs\":%.2f", r->allocs);
		if (r->ins)
			printf(",\"ins\":%u,\"ns_per_ins\":%.1f", r->ins,
			       1000 * bench_median(r) / r->ins);
		if (r->limit > 0)
			printf(",\"limit\":%.3f", r->limit);
		puts("}");
		return;
	}
	printf("%-44s n=%u first=%.2f min=%.2f median=%.2f p90=%.2f us", r->name, r->n, r->first,
	       r->us[0], bench_median(r), p90);
	if (r->allocs >= 0)
		printf(" allocs=%.2f", r->allocs);
	if (r->ins)
		printf(" ins=%u (%.0f ns each)", r->ins, 1000 * bench_median(r) / r->ins);
	putchar('\n');
}

/* a[i] += 1 */
static inline struct qd_kernel *
bench_tiny(struct qd_context *ctx, struct qd_error *err)
{
	struct qd_kernel *k = NULL;
	struct qd_builder *b;
	struct qd_array a;
	struct qd_val i;

	if (qd_builder_create(ctx, "tiny", &b, err))
		return NULL;
	a = qd_param_buffer(b, "a", QD_TYPE_U32, QD_ACCESS_INOUT);
	i = qd_grid(b, qd_len(b, a));
	qd_store(b, a, i, qd_add(b, qd_load(b, a, i), qd_u32(b, 1)));
	return qd_builder_finish(b, &k, err) ? NULL : k;
}

/* Keeps the device busy for some milliseconds; the number of blocks sets the duration. */
static inline struct qd_kernel *
bench_long(struct qd_context *ctx, struct qd_error *err)
{
	struct qd_kernel *k = NULL;
	struct qd_builder *b;
	struct qd_array a;
	struct qd_val at, y;
	struct qd_var i, x;

	if (qd_builder_create(ctx, "long", &b, err))
		return NULL;
	qd_block(b, 1, 1, 1);
	a = qd_param_buffer(b, "a", QD_TYPE_U32, QD_ACCESS_INOUT);
	at = qd_block_idx(b);
	i = qd_var(b, qd_u32(b, 0));
	x = qd_var(b, at);
	qd_loop(b);
	qd_break_if(b, qd_ge(b, qd_get(b, i), qd_u32(b, 2000)));
	y = qd_mul(b, qd_get(b, x), qd_u32(b, 1664525));
	qd_set(b, x, qd_xor(b, y, qd_shr(b, qd_get(b, x), qd_u32(b, 15))));
	qd_set(b, i, qd_add(b, qd_get(b, i), qd_u32(b, 1)));
	qd_end(b);
	qd_store(b, a, at, qd_get(b, x));
	return qd_builder_finish(b, &k, err) ? NULL : k;
}

#endif
