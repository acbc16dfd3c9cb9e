/* Wait states and dependencies in the wave emulator. Hand-written code violates each rule, which is
 * reported below its required distance and not at it. Code from clang is tested with one nop or
 * wait removed. */
#include "gcn_text.h"
#include "hazard.h"
#include "states.h"
#include "table.h"
#include "wave_kernels.h"

#include <stdio.h>
#include <stdlib.h>

static const struct gcn_target *
target_of(const char *name, unsigned wave)
{
	return gcn_target_find(name, wave);
}

/* -- Hand-written code ---------------------------------------------------------------------- */

/* Violations: the last line violates the rule with fewer than `need` fillers before it, and not
 * with `remedy` there. */
/* clang-format off */
static const struct {
	const char *rule, *target;
	unsigned wave;
	const char *text, *last;
	unsigned need; /* 0: no distance suffices, nor does s_nop */
	const char *filler, *remedy;
} broken[] = {
	{ "dpp_vgpr", "gfx906", 0, "v_add_u32_e32 v7, v1, v2", "v_add_u32_dpp v3, v7, v4 row_shr:2 row_mask:0xf bank_mask:0xf", 2, "s_nop 0", "s_nop 1" },
	{ "dpp_vgpr", "gfx90a", 0, "v_mov_b32_e32 v7, v1", "v_mov_b32_dpp v3, v7 row_ror:1 row_mask:0xf bank_mask:0xf", 2, "s_mov_b32 s4, s5", "s_nop 1" },
	{ "dpp_exec", "gfx906", 0, "v_cmpx_lt_u32_e32 vcc, v1, v2", "v_mov_b32_dpp v3, v4 row_ror:1 row_mask:0xf bank_mask:0xf", 5, "s_nop 0", "s_nop 4" },
	{ "lane_select", "gfx90a", 0, "v_readlane_b32 s7, v1, 3", "v_readlane_b32 s8, v2, s7", 4, "s_mov_b32 s20, s21", "s_nop 3" },
	{ "vmem_sgpr", "gfx906", 0, "v_readfirstlane_b32 s5, v1", "global_store_dword v3, v2, s[4:5]", 5, "s_nop 0", "s_nop 4" },
	{ "div_fmas_vcc", "gfx906", 0, "v_div_scale_f32 v1, vcc, v2, v3, v2", "v_div_fmas_f32 v9, v6, v7, v8", 4, "s_nop 0", "s_nop 3" },
	{ "m0", "gfx906", 0, "s_mov_b32 m0, s3", "s_movrels_b32 s0, s2", 1, "s_nop 0", "s_nop 0" },
	{ "store_data", "gfx906", 0, "global_store_dwordx3 v[0:1], v[4:6], off", "v_mov_b32_e32 v6, v9", 1, "s_nop 0", "v_nop" },
	{ "store_data_94", "gfx942", 0, "flat_store_dwordx4 v[0:1], v[4:7]", "v_mov_b32_e32 v4, v9", 2, "s_nop 0", "s_nop 1" },
	{ "store_data_94", "gfx950", 0, "buffer_store_dwordx4 v[4:7], v0, s[8:11], s3 offen", "v_mov_b32_e32 v5, 0", 2, "s_nop 0", "s_nop 1" },
	{ "valu_sgpr", "gfx942", 0, "v_cmp_lt_i32_e64 s[4:5], v1, v2", "v_cndmask_b32_e64 v1, v2, v3, s[4:5]", 2, "s_nop 0", "s_nop 1" },
	{ "valu_sgpr", "gfx950", 0, "v_add_co_u32_e32 v1, vcc, v2, v3", "v_addc_co_u32_e32 v4, vcc, v5, v6, vcc", 2, "v_nop", "s_nop 1" },
	{ "valu_exec", "gfx942", 0, "v_cmpx_lt_u32_e32 vcc, v1, v2", "v_and_b32_e32 v3, exec_hi, v3", 2, "s_nop 0", "s_nop 1" },
	{ "readlane_vgpr", "gfx950", 0, "v_mov_b32_e32 v1, v2", "v_readlane_b32 s3, v1, 4", 1, "s_nop 0", "s_nop 0" },
	{ "lane_exec", "gfx942", 0, "v_cmpx_lt_u32_e32 vcc, v1, v2", "v_writelane_b32 v9, s3, 4", 4, "s_nop 0", "s_nop 3" },
	{ "trans_use_94", "gfx942", 0, "v_rcp_f32_e32 v1, v2", "v_mul_f32_e32 v3, v1, v4", 1, "s_nop 0", "s_nop 0" },
	{ "part_dst", "gfx942", 0, "v_mov_b32_sdwa v1, v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD", "v_mov_b32_e32 v4, v1", 1, "s_nop 0", "s_nop 0" },
	{ "dot_other", "gfx90a", 0, "v_dot4_i32_i8 v1, v2, v3, v4", "v_add_u32_e32 v5, v1, v5", 3, "s_nop 0", "s_nop 2" },
	{ "dot_other", "gfx942", 0, "v_dot4_u32_u8 v1, v2, v3, v4", "global_store_dword v[6:7], v1, off", 3, "s_nop 0", "s_nop 2" },
	{ "dot_other", "gfx950", 0, "v_dot4_u32_u8 v1, v2, v3, v4", "v_mov_b32_e32 v1, v9", 3, "s_nop 0", "s_nop 2" },
	{ "dot_other", "gfx942", 0, "v_dot4_u32_u8 v1, v2, v3, v4", "v_dot4_i32_i8 v1, v2, v3, v1", 3, "s_nop 0", "s_nop 2" },
	{ "dot_same", "gfx90a", 0, "v_dot4_u32_u8 v1, v2, v3, v4", "v_dot4_u32_u8 v5, v1, v6, v4", 3, "s_nop 0", "s_nop 2" },
	{ "dot_same", "gfx942", 0, "v_dot4_i32_i8 v1, v2, v3, v4", "v_dot4_i32_i8 v5, v6, v1, v4", 3, "s_nop 0", "s_nop 2" },
	{ "permlane_swap", "gfx950", 0, "v_mov_b32_e32 v1, v9", "v_permlane16_swap_b32_e32 v2, v1", 2, "s_nop 0", "s_nop 1" },
	{ "permlane_swap_exec", "gfx950", 0, "v_cmpx_lt_u32_e32 vcc, v4, v5", "v_permlane32_swap_b32_e32 v2, v1", 4, "s_nop 0", "s_nop 3" },
	{ "lds_branch_vmem", "gfx1010", 0, "ds_read_b32 v0, v1; s_cbranch_scc0 0", "global_store_dword v[4:5], v3, off", 0, "", "s_waitcnt_vscnt null, 0x0" },
	{ "vmem_branch_lds", "gfx1012", 64, "buffer_load_dword v2, v3, s[4:7], 0 offen; s_cbranch_vccz 0", "ds_write_b32 v0, v1", 0, "", "s_waitcnt_vscnt null, 0x0" },
	{ "vmem_scalar_write", "gfx1010", 0, "buffer_load_dword v2, v3, s[4:7], 0 offen", "s_load_dword s6, s[8:9], null", 0, "", "s_waitcnt_depctr 0xffe3" },
	{ "vmem_scalar_write", "gfx1013", 64, "global_load_dword v2, v[4:5], off", "s_mov_b64 exec, s[4:5]", 0, "", "v_mov_b32_e32 v9, v9" },
	{ "smem_vector_write", "gfx1011", 0, "s_load_dwordx2 s[4:5], s[8:9], s3", "v_readfirstlane_b32 s3, v1", 0, "", "s_waitcnt lgkmcnt(0)" },
	{ "cmpx_exec_war", "gfx1010", 64, "s_and_b64 s[4:5], exec, s[6:7]", "v_cmpx_lt_u32_e32 v1, v2", 0, "", "s_waitcnt_depctr 0xfffe" },
	/* the other half of exec counts, as in LLVM */
	{ "cmpx_exec_war", "gfx1010", 0, "s_mov_b32 s4, exec_lo", "v_sub_co_u32_e64 v2, exec_hi, v0, v6", 0, "", "s_waitcnt_depctr 0xfffe" },
	{ "cmpx_permlane_10", "gfx1010", 0, "v_cmpx_lt_u32_e32 v1, v2", "v_permlanex16_b32 v0, v3, s0, s1", 0, "", "v_mov_b32_e32 v9, v9" },
	{ "branch_3f", "gfx1010", 0, "s_nop 0", "s_cbranch_execz 0x3f", 0, "", NULL },
	{ "cmpx_permlane", "gfx1151", 0, "v_cmpx_lt_u32_e32 v1, v2", "v_permlanex16_b32 v0, v3, s0, s1", 0, "", "v_nop" },
	{ "trans_use", "gfx1102", 0, "v_sqrt_f32_e32 v1, v2", "v_add_f32_e32 v3, v1, v1", 6, "v_mov_b32_e32 v9, v9", "s_waitcnt_depctr 0xfff" },
	{ "trans_use", "gfx1100", 64, "v_sqrt_f32_e32 v1, v2", "v_add_f32_e32 v3, v1, v1", 2, "v_rcp_f32_e32 v9, v8", "global_load_b32 v7, v[8:9], off" },
	{ "mad_source", "gfx1100", 0, "s_nop 0", "v_mad_u64_u32 v[2:3], null, v1, v3, v[6:7]", 0, "", NULL },
	{ "partial_forward", "gfx1150", 64, "v_mov_b32_e32 v1, v7; s_or_b64 exec, exec, s[2:3]; v_mov_b32_e32 v2, v8", "v_xor_b32_e32 v3, v2, v1", 5, "v_mov_b32_e32 v9, v9", "s_waitcnt_depctr 0xfff" },
	{ "mask_salu_write", "gfx1100", 64, "v_cndmask_b32_e64 v0, v1, v2, s[4:5]; s_mov_b64 s[4:5], s[6:7]", "v_mov_b32_e32 v3, s5", 6, "s_mov_b32 s20, s21", "s_waitcnt_depctr 0xfffe" },
	{ "mask_valu_write", "gfx1150", 64, "v_cndmask_b32_e64 v0, v1, v2, s[4:5]; v_cmp_lt_u32_e64 s[4:5], v1, v2", "v_cndmask_b32_e64 v0, v1, v2, s[4:5]", 0, "", "s_waitcnt_depctr 0xf1ff" },
	{ "mask_valu_vcc", "gfx1100", 64, "v_cndmask_b32_e32 v0, v1, v2, vcc; v_cmp_lt_u32_e32 vcc, v1, v2", "v_cndmask_b32_e32 v0, v1, v2, vcc", 0, "", "s_waitcnt_depctr 0xfffd" },
	{ "dealloc", "gfx1100", 0, "v_mov_b32_e32 v1, v2", "s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)", 1, "s_nop 0", "s_nop 0" },
	{ "sgpr_salu_write", "gfx1200", 0, "v_mov_b32_e32 v0, s5; s_mov_b32 s4, s8", "v_mov_b32_e32 v1, s4", 11, "s_mov_b32 s20, s21", "s_wait_alu 0xfffe" },
	{ "sgpr_salu_read", "gfx1201", 64, "v_mov_b32_e32 v0, s4; s_mov_b32 s4, s8", "s_add_co_u32 s9, s4, s8", 10, "s_mov_b32 s20, s21", "s_wait_alu 0xfffe" },
	{ "sgpr_valu_write", "gfx1200", 64, "v_mov_b32_e32 v0, s4; v_cmp_lt_u32_e64 s[4:5], v1, v2", "v_mov_b32_e32 v0, s5", 0, "", "s_wait_alu 0xf1ff" },
	{ "sgpr_valu_write", "gfx1200", 0, "v_mov_b32_e32 v0, s4; v_readfirstlane_b32 s4, v3", "v_mov_b32_e32 v0, s4", 0, "", "s_mov_b32 s20, s5" },
	/* SALU reads a pair that VALU has not read */
	{ "sgpr_valu_write", "gfx1200", 0, "v_mov_b32_e32 v0, s4; v_readfirstlane_b32 s4, v3; s_mov_b32 s20, s2", "v_mov_b32_e32 v0, s4", 0, "", "s_wait_alu 0xf1ff" },
	{ "sgpr_valu_vcc", "gfx1201", 0, "v_cndmask_b32_e32 v0, v1, v2, vcc_lo; v_cmp_lt_u32_e32 vcc_lo, v1, v2", "v_cndmask_b32_e32 v0, v1, v2, vcc_lo", 0, "", "s_wait_alu 0xfffd" },
};
/* Code without violations. */
static const struct {
	const char *target;
	unsigned wave;
	const char *text;
} whole[] = {
	{ "gfx906", 0, "v_mov_b32_e32 v1, v2; v_mov_b32_e32 v3, v1; v_readfirstlane_b32 s0, v3; v_mov_b32_e32 v4, s0" },
	{ "gfx906", 0, "s_mov_b32 s7, 3; v_readlane_b32 s8, v2, s7; s_mov_b64 vcc, 0; v_div_fmas_f32 v9, v6, v7, v8" },
	{ "gfx906", 0, "buffer_store_dwordx4 v[4:7], v0, s[0:3], s9 offen; v_mov_b32_e32 v5, 0" },
	{ "gfx942", 0, "v_rcp_f32_e32 v1, v2; v_rsq_f32_e32 v3, v1; s_mov_b32 s4, 0; v_mov_b32_e32 v5, s4" },
	{ "gfx942", 0, "v_dot4_i32_i8 v1, v2, v3, v1; v_dot4_i32_i8 v1, v2, v3, v1" },
	{ "gfx1010", 0, "ds_read_b32 v0, v1; global_load_dword v2, v[4:5], off; s_branch 0; global_load_dword v3, v[4:5], off" },
	{ "gfx1030", 0, "ds_read_b32 v0, v1; s_branch 0; global_load_dword v2, v4, s[0:1]; s_mov_b32 s0, 0; v_cmpx_lt_u32_e32 v1, v2" },
	{ "gfx1100", 0, "v_cndmask_b32_e64 v0, v1, v2, s4; s_mov_b32 s4, s6; v_mov_b32_e32 v3, s4" },
	{ "gfx1150", 0, "v_sqrt_f32_e32 v1, v2; v_add_f32_e32 v3, v1, v1; v_mad_u64_u32 v[2:3], null, v1, v3, v[6:7]" },
	{ "gfx1100", 64, "v_cndmask_b32_e64 v0, v1, v2, s[4:5]; s_load_b64 s[4:5], s[8:9], null; s_mov_b64 s[4:5], 0; v_mov_b32_e32 v3, s4" },
	{ "gfx1200", 0, "s_mov_b32 s4, s8; v_mov_b32_e32 v1, s4; s_mov_b32 s6, s4; v_mov_b32_e32 v1, s6" },
};
/* clang-format on */

