/* Integers and bits, all 32 lanes at once (PTX ISA 9.0, 9.7.1, 9.7.2, 9.7.8). */
#include "table.h"

#define LANES for (unsigned l = 0; l < 32; l++)
#define FN(name) static void name(void *restrict dv, const void *const *s)

/* The expression uses a, b, c, e: sources of these types. */
#define FN1(name, TD, TA, expr)                                                                    \
	FN(name)                                                                                   \
	{                                                                                          \
		TD *d = dv;                                                                        \
		const TA *ap = s[0];                                                               \
		LANES {                                                                            \
			TA a = ap[l];                                                              \
			d[l] = (TD)(expr);                                                         \
		}                                                                                  \
	}
#define FN2(name, TD, TA, TB, expr)                                                                \
	FN(name)                                                                                   \
	{                                                                                          \
		TD *d = dv;                                                                        \
		const TA *ap = s[0];                                                               \
		const TB *bp = s[1];                                                               \
		LANES {                                                                            \
			TA a = ap[l];                                                              \
			TB b = bp[l];                                                              \
			d[l] = (TD)(expr);                                                         \
		}                                                                                  \
	}
#define FN3(name, TD, TA, TB, TC, expr)                                                            \
	FN(name)                                                                                   \
	{                                                                                          \
		TD *d = dv;                                                                        \
		const TA *ap = s[0];                                                               \
		const TB *bp = s[1];                                                               \
		const TC *cp = s[2];                                                               \
		LANES {                                                                            \
			TA a = ap[l];                                                              \
			TB b = bp[l];                                                              \
			TC c = cp[l];                                                              \
			d[l] = (TD)(expr);                                                         \
		}                                                                                  \
	}

typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

/* Tables of the six integer types; TABLE3 for operations that do not depend on the sign. */
#define TABLE6(name)                                                                               \
	alu_table alu_##name = { [T_u16] = name##_u16, [T_s16] = name##_s16, [T_u32] = name##_u32, \
				 [T_s32] = name##_s32, [T_u64] = name##_u64, [T_s64] = name##_s64 };
#define TABLE3(name)                                                                               \
	alu_table alu_##name = { [T_u16] = name##_16, [T_s16] = name##_16, [T_u32] = name##_32,    \
				 [T_s32] = name##_32, [T_u64] = name##_64, [T_s64] = name##_64,    \
				 [T_b16] = name##_16, [T_b32] = name##_32, [T_b64] = name##_64 };

/* -- Arithmetic --------------------------------------------------------------------------- */

