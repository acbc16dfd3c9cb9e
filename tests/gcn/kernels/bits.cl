/* Bits: fields, counts, byte permutations, sums of differences, hashes; on the vector
 * unit and, for values that are the same in all lanes, on the scalar unit. */
#include "kernel.h"

BLOCK(64)
fields(global const uint *a, global const uint *b, global uint *dst)
{
	uint i = index_in(64), x = a[i], y = b[i];

	dst[i] = __builtin_amdgcn_ubfe(x, y & 31, 7);
	dst[i + 64] = (uint)__builtin_amdgcn_sbfe((int)x, 3, 11);
	dst[i + 128] = (x & 0xff00ff) | (y & ~0xff00ff);
	dst[i + 192] = (x & y) | (~x & i);
	dst[i + 256] = (x >> 5) & 0x3ff;
	dst[i + 320] = ((1u << (y & 31)) - 1) << (x & 31);
	dst[i + 384] = (uint)((int)(x << 12) >> 20);
}

BLOCK(64)
counts(global const uint *a, global const ulong *b, global uint *dst)
{
	uint i = index_in(64), x = a[i];
	ulong y = b[i];

	dst[i] = (uint)__builtin_popcount(x) + i;
	dst[i + 64] = x ? (uint)__builtin_clz(x) : 32;
	dst[i + 128] = x ? (uint)__builtin_ctz(x) : 32;
	dst[i + 192] = (uint)__builtin_popcountll(y);
	dst[i + 256] = y ? (uint)__builtin_clzll(y) : 64;
	dst[i + 320] = (uint)__builtin_ctzll(y);
	dst[i + 384] = (uint)__builtin_clrsb((int)x);
	dst[i + 448] = (uint)__builtin_parity(x);
}

BLOCK(64)
turned(global const uint *a, global const ulong *b, global uint *dst, global ulong *wide)
{
	uint i = index_in(64), x = a[i];

	dst[i] = __builtin_elementwise_bitreverse(x);
	dst[i + 64] = __builtin_bswap32(x);
	dst[i + 128] = x << 13 | x >> 19;
	dst[i + 192] = x << (i & 31) | x >> (-i & 31);
	dst[i + 256] = __builtin_bswap16((ushort)x);
	wide[i] = __builtin_bswap64(b[i]);
	wide[i + 64] = __builtin_elementwise_bitreverse(b[i]);
	wide[i + 128] = b[i] << 23 | b[i] >> 41;
}

BLOCK(64)
bytes(global const uint *a, global const uint *b, global uint *dst)
{
	uint i = index_in(64), x = a[i], y = b[i];

	dst[i] = __builtin_amdgcn_perm(x, y, 0x07020501);
	dst[i + 64] = __builtin_amdgcn_perm(x, y, x ^ i);
	dst[i + 128] = __builtin_amdgcn_alignbit(x, y, 11);
	dst[i + 192] = __builtin_amdgcn_alignbyte(x, y, i);
	dst[i + 256] = __builtin_amdgcn_lerp(x, y, 0x01010101);
	dst[i + 320] = (x & 0xffff) | y << 16;
	dst[i + 384] = x >> 16 | (y & 0xffff0000);
}

BLOCK(64)
differences(global const uint *a, global const uint *b, global uint *dst, global ulong *wide,
	    global const ulong *c, global uint4 *quad)
{
	uint i = index_in(64), x = a[i], y = b[i], sum = dst[i];

	sum = __builtin_amdgcn_sad_u8(x, y, sum);
	sum = __builtin_amdgcn_sad_hi_u8(y, x, sum);
	sum = __builtin_amdgcn_sad_u16(x, y, sum);
	sum = __builtin_amdgcn_msad_u8(x, y, sum);
	dst[i] = sum + (x > y ? x - y : y - x);
	wide[i] = __builtin_amdgcn_qsad_pk_u16_u8(c[i], x, wide[i]);
	wide[i + 64] = __builtin_amdgcn_mqsad_pk_u16_u8(c[i], y, wide[i]);
	quad[i] = __builtin_amdgcn_mqsad_u32_u8(c[i], x, quad[i]);
}

