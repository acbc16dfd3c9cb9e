/* A program that makes every call of qd.h and checks the results. It stops at the first call that
 * fails, checks the error, and frees everything. calls.h records each call. A function that is new
 * in qd.h must be called here, in a suitable step; otherwise the test names it. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "kernels.h"

unsigned char fault_called[N_CALL];

const char *
fault_call_missing(void)
{
	static const char *const names[] = { FAULT_CALLS };

	for (int i = 0; i < N_CALL; i++)
		if (!fault_called[i])
			return names[i];
	return NULL;
}

/* -- Checks of each call ------------------------------------------------------------ */

static void
wrong(struct fault_run *r, const char *what)
{
	if (!r->wrong[0])
		snprintf(r->wrong, sizeof r->wrong, "%s", what);
}

/* Checks that the error is complete in both places and keeps the first error. */
static qd_status
failed(struct fault_run *r, qd_status st, const struct qd_error *e, const char *call)
{
	const struct qd_error *last = qd_last_error();

	if (e->code != st || !e->text[0] || strcmp(last->text, e->text) != 0)
		wrong(r, "an error without its code or text");
	if (!r->call) {
		r->call = call;
		r->err = *e;
	}
	if (r->inject == INJECT_SWALLOW) {
		r->inject = INJECT_NONE;
		return QD_OK;
	}
	return st;
}

