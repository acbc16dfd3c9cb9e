/* Launch facts: which variant of a function runs, when it is compiled, and that results are equal.
 * Skipped without a usable Vulkan device, or if the device has no 64-bit integers. */
#include "t_vulkan.h"

#include "fatbin.h"
#include "function.h"

#include <pthread.h>
#include <stdlib.h>

enum { N = 64, CELLS = 40, SLICE = 4 };

/* Each thread reads and adds to one element of x, whose index is in `at`. */
static const char probe_text[] =
	"qdk 2;\n"
	"kernel probe(where: in u32[], x: u32[], got: out u32[]) block(64) {\n"
	"  for i in grid(where.len) {\n"
	"    got[i] = x[where[i]] else 77u;\n"
	"    x[where[i]] = 1000 + i;\n"
	"    atomic.add(x[where[i]], 1u);\n"
	"  }\n"
	"}\n"
	"kernel bytes(x: in u8[], y: out u8[]) block(64) { for i in grid(y.len) { y[i] = x[i] + 1; } }\n";

struct facts_rig {
	struct vulkan_rig v;
	struct qd_module *module;
	struct qd_kernel *probe, *bytes;
	struct qd_buffer *at, *x, *got;
};

static void
close_rig(struct unit_ctx *t, struct facts_rig *r)
{
	qd_buffer_free(r->at);
	qd_buffer_free(r->x);
	qd_buffer_free(r->got);
	qd_kernel_free(r->probe);
	qd_kernel_free(r->bytes);
	qd_module_free(r->module);
	vulkan_rig_close(t, &r->v);
}

static bool
open_rig(struct unit_ctx *t, struct facts_rig *r)
{
	memset(r, 0, sizeof *r);
	if (!vulkan_rig_open(t, &r->v, false))
		return false;
	r->v.ctx->no_facts = false;
	if (!(r->v.dev->target.m.caps & CAP_I64)) {
		close_rig(t, r);
		unit_skip(t, "the device has no 64-bit integers");
		return false;
	}
	VULKAN_OK(t, &r->v, qd_module_parse(r->v.ctx, probe_text, sizeof probe_text - 1, "probe.qdk", &r->module, &r->v.e));
	VULKAN_OK(t, &r->v, qd_module_kernel(r->module, "probe", NULL, 0, &r->probe, &r->v.e));
	VULKAN_OK(t, &r->v, qd_module_kernel(r->module, "bytes", NULL, 0, &r->bytes, &r->v.e));
	r->at = vulkan_rig_buffer(t, &r->v, 4 * (CELLS + SLICE));
	r->x = vulkan_rig_buffer(t, &r->v, 4 * (N + SLICE));
	r->got = vulkan_rig_buffer(t, &r->v, 4 * (CELLS + SLICE));
	return true;
}

/* Indices at the edges: in range, at the end, and those whose byte offset wraps to an element. */
static void
fill(uint32_t at[CELLS])
{
	static const uint32_t edges[] = { N, N + 1, N + SLICE, 0x1fffffff, 0x20000000, 0x20000001, 0x3fffffff, 0x40000000,
					  0x40000001, 0x7fffffff, 0x80000000, 0x80000001, 0xbfffffff, 0xc0000000,
					  0xc0000001, 0xfffffffe, UINT32_MAX };

	for (uint32_t i = 0; i < CELLS; i++)
		at[i] = i < QD_COUNT(edges) ? edges[i] : i;
}

