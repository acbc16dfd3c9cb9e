/* Names of other languages (lang/foreign.def) and misspelled names. Each row must appear as help,
 * its replacement must compile, and its formula must compute the other language's function. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lang.h"
#include "ref_rig.h"

static const struct {
	const char *theirs, *ours, *note;
} rows[] = {
#define FOREIGN(theirs, from, ours, note) { theirs, ours, note },
#include "foreign.def"
};

static const struct {
	const char *group, *theirs, *ours, *note;
} members[] = {
#define MEMBER(group, theirs, ours, note) { group, theirs, ours, note },
#include "foreign.def"
};

/* Names that the replacements of foreign.def may use. */
#define FREE                                                                                       \
	"let x, y, z = f[0], f[1], f[2]; let n, m = a[0], a[1]; let v = x; let p = x > 0.0; let "  \
	"c = y > 0.0;"                                                                             \
	" let lane = 1u; let offset = 1u; let mask = 0xffffffffu; let expected, desired = n, m; "   \
	"let i, j = 0u, 0u;"                                                                       \
	" shared s: u32[64]; s[block.thread_idx()] = n;"

static qd_status
parse(struct rig *r, const char *text)
{
	struct qd_module *m = NULL;
	qd_status st = qd_module_parse(r->ctx, text, strlen(text), "t.qdk", &m, &r->err);

	qd_module_free(m);
	return st;
}

static bool
is_type(const char *s)
{
	for (uint32_t w = FIRST_TYPE; w <= LAST_TYPE; w++)
		if (strcmp(type_info[word_type(w)].name, s) == 0)
			return true;
	return false;
}

/* Checks that the error of the text contains this help. */
static void
wants_help(struct unit_ctx *t, struct rig *r, const char *text, const char *ours, const char *note)
{
	char want[400];

	snprintf(want, sizeof want, "help: %s%s%s", *ours ? "write " : "", ours, note);
	UNIT_CHECK(t, parse(r, text) && strstr(r->err.text, want), "%s\ngives\n%s\nwithout\n%s",
		   text, r->err.text, want);
}

static void
foreign(struct unit_ctx *t)
{
	struct rig r;
	char text[1200];

	if (!rig_open(&r, t, "ref:32"))
		return;
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		const char *ours = rows[i].ours;
		size_t len = strlen(ours);

		for (size_t k = 0; k < i; k++)
			UNIT_CHECK(t, strcmp(rows[i].theirs, rows[k].theirs) != 0, "%s twice",
				   rows[i].theirs);
		snprintf(text, sizeof text,
			 "kernel k(w: f32[]) { for g in grid(w.len) { let q = %s; } }",
			 rows[i].theirs);
		wants_help(t, &r, text, ours, rows[i].note);
		if (!len)
			continue;
		if (is_type(ours))
			snprintf(text, sizeof text, "kernel k(a: %s[]) { a[0] = 1; }", ours);
		else
			snprintf(text, sizeof text,
				 "kernel k(f: f32[], a: u32[]) block(64) { " FREE " { %s%s%s } }",
				 ours[len - 1] == ';' ? "" : "let q = ", ours,
				 ours[len - 1] == ';' ? "" : ";");
		UNIT_CHECK(t, !parse(&r, text), "%s: %s", rows[i].theirs, r.err.text);
	}
	rig_close(&r);
}

static void
foreign_members(struct unit_ctx *t)
{
	struct rig r;
	char text[400], ours[80];

	if (!rig_open(&r, t, "ref:32"))
		return;
	for (size_t i = 0; i < QD_COUNT(members); i++) {
		const char *group = *members[i].group ? members[i].group : "a";

		snprintf(text, sizeof text, "kernel k(a: f32[]) { let q = %s.%s%s; }", group,
			 members[i].theirs, *members[i].group ? "(1)" : "");
		ours[0] = '\0';
		if (*members[i].ours)
			snprintf(ours, sizeof ours, "%s.%s", group, members[i].ours);
		wants_help(t, &r, text, ours, members[i].note);
		if (!*members[i].ours)
			continue;
		/* The member must exist: the error is not E0118. */
		snprintf(text, sizeof text, "kernel k(a: f32[]) { let q = %s.%s; }", group,
			 members[i].ours);
		UNIT_CHECK(t, !parse(&r, text) || !strstr(r.err.text, "E0118"), "%s", r.err.text);
	}
	rig_close(&r);
}

