/* Asynchronous copies: data missing without a wait, the PTX text, and the alignment of slices. */
#include <stdio.h>
#include <stdlib.h>

#include "qd.h"
#include "unit.h"

extern const struct unit units_copy[];
extern const unsigned n_units_copy;

enum { N = 32 };

struct rig {
	struct unit_ctx *t;
	struct qd_context *ctx;
	struct qd_device *dev;
	struct qd_stream *stream;
	struct qd_buffer *src, *dst;
	struct qd_error e;
};

static bool
rig_open(struct rig *r, struct unit_ctx *t, const char *selector)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	uint32_t src[N];

	*r = (struct rig){ .t = t };
	for (uint32_t i = 0; i < N; i++)
		src[i] = i + 1;
	qd_status st = qd_context_create(&desc, &r->ctx, &r->e);
	st = st ? st : qd_device_open(r->ctx, selector, &r->dev, &r->e);
	st = st ? st : qd_stream_create(r->dev, &r->stream, &r->e);
	st = st ? st : qd_buffer_create(r->dev, sizeof src, 0, &r->src, &r->e);
	st = st ? st : qd_buffer_create(r->dev, sizeof src, 0, &r->dst, &r->e);
	st = st ? st : qd_buffer_upload(r->stream, r->src, 0, src, sizeof src, &r->e);
	UNIT_CHECK(t, !st, "%s: %s", selector, r->e.text);
	return !st;
}

static void
rig_close(struct rig *r)
{
	qd_buffer_free(r->dst);
	qd_buffer_free(r->src);
	qd_stream_free(r->stream);
	qd_device_close(r->dev);
	qd_context_free(r->ctx);
}

/* Runs kernel k(src: in u32[], dst: out u32[]) with this body, in one block. */
static qd_status
run(struct rig *r, const char *body, struct qd_buffer *src, uint32_t *dst)
{
	struct qd_module *m = NULL;
	struct qd_kernel *k = NULL;
	struct qd_function *fn = NULL;
	char text[1024];

	snprintf(text, sizeof text, "kernel k(src: in u32[], dst: out u32[]) %s", body);
	qd_status st = qd_module_parse(r->ctx, text, strlen(text), "t.qdk", &m, &r->e);
	st = st ? st : qd_module_kernel(m, "k", NULL, 0, &k, &r->e);
	st = st ? st : qd_function_get(r->dev, k, NULL, 0, &fn, &r->e);
	UNIT_CHECK(r->t, !st, "%s", r->e.text);
	struct qd_arg args[] = { qd_arg_buffer(src), qd_arg_buffer(r->dst) };
	st = st ? st : qd_launch(r->stream, fn, 1, args, 2, &r->e);
	st = st ? st : qd_buffer_download(r->stream, r->dst, 0, dst, N * 4, &r->e);
	qd_function_free(fn);
	qd_kernel_free(k);
	qd_module_free(m);
	return st;
}

/* -- Waiting ------------------------------------------------------------------------------ */

static const struct {
	const char *wait;
	bool right;
} waits[] = {
	{ "nvvm.cp_async_wait_all();", true },
	{ "nvvm.cp_async_commit_group(); nvvm.cp_async_wait_group(0);", true },
	{ "nvvm.cp_async_commit_group(); nvvm.cp_async_commit_group(); nvvm.cp_async_wait_group(1);", true },
	{ "", false },
	{ "nvvm.cp_async_commit_group();", false },
	{ "nvvm.cp_async_wait_group(0);", false }, /* the copy is in no group */
	{ "nvvm.cp_async_commit_group(); nvvm.cp_async_wait_group(1);", false },
	{ "if t % 2 == 0 { nvvm.cp_async_wait_all(); }", false },
};

/* Checks each wait. Without a sufficient one, targets with asynchronous copies leave wrong data,
 * and the interpreter reports a finding. Targets that copy by loads and stores have the data. */