struct reported {
	unsigned n;
	struct amd_breach last;
};

static void
note(void *user, const struct amd_breach *b)
{
	struct reported *t = user;

	t->n++;
	t->last = *b;
}

/* Runs the rules along the text: all of it, or the instructions whose number has a bit in `path`.
 * Returns the offset of the last one. */
static uint32_t
examine_path(struct unit_ctx *t, const struct gcn_target *g, const char *text, uint64_t path,
	     struct reported *reported)
{
	uint32_t words[200], way[200], last = 0;
	size_t n = gcn_text_words(t, g, text, words, QD_COUNT(words)), n_way = 0;
	struct amd_code *code = NULL;
	struct pool pool;

	*reported = (struct reported){ 0 };
	pool_init(&pool, &pool_malloc);
	if (n && amd_code_create(&pool, g, words, n, &code, NULL) == QD_OK) {
		for (uint32_t at = 0, k = 0; at < n; k++) {
			struct gcn_insn in;
			int len = gcn_decode(g, words + at, n - at, &in);
			if (path == UINT64_MAX || path >> k & 1)
				way[n_way++] = last = at;
			at += len ? (uint32_t)len : 1;
		}
		UNIT_CHECK(t, amd_states_along(&pool, code, way, n_way, note, reported, NULL) == QD_OK,
			   "%s", text);
	}
	amd_code_free(code);
	pool_fini(&pool);
	return last;
}

