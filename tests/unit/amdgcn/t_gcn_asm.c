/* Assembler text: mnemonics without suffixes, lines with labels, positions of errors, and malformed
 * input. */
#include <stdio.h>
#include <stdlib.h>

#include "table.h"
#include "unit.h"

enum { MAX_WORDS = 64 };

static qd_status
assemble(const char *target, const char *text, uint32_t w[MAX_WORDS], size_t *n, struct qd_error *err)
{
	unsigned wave = strchr(target, ':') ? 64 : 0;
	char name[32];

	snprintf(name, sizeof name, "%.*s", (int)strcspn(target, ":"), target);
	return gcn_assemble(gcn_target_find(name, wave), text, strlen(text), w, MAX_WORDS, n, err);
}

/* Checks that these texts give the same words as with LLVM 22's assembler. */
static void
words(struct unit_ctx *t)
{
	/* clang-format off */
	static const struct {
		const char *target, *text;
		size_t n;
		uint32_t w[6];
	} rows[] = {
		{ "gfx906", "v_add_f32 v0, v1, v2", 1, { 0x02000501 } },
		{ "gfx906", "v_add_f32 v0, v1, s2", 2, { 0xd1010000, 0x00000501 } },
		{ "gfx1100", "v_add_f32 v0, v1, s2", 2, { 0xd5030000, 0x00000501 } },
		{ "gfx906", "v_cndmask_b32 v0, v1, v2, s[0:1]", 2, { 0xd1000000, 0x00020501 } },
		{ "gfx906", "v_add3_u32_e64 v0, v1, v2, v3", 2, { 0xd1ff0000, 0x040e0501 } },
		{ "gfx906", "v_mov_b32_sdwa v0, v1", 2, { 0x7e0002f9, 0x00061601 } },
		{ "gfx906", "v_mov_b32 v0, v1 src0_sel:BYTE_0", 2, { 0x7e0002f9, 0x00001601 } },
		{ "gfx906", "v_cmp_eq_f32_sdwa vcc, v1, v2", 2, { 0x7c8404f9, 0x06060001 } },
		{ "gfx906", "v_mov_b32 v0, v1 row_shl:1", 2, { 0x7e0002fa, 0xff010101 } },
		{ "gfx1100", "v_mov_b32_dpp v0, v1 row_shl:1", 2, { 0x7e0002fa, 0xff010101 } },
		{ "gfx906", "v_nop row_shl:1", 2, { 0x7e0000fa, 0xff010100 } },
		{ "gfx90a", "v_nop_dpp row_shl:1 row_mask:0x3", 2, { 0x7e0000fa, 0x3f010100 } },
		{ "gfx942", "v_nop_sdwa", 2, { 0x7e0000f9, 0x00000000 } },
		{ "gfx1010", "v_nop dpp8:[0,1,2,3,4,5,6,7]", 2, { 0x7e0000e9, 0xfac68800 } },
		{ "gfx1100", "v_nop", 1, { 0x7e000000 } },
		{ "gfx1010", "v_pk_fmac_f16 v5, 0.5, v2", 1, { 0x780a04f0 } },
		{ "gfx1100", "v_pk_fmac_f16 v5, 0.5, v2", 2, { 0x780a04ff, 0x00003800 } },
		{ "gfx1200", "v_pk_fmac_f16 v5, -4.0, v2", 2, { 0x780a04ff, 0x0000c400 } },
		{ "gfx1200", "v_pk_fmac_f16 v5, 0x38003800, v2", 1, { 0x780a04f0 } },
		{ "gfx1100", "v_pk_fmac_f16 v5, lit(0x38003800), v2", 2, { 0x780a04ff, 0x38003800 } },
		{ "gfx1100", "v_pk_fmac_f16 v5, 0x3118, v2", 2, { 0x780a04ff, 0x00003118 } },
		{ "gfx1100", "v_pk_fmac_f16 v5, -16, v2", 1, { 0x780a04d0 } },
		{ "gfx1010", "v_movreld_b32_sdwa v1, s2", 2, { 0x7e0284f9, 0x00861602 } },
		{ "gfx906", "s_movk_i32 s0, -5", 1, { 0xb000fffb } },
		{ "gfx906", "s_branch -3", 1, { 0xbf82fffd } },
		{ "gfx1100", "v_add_f32 v0, 3.5, v2", 2, { 0x060004ff, 0x40600000 } },
		{ "gfx906", "v_add_f32 v[0:0], v1, v[2]", 1, { 0x02000501 } },
		{ "gfx906", "s_mov_b32 s[3], s[4:4]", 1, { 0xbe830004 } },
		{ "gfx906", "s_mov_b32 s0, -16; and no more", 1, { 0xbe8000d0 } },
		{ "gfx906", "s_mov_b32 s0, -17", 2, { 0xbe8000ff, 0xffffffef } },
		{ "gfx1100", "v_fma_f64 v[0:1], 1.5, v[2:3], v[4:5]", 3, { 0xd6140000, 0x041204ff, 0x3ff80000 } },
		{ "gfx1100", "s_waitcnt lgkmcnt(0) & vmcnt(3)", 1, { 0xbf890c07 } },
		{ "gfx1100", "s_getreg_b32 s0, hwreg(1, 0, 4)", 1, { 0xb8801801 } },
		{ "gfx1030", "s_sendmsg sendmsg(MSG_GS, GS_OP_EMIT, 1)", 1, { 0xbf900122 } },
		{ "gfx1030", "s_sendmsg 3", 1, { 0xbf900003 } },
		{ "gfx1100", "v_cmp_eq_f32 vcc_lo, v1, v2 row_shl:1", 2, { 0x7c2404fa, 0xff010101 } },
		{ "gfx1100:64", "v_cmp_eq_f32 vcc, v1, s2", 2, { 0xd412006a, 0x00000501 } },
		/* lines */
		{ "gfx1100", "// nothing\n\n  ; at all\n", 0, { 0 } },
		{ "gfx1100", "top: s_nop 0\n\ts_branch top // back\r\n", 2, { 0xbf800000, 0xbfa0fffe } },
		{ "gfx1100", "s_cbranch_scc0 end\ns_nop 1\nend:\n.L2:s_endpgm", 3, { 0xbfa10001, 0xbf800001, 0xbfb00000 } },
		{ "gfx906", "a: b: s_call_b64 s[4:5], b", 1, { 0xba84ffff } },
		{ "gfx906", ".long 0xdeadbeef, 7\n.long -1", 3, { 0xdeadbeef, 7, 0xffffffff } },
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint32_t w[MAX_WORDS];
		struct qd_error err = { 0 };
		size_t n = 0;
		qd_status status = assemble(rows[i].target, rows[i].text, w, &n, &err);

		UNIT_CHECK(t, !status && n == rows[i].n, "%s: %s: %s, %zu words", rows[i].target,
			   rows[i].text, err.text, n);
		for (size_t k = 0; !status && k < n && k < rows[i].n; k++)
			UNIT_CHECK(t, w[k] == rows[i].w[k], "%s: %s: word %zu is %08x",
				   rows[i].target, rows[i].text, k, w[k]);
	}
}

