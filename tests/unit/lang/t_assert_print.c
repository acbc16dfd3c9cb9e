/* assert and print: the interpreter's output and its order. Emitted code contains no trace of them:
 * its bytes equal those of the kernel without. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "ref_rig.h"

extern const struct unit units_assert_print[];
extern const unsigned n_units_assert_print;

enum { N = 10 };

/* -- On the interpreter ------------------------------------------------------------------ */

static qd_status
run_text(struct rig *r, const char *text, uint32_t n_blocks)
{
	uint32_t src[N], dst[N] = { 0 };
	struct io io[] = { IO(src), IO(dst) };
	struct qd_module *m = NULL;
	struct qd_kernel *k = NULL;

	for (uint32_t i = 0; i < N; i++)
		src[i] = i + 1;
	qd_status st = qd_module_parse(r->ctx, text, strlen(text), "t.qdk", &m, &r->err);
	if (!st)
		st = qd_module_kernel(m, "k", NULL, 0, &k, &r->err);
	if (!st)
		st = rig_launch(r, k, n_blocks, io, 2);
	qd_kernel_free(k);
	qd_module_free(m);
	return st;
}

static const struct {
	uint32_t n_blocks;
	const char *body, *err, *log;
} texts[] = {
	/* Every type, printed as data are. */
	{ 1, "block(4) { if block.thread_idx() == 1 { print(\"all\", true, 1 > 2, -3, 4u, -5l, 6ul, 0.1, 0.1d, inf, -nan); } }",
	  "", "info print: t.qdk:1:81: print: all true false -3 4 -5 6 0.1 0.1 inf nan (kernel k, block 0, thread 1)\n" },
	{ 1, "block(4) { if block.thread_idx() == 1 { print(\"\"); } }",
	  "", "info print: t.qdk:1:81: print:  (kernel k, block 0, thread 1)\n" },
	/* Order by block, thread, then time; padding threads print nothing. */
	{ QD_GRID, "block(6) { for i in grid(8) { print(\"a\", i); if i % 4 == 3 { print(\"b\"); } } }", "",
	  "info print: t.qdk:1:71: print: a 0 (kernel k, block 0, thread 0)\n"
	  "info print: t.qdk:1:71: print: a 1 (kernel k, block 0, thread 1)\n"
	  "info print: t.qdk:1:71: print: a 2 (kernel k, block 0, thread 2)\n"
	  "info print: t.qdk:1:71: print: a 3 (kernel k, block 0, thread 3)\n"
	  "info print: t.qdk:1:102: print: b (kernel k, block 0, thread 3)\n"
	  "info print: t.qdk:1:71: print: a 4 (kernel k, block 0, thread 4)\n"
	  "info print: t.qdk:1:71: print: a 5 (kernel k, block 0, thread 5)\n"
	  "info print: t.qdk:1:71: print: a 6 (kernel k, block 1, thread 0)\n"
	  "info print: t.qdk:1:71: print: a 7 (kernel k, block 1, thread 1)\n"
	  "info print: t.qdk:1:102: print: b (kernel k, block 1, thread 1)\n" },
	/* In each iteration of a loop; in divergent control flow too. */
	{ 1, "block(4) { let t = block.thread_idx(); for j in 0..t { print(\"j\", j); } }", "",
	  "info print: t.qdk:1:96: print: j 0 (kernel k, block 0, thread 1)\n"
	  "info print: t.qdk:1:96: print: j 0 (kernel k, block 0, thread 2)\n"
	  "info print: t.qdk:1:96: print: j 1 (kernel k, block 0, thread 2)\n"
	  "info print: t.qdk:1:96: print: j 0 (kernel k, block 0, thread 3)\n"
	  "info print: t.qdk:1:96: print: j 1 (kernel k, block 0, thread 3)\n"
	  "info print: t.qdk:1:96: print: j 2 (kernel k, block 0, thread 3)\n" },
	/* Printing an undefined value is not a finding. */
	{ 1, "block(6) { let v = subgroup.shuffle(block.thread_idx(), 3); if block.thread_idx() == 4 { print(\"v\", v); } }",
	  "", "info print: t.qdk:1:130: print: v undefined (kernel k, block 0, thread 4)\n" },
	/* An assert that holds prints nothing; one that fails does not end the thread. */
	{ 1, "block(4) { assert(block.thread_idx() < 4, \"four threads\"); }", "", "" },
	{ 1, "block(8) { let t = block.thread_idx(); assert(t != 6, \"t is not 6\"); if t == 6 { print(\"on\"); } }",
	  "t.qdk:1:80: finding: assert fails in lane 2: t is not 6 (kernel k, block 0, thread 6)",
	  "info print: t.qdk:1:122: print: on (kernel k, block 0, thread 6)\n"
	  "error ref: t.qdk:1:80: finding: assert fails in lane 2: t is not 6 (kernel k, block 0, thread 6)\n" },
	{ QD_GRID, "block(8) { for i in grid(10) { assert(i > 100, \"padding threads do nothing\"); } }",
	  "t.qdk:1:72: finding: assert fails in lane 0: padding threads do nothing (kernel k, block 0, thread 0)\n"
	  "10 findings in total; the log contains more of them", NULL },
	/* Any nonzero scalar holds, as in an if. */
	{ 1, "block(4) { assert(block.thread_idx() + 1, \"not 0\"); assert(nan, \"neither\"); }", "", "" },
	/* Only if control flow reaches it, and once each time. */
	{ 1, "block(4) { if block.thread_idx() > 7 { assert(false, \"never\"); } }", "", "" },
	{ 1, "block(1) { for j in 0..3 { assert(j < 2, \"two rounds\"); } }",
	  "t.qdk:1:68: finding: assert fails in lane 0: two rounds (kernel k, block 0, thread 0)", NULL },
	/* An undefined condition is the finding. */
	{ 1, "block(6) { let v = subgroup.shuffle(block.thread_idx(), 3); if block.thread_idx() > 3 { assert(v > 9, \"v\"); } }",
	  "t.qdk:1:129: finding: the condition is undefined in lane 0: shuffle fetched it from lane 3, which was a padding thread; if the lane is inactive, use another value: select(c, fetched, other) (kernel k, block 0, thread 4)\nnote: t.qdk:1:60: it was fetched here\n"
	  "2 findings in total; the log contains more of them", NULL },
	/* In a function, at the position in that function; short-circuit evaluation. */
	{ 1, "block(1) { f(0u); f(3u); } fn f(n: u32) { assert(n == 0 || 7 / n == 7, \"n\"); }",
	  "t.qdk:1:83: finding: assert fails in lane 0: n (kernel k, block 0, thread 0)", NULL },
};