static void
waited(struct unit_ctx *t)
{
	static const char *const devices[] = { "emu:sm_75", "emu:sm_80", "emu:sm_90", "ref:32", "ref:8" };

	for (size_t d = 0; d < sizeof devices / sizeof *devices; d++) {
		bool ref = strncmp(devices[d], "ref", 3) == 0, at_once = strcmp(devices[d], "emu:sm_75") == 0;
		struct rig r;

		for (size_t i = 0; i < sizeof waits / sizeof *waits && rig_open(&r, t, devices[d]); i++) {
			uint32_t dst[N] = { 0 }, n_wrong = 0;
			char body[512];

			snprintf(body, sizeof body,
				 "block(32) { shared s: u32[32]; let t = block.thread_idx();"
				 " nvvm.cp_async(s[t], src[t], 1); %s block.sync(); dst[t] = s[31 - t]; }",
				 waits[i].wait);
			qd_status st = run(&r, body, r.src, dst);
			bool right = waits[i].right;

			for (uint32_t j = 0; j < N; j++)
				n_wrong += dst[j] != N - j;
			if (ref)
				UNIT_CHECK(t, right ? !st : st == QD_E_FINDING && strstr(r.e.text, "] is not available yet: thread "),
					   "%s, '%s': %d: %s", devices[d], waits[i].wait, (int)st, st ? r.e.text : "");
			UNIT_CHECK(t, (n_wrong == 0) == (right || at_once), "%s, '%s': %u wrong", devices[d], waits[i].wait, n_wrong);
			rig_close(&r);
		}
	}
}

/* -- Slices -------------------------------------------------------------------------------- */

static void
slices(struct unit_ctx *t)
{
	static const char body[] = "block(4) { shared s: u32[16]; let t = block.thread_idx();"
				   " nvvm.cp_async(s[t * 4], src[t * 4], 4); nvvm.cp_async_wait_all();"
				   " for e in 0..4u { dst[t * 4 + e] = s[t * 4 + e]; } }";
	static const char *const devices[] = { "emu:sm_80", "emu:sm_70", "ref:4" };

	for (size_t d = 0; d < sizeof devices / sizeof *devices; d++) {
		struct rig r;

		for (size_t at = 0; at <= 16 && rig_open(&r, t, devices[d]); at += 4) {
			struct qd_buffer *slice = NULL;
			uint32_t dst[N] = { 0 };
			char says[96];

			UNIT_CHECK(t, !qd_buffer_slice(r.src, at, 64, &slice, &r.e), "%s", r.e.text);
			qd_status st = run(&r, body, slice, dst);
			snprintf(says, sizeof says, "the slice starts at byte %zu, which is not a multiple of the 16 bytes", at);
			if (at % 16)
				UNIT_CHECK(t, st == QD_E_INVALID && strstr(r.e.text, says), "%d: %s", (int)st, r.e.text);
			else
				UNIT_CHECK(t, !st && dst[0] == at / 4 + 1 && dst[15] == at / 4 + 16, "%s: %d: %s",
					   devices[d], (int)st, st ? r.e.text : "other values");
			qd_buffer_free(slice);
			rig_close(&r);
		}
	}
}

/* -- PTX text ------------------------------------------------------------------------------- */

static void
text_of(struct unit_ctx *t)
{
	static const char qdk[] = "kernel k(src: in u32[], dst: out u32[]) block(4) { shared odd: u32[3]; shared s: u32[16];"
				  " let t = block.thread_idx(); nvvm.cp_async(s[t * 4], src[t * 4], 4);"
				  " nvvm.cp_async(odd[0], src[t], 1); nvvm.cp_async_commit_group(); nvvm.cp_async_wait_group(2);"
				  " nvvm.cp_async_wait_all(); block.sync(); dst[t] = s[t] + odd[0]; }";
	static const struct {
		const char *target, *text;
		bool has;
	} rows[] = {
		{ "ptx:sm_80", ".version 7.0", true },
		{ "ptx:sm_80", "cp.async.cg.shared.global [", true },
		{ "ptx:sm_80", "], 16, ", true }, /* followed by the number of bytes that exist */
		{ "ptx:sm_80", "cp.async.ca.shared.global [s2], [", true },
		{ "ptx:sm_80", "cp.async.commit_group;", true },
		{ "ptx:sm_80", "cp.async.wait_group 2;", true },
		{ "ptx:sm_80", "cp.async.wait_all;", true },
		{ "ptx:sm_80", ".shared .align 16 .b8 s3[64]", true },
		{ "ptx:sm_80", ".shared .align 4 .b8 s2[12]", true },
		{ "ptx:sm_75", "cp.async", false },
		{ "ptx:sm_75", "align 16", false },
	};
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_context *ctx = NULL;
	struct qd_module *m = NULL;
	struct qd_kernel *k = NULL;
	struct qd_error e = { 0 };

	qd_status st = qd_context_create(&desc, &ctx, &e);
	st = st ? st : qd_module_parse(ctx, qdk, strlen(qdk), "t.qdk", &m, &e);
	st = st ? st : qd_module_kernel(m, "k", NULL, 0, &k, &e);
	UNIT_CHECK(t, !st, "%s", e.text);
	for (size_t i = 0; i < sizeof rows / sizeof *rows && !st; i++) {
		struct qd_image *image = NULL;
		size_t size = 0;
		char *text;

		UNIT_CHECK(t, !qd_compile(ctx, k, rows[i].target, NULL, 0, &image, &e), "%s", e.text);
		const void *code = image ? qd_image_data(image, &size) : NULL;
		if (code && (text = calloc(size + 1, 1))) {
			memcpy(text, code, size);
			UNIT_CHECK(t, (strstr(text, rows[i].text) != NULL) == rows[i].has, "%s, '%s': %s",
				   rows[i].target, rows[i].text, text);
			free(text);
		}
		qd_image_free(image);
	}
	qd_kernel_free(k);
	qd_module_free(m);
	qd_context_free(ctx);
}

