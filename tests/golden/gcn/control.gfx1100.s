	s_load_b256 s[4:11], s[0:1], null
	s_load_b32 s2, s[0:1], 0x24
	s_waitcnt lgkmcnt(0)
	s_add_i32 s15, s15, s2
	s_pack_ll_b32_b16 s5, s5, 4
	s_mov_b32 s7, 0x11027000
	s_pack_ll_b32_b16 s9, s9, 4
	s_mov_b32 s11, 0x11027000
	v_cmp_lt_u32_e64 s3, v0, 37
	// 5: for i in grid(src.len) {
	s_mul_i32 s12, s15, 37
	v_add_nc_u32_e32 v1, s12, v0
	v_cmp_lt_u32_e64 s12, v1, s6
	s_and_b32 s3, s12, s3
	s_mov_b32 exec_lo, s3
	s_cbranch_execz 31
	// 6: var x = src[i];
	buffer_load_b32 v2, v1, s[4:7], 0 idxen
	// 7: var n: u32 = 0;
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v3, 0
	// 8: while x != 1 {
	s_mov_b32 s3, exec_lo
	v_cmpx_ne_u32_e32 1, v2
	s_cbranch_execz 21
	s_mov_b32 s12, exec_lo
	// 9: if n == 100 { break; }
	v_cmp_eq_u32_e32 vcc_lo, 0x64, v3
	s_and_b32 s13, exec_lo, vcc_lo
	s_and_not1_b32 s12, s12, s13
	s_and_not1_b32 exec_lo, exec_lo, s13
	s_cbranch_execz 12
	// 10: n += 1;
	v_add_nc_u32_e32 v3, 1, v3
	// 11: if x % 2 == 0 { x /= 2; continue; }
	v_and_b32_e32 v4, 1, v2
	v_cmp_eq_u32_e32 vcc_lo, 0, v4
	s_and_saveexec_b32 s13, vcc_lo
	v_lshrrev_b32_e32 v2, 1, v2
	s_and_b32 s14, exec_lo, -1
	s_and_not1_b32 s13, s13, s14
	s_and_not1_b32 exec_lo, exec_lo, s14
	s_mov_b32 exec_lo, s13
	// 12: x = 3 * x + 1;
	v_lshl_add_u32 v4, v2, 1, v2
	v_add_nc_u32_e32 v2, 1, v4
	s_mov_b32 exec_lo, s12
	s_cbranch_execnz 65513
	s_mov_b32 exec_lo, s3
	// 14: steps[i] = n;
	buffer_store_b32 v3, v1, s[8:11], 0 idxen
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
	// 19: kernel both(o: f32[], p: in f32[], n: i32) block(64) {
	// 20: for i in grid(o.len) {
	v_lshl_add_u32 v1, s15, 6, v0
	v_cmpx_gt_u32_e32 s6, v1
	s_cbranch_execz 30
	// 21: let x = p[0];
	v_mov_b32_e32 v2, 0
	buffer_load_b32 v3, v2, s[8:11], 0 idxen
	// 22: if n > 2 && x < 3.0 { o[i] = 7.0; }
	s_waitcnt vmcnt(0)
	v_cmp_lt_f32_e64 s12, v3, 0x40400000
	s_cmp_lt_i32 2, s2
	s_cselect_b32 s12, s12, 0
	s_and_b32 vcc_lo, exec_lo, s12
	s_cbranch_scc0 4
	v_mov_b32_e32 v2, 0x40e00000
	buffer_store_b32 v2, v1, s[4:7], 0 idxen
	// 23: if o[i] > 1.0 || n == 5 { o[i] += 1.0; }
	buffer_load_b32 v2, v1, s[4:7], 0 idxen
	s_waitcnt vmcnt(0)
	v_cmp_lt_f32_e64 s12, 1.0, v2
	s_cmp_lg_u32 s2, 5
	s_cselect_b32 s12, s12, -1
	s_and_b32 exec_lo, exec_lo, s12
	s_cbranch_execz 6
	buffer_load_b32 v2, v1, s[4:7], 0 idxen
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v2, 1.0, v2
	buffer_store_b32 v2, v1, s[4:7], 0 idxen
	s_endpgm
