	s_load_b256 s[4:11], s[0:1], null
	s_load_b32 s2, s[0:1], 0x24
	s_waitcnt lgkmcnt(0)
	s_add_i32 s15, s15, s2
	s_pack_ll_b32_b16 s5, s5, 4
	s_mov_b32 s7, 0x11027000
	s_pack_ll_b32_b16 s9, s9, 4
	s_mov_b32 s11, 0x11027000
	// 5: for i in grid(dst.len) {
	v_lshl_add_u32 v1, s15, 6, v0
	v_cmpx_gt_u32_e32 s10, v1
	s_cbranch_execz 53
	// 6: var c = src[i];
	buffer_load_b32 v2, v1, s[4:7], 0 idxen
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
	buffer_store_b32 v2, v1, s[8:11], 0 idxen
	s_endpgm

	s_load_b256 s[4:11], s[0:1], null
	s_load_b32 s2, s[0:1], 0x20
	s_load_b32 s3, s[0:1], 0x28
	s_waitcnt lgkmcnt(0)
	s_add_i32 s15, s15, s3
	s_pack_ll_b32_b16 s5, s5, 4
	s_mov_b32 s7, 0x11027000
	s_pack_ll_b32_b16 s9, s9, 4
	s_mov_b32 s11, 0x11027000
	// 13: kernel find(text: in u32[], dst: out u32[], x: u32) block(64) {
	// 14: for i in grid(dst.len) {
	v_lshl_add_u32 v1, s15, 6, v0
	v_cmpx_gt_u32_e32 s10, v1
	s_cbranch_execz 39
	// 15: var at = 3u;
	v_mov_b32_e32 v2, 3
	// 16: for k in 0..3u {
	s_mov_b32 s12, exec_lo
	// 17: if text[i * 3 + k] == x { at = k; break; }
	v_lshl_add_u32 v3, v1, 1, v1
	buffer_load_b32 v4, v3, s[4:7], 0 idxen
	s_waitcnt vmcnt(0)
	v_cmp_eq_u32_e32 vcc_lo, s2, v4
	s_and_saveexec_b32 s13, vcc_lo
	v_mov_b32_e32 v2, 0
	s_and_b32 s14, exec_lo, -1
	s_and_not1_b32 s13, s13, s14
	s_and_not1_b32 exec_lo, exec_lo, s14
	s_mov_b32 exec_lo, s13
	v_add_nc_u32_e32 v4, 1, v3
	buffer_load_b32 v4, v4, s[4:7], 0 idxen
	s_waitcnt vmcnt(0)
	v_cmp_eq_u32_e32 vcc_lo, s2, v4
	s_and_saveexec_b32 s13, vcc_lo
	v_mov_b32_e32 v2, 1
	s_and_b32 s14, exec_lo, -1
	s_and_not1_b32 s13, s13, s14
	s_and_not1_b32 exec_lo, exec_lo, s14
	s_mov_b32 exec_lo, s13
	v_add_nc_u32_e32 v3, 2, v3
	buffer_load_b32 v3, v3, s[4:7], 0 idxen
	s_waitcnt vmcnt(0)
	v_cmp_eq_u32_e32 vcc_lo, s2, v3
	s_and_saveexec_b32 s13, vcc_lo
	v_mov_b32_e32 v2, 2
	s_and_b32 s14, exec_lo, -1
	s_and_not1_b32 s13, s13, s14
	s_and_not1_b32 exec_lo, exec_lo, s14
	s_mov_b32 exec_lo, s13
	s_mov_b32 exec_lo, s12
	// 19: dst[i] = at;
	buffer_store_b32 v2, v1, s[8:11], 0 idxen
	s_endpgm

	s_load_b256 s[4:11], s[0:1], null
	s_load_b128 s[16:19], s[0:1], 0x20
	s_load_b32 s2, s[0:1], 0x30
	s_load_b32 s3, s[0:1], 0x38
	s_waitcnt lgkmcnt(0)
	s_add_i32 s15, s15, s3
	s_pack_ll_b32_b16 s5, s5, 4
	s_mov_b32 s7, 0x11027000
	s_pack_ll_b32_b16 s9, s9, 4
	s_mov_b32 s11, 0x11027000
	s_pack_ll_b32_b16 s17, s17, 4
	s_mov_b32 s19, 0x11027000
	// 24: kernel dot(a: in f32[], b: in f32[], dst: out f32[], n: u32) block(64) {
	// 25: for i in grid(dst.len) {
	v_lshl_add_u32 v1, s15, 6, v0
	v_cmpx_gt_u32_e32 s18, v1
	s_cbranch_execz 67
	// 26: var sum = 0.0;
	v_mov_b32_e32 v2, 0
	// 27: for k in 0..n { sum = fma(a[i * n + k], b[k], sum); }
	s_mov_b32 s12, 0
	s_max_u32 s13, s2, 3
	s_sub_i32 s13, s13, 3
	v_mul_lo_u32 v3, v1, s2
	s_cmp_le_u32 s13, s12
	s_cbranch_scc1 41
	s_add_i32 s14, s12, 1
	v_add_nc_u32_e32 v4, s12, v3
	buffer_load_b32 v4, v4, s[4:7], 0 idxen
	v_mov_b32_e32 v5, s12
	buffer_load_b32 v6, v5, s[8:11], 0 idxen
	v_add_nc_u32_e32 v5, s14, v3
	buffer_load_b32 v5, v5, s[4:7], 0 idxen
	v_mov_b32_e32 v7, s14
	buffer_load_b32 v8, v7, s[8:11], 0 idxen
	s_add_i32 s14, s14, 1
	v_add_nc_u32_e32 v7, s14, v3
	buffer_load_b32 v7, v7, s[4:7], 0 idxen
	v_mov_b32_e32 v9, s14
	buffer_load_b32 v10, v9, s[8:11], 0 idxen
	s_add_i32 s14, s14, 1
	v_add_nc_u32_e32 v9, s14, v3
	buffer_load_b32 v9, v9, s[4:7], 0 idxen
	v_mov_b32_e32 v11, s14
	buffer_load_b32 v12, v11, s[8:11], 0 idxen
	s_waitcnt vmcnt(6)
	v_fma_f32 v4, v4, v6, v2
	s_waitcnt vmcnt(4)
	v_fma_f32 v4, v5, v8, v4
	s_waitcnt vmcnt(2)
	v_fma_f32 v4, v7, v10, v4
	s_add_i32 s12, s14, 1
	s_waitcnt vmcnt(0)
	v_fma_f32 v2, v9, v12, v4
	s_branch 65493
	v_mul_lo_u32 v3, v1, s2
	s_mov_b32 s13, s12
	s_cmp_le_u32 s2, s13
	s_cbranch_scc1 11
	s_add_i32 s12, s13, 1
	v_add_nc_u32_e32 v4, s13, v3
	buffer_load_b32 v4, v4, s[4:7], 0 idxen
	v_mov_b32_e32 v5, s13
	buffer_load_b32 v6, v5, s[8:11], 0 idxen
	s_waitcnt vmcnt(0)
	v_fma_f32 v2, v4, v6, v2
	s_branch 65522
	// 28: dst[i] = sum;
	buffer_store_b32 v2, v1, s[16:19], 0 idxen
	s_endpgm

	s_load_b128 s[4:7], s[0:1], null
	s_load_b32 s2, s[0:1], 0x14
	s_waitcnt lgkmcnt(0)
	s_add_i32 s15, s15, s2
	s_pack_ll_b32_b16 s5, s5, 4
	s_mov_b32 s7, 0x11027000
	// 34: for i in grid(a.len / 4) {
	s_lshr_b32 s3, s6, 2
	v_lshl_add_u32 v1, s15, 6, v0
	v_cmpx_gt_u32_e32 s3, v1
	s_cbranch_execz 75
	// 37: let x = a[i * 4 + k];
	v_lshlrev_b32_e32 v1, 2, v1
	buffer_load_b32 v2, v1, s[4:7], 0 idxen
	// 38: let y = a[i * 4 + k + 1];
	v_add_nc_u32_e32 v3, 1, v1
	buffer_load_b32 v4, v3, s[4:7], 0 idxen
	// 39: if x > y {
	s_waitcnt vmcnt(0)
	v_cmp_lt_u32_e32 vcc_lo, v4, v2
	s_and_saveexec_b32 s3, vcc_lo
	// 40: a[i * 4 + k] = y;
	buffer_store_b32 v4, v1, s[4:7], 0 idxen
	// 41: a[i * 4 + k + 1] = x;
	buffer_store_b32 v2, v3, s[4:7], 0 idxen
	s_mov_b32 exec_lo, s3
	// 37: let x = a[i * 4 + k];
	buffer_load_b32 v2, v3, s[4:7], 0 idxen
	// 38: let y = a[i * 4 + k + 1];
	v_add_nc_u32_e32 v4, 1, v3
	buffer_load_b32 v5, v4, s[4:7], 0 idxen
	// 39: if x > y {
	s_waitcnt vmcnt(0)
	v_cmp_lt_u32_e32 vcc_lo, v5, v2
	s_and_saveexec_b32 s3, vcc_lo
	// 40: a[i * 4 + k] = y;
	buffer_store_b32 v5, v3, s[4:7], 0 idxen
	// 41: a[i * 4 + k + 1] = x;
	buffer_store_b32 v2, v4, s[4:7], 0 idxen
	s_mov_b32 exec_lo, s3
	// 37: let x = a[i * 4 + k];
	v_add_nc_u32_e32 v2, 2, v1
	buffer_load_b32 v5, v2, s[4:7], 0 idxen
	// 38: let y = a[i * 4 + k + 1];
	v_add_nc_u32_e32 v6, 1, v2
	buffer_load_b32 v7, v6, s[4:7], 0 idxen
	// 39: if x > y {
	s_waitcnt vmcnt(0)
	v_cmp_lt_u32_e32 vcc_lo, v7, v5
	s_and_saveexec_b32 s3, vcc_lo
	// 40: a[i * 4 + k] = y;
	buffer_store_b32 v7, v2, s[4:7], 0 idxen
	// 41: a[i * 4 + k + 1] = x;
	buffer_store_b32 v5, v6, s[4:7], 0 idxen
	s_mov_b32 exec_lo, s3
	// 37: let x = a[i * 4 + k];
	buffer_load_b32 v2, v1, s[4:7], 0 idxen
	// 38: let y = a[i * 4 + k + 1];
	buffer_load_b32 v5, v3, s[4:7], 0 idxen
	// 39: if x > y {
	s_waitcnt vmcnt(0)
	v_cmp_lt_u32_e32 vcc_lo, v5, v2
	s_and_saveexec_b32 s3, vcc_lo
	// 40: a[i * 4 + k] = y;
	buffer_store_b32 v5, v1, s[4:7], 0 idxen
	// 41: a[i * 4 + k + 1] = x;
	buffer_store_b32 v2, v3, s[4:7], 0 idxen
	s_mov_b32 exec_lo, s3
	// 37: let x = a[i * 4 + k];
	buffer_load_b32 v2, v3, s[4:7], 0 idxen
	// 38: let y = a[i * 4 + k + 1];
	buffer_load_b32 v5, v4, s[4:7], 0 idxen
	// 39: if x > y {
	s_waitcnt vmcnt(0)
	v_cmp_lt_u32_e32 vcc_lo, v5, v2
	s_and_saveexec_b32 s3, vcc_lo
	// 40: a[i * 4 + k] = y;
	buffer_store_b32 v5, v3, s[4:7], 0 idxen
	// 41: a[i * 4 + k + 1] = x;
	buffer_store_b32 v2, v4, s[4:7], 0 idxen
	s_mov_b32 exec_lo, s3
	// 37: let x = a[i * 4 + k];
	buffer_load_b32 v2, v1, s[4:7], 0 idxen
	// 38: let y = a[i * 4 + k + 1];
	buffer_load_b32 v4, v3, s[4:7], 0 idxen
	// 39: if x > y {
	s_waitcnt vmcnt(0)
	v_cmpx_lt_u32_e32 v4, v2
	// 40: a[i * 4 + k] = y;
	buffer_store_b32 v4, v1, s[4:7], 0 idxen
	// 41: a[i * 4 + k + 1] = x;
	buffer_store_b32 v2, v3, s[4:7], 0 idxen
	s_endpgm
