/* Limits of a context (struct qd_limits). Values at a limit are accepted. Larger values are refused
 * with an error that names limit, value and field, and leak no memory. */
#include <stdio.h>
#include <stdlib.h>

#include "qd.h"
#include "unit.h"

struct rig {
	struct unit_ctx *t;
	struct unit_alloc mem;
	struct qd_context *ctx;
	struct qd_error e;
};

static bool
rig_open(struct rig *r, struct unit_ctx *t, struct qd_limits limits)
{
	struct qd_context_desc desc = { .version = QD_VERSION, .limits = limits };

	memset(r, 0, sizeof *r);
	r->t = t;
	unit_alloc_init(&r->mem);
	desc.allocator = unit_alloc_hooks(&r->mem);
	if (qd_context_create(&desc, &r->ctx, &r->e) == QD_OK)
		return true;
	UNIT_CHECK(t, false, "%s", r->e.text);
	return false;
}

static void
rig_close(struct rig *r)
{
	qd_context_free(r->ctx);
	UNIT_CHECK(r->t, r->mem.n_out == 0, "%zu blocks leak", r->mem.n_out);
	unit_alloc_fini(&r->mem);
}

static qd_status
parse(struct rig *r, const char *text)
{
	struct qd_module *m = NULL;
	struct qd_kernel *k = NULL;
	qd_status st = qd_module_parse(r->ctx, text, strlen(text), "t.qdk", &m, &r->e);

	if (st == QD_OK)
		st = qd_module_kernel(m, "k", NULL, 0, &k, &r->e);
	qd_kernel_free(k);
	qd_module_free(m);
	return st;
}

struct row {
	const char *name;
	struct qd_limits limits;
	const char *good, *bad; /* at the limit, and beyond it */
	const char *want;
};

static const struct row rows[] = {
	{ "max_text", { .max_text = 16 }, "kernel k() { }  ", "kernel k() { }   ",
	  "the text has 17 bytes, the limit is 16 (limits.max_text of the context) [E0111]" },
	{ "max_depth", { .max_depth = 5 },
	  "kernel k(a: u32[]) block(1) { a[0] = ((1)); }",
	  "kernel k(a: u32[]) block(1) { a[0] = (((((1))))); }",
	  "nested deeper than 5 (limits.max_depth of the context) [E0112]" },
	{ "max_kernels", { .max_kernels = 2 }, "kernel k() { } kernel l() { }",
	  "kernel k() { } kernel l() { } kernel m() { }",
	  "the text has 3 kernels and instantiations, the limit is 2 (limits.max_kernels of the "
	  "context) [E0144]" },
	{ "max_kernels: instantiations", { .max_kernels = 2 },
	  "kernel t<static L in 1..=4>() { } instantiate t<2> as k;",
	  "kernel t<static L in 1..=4>() { } instantiate t<2> as k; instantiate t<3> as l;",
	  "the text has 3 kernels and instantiations, the limit is 2 (limits.max_kernels " },
	{ "max_instructions", { .max_instructions = 20 },
	  "kernel k(a: u32[]) block(1) { a[0] = 1; }",
	  "kernel k(a: u32[]) block(1) { unroll for i in 0..20 { a[u32(i)] = a[0] + u32(i); } }",
	  "more than 20 instructions (limits.max_instructions of the context) [E0332]" },
	{ "max_shared", { .max_shared = 256 },
	  "kernel k() block(1) { shared s: u32[32]; shared t: u8[128]; }",
	  "kernel k() block(1) { shared s: u32[32]; shared t: u8[129]; }",
	  "the kernel's shared arrays have 257 bytes, the limit is 256 (limits.max_shared of the "
	  "context) [E0380]" },
};

static void
rows_of_text(struct unit_ctx *t)
{
	struct rig free_rig, r;

	if (!rig_open(&free_rig, t, (struct qd_limits){ 0 }))
		return;
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		const struct row *row = &rows[i];
		qd_status st;

		if (!rig_open(&r, t, row->limits))
			return;
		UNIT_CHECK(t, parse(&r, row->good) == QD_OK, "%s: %s", row->name, r.e.text);
		st = parse(&r, row->bad);
		UNIT_CHECK(t, st == QD_E_LIMIT && strstr(r.e.text, row->want), "%s: %s", row->name,
			   st ? r.e.text : "it is taken");
		UNIT_CHECK(t, parse(&r, row->good) == QD_OK, "%s: %s", row->name, r.e.text);
		rig_close(&r);
		UNIT_CHECK(t, parse(&free_rig, row->bad) == QD_OK, "%s: %s", row->name,
			   free_rig.e.text);
	}
	rig_close(&free_rig);
}

