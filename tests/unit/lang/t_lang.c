/* The reader of .qdk text: the contents of modules, accepted programs, and robustness against any
 * text. Other tests: diag_lang.c for messages, t_lang_limit.c for limits, lang_run.c for the
 * results of kernels. */
#include <stdio.h>
#include <stdlib.h>

#include "lang.h"
#include "lang_run.h"
#include "lang_text.h"

/* -- Contexts ------------------------------------------------------------------------- */

struct heard {
	unsigned n_errors, n_warnings;
	size_t len;
	char text[1 << 14];
};

static void
listen(void *user, qd_log_level level, const char *component, const char *msg, size_t len)
{
	struct heard *h = user;

	(void)component;
	h->n_errors += level == QD_LOG_ERROR;
	h->n_warnings += level == QD_LOG_WARNING;
	if (h->len + len + 2 < sizeof h->text)
		h->len += (size_t)snprintf(h->text + h->len, sizeof h->text - h->len, "%s\n", msg);
}

struct rig {
	struct qd_context *ctx;
	struct heard heard;
	struct unit_alloc mem;
	struct qd_error err;
};

static bool
open_rig(struct unit_ctx *t, struct rig *r)
{
	memset(r, 0, sizeof *r);
	unit_alloc_init(&r->mem);
	struct qd_context_desc desc = { .version = QD_VERSION,
					.log = listen,
					.log_user = &r->heard,
					.allocator = unit_alloc_hooks(&r->mem) };
	qd_status st = qd_context_create(&desc, &r->ctx, &r->err);

	UNIT_CHECK(t, st == QD_OK, "%s", r->err.text);
	return st == QD_OK;
}

static void
close_rig(struct unit_ctx *t, struct rig *r)
{
	qd_context_free(r->ctx);
	UNIT_CHECK(t, r->mem.n_out == 0 && !r->mem.wrong_size, "%zu blocks are lost", r->mem.n_out);
	unit_alloc_fini(&r->mem);
}

static struct qd_module *
parse(struct unit_ctx *t, struct rig *r, const char *text)
{
	struct qd_module *m = NULL;
	qd_status st = qd_module_parse(r->ctx, text, strlen(text), "t.qdk", &m, &r->err);

	UNIT_CHECK(t, st == QD_OK, "%s", r->err.text);
	return m;
}

/* -- Listings ----------------------------------------------------------------------------- */

static const char listings[] =
	"qdk 2;\n"
	"kernel broadcast(a: f32[]) block(64) {\n"
	"  for i in grid(a.len) { a[i] = subgroup.shuffle(a[i], 0); }\n"
	"}\n"
	"kernel count_positive(a: in f32[], counts: out u32[]) block(32) subgroup(32, 64) {\n"
	"  for i in grid(a.len) {\n"
	"    let mask = subgroup.ballot_first_n(a[i] > 0.0, 32);\n"
	"    if subgroup.invocation_id() == 0 { counts[i / 32] = mask; }\n"
	"  }\n"
	"}\n"
	"kernel identity(src: in f32[], dst: out f32[]) block(64) {\n"
	"  for i in grid(src.len) { dst[i] = subgroup.shuffle(src[i], subgroup.invocation_id()); "
	"}\n"
	"}\n"
	"kernel swap_pairs(src: in f32[], dst: out f32[]) block(64) {\n"
	"  for i in grid(src.len) {\n"
	"    let lane = subgroup.invocation_id();\n"
	"    dst[i] = subgroup.shuffle(src[i], lane ^ 1);\n"
	"  }\n"
	"}\n"
	"kernel reverse4(src: in f32[], dst: out f32[]) block(64) {\n"
	"  for i in grid(src.len) {\n"
	"    let lane = subgroup.invocation_id();\n"
	"    let base = lane / 4 * 4;\n"
	"    dst[i] = subgroup.shuffle(src[i], base + 3 - lane % 4);\n"
	"  }\n"
	"}\n"
	"kernel reduce4(src: in f32[], dst: out f32[]) block(64) {\n"
	"  for i in grid(src.len) {\n"
	"    var v = src[i];\n"
	"    v += subgroup.shuffle_down(v, 2);\n"
	"    v += subgroup.shuffle_down(v, 1);\n"
	"    dst[i] = v;   // only each fourth lane means something\n"
	"  }\n"
	"}\n"
	"kernel sum32(src: in f32[], dst: out f32[]) block(32) {\n"
	"  for i in grid(src.len) {\n"
	"    let total = subgroup.reduce_add_tiled(src[i], 5);\n"
	"    if subgroup.invocation_id() == 0 { dst[i / 32] = total; }\n"
	"  }\n"
	"}\n"
	"kernel normalize32(a: f32[]) block(32) {\n"
	"  for i in grid(a.len) { a[i] = a[i] / subgroup.reduce_all_add_tiled(a[i], 5); }\n"
	"}\n"
	"kernel cumsum(a: i32[]) block(32) {\n"
	"  for i in grid(a.len) { a[i] = subgroup.inclusive_add_tiled(a[i], 5); }\n"
	"}\n"
	"kernel tile_min<T in {i32, u32, f32}, static L in 0..=6> (src: in T[], dst: out T[]) "
	"block(256) {\n"
	"  for i in grid(src.len) {\n"
	"    let m = subgroup.reduce_all_min_tiled(src[i] else T.max, L);\n"
	"    if subgroup.tile_lane(L) == 0 { dst[i >> L] = m; }\n"
	"  }\n"
	"}\n"
	"instantiate tile_min<f32, 5> as tile_min_f32_32;\n";

