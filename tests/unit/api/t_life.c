/* Memory use of kernels, images and functions, the text that they share, and their lifetimes, in
 * several threads. */
#include "unit.h"

#include <stdio.h>

#include "device.h"

enum { N_BODY = 16 };

/* Builds a kernel of sixteen operations that depends on number. */
static struct qd_kernel *
make_kernel(struct unit_ctx *t, struct unit_rig *r, uint32_t number)
{
	struct qd_builder *b;
	struct qd_kernel *k = NULL;
	if (qd_builder_create(r->ctx, "body", &b, &r->e)) {
		UNIT_CHECK(t, false, "%s", r->e.text);
		return NULL;
	}
	struct qd_array src = qd_param_buffer(b, "src", QD_TYPE_U32, QD_ACCESS_IN);
	struct qd_array dst = qd_param_buffer(b, "dst", QD_TYPE_U32, QD_ACCESS_OUT);
	struct qd_val i = qd_grid(b, qd_len(b, src));
	struct qd_val x = qd_load(b, src, i), y = qd_u32(b, number);
	for (int n = 0; n < N_BODY; n++) {
		struct qd_val z = n % 2 ? qd_xor(b, x, y) : qd_add(b, x, y);
		y = x;
		x = z;
	}
	qd_store(b, dst, i, x);
	UNIT_CHECK(t, qd_builder_finish(b, &k, &r->e) == QD_OK, "%s", r->e.text);
	return k;
}

/* -- Memory use -------------------------------------------------------------------- */

/* Fails if a kernel keeps the builder's memory, or if an image or a function is not one block of
 * its own size. */
static void
sizes(struct unit_ctx *t)
{
	enum { N = 64, KERNEL = 1500, IMAGE = 1060, FUNCTION = 440 };
	struct qd_kernel *k[N];
	struct qd_image *img[N];
	struct qd_function *fn;
	struct qd_device *dev = NULL;
	struct unit_rig r;
	if (!unit_rig_open(t, &r))
		return;
	qd_kernel_free(make_kernel(t, &r, 0));
	size_t bytes = r.mem.bytes_out, blocks = r.mem.n_out;
	for (uint32_t i = 0; i < N; i++)
		k[i] = make_kernel(t, &r, i);
	bytes = r.mem.bytes_out - bytes;
	blocks = r.mem.n_out - blocks;
	/* one block may be the first kernel's, which the pool keeps */
	UNIT_CHECK(t, blocks <= N && blocks >= N - 1 && bytes < N * KERNEL, "%d kernels: %zu blocks, %zu bytes", N,
		   blocks, bytes);

	UNIT_CHECK(t, !qd_compile(r.ctx, k[0], "ref:w32", NULL, 0, &img[0], &r.e), "%s", r.e.text);
	bytes = r.mem.bytes_out;
	blocks = r.mem.n_out;
	for (uint32_t i = 1; i < N; i++)
		UNIT_CHECK(t, !qd_compile(r.ctx, k[i], "ref:w32", NULL, 0, &img[i], &r.e), "%s",
			   r.e.text);
	bytes = r.mem.bytes_out - bytes;
	blocks = r.mem.n_out - blocks;
	UNIT_CHECK(t, blocks == N - 1 && bytes < N * IMAGE, "%d images: %zu blocks, %zu bytes", N,
		   blocks, bytes);

	UNIT_CHECK(t, !qd_device_open(r.ctx, "ref:32", &dev, &r.e), "%s", r.e.text);
	UNIT_CHECK(t, !qd_function_get(dev, k[0], NULL, 0, &fn, &r.e), "%s", r.e.text);
	bytes = r.mem.bytes_out;
	for (uint32_t i = 1; i < N; i++)
		UNIT_CHECK(t, !qd_function_get(dev, k[i], NULL, 0, &fn, &r.e), "%s", r.e.text);
	bytes = r.mem.bytes_out - bytes;
	UNIT_CHECK(t, bytes < N * (IMAGE + FUNCTION), "%d images and functions: %zu bytes", N,
		   bytes);
	for (uint32_t i = 0; i < N; i++) {
		qd_image_free(img[i]);
		qd_kernel_free(k[i]);
	}
	qd_device_close(dev);
	unit_rig_close(t, &r);
}

