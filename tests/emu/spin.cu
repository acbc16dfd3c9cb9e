// Blocks that wait for each other: each for the sum of the preceding blocks; the last block to
// arrive adds everything up.
extern "C" __global__ void spin(const unsigned *in, unsigned *out, unsigned *flags)
{
	__shared__ unsigned before, order;
	unsigned t = threadIdx.x;

	if (t == 0)
		order = atomicAdd(&flags[0], 1);
	__syncthreads();
	unsigned i = order * blockDim.x + t, v = in[i];
	unsigned sum = v;
	for (unsigned k = 1; k < 32; k *= 2) {
		unsigned left = __shfl_up_sync(0xffffffffu, sum, k);
		if (t >= k)
			sum += left;
	}
	if (t == 31) {
		unsigned earlier = 0;
		if (order) {
			volatile unsigned *flag = flags + 1 + 2 * (order - 1);
			while (!flag[0])
				;
			__threadfence();
			earlier = flag[1];
		}
		flags[2 + 2 * order] = earlier + sum;
		__threadfence();
		atomicExch(&flags[1 + 2 * order], 1);
		before = earlier;
	}
	__syncthreads();
	out[i] = before + sum;
}

// A lock taken by each lane of a warp in turn.
extern "C" __global__ void lock(const unsigned *in, unsigned *out, unsigned *flags)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	volatile unsigned *sum = out;

	for (bool done = false; !done;) {
		if (atomicCAS(&flags[0], 0, 1) == 0) {
			*sum = *sum + in[i];
			__threadfence();
			atomicExch(&flags[0], 0);
			done = true;
		}
	}
}