/* Launches with slices that begin `skip` bytes into the buffers, and compares with the definition. */
static void
launch(struct unit_ctx *t, struct facts_rig *r, struct qd_stream *stream, struct qd_function *fn, size_t skip)
{
	uint32_t at[CELLS], x[N], want[N], got[CELLS];
	struct qd_buffer *s[3] = { r->at, r->x, r->got };
	const size_t size[3] = { sizeof at, sizeof x, sizeof got };
	struct qd_arg args[3];
	struct qd_error e = { .code = QD_OK };
	bool ok = true;

	fill(at);
	for (uint32_t i = 0; i < N; i++)
		want[i] = x[i] = 3 * i;
	for (uint32_t i = 0; i < CELLS; i++)
		if (at[i] < N)
			want[at[i]] = 1001 + i;
	for (uint32_t i = 0; i < 3; i++) {
		ok = ok && qd_buffer_slice(s[i], skip, size[i], &s[i], &e) == QD_OK;
		args[i] = qd_arg_buffer(s[i]);
	}
	ok = ok && qd_buffer_upload(stream, s[0], 0, at, sizeof at, &e) == QD_OK &&
	     qd_buffer_upload(stream, s[1], 0, x, sizeof x, &e) == QD_OK &&
	     qd_launch(stream, fn, QD_GRID, args, 3, &e) == QD_OK &&
	     qd_buffer_download(stream, s[1], 0, x, sizeof x, &e) == QD_OK &&
	     qd_buffer_download(stream, s[2], 0, got, sizeof got, &e) == QD_OK;
	UNIT_CHECK(t, ok, "skip %zu: %s", skip, e.text);
	for (uint32_t i = 0; ok && i < CELLS; i++)
		UNIT_CHECK(t, got[i] == (at[i] < N ? 3 * at[i] : 77), "skip %zu: element %u is %u", skip, at[i], got[i]);
	UNIT_CHECK(t, !ok || memcmp(x, want, sizeof x) == 0, "skip %zu: the buffer differs", skip);
	for (uint32_t i = 0; i < 3; i++)
		qd_buffer_free(s[i]);
}

static struct qd_function *
general_of(struct qd_function *fn)
{
	return atomic_load(&fn->general);
}

/* Checks that a launch with aligned arguments needs no general variant, that a slice at 4 bytes
 * does, and that later launches use the same one. */
static void
variants(struct unit_ctx *t)
{
	struct facts_rig r;
	struct qd_cache_stats a, b;
	if (!open_rig(t, &r))
		return;
	struct qd_function *fn = vulkan_rig_function(t, &r.v, r.probe), *general;
	UNIT_CHECK(t, fn->relies && fn->image->target->m.facts, "the function relies on no facts");
	launch(t, &r, r.v.stream, fn, 0);
	launch(t, &r, r.v.stream, fn, 16);
	UNIT_CHECK(t, !general_of(fn), "aligned arguments need a general variant");
	qd_cache_stats(r.v.ctx, &a);
	launch(t, &r, r.v.stream, fn, 4);
	general = general_of(fn);
	UNIT_CHECK(t, general && !general->relies && !general->image->target->m.facts, "no general variant");
	launch(t, &r, r.v.stream, fn, 12);
	launch(t, &r, r.v.stream, fn, 8);
	qd_cache_stats(r.v.ctx, &b);
	UNIT_CHECK(t, general_of(fn) == general && b.functions == a.functions + 1 && b.misses == a.misses + 1,
		   "%u more functions, %u compiles", (unsigned)(b.functions - a.functions), (unsigned)(b.misses - a.misses));
	qd_function_free(fn);
	VULKAN_OK(t, &r.v, qd_context_trim(r.v.ctx, &r.v.e));
	qd_cache_stats(r.v.ctx, &b);
	UNIT_CHECK(t, b.functions == 0, "%u functions remain", (unsigned)b.functions);
	close_rig(t, &r);
}

/* Checks that an argument of 4 GiB selects the general variant. Only the length is that large: the
 * kernel accesses the first elements. */
static void
large(struct unit_ctx *t)
{
	struct facts_rig r;
	if (!open_rig(t, &r))
		return;
	struct qd_function *fn = vulkan_rig_function(t, &r.v, r.probe);
	const size_t real = r.x->size;
	struct qd_arg args[] = { qd_arg_buffer(r.at), qd_arg_buffer(r.x), qd_arg_buffer(r.got) };
	for (uint64_t size = (UINT64_C(1) << 32) - 4; size <= UINT64_C(1) << 32; size += 4) {
		r.x->size = (size_t)size;
		VULKAN_OK(t, &r.v, qd_launch(r.v.stream, fn, QD_GRID, args, 3, &r.v.e));
		r.x->size = real;
		VULKAN_OK(t, &r.v, qd_stream_sync(r.v.stream, &r.v.e));
		UNIT_CHECK(t, (general_of(fn) != NULL) == (size >> 32 != 0), "%llu bytes", (unsigned long long)size);
	}
	qd_function_free(fn);
	close_rig(t, &r);
}

