/* Shared memory, barriers, atomics. */
#include "kernel.h"

BLOCK(256)
block_sum(global const uint *in, global uint *out, uint n)
{
	local uint part[256];
	uint a = 0;

	for (uint i = item() + group() * 256; i < n; i += 512)
		a += in[i];
	part[item()] = a;
	for (uint step = 128; step; step >>= 1) {
		sync();
		if (item() < step)
			part[item()] += part[item() + step];
	}
	if (!item())
		out[group()] = part[0];
}

BLOCK(256)
transpose(global const uint *in, global uint *out, uint n)
{
	local uint tile[16][17];
	uint x = item() % 16, y = item() / 16;

	tile[y][x] = in[index_in(256)];
	sync();
	out[index_in(256)] = tile[x][y] + n;
}

BLOCK(128)
scan(global const uint *in, global uint *out, uint n)
{
	local uint a[128];
	uint v = in[index_in(128)];

	a[item()] = v;
	sync();
	for (uint d = 1; d < 128; d *= 2) {
		uint b = item() >= d ? a[item() - d] : 0;
		sync();
		v += b;
		a[item()] = v;
		sync();
	}
	if (index_in(128) < n)
		out[index_in(128)] = a[item()];
}

BLOCK(128)
histogram(global const uint *in, global uint *out, uint n)
{
	local uint bin[32];

	if (item() < 32)
		bin[item()] = 0;
	sync();
	for (uint i = index_in(128); i < n; i += 256)
		__scoped_atomic_fetch_add(bin + (in[i] & 31), 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
	sync();
	if (item() < 32)
		__scoped_atomic_fetch_add(out + item(), bin[item()], __ATOMIC_RELAXED,
					  __MEMORY_SCOPE_DEVICE);
}

#define DO(op, v) __scoped_atomic_fetch_##op(p++, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)

/* Exclusive prefix sums over the lane's own words. */
BLOCK(64)
atomics(global const uint *in, global uint *out, uint n)
{
	uint i = index_in(64), v = in[i], r = 0;
	global uint *p = out + 12 * i;

	if (i >= n)
		return;
	for (uint k = 0; k < 12; k++)
		p[k] = in[i + k];
	r ^= DO(add, v);
	r ^= DO(sub, v) * 3;
	r ^= DO(and, v) * 5;
	r ^= DO(or, v) * 7;
	r ^= DO(xor, v) * 9;
	r ^= DO(min, v) * 11;
	r ^= DO(max, v) * 13;
	r ^= __scoped_atomic_exchange_n(p++, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
	uint want = in[i + 8] & 1 ? in[i + 8] : 0;
	__scoped_atomic_compare_exchange_n(p, &want, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
					   __MEMORY_SCOPE_DEVICE);
	p[1] = r;
	p[2] = want;
	p[3] = v;
}

/* All blocks add to a few words. */
BLOCK(64)
totals(global const uint *in, global uint *out, uint n)
{
	uint i = index_in(64), v = in[i];

	if (i >= n)
		return;
	__scoped_atomic_fetch_add((global ulong *)out, (ulong)v * v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
	__scoped_atomic_fetch_max(out + 2, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
	__scoped_atomic_fetch_xor(out + 3 + (v & 3), v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

/* A compare-and-swap loop, which lanes leave at different times; minimum and maximum. */
BLOCK(64)
exchange(global const uint *in, global uint *out, uint n)
{
	local uint a[3];
	uint v = in[index_in(64)], old;

	if (item() < 3)
		a[item()] = item() == 1 ? ~0u : n;
	sync();
	old = a[0];
	while (!__scoped_atomic_compare_exchange_n(a, &old, old * 3 + 1, false, __ATOMIC_RELAXED,
						   __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP))
		;
	__scoped_atomic_fetch_min(a + 1, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
	__scoped_atomic_fetch_max((local int *)a + 2, (int)v, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
	sync();
	if (item() < 3)
		out[3 * group() + item()] = a[item()];
}
