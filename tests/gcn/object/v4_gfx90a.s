	.amdgcn_target "amdgcn-amd-amdhsa--gfx90a:xnack+"
	.amdhsa_code_object_version 4
	.text
	.p2align 8
	.globl fill
	.protected fill
	.type fill,@function
fill:
	s_load_dwordx2 s[0:1], s[4:5], 0x0
	v_mov_b32_e32 v1, 0
	s_waitcnt lgkmcnt(0)
	s_endpgm
.Lsize:
	.size fill, .Lsize-fill
	.section .rodata,"a",@progbits
	.p2align 6
	.amdhsa_kernel fill
	.amdhsa_user_sgpr_kernarg_segment_ptr 1
	.amdhsa_next_free_vgpr 72
	.amdhsa_next_free_sgpr 6
	.amdhsa_accum_offset 8
	.amdhsa_kernarg_size 8
	.end_amdhsa_kernel
.amdgpu_metadata
amdhsa.version: [1, 1]
amdhsa.target: amdgcn-amd-amdhsa--gfx90a:xnack+
amdhsa.kernels:
  - .name: fill
    .symbol: fill.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 12
    .vgpr_count: 72
    .agpr_count: 64
    .max_flat_workgroup_size: 256
    .reqd_workgroup_size: [128, 2, 1]
    .uniform_work_group_size: 1
.end_amdgpu_metadata
