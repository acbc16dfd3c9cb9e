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
	// 3: for i in grid(x.len) {
	v_lshl_add_u32 v1, s15, 6, v0
	v_cmpx_gt_u32_e32 s18, v1
	s_cbranch_execz 56
	// 4: let a = x[i];
	buffer_load_b32 v2, v1, s[16:19], 0 idxen
	// 5: let b = y[i];
	buffer_load_b32 v3, v1, s[20:23], 0 idxen
	// 6: let sum = sums[i];
	buffer_load_b32 v4, v1, s[28:31], 0 idxen
	// 7: let r = rotl(byte_permute(a, b, 0x1605), 5) ^ byte_permute(a, b, words[i]);
	buffer_load_b32 v5, v1, s[24:27], 0 idxen
	s_waitcnt vmcnt(2)
	v_perm_b32 v6, v3, v2, 0x1060005
	v_alignbit_b32 v6, v6, v6, 27
	s_waitcnt vmcnt(0)
	v_and_b32_e32 v5, 0xffff, v5
	v_lshl_or_b32 v5, v5, 8, v5
	v_and_b32_e32 v5, 0xff00ff, v5
	v_lshl_or_b32 v5, v5, 4, v5
	v_and_b32_e32 v5, 0xf0f0f0f, v5
	v_and_b32_e32 v7, 0x7070707, v5
	v_perm_b32 v7, v3, v2, v7
	v_lshrrev_b32_e32 v8, 7, v7
	v_and_b32_e32 v8, 0x1010101, v8
	v_lshrrev_b32_e32 v5, 3, v5
	v_and_b32_e32 v5, 0x1010101, v5
	v_lshlrev_b32_e32 v9, 8, v5
	v_sub_nc_u32_e32 v5, v9, v5
	v_lshlrev_b32_e32 v9, 8, v8
	v_sub_nc_u32_e32 v8, v9, v8
	v_bfi_b32 v5, v5, v8, v7
	v_xor_b32_e32 v5, v6, v5
	// 8: words[i] = max(max(r, dot4_u8(a, b, r)), 7);
	v_dot4_u32_u8 v6, v2, v3, v5
	v_max3_u32 v5, v5, v6, 7
	buffer_store_b32 v5, v1, s[24:27], 0 idxen
	// 9: sums[i] = clamp(dot4_i8(a, b, sum), dot4_i8u8(a, b, sum), sum);
	v_dot4_i32_iu8 v5, v2, v3, v4 neg_lo:[1,1,0]
	v_dot4_i32_iu8 v2, v2, v3, v4 neg_lo:[1,0,0]
	v_maxmin_i32 v2, v5, v2, v4
	buffer_store_b32 v2, v1, s[28:31], 0 idxen
	s_endpgm
