/* bench/parse: times parsing of a small and a large .qdk text, instantiation of kernels of the
 * large one, and parsing of printed IR. The lower bound is a loop that only finds the tokens of
 * the same text, in the same run.
 *
 *	parse [--json] */
#include "qd.h"

#include "bench.h"

enum {
	N_KERNELS = 2000,
	N_TAKEN = 20,  /* kernels instantiated in one sample */
	N_OPS = 20000, /* operations of the long kernel */
	MAX_TEXT = 1 << 20
};

struct job {
	struct qd_context *ctx;
	struct qd_module *module; /* whose kernels are instantiated */
	char *text;
	size_t len;
	uint32_t n_kernels, next;
	uint64_t tokens; /* result, so that the compiler keeps the loop */
	struct qd_error err;
};

/* -- Texts ------------------------------------------------------------------------ */

static const char head[] = "qdk 2;\n"
			   "fn mix(x: f32, y: f32) -> f32 {\n"
			   "  if x < y { return x * 0.5 + y; }\n"
			   "  return x - y;\n"
			   "}\n";

static size_t
put_kernel(char *out, size_t cap, uint32_t i)
{
	return (size_t)snprintf(
		out, cap,
		"// Number %u: sums of tiles, of what a few rounds make of the elements.\n"
		"kernel tile_sum_%u(src: in f32[], dst: out f32[], rounds: u32) block(64) {\n"
		"  for i in grid(src.len) {\n"
		"    var x = src[i];\n"
		"    var odd: u32 = %u;\n"
		"    for j in 0..8u {\n"
		"      if j == rounds { break; }\n"
		"      x = mix(x * 1.5, src[i + j] else 1.0);\n"
		"      odd ^= j << %u;\n"
		"    }\n"
		"    let total = subgroup.reduce_add_tiled(x, 2);\n"
		"    if subgroup.tile_lane(2) == 0 { dst[i / 4] = select(odd > 2, total, -total); "
		"}\n"
		"  }\n"
		"}\n",
		i, i, i % 100, i % 32);
}

static void *
must(void *p)
{
	if (!p) {
		fputs("out of memory\n", stderr);
		exit(1);
	}
	return p;
}

static void
make_text(struct job *j, uint32_t n)
{
	j->text = must(malloc(MAX_TEXT));
	j->n_kernels = n;
	j->len = (size_t)snprintf(j->text, MAX_TEXT, "%s", head);
	for (uint32_t i = 0; i < n; i++)
		j->len += put_kernel(j->text + j->len, MAX_TEXT - j->len, i);
}

/* Creates printed IR of a small kernel, or of one with a long body. */
static bool
make_ir(struct job *j, uint32_t n_ops)
{
	struct qd_kernel *k = NULL;
	struct qd_builder *b;
	struct qd_array a;
	struct qd_val i, x, y;

	if (qd_builder_create(j->ctx, "chain", &b, &j->err))
		return false;
	a = qd_param_buffer(b, "a", QD_TYPE_U32, QD_ACCESS_INOUT);
	y = i = qd_grid(b, qd_len(b, a));
	x = qd_load(b, a, i);
	for (uint32_t n = 0; n < n_ops; n++) {
		struct qd_val z = n % 3 == 0   ? qd_add(b, x, y)
				  : n % 3 == 1 ? qd_xor(b, x, y)
					       : qd_mul(b, x, y);

		y = x;
		x = z;
	}
	qd_store(b, a, i, x);
	if (qd_builder_finish(b, &k, &j->err) || qd_kernel_print(k, NULL, 0, &j->len, &j->err))
		return false;
	j->text = must(malloc(j->len + 1));
	j->n_kernels = 1;
	qd_kernel_print(k, j->text, j->len + 1, &j->len, &j->err);
	qd_kernel_free(k);
	return true;
}

/* -- Timed functions ------------------------------------------------------------------ */

