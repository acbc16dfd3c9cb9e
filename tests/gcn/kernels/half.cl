/* 16-bit floats, single and packed; bfloat16 and 8-bit floats if the target has them. */
#include "kernel.h"

BLOCK(64)
f16_basic(global const half *a, global const half *b, global half *dst)
{
	uint i = index_in(64);
	half x = a[i], y = b[i];

	dst[i] = x + y;
	dst[i + 64] = x * y - (half)2.0f;
	dst[i + 128] = __builtin_elementwise_fma(x, y, dst[i + 500]);
	dst[i + 192] = __builtin_elementwise_min(x, y) - __builtin_elementwise_max(x, -y);
	dst[i + 256] = __builtin_elementwise_abs(x) * (half)0.5f;
	dst[i + 320] = x / y;
	dst[i + 384] = (y - x) * (half)3.14f;
}

BLOCK(64)
f16_rounded(global const half *a, global half *dst, global int *e)
{
	uint i = index_in(64);
	half x = a[i];

	dst[i] = __builtin_elementwise_floor(x) + __builtin_elementwise_ceil(x * (half)3);
	dst[i + 64] = __builtin_elementwise_trunc(x) - __builtin_elementwise_rint(x);
	dst[i + 128] = __builtin_amdgcn_fracth(x);
	dst[i + 192] = __builtin_amdgcn_sqrth(x) + __builtin_amdgcn_rcph(x);
	dst[i + 256] = __builtin_amdgcn_frexp_manth(x);
	e[i] = __builtin_amdgcn_frexp_exph(x);
	dst[i + 320] = __builtin_amdgcn_ldexph(x, e[i + 64]);
	dst[i + 384] = __builtin_amdgcn_rsqh(x) * __builtin_amdgcn_sinh(x);
	dst[i + 448] = __builtin_amdgcn_cosh(x);
	dst[i + 512] = __builtin_elementwise_exp2(x) - __builtin_elementwise_log2(x);
	dst[i + 576] = __builtin_elementwise_sqrt(x);
	dst[i + 640] = __builtin_amdgcn_fmed3h(x, dst[i + 700], (half)1);
	e[i + 128] = __builtin_amdgcn_classh(x, 0x1f8);
}

BLOCK(64)
f16_converted(global const half *a, global float *f, global short *s, global ushort *u,
	      global int *l, global half *dst)
{
	uint i = index_in(64);
	half x = a[i];

	dst[i] = (half)f[i] + (half)s[i];
	dst[i + 64] = (half)u[i] * (half)(float)l[i];
	f[i] = x;
	s[i] = (short)x;
	u[i] = (ushort)x;
	l[i] = (int)x;
}

BLOCK(64)
f16_compared(global const half *a, global const half *b, global int *dst)
{
	uint i = index_in(64);
	half x = a[i], y = b[i];
	int r = 0;

	r += x < y ? 1 : 20;
	r += x <= y ? 3 : 4;
	r += x == y ? 7 : 9;
	r += x != y ? 2 : 5;
	r += !(x > y) ? 11 : 12;
	r += __builtin_isunordered(x, y) ? 13 : 14;
	r += x < (half)0.5f ? 15 : 16;
	dst[i] = r;
}

BLOCK(64)
f16_pairs(global const half2 *a, global const half2 *b, global half2 *dst)
{
	uint i = index_in(64);
	half2 x = a[i], y = b[i];

	dst[i] = x + y.yx;
	dst[i + 64] = x.xx * y - dst[i + 200];
	dst[i + 128] = __builtin_elementwise_fma(x, -y, dst[i + 500]);
	dst[i + 192] = __builtin_elementwise_min(x, y) + __builtin_elementwise_max(x.yy, y);
	dst[i + 256] = __builtin_elementwise_minimum(x, y) + (half2)(1, 2);
	dst[i + 320] = __builtin_elementwise_abs(x) + (half2)(3.0h, 3.0h);
}

/* Products of halves added to floats. */
BLOCK(64)
f16_mixed(global const half *a, global const half *b, global float *f, global half *dst)
{
	uint i = index_in(64);

	f[i] = __builtin_fmaf((float)a[i], (float)b[i], f[i]);
	f[i + 64] = __builtin_fmaf(-(float)a[i], __builtin_fabsf((float)b[i]), (float)dst[i]);
	dst[i] = (half)__builtin_fmaf((float)a[i], f[i + 128], (float)b[i]);
	dst[i + 64] = (half)__builtin_fmaf((float)a[i + 1], f[i + 128], f[i + 192]);
}

