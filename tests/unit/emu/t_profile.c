/* Profiles of emulated code: counts, round trips, bank conflicts and the time of a wave, against
 * numbers computed by hand from profile/clock.def. */
#include "profile.h"

#include "amd.h"
#include "ptx.h"
#include "unit.h"

extern const struct unit units_profile[];
extern const unsigned n_units_profile;

enum { N_WORDS = 4096, MAX_CODE = 64 };

struct wanted {
	uint64_t instructions, cycles; /* of all waves */
	uint64_t trips, shared_trips, bytes, lines, conflicts;
};

static void
check(struct unit_ctx *t, const char *name, const struct profile *p, const struct wanted *w)
{
	struct profile_summary s;

	profile_sum(p, &s);
	struct wanted got = { s.all.n,	   p->cycles,	p->round_trips, p->shared_trips,
			      s.all.bytes, s.all.lines, s.all.conflicts };
	UNIT_CHECK(t, !memcmp(&got, w, sizeof got),
		   "%s: %llu instructions, %llu cycles, %llu and %llu round trips, %llu bytes, "
		   "%llu lines, %llu conflicts",
		   name, (unsigned long long)got.instructions, (unsigned long long)got.cycles,
		   (unsigned long long)got.trips, (unsigned long long)got.shared_trips,
		   (unsigned long long)got.bytes, (unsigned long long)got.lines,
		   (unsigned long long)got.conflicts);
}

/* -- AMD -------------------------------------------------------------------------------- */

#define ADDRESS	  "s_load_b64 s[4:5], s[0:1], 0x0\n"
#define LANES_4	  "v_lshlrev_b32_e32 v1, 2, v0\n"
#define LANES_128 "v_lshlrev_b32_e32 v1, 7, v0\n"

