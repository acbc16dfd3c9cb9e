/* Scans of a wave. If the order is free, scans each row with shifts, then combines the rows. Sums
 * of floats use qd's tree: in each step the upper half of a tile adds the last lane of the lower. */
#ifndef SCAN_STEP
#define SCAN_STEP(bits, from)                                                                      \
	do {                                                                                       \
		T y_ = OP(from, x);                                                                \
		FULL(y_);                                                                         \
		x = LANES(bits) ? y_ : x;                                                          \
	} while (0)
#endif

/* The value n lanes below in the row. Without such a lane: 0 or NOTHING. */
#undef BELOW
#if FOLDS
#define BELOW(n) MOVE(DPP, x, SHR + n)
#else
#define BELOW(n) KEEP(NOTHING, x, SHR + n, 0xf, 0xf)
#endif

static inline T
PASTE(NAME, _of)(T x)
{
#if TREE
	SCAN_STEP(aaaaaaaa, MOVE(DPP, x, 0xa0));
	SCAN_STEP(cccccccc, MOVE(DPP, x, 0x55));
	/* Broadcasts lane 3 within its quad, then shifts by four lanes. */
	T quad = MOVE(DPP, x, 0xff);
	SCAN_STEP(f0f0f0f0, MOVE(DPP, quad, SHR + 4));
#if GFX9
	SCAN_STEP(ff00ff00, MOVE(SWIZZLE, x, 0x10 | 7 << 5));
	SCAN_STEP(ffff0000, MOVE(DPP, x, BCAST15));
	T y = OP(MOVE(DPP, x, BCAST31), x);
	FULL(y);
	x = LANES_OF(0xffffffff00000000ul) ? y : x;
#else
	SCAN_STEP(ff00ff00, MOVE(DPP, x, SHARE + 7));
	SCAN_STEP(ffff0000, MOVE(READ_LANE, x, 15));
#endif
#else
	x = OP(x, BELOW(1));
	x = OP(x, BELOW(2));
	x = OP(x, BELOW(4));
	x = OP(x, BELOW(8));
#if GFX9
	x = OP(x, KEEP(NOTHING, x, BCAST15, 0xa, 0xf));
	x = OP(x, KEEP(NOTHING, x, BCAST31, 0xc, 0xf));
#elif WORDS == 1
	T last = MOVE(ROW_X, x, ROW_X_LAST);
	x = OP(x, KEEP(NOTHING, last, SAME, 0xa, 0xf));
#else
	T last = MOVE(READ_LANE, x, 15), y = OP(x, last);
	x = LANES(ffff0000) ? y : x;
#endif
#endif
#if EXCLUSIVE && GFX9
	x = KEEP(FIRST_OF, x, WAVE_SHR1, 0xf, 0xf);
#elif EXCLUSIVE
	T low = MOVE(READ_LANE, x, 15);
	x = KEEP(FIRST_OF, x, SHR + 1, 0xf, 0xf);
	x = PUT(x, low, 16);
#endif
	return x;
}

#if !BLOCK
KERNEL(64)
NAME(uint4 src, uint4 dst, TAIL)
{
	uint i = BLOCK_IDX * 64 + THREAD;
#ifdef GRID
	if (i - LANE >= src.z)
		return;
	T x = LOAD(src, i);
	if (!(FOLDS))
		x = i < src.z ? x : NOTHING;
	x = PASTE(NAME, _of)(x);
	if (i < src.z)
		STORE(dst, i, x);
#else
	STORE(dst, i, PASTE(NAME, _of)(LOAD(src, i)));
#endif
}
#endif
