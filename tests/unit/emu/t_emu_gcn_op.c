/* Wave emulator: single instructions on special and random values, against definitions in plain
 * C. Detects wrong rounding, subnormals, NaNs, modifiers, halves of registers and definedness. */
#include "amd.h"
#include "half_ref.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

extern const struct unit units_emu_gcn_op[];
extern const unsigned n_units_emu_gcn_op;

/* Words a, b and c are in v2 to v4, and the old result d in v5; the new one is read from v5.
 * s4 and s5 contain a and b of the first lane. */
struct in {
	uint32_t a, b, c, d;
};
enum { RECORDS = 64 * 40 };
struct memory {
	struct in in[RECORDS];
};

/* -- Functions of floats and integers ---------------------------------------------------------------- */

static double
flush16(double v)
{
	return fabs(v) < 0x1p-14 ? copysign(0.0, v) : v;
}

static float
flush32(float v)
{
	return fabsf(v) < 0x1p-126f ? copysignf(0.0f, v) : v;
}

static float
f32(uint32_t bits)
{
	float v;

	memcpy(&v, &bits, 4);
	return v;
}

static uint32_t
bits32(float v)
{
	uint32_t bits;

	memcpy(&bits, &v, 4);
	return bits;
}

static double
unit16(double v) /* a clamp of floats */
{
	return v > 0 ? (v < 1 ? v : 1.0) : 0.0;
}

static int64_t
within(int64_t v, int64_t least, int64_t most)
{
	return v < least ? least : v > most ? most : v;
}

/* -- Expected results ------------------------------------------------------------------------------- */

#define LO(x) half((x) & 0xffff)
#define HI(x) half((x) >> 16)
#define SLO(x) ((int64_t)(int16_t)(uint16_t)(x))
#define SHI(x) ((int64_t)(int16_t)(uint16_t)((x) >> 16))
#define ULO(x) ((int64_t)((x) & 0xffff))
#define UHI(x) ((int64_t)((x) >> 16))
#define PAIR(lo, hi) ((uint32_t)(uint16_t)(lo) | (uint32_t)(uint16_t)(hi) << 16)
#define WANT(name, expr) static uint32_t want_##name(const struct in *i) { return (uint32_t)(expr); }

WANT(add, to16(LO(i->a) + LO(i->b)))
WANT(sub, to16(LO(i->a) - LO(i->b)))
WANT(mul, to16(LO(i->a) * LO(i->b)))
WANT(fma, sum16(LO(i->a) * LO(i->b), LO(i->c)))
WANT(fma_sel, sum16(-HI(i->a) * fabs(LO(i->b)), HI(i->c)))
WANT(fmac, sum16(LO(i->a) * LO(i->b), LO(i->d)))
WANT(fmamk, sum16(LO(i->a) * 1.5, LO(i->b)))
WANT(add_clamp, to16(unit16(half(to16(LO(i->a) + LO(i->b))))))
WANT(add_flush, to16(flush16(half(to16(flush16(LO(i->a)) + flush16(LO(i->b)))))))
WANT(mul_twice, to16(flush16(half(to16(flush16(half(to16(flush16(LO(i->a)) * flush16(LO(i->b))))) * 2))) + 0.0))
WANT(cvt_up, bits32((float)LO(i->a)))
WANT(cvt_down, to16((double)f32(i->a)))
WANT(cvt_i16, isnan(LO(i->a)) ? 0 : within((int64_t)fmax(fmin(LO(i->a), 1e5), -1e5), -32768, 32767))
WANT(cvt_u16, isnan(LO(i->a)) ? 0 : within((int64_t)fmax(fmin(LO(i->a), 1e5), -1e5), 0, 65535))
WANT(cvt_of_i16, to16((double)SLO(i->a)))
WANT(cvt_of_u16, to16((double)ULO(i->a)))
WANT(floor, to16(floor(LO(i->a))))
WANT(fract, to16(fmin(half(to16(LO(i->a) - floor(LO(i->a)))), half(0x3bff))))
WANT(ldexp, to16(ldexp(LO(i->a), (int)SLO(i->b))))
WANT(pack, PAIR(i->a, i->b))
WANT(pack_sel, PAIR(i->a >> 16, i->b ^ 0x8000))

/* -0 is below +0, and a NaN is ignored; there is no signaling NaN among the values. */
static uint16_t
least16(uint32_t a, uint32_t b, bool greatest)
{
	double x = half(a & 0xffff), y = half(b & 0xffff);
	bool first = x < y || (x == y && signbit(x));

	if (isnan(x) || isnan(y))
		return (uint16_t)(isnan(x) ? b : a);
	return (uint16_t)(first != greatest ? a : b);
}
WANT(min, least16(i->a, i->b, false))
WANT(max, least16(i->a, i->b, true))
WANT(max3, least16(least16(i->a, i->b, true), i->c, true))
WANT(med3, isnan(LO(i->a)) || isnan(LO(i->b)) || isnan(LO(i->c))
	? least16(least16(i->a, i->b, false), i->c, false)
	: least16(least16(i->a, i->b, false), least16(least16(i->a, i->b, true), i->c, false), true))