/* Checks words of LLVM 22's assembler: numbers by operand type, halves of registers, names of other
 * generations, old forms of modifiers. */
static void
as_llvm(struct unit_ctx *t)
{
	/* clang-format off */
	static const struct {
		const char *target, *text;
		size_t n;
		uint32_t w[4];
	} rows[] = {
		{ "gfx1010", "v_writelane_b32 v0, src_lds_direct, s0", 2, { 0xd7610000, 0x000000fe } },
		{ "gfx1030", "s_and_b32 s2, 0x12345678, 0x12345678", 2, { 0x8702ffff, 0x12345678 } },
		{ "gfx1030", "v_fmaak_f32 v0, 0x1234, v1, 0x1234", 2, { 0x5a0002ff, 0x00001234 } },
		{ "gfx1030", "s_load_dword s0, s[2:3], s4 offset:-1", 2, { 0xf4000001, 0x081fffff } },
		{ "gfx1030", "v_div_scale_f64 v[0:1], vcc_lo, 0x40000000, v[2:3], v[4:5]", 2, { 0xd56e6a00, 0x041204f4 } },
		{ "gfx1030", "v_div_scale_f64 v[0:1], vcc_lo, v[2:3], 2.5, v[2:3]", 3, { 0xd56e6a00, 0x0409ff02, 0x40040000 } },
		{ "gfx1030", "v_mov_b32_dpp v0, v1 dpp8:[7,6,5,4,3,2,1,0] fi:0", 2, { 0x7e0002e9, 0x05397701 } },
		{ "gfx1030", "v_mov_b32_dpp v0, v1 dpp8:[7,6,5,4,3,2,1,0] fi:1", 2, { 0x7e0002ea, 0x05397701 } },
		{ "gfx1030", "tbuffer_load_format_x v0, off, s[4:7], 0 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT]", 2, { 0xe8b00000, 0x80010000 } },
		{ "gfx1030", "tbuffer_load_format_x v0, off, s[4:7], 0 format:[BUF_FMT_32_FLOAT]", 2, { 0xe8b00000, 0x80010000 } },
		{ "gfx1030", "v_writelane_b32 v0, src_lds_direct, s0", 2, { 0xd7610000, 0x000000fe } },
		{ "gfx1100", "v_add_f16 v255, v1, v2", 2, { 0xd53200ff, 0x00020501 } },
		{ "gfx1100", "v_mov_b16_e32 v0.h, v1.l", 1, { 0x7f003901 } },
		{ "gfx1100", "v_add_f16 v0.h, v1.l, v2.h", 1, { 0x65010501 } },
		{ "gfx1100", "v_add_f16 v200.h, v1.l, v2.h", 2, { 0xd53250c8, 0x00020501 } },
		{ "gfx1200", "v_mov_b16_e32 v0.h, v1.l", 1, { 0x7f003901 } },
		{ "gfx1200", "v_min_num_f16 v0.h, v1.l, v2.h", 1, { 0x61010501 } },
		{ "gfx1200", "v_and_b16 v9.l, 0x7fff, v8.h", 3, { 0xd7621009, 0x000210ff, 0x7fff } },
		{ "gfx1201", "v_swap_b16 v2.l, v5.h", 1, { 0x7e04cd85 } },
		{ "gfx1201", "v_maximum3_f16 v1.h, v2.l, v3.h, v4.l", 2, { 0xd6305001, 0x04120702 } },
		{ "gfx1100", "v_mov_b32_dpp v0, v1 row_shl:1 row_mask:0xf bank_mask:0xf bound_ctrl:0", 2, { 0x7e0002fa, 0xff010101 } },
		{ "gfx1100", "v_mov_b32_dpp v0, v1 row_shl:1 row_mask:0xf bank_mask:0xf bound_ctrl:1 fi:0", 2, { 0x7e0002fa, 0xff090101 } },
		{ "gfx1100", "s_load_dword s0, s[2:3], 0", 2, { 0xf4000001, 0xf8000000 } },
		{ "gfx1100", "buffer_load_dword v0, off, s[4:7], 0", 2, { 0xe0500000, 0x80010000 } },
		{ "gfx1100", "global_load_dword v0, v[2:3], off", 2, { 0xdc520000, 0x007c0002 } },
		{ "gfx942", "v_mfma_f32_4x4x1f32 a[0:3], v0, v1, a[0:3]", 2, { 0xd3c28000, 0x04020300 } },
		{ "gfx942", "v_smfmac_i32_32x32x32_i8 v[4:19], a[14:15], a[108:111], v8", 2, { 0xd3ec0004, 0x1c22d90e } },
		{ "gfx906", "v_lshrrev_b64 v[0:1], src_shared_base, src_shared_base", 2, { 0xd2900000, 0x0001d6eb } },
		{ "gfx90a", "ds_gws_init a0 gds", 2, { 0xdb330000, 0x00000000 } },
		{ "gfx1100", "s_version (UC_VERSION_GFX11 | 0x2000)", 1, { 0xb0802004 | 2 } },
		{ "gfx906", "v_bfrev_b32_e64 v0, src_lds_direct", 2, { 0xd16c0000, 0x000000fe } },
		{ "gfx906", "v_interp_mov_f32 v0, p10, attr0.x", 1, { 0xd4020000 } },
		{ "gfx1100", "ds_read_b32 v0, v1", 2, { 0xd8d80000, 0x00000001 } },
		{ "gfx1100", "s_andn2_b32 s0, s1, s2", 1, { 0x91000201 } },
		{ "gfx1100", "s_andn2_saveexec_b64 s[0:1], s[2:3]", 1, { 0xbe803102 } },
		{ "gfx1100", "v_add_u32 v0, v1, v2", 1, { 0x4a000501 } },
		{ "gfx1100", "s_ff1_i32_b32 s0, s1", 1, { 0xbe800801 } },
		{ "gfx1200", "s_waitcnt vmcnt(0)", 1, { 0xbf8903f7 } },
		{ "gfx1200", "v_wmma_f16_16x16x16_f16 v[0:3], v[4:7], v[8:11], 0xbc00", 2, { 0xcc424000, 0x1bce1104 } },
		{ "gfx1200", "v_wmma_bf16_16x16x16_bf16 v[0:3], v[4:7], v[8:11], 0x3f80", 2, { 0xcc434000, 0x1bca1104 } },
		{ "gfx1200", "v_min_f32 v0, v1, v2", 1, { 0x2a000501 } },
		{ "gfx1250", "v_ceil_f64_e32 v[0:1], 0x1234567812345678", 3, { 0x7e0030fe, 0x12345678, 0x12345678 } },
		{ "gfx1250", "v_ceil_f64_e32 v[0:1], 0x12345678", 2, { 0x7e0030ff, 0x12345678 } },
		{ "gfx1250", "v_fmamk_f64 v[0:1], 0.1, 0.1, v[0:1]", 3, { 0x460000fe, 0x9999999a, 0x3fb99999 } },
		{ "gfx1250", "v_fmamk_f64 v[0:1], 0, 5, v[0:1]", 3, { 0x46000080, 0, 5 } },
		{ "gfx1250", "s_mov_b64 s[0:1], lit64(0x5)", 3, { 0xbe8001fe, 5, 0 } },
		{ "gfx1250", "s_mov_b64 s[0:1], -17", 3, { 0xbe8001fe, 0xffffffef, 0xffffffff } },
		{ "gfx1250", "s_getpc_b64 s[0:1]", 1, { 0xbe804700 } },
		{ "gfx1250", "flat_load_b32 v0, v1, s[2:3] offset:5 scale_offset nv", 3,
		  { 0xec050082, 0x00010000, 0x00000501 } },
		{ "gfx1250", "v_cvt_u32_f64_e32 v39, 0x1234567800000000", 2, { 0x7e4e2aff, 0x12345678 } },
		{ "gfx1250", "v_wmma_f32_16x16x4_f32 v[0:7], v[8:9], v[10:11], v[12:19] matrix_b_reuse", 2, { 0xcc5d4000, 0x1c321508 } },
		{ "gfx1250", "v_swmmac_f32_16x16x128_fp8_fp8 v[0:7], v[8:15], v[16:31], v[32:33] index_key:1", 2, { 0xcc730800, 0x1c822108 } },
		{ "gfx1250", "v_wmma_f32_16x16x128_f8f6f4 v[0:7], v[8:23], v[24:31], v[40:47] matrix_b_fmt:MATRIX_FMT_FP4", 2, { 0xcc334000, 0x04a23108 } },
		{ "gfx1250", "v_wmma_ld_scale_paired_b32 v1, v2 matrix_a_scale:MATRIX_SCALE_ROW1 matrix_b_scale_fmt:MATRIX_SCALE_FMT_E4M3", 2, { 0xcc350a00, 0x04020501 } },
		{ "gfx1250", "v_wmma_scale16_f32_32x16x128_f4 v[0:15], v[16:31], v[32:39], v[40:55], v[2:3], s[4:5]", 4,
		  { 0xcc3a0000, 0x04000902, 0xcc884000, 0x1ca24110 } },
		{ "gfx1250", "v_dual_fma_f32 v2, 1.0, v3, v4 :: v_dual_cndmask_b32 v1, 1.0, -v3, vcc_lo", 3, { 0xcf4c90f2, 0x040320f2, 0x016a0302 } },
		{ "gfx1250", "v_dual_mov_b32 v1, s0 :: v_dual_bitop2_b32 v0, s0, v32 bitop3:6", 3, { 0xcf212000, 0x00000000, 0x00062001 } },
		{ "gfx1250", "v_dual_fmac_f32 v1, 1.0, v3 :: v_dual_fmac_f32 v2, 1.0, v2", 2, { 0xc80006f2, 0x010204f2 } },
		{ "gfx1250", "v_dual_fmac_f32 v1, 1.0, v3 :: v_dual_fmac_f32 v3, 1.0, v2", 3, { 0xcf0000f2, 0x000300f2, 0x03000201 } },
		{ "gfx1250", "tensor_load_to_lds s[0:3], s[4:11]", 3, { 0xd0710001, 0x7c000000, 0x7c7c0400 } },
		{ "gfx1250", "tensor_store_from_lds s[0:3], s[4:11], s[12:15], s[16:19] th:TH_STORE_NT scope:SCOPE_SE", 3,
		  { 0xd0714001, 0x7c140000, 0x100c0400 } },
		{ "gfx1250", "tensor_stop", 3, { 0xee1bc07c, 0, 0 } },
		{ "gfx1251", "v_mul_lo_u32_e64_dpp v0, v2, v4 row_share:0 row_mask:0xf bank_mask:0xf", 3, { 0xd72c0000, 0x000208fa, 0xff015002 } },
		{ "gfx1251", "v_fract_f64_dpp v[6:7], v[0:1] row_share:0 row_mask:0x7 bank_mask:0xf", 2, { 0x7e0c7cfa, 0x7f015000 } },
		{ "gfx906", "v_max_u16 v0, 0x3c00, v1", 2, { 0x5e0002ff, 0x00003c00 } },
		{ "gfx906", "v_max_u16 v0, 1.0, v1", 1, { 0x5e0002f2 } },
		{ "gfx906", "v_max_u16 v0, 0.15915494, v1", 1, { 0x5e0002f8 } },
		{ "gfx906", "v_add_u16 v0, -17, v1", 2, { 0x4c0002ff, 0xffffffef } },
		{ "gfx906", "v_pk_add_u16 v0, 0x3f800000, v1", 2, { 0xd38a4000, 0x180202f2 } },
		{ "gfx906", "v_pk_add_f16 v0, 0x3c00, v1", 2, { 0xd38f4000, 0x180202f2 } },
		{ "gfx906", "v_add_f16 v0, 0xffff, v1", 1, { 0x3e0002c1 } },
		{ "gfx906", "v_add_f16 v0, 1.5, v1", 2, { 0x3e0002ff, 0x00003e00 } },
		{ "gfx906", "v_add_f32 v0, 0x3f800000, v1", 1, { 0x020002f2 } },
		{ "gfx906", "v_add_f32 v0, lit(0x3f800000), v1", 2, { 0x020002ff, 0x3f800000 } },
		{ "gfx906", "v_mov_b32 v0, .5", 1, { 0x7e0002f0 } },
		{ "gfx906", "v_mov_b32 v0, 5.", 2, { 0x7e0002ff, 0x40a00000 } },
		{ "gfx906", "s_mov_b32 s0, 1.5", 2, { 0xbe8000ff, 0x3fc00000 } },
		{ "gfx906", "s_mov_b32 s0, 0xffffffffffffffff", 1, { 0xbe8000c1 } },
		{ "gfx906", "s_mov_b64 s[0:1], 1.0", 1, { 0xbe8001f2 } },
		{ "gfx906", "s_mov_b64 s[0:1], 0x3ff0000000000000", 1, { 0xbe8001f2 } },
		{ "gfx906", "v_ceil_f64 v[0:1], 0x3ff00000", 1, { 0x7e0030f2 } },
		{ "gfx906", "v_ceil_f64 v[0:1], -17", 2, { 0x7e0030ff, 0xffffffef } },
		{ "gfx906", "v_add_f32 v0, v1 , v2", 1, { 0x02000501 } },
		{ "gfx906", "v_add_f32 v0 , v1, v2", 1, { 0x02000501 } },
		{ "gfx906", "s_load_dword s0, s[2:3], 0xfffff", 2, { 0xc0020001, 0x000fffff } },
		{ "gfx906", "s_load_dword s0, s[2:3], -0x100000", 2, { 0xc0020001, 0x00100000 } },
		{ "gfx906", "global_load_dword v[2:3], off lds", 2, { 0xdc50a000, 0x007f0002 } },
		{ "gfx906", "buffer_load_dword off, s[4:7], 0 lds", 2, { 0xe0510000, 0x80010000 } },
		{ "gfx906", "flat_load_dword v0, v[2:3] slc glc", 2, { 0xdc530000, 0x00000002 } },
		{ "gfx906", "flat_load_dword v0, v[2:3] offset:4 slc glc", 2, { 0xdc530004, 0x00000002 } },
		{ "gfx906", "tbuffer_load_format_x v1, off, s[4:7], dfmt:15, nfmt:2, s1", 2, { 0xe9780000, 0x01010100 } },
		{ "gfx90a", "tbuffer_load_format_x v1, off, s[4:7], nfmt:2,dfmt:15 s1", 2, { 0xe9780000, 0x01010100 } },
		{ "gfx942", "tbuffer_load_format_x v1, off, s[4:7], dfmt:15 nfmt:2 , s1 offset:8", 2, { 0xe9780008, 0x01010100 } },
		{ "gfx906", "tbuffer_load_format_x v1, off, s[4:7], dfmt:4, s1", 2, { 0xe8200000, 0x01010100 } },
		{ "gfx906", "tbuffer_load_format_x v1, off, s[4:7], nfmt:2, s1", 2, { 0xe9080000, 0x01010100 } },
		{ "gfx906", "tbuffer_store_format_xyzw v[0:3], v2, s[4:7], dfmt:4, nfmt:7, 0 offen offset:12 glc", 2, { 0xeba3d00c, 0x80010002 } },
		{ "gfx906", "tbuffer_load_format_x v1, off, s[4:7], s1 format:4 offset:8", 2, { 0xe8200008, 0x01010100 } },
		{ "gfx1030", "tbuffer_load_format_x v1, off, s[4:7], format:4, s1 offset:8", 2, { 0xe8200008, 0x01010100 } },
		{ "gfx1030", "tbuffer_load_format_x v1, v2, s[4:7], format:4, s1 idxen", 2, { 0xe8202000, 0x01010102 } },
		{ "gfx1100", "tbuffer_load_format_x v1, off, s[4:7], format:0x4 s1", 2, { 0xe8200000, 0x01010100 } },
		{ "gfx1200", "tbuffer_load_format_x v1, off, s[4:7], format:4, s1", 3, { 0xc4200001, 0x02000801, 0x00000000 } },
		{ "gfx906", "ds_swizzle_b32 v0, v1 offset:swizzle(REVERSE,32)", 2, { 0xd87a7c1f, 0x00000001 } },
		{ "gfx906", "s_cmpk_eq_u32 s0, 0xffff", 1, { 0xb400ffff } },
		{ "gfx906", "s_cmpk_eq_i32 s0, -1", 1, { 0xb100ffff } },
		{ "gfx906", "s_waitcnt vmcnt(0) & lgkmcnt(0)", 1, { 0xbf8c0070 } },
		{ "gfx906", "s_waitcnt vmcnt(0), lgkmcnt(0)", 1, { 0xbf8c0070 } },
		{ "gfx906", "v_mov_b32_dpp v0, v1 row_shl:1 row_mask:0xf bank_mask:0xf bound_ctrl:0", 2, { 0x7e0002fa, 0xff090101 } },
		{ "gfx906", "tbuffer_load_format_x v0, off, s[4:7], 0 format:[BUF_NUM_FORMAT_FLOAT,BUF_DATA_FORMAT_32]", 2, { 0xeba00000, 0x80010000 } },
		{ "gfx906", "tbuffer_load_format_x v0, off, s[4:7], 0 format:[BUF_DATA_FORMAT_32, BUF_NUM_FORMAT_FLOAT]", 2, { 0xeba00000, 0x80010000 } },
		{ "gfx906", "v_mov_b32 v0, shared_base", 1, { 0x7e0002eb } },
		{ "gfx906", "v_mov_b32 v0, scc", 1, { 0x7e0002fd } },
		{ "gfx906", "s_mov_b32 s0, vccz", 1, { 0xbe8000fb } },
		{ "gfx942", "v_cvt_f32_fp8_sdwa v0, v1 src0_sel:BYTE_1", 2, { 0x7e00a8f9, 0x00010601 } },
		{ "gfx942", "v_smfmac_f32_16x16x32_f16 v[0:3], v[4:5], v[6:9], v10", 2, { 0xd3e20000, 0x042a0d04 } },
		{ "gfx942", "v_smfmac_f32_16x16x32_f16 v[0:3], v[4:5], v[6:9], v11", 2, { 0xd3e20000, 0x042e0d04 } },
		{ "gfx942", "v_smfmac_f32_16x16x32_f16 a[0:3], v[4:5], v[6:9], v11 cbsz:3 abid:1", 2, { 0xd3e28b00, 0x042e0d04 } },
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint32_t w[MAX_WORDS] = { 0 };
		struct qd_error err = { 0 };
		size_t n = 0;
		qd_status status = assemble(rows[i].target, rows[i].text, w, &n, &err);

		UNIT_CHECK(t, !status && n == rows[i].n && !memcmp(w, rows[i].w, n * sizeof *w),
			   "%s: %s: %s, %zu words %08x %08x", rows[i].target, rows[i].text, err.text, n, w[0], w[1]);
	}
}

