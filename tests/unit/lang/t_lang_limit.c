/* Limits of .qdk text: accepted and rejected sizes, and the stack that they need. Texts that could
 * take time quadratic in their length must finish before the watchdog; tests/hostile/proportion.py
 * counts the instructions of some of them. */
#include "lang.h"
#include "lang_text.h"
#include "ref_rig.h"

/* Stack size of a thread that was not created for this; sanitizers need more. */
#if defined(QD_ASAN) || defined(QD_TSAN)
enum { DEEP_STACK = 1 << 20 };
#else
enum { DEEP_STACK = 256 << 10 };
#endif

/* -- Size ----------------------------------------------------------------------------- */

/* Parses the text and checks the status. */
static struct qd_module *
read_text(struct unit_ctx *t, struct rig *r, const char *s, size_t len, qd_status want)
{
	struct qd_module *m = NULL;
	qd_status st = qd_module_parse(r->ctx, s, len, "t.qdk", &m, &r->err);

	UNIT_CHECK(t, st == want, "%.60s: %s: %s", s, qd_status_name(st), r->err.text);
	return m;
}

/* Reads head, n times body, tail. */
static void
bomb(struct unit_ctx *t, struct rig *r, const char *head, const char *body, unsigned n,
     const char *tail, qd_status want)
{
	struct text x = { 0 };

	put(&x, head);
	repeat(&x, body, n);
	put(&x, tail);
	qd_module_free(read_text(t, r, x.s, x.len, want));
	free(x.s);
}

