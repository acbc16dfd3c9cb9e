	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.amdhsa_code_object_version 5
	.text
	.p2align 8
	.globl add
	.protected add
	.type add,@function
add:
	s_load_b128 s[0:3], s[0:1], 0x8
	v_cmp_gt_u32_e32 vcc_lo, 64, v0
	s_and_saveexec_b32 s4, vcc_lo
	s_cbranch_execz .Lend
	s_mov_b32 s5, 3
.Lloop:
	s_sub_u32 s5, s5, 1
	v_add_nc_u32_e32 v1, 1, v0
	s_cmp_lg_u32 s5, 0
	s_cbranch_scc1 .Lloop
.Lend:
	s_endpgm
.Lsize:
	.size add, .Lsize-add
	.type helper,@function
helper:
	v_mov_b32_e32 v0, 0x12345678
	.long 0xbf93ffff
	s_setpc_b64 s[30:31]
.Lhs:
	.size helper, .Lhs-helper
	.section .rodata,"a",@progbits
	.p2align 6
	.amdhsa_kernel add
	.amdhsa_user_sgpr_kernarg_segment_ptr 1
	.amdhsa_system_sgpr_workgroup_id_x 1
	.amdhsa_next_free_vgpr 5
	.amdhsa_next_free_sgpr 6
	.amdhsa_group_segment_fixed_size 1024
	.amdhsa_kernarg_size 24
	.amdhsa_wavefront_size32 1
	.end_amdhsa_kernel
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx1100
amdhsa.kernels:
  - .name: add
    .symbol: add.kd
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 1024
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 8
    .vgpr_count: 5
    .max_flat_workgroup_size: 64
    .args:
      - .offset: 0
        .size: 8
        .value_kind: global_buffer
        .address_space: global
      - .offset: 8
        .size: 8
        .value_kind: by_value
.end_amdgpu_metadata
