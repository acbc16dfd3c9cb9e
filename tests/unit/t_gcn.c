/* The AMD tables without LLVM at hand: words and LLVM 22's text side by side,
 * what the encoder refuses and why, and decoding any words at all. */
#include <stdio.h>

#include "call.h"
#include "effect.h"
#include "table.h"
#include "unit.h"

/* Decoder or printer or parser and LLVM disagree on one of these when it fails. */
static void
golden(struct unit_ctx *t)
{
	/* clang-format off */
	static const struct {
		const char *target;
		uint32_t w[4];
		int n;
		const char *text;
	} rows[] = {
		{ "gfx906", { 0xd8900000, 0x00000000, 0x00000000 }, 2, "ds_max_u64 v0, v[0:1]" },
		{ "gfx906", { 0xd8cc0000, 0x00000000, 0x00000000 }, 2, "ds_max_rtn_i64 v[0:1], v0, v[0:1]" },
		{ "gfx906", { 0xd9820000, 0x00000000, 0x00000000 }, 2, "ds_sub_src2_u64 v0" },
		{ "gfx906", { 0xc01e4137, 0x53d11977, 0x00000000 }, 2, "s_scratch_load_dwordx4 s[4:7], ttmp[2:3], s41 offset:-0xee689" },
		{ "gfx906", { 0xbe802900, 0x00000000, 0x00000000 }, 1, "s_quadmask_b64 s[0:1], s[0:1]" },
		{ "gfx906", { 0xbe800300, 0x00000000, 0x00000000 }, 1, "s_cmov_b64 s[0:1], s[0:1]" },
		{ "gfx906", { 0xbe800a00, 0x00000000, 0x00000000 }, 1, "s_bcnt0_i32_b32 s0, s0" },
		{ "gfx906", { 0x8e000000, 0x00000000, 0x00000000 }, 1, "s_lshl_b32 s0, s0, s0" },
		{ "gfx906", { 0xbe8c1485, 0x00000000, 0x00000000 }, 1, "s_flbit_i32 s12, 5" },
		{ "gfx906", { 0xb5000000, 0x00000000, 0x00000000 }, 1, "s_cmpk_gt_u32 s0, 0x0" },
		{ "gfx906", { 0xbeac2c00, 0x00000000, 0x00000000 }, 1, "s_movreld_b32 s44, s0" },
		{ "gfx906", { 0xbf110000, 0x00000000, 0x00000000 }, 1, "s_set_gpr_idx_on s0, gpr_idx()" },
		{ "gfx906", { 0xbf030000, 0x00000000, 0x00000000 }, 1, "s_cmp_ge_i32 s0, s0" },
		{ "gfx906", { 0xbf070000, 0x00000000, 0x00000000 }, 1, "s_cmp_lg_u32 s0, s0" },
		{ "gfx906", { 0xb0800000, 0x00000000, 0x00000000 }, 1, "s_cmovk_i32 s0, 0x0" },
		{ "gfx906", { 0xbf841010, 0x00000000, 0x00000000 }, 1, "s_cbranch_scc0 4112" },
		{ "gfx906", { 0xbef40b36, 0x00000000, 0x00000000 }, 1, "s_bcnt0_i32_b64 ttmp8, s[54:55]" },
		{ "gfx906", { 0xbf8d0000, 0x00000000, 0x00000000 }, 1, "s_sethalt 0" },
		{ "gfx906", { 0xbf880000, 0x00000000, 0x00000000 }, 1, "s_cbranch_execz 0" },
		{ "gfx906", { 0xbf850000, 0x00000000, 0x00000000 }, 1, "s_cbranch_scc1 0" },
		{ "gfx906", { 0x7e006400, 0x00000000, 0x00000000 }, 1, "v_fract_f64_e32 v[0:1], s[0:1]" },
		{ "gfx906", { 0x7e002a00, 0x00000000, 0x00000000 }, 1, "v_cvt_u32_f64_e32 v0, s[0:1]" },
		{ "gfx906", { 0x7e001400, 0x00000000, 0x00000000 }, 1, "v_cvt_f16_f32_e32 v0, s0" },
		{ "gfx906", { 0x7fa428fa, 0xa8040445, 0x00000000 }, 2, "v_cvt_f32_ubyte3_dpp v210, v69 quad_perm:[0,1,0,0] row_mask:0xa bank_mask:0x8" },
		{ "gfx906", { 0x7f5c7cfa, 0x1a080058, 0x00000000 }, 2, "v_sqrt_f16_dpp v174, v88 quad_perm:[0,0,0,0] row_mask:0x1 bank_mask:0xa bound_ctrl:1" },
		{ "gfx906", { 0x7fbe26fa, 0x95050bee, 0x00000000 }, 2, "v_cvt_f32_ubyte2_dpp v223, v238 row_shl:11 row_mask:0x9 bank_mask:0x5" },
		{ "gfx906", { 0x7f6684f9, 0x009532af, 0x00000000 }, 2, "v_frexp_mant_f16_sdwa v179, neg(47) clamp dst_sel:BYTE_2 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1" },
		{ "gfx906", { 0x7fbc7cf9, 0x0030a1fc, 0x00000000 }, 2, "v_sqrt_f16_sdwa v222, -|v252| clamp mul:4 dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0" },
		{ "gfx906", { 0x7eca90f9, 0x008160b5, 0x00000000 }, 2, "v_fract_f16_sdwa v101, 53 clamp mul:2 dst_sel:BYTE_0 dst_unused:UNUSED_PAD src0_sel:BYTE_1" },
		{ "gfx906", { 0x6a000000, 0x00000000, 0x00000000 }, 1, "v_sub_u32_e32 v0, s0, v0" },
		{ "gfx906", { 0x7e80298e, 0x00000000, 0x00000000 }, 1, "v_cvt_f32_ubyte3_e32 v64, v142" },
		{ "gfx906", { 0x76000000, 0x00000000, 0x00000000 }, 1, "v_fmac_f32_e32 v0, s0, v0" },
		{ "gfx906", { 0x54000000, 0x00000000, 0x00000000 }, 1, "v_lshlrev_b16_e32 v0, s0, v0" },
		{ "gfx906", { 0x7e000000, 0x00000000, 0x00000000 }, 1, "v_nop" },
		{ "gfx906", { 0x1555cafa, 0x3c001406, 0x00000000 }, 2, "v_min_f32_dpp v170, v6, v229 quad_perm:[0,1,1,0] row_mask:0x3 bank_mask:0xc" },
		{ "gfx906", { 0x247ffafa, 0x48001061, 0x00000000 }, 2, "v_lshlrev_b32_dpp v63, v97, v253 quad_perm:[0,0,1,0] row_mask:0x4 bank_mask:0x8" },
		{ "gfx906", { 0x284072fa, 0xf0009431, 0x00000000 }, 2, "v_or_b32_dpp v32, v49, v57 quad_perm:[0,1,1,2] row_mask:0xf bank_mask:0x0" },
		{ "gfx906", { 0x1a0000f9, 0x04040168, 0x00000000 }, 2, "v_max_i32_sdwa v0, v104, v0 dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:WORD_0" },
		{ "gfx906", { 0x5bed7cf9, 0x114124d8, 0x00000000 }, 2, "v_max_f16_sdwa v246, v216, -v190 clamp dst_sel:WORD_0 dst_unused:UNUSED_PAD src0_sel:BYTE_1 src1_sel:BYTE_1" },
		{ "gfx906", { 0x7c856af9, 0x0401009f, 0x00000000 }, 2, "v_cmp_eq_f32_sdwa vcc, v159, v181 src0_sel:BYTE_1 src1_sel:WORD_0" },
		{ "gfx906", { 0xd1890000, 0x00000000, 0x00000000 }, 2, "v_sin_f16_e64 v0, s0" },
		{ "gfx906", { 0xd0a20000, 0x00000000, 0x00000000 }, 2, "v_cmp_eq_i16_e64 s[0:1], s0, s0" },
		{ "gfx906", { 0xd0770000, 0x00000000, 0x00000000 }, 2, "v_cmpx_o_f64_e64 s[0:1], s[0:1], s[0:1]" },
		{ "gfx906", { 0xd1da0000, 0x00000000, 0x00000000 }, 2, "v_sad_hi_u8 v0, s0, s0, s0" },
		{ "gfx906", { 0xd07e0000, 0x00000000, 0x00000000 }, 2, "v_cmpx_nlt_f64_e64 s[0:1], s[0:1], s[0:1]" },
		{ "gfx906", { 0x7cf80000, 0x00000000, 0x00000000 }, 1, "v_cmpx_nle_f64_e32 vcc, s[0:1], v[0:1]" },
		{ "gfx906", { 0x7ccc0000, 0x00000000, 0x00000000 }, 1, "v_cmp_ge_f64_e32 vcc, s[0:1], v[0:1]" },
		{ "gfx906", { 0x7c2a0000, 0x00000000, 0x00000000 }, 1, "v_cmpx_class_f16_e32 vcc, s0, v0" },
		{ "gfx906", { 0x7c95d4f9, 0x23700ce4, 0x00000000 }, 2, "v_cmp_nlg_f32_sdwa vcc, -|v228|, |v234| src0_sel:BYTE_0 src1_sel:BYTE_3" },
		{ "gfx906", { 0x7ca36af9, 0xd544864b, 0x00000000 }, 2, "v_cmpx_lt_f32_sdwa s[6:7], v75, neg(53) src0_sel:WORD_0 src1_sel:WORD_1" },
		{ "gfx906", { 0x7c63baf9, 0x758000ef, 0x00000000 }, 2, "v_cmpx_lt_f16_sdwa vcc, src_pops_exiting_wave_id, -|v221| src0_sel:BYTE_0 src1_sel:WORD_1" },
		{ "gfx908", { 0xd8580000, 0x00000000, 0x00000000 }, 2, "ds_mskor_rtn_b32 v0, v0, v0, v0" },
		{ "gfx908", { 0xd8940000, 0x00000000, 0x00000000 }, 2, "ds_or_b64 v0, v[0:1]" },
		{ "gfx908", { 0xd8200000, 0x00000000, 0x00000000 }, 2, "ds_cmpst_b32 v0, v0, v0" },
		{ "gfx908", { 0xc2091797, 0x87d1e078, 0x00000000 }, 2, "s_atomic_add s94, s[46:47], ttmp12 glc" },
		{ "gfx908", { 0xc1acdb00, 0x00012f20, 0x00000000 }, 2, "s_buffer_atomic_inc_x2 ttmp[0:1], s[0:3], s0" },
		{ "gfx908", { 0xc0000000, 0x00000000, 0x00000000 }, 2, "s_load_dword s0, s[0:1], s0" },
		{ "gfx908", { 0xbe802600, 0x00000000, 0x00000000 }, 1, "s_nor_saveexec_b64 s[0:1], s[0:1]" },
		{ "gfx908", { 0xbe802b00, 0x00000000, 0x00000000 }, 1, "s_movrels_b64 s[0:1], s[0:1]" },
		{ "gfx908", { 0xbe802d00, 0x00000000, 0x00000000 }, 1, "s_movreld_b64 s[0:1], s[0:1]" },
		{ "gfx908", { 0xbe800837, 0x00000000, 0x00000000 }, 1, "s_brev_b32 s0, s55" },
		{ "gfx908", { 0x88000000, 0x00000000, 0x00000000 }, 1, "s_xor_b32 s0, s0, s0" },
		{ "gfx908", { 0xbed00af8, 0x00000000, 0x00000000 }, 1, "s_bcnt0_i32_b32 s80, 0.15915494" },
		{ "gfx908", { 0xbeb21000, 0x00000000, 0x00000000 }, 1, "s_ff1_i32_b32 s50, s0" },
		{ "gfx908", { 0xbe802000, 0x00000000, 0x00000000 }, 1, "s_and_saveexec_b64 s[0:1], s[0:1]" },
		{ "gfx908", { 0xbf0f0000, 0x00000000, 0x00000000 }, 1, "s_bitcmp1_b64 s[0:1], s0" },
		{ "gfx908", { 0xbf0a0000, 0x00000000, 0x00000000 }, 1, "s_cmp_lt_u32 s0, s0" },
		{ "gfx908", { 0xbf050000, 0x00000000, 0x00000000 }, 1, "s_cmp_le_i32 s0, s0" },
		{ "gfx908", { 0xbe981780, 0x00000000, 0x00000000 }, 1, "s_sext_i32_i16 s24, 0" },
		{ "gfx908", { 0xbead1f22, 0x00000000, 0x00000000 }, 1, "s_rfe_b64 s[34:35]" },
		{ "gfx908", { 0xbf987ce9, 0x00000000, 0x00000000 }, 1, "s_cbranch_cdbguser 31977" },
		{ "gfx908", { 0xbf850000, 0x00000000, 0x00000000 }, 1, "s_cbranch_scc1 0" },
		{ "gfx908", { 0xbf810000, 0x00000000, 0x00000000 }, 1, "s_endpgm" },
		{ "gfx908", { 0xbf880000, 0x00000000, 0x00000000 }, 1, "s_cbranch_execz 0" },
		{ "gfx908", { 0x7e920500, 0x00000000, 0x00000000 }, 1, "v_readfirstlane_b32 s73, v0" },
		{ "gfx908", { 0x7e005c00, 0x00000000, 0x00000000 }, 1, "v_ffbl_b32_e32 v0, s0" },
		{ "gfx908", { 0x7e006800, 0x00000000, 0x00000000 }, 1, "v_frexp_mant_f32_e32 v0, s0" },
		{ "gfx908", { 0x7ff408fa, 0x03083d63, 0x00000000 }, 2, "v_cvt_f64_i32_dpp v[250:251], v99 quad_perm:[1,3,3,0] row_mask:0x0 bank_mask:0x3 bound_ctrl:1" },
		{ "gfx908", { 0x7ee898fa, 0xbf1a092f, 0x00000000 }, 2, "v_log_legacy_f32_dpp v116, -v47 quad_perm:[1,2,0,0] row_mask:0xb bank_mask:0xf bound_ctrl:1" },
		{ "gfx908", { 0x7fdc76fa, 0xfa1d0423, 0x00000000 }, 2, "v_cvt_u16_f16_dpp v238, -v35 row_shl:4 row_mask:0xf bank_mask:0xa bound_ctrl:1" },
		{ "gfx908", { 0x7eca90f9, 0x008160b5, 0x00000000 }, 2, "v_fract_f16_sdwa v101, 53 clamp mul:2 dst_sel:BYTE_0 dst_unused:UNUSED_PAD src0_sel:BYTE_1" },
		{ "gfx908", { 0x7f6684f9, 0x009532af, 0x00000000 }, 2, "v_frexp_mant_f16_sdwa v179, neg(47) clamp dst_sel:BYTE_2 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1" },
		{ "gfx908", { 0x7fbc7cf9, 0x0030a1fc, 0x00000000 }, 2, "v_sqrt_f16_sdwa v222, -|v252| clamp mul:4 dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0" },
		{ "gfx908", { 0x16000000, 0x00000000, 0x00000000 }, 1, "v_max_f32_e32 v0, s0, v0" },
		{ "gfx908", { 0x7c9d6eb7, 0x00000000, 0x00000000 }, 1, "v_cmp_nlt_f32_e32 vcc, 55, v183" },
		{ "gfx908", { 0x5c000000, 0x00000000, 0x00000000 }, 1, "v_min_f16_e32 v0, s0, v0" },
		{ "gfx908", { 0x7d430920, 0x00000000, 0x00000000 }, 1, "v_cmp_lt_i16_e32 vcc, v32, v132" },
		{ "gfx908", { 0x7e5898fa, 0x1b1091c7, 0x00000000 }, 2, "v_log_legacy_f32_dpp v44, -v199 quad_perm:[1,0,1,2] row_mask:0x1 bank_mask:0xb" },
		{ "gfx908", { 0x1851d4fa, 0x4004900e, 0x00000000 }, 2, "v_min_i32_dpp v40, v14, v234 quad_perm:[0,0,1,2] row_mask:0x4 bank_mask:0x0" },
		{ "gfx908", { 0x0f2274fa, 0x720870ca, 0x00000000 }, 2, "v_mul_hi_i32_i24_dpp v145, v202, v58 quad_perm:[0,0,3,1] row_mask:0x7 bank_mask:0x2 bound_ctrl:1" },
		{ "gfx908", { 0x23d990f9, 0x86480085, 0x00000000 }, 2, "v_ashrrev_i32_sdwa v236, sext(v133), -8 dst_sel:BYTE_0 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD" },
		{ "gfx908", { 0x519e62f9, 0x414021fd, 0x00000000 }, 2, "v_subrev_u16_sdwa v207, v253, v49 clamp dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:BYTE_1" },
		{ "gfx908", { 0x3c0000f9, 0x04040160, 0x00000000 }, 2, "v_subbrev_co_u32_sdwa v0, vcc, v96, v0, vcc dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:WORD_0" },
		{ "gfx908", { 0xd1470000, 0x00000000, 0x00000000 }, 2, "v_cvt_u32_f32_e64 v0, s0" },
		{ "gfx908", { 0xd0ef0000, 0x00000000, 0x00000000 }, 2, "v_cmp_t_u64_e64 s[0:1], s[0:1], s[0:1]" },
		{ "gfx908", { 0xd14e0000, 0x00000000, 0x00000000 }, 2, "v_cvt_off_f32_i4_e64 v0, s0" },
		{ "gfx908", { 0xd0ba0000, 0x00000000, 0x00000000 }, 2, "v_cmpx_eq_u16_e64 s[0:1], s0, s0" },
		{ "gfx908", { 0x7d600000, 0x00000000, 0x00000000 }, 1, "v_cmpx_f_i16_e32 vcc, s0, v0" },
		{ "gfx908", { 0x7c6a0000, 0x00000000, 0x00000000 }, 1, "v_cmpx_lg_f16_e32 vcc, s0, v0" },
		{ "gfx908", { 0x7da00000, 0x00000000, 0x00000000 }, 1, "v_cmpx_f_i32_e32 vcc, s0, v0" },
		{ "gfx908", { 0x7d7adef9, 0x450000cc, 0x00000000 }, 2, "v_cmpx_ne_u16_sdwa vcc, v204, v111 src0_sel:BYTE_0 src1_sel:WORD_1" },
		{ "gfx908", { 0x7d8298f9, 0x8504e010, 0x00000000 }, 2, "v_cmp_lt_i32_sdwa s[96:97], v16, s76 src0_sel:WORD_0 src1_sel:WORD_1" },
		{ "gfx908", { 0x7d8842f9, 0x888092c3, 0x00000000 }, 2, "v_cmp_gt_i32_sdwa s[18:19], -3, sext(s33) src0_sel:BYTE_0 src1_sel:BYTE_0" },
		{ "gfx90a", { 0xd8900000, 0x00000000, 0x00000000 }, 2, "ds_max_u64 v0, v[0:1]" },
		{ "gfx90a", { 0xd86e0000, 0x00000000, 0x00000000 }, 2, "ds_read2_b32 v[0:1], v0" },
		{ "gfx90a", { 0xd8120000, 0x00000000, 0x00000000 }, 2, "ds_and_b32 v0, v0" },
		{ "gfx90a", { 0xc2891914, 0x04904400, 0x00000000 }, 2, "s_atomic_add_x2 s[100:101], s[40:41], s0 glc" },
		{ "gfx90a", { 0xc0940000, 0x00000000, 0x00000000 }, 2, "s_memrealtime s[0:1]" },
		{ "gfx90a", { 0xc1300000, 0x00000000, 0x00000000 }, 2, "s_buffer_atomic_dec s0, s[0:3], s0" },
		{ "gfx90a", { 0xbe801500, 0x00000000, 0x00000000 }, 1, "s_flbit_i32_i64 s0, s[0:1]" },
		{ "gfx90a", { 0xbe802000, 0x00000000, 0x00000000 }, 1, "s_and_saveexec_b64 s[0:1], s[0:1]" },
		{ "gfx90a", { 0xbe802700, 0x00000000, 0x00000000 }, 1, "s_xnor_saveexec_b64 s[0:1], s[0:1]" },
		{ "gfx90a", { 0xbe80122d, 0x00000000, 0x00000000 }, 1, "s_flbit_i32_b32 s0, s45" },
		{ "gfx90a", { 0x92800000, 0x00000000, 0x00000000 }, 1, "s_bfe_u32 s0, s0, s0" },
		{ "gfx90a", { 0xbe840982, 0x00000000, 0x00000000 }, 1, "s_brev_b64 s[4:5], 2" },
		{ "gfx90a", { 0xb8800000, 0x00000000, 0x00000000 }, 1, "s_getreg_b32 s0, hwreg(0, 0, 1)" },
		{ "gfx90a", { 0xbf98ed80, 0x00000000, 0x00000000 }, 1, "s_cbranch_cdbguser 60800" },
		{ "gfx90a", { 0xbf020000, 0x00000000, 0x00000000 }, 1, "s_cmp_gt_i32 s0, s0" },
		{ "gfx90a", { 0xbf090000, 0x00000000, 0x00000000 }, 1, "s_cmp_ge_u32 s0, s0" },
		{ "gfx90a", { 0xbf0a0000, 0x00000000, 0x00000000 }, 1, "s_cmp_lt_u32 s0, s0" },
		{ "gfx90a", { 0xbe800efd, 0x00000000, 0x00000000 }, 1, "s_ff0_i32_b32 s0, src_scc" },
		{ "gfx90a", { 0xbe9e3300, 0x00000000, 0x00000000 }, 1, "s_andn1_saveexec_b64 s[30:31], s[0:1]" },
		{ "gfx90a", { 0xbf905b98, 0x00000000, 0x00000000 }, 1, "s_sendmsg 23448" },
		{ "gfx90a", { 0xbf820000, 0x00000000, 0x00000000 }, 1, "s_branch 0" },
		{ "gfx90a", { 0xbf940000, 0x00000000, 0x00000000 }, 1, "s_incperflevel 0" },
		{ "gfx90a", { 0xbf840000, 0x00000000, 0x00000000 }, 1, "s_cbranch_scc0 0" },
		{ "gfx90a", { 0x7e005000, 0x00000000, 0x00000000 }, 1, "v_sqrt_f64_e32 v[0:1], s[0:1]" },
		{ "gfx90a", { 0x7e008000, 0x00000000, 0x00000000 }, 1, "v_log_f16_e32 v0, s0" },
		{ "gfx90a", { 0x7e002a00, 0x00000000, 0x00000000 }, 1, "v_cvt_u32_f64_e32 v0, s[0:1]" },
		{ "gfx90a", { 0x7e1e88fa, 0xf410d271, 0x00000000 }, 2, "v_floor_f16_dpp v15, -v113 quad_perm:[2,0,1,3] row_mask:0xf bank_mask:0x4" },
		{ "gfx90a", { 0x7f740efa, 0x8d2400c8, 0x00000000 }, 2, "v_cvt_u32_f32_dpp v186, |v200| quad_perm:[0,0,0,0] row_mask:0x8 bank_mask:0xd" },
		{ "gfx90a", { 0x7fe414fa, 0xab01115e, 0x00000000 }, 2, "v_cvt_f16_f32_dpp v242, v94 row_shr:1 row_mask:0xa bank_mask:0xb" },
		{ "gfx90a", { 0x7f3298f9, 0x002100f5, 0x00000000 }, 2, "v_log_legacy_f32_sdwa v153, |v245| dst_sel:BYTE_0 dst_unused:UNUSED_PAD src0_sel:BYTE_1" },
		{ "gfx90a", { 0x7fbc7cf9, 0x0030a1fc, 0x00000000 }, 2, "v_sqrt_f16_sdwa v222, -|v252| clamp mul:4 dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0" },
		{ "gfx90a", { 0x7eca90f9, 0x008160b5, 0x00000000 }, 2, "v_fract_f16_sdwa v101, 53 clamp mul:2 dst_sel:BYTE_0 dst_unused:UNUSED_PAD src0_sel:BYTE_1" },
		{ "gfx90a", { 0x7e002770, 0x00000000, 0x00000000 }, 1, "v_cvt_f32_ubyte2_e32 v0, v112" },
		{ "gfx90a", { 0x7c5aad00, 0x00000000, 0x00000000 }, 1, "v_cmp_neq_f16_e32 vcc, v0, v86" },
		{ "gfx90a", { 0x7ce67dec, 0x00000000, 0x00000000 }, 1, "v_cmpx_le_f64_e32 vcc, v[236:237], v[62:63]" },
		{ "gfx90a", { 0x7f6c6200, 0x00000000, 0x00000000 }, 1, "v_frexp_mant_f64_e32 v[182:183], s[0:1]" },
		{ "gfx90a", { 0x7c643f70, 0x00000000, 0x00000000 }, 1, "v_cmpx_eq_f16_e32 vcc, v112, v31" },
		{ "gfx90a", { 0x40e54afa, 0x12049abb, 0x00000000 }, 2, "v_sub_f16_dpp v114, v187, v165 quad_perm:[2,2,1,2] row_mask:0x1 bank_mask:0x2" },
		{ "gfx90a", { 0x5c776afa, 0xb640704b, 0x00000000 }, 2, "v_min_f16_dpp v59, v75, -v181 quad_perm:[0,0,3,1] row_mask:0xb bank_mask:0x6" },
		{ "gfx90a", { 0x3b8688fa, 0x630e28e9, 0x00000000 }, 2, "v_subb_co_u32_dpp v195, vcc, v233, v68, vcc quad_perm:[0,2,2,0] row_mask:0x6 bank_mask:0x3 bound_ctrl:1" },
		{ "gfx90a", { 0x16454ef9, 0x70400cba, 0x00000000 }, 2, "v_max_f32_sdwa v34, v186, -|v167| dst_sel:WORD_0 dst_unused:UNUSED_SEXT src0_sel:BYTE_0 src1_sel:BYTE_0" },
		{ "gfx90a", { 0x07c5e4f9, 0xf301b1dc, 0x00000000 }, 2, "v_subrev_f32_sdwa v226, v220, -|1.0| clamp mul:4 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_1 src1_sel:BYTE_3" },
		{ "gfx90a", { 0x6d5102f9, 0x48020b3d, 0x00000000 }, 2, "v_subrev_u32_sdwa v168, v61, sext(v129) dst_sel:BYTE_3 dst_unused:UNUSED_SEXT src0_sel:BYTE_2 src1_sel:BYTE_0" },
		{ "gfx90a", { 0xd03b0000, 0x00000000, 0x00000000 }, 2, "v_cmpx_ngt_f16_e64 s[0:1], s0, s0" },
		{ "gfx90a", { 0xd1ca0000, 0x00000000, 0x00000000 }, 2, "v_bfi_b32 v0, s0, s0, s0" },
		{ "gfx90a", { 0xd10e0000, 0x00000000, 0x00000000 }, 2, "v_min_u32_e64 v0, s0, s0" },
		{ "gfx90a", { 0xd0bf0000, 0x00000000, 0x00000000 }, 2, "v_cmpx_t_u16_e64 s[0:1], s0, s0" },
		{ "gfx90a", { 0x7dea0000, 0x00000000, 0x00000000 }, 1, "v_cmpx_ne_i64_e32 vcc, s[0:1], v[0:1]" },
		{ "gfx90a", { 0x7d940000, 0x00000000, 0x00000000 }, 1, "v_cmp_eq_u32_e32 vcc, s0, v0" },
		{ "gfx90a", { 0x7c760000, 0x00000000, 0x00000000 }, 1, "v_cmpx_ngt_f16_e32 vcc, s0, v0" },
		{ "gfx90a", { 0x7d5bd6f9, 0xca0c8604, 0x00000000 }, 2, "v_cmp_ne_u16_sdwa s[6:7], sext(v4), sext(src_shared_base) src0_sel:WORD_0 src1_sel:BYTE_2" },
		{ "gfx90a", { 0x7da662f9, 0x0c015293, 0x00000000 }, 2, "v_cmpx_le_i32_sdwa vcc, v147, sext(v49) src0_sel:BYTE_1 src1_sel:WORD_0" },
		{ "gfx90a", { 0x7d8400f9, 0x04040104, 0x00000000 }, 2, "v_cmp_eq_i32_sdwa vcc, v4, v0 src0_sel:WORD_0 src1_sel:WORD_0" },
		{ "gfx942", { 0xd89e0000, 0x00000000, 0x00000000 }, 2, "ds_write2st64_b64 v0, v[0:1], v[0:1]" },
		{ "gfx942", { 0xd82e0000, 0x00000000, 0x00000000 }, 2, "ds_pk_add_f16 v0, v0" },
		{ "gfx942", { 0xc2885900, 0x90001000, 0x00000000 }, 2, "s_atomic_add_x2 s[100:101], s[0:1], s72" },
		{ "gfx942", { 0xc21c0000, 0x00000000, 0x00000000 }, 2, "s_atomic_umax s0, s[0:1], s0" },
		{ "gfx942", { 0xbe800300, 0x00000000, 0x00000000 }, 1, "s_cmov_b64 s[0:1], s[0:1]" },
		{ "gfx942", { 0xbe801a00, 0x00000000, 0x00000000 }, 1, "s_bitset1_b32 s0, s0" },
		{ "gfx942", { 0xbe801200, 0x00000000, 0x00000000 }, 1, "s_flbit_i32_b32 s0, s0" },
		{ "gfx942", { 0x92000000, 0x00000000, 0x00000000 }, 1, "s_mul_i32 s0, s0, s0" },
		{ "gfx942", { 0xbec02700, 0x00000000, 0x00000000 }, 1, "s_xnor_saveexec_b64 s[64:65], s[0:1]" },
		{ "gfx942", { 0x95800000, 0x00000000, 0x00000000 }, 1, "s_rfe_restore_b64 s[0:1], s0" },
		{ "gfx942", { 0xbf100011, 0x00000000, 0x00000000 }, 1, "s_setvskip s17, s0" },
		{ "gfx942", { 0xbf03d000, 0x00000000, 0x00000000 }, 1, "s_cmp_ge_i32 s0, -16" },
		{ "gfx942", { 0xbf0a0000, 0x00000000, 0x00000000 }, 1, "s_cmp_lt_u32 s0, s0" },
		{ "gfx942", { 0xbf0f0000, 0x00000000, 0x00000000 }, 1, "s_bitcmp1_b64 s[0:1], s0" },
		{ "gfx942", { 0xbf080000, 0x00000000, 0x00000000 }, 1, "s_cmp_gt_u32 s0, s0" },
		{ "gfx942", { 0xbe8002b5, 0x00000000, 0x00000000 }, 1, "s_cmov_b32 s0, 53" },
		{ "gfx942", { 0xbead1f22, 0x00000000, 0x00000000 }, 1, "s_rfe_b64 s[34:35]" },
		{ "gfx942", { 0xbecc2500, 0x00000000, 0x00000000 }, 1, "s_nand_saveexec_b64 s[76:77], s[0:1]" },
		{ "gfx942", { 0xbf9c0000, 0x00000000, 0x00000000 }, 1, "s_set_gpr_idx_off" },
		{ "gfx942", { 0xbf840000, 0x00000000, 0x00000000 }, 1, "s_cbranch_scc0 0" },
		{ "gfx942", { 0xbf830000, 0x00000000, 0x00000000 }, 1, "s_wakeup" },
		{ "gfx942", { 0x7e006200, 0x00000000, 0x00000000 }, 1, "v_frexp_mant_f64_e32 v[0:1], s[0:1]" },
		{ "gfx942", { 0x7e008c00, 0x00000000, 0x00000000 }, 1, "v_trunc_f16_e32 v0, s0" },
		{ "gfx942", { 0x7e002e00, 0x00000000, 0x00000000 }, 1, "v_trunc_f64_e32 v[0:1], s[0:1]" },
		{ "gfx942", { 0x7f5c7cfa, 0x1a080058, 0x00000000 }, 2, "v_sqrt_f16_dpp v174, v88 quad_perm:[0,0,0,0] row_mask:0x1 bank_mask:0xa bound_ctrl:1" },
		{ "gfx942", { 0x7f36aafa, 0x0d08325d, 0x00000000 }, 2, "v_cvt_f32_bf8_dpp v155, v93 quad_perm:[2,0,3,0] row_mask:0x0 bank_mask:0xd bound_ctrl:1" },
		{ "gfx942", { 0x7f085efa, 0xfa089b4f, 0x00000000 }, 2, "v_ffbh_i32_dpp v132, v79 quad_perm:[3,2,1,2] row_mask:0xf bank_mask:0xa bound_ctrl:1" },
		{ "gfx942", { 0x7eca90f9, 0x008160b5, 0x00000000 }, 2, "v_fract_f16_sdwa v101, 53 clamp mul:2 dst_sel:BYTE_0 dst_unused:UNUSED_PAD src0_sel:BYTE_1" },
		{ "gfx942", { 0x7fbc7cf9, 0x0030a1fc, 0x00000000 }, 2, "v_sqrt_f16_sdwa v222, -|v252| clamp mul:4 dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0" },
		{ "gfx942", { 0x7f3298f9, 0x002100f5, 0x00000000 }, 2, "v_log_legacy_f32_sdwa v153, |v245| dst_sel:BYTE_0 dst_unused:UNUSED_PAD src0_sel:BYTE_1" },
		{ "gfx942", { 0x7d402908, 0x00000000, 0x00000000 }, 1, "v_cmp_f_i16_e32 vcc, v8, v20" },
		{ "gfx942", { 0x7ca051af, 0x00000000, 0x00000000 }, 1, "v_cmpx_f_f32_e32 vcc, v175, v40" },
		{ "gfx942", { 0x7d4de1ad, 0x00000000, 0x00000000 }, 1, "v_cmp_ge_i16_e32 vcc, v173, v240" },
		{ "gfx942", { 0x7e542a5e, 0x00000000, 0x00000000 }, 1, "v_cvt_u32_f64_e32 v42, s[94:95]" },
		{ "gfx942", { 0x7c86c830, 0x00000000, 0x00000000 }, 1, "v_cmp_le_f32_e32 vcc, s48, v100" },
		{ "gfx942", { 0x7b65e8fa, 0x1b001ce9, 0x00000000 }, 2, "v_xnor_b32_dpp v178, v233, v244 quad_perm:[0,3,1,0] row_mask:0x1 bank_mask:0xb" },
		{ "gfx942", { 0x4cb056fa, 0xf30280ef, 0x00000000 }, 2, "v_add_u16_dpp v88, v239, v43 quad_perm:[0,0,0,2] row_mask:0xf bank_mask:0x3" },
		{ "gfx942", { 0x36b52afa, 0x830c10e2, 0x00000000 }, 2, "v_subrev_co_u32_dpp v90, vcc, v226, v149 quad_perm:[0,0,1,0] row_mask:0x8 bank_mask:0x3 bound_ctrl:1" },
		{ "gfx942", { 0x0bf354f9, 0x125008c3, 0x00000000 }, 2, "v_mul_f32_sdwa v249, -v195, -v170 dst_sel:BYTE_0 dst_unused:UNUSED_SEXT src0_sel:BYTE_0 src1_sel:BYTE_2" },
		{ "gfx942", { 0x3ef738f9, 0x76400944, 0x00000000 }, 2, "v_add_f16_sdwa v123, v68, -|v156| dst_sel:BYTE_1 dst_unused:UNUSED_SEXT src0_sel:BYTE_0 src1_sel:DWORD" },
		{ "gfx942", { 0x7c5222f9, 0xe6204086, 0x00000000 }, 2, "v_cmp_nge_f16_sdwa vcc, |v134|, |s17| src0_sel:BYTE_0 src1_sel:DWORD" },
		{ "gfx942", { 0xd03d0000, 0x00000000, 0x00000000 }, 2, "v_cmpx_neq_f16_e64 s[0:1], s0, s0" },
		{ "gfx942", { 0xd17d0000, 0x00000000, 0x00000000 }, 2, "v_rcp_f16_e64 v0, s0" },
		{ "gfx942", { 0xd1e60000, 0x00000000, 0x00000000 }, 2, "v_mqsad_pk_u16_u8 v[0:1], s[0:1], s0, s[0:1]" },
		{ "gfx942", { 0xd1620000, 0x00000000, 0x00000000 }, 2, "v_rcp_f32_e64 v0, s0" },
		{ "gfx942", { 0x7cba0000, 0x00000000, 0x00000000 }, 1, "v_cmpx_neq_f32_e32 vcc, s0, v0" },
		{ "gfx942", { 0x7dfe0000, 0x00000000, 0x00000000 }, 1, "v_cmpx_t_u64_e32 vcc, s[0:1], v[0:1]" },
		{ "gfx942", { 0x7dd40000, 0x00000000, 0x00000000 }, 1, "v_cmp_eq_u64_e32 vcc, s[0:1], v[0:1]" },
		{ "gfx942", { 0x7d7000f9, 0x04040102, 0x00000000 }, 2, "v_cmpx_f_u16_sdwa vcc, v2, v0 src0_sel:WORD_0 src1_sel:WORD_0" },
		{ "gfx942", { 0x7c8200f9, 0x04040120, 0x00000000 }, 2, "v_cmp_lt_f32_sdwa vcc, v32, v0 src0_sel:WORD_0 src1_sel:WORD_0" },
		{ "gfx942", { 0x7db800f9, 0x04040120, 0x00000000 }, 2, "v_cmpx_gt_u32_sdwa vcc, v32, v0 src0_sel:WORD_0 src1_sel:WORD_0" },
		{ "gfx950", { 0xc0080000, 0x00000000, 0x00000000 }, 2, "s_load_dwordx4 s[0:3], s[0:1], s0" },
		{ "gfx950", { 0xc29c0000, 0x00000000, 0x00000000 }, 2, "s_atomic_umax_x2 s[0:1], s[0:1], s0" },
		{ "gfx950", { 0xbe801400, 0x00000000, 0x00000000 }, 1, "s_flbit_i32 s0, s0" },
		{ "gfx950", { 0xbe802a00, 0x00000000, 0x00000000 }, 1, "s_movrels_b32 s0, s0" },
		{ "gfx950", { 0xbe801100, 0x00000000, 0x00000000 }, 1, "s_ff1_i32_b64 s0, s[0:1]" },
		{ "gfx950", { 0xbf0e5b00, 0x00000000, 0x00000000 }, 1, "s_bitcmp0_b64 s[0:1], s91" },
		{ "gfx950", { 0xba800000, 0x00000000, 0x00000000 }, 1, "s_call_b64 s[0:1], 0" },
		{ "gfx950", { 0xbf0595fd, 0x00000000, 0x00000000 }, 1, "s_cmp_le_i32 src_scc, 21" },
		{ "gfx950", { 0xbf080000, 0x00000000, 0x00000000 }, 1, "s_cmp_gt_u32 s0, s0" },
		{ "gfx950", { 0xbf0b0000, 0x00000000, 0x00000000 }, 1, "s_cmp_le_u32 s0, s0" },
		{ "gfx950", { 0xbf0d0000, 0x00000000, 0x00000000 }, 1, "s_bitcmp1_b32 s0, s0" },
		{ "gfx950", { 0xbec8131a, 0x00000000, 0x00000000 }, 1, "s_flbit_i32_b64 s72, s[26:27]" },
		{ "gfx950", { 0xbf8e0975, 0x00000000, 0x00000000 }, 1, "s_sleep 0x975" },
		{ "gfx950", { 0xbe9e3300, 0x00000000, 0x00000000 }, 1, "s_andn1_saveexec_b64 s[30:31], s[0:1]" },
		{ "gfx950", { 0xbf9b0000, 0x00000000, 0x00000000 }, 1, "s_endpgm_saved" },
		{ "gfx950", { 0xbf960000, 0x00000000, 0x00000000 }, 1, "s_ttracedata" },
		{ "gfx950", { 0xbf8e0000, 0x00000000, 0x00000000 }, 1, "s_sleep 0" },
		{ "gfx950", { 0x7e005e00, 0x00000000, 0x00000000 }, 1, "v_ffbh_i32_e32 v0, s0" },
		{ "gfx950", { 0x7e005600, 0x00000000, 0x00000000 }, 1, "v_not_b32_e32 v0, s0" },
		{ "gfx950", { 0x7e008800, 0x00000000, 0x00000000 }, 1, "v_floor_f16_e32 v0, s0" },
		{ "gfx950", { 0x7ea81cfa, 0x19004e10, 0x00000000 }, 2, "v_cvt_off_f32_i4_dpp v84, v16 quad_perm:[2,3,0,1] row_mask:0x1 bank_mask:0x9" },
		{ "gfx950", { 0x7e5268fa, 0x62140302, 0x00000000 }, 2, "v_frexp_mant_f32_dpp v41, -v2 quad_perm:[3,0,0,0] row_mask:0x6 bank_mask:0x2" },
		{ "gfx950", { 0x7fa622fa, 0xf5011cd6, 0x00000000 }, 2, "v_cvt_f32_ubyte0_dpp v211, v214 row_shr:12 row_mask:0xf bank_mask:0x5" },
		{ "gfx950", { 0x7f6684f9, 0x009532af, 0x00000000 }, 2, "v_frexp_mant_f16_sdwa v179, neg(47) clamp dst_sel:BYTE_2 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1" },
		{ "gfx950", { 0x7f3298f9, 0x002100f5, 0x00000000 }, 2, "v_log_legacy_f32_sdwa v153, |v245| dst_sel:BYTE_0 dst_unused:UNUSED_PAD src0_sel:BYTE_1" },
		{ "gfx950", { 0x7eca90f9, 0x008160b5, 0x00000000 }, 2, "v_fract_f16_sdwa v101, 53 clamp mul:2 dst_sel:BYTE_0 dst_unused:UNUSED_PAD src0_sel:BYTE_1" },
		{ "gfx950", { 0x7d61a600, 0x00000000, 0x00000000 }, 1, "v_cmpx_f_i16_e32 vcc, s0, v211" },
		{ "gfx950", { 0x28000000, 0x00000000, 0x00000000 }, 1, "v_or_b32_e32 v0, s0, v0" },
		{ "gfx950", { 0x7f38abb9, 0x00000000, 0x00000000 }, 1, "v_cvt_f32_bf8_e32 v156, v185" },
		{ "gfx950", { 0x7c5e0c80, 0x00000000, 0x00000000 }, 1, "v_cmp_tru_f16_e32 vcc, 0, v6" },
		{ "gfx950", { 0x665c54fa, 0x84002b34, 0x00000000 }, 2, "v_ldexp_f16_dpp v46, v52, v42 quad_perm:[3,2,2,0] row_mask:0x8 bank_mask:0x4" },
		{ "gfx950", { 0x3b8688fa, 0x630e28e9, 0x00000000 }, 2, "v_subb_co_u32_dpp v195, vcc, v233, v68, vcc quad_perm:[0,2,2,0] row_mask:0x6 bank_mask:0x3 bound_ctrl:1" },
		{ "gfx950", { 0x1645fafa, 0x82840119, 0x00000000 }, 2, "v_max_f32_dpp v34, v25, |v253| quad_perm:[1,0,0,0] row_mask:0x8 bank_mask:0x2" },
		{ "gfx950", { 0x6a0000f9, 0x04040166, 0x00000000 }, 2, "v_sub_u32_sdwa v0, v102, v0 dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:WORD_0" },
		{ "gfx950", { 0x640000f9, 0x04040154, 0x00000000 }, 2, "v_min_i16_sdwa v0, v84, v0 dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:WORD_0" },
		{ "gfx950", { 0x5bed7cf9, 0x114124d8, 0x00000000 }, 2, "v_max_f16_sdwa v246, v216, -v190 clamp dst_sel:WORD_0 dst_unused:UNUSED_PAD src0_sel:BYTE_1 src1_sel:BYTE_1" },
		{ "gfx950", { 0xd2450000, 0x00000000, 0x00000000 }, 2, "v_cvt_scalef32_pk_bf8_bf16 v0, s0, s0" },
		{ "gfx950", { 0xd1780000, 0x00000000, 0x00000000 }, 2, "v_mov_b64_e64 v[0:1], s[0:1]" },
		{ "gfx950", { 0xd1570000, 0x00000000, 0x00000000 }, 2, "v_trunc_f64_e64 v[0:1], s[0:1]" },
		{ "gfx950", { 0xd0360000, 0x00000000, 0x00000000 }, 2, "v_cmpx_ge_f16_e64 s[0:1], s0, s0" },
		{ "gfx950", { 0x7c980000, 0x00000000, 0x00000000 }, 1, "v_cmp_nle_f32_e32 vcc, s0, v0" },
		{ "gfx950", { 0x7c840000, 0x00000000, 0x00000000 }, 1, "v_cmp_eq_f32_e32 vcc, s0, v0" },
		{ "gfx950", { 0x7da00000, 0x00000000, 0x00000000 }, 1, "v_cmpx_f_i32_e32 vcc, s0, v0" },
		{ "gfx950", { 0x7ca84af9, 0xe2c20039, 0x00000000 }, 2, "v_cmpx_gt_f32_sdwa vcc, s57, |s37| src0_sel:BYTE_2 src1_sel:BYTE_2" },
		{ "gfx950", { 0x7d59f0f9, 0x0e824049, 0x00000000 }, 2, "v_cmp_gt_u16_sdwa vcc, s73, sext(v248) src0_sel:BYTE_2 src1_sel:DWORD" },
		{ "gfx950", { 0x7d60a2f9, 0xcd832098, 0x00000000 }, 2, "v_cmpx_f_i16_sdwa vcc, 24, sext(s81) src0_sel:BYTE_3 src1_sel:WORD_1" },
		{ "gfx1010", { 0xd8c40000, 0x00000000, 0x00000000 }, 2, "ds_cmpst_rtn_f32 v0, v0, v0, v0" },
		{ "gfx1010", { 0xd8ec0000, 0x00000000, 0x00000000 }, 2, "ds_read_i16 v0, v0" },
		{ "gfx1010", { 0xd8280000, 0x00000000, 0x00000000 }, 2, "ds_or_b32 v0, v0" },
		{ "gfx1010", { 0xf61c62e9, 0xfb000a86, 0x00000000 }, 2, "s_atomic_umax s11, s[82:83], 0xa86 dlc" },
		{ "gfx1010", { 0xbe800900, 0x00000000, 0x00000000 }, 1, "s_wqm_b32 s0, s0" },
		{ "gfx1010", { 0xbe801400, 0x00000000, 0x00000000 }, 1, "s_ff1_i32_b64 s0, s[0:1]" },
		{ "gfx1010", { 0xbe801100, 0x00000000, 0x00000000 }, 1, "s_ff0_i32_b32 s0, s0" },
		{ "gfx1010", { 0x99000000, 0x00000000, 0x00000000 }, 1, "s_pack_ll_b32_b16 s0, s0, s0" },
		{ "gfx1010", { 0xbef04300, 0x00000000, 0x00000000 }, 1, "s_xnor_saveexec_b32 ttmp4, s0" },
		{ "gfx1010", { 0x9a800000, 0x00000000, 0x00000000 }, 1, "s_mul_hi_u32 s0, s0, s0" },
		{ "gfx1010", { 0xbf072400, 0x00000000, 0x00000000 }, 1, "s_cmp_lg_u32 s0, s36" },
		{ "gfx1010", { 0xbf010000, 0x00000000, 0x00000000 }, 1, "s_cmp_lg_i32 s0, s0" },
		{ "gfx1010", { 0xbf0d0000, 0x00000000, 0x00000000 }, 1, "s_bitcmp1_b32 s0, s0" },
		{ "gfx1010", { 0xbf0e0000, 0x00000000, 0x00000000 }, 1, "s_bitcmp0_b64 s[0:1], s0" },
		{ "gfx1010", { 0xbe800cf8, 0x00000000, 0x00000000 }, 1, "s_brev_b64 s[0:1], 0.15915494309189532" },
		{ "gfx1010", { 0xbec01202, 0x00000000, 0x00000000 }, 1, "s_ff0_i32_b64 s64, s[2:3]" },
		{ "gfx1010", { 0xbf0f83a7, 0x00000000, 0x00000000 }, 1, "s_bitcmp1_b64 39, 3" },
		{ "gfx1010", { 0xbf840000, 0x00000000, 0x00000000 }, 1, "s_cbranch_scc0 0" },
		{ "gfx1010", { 0xbf8d0000, 0x00000000, 0x00000000 }, 1, "s_sethalt 0" },
		{ "gfx1010", { 0xbf8f0000, 0x00000000, 0x00000000 }, 1, "s_setprio 0" },
		{ "gfx1010", { 0x7e007600, 0x00000000, 0x00000000 }, 1, "v_ffbh_i32_e32 v0, s0" },
		{ "gfx1010", { 0x7e000000, 0x00000000, 0x00000000 }, 1, "v_nop" },
		{ "gfx1010", { 0x7e007000, 0x00000000, 0x00000000 }, 1, "v_bfrev_b32_e32 v0, s0" },
		{ "gfx1010", { 0x7ff66afa, 0x060000bd, 0x00000000 }, 2, "v_sin_f32_dpp v251, v189 quad_perm:[0,0,0,0] row_mask:0x0 bank_mask:0x6" },
		{ "gfx1010", { 0x7fda46fa, 0x680848e4, 0x00000000 }, 2, "v_rndne_f32_dpp v237, v228 quad_perm:[0,2,0,1] row_mask:0x6 bank_mask:0x8 bound_ctrl:1" },
		{ "gfx1010", { 0x7e80c0fa, 0x5d005893, 0x00000000 }, 2, "v_sin_f16_dpp v64, v147 quad_perm:[0,2,1,1] row_mask:0x5 bank_mask:0xd" },
		{ "gfx1010", { 0x7faa6ce9, 0xd221828c, 0x00000000 }, 2, "v_cos_f32_dpp v213, v140 dpp8:[2,0,6,0,2,4,4,6]" },
		{ "gfx1010", { 0x7e58c2e9, 0x5d4830f3, 0x00000000 }, 2, "v_cos_f16_dpp v44, v243 dpp8:[0,6,0,4,4,2,7,2]" },
		{ "gfx1010", { 0x7f2018e9, 0x7b8400af, 0x00000000 }, 2, "v_cvt_rpi_i32_f32_dpp v144, v175 dpp8:[0,0,0,2,0,7,6,3]" },
		{ "gfx1010", { 0x7f6ac2f9, 0x40a408ae, 0x00000000 }, 2, "v_cos_f16_sdwa v181, |46| dst_sel:BYTE_0 dst_unused:UNUSED_SEXT src0_sel:WORD_0" },
		{ "gfx1010", { 0x7ff04af9, 0x40040258, 0x00000000 }, 2, "v_exp_f32_sdwa v248, v88 dst_sel:BYTE_2 dst_unused:UNUSED_PAD src0_sel:WORD_0" },
		{ "gfx1010", { 0x7dc79480, 0x00000000, 0x00000000 }, 1, "v_cmp_le_u64_e32 vcc_lo, 0, v[202:203]" },
		{ "gfx1010", { 0x7dd3b320, 0x00000000, 0x00000000 }, 1, "v_cmp_nge_f16_e32 vcc_lo, v32, v217" },
		{ "gfx1010", { 0x7d298438, 0x00000000, 0x00000000 }, 1, "v_cmpx_gt_i32_e32 s56, v194" },
		{ "gfx1010", { 0x3c000000, 0x00000000, 0x00000000 }, 1, "v_xnor_b32_e32 v0, s0, v0" },
		{ "gfx1010", { 0x7c686a80, 0x00000000, 0x00000000 }, 1, "v_cmpx_gt_f64_e32 0, v[53:54]" },
		{ "gfx1010", { 0x68ed3cfa, 0x083c2884, 0x00000000 }, 2, "v_subrev_f16_dpp v118, -|v132|, v158 quad_perm:[0,2,2,0] row_mask:0x0 bank_mask:0x8 bound_ctrl:1 fi:1" },
		{ "gfx1010", { 0x64928afa, 0x09282094, 0x00000000 }, 2, "v_add_f16_dpp v73, |v148|, v69 quad_perm:[0,0,2,0] row_mask:0x0 bank_mask:0x9 bound_ctrl:1" },
		{ "gfx1010", { 0x3b8688fa, 0x630e28e9, 0x00000000 }, 2, "v_xor_b32_dpp v195, v233, v68 quad_perm:[0,2,2,0] row_mask:0x6 bank_mask:0x3 bound_ctrl:1 fi:1" },
		{ "gfx1010", { 0x738510e9, 0x71e04092, 0x00000000 }, 2, "v_max_f16_dpp v194, v146, v136 dpp8:[0,0,1,0,6,3,4,3]" },
		{ "gfx1010", { 0x345ecce9, 0x3723986c, 0x00000000 }, 2, "v_lshlrev_b32_dpp v47, v108, v102 dpp8:[0,3,6,1,2,6,5,1]" },
		{ "gfx1010", { 0x3d5d70e9, 0x0c029088, 0x00000000 }, 2, "v_xnor_b32_dpp v174, v136, v184 dpp8:[0,2,2,1,0,0,3,0]" },
		{ "gfx1010", { 0x18eb62f9, 0x8240021d, 0x00000000 }, 2, "v_mul_hi_u32_u24_sdwa v117, v29, 49 dst_sel:BYTE_2 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:BYTE_2" },
		{ "gfx1010", { 0x69a1ccf9, 0x810066df, 0x00000000 }, 2, "v_subrev_f16_sdwa v208, v223, src_flat_scratch_base_lo clamp mul:2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:BYTE_1" },
		{ "gfx1010", { 0x5e73fcf9, 0x262028ef, 0x00000000 }, 2, "v_cvt_pkrtz_f16_f32_sdwa v57, |v239|, |v254| clamp dst_sel:BYTE_0 dst_unused:UNUSED_SEXT src0_sel:BYTE_0 src1_sel:DWORD" },
		{ "gfx1010", { 0xd5480000, 0x00000000, 0x00000000 }, 2, "v_bfe_u32 v0, s0, s0, s0" },
		{ "gfx1010", { 0xd4880000, 0x00000000, 0x00000000 }, 2, "v_cmp_class_f32_e64 s0, s0, s0" },
		{ "gfx1010", { 0xd5960000, 0x00000000, 0x00000000 }, 2, "v_cvt_f64_u32_e64 v[0:1], s0" },
		{ "gfx1010", { 0xd5070000, 0x00000000, 0x00000000 }, 2, "v_mul_legacy_f32_e64 v0, s0, s0" },
		{ "gfx1010", { 0x7da40000, 0x00000000, 0x00000000 }, 1, "v_cmpx_eq_u32_e32 s0, v0" },
		{ "gfx1010", { 0x7d760000, 0x00000000, 0x00000000 }, 1, "v_cmpx_le_u16_e32 s0, v0" },
		{ "gfx1010", { 0x7c640000, 0x00000000, 0x00000000 }, 1, "v_cmpx_eq_f64_e32 s[0:1], v[0:1]" },
		{ "gfx1010", { 0x7c22b6f9, 0x76205228, 0x00000000 }, 2, "v_cmpx_lt_f32_sdwa |v40|, -|v91| src0_sel:BYTE_0 src1_sel:DWORD" },
		{ "gfx1010", { 0x7d9800f9, 0xd5206417, 0x00000000 }, 2, "v_cmp_gt_f16_sdwa vcc_lo, |v23|, -s0 src0_sel:BYTE_0 src1_sel:WORD_1" },
		{ "gfx1010", { 0x7c1662f9, 0xc5441292, 0x00000000 }, 2, "v_cmp_ngt_f32_sdwa vcc_lo, v146, s49 src0_sel:WORD_0 src1_sel:WORD_1" },
		{ "gfx1012", { 0xd99c0000, 0x00000000, 0x00000000 }, 2, "ds_min_rtn_u64 v[0:1], v0, v[0:1]" },
		{ "gfx1012", { 0xd8000000, 0x00000000, 0x00000000 }, 2, "ds_add_u32 v0, v0" },
		{ "gfx1012", { 0xd9bc0000, 0x00000000, 0x00000000 }, 2, "ds_wrxchg2st64_rtn_b64 v[0:3], v0, v[0:1], v[0:1]" },
		{ "gfx1012", { 0xf4600000, 0x00000000, 0x00000000 }, 2, "s_buffer_store_dword s0, s[0:3], s0" },
		{ "gfx1012", { 0xbe801500, 0x00000000, 0x00000000 }, 1, "s_flbit_i32_b32 s0, s0" },
		{ "gfx1012", { 0xbe802d00, 0x00000000, 0x00000000 }, 1, "s_quadmask_b64 s[0:1], s[0:1]" },
		{ "gfx1012", { 0xbe803800, 0x00000000, 0x00000000 }, 1, "s_orn1_saveexec_b64 s[0:1], s[0:1]" },
		{ "gfx1012", { 0xbe940700, 0x00000000, 0x00000000 }, 1, "s_not_b32 s20, s0" },
		{ "gfx1012", { 0xb3000000, 0x00000000, 0x00000000 }, 1, "s_cmpk_ge_i32 s0, 0x0" },
		{ "gfx1012", { 0xbef02680, 0x00000000, 0x00000000 }, 1, "s_xor_saveexec_b64 ttmp[4:5], 0" },
		{ "gfx1012", { 0xbc800000, 0x00000000, 0x00000000 }, 1, "s_waitcnt_expcnt s0, 0x0" },
		{ "gfx1012", { 0xbf0f0000, 0x00000000, 0x00000000 }, 1, "s_bitcmp1_b64 s[0:1], s0" },
		{ "gfx1012", { 0xbf0c0000, 0x00000000, 0x00000000 }, 1, "s_bitcmp0_b32 s0, s0" },
		{ "gfx1012", { 0xbf120000, 0x00000000, 0x00000000 }, 1, "s_cmp_eq_u64 s[0:1], s[0:1]" },
		{ "gfx1012", { 0xbf920003, 0x00000000, 0x00000000 }, 1, "s_trap 3" },
		{ "gfx1012", { 0xbfa1b500, 0x00000000, 0x00000000 }, 1, "s_clause 0xb500" },
		{ "gfx1012", { 0xbfa40005, 0x00000000, 0x00000000 }, 1, "s_round_mode 0x5" },
		{ "gfx1012", { 0xbf8a0000, 0x00000000, 0x00000000 }, 1, "s_barrier" },
		{ "gfx1012", { 0xbf900000, 0x00000000, 0x00000000 }, 1, "s_sendmsg sendmsg(0, 0, 0)" },
		{ "gfx1012", { 0xbf930000, 0x00000000, 0x00000000 }, 1, "s_icache_inv" },
		{ "gfx1012", { 0x7e00aa00, 0x00000000, 0x00000000 }, 1, "v_sqrt_f16_e32 v0, s0" },
		{ "gfx1012", { 0x7e004a00, 0x00000000, 0x00000000 }, 1, "v_exp_f32_e32 v0, s0" },
		{ "gfx1012", { 0x7e008200, 0x00000000, 0x00000000 }, 1, "v_clrexcp" },
		{ "gfx1012", { 0x7e420afa, 0x1b00a8d2, 0x00000000 }, 2, "v_cvt_f32_i32_dpp v33, v210 quad_perm:[0,2,2,2] row_mask:0x1 bank_mask:0xb" },
		{ "gfx1012", { 0x7fec4efa, 0xd522c839, 0x00000000 }, 2, "v_log_f32_dpp v246, |v57| quad_perm:[0,2,0,3] row_mask:0xd bank_mask:0x5" },
		{ "gfx1012", { 0x7ec04afa, 0x6d221005, 0x00000000 }, 2, "v_exp_f32_dpp v96, |v5| quad_perm:[0,0,1,0] row_mask:0x6 bank_mask:0xd" },
		{ "gfx1012", { 0x7e7476e9, 0x493600fc, 0x00000000 }, 2, "v_ffbh_i32_dpp v58, v252 dpp8:[0,0,0,3,3,2,2,2]" },
		{ "gfx1012", { 0x7f4648e9, 0x0d1600e5, 0x00000000 }, 2, "v_floor_f32_dpp v163, v229 dpp8:[0,0,0,3,1,2,3,0]" },
		{ "gfx1012", { 0x7ee41ce9, 0xdf0049fb, 0x00000000 }, 2, "v_cvt_off_f32_i4_dpp v114, v251 dpp8:[1,1,1,0,0,6,7,6]" },
		{ "gfx1012", { 0x7f6ac2f9, 0x40a408ae, 0x00000000 }, 2, "v_cos_f16_sdwa v181, |46| dst_sel:BYTE_0 dst_unused:UNUSED_SEXT src0_sel:WORD_0" },
		{ "gfx1012", { 0x7ff04af9, 0x40040258, 0x00000000 }, 2, "v_exp_f32_sdwa v248, v88 dst_sel:BYTE_2 dst_unused:UNUSED_PAD src0_sel:WORD_0" },
		{ "gfx1012", { 0x4c000000, 0x00000000, 0x00000000 }, 1, "v_sub_nc_u32_e32 v0, s0, v0" },
		{ "gfx1012", { 0x7ddd9dbd, 0x00000000, 0x00000000 }, 1, "v_cmp_nlt_f16_e32 vcc_lo, v189, v206" },
		{ "gfx1012", { 0x7dd3b320, 0x00000000, 0x00000000 }, 1, "v_cmp_nge_f16_e32 vcc_lo, v32, v217" },
		{ "gfx1012", { 0x7d953924, 0x00000000, 0x00000000 }, 1, "v_cmp_eq_f16_e32 vcc_lo, v36, v156" },
		{ "gfx1012", { 0x7c602220, 0x00000000, 0x00000000 }, 1, "v_cmpx_f_f64_e32 s[32:33], v[17:18]" },
		{ "gfx1012", { 0x2cfff8fa, 0xfa083021, 0x00000000 }, 2, "v_lshrrev_b32_dpp v127, v33, v252 quad_perm:[0,0,3,0] row_mask:0xf bank_mask:0xa bound_ctrl:1" },
		{ "gfx1012", { 0x07479afa, 0xcd82ea0f, 0x00000000 }, 2, "v_add_f32_dpp v163, v15, |v205| quad_perm:[2,2,2,3] row_mask:0xc bank_mask:0xd" },
		{ "gfx1012", { 0x1555cafa, 0x3c001406, 0x00000000 }, 2, "v_mul_hi_i32_i24_dpp v170, v6, v229 quad_perm:[0,1,1,0] row_mask:0x3 bank_mask:0xc" },
		{ "gfx1012", { 0x3fe8f8e9, 0x7564424b, 0x00000000 }, 2, "v_mac_f32_dpp v244, v75, v124 dpp8:[2,0,1,2,6,2,5,3]" },
		{ "gfx1012", { 0x03fc30e9, 0xd22040c4, 0x00000000 }, 2, "v_cndmask_b32_dpp v254, v196, v24, vcc_lo dpp8:[0,0,1,0,2,4,4,6]" },
		{ "gfx1012", { 0x52bf80e9, 0xca000032, 0x00000000 }, 2, "v_sub_co_ci_u32_dpp v95, vcc_lo, v50, v192, vcc_lo dpp8:[0,0,0,0,0,4,2,6]" },
		{ "gfx1012", { 0x4b6f06f9, 0x404a13a7, 0x00000000 }, 2, "v_add_nc_u32_sdwa v183, sext(v167), v131 dst_sel:BYTE_3 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_2 src1_sel:BYTE_0" },
		{ "gfx1012", { 0x3a5b82f9, 0x4c400ca7, 0x00000000 }, 2, "v_xor_b32_sdwa v45, v167, sext(v193) dst_sel:WORD_0 dst_unused:UNUSED_SEXT src0_sel:BYTE_0 src1_sel:WORD_0" },
		{ "gfx1012", { 0x762944f9, 0x463001d3, 0x00000000 }, 2, "v_ldexp_f16_sdwa v20, -|v211|, v162 dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD" },
		{ "gfx1012", { 0xd7560000, 0x00000000, 0x00000000 }, 2, "v_max3_u16 v0, s0, s0, s0" },
		{ "gfx1012", { 0xd5530000, 0x00000000, 0x00000000 }, 2, "v_min3_u32 v0, s0, s0, s0" },
		{ "gfx1012", { 0xd4cb0000, 0x00000000, 0x00000000 }, 2, "v_cmp_le_f16_e64 s0, s0, s0" },
		{ "gfx1012", { 0x7c4e0000, 0x00000000, 0x00000000 }, 1, "v_cmp_o_f64_e32 vcc_lo, s[0:1], v[0:1]" },
		{ "gfx1012", { 0x7df40000, 0x00000000, 0x00000000 }, 1, "v_cmpx_nlg_f16_e32 s0, v0" },
		{ "gfx1012", { 0x7d120000, 0x00000000, 0x00000000 }, 1, "v_cmp_lt_i16_e32 vcc_lo, s0, v0" },
		{ "gfx1012", { 0x7d0da8f9, 0x4408686a, 0x00000000 }, 2, "v_cmp_ge_i32_sdwa vcc_lo, sext(v106), v212 src0_sel:BYTE_0 src1_sel:WORD_0" },
		{ "gfx1012", { 0x7d7400f9, 0x0404014e, 0x00000000 }, 2, "v_cmpx_eq_u16_sdwa v78, v0 src0_sel:WORD_0 src1_sel:WORD_0" },
		{ "gfx1012", { 0x7d9800f9, 0xd5206417, 0x00000000 }, 2, "v_cmp_gt_f16_sdwa vcc_lo, |v23|, -s0 src0_sel:BYTE_0 src1_sel:WORD_1" },
		{ "gfx1030", { 0xd8ffacfa, 0x68000059, 0x00000000 }, 2, "ds_ordered_count v104, v89 offset:44282 gds" },
		{ "gfx1030", { 0xd9140000, 0x00000000, 0x00000000 }, 2, "ds_min_i64 v0, v[0:1]" },
		{ "gfx1030", { 0xd9800000, 0x00000000, 0x00000000 }, 2, "ds_add_rtn_u64 v[0:1], v0, v[0:1]" },
		{ "gfx1030", { 0xf4000000, 0x00000000, 0x00000000 }, 2, "s_load_dword s0, s[0:1], s0" },
		{ "gfx1030", { 0xbe802a00, 0x00000000, 0x00000000 }, 1, "s_nor_saveexec_b64 s[0:1], s[0:1]" },
		{ "gfx1030", { 0xbe802800, 0x00000000, 0x00000000 }, 1, "s_orn2_saveexec_b64 s[0:1], s[0:1]" },
		{ "gfx1030", { 0xbe802f00, 0x00000000, 0x00000000 }, 1, "s_movrels_b64 s[0:1], s[0:1]" },
		{ "gfx1030", { 0xbf948000, 0x00000000, 0x00000000 }, 1, "s_incperflevel 0x8000" },
		{ "gfx1030", { 0xbd000000, 0x00000000, 0x00000000 }, 1, "s_waitcnt_lgkmcnt s0, 0x0" },
		{ "gfx1030", { 0xbf09ce0b, 0x00000000, 0x00000000 }, 1, "s_cmp_ge_u32 s11, -14" },
		{ "gfx1030", { 0x83000000, 0x00000000, 0x00000000 }, 1, "s_min_i32 s0, s0, s0" },
		{ "gfx1030", { 0xbe801a45, 0x00000000, 0x00000000 }, 1, "s_sext_i32_i16 s0, s69" },
		{ "gfx1030", { 0xbf0b0000, 0x00000000, 0x00000000 }, 1, "s_cmp_le_u32 s0, s0" },
		{ "gfx1030", { 0xbf130000, 0x00000000, 0x00000000 }, 1, "s_cmp_lg_u64 s[0:1], s[0:1]" },
		{ "gfx1030", { 0xbf040000, 0x00000000, 0x00000000 }, 1, "s_cmp_lt_i32 s0, s0" },
		{ "gfx1030", { 0xb2000000, 0x00000000, 0x00000000 }, 1, "s_cmpk_lg_i32 s0, 0x0" },
		{ "gfx1030", { 0xb0000000, 0x00000000, 0x00000000 }, 1, "s_movk_i32 s0, 0x0" },
		{ "gfx1030", { 0xbeb83c77, 0x00000000, 0x00000000 }, 1, "s_and_saveexec_b32 s56, ttmp11" },
		{ "gfx1030", { 0xbfa50000, 0x00000000, 0x00000000 }, 1, "s_denorm_mode 0" },
		{ "gfx1030", { 0xbf9f0000, 0x00000000, 0x00000000 }, 1, "s_code_end" },
		{ "gfx1030", { 0xbf860000, 0x00000000, 0x00000000 }, 1, "s_cbranch_vccz 0" },
		{ "gfx1030", { 0x7e00b600, 0x00000000, 0x00000000 }, 1, "v_floor_f16_e32 v0, s0" },
		{ "gfx1030", { 0x7e003200, 0x00000000, 0x00000000 }, 1, "v_rndne_f64_e32 v[0:1], s[0:1]" },
		{ "gfx1030", { 0x7e000200, 0x00000000, 0x00000000 }, 1, "v_mov_b32_e32 v0, s0" },
		{ "gfx1030", { 0x7efc6efa, 0x120c12d5, 0x00000000 }, 2, "v_not_b32_dpp v126, v213 quad_perm:[2,0,1,0] row_mask:0x1 bank_mask:0x2 bound_ctrl:1 fi:1" },
		{ "gfx1030", { 0x7fc8b6fa, 0xaf2082c5, 0x00000000 }, 2, "v_floor_f16_dpp v228, |v197| quad_perm:[2,0,0,2] row_mask:0xa bank_mask:0xf" },
		{ "gfx1030", { 0x7e02bafa, 0xe92002d0, 0x00000000 }, 2, "v_trunc_f16_dpp v1, |v208| quad_perm:[2,0,0,0] row_mask:0xe bank_mask:0x9" },
		{ "gfx1030", { 0x7efc6ee9, 0xac4100ff, 0x00000000 }, 2, "v_not_b32_dpp v126, v255 dpp8:[0,0,4,0,4,0,3,5]" },
		{ "gfx1030", { 0x7ec6a0e9, 0xf9e00854, 0x00000000 }, 2, "v_cvt_f16_u16_dpp v99, v84 dpp8:[0,1,0,0,6,3,6,7]" },
		{ "gfx1030", { 0x7e2688e9, 0x47080279, 0x00000000 }, 2, "v_movrelsd_b32_dpp v19, v121 dpp8:[2,0,0,4,0,6,1,2]" },
		{ "gfx1030", { 0x7f6ac2f9, 0x40a408ae, 0x00000000 }, 2, "v_cos_f16_sdwa v181, |46| dst_sel:BYTE_0 dst_unused:UNUSED_SEXT src0_sel:WORD_0" },
		{ "gfx1030", { 0x7ff04af9, 0x40040258, 0x00000000 }, 2, "v_exp_f32_sdwa v248, v88 dst_sel:BYTE_2 dst_unused:UNUSED_PAD src0_sel:WORD_0" },
		{ "gfx1030", { 0x7dc04180, 0x00000000, 0x00000000 }, 1, "v_cmp_f_u64_e32 vcc_lo, v[128:129], v[32:33]" },
		{ "gfx1030", { 0x7c7dadd8, 0x00000000, 0x00000000 }, 1, "v_cmpx_nlt_f64_e32 v[216:217], v[214:215]" },
		{ "gfx1030", { 0x7dd1211c, 0x00000000, 0x00000000 }, 1, "v_cmp_u_f16_e32 vcc_lo, v28, v144" },
		{ "gfx1030", { 0x7e006e42, 0x00000000, 0x00000000 }, 1, "v_not_b32_e32 v0, s66" },
		{ "gfx1030", { 0x7e0016f5, 0x00000000, 0x00000000 }, 1, "v_cvt_f32_f16_e32 v0, -2.0" },
		{ "gfx1030", { 0x1f5e14fa, 0x21800c70, 0x00000000 }, 2, "v_min_f32_dpp v175, v112, |v10| quad_perm:[0,3,0,0] row_mask:0x2 bank_mask:0x1" },
		{ "gfx1030", { 0x2cfff8fa, 0xfa083021, 0x00000000 }, 2, "v_lshrrev_b32_dpp v127, v33, v252 quad_perm:[0,0,3,0] row_mask:0xf bank_mask:0xa bound_ctrl:1" },
		{ "gfx1030", { 0x5297e6fa, 0x9d08088f, 0x00000000 }, 2, "v_sub_co_ci_u32_dpp v75, vcc_lo, v143, v243, vcc_lo quad_perm:[0,2,0,0] row_mask:0x9 bank_mask:0xd bound_ctrl:1" },
		{ "gfx1030", { 0x0a03aee9, 0x4b645287, 0x00000000 }, 2, "v_subrev_f32_dpp v1, v135, v215 dpp8:[2,2,1,2,6,6,2,2]" },
		{ "gfx1030", { 0x30a886e9, 0x35c309a5, 0x00000000 }, 2, "v_ashrrev_i32_dpp v84, v165, v67 dpp8:[1,1,4,1,4,3,5,1]" },
		{ "gfx1030", { 0x03fc30e9, 0xd22040c4, 0x00000000 }, 2, "v_cndmask_b32_dpp v254, v196, v24, vcc_lo dpp8:[0,0,1,0,2,4,4,6]" },
		{ "gfx1030", { 0x6befc2f9, 0x330482bc, 0x00000000 }, 2, "v_mul_f16_sdwa v247, v188, -|v225| mul:4 dst_sel:BYTE_2 dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:BYTE_3" },
		{ "gfx1030", { 0x4c46d0f9, 0x000000c1, 0x00000000 }, 2, "v_sub_nc_u32_sdwa v35, v193, v104 dst_sel:BYTE_0 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:BYTE_0" },
		{ "gfx1030", { 0x762944f9, 0x463001d3, 0x00000000 }, 2, "v_ldexp_f16_sdwa v20, -|v211|, v162 dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD" },
		{ "gfx1030", { 0xd4e10000, 0x00000000, 0x00000000 }, 2, "v_cmp_lt_u64_e64 s0, s[0:1], s[0:1]" },
		{ "gfx1030", { 0xd4890000, 0x00000000, 0x00000000 }, 2, "v_cmp_lt_i16_e64 s0, s0, s0" },
		{ "gfx1030", { 0xd54f0000, 0x00000000, 0x00000000 }, 2, "v_alignbyte_b32 v0, s0, s0, s0" },
		{ "gfx1030", { 0xd5e00000, 0x00000000, 0x00000000 }, 2, "v_sin_f16_e64 v0, s0" },
		{ "gfx1030", { 0x7d9c0000, 0x00000000, 0x00000000 }, 1, "v_cmp_ge_f16_e32 vcc_lo, s0, v0" },
		{ "gfx1030", { 0x7d820000, 0x00000000, 0x00000000 }, 1, "v_cmp_lt_u32_e32 vcc_lo, s0, v0" },
		{ "gfx1030", { 0x7d280000, 0x00000000, 0x00000000 }, 1, "v_cmpx_gt_i32_e32 s0, v0" },
		{ "gfx1030", { 0x7d8400f9, 0x04040104, 0x00000000 }, 2, "v_cmp_eq_u32_sdwa vcc_lo, v4, v0 src0_sel:WORD_0 src1_sel:WORD_0" },
		{ "gfx1030", { 0x7c268af9, 0x330120eb, 0x00000000 }, 2, "v_cmpx_le_f32_sdwa v235, -|v69| src0_sel:BYTE_1 src1_sel:BYTE_3" },
		{ "gfx1030", { 0x7d3438f9, 0x4c8413be, 0x00000000 }, 2, "v_cmpx_eq_i16_sdwa 62, sext(v28) src0_sel:WORD_0 src1_sel:WORD_0" },
		{ "gfx1100", { 0xd9340000, 0x00000000, 0x00000000 }, 2, "ds_store_b64 v0, v[0:1]" },
		{ "gfx1100", { 0xd9200000, 0x00000000, 0x00000000 }, 2, "ds_max_u64 v0, v[0:1]" },
		{ "gfx1100", { 0xd9e00000, 0x00000000, 0x00000000 }, 2, "ds_load_2addr_stride64_b64 v[0:3], v0" },
		{ "gfx1100", { 0xf4042300, 0x00000820, 0x00000000 }, 2, "s_load_b64 s[12:13], s[0:1], s0 offset:0x820 dlc" },
		{ "gfx1100", { 0xf4040000, 0x00000000, 0x00000000 }, 2, "s_load_b64 s[0:1], s[0:1], s0" },
		{ "gfx1100", { 0xf420af86, 0xf99df65b, 0x00000000 }, 2, "s_buffer_load_b32 s62, s[12:15], -0x209a5 dlc" },
		{ "gfx1100", { 0xbe802400, 0x00000000, 0x00000000 }, 1, "s_xor_saveexec_b32 s0, s0" },
		{ "gfx1100", { 0xbe800c00, 0x00000000, 0x00000000 }, 1, "s_cls_i32 s0, s0" },
		{ "gfx1100", { 0xbe800a00, 0x00000000, 0x00000000 }, 1, "s_clz_i32_u32 s0, s0" },
		{ "gfx1100", { 0xbf837480, 0x00000000, 0x00000000 }, 1, "s_sleep 0x7480" },
		{ "gfx1100", { 0x83000000, 0x00000000, 0x00000000 }, 1, "s_absdiff_i32 s0, s0, s0" },
		{ "gfx1100", { 0xbe80411c, 0x00000000, 0x00000000 }, 1, "s_movrels_b64 s[0:1], s[28:29]" },
		{ "gfx1100", { 0x89000000, 0x00000000, 0x00000000 }, 1, "s_min_i32 s0, s0, s0" },
		{ "gfx1100", { 0xbf0c0000, 0x00000000, 0x00000000 }, 1, "s_bitcmp0_b32 s0, s0" },
		{ "gfx1100", { 0xbf0f0000, 0x00000000, 0x00000000 }, 1, "s_bitcmp1_b64 s[0:1], s0" },
		{ "gfx1100", { 0xbf010000, 0x00000000, 0x00000000 }, 1, "s_cmp_lg_i32 s0, s0" },
		{ "gfx1100", { 0xbe8044b6, 0x00000000, 0x00000000 }, 1, "s_movrelsd_2_b32 s0, 54" },
		{ "gfx1100", { 0xbeb02c09, 0x00000000, 0x00000000 }, 1, "s_and_not0_saveexec_b32 s48, s9" },
		{ "gfx1100", { 0xbf890000, 0x00000000, 0x00000000 }, 1, "s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)" },
		{ "gfx1100", { 0xbfa30000, 0x00000000, 0x00000000 }, 1, "s_cbranch_vccz 0" },
		{ "gfx1100", { 0xbfb20000, 0x00000000, 0x00000000 }, 1, "s_endpgm_ordered_ps_done" },
		{ "gfx1100", { 0x7e002800, 0x00000000, 0x00000000 }, 1, "v_cvt_f32_ubyte3_e32 v0, s0" },
		{ "gfx1100", { 0x7e003000, 0x00000000, 0x00000000 }, 1, "v_ceil_f64_e32 v[0:1], s[0:1]" },
		{ "gfx1100", { 0x7e00c800, 0x00000000, 0x00000000 }, 1, "v_cvt_norm_u16_f16_e32 v0.l, s0" },
		{ "gfx1100", { 0x7e3e24fa, 0x570888c3, 0x00000000 }, 2, "v_cvt_f32_ubyte1_dpp v31, v195 quad_perm:[0,2,0,2] row_mask:0x5 bank_mask:0x7 bound_ctrl:1" },
		{ "gfx1100", { 0x7ff66afa, 0x060000bd, 0x00000000 }, 2, "v_sin_f32_dpp v251, v189 quad_perm:[0,0,0,0] row_mask:0x0 bank_mask:0x6" },
		{ "gfx1100", { 0x7ffeb8fa, 0xc8229c03, 0x00000000 }, 2, "v_ceil_f16_dpp v127.h, |v3.l| quad_perm:[0,3,1,2] row_mask:0xc bank_mask:0x8" },
		{ "gfx1100", { 0x7f4222e9, 0x1e848c5b, 0x00000000 }, 2, "v_cvt_f32_ubyte0_dpp v161, v91 dpp8:[4,1,2,2,0,5,7,0]" },
		{ "gfx1100", { 0x7e8e10e9, 0xbd812486, 0x00000000 }, 2, "v_cvt_i32_f32_dpp v71, v134 dpp8:[4,4,4,0,0,3,7,5]" },
		{ "gfx1100", { 0x7ec6a0e9, 0xf9e00854, 0x00000000 }, 2, "v_cvt_f16_u16_dpp v99.l, v84.l dpp8:[0,1,0,0,6,3,6,7]" },
		{ "gfx1100", { 0x7d953924, 0x00000000, 0x00000000 }, 1, "v_cmpx_eq_u32_e32 v36, v156" },
		{ "gfx1100", { 0x16000000, 0x00000000, 0x00000000 }, 1, "v_mul_u32_u24_e32 v0, s0, v0" },
		{ "gfx1100", { 0x7c0bca7e, 0x00000000, 0x00000000 }, 1, "v_cmp_lg_f16_e32 vcc_lo, exec_lo, v101.h" },
		{ "gfx1100", { 0x42000000, 0x00000000, 0x00000000 }, 1, "v_sub_co_ci_u32_e32 v0, vcc_lo, s0, v0, vcc_lo" },
		{ "gfx1100", { 0x7c2eb200, 0x00000000, 0x00000000 }, 1, "v_cmp_o_f32_e32 vcc_lo, s0, v89" },
		{ "gfx1100", { 0x40e54afa, 0x12049abb, 0x00000000 }, 2, "v_add_co_ci_u32_dpp v114, vcc_lo, v187, v165, vcc_lo quad_perm:[2,2,1,2] row_mask:0x1 bank_mask:0x2 fi:1" },
		{ "gfx1100", { 0x7c8522fa, 0x9400c03f, 0x00000000 }, 2, "v_cmp_eq_i32 vcc_lo, v63, v145 quad_perm:[0,0,0,3] row_mask:0x9 bank_mask:0x4" },
		{ "gfx1100", { 0x0bf878fa, 0xd15361f7, 0x00000000 }, 2, "v_subrev_f32_dpp v252, -v247, -v60 row_xmask:1 row_mask:0xd bank_mask:0x1" },
		{ "gfx1100", { 0x30a886e9, 0x35c309a5, 0x00000000 }, 2, "v_lshlrev_b32_dpp v84, v165, v67 dpp8:[1,1,4,1,4,3,5,1]" },
		{ "gfx1100", { 0x083220e9, 0xa8c0101e, 0x00000000 }, 2, "v_sub_f32_dpp v25, v30, v16 dpp8:[0,2,0,0,4,1,2,5]" },
		{ "gfx1100", { 0x6df46ae9, 0x120212f7, 0x00000000 }, 2, "v_fmac_f16_dpp v122.h, v119.h, v53.l dpp8:[2,2,0,1,0,4,4,0]" },
		{ "gfx1100", { 0xd47d0000, 0x00000000, 0x00000000 }, 2, "v_cmp_class_f16_e64 s0, s0, s0" },
		{ "gfx1100", { 0xd60e0000, 0x00000000, 0x00000000 }, 2, "v_cubetc_f32 v0, s0, s0, s0" },
		{ "gfx1100", { 0xd6410000, 0x00000000, 0x00000000 }, 2, "v_mad_u16 v0.l, s0, s0, s0" },
		{ "gfx1100", { 0xd52b92ce, 0x73eb1cfa, 0xaf60b093 }, 3, "v_fmac_f32_e64_dpp v206, -v147, -|v142| clamp mul:4 quad_perm:[0,0,3,2] row_mask:0xa bank_mask:0xf" },
		{ "gfx1100", { 0xd70a0389, 0x642a24fa, 0x2cd8c205 }, 3, "v_max_i16_e64_dpp v137.l, v5.l, v18.l quad_perm:[2,0,0,3] row_mask:0x2 bank_mask:0xc bound_ctrl:1" },
		{ "gfx1100", { 0xd58c00d2, 0x04f9ace9, 0xd0872bcb }, 3, "v_cvt_nearest_i32_f32_e64_dpp v210, v203 dpp8:[3,5,4,3,0,1,4,6]" },
		{ "gfx1100", { 0x7d980000, 0x00000000, 0x00000000 }, 1, "v_cmpx_gt_u32_e32 s0, v0" },
		{ "gfx1100", { 0x7d000000, 0x00000000, 0x00000000 }, 1, "v_cmpx_f_f16_e32 s0, v0.l" },
		{ "gfx1100", { 0x7c1c0000, 0x00000000, 0x00000000 }, 1, "v_cmp_nlt_f16_e32 vcc_lo, s0, v0.l" },
		{ "gfx1100", { 0x7c2268fa, 0x7a129018, 0x00000000 }, 2, "v_cmp_lt_f32 vcc_lo, -v24, v52 quad_perm:[0,0,1,2] row_mask:0x7 bank_mask:0xa" },
		{ "gfx1100", { 0x7d36eefa, 0x3b2000fb, 0x00000000 }, 2, "v_cmpx_ngt_f32 |v251|, v119 quad_perm:[0,0,0,0] row_mask:0x3 bank_mask:0xb" },
		{ "gfx1100", { 0x7c6d06fa, 0x101202b7, 0x00000000 }, 2, "v_cmp_ge_i16 vcc_lo, v55.h, v3.h quad_perm:[2,0,0,0] row_mask:0x1 bank_mask:0x0" },
		{ "gfx1100", { 0x7c2620e9, 0xc146b099, 0x00000000 }, 2, "v_cmp_le_f32 vcc_lo, v153, v16 dpp8:[0,6,2,3,4,2,0,6]" },
		{ "gfx1100", { 0x7d141ae9, 0x0908256f, 0x00000000 }, 2, "v_cmpx_nlg_f16 v111.l, v13.l dpp8:[5,4,0,4,0,2,2,0]" },
		{ "gfx1100", { 0x7d2548e9, 0x80110097, 0x00000000 }, 2, "v_cmpx_eq_f32 v151, v164 dpp8:[0,0,4,0,1,0,0,4]" },
		{ "gfx1151", { 0xd9940000, 0x00000000, 0x00000000 }, 2, "ds_min_rtn_i64 v[0:1], v0, v[0:1]" },
		{ "gfx1151", { 0xd90c0000, 0x00000000, 0x00000000 }, 2, "ds_inc_u64 v0, v[0:1]" },
		{ "gfx1151", { 0xd8a00000, 0x00000000, 0x00000000 }, 2, "ds_max_rtn_u32 v0, v0, v0" },
		{ "gfx1151", { 0xf420af86, 0xf99df65b, 0x00000000 }, 2, "s_buffer_load_b32 s62, s[12:15], -0x209a5 dlc" },
		{ "gfx1151", { 0xf4200000, 0x00000000, 0x00000000 }, 2, "s_buffer_load_b32 s0, s[0:3], s0" },
		{ "gfx1151", { 0xf4040000, 0x00000000, 0x00000000 }, 2, "s_load_b64 s[0:1], s[0:1], s0" },
		{ "gfx1151", { 0xbe806500, 0x00000000, 0x00000000 }, 1, "s_cvt_f32_u32 s0, s0" },
		{ "gfx1151", { 0xbe802000, 0x00000000, 0x00000000 }, 1, "s_and_saveexec_b32 s0, s0" },
		{ "gfx1151", { 0xbe802200, 0x00000000, 0x00000000 }, 1, "s_or_saveexec_b32 s0, s0" },
		{ "gfx1151", { 0xbfb71b00, 0x00000000, 0x00000000 }, 1, "s_sendmsghalt 6912" },
		{ "gfx1151", { 0xbf58cc8c, 0x00000000, 0x00000000 }, 1, "s_cmp_u_f16 12, -12" },
		{ "gfx1151", { 0xb2800000, 0x00000000, 0x00000000 }, 1, "s_cmpk_gt_i32 s0, 0x0" },
		{ "gfx1151", { 0xbe884010, 0x00000000, 0x00000000 }, 1, "s_movrels_b32 s8, s16" },
		{ "gfx1151", { 0x91800000, 0x00000000, 0x00000000 }, 1, "s_and_not1_b64 s[0:1], s[0:1], s[0:1]" },
		{ "gfx1151", { 0xbf0f0000, 0x00000000, 0x00000000 }, 1, "s_bitcmp1_b64 s[0:1], s0" },
		{ "gfx1151", { 0xbf460000, 0x00000000, 0x00000000 }, 1, "s_cmp_ge_f32 s0, s0" },
		{ "gfx1151", { 0xbf4c0000, 0x00000000, 0x00000000 }, 1, "s_cmp_nle_f32 s0, s0" },
		{ "gfx1151", { 0xbf42d000, 0x00000000, 0x00000000 }, 1, "s_cmp_eq_f32 s0, -16" },
		{ "gfx1151", { 0xbe800450, 0x00000000, 0x00000000 }, 1, "s_brev_b32 s0, s80" },
		{ "gfx1151", { 0xbeac37c6, 0x00000000, 0x00000000 }, 1, "s_and_not1_wrexec_b64 s[44:45], -6" },
		{ "gfx1151", { 0xbf810000, 0x00000000, 0x00000000 }, 1, "s_setkill 0" },
		{ "gfx1151", { 0xbfa60000, 0x00000000, 0x00000000 }, 1, "s_cbranch_execnz 0" },
		{ "gfx1151", { 0xbf850000, 0x00000000, 0x00000000 }, 1, "s_clause 0x0" },
		{ "gfx1151", { 0x7e00be00, 0x00000000, 0x00000000 }, 1, "v_fract_f16_e32 v0.l, s0" },
		{ "gfx1151", { 0x7e00d600, 0x00000000, 0x00000000 }, 1, "v_cvt_u32_u16_e32 v0, s0" },
		{ "gfx1151", { 0x7e000800, 0x00000000, 0x00000000 }, 1, "v_cvt_f64_i32_e32 v[0:1], s0" },
		{ "gfx1151", { 0x7fe414fa, 0xab01115e, 0x00000000 }, 2, "v_cvt_f16_f32_dpp v114.h, v94 row_shr:1 row_mask:0xa bank_mask:0xb" },
		{ "gfx1151", { 0x7e80c0fa, 0x5d005893, 0x00000000 }, 2, "v_sin_f16_dpp v64.l, v19.h quad_perm:[0,2,1,1] row_mask:0x5 bank_mask:0xd" },
		{ "gfx1151", { 0x7f9a18fa, 0x222400d7, 0x00000000 }, 2, "v_cvt_nearest_i32_f32_dpp v205, |v215| quad_perm:[0,0,0,0] row_mask:0x2 bank_mask:0x2 fi:1" },
		{ "gfx1151", { 0x7e7476e9, 0x493600fc, 0x00000000 }, 2, "v_cls_i32_dpp v58, v252 dpp8:[0,0,0,3,3,2,2,2]" },
		{ "gfx1151", { 0x7f1690e9, 0x660002d5, 0x00000000 }, 2, "v_movrelsd_2_b32_dpp v139, v213 dpp8:[2,0,0,0,0,4,1,3]" },
		{ "gfx1151", { 0x7ee870e9, 0xd0201068, 0x00000000 }, 2, "v_bfrev_b32_dpp v116, v104 dpp8:[0,2,0,0,2,0,4,6]" },
		{ "gfx1151", { 0x7d2c05c9, 0x00000000, 0x00000000 }, 1, "v_cmpx_ge_f32_e32 v201, v2" },
		{ "gfx1151", { 0x7d34874e, 0x00000000, 0x00000000 }, 1, "v_cmpx_nlg_f32_e32 v78, v67" },
		{ "gfx1151", { 0x7e865542, 0x00000000, 0x00000000 }, 1, "v_rcp_f32_e32 v67, v66" },
		{ "gfx1151", { 0x7c402010, 0x00000000, 0x00000000 }, 1, "v_cmp_f_f64_e32 vcc_lo, s[16:17], v[16:17]" },
		{ "gfx1151", { 0x7cb05c80, 0x00000000, 0x00000000 }, 1, "v_cmp_f_u64_e32 vcc_lo, 0, v[46:47]" },
		{ "gfx1151", { 0x36b52afa, 0x830c10e2, 0x00000000 }, 2, "v_and_b32_dpp v90, v226, v149 quad_perm:[0,0,1,0] row_mask:0x8 bank_mask:0x3 bound_ctrl:1 fi:1" },
		{ "gfx1151", { 0x10c570fa, 0xad08e188, 0x00000000 }, 2, "v_mul_f32_dpp v98, v136, v184 quad_perm:[1,0,2,3] row_mask:0xa bank_mask:0xd bound_ctrl:1" },
		{ "gfx1151", { 0x7c1820fa, 0x0a0162cb, 0x00000000 }, 2, "v_cmp_nle_f16 vcc_lo, v75.h, v16.l row_xmask:2 row_mask:0x0 bank_mask:0xa" },
		{ "gfx1151", { 0x66b394e9, 0xd00d423c, 0x00000000 }, 2, "v_sub_f16_dpp v89.l, v60.l, v74.h dpp8:[2,0,5,6,0,0,4,6]" },
		{ "gfx1151", { 0x051abae9, 0xcb084652, 0x00000000 }, 2, "v_dot2acc_f32_f16_dpp v141, v82, v93 dpp8:[6,0,1,4,0,6,2,6]" },
		{ "gfx1151", { 0x69a8b4e9, 0x8230189a, 0x00000000 }, 2, "v_subrev_f16_dpp v84.h, v26.h, v90.l dpp8:[0,3,0,0,3,4,0,4]" },
		{ "gfx1151", { 0xd4260000, 0x00000000, 0x00000000 }, 2, "v_cmp_ge_f64_e64 s0, s[0:1], s[0:1]" },
		{ "gfx1151", { 0xd63b0000, 0x00000000, 0x00000000 }, 2, "v_mqsad_pk_u16_u8 v[0:1], s[0:1], s0, s[0:1]" },
		{ "gfx1151", { 0xd44f0000, 0x0003a4fa, 0x094c1d33 }, 3, "v_cmp_t_u32_e64_dpp s0, v51, v210 quad_perm:[1,3,1,0] row_mask:0x0 bank_mask:0x9 bound_ctrl:1 fi:1" },
		{ "gfx1151", { 0xd41cb80d, 0x436ed4fa, 0xb170a6d5 }, 3, "v_cmp_nle_f32_e64_dpp s13, v213, -v106 clamp quad_perm:[2,1,2,2] row_mask:0xb bank_mask:0x1" },
		{ "gfx1151", { 0xd70298b7, 0x035b8afa, 0xb9536cd2 }, 3, "v_subrev_co_u32_e64_dpp v183, s24, v210, v197 clamp row_xmask:12 row_mask:0xb bank_mask:0x9" },
		{ "gfx1151", { 0xd58c00d2, 0x04f9ace9, 0xd0872bcb }, 3, "v_cvt_nearest_i32_f32_e64_dpp v210, v203 dpp8:[3,5,4,3,0,1,4,6]" },
		{ "gfx1151", { 0xd6632000, 0x0001dee9, 0x60654714 }, 3, "v_minmax_u32_e64_dpp v0, v20, src_pops_exiting_wave_id, s0 dpp8:[7,0,5,2,6,0,0,3]" },
		{ "gfx1151", { 0x7c460000, 0x00000000, 0x00000000 }, 1, "v_cmp_le_f64_e32 vcc_lo, s[0:1], v[0:1]" },
		{ "gfx1151", { 0x7db00000, 0x00000000, 0x00000000 }, 1, "v_cmpx_f_u64_e32 s[0:1], v[0:1]" },
		{ "gfx1151", { 0x7d880000, 0x00000000, 0x00000000 }, 1, "v_cmpx_gt_i32_e32 s0, v0" },
		{ "gfx1151", { 0x7c8800fa, 0x040401d9, 0x00000000 }, 2, "v_cmp_gt_i32 vcc_lo, v217, v0 quad_perm:[1,0,0,0] row_mask:0x0 bank_mask:0x4 fi:1" },
		{ "gfx1151", { 0x7c83d4fa, 0x340c69cc, 0x00000000 }, 2, "v_cmp_lt_i32 vcc_lo, v204, v234 quad_perm:[1,2,2,1] row_mask:0x3 bank_mask:0x4 bound_ctrl:1 fi:1" },
		{ "gfx1151", { 0x7d80defa, 0x06031482, 0x00000000 }, 2, "v_cmpx_f_i32 v130, v111 row_shr:4 row_mask:0x0 bank_mask:0x6" },
		{ "gfx1151", { 0x7c3d70e9, 0xca1545bd, 0x00000000 }, 2, "v_cmp_nlt_f32 vcc_lo, v189, v184 dpp8:[5,0,5,2,1,4,2,6]" },
		{ "gfx1151", { 0x7c6d2ae9, 0xbc32206a, 0x00000000 }, 2, "v_cmp_ge_i16 vcc_lo, v106.l, v21.h dpp8:[0,4,0,1,3,0,7,5]" },
		{ "gfx1151", { 0x7c7b1ae9, 0x03601470, 0x00000000 }, 2, "v_cmp_ne_u16 vcc_lo, v112.l, v13.h dpp8:[4,2,0,0,6,6,0,0]" },
		{ "gfx1200", { 0xd99c0000, 0x00000000, 0x00000000 }, 2, "ds_min_rtn_u64 v[0:1], v0, v[0:1]" },
		{ "gfx1200", { 0xd9d80000, 0x00000000, 0x00000000 }, 2, "ds_load_b64 v[0:1], v0" },
		{ "gfx1200", { 0xf6fa863c, 0xf903b9b0, 0x00000000 }, 2, "s_buffer_load_b512 s[24:39], ttmp[12:15], 0x3b9b0 scale_offset th:TH_LOAD_NT scope:SCOPE_SYS nv" },
		{ "gfx1200", { 0xbe802f00, 0x00000000, 0x00000000 }, 1, "s_or_not0_saveexec_b64 s[0:1], s[0:1]" },
		{ "gfx1200", { 0xbe806500, 0x00000000, 0x00000000 }, 1, "s_cvt_f32_u32 s0, s0" },
		{ "gfx1200", { 0xbe802700, 0x00000000, 0x00000000 }, 1, "s_nand_saveexec_b64 s[0:1], s[0:1]" },
		{ "gfx1200", { 0xbf81a000, 0x00000000, 0x00000000 }, 1, "s_setkill 0xa000" },
		{ "gfx1200", { 0xbf080100, 0x00000000, 0x00000000 }, 1, "s_cmp_gt_u32 s0, s1" },
		{ "gfx1200", { 0xbea96907, 0x00000000, 0x00000000 }, 1, "s_cvt_f32_f16 s41, s7" },
		{ "gfx1200", { 0xbfc987f8, 0x00000000, 0x00000000 }, 1, "s_wait_storecnt_dscnt 0x87f8" },
		{ "gfx1200", { 0xbf520000, 0x00000000, 0x00000000 }, 1, "s_cmp_eq_f16 s0, s0" },
		{ "gfx1200", { 0xbf020000, 0x00000000, 0x00000000 }, 1, "s_cmp_gt_i32 s0, s0" },
		{ "gfx1200", { 0xbf560000, 0x00000000, 0x00000000 }, 1, "s_cmp_ge_f16 s0, s0" },
		{ "gfx1200", { 0xbf890100, 0x00000000, 0x00000000 }, 1, "s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(16)" },
		{ "gfx1200", { 0xbe80267e, 0x00000000, 0x00000000 }, 1, "s_nand_saveexec_b32 s0, exec_lo" },
		{ "gfx1200", { 0xbe800cf8, 0x00000000, 0x00000000 }, 1, "s_cls_i32 s0, 0.15915494" },
		{ "gfx1200", { 0xbfb40000, 0x00000000, 0x00000000 }, 1, "s_wakeup" },
		{ "gfx1200", { 0xbf850000, 0x00000000, 0x00000000 }, 1, "s_clause 0x0" },
		{ "gfx1200", { 0xbf880000, 0x00000000, 0x00000000 }, 1, "s_wait_alu depctr_hold_cnt(0) depctr_sa_sdst(0) depctr_va_vdst(0) depctr_va_sdst(0) depctr_va_ssrc(0) depctr_va_vcc(0) depctr_vm_vsrc(0)" },
		{ "gfx1200", { 0x7e000800, 0x00000000, 0x00000000 }, 1, "v_cvt_f64_i32_e32 v[0:1], s0" },
		{ "gfx1200", { 0x7e003000, 0x00000000, 0x00000000 }, 1, "v_ceil_f64_e32 v[0:1], s[0:1]" },
		{ "gfx1200", { 0x7e003400, 0x00000000, 0x00000000 }, 1, "v_floor_f64_e32 v[0:1], s[0:1]" },
		{ "gfx1200", { 0x7fa06afa, 0x320080a1, 0x00000000 }, 2, "v_sin_f32_dpp v208, v161 quad_perm:[0,0,0,2] row_mask:0x3 bank_mask:0x2" },
		{ "gfx1200", { 0x7e8214fa, 0xee28056b, 0x00000000 }, 2, "v_cvt_f16_f32_dpp v65, |v107| quad_perm:[1,1,0,0] row_mask:0xe bank_mask:0xe bound_ctrl:1" },
		{ "gfx1200", { 0x7e4ed8fa, 0x7209049c, 0x00000000 }, 2, "v_cvt_f32_fp8_dpp v39, v156 row_shl:4 row_mask:0x7 bank_mask:0x2 bound_ctrl:1" },
		{ "gfx1200", { 0x7e7ac6e9, 0x04184801, 0x00000000 }, 2, "v_cvt_norm_i16_f16_dpp v61, v1 dpp8:[0,1,1,4,1,0,1,0]" },
		{ "gfx1200", { 0x7fc8d4e9, 0x3c00115c, 0x00000000 }, 2, "v_cvt_i32_i16_dpp v228, v92 dpp8:[1,2,0,0,0,0,7,1]" },
		{ "gfx1200", { 0x7f6074e9, 0xe821a857, 0x00000000 }, 2, "v_ctz_i32_b32_dpp v176, v87 dpp8:[0,5,6,0,2,0,2,7]" },
		{ "gfx1200", { 0x7e004b49, 0x00000000, 0x00000000 }, 1, "v_exp_f32_e32 v0, v73" },
		{ "gfx1200", { 0x7e006a4c, 0x00000000, 0x00000000 }, 1, "v_sin_f32_e32 v0, s76" },
		{ "gfx1200", { 0x7d2ea2b2, 0x00000000, 0x00000000 }, 1, "v_cmpx_o_f32_e32 50, v81" },
		{ "gfx1200", { 0x7c98cd80, 0x00000000, 0x00000000 }, 1, "v_cmp_gt_u32_e32 vcc_lo, v128, v102" },
		{ "gfx1200", { 0x5f8f3afa, 0x3c4928c8, 0x00000000 }, 2, "v_cvt_pk_rtz_f16_f32_dpp v199, v200, -v157 row_ror:8 row_mask:0x3 bank_mask:0xc bound_ctrl:1" },
		{ "gfx1200", { 0x370396fa, 0x3e020009, 0x00000000 }, 2, "v_and_b32_dpp v129, v9, v203 quad_perm:[0,0,0,0] row_mask:0x3 bank_mask:0xe" },
		{ "gfx1200", { 0x7dfc68fa, 0xb46c0c60, 0x00000000 }, 2, "v_cmpx_class_f32 |v96|, v52 quad_perm:[0,3,0,0] row_mask:0xb bank_mask:0x4 bound_ctrl:1 fi:1" },
		{ "gfx1200", { 0x4c7c08e9, 0xc0982466, 0x00000000 }, 2, "v_sub_nc_u32_dpp v62, v102, v4 dpp8:[4,4,0,4,1,1,0,6]" },
		{ "gfx1200", { 0x399bdee9, 0xb2804504, 0x00000000 }, 2, "v_or_b32_dpp v205, v4, v239 dpp8:[5,0,1,0,0,5,4,5]" },
		{ "gfx1200", { 0x57535ee9, 0x718ec0c1, 0x00000000 }, 2, "v_fmac_f32_dpp v169, v193, v175 dpp8:[0,0,3,7,0,3,4,3]" },
		{ "gfx1200", { 0xd5a40000, 0x00000000, 0x00000000 }, 2, "v_floor_f32_e64 v0, s0" },
		{ "gfx1200", { 0xd43c0000, 0x00000000, 0x00000000 }, 2, "v_cmp_gt_u16_e64 s0, s0, s0" },
		{ "gfx1200", { 0xd47e0000, 0x00000000, 0x00000000 }, 2, "v_cmp_class_f32_e64 s0, s0, s0" },
		{ "gfx1200", { 0xd63d00b0, 0x04040163, 0x00000000 }, 2, "v_mqsad_u32_u8 v[176:179], v[99:100], s0, v[1:4]" },
		{ "gfx1200", { 0xd50358f0, 0x48bae4fa, 0xe788a1c9 }, 3, "v_add_f32_e64_dpp v240, v201, -v114 mul:2 quad_perm:[1,0,2,2] row_mask:0xe bank_mask:0x7 bound_ctrl:1" },
		{ "gfx1200", { 0xd47e0000, 0x0004f4fa, 0xf0dcf393 }, 3, "v_cmp_class_f32_e64_dpp s0, v147, ttmp14 quad_perm:[3,0,3,3] row_mask:0xf bank_mask:0x0 bound_ctrl:1 fi:1" },
		{ "gfx1200", { 0xd5e00000, 0x0000b4fa, 0xf5eadb13 }, 3, "v_sin_f16_e64_dpp v0, v19 quad_perm:[3,2,1,3] row_mask:0xf bank_mask:0x5 bound_ctrl:1" },
		{ "gfx1200", { 0xd5a0e124, 0x215e54e9, 0xddaf50cd }, 3, "v_fract_f32_e64_dpp v36, -|v205| clamp dpp8:[0,2,5,7,2,3,7,6]" },
		{ "gfx1200", { 0xd5d779a5, 0x3da798e9, 0xd47412a6 }, 3, "v_log_f16_e64_dpp v165, -|v166| div:2 dpp8:[2,2,0,2,7,0,5,6]" },
		{ "gfx1200", { 0x7d920000, 0x00000000, 0x00000000 }, 1, "v_cmpx_lt_u32_e32 s0, v0" },
		{ "gfx1200", { 0x7c9c0000, 0x00000000, 0x00000000 }, 1, "v_cmp_ge_u32_e32 vcc_lo, s0, v0" },
		{ "gfx1200", { 0x7c420000, 0x00000000, 0x00000000 }, 1, "v_cmp_lt_f64_e32 vcc_lo, s[0:1], v[0:1]" },
		{ "gfx1200", { 0x7c7464fa, 0x81020968, 0x00000000 }, 2, "v_cmp_eq_u16 vcc_lo, v104, v50 quad_perm:[1,2,0,0] row_mask:0x8 bank_mask:0x1" },
		{ "gfx1200", { 0x7d9c66fa, 0xeb089cdb, 0x00000000 }, 2, "v_cmpx_ge_u32 v219, v51 quad_perm:[0,3,1,2] row_mask:0xe bank_mask:0xb bound_ctrl:1" },
		{ "gfx1200", { 0x7c2f20fa, 0x0620a0ca, 0x00000000 }, 2, "v_cmp_o_f32 vcc_lo, |v202|, v144 quad_perm:[0,0,2,2] row_mask:0x0 bank_mask:0x6" },
		{ "gfx1200", { 0x7d8798e9, 0x3dc040b0, 0x00000000 }, 2, "v_cmpx_le_i32 v176, v204 dpp8:[0,0,1,0,4,3,7,1]" },
		{ "gfx1200", { 0x7c7620ea, 0x0c04df15, 0x00000000 }, 2, "v_cmp_le_u16 vcc_lo, v21, v16 dpp8:[7,3,3,2,0,0,3,0] fi:1" },
		{ "gfx1200", { 0x7d6af6e9, 0xf500846c, 0x00000000 }, 2, "v_cmpx_ne_i16 v108, v123 dpp8:[4,0,2,0,0,2,5,7]" },
		{ "gfx1201", { 0xd89c0000, 0x00000000, 0x00000000 }, 2, "ds_min_rtn_u32 v0, v0, v0" },
		{ "gfx1201", { 0xd8100000, 0x00000000, 0x00000000 }, 2, "ds_dec_u32 v0, v0" },
		{ "gfx1201", { 0xd9240000, 0x00000000, 0x00000000 }, 2, "ds_and_b64 v0, v[0:1]" },
		{ "gfx1201", { 0xbe802a00, 0x00000000, 0x00000000 }, 1, "s_xnor_saveexec_b32 s0, s0" },
		{ "gfx1201", { 0xbe800900, 0x00000000, 0x00000000 }, 1, "s_ctz_i32_b64 s0, s[0:1]" },
		{ "gfx1201", { 0xbe806b00, 0x00000000, 0x00000000 }, 1, "s_ceil_f16 s0, s0" },
		{ "gfx1201", { 0x82800000, 0x00000000, 0x00000000 }, 1, "s_sub_co_ci_u32 s0, s0, s0" },
		{ "gfx1201", { 0xbf0af8c7, 0x00000000, 0x00000000 }, 1, "s_cmp_lt_u32 -7, 0.15915494" },
		{ "gfx1201", { 0xbed00af8, 0x00000000, 0x00000000 }, 1, "s_clz_i32_u32 s80, 0.15915494" },
		{ "gfx1201", { 0xbea86152, 0x00000000, 0x00000000 }, 1, "s_floor_f32 s40, s82" },
		{ "gfx1201", { 0xbfc2b589, 0x00000000, 0x00000000 }, 1, "s_wait_samplecnt 0xb589" },
		{ "gfx1201", { 0xbf090000, 0x00000000, 0x00000000 }, 1, "s_cmp_ge_u32 s0, s0" },
		{ "gfx1201", { 0xbf070000, 0x00000000, 0x00000000 }, 1, "s_cmp_lg_u32 s0, s0" },
		{ "gfx1201", { 0xbf5b0000, 0x00000000, 0x00000000 }, 1, "s_cmp_ngt_f16 s0, s0" },
		{ "gfx1201", { 0xbf0d9980, 0x00000000, 0x00000000 }, 1, "s_bitcmp1_b32 0, 25" },
		{ "gfx1201", { 0xbf5a6d7f, 0x00000000, 0x00000000 }, 1, "s_cmp_nlg_f16 exec_hi, ttmp1" },
		{ "gfx1201", { 0xbf9f0000, 0x00000000, 0x00000000 }, 1, "s_code_end" },
		{ "gfx1201", { 0xbf900000, 0x00000000, 0x00000000 }, 1, "s_trap 0" },
		{ "gfx1201", { 0xbf820000, 0x00000000, 0x00000000 }, 1, "s_sethalt 0" },
		{ "gfx1201", { 0x7e003400, 0x00000000, 0x00000000 }, 1, "v_floor_f64_e32 v[0:1], s[0:1]" },
		{ "gfx1201", { 0x7e000600, 0x00000000, 0x00000000 }, 1, "v_cvt_i32_f64_e32 v0, s[0:1]" },
		{ "gfx1201", { 0x7e00c000, 0x00000000, 0x00000000 }, 1, "v_sin_f16_e32 v0, s0" },
		{ "gfx1201", { 0x7ff272fa, 0x2d0281b4, 0x00000000 }, 2, "v_clz_i32_u32_dpp v249, v180 quad_perm:[1,0,0,2] row_mask:0x2 bank_mask:0xd" },
		{ "gfx1201", { 0x7e4422fa, 0xdf02404f, 0x00000000 }, 2, "v_cvt_f32_ubyte0_dpp v34, v79 quad_perm:[0,0,0,1] row_mask:0xd bank_mask:0xf" },
		{ "gfx1201", { 0x7ecabafa, 0x1e228039, 0x00000000 }, 2, "v_trunc_f16_dpp v101, |v57| quad_perm:[0,0,0,2] row_mask:0x1 bank_mask:0xe" },
		{ "gfx1201", { 0x7e4cd2e9, 0x3a002057, 0x00000000 }, 2, "v_not_b16_dpp v38, v87 dpp8:[0,4,0,0,0,4,6,1]" },
		{ "gfx1201", { 0x7e5adae9, 0x5a0815f9, 0x00000000 }, 2, "v_cvt_f32_bf8_dpp v45, v249 dpp8:[5,2,0,4,0,4,6,2]" },
		{ "gfx1201", { 0x7e40b0e9, 0xb1440038, 0x00000000 }, 2, "v_exp_f16_dpp v32, v56 dpp8:[0,0,0,2,4,2,4,5]" },
		{ "gfx1201", { 0x7c040080, 0x00000000, 0x00000000 }, 1, "v_cmp_eq_f16_e32 vcc_lo, 0, v0" },
		{ "gfx1201", { 0x7e90b408, 0x00000000, 0x00000000 }, 1, "v_frexp_exp_i16_f16_e32 v72, s8" },
		{ "gfx1201", { 0x7d937583, 0x00000000, 0x00000000 }, 1, "v_cmpx_lt_u32_e32 v131, v186" },
		{ "gfx1201", { 0x70000000, 0x00000000, 0x00000000 }, 2, "v_fmaak_f16 v0, s0, v0, 0x0" },
		{ "gfx1201", { 0x7c620800, 0x00000000, 0x00000000 }, 1, "v_cmp_lt_i16_e32 vcc_lo, s0, v4" },
		{ "gfx1201", { 0x408032fa, 0x5d005893, 0x00000000 }, 2, "v_add_co_ci_u32_dpp v64, vcc_lo, v147, v25, vcc_lo quad_perm:[0,2,1,1] row_mask:0x5 bank_mask:0xd" },
		{ "gfx1201", { 0x35afa6fa, 0xf001017b, 0x00000000 }, 2, "v_ashrrev_i32_dpp v215, v123, v211 row_shl:1 row_mask:0xf bank_mask:0x0" },
		{ "gfx1201", { 0x0f8afefa, 0xa6086440, 0x00000000 }, 2, "v_mul_dx9_zero_f32_dpp v197, v64, v127 quad_perm:[0,1,2,1] row_mask:0xa bank_mask:0x6 bound_ctrl:1" },
		{ "gfx1201", { 0x7ebc40e9, 0x5ec0c55e, 0x00000000 }, 2, "v_fract_f32_dpp v94, v94 dpp8:[5,0,3,0,4,5,7,2]" },
		{ "gfx1201", { 0x7c39fce9, 0x2b0002cd, 0x00000000 }, 2, "v_cmp_nle_f32 vcc_lo, v205, v254 dpp8:[2,0,0,0,0,6,2,1]" },
		{ "gfx1201", { 0x57535ee9, 0x718ec0c1, 0x00000000 }, 2, "v_fmac_f32_dpp v169, v193, v175 dpp8:[0,0,3,7,0,3,4,3]" },
		{ "gfx1201", { 0xd70b0000, 0x00000000, 0x00000000 }, 2, "v_min_u16 v0, s0, s0" },
		{ "gfx1201", { 0xd64d0000, 0x00000000, 0x00000000 }, 2, "v_max3_i16 v0, s0, s0, s0" },
		{ "gfx1201", { 0xd52f93a6, 0x1bbc08fa, 0x370f1153 }, 3, "v_cvt_pk_rtz_f16_f32_e64_dpp v166, |v83|, |s4| clamp div:2 row_shr:1 row_mask:0x3 bank_mask:0x7 bound_ctrl:1 fi:1" },
		{ "gfx1201", { 0xd4180000, 0x000118fa, 0x850ea44b }, 3, "v_cmp_u_f32_e64_dpp s0, v75, 12 quad_perm:[0,1,2,2] row_mask:0x8 bank_mask:0x5 bound_ctrl:1 fi:1" },
		{ "gfx1201", { 0xd7678100, 0x0003b2fa, 0xa9cb6b1f }, 3, "v_minimum_f16_e64_dpp v0, |v31|, v217 clamp row_xmask:11 row_mask:0xa bank_mask:0x9 bound_ctrl:1" },
		{ "gfx1201", { 0xd63190f6, 0x74efbae9, 0xc36410e3 }, 3, "v_med3_num_f32_e64_dpp v246, -v227, -v221, v59 clamp mul:4 dpp8:[0,2,0,2,6,6,0,6]" },
		{ "gfx1201", { 0xd5b669e9, 0x353490e9, 0x93e5e6d8 }, 3, "v_cos_f32_e64_dpp v233, -|v216| mul:4 dpp8:[6,4,7,2,6,7,4,4]" },
		{ "gfx1201", { 0xd7030000, 0x00014eea, 0x463326f7 }, 3, "v_add_nc_u16_e64_dpp v0, v247, 39 dpp8:[6,4,4,1,3,4,1,2] fi:1" },
		{ "gfx1201", { 0x7ca80000, 0x00000000, 0x00000000 }, 1, "v_cmp_gt_i64_e32 vcc_lo, s[0:1], v[0:1]" },
		{ "gfx1201", { 0x7c040000, 0x00000000, 0x00000000 }, 1, "v_cmp_eq_f16_e32 vcc_lo, s0, v0" },
		{ "gfx1201", { 0x7d540000, 0x00000000, 0x00000000 }, 1, "v_cmpx_nlg_f64_e32 s[0:1], v[0:1]" },
		{ "gfx1201", { 0x7c1062fa, 0xd912804f, 0x00000000 }, 2, "v_cmp_u_f16 vcc_lo, -v79, v49 quad_perm:[0,0,0,2] row_mask:0xd bank_mask:0x9" },
		{ "gfx1201", { 0x7d0864fa, 0x7e082912, 0x00000000 }, 2, "v_cmpx_gt_f16 v18, v50 quad_perm:[1,2,2,0] row_mask:0x7 bank_mask:0xe bound_ctrl:1" },
		{ "gfx1201", { 0x7d92a8fa, 0x000601b2, 0x00000000 }, 2, "v_cmpx_lt_u32 v178, v84 quad_perm:[1,0,0,0] row_mask:0x0 bank_mask:0x0 fi:1" },
		{ "gfx1201", { 0x7d6c88e9, 0x22822c4e, 0x00000000 }, 2, "v_cmpx_ge_i16 v78, v68 dpp8:[4,5,0,1,0,5,0,1]" },
		{ "gfx1201", { 0x7cfaf4e9, 0xe2efdf40, 0x00000000 }, 2, "v_cmp_class_f16 vcc_lo, v64, v122 dpp8:[7,3,7,7,6,5,0,7]" },
		{ "gfx906", { 0x7e2858f9, 0x00000347 }, 2, "v_bfrev_b32_sdwa v20, v71 dst_sel:BYTE_3 dst_unused:UNUSED_PAD src0_sel:BYTE_0" },
		{ "gfx906", { 0x7f9422f9, 0x000c09b4 }, 2, "v_cvt_f32_ubyte0_sdwa v202, sext(v180) dst_sel:BYTE_1 dst_unused:UNUSED_SEXT src0_sel:WORD_0" },
		{ "gfx1010", { 0x7d1f44f9, 0x0b348a33 }, 2, "v_cmp_class_f16_sdwa s10, -|v51|, sext(v162) src0_sel:WORD_0 src1_sel:BYTE_3" },
		{ "gfx90a", { 0x7f58a54e }, 1, "v_accvgpr_mov_b32 a172, a78" },
		{ "gfx942", { 0x71eb1efa, 0x9b58cffd }, 2, "v_dot2c_i32_i16_dpp v245, v253, v143 quad_perm:[3,3,0,3] row_mask:0x9 bank_mask:0xb bound_ctrl:1" },
		{ "gfx1030", { 0xb080a001 }, 1, "s_version (1|UC_VERSION_W64_BIT)|UC_VERSION_MDP_BIT" },
		{ "gfx1200", { 0xbe804ec1 }, 1, "s_barrier_signal -1" },
		{ "gfx1200", { 0xbe85507d }, 1, "s_get_barrier_state s5, m0" },
		{ "gfx1100", { 0xca480501, 0x00020b04 }, 2, "v_dual_cndmask_b32 v0, v1, v2 :: v_dual_add_f32 v3, v4, v5" },
		{ "gfx1150", { 0xc8840f01, 0x00020d04, 0x1234 }, 3, "v_dual_fmamk_f32 v0, v1, 0x1234, v7 :: v_dual_fmamk_f32 v3, v4, 0x1234, v6" },
		{ "gfx1201", { 0xc9240480, 0x00020a85 }, 2, "v_dual_add_f32 v0, 0, v2 :: v_dual_and_b32 v3, 5, v5" },
		{ "gfx908", { 0xd3d80005, 0x00000108, 0x00000000 }, 2, "v_accvgpr_read_b32 v5, a8" },
		{ "gfx90a", { 0xd3d90003, 0x00000107, 0x00000000 }, 2, "v_accvgpr_write_b32 a3, v7" },
		{ "gfx90a", { 0xd3b01002, 0x8bc80d04, 0x00000000, 0x00000000 }, 2, "v_pk_fma_f32 v[2:3], v[4:5], s[6:7], 1.0 op_sel:[0,1,0] op_sel_hi:[1,0,0] neg_lo:[0,0,1]" },
		{ "gfx906", { 0xd380c000, 0x1c0e0501, 0x00000000, 0x00000000 }, 2, "v_pk_mad_i16 v0, v1, v2, v3 clamp" },
		{ "gfx906", { 0xd3a00e00, 0xb40e0501, 0x00000000, 0x00000000 }, 2, "v_fma_mix_f32 v0, -v1, |v2|, -|v3| op_sel:[1,0,0] op_sel_hi:[0,1,0]" },
		{ "gfx1100", { 0xcc134000, 0x3c0e04fa, 0xff010101, 0x00000000 }, 3, "v_dot2_f32_f16_e64_dpp v0, v1, v2, v3 neg_lo:[1,0,0] row_shl:1 row_mask:0xf bank_mask:0xf" },
		{ "gfx908", { 0xd3c07b00, 0xd4820501, 0x00000000, 0x00000000 }, 2, "v_mfma_f32_32x32x1f32 a[0:31], v1, a2, a[32:63] cbsz:3 abid:15 blgp:6" },
		{ "gfx90a", { 0xd3ee0000, 0x0bca0902, 0x00000000, 0x00000000 }, 2, "v_mfma_f64_16x16x4f64 v[0:7], a[2:3], v[4:5], 1.0" },
		{ "gfx942", { 0xd3ef8000, 0xb41a0902, 0x00000000, 0x00000000 }, 2, "v_mfma_f64_4x4x4_4b_f64 a[0:1], v[2:3], a[4:5], a[6:7] neg:[1,0,1]" },
		{ "gfx942", { 0xd3be0000, 0x04220d04, 0x00000000, 0x00000000 }, 2, "v_mfma_f32_16x16x8_xf32 v[0:3], v[4:5], v[6:7], v[8:11]" },
		{ "gfx942", { 0xd3e29100, 0x14260902, 0x00000000, 0x00000000 }, 2, "v_smfmac_f32_16x16x32_f16 a[0:3], v[2:3], a[4:7], v9 cbsz:1 abid:2" },
		{ "gfx950", { 0xd3ad0200, 0x94021504, 0x00000000, 0x00000000 }, 2, "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[4:9], a[10:13], v[0:3] cbsz:2 blgp:4" },
		{ "gfx950", { 0xd3ac0800, 0x10023f1e, 0xd3ae8800, 0x64023110 }, 4, "v_mfma_scale_f32_32x32x64_f8f6f4 a[0:15], v[16:23], v[24:29], a[0:15], v30, v31 op_sel:[1,0,0] op_sel_hi:[0,1,0] blgp:3" },
		{ "gfx1100", { 0xcc426000, 0x1c022108, 0x00000000, 0x00000000 }, 2, "v_wmma_f16_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7] op_sel:[0,0,1]" },
		{ "gfx1100", { 0xcc44c000, 0x7a021908, 0x00000000, 0x00000000 }, 2, "v_wmma_i32_16x16x16_iu8 v[0:7], v[8:11], v[12:15], 0 neg_lo:[1,1,0] clamp" },
		{ "gfx1200", { 0xcc474000, 0x9c021508, 0x00000000, 0x00000000 }, 2, "v_wmma_f32_16x16x16_fp8_bf8 v[0:7], v[8:9], v[10:11], v[0:7] neg_lo:[0,0,1]" },
		{ "gfx1200", { 0xcc54c800, 0x3c3a1508, 0x00000000, 0x00000000 }, 2, "v_swmmac_i32_16x16x32_iu8 v[0:7], v[8:9], v[10:13], v14 index_key:1 neg_lo:[1,0,0] clamp" },
		{ "gfx1201", { 0x7c304ae9, 0xfd852284, 0x00000000 }, 2, "v_cmp_u_f32 vcc_lo, v132, v37 dpp8:[2,4,4,2,0,3,7,7]" },
		{ "gfx906", { 0xdc508004, 0x007f0002, 0x00000000 }, 2, "global_load_dword v0, v[2:3], off offset:4" },
		{ "gfx906", { 0xdc50b004, 0x007f0002, 0x00000000 }, 2, "global_load_dword v[2:3], off offset:-4092 lds" },
		{ "gfx906", { 0xdd859fff, 0x02040608, 0x00000000 }, 2, "global_atomic_cmpswap_x2 v[2:3], v8, v[6:9], s[4:5] offset:-1 glc" },
		{ "gfx908", { 0xdd348010, 0x00060402, 0x00000000 }, 2, "global_atomic_add_f32 v2, v4, s[6:7] offset:16" },
		{ "gfx90a", { 0xdc508000, 0x04ff0002, 0x00000000 }, 2, "global_load_dword a4, v[2:3], off" },
		{ "gfx942", { 0xde718123, 0x00000402, 0x00000000 }, 2, "global_store_dword v2, v4, s[0:1] offset:291 sc0 sc1" },
		{ "gfx942", { 0xdc506010, 0x05030004, 0x00000000 }, 2, "scratch_load_dword v5, v4, s3 offset:16" },
		{ "gfx942", { 0xdc504010, 0x057f0004, 0x00000000 }, 2, "scratch_load_dword v5, off, off offset:16" },
		{ "gfx950", { 0xddf48000, 0x007f0002, 0x00000000 }, 2, "global_load_lds_dwordx4 v[2:3], off" },
		{ "gfx1030", { 0xdc304010, 0x017f0000, 0x00000000 }, 2, "scratch_load_dword v1, off, off offset:16" },
		{ "gfx1030", { 0xdc304010, 0x017d0002, 0x00000000 }, 2, "scratch_load_dword v1, v2, off offset:16" },
		{ "gfx1030", { 0xdc30b010, 0x017d0002, 0x00000000 }, 2, "global_load_dword v[2:3], off offset:16 dlc lds" },
		{ "gfx1100", { 0xdc520010, 0x017c0002, 0x00000000 }, 2, "global_load_b32 v1, v[2:3], off offset:16" },
		{ "gfx1100", { 0xdc510010, 0x01880002, 0x00000000 }, 2, "scratch_load_b32 v1, v2, s8 offset:16" },
		{ "gfx1100", { 0xdcd64010, 0x017c0402, 0x00000000 }, 2, "global_atomic_add_u32 v1, v[2:3], v4, off offset:16 glc" },
		{ "gfx1100", { 0xdc506fff, 0x017c0002, 0x00000000 }, 2, "flat_load_b32 v1, v[2:3] offset:4095 glc dlc" },
		{ "gfx1200", { 0xee05007c, 0x00180001, 0xfffff002 }, 3, "global_load_b32 v1, v[2:3], off offset:-16 th:TH_LOAD_NT scope:SCOPE_DEV" },
		{ "gfx1200", { 0xee0680fc, 0x023c0000, 0x00001002 }, 3, "global_store_b32 v[2:3], v4, off offset:16 th:TH_STORE_BYPASS scope:SCOPE_SYS nv" },
		{ "gfx1200", { 0xee0d407c, 0x015c0003, 0x00000002 }, 3, "global_atomic_add_u32 v3, v[2:3], v2, off th:TH_ATOMIC_CASCADE_RT scope:SCOPE_SYS" },
		{ "gfx1200", { 0xee0d4004, 0x01580003, 0x00000002 }, 3, "global_atomic_add_u32 v3, v2, v2, s[4:5] th:TH_ATOMIC_CASCADE_RT scope:SCOPE_DEV" },
		{ "gfx1200", { 0xed050005, 0x000b0003, 0x00000402 }, 3, "scratch_load_b32 v3, v2, s5 offset:4 scale_offset scope:SCOPE_DEV" },
		{ "gfx1200", { 0xee0ac07c, 0x00080000, 0x00000000 }, 3, "global_inv scope:SCOPE_DEV" },
		{ "gfx1200", { 0xee14c002, 0x00000008, 0x00001004 }, 3, "global_load_block v[8:39], v4, s[2:3] offset:16" },
		{ "gfx90a", { 0xda000000, 0x00000402, 0x00000000 }, 2, "ds_add_u32 v2, a4" },
		{ "gfx90a", { 0xd8010000, 0x00000402, 0x00000000 }, 2, "ds_add_u32 v2, v4" },
		{ "gfx906", { 0xd8010000, 0x00000402, 0x00000000 }, 2, "ds_add_u32 v2, v4 gds" },
		{ "gfx942", { 0xdad80000, 0x02060404, 0x00000000 }, 2, "ds_mskor_rtn_b64 a[2:3], v4, a[4:5], a[6:7]" },
		{ "gfx950", { 0xdbc00008, 0x04000002, 0x00000000 }, 2, "ds_read_b64_tr_b4 a[4:5], v2 offset:8" },
		{ "gfx90a", { 0xd93b0000, 0x00000002, 0x00000000 }, 2, "ds_gws_barrier v2 gds" },
		{ "gfx1100", { 0xd8760010, 0x00000002, 0x00000000 }, 2, "ds_gws_barrier v2 offset:16 gds" },
		{ "gfx906", { 0xd87a8064, 0x02000001, 0x00000000 }, 2, "ds_swizzle_b32 v2, v1 offset:swizzle(QUAD_PERM,0,1,2,1)" },
		{ "gfx906", { 0xd87a041f, 0x02000001, 0x00000000 }, 2, "ds_swizzle_b32 v2, v1 offset:swizzle(SWAP,1)" },
		{ "gfx906", { 0xd87a7c1f, 0x02000001, 0x00000000 }, 2, "ds_swizzle_b32 v2, v1 offset:swizzle(REVERSE,32)" },
		{ "gfx1100", { 0xd8d443a1, 0x02000001, 0x00000000 }, 2, "ds_swizzle_b32 v2, v1 offset:swizzle(BITMASK_PERM,\"01101\")" },
		{ "gfx1200", { 0xd8d400f8, 0x02000001, 0x00000000 }, 2, "ds_swizzle_b32 v2, v1 offset:swizzle(BROADCAST,8,7)" },
		{ "gfx1030", { 0xd8d4c4a0, 0x02000001, 0x00000000 }, 2, "ds_swizzle_b32 v2, v1 offset:swizzle(ROTATE,1,5)" },
		{ "gfx1030", { 0xd8d4e00a, 0x02000001, 0x00000000 }, 2, "ds_swizzle_b32 v2, v1 offset:swizzle(FFT,10)" },
		{ "gfx942", { 0xd87a0805, 0x02000001, 0x00000000 }, 2, "ds_swizzle_b32 v2, v1 offset:swizzle(BITMASK_PERM,\"00p1p\")" },
		{ "gfx906", { 0xe0500fff, 0x80000402, 0x00000000 }, 2, "buffer_load_dword v4, off, s[0:3], 0 offset:4095" },
		{ "gfx906", { 0xe0503010, 0x05400402, 0x00000000 }, 2, "buffer_load_dword v4, v[2:3], s[0:3], s5 idxen offen offset:16" },
		{ "gfx906", { 0xe0f50004, 0x80010000, 0x00000000 }, 2, "buffer_store_lds_dword s[4:7], 0 offset:4 lds" },
		{ "gfx908", { 0xe0500000, 0x80800400, 0x00000000 }, 2, "buffer_load_dword v[4:5], off, s[0:3], 0 tfe" },
		{ "gfx90a", { 0xe0508000, 0x80800400, 0x00000000 }, 2, "buffer_load_dword a4, off, s[0:3], 0 scc" },
		{ "gfx942", { 0xe0a4c000, 0x00000000, 0x00000000 }, 2, "buffer_inv sc0 sc1" },
		{ "gfx942", { 0xe0a08000, 0x00000000, 0x00000000 }, 2, "buffer_wbl2 sc1" },
		{ "gfx950", { 0xe05d0000, 0x80000400, 0x00000000 }, 2, "buffer_load_dwordx4 off, s[0:3], 0 lds" },
		{ "gfx906", { 0xebe00000, 0x80000402, 0x00000000 }, 2, "tbuffer_load_format_x v4, off, s[0:3], 0 format:[BUF_DATA_FORMAT_16_16_16_16,BUF_NUM_FORMAT_FLOAT]" },
		{ "gfx906", { 0xe8103000, 0x80000402, 0x00000000 }, 2, "tbuffer_load_format_x v4, v[2:3], s[0:3], 0 format:[BUF_DATA_FORMAT_16] idxen offen" },
		{ "gfx1030", { 0xe030c010, 0x80c00402, 0x00000000 }, 2, "buffer_load_dword v[4:5], off, s[0:3], 0 offset:16 glc slc dlc tfe" },
		{ "gfx1030", { 0xe8b00000, 0x7d200402, 0x00000000 }, 2, "tbuffer_load_format_d16_x v4, off, s[0:3], null format:[BUF_FMT_32_FLOAT]" },
		{ "gfx1030", { 0xe1c40000, 0x00000000, 0x00000000 }, 2, "buffer_gl0_inv" },
		{ "gfx1100", { 0xe0507010, 0x80c00402, 0x00000000 }, 2, "buffer_load_b32 v4, v[2:3], s[0:3], 0 idxen offen offset:16 glc slc dlc" },
		{ "gfx1100", { 0xe9c80000, 0x7c000402, 0x00000000 }, 2, "tbuffer_load_format_x v4, off, s[0:3], null format:[BUF_FMT_16_16_16_16_FLOAT]" },
		{ "gfx1100", { 0xe0ac0000, 0x00000000, 0x00000000 }, 2, "buffer_gl0_inv" },
		{ "gfx1200", { 0xc405007c, 0x40180008, 0x00001002 }, 3, "buffer_load_b32 v8, v2, s[0:3], null offen offset:16 th:TH_LOAD_NT scope:SCOPE_DEV" },
		{ "gfx1200", { 0xc4450004, 0xc0181008, 0x00001002 }, 3, "buffer_load_b32 v[8:9], v[2:3], s[8:11], s4 idxen offen offset:16 th:TH_LOAD_NT scope:SCOPE_DEV tfe" },
		{ "gfx1200", { 0xc40d407c, 0x00580008, 0x00000000 }, 3, "buffer_atomic_add_u32 v8, off, s[0:3], null th:TH_ATOMIC_CASCADE_RT scope:SCOPE_DEV" },
		{ "gfx1200", { 0xc420007c, 0x96080008, 0x00001002 }, 3, "tbuffer_load_format_x v8, v2, s[0:3], null format:[BUF_FMT_8_8_8_8_USCALED] idxen offset:16 scope:SCOPE_DEV" },
		{ "gfx1200", { 0xc420007c, 0xbf800008, 0x00001002 }, 3, "tbuffer_load_format_x v8, v2, s[0:3], null format:127 idxen offset:16" },
		{ "gfx906", { 0xc09a0140, 0x00000010, 0x00000000 }, 2, "s_atc_probe 5, s[0:1], 0x10" },
		{ "gfx90a", { 0xc0a20001, 0x000fffff, 0x00000000 }, 2, "s_dcache_discard s[2:3], 0xfffff" },
		{ "gfx1030", { 0xf4080000, 0xfa000000, 0x00000000 }, 2, "s_load_dwordx4 s[0:3], s[0:1], null" },
		{ "gfx1100", { 0xf4000000, 0xf8000000, 0x00000000 }, 2, "s_load_b32 s0, s[0:1], null" },
		{ "gfx1200", { 0xf4000000, 0x00000000, 0x00000000 }, 2, "s_load_b32 s0, s[0:1], s0 offset:0x0" },
		{ "gfx1200", { 0xf4048240, 0x00ffffff, 0x00000000 }, 2, "s_prefetch_inst s[0:1], -0x1, s0, 9" },
		{ "gfx1200", { 0xf404a240, 0xf8000010, 0x00000000 }, 2, "s_prefetch_inst_pc_rel 0x10, null, 9" },
		{ "gfx1200", { 0xf404e7c2, 0x02000010, 0x00000000 }, 2, "s_buffer_prefetch_data s[4:7], 0x10, s1, 31" },
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct gcn_target *target = gcn_target_find(rows[i].target, 0);
		struct gcn_insn in, again;
		uint32_t w[GCN_MAX_WORDS];
		char text[256];
		struct qd_error err;
		int n = gcn_decode(target, rows[i].w, 4, &in), m = 0;

		UNIT_CHECK(t, n == rows[i].n, "%s %s: %d words", rows[i].target, rows[i].text, n);
		if (n != rows[i].n)
			continue;
		gcn_print(target, &in, text, sizeof text);
		UNIT_CHECK(t, !strcmp(text, rows[i].text), "%s: %s, wanted %s", rows[i].target, text,
			   rows[i].text);
		UNIT_CHECK(t, !gcn_parse(target, rows[i].text, &again, &err), "%s: %s: %s",
			   rows[i].target, rows[i].text, err.text);
		UNIT_CHECK(t, !gcn_words(target, &again, w, &m, &err) && m == n, "%s: %s",
			   rows[i].target, err.text);
		n = gcn_decode(target, w, (size_t)m, &in);
		gcn_print(target, &in, text, sizeof text);
		UNIT_CHECK(t, n == m && !strcmp(text, rows[i].text), "%s: back as %s",
			   rows[i].target, text);
	}
}

