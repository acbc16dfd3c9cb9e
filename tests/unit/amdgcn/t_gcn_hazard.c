/* Hazards: an injected violation of each rule must be detected, with its name, both lines and
 * the missing wait states. It must not be found at the smallest legal distance, but again at
 * one less. */
#include "gcn_code.h"

#include <stdio.h>

static struct gcn_code code;

/* Code is legal if `need` times `filler` is between `before` and `after`, and a hazard with any
 * fewer. The hazard's lines are line `earlier` of `before` and the first line of `after`. A single
 * `fix` in between is legal too. If `need` is 0, only `fix` is tested. */
/* clang-format off */
static const struct {
	const char *rule, *target;
	unsigned wave, earlier;
	const char *before, *after;
	unsigned need;
	const char *filler, *fix;
} rules[] = {
	{ "dpp_vgpr", "gfx906", 0, 0, "v_mov_b32_e32 v1, v2",
	  "v_mov_b32_dpp v3, v1 row_shr:1 row_mask:0xf bank_mask:0xf", 2, "s_nop 0", "s_nop 1" },
	{ "dpp_vgpr", "gfx942", 0, 0, "v_mov_b32_e32 v1, v2",
	  "v_mov_b32_dpp v3, v1 row_shr:1 row_mask:0xf bank_mask:0xf", 2, "v_nop", "s_nop 1" },
	{ "dpp_exec", "gfx908", 0, 0, "v_cmpx_eq_u32_e32 vcc, v1, v2",
	  "v_mov_b32_dpp v3, v4 row_shr:1 row_mask:0xf bank_mask:0xf", 5, "s_nop 0", "s_nop 4" },
	{ "lane_select", "gfx90a", 0, 0, "v_readfirstlane_b32 s0, v1", "v_readlane_b32 s1, v2, s0", 4,
	  "s_nop 0", "s_nop 3" },
	{ "lane_select", "gfx906", 0, 0, "v_cmp_eq_u32_e32 vcc, v1, v2",
	  "v_writelane_b32 v2, 0, vcc_lo", 4, "s_nop 0", "s_nop 3" },
	{ "vmem_sgpr", "gfx906", 0, 0, "v_readfirstlane_b32 s0, v1",
	  "global_load_dword v3, v2, s[0:1]", 5, "s_nop 0", "s_nop 4" },
	{ "vmem_sgpr", "gfx942", 0, 0, "v_readfirstlane_b32 s0, v1", "scratch_load_dword v3, off, s0", 5,
	  "s_nop 0", "s_nop 4" },
	{ "div_fmas_vcc", "gfx906", 0, 0, "v_cmp_eq_u32_e32 vcc, v1, v2", "v_div_fmas_f32 v0, v1, v2, v3",
	  4, "s_nop 0", "s_nop 3" },
	{ "m0", "gfx906", 0, 0, "s_mov_b32 m0, s1", "ds_read_addtid_b32 v0", 1, "s_nop 0", "s_nop 0" },
	{ "m0", "gfx906", 0, 0, "s_mov_b32 m0, s1", "s_sendmsg sendmsg(MSG_INTERRUPT)", 1, "s_nop 0",
	  "s_nop 0" },
	{ "m0", "gfx908", 0, 0, "s_mov_b32 m0, s1", "s_movrels_b32 s0, s2", 1, "s_nop 0", "s_nop 0" },
	{ "m0", "gfx906", 0, 0, "s_mov_b32 m0, s1", "ds_write_b32 v0, v1 gds", 1, "s_nop 0", "s_nop 0" },
	{ "m0", "gfx942", 0, 0, "s_mov_b32 m0, s1", "global_load_lds_dword v[2:3], off", 1, "s_nop 0",
	  "s_nop 0" },
	{ "m0_lds_direct", "gfx906", 0, 0, "s_mov_b32 m0, s1", "v_mov_b32_e32 v0, src_lds_direct", 1,
	  "s_nop 0", "s_nop 0" },
	{ "store_data", "gfx90a", 0, 0, "global_store_dwordx4 v[0:1], v[4:7], off", "v_mov_b32_e32 v5, 0",
	  1, "s_nop 0", "s_nop 0" },
	{ "store_data", "gfx906", 0, 0, "buffer_store_dwordx4 v[4:7], v0, s[0:3], 0 offen",
	  "v_mov_b32_e32 v5, 0", 1, "s_nop 0", "s_nop 0" },
	{ "store_data_94", "gfx942", 0, 0, "global_store_dwordx3 v[0:1], v[4:6], off",
	  "v_mov_b32_e32 v6, 0", 2, "s_nop 0", "s_nop 1" },
	{ "store_data_94", "gfx942", 0, 0, "buffer_store_dwordx4 v[4:7], v0, s[8:11], s3 offen",
	  "v_mov_b32_e32 v5, 0", 2, "s_nop 0", "s_nop 1" },
	{ "store_data_94", "gfx950", 0, 0, "buffer_store_dwordx3 v[4:6], v0, s[8:11], m0 offen",
	  "v_mov_b32_e32 v6, 0", 2, "v_nop", "s_nop 1" },
	{ "setreg", "gfx906", 0, 0, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 1",
	  "s_getreg_b32 s0, hwreg(HW_REG_MODE)", 2, "s_nop 0", "s_nop 1" },
	{ "valu_sgpr", "gfx942", 0, 0, "v_cmp_eq_u32_e32 vcc, v1, v2",
	  "v_cndmask_b32_e32 v0, v1, v2, vcc", 2, "s_nop 0", "s_nop 1" },
	{ "valu_sgpr", "gfx950", 0, 0, "v_readfirstlane_b32 s0, v1", "v_add_u32_e32 v0, s0, v2", 2,
	  "s_nop 0", "s_nop 1" },
	{ "readlane_vgpr", "gfx942", 0, 0, "v_mov_b32_e32 v1, v2", "v_readfirstlane_b32 s0, v1", 1,
	  "s_nop 0", "s_nop 0" },
	{ "lane_exec", "gfx942", 0, 0, "v_cmpx_eq_u32_e32 vcc, v1, v2", "v_readlane_b32 s0, v3, 1", 4,
	  "s_nop 0", "s_nop 3" },
	{ "trans_use_94", "gfx942", 0, 0, "v_exp_f32_e32 v1, v2", "v_mov_b32_e32 v3, v1", 1, "s_nop 0",
	  "s_nop 0" },
	{ "part_dst", "gfx942", 0, 0,
	  "v_add_u16_sdwa v1, v2, v3 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD "
	  "src1_sel:DWORD", "v_mov_b32_e32 v4, v1", 1, "s_nop 0", "s_nop 0" },
	{ "part_dst", "gfx950", 0, 0, "v_cvt_scalef32_sr_fp8_f16 v1, v2, v3, v4 op_sel:[0,0,1,0]",
	  "v_mov_b32_e32 v4, v1", 1, "s_nop 0", "s_nop 0" },
	{ "part_dst", "gfx950", 0, 0, "v_cvt_scalef32_pk_fp4_f16 v1, v2, v3 op_sel:[0,0,1,0]",
	  "v_mov_b32_e32 v4, v1", 1, "s_nop 0", "s_nop 0" },
	{ "part_dst", "gfx950", 0, 0, "v_cvt_scalef32_sr_pk_fp4_f16 v1, v2, v3, v4",
	  "v_mov_b32_e32 v4, v1", 1, "s_nop 0", "s_nop 0" },
	{ "permlane_swap", "gfx950", 0, 0, "v_mov_b32_e32 v1, v3", "v_permlane32_swap_b32_e32 v1, v2", 2,
	  "s_nop 0", "s_nop 1" },
	{ "permlane_swap_exec", "gfx950", 0, 0, "v_cmpx_eq_u32_e32 vcc, v4, v5",
	  "v_permlane16_swap_b32_e32 v1, v2", 4, "s_nop 0", "s_nop 3" },
	{ "lds_branch_vmem", "gfx1010", 0, 0, "ds_write_b32 v0, v1; s_branch 0",
	  "global_load_dword v2, v[4:5], off", 0, "", "s_waitcnt_vscnt null, 0x0" },
	{ "vmem_branch_lds", "gfx1011", 0, 0, "global_load_dword v2, v[4:5], off; s_branch 0",
	  "ds_write_b32 v0, v1", 0, "", "s_waitcnt_vscnt null, 0x0" },
	{ "vmem_scalar_write", "gfx1010", 0, 0, "global_load_dword v2, v4, s[0:1]", "s_mov_b32 s1, 0", 0,
	  "", "s_waitcnt_depctr 0xffe3" },
	{ "vmem_scalar_write", "gfx1010", 0, 0, "ds_write_b32 v0, v1", "s_mov_b32 exec_lo, s1", 0, "",
	  "v_nop" },
	{ "smem_vector_write", "gfx1010", 0, 0, "s_load_dword s4, s[0:1], null",
	  "v_readfirstlane_b32 s0, v1", 0, "", "s_mov_b32 null, 0" },
	{ "smem_vector_write", "gfx1010", 0, 0, "s_load_dword s4, s[0:1], null",
	  "v_readfirstlane_b32 s1, v1", 0, "", "s_waitcnt lgkmcnt(0)" },
	{ "cmpx_exec_war", "gfx1010", 0, 0, "s_mov_b32 s0, exec_lo", "v_cmpx_eq_u32_e32 v1, v2", 0, "",
	  "s_waitcnt_depctr 0xfffe" },
	{ "cmpx_exec_war", "gfx1010", 0, 0, "s_mov_b32 s0, exec_lo", "v_cmpx_eq_u32_e32 v1, v2", 0, "",
	  "v_readfirstlane_b32 s2, v0" },
	{ "cmpx_permlane_10", "gfx1010", 0, 0, "v_cmpx_eq_u32_e32 v1, v2",
	  "v_permlane16_b32 v0, v3, s0, s1", 0, "", "v_mov_b32_e32 v3, v3" },
	{ "denorm_mode", "gfx1030", 0, 0, "global_atomic_fmin v[2:3], v1, off", "s_denorm_mode 1", 3,
	  "s_nop 0", "s_nop 2" },
	{ "cmpx_permlane", "gfx1100", 0, 0, "v_cmpx_eq_u32_e32 v1, v2", "v_permlane64_b32 v0, v3", 0,
	  "", "v_nop" },
	{ "cmpx_permlane", "gfx1200", 0, 0, "v_cmpx_eq_u32_e32 v1, v2",
	  "v_permlane16_var_b32 v0, v3, v4", 0, "", "v_nop" },
	{ "trans_use", "gfx1100", 0, 0, "v_exp_f32_e32 v1, v2", "v_mov_b32_e32 v3, v1", 6, "v_nop",
	  "s_waitcnt_depctr depctr_va_vdst(0)" },
	{ "trans_use", "gfx1103", 64, 0, "v_exp_f32_e32 v1, v2", "v_add_f32_e32 v3, v4, v1", 2,
	  "v_log_f32_e32 v9, v8", "ds_store_b32 v0, v5" },
	{ "partial_forward", "gfx1100", 64, 0,
	  "v_mov_b32_e32 v1, 0; s_mov_b64 exec, s[0:1]; v_mov_b32_e32 v2, 0", "v_add_f32_e32 v3, v1, v2", 5,
	  "v_nop", "s_waitcnt_depctr depctr_va_vdst(0)" },
	{ "mask_salu_write", "gfx1100", 64, 0, "v_cndmask_b32_e64 v0, v1, v2, s[0:1]; s_mov_b32 s0, 0",
	  "s_mov_b32 s2, s0", 6, "s_mov_b32 s9, 0", "s_waitcnt_depctr 0xfffe" },
	{ "mask_valu_write", "gfx1150", 64, 0,
	  "v_cndmask_b32_e64 v0, v1, v2, s[0:1]; v_readfirstlane_b32 s0, v3", "v_mov_b32_e32 v4, s0", 0, "",
	  "s_waitcnt_depctr 0xf1ff" },
	{ "mask_valu_vcc", "gfx1100", 64, 0,
	  "v_cndmask_b32_e32 v0, v1, v2, vcc; v_cmp_eq_u32_e32 vcc, v1, v2",
	  "v_cndmask_b32_e32 v4, v1, v2, vcc", 0, "", "s_waitcnt_depctr 0xfffd" },
	{ "sgpr_salu_write", "gfx1200", 0, 0, "v_mov_b32_e32 v0, s1; s_mov_b32 s0, 0",
	  "v_mov_b32_e32 v1, s0", 11, "s_mov_b32 s9, 0", "s_wait_alu depctr_sa_sdst(0)" },
	{ "sgpr_salu_read", "gfx1201", 0, 0, "v_mov_b32_e32 v0, s1; s_mov_b32 s0, 0", "s_mov_b32 s3, s0",
	  10, "s_mov_b32 s9, 0", "s_load_b32 s12, s[6:7], 0x0" },
	{ "sgpr_salu_read", "gfx1201", 0, 0, "v_mov_b32_e32 v0, s1; s_mov_b32 s0, 0", "s_mov_b32 s3, s0",
	  10, "s_mov_b32 s9, 0", "buffer_load_b32 v9, v8, s[8:11], null offen" },
	{ "sgpr_valu_write", "gfx1200", 0, 0, "v_mov_b32_e32 v0, s0; v_readfirstlane_b32 s0, v3",
	  "v_mov_b32_e32 v1, s0", 0, "", "s_wait_alu depctr_va_sdst(0)" },
	{ "sgpr_valu_vcc", "gfx1200", 0, 0,
	  "v_cndmask_b32_e32 v0, v1, v2, vcc_lo; v_cmp_eq_u32_e32 vcc_lo, v1, v2",
	  "v_cndmask_b32_e32 v4, v1, v2, vcc_lo", 0, "", "s_wait_alu depctr_va_vcc(0)" },
	{ "mfma_exec_908", "gfx908", 0, 0,
	  "v_cmpx_eq_u32_e32 vcc, v1, v2",
	  "v_mfma_f32_4x4x1f32 a[0:3], v4, v6, a[0:3]",
	  4, "s_nop 0", "s_nop 3" },
	{ "acc_write_exec", "gfx908", 0, 0,
	  "v_cmpx_eq_u32_e32 vcc, v1, v2",
	  "v_accvgpr_write_b32 a0, v3",
	  4, "s_nop 0", "s_nop 3" },
	{ "mfma_vgpr_908", "gfx908", 0, 0,
	  "v_mov_b32_e32 v4, 0",
	  "v_mfma_f32_4x4x1f32 a[0:3], v4, v6, a[0:3]",
	  2, "s_nop 0", "s_nop 1" },
	{ "acc_write_vgpr", "gfx908", 0, 0,
	  "v_mov_b32_e32 v3, 0",
	  "v_accvgpr_write_b32 a0, v3",
	  2, "s_nop 0", "s_nop 1" },
	{ "mfma_c_908", "gfx908", 0, 0,
	  "v_mfma_f32_4x4x1f32 a[0:3], v4, v6, a[0:3]",
	  "v_mfma_f32_4x4x1f32 a[2:5], v4, v6, a[2:5]",
	  2, "s_nop 0", "s_nop 1" },
	{ "mfma_ab_908", "gfx908", 0, 0,
	  "v_mfma_f32_4x4x1f32 a[0:3], v4, v6, a[0:3]",
	  "v_mfma_f32_4x4x1f32 a[4:7], a0, v6, a[4:7]",
	  4, "s_nop 0", "s_nop 3" },
	{ "mfma_acc_read", "gfx908", 0, 0,
	  "v_mfma_f32_4x4x1f32 a[0:3], v4, v6, a[0:3]",
	  "v_accvgpr_read_b32 v9, a3",
	  4, "s_nop 0", "s_nop 3" },
	{ "mfma_acc_read", "gfx908", 0, 0,
	  "v_mfma_f32_16x16x1f32 a[0:15], v4, v6, a[0:15]",
	  "v_accvgpr_read_b32 v9, a3",
	  10, "s_nop 0", "s_nop 9" },
	{ "mfma_acc_read", "gfx908", 0, 0,
	  "v_mfma_f32_32x32x1f32 a[0:31], v4, v6, a[0:31]",
	  "v_accvgpr_read_b32 v9, a3",
	  18, "s_nop 0", "s_nop 15; s_nop 1" },
	{ "mfma_acc_write", "gfx908", 0, 0,
	  "v_mfma_f32_16x16x1f32 a[0:15], v4, v6, a[16:31]",
	  "v_accvgpr_write_b32 a3, v9",
	  7, "s_nop 0", "s_nop 6" },
	{ "acc_write_c", "gfx908", 0, 0,
	  "v_accvgpr_write_b32 a0, v9",
	  "v_mfma_f32_4x4x1f32 a[0:3], v4, v6, a[0:3]",
	  1, "s_nop 0", "s_nop 0" },
	{ "acc_write_ab", "gfx908", 0, 0,
	  "v_accvgpr_write_b32 a8, v9",
	  "v_mfma_f32_4x4x1f32 a[0:3], a8, v6, a[0:3]",
	  3, "s_nop 0", "s_nop 2" },
	{ "acc_write_read", "gfx908", 0, 0,
	  "v_accvgpr_write_b32 a8, v9",
	  "v_accvgpr_read_b32 v1, a8",
	  3, "s_nop 0", "s_nop 2" },
	{ "acc_write_twice", "gfx908", 0, 0,
	  "v_accvgpr_write_b32 a8, v9",
	  "v_accvgpr_write_b32 a8, v1",
	  3, "s_nop 0", "s_nop 2" },
	{ "mfma_war_908", "gfx908", 0, 0,
	  "v_mfma_f32_16x16x1f32 a[0:15], v4, v6, a[16:31]",
	  "v_accvgpr_write_b32 a16, v9",
	  5, "s_nop 0", "s_nop 4" },
	{ "acc_read_memory", "gfx908", 0, 0,
	  "v_accvgpr_read_b32 v5, a0",
	  "global_store_dword v[0:1], v5, off",
	  2, "s_nop 0", "s_nop 1" },
	{ "acc_move_memory", "gfx908", 0, 0,
	  "v_mov_b32_e32 v5, 0; v_accvgpr_write_b32 a0, v9",
	  "global_store_dword v[0:1], v5, off",
	  1, "s_nop 0", "s_nop 0" },
	{ "mfma_exec", "gfx90a", 0, 0,
	  "v_cmpx_eq_u32_e32 vcc, v1, v2",
	  "v_mfma_f32_4x4x1f32 a[0:3], v4, v6, a[0:3]",
	  4, "s_nop 0", "s_nop 3" },
	{ "mfma_vgpr", "gfx942", 0, 0,
	  "v_mov_b32_e32 v4, 0",
	  "v_mfma_f32_4x4x1_16b_f32 a[0:3], v4, v6, a[0:3]",
	  2, "s_nop 0", "s_nop 1" },
	{ "dgemm_c_same", "gfx90a", 0, 0,
	  "v_mfma_f64_4x4x4f64 a[0:1], v[2:3], v[4:5], a[0:1]",
	  "v_mfma_f64_4x4x4f64 a[0:1], v[2:3], v[4:5], a[0:1]",
	  4, "s_nop 0", "s_nop 3" },
	{ "mfma_c_same", "gfx942", 0, 0,
	  "v_mfma_f32_4x4x1_16b_f32 a[0:3], v4, v6, a[0:3]",
	  "v_mfma_f32_4x4x1_16b_f32 a[0:3], v4, v6, a[0:3]",
	  2, "s_nop 0", "s_nop 1" },
	{ "dgemm_c_90a", "gfx90a", 0, 0,
	  "v_mfma_f64_16x16x4f64 a[0:7], v[12:13], v[14:15], a[0:7]",
	  "v_mfma_f64_16x16x4f64 a[2:9], v[12:13], v[14:15], a[2:9]",
	  9, "s_nop 0", "s_nop 8" },
	{ "dgemm_c", "gfx950", 0, 0,
	  "v_mfma_f64_16x16x4_f64 a[0:7], v[12:13], v[14:15], a[0:7]",
	  "v_mfma_f64_16x16x4_f64 a[2:9], v[12:13], v[14:15], a[2:9]",
	  17, "s_nop 0", "s_nop 15; s_nop 0" },
	{ "mfma_c_90a", "gfx90a", 0, 0,
	  "v_mfma_f32_16x16x4f32 a[0:3], v4, v6, a[0:3]",
	  "v_mfma_f32_16x16x4f32 a[2:5], v4, v6, a[2:5]",
	  8, "s_nop 0", "s_nop 7" },
	{ "mfma_dgemm_c_90a", "gfx90a", 0, 0,
	  "v_mfma_f32_4x4x1f32 a[0:3], v4, v6, a[0:3]",
	  "v_mfma_f64_4x4x4f64 a[2:3], v[8:9], v[10:11], a[2:3]",
	  3, "s_nop 0", "s_nop 2" },
	{ "xdl_c", "gfx942", 0, 0,
	  "v_mfma_f32_16x16x16_f16 a[0:3], v[4:5], v[6:7], a[0:3]",
	  "v_mfma_f32_16x16x16_f16 a[2:5], v[4:5], v[6:7], a[2:5]",
	  5, "s_nop 0", "s_nop 4" },
	{ "xdl_xdl_c_950", "gfx950", 0, 0,
	  "v_mfma_f32_16x16x16_f16 a[0:3], v[4:5], v[6:7], a[0:3]",
	  "v_mfma_f32_16x16x16_f16 a[2:5], v[4:5], v[6:7], a[2:5]",
	  6, "s_nop 0", "s_nop 5" },
	{ "xdl_c_950", "gfx950", 0, 0,
	  "v_mfma_f32_16x16x16_f16 a[0:3], v[4:5], v[6:7], a[0:3]",
	  "v_mfma_f32_4x4x1_16b_f32 a[2:5], v4, v6, a[2:5]",
	  6, "s_nop 0", "s_nop 5" },
	{ "sgemm_c", "gfx942", 0, 0,
	  "v_mfma_f32_16x16x4_f32 a[0:3], v4, v6, a[0:3]",
	  "v_mfma_f32_4x4x1_16b_f32 a[2:5], v4, v6, a[2:5]",
	  8, "s_nop 0", "s_nop 7" },
	{ "dgemm_ab", "gfx90a", 0, 0,
	  "v_mfma_f64_4x4x4f64 v[0:1], v[2:3], v[4:5], v[0:1]",
	  "v_mfma_f32_4x4x1f32 a[0:3], v0, v6, a[0:3]",
	  6, "s_nop 0", "s_nop 5" },
	{ "mfma_ab_90a", "gfx90a", 0, 0,
	  "v_mfma_f32_16x16x4f32 v[0:3], v4, v6, v[0:3]",
	  "v_mfma_f32_4x4x1f32 a[0:3], v0, v6, a[0:3]",
	  11, "s_nop 0", "s_nop 10" },
	{ "xdl_ab", "gfx942", 0, 0,
	  "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]",
	  "v_mfma_f32_4x4x1_16b_f32 a[0:3], v0, v6, a[0:3]",
	  7, "s_nop 0", "s_nop 6" },
	{ "xdl_ab_950", "gfx950", 0, 0,
	  "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]",
	  "v_mfma_f32_4x4x1_16b_f32 a[0:3], v0, v6, a[0:3]",
	  8, "s_nop 0", "s_nop 7" },
	{ "xdl_ab", "gfx942", 0, 0,
	  "v_smfmac_f32_16x16x32_f16 v[0:3], v[4:5], v[8:11], v12",
	  "v_smfmac_f32_16x16x32_f16 v[16:19], v[4:5], v[8:11], v0",
	  7, "s_nop 0", "s_nop 6" },
	{ "sgemm_ab", "gfx942", 0, 0,
	  "v_mfma_f32_4x4x1_16b_f32 v[0:3], v4, v6, v[0:3]",
	  "v_mfma_f32_4x4x1_16b_f32 a[0:3], v0, v6, a[0:3]",
	  4, "s_nop 0", "s_nop 3" },
	{ "dgemm_valu", "gfx90a", 0, 0,
	  "v_mfma_f64_16x16x4f64 v[0:7], v[12:13], v[14:15], v[0:7]",
	  "v_mov_b32_e32 v20, v0",
	  11, "s_nop 0", "s_nop 10" },
	{ "dgemm_valu", "gfx950", 0, 0,
	  "v_mfma_f64_16x16x4_f64 v[0:7], v[12:13], v[14:15], v[0:7]",
	  "v_mov_b32_e32 v20, v0",
	  19, "s_nop 0", "s_nop 15; s_nop 2" },
	{ "dgemm_memory", "gfx90a", 0, 0,
	  "v_mfma_f64_16x16x4f64 v[0:7], v[12:13], v[14:15], v[0:7]",
	  "global_store_dword v[20:21], v0, off",
	  18, "s_nop 0", "s_nop 15; s_nop 1" },
	{ "dgemm_waw", "gfx90a", 0, 0,
	  "v_mfma_f64_4x4x4f64 v[0:1], v[2:3], v[4:5], v[0:1]",
	  "v_mov_b32_e32 v0, 0",
	  6, "s_nop 0", "s_nop 5" },
	{ "mfma_use_90a", "gfx90a", 0, 0,
	  "v_mfma_f32_4x4x1f32 v[0:3], v4, v6, v[0:3]",
	  "v_mov_b32_e32 v20, v0",
	  5, "s_nop 0", "s_nop 4" },
	{ "xdl_use", "gfx942", 0, 0,
	  "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]",
	  "v_mov_b32_e32 v20, v0",
	  7, "s_nop 0", "s_nop 6" },
	{ "xdl_use", "gfx9-4-generic", 0, 0,
	  "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]",
	  "global_store_dword v[20:21], v0, off",
	  7, "s_nop 0", "s_nop 6" },
	{ "xdl_use_950", "gfx950", 0, 0,
	  "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[8:11]",
	  "v_mov_b32_e32 v0, 0",
	  8, "s_nop 0", "s_nop 7" },
	{ "xdl_use_950", "gfx950", 0, 0,
	  "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], v[0:3]",
	  "v_mov_b32_e32 v20, v0",
	  12, "s_nop 0", "s_nop 11" },
	{ "xdl_use_950", "gfx950", 0, 0,
	  "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[4:7], v[12:15], v[0:3] cbsz:4 blgp:4",
	  "v_mov_b32_e32 v20, v0",
	  8, "s_nop 0", "s_nop 7" },
	{ "sgemm_use", "gfx942", 0, 0,
	  "v_mfma_f32_4x4x1_16b_f32 v[0:3], v4, v6, v[0:3]",
	  "v_mov_b32_e32 v20, v0",
	  4, "s_nop 0", "s_nop 3" },
	{ "mfma_war_90a", "gfx90a", 0, 0,
	  "v_mfma_f32_16x16x4f32 v[0:3], v4, v6, v[8:11]",
	  "v_mov_b32_e32 v8, 0",
	  7, "s_nop 0", "s_nop 6" },
	{ "xdl_war", "gfx942", 0, 0,
	  "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[8:11]",
	  "v_mov_b32_e32 v8, 0",
	  3, "s_nop 0", "s_nop 2" },
	{ "dgemm_fma", "gfx90a", 0, 0,
	  "v_mfma_f64_4x4x4f64 a[0:1], v[2:3], v[4:5], a[0:1]",
	  "v_fma_f64 v[10:11], v[12:13], v[14:15], v[16:17]",
	  2, "s_nop 0", "s_nop 1" },
	{ "dot_same", "gfx90a", 0, 0,
	  "v_dot2_f32_f16 v0, v1, v2, v3",
	  "v_dot2_f32_f16 v4, v0, v2, v3",
	  3, "s_nop 0", "s_nop 2" },
	{ "dot_other", "gfx942", 0, 0,
	  "v_dot2_f32_f16 v0, v1, v2, v3",
	  "v_mov_b32_e32 v4, v0",
	  3, "s_nop 0", "s_nop 2" },
	{ "dgemm_between", "gfx90a", 0, 0,
	  "v_mov_b32_e32 v20, 0; v_mfma_f64_4x4x4f64 a[0:1], v[2:3], v[4:5], a[0:1]",
	  "global_store_dword v[0:1], v20, off",
	  1, "s_nop 0", "s_nop 0" },
	{ "dealloc", "gfx1100", 0, 0, "v_mov_b32_e32 v1, 0", "s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)", 1,
	  "s_nop 0", "s_nop 0" },
	{ "wmma", "gfx1100", 0, 0,
	  "v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]",
	  "v_wmma_f32_16x16x16_f16 v[24:31], v[0:7], v[16:23], v[24:31]",
	  0, "", "v_nop" },
	{ "swmmac_index", "gfx1200", 0, 0,
	  "v_wmma_f32_16x16x16_f16 v[0:7], v[8:11], v[12:15], v[0:7]",
	  "v_swmmac_f32_16x16x32_f16 v[20:27], v[8:11], v[12:19], v0",
	  0, "", "v_nop" },
	{ "cmpx_permlane_125", "gfx1250", 0, 0,
	  "v_cmpx_eq_u32_e32 v1, v2",
	  "v_permlane16_swap_b32_e32 v0, v3", 0, "", "v_mov_b32_e32 v9, v9" },
	{ "cmpx_permlane_125", "gfx1251", 0, 0,
	  "v_cmpx_eq_u32_e32 v1, v2; v_nop",
	  "v_permlane_idx_gen_b32 v0, v3, s0", 0, "", "v_mov_b32_e32 v9, v9" },
	{ "trans_read", "gfx1250", 0, 0,
	  "v_exp_f32_e32 v1, v2",
	  "v_mov_b32_e32 v3, v1", 1, "v_nop", "v_nop" },
	{ "trans_read", "gfx1251", 0, 0,
	  "v_s_exp_f32 s1, s2",
	  "v_mov_b32_e32 v3, s1", 1, "v_nop", "v_nop" },
	{ "trans_write", "gfx1250", 0, 0,
	  "v_exp_f32_e32 v1, v2; s_nop 3",
	  "v_mov_b32_e32 v2, v3", 1, "v_nop", "v_nop" },
	{ "trans_lane", "gfx1250", 0, 0,
	  "v_exp_f32_e32 v1, s2",
	  "v_readfirstlane_b32 s2, v5", 1, "v_nop", "v_nop" },
	{ "wmma_xdl", "gfx1250", 0, 0,
	  "v_wmma_f32_16x16x32_f16 v[0:7], v[8:15], v[16:23], v[0:7]",
	  "v_wmma_f32_16x16x32_f16 v[48:55], v[0:7], v[56:63], v[48:55]", 5, "v_nop", "v_nop; v_nop; v_nop; v_nop; v_nop" },
	{ "wmma_xdl", "gfx1251", 0, 0,
	  "v_wmma_i32_16x16x64_iu8 v[0:7], v[8:15], v[16:23], v[0:7]",
	  "v_wmma_f32_16x16x32_f16 v[48:55], v[0:7], v[56:63], v[48:55]", 9, "v_mov_b32_e32 v99, v98", "v_nop; v_nop; v_nop; v_nop; v_nop; v_nop; v_nop; v_nop; v_nop" },
	{ "wmma_xdl", "gfx1250", 0, 0,
	  "v_swmmac_f32_16x16x64_f16 v[0:7], v[8:15], v[16:31], v40",
	  "v_wmma_f32_16x16x32_f16 v[48:55], v[0:7], v[56:63], v[48:55]", 3, "v_nop", "v_nop; v_nop; v_nop" },
	{ "wmma_xdl", "gfx1250", 0, 0,
	  "v_swmmac_i32_16x16x128_iu8 v[0:7], v[8:15], v[16:31], v[40:41]",
	  "v_swmmac_f32_16x16x64_f16 v[48:55], v[56:63], v[64:79], v3", 5, "v_nop", "v_nop; v_nop; v_nop; v_nop; v_nop" },
	{ "wmma_f32", "gfx1250", 0, 0,
	  "v_wmma_f32_16x16x32_f16 v[0:7], v[8:15], v[16:23], v[0:7]",
	  "v_wmma_f32_16x16x4_f32 v[48:55], v[2:3], v[10:11], v[48:55]", 1, "v_nop", "v_nop" },
	{ "wmma_after_f32", "gfx1250", 0, 0,
	  "v_wmma_f32_16x16x4_f32 v[0:7], v[8:9], v[10:11], v[0:7]",
	  "v_wmma_f32_16x16x32_f16 v[48:55], v[0:7], v[56:63], v[48:55]", 1, "v_nop", "v_nop" },
	{ "wmma_valu", "gfx1250", 0, 0,
	  "v_wmma_f32_16x16x32_f16 v[0:7], v[8:15], v[16:23], v[0:7]",
	  "v_mov_b32_e32 v30, v7", 4, "v_nop", "v_nop; v_nop; v_nop; v_nop" },
	{ "wmma_valu", "gfx1250", 0, 0,
	  "v_wmma_f32_16x16x32_f16 v[0:7], v[8:15], v[16:23], v[0:7]",
	  "v_mov_b32_e32 v7, v30", 4, "v_nop", "v_nop; v_nop; v_nop; v_nop" },
	{ "wmma_valu", "gfx1251", 0, 0,
	  "v_wmma_i32_16x16x64_iu8 v[0:7], v[8:15], v[16:23], v[0:7]",
	  "v_exp_f32_e32 v30, v7", 8, "v_nop", "v_nop; v_nop; v_nop; v_nop; v_nop; v_nop; v_nop; v_nop" },
	{ "wmma_valu", "gfx1250", 0, 0,
	  "v_swmmac_f32_16x16x64_f16 v[0:7], v[8:15], v[16:31], v40",
	  "v_dual_mov_b32 v33, v30 :: v_dual_mov_b32 v0, v31", 2, "v_nop", "v_nop; v_nop" },
	{ "wmma_valu", "gfx1250", 0, 0,
	  "v_swmmac_i32_16x16x128_iu8 v[0:7], v[8:15], v[16:31], v[40:41]",
	  "v_mov_b32_e32 v33, v0", 4, "v_nop", "v_nop; v_nop; v_nop; v_nop" },
	{ "wmma_valu", "gfx1250", 0, 0,
	  "v_wmma_f32_16x16x128_f8f6f4 v[0:7], v[16:31], v[32:47], v[0:7]",
	  "v_mov_b32_e32 v99, v0", 8, "v_nop", "v_nop; v_nop; v_nop; v_nop; v_nop; v_nop; v_nop; v_nop" },
	{ "wmma_valu", "gfx1250", 0, 0,
	  "v_wmma_scale_f32_16x16x128_f8f6f4 v[0:7], v[16:23], v[32:39], v[0:7], s0, s1 matrix_a_fmt:MATRIX_FMT_FP4 matrix_b_fmt:MATRIX_FMT_FP4",
	  "v_mov_b32_e32 v99, v0", 4, "v_nop", "v_nop; v_nop; v_nop; v_nop" },
	{ "getreg_idle", "gfx1250", 0, 0,
	  "v_mov_b32_e32 v0, v1",
	  "s_getreg_b32 s1, hwreg(HW_REG_WAVE_STATUS)", 0, "", "s_wait_alu 0x0" },
	{ "arrive_before", "gfx1250", 0, 0,
	  "ds_store_b32 v0, v1",
	  "ds_atomic_async_barrier_arrive_b64 v2; s_wait_alu depctr_vm_vsrc(0)", 0, "", "s_wait_alu depctr_vm_vsrc(0)" },
	{ "arrive_after", "gfx1250", 0, 1,
	  "s_wait_alu depctr_vm_vsrc(0); ds_atomic_async_barrier_arrive_b64 v2",
	  "v_mov_b32_e32 v0, v1", 0, "", "s_wait_alu depctr_vm_vsrc(0)" },
	{ "scratch_base", "gfx1250", 0, 0,
	  "s_mov_b32 s102, 0",
	  "s_mov_b32 s0, src_flat_scratch_base_lo", 10, "s_mov_b32 s9, 0", "s_wait_alu depctr_sa_sdst(0) depctr_va_sdst(0)" },
	{ "scratch_base", "gfx1251", 0, 0,
	  "v_readfirstlane_b32 s103, v1",
	  "s_getreg_b32 s0, hwreg(HW_REG_WAVE_SCRATCH_BASE_HI)", 10, "s_mov_b32 s9, 0", "s_wait_alu depctr_sa_sdst(0) depctr_va_sdst(0)" },
	{ "smem_row_read", "gfx1250", 0, 0,
	  "s_load_b32 s4, s[0:1], 0x0",
	  "s_load_b32 s6, s[4:5], 0x0", 0, "", "v_nop" },
	/* the data of a 64-bit compare-and-swap is four words */
	{ "store_data", "gfx906", 0, 0, "global_atomic_cmpswap_x2 v[0:1], v[4:7], off",
	  "v_mov_b32_e32 v5, 0", 1, "s_nop 0", "s_nop 0" },
	{ "store_data", "gfx90a", 0, 0, "flat_atomic_cmpswap_x2 v[8:9], v[0:1], v[4:7] glc",
	  "v_mov_b32_e32 v7, 0", 1, "s_nop 0", "s_nop 0" },
	{ "store_data", "gfx906", 0, 0, "buffer_atomic_cmpswap_x2 v[4:7], v0, s[0:3], 0 offen",
	  "v_mov_b32_e32 v5, 0", 1, "s_nop 0", "s_nop 0" },
	{ "store_data_94", "gfx942", 0, 0, "global_atomic_cmpswap_x2 v[0:1], v[4:7], off",
	  "v_mov_b32_e32 v5, 0", 2, "s_nop 0", "s_nop 1" },
	{ "store_data_94", "gfx942", 0, 0, "buffer_atomic_cmpswap_x2 v[4:7], v0, s[0:3], 0 offen sc0",
	  "v_mov_b32_e32 v5, 0", 2, "s_nop 0", "s_nop 1" },
	/* SALU reads another register, then the same one */
	{ "sgpr_valu_write", "gfx1200", 0, 0,
	  "v_mov_b32_e32 v0, s0; v_readlane_b32 s0, v3, 1; s_mov_b32 s2, s2", "v_mov_b32_e32 v1, s0", 0,
	  "", "s_mov_b32 s5, s0" },
	{ "sgpr_valu_write", "gfx1200", 64, 0,
	  "v_mov_b32_e32 v0, s1; v_cmp_eq_u32_e64 s[0:1], v1, v2; s_mov_b32 s5, s7",
	  "v_cndmask_b32_e64 v1, v2, v3, s[0:1]", 0, "", "s_mov_b32 s6, s0" },
	{ "sgpr_valu_vcc", "gfx1200", 0, 0,
	  "v_cndmask_b32_e32 v0, v1, v2, vcc_lo; v_cmp_eq_u32_e32 vcc_lo, v1, v2; s_mov_b32 s2, s2",
	  "v_cndmask_b32_e32 v4, v1, v2, vcc_lo", 0, "", "s_mov_b32 s5, vcc_lo" },
	/* the last write in between is harmless, the one before it is not */
	{ "mask_salu_write", "gfx1100", 64, 0,
	  "v_cndmask_b32_e64 v0, v1, v2, s[0:1]; s_mov_b32 s0, 0; s_mov_b32 s4, 0",
	  "s_add_u32 s2, s0, s4", 5, "s_mov_b32 s9, 0", "s_waitcnt_depctr 0xfffe" },
	{ "sgpr_salu_write", "gfx1200", 64, 0,
	  "v_mov_b32_e32 v0, s1; s_mov_b32 s0, 0; s_mov_b32 s4, 0",
	  "v_add3_u32 v1, s0, s4, v2", 10, "s_mov_b32 s9, 0", "s_wait_alu depctr_sa_sdst(0)" },
	{ "sgpr_salu_read", "gfx1200", 0, 0, "v_mov_b32_e32 v0, s1; s_mov_b32 s0, 0; s_mov_b32 s4, 0",
	  "s_add_co_u32 s6, s0, s4", 9, "s_mov_b32 s9, 0", "s_wait_alu depctr_sa_sdst(0)" },
	/* a write in between does not end a write-after-read hazard or trans_use */
	{ "trans_use", "gfx1100", 0, 0, "v_rcp_f32_e32 v3, v9; v_mov_b32_e32 v3, v1",
	  "v_mov_b32_e32 v2, v3", 5, "v_nop", "s_waitcnt_depctr depctr_va_vdst(0)" },
	{ "smem_vector_write", "gfx1010", 0, 0,
	  "s_load_dword s4, s[0:1], null; s_nop 0; s_load_dword s0, s[8:9], null",
	  "v_readfirstlane_b32 s0, v1", 0, "", "s_mov_b32 null, 0" },
	{ "vmem_sgpr", "gfx906", 0, 0, "v_readfirstlane_b32 s0, v1; s_mov_b64 s[0:1], 0",
	  "global_load_dword v3, v2, s[0:1]", 4, "s_nop 0", "s_nop 3" },
	/* the result of a compare in SDWA form; exec as lane select */
	{ "valu_sgpr", "gfx942", 0, 0, "v_cmp_eq_f16_sdwa s[0:1], v3, v1 src0_sel:DWORD src1_sel:DWORD",
	  "v_mov_b32_e32 v0, s1", 2, "s_nop 0", "s_nop 1" },
	{ "lane_select", "gfx906", 0, 0, "v_cmpx_eq_u32_e32 vcc, v1, v2", "v_readlane_b32 s1, v2, exec_lo", 4,
	  "s_nop 0", "s_nop 3" },
	/* consecutive loads, which are retried together */
	{ "smem_row_write", "gfx906", 0, 0, "s_load_dword s4, s[0:1], 0x0", "s_load_dword s0, s[6:7], 0x0", 0,
	  "", "v_nop" },
	{ "smem_row_write", "gfx1010", 0, 0,
	  "s_load_dword s4, s[0:1], null; s_load_dword s5, s[6:7], null", "s_load_dword s1, s[6:7], null", 0,
	  "", "s_waitcnt lgkmcnt(2)" },
	{ "smem_row_store_write", "gfx906", 0, 0,
	  "s_store_dword s4, s[0:1], 0x0; s_load_dword s10, s[6:7], 0x0", "s_load_dword s4, s[6:7], 0x0", 0,
	  "", "v_nop" },
	{ "vmem_row_store_write", "gfx906", 0, 0,
	  "global_store_dword v[0:1], v4, off; global_load_dword v10, v[6:7], off",
	  "global_load_dword v4, v[6:7], off", 0, "", "v_nop" },
	{ "smem_row_stored", "gfx906", 0, 0,
	  "s_store_dword s4, s[0:1], 0x0; s_load_dword s4, s[6:7], 0x0", "s_load_dword s10, s[6:7], 0x0", 0,
	  "", "v_nop" },
	{ "vmem_row_stored", "gfx906", 0, 0,
	  "global_store_dword v[0:1], v4, off; global_load_dword v4, v[6:7], off",
	  "global_load_dword v10, v[6:7], off", 0, "", "v_nop" },
	{ "valu_exec", "gfx942", 0, 0, "v_cmpx_eq_u32_e32 vcc, v1, v2", "v_mov_b32_e32 v3, exec_lo", 2,
	  "s_nop 0", "s_nop 1" },
	/* one instruction reads and writes a lane mask */
	{ "mask_valu_vcc", "gfx1100", 64, 0,
	  "v_add_co_ci_u32_e32 v0, vcc, v1, v2, vcc; v_add_co_ci_u32_e32 v0, vcc, v1, v2, vcc",
	  "v_cndmask_b32_e32 v4, v1, v2, vcc", 0, "", "s_waitcnt_depctr 0xfffd" },
	{ "smem_row_read", "gfx90a", 0, 0, "s_load_dwordx2 s[4:5], s[0:1], 0x0",
	  "s_load_dword s8, s[4:5], 0x0", 0, "", "v_nop" },
	{ "smem_row_self", "gfx942", 0, 0, "s_load_dword s4, s[0:1], 0x0", "s_load_dword s6, s[6:7], 0x0", 0,
	  "", "v_nop" },
	{ "smem_row_first", "gfx906", 0, 0, "s_load_dword s6, s[6:7], 0x0", "s_load_dword s4, s[0:1], 0x0", 0,
	  "", "v_nop" },
	{ "smem_row_store", "gfx906", 0, 0, "s_load_dword s6, s[8:9], 0x0", "s_store_dword s4, s[0:1], 0x0", 0,
	  "", "v_nop" },
	{ "vmem_row_write", "gfx906", 0, 0, "global_load_dword v4, v[0:1], off",
	  "global_load_dword v0, v[6:7], off", 0, "", "s_mov_b32 s0, 0" },
	{ "vmem_row_read", "gfx906", 0, 0, "global_load_dwordx2 v[4:5], v[0:1], off",
	  "global_load_dword v6, v[4:5], off", 0, "", "v_nop" },
	{ "vmem_row_self", "gfx90a", 0, 0, "global_load_dword v4, v[0:1], off",
	  "global_load_short_d16_hi v6, v[0:1], off", 0, "", "v_nop" },
	{ "vmem_row_first", "gfx942", 0, 0, "global_load_dword v4, v[4:5], off",
	  "global_load_dword v6, v[0:1], off", 0, "", "v_nop" },
	{ "vmem_row_store", "gfx906", 0, 0, "global_load_dword v4, v[6:7], off",
	  "global_store_dword v[0:1], v8, off", 0, "", "v_nop" },
	/* an instruction without a load, after a load */
	{ "smem_row_late_write", "gfx906", 0, 0, "s_load_dword s10, s[6:7], 0x0; s_dcache_discard s[4:5], 0x0",
	  "s_load_dword s4, s[6:7], 0x0", 0, "", "v_nop" },
	/* another form of a dot product counts as another instruction */
	{ "dot_other", "gfx90a", 0, 0, "v_dot8c_i32_i4_e32 v1, v2, v3",
	  "v_dot8c_i32_i4_dpp v1, v4, v3 quad_perm:[3,3,3,1] row_mask:0x0 bank_mask:0x0", 3, "s_nop 0",
	  "s_nop 2" },
	/* s_cmov does not read the destination that it may keep */
	{ "sgpr_valu_write", "gfx1200", 0, 1,
	  "v_mov_b32_e32 v0, s2; v_mov_b32_e32 v0, s0; v_readlane_b32 s0, v3, 1; s_cmovk_i32 s2, 0x1",
	  "v_mov_b32_e32 v1, s0", 0, "", "s_wait_alu depctr_va_sdst(0)" },
	/* the halves of a register are separate registers */
	{ "trans_use", "gfx1100", 0, 0, "v_rcp_f16_e32 v3.h, v9.l", "v_mov_b32_e32 v2, v3", 6, "v_nop",
	  "s_waitcnt_depctr depctr_va_vdst(0)" },
	{ "trans_use", "gfx1100", 0, 0, "v_rcp_f16_e32 v3.h, v9.l; v_rcp_f16_e32 v4.l, v9.l",
	  "v_add_f16_e32 v2.l, v3.h, v4.h", 5, "v_nop", "s_waitcnt_depctr depctr_va_vdst(0)" },
};
/* clang-format on */
enum { N_RULES = sizeof rules / sizeof *rules };

