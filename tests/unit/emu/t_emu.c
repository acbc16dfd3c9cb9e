/* Devices emu:sm_NN: selectors, unsupported kernels, and findings reported when the stream is
 * synchronized. The conformance cases test results, t_emu_ptx.c the parsing and execution of
 * PTX. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa.h"
#include "unit.h"

extern const struct isa isa_ptx, isa_amdgcn;
extern const struct unit units_emu[];
extern const unsigned n_units_emu;

struct rig {
	struct unit_ctx *t;
	struct qd_context *ctx;
	struct qd_device *dev;
	struct qd_error e;
};

static bool
rig_open(struct rig *r, struct unit_ctx *t, const char *selector)
{
	struct qd_context_desc desc = { .version = QD_VERSION };

	*r = (struct rig){ .t = t };
	UNIT_CHECK(t, !qd_context_create(&desc, &r->ctx, &r->e), "%s", r->e.text);
	UNIT_CHECK(t, !qd_device_open(r->ctx, selector, &r->dev, &r->e), "%s", r->e.text);
	return r->dev != NULL;
}

static void
rig_close(struct rig *r)
{
	qd_device_close(r->dev);
	qd_context_free(r->ctx);
}

/* -- Selectors ------------------------------------------------------------------------- */

/* Writes the targets of a back end without this prefix. Returns the length. */
static int
numbers(const struct isa *isa, const char *prefix, char *out, size_t cap)
{
	char one[32];
	int n = 0;

	for (uint32_t i = 0; isa->choice(i, one, sizeof one); i++)
		n += snprintf(out + n, cap - (size_t)n, "%s%s", i ? ", " : "", one + strlen(prefix));
	return n;
}

static void
selectors(struct unit_ctx *t)
{
	static const char *const good[][2] = {
		{ "emu", "ptx:sm_90" },		 { "emu:sm_50", "ptx:sm_50" },
		{ "emu:sm_121", "ptx:sm_121" }, { "emu:sm_80:w32", "ptx:sm_80" },
		{ "emu:w16", "ptx:sm_90:w16" }, { "emu:sm_70:w64", "ptx:sm_70:w64" },
		{ "emu:gfx1100", "gfx1100" },	{ "emu:gfx1100:w64", "gfx1100:w64" },
		{ "emu:gfx906:w32", "gfx906:w32:h64" },
	};
	static const char *const bad[] = { "gfx700", "sm_", "sm_9x", "sm_91", "sm_90a" };
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_context *ctx;
	struct qd_error e;

	if (qd_context_create(&desc, &ctx, &e))
		return;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct qd_device *dev;
		qd_status st = qd_device_open(ctx, good[i][0], &dev, &e);
		UNIT_CHECK(t, !st && strcmp(qd_device_target(dev), good[i][1]) == 0, "%s: %s",
			   good[i][0], st ? e.text : qd_device_target(dev));
		qd_device_close(dev);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct qd_device *dev;
		char selector[32], want[512];
		snprintf(selector, sizeof selector, "emu:%s", bad[i]);
		int n = snprintf(want, sizeof want, "device selector '%s': the target is not emulated; expected emu:sm_NN, NN one of ",
				 selector);
		n += numbers(&isa_ptx, "ptx:sm_", want + n, sizeof want - (size_t)n);
		n += snprintf(want + n, sizeof want - (size_t)n, "; or emu:gfxNN, NN one of ");
		numbers(&isa_amdgcn, "gfx", want + n, sizeof want - (size_t)n);
		qd_status st = qd_device_open(ctx, selector, &dev, &e);
		UNIT_CHECK(t, st == QD_E_NOT_FOUND && strcmp(e.text, want) == 0, "%s, not %s", e.text, want);
	}
	qd_context_free(ctx);
}

