/* Atomics: every operation on integers and floats, in global and shared memory,
 * with and without the old value, at every scope and order. */
#include "kernel.h"

#define RELAXED __ATOMIC_RELAXED
#define DEVICE	__MEMORY_SCOPE_DEVICE
#define GROUP	__MEMORY_SCOPE_WRKGRP

#define INTEGER_OPS(space, type, stype, scope)                                                     \
	r += __scoped_atomic_fetch_add(p, v, RELAXED, scope);                                      \
	r += __scoped_atomic_fetch_sub(p + 1, v, RELAXED, scope);                                  \
	r += __scoped_atomic_fetch_and(p + 2, v, RELAXED, scope);                                  \
	r += __scoped_atomic_fetch_or(p + 3, v, RELAXED, scope);                                   \
	r += __scoped_atomic_fetch_xor(p + 4, v, RELAXED, scope);                                  \
	r += __scoped_atomic_fetch_min(p + 5, v, RELAXED, scope);                                  \
	r += __scoped_atomic_fetch_max(p + 6, v, RELAXED, scope);                                  \
	r += (type)__scoped_atomic_fetch_min((space stype *)p + 7, (stype)v, RELAXED, scope);      \
	r += (type)__scoped_atomic_fetch_max((space stype *)p + 8, (stype)v, RELAXED, scope);      \
	r += __scoped_atomic_exchange_n(p + 9, v, RELAXED, scope);

#define INTEGER_OPS_BLIND(space, type, stype, scope)                                               \
	__scoped_atomic_fetch_add(p, v, RELAXED, scope);                                           \
	__scoped_atomic_fetch_sub(p + 1, v, RELAXED, scope);                                       \
	__scoped_atomic_fetch_and(p + 2, v, RELAXED, scope);                                       \
	__scoped_atomic_fetch_or(p + 3, v, RELAXED, scope);                                        \
	__scoped_atomic_fetch_xor(p + 4, v, RELAXED, scope);                                       \
	__scoped_atomic_fetch_min(p + 5, v, RELAXED, scope);                                       \
	__scoped_atomic_fetch_max(p + 6, v, RELAXED, scope);                                       \
	__scoped_atomic_fetch_min((space stype *)p + 7, (stype)v, RELAXED, scope);                 \
	__scoped_atomic_fetch_max((space stype *)p + 8, (stype)v, RELAXED, scope);

BLOCK(64)
atomic_u32(global uint *base, global const uint *src, global uint *dst)
{
	global uint *p = base + item() * 16;
	uint v = src[item()], r = 0;

	INTEGER_OPS(global, uint, int, DEVICE)
	r += __builtin_amdgcn_atomic_inc32(p + 10, v, RELAXED, "agent");
	r += __builtin_amdgcn_atomic_dec32(p + 11, v, RELAXED, "agent");
	dst[item()] = r;
}

BLOCK(64)
atomic_u64(global ulong *base, global const ulong *src, global ulong *dst)
{
	global ulong *p = base + item() * 16;
	ulong v = src[item()], r = 0;

	INTEGER_OPS(global, ulong, long, DEVICE)
	r += __builtin_amdgcn_atomic_inc64(p + 10, v, RELAXED, "agent");
	r += __builtin_amdgcn_atomic_dec64(p + 11, v, RELAXED, "agent");
	dst[item()] = r;
}

BLOCK(64)
atomic_u32_blind(global uint *base, global const uint *src)
{
	global uint *p = base + item() * 16;
	uint v = src[item()];

	INTEGER_OPS_BLIND(global, uint, int, DEVICE)
	__builtin_amdgcn_atomic_inc32(p + 10, v, RELAXED, "agent");
	__builtin_amdgcn_atomic_dec32(p + 11, v, RELAXED, "agent");
}

BLOCK(64)
atomic_u64_blind(global ulong *base, global const ulong *src)
{
	global ulong *p = base + item() * 16;
	ulong v = src[item()];

	INTEGER_OPS_BLIND(global, ulong, long, DEVICE)
	__builtin_amdgcn_atomic_inc64(p + 10, v, RELAXED, "agent");
	__builtin_amdgcn_atomic_dec64(p + 11, v, RELAXED, "agent");
}

BLOCK(64)
atomic_lds_u32(global const uint *src, global uint *dst)
{
	local uint a[1024];
	local uint *p = a + item() * 12;
	uint v = src[item()], r = 0;

	INTEGER_OPS(local, uint, int, GROUP)
	r += __builtin_amdgcn_atomic_inc32(p + 10, v, RELAXED, "workgroup");
	r += __builtin_amdgcn_atomic_dec32(p + 11, v, RELAXED, "workgroup");
	sync();
	dst[item()] = r + a[item() * 3];
}