static void
limits(struct unit_ctx *t)
{
	static const char k[] = "kernel k(a: i32[], n: i32) { ";
	struct text fns = { 0 };
	struct rig r;

	if (!rig_open(&r, t, "ref:4"))
		return;
	bomb(t, &r, k, "{", 500000, "", QD_E_LIMIT);
	bomb(t, &r, "kernel k(a: i32[], n: i32) { n = ", "(", 1000000, "", QD_E_LIMIT);
	bomb(t, &r, "kernel k(a: i32[], n: i32) { n = ", "-", 1000000, "n; }", QD_E_LIMIT);
	bomb(t, &r, "kernel k(a: i32[], n: i32) { n = n", "[0", 300000, "", QD_E_LIMIT);
	bomb(t, &r, "kernel k(a: i32[], n: i32) { n = n", ".n", 300000, "", QD_E_LIMIT);
	bomb(t, &r, "kernel k(a: i32[], n: i32) { n = n", "(n", 300000, "", QD_E_LIMIT);
	bomb(t, &r, "kernel k(a: i32[], n: i32) { n = ", "a[0] else ", 100000, "0; }", QD_E_LIMIT);
	bomb(t, &r, "kernel k(a: i32[], n: i32) { n = ", "bitcast<i32[", 80000, "", QD_E_LIMIT);
	bomb(t, &r, "kernel k(a: i32[]) { a[0] = ", "a[0] else ", MAX_DEPTH - 1, "0; }", QD_OK);
	bomb(t, &r, k, "if n > 1 { } else ", MAX_ARMS, "{ } }", QD_OK);
	bomb(t, &r, k, "if n > 1 { } else ", MAX_ARMS + 1, "{ } }", QD_E_LIMIT);
	bomb(t, &r, k, "if n > 1 { } else ", 50000, "{ } }", QD_E_LIMIT);
	bomb(t, &r, k, "if n > 1 { return; } a[0] = 1; ", 1000, "}", QD_OK);
	bomb(t, &r, k, "unroll for i in 0..1000 { ", 5, "a[0] = 1; } } } } } }", QD_E_LIMIT);
	bomb(t, &r, k, "unroll for i in 0..1000000000 { } ", 1, "}", QD_E_LIMIT);
	bomb(t, &r, "kernel k(a: i32[], n: i32) { a[0] = n", " + n", 200000, "; }", QD_OK);
	bomb(t, &r, "kernel k(a: u32[], n: i32) { a[0] = 1", " + 1", 200000, "; }", QD_OK);
	bomb(t, &r, "kernel k(a: i32[], n: i32) { a[0] = i32(n > 0", " && n > 0", 100000, "); }",
	     QD_OK);
	bomb(t, &r, "kernel k(a: i32[], n: i32) { a[0] = n", " + a[0]", 100000, "; }", QD_OK);
	bomb(t, &r, k, "a[0] = n; ", 100000, "}", QD_OK);
	bomb(t, &r, "", "\n", MAX_SOURCE - 14, "kernel k() { }", QD_OK);
	bomb(t, &r, "", "\n", MAX_SOURCE - 1, "$", QD_E_SYNTAX);
	UNIT_CHECK(t, r.err.line == MAX_SOURCE && r.err.col == 1, "at %u:%u", r.err.line,
		   r.err.col);
	UNIT_CHECK(t, strstr(r.err.text, "t.qdk:1048576:1: error"), "%s", r.err.text);
	/* Long lines: positions include a large column of a late line. */
	bomb(t, &r, "\nkernel k(a: i32[]) {", " ", 5000, "a[0] = $; }", QD_E_SYNTAX);
	UNIT_CHECK(t, r.err.line == 2 && r.err.col == 5028, "at %u:%u", r.err.line, r.err.col);
	bomb(t, &r, "kernel k(a: i32[]) {", " ", 1000000, "a[0] = $; }", QD_E_SYNTAX);
	UNIT_CHECK(t, r.err.line == 1 && r.err.col == 1000028, "at %u:%u", r.err.line, r.err.col);
	for (uint32_t line = 1; line < 3000; line += 1 + line / 2)
		for (uint32_t col = 1; col < 3000; col += 1 + col / 2)
			UNIT_CHECK(t, POS_LINE(POS(line, col)) == line &&
				      POS_COL(POS(line, col)) == (line > 2047 && col > 2047 ? 2047 : col),
				   "%u:%u", line, col);
	bomb(t, &r, "", "x", MAX_SOURCE, "", QD_E_LIMIT);
	bomb(t, &r, "/*", "x", MAX_SOURCE - 2, "", QD_E_SYNTAX);
	/* Functions that each call the next twice, and functions that call in a chain. */
	for (int i = 0; i < 40; i++) {
		putf(&fns, "fn g%d(x: i32) -> i32 { return g%d(x) + g%d(x); }\n", i, i + 1, i + 1);
	}
	put(&fns, "fn g40(x: i32) -> i32 { return x; }\n");
	bomb(t, &r, fns.s, "kernel k(a: i32[]) { a[0] = g0(1); }", 1, "", QD_E_LIMIT);
	fns.len = 0;
	for (int i = 0; i < 2000; i++) {
		putf(&fns, "fn g%d(x: i32) -> i32 { return -g%d(x); }\n", i, i + 1);
	}
	put(&fns, "fn g2000(x: i32) -> i32 { return x; }\n");
	bomb(t, &r, fns.s, "kernel k(a: i32[]) { a[0] = g0(1); }", 1, "", QD_E_LIMIT);
	/* Constants that each refer to the next, and constants that each refer to the previous
	 * one. */
	fns.len = 0;
	for (int i = 0; i < 5000; i++) {
		putf(&fns, "const c%d = c%d + 1;\n", i, i + 1);
	}
	bomb(t, &r, fns.s, "const c5000 = 0;", 1, "", QD_E_LIMIT);
	fns.len = 0;
	put(&fns, "const c0 = 0;\n");
	for (int i = 1; i < 5000; i++) {
		putf(&fns, "const c%d = c%d + 1;\n", i, i - 1);
	}
	bomb(t, &r, fns.s, "", 0, "kernel k() { }", QD_OK);
	free(fns.s);
	rig_close(&r);
}

/* -- Length --------------------------------------------------------------------------- */

static uint32_t
fnv(uint32_t h, const char *s)
{
	while (*s)
		h = (h ^ (uint8_t)*s++) * 16777619u;
	return h;
}

/* Finds two strings of six letters that lead the hash from h to the same value, and returns
 * it. */
