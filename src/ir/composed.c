/* Definitions of the functions in composed.def. Constant operands fold when an operation is
 * appended, so the definitions have no cases for them. */
#include "composed.h"

#include <assert.h>
#include <math.h>

enum { X, Y, Z }; /* the operands */

static uint32_t
apply_as(struct composer *m, enum op op, qd_type type, uint32_t n, const uint32_t *from)
{
	uint32_t to = m->n++;

	assert(to < COMPOSED_MAX_VALUE);
	m->type[to] = (uint8_t)type;
	m->apply(m, to, op, type, from, n);
	return to;
}

static uint32_t
constant(struct composer *m, qd_type type, uint64_t bits)
{
	uint32_t to = m->n++;

	assert(to < COMPOSED_MAX_VALUE);
	m->type[to] = (uint8_t)type;
	m->constant(m, to, type, bits);
	return to;
}

static uint32_t
convert(struct composer *m, enum op op, qd_type type, uint32_t x)
{
	return m->type[x] == type ? x : apply_as(m, op, type, 1, &x);
}

static uint32_t
unary(struct composer *m, enum op op, uint32_t x)
{
	return apply_as(m, op, (qd_type)m->type[x], 1, &x);
}

static uint32_t
binary(struct composer *m, enum op op, uint32_t x, uint32_t y)
{
	return apply_as(m, op, (qd_type)m->type[x], 2, (uint32_t[]){ x, y });
}

static uint32_t
compare(struct composer *m, enum op op, uint32_t x, uint32_t y)
{
	return apply_as(m, op, QD_TYPE_BOOL, 2, (uint32_t[]){ x, y });
}

static uint32_t
choose(struct composer *m, uint32_t cond, uint32_t yes, uint32_t no)
{
	return apply_as(m, OP_SELECT, (qd_type)m->type[yes], 3, (uint32_t[]){ cond, yes, no });
}

/* Returns the binary operation with an integer constant of x's type, or of u32 for a shift. */
static uint32_t
with(struct composer *m, enum op op, uint32_t x, uint64_t bits)
{
	qd_type t = op == OP_SHL || op == OP_SHR ? QD_TYPE_U32 : (qd_type)m->type[x];

	return binary(m, op, x, constant(m, t, bits));
}

static bool
is_signed(const struct composer *m)
{
	return type_info[m->type[X]].is_signed;
}

static uint32_t
width(const struct composer *m)
{
	return type_bits((qd_type)m->type[X]);
}

/* Returns a small number as a constant of x's type. */
static uint32_t
number(struct composer *m, int32_t k)
{
	qd_type t = (qd_type)m->type[X];
	uint64_t bits = type_bits(t) == 64 ? (uint64_t)(int64_t)k : (uint32_t)k;

	return constant(m, t, t == QD_TYPE_F32 ? f32_bits((float)k) : t == QD_TYPE_F64 ? f64_bits(k) : bits);
}

/* -- Arithmetic ---------------------------------------------------------------------- */

static uint32_t
compose_clamp(struct composer *m)
{
	return binary(m, OP_MIN, binary(m, OP_MAX, X, Y), Z);
}

/* Returns whether the remainder r is not 0, and its sign differs from y's. For y = 0 it does not. */
static uint32_t
is_off(struct composer *m, uint32_t r)
{
	uint32_t zero = number(m, 0);
	uint32_t off = compare(m, OP_LT, binary(m, OP_XOR, r, Y), zero);

	off = binary(m, OP_AND, off, compare(m, OP_NE, r, zero));
	return binary(m, OP_AND, off, compare(m, OP_NE, Y, zero));
}

/* Subtracts 1 from the truncated quotient if that was rounded up. */
static uint32_t
compose_floordiv(struct composer *m)
{
	uint32_t q = binary(m, OP_DIV, X, Y), off;

	if (type_info[m->type[X]].is_float)
		return unary(m, OP_FLOOR, q);
	if (!is_signed(m))
		return q;
	off = is_off(m, binary(m, OP_REM, X, Y));
	return choose(m, off, with(m, OP_SUB, q, 1), q);
}

/* The remainder of floordiv, which has y's sign. For y = 0 it is x, as for rem. */
static uint32_t
compose_floormod(struct composer *m)
{
	uint32_t r = binary(m, OP_REM, X, Y), off;

	if (!is_signed(m))
		return r;
	off = is_off(m, r);
	return choose(m, off, binary(m, OP_ADD, r, Y), r);
}

static uint32_t
compose_abs_diff(struct composer *m)
{
	uint32_t most = binary(m, OP_MAX, X, Y), least = binary(m, OP_MIN, X, Y);

	return convert(m, OP_BITCAST, type_unsigned((qd_type)m->type[X]),
		       binary(m, OP_SUB, most, least));
}

