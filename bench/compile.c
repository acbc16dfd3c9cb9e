/* bench/compile: from the first builder call to the words of the module, and a
 * memcpy of the same words beside it as the unit of what is possible.
 *
 *	compile [--json] [TARGET]		default spirv:w32 */
#include "qd.h"

#include "bench.h"

/* -- Allocations, counted through the context's hooks ------------------------------ */

static uint64_t n_allocs;

static void *
count_alloc(void *user, size_t size)
{
	(void)user;
	n_allocs++;
	return malloc(size);
}

static void
count_free(void *user, void *p, size_t size)
{
	(void)user;
	(void)size;
	free(p);
}

/* -- Kernels --------------------------------------------------------------------------- */

struct job {
	struct qd_context *ctx;
	const char *target;
	struct qd_kernel *(*make)(struct job *j);
	uint32_t n_ops;	 /* of the body, of a chain */
	uint32_t calls;	 /* builder calls it took */
	void *words, *copy;
	size_t size;
	struct qd_error err;
};

static struct qd_kernel *
reduction(struct job *j)
{
	struct qd_kernel *k = NULL;
	struct qd_builder *b;
	struct qd_array src, dst;
	struct qd_val i, sum;

	if (qd_builder_create(j->ctx, "reduce_add", &b, &j->err))
		return NULL;
	qd_block(b, 64, 1, 1);
	src = qd_param_buffer(b, "src", QD_TYPE_F32, QD_ACCESS_IN);
	dst = qd_param_buffer(b, "dst", QD_TYPE_F32, QD_ACCESS_OUT);
	i = qd_grid(b, qd_len(b, src));
	sum = qd_subgroup_reduce_add(b, qd_load(b, src, i));
	qd_if(b, qd_eq(b, qd_subgroup_invocation_id(b), qd_i32(b, 0)));
	qd_store(b, dst, qd_div(b, i, qd_cast(b, QD_TYPE_U32, qd_subgroup_group_size(b))), sum);
	qd_end(b);
	j->calls = 14;
	return qd_builder_finish(b, &k, &j->err) ? NULL : k;
}

/* Pairs of the whole subgroup: the longest expansion there is. */
static struct qd_kernel *
sort(struct job *j)
{
	struct qd_kernel *k = NULL;
	struct qd_builder *b;
	struct qd_array key, value, keys, values;
	struct qd_val i, pair[2];

	if (qd_builder_create(j->ctx, "sort", &b, &j->err))
		return NULL;
	key = qd_param_buffer(b, "key", QD_TYPE_F32, QD_ACCESS_IN);
	value = qd_param_buffer(b, "value", QD_TYPE_U32, QD_ACCESS_IN);
	keys = qd_param_buffer(b, "keys", QD_TYPE_F32, QD_ACCESS_OUT);
	values = qd_param_buffer(b, "values", QD_TYPE_U32, QD_ACCESS_OUT);
	i = qd_grid(b, qd_len(b, key));
	pair[0] = qd_load(b, key, i);
	pair[1] = qd_load(b, value, i);
	qd_subgroup_bitonic_sort_kv(b, pair[0], pair[1], pair);
	qd_store(b, keys, i, pair[0]);
	qd_store(b, values, i, pair[1]);
	j->calls = 12;
	return qd_builder_finish(b, &k, &j->err) ? NULL : k;
}