static uint32_t
collide(struct unit_rng *rng, uint32_t h, char out[2][8])
{
	enum { SLOTS = 1 << 18 };
	struct {
		uint32_t to;
		char text[8];
	} *seen = calloc(SLOTS, sizeof *seen), *s;
	char text[8] = "";

	while (seen) {
		for (int i = 0; i < 6; i++)
			text[i] = (char)('a' + unit_random(rng) % 26);
		s = &seen[fnv(h, text) % SLOTS];
		if (s->text[0] && s->to == fnv(h, text) && strcmp(s->text, text) != 0)
			break;
		s->to = fnv(h, text);
		memcpy(s->text, text, sizeof text);
	}
	if (seen) {
		memcpy(out[0], s->text, sizeof text);
		memcpy(out[1], text, sizeof text);
	}
	free(seen);
	return fnv(h, text);
}

/* Reads 10,000 names with the same FNV hash. */
static void
same_hash(struct unit_ctx *t, struct rig *r)
{
	char block[14][2][8];
	struct unit_rng rng = { 7 };
	struct text x = { 0 };
	uint32_t h = fnv(2166136261u, "n");

	for (int i = 0; i < 14; i++)
		h = collide(&rng, h, block[i]);
	put(&x, "kernel k() {\n");
	for (unsigned n = 0; n < 10000; n++) {
		put(&x, "let n");
		for (int i = 0; i < 14; i++)
			put(&x, block[i][n >> i & 1]);
		put(&x, "=1;\n");
	}
	put(&x, "}");
	qd_module_free(read_text(t, r, x.s, x.len, QD_OK));
	free(x.s);
}

/* Reads 40,000 results, each far after its operation, as printed IR permits. */
static void
late_results(struct unit_ctx *t, struct rig *r)
{
	enum { N = 40000, FIRST = 8 };
	struct qd_kernel *k = NULL;
	struct qd_image *image = NULL;
	struct text x = { 0 };
	qd_status st;

	put(&x, "kernel \"k\"\nfile \"r\"\nblock 64 1 1\nparam \"a\" u32[]\n{\n"
		"  %1 = len u32 \"a\" ; 1:1\n  %2 = region 1 ; 1:1\n    %3 = arg u32 0 %2 ; 1:1\n"
		"    %4 = arg u32 1 %2 ; 1:1\n    yield 0 %4 ; 1:1\n  end ; 1:1\n"
		"  %7 = pack u32 %1 _ ; 1:1\n");
	for (unsigned i = 0; i < N; i++)
		putf(&x, "  %%%u = subgroup.reduce %%2 %%7 _ _ ; 1:1\n", FIRST + i);
	for (unsigned i = 0; i < N; i++)
		putf(&x, "  %%%u = result u32 0 %%%u ; 1:1\n  store \"a\" %%1 %%%u _ !1 ; 1:1\n",
		     FIRST + N + 2 * i, FIRST + i, FIRST + N + 2 * i);
	put(&x, "}\n");
	st = qd_kernel_read(r->ctx, x.s, x.len, "r.ir", &k, &r->err);
	if (!st)
		st = qd_compile(r->ctx, k, "spirv:w8", NULL, 0, &image, &r->err);
	UNIT_CHECK(t, !st, "%s", r->err.text);
	qd_image_free(image);
	qd_kernel_free(k);
	free(x.s);
}

/* Compiles deeply nested loops around long code, each with an early exit, which must take one
 * pass. */
static void
nested_loops(struct unit_ctx *t, struct rig *r)
{
	enum { DEPTH = 60 };
	struct qd_image *image = NULL;
	struct qd_kernel *k = NULL;
	struct text x = { 0 };
	qd_status st;

	put(&x, "kernel k(a: i32[]) block(8) { var x = 1;");
	repeat(&x, "while x < 9 { if a[x] == 3 { continue; } x += a[x];", DEPTH);
	repeat(&x, "x += 1;", 30000);
	repeat(&x, "}", DEPTH);
	put(&x, "a[0] = x; }");
	struct qd_module *m = read_text(t, r, x.s, x.len, QD_OK);
	st = m ? qd_module_kernel(m, "k", NULL, 0, &k, &r->err) : QD_E_INTERNAL;
	if (!st)
		st = qd_compile(r->ctx, k, "spirv:w8", NULL, 0, &image, &r->err);
	UNIT_CHECK(t, !st, "%s", r->err.text);
	qd_image_free(image);
	qd_kernel_free(k);
	qd_module_free(m);
	free(x.s);
}

