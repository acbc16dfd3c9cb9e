/* Devices, functions, buffers and launches through the public calls, on the interpreter: error
 * messages and lifetimes. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device.h"
#include "qd.h"

struct fixture {
	struct unit_alloc alloc;
	struct qd_context *ctx;
	struct qd_device *dev;
	struct qd_stream *stream;
	struct qd_kernel *scale;
	struct qd_function *fn;
	struct qd_buffer *src, *dst;
	struct qd_error e;
};

/* Builds dst[i] = src[i] * by + add. */
static struct qd_kernel *
make_scale(struct unit_ctx *t, struct qd_context *ctx, uint32_t block, float add)
{
	struct qd_builder *b;
	struct qd_kernel *k = NULL;
	struct qd_error e;
	if (qd_builder_create(ctx, "scale", &b, &e))
		return NULL;
	qd_block(b, block, 1, 1);
	struct qd_array src = qd_param_buffer(b, "src", QD_TYPE_F32, QD_ACCESS_IN);
	struct qd_array dst = qd_param_buffer(b, "dst", QD_TYPE_F32, QD_ACCESS_OUT);
	struct qd_val by = qd_param_scalar(b, "by", QD_TYPE_F32);
	struct qd_val i = qd_grid(b, qd_len(b, src));
	struct qd_val v = qd_mul(b, qd_load(b, src, i), by);
	if (add != 0)
		v = qd_add(b, v, qd_f32(b, add));
	qd_store(b, dst, i, v);
	UNIT_CHECK(t, qd_builder_finish(b, &k, &e) == QD_OK, "%s", e.text);
	return k;
}

static bool
setup(struct unit_ctx *t, struct fixture *f)
{
	memset(f, 0, sizeof *f);
	unit_alloc_init(&f->alloc);
	struct qd_context_desc desc = { .version = QD_VERSION,
					.allocator = unit_alloc_hooks(&f->alloc) };
	bool good = !qd_context_create(&desc, &f->ctx, &f->e) &&
		    !qd_device_open(f->ctx, "ref:32", &f->dev, &f->e) &&
		    !qd_stream_create(f->dev, &f->stream, &f->e) &&
		    (f->scale = make_scale(t, f->ctx, 64, 0)) &&
		    !qd_function_get(f->dev, f->scale, NULL, 0, &f->fn, &f->e) &&
		    !qd_buffer_create(f->dev, 400, 0, &f->src, &f->e) &&
		    !qd_buffer_create(f->dev, 400, 0, &f->dst, &f->e);
	UNIT_CHECK(t, good, "setup: %s", f->e.text);
	return good;
}

static void
teardown(struct unit_ctx *t, struct fixture *f)
{
	qd_buffer_free(f->src);
	qd_buffer_free(f->dst);
	qd_stream_free(f->stream);
	qd_device_close(f->dev);
	qd_kernel_free(f->scale);
	qd_context_free(f->ctx);
	UNIT_CHECK(t, f->alloc.n_out == 0 && !f->alloc.wrong_size, "%zu blocks leaked",
		   f->alloc.n_out);
	unit_alloc_fini(&f->alloc);
}