static void
listings_build(struct unit_ctx *t)
{
	struct rig r;
	struct qd_module *m;

	if (!open_rig(t, &r))
		return;
	m = parse(t, &r, listings);
	UNIT_CHECK(t, qd_module_kernel_count(m) == 11, "%u kernels", qd_module_kernel_count(m));
	for (uint32_t i = 0; i < qd_module_kernel_count(m); i++) {
		const char *name = qd_module_kernel_name(m, i);
		struct qd_tmpl type = { .name = "T", .type = QD_TYPE_U32 };
		struct qd_kernel *k = NULL, *back = NULL;
		char text[4096], again[4096];
		size_t len;
		qd_status st = qd_module_kernel(m, name, &type, qd_module_tmpl_count(m, i) / 2, &k,
						&r.err);

		UNIT_CHECK(t, !st, "%s: %s", name, r.err.text);
		if (st)
			continue;
		UNIT_CHECK(t, strcmp(qd_kernel_name(k), name) == 0, "%s", qd_kernel_name(k));
		/* The IR prints and reads back unchanged. */
		qd_kernel_print(k, text, sizeof text, &len, NULL);
		st = qd_kernel_read(r.ctx, text, strlen(text), "t.ir", &back, &r.err);
		UNIT_CHECK(t, !st, "%s: %s", name, r.err.text);
		if (!st) {
			qd_kernel_print(back, again, sizeof again, &len, NULL);
			UNIT_CHECK(t, strcmp(text, again) == 0, "%s:\n%s\n%s", name, text, again);
		}
		qd_kernel_free(back);
		qd_kernel_free(k);
	}
	UNIT_CHECK(t, !r.heard.n_errors && !r.heard.n_warnings, "%s", r.heard.text);
	qd_module_free(m);
	close_rig(t, &r);
}

/* -- The interface --------------------------------------------------------------------------- */

