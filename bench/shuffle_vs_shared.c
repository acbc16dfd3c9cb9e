/* bench/shuffle_vs_shared: compares shuffles with shared memory on a device. It sums a subgroup's
 * lanes repeatedly: with a shuffle in each step; with a store, a barrier and a load of shared
 * memory in each step, where the barrier is the block's or the subgroup's; and with one
 * operation. The results are compared. Each variant is timed alternately with the shuffles, and
 * printed as a ratio: 62 % means that it takes 1.6 times as long.
 *
 *	shuffle-vs-shared [--json] [SELECTOR]		default vulkan */
#include "qd.h"

#include "bench.h"

enum { BLOCK = 256, MAX_BLOCKS = 2048, MAX_ROUNDS = 1 << 20, MIN_SAMPLE = 9, MAX_SAMPLE = 50 };
#define LONG_ENOUGH 2000.0 /* us of a launch, which makes its fixed cost insignificant */
#define TOO_LONG    1e6    /* us of all launches of a variant */

#define KERNEL(name, memory, step)                                                                 \
	"kernel " name "<static L in 0..=7>(src: in u32[], dst: out u32[], rounds: u32) block(256) {\n" \
	memory                                                                                     \
	"  let t = block.thread_idx();\n"                                                     \
	"  let i = block.idx * 256 + t;\n"                                                         \
	"  var v = src[i];\n"                                                                      \
	"  var half = 0u;\n"                                                                       \
	"  for r in 0..rounds {\n"                                                                 \
	"    v ^= r;\n"                                                                            \
	"    " step "\n"                                                                           \
	"  }\n"                                                                                    \
	"  dst[i] = v;\n"                                                                          \
	"}\n"
/* Steps use the halves of the array alternately, so each needs only one barrier. */
#define BY_MEMORY(barrier)                                                                         \
	"unroll for k in 0..L { s[half + t] = v; " barrier " v += s[half + (t ^ 1u << k)]; half = 256 - half; }"

static const char text[] =
	KERNEL("shuffles", "", "unroll for k in 0..L { v += subgroup.shuffle_xor(v, 1 << k); }")
	KERNEL("block_barriers", "  shared s: u32[512];\n", BY_MEMORY("block.sync();"))
	KERNEL("subgroup_barriers", "  shared s: u32[512];\n", BY_MEMORY("subgroup.sync();"))
	KERNEL("one_operation", "", "v = subgroup.reduce_add(v);");

static const struct way {
	const char *kernel, *name;
} ways[] = {
	{ "shuffles", "shuffles" }, /* the reference */
	{ "block_barriers", "block barriers" },
	{ "subgroup_barriers", "subgroup barriers" },
	{ "one_operation", "subgroup.reduce_add" },
};
enum { N_WAY = sizeof ways / sizeof ways[0] };

struct job {
	struct qd_stream *stream;
	struct qd_function *fn;
	struct qd_buffer *src, *dst;
	uint32_t blocks, rounds;
	struct qd_error err;
};

static bool
launch(void *user)
{
	struct job *j = user;
	struct qd_arg args[] = { qd_arg_buffer(j->src), qd_arg_buffer(j->dst), qd_arg_u32(j->rounds) };

	return !qd_launch(j->stream, j->fn, j->blocks, args, 3, &j->err) &&
	       !qd_stream_sync(j->stream, &j->err);
}

/* Makes launches long enough: increases the blocks up to MAX_BLOCKS, then the rounds. */
static bool
make_long(struct job *j)
{
	static struct bench r;

	for (j->blocks = j->rounds = 16; j->rounds < MAX_ROUNDS;) {
		if (!bench_run(&r, "", 3, launch, j))
			return false;
		if (r.us[0] >= LONG_ENOUGH)
			break;
		if (j->blocks < MAX_BLOCKS)
			j->blocks *= 2;
		else
			j->rounds *= 2;
	}
	return true;
}

static bool
leaves(struct job *j, uint32_t *out)
{
	return launch(j) && !qd_buffer_download(j->stream, j->dst, 0, out,
						j->blocks * BLOCK * sizeof *out, &j->err);
}

