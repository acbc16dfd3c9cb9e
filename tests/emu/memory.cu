// Local arrays, constants, variables of the module, structures as parameters, vectors, bytes.
struct shape {
	short scale;
	unsigned char shift;
	double bias;
	unsigned row[5];
};
__constant__ unsigned weights[8] = { 1, 3, 5, 7, 11, 13, 17, 19 };
__device__ unsigned tally[4] = { 100, 200, 300, 400 };
__device__ const unsigned *where = tally;

extern "C" __global__ void spaces(const unsigned *in, unsigned *out, unsigned n, shape s)
{
	unsigned i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x;
	unsigned heap[8];
	uint4 v = ((const uint4 *)in)[i % (n / 4)];
	const unsigned char *bytes = (const unsigned char *)in;

	for (unsigned k = 0; k < 8; k++)
		heap[k] = weights[k] * v.x;
	for (unsigned k = 0; k < 8; k++) { /* an index that is not constant */
		unsigned a = v.y >> 3 * k & 7, b = v.z >> 3 * k & 7, t = heap[a];
		heap[a] = heap[b] + k;
		heap[b] = t ^ v.w;
	}
	unsigned sum = 0;
	for (unsigned k = 0; k < 8; k++)
		sum = sum * 33 + heap[(k + v.x) & 7];
	sum += (unsigned)((int)s.scale * 3) + (v.x >> s.shift) + (unsigned)s.bias + s.row[i % 5];
	sum += bytes[i] + (unsigned)((const signed char *)bytes)[i + 1] + ((const unsigned short *)in)[i] +
	       (unsigned)((const short *)in)[i + 2];
	((uint2 *)out)[i] = make_uint2(sum, where[i & 3]);
}

// A generic pointer.
__device__ __noinline__ unsigned fetch(const unsigned *p, unsigned k)
{
	return p[k] * 2 + 1;
}
__device__ __noinline__ unsigned twice(const unsigned *p, unsigned k)
{
	unsigned a = fetch(p, k);
	return k & 1 ? a : a + fetch(p, k ^ 1);
}
extern "C" __global__ void calls(const unsigned *in, unsigned *out, unsigned n)
{
	__shared__ unsigned s[64];
	unsigned t = threadIdx.x, i = blockIdx.x * 64 + t, mine[2] = { in[i], t };

	s[t] = in[i] ^ 0xff;
	__syncthreads();
	const unsigned *p = t % 3 == 0 ? s : t % 3 == 1 ? in + blockIdx.x * 64 : mine;
	out[i] = twice(p, t % 3 == 2 ? t & 1 : 63 - t);
}
