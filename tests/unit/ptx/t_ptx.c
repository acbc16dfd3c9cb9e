/* PTX back end: target names, the head of a module, and the text of single operations by target.
 * Complete modules are checked elsewhere, by ptxas and the PTX interpreter. */
#include <stdio.h>
#include <stdlib.h>

#include "isa.h"
#include "unit.h"

extern const struct unit units_ptx[];
extern const unsigned n_units_ptx;

/* -- Targets ------------------------------------------------------------------------- */

static void
target_names(struct unit_ctx *t)
{
	static const char *const names[][2] = {
		{ "ptx", "ptx:sm_70" },
		{ "ptx:sm_90", "ptx:sm_90" },
		{ "ptx:w32:sm_121", "ptx:sm_121" },
		{ "ptx:s1024:sm_86:b512", "ptx:sm_86:b512:s1024" },
		{ "ptx:b1024:s49152", "ptx:sm_70" },
		{ "ptx:h32:sm_80", "ptx:sm_80" },
	};
	static const char *const wrong[] = { "ptx:",	   "ptx:sm_91",	 "ptx:sm_",  "ptx:sm_090",
					     "ptx:h16",	   "ptx:sm_90a", "ptx:90",   "ptx:+f64",
					     "ptx:sm_70:", "ptx:b31:b3", "ptx:sm-70", "ptx:b1025", "ptx:s49153",
					     "ptx:a4104" };
	struct target g;
	struct qd_error err;

	for (size_t i = 0; i < QD_COUNT(names); i++) {
		qd_status st = isa_target(names[i][0], &g, &err);
		UNIT_CHECK(t, !st && strcmp(g.m.name, names[i][1]) == 0, "%s is %s", names[i][0],
			   st ? err.text : g.m.name);
		UNIT_CHECK(t, !st && g.m.subgroup_size == 32 && g.m.log2_size == 5, "%s", names[i][0]);
	}
	for (size_t i = 0; i < QD_COUNT(wrong); i++)
		UNIT_CHECK(t, isa_target(wrong[i], &g, &err) == QD_E_INVALID, "%s", wrong[i]);
	isa_target("ptx:sm_91", &g, &err);
	UNIT_CHECK(t, strcmp(err.text,
			     "target 'ptx' has no option 'sm_91'; it takes one of sm_50, sm_52, sm_53, "
			     "sm_60, sm_61, sm_62, sm_70, sm_72, sm_75, sm_80, sm_86, sm_87, sm_88, "
			     "sm_89, sm_90, sm_100, sm_103, sm_110, sm_120, sm_121, wN (N one of 4, "
			     "8, 16, 32, 64, 128), and facts (the code relies on launch facts), bN "
			     "(threads of a block), gN (subgroups of a block), sN (bytes of shared "
			     "memory), aN (bytes of arguments that a launch carries, a multiple of 8)") == 0,
		   "%s", err.text);
	static const char *const hints[][2] = {
		{ "ptx:sm_90a", "has no option 'sm_90a' (code for a single processor is not emitted: remove the letter); it" },
		{ "ptx:90", "has no option '90' (a processor is sm_NN); it" },
		{ "ptx:sm90", "has no option 'sm90' (a processor is sm_NN); it" },
		{ "ptx:h64", "has no option 'h64' (a warp has 32 lanes); it" },
		{ "ptx:b2048", "target 'ptx': a kernel has at most 1024 threads in a block (b), 49152 bytes of shared memory (s) and 4096 of arguments (a)" },
	};
	for (size_t i = 0; i < QD_COUNT(hints); i++)
		UNIT_CHECK(t, isa_target(hints[i][0], &g, &err) && strstr(err.text, hints[i][1]), "%s", err.text);
	UNIT_CHECK(t, !isa_target("ptx:w16:sm_80", &g, &err) && !strcmp(g.m.name, "ptx:sm_80:w16") &&
			   g.m.subgroup_size == 16 && g.m.lanes == 32 && g.m.log2_size == 4,
		   "parts of warps");
	isa_target("ptx:b16", &g, &err);
	UNIT_CHECK(t, strcmp(err.text, "target 'ptx': a block of 16 threads is smaller than a subgroup of 32") == 0, "%s", err.text);
}

