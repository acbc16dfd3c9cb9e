/* Files of a module: visibility, identity, positions and the sources of texts. Messages are in
 * diag_lang.c. */
#include <stdio.h>
#include <stdlib.h>

#include "lang.h"
#include "unit.h"

#define TEXT(name, text) { name, text, sizeof text - 1 }

struct rig {
	struct unit_alloc mem;
	struct qd_context *ctx;
	struct qd_module *m;
	struct qd_error err;
};

static bool
open_rig(struct unit_ctx *t, struct rig *r)
{
	memset(r, 0, sizeof *r);
	unit_alloc_init(&r->mem);
	struct qd_context_desc desc = { .version = QD_VERSION, .allocator = unit_alloc_hooks(&r->mem) };

	UNIT_CHECK(t, qd_context_create(&desc, &r->ctx, &r->err) == QD_OK, "%s", r->err.text);
	return r->ctx;
}

static void
close_rig(struct unit_ctx *t, struct rig *r)
{
	qd_module_free(r->m);
	qd_context_free(r->ctx);
	UNIT_CHECK(t, r->mem.n_out == 0 && !r->mem.wrong_size, "%zu blocks are lost", r->mem.n_out);
	unit_alloc_fini(&r->mem);
}

/* Parses the first text, which imports the others. */
static qd_status
parse(struct rig *r, const struct qd_text *texts, uint32_t n)
{
	const struct qd_imports imports = { .texts = texts + 1, .n_texts = n - 1 };

	qd_module_free(r->m);
	r->m = NULL;
	return qd_module_parse_imports(r->ctx, texts, &imports, &r->m, &r->err);
}

/* Runs a kernel on a[0] = x and returns a[0]. */
static uint32_t
run(struct unit_ctx *t, struct rig *r, const char *name, uint32_t x)
{
	struct qd_kernel *k = NULL;
	struct qd_device *dev = NULL;
	struct qd_function *fn = NULL;
	struct qd_stream *s = NULL;
	struct qd_buffer *a = NULL;
	uint32_t result = UINT32_MAX;
	bool ok = !qd_module_kernel(r->m, name, NULL, 0, &k, &r->err) &&
		  !qd_device_open(r->ctx, "ref:8", &dev, &r->err) && !qd_stream_create(dev, &s, &r->err) &&
		  !qd_function_get(dev, k, NULL, 0, &fn, &r->err) && !qd_buffer_create(dev, 4, 0, &a, &r->err) &&
		  !qd_buffer_upload(s, a, 0, &x, 4, &r->err) &&
		  !qd_launch(s, fn, QD_GRID, (struct qd_arg[]){ qd_arg_buffer(a) }, 1, &r->err) &&
		  !qd_buffer_download(s, a, 0, &result, 4, &r->err);

	UNIT_CHECK(t, ok, "%s: %s", name, r->err.text);
	qd_function_free(fn);
	qd_buffer_free(a);
	qd_stream_free(s);
	qd_device_close(dev);
	qd_kernel_free(k);
	return result;
}

/* Detects a name that is visible in the wrong file, and two functions of one name that are
 * confused. */