/* Checks texts that take quadratic time in a careless implementation. */
static void
lengths(struct unit_ctx *t)
{
	struct text x = { 0 };
	struct rig r;

	if (!rig_open(&r, t, "ref:4"))
		return;
	same_hash(t, &r);
	late_results(t, &r);
	nested_loops(t, &r);
	bomb(t, &r, "kernel k(a: i32[]) ", "requires(block.dim > 0)\n", 20000, "{ }", QD_OK);
	bomb(t, &r, "kernel k(a: i32[]) requires(0 == 0", " + 0", 250000, ") { }", QD_OK);
	bomb(t, &r, "fn f<T in {i32", ", f32", 150000, "}>(x: T) { } kernel k() { f(1); }",
	     QD_E_LIMIT);
	put(&x, "kernel k(a: i32[]) { let x = 1; while a[x");
	repeat(&x, " + x", 50000);
	put(&x, "] == 0 { ");
	bomb(t, &r, x.s, "{ var y = x; }", 50000, "} }", QD_OK);
	free(x.s);
	x = (struct text){ 0 };
	for (unsigned i = 0; i < 14000; i++)
		putf(&x, "kernel k%u<static L in 0..=1>() { }\n", i);
	for (unsigned i = 0; i < 14000; i++)
		putf(&x, "instantiate k%u<1> as b%u;\n", i, i);
	qd_module_free(read_text(t, &r, x.s, x.len, QD_OK));
	free(x.s);
	rig_close(&r);
}

/* -- Template choices ----------------------------------------------------------------- */

static qd_status
ask(struct rig *r, struct qd_module *m, const char *name, int64_t n)
{
	struct qd_tmpl tmpl = { .name = "N", .value = n };
	struct qd_kernel *k = NULL;
	qd_status st = qd_module_kernel(m, name, &tmpl, n >= 0, &k, &r->err);

	qd_kernel_free(k);
	return st;
}

/* Checks that a choice that is too large is not an error until it is requested; requested choices
 * are built and checked completely. */
