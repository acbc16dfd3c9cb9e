/* 64-bit integers as two u32 words, low and high. All code uses 32-bit operations only. High
 * words are often constant; lg_op then folds most of it. */
#include "prim.h"

static struct pair
words(struct lg *l, uint64_t bits)
{
	uint32_t lo = lg_u32(l, (uint32_t)bits);

	return (struct pair){ lo, lg_u32(l, (uint32_t)(bits >> 32)) };
}

static struct pair
choose(struct lg *l, uint32_t c, struct pair a, struct pair b)
{
	uint32_t lo = lg_select(l, c, a.lo, b.lo);

	return (struct pair){ lo, lg_select(l, c, a.hi, b.hi) };
}

static struct pair
both(struct lg *l, enum op op, struct pair a, struct pair b)
{
	uint32_t lo = lg_bin(l, op, a.lo, b.lo);

	return (struct pair){ lo, lg_bin(l, op, a.hi, b.hi) };
}

/* Returns a count of one word. */
static uint32_t
count(struct lg *l, enum op op, uint32_t word)
{
	return lg_op(l, op, QD_TYPE_U32, word, 0, 0);
}

static uint32_t
is_zero(struct lg *l, struct pair a)
{
	return lg_cmp_imm(l, OP_EQ, lg_bin(l, OP_OR, a.lo, a.hi), 0);
}

static uint32_t
is_negative(struct lg *l, struct pair a)
{
	return lg_cmp_imm(l, OP_LT, lg_bits(l, QD_TYPE_I32, a.hi), 0);
}

/* Returns a word of all ones if hi is negative, else zero. */
static uint32_t
sign_word(struct lg *l, uint32_t hi)
{
	return lg_bits(l, QD_TYPE_U32, lg_imm(l, OP_SHR, lg_bits(l, QD_TYPE_I32, hi), 31));
}

static struct pair
add(struct lg *l, struct pair a, struct pair b)
{
	uint32_t lo = lg_bin(l, OP_ADD, a.lo, b.lo);
	uint32_t carry = lg_bit(l, lg_cmp(l, OP_LT, lo, a.lo));

	return (struct pair){ lo, lg_bin(l, OP_ADD, lg_bin(l, OP_ADD, a.hi, b.hi), carry) };
}

static struct pair
subtract(struct lg *l, struct pair a, struct pair b)
{
	uint32_t borrow = lg_bit(l, lg_cmp(l, OP_LT, a.lo, b.lo));
	uint32_t hi = lg_bin(l, OP_SUB, lg_bin(l, OP_SUB, a.hi, b.hi), borrow);

	return (struct pair){ lg_bin(l, OP_SUB, a.lo, b.lo), hi };
}

static struct pair
negate(struct lg *l, struct pair a)
{
	return subtract(l, words(l, 0), a);
}

static struct pair
magnitude(struct lg *l, struct pair a)
{
	uint32_t negative = is_negative(l, a);

	return choose(l, negative, negate(l, a), a);
}

/* Returns the 64-bit product of two words. */
static struct pair
product(struct lg *l, uint32_t a, uint32_t b)
{
	uint32_t lo = lg_bin(l, OP_MUL, a, b);

	return (struct pair){ lo, lg_bin(l, OP_MULHI, a, b) };
}

static struct pair
multiply(struct lg *l, struct pair a, struct pair b)
{
	struct pair p = product(l, a.lo, b.lo);

	p.hi = lg_bin(l, OP_ADD, p.hi, lg_bin(l, OP_MUL, a.lo, b.hi));
	p.hi = lg_bin(l, OP_ADD, p.hi, lg_bin(l, OP_MUL, a.hi, b.lo));
	return p;
}

/* Returns the high 64 of the 128 bits of the product. No partial sum exceeds 64 bits. */
static struct pair
multiply_high(struct lg *l, struct pair a, struct pair b, bool is_signed)
{
	uint32_t zero = lg_u32(l, 0);
	uint32_t low = lg_bin(l, OP_MULHI, a.lo, b.lo);
	struct pair mid = add(l, product(l, a.lo, b.hi), (struct pair){ low, zero });
	struct pair mid2 = add(l, product(l, a.hi, b.lo), (struct pair){ mid.lo, zero });
	struct pair r = add(l, product(l, a.hi, b.hi), (struct pair){ mid.hi, zero });

	r = add(l, r, (struct pair){ mid2.hi, zero });
	if (is_signed) { /* a negative operand was taken as 2^64 too large */
		struct pair none = { zero, zero };
		r = subtract(l, r, choose(l, is_negative(l, a), b, none));
		r = subtract(l, r, choose(l, is_negative(l, b), a, none));
	}
	return r;
}