static uint32_t
examine(struct unit_ctx *t, const struct gcn_target *g, const char *text, struct reported *reported)
{
	return examine_path(t, g, text, UINT64_MAX, reported);
}

/* Fails if a rule misses a violation, reports more than that, or reports correct code. */
static void
by_hand(struct unit_ctx *t)
{
	char text[1000];
	struct reported reported;

	for (size_t i = 0; i < QD_COUNT(broken); i++) {
		const struct gcn_target *g = target_of(broken[i].target, broken[i].wave);
		unsigned need = broken[i].need ? broken[i].need : 1;
		for (unsigned n = 0; n <= need; n++) {
			size_t len = (size_t)snprintf(text, sizeof text, "%s;", broken[i].text);
			for (unsigned k = 0; k < n; k++)
				len += (size_t)snprintf(text + len, sizeof text - len, "%s;",
							broken[i].need ? broken[i].filler
								       : "s_nop 15");
			snprintf(text + len, sizeof text - len, "%s", broken[i].last);
			uint32_t later = examine(t, g, text, &reported);
			bool wrong = n < need || !broken[i].need;
			UNIT_CHECK(t,
				   reported.n == wrong &&
					   (!wrong || (!strcmp(reported.last.rule, broken[i].rule) &&
						       reported.last.later == later)),
				   "%s on %s: %u rules, %s: %s", broken[i].rule, broken[i].target,
				   reported.n, reported.n ? reported.last.rule : "none", text);
			if (wrong && !strncmp(broken[i].filler, "s_nop", 5))
				UNIT_CHECK(t, reported.last.missing == need - n, "%s: %u missing", text,
					   reported.last.missing);
		}
		if (!broken[i].remedy)
			continue;
		snprintf(text, sizeof text, "%s; %s; %s", broken[i].text, broken[i].remedy,
			 broken[i].last);
		examine(t, g, text, &reported);
		UNIT_CHECK(t, !reported.n, "%s on %s: %s", reported.n ? reported.last.rule : "",
			   broken[i].target, text);
	}
	for (size_t i = 0; i < QD_COUNT(whole); i++) {
		examine(t, target_of(whole[i].target, whole[i].wave), whole[i].text, &reported);
		UNIT_CHECK(t, !reported.n, "%s on %s: %s", reported.n ? reported.last.rule : "",
			   whole[i].target, whole[i].text);
	}
}