#define TRY(...)                                                                                   \
	do {                                                                                       \
		struct qd_error e = { 0 };                                                         \
		qd_status st = __VA_ARGS__;                                                        \
		if (st && failed(r, st, &e, #__VA_ARGS__))                                         \
			return st;                                                                 \
	} while (0)

/* A call that must fail with this status. */
#define REFUSED(status, ...)                                                                       \
	do {                                                                                       \
		struct qd_error e = { 0 };                                                         \
		qd_status st = __VA_ARGS__;                                                        \
		if (!st)                                                                           \
			wrong(r, "went well: " #__VA_ARGS__);                                      \
		if (st && st != (status) && failed(r, st, &e, #__VA_ARGS__))                       \
			return st;                                                                 \
	} while (0)

#define EXPECT(cond)                                                                               \
	do {                                                                                       \
		if (!(cond))                                                                       \
			wrong(r, "not so: " #cond);                                                \
	} while (0)

/* -- Objects of the program ------------------------------------------------------------ */

enum { N_DATA = 24, N_MANY = 150000, N_OTHERS = 5, N_BATCH = 9 };

struct things {
	struct qd_context *ctx;
	struct qd_builder *given_up;
	struct qd_kernel *every, *again, *mix, *wide, *tile;
	struct qd_module *module, *broken;
	struct qd_image *image, *image_ref, *image_dev, *image_saved, *image_again, *image_object;
	struct qd_fatbin *fatbin;
	struct qd_device *dev;
	struct qd_stream *stream, *other[N_OTHERS];
	struct qd_buffer *src, *dst, *slice, *odd, *spare, *large, *gone;
	struct qd_event *from, *to;
	struct qd_function *fn_mix, *fn_wide, *fn_tile, *fn_loaded, *fn_saved;
	struct qd_kernel *kernel_saved;
	void *text;
	uint32_t *many, *back;
};

static void
free_all(struct things *t, bool leak)
{
	qd_event_free(t->from);
	qd_event_free(t->to);
	qd_buffer_free(t->gone);
	qd_buffer_free(t->src);
	qd_buffer_free(t->dst);
	qd_buffer_free(t->slice);
	qd_buffer_free(t->odd);
	qd_buffer_free(t->spare);
	qd_buffer_free(t->large);
	for (int i = 0; i < N_OTHERS; i++)
		qd_stream_free(t->other[i]);
	qd_stream_free(t->stream);
	qd_function_free(t->fn_mix);
	qd_function_free(t->fn_wide);
	qd_function_free(t->fn_loaded);
	qd_function_free(t->fn_saved);
	qd_device_close(t->dev); /* frees the last function too */
	qd_image_free(t->image);
	qd_image_free(t->image_ref);
	qd_image_free(t->image_dev);
	qd_image_free(t->image_saved);
	qd_image_free(t->image_again);
	qd_image_free(t->image_object);
	qd_fatbin_free(t->fatbin);
	qd_builder_free(t->given_up);
	if (!leak)
		qd_kernel_free(t->every);
	qd_kernel_free(t->again);
	qd_kernel_free(t->mix);
	qd_kernel_free(t->wide);
	qd_kernel_free(t->tile);
	qd_kernel_free(t->kernel_saved);
	qd_module_free(t->module);
	qd_module_free(t->broken);
	free(t->text);
	free(t->many);
	free(t->back);
	*t = (struct things){ .ctx = t->ctx };
}

/* -- Steps without a device ----------------------------------------------------------------- */

static qd_status
names(struct fault_run *r)
{
	EXPECT(qd_version() == QD_VERSION);
	EXPECT(strcmp(qd_status_name(QD_E_NOMEM), "QD_E_NOMEM") == 0);
	EXPECT(strcmp(qd_status_text(QD_E_NOMEM), "out of memory") == 0);
	EXPECT(strcmp(qd_type_name(QD_TYPE_BF16), "bf16") == 0);
	EXPECT(qd_type_size(QD_TYPE_F64) == 8);
	EXPECT(qd_target_count() > 0 && qd_target_name(0));
	EXPECT(qd_arg_i64(-1).bits == UINT64_MAX && qd_arg_u64(7).bits == 7);
	EXPECT(qd_arg_bytes(r, 3).host == (void *)r && qd_arg_bytes(r, 3).size == 3);
	EXPECT(qd_arg_f64(1.0).bits == UINT64_C(0x3ff0000000000000));
	return QD_OK;
}

static qd_status
build(struct fault_run *r, struct things *t)
{
	struct qd_param_info info;
	size_t len = 0;

	TRY(qd_builder_create(t->ctx, "given_up", &t->given_up, &e));
	qd_type type = qd_val_type(t->given_up, qd_f32(t->given_up, 1));
	EXPECT(type == (qd_builder_status(t->given_up) ? QD_TYPE_NONE : QD_TYPE_F32));
	TRY(kernel_every(t->ctx, &t->every, &e));
	TRY(kernel_mix(t->ctx, &t->mix, &e));
	TRY(kernel_wide(t->ctx, &t->wide, &e));
	EXPECT(strcmp(qd_kernel_name(t->every), "every") == 0);
	EXPECT(qd_kernel_param_count(t->mix) == 5);
	TRY(qd_kernel_param(t->mix, 4, &info, &e));
	EXPECT(info.type == QD_TYPE_F32 && !info.is_buffer && strcmp(info.name, "f") == 0);

	TRY(qd_kernel_print(t->every, NULL, 0, &len, &e));
	if (!(t->text = calloc(1, len + 1)))
		abort();
	TRY(qd_kernel_print(t->every, t->text, len + 1, &len, &e));
	TRY(qd_kernel_read(t->ctx, t->text, len, "every.ir", &t->again, &e));
	EXPECT(strcmp(qd_kernel_name(t->again), "every") == 0);
	free(t->text);
	t->text = NULL;
	return QD_OK;
}

static const char module_text[] =
	"fn twice(x: u32) -> u32 { return x + x; }\n"
	"kernel tile<T in {u32, i32}, static L in 0..=2>(src: in T[], dst: out T[]) block(8) {\n"
	"  for i in grid(src.len) { dst[i] = T(twice(u32(subgroup.reduce_add_tiled(src[i], L)))); }\n"
	"}\n"
	"kernel other(x: u32[]) { for i in grid(x.len) { if i > 3 { x[i] = 1; } } }\n";

static const struct qd_text import_texts[] = {
	{ "main.qdk", "import \"a.qdk\" as a; import \"b.qdk\"; instantiate a.k as k;", 58 },
	{ "a.qdk", "import \"b.qdk\"; kernel k(x: u32[]) { for i in grid(x.len) { x[i] = f(i); } }", 76 },
	{ "b.qdk", "fn f(x: u32) -> u32 { return x; }", 33 },
};

static qd_status
parse(struct fault_run *r, struct things *t)
{
	static const char bad_text[] = "kernel a(x: u32[]) { x[0] = ; }\nkernel b(y) { }\n";
	const struct qd_tmpl type = { .name = "T", .type = QD_TYPE_U32 };
	const struct qd_imports imports = { .texts = import_texts + 1, .n_texts = 2 };
	struct qd_tmpl_info info;

	REFUSED(QD_E_SYNTAX, qd_module_parse(t->ctx, bad_text, sizeof bad_text - 1, "bad.qdk",
					     &t->broken, &e));
	TRY(qd_module_parse(t->ctx, module_text, sizeof module_text - 1, "tile.qdk", &t->module, &e));
	EXPECT(qd_module_kernel_count(t->module) == 2);
	EXPECT(strcmp(qd_module_kernel_name(t->module, 1), "other") == 0);
	EXPECT(qd_module_tmpl_count(t->module, 0) == 2);
	TRY(qd_module_tmpl(t->module, 0, 1, &info, &e));
	EXPECT(!info.is_type && info.lo == 0 && info.hi == 2);
	TRY(qd_module_kernel(t->module, "tile", &type, 1, &t->tile, &e));
	qd_module_free(t->module);
	t->module = NULL;
	TRY(qd_module_parse_imports(t->ctx, &import_texts[0], &imports, &t->module, &e));
	EXPECT(qd_module_kernel_count(t->module) == 1 && qd_module_file_count(t->module) == 3);
	EXPECT(strcmp(qd_module_file_name(t->module, 1), "a.qdk") == 0);
	qd_module_free(t->module);
	t->module = NULL;
	return QD_OK;
}

static qd_status
compile(struct fault_run *r, struct things *t)
{
	const struct qd_tmpl two = { .name = "L", .value = 2 };
	size_t size = 0;

	TRY(qd_compile(t->ctx, t->every, "spirv:w8", &two, 1, &t->image, &e));
	TRY(qd_compile(t->ctx, t->again, "ref:w8", &two, 1, &t->image_ref, &e));
	EXPECT(strstr(qd_image_target(t->image), "spirv:w8") && qd_image_subgroup_size(t->image) == 8);
	EXPECT(qd_image_data(t->image, &size) && size > 20);
	return QD_OK;
}

/* -- Steps with a device -------------------------------------------------------------------- */

static qd_status
open_device(struct fault_run *r, struct things *t)
{
	static struct qd_device_info list[8];
	const struct qd_tmpl one = { .name = "L", .value = 1 };
	struct qd_function_info fn;
	struct qd_function *hit = NULL;
	uint32_t n = 0;

	TRY(qd_device_list(t->ctx, list, 8, &n, &e));
	EXPECT(n > 0 && list[0].selector[0]);
	uint32_t at = 0; /* first device of the driver */
	while (at + 1 < n && at < 7 && strncmp(list[at].selector, r->selector, 3))
		at++;
	if (strncmp(list[at].selector, r->selector, 3) == 0 && !list[at].usable) {
		/* The list reports the error. */
		struct qd_error why = { .code = QD_E_UNAVAILABLE };
		snprintf(why.text, sizeof why.text, "%s", list[at].why);
		r->call = "qd_device_list";
		r->err = why;
		return why.code;
	}
	TRY(qd_device_open(t->ctx, r->selector, &t->dev, &e));
	TRY(qd_device_info(t->dev, &list[0], &e));
	EXPECT(list[0].usable && strcmp(list[0].target, qd_device_target(t->dev)) == 0);
	TRY(qd_function_get(t->dev, t->mix, NULL, 0, &t->fn_mix, &e));
	TRY(qd_function_get(t->dev, t->wide, NULL, 0, &t->fn_wide, &e));
	TRY(qd_function_get(t->dev, t->tile, &one, 1, &t->fn_tile, &e));
	TRY(qd_function_get(t->dev, t->tile, &one, 1, &hit, &e));
	EXPECT(hit == t->fn_tile);
	TRY(qd_function_info(t->fn_mix, &fn, &e));
	EXPECT(fn.block_dim == 8);
	return QD_OK;
}

static qd_status
make_buffers(struct fault_run *r, struct things *t)
{
	void *host = NULL;

	TRY(qd_stream_create(t->dev, &t->stream, &e));
	TRY(qd_buffer_create(t->dev, N_DATA * 4, 0, &t->src, &e));
	TRY(qd_buffer_create(t->dev, N_DATA * 4, 0, &t->dst, &e));
	TRY(qd_buffer_create(t->dev, 64, 0, &t->spare, &e));
	TRY(qd_buffer_create(t->dev, 64, 0, &t->gone, &e));
	TRY(qd_buffer_create(t->dev, r->large, 0, &t->large, &e));
	TRY(qd_buffer_slice(t->dst, 32, 32, &t->slice, &e));
	EXPECT(qd_buffer_size(t->slice) == 32);
	struct qd_error e = { 0 };
	qd_status st = qd_buffer_map(t->dst, &host, &e);
	if (st != QD_E_UNAVAILABLE && st && failed(r, st, &e, "qd_buffer_map"))
		return st;
	EXPECT((st == QD_OK) == (host != NULL));
	return QD_OK;
}

/* Transfers larger than the staging ring, while a launch uses the buffer. */
static qd_status
move_much(struct fault_run *r, struct things *t)
{
	struct qd_arg wide[1 + WIDE_SPARE];

	if (!(t->many = malloc(N_MANY * 4)) || !(t->back = malloc(N_MANY * 4)))
		abort();
	for (uint32_t i = 0; i < N_MANY; i++)
		t->many[i] = i * 7;
	wide[0] = qd_arg_buffer(t->large);
	for (int i = 0; i < WIDE_SPARE; i++)
		wide[1 + i] = qd_arg_buffer(t->spare);
	/* More batches than can be in flight. */
	for (int i = 0; i < N_BATCH; i++) {
		TRY(qd_launch(t->stream, t->fn_wide, 4, wide, 1 + WIDE_SPARE, &e));
		TRY(qd_stream_flush(t->stream, &e));
	}
	TRY(qd_launch(t->stream, t->fn_wide, 4, wide, 1 + WIDE_SPARE, &e));
	TRY(qd_buffer_upload(t->stream, t->large, 16, t->many, N_MANY * 4 - 16, &e));
	TRY(qd_launch(t->stream, t->fn_wide, 4, wide, 1 + WIDE_SPARE, &e));
	TRY(qd_buffer_download_async(t->stream, t->large, 0, t->back, N_MANY * 4, &e));
	/* The download has copied the data by now; this launch changes it. */
	TRY(qd_launch(t->stream, t->fn_wide, 4, wide, 1 + WIDE_SPARE, &e));
	TRY(qd_stream_sync(t->stream, &e));
	EXPECT(t->back[0] == (N_BATCH + 2) * WIDE_ADDS && t->back[3] == t->back[0]);
	EXPECT(memcmp(t->back + 4, t->many, N_MANY * 4 - 16) == 0);
	return QD_OK;
}

/* dst[i] = src[i] + 1 + 2 + 3, then sums of two, twice, from the slice to the spare. */
static qd_status
compute(struct fault_run *r, struct things *t)
{
	const struct qd_arg mix[] = { qd_arg_buffer(t->src), qd_arg_buffer(t->dst), qd_arg_i32(1),
				      qd_arg_u32(2), qd_arg_f32(3) };
	const struct qd_arg tile[] = { qd_arg_buffer(t->slice), qd_arg_buffer(t->spare) };
	const struct qd_arg gone[] = { qd_arg_buffer(t->src), qd_arg_buffer(t->gone), qd_arg_i32(1),
				       qd_arg_u32(2), qd_arg_f32(3) };
	uint32_t in[N_DATA], out[N_DATA] = { 0 }, sums[8] = { 0 };

	for (uint32_t i = 0; i < N_DATA; i++)
		in[i] = i * i + (r->inject == INJECT_DATA && i == 9);
	TRY(qd_buffer_upload(t->stream, t->src, 0, in, sizeof in, &e));
	TRY(qd_launch(t->stream, t->fn_mix, QD_GRID, mix, 5, &e));
	TRY(qd_event_create(t->dev, &t->from, &e));
	TRY(qd_event_create(t->dev, &t->to, &e));
	TRY(qd_event_record(t->stream, t->to, &e)); /* recorded again below */
	TRY(qd_event_record(t->stream, t->from, &e));
	TRY(qd_launch(t->stream, t->fn_mix, QD_GRID, gone, 5, &e));
	qd_buffer_free(t->gone); /* while it is in use */
	t->gone = NULL;
	TRY(qd_stream_flush(t->stream, &e));
	TRY(qd_event_record(t->stream, t->to, &e));
	/* More streams use the slice than a buffer has slots for. */
	for (int i = 0; i < N_OTHERS; i++) {
		TRY(qd_stream_create(t->dev, &t->other[i], &e));
		TRY(qd_stream_wait(t->other[i], t->to, &e));
		TRY(qd_launch(t->other[i], t->fn_tile, QD_GRID, tile, 2, &e));
	}
	TRY(qd_buffer_download_async(t->other[0], t->spare, 0, sums, sizeof sums, &e));
	TRY(qd_buffer_download_async(t->stream, t->dst, 0, out, sizeof out, &e));
	TRY(qd_stream_sync(t->other[0], &e));
	TRY(qd_stream_sync(t->stream, &e));
	for (uint32_t i = 0; i < N_DATA; i++)
		EXPECT(out[i] == i * i + 6);
	for (uint32_t i = 0; i < 8; i++)
		EXPECT(sums[i] == 2 * (out[8 + (i & ~1u)] + out[8 + (i | 1)]));
	return QD_OK;
}

static qd_status
look_back(struct fault_run *r, struct things *t)
{
	struct qd_cache_stats stats;
	uint64_t ns = 0;
	bool passed = false, done = false;

	TRY(qd_event_sync(t->from, QD_FOREVER, &passed, &e));
	EXPECT(passed);
	TRY(qd_event_query(t->to, &passed, &e));
	EXPECT(passed);
	TRY(qd_stream_sync_for(t->stream, UINT64_C(60000000000), &done, &e));
	EXPECT(done);
	TRY(qd_stream_query(t->stream, &done, &e));
	EXPECT(done);

	struct qd_error e = { 0 };
	qd_status st = qd_event_elapsed(t->from, t->to, &ns, &e);
	/* A queue may lack timestamps. */
	if (st && (st != QD_E_UNAVAILABLE || !strstr(e.text, "timestamps")) &&
	    failed(r, st, &e, "qd_event_elapsed"))
		return st;
	EXPECT(ns < UINT64_C(60000000000));
	/* GPU drivers cannot limit instructions. */
	st = qd_stream_limit(t->stream, UINT64_C(1) << 60, &e);
	if (st && st != QD_E_UNAVAILABLE && failed(r, st, &e, "qd_stream_limit"))
		return st;
	qd_status ended = qd_stream_cancel(t->other[0], &e);
	EXPECT(ended == st);
	if (!ended) {
		st = qd_stream_sync(t->other[0], &e);
		if (st != QD_E_CANCELED && failed(r, st, &e, "qd_stream_sync of a canceled stream"))
			return st;
	}
	qd_cache_stats(t->ctx, &stats);
	EXPECT(stats.misses >= 3 && stats.functions == 3);

	return QD_OK;
}

/* Frees a function, checks that trimming releases it, and loads it again. */
static qd_status
come_again(struct fault_run *r, struct things *t)
{
	const struct qd_tmpl one = { .name = "L", .value = 1 };
	const struct qd_arg tile[] = { qd_arg_buffer(t->slice), qd_arg_buffer(t->spare) };
	struct qd_cache_stats stats;

	for (int i = 0; i < N_OTHERS; i++)
		TRY(qd_stream_sync(t->other[i], &e));
	qd_function_free(t->fn_tile);
	qd_function_free(t->fn_tile);
	t->fn_tile = NULL;
	TRY(qd_context_trim(t->ctx, &e));
	qd_cache_stats(t->ctx, &stats);
	EXPECT(stats.unused <= 1 && stats.functions == 2 + stats.unused);
	TRY(qd_function_get(t->dev, t->tile, &one, 1, &t->fn_tile, &e));
	TRY(qd_launch(t->stream, t->fn_tile, QD_GRID, tile, 2, &e));
	/* A slice at 4 bytes needs the general variant, if there is one. */
	TRY(qd_buffer_slice(t->dst, 36, 28, &t->odd, &e));
	const struct qd_arg odd[] = { qd_arg_buffer(t->odd), qd_arg_buffer(t->spare) };
	TRY(qd_launch(t->stream, t->fn_tile, QD_GRID, odd, 2, &e));
	TRY(qd_stream_sync(t->stream, &e));
	return QD_OK;
}

/* Copies, fills and transfers, synchronous and asynchronous, without launches. */
static qd_status
move_around(struct fault_run *r, struct things *t)
{
	const uint64_t twice = UINT64_C(0x0000000700000005);
	uint32_t in[N_DATA], out[N_DATA];
	uint8_t byte = 0x21;

	for (uint32_t i = 0; i < N_DATA; i++)
		in[i] = i;
	TRY(qd_buffer_upload_async(t->stream, t->src, 0, in, sizeof in, &e));
	TRY(qd_buffer_copy(t->stream, t->dst, 0, t->src, 8, 16, &e));
	TRY(qd_buffer_fill(t->stream, t->dst, 16, 5, &byte, 1, &e));
	TRY(qd_buffer_fill(t->stream, t->dst, 32, 64, &twice, 8, &e));
	TRY(qd_buffer_download(t->stream, t->dst, 0, out, sizeof out, &e));
	EXPECT(out[0] == 2 && out[3] == 5 && out[4] == 0x21212121 && (out[5] & 0xff) == 0x21);
	for (uint32_t i = 8; i < 24; i++)
		EXPECT(out[i] == (i % 2 ? 7 : 5));
	return QD_OK;
}

/* Compiles an image and loads it; then does the same with a run in one call. */
static qd_status
in_one_call(struct fault_run *r, struct things *t)
{
	static const char text[] = "kernel twice(x: u32[]) { for i in grid(x.len) { x[i] = 2 * x[i]; } }";
	uint32_t x[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	const struct qd_arg arg = qd_arg_host(x, sizeof x);

	/* Functions for Vulkan rely on launch facts. */
	char target[280];
	const char *own = qd_device_target(t->dev);

	snprintf(target, sizeof target, "%s%s", own, strncmp(own, "spirv", 5) == 0 ? ":facts" : "");
	TRY(qd_compile(t->ctx, t->mix, target, NULL, 0, &t->image_dev, &e));
	TRY(qd_function_load(t->dev, t->image_dev, &t->fn_loaded, &e));
	EXPECT(t->fn_loaded == t->fn_mix);
	TRY(qd_run(t->dev, text, sizeof text - 1, "twice.qdk", NULL, NULL, 0, QD_GRID, &arg, 1, &e));
	for (uint32_t i = 0; i < 9; i++)
		EXPECT(x[i] == 2 * i + 2);
	return QD_OK;
}

/* Reads a kernel of another compiler. None of the program's devices can run it. */
static qd_status
foreign(struct fault_run *r, struct things *t)
{
	static const uint8_t object[] = {
#include "../gcn/object/v5_gfx1100.def"
	};
	const struct qd_object_options options = { .block = { 64 } };
	struct qd_function *none = NULL;
	struct qd_param_info p;

	TRY(qd_image_from_object(t->ctx, object, sizeof object, "add.hsaco", "add", &options,
				 &t->image_object, &e));
	EXPECT(strcmp(qd_image_kernel(t->image_object), "add") == 0);
	EXPECT(qd_image_param_count(t->image_object) == 2);
	TRY(qd_image_param(t->image_object, 1, &p, &e));
	EXPECT(p.type == QD_TYPE_NONE && p.size == 8 && !p.is_buffer);
	if (strncmp(qd_device_target(t->dev), "gfx1100", strlen("gfx1100")) == 0) {
		TRY(qd_function_load(t->dev, t->image_object, &none, &e));
		qd_function_free(none);
		return QD_OK;
	}
	REFUSED(QD_E_TARGET, qd_function_load(t->dev, t->image_object, &none, &e));
	return QD_OK;
}

/* Saves the device's own image to a file's bytes and loads it again. */
static qd_status
saved(struct fault_run *r, struct things *t)
{
	struct qd_fatbin_entry entry;
	struct qd_fatbin *none = NULL;
	size_t len = 0;

	TRY(qd_image_save(t->image_dev, NULL, 0, &len, &e));
	free(t->text);
	if (!(t->text = malloc(len)))
		abort();
	TRY(qd_image_save(t->image_dev, t->text, len, &len, &e));
	TRY(qd_image_load(t->ctx, t->text, len, &t->image_saved, &e));
	const char *saved = qd_image_target(t->image_saved);
	EXPECT(strcmp(saved, qd_image_target(t->image_dev)) == 0);
	REFUSED(QD_E_NOT_FOUND, qd_fatbin_open_file(t->ctx, "/nowhere/there", &none, &e));
	TRY(qd_fatbin_open(t->ctx, t->text, len, "saved", &t->fatbin, &e));
	EXPECT(qd_fatbin_count(t->fatbin) == 1);
	TRY(qd_fatbin_entry(t->fatbin, 0, &entry, &e));
	EXPECT(strcmp(entry.kernel, "mix") == 0);
	if (strcmp(entry.kind, "ir") == 0)
		TRY(qd_fatbin_kernel(t->fatbin, 0, &t->kernel_saved, &e));
	else
		REFUSED(QD_E_INVALID, qd_fatbin_kernel(t->fatbin, 0, &t->kernel_saved, &e));
	if (strcmp(entry.kind, "ir") == 0)
		REFUSED(QD_E_INVALID, qd_fatbin_image(t->fatbin, 0, &t->image_again, &e));
	else
		TRY(qd_fatbin_image(t->fatbin, 0, &t->image_again, &e));
	TRY(qd_fatbin_function(t->dev, t->fatbin, "mix", NULL, 0, &t->fn_saved, &e));
	const struct qd_arg mix[] = { qd_arg_buffer(t->src), qd_arg_buffer(t->dst), qd_arg_i32(1),
				      qd_arg_u32(2), qd_arg_f32(3) };
	uint32_t in[N_DATA], out[N_DATA];
	for (uint32_t i = 0; i < N_DATA; i++)
		in[i] = 5 * i;
	TRY(qd_buffer_upload(t->stream, t->src, 0, in, sizeof in, &e));
	TRY(qd_launch(t->stream, t->fn_saved, QD_GRID, mix, 5, &e));
	TRY(qd_buffer_download(t->stream, t->dst, 0, out, sizeof out, &e));
	for (uint32_t i = 0; i < N_DATA; i++)
		EXPECT(out[i] == 5 * i + 6);
	return QD_OK;
}

static qd_status
steps(struct fault_run *r, struct things *t)
{
	qd_status st = names(r);

	st = st ? st : build(r, t);
	st = st ? st : parse(r, t);
	st = st ? st : compile(r, t);
	st = st ? st : open_device(r, t);
	st = st ? st : make_buffers(r, t);
	st = st ? st : move_much(r, t);
	st = st ? st : compute(r, t);
	st = st ? st : look_back(r, t);
	st = st ? st : come_again(r, t);
	st = st ? st : move_around(r, t);
	st = st ? st : in_one_call(r, t);
	st = st ? st : saved(r, t);
	return st ? st : foreign(r, t);
}

qd_status
fault_program(struct fault_run *r)
{
	struct qd_context_desc desc = { .version = QD_VERSION, .allocator = r->allocator,
					.log = r->log, .log_user = r->log_user };
	struct things t = { 0 };
	qd_status first;

	TRY(qd_context_create(&desc, &t.ctx, &e));
	if (r->created)
		r->created(t.ctx);
	first = steps(r, &t);
	free_all(&t, first && r->inject == INJECT_LEAK);
	if (first && r->calm) {
		r->calm();
		if (steps(r, &t))
			wrong(r, "the context does not work after the failure");
		free_all(&t, false);
	}
	qd_context_free(t.ctx);
	return first;
}
