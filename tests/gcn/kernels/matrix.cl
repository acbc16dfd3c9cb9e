/* Matrix instructions: MFMA and SMFMAC of CDNA, WMMA and SWMMAC of RDNA 3 and 4, of
 * every element type, and matrix products built from them. */
#include "kernel.h"

#define CDNA3 HAS(mfma_f32_16x16x32_fp8_fp8)

typedef float float32 __attribute__((ext_vector_type(32)));
typedef int int32 __attribute__((ext_vector_type(32)));
typedef __bf16 bfloat8 __attribute__((ext_vector_type(8)));
typedef __bf16 bfloat16 __attribute__((ext_vector_type(16)));

/* acc[i] = op(a[i], b[i], acc[i]): T is the accumulator, A and B the sources. */
#define MFMA(name, op, T, A, B, x, y, z)                                                           \
	BLOCK(64)                                                                                  \
	name(global const A *a, global const B *b, global T *acc)                                  \
	{                                                                                          \
		uint i = index_in(64);                                                             \
		T c = acc[i];                                                                      \
		c = __builtin_amdgcn_##op(a[i], b[i], c, 0, 0, 0);                                 \
		c = __builtin_amdgcn_##op(a[i + 64], b[i], c, x, y, z);                            \
		acc[i] = c;                                                                        \
	}

#if HAS(mfma_f32_32x32x1f32)
MFMA(mfma_32x32x1_f32, mfma_f32_32x32x1f32, float32, float, float, 1, 1, 2)
MFMA(mfma_16x16x1_f32, mfma_f32_16x16x1f32, float16, float, float, 2, 3, 3)
MFMA(mfma_4x4x1_f32, mfma_f32_4x4x1f32, float4, float, float, 4, 7, 1)
MFMA(mfma_32x32x2_f32, mfma_f32_32x32x2f32, float16, float, float, 0, 0, 4)
MFMA(mfma_16x16x4_f32, mfma_f32_16x16x4f32, float4, float, float, 0, 0, 5)
MFMA(mfma_32x32x4_f16, mfma_f32_32x32x4f16, float32, half4, half4, 1, 0, 6)
MFMA(mfma_16x16x4_f16, mfma_f32_16x16x4f16, float16, half4, half4, 2, 2, 7)
MFMA(mfma_4x4x4_f16, mfma_f32_4x4x4f16, float4, half4, half4, 3, 1, 0)
MFMA(mfma_32x32x8_f16, mfma_f32_32x32x8f16, float16, half4, half4, 0, 0, 0)
MFMA(mfma_16x16x16_f16, mfma_f32_16x16x16f16, float4, half4, half4, 0, 0, 0)
MFMA(mfma_32x32x4_i8, mfma_i32_32x32x4i8, int32, int, int, 1, 1, 0)
MFMA(mfma_16x16x4_i8, mfma_i32_16x16x4i8, int16, int, int, 0, 0, 3)
MFMA(mfma_4x4x4_i8, mfma_i32_4x4x4i8, int4, int, int, 4, 5, 0)
#endif

/* CDNA 1 and 2 only. */
#if defined(__gfx908__) || defined(__gfx90a__)
MFMA(mfma_32x32x2_bf16, mfma_f32_32x32x2bf16, float32, short2, short2, 1, 0, 0)
MFMA(mfma_16x16x2_bf16, mfma_f32_16x16x2bf16, float16, short2, short2, 0, 0, 1)
MFMA(mfma_4x4x2_bf16, mfma_f32_4x4x2bf16, float4, short2, short2, 2, 1, 0)
MFMA(mfma_32x32x4_bf16, mfma_f32_32x32x4bf16, float16, short2, short2, 0, 0, 0)
MFMA(mfma_16x16x8_bf16, mfma_f32_16x16x8bf16, float4, short2, short2, 0, 0, 0)
MFMA(mfma_32x32x8_i8, mfma_i32_32x32x8i8, int16, int, int, 0, 0, 0)
MFMA(mfma_16x16x16_i8, mfma_i32_16x16x16i8, int4, int, int, 0, 0, 0)
#endif