/* Fails if a scalar read does not end sgpr_valu_write because VALU reads the pair on another path:
 * on an arm that the wave skips, and further down in a loop. LLVM 22 inserts no wait in these
 * functions. Without that VALU read, it does. */
static void
other_paths(struct unit_ctx *t)
{
	/* clang-format off */
	static const struct {
		const char *text;
		uint64_t path; /* bits: numbers of the executed instructions */
		bool broken;
	} rows[] = {
		{ "v_mov_b32_e32 v0, s4; s_cbranch_scc0 1; v_mov_b32_e32 v9, s3; v_readfirstlane_b32 s4, v3; s_mov_b32 s20, s2; v_mov_b32_e32 v1, s4; s_endpgm", 0x3b, false },
		{ "v_mov_b32_e32 v0, s4; s_cbranch_scc0 1; v_mov_b32_e32 v9, s6; v_readfirstlane_b32 s4, v3; s_mov_b32 s20, s2; v_mov_b32_e32 v1, s4; s_endpgm", 0x3b, true },
		{ "v_mov_b32_e32 v0, s4; v_readfirstlane_b32 s4, v3; s_mov_b32 s20, s2; v_mov_b32_e32 v1, s4; v_mov_b32_e32 v9, s2; s_cbranch_scc0 65530; s_endpgm", 0xf, false },
		{ "v_mov_b32_e32 v0, s4; v_readfirstlane_b32 s4, v3; s_mov_b32 s20, s2; v_mov_b32_e32 v1, s4; v_mov_b32_e32 v9, s2; s_cbranch_scc0 0; s_endpgm", 0xf, true },
		{ "v_mov_b32_e32 v0, s4; v_readfirstlane_b32 s4, v3; s_mov_b32 s20, s2; v_mov_b32_e32 v1, s4; v_mov_b32_e32 v9, s2; s_endpgm; s_branch 65529", 0xf, true },
		/* the scalar read precedes the write */
		{ "v_mov_b32_e32 v0, s4; s_cbranch_scc0 1; v_mov_b32_e32 v9, s3; s_mov_b32 s20, s2; v_readfirstlane_b32 s4, v3; v_mov_b32_e32 v1, s4; s_endpgm", 0x3b, true },
		/* vector memory does not count as a VALU read of the pair */
		{ "v_mov_b32_e32 v0, s4; s_cbranch_scc0 3; global_load_b32 v9, v8, s[2:3]; v_readfirstlane_b32 s4, v3; s_mov_b32 s20, s2; v_mov_b32_e32 v1, s4; s_endpgm", 0x3b, true },
	};
	/* clang-format on */
	const struct gcn_target *g = target_of("gfx1200", 32);
	struct reported reported;

	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		uint32_t later = examine_path(t, g, rows[i].text, rows[i].path, &reported);
		UNIT_CHECK(t,
			   reported.n == rows[i].broken &&
				   (!reported.n || (!strcmp(reported.last.rule, "sgpr_valu_write") &&
						    reported.last.later == later)),
			   "%s: %u rules, %s", rows[i].text, reported.n,
			   reported.n ? reported.last.rule : "none");
	}
}