/* Checks invalid environment variables. */
static void
environment(struct unit_ctx *t)
{
	static const char *const names[] = { "QD_EMU_STEPS", "QD_EMU_SEED" };
	static const char *const says[] = {
		"QD_EMU_STEPS='x': expected the limit of operations per thread and launch, an integer from 1 to 999999999999999999",
		"QD_EMU_SEED='x': expected an integer of at most 18 digits",
	};
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_context *ctx;
	struct qd_device *dev;
	struct qd_error e;

	if (qd_context_create(&desc, &ctx, &e))
		return;
	for (int i = 0; i < 2; i++) {
		const char *old = getenv(names[i]);
		char *kept = old ? strdup(old) : NULL;
		setenv(names[i], "x", 1);
		UNIT_CHECK(t, qd_device_open(ctx, "emu", &dev, &e) == QD_E_INVALID &&
				      strcmp(e.text, says[i]) == 0, "%s", e.text);
		if (kept)
			setenv(names[i], kept, 1);
		else
			unsetenv(names[i]);
		free(kept);
	}
	qd_context_free(ctx);
}

/* -- Launches ----------------------------------------------------------------------------- */

/* Launches one block of a kernel with one buffer of 64 words. Returns the status of the wait. */
static qd_status
launch(struct rig *r, const char *qdk, uint32_t words[64])
{
	struct qd_module *m = NULL;
	struct qd_kernel *k = NULL;
	struct qd_function *fn = NULL;
	struct qd_stream *s = NULL;
	struct qd_buffer *b = NULL;
	qd_status st = qd_module_parse(r->ctx, qdk, strlen(qdk), "t.qdk", &m, &r->e);

	if (!st)
		st = qd_module_kernel(m, "k", NULL, 0, &k, &r->e);
	if (!st)
		st = qd_stream_create(r->dev, &s, &r->e);
	if (!st)
		st = qd_buffer_create(r->dev, 64 * 4, 0, &b, &r->e);
	if (!st)
		st = qd_buffer_upload(s, b, 0, words, 64 * 4, &r->e);
	if (!st)
		st = qd_function_get(r->dev, k, NULL, 0, &fn, &r->e);
	UNIT_CHECK(r->t, !st, "%s", r->e.text);
	struct qd_arg arg = qd_arg_buffer(b);
	if (!st)
		st = qd_launch(s, fn, 1, &arg, 1, &r->e);
	if (!st)
		st = qd_buffer_download(s, b, 0, words, 64 * 4, &r->e);
	qd_buffer_free(b);
	qd_stream_free(s);
	qd_kernel_free(k);
	qd_module_free(m);
	return st;
}

/* Checks that a finding ends the launch with a status, which is reported once, and that the results
 * are available. */
static void
findings(struct unit_ctx *t)
{
	static const struct {
		const char *qdk, *place, *says;
	} rows[] = {
		{ "kernel k(a: u32[]) block(32) assume_in_bounds(\"to be found\") { a[3] = 7;\n"
		  "  a[block.thread_idx() + 100] = 1; }",
		  "t.qdk:2:3: finding: ",
		  "4 bytes at 0x" },
		{ "kernel k(a: u32[]) block(32) { a[3] = 7; block.sync();\n"
		  "  while atomic.load(a[0]) == 0 { grid.mem_fence(); } }",
		  "t.qdk:2:",
		  "the thread has executed 20000 instructions and has not ended" },
	};
	uint32_t words[64];
	struct rig r;
	const char *old = getenv("QD_EMU_STEPS");
	char *kept = old ? strdup(old) : NULL;

	setenv("QD_EMU_STEPS", "20000", 1);
	if (!rig_open(&r, t, "emu:sm_70"))
		return;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		memset(words, 0, sizeof words);
		qd_status st = launch(&r, rows[i].qdk, words);
		UNIT_CHECK(t, st == QD_E_FINDING && strstr(r.e.text, rows[i].says) &&
				      strncmp(r.e.text, rows[i].place, strlen(rows[i].place)) == 0 &&
				      strstr(r.e.text, " of the PTX of kernel k)"),
			   "row %zu: %d, %s", i, (int)st, r.e.text);
		UNIT_CHECK(t, words[3] == 7, "row %zu: the written data is missing", i);
	}
	memset(words, 0, sizeof words);
	UNIT_CHECK(t, !launch(&r, "kernel k(a: u32[]) block(32) { a[block.thread_idx()] = 5; }", words) &&
			      words[31] == 5 && words[32] == 0, "%s", r.e.text);
	rig_close(&r);
	if (kept)
		setenv("QD_EMU_STEPS", kept, 1);
	else
		unsetenv("QD_EMU_STEPS");
	free(kept);
}

