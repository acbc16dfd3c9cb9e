/* Definitions that the kernels in OpenCL C share: indices, barriers, atomics and moves between lanes, as in HIP's
 * headers. All blocks are linear. cuda.h contains the same for CUDA, glsl.h for GLSL. */
#ifdef __CUDACC__
#include "cuda.h"
#else
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long u64;
typedef int i32;

#define BLOCK(n) __kernel __attribute__((reqd_work_group_size(n, 1, 1))) void
#define G __global
#define IN __global const
#define R restrict
#define SHARED __local
#define SHARED_PTR __local
#define FN static inline
#define THREAD __builtin_amdgcn_workitem_id_x()
#define BLOCK_IDX __builtin_amdgcn_workgroup_id_x()
#define SYNC()                                                                                     \
	do {                                                                                       \
		__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");                             \
		__builtin_amdgcn_s_barrier();                                                      \
		__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");                             \
	} while (0)
#define ATOMIC_ADD(p, v) __scoped_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
#define LOCAL_ADD(p, v) __scoped_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP)

#define LOAD_ACQUIRE(p) __scoped_atomic_load_n(p, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE)
#define STORE_RELEASE(p, v) __scoped_atomic_store_n(p, v, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE)

#define POPCOUNT __builtin_popcount
#define CLZ(x) ((x) ? __builtin_clz(x) : 32)
#define INF __builtin_inff()
#define fma __builtin_fmaf
#define sqrtf __builtin_sqrtf
#define fabsf __builtin_fabsf
#define fminf __builtin_fminf
#define fmaxf __builtin_fmaxf
#define min(a, b) __builtin_elementwise_min(a, b)
#define max(a, b) __builtin_elementwise_max(a, b)

static inline u32
lane_id(void)
{
	u32 low = __builtin_amdgcn_mbcnt_lo(~0u, 0);

	return WAVE == 64 ? __builtin_amdgcn_mbcnt_hi(~0u, low) : low;
}
static inline u32
shuffle_xor(u32 v, u32 mask)
{
	return __builtin_amdgcn_ds_bpermute((lane_id() ^ mask) << 2, v);
}
static inline float
shuffle_xor_f(float v, u32 mask)
{
	return __builtin_bit_cast(float, shuffle_xor(__builtin_bit_cast(u32, v), mask));
}
static inline u32
shuffle_up(u32 v, u32 by)
{
	u32 lane = lane_id();

	return __builtin_amdgcn_ds_bpermute((lane < by ? lane : lane - by) << 2, v);
}
#endif