/* Sums of integers with a clamp. */
WANT(add_u32, within((int64_t)i->a + i->b, 0, UINT32_MAX))
WANT(sub_u32, within((int64_t)i->a - i->b, 0, UINT32_MAX))
WANT(add_i32, within((int64_t)(int32_t)i->a + (int32_t)i->b, INT32_MIN, INT32_MAX))
WANT(sub_i32, within((int64_t)(int32_t)i->a - (int32_t)i->b, INT32_MIN, INT32_MAX))
WANT(add_u16, within(ULO(i->a) + ULO(i->b), 0, 65535))
WANT(add_i16, (uint16_t)within(SLO(i->a) + SLO(i->b), -32768, 32767))
WANT(sub_i16, (uint16_t)within(SLO(i->a) - SLO(i->b), -32768, 32767))
WANT(mad_i16, (uint16_t)within(SLO(i->a) * SLO(i->b) + SLO(i->c), -32768, 32767))
WANT(mad_u16, within(ULO(i->a) * ULO(i->b) + ULO(i->c), 0, 65535))

WANT(pk_add, PAIR(to16(LO(i->a) + LO(i->b)), to16(HI(i->a) + HI(i->b))))
WANT(pk_fma, PAIR(sum16(LO(i->a) * LO(i->b), LO(i->c)), sum16(HI(i->a) * HI(i->b), HI(i->c))))
WANT(pk_fma_sel, PAIR(sum16(-HI(i->a) * LO(i->b), LO(i->c)), sum16(LO(i->a) * LO(i->b), -HI(i->c))))
WANT(pk_mul_1, PAIR(to16(LO(i->a)), to16(HI(i->a) * 0.0)))
WANT(pk_add_clamp, PAIR(to16(unit16(half(to16(LO(i->a) + LO(i->b))))), to16(unit16(half(to16(HI(i->a) + HI(i->b)))))))
WANT(pk_max, PAIR(least16(i->a, i->b, true), least16(i->a >> 16, i->b >> 16, true)))
WANT(pk_add_u16, PAIR(ULO(i->a) + ULO(i->b), UHI(i->a) + UHI(i->b)))
WANT(pk_sub_i16, PAIR(within(SLO(i->a) - SLO(i->b), -32768, 32767), within(SHI(i->a) - SHI(i->b), -32768, 32767)))
WANT(pk_mad_u16, PAIR(ULO(i->a) * ULO(i->b) + ULO(i->c), UHI(i->a) * UHI(i->b) + UHI(i->c)))
WANT(pk_lshl, PAIR(ULO(i->b) << (i->a & 15), UHI(i->b) << (i->a >> 16 & 15)))
WANT(pk_ashr, PAIR(SLO(i->b) >> (i->a & 15), SHI(i->b) >> (i->a >> 16 & 15)))
WANT(pk_min_i16, PAIR(SLO(i->a) < SLO(i->b) ? i->a : i->b, SHI(i->a) < SHI(i->b) ? i->a >> 16 : i->b >> 16))

/* v_fma_mix rounds to 32 bits; its 16-bit forms round again. */
WANT(mix, bits32(fmaf((float)LO(i->a), (float)HI(i->b), f32(i->c))))
WANT(mix_abs, bits32(fmaf(-fabsf((float)LO(i->a)), f32(i->b), fabsf(f32(i->c)))))
WANT(mixlo, PAIR(to16((double)fmaf((float)LO(i->a), (float)LO(i->b), (float)LO(i->c))), i->d >> 16))
WANT(mixhi, PAIR(i->d, to16((double)fmaf(f32(i->a), f32(i->b), f32(i->c)))))

/* v_mad_f32 rounds twice, and flushes subnormals. */
WANT(mad, bits32(flush32(flush32(flush32(f32(i->a)) * flush32(f32(i->b))) + flush32(f32(i->c)))))
WANT(madmk, bits32(flush32(flush32(flush32(f32(i->a)) * 1.5f) + flush32(f32(i->b)))))
WANT(add32_flush, bits32(flush32(flush32(f32(i->a)) + flush32(f32(i->b)))))
/* A result that halving would make subnormal is zero. */
static uint32_t
want_mul32_half(const struct in *i)
{
	float v = flush32(flush32(f32(i->a)) * flush32(f32(i->b)));

	return bits32(fabsf(v) < 0x1p-125f ? 0.0f : v * 0.5f);
}