/* Checks that equal code is compiled and loaded once, in either order, and that QD_FACTS_NONE
 * selects the general variant. */
static void
equal_code(struct unit_ctx *t)
{
	struct facts_rig r;
	struct qd_image *img;
	struct qd_cache_stats a, b;
	if (!open_rig(t, &r))
		return;
	for (uint32_t order = 0; order < 2; order++) {
		r.v.ctx->no_facts = order != 0;
		r.v.dev->sized[r.v.dev->target.m.log2_size] = NULL;
		struct qd_function *first = vulkan_rig_function(t, &r.v, r.bytes);
		struct qd_function *one = vulkan_rig_function(t, &r.v, r.probe);
		r.v.ctx->no_facts = order == 0;
		r.v.dev->sized[r.v.dev->target.m.log2_size] = NULL;
		qd_cache_stats(r.v.ctx, &a);
		struct qd_function *second = vulkan_rig_function(t, &r.v, r.bytes);
		qd_cache_stats(r.v.ctx, &b);
		UNIT_CHECK(t, first == second && !first->relies && a.misses == b.misses && a.functions == b.functions,
			   "order %u: equal code is loaded twice", order);
		struct qd_function *other = vulkan_rig_function(t, &r.v, r.probe);
		UNIT_CHECK(t, one->relies == (order == 0) && other->relies == (order != 0), "order %u: the variants of probe", order);
		qd_function_free(one);
		qd_function_free(first);
		qd_function_free(second);
		qd_function_free(other);
		VULKAN_OK(t, &r.v, qd_context_trim(r.v.ctx, &r.v.e));
	}
	char target[MACHINE_NAME + 8];
	snprintf(target, sizeof target, "%s:facts", qd_device_target(r.v.dev));
	VULKAN_OK(t, &r.v, qd_compile(r.v.ctx, r.bytes, target, NULL, 0, &img, &r.v.e));
	UNIT_CHECK(t, strcmp(qd_image_target(img), qd_device_target(r.v.dev)) == 0, "%s", qd_image_target(img));
	qd_image_free(img);
	close_rig(t, &r);
}

/* -- Threads ------------------------------------------------------------------------------ */

struct racer {
	struct unit_ctx *t;
	struct facts_rig *r;
	struct qd_function *fn;
	pthread_barrier_t *start;
	qd_status st;
	struct qd_error e;
};

static void *
race(void *arg)
{
	struct racer *me = arg;
	struct qd_function *out = NULL;

	pthread_barrier_wait(me->start);
	me->st = function_general(me->fn, &out, &me->e);
	return out;
}

/* Checks that threads that need the general variant at once get one function, and one reference to
 * it. */
static void
threads(struct unit_ctx *t)
{
	enum { THREADS = 4, ROUNDS = 8 };
	struct facts_rig r;
	struct racer racers[THREADS];
	pthread_t id[THREADS];
	pthread_barrier_t start;
	if (!open_rig(t, &r))
		return;
	pthread_barrier_init(&start, NULL, THREADS);
	for (uint32_t round = 0; round < ROUNDS; round++) {
		struct qd_function *fn = vulkan_rig_function(t, &r.v, r.probe);
		for (uint32_t i = 0; i < THREADS; i++) {
			racers[i] = (struct racer){ .t = t, .r = &r, .fn = fn, .start = &start };
			pthread_create(&id[i], NULL, race, &racers[i]);
		}
		for (uint32_t i = 0; i < THREADS; i++) {
			void *out = NULL;
			pthread_join(id[i], &out);
			UNIT_CHECK(t, racers[i].st == QD_OK && out && out == general_of(fn), "%s", racers[i].e.text);
		}
		UNIT_CHECK(t, general_of(fn)->refs == 1, "%u references", (unsigned)general_of(fn)->refs);
		launch(t, &r, r.v.stream, fn, 4);
		qd_function_free(fn);
		VULKAN_OK(t, &r.v, qd_context_trim(r.v.ctx, &r.v.e));
	}
	pthread_barrier_destroy(&start);
	close_rig(t, &r);
}