static void
templates(struct unit_ctx *t)
{
	static const char text[] =
		"kernel a<T in {f32, u8}, static L in -1..=6, static S in {8, 2, 4}>(x: T[]) {\n"
		"  static if L > 2 { x[S] = 1; }\n"
		"}\n"
		"instantiate a<f32, 3, 2> as b;\n"
		"kernel c<static K in 0..=5>(x: f32[]) block(64 + 0 * K) {\n"
		"  x[0] = subgroup.reduce_add_tiled(x[0], K);\n"
		"}\n"
		"kernel d<static K in 0..=5>(x: f32[]) {\n"
		"  x[0] = subgroup.reduce_add_tiled(x[0], K);\n"
		"}\n"
		"kernel e<static K in 0..=5>(x: f32[]) {\n"
		"  x[0] = subgroup.reduce_add_tiled(x[0], (K + 3) / 2);\n"
		"}\n";
	const struct qd_tmpl all[] = { { .name = "S", .value = 4 },
				       { .name = "L", .value = 5 },
				       { .name = "T", .type = QD_TYPE_U8 } };
	const struct qd_tmpl five[] = { { .name = "K", .value = 5 } };
	struct qd_tmpl_info info;
	struct qd_image *image;
	struct qd_kernel *k, *open = NULL;
	qd_status st;
	struct qd_module *m;
	struct rig r;

	if (!open_rig(t, &r) || !(m = parse(t, &r, text)))
		return;
	UNIT_CHECK(t,
		   qd_module_tmpl_count(m, 0) == 3 && qd_module_tmpl_count(m, 1) == 1 &&
			   qd_module_tmpl_count(m, 4) == 0,
		   "%u %u %u", qd_module_tmpl_count(m, 0), qd_module_tmpl_count(m, 1),
		   qd_module_tmpl_count(m, 4));
	UNIT_CHECK(t, strcmp(qd_module_kernel_name(m, 4), "b") == 0, "%s",
		   qd_module_kernel_name(m, 4));
	UNIT_CHECK(t,
		   qd_module_tmpl(m, 0, 0, &info, NULL) == QD_OK && info.is_type &&
			   strcmp(info.name, "T") == 0 &&
			   info.type_mask == (1u << QD_TYPE_F32 | 1u << QD_TYPE_U8),
		   "T");
	UNIT_CHECK(t,
		   qd_module_tmpl(m, 0, 1, &info, NULL) == QD_OK && !info.is_type &&
			   info.lo == -1 && info.hi == 6,
		   "L");
	UNIT_CHECK(t, qd_module_tmpl(m, 0, 2, &info, NULL) == QD_OK && info.lo == 2 && info.hi == 8,
		   "S");
	UNIT_CHECK(t, qd_module_tmpl(m, 0, 3, &info, NULL) == QD_E_INVALID, "one too many");
	UNIT_CHECK(t, qd_module_tmpl(m, 9, 0, &info, NULL) == QD_E_INVALID, "no such kernel");

	UNIT_CHECK(t, !qd_module_kernel(m, "a", all, 3, &k, &r.err), "%s", r.err.text);
	UNIT_CHECK(t, k->n_tmpls == 0 && k->params[0].type == QD_TYPE_U8, "%u", k->n_tmpls);
	qd_kernel_free(k);
	UNIT_CHECK(t, qd_module_kernel(m, "a", all, 2, &k, &r.err) == QD_E_TEMPLATE && !k, "no T");
	UNIT_CHECK(t, qd_module_kernel(m, "c", NULL, 0, &k, &r.err) == QD_E_TEMPLATE, "no K");
	UNIT_CHECK(t, qd_module_kernel(m, "b", five, 1, &k, &r.err) == QD_E_TEMPLATE, "b has none");
	UNIT_CHECK(t, qd_module_kernel(m, "b", all, 1, &k, &r.err) == QD_E_TEMPLATE, "S is 2");
	UNIT_CHECK(t, strstr(r.err.text, "template parameter 'S' is given twice"), "%s",
		   r.err.text);
	UNIT_CHECK(t, !qd_module_kernel(m, "c", five, 1, &k, &r.err) && k->n_tmpls == 0, "%s",
		   r.err.text);
	qd_kernel_free(k);
	/* A template that no shape depends on may be left open, or chosen here. */
	UNIT_CHECK(t, !qd_module_kernel(m, "d", NULL, 0, &k, &r.err) && k->n_tmpls == 1, "%s",
		   r.err.text);
	qd_kernel_free(k);
	UNIT_CHECK(t, !qd_module_kernel(m, "d", five, 1, &k, &r.err) && k->n_tmpls == 0, "%s",
		   r.err.text);
	UNIT_CHECK(t, !qd_compile(r.ctx, k, "spirv:w32", NULL, 0, &image, &r.err), "%s",
		   r.err.text);
	qd_image_free(image);
	st = qd_compile(r.ctx, k, "spirv:w32", five, 1, &image, &r.err);
	UNIT_CHECK(t,
		   st == QD_E_TEMPLATE &&
			   strcmp(r.err.text,
				  "kernel 'd': template parameter 'K' is given twice [E0206]") == 0,
		   "%s", r.err.text);
	UNIT_CHECK(t, qd_module_kernel(m, "e", NULL, 0, NULL, &r.err) == QD_E_INVALID, "no out");
	/* Values computed from an open template may be open too. */
	UNIT_CHECK(t, !qd_module_kernel(m, "e", NULL, 0, &open, &r.err) && open->n_tmpls == 1, "%s",
		   r.err.text);
	UNIT_CHECK(t, !qd_compile(r.ctx, open, "spirv:w16", five, 1, &image, &r.err), "%s",
		   r.err.text);
	qd_image_free(image);
	UNIT_CHECK(t, qd_compile(r.ctx, open, "spirv:w8", five, 1, &image, &r.err) == QD_E_TEMPLATE,
		   "16 of 8 lanes");
	qd_kernel_free(open);
	/* The kernel outlives its module. */
	qd_module_free(m);
	UNIT_CHECK(t, strcmp(k->file, "t.qdk") == 0 && strstr(k->source->text, "kernel d"), "%s",
		   k->file);
	qd_kernel_free(k);
	close_rig(t, &r);
}

