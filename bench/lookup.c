/* bench/lookup: what a call costs whose kernel is compiled and loaded already,
 * on the interpreter, so that nothing but the look-up is timed.
 *
 *	lookup [--json] */
#include "qd.h"

#include "bench.h"

struct job {
	struct qd_device *dev;
	struct qd_kernel *k;
	struct qd_error err;
};

enum { PER_SAMPLE = 100 };

static bool
look_up(void *user)
{
	struct job *j = user;
	struct qd_function *fn;

	for (int i = 0; i < PER_SAMPLE; i++)
		if (qd_function_get(j->dev, j->k, NULL, 0, &fn, &j->err))
			return false;
	return true;
}

int
main(int argc, char **argv)
{
	static struct bench r;
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct job j = { NULL, NULL, { 0, 0, 0, "" } };
	struct qd_context *ctx;
	struct qd_builder *b;
	struct qd_array a;
	struct qd_val i;
	bool json = false, ok;

	bench_args(argc, argv, "bench-lookup [--json]", NULL, &json);
	if (qd_context_create(&desc, &ctx, &j.err) ||
	    qd_device_open(ctx, "ref:32", &j.dev, &j.err) ||
	    qd_builder_create(ctx, "copy", &b, &j.err)) {
		fprintf(stderr, "%s\n", j.err.text);
		return 1;
	}
	a = qd_param_buffer(b, "a", QD_TYPE_F32, QD_ACCESS_INOUT);
	i = qd_grid(b, qd_len(b, a));
	qd_store(b, a, i, qd_subgroup_reduce_add(b, qd_load(b, a, i)));
	ok = qd_builder_finish(b, &j.k, &j.err) == QD_OK &&
	     bench_run(&r, "lookup x100/ref:32/reduce_add.f32", 500, look_up, &j);
	if (ok)
		bench_print(&r, json);
	else
		fprintf(stderr, "%s\n", j.err.text);
	qd_kernel_free(j.k);
	qd_device_close(j.dev);
	qd_context_free(ctx);
	return ok ? 0 : 1;
}
