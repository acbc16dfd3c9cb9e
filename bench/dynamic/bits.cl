#include "dynamic.h"

FN u32
rotate(u32 x, u32 n)
{
	return x >> n | x << (32 - n);
}

BLOCK(256) hash(IN u32 *R src, G u32 *R dst, u32 seed, u32 n)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < n) {
		u32 k = src[i] * 0xcc9e2d51, h;
		k = rotate(k, 17) * 0x1b873593;
		h = rotate(seed ^ k, 19) * 5 + 0x52dce729;
		h ^= h >> 16;
		h *= 0x85ebca6b;
		h ^= h >> 13;
		h *= 0xc2b2ae35;
		dst[i] = h ^ h >> 16;
	}
}

BLOCK(64) sha256(IN u32 *R src, IN u32 *R k, G u32 *R dst, u32 n)
{
	u32 i = BLOCK_IDX * 64 + THREAD;

	if (i < n) {
		u32 w[16];
		u32 a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a;
		u32 e = 0x510e527f, f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19;
		for (u32 j = 0; j < 16; j++)
			w[j] = src[i * 16 + j];
		for (u32 r = 0; r < 64; r++) {
			u32 t1 = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + k[r] + w[0];
			u32 t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
			u32 s0 = rotate(w[1], 7) ^ rotate(w[1], 18) ^ w[1] >> 3;
			u32 s1 = rotate(w[14], 17) ^ rotate(w[14], 19) ^ w[14] >> 10;
			u32 next = w[0] + s0 + w[9] + s1;
			h = g;
			g = f;
			f = e;
			e = d + t1;
			d = c;
			c = b;
			b = a;
			a = t1 + t2;
			for (u32 j = 0; j < 15; j++)
				w[j] = w[j + 1];
			w[15] = next;
		}
		dst[i] = a + 0x6a09e667;
	}
}

BLOCK(256) crc32(IN u32 *R src, G u32 *R dst, u32 n)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < n) {
		u32 crc = ~0u;
		for (u32 k = 0; k < 8; k++) {
			crc ^= src[i * 8 + k];
			for (u32 bit = 0; bit < 32; bit++)
				crc = crc >> 1 ^ (0xedb88320 & (0 - (crc & 1)));
		}
		dst[i] = ~crc;
	}
}

BLOCK(256) crc_table(IN u32 *R src, IN u32 *R table, G u32 *R dst, u32 n)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < n) {
		u32 crc = ~0u;
		for (u32 k = 0; k < 8; k++) {
			u32 word = src[i * 8 + k];
			for (u32 j = 0; j < 4; j++)
				crc = table[(crc ^ word >> 8 * j) & 255] ^ crc >> 8;
		}
		dst[i] = ~crc;
	}
}

BLOCK(256) bit_tricks(IN u32 *R src, G u32 *R dst, u32 n)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < n) {
		u32 x = src[i], low = x & (0 - x), parity = POPCOUNT(x) & 1, gray = x ^ x >> 1;
		u32 zeros = CLZ(x);
		dst[i] = (zeros << 24 | (u32)POPCOUNT(low - 1) << 16 | parity << 8) ^ gray;
	}
}

BLOCK(256) base64(IN u32 *R src, IN u32 *R alphabet, G u32 *R dst, u32 n)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < n) {
		u32 x = src[i] & 0xffffff;
		dst[i] = alphabet[x >> 18] | alphabet[x >> 12 & 63] << 8 | alphabet[x >> 6 & 63] << 16 | alphabet[x & 63] << 24;
	}
}

BLOCK(256) search(IN u32 *R text, G u32 *R dst, u32 pattern, u32 n)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < n) {
		u32 at = 64;
		for (u32 k = 0; k < 16; k++) {
			u64 word = (u64)text[i * 16 + k] | (u64)text[i * 16 + k + 1] << 32;
			for (u32 j = 0; j < 4; j++)
				if ((u32)(word >> 8 * j) == pattern && at == 64)
					at = k * 4 + j;
		}
		dst[i] = at;
	}
}

BLOCK(256) morton(IN u32 *R x, IN u32 *R y, G u32 *R dst, u32 n)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < n) {
		u32 a = x[i] & 0xffff, b = y[i] & 0xffff;
		a = (a | a << 8) & 0x00ff00ff;
		a = (a | a << 4) & 0x0f0f0f0f;
		a = (a | a << 2) & 0x33333333;
		a = (a | a << 1) & 0x55555555;
		b = (b | b << 8) & 0x00ff00ff;
		b = (b | b << 4) & 0x0f0f0f0f;
		b = (b | b << 2) & 0x33333333;
		b = (b | b << 1) & 0x55555555;
		dst[i] = a | b << 1;
	}
}

BLOCK(256) monte_carlo(G u32 *R dst, u32 seed, u32 n)
{
	u32 i = BLOCK_IDX * 256 + THREAD;

	if (i < n) {
		u32 s = (i * 0x9e3779b9 + seed) | 1, hits = 0;
		for (u32 k = 0; k < 32; k++) {
			s ^= s << 13;
			s ^= s >> 17;
			s ^= s << 5;
			u32 x = s & 0xffff, y = s >> 16;
			hits += (u32)(x * x + y * y / 2 < 0x7fffffff);
		}
		dst[i] = hits;
	}
}
