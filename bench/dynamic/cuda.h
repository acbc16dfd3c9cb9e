/* The definitions of dynamic.h for CUDA. */
#include <cuda/atomic>

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int i32;

#define WAVE 32
#define BLOCK(n) extern "C" __global__ void __launch_bounds__(n)
#define G
#define IN const
#define R __restrict__
#define SHARED __shared__
#define SHARED_PTR
#define FN static __device__ inline
#define THREAD threadIdx.x
#define BLOCK_IDX blockIdx.x
#define SYNC __syncthreads
#define ATOMIC_ADD atomicAdd
#define LOCAL_ADD atomicAdd_block
#define LOAD_ACQUIRE(p) cuda::atomic_ref<u32, cuda::thread_scope_device>(*(p)).load(cuda::memory_order_acquire)
#define STORE_RELEASE(p, v) cuda::atomic_ref<u32, cuda::thread_scope_device>(*(p)).store(v, cuda::memory_order_release)
#define POPCOUNT __popc
#define CLZ(x) (u32) __clz(x)
#define INF CUDART_INF_F
#include <math_constants.h>

FN u32
lane_id(void)
{
	return threadIdx.x % 32;
}
FN u32
shuffle_xor(u32 v, u32 mask)
{
	return __shfl_xor_sync(~0u, v, mask);
}
FN float
shuffle_xor_f(float v, u32 mask)
{
	return __shfl_xor_sync(~0u, v, mask);
}
FN u32
shuffle_up(u32 v, u32 by)
{
	return __shfl_up_sync(~0u, v, by);
}
