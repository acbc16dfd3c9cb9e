/* Floats of 32 and of 64 bits. */
#include "kernel.h"

BLOCK(64)
real32(global const float *in, global float *out, uint n)
{
	uint i = index_in(64);
	float a = in[i], b = in[i + 1], c = in[i + 2];

	if (i >= n)
		return;
	out[8 * i] = a * b + c;
	out[8 * i + 1] = __builtin_fmaf(a, b, c) - a;
	out[8 * i + 2] = a / b;
	out[8 * i + 3] = __builtin_floorf(a) + __builtin_truncf(c) - __builtin_rintf(b);
	out[8 * i + 4] = __builtin_fminf(a, b) - __builtin_fmaxf(b, c);
	out[8 * i + 5] = (float)(int)(a * 0.25f) + (float)(uint)i;
	out[8 * i + 6] = a < b ? __builtin_fabsf(c) : -a;
	out[8 * i + 7] = a == c || !(b > c) ? a * 2.0f : b * 0.5f;
}

BLOCK(64)
real64(global const double *in, global double *out, uint n)
{
	uint i = index_in(64);
	double a = in[i], b = in[i + 1], c = in[i + 2];

	if (i >= n)
		return;
	out[4 * i] = a * b + c;
	out[4 * i + 1] = __builtin_fma(a, b, c) / b;
	out[4 * i + 2] = __builtin_fmin(a, b) + __builtin_floor(c) - (double)(float)a;
	out[4 * i + 3] = (double)(int)(a * 0.125) + (a < b ? c : (double)i);
}

/* Minimum, maximum and median of three; a sum of differences. */
BLOCK(64)
three(global const float *in, global float *out, uint n)
{
	uint i = index_in(64);
	float a = in[i], b = in[i + 1], c = in[i + 2];

	if (i >= n)
		return;
	out[4 * i] = __builtin_fminf(__builtin_fminf(a, b), c);
	out[4 * i + 1] = __builtin_fmaxf(__builtin_fmaxf(a, b), c);
	out[4 * i + 2] = __builtin_amdgcn_fmed3f(a, b, c);
	out[4 * i + 3] = __builtin_astype(__builtin_amdgcn_sad_u8(__builtin_astype(a, uint),
								  __builtin_astype(b, uint), i), float);
}

/* Uniform values: in scalar registers on targets with scalar float instructions. */
BLOCK(64)
uniform(global const float *in, global float *out, uint n)
{
	float a = in[group()], b = in[group() + 1];

	if (index_in(64) < n)
		out[index_in(64)] = a < b ? a * b - (float)n : (a + b) * (float)(int)group();
}

/* Uniform 16-bit divisions through a reciprocal, whose correction one lane decides for all. */
BLOCK(64)
narrow_uniform(global const short *in, global int *out, uint n)
{
	short a = in[2 * group()], b = in[2 * group() + 1] | 1;
	uint i = index_in(64);

	if (i >= n)
		return;
	out[4 * i] = (short)(a / b) * 1000 + (int)i;
	out[4 * i + 1] = (short)(a % b) + (int)i;
	out[4 * i + 2] = (ushort)a / (ushort)b + i;
	out[4 * i + 3] = (ushort)a % (ushort)b + i;
}
