/* Copies: every width of loads and stores, with holes, with strides, bypassing the
 * caches, through tables of indices. */
#include "kernel.h"

BLOCK(256)
copy_f32(global const float *src, global float *dst, uint n)
{
	uint i = index_in(256);

	if (i < n)
		dst[i] = src[i];
}

BLOCK(256)
copy_f32x2(global const float2 *src, global float2 *dst)
{
	dst[index_in(256)] = src[index_in(256)];
}

BLOCK(256)
copy_f32x3(global const float *src, global float *dst)
{
	uint i = index_in(256) * 3;
	float3 v = *(global const float3 *)(src + i);

	dst[i] = v.x;
	dst[i + 1] = v.y;
	dst[i + 2] = v.z;
}

BLOCK(256)
copy_u32x4(global const uint4 *src, global uint4 *dst, uint n)
{
	for (uint i = index_in(256); i < n; i += 256 * 64)
		dst[i] = src[i];
}

BLOCK(256)
copy_u32x16(global const uint16 *src, global uint16 *dst)
{
	dst[index_in(256)] = src[index_in(256)];
}

struct packed3 {
	uint a, b, c;
};

BLOCK(128)
copy_struct(global const struct packed3 *src, global struct packed3 *dst, int shift)
{
	uint i = index_in(128);

	dst[i + shift] = src[i];
}

BLOCK(256)
copy_strided(global const float *src, global float *dst, uint step, uint n)
{
	uint i = index_in(256);

	if (i * step < n)
		dst[i] = src[i * step] + src[i * step + 7] + src[i * step + 2047];
}

/* Data used once: loads and stores that the caches need not keep. */
BLOCK(256)
copy_streaming(global const uint4 *src, global uint4 *dst)
{
	uint i = index_in(256);
	uint4 v = __builtin_nontemporal_load(src + i);

	__builtin_nontemporal_store(v, dst + i);
}

BLOCK(256)
copy_volatile(global volatile uint *src, global volatile uint *dst)
{
	uint i = index_in(256);

	dst[i] = src[i];
	dst[i + 1] = src[i];
}

BLOCK(256)
gather(global const uint *idx, global const double *src, global double *dst)
{
	uint i = index_in(256);

	dst[i] = src[idx[i]];
}

BLOCK(256)
scatter(global const uint *idx, global const float4 *src, global float4 *dst)
{
	uint i = index_in(256);

	dst[idx[i]] = src[i];
}

BLOCK(256)
transpose(global const float *src, global float *dst, uint width, uint height)
{
	local float tile[32][33];
	uint x = item() % 32, y = item() / 32;
	uint bx = __builtin_amdgcn_workgroup_id_x() * 32,
	     by = __builtin_amdgcn_workgroup_id_y() * 32;

	for (uint k = 0; k < 32; k += 8)
		tile[y + k][x] = src[(by + y + k) * width + bx + x];
	sync();
	for (uint k = 0; k < 32; k += 8)
		dst[(bx + y + k) * height + by + x] = tile[x][y + k];
}

BLOCK(64)
fill(global uint4 *dst, uint v)
{
	dst[index_in(64)] = (uint4)(v, v + 1, v * 3, ~v);
}

BLOCK(256)
axpy(global const float4 *x, global float4 *y, float a)
{
	uint i = index_in(256);

	y[i] = a * x[i] + y[i];
}
