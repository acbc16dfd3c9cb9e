/* Stores EXPRESSION, of WORDS_R words, of the loaded value x. */
KERNEL(64)
NAME(uint4 src, uint4 dst, TAIL)
{
	uint i = BLOCK_IDX * 64 + THREAD;
	T x = LOAD(src, i);
	PASTE(STORE, WORDS_R)(dst, i, (EXPRESSION));
}