/* Checks templates beside operands of other types: the code for a value that qd_compile receives is
 * that for a value chosen before, and a negative one beside an unsigned operand is an error. */
static void
adapting(struct unit_ctx *t)
{
	static const char text[] =
		"kernel k<static L in -3..=6>(a: u32[], f: f32[], n: i64[]) block(64) {\n"
		"  for i in grid(a.len) {\n"
		"    a[i] = i * (L - 1) + L;\n"
		"    f[i] = f[i] * L + L * 0.5;\n"
		"    n[i] = max(n[i], L) >> L;\n"
		"  }\n"
		"}\n";
	const struct qd_tmpl three = { .name = "L", .value = 3 }, zero = { .name = "L", .value = 0 };
	struct qd_kernel *chosen = NULL, *open = NULL;
	struct qd_image *a = NULL, *b = NULL;
	struct qd_module *m;
	struct rig r;

	if (!open_rig(t, &r))
		return;
	m = parse(t, &r, text);
	UNIT_CHECK(t, !qd_module_kernel(m, "k", &three, 1, &chosen, &r.err), "%s", r.err.text);
	UNIT_CHECK(t, !qd_module_kernel(m, "k", NULL, 0, &open, &r.err) && open->n_tmpls == 1, "%s", r.err.text);
	UNIT_CHECK(t, !qd_compile(r.ctx, chosen, "gfx1100", NULL, 0, &a, &r.err), "%s", r.err.text);
	UNIT_CHECK(t, !qd_compile(r.ctx, open, "gfx1100", &three, 1, &b, &r.err), "%s", r.err.text);
	if (a && b) {
		size_t n_a = 0, n_b = 0;
		const void *code_a = qd_image_data(a, &n_a), *code_b = qd_image_data(b, &n_b);

		UNIT_CHECK(t, n_a == n_b && memcmp(code_a, code_b, n_a) == 0, "%zu and %zu bytes", n_a, n_b);
	}
	qd_image_free(b);
	qd_image_free(a);
	UNIT_CHECK(t, qd_compile(r.ctx, open, "gfx1100", &zero, 1, &b, &r.err) == QD_E_TEMPLATE &&
			      strstr(r.err.text, "requirement not met: a template value beside an unsigned operand is not negative [E0214]"),
		   "%s", r.err.text);
	qd_kernel_free(open);
	qd_kernel_free(chosen);
	qd_module_free(m);
	close_rig(t, &r);
}

/* Checks a template with a set of values that no shape depends on: the value may be given late, and
 * messages list the set. */
