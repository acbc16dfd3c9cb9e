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
	// 6: for i in grid(f.len) {
	s_lshl_b32 s3, s15, 8
	v_add_nc_u32_e32 v1, s3, v0
	v_cmp_lt_u32_e64 s4, v1, s18
	s_cmp_lt_u32 s3, s18
	s_cbranch_scc0 116
	// 7: sum[i] = block.reduce_add(f[i]);
	buffer_load_b32 v2, v1, s[16:19], 0 idxen
	s_waitcnt vmcnt(0)
	v_cndmask_b32_e64 v2, 0x80000000, v2, s4
	v_add_f32_dpp v2, v2, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_add_f32_dpp v2, v2, v2 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
	v_add_f32_dpp v2, v2, v2 row_half_mirror row_mask:0xf bank_mask:0xf
	v_add_f32_dpp v2, v2, v2 row_ror:8 row_mask:0xf bank_mask:0xf
	v_permlanex16_b32 v3, v2, 0, 0
	v_add_f32_e32 v2, v2, v3
	v_readfirstlane_b32 s3, v0
	s_lshr_b32 s3, s3, 5
	v_and_b32_e32 v3, 31, v0
	v_cmp_eq_u32_e64 s5, v3, 0
	v_lshlrev_b32_e64 v4, 2, s3
	s_and_saveexec_b32 s6, s5
	ds_store_b32 v4, v2
	s_mov_b32 exec_lo, s6
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_and_b32_e32 v2, 7, v3
	v_lshlrev_b32_e32 v3, 2, v2
	ds_load_b32 v4, v3
	// 8: least[i] = block.reduce_min(f[i]);
	buffer_load_b32 v5, v1, s[16:19], 0 idxen
	s_waitcnt vmcnt(0)
	v_cndmask_b32_e64 v5, 0x7fc00000, v5, s4
	// 7: sum[i] = block.reduce_add(f[i]);
	s_waitcnt lgkmcnt(0)
	v_add_f32_dpp v4, v4, v4 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_add_f32_dpp v4, v4, v4 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
	v_add_f32_dpp v4, v4, v4 row_half_mirror row_mask:0xf bank_mask:0xf
	v_cndmask_b32_e64 v6, -1, v1, s4
	buffer_store_b32 v4, v6, s[20:23], 0 idxen
	// 8: least[i] = block.reduce_min(f[i]);
	v_min_f32_dpp v4, v5, v5 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_min_f32_dpp v4, v4, v4 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
	v_min_f32_dpp v4, v4, v4 row_half_mirror row_mask:0xf bank_mask:0xf
	v_min_f32_dpp v4, v4, v4 row_ror:8 row_mask:0xf bank_mask:0xf
	v_permlanex16_b32 v5, v4, 0, 0
	v_min_f32_e32 v4, v4, v5
	v_lshlrev_b32_e64 v5, 2, s3
	s_and_saveexec_b32 s6, s5
	ds_store_b32 v5, v4 offset:32
	s_mov_b32 exec_lo, s6
	s_waitcnt lgkmcnt(0)
	s_waitcnt_vscnt null, 0x0
	s_barrier
	v_lshlrev_b32_e32 v3, 2, v2
	ds_load_b32 v4, v3 offset:32
	// 9: votes[i] = block.sync_count_nonzero(f[i] > 0.0);
	buffer_load_b32 v5, v1, s[16:19], 0 idxen
	// 8: least[i] = block.reduce_min(f[i]);
	s_waitcnt lgkmcnt(0)
	v_min_f32_dpp v4, v4, v4 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_min_f32_dpp v4, v4, v4 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
	v_min_f32_dpp v4, v4, v4 row_half_mirror row_mask:0xf bank_mask:0xf
	v_cndmask_b32_e64 v6, -1, v1, s4
	buffer_store_b32 v4, v6, s[24:27], 0 idxen
	// 9: votes[i] = block.sync_count_nonzero(f[i] > 0.0);
	s_waitcnt vmcnt(0)
	v_cmp_lt_f32_e64 s6, 0, v5
	s_and_b32 s6, s6, s4
	s_bcnt1_i32_b32 s6, s6
	v_mov_b32_e32 v4, s6
	v_lshlrev_b32_e64 v5, 2, s3
	s_and_saveexec_b32 s7, s5
	ds_store_b32 v5, v4 offset:64
	s_mov_b32 exec_lo, s7
	s_waitcnt lgkmcnt(0)
	s_waitcnt_vscnt null, 0x0
	s_barrier
	v_lshlrev_b32_e32 v3, 2, v2
	ds_load_b32 v2, v3 offset:64
	s_waitcnt lgkmcnt(0)
	v_add_nc_u32_dpp v2, v2, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_add_nc_u32_dpp v2, v2, v2 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
	v_add_nc_u32_dpp v2, v2, v2 row_half_mirror row_mask:0xf bank_mask:0xf
	v_cndmask_b32_e64 v3, -1, v1, s4
	buffer_store_b32 v2, v3, s[28:31], 0 idxen
	s_endpgm

	s_load_b128 s[4:7], s[0:1], null
	s_load_b128 s[8:11], s[0:1], 0x18
	s_load_b32 s2, s[0:1], 0x10
	s_load_b32 s3, s[0:1], 0x2c
	s_waitcnt lgkmcnt(0)
	s_add_i32 s15, s15, s3
	s_pack_ll_b32_b16 s5, s5, 4
	s_mov_b32 s7, 0x11027000
	s_pack_ll_b32_b16 s9, s9, 4
	s_mov_b32 s11, 0x11027000
	s_mov_b32 s12, 0
	// 14: kernel rounds(v: in u32[], n: u32, a: out u32[]) block(128) {
	// 15: for i in grid(v.len) {
	s_lshl_b32 s13, s15, 7
	v_add_nc_u32_e32 v1, s13, v0
	v_cmp_lt_u32_e64 s14, v1, s6
	s_cmp_lt_u32 s13, s6
	s_cbranch_scc0 62
	// 16: var x = v[i];
	buffer_load_b32 v2, v1, s[4:7], 0 idxen
	// 17: for r in 0..n { x = block.exclusive_add(x) ^ r; }
	s_waitcnt vmcnt(0)
	s_mov_b32 s13, 0
	v_readfirstlane_b32 s16, v0
	s_lshr_b32 s16, s16, 5
	v_and_b32_e32 v3, 31, v0
	v_cmp_eq_u32_e64 s17, v3, 31
	v_and_b32_e32 v3, 3, v3
	v_cmp_lt_u32_e64 s18, v3, s16
	s_mov_b32 s19, s13
	s_cmp_le_u32 s2, s19
	s_cbranch_scc1 43
	s_add_i32 s13, s19, 1
	v_mov_b32_e32 v4, v2
	v_add_nc_u32_dpp v4, v4, v4 row_shr:1 row_mask:0xf bank_mask:0xf
	v_add_nc_u32_dpp v4, v4, v4 row_shr:2 row_mask:0xf bank_mask:0xf
	v_add_nc_u32_dpp v4, v4, v4 row_shr:4 row_mask:0xf bank_mask:0xf
	v_add_nc_u32_dpp v4, v4, v4 row_shr:8 row_mask:0xf bank_mask:0xf
	v_permlanex16_b32 v5, v4, -1, -1
	v_add_nc_u32_dpp v4, v5, v4 quad_perm:[0,1,2,3] row_mask:0xa bank_mask:0xf
	s_mov_b32 s20, s12
	s_xor_b32 s12, s20, 1
	s_lshl_b32 s20, s20, 2
	s_add_i32 s21, s16, s20
	v_lshlrev_b32_e64 v5, 2, s21
	s_and_saveexec_b32 s22, s17
	ds_store_b32 v5, v4
	s_mov_b32 exec_lo, s22
	s_waitcnt vmcnt(0) lgkmcnt(0)
	s_waitcnt_vscnt null, 0x0
	s_barrier
	v_add_nc_u32_e32 v5, s20, v3
	v_lshlrev_b32_e32 v6, 2, v5
	ds_load_b32 v5, v6
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e64 v5, 0, v5, s18
	v_add_nc_u32_dpp v5, v5, v5 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v6, v5 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
	v_add3_u32 v4, v5, v6, v4
	v_sub_nc_u32_e32 v4, v4, v2
	v_xor_b32_e32 v2, s19, v4
	s_branch 65490
	// 18: a[i] = x;
	v_cndmask_b32_e64 v3, -1, v1, s14
	buffer_store_b32 v2, v3, s[8:11], 0 idxen
	s_endpgm

	s_load_b256 s[4:11], s[0:1], null
	s_load_b32 s2, s[0:1], 0x24
	s_waitcnt lgkmcnt(0)
	s_add_i32 s15, s15, s2
	s_pack_ll_b32_b16 s5, s5, 4
	s_mov_b32 s7, 0x11027000
	s_pack_ll_b32_b16 s9, s9, 4
	s_mov_b32 s11, 0x11027000
	v_cmp_lt_u32_e64 s3, v0, 20
	// 24: for i in grid(f.len) { a[i] = block.inclusive_add(f[i]) + block.broadcast(f[i], 3); }
	s_mul_i32 s12, s15, 20
	v_add_nc_u32_e32 v1, s12, v0
	v_cmp_lt_u32_e64 s13, v1, s6
	s_and_b32 s3, s13, s3
	s_cmp_lt_u32 s12, s6
	s_cbranch_scc0 33
	v_cndmask_b32_e64 v2, -1, v1, s3
	buffer_load_b32 v3, v2, s[4:7], 0 idxen
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v2, v3
	v_add_f32_dpp v4, v2, v2 quad_perm:[0,0,2,2] row_mask:0xf bank_mask:0xf
	s_mov_b32 vcc_lo, 0xaaaaaaaa
	v_cndmask_b32_e32 v2, v2, v4, vcc_lo
	v_add_f32_dpp v4, v2, v2 quad_perm:[1,1,1,1] row_mask:0xf bank_mask:0xf
	s_mov_b32 vcc_lo, 0xcccccccc
	v_cndmask_b32_e32 v2, v2, v4, vcc_lo
	v_mov_b32_dpp v4, v2 quad_perm:[3,3,3,3] row_mask:0xf bank_mask:0xf
	v_add_f32_dpp v2, v4, v2 row_shr:4 row_mask:0xf bank_mask:0xa
	v_add_f32_dpp v2, v2, v2 row_share:7 row_mask:0xf bank_mask:0xc
	v_permlanex16_b32 v4, v2, -1, -1
	v_add_f32_dpp v2, v4, v2 quad_perm:[0,1,2,3] row_mask:0xa bank_mask:0xf
	v_readlane_b32 s12, v3, 3
	v_add_f32_e32 v2, s12, v2
	v_cndmask_b32_e64 v3, -1, v1, s3
	buffer_store_b32 v2, v3, s[8:11], 0 idxen
	s_endpgm

	s_load_b256 s[4:11], s[0:1], null
	s_load_b32 s2, s[0:1], 0x24
	s_waitcnt lgkmcnt(0)
	s_add_i32 s15, s15, s2
	s_pack_ll_b32_b16 s5, s5, 4
	s_mov_b32 s7, 0x11027000
	s_pack_ll_b32_b16 s9, s9, 4
	s_mov_b32 s11, 0x11027000
	// 29: for i in grid(a.len) {
	s_mul_i32 s3, s15, 0x60
	v_add_nc_u32_e32 v1, s3, v0
	v_cmp_lt_u32_e64 s12, v1, s6
	s_cmp_lt_u32 s3, s6
	s_cbranch_scc0 236
	s_sub_i32 s3, s6, s3
	s_min_u32 s3, s3, 0x60
	// 30: a[i], b[i] = block.reduce(a[i], b[i], op = affine);
	buffer_load_b32 v2, v1, s[4:7], 0 idxen
	buffer_load_b32 v3, v1, s[8:11], 0 idxen
	v_readfirstlane_b32 s13, v0
	s_lshr_b32 s13, s13, 5
	s_lshl_b32 s14, s13, 5
	s_min_u32 s14, s3, s14
	s_sub_i32 s14, s3, s14
	v_and_b32_e32 v4, 31, v0
	s_mov_b32 s16, 0xaaaaaaaa
	s_waitcnt vmcnt(1)
	v_mov_b32_dpp v5, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_cndmask_b32_e64 v6, v2, v5, s16
	v_cndmask_b32_e64 v2, v5, v2, s16
	s_waitcnt vmcnt(0)
	v_mov_b32_dpp v5, v3 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_cndmask_b32_e64 v7, v3, v5, s16
	v_cndmask_b32_e64 v3, v5, v3, s16
	v_mul_lo_u32 v5, v6, v2
	v_mul_lo_u32 v2, v7, v2
	v_add_nc_u32_e32 v2, v2, v3
	v_and_or_b32 v3, v4, -2, 1
	v_cmp_lt_u32_e64 s16, v3, s14
	v_cndmask_b32_e64 v3, v6, v5, s16
	v_cndmask_b32_e64 v2, v7, v2, s16
	s_mov_b32 s16, 0xcccccccc
	v_mov_b32_dpp v5, v3 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
	v_cndmask_b32_e64 v6, v3, v5, s16
	v_cndmask_b32_e64 v3, v5, v3, s16
	v_mov_b32_dpp v5, v2 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
	v_cndmask_b32_e64 v7, v2, v5, s16
	v_cndmask_b32_e64 v2, v5, v2, s16
	v_mul_lo_u32 v5, v6, v3
	v_mul_lo_u32 v3, v7, v3
	v_add_nc_u32_e32 v2, v3, v2
	v_and_or_b32 v3, v4, -4, 2
	v_cmp_lt_u32_e64 s16, v3, s14
	v_cndmask_b32_e64 v3, v6, v5, s16
	v_cndmask_b32_e64 v2, v7, v2, s16
	s_mov_b32 s16, 0xf0f0f0f0
	v_mov_b32_dpp v5, v3 row_half_mirror row_mask:0xf bank_mask:0xf
	v_cndmask_b32_e64 v6, v3, v5, s16
	v_cndmask_b32_e64 v3, v5, v3, s16
	v_mov_b32_dpp v5, v2 row_half_mirror row_mask:0xf bank_mask:0xf
	v_cndmask_b32_e64 v7, v2, v5, s16
	v_cndmask_b32_e64 v2, v5, v2, s16
	v_mul_lo_u32 v5, v6, v3
	v_mul_lo_u32 v3, v7, v3
	v_add_nc_u32_e32 v2, v3, v2
	v_and_or_b32 v3, v4, -8, 4
	v_cmp_lt_u32_e64 s16, v3, s14
	v_cndmask_b32_e64 v3, v6, v5, s16
	v_cndmask_b32_e64 v2, v7, v2, s16
	s_mov_b32 s16, 0xff00ff00
	v_mov_b32_dpp v5, v3 row_ror:8 row_mask:0xf bank_mask:0xf
	v_cndmask_b32_e64 v6, v3, v5, s16
	v_cndmask_b32_e64 v3, v5, v3, s16
	v_mov_b32_dpp v5, v2 row_ror:8 row_mask:0xf bank_mask:0xf
	v_cndmask_b32_e64 v7, v2, v5, s16
	v_cndmask_b32_e64 v2, v5, v2, s16
	v_mul_lo_u32 v5, v6, v3
	v_mul_lo_u32 v3, v7, v3
	v_add_nc_u32_e32 v2, v3, v2
	v_and_or_b32 v3, v4, -16, 8
	v_cmp_lt_u32_e64 s16, v3, s14
	v_cndmask_b32_e64 v3, v6, v5, s16
	v_cndmask_b32_e64 v2, v7, v2, s16
	s_mov_b32 s16, 0xffff0000
	v_permlanex16_b32 v5, v3, 0, 0
	v_cndmask_b32_e64 v6, v3, v5, s16
	v_cndmask_b32_e64 v3, v5, v3, s16
	v_permlanex16_b32 v5, v2, 0, 0
	v_cndmask_b32_e64 v7, v2, v5, s16
	v_cndmask_b32_e64 v2, v5, v2, s16
	v_mul_lo_u32 v5, v6, v3
	v_mul_lo_u32 v3, v7, v3
	v_add_nc_u32_e32 v2, v3, v2
	v_and_or_b32 v3, v4, 0xffffffe0, 16
	v_cmp_lt_u32_e64 s16, v3, s14
	v_cndmask_b32_e64 v3, v6, v5, s16
	v_cndmask_b32_e64 v2, v7, v2, s16
	v_cmp_eq_u32_e64 s14, v4, 0
	v_lshlrev_b32_e64 v4, 2, s13
	s_and_saveexec_b32 s16, s14
	ds_store_b32 v4, v3
	s_mov_b32 exec_lo, s16
	v_lshlrev_b32_e64 v3, 2, s13
	s_and_saveexec_b32 s16, s14
	ds_store_b32 v3, v2 offset:12
	s_mov_b32 exec_lo, s16
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_mov_b32_e32 v2, 0
	ds_load_b32 v3, v2
	ds_load_b32 v4, v2 offset:12
	ds_load_b32 v5, v2 offset:4
	ds_load_b32 v6, v2 offset:16
	v_cmp_lt_u32_e64 s13, 32, s3
	ds_load_b32 v7, v2 offset:8
	ds_load_b32 v8, v2 offset:20
	s_waitcnt lgkmcnt(3)
	v_mul_lo_u32 v9, v3, v5
	v_mul_lo_u32 v5, v4, v5
	s_waitcnt lgkmcnt(2)
	v_add_nc_u32_e32 v5, v5, v6
	v_cndmask_b32_e64 v3, v3, v9, s13
	v_cndmask_b32_e64 v4, v4, v5, s13
	v_cmp_lt_u32_e64 s13, 64, s3
	s_waitcnt lgkmcnt(1)
	v_mul_lo_u32 v5, v3, v7
	v_mul_lo_u32 v6, v4, v7
	s_waitcnt lgkmcnt(0)
	v_add_nc_u32_e32 v6, v6, v8
	v_cndmask_b32_e64 v3, v3, v5, s13
	v_cndmask_b32_e64 v4, v4, v6, s13
	buffer_store_b32 v3, v1, s[4:7], 0 idxen
	v_cndmask_b32_e64 v3, -1, v1, s12
	buffer_store_b32 v4, v3, s[8:11], 0 idxen
	// 31: a[i] = block.shuffle(a[i], i ^ 64);
	buffer_load_b32 v3, v1, s[4:7], 0 idxen
	v_xor_b32_e32 v4, 64, v1
	v_mul_hi_u32 v6, v4, 0xaaaaaaab
	v_lshrrev_b32_e32 v6, 6, v6
	v_mul_lo_u32 v6, v6, 0x60
	v_sub_nc_u32_e32 v5, v4, v6
	s_waitcnt vmcnt(0)
	v_lshlrev_b32_e32 v4, 2, v0
	ds_store_b32 v4, v3 offset:24
	s_waitcnt lgkmcnt(0)
	s_waitcnt_vscnt null, 0x0
	s_barrier
	v_lshlrev_b32_e32 v3, 2, v5
	ds_load_b32 v4, v3 offset:24
	s_waitcnt lgkmcnt(0)
	buffer_store_b32 v4, v1, s[4:7], 0 idxen
	s_endpgm

	s_load_b256 s[4:11], s[0:1], null
	s_load_b32 s2, s[0:1], 0x24
	s_waitcnt lgkmcnt(0)
	s_add_i32 s15, s15, s2
	s_pack_ll_b32_b16 s5, s5, 4
	s_mov_b32 s7, 0x11027000
	s_pack_ll_b32_b16 s9, s9, 4
	s_mov_b32 s11, 0x11027000
	// 37: for i in grid(key.len) { key[i], value[i] = block.bitonic_sort_kv(key[i], value[i]); }
	s_lshl_b32 s3, s15, 6
	v_add_nc_u32_e32 v1, s3, v0
	v_cmp_lt_u32_e64 s12, v1, s6
	s_cmp_lt_u32 s3, s6
	s_cbranch_scc0 285
	buffer_load_b32 v3, v1, s[4:7], 0 idxen
	s_waitcnt vmcnt(0)
	v_cndmask_b32_e64 v3, 0x7fffffff, v3, s12
	buffer_load_b32 v4, v1, s[8:11], 0 idxen
	s_waitcnt vmcnt(0)
	v_cndmask_b32_e64 v2, -1, v4, s12
	v_and_b32_e32 v4, 32, v0
	v_cmp_ne_u32_e64 s3, v4, 0
	v_mov_b32_dpp v4, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v5, v3 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc_lo, v[4:5], v[2:3]
	s_xor_b32 s13, vcc_lo, 0xaaaaaaaa
	v_cndmask_b32_e64 v6, v2, v4, s13
	v_cndmask_b32_e64 v7, v3, v5, s13
	v_mov_b32_dpp v2, v6 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v3, v7 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc_lo, v[2:3], v[6:7]
	s_xor_b32 s13, vcc_lo, 0xcccccccc
	v_cndmask_b32_e64 v4, v6, v2, s13
	v_cndmask_b32_e64 v5, v7, v3, s13
	v_mov_b32_dpp v2, v4 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v3, v5 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc_lo, v[2:3], v[4:5]
	s_xor_b32 s13, vcc_lo, 0xaaaaaaaa
	v_cndmask_b32_e64 v6, v4, v2, s13
	v_cndmask_b32_e64 v7, v5, v3, s13
	v_mov_b32_dpp v2, v6 row_half_mirror row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v3, v7 row_half_mirror row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc_lo, v[2:3], v[6:7]
	s_xor_b32 s13, vcc_lo, 0xf0f0f0f0
	v_cndmask_b32_e64 v4, v6, v2, s13
	v_cndmask_b32_e64 v5, v7, v3, s13
	v_mov_b32_dpp v2, v4 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v3, v5 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc_lo, v[2:3], v[4:5]
	s_xor_b32 s13, vcc_lo, 0xcccccccc
	v_cndmask_b32_e64 v6, v4, v2, s13
	v_cndmask_b32_e64 v7, v5, v3, s13
	v_mov_b32_dpp v2, v6 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v3, v7 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc_lo, v[2:3], v[6:7]
	s_xor_b32 s13, vcc_lo, 0xaaaaaaaa
	v_cndmask_b32_e64 v4, v6, v2, s13
	v_cndmask_b32_e64 v5, v7, v3, s13
	v_mov_b32_dpp v2, v4 row_mirror row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v3, v5 row_mirror row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc_lo, v[2:3], v[4:5]
	s_xor_b32 s13, vcc_lo, 0xff00ff00
	v_cndmask_b32_e64 v6, v4, v2, s13
	v_cndmask_b32_e64 v7, v5, v3, s13
	v_mov_b32_dpp v2, v6 row_xmask:4 row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v3, v7 row_xmask:4 row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc_lo, v[2:3], v[6:7]
	s_xor_b32 s13, vcc_lo, 0xf0f0f0f0
	v_cndmask_b32_e64 v4, v6, v2, s13
	v_cndmask_b32_e64 v5, v7, v3, s13
	v_mov_b32_dpp v2, v4 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v3, v5 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc_lo, v[2:3], v[4:5]
	s_xor_b32 s13, vcc_lo, 0xcccccccc
	v_cndmask_b32_e64 v6, v4, v2, s13
	v_cndmask_b32_e64 v7, v5, v3, s13
	v_mov_b32_dpp v2, v6 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v3, v7 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc_lo, v[2:3], v[6:7]
	s_xor_b32 s13, vcc_lo, 0xaaaaaaaa
	v_cndmask_b32_e64 v4, v6, v2, s13
	v_cndmask_b32_e64 v5, v7, v3, s13
	s_mov_b32 s13, 0x89abcdef
	v_permlanex16_b32 v2, v4, s13, 0x1234567
	v_permlanex16_b32 v3, v5, s13, 0x1234567
	v_cmp_lt_i64_e64 vcc_lo, v[2:3], v[4:5]
	s_xor_b32 s13, vcc_lo, 0xffff0000
	v_cndmask_b32_e64 v6, v4, v2, s13
	v_cndmask_b32_e64 v7, v5, v3, s13
	v_mov_b32_dpp v2, v6 row_ror:8 row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v3, v7 row_ror:8 row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc_lo, v[2:3], v[6:7]
	s_xor_b32 s13, vcc_lo, 0xff00ff00
	v_cndmask_b32_e64 v4, v6, v2, s13
	v_cndmask_b32_e64 v5, v7, v3, s13
	v_mov_b32_dpp v2, v4 row_xmask:4 row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v3, v5 row_xmask:4 row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc_lo, v[2:3], v[4:5]
	s_xor_b32 s13, vcc_lo, 0xf0f0f0f0
	v_cndmask_b32_e64 v6, v4, v2, s13
	v_cndmask_b32_e64 v7, v5, v3, s13
	v_mov_b32_dpp v2, v6 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v3, v7 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc_lo, v[2:3], v[6:7]
	s_xor_b32 s13, vcc_lo, 0xcccccccc
	v_cndmask_b32_e64 v4, v6, v2, s13
	v_cndmask_b32_e64 v5, v7, v3, s13
	v_mov_b32_dpp v2, v4 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v3, v5 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc_lo, v[2:3], v[4:5]
	s_xor_b32 s13, vcc_lo, 0xaaaaaaaa
	v_cndmask_b32_e64 v6, v4, v2, s13
	v_cndmask_b32_e64 v7, v5, v3, s13
	v_xor_b32_e32 v2, 63, v0
	v_lshlrev_b32_e32 v3, 3, v0
	ds_store_b64 v3, v[6:7]
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_lshlrev_b32_e32 v3, 3, v2
	ds_load_b64 v[4:5], v3
	s_waitcnt lgkmcnt(0)
	v_cmp_lt_i64_e64 vcc_lo, v[4:5], v[6:7]
	s_xor_b32 s3, vcc_lo, s3
	v_cndmask_b32_e64 v2, v6, v4, s3
	v_cndmask_b32_e64 v3, v7, v5, s3
	s_mov_b32 s3, 0x76543210
	v_permlanex16_b32 v4, v2, s3, 0xfedcba98
	v_permlanex16_b32 v5, v3, s3, 0xfedcba98
	v_cmp_lt_i64_e64 vcc_lo, v[4:5], v[2:3]
	s_xor_b32 s3, vcc_lo, 0xffff0000
	v_cndmask_b32_e64 v6, v2, v4, s3
	v_cndmask_b32_e64 v7, v3, v5, s3
	v_mov_b32_dpp v2, v6 row_ror:8 row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v3, v7 row_ror:8 row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc_lo, v[2:3], v[6:7]
	s_xor_b32 s3, vcc_lo, 0xff00ff00
	v_cndmask_b32_e64 v4, v6, v2, s3
	v_cndmask_b32_e64 v5, v7, v3, s3
	v_mov_b32_dpp v2, v4 row_xmask:4 row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v3, v5 row_xmask:4 row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc_lo, v[2:3], v[4:5]
	s_xor_b32 s3, vcc_lo, 0xf0f0f0f0
	v_cndmask_b32_e64 v6, v4, v2, s3
	v_cndmask_b32_e64 v7, v5, v3, s3
	v_mov_b32_dpp v2, v6 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v3, v7 quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc_lo, v[2:3], v[6:7]
	s_xor_b32 s3, vcc_lo, 0xcccccccc
	v_cndmask_b32_e64 v4, v6, v2, s3
	v_cndmask_b32_e64 v5, v7, v3, s3
	v_mov_b32_dpp v2, v4 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_mov_b32_dpp v3, v5 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	v_cmp_lt_i64_e64 vcc_lo, v[2:3], v[4:5]
	s_xor_b32 s3, vcc_lo, 0xaaaaaaaa
	v_cndmask_b32_e64 v6, v4, v2, s3
	v_cndmask_b32_e64 v7, v5, v3, s3
	buffer_store_b32 v7, v1, s[4:7], 0 idxen
	v_cndmask_b32_e64 v2, -1, v1, s12
	buffer_store_b32 v6, v2, s[8:11], 0 idxen
	s_endpgm

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
	// 44: for i in grid(key.len) {
	s_lshl_b32 s3, s15, 6
	v_add_nc_u32_e32 v1, s3, v0
	v_cmp_lt_u32_e64 s12, v1, s6
	s_cmp_lt_u32 s3, s6
	s_cbranch_scc0 161
	s_sub_i32 s3, s6, s3
	s_min_u32 s3, s3, 64
	// 45: rank[i] = block.radix_rank_match_atomic_or(key[i], 4, 28, 2, bins, below);
	buffer_load_b32 v2, v1, s[4:7], 0 idxen
	s_waitcnt vmcnt(0)
	v_bfe_u32 v2, v2, 28, 2
	v_and_b32_e32 v3, 31, v0
	v_and_b32_e32 v4, 31, v3
	v_lshlrev_b32_e64 v4, v4, 1
	v_subrev_nc_u32_e32 v4, 1, v4
	v_and_b32_e32 v2, 15, v2
	v_readfirstlane_b32 s13, v0
	s_lshr_b32 s13, s13, 5
	v_lshl_add_u32 v5, s13, 5, v3
	v_cmp_lt_u32_e64 s14, v5, s3
	v_and_b32_e32 v5, 1, v2
	v_cmp_ne_u32_e64 s3, v5, 0
	v_cndmask_b32_e64 v5, -1, 0, s3
	v_xor_b32_e32 v5, s3, v5
	v_and_b32_e32 v5, s14, v5
	v_and_b32_e32 v6, 2, v2
	v_cmp_ne_u32_e64 s3, v6, 0
	v_cndmask_b32_e64 v6, -1, 0, s3
	v_xor_b32_e32 v6, s3, v6
	v_and_b32_e32 v5, v5, v6
	v_and_b32_e32 v4, v5, v4
	v_bcnt_u32_b32 v5, v5, 0
	v_bcnt_u32_b32 v4, v4, 0
	s_lshl_b32 s3, s13, 4
	v_add_nc_u32_e32 v2, s3, v2
	v_add_nc_u32_e32 v6, s3, v3
	v_mov_b32_e32 v7, 0
	v_lshlrev_b32_e32 v8, 2, v6
	v_cmp_gt_u32_e32 vcc_lo, 16, v3
	s_and_saveexec_b32 s3, vcc_lo
	ds_store_b32 v8, v7 offset:128
	s_mov_b32 exec_lo, s3
	v_cmp_eq_u32_e64 s3, v4, 0
	s_and_b32 s3, s3, s14
	v_lshlrev_b32_e32 v6, 2, v2
	s_and_saveexec_b32 s14, s3
	ds_store_b32 v6, v5 offset:128
	s_mov_b32 exec_lo, s14
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_cmp_lt_u32_e64 s3, v0, 16
	v_lshlrev_b32_e32 v5, 2, v0
	v_mov_b32_e32 v6, 0
	s_and_saveexec_b32 s14, s3
	ds_load_b32 v6, v5 offset:128
	s_mov_b32 exec_lo, s14
	v_lshlrev_b32_e32 v5, 2, v0
	v_mov_b32_e32 v7, 0
	s_and_saveexec_b32 s14, s3
	ds_load_b32 v7, v5 offset:192
	s_mov_b32 exec_lo, s14
	s_waitcnt lgkmcnt(0)
	v_add_nc_u32_e32 v5, v6, v7
	v_lshlrev_b32_e32 v6, 2, v0
	s_and_saveexec_b32 s14, s3
	ds_store_b32 v6, v5
	s_mov_b32 exec_lo, s14
	v_mov_b32_e32 v6, v5
	v_add_nc_u32_dpp v6, v6, v6 row_shr:1 row_mask:0xf bank_mask:0xf
	v_add_nc_u32_dpp v6, v6, v6 row_shr:2 row_mask:0xf bank_mask:0xf
	v_add_nc_u32_dpp v6, v6, v6 row_shr:4 row_mask:0xf bank_mask:0xf
	v_add_nc_u32_dpp v6, v6, v6 row_shr:8 row_mask:0xf bank_mask:0xf
	v_permlanex16_b32 v7, v6, -1, -1
	v_add_nc_u32_dpp v6, v7, v6 quad_perm:[0,1,2,3] row_mask:0xa bank_mask:0xf
	v_lshlrev_b32_e64 v7, 2, s13
	v_cmp_eq_u32_e32 vcc_lo, 31, v3
	s_and_saveexec_b32 s3, vcc_lo
	ds_store_b32 v7, v6 offset:256
	s_mov_b32 exec_lo, s3
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_and_b32 s3, s13, 1
	s_and_b32 s13, s13, -2
	v_lshlrev_b32_e64 v3, 2, s13
	ds_load_b32 v7, v3 offset:256
	v_cmp_lt_u32_e64 s13, v0, 16
	v_lshlrev_b32_e32 v3, 2, v0
	v_mov_b32_e32 v8, 0
	s_and_saveexec_b32 s14, s13
	ds_load_b32 v8, v3 offset:128
	s_mov_b32 exec_lo, s14
	s_waitcnt lgkmcnt(1)
	v_add_nc_u32_e32 v3, v7, v6
	v_cmp_ne_u32_e64 vcc_lo, s3, 0
	v_cndmask_b32_e32 v3, v6, v3, vcc_lo
	v_sub_nc_u32_e32 v3, v3, v5
	v_lshlrev_b32_e32 v5, 2, v0
	s_and_saveexec_b32 s3, s13
	ds_store_b32 v5, v3 offset:64
	s_mov_b32 exec_lo, s3
	v_lshlrev_b32_e32 v5, 2, v0
	s_and_saveexec_b32 s3, s13
	ds_store_b32 v5, v3 offset:128
	s_mov_b32 exec_lo, s3
	s_waitcnt lgkmcnt(2)
	v_add_nc_u32_e32 v3, v3, v8
	v_lshlrev_b32_e32 v5, 2, v0
	s_and_saveexec_b32 s3, s13
	ds_store_b32 v5, v3 offset:192
	s_mov_b32 exec_lo, s3
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_lshlrev_b32_e32 v3, 2, v2
	ds_load_b32 v2, v3 offset:128
	// 46: start[i] = below[block.thread_idx() & 15];
	v_and_b32_e32 v3, 15, v0
	v_lshlrev_b32_e32 v5, 2, v3
	v_mov_b32_e32 v6, 0
	s_and_saveexec_b32 s3, s12
	ds_load_b32 v6, v5 offset:64
	s_mov_b32 exec_lo, s3
	// 45: rank[i] = block.radix_rank_match_atomic_or(key[i], 4, 28, 2, bins, below);
	s_waitcnt lgkmcnt(1)
	v_add_nc_u32_e32 v2, v2, v4
	v_cndmask_b32_e64 v3, -1, v1, s12
	buffer_store_b32 v2, v3, s[16:19], 0 idxen
	// 46: start[i] = below[block.thread_idx() & 15];
	s_waitcnt lgkmcnt(0)
	v_cndmask_b32_e64 v2, -1, v1, s12
	buffer_store_b32 v6, v2, s[8:11], 0 idxen
	s_endpgm