#if HAS(mfma_f64_16x16x4f64) && !defined(__gfx908__)
MFMA(mfma_16x16x4_f64, mfma_f64_16x16x4f64, double4, double, double, 0, 0, 1)
MFMA(mfma_4x4x4_f64, mfma_f64_4x4x4f64, double, double, double, 0, 0, 3)
MFMA(mfma_32x32x4_bf16_1k, mfma_f32_32x32x4bf16_1k, float32, short4, short4, 1, 1, 0)
MFMA(mfma_16x16x4_bf16_1k, mfma_f32_16x16x4bf16_1k, float16, short4, short4, 0, 0, 2)
MFMA(mfma_4x4x4_bf16_1k, mfma_f32_4x4x4bf16_1k, float4, short4, short4, 3, 3, 0)
MFMA(mfma_32x32x8_bf16_1k, mfma_f32_32x32x8bf16_1k, float16, short4, short4, 0, 0, 0)
MFMA(mfma_16x16x16_bf16_1k, mfma_f32_16x16x16bf16_1k, float4, short4, short4, 0, 0, 0)
#endif

#if CDNA3
MFMA(mfma_16x16x32_i8, mfma_i32_16x16x32_i8, int4, long, long, 0, 0, 0)
MFMA(mfma_32x32x16_i8, mfma_i32_32x32x16_i8, int16, long, long, 0, 0, 0)
MFMA(mfma_16x16x32_bf8_bf8, mfma_f32_16x16x32_bf8_bf8, float4, long, long, 0, 0, 0)
MFMA(mfma_16x16x32_bf8_fp8, mfma_f32_16x16x32_bf8_fp8, float4, long, long, 0, 0, 0)
MFMA(mfma_16x16x32_fp8_bf8, mfma_f32_16x16x32_fp8_bf8, float4, long, long, 0, 0, 0)
MFMA(mfma_32x32x16_fp8_fp8, mfma_f32_32x32x16_fp8_fp8, float16, long, long, 0, 0, 0)
MFMA(mfma_32x32x16_fp8_bf8, mfma_f32_32x32x16_fp8_bf8, float16, long, long, 0, 0, 0)
#endif

#if defined(__gfx942__)
MFMA(mfma_16x16x8_xf32, mfma_f32_16x16x8_xf32, float4, float2, float2, 0, 0, 0)
MFMA(mfma_32x32x4_xf32, mfma_f32_32x32x4_xf32, float16, float2, float2, 0, 0, 0)
#endif

#if HAS(mfma_f32_16x16x32_f16)
MFMA(mfma_16x16x32_f16, mfma_f32_16x16x32_f16, float4, half8, half8, 0, 0, 0)
MFMA(mfma_32x32x16_f16, mfma_f32_32x32x16_f16, float16, half8, half8, 0, 0, 0)
MFMA(mfma_16x16x32_bf16, mfma_f32_16x16x32_bf16, float4, bfloat8, bfloat8, 0, 0, 0)
MFMA(mfma_32x32x16_bf16, mfma_f32_32x32x16_bf16, float16, bfloat8, bfloat8, 0, 0, 0)
MFMA(mfma_16x16x64_i8, mfma_i32_16x16x64_i8, int4, int4, int4, 0, 0, 0)
MFMA(mfma_32x32x32_i8, mfma_i32_32x32x32_i8, int16, int4, int4, 0, 0, 0)
#endif

#if HAS(mfma_scale_f32_16x16x128_f8f6f4)
BLOCK(64)
mfma_scaled(global const int8 *a, global const int8 *b, global float4 *c, global float16 *d,
	    global const int *scale)
{
	uint i = index_in(64);

	c[i] = __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(a[i], b[i], c[i], 0, 1, 0, scale[i],
								1, scale[i + 64]);
	c[i + 64] = __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(a[i], b[i], c[i], 4, 2, 2,
								     scale[i], 3, scale[i + 64]);
	d[i] = __builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4(a[i], b[i], d[i], 3, 0, 3, scale[i],
							       0, scale[i + 64]);
	d[i + 64] =
		__builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4(a[i], b[i], d[i], 0, 0, 0, 0, 0, 0);
}
#endif

/* Half of A's elements are zero; an index selects the others. */
#define SMFMAC(name, op, T, A, B)                                                                  \
	BLOCK(64)                                                                                  \
	name(global const A *a, global const B *b, global T *acc, global const int *which)         \
	{                                                                                          \
		uint i = index_in(64);                                                             \
		T c = acc[i];                                                                      \
		c = __builtin_amdgcn_##op(a[i], b[i], c, which[i], 0, 0);                          \
		acc[i] = __builtin_amdgcn_##op(a[i], b[i + 64], c, which[i], 3, 1);                \
	}