static void
spoken(struct unit_ctx *t)
{
	for (size_t i = 0; i < QD_COUNT(texts); i++) {
		char text[512];
		struct rig r;

		snprintf(text, sizeof text, "kernel k(src: in u32[], dst: out u32[]) %s", texts[i].body);
		if (!rig_open(&r, t, "ref:4"))
			return;
		qd_status st = run_text(&r, text, texts[i].n_blocks);

		rig_text(t, st ? r.err.text : "", texts[i].err);
		if (texts[i].log)
			rig_text(t, r.log, texts[i].log);
		rig_close(&r);
	}
}

static uint32_t n_lines;
static char last_line[128];

static void
count(void *user, qd_log_level level, const char *component, const char *msg, size_t len)
{
	(void)user, (void)level, (void)len;
	n_lines += strcmp(component, "print") == 0;
	snprintf(last_line, sizeof last_line, "%s", msg);
}

/* Checks the limit on the number of lines, the count of suppressed lines, and that each launch
 * starts anew. */
static void
bounded(struct unit_ctx *t)
{
	static const struct {
		const char *body, *last;
		uint32_t n;
	} rows[] = {
		{ "for j in 0..600 { print(\"j\", j); }", "print: kernel k: 176 more lines are not shown", 1025 },
		{ "for j in 0..512 { print(\"j\", j); }",
		  "t.qdk:1:70: print: j 511 (kernel k, block 0, thread 1)", 1024 },
	};
	struct qd_context_desc desc = { .version = QD_VERSION, .log = count };
	struct rig r = { .t = t };

	qd_status st = qd_context_create(&desc, &r.ctx, &r.err);
	st = st ? st : qd_device_open(r.ctx, "ref:4", &r.dev, &r.err);
	st = st ? st : qd_stream_create(r.dev, &r.stream, &r.err);
	for (size_t i = 0; i < QD_COUNT(rows) && !st; i++) {
		char text[128];

		n_lines = 0;
		snprintf(text, sizeof text, "kernel k(src: in u32[], dst: out u32[]) block(2) { %s }",
			 rows[i].body);
		st = run_text(&r, text, 1);
		UNIT_CHECK(t, n_lines == rows[i].n, "%u lines", n_lines);
		rig_text(t, last_line, rows[i].last);
	}
	UNIT_CHECK(t, !st, "%s", r.err.text);
	qd_stream_free(r.stream);
	qd_device_close(r.dev);
	qd_context_free(r.ctx);
}