/* Checks that texts that LLVM 22 rejects are rejected. */
static void
refused(struct unit_ctx *t)
{
	/* clang-format off */
	static const struct {
		const char *target, *text;
	} rows[] = {
		{ "gfx1010", "v_movrels_b32_sdwa v1, s2" },
		{ "gfx1010", "v_movrels_b32_sdwa v1, null" },
		{ "gfx1010", "v_movrels_b32_sdwa v1, src_shared_base" },
		{ "gfx1010", "v_movrelsd_b32_sdwa v1, s2" },
		{ "gfx1010", "v_movrelsd_b32_sdwa v1, null" },
		{ "gfx1010", "v_movrelsd_b32_sdwa v1, src_shared_base" },
		{ "gfx1010", "v_movrelsd_2_b32_sdwa v1, s2" },
		{ "gfx1010", "v_movrelsd_2_b32_sdwa v1, null" },
		{ "gfx1010", "v_movrelsd_2_b32_sdwa v1, src_shared_base" },
		{ "gfx942", "global_load_dword v[2:3], off lds" },
		{ "gfx942", "global_load_dword v2, s[2:3] lds" },
		{ "gfx942", "scratch_load_dword v2, off lds" },
		{ "gfx1100", "v_nop row_shl:1" },
		{ "gfx906", "v_nop dpp8:[0,1,2,3,4,5,6,7]" },
		{ "gfx906", "v_nop dst_sel:DWORD" },
		{ "gfx1030", "s_and_b32 s2, 0x12345678, 0x12345679" },
		{ "gfx1030", "v_fma_f32 v0, 0x12345678, v1, 0x12345679" },
		{ "gfx1030", "v_fmaak_f32 v0, 0x1234, v1, 0x1235" },
		{ "gfx1030", "s_load_dword s0, s[2:3], s4 offset:0x1fffff" },
		{ "gfx1030", "v_lshrrev_b64 v[0:1], s2, s[2:3]" },
		{ "gfx1030", "v_add_u32 v0, v1, v2" },
		{ "gfx1030", "v_mac_f32 v0, v1, v2" },
		{ "gfx1100", "v_add_f16_e32 v255, v1, v2" },
		{ "gfx1100", "v_add_f16 v0.l, v1, v2.l" },
		{ "gfx1100", "v_add_f16 v0.l, a1, v2.l" },
		{ "gfx1100", "v_mov_b16 v0, v1" },
		{ "gfx1100", "v_add_f32 v0.l, v1, v2" },
		{ "gfx1100", "v_dual_mul_f32 v0, 0x12345678, v1 :: v_dual_add_f32 v3, 0x12345679, v4" },
		{ "gfx1100", "v_mov_b32_dpp v0, v1 dpp8:[0,1,2,3,4,5,6]" },
		{ "gfx1100", "v_mov_b32_dpp v0, v1 dpp8:[0,1,2,3,4,5,6,7,0]" },
		{ "gfx1100", "s_delay_alu instid0(VALU_DEP_1) |" },
		{ "gfx1100", "flat_e32 v0, v1" },
		{ "gfx1100", "v_writelane_b32 v0, src_lds_direct, s0" },
		{ "gfx1200", "v_add_f16 v0.l, v1, v2.l" },
		{ "gfx1200", "v_mov_b16 v0, v1" },
		{ "gfx1200", "v_add_nc_u16 v0, -v1, v2" },
		{ "gfx1200", "v_lshrrev_b64 v[0:1], s2, s[2:3]" },
		{ "gfx1200", "buffer_load_b32 v0, off, s[4:7], 0" },
		{ "gfx1200", "s_barrier" },
		{ "gfx906", "v_add_f32 a0, v1, v2" },
		{ "gfx906", "v_pk_add_u16 v0, 0x3c00, v1" },
		{ "gfx906", "v_add_f16 v0, 65520.0, v1" },
		{ "gfx906", "v_add_f16 v0, 1e-8, v1" },
		{ "gfx906", "s_mov_b32 s0, 0xdeadbeef00" },
		{ "gfx906", "s_mov_b32 s0, 1.0e40" },
		{ "gfx1100", "v_add_f32 v0, 0e5, v1" },
		{ "gfx906", "s_mov_b64 s[0:1], 1.5" },
		{ "gfx906", "v_div_scale_f32 v0, s[2:3], |v1|, v2, v3" },
		{ "gfx906", "v_add_i32 v0, |v1|, v2" },
		{ "gfx906", "s_load_dword s0, s[2:3], 0x1fffff" },
		{ "gfx906", "s_load_dword s0, s[2:3], -0x100001" },
		{ "gfx906", "global_load_dword v1, v[2:3], off lds" },
		{ "gfx906", "buffer_load_dword v0, off, s[4:7], 0 lds" },
		{ "gfx906", "v_mov_b32_dpp v0, v1 quad_perm:[0,1,2]" },
		{ "gfx906", "v_mov_b32_dpp v0, v1 quad_perm:[0,1,2,3,0]" },
		{ "gfx906", "v_mad_u16 v0, v1, v2, v3 op_sel:[1,0,0,0,0]" },
		{ "gfx906", "v_mov_b32_dpp v0, v1 row_shl:1 row_mask:0xf row_mask:0xf" },
		{ "gfx906", "v_mov_b32_dpp v0, v1 row_mask:0xf row_shl:1" },
		{ "gfx906", "v_mov_b32_dpp v0, v1 row_mask:0xf" },
		{ "gfx906", "v_mov_b32_dpp v0, sext(v1) row_shl:1" },
		{ "gfx906", "v_add_f32_e64 v0, v1, v2 clamp clamp" },
		{ "gfx906", "v_add_f32_e64 v0, v1, v2 mul:2 mul:4" },
		{ "gfx906", "v_add_f32_e64 v0, v1, v2 mul:2 clamp" },
		{ "gfx906", "flat_load_dword v0, v[2:3] glc glc" },
		{ "gfx906", "tbuffer_load_format_x v1, off, s[4:7], s1 dfmt:15, nfmt:2" },
		{ "gfx906", "tbuffer_load_format_x v1, off, s[4:7], format:4, s1" },
		{ "gfx906", "tbuffer_load_format_x v1, off, s[4:7], dfmt:16, nfmt:2, s1" },
		{ "gfx906", "tbuffer_load_format_x v1, off, s[4:7], dfmt:1, nfmt:8, s1" },
		{ "gfx906", "tbuffer_load_format_x v1, off, s[4:7], dfmt:-1, s1" },
		{ "gfx906", "tbuffer_load_format_x v1, off, s[4:7], dfmt:1, dfmt:2, s1" },
		{ "gfx906", "tbuffer_load_format_x v1, off, s[4:7], dfmt:4, s1 format:4" },
		{ "gfx906", "tbuffer_load_format_x v1, off, s[4:7], dfmt:4,, s1" },
		{ "gfx906", "tbuffer_load_format_x v1, off, s[4:7], dfmt:4" },
		{ "gfx906", "tbuffer_load_format_x v1, off, s[4:7], s1 offset:8 format:4" },
		{ "gfx1030", "tbuffer_load_format_x v1, off, s[4:7], dfmt:4, s1" },
		{ "gfx1030", "tbuffer_load_format_x v1, off, s[4:7], format:4, s1 format:4" },
		{ "gfx1100", "tbuffer_load_format_x v1, off, s[4:7], format:128, s1" },
		{ "gfx1100", "tbuffer_load_format_x v1, off, s[4:7], format:[BUF_FMT_8_UINT], s1" },
		{ "gfx1200", "tbuffer_load_format_x v1, off, s[4:7], s1 offset:8 format:4" },
		{ "gfx906", "ds_swizzle_b32 v0, v1 offset:swizzle(REVERSE,3)" },
		{ "gfx906", "ds_swizzle_b32 v0, v1 offset:swizzle(SWAP,0)" },
		{ "gfx906", "ds_swizzle_b32 v0, v1 offset:swizzle(SWAP,32)" },
		{ "gfx906", "ds_swizzle_b32 v0, v1 offset:swizzle(BROADCAST,1,0)" },
		{ "gfx906", "ds_swizzle_b32 v0, v1 offset:swizzle(BROADCAST,8,8)" },
		{ "gfx906", "ds_swizzle_b32 v0, v1 offset:swizzle(ROTATE,2,3)" },
		{ "gfx906", "ds_swizzle_b32 v0, v1 offset:swizzle(SWAP,1,)" },
		{ "gfx906", "s_cmpk_eq_u32 s0, -1" },
		{ "gfx906", "s_cmpk_lt_i32 s9, 0xfffffff0" },
		{ "gfx906", "s_waitcnt vmcnt(0) &" },
		{ "gfx906", "tbuffer_load_format_x v0, off, s[4:7], format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT], 0" },
		{ "gfx906", "s_mov_b32 s0, lds_direct" },
		{ "gfx906", "v_writelane_b32 v0, src_lds_direct, s0" },
		{ "gfx906", "v_add_i32 v0, vcc, v1, v2" },
		{ "gfx906", "v_mov_b32 V0, v1" },
		{ "gfx942", "v_cvt_f32_fp8_sdwa v0, sext(v1) src0_sel:BYTE_1" },
		{ "gfx906", "v_interp_p1_f32_e32 v2, |v3|, attr1.y" },
		{ "gfx906", "v_interp_p1_f32_e32 v2, -v3, attr1.y" },
		{ "gfx906", "v_madak_f16 v0, v1, v2, 0xffffffff" },
		{ "gfx906", "v_min_f16 v0, 0xffffffc0, v1" },
		{ "gfx906", "v_ldexp_f16_dpp v0, v1, -v2 row_shl:1" },
		{ "gfx906", "v_interp_p1_f32 v2, v3, attr0x1.y" },
		{ "gfx906", "s_set_gpr_idx_on s3, gpr_idx(SRC1,,SRC2)" },
		{ "gfx906", "v_cmp_lt_f32_e64 s[0:1], --13, v1" },
		{ "gfx942", "s_load_dword s0, s[2:3], 0x0 dlc" },
		{ "gfx1011", "s_waitcnt_depctr depctr_va_vcc(0) depctr_va_vcc(0)" },
		{ "gfx1010", "v_cmpx_lt_f16_sdwa v0, |s9| src0_sel:WORD_0src1_sel:WORD_0" },
		{ "gfx1010", "v_cmp_le_f32_sdwa s2, -s1, v191 clamp" },
		{ "gfx1100", "v_cmp_ge_i16_e64 s80, m0, v219 op_sel:[0,1,0]" },
		{ "gfx1100", "v_max3_u16 v40.h, 0, v61.h, s1 op_sel:[0,1,0,0]" },
		{ "gfx906", "s_waitcnt vmcnt(0) lgkmcnt((0)" },
		{ "gfx942", "scratch_load_dword v0, off, exec_hi" },
		{ "gfx1030", "global_load_dword v0, v[0:1], null" },
		{ "gfx1100", "s_version (0xfffe" },
		{ "gfx1100", "s_version UC_VERSION_GFX11 |" },
		{ "gfx950", "v_bitop3_b32 v19, -v49, v200, v87 bitop3:0x16" },
		{ "gfx950", "v_cvt_pk_bf16_f32 v96, v1, v2 op_sel:[0,0,1]" },
		{ "gfx1100", "v_cndmask_b16 v0.h, v1.l, v2.l, s0 op_sel:[0,0,1]" },
		{ "gfx1200", "v_cvt_f32_fp8_e64 v0, v1 op_sel:[0,0]" },
		{ "gfx906", "s_waitcnt vmcnt(0) && lgkmcnt(0)" },
		{ "gfx1100", "s_delay_alu instid0(VALU_DEP_1) || instid1(VALU_DEP_1)" },
		{ "gfx1100", "v_exp_f16_e32 v24.l, a101.h" },
		{ "gfx1200", "global_atomic_add_u32 v0, v[2:3], v4, off th:TH_ATOMIC_0" },
		{ "gfx1200", "global_atomic_add_u32 v0, v[2:3], v4, off th:TH_ATOMIC_0x1" },
		{ "gfx1200", "v_wmma_f16_16x16x16_f16 v[0:3], v[4:7], v[8:11], 0xbf800000" },
		{ "gfx1200", "v_wmma_bf16_16x16x16_bf16 v[0:3], v[4:7], v[8:11], 0x3c00" },
		{ "gfx1200", "global_load_b32 v0, v[2:3], off th:TH_LOAD_BYPASS" },
		{ "gfx1200", "global_load_b32 v0, v[2:3], off th:TH_LOAD_LU scope:SCOPE_SYS" },
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint32_t w[MAX_WORDS] = { 0 };
		struct qd_error err = { 0 };
		size_t n = 0;

		UNIT_CHECK(t, assemble(rows[i].target, rows[i].text, w, &n, &err), "%s: %s: taken as %08x %08x",
			   rows[i].target, rows[i].text, w[0], w[1]);
	}
}