static void
choices(struct unit_ctx *t)
{
	static const char large[] =
		"kernel one<static N in {2000000, 5, 60000}>(a: i32[]) {\n"
		"  unroll for i in 0..N { a[i] = N; }\n"
		"}\n"
		"kernel late<static N in {1, 300000}>(a: i32[]) {\n"
		"  unroll for i in 0..N { a[i] = N; }\n"
		"  static if N > 2 { let x: i32 = 1.5; }\n"
		"}\n"
		"kernel triangle(a: i32[]) {\n"
		"  unroll for i in 0..1000 { unroll for j in 0..i { unroll for k in 0..j { a[0] = "
		"1; } } }\n"
		"}\n"
		"fn nobody(x: i32) -> i32 {\n"
		"  var r = x;\n"
		"  unroll for i in 0..1000 { unroll for j in 0..1001 { r += 1; } }\n"
		"  return r;\n"
		"}\n";
	static const char wanted[] =
		"fn f<static N in 1..=4>(x: i32) -> i32 { unroll for j in 0..N { } return x; }\n"
		"kernel k<static N in 1..=4>(a: i32[]) {\n"
		"  if f(a[0], N = N) > 2 { a[0] = 1; } else if f(3, N = N) > 1 { a[1] = 2; }\n"
		"  while f(a[0], N = N) > 20 { break; }\n"
		"}\n";
	struct text x = { 0 };
	struct qd_module *m;
	struct rig r;

	if (!rig_open(&r, t, "ref:4"))
		return;
	m = read_text(t, &r, large, sizeof large - 1, QD_OK);
	if (m) {
		UNIT_CHECK(t, ask(&r, m, "one", 5) == QD_OK, "%s", r.err.text);
		UNIT_CHECK(t, ask(&r, m, "one", 60000) == QD_OK, "%s", r.err.text);
		UNIT_CHECK(t, ask(&r, m, "one", 2000000) == QD_E_LIMIT, "%s", r.err.text);
		UNIT_CHECK(t, ask(&r, m, "late", 1) == QD_OK, "%s", r.err.text);
		UNIT_CHECK(t, ask(&r, m, "late", 300000) == QD_E_TYPE, "%s", r.err.text);
		UNIT_CHECK(t, ask(&r, m, "triangle", -1) == QD_E_LIMIT, "%s", r.err.text);
	}
	qd_module_free(m);
	/* A function called in a condition is instantiated first, which must not be an error of
	 * the condition. */
	m = read_text(t, &r, wanted, sizeof wanted - 1, QD_OK);
	if (m)
		UNIT_CHECK(t, ask(&r, m, "k", 2) == QD_OK, "%s", r.err.text);
	qd_module_free(m);
	/* Many kernels, each within the limit. */
	for (unsigned i = 0; i < 100; i++)
		putf(&x, "kernel k%u(a: i32[]) { unroll for i in 0..100000 { a[i] = 2 * i; } }\n",
		     i);
	m = read_text(t, &r, x.s, x.len, QD_OK);
	if (m)
		UNIT_CHECK(t, ask(&r, m, "k99", -1) == QD_OK, "%s", r.err.text);
	qd_module_free(m);
	free(x.s);
	rig_close(&r);
}

/* -- Depth ---------------------------------------------------------------------------- */

struct deep {
	struct rig *rig;
	const struct text *text;
	struct qd_kernel *k;
	qd_status st;
};

static void
read_deep(void *arg)
{
	struct deep *d = arg;
	struct qd_module *m = NULL;

	d->k = NULL;
	d->st = qd_module_parse(d->rig->ctx, d->text->s, d->text->len, "t.qdk", &m, &d->rig->err);
	if (!d->st)
		d->st = qd_module_kernel(m, "k", NULL, 0, &d->k, &d->rig->err);
	qd_module_free(m);
}

/* Reads the text on a small stack, then runs it; thread i of eight must return want[i]. */
static void
deep_case(struct unit_ctx *t, struct rig *r, struct text *x, const uint32_t want[8])
{
	struct deep d = { .rig = r, .text = x };
	uint32_t o[8] = { 0 };
	struct io io = IO(o);

	UNIT_CHECK(t, run_on_new_stack(DEEP_STACK, read_deep, &d), "no thread");
	UNIT_CHECK(t, !d.st, "%.60s: %s", x->s, r->err.text);
	if (!d.st) {
		UNIT_CHECK(t, !rig_launch(r, d.k, 1, &io, 1), "%s", r->err.text);
		for (uint32_t i = 0; i < 8; i++)
			UNIT_CHECK(t, o[i] == want[i], "%.60s: thread %u has %u, expected %u", x->s,
				   i, o[i], want[i]);
		qd_kernel_free(d.k);
	}
	free(x->s);
	*x = (struct text){ 0 };
}

static const char kernel[] = "kernel k(o: u32[]) block(8) { for i in grid(o.len) { ";

/* Checks the maximal depth: MAX_ARMS arms of an if, also with static ones, and N nested calls. The
 * calls are plain, have early returns, are in an operator, or contain many nested blocks and
 * parentheses. */
