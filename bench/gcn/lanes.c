/* A result that is an expression of the value x, by RESULT; its type R has WORDS_R words. */
KERNEL(64)
NAME(uint4 src, uint4 dst, TAIL)
{
	uint i = BLOCK_IDX * 64 + THREAD;
	T x = LOAD(src, i);
	PASTE(STORE, WORDS_R)(dst, i, (EXPRESSION));
}
