/* bench/lookup: times the lookup of a function that is already compiled and loaded: alone, with
 * a template value, and among many kernels. On the interpreter nothing else takes time. For
 * comparison it locks and unlocks a mutex, which every shared table needs.
 *
 *	lookup [--json] */
#include <pthread.h>

#include "qd.h"

#include "bench.h"

enum { PER_SAMPLE = 100, N_SAMPLE = 500, MANY = 10000 };

struct job {
	struct qd_device *dev;
	struct qd_kernel **k;
	uint32_t n, at;
	struct qd_tmpl tmpl;
	uint32_t n_tmpl;
	pthread_mutex_t lock;
	struct qd_error err;
};

static bool
look_up(void *user)
{
	struct job *j = user;
	struct qd_function *fn;

	for (int i = 0; i < PER_SAMPLE; i++) {
		if (qd_function_get(j->dev, j->k[j->at], &j->tmpl, j->n_tmpl, &fn, &j->err))
			return false;
		j->at = (j->at + 7) % j->n;
	}
	return true;
}

static bool
get_and_free(void *user)
{
	struct job *j = user;
	struct qd_function *fn;

	for (int i = 0; i < PER_SAMPLE; i++) {
		if (qd_function_get(j->dev, j->k[j->at], &j->tmpl, j->n_tmpl, &fn, &j->err))
			return false;
		qd_function_free(fn);
	}
	return true;
}

static bool
lock(void *user)
{
	struct job *j = user;

	for (int i = 0; i < PER_SAMPLE; i++) {
		pthread_mutex_lock(&j->lock);
		pthread_mutex_unlock(&j->lock);
	}
	return true;
}

static struct qd_kernel *
make_kernel(struct qd_context *ctx, float add, bool tmpl, struct qd_error *err)
{
	struct qd_kernel *k = NULL;
	struct qd_builder *b;
	struct qd_array a;
	struct qd_val i, v;

	if (qd_builder_create(ctx, "sum", &b, err))
		return NULL;
	a = qd_param_buffer(b, "a", QD_TYPE_F32, QD_ACCESS_INOUT);
	i = qd_grid(b, qd_len(b, a));
	v = qd_add(b, qd_load(b, a, i), qd_f32(b, add));
	v = tmpl ? qd_subgroup_reduce_add_tiled(b, v, qd_template(b, "L", 0, 5))
		 : qd_subgroup_reduce_add(b, v);
	qd_store(b, a, i, v);
	return qd_builder_finish(b, &k, err) ? NULL : k;
}

static bool
bench_job(struct job *j, const char *name, bool (*call)(void *), bool json)
{
	static struct bench r, s;
	uint64_t instructions = 0;
	int counter;

	if (!bench_run_pair(&r, &s, name, "lookup/a lock acquired and released x100", N_SAMPLE,
			    call, j, lock, j))
		return false;
	counter = bench_counter_open();
	if (counter >= 0) {
		bench_counter_read(counter);
		call(j);
		instructions = bench_counter_read(counter);
	}
	bench_print(&r, json);
	bench_print(&s, json);
	if (json)
		return true;
	printf("%44s %.1f ns a hit, %.1f times the lock", "", 1000 * bench_median(&r) / PER_SAMPLE,
	       bench_median(&r) / bench_median(&s));
	if (instructions)
		printf(", %llu instructions", (unsigned long long)instructions / PER_SAMPLE);
	putchar('\n');
	return true;
}

int
main(int argc, char **argv)
{
	static struct qd_kernel *many[MANY];
	struct qd_context_desc desc = { .version = QD_VERSION };
	static struct job j = { .tmpl = { .name = "L", .value = 3 },
				.lock = PTHREAD_MUTEX_INITIALIZER };
	struct qd_kernel *one = NULL, *tiled = NULL;
	struct qd_context *ctx;
	struct qd_function *fn;
	bool json = false, ok;

	bench_args(argc, argv, "bench-lookup [--json]", NULL, &json);
	if (qd_context_create(&desc, &ctx, &j.err) ||
	    qd_device_open(ctx, "ref:32", &j.dev, &j.err)) {
		fprintf(stderr, "%s\n", j.err.text);
		return 1;
	}
	ok = (one = make_kernel(ctx, 0, false, &j.err)) &&
	     (tiled = make_kernel(ctx, 0, true, &j.err));
	j.n = 1;
	j.k = &one;
	ok = ok && bench_job(&j, "lookup/ref:32/reduce_add.f32 x100", look_up, json) &&
	     bench_job(&j, "lookup/ref:32/reduce_add.f32, freed x100", get_and_free, json);
	j.k = &tiled;
	j.n_tmpl = 1;
	ok = ok && bench_job(&j, "lookup/ref:32/reduce_add_tiled.f32 L=3 x100", look_up, json);
	j.k = many;
	j.n_tmpl = 0;
	for (j.n = 0; ok && j.n < MANY; j.n++)
		ok = (many[j.n] = make_kernel(ctx, (float)j.n + 1, false, &j.err)) &&
		     !qd_function_get(j.dev, many[j.n], NULL, 0, &fn, &j.err);
	ok = ok && bench_job(&j, "lookup/ref:32/one of 10000 x100", look_up, json);
	if (!ok)
		fprintf(stderr, "%s\n", j.err.text);
	for (uint32_t i = 0; i < MANY; i++)
		qd_kernel_free(many[i]);
	qd_kernel_free(one);
	qd_kernel_free(tiled);
	qd_device_close(j.dev);
	qd_context_free(ctx);
	return ok ? 0 : 1;
}
