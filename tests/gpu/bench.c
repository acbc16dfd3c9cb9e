/* gpu-bench DEVICE [LOG2 [FILE]]: times of qd on one device with arrays of 2^LOG2 words (28), as a JSON object a
 * line. Rows have the names of peer.cu's. FILE is bench.qdk. Every kernel's result is compared with plain C first,
 * on arrays of an odd size; a kernel that is wrong fails the program and is not timed. "get" is the time of a
 * kernel's first compilation and load; "get again" the same in another context, where the driver's cache has it.
 *
 * QD_TEST_MUTATION: "bit" flips a bit of every result, which must be detected. */
#include "../programs/example.h"
#include "qd.h"

#include "bench.h"

enum { WARM_UP = 3, REPEATS = 15, LONG_ENOUGH_US = 1500000 };
enum { SCAN_TILE = 4096, DIGIT_TILE = 2048, DIGITS = 256, SUM_BLOCKS = 4096 };
enum { MAX_STEP = 3, MAX_ARG = 4, MAX_CHECK = 300001 };

static struct {
	const char *device;
	struct qd_device *dev;
	struct qd_stream *stream;
	struct qd_module *module;
	struct qd_error err;
	uint32_t n_timed; /* rows */
	bool again;	  /* in the second context */
	bool failed;
} b;

/* -- Output ----------------------------------------------------------------------------- */

static void
print_reason(const char *key, const char *name, const char *why)
{
	printf("{\"who\":\"%s\",\"%s\":\"%s: ", b.device, key, name);
	for (; *why; why++)
		putchar(*why == '"' || *why == '\\' || (unsigned char)*why < ' ' ? ' ' : *why);
	puts("\"}");
	fflush(stdout);
}

static void
fail(const char *name, const char *why)
{
	print_reason("error", name, why);
	b.failed = true;
}

/* bytes: read and written by the work; 0: no bandwidth is printed. */
static void
print_row(const char *name, size_t n, double us, double least, double bytes)
{
	printf("{\"who\":\"%s\",\"name\":\"%s\",\"n\":%zu,\"us\":%.3f,\"least\":%.3f", b.device, name, n, us, least);
	if (bytes > 0)
		printf(",\"gbps\":%.1f", bytes / us / 1000);
	puts("}");
	fflush(stdout);
}

/* -- Work: a fill or a copy, then launches ------------------------------------------------ */

struct work {
	const char *name;
	struct qd_buffer *zero;	     /* buffer to fill with zeros */
	struct qd_buffer *from, *to; /* copy these */
	struct {
		struct qd_function *fn;
		uint32_t blocks, n_args;
		struct qd_arg args[MAX_ARG];
	} step[MAX_STEP];
	uint32_t n;
};

static void
add_step(struct work *w, struct qd_function *fn, uint32_t blocks, const struct qd_arg *args, uint32_t n_args)
{
	w->step[w->n].fn = fn;
	w->step[w->n].blocks = blocks;
	w->step[w->n].n_args = n_args;
	memcpy(w->step[w->n++].args, args, n_args * sizeof *args);
}

static qd_status
submit(const struct work *w)
{
	static const uint32_t zero = 0;
	qd_status s = QD_OK;

	if (w->zero)
		s = qd_buffer_fill(b.stream, w->zero, 0, qd_buffer_size(w->zero), &zero, sizeof zero, &b.err);
	if (!s && w->from)
		s = qd_buffer_copy(b.stream, w->to, 0, w->from, 0, qd_buffer_size(w->from), &b.err);
	for (uint32_t i = 0; !s && i < w->n; i++)
		s = qd_launch(b.stream, w->step[i].fn, w->step[i].blocks, w->step[i].args, w->step[i].n_args, &b.err);
	return s;
}

static qd_status
measure(const struct work *w, double us[REPEATS], uint32_t *n)
{
	double start = bench_now_us();
	struct qd_event *from, *to;
	uint64_t ns = 0;
	qd_status s = QD_OK;

	*n = 0;
	if ((s = qd_event_create(b.dev, &from, &b.err)))
		return s;
	if ((s = qd_event_create(b.dev, &to, &b.err))) {
		qd_event_free(from);
		return s;
	}
	for (int i = 0; i < WARM_UP + REPEATS && !s; i++) {
		s = qd_event_record(b.stream, from, &b.err);
		s = s ? s : submit(w);
		s = s ? s : qd_event_record(b.stream, to, &b.err);
		s = s ? s : qd_stream_sync(b.stream, &b.err);
		s = s ? s : qd_event_elapsed(from, to, &ns, &b.err);
		if (i >= WARM_UP)
			us[(*n)++] = (double)ns / 1e3;
		/* Slow devices need fewer than 15 samples. */
		if (*n && bench_now_us() - start > LONG_ENOUGH_US)
			break;
	}
	qd_event_free(from);
	qd_event_free(to);
	qsort(us, *n, sizeof *us, bench_by_value);
	return s;
}

