/* Segmented sums: each lane computes the distance to its head, and adds values up to that
 * distance. */
#define SEGMENT_STEP(cond, from)                                                                   \
	do {                                                                                       \
		T y_ = OP(from, x);                                                                \
		FULL(y_);                                                                         \
		x = (cond) ? y_ : x;                                                               \
	} while (0)

KERNEL(64)
NAME(uint4 src, uint4 dst, TAIL)
{
	uint i = BLOCK_IDX * 64 + THREAD;
	T x = LOAD(src, i);
	mask_t heads = BALLOT((x & 1) == 1) | 1;
#if WAVE == 64
	uint distance = (uint)__builtin_clzl(heads << (~THREAD & 63));
#else
	uint distance = (uint)__builtin_clz(heads << (~THREAD & 31));
#endif
	SEGMENT_STEP(distance >= 1, MOVE(DPP, x, SHR + 1));
	SEGMENT_STEP(distance >= 2, MOVE(DPP, x, SHR + 2));
	SEGMENT_STEP(distance >= 4, MOVE(DPP, x, SHR + 4));
	SEGMENT_STEP(distance >= 8, MOVE(DPP, x, SHR + 8));
#if GFX9
	SEGMENT_STEP(distance > (THREAD & 15) && LANES(ffff0000), MOVE(DPP, x, BCAST15));
	SEGMENT_STEP(distance > (THREAD & 31), MOVE(DPP, x, BCAST31));
#else
	SEGMENT_STEP(distance > (THREAD & 15), MOVE(READ_LANE, x, 15));
#endif
	STORE(dst, i, x);
}
#undef SEGMENT_STEP
