/* bench/launch_amdgpu: compares the host's cost of qd_launch on an AMD device with writing the same
 * words directly: the packets of the wait, the cache flush and the dispatch, and the arguments.
 * The device is busy meanwhile, so nothing is submitted.
 *
 *	launch_amdgpu [--json] [SELECTOR]		default amdgpu
 *
 * Without an AMD device: bash tests/scripts/driver.sh fakeamd build/bench/bench-launch-amdgpu */
#include "kgd.h"
#include "qd.h"

#include "bench.h"

enum { N = 50, SAMPLES = 60, BARRIER = 16 };

struct pair {
	struct qd_stream *stream;
	struct qd_function *fn, *busy;
	struct qd_buffer *buf;
	struct heap_piece *piece;
	uint32_t barrier[BARRIER], n_barrier;
	struct qd_error err;
};

/* Creates the packets between two launches that use the same buffer. */
static bool
make_barrier(struct pair *p, const struct kgd_device *dev)
{
	struct pm4_use use = { .addr = 4096, .size = 4096, .written = true };
	struct pm4 s;

	pm4_begin(&s, dev->gpu->gen, p->barrier, BARRIER, &p->err);
	pm4_barrier(&s, &use, 1, &use, 1);
	p->n_barrier = s.n;
	return s.st == QD_OK;
}

/* Writes the packets from the start of `piece` and the arguments from its end. */
static void
write_words(const struct pair *p)
{
	const struct kgd_function *fn = (const struct kgd_function *)p->fn;
	const struct kgd_template *t = &fn->dispatch;
	volatile uint32_t *to = kgd_piece_host(p->piece);
	uint64_t end = p->piece->size, addr = kgd_piece_addr(p->piece);
	uint64_t at = p->buf->addr;

	for (uint32_t j = 0; j < N; j++) {
		const uint64_t args[] = { at, 64, 1, 0 };
		end -= 64;
		memcpy((char *)kgd_piece_host(p->piece) + end, args, sizeof args);
		for (uint32_t i = 0; i < p->n_barrier; i++)
			*to++ = p->barrier[i];
		for (uint32_t i = 0; i < t->n; i++)
			*to++ = t->words[i];
		to[t->kernarg - t->n] = (uint32_t)(addr + end);
		to[t->kernarg + 1 - t->n] = (uint32_t)((addr + end) >> 32);
	}
}

static bool
measure(struct pair *p, bool json)
{
	static struct bench r, s;
	struct qd_arg arg = qd_arg_buffer(p->buf);

	snprintf(r.name, sizeof r.name, "launch/qd/host part");
	snprintf(s.name, sizeof s.name, "launch/words by hand/host part");
	r.n = s.n = SAMPLES;
	r.allocs = s.allocs = -1;
	for (uint32_t i = 0; i < SAMPLES; i++) {
		/* The second launch begins a batch. */
		if (qd_launch(p->stream, p->busy, 200, &arg, 1, &p->err) ||
		    qd_launch(p->stream, p->fn, QD_GRID, &arg, 1, &p->err))
			return false;
		double t = bench_now_us();
		for (uint32_t j = 0; j < N; j++)
			if (qd_launch(p->stream, p->fn, QD_GRID, &arg, 1, &p->err))
				return false;
		r.us[i] = (bench_now_us() - t) / N;
		t = bench_now_us();
		write_words(p);
		s.us[i] = (bench_now_us() - t) / N;
		if (qd_stream_sync(p->stream, &p->err))
			return false;
	}
	r.first = r.us[0];
	s.first = s.us[0];
	qsort(r.us, r.n, sizeof r.us[0], bench_by_value);
	qsort(s.us, s.n, sizeof s.us[0], bench_by_value);
	bench_print(&r, json);
	bench_print(&s, json);
	if (!json)
		printf("%44s %.0f ns beyond the words at best, %.0f at the median\n", "", 1e3 * (r.us[0] - s.us[0]),
		       1e3 * (bench_median(&r) - bench_median(&s)));
	return true;
}

int
main(int argc, char **argv)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	static struct pair p;
	struct qd_context *ctx;
	struct qd_device *dev;
	struct qd_kernel *k = NULL, *busy = NULL;
	bool json = false;
	const char *selector = bench_args(argc, argv, "bench-launch-amdgpu [--json] [SELECTOR]", "amdgpu", &json);

	if (qd_context_create(&desc, &ctx, &p.err) || qd_device_open(ctx, selector, &dev, &p.err) ||
	    !(k = bench_tiny(ctx, &p.err)) || !(busy = bench_long(ctx, &p.err)) ||
	    qd_function_get(dev, k, NULL, 0, &p.fn, &p.err) || qd_function_get(dev, busy, NULL, 0, &p.busy, &p.err) ||
	    qd_stream_create(dev, &p.stream, &p.err) || qd_buffer_create(dev, 256, 0, &p.buf, &p.err) ||
	    kgd_piece(kgd_device_of(dev), KGD_COMMAND, 1 << 20, &p.piece, &p.err) ||
	    !make_barrier(&p, kgd_device_of(dev))) {
		fprintf(stderr, "%s\n", p.err.text);
		return 1;
	}
	bool ok = strcmp(dev->driver->name, "amdgpu") == 0 && measure(&p, json);
	if (!ok)
		fprintf(stderr, "%s\n", p.err.code ? p.err.text : "a device of another driver");
	heap_free(p.piece);
	qd_function_free(p.fn);
	qd_function_free(p.busy);
	qd_stream_free(p.stream);
	qd_buffer_free(p.buf);
	qd_kernel_free(k);
	qd_kernel_free(busy);
	qd_device_close(dev);
	qd_context_free(ctx);
	return ok ? 0 : 1;
}
