// Sums and scans of a block through shared memory; a sort; dynamic shared memory.
extern "C" __global__ void block_sum(const unsigned *in, unsigned *out, unsigned n)
{
	__shared__ unsigned part[8];
	unsigned t = threadIdx.x, v = 0;

	for (unsigned i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
		v += in[i];
	#pragma unroll 1
	for (unsigned k = 16; k; k >>= 1)
		v += __shfl_xor_sync(0xffffffffu, v, k);
	if (t % 32 == 0)
		part[t / 32] = v;
	__syncthreads();
	if (t < 8) {
		v = part[t];
		#pragma unroll 1
		for (unsigned k = 4; k; k >>= 1)
			v += __shfl_down_sync(0xffu, v, k, 8);
		if (t == 0)
			out[blockIdx.x] = v;
	}
}

extern "C" __global__ void block_scan(const unsigned *in, unsigned *out, unsigned n)
{
	extern __shared__ unsigned row[];
	unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t, v = i < n ? in[i] : 0;

	row[t] = v;
	__syncthreads();
	#pragma unroll 1
	for (unsigned k = 1; k < blockDim.x; k *= 2) {
		unsigned left = t >= k ? row[t - k] : 0;
		__syncthreads();
		row[t] += left;
		__syncthreads();
	}
	if (i < n)
		out[i] = row[t];
}

// Bitonic, of 128 keys a block.
extern "C" __global__ void block_sort(const unsigned *in, unsigned *out, unsigned n)
{
	__shared__ unsigned key[128];
	unsigned t = threadIdx.x, i = blockIdx.x * 128 + t;

	key[t] = i < n ? in[i] : 0xffffffffu;
	__syncthreads();
	#pragma unroll 1
	for (unsigned size = 2; size <= 128; size *= 2)
		#pragma unroll 1
		for (unsigned k = size / 2; k; k /= 2) {
			unsigned o = t ^ k;
			if (o > t) {
				unsigned a = key[t], b = key[o];
				if ((a > b) == !(t & size)) {
					key[t] = b;
					key[o] = a;
				}
			}
			__syncthreads();
		}
	if (i < n)
		out[i] = key[t];
}

// 16 by 16 tiles of a matrix product, in two dimensions.
extern "C" __global__ void matmul(const float *a, float *c, unsigned n)
{
	__shared__ float x[16][17], y[16][17];
	unsigned col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
	float sum = 0;

	#pragma unroll 1
	for (unsigned k = 0; k < n; k += 16) {
		x[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
		y[threadIdx.y][threadIdx.x] = a[(k + threadIdx.y) * n + col];
		__syncthreads();
		#pragma unroll 1
		for (unsigned j = 0; j < 16; j++)
			sum = __fmaf_rn(x[threadIdx.y][j], y[j][threadIdx.x], sum);
		__syncthreads();
	}
	c[row * n + col] = sum;
}