/* Returns v rounded toward zero to a half. */
static uint16_t
toward_zero(float v)
{
	uint16_t h = to16((double)v);

	return isfinite(v) && fabs(half(h)) > fabs((double)v) ? (uint16_t)(h - 1) : h;
}
/* Returns the nearest bfloat16: a multiple of its unit in the last place. */
static uint32_t
bfloat(float v)
{
	double unit;
	int e = 0;

	if (isnan(v) || isinf(v))
		return bits32(v) >> 16 | (isnan(v) ? 0x40 : 0);
	(void)frexp((double)v, &e);
	unit = ldexp(1, e - 8 < -133 ? -133 : e - 8);
	return bits32((float)(rint((double)v / unit) * unit)) >> 16;
}
WANT(pk_bf16, PAIR(bfloat(f32(i->a)), bfloat(f32(i->b))))
WANT(pk_half32, bits32(f32(i->a) * 0.5f))
WANT(pk_rtz, PAIR(toward_zero(f32(i->a)), toward_zero(f32(i->b))))
WANT(pk_u16_u32, PAIR(i->a > 0xffff ? 0xffff : i->a, i->b > 0xffff ? 0xffff : i->b))
WANT(pk_i16_i32, PAIR(within((int32_t)i->a, -32768, 32767), within((int32_t)i->b, -32768, 32767)))
WANT(cmp_lt, LO(i->a) < LO(i->b))
WANT(cmp_nge, !(LO(i->a) >= LO(i->b)))
WANT(cmp_i16, SLO(i->a) > SLO(i->b))
static uint32_t
want_bitop3(const struct in *i)
{
	uint32_t d = 0;

	for (unsigned n = 0; n < 32; n++)
		d |= (0x1bu >> ((i->a >> n & 1) * 4 + (i->b >> n & 1) * 2 + (i->c >> n & 1)) & 1) << n;
	return d;
}

/* -- Rows ---------------------------------------------------------------------------------------------- */

enum kind { H16, F32, P16, INT, BOOL }; /* of the result: a half, a float, two halves, bits, a lane mask */
enum { V = 1, C = 2, R10 = 4, R11 = 8, R12 = 16, ALL9 = V | C };
static const struct target {
	unsigned bit;
	const char *name;
} targets[] = { { V, "gfx906" }, { C, "gfx942" }, { R10, "gfx1030" }, { R11, "gfx1100" }, { R12, "gfx1200" },
		{ 32, "gfx90a" }, { 64, "gfx1150" }, { 128, "gfx950" } };
enum { G90A = 32, G1150 = 64, G950 = 128 };
/* Float modes that keep subnormals, or flush them as -fgpu-flush-denormals-to-zero does. */
enum { KEEP = 0x1f0, FLUSH = 0x100 };

