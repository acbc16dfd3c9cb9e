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
	// 3: for i in grid(x.len) {
	v_lshl_add_u32 v1, s2, 6, v0
	v_cmp_gt_u32_e32 vcc, s6, v1
	s_mov_b64 exec, vcc
	s_cbranch_execz 69
	// 4: let a = x[i];
	buffer_load_dword v2, v1, s[4:7], 0 idxen
	// 5: let b = y[i];
	buffer_load_dword v3, v1, s[8:11], 0 idxen
	// 6: let sum = sums[i];
	buffer_load_dword v4, v1, s[16:19], 0 idxen
	// 7: let r = rotl(byte_permute(a, b, 0x1605), 5) ^ byte_permute(a, b, words[i]);
	buffer_load_dword v5, v1, s[12:15], 0 idxen
	s_waitcnt vmcnt(2)
	v_mov_b32_e32 v7, 0x1060005
	v_perm_b32 v6, v3, v2, v7
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
	v_sub_u32_e32 v5, v9, v5
	v_lshlrev_b32_e32 v9, 8, v8
	v_sub_u32_e32 v8, v9, v8
	v_bfi_b32 v5, v5, v8, v7
	v_xor_b32_e32 v5, v6, v5
	// 8: words[i] = max(max(r, dot4_u8(a, b, r)), 7);
	v_dot4_u32_u8 v6, v2, v3, v5
	s_nop 2
	v_max3_u32 v5, v5, v6, 7
	buffer_store_dword v5, v1, s[12:15], 0 idxen
	// 9: sums[i] = clamp(dot4_i8(a, b, sum), dot4_i8u8(a, b, sum), sum);
	v_dot4_i32_i8 v5, v2, v3, v4
	s_nop 2
	v_mov_b32_e32 v7, 0x1010101
	v_dot4_i32_i8 v6, v2, v7, 0
	s_nop 2
	v_xor_b32_e32 v3, 0x80808080, v3
	v_dot4_i32_i8 v2, v2, v3, v4
	s_nop 2
	v_lshl_add_u32 v2, v6, 7, v2
	v_max_i32_e32 v2, v5, v2
	v_min_i32_e32 v2, v2, v4
	buffer_store_dword v2, v1, s[16:19], 0 idxen
	s_endpgm
