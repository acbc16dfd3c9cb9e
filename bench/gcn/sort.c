/* Sorts pairs of key and value over the lanes of a wave in ascending order, with Batcher's bitonic
 * network. The first step of each size compares mirrored lanes, so that in all steps the lower
 * lane keeps the smaller pair. A pair is one 64-bit number. */
#define SORT_LANES(lanes, from)                                                                    \
	do {                                                                                       \
		ulong y_ = from;                                                                   \
		bool take_ = (y_ < x) != lanes;                                                    \
		x = take_ ? y_ : x;                                                                \
	} while (0)
#define SORT_STEP(bits, from) SORT_LANES(LANES(bits), from)
#define SORT_DPP(bits, ctrl)  SORT_STEP(bits, MOVE2(ulong, DPP, x, ctrl))
#define SORT_1 SORT_DPP(aaaaaaaa, XOR1)
#define SORT_2 SORT_DPP(cccccccc, XOR2)
#if GFX9
#define SORT_4	SORT_STEP(f0f0f0f0, MOVE2(ulong, SWIZZLE, x, 0x1f | 4 << 10))
#define SORT_16 SORT_STEP(ffff0000, MOVE2(ulong, SWIZZLE, x, 0x1f | 16 << 10))
#else
#define SORT_4	SORT_DPP(f0f0f0f0, XMASK + 4)
#define SORT_16 SORT_STEP(ffff0000, MOVE2(ulong, ROW_X, x, ROW_X_SAME))
#endif
#define SORT_8 SORT_DPP(ff00ff00, ROR + 8)

KERNEL(64)
NAME(uint4 keys, uint4 values, TAIL)
{
	uint i = BLOCK_IDX * 64 + THREAD;
	ulong x = (ulong)LOAD1(uint, keys, i) << 32 | LOAD1(uint, values, i);

	SORT_1;
	SORT_DPP(cccccccc, 0x1b); SORT_1;
	SORT_DPP(f0f0f0f0, HALF_MIRROR); SORT_2; SORT_1;
	SORT_DPP(ff00ff00, MIRROR); SORT_4; SORT_2; SORT_1;
#if GFX9
	SORT_STEP(ffff0000, MOVE2(ulong, SWIZZLE, x, 0x1f | 31 << 10));
#else
	SORT_STEP(ffff0000, MOVE2(ulong, ROW_X, x, ROW_X_MIRROR));
#endif
	SORT_8; SORT_4; SORT_2; SORT_1;
#if WAVE == 64
	uint far = 4 * (LANE ^ 63);
	SORT_LANES(LANES_OF(0xffffffff00000000ul), MOVE2(ulong, PULL, x, far));
	SORT_16; SORT_8; SORT_4; SORT_2; SORT_1;
#endif
	STORE1(keys, i, (uint)(x >> 32));
	STORE1(values, i, (uint)x);
}
#undef SORT_LANES
#undef SORT_STEP
#undef SORT_DPP
#undef SORT_1
#undef SORT_2
#undef SORT_4
#undef SORT_8
#undef SORT_16