static bool
compare(struct job *first, struct job *j, const struct way *w, const char *device, uint32_t lanes,
       bool json)
{
	static uint32_t want[MAX_BLOCKS * BLOCK], got[MAX_BLOCKS * BLOCK];
	static struct bench r, s;
	char name[96], yard[96];
	double us, n;

	j->blocks = first->blocks;
	j->rounds = first->rounds;
	if (!leaves(first, want))
		return false;
	us = bench_now_us();
	if (!leaves(j, got))
		return false;
	n = TOO_LONG / (bench_now_us() - us);
	n = n < MIN_SAMPLE ? MIN_SAMPLE : n > MAX_SAMPLE ? MAX_SAMPLE : n;
	for (uint32_t i = 0; i < j->blocks * BLOCK; i++) {
		if (got[i] == want[i])
			continue;
		fprintf(stderr, "%s: %s leaves %u at %u, not %u\n", device, w->name, got[i], i, want[i]);
		exit(1);
	}
	snprintf(name, sizeof name, "shuffle/%s/%s", device, w->name);
	snprintf(yard, sizeof yard, "shuffle/%s/%s", device, ways[0].name);
	if (!bench_run_pair(&r, &s, name, yard, (uint32_t)n, launch, j, launch, first))
		return false;
	bench_print(&r, json);
	bench_print(&s, json);
	if (!json)
		printf("%44s %.1f %% of the shuffles' throughput at best, %.1f %% at the median; "
		       "%u lanes, %u x %u threads, %u rounds\n",
		       "", 100 * s.us[0] / r.us[0], 100 * bench_median(&s) / bench_median(&r),
		       lanes, j->blocks, (unsigned)BLOCK, j->rounds);
	return true;
}

static bool
prepare(struct job *j, struct qd_context *ctx, struct qd_device *dev, const struct way *w,
	int log2_lanes)
{
	struct qd_tmpl tmpl = { .name = "L", .value = log2_lanes };
	struct qd_kernel *k = NULL;
	struct qd_module *m;
	bool ok;

	if (qd_module_parse(ctx, text, sizeof text - 1, "shuffle_vs_shared.qdk", &m, &j->err))
		return false;
	ok = !qd_module_kernel(m, w->kernel, &tmpl, 1, &k, &j->err) &&
	     !qd_function_get(dev, k, NULL, 0, &j->fn, &j->err);
	qd_kernel_free(k);
	qd_module_free(m);
	return ok;
}

int
main(int argc, char **argv)
{
	static uint32_t data[MAX_BLOCKS * BLOCK];
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_device_info info;
	struct qd_context *ctx;
	struct qd_device *dev;
	struct job j[N_WAY] = { { .stream = NULL } };
	bool json = false, ok = true;
	const char *device = bench_args(argc, argv, "bench-shuffle-vs-shared [--json] [SELECTOR]",
					"vulkan", &json);
	int log2_lanes = 0;

	if (qd_context_create(&desc, &ctx, &j->err) || qd_device_open(ctx, device, &dev, &j->err) ||
	    qd_device_info(dev, &info, &j->err) || qd_stream_create(dev, &j->stream, &j->err) ||
	    qd_buffer_create(dev, sizeof data, 0, &j->src, &j->err) ||
	    qd_buffer_create(dev, sizeof data, 0, &j->dst, &j->err)) {
		fprintf(stderr, "%s\n", j->err.text);
		return 1;
	}
	for (uint32_t i = 0; i < MAX_BLOCKS * BLOCK; i++)
		data[i] = i * 2654435761u;
	while (info.subgroup_size >> log2_lanes > 1)
		log2_lanes++;
	for (uint32_t i = 0; i < N_WAY && ok; i++) {
		if (i) {
			j[i].stream = j->stream;
			j[i].src = j->src;
			j[i].dst = j->dst;
		}
		ok = prepare(&j[i], ctx, dev, &ways[i], log2_lanes);
		if (ok && !i)
			ok = !qd_buffer_upload(j->stream, j->src, 0, data, sizeof data, &j->err) && make_long(j);
		if (ok && i)
			ok = compare(j, &j[i], &ways[i], device, info.subgroup_size, json);
		if (!ok)
			fprintf(stderr, "%s\n", j[i].err.code ? j[i].err.text : j->err.text);
	}
	for (uint32_t i = 0; i < N_WAY; i++)
		qd_function_free(j[i].fn);
	qd_buffer_free(j->src);
	qd_buffer_free(j->dst);
	qd_stream_free(j->stream);
	qd_device_close(dev);
	qd_context_free(ctx);
	return !ok;
}