BLOCK(64)
f16_packed(global const float2 *a, global half2 *h, global ushort2 *n)
{
	uint i = index_in(64);

	h[i] = __builtin_amdgcn_cvt_pkrtz(a[i].x, a[i].y);
	h[i + 64] = (half2)(a[i].y, a[i].x);
	n[i] = __builtin_amdgcn_cvt_pknorm_u16(a[i].x, a[i].y);
	n[i + 64] = __builtin_astype(__builtin_amdgcn_cvt_pknorm_i16(a[i].x, a[i].y), ushort2);
	n[i + 128] = __builtin_amdgcn_cvt_pk_u16((uint)a[i].x, (uint)a[i].y);
	n[i + 192] =
		__builtin_astype(__builtin_amdgcn_cvt_pk_i16((int)a[i].x, (int)a[i].y), ushort2);
}

/* A stencil of three on packed halves in shared memory. */
BLOCK(256)
f16_stencil(global const half2 *src, global half2 *dst, half w)
{
	local half2 t[258];
	uint i = item();

	t[i + 1] = src[index_in(256)];
	if (i < 2)
		t[i * 257] = (half2)(0);
	sync();
	dst[index_in(256)] = (t[i] + t[i + 2]) * (half2)(w) + t[i + 1];
}

typedef __bf16 bfloat2 __attribute__((ext_vector_type(2)));

BLOCK(64)
bf16_basic(global const __bf16 *a, global const __bf16 *b, global __bf16 *dst, global float *f)
{
	uint i = index_in(64);
	__bf16 x = a[i], y = b[i];

	dst[i] = x + y;
	dst[i + 64] = x * y;
	dst[i + 128] = (__bf16)f[i];
	f[i + 64] = (float)x - (float)y;
	dst[i + 192] = x < y ? x : y;
}

BLOCK(64)
bf16_pairs(global const bfloat2 *a, global const bfloat2 *b, global bfloat2 *dst, global float2 *f)
{
	uint i = index_in(64);

	dst[i] = a[i] * b[i] + dst[i];
	dst[i + 64] = __builtin_convertvector(f[i], bfloat2);
	dst[i + 128] = __builtin_elementwise_fma(a[i], b[i], a[i + 1]);
}

#if HAS(cvt_pk_f32_fp8)
BLOCK(64)
f8_converted(global const uint *a, global float2 *f, global int *dst, global const uint *seed)
{
	uint i = index_in(64);
	int v = 0;

	f[i] = __builtin_amdgcn_cvt_pk_f32_fp8(a[i], false);
	f[i + 64] = __builtin_amdgcn_cvt_pk_f32_bf8(a[i], true);
	f[i + 128].x = __builtin_amdgcn_cvt_f32_fp8(a[i], 0);
	f[i + 128].y = __builtin_amdgcn_cvt_f32_fp8(a[i], 3);
	f[i + 192].x = __builtin_amdgcn_cvt_f32_bf8(a[i], 1);
	f[i + 192].y = __builtin_amdgcn_cvt_f32_bf8(a[i], 2);
	v = __builtin_amdgcn_cvt_pk_fp8_f32(f[i + 256].x, f[i + 256].y, v, false);
	v = __builtin_amdgcn_cvt_pk_bf8_f32(f[i + 256].y, f[i + 256].x, v, true);
	dst[i] = v;
	v = __builtin_amdgcn_cvt_sr_fp8_f32(f[i + 320].x, seed[i], v, 0);
	v = __builtin_amdgcn_cvt_sr_bf8_f32(f[i + 320].y, seed[i], v, 3);
	dst[i + 64] = v;
}
#endif

#if HAS(cvt_scalef32_pk_f32_fp8)
/* Conversions with a scale: gfx950. */
BLOCK(64)
f8_scaled(global const uint *a, global float2 *f, global half2 *h, global const float *scale)
{
	uint i = index_in(64);
	float s = scale[i];

	f[i] = __builtin_amdgcn_cvt_scalef32_pk_f32_fp8(a[i], s, true);
	f[i + 64] = __builtin_amdgcn_cvt_scalef32_pk_f32_bf8(a[i], s, false);
	f[i + 128] = __builtin_amdgcn_cvt_scalef32_pk_f32_fp4(a[i], s, 2);
	h[i] = __builtin_amdgcn_cvt_scalef32_pk_f16_fp8(a[i], s, true);
	h[i + 64] = __builtin_amdgcn_cvt_scalef32_pk_f16_fp4(a[i], s, 1);
}
#endif
