/* Reference results of kernels with numbers and bits, from the definitions of CUDA. */
#include <fenv.h>
#include <math.h>
#include <stdlib.h>

#include "emu_want.h"

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

/* -- Numbers ------------------------------------------------------------------------------ */

static int32_t
abs_of(uint32_t v)
{
	return (int32_t)(v >> 31 ? 0 - v : v);
}

WANT(want_wide)
{
	for (uint32_t i = 0; i < k->n; i++) {
		uint64_t a = m->in.d[i], b = m->in.d[(i + 1) % k->n] >> (a & 63),
			 *o = &want->out.d[16 * i];
		u128 p = (u128)a * b + m->in.d[(i + 7) % k->n];
		int64_t sa = (int64_t)a, sb = (int64_t)b;

		o[0] = (uint64_t)p;
		o[1] = (uint64_t)(p >> 64);
		o[2] = b ? a / b : 1;
		o[3] = b ? a % b : 2;
		o[4] = b ? (uint64_t)(sa / (int64_t)(b | 2)) : 3;
		o[5] = b ? (uint64_t)(sa % (int64_t)(b | 2)) : 4;
		o[6] = (a << (b & 63)) ^ (a >> (b & 31));
		o[7] = (uint64_t)(sa >> (b & 63));
		o[8] = (uint64_t)((s128)sa * sb >> 64);
		o[9] = (uint64_t)(sa < sb ? sa : sb) + (a > b ? a : b);
		o[10] = (uint64_t)((int32_t)a * (int64_t)(int32_t)b) +
			(uint64_t)(uint32_t)a * (uint32_t)b;
		o[11] = (uint64_t)((((u128)a << 64 | b) - p) >> 64);
		o[12] = (uint64_t)(int16_t)(uint16_t)((uint32_t)(uint16_t)a * (uint16_t)b) +
			(uint16_t)a / (uint32_t)(uint16_t)(b | 1);
		o[13] = (uint64_t)(int8_t)a ^ (uint64_t)(uint8_t)b << 32;
		o[14] = (uint64_t)(uint32_t)((int64_t)(int32_t)a * (int32_t)b >> 32) << 32 |
			(uint32_t)((uint64_t)(uint32_t)a * (uint32_t)b >> 32);
		o[15] = (uint64_t)(abs_of((uint32_t)a) % ((int32_t)(b & 0xffff) + 1)) +
			(sa < 0 ? 0 - a : a);
	}
}

static uint64_t
bits64_of(double f)
{
	uint64_t v;

	memcpy(&v, &f, 8);
	return v;
}

enum what { ADD, MUL, FMA, DIV, SQRT, RCP, FROM_S32, FROM_U32, TO_F32 };

/* Computes one operation in a rounding mode. volatile keeps the computation between the calls of
 * fesetround. */
static float
real32(enum what what, int mode, float a, float b, float c)
{
	volatile float x = a, y = b, z = c, r = 0;

	fesetround(mode);
	switch (what) {
	case ADD: r = x + y; break;
	case MUL: r = x * y; break;
	case FMA: r = fmaf(x, y, z); break;
	case DIV: r = x / y; break;
	case SQRT: r = sqrtf(x); break;
	case RCP: r = 1 / x; break;
	case FROM_S32: r = (float)(int32_t)f32_bits(x); break;
	case FROM_U32: r = (float)f32_bits(x); break;
	default: break;
	}
	fesetround(FE_TONEAREST);
	return r;
}

static double
real64(enum what what, int mode, double a, double b, double c)
{
	volatile double x = a, y = b, z = c, r = 0;

	fesetround(mode);
	switch (what) {
	case ADD: r = x + y; break;
	case MUL: r = x * y; break;
	case FMA: r = fma(x, y, z); break;
	case DIV: r = x / y; break;
	case SQRT: r = sqrt(x); break;
	case FROM_S32: r = (double)(int64_t)bits64_of(x); break;
	case TO_F32: r = (double)(float)x; break;
	default: break;
	}
	fesetround(FE_TONEAREST);
	return r;
}

static double
least(double a, double b)
{
	return isnan(a) ? b : isnan(b) ? a : a == b ? (signbit(a) ? a : b) : a < b ? a : b;
}
static double
greatest(double a, double b)
{
	return isnan(a) ? b : isnan(b) ? a : a == b ? (signbit(a) ? b : a) : a > b ? a : b;
}