/* Each wave on its own, from cycle 0 on; gfx11: VALU 5 cycles, SMEM 200, VMEM 500, LDS 100. */
static const struct amd_row {
	const char *name, *target, *code;
	uint32_t threads;
	struct wanted want;
} amd_rows[] = {
	/* 0: v1 is ready at 5; 5; 6, and the end of it at 7. */
	{ "an operand",
	  "gfx1100",
	  "v_mov_b32_e32 v1, 1\n v_add_nc_u32_e32 v2, 1, v1\n s_endpgm\n",
	  32,
	  { 3, 7, 0, 0, 0, 0, 0 } },
	/* The wait for the address ends at 200, the load issues at 201 and is there at 701. */
	{ "a load that waits",
	  "gfx1100",
	  ADDRESS LANES_4
	  "s_waitcnt lgkmcnt(0)\n global_load_b32 v2, v1, s[4:5]\n s_waitcnt vmcnt(0)\n s_endpgm\n",
	  32,
	  { 6, 703, 2, 0, 136, 2, 0 } },
	/* The second load issues at 202: one more cycle, and no more round trips. */
	{ "independent loads",
	  "gfx1100",
	  ADDRESS LANES_4
	  "s_waitcnt lgkmcnt(0)\n global_load_b32 v2, v1, s[4:5]\n"
	  "global_load_b32 v3, v1, s[4:5] offset:128\n s_waitcnt vmcnt(0)\n s_endpgm\n",
	  32,
	  { 7, 704, 2, 0, 264, 3, 0 } },
	/* The same, with a wait for each: both were in flight. */
	{ "waits for loads in flight",
	  "gfx1100",
	  ADDRESS LANES_4
	  "s_waitcnt lgkmcnt(0)\n global_load_b32 v2, v1, s[4:5]\n"
	  "global_load_b32 v3, v1, s[4:5] offset:128\n s_waitcnt vmcnt(1)\n s_waitcnt vmcnt(0)\n"
	  "s_endpgm\n",
	  32,
	  { 8, 704, 2, 0, 264, 3, 0 } },
	/* The memory contains zeros: all lanes load the first word. */
	{ "a chain of loads",
	  "gfx1100",
	  ADDRESS LANES_4
	  "s_waitcnt lgkmcnt(0)\n global_load_b32 v2, v1, s[4:5]\n s_waitcnt vmcnt(0)\n"
	  "global_load_b32 v3, v2, s[4:5]\n s_waitcnt vmcnt(0)\n s_endpgm\n",
	  32,
	  { 8, 1204, 3, 0, 264, 3, 0 } },
	/* 32 lines: 31 more cycles. */
	{ "a line per lane",
	  "gfx1100",
	  ADDRESS LANES_128
	  "s_waitcnt lgkmcnt(0)\n global_load_b32 v2, v1, s[4:5]\n s_waitcnt vmcnt(0)\n s_endpgm\n",
	  32,
	  { 6, 734, 2, 0, 136, 33, 0 } },
	{ "no bank conflict",
	  "gfx1100",
	  LANES_4 "ds_store_b32 v1, v0\n s_waitcnt lgkmcnt(0)\n s_endpgm\n",
	  32,
	  { 4, 107, 0, 1, 0, 0, 0 } },
	{ "one bank",
	  "gfx1100",
	  LANES_128 "ds_store_b32 v1, v0\n s_waitcnt lgkmcnt(0)\n s_endpgm\n",
	  32,
	  { 4, 138, 0, 1, 0, 0, 31 } },
	{ "padded rows",
	  "gfx1100",
	  "v_mul_u32_u24_e32 v1, 0x84, v0\n ds_store_b32 v1, v0\n s_waitcnt lgkmcnt(0)\n "
	  "s_endpgm\n",
	  32,
	  { 4, 107, 0, 1, 0, 0, 0 } },
	/* Eight bytes per lane take two passes without a conflict. */
	{ "wide lanes",
	  "gfx1100",
	  "v_lshlrev_b32_e32 v2, 3, v0\n v_mov_b32_e32 v1, 0\n ds_store_b64 v2, v[0:1]\n s_waitcnt "
	  "lgkmcnt(0)\n"
	  "s_endpgm\n",
	  32,
	  { 5, 109, 0, 1, 0, 0, 0 } },
	/* Wave 0 jumps (7 + 32) and arrives at 40, wave 1 at 73; both end at 74. */
	{ "a barrier",
	  "gfx1100",
	  "v_readfirstlane_b32 s4, v0\n s_cmp_lt_u32 s4, 32\n s_cbranch_scc1 4\n s_nop 15\n s_nop "
	  "15\n s_nop 15\n"
	  "s_nop 15\n s_barrier\n s_endpgm\n",
	  64,
	  { 14, 148, 0, 0, 0, 0, 0 } },
	/* The second product at 4, v_rcp at 5 in a pipe of its own and ready at 15. */
	{ "pipes",
	  "gfx1100",
	  "v_mul_lo_u32 v1, v0, v0\n v_mul_lo_u32 v2, v0, v0\n v_rcp_f32_e32 v3, 1.0\n "
	  "s_waitcnt_depctr 0xfff\n"
	  "v_add_f32_e32 v4, v3, v3\n s_endpgm\n",
	  32,
	  { 6, 17, 0, 0, 0, 0, 0 } },
	/* 0, 16, 32 in one pipe; v3 is ready at 48. */
	{ "one pipe",
	  "gfx906",
	  "v_mul_lo_u32 v1, v0, v0\n v_mul_lo_u32 v2, v0, v0\n v_rcp_f32_e32 v3, 1.0\n "
	  "v_add_f32_e32 v4, v3, v3\n"
	  "s_endpgm\n",
	  64,
	  { 5, 56, 0, 0, 0, 0, 0 } },
};

static qd_status
run_amd(struct pool *pool, const struct amd_row *row, uint64_t seed, struct profile **out,
	struct qd_error *e)
{
	static const struct amd_start start = { .n_vgprs = 16,
						.lds_size = 8192,
						.mode = 0xf0,
						.kernarg_ptr = 0,
						.n_user = 2,
						.dispatch_ptr = AMD_NONE,
						.dispatch_id = AMD_NONE,
						.scratch_init = AMD_NONE };
	const struct gcn_target *g = gcn_target_find(row->target, 0);
	uint32_t *memory = pool_new(pool, N_WORDS * sizeof *memory), words[MAX_CODE];
	uint64_t args = (uintptr_t)memory;
	struct amd_range range = { args, N_WORDS * sizeof *memory, memory, false };
	struct amd_code *code;
	struct arena mem;
	size_t n;