/* Returns r, or the limit of x's sign where the sign bit of `wrong` is set. */
static uint32_t
saturated(struct composer *m, uint32_t r, uint32_t wrong)
{
	uint32_t limit = with(m, OP_XOR, with(m, OP_SHR, X, width(m) - 1),
			      (UINT64_C(1) << (width(m) - 1)) - 1);

	wrong = compare(m, OP_LT, wrong, number(m, 0));
	return choose(m, wrong, limit, r);
}

static uint32_t
compose_add_sat(struct composer *m)
{
	uint32_t r, x, y;

	if (!is_signed(m))
		return binary(m, OP_ADD, binary(m, OP_MIN, X, unary(m, OP_NOT, Y)), Y);
	r = binary(m, OP_ADD, X, Y);
	x = binary(m, OP_XOR, X, r);
	y = binary(m, OP_XOR, Y, r);
	return saturated(m, r, binary(m, OP_AND, x, y));
}

static uint32_t
compose_sub_sat(struct composer *m)
{
	uint32_t r, differ, turned;

	if (!is_signed(m))
		return binary(m, OP_SUB, binary(m, OP_MAX, X, Y), Y);
	r = binary(m, OP_SUB, X, Y);
	differ = binary(m, OP_XOR, X, Y);
	turned = binary(m, OP_XOR, X, r);
	return saturated(m, r, binary(m, OP_AND, differ, turned));
}

/* x + y is 2 (x & y) + (x ^ y), and 2 (x | y) - (x ^ y). */
static uint32_t
compose_average_floor(struct composer *m)
{
	uint32_t half = with(m, OP_SHR, binary(m, OP_XOR, X, Y), 1);

	return binary(m, OP_ADD, binary(m, OP_AND, X, Y), half);
}

static uint32_t
compose_average_ceil(struct composer *m)
{
	uint32_t half = with(m, OP_SHR, binary(m, OP_XOR, X, Y), 1);

	return binary(m, OP_SUB, binary(m, OP_OR, X, Y), half);
}

static uint32_t
compose_mul_wide(struct composer *m)
{
	qd_type t = is_signed(m) ? QD_TYPE_I64 : QD_TYPE_U64;

	uint32_t x = convert(m, OP_CVT, t, X), y = convert(m, OP_CVT, t, Y);

	return binary(m, OP_MUL, x, y);
}

/* -- Floats --------------------------------------------------------------------------- */

static uint32_t
compose_isnan(struct composer *m)
{
	return compare(m, OP_NE, X, X);
}

static uint32_t
compose_isinf(struct composer *m)
{
	qd_type t = (qd_type)m->type[X];
	uint64_t inf = t == QD_TYPE_F32 ? f32_bits(INFINITY) : f64_bits(INFINITY);

	uint32_t x = unary(m, OP_ABS, X);

	return compare(m, OP_EQ, x, constant(m, t, inf));
}

/* -1, 0 or 1. A zero and a NaN stay as they are. */
static uint32_t
compose_sign(struct composer *m)
{
	uint32_t one = number(m, 1), zero, r, is_negative, is_positive;

	if (!type_info[m->type[X]].is_float) {
		r = binary(m, OP_MIN, X, one);
		return is_signed(m) ? binary(m, OP_MAX, r, number(m, -1)) : r;
	}
	zero = number(m, 0);
	is_negative = compare(m, OP_LT, X, zero);
	is_positive = compare(m, OP_LT, zero, X);
	r = choose(m, is_negative, number(m, -1), X);
	return choose(m, is_positive, one, r);
}

static uint32_t
compose_copysign(struct composer *m)
{
	qd_type t = (qd_type)m->type[X], bits = type_unsigned(t);
	uint64_t sign = UINT64_C(1) << (width(m) - 1);
	uint32_t x = with(m, OP_AND, convert(m, OP_BITCAST, bits, X), sign - 1);
	uint32_t y = with(m, OP_AND, convert(m, OP_BITCAST, bits, Y), sign);

	return convert(m, OP_BITCAST, t, binary(m, OP_OR, x, y));
}

static uint32_t
compose_mix(struct composer *m)
{
	return binary(m, OP_ADD, X, binary(m, OP_MUL, Z, binary(m, OP_SUB, Y, X)));
}

static uint32_t
compose_step(struct composer *m)
{
	uint32_t is_below = compare(m, OP_LT, Y, X), zero = number(m, 0);

	return choose(m, is_below, zero, number(m, 1));
}

static uint32_t
compose_fract(struct composer *m)
{
	return binary(m, OP_SUB, X, unary(m, OP_FLOOR, X));
}