static void
time_work(const struct work *w, size_t n, double bytes)
{
	double us[REPEATS];
	uint32_t samples;

	if (measure(w, us, &samples))
		fail(w->name, b.err.text);
	else
		print_row(w->name, n, us[samples / 2], us[0], bytes);
}

/* Returns NULL after printing why. The first use of a kernel compiles and loads it. */
static struct qd_function *
get_function(const char *kernel, qd_type type)
{
	struct qd_tmpl tmpl = { .name = "T", .type = type };
	struct qd_function_info info;
	struct qd_function *fn = NULL;
	struct qd_kernel *k = NULL;
	double start = bench_now_us();

	if (qd_module_kernel(b.module, kernel, type ? &tmpl : NULL, type != 0, &k, &b.err) ||
	    qd_function_get(b.dev, k, NULL, 0, &fn, &b.err)) {
		/* Devices may lack 64-bit atomics, for example. */
		if (b.err.code == QD_E_TARGET && !b.again)
			print_reason("skip", kernel, b.err.text);
		else if (b.err.code != QD_E_TARGET)
			fail(kernel, b.err.text);
	} else if (qd_function_info(fn, &info, &b.err) == QD_OK) {
		printf("{\"who\":\"%s\",\"name\":\"get %s%s%s%s\",\"us\":%.0f,\"registers\":%u,\"shared\":%u,\"local\":%u,\"resident\":%u}\n",
		       b.device, b.again ? "again " : "", kernel, type ? " " : "", type ? qd_type_name(type) : "", bench_now_us() - start,
		       info.registers, info.shared_size, info.local_size, info.resident_blocks);
	}
	qd_kernel_free(k);
	return fn;
}

/* -- Launches, transfers -------------------------------------------------------------------- */

static qd_status
launch_many(struct qd_function *fn, const struct qd_arg *arg, uint32_t n, double *host_us, double *us)
{
	double start = bench_now_us();

	for (uint32_t i = 0; i < n; i++)
		if (qd_launch(b.stream, fn, 1, arg, 1, &b.err))
			return b.err.code;
	*host_us = (bench_now_us() - start) / n;
	if (qd_stream_sync(b.stream, &b.err))
		return b.err.code;
	*us = (bench_now_us() - start) / n;
	return QD_OK;
}

static void
time_launches(struct qd_buffer *buf)
{
	enum { ONE_BY_ONE = 300, MANY = 10000, ROUNDS = 7 };
	struct qd_function *fn = get_function("empty", 0);
	struct qd_arg arg = qd_arg_buffer(buf);
	double one[ONE_BY_ONE], many[ROUNDS], host[ROUNDS];
	qd_status s = QD_OK;

	if (!fn)
		return;
	for (int i = 0; i < ONE_BY_ONE && !s; i++)
		s = launch_many(fn, &arg, 1, &host[0], &one[i]);
	for (int i = 0; i < ROUNDS && !s; i++)
		s = launch_many(fn, &arg, MANY, &host[i], &many[i]);
	qd_function_free(fn);
	if (s) {
		fail("launch", b.err.text);
		return;
	}
	qsort(one, ONE_BY_ONE, sizeof *one, bench_by_value);
	qsort(many, ROUNDS, sizeof *many, bench_by_value);
	qsort(host, ROUNDS, sizeof *host, bench_by_value);
	print_row("launch and wait", 1, one[ONE_BY_ONE / 2], one[0], 0);
	print_row("launch, of 10000", MANY, many[ROUNDS / 2], many[0], 0);
	print_row("launch, host part", MANY, host[ROUNDS / 2], host[0], 0);
}

/* Transfers from ordinary (pageable) host memory and back. */
static void
time_transfers(struct qd_buffer *buf, size_t size)
{
	enum { TIMES = 5 };
	char *host = malloc(size);

	if (!host) {
		fail("upload", "out of memory");
		return;
	}
	memset(host, 1, size);
	for (int up = 1; up >= 0; up--) {
		double us[TIMES];
		for (int i = 0; i < TIMES; i++) {
			double start = bench_now_us();
			qd_status s = up ? qd_buffer_upload(b.stream, buf, 0, host, size, &b.err)
					 : qd_buffer_download(b.stream, buf, 0, host, size, &b.err);

			if (s || qd_stream_sync(b.stream, &b.err)) {
				fail(up ? "upload" : "download", b.err.text);
				free(host);
				return;
			}
			us[i] = bench_now_us() - start;
		}
		qsort(us, TIMES, sizeof *us, bench_by_value);
		print_row(up ? "upload" : "download", size / 4, us[TIMES / 2], us[0], (double)size);
	}
	free(host);
}

