#include "dynamic.h"

BLOCK(256) axpy(IN float *R x, G float *R y, float a, u32 n)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < n)
		y[i] = fma(a, x[i], y[i]);
}

BLOCK(256) scale4(IN float *R src, G float *R dst, float a, u32 n)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < n / 4) {
		dst[4 * i] = src[4 * i] * a;
		dst[4 * i + 1] = src[4 * i + 1] * a;
		dst[4 * i + 2] = src[4 * i + 2] * a;
		dst[4 * i + 3] = src[4 * i + 3] * a;
	}
}

BLOCK(256) gather(IN u32 *R src, IN u32 *R at, G u32 *R dst, u32 m, u32 n)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < n)
		dst[i] = src[at[i] % m];
}

BLOCK(256) scatter(IN u32 *R src, G u32 *R dst, u32 m, u32 n)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < n)
		dst[i * 37 % m] = src[i];
}

BLOCK(256) stencil1(IN float *R src, G float *R dst, u32 n)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < n)
		dst[i] = (src[i] + src[i + 1] + src[i + 2]) * 0.25f + (src[i + 3] + src[i + 4]) * 0.125f;
}

BLOCK(256) fir(IN float *R src, IN float *R tap, G float *R dst, u32 n)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < n) {
		float sum = 0;
		for (u32 k = 0; k < 16; k++)
			sum = fma(src[i + k], tap[k], sum);
		dst[i] = sum;
	}
}

BLOCK(256) dot(IN float *R a, IN float *R b, G float *R part, u32 n)
{
	SHARED float waves[256 / WAVE];
	u32 i = BLOCK_IDX * 256 + THREAD;
	float v = i < n ? a[i] * b[i] : -0.0f;

	for (u32 k = 1; k < WAVE; k *= 2)
		v += shuffle_xor_f(v, k);
	if (lane_id() == 0)
		waves[THREAD / WAVE] = v;
	SYNC();
	if (THREAD < WAVE) {
		v = THREAD < 256 / WAVE ? waves[THREAD] : -0.0f;
		for (u32 k = 1; k < 256 / WAVE; k *= 2)
			v += shuffle_xor_f(v, k);
		if (THREAD == 0)
			part[BLOCK_IDX] = v;
	}
}

BLOCK(256) color(IN u32 *R rgb, G u32 *R yuv, u32 n)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < n) {
		u32 p = rgb[i];
		i32 r = (i32)(p & 255), g = (i32)(p >> 8 & 255), b = (i32)(p >> 16 & 255);
		i32 y = (66 * r + 129 * g + 25 * b + 4224) >> 8;
		i32 u = (-38 * r - 74 * g + 112 * b + 32896) >> 8;
		i32 v = (112 * r - 94 * g - 18 * b + 32896) >> 8;
		yuv[i] = (u32)y | (u32)u << 8 | (u32)v << 16;
	}
}

BLOCK(256) polynomial(IN float *R x, G float *R y, u32 n)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < n) {
		float t = x[i], p = 0.0013f;
		p = fma(p, t, 0.0083f);
		p = fma(p, t, 0.0416f);
		p = fma(p, t, 0.1666f);
		p = fma(p, t, 0.5f);
		p = fma(p, t, 1.0f);
		y[i] = fma(p, t, 1.0f);
	}
}

BLOCK(256) normalize(IN float *R x, IN float *R y, IN float *R z, G float *R nx, G float *R ny, G float *R nz, u32 n)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < n) {
		float d = sqrtf(fma(x[i], x[i], fma(y[i], y[i], z[i] * z[i])));
		nx[i] = x[i] / d;
		ny[i] = y[i] / d;
		nz[i] = z[i] / d;
	}
}
