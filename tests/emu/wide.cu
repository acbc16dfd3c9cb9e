// Integers of 64 and 128 bits, and corner cases of 32 and 16 bits.
typedef unsigned long long u64;
typedef long long s64;
extern "C" __global__ void wide(const u64 *in, u64 *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	u64 a = in[i], b = in[(i + 1) % n] >> (a & 63), *o = out + 16 * i;
	unsigned __int128 p = (unsigned __int128)a * b + in[(i + 7) % n];

	o[0] = (u64)p;
	o[1] = (u64)(p >> 64);
	o[2] = b ? a / b : 1;
	o[3] = b ? a % b : 2;
	o[4] = b ? (u64)((s64)a / (s64)(b | 2)) : 3;
	o[5] = b ? (u64)((s64)a % (s64)(b | 2)) : 4;
	o[6] = a << (b & 63) ^ a >> (b & 31);
	o[7] = (u64)((s64)a >> (b & 63));
	o[8] = (u64)__mul64hi((s64)a, (s64)b);
	o[9] = (u64)((s64)a < (s64)b ? (s64)a : (s64)b) + (a > b ? a : b);
	o[10] = (u64)((int)a * (s64)(int)b) + (u64)(unsigned)a * (unsigned)b;
	o[11] = (u64)(((unsigned __int128)a << 64 | b) - p >> 64);
	o[12] = (u64)(short)((short)a * (short)b) + (unsigned short)((unsigned short)a / (unsigned short)(b | 1));
	o[13] = (u64)(signed char)a ^ (u64)(unsigned char)b << 32;
	o[14] = (u64)(unsigned)__mulhi((int)a, (int)b) << 32 | __umulhi((unsigned)a, (unsigned)b);
	o[15] = (u64)(abs((int)a) % ((int)(b & 0xffff) + 1)) + (u64)llabs((s64)a);
}