/* clang-format off */
static const struct row {
	unsigned targets, mode;
	enum kind kind;
	bool keeps; /* a half keeps the other half of the register on every target */
	uint32_t (*want)(const struct in *i);
	const char *text;
} rows[] = {
	{ ALL9|R10, KEEP, H16, false, want_add, "v_add_f16_e32 v5, v2, v3" },
	{ R11|R12, KEEP, H16, false, want_add, "v_add_f16_e32 v5.l, v2.l, v3.l" },
	{ ALL9|R10, KEEP, H16, false, want_sub, "v_subrev_f16_e32 v5, v3, v2" },
	{ ALL9|R10, KEEP, H16, false, want_mul, "v_mul_f16_e64 v5, v2, v3" },
	{ ALL9|R10, KEEP, H16, true, want_fma, "v_fma_f16 v5, v2, v3, v4" },
	{ ALL9|R10, KEEP, H16, true, want_fma_sel, "v_fma_f16 v5, -v2, |v3|, v4 op_sel:[1,0,1,0]" },
	{ R11|R12, KEEP, H16, true, want_fma_sel, "v_fma_f16 v5.l, -v2.h, |v3.l|, v4.h" },
	{ R10, KEEP, H16, true, want_fmac, "v_fmac_f16_e32 v5, v2, v3" },
	{ R10, KEEP, H16, true, want_fmamk, "v_fmamk_f16 v5, v2, 0x3e00, v3" },
	{ ALL9|R10, KEEP, H16, false, want_add_clamp, "v_add_f16_e64 v5, v2, v3 clamp" },
	{ ALL9|R10, FLUSH, H16, false, want_add_flush, "v_add_f16_e32 v5, v2, v3" },
	{ ALL9|R10, FLUSH, H16, false, want_mul_twice, "v_mul_f16_e64 v5, v2, v3 mul:2" },
	{ ALL9|R10, KEEP, H16, false, want_mul, "v_mul_f16_e64 v5, v2, v3 mul:2" }, /* ignored */
	{ ALL9|R10, KEEP, F32, false, want_cvt_up, "v_cvt_f32_f16_e32 v5, v2" },
	{ R11|R12, KEEP, F32, false, want_cvt_up, "v_cvt_f32_f16_e32 v5, v2.l" },
	{ G950, KEEP, INT, false, want_pk_bf16, "v_cvt_pk_bf16_f32 v5, v2, v3" },
	{ ALL9|R10, KEEP, H16, false, want_cvt_down, "v_cvt_f16_f32_e32 v5, v2" },
	{ ALL9|R10, KEEP, INT, false, want_cvt_i16, "v_cvt_i16_f16_e32 v5, v2\nv_bfe_i32 v5, v5, 0, 16" },
	{ ALL9|R10, KEEP, INT, false, want_cvt_u16, "v_cvt_u16_f16_e32 v5, v2\nv_and_b32_e32 v5, 0xffff, v5" },
	{ ALL9|R10, KEEP, H16, false, want_cvt_of_i16, "v_cvt_f16_i16_e32 v5, v2" },
	{ ALL9|R10, KEEP, H16, false, want_cvt_of_u16, "v_cvt_f16_u16_e32 v5, v2" },
	{ ALL9|R10, KEEP, H16, false, want_floor, "v_floor_f16_e32 v5, v2" },
	{ ALL9|R10, KEEP, H16, false, want_fract, "v_fract_f16_e32 v5, v2" },
	{ ALL9|R10, KEEP, H16, false, want_ldexp, "v_ldexp_f16_e32 v5, v2, v3" },
	{ ALL9|R10|R12, KEEP, INT, false, want_pack, "v_pack_b32_f16 v5, v2, v3" },
	{ ALL9|R10, KEEP, INT, false, want_pack_sel, "v_pack_b32_f16 v5, v2, -v3 op_sel:[1,0,0]" },
	{ ALL9|R10, KEEP, H16, false, want_min, "v_min_f16_e32 v5, v2, v3" },
	{ ALL9|R10, KEEP, H16, false, want_max, "v_max_f16_e32 v5, v2, v3" },
	{ R11, KEEP, H16, false, want_max, "v_max_f16_e32 v5.l, v2.l, v3.l" },
	{ ALL9|R10, KEEP, H16, true, want_max3, "v_max3_f16 v5, v2, v3, v4" },
	{ ALL9|R10, KEEP, H16, true, want_med3, "v_med3_f16 v5, v2, v3, v4" },
	{ ALL9, KEEP, INT, false, want_add_u32, "v_add_u32_e64 v5, v2, v3 clamp" },
	{ R10|R11|R12, KEEP, INT, false, want_add_u32, "v_add_nc_u32_e64 v5, v2, v3 clamp" },
	{ R10|R11|R12, KEEP, INT, false, want_sub_u32, "v_subrev_nc_u32_e64 v5, v3, v2 clamp" },
	{ ALL9, KEEP, INT, false, want_add_i32, "v_add_i32 v5, v2, v3 clamp" },
	{ R10|R11|R12, KEEP, INT, false, want_sub_i32, "v_sub_nc_i32 v5, v2, v3 clamp" },
	{ ALL9, KEEP, INT, false, want_add_u16, "v_add_u16_e64 v5, v2, v3 clamp" },
	{ ALL9, KEEP, INT, false, want_add_i16, "v_add_i16 v5, v2, v3 clamp\nv_and_b32_e32 v5, 0xffff, v5" },
	{ R10, KEEP, INT, false, want_sub_i16, "v_sub_nc_i16 v5, v2, v3 clamp\nv_and_b32_e32 v5, 0xffff, v5" },
	{ ALL9|R10, KEEP, INT, false, want_mad_i16, "v_mad_i16 v5, v2, v3, v4 clamp\nv_and_b32_e32 v5, 0xffff, v5" },
	{ ALL9|R10, KEEP, INT, false, want_mad_u16, "v_mad_u16 v5, v2, v3, v4 clamp\nv_and_b32_e32 v5, 0xffff, v5" },
	{ ALL9|R10|R11|R12, KEEP, P16, false, want_pk_add, "v_pk_add_f16 v5, v2, v3" },
	{ ALL9|R10|R11|R12, KEEP, P16, false, want_pk_fma, "v_pk_fma_f16 v5, v2, v3, v4" },
	{ ALL9|R10|R11|R12, KEEP, P16, false, want_pk_fma_sel, "v_pk_fma_f16 v5, v2, v3, v4 op_sel:[1,0,0] op_sel_hi:[0,0,1] neg_lo:[1,0,0] neg_hi:[0,0,1]" },
	{ ALL9|R10|R11|R12, KEEP, P16, false, want_pk_mul_1, "v_pk_mul_f16 v5, v2, 1.0" },
	{ ALL9|R10|R11|R12, KEEP, P16, false, want_pk_add_clamp, "v_pk_add_f16 v5, v2, v3 clamp" },
	{ ALL9|R10|R11, KEEP, P16, false, want_pk_max, "v_pk_max_f16 v5, v2, v3" },
	{ R12, KEEP, P16, false, want_pk_max, "v_pk_max_num_f16 v5, v2, v3" },
	{ ALL9|R10|R11|R12, KEEP, INT, false, want_pk_add_u16, "v_pk_add_u16 v5, v2, v3" },
	{ ALL9|R10|R11|R12, KEEP, INT, false, want_pk_sub_i16, "v_pk_sub_i16 v5, v2, v3 clamp" },
	{ ALL9|R10|R11|R12, KEEP, INT, false, want_pk_mad_u16, "v_pk_mad_u16 v5, v2, v3, v4" },
	{ ALL9|R10|R11|R12, KEEP, INT, false, want_pk_lshl, "v_pk_lshlrev_b16 v5, v2, v3" },
	{ ALL9|R10|R11|R12, KEEP, INT, false, want_pk_ashr, "v_pk_ashrrev_i16 v5, v2, v3" },
	{ ALL9|R10|R11|R12, KEEP, INT, false, want_pk_min_i16, "v_pk_min_i16 v5, v2, v3" },
	{ ALL9|R10|R11|R12, KEEP, F32, false, want_mix, "v_fma_mix_f32 v5, v2, v3, v4 op_sel:[0,1,0] op_sel_hi:[1,1,0]" },
	{ ALL9|R10|R11|R12, KEEP, F32, false, want_mix_abs, "v_fma_mix_f32 v5, -|v2|, v3, |v4| op_sel_hi:[1,0,0]" },
	{ ALL9|R10|R11|R12, KEEP, P16, false, want_mixlo, "v_fma_mixlo_f16 v5, v2, v3, v4 op_sel_hi:[1,1,1]" },
	{ ALL9|R10|R11|R12, KEEP, P16, false, want_mixhi, "v_fma_mixhi_f16 v5, v2, v3, v4" },
	{ V|G90A, KEEP, F32, false, want_mad, "v_mad_f32 v5, v2, v3, v4" },
	{ V|G90A, FLUSH, F32, false, want_mad, "v_mad_f32 v5, v2, v3, v4" },
	{ V|G90A, FLUSH, F32, false, want_madmk, "v_madmk_f32 v5, v2, 0x3fc00000, v3" },
	{ ALL9|R10|R11|R12, FLUSH, F32, false, want_add32_flush, "v_add_f32_e32 v5, v2, v3" },
	{ ALL9|R10|R11|R12, FLUSH, F32, false, want_mul32_half, "v_mul_f32_e64 v5, v2, v3 div:2" },
	{ V|C, KEEP, P16, false, want_pk_rtz, "v_cvt_pkrtz_f16_f32 v5, v2, v3" },
	{ R10, KEEP, P16, false, want_pk_rtz, "v_cvt_pkrtz_f16_f32_e32 v5, v2, v3" },
	{ ALL9|R10|R11|R12, KEEP, INT, false, want_pk_u16_u32, "v_cvt_pk_u16_u32 v5, v2, v3" },
	{ ALL9|R10|R11|R12, KEEP, INT, false, want_pk_i16_i32, "v_cvt_pk_i16_i32 v5, v2, v3" },
	{ ALL9, KEEP, BOOL, false, want_cmp_lt, "v_cmp_lt_f16_e32 vcc, v2, v3" },
	{ R10, KEEP, BOOL, false, want_cmp_lt, "v_cmp_lt_f16_e32 vcc_lo, v2, v3" },
	{ R10, KEEP, BOOL, false, want_cmp_nge, "v_cmp_nge_f16_e32 vcc_lo, v2, v3" },
	{ ALL9, KEEP, BOOL, false, want_cmp_i16, "v_cmp_gt_i16_e32 vcc, v2, v3" },
	{ R10, KEEP, BOOL, false, want_cmp_i16, "v_cmp_gt_i16_e32 vcc_lo, v2, v3" },
	{ V, KEEP, H16, false, want_add, "v_add_f16_sdwa v5, v2, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:WORD_0" },
	{ G90A|C, KEEP, F32, false, want_pk_half32, "v_pk_mul_f32 v[4:5], v[2:3], 0.5 op_sel:[0,0] op_sel_hi:[0,0]" },
	{ G950, KEEP, INT, false, want_bitop3, "v_bitop3_b32 v5, v2, v3, v4 bitop3:0x1b" },
	{ G950, KEEP, P16, false, want_pk_add, "v_pk_add_f16 v5, v2, v3" },
};
/* clang-format on */

