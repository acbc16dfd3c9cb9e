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
	// 6: for i in grid(f.len) {
	s_lshl_b32 s20, s2, 8
	v_add_u32_e32 v1, s20, v0
	v_cmp_lt_u32_e64 s[22:23], v1, s6
	s_cmp_lt_u32 s20, s6
	s_cbranch_scc0 137
	// 7: sum[i] = block.reduce_add(f[i]);
	buffer_load_dword v2, v1, s[4:7], 0 idxen
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v3, 0x80000000
	v_cndmask_b32_e64 v2, v3, v2, s[22:23]
	s_nop 1
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
	v_readfirstlane_b32 s21, v0
	s_lshr_b32 s21, s21, 6
	v_and_b32_e32 v2, 63, v0
	v_cmp_eq_u32_e64 s[24:25], v2, 0
	v_mov_b32_e32 v3, s20
	v_lshlrev_b32_e64 v4, 2, s21
	s_and_saveexec_b64 s[26:27], s[24:25]
	ds_write_b32 v4, v3
	s_mov_b64 exec, s[26:27]
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_and_b32_e32 v2, 3, v2
	v_lshlrev_b32_e32 v3, 2, v2
	ds_read_b32 v4, v3
	// 8: least[i] = block.reduce_min(f[i]);
	buffer_load_dword v5, v1, s[4:7], 0 idxen
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v6, 0x7fc00000
	v_cndmask_b32_e64 v5, v6, v5, s[22:23]
	// 7: sum[i] = block.reduce_add(f[i]);
	s_waitcnt lgkmcnt(0)
	v_add_f32_dpp v4, v4, v4 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	s_nop 1
	v_add_f32_dpp v4, v4, v4 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
	v_cndmask_b32_e64 v6, -1, v1, s[22:23]
	buffer_store_dword v4, v6, s[8:11], 0 idxen
	// 8: least[i] = block.reduce_min(f[i]);
	v_min_f32_dpp v4, v5, v5 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	s_nop 1
	v_min_f32_dpp v4, v4, v4 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
	s_nop 1
	v_min_f32_dpp v4, v4, v4 row_half_mirror row_mask:0xf bank_mask:0xf
	s_nop 1
	v_min_f32_dpp v4, v4, v4 row_ror:8 row_mask:0xf bank_mask:0xf
	s_nop 1
	v_min_f32_dpp v4, v4, v4 row_bcast:15 row_mask:0xa bank_mask:0xf
	s_nop 1
	v_min_f32_dpp v4, v4, v4 row_bcast:31 row_mask:0xc bank_mask:0xf
	s_nop 0
	v_readlane_b32 s20, v4, 63
	s_nop 1
	v_mov_b32_e32 v4, s20
	v_lshlrev_b32_e64 v5, 2, s21
	s_and_saveexec_b64 s[26:27], s[24:25]
	ds_write_b32 v5, v4 offset:16
	s_mov_b64 exec, s[26:27]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	s_barrier
	v_lshlrev_b32_e32 v3, 2, v2
	ds_read_b32 v4, v3 offset:16
	// 9: votes[i] = block.sync_count_nonzero(f[i] > 0.0);
	buffer_load_dword v5, v1, s[4:7], 0 idxen
	// 8: least[i] = block.reduce_min(f[i]);
	s_waitcnt lgkmcnt(0)
	v_min_f32_dpp v4, v4, v4 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	s_nop 1
	v_min_f32_dpp v4, v4, v4 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
	v_cndmask_b32_e64 v6, -1, v1, s[22:23]
	buffer_store_dword v4, v6, s[12:15], 0 idxen
	// 9: votes[i] = block.sync_count_nonzero(f[i] > 0.0);
	s_waitcnt vmcnt(1)
	v_cmp_lt_f32_e64 s[26:27], 0, v5
	s_and_b64 s[26:27], s[26:27], s[22:23]
	s_bcnt1_i32_b32 s20, s26
	s_bcnt1_i32_b32 s26, s27
	s_add_i32 s20, s20, s26
	v_mov_b32_e32 v4, s20
	v_lshlrev_b32_e64 v5, 2, s21
	s_and_saveexec_b64 s[26:27], s[24:25]
	ds_write_b32 v5, v4 offset:32
	s_mov_b64 exec, s[26:27]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	s_barrier
	v_lshlrev_b32_e32 v3, 2, v2
	ds_read_b32 v2, v3 offset:32
	s_waitcnt lgkmcnt(0)
	v_add_u32_dpp v2, v2, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	s_nop 1
	v_add_u32_dpp v2, v2, v2 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
	v_cndmask_b32_e64 v3, -1, v1, s[22:23]
	buffer_store_dword v2, v3, s[16:19], 0 idxen
	s_endpgm

	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_load_dwordx4 s[8:11], s[0:1], 0x18
	s_load_dword s3, s[0:1], 0x10
	s_load_dword s12, s[0:1], 0x2c
	s_waitcnt lgkmcnt(0)
	s_add_i32 s2, s2, s12
	s_pack_ll_b32_b16 s5, s5, 4
	s_mov_b32 s7, 0x27000
	s_pack_ll_b32_b16 s9, s9, 4
	s_mov_b32 s11, 0x27000
	s_mov_b32 s13, 0
	// 14: kernel rounds(v: in u32[], n: u32, a: out u32[]) block(128) {
	// 15: for i in grid(v.len) {
	s_lshl_b32 s14, s2, 7
	v_add_u32_e32 v1, s14, v0
	v_cmp_lt_u32_e64 s[16:17], v1, s6
	s_cmp_lt_u32 s14, s6
	s_cbranch_scc0 65
	// 16: var x = v[i];
	buffer_load_dword v2, v1, s[4:7], 0 idxen
	// 17: for r in 0..n { x = block.exclusive_add(x) ^ r; }
	s_waitcnt vmcnt(0)
	s_mov_b32 s14, 0
	v_readfirstlane_b32 s15, v0
	s_lshr_b32 s15, s15, 6
	v_and_b32_e32 v3, 63, v0
	v_cmp_eq_u32_e64 s[18:19], v3, 63
	s_and_b32 s20, s15, 1
	v_cmp_ne_u32_e64 s[22:23], s20, 0
	s_and_b32 s20, s15, -2
	s_mov_b32 s21, s14
	s_cmp_le_u32 s3, s21
	s_cbranch_scc1 44
	s_add_i32 s14, s21, 1
	v_mov_b32_e32 v3, v2
	s_nop 1
	v_add_u32_dpp v3, v3, v3 row_shr:1 row_mask:0xf bank_mask:0xf
	s_nop 1
	v_add_u32_dpp v3, v3, v3 row_shr:2 row_mask:0xf bank_mask:0xf
	s_nop 1
	v_add_u32_dpp v3, v3, v3 row_shr:4 row_mask:0xf bank_mask:0xf
	s_nop 1
	v_add_u32_dpp v3, v3, v3 row_shr:8 row_mask:0xf bank_mask:0xf
	s_nop 1
	v_add_u32_dpp v3, v3, v3 row_bcast:15 row_mask:0xa bank_mask:0xf
	s_nop 1
	v_add_u32_dpp v3, v3, v3 row_bcast:31 row_mask:0xc bank_mask:0xf
	s_mov_b32 s24, s13
	s_xor_b32 s13, s24, 1
	s_lshl_b32 s24, s24, 1
	s_add_i32 s25, s15, s24
	v_lshlrev_b32_e64 v4, 2, s25
	s_and_saveexec_b64 s[26:27], s[18:19]
	ds_write_b32 v4, v3
	s_mov_b64 exec, s[26:27]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	s_barrier
	s_add_i32 s24, s20, s24
	v_lshlrev_b32_e64 v4, 2, s24
	ds_read_b32 v5, v4
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v4, v5, v3
	v_cndmask_b32_e64 v3, v3, v4, s[22:23]
	v_sub_u32_e32 v3, v3, v2
	v_xor_b32_e32 v2, s21, v3
	s_branch 65489
	// 18: a[i] = x;
	s_nop 1
	v_cndmask_b32_e64 v3, -1, v1, s[16:17]
	buffer_store_dword v2, v3, s[8:11], 0 idxen
	s_endpgm

	s_load_dwordx8 s[4:11], s[0:1], 0x0
	s_load_dword s3, s[0:1], 0x24
	s_waitcnt lgkmcnt(0)
	s_add_i32 s2, s2, s3
	s_pack_ll_b32_b16 s5, s5, 4
	s_mov_b32 s7, 0x27000
	s_pack_ll_b32_b16 s9, s9, 4
	s_mov_b32 s11, 0x27000
	v_cmp_lt_u32_e64 s[12:13], v0, 20
	// 24: for i in grid(f.len) { a[i] = block.inclusive_add(f[i]) + block.broadcast(f[i], 3); }
	s_mul_i32 s14, s2, 20
	v_add_u32_e32 v1, s14, v0
	v_cmp_lt_u32_e64 s[16:17], v1, s6
	s_and_b64 s[12:13], s[16:17], s[12:13]
	s_cmp_lt_u32 s14, s6
	s_cbranch_scc0 48
	v_cndmask_b32_e64 v2, -1, v1, s[12:13]
	buffer_load_dword v3, v2, s[4:7], 0 idxen
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v2, v3
	s_nop 1
	v_add_f32_dpp v4, v2, v2 quad_perm:[0,0,2,2] row_mask:0xf bank_mask:0xf
	s_mov_b32 vcc_lo, 0xaaaaaaaa
	s_mov_b32 vcc_hi, vcc_lo
	v_cndmask_b32_e32 v2, v2, v4, vcc
	s_nop 1
	v_add_f32_dpp v4, v2, v2 quad_perm:[1,1,1,1] row_mask:0xf bank_mask:0xf
	s_mov_b32 vcc_lo, 0xcccccccc
	s_mov_b32 vcc_hi, vcc_lo
	v_cndmask_b32_e32 v2, v2, v4, vcc
	s_nop 1
	v_mov_b32_dpp v4, v2 quad_perm:[3,3,3,3] row_mask:0xf bank_mask:0xf
	s_nop 1
	v_add_f32_dpp v2, v4, v2 row_shr:4 row_mask:0xf bank_mask:0xa
	s_nop 1
	v_mov_b32_dpp v4, v2 quad_perm:[3,3,3,3] row_mask:0xf bank_mask:0xf
	s_nop 1
	v_add_f32_dpp v2, v4, v2 row_shr:4 row_mask:0xf bank_mask:0x4
	v_add_f32_dpp v2, v4, v2 row_shr:8 row_mask:0xf bank_mask:0x8
	s_nop 1
	v_add_f32_dpp v2, v2, v2 row_bcast:15 row_mask:0xa bank_mask:0xf
	s_nop 1
	v_add_f32_dpp v2, v2, v2 row_bcast:31 row_mask:0xc bank_mask:0xf
	v_readlane_b32 s14, v3, 3
	s_nop 1
	v_add_f32_e32 v2, s14, v2
	v_cndmask_b32_e64 v3, -1, v1, s[12:13]
	buffer_store_dword v2, v3, s[8:11], 0 idxen
	s_endpgm

	s_load_dwordx8 s[4:11], s[0:1], 0x0
	s_load_dword s3, s[0:1], 0x24
	s_waitcnt lgkmcnt(0)
	s_add_i32 s2, s2, s3
	s_pack_ll_b32_b16 s5, s5, 4
	s_mov_b32 s7, 0x27000
	s_pack_ll_b32_b16 s9, s9, 4
	s_mov_b32 s11, 0x27000
	v_mov_b32_e32 v1, 0x60
	v_cmp_lt_u32_e64 s[12:13], v0, v1
	// 29: for i in grid(a.len) {
	s_mul_i32 s14, s2, 0x60
	v_add_u32_e32 v1, s14, v0
	v_cmp_lt_u32_e64 s[16:17], v1, s6
	s_and_b64 s[12:13], s[16:17], s[12:13]
	s_cmp_lt_u32 s14, s6
	s_cbranch_scc0 278
	s_sub_i32 s14, s6, s14
	s_min_u32 s14, s14, 0x60
	// 30: a[i], b[i] = block.reduce(a[i], b[i], op = affine);
	v_cndmask_b32_e64 v2, -1, v1, s[12:13]
	buffer_load_dword v3, v2, s[4:7], 0 idxen
	s_nop 0
	buffer_load_dword v2, v1, s[8:11], 0 idxen
	v_readfirstlane_b32 s15, v0
	s_lshr_b32 s15, s15, 6
	s_lshl_b32 s16, s15, 6
	s_min_u32 s16, s14, s16
	s_sub_i32 s16, s14, s16
	v_and_b32_e32 v4, 63, v0
	s_mov_b32 s18, 0xaaaaaaaa
	s_mov_b32 s19, s18
	s_waitcnt vmcnt(1)
	v_mov_b32_dpp v5, v3 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_cndmask_b32_e64 v6, v3, v5, s[18:19]
	v_cndmask_b32_e64 v3, v5, v3, s[18:19]
	s_waitcnt vmcnt(0)
	v_mov_b32_dpp v5, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_cndmask_b32_e64 v7, v2, v5, s[18:19]
	v_cndmask_b32_e64 v2, v5, v2, s[18:19]
	v_mul_lo_u32 v5, v6, v3
	v_mul_lo_u32 v3, v7, v3
	v_add_u32_e32 v2, v3, v2
	v_and_or_b32 v3, v4, -2, 1
	v_cmp_lt_u32_e64 s[18:19], v3, s16
	s_nop 1
	v_cndmask_b32_e64 v3, v6, v5, s[18:19]
	v_cndmask_b32_e64 v2, v7, v2, s[18:19]
	s_mov_b32 s18, 0xcccccccc
	s_mov_b32 s19, s18
	v_mov_b32_dpp v5, v3 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
	v_cndmask_b32_e64 v6, v3, v5, s[18:19]
	v_cndmask_b32_e64 v3, v5, v3, s[18:19]
	v_mov_b32_dpp v5, v2 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
	v_cndmask_b32_e64 v7, v2, v5, s[18:19]
	v_cndmask_b32_e64 v2, v5, v2, s[18:19]
	v_mul_lo_u32 v5, v6, v3
	v_mul_lo_u32 v3, v7, v3
	v_add_u32_e32 v2, v3, v2
	v_and_or_b32 v3, v4, -4, 2
	v_cmp_lt_u32_e64 s[18:19], v3, s16
	s_nop 1
	v_cndmask_b32_e64 v3, v6, v5, s[18:19]
	v_cndmask_b32_e64 v2, v7, v2, s[18:19]
	s_mov_b32 s18, 0xf0f0f0f0
	s_mov_b32 s19, s18
	v_mov_b32_dpp v5, v3 row_half_mirror row_mask:0xf bank_mask:0xf
	v_cndmask_b32_e64 v6, v3, v5, s[18:19]
	v_cndmask_b32_e64 v3, v5, v3, s[18:19]
	v_mov_b32_dpp v5, v2 row_half_mirror row_mask:0xf bank_mask:0xf
	v_cndmask_b32_e64 v7, v2, v5, s[18:19]
	v_cndmask_b32_e64 v2, v5, v2, s[18:19]
	v_mul_lo_u32 v5, v6, v3
	v_mul_lo_u32 v3, v7, v3
	v_add_u32_e32 v2, v3, v2
	v_and_or_b32 v3, v4, -8, 4
	v_cmp_lt_u32_e64 s[18:19], v3, s16
	s_nop 1
	v_cndmask_b32_e64 v3, v6, v5, s[18:19]
	v_cndmask_b32_e64 v2, v7, v2, s[18:19]
	s_mov_b32 s18, 0xff00ff00
	s_mov_b32 s19, s18
	v_mov_b32_dpp v5, v3 row_ror:8 row_mask:0xf bank_mask:0xf
	v_cndmask_b32_e64 v6, v3, v5, s[18:19]
	v_cndmask_b32_e64 v3, v5, v3, s[18:19]
	v_mov_b32_dpp v5, v2 row_ror:8 row_mask:0xf bank_mask:0xf
	v_cndmask_b32_e64 v7, v2, v5, s[18:19]
	v_cndmask_b32_e64 v2, v5, v2, s[18:19]
	v_mul_lo_u32 v5, v6, v3
	v_mul_lo_u32 v3, v7, v3
	v_add_u32_e32 v2, v3, v2
	v_and_or_b32 v3, v4, -16, 8
	v_cmp_lt_u32_e64 s[18:19], v3, s16
	s_nop 1
	v_cndmask_b32_e64 v3, v6, v5, s[18:19]
	v_cndmask_b32_e64 v2, v7, v2, s[18:19]
	s_mov_b32 s18, 0xffff0000
	s_mov_b32 s19, s18
	ds_swizzle_b32 v5, v3 offset:swizzle(SWAP,16)
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e64 v6, v3, v5, s[18:19]
	v_cndmask_b32_e64 v3, v5, v3, s[18:19]
	ds_swizzle_b32 v5, v2 offset:swizzle(SWAP,16)
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e64 v7, v2, v5, s[18:19]
	v_cndmask_b32_e64 v2, v5, v2, s[18:19]
	v_mul_lo_u32 v5, v6, v3
	v_mul_lo_u32 v3, v7, v3
	v_add_u32_e32 v2, v3, v2
	v_mov_b32_e32 v8, 0xffffffe0
	v_and_or_b32 v3, v4, v8, 16
	v_cmp_lt_u32_e64 s[18:19], v3, s16
	s_nop 1
	v_cndmask_b32_e64 v3, v6, v5, s[18:19]
	v_cndmask_b32_e64 v2, v7, v2, s[18:19]
	s_mov_b32 s18, 0
	s_mov_b32 s19, -1
	v_xor_b32_e32 v5, 32, v0
	v_lshlrev_b32_e32 v7, 2, v5
	ds_bpermute_b32 v6, v7, v3
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e64 v5, v3, v6, s[18:19]
	v_cndmask_b32_e64 v3, v6, v3, s[18:19]
	v_xor_b32_e32 v6, 32, v0
	v_lshlrev_b32_e32 v8, 2, v6
	ds_bpermute_b32 v7, v8, v2
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e64 v6, v2, v7, s[18:19]
	v_cndmask_b32_e64 v2, v7, v2, s[18:19]
	v_mul_lo_u32 v7, v5, v3
	v_mul_lo_u32 v3, v6, v3
	v_add_u32_e32 v2, v3, v2
	v_mov_b32_e32 v8, 0xffffffc0
	v_and_or_b32 v3, v4, v8, 32
	v_cmp_lt_u32_e64 s[18:19], v3, s16
	s_nop 1
	v_cndmask_b32_e64 v3, v5, v7, s[18:19]
	v_cndmask_b32_e64 v2, v6, v2, s[18:19]
	v_cmp_eq_u32_e64 s[16:17], v4, 0
	v_lshlrev_b32_e64 v4, 2, s15
	s_and_saveexec_b64 s[18:19], s[16:17]
	ds_write_b32 v4, v3
	s_mov_b64 exec, s[18:19]
	v_lshlrev_b32_e64 v3, 2, s15
	s_and_saveexec_b64 s[18:19], s[16:17]
	ds_write_b32 v3, v2 offset:8
	s_mov_b64 exec, s[18:19]
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_mov_b32_e32 v2, 0
	ds_read_b32 v3, v2
	ds_read_b32 v4, v2 offset:8
	ds_read_b32 v5, v2 offset:4
	ds_read_b32 v6, v2 offset:12
	v_cmp_lt_u32_e64 s[16:17], 64, s14
	s_waitcnt lgkmcnt(1)
	v_mul_lo_u32 v7, v3, v5
	v_mul_lo_u32 v5, v4, v5
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v5, v5, v6
	v_cndmask_b32_e64 v3, v3, v7, s[16:17]
	v_cndmask_b32_e64 v4, v4, v5, s[16:17]
	v_cndmask_b32_e64 v5, -1, v1, s[12:13]
	buffer_store_dword v3, v5, s[4:7], 0 idxen
	v_cndmask_b32_e64 v3, -1, v1, s[12:13]
	buffer_store_dword v4, v3, s[8:11], 0 idxen
	// 31: a[i] = block.shuffle(a[i], i ^ 64);
	v_cndmask_b32_e64 v3, -1, v1, s[12:13]
	buffer_load_dword v4, v3, s[4:7], 0 idxen
	v_xor_b32_e32 v3, 64, v1
	v_mov_b32_e32 v7, 0xaaaaaaab
	v_mul_hi_u32 v6, v3, v7
	v_lshrrev_b32_e32 v6, 6, v6
	v_mov_b32_e32 v8, 0x60
	v_mul_lo_u32 v6, v6, v8
	v_sub_u32_e32 v5, v3, v6
	s_waitcnt vmcnt(0)
	v_lshlrev_b32_e32 v3, 2, v0
	ds_write_b32 v3, v4 offset:16
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_lshlrev_b32_e32 v3, 2, v5
	ds_read_b32 v4, v3 offset:16
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e64 v3, -1, v1, s[12:13]
	buffer_store_dword v4, v3, s[4:7], 0 idxen
	s_endpgm

	s_load_dwordx8 s[4:11], s[0:1], 0x0
	s_load_dword s3, s[0:1], 0x24
	s_waitcnt lgkmcnt(0)
	s_add_i32 s2, s2, s3
	s_pack_ll_b32_b16 s5, s5, 4
	s_mov_b32 s7, 0x27000
	s_pack_ll_b32_b16 s9, s9, 4
	s_mov_b32 s11, 0x27000
	// 37: for i in grid(key.len) { key[i], value[i] = block.bitonic_sort_kv(key[i], value[i]); }
	s_lshl_b32 s12, s2, 6
	v_add_u32_e32 v1, s12, v0
	v_cmp_lt_u32_e64 s[14:15], v1, s6
	s_cmp_lt_u32 s12, s6
	s_cbranch_scc0 288
	buffer_load_dword v3, v1, s[4:7], 0 idxen
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v4, 0x7fffffff
	v_cndmask_b32_e64 v3, v4, v3, s[14:15]
	buffer_load_dword v4, v1, s[8:11], 0 idxen
	s_waitcnt vmcnt(0)
	v_cndmask_b32_e64 v2, -1, v4, s[14:15]
	s_mov_b32 s12, 0xaaaaaaaa
	s_mov_b32 s13, s12
	s_mov_b32 s16, 0xcccccccc
	s_mov_b32 s17, s16
	s_mov_b32 s18, 0xf0f0f0f0
	s_mov_b32 s19, s18
	s_mov_b32 s20, 0xff00ff00
	s_mov_b32 s21, s20
	s_mov_b32 s22, 0xffff0000
	s_mov_b32 s23, s22
	s_mov_b32 s24, 0
	s_mov_b32 s25, -1
	v_mov_b32_dpp v4, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v5, v3 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc, v[4:5], v[2:3]
	s_xor_b64 s[26:27], vcc, s[12:13]
	v_cndmask_b32_e64 v6, v2, v4, s[26:27]
	v_cndmask_b32_e64 v7, v3, v5, s[26:27]
	s_nop 0
	v_mov_b32_dpp v2, v6 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v3, v7 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc, v[2:3], v[6:7]
	s_xor_b64 s[26:27], vcc, s[16:17]
	v_cndmask_b32_e64 v4, v6, v2, s[26:27]
	v_cndmask_b32_e64 v5, v7, v3, s[26:27]
	s_nop 0
	v_mov_b32_dpp v2, v4 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v3, v5 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc, v[2:3], v[4:5]
	s_xor_b64 s[26:27], vcc, s[12:13]
	v_cndmask_b32_e64 v6, v4, v2, s[26:27]
	v_cndmask_b32_e64 v7, v5, v3, s[26:27]
	s_nop 0
	v_mov_b32_dpp v2, v6 row_half_mirror row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v3, v7 row_half_mirror row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc, v[2:3], v[6:7]
	s_xor_b64 s[26:27], vcc, s[18:19]
	v_cndmask_b32_e64 v4, v6, v2, s[26:27]
	v_cndmask_b32_e64 v5, v7, v3, s[26:27]
	s_nop 0
	v_mov_b32_dpp v2, v4 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v3, v5 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc, v[2:3], v[4:5]
	s_xor_b64 s[26:27], vcc, s[16:17]
	v_cndmask_b32_e64 v6, v4, v2, s[26:27]
	v_cndmask_b32_e64 v7, v5, v3, s[26:27]
	s_nop 0
	v_mov_b32_dpp v2, v6 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v3, v7 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc, v[2:3], v[6:7]
	s_xor_b64 s[26:27], vcc, s[12:13]
	v_cndmask_b32_e64 v4, v6, v2, s[26:27]
	v_cndmask_b32_e64 v5, v7, v3, s[26:27]
	s_nop 0
	v_mov_b32_dpp v2, v4 row_mirror row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v3, v5 row_mirror row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc, v[2:3], v[4:5]
	s_xor_b64 s[26:27], vcc, s[20:21]
	v_cndmask_b32_e64 v6, v4, v2, s[26:27]
	v_cndmask_b32_e64 v7, v5, v3, s[26:27]
	ds_swizzle_b32 v2, v6 offset:swizzle(SWAP,4)
	ds_swizzle_b32 v3, v7 offset:swizzle(SWAP,4)
	s_waitcnt lgkmcnt(0)
	v_cmp_lt_i64_e64 vcc, v[2:3], v[6:7]
	s_xor_b64 s[26:27], vcc, s[18:19]
	v_cndmask_b32_e64 v4, v6, v2, s[26:27]
	v_cndmask_b32_e64 v5, v7, v3, s[26:27]
	s_nop 0
	v_mov_b32_dpp v2, v4 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v3, v5 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc, v[2:3], v[4:5]
	s_xor_b64 s[26:27], vcc, s[16:17]
	v_cndmask_b32_e64 v6, v4, v2, s[26:27]
	v_cndmask_b32_e64 v7, v5, v3, s[26:27]
	s_nop 0
	v_mov_b32_dpp v2, v6 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v3, v7 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc, v[2:3], v[6:7]
	s_xor_b64 s[26:27], vcc, s[12:13]
	v_cndmask_b32_e64 v4, v6, v2, s[26:27]
	v_cndmask_b32_e64 v5, v7, v3, s[26:27]
	ds_swizzle_b32 v2, v4 offset:swizzle(REVERSE,32)
	ds_swizzle_b32 v3, v5 offset:swizzle(REVERSE,32)
	s_waitcnt lgkmcnt(0)
	v_cmp_lt_i64_e64 vcc, v[2:3], v[4:5]
	s_xor_b64 s[26:27], vcc, s[22:23]
	v_cndmask_b32_e64 v6, v4, v2, s[26:27]
	v_cndmask_b32_e64 v7, v5, v3, s[26:27]
	s_nop 0
	v_mov_b32_dpp v2, v6 row_ror:8 row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v3, v7 row_ror:8 row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc, v[2:3], v[6:7]
	s_xor_b64 s[26:27], vcc, s[20:21]
	v_cndmask_b32_e64 v4, v6, v2, s[26:27]
	v_cndmask_b32_e64 v5, v7, v3, s[26:27]
	ds_swizzle_b32 v2, v4 offset:swizzle(SWAP,4)
	ds_swizzle_b32 v3, v5 offset:swizzle(SWAP,4)
	s_waitcnt lgkmcnt(0)
	v_cmp_lt_i64_e64 vcc, v[2:3], v[4:5]
	s_xor_b64 s[26:27], vcc, s[18:19]
	v_cndmask_b32_e64 v6, v4, v2, s[26:27]
	v_cndmask_b32_e64 v7, v5, v3, s[26:27]
	s_nop 0
	v_mov_b32_dpp v2, v6 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v3, v7 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc, v[2:3], v[6:7]
	s_xor_b64 s[26:27], vcc, s[16:17]
	v_cndmask_b32_e64 v4, v6, v2, s[26:27]
	v_cndmask_b32_e64 v5, v7, v3, s[26:27]
	s_nop 0
	v_mov_b32_dpp v2, v4 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v3, v5 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc, v[2:3], v[4:5]
	s_xor_b64 s[26:27], vcc, s[12:13]
	v_cndmask_b32_e64 v6, v4, v2, s[26:27]
	v_cndmask_b32_e64 v7, v5, v3, s[26:27]
	v_xor_b32_e32 v2, 63, v0
	v_lshlrev_b32_e32 v3, 2, v2
	ds_bpermute_b32 v4, v3, v6
	ds_bpermute_b32 v5, v3, v7
	s_waitcnt lgkmcnt(0)
	v_cmp_lt_i64_e64 vcc, v[4:5], v[6:7]
	s_xor_b64 s[24:25], vcc, s[24:25]
	v_cndmask_b32_e64 v2, v6, v4, s[24:25]
	v_cndmask_b32_e64 v3, v7, v5, s[24:25]
	ds_swizzle_b32 v4, v2 offset:swizzle(SWAP,16)
	ds_swizzle_b32 v5, v3 offset:swizzle(SWAP,16)
	s_waitcnt lgkmcnt(0)
	v_cmp_lt_i64_e64 vcc, v[4:5], v[2:3]
	s_xor_b64 s[22:23], vcc, s[22:23]
	v_cndmask_b32_e64 v6, v2, v4, s[22:23]
	v_cndmask_b32_e64 v7, v3, v5, s[22:23]
	s_nop 0
	v_mov_b32_dpp v2, v6 row_ror:8 row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v3, v7 row_ror:8 row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc, v[2:3], v[6:7]
	s_xor_b64 s[20:21], vcc, s[20:21]
	v_cndmask_b32_e64 v4, v6, v2, s[20:21]
	v_cndmask_b32_e64 v5, v7, v3, s[20:21]
	ds_swizzle_b32 v2, v4 offset:swizzle(SWAP,4)
	ds_swizzle_b32 v3, v5 offset:swizzle(SWAP,4)
	s_waitcnt lgkmcnt(0)
	v_cmp_lt_i64_e64 vcc, v[2:3], v[4:5]
	s_xor_b64 s[18:19], vcc, s[18:19]
	v_cndmask_b32_e64 v6, v4, v2, s[18:19]
	v_cndmask_b32_e64 v7, v5, v3, s[18:19]
	s_nop 0
	v_mov_b32_dpp v2, v6 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v3, v7 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc, v[2:3], v[6:7]
	s_xor_b64 s[16:17], vcc, s[16:17]
	v_cndmask_b32_e64 v4, v6, v2, s[16:17]
	v_cndmask_b32_e64 v5, v7, v3, s[16:17]
	s_nop 0
	v_mov_b32_dpp v2, v4 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v3, v5 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc, v[2:3], v[4:5]
	s_xor_b64 s[12:13], vcc, s[12:13]
	v_cndmask_b32_e64 v6, v4, v2, s[12:13]
	v_cndmask_b32_e64 v7, v5, v3, s[12:13]
	buffer_store_dword v7, v1, s[4:7], 0 idxen
	v_cndmask_b32_e64 v2, -1, v1, s[14:15]
	buffer_store_dword v6, v2, s[8:11], 0 idxen
	s_endpgm

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
	// 44: for i in grid(key.len) {
	s_lshl_b32 s16, s2, 6
	v_add_u32_e32 v1, s16, v0
	v_cmp_lt_u32_e64 s[18:19], v1, s6
	s_cmp_lt_u32 s16, s6
	s_cbranch_scc0 143
	s_sub_i32 s16, s6, s16
	s_min_u32 s16, s16, 64
	// 45: rank[i] = block.radix_rank_match_atomic_or(key[i], 4, 28, 2, bins, below);
	buffer_load_dword v2, v1, s[4:7], 0 idxen
	s_waitcnt vmcnt(0)
	v_bfe_u32 v2, v2, 28, 2
	v_and_b32_e32 v3, 31, v0
	v_lshlrev_b32_e64 v3, v3, 1
	v_subrev_u32_e32 v3, 1, v3
	v_cmp_lt_u32_e64 s[20:21], v0, 32
	s_nop 1
	v_cndmask_b32_e64 v4, -1, v3, s[20:21]
	v_cndmask_b32_e64 v3, v3, 0, s[20:21]
	v_and_b32_e32 v2, 15, v2
	v_readfirstlane_b32 s17, v0
	s_lshr_b32 s17, s17, 6
	s_nop 0
	v_lshl_add_u32 v5, s17, 6, v0
	v_cmp_lt_u32_e64 s[20:21], v5, s16
	v_and_b32_e32 v5, 1, v2
	v_cmp_ne_u32_e64 s[22:23], v5, 0
	s_nop 1
	v_cndmask_b32_e64 v5, -1, 0, s[22:23]
	v_xor_b32_e32 v6, s22, v5
	v_and_b32_e32 v6, s20, v6
	v_xor_b32_e32 v5, s23, v5
	v_and_b32_e32 v5, s21, v5
	v_and_b32_e32 v7, 2, v2
	v_cmp_ne_u32_e64 s[22:23], v7, 0
	s_nop 1
	v_cndmask_b32_e64 v7, -1, 0, s[22:23]
	v_xor_b32_e32 v8, s22, v7
	v_and_b32_e32 v6, v6, v8
	v_xor_b32_e32 v7, s23, v7
	v_and_b32_e32 v5, v5, v7
	v_and_b32_e32 v4, v6, v4
	v_bcnt_u32_b32 v6, v6, 0
	v_bcnt_u32_b32 v4, v4, 0
	v_and_b32_e32 v3, v5, v3
	v_bcnt_u32_b32 v5, v5, 0
	v_add_u32_e32 v5, v6, v5
	v_bcnt_u32_b32 v3, v3, 0
	v_add_u32_e32 v3, v4, v3
	s_lshl_b32 s16, s17, 4
	v_add_u32_e32 v2, s16, v2
	v_add_u32_e32 v4, s16, v0
	v_mov_b32_e32 v6, 0
	v_lshlrev_b32_e32 v7, 2, v4
	v_cmp_gt_u32_e32 vcc, 16, v0
	s_and_saveexec_b64 s[16:17], vcc
	ds_write_b32 v7, v6 offset:128
	s_mov_b64 exec, s[16:17]
	v_cmp_eq_u32_e64 s[16:17], v3, 0
	s_and_b64 s[16:17], s[16:17], s[20:21]
	v_lshlrev_b32_e32 v4, 2, v2
	s_and_saveexec_b64 s[20:21], s[16:17]
	ds_write_b32 v4, v5 offset:128
	s_mov_b64 exec, s[20:21]
	s_waitcnt lgkmcnt(0)
	v_cmp_lt_u32_e64 s[16:17], v0, 16
	v_lshlrev_b32_e32 v4, 2, v0
	v_mov_b32_e32 v5, 0
	s_and_saveexec_b64 s[20:21], s[16:17]
	ds_read_b32 v5, v4 offset:128
	s_mov_b64 exec, s[20:21]
	s_waitcnt lgkmcnt(0)
	v_lshlrev_b32_e32 v4, 2, v0
	s_and_saveexec_b64 s[20:21], s[16:17]
	ds_write_b32 v4, v5
	s_mov_b64 exec, s[20:21]
	v_mov_b32_e32 v4, v5
	s_nop 1
	v_add_u32_dpp v4, v4, v4 row_shr:1 row_mask:0xf bank_mask:0xf
	s_nop 1
	v_add_u32_dpp v4, v4, v4 row_shr:2 row_mask:0xf bank_mask:0xf
	s_nop 1
	v_add_u32_dpp v4, v4, v4 row_shr:4 row_mask:0xf bank_mask:0xf
	s_nop 1
	v_add_u32_dpp v4, v4, v4 row_shr:8 row_mask:0xf bank_mask:0xf
	s_nop 1
	v_add_u32_dpp v4, v4, v4 row_bcast:15 row_mask:0xa bank_mask:0xf
	s_nop 1
	v_add_u32_dpp v4, v4, v4 row_bcast:31 row_mask:0xc bank_mask:0xf
	v_sub_u32_e32 v4, v4, v5
	v_lshlrev_b32_e32 v5, 2, v0
	s_and_saveexec_b64 s[20:21], s[16:17]
	ds_write_b32 v5, v4 offset:64
	s_mov_b64 exec, s[20:21]
	v_lshlrev_b32_e32 v5, 2, v0
	s_and_saveexec_b64 s[20:21], s[16:17]
	ds_write_b32 v5, v4 offset:128
	s_mov_b64 exec, s[20:21]
	s_waitcnt lgkmcnt(0)
	v_lshlrev_b32_e32 v4, 2, v2
	ds_read_b32 v2, v4 offset:128
	// 46: start[i] = below[block.thread_idx() & 15];
	v_and_b32_e32 v4, 15, v0
	v_lshlrev_b32_e32 v5, 2, v4
	v_mov_b32_e32 v6, 0
	s_and_saveexec_b64 s[16:17], s[18:19]
	ds_read_b32 v6, v5 offset:64
	s_mov_b64 exec, s[16:17]
	// 45: rank[i] = block.radix_rank_match_atomic_or(key[i], 4, 28, 2, bins, below);
	s_waitcnt lgkmcnt(1)
	v_add_u32_e32 v2, v2, v3
	v_cndmask_b32_e64 v3, -1, v1, s[18:19]
	buffer_store_dword v2, v3, s[12:15], 0 idxen
	// 46: start[i] = below[block.thread_idx() & 15];
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e64 v2, -1, v1, s[18:19]
	buffer_store_dword v6, v2, s[8:11], 0 idxen
	s_endpgm
