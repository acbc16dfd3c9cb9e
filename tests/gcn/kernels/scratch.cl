/* Private memory: arrays with a varying index, arrays too large for registers,
 * spilled registers, a stack that grows, calls and their frames. */
#include "kernel.h"

BLOCK(64)
private_array(global const uint *src, global uint *dst)
{
	uint a[32];
	uint i = index_in(64);

	for (uint k = 0; k < 32; k++)
		a[k] = src[i * 32 + k];
	for (uint k = 0; k < 32; k++) {
		uint j = a[k] & 31;
		uint t = a[j];
		a[j] = a[k];
		a[k] = t;
	}
	dst[i] = a[src[i] & 31];
}

BLOCK(64)
private_bytes(global const uchar *src, global uchar *dst)
{
	uchar a[256];
	short b[64];

	for (uint k = 0; k < 256; k++)
		a[k] = src[k] + item();
	for (uint k = 0; k < 64; k++)
		b[k] = (short)(char)a[a[k]];
	for (uint k = 0; k < 64; k++)
		dst[k * 64 + item()] = b[a[k] & 63] >> 3;
}

BLOCK(64)
private_vectors(global const float4 *src, global float4 *dst, uint at)
{
	float4 a[24];
	double d[8];

	for (uint k = 0; k < 24; k++)
		a[k] = src[k * 64 + item()];
	for (uint k = 0; k < 8; k++)
		d[k] = a[src[k].x > 0 ? k : k + 3].y;
	a[at % 24].x += d[(uint)a[at & 7].z & 7];
	dst[index_in(64)] = a[(uint)src[item()].x % 24];
}

/* More live values than the registers allowed. */
kernel __attribute__((reqd_work_group_size(64, 1, 1), amdgpu_num_vgpr(24))) void
spilled(global const float *src, global float *dst, uint n)
{
	float a[40];

#pragma unroll
	for (uint k = 0; k < 40; k++)
		a[k] = src[k * 64 + item()];
	for (uint t = 0; t < n; t++) {
#pragma unroll
		for (uint k = 0; k < 40; k++)
			a[k] = a[k] * a[(k + 7) % 40] + a[(k + 13) % 40];
	}
#pragma unroll
	for (uint k = 0; k < 40; k++)
		dst[k * 64 + item()] = a[k];
}

/* More wave-uniform values than scalar registers: the excess is spilled to lanes. */
kernel __attribute__((reqd_work_group_size(64, 1, 1), amdgpu_num_sgpr(32))) void
spilled_scalars(constant uint *table, global uint *dst, uint n)
{
	uint a[48], r = 0;

#pragma unroll
	for (uint k = 0; k < 48; k++)
		a[k] = table[k * 3];
	for (uint t = 0; t < n; t++) {
		__builtin_amdgcn_s_sleep(1);
#pragma unroll
		for (uint k = 0; k < 48; k++)
			a[k] = a[k] * 5 + a[(k + 11) % 48];
	}
#pragma unroll
	for (uint k = 0; k < 48; k++)
		r ^= a[k] + item();
	dst[index_in(64)] = r;
}

static NOINLINE float
horner(const float *c, uint n, float x)
{
	float r = 0;

	for (uint k = 0; k < n; k++)
		r = r * x + c[k];
	return r;
}

BLOCK(64)
called(global const float *src, global float *dst)
{
	float c[8];

	for (uint k = 0; k < 8; k++)
		c[k] = src[k] * item();
	dst[index_in(64)] = horner(c, 8, src[index_in(64)]) + horner(c, 5, 2.0f);
}

/* More arguments than registers, and a large struct as the result. */
struct frame {
	uint v[20];
};

static NOINLINE struct frame
mix(struct frame a, struct frame b, uint turn)
{
	struct frame r;

	for (uint k = 0; k < 20; k++)
		r.v[k] = a.v[(k + turn) % 20] * b.v[k] + turn;
	return r;
}

BLOCK(64)
called_with_structs(global const struct frame *src, global struct frame *dst)
{
	uint i = index_in(64);
	struct frame f = mix(src[i], src[i + 64], i);

	dst[i] = mix(f, src[i], 3);
}

static NOINLINE uint
ackermann(uint m, uint n)
{
	return m == 0 ? n + 1 : ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

BLOCK(64)
called_recursively(global uint *dst, global const uint *src)
{
	dst[index_in(64)] = ackermann(2, src[index_in(64)] & 3);
}

static NOINLINE uint
plus(uint a, uint b)
{
	return a + b;
}

static NOINLINE uint
minus(uint a, uint b)
{
	return (a - b) * 7;
}

#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable

/* Calls through a pointer: the callee differs by lane. */
BLOCK(64)
called_by_pointer(global const uint *src, global uint *dst)
{
	uint i = index_in(64);
	uint (*f)(uint, uint) = src[i] & 1 ? plus : minus;

	dst[i] = f(src[i], i);
}

/* A stack frame whose size is an argument. */
BLOCK(64)
grown(global const uint *src, global uint *dst, uint n)
{
	uint private *a = __builtin_alloca(n * 4);

	for (uint k = 0; k < n; k++)
		a[k] = src[k * 64 + item()];
	for (uint k = 1; k < n; k++)
		a[a[k] % n] += a[k - 1];
	dst[index_in(64)] = a[n / 2];
}

/* Accesses to the frame beyond the reach of an offset. */
BLOCK(64)
deep(global const uint *src, global uint *dst)
{
	uint a[3000];
	uint i = item();

	for (uint k = 0; k < 3000; k += 50)
		a[k + (src[k] & 31)] = k;
	a[2900] = 7;
	a[2999] = src[i];
	dst[index_in(64)] = a[src[i] % 3000] + a[2900] + a[2999] + a[1];
}
