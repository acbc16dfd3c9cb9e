/* Instructions that gcn_encode rejects and gcn_words accepts. Each rule has a rejected text and the
 * nearest text that LLVM 22's assembler accepts. */
#include <stdio.h>

#include "table.h"
#include "unit.h"

struct pair {
	const char *target, *taken, *refused, *why;
};

/* clang-format off */
static const struct pair pairs[] = {
	{ "gfx906", "s_and_b32 s0, s1, m0", "s_and_b32 s0, s1, null", "the target has no such register" },
	{ "gfx1030", "v_mov_b32_e32 v0, src_vccz", "v_mov_b32_e32 v0, src_flat_scratch_base_lo", "the target has no such register" },
	{ "gfx1100", "v_mov_b32_e32 v0, src_scc", "v_mov_b32_e32 v0, src_vccz", "the target has no such register" },
	{ "gfx906", "s_load_dwordx4 s[96:99], s[2:3], 0x0", "s_load_dwordx4 s[100:103], s[2:3], 0x0", "the register tuple extends past the last register" },
	{ "gfx1200", "s_buffer_load_b32 s0, s[96:99], 0x0", "s_buffer_load_b32 s0, null, 0x0", "the register tuple extends past the last register" },
	{ "gfx1200", "s_buffer_prefetch_data s[8:11], 0x0, s1, 5", "s_buffer_prefetch_data null, 0x0, s1, 5", "the register tuple extends past the last register" },
	{ "gfx906", "s_rfe_b64 s[2:3]", "s_rfe_b64 src_execz", "expected a scalar register" },
	/* one scalar register before gfx10, two since then */
	{ "gfx906", "v_add_f32_e64 v0, s1, s1", "v_add_f32_e64 v0, s1, s2", "more scalar registers and literals than one instruction may read" },
	{ "gfx942", "v_fma_f64 v[0:1], s[2:3], v[2:3], s[2:3]", "v_fma_f64 v[0:1], s[2:3], v[2:3], s[4:5]", "more scalar registers and literals than one instruction may read" },
	{ "gfx1030", "v_fma_f32 v0, s1, s2, s1", "v_fma_f32 v0, s1, s2, s3", "more scalar registers and literals than one instruction may read" },
	{ "gfx1100", "v_fma_f32 v0, s1, null, s2", "v_fma_f32 v0, s1, m0, s2", "more scalar registers and literals than one instruction may read" },
	{ "gfx1200", "v_add3_u32 v0, 0x1234, s1, 0x1234", "v_add3_u32 v0, 0x1234, s1, s2", "more scalar registers and literals than one instruction may read" },
	{ "gfx1200", "v_lshlrev_b64_e64 v[0:1], s2, v[2:3]", "v_lshlrev_b64_e64 v[0:1], s2, s[2:3]", "more scalar registers and literals than one instruction may read" },
	/* vcc is read implicitly, or is the last operand */
	{ "gfx906", "v_div_fmas_f64 v[0:1], vcc, v[2:3], v[4:5]", "v_div_fmas_f64 v[0:1], s[0:1], v[2:3], v[4:5]", "more scalar registers and literals than one instruction may read" },
	{ "gfx1030", "v_div_fmas_f32 v0, v1, vcc_lo, v2", "v_div_fmas_f32 v0, v1, vcc_lo, s1", "more scalar registers and literals than one instruction may read" },
	{ "gfx906", "v_cndmask_b32_e32 v0, 1, v1, vcc", "v_cndmask_b32_e32 v0, s1, v1, vcc", "more scalar registers and literals than one instruction may read" },
	{ "gfx906", "v_writelane_b32 v0, s1, m0", "v_writelane_b32 v0, s1, s2", "more scalar registers and literals than one instruction may read" },
	{ "gfx906", "v_madmk_f32 v0, v1, 0x1234, v2", "v_madmk_f32 v0, s1, 0x1234, v2", "more scalar registers and literals than one instruction may read" },
	{ "gfx1030", "v_add_f16_e32 v0, 0x1234, v1", NULL, "the literal has more than 16 bits" },
	{ "gfx1030", "v_fmaak_f16 v0, v1, v2, 0x1234", "v_fmaak_f16 v0, v1, v2, 0x12345", "the literal has more than 16 bits" },
	{ "gfx1200", "s_cmp_le_f16 s2, 0x1234", "s_cmp_le_f16 s2, 0x12340000", "the literal has more than 16 bits" },
	{ "gfx1030", "v_writelane_b32 v0, 0x1234, s1", "v_writelane_b32 v0, s1, 0x1234", "the instruction takes no literal" },
	{ "gfx906", "s_cbranch_g_fork 4, s[2:3]", "s_cbranch_g_fork 0x1234, s[2:3]", "the instruction takes no literal" },
	{ "gfx906", "v_cvt_f64_i32_dpp v[0:1], v2 quad_perm:[0,0,0,0] row_mask:0xf bank_mask:0xf",
	  "v_cvt_f32_f64_dpp v0, v[2:3] quad_perm:[0,0,0,0] row_mask:0xf bank_mask:0xf", "a 64-bit operation takes no DPP" },
	{ "gfx1100", "v_add_f64 v[0:1], |v[2:3]|, 0x12345678", "v_add_f64 v[0:1], v[2:3], -|0x12345678|", "a 64-bit literal takes no neg or abs" },
	{ "gfx942", "v_dot2_f32_f16 v0, v1, v2, v3 neg_lo:[1,0,0]", "v_dot2_f32_f16 v0, v1, v2, v3 op_sel:[1,0,0]", "the dot product takes no op_sel" },
	{ "gfx90a", "v_dot2_f32_f16 v0, v1, v2, v3 op_sel:[1,0,0]", NULL, NULL },
	{ "gfx90a", "v_mfma_f32_32x32x2f32 a[0:15], v0, v1, a[0:15]", "v_mfma_f32_32x32x2f32 a[0:15], v0, v1, a[2:17]", "the third source overlaps the result" },
	{ "gfx950", "v_mfma_f32_4x4x1_16b_f32 v[0:3], v8, v9, v[2:5]", NULL, NULL },
	{ "gfx90a", "v_mfma_f32_4x4x1f32 a[0:3], v0, v1, 1.0", NULL, NULL },
	{ "gfx908", "v_mfma_f32_4x4x1f32 a[0:3], v0, v1, a[0:3]", "v_mfma_f32_4x4x1f32 a[0:3], v0, v1, 1.0", "the third source of the matrix instruction cannot be a constant" },
	{ "gfx908", "v_accvgpr_write_b32 a0, 1.0", "v_accvgpr_write_b32 a0, s0", "expected a vector register or a constant" },
	{ "gfx90a", "v_accvgpr_write_b32 a0, s0", NULL, NULL },
	{ "gfx906", "v_interp_p1_f32_e32 v0, v1, attr32.x", "v_interp_p1_f32_e64 v0, v1, attr33.x", "the target has no such attribute" },
	{ "gfx1200", "v_add_nc_u16 v0, v1, v2", "v_add_nc_u16 v0, -v1, v2", "a modifier of an operand that the instruction lacks" },
	{ "gfx1100", "v_add_f32_e64_dpp v0, v1, v2 row_shl:1 row_mask:0xf bank_mask:0xf",
	  "v_add_f32_e64_dpp v0, v1, s2 row_shl:1 row_mask:0xf bank_mask:0xf", "expected a vector register" },
	{ "gfx1150", "v_add_f32_e64_dpp v0, v1, s2 row_shl:1 row_mask:0xf bank_mask:0xf", NULL, NULL },
	{ "gfx1030", "v_fma_f32 v0, src_lds_direct, v1, v2", "v_fma_f32 v0, v1, src_lds_direct, v2", "the instruction takes no lds_direct" },
	{ "gfx1100", "v_dual_add_f32 v0, v1, v2 :: v_dual_add_f32 v3, v4, v5", "v_dual_add_f32 v0, v1, v2 :: v_dual_add_f32 v3, v5, v5", "both halves read the same register bank" },
	{ "gfx1200", "v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v3, v5", "v_dual_mov_b32 v0, v1 :: v_dual_add_f32 v3, v5, v5", "both halves read the same register bank" },
	{ "gfx1150", "v_dual_fmamk_f32 v0, v1, 0x1234, v2 :: v_dual_fmac_f32 v3, v4, v5", "v_dual_fmamk_f32 v0, v1, 0x1234, v3 :: v_dual_fmac_f32 v3, v4, v5", "both halves read the same register bank" },
	{ "gfx1100", "v_dual_cndmask_b32 v0, s1, v2 :: v_dual_add_f32 v3, s1, v5", "v_dual_cndmask_b32 v0, s1, v2 :: v_dual_add_f32 v3, vcc_lo, v5", "more scalar registers and literals than one instruction may read" },
	{ "gfx908", "v_mov_b32_e32 v0, src_lds_direct", NULL, "the target has no lds_direct" },
	{ "gfx942", "v_mov_b32_e32 v0, m0", "v_mov_b32_e32 v0, src_lds_direct", "the target has no lds_direct" },
	{ "gfx1100", "v_dual_add_f32 v0, v149, v170 :: v_dual_fmac_f32 v253, m0, v137", "v_dual_add_f32 v0, v149, v170 :: v_dual_fmac_f32 v253, src_lds_direct, v137", "the target has no lds_direct" },
	{ "gfx1030", "v_bfrev_b32_e32 v0, src_lds_direct", "v_subrev_f32_e32 v0, src_lds_direct, v1", "the instruction takes no lds_direct" },
	{ "gfx906", "s_load_dword s0, s[2:3], m0", "s_load_dword s0, s[2:3], null", "the target has no such register" },
	{ "gfx1100", "s_waitcnt_vscnt null, 0x0", "s_waitcnt_vscnt s0, 0x0", "the counter's register must be null" },
	{ "gfx1010", "s_waitcnt_vscnt s0, 0x0", NULL, NULL },
	{ "gfx906", "s_set_gpr_idx_mode gpr_idx(SRC0,DST)", "s_set_gpr_idx_mode 0x10", "gpr_idx must be below 16" },
	{ "gfx1200", "s_barrier_signal -1", "s_barrier_signal s0", "the barrier must be m0 or a constant" },
	{ "gfx1200", "s_get_barrier_state s0, m0", "s_get_barrier_state s0, s1", "the barrier must be m0 or a constant" },
	{ "gfx1100", "s_load_b32 s0, s[4:5], -0x4", "s_buffer_load_b32 s0, s[4:7], -0x4", "the offset from a buffer cannot be negative" },
	{ "gfx1200", "s_load_b32 s0, s[4:5], s1 offset:0x0", "s_load_b32 s0, s[4:5], s1 offset:0x0 scale_offset", "the target has no scale_offset" },
	{ "gfx906", "flat_load_dword v0, v[2:3] offset:4095", "flat_load_dword v0, v[2:3] offset:4096", "the offset must be below 4096" },
	{ "gfx1100", "flat_load_b32 v0, v[2:3] offset:4095", "flat_load_b32 v0, v[2:3] offset:4096", "the offset must be below 4096" },
	{ "gfx1030", "flat_load_dword v0, v[2:3] offset:2047", "flat_load_dword v0, v[2:3] offset:2048", "the offset must be below 2048" },
	{ "gfx1200", "global_load_b32 v0, v[2:3], off th:TH_LOAD_NT_HT", "global_load_b32 v0, v[2:3], off th:0x7", "no such temporal hint" },
	{ "gfx1200", "global_atomic_add_u32 v[2:3], v0, off th:TH_ATOMIC_CASCADE_RT scope:SCOPE_DEV",
	  "global_atomic_add_u32 v1, v[2:3], v0, off th:TH_ATOMIC_CASCADE_RT scope:SCOPE_DEV", "no such temporal hint" },
	{ "gfx1200", "global_atomic_add_u32 v1, v[2:3], v0, off th:TH_ATOMIC_NT_RETURN scope:SCOPE_DEV",
	  "global_atomic_add_u32 v1, v[2:3], v0, off th:TH_ATOMIC_NT_RETURN scope:SCOPE_SYS", "no such temporal hint" },
	{ "gfx1200", "buffer_atomic_add_u32 v1, off, s[0:3], s4 th:TH_ATOMIC_NT_RETURN", "buffer_atomic_add_u32 v1, off, s[0:3], s4 th:TH_ATOMIC_0x6", "no such temporal hint" },
	{ "gfx1030", "buffer_load_dword v[0:1], off, s[0:3], 0 tfe", "buffer_store_dword v[0:1], off, s[0:3], 0 tfe", "the instruction takes no tfe" },
	{ "gfx906", "buffer_load_dword v0, off, s[96:99], 0", "buffer_load_dword v0, off, s[100:103], 0", "the register tuple extends past the last register" },
	{ "gfx942", "flat_atomic_max_f64 a[0:1], v[2:3], a[4:5] sc0", "flat_atomic_max_f64 a[0:1], v[2:3], a[4:5] sc0 sc1", "the instruction takes no accumulation register" },
	{ "gfx906", "ds_swizzle_b32 v0, v1 offset:swizzle(BROADCAST,32,5)", "ds_swizzle_b32 v0, v1 offset:swizzle(BITMASK_PERM,\"00101\")", "the pattern has bits without effect" },
	{ "gfx1200", "s_load_b96 s[4:6], s[2:3], 0x0", "s_load_b96 ttmp[4:6], s[2:3], 0x0", "a tuple of three trap registers has no name" },
	{ "gfx90a", "ds_gws_init v2 gds", "ds_gws_init v3 gds", "the register number must be even" },
	{ "gfx908", "ds_gws_init v3 gds", NULL, NULL },
	{ "gfx906", "global_load_dword v0, v1, s[2:3]", "global_load_dword v0, v1, null", "the target has no such register" },
	{ "gfx942", "global_atomic_add_f32 v[2:3], a0, off", "global_atomic_add_f32 a1, v[2:3], a0, off sc0", "the instruction takes no accumulation register" },
	{ "gfx90a", "global_atomic_add_f32 a1, v[2:3], a0, off glc", NULL, NULL },
	{ "gfx1200", "global_inv scope:SCOPE_DEV", "global_inv scope:SCOPE_DEV nv", "the target has no nv" },
	{ "gfx1200", "global_load_b32 v0, v1, s[2:3]", "global_load_b32 v0, v1, s[2:3] scale_offset", "the target has no scale_offset" },
	{ "gfx1250", "global_load_b32 v0, v1, s[2:3] scale_offset", "global_load_b32 v0, v[2:3], off scale_offset", "the address takes no scale_offset" },
	{ "gfx1250", "v_pk_mul_f32 v[2:3], s[2:3], v[4:5] op_sel_hi:[0,1]", "v_pk_mul_f32 v[2:3], s[2:3], v[4:5]", "op_sel and op_sel_hi of a scalar register must be clear here" },
	{ "gfx1250", "v_fmamk_f64 v[0:1], v[2:3], lit64(0x12345678), v[4:5]", "v_fmamk_f64 v[0:1], v[2:3], lit64(0x12345678), v[5:6]", "the register tuple must begin at an even register" },
	{ "gfx1250", "v_dual_add_f32 v0, v1, v2 :: v_dual_mul_f32 v2, v1, v4", "v_dual_add_f32 v0, v1, v2 :: v_dual_mul_f32 v2, v5, v4", "both halves read the same register bank" },
	{ "gfx1250", "v_dual_add_f64 v[0:1], v[2:3], v[4:5] :: v_dual_mov_b32 v2, v4", "v_dual_add_f64 v[0:1], v[2:3], v[4:5] :: v_dual_mov_b32 v1, v4", "both halves write one register" },
	{ "gfx1250", "v_wmma_f32_16x16x128_f8f6f4 v[0:7], v[8:23], v[24:39], v[40:47] matrix_a_fmt:MATRIX_FMT_BF8", "v_wmma_f32_16x16x128_f8f6f4 v[0:7], v[8:23], v[24:39], v[40:47] matrix_a_fmt:6", "the format of a matrix or of a scale has no name" },
	{ "gfx1250", "tensor_load_to_lds s[0:3], s[4:11]", "tensor_load_to_lds s[0:3], s[4:11] r128", "r128 must be clear here" },
	{ "gfx1200", "s_load_b32 s0, s[4:5], s1 offset:0x0", "s_load_b32 s0, s[4:5], s1 offset:0x0 nv", "the target has no nv" },
};
/* clang-format on */
enum { N_PAIRS = sizeof pairs / sizeof *pairs };