/* -- Plain C ------------------------------------------------------------------------------ */

/* Computes the expected results for n words; returns their number. */
typedef uint32_t reference(const uint32_t *src, uint32_t n, uint32_t group, bool is_float, uint32_t *out);

static uint32_t
want_copy(const uint32_t *src, uint32_t n, uint32_t group, bool is_float, uint32_t *out)
{
	(void)group, (void)is_float;
	memcpy(out, src, n * sizeof *src);
	return n;
}

/* Floats are small integers here, so their sums are exact in any order. */
static uint32_t
add(uint32_t x, uint32_t y, bool is_float)
{
	float f, g;

	if (!is_float)
		return x + y;
	memcpy(&f, &x, sizeof f);
	memcpy(&g, &y, sizeof g);
	f += g;
	memcpy(&x, &f, sizeof x);
	return x;
}

static uint32_t
want_sums(const uint32_t *src, uint32_t n, uint32_t group, bool is_float, uint32_t *out)
{
	for (uint32_t i = 0; i < n; i++)
		out[i / group] = i % group ? add(out[i / group], src[i], is_float) : src[i];
	return (n + group - 1) / group;
}

static uint32_t
want_scans(const uint32_t *src, uint32_t n, uint32_t group, bool is_float, uint32_t *out)
{
	for (uint32_t i = 0; i < n; i++)
		out[i] = i % group ? add(out[i - 1], src[i], is_float) : src[i];
	return n;
}

static uint32_t
want_total(const uint32_t *src, uint32_t n, uint32_t group, bool is_float, uint32_t *out)
{
	(void)group;
	out[0] = 0;
	for (uint32_t i = 0; i < n; i++)
		out[0] = add(out[0], src[i], is_float);
	return 1;
}

static uint32_t
want_digit_order(const uint32_t *src, uint32_t n, uint32_t group, bool is_float, uint32_t *out)
{
	uint32_t at[DIGITS + 1] = { 0 };

	(void)group, (void)is_float;
	for (uint32_t i = 0; i < n; i++)
		at[src[i] % DIGITS + 1]++;
	for (uint32_t d = 0; d < DIGITS; d++)
		at[d + 1] += at[d];
	for (uint32_t i = 0; i < n; i++)
		out[at[src[i] % DIGITS]++] = src[i];
	return n;
}

/* -- Rows ----------------------------------------------------------------------------------- */

enum shape { EACH, SUM, SCAN, RADIX }; /* how the kernels of a row are launched */

static const struct row {
	const char *name, *kernel[MAX_STEP];
	qd_type type; /* 0: the kernel has no template */
	enum shape shape;
	uint32_t tile;	/* elements of a block; 0: a grid loop */
	uint32_t group; /* elements of a result; 0: the subgroup size */
	reference *want;
	double bytes; /* read and written per word */
} rows[] = {
	{ "copy1 u32", { "copy1" }, QD_TYPE_U32, EACH, 0, 1, want_copy, 8 },
	{ "copy1 u64", { "copy1" }, QD_TYPE_U64, EACH, 0, 1, want_copy, 8 },
	{ "copy4 u32", { "copy4" }, QD_TYPE_U32, EACH, 1024, 1, want_copy, 8 },
	{ "copy4 u64", { "copy4" }, QD_TYPE_U64, EACH, 1024, 1, want_copy, 8 },
	{ "warp_sum u32", { "warp_sum" }, QD_TYPE_U32, EACH, 0, 0, want_sums, 4.125 },
	{ "warp_sum f32", { "warp_sum" }, QD_TYPE_F32, EACH, 0, 0, want_sums, 4.125 },
	{ "block_sum u32", { "block_sum" }, QD_TYPE_U32, EACH, 0, 256, want_sums, 4.015625 },
	{ "block_sum f32", { "block_sum" }, QD_TYPE_F32, EACH, 0, 256, want_sums, 4.015625 },
	{ "block_scan u32", { "block_scan" }, QD_TYPE_U32, EACH, 0, 256, want_scans, 8 },
	{ "block_scan f32", { "block_scan" }, QD_TYPE_F32, EACH, 0, 256, want_scans, 8 },
	{ "sum of all", { "sum_all" }, 0, SUM, 0, 1, want_total, 4 },
	{ "scan of all", { "scan_all" }, 0, SCAN, SCAN_TILE, UINT32_MAX, want_scans, 8 },
	{ "radix pass of 8 bits", { "digit_counts", "scan_all", "digit_move" }, 0, RADIX, DIGIT_TILE, 1, want_digit_order, 8 },
};