static void
depth(struct unit_ctx *t)
{
	enum { N = 1000, EACH = 12 };
	struct text x = { 0 };
	struct rig r;

	if (!rig_open(&r, t, "ref:4"))
		return;
	put(&x, kernel);
	for (unsigned i = 0; i < MAX_ARMS; i++)
		putf(&x, "%sif %s == %u { o[i] = %u; }", i ? " else " : "", "i * 142", i,
		     3 * i + 1);
	put(&x, " } }");
	deep_case(t, &r, &x, (uint32_t[]){ 1, 427, 853, 1279, 1705, 2131, 2557, 2983 });
	put(&x, kernel);
	for (unsigned i = 0; i < MAX_ARMS; i++)
		putf(&x, "%s%sif %s == %u { o[i] = %u; }", i ? " else " : "",
		     i % 2 ? "static " : "", i % 2 ? "7" : "i * 142", i, i);
	put(&x, " } }");
	deep_case(t, &r, &x, (uint32_t[]){ 0, 7, 7, 7, 7, 7, 7, 7 });
	for (unsigned i = 0; i + 1 < N; i++)
		putf(&x, "fn g%u(x: u32) -> u32 { return g%u(x) + 1; }\n", i, i + 1);
	putf(&x, "fn g%u(x: u32) -> u32 { return x; }\n%s o[i] = g0(i); } }", N - 1, kernel);
	deep_case(t, &r, &x, (uint32_t[]){ 999, 1000, 1001, 1002, 1003, 1004, 1005, 1006 });
	for (unsigned i = 0; i + 1 < N; i++)
		putf(&x, "fn g%u(x: u32) -> u32 { if x == %u { return %u; } return g%u(x); }\n", i,
		     i * 3 / 2, i, i + 1);
	putf(&x, "fn g%u(x: u32) -> u32 { return 77; }\n%s o[i] = g0(i); } }", N - 1, kernel);
	deep_case(t, &r, &x, (uint32_t[]){ 0, 1, 77, 2, 3, 77, 4, 5 });
	for (unsigned i = 0; i + 1 < N; i++)
		putf(&x, "fn g%u(x: u32, y: u32) -> u32 { return g%u(x, y); }\n", i, i + 1);
	putf(&x, "fn g%u(x: u32, y: u32) -> u32 { return x + y; }\n", N - 1);
	putf(&x, "%s o[i] = subgroup.reduce(i, op = g0); } }", kernel);
	deep_case(t, &r, &x, (uint32_t[]){ 6, 6, 6, 6, 22, 22, 22, 22 });
	for (unsigned i = 0; i + 1 < N; i++) {
		putf(&x, "fn g%u(x: u32) -> u32 { var r = x;", i);
		repeat(&x, "{", 2 * EACH);
		put(&x, "r = ");
		repeat(&x, "max(-(", EACH);
		putf(&x, "g%u(x)", i + 1);
		repeat(&x, "), 0)", EACH);
		put(&x, ";");
		repeat(&x, "}", 2 * EACH);
		put(&x, " return r; }\n");
	}
	putf(&x, "fn g%u(x: u32) -> u32 { return x; }\n%s o[i] = g0(i); } }", N - 1, kernel);
	deep_case(t, &r, &x, (uint32_t[]){ 0, 1, 2, 3, 4, 5, 6, 7 });
	rig_close(&r);
}

/* Checks that one more call is rejected. */
static void
too_deep(struct unit_ctx *t)
{
	struct text x = { 0 };
	struct qd_module *m;
	struct rig r;
	qd_status st;

	if (!rig_open(&r, t, "ref:4"))
		return;
	for (unsigned i = 0; i < 1000; i++)
		putf(&x, "fn g%u(x: u32) -> u32 { return g%u(x) + 1; }\n", i, i + 1);
	putf(&x, "fn g1000(x: u32) -> u32 { return x; }\n%s o[i] = g0(i); } }", kernel);
	st = qd_module_parse(r.ctx, x.s, x.len, "t.qdk", &m, &r.err);
	UNIT_CHECK(t, st == QD_E_LIMIT && strstr(r.err.text, "deeper than 1000"), "%s", r.err.text);
	UNIT_CHECK(t, r.err.line == 1000, "line %u", r.err.line);
	free(x.s);
	rig_close(&r);
}

const struct unit units_lang_limit[] = {
	{ "limits", limits }, { "lengths", lengths },	{ "choices", choices },
	{ "depth", depth },   { "too_deep", too_deep },
};
const unsigned n_units_lang_limit = QD_COUNT(units_lang_limit);
