/* Arguments and constants: structs by value, wide loads of the scalar unit, tables
 * in the code object, addresses formed from uniform values. */
#include "kernel.h"

struct settings {
	float scale, offset[7];
	int count;
	double big;
	uchar flags[5];
	ulong mask;
};

BLOCK(64)
arguments(struct settings s, global float *dst, char c, short h, long l, half f)
{
	uint i = index_in(64);

	dst[i] = s.scale * s.offset[i & 3] + s.offset[6];
	dst[i + 64] = s.count + (float)s.big + s.flags[4];
	dst[i + 128] = c + h + (float)l + (float)f;
	dst[i + 192] = (float)(s.mask >> 40);
}

BLOCK(64)
arguments_many(global uint *dst, uint a, uint b, uint c, uint d, ulong e, uint4 f, uint8 g,
	       uint16 h)
{
	dst[index_in(64)] = a + b * c - d + (uint)e + f.x * f.w + g.s0 * g.s7 + h.s0 * h.sf + h.s8;
}

BLOCK(64)
wide_loads(constant uint16 *c, constant uint8 *d, constant uint4 *e, constant uint2 *f,
	   constant uint *g, global uint *dst, uint at)
{
	uint16 v = c[at];
	uint8 w = d[at + 1];
	uint4 x = e[3];
	uint2 y = f[at];

	dst[index_in(64)] =
		v.s0 * v.s5 + v.sf + w.s2 * w.s7 + x.y * x.w + (y.x ^ y.y) + g[at] * g[at + 5];
}

BLOCK(64)
narrow_constants(constant uchar *c, constant short *s, constant char *b, constant ushort *u,
		 global int *dst, uint at)
{
	dst[index_in(64)] = c[at] + s[at + 2] * b[3] + u[at + 9] + b[at + 1] * c[7];
}

constant float table[16] = { 0, 0.5f, 0.25f, 3, 5, 7, 11, 13.5f, 17, 19, 23, 29, 31, 37, 41, 43 };
constant uchar log2_table[64] = { 0, 63, 12, 2, 20, 41, 22, 8, 1, 57, 14, 17, 45, 28, 51, 30 };
constant double poly[4] = { 1.0, 0.5, 0.16666666666666666, 0.041666666666666664 };

BLOCK(64)
tables(global const uint *idx, global float *dst, uint at)
{
	uint i = index_in(64);

	dst[i] = table[idx[i] & 15] + log2_table[idx[i] >> 4 & 63];
	dst[i + 64] = table[at & 15] + log2_table[at & 63];
	dst[i + 128] = (float)(poly[at & 3] * poly[idx[i] & 3]);
}

/* Constants of all kinds: inline integers and floats, literals. */
BLOCK(64)
literals(global uint *dst, global float *f, global half2 *h, uint a, float b)
{
	uint i = index_in(64), x = dst[i];

	dst[i] = (x + 64) ^ (x - 16) ^ (x * 0x12345) ^ (x & 0xff) ^ (x | 0xfffffff0);
	dst[i + 64] = (a + 65) * (a ^ 0x80000000) + x;
	f[i] = b * 0.5f + f[i] * -4.0f + 0.15915494309189535f;
	f[i + 64] = f[i] * 1.1f + -0.5f;
	f[i + 128] = f[i + 1] > 0x1p-126f ? 1e30f : -2.0f;
	h[i] = h[i] * (half2)(0.5h, 0.5h) + (half2)(4.0h, 0.1h);
}

/* Uniform arithmetic stays on the scalar unit until a lane index is added. */
BLOCK(64)
uniform_math(global float *src, global float *dst, int width, int height, float scale)
{
	int row = (int)(group() % (uint)height), plane = (int)(group() / (uint)height);
	long base = ((long)plane * height + row) * width;
	float s = scale * scale + (float)row;

	dst[base + item()] = src[base + width - 1 - (int)item()] * s;
}

BLOCK(64)
uniform_loop(constant float4 *weights, global const float *src, global float4 *dst, uint n)
{
	float4 sum = 0;

	for (uint k = 0; k < n; k++)
		sum += weights[k] * src[k * 64 + item()];
	dst[index_in(64)] = sum;
}

BLOCK(64)
uniform_from_lanes(global const uint *src, global const float *table, global float *dst)
{
	uint i = index_in(64);
	uint first = __builtin_amdgcn_readfirstlane(src[i]);

	dst[i] = table[first] + table[first * 2 + 5] + table[first + item()];
}
