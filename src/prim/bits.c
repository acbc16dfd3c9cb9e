/* Counts, shifts, signs and float order, on integers of the machine's own width. Code that moves
 * or compares floats here never rounds, flushes or quiets: it preserves the bits of NaNs and
 * subnormals. */
#include "prim.h"

/* Multiplies by a power of two, or returns 0. */
static uint32_t
multiply_by(struct lg *l, uint32_t a, uint64_t k)
{
	uint32_t log2 = 0;

	if (!k || (k & (k - 1)))
		return 0;
	while (k >> log2 != 1)
		log2++;
	return lg_imm(l, OP_SHL, a, log2);
}

static bool
both_within(struct range x, struct range y, int64_t lo, int64_t hi)
{
	return x.lo >= lo && y.lo >= lo && x.hi <= hi && y.hi <= hi;
}

/* Multiplies numbers of 24 bits, or returns 0. */
static uint32_t
multiply_24(struct lg *l, qd_type t, uint32_t a, uint32_t b)
{
	struct range x, y;

	if (!type_is(t, TM_I32) || !lg_native(l, OP_MUL24, t))
		return 0;
	x = range_of(l, a);
	y = range_of(l, b);
	if (t == QD_TYPE_I32 && both_within(x, y, -(1 << 23), (1 << 23) - 1))
		return lg_raw(l, OP_MUL24, t, a, b, 0);
	if (!both_within(x, y, 0, (1 << 24) - 1))
		return 0;
	a = lg_bits(l, QD_TYPE_U32, a);
	b = lg_bits(l, QD_TYPE_U32, b);
	return lg_bits(l, t, lg_raw(l, OP_MUL24, QD_TYPE_U32, a, b, 0));
}

uint32_t
prim_multiply(struct lg *l, qd_type t, uint32_t a, uint32_t b)
{
	uint32_t v = 0;
	uint64_t k;

	if (l->w.o.literal)
		return 0;
	if (rw_is_const(&l->w, b, &k))
		v = multiply_by(l, a, k);
	else if (rw_is_const(&l->w, a, &k))
		v = multiply_by(l, b, k);
	return v ? v : multiply_24(l, t, a, b);
}

uint32_t
prim_shift_count(struct lg *l, uint32_t count, uint32_t width)
{
	uint64_t k;

	if (rw_is_const(&l->w, count, &k))
		return k < width ? count : lg_const(l, lg_type(l, count), k & (width - 1));
	if (l->m->caps & CAP_SHIFT_MASKS)
		return count;
	return lg_imm(l, OP_AND, count, width - 1);
}

/* -- Funnel shifts ------------------------------------------------------------- */

uint32_t
prim_funnel_by(struct lg *l, uint32_t hi, uint32_t lo, uint32_t count)
{
	qd_type t = lg_type(l, lo);

	if (lg_native(l, OP_FUNNEL_RIGHT, t))
		return lg_raw(l, OP_FUNNEL_RIGHT, t, hi, lo, lg_const(l, QD_TYPE_U32, count));
	hi = lg_imm(l, OP_SHL, hi, type_bits(t) - count);
	return lg_bin(l, OP_OR, hi, lg_imm(l, OP_SHR, lo, count));
}

/* The two parts of a rotation by 0 are the value itself, and so is their union. Otherwise a shift
 * by 1 precedes the one by width - 1 - count. */
static uint32_t
funnel_variable(struct lg *l, enum op op, uint32_t hi, uint32_t lo, uint32_t count)
{
	uint32_t left = op == OP_FUNNEL_LEFT ? count : lg_un(l, OP_NOT, count);
	uint32_t right = op == OP_FUNNEL_LEFT ? lg_un(l, OP_NOT, count) : count;

	if (hi == lo && op == OP_FUNNEL_LEFT)
		right = lg_un(l, OP_NEG, count);
	else if (hi == lo)
		left = lg_un(l, OP_NEG, count);
	else if (op == OP_FUNNEL_LEFT)
		lo = lg_imm(l, OP_SHR, lo, 1);
	else
		hi = lg_imm(l, OP_SHL, hi, 1);
	hi = lg_bin(l, OP_SHL, hi, left);
	return lg_bin(l, OP_OR, hi, lg_bin(l, OP_SHR, lo, right));
}

uint32_t
prim_funnel(struct lg *l, enum op op, uint32_t hi, uint32_t lo, uint32_t count)
{
	qd_type type = lg_type(l, hi), t = type_unsigned(type);
	uint32_t width = type_bits(t), v;
	uint64_t k;

	hi = lg_bits(l, t, hi);
	lo = lg_bits(l, t, lo);
	if (rw_is_const(&l->w, count, &k)) {
		k &= width - 1;
		if (!k)
			return lg_bits(l, type, op == OP_FUNNEL_LEFT ? hi : lo);
		v = prim_funnel_by(l, hi, lo, (uint32_t)(op == OP_FUNNEL_LEFT ? width - k : k));
	} else if (lg_native(l, op, t)) {
		v = lg_raw(l, op, t, hi, lo, count);
	} else if (lg_native(l, OP_FUNNEL_RIGHT, t) && hi == lo) {
		v = lg_raw(l, OP_FUNNEL_RIGHT, t, hi, lo, lg_un(l, OP_NEG, count));
	} else {
		v = funnel_variable(l, op, hi, lo, count);
	}
	return lg_bits(l, type, v);
}

