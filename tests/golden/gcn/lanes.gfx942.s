	s_load_dwordx8 s[4:11], s[0:1], 0x0
	s_load_dwordx4 s[12:15], s[0:1], 0x20
	s_load_dword s3, s[0:1], 0x34
	s_waitcnt lgkmcnt(0)
	s_add_i32 s2, s2, s3
	s_pack_ll_b32_b16 s5, s5, 4
	s_mov_b32 s7, 0x27000
	s_pack_ll_b32_b16 s9, s9, 4
	s_mov_b32 s11, 0x27000
	s_pack_ll_b32_b16 s13, s13, 4
	s_mov_b32 s15, 0x27000
	// 4: for i in grid(src.len) {
	s_lshl_b32 s16, s2, 6
	v_add_u32_e32 v1, s16, v0
	v_cmp_lt_u32_e64 s[18:19], v1, s6
	s_cmp_lt_u32 s16, s6
	s_cbranch_scc0 28
	// 5: let v = src[i];
	buffer_load_dword v2, v1, s[4:7], 0 idxen
	// 6: let lane = subgroup.invocation_id();
	// 7: mask[i] = subgroup.ballot_first_n(v > 0.0, 7);
	s_waitcnt vmcnt(0)
	v_cmp_lt_f32_e64 s[16:17], 0, v2
	s_and_b64 s[16:17], s[16:17], s[18:19]
	s_and_b32 s16, s16, 0x7f
	v_mov_b32_e32 v3, s16
	v_cndmask_b32_e64 v4, -1, v1, s[18:19]
	buffer_store_dword v3, v4, s[12:15], 0 idxen
	// 8: dst[i] = subgroup.shuffle(v, lane ^ 3) + subgroup.shuffle_up(v, 1) * max(v, 0.5);
	v_xor_b32_e32 v3, 3, v0
	v_lshlrev_b32_e32 v5, 2, v3
	ds_bpermute_b32 v4, v5, v2
	v_mov_b32_e32 v3, v2
	v_mov_b32_dpp v3, v2 wave_shr:1 row_mask:0xf bank_mask:0xf
	v_max_f32_e32 v2, 0.5, v2
	v_mul_f32_e32 v2, v3, v2
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v4, v2
	v_cndmask_b32_e64 v3, -1, v1, s[18:19]
	buffer_store_dword v2, v3, s[8:11], 0 idxen
	s_endpgm