/* The same for all lanes: the scalar unit's forms. */
BLOCK(64)
scalar_bits(global uint *dst, uint a, uint b, ulong c, ulong d)
{
	uint r = 0;

	r += (uint)__builtin_popcount(a) + (uint)__builtin_popcountll(c);
	r ^= (uint)__builtin_clz(a | 1) * (uint)__builtin_ctz(b | 0x80000000);
	r += (uint)__builtin_clzll(c | 1) + (uint)__builtin_ctzll(d | 1);
	r ^= __builtin_elementwise_bitreverse(a);
	r += (a >> 5 & 0x7f) + (uint)((int)(b << 7) >> 19);
	r ^= (a & ~b) + (b | ~a);
	r += ~(a & b) ^ ~(a | b);
	r ^= a << (b & 31) | a >> (-b & 31);
	r += __builtin_elementwise_min(a, b) + __builtin_elementwise_max((int)a, (int)b);
	r ^= (uint)((ulong)a * b >> 32) + (uint)((long)(int)a * (int)b >> 32);
	r += __builtin_elementwise_abs((int)a);
	r ^= (a << 1) + (b << 2) + (a << 3) + (b << 4);
	r += (a & 0xffff) | b << 16;
	r ^= a >> 16 | (b & 0xffff0000);
	r += (uint)(char)a + (uint)(short)b;
	c = (c << (a & 63)) + (d >> (b & 63)) + (ulong)((long)c >> 9);
	c ^= __builtin_elementwise_bitreverse(d) & ~c;
	c |= ~(c ^ d);
	c += (c & 0xffffffff0000ul) - (a > b ? d : c);
	dst[index_in(64)] = r + (uint)c + (uint)(c >> 32);
}

BLOCK(64)
scalar_compares(global int *dst, int a, int b, long c, long d, float f, float g, half h, half k)
{
	int r = 0;

	if (a < b)
		r = a * 5;
	else if (a <= b + 4)
		r = b + 8;
	r += (uint)a > (uint)b ? a : b;
	r += (uint)a >= 77 ? 3 : b;
	r += a == b - 3 ? 1 : a;
	r += c == d ? 9 : b;
	r += c != d + 1 ? a : 4;
	r += c < d ? a - b : 2;
	r += (a & 1 << (b & 31)) ? 3 : a;
	r += f < g ? a : b;
	r += f * g + 1.5f > g ? 4 : a;
	r += h + k < h * k ? b : 7;
	dst[index_in(64)] = r;
}

uint quad_mask(uint v) INTRINSIC("s.quadmask.i32");
uint whole_quads(uint v) INTRINSIC("s.wqm.i32");
ulong replicate(uint v) INTRINSIC("s.bitreplicate");

BLOCK(64)
scalar_masks(global ulong *dst, uint a)
{
	dst[index_in(64)] = replicate(quad_mask(a) + whole_quads(a ^ 0x10101));
}

/* Two different hashes, and one mixing round of a cipher without tables. */
BLOCK(256)
hash_murmur(global const uint *src, global uint *dst, uint seed)
{
	uint i = index_in(256), h = seed;

	for (uint k = 0; k < 4; k++) {
		uint v = src[i * 4 + k] * 0xcc9e2d51u;
		v = (v << 15 | v >> 17) * 0x1b873593u;
		h ^= v;
		h = (h << 13 | h >> 19) * 5 + 0xe6546b64u;
	}
	h ^= h >> 16;
	h *= 0x85ebca6bu;
	h ^= h >> 13;
	dst[i] = h;
}

BLOCK(64)
hash_sha256_round(global uint8 *state, global const uint *w, constant uint *k)
{
	uint i = index_in(64);
	uint8 s = state[i];

	for (uint t = 0; t < 64; t++) {
		uint e = s.s4, a = s.s0;
		uint s1 = (e >> 6 | e << 26) ^ (e >> 11 | e << 21) ^ (e >> 25 | e << 7);
		uint ch = (e & s.s5) ^ (~e & s.s6);
		uint t1 = s.s7 + s1 + ch + k[t] + w[t * 64 + item()];
		uint s0 = (a >> 2 | a << 30) ^ (a >> 13 | a << 19) ^ (a >> 22 | a << 10);
		uint maj = (a & s.s1) ^ (a & s.s2) ^ (s.s1 & s.s2);
		s = (uint8)(t1 + s0 + maj, s.s0, s.s1, s.s2, s.s3 + t1, s.s4, s.s5, s.s6);
	}
	state[i] += s;
}

BLOCK(64)
crc32(global const uchar *src, global uint *dst, uint n)
{
	uint c = ~0u;

	for (uint k = 0; k < n; k++) {
		c ^= src[k * 64 + item()];
		for (int b = 0; b < 8; b++)
			c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
	}
	dst[item()] = ~c;
}

#if HAS(bitop3_b32)
/* Any function of three bits: gfx950. */
BLOCK(64)
bit_functions(global const uint *a, global const uint *b, global uint *dst)
{
	uint i = index_in(64);

	dst[i] = __builtin_amdgcn_bitop3_b32(a[i], b[i], dst[i], 0x96);
	dst[i + 64] = __builtin_amdgcn_bitop3_b32(a[i], b[i], i, 0x2e);
	dst[i + 128] = __builtin_amdgcn_bitop3_b16((short)a[i], (short)b[i], (short)i, 0xe4);
}
#endif
