	s_load_b256 s[4:11], s[0:1], null
	s_load_b128 s[16:19], s[0:1], 0x20
	s_load_b32 s2, s[0:1], 0x34
	s_waitcnt lgkmcnt(0)
	s_add_i32 s15, s15, s2
	s_pack_ll_b32_b16 s5, s5, 4
	s_mov_b32 s7, 0x11027000
	s_pack_ll_b32_b16 s9, s9, 4
	s_mov_b32 s11, 0x11027000
	s_pack_ll_b32_b16 s17, s17, 4
	s_mov_b32 s19, 0x11027000
	// 4: for i in grid(src.len) {
	v_lshl_add_u32 v1, s15, 6, v0
	v_cmp_lt_u32_e64 s3, v1, s6
	v_and_b32_e32 v2, 31, v0
	s_cmp_lg_u32 s3, 0
	s_cbranch_scc0 32
	// 5: let v = src[i];
	buffer_load_b32 v3, v1, s[4:7], 0 idxen
	// 7: mask[i] = subgroup.ballot_first_n(v > 0.0, 7);
	s_waitcnt vmcnt(0)
	v_cmp_lt_f32_e64 s12, 0, v3
	s_and_b32 s12, s12, s3
	s_and_b32 s12, s12, 0x7f
	v_mov_b32_e32 v4, s12
	v_cndmask_b32_e64 v5, -1, v1, s3
	buffer_store_b32 v4, v5, s[16:19], 0 idxen
	// 8: dst[i] = subgroup.shuffle(v, lane ^ 3) + subgroup.shuffle_up(v, 1) * max(v, 0.5);
	v_xor_b32_e32 v2, 3, v2
	v_lshlrev_b32_e32 v5, 2, v2
	ds_bpermute_b32 v4, v5, v3
	v_readlane_b32 s12, v3, 15
	v_mov_b32_e32 v2, v3
	v_mov_b32_dpp v2, v3 row_shr:1 row_mask:0xf bank_mask:0xf
	v_writelane_b32 v2, s12, 16
	v_max_f32_e32 v3, 0.5, v3
	v_mul_f32_e32 v2, v2, v3
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v2, v4, v2
	v_cndmask_b32_e64 v3, -1, v1, s3
	buffer_store_b32 v2, v3, s[8:11], 0 idxen
	s_endpgm