	memset(memory, 0, N_WORDS * sizeof *memory);
	QD_TRY(gcn_assemble(g, row->code, strlen(row->code), words, MAX_CODE, &n, e));
	QD_TRY(amd_code_create(pool, g, words, n, &code, e));
	QD_TRY(amd_profile_create(pool, code, out, e));
	struct amd_launch l = { .code = code,
				.start = &start,
				.code_addr = UINT64_C(1) << 46,
				.grid = { 1, 1, 1 },
				.block = { row->threads, 1, 1 },
				.kernarg = &args,
				.kernarg_size = sizeof args,
				.ranges = &range,
				.n_ranges = 1,
				.max_steps = 1000,
				.seed = seed,
				.profile = *out };
	arena_init(&mem, pool);
	qd_status st = amd_run(&mem, &l, e);
	arena_fini(&mem);
	amd_code_free(code);
	pool_delete(pool, memory);
	return st;
}

static void
amd(struct unit_ctx *t)
{
	struct pool pool;

	pool_init(&pool, &pool_malloc);
	for (size_t i = 0; i < QD_COUNT(amd_rows); i++) {
		for (uint64_t seed = 0; seed < 5; seed++) {
			struct profile *p = NULL;
			struct qd_error e = { .text = "" };
			qd_status st = run_amd(&pool, &amd_rows[i], seed, &p, &e);

			UNIT_CHECK(t, st == QD_OK, "%s: %s", amd_rows[i].name, e.text);
			if (st == QD_OK)
				check(t, amd_rows[i].name, p, &amd_rows[i].want);
			profile_free(p);
		}
	}
	pool_fini(&pool);
}

static void
unit_of_waves(struct unit_ctx *t)
{
	struct pool pool;
	struct profile *p = NULL;
	struct profile_summary s;
	struct qd_error e;

	pool_init(&pool, &pool_malloc);
	if (run_amd(&pool, &amd_rows[5], 1, &p, &e) == QD_OK) {
		p->resident = 32;
		p->simds = p->unit_simds = 2;
		profile_sum(p, &s);
		/* 32 waves with 32 lines each go through one memory pipe. */
		UNIT_CHECK(t,
			   s.wave_cycles == 734 && s.full_cycles == 1024 &&
				   s.bound == PROFILE_PIPE_MEMORY,
			   "%g and %g cycles, bound by %s", s.wave_cycles, s.full_cycles,
			   profile_pipe_name(s.bound));
		/* Two compute units have two of them. */
		p->simds = 4;
		profile_sum(p, &s);
		UNIT_CHECK(t, s.full_cycles == 734 && s.bound == PROFILE_PIPE_NONE,
			   "%g cycles, bound by %s", s.full_cycles, profile_pipe_name(s.bound));
	}
	UNIT_CHECK(t, p, "%s", e.text);
	profile_free(p);
	pool_fini(&pool);
}

/* -- PTX -------------------------------------------------------------------------------- */

#define HEAD                                                                                       \
	".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n"     \
	".reg .b64 %rd<4>;\n.reg .b32 %r<4>;\n.reg .pred %p;\n.shared .align 4 .b8 s[4096];\n"