static void
visibility(struct unit_ctx *t)
{
	static const struct qd_text texts[] = {
		TEXT("main.qdk", "import \"a.qdk\";\n"
				 "import \"b.qdk\" as b;\n"
				 "const N = 100;\n"
				 "fn add(x: u32, y: u32) -> u32 { return x + y; }\n"
				 "kernel k(a: u32[]) { for i in grid(a.len) { a[i] = twice(a[i]) + b.twice(a[i]) + u32(N); } }\n"
				 "kernel table(a: u32[]) { for i in grid(a.len) { a[i] = b.K[a[i]] + b.K.len + u32(b.N); } }\n"
				 "kernel sum(a: u32[]) block(8) { for i in grid(a.len) {\n"
				 "  a[i] = subgroup.reduce(a[i], op = b.add) + subgroup.reduce(a[i], op = add); } }\n"
				 "kernel all(a: u32[]) { for i in grid(a.len) {\n"
				 "  if a[i] > 2 && b.twice(a[i]) > 1 { a[i] = u32(M) + b.twice(b.twice(1)); } } }\n"
				 "instantiate b.k<3> as three;\n"
				 "instantiate b.plain as plain;\n"),
		TEXT("a.qdk", "import \"b.qdk\" as b;\n"
			      "const M = 7;\n"
			      "fn twice(x: u32) -> u32 { return 10 * b.twice(x); }\n"),
		TEXT("b.qdk", "const N = 3;\n"
			      "const K: u32[N] = [5, 6, 7];\n"
			      "fn twice(x: u32) -> u32 { return x * 2 + u32(N); }\n"
			      "fn add(x: u32, y: u32) -> u32 { return x + y; }\n"
			      "kernel k<static L in 0..=9>(a: u32[]) { for i in grid(a.len) { a[i] = twice(a[i]) + u32(L); } }\n"
			      "kernel plain(a: u32[]) { for i in grid(a.len) { a[i] = twice(a[i]); } }\n"
			      "instantiate k<1> as one;\n"),
	};
	struct rig r;

	if (open_rig(t, &r) && parse(&r, texts, QD_COUNT(texts)) == QD_OK) {
		UNIT_CHECK(t, run(t, &r, "k", 4) == 110 + 11 + 100, "functions of one name");
		UNIT_CHECK(t, run(t, &r, "table", 1) == 6 + 3 + 3, "a table and a constant");
		UNIT_CHECK(t, run(t, &r, "sum", 5) == 10, "operators");
		UNIT_CHECK(t, run(t, &r, "all", 3) == 7 + 13, "calls in a condition");
		UNIT_CHECK(t, run(t, &r, "three", 4) == 14, "an imported kernel with a value");
		UNIT_CHECK(t, run(t, &r, "plain", 4) == 11, "an imported kernel");
		UNIT_CHECK(t, qd_module_kernel_count(r.m) == 6, "%u kernels", qd_module_kernel_count(r.m));
		UNIT_CHECK(t, qd_module_kernel(r.m, "one", NULL, 0, NULL, NULL) != QD_OK, "an imported instantiation");
		UNIT_CHECK(t, qd_module_file_count(r.m) == 3, "%u files", qd_module_file_count(r.m));
		UNIT_CHECK(t, strcmp(qd_module_file_name(r.m, 0), "main.qdk") == 0 &&
				      strcmp(qd_module_file_name(r.m, 2), "b.qdk") == 0 && !*qd_module_file_name(r.m, 3),
			   "names of files");
	} else {
		UNIT_CHECK(t, false, "%s", r.err.text);
	}
	close_rig(t, &r);
}

/* Detects an imported constant without a type that does not adapt, and a table of another file
 * without wide loads. */
static void
constants(struct unit_ctx *t)
{
	static const struct qd_text texts[] = {
		TEXT("main.qdk", "import \"a.qdk\";\n"
				 "import \"b.qdk\" as b;\n"
				 "const D = b.N - 1;\n"
				 "kernel k(a: u32[]) { for i in grid(a.len) { a[i] = a[i] + b.N + D + M + b.N; } }\n"
				 "kernel same(a: u32[]) { for i in grid(a.len) { a[i] = max(b.N, a[i]) + u32(f32(a[i]) * b.F * b.N); } }\n"
				 "kernel table(a: u32[]) { for i in grid(a.len) { let x, y = b.T.load2(a[i]); a[i] = x * 10 + y; } }\n"),
		TEXT("a.qdk", "import \"b.qdk\" as b;\n"
			      "const M = b.N * 100;\n"),
		TEXT("b.qdk", "qdk 2;\n"
			      "const N = 3;\n"
			      "const F = 1.5;\n"
			      "const T: u32[4] = [5, 6, 7, 8];\n"),
	};
	struct rig r;

	if (open_rig(t, &r) && parse(&r, texts, QD_COUNT(texts)) == QD_OK) {
		UNIT_CHECK(t, run(t, &r, "k", 4) == 4 + 3 + 2 + 300 + 3, "sums");
		UNIT_CHECK(t, run(t, &r, "same", 4) == 4 + 18, "operands of one type");
		UNIT_CHECK(t, run(t, &r, "table", 1) == 78, "a wide load");
	} else {
		UNIT_CHECK(t, false, "%s", r.err.text);
	}
	close_rig(t, &r);
}