static void
late_set(struct unit_ctx *t)
{
	static const char text[] =
		"kernel k<static W in {1, 4, 8}>(a: u32[]) block(64) { for i in grid(a.len) { a[i] = i * W; } }\n";
	static const struct {
		uint32_t n;
		int64_t value;
		const char *message; /* "": none */
	} rows[] = {
		{ 1, 4, "" },
		{ 1, 2, "requirement not met: W is one of 1, 4, 8 [E0214]" },
		{ 1, 9, "W = 9 is not one of its choices: 1, 4, 8 [E0222]" },
		{ 0, 0, "template parameter 'W' has no value; it takes 1, 4, 8 [E0201]" },
	};
	struct qd_kernel *k = NULL;
	struct qd_module *m;
	struct rig r;

	if (!open_rig(t, &r))
		return;
	m = parse(t, &r, text);
	UNIT_CHECK(t, !qd_module_kernel(m, "k", NULL, 0, &k, &r.err) && k->n_tmpls == 1, "%s", r.err.text);
	for (uint32_t i = 0; i < QD_COUNT(rows) && k; i++) {
		struct qd_tmpl w = { .name = "W", .value = rows[i].value };
		struct qd_image *image = NULL;
		qd_status st = qd_compile(r.ctx, k, "spirv:w32", &w, rows[i].n, &image, &r.err);

		UNIT_CHECK(t, *rows[i].message ? st == QD_E_TEMPLATE && strstr(r.err.text, rows[i].message) : !st, "row %u: %s", i, r.err.text);
		qd_image_free(image);
	}
	qd_kernel_free(k);
	qd_module_free(m);
	close_rig(t, &r);
}

static void
arguments(struct unit_ctx *t)
{
	struct qd_module *m = NULL;
	struct qd_kernel *k;
	struct rig r;

	if (!open_rig(t, &r))
		return;
	UNIT_CHECK(t, qd_module_parse(NULL, "", 0, "t", &m, &r.err) == QD_E_INVALID, "ctx");
	UNIT_CHECK(t, qd_module_parse(r.ctx, "", 0, "t", NULL, &r.err) == QD_E_INVALID, "out");
	UNIT_CHECK(t, qd_module_parse(r.ctx, NULL, 1, "t", &m, &r.err) == QD_E_INVALID, "text");
	UNIT_CHECK(t, !qd_module_parse(r.ctx, NULL, 0, NULL, &m, &r.err), "%s", r.err.text);
	UNIT_CHECK(t, qd_module_kernel_count(m) == 0, "an empty text has kernels");
	UNIT_CHECK(t, strcmp(qd_module_kernel_name(m, 0), "") == 0, "name");
	qd_module_free(m);
	qd_module_free(NULL);
	m = parse(t, &r, "kernel reduce() { }");
	UNIT_CHECK(t, qd_module_kernel(m, "reduse", NULL, 0, &k, &r.err) == QD_E_NOT_FOUND,
		   "found");
	UNIT_CHECK(t,
		   strcmp(r.err.text, "t.qdk has no kernel 'reduse'; did you mean 'reduce'?") == 0,
		   "%s", r.err.text);
	qd_module_free(m);
	close_rig(t, &r);
}

/* Checks a text with several errors: the call returns the first, and the log contains all. */
static void
several_errors(struct unit_ctx *t)
{
	static const char text[] = "kernel a(x: f32[]) {\n"
				   "  let y = 1 +;\n"
				   "  if y > { x[0] = 1; }\n"
				   "  x[1] = y) + 2;\n"
				   "}\n"
				   "kernel b(x f32[]) { }\n"
				   "fn c() { return 1 }\n";
	static const char *const want[] = { "2:14", "3:10", "4:11", "6:12", "7:19" };
	struct qd_module *m;
	char start[16384] = "";
	struct rig r;
	const char *p;

	if (!open_rig(t, &r))
		return;
	UNIT_CHECK(t,
		   qd_module_parse(r.ctx, text, strlen(text), "t.qdk", &m, &r.err) == QD_E_SYNTAX,
		   "%s", r.err.text);
	UNIT_CHECK(t, r.err.line == 2 && r.err.col == 14, "%u:%u", r.err.line, r.err.col);
	UNIT_CHECK(t, strstr(r.err.text, "\n... and 4 more, see the log (QD_LOG=error)"), "%s", r.err.text);
	UNIT_CHECK(t, strcmp(qd_last_error()->text, r.err.text) == 0, "%s", qd_last_error()->text);
	p = r.heard.text;
	for (size_t i = 0; i < QD_COUNT(want); i++) {
		snprintf(start, sizeof start, "t.qdk:%s: error: ", want[i]);
		p = strstr(p, start);
		UNIT_CHECK(t, p, "no error at %s:\n%s", want[i], r.heard.text);
		p = p ? p : r.heard.text;
	}
	UNIT_CHECK(t, r.heard.n_errors == 5, "%u", r.heard.n_errors);
	/* At most twenty errors are reported. */
	for (int i = 0; i < 60; i++)
		strcat(start, "$ ");
	r.heard.n_errors = 0;
	UNIT_CHECK(t, qd_module_parse(r.ctx, start + 30, 90, "t", &m, &r.err), "accepted");
	UNIT_CHECK(t, r.heard.n_errors == MAX_ERRORS + 1, "%u", r.heard.n_errors);
	close_rig(t, &r);
}