#if CDNA3
SMFMAC(smfmac_16x16x32_f16, smfmac_f32_16x16x32_f16, float4, half4, half8)
SMFMAC(smfmac_32x32x16_f16, smfmac_f32_32x32x16_f16, float16, half4, half8)
SMFMAC(smfmac_16x16x32_bf16, smfmac_f32_16x16x32_bf16, float4, short4, short8)
SMFMAC(smfmac_32x32x16_bf16, smfmac_f32_32x32x16_bf16, float16, short4, short8)
SMFMAC(smfmac_16x16x64_i8, smfmac_i32_16x16x64_i8, int4, int2, int4)
SMFMAC(smfmac_32x32x32_i8, smfmac_i32_32x32x32_i8, int16, int2, int4)
SMFMAC(smfmac_16x16x64_bf8_fp8, smfmac_f32_16x16x64_bf8_fp8, float4, int2, int4)
SMFMAC(smfmac_32x32x32_fp8_fp8, smfmac_f32_32x32x32_fp8_fp8, float16, int2, int4)
#endif

#if HAS(smfmac_f32_16x16x64_f16)
SMFMAC(smfmac_16x16x64_f16, smfmac_f32_16x16x64_f16, float4, half8, half16)
SMFMAC(smfmac_32x32x32_f16, smfmac_f32_32x32x32_f16, float16, half8, half16)
SMFMAC(smfmac_16x16x64_bf16, smfmac_f32_16x16x64_bf16, float4, bfloat8, bfloat16)
SMFMAC(smfmac_16x16x128_i8, smfmac_i32_16x16x128_i8, int4, int4, int8)
SMFMAC(smfmac_32x32x64_fp8_bf8, smfmac_f32_32x32x64_fp8_bf8, float16, int4, int8)
#endif

/* C (16 x 16) += A (16 x n) B (n x 16), tiles through shared memory. */
#if HAS(mfma_f32_16x16x16f16)
BLOCK(64)
gemm_mfma(global const half *a, global const half *b, global float *c, uint n)
{
	local half ta[16][20], tb[16][20];
	uint l = item(), row = l % 16, quad = l / 16 * 4;
	float4 sum = 0;

	for (uint k = 0; k < n; k += 16) {
		for (uint j = 0; j < 4; j++) {
			ta[row][quad + j] = a[row * n + k + quad + j];
			tb[row][quad + j] = b[(k + quad + j) * 16 + row];
		}
		sync();
		sum = __builtin_amdgcn_mfma_f32_16x16x16f16(*(local half4 *)&ta[row][quad],
							    *(local half4 *)&tb[row][quad], sum, 0,
							    0, 0);
		sync();
	}
	for (uint j = 0; j < 4; j++)
		c[(quad + j) * 16 + row] = sum[j];
}
#endif

#if HAS(mfma_f32_32x32x2f32)
BLOCK(64)
gemm_mfma_f32(global const float *a, global const float *b, global float *c, uint n)
{
	uint l = item();
	float16 sum = 0;

	for (uint k = 0; k < n; k += 2)
		sum = __builtin_amdgcn_mfma_f32_32x32x2f32(
			a[(l % 32) * n + k + l / 32], b[(k + l / 32) * 32 + l % 32], sum, 0, 0, 0);
#pragma unroll
	for (uint j = 0; j < 16; j++)
		c[(j / 4 * 8 + l / 32 * 4 + j % 4) * 32 + l % 32] = sum[j];
}
#endif

/* RDNA: the width of the sources depends on the wave size. */
#define WMMA(name, op, T, A, ...)                                                                  \
	BLOCK(64)                                                                                  \
	name(global const A *a, global const A *b, global T *acc)                                  \
	{                                                                                          \
		uint i = index_in(64);                                                             \
		T c = acc[i];                                                                      \
		c = __builtin_amdgcn_##op(a[i], b[i], c __VA_ARGS__);                              \
		acc[i] = __builtin_amdgcn_##op(b[i + 64], a[i], c __VA_ARGS__);                    \
	}
#define WMMA_INT(name, op, T, A, sa, sb, clamp)                                                    \
	BLOCK(64)                                                                                  \
	name(global const A *a, global const A *b, global T *acc)                                  \
	{                                                                                          \
		uint i = index_in(64);                                                             \
		acc[i] = __builtin_amdgcn_##op(sa, a[i], sb, b[i], acc[i], clamp);                 \
	}

#define COMMA ,
#if defined(__GFX11__) && HAS(wmma_f32_16x16x16_f16_w32)
WMMA(wmma_f32_f16, wmma_f32_16x16x16_f16_w32, float8, half16)
WMMA(wmma_f32_bf16, wmma_f32_16x16x16_bf16_w32, float8, short16)
WMMA(wmma_f16_f16, wmma_f16_16x16x16_f16_w32, half16, half16, COMMA true)
WMMA(wmma_f16_f16_low, wmma_f16_16x16x16_f16_tied_w32, half16, half16, COMMA false)
WMMA(wmma_bf16_bf16, wmma_bf16_16x16x16_bf16_w32, short16, short16, COMMA false)
WMMA_INT(wmma_i32_iu8, wmma_i32_16x16x16_iu8_w32, int8, int4, true, false, true)
WMMA_INT(wmma_i32_iu4, wmma_i32_16x16x16_iu4_w32, int8, int2, false, true, false)
#endif