/* Checks the position and the text of each error. */
static void
errors(struct unit_ctx *t)
{
	/* clang-format off */
	static const struct {
		const char *target, *text;
		uint32_t line, col;
		const char *why;
	} rows[] = {
		{ "gfx1100", "s_nop 0\n v_frob_b32 v0, v1", 2, 2, "v_frob_b32: no such instruction on gfx1100" },
		{ "gfx906", "v_dual_mov_b32 v0, v1", 1, 1, "v_dual_mov_b32: no such instruction on gfx906" },
		{ "gfx1100", "v_add_f32 v0, v1, v256", 1, 19, "v_add_f32: operand not understood on gfx1100" },
		{ "gfx1100", "v_add_f32 s5, v1, v2", 1, 11, "v_add_f32: operand not understood on gfx1100" },
		{ "gfx1100", "v_add_f32 v0, v1", 1, 17, "v_add_f32: an operand is missing on gfx1100" },
		{ "gfx1100", "v_add_f32 v0, v1, v2, v3", 1, 21, "v_add_f32: more operands than the instruction has on gfx1100" },
		{ "gfx1100", "v_add_f32 v0, v1, v2 clump", 1, 22, "v_add_f32: modifier not understood on gfx1100" },
		{ "gfx1100", "v_add_f32_e32 v0, -v1, v2", 1, 19, "v_add_f32_e32: operand not understood on gfx1100" },
		{ "gfx1100", "s_mov_b32 s0, 0x123456789", 1, 15, "s_mov_b32: operand not understood on gfx1100" },
		{ "gfx1100", "s_mov_b64 s[1:2], 0", 1, 1, "s_mov_b64: no such scalar register on gfx1100" },
		{ "gfx1100", "s_mov_b64 s[2:5], 0", 1, 11, "s_mov_b64: operand not understood on gfx1100" },
		{ "gfx1100", "s_mov_b32 s0, [((((", 1, 15, "s_mov_b32: operand not understood on gfx1100" },
		{ "gfx1100", "s_mov_b32 s0, s1))))", 1, 15, "s_mov_b32: operand not understood on gfx1100" },
		{ "gfx1100", "  v_fma_f32 v0, s1, s2, s3", 1, 3, "v_fma_f32: more scalar registers and literals than one instruction may read on gfx1100" },
		{ "gfx1100", "v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v2, v3", 1, 41, "v_dual_mov_b32: operand not understood on gfx1100" },
		{ "gfx1100", "v_dual_mov_b32 v0, v1 : v_dual_mov_b32 v1, v3", 1, 23, "v_dual_mov_b32: the second half of the dual instruction is missing on gfx1100" },
		{ "gfx1100", "s_waitcnt vmcnt(64)", 1, 11, "s_waitcnt: operand not understood on gfx1100" },
		{ "gfx1100", "s_nop 0\ns_branch nowhere", 2, 10, "nowhere: no such label" },
		{ "gfx1100", "x: s_nop 0\nx:", 2, 1, "x: the label is defined twice" },
		{ "gfx1100", "9x: s_nop 0", 1, 1, "9x: the label's name is invalid" },
		{ "gfx1100", ".text", 1, 1, ".text: no such directive" },
		{ "gfx1100", ".long 1,, 2", 1, 9, ": expected a 32-bit number" },
		{ "gfx1100", ".long 1 2", 1, 9, "2: expected a comma" },
		{ "gfx1100", ".long 0x100000000", 1, 7, "0x100000000: expected a 32-bit number" },
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint32_t w[MAX_WORDS];
		struct qd_error err = { 0 };
		size_t n = 9;
		qd_status status = assemble(rows[i].target, rows[i].text, w, &n, &err);

		UNIT_CHECK(t, status && !n && err.line == rows[i].line && err.col == rows[i].col &&
				      !strcmp(err.text, rows[i].why),
			   "%s: %u:%u: %s", rows[i].text, err.line, err.col, err.text);
	}
}