struct arrays {
	struct qd_buffer *src, *dst, *state, *counts, *sums;
	uint32_t n; /* words */
};

static void
free_arrays(struct arrays *a)
{
	qd_buffer_free(a->src), qd_buffer_free(a->dst), qd_buffer_free(a->state), qd_buffer_free(a->counts), qd_buffer_free(a->sums);
}

static bool
make_arrays(struct arrays *a, uint32_t n)
{
	uint32_t tiles = (n + DIGIT_TILE - 1) / DIGIT_TILE;
	uint64_t scan_blocks = ((uint64_t)n + (uint64_t)tiles * DIGITS) / SCAN_TILE + 4;

	*a = (struct arrays){ .n = n };
	if (qd_buffer_create(b.dev, n * 4ull, 0, &a->src, &b.err) || qd_buffer_create(b.dev, n * 4ull, 0, &a->dst, &b.err) ||
	    qd_buffer_create(b.dev, scan_blocks * 8, 0, &a->state, &b.err) ||
	    qd_buffer_create(b.dev, tiles * (DIGITS * 4ull), 0, &a->counts, &b.err) ||
	    qd_buffer_create(b.dev, tiles * (DIGITS * 4ull), 0, &a->sums, &b.err)) {
		fail("arrays", b.err.text);
		free_arrays(a);
		return false;
	}
	return true;
}

static void
make_work(struct work *w, const struct row *r, const struct arrays *a, struct qd_function *const fn[MAX_STEP])
{
	struct qd_arg src = qd_arg_buffer(a->src), dst = qd_arg_buffer(a->dst), state = qd_arg_buffer(a->state);
	struct qd_arg counts = qd_arg_buffer(a->counts), sums = qd_arg_buffer(a->sums);
	uint32_t elements = r->type == QD_TYPE_U64 ? a->n / 2 : a->n, tiles = (a->n + DIGIT_TILE - 1) / DIGIT_TILE;
	uint32_t blocks;

	*w = (struct work){ .name = r->name };
	switch (r->shape) {
	case EACH:
		add_step(w, fn[0], r->tile ? (elements + r->tile - 1) / r->tile : QD_GRID, (struct qd_arg[]){ src, dst }, 2);
		break;
	case SUM:
		w->zero = a->state; /* the smallest: the fill is timed */
		blocks = (elements + 1023) / 1024 < SUM_BLOCKS ? (elements + 1023) / 1024 : SUM_BLOCKS;
		add_step(w, fn[0], blocks, (struct qd_arg[]){ src, qd_arg_u32((elements - 1) / (blocks * 1024) + 1), state }, 3);
		break;
	case SCAN:
		w->zero = a->state;
		add_step(w, fn[0], (elements + SCAN_TILE - 1) / SCAN_TILE, (struct qd_arg[]){ src, dst, state }, 3);
		break;
	case RADIX:
		w->zero = a->state;
		add_step(w, fn[0], tiles, (struct qd_arg[]){ src, qd_arg_u32(0), counts }, 3);
		add_step(w, fn[1], (tiles * DIGITS + SCAN_TILE - 1) / SCAN_TILE, (struct qd_arg[]){ counts, sums, state }, 3);
		add_step(w, fn[2], tiles, (struct qd_arg[]){ src, sums, counts, dst }, 4);
		break;
	}
}

/* Compares the work's result with plain C. */
static bool
check(const struct row *r, const struct arrays *a, const struct work *w, uint32_t subgroup)
{
	static uint32_t src[MAX_CHECK], got[MAX_CHECK], want[MAX_CHECK];
	struct qd_buffer *result = r->shape == SUM ? a->state : a->dst;
	uint32_t n = a->n, n_want;
	char why[128];

	example_seed(7);
	for (uint32_t i = 0; i < n; i++) {
		float small = (float)example_below(1000);

		src[i] = example_u32();
		if (r->type == QD_TYPE_F32)
			memcpy(&src[i], &small, sizeof small);
	}
	if (r->type == QD_TYPE_U64)
		n -= n % 2;
	n_want = r->want(src, n, r->group ? r->group : subgroup, r->type == QD_TYPE_F32, want);
	if (qd_buffer_upload(b.stream, a->src, 0, src, a->n * 4ull, &b.err) || submit(w) ||
	    qd_buffer_download(b.stream, result, 0, got, n_want * 4ull, &b.err)) {
		fail(r->name, b.err.text);
		return false;
	}
	if (example_injected("bit"))
		got[n_want / 2] ^= 1;
	for (uint32_t i = 0; i < n_want; i++) {
		if (got[i] == want[i])
			continue;
		snprintf(why, sizeof why, "wrong result for %u words: element %u is 0x%08x, not 0x%08x", n, i, got[i], want[i]);
		fail(r->name, why);
		return false;
	}
	return true;
}

