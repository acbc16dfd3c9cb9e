/* Expands exp, log, sin, cos and pow of f64 to arithmetic, for targets that have them for f32 only.
 * The argument is reduced to a short range with a compensated constant, and a series is evaluated.
 * All errors are within the bounds of qd.h. */
#include "prim.h"

#include <math.h>

static uint32_t
number(struct lg *l, double v)
{
	return lg_const(l, QD_TYPE_F64, f64_bits(v));
}

static uint32_t
add(struct lg *l, uint32_t a, double b)
{
	return lg_bin(l, OP_ADD, a, number(l, b));
}

static uint32_t
mul(struct lg *l, uint32_t a, double b)
{
	return lg_bin(l, OP_MUL, a, number(l, b));
}

/* Evaluates c[0] + c[1] x + c[2] x^2 ... */
static uint32_t
series(struct lg *l, uint32_t x, const double *c, uint32_t n)
{
	uint32_t r = number(l, c[n - 1]);

	for (uint32_t i = n - 1; i-- > 0;)
		r = add(l, lg_bin(l, OP_MUL, r, x), c[i]);
	return r;
}

static uint32_t
nearest(struct lg *l, uint32_t x)
{
	return lg_un(l, OP_FLOOR, add(l, x, 0.5));
}

/* Returns x - n * (high + low). high has so few bits that n * high is exact. */
static uint32_t
reduce(struct lg *l, uint32_t x, uint32_t n, double high, double low)
{
	uint32_t r = lg_bin(l, OP_SUB, x, mul(l, n, high));

	return lg_bin(l, OP_SUB, r, mul(l, n, low));
}

static const double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
static const double half_pi_high = 0x1.921fb544p+0, half_pi_low = 0x1.0b4611a626331p-34;

/* -- exp and log ------------------------------------------------------------------ */

/* Returns 2^k for an i32 k between -1022 and 1023. */
static uint32_t
power(struct lg *l, uint32_t k)
{
	uint32_t high = lg_bits(l, QD_TYPE_U32, lg_imm(l, OP_ADD, k, 1023));

	high = lg_imm(l, OP_SHL, high, 20);
	return lg_op(l, OP_PAIR, QD_TYPE_F64, lg_u32(l, 0), high, 0);
}

/* Returns 2^k * e^r with |r| below ln2 / 2. It scales in two steps, for subnormal and infinite
 * results. */
static uint32_t
exponential(struct lg *l, uint32_t x)
{
	static const double c[] = { 1.0 / 2,	    1.0 / 6,	    1.0 / 24,	    1.0 / 120,
				    1.0 / 720,	    1.0 / 5040,	    1.0 / 40320,    1.0 / 362880,
				    1.0 / 3628800,  1.0 / 39916800, 1.0 / 479001600,
				    1.0 / 6227020800 };
	uint32_t most = number(l, 720), least = number(l, -760), n, r, q, k, half;

	x = lg_select(l, lg_cmp(l, OP_LT, most, x), most, x);
	x = lg_select(l, lg_cmp(l, OP_LT, x, least), least, x);
	n = nearest(l, mul(l, x, 0x1.71547652b82fep+0));
	r = reduce(l, x, n, ln2_high, ln2_low);
	q = series(l, r, c, QD_COUNT(c));
	q = lg_bin(l, OP_MUL, lg_bin(l, OP_MUL, q, r), r);
	q = add(l, lg_bin(l, OP_ADD, r, q), 1);
	k = lg_cast(l, QD_TYPE_I32, n);
	half = lg_imm(l, OP_SHR, k, 1);
	q = lg_bin(l, OP_MUL, q, power(l, half));
	return lg_bin(l, OP_MUL, q, power(l, lg_bin(l, OP_SUB, k, half)));
}

/* Returns log(x) = k ln2 + log(1 + f) for a normal x; 1 + f is between the square roots of 1/2 and
 * 2. */