/* -- Shifts ------------------------------------------------------------------------ */

/* Shifts by less than 32, with the bits that leave one word shifted into the other. The shift of
 * the other word takes two steps, because a shift by 32 is undefined. */
static uint32_t
funnel_left(struct lg *l, struct pair a, uint32_t n)
{
	uint32_t rest = lg_imm(l, OP_XOR, n, 31);
	uint32_t in = lg_bin(l, OP_SHR, lg_imm(l, OP_SHR, a.lo, 1), rest);

	return lg_bin(l, OP_OR, lg_bin(l, OP_SHL, a.hi, n), in);
}

static uint32_t
funnel_right(struct lg *l, struct pair a, uint32_t n)
{
	uint32_t rest = lg_imm(l, OP_XOR, n, 31);
	uint32_t in = lg_bin(l, OP_SHL, lg_imm(l, OP_SHL, a.hi, 1), rest);

	return lg_bin(l, OP_OR, lg_bin(l, OP_SHR, a.lo, n), in);
}

/* Shifts by count, a u32, modulo 64. */
static struct pair
shift_left(struct lg *l, struct pair a, uint32_t count)
{
	uint32_t n = lg_imm(l, OP_AND, count, 31);
	uint32_t far = lg_cmp_imm(l, OP_NE, lg_imm(l, OP_AND, count, 32), 0);
	uint32_t lo = lg_bin(l, OP_SHL, a.lo, n);
	uint32_t low = lg_select(l, far, lg_u32(l, 0), lo);

	return (struct pair){ low, lg_select(l, far, lo, funnel_left(l, a, n)) };
}

static struct pair
shift_right(struct lg *l, struct pair a, uint32_t count, bool is_signed)
{
	uint32_t n = lg_imm(l, OP_AND, count, 31);
	uint32_t far = lg_cmp_imm(l, OP_NE, lg_imm(l, OP_AND, count, 32), 0);
	uint32_t fill = is_signed ? sign_word(l, a.hi) : lg_u32(l, 0), hi, low;

	if (is_signed)
		hi = lg_bits(l, QD_TYPE_U32,
			     lg_bin(l, OP_SHR, lg_bits(l, QD_TYPE_I32, a.hi), n));
	else
		hi = lg_bin(l, OP_SHR, a.hi, n);
	low = lg_select(l, far, hi, funnel_right(l, a, n));
	return (struct pair){ low, lg_select(l, far, fill, hi) };
}

/* -- Comparisons and counts --------------------------------------------------------- */

static uint32_t
is_less(struct lg *l, struct pair a, struct pair b, bool is_signed)
{
	qd_type t = is_signed ? QD_TYPE_I32 : QD_TYPE_U32;
	uint32_t x = lg_bits(l, t, a.hi);
	uint32_t high = lg_cmp(l, OP_LT, x, lg_bits(l, t, b.hi));
	uint32_t same = lg_cmp(l, OP_EQ, a.hi, b.hi);
	uint32_t low = lg_bin(l, OP_AND, same, lg_cmp(l, OP_LT, a.lo, b.lo));

	return lg_bin(l, OP_OR, high, low);
}

static uint32_t
is_equal(struct lg *l, struct pair a, struct pair b)
{
	struct pair d = both(l, OP_XOR, a, b);

	return is_zero(l, d);
}

static uint32_t
leading_zeros(struct lg *l, struct pair a)
{
	uint32_t none = lg_cmp_imm(l, OP_EQ, a.hi, 0);
	uint32_t low = lg_imm(l, OP_ADD, count(l, OP_CLZ, a.lo), 32);

	return lg_select(l, none, low, count(l, OP_CLZ, a.hi));
}

static uint32_t
first_set(struct lg *l, struct pair a)
{
	uint32_t none = lg_cmp_imm(l, OP_EQ, a.hi, 0), zero = lg_u32(l, 0);
	uint32_t high = lg_imm(l, OP_ADD, count(l, OP_FFS, a.hi), 32);

	high = lg_select(l, none, zero, high);
	none = lg_cmp_imm(l, OP_EQ, a.lo, 0);
	return lg_select(l, none, high, count(l, OP_FFS, a.lo));
}

/* -- Division -------------------------------------------------------------------------- */

struct pair_var {
	uint32_t lo, hi;
};

