/* The operations of the transcendental unit, the steps of an exact division, and
 * functions built from them. */
#include "kernel.h"

BLOCK(64)
unit_f32(global const float *a, global float *dst, global int *e)
{
	uint i = index_in(64);
	float x = a[i];

	dst[i] = __builtin_amdgcn_rcpf(x);
	dst[i + 64] = __builtin_amdgcn_rsqf(x);
	dst[i + 128] = __builtin_amdgcn_sqrtf(x);
	dst[i + 192] = __builtin_amdgcn_sinf(x);
	dst[i + 256] = __builtin_amdgcn_cosf(x);
	dst[i + 320] = __builtin_amdgcn_exp2f(x);
	dst[i + 384] = __builtin_amdgcn_logf(x);
	dst[i + 448] = __builtin_amdgcn_fractf(x);
	dst[i + 512] = __builtin_amdgcn_frexp_mantf(x);
	e[i] = __builtin_amdgcn_frexp_expf(x);
	dst[i + 576] = __builtin_amdgcn_ldexpf(x, e[i + 64]);
	e[i + 128] = __builtin_amdgcn_classf(x, 0x3);
}

BLOCK(64)
rounded(global const float *a, global float *dst)
{
	uint i = index_in(64);
	float x = a[i];

	dst[i] = __builtin_floorf(x) - __builtin_ceilf(-x);
	dst[i + 64] = __builtin_truncf(x) + __builtin_rintf(x * 7);
	dst[i + 128] = __builtin_roundf(x);
	dst[i + 192] = __builtin_copysignf(x, dst[i]);
}

BLOCK(64)
divided(global const float *a, global const float *b, global float *dst)
{
	uint i = index_in(64);

	dst[i] = a[i] / b[i];
	dst[i + 64] = 1.0f / b[i];
	dst[i + 128] = __builtin_sqrtf(a[i]);
}

BLOCK(64)
division_steps(global const float *a, global const float *b, global float *dst)
{
	uint i = index_in(64);
	float x = a[i], y = b[i];
	bool f, g;
	float d = __builtin_amdgcn_div_scalef(x, y, false, &f);
	float n = __builtin_amdgcn_div_scalef(x, y, true, &g);
	float r = __builtin_amdgcn_rcpf(d);

	r = __builtin_fmaf(__builtin_fmaf(-d, r, 1.0f), r, r);
	float q = n * r;
	q = __builtin_fmaf(__builtin_fmaf(-d, q, n), r, q);
	dst[i] = __builtin_amdgcn_div_fixupf(
		__builtin_amdgcn_div_fmasf(__builtin_fmaf(-d, q, n), r, q, g), y, x);
}

BLOCK(64)
functions(global const float *a, global float *dst)
{
	uint i = index_in(64);
	float x = a[i];

	dst[i] = __builtin_elementwise_exp2(x);
	dst[i + 64] = __builtin_elementwise_log2(x);
	dst[i + 128] = __builtin_elementwise_exp(x);
	dst[i + 192] = __builtin_elementwise_log(x);
	dst[i + 256] = __builtin_elementwise_log10(x);
	dst[i + 320] = __builtin_elementwise_sin(x);
	dst[i + 384] = __builtin_elementwise_cos(x);
}

BLOCK(64)
chosen(global const float *a, global const float *b, global const float *c, global float *dst)
{
	uint i = index_in(64);
	float x = a[i], y = b[i], z = c[i];

	dst[i] = __builtin_amdgcn_fmed3f(x, y, z);
	dst[i + 64] = __builtin_fminf(__builtin_fminf(x, y), z);
	dst[i + 128] = __builtin_fmaxf(__builtin_fmaxf(x, -y), __builtin_fabsf(z));
	dst[i + 192] = __builtin_fminf(__builtin_fmaxf(x, 0.0f), 1.0f);
	dst[i + 256] = __builtin_fmaxf(__builtin_fminf(x, y), z);
	dst[i + 320] = __builtin_fminf(__builtin_fmaxf(x, y), z);
	dst[i + 384] = __builtin_elementwise_minimum(x, y);
	dst[i + 448] = __builtin_elementwise_maximum(__builtin_elementwise_maximum(x, y), z);
}

