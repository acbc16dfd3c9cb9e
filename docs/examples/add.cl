/* A kernel for clang without a device library:
 *
 *	clang --target=amdgcn-amd-amdhsa -mcpu=gfx1100 -O2 -nogpulib -x cl -cl-std=CL2.0 add.cl -o add.hsaco
 *	llvm-strip add.hsaco */
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void
add(global const float *a, global const float *b, global float *sum, uint n)
{
	uint i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();

	if (i < n)
		sum[i] = a[i] + b[i];
}
