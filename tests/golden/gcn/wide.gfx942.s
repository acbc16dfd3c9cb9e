	s_load_dwordx8 s[4:11], s[0:1], 0x0
	s_load_dword s3, s[0:1], 0x24
	s_waitcnt lgkmcnt(0)
	s_add_i32 s2, s2, s3
	s_pack_ll_b32_b16 s5, s5, 4
	s_mov_b32 s7, 0x27000
	s_pack_ll_b32_b16 s9, s9, 4
	s_mov_b32 s11, 0x27000
	// 3: for i in grid(a.len / 4) {
	s_lshr_b32 s12, s6, 2
	v_lshl_add_u32 v1, s2, 6, v0
	v_cmp_gt_u32_e32 vcc, s12, v1
	s_mov_b64 exec, vcc
	s_cbranch_execz 21
	// 4: let x, y, z, w = a.load4(i);
	v_lshlrev_b32_e32 v1, 2, v1
	v_add_u32_e32 v2, 3, v1
	buffer_load_dwordx4 v[4:7], v1, s[4:7], 0 idxen
	v_add_u32_e32 v3, 1, v1
	v_add_u32_e32 v8, 2, v1
	// 5: b.store4(i, x, y, z, w);
	v_cmp_gt_u32_e32 vcc, s10, v2
	s_and_saveexec_b64 s[12:13], vcc
	s_waitcnt vmcnt(0)
	buffer_store_dwordx4 v[4:7], v1, s[8:11], 0 idxen
	s_nop 1
	s_xor_b64 exec, exec, s[12:13]
	buffer_store_dword v4, v1, s[8:11], 0 idxen
	s_nop 0
	buffer_store_dword v5, v3, s[8:11], 0 idxen
	s_nop 0
	buffer_store_dword v6, v8, s[8:11], 0 idxen
	s_endpgm

	s_load_dwordx8 s[4:11], s[0:1], 0x0
	s_load_dword s3, s[0:1], 0x20
	s_load_dword s12, s[0:1], 0x28
	s_waitcnt lgkmcnt(0)
	s_add_i32 s2, s2, s12
	s_pack_ll_b32_b16 s5, s5, 1
	s_mov_b32 s7, 0x27000
	s_pack_ll_b32_b16 s9, s9, 1
	s_mov_b32 s11, 0x27000
	// 8: kernel bytes(a: in u8[], b: out u8[], n: u32) block(64) {
	// 9: for i in grid(n) {
	v_lshl_add_u32 v1, s2, 6, v0
	v_cmp_gt_u32_e32 vcc, s3, v1
	s_mov_b64 exec, vcc
	s_cbranch_execz 50
	// 10: let x, y, z, w = a.load4(i) else 7;
	v_lshlrev_b32_e32 v2, 2, v1
	v_cmp_gt_u32_e32 vcc, 2.0, v1
	s_nop 1
	v_cndmask_b32_e32 v1, -1, v2, vcc
	v_cmp_lt_u32_e64 s[14:15], v1, s6
	buffer_load_ubyte v2, v1, s[4:7], 0 idxen
	s_nop 0
	s_waitcnt vmcnt(0)
	v_cndmask_b32_e64 v2, 7, v2, s[14:15]
	v_or_b32_e32 v3, 1, v1
	v_cmp_lt_u32_e64 s[14:15], v3, s6
	buffer_load_ubyte v4, v3, s[4:7], 0 idxen
	s_nop 0
	s_waitcnt vmcnt(0)
	v_cndmask_b32_e64 v4, 7, v4, s[14:15]
	v_or_b32_e32 v5, 2, v1
	v_cmp_lt_u32_e64 s[14:15], v5, s6
	buffer_load_ubyte v6, v5, s[4:7], 0 idxen
	s_nop 0
	s_waitcnt vmcnt(0)
	v_cndmask_b32_e64 v6, 7, v6, s[14:15]
	v_or_b32_e32 v7, 3, v1
	v_cmp_lt_u32_e64 s[14:15], v7, s6
	buffer_load_ubyte v8, v7, s[4:7], 0 idxen
	s_nop 0
	s_waitcnt vmcnt(0)
	v_cndmask_b32_e64 v8, 7, v8, s[14:15]
	// 11: b.store4(i, w, z, y, x);
	buffer_store_byte v8, v1, s[8:11], 0 idxen
	s_nop 0
	buffer_store_byte v6, v3, s[8:11], 0 idxen
	s_nop 0
	buffer_store_byte v4, v5, s[8:11], 0 idxen
	s_nop 0
	buffer_store_byte v2, v7, s[8:11], 0 idxen
	s_endpgm

	s_load_dwordx8 s[4:11], s[0:1], 0x0
	s_waitcnt lgkmcnt(0)
	s_pack_ll_b32_b16 s5, s5, 8
	s_mov_b32 s7, 0x27000
	s_pack_ll_b32_b16 s9, s9, 8
	s_mov_b32 s11, 0x27000
	// 16: let t = block.thread_idx();
	// 17: let x, y = a.load2(t);
	v_lshlrev_b32_e32 v1, 1, v0
	v_mov_b32_e32 v2, v1
	buffer_load_dwordx2 v[4:5], v2, s[4:7], 0 idxen
	v_or_b32_e32 v3, 1, v2
	buffer_load_dwordx2 v[6:7], v3, s[4:7], 0 idxen
	// 18: s.store2(t, x, y);
	s_waitcnt vmcnt(0)
	v_lshlrev_b32_e32 v3, 3, v1
	ds_write_b128 v3, v[4:7]
	// 19: block.sync();
	s_waitcnt lgkmcnt(0)
	// 20: let z, w = s.load2(63 - t);
	v_sub_u32_e32 v4, 63, v0
	v_lshlrev_b32_e32 v4, 1, v4
	v_lshlrev_b32_e32 v5, 3, v4
	ds_read_b128 v[8:11], v5
	// 21: b.store2(t, z, w);
	s_lshr_b32 s2, s10, 1
	v_cmp_gt_u32_e32 vcc, s2, v0
	s_mov_b64 exec, vcc
	s_waitcnt lgkmcnt(0)
	buffer_store_dwordx4 v[8:11], v1, s[8:11], 0 idxen
	s_nop 1
	s_not_b64 exec, exec
	buffer_store_dwordx2 v[8:9], v2, s[8:11], 0 idxen
	s_endpgm