static struct pair_var
variable(struct lg *l, struct pair init)
{
	uint32_t lo = rw_var(&l->w, init.lo);

	return (struct pair_var){ lo, rw_var(&l->w, init.hi) };
}

static struct pair
get(struct lg *l, struct pair_var v)
{
	uint32_t lo = rw_get(&l->w, v.lo);

	return (struct pair){ lo, rw_get(&l->w, v.hi) };
}

static void
set(struct lg *l, struct pair_var v, struct pair a)
{
	rw_set(&l->w, v.lo, a.lo);
	rw_set(&l->w, v.hi, a.hi);
}

/* Divides unsigned integers, one quotient bit per iteration; iterations for leading zeros are
 * skipped. Before the last one the remainder has at most 63 bits, so doubling it loses none. The
 * loop is left at its head. The caller handles a zero divisor. */
static struct pair
divide_loop(struct lg *l, struct pair n, struct pair d, bool want_rest)
{
	struct rw *w = &l->w;
	uint32_t skip = leading_zeros(l, n);
	uint32_t left = rw_var(w, lg_bin(l, OP_SUB, lg_u32(l, 64), skip));
	struct pair_var bits = variable(l, shift_left(l, n, skip));
	struct pair_var part = variable(l, words(l, 0));
	uint32_t one = lg_u32(l, 1);

	uint32_t loop = rw_open(w, OP_LOOP, 0);
	uint32_t rounds = rw_get(w, left);
	rw_break(w, loop, lg_cmp_imm(l, OP_EQ, rounds, 0));
	struct pair b = get(l, bits), p = get(l, part), p2;
	p2.lo = lg_imm(l, OP_SHL, p.lo, 1);
	p2.lo = lg_bin(l, OP_OR, p2.lo, lg_imm(l, OP_SHR, b.hi, 31));
	p2.hi = funnel_left(l, p, one);
	uint32_t fits = lg_un(l, OP_NOT, is_less(l, p2, d, false));
	set(l, part, choose(l, fits, subtract(l, p2, d), p2));
	uint32_t low = lg_imm(l, OP_SHL, b.lo, 1);
	b.hi = funnel_left(l, b, one);
	b.lo = lg_bin(l, OP_OR, low, lg_bit(l, fits));
	set(l, bits, b);
	rw_set(w, left, lg_imm(l, OP_SUB, rounds, 1));
	rw_close(w);
	return get(l, want_rest ? part : bits);
}

static bool
is_const(struct lg *l, struct pair a, uint64_t *bits)
{
	uint64_t lo, hi;

	if (!rw_is_const(&l->w, a.lo, &lo) || !rw_is_const(&l->w, a.hi, &hi))
		return false;
	*bits = hi << 32 | lo;
	return true;
}

static struct pair
divide_unsigned(struct lg *l, struct pair n, struct pair d, bool want_rest)
{
	uint64_t divisor = 0, n_hi = 1, d_hi = 1;
	bool known = is_const(l, d, &divisor);

	if (known && !divisor)
		return want_rest ? n : words(l, ~0ull);
	if (known && !(divisor & (divisor - 1))) {
		uint32_t log2 = 0;
		while (divisor >> log2 != 1)
			log2++;
		return want_rest ? both(l, OP_AND, n, words(l, divisor - 1))
				 : shift_right(l, n, lg_u32(l, log2), false);
	}
	if (rw_is_const(&l->w, n.hi, &n_hi) && rw_is_const(&l->w, d.hi, &d_hi) && !n_hi &&
	    !d_hi) {
		struct pair r = { 0, lg_u32(l, 0) };
		r.lo = lg_bin(l, want_rest ? OP_REM : OP_DIV, n.lo, d.lo);
		if (!want_rest) { /* all ones in both words */
			uint32_t none = lg_cmp_imm(l, OP_EQ, d.lo, 0);
			r.hi = lg_select(l, none, lg_u32(l, 0xffffffffu), r.hi);
		}
		return r;
	}

	struct pair r = divide_loop(l, n, d, want_rest);
	if (known)
		return r;
	uint32_t none = is_zero(l, d);
	return choose(l, none, want_rest ? n : words(l, ~0ull), r);
}

/* Divides by the magnitudes. INT_MIN is its own magnitude, so INT_MIN / -1 needs no special
 * case. */
