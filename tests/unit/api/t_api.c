/* Convenience calls and source positions: qd_run, qd_function_load, QD_AT, qd_for and qd_while,
 * builder queries, versions. */
#include <pthread.h>
#include <stdio.h>

#include "qd.h"
#include "unit.h"

struct world {
	struct unit_rig u;
	struct qd_device *dev;
	struct qd_error e;
};

static bool
setup(struct unit_ctx *t, struct world *w)
{
	memset(w, 0, sizeof *w);
	if (!unit_rig_open(t, &w->u))
		return false;
	qd_status st = qd_device_open(w->u.ctx, "ref:8", &w->dev, &w->e);
	UNIT_CHECK(t, st == QD_OK, "%s", w->e.text);
	return st == QD_OK;
}

static void
teardown(struct unit_ctx *t, struct world *w)
{
	qd_device_close(w->dev);
	unit_rig_close(t, &w->u);
}

/* Checks the status of the call, and the exact text of its error. */
#define WANT(call, status, want)                                                                   \
	do {                                                                                       \
		qd_status st_ = (call);                                                            \
		UNIT_CHECK(t, st_ == (status), "%s: status %d, %s", #call, (int)st_, w.e.text);    \
		UNIT_CHECK(t, st_ == QD_OK || strcmp(w.e.text, want) == 0, "%s: %s", #call,        \
			   w.e.text);                                                              \
	} while (0)

/* -- qd_run ------------------------------------------------------------------------------ */

static const char text[] =
	"kernel scale<static K in 1..=9>(src: in f32[], by: f32, dst: out f32[]) block(8) {\n"
	"  for i in grid(src.len) { dst[i] = src[i] * by * f32(K); }\n"
	"}\n"
	"kernel add(x: u32[]) { for i in grid(x.len) { x[i] += 1; } }\n"
	"kernel each(x: out u32[]) block(4) { x[block.global_thread_idx()] = 7; }\n";

#define RUN(kernel, tmpl, n_tmpl, n_blocks, args)                                                  \
	qd_run(w.dev, text, sizeof text - 1, "t.qdk", kernel, tmpl, n_tmpl, n_blocks, args,        \
	       QD_COUNT(args), &w.e)

static void
run(struct unit_ctx *t)
{
	struct world w;
	float src[5] = { 1, 2, 3, 4, 5 }, dst[6] = { 9, 9, 9, 9, 9, 9 };
	uint32_t x[12] = { 0 };
	const struct qd_tmpl k = { .name = "K", .value = 2 };
	if (!setup(t, &w))
		return;
	struct qd_arg scale[] = { qd_arg_host(src, sizeof src), qd_arg_f32(0.5f),
				  qd_arg_host(dst, sizeof dst) };
	struct qd_arg add[] = { qd_arg_host(x, sizeof x) };
	for (int i = 0; i < 2; i++) /* the second iteration takes the kernel from the cache */
		WANT(RUN("scale", &k, 1, QD_GRID, scale), QD_OK, "");
	UNIT_CHECK(t, dst[0] == 1 && dst[4] == 5 && dst[5] == 0, "%g %g %g", (double)dst[0],
		   (double)dst[4], (double)dst[5]);
	UNIT_CHECK(t, src[1] == 2, "an input was written");
	for (int i = 0; i < 3; i++)
		WANT(RUN("add", NULL, 0, QD_GRID, add), QD_OK, "");
	UNIT_CHECK(t, x[0] == 3 && x[11] == 3, "%u %u", x[0], x[11]);
	WANT(RUN("each", NULL, 0, 2, add), QD_OK, "");
	UNIT_CHECK(t, x[7] == 7 && x[8] == 0, "%u %u", x[7], x[8]);
	WANT(RUN("each", NULL, 0, 0, add), QD_OK, "");
	UNIT_CHECK(t, x[7] == 0, "no block, and %u", x[7]);

	struct qd_cache_stats stats;
	qd_cache_stats(w.u.ctx, &stats);
	UNIT_CHECK(t, stats.misses == 3, "%llu compiles", (unsigned long long)stats.misses);

	/* A buffer in place of host memory, an empty array, and the only kernel without its
	 * name. */
	struct qd_buffer *buf = NULL;
	qd_buffer_create(w.dev, sizeof dst, 0, &buf, &w.e);
	scale[2] = qd_arg_buffer(buf);
	WANT(RUN("scale", &k, 1, QD_GRID, scale), QD_OK, "");
	scale[0] = qd_arg_host(NULL, 0);
	WANT(RUN("scale", &k, 1, QD_GRID, scale), QD_OK, "");
	qd_buffer_free(buf);
	const char *one = "kernel one(x: u32[]) { for i in grid(x.len) { x[i] = i; } }";
	WANT(qd_run(w.dev, one, strlen(one), NULL, NULL, NULL, 0, QD_GRID, add, 1, &w.e), QD_OK, "");
	UNIT_CHECK(t, x[11] == 11, "%u", x[11]);
	teardown(t, &w);
}

static void
run_wrong(struct unit_ctx *t)
{
	struct world w;
	float src[5] = { 0 };
	const struct qd_tmpl k = { .name = "K", .value = 2 };
	if (!setup(t, &w))
		return;
	struct qd_arg args[] = { qd_arg_host(src, sizeof src), qd_arg_f32(0.5f),
				 qd_arg_host(src, sizeof src) };
	WANT(RUN(NULL, NULL, 0, QD_GRID, args), QD_E_INVALID,
	     "qd_run: t.qdk has 3 kernels; name one: scale, add, each");
	WANT(RUN("each", NULL, 0, QD_GRID, ((struct qd_arg[]){ args[0] })), QD_E_INVALID,
	     "kernel 'each' has no grid loop, which QD_GRID needs; pass the number of blocks");
	args[0].size = 7;
	WANT(RUN("scale", &k, 1, QD_GRID, args), QD_E_INVALID,
	     "argument 0 'src' of kernel 'scale': 7 bytes are not a multiple of the 4 of f32");
	args[0] = qd_arg_host(NULL, 8);
	WANT(RUN("scale", &k, 1, QD_GRID, args), QD_E_INVALID,
	     "argument 0 'src' of kernel 'scale': the pointer is NULL, but the size is 8 bytes");
	args[0] = qd_arg_host(src, 8);
	args[1] = qd_arg_host(src, 4);
	WANT(RUN("scale", &k, 1, QD_GRID, args), QD_E_INVALID,
	     "argument 1 'by' of kernel 'scale': expected a value of type f32, not host memory, which only qd_run accepts");
	WANT(RUN("add", NULL, 0, QD_GRID, args), QD_E_INVALID, "kernel 'add' has 1 parameters, not 3");
	WANT(qd_run(w.dev, NULL, 3, NULL, NULL, NULL, 0, QD_GRID, args, 1, &w.e), QD_E_INVALID,
	     "qd_run: the text is NULL");
	WANT(qd_run(NULL, text, 3, NULL, NULL, NULL, 0, QD_GRID, args, 1, &w.e), QD_E_INVALID,
	     "qd_run: the device is NULL");
	WANT(qd_run(w.dev, "", 0, NULL, NULL, NULL, 0, QD_GRID, args, 1, &w.e), QD_E_NOT_FOUND,
	     "qd_run: text has no kernel");
	/* qd_launch rejects host memory. */
	struct qd_module *m = NULL;
	struct qd_kernel *add = NULL;
	struct qd_function *fn = NULL;
	struct qd_stream *s = NULL;
	qd_module_parse(w.u.ctx, text, sizeof text - 1, "t.qdk", &m, &w.e);
	qd_module_kernel(m, "add", NULL, 0, &add, &w.e);
	qd_function_get(w.dev, add, NULL, 0, &fn, &w.e);
	qd_stream_create(w.dev, &s, &w.e);
	WANT(qd_launch(s, fn, QD_GRID, args, 1, &w.e), QD_E_INVALID,
	     "argument 0 'x' of kernel 'add': expected a buffer of u32, not host memory, which only qd_run accepts");
	qd_stream_free(s);
	qd_kernel_free(add);
	qd_module_free(m);
	teardown(t, &w);
}

struct runner {
	struct qd_device *dev;
	uint32_t add, wrong;
};

static void *
run_rounds(void *user)
{
	struct runner *r = user;
	for (uint32_t i = 0; i < 60; i++) {
		uint32_t x[40];
		for (uint32_t j = 0; j < QD_COUNT(x); j++)
			x[j] = j * r->add + i;
		struct qd_arg arg = qd_arg_host(x, sizeof x);
		struct qd_error e;
		r->wrong += qd_run(r->dev, text, sizeof text - 1, "t.qdk", "add", NULL, 0, QD_GRID, &arg, 1,
				   &e) != QD_OK;
		for (uint32_t j = 0; j < QD_COUNT(x); j++)
			r->wrong += x[j] != j * r->add + i + 1;
	}
	return NULL;
}

static void
run_in_threads(struct unit_ctx *t)
{
	struct world w;
	struct runner r[3];
	pthread_t id[3];
	if (!setup(t, &w))
		return;
	for (uint32_t i = 0; i < QD_COUNT(r); i++) {
		r[i] = (struct runner){ .dev = w.dev, .add = i + 3 };
		pthread_create(&id[i], NULL, run_rounds, &r[i]);
	}
	for (uint32_t i = 0; i < QD_COUNT(r); i++) {
		pthread_join(id[i], NULL);
		UNIT_CHECK(t, r[i].wrong == 0, "%u words or calls are wrong", r[i].wrong);
	}
	teardown(t, &w);
}

/* -- Images and functions ------------------------------------------------------------------- */

static void
load(struct unit_ctx *t)
{
	struct world w, far;
	struct qd_module *m = NULL;
	struct qd_kernel *add = NULL;
	struct qd_image *img = NULL, *other = NULL, *wide = NULL;
	struct qd_function *a = NULL, *b = NULL, *c = NULL;
	struct qd_stream *s = NULL;
	struct qd_buffer *buf = NULL;
	uint32_t got[3] = { 0 };
	if (!setup(t, &w))
		return;
	qd_module_parse(w.u.ctx, text, sizeof text - 1, "t.qdk", &m, &w.e);
	WANT(qd_module_kernel(m, "add", NULL, 0, &add, &w.e), QD_OK, "");
	WANT(qd_compile(w.u.ctx, add, qd_device_target(w.dev), NULL, 0, &img, &w.e), QD_OK, "");
	WANT(qd_compile(w.u.ctx, add, "spirv", NULL, 0, &other, &w.e), QD_OK, "");
	WANT(qd_compile(w.u.ctx, add, "ref:w16", NULL, 0, &wide, &w.e), QD_OK, "");
	WANT(qd_function_load(w.dev, img, &a, &w.e), QD_OK, "");
	WANT(qd_function_load(w.dev, img, &b, &w.e), QD_OK, "");
	WANT(qd_function_get(w.dev, add, NULL, 0, &c, &w.e), QD_OK, "");
	UNIT_CHECK(t, a == b && a == c, "one image, several functions");
	qd_image_free(img);
	qd_kernel_free(add);
	qd_module_free(m);
	qd_buffer_create(w.dev, sizeof got, 0, &buf, &w.e);
	qd_stream_create(w.dev, &s, &w.e);
	struct qd_arg arg = qd_arg_buffer(buf);
	WANT(qd_launch(s, a, QD_GRID, &arg, 1, &w.e), QD_OK, "");
	WANT(qd_buffer_download(s, buf, 0, got, sizeof got, &w.e), QD_OK, "");
	UNIT_CHECK(t, got[0] == 1 && got[2] == 1, "%u", got[0]);
	qd_function_free(a);
	qd_function_free(b);
	qd_function_free(c);

	WANT(qd_function_load(w.dev, other, &a, &w.e), QD_E_TARGET,
	     "ref:8 (IR interpreter): kernel 'add' is compiled for target spirv:w32; the device runs ref:w8");
	WANT(qd_function_load(w.dev, wide, &a, &w.e), QD_OK, "");
	qd_function_free(a);
	WANT(qd_function_load(w.dev, NULL, &a, &w.e), QD_E_INVALID,
	     "qd_function_load: the image is NULL");
	WANT(qd_function_load(NULL, other, &a, &w.e), QD_E_INVALID,
	     "qd_function_load: the device is NULL");
	WANT(qd_function_load(w.dev, other, NULL, &w.e), QD_E_INVALID,
	     "qd_function_load: the result pointer is NULL");
	if (setup(t, &far)) {
		qd_status st = qd_function_load(far.dev, wide, &a, &far.e);
		UNIT_CHECK(t, st == QD_E_INVALID &&
				      strcmp(far.e.text, "qd_function_load: image and device have "
							 "different contexts") == 0,
			   "%s", far.e.text);
		teardown(t, &far);
	}
	qd_image_free(other);
	qd_image_free(wide);
	qd_buffer_free(buf);
	qd_stream_free(s);
	teardown(t, &w);
}

/* -- Builders ------------------------------------------------------------------------------------ */

/* Builds dst[i] = sum of j in 3..i without 7; the loop is left at j = 40. */
static struct qd_kernel *
make_loops(struct world *w)
{
	struct qd_builder *b;
	struct qd_kernel *k = NULL;
	qd_builder_create(w->u.ctx, "loops", &b, &w->e);
	struct qd_array dst = qd_param_buffer(b, "dst", QD_TYPE_U32, QD_ACCESS_OUT);
	struct qd_val i = qd_grid(b, qd_len(b, dst)), zero = qd_u32(b, 0);
	struct qd_var sum = qd_var(b, zero);
	struct qd_val three = qd_u32(b, 3);
	struct qd_val j = qd_for(b, three, i);
	qd_if(b, qd_eq(b, j, qd_u32(b, 7)));
	qd_continue(b); /* j is incremented nevertheless */
	qd_end(b);
	qd_while(b, qd_lt(b, qd_get(b, sum), qd_u32(b, 40)));
	qd_set(b, sum, qd_add(b, qd_get(b, sum), j));
	qd_end(b);
	qd_store(b, dst, i, qd_get(b, sum));
	qd_builder_finish(b, &k, &w->e);
	return k;
}

static void
loops(struct unit_ctx *t)
{
	struct world w;
	struct qd_function *fn = NULL;
	struct qd_stream *s = NULL;
	struct qd_buffer *buf = NULL;
	uint32_t got[20] = { 0 };
	if (!setup(t, &w))
		return;
	struct qd_kernel *k = make_loops(&w);
	WANT(k ? qd_function_get(w.dev, k, NULL, 0, &fn, &w.e) : QD_E_INVALID, QD_OK, "");
	qd_buffer_create(w.dev, sizeof got, 0, &buf, &w.e);
	qd_stream_create(w.dev, &s, &w.e);
	struct qd_arg arg = qd_arg_buffer(buf);
	WANT(qd_launch(s, fn, QD_GRID, &arg, 1, &w.e), QD_OK, "");
	WANT(qd_buffer_download(s, buf, 0, got, sizeof got, &w.e), QD_OK, "");
	for (uint32_t i = 0; i < 20; i++) {
		uint32_t sum = 0;
		for (uint32_t j = 3; j < i; j++) {
			if (j == 7)
				continue;
			if (sum >= 40)
				break;
			sum += j;
		}
		UNIT_CHECK(t, got[i] == sum, "dst[%u] is %u, not %u", i, got[i], sum);
	}
	qd_buffer_free(buf);
	qd_stream_free(s);
	qd_kernel_free(k);
	teardown(t, &w);
}

/* Checks that the loop index does not wrap when the end is the largest value. */
static void
loop_to_the_end(struct unit_ctx *t)
{
	struct world w;
	struct qd_builder *b;
	struct qd_kernel *k = NULL;
	struct qd_function *fn = NULL;
	struct qd_stream *s = NULL;
	struct qd_buffer *buf = NULL;
	uint32_t got = 0;
	if (!setup(t, &w))
		return;
	qd_builder_create(w.u.ctx, "k", &b, &w.e);
	qd_block(b, 1, 1, 1);
	struct qd_array dst = qd_param_buffer(b, "dst", QD_TYPE_U32, QD_ACCESS_INOUT);
	struct qd_val zero = qd_u32(b, 0);
	struct qd_val from = qd_i32(b, INT32_MAX - 3), to = qd_i32(b, INT32_MAX);
	qd_for(b, from, to);
	struct qd_val v = qd_load(b, dst, zero);
	qd_store(b, dst, zero, qd_add(b, v, qd_u32(b, 1)));
	qd_end(b);
	qd_for(b, to, from);
	qd_store(b, dst, zero, zero);
	qd_end(b);
	WANT(qd_builder_finish(b, &k, &w.e), QD_OK, "");
	WANT(qd_function_get(w.dev, k, NULL, 0, &fn, &w.e), QD_OK, "");
	qd_buffer_create(w.dev, 4, 0, &buf, &w.e);
	qd_stream_create(w.dev, &s, &w.e);
	struct qd_arg arg = qd_arg_buffer(buf);
	WANT(qd_launch(s, fn, 1, &arg, 1, &w.e), QD_OK, "");
	WANT(qd_buffer_download(s, buf, 0, &got, 4, &w.e), QD_OK, "");
	UNIT_CHECK(t, got == 3, "%u rounds", got);
	WANT(qd_launch(s, fn, 0, &arg, 1, &w.e), QD_OK, "");
	WANT(qd_buffer_download(s, buf, 0, &got, 4, &w.e), QD_OK, "");
	UNIT_CHECK(t, got == 3, "no block, and %u rounds", got);
	WANT(qd_launch(s, fn, QD_GRID, &arg, 1, &w.e), QD_E_INVALID,
	     "kernel 'k' has no grid loop, which QD_GRID needs; pass the number of blocks");
	qd_buffer_free(buf);
	qd_stream_free(s);
	qd_kernel_free(k);
	teardown(t, &w);
}

static void
questions(struct unit_ctx *t)
{
	struct world w;
	struct qd_builder *b;
	if (!setup(t, &w))
		return;
	qd_builder_create(w.u.ctx, "k", &b, &w.e);
	struct qd_val x = qd_i64(b, 4), c = qd_lt(b, x, x);
	struct qd_var v = qd_var(b, x);
	UNIT_CHECK(t, qd_val_type(b, x) == QD_TYPE_I64 && qd_val_type(b, c) == QD_TYPE_BOOL, "types");
	UNIT_CHECK(t, qd_val_type(b, (struct qd_val){ 0 }) == QD_TYPE_NONE &&
			      qd_val_type(b, (struct qd_val){ 99 }) == QD_TYPE_NONE &&
			      qd_val_type(b, (struct qd_val){ v.id }) == QD_TYPE_NONE &&
			      qd_val_type(NULL, x) == QD_TYPE_NONE,
		   "types of nothing");
	UNIT_CHECK(t, qd_builder_status(b) == QD_OK, "status");
	qd_add(b, x, c);
	UNIT_CHECK(t, qd_builder_status(b) == QD_E_TYPE, "%d", (int)qd_builder_status(b));
	UNIT_CHECK(t, qd_builder_status(NULL) == QD_E_INVALID, "status of NULL");
	UNIT_CHECK(t, qd_at(NULL, "x", 1) == NULL, "a place in NULL");
	qd_builder_free(b);
	teardown(t, &w);
}

/* -- Source positions ----------------------------------------------------------------------------- */

static void
places(struct unit_ctx *t)
{
	struct world w;
	struct qd_builder *b;
	struct qd_kernel *k = NULL;
	struct qd_image *img = NULL;
	char want[256];
	if (!setup(t, &w))
		return;
	qd_builder_create(w.u.ctx, "k", &b, &w.e);
	struct qd_val x = qd_i32(QD_AT(b), 1), y = qd_f32(b, 1);
	int line = __LINE__ + 1;
	qd_add(QD_AT(b), x, y);
	qd_sub(QD_AT(b), x, x);
	qd_status st = qd_builder_finish(b, &k, &w.e);
	snprintf(want, sizeof want,
		 "%s:%d: call 3, qd_add: operands have types i32 and f32; convert one [E0301]", __FILE__, line);
	UNIT_CHECK(t, st == QD_E_TYPE && strncmp(w.e.text, want, strlen(want)) == 0, "%s", w.e.text);
	UNIT_CHECK(t, w.e.line == (uint32_t)line && w.e.col == 0, "line %u", w.e.line);

	/* The position is in another file and is reported at compile time, so the builder must copy
	 * the name. */
	char file[] = "other.c";
	qd_builder_create(w.u.ctx, "k", &b, &w.e);
	struct qd_array dst = qd_param_buffer(qd_at(b, file, 7), "dst", QD_TYPE_I32, QD_ACCESS_OUT);
	uint32_t l = qd_template(b, "L", 0, 7);
	struct qd_val v = qd_subgroup_reduce_add_tiled(qd_at(b, file, 12), qd_i32(b, 1), l);
	qd_store(qd_at(b, "third.c", 40), dst, qd_i32(b, 0), v);
	memset(file, 'x', sizeof file - 1);
	WANT(qd_builder_finish(b, &k, &w.e), QD_OK, "");
	struct qd_tmpl six = { .name = "L", .value = 6 };
	st = qd_compile(w.u.ctx, k, "spirv:w8", &six, 1, &img, &w.e);
	UNIT_CHECK(t, st == QD_E_TEMPLATE && strncmp(w.e.text, "other.c:12: call 4, ", 20) == 0 &&
			      w.e.line == 12,
		   "%s", w.e.text);
	UNIT_CHECK(t, strstr(w.e.text, "\nother.c:7: note: call 2: "), "%s", w.e.text);
	qd_kernel_free(k);
	teardown(t, &w);
}

static void
add_pairs(struct qd_builder *b, void *user, const struct qd_val *x, const struct qd_val *y,
	  struct qd_val *out, uint32_t k)
{
	(void)user;
	(void)k;
	out[0] = qd_add(qd_at(b, "op.c", 3), x[0], y[0]);
}

/* Errors in a scan report the position of the scan, not of its operator's last call. Findings of a
 * device report the line too. */
static void
scan_positions(struct unit_ctx *t)
{
	struct world w;
	struct qd_builder *b;
	struct qd_kernel *k = NULL;
	struct qd_image *img = NULL;
	struct qd_function *fn = NULL;
	struct qd_stream *s = NULL;
	struct qd_buffer *buf = NULL;
	uint32_t got;
	if (!setup(t, &w))
		return;
	qd_builder_create(w.u.ctx, "k", &b, &w.e);
	struct qd_array a = qd_param_buffer(b, "a", QD_TYPE_U32, QD_ACCESS_INOUT);
	struct qd_val i = qd_grid(b, qd_len(b, a)), zero = qd_u32(b, 0), v = i;
	uint32_t l = qd_template(b, "L", 0, 7);
	qd_subgroup_inclusive_scan(qd_at(b, "mine.c", 20), &v, &v, 1, l, add_pairs, NULL);
	qd_store(qd_at(b, "mine.c", 77), a, zero, v);
	WANT(qd_builder_finish(b, &k, &w.e), QD_OK, "");
	struct qd_tmpl six = { .name = "L", .value = 6 }, one = { .name = "L", .value = 1 };
	qd_status st = qd_compile(w.u.ctx, k, "spirv:w8", &six, 1, &img, &w.e);
	const char *want = "mine.c:20: call 6, qd_subgroup_inclusive_scan: ";
	UNIT_CHECK(t, st == QD_E_TEMPLATE && strncmp(w.e.text, want, strlen(want)) == 0 && w.e.line == 20,
		   "%s", w.e.text);

	WANT(qd_function_get(w.dev, k, &one, 1, &fn, &w.e), QD_OK, "");
	qd_buffer_create(w.dev, 40, 0, &buf, &w.e);
	qd_stream_create(w.dev, &s, &w.e);
	struct qd_arg arg = qd_arg_buffer(buf);
	WANT(qd_launch(s, fn, QD_GRID, &arg, 1, &w.e), QD_OK, "");
	st = qd_buffer_download(s, buf, 0, &got, 4, &w.e);
	want = "mine.c:77: call 8, qd_store: finding: data race";
	UNIT_CHECK(t, st == QD_E_FINDING && strncmp(w.e.text, want, strlen(want)) == 0 && w.e.line == 77,
		   "line %u: %s", w.e.line, w.e.text);
	qd_buffer_free(buf);
	qd_stream_free(s);
	qd_kernel_free(k);
	teardown(t, &w);
}

/* -- Versions ------------------------------------------------------------------------------------------- */

static void
versions(struct unit_ctx *t)
{
	struct qd_context *ctx = NULL;
	struct qd_error e;
	const uint32_t same = QD_VERSION / 1000 * 1000;
	const struct { uint32_t version; bool good; } rows[] = {
		{ same, true }, { same + 1, true }, { same + 999, true }, { same + 1000, false },
		{ same - 1, false }, { same + 1000000, false }, { 0, false },
		{ 1000, false }, { 1999, false }, /* before 0.2 qd_context_desc had no limits */
	};
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		struct qd_context_desc desc = { .version = rows[i].version };
		qd_status st = qd_context_create(&desc, &ctx, &e);
		UNIT_CHECK(t, st == (rows[i].good ? QD_OK : QD_E_VERSION), "%u: %d", rows[i].version,
			   (int)st);
		if (st == QD_OK)
			qd_context_free(ctx);
		char want[256];
		snprintf(want, sizeof want,
			 "qd_context_create: the program was built for qd %u.%u.%u, but this library is qd %d.%d.%d\n"
			 "  fix: set desc.version to QD_VERSION and build the program with the qd.h of this "
			 "library",
			 rows[i].version / 1000000, rows[i].version / 1000 % 1000, rows[i].version % 1000,
			 QD_VERSION_MAJOR, QD_VERSION_MINOR, QD_VERSION_PATCH);
		UNIT_CHECK(t, rows[i].good || strcmp(e.text, want) == 0, "%u: '%s'", rows[i].version, e.text);
	}
}

