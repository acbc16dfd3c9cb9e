/* Floats of 16 bits, one and two at a time, integers that saturate, and registers by index. */
#include "kernel.h"

static half
half_of(uint bits)
{
	return (half)((float)(short)bits * 0.0078125f);
}

BLOCK(64)
halves(global const uint *in, global half *out, uint n)
{
	uint i = index_in(64);
	half a = half_of(in[i]), b = half_of(in[i + 1]), c = half_of(in[i + 2] >> 16);

	if (i >= n)
		return;
	out[8 * i] = a * b + c;
	out[8 * i + 1] = __builtin_elementwise_fma(a, b, -c);
	out[8 * i + 2] = __builtin_elementwise_min(__builtin_elementwise_max(a * (half)0.03125, (half)0), (half)1);
	out[8 * i + 3] = __builtin_elementwise_floor(a) - __builtin_elementwise_trunc(b);
	out[8 * i + 4] = a < b ? c : __builtin_elementwise_abs(a) + (half)3;
	out[8 * i + 5] = (half)(short)in[i] * (half)0.5 + (half)(ushort)(in[i] & 2047);
	out[8 * i + 6] = (half)((float)a * (float)b + (float)c);
	out[8 * i + 7] = __builtin_elementwise_max(__builtin_elementwise_max(a, b), c);
}

BLOCK(64)
pairs(global const uint *in, global half2 *out, uint n)
{
	uint i = index_in(64);
	half2 a = (half2)(half_of(in[i]), half_of(in[i] >> 16)), b = (half2)(half_of(in[i + 1]), half_of(in[i + 1] >> 16));

	if (i >= n)
		return;
	out[4 * i] = a * b + a.yx;
	out[4 * i + 1] = -a - b.yy;
	out[4 * i + 2] = __builtin_elementwise_fma(a.yx, b, -b);
	out[4 * i + 3] = __builtin_elementwise_max(a, b.xx) * (half)0.5;
}

BLOCK(64)
saturate(global const uint *in, global uint *out, uint n)
{
	uint i = index_in(64);
	uint a = in[i], b = in[i + 1];
	short2 x = __builtin_astype(a, short2), y = __builtin_astype(b, short2);

	if (i >= n)
		return;
	out[8 * i] = __builtin_elementwise_add_sat(a, b);
	out[8 * i + 1] = (uint)__builtin_elementwise_sub_sat((int)a, (int)b);
	out[8 * i + 2] = (ushort)__builtin_elementwise_add_sat((ushort)a, (ushort)b);
	out[8 * i + 3] = (uint)__builtin_elementwise_sub_sat((short)a, (short)b);
	out[8 * i + 4] = __builtin_astype(__builtin_elementwise_add_sat(x, y), uint);
	out[8 * i + 5] = __builtin_astype(x * y + x.yx, uint);
	out[8 * i + 6] = __builtin_astype(__builtin_elementwise_min(x, y) - __builtin_elementwise_max(x, y), uint);
	out[8 * i + 7] = (uint)(short)((int)a < -32768 ? -32768 : (int)a > 32767 ? 32767 : (int)a);
}

/* An array in registers, of which a uniform and a varying index select elements. */
BLOCK(64)
selected(global const uint *in, global uint *out, uint n)
{
	uint i = index_in(64), v[16];

	for (uint k = 0; k < 16; k++)
		v[k] = in[i + k];
	v[in[group()] & 15] += 7;
	if (i < n) {
		out[2 * i] = v[in[group() + 1] & 15];
		out[2 * i + 1] = v[in[i] & 15];
	}
}