/* Free modifiers: doubling, halving and sign changes. */
BLOCK(64)
modified(global const float *a, global const float *b, global float *dst)
{
	uint i = index_in(64);
	float x = a[i], y = b[i];

	dst[i] = -(x * y) * 2.0f;
	dst[i + 64] = __builtin_fmaf(-x, __builtin_fabsf(y), -1.0f);
	dst[i + 128] = __builtin_fminf(__builtin_fmaxf(x + y, 0.0f), 1.0f);
	dst[i + 192] = __builtin_fabsf(x) - __builtin_fabsf(y);
	dst[i + 256] = (x - y) * 0.5f;
	dst[i + 320] = x * 4.0f + 0x1.921fb6p+1f;
	dst[i + 384] = x > 0.15915494f ? y : -x;
}

BLOCK(64)
cube_face(global const float *x, global const float *y, global const float *z, global float *dst)
{
	uint i = index_in(64);

	dst[i] = __builtin_amdgcn_cubeid(x[i], y[i], z[i]);
	dst[i + 64] = __builtin_amdgcn_cubema(x[i], y[i], z[i]);
	dst[i + 128] = __builtin_amdgcn_cubesc(x[i], y[i], z[i]);
	dst[i + 192] = __builtin_amdgcn_cubetc(x[i], y[i], z[i]);
}

BLOCK(64)
compared(global const float *a, global const float *b, global int *dst)
{
	uint i = index_in(64);
	float x = a[i], y = b[i];
	int r = 0;

	r += x < y ? 1 : 20;
	r += x <= y ? 3 : 4;
	r += x == y ? 7 : 9;
	r += x != y ? 2 : 5;
	r += !(x < y) ? 11 : 12;
	r += !(x <= y) ? 21 : 22;
	r += !(x == y) ? 31 : 32;
	r += __builtin_isunordered(x, y) ? 13 : 14;
	r += !__builtin_isunordered(x, y + 1) ? 13 : 14;
	r += __builtin_islessgreater(x, y) ? 15 : 16;
	r += !__builtin_islessgreater(x + 1, y) ? 15 : 16;
	r += x > 3.0f ? 17 : 18;
	r += __builtin_isinf(x) ? 19 : 0;
	r += __builtin_isnormal(y) ? 23 : 0;
	dst[i] = r;
}

BLOCK(64)
converted(global float *f, global int *s, global uint *u, global long *l, global ulong *ul)
{
	uint i = index_in(64);
	float x = f[i];

	f[i] = (float)s[i] + (float)u[i];
	f[i + 64] = (float)l[i] * (float)ul[i];
	s[i] = (int)x;
	u[i] = (uint)x;
	l[i] = (long)x;
	ul[i] = (ulong)x;
	s[i + 64] = (int)__builtin_floorf(x);
	s[i + 128] = (int)__builtin_rintf(x);
	s[i + 192] = (int)__builtin_floorf(x + 0.5f);
	f[i + 128] = (uchar)(u[i + 128] >> 16);
	f[i + 192] = __builtin_amdgcn_cvt_off_f32_i4(s[i + 64]);
}

/* Mandelbrot: a loop whose trip count differs by lane. */
BLOCK(256)
mandelbrot(global uint *dst, float x0, float y0, float step, uint limit)
{
	float cx = x0 + step * item(), cy = y0 + step * group(), x = 0, y = 0;
	uint n = 0;

	while (n < limit && x * x + y * y < 4.0f) {
		float t = x * x - y * y + cx;
		y = 2.0f * x * y + cy;
		x = t;
		n++;
	}
	dst[index_in(256)] = n;
}

BLOCK(256)
black_scholes(global const float *price, global const float *strike, global float2 *dst,
	      float years, float rate, float sigma)
{
	uint i = index_in(256);
	float s = price[i], k = strike[i], root = sigma * __builtin_sqrtf(years);
	float d1 =
		(__builtin_elementwise_log(s / k) + (rate + 0.5f * sigma * sigma) * years) / root;
	float d2 = d1 - root, disc = k * __builtin_elementwise_exp(-rate * years);
	float c[2];

#pragma unroll
	for (int j = 0; j < 2; j++) {
		float d = j ? d2 : d1, t = 1.0f / (1.0f + 0.2316419f * __builtin_fabsf(d));
		float p = t * (0.31938153f +
			       t * (-0.356563782f +
				    t * (1.781477937f + t * (-1.821255978f + t * 1.330274429f))));
		p *= 0.39894228f * __builtin_elementwise_exp(-0.5f * d * d);
		c[j] = d > 0 ? 1.0f - p : p;
	}
	float call = s * c[0] - disc * c[1];
	dst[i] = (float2)(call, call - s + disc);
}