/* -- Two concurrent launches ---------------------------------------------------------------- */

enum { N_LAUNCH = 20, LINES = 8 };

struct speaker {
	struct rig *r;
	struct qd_function *fn;
	qd_status st;
	struct qd_error err;
};

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t n_said[2], n_wrong;

/* Log callback: checks that each kernel's lines are in order, whatever the other kernel prints. */
static void
listen(void *user, qd_log_level level, const char *component, const char *msg, size_t len)
{
	const char *at = strstr(msg, "print: line "), *thread = strstr(msg, "thread ");
	int which = strstr(msg, "(kernel k1,") != NULL;

	(void)user, (void)level, (void)len;
	if (strcmp(component, "print") != 0)
		return;
	pthread_mutex_lock(&log_lock);
	uint32_t want = n_said[which]++ % LINES;
	n_wrong += !at || !thread || strtoul(at + 12, NULL, 10) != want * 2 + (unsigned)which ||
		   strtoul(thread + 7, NULL, 10) != want;
	pthread_mutex_unlock(&log_lock);
}

/* Kernels k0 and k1 of a text, on a device whose context has a log callback of the test. */
struct two {
	struct qd_module *m;
	struct qd_kernel *k[2];
	struct qd_function *fn[2];
};

static qd_status
two_open(struct rig *r, struct two *w, qd_log_fn *log, const char *device, const char *text)
{
	struct qd_context_desc desc = { .version = QD_VERSION, .log = log };
	qd_status st = qd_context_create(&desc, &r->ctx, &r->err);

	st = st ? st : qd_device_open(r->ctx, device, &r->dev, &r->err);
	st = st ? st : qd_module_parse(r->ctx, text, strlen(text), "t.qdk", &w->m, &r->err);
	for (int i = 0; i < 2 && !st; i++) {
		st = qd_module_kernel(w->m, i ? "k1" : "k0", NULL, 0, &w->k[i], &r->err);
		st = st ? st : qd_function_get(r->dev, w->k[i], NULL, 0, &w->fn[i], &r->err);
	}
	UNIT_CHECK(r->t, !st, "%s", r->err.text);
	return st;
}

