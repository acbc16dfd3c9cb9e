/* Reductions of a wave in qd's tree order: lanes at distance 1, 2, 4, ... DPP moves them within a
 * row of 16. Between rows, gfx9 broadcasts the last lane of one row, then of two rows, and the
 * last lane of the wave has the result. Later generations exchange the rows. */
static inline T
PASTE(NAME, _of)(T x)
{
	x = OP(x, MOVE(DPP, x, XOR1));
	x = OP(x, MOVE(DPP, x, XOR2));
	x = OP(x, MOVE(DPP, x, HALF_MIRROR));
	x = OP(x, MOVE(DPP, x, ROR + 8));
#if GFX9
	x = OP(x, MOVE(DPP, x, BCAST15));
	x = OP(x, MOVE(DPP, x, BCAST31));
	return MOVE(READ_LANE, x, 63);
#else
	return OP(x, MOVE(ROW_X, x, 0, 0));
#endif
}

#if !BLOCK
KERNEL(64)
NAME(uint4 src, uint4 dst, TAIL)
{
	uint i = BLOCK_IDX * 64 + THREAD;
#ifdef GRID
	/* A wave past the end does nothing; padding lanes contribute the identity. */
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
