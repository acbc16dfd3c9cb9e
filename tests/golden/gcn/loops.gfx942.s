	s_load_dwordx8 s[4:11], s[0:1], 0x0
	s_load_dword s3, s[0:1], 0x24
	s_waitcnt lgkmcnt(0)
	s_add_i32 s2, s2, s3
	s_pack_ll_b32_b16 s5, s5, 4
	s_mov_b32 s7, 0x27000
	s_pack_ll_b32_b16 s9, s9, 4
	s_mov_b32 s11, 0x27000
	// 5: for i in grid(dst.len) {
	v_lshl_add_u32 v1, s2, 6, v0
	v_cmp_gt_u32_e32 vcc, s10, v1
	s_mov_b64 exec, vcc
	s_cbranch_execz 53
	// 6: var c = src[i];
	buffer_load_dword v2, v1, s[4:7], 0 idxen
	// 7: for bit in 0..8 { c = c >> 1 ^ 0xedb88320 & (0 - (c & 1)); }
	s_waitcnt vmcnt(0)
	v_lshrrev_b32_e32 v3, 1, v2
	v_bfe_i32 v2, v2, 0, 1
	v_and_b32_e32 v2, 0xedb88320, v2
	v_xor_b32_e32 v2, v3, v2
	v_lshrrev_b32_e32 v3, 1, v2
	v_bfe_i32 v2, v2, 0, 1
	v_and_b32_e32 v2, 0xedb88320, v2
	v_xor_b32_e32 v2, v3, v2
	v_lshrrev_b32_e32 v3, 1, v2
	v_bfe_i32 v2, v2, 0, 1
	v_and_b32_e32 v2, 0xedb88320, v2
	v_xor_b32_e32 v2, v3, v2
	v_lshrrev_b32_e32 v3, 1, v2
	v_bfe_i32 v2, v2, 0, 1
	v_and_b32_e32 v2, 0xedb88320, v2
	v_xor_b32_e32 v2, v3, v2
	v_lshrrev_b32_e32 v3, 1, v2
	v_bfe_i32 v2, v2, 0, 1
	v_and_b32_e32 v2, 0xedb88320, v2
	v_xor_b32_e32 v2, v3, v2
	v_lshrrev_b32_e32 v3, 1, v2
	v_bfe_i32 v2, v2, 0, 1
	v_and_b32_e32 v2, 0xedb88320, v2
	v_xor_b32_e32 v2, v3, v2
	v_lshrrev_b32_e32 v3, 1, v2
	v_bfe_i32 v2, v2, 0, 1
	v_and_b32_e32 v2, 0xedb88320, v2
	v_xor_b32_e32 v2, v3, v2
	v_lshrrev_b32_e32 v3, 1, v2
	v_bfe_i32 v2, v2, 0, 1
	v_and_b32_e32 v2, 0xedb88320, v2
	v_xor_b32_e32 v2, v3, v2
	// 8: dst[i] = c;
	buffer_store_dword v2, v1, s[8:11], 0 idxen
	s_endpgm

	s_load_dwordx8 s[4:11], s[0:1], 0x0
	s_load_dword s3, s[0:1], 0x20
	s_load_dword s12, s[0:1], 0x28
	s_waitcnt lgkmcnt(0)
	s_add_i32 s2, s2, s12
	s_pack_ll_b32_b16 s5, s5, 4
	s_mov_b32 s7, 0x27000
	s_pack_ll_b32_b16 s9, s9, 4
	s_mov_b32 s11, 0x27000
	// 13: kernel find(text: in u32[], dst: out u32[], x: u32) block(64) {
	// 14: for i in grid(dst.len) {
	v_lshl_add_u32 v1, s2, 6, v0
	v_cmp_gt_u32_e32 vcc, s10, v1
	s_mov_b64 exec, vcc
	s_cbranch_execz 39
	// 15: var at = 3u;
	v_mov_b32_e32 v2, 3
	// 16: for k in 0..3u {
	s_mov_b64 s[14:15], exec
	// 17: if text[i * 3 + k] == x { at = k; break; }
	v_lshl_add_u32 v3, v1, 1, v1
	buffer_load_dword v4, v3, s[4:7], 0 idxen
	s_waitcnt vmcnt(0)
	v_cmp_eq_u32_e32 vcc, s3, v4
	s_and_saveexec_b64 s[16:17], vcc
	v_mov_b32_e32 v2, 0
	s_and_b64 s[18:19], exec, -1
	s_andn2_b64 s[16:17], s[16:17], s[18:19]
	s_andn2_b64 exec, exec, s[18:19]
	s_mov_b64 exec, s[16:17]
	v_add_u32_e32 v4, 1, v3
	buffer_load_dword v4, v4, s[4:7], 0 idxen
	s_waitcnt vmcnt(0)
	v_cmp_eq_u32_e32 vcc, s3, v4
	s_and_saveexec_b64 s[16:17], vcc
	v_mov_b32_e32 v2, 1
	s_and_b64 s[18:19], exec, -1
	s_andn2_b64 s[16:17], s[16:17], s[18:19]
	s_andn2_b64 exec, exec, s[18:19]
	s_mov_b64 exec, s[16:17]
	v_add_u32_e32 v3, 2, v3
	buffer_load_dword v3, v3, s[4:7], 0 idxen
	s_waitcnt vmcnt(0)
	v_cmp_eq_u32_e32 vcc, s3, v3
	s_and_saveexec_b64 s[16:17], vcc
	v_mov_b32_e32 v2, 2
	s_and_b64 s[18:19], exec, -1
	s_andn2_b64 s[16:17], s[16:17], s[18:19]
	s_andn2_b64 exec, exec, s[18:19]
	s_mov_b64 exec, s[16:17]
	s_mov_b64 exec, s[14:15]
	// 19: dst[i] = at;
	buffer_store_dword v2, v1, s[8:11], 0 idxen
	s_endpgm

	s_load_dwordx8 s[4:11], s[0:1], 0x0
	s_load_dwordx4 s[12:15], s[0:1], 0x20
	s_load_dword s3, s[0:1], 0x30
	s_load_dword s16, s[0:1], 0x38
	s_waitcnt lgkmcnt(0)
	s_add_i32 s2, s2, s16
	s_pack_ll_b32_b16 s5, s5, 4
	s_mov_b32 s7, 0x27000
	s_pack_ll_b32_b16 s9, s9, 4
	s_mov_b32 s11, 0x27000
	s_pack_ll_b32_b16 s13, s13, 4
	s_mov_b32 s15, 0x27000
	// 24: kernel dot(a: in f32[], b: in f32[], dst: out f32[], n: u32) block(64) {
	// 25: for i in grid(dst.len) {
	v_lshl_add_u32 v1, s2, 6, v0
	v_cmp_gt_u32_e32 vcc, s14, v1
	s_mov_b64 exec, vcc
	s_cbranch_execz 68
	// 26: var sum = 0.0;
	v_mov_b32_e32 v2, 0
	// 27: for k in 0..n { sum = fma(a[i * n + k], b[k], sum); }
	s_mov_b32 s17, 0
	s_max_u32 s18, s3, 3
	s_sub_i32 s18, s18, 3
	v_mul_lo_u32 v3, v1, s3
	s_cmp_le_u32 s18, s17
	s_cbranch_scc1 41
	s_add_i32 s19, s17, 1
	v_add_u32_e32 v4, s17, v3
	buffer_load_dword v4, v4, s[4:7], 0 idxen
	v_mov_b32_e32 v5, s17
	buffer_load_dword v6, v5, s[8:11], 0 idxen
	v_add_u32_e32 v5, s19, v3
	buffer_load_dword v5, v5, s[4:7], 0 idxen
	v_mov_b32_e32 v7, s19
	buffer_load_dword v8, v7, s[8:11], 0 idxen
	s_add_i32 s19, s19, 1
	v_add_u32_e32 v7, s19, v3
	buffer_load_dword v7, v7, s[4:7], 0 idxen
	v_mov_b32_e32 v9, s19
	buffer_load_dword v10, v9, s[8:11], 0 idxen
	s_add_i32 s19, s19, 1
	v_add_u32_e32 v9, s19, v3
	buffer_load_dword v9, v9, s[4:7], 0 idxen
	v_mov_b32_e32 v11, s19
	buffer_load_dword v12, v11, s[8:11], 0 idxen
	s_waitcnt vmcnt(6)
	v_fma_f32 v4, v4, v6, v2
	s_waitcnt vmcnt(4)
	v_fma_f32 v4, v5, v8, v4
	s_waitcnt vmcnt(2)
	v_fma_f32 v4, v7, v10, v4
	s_add_i32 s17, s19, 1
	s_waitcnt vmcnt(0)
	v_fma_f32 v2, v9, v12, v4
	s_branch 65493
	s_nop 1
	v_mul_lo_u32 v3, v1, s3
	s_mov_b32 s18, s17
	s_cmp_le_u32 s3, s18
	s_cbranch_scc1 11
	s_add_i32 s17, s18, 1
	v_add_u32_e32 v4, s18, v3
	buffer_load_dword v4, v4, s[4:7], 0 idxen
	v_mov_b32_e32 v5, s18
	buffer_load_dword v6, v5, s[8:11], 0 idxen
	s_waitcnt vmcnt(0)
	v_fma_f32 v2, v4, v6, v2
	s_branch 65522
	// 28: dst[i] = sum;
	buffer_store_dword v2, v1, s[12:15], 0 idxen
	s_endpgm

	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_load_dword s3, s[0:1], 0x14
	s_waitcnt lgkmcnt(0)
	s_add_i32 s2, s2, s3
	s_pack_ll_b32_b16 s5, s5, 4
	s_mov_b32 s7, 0x27000
	// 34: for i in grid(a.len / 4) {
	s_lshr_b32 s8, s6, 2
	v_lshl_add_u32 v1, s2, 6, v0
	v_cmp_gt_u32_e32 vcc, s8, v1
	s_mov_b64 exec, vcc
	s_cbranch_execz 82
	// 37: let x = a[i * 4 + k];
	v_lshlrev_b32_e32 v1, 2, v1
	buffer_load_dword v2, v1, s[4:7], 0 idxen
	// 38: let y = a[i * 4 + k + 1];
	v_add_u32_e32 v3, 1, v1
	buffer_load_dword v4, v3, s[4:7], 0 idxen
	// 39: if x > y {
	s_waitcnt vmcnt(0)
	v_cmp_lt_u32_e32 vcc, v4, v2
	s_and_saveexec_b64 s[8:9], vcc
	// 40: a[i * 4 + k] = y;
	buffer_store_dword v4, v1, s[4:7], 0 idxen
	// 41: a[i * 4 + k + 1] = x;
	s_nop 0
	buffer_store_dword v2, v3, s[4:7], 0 idxen
	s_mov_b64 exec, s[8:9]
	// 37: let x = a[i * 4 + k];
	buffer_load_dword v2, v3, s[4:7], 0 idxen
	// 38: let y = a[i * 4 + k + 1];
	v_add_u32_e32 v4, 1, v3
	buffer_load_dword v5, v4, s[4:7], 0 idxen
	// 39: if x > y {
	s_waitcnt vmcnt(0)
	v_cmp_lt_u32_e32 vcc, v5, v2
	s_and_saveexec_b64 s[8:9], vcc
	// 40: a[i * 4 + k] = y;
	buffer_store_dword v5, v3, s[4:7], 0 idxen
	// 41: a[i * 4 + k + 1] = x;
	s_nop 0
	buffer_store_dword v2, v4, s[4:7], 0 idxen
	s_mov_b64 exec, s[8:9]
	// 37: let x = a[i * 4 + k];
	v_add_u32_e32 v2, 2, v1
	buffer_load_dword v5, v2, s[4:7], 0 idxen
	// 38: let y = a[i * 4 + k + 1];
	v_add_u32_e32 v6, 1, v2
	buffer_load_dword v7, v6, s[4:7], 0 idxen
	// 39: if x > y {
	s_waitcnt vmcnt(0)
	v_cmp_lt_u32_e32 vcc, v7, v5
	s_and_saveexec_b64 s[8:9], vcc
	// 40: a[i * 4 + k] = y;
	buffer_store_dword v7, v2, s[4:7], 0 idxen
	// 41: a[i * 4 + k + 1] = x;
	s_nop 0
	buffer_store_dword v5, v6, s[4:7], 0 idxen
	s_mov_b64 exec, s[8:9]
	// 37: let x = a[i * 4 + k];
	buffer_load_dword v2, v1, s[4:7], 0 idxen
	// 38: let y = a[i * 4 + k + 1];
	buffer_load_dword v5, v3, s[4:7], 0 idxen
	// 39: if x > y {
	s_waitcnt vmcnt(0)
	v_cmp_lt_u32_e32 vcc, v5, v2
	s_and_saveexec_b64 s[8:9], vcc
	// 40: a[i * 4 + k] = y;
	buffer_store_dword v5, v1, s[4:7], 0 idxen
	// 41: a[i * 4 + k + 1] = x;
	s_nop 0
	buffer_store_dword v2, v3, s[4:7], 0 idxen
	s_mov_b64 exec, s[8:9]
	// 37: let x = a[i * 4 + k];
	buffer_load_dword v2, v3, s[4:7], 0 idxen
	// 38: let y = a[i * 4 + k + 1];
	buffer_load_dword v5, v4, s[4:7], 0 idxen
	// 39: if x > y {
	s_waitcnt vmcnt(0)
	v_cmp_lt_u32_e32 vcc, v5, v2
	s_and_saveexec_b64 s[8:9], vcc
	// 40: a[i * 4 + k] = y;
	buffer_store_dword v5, v3, s[4:7], 0 idxen
	// 41: a[i * 4 + k + 1] = x;
	s_nop 0
	buffer_store_dword v2, v4, s[4:7], 0 idxen
	s_mov_b64 exec, s[8:9]
	// 37: let x = a[i * 4 + k];
	buffer_load_dword v2, v1, s[4:7], 0 idxen
	// 38: let y = a[i * 4 + k + 1];
	buffer_load_dword v4, v3, s[4:7], 0 idxen
	// 39: if x > y {
	s_waitcnt vmcnt(0)
	v_cmp_lt_u32_e32 vcc, v4, v2
	s_and_b64 exec, exec, vcc
	// 40: a[i * 4 + k] = y;
	buffer_store_dword v4, v1, s[4:7], 0 idxen
	// 41: a[i * 4 + k + 1] = x;
	s_nop 0
	buffer_store_dword v2, v3, s[4:7], 0 idxen
	s_endpgm