static struct pair
divide(struct lg *l, struct pair n, struct pair d, bool is_signed, bool want_rest)
{
	uint64_t divisor;

	if (!is_signed)
		return divide_unsigned(l, n, d, want_rest);
	struct pair m = magnitude(l, n);
	struct pair r = divide_unsigned(l, m, magnitude(l, d), want_rest);
	struct pair sign = want_rest ? n : both(l, OP_XOR, n, d);
	uint32_t negative = is_negative(l, sign);
	r = choose(l, negative, negate(l, r), r);
	if (want_rest || (is_const(l, d, &divisor) && divisor))
		return r;
	uint32_t none = is_zero(l, d);
	return choose(l, none, words(l, ~0ull), r);
}

/* -- Conversions ------------------------------------------------------------------------ */

/* Converts toward zero with saturation, from the float's bits: the mantissa is placed at the top
 * of 64 bits and shifted down. */
static struct pair
from_f32(struct lg *l, uint32_t v, bool is_signed)
{
	uint32_t x = lg_bits(l, QD_TYPE_U32, v);
	uint32_t a = lg_imm(l, OP_AND, x, 0x7fffffff);
	uint32_t exponent = lg_imm(l, OP_SHR, a, 23);
	uint32_t negative = lg_cmp_imm(l, OP_NE, lg_imm(l, OP_SHR, x, 31), 0);
	uint32_t is_nan = lg_cmp(l, OP_LT, lg_u32(l, 0x7f800000), a);
	struct pair top = words(l, 0);
	top.hi = lg_imm(l, OP_OR, lg_imm(l, OP_SHL, a, 8), 1u << 31);
	struct pair r = shift_right(l, top, lg_bin(l, OP_SUB, lg_u32(l, 190), exponent), false);
	uint32_t zero = lg_bin(l, OP_OR, lg_cmp_imm(l, OP_LT, exponent, 127), is_nan);

	if (is_signed) {
		struct pair least = words(l, 1ull << 63), most = words(l, ~0ull >> 1);
		uint32_t large = lg_cmp(l, OP_LE, lg_u32(l, 190), exponent);
		r = choose(l, negative, negate(l, r), r);
		r = choose(l, large, choose(l, negative, least, most), r);
	} else {
		uint32_t large = lg_cmp(l, OP_LE, lg_u32(l, 191), exponent);
		r = choose(l, large, words(l, ~0ull), r);
		zero = lg_bin(l, OP_OR, zero, negative);
	}
	return choose(l, zero, words(l, 0), r);
}

uint32_t
pair_to_f32(struct lg *l, struct pair a, qd_type from)
{
	bool is_signed = type_info[from].is_signed;
	struct pair m = is_signed ? magnitude(l, a) : a;
	uint32_t zeros = leading_zeros(l, m);
	struct pair top = shift_left(l, m, zeros);
	uint32_t sticky = lg_bit(l, lg_cmp_imm(l, OP_NE, top.lo, 0));
	uint32_t word = lg_bin(l, OP_OR, top.hi, sticky);
	uint32_t f = prim_round_f32(l, word, lg_bin(l, OP_SUB, lg_u32(l, 63), zeros));
	uint32_t none = is_zero(l, m);

	f = lg_select(l, none, lg_const(l, QD_TYPE_F32, 0), f);
	if (!is_signed)
		return f;
	uint32_t sign = lg_imm(l, OP_AND, a.hi, 1u << 31);
	return lg_bits(l, QD_TYPE_F32, lg_bin(l, OP_OR, lg_bits(l, QD_TYPE_U32, f), sign));
}

/* Converts to f64. hi * 2^32 is exact, so only the sum rounds, once. */
uint32_t
pair_to_f64(struct lg *l, struct pair a, qd_type from)
{
	qd_type high = type_info[from].is_signed ? QD_TYPE_I32 : QD_TYPE_U32;
	uint32_t hi = lg_cast(l, QD_TYPE_F64, lg_bits(l, high, a.hi));

	hi = lg_imm(l, OP_MUL, hi, UINT64_C(0x41f0000000000000));
	return lg_bin(l, OP_ADD, hi, lg_cast(l, QD_TYPE_F64, a.lo));
}

