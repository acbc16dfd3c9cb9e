/* Kernels for tests of loading other compilers' code objects. They differ in their argument block,
 * their shared and private memory, and their constants. */
#include "kernel.h"

struct pair {
	uint a;
	float b[3];
};

/* An argument of each kind. */
BLOCK(32)
values(global uint *out, char c, uchar uc, short s, ushort us, int i, uint u, long l, ulong ul,
       float f, double d, float4 v, struct pair p)
{
	uint at = index_in(32);

	out[12 * at] = (uint)c;
	out[12 * at + 1] = uc;
	out[12 * at + 2] = (uint)s;
	out[12 * at + 3] = us;
	out[12 * at + 4] = (uint)i + u;
	out[12 * at + 5] = (uint)(l >> 7) ^ (uint)(ul >> 33);
	out[12 * at + 6] = __builtin_astype(f * 2.0f, uint);
	out[12 * at + 7] = __builtin_astype((float)(d * 0.5), uint);
	out[12 * at + 8] = __builtin_astype(v.x + v.w, uint);
	out[12 * at + 9] = p.a + at;
	out[12 * at + 10] = __builtin_astype(p.b[2], uint);
	out[12 * at + 11] = __builtin_astype(v.y * v.z, uint);
}

/* Launch dimensions as the kernel sees them, for any block size. */
kernel void
sizes(global uint *out)
{
	uint i = group() * __builtin_amdgcn_workgroup_size_x() + item();
	const constant uchar *hidden = __builtin_amdgcn_implicitarg_ptr();

	out[8 * i] = __builtin_amdgcn_workgroup_size_x();
	out[8 * i + 1] = __builtin_amdgcn_workgroup_size_y();
	out[8 * i + 2] = __builtin_amdgcn_grid_size_x();
#if HIDDEN_SIZES
	out[8 * i + 3] = *(const constant uint *)hidden;
	out[8 * i + 4] = *(const constant uint *)(hidden + 4);
	out[8 * i + 5] = *(const constant ushort *)(hidden + 18);
	out[8 * i + 6] = *(const constant ushort *)(hidden + 64);
	out[8 * i + 7] = (uint)*(const constant ulong *)(hidden + 40);
#else
	/* The first hidden argument is where x begins. */
	out[8 * i + 3] = __builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x();
	out[8 * i + 4] = out[8 * i + 6] = 1;
	out[8 * i + 5] = 0;
	out[8 * i + 7] = (uint)*(const constant ulong *)hidden;
#endif
}

/* Constant data next to the code. */
constant uint table[64] = {
	0x9e37, 0x79b9, 0x7f4a, 0x7c15, 0xf39c, 0xc060, 0x5ced, 0xc834, 0x1082, 0x276b, 0xf3a2, 0x7251,
	0xf86c, 0x6a11, 0xd0c1, 0x8e95, 0x2767, 0xf0b1, 0x53d2, 0x7b7f, 0x0347, 0x045b, 0x5bf1, 0x827f,
	0x0188, 0x6f09, 0x28e2, 0x8e7c, 0x6b8d, 0xc2b3, 0x3fc1, 0x9a25, 0x7c5e, 0x14d9, 0xa2e4, 0x6cd1,
	0x3b1e, 0xe5a7, 0x8f60, 0x5d32, 0xc4f8, 0x0a93, 0xb76c, 0x2e15, 0x91da, 0xfd84, 0x46b3, 0x7920,
	0xe8cf, 0x153a, 0x5fb6, 0xd20e, 0x88a1, 0x37e9, 0xc07d, 0x64f2, 0xab58, 0x1c95, 0xf163, 0x2d4a,
	0x9087, 0x7e3b, 0xd5c4, 0x4916
};

BLOCK(64)
lookup(global const uint *in, global uint *out)
{
	uint i = index_in(64);

	out[i] = table[in[i] & 63] * 3 + table[group() & 63];
}

/* Dynamic shared memory, after static shared memory. */
BLOCK(64)
local_sizes(global const uint *in, global uint *out, local uint *a, local ulong *b)
{
	local uint own[64];
	uint x = item();

	own[x] = in[index_in(64)];
	a[x] = own[x] ^ 5;
	b[x] = (ulong)own[x] << 32 | x;
	sync();
	out[index_in(64)] = a[63 - x] + (uint)(b[x ^ 1] >> 32) * 2 + own[x ^ 2] * 4 + (uint)b[63 - x];
}

/* Threads in two dimensions. */
kernel __attribute__((reqd_work_group_size(8, 16, 1))) void
plane(global uint *out)
{
	uint x = __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workitem_id_y();

	out[group() * 128 + y * 8 + x] = group() << 16 | y << 8 | x;
}

/* Private memory with a dynamic index. */
BLOCK(64)
private_array(global const uint *in, global uint *out, uint n)
{
	uint i = index_in(64);
	volatile uint a[16];

	for (uint k = 0; k < 16; k++)
		a[k] = in[i] * (k + 1);
	out[i] = a[(in[i] + n) & 15];
}

NOINLINE uint
mix(uint a, uint b)
{
	return (a ^ b * 0x85ebca6b) * 0xc2b2ae35 + 1;
}

/* A function that a kernel calls. */
BLOCK(64)
calls(global const uint *in, global uint *out)
{
	uint i = index_in(64);

	out[i] = mix(in[i], i) ^ mix(i, in[i]);
}

/* An empty kernel. */
BLOCK(64)
empty(void)
{
}