#define WRAP2(name, expr)                                                                          \
	FN2(name##_16, u16, u16, u16, expr)                                                        \
	FN2(name##_32, u32, u32, u32, expr)                                                        \
	FN2(name##_64, u64, u64, u64, expr)                                                        \
	TABLE3(name)
WRAP2(add, a + b)
WRAP2(sub, a - b)
WRAP2(mul, 1u * a * b)
WRAP2(and, a &b)
WRAP2(or, a | b)
WRAP2(xor, a ^ b)
FN1(not_16, u16, u16, ~a)
FN1(not_32, u32, u32, ~a)
FN1(not_64, u64, u64, ~a)
TABLE3(not)
FN1(cnot_16, u16, u16, !a)
FN1(cnot_32, u32, u32, !a)
FN1(cnot_64, u64, u64, !a)
TABLE3(cnot)
FN3(mad_16, u16, u16, u16, u16, 1u * a * b + c)
FN3(mad_32, u32, u32, u32, u32, a *b + c)
FN3(mad_64, u64, u64, u64, u64, a *b + c)
TABLE3(mad)

static inline s32
clamp_s32(s64 v)
{
	return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (s32)v;
}
FN2(add_sat_s32, s32, s32, s32, clamp_s32((s64)a + b))
alu_table alu_add_sat = { [T_s32] = add_sat_s32 };
FN2(sub_sat_s32, s32, s32, s32, clamp_s32((s64)a - b))
alu_table alu_sub_sat = { [T_s32] = sub_sat_s32 };

static inline u64
high_u64(u64 a, u64 b)
{
	u64 al = (u32)a, ah = a >> 32, bl = (u32)b, bh = b >> 32;
	u64 mid = ah * bl + (al * bl >> 32), low = al * bh + (u32)mid;

	return ah * bh + (mid >> 32) + (low >> 32);
}
static inline s64
high_s64(s64 a, s64 b)
{
	return (s64)(high_u64((u64)a, (u64)b) - (a < 0 ? (u64)b : 0) - (b < 0 ? (u64)a : 0));
}
static inline u16 high_u16(u16 a, u16 b) { return (u16)((u32)a * b >> 16); }
static inline s16 high_s16(s16 a, s16 b) { return (s16)((s32)a * b >> 16); }
static inline u32 high_u32(u32 a, u32 b) { return (u32)((u64)a * b >> 32); }
static inline s32 high_s32(s32 a, s32 b) { return (s32)((s64)a * b >> 32); }

#define EACH6(X) X(u16, u16) X(s16, u16) X(u32, u32) X(s32, u32) X(u64, u64) X(s64, u64)
#define MUL_HI(T, U) FN2(mul_hi_##T, T, T, T, high_##T(a, b))
EACH6(MUL_HI)
TABLE6(mul_hi)
#define MAD_HI(T, U) FN3(mad_hi_##T, U, T, T, U, (U)high_##T(a, b) + c)
EACH6(MAD_HI)
TABLE6(mad_hi)
FN3(mad_hi_sat_s32, s32, s32, s32, s32, clamp_s32((s64)high_s32(a, b) + c))
alu_table alu_mad_hi_sat = { [T_s32] = mad_hi_sat_s32 };

FN2(mul_wide_u16, u32, u16, u16, (u32)a *b)
FN2(mul_wide_s16, s32, s16, s16, (s32)a *b)
FN2(mul_wide_u32, u64, u32, u32, (u64)a *b)
FN2(mul_wide_s32, s64, s32, s32, (s64)a *b)
alu_table alu_mul_wide = { [T_u16] = mul_wide_u16, [T_s16] = mul_wide_s16,
			   [T_u32] = mul_wide_u32, [T_s32] = mul_wide_s32 };
FN3(mad_wide_u16, u32, u16, u16, u32, (u32)a *b + c)
FN3(mad_wide_s16, u32, s16, s16, u32, (u32)((s32)a * b) + c)
FN3(mad_wide_u32, u64, u32, u32, u64, (u64)a *b + c)
FN3(mad_wide_s32, u64, s32, s32, u64, (u64)((s64)a * b) + c)
alu_table alu_mad_wide = { [T_u16] = mad_wide_u16, [T_s16] = mad_wide_s16,
			   [T_u32] = mad_wide_u32, [T_s32] = mad_wide_s32 };

static inline s32 low24(u32 a) { return (s32)(a << 8) >> 8; }
FN2(mul24_u32, u32, u32, u32, (u64)(a & 0xffffff) * (b & 0xffffff))
FN2(mul24_s32, u32, u32, u32, (s64)low24(a) * low24(b))
alu_table alu_mul24 = { [T_u32] = mul24_u32, [T_s32] = mul24_s32 };

#define SAD(T, U) FN3(sad_##T, U, T, T, U, (U)(c + (a > b ? (U)((U)a - (U)b) : (U)((U)b - (U)a))))
EACH6(SAD)
TABLE6(sad)

/* Division by zero returns all ones, and its remainder is the dividend. The minimum divided by -1
 * is itself. */
#define DIV_U(T) FN2(div_##T, T, T, T, b ? a / b : (T)~(T)0)
#define REM_U(T) FN2(rem_##T, T, T, T, b ? a % b : a)
#define DIV_S(T, U) FN2(div_##T, T, T, T, !b ? (T)-1 : b == -1 ? (T)(0 - (U)a) : (T)(a / b))
#define REM_S(T, U) FN2(rem_##T, T, T, T, !b ? a : b == -1 ? (T)0 : (T)(a % b))
DIV_U(u16) DIV_U(u32) DIV_U(u64) DIV_S(s16, u16) DIV_S(s32, u32) DIV_S(s64, u64)
REM_U(u16) REM_U(u32) REM_U(u64) REM_S(s16, u16) REM_S(s32, u32) REM_S(s64, u64)
TABLE6(div)
TABLE6(rem)

FN1(abs_s16, u16, s16, a < 0 ? 0u - (u16)a : (u16)a)
FN1(abs_s32, u32, s32, a < 0 ? 0u - (u32)a : (u32)a)
FN1(abs_s64, u64, s64, a < 0 ? 0u - (u64)a : (u64)a)
alu_table alu_abs = { [T_s16] = abs_s16, [T_s32] = abs_s32, [T_s64] = abs_s64 };
FN1(neg_s16, u16, u16, 0u - a)
FN1(neg_s32, u32, u32, 0u - a)
FN1(neg_s64, u64, u64, 0u - a)
alu_table alu_neg = { [T_s16] = neg_s16, [T_s32] = neg_s32, [T_s64] = neg_s64 };

#define MIN(T, U) FN2(min_##T, T, T, T, a < b ? a : b)
#define MAX(T, U) FN2(max_##T, T, T, T, a > b ? a : b)
EACH6(MIN)
EACH6(MAX)
TABLE6(min)
TABLE6(max)

/* -- Bits --------------------------------------------------------------------------------- */

static inline u32
popc64(u64 a)
{
	a -= a >> 1 & UINT64_C(0x5555555555555555);
	a = (a & UINT64_C(0x3333333333333333)) + (a >> 2 & UINT64_C(0x3333333333333333));
	a = (a + (a >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (u32)(a * UINT64_C(0x0101010101010101) >> 56);
}
FN1(popc_32, u32, u32, popc64(a))
FN1(popc_64, u32, u64, popc64(a))
alu_table alu_popc = { [T_b32] = popc_32, [T_b64] = popc_64 };
FN1(clz_32, u32, u32, a ? 31 - qd_log2(a) : 32)
FN1(clz_64, u32, u64, a ? 63 - qd_log2(a) : 64)
alu_table alu_clz = { [T_b32] = clz_32, [T_b64] = clz_64 };
FN1(bfind_u32, u32, u32, a ? qd_log2(a) : UINT32_MAX)
FN1(bfind_s32, u32, s32, (a ^ a >> 31) ? qd_log2((u32)(a ^ a >> 31)) : UINT32_MAX)
FN1(bfind_u64, u32, u64, a ? qd_log2(a) : UINT32_MAX)
FN1(bfind_s64, u32, s64, (a ^ a >> 63) ? qd_log2((u64)(a ^ a >> 63)) : UINT32_MAX)
alu_table alu_bfind = { [T_u32] = bfind_u32, [T_s32] = bfind_s32, [T_u64] = bfind_u64,
			[T_s64] = bfind_s64 };
FN1(bfind_shift_u32, u32, u32, a ? 31 - qd_log2(a) : UINT32_MAX)
FN1(bfind_shift_s32, u32, s32, (a ^ a >> 31) ? 31 - qd_log2((u32)(a ^ a >> 31)) : UINT32_MAX)
FN1(bfind_shift_u64, u32, u64, a ? 63 - qd_log2(a) : UINT32_MAX)
FN1(bfind_shift_s64, u32, s64, (a ^ a >> 63) ? 63 - qd_log2((u64)(a ^ a >> 63)) : UINT32_MAX)
alu_table alu_bfind_shift = { [T_u32] = bfind_shift_u32, [T_s32] = bfind_shift_s32,
			      [T_u64] = bfind_shift_u64, [T_s64] = bfind_shift_s64 };

static inline u32
brev32(u32 a)
{
	a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
	a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
	a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
	a = (a >> 8 & 0x00ff00ff) | (a & 0x00ff00ff) << 8;
	return a >> 16 | a << 16;
}
FN1(brev_32, u32, u32, brev32(a))
FN1(brev_64, u64, u64, (u64)brev32((u32)a) << 32 | brev32((u32)(a >> 32)))
alu_table alu_brev = { [T_b32] = brev_32, [T_b64] = brev_64 };

/* Extracts len bits of a from pos on. Bits beyond the type are the sign if is_signed, otherwise
 * zero. */
static inline u64
extract(u64 a, unsigned bits, u32 b, u32 c, bool is_signed)
{
	unsigned pos = b & 255, len = c & 255, top;
	u64 d, sign;

	if (!len)
		return 0;
	top = pos + len - 1 < bits - 1 ? pos + len - 1 : bits - 1;
	sign = is_signed && a >> top & 1 ? ~UINT64_C(0) : 0;
	if (pos >= bits)
		return sign;
	d = a >> pos;
	len = top - pos + 1;
	return len < 64 ? (d & ((UINT64_C(1) << len) - 1)) | sign << len : d;
}
FN3(bfe_u32, u32, u32, u32, u32, extract(a, 32, b, c, false))
FN3(bfe_s32, u32, u32, u32, u32, extract(a, 32, b, c, true))
FN3(bfe_u64, u64, u64, u32, u32, extract(a, 64, b, c, false))
FN3(bfe_s64, u64, u64, u32, u32, extract(a, 64, b, c, true))
alu_table alu_bfe = { [T_u32] = bfe_u32, [T_s32] = bfe_s32, [T_u64] = bfe_u64, [T_s64] = bfe_s64 };

static inline u64
insert(u64 a, u64 b, u32 c, u32 len)
{
	unsigned pos = c & 255;
	u64 mask;

	len &= 255;
	if (pos > 63 || !len)
		return b;
	mask = (len < 64 ? (UINT64_C(1) << len) - 1 : ~UINT64_C(0)) << pos;
	return (b & ~mask) | (a << pos & mask);
}
FN(bfi_32)
{
	u32 *d = dv;
	const u32 *a = s[0], *b = s[1], *c = s[2], *e = s[3];

	LANES d[l] = (u32)insert(a[l], b[l], c[l], e[l]);
}
FN(bfi_64)
{
	u64 *d = dv;
	const u64 *a = s[0], *b = s[1];
	const u32 *c = s[2], *e = s[3];

	LANES d[l] = insert(a[l], b[l], c[l], e[l]);
}
alu_table alu_bfi = { [T_b32] = bfi_32, [T_b64] = bfi_64 };

static u32
find_nth(u32 mask, u32 base, s32 offset)
{
	u32 n = offset < 0 ? 0u - (u32)offset : (u32)offset;

	if (base > 31)
		return UINT32_MAX;
	if (!offset)
		return mask >> base & 1 ? base : UINT32_MAX;
	for (u32 at = base; at < 32; at += offset > 0 ? 1u : UINT32_MAX)
		if (mask >> at & 1 && !--n)
			return at;
	return UINT32_MAX;
}
FN3(fns_32, u32, u32, u32, s32, find_nth(a, b, c))
alu_table alu_fns = { [T_b32] = fns_32 };

static inline u32
low_bits(u32 n)
{
	return n < 32 ? (UINT32_C(1) << n) - 1 : UINT32_MAX;
}
FN2(bmsk_clamp_32, u32, u32, u32, a < 32 ? low_bits(b) << a : 0)
FN2(bmsk_wrap_32, u32, u32, u32, low_bits(b & 31) << (a & 31))
alu_table alu_bmsk_clamp = { [T_b32] = bmsk_clamp_32 }, alu_bmsk_wrap = { [T_b32] = bmsk_wrap_32 };
static inline s32
sign_from(u32 a, u32 n)
{
	return n ? n < 32 ? (s32)(a << (32 - n)) >> (32 - n) : (s32)a : 0;
}
FN2(szext_clamp_u32, u32, u32, u32, a &low_bits(b))
FN2(szext_clamp_s32, u32, u32, u32, sign_from(a, b))
FN2(szext_wrap_u32, u32, u32, u32, a &low_bits(b & 31))
FN2(szext_wrap_s32, u32, u32, u32, sign_from(a, b & 31))
alu_table alu_szext_clamp = { [T_u32] = szext_clamp_u32, [T_s32] = szext_clamp_s32 };
alu_table alu_szext_wrap = { [T_u32] = szext_wrap_u32, [T_s32] = szext_wrap_s32 };

#define DP4A(name, TA, TB)                                                                         \
	static inline u32 dot_##name(u32 a, u32 b, u32 c)                                          \
	{                                                                                          \
		for (unsigned k = 0; k < 32; k += 8)                                               \
			c += (u32)((s32)(TA)(a >> k) * (s32)(TB)(b >> k));                         \
		return c;                                                                          \
	}                                                                                          \
	FN3(dp4a_##name, u32, u32, u32, u32, dot_##name(a, b, c))                                  \
	alu_table alu_dp4a_##name = { [T_u32] = dp4a_##name, [T_s32] = dp4a_##name };
DP4A(uu, uint8_t, uint8_t)
DP4A(us, uint8_t, int8_t)
DP4A(su, int8_t, uint8_t)
DP4A(ss, int8_t, int8_t)

#define DP2A(name, half, TA, TB)                                                                   \
	FN3(dp2a_##name, u32, u32, u32, u32,                                                       \
	    c + (u32)((s32)(TA)a * (s32)(TB)(b >> half)) +                                         \
		    (u32)((s32)(TA)(a >> 16) * (s32)(TB)(b >> (half + 8))))                        \
	alu_table alu_dp2a_##name = { [T_u32] = dp2a_##name, [T_s32] = dp2a_##name };
DP2A(lo_uu, 0, u16, uint8_t)
DP2A(lo_us, 0, u16, int8_t)
DP2A(lo_su, 0, s16, uint8_t)
DP2A(lo_ss, 0, s16, int8_t)
DP2A(hi_uu, 16, u16, uint8_t)
DP2A(hi_us, 16, u16, int8_t)
DP2A(hi_su, 16, s16, uint8_t)
DP2A(hi_ss, 16, s16, int8_t)

FN(lop3_32)
{
	u32 *d = dv;
	const u32 *a = s[0], *b = s[1], *c = s[2], *table = s[3];
	u32 t = table[0];

	LANES {
		u32 r = 0;

		for (unsigned k = 0; k < 8; k++) {
			u32 term = (k & 4 ? a[l] : ~a[l]) & (k & 2 ? b[l] : ~b[l]) & (k & 1 ? c[l] : ~c[l]);
			r |= t >> k & 1 ? term : 0;
		}
		d[l] = r;
	}
}
alu_table alu_lop3 = { [T_b32] = lop3_32 };

/* -- Shifts: counts clamp to the width ---------------------------------------------------- */

FN2(shl_16, u16, u16, u32, b < 16 ? (u32)a << b : 0)
FN2(shl_32, u32, u32, u32, b < 32 ? a << b : 0)
FN2(shl_64, u64, u64, u32, b < 64 ? a << b : 0)
TABLE3(shl)
FN2(shr_u16, u16, u16, u32, b < 16 ? a >> b : 0)
FN2(shr_u32, u32, u32, u32, b < 32 ? a >> b : 0)
FN2(shr_u64, u64, u64, u32, b < 64 ? a >> b : 0)
FN2(shr_s16, s16, s16, u32, a >> (b < 15 ? b : 15))
FN2(shr_s32, s32, s32, u32, a >> (b < 31 ? b : 31))
FN2(shr_s64, s64, s64, u32, a >> (b < 63 ? b : 63))
alu_table alu_shr = { [T_u16] = shr_u16, [T_b16] = shr_u16, [T_s16] = shr_s16, [T_u32] = shr_u32,
		      [T_b32] = shr_u32,
		      [T_s32] = shr_s32, [T_u64] = shr_u64, [T_b64] = shr_u64, [T_s64] = shr_s64 };

#define PAIR ((u64)b << 32 | a)
FN3(shf_l_wrap, u32, u32, u32, u32, PAIR << (c & 31) >> 32)
FN3(shf_l_clamp, u32, u32, u32, u32, PAIR << (c < 32 ? c : 32) >> 32)
FN3(shf_r_wrap, u32, u32, u32, u32, PAIR >> (c & 31))
FN3(shf_r_clamp, u32, u32, u32, u32, PAIR >> (c < 32 ? c : 32))
alu_table alu_shf_l_wrap = { [T_b32] = shf_l_wrap }, alu_shf_l_clamp = { [T_b32] = shf_l_clamp },
	  alu_shf_r_wrap = { [T_b32] = shf_r_wrap }, alu_shf_r_clamp = { [T_b32] = shf_r_clamp };

/* Selects each byte with a 3-bit number; bit 3 replicates the byte's sign. */
static inline u32
permute(u64 pair, u32 sel)
{
	u32 d = 0;

	for (unsigned k = 0; k < 4; k++, sel >>= 4) {
		u32 byte = (u32)(pair >> 8 * (sel & 7)) & 255;

		if (sel & 8)
			byte = byte & 128 ? 255 : 0;
		d |= byte << 8 * k;
	}
	return d;
}
FN3(prmt, u32, u32, u32, u32, permute(PAIR, c))
alu_table alu_prmt = { [T_b32] = prmt };
#define PRMT(name, s0, s1, s2, s3)                                                                 \
	static const u16 sel_##name[4] = { s0, s1, s2, s3 };                                       \
	FN3(prmt_##name, u32, u32, u32, u32, permute(PAIR, sel_##name[c & 3]))                     \
	alu_table alu_prmt_##name = { [T_b32] = prmt_##name };
PRMT(f4e, 0x3210, 0x4321, 0x5432, 0x6543)
PRMT(b4e, 0x5670, 0x6701, 0x7012, 0x0123)
PRMT(rc8, 0x0000, 0x1111, 0x2222, 0x3333)
PRMT(ecl, 0x3210, 0x3211, 0x3222, 0x3333)
PRMT(ecr, 0x0000, 0x1110, 0x2210, 0x3210)
PRMT(rc16, 0x1010, 0x3232, 0x1010, 0x3232)

/* -- Selections and moves ----------------------------------------------------------------- */

FN3(slct_16, u16, u16, u16, s32, c >= 0 ? a : b)
FN3(slct_32, u32, u32, u32, s32, c >= 0 ? a : b)
FN3(slct_64, u64, u64, u64, s32, c >= 0 ? a : b)
alu_table alu_slct = { [T_u16] = slct_16, [T_s16] = slct_16, [T_b16] = slct_16, [T_u32] = slct_32,
		       [T_s32] = slct_32, [T_b32] = slct_32, [T_f32] = slct_32, [T_u64] = slct_64,
		       [T_s64] = slct_64, [T_b64] = slct_64, [T_f64] = slct_64 };

FN(mov_16) { memcpy(dv, s[0], 64); }
FN(mov_32) { memcpy(dv, s[0], 128); }
FN(mov_64) { memcpy(dv, s[0], 256); }

lanes_fn *
mov_by_size(uint32_t size)
{
	return size == 8 ? mov_64 : size == 4 ? mov_32 : mov_16;
}