BLOCK(64)
atomic_lds_u64(global const ulong *src, global ulong *dst)
{
	local ulong a[1024];
	local ulong *p = a + item() * 12;
	ulong v = src[item()], r = 0;

	INTEGER_OPS(local, ulong, long, GROUP)
	r += __builtin_amdgcn_atomic_inc64(p + 10, v, RELAXED, "workgroup");
	r += __builtin_amdgcn_atomic_dec64(p + 11, v, RELAXED, "workgroup");
	sync();
	dst[item()] = r + a[item() * 3];
}

BLOCK(64)
atomic_lds_blind(global const ulong *src, global ulong *dst)
{
	local ulong a[512];
	local uint b[512];

	a[item()] = src[item()];
	b[item()] = src[item() + 64];
	sync();
	{
		local ulong *p = a + item() * 3;
		ulong v = src[item() + 128];
		INTEGER_OPS_BLIND(local, ulong, long, GROUP)
	}
	{
		local uint *p = b + item() * 3;
		uint v = src[item() + 192];
		INTEGER_OPS_BLIND(local, uint, int, GROUP)
		__builtin_amdgcn_atomic_inc32(p + 10, v, RELAXED, "workgroup");
		__builtin_amdgcn_atomic_dec32(p + 11, v, RELAXED, "workgroup");
	}
	sync();
	dst[item()] = a[item()] + b[item()];
}

/* Operations with a memory instruction; others become loops. */
BLOCK(64)
atomic_f32_f64(global float *f, global double *d, global const float *src, global float *dst)
{
	uint i = item();
	float v = src[i];

	__scoped_atomic_fetch_add(f + i, v, RELAXED, DEVICE);
	dst[i] = __scoped_atomic_fetch_add(f + i + 64, v, RELAXED, DEVICE);
	dst[i + 64] = __scoped_atomic_fetch_min(f + i + 128, v, RELAXED, DEVICE);
	__scoped_atomic_fetch_max(f + i + 192, v, RELAXED, DEVICE);
	__scoped_atomic_fetch_add(d + i, (double)v, RELAXED, DEVICE);
	__scoped_atomic_fetch_min(d + i + 64, (double)v, RELAXED, DEVICE);
	dst[i + 128] = __scoped_atomic_fetch_max(d + i + 128, (double)v, RELAXED, DEVICE);
	dst[i + 192] = __scoped_atomic_exchange_n((global uint *)f + i, 3u, RELAXED, DEVICE);
}

BLOCK(64)
atomic_f32_f64_native(global float *f, global double *d, global const float *src, global float *dst)
{
	uint i = item();
	float v = src[i];

	[[clang::atomic(no_remote_memory, no_fine_grained_memory, ignore_denormal_mode)]]
	{
		__scoped_atomic_fetch_add(f + i, v, RELAXED, DEVICE);
		dst[i] = __scoped_atomic_fetch_add(f + i + 64, v, RELAXED, DEVICE);
		dst[i + 64] = __scoped_atomic_fetch_min(f + i + 128, v, RELAXED, DEVICE);
		__scoped_atomic_fetch_max(f + i + 192, v, RELAXED, DEVICE);
		__scoped_atomic_fetch_min(d + i + 64, (double)v, RELAXED, DEVICE);
		dst[i + 128] = __scoped_atomic_fetch_max(d + i + 128, (double)v, RELAXED, DEVICE);
		dst[i + 192] = __scoped_atomic_fetch_add(d + i + 192, (double)v, RELAXED, DEVICE);
		__scoped_atomic_fetch_add(d + i, (double)v, RELAXED, DEVICE);
	}
}

BLOCK(64)
atomic_lds_float(global const float *src, global float *dst)
{
	local float a[256];
	local double d[256];
	uint i = item();

	a[i] = src[i];
	d[i] = src[i + 64];
	sync();
	__scoped_atomic_fetch_add(a + (i * 5 & 255), src[i + 1], RELAXED, GROUP);
	__scoped_atomic_fetch_min(a + (i * 7 & 255), src[i + 2], RELAXED, GROUP);
	dst[i] = __scoped_atomic_fetch_add(a + (i * 3 & 255), src[i + 3], RELAXED, GROUP);
	dst[i + 64] = __scoped_atomic_fetch_max(a + (i * 9 & 255), src[i + 4], RELAXED, GROUP);
	dst[i + 128] =
		__scoped_atomic_fetch_add(d + (i * 3 & 255), (double)src[i + 5], RELAXED, GROUP);
	__scoped_atomic_fetch_add(d + (i * 11 & 255), 1.0, RELAXED, GROUP);
	__scoped_atomic_fetch_min(d + (i * 13 & 255), 2.0, RELAXED, GROUP);
	dst[i + 256] = __scoped_atomic_fetch_max(d + (i * 17 & 255), 3.5, RELAXED, GROUP);
	sync();
	dst[i + 512] = a[i] + d[i];
}