static unsigned
lines_of(const char *text)
{
	unsigned n = 1;

	for (; *text; text++)
		n += *text == ';';
	return n;
}

static bool
program(struct unit_ctx *t, size_t i, const char *filler, unsigned n, struct gcn_seen *s)
{
	char text[2000];
	size_t len = (size_t)snprintf(text, sizeof text, "%s;", rules[i].before);

	for (unsigned k = 0; k < n; k++)
		len += (size_t)snprintf(text + len, sizeof text - len, "%s;", filler);
	snprintf(text + len, sizeof text - len, "%s; s_endpgm", rules[i].after);
	return gcn_code_look(t, &code, gcn_target_find(rules[i].target, rules[i].wave), text, s);
}

/* Checks that each violation is found by its own rule, and that legal code has none. */
static void
injected(struct unit_ctx *t)
{
	for (size_t i = 0; i < N_RULES; i++) {
		unsigned need = rules[i].need ? rules[i].need : 1,
			 later = lines_of(rules[i].before);
		bool wait_states = !strncmp(rules[i].fix, "s_nop", 5);
		struct gcn_seen s;
		for (unsigned k = 0; k < need; k++) {
			if (!program(t, i, rules[i].filler, k, &s))
				break;
			UNIT_CHECK(t, s.n == 1 && !strcmp(s.h.rule, rules[i].rule),
				   "%s on %s, %u between: %zu, %s", rules[i].rule, rules[i].target,
				   k, s.n, s.n ? s.h.rule : "nothing");
			if (!s.n)
				continue;
			UNIT_CHECK(t, s.h.earlier == rules[i].earlier && s.h.later == later + k,
				   "%s: lines %u and %u", rules[i].rule, s.h.earlier, s.h.later);
			UNIT_CHECK(t, s.h.missing == (wait_states ? need - k : 0), "%s: %u missing",
				   rules[i].rule, s.h.missing);
			UNIT_CHECK(t, *s.h.what && *s.h.fix, "%s has no text", rules[i].rule);
		}
		if (rules[i].need && program(t, i, rules[i].filler, need, &s))
			UNIT_CHECK(t, !s.n, "%s on %s: found with %u %s between", rules[i].rule,
				   rules[i].target, need, rules[i].filler);
		if (program(t, i, rules[i].fix, 1, &s))
			UNIT_CHECK(t, !s.n, "%s on %s: %s found in spite of %s", rules[i].rule,
				   rules[i].target, s.h.rule, rules[i].fix);
	}
}