/* Detects an error with the wrong file or line, in the text, in the IR and after it is read. */
static void
positions(struct unit_ctx *t)
{
	static const struct qd_text bad[] = {
		TEXT("main.qdk", "import \"a.qdk\";\nkernel k(a: u32[]) { for i in grid(a.len) { a[i] = f(a[i]); } }\n"),
		TEXT("a.qdk", "\n\nfn f(x: u32) -> u32 { return x + 1.5; }\n"),
	};
	static const struct qd_text good[] = {
		TEXT("main.qdk", "import \"a.qdk\";\nkernel k(a: u32[]) { for i in grid(n(a.len)) { a[i] = i; } }\n"),
		TEXT("a.qdk", "\n\n\nfn n(x: u32) -> u32 { return x * 65536; }"),
	};
	struct qd_kernel *k = NULL, *again = NULL;
	char text[4096], other[4096];
	size_t len;
	struct rig r;

	if (!open_rig(t, &r))
		return;
	UNIT_CHECK(t, parse(&r, bad, 2) != QD_OK && r.err.line == 3 && r.err.col == 34 &&
			      strncmp(r.err.text, "a.qdk:3:34: error: ", 19) == 0,
		   "%u:%u: %s", r.err.line, r.err.col, r.err.text);
	UNIT_CHECK(t, parse(&r, good, 2) == QD_OK && !qd_module_kernel(r.m, "k", NULL, 0, &k, &r.err), "%s", r.err.text);
	qd_module_free(r.m);
	r.m = NULL;
	UNIT_CHECK(t, k && !qd_kernel_print(k, text, sizeof text, &len, &r.err) && len < sizeof text &&
			      !qd_kernel_read(r.ctx, text, len, "k.ir", &again, &r.err) &&
			      !qd_kernel_print(again, other, sizeof other, &len, &r.err),
		   "%s", r.err.text);
	if (again) {
		struct line_place a = ir_place(again, POS(8, 3)), b = ir_place(k, POS(8, 3)), c = ir_place(k, POS(2, 3));

		UNIT_CHECK(t, strcmp(text, other) == 0, "%s\nis read as\n%s", text, other);
		UNIT_CHECK(t, strcmp(a.file, "a.qdk") == 0 && a.line == 5 && a.col == 3, "%s:%u:%u", a.file, a.line, a.col);
		UNIT_CHECK(t, strcmp(b.file, "a.qdk") == 0 && b.line == 5, "%s:%u", b.file, b.line);
		UNIT_CHECK(t, strcmp(c.file, "main.qdk") == 0 && c.line == 2, "%s:%u", c.file, c.line);
	}
	qd_kernel_free(k);
	qd_kernel_free(again);
	close_rig(t, &r);
}

struct answers {
	char asked[256];
	struct qd_text a, c;
	qd_status st;
};

static qd_status
resolve(void *user, const char *name, const char *from, struct qd_text *out, struct qd_error *err)
{
	struct answers *w = user;
	size_t len = strlen(w->asked);

	snprintf(w->asked + len, sizeof w->asked - len, "%s<%s ", name, from);
	*out = *name == 'a' ? w->a : w->c;
	if (w->st)
		snprintf(err->text, sizeof err->text, "no %s today", name);
	return w->st;
}