/* The encoder takes what a target has not when it fails. */
static void
refused(struct unit_ctx *t)
{
	static const struct {
		const char *target;
		enum gcn_row_id row;
		struct {
			uint8_t field;
			uint32_t v;
		} set[4];
		const char *why;
	} rows[] = {
		{ "gfx1100", GCN_v_add_u32, { { GCN_F_SRC0, 256 } },
		  "v_add_u32_e32: the target has no such instruction on gfx1100" },
		{ "gfx90a", GCN_v_rcp_f64, { { GCN_F_SRC0, 257 }, { GCN_F_VDST, 2 } },
		  "v_rcp_f64_e32: the register tuple must begin at an even register on gfx90a" },
		{ "gfx1030", GCN_s_mov_b64, { { GCN_F_SDST, 3 }, { GCN_F_SSRC0, 2 } },
		  "s_mov_b64: no such scalar register on gfx1030" },
		{ "gfx906", GCN_s_mov_b32, { { GCN_F_SDST, 0 }, { GCN_F_SSRC0, 209 } },
		  "s_mov_b32: no such register or constant on gfx906" },
		{ "gfx906", GCN_v_accvgpr_read_b32, { { GCN_F_SRC0, 256 } },
		  "v_accvgpr_read_b32: the target has no such instruction on gfx906" },
		{ "gfx908", GCN_v_accvgpr_read_b32, { { GCN_F_SRC0, 3 } },
		  "v_accvgpr_read_b32: an accumulation register is wanted on gfx908" },
		{ "gfx90a", GCN_v_cvt_f64_i32, { { GCN_F_SRC0, 250 }, { GCN_F_CTRL, 0 } },
		  "v_cvt_f64_i32_e32: DPP of 64 bits only as row_newbcast on gfx90a" },
		{ "gfx906", GCN_v_fma_f64, { { GCN_F_SRC0, GCN_LITERAL }, { GCN_F_SRC1, 256 }, { GCN_F_SRC2, 256 } },
		  "v_fma_f64: VOP3 takes no literal on this target on gfx906" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct gcn_insn in = { .row = (uint16_t)rows[i].row };
		uint32_t w[GCN_MAX_WORDS];
		struct qd_error err = { 0 };
		int n;
		for (size_t k = 0; k < 4; k++) {
			if (rows[i].set[k].v == 250)
				in.form = GCN_FORM_DPP16;
			if (rows[i].set[k].field)
				in.field[rows[i].set[k].field] = rows[i].set[k].v;
		}
		UNIT_CHECK(t, gcn_encode(gcn_target_find(rows[i].target, 0), &in, w, &n, &err) ==
				      QD_E_TARGET, "row %zu was taken", i);
		UNIT_CHECK(t, !strcmp(err.text, rows[i].why), "%s, wanted %s", err.text, rows[i].why);
	}
}

/* Some words crash the decoder, or what it gives encodes to something else. */
static void
stable(struct unit_ctx *t)
{
	struct unit_rng rng = { 1 };

	for (size_t i = 0; gcn_target_at(i); i++) {
		const struct gcn_target *target = gcn_target_at(i);
		for (unsigned k = 0; k < 4000; k++) {
			uint32_t w[4], back[GCN_MAX_WORDS];
			struct gcn_insn in, again;
			char text[256];
			int n, m;
			for (int j = 0; j < 4; j++)
				w[j] = (uint32_t)(unit_random(&rng) >> 20);
			n = gcn_decode(target, w, 1 + k % 4, &in);
			if (!n)
				continue;
			gcn_print(target, &in, text, sizeof text);
			UNIT_CHECK(t, !gcn_words(target, &in, back, &m, NULL) && m == n &&
				   gcn_decode(target, back, (size_t)m, &again) == n &&
				   !memcmp(&in, &again, sizeof in), "%s %08x %08x: %s", target->name,
				   w[0], w[1], text);
		}
	}
}

/* Targets by name and wave. */
static void
targets(struct unit_ctx *t)
{
	const struct gcn_target *g = gcn_target_find("gfx1100", 64);

	UNIT_CHECK(t, g && g->wave == 64 && g->e_flags == 0x41, "gfx1100 in wave64");
	UNIT_CHECK(t, !gcn_target_find("gfx906", 32), "gfx906 has no wave32");
	UNIT_CHECK(t, !gcn_target_find("gfx9", 0), "gfx9 is no target");
}

/* The calls give other words than LLVM's assembler, or a scalar slips into a
 * vector's place. */
static void
calls(struct unit_ctx *t)
{
	const struct gcn_target *t1100 = gcn_target_find("gfx1100", 0);
	uint32_t w[16] = { 0 };
	struct qd_error err = { 0 };
	struct gcn_out o;
	size_t n;

	gcn_out_init(&o, t1100, w, QD_COUNT(w));
	gcn_vop2(&o, GCN_v_add_f32, gcn_v(1), gcn_s(2), gcn_v(3));
	gcn_sop2(&o, GCN_s_add_u32, gcn_s(0), gcn_s(1), 129);
	gcn_sopp(&o, GCN_s_endpgm, 0);
	UNIT_CHECK(t, !gcn_out_end(&o, &n, &err) && n == 3, "%s", err.text);
	UNIT_CHECK(t, w[0] == 0x06020602 && w[1] == 0x80008101 && w[2] == 0xbfb00000,
		   "%08x %08x %08x", w[0], w[1], w[2]);
	gcn_vopd(&o, (struct gcn_half){ GCN_v_dual_add_f32, gcn_v(0), gcn_s(1), gcn_v(2) },
		 (struct gcn_half){ GCN_v_dual_mov_b32, gcn_v(3), gcn_literal(&o, 0x1234),
				    gcn_v(0) });
	UNIT_CHECK(t, !gcn_out_end(&o, &n, &err) && n == 6 && w[3] == 0xc9100401 &&
		   w[4] == 0x000200ff && w[5] == 0x1234, "%s: %08x %08x %08x", err.text, w[3], w[4], w[5]);
	gcn_vopd(&o, (struct gcn_half){ GCN_v_dual_add_f32, gcn_v(0), gcn_s(1), gcn_v(2) },
		 (struct gcn_half){ GCN_v_dual_mov_b32, gcn_v(2), gcn_v(4), gcn_v(0) });
	UNIT_CHECK(t, gcn_out_end(&o, &n, &err) == QD_E_TARGET && n == 0, "two even destinations");
	gcn_out_init(&o, t1100, w, QD_COUNT(w));
	gcn_vop2(&o, GCN_v_add_f32, gcn_v(1), gcn_s(2), gcn_s(3));
	UNIT_CHECK(t, gcn_out_end(&o, &n, &err) == QD_E_TARGET && o.bad, "s3 as second source");
}

static bool
is_one_word(unsigned row)
{
	unsigned f = gcn_rows[row].format;

	return f == GCN_VOP1 || f == GCN_VOP2 || f == GCN_VOPC;
}

/* A generator finds another row behind an e32 row than its e64 row: of what the target has,
 * the next one, which is the e32 row's id plus 1 unless that row's id ends in _gfx. */
static void
pairs(struct unit_ctx *t)
{
	static const char *const ids[] = {
#define GCN(id, ...) #id,
#include "insn.def"
	};
	const struct gcn_target *g;
	unsigned n = 0;

	for (size_t k = 0; (g = gcn_target_at(k)); k++) {
		for (unsigned row = 0; row < GCN_N_ROW; row++) {
			const char *name = gcn_rows[row].name;
			size_t len = strlen(name);
			unsigned e64 = GCN_N_ROW, next = row + 1;
			if (!gcn_has(g, row) || !is_one_word(row) || len < 5 ||
			    strcmp(name + len - 4, "_e32"))
				continue;
			for (unsigned i = 0; i < GCN_N_ROW && e64 == GCN_N_ROW; i++)
				if (gcn_rows[i].format == GCN_VOP3 &&
				    !strncmp(gcn_rows[i].name, name, len - 2) &&
				    !strcmp(gcn_rows[i].name + len - 2, "64") && gcn_has(g, i))
					e64 = i;
			while (next < GCN_N_ROW && !gcn_has(g, next))
				next++;
			UNIT_CHECK(t, e64 == GCN_N_ROW || e64 == next, "%s: %s has %s behind it, not %s", g->name,
				   ids[row], next < GCN_N_ROW ? ids[next] : "none", ids[e64]);
			UNIT_CHECK(t, e64 == GCN_N_ROW || e64 == row + 1 || strstr(ids[e64 - 1], "_gfx") ||
					   strstr(ids[row], "_gfx"),
				   "%s: %s is not %s + 1", g->name, ids[e64], ids[row]);
			n += e64 == row + 1;
		}
	}
	UNIT_CHECK(t, n > 2000, "only %u pairs", n);
}

/* What a generator asks for by the name of another generation is another instruction, has
 * other operands or reads and writes something else; or a name of operation.def leads nowhere. */
static void
operations(struct unit_ctx *t)
{
	static const struct {
		const char *name, *own;
	} rows[] = {
#define OP(name, own, targets) { #name, #own },
#include "operation.def"
	};
	/* What a row says of hazards alone, or of a float that an operand's type tells elsewhere. */
	const uint64_t apart = E(LANE_MASK) | E(MAD64) | E(MODE);
	static bool moves[GCN_N_ROW];
	const struct gcn_target *g;
	unsigned n = 0;

	for (size_t k = 0; (g = gcn_target_at(k)); k++) {
		for (unsigned row = 0; row < GCN_N_ROW; row++) {
			unsigned own = gcn_row_of(g, (enum gcn_op)row);
			const struct gcn_row *r = &gcn_rows[row], *o = &gcn_rows[own];
			const struct gcn_shape *a = &gcn_shapes[r->shape], *b = &gcn_shapes[o->shape];
			struct gcn_props p = gcn_props_of(row), q = gcn_props_of(own);
			UNIT_CHECK(t, gcn_has(g, own) || own == row, "%s: %s is %s", g->name, r->name, o->name);
			UNIT_CHECK(t, !gcn_has(g, row) || own == row, "%s: %s is %s", g->name, r->name, o->name);
			UNIT_CHECK(t, gcn_row_of(g, (enum gcn_op)own) == own, "%s: %s is not", g->name, o->name);
			if (own == row)
				continue;
			n++;
			moves[row] = moves[own] = true;
			UNIT_CHECK(t, r->format == o->format && a->n_op == b->n_op, "%s for %s", o->name, r->name);
			for (unsigned i = 0; i < a->n_op; i++)
				UNIT_CHECK(t, a->op[i].field == b->op[i].field &&
						   gcn_kinds[a->op[i].kind].n == gcn_kinds[b->op[i].kind].n,
					   "%s for %s: operand %u", o->name, r->name, i);
			UNIT_CHECK(t, p.class == q.class && p.reads == q.reads && p.writes == q.writes &&
					   !((p.flags ^ q.flags) & ~apart), "%s for %s: effects", o->name, r->name);
		}
	}
	UNIT_CHECK(t, n > 10000, "%u rows of targets by another name", n);
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		bool found[2] = { false, false };
		for (unsigned row = 0; row < GCN_N_ROW; row++) {
			found[0] |= moves[row] && !strncmp(gcn_rows[row].name, rows[i].name, strlen(rows[i].name));
			found[1] |= moves[row] && !strncmp(gcn_rows[row].name, rows[i].own, strlen(rows[i].own));
		}
		UNIT_CHECK(t, found[0] && found[1], "%s and %s", rows[i].name, rows[i].own);
	}
}