/* Checks the suggestions for names that no table contains. */
static void
misspelled(struct unit_ctx *t)
{
	static const struct {
		const char *name, *help; /* "" if no help */
	} cases[] = {
		{ "subgroup.reduce_sum", "did you mean 'reduce_add'?" },
		{ "subgroup.reduce_prod", "did you mean 'reduce_mul'?" },
		{ "subgroup.reduce_all_sum_tiled", "did you mean 'reduce_all_add_tiled'?" },
		{ "subgroup.segmented_reduce_sum", "did you mean 'segmented_reduce_add'?" },
		{ "nvvm.redux_sum", "did you mean 'redux_add'?" },
		{ "subgroup.reduceMax", "did you mean 'reduce_max'?" },
		{ "subgroup.shufle_xor", "did you mean 'shuffle_xor'?" },
		{ "subgroup.exclusive_ax", "names with the same beginning: exclusive_add exclusive_mul" },
		{ "subgroup.reduce_mean", "names with the same beginning: reduce_add reduce_mul" },
		{ "subgroup.xnclusive_add", "" },
		{ "asn", "" },
		{ "siin", "did you mean 'sin'?" },
		{ "sign2", "" },
		{ "cbrt", "" },
		{ "ldexp", "" },
		{ "mux", "" },
		{ "log4", "" },
	};
	struct rig r;
	char text[200];

	if (!rig_open(&r, t, "ref:32"))
		return;
	for (size_t i = 0; i < QD_COUNT(cases); i++) {
		snprintf(text, sizeof text, "kernel k(w: f32[]) { let q = %s(w[0]); }",
			 cases[i].name);
		UNIT_CHECK(t, parse(&r, text), "%s is taken", text);
		UNIT_CHECK(t,
			   *cases[i].help ? strstr(r.err.text, cases[i].help) != NULL
					  : !strstr(r.err.text, "did you mean"),
			   "%s", r.err.text);
	}
	UNIT_CHECK(t, parse(&r, "kernel k(w: f32[]) { let q = block.thread; }"), "block.thread is taken");
	const char *listed = strstr(r.err.text, "names with the same beginning: thread_idx");
	UNIT_CHECK(t, listed && !strstr(listed, "thread_idx thread_idx"), "%s", r.err.text);
	rig_close(&r);
}

/* Returns the length of a name's group including the dot. */
static size_t
group_length(const char *name)
{
	const char *dot = strchr(name, '.');

	return dot ? (size_t)(dot + 1 - name) : 0;
}

/* Checks that no operation is a misspelling of another one of its group. */
static void
apart(struct unit_ctx *t)
{
	for (uint32_t i = OP_NONE + 1; i < N_OP; i++) {
		const char *a = op_info[i].text;

		for (uint32_t k = OP_NONE + 1; k < N_OP; k++) {
			const char *b = op_info[k].text;
			size_t n = group_length(a);

			if (i == k || group_length(b) != n || strncmp(a, b, n) != 0)
				continue;
			UNIT_CHECK(t,
				   !suggest_misspells(a + n, (uint32_t)strlen(a + n), b + n,
						      (uint32_t)strlen(b + n)),
				   "%s is suggested for %s", b, a);
		}
	}
}

/* -- Formulas --------------------------------------------------------------------------------- */

struct point {
	float x, y, z;
	uint32_t n, m;
};

/* clang-format off */
#define FORMULAS(V) \
	V(countTrailingZeros, p.n ? (double)__builtin_ctz(p.n) : 32) \
	V(__builtin_ctz, p.n ? (double)__builtin_ctz(p.n) : 32) \
	V(findLSB, p.n ? (double)__builtin_ctz(p.n) : -1) \
	V(findMSB, p.n ? 31 - (double)__builtin_clz(p.n) : -1) \
	V(__clz, p.n ? (double)__builtin_clz(p.n) : 32) \
	V(__ffs, (double)__builtin_ffs((int)p.n)) \
	V(__popc, (double)__builtin_popcount(p.n)) \
	V(bitfieldExtract, (double)(p.n >> 4 & 0xff)) \
	V(__funnelshift_l, (double)(uint32_t)(p.m << 4 | p.n >> 28)) \
	V(__funnelshift_r, (double)(uint32_t)(p.n >> 4 | p.m << 28)) \
	V(__umulhi, (double)(uint32_t)((uint64_t)p.n * p.m >> 32)) \
	V(__umul24, (double)(uint32_t)((p.n & 0xffffff) * (p.m & 0xffffff))) \
	V(__float2int_rz, trunc(p.x)) \
	V(__float2int_rn, rint(p.x)) \
	V(__float2int_rd, floor(p.x)) \
	V(__float2int_ru, ceil(p.x)) \
	V(max3, fmax(fmax(p.x, p.y), p.z)) \
	V(min3, fmin(fmin(p.x, p.y), p.z)) \
	V(median3, p.x + p.y + p.z - fmax(fmax(p.x, p.y), p.z) - fmin(fmin(p.x, p.y), p.z)) \
	V(roundf, round(p.x)) \
	V(rint, rint(p.x)) \
	V(fmaf, (double)p.x * p.y + p.z) \
	V(rcp, 1 / (double)p.x) \
	V(rsqrt, 1 / sqrt(p.x)) \
	V(lerp, p.x + (double)p.z * (p.y - p.x)) \
	V(saturate, p.x < 0 ? 0 : p.x > 1 ? 1 : p.x) \
	V(frac, p.x - floor(p.x)) \
	V(fmodf, fmod(p.x, p.y)) \
	V(mod, p.x - p.y * floor((double)p.x / p.y)) \
	V(hypot, hypot(p.x, p.y)) \
	V(radians, p.x * 3.14159265358979 / 180) \
	V(degrees, p.x * 180 / 3.14159265358979) \
	V(exp2, exp2(p.x)) \
	V(exp10, pow(10, p.x)) \
	V(log2, log2(p.x)) \
	V(log10, log10(p.x)) \
	V(tan, tan(p.x)) \
	V(sinh, sinh(p.x)) \
	V(cosh, cosh(p.x)) \
	V(tanh, tanh(p.x)) \
	V(FLT_MAX, 3.4028234663852886e38) \
	V(FLT_MIN, 1.1754943508222875e-38) \
	V(FLT_EPSILON, 1.1920928955078125e-7) \
	V(INT_MAX, 2147483647.0) \
	V(INT_MIN, -2147483648.0) \
	V(UINT_MAX, 4294967295.0) \
	V(M_PI, 3.14159265358979) \
	V(rotate, (double)(p.n << (p.m & 31) | (uint32_t)((uint64_t)p.n >> (32 - (p.m & 31))))) \
	V(extractBits, (double)(p.n >> 4 & 0xff)) \
	V(bitfieldInsert, (double)((p.n & ~0xff0u) | (p.m & 0xff) << 4)) \
	V(absdiff, fabs((double)p.n - p.m)) \
	V(addsat, fmin((double)p.n + p.m, UINT32_MAX)) \
	V(subsat, fmax((double)p.n - p.m, 0)) \
	V(__uhadd, floor(((double)p.n + p.m) / 2)) \
	V(__urhadd, ceil(((double)p.n + p.m) / 2)) \
	V(copysignf, copysign(p.x, p.y))