/* Counts bits in pairs, fours and bytes, then adds the bytes by a multiplication. */
static uint32_t
popcount32(struct lg *l, uint32_t x)
{
	uint32_t odd = lg_imm(l, OP_AND, lg_imm(l, OP_SHR, x, 1), 0x55555555);
	uint32_t v = lg_bin(l, OP_SUB, x, odd);

	uint32_t even = lg_imm(l, OP_AND, v, 0x33333333);
	v = lg_imm(l, OP_AND, lg_imm(l, OP_SHR, v, 2), 0x33333333);
	v = lg_bin(l, OP_ADD, even, v);
	v = lg_imm(l, OP_AND, lg_bin(l, OP_ADD, v, lg_imm(l, OP_SHR, v, 4)), 0x0f0f0f0f);
	v = lg_imm(l, OP_SHR, lg_imm(l, OP_MUL, v, 0x01010101), 24);
	return v;
}

static uint32_t
clz32(struct lg *l, uint32_t x)
{
	for (uint32_t s = 1; s < 32; s *= 2)
		x = lg_bin(l, OP_OR, x, lg_imm(l, OP_SHR, x, s));
	return lg_op(l, OP_POPCOUNT, QD_TYPE_U32, lg_un(l, OP_NOT, x), 0, 0);
}

/* Counts the lowest set bit and all bits below it. Zero would give 32, so it is a special case. */
static uint32_t
ffs32(struct lg *l, uint32_t x)
{
	uint32_t upto = lg_bin(l, OP_XOR, x, lg_imm(l, OP_SUB, x, 1));
	uint32_t n = lg_op(l, OP_POPCOUNT, QD_TYPE_U32, upto, 0, 0);
	uint32_t none = lg_cmp_imm(l, OP_EQ, x, 0);

	return lg_select(l, none, lg_u32(l, 0), n);
}

static uint32_t
brev32(struct lg *l, uint32_t x)
{
	static const uint32_t masks[] = { 0x55555555, 0x33333333, 0x0f0f0f0f, 0x00ff00ff };

	uint32_t down;

	for (uint32_t i = 0; i < QD_COUNT(masks); i++) {
		down = lg_imm(l, OP_AND, lg_imm(l, OP_SHR, x, 1u << i), masks[i]);
		x = lg_imm(l, OP_SHL, lg_imm(l, OP_AND, x, masks[i]), 1u << i);
		x = lg_bin(l, OP_OR, down, x);
	}
	down = lg_imm(l, OP_SHR, x, 16);
	return lg_bin(l, OP_OR, down, lg_imm(l, OP_SHL, x, 16));
}

uint32_t
prim_count(struct lg *l, enum op op, qd_type t, uint32_t a)
{
	if (t != QD_TYPE_U32) {
		uint32_t v = lg_bits(l, QD_TYPE_U32, a);
		return op == OP_BREV ? lg_bits(l, t, lg_un(l, op, v))
				     : lg_op(l, op, QD_TYPE_U32, v, 0, 0);
	}
	switch (op) {
	case OP_POPCOUNT:
		return popcount32(l, a);
	case OP_CLZ:
		return clz32(l, a);
	case OP_FFS:
		return ffs32(l, a);
	default:
		return brev32(l, a);
	}
}

/* Computes the high word from 16-bit digits; no partial sum exceeds 32 bits. */
static uint32_t
mulhi32(struct lg *l, uint32_t a, uint32_t b)
{
	uint32_t a0 = lg_imm(l, OP_AND, a, 0xffff), a1 = lg_imm(l, OP_SHR, a, 16);
	uint32_t b0 = lg_imm(l, OP_AND, b, 0xffff), b1 = lg_imm(l, OP_SHR, b, 16);
	uint32_t low = lg_imm(l, OP_SHR, lg_bin(l, OP_MUL, a0, b0), 16);
	uint32_t mid = lg_bin(l, OP_ADD, lg_bin(l, OP_MUL, a1, b0), low);
	uint32_t mid2 = lg_bin(l, OP_MUL, a0, b1);
	uint32_t high = lg_bin(l, OP_MUL, a1, b1);

	mid2 = lg_bin(l, OP_ADD, mid2, lg_imm(l, OP_AND, mid, 0xffff));
	high = lg_bin(l, OP_ADD, high, lg_imm(l, OP_SHR, mid, 16));
	return lg_bin(l, OP_ADD, high, lg_imm(l, OP_SHR, mid2, 16));
}

