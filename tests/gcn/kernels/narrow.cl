/* Bytes and 16-bit words in memory: loads that extend, stores that truncate, halves of
 * registers, packing and unpacking. */
#include "kernel.h"

BLOCK(256)
widen_u8(global const uchar *src, global uint *dst)
{
	uint i = index_in(256);

	dst[i] = src[i] + src[i + 5];
}

BLOCK(256)
widen_i8(global const char *src, global int *dst)
{
	uint i = index_in(256);

	dst[i] = src[i] * src[i + 1];
}

BLOCK(256)
widen_i16(global const short *src, global int *dst)
{
	uint i = index_in(256);

	dst[i] = src[i] - src[i + 1];
}

BLOCK(256)
widen_u16(global const ushort *src, global ulong *dst)
{
	uint i = index_in(256);

	dst[i] = (ulong)src[i] << 20;
}

BLOCK(256)
cut_u8(global const uint *src, global uchar *dst)
{
	uint i = index_in(256);

	dst[i] = src[i] >> 8;
	dst[i + 4096] = src[i];
	dst[i + 8192] = src[i] >> 16;
}

BLOCK(256)
cut_u16(global const uint *src, global ushort *dst)
{
	uint i = index_in(256);

	dst[i] = src[i];
	dst[i + 4096] = src[i] >> 16;
}

/* Two halves of one register from two addresses, and back to two addresses. */
BLOCK(256)
pair_i16(global const short *a, global const short *b, global short2 *dst)
{
	uint i = index_in(256);

	dst[i] = (short2)(a[i], b[i]);
}

BLOCK(256)
pair_i8(global const char *a, global const uchar *b, global short2 *dst)
{
	uint i = index_in(256);

	dst[i] = (short2)(a[i], b[i]) + dst[i];
}

BLOCK(256)
pair_lds(global const short2 *src, global short2 *dst, global const uint *idx)
{
	local short s[512];
	local uchar c[512];
	uint i = item();

	s[i] = src[i].x;
	s[i + 256] = src[i].y;
	c[i] = src[i].x;
	c[i + 256] = src[i].y >> 8;
	sync();
	dst[i] = (short2)(s[idx[i] & 511], c[idx[i] & 511]) +
		 (short2)((char)c[idx[i] >> 9 & 511], s[idx[i] >> 9 & 511]);
}

/* Four pixels of four channels: bytes to floats and back. */
BLOCK(64)
pixels(global const uchar4 *src, global uchar4 *dst, float gain)
{
	uint i = index_in(64);
	float4 v = (float4)(src[i].x, src[i].y, src[i].z, src[i].w) * gain;

	dst[i] = (uchar4)(v.x, v.y, v.z, v.w);
}

BLOCK(64)
pixels_packed(global const float4 *src, global uint *dst)
{
	uint i = index_in(64), v = 0;

	v = __builtin_amdgcn_cvt_pk_u8_f32(src[i].x, 0, v);
	v = __builtin_amdgcn_cvt_pk_u8_f32(src[i].y, 1, v);
	v = __builtin_amdgcn_cvt_pk_u8_f32(src[i].z, 2, v);
	dst[i] = __builtin_amdgcn_cvt_pk_u8_f32(src[i].w, 3, v);
}

/* Sums in 16 bits: packed if both halves do the same, else by halves. */
BLOCK(256)
sums_i16(global const short2 *a, global const short2 *b, global short2 *dst)
{
	uint i = index_in(256);
	short2 v = a[i] * b[i] + dst[i];

	v = __builtin_elementwise_max(v, a[i]);
	v = __builtin_elementwise_min(v, b[i]);
	v = __builtin_elementwise_add_sat(v, a[i] >> (short2)3);
	v = __builtin_elementwise_sub_sat(v, b[i] << (short2)2);
	dst[i] = v;
}

BLOCK(256)
sums_u16(global const ushort2 *a, global const ushort2 *b, global ushort2 *dst)
{
	uint i = index_in(256);
	ushort2 v = a[i] - b[i];

	v = __builtin_elementwise_max(v, a[i] >> b[i]);
	v = __builtin_elementwise_min(v, b[i]);
	v = __builtin_elementwise_add_sat(v, a[i]);
	v = __builtin_elementwise_sub_sat(v, b[i]);
	dst[i] = v;
}

BLOCK(256)
single_i16(global const short *a, global const short *b, global short *dst)
{
	uint i = index_in(256);
	short x = a[i], y = b[i];
	short v = x * y + dst[i];

	v = v < x ? v : x;
	v = v > y ? v : y;
	v ^= x << (y & 15);
	v -= (short)(y >> (x & 15));
	v += (short)((ushort)v >> 3);
	dst[i] = v / 7 + (x == y ? x : (short)(y - x));
}

BLOCK(256)
single_u8(global const uchar *a, global const uchar *b, global uchar *dst)
{
	uint i = index_in(256);
	uchar x = a[i], y = b[i];

	dst[i] = (uchar)(x + y) / 3 + (uchar)(x * y) % 10 + (x > y ? x - y : y - x);
}

/* Parts of words, extracted and combined by bytes. */
BLOCK(256)
bytes_mixed(global const uint *a, global const uint *b, global uint *dst)
{
	uint i = index_in(256), x = a[i], y = b[i];
	ushort lo = (uchar)x + (uchar)(y >> 8), hi = (uchar)(x >> 24) * (uchar)(y >> 16);

	dst[i] = lo | (uint)hi << 16;
	dst[i + 4096] = (x & 0xff) * (y >> 16) + ((x >> 16 & 0xff) ^ (y & 0xffff));
	dst[i + 8192] = (int)(short)x + (int)(char)(y >> 8);
}