/* -- Printed IR ------------------------------------------------------------------------------ */

/* Checks that printed IR reads back unchanged, and that invalid copies are rejected. */
static void
printed(struct unit_ctx *t)
{
	static const char whole[] = "kernel \"k\"\nblock 32 1 1\nparam \"a\" u32[]\nparam \"f\" f32[]\nparam \"h\" f16[]\n"
				    "param \"o\" out u32[]\nshared \"s\" u32 16\nshared \"q\" f16 16\n{\n"
				    "  %1 = const u32 0x0\n  %2 = place u32 \"s\" %1\n  %3 = load u32 \"a\" %1 _ _ !1\n%s}\n";
	static const struct {
		const char *line, *says;
	} rows[] = {
		{ "  nvvm.cp_async \"a\" %1 %2 _ _ !1\n", NULL },
		{ "  nvvm.cp_async \"a\" %1 %2 _ _ !4097\n  nvvm.cp_async_commit_group\n  nvvm.cp_async_wait_group 63\n"
		  "  nvvm.cp_async_wait_all\n", NULL },
		{ "  nvvm.cp_async \"a\" %1 %3 _ _ !1\n", "this handle is not a place of a shared array" },
		{ "  nvvm.cp_async \"a\" %1 %2 _ _ !6145\n", "one copy moves 4, 8 or 16 bytes, not 8 elements of 4 bytes" },
		{ "  nvvm.cp_async \"f\" %1 %2 _ _ !1\n", "'s' has elements of u32, 'f' of f32" },
		{ "  nvvm.cp_async \"s\" %1 %2 _ _\n", "this handle is not a buffer" },
		{ "  nvvm.cp_async \"o\" %1 %2 _ _ !1\n", "'o' is an out parameter and cannot be read" },
		{ "  %4 = place u32 \"q\" %1\n  nvvm.cp_async \"h\" %1 %4 _ _ !2049\n", "type f16 is not allowed for nvvm.cp_async" },
		{ "  nvvm.cp_async \"a\" %1 %2 _ %3 !1\n", "this handle is not a known operation" },
		{ "  nvvm.cp_async \"a\" %1 %2 _ _\n", "needs 'assume_in_bounds'" },
		{ "  %4 = place u32 \"a\" %1\n", "this handle is not a shared array" },
		{ "  %4 = add u32 %2 %1\n", "a value of a closed block" },
		{ "  nvvm.cp_async_wait_group 64\n", "the number of groups is 64; it must be 0 to 63" },
	};
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_context *ctx = NULL;
	struct qd_error e = { 0 };

	if (qd_context_create(&desc, &ctx, &e))
		return;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *at = strstr(whole, "%s");
		struct qd_kernel *k = NULL;
		char text[1024], again[1024] = "";
		size_t len = 0;

		snprintf(text, sizeof text, "%.*s%s%s", (int)(at - whole), whole, rows[i].line, at + 2);
		qd_status st = qd_kernel_read(ctx, text, strlen(text), "t.ir", &k, &e);
		if (!st)
			qd_kernel_print(k, again, sizeof again, &len, &e);
		if (rows[i].says)
			UNIT_CHECK(t, st && strstr(e.text, rows[i].says), "%s: %s", rows[i].line, st ? e.text : "it is taken");
		else
			UNIT_CHECK(t, !st && strcmp(text, again) == 0, "%s: %s%s", rows[i].line, st ? e.text : "", again);
		qd_kernel_free(k);
	}
	qd_context_free(ctx);
}

const struct unit units_copy[] = {
	{ "copy.printed", printed },
	{ "copy.waited", waited },
	{ "copy.slices", slices },
	{ "copy.text_of", text_of },
};
const unsigned n_units_copy = sizeof units_copy / sizeof units_copy[0];