uint32_t
prim_mulhi(struct lg *l, qd_type t, uint32_t a, uint32_t b)
{
	if (t == QD_TYPE_U32)
		return mulhi32(l, a, b);

	/* A negative operand was taken as 2^32 too large. */
	uint32_t zero = lg_const(l, t, 0);
	uint32_t high = lg_bits(l, QD_TYPE_U32, a);
	high = lg_bin(l, OP_MULHI, high, lg_bits(l, QD_TYPE_U32, b));
	uint32_t less_b = lg_select(l, lg_cmp(l, OP_LT, a, zero), b, zero);
	uint32_t less_a = lg_select(l, lg_cmp(l, OP_LT, b, zero), a, zero);

	return lg_bin(l, OP_SUB, lg_bin(l, OP_SUB, lg_bits(l, t, high), less_b), less_a);
}

/* -- Floats as integers ------------------------------------------------------ */

static uint64_t
sign_mask(qd_type t)
{
	return type_info[t].size == 8 ? 1ull << 63 : 1u << 31;
}

static uint64_t
infinity_bits(qd_type t)
{
	return type_info[t].size == 8 ? 0x7ffull << 52 : 0x7f800000u;
}

uint32_t
prim_sign(struct lg *l, enum op op, qd_type t, uint32_t a)
{
	uint32_t x = lg_bits(l, type_signed(t), a);

	x = op == OP_NEG ? lg_imm(l, OP_XOR, x, sign_mask(t))
			 : lg_imm(l, OP_AND, x, sign_mask(t) - 1);
	return lg_bits(l, t, x);
}

/* Computes trunc and round to even by floor of |x|. The sign bit is restored at the end, so -0 and
 * numbers that round to it keep their sign.  |x| - floor(|x|) is exact. If floor(|x|) + 1 would be
 * inexact, the difference is 0. */
uint32_t
prim_integral(struct lg *l, enum op op, qd_type t, uint32_t a)
{
	uint64_t half = t == QD_TYPE_F64 ? UINT64_C(0x3fe0000000000000) : 0x3f000000;
	uint64_t one = t == QD_TYPE_F64 ? UINT64_C(0x3ff0000000000000) : 0x3f800000;
	bool own = t == QD_TYPE_F32 && l->m->caps & CAP_F32_SIGN_LOST;
	uint32_t bits;

	if (!own && !lg_native(l, OP_FLOOR, t))
		return lg_refuse(l, op, t);
	bits = lg_bits(l, type_signed(t), a);
	uint32_t sign = lg_imm(l, OP_AND, bits, sign_mask(t));
	/* The machine's result has the operand's sign, or none. Its round is unsuitable: it rounds
	 * halves away from 0. */
	if (own && op != OP_ROUND) {
		uint32_t v = lg_push(l, (struct ins){ .op = (uint8_t)op, .type = (uint8_t)t, .a = a,
						      .attr = ATTR_RAW });
		return lg_bits(l, t, lg_bin(l, OP_OR, lg_bits(l, type_signed(t), v), sign));
	}
	uint32_t x = lg_bits(l, t, lg_imm(l, OP_AND, bits, sign_mask(t) - 1));
	uint32_t r = lg_un(l, OP_FLOOR, x);
	if (op == OP_ROUND) {
		uint32_t rest = lg_bin(l, OP_SUB, x, r), h = lg_imm(l, OP_MUL, r, half);
		uint32_t odd = lg_cmp(l, OP_NE, lg_un(l, OP_FLOOR, h), h);
		uint32_t middle = lg_const(l, t, half);
		uint32_t up = lg_cmp(l, OP_LT, middle, rest);
		odd = lg_bin(l, OP_AND, odd, lg_cmp(l, OP_EQ, rest, middle));
		up = lg_bin(l, OP_OR, up, odd);
		r = lg_select(l, up, lg_imm(l, OP_ADD, r, one), r);
	}
	return lg_bits(l, t, lg_bin(l, OP_OR, lg_bits(l, type_signed(t), r), sign));
}

uint32_t
prim_order(struct lg *l, uint32_t bits)
{
	qd_type t = lg_type(l, bits);
	uint32_t negative = lg_imm(l, OP_SHR, bits, type_bits(t) - 1);

	return lg_bin(l, OP_XOR, bits, lg_imm(l, OP_AND, negative, sign_mask(t) - 1));
}

uint32_t
prim_is_nan(struct lg *l, uint32_t bits)
{
	qd_type t = lg_type(l, bits);
	uint32_t magnitude = lg_imm(l, OP_AND, bits, sign_mask(t) - 1);

	return lg_cmp(l, OP_LT, lg_const(l, t, infinity_bits(t)), magnitude);
}

uint32_t
prim_float_minmax(struct lg *l, enum op op, qd_type t, uint32_t a, uint32_t b)
{
	uint32_t x = lg_bits(l, type_signed(t), a), y = lg_bits(l, type_signed(t), b);
	uint32_t p = prim_order(l, x), q = prim_order(l, y);
	uint32_t less = op == OP_MIN ? lg_cmp(l, OP_LT, p, q) : lg_cmp(l, OP_LT, q, p);
	uint32_t only_a = prim_is_nan(l, y);

	less = lg_bin(l, OP_AND, less, lg_un(l, OP_NOT, prim_is_nan(l, x)));
	return lg_select(l, lg_bin(l, OP_OR, only_a, less), a, b);
}