static void
run_row(const struct row *r, const struct arrays *large, const struct arrays *small)
{
	struct qd_function *fn[MAX_STEP] = { NULL };
	struct qd_function_info info;
	struct work w;
	bool good = true;

	for (uint32_t i = 0; i < MAX_STEP && r->kernel[i]; i++)
		good = good && (fn[i] = get_function(r->kernel[i], r->type)) != NULL;
	if (good && qd_function_info(fn[0], &info, &b.err)) {
		fail(r->name, b.err.text);
		good = false;
	}
	if (good) {
		make_work(&w, r, small, fn);
		good = check(r, small, &w, info.subgroup_size);
	}
	if (good) {
		make_work(&w, r, large, fn);
		time_work(&w, large->n, r->bytes * large->n);
		b.n_timed++;
	}
	for (uint32_t i = 0; i < MAX_STEP; i++)
		qd_function_free(fn[i]);
}

/* -- Main ------------------------------------------------------------------------------------- */

/* Returns NULL after printing why. */
static struct qd_context *
open_device(const char *file, const char *text)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_context *ctx;

	if (qd_context_create(&desc, &ctx, &b.err) || qd_device_open(ctx, b.device, &b.dev, &b.err) ||
	    qd_module_parse(ctx, text, strlen(text), file, &b.module, &b.err) || qd_stream_create(b.dev, &b.stream, &b.err)) {
		fail("open", b.err.text);
		return NULL;
	}
	return ctx;
}

static void
close_device(struct qd_context *ctx)
{
	qd_stream_free(b.stream);
	qd_module_free(b.module);
	qd_device_close(b.dev);
	qd_context_free(ctx);
}

static void
get_again(void)
{
	b.again = true;
	qd_function_free(get_function("empty", 0));
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (uint32_t k = 0; k < MAX_STEP && rows[i].kernel[k]; k++)
			qd_function_free(get_function(rows[i].kernel[k], rows[i].type));
}

static void
run(uint32_t n)
{
	static struct arrays large, small;
	struct work copy = { .name = "memcpy device to device" };
	uint32_t *host;

	if (!make_arrays(&large, n))
		return;
	if (!make_arrays(&small, n < MAX_CHECK ? n - 1 : MAX_CHECK)) {
		free_arrays(&large);
		return;
	}
	time_launches(large.dst);
	time_transfers(large.src, n * 4ull < 256u << 20 ? n * 4ull : 256u << 20);
	/* Random words, because hardware compresses zeros. */
	host = malloc(n * 4ull);
	example_seed(1);
	for (uint32_t i = 0; host && i < n; i++)
		host[i] = example_u32();
	if (!host || qd_buffer_upload(b.stream, large.src, 0, host, n * 4ull, &b.err))
		fail("upload", host ? b.err.text : "out of memory");
	free(host);
	copy.from = large.src, copy.to = large.dst;
	time_work(&copy, n, 8.0 * n);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		run_row(&rows[i], &large, &small);
	free_arrays(&small);
	free_arrays(&large);
}

int
main(int argc, char **argv)
{
	static char text[1 << 16];
	const char *file = argc > 3 ? argv[3] : "bench.qdk";
	int log2 = argc > 2 ? atoi(argv[2]) : 28;
	struct qd_context *ctx;
	double start = bench_now_us();

	if (argc < 2 || argc > 4 || log2 < 12 || log2 > 30) {
		fprintf(stderr, "usage: gpu-bench DEVICE [LOG2 [FILE]], LOG2 from 12 to 30\n");
		return 2;
	}
	b.device = argv[1];
	if (!example_read(*file == '/' ? "" : ".", file, text, sizeof text))
		return 1;
	if (!(ctx = open_device(file, text)))
		return 1;
	print_row("open", 1, bench_now_us() - start, bench_now_us() - start, 0);
	run(1u << log2);
	close_device(ctx);
	if ((ctx = open_device(file, text))) {
		get_again();
		close_device(ctx);
	}
	if (!b.failed)
		printf("%u of %zu rows are correct and timed\n", b.n_timed, sizeof rows / sizeof *rows);
	return b.failed;
}
