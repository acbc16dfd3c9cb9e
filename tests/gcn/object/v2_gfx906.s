	.hsa_code_object_version 2,1
	.hsa_code_object_isa 9,0,6,"AMD","AMDGPU"
	.text
	.p2align 8
	.amdgpu_hsa_kernel old
old:
	.amd_kernel_code_t
	is_ptr64 = 1
	enable_sgpr_kernarg_segment_ptr = 1
	wavefront_sgpr_count = 7
	workitem_vgpr_count = 3
	granulated_workitem_vgpr_count = 0
	kernarg_segment_byte_size = 16
	workgroup_group_segment_byte_size = 512
	.end_amd_kernel_code_t
	s_load_dword s0, s[0:1], 0x10
	v_mov_b32_e32 v0, s0
	s_endpgm
.Lend:
	.size old, .Lend-old
.amd_amdgpu_hsa_metadata
Version: [ 1, 0 ]
Kernels:
  - Name: old
    SymbolName: 'old@kd'
    CodeProps:
      KernargSegmentSize: 16
      GroupSegmentFixedSize: 512
      PrivateSegmentFixedSize: 0
      KernargSegmentAlign: 8
      WavefrontSize: 64
      NumSGPRs: 7
      NumVGPRs: 3
      MaxFlatWorkGroupSize: 256
.end_amd_amdgpu_hsa_metadata