/* -- Execution ------------------------------------------------------------------------------------------ */

static const uint16_t special[] = { 0, 0x8000, 0x3c00, 0xbc00, 1, 0x8001, 0x3ff, 0x83ff, 0x400, 0x8400, 0x401, 0x7bff, 0xfbff,
				    0x7c00, 0xfc00, 0x7e00, 0xfe55, 0x3800, 0x3e00, 0x4100, 0x6800, 0x6801, 0x7800, 0x3c01, 0x1400, 0x5bff };
static const uint32_t special32[] = { 0, 0x80000000, 0x3f800000, 0xbf800000, 1, 0x80000001, 0x7fffff, 0x800000, 0x80800001,
				      0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x33000000, 0x33000001, 0x477fefff,
				      0x477ff000, 0x38800000, 0x387fffff, 0x3f801000, 0x3f803000, 0x00ffffff, 0x1f800000, 0x20000000 };

static uint32_t
value(struct unit_rng *rng, bool wide)
{
	uint32_t v = (uint32_t)(unit_random(rng) >> 24), k = v % 4;

	if (wide)
		return k ? special32[v / 4 % QD_COUNT(special32)] + (k == 1 ? v >> 30 : 0) : (uint32_t)(unit_random(rng) >> 20);
	for (uint32_t at = 0; at < 32 && k; at += 16)
		v = (v & ~(0xffffu << at)) | (uint32_t)special[unit_random(rng) / 97 % QD_COUNT(special)] << at;
	if (k == 3) /* one half is special */
		v = (v & 0xffff) | (uint32_t)(unit_random(rng) >> 20) << 16;
	for (uint32_t at = 0; at < 32; at += 16) /* no signaling NaNs, whose results differ by mode */
		if ((v >> at & 0x7c00) == 0x7c00 && (v >> at & 0x3ff))
			v |= 0x200u << at;
	return v;
}

