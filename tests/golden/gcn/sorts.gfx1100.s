	s_load_b512 s[16:31], s[0:1], null
	s_load_b32 s2, s[0:1], 0x44
	s_waitcnt lgkmcnt(0)
	s_add_i32 s15, s15, s2
	s_pack_ll_b32_b16 s17, s17, 4
	s_mov_b32 s19, 0x11027000
	s_pack_ll_b32_b16 s21, s21, 4
	s_mov_b32 s23, 0x11027000
	s_pack_ll_b32_b16 s25, s25, 4
	s_mov_b32 s27, 0x11027000
	s_pack_ll_b32_b16 s29, s29, 4
	s_mov_b32 s31, 0x11027000
	// 4: for i in grid(key.len) {
	v_lshl_add_u32 v1, s15, 6, v0
	v_cmp_lt_u32_e64 s3, v1, s18
	s_cmp_lg_u32 s3, 0
	s_cbranch_scc0 111
	// 5: let k, v = subgroup.bitonic_sort_kv_tiled(key[i], value[i], 2);
	buffer_load_b32 v2, v1, s[16:19], 0 idxen
	s_waitcnt vmcnt(0)
	v_cndmask_b32_e64 v2, 0x7fffffff, v2, s3
	buffer_load_b32 v3, v1, s[20:23], 0 idxen
	s_waitcnt vmcnt(0)
	v_cndmask_b32_e64 v3, -1, v3, s3
	v_ashrrev_i32_e32 v4, 31, v2
	v_and_b32_e32 v4, 0x7fffffff, v4
	v_xor_b32_e32 v2, v2, v4
	v_add_nc_u32_e32 v4, 1, v2
	v_cmp_lt_u32_e64 s4, v4, 2
	v_lshrrev_b32_e32 v5, 31, v3
	v_lshl_or_b32 v4, v3, 1, v4
	v_subrev_nc_u32_e32 v5, 1, v5
	v_cndmask_b32_e64 v7, v2, v5, s4
	v_cndmask_b32_e64 v6, v3, v4, s4
	v_and_b32_e32 v2, 31, v0
	v_mov_b32_dpp v4, v6 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v5, v7 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc_lo, v[4:5], v[6:7]
	s_xor_b32 s4, vcc_lo, 0xaaaaaaaa
	v_cndmask_b32_e64 v8, v6, v4, s4
	v_cndmask_b32_e64 v9, v7, v5, s4
	v_mov_b32_dpp v4, v8 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v5, v9 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc_lo, v[4:5], v[8:9]
	s_xor_b32 s4, vcc_lo, 0xcccccccc
	v_cndmask_b32_e64 v6, v8, v4, s4
	v_cndmask_b32_e64 v7, v9, v5, s4
	v_mov_b32_dpp v4, v6 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v5, v7 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc_lo, v[4:5], v[6:7]
	s_xor_b32 s4, vcc_lo, 0xaaaaaaaa
	v_cndmask_b32_e64 v8, v6, v4, s4
	v_cndmask_b32_e64 v9, v7, v5, s4
	v_add_nc_u32_e32 v3, 1, v9
	v_cmp_lt_u32_e64 s4, v3, 2
	v_and_b32_e32 v4, 1, v8
	v_alignbit_b32 v3, v3, v8, 1
	v_subrev_nc_u32_e32 v4, 1, v4
	v_cndmask_b32_e64 v4, v9, v4, s4
	v_cndmask_b32_e64 v3, v8, v3, s4
	v_ashrrev_i32_e32 v5, 31, v4
	v_and_b32_e32 v5, 0x7fffffff, v5
	v_xor_b32_e32 v4, v4, v5
	// 6: dst[i] = subgroup.segmented_reduce_add_tiled(k, v & 1, 2);
	v_and_b32_e32 v5, 1, v3
	v_cmp_ne_u32_e64 s4, v5, 0
	s_or_b32 s4, s4, 0x11111111
	v_not_b32_e32 v5, v2
	v_lshlrev_b32_e64 v5, v5, s4
	v_clz_i32_u32_e32 v6, v5
	v_min_u32_e32 v6, 32, v6
	v_sub_nc_u32_e32 v5, v2, v6
	v_xor_b32_e32 v5, v2, v5
	v_lshrrev_b32_e32 v6, 1, v5
	v_or_b32_e32 v5, v5, v6
	v_and_b32_e32 v2, v2, v5
	v_and_b32_e32 v5, 1, v2
	v_add_f32_dpp v6, v4, v4 quad_perm:[0,0,2,2] row_mask:0xf bank_mask:0xf
	v_cmp_ne_u32_e32 vcc_lo, 0, v5
	v_cndmask_b32_e32 v4, v4, v6, vcc_lo
	v_and_b32_e32 v2, 2, v2
	v_add_f32_dpp v5, v4, v4 quad_perm:[1,1,1,1] row_mask:0xf bank_mask:0xf
	v_cmp_ne_u32_e32 vcc_lo, 0, v2
	v_cndmask_b32_e32 v2, v4, v5, vcc_lo
	v_cndmask_b32_e64 v4, -1, v1, s3
	buffer_store_b32 v2, v4, s[24:27], 0 idxen
	// 7: which[i] = v;
	v_cndmask_b32_e64 v2, -1, v1, s3
	buffer_store_b32 v3, v2, s[28:31], 0 idxen
	s_endpgm
