/* Memory, loops that lanes leave at different times, integers. */
#include "kernel.h"

BLOCK(64)
copy(global const uint *in, global uint *out, uint n)
{
	uint i = index_in(64);

	if (i < n)
		out[i] = in[i];
}

BLOCK(64)
gather(global const uint *in, global uint *out, uint n)
{
	uint i = index_in(64);

	if (i < n)
		out[i] = in[in[i] & 1023] + in[i + 7];
}

BLOCK(64)
collatz(global const uint *in, global uint *out, uint n)
{
	uint i = index_in(64), x = in[i] & 0xffff, steps = 0;

	if (i >= n)
		return;
	while (x > 1) {
		x = x & 1 ? 3 * x + 1 : x / 2;
		steps++;
	}
	out[i] = steps;
}

/* Loops in loops, left from inside. */
BLOCK(64)
nested(global const uint *in, global uint *out, uint n)
{
	uint i = index_in(64), sum = 0;

	for (uint a = 0; a < (in[i] & 7); a++) {
		for (uint b = a; b < 20; b++) {
			uint v = in[(i + a * b) & 1023];
			if ((v & 15) == 3)
				break;
			if (v & 1)
				continue;
			sum += v ^ b;
			if (sum & 64)
				goto out;
		}
		sum = sum * 3 + 1;
	}
out:
	if (i < n)
		out[i] = sum;
}

BLOCK(64)
divide(global const uint *in, global uint *out, uint n)
{
	uint i = index_in(64), a = in[i], b = in[i + 64] | 1;
	int c = (int)a, d = (int)(b >> (i & 31) | 1);

	if (i >= n)
		return;
	out[4 * i] = a / b;
	out[4 * i + 1] = a % (b >> 7 | 1);
	out[4 * i + 2] = (uint)(c / d);
	out[4 * i + 3] = (uint)(c % d) + a / 10;
}

BLOCK(64)
wide(global const uint *in, global uint *out, uint n)
{
	uint i = index_in(64);
	ulong a = in[i] | (ulong)in[i + 1] << 32, b = in[i + 2] | (ulong)in[i + 3] << 32;
	global ulong *o = (global ulong *)out;

	if (i >= n)
		return;
	o[4 * i] = a * b + (a - b);
	o[4 * i + 1] = (a << (b & 63)) ^ (ulong)((long)b >> (a & 63)) ^ a >> (b >> 8 & 63);
	o[4 * i + 2] = (a < b ? a : b) + ((long)a < (long)b ? 1u : 2u);
	o[4 * i + 3] = (ulong)((long)(int)in[i] * (int)in[i + 1]) - (a == b);
}

BLOCK(64)
bits(global const uint *in, global uint *out, uint n)
{
	uint i = index_in(64), a = in[i], b = in[i + 1];

	if (i >= n)
		return;
	out[4 * i] = __builtin_popcount(a) + (a ? __builtin_clz(a) * 64 : 7);
	out[4 * i + 1] = __builtin_bitreverse32(a) ^ (b ? __builtin_ctz(b) : 99);
	out[4 * i + 2] = (a >> 5 & 0x7f) | (a & ~b) << 3 | (uint)((int)(a << 9) >> 23);
	out[4 * i + 3] = (a << (b & 31) | a >> (-b & 31)) + __builtin_bswap32(b);
}

BLOCK(64)
narrow(global const uint *in, global uint *out, uint n)
{
	uint i = index_in(64);
	global const uchar *b = (global const uchar *)in;
	global const short *s = (global const short *)in;
	global ushort *o = (global ushort *)out;
	global uchar *p = (global uchar *)(out + 1024);

	if (i >= n)
		return;
	o[2 * i] = (ushort)(b[i] * b[i + 1] + s[i]);
	o[2 * i + 1] = (ushort)(s[i] < s[i + 1] ? s[i] - b[i] : s[i + 1] >> 3);
	p[i] = (uchar)(b[i] + b[3 * i] - (signed char)b[i + 5]);
}