/* Detects a text that is taken from the wrong source, and a file that is read twice. */
static void
sources(struct unit_ctx *t)
{
	static const struct qd_text texts[] = {
		TEXT("dir/b.qdk", "import \"c.qdk\";\nfn b() -> u32 { return c() + 1; }\n"),
		TEXT("b.qdk", "fn b() -> u32 { return 99; }\n"),
	};
	static const struct qd_text self = TEXT(
		"main.qdk", "import \"dir/b.qdk\" as d;\nimport \"b.qdk\";\nimport \"a\" as a;\nimport \"c2.qdk\" as c;\n"
			    "kernel k(a: u32[]) { for i in grid(a.len) { a[i] = d.b() + b() + c.c(); } }\n");
	struct answers w = { .a = TEXT("A", "import \"A2\";"), .c = TEXT("C", "fn c() -> u32 { return 5; }") };
	const struct qd_imports imports = { .texts = texts, .n_texts = 2, .resolve = resolve, .user = &w };
	struct rig r;

	if (!open_rig(t, &r))
		return;
	UNIT_CHECK(t, qd_module_parse_imports(r.ctx, &self, &imports, &r.m, &r.err) == QD_OK, "%s", r.err.text);
	UNIT_CHECK(t, strcmp(w.asked, "c.qdk<dir/b.qdk a<main.qdk A2<A c2.qdk<main.qdk ") == 0, "asked: %s", w.asked);
	UNIT_CHECK(t, r.m && run(t, &r, "k", 0) == 6 + 99 + 5, "wrong text");
	UNIT_CHECK(t, qd_module_file_count(r.m) == 5, "%u files", qd_module_file_count(r.m));
	qd_module_free(r.m);
	w.st = QD_E_IO;
	UNIT_CHECK(t, qd_module_parse_imports(r.ctx, &self, &imports, &r.m, &r.err) == QD_E_NOT_FOUND &&
			      strstr(r.err.text, "cannot import 'c.qdk': no c.qdk today"), "%s", r.err.text);
	w.st = QD_E_NOMEM;
	UNIT_CHECK(t, qd_module_parse_imports(r.ctx, &self, &imports, &r.m, &r.err) == QD_E_NOMEM, "%s", r.err.text);
	w = (struct answers){ .a = { .name = "" }, .c = { .name = "c", .len = 4 } };
	UNIT_CHECK(t, qd_module_parse_imports(r.ctx, &self, &imports, &r.m, &r.err) != QD_OK &&
			      strstr(r.err.text, "no name or no text"), "%s", r.err.text);
	close_rig(t, &r);
}

/* Detects a limit of files or bytes that is not enforced, and work that grows with the square. */
static void
limits(struct unit_ctx *t)
{
	static char name[300][16], text[300][64];
	struct qd_text chain[300];
	char *large = calloc(1, MAX_SOURCE);
	struct rig r;

	for (uint32_t i = 0; i < 300; i++) {
		snprintf(name[i], sizeof name[i], "f%u", i);
		snprintf(text[i], sizeof text[i], "import \"f%u\" as f;\nconst C%u = %u;\n", i + 1, i, i);
		chain[i] = (struct qd_text){ name[i], text[i], strlen(text[i]) };
	}
	if (open_rig(t, &r) && large) {
		UNIT_CHECK(t, parse(&r, chain, 300) == QD_E_LIMIT && strstr(r.err.text, "f255:1:8: error: more than 255"),
			   "%s", r.err.text);
		chain[MAX_FILES - 1].text = "";
		chain[MAX_FILES - 1].len = 0;
		UNIT_CHECK(t, parse(&r, chain, 300) == QD_OK && qd_module_file_count(r.m) == MAX_FILES, "%s", r.err.text);
		chain[1].text = memset(large, '\n', MAX_SOURCE);
		chain[1].len = MAX_SOURCE - chain[0].len - 1;
		UNIT_CHECK(t, parse(&r, chain, 2) == QD_OK, "%s", r.err.text);
		chain[1].len++;
		UNIT_CHECK(t, parse(&r, chain, 2) == QD_E_LIMIT && strstr(r.err.text, "f0:1:8: error: the text has 1048577 bytes"),
			   "%s", r.err.text);
	}
	close_rig(t, &r);
	free(large);
}