/* Checks the limits for IR in its text form, which files contain too. */
static void
rows_of_ir(struct unit_ctx *t)
{
	static const char text[] = "kernel k(a: u32[]) block(8) { shared s: u32[64];\n"
				   "	s[block.thread_idx()] = 1; block.sync(); a[block.idx] = s[0]; }";
	char ir[4096];
	struct qd_module *m = NULL;
	struct qd_kernel *k = NULL;
	struct rig r, tight;
	size_t len = 0;

	if (!rig_open(&r, t, (struct qd_limits){ 0 }))
		return;
	UNIT_CHECK(t,
		   !qd_module_parse(r.ctx, text, sizeof text - 1, "t.qdk", &m, &r.e) &&
			   !qd_module_kernel(m, "k", NULL, 0, &k, &r.e) &&
			   !qd_kernel_print(k, ir, sizeof ir, &len, &r.e),
		   "%s", r.e.text);
	qd_kernel_free(k);
	qd_module_free(m);
	rig_close(&r);
	for (unsigned i = 0; i < 3; i++) {
		static const char *const want[] = { "more than 4 instructions (limits.max_instructions ",
						    "256 bytes, the limit is 255 (limits.max_shared ",
						    "it needs more than 2000 bytes of memory, the limit of a parse or compile (limits.max_memory " };
		struct qd_limits limits = { .max_instructions = i == 0 ? 4 : 0,
					    .max_shared = i == 1 ? 255 : 0,
					    .max_memory = i == 2 ? 2000 : 0 };

		if (!rig_open(&tight, t, limits))
			return;
		k = NULL;
		UNIT_CHECK(t, qd_kernel_read(tight.ctx, ir, len, "t.qdir", &k, &tight.e) == QD_E_LIMIT &&
				      strstr(tight.e.text, want[i]),
			   "%s", k ? "it is taken" : tight.e.text);
		qd_kernel_free(k);
		rig_close(&tight);
	}
}

/* Parses the text and compiles it to an image. */
static qd_status
build(struct rig *r, const char *text, const char *target)
{
	struct qd_module *m = NULL;
	struct qd_kernel *k = NULL;
	struct qd_image *image = NULL;
	qd_status st = qd_module_parse(r->ctx, text, strlen(text), "t.qdk", &m, &r->e);

	if (st == QD_OK)
		st = qd_module_kernel(m, "k", NULL, 0, &k, &r->e);
	if (st == QD_OK)
		st = qd_compile(r->ctx, k, target, NULL, 0, &image, &r->e);
	qd_image_free(image);
	qd_kernel_free(k);
	qd_module_free(m);
	return st;
}

/* Checks that each step fails with the limit error, not as out of memory, if the limit is too low.
 * If it is high enough, every step succeeds. */
static void
memory(struct unit_ctx *t)
{
	static const char text[] =
		"kernel k(a: f32[], o: f32[]) block(256) {\n"
		"	let i = block.global_thread_idx();\n"
		"	let v = block.reduce_add(a[i]);\n"
		"	unroll for j in 0..200u { o[i + j] = v * f32(j) + a[i + j]; } }";
	static const char *const targets[] = { "ref:w8", "ptx:sm_90", "spirv", "gfx1100" };

	for (size_t i = 0; i < QD_COUNT(targets); i++) {
		uint64_t least = 0;
		uint32_t n_parse = 0, n_compile = 0;

		for (uint64_t most = 256; most <= 64 << 20 && !least; most += most / 4) {
			struct rig r;

			if (!rig_open(&r, t, (struct qd_limits){ .max_memory = most }))
				return;
			qd_status st = build(&r, text, targets[i]);
			char want[128];
			snprintf(want, sizeof want,
				 ": it needs more than %llu bytes of memory, the limit of a parse or "
				 "compile (limits.max_memory of the context)",
				 (unsigned long long)most);
			if (st == QD_OK)
				least = most;
			UNIT_CHECK(t, st == QD_OK || (st == QD_E_LIMIT && strstr(r.e.text, want)),
				   "%s, %llu bytes: %s: %s", targets[i], (unsigned long long)most,
				   qd_status_name(st), r.e.text);
			n_parse += st != QD_OK && !strncmp(r.e.text, "t.qdk", 5);
			n_compile += st != QD_OK && !strncmp(r.e.text, "k:", 2);
			/* The context must still be usable. */
			if (st != QD_OK && most > 100000)
				UNIT_CHECK(t, parse(&r, "kernel k() { }") == QD_OK, "%s", r.e.text);
			rig_close(&r);
		}
		UNIT_CHECK(t, least && n_parse > 10 && (n_compile || !i), "%s: %llu bytes, %u, %u", targets[i],
			   (unsigned long long)least, n_parse, n_compile);
	}
}

static void
refused(struct unit_ctx *t)
{
	static const struct {
		struct qd_limits limits;
		const char *want;
	} bad[] = {
		{ { .max_text = (1 << 20) + 1 }, "limits.max_text is 1048577; the maximum is 1048576" },
		{ { .max_depth = 65 }, "limits.max_depth is 65; the maximum is 64" },
		{ { .max_instructions = (1 << 22) + 1 },
		  "limits.max_instructions is 4194305; the maximum is 4194304" },
	};

	for (size_t i = 0; i < QD_COUNT(bad); i++) {
		struct qd_context_desc desc = { .version = QD_VERSION, .limits = bad[i].limits };
		struct qd_context *ctx = NULL;
		struct qd_error e;

		UNIT_CHECK(t, qd_context_create(&desc, &ctx, &e) == QD_E_INVALID &&
				      strstr(e.text, bad[i].want),
			   "%s", ctx ? "it is taken" : e.text);
		qd_context_free(ctx);
	}
}

const struct unit units_limits[] = {
	{ "limits.text", rows_of_text },
	{ "limits.ir", rows_of_ir },
	{ "limits.memory", memory },
	{ "limits.refused", refused },
};
const size_t n_units_limits = QD_COUNT(units_limits);