static void
one(struct unit_ctx *t, const struct pair *p, const char *text, const char *why)
{
	const struct gcn_target *target = gcn_target_find(p->target, 0);
	uint32_t w[GCN_MAX_WORDS];
	struct gcn_insn in;
	struct qd_error err = { 0 };
	char want[256];
	int n;

	UNIT_CHECK(t, !gcn_parse(target, text, &in, &err), "%s: %s", p->target, err.text);
	UNIT_CHECK(t, !gcn_words(target, &in, w, &n, &err), "%s: %s", p->target, err.text);
	err.text[0] = '\0';
	if (!why) {
		UNIT_CHECK(t, !gcn_encode(target, &in, w, &n, &err), "%s: %s: %s", p->target, text,
			   err.text);
		return;
	}
	snprintf(want, sizeof want, "%s: %s on %s", gcn_row_name(&gcn_rows[in.row]), why, p->target);
	UNIT_CHECK(t, gcn_encode(target, &in, w, &n, &err) == QD_E_TARGET && !strcmp(err.text, want),
		   "%s: %s, wanted %s", text, err.text, want);
}

/* Checks that the encoder accepts and rejects the same texts as LLVM's assembler. */
static void
nearest(struct unit_ctx *t)
{
	for (size_t i = 0; i < N_PAIRS; i++) {
		one(t, &pairs[i], pairs[i].taken, NULL);
		if (pairs[i].refused)
			one(t, &pairs[i], pairs[i].refused, pairs[i].why);
	}
}

/* Checks that each rule has a pair. */
static void
each_rule(struct unit_ctx *t)
{
	unsigned n[2] = { 0 };
	const char *why;
	bool hardware;

	for (size_t i = 0; (why = gcn_strict_rule(i, &hardware)); i++) {
		bool found = false;
		for (size_t k = 0; k < N_PAIRS && !found; k++)
			found = pairs[k].refused && !strcmp(pairs[k].why, why);
		UNIT_CHECK(t, found, "no case for: %s", why);
		n[hardware]++;
	}
	UNIT_CHECK(t, n[0] && n[1], "%u rules of the assembler, %u of the hardware", n[0], n[1]);
}

const struct unit units_gcn_strict[] = {
	{ "gcn.strict", nearest },
	{ "gcn.strict_each_rule", each_rule },
};
const unsigned n_units_gcn_strict = sizeof units_gcn_strict / sizeof *units_gcn_strict;
