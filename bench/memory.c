/* bench/memory: measures memory and creation time per kernel, image and function if there are
 * many. Memory is bytes requested from the allocator, and resident pages of the process. The
 * lower bound is blocks that contain only the operations. A last row has kernels that share one
 * long text.
 *
 *	memory [--json] [N]		default 100000 */
#include <sys/wait.h>
#include <unistd.h>

#include "qd.h"

#include "bench.h"

enum {
	N_OPS = 16,
	BARE = 16 * N_OPS, /* bytes: an opcode and three operands per operation */
	TEXT_KERNELS = 3000,
	TEXT_SIZE = 800000
};

/* -- Bytes -------------------------------------------------------------------------- */

static uint64_t live;

static void *
count_alloc(void *user, size_t size)
{
	(void)user;
	live += size;
	return malloc(size);
}

static void
count_free(void *user, void *p, size_t size)
{
	(void)user;
	live -= size;
	free(p);
}

static double
resident(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long all, pages = 0;

	if (f && fscanf(f, "%ld %ld", &all, &pages) != 2)
		pages = 0;
	if (f)
		fclose(f);
	return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

struct mark {
	double us, rss;
	uint64_t live;
};

static struct mark
mark(void)
{
	return (struct mark){ .us = bench_now_us(), .rss = resident(), .live = live };
}

static bool json;

/* Prints the memory and time per object of n objects since `from`. */
static void
report(const char *name, uint32_t n, struct mark from)
{
	struct mark to = mark();
	double bytes = (double)(to.live - from.live) / n, rss = (to.rss - from.rss) / n;
	double ns = 1000 * (to.us - from.us) / n;

	if (json)
		printf("{\"schema\":\"qd.bench/1\",\"name\":\"memory/%s\",\"n\":%u,\"bytes\":%.1f,"
		       "\"resident\":%.1f,\"ns\":%.1f,\"bare\":%d}\n",
		       name, n, bytes, rss, ns, BARE);
	else
		printf("memory/%-28s n=%u %.0f bytes, %.0f resident, %.0f ns each; %.1f times %d "
		       "bare operations\n",
		       name, n, bytes, rss, ns, bytes / BARE, N_OPS);
	fflush(stdout);
}

/* -- Objects ------------------------------------------------------------------------- */

struct job {
	struct qd_context *ctx;
	uint32_t n;
	struct qd_error err;
};

/* Creates a kernel of 16 operations that no pass can remove; `number` makes it unique. */
static struct qd_kernel *
make_kernel(struct job *j, uint32_t number)
{
	struct qd_kernel *k = NULL;
	struct qd_builder *b;
	struct qd_array src, dst;
	struct qd_val i, x, y;

	if (qd_builder_create(j->ctx, "body", &b, &j->err))
		return NULL;
	src = qd_param_buffer(b, "src", QD_TYPE_U32, QD_ACCESS_IN);
	dst = qd_param_buffer(b, "dst", QD_TYPE_U32, QD_ACCESS_OUT);
	i = qd_grid(b, qd_len(b, src));
	x = qd_load(b, src, i);
	y = qd_u32(b, number);
	for (uint32_t n = 0; n < N_OPS; n++) {
		struct qd_val z = n % 2 ? qd_xor(b, x, y) : qd_add(b, x, y);

		y = x;
		x = z;
	}
	qd_store(b, dst, i, x);
	return qd_builder_finish(b, &k, &j->err) ? NULL : k;
}

static struct qd_kernel **
make_kernels(struct job *j)
{
	struct qd_kernel **k = calloc(j->n, sizeof *k);

	for (uint32_t i = 0; k && i < j->n; i++)
		if (!(k[i] = make_kernel(j, i)))
			return NULL;
	return k;
}

static bool
bare(struct job *j)
{
	struct mark from = mark();
	void **p = calloc(j->n, sizeof *p);

	for (uint32_t i = 0; p && i < j->n; i++) {
		if (!(p[i] = count_alloc(NULL, BARE)))
			return false;
		memset(p[i], 1, BARE);
	}
	report("bare", j->n, from);
	return p != NULL;
}

static bool
kernels(struct job *j)
{
	struct mark from = mark();
	struct qd_kernel **k = make_kernels(j);

	if (!k)
		return false;
	report("kernel", j->n, from);
	return true;
}

static bool
images_of(struct job *j, const char *target, const char *name)
{
	struct qd_kernel **k = make_kernels(j);
	struct qd_image **image = calloc(j->n, sizeof *image);
	struct mark from = mark();

	for (uint32_t i = 0; k && image && i < j->n; i++)
		if (qd_compile(j->ctx, k[i], target, NULL, 0, &image[i], &j->err))
			return false;
	if (!k || !image)
		return false;
	report(name, j->n, from);
	return true;
}

static bool
images_spirv(struct job *j)
{
	return images_of(j, "spirv:w32", "image spirv:w32");
}

static bool
images_ref(struct job *j)
{
	return images_of(j, "ref:w32", "image ref:w32");
}

static bool
functions(struct job *j)
{
	struct qd_kernel **k = make_kernels(j);
	struct qd_function *fn;
	struct qd_device *dev;
	struct mark from;

	if (!k || qd_device_open(j->ctx, "ref:32", &dev, &j->err))
		return false;
	from = mark();
	for (uint32_t i = 0; i < j->n; i++)
		if (qd_function_get(dev, k[i], NULL, 0, &fn, &j->err))
			return false;
	report("image and function ref:32", j->n, from);
	return true;
}

static bool
text(struct job *j)
{
	char *s = malloc(TEXT_SIZE + 1000), name[32];
	struct qd_module *m;
	struct mark from;
	size_t len = 0;

	for (int i = 0; s && i < TEXT_KERNELS; i++) {
		len += (size_t)sprintf(s + len,
				       "kernel k%d(src: in f32[], dst: out f32[]) {\n"
				       "  for i in grid(src.len) {\n"
				       "    dst[i] = src[i] * 2.0 + %d.0;\n  }\n}\n//",
				       i, i);
		while (len < (size_t)TEXT_SIZE / TEXT_KERNELS * (size_t)(i + 1) - 1)
			s[len++] = '.';
		s[len++] = '\n';
	}
	from = mark();
	if (!s || qd_module_parse(j->ctx, s, len, "long.qdk", &m, &j->err))
		return false;
	report("module of 800 KB, parsed", 1, from);
	from = mark();
	for (int i = 0; i < TEXT_KERNELS; i++) {
		struct qd_kernel *k;

		snprintf(name, sizeof name, "k%d", i);
		if (qd_module_kernel(m, name, NULL, 0, &k, &j->err))
			return false;
	}
	report("kernel of 800 KB of text", TEXT_KERNELS, from);
	return true;
}

/* Runs fn in a separate process, so that no memory of earlier ones remains. Nothing is freed. */
static int
in_child(bool (*fn)(struct job *), uint32_t n)
{
	struct qd_context_desc desc = { .version = QD_VERSION,
					.allocator = { count_alloc, count_free, NULL } };
	static struct job j;
	int status = 0;
	pid_t pid = fork();

	if (pid < 0 || (pid > 0 && waitpid(pid, &status, 0) != pid)) {
		perror("fork");
		return 1;
	}
	if (pid > 0)
		return status != 0;
	j.n = n;
	if (qd_context_create(&desc, &j.ctx, &j.err) || !fn(&j)) {
		fprintf(stderr, "%s\n", j.err.text);
		_exit(1);
	}
	_exit(0);
}

int
main(int argc, char **argv)
{
	static bool (*const all[])(struct job *) = { bare,	 kernels,   images_spirv,
						     images_ref, functions, text };
	const char *operand = bench_args(argc, argv, "bench-memory [--json] [N]", "100000", &json);
	uint32_t n = (uint32_t)strtoul(operand, NULL, 10);

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		if (n == 0 || in_child(all[i], n))
			return 1;
	return 0;
}
