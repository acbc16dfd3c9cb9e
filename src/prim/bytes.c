/* Operations on the four bytes of words. */
#include "prim.h"

/* -- Permutation ---------------------------------------------------------------------- */

/* Returns the digits of the selector as bytes. */
static uint32_t
spread_digits(struct lg *l, uint32_t selector)
{
	uint32_t s = lg_imm(l, OP_AND, selector, 0xffff);

	s = lg_imm(l, OP_AND, lg_bin(l, OP_OR, s, lg_imm(l, OP_SHL, s, 8)), 0x00ff00ff);
	return lg_imm(l, OP_AND, lg_bin(l, OP_OR, s, lg_imm(l, OP_SHL, s, 4)), 0x0f0f0f0f);
}

/* Returns 0xff for each byte whose bit 0 is set. The other bits are 0. */
static uint32_t
fill_bytes(struct lg *l, uint32_t v)
{
	uint32_t high = lg_imm(l, OP_SHL, v, 8);

	return lg_bin(l, OP_SUB, high, v);
}

static uint32_t
permute_by_select(struct lg *l, uint32_t x, uint32_t y, uint32_t selector)
{
	uint32_t digits = spread_digits(l, selector), r, sign, mask;

	r = lg_raw(l, OP_BYTE_SELECT, QD_TYPE_U32, y, x, lg_imm(l, OP_AND, digits, 0x07070707));
	sign = lg_imm(l, OP_AND, lg_imm(l, OP_SHR, r, 7), 0x01010101);
	mask = fill_bytes(l, lg_imm(l, OP_AND, lg_imm(l, OP_SHR, digits, 3), 0x01010101));
	sign = lg_bin(l, OP_XOR, fill_bytes(l, sign), r);
	return lg_bin(l, OP_XOR, r, lg_bin(l, OP_AND, mask, sign));
}

/* Returns byte `digit` of y:x; only its lowest 4 bits count. */
static uint32_t
digit_byte(struct lg *l, uint32_t x, uint32_t y, uint32_t digit)
{
	uint32_t is_y = lg_cmp_imm(l, OP_NE, lg_imm(l, OP_AND, digit, 4), 0);
	uint32_t is_sign = lg_cmp_imm(l, OP_NE, lg_imm(l, OP_AND, digit, 8), 0);
	uint32_t source = lg_select(l, is_y, y, x), byte, sign;

	byte = lg_bin(l, OP_SHR, source, lg_imm(l, OP_SHL, lg_imm(l, OP_AND, digit, 3), 3));
	byte = lg_imm(l, OP_AND, byte, 0xff);
	sign = lg_imm(l, OP_MUL, lg_imm(l, OP_SHR, byte, 7), 0xff);
	return lg_select(l, is_sign, sign, byte);
}

uint32_t
prim_byte_permute(struct lg *l, uint32_t x, uint32_t y, uint32_t selector)
{
	uint32_t r, byte;

	if (lg_native(l, OP_BYTE_SELECT, QD_TYPE_U32))
		return permute_by_select(l, x, y, selector);
	r = digit_byte(l, x, y, selector);
	for (uint32_t i = 1; i < 4; i++) {
		byte = digit_byte(l, x, y, lg_imm(l, OP_SHR, selector, 4 * i));
		r = lg_bin(l, OP_OR, r, lg_imm(l, OP_SHL, byte, 8 * i));
	}
	return r;
}

/* -- Dot products ------------------------------------------------------------------------ */

/* Returns byte i of x as a number of type t. */
static uint32_t
byte_number(struct lg *l, qd_type t, uint32_t x, uint32_t i, bool is_signed)
{
	if (is_signed)
		return lg_imm(l, OP_SHR, lg_bits(l, t, lg_imm(l, OP_SHL, x, 24 - 8 * i)), 24);
	x = lg_imm(l, OP_SHR, x, 8 * i);
	return lg_bits(l, t, i < 3 ? lg_imm(l, OP_AND, x, 0xff) : x);
}

/* An unsigned byte is the signed one with the other top bit, plus 128. */
static uint32_t
dot_mixed(struct lg *l, uint32_t x, uint32_t y, uint32_t acc)
{
	uint32_t sum = lg_const(l, QD_TYPE_I32, 0);

	sum = lg_raw(l, OP_DOT4_I8, QD_TYPE_I32, x, lg_u32(l, 0x01010101), sum);
	acc = lg_raw(l, OP_DOT4_I8, QD_TYPE_I32, x, lg_imm(l, OP_XOR, y, 0x80808080), acc);
	return lg_bin(l, OP_ADD, acc, lg_imm(l, OP_SHL, sum, 7));
}

uint32_t
prim_dot4(struct lg *l, enum op op, uint32_t x, uint32_t y, uint32_t acc)
{
	qd_type t = lg_type(l, acc);
	uint32_t a, b;

	if (op == OP_DOT4_I8U8 && lg_native(l, OP_DOT4_I8, t))
		return dot_mixed(l, x, y, acc);
	for (uint32_t i = 0; i < 4; i++) {
		a = byte_number(l, t, x, i, op != OP_DOT4_U8);
		b = byte_number(l, t, y, i, op == OP_DOT4_I8);
		acc = lg_bin(l, OP_ADD, acc, lg_bin(l, OP_MUL, a, b));
	}
	return acc;
}