static uint32_t
log_of_normal(struct lg *l, uint32_t x, uint32_t less)
{
	static const double c[] = { 2.0 / 3,  2.0 / 5,	2.0 / 7,  2.0 / 9,  2.0 / 11, 2.0 / 13,
				    2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21, 2.0 / 23 };
	const uint32_t root = 0x3fe6a09e; /* the high word of the square root of 1/2 */
	uint32_t low = lg_op(l, OP_LO, QD_TYPE_U32, x, 0, 0);
	uint32_t high = lg_op(l, OP_HI, QD_TYPE_U32, x, 0, 0), k, f, s, z, r, square;

	high = lg_imm(l, OP_ADD, high, 0x3ff00000 - root);
	k = lg_bits(l, QD_TYPE_I32, lg_imm(l, OP_SHR, high, 20));
	k = lg_bin(l, OP_SUB, lg_imm(l, OP_SUB, k, 1023), less);
	k = lg_cast(l, QD_TYPE_F64, k);
	high = lg_imm(l, OP_ADD, lg_imm(l, OP_AND, high, 0xfffff), root);
	x = lg_op(l, OP_PAIR, QD_TYPE_F64, low, high, 0);
	f = add(l, x, -1);
	s = lg_bin(l, OP_DIV, f, add(l, x, 1));
	z = lg_bin(l, OP_MUL, s, s);
	r = lg_bin(l, OP_MUL, series(l, z, c, QD_COUNT(c)), z);
	square = lg_bin(l, OP_MUL, mul(l, f, 0.5), f);
	r = lg_bin(l, OP_MUL, lg_bin(l, OP_ADD, square, r), s);
	r = lg_bin(l, OP_ADD, r, mul(l, k, ln2_low));
	r = lg_bin(l, OP_SUB, f, lg_bin(l, OP_SUB, square, r));
	return lg_bin(l, OP_ADD, r, mul(l, k, ln2_high));
}

static uint32_t
logarithm(struct lg *l, uint32_t x)
{
	uint32_t zero = number(l, 0), most = number(l, INFINITY), least, r, small, less, wrong;

	small = lg_cmp(l, OP_LT, x, number(l, 0x1p-1022));
	less = lg_const(l, QD_TYPE_I32, 54);
	less = lg_select(l, small, less, lg_const(l, QD_TYPE_I32, 0));
	r = log_of_normal(l, lg_select(l, small, mul(l, x, 0x1p54), x), less);
	r = lg_select(l, lg_cmp(l, OP_LT, x, most), r, x);
	least = number(l, -INFINITY);
	wrong = lg_const(l, QD_TYPE_F64, UINT64_C(0x7ff8000000000000));
	wrong = lg_select(l, lg_cmp(l, OP_EQ, x, zero), least, wrong);
	return lg_select(l, lg_cmp(l, OP_LT, zero, x), r, wrong);
}

/* -- sin and cos ---------------------------------------------------------------------- */

/* Returns sine or cosine. x is reduced by quarter turns to at most half of one; the quarter
 * selects the series and the sign. */
static uint32_t
turn(struct lg *l, uint32_t x, bool cosine)
{
	static const double sine[] = { -1.0 / 6,	 1.0 / 120,	     -1.0 / 5040,
				       1.0 / 362880,	 -1.0 / 39916800,    1.0 / 6227020800,
				       -1.0 / 1307674368000, 1.0 / 355687428096000 };
	static const double other[] = { 1.0 / 24,	  -1.0 / 720,	     1.0 / 40320,
					-1.0 / 3628800,	  1.0 / 479001600,   -1.0 / 87178291200,
					1.0 / 20922789888000 };
	uint32_t n = nearest(l, mul(l, x, 0x1.45f306dc9c883p-1));
	uint32_t y = reduce(l, x, n, half_pi_high, half_pi_low);
	uint32_t z = lg_bin(l, OP_MUL, y, y), s, c, q, r, odd;

	s = lg_bin(l, OP_MUL, series(l, z, sine, QD_COUNT(sine)), z);
	s = lg_bin(l, OP_ADD, lg_bin(l, OP_MUL, s, y), y);
	c = lg_bin(l, OP_MUL, series(l, z, other, QD_COUNT(other)), z);
	c = lg_bin(l, OP_MUL, add(l, c, -0.5), z);
	c = add(l, c, 1);
	q = lg_cast(l, QD_TYPE_I32, n);
	if (cosine)
		q = lg_imm(l, OP_ADD, q, 1);
	odd = lg_cmp_imm(l, OP_NE, lg_imm(l, OP_AND, q, 1), 0);
	r = lg_select(l, odd, c, s);
	odd = lg_cmp_imm(l, OP_NE, lg_imm(l, OP_AND, q, 2), 0);
	return lg_select(l, odd, lg_un(l, OP_NEG, r), r);
}

uint32_t
prim_approximate(struct lg *l, enum op op, qd_type t, uint32_t a, uint32_t b)
{
	if (t != QD_TYPE_F64)
		return lg_refuse(l, op, t);
	switch (op) {
	case OP_EXP: return exponential(l, a);
	case OP_LOG: return logarithm(l, a);
	case OP_SIN: return turn(l, a, false);
	case OP_COS: return turn(l, a, true);
	default: return exponential(l, lg_bin(l, OP_MUL, logarithm(l, a), b));
	}
}
