// Every atomic, on global and shared memory.
extern "C" __global__ void atomics(const unsigned *in, unsigned long long *out, unsigned n)
{
	__shared__ unsigned s[6];
	__shared__ unsigned long long wide;
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
	unsigned *o = (unsigned *)out;

	if (threadIdx.x < 6)
		s[threadIdx.x] = threadIdx.x == 3 ? 0xffffffffu : 0;
	if (threadIdx.x == 6)
		wide = 0;
	__syncthreads();
	atomicAdd(&s[0], v);
	atomicXor(&s[1], v);
	atomicMax((int *)&s[2], (int)v);
	atomicAnd(&s[3], v | 0xff);
	atomicInc(&s[4], 9);
	atomicAdd(&wide, (unsigned long long)v << 8);
	/* An operation built from compare-and-swap: the sum of squares. */
	for (unsigned was = s[5], now;; was = now) {
		now = atomicCAS(&s[5], was, was + (v & 0xff) * (v & 0xff));
		if (now == was)
			break;
	}
	__syncthreads();
	if (threadIdx.x == 0) {
		atomicAdd(&o[0], s[0]);
		atomicXor(&o[1], s[1]);
		atomicMax((int *)&o[2], (int)s[2]);
		atomicAnd(&o[3], s[3]);
		atomicAdd(&o[4], s[4]);
		atomicAdd(&o[5], s[5]);
		atomicAdd(&out[3], wide);
	}
	atomicMin(&o[8], v);
	atomicMin((int *)&o[9], (int)v);
	atomicOr(&o[10], v & 0x0f0f0f0f);
	atomicDec(&o[11], 1000);
	atomicMax(&out[6], (unsigned long long)v << 20);
	atomicMin((long long *)&out[7], -(long long)(v & 0xffff));
	atomicOr(&out[8], 1ull << (v & 63));
	/* Exact in any order. */
	atomicAdd((float *)&o[18], (float)(v & 15));
	atomicAdd((double *)&out[10], (double)(v & 0xffff) * 0.25);
	/* Each ticket is taken once, in any order. */
	unsigned ticket = atomicAdd(&o[22], 1);
	atomicAdd(&out[12], (unsigned long long)ticket);
	unsigned long long was = atomicExch(&out[13], (unsigned long long)(i + 1));
	atomicAdd(&out[14], was);
}