/* Checks the launch of an image that relies on facts and has no general variant. Argument 0 is empty:
 * its address is not passed, so it violates no fact. */
static void
no_general(struct unit_ctx *t)
{
	struct facts_rig r;
	struct qd_image *img;
	struct qd_function *fn;
	struct qd_buffer *slice, *empty;
	if (!open_rig(t, &r))
		return;
	struct qd_function *got = vulkan_rig_function(t, &r.v, r.probe);
	const struct qd_image *from = got->image;
	struct image_parts parts = { .target = from->target->m.name, .kind = from->kind, .meta = &from->meta,
				     .layout = from->layout, .layout_size = from->layout->size,
				     .code = from->code, .code_size = from->code_size };
	VULKAN_OK(t, &r.v, jit_image_of_parts(r.v.ctx, &parts, &img, &r.v.e));
	VULKAN_OK(t, &r.v, qd_function_load(r.v.dev, img, &fn, &r.v.e));
	launch(t, &r, r.v.stream, fn, 0);
	VULKAN_OK(t, &r.v, qd_buffer_slice(r.x, 4, 4 * N, &slice, &r.v.e));
	VULKAN_OK(t, &r.v, qd_buffer_slice(r.at, 4, 0, &empty, &r.v.e));
	struct qd_arg args[] = { qd_arg_buffer(empty), qd_arg_buffer(slice), qd_arg_buffer(r.got) };
	UNIT_CHECK(t, qd_launch(r.v.stream, fn, 1, args, 3, &r.v.e) == QD_E_INVALID &&
			      strstr(r.v.e.text, "argument 1 'x' of kernel 'probe': 256 bytes at address 0x") &&
			      strstr(r.v.e.text, "requires less than 4294967296 bytes at a multiple of 16; use an image for a "
						 "target without 'facts'"),
		   "%s", r.v.e.text);
	qd_buffer_free(empty);
	qd_buffer_free(slice);
	qd_function_free(fn);
	qd_function_free(got);
	qd_image_free(img);
	close_rig(t, &r);
}

static struct fatbin_item
item_of(const struct qd_image *img, const char *target)
{
	return (struct fatbin_item){ .kernel = "probe", .variant = "", .target = target, .kind = img->kind,
				     .meta = &img->meta, .layout = img->layout, .code = img->code,
				     .code_size = img->code_size };
}

/* Checks that a fatbin with both variants runs them without a compile, that one without the general
 * variant reports the argument, and that QD_FACTS_NONE selects the general row. */
