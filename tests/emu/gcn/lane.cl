/* Values of other lanes: patterns, shuffles, votes. */
#include "kernel.h"

#define DPP(v, ctrl) (uint)__builtin_amdgcn_update_dpp(0, v, ctrl, 0xf, 0xf, true)

/* The sum of each row of 16 lanes, then of 32. */
BLOCK(64)
row_sum(global const uint *in, global uint *out, uint n)
{
	uint i = index_in(64), v = in[i];

	v += DPP(v, 0xb1);
	v += DPP(v, 0x4e);
	v += DPP(v, 0x141);
	v += DPP(v, 0x140);
	v += (uint)__builtin_amdgcn_ds_swizzle(v, 0x401f);
	out[i] = v + n;
}

/* Lanes without a source return 0 or keep the old value. */
BLOCK(64)
row_shift(global const uint *in, global uint *out, uint n)
{
	uint i = index_in(64), v = in[i];

	out[4 * i] = DPP(v, 0x111) + n;
	out[4 * i + 1] = (uint)__builtin_amdgcn_update_dpp(77, v, 0x103, 0xf, 0xf, false);
	out[4 * i + 2] = (uint)__builtin_amdgcn_update_dpp(99, v, 0x125, 0x5, 0x3, false);
	out[4 * i + 3] = DPP(v, 0x1b);
}

/* Inside 32 lanes, which every wave has. */
BLOCK(64)
shuffle(global const uint *in, global uint *out, uint n)
{
	uint i = index_in(64), v = in[i];
	uint at = (lane() & 32) | (in[i + 64] & 31);

	out[i] = (uint)__builtin_amdgcn_ds_bpermute(at << 2, v) +
		 (uint)__builtin_amdgcn_ds_swizzle(v, 0x041f) * n;
}

BLOCK(64)
vote(global const uint *in, global uint *out, uint n)
{
	uint i = index_in(64), v = in[i], size = __builtin_amdgcn_wavefrontsize();
	bool keep = v & 4;
	ulong m = ballot(keep);
	uint below = __builtin_amdgcn_mbcnt_hi((uint)(m >> 32), __builtin_amdgcn_mbcnt_lo((uint)m, 0));

	if (keep)
		out[i / size * size + below] = v;
	out[1024 + i] = (uint)__builtin_popcountll(m) + (uint)__builtin_amdgcn_readfirstlane(v);
	out[2048 + i] = (uint)__builtin_amdgcn_readlane(v, n & 31);
}

/* One iteration per distinct value. */
BLOCK(64)
match(global const uint *in, global uint *out, uint n)
{
	uint i = index_in(64), key = in[i] & 7, rounds = 0;
	bool open = i < n;
	global ulong *same = (global ulong *)out;
	ulong mine = 0;

	while (open) {
		uint first = __builtin_amdgcn_readfirstlane(key);
		ulong m = ballot(key == first);
		rounds++;
		if (key == first) {
			mine = m;
			open = false;
		}
	}
	same[i] = mine + rounds;
}