/* Checks the status of the call, and the exact text of its error. */
#define WANT(t, f, call, status, want)                                                             \
	do {                                                                                       \
		qd_status st_ = (call);                                                            \
		UNIT_CHECK(t, st_ == (status), "%s: status %d", #call, (int)st_);                  \
		UNIT_CHECK(t, st_ == QD_OK || strcmp((f)->e.text, want) == 0, "%s: %s", #call,     \
			   (f)->e.text);                                                           \
	} while (0)

/* -- Selectors ------------------------------------------------------------------ */

static void
selectors(struct unit_ctx *t)
{
	struct fixture f;
	struct qd_device *dev;
	if (!setup(t, &f))
		return;
	WANT(t, &f, qd_device_open(f.ctx, "cuba:0", &dev, &f.e), QD_E_NOT_FOUND,
	     "device selector 'cuba:0': no driver 'cuba'; drivers: cuda, amdgpu, vulkan, ref, emu; "
	     "did you mean 'cuda'?");
	WANT(t, &f, qd_device_open(f.ctx, "", &dev, &f.e), QD_E_INVALID,
	     "device selector '': expected driver[:which][:wN], such as \"vulkan:0\" or \"ref:32\"");
	WANT(t, &f, qd_device_open(f.ctx, "ref:", &dev, &f.e), QD_E_INVALID,
	     "device selector 'ref:': a ':' has nothing after it; expected driver[:which][:wN], such as "
	     "\"vulkan:0\" or \"ref:32\"");
	WANT(t, &f, qd_device_open(f.ctx, "ref::w8", &dev, &f.e), QD_E_INVALID,
	     "device selector 'ref::w8': a ':' has nothing after it; expected driver[:which][:wN], such as "
	     "\"vulkan:0\" or \"ref:32\"");
	WANT(t, &f, qd_device_open(f.ctx, "ref:w24", &dev, &f.e), QD_E_INVALID,
	     "device selector 'ref:w24': 'w24' is not a subgroup size; use w4, w8, w16, w32, w64 or w128");
	WANT(t, &f, qd_device_open(f.ctx, "ref:32:w9999999999999999999999", &dev, &f.e),
	     QD_E_INVALID,
	     "device selector 'ref:32:w9999999999999999999999': 'w999999999999999' is not a subgroup size; use w4, w8, w16, w32, w64 or w128");
	WANT(t, &f, qd_device_open(NULL, "ref", &dev, &f.e), QD_E_INVALID,
	     "qd_device_open: the context is NULL");
	WANT(t, &f, qd_device_open(f.ctx, "ref", NULL, &f.e), QD_E_INVALID,
	     "qd_device_open: the result pointer is NULL");

	static const struct {
		const char *selector;
		uint32_t size;
	} good[] = { { "ref", 32 }, { "ref:16", 16 }, { "ref:w8", 8 }, { "ref:64:w64", 64 } };
	for (size_t i = 0; i < QD_COUNT(good); i++) {
		struct qd_device_info info;
		qd_status st = qd_device_open(f.ctx, good[i].selector, &dev, &f.e);
		UNIT_CHECK(t, st == QD_OK, "%s", f.e.text);
		if (st)
			continue;
		UNIT_CHECK(t, qd_device_info(dev, &info, &f.e) == QD_OK &&
				      info.subgroup_size == good[i].size,
			   "%s has %u", good[i].selector, info.subgroup_size);
		qd_device_close(dev);
	}
	teardown(t, &f);
}

static void
environment_names_the_device(struct unit_ctx *t)
{
	struct fixture f;
	struct qd_device *dev;
	struct qd_device_info info = { .subgroup_size = 0 };
	if (!setup(t, &f))
		return;
	const char *old = getenv("QD_DEVICE");
	char *saved = old ? strdup(old) : NULL;
	setenv("QD_DEVICE", "ref:128", 1);
	if (qd_device_open(f.ctx, NULL, &dev, &f.e) == QD_OK) {
		qd_device_info(dev, &info, &f.e);
		qd_device_close(dev);
	}
	UNIT_CHECK(t, info.subgroup_size == 128, "subgroup size %u", info.subgroup_size);
	setenv("QD_DEVICE", "rex", 1);
	WANT(t, &f, qd_device_open(f.ctx, NULL, &dev, &f.e), QD_E_NOT_FOUND,
	     "device selector 'rex' (from QD_DEVICE): no driver 'rex'; drivers: cuda, amdgpu, vulkan, ref, emu; "
	     "did you mean 'ref'?");
	if (saved)
		setenv("QD_DEVICE", saved, 1);
	else
		unsetenv("QD_DEVICE");
	free(saved);
	teardown(t, &f);
}

static void
listing(struct unit_ctx *t)
{
	struct fixture f;
	struct qd_device_info info[32];
	uint32_t n = 0, all = 0, n_ref = 0;
	if (!setup(t, &f))
		return;
	UNIT_CHECK(t, qd_device_list(f.ctx, NULL, 0, &all, &f.e) == QD_OK, "%s", f.e.text);
	UNIT_CHECK(t, qd_device_list(f.ctx, info, QD_COUNT(info), &n, &f.e) == QD_OK, "%s",
		   f.e.text);
	UNIT_CHECK(t, n == all && n >= 2, "%u and %u entries", n, all);
	for (uint32_t i = 0; i < n && i < QD_COUNT(info); i++) {
		UNIT_CHECK(t, info[i].usable || info[i].why[0], "%s: no reason",
			   info[i].selector);
		n_ref += info[i].usable && strncmp(info[i].selector, "ref", 3) == 0;
	}
	UNIT_CHECK(t, n_ref == 1, "%u entries of the interpreter", n_ref);
	teardown(t, &f);
}

/* -- Arguments ------------------------------------------------------------------ */

static void
wrong_arguments(struct unit_ctx *t)
{
	struct fixture f;
	struct qd_device *other = NULL;
	struct qd_buffer *far = NULL, *odd = NULL;
	struct qd_stream *far_stream = NULL;
	if (!setup(t, &f))
		return;
	struct qd_arg a[3] = { qd_arg_buffer(f.src), qd_arg_buffer(f.dst), qd_arg_f32(2) };
	WANT(t, &f, qd_launch(f.stream, f.fn, QD_GRID, a, 2, &f.e), QD_E_INVALID,
	     "kernel 'scale' has 3 parameters, not 2");
	WANT(t, &f, qd_launch(NULL, f.fn, QD_GRID, a, 3, &f.e), QD_E_INVALID,
	     "qd_launch: the stream is NULL");
	WANT(t, &f, qd_launch(f.stream, NULL, QD_GRID, a, 3, &f.e), QD_E_INVALID,
	     "qd_launch: the function is NULL");
	WANT(t, &f, qd_launch(f.stream, f.fn, QD_GRID, NULL, 3, &f.e), QD_E_INVALID,
	     "qd_launch: the arguments are NULL");
	a[1] = qd_arg_buffer(NULL);
	WANT(t, &f, qd_launch(f.stream, f.fn, QD_GRID, a, 3, &f.e), QD_E_INVALID,
	     "argument 1 'dst' of kernel 'scale': expected a buffer of f32, not NULL");
	a[1] = qd_arg_i32(1);
	WANT(t, &f, qd_launch(f.stream, f.fn, QD_GRID, a, 3, &f.e), QD_E_INVALID,
	     "argument 1 'dst' of kernel 'scale': expected a buffer of f32, not a value of type i32");
	a[1] = qd_arg_buffer(f.dst);
	a[2] = qd_arg_f64(2);
	WANT(t, &f, qd_launch(f.stream, f.fn, QD_GRID, a, 3, &f.e), QD_E_INVALID,
	     "argument 2 'by' of kernel 'scale': expected a value of type f32, not a value of type f64");
	a[2] = qd_arg_buffer(f.dst);
	WANT(t, &f, qd_launch(f.stream, f.fn, QD_GRID, a, 3, &f.e), QD_E_INVALID,
	     "argument 2 'by' of kernel 'scale': expected a value of type f32, not a buffer");
	a[2] = qd_arg_f32(2);

	UNIT_CHECK(t, qd_buffer_slice(f.dst, 6, 40, &odd, &f.e) == QD_OK, "%s", f.e.text);
	a[1] = qd_arg_buffer(odd);
	WANT(t, &f, qd_launch(f.stream, f.fn, QD_GRID, a, 3, &f.e), QD_E_INVALID,
	     "argument 1 'dst' of kernel 'scale': the slice starts at byte 6, which is not a multiple of the 4 bytes of f32");
	qd_buffer_free(odd);

	/* one element more than a length can represent; no memory is allocated for it */
	a[1] = qd_arg_buffer(f.dst);
	f.dst->size = (size_t)4 << 32;
	WANT(t, &f, qd_launch(f.stream, f.fn, QD_GRID, a, 3, &f.e), QD_E_LIMIT,
	     "argument 1 'dst' of kernel 'scale': 4294967296 elements of f32; a buffer has at most 4294967295: pass a slice");
	f.dst->size = 400;

	bool good = !qd_device_open(f.ctx, "ref:16", &other, &f.e) &&
		    !qd_buffer_create(other, 400, 0, &far, &f.e) &&
		    !qd_stream_create(other, &far_stream, &f.e);
	UNIT_CHECK(t, good, "%s", f.e.text);
	a[1] = qd_arg_buffer(far);
	WANT(t, &f, qd_launch(f.stream, f.fn, QD_GRID, a, 3, &f.e), QD_E_INVALID,
	     "argument 1 'dst' of kernel 'scale': the buffer belongs to device ref:16, the function "
	     "to ref:32");
	a[1] = qd_arg_buffer(f.dst);
	WANT(t, &f, qd_launch(far_stream, f.fn, QD_GRID, a, 3, &f.e), QD_E_INVALID,
	     "kernel 'scale' is loaded on device ref:32, the stream belongs to ref:16");
	WANT(t, &f, qd_buffer_upload(f.stream, far, 0, "abcd", 4, &f.e), QD_E_INVALID,
	     "qd_buffer_upload: the buffer belongs to device ref:16, the stream to ref:32");
	qd_buffer_free(far);
	qd_stream_free(far_stream);
	qd_device_close(other);
	teardown(t, &f);
}

static void
wrong_ranges(struct unit_ctx *t)
{
	struct fixture f;
	struct qd_buffer *slice;
	char bytes[8];
	if (!setup(t, &f))
		return;
	WANT(t, &f, qd_buffer_upload(f.stream, f.src, 396, "12345678", 8, &f.e), QD_E_INVALID,
	     "qd_buffer_upload: 8 bytes at offset 396 of a buffer of 400 bytes");
	WANT(t, &f, qd_buffer_download_async(f.stream, f.src, SIZE_MAX, bytes, 2, &f.e), QD_E_INVALID,
	     "qd_buffer_download_async: 2 bytes at offset 18446744073709551615 of a buffer of 400 bytes");
	WANT(t, &f, qd_buffer_slice(f.src, 8, 393, &slice, &f.e), QD_E_INVALID,
	     "qd_buffer_slice: 393 bytes at offset 8 of a buffer of 400 bytes");
	WANT(t, &f, qd_buffer_create(f.dev, 4, 1, &slice, &f.e), QD_E_INVALID,
	     "qd_buffer_create: flags 0x1; no flag is defined, pass 0");
	WANT(t, &f, qd_buffer_upload(f.stream, f.src, 400, NULL, 0, &f.e), QD_OK, "");
	teardown(t, &f);
}

static void
number_of_blocks(struct unit_ctx *t)
{
	struct fixture f;
	struct qd_builder *b;
	struct qd_kernel *plain = NULL, *huge = NULL;
	struct qd_function *fn;
	if (!setup(t, &f))
		return;
	if (qd_builder_create(f.ctx, "plain", &b, &f.e) == QD_OK) {
		struct qd_array dst = qd_param_buffer(b, "dst", QD_TYPE_U32, QD_ACCESS_OUT);
		qd_if(b, qd_eq(b, qd_block_thread_idx(b), qd_u32(b, 0)));
		qd_store(b, dst, qd_block_idx(b), qd_grid_dim(b));
		qd_end(b);
		UNIT_CHECK(t, qd_builder_finish(b, &plain, &f.e) == QD_OK, "%s", f.e.text);
	}
	struct qd_arg a = qd_arg_buffer(f.dst);
	UNIT_CHECK(t, qd_function_get(f.dev, plain, NULL, 0, &fn, &f.e) == QD_OK, "%s", f.e.text);
	WANT(t, &f, qd_launch(f.stream, fn, QD_GRID, &a, 1, &f.e), QD_E_INVALID,
	     "kernel 'plain' has no grid loop, which QD_GRID needs; pass the number of blocks");
	UNIT_CHECK(t, qd_launch(f.stream, fn, 3, &a, 1, &f.e) == QD_OK, "%s", f.e.text);
	uint32_t got[4] = { 9, 9, 9, 9 };
	UNIT_CHECK(t, !qd_buffer_download_async(f.stream, f.dst, 0, got, 16, &f.e) &&
			      !qd_stream_sync(f.stream, &f.e),
		   "%s", f.e.text);
	UNIT_CHECK(t, got[0] == 3 && got[1] == 3 && got[2] == 3 && got[3] == 0,
		   "grid.dim is %u %u %u %u", got[0], got[1], got[2], got[3]);
	qd_kernel_free(plain);

	if (qd_builder_create(f.ctx, "huge", &b, &f.e) == QD_OK) {
		struct qd_val n = qd_param_scalar(b, "n", QD_TYPE_I64);
		struct qd_array dst = qd_param_buffer(b, "dst", QD_TYPE_U32, QD_ACCESS_OUT);
		qd_block(b, 4, 1, 1);
		qd_store(b, dst, qd_grid(b, n), qd_u32(b, 7));
		UNIT_CHECK(t, qd_builder_finish(b, &huge, &f.e) == QD_OK, "%s", f.e.text);
	}
	UNIT_CHECK(t, qd_function_get(f.dev, huge, NULL, 0, &fn, &f.e) == QD_OK, "%s", f.e.text);
	struct qd_arg two[2] = { qd_arg_i64(INT64_C(17179869181)), a };
	WANT(t, &f, qd_launch(f.stream, fn, QD_GRID, two, 2, &f.e), QD_E_LIMIT,
	     "kernel 'huge': a grid of 17179869181 in blocks of 4 has 4294967296 blocks; a launch has at most 4294967295");
	/* zero and negative counts are valid */
	two[0] = qd_arg_i64(0);
	WANT(t, &f, qd_launch(f.stream, fn, QD_GRID, two, 2, &f.e), QD_OK, "");
	two[0] = qd_arg_i64(-5);
	WANT(t, &f, qd_launch(f.stream, fn, QD_GRID, two, 2, &f.e), QD_OK, "");
	qd_kernel_free(huge);
	teardown(t, &f);
}

static void
overlap_is_a_finding(struct unit_ctx *t)
{
	struct fixture f;
	struct qd_buffer *low = NULL, *high = NULL, *none = NULL;
	if (!setup(t, &f))
		return;
	UNIT_CHECK(t, !qd_buffer_slice(f.src, 0, 200, &low, &f.e) &&
			      !qd_buffer_slice(f.src, 200, 200, &high, &f.e) &&
			      !qd_buffer_slice(f.dst, 40, 0, &none, &f.e),
		   "%s", f.e.text);
	struct qd_arg a[3] = { qd_arg_buffer(f.src), qd_arg_buffer(high), qd_arg_f32(2) };
	WANT(t, &f, qd_launch(f.stream, f.fn, QD_GRID, a, 3, &f.e), QD_E_FINDING,
	     "arguments 0 'src' and 1 'dst' of kernel 'scale' overlap, and 'dst' is written; nothing was launched");
	/* slices of one buffer that do not overlap */
	a[0] = qd_arg_buffer(low);
	WANT(t, &f, qd_launch(f.stream, f.fn, QD_GRID, a, 3, &f.e), QD_OK, "");
	/* an empty buffer overlaps nothing, at any offset */
	a[0] = qd_arg_buffer(none);
	a[1] = qd_arg_buffer(f.dst);
	WANT(t, &f, qd_launch(f.stream, f.fn, QD_GRID, a, 3, &f.e), QD_OK, "");
	WANT(t, &f, qd_stream_sync(f.stream, &f.e), QD_OK, "");
	qd_buffer_free(low);
	qd_buffer_free(high);
	qd_buffer_free(none);
	teardown(t, &f);
}

/* -- Execution ------------------------------------------------------------------- */

static void
slices_and_lifetimes(struct unit_ctx *t)
{
	struct fixture f;
	struct qd_buffer *in = NULL, *out = NULL, *inner = NULL;
	float host[100], got[100];
	if (!setup(t, &f))
		return;
	for (int i = 0; i < 100; i++)
		host[i] = (float)i;
	bool good = !qd_buffer_upload(f.stream, f.src, 0, host, sizeof host, &f.e) &&
		    !qd_buffer_slice(f.src, 40, 200, &in, &f.e) &&
		    !qd_buffer_slice(in, 40, 40, &inner, &f.e) &&
		    !qd_buffer_slice(f.dst, 80, 40, &out, &f.e);
	UNIT_CHECK(t, good, "%s", f.e.text);
	/* parents are freed first, and the device before its buffers */
	struct qd_buffer *dst = f.dst;
	qd_buffer_free(f.src);
	qd_buffer_free(in);
	f.src = NULL;
	struct qd_arg a[3] = { qd_arg_buffer(inner), qd_arg_buffer(out), qd_arg_f32(2) };
	UNIT_CHECK(t, !qd_launch(f.stream, f.fn, QD_GRID, a, 3, &f.e), "%s", f.e.text);
	UNIT_CHECK(t, !qd_buffer_download_async(f.stream, dst, 0, got, sizeof got, &f.e) &&
			      !qd_stream_sync(f.stream, &f.e),
		   "%s", f.e.text);
	for (int i = 0; i < 100; i++) {
		float want = i >= 20 && i < 30 ? 2 * host[i] : 0;
		UNIT_CHECK(t, got[i] == want, "dst[%d] is %g, not %g", i, (double)got[i],
			   (double)want);
	}
	UNIT_CHECK(t, qd_buffer_size(inner) == 40, "%zu", qd_buffer_size(inner));
	qd_device_close(f.dev);
	f.dev = NULL;
	UNIT_CHECK(t, !qd_buffer_download_async(f.stream, inner, 0, got, 40, &f.e) &&
			      !qd_stream_sync(f.stream, &f.e) && got[0] == host[20],
		   "a closed device with a live stream does not work: %s", f.e.text);
	qd_buffer_free(inner);
	qd_buffer_free(out);
	teardown(t, &f);
}

static void
empty_buffers(struct unit_ctx *t)
{
	struct fixture f;
	struct qd_buffer *none;
	if (!setup(t, &f))
		return;
	UNIT_CHECK(t, qd_buffer_create(f.dev, 0, 0, &none, &f.e) == QD_OK, "%s", f.e.text);
	struct qd_arg a[3] = { qd_arg_buffer(none), qd_arg_buffer(f.dst), qd_arg_f32(2) };
	WANT(t, &f, qd_launch(f.stream, f.fn, QD_GRID, a, 3, &f.e), QD_OK, "");
	WANT(t, &f, qd_launch(f.stream, f.fn, 2, a, 3, &f.e), QD_OK, "");
	WANT(t, &f, qd_stream_sync(f.stream, &f.e), QD_OK, "");
	qd_buffer_free(none);
	teardown(t, &f);
}

static void
events(struct unit_ctx *t)
{
	struct fixture f;
	struct qd_event *a = NULL, *b = NULL;
	uint64_t ns = 0;
	if (!setup(t, &f))
		return;
	bool good = !unit_event(f.dev, f.stream, &a, &f.e) && !unit_event(f.dev, f.stream, &b, &f.e) &&
		    !qd_stream_wait(f.stream, a, &f.e) && !qd_stream_sync(f.stream, &f.e) &&
		    !qd_event_elapsed(a, b, &ns, &f.e);
	UNIT_CHECK(t, good, "%s", f.e.text);
	UNIT_CHECK(t, ns < UINT64_C(10000000000), "%llu ns", (unsigned long long)ns);
	WANT(t, &f, qd_event_elapsed(a, NULL, &ns, &f.e), QD_E_INVALID,
	     "qd_event_elapsed: an event is NULL");
	qd_event_free(a);
	qd_event_free(b);
	teardown(t, &f);
}

/* -- Functions -------------------------------------------------------------------- */

static void
functions_are_kept(struct unit_ctx *t)
{
	enum { N = 150 };
	struct fixture f;
	struct qd_function *fn[N], *again;
	if (!setup(t, &f))
		return;
	for (int i = 0; i < N; i++) {
		struct qd_kernel *k = make_scale(t, f.ctx, 64, (float)(i + 1));
		UNIT_CHECK(t, qd_function_get(f.dev, k, NULL, 0, &fn[i], &f.e) == QD_OK, "%s",
			   f.e.text);
		qd_kernel_free(k);
	}
	for (int i = 0; i < N; i++) {
		struct qd_kernel *k = make_scale(t, f.ctx, 64, (float)(i + 1));
		UNIT_CHECK(t, qd_function_get(f.dev, k, NULL, 0, &again, &f.e) == QD_OK &&
				      again == fn[i],
			   "function %d was loaded twice", i);
		qd_kernel_free(k);
	}
	size_t before = f.alloc.n_calls;
	for (int i = 0; i < 100; i++)
		qd_function_get(f.dev, f.scale, NULL, 0, &again, &f.e);
	UNIT_CHECK(t, f.alloc.n_calls == before, "%zu allocations in 100 hits",
		   f.alloc.n_calls - before);
	teardown(t, &f);
}

struct job {
	pthread_barrier_t *start;
	struct fixture *f;
	struct qd_kernel *k;
	struct qd_function *fn;
	struct qd_error e;
};

static void *
run_job(void *p)
{
	struct job *j = p;
	pthread_barrier_wait(j->start);
	qd_function_get(j->f->dev, j->k, NULL, 0, &j->fn, &j->e);
	return NULL;
}

static void
threads_get_one_function(struct unit_ctx *t)
{
	enum { N_THREAD = 8, N_ROUND = 30 };
	struct fixture f;
	if (!setup(t, &f))
		return;
	for (int round = 0; round < N_ROUND; round++) {
		struct qd_kernel *k = make_scale(t, f.ctx, 64, (float)(round + 1));
		pthread_barrier_t start;
		pthread_t thread[N_THREAD];
		struct job jobs[N_THREAD];
		pthread_barrier_init(&start, NULL, N_THREAD);
		for (int i = 0; i < N_THREAD; i++) {
			jobs[i] = (struct job){ .start = &start, .f = &f, .k = k };
			pthread_create(&thread[i], NULL, run_job, &jobs[i]);
		}
		for (int i = 0; i < N_THREAD; i++)
			pthread_join(thread[i], NULL);
		for (int i = 0; i < N_THREAD; i++)
			UNIT_CHECK(t, jobs[i].fn && jobs[i].fn == jobs[0].fn, "thread %d: %s", i,
				   jobs[i].e.text);
		pthread_barrier_destroy(&start);
		qd_kernel_free(k);
	}
	teardown(t, &f);
}

/* -- Several threads, one stream --------------------------------------------------- */

struct sharer {
	pthread_barrier_t *start;
	struct fixture *f;
	struct qd_function *fn;
	struct qd_buffer *out;
	uint32_t n_findings, n_other;
};

/* Launches a kernel whose threads all write out[0], which is a finding. */
static void *
share_stream(void *p)
{
	struct sharer *j = p;
	struct qd_arg a = qd_arg_buffer(j->out);
	struct qd_error e;
	pthread_barrier_wait(j->start);
	for (int i = 0; i < 20; i++) {
		qd_status st = qd_launch(j->f->stream, j->fn, 1, &a, 1, &e);
		if (!st)
			st = qd_stream_sync(j->f->stream, &e);
		j->n_findings += st == QD_E_FINDING;
		j->n_other += st && st != QD_E_FINDING;
	}
	return NULL;
}

static void
threads_share_a_stream(struct unit_ctx *t)
{
	enum { N_THREAD = 4 };
	struct fixture f;
	struct qd_builder *b;
	struct qd_kernel *k = NULL;
	struct qd_function *fn = NULL;
	pthread_barrier_t start;
	pthread_t thread[N_THREAD];
	struct sharer jobs[N_THREAD];
	uint32_t n_findings = 0, n_other = 0;
	if (!setup(t, &f))
		return;
	if (qd_builder_create(f.ctx, "clash", &b, &f.e) == QD_OK) {
		struct qd_array out = qd_param_buffer(b, "out", QD_TYPE_U32, QD_ACCESS_OUT);
		qd_store(b, out, qd_u32(b, 0), qd_u32(b, 7));
		UNIT_CHECK(t, qd_builder_finish(b, &k, &f.e) == QD_OK, "%s", f.e.text);
	}
	UNIT_CHECK(t, qd_function_get(f.dev, k, NULL, 0, &fn, &f.e) == QD_OK, "%s", f.e.text);
	pthread_barrier_init(&start, NULL, N_THREAD);
	for (int i = 0; i < N_THREAD; i++) {
		jobs[i] = (struct sharer){ .start = &start, .f = &f, .fn = fn };
		UNIT_CHECK(t, qd_buffer_create(f.dev, 64, 0, &jobs[i].out, &f.e) == QD_OK, "%s",
			   f.e.text);
		pthread_create(&thread[i], NULL, share_stream, &jobs[i]);
	}
	for (int i = 0; i < N_THREAD; i++) {
		pthread_join(thread[i], NULL);
		qd_buffer_free(jobs[i].out);
		n_findings += jobs[i].n_findings;
		n_other += jobs[i].n_other;
	}
	/* a sync may report the finding of another thread's launch */
	UNIT_CHECK(t, n_findings && !n_other, "%u findings, %u other", n_findings, n_other);
	pthread_barrier_destroy(&start);
	qd_kernel_free(k);
	teardown(t, &f);
}

/* -- fork -------------------------------------------------------------------------- */

/* Returns 0 if every call was rejected with the right status. */
static int
child(struct fixture *f, pid_t parent)
{
	struct qd_function *fn;
	struct qd_buffer *buf;
	char want[200];
	struct qd_arg a[3] = { qd_arg_buffer(f->src), qd_arg_buffer(f->dst), qd_arg_f32(2) };
	if (qd_launch(f->stream, f->fn, QD_GRID, a, 3, &f->e) != QD_E_FORKED)
		return 1;
	snprintf(want, sizeof want,
		 "qd_launch: the device was opened by process %ld, before a fork; open one in this "
		 "process",
		 (long)parent);
	if (strcmp(f->e.text, want) != 0)
		return 2;
	if (qd_function_get(f->dev, f->scale, NULL, 0, &fn, &f->e) != QD_E_FORKED ||
	    qd_buffer_create(f->dev, 4, 0, &buf, &f->e) != QD_E_FORKED ||
	    qd_stream_sync(f->stream, &f->e) != QD_E_FORKED)
		return 3;
	/* these calls must return without an effect */
	qd_buffer_free(f->src);
	qd_stream_free(f->stream);
	qd_device_close(f->dev);
	return 0;
}

static void
use_after_fork(struct unit_ctx *t)
{
	struct fixture f;
	int status = -1;
	if (!setup(t, &f))
		return;
	pid_t parent = getpid(), pid = fork();
	if (pid == 0)
		_exit(child(&f, parent));
	UNIT_CHECK(t, pid > 0 && waitpid(pid, &status, 0) == pid && status == 0, "status %d",
		   status);
	teardown(t, &f);
}

const struct unit units_launch[] = {
	{ "device.selectors", selectors },
	{ "device.environment", environment_names_the_device },
	{ "device.list", listing },
	{ "launch.arguments", wrong_arguments },
	{ "launch.ranges", wrong_ranges },
	{ "launch.blocks", number_of_blocks },
	{ "launch.overlap", overlap_is_a_finding },
	{ "launch.slices", slices_and_lifetimes },
	{ "launch.empty", empty_buffers },
	{ "launch.events", events },
	{ "function.kept", functions_are_kept },
	{ "function.threads", threads_get_one_function },
	{ "launch.threads", threads_share_a_stream },
	{ "device.fork", use_after_fork },
};
const unsigned n_units_launch = QD_COUNT(units_launch);