/* Fails if a rule has no violation above, or if the emulator supports an instruction whose rule is
 * missing. */
static void
all_rules(struct unit_ctx *t)
{
	const uint64_t without = E(GETREG) | E(DENORM) | E(ADDTID) | E(ACC_READ) | E(ACC_WRITE) | E(GDS);

	for (size_t k = 0; gcn_target_at(k); k++) {
		for (unsigned wave = 32; wave <= 64; wave += 32) {
			const struct gcn_target *g = target_of(gcn_target_at(k)->name, wave);
			struct state_rules r = { .n = 0 };
			if (g)
				amd_states_of(g, &r);
			for (unsigned i = 0; i < r.n; i++) {
				bool is_broken = false;
				for (size_t j = 0; j < QD_COUNT(broken); j++)
					is_broken |= !strcmp(broken[j].rule, r.rule[i]->name);
				UNIT_CHECK(t, is_broken, "%s is not tested", r.rule[i]->name);
			}
			for (unsigned row = 0; g && row < GCN_N_ROW; row++) {
				struct gcn_props p = gcn_props_of(row);
				/* gfx10 has no rule about s_setreg. */
				uint64_t ruled = without | (g->gen == GCN_G10 ? 0 : E(SETREG));
				UNIT_CHECK(t,
					   !amd_knows(g, row) || (!(p.flags & ruled) && p.class != CL_MATRIX &&
								  p.class != CL_EXPORT),
					   "%s: %s is modeled, and a rule about it is missing", g->name, gcn_row_name(&gcn_rows[row]));
			}
		}
	}
}

