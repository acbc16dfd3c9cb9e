/* Integer operations of scalar and vector instructions. `out` is the carry or the new scc. */
#include "base.h"
#include "ops.h"

#define A ((uint32_t)o->s[0])
#define B ((uint32_t)o->s[1])
#define C ((uint32_t)o->s[2])
#define IA ((int32_t)A)
#define IB ((int32_t)B)
#define A64 (o->s[0])
#define B64 (o->s[1])

#define OP(name) void amd_op_##name(struct op *o)
#define SET32(expr)                                                                                \
	do {                                                                                       \
		o->d = (uint32_t)(expr);                                                           \
		o->out = o->d != 0;                                                                \
	} while (0)
#define SET64(expr)                                                                                \
	do {                                                                                       \
		o->d = (uint64_t)(expr);                                                           \
		o->out = o->d != 0;                                                                \
	} while (0)
#define BITWISE(name, a32, a64)                                                                    \
	OP(name##32) { SET32(a32); }                                                               \
	OP(name##64) { SET64(a64); }

/* -- Bits ----------------------------------------------------------------------------------- */

BITWISE(mov, A, A64)
BITWISE(not, ~A, ~A64)
BITWISE(and, A & B, A64 & B64)
BITWISE(or, A | B, A64 | B64)
BITWISE(xor, A ^ B, A64 ^ B64)
BITWISE(nand, ~(A & B), ~(A64 & B64))
BITWISE(nor, ~(A | B), ~(A64 | B64))
BITWISE(xnor, ~(A ^ B), ~(A64 ^ B64))
BITWISE(andn2_, A & ~B, A64 & ~B64)
BITWISE(orn2_, A | ~B, A64 | ~B64)
BITWISE(andn1_, ~A & B, ~A64 & B64)
BITWISE(orn1_, ~A | B, ~A64 | B64)
BITWISE(lshl, A << (B & 31), A64 << (B & 63))
BITWISE(lshr, A >> (B & 31), A64 >> (B & 63))
BITWISE(ashr, IA >> (B & 31), (int64_t)A64 >> (B & 63))
BITWISE(lshlrev, B << (A & 31), B64 << (A & 63))
BITWISE(lshrrev, B >> (A & 31), B64 >> (A & 63))
BITWISE(ashrrev, IB >> (A & 31), (int64_t)B64 >> (A & 63))
BITWISE(bfm, ((1u << (A & 31)) - 1) << (B & 31), ((UINT64_C(1) << (A & 63)) - 1) << (B & 63))
BITWISE(bitset0_, A & ~(1u << (B & 31)), A64 & ~(UINT64_C(1) << (B & 63)))
BITWISE(bitset1_, A | 1u << (B & 31), A64 | UINT64_C(1) << (B & 63))
BITWISE(cselect, o->in ? A : B, o->in ? A64 : B64)
BITWISE(cmov, o->in ? B : A, o->in ? B64 : A64) /* the first source is the old value */
BITWISE(bcnt0_, __builtin_popcount(~A), __builtin_popcountll(~A64))
BITWISE(bcnt1_, __builtin_popcount(A), __builtin_popcountll(A64))
BITWISE(ctz, A ? (uint32_t)__builtin_ctz(A) : UINT32_MAX,
	A64 ? (uint32_t)__builtin_ctzll(A64) : UINT32_MAX)
BITWISE(clz, A ? (uint32_t)__builtin_clz(A) : UINT32_MAX,
	A64 ? (uint32_t)__builtin_clzll(A64) : UINT32_MAX)
BITWISE(ff0_, ~A ? (uint32_t)__builtin_ctz(~A) : UINT32_MAX,
	~A64 ? (uint32_t)__builtin_ctzll(~A64) : UINT32_MAX)

static uint64_t
reversed(uint64_t v, unsigned n)
{
	uint64_t r = 0;

	for (unsigned i = 0; i < n; i++)
		r |= (v >> i & 1) << (n - 1 - i);
	return r;
}

BITWISE(brev, reversed(A, 32), reversed(A64, 64))

/* Returns the number of leading bits equal to the sign; -1 if all are. */
static uint32_t
sign_bits(uint64_t v, unsigned n)
{
	uint64_t x = v >> (n - 1) & 1 ? ~v : v;

	if (n == 32)
		x = (uint32_t)x;
	return x ? (uint32_t)__builtin_clzll(x) - (64 - n) : UINT32_MAX;
}

BITWISE(cls, sign_bits(A, 32), sign_bits(A64, 64))

static uint64_t
quads(uint64_t v, unsigned n, bool whole)
{
	uint64_t r = 0;

	for (unsigned i = 0; i < n; i += 4)
		if (v >> i & 15)
			r |= whole ? UINT64_C(15) << i : UINT64_C(1) << i / 4;
	return r;
}

BITWISE(quadmask, quads(A, 32, false), quads(A64, 64, false))
BITWISE(wqm, quads(A, 32, true), quads(A64, 64, true))

OP(bitreplicate)
{
	o->d = 0;
	for (unsigned i = 0; i < 32; i++)
		o->d |= (uint64_t)(A >> i & 1) * 3 << 2 * i;
}

/* Extracts `width` bits of v from `at` on. Scalar forms encode both in the second source. */
static uint64_t
field(uint64_t v, unsigned at, unsigned width, unsigned n, bool is_signed)
{
	uint64_t r;

	if (!width || at >= n)
		return !width ? 0 : is_signed && v >> (n - 1) & 1 ? UINT64_MAX : 0;
	if (is_signed && n == 32)
		v = (uint64_t)(int64_t)(int32_t)v;
	r = is_signed ? (uint64_t)((int64_t)v >> at) : v >> at;
	if (width >= n - at)
		return r;
	r &= (UINT64_C(1) << width) - 1;
	return is_signed && r >> (width - 1) & 1 ? r | ~((UINT64_C(1) << width) - 1) : r;
}

OP(sbfe_u32) { SET32(field(A, B & 31, B >> 16 & 127, 32, false)); }
OP(sbfe_i32) { SET32(field(A, B & 31, B >> 16 & 127, 32, true)); }
OP(sbfe_u64) { SET64(field(A64, B & 63, B >> 16 & 127, 64, false)); }
OP(sbfe_i64) { SET64(field(A64, B & 63, B >> 16 & 127, 64, true)); }
OP(bfe_u32) { SET32(field(A, B & 31, C & 31, 32, false)); }
OP(bfe_i32) { SET32(field(A, B & 31, C & 31, 32, true)); }
OP(bfi) { SET32((A & B) | (~A & C)); }
OP(bcnt) { SET32((uint32_t)__builtin_popcount(A) + B); }
OP(sext8) { SET32(((A & 0xff) ^ 0x80) - 0x80); }
OP(sext16) { SET32(((A & 0xffff) ^ 0x8000) - 0x8000); }
OP(zext16) { SET32((uint16_t)A); }
OP(pack_ll) { SET32((A & 0xffff) | B << 16); }
OP(pack_lh) { SET32((A & 0xffff) | (B & 0xffff0000)); }
OP(pack_hl) { SET32(A >> 16 | B << 16); }
OP(pack_hh) { SET32(A >> 16 | (B & 0xffff0000)); }
OP(alignbit) { SET32(((uint64_t)A << 32 | B) >> (C & 31)); }
OP(alignbyte) { SET32(((uint64_t)A << 32 | B) >> 8 * (C & 3)); }
OP(lshl_or) { SET32(A << (B & 31) | C); }
OP(and_or) { SET32((A & B) | C); }
OP(or3) { SET32(A | B | C); }
OP(xor3) { SET32(A ^ B ^ C); }

/* Returns a byte of v_perm: 0 to 3 select the second source, 4 to 7 the first, 8 to 11 a sign, 12
 * zeros, others ones. */
static uint32_t
chosen(uint64_t bytes, unsigned sel)
{
	static const uint8_t sign_of[4] = { 15, 31, 47, 63 };

	if (sel >= 13)
		return 0xff;
	if (sel == 12)
		return 0;
	if (sel >= 8)
		return bytes >> sign_of[sel - 8] & 1 ? 0xff : 0;
	return bytes >> 8 * sel & 0xff;
}

OP(perm)
{
	uint64_t bytes = (uint64_t)A << 32 | B;

	o->d = 0;
	for (unsigned i = 0; i < 4; i++)
		o->d |= (uint64_t)chosen(bytes, C >> 8 * i & 0xff) << 8 * i;
}

/* Returns, for each bit, the bit of the truth table that the bits of the sources select. */
static uint32_t
looked_up(const struct op *o)
{
	uint32_t d = 0;

	for (unsigned i = 0; i < 8; i++)
		if (o->table >> i & 1)
			d |= (i & 4 ? A : ~A) & (i & 2 ? B : ~B) & (i & 1 ? C : ~C);
	return d;
}

OP(bitop32) { SET32(looked_up(o)); }
OP(cndmask32) { SET32(o->in ? B : A); }

/* -- Sums ------------------------------------------------------------------------------------- */

/* With a clamp, a result that overflows is the least or the greatest number. */
static void
sum(struct op *o, uint32_t a, uint32_t b, uint32_t c)
{
	uint64_t d = (uint64_t)a + b + c;

	o->out = d >> 32;
	o->d = o->clamp && o->out ? UINT32_MAX : (uint32_t)d;
	o->clamped = true;
}

static void
difference(struct op *o, uint32_t a, uint32_t b, uint32_t c)
{
	o->out = (uint64_t)b + c > a;
	o->d = o->clamp && o->out ? 0 : a - b - c;
	o->clamped = true;
}

/* Returns v with this number of bits. */
static uint32_t
limited(struct op *o, int64_t v, int64_t least, int64_t most)
{
	o->clamped = true;
	return (uint32_t)(!o->clamp ? v : v < least ? least : v > most ? most : v);
}

OP(add32) { sum(o, A, B, 0); }
OP(addc32) { sum(o, A, B, o->in); }
OP(sub32) { difference(o, A, B, 0); }
OP(subb32) { difference(o, A, B, o->in); }
OP(subrev32) { difference(o, B, A, 0); }
OP(subbrev32) { difference(o, B, A, o->in); }
OP(add64) { o->d = A64 + B64; }
OP(sub64) { o->d = A64 - B64; }
OP(addi32)
{
	o->d = A + B;
	o->out = (~(A ^ B) & (A ^ (uint32_t)o->d)) >> 31;
}
OP(subi32)
{
	o->d = A - B;
	o->out = ((A ^ B) & (A ^ (uint32_t)o->d)) >> 31;
}
OP(sadd32) { o->d = limited(o, (int64_t)IA + IB, INT32_MIN, INT32_MAX); }
OP(ssub32) { o->d = limited(o, (int64_t)IA - IB, INT32_MIN, INT32_MAX); }
/* Multiplies four pairs of bytes and adds the products. */
static int64_t
dot4(const struct op *o, bool sign_a, bool sign_b)
{
	int64_t sum = 0;

	for (unsigned k = 0; k < 32; k += 8) {
		int a = sign_a ? (int8_t)(A >> k) : (uint8_t)(A >> k);
		int b = sign_b ? (int8_t)(B >> k) : (uint8_t)(B >> k);
		sum += a * b;
	}
	return sum;
}

OP(dot4_i8) { o->d = limited(o, dot4(o, true, true) + (int32_t)C, INT32_MIN, INT32_MAX); }
OP(dot4_u8) { o->d = limited(o, dot4(o, false, false) + C, 0, UINT32_MAX); }
OP(dot4_iu8) { o->d = limited(o, dot4(o, o->table & 1, o->table & 2) + (int32_t)C, INT32_MIN, INT32_MAX); }
OP(add3) { o->d = A + B + C; }
OP(add_lshl) { o->d = (A + B) << (C & 31); }
OP(lshl_add) { o->d = (A << (B & 31)) + C; }
OP(lshl_add64) { o->d = (A64 << (B & 7)) + o->s[2]; }
OP(xad) { o->d = (A ^ B) + C; }
OP(lshl1_add) { sum(o, A << 1, B, 0); o->out |= ((uint64_t)A << 1) >> 32 != 0; }
OP(lshl2_add) { sum(o, A << 2, B, 0); o->out |= ((uint64_t)A << 2) >> 32 != 0; }
OP(lshl3_add) { sum(o, A << 3, B, 0); o->out |= ((uint64_t)A << 3) >> 32 != 0; }
OP(lshl4_add) { sum(o, A << 4, B, 0); o->out |= ((uint64_t)A << 4) >> 32 != 0; }
OP(abs32) { SET32(IA < 0 ? 0 - A : A); }
OP(absdiff32) { SET32(IA > IB ? A - B : B - A); }
OP(sad_u32) { o->d = (A > B ? A - B : B - A) + C; }

static uint32_t
sad(uint32_t a, uint32_t b, unsigned bits)
{
	uint32_t sum = 0, ones = (1u << bits) - 1;

	for (unsigned k = 0; k < 32; k += bits) {
		uint32_t x = a >> k & ones, y = b >> k & ones;
		sum += x > y ? x - y : y - x;
	}
	return sum;
}

OP(sad_u8) { o->d = sad(A, B, 8) + C; }
OP(sad_hi_u8) { o->d = (sad(A, B, 8) << 16) + C; }
OP(sad_u16) { o->d = sad(A, B, 16) + C; }

/* -- Products --------------------------------------------------------------------------------- */

static int64_t
low24(uint32_t v)
{
	return (int32_t)(v << 8) >> 8;
}

OP(mul32) { o->d = A * B; }
OP(mul64) { o->d = A64 * B64; }
OP(mulhi_u32) { o->d = (uint64_t)A * B >> 32; }
OP(mulhi_i32) { o->d = (uint32_t)((uint64_t)((int64_t)IA * IB) >> 32); }
OP(mul_u24) { o->d = (A & 0xffffff) * (B & 0xffffff); }
OP(mul_i24) { o->d = (uint32_t)(low24(A) * low24(B)); }
OP(mulhi_u24) { o->d = (uint64_t)(A & 0xffffff) * (B & 0xffffff) >> 32; }
OP(mulhi_i24) { o->d = (uint32_t)((uint64_t)(low24(A) * low24(B)) >> 32); }
OP(mad_u24) { o->d = (A & 0xffffff) * (B & 0xffffff) + C; }
OP(mad_i24) { o->d = (uint32_t)(low24(A) * low24(B)) + C; }
OP(mad_u64)
{
	o->d = (uint64_t)A * B + o->s[2];
	o->out = o->d < o->s[2];
}
OP(mad_i64)
{
	int64_t p = (int64_t)IA * IB;

	o->d = (uint64_t)p + o->s[2];
	/* bit 64 of the sum of two signed 65-bit numbers */
	o->out = ((p < 0) ^ (o->s[2] >> 63) ^ (o->d < o->s[2])) & 1;
}
OP(mad_u32_u16) { o->d = (A & 0xffff) * (B & 0xffff) + C; }
OP(mad_i32_i16) { o->d = (uint32_t)((int16_t)A * (int16_t)B) + C; }

/* -- Minimum and maximum ----------------------------------------------------------------------- */

#define LEAST(t, a, b) ((t)(a) < (t)(b) ? (a) : (b))
#define MOST(t, a, b)  ((t)(a) < (t)(b) ? (b) : (a))
#define MINMAX(ty, t)                                                                               \
	OP(smin_##ty) { o->out = (t)A < (t)B; o->d = LEAST(t, A, B); }                              \
	OP(smax_##ty) { o->out = (t)A > (t)B; o->d = MOST(t, A, B); }                               \
	OP(min_##ty) { o->d = LEAST(t, A, B); }                                                     \
	OP(max_##ty) { o->d = MOST(t, A, B); }                                                      \
	OP(min3_##ty) { uint32_t m = LEAST(t, A, B); o->d = LEAST(t, m, C); }                       \
	OP(max3_##ty) { uint32_t m = MOST(t, A, B); o->d = MOST(t, m, C); }                         \
	OP(minmax_##ty) { uint32_t m = LEAST(t, A, B); o->d = MOST(t, m, C); }                      \
	OP(maxmin_##ty) { uint32_t m = MOST(t, A, B); o->d = LEAST(t, m, C); }                      \
	OP(med3_##ty)                                                                               \
	{                                                                                          \
		uint32_t l = LEAST(t, A, B), m = MOST(t, A, B), x = LEAST(t, m, C);                \
		o->d = MOST(t, l, x);                                                              \
	}
MINMAX(i32, int32_t)
MINMAX(u32, uint32_t)

/* -- 16 bits ------------------------------------------------------------------------------------ */

#define OP16(name, expr)                                                                           \
	OP(name)                                                                                   \
	{                                                                                          \
		o->d = (uint16_t)(expr);                                                           \
		o->half = true;                                                                    \
	}
OP16(mov16, A)
OP16(not16, ~A)
OP16(and16, A & B)
OP16(or16, A | B)
OP16(xor16, A ^ B)
OP16(cndmask16, o->in ? B : A)
#define HA ((int32_t)(int16_t)A)
#define HB ((int32_t)(int16_t)B)
#define HC ((int32_t)(int16_t)C)
#define UA ((int64_t)(uint16_t)A)
#define UB ((int64_t)(uint16_t)B)
#define UC ((int64_t)(uint16_t)C)
OP16(add16, limited(o, UA + UB, 0, 0xffff))
OP16(sub16, limited(o, UA - UB, 0, 0xffff))
OP16(subrev16, limited(o, UB - UA, 0, 0xffff))
OP16(mad16, limited(o, UA * UB + UC, 0, 0xffff))
OP16(sadd16, limited(o, HA + HB, INT16_MIN, INT16_MAX))
OP16(ssub16, limited(o, HA - HB, INT16_MIN, INT16_MAX))
OP16(smad16, limited(o, (int64_t)HA * HB + HC, INT16_MIN, INT16_MAX))
OP16(mul16, A * B)
OP16(lshlrev16, (B & 0xffff) << (A & 15))
OP16(lshrrev16, (B & 0xffff) >> (A & 15))
OP16(ashrrev16, (int16_t)B >> (A & 15))
#define MINMAX16(ty, t)                                                                            \
	OP16(min_##ty, LEAST(t, A, B))                                                              \
	OP16(max_##ty, MOST(t, A, B))                                                               \
	OP16(min3_##ty, LEAST(t, LEAST(t, A, B), C))                                                \
	OP16(max3_##ty, MOST(t, MOST(t, A, B), C))                                                  \
	OP16(med3_##ty, MOST(t, LEAST(t, A, B), LEAST(t, MOST(t, A, B), C)))
MINMAX16(i16, int16_t)
MINMAX16(u16, uint16_t)
OP16(bitop16, looked_up(o))

/* -- Counts of lower lanes ---------------------------------------------------------------------- */

static uint32_t
below(uint32_t mask, unsigned lane)
{
	uint32_t lower = lane >= 32 ? UINT32_MAX : (1u << lane) - 1;

	return (uint32_t)__builtin_popcount(mask & lower);
}

OP(mbcnt_lo) { o->d = below(A, o->lane) + B; }
OP(mbcnt_hi) { o->d = (o->lane < 32 ? 0 : below(A, o->lane - 32)) + B; }

/* -- Branches ----------------------------------------------------------------------------------- */

OP(always) { o->out = true; }
OP(if_in) { o->out = o->in; }
OP(if_not_in) { o->out = !o->in; } /* branches if the condition is zero */