static double
clamped(double v, double lo, double hi)
{
	return isnan(v) ? 0 : v < lo ? lo : v > hi ? hi : v;
}

WANT(want_real32)
{
	for (uint32_t i = 0; i < k->n; i++) {
		float a = m->in.f[i], b = m->in.f[(i + 1) % k->n], c = m->in.f[(i + 2) % k->n];
		uint32_t *o = &want->out.w[24 * i];

		*o++ = f32_bits(real32(ADD, FE_TONEAREST, a, b, c));
		*o++ = f32_bits(real32(ADD, FE_TOWARDZERO, a, b, c));
		*o++ = f32_bits(real32(ADD, FE_UPWARD, a, b, c));
		*o++ = f32_bits(real32(ADD, FE_DOWNWARD, a, b, c));
		*o++ = f32_bits(real32(MUL, FE_TONEAREST, a, b, c));
		*o++ = f32_bits(real32(MUL, FE_TOWARDZERO, a, b, c));
		*o++ = f32_bits(real32(MUL, FE_UPWARD, a, b, c));
		*o++ = f32_bits(real32(MUL, FE_DOWNWARD, a, b, c));
		*o++ = f32_bits(real32(FMA, FE_TONEAREST, a, b, c));
		*o++ = f32_bits(real32(FMA, FE_UPWARD, a, b, c));
		*o++ = f32_bits(real32(DIV, FE_TONEAREST, a, b, c));
		*o++ = f32_bits(real32(DIV, FE_DOWNWARD, a, b, c));
		*o++ = f32_bits(real32(SQRT, FE_TONEAREST, a, b, c));
		*o++ = f32_bits(real32(SQRT, FE_UPWARD, a, b, c));
		*o++ = f32_bits(real32(RCP, FE_TONEAREST, a, b, c));
		*o++ = f32_bits((float)least(a, b));
		*o++ = f32_bits((float)greatest(a, b));
		*o++ = f32_bits(isnan(a) || a <= 0 ? 0 : a > 1 ? 1 : a);
		*o++ = (uint32_t)(int32_t)clamped(rint(a), INT32_MIN, INT32_MAX);
		*o++ = (uint32_t)clamped(trunc(b), 0, UINT32_MAX);
		*o++ = f32_bits(real32(FROM_S32, FE_DOWNWARD, a, b, c));
		*o++ = f32_bits(real32(FROM_U32, FE_UPWARD, a, b, c));
		*o++ = f32_bits(floorf(a));
		*o++ = f32_bits(copysignf(rintf(a), b));
	}
}

/* Replaces every NaN with the same one, because the bits are undefined. */
void
settle_real32(const struct emu_kernel *k, struct emu_memory *m)
{
	for (uint32_t i = 0; i < 24 * k->n; i++)
		if (i % 24 != 18 && i % 24 != 19 && (m->out.w[i] & 0x7fffffff) > 0x7f800000)
			m->out.w[i] = 0x7fffffff;
}

WANT(want_real64)
{
	for (uint32_t i = 0; i < k->n; i++) {
		double a = m->in.g[i], b = m->in.g[(i + 1) % k->n], c = m->in.g[(i + 2) % k->n];
		double near = rint(a), down = floor(a);
		uint64_t *o = &want->out.d[16 * i];

		*o++ = bits64_of(real64(ADD, FE_TONEAREST, a, b, c));
		*o++ = bits64_of(real64(ADD, FE_UPWARD, a, b, c));
		*o++ = bits64_of(real64(MUL, FE_TONEAREST, a, b, c));
		*o++ = bits64_of(real64(MUL, FE_TOWARDZERO, a, b, c));
		*o++ = bits64_of(real64(FMA, FE_TONEAREST, a, b, c));
		*o++ = bits64_of(real64(FMA, FE_DOWNWARD, a, b, c));
		*o++ = bits64_of(real64(DIV, FE_TONEAREST, a, b, c));
		*o++ = bits64_of(real64(SQRT, FE_TONEAREST, a, b, c));
		*o++ = bits64_of(least(a, b));
		*o++ = bits64_of(greatest(a, b));
		*o++ = isnan(a)		? 0
		       : near >= 0x1p63 ? INT64_MAX
		       : near < -0x1p63 ? UINT64_C(1) << 63
					: (uint64_t)(int64_t)near;
		*o++ = isnan(a) || down < 0 ? 0 : down >= 0x1p64 ? UINT64_MAX : (uint64_t)down;
		*o++ = f32_bits((float)real64(TO_F32, FE_UPWARD, a, b, c));
		*o++ = bits64_of(real64(FROM_S32, FE_TOWARDZERO, a, b, c));
		*o++ = a < b ? 1 : a > b ? 2 : a == b ? 3 : 4;
		*o++ = bits64_of(trunc(c));
	}
}