/* Detects a column that is cut in a long line behind line 2047, or lines that shift after it. */
static void
columns(struct unit_ctx *t)
{
	enum { LINES = 3000, WIDE = 100000 };
	struct rig r;
	char *s = malloc(LINES + 2 * WIDE + 100);
	size_t n = 0;

	if (!s || !open_rig(t, &r)) {
		free(s);
		return;
	}
	for (uint32_t i = 0; i < LINES; i++)
		s[n++] = '\n';
	memset(s + n, ' ', WIDE);
	memcpy(s + n + WIDE, "$\n  $", 5);
	for (uint32_t at = 0; at < WIDE; at += 1 + at / 2) {
		struct qd_text text = { "t.qdk", s, n + WIDE + 5 };

		memset(s + n, ' ', WIDE);
		s[n + at] = '$';
		UNIT_CHECK(t, parse(&r, &text, 1) == QD_E_SYNTAX && r.err.line == LINES + 1 && r.err.col == at + 1 &&
				      strstr(r.err.text, "| ") && strstr(r.err.text, "^"),
			   "at %u:%u, column %u: %s", r.err.line, r.err.col, at + 1, r.err.text);
		s[n + at] = ' ';
	}
	s[n + WIDE] = ' ';
	UNIT_CHECK(t, parse(&r, &(struct qd_text){ "t.qdk", s, n + WIDE + 5 }, 1) == QD_E_SYNTAX &&
			      r.err.line == LINES + 2 && r.err.col == 3 && strstr(r.err.text, " 3002 |   $\n"),
		   "%u:%u: %s", r.err.line, r.err.col, r.err.text);
	close_rig(t, &r);
	free(s);
}

/* Detects a directive that sets the wrong line or file, or one in a comment. */
static void
directives(struct unit_ctx *t)
{
	static const struct {
		const char *text, *place;
	} rows[] = {
		{ "\n#line 40 \"gen.py\"\n\n  $", "gen.py:41:3: " },
		{ "#line 40\n $", "main.qdk:40:2: " },
		{ "$\n#line 40\n", "main.qdk:1:1: " },
		{ "#line 5 \"a b\"\r\n#line 9\n$", "a b:9:1: " },
		{ "/*\n#line 5\n*/ $", "main.qdk:3:4: " },
		{ "// #line 5\n$", "main.qdk:2:1: " },
		{ "  #line   7   \"x\"  \n$", "x:7:1: " },
		{ "#line 5 \"x\"\nimport \"b\";\n", "b:3:2: " },
		{ "#line 5", "main.qdk" },
	};
	static const struct qd_text b[] = { TEXT("b", "\n\n $") };
	struct rig r;

	if (!open_rig(t, &r))
		return;
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		struct qd_text texts[] = { { "main.qdk", rows[i].text, strlen(rows[i].text) }, b[0] };
		qd_status st = parse(&r, texts, 2);
		const char *name = st ? r.err.text : qd_module_file_name(r.m, 0);

		UNIT_CHECK(t, strncmp(name, rows[i].place, strlen(rows[i].place)) == 0, "%s\n%s", rows[i].text, name);
	}
	close_rig(t, &r);
}

/* Detects lines that are wrong after a directive before a line of several rows. */
static void
directive_before_long_line(struct unit_ctx *t)
{
	enum { LINES = 3000, WIDE = 9000 };
	static const char head[] = "#line 7 \"g\"\n";
	char *s = malloc(LINES + WIDE + 100);
	size_t n = LINES;
	struct rig r;

	if (!s || !open_rig(t, &r)) {
		free(s);
		return;
	}
	memset(s, '\n', n);
	memcpy(s + n, head, sizeof head - 1);
	n += sizeof head - 1;
	memset(s + n, ' ', WIDE);
	s[n + 5000] = '$';
	memcpy(s + n + WIDE, "\n  ?", 4);
	UNIT_CHECK(t, parse(&r, &(struct qd_text){ "t.qdk", s, n + WIDE + 4 }, 1) == QD_E_SYNTAX && r.err.line == 7 &&
			      r.err.col == 5001 && strncmp(r.err.text, "g:7:5001: ", 10) == 0,
		   "%s", r.err.text);
	s[n + 5000] = ' ';
	UNIT_CHECK(t, parse(&r, &(struct qd_text){ "t.qdk", s, n + WIDE + 4 }, 1) == QD_E_SYNTAX && r.err.line == 8 &&
			      r.err.col == 3 && strstr(r.err.text, "    8 |   ?\n"),
		   "%s", r.err.text);
	close_rig(t, &r);
	free(s);
}

const struct unit units_import[] = {
	{ "import.constants", constants },
	{ "import.directives", directives },
	{ "import.directive_before_long_line", directive_before_long_line },
	{ "import.visibility", visibility }, { "import.positions", positions }, { "import.sources", sources },
	{ "import.limits", limits },	     { "import.columns", columns },
};
const unsigned n_units_import = QD_COUNT(units_import);