#if defined(__GFX11__) && HAS(wmma_f32_16x16x16_f16_w64)
WMMA(wmma_f32_f16_w64, wmma_f32_16x16x16_f16_w64, float4, half16)
WMMA(wmma_f32_bf16_w64, wmma_f32_16x16x16_bf16_w64, float4, short16)
WMMA(wmma_f16_f16_w64, wmma_f16_16x16x16_f16_w64, half8, half16, COMMA true)
WMMA(wmma_bf16_bf16_w64, wmma_bf16_16x16x16_bf16_w64, short8, short16, COMMA true)
WMMA_INT(wmma_i32_iu8_w64, wmma_i32_16x16x16_iu8_w64, int4, int4, true, true, false)
WMMA_INT(wmma_i32_iu4_w64, wmma_i32_16x16x16_iu4_w64, int4, int2, false, false, true)
#endif

#if HAS(wmma_f32_16x16x16_f16_w32_gfx12) && !GFX125
WMMA(wmma_f32_f16, wmma_f32_16x16x16_f16_w32_gfx12, float8, half8)
WMMA(wmma_f32_bf16, wmma_f32_16x16x16_bf16_w32_gfx12, float8, short8)
WMMA(wmma_f16_f16, wmma_f16_16x16x16_f16_w32_gfx12, half8, half8)
WMMA(wmma_bf16_bf16, wmma_bf16_16x16x16_bf16_w32_gfx12, short8, short8)
WMMA(wmma_f32_fp8_fp8, wmma_f32_16x16x16_fp8_fp8_w32_gfx12, float8, int2)
WMMA(wmma_f32_bf8_fp8, wmma_f32_16x16x16_bf8_fp8_w32_gfx12, float8, int2)
WMMA(wmma_f32_fp8_bf8, wmma_f32_16x16x16_fp8_bf8_w32_gfx12, float8, int2)
WMMA(wmma_f32_bf8_bf8, wmma_f32_16x16x16_bf8_bf8_w32_gfx12, float8, int2)
WMMA_INT(wmma_i32_iu8, wmma_i32_16x16x16_iu8_w32_gfx12, int8, int2, true, false, true)
WMMA_INT(wmma_i32_iu4, wmma_i32_16x16x16_iu4_w32_gfx12, int8, int, false, true, false)
WMMA_INT(wmma_i32_iu4_wide, wmma_i32_16x16x32_iu4_w32_gfx12, int8, int2, true, true, true)
#endif

#if HAS(wmma_f32_16x16x16_f16_w64_gfx12) && !GFX125
WMMA(wmma_f32_f16_w64, wmma_f32_16x16x16_f16_w64_gfx12, float4, half4)
WMMA(wmma_f16_f16_w64, wmma_f16_16x16x16_f16_w64_gfx12, half4, half4)
WMMA(wmma_f32_fp8_bf8_w64, wmma_f32_16x16x16_fp8_bf8_w64_gfx12, float4, int)
WMMA_INT(wmma_i32_iu8_w64, wmma_i32_16x16x16_iu8_w64_gfx12, int4, int, true, false, true)
#endif

#define SWMMAC(name, op, T, A, B, I)                                                               \
	BLOCK(64)                                                                                  \
	name(global const A *a, global const B *b, global T *acc, global const I *which)           \
	{                                                                                          \
		uint i = index_in(64);                                                             \
		T c = acc[i];                                                                      \
		acc[i] = __builtin_amdgcn_##op(a[i], b[i], c, which[i]);                           \
	}

#if HAS(swmmac_f32_16x16x32_f16_w32) && !GFX125
SWMMAC(swmmac_f32_f16, swmmac_f32_16x16x32_f16_w32, float8, half8, half16, short)
SWMMAC(swmmac_f32_bf16, swmmac_f32_16x16x32_bf16_w32, float8, short8, short16, short)
SWMMAC(swmmac_f16_f16, swmmac_f16_16x16x32_f16_w32, half8, half8, half16, short)
SWMMAC(swmmac_bf16_bf16, swmmac_bf16_16x16x32_bf16_w32, short8, short8, short16, short)
SWMMAC(swmmac_f32_fp8_fp8, swmmac_f32_16x16x32_fp8_fp8_w32, float8, int2, int4, short)
SWMMAC(swmmac_f32_bf8_fp8, swmmac_f32_16x16x32_bf8_fp8_w32, float8, int2, int4, short)