static void
fatbins(struct unit_ctx *t)
{
	struct facts_rig r;
	struct fatbin_item items[2];
	struct fatbin_options o = { .stem = "facts", .codec = FATBIN_RAW };
	struct qd_fatbin *f;
	struct qd_function *fn;
	struct qd_image *img[2];
	struct buf out;
	if (!open_rig(t, &r))
		return;
	char target[MACHINE_NAME + 8];
	snprintf(target, sizeof target, "%s:facts", qd_device_target(r.v.dev));
	VULKAN_OK(t, &r.v, qd_compile(r.v.ctx, r.probe, target, NULL, 0, &img[0], &r.v.e));
	VULKAN_OK(t, &r.v, qd_compile(r.v.ctx, r.probe, qd_device_target(r.v.dev), NULL, 0, &img[1], &r.v.e));
	for (uint32_t i = 0; i < 2; i++)
		items[i] = item_of(img[i], qd_image_target(img[i]));
	r.v.ctx->no_jit = true;
	for (uint32_t n = 1; n <= 2; n++) {
		buf_init(&out, &r.v.ctx->pool);
		VULKAN_OK(t, &r.v, fatbin_write(&out, items, n, &o, NULL, &r.v.e));
		VULKAN_OK(t, &r.v, qd_fatbin_open(r.v.ctx, buf_data(&out), out.len, NULL, &f, &r.v.e));
		VULKAN_OK(t, &r.v, qd_fatbin_function(r.v.dev, f, "probe", NULL, 0, &fn, &r.v.e));
		UNIT_CHECK(t, fn->relies && jit_has_general(fn->image) == (n == 2), "%u rows", n);
		launch(t, &r, r.v.stream, fn, 0);
		if (n == 2) {
			qd_fatbin_free(f);
			launch(t, &r, r.v.stream, fn, 4);
			UNIT_CHECK(t, general_of(fn) && !general_of(fn)->relies, "no general variant");
			VULKAN_OK(t, &r.v, qd_fatbin_open(r.v.ctx, buf_data(&out), out.len, NULL, &f, &r.v.e));
		}
		qd_function_free(fn);
		r.v.ctx->no_facts = true;
		qd_status st = qd_fatbin_function(r.v.dev, f, "probe", NULL, 0, &fn, &r.v.e);
		UNIT_CHECK(t, st == (n == 2 ? QD_OK : QD_E_TARGET), "%s", r.v.e.text);
		if (st == QD_OK) {
			UNIT_CHECK(t, !fn->relies, "the row relies on facts");
			launch(t, &r, r.v.stream, fn, 4);
			qd_function_free(fn);
		} else {
			UNIT_CHECK(t, strstr(r.v.e.text, "it relies on launch facts, which the context excludes"), "%s", r.v.e.text);
		}
		r.v.ctx->no_facts = false;
		qd_fatbin_free(f);
		buf_fini(&out);
	}
	qd_image_free(img[0]);
	qd_image_free(img[1]);
	close_rig(t, &r);
}

/* Lets each allocation of the first launch that needs the general variant fail in turn. The error is
 * the launch's status, and the next launch tries again. */
static void
no_memory(struct unit_ctx *t)
{
	struct facts_rig r;
	struct qd_buffer *slice;
	uint32_t failed = 0;
	if (!open_rig(t, &r))
		return;
	VULKAN_OK(t, &r.v, qd_buffer_slice(r.x, 4, 4 * N, &slice, &r.v.e));
	struct qd_arg args[] = { qd_arg_buffer(r.at), qd_arg_buffer(slice), qd_arg_buffer(r.got) };
	struct qd_function *fn = vulkan_rig_function(t, &r.v, r.probe);
	launch(t, &r, r.v.stream, fn, 0);
	for (size_t at = 1; at < 200 && !general_of(fn); at++) {
		/* frees the blocks that a compile would reuse */
		VULKAN_OK(t, &r.v, qd_context_trim(r.v.ctx, &r.v.e));
		r.v.alloc.fail_at = r.v.alloc.n_calls + at;
		qd_status st = qd_launch(r.v.stream, fn, QD_GRID, args, 3, &r.v.e);
		r.v.alloc.fail_at = 0;
		UNIT_CHECK(t, st == QD_OK || st == QD_E_NOMEM, "allocation %zu: %s", at, r.v.e.text);
		UNIT_CHECK(t, (general_of(fn) != NULL) >= (st == QD_OK), "allocation %zu: no variant", at);
		failed += st != QD_OK;
	}
	UNIT_CHECK(t, failed > 1 && general_of(fn), "%u allocations failed", failed);
	VULKAN_OK(t, &r.v, qd_stream_sync(r.v.stream, &r.v.e));
	launch(t, &r, r.v.stream, fn, 4);
	qd_buffer_free(slice);
	qd_function_free(fn);
	close_rig(t, &r);
}

extern const struct unit units_launch_facts[];
extern const unsigned n_units_launch_facts;
const struct unit units_launch_facts[] = {
	{ "launch_facts.variants", variants },
	{ "launch_facts.large", large },
	{ "launch_facts.equal_code", equal_code },
	{ "launch_facts.threads", threads },
	{ "launch_facts.no_general", no_general },
	{ "launch_facts.fatbins", fatbins },
	{ "launch_facts.no_memory", no_memory },
};
const unsigned n_units_launch_facts = QD_COUNT(units_launch_facts);
