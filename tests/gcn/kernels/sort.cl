/* Sorting: networks in shared memory and between lanes, counting passes, merges. */
#include "kernel.h"

BLOCK(256)
sort_bitonic(global uint *data)
{
	local uint a[512];
	uint i = item();

	a[i] = data[group() * 512 + i];
	a[i + 256] = data[group() * 512 + i + 256];
	for (uint size = 2; size <= 512; size *= 2) {
		for (uint step = size / 2; step; step /= 2) {
			uint at = 2 * i - (i & (step - 1));
			bool up = !(at & size);
			sync();
			uint x = a[at], y = a[at + step];
			if ((x > y) == up) {
				a[at] = y;
				a[at + step] = x;
			}
		}
	}
	sync();
	data[group() * 512 + i] = a[i];
	data[group() * 512 + i + 256] = a[i + 256];
}

/* A wave's 32 values, by shuffles; the compiler knows every step. */
BLOCK(64)
sort_wave(global float *data)
{
	float v = data[index_in(64)];
	uint l = lane() & 31;

#pragma unroll
	for (uint size = 2; size <= 32; size *= 2) {
#pragma unroll
		for (uint step = size / 2; step; step /= 2) {
			float w = __builtin_astype(
				__builtin_amdgcn_ds_bpermute((int)(lane() ^ step) << 2,
							     __builtin_astype(v, int)),
				float);
			bool low = !(l & step), up = !(l & size) || size == 32;
			v = low == up ? __builtin_fminf(v, w) : __builtin_fmaxf(v, w);
		}
	}
	data[index_in(64)] = v;
}

/* 64-bit keys with a value each. */
BLOCK(128)
sort_odd_even(global ulong *keys, global uint *values)
{
	local ulong k[256];
	local uint v[256];
	uint i = item();

	k[i] = keys[i];
	k[i + 128] = keys[i + 128];
	v[i] = values[i];
	v[i + 128] = values[i + 128];
	for (uint round = 0; round < 256; round++) {
		uint at = 2 * i + (round & 1);
		sync();
		if (at < 255 && k[at] > k[at + 1]) {
			ulong x = k[at];
			uint y = v[at];
			k[at] = k[at + 1];
			k[at + 1] = x;
			v[at] = v[at + 1];
			v[at + 1] = y;
		}
	}
	sync();
	keys[i] = k[i];
	keys[i + 128] = k[i + 128];
	values[i] = v[i];
	values[i + 128] = v[i + 128];
}

/* One digit of a radix sort: counts, their sums, positions. */
BLOCK(256)
sort_radix_pass(global const uint *src, global uint *dst, uint shift)
{
	local uint count[16], first[16];
	uint i = item(), key = src[index_in(256)];
	uint digit = key >> shift & 15;

	if (i < 16)
		count[i] = 0;
	sync();
	uint before = __scoped_atomic_fetch_add(count + digit, 1u, __ATOMIC_RELAXED,
						__MEMORY_SCOPE_WRKGRP);
	sync();
	if (!i) {
		uint sum = 0;
		for (uint d = 0; d < 16; d++) {
			first[d] = sum;
			sum += count[d];
		}
	}
	sync();
	dst[group() * 256 + first[digit] + before] = key;
}

/* Finds the position of a value of one run in the other by binary search. */
BLOCK(256)
merge_runs(global const int *a, global const int *b, global int *dst, uint n)
{
	uint i = index_in(256), lo = 0, hi = n;
	int v = a[i];

	while (lo < hi) {
		uint mid = (lo + hi) >> 1;
		if (b[mid] < v)
			lo = mid + 1;
		else
			hi = mid;
	}
	dst[i + lo] = v;
}

/* The three smallest of each item's column. */
BLOCK(64)
smallest_three(global const float *src, global float *dst, uint n)
{
	float a = __builtin_inff(), b = a, c = a;

	for (uint k = 0; k < n; k++) {
		float v = src[k * 64 + item()];
		float t = __builtin_amdgcn_fmed3f(a, b, v);
		c = __builtin_amdgcn_fmed3f(b, c, v);
		b = t;
		a = __builtin_fminf(a, v);
	}
	dst[item() * 3] = a;
	dst[item() * 3 + 1] = b;
	dst[item() * 3 + 2] = c;
}
