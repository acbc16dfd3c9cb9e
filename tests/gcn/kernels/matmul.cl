/* Products of matrices on the plain vector unit, and sums of products of packed
 * integers and halves. */
#include "kernel.h"

BLOCK(256)
matmul_plain(global const float *a, global const float *b, global float *c, uint n)
{
	uint x = __builtin_amdgcn_workgroup_id_x() * 16 + item() % 16;
	uint y = __builtin_amdgcn_workgroup_id_y() * 16 + item() / 16;
	float sum = 0;

	for (uint k = 0; k < n; k++)
		sum += a[y * n + k] * b[k * n + x];
	c[y * n + x] = sum;
}

BLOCK(256)
matmul_tiled(global const float *a, global const float *b, global float *c, uint n)
{
	local float ta[16][16], tb[16][16];
	uint x = item() % 16, y = item() / 16;
	uint cx = __builtin_amdgcn_workgroup_id_x() * 16 + x,
	     cy = __builtin_amdgcn_workgroup_id_y() * 16 + y;
	float sum = 0;

	for (uint k = 0; k < n; k += 16) {
		ta[y][x] = a[cy * n + k + x];
		tb[y][x] = b[(k + y) * n + cx];
		sync();
#pragma unroll
		for (uint j = 0; j < 16; j++)
			sum = __builtin_fmaf(ta[y][j], tb[j][x], sum);
		sync();
	}
	c[cy * n + cx] = sum;
}

/* Each item keeps four by four results in registers. */
BLOCK(64)
matmul_blocked(global const float *a, global const float *b, global float *c, uint n)
{
	local float ta[16][32], tb[16][32];
	uint x = item() % 8 * 4, y = item() / 8 * 4;
	uint bx = __builtin_amdgcn_workgroup_id_x() * 32,
	     by = __builtin_amdgcn_workgroup_id_y() * 32;
	float sum[4][4] = { { 0 } };

	for (uint k = 0; k < n; k += 16) {
		for (uint i = item(); i < 512; i += 64) {
			ta[i / 32][i % 32] = a[(k + i / 32) * n + by + i % 32];
			tb[i / 32][i % 32] = b[(k + i / 32) * n + bx + i % 32];
		}
		sync();
#pragma unroll
		for (uint j = 0; j < 16; j++) {
#pragma unroll
			for (uint r = 0; r < 4; r++) {
#pragma unroll
				for (uint s = 0; s < 4; s++)
					sum[r][s] = __builtin_fmaf(ta[j][y + r], tb[j][x + s],
								   sum[r][s]);
			}
		}
		sync();
	}
	for (uint r = 0; r < 4; r++) {
		for (uint s = 0; s < 4; s++)
			c[(by + y + r) * n + bx + x + s] = sum[r][s];
	}
}

BLOCK(256)
matmul_f64(global const double *a, global const double *b, global double *c, uint n)
{
	local double ta[16][17], tb[16][17];
	uint x = item() % 16, y = item() / 16;
	double sum = 0;

	for (uint k = 0; k < n; k += 16) {
		ta[y][x] = a[y * n + k + x];
		tb[y][x] = b[(k + y) * n + x];
		sync();
		for (uint j = 0; j < 16; j++)
			sum = __builtin_fma(ta[y][j], tb[j][x], sum);
		sync();
	}
	c[y * n + x] = sum;
}

BLOCK(256)
matmul_f16(global const half2 *a, global const half2 *b, global half2 *c, uint n)
{
	half2 sum = 0;

	for (uint k = 0; k < n; k++)
		sum = __builtin_elementwise_fma(a[k * 256 + item()], b[k], sum);
	c[index_in(256)] = sum;
}

BLOCK(256)
matmul_i8(global const char4 *a, global const char4 *b, global int *c, uint n)
{
	int sum = 0;

	for (uint k = 0; k < n; k++) {
		char4 x = a[k * 256 + item()], y = b[k];
		sum += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
	}
	c[index_in(256)] = sum;
}

BLOCK(256)
matvec(global const float4 *m, global const float4 *v, global float *dst, uint n)
{
	uint row = index_in(256);
	float4 sum = 0;

	for (uint k = 0; k < n; k++)
		sum += m[row * n + k] * v[k];
	dst[row] = sum.x + sum.y + sum.z + sum.w;
}

BLOCK(64)
dot_products(global const uint *a, global const uint *b, global int *dst)
{
	uint i = index_in(64), x = a[i], y = b[i];
	int r = dst[i] + (int)(x ^ y);

#if HAS(sdot2)
	r = __builtin_amdgcn_sdot2(__builtin_astype(x, short2), __builtin_astype(y, short2), r,
				   true);
#endif
#if HAS(udot2)
	r = (int)__builtin_amdgcn_udot2(__builtin_astype(x, ushort2), __builtin_astype(y, ushort2),
					(uint)r, false);
#endif
#if HAS(sdot4)
	r = __builtin_amdgcn_sdot4((int)x, (int)y, r, false);
	r = __builtin_amdgcn_sdot4((int)y, r, (int)x, true);
#endif
#if HAS(udot4)
	r = (int)__builtin_amdgcn_udot4(x, y, (uint)r, false);
#endif
#if HAS(sdot8)
	r = __builtin_amdgcn_sdot8((int)x, (int)y, r, false);
#endif
#if HAS(udot8)
	r = (int)__builtin_amdgcn_udot8(x, y, (uint)r, true);
#endif
#if HAS(sudot4)
	r = __builtin_amdgcn_sudot4(true, (int)x, false, (int)y, r, false);
	r = __builtin_amdgcn_sudot8(false, (int)x, true, (int)y, r, true);
#endif
	dst[i] = r;
}

BLOCK(64)
dot_products_float(global const half2 *a, global const half2 *b, global float *dst)
{
	uint i = index_in(64);
	float r = dst[i];

#if HAS(fdot2)
	r = __builtin_amdgcn_fdot2(a[i], b[i], r, false);
	r = __builtin_amdgcn_fdot2(b[i], a[i + 64], r, true);
#endif
	r += (float)a[i].x * (float)b[i].x + (float)a[i].y * (float)b[i].y;
	dst[i] = r;
}

#if HAS(fdot2_f32_bf16)
BLOCK(64)
dot_products_bf16(global const short2 *a, global const short2 *b, global float *dst)
{
	uint i = index_in(64);

	dst[i] = __builtin_amdgcn_fdot2_f32_bf16(a[i], b[i], dst[i], false);
}
#endif

#if HAS(dot4_f32_fp8_bf8)
BLOCK(64)
dot_products_f8(global const uint *a, global const uint *b, global float *dst)
{
	uint i = index_in(64);
	float r = dst[i];

	r = __builtin_amdgcn_dot4_f32_fp8_bf8(a[i], b[i], r);
	r = __builtin_amdgcn_dot4_f32_bf8_fp8(a[i], b[i], r);
	r = __builtin_amdgcn_dot4_f32_fp8_fp8(a[i], b[i], r);
	dst[i] = __builtin_amdgcn_dot4_f32_bf8_bf8(a[i], b[i], r);
}
#endif
