/* bench/start: measures what the disk cache saves at the start of a program. It times from the
 * start of a process until each of six kernels has given its first result, with an empty cache
 * directory and with the directory of an earlier process.
 *
 *	start [--rounds N] [--json] [SELECTOR]		default 20 rounds, vulkan
 *
 * A driver's own cache speeds up both. These variables disable it:
 * MESA_SHADER_CACHE_DISABLE=true, CUDA_CACHE_DISABLE=1. */
#include <ftw.h>
#include <sys/wait.h>

#include "qd.h"

#include "bench.h"

enum { VALUES = 6, WORDS = 1024, ROUNDS = 20 /* default of --rounds */ };

static const char source[] =
	"kernel sums<static L in 0..=5>(a: in f32[], b: out f32[]) block(128) {\n"
	"  for i in grid(a.len) {\n"
	"    let up = subgroup.inclusive_add_tiled(a[i], 2);\n"
	"    let all = block.reduce_add(up);\n"
	"    b[i] = all + subgroup.reduce_max_tiled(up, 2) * f32(L);\n"
	"  }\n"
	"}\n";

struct result {
	uint32_t hits, misses;
	char error[256];
};

/* -- Measured process ---------------------------------------------------------------- */

static qd_status
first_results(struct qd_context *ctx, const char *selector, struct qd_error *err)
{
	static float data[WORDS];
	struct qd_module *m;
	struct qd_device *dev;
	struct qd_stream *s;
	struct qd_buffer *a, *b;
	qd_status st = qd_module_parse(ctx, source, sizeof source - 1, "start.qdk", &m, err);

	if (st || (st = qd_device_open(ctx, selector, &dev, err)) ||
	    (st = qd_stream_create(dev, &s, err)) ||
	    (st = qd_buffer_create(dev, sizeof data, 0, &a, err)) ||
	    (st = qd_buffer_create(dev, sizeof data, 0, &b, err)))
		return st;
	for (int32_t l = 0; l < VALUES && !st; l++) {
		struct qd_tmpl tmpl = { .name = "L", .value = l };
		struct qd_arg args[] = { qd_arg_buffer(a), qd_arg_buffer(b) };
		struct qd_kernel *k;
		struct qd_function *fn;

		if ((st = qd_module_kernel(m, "sums", &tmpl, 1, &k, err)) ||
		    (st = qd_function_get(dev, k, NULL, 0, &fn, err)) ||
		    (st = qd_launch(s, fn, QD_GRID, args, 2, err)))
			return st;
		st = qd_buffer_download(s, b, 0, data, sizeof data, err);
		qd_function_free(fn);
		qd_kernel_free(k);
	}
	qd_buffer_free(a);
	qd_buffer_free(b);
	qd_stream_free(s);
	qd_device_close(dev);
	qd_module_free(m);
	return st;
}

static int
child(const char *dir, const char *selector, int out)
{
	struct qd_context_desc desc = { .version = QD_VERSION, .cache_dir = dir,
					.cache_mode = QD_CACHE_ON };
	struct qd_context *ctx;
	struct qd_error err = { 0 };
	struct qd_cache_stats s = { 0 };
	struct result r = { 0 };
	qd_status st = qd_context_create(&desc, &ctx, &err);

	if (!st && (st = first_results(ctx, selector, &err)) == QD_OK)
		qd_cache_stats(ctx, &s);
	r.hits = (uint32_t)s.disk_hits;
	r.misses = (uint32_t)s.disk_misses;
	if (st)
		snprintf(r.error, sizeof r.error, "%.255s", err.text);
	if (write(out, &r, sizeof r) != sizeof r)
		return 1;
	/* The parent does not wait for the cache writes. */
	if (!st)
		qd_context_free(ctx);
	return 0;
}

/* -- Parent process ------------------------------------------------------------------ */

static int
remove_one(const char *path, const struct stat *st, int kind, struct FTW *f)
{
	(void)st, (void)kind, (void)f;
	return remove(path);
}

/* Starts the process. Returns the microseconds until it reports its result; negative on failure. */
static double
start(const char *self, const char *dir, const char *selector, struct result *r)
{
	int out[2], status;
	char fd[16];
	double t = bench_now_us();

	if (pipe(out) != 0)
		return -1;
	pid_t pid = fork();
	if (pid == 0) {
		snprintf(fd, sizeof fd, "%d", out[1]);
		execl("/proc/self/exe", self, "--child", dir, selector, fd, (char *)NULL);
		_exit(3);
	}
	close(out[1]);
	ssize_t n = read(out[0], r, sizeof *r);
	t = bench_now_us() - t;
	close(out[0]);
	waitpid(pid, &status, 0);
	if (n != sizeof *r || r->error[0] || status) {
		fprintf(stderr, "%s\n", n == sizeof *r && r->error[0] ? r->error : "a process has failed");
		return -1;
	}
	return t;
}

int
main(int argc, char **argv)
{
	static struct bench cold, warm;
	struct result r = { 0 };
	const char *tmp = getenv("TMPDIR");
	const char *usage = "bench-start [--rounds N] [--json] [SELECTOR]";
	char top[1024];
	unsigned long rounds = ROUNDS;
	bool json = false, ok = true;

	if (argc == 5 && strcmp(argv[1], "--child") == 0)
		return child(argv[2], argv[3], atoi(argv[4]));
	if (argc > 2 && strcmp(argv[1], "--rounds") == 0) {
		rounds = strtoul(argv[2], NULL, 10);
		if (rounds < 1 || rounds > BENCH_MAX_SAMPLES) {
			fprintf(stderr, "--rounds %s: from 1 to %d\nusage: %s\n", argv[2],
				BENCH_MAX_SAMPLES, usage);
			return 2;
		}
		argv[2] = argv[0]; /* start runs /proc/self/exe by this name */
		argc -= 2;
		argv += 2;
	}
	const char *selector = bench_args(argc, argv, usage, "vulkan", &json);
	snprintf(top, sizeof top, "%.999s/qd-start-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(top)) {
		perror(top);
		return 1;
	}
	snprintf(cold.name, sizeof cold.name, "start/%.60s/empty", selector);
	snprintf(warm.name, sizeof warm.name, "start/%.60s/kept", selector);
	cold.allocs = warm.allocs = -1;
	for (uint32_t i = 0; i <= rounds && ok; i++) {
		char dir[sizeof top + 12];
		snprintf(dir, sizeof dir, "%s/%u", top, i);
		double a = start(argv[0], dir, selector, &r);
		double b = a < 0 ? a : start(argv[0], dir, selector, &r);
		ok = b >= 0;
		if (i == 0) {
			cold.first = a;
			warm.first = b;
		} else {
			cold.us[cold.n++] = a;
			warm.us[warm.n++] = b;
		}
	}
	if (ok) {
		qsort(cold.us, cold.n, sizeof cold.us[0], bench_by_value);
		qsort(warm.us, warm.n, sizeof warm.us[0], bench_by_value);
		bench_print(&cold, json);
		bench_print(&warm, json);
	}
	if (ok && !json)
		printf("%44s %.2f times the first's at best, %.2f at the median; %u hits, %u misses\n", "",
		       warm.us[0] / cold.us[0], bench_median(&warm) / bench_median(&cold), r.hits, r.misses);
	nftw(top, remove_one, 8, FTW_PHYS | FTW_DEPTH);
	return ok ? 0 : 1;
}
