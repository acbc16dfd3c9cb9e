/* Integers of 32 and 64 bits: products, quotients, shifts, carries, saturation. */
#include "kernel.h"

BLOCK(64)
i32_basic(global const int *a, global const int *b, global int *dst)
{
	uint i = index_in(64);
	int x = a[i], y = b[i];

	dst[i] = x + y * 3;
	dst[i + 64] = x - y;
	dst[i + 128] = x * y + i;
	dst[i + 192] = (x << (y & 31)) + (x >> (i & 31));
	dst[i + 256] = (int)((uint)x >> (y & 31)) | 0x1234567;
	dst[i + 320] = x & ~y;
	dst[i + 384] = ~(x ^ y);
	dst[i + 448] = __builtin_elementwise_abs(x) - __builtin_elementwise_min(x, y);
	dst[i + 512] = __builtin_elementwise_max(__builtin_elementwise_max(x, y), (int)i);
	dst[i + 576] = __builtin_elementwise_max(__builtin_elementwise_min(x, 255), 0);
	dst[i + 640] = -x + (x > 0) - (x < 0);
}

BLOCK(64)
i32_fused(global const uint *a, global const uint *b, global const uint *c, global uint *dst)
{
	uint i = index_in(64), x = a[i], y = b[i], z = c[i];

	dst[i] = (x << 5) + y;
	dst[i + 64] = (x + y) << 3;
	dst[i + 128] = x + y + z;
	dst[i + 192] = (x << 7) | y;
	dst[i + 256] = (x & y) | z;
	dst[i + 320] = x | y | z;
	dst[i + 384] = (x ^ y) + z;
	dst[i + 448] = x ^ y ^ z;
	dst[i + 512] = __builtin_elementwise_min(__builtin_elementwise_min(x, y), z);
	dst[i + 576] = __builtin_elementwise_max(__builtin_elementwise_max(x, y), z);
	dst[i + 640] = (x & 0xffffff) * (y & 0xffffff) + z;
	dst[i + 704] = (uint)(((int)(x << 8) >> 8) * ((int)(y << 8) >> 8)) + z;
	dst[i + 768] = (uint)((ulong)(x & 0xffffff) * (y & 0xffffff) >> 32);
}

BLOCK(64)
u32_divided(global const uint *a, global const uint *b, global uint *dst)
{
	uint i = index_in(64), x = a[i], y = b[i];

	dst[i] = x / y;
	dst[i + 64] = x % y;
	dst[i + 128] = x / 7 + x % 10;
	dst[i + 192] = x / 641;
}

BLOCK(64)
i32_divided(global const int *a, global const int *b, global int *dst)
{
	uint i = index_in(64);
	int x = a[i], y = b[i];

	dst[i] = x / y;
	dst[i + 64] = x % y;
	dst[i + 128] = x / 8 + x % 3;
	dst[i + 192] = (x & 0xffff) / (y & 0xffff);
}

BLOCK(64)
u32_high(global const uint *a, global const uint *b, global uint *dst)
{
	uint i = index_in(64);

	dst[i] = (uint)((ulong)a[i] * b[i] >> 32);
	dst[i + 64] = (uint)((long)(int)a[i] * (int)b[i] >> 32);
	dst[i + 128] = (uint)((ulong)a[i] * 0xcccccccd >> 35);
}

BLOCK(64)
saturated(global const int *a, global const uint *b, global int *s, global uint *u)
{
	uint i = index_in(64);

	s[i] = __builtin_elementwise_add_sat(a[i], a[i + 64]);
	s[i + 64] = __builtin_elementwise_sub_sat(a[i], a[i + 64]);
	u[i] = __builtin_elementwise_add_sat(b[i], b[i + 64]);
	u[i + 64] = __builtin_elementwise_sub_sat(b[i], b[i + 64]);
}

BLOCK(64)
i64_basic(global const long *a, global const long *b, global long *dst)
{
	uint i = index_in(64);
	long x = a[i], y = b[i];

	dst[i] = x + y;
	dst[i + 64] = x - y;
	dst[i + 128] = x * y;
	dst[i + 192] = x << (y & 63);
	dst[i + 256] = x >> (y & 63);
	dst[i + 320] = (long)((ulong)x >> (y & 63));
	dst[i + 384] = (x & y) | ~(x ^ y);
	dst[i + 448] = __builtin_elementwise_max(x, y) - __builtin_elementwise_min(x, y);
	dst[i + 512] = (long)__builtin_elementwise_max((ulong)x, (ulong)y);
	dst[i + 576] = -x;
	dst[i + 640] = (x << 3) + y;
	dst[i + 704] = __builtin_elementwise_abs(x);
}

BLOCK(64)
i64_compared(global const long *a, global const long *b, global int *dst)
{
	uint i = index_in(64);
	long x = a[i], y = b[i];
	int r = 0;

	r += x < y ? 1 : 20;
	r += x <= y ? 3 : 4;
	r += x == y ? 7 : 9;
	r += x != y ? 2 : 5;
	r += x > 100 ? 11 : 12;
	r += (ulong)x < (ulong)y ? 13 : 14;
	r += (ulong)x >= 77 ? 15 : 16;
	dst[i] = r;
}

BLOCK(64)
i64_divided(global const long *a, global const long *b, global long *dst)
{
	uint i = index_in(64);

	dst[i] = a[i] / b[i];
	dst[i + 64] = a[i] % 1000;
}

BLOCK(64)
u64_divided(global const ulong *a, global const ulong *b, global ulong *dst)
{
	uint i = index_in(64);

	dst[i] = a[i] % b[i];
	dst[i + 64] = a[i] / 10;
}

BLOCK(64)
u64_high(global const ulong *a, global const ulong *b, global ulong *dst)
{
	uint i = index_in(64);

	dst[i] = (ulong)((unsigned __int128)a[i] * b[i] >> 64);
	dst[i + 64] = (ulong)((__int128)(long)a[i] * (long)b[i] >> 64);
}

/* 256-bit numbers by carries. */
BLOCK(64)
carries(global const uint8 *a, global const uint8 *b, global uint8 *dst)
{
	uint i = index_in(64);
	uint8 x = a[i], y = b[i], z;
	ulong c = 0;

#pragma unroll
	for (uint k = 0; k < 8; k++) {
		c += (ulong)x[k] + y[k];
		z[k] = (uint)c;
		c >>= 32;
	}
	dst[i] = z;
	c = 0;
#pragma unroll
	for (uint k = 0; k < 8; k++) {
		c += (ulong)x[k] * y[0] + z[k];
		z[k] = (uint)c;
		c >>= 32;
	}
	dst[i + 64] = z;
}

BLOCK(256)
modular_power(global const uint *base, global uint *dst, uint exponent, uint modulus)
{
	uint i = index_in(256), r = 1, b = base[i];

	for (uint e = exponent; e; e >>= 1) {
		if (e & 1)
			r = (uint)((ulong)r * b % modulus);
		b = (uint)((ulong)b * b % modulus);
	}
	dst[i] = r;
}

BLOCK(256)
random_numbers(global ulong *state, global uint *dst, uint n)
{
	ulong s = state[index_in(256)];

	for (uint k = 0; k < n; k++) {
		ulong old = s;
		s = old * 6364136223846793005ul + 1442695040888963407ul;
		uint x = (uint)(((old >> 18) ^ old) >> 27), r = (uint)(old >> 59);
		dst[k * 256 + item()] = x >> r | x << (-r & 31);
	}
	state[index_in(256)] = s;
}
