// Reductions of a warp in one instruction.
extern "C" __global__ void redux(const unsigned *in, unsigned *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i], *o = out + 10 * i;
	const unsigned full = 0xffffffffu, mine = threadIdx.x & 1 ? 0xaaaaaaaau : 0x55555555u;

	o[0] = __reduce_add_sync(full, v);
	o[1] = __reduce_min_sync(full, v);
	o[2] = __reduce_max_sync(full, v);
	o[3] = (unsigned)__reduce_min_sync(full, (int)v);
	o[4] = (unsigned)__reduce_max_sync(full, (int)v);
	o[5] = __reduce_and_sync(full, v | 0xff);
	o[6] = __reduce_or_sync(full, v & 0xff00);
	o[7] = __reduce_xor_sync(full, v);
	/* Two groups of lanes at one instruction. */
	o[8] = __reduce_add_sync(mine, v);
	o[9] = (unsigned)__reduce_add_sync(mine, (int)v >> 4);
}