static bool
same(const struct row *row, unsigned gfx9, const struct in *i, uint32_t got, uint32_t *want)
{
	*want = row->want(i);
	if (row->kind == H16)
		*want |= gfx9 && !row->keeps ? 0 : i->d & 0xffff0000;
	switch (row->kind) {
	case F32: return got == *want || (isnan(f32(got)) && isnan(f32(*want)));
	case H16:
	case P16:
		for (unsigned at = 0; at < 32; at += 16)
			if ((got >> at & 0xffff) != (*want >> at & 0xffff) &&
			    !(isnan(half(got >> at & 0xffff)) && isnan(half(*want >> at & 0xffff))))
				return false;
		return true;
	default: return got == *want;
	}
}

/* The words are at s[0:1]. */
static void
program(char *out, size_t size, const struct gcn_target *g, const struct row *row)
{
	bool named = g->gen >= GCN_G11;

	snprintf(out, size,
		 "v_lshlrev_b32_e32 v1, 4, v0\n%s v[2:5], v1, s[0:1]\n%s\n%s\n%s%s v1, v5, s[0:1] offset:12\ns_endpgm\n",
		 named ? "global_load_b128" : "global_load_dwordx4",
		 g->gen >= GCN_G12 ? "s_wait_loadcnt 0x0" : "s_waitcnt vmcnt(0)", row->text,
		 row->kind != BOOL  ? ""
		 : g->wave == 64    ? "s_nop 1\nv_cndmask_b32_e64 v5, 0, 1, vcc\n"
				    : "v_cndmask_b32_e64 v5, 0, 1, vcc_lo\n",
		 named ? "global_store_b32" : "global_store_dword");
}

static qd_status
run_all(struct pool *pool, struct arena *mem, const struct gcn_target *g, const char *text, uint32_t mode,
	struct memory *m, struct qd_error *e)
{
	enum { BASE = 0x100000 };
	struct amd_range range = { BASE, sizeof *m, m, false };
	struct amd_code *code;
	uint32_t words[64], user[2] = { 0 };
	size_t n = 0;

	QD_TRY(gcn_assemble(g, text, strlen(text), words, QD_COUNT(words), &n, e));
	QD_TRY(amd_code_create(pool, g, words, n, &code, e));
	struct amd_start start = { .n_vgprs = 16, .user = user, .n_user = 2, .mode = mode, .dispatch_ptr = AMD_NONE,
				   .kernarg_ptr = AMD_NONE, .dispatch_id = AMD_NONE, .scratch_init = AMD_NONE };
	struct amd_launch l = { .code = code, .start = &start, .grid = { 1, 1, 1 }, .block = { g->wave, 1, 1 },
				.ranges = &range, .n_ranges = 1, .max_steps = 100, .seed = 5 };
	qd_status st = QD_OK;
	for (uint32_t at = 0; at < RECORDS && st == QD_OK; at += g->wave) {
		user[0] = BASE + at * (uint32_t)sizeof m->in[0];
		st = amd_run(mem, &l, e);
	}
	amd_code_free(code);
	return st;
}

