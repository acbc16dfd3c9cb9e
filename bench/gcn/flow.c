/* Kernels without communication between lanes. */
KERNEL(256)
copy(uint4 src, uint4 dst, TAIL)
{
	uint i = BLOCK_IDX * 256 + THREAD;

	if (i < src.z)
		STORE1(dst, i, LOAD1(uint, src, i));
}

KERNEL(256)
saxpy(uint4 x, uint4 y, float f, TAIL)
{
	uint i = BLOCK_IDX * 256 + THREAD;

	if (i < x.z)
		STORE1(y, i, f * LOAD1(float, x, i) + LOAD1(float, y, i));
}

KERNEL(256)
branch(uint4 src, uint4 dst, TAIL)
{
	uint i = BLOCK_IDX * 256 + THREAD;

	if (i < src.z) {
		int x = LOAD1(int, src, i);
		if (x > 7)
			STORE1(dst, i, LOAD1(int, src, (uint)x));
		else
			STORE1(dst, i, -x);
	}
}

KERNEL(256)
collatz(uint4 src, uint4 dst, TAIL)
{
	uint i = BLOCK_IDX * 256 + THREAD;

	if (i < src.z) {
		uint x = LOAD1(uint, src, i), count = 0;
		while (x > 1) {
			if (x & 1)
				x = 3 * x + 1;
			else
				x >>= 1;
			count++;
		}
		STORE1(dst, i, count);
	}
}

KERNEL(256)
row_sums(uint4 src, uint4 dst, uint n, TAIL)
{
	uint i = BLOCK_IDX * 256 + THREAD;

	if (i < dst.z) {
		float sum = 0;
		for (uint j = 0; j < n; j++)
			sum += LOAD1(float, src, i * n + j);
		STORE1(dst, i, sum);
	}
}

KERNEL(64)
elect(uint4 src, uint4 dst, TAIL)
{
	uint i = BLOCK_IDX * 64 + THREAD;

	if (LANE == 0)
		STORE1(dst, i, LOAD1(uint, src, i));
}
