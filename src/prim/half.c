/* Conversions between f32 and the bits of f16 and bf16: by the machine's instruction, or by operations
 * on bits. */
#include "prim.h"

/* -- Bit operations ------------------------------------------------------------------ */

static uint32_t
widen_f16(struct lg *l, uint32_t bits)
{
	uint32_t sign = lg_imm(l, OP_SHL, lg_imm(l, OP_AND, bits, 0x8000), 16);
	uint32_t em = lg_imm(l, OP_AND, bits, 0x7fff);
	uint32_t wide = lg_imm(l, OP_SHL, em, 13);
	uint32_t normal = lg_imm(l, OP_ADD, wide, 112u << 23);
	uint32_t special = lg_imm(l, OP_ADD, wide, 224u << 23);
	/* A subnormal is the difference between 2^-14 with these mantissa bits and 2^-14.
	 * Operands and result are normal f32 numbers. */
	uint32_t small = lg_bits(l, QD_TYPE_F32, lg_imm(l, OP_ADD, wide, 113u << 23));
	small = lg_bin(l, OP_SUB, small, lg_const(l, QD_TYPE_F32, 113u << 23));
	uint32_t is_small = lg_cmp_imm(l, OP_LT, em, 0x400);
	uint32_t v = lg_select(l, is_small, lg_bits(l, QD_TYPE_U32, small), normal);

	v = lg_select(l, lg_cmp(l, OP_LE, lg_u32(l, 0x7c00), em), special, v);
	return lg_bits(l, QD_TYPE_F32, lg_bin(l, OP_OR, v, sign));
}

/* Returns x >> by, rounded to nearest even. by is below 32, and adding half must not overflow. */
static uint32_t
shift_round(struct lg *l, uint32_t x, uint32_t by)
{
	uint32_t odd = lg_imm(l, OP_AND, lg_bin(l, OP_SHR, x, by), 1);
	uint32_t half = lg_u32(l, 1);

	half = lg_bin(l, OP_SHL, half, lg_imm(l, OP_SUB, by, 1));
	half = lg_bin(l, OP_ADD, lg_imm(l, OP_SUB, half, 1), odd);
	return lg_bin(l, OP_SHR, lg_bin(l, OP_ADD, x, half), by);
}

/* Returns the truncated payload of a NaN. If no payload bit remains, sets `some`, since the
 * result would not be a NaN. */
static uint32_t
payload(struct lg *l, uint32_t bits, uint32_t mask, uint32_t some)
{
	uint32_t empty = lg_cmp_imm(l, OP_EQ, lg_imm(l, OP_AND, bits, mask), 0);

	return lg_select(l, empty, lg_imm(l, OP_OR, bits, some), bits);
}

static uint32_t
narrow_bf16(struct lg *l, uint32_t x, uint32_t is_nan)
{
	uint32_t nan = payload(l, lg_imm(l, OP_SHR, x, 16), 0x7f, 0x40);

	return lg_select(l, is_nan, nan, shift_round(l, x, lg_u32(l, 16)));
}

static uint32_t
narrow_f16(struct lg *l, uint32_t x, uint32_t a, uint32_t is_nan)
{
	uint32_t sign = lg_imm(l, OP_AND, lg_imm(l, OP_SHR, x, 16), 0x8000);
	uint32_t normal = lg_imm(l, OP_SUB, shift_round(l, a, lg_u32(l, 13)), 112u << 10);
	/* Below 2^-14, in units of 2^-24; a shift by 25 leaves nothing. */
	uint32_t mantissa = lg_imm(l, OP_OR, lg_imm(l, OP_AND, a, 0x7fffff), 1u << 23);
	uint32_t places = lg_u32(l, 126);
	places = lg_bin(l, OP_SUB, places, lg_imm(l, OP_SHR, a, 23));
	uint32_t is_small = lg_cmp_imm(l, OP_LT, a, 113u << 23);

	places = lg_imm(l, OP_MIN, places, 25);
	places = lg_select(l, is_small, places, lg_u32(l, 25));
	uint32_t h = lg_select(l, is_small, shift_round(l, mantissa, places), normal);
	uint32_t is_large = lg_cmp(l, OP_LE, lg_u32(l, 0x477ff000), a);
	h = lg_select(l, is_large, lg_u32(l, 0x7c00), h);
	uint32_t nan = lg_imm(l, OP_AND, lg_imm(l, OP_SHR, a, 13), 0x3ff);
	nan = lg_imm(l, OP_OR, payload(l, nan, 0x3ff, 0x200), 0x7c00);
	return lg_bin(l, OP_OR, lg_select(l, is_nan, nan, h), sign);
}

uint32_t
prim_convert_half(struct lg *l, enum op op, uint32_t v)
{
	if (op == OP_WIDEN_F16)
		return widen_f16(l, v);
	uint32_t x = lg_bits(l, QD_TYPE_U32, v);
	uint32_t a = lg_imm(l, OP_AND, x, 0x7fffffff);
	uint32_t is_nan = lg_cmp(l, OP_LT, lg_u32(l, 0x7f800000), a);

	return op == OP_NARROW_BF16 ? narrow_bf16(l, x, is_nan) : narrow_f16(l, x, a, is_nan);
}

/* -- Elements in memory ---------------------------------------------------------------- */

uint32_t
prim_widen_half(struct lg *l, qd_type storage, uint32_t bits)
{
	if (storage == QD_TYPE_BF16)
		return lg_bits(l, QD_TYPE_F32, lg_imm(l, OP_SHL, bits, 16));
	return lg_op(l, OP_WIDEN_F16, QD_TYPE_F32, bits, 0, 0);
}

uint32_t
prim_narrow_half(struct lg *l, qd_type storage, uint32_t v)
{
	return lg_op(l, storage == QD_TYPE_BF16 ? OP_NARROW_BF16 : OP_NARROW_F16, QD_TYPE_U32, v, 0, 0);
}