static void
operations(struct unit_ctx *t)
{
	struct memory *m = malloc(sizeof *m), *old = malloc(sizeof *old);
	bool inject = getenv("QD_TEST_MUTATION") != NULL;
	struct unit_rng rng = { 3 };
	struct qd_error e;
	struct arena mem;
	struct pool pool;
	char text[600];

	UNIT_CHECK(t, m && old, "out of memory");
	pool_init(&pool, &pool_malloc);
	arena_init(&mem, &pool);
	for (size_t r = 0; m && old && r < QD_COUNT(rows); r++) {
		bool wide = rows[r].kind == F32 || strstr(rows[r].text, "_f32") || rows[r].kind == INT;
		for (uint32_t i = 0; i < RECORDS; i++)
			old->in[i] = (struct in){ value(&rng, wide && i % 2), value(&rng, wide && i % 2), value(&rng, wide && i % 2),
						  (uint32_t)(unit_random(&rng) >> 20) & 0x3bff3bff };
		for (size_t k = 0; k < QD_COUNT(targets); k++) {
			const struct gcn_target *g = gcn_target_find(targets[k].name, 0);
			uint32_t want = 0, i = 0;
			if (!(rows[r].targets & targets[k].bit))
				continue;
			memcpy(m, old, sizeof *m);
			program(text, sizeof text, g, &rows[r]);
			qd_status st = run_all(&pool, &mem, g, text, rows[r].mode, m, &e);
			m->in[7].d ^= inject;
			inject = false;
			while (i < RECORDS && !st && same(&rows[r], g->gen < GCN_G10, &old->in[i], m->in[i].d, &want))
				i++;
			UNIT_CHECK(t, !st, "%s: %s: %s", g->name, rows[r].text, e.text);
			UNIT_CHECK(t, st || i == RECORDS, "%s: %s: of 0x%x, 0x%x, 0x%x, old 0x%x: 0x%x, not 0x%x", g->name,
				   rows[r].text, old->in[i % RECORDS].a, old->in[i % RECORDS].b, old->in[i % RECORDS].c,
				   old->in[i % RECORDS].d, m->in[i % RECORDS].d, want);
		}
	}
	arena_fini(&mem);
	pool_fini(&pool);
	free(m);
	free(old);
}

/* A 16-bit operation reads only 16 bits: what the other half contains, and whether it is defined,
 * does not matter. v2 and v3 have a defined lower half; v8 is undefined. */
static void
definedness(struct unit_ctx *t)
{
	/* clang-format off */
	static const struct {
		const char *name, *text;
		bool undefined;
	} cases[] = {
		{ "gfx1010", "v_cmp_gt_i16_e32 vcc_lo, v2, v3\ns_and_saveexec_b32 s4, vcc_lo", false },
		{ "gfx1030", "v_cmp_gt_i16_e32 vcc_lo, v2, v3\ns_and_saveexec_b32 s4, vcc_lo", false },
		{ "gfx1030", "v_cmp_lt_u16_e64 s6, v2, v3\ns_and_saveexec_b32 s4, s6", false },
		{ "gfx1030", "v_cmpx_lt_f16_e32 v2, v3", false },
		{ "gfx1030", "v_cmp_class_f16_e64 s6, v2, 3\ns_and_saveexec_b32 s4, s6", false },
		{ "gfx906", "v_cmp_le_f16_e32 vcc, v2, v3\ns_and_saveexec_b64 s[4:5], vcc", false },
		{ "gfx906", "v_add_u16_e32 v2, v2, v3\nv_readfirstlane_b32 s4, v2\ns_cmp_eq_u32 s4, 0\ns_cbranch_scc0 0", false },
		{ "gfx906", "v_max_i16_e32 v2, v2, v3\nv_readfirstlane_b32 s4, v2\ns_cmp_eq_u32 s4, 0\ns_cbranch_scc0 0", false },
		{ "gfx90a", "v_cvt_f32_f16_e32 v2, v2\nv_readfirstlane_b32 s4, v2\ns_cmp_eq_u32 s4, 0\ns_cbranch_scc0 0", false },
		{ "gfx1030", "v_cvt_f32_ubyte1_e32 v2, v2\nv_readfirstlane_b32 s4, v2\ns_cmp_eq_u32 s4, 0\ns_cbranch_scc0 0", false },
		{ "gfx1030", "v_bfrev_b32_e32 v2, v2\nv_lshrrev_b32_e32 v2, 16, v2\nv_readfirstlane_b32 s4, v2\ns_cmp_eq_u32 s4, 0\ns_cbranch_scc0 0", false },
		{ "gfx1030", "v_or_b32_e32 v2, 4, v2\nv_ffbl_b32_e32 v2, v2\nv_readfirstlane_b32 s4, v2\ns_cmp_eq_u32 s4, 0\ns_cbranch_scc0 0", false },
		{ "gfx1030", "v_ffbl_b32_e32 v2, v2\nv_readfirstlane_b32 s4, v2\ns_cmp_eq_u32 s4, 0\ns_cbranch_scc0 0", true },
		{ "gfx1030", "v_cvt_f32_ubyte2_e32 v2, v2\nv_readfirstlane_b32 s4, v2\ns_cmp_eq_u32 s4, 0\ns_cbranch_scc0 0", true },
		{ "gfx1030", "v_cmp_gt_i16_e32 vcc_lo, v2, v8\ns_and_saveexec_b32 s4, vcc_lo", true },
		{ "gfx1030", "v_cmp_gt_i32_e32 vcc_lo, v2, v3\ns_and_saveexec_b32 s4, vcc_lo", true },
	};
	/* clang-format on */
	struct memory *m = calloc(1, sizeof *m);
	struct qd_error e;
	struct arena mem;
	struct pool pool;
	char text[600];

	UNIT_CHECK(t, m != NULL, "out of memory");
	pool_init(&pool, &pool_malloc);
	arena_init(&mem, &pool);
	for (size_t k = 0; m && k < QD_COUNT(cases); k++) {
		snprintf(text, sizeof text,
			 "v_lshlrev_b32_e32 v1, 4, v0\nglobal_load_short_d16 v2, v1, s[0:1]\n"
			 "global_load_short_d16 v3, v1, s[0:1] offset:4\ns_waitcnt vmcnt(0)\n%s\ns_endpgm\n", cases[k].text);
		e.text[0] = 0;
		qd_status st = run_all(&pool, &mem, gcn_target_find(cases[k].name, 0), text, KEEP, m, &e);
		UNIT_CHECK(t, cases[k].undefined ? st == QD_E_FINDING && strstr(e.text, "undefined") : st == QD_OK, "%s: %s: %s",
			   cases[k].name, cases[k].text, e.text);
	}
	arena_fini(&mem);
	pool_fini(&pool);
	free(m);
}