/* -- Memory ----------------------------------------------------------------------------------- */

/* Checks that reading again, once warm, allocates no memory. */
static void
warm(struct unit_ctx *t)
{
	const struct qd_tmpl f32 = { .name = "T", .type = QD_TYPE_F32 };
	size_t calls = 0;
	struct rig r;

	if (!open_rig(t, &r))
		return;
	for (int round = 0; round < 3; round++) {
		struct qd_module *m = parse(t, &r, listings);
		struct qd_kernel *k = NULL;

		UNIT_CHECK(t, !qd_module_kernel(m, "tile_min", &f32, 1, &k, &r.err), "%s",
			   r.err.text);
		qd_kernel_free(k);
		qd_module_free(m);
		UNIT_CHECK(t, round < 2 || r.mem.n_calls == calls, "%zu allocations",
			   r.mem.n_calls - calls);
		calls = r.mem.n_calls;
	}
	close_rig(t, &r);
}

static void
out_of_memory(struct unit_ctx *t)
{
	for (size_t at = 1;; at++) {
		struct qd_module *m = NULL;
		struct qd_kernel *k = NULL;
		struct rig r;
		qd_status st;

		if (!open_rig(t, &r))
			return;
		r.mem.fail_at = r.mem.n_calls + at;
		r.mem.fail_on = true;
		st = qd_module_parse(r.ctx, listings, sizeof listings - 1, "t", &m, &r.err);
		if (!st)
			st = qd_module_kernel(m, "sum32", NULL, 0, &k, &r.err);
		qd_kernel_free(k);
		qd_module_free(m);
		UNIT_CHECK(t, !st || st == QD_E_NOMEM, "at %zu: %s", at, r.err.text);
		close_rig(t, &r);
		if (!st)
			break;
	}
}

/* -- Random texts ----------------------------------------------------------------------------- */

/* clang-format off */
static const char *const scraps[] = {
	"kernel", "fn", "const", "instantiate", "let", "var", "if", "else", "while", "for", "in", "grid",
	"unroll", "static", "break", "continue", "return", "block", "subgroup", "requires", "as", "op",
	"f32", "i32", "u64", "bool", "T", "x", "y", "a", "k", "i", "f", "0", "1", "2u", "3l", "4ul", "1.5",
	"1e9", "0x1f", "inf", "nan", "true", "2.5d", "(", ")", "{", "}", "[", "]", "<", ">", ",", ";", ":",
	".", "..", "..=", "->", "=", "==", "!=", "+", "-", "*", "/", "%", "&", "&&", "|", "||", "^", "~",
	"!", "<<", ">>", "+=", "<<=", "subgroup.shuffle", "subgroup.reduce", "a.len", "a[i]", "f(x)",
	"max(x, y)", "T.max", "u32(x)", "select(x, y, 1)", "reduce_add_tiled", "thread_idx", "step",
	"bitcast<u32>(x)", "return x;", "let x = 1;", "var y = 2;", "a[i] = x;", "break;", "\"why\"",
	"assume_uniform", "/*", "*/", "//\n", "\n", "\xc3\xa9", "$", "\"", "0..4", "0..=4", "inf", "in",
	"out", "fn f(x: i32) -> i32 { return x; }", "kernel k(a: i32[], x: i32) {", "}", "}", ";", ";",
	"for i in grid(a.len) {", "unroll for i in 0..3 {", "if x > 1 {", "static if L > 1 {", "continue;",
	"while x < y {", "<T in {f32, i32}, static L in 0..=3>", "op = f", "L"
};
/* clang-format on */

