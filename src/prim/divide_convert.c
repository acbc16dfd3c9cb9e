/* Integer division and conversions between numeric types. Results are exact or rounded once to
 * nearest even. The only float operation used has an exact result. */
#include "prim.h"

enum { LOOK_AHEAD = 16 /* instructions between a remainder and the quotient that it shares */ };

/* -- Division ----------------------------------------------------------------- */

/* u32 division, one quotient bit per iteration. Before the last iteration the remainder has at
 * most 31 bits, so doubling it loses none. The loop exits at its head. The caller handles a
 * zero divisor. */
static void
divide_loop(struct lg *l, uint32_t n, uint32_t d, uint32_t *quotient, uint32_t *rest)
{
	struct rw *w = &l->w;
	uint32_t skip = lg_op(l, OP_CLZ, QD_TYPE_U32, n, 0, 0);
	uint32_t left = rw_var(w, lg_bin(l, OP_SUB, lg_u32(l, 32), skip));
	uint32_t bits = rw_var(w, lg_bin(l, OP_SHL, n, skip));
	uint32_t part = rw_var(w, lg_u32(l, 0));

	uint32_t loop = rw_open(w, OP_LOOP, 0);
	uint32_t rounds = rw_get(w, left);
	rw_break(w, loop, lg_cmp_imm(l, OP_EQ, rounds, 0));
	uint32_t b = rw_get(w, bits), p = rw_get(w, part);
	uint32_t p2 = lg_imm(l, OP_SHL, p, 1);
	p2 = lg_bin(l, OP_OR, p2, lg_imm(l, OP_SHR, b, 31));
	uint32_t fits = lg_cmp(l, OP_LE, d, p2);
	rw_set(w, part, lg_select(l, fits, lg_bin(l, OP_SUB, p2, d), p2));
	b = lg_imm(l, OP_SHL, b, 1);
	rw_set(w, bits, lg_bin(l, OP_OR, b, lg_bit(l, fits)));
	rw_set(w, left, lg_imm(l, OP_SUB, rounds, 1));
	rw_close(w);
	*quotient = rw_get(w, bits);
	*rest = rw_get(w, part);
}

/* Divides integers of a type that the target cannot divide. */
static uint32_t
divide_without(struct lg *l, enum op op, qd_type t, uint32_t a, uint32_t b)
{
	uint32_t q, r, none;

	if (is_int64(t)) {
		struct pair x = pair_split(l, a);
		return pair_join(l, pair_op(l, op, t, x, pair_split(l, b)), t);
	}
	if (type_info[t].is_signed) {
		uint32_t x = lg_bits(l, QD_TYPE_U32, lg_un(l, OP_ABS, a));
		uint32_t y = lg_bits(l, QD_TYPE_U32, lg_un(l, OP_ABS, b));
		uint32_t v = lg_op(l, op, QD_TYPE_U32, x, y, 0);
		uint32_t flip = op == OP_DIV ? lg_bin(l, OP_XOR, a, b) : a;
		v = lg_bits(l, t, v);
		flip = lg_cmp_imm(l, OP_LT, flip, 0);
		v = lg_select(l, flip, lg_un(l, OP_NEG, v), v);
		if (op == OP_REM)
			return v;
		none = lg_cmp_imm(l, OP_EQ, b, 0);
		return lg_select(l, none, lg_const(l, t, 0xffffffffu), v);
	}
	divide_loop(l, a, b, &q, &r);
	none = lg_cmp_imm(l, OP_EQ, b, 0);
	return op == OP_DIV ? lg_select(l, none, lg_u32(l, 0xffffffffu), q)
			    : lg_select(l, none, a, r);
}

/* Divides by a constant, without selects. */
static uint32_t
divide_const(struct lg *l, enum op op, qd_type t, uint32_t a, uint32_t b, uint64_t divisor)
{
	uint64_t minus_one = type_bits(t) == 64 ? ~0ull : 0xffffffffu;

	if (!divisor)
		return op == OP_DIV ? lg_const(l, t, minus_one) : a;
	if (divisor == minus_one && type_info[t].is_signed)
		return op == OP_DIV ? lg_un(l, OP_NEG, a) : lg_const(l, t, 0);
	uint32_t q = lg_raw(l, OP_DIV, t, a, b, 0);
	return op == OP_DIV ? q : lg_bin(l, OP_SUB, a, lg_bin(l, OP_MUL, q, b));
}

/* Returns whether the body has a / b, or the input has it soon after the remainder that is being
 * legalized. */
