/* bench/loops: measures the cost of detecting loops that a driver ends early (docs/targets.md,
 * looplimit). It compiles each kernel for the device's target with and without the option,
 * compares the results, and times both.
 *
 *	bench-loops [--json] [SELECTOR]		default vulkan */
#include "qd.h"

#include "bench.h"

enum { N = 16384, SAMPLES = 200, MAX_TARGET = 512 };

static const char option[] = ":+looplimit";

static const char text[] =
	"kernel sum(x: in u32[], y: out u32[], rounds: u32) block(64) {\n"
	"  for i in grid(y.len) {\n"
	"    var s = 0u;\n"
	"    for j in 0u..rounds { s = s * 3u + x[(i + j) & 1023u]; }\n"
	"    y[i] = s;\n"
	"  }\n"
	"}\n"
	"kernel nested(x: in u32[], y: out u32[], rounds: u32) block(64) {\n"
	"  for i in grid(y.len) {\n"
	"    var s = 0u;\n"
	"    for j in 0u..rounds / 4u { for k in 0u..min(rounds, 4u) { s = s * 3u + x[(i + j + k) & 1023u]; } }\n"
	"    y[i] = s;\n"
	"  }\n"
	"}\n"
	"kernel varying(x: in u32[], y: out u32[], rounds: u32) block(64) {\n"
	"  for i in grid(y.len) {\n"
	"    var s = x[i] & (2u * rounds - 1u);\n"
	"    var n = 0u;\n"
	"    while s != 0u { s = s - 1u; n = n * 5u + s; }\n"
	"    y[i] = n;\n"
	"  }\n"
	"}\n"
	"kernel left(x: in u32[], y: out u32[], rounds: u32) block(64) {\n"
	"  for i in grid(y.len) {\n"
	"    var s = 0u;\n"
	"    for j in 0u..2u * rounds { if j == rounds { break; } s = s * 3u + x[(i + j) & 1023u]; }\n"
	"    y[i] = s;\n"
	"  }\n"
	"}\n";

static const char *const kernels[] = { "sum", "nested", "varying", "left" };

struct job {
	struct qd_stream *stream;
	struct qd_function *fn;
	struct qd_buffer *x, *y;
	struct qd_error *err;
};

static bool
launch(void *user)
{
	struct job *j = user;
	struct qd_arg args[] = { qd_arg_buffer(j->x), qd_arg_buffer(j->y), qd_arg_u32(64) };

	return !qd_launch(j->stream, j->fn, QD_GRID, args, 3, j->err) && !qd_stream_sync(j->stream, j->err);
}

/* Compiles the kernel for the target and loads it. */
static bool
load(struct job *j, struct qd_context *ctx, struct qd_device *dev, const struct qd_kernel *k,
     const char *target)
{
	struct qd_image *img = NULL;
	bool ok = !qd_compile(ctx, k, target, NULL, 0, &img, j->err) &&
		  !qd_function_load(dev, img, &j->fn, j->err);

	qd_image_free(img);
	return ok;
}

static bool
leaves(struct job *j, uint32_t *out)
{
	return launch(j) && !qd_buffer_download(j->stream, j->y, 0, out, N * sizeof *out, j->err);
}

static bool
compare(struct job *watched, struct job *plain, const char *kernel, const char *device, bool json)
{
	static uint32_t want[N], got[N];
	static struct bench r, s;
	char name[96], other[96];

	if (!leaves(plain, want) || !leaves(watched, got))
		return false;
	if (memcmp(want, got, sizeof got) != 0) {
		fprintf(stderr, "%s: %s does not leave the same\n", device, kernel);
		exit(1);
	}
	snprintf(name, sizeof name, "loops/%s/%s", device, kernel);
	snprintf(other, sizeof other, "loops/%s/%s/unwatched", device, kernel);
	if (!bench_run_pair(&r, &s, name, other, SAMPLES, launch, watched, launch, plain))
		return false;
	bench_print(&r, json);
	bench_print(&s, json);
	if (!json)
		printf("%44s %.2f times as long at best, %.2f at the median\n", "", r.us[0] / s.us[0],
		       bench_median(&r) / bench_median(&s));
	return true;
}

int
main(int argc, char **argv)
{
	static uint32_t data[N];
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_device_info info;
	struct qd_error e;
	struct qd_context *ctx = NULL;
	struct qd_device *dev = NULL;
	struct qd_module *m = NULL;
	struct job a = { .err = &e }, b;
	char plain[MAX_TARGET];
	bool json = false, ok;
	const char *device = bench_args(argc, argv, "bench-loops [--json] [SELECTOR]", "vulkan", &json);
	char *at;

	ok = !qd_context_create(&desc, &ctx, &e) && !qd_device_open(ctx, device, &dev, &e) &&
	     !qd_device_info(dev, &info, &e) && !qd_stream_create(dev, &a.stream, &e) &&
	     !qd_buffer_create(dev, sizeof data, 0, &a.x, &e) &&
	     !qd_buffer_create(dev, sizeof data, 0, &a.y, &e) &&
	     !qd_module_parse(ctx, text, sizeof text - 1, "loops.qdk", &m, &e);
	for (uint32_t i = 0; i < N; i++)
		data[i] = i * 2654435761u;
	ok = ok && !qd_buffer_upload(a.stream, a.x, 0, data, sizeof data, &e);
	if (ok) {
		snprintf(plain, sizeof plain, "%s", info.target);
		at = strstr(plain, option);
		if (at)
			memmove(at, at + sizeof option - 1, strlen(at + sizeof option - 1) + 1);
		else
			printf("%s ends no loops: nothing to compare\n", device);
		for (uint32_t i = 0; at && i < sizeof kernels / sizeof kernels[0] && ok; i++) {
			struct qd_kernel *k = NULL;

			b = a;
			ok = !qd_module_kernel(m, kernels[i], NULL, 0, &k, &e) &&
			     load(&a, ctx, dev, k, info.target) && load(&b, ctx, dev, k, plain) &&
			     compare(&a, &b, kernels[i], device, json);
			qd_function_free(a.fn);
			qd_function_free(b.fn);
			a.fn = NULL;
			qd_kernel_free(k);
		}
	}
	if (!ok)
		fprintf(stderr, "%s\n", e.text);
	qd_module_free(m);
	qd_buffer_free(a.x);
	qd_buffer_free(a.y);
	qd_stream_free(a.stream);
	qd_device_close(dev);
	qd_context_free(ctx);
	return !ok;
}