/* -- Text ----------------------------------------------------------------------------- */

struct text {
	struct unit_ctx *t;
	struct qd_context *ctx;
	const char *s;
	struct qd_image *image;
	char *copy;
};

/* Returns the PTX of a kernel, or "" on error. */
static const char *
ptx_of(struct text *x, const char *target, const char *qdk)
{
	struct qd_module *m = NULL;
	struct qd_kernel *own = NULL;
	struct qd_error err = { 0 };
	size_t size = 0;
	const void *code = NULL;

	qd_image_free(x->image);
	free(x->copy);
	x->image = NULL;
	x->copy = NULL;
	qd_status st = qd_module_parse(x->ctx, qdk, strlen(qdk), "t.qdk", &m, &err);
	if (!st)
		st = qd_module_kernel(m, qd_module_kernel_name(m, 0), NULL, 0, &own, &err);
	if (!st)
		st = qd_compile(x->ctx, own, target, NULL, 0, &x->image, &err);
	UNIT_CHECK(x->t, !st, "%s: %s", target, err.text);
	if (!st)
		code = qd_image_data(x->image, &size);
	x->copy = calloc(1, size + 1);
	if (code && x->copy)
		memcpy(x->copy, code, size);
	qd_kernel_free(own);
	qd_module_free(m);
	return x->copy ? x->copy : "";
}

static void
text_start(struct text *x, struct unit_ctx *t)
{
	struct qd_context_desc desc = { .version = QD_VERSION };

	*x = (struct text){ .t = t };
	UNIT_CHECK(t, !qd_context_create(&desc, &x->ctx, NULL), "a context");
}

static void
text_stop(struct text *x)
{
	qd_image_free(x->image);
	free(x->copy);
	qd_context_free(x->ctx);
}

/* Checks that .version is the lowest one that supports the target and the operations used. */
static void
versions(struct unit_ctx *t)
{
	static const struct {
		const char *target, *plain, *sum;
	} rows[] = {
		{ "ptx:sm_50", ".version 6.0\n.target sm_50\n", ".version 6.0\n.target sm_50\n" },
		{ "ptx:sm_70", ".version 6.0\n.target sm_70\n", ".version 6.0\n.target sm_70\n" },
		{ "ptx:sm_75", ".version 6.3\n.target sm_75\n", ".version 6.3\n.target sm_75\n" },
		{ "ptx:sm_80", ".version 7.0\n.target sm_80\n", ".version 7.0\n.target sm_80\n" },
		{ "ptx:sm_90", ".version 7.8\n.target sm_90\n", ".version 7.8\n.target sm_90\n" },
		{ "ptx:sm_121", ".version 8.8\n.target sm_121\n", ".version 8.8\n.target sm_121\n" },
	};
	struct text x;

	text_start(&x, t);
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		const char *s = ptx_of(&x, rows[i].target, "kernel k(a: u32[]) { a[0] = 1; }");
		UNIT_CHECK(t, strncmp(s, rows[i].plain, strlen(rows[i].plain)) == 0, "%.40s", s);
		s = ptx_of(&x, rows[i].target,
			   "kernel k(a: u32[]) { for i in grid(a.len) { a[i] = subgroup.reduce_add(a[i]); } }");
		UNIT_CHECK(t, strncmp(s, rows[i].sum, strlen(rows[i].sum)) == 0, "%.40s", s);
		bool has = strstr(s, "redux.sync.add.u32") != NULL;
		UNIT_CHECK(t, has == (i >= 3), "%s: %s", rows[i].target, has ? "redux" : "no redux");
	}
	text_stop(&x);
}

