	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.amdhsa_code_object_version 5
	.file 0 "/src" "add.cl"
	.file 1 "include" "bits.h"
	.text
	.globl add
	.type add,@function
add:
	.loc 0 3 1
	s_load_b64 s[0:1], s[0:1], 0x8
	.loc 1 12 9
	v_mov_b32_e32 v0, 0x12345678
	v_mov_b32_e32 v1, 0
	.loc 0 0 0
	s_nop 0
	.loc 0 5 3
	s_endpgm
.Ladd:
	.size add, .Ladd-add
	.section .text.far,"ax",@progbits
	.type far,@function
far:
	.loc 1 900 1
	s_nop 1
	.loc 1 7 2
	s_setpc_b64 s[30:31]
.Lfar:
	.size far, .Lfar-far
