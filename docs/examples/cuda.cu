/* Typical CUDA kernels, with the primitives of CUB and of cooperative groups, for
 * docs/code-objects.md and tests/tools/run.sh. cuda.ptx: nvcc -ptx -arch=sm_80 cuda.cu */
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
struct Max {
	__device__ int operator()(int a, int b) const { return a > b ? a : b; }
};
extern "C" __global__ void block_sum(const int *in, int *out)
{
	typedef cub::BlockReduce<int, 128> R;
	__shared__ typename R::TempStorage t;
	int s = R(t).Sum(in[blockIdx.x * 128 + threadIdx.x]);
	if (threadIdx.x == 0)
		out[blockIdx.x] = s;
}
extern "C" __global__ void block_scan(const int *in, int *out)
{
	typedef cub::BlockScan<int, 128> S;
	__shared__ typename S::TempStorage t;
	int v;
	S(t).InclusiveSum(in[threadIdx.x], v);
	out[threadIdx.x] = v;
}
extern "C" __global__ void block_sort(const unsigned *in, unsigned *out)
{
	typedef cub::BlockRadixSort<unsigned, 128, 1> S;
	__shared__ typename S::TempStorage t;
	unsigned k[1] = { in[threadIdx.x] };
	S(t).Sort(k);
	out[threadIdx.x] = k[0];
}
extern "C" __global__ void warp_max(const int *in, int *out)
{
	typedef cub::WarpReduce<int> R;
	__shared__ typename R::TempStorage t[4];
	int m = R(t[threadIdx.x / 32]).Reduce(in[threadIdx.x], Max());
	if (threadIdx.x % 32 == 0)
		out[threadIdx.x / 32] = m;
}
extern "C" __global__ void warp_scan(const float *in, float *out)
{
	typedef cub::WarpScan<float> S;
	__shared__ typename S::TempStorage t[4];
	float v;
	S(t[threadIdx.x / 32]).ExclusiveSum(in[threadIdx.x], v);
	out[threadIdx.x] = v;
}
extern "C" __global__ void tile_sum(const int *in, int *out)
{
	auto tile = cg::tiled_partition<8>(cg::this_thread_block());
	out[threadIdx.x] = cg::reduce(tile, in[threadIdx.x], cg::plus<int>());
}
extern "C" __global__ void coalesced(const int *in, int *out)
{
	if (in[threadIdx.x] & 1) {
		auto g = cg::coalesced_threads();
		out[threadIdx.x] = (int)(g.thread_rank() * 100 + g.size());
	}
}
extern "C" __global__ void transpose(const float *in, float *out, int n)
{
	__shared__ float t[16][17];
	int x = threadIdx.x, y = threadIdx.y;
	t[y][x] = in[y * n + x];
	__syncthreads();
	out[y * n + x] = t[x][y];
}
extern "C" __global__ void histogram(const unsigned char *in, unsigned *bins, int n)
{
	__shared__ unsigned own[16];
	if (threadIdx.x < 16)
		own[threadIdx.x] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&own[in[i] & 15], 1u);
	__syncthreads();
	if (threadIdx.x < 16)
		atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
/* A look-back scan of block sums: state[i] is a flag (1 own, 2 prefix) above a sum. */
extern "C" __global__ void look_back(const unsigned *in, unsigned *out, unsigned long long *state, unsigned *ticket)
{
	typedef cub::BlockScan<unsigned, 64> S;
	__shared__ typename S::TempStorage t;
	__shared__ unsigned block, before;
	if (threadIdx.x == 0)
		block = atomicAdd(ticket, 1u);
	__syncthreads();
	unsigned i = block * 64 + threadIdx.x, v, sum;
	S(t).InclusiveSum(in[i], v, sum);
	if (threadIdx.x == 0) {
		unsigned prefix = 0;
		volatile unsigned long long *s = state;
		if (block) {
			atomicExch(&state[block], 1ull << 32 | sum);
			for (int b = (int)block - 1;; ) {
				unsigned long long w = s[b];
				if (!(w >> 32))
					continue;
				prefix += (unsigned)w;
				if (w >> 32 == 2)
					break;
				b--;
			}
		}
		__threadfence();
		atomicExch(&state[block], 2ull << 32 | (prefix + sum));
		before = prefix;
	}
	__syncthreads();
	out[i] = before + v;
}
/* Incorrect kernels. */
extern "C" __global__ void divergent(int *out)
{
	asm volatile("barrier.sync %0, 64;" ::"r"(threadIdx.x < 40 ? 1 : 2));
	out[threadIdx.x] = 1;
}
extern "C" __global__ void unwritten(int *out)
{
	__shared__ int t[64];
	if (threadIdx.x != 5)
		t[threadIdx.x] = 1;
	__syncthreads();
	out[threadIdx.x] = t[threadIdx.x ^ 1];
}
extern "C" __global__ void beyond(const int *in, int *out)
{
	out[threadIdx.x] = in[threadIdx.x + 1];
}