/* n operations that no pass can remove: each uses the one before. */
static struct qd_kernel *
chain(struct job *j)
{
	struct qd_kernel *k = NULL;
	struct qd_builder *b;
	struct qd_array src, dst;
	struct qd_val i, x, y;

	if (qd_builder_create(j->ctx, "chain", &b, &j->err))
		return NULL;
	src = qd_param_buffer(b, "src", QD_TYPE_U32, QD_ACCESS_IN);
	dst = qd_param_buffer(b, "dst", QD_TYPE_U32, QD_ACCESS_OUT);
	i = qd_grid(b, qd_len(b, src));
	x = qd_load(b, src, i);
	y = i;
	for (uint32_t n = 0; n < j->n_ops; n++) {
		struct qd_val z;

		switch (n % 4) {
		case 0: z = qd_add(b, x, y); break;
		case 1: z = qd_xor(b, x, y); break;
		case 2: z = qd_mul(b, x, y); break;
		default: z = qd_sub(b, x, y); break;
		}
		y = x;
		x = z;
	}
	qd_store(b, dst, i, x);
	j->calls = j->n_ops + 6;
	return qd_builder_finish(b, &k, &j->err) ? NULL : k;
}

static bool
compile_once(void *user)
{
	struct job *j = user;
	struct qd_kernel *k = j->make(j);
	struct qd_image *image = NULL;
	const void *words;
	bool ok = k && qd_compile(j->ctx, k, j->target, NULL, 0, &image, &j->err) == QD_OK;

	if (ok) {
		words = qd_image_data(image, &j->size);
		if (!j->words && (j->words = malloc(j->size)) && (j->copy = malloc(j->size)))
			memcpy(j->words, words, j->size);
	}
	qd_image_free(image);
	qd_kernel_free(k);
	return ok;
}

static bool
copy_once(void *user)
{
	struct job *j = user;

	memcpy(j->copy, j->words, j->size);
	/* Look at it, so that the copy is made. */
	return *(volatile unsigned char *)j->copy == *(unsigned char *)j->words;
}

static int
bench_job(struct qd_context *ctx, const char *target, const char *what,
	  struct qd_kernel *(*make)(struct job *j), uint32_t n_ops, bool json)
{
	static struct bench r, c;
	struct job j = { .ctx = ctx, .target = target, .make = make, .n_ops = n_ops };
	uint32_t n = n_ops > 1000 ? 30 : n_ops > 100 ? 500 : 2000;
	uint64_t before;
	char name[96];

	if (n_ops)
		snprintf(name, sizeof name, "compile/%s/%s%u", target, what, n_ops);
	else
		snprintf(name, sizeof name, "compile/%s/%s", target, what);
	if (!compile_once(&j)) {
		fprintf(stderr, "%s\n", j.err.text);
		return 1;
	}
	before = n_allocs;
	if (!bench_run(&r, name, n, compile_once, &j)) {
		fprintf(stderr, "%s\n", j.err.text);
		return 1;
	}
	r.allocs = (double)(n_allocs - before) / (double)(n + 1);
	bench_print(&r, json);
	snprintf(name, sizeof name, "memcpy of the same %zu bytes", j.size);
	if (!j.copy || !bench_run(&c, name, n, copy_once, &j))
		return 1;
	bench_print(&c, json);
	if (!json)
		printf("%44s %.0f ns per builder call, %.0f copies of its words\n", "",
		       1000 * bench_median(&r) / j.calls,
		       bench_median(&c) > 0 ? bench_median(&r) / bench_median(&c) : 0);
	free(j.words);
	free(j.copy);
	return 0;
}

int
main(int argc, char **argv)
{
	struct qd_context_desc desc = { .version = QD_VERSION,
					.allocator = { count_alloc, count_free, NULL } };
	struct qd_context *ctx;
	struct qd_error err;
	bool json = false;
	const char *target = bench_args(argc, argv, "bench-compile [--json] [TARGET]", "spirv:w32",
					&json);
	int rc;

	if (qd_context_create(&desc, &ctx, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	rc = bench_job(ctx, target, "reduce_add.f32", reduction, 0, json) ||
	     bench_job(ctx, target, "bitonic_sort_kv.f32.u32", sort, 0, json) ||
	     bench_job(ctx, target, "body", chain, 64, json) ||
	     bench_job(ctx, target, "body", chain, 512, json) ||
	     bench_job(ctx, target, "body", chain, 32768, json);
	qd_context_free(ctx);
	return rc;
}
