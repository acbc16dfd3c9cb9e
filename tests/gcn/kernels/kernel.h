/* Common header of all kernels: types, the index of a work item, block barriers.
 * Uses no OpenCL header and no library calls, so that the compiler alone makes the
 * whole code. */
#ifndef KERNEL_H
#define KERNEL_H

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define BLOCK(n)     kernel __attribute__((reqd_work_group_size(n, 1, 1))) void
#define HAS(builtin) __has_builtin(__builtin_amdgcn_##builtin)
#define NOINLINE     __attribute__((noinline))
/* Declares an LLVM intrinsic that has no builtin, as a function of its name. */
#define INTRINSIC(name) __asm("llvm.amdgcn." name)

#if defined(__GFX9__)
#define CDNA_OR_VEGA 1
#else
#define CDNA_OR_VEGA 0
#endif

#if defined(__gfx1250__) || defined(__gfx1251__)
#define GFX125 1
#else
#define GFX125 0
#endif

static inline uint
item(void)
{
	return __builtin_amdgcn_workitem_id_x();
}

static inline uint
group(void)
{
	return __builtin_amdgcn_workgroup_id_x();
}

static inline uint
index_in(uint block)
{
	return group() * block + item();
}

static inline uint
lane(void)
{
	return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
}

static inline ulong
ballot(bool c)
{
	return __builtin_amdgcn_ballot_w64(c);
}

static inline void
sync(void)
{
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

#endif