BLOCK(64)
swmmac_int(global const int2 *a, global const int4 *b, global int8 *acc, global const short *which)
{
	uint i = index_in(64);

	acc[i] = __builtin_amdgcn_swmmac_i32_16x16x32_iu8_w32(true, a[i], false, b[i], acc[i],
							      which[i], true);
	acc[i + 64] = __builtin_amdgcn_swmmac_i32_16x16x32_iu4_w32(false, a[i].x, true, b[i].xy,
								   acc[i], which[i], false);
	acc[i + 128] = __builtin_amdgcn_swmmac_i32_16x16x64_iu4_w32(true, a[i], true, b[i], acc[i],
								    which[i], false);
}
#endif

#if defined(__GFX11__) && HAS(wmma_f32_16x16x16_f16_w32)
BLOCK(32)
gemm_wmma(global const half16 *a, global const half16 *b, global float *c, uint n)
{
	float8 sum = 0;
	uint l = item();

	for (uint k = 0; k < n; k++)
		sum = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a[k * 16 + l % 16],
								 b[k * 16 + l % 16], sum);
#pragma unroll
	for (uint j = 0; j < 8; j++)
		c[(2 * j + l / 16) * 16 + l % 16] = sum[j];
}
#endif
#if HAS(wmma_f32_16x16x16_f16_w32_gfx12) && !GFX125
BLOCK(32)
gemm_wmma(global const half8 *a, global const half8 *b, global float *c, uint n)
{
	float8 sum = 0;
	uint l = item();

	for (uint k = 0; k < n; k++)
		sum = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a[k * 32 + l], b[k * 32 + l],
								       sum);
#pragma unroll
	for (uint j = 0; j < 8; j++)
		c[(l / 16 * 8 + j) * 16 + l % 16] = sum[j];
}
#endif

/* gfx1250: vector instructions use the results soon after. Transcendental ones do not: LLVM 22 does not
 * wait before these (docs/amdgcn-hazards.md). */
#if GFX125
#define MATRIX_125(name, T, A, B, op)                                                              \
	BLOCK(64)                                                                                  \
	name(global const A *pa, global const B *pb, global T *acc, int s)                         \
	{                                                                                          \
		uint i = index_in(64);                                                             \
		A a = pa[i];                                                                       \
		B b = pb[i];                                                                       \
		T c = acc[i];                                                                      \
		for (int k = 0; k < s; k++) {                                                      \
			c = op;                                                                    \
			a[0] = (__typeof__(a[0]))c[1];                                             \
			b[1] += (__typeof__(b[0]))c[2];                                            \
		}                                                                                  \
		acc[i] = c * c;                                                                    \
	}
#define OP(name, ...) __builtin_amdgcn_##name(__VA_ARGS__)

MATRIX_125(wmma_f32, float8, float2, float2,
	   OP(wmma_f32_16x16x4_f32, false, a, false, b, 0, c, false, false))
MATRIX_125(wmma_f32_f16, float8, half16, half16,
	   OP(wmma_f32_16x16x32_f16, false, a, true, b, 0, c, false, false))
MATRIX_125(wmma_f32_fp8, float8, int8, int8, OP(wmma_f32_16x16x64_fp8_bf8, a, b, 0, c, false, false))
MATRIX_125(wmma_f32_bf8, float8, int16, int16, OP(wmma_f32_16x16x128_bf8_bf8, a, b, 0, c, true, false))
MATRIX_125(wmma_i32_iu8, int8, int8, int8,
	   OP(wmma_i32_16x16x64_iu8, true, a, false, b, c, false, false))
MATRIX_125(swmmac_f32_f16, float8, half16, half16,
	   OP(swmmac_f32_16x16x64_f16, false, a, false, __builtin_shufflevector(b, a, 0, 1, 2, 3, 4, 5, 6, 7, 8,
	      9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31),
	      c, s, false, false))
MATRIX_125(wmma_scaled_fp8, float8, int16, int16,
	   OP(wmma_scale_f32_16x16x128_f8f6f4, 0, a, 1, b, 0, c, 1, 0, s, 0, 0, s, false, false))
MATRIX_125(wmma_scaled_fp4, float8, int16, int16,
	   OP(wmma_scale_f32_16x16x128_f8f6f4, 4, a, 4, b, 0, c, 1, 0, s, 0, 0, s, false, false))
#endif