static void
put_random(struct text *x, struct unit_rng *rng)
{
	put(x, scraps[unit_random(rng) % QD_COUNT(scraps)]);
	put(x, unit_random(rng) % 8 ? " " : "");
}

/* Appends the listings with pieces removed, duplicated and replaced. */
static void
mutate(struct text *x, struct unit_rng *rng)
{
	size_t len = sizeof listings - 1, at = 0;

	while (at < len) {
		char piece[64];
		size_t n = 1 + unit_random(rng) % 63;

		if (n > len - at)
			n = len - at;
		memcpy(piece, listings + at, n);
		piece[n] = '\0';
		switch (unit_random(rng) % 24) {
		case 0: break;
		case 1: put(x, piece);	    /* fallthrough */
		case 2: put_random(x, rng); /* fallthrough */
		default: put(x, piece);
		}
		at += n;
	}
}

static void
any_text(struct unit_ctx *t)
{
	struct unit_rng rng = { 20240607 };
	unsigned accepted = 0;
	struct rig r;

	if (!open_rig(t, &r))
		return;
	for (int round = 0; round < 4000; round++) {
		struct qd_module *m = NULL;
		struct text x = { 0 };
		uint64_t n = unit_random(&rng) % 80;

		put(&x, "");
		if (round % 4 == 0)
			mutate(&x, &rng);
		else if (round % 4 < 3)
			put(&x, "fn f(x: i32, y: i32) -> i32 { return x * y; } kernel k<static L "
				"in 0..=3>("
				"a: i32[], x: i32) { var y = x; for i in grid(a.len) { ");
		while (round % 4 && n--)
			put_random(&x, &rng);
		if (round % 4 == 1)
			put(&x, "; } }");
		r.heard.len = 0;
		if (!qd_module_parse(r.ctx, x.s, x.len, "t", &m, &r.err))
			accepted++;
		else
			UNIT_CHECK(t, r.err.code && r.err.text[0], "no reason given for %s", x.s);
		for (uint32_t i = 0; i < qd_module_kernel_count(m); i++) {
			struct qd_kernel *k = NULL;

			qd_module_kernel(m, qd_module_kernel_name(m, i), NULL, 0, &k, &r.err);
			qd_kernel_free(k);
		}
		qd_module_free(m);
		free(x.s);
	}
	UNIT_CHECK(t, accepted > 20, "only %u texts are accepted", accepted);
	close_rig(t, &r);
}

/* Checks a length that includes the terminating NUL. */
static void
zero_byte(struct unit_ctx *t)
{
	static const char text[] = "kernel k(a: f32[]) { }";
	static const char want[] = "t.qdk:1:23: error: 0x00 is not a character of the language [E0104]\n";
	struct qd_module *m;
	struct rig r;

	if (!open_rig(t, &r))
		return;
	UNIT_CHECK(t, qd_module_parse(r.ctx, text, sizeof text, "t.qdk", &m, &r.err) == QD_E_SYNTAX,
		   "%s", r.err.text);
	UNIT_CHECK(t, strncmp(r.err.text, want, strlen(want)) == 0, "%s", r.err.text);
	UNIT_CHECK(t, strstr(r.err.text, "help: the text ends before it: pass strlen(text) to qd_module_parse"),
		   "%s", r.err.text);
	close_rig(t, &r);
}

const struct unit units_lang[] = {
	{ "listings", listings_build },
	{ "templates", templates },
	{ "adapting", adapting },
	{ "late_set", late_set },
	{ "arguments", arguments },
	{ "several_errors", several_errors },
	{ "warm", warm },
	{ "out_of_memory", out_of_memory },
	{ "any_text", any_text },
	{ "zero_byte", zero_byte },
	{ "run", lang_run_cases },
	{ "jumps", lang_jump_cases },
};
const unsigned n_units_lang = QD_COUNT(units_lang);
