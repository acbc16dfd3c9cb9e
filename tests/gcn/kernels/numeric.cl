/* Small programs: stencils, bodies, filters, transforms.  They mix many kinds of
 * instructions in one kernel, as real kernels do. */
#include "kernel.h"

BLOCK(256)
heat_2d(global const float *src, global float *dst, uint width, uint height, float k)
{
	local float t[18][18];
	uint x = item() % 16 + 1, y = item() / 16 + 1;
	uint gx = __builtin_amdgcn_workgroup_id_x() * 16 + x,
	     gy = __builtin_amdgcn_workgroup_id_y() * 16 + y;
	uint at = gy * width + gx;

	t[y][x] = src[at];
	if (x == 1)
		t[y][0] = src[at - 1];
	if (x == 16)
		t[y][17] = src[at + 1];
	if (y == 1)
		t[0][x] = src[at - width];
	if (y == 16)
		t[17][x] = src[at + width];
	sync();
	if (gx < width - 1 && gy < height - 1)
		dst[at] = t[y][x] +
			  k * (t[y - 1][x] + t[y + 1][x] + t[y][x - 1] + t[y][x + 1] - 4 * t[y][x]);
}

BLOCK(256)
bodies(global const float4 *body, global float4 *acc, uint n)
{
	local float4 tile[256];
	float4 me = body[index_in(256)];
	float3 a = 0;

	for (uint t = 0; t < n; t += 256) {
		tile[item()] = body[t + item()];
		sync();
#pragma unroll 4
		for (uint k = 0; k < 256; k++) {
			float3 d = tile[k].xyz - me.xyz;
			float inv =
				__builtin_amdgcn_rsqf(d.x * d.x + d.y * d.y + d.z * d.z + 1e-6f);
			a += d * (tile[k].w * inv * inv * inv);
		}
		sync();
	}
	acc[index_in(256)] = (float4)(a, 0);
}

BLOCK(256)
convolve(global const float *src, constant float *w, global float *dst, uint width)
{
	uint x = item() % 16, y = item() / 16, at = (group() * 16 + y) * width + x;
	float sum = 0;

#pragma unroll
	for (int dy = -2; dy <= 2; dy++) {
#pragma unroll
		for (int dx = -2; dx <= 2; dx++)
			sum = __builtin_fmaf(src[(int)at + dy * (int)width + dx],
					     w[(dy + 2) * 5 + dx + 2], sum);
	}
	dst[at] = sum;
}

/* Transform of 64 points in shared memory, with twiddle factors from the sine unit. */
BLOCK(64)
fft_64(global float2 *data)
{
	local float2 a[64];
	uint i = item();

	a[__builtin_elementwise_bitreverse(i) >> 26] = data[index_in(64)];
	for (uint s = 1; s < 64; s *= 2) {
		sync();
		if (i < 32) {
			uint k = i & (s - 1), p = (i - k) * 2 + k;
			float turn = -(float)k / (float)(2 * s);
			float2 w =
				(float2)(__builtin_amdgcn_cosf(turn), __builtin_amdgcn_sinf(turn));
			float2 u = a[p], v = a[p + s];
			v = (float2)(v.x * w.x - v.y * w.y, v.x * w.y + v.y * w.x);
			a[p] = u + v;
			a[p + s] = u - v;
		}
	}
	sync();
	data[index_in(64)] = a[i];
}

/* Softmax of a row: maximum, sum, quotient. */
BLOCK(256)
softmax(global const float *src, global float *dst, uint n)
{
	local float part[256];
	float m = -__builtin_inff(), sum = 0;

	for (uint k = item(); k < n; k += 256)
		m = __builtin_fmaxf(m, src[group() * n + k]);
	part[item()] = m;
	for (uint s = 128; s; s /= 2) {
		sync();
		if (item() < s)
			part[item()] = __builtin_fmaxf(part[item()], part[item() + s]);
	}
	sync();
	m = part[0];
	sync();
	for (uint k = item(); k < n; k += 256)
		sum += __builtin_amdgcn_exp2f((src[group() * n + k] - m) * 1.442695041f);
	part[item()] = sum;
	for (uint s = 128; s; s /= 2) {
		sync();
		if (item() < s)
			part[item()] += part[item() + s];
	}
	sync();
	sum = __builtin_amdgcn_rcpf(part[0]);
	for (uint k = item(); k < n; k += 256)
		dst[group() * n + k] =
			__builtin_amdgcn_exp2f((src[group() * n + k] - m) * 1.442695041f) * sum;
}