#if HAS(global_atomic_fadd_v2f16)
BLOCK(64)
atomic_half2(global half2 *p, global const half2 *src, global half2 *dst)
{
	uint i = item();

	__builtin_amdgcn_global_atomic_fadd_v2f16(p + i, src[i]);
	dst[i] = __builtin_amdgcn_global_atomic_fadd_v2f16(p + i + 64, src[i]);
}
#endif

#if HAS(ds_atomic_fadd_v2f16)
BLOCK(64)
atomic_lds_half2(global const half2 *src, global half2 *dst)
{
	local half2 a[64];
	uint i = item();

	a[i] = src[i];
	sync();
	__builtin_amdgcn_ds_atomic_fadd_v2f16(a + (i * 3 & 63), src[i + 64]);
	dst[i] = __builtin_amdgcn_ds_atomic_fadd_v2f16(a + (i * 5 & 63), src[i + 128]);
	sync();
	dst[i + 64] = a[i];
}
#endif

/* Compare and swap: the lock, the maximum, 64 bits. */
BLOCK(64)
atomic_swap_if(global uint *p, global ulong *q, global uint *dst)
{
	local uint lock[64];
	local ulong wide[64];
	uint i = item(), want = dst[i];
	ulong want64 = want;

	lock[i] = 0;
	wide[i] = i;
	sync();
	dst[i] = __scoped_atomic_compare_exchange_n(p + i, &want, 7u, false, __ATOMIC_ACQ_REL,
						    __ATOMIC_ACQUIRE, DEVICE);
	dst[i + 64] =
		__scoped_atomic_compare_exchange_n(q + i, &want64, 9ul, false, __ATOMIC_SEQ_CST,
						   __ATOMIC_SEQ_CST, __MEMORY_SCOPE_SYSTEM);
	want = 0;
	dst[i + 128] = __scoped_atomic_compare_exchange_n(lock + (i ^ 5), &want, 1u, false, RELAXED,
							  RELAXED, GROUP);
	dst[i + 192] = __scoped_atomic_compare_exchange_n(wide + (i ^ 9), &want64, 1ul, false,
							  RELAXED, RELAXED, GROUP) +
		       want64;
}

BLOCK(256)
histogram(global const uint *src, global uint *hist, uint n)
{
	local uint h[256];

	h[item()] = 0;
	sync();
	for (uint i = index_in(256); i < n; i += 256 * 64) {
		uint v = src[i];
		__scoped_atomic_fetch_add(h + (v & 255), 1u, RELAXED, GROUP);
		__scoped_atomic_fetch_add(h + (v >> 8 & 255), 1u, RELAXED, GROUP);
		__scoped_atomic_fetch_add(h + (v >> 16 & 255), 1u, RELAXED, GROUP);
		__scoped_atomic_fetch_add(h + (v >> 24), 1u, RELAXED, GROUP);
	}
	sync();
	__scoped_atomic_fetch_add(hist + item(), h[item()], RELAXED, DEVICE);
}

#define ORDERS(name, scope)                                                                        \
	BLOCK(64)                                                                                  \
	name(global uint *p, global uint *dst)                                                     \
	{                                                                                          \
		uint i = item(), r = 0;                                                            \
		r += __scoped_atomic_load_n(p + i, __ATOMIC_RELAXED, scope);                       \
		r += __scoped_atomic_load_n(p + i + 64, __ATOMIC_ACQUIRE, scope);                  \
		r += __scoped_atomic_load_n(p + i + 128, __ATOMIC_SEQ_CST, scope);                 \
		__scoped_atomic_store_n(p + i, r, __ATOMIC_RELAXED, scope);                        \
		__scoped_atomic_store_n(p + i + 64, r, __ATOMIC_RELEASE, scope);                   \
		__scoped_atomic_store_n(p + i + 128, r, __ATOMIC_SEQ_CST, scope);                  \
		r += __scoped_atomic_fetch_add(p + i, r, __ATOMIC_ACQUIRE, scope);                 \
		r += __scoped_atomic_fetch_or(p + i + 64, r, __ATOMIC_RELEASE, scope);             \
		r += __scoped_atomic_fetch_xor(p + i + 128, r, __ATOMIC_ACQ_REL, scope);           \
		__scoped_atomic_fetch_and(p + i + 192, r, __ATOMIC_SEQ_CST, scope);                \
		dst[i] = r;                                                                        \
	}

ORDERS(orders_system, __MEMORY_SCOPE_SYSTEM)
ORDERS(orders_device, __MEMORY_SCOPE_DEVICE)
ORDERS(orders_group, __MEMORY_SCOPE_WRKGRP)
ORDERS(orders_wave, __MEMORY_SCOPE_WVFRNT)
ORDERS(orders_single, __MEMORY_SCOPE_SINGLE)
