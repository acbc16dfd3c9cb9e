/* Reductions: of a wave, of a block through shared memory, of a grid. */
#include "kernel.h"

#define REDUCE_BLOCK(name, type, expr)                                                             \
	BLOCK(256)                                                                                 \
	name(global const type *src, global type *dst, uint n)                                     \
	{                                                                                          \
		local type part[256];                                                              \
		type a = src[item()], b;                                                           \
		for (uint i = item() + 256; i < n; i += 256) {                                     \
			b = src[i];                                                                \
			a = expr;                                                                  \
		}                                                                                  \
		part[item()] = a;                                                                  \
		for (uint step = 128; step; step >>= 1) {                                          \
			sync();                                                                    \
			if (item() < step) {                                                       \
				b = part[item() + step];                                           \
				a = expr;                                                          \
				part[item()] = a;                                                  \
			}                                                                          \
		}                                                                                  \
		if (!item())                                                                       \
			dst[group()] = a;                                                          \
	}

REDUCE_BLOCK(reduce_add_f32, float, a + b)
REDUCE_BLOCK(reduce_max_i32, int, a > b ? a : b)
REDUCE_BLOCK(reduce_add_u64, ulong, a + b)
REDUCE_BLOCK(reduce_min_f64, double, __builtin_fmin(a, b))
REDUCE_BLOCK(reduce_xor_u16, ushort, a ^ b)

/* Reduction of a wave by lane moves inside rows, then across them. */
#define DPP(v, ctrl) __builtin_amdgcn_update_dpp(0, v, ctrl, 0xf, 0xf, false)

BLOCK(64)
reduce_wave_i32(global const int *src, global int *dst)
{
	int v = src[index_in(64)];

	v += DPP(v, 0xb1);
	v += DPP(v, 0x4e);
	v += DPP(v, 0x141);
	v += DPP(v, 0x140);
	v += __builtin_amdgcn_ds_swizzle(v, 0x401f);
	v += __builtin_amdgcn_readlane(v, 32 % __builtin_amdgcn_wavefrontsize());
	if (!lane())
		dst[group()] = v;
}

BLOCK(64)
reduce_wave_f32(global const float *src, global float *dst)
{
	float v = src[index_in(64)];

	v += __builtin_astype(DPP(__builtin_astype(v, int), 0x111), float);
	v += __builtin_astype(DPP(__builtin_astype(v, int), 0x112), float);
	v += __builtin_astype(DPP(__builtin_astype(v, int), 0x114), float);
	v += __builtin_astype(DPP(__builtin_astype(v, int), 0x118), float);
	dst[index_in(64)] = v;
}

BLOCK(64)
reduce_wave_builtin(global const int *src, global int *dst, global ulong *wide)
{
	int v = src[index_in(64)];
	ulong w = wide[index_in(64)];

	dst[0] = __builtin_amdgcn_wave_reduce_add_u32(v, 0);
	dst[1] = __builtin_amdgcn_wave_reduce_min_i32(v, 0);
	dst[2] = __builtin_amdgcn_wave_reduce_max_u32(v, 0);
	dst[3] = __builtin_amdgcn_wave_reduce_and_b32(v, 0);
	dst[4] = __builtin_amdgcn_wave_reduce_or_b32(v, 0);
	dst[5] = __builtin_amdgcn_wave_reduce_xor_b32(v, 0);
	wide[0] = __builtin_amdgcn_wave_reduce_min_u64(w, 0);
	wide[1] = __builtin_amdgcn_wave_reduce_max_i64(w, 0);
	wide[2] = __builtin_amdgcn_wave_reduce_xor_b64(w, 0);
}

/* A wave first, shared memory between the waves, one atomic for the grid. */
BLOCK(256)
reduce_grid_u32(global const uint *src, global uint *sum, uint n)
{
	local uint part[8];
	uint v = 0;

	for (uint i = index_in(256); i < n; i += 256 * 1024)
		v += src[i];
	v = __builtin_amdgcn_wave_reduce_add_u32(v, 0);
	if (!lane())
		part[item() / __builtin_amdgcn_wavefrontsize()] = v;
	sync();
	if (item() < 8) {
		v = part[item()];
		v += DPP(v, 0x104);
		v += DPP(v, 0x102);
		v += DPP(v, 0x101);
		if (!item())
			__scoped_atomic_fetch_add(sum, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
	}
}

/* Value and index of the largest element. */
BLOCK(128)
reduce_argmax(global const float *src, global float *value, global uint *place)
{
	local float v[128];
	local uint p[128];
	uint i = item();

	v[i] = src[index_in(128)];
	p[i] = index_in(128);
	for (uint step = 64; step; step /= 2) {
		sync();
		if (i < step && v[i + step] > v[i]) {
			v[i] = v[i + step];
			p[i] = p[i + step];
		}
	}
	if (!i) {
		value[group()] = v[0];
		place[group()] = p[0];
	}
}

/* Mean and variance in one pass. */
BLOCK(64)
moments(global const float *src, global float2 *dst, uint n)
{
	float mean = 0, m2 = 0, count = 0;

	for (uint i = item(); i < n; i += 64) {
		float delta = src[i] - mean;
		count += 1;
		mean += delta / count;
		m2 += delta * (src[i] - mean);
	}
	dst[index_in(64)] = (float2)(mean, m2 / count);
}