/* Checks that a finished kernel does not point into memory that its builder freed. */
static void
packed_whole(struct unit_ctx *t)
{
	static const uint32_t want[] = { 32, 8 };
	struct qd_builder *b;
	struct qd_kernel *k = NULL;
	struct unit_rig r;
	if (!unit_rig_open(t, &r))
		return;
	char name[] = "whole", param[] = "p", tmpl[] = "N", reason[] = "why not", text[] = "N > 1";
	if (qd_builder_create(r.ctx, name, &b, &r.e) == QD_OK) {
		qd_block(b, 8, 4, 2);
		qd_subgroup_sizes(b, want, 2);
		qd_assume_in_bounds(b, reason);
		qd_assume_uniform(b, reason);
		uint32_t n = qd_template(b, tmpl, 1, 5);
		struct qd_array p = qd_param_buffer(b, param, QD_TYPE_I32, QD_ACCESS_OUT);
		qd_require(b, qd_gt(b, qd_template_value(b, n), qd_i32(b, 1)), text);
		struct qd_val i = qd_grid(b, qd_add(b, qd_len(b, p), qd_u32(b, 3)));
		qd_store(b, p, i, qd_i32(b, 7));
		memset(name, 'x', sizeof name - 1);
		memset(param, 'x', sizeof param - 1);
		memset(tmpl, 'x', sizeof tmpl - 1);
		memset(text, 'x', sizeof text - 1);
		memset(reason, 'x', sizeof reason - 1);
		UNIT_CHECK(t, qd_builder_finish(b, &k, &r.e) == QD_OK, "%s", r.e.text);
	}
	/* Another builder reuses and overwrites the memory of the first. */
	struct qd_kernel *other = make_kernel(t, &r, 1);
	if (k) {
		const int32_t values[] = { 4 };
		const uint64_t args[] = { 10 };
		uint64_t n;
		struct arena mem;
		arena_init(&mem, &r.ctx->pool);
		const struct launch_layout *d = layout_kernel(k, values, 32, false, &mem);
		UNIT_CHECK(t,
			   strcmp(k->name, "whole") == 0 && k->n_params == 1 &&
				   strcmp(k->params[0].name, "p") == 0 && k->n_tmpls == 1 &&
				   strcmp(k->tmpls[0].name, "N") == 0 && k->n_texts == 1 &&
				   strcmp(k->texts[0], "N > 1") == 0,
			   "names: %s %s", k->name, k->params[0].name);
		UNIT_CHECK(t,
			   strcmp(k->assume_in_bounds, "why not") == 0 &&
				   strcmp(k->assume_uniform, "why not") == 0,
			   "reasons: %s, %s", k->assume_in_bounds, k->assume_uniform);
		UNIT_CHECK(t,
			   k->block[0] == 8 && k->block[1] == 4 && k->block[2] == 2 &&
				   k->block_dim == 64 && k->n_sizes == 2 && k->size_order[0] == 5 &&
				   k->size_order[1] == 3,
			   "attributes");
		UNIT_CHECK(t, d && layout_grid(d, args, &n) && n == 13, "the grid's count");
		arena_fini(&mem);
		UNIT_CHECK(t, k->n_calls > 5 && strcmp(k->calls[1], "qd_block") == 0, "calls");
		UNIT_CHECK(t,
			   (const char *)k->ir.ins > (const char *)k->key &&
				   (const char *)(k->ir.ins + k->ir.n) <=
					   (const char *)k->key + k->key_size,
			   "the instructions are stored twice");
	}
	qd_kernel_free(k);
	qd_kernel_free(other);
	unit_rig_close(t, &r);
}

/* -- Shared text -------------------------------------------------------------------- */

enum { N_KERNEL = 24, PAD = 200000 };

/* Parses a long text with kernels k0, k1, ... Their tiled reductions need more than 4 lanes. */
static struct qd_module *
parse_long(struct unit_ctx *t, struct unit_rig *r)
{
	static char s[PAD + 400 * N_KERNEL];
	struct qd_module *m = NULL;
	size_t len = 0;
	for (int i = 0; i < N_KERNEL; i++)
		len += (size_t)snprintf(s + len, sizeof s - len,
					"kernel k%d<T in {f32, i32}>(d: T[]) {\n"
					"  for i in grid(d.len) {\n"
					"    d[i] = subgroup.reduce_add_tiled(d[i], 5) + T(%d);\n"
					"  }\n}\n",
					i, i);
	memset(s + len, '\n', PAD);
	len += PAD;
	UNIT_CHECK(t, qd_module_parse(r->ctx, s, len, "long.qdk", &m, &r->e) == QD_OK, "%s",
		   r->e.text);
	return m;
}

static struct qd_kernel *
get_long(struct qd_module *m, int i, struct qd_error *e)
{
	const struct qd_tmpl f32 = { .name = "T", .type = QD_TYPE_F32 };
	struct qd_kernel *k = NULL;
	char name[16];
	snprintf(name, sizeof name, "k%d", i);
	return qd_module_kernel(m, name, &f32, 1, &k, e) == QD_OK ? k : NULL;
}

