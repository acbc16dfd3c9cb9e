/* Values between lanes: permutes through the shared memory unit, lane patterns of
 * the vector unit, scalar reads and writes of one lane. */
#include "kernel.h"

BLOCK(64)
shuffle_any(global const int *src, global const int *from, global int *dst)
{
	uint i = index_in(64);

	dst[i] = __builtin_amdgcn_ds_bpermute(from[i] << 2, src[i]);
	dst[i + 64] = __builtin_amdgcn_ds_permute(from[i] << 2, src[i]);
}

BLOCK(64)
shuffle_xor(global const int *src, global int *dst)
{
	int v = src[index_in(64)], w = v;

	w ^= __builtin_amdgcn_ds_swizzle(v, 0x041f);
	w ^= __builtin_amdgcn_ds_swizzle(w, 0x081f);
	w ^= __builtin_amdgcn_ds_swizzle(w, 0x101f);
	w ^= __builtin_amdgcn_ds_swizzle(w, 0x201f);
	w ^= __builtin_amdgcn_ds_swizzle(w, 0x401f);
	w += __builtin_amdgcn_ds_swizzle(w, 0x80b1);
	w += __builtin_amdgcn_ds_swizzle(w, 0x00e0);
	dst[index_in(64)] = w;
}

#define MOVE(v, ctrl, rows, banks) __builtin_amdgcn_update_dpp(v, v, ctrl, rows, banks, true)

BLOCK(64)
lane_patterns(global const int *src, global int *dst)
{
	int v = src[index_in(64)], w = 0;

	w += MOVE(v, 0x1b, 0xf, 0xf);
	w ^= MOVE(v, 0x93, 0x5, 0xf);
	w -= MOVE(v, 0x101, 0xf, 0x3);
	w |= MOVE(v, 0x117, 0xf, 0xf);
	w &= MOVE(v, 0x125, 0xf, 0xf);
	w += MOVE(v, 0x140, 0x3, 0xc);
	w *= MOVE(v, 0x141, 0xf, 0xf);
#if CDNA_OR_VEGA
	w += MOVE(v, 0x130, 0xf, 0xf);
	w ^= MOVE(v, 0x134, 0xf, 0xf);
	w += MOVE(v, 0x138, 0xf, 0xf);
	w ^= MOVE(v, 0x13c, 0xf, 0xf);
	w += MOVE(v, 0x142, 0xa, 0xf);
#else
	w += MOVE(v, 0x153, 0xf, 0xf);
	w ^= MOVE(v, 0x165, 0xf, 0xf);
#endif
	dst[index_in(64)] = w;
}

/* The lane pattern is part of the operation that uses it. */
BLOCK(64)
lane_patterns_float(global const float *src, global float *dst, global const uint *u)
{
	float v = src[index_in(64)], w = src[index_in(64) + 64];
	uint m = u[index_in(64)];

#define F(v, ctrl)                                                                                 \
	__builtin_astype(                                                                          \
		__builtin_amdgcn_update_dpp(0, __builtin_astype(v, int), ctrl, 0xf, 0xf, true),    \
		float)
	w = w + F(v, 0xb1);
	v = v * F(w, 0x4e);
	w = w - F(v, 0x104);
	v = __builtin_fmaxf(v, F(w, 0x118));
	w = __builtin_fminf(w, F(v, 0x121));
	v = F(w, 0x141) - v;
	w = w + __builtin_fabsf(F(v, 0x140));
	v = __builtin_amdgcn_rcpf(F(w, 0x11));
	m = m + (uint)__builtin_amdgcn_update_dpp(0, m, 0x22, 0xf, 0xf, true);
	m = m & (uint)__builtin_amdgcn_update_dpp(-1, m, 0x33, 0xf, 0xf, false);
	m = (uint)__builtin_amdgcn_update_dpp(0, m, 0x44, 0xf, 0xf, true) >> (m & 31);
	m = __builtin_elementwise_min(
		m, (uint)__builtin_amdgcn_update_dpp(-1, m, 0x55, 0xf, 0xf, false));
	v = F(v, 0x66) * F(w, 0x77) + w;
	dst[index_in(64)] = m > 3 ? v : F(w, 0x99);
#undef F
}

BLOCK(64)
one_lane(global const int *src, global int *dst, uint at, int v)
{
	int x = src[index_in(64)];
	int a = __builtin_amdgcn_readlane(x, at);
	int b = __builtin_amdgcn_readfirstlane(x);

	x = __builtin_amdgcn_readlane(x, 5) + a;
	dst[index_in(64)] = x + b * v;
}

int write_lane(int v, int at, int old) INTRINSIC("writelane.i32");

BLOCK(64)
one_lane_set(global const int *src, global int *dst, int at, int v)
{
	dst[index_in(64)] = write_lane(v, at, write_lane(17, 3, src[index_in(64)]));
}

/* 64 bits by two moves. */
BLOCK(64)
shuffle_double(global const double *src, global double *dst, global const uint *from)
{
	int2 v = __builtin_astype(src[index_in(64)], int2);
	int at = from[index_in(64)] * 4;

	v.x = __builtin_amdgcn_ds_bpermute(at, v.x);
	v.y = __builtin_amdgcn_ds_bpermute(at, v.y);
	dst[index_in(64)] = __builtin_astype(v, double);
}

#if HAS(mov_dpp8)
BLOCK(64)
eight_lanes(global const uint *src, global uint *dst)
{
	uint v = src[index_in(64)];

	v += __builtin_amdgcn_mov_dpp8(v, 0x688fac);
	v ^= __builtin_amdgcn_mov_dpp8(v, 0x053977);
	v = __builtin_elementwise_max(v, __builtin_amdgcn_mov_dpp8(v, 0xfac688));
	dst[index_in(64)] = v;
}
#endif

#if HAS(permlane16)
BLOCK(64)
rows_of_16(global const uint *src, global uint *dst, uint a, uint b)
{
	uint v = src[index_in(64)], w = v;

	w += __builtin_amdgcn_permlane16(v, v, a, b, false, false);
	w += __builtin_amdgcn_permlane16(v, w, 0x76543210, 0xfedcba98, true, false);
	w ^= __builtin_amdgcn_permlanex16(v, w, a, b, false, true);
	w ^= __builtin_amdgcn_permlanex16(w, v, ~0u, ~0u, true, true);
	dst[index_in(64)] = w;
}
#endif

#if HAS(permlane64)
BLOCK(64)
halves_of_64(global const uint *src, global uint *dst)
{
	uint v = src[index_in(64)];

	dst[index_in(64)] = v + __builtin_amdgcn_permlane64(v);
}
#endif

#if HAS(permlane16_var)
BLOCK(64)
rows_of_16_var(global const uint *src, global uint *dst)
{
	uint v = src[index_in(64)], w = dst[index_in(64)];

	v = __builtin_amdgcn_permlane16_var(v, v, w, false, false);
	dst[index_in(64)] = __builtin_amdgcn_permlanex16_var(w, v, w, true, false);
}
#endif

#if HAS(permlane16_swap) && !GFX125
BLOCK(64)
rows_swapped(global const uint *src, global uint *dst)
{
	uint2 v = __builtin_amdgcn_permlane16_swap(src[index_in(64)], src[index_in(64) + 64], false,
						   false);
	uint2 w = __builtin_amdgcn_permlane32_swap(v.x, v.y, false, true);

	dst[index_in(64)] = w.x ^ w.y * 3;
}
#endif