/* A sum, a mask, a load, a sum with a carry are not what a generator asks for by one name, or
 * what a target has not goes unsaid. */
static void
asked_for(struct unit_ctx *t)
{
	static const struct {
		const char *target;
		enum gcn_row_id sum, mask, load, carry;
	} rows[] = {
		{ "gfx906", GCN_v_add_u32, GCN_s_andn2_b64, GCN_ds_read_b32, GCN_v_add_co_u32_e64 },
		{ "gfx942", GCN_v_add_u32, GCN_s_andn2_b64, GCN_ds_read_b32, GCN_v_add_co_u32_e64 },
		{ "gfx1030", GCN_v_add_nc_u32, GCN_s_andn2_b64, GCN_ds_read_b32, GCN_v_add_co_u32_vop3 },
		{ "gfx1100", GCN_v_add_nc_u32, GCN_s_and_not1_b64, GCN_ds_load_b32, GCN_v_add_co_u32_vop3 },
		{ "gfx1200", GCN_v_add_nc_u32, GCN_s_and_not1_b64, GCN_ds_load_b32, GCN_v_add_co_u32_vop3 },
	};

	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		const struct gcn_target *g = gcn_target_find(rows[i].target, 0);
		uint32_t w[32] = { 0 };
		struct qd_error err = { 0 };
		struct gcn_out o;
		size_t n;
		UNIT_CHECK(t, gcn_row_of(g, GCN_OP_v_add_u32) == rows[i].sum, "%s: sum", g->name);
		UNIT_CHECK(t, gcn_row_of(g, GCN_OP_s_and_not1_b64) == rows[i].mask, "%s: mask", g->name);
		UNIT_CHECK(t, gcn_row_of(g, GCN_OP_ds_load_b32) == rows[i].load, "%s: load", g->name);
		UNIT_CHECK(t, gcn_row_of(g, GCN_OP_v_add_co_u32_e64) == rows[i].carry, "%s: carry", g->name);
		gcn_out_init(&o, g, w, QD_COUNT(w));
		gcn_vop2(&o, gcn_row_of(g, GCN_OP_v_add_u32), gcn_v(1), gcn_s(2), gcn_v(3));
		gcn_vop3b(&o, gcn_row_of(g, GCN_OP_v_add_co_u32_e64), gcn_v(1), gcn_s(4), gcn_v(1), gcn_v(3), GCN_OFF,
			  (struct gcn_mods){ .neg = 0 });
		gcn_ds(&o, gcn_row_of(g, GCN_OP_ds_read_b32), gcn_v(4), gcn_v(1), GCN_OFF, GCN_OFF, 16);
		UNIT_CHECK(t, !gcn_out_end(&o, &n, &err) && n == 5, "%s: %s", g->name, err.text);
		gcn_out_init(&o, g, w, QD_COUNT(w));
		gcn_vop1(&o, gcn_row_of(g, GCN_OP_v_movreld_b32), gcn_v(1), gcn_v(2));
		UNIT_CHECK(t, (gcn_out_end(&o, &n, &err) == QD_OK) == (g->gen >= GCN_G10), "%s: v_movreld_b32", g->name);
	}
}

const struct unit units_gcn[] = {
	{ "gcn.targets", targets },
	{ "gcn.golden", golden },
	{ "gcn.refused", refused },
	{ "gcn.calls", calls },
	{ "gcn.stable", stable },
	{ "gcn.pairs", pairs },
	{ "gcn.operations", operations },
	{ "gcn.asked_for", asked_for },
};
const size_t n_units_gcn = sizeof units_gcn / sizeof *units_gcn;
