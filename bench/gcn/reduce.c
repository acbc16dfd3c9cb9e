/* Reductions of a wave.  The tree is qd's: lanes 1 apart, 2, 4, ..., which DPP gives within
 * 16; from there gfx9 hands on the last lane of a row, or of two, and the last lane of the
 * wave has the whole; later ones exchange the rows. */
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
	/* A wave that is past the end does nothing; absent lanes bring what changes nothing. */
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