BLOCK(256)
quantize(global const float4 *src, global char4 *dst, float inv, int zero)
{
	uint i = index_in(256);
	char4 q;

#pragma unroll
	for (int k = 0; k < 4; k++) {
		int v = (int)__builtin_rintf(src[i][k] * inv) + zero;
		q[k] = (char)__builtin_elementwise_max(__builtin_elementwise_min(v, 127), -128);
	}
	dst[i] = q;
}

BLOCK(256)
layer_norm(global const half2 *src, global const half2 *gain, global half2 *dst, uint n)
{
	local float2 part[256];
	float2 s = 0;

	for (uint k = item(); k < n; k += 256) {
		half2 v = src[group() * n + k];
		s.x += (float)v.x + (float)v.y;
		s.y += (float)v.x * (float)v.x + (float)v.y * (float)v.y;
	}
	part[item()] = s;
	for (uint w = 128; w; w /= 2) {
		sync();
		if (item() < w)
			part[item()] += part[item() + w];
	}
	sync();
	float mean = part[0].x / (2.0f * n),
	      inv = __builtin_amdgcn_rsqf(part[0].y / (2.0f * n) - mean * mean);
	for (uint k = item(); k < n; k += 256) {
		half2 v = src[group() * n + k];
		dst[group() * n + k] = (v - (half2)((half)mean)) * (half2)((half)inv) * gain[k];
	}
}

BLOCK(64)
life(global const uchar *src, global uchar *dst, int width, int height)
{
	int x = (int)index_in(64), y = (int)__builtin_amdgcn_workgroup_id_y();
	int n = 0;

	for (int dy = -1; dy <= 1; dy++)
		for (int dx = -1; dx <= 1; dx++)
			n += src[(y + dy + height) % height * width + (x + dx + width) % width];
	n -= src[y * width + x];
	dst[y * width + x] = n == 3 || (n == 2 && src[y * width + x]);
}

BLOCK(64)
bilinear(global const float4 *image, global const float2 *at, global float4 *dst, int width,
	 int height)
{
	uint i = index_in(64);
	float2 p = at[i] - 0.5f;
	float2 f = (float2)(__builtin_floorf(p.x), __builtin_floorf(p.y)), w = p - f;
	int x0 = __builtin_elementwise_max(__builtin_elementwise_min((int)f.x, width - 2), 0);
	int y0 = __builtin_elementwise_max(__builtin_elementwise_min((int)f.y, height - 2), 0);
	global const float4 *r = image + y0 * width + x0;
	float4 a = r[0] + (r[1] - r[0]) * w.x;
	float4 b = r[width] + (r[width + 1] - r[width]) * w.x;

	dst[i] = a + (b - a) * w.y;
}

/* Edit distances of words, with one row of the table in shared memory. */
BLOCK(64)
edit_distance(global const uchar *a, global const uchar *b, global ushort *dst, uint n)
{
	local ushort row[2][65];
	uint i = item(), from = 0;

	row[0][i] = i;
	if (!i)
		row[0][64] = 64;
	for (uint k = 1; k <= n; k++) {
		sync();
		ushort up = row[from][i + 1] + 1, diag = row[from][i] + (a[k - 1] != b[i]);
		ushort v = up < diag ? up : diag;
		for (uint s = 1; s < 64; s *= 2) {
			ushort left =
				(ushort)__builtin_amdgcn_ds_bpermute((int)(lane() - s) * 4, v) + s;
			if (lane() >= s && left < v)
				v = left;
		}
		row[1 - from][i + 1] = v;
		if (!i)
			row[1 - from][0] = k;
		from = 1 - from;
	}
	sync();
	dst[index_in(64)] = row[from][i + 1];
}