/* Rules about a single instruction, with a legal counterpart. */
/* clang-format off */
static const struct {
	const char *rule, *target, *text, *legal;
} alone[] = {
	{ "branch_3f", "gfx1010", "s_branch 0x3f", "s_branch 0x40" },
	{ "branch_3f", "gfx1012", "s_cbranch_vccz 0x3f", "s_cbranch_vccz 0x3e" },
	{ "mad_source", "gfx1100", "v_mad_u64_u32 v[0:1], null, v1, v2, v[4:5]",
	  "v_mad_u64_u32 v[0:1], null, v3, v2, v[4:5]" },
	{ "mad_source", "gfx1102", "v_mad_i64_i32 v[4:5], null, v1, v5, v[6:7]",
	  "v_mad_i64_i32 v[4:5], null, v1, v2, v[4:5]" },
};
/* clang-format on */
enum { N_ALONE = sizeof alone / sizeof *alone };

static void
one(struct unit_ctx *t)
{
	for (size_t i = 0; i < N_ALONE; i++) {
		const struct gcn_target *g = gcn_target_find(alone[i].target, 0);
		char text[200];
		struct gcn_seen s;
		snprintf(text, sizeof text, "s_nop 0; %s; s_endpgm", alone[i].text);
		if (!gcn_code_look(t, &code, g, text, &s))
			continue;
		UNIT_CHECK(t,
			   s.n == 1 && !strcmp(s.h.rule, alone[i].rule) && s.h.later == 1 &&
				   s.h.earlier == 1 && !s.h.missing,
			   "%s on %s: %zu, %s", text, g->name, s.n, s.n ? s.h.rule : "nothing");
		snprintf(text, sizeof text, "s_nop 0; %s; s_endpgm", alone[i].legal);
		if (gcn_code_look(t, &code, g, text, &s))
			UNIT_CHECK(t, !s.n, "%s on %s: %s", text, g->name, s.h.rule);
	}
}