/* -- Waves ---------------------------------------------------------------- */

/* Code that runs in place of the kernel `copy`, and the text of its finding. Without a finding,
 * control flow does not reach the violation. */
/* clang-format off */
static const struct {
	const char *target;
	unsigned wave;
	const char *text, *reported;
} runs[] = {
	{ "gfx906", 0, "v_mov_b32_e32 v2, 5; s_nop 0; v_mov_b32_dpp v3, v2 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf; s_endpgm",
	  "v_mov_b32_dpp v3, v2 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf: 2 wait states needed after offset 0x0 "
	  "(v_mov_b32_e32 v2, 5), 1 found: DPP reads the result of a VALU instruction (dpp_vgpr)" },
	{ "gfx906", 0, "s_mov_b32 s20, 2; v_mov_b32_e32 v2, 5; s_nop 1; v_mov_b32_dpp v3, v2 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf; "
	  "v_mov_b32_e32 v2, 5; s_sub_u32 s20, s20, 1; s_cmp_eq_u32 s20, 0; s_cbranch_scc0 65530; s_endpgm", NULL },
	{ "gfx906", 0, "s_mov_b32 s20, 2; v_mov_b32_e32 v2, 5; s_nop 1; v_mov_b32_dpp v3, v2 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf; "
	  "s_sub_u32 s20, s20, 1; s_cmp_eq_u32 s20, 0; v_mov_b32_e32 v2, 5; s_cbranch_scc0 65530; s_endpgm",
	  "2 wait states needed after offset 0x1c (v_mov_b32_e32 v2, 5), 1 found" },
	{ "gfx906", 0, "s_cmp_eq_u32 s20, s20; v_mov_b32_e32 v2, 5; s_cbranch_scc1 2; v_mov_b32_dpp v3, v2 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf; "
	  "s_endpgm", "undefined" },
	{ "gfx906", 0, "s_cmp_eq_u32 0, 0; v_mov_b32_e32 v2, 5; s_cbranch_scc1 2; v_mov_b32_dpp v3, v2 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf; "
	  "s_endpgm", NULL },
	{ "gfx90a", 0, "v_mov_b32_e32 v1, 0; v_readfirstlane_b32 s20, v1; v_readlane_b32 s21, v1, s20; s_endpgm",
	  "4 wait states needed after offset 0x4 (v_readfirstlane_b32 s20, v1), 0 found: the lane index is the result of a VALU instruction (lane_select)" },
	/* The vector unit computes no index if no lane is active. */
	{ "gfx906", 0, "v_mov_b32_e32 v1, 0; v_readfirstlane_b32 s20, v3; s_nop 3; v_readlane_b32 s21, v1, s20; s_endpgm",
	  "the lane index is undefined" },
	{ "gfx906", 0, "v_mov_b32_e32 v1, 0; s_mov_b64 exec, 0; v_readfirstlane_b32 s20, v3; s_nop 3; v_readlane_b32 s21, v1, s20; s_endpgm", NULL },
	{ "gfx1100", 64, "v_mov_b32_e32 v1, 0; s_mov_b64 s[20:21], 0; v_cndmask_b32_e64 v1, v1, v1, s[20:21]; s_mov_b64 s[20:21], 0; v_mov_b32_e32 v3, s20; s_endpgm",
	  "s_waitcnt_depctr depctr_sa_sdst(0) needed after offset 0x10 (s_mov_b64 s[20:21], 0): SALU writes an SGPR that VALU has read as a mask (mask_salu_write)" },
	{ "gfx1100", 0, "v_mov_b32_e32 v1, 0; v_mad_u64_u32 v[2:3], null, v1, v3, v[6:7]; s_endpgm",
	  "a 64-bit sum is written over one of its factors (mad_source): the instruction needs another destination" },
};
/* clang-format on */

