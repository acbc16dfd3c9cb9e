// Votes and matches, of the whole warp and of its active lanes.
extern "C" __global__ void vote(const unsigned *in, unsigned *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i], *o = out + 8 * i;
	const unsigned full = 0xffffffffu;

	o[0] = __all_sync(full, v & 0xff0);
	o[1] = __any_sync(full, (v & 0xff) == 7);
	o[2] = __ballot_sync(full, v & 1);
	o[3] = __uni_sync(full, v & 0x1000);
	o[4] = 0;
	o[5] = 0;
	if (threadIdx.x % 3 == 1) {
		const unsigned mine = 0x92492492u;
		o[4] = __ballot_sync(mine, v & 2);
		o[5] = __all_sync(mine, v & 0xfffff) + 2 * __any_sync(mine, v % 5 == 0);
	}
	o[6] = __match_any_sync(full, v % 4);
	int all;
	o[7] = __match_all_sync(full, v / 0x40000000u, &all);
	o[7] ^= all ? 0x10 : 0;
}

extern "C" __global__ void match64(const unsigned long long *in, unsigned *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned long long v = in[i] & 0x300000001ull;
	int all;

	out[3 * i] = __match_any_sync(0xffffffffu, v);
	unsigned who = __match_all_sync(0xffffffffu, v | 0x300000001ull, &all);
	out[3 * i + 1] = who + (unsigned)all;
	/* Matches only among lanes that took the same branch. */
	unsigned active = 0, same = __ballot_sync(0xffffffffu, v & 1);
	if (v & 1)
		active = __activemask();
	out[3 * i + 2] = !(v & 1) || ((active & ~same) == 0 && active >> (threadIdx.x & 31) & 1);
}
