/* Blocks of 256 threads: the waves exchange their results through LDS, and each wave combines them
 * with DPP. reduce.c or scan.c, included before, defines PASTE(NAME, _of). */
#ifndef BLOCK_OF
#define BLOCK_OF
static inline void
sync(void)
{
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local");
}
#define WAVES (256 / WAVE)
#endif

KERNEL(256)
NAME(uint4 src, uint4 dst, TAIL)
{
	local T part[64];
	uint i = BLOCK_IDX * 256 + THREAD, wave = (uint)__builtin_amdgcn_readfirstlane((int)(THREAD / WAVE));
	T x = PASTE(NAME, _of)(LOAD(src, i));
#if SCAN
	if (LANE == WAVE - 1)
		part[wave] = x;
	sync();
	/* Exclusive sums of the preceding waves: shift by one, then scan. */
	T below = part[LANE & 7];
	below = MOVE(DPP, below, SHR + 1);
	below = OP(below, MOVE(DPP, below, SHR + 1));
	below = OP(below, MOVE(DPP, below, SHR + 2));
#if WAVES > 4
	below = OP(below, MOVE(DPP, below, SHR + 4));
#endif
	STORE(dst, i, OP(x, MOVE(READ_LANE, below, (int)wave)));
#else
	if (LANE == 0)
		part[wave] = x;
	sync();
	T all = part[LANE & (WAVES - 1)];
	all = OP(all, MOVE(DPP, all, XOR1));
	all = OP(all, MOVE(DPP, all, XOR2));
	if (WAVES > 4)
		all = OP(all, MOVE(DPP, all, HALF_MIRROR));
	STORE(dst, i, all);
#endif
}
