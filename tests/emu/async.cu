// Copies to shared memory that are waited for, two groups in flight; the last tile is cut.
extern "C" __global__ void async_copy(const unsigned *in, unsigned *out, unsigned n)
{
	__shared__ __align__(16) unsigned tile[2][128];
	unsigned t = threadIdx.x, sum = 0, tiles = (n + 127) / 128;
	unsigned at = (unsigned)__cvta_generic_to_shared(&tile[0][0]) + 16 * t;
#define ASK(k)                                                                                     \
	{                                                                                          \
		unsigned from = (k) * 128 + 4 * t;                                                 \
		unsigned left = from < n ? min(4u, n - from) * 4 : 0;                              \
		asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at + 512 * ((k) & 1)), \
			     "l"(in + (left ? from : 0)), "r"(left));                              \
		asm volatile("cp.async.commit_group;");                                            \
	}
	ASK(0)
	for (unsigned k = 0; k < tiles; k++) {
		if (k + 1 < tiles) {
			ASK(k + 1)
			asm volatile("cp.async.wait_group 1;" ::: "memory");
		} else {
			asm volatile("cp.async.wait_all;" ::: "memory");
		}
		__syncthreads();
		/* Reads data that another thread copied. */
		for (unsigned j = 0; j < 4; j++)
			sum = sum * 3 + tile[k & 1][(t * 4 + 5 + j) % 128];
		__syncthreads();
	}
	/* 4 and 8 bytes, through L1. */
	asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n\tcp.async.ca.shared.global [%0+8], [%2], 8;\n\t"
		     "cp.async.wait_all;" ::"r"(at), "l"(in + t), "l"(in + 2 * t)
		     : "memory");
	out[t] = sum ^ tile[0][4 * t] ^ tile[0][4 * t + 2] * 5 ^ tile[0][4 * t + 3] * 7;
}