/* Registers that m0 selects: v2 to v4 are a, b and c; m0 is 1, 2 or 3 by the case. */
static void
indices(struct unit_ctx *t)
{
	/* clang-format off */
	static const struct {
		const char *name, *text;
		uint32_t want; /* the word, as an index into struct in; or a constant above 3 */
		const char *finding;
	} cases[] = {
		{ "gfx1030", "s_mov_b32 m0, 1\nv_movrels_b32_e32 v5, v2", 1, NULL },
		{ "gfx1100", "s_mov_b32 m0, 2\nv_movrels_b32_e32 v5, v2", 2, NULL },
		{ "gfx1200", "s_mov_b32 m0, 3\nv_movreld_b32_e32 v2, v3", 1, NULL },
		{ "gfx1030", "s_mov_b32 m0, 0x30001\nv_movrelsd_2_b32_e32 v2, v2", 1, NULL },
		{ "gfx906", "s_mov_b32 s4, 1\ns_set_gpr_idx_on s4, gpr_idx(SRC0)\nv_mov_b32_e32 v5, v2\ns_set_gpr_idx_off", 1, NULL },
		{ "gfx942", "s_mov_b32 s4, 3\ns_set_gpr_idx_on s4, gpr_idx(DST)\nv_mov_b32_e32 v2, v4\ns_set_gpr_idx_off", 2, NULL },
		{ "gfx906", "s_mov_b32 s5, 77\ns_mov_b32 m0, 1\ns_nop 0\ns_movrels_b32 s6, s4\nv_mov_b32_e32 v5, s6", 77, NULL },
		{ "gfx1030", "s_mov_b32 s6, 78\ns_mov_b32 m0, 2\ns_movreld_b32 s3, s6\nv_mov_b32_e32 v5, s5", 78, NULL },
		{ "gfx1030", "s_mov_b32 m0, 400\nv_movrels_b32_e32 v5, v2", 0, "m0 is 0x190: the indexed register does not exist" },
		{ "gfx1030", "v_movrels_b32_e32 v5, v2", 0, "m0 is undefined" },
	};
	/* clang-format on */
	struct memory *m = malloc(sizeof *m);
	struct qd_error e;
	struct arena mem;
	struct pool pool;
	char text[600];

	UNIT_CHECK(t, m != NULL, "out of memory");
	pool_init(&pool, &pool_malloc);
	arena_init(&mem, &pool);
	for (size_t k = 0; m && k < QD_COUNT(cases); k++) {
		const struct gcn_target *g = gcn_target_find(cases[k].name, 0);
		struct row row = { .text = cases[k].text, .kind = INT };
		for (uint32_t i = 0; i < RECORDS; i++)
			m->in[i] = (struct in){ 3 * i + 100, 5 * i + 200, 7 * i + 300, 0 };
		program(text, sizeof text, g, &row);
		qd_status st = run_all(&pool, &mem, g, text, KEEP, m, &e);
		const struct in *i = &m->in[9];
		uint32_t words[4] = { i->a, i->b, i->c, 0 }, want = cases[k].want > 3 ? cases[k].want : words[cases[k].want];
		UNIT_CHECK(t, cases[k].finding ? st == QD_E_FINDING && strstr(e.text, cases[k].finding) : st == QD_OK && i->d == want,
			   "%s: %s: %u, not %u: %s", cases[k].name, cases[k].text, i->d, want, st ? e.text : "");
	}
	arena_fini(&mem);
	pool_fini(&pool);
	free(m);
}

const struct unit units_emu_gcn_op[] = {
	{ "emu_gcn_op.operations", operations },
	{ "emu_gcn_op.definedness", definedness },
	{ "emu_gcn_op.indices", indices },
};
const unsigned n_units_emu_gcn_op = sizeof units_emu_gcn_op / sizeof *units_emu_gcn_op;