static bool
has_quotient(const struct lg *l, qd_type t, uint32_t a, uint32_t b)
{
	struct ins q = { .op = OP_DIV, .type = (uint8_t)t, .attr = ATTR_RAW, .a = a, .b = b };
	const struct ir *in = l->w.in;
	const struct ins *s = &in->ins[l->at];
	uint32_t end = l->at + LOOK_AHEAD < in->n ? l->at + LOOK_AHEAD : in->n;

	if (append_find(&l->w.o, &q))
		return true;
	if (s->op != OP_REM || l->w.map[s->a] != a || l->w.map[s->b] != b)
		return false;
	for (uint32_t i = l->at + 1; i < end && !op_flow[in->ins[i].op]; i++)
		if (in->ins[i].op == OP_DIV && in->ins[i].a == s->a && in->ins[i].b == s->b)
			return true;
	return false;
}

uint32_t
prim_divide(struct lg *l, enum op op, qd_type t, uint32_t a, uint32_t b)
{
	bool checked = l->m->caps & CAP_INT_DIV_CHECKED;
	uint32_t v = range_decide(l, op, a, b);
	uint64_t k;

	if (v)
		return v;
	if (t == QD_TYPE_I32 && range_is_positive(l, a) && range_is_positive(l, b)) {
		a = lg_bits(l, QD_TYPE_U32, a);
		b = lg_bits(l, QD_TYPE_U32, b);
		return lg_bits(l, t, lg_op(l, op, QD_TYPE_U32, a, b, 0));
	}
	if (checked && op == OP_REM && lg_native(l, OP_DIV, t) && has_quotient(l, t, a, b)) {
		/* The remainder for every divisor, also 0 and -1. */
		uint32_t q = lg_raw(l, OP_DIV, t, a, b, 0);
		return lg_bin(l, OP_SUB, a, lg_bin(l, OP_MUL, q, b));
	}
	if (checked && lg_native(l, op, t))
		return lg_raw(l, op, t, a, b, 0);
	if (!lg_native(l, OP_DIV, t))
		return divide_without(l, op, t, a, b);
	if (rw_is_const(&l->w, b, &k))
		return divide_const(l, op, t, a, b, k);

	uint32_t one = lg_const(l, t, 1), zero = lg_const(l, t, 0);
	uint32_t none = lg_cmp(l, OP_EQ, b, zero), minus = 0, by = b;
	uint64_t ones = type_bits(t) == 64 ? ~0ull : 0xffffffffu;

	if (checked) {
		uint32_t q = lg_raw(l, OP_DIV, t, a, b, 0);
		return lg_bin(l, OP_SUB, a, lg_bin(l, OP_MUL, q, b));
	}
	if (type_info[t].is_signed) {
		minus = lg_cmp(l, OP_EQ, b, lg_const(l, t, ones));
		by = lg_select(l, minus, one, b);
	}
	uint32_t q = lg_raw(l, OP_DIV, t, a, lg_select(l, none, one, by), 0);
	/* The remainder by -1 is that by 1, and the remainder by 0 is a: both follow from `by`. */
	if (op == OP_REM)
		return lg_bin(l, OP_SUB, a, lg_bin(l, OP_MUL, q, by));
	if (minus)
		q = lg_select(l, minus, lg_un(l, OP_NEG, a), q);
	return lg_select(l, none, lg_const(l, t, ones), q);
}

/* -- Conversions --------------------------------------------------------------- */

/* Returns the bits of 2^n as a float of type t. */
static uint64_t
power_of_two(qd_type t, uint32_t n)
{
	return t == QD_TYPE_F64 ? (uint64_t)(1023 + n) << 52 : (127 + n) << 23;
}

/* Converts a float to an integer with saturation. The bounds are powers of two, exact in both
 * float types. A NaN fails every comparison and converts to 0. */
static uint32_t
saturate(struct lg *l, qd_type to, qd_type from, uint32_t a)
{
	bool is_signed = type_info[to].is_signed;
	uint32_t bits = type_bits(to);
	uint64_t sign = from == QD_TYPE_F64 ? 1ull << 63 : 1u << 31;
	uint64_t limit = power_of_two(from, is_signed ? bits - 1 : bits);
	uint64_t ones = bits == 64 ? ~0ull : 0xffffffffu;
	uint32_t zero = lg_const(l, from, 0), high = lg_const(l, from, limit);
	uint32_t low = is_signed ? lg_const(l, from, limit | sign) : zero;
	uint32_t above = lg_cmp(l, OP_LE, low, a);
	uint32_t in = lg_bin(l, OP_AND, above, lg_cmp(l, OP_LT, a, high));
	uint32_t v = lg_raw(l, OP_CVT, to, lg_select(l, in, a, zero), 0, 0);
	uint32_t beyond = lg_cmp(l, OP_LE, high, a);

	v = lg_select(l, beyond, lg_const(l, to, is_signed ? ones >> 1 : ones), v);
	if (!is_signed)
		return v;
	beyond = lg_cmp(l, OP_LT, a, low);
	return lg_select(l, beyond, lg_const(l, to, (ones >> 1) + 1), v);
}