/* -- Bits ------------------------------------------------------------------------------ */

static uint32_t
compose_rotl(struct composer *m)
{
	return apply_as(m, OP_FUNNEL_LEFT, (qd_type)m->type[X], 3, (uint32_t[]){ X, X, Y });
}

static uint32_t
compose_rotr(struct composer *m)
{
	return apply_as(m, OP_FUNNEL_RIGHT, (qd_type)m->type[X], 3, (uint32_t[]){ X, X, Y });
}

static uint32_t
compose_ctz(struct composer *m)
{
	return apply_as(m, OP_CLZ, QD_TYPE_U32, 1, (uint32_t[]){ unary(m, OP_BREV, X) });
}

/* Returns whether a count is below the width, so that a shift by it is not taken modulo. */
static uint32_t
is_below_width(struct composer *m, uint32_t count)
{
	return compare(m, OP_LT, count, constant(m, QD_TYPE_U32, width(m)));
}

/* Shifts the field up to the top, then down. A field that passes the top bit is cut there. */
static uint32_t
compose_extract_bits(struct composer *m)
{
	uint32_t w = constant(m, QD_TYPE_U32, width(m)), first = Y, n = Z;
	uint32_t left = binary(m, OP_SUB, w, first), kept = binary(m, OP_MIN, n, left);
	uint32_t up = binary(m, OP_SUB, left, kept), down = binary(m, OP_SUB, w, kept);
	uint32_t field = binary(m, OP_SHR, binary(m, OP_SHL, X, up), down);
	uint32_t is_inside = is_below_width(m, first);
	uint32_t is_any = compare(m, OP_NE, n, constant(m, QD_TYPE_U32, 0));
	uint32_t some = binary(m, OP_AND, is_inside, is_any);

	return choose(m, some, field, number(m, 0));
}

static uint32_t
compose_insert_bits(struct composer *m)
{
	uint32_t first = Z, n = Z + 1, all = number(m, -1);
	uint32_t field = unary(m, OP_NOT, binary(m, OP_SHL, all, n)), mask, differ, is_inside;

	field = choose(m, is_below_width(m, n), field, all);
	mask = binary(m, OP_SHL, field, first);
	is_inside = is_below_width(m, first);
	mask = choose(m, is_inside, mask, number(m, 0));
	differ = binary(m, OP_XOR, X, binary(m, OP_SHL, Y, first));
	return binary(m, OP_XOR, X, binary(m, OP_AND, mask, differ));
}

/* -- Bytes ----------------------------------------------------------------------------- */

static uint32_t
word(struct composer *m, uint32_t x)
{
	return convert(m, OP_BITCAST, QD_TYPE_U32, x);
}

/* Returns byte n of x at the bottom. The shift takes 8 * n modulo 32. */
static uint32_t
byte_down(struct composer *m, uint32_t x, uint32_t n)
{
	return binary(m, OP_SHR, x, with(m, OP_SHL, n, 3));
}

static uint32_t
compose_unpack_u8(struct composer *m)
{
	return with(m, OP_AND, byte_down(m, X, Y), 0xff);
}

static uint32_t
compose_unpack_i8(struct composer *m)
{
	uint32_t top = with(m, OP_SHL, byte_down(m, X, Y), 24);

	return with(m, OP_SHR, convert(m, OP_BITCAST, QD_TYPE_I32, top), 24);
}

static uint32_t
compose_pack4_u8(struct composer *m)
{
	uint32_t r = with(m, OP_AND, word(m, X), 0xff), part;

	for (uint32_t i = 1; i < 4; i++) {
		part = word(m, X + i);
		if (i < 3)
			part = with(m, OP_AND, part, 0xff);
		r = binary(m, OP_OR, r, with(m, OP_SHL, part, 8 * i));
	}
	return r;
}

static uint32_t
compose_pack4_i8(struct composer *m)
{
	return compose_pack4_u8(m);
}

/* -- The table -------------------------------------------------------------------------- */

/* n_same, n_counts */
#define T_	1, 0
#define TT_	2, 0
#define TTT_	3, 0
#define TTTT_	4, 0
#define TN_	1, 1
#define TNN_	1, 2
#define TTNN_	2, 2
#define SAME_	false
#define OTHER_	true

const struct composed composed[N_COMPOSED] = {
#define COMPOSED(name, types, operands, result) { #name, types, operands##_, result##_, compose_##name },
#include "composed.def"
};

uint32_t
composed_apply(enum composed_id id, struct composer *m)
{
	m->n = composed[id].n_same + composed[id].n_counts;
	for (uint32_t i = composed[id].n_same; i < m->n; i++)
		m->type[i] = QD_TYPE_U32;
	return composed[id].compose(m);
}
