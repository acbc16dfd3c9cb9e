	s_load_dwordx16 s[4:19], s[0:1], 0x0
	s_load_dword s3, s[0:1], 0x44
	s_waitcnt lgkmcnt(0)
	s_add_i32 s2, s2, s3
	s_pack_ll_b32_b16 s5, s5, 4
	s_mov_b32 s7, 0x27000
	s_pack_ll_b32_b16 s9, s9, 8
	s_mov_b32 s11, 0x27000
	s_pack_ll_b32_b16 s13, s13, 4
	s_mov_b32 s15, 0x27000
	s_pack_ll_b32_b16 s17, s17, 8
	s_mov_b32 s19, 0x27000
	// 5: for i in grid(f.len) {
	s_lshl_b32 s20, s2, 6
	v_add_u32_e32 v1, s20, v0
	v_cmp_lt_u32_e64 s[22:23], v1, s6
	s_cmp_lt_u32 s20, s6
	s_cbranch_scc0 59
	// 6: a[i] = subgroup.reduce_add(f[i]);
	buffer_load_dword v2, v1, s[4:7], 0 idxen
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v3, 0x80000000
	v_cndmask_b32_e64 v2, v3, v2, s[22:23]
	// 7: b[i] = subgroup.reduce_add_tiled(n[i], 2);
	buffer_load_dwordx2 v[4:5], v1, s[8:11], 0 idxen
	// 6: a[i] = subgroup.reduce_add(f[i]);
	s_nop 0
	v_add_f32_dpp v3, v2, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	s_nop 1
	v_add_f32_dpp v3, v3, v3 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
	s_nop 1
	v_add_f32_dpp v3, v3, v3 row_half_mirror row_mask:0xf bank_mask:0xf
	s_nop 1
	v_add_f32_dpp v3, v3, v3 row_ror:8 row_mask:0xf bank_mask:0xf
	s_nop 1
	v_add_f32_dpp v3, v3, v3 row_bcast:15 row_mask:0xa bank_mask:0xf
	s_nop 1
	v_add_f32_dpp v3, v3, v3 row_bcast:31 row_mask:0xc bank_mask:0xf
	s_nop 0
	v_readlane_b32 s20, v3, 63
	s_nop 1
	v_mov_b32_e32 v2, s20
	v_cndmask_b32_e64 v3, -1, v1, s[22:23]
	buffer_store_dword v2, v3, s[12:15], 0 idxen
	// 7: b[i] = subgroup.reduce_add_tiled(n[i], 2);
	s_waitcnt vmcnt(1)
	v_cndmask_b32_e64 v2, 0, v4, s[22:23]
	v_cndmask_b32_e64 v3, 0, v5, s[22:23]
	s_nop 0
	v_mov_b32_dpp v4, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v5, v3 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_lshl_add_u64 v[6:7], v[2:3], 0, v[4:5]
	s_nop 1
	v_mov_b32_dpp v2, v6 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v3, v7 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
	v_lshl_add_u64 v[4:5], v[6:7], 0, v[2:3]
	v_cndmask_b32_e64 v2, -1, v1, s[22:23]
	buffer_store_dwordx2 v[4:5], v2, s[16:19], 0 idxen
	s_endpgm