void
settle_real64(const struct emu_kernel *k, struct emu_memory *m)
{
	for (uint32_t i = 0; i < 16 * k->n; i++) {
		uint32_t at = i % 16;

		if (at == 12 && (m->out.d[i] & 0x7fffffff) > 0x7f800000)
			m->out.d[i] = 0x7fffffff;
		else if (at != 10 && at != 11 && at != 12 && at != 14 &&
			 (m->out.d[i] & INT64_MAX) > UINT64_C(0x7ff0000000000000))
			m->out.d[i] = UINT64_C(0x7fffffffffffffff);
	}
}

/* -- Halves: multiples of 2^-24, with products of 2^-48 ----------------------------------- */

static s128
half_fixed(uint32_t h)
{
	s128 v =
		h >> 10 & 31 ? (s128)((h & 1023) | 1024) << ((h >> 10 & 31) - 1) : (s128)(h & 1023);

	return h & 0x8000 ? -v : v;
}
static bool
half_nan(uint32_t h)
{
	return (h & 0x7fff) > 0x7c00;
}
static bool
half_inf(uint32_t h)
{
	return (h & 0x7fff) == 0x7c00;
}

/* Rounds v, in units of 2^-48, to the nearest half. minus_zero: the sign of a zero. */
static uint32_t
half_nearest(s128 v, bool minus_zero)
{
	u128 a = v < 0 ? (u128)-v : (u128)v;
	uint32_t lo = 0, hi = 0x7c00, sign = v < 0 || (v == 0 && minus_zero) ? 0x8000 : 0;

	/* Finds the greatest value that is not above; infinity counts as 2^16. */
	while (hi - lo > 1) {
		uint32_t mid = (lo + hi) / 2;

		if ((u128)half_fixed(mid) << 24 <= a)
			lo = mid;
		else
			hi = mid;
	}
	u128 below = a - ((u128)half_fixed(lo) << 24), above = ((u128)half_fixed(hi) << 24) - a;

	if (a >= (u128)half_fixed(0x7c00) << 24)
		return sign | 0x7c00;
	return sign | (below < above || (below == above && !(lo & 1)) ? lo : hi);
}

static uint32_t
half_fma(uint32_t a, uint32_t b, uint32_t c)
{
	bool minus = (a ^ b) & 0x8000;
	s128 p = half_fixed(a) * half_fixed(b), sum = p + half_fixed(c) * (1 << 24);

	if (half_nan(a) || half_nan(b) || half_nan(c))
		return 0x7fff;
	if (half_inf(a) || half_inf(b)) {
		if (!(a & 0x7fff) || !(b & 0x7fff) || (half_inf(c) && minus != (c >> 15)))
			return 0x7fff;
		return minus ? 0xfc00 : 0x7c00;
	}
	if (half_inf(c))
		return c;
	/* The sum of two zeros is -0 only if both are -0; other zero sums are +0. */
	return half_nearest(sum, p == 0 && half_fixed(c) == 0 && minus && c >> 15);
}

/* Converts from f32 to a float with this many bits of exponent and fraction, to nearest or towards
 * zero. */
static uint32_t
narrow(float f, unsigned exponent, unsigned fraction, bool nearest)
{
	uint32_t lo = 0, hi = ((1u << exponent) - 1) << fraction, inf = hi,
		 sign = signbit(f) ? 0x8000 : 0;
	int bias = (1 << (exponent - 1)) - 1;
	double a = fabs((double)f), v[2];

#define VALUE(h)                                                                                   \
	((h) >> fraction ? ldexp((double)(((h) & ((1u << fraction) - 1)) | 1u << fraction),        \
				 (int)((h) >> fraction) - bias - (int)fraction)                    \
			 : ldexp((double)(h), 1 - bias - (int)fraction))
	if (isnan(f))
		return 0x7fff;
	if (isinf(f))
		return sign | inf;
	while (hi - lo > 1) {
		uint32_t mid = (lo + hi) / 2;

		if (VALUE(mid) <= a)
			lo = mid;
		else
			hi = mid;
	}
	v[0] = VALUE(lo);
	v[1] = VALUE(hi);
	if (a >= v[1])
		return sign | (nearest ? inf : inf - 1);
	if (!nearest)
		return sign | lo;
	return sign | (a - v[0] < v[1] - a || (a - v[0] == v[1] - a && !(lo & 1)) ? lo : hi);
#undef VALUE
}

