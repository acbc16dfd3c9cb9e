	s_load_b256 s[4:11], s[0:1], null
	s_load_b128 s[16:19], s[0:1], 0x20
	s_load_b32 s2, s[0:1], 0x34
	s_waitcnt lgkmcnt(0)
	s_add_i32 s15, s15, s2
	s_pack_ll_b32_b16 s5, s5, 4
	s_mov_b32 s7, 0x11027000
	s_pack_ll_b32_b16 s9, s9, 8
	s_mov_b32 s11, 0x11027000
	s_pack_ll_b32_b16 s17, s17, 4
	s_mov_b32 s19, 0x11027000
	v_cmp_lt_u32_e64 s3, v0, 48
	// 6: for i in grid(a.len / 4) {
	s_lshr_b32 s12, s6, 2
	s_mul_i32 s13, s15, 48
	v_add_nc_u32_e32 v1, s13, v0
	v_cmp_lt_u32_e64 s14, v1, s12
	s_and_b32 s3, s14, s3
	s_cmp_lt_u32 s13, s12
	s_cbranch_scc0 150
	// 7: nvvm.cp_async(s[t * 4], a[i * 4], 4);
	v_lshlrev_b32_e32 v2, 2, v0
	v_lshlrev_b32_e32 v3, 2, v1
	v_cmp_lt_u32_e64 s12, v3, s6
	s_and_b32 s12, s12, s3
	v_cndmask_b32_e64 v4, -1, v3, s12
	buffer_load_b32 v5, v4, s[4:7], 0 idxen
	v_add_nc_u32_e32 v4, 1, v3
	v_cmp_lt_u32_e64 s12, v4, s6
	s_and_b32 s12, s12, s3
	v_cndmask_b32_e64 v6, -1, v4, s12
	buffer_load_b32 v4, v6, s[4:7], 0 idxen
	v_add_nc_u32_e32 v6, 2, v3
	v_cmp_lt_u32_e64 s12, v6, s6
	s_and_b32 s12, s12, s3
	v_cndmask_b32_e64 v7, -1, v6, s12
	buffer_load_b32 v6, v7, s[4:7], 0 idxen
	v_add_nc_u32_e32 v3, 3, v3
	v_cmp_lt_u32_e64 s12, v3, s6
	s_and_b32 s12, s12, s3
	v_cndmask_b32_e64 v7, -1, v3, s12
	buffer_load_b32 v3, v7, s[4:7], 0 idxen
	// 9: nvvm.cp_async(w[t], b[i], 1);
	v_cmp_lt_u32_e64 s12, v1, s10
	s_and_b32 s12, s12, s3
	v_cndmask_b32_e64 v7, -1, v1, s12
	buffer_load_b64 v[8:9], v7, s[8:11], 0 idxen
	// 7: nvvm.cp_async(s[t * 4], a[i * 4], 4);
	s_waitcnt vmcnt(4)
	v_lshlrev_b32_e32 v7, 2, v2
	s_and_saveexec_b32 s12, s3
	ds_store_b32 v7, v5
	s_mov_b32 exec_lo, s12
	s_waitcnt vmcnt(3)
	v_lshlrev_b32_e32 v5, 2, v2
	s_and_saveexec_b32 s12, s3
	ds_store_b32 v5, v4 offset:4
	s_mov_b32 exec_lo, s12
	s_waitcnt vmcnt(2)
	v_lshlrev_b32_e32 v4, 2, v2
	s_and_saveexec_b32 s12, s3
	ds_store_b32 v4, v6 offset:8
	s_mov_b32 exec_lo, s12
	v_add_nc_u32_e32 v2, 3, v2
	s_waitcnt vmcnt(1)
	v_lshlrev_b32_e32 v4, 2, v2
	s_and_saveexec_b32 s12, s3
	ds_store_b32 v4, v3
	s_mov_b32 exec_lo, s12
	// 9: nvvm.cp_async(w[t], b[i], 1);
	s_waitcnt vmcnt(0)
	v_lshlrev_b32_e32 v3, 3, v0
	s_and_saveexec_b32 s12, s3
	ds_store_b64 v3, v[8:9] offset:768
	s_mov_b32 exec_lo, s12
	// 12: block.sync();
	s_waitcnt lgkmcnt(0)
	s_barrier
	// 13: let x = s[t * 4 + 3];
	v_lshlrev_b32_e32 v3, 2, v2
	v_mov_b32_e32 v4, 0
	s_and_saveexec_b32 s12, s3
	ds_load_b32 v4, v3
	s_mov_b32 exec_lo, s12
	// 15: out[i] = x + f32(w[t]);
	v_lshlrev_b32_e32 v2, 3, v0
	v_mov_b32_e32 v6, 0
	v_mov_b32_e32 v7, 0
	s_and_saveexec_b32 s12, s3
	ds_load_b64 v[6:7], v2 offset:768
	s_mov_b32 exec_lo, s12
	s_waitcnt lgkmcnt(0)
	v_cmp_lt_i32_e64 s12, v7, 0
	v_cmp_lt_u32_e32 vcc_lo, 0, v6
	v_cndmask_b32_e64 v2, 0, 1, vcc_lo
	v_sub_nc_u32_e32 v3, 0, v7
	v_sub_nc_u32_e32 v2, v3, v2
	v_sub_nc_u32_e32 v3, 0, v6
	v_cndmask_b32_e64 v3, v6, v3, s12
	v_cndmask_b32_e64 v2, v7, v2, s12
	v_clz_i32_u32_e32 v5, v3
	v_min_u32_e32 v5, 32, v5
	v_add_nc_u32_e32 v5, 32, v5
	v_clz_i32_u32_e32 v8, v2
	v_min_u32_e32 v8, 32, v8
	v_cmp_eq_u32_e32 vcc_lo, 0, v2
	v_cndmask_b32_e32 v5, v8, v5, vcc_lo
	v_and_b32_e32 v8, 31, v5
	v_and_b32_e32 v9, 32, v5
	v_cmp_ne_u32_e64 s12, v9, 0
	v_lshlrev_b32_e32 v9, v8, v3
	v_cndmask_b32_e64 v10, v9, 0, s12
	v_xor_b32_e32 v11, 31, v8
	v_lshrrev_b32_e32 v12, 1, v3
	v_lshrrev_b32_e32 v11, v11, v12
	v_lshlrev_b32_e32 v8, v8, v2
	v_or_b32_e32 v8, v8, v11
	v_cndmask_b32_e64 v8, v8, v9, s12
	v_cmp_ne_u32_e32 vcc_lo, 0, v10
	v_cndmask_b32_e64 v9, 0, 1, vcc_lo
	v_or_b32_e32 v8, v8, v9
	v_sub_nc_u32_e32 v5, 63, v5
	v_lshrrev_b32_e32 v9, 8, v8
	v_and_b32_e32 v10, 1, v9
	v_and_b32_e32 v8, 0xff, v8
	v_add3_u32 v8, v8, 0x7f, v10
	v_lshrrev_b32_e32 v8, 8, v8
	v_add_lshl_u32 v5, v5, 0x7e, 23
	v_add3_u32 v5, v5, v9, v8
	v_or_b32_e32 v2, v3, v2
	v_cmp_eq_u32_e32 vcc_lo, 0, v2
	v_cndmask_b32_e64 v2, v5, 0, vcc_lo
	v_and_or_b32 v2, v7, 0x80000000, v2
	v_add_f32_e32 v2, v4, v2
	v_cndmask_b32_e64 v3, -1, v1, s3
	buffer_store_b32 v2, v3, s[16:19], 0 idxen
	s_endpgm
