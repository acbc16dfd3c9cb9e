	s_load_dwordx16 s[4:19], s[0:1], 0x0
	s_load_dword s3, s[0:1], 0x44
	s_waitcnt lgkmcnt(0)
	s_add_i32 s2, s2, s3
	s_pack_ll_b32_b16 s5, s5, 4
	s_mov_b32 s7, 0x27000
	s_pack_ll_b32_b16 s9, s9, 4
	s_mov_b32 s11, 0x27000
	s_pack_ll_b32_b16 s13, s13, 4
	s_mov_b32 s15, 0x27000
	s_pack_ll_b32_b16 s17, s17, 4
	s_mov_b32 s19, 0x27000
	// 4: for i in grid(key.len) {
	s_lshl_b32 s20, s2, 6
	v_add_u32_e32 v1, s20, v0
	v_cmp_lt_u32_e64 s[22:23], v1, s6
	s_cmp_lt_u32 s20, s6
	s_cbranch_scc0 124
	// 5: let k, v = subgroup.bitonic_sort_kv_tiled(key[i], value[i], 2);
	buffer_load_dword v2, v1, s[4:7], 0 idxen
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v3, 0x7fffffff
	v_cndmask_b32_e64 v2, v3, v2, s[22:23]
	buffer_load_dword v3, v1, s[8:11], 0 idxen
	s_waitcnt vmcnt(0)
	v_cndmask_b32_e64 v3, -1, v3, s[22:23]
	v_ashrrev_i32_e32 v4, 31, v2
	v_and_b32_e32 v4, 0x7fffffff, v4
	v_xor_b32_e32 v2, v2, v4
	v_add_u32_e32 v4, 1, v2
	v_cmp_lt_u32_e64 s[20:21], v4, 2
	v_lshrrev_b32_e32 v5, 31, v3
	v_lshl_or_b32 v4, v3, 1, v4
	v_subrev_u32_e32 v5, 1, v5
	v_cndmask_b32_e64 v7, v2, v5, s[20:21]
	v_cndmask_b32_e64 v6, v3, v4, s[20:21]
	s_mov_b32 s20, 0xaaaaaaaa
	s_mov_b32 s21, s20
	s_mov_b32 s24, 0xcccccccc
	s_mov_b32 s25, s24
	v_mov_b32_dpp v2, v6 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v3, v7 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc, v[2:3], v[6:7]
	s_xor_b64 s[26:27], vcc, s[20:21]
	v_cndmask_b32_e64 v4, v6, v2, s[26:27]
	v_cndmask_b32_e64 v5, v7, v3, s[26:27]
	s_nop 0
	v_mov_b32_dpp v2, v4 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v3, v5 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc, v[2:3], v[4:5]
	s_xor_b64 s[24:25], vcc, s[24:25]
	v_cndmask_b32_e64 v6, v4, v2, s[24:25]
	v_cndmask_b32_e64 v7, v5, v3, s[24:25]
	s_nop 0
	v_mov_b32_dpp v2, v6 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v3, v7 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc, v[2:3], v[6:7]
	s_xor_b64 s[20:21], vcc, s[20:21]
	v_cndmask_b32_e64 v4, v6, v2, s[20:21]
	v_cndmask_b32_e64 v5, v7, v3, s[20:21]
	v_add_u32_e32 v2, 1, v5
	v_cmp_lt_u32_e64 s[20:21], v2, 2
	v_and_b32_e32 v3, 1, v4
	v_alignbit_b32 v2, v2, v4, 1
	v_subrev_u32_e32 v3, 1, v3
	v_cndmask_b32_e64 v3, v5, v3, s[20:21]
	v_cndmask_b32_e64 v2, v4, v2, s[20:21]
	v_ashrrev_i32_e32 v4, 31, v3
	v_and_b32_e32 v4, 0x7fffffff, v4
	v_xor_b32_e32 v3, v3, v4
	// 6: dst[i] = subgroup.segmented_reduce_add_tiled(k, v & 1, 2);
	v_and_b32_e32 v4, 1, v2
	v_cmp_ne_u32_e64 s[20:21], v4, 0
	s_mov_b32 vcc_lo, 0
	s_mov_b32 vcc_hi, -1
	v_mov_b32_e32 v5, s20
	v_mov_b32_e32 v6, s21
	v_cndmask_b32_e64 v4, v5, v6, vcc
	v_or_b32_e32 v4, 0x11111111, v4
	v_not_b32_e32 v5, v0
	v_lshlrev_b32_e32 v4, v5, v4
	v_ffbh_u32_e32 v5, v4
	v_min_u32_e32 v5, 32, v5
	v_sub_u32_e32 v4, v0, v5
	v_xor_b32_e32 v4, v0, v4
	v_lshrrev_b32_e32 v5, 1, v4
	v_or_b32_e32 v4, v4, v5
	v_and_b32_e32 v4, v0, v4
	v_and_b32_e32 v5, 1, v4
	v_add_f32_dpp v6, v3, v3 quad_perm:[0,0,2,2] row_mask:0xf bank_mask:0xf
	v_cmp_ne_u32_e32 vcc, 0, v5
	s_nop 1
	v_cndmask_b32_e32 v3, v3, v6, vcc
	v_and_b32_e32 v4, 2, v4
	s_nop 0
	v_add_f32_dpp v5, v3, v3 quad_perm:[1,1,1,1] row_mask:0xf bank_mask:0xf
	v_cmp_ne_u32_e32 vcc, 0, v4
	s_nop 1
	v_cndmask_b32_e32 v3, v3, v5, vcc
	v_cndmask_b32_e64 v4, -1, v1, s[22:23]
	buffer_store_dword v3, v4, s[12:15], 0 idxen
	// 7: which[i] = v;
	v_cndmask_b32_e64 v3, -1, v1, s[22:23]
	buffer_store_dword v2, v3, s[16:19], 0 idxen
	s_endpgm
