// Every shuffle, with every width, of 32 and 64 bits, and its predicate result.
#define STEP(width)                                                                                \
	{                                                                                          \
		const unsigned full = 0xffffffffu;                                                 \
		unsigned k = in[(i + width) % n];                                                  \
		*o++ = __shfl_sync(full, v, k & 63, width);                                        \
		*o++ = __shfl_up_sync(full, v, k & 31, width);                                     \
		*o++ = __shfl_down_sync(full, v, k & 31, width);                                   \
		*o++ = __shfl_xor_sync(full, v, k & 31, width);                                    \
	}

extern "C" __global__ void shuffle(const unsigned *in, unsigned *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned v = in[i], *o = out + 24 * i;
	STEP(1)
	STEP(2)
	STEP(4)
	STEP(8)
	STEP(16)
	STEP(32)
}

extern "C" __global__ void shuffle64(const unsigned long long *in, unsigned long long *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned long long v = in[i];
	double d = (double)(v >> 20);

	out[4 * i] = __shfl_xor_sync(0xffffffffu, v, 5);
	out[4 * i + 1] = (unsigned long long)__shfl_down_sync(0xffffffffu, d, 3, 8);
	/* Each half of the warp separately. */
	if (threadIdx.x & 16)
		out[4 * i + 2] = __shfl_sync(0xffff0000u, v, 17 + (v & 7));
	else
		out[4 * i + 2] = __shfl_up_sync(0x0000ffffu, v, 1, 16);
	out[4 * i + 3] = __shfl_sync(0xffffffffu, (unsigned)v, 31);
}

// Any c operand: any clamp, any mask.
extern "C" __global__ void control(const unsigned *in, unsigned *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
	unsigned b = v >> 3 & 63, c = v >> 10 & 0x1fff, d, p;
#define FORM(mode, k)                                                                              \
	asm volatile("{ .reg .pred q;\n\tshfl.sync." mode ".b32 %0|q, %2, %3, %4, 0xffffffff;\n\t" \
		     "selp.u32 %1, 1, 0, q; }"                                                     \
		     : "=r"(d), "=r"(p)                                                            \
		     : "r"(v), "r"(b), "r"(c));                                                    \
	out[8 * i + 2 * k] = d;                                                                    \
	out[8 * i + 2 * k + 1] = p;
	FORM("up", 0)
	FORM("down", 1)
	FORM("bfly", 2)
	FORM("idx", 3)
}