uint32_t
prim_round_f32(struct lg *l, uint32_t word, uint32_t exponent)
{
	uint32_t mantissa = lg_imm(l, OP_SHR, word, 8);
	uint32_t odd = lg_imm(l, OP_AND, mantissa, 1);
	uint32_t lost = lg_imm(l, OP_ADD, lg_imm(l, OP_AND, word, 0xff), 0x7f);
	uint32_t up = lg_imm(l, OP_SHR, lg_bin(l, OP_ADD, lost, odd), 8);
	/* The mantissa's top bit adds one to the exponent. */
	uint32_t v = lg_imm(l, OP_SHL, lg_imm(l, OP_ADD, exponent, 126), 23);

	v = lg_bin(l, OP_ADD, lg_bin(l, OP_ADD, v, mantissa), up);
	return lg_bits(l, QD_TYPE_F32, v);
}

static uint32_t
word_to_f32(struct lg *l, qd_type from, uint32_t a)
{
	bool is_signed = from == QD_TYPE_I32;
	uint32_t x = lg_bits(l, QD_TYPE_U32, is_signed ? lg_un(l, OP_ABS, a) : a);
	uint32_t zeros = lg_op(l, OP_CLZ, QD_TYPE_U32, x, 0, 0);
	uint32_t word = lg_bin(l, OP_SHL, x, zeros);
	uint32_t f = prim_round_f32(l, word, lg_bin(l, OP_SUB, lg_u32(l, 31), zeros));
	uint32_t none = lg_cmp_imm(l, OP_EQ, x, 0);

	f = lg_select(l, none, lg_const(l, QD_TYPE_F32, 0), f);
	if (!is_signed)
		return f;
	uint32_t sign = lg_imm(l, OP_AND, lg_bits(l, QD_TYPE_U32, a), 1u << 31);
	return lg_bits(l, QD_TYPE_F32, lg_bin(l, OP_OR, lg_bits(l, QD_TYPE_U32, f), sign));
}

/* Converts between a 64-bit integer in two words and another numeric type. */
static uint32_t
convert_words(struct lg *l, qd_type to, qd_type from, uint32_t a)
{
	if (is_int64(to))
		return pair_join(l, is_int64(from) ? pair_split(l, a) : pair_from(l, a, to), to);
	if (to == QD_TYPE_F32)
		return pair_to_f32(l, pair_split(l, a), from);
	if (to == QD_TYPE_F64)
		return pair_to_f64(l, pair_split(l, a), from);
	return lg_bits(l, to, pair_split(l, a).lo);
}

static bool
converts(struct lg *l, qd_type to, qd_type from)
{
	if (!is_float(from) && to == QD_TYPE_F32 && (l->m->caps & CAP_U32_TO_F32_INEXACT))
		return false;
	return lg_ask(l, &(struct query){ .op = OP_CVT, .type = from, .to = to });
}

uint32_t
prim_convert(struct lg *l, qd_type to, uint32_t a)
{
	qd_type from = lg_type(l, a);

	if (from == to)
		return a;
	if (!is_float(from) && !is_float(to) && type_bits(from) == type_bits(to))
		return lg_bits(l, to, a);
	if (from == QD_TYPE_I32 && is_int64(to) && range_is_positive(l, a)) {
		a = lg_bits(l, QD_TYPE_U32, a);
		from = QD_TYPE_U32;
	}
	if (lg_two_words(l, from) || lg_two_words(l, to))
		return convert_words(l, to, from, a);
	if (!converts(l, to, from)) {
		if (is_int64(from) || is_int64(to))
			return convert_words(l, to, from, a);
		return !is_float(from) && to == QD_TYPE_F32 ? word_to_f32(l, from, a)
							    : lg_refuse(l, OP_CVT, from);
	}
	if (is_float(from) && !is_float(to) && !(l->m->caps & CAP_CVT_SATURATES))
		return saturate(l, to, from, a);
	return lg_raw(l, OP_CVT, to, a, 0, 0);
}