static float
half_float(uint32_t h)
{
	return half_nan(h)     ? NAN
	       : half_inf(h)   ? h & 0x8000 ? -INFINITY : INFINITY
	       : !(h & 0x7fff) ? copysignf(0, h & 0x8000 ? -1.0f : 1.0f)
			       : ldexpf((float)half_fixed(h), -24);
}

WANT(want_half)
{
	for (uint32_t i = 0; i < k->n; i++) {
		uint32_t v = m->in.w[i], a = v & 0xffff, b = v >> 16, *o = &want->out.w[12 * i];
		float f = m->in.f[i], g = m->in.f[(i + 1) % k->n], x = half_float(a),
		      y = half_float(b);
		int32_t s = (int32_t)v;

		o[0] = f32_bits(x);
		o[1] = narrow(f, 5, 10, true) | narrow(f, 5, 10, false) << 16;
		o[2] = half_fma(a, 0x3c00, b);
		o[3] = half_fma(a, b, (a ^ b) & 0x8000);
		o[4] = half_fma(a, b, b);
		o[5] = half_fma(a, b, a) | half_fma(b, a, b) << 16;
		o[6] = (uint32_t)(int32_t)clamped(trunc(x), INT32_MIN, INT32_MAX);
		o[7] = half_nearest((s128)s * ((s128)1 << 48), false);
		o[8] = (uint32_t)(x < y) | (uint32_t)(x == y) << 1 | (uint32_t) !(x < y) << 2;
		o[9] = narrow(f, 8, 7, true) | narrow(g, 8, 7, false) << 16;
		o[10] = a << 16;
		o[11] = narrow(f, 8, 7, true) | narrow(g, 8, 7, true) << 16;
	}
}

void
settle_half(const struct emu_kernel *k, struct emu_memory *m)
{
	for (uint32_t i = 0; i < 12 * k->n; i++)
		if ((i % 12 == 0 || i % 12 == 10) && (m->out.w[i] & 0x7fffffff) > 0x7f800000)
			m->out.w[i] = 0x7fffffff;
}

/* -- Bits --------------------------------------------------------------------------------- */

static uint32_t
count(uint64_t v)
{
	uint32_t n = 0;

	for (; v; v &= v - 1)
		n++;
	return n;
}
/* Returns the position of the highest bit plus 1; first() that of the lowest. */
static uint32_t
top(uint64_t v)
{
	uint32_t n = 0;

	for (; v; v >>= 1)
		n++;
	return n;
}
static uint32_t
first(uint64_t v)
{
	return v ? top(v & (0 - v)) : 0;
}

static uint32_t
pick_bytes(uint32_t a, uint32_t b, const int sel[4])
{
	uint64_t all = (uint64_t)b << 32 | a;
	uint32_t d = 0;

	for (unsigned k = 0; k < 4; k++) {
		uint32_t byte = (uint32_t)(all >> 8 * (sel[k] & 7)) & 255;

		d |= (sel[k] & 8 ? (byte >> 7) * 255 : byte) << 8 * k;
	}
	return d;
}

/* Returns the position of the n-th set bit from base, upwards or downwards. */
static uint32_t
nth_bit(uint32_t mask, int base, int offset)
{
	int step = offset < 0 ? -1 : 1, left = abs(offset) - 1;

	if (!offset)
		return mask >> base & 1 ? (uint32_t)base : UINT32_MAX;
	for (int at = base; at >= 0 && at < 32; at += step)
		if (mask >> at & 1 && !left--)
			return (uint32_t)at;
	return UINT32_MAX;
}