/* Runs work in two threads, each with its element of users; size is that of one element. */
static void
two_run(void *(*work)(void *), void *users, size_t size)
{
	pthread_t thread[2];

	for (size_t i = 0; i < 2; i++)
		if (pthread_create(&thread[i], NULL, work, (char *)users + i * size))
			abort();
	for (size_t i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
}

static void
two_close(struct rig *r, struct two *w)
{
	for (int i = 0; i < 2; i++) {
		qd_function_free(w->fn[i]);
		qd_kernel_free(w->k[i]);
	}
	qd_module_free(w->m);
	qd_device_close(r->dev);
	qd_context_free(r->ctx);
}

static void *
speak(void *user)
{
	struct speaker *s = user;
	struct qd_stream *stream = NULL;

	s->st = qd_stream_create(s->r->dev, &stream, &s->err);
	for (int i = 0; i < N_LAUNCH && !s->st; i++) {
		s->st = qd_launch(stream, s->fn, 1, NULL, 0, &s->err);
		if (!s->st)
			s->st = qd_stream_sync(stream, &s->err);
	}
	qd_stream_free(stream);
	return NULL;
}

static void
apart(struct unit_ctx *t)
{
	static const char text[] =
		"kernel k0() block(8) { print(\"line\", block.thread_idx() * 2); }"
		"kernel k1() block(8) { print(\"line\", block.thread_idx() * 2 + 1); }";
	struct rig r = { .t = t };
	struct two w = { 0 };
	struct speaker s[2] = { { .r = &r }, { .r = &r } };

	n_said[0] = n_said[1] = n_wrong = 0;
	qd_status st = two_open(&r, &w, listen, "ref:4", text);
	s[0].fn = w.fn[0];
	s[1].fn = w.fn[1];
	if (!st)
		two_run(speak, s, sizeof s[0]);
	for (int i = 0; i < 2 && !st; i++) {
		UNIT_CHECK(t, !s[i].st, "%s", s[i].err.text);
		UNIT_CHECK(t, n_said[i] == N_LAUNCH * LINES, "%u lines", n_said[i]);
	}
	UNIT_CHECK(t, !n_wrong, "%u lines are wrong", n_wrong);
	two_close(&r, &w);
}

/* -- Two threads that print, fail and compute ------------------------------------------------ */

enum { N_REPORTED = 16 };

struct reporter {
	struct rig *r;
	struct qd_function *fn;
	uint32_t which, n_wrong;
	struct qd_error err; /* the first error */
};

static uint32_t n_reported[2], n_found[2], n_mixed;

/* Log callback: checks that lines of one launch are contiguous, and that findings name their own
 * kernel. */
static void
overhear(void *user, qd_log_level level, const char *component, const char *msg, size_t len)
{
	bool second = strstr(msg, "(kernel k1,") != NULL, print = strcmp(component, "print") == 0;
	const char *at = strstr(msg, "print: line ");

	(void)user, (void)level, (void)len;
	if (!print && strcmp(component, "ref") != 0)
		return;
	pthread_mutex_lock(&log_lock);
	if (print)
		n_mixed += !at || strtoul(at + 12, NULL, 10) != n_reported[second]++ % N_REPORTED;
	else if (!strstr(msg, second ? "assert fails in lane 1: no fourth" : "assert fails in lane 5: no five"))
		n_mixed++;
	else
		n_found[second]++;
	pthread_mutex_unlock(&log_lock);
}

static void *
print_and_compute(void *user)
{
	struct reporter *s = user;
	const char *own = s->which ? "(kernel k1," : "(kernel k0,";
	struct qd_stream *stream = NULL;
	struct qd_buffer *buf = NULL;
	uint32_t data[N_REPORTED];

	qd_status st = qd_stream_create(s->r->dev, &stream, &s->err);
	st = st ? st : qd_buffer_create(s->r->dev, sizeof data, 0, &buf, &s->err);
	s->n_wrong += st != QD_OK;
	for (uint32_t i = 0; i < N_LAUNCH && !st; i++) {
		struct qd_arg args[] = { qd_arg_buffer(buf), qd_arg_u32(i) };
		struct qd_error err = { 0 };

		memset(data, 0, sizeof data);
		st = qd_launch(stream, s->fn, QD_GRID, args, 2, &s->err);
		s->n_wrong += st != QD_OK;
		/* The results are available although the launch failed, and the error is this
		 * launch's. */
		s->n_wrong += qd_buffer_download(stream, buf, 0, data, sizeof data, &err) != QD_E_FINDING ||
			      !strstr(err.text, own);
		for (uint32_t j = 0; j < N_REPORTED; j++)
			s->n_wrong += data[j] != (j * 3 + s->which) * 1000 + i;
	}
	qd_buffer_free(buf);
	qd_stream_free(stream);
	return NULL;
}

static void
together(struct unit_ctx *t)
{
	static const char text[] =
		"kernel k0(a: out u32[], n: u32) block(8) { for i in grid(a.len) {"
		" print(\"line\", i); assert(i != 5, \"no five\"); a[i] = i * 3000 + n; } }"
		"kernel k1(a: out u32[], n: u32) block(4) { for i in grid(a.len) {"
		" print(\"line\", i); assert(i % 4 != 1, \"no fourth\"); a[i] = i * 3000 + 1000 + n; } }";
	struct rig r = { .t = t };
	struct two w = { 0 };
	struct reporter s[2] = { { .r = &r }, { .r = &r, .which = 1 } };

	memset(n_reported, 0, sizeof n_reported);
	memset(n_found, 0, sizeof n_found);
	n_mixed = 0;
	qd_status st = two_open(&r, &w, overhear, "ref:8", text);
	s[0].fn = w.fn[0];
	s[1].fn = w.fn[1];
	if (!st)
		two_run(print_and_compute, s, sizeof s[0]);
	for (uint32_t i = 0; i < 2 && !st; i++) {
		UNIT_CHECK(t, !s[i].n_wrong, "k%u: %u values or statuses are wrong: %s", i, s[i].n_wrong, s[i].err.text);
		UNIT_CHECK(t, n_reported[i] == N_LAUNCH * N_REPORTED, "k%u: %u lines", i, n_reported[i]);
		UNIT_CHECK(t, n_found[i] == N_LAUNCH * (i ? 4 : 1), "k%u: %u findings", i, n_found[i]);
	}
	UNIT_CHECK(t, !n_mixed, "%u messages are not where they belong", n_mixed);
	two_close(&r, &w);
}

/* -- Emitted code -------------------------------------------------------------------------- */

static const char *const targets[] = { "spirv:w8", "spirv:w32:-i64", "ptx:sm_50", "ptx:sm_90" };

/* Returns a copy of the kernel's code, and its size in *size. */
static void *
bytes(struct unit_ctx *t, struct qd_context *ctx, const struct qd_kernel *k, const char *target,
      size_t *size)
{
	struct qd_image *image = NULL;
	struct qd_error err = { 0 };
	const void *code = NULL;
	void *copy;

	*size = 0;
	if (!qd_compile(ctx, k, target, NULL, 0, &image, &err))
		code = qd_image_data(image, size);
	UNIT_CHECK(t, code, "%s: %s", target, err.text);
	copy = malloc(*size + 1);
	if (code && copy)
		memcpy(copy, code, *size);
	qd_image_free(image);
	return copy;
}

static void
same_code(struct unit_ctx *t, struct qd_context *ctx, struct qd_kernel *with,
	  struct qd_kernel *without, const char *what)
{
	for (size_t i = 0; i < QD_COUNT(targets) && with && without; i++) {
		size_t n[2];
		void *code[2];

		code[0] = bytes(t, ctx, with, targets[i], &n[0]);
		code[1] = bytes(t, ctx, without, targets[i], &n[1]);
		UNIT_CHECK(t, code[0] && code[1] && n[0] == n[1] && memcmp(code[0], code[1], n[0]) == 0,
			   "%s: %s: %zu bytes, without %zu", targets[i], what, n[0], n[1]);
		free(code[0]);
		free(code[1]);
	}
}

static struct qd_kernel *
parsed(struct unit_ctx *t, struct qd_context *ctx, const char *body)
{
	char text[1024];
	struct qd_module *m = NULL;
	struct qd_kernel *k = NULL;
	struct qd_error err = { 0 };

	snprintf(text, sizeof text, "fn ok(x: u32) { } kernel k(src: in u32[], dst: u32[], n: i32) block(40) { "
		 "shared s: u32[40]; for i in grid(src.len) { %s } }", body);
	UNIT_CHECK(t, !qd_module_parse(ctx, text, strlen(text), "t.qdk", &m, &err) &&
			   !qd_module_kernel(m, "k", NULL, 0, &k, &err), "%s", err.text);
	qd_module_free(m);
	return k;
}

/* Kernels with print and assert, and without them and the code that only they use. */
static const char *const pairs[][2] = {
	{ "print(\"i\", i); dst[i] = 1;", "dst[i] = 1;" },
	/* Leaves and constants of an assert are not shared with other code. */
	{ "assert(block.thread_idx() < 7 && n > 5, \"x\"); if n > 0 { dst[i] = block.thread_idx() * 5 + 7; } else { dst[i] = block.thread_idx() + 7; }",
	  "if n > 0 { dst[i] = block.thread_idx() * 5 + 7; } else { dst[i] = block.thread_idx() + 7; }" },
	{ "if i > 3 { print(\"y\", i * 5); dst[i] = 5; } else { assert(i < 5, \"z\"); dst[i] = i; }",
	  "if i > 3 { dst[i] = 5; } else { dst[i] = i; }" },
	/* Code that only the assert uses: loads, collectives, variables, ifs and calls. */
	{ "let x = src[i]; let m = subgroup.reduce_add(x); assert(m >= x, \"m\"); dst[i] = 3;", "dst[i] = 3;" },
	{ "let x = src[i]; let m = subgroup.reduce_add(x); assert(m >= x, \"m\"); dst[i] = x;",
	  "let x = src[i]; dst[i] = x;" },
	{ "let v = s[i]; print(\"v\", v); dst[i] = i;", "dst[i] = i;" },
	{ "var c = 0; for j in 0..n { if j > 2 { dst[i] = 4; c += 1; } print(\"c\", c); } assert(c < 9, \"c\");",
	  "for j in 0..n { if j > 2 { dst[i] = 4; } }" },
	{ "var a = 0; var b = 1; for j in 0..n { let t = a + b; a = b; b = t; dst[j] = 2; } print(\"fib\", a);",
	  "for j in 0..n { dst[j] = 2; }" },
	{ "if i == 3 { if n > 4 { print(\"deep\"); } else { assert(n < 1, \"n\"); } } dst[i] = 1;", "dst[i] = 1;" },
	{ "assert(i == 0 || src[i - 1] <= src[i], \"in order\"); dst[i] = 1;", "dst[i] = 1;" },
	{ "if n > 3 { print(\"out\"); continue; } dst[i] = 1;", "if n > 3 { continue; } dst[i] = 1;" },
	/* A variable that other code reads too remains. */
	{ "var c = 0u; for j in 0..n { c += src[j]; assert(c >= src[j], \"c\"); } dst[i] = c;",
	  "var c = 0u; for j in 0..n { c += src[j]; } dst[i] = c;" },
	/* A target without f64 does not need it for a print. */
	{ "print(\"third\", 1.0d / 3.0d); dst[i] = 1;", "dst[i] = 1;" },
	/* Operands with side effects remain. */
	{ "print(\"old\", atomic.add(dst[0], 1));", "atomic.add(dst[0], 1);" },
};

static void
vanishes(struct unit_ctx *t)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_context *ctx = NULL;

	UNIT_CHECK(t, !qd_context_create(&desc, &ctx, NULL), "a context");
	for (size_t i = 0; i < QD_COUNT(pairs) && ctx; i++) {
		struct qd_kernel *with = parsed(t, ctx, pairs[i][0]);
		struct qd_kernel *without = parsed(t, ctx, pairs[i][1]);

		same_code(t, ctx, with, without, pairs[i][0]);
		qd_kernel_free(with);
		qd_kernel_free(without);
	}
	qd_context_free(ctx);
}