/* Checks the mapping of kernel names to valid PTX names. */
static void
entry_names(struct unit_ctx *t)
{
	static const char *const rows[][2] = {
		{ "sum", "sum" },
		{ "WARP_SZ", "_WARP_SZ" },
		{ "a kernel of mine", "a_kernel_of_mine" },
		{ "9lives", "_9lives" },
		{ "\xc3\xa4", "__" },
		{ "-", "_k" },
		{ "a_name_of_more_characters_than_there_are", "a_name_of_more_characters_than_" },
	};
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_context *ctx = NULL;
	char want[128];

	UNIT_CHECK(t, !qd_context_create(&desc, &ctx, NULL), "a context");
	for (size_t i = 0; i < QD_COUNT(rows) && ctx; i++) {
		struct qd_builder *b;
		struct qd_kernel *k = NULL;
		struct qd_image *image = NULL;
		struct qd_error err = { 0 };
		size_t size;

		qd_builder_create(ctx, rows[i][0], &b, NULL);
		struct qd_array a = qd_param_buffer(b, "a", QD_TYPE_U32, QD_ACCESS_OUT);
		struct qd_val zero = qd_u32(b, 0);
		qd_store(b, a, zero, zero);
		qd_status st = qd_builder_finish(b, &k, &err);
		if (!st)
			st = qd_compile(ctx, k, "ptx", NULL, 0, &image, &err);
		UNIT_CHECK(t, !st, "%s: %s", rows[i][0], err.text);
		const char *s = st ? "" : qd_image_data(image, &size);
		snprintf(want, sizeof want, "\n.visible .entry %s(", rows[i][1]);
		UNIT_CHECK(t, strstr(s, want), "%s: %.120s", rows[i][0], s);
		qd_image_free(image);
		qd_kernel_free(k);
	}
	qd_context_free(ctx);
}

/* -- Text of operations ----------------------------------------------------------------- */

#define GRID(body) "kernel k(a: u32[], f: f32[], d: f64[], n: u32, src: in u32[]) block(64) { " \
		   "for i in grid(a.len) { " body " } }"
#define PLAIN(body) "kernel k(a: u32[], f: f32[], d: f64[], n: u32) block(64) { " body " }"

