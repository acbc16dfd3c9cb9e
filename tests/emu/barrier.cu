// Barriers with numbers and counts: two warps produce data for two others; barriers that count.
extern "C" __global__ void barriers(const unsigned *in, unsigned *out, unsigned n)
{
	__shared__ unsigned box[64];
	unsigned t = threadIdx.x, v = in[blockIdx.x * blockDim.x + t], *o = out + (blockIdx.x * blockDim.x + t) * 4;

	o[0] = __syncthreads_count(v & 1);
	o[1] = __syncthreads_and(v & 0xfffff) != 0;
	o[2] = __syncthreads_or((v & 0xff) == 3) != 0;
	unsigned got = 0;
	for (unsigned round = 0; round < 4; round++) {
		if (t < 64) {
			asm volatile("bar.sync 2, 128;" ::: "memory"); /* the box is empty */
			box[t] = v + round;
			asm volatile("bar.arrive 1, 128;" ::: "memory");
		} else {
			asm volatile("bar.arrive 2, 128;" ::: "memory");
			asm volatile("bar.sync 1, 128;" ::: "memory");
			got = got * 31 + box[127 - t];
		}
	}
	/* Two barriers of 64 threads each, at the same time. */
	asm volatile("barrier.sync %0, 64;" ::"r"(3 + t / 64) : "memory");
	o[3] = got;
}