static uint64_t
field(uint64_t a, unsigned msb, uint32_t pos, uint32_t len, bool sign)
{
	uint64_t d = 0;

	pos &= 255;
	len &= 255;
	unsigned last = pos + len - 1 < msb ? pos + len - 1 : msb;
	uint64_t s = sign && len ? a >> last & 1 : 0;

	for (unsigned k = 0; k <= msb; k++)
		d |= (k < len && pos + k <= msb ? a >> (pos + k) & 1 : s) << k;
	return d;
}

static uint64_t
put_field(uint64_t a, uint64_t b, unsigned msb, uint32_t pos, uint32_t len)
{
	for (unsigned k = 0; k < len && pos + k <= msb; k++)
		b = (b & ~(UINT64_C(1) << (pos + k))) | (a >> k & 1) << (pos + k);
	return b;
}

WANT(want_bits)
{
	for (uint32_t i = 0; i < k->n; i++) {
		uint32_t a = m->in.w[i], b = m->in.w[(i + 1) % k->n],
			 c = m->in.w[(i + 2) % k->n] >> (a & 31);
		uint32_t *o = &want->out.w[32 * i], n = c < 32 ? c : 32, s = c & 31, x = c & 3,
			 dot = c, sdot = c;
		uint64_t w = (uint64_t)a << 32 | b, pair = (uint64_t)b << 32 | a, e;
		int si[4];

		*o++ = count(a) + 64 * (32 - top(c)) + 4096 * first(c);
		*o++ = count(w) + 128 * (64 - top(w >> (c & 63))) + 65536 * first(w);
		*o++ = emu_reverse(a);
		for (int j = 0; j < 4; j++)
			si[j] = (int)(c >> 4 * j & 7); /* __byte_perm ignores sign replication */
		*o++ = pick_bytes(a, b, si);
		*o++ = (uint32_t)(pair << s >> 32);
		*o++ = (uint32_t)(pair << n >> 32);
		*o++ = (uint32_t)(pair >> s);
		*o++ = (uint32_t)(pair >> n);
		*o++ = (a & b) ^ (c | ~a);
		for (unsigned j = 0; j < 32; j += 8) {
			dot += (a >> j & 255) * (b >> j & 255);
			sdot += (uint32_t)((int8_t)(a >> j) * (int8_t)(b >> j));
		}
		*o++ = dot;
		*o++ = sdot;
		*o++ = (a > b ? a - b : b - a) + c;
		*o++ = ((int32_t)a > (int32_t)b ? a - b : b - a) + c;
		*o++ = nth_bit(a, (int)(b & 31), (int)(c & 15) - 7);
		*o++ = (uint32_t)field(a, 31, b, c, false);
		*o++ = (uint32_t)field(a, 31, b, c, true);
		*o++ = pick_bytes(a, b, (int[]){ (int)x, (int)x + 1, (int)x + 2, (int)x + 3 });
		*o++ = pick_bytes(a, b,
				  (int[]){ (int)x, (int)((x + 7) & 7), (int)((x + 6) & 7),
					   (int)((x + 5) & 7) });
		*o++ = pick_bytes(a, b, (int[]){ (int)x, (int)x, (int)x, (int)x });
		*o++ = pick_bytes(a, b,
				  (int[]){ (int)x, x > 1 ? (int)x : 1, x > 2 ? (int)x : 2, 3 });
		*o++ = pick_bytes(a, b,
				  (int[]){ 0, x < 1 ? (int)x : 1, x < 2 ? (int)x : 2, (int)x });
		*o++ = pick_bytes(
			a, b,
			(int[]){ x & 1 ? 2 : 0, x & 1 ? 3 : 1, x & 1 ? 2 : 0, x & 1 ? 3 : 1 });
		*o++ = (uint32_t)put_field(a, b, 31, c & 63, c >> 8 & 63);
		e = field(w, 63, a, b, true);
		*o++ = (uint32_t)(e ^ e >> 32);
		e = put_field(w, ~w, 63, c & 127, c >> 8 & 127);
		*o++ = (uint32_t)(e ^ e >> 32);
		*o++ = top(a >> 31 ? ~a : a) - 1;
		*o++ = w ? 64 - top(w) : UINT32_MAX;
		*o++ = (a & b) | (~a & c);
		*o++ = (b & 63) < 32 ? a << (b & 63) : 0;
		*o++ = (uint32_t)((int32_t)a >> ((b & 63) < 31 ? b & 63 : 31));
		*o++ = !(a & 1);
		*o++ = (int32_t)c >= 0 ? a : b;
	}
}