/* Counts tokens: names, numbers, comments and punctuation. */
static bool
find_tokens(void *user)
{
	struct job *j = user;
	const char *p = j->text, *end = p + j->len;
	uint64_t n = 0;

	while (p < end) {
		if (*p == ' ' || *p == '\n' || *p == '\t') {
			p++;
		} else if (*p == '/' && p + 1 < end && p[1] == '/') {
			while (p < end && *p != '\n')
				p++;
		} else if ((*p | 32) >= 'a' && (*p | 32) <= 'z') {
			uint64_t hash = 0;

			for (; p < end && (((*p | 32) >= 'a' && (*p | 32) <= 'z') || *p == '_' ||
					   (*p >= '0' && *p <= '9'));
			     p++)
				hash = (hash ^ (unsigned char)*p) * 0x100000001b3u;
			n += hash & 1;
		} else if (*p >= '0' && *p <= '9') {
			uint64_t v = 0;

			for (; p < end && *p >= '0' && *p <= '9'; p++)
				v = 10 * v + (uint64_t)(*p - '0');
			n += v & 1;
		} else {
			p++;
			n++;
		}
	}
	j->tokens += n;
	return *(volatile uint64_t *)&j->tokens != 0;
}

static bool
parse(void *user)
{
	struct job *j = user;
	struct qd_module *m = NULL;
	bool ok = !qd_module_parse(j->ctx, j->text, j->len, "bench.qdk", &m, &j->err) &&
		  qd_module_kernel_count(m) == j->n_kernels;

	qd_module_free(m);
	return ok;
}

static bool
take(void *user)
{
	struct job *j = user;

	for (uint32_t i = 0; i < N_TAKEN; i++) {
		struct qd_kernel *k = NULL;

		j->next = (j->next + 97) % j->n_kernels;
		if (qd_module_kernel(j->module, qd_module_kernel_name(j->module, j->next), NULL, 0,
				     &k, &j->err))
			return false;
		qd_kernel_free(k);
	}
	return true;
}

static bool
read_ir(void *user)
{
	struct job *j = user;
	struct qd_kernel *k = NULL;
	bool ok = !qd_kernel_read(j->ctx, j->text, j->len, "bench.ir", &k, &j->err);

	qd_kernel_free(k);
	return ok;
}

/* -- Results ------------------------------------------------------------------------------ */

static bool
bench(struct job *j, const char *name, uint32_t n, bool (*fn)(void *), bool json)
{
	static struct bench r, s;
	double us, tokens;

	if (!bench_run_pair(&r, &s, name, "  its tokens alone", n, fn, j, find_tokens, j)) {
		fprintf(stderr, "%s: %s\n", name, j->err.text);
		return false;
	}
	/* The minimum of each, because other activity of the machine only adds time. */
	us = r.us[0];
	tokens = s.us[0];
	bench_print(&r, json);
	bench_print(&s, json);
	if (!json)
		printf("%44s %.1f MB/s, %.2f us per kernel, %.0f times its %zu bytes' tokens\n", "",
		       (double)j->len / us, us / j->n_kernels, tokens > 0 ? us / tokens : 0,
		       j->len);
	return true;
}

/* Instantiates kernels of the large module. */
static bool
bench_take(struct job *j, bool json)
{
	static struct bench r;

	if (qd_module_parse(j->ctx, j->text, j->len, "bench.qdk", &j->module, &j->err) ||
	    !bench_run(&r, "parse/take x20 of 2000 kernels", 20, take, j)) {
		fprintf(stderr, "%s\n", j->err.text);
		return false;
	}
	bench_print(&r, json);
	if (!json)
		printf("%44s %.2f us per kernel\n", "", r.us[0] / N_TAKEN);
	qd_module_free(j->module);
	return true;
}

int
main(int argc, char **argv)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct job qdk[2] = { { .n_kernels = 0 } }, ir[2] = { { .n_kernels = 0 } };
	struct qd_context *ctx;
	struct qd_error err;
	bool json = false, ok;

	bench_args(argc, argv, "bench-parse [--json]", NULL, &json);
	if (qd_context_create(&desc, &ctx, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	for (int i = 0; i < 2; i++) {
		qdk[i].ctx = ir[i].ctx = ctx;
		make_text(&qdk[i], i ? N_KERNELS : 1);
		if (!make_ir(&ir[i], i ? N_OPS : 20)) {
			fprintf(stderr, "%s\n", ir[i].err.text);
			return 1;
		}
	}
	ok = bench(&qdk[0], "parse/qdk of 1 kernel", 1000, parse, json) &&
	     bench(&qdk[1], "parse/qdk of 2000 kernels", 20, parse, json) &&
	     bench_take(&qdk[1], json) &&
	     bench(&ir[0], "parse/ir of 20 operations", 1000, read_ir, json) &&
	     bench(&ir[1], "parse/ir of 20000 operations", 50, read_ir, json);
	for (int i = 0; i < 2; i++) {
		free(qdk[i].text);
		free(ir[i].text);
	}
	qd_context_free(ctx);
	return ok ? 0 : 1;
}
