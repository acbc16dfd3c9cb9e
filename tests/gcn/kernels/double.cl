/* Double precision: operations, functions without an instruction, conversions, numeric loops. */
#include "kernel.h"

BLOCK(64)
f64_basic(global const double *a, global const double *b, global double *dst)
{
	uint i = index_in(64);
	double x = a[i], y = b[i];

	dst[i] = x + y;
	dst[i + 64] = x * y - 1.0;
	dst[i + 128] = __builtin_fma(x, y, -0.5);
	dst[i + 192] = __builtin_fmin(x, y) - __builtin_fmax(x, -y);
	dst[i + 256] = __builtin_fabs(x) * 4.0;
	dst[i + 320] = -x / y;
}

BLOCK(64)
f64_rounded(global const double *a, global double *dst)
{
	uint i = index_in(64);
	double x = a[i];

	dst[i] = __builtin_floor(x) + __builtin_ceil(x * 3);
	dst[i + 64] = __builtin_trunc(x) - __builtin_rint(x);
	dst[i + 128] = __builtin_amdgcn_fract(x);
	dst[i + 192] = __builtin_sqrt(x);
	dst[i + 256] = __builtin_amdgcn_frexp_mant(x);
	dst[i + 320] = __builtin_amdgcn_frexp_exp(x);
	dst[i + 384] = __builtin_amdgcn_ldexp(x, (int)i);
	dst[i + 448] = __builtin_amdgcn_rcp(x) + __builtin_amdgcn_rsq(x);
	dst[i + 512] = __builtin_amdgcn_trig_preop(x, (int)i);
	dst[i + 576] = __builtin_amdgcn_sqrt(x);
}

BLOCK(64)
f64_converted(global const double *a, global int *s, global uint *u, global float *f,
	      global long *l, global ulong *ul, global double *dst)
{
	uint i = index_in(64);
	double x = a[i];

	dst[i] = (double)s[i] + (double)u[i] * (double)f[i];
	dst[i + 64] = (double)l[i] - (double)ul[i];
	s[i] = (int)x;
	u[i] = (uint)x;
	f[i] = (float)x;
	l[i] = (long)x;
	ul[i] = (ulong)x;
}

BLOCK(64)
f64_compared(global const double *a, global const double *b, global int *dst)
{
	uint i = index_in(64);
	double x = a[i], y = b[i];
	int r = 0;

	r += x < y ? 1 : 20;
	r += x <= y ? 3 : 4;
	r += x == y ? 7 : 9;
	r += x != y ? 2 : 5;
	r += !(x < y) ? 11 : 12;
	r += __builtin_isunordered(x, y) ? 13 : 14;
	r += __builtin_islessgreater(x, y) ? 15 : 16;
	r += __builtin_isnan(x) ? 100 : 0;
	r += __builtin_isinf(y) ? 200 : 0;
	r += __builtin_amdgcn_class(x, 0x204) ? 17 : 18;
	dst[i] = r;
}

/* A polynomial whose coefficients take two registers each. */
BLOCK(64)
f64_polynomial(global const double *a, global double *dst)
{
	uint i = index_in(64);
	double x = a[i], y = 2.505210838544172e-08;

	y = __builtin_fma(y, x, 2.755731922398589e-06);
	y = __builtin_fma(y, x, 0.0001984126984126984);
	y = __builtin_fma(y, x, 0.008333333333333333);
	y = __builtin_fma(y, x, 0.16666666666666666);
	dst[i] = __builtin_fma(y * x, x, 1.0);
}

/* Sums that compensate rounding errors. */
BLOCK(64)
f64_compensated(global const double *a, global double *dst, uint n)
{
	double sum = 0, lost = 0;

	for (uint k = item(); k < n; k += 64) {
		double y = a[k] - lost, t = sum + y;
		lost = (t - sum) - y;
		sum = t;
	}
	dst[index_in(64)] = sum;
}

BLOCK(256)
f64_bodies(global const double4 *body, global double4 *acc, uint n)
{
	local double4 tile[256];
	double4 me = body[index_in(256)];
	double3 a = 0;

	for (uint t = 0; t < n; t += 256) {
		tile[item()] = body[t + item()];
		sync();
		for (uint k = 0; k < 256; k++) {
			double3 d = tile[k].xyz - me.xyz;
			double r2 =
				__builtin_fma(d.x, d.x, __builtin_fma(d.y, d.y, d.z * d.z)) + 1e-9;
			double inv = __builtin_amdgcn_rsq(r2);
			inv = inv * __builtin_fma(-0.5 * r2 * inv, inv, 1.5);
			a += d * (tile[k].w * inv * inv * inv);
		}
		sync();
	}
	acc[index_in(256)] = (double4)(a, me.w);
}

#if HAS(mfma_f64_16x16x4f64) && !defined(__gfx908__)
/* CDNA 2 moves and adds doubles between lanes of a row. */
BLOCK(64)
f64_lanes(global const long *a, global long *dst)
{
	long v = a[index_in(64)];

	v += __builtin_amdgcn_update_dpp(v, v, 0x155, 0xf, 0xf, true);
	dst[index_in(64)] = __builtin_amdgcn_mov_dpp(v, 0x15a, 0xf, 0xf, false);
}
#endif

/* Two floats at once, if the unit supports it. */
BLOCK(64)
f32_pairs(global const float2 *a, global const float2 *b, global float2 *dst)
{
	uint i = index_in(64);
	float2 v = a[i] * b[i];

	v = v + b[i].yx;
	v = __builtin_elementwise_fma(v, -a[i], dst[i]);
	dst[i] = v;
	dst[i + 64] = __builtin_elementwise_fma(a[i].xx, b[i], v.yy);
}
