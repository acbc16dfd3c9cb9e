/* gcn_uniform [RULE]: runs kernels with groups of scalar loads (gen/uniform.c) and pairs of loads of shared
 * arrays (gen/pair.c) on the emulator, for five targets, and compares their results with the interpreter's. Buffers are shorter than the
 * elements that a kernel reads, exactly as long, and longer; indices wrap. Each kernel must have a
 * group. A kernel whose registers or branches do not suffice for groups is compiled without. Then each rule of these files is omitted: a wrong result or a finding must follow.
 *
 * The program compiles the generator again, with GEN_RULES. With a RULE, it is omitted from the start,
 * so the program fails. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qd.h"

enum { MOST_LEN = 64, THREADS = 64, MASKS = 41, PENDING = 63, LARGE_LINES = 4600, LARGE_TEXT = 1 << 19 };

static const char *const targets[] = { "emu:gfx906", "emu:gfx942", "emu:gfx1030", "emu:gfx1100", "emu:gfx1201" };
static const char *const rules[] = { "TEST", "WRAP", "LIVE", "NUMBER", "STORE", "FULL", "SIZE" };

/* -- Rules ---------------------------------------------------------------------------------------- */

bool gen_rule(const char *name);

static const char *omitted;
static uint64_t n_asked;

bool
gen_rule(const char *name)
{
	n_asked++;
	return !omitted || strcmp(name, omitted) != 0;
}

/* -- Kernels -------------------------------------------------------------------------------------- */

#define SUM(at) at(0) + 3 * at(1) + 5 * at(2) + 7 * at(3) + 9 * at(4) + 11 * at(5) + 13 * at(6) + 15 * at(7)
#define TEXT2(x) #x
#define TEXT(x)	 TEXT2(x)
#define CONSTANT(c) a[c]
#define FROM_P(c)   a[p + c]
#define FROM_Q(c)   a[q + 1 + c]

static const struct {
	const char *name, *text;
} kernels[] = {
	{ "constants", "for i in grid(dst.len) { dst[i] = i + " TEXT(SUM(CONSTANT)) "; }" },
	{ "a gap", "for i in grid(dst.len) { dst[i] = i + a[3] + 3 * a[4] + 5 * a[5] + 7 * a[8] + 9 * a[9]; }" },
	{ "a value", "for i in grid(dst.len) { dst[i] = i ^ (" TEXT(SUM(FROM_P)) "); }" },
	{ "no active lane", "for i in grid(dst.len) { var x = i; if i > 5 * p { if i > 7 * p { x = x * x + " TEXT(
				    SUM(CONSTANT)) "; dst[i] = x; } } }" },
	/* The first index is read last from the value's register. */
	{ "a value that ends",
	  "for i in grid(dst.len) { let q = p * 3 + i32_u32(p); let r = (q + 1) ^ p; let t = r * 5;"
	  " dst[i] = i ^ t ^ (" TEXT(SUM(FROM_Q)) "); }" },
	{ "lds",
	  "shared s: u32[64]; let t = block.thread_idx(); s[t] = 7 * t; block.sync();"
	  " let x = s[63 - t] * 3; dst[t] = x + " TEXT(SUM(CONSTANT)) ";" },
	{ "a store between two loads of an array",
	  "shared s: u32[128]; let t = block.thread_idx(); s[2 * t] = p + t; s[2 * t + 1] = 3 * t;"
	  " let x = s[2 * t]; s[2 * t + 1] = 5 * x; dst[t] = x + s[2 * t + 1] + " TEXT(SUM(CONSTANT)) ";" },
	{ "an array that is far",
	  "shared r: u32[512]; shared s: u32[256]; let t = block.thread_idx();"
	  " for k in 0..8u { r[64 * k + t] = p + k * t; } for k in 0..4u { s[64 * k + t] = p ^ k * t; } block.sync();"
	  " let u = 63 - t; dst[t] = s[u] + 3 * s[u + 64] + 5 * s[u + 128] + 7 * s[u + 192] + 9 * r[u] + 11 * r[u + 128]"
	  " + 13 * r[u + 320] + 15 * r[u + 448] + " TEXT(SUM(CONSTANT)) ";" },
};

static const char head[] = "fn i32_u32(x: u32) -> u32 { return x << 1; }\n"
			   "kernel k(a: in u32[], dst: u32[], p: u32) block(64) { ";

/* Writes a kernel whose code is too long for a branch over all of it. */
static void
write_large(char *text)
{
	char *at = text + sprintf(text, "%slet t = block.thread_idx(); var x = t + %s;\n", head, TEXT(SUM(CONSTANT)));

	for (int i = 0; i < LARGE_LINES; i++)
		at += sprintf(at, "x = (x ^ %d) * (x + t) + (x * t ^ x >> %d);\n", 100 + i, 1 + i % 30);
	sprintf(at, "dst[t] = x; }");
}

/* Writes a kernel with so many masks of lanes that, in waves of 64, results of scalar loads do not fit. */
static void
write_masks(char *text)
{
	char *at = text + sprintf(text, "%slet t = block.thread_idx(); var x = t;\n", head);

	for (int i = 0; i < MASKS; i++)
		at += sprintf(at, "let g%d = a[%d]; let m%d = t * %d > x;\n", i, i % 16, i, 2 * i + 1);
	for (int i = 0; i < 2 * MASKS; i++)
		at += sprintf(at, "x = select(m%d, x * 3, x ^ g%d);\n", i % MASKS, i % 16);
	sprintf(at, "dst[t] = x; }");
}

