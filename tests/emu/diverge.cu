// Loops with different trip counts per lane, breaks out of two loops at once, a switch.
extern "C" __global__ void collatz(const unsigned *in, unsigned *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned v = in[i] % 1000 + 1, steps = 0, top = v;
	while (v != 1) {
		v = v & 1 ? 3 * v + 1 : v / 2;
		top = max(top, v);
		steps++;
	}
	out[2 * i] = steps;
	out[2 * i + 1] = top;
}

// Finds the pair below v whose product is nearest to it; leaves both loops at an exact match.
extern "C" __global__ void factors(const unsigned *in, unsigned *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned v = in[i] % 400 + 2, best = 0;
	#pragma unroll 1
	for (unsigned a = 2; a < 20; a++) {
		#pragma unroll 1
		for (unsigned b = a; b < 20; b++) {
			unsigned p = a * b;
			if (p > v)
				break;
			best = max(best, p);
			if (p == v)
				goto exact;
		}
	}
	best |= 0x80000000u;
exact:
	switch (v % 7) {
	case 0: best += 11; break;
	case 1: best ^= 0x55; break;
	case 2: best = best * 3 + v; break;
	case 3: best -= v; break;
	case 4: best = __brev(best); break;
	case 5: best = ~best; break;
	default: break;
	}
	out[i] = best;
}
