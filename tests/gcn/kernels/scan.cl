/* Prefix sums: of a wave, of a block in shared memory, over a grid with look-back. */
#include "kernel.h"

#define DPP(v, ctrl, rows) __builtin_amdgcn_update_dpp(0, v, ctrl, rows, 0xf, true)

BLOCK(64)
scan_wave(global const int *src, global int *dst)
{
	int v = src[index_in(64)];

	v += DPP(v, 0x111, 0xf);
	v += DPP(v, 0x112, 0xf);
	v += DPP(v, 0x114, 0xf);
	v += DPP(v, 0x118, 0xf);
#if CDNA_OR_VEGA
	v += DPP(v, 0x142, 0xa);
	v += DPP(v, 0x143, 0xc);
#else
	{
		int w = __builtin_amdgcn_permlanex16(0, v, ~0u, ~0u, false, false);
		if (lane() & 16)
			v += w;
	}
#endif
	dst[index_in(64)] = v;
}

BLOCK(256)
scan_hillis(global const float *src, global float *dst)
{
	local float a[2][256];
	uint i = item(), from = 0;

	a[0][i] = src[index_in(256)];
	for (uint step = 1; step < 256; step *= 2) {
		sync();
		a[1 - from][i] = i >= step ? a[from][i] + a[from][i - step] : a[from][i];
		from = 1 - from;
	}
	dst[index_in(256)] = a[from][i];
}

BLOCK(256)
scan_blelloch(global const uint *src, global uint *dst)
{
	local uint a[512];
	uint i = item(), step = 1;

	a[2 * i] = src[2 * index_in(256)];
	a[2 * i + 1] = src[2 * index_in(256) + 1];
	for (uint d = 256; d; d /= 2, step *= 2) {
		sync();
		if (i < d)
			a[step * (2 * i + 2) - 1] += a[step * (2 * i + 1) - 1];
	}
	if (!i)
		a[511] = 0;
	for (uint d = 1; d < 512; d *= 2) {
		step /= 2;
		sync();
		if (i < d) {
			uint l = step * (2 * i + 1) - 1, r = step * (2 * i + 2) - 1;
			uint t = a[l];
			a[l] = a[r];
			a[r] += t;
		}
	}
	sync();
	dst[2 * index_in(256)] = a[2 * i];
	dst[2 * index_in(256) + 1] = a[2 * i + 1];
}

BLOCK(256)
scan_i64(global const long *src, global long *dst)
{
	local long a[256];
	uint i = item();
	long v = src[index_in(256)];

	a[i] = v;
	for (uint step = 1; step < 256; step *= 2) {
		sync();
		long w = i >= step ? a[i - step] : 0;
		sync();
		a[i] = v += w;
	}
	dst[index_in(256)] = v;
}

/* Segments: a head flag restarts the sum. */
BLOCK(128)
scan_segmented(global const float *src, global const uchar *head, global float *dst)
{
	local float v[128];
	local uchar f[128];
	uint i = item();

	v[i] = src[index_in(128)];
	f[i] = head[index_in(128)];
	for (uint step = 1; step < 128; step *= 2) {
		sync();
		float w = v[i];
		uchar g = f[i];
		if (i >= step && !g) {
			w += v[i - step];
			g |= f[i - step];
		}
		sync();
		v[i] = w;
		f[i] = g;
	}
	dst[index_in(128)] = v[i];
}

/* Each block publishes its sum and then its prefix; later blocks look back for them. */
BLOCK(256)
scan_look_back(global const uint *src, global uint *dst, global ulong *state)
{
	local uint part[256];
	local uint before[1];
	uint i = item(), g = group(), v = src[index_in(256)];

	part[i] = v;
	for (uint step = 1; step < 256; step *= 2) {
		sync();
		uint w = i >= step ? part[i - step] : 0;
		sync();
		part[i] = v += w;
	}
	if (i == 255) {
		uint sum = 0;

		__scoped_atomic_store_n(state + g, (ulong)v | 1ul << 32, __ATOMIC_RELEASE,
					__MEMORY_SCOPE_DEVICE);
		for (uint at = g; at;) {
			ulong s = __scoped_atomic_load_n(state + at - 1, __ATOMIC_ACQUIRE,
							 __MEMORY_SCOPE_DEVICE);
			if (!(s >> 32)) {
				__builtin_amdgcn_s_sleep(1);
				continue;
			}
			sum += (uint)s;
			if (s >> 32 == 2)
				break;
			at--;
		}
		__scoped_atomic_store_n(state + g, (ulong)(sum + v) | 2ul << 32, __ATOMIC_RELEASE,
					__MEMORY_SCOPE_DEVICE);
		before[0] = sum;
	}
	sync();
	dst[index_in(256)] = before[0] + v;
}