static struct qd_kernel *
built(struct unit_ctx *t, struct qd_context *ctx, bool reports)
{
	struct qd_builder *b = NULL;
	struct qd_kernel *k = NULL;
	struct qd_error err = { 0 };

	qd_builder_create(ctx, "k", &b, &err);
	struct qd_array dst = qd_param_buffer(b, "dst", QD_TYPE_U32, QD_ACCESS_INOUT);
	struct qd_val i = qd_grid(b, qd_len(b, dst));
	struct qd_val x = qd_load(b, dst, i);
	if (reports) {
		struct qd_val sum = qd_subgroup_reduce_add(b, x);
		struct qd_val values[] = { x, sum, qd_lt(b, x, sum) };

		qd_assert(b, sum, "not 0");
		qd_print(b, "x", values, 3);
	}
	qd_store(b, dst, i, qd_add(b, x, x));
	UNIT_CHECK(t, !qd_builder_finish(b, &k, &err), "%s", err.text);
	return k;
}

/* Does the same for kernels of the builder; positions are call numbers. */
static void
from_c(struct unit_ctx *t)
{
	uint32_t dst[] = { 0, 3, 5 };
	struct io io[] = { IO(dst) };
	struct rig r;

	if (!rig_open(&r, t, "ref:4"))
		return;
	struct qd_kernel *with = built(t, r.ctx, true), *without = built(t, r.ctx, false);
	same_code(t, r.ctx, with, without, "built");
	UNIT_CHECK(t, with && !rig_launch(&r, with, QD_GRID, io, 1) && dst[2] == 10, "%s", r.err.text);
	rig_text(t, r.log,
		 "info print: call 8, qd_print: print: x 0 8 true (kernel k, block 0, thread 0)\n"
		 "info print: call 8, qd_print: print: x 3 8 true (kernel k, block 0, thread 1)\n"
		 "info print: call 8, qd_print: print: x 5 8 true (kernel k, block 0, thread 2)\n");
	qd_kernel_free(with);
	qd_kernel_free(without);
	rig_close(&r);
}

