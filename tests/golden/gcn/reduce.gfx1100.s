	s_load_b512 s[16:31], s[0:1], null
	s_load_b32 s2, s[0:1], 0x44
	s_waitcnt lgkmcnt(0)
	s_add_i32 s15, s15, s2
	s_pack_ll_b32_b16 s17, s17, 4
	s_mov_b32 s19, 0x11027000
	s_pack_ll_b32_b16 s21, s21, 8
	s_mov_b32 s23, 0x11027000
	s_pack_ll_b32_b16 s25, s25, 4
	s_mov_b32 s27, 0x11027000
	s_pack_ll_b32_b16 s29, s29, 8
	s_mov_b32 s31, 0x11027000
	// 5: for i in grid(f.len) {
	v_lshl_add_u32 v1, s15, 6, v0
	v_cmp_lt_u32_e64 s3, v1, s18
	s_cmp_lg_u32 s3, 0
	s_cbranch_scc0 46
	// 6: a[i] = subgroup.reduce_add(f[i]);
	buffer_load_b32 v2, v1, s[16:19], 0 idxen
	s_waitcnt vmcnt(0)
	v_cndmask_b32_e64 v2, 0x80000000, v2, s3
	// 7: b[i] = subgroup.reduce_add_tiled(n[i], 2);
	buffer_load_b64 v[4:5], v1, s[20:23], 0 idxen
	// 6: a[i] = subgroup.reduce_add(f[i]);
	v_add_f32_dpp v2, v2, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_add_f32_dpp v2, v2, v2 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
	v_add_f32_dpp v2, v2, v2 row_half_mirror row_mask:0xf bank_mask:0xf
	v_add_f32_dpp v2, v2, v2 row_ror:8 row_mask:0xf bank_mask:0xf
	v_permlanex16_b32 v3, v2, 0, 0
	v_add_f32_e32 v2, v2, v3
	v_cndmask_b32_e64 v3, -1, v1, s3
	buffer_store_b32 v2, v3, s[24:27], 0 idxen
	// 7: b[i] = subgroup.reduce_add_tiled(n[i], 2);
	s_waitcnt vmcnt(0)
	v_cndmask_b32_e64 v2, 0, v4, s3
	v_cndmask_b32_e64 v3, 0, v5, s3
	v_mov_b32_dpp v4, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v5, v3 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_add_co_u32 v6, vcc_lo, v2, v4
	v_add_co_ci_u32_e32 v7, vcc_lo, v3, v5, vcc_lo
	v_mov_b32_dpp v2, v6 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v3, v7 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
	v_add_co_u32 v4, vcc_lo, v6, v2
	v_add_co_ci_u32_e32 v5, vcc_lo, v7, v3, vcc_lo
	v_cndmask_b32_e64 v2, -1, v1, s3
	buffer_store_b64 v[4:5], v2, s[28:31], 0 idxen
	s_endpgm