static const struct {
	const char *target, *qdk, *has, *not;
} spellings[] = {
	/* last operand of a shuffle: segment and clamp */
	{ "ptx", GRID("a[i] = subgroup.shuffle(a[i], n);"), "shfl.sync.idx.b32 %", NULL },
	{ "ptx", GRID("a[i] = subgroup.shuffle_xor(a[i], 5);"), ", 5, 31, 0xffffffff;", NULL },
	{ "ptx", GRID("a[i] = subgroup.shuffle_up(a[i], 3);"), ", 3, 0, 0xffffffff;", NULL },
	{ "ptx", GRID("a[i] = subgroup.shuffle_down(a[i], 3);"), ", 3, 31, 0xffffffff;", NULL },
	{ "ptx", GRID("a[i] = subgroup.shuffle_up(a[i], n);"), "min.u32 %", NULL },
	{ "ptx", GRID("a[i] = subgroup.inclusive_add(a[i]);"), ", 16, 0, 0xffffffff;", "redux" },
	{ "ptx", GRID("f[i] = subgroup.inclusive_add_tiled(f[i], 2);"), ", 1, 7199, 0xffffffff;",
	  ", 3, 6175" },
	{ "ptx", GRID("d[i] = subgroup.shuffle_xor(d[i], 1);"), "mov.b64 {%r", NULL },
	/* votes and ballots */
	{ "ptx", GRID("a[i] = u32(subgroup.all_true(a[i] > n));"), "vote.sync.all.pred %p", "ballot" },
	{ "ptx", GRID("a[i] = u32(subgroup.any_true(a[i] > n));"), "vote.sync.any.pred %p", "ballot" },
	{ "ptx", GRID("a[i] = u32(subgroup.any_true_tiled(a[i] > n, 3));"), "vote.sync.ballot.b32",
	  "vote.sync.any" },
	{ "ptx", GRID("a[i] = subgroup.ballot_first_n(a[i] > n, 32);"), "vote.sync.ballot.b32 %r", NULL },
	/* reductions: of words natively, of 64-bit values word by word, of floats by
	 * ordered integers */
	{ "ptx:sm_80", GRID("a[i] = subgroup.reduce_max(a[i]);"), "redux.sync.max.u32 %r", "shfl" },
	{ "ptx:sm_80", GRID("a[i] = subgroup.reduce_mul(a[i]);"), "shfl.sync.bfly.b32", "redux" },
	{ "ptx:sm_80", GRID("a[i] = subgroup.reduce_max_tiled(a[i], 4);"), "shfl.sync.bfly.b32", "redux" },
	{ "ptx:sm_80", GRID("f[i] = subgroup.reduce_min(f[i]);"), "redux.sync.min.s32 %r", "shfl" },
	{ "ptx:sm_75", GRID("f[i] = subgroup.reduce_min(f[i]);"), "min.f32 %r", "redux" },
	{ "ptx:sm_80", GRID("d[i] = subgroup.reduce_max(d[i]);"), "redux.sync.max.u32 %r", "shfl" },
	{ "ptx:sm_80", GRID("a[i] = u32(subgroup.reduce_add(u64(a[i])));"), "redux.sync.add.u32 %r", "shfl" },
	{ "ptx:sm_80", GRID("f[i] = subgroup.reduce_add(f[i]);"), "shfl.sync.bfly.b32", "redux" },
	/* a scan selects without a separate instruction */
	{ "ptx", GRID("f[i] = subgroup.inclusive_add(f[i]);"), " add.rn.f32 %r", "selp" },
	/* arithmetic with defined results on every target */
	{ "ptx", GRID("f[i] = f[i] * f[i] + f[i];"), "mul.rn.f32 %r", "fma" },
	{ "ptx", GRID("a[i] = a[i] << n;"), "shf.l.wrap.b32 %r", NULL },
	{ "ptx", GRID("a[i] = a[i] >> n;"), "shf.r.wrap.b32 %r", NULL },
	{ "ptx", GRID("a[i] = u32(i32(a[i]) >> n);"), "shr.s32 %r", "shf" },
	{ "ptx", GRID("a[i] = a[i] << 5;"), "shl.b32 %r", "shf" },
	{ "ptx", GRID("a[i] = u32(u64(f[i]));"), "setp.nan.f32 %p", NULL },
	{ "ptx", GRID("a[i] = u32(i32(f[i]));"), "cvt.rzi.s32.f32 %r", "setp.nan" },
	/* memory */
	{ "ptx", GRID("a[i] = src[i];"), "ld.global.nc.b32 %r", NULL },
	{ "ptx", GRID("a[i] = a[i] + 1;"), "ld.global.b32 %r", ".nc" },
	{ "ptx", PLAIN("a[7] = 1;"), "+28], %r", "mad.wide" },
	{ "ptx", PLAIN("shared s: u32[64]; s[block.thread_idx()] = n; block.sync(); a[0] = s[n & 63];"),
	  "bar.sync 0;", "bar.warp" },
	{ "ptx", "kernel k(a: u32[], n: u32) block(32) { shared s: u32[32]; s[block.thread_idx()] = n; "
		 "block.sync(); a[0] = s[n & 31]; }", "bar.warp.sync 0xffffffff;", "bar.sync" },
	{ "ptx", PLAIN("subgroup.sync();"), "bar.warp.sync 0xffffffff;", NULL },
	{ "ptx:sm_60", PLAIN("a[0] = 1; grid.mem_fence(); a[1] = 2;"), "membar.gl;", "fence" },
	{ "ptx:sm_70", PLAIN("a[0] = 1; grid.mem_fence(); a[1] = 2;"), "fence.acq_rel.gpu;", "membar" },
	{ "ptx:sm_70", PLAIN("a[0] = 1; block.mem_fence(); a[1] = 2;"), "fence.acq_rel.cta;", "membar" },
	/* an atomic without a result is a red */
	{ "ptx", GRID("atomic.add(a[0], a[i]);"), "red.global.add.u32 [", "atom" },
	{ "ptx", GRID("a[i] = atomic.add(a[0], a[i]);"), "atom.global.add.u32 %r", "red.global" },
	{ "ptx", GRID("a[i] = atomic.add(a[0], a[i], scope = block);"), "atom.cta.global.add.u32 %r", NULL },
	{ "ptx:sm_50", GRID("a[i] = atomic.add(a[0], a[i], scope = block);"), "atom.global.add.u32 %r",
	  ".cta" },
	{ "ptx", GRID("atomic.add(d[0], d[i]);"), "red.global.add.f64 [", "cas" },
	{ "ptx:sm_50", GRID("atomic.add(d[0], d[i]);"), "atom.global.cas.b64 %r", "add.f64 [" },
	{ "ptx", GRID("atomic.add(f[0], f[i]);"), "atom.global.cas.b32 %r", "red." },
	{ "ptx", GRID("f[i] = atomic.exchange(f[0], f[i]);"), "atom.global.exch.b32 %r", "cas" },
	{ "ptx:sm_70", GRID("a[i] = atomic.load(a[0]);"), "ld.relaxed.gpu.global.b32 %r", "volatile" },
	{ "ptx:sm_60", GRID("a[i] = atomic.load(a[0]);"), "ld.volatile.global.b32 %r", "relaxed" },
	{ "ptx:sm_70", GRID("atomic.store(a[0], n);"), "st.relaxed.gpu.global.b32 [", NULL },
	/* offsets, including zeros within the number */
	{ "ptx", PLAIN("a[1] = 1; a[251] = 1; a[12345] = 1; a[25002] = 1;"), "+4]", "+04]" },
	{ "ptx", PLAIN("a[251] = 1; a[12345] = 1;"), "+1004]", NULL },
	{ "ptx", PLAIN("a[12345] = 1;"), "+49380]", NULL },
	{ "ptx", PLAIN("a[25002] = 1;"), "+100008]", NULL },
	{ "ptx", PLAIN("a[100000250] = 1;"), "+400001000]", NULL },
	/* tables with larger elements come first, so that none needs padding */
	{ "ptx", "const A: u32[1] = [7]; const B: f64[2] = [1, 2]; const C: u32[1] = [8];"
		 "kernel k(a: u32[]) block(64) { for i in grid(a.len) { a[i] = A[a[i]] + u32(B[a[i]]) + C[a[i]]; } }",
	  "};\n.const .align 4 .b32 k$1[1] = {7};\n.const .align 4 .b32 k$3[1] = {8};\n.visible", ".align 8 .b64" },
	/* uniform branches are marked as such */
	{ "ptx", PLAIN("if n > 3 { a[0] = 1; a[2] = 2; }"), "bra.uni $L", "bra $L" },
	{ "ptx", PLAIN("if a[block.thread_idx()] > 3 { a[0] = 1; a[2] = 2; }"), "bra $L", "bra.uni" },
};

static void
spelled(struct unit_ctx *t)
{
	struct text x;

	text_start(&x, t);
	for (size_t i = 0; i < QD_COUNT(spellings); i++) {
		const char *s = ptx_of(&x, spellings[i].target, spellings[i].qdk);
		const char *body = strchr(s, '{'), *not = spellings[i].not;

		body = body ? body : "";
		UNIT_CHECK(t, strstr(body, spellings[i].has), "row %zu has no '%s': %s", i,
			   spellings[i].has, body);
		UNIT_CHECK(t, !not || !strstr(body, not), "row %zu has '%s': %s", i, not, body);
	}
	text_stop(&x);
}

const struct unit units_ptx[] = {
	{ "ptx.target_names", target_names },
	{ "ptx.versions", versions },
	{ "ptx.entry_names", entry_names },
	{ "ptx.spelled", spelled },
};
const unsigned n_units_ptx = QD_COUNT(units_ptx);