/* Checks that printed IR contains them and reads back. */
static void
printed(struct unit_ctx *t)
{
	static const char ir[] = "kernel \"k\"\nblock 4 1 1\n{\n"
				 "  %1 = const bool 0x1\n  %2 = const f32 0x3f800000\n"
				 "  assert \"why \\\"so\\\"\" %1\n  print \"nothing\" _\n"
				 "  %5 = pack f32 %2 _\n  %6 = pack bool %1 %5\n  print \"two\" %6\n}\n";
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_context *ctx = NULL;
	struct qd_kernel *k = NULL;
	struct qd_error err = { 0 };
	char got[1024] = "";
	size_t len = 0;

	UNIT_CHECK(t, !qd_context_create(&desc, &ctx, &err), "a context");
	UNIT_CHECK(t, !qd_kernel_read(ctx, ir, strlen(ir), "t.ir", &k, &err), "%s", err.text);
	if (k)
		qd_kernel_print(k, got, sizeof got, &len, &err);
	UNIT_CHECK(t, strcmp(got, ir) == 0, "%s", got);
	qd_kernel_free(k);
	qd_context_free(ctx);
}

const struct unit units_assert_print[] = {
	{ "assert_print.spoken", spoken },	{ "assert_print.bounded", bounded }, { "assert_print.apart", apart },
	{ "assert_print.together", together },
	{ "assert_print.vanishes", vanishes }, { "assert_print.from_c", from_c },   { "assert_print.printed", printed },
};
const unsigned n_units_assert_print = QD_COUNT(units_assert_print);