/* Checks the layout of the structures that callers allocate or fill. The version is the only
 * protection of a program built with an older qd.h. A change of a structure therefore raises
 * QD_VERSION_MINOR and updates the sizes and SIZES_VERSION here. */
static void
layout(struct unit_ctx *t)
{
	enum { SIZES_VERSION = 2000 }; /* 0.2 */
#define SIZE(name, bytes) { #name, sizeof(struct name), bytes }
	static const struct { const char *name; size_t size, want; } rows[] = {
		SIZE(qd_error, 1036), SIZE(qd_allocator, 24), SIZE(qd_limits, 40),
		SIZE(qd_context_desc, 128), SIZE(qd_cache_stats, 168), SIZE(qd_param_info, 24),
		SIZE(qd_tmpl, 24), SIZE(qd_tmpl_info, 48), SIZE(qd_object_options, 40),
		SIZE(qd_device_info, 1176), SIZE(qd_function_info, 48), SIZE(qd_arg, 40),
		SIZE(qd_fatbin_entry, 56),
	};
#undef SIZE

	for (size_t i = 0; i < QD_COUNT(rows); i++)
		UNIT_CHECK(t, rows[i].size == rows[i].want, "struct %s has %zu bytes, %zu in version %d.%d",
			   rows[i].name, rows[i].size, rows[i].want, SIZES_VERSION / 1000000,
			   SIZES_VERSION / 1000 % 1000);
	UNIT_CHECK(t, QD_VERSION / 1000 * 1000 == SIZES_VERSION,
		   "qd.h is version %d.%d, the sizes are of %d.%d", QD_VERSION_MAJOR,
		   QD_VERSION_MINOR, SIZES_VERSION / 1000000, SIZES_VERSION / 1000 % 1000);
}

const struct unit units_api[] = {
	{ "api.run", run },
	{ "api.run_wrong", run_wrong },
	{ "api.run_in_threads", run_in_threads },
	{ "api.load", load },
	{ "api.loops", loops },
	{ "api.loop_to_the_end", loop_to_the_end },
	{ "api.questions", questions },
	{ "api.places", places },
	{ "api.scan_positions", scan_positions },
	{ "api.versions", versions },
	{ "api.layout", layout },
};
const unsigned n_units_api = QD_COUNT(units_api);