/* Converts toward zero. The words of the magnitude are exact; values beyond the range saturate. */
static struct pair
from_f64(struct lg *l, uint32_t v, bool is_signed)
{
	uint64_t limit = is_signed ? UINT64_C(0x43e0000000000000) : UINT64_C(0x43f0000000000000);
	uint32_t zero = lg_const(l, QD_TYPE_F64, 0);
	uint32_t negative = lg_cmp(l, OP_LT, v, zero);
	uint32_t x = lg_un(l, OP_ABS, v);
	uint32_t large = lg_cmp(l, OP_LE, lg_const(l, QD_TYPE_F64, limit), x);
	uint32_t is_nan = lg_cmp(l, OP_NE, v, v), high;
	uint32_t none = lg_bin(l, OP_OR, large, is_nan);
	struct pair r;

	x = lg_select(l, none, zero, lg_un(l, OP_FLOOR, x));
	high = lg_un(l, OP_FLOOR, lg_imm(l, OP_MUL, x, UINT64_C(0x3df0000000000000)));
	r.hi = lg_cast(l, QD_TYPE_U32, high);
	x = lg_bin(l, OP_SUB, x, lg_imm(l, OP_MUL, high, UINT64_C(0x41f0000000000000)));
	r.lo = lg_cast(l, QD_TYPE_U32, x);
	if (is_signed) {
		r = choose(l, large, words(l, ~0ull >> 1), r);
		struct pair minus = words(l, 1ull << 63);
		minus = choose(l, large, minus, negate(l, r));
		return choose(l, negative, minus, r);
	}
	r = choose(l, large, words(l, ~0ull), r);
	return choose(l, negative, words(l, 0), r);
}

struct pair
pair_from(struct lg *l, uint32_t v, qd_type to)
{
	qd_type from = lg_type(l, v);

	if (from == QD_TYPE_F32)
		return from_f32(l, v, type_info[to].is_signed);
	if (from == QD_TYPE_F64)
		return from_f64(l, v, type_info[to].is_signed);
	uint32_t lo = lg_bits(l, QD_TYPE_U32, v);
	return (struct pair){ lo, from == QD_TYPE_I32 ? sign_word(l, lo) : lg_u32(l, 0) };
}

struct pair
pair_split(struct lg *l, uint32_t v)
{
	uint32_t lo = rw_op(&l->w, OP_LO, QD_TYPE_U32, v, 0, 0);

	return (struct pair){ lo, rw_op(&l->w, OP_HI, QD_TYPE_U32, v, 0, 0) };
}

uint32_t
pair_join(struct lg *l, struct pair a, qd_type t)
{
	return rw_op(&l->w, OP_PAIR, t, a.lo, a.hi, 0);
}

/* -- Dispatch ------------------------------------------------------------------------------- */

static struct pair
single(uint32_t v)
{
	return (struct pair){ v, 0 };
}

struct pair
pair_op(struct lg *l, enum op op, qd_type t, struct pair a, struct pair b)
{
	bool is_signed = type_info[t].is_signed;
	uint32_t lo;

	switch (op) {
	case OP_ADD:
		return add(l, a, b);
	case OP_SUB:
		return subtract(l, a, b);
	case OP_MUL:
		return multiply(l, a, b);
	case OP_MULHI:
		return multiply_high(l, a, b, is_signed);
	case OP_DIV: case OP_REM:
		return divide(l, a, b, is_signed, op == OP_REM);
	case OP_MIN:
		return choose(l, is_less(l, a, b, is_signed), a, b);
	case OP_MAX:
		return choose(l, is_less(l, b, a, is_signed), a, b);
	case OP_NEG:
		return negate(l, a);
	case OP_ABS:
		return is_signed ? magnitude(l, a) : a;
	case OP_AND: case OP_OR: case OP_XOR:
		return both(l, op, a, b);
	case OP_NOT:
		lo = lg_un(l, op, a.lo);
		return (struct pair){ lo, lg_un(l, op, a.hi) };
	case OP_SHL:
		return shift_left(l, a, b.lo);
	case OP_SHR:
		return shift_right(l, a, b.lo, is_signed);
	case OP_POPCOUNT:
		lo = count(l, op, a.lo);
		return single(lg_bin(l, OP_ADD, lo, count(l, op, a.hi)));
	case OP_CLZ:
		return single(leading_zeros(l, a));
	case OP_FFS:
		return single(first_set(l, a));
	case OP_BREV:
		lo = lg_un(l, op, a.hi);
		return (struct pair){ lo, lg_un(l, op, a.lo) };
	case OP_EQ:
		return single(is_equal(l, a, b));
	case OP_NE:
		return single(lg_un(l, OP_NOT, is_equal(l, a, b)));
	case OP_LT:
		return single(is_less(l, a, b, is_signed));
	case OP_LE:
		return single(lg_un(l, OP_NOT, is_less(l, b, a, is_signed)));
	default:
		return single(lg_refuse(l, op, t));
	}
}