/* Checks that code that never runs with XNACK has no hazards of consecutive loads. */
static void
without(struct unit_ctx *t)
{
	const char *text = "s_load_dword s4, s[0:1], 0x0; s_load_dword s0, s[6:7], 0x0; s_endpgm";
	struct gcn_seen s = { 0 };

	if (!gcn_code_read(t, &code, gcn_target_find("gfx906", 0), text))
		return;
	gcn_hazards(&code.flow, code.hazard, code.hazard_block, GCN_XNACK, gcn_see, &s);
	UNIT_CHECK(t, !s.n, "%s", s.h.rule);
}

/* Checks that each rule has an injected violation. */
static void
covered(struct unit_ctx *t)
{
	for (size_t k = 0; gcn_target_at(k); k++) {
		for (unsigned wave = 32; wave <= 64; wave += 32) {
			const struct gcn_target *target =
				gcn_target_find(gcn_target_at(k)->name, wave);
			const char *name;
			for (size_t i = 0; target && (name = gcn_hazard_rule(target, i)); i++) {
				size_t n = 0;
				for (size_t j = 0; j < N_RULES; j++)
					n += !strcmp(rules[j].rule, name);
				for (size_t j = 0; j < N_ALONE; j++)
					n += !strcmp(alone[j].rule, name);
				UNIT_CHECK(t, n, "%s on %s is not tested", name, target->name);
			}
		}
	}
}

const struct unit units_gcn_hazard[] = {
	{ "gcn_hazard.injected", injected },
	{ "gcn_hazard.one", one },
	{ "gcn_hazard.without", without },
	{ "gcn_hazard.covered", covered },
};
const unsigned n_units_gcn_hazard = sizeof units_gcn_hazard / sizeof *units_gcn_hazard;