/* Checks the limits of the buffer, of a statement's length and of the tables. */
static void
limits(struct unit_ctx *t)
{
	static char text[20000];
	uint32_t w[MAX_WORDS + 1] = { [2] = 77 };
	struct qd_error err = { 0 };
	const struct gcn_target *g = gcn_target_find("gfx1100", 0);
	size_t n, len;

	UNIT_CHECK(t, gcn_assemble(g, "s_nop 0\ns_mov_b32 s0, 0x1234", 28, w, 2, &n, &err) == QD_E_LIMIT &&
			      err.line == 2 && w[2] == 77, "%u: %s", err.line, err.text);
	memset(text, 'a', sizeof text);
	UNIT_CHECK(t, gcn_assemble(g, text, sizeof text, w, 2, &n, &err) == QD_E_LIMIT, "%s", err.text);
	memset(text, '(', sizeof text);
	UNIT_CHECK(t, gcn_assemble(g, text, 400, w, 2, &n, &err) == QD_E_SYNTAX, "%s", err.text);
	UNIT_CHECK(t, gcn_assemble(g, "s_nop\0 0", 8, w, 2, &n, &err) == QD_E_SYNTAX && err.col == 6,
		   "%u: %s", err.col, err.text);
	for (len = 0, n = 0; n < 300; n++)
		len += (size_t)snprintf(text + len, sizeof text - len, "l%zu:\n", n);
	UNIT_CHECK(t, gcn_assemble(g, text, len, w, 2, &n, &err) == QD_E_LIMIT && err.line == 257,
		   "%u: %s", err.line, err.text);
}