/* Returns true if compiling this kernel for four lanes fails with its line of the text. */
static bool
shows_line(const struct qd_kernel *k, int i)
{
	struct qd_image *img = NULL;
	struct qd_error e;
	char line[80];
	snprintf(line, sizeof line, "d[i] = subgroup.reduce_add_tiled(d[i], 5) + T(%d);\n", i);
	if (qd_compile(k->ctx, k, "ref:w4", NULL, 0, &img, &e) == QD_OK) {
		qd_image_free(img);
		return false;
	}
	return strstr(e.text, "long.qdk:") && strstr(e.text, line);
}

/* Fails if each kernel has a copy of the text, or if freeing the module or the first kernel frees
 * the text. */
static void
one_text(struct unit_ctx *t)
{
	struct qd_kernel *k[N_KERNEL];
	struct unit_rig r;
	if (!unit_rig_open(t, &r))
		return;
	struct qd_module *m = parse_long(t, &r);
	qd_kernel_free(get_long(m, 0, &r.e));
	size_t bytes = r.mem.bytes_out;
	for (int i = 0; i < N_KERNEL; i++) {
		k[i] = get_long(m, i, &r.e);
		UNIT_CHECK(t, k[i], "%s", r.e.text);
	}
	bytes = r.mem.bytes_out - bytes;
	UNIT_CHECK(t, bytes < PAD, "%d kernels take %zu bytes more", N_KERNEL, bytes);
	qd_module_free(m);
	/* A different order than at creation. */
	for (int i = 0, at = 7; i < N_KERNEL; i++, at = (at + 5) % N_KERNEL) {
		UNIT_CHECK(t, k[at] && shows_line(k[at], at), "kernel %d has lost its text", at);
		qd_kernel_free(k[at]);
	}
	unit_rig_close(t, &r);
}

/* -- Threads ------------------------------------------------------------------------------ */

enum { N_THREAD = 8, N_ROUND = 12 };

struct crowd {
	struct qd_device *dev;
	struct qd_module *m;
	struct qd_kernel *shared[N_KERNEL]; /* one reference for each thread */
	pthread_barrier_t start;
	_Atomic uint32_t n_done; /* threads that have finished using the module */
	_Atomic uint32_t n_bad;
};

static void
bad_if(struct crowd *c, bool bad)
{
	if (bad)
		atomic_fetch_add(&c->n_bad, 1);
}

/* Compiles, loads and frees the shared kernels. The last thread to finish with the module frees it
 * while the others still use the kernels. */
static void *
live(void *user)
{
	struct crowd *c = user;
	struct qd_image *img[N_KERNEL] = { NULL };
	struct qd_error e;
	pthread_barrier_wait(&c->start);
	/* Each thread gets kernels of its own from the shared module. */
	for (int i = 0; i < N_KERNEL; i += 3) {
		struct qd_kernel *own = get_long(c->m, i, &e);
		bad_if(c, !own || !jit_same_kernel(own, c->shared[i], true));
		qd_kernel_free(own);
	}
	if (atomic_fetch_add(&c->n_done, 1) == N_THREAD - 1)
		qd_module_free(c->m);
	for (int i = 0; i < N_KERNEL; i++) {
		struct qd_kernel *k = c->shared[i];
		struct qd_function *fn = NULL, *again = NULL;
		struct target t;
		bad_if(c, isa_target(i % 2 ? "ref:w32" : "spirv:w32", &t, &e) != QD_OK);
		bad_if(c, jit_get(k->ctx, k, &t, NULL, 0, &img[i], &e) != QD_OK);
		bad_if(c, qd_function_get(c->dev, k, NULL, 0, &fn, &e) != QD_OK);
		bad_if(c, qd_function_get(c->dev, k, NULL, 0, &again, &e) != QD_OK || fn != again);
		bad_if(c, i % 5 == 0 && !shows_line(k, i));
		qd_kernel_free(k);
	}
	/* The thread's references to the kernels are released; the images hold their own. */
	for (int i = 0; i < N_KERNEL; i++) {
		char name[16];
		snprintf(name, sizeof name, "k%d", i);
		bad_if(c, !img[i] || strcmp(img[i]->kernel->name, name) != 0);
		bad_if(c, i % 7 == 0 && !shows_line(img[i]->kernel, i));
		qd_image_free(img[i]);
	}
	return NULL;
}

/* Fails under a sanitizer if two threads race on a reference count or a shared text, or if either
 * is used after it was freed. */