/* Checks blocks that are not a whole number of warps, and blocks that wait for other blocks. */
static void
blocks(struct unit_ctx *t)
{
	uint32_t words[64] = { 0 };
	struct rig r;

	if (!rig_open(&r, t, "emu:sm_90"))
		return;
	UNIT_CHECK(t, !launch(&r, "kernel k(a: u32[]) block(37) { a[block.thread_idx()] = "
				  "u32(subgroup.reduce_add(1)); }", words), "%s", r.e.text);
	UNIT_CHECK(t, words[0] == 32 && words[31] == 32 && words[32] == 5 && words[36] == 5 && !words[37],
		   "%u %u %u %u", words[0], words[32], words[36], words[37]);
	rig_close(&r);
}

/* Checks elements of shared arrays whose index is a sum with a constant: sums that wrap, and an
 * address that lanes outside an `if` need again. Detects constants in the wrong offset, and shared
 * addresses that are used in lanes in which they were not computed. */
/* Checks a lane index that is a masked product, which the shuffle masks again. */
static void
masked_lanes(struct unit_ctx *t)
{
	static const char *const devices[] = { "emu:gfx906", "emu:gfx1030", "emu:gfx1100", "emu:gfx1201" };
	static const char qdk[] =
		"kernel k(a: u32[]) block(64) { for i in grid(a.len) {\n"
		"  let x = a[i]; a[i] = subgroup.shuffle(x, (x & 255) * 3 & 31) + subgroup.shuffle(x, x * 0x1000003 & 31); } }\n";
	struct rig r;

	for (size_t d = 0; d < QD_COUNT(devices); d++) {
		const uint32_t lanes = d ? 32 : 64;
		uint32_t words[64], n_wrong = 0;
		for (uint32_t i = 0; i < 64; i++)
			words[i] = i;
		if (rig_open(&r, t, devices[d])) {
			qd_status st = launch(&r, qdk, words);
			UNIT_CHECK(t, !st, "%s: %s", devices[d], r.e.text);
		}
		rig_close(&r);
		for (uint32_t i = 0; i < 64; i++) {
			const uint32_t first = i / lanes * lanes;
			n_wrong += words[i] != 2 * first + (i * 3 & 31) + (i * 0x1000003 & 31);
		}
		UNIT_CHECK(t, !n_wrong, "%s: %u values are wrong", devices[d], n_wrong);
	}
}

static void
shared_sums(struct unit_ctx *t)
{
	static const char *const devices[] = { "emu:gfx906", "emu:gfx942", "emu:gfx1100", "emu:gfx1201" };
	static const char qdk[] =
		"kernel k(a: u32[]) block(64) { shared s: u32[128]; shared r: u32[160];\n"
		"  let t = block.thread_idx(); let x = a[t];\n"
		"  s[t] = 5 * t; s[t + 64] = 7 * t; r[t] = 0; r[t + 64] = 0; block.sync();\n"
		"  if (x & 3) == 0 { r[x + 3] = 1000; }\n"
		"  r[x + 70] = t;\n"
		"  block.sync();\n"
		"  a[t] = s[x + 1] + s[x + 65] + r[t + 2] + r[t + 69]; }\n";
	struct rig r;

	for (size_t d = 0; d < QD_COUNT(devices); d++) {
		uint32_t words[64], n_wrong = 0;
		for (uint32_t i = 0; i < 64; i++)
			words[i] = i - 1;
		if (rig_open(&r, t, devices[d])) {
			qd_status st = launch(&r, qdk, words);
			UNIT_CHECK(t, !st, "%s: %s", devices[d], r.e.text);
		}
		rig_close(&r);
		for (uint32_t i = 0; i < 64; i++)
			n_wrong += words[i] != 13 * i + (i % 4 == 1 ? 1000 : 0);
		UNIT_CHECK(t, !n_wrong, "%s: %u values are wrong", devices[d], n_wrong);
	}
}

const struct unit units_emu[] = {
	{ "emu.selectors", selectors },
	{ "emu.environment", environment },
	{ "emu.findings", findings },
	{ "emu.blocks", blocks },
	{ "emu.shared_sums", shared_sums },
	{ "emu.masked_lanes", masked_lanes },
};
const unsigned n_units_emu = sizeof units_emu / sizeof *units_emu;