static const struct wave_object *
object_of(const char *target, unsigned wave)
{
	for (unsigned i = 0; i < wave_n_objects; i++)
		if (!strcmp(wave_objects[i].source, "basic") &&
		    !strcmp(wave_objects[i].target, target) && wave_objects[i].wave == wave)
			return &wave_objects[i];
	return NULL;
}

static void
in_a_wave(struct unit_ctx *t)
{
	struct wave_memory *m = calloc(1, sizeof *m);
	const struct wave_kernel *copy = wave_kernels;

	while (strcmp(copy->name, "copy"))
		copy++;
	for (size_t i = 0; m && i < QD_COUNT(runs); i++) {
		struct qd_error e = { 0 };
		struct wave_code c;
		if (!wave_code_read(t, &c, object_of(runs[i].target, runs[i].wave)))
			continue;
		const struct code_place *at = wave_code_find(&c, "copy");
		gcn_text_words(t, c.target, runs[i].text, c.words + at->entry, at->end - at->entry);
		qd_status st = wave_launch(&c, copy, m, 3, NULL, &e);
		UNIT_CHECK(t,
			   runs[i].reported ? st == QD_E_FINDING && strstr(e.text, runs[i].reported)
					: st == QD_OK,
			   "%s: %s", runs[i].text, e.text);
		wave_code_free(&c);
	}
	free(m);
}

/* -- Removed nops ---------------------------------------------------------- */

struct tally {
	unsigned n, found, idle, missed;
};

/* Removes the word from the kernel. Branches keep their targets. */
static void
cut(struct wave_code *c, const struct code_place *k, uint32_t at)
{
	struct gcn_insn in;

	for (uint32_t w = k->entry; w < k->end;) {
		int len = gcn_decode(c->target, c->words + w, c->n_words - w, &in);
		if (len && gcn_props_of(in.row).class == CL_BRANCH) {
			int64_t to = (int64_t)w + 1 + (int16_t)in.field[GCN_F_SIMM];
			int64_t from = (int64_t)w + 1 - (w >= at);
			c->words[w] =
				(c->words[w] & 0xffff0000) | (uint16_t)(to - (to > at) - from);
		}
		w += len ? (uint32_t)len : 1;
	}
	memmove(c->words + at, c->words + at + 1, (k->end - at - 1) * sizeof *c->words);
	/* keep the end of the kernel */
	c->words[k->end - 1] = c->words[k->end - 2];
}

static void
ignore(void *user, const struct gcn_hazard *h)
{
	(void)user;
	(void)h;
}