static void
threads(struct unit_ctx *t)
{
	struct unit_rig r;
	if (!unit_rig_open(t, &r))
		return;
	for (int round = 0; round < N_ROUND; round++) {
		struct crowd c = { .m = parse_long(t, &r) };
		pthread_t thread[N_THREAD];
		if (!c.m || qd_device_open(r.ctx, "ref:32", &c.dev, &r.e)) {
			UNIT_CHECK(t, false, "%s", r.e.text);
			break;
		}
		for (int i = 0; i < N_KERNEL; i++) {
			c.shared[i] = get_long(c.m, i, &r.e);
			for (int j = 1; j < N_THREAD && c.shared[i]; j++)
				kernel_ref(c.shared[i]);
		}
		atomic_init(&c.n_done, 0);
		pthread_barrier_init(&c.start, NULL, N_THREAD);
		for (int i = 0; i < N_THREAD; i++)
			pthread_create(&thread[i], NULL, live, &c);
		for (int i = 0; i < N_THREAD; i++)
			pthread_join(thread[i], NULL);
		pthread_barrier_destroy(&c.start);
		UNIT_CHECK(t, atomic_load(&c.n_bad) == 0, "round %d: %u things went wrong", round,
			   atomic_load(&c.n_bad));
		qd_device_close(c.dev);
	}
	unit_rig_close(t, &r);
}

/* -- Failed allocations and late frees ------------------------------------------------------ */

/* Fails each allocation once, from the text to the function. */
static void
out_of_memory(struct unit_ctx *t)
{
	static const char text[] = "kernel k(d: f32[]) { for i in grid(d.len) { d[i] = 1.0; } }";
	for (size_t at = 1; at < 1000; at++) {
		struct qd_function *fn = NULL, *again = NULL;
		struct qd_module *m = NULL;
		struct qd_device *dev = NULL;
		struct qd_kernel *k = NULL;
		struct qd_image *img = NULL;
		struct unit_rig r;
		if (!unit_rig_open(t, &r))
			return;
		r.mem.fail_at = r.mem.n_calls + at;
		qd_status st = qd_module_parse(r.ctx, text, sizeof text - 1, "t", &m, &r.e);
		if (!st)
			st = qd_module_kernel(m, "k", NULL, 0, &k, &r.e);
		if (!st)
			st = qd_device_open(r.ctx, "ref:8", &dev, &r.e);
		if (!st)
			st = qd_function_get(dev, k, NULL, 0, &fn, &r.e);
		if (!st)
			st = qd_function_get(dev, k, NULL, 0, &again, &r.e);
		if (!st)
			st = qd_compile(r.ctx, k, "spirv:w8", NULL, 0, &img, &r.e);
		UNIT_CHECK(t, (!st && fn == again && img) || st == QD_E_NOMEM, "at %zu: %s", at,
			   st ? r.e.text : "two functions");
		bool reached = r.mem.n_calls >= r.mem.fail_at;
		qd_image_free(img);
		qd_module_free(m);
		qd_kernel_free(k);
		qd_device_close(dev);
		unit_rig_close(t, &r);
		if (!reached)
			return;
	}
	UNIT_CHECK(t, false, "the end was not reached");
}

/* Checks that objects freed after their context do not touch its memory. The late free is an error,
 * which is logged. */
static void
context_first(struct unit_ctx *t)
{
	struct qd_function *fn = NULL;
	struct qd_device *dev = NULL;
	struct qd_image *img = NULL;
	struct unit_rig r;
	if (!unit_rig_open(t, &r))
		return;
	struct qd_module *m = parse_long(t, &r);
	struct qd_kernel *k = get_long(m, 1, &r.e);
	bool good = k && !qd_device_open(r.ctx, "ref:32", &dev, &r.e) &&
		    !qd_function_get(dev, k, NULL, 0, &fn, &r.e) &&
		    !qd_compile(r.ctx, k, "spirv:w32", NULL, 0, &img, &r.e);
	UNIT_CHECK(t, good, "%s", r.e.text);
	qd_context_free(r.ctx);
	UNIT_CHECK(t, good && strcmp(qd_image_target(img), "spirv:w32") == 0, "%s",
		   qd_image_target(img));
	qd_module_free(m);
	qd_device_close(dev);
	qd_kernel_free(k);
	qd_image_free(img);
	unit_alloc_fini(&r.mem);
}

const struct unit units_life[] = {
	{ "life.sizes", sizes },
	{ "life.packed_whole", packed_whole },
	{ "life.one_text", one_text },
	{ "life.threads", threads },
	{ "life.out_of_memory", out_of_memory },
	{ "life.context_first", context_first },
};
const unsigned n_units_life = QD_COUNT(units_life);