/* Assembles mutated texts. Memory checkers detect accesses outside the buffers. */
static void
hostile(struct unit_ctx *t)
{
	static const char *const seed[] = {
		"v_add_f32_e64 v0, -|v1|, neg(0x1234) clamp mul:2 op_sel:[0,1]",
		"v_mov_b32_dpp v0, v1 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf",
		"v_mov_b32_sdwa v0, sext(v1) dst_sel:BYTE_0 dst_unused:UNUSED_PAD src0_sel:WORD_1",
		"s_waitcnt vmcnt(0) expcnt(1) lgkmcnt(2)", "s_getreg_b32 s0, hwreg(HW_REG_MODE, 0, 4)",
		"s_sendmsg sendmsg(MSG_GS, GS_OP_CUT, 0)", "s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT)",
		"v_dual_add_f32 v0, v1, v2 :: v_dual_mov_b32 v3, 0x5", "s_load_b64 s[0:1], s[2:3], s4 offset:0x10",
		"x: s_branch x\n.long 1, 2 // no\n", "ds_swizzle_b32 v0, v1 offset:swizzle(BROADCAST,8,7)",
		"global_load_b32 v0, v1, s[2:3] offset:-4 glc", "s_version (1|UC_VERSION_W64_BIT)",
		"v_mfma_f32_4x4x1f32 a[0:3], v0, v1, a[0:3] cbsz:1 abid:2 blgp:3",
		"v_cmp_class_f32 vcc, -v1, v2", "buffer_load_dword v0, v1, s[4:7], 0 idxen offset:16",
	};
	static const char *const target[] = { "gfx906", "gfx90a", "gfx1030", "gfx1100", "gfx1200" };
	static const char odd[] = "([{}])|:;,-.\t\n\"'xX0123456789~/*\\%\xff ";
	struct unit_rng rng = { 5 };

	for (unsigned i = 0; i < 4000; i++) {
		const char *from = seed[unit_random(&rng) % (sizeof seed / sizeof *seed)];
		size_t len = strlen(from), n;
		char *text = malloc(len + 1); /* exact size, for memory checkers */
		uint32_t w[4];
		struct gcn_insn in;
		const struct gcn_target *g;
		memcpy(text, from, len + 1);
		for (unsigned k = unit_random(&rng) % 4; k-- > 0;) {
			size_t at = unit_random(&rng) % len;
			switch (unit_random(&rng) % 3) {
			case 0:
				text[at] = odd[unit_random(&rng) % (sizeof odd - 1)];
				break;
			case 1:
				memmove(text + at, text + at + 1, len - at);
				text[len - 1] = ' ';
				break;
			default:
				memmove(text + at, text + unit_random(&rng) % (at + 1), len - at);
				break;
			}
		}
		g = gcn_target_find(target[i % 5], 0);
		(void)gcn_assemble(g, text, len, w, 4, &n, NULL);
		UNIT_CHECK(t, n <= 4, "%zu words", n);
		text[len] = '\0';
		(void)gcn_parse(g, text, &in, NULL);
		free(text);
	}
}

const struct unit units_gcn_asm[] = {
	{ "gcn_asm.words", words },
	{ "gcn_asm.as_llvm", as_llvm },
	{ "gcn_asm.refused", refused },
	{ "gcn_asm.errors", errors },
	{ "gcn_asm.limits", limits },
	{ "gcn_asm.hostile", hostile },
};
const unsigned n_units_gcn_asm = sizeof units_gcn_asm / sizeof *units_gcn_asm;