/* Returns true if qd-dis finds a hazard in the kernel. */
static bool
is_hazard(const struct wave_code *c, const struct code_place *k)
{
	size_t n = k->end - k->entry;
	struct cfg f = { .line_cap = n };
	bool found = true;

	f.line = calloc(n, sizeof *f.line);
	if (f.line && !gcn_flow_read(&f, c->target, c->words + k->entry, n, NULL, 0, NULL)) {
		struct gcn_hazard_line *line = calloc(n, sizeof *line);
		struct gcn_hazard_block *block = calloc(f.n_block, sizeof *block);
		f.block = calloc(f.n_block, sizeof *f.block);
		f.edge = calloc(f.n_edge + 1, sizeof *f.edge);
		if (line && block && f.block && f.edge) {
			gcn_flow_link(&f);
			found = gcn_hazards(&f, line, block, GCN_XNACK, ignore, NULL) != 0;
		}
		free(line);
		free(block);
		free(f.block);
		free(f.edge);
	}
	free(f.line);
	return found;
}

static bool
is_state(const struct gcn_target *g, const uint32_t *word)
{
	struct gcn_insn in;

	return gcn_decode(g, word, 1, &in) == 1 &&
	       (gcn_props_of(in.row).flags & (E(NOP) | E(VNOP) | E(DEPCTR)));
}

static void
cut_one(struct wave_code *c, const struct wave_kernel *k, const struct code_place *place,
	uint32_t at, struct wave_memory *m, struct tally *y)
{
	size_t size = (place->end - place->entry) * sizeof *c->words;
	uint32_t *saved = malloc(size);
	struct qd_error e;

	if (!saved)
		return;
	memcpy(saved, c->words + place->entry, size);
	cut(c, place, at);
	y->n++;
	bool found = false;
	for (uint64_t seed = 1; seed <= 4 && !found; seed++) {
		struct wave_kernel short_one = *k;
		wave_fill(m, k, seed * 77);
		if (seed == 3) /* loops that end immediately */
			memset(m, 0, sizeof *m);
		if (seed == 4) /* waves without work */
			short_one.n = 1;
		found = wave_launch(c, &short_one, m, seed, NULL, &e) == QD_E_FINDING &&
			strstr(e.text, "needed after");
	}
	if (found)
		y->found++;
	else if (!is_hazard(c, place))
		y->idle++; /* the nop was for another path, or unnecessary */
	else {
		y->missed++;
		if (getenv("QD_TEST_VERBOSE"))
			printf("%s w%u, %s: without 0x%x nothing is reported\n", c->target->name,
			       c->target->wave, k->name, at * 4);
	}
	memcpy(c->words + place->entry, saved, size);
	free(saved);
}

static void
nops(struct unit_ctx *t)
{
	struct wave_memory *m = malloc(sizeof *m);
	struct tally all = { 0 };

	for (unsigned i = 0; m && i < wave_n_objects; i++) {
		struct tally y = { 0 };
		struct wave_code c;
		if (!wave_has_rows(&wave_objects[i]) || !wave_code_read(t, &c, &wave_objects[i]))
			continue;
		for (unsigned j = 0; j < wave_n_kernels; j++) {
			const struct wave_kernel *k = &wave_kernels[j];
			const struct code_place *at = wave_code_find(&c, k->name);
			if (strcmp(k->source, wave_objects[i].source) || !at)
				continue;
			for (uint32_t w = at->entry; w < at->end; w++)
				if (is_state(c.target, c.words + w))
					cut_one(&c, k, at, w, m, &y);
		}
		if (getenv("QD_TEST_VERBOSE"))
			printf("%s, %s w%u: %u nops and waits for dependencies cut, %u reported, %u "
			       "needless, %u missed\n",
			       wave_objects[i].source, c.target->name, c.target->wave, y.n, y.found,
			       y.idle, y.missed);
		all.n += y.n;
		all.found += y.found;
		all.idle += y.idle;
		all.missed += y.missed;
		wave_code_free(&c);
	}
	UNIT_CHECK(t, all.found > 100 && !all.missed, "%u cut: %u reported, %u needless, %u missed",
		   all.n, all.found, all.idle, all.missed);
	free(m);
}

const struct unit units_emu_gcn_states[] = {
	{ "emu_gcn_states.by_hand", by_hand },
	{ "emu_gcn_states.other_paths", other_paths },
	{ "emu_gcn_states.all_rules", all_rules },
	{ "emu_gcn_states.in_a_wave", in_a_wave },
	{ "emu_gcn_states.nops", nops },
};
const unsigned n_units_emu_gcn_states = QD_COUNT(units_emu_gcn_states);