static const struct ptx_row {
	const char *name, *code;
	uint32_t threads;
	struct wanted want;
} ptx_rows[] = {
	/* The address is ready at 13; loads at 13 and 14; the sum at 514, the store at 518. */
	{ "loads before their use",
	  HEAD
	  "ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 "
	  "%rd3, %rd1, %rd2;\n"
	  "ld.global.u32 %r2, [%rd3];\nld.global.u32 %r3, [%rd3+128];\nadd.u32 %r2, %r2, %r3;\n"
	  "st.global.u32 [%rd3], %r2;\nret;\n}\n",
	  32,
	  { 9, 520, 1, 0, 392, 4, 0 } },
	/* mov 0, shl 4, st 8 with 31 conflicts. */
	{ "one bank",
	  HEAD "mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 7;\nst.shared.u32 [%r2], %r1;\nret;\n}\n",
	  32,
	  { 4, 10, 0, 0, 0, 0, 31 } },
	/* Warp 0 jumps and arrives at 13, warp 1 at 19; both end at 20. */
	{ "a barrier",
	  HEAD "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p, %r1, 32;\n@%p bra "
	       "L;\nmembar.cta;\nmembar.cta;\nmembar.cta;\n"
	       "membar.cta;\nmembar.cta;\nmembar.cta;\nmembar.cta;\nmembar.cta;\nmembar.cta;\nL:"
	       "\nbar.sync 0;\nret;\n}\n",
	  64,
	  { 19, 40, 0, 0, 0, 0, 0 } },
};

static qd_status
run_ptx(struct pool *pool, const struct ptx_row *row, uint64_t seed, struct profile **out,
	struct qd_error *e)
{
	uint32_t *memory = pool_new(pool, N_WORDS * sizeof *memory);
	uint64_t args = (uintptr_t)memory;
	struct ptx_range range = { args, N_WORDS * sizeof *memory };
	struct ptx_module *m;

	memset(memory, 0, N_WORDS * sizeof *memory);
	QD_TRY(ptx_module_parse(pool, row->code, strlen(row->code), &m, e));
	QD_TRY(ptx_profile_create(pool, m, "sm_90", out, e));
	struct ptx_launch l = { .entry = ptx_module_first(m),
				.grid = { 1, 1, 1 },
				.block = { row->threads, 1, 1 },
				.params = &args,
				.ranges = &range,
				.n_ranges = 1,
				.max_steps = 1000,
				.seed = seed,
				.profile = *out };
	qd_status st = ptx_run(pool, &l, e);
	ptx_module_free(m);
	pool_delete(pool, memory);
	return st;
}

static void
ptx(struct unit_ctx *t)
{
	struct pool pool;

	pool_init(&pool, &pool_malloc);
	for (size_t i = 0; i < QD_COUNT(ptx_rows); i++) {
		for (uint64_t seed = 0; seed < 5; seed++) {
			struct profile *p = NULL;
			struct qd_error e = { .text = "" };
			qd_status st = run_ptx(&pool, &ptx_rows[i], seed, &p, &e);

			UNIT_CHECK(t, st == QD_OK, "%s: line %u: %s", ptx_rows[i].name, e.line,
				   e.text);
			if (st == QD_OK)
				check(t, ptx_rows[i].name, p, &ptx_rows[i].want);
			profile_free(p);
		}
	}
	pool_fini(&pool);
}

/* -- Clock models ----------------------------------------------------------------------- */

static void
clocks(struct unit_ctx *t)
{
	static const char *const names[][2] = { { "sm_52", "sm_50" },	{ "sm_62", "sm_61" },
						{ "sm_87", "sm_86" },	{ "sm_103", "sm_90" },
						{ "sm_121", "sm_120" }, { "gfx94", "gfx94" } };
	struct profile_clock k;

	for (size_t i = 0; i < QD_COUNT(names); i++)
		UNIT_CHECK(t, profile_clock_find(names[i][0], &k) && !strcmp(k.name, names[i][1]),
			   "%s: %s", names[i][0], k.name);
	UNIT_CHECK(t, !profile_clock_find("sm_35", &k) && !profile_clock_find("gfx8", &k), "%s",
		   k.name);
	UNIT_CHECK(t,
		   profile_class_find("quarter") == PROFILE_QUARTER &&
			   profile_class_find("") == PROFILE_N_CLASS,
		   "%u", profile_class_find("quarter"));
}

const struct unit units_profile[] = {
	{ "profile.amd", amd },
	{ "profile.unit_of_waves", unit_of_waves },
	{ "profile.ptx", ptx },
	{ "profile.clocks", clocks },
};
const unsigned n_units_profile = QD_COUNT(units_profile);
