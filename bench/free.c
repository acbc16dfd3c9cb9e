/* bench/free: measures the host's cost of qd_buffer_free for an unused buffer, for a buffer that
 * two streams used once, and for a buffer that is in use. Each sample frees N buffers.
 *
 *	free [--json] [SELECTOR]		default vulkan */
#include "qd.h"

#include "bench.h"

enum { N = 256, SAMPLES = 200, LONG_ENOUGH_US = 1000000 };

struct frees {
	struct qd_device *dev;
	struct qd_stream *stream[2];
	struct qd_function *fn;
	struct qd_buffer *buf[N];
	struct qd_error err;
};

/* Creates buffers and uses each on the first n streams; with sync, waits for these streams. */
static bool
make(struct frees *f, uint32_t n, bool sync)
{
	for (uint32_t i = 0; i < N; i++) {
		if (qd_buffer_create(f->dev, 256, 0, &f->buf[i], &f->err))
			return false;
		struct qd_arg arg = qd_arg_buffer(f->buf[i]);
		for (uint32_t s = 0; s < n; s++)
			if (qd_launch(f->stream[s], f->fn, QD_GRID, &arg, 1, &f->err))
				return false;
	}
	for (uint32_t s = 0; s < n && sync; s++)
		if (qd_stream_sync(f->stream[s], &f->err))
			return false;
	return true;
}

/* Measures frees; a sample is the mean of N. */
static bool
run(struct frees *f, struct bench *r, const char *name, uint32_t n_streams, bool sync)
{
	double start = bench_now_us();

	snprintf(r->name, sizeof r->name, "%s", name);
	r->n = 0;
	r->allocs = -1;
	/* Emulated devices take fewer samples. */
	for (uint32_t i = 0; i <= SAMPLES && (i < 2 || bench_now_us() - start < LONG_ENOUGH_US); i++) {
		if (!make(f, n_streams, sync))
			return false;
		double t = bench_now_us();
		for (uint32_t j = 0; j < N; j++)
			qd_buffer_free(f->buf[j]);
		t = (bench_now_us() - t) / N;
		if (i)
			r->us[r->n++] = t;
		else
			r->first = t;
		if (qd_stream_sync(f->stream[0], &f->err) || qd_stream_sync(f->stream[1], &f->err))
			return false;
	}
	qsort(r->us, r->n, sizeof r->us[0], bench_by_value);
	return true;
}

int
main(int argc, char **argv)
{
	static struct bench r;
	static struct frees f;
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_context *ctx;
	struct qd_kernel *k = NULL;
	bool json = false, ok = true;
	const char *selector = bench_args(argc, argv, "bench-free [--json] [SELECTOR]", "vulkan",
					  &json);
	static const struct {
		const char *name;
		uint32_t n_streams;
		bool sync;
	} rows[] = {
		{ "free/idle", 0, true },
		{ "free/used by one stream", 1, true },
		{ "free/used by two streams", 2, true },
		{ "free/in use", 1, false },
	};

	if (qd_context_create(&desc, &ctx, &f.err) ||
	    qd_device_open(ctx, selector, &f.dev, &f.err) || !(k = bench_tiny(ctx, &f.err)) ||
	    qd_function_get(f.dev, k, NULL, 0, &f.fn, &f.err) ||
	    qd_stream_create(f.dev, &f.stream[0], &f.err) ||
	    qd_stream_create(f.dev, &f.stream[1], &f.err)) {
		fprintf(stderr, "%s\n", f.err.text);
		return 1;
	}
	for (size_t i = 0; i < sizeof rows / sizeof rows[0] && ok; i++) {
		ok = run(&f, &r, rows[i].name, rows[i].n_streams, rows[i].sync);
		if (ok)
			bench_print(&r, json);
	}
	if (!ok)
		fprintf(stderr, "%s\n", f.err.text);
	qd_function_free(f.fn);
	qd_stream_free(f.stream[0]);
	qd_stream_free(f.stream[1]);
	qd_kernel_free(k);
	qd_device_close(f.dev);
	qd_context_free(ctx);
	return ok ? 0 : 1;
}
