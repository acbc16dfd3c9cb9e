/* Fuzz target: bytes as PTX: parsed, and each entry run in two blocks with a buffer. Nothing may
 * crash, leak memory or take seconds. Every error has a position and a reason. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "emu_kernels.h"
#include "text.h"

enum { WORDS = 512, STEPS = 2000, SECONDS = 5 };

/* clang-format off */
const char *const fuzz_words[] = {
	".version", ".target", ".visible", ".entry", ".func", ".param", ".reg", ".shared", ".global", ".const", ".local",
	".align", ".extern", ".branchtargets", ".b8", ".b16", ".b32", ".b64", ".u32", ".s64", ".f32", ".f64", ".pred",
	"%r<9>", "%rd<3>", "%p<4>", "{", "}", "(", ")", "[", "]", "<", ">", ",", ";", ":", "|", "!", "@%p1", "@!%p2", "_",
	"%r1", "%r2", "%r3", "%rd1", "%rd2", "%f1", "%p1", "%tid.x", "%laneid", "%lanemask_lt", "%clock64", "0", "1", "-1",
	"31", "0x1f1f", "0f3f800000", "0d3ff0000000000000", "4294967295", "1.5", "$L", "L: ", "bra L;", "ret;", "exit;", "trap;",
	"bar.sync 0;", "bar.sync 1, 32;", "bar.arrive 1, 64;", "bar.warp.sync -1;", "shfl.sync.idx.b32", "vote.sync.ballot.b32", "call",
	"call.uni", "mov.u32", "add.s32", "ld.global.u32", "st.global.u32", "ld.shared.v4.u32", "atom.global.add.u32", "setp.lt.u32",
	"cvt.rn.f32.s32", "cp.async.ca.shared.global", "cp.async.wait_all;", "brx.idx", "// ", "/*", "*/", "\"", ".x", ".sat", ".cc",
};
/* clang-format on */
const size_t fuzz_n_words = QD_COUNT(fuzz_words);

static void
broken(const char *what, const char *detail)
{
	fprintf(stderr, "fuzz: %s: %s\n", what, detail);
	abort();
}

static bool
injected(const char *name)
{
	const char *s = getenv("QD_FUZZ_MUTATION");

	return s && !strcmp(s, name);
}

static void
check_error(qd_status st, const struct qd_error *e)
{
	if (st == QD_OK)
		return;
	if (st != e->code || !*e->text)
		broken("an error without a text", e->text);
	if ((st == QD_E_SYNTAX || st == QD_E_TARGET || st == QD_E_FINDING) && (!e->line || !e->col))
		broken("an error without a position", e->text);
	if (st == QD_E_INTERNAL)
		broken("an internal error", e->text);
}

static void
run_entries(struct pool *pool, const struct ptx_module *m, const char *name)
{
	static _Alignas(64) uint32_t words[WORDS];
	uint64_t params[4096];
	struct ptx_range range = { (uintptr_t)words, sizeof words };
	struct ptx_launch l = { .entry = name ? ptx_module_entry(m, name) : ptx_module_first(m),
				.grid = { 2, 1, 1 },
				.block = { 48, 1, 1 },
				.dynamic_shared = 256,
				.params = params,
				.ranges = &range,
				.n_ranges = 1,
				.max_steps = STEPS,
				.seed = 5 };
	struct qd_error e = { 0 };

	if (!l.entry || l.entry->params_size > sizeof params)
		return;
	for (size_t i = 0; i < QD_COUNT(params); i++)
		params[i] = i == 2 ? 100 : (uintptr_t)words;
	for (size_t i = 0; i < WORDS; i++)
		words[i] = (uint32_t)(i * i);
	check_error(ptx_run(pool, &l, &e), &e);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct unit_alloc mem;
	struct qd_allocator hooks;
	struct ptx_module *m = NULL;
	struct qd_error e = { 0 };
	struct pool pool;
	clock_t began = clock();

	unit_alloc_init(&mem);
	hooks = unit_alloc_hooks(&mem);
	pool_init(&pool, &hooks);
	qd_status st = ptx_module_parse(&pool, (const char *)data, size, &m, &e);

	check_error(st, &e);
	if ((st == QD_OK) != (m != NULL))
		broken("a module in addition to an error", e.text);
	if (m) {
		run_entries(&pool, m, NULL);
		for (unsigned k = 0; k < emu_n_kernels; k++)
			run_entries(&pool, m, emu_kernels[k].name);
	}
	if (!injected("leak"))
		ptx_module_free(m);
	pool_fini(&pool);
	if (mem.n_out)
		broken("memory is left", "");
	unit_alloc_fini(&mem);
	if ((double)(clock() - began) / CLOCKS_PER_SEC > SECONDS || injected("slow"))
		broken("this takes seconds", "");
	return 0;
}

size_t
fuzz_seed(size_t i, uint8_t *out, size_t cap)
{
	if (i >= emu_n_texts || emu_texts[i].len > cap)
		return 0;
	memcpy(out, emu_texts[i].text, emu_texts[i].len);
	return emu_texts[i].len;
}