/* clang-format on */

#define V(name, value)                                                                             \
	static double want_##name(struct point p)                                                  \
	{                                                                                          \
		(void)p;                                                                           \
		return value;                                                                      \
	}
FORMULAS(V)
#undef V

static const struct {
	const char *theirs;
	double (*want)(struct point p);
} formulas[] = {
#define V(name, value) { #name, want_##name },
	FORMULAS(V)
#undef V
};

static void
formula_values(struct unit_ctx *t)
{
	static const struct point points[] = {
		{ 0.5f, 2, 0.25f, 0, 0 },
		{ 2.5f, 1.5f, 0.75f, 1, 5 },
		{ 1.25f, 3.5f, 0, 0x80000000, 31 },
		{ 0.75f, 0.5f, 1, 0x12345678, 4 },
		{ 3.75f, 2, 0.5f, 0xffffffff, 0xdeadbeef },
		{ 6, 4, 1, 0xf0, 0 },
	};
	struct rig r;
	char text[900];

	if (!rig_open(&r, t, "ref:32"))
		return;
	for (size_t i = 0; i < QD_COUNT(formulas); i++) {
		size_t row = 0;

		while (row < QD_COUNT(rows) && strcmp(rows[row].theirs, formulas[i].theirs) != 0)
			row++;
		UNIT_CHECK(t, row < QD_COUNT(rows), "no row %s", formulas[i].theirs);
		if (row == QD_COUNT(rows))
			continue;
		snprintf(text, sizeof text,
			 "kernel k(f: in f32[], a: in u32[], o: out f64[]) block(1) { let x, y, z "
			 "= f[0], f[1], f[2];"
			 " let n, m = a[0], a[1]; o[0] = f64(%s); }",
			 rows[row].ours);
		for (size_t k = 0; k < QD_COUNT(points); k++) {
			struct point p = points[k];
			float f[] = { p.x, p.y, p.z };
			uint32_t a[] = { p.n, p.m };
			double o[] = { 0 }, want = formulas[i].want(p);
			struct qd_module *m = NULL;
			struct qd_kernel *kernel = NULL;
			qd_status st =
				qd_module_parse(r.ctx, text, strlen(text), "t.qdk", &m, &r.err);

			if (!st)
				st = qd_module_kernel(m, "k", NULL, 0, &kernel, &r.err);
			if (!st)
				st = rig_launch(&r, kernel, 1, (struct io[]){ IO(f), IO(a), IO(o) },
						3);
			UNIT_CHECK(t, !st, "%s: %s", rows[row].ours, r.err.text);
			UNIT_CHECK(t, fabs(o[0] - want) <= 4e-6 * (1e-40 + fabs(want)),
				   "%s: %s is %.9g, not %.9g", rows[row].theirs, rows[row].ours,
				   o[0], want);
			qd_kernel_free(kernel);
			qd_module_free(m);
		}
	}
	rig_close(&r);
}

const struct unit units_names[] = {
	{ "names.foreign", foreign },	      { "names.members", foreign_members },
	{ "names.misspelled", misspelled },   { "names.apart", apart },
	{ "names.formulas", formula_values },
};
const unsigned n_units_names = QD_COUNT(units_names);