/* Writes a kernel whose group follows as many outstanding loads as the generator tracks. */
static void
write_pending(char *text)
{
	char *at = text + sprintf(text, "%slet t = block.thread_idx(); var x = t;\n", head);

	for (int i = 0; i < PENDING; i++)
		at += sprintf(at, "let g%d = a[t + %d];\n", i, i);
	for (int i = 0; i < 9; i++)
		at += sprintf(at, "let h%d = a[p + %d] * %d;\n", i, i, i + 3);
	for (int i = 0; i < 9; i++)
		at += sprintf(at, "x = x * 3 + h%d;\n", i);
	for (int i = 0; i < PENDING; i++)
		at += sprintf(at, "x = x * 5 + g%d;\n", i);
	sprintf(at, "dst[t] = x; }");
}

/* -- Runs -------------------------------------------------------------------------------------------- */

static bool
run(struct qd_device *dev, const char *text, uint32_t len, uint32_t p, uint32_t *dst, struct qd_error *err)
{
	uint32_t a[MOST_LEN];
	struct qd_arg args[3];

	for (uint32_t i = 0; i < len; i++)
		a[i] = 1000003 * i + 12345;
	memset(dst, 0, THREADS * sizeof *dst);
	args[0] = qd_arg_host(a, len * sizeof *a);
	args[1] = qd_arg_host(dst, THREADS * sizeof *dst);
	args[2] = qd_arg_u32(p);
	return !qd_run(dev, text, strlen(text), NULL, NULL, NULL, 0, strstr(text, "grid(") ? QD_GRID : 1, args, 3, err);
}

/* Returns whether the device stores what the interpreter does. A large kernel runs with few
 * arguments. */
static bool
is_same(struct qd_device *dev, struct qd_device *ref, const char *text, bool says)
{
	const bool large = strlen(text) > 1 << 14;
	static const uint32_t lengths[] = { 0, 1, 3, 7, 8, 9, 10, 20, 64 };
	static const uint32_t starts[] = { 0, 1, 5, 12, 13, 0x3fffffff, 0x40000000, 0x7fffffff, 0xfffffff8, 0xffffffff };

	for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l += large ? 4 : 1)
		for (size_t s = 0; s < sizeof starts / sizeof *starts; s += large ? 100 : 1) {
			struct qd_error err = { 0 };
			uint32_t want[THREADS], got[THREADS];
			bool ran = run(dev, text, lengths[l], starts[s], got, &err);

			if (!run(ref, text, lengths[l], starts[s], want, &err))
				printf("ref: %s\n", err.text);
			if (ran && !memcmp(want, got, sizeof got))
				continue;
			if (says)
				printf("%u elements, p = 0x%x: %s\n", lengths[l], starts[s], ran ? "wrong values" : err.text);
			return false;
		}
	return true;
}

/* Runs a kernel on all targets. Returns the number of targets on which it is right. */
static size_t
try(const char *name, const char *text)
{
	const size_t n = sizeof targets / sizeof *targets;
	size_t right = 0;

	for (size_t t = 0; t < n; t++) {
		struct qd_context_desc desc = { .version = QD_VERSION };
		struct qd_context *ctx;
		struct qd_device *dev, *ref;
		struct qd_error err = { 0 };

		if (qd_context_create(&desc, &ctx, &err) || qd_device_open(ctx, targets[t], &dev, &err) ||
		    qd_device_open(ctx, "ref:64", &ref, &err)) {
			printf("%s: %s\n", targets[t], err.text);
			exit(1);
		}
		n_asked = 0;
		const bool same = is_same(dev, ref, text, !omitted);
		if (!omitted && (!same || !n_asked))
			printf("%s on %s: %s\n", name, targets[t], same ? "no group of loads" : "differs");
		right += same && n_asked;
		qd_device_close(dev);
		qd_device_close(ref);
		qd_context_free(ctx);
	}
	return right;
}

/* Returns whether all kernels are right on all targets. */
static bool
try_all(void)
{
	static char text[LARGE_TEXT];
	const size_t n = sizeof targets / sizeof *targets;
	bool right = true;

	for (size_t k = 0; right && k < sizeof kernels / sizeof *kernels; k++) {
		snprintf(text, sizeof text, "%s%s }", head, kernels[k].text);
		right = try(kernels[k].name, text) == n;
	}
	write_masks(text);
	right = right && try("many masks", text) == n;
	snprintf(text, sizeof text, "kernel k(a: in u16[], dst: u32[], p: u32) block(64) { %s }", kernels[0].text);
	right = right && try("small elements", text) == n;
	write_pending(text);
	right = right && try("many loads", text) == n;
	write_large(text);
	return right && (omitted || try("a large body", text) == n);
}

int
main(int argc, char **argv)
{
	int status = 0;

	setbuf(stdout, NULL);
	omitted = argc > 1 ? argv[1] : NULL;
	if (!try_all())
		return 1;
	for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
		omitted = rules[r];
		if (try_all()) {
			printf("without %s no test fails\n", rules[r]);
			status = 1;
		}
	}
	printf("%zu kernels on %zu targets, %zu rules\n", sizeof kernels / sizeof *kernels + 4, sizeof targets / sizeof *targets,
	       sizeof rules / sizeof *rules);
	return status;
}
