/* Votes: ballots, counts below a lane, compaction, leaders, matching lanes. */
#include "kernel.h"

BLOCK(64)
vote_all_any(global const int *src, global int *dst)
{
	bool c = src[index_in(64)] > 7;
	ulong all = ballot(true), m = ballot(c);

	dst[index_in(64)] = (m == all) | (m != 0) << 1 | __builtin_popcountll(m) << 8;
}

BLOCK(64)
vote_first_last(global const float *src, global int *dst)
{
	ulong m = ballot(src[index_in(64)] < 0.5f);

	dst[2 * group()] = m ? __builtin_ctzll(m) : -1;
	dst[2 * group() + 1] = m ? 63 - __builtin_clzll(m) : -1;
}

BLOCK(256)
compact(global const uint *src, global uint *dst, global uint *count, uint n)
{
	uint i = index_in(256);
	bool keep = i < n && (src[i] & 3) == 1;
	ulong m = ballot(keep);
	uint below =
		__builtin_amdgcn_mbcnt_hi((uint)(m >> 32), __builtin_amdgcn_mbcnt_lo((uint)m, 0));
	uint base = 0;

	if (!below && keep)
		base = __scoped_atomic_fetch_add(count, (uint)__builtin_popcountll(m),
						 __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
	base = __builtin_amdgcn_readlane(base, m ? __builtin_ctzll(m) : 0);
	if (keep)
		dst[base + below] = src[i];
}

/* One round per distinct value. */
BLOCK(64)
match_lanes(global const uint *key, global ulong *same)
{
	uint k = key[index_in(64)];
	ulong mine = 0;
	bool open = true;

	while (open) {
		uint first = __builtin_amdgcn_readfirstlane(k);
		ulong m = ballot(k == first);
		if (k == first) {
			mine = m;
			open = false;
		}
	}
	same[index_in(64)] = mine;
}

BLOCK(256)
histogram_by_ballot(global const uchar *src, global uint *hist)
{
	uint v = src[index_in(256)] & 15;
	ulong peers = ~0ul;

	for (int b = 0; b < 4; b++) {
		ulong m = ballot(v >> b & 1);
		peers &= v >> b & 1 ? m : ~m;
	}
	if (__builtin_amdgcn_mbcnt_hi((uint)(peers >> 32),
				      __builtin_amdgcn_mbcnt_lo((uint)peers, 0)) == 0)
		__scoped_atomic_fetch_add(hist + v, (uint)__builtin_popcountll(peers),
					  __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

/* Comparisons with a lane mask as the result. */
BLOCK(64)
compare_masks(global const int *a, global const float *f, global const double *d,
	      global const long *l, global ulong *dst, int x, float y, double z)
{
	uint i = index_in(64);

	dst[0] = __builtin_amdgcn_uicmp((uint)a[i], (uint)x, 33);
	dst[1] = __builtin_amdgcn_sicmp(a[i], x, 38);
	dst[2] = __builtin_amdgcn_fcmpf(f[i], y, 4);
	dst[3] = __builtin_amdgcn_fcmpf(f[i], y, 9);
	dst[4] = __builtin_amdgcn_fcmp(d[i], z, 13);
	dst[5] = ballot(l[i] < x);
	dst[6] = ballot((ulong)l[i] >= (ulong)x);
	dst[7] = ballot(__builtin_isnan(f[i]));
	dst[8] = ballot(!(f[i] >= y));
	dst[9] = ballot(!(d[i] == z));
}

BLOCK(64)
leader_writes(global uint *dst, global const uint *src)
{
	uint v = src[index_in(64)];

	if (v & 1) {
		uint first = __builtin_amdgcn_readfirstlane(lane());
		if (lane() == first)
			dst[group()] = v;
	}
}

#if !CDNA_OR_VEGA
BLOCK(64)
inverse_ballot(global uint *dst, uint mask)
{
#if HAS(inverse_ballot_w32)
	dst[index_in(64)] = __builtin_amdgcn_inverse_ballot_w32(mask) ? 3 : 4;
#else
	dst[index_in(64)] = __builtin_amdgcn_inverse_ballot_w64(mask * 0x100000001ul) ? 3 : 4;
#endif
}
#endif

/* Votes of a block through shared memory. */
BLOCK(256)
vote_block(global const int *src, global int *dst)
{
	local uint any[1];

	if (!item())
		any[0] = 0;
	sync();
	if (src[index_in(256)] == 42)
		any[0] = 1;
	sync();
	dst[index_in(256)] = any[0] ? -1 : item();
}
