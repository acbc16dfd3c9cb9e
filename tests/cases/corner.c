/* Per-lane operations on every triple of corner values: divisions by 0 and of the least integer by
 * -1, clamps with reversed or NaN bounds, shifts by any count, halves that are rounded. Random
 * patterns contain these only occasionally. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "family.h"

enum { MAX_CORNER = 11, MAX_TRIPLE = MAX_CORNER * MAX_CORNER * MAX_CORNER };

/* Low bits. A 32-bit type uses the low word of the 64-bit value. */
static const uint64_t ints[] = { 0, 1, UINT64_MAX, 2, UINT64_MAX - 1, 7, UINT64_MAX - 6, 31, 40 };
static const double floats[] = { 0.0, -0.0, 1, -1, 2.5, -0.5, 1.5, INFINITY, -INFINITY, NAN };

struct corner {
	const char *name;
	uint32_t types;
	enum ref_op op; /* operation of one or two operands, or N_REF_OP */
	struct qd_val (*one)(struct qd_builder *, struct qd_val);
	struct qd_val (*two)(struct qd_builder *, struct qd_val, struct qd_val);
	struct qd_val (*three)(struct qd_builder *, struct qd_val, struct qd_val, struct qd_val);
	bool (*is)(qd_type type, const uint64_t *v, uint64_t got);
};

static bool
is_clamped(qd_type type, const uint64_t *v, uint64_t got)
{
	return same_value(type, got, ref_min(type, ref_max(type, v[0], v[1]), v[2]), true);
}

static bool
is_chosen(qd_type type, const uint64_t *v, uint64_t got)
{
	return got == (ref_truth(type, v[0]) ? v[1] : v[2]);
}

/* The driver may round once or twice; these values are exact in both cases. */
static bool
is_fma(qd_type type, const uint64_t *v, uint64_t got)
{
	double x = ref_number(type, v[0]), y = ref_number(type, v[1]), z = ref_number(type, v[2]);
	double want = fma(x, y, z);

	return isnan(want) ? ref_is_nan(type, got) : ref_number(type, got) == want;
}

static bool
is_funnel_left(qd_type type, const uint64_t *v, uint64_t got)
{
	return got == ref_funnel(true, type, v[0], v[1], v[2]);
}

static bool
is_funnel_right(qd_type type, const uint64_t *v, uint64_t got)
{
	return got == ref_funnel(false, type, v[0], v[1], v[2]);
}

static uint32_t
low_word(uint64_t v)
{
	return (uint32_t)v;
}

static bool
is_extracted(qd_type type, const uint64_t *v, uint64_t got)
{
	return got == ref_extract(type, v[0], low_word(v[1]), low_word(v[2]));
}

static struct qd_val
halved(struct qd_builder *b, struct qd_val z)
{
	struct qd_val n = qd_cast(b, QD_TYPE_U32, z);

	return qd_div(b, n, qd_u32(b, 2));
}

/* The third value is both numbers of the field, one of them halved. */
static struct qd_val
insert_low(struct qd_builder *b, struct qd_val x, struct qd_val y, struct qd_val z)
{
	return qd_insert_bits(b, x, y, halved(b, z), z);
}

static bool
is_inserted_low(qd_type type, const uint64_t *v, uint64_t got)
{
	return got == ref_insert(type, v[0], v[1], low_word(v[2]) / 2, low_word(v[2]));
}

static struct qd_val
insert_high(struct qd_builder *b, struct qd_val x, struct qd_val y, struct qd_val z)
{
	return qd_insert_bits(b, x, y, z, halved(b, z));
}

static bool
is_inserted_high(qd_type type, const uint64_t *v, uint64_t got)
{
	return got == ref_insert(type, v[0], v[1], low_word(v[2]), low_word(v[2]) / 2);
}

/* The values are exact, so the rounding of each step is not visible. */
static bool
is_mixed(qd_type type, const uint64_t *v, uint64_t got)
{
	double x = ref_number(type, v[0]), y = ref_number(type, v[1]), z = ref_number(type, v[2]);
	double want = x + z * (y - x);

	return isnan(want) ? ref_is_nan(type, got) : ref_number(type, got) == want;
}

/* The product of 32-bit integers, folded to their width. */
static struct qd_val
fold_wide(struct qd_builder *b, struct qd_val x, struct qd_val y)
{
	struct qd_val r = qd_mul_wide(b, x, y), high = qd_shr(b, r, qd_u32(b, 32));

	r = qd_xor(b, r, high);
	return qd_cast(b, qd_val_type(b, x), r);
}

static struct qd_val
fold_wide_of(struct qd_builder *b, struct qd_val x, struct qd_val y, struct qd_val z)
{
	return fold_wide(b, x, qd_xor(b, y, z));
}

static bool
is_wide(qd_type type, const uint64_t *v, uint64_t got)
{
	uint32_t x = (uint32_t)v[0], y = (uint32_t)(v[1] ^ v[2]);
	uint64_t r = type == QD_TYPE_I32 ? (uint64_t)((int64_t)(int32_t)x * (int32_t)y)
					 : (uint64_t)x * y;

	return got == (uint32_t)(r ^ r >> 32);
}

/* -- Bytes ---------------------------------------------------------------------------- */

/* Values whose bytes differ, and selectors with all digits. */
static struct qd_val
permute_of(struct qd_builder *b, struct qd_val x, struct qd_val y, struct qd_val z)
{
	x = qd_xor(b, x, qd_u32(b, 0x81726354));
	y = qd_xor(b, y, qd_u32(b, 0x70e1d2c3));
	return qd_byte_permute(b, x, y, qd_xor(b, z, qd_u32(b, 0x5a37)));
}

static bool
is_permuted(qd_type type, const uint64_t *v, uint64_t got)
{
	(void)type;
	return got == ref_byte_permute((uint32_t)v[0] ^ 0x81726354, (uint32_t)v[1] ^ 0x70e1d2c3,
				       (uint32_t)v[2] ^ 0x5a37);
}

/* Factors with bytes of both signs, and the least ones; z is the sum. */
static struct qd_val
dot_of(struct qd_builder *b, struct qd_val x, struct qd_val y, struct qd_val z)
{
	bool is_signed = qd_val_type(b, z) == QD_TYPE_I32;
	struct qd_val factor = qd_bitcast(b, QD_TYPE_U32, y), first, second;

	x = qd_bitcast(b, QD_TYPE_U32, x);
	x = qd_xor(b, x, qd_u32(b, 0x80ff7f01));
	y = qd_xor(b, factor, qd_u32(b, 0x7f80ff80));
	first = is_signed ? qd_dot4_i8(b, x, y, z) : qd_dot4_u8(b, x, y, z);
	second = is_signed ? qd_dot4_i8u8(b, x, y, z) : qd_dot4_u8(b, y, factor, first);
	second = qd_mul(b, second, qd_const_bits(b, qd_val_type(b, z), 0x9e3779b1));
	return qd_xor(b, first, second);
}

static bool
is_dot(qd_type type, const uint64_t *v, uint64_t got)
{
	uint32_t x = (uint32_t)v[0] ^ 0x80ff7f01, y = (uint32_t)v[1] ^ 0x7f80ff80, z = (uint32_t)v[2];
	bool is_signed = type == QD_TYPE_I32;
	uint32_t first = ref_dot4(is_signed ? REF_OP_DOT4_I8 : REF_OP_DOT4_U8, x, y, z);
	uint32_t second = is_signed ? ref_dot4(REF_OP_DOT4_I8U8, x, y, z) :
				      ref_dot4(REF_OP_DOT4_U8, y, (uint32_t)v[1], first);

	return got == (first ^ second * 0x9e3779b1);
}

static struct qd_val
pack_of(struct qd_builder *b, struct qd_val x, struct qd_val y, struct qd_val z)
{
	struct qd_val w = qd_xor(b, x, y);

	return qd_val_type(b, x) == QD_TYPE_I32 ? qd_pack4_i8(b, x, y, z, w) :
						  qd_pack4_u8(b, x, y, z, w);
}

static bool
is_packed(qd_type type, const uint64_t *v, uint64_t got)
{
	uint8_t byte[4] = { (uint8_t)v[0], (uint8_t)v[1], (uint8_t)v[2], (uint8_t)(v[0] ^ v[1]) };

	(void)type;
	for (uint32_t i = 0; i < 4; i++)
		if ((uint8_t)(got >> 8 * i) != byte[i])
			return false;
	return got <= UINT32_MAX;
}

static struct qd_val
unpack_signed(struct qd_builder *b, struct qd_val x, struct qd_val y, struct qd_val z)
{
	x = qd_xor(b, x, qd_u32(b, 0x81726394));
	return qd_unpack_i8(b, x, qd_xor(b, y, z));
}

static struct qd_val
unpack_unsigned(struct qd_builder *b, struct qd_val x, struct qd_val y, struct qd_val z)
{
	x = qd_xor(b, x, qd_u32(b, 0x81726394));
	return qd_unpack_u8(b, x, qd_xor(b, y, z));
}

static uint8_t
byte_of(const uint64_t *v)
{
	return ref_byte((uint32_t)v[0] ^ 0x81726394, (uint32_t)(v[1] ^ v[2]));
}

static bool
is_signed_byte(qd_type type, const uint64_t *v, uint64_t got)
{
	(void)type;
	return (int32_t)(uint32_t)got == (int8_t)byte_of(v);
}

static bool
is_byte(qd_type type, const uint64_t *v, uint64_t got)
{
	(void)type;
	return got == byte_of(v);
}

#define ONE(fn, op, types) { #fn, types, op, qd_##fn, NULL, NULL, NULL }
#define TWO(fn, op, types) { #fn, types, op, NULL, qd_##fn, NULL, NULL }
static const struct corner corners[] = {
	ONE(floor, REF_OP_FLOOR, T_FLT),
	ONE(ceil, REF_OP_CEIL, T_FLT),
	ONE(trunc, REF_OP_TRUNC, T_FLT),
	ONE(round, REF_OP_ROUND, T_FLT),
	ONE(neg, REF_OP_NEG, T_ALL),
	ONE(abs, REF_OP_ABS, T_ALL),
	TWO(div, REF_OP_DIV, T_ALL),
	TWO(rem, REF_OP_REM, T_INT),
	TWO(floordiv, REF_OP_FLOORDIV, T_ALL),
	TWO(floormod, REF_OP_FLOORMOD, T_INT),
	TWO(mulhi, REF_OP_MULHI, T_INT),
	TWO(min, REF_OP_MIN, T_ALL),
	TWO(max, REF_OP_MAX, T_ALL),
	TWO(shl, REF_OP_SHL, T_INT),
	TWO(shr, REF_OP_SHR, T_INT),
	{ "clamp", T_ALL, N_REF_OP, NULL, NULL, qd_clamp, is_clamped },
	{ "select", T_ALL, N_REF_OP, NULL, NULL, qd_select, is_chosen },
	{ "fma", T_FLT, N_REF_OP, NULL, NULL, qd_fma, is_fma },
	TWO(rotl, REF_OP_ROTL, T_INT),
	TWO(rotr, REF_OP_ROTR, T_INT),
	ONE(ctz, REF_OP_CTZ, T_INT),
	TWO(abs_diff, REF_OP_ABS_DIFF, T_INT),
	TWO(add_sat, REF_OP_ADD_SAT, T_INT),
	TWO(sub_sat, REF_OP_SUB_SAT, T_INT),
	TWO(average_floor, REF_OP_AVERAGE_FLOOR, T_INT),
	TWO(average_ceil, REF_OP_AVERAGE_CEIL, T_INT),
	ONE(sign, REF_OP_SIGN, T_ALL),
	TWO(copysign, REF_OP_COPYSIGN, T_FLT),
	TWO(step, REF_OP_STEP, T_FLT),
	ONE(fract, REF_OP_FRACT, T_FLT),
	{ "funnel_left", T_INT, N_REF_OP, NULL, NULL, qd_funnel_left, is_funnel_left },
	{ "funnel_right", T_INT, N_REF_OP, NULL, NULL, qd_funnel_right, is_funnel_right },
	{ "extract_bits", T_INT, N_REF_OP, NULL, NULL, qd_extract_bits, is_extracted },
	{ "insert_bits", T_INT, N_REF_OP, NULL, NULL, insert_low, is_inserted_low },
	{ "insert_bits, high", T_INT, N_REF_OP, NULL, NULL, insert_high, is_inserted_high },
	{ "mix", T_FLT, N_REF_OP, NULL, NULL, qd_mix, is_mixed },
	{ "mul_wide", 1u << QD_TYPE_I32 | 1u << QD_TYPE_U32, N_REF_OP, NULL, NULL, fold_wide_of, is_wide },
	{ "byte_permute", 1u << QD_TYPE_U32, N_REF_OP, NULL, NULL, permute_of, is_permuted },
	{ "dot4", 1u << QD_TYPE_I32 | 1u << QD_TYPE_U32, N_REF_OP, NULL, NULL, dot_of, is_dot },
	{ "pack4", 1u << QD_TYPE_I32 | 1u << QD_TYPE_U32, N_REF_OP, NULL, NULL, pack_of, is_packed },
	{ "unpack_i8", 1u << QD_TYPE_U32, N_REF_OP, NULL, NULL, unpack_signed, is_signed_byte },
	{ "unpack_u8", 1u << QD_TYPE_U32, N_REF_OP, NULL, NULL, unpack_unsigned, is_byte },
};
enum { N_CORNER = sizeof corners / sizeof corners[0] };

/* Results stated in the contract, copied by hand: for i32 and u32. */
static const struct {
	enum ref_op op;
	qd_type type;
	uint32_t x, y, want;
} stated[] = {
	{ REF_OP_DIV, QD_TYPE_I32, 7, 0, UINT32_MAX },
	{ REF_OP_REM, QD_TYPE_I32, 7, 0, 7 },
	{ REF_OP_FLOORDIV, QD_TYPE_I32, 7, 0, UINT32_MAX },
	{ REF_OP_FLOORDIV, QD_TYPE_I32, UINT32_MAX - 6, 0, UINT32_MAX },
	{ REF_OP_FLOORMOD, QD_TYPE_I32, UINT32_MAX - 6, 0, UINT32_MAX - 6 },
	{ REF_OP_FLOORDIV, QD_TYPE_U32, 7, 0, UINT32_MAX },
	{ REF_OP_FLOORMOD, QD_TYPE_U32, 7, 0, 7 },
	{ REF_OP_DIV, QD_TYPE_I32, 0x80000000, UINT32_MAX, 0x80000000 },
	{ REF_OP_REM, QD_TYPE_I32, 0x80000000, UINT32_MAX, 0 },
	{ REF_OP_FLOORDIV, QD_TYPE_I32, 0x80000000, UINT32_MAX, 0x80000000 },
	{ REF_OP_FLOORMOD, QD_TYPE_I32, 0x80000000, UINT32_MAX, 0 },
	{ REF_OP_FLOORDIV, QD_TYPE_I32, UINT32_MAX - 6, 2, UINT32_MAX - 3 },
	{ REF_OP_FLOORMOD, QD_TYPE_I32, UINT32_MAX - 6, 2, 1 },
	{ REF_OP_FLOORMOD, QD_TYPE_I32, 7, UINT32_MAX - 1, UINT32_MAX },
	{ REF_OP_SHL, QD_TYPE_U32, 7, UINT32_MAX, 0x80000000 },
	{ REF_OP_SHR, QD_TYPE_I32, 0x80000000, UINT32_MAX, UINT32_MAX },
};

/* -- All operations of a type in a kernel -------------------------------------------------- */

struct all {
	struct suite *t;
	qd_type type;
	uint32_t n;
	uint64_t v[MAX_TRIPLE][3];
	uint8_t in[3][8 * MAX_TRIPLE];
	uint64_t out[N_CORNER * MAX_TRIPLE];
};

static uint32_t
corner_values(qd_type type, uint64_t *v)
{
	uint64_t mask = ref_width(type) == 64 ? UINT64_MAX : UINT32_MAX, top = mask & ~(mask >> 1);
	uint32_t n = 0;

	if (!ref_is_float(type)) {
		for (size_t i = 0; i < sizeof ints / sizeof ints[0]; i++)
			v[n++] = ints[i] & mask;
		v[n++] = top;
		v[n++] = top - 1;
		return n;
	}
	for (size_t i = 0; i < sizeof floats / sizeof floats[0]; i++) {
		float f = (float)floats[i];
		uint32_t low;

		memcpy(&low, &f, sizeof low);
		memcpy(&v[n], &floats[i], sizeof v[n]);
		v[n] = type == QD_TYPE_F32 ? low : v[n];
		n++;
	}
	return n;
}

static void
fill(struct all *a)
{
	uint64_t v[MAX_CORNER];
	uint32_t n = corner_values(a->type, v);

	a->n = n * n * n;
	for (uint32_t i = 0; i < a->n; i++) {
		a->v[i][0] = v[i % n];
		a->v[i][1] = v[i / n % n];
		a->v[i][2] = v[i / n / n];
		for (uint32_t j = 0; j < 3; j++)
			element_put(a->in[j], a->type, i, a->v[i][j]);
	}
	memset(a->out, 0x5a, sizeof a->out);
}

static qd_status
make(struct all *a, struct qd_kernel **k, struct qd_error *err)
{
	struct qd_array x, y, z, out;
	struct qd_val i, v[3], r, at;
	struct qd_builder *b;

	if (qd_builder_create(a->t->ctx, "corner", &b, err))
		return err->code;
	x = qd_param_buffer(b, "x", a->type, QD_ACCESS_IN);
	y = qd_param_buffer(b, "y", a->type, QD_ACCESS_IN);
	z = qd_param_buffer(b, "z", a->type, QD_ACCESS_IN);
	out = qd_param_buffer(b, "out", QD_TYPE_U64, QD_ACCESS_OUT);
	i = qd_grid(b, qd_len(b, x));
	v[0] = qd_load(b, x, i);
	v[1] = qd_load(b, y, i);
	v[2] = qd_load(b, z, i);
	at = i;
	for (uint32_t n = 0; n < N_CORNER; n++) {
		const struct corner *c = &corners[n];

		if (!(c->types >> a->type & 1))
			continue;
		r = c->one   ? c->one(b, v[0])
		    : c->two ? c->two(b, v[0], v[1])
			     : c->three(b, v[0], v[1], v[2]);
		r = qd_bitcast(b, ref_width(qd_val_type(b, r)) == 64 ? QD_TYPE_U64 : QD_TYPE_U32, r);
		qd_store(b, out, at, qd_cast(b, QD_TYPE_U64, r));
		at = qd_add(b, at, qd_len(b, x));
	}
	return qd_builder_finish(b, k, err);
}

static bool
check(struct all *a, const struct corner *c, const uint64_t *out)
{
	struct suite *t = a->t;

	for (uint32_t i = 0; i < a->n; i++) {
		const uint64_t *v = a->v[i];
		uint64_t got = out[i];

		if (t->inject && !t->injected) {
			got ^= 1;
			t->injected = true;
		}
		if (c->is ? c->is(a->type, v, got)
			  : same_value(c->op == REF_OP_CTZ ? QD_TYPE_U32 : a->type, got, ref_scalar(c->op, a->type, v[0], v[1], t->flush),
				       c->op != REF_OP_NEG && c->op != REF_OP_ABS && c->op != REF_OP_COPYSIGN))
			continue;
		suite_fail(t, 1, "corner %s %s of %llx, %llx, %llx: %llx", c->name, qd_type_name(a->type),
			   (unsigned long long)v[0], (unsigned long long)v[1], (unsigned long long)v[2],
			   (unsigned long long)got);
		return false;
	}
	return true;
}

static uint32_t
operations(qd_type type)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < N_CORNER; i++)
		n += corners[i].types >> type & 1;
	return n;
}

static void
run_type(struct all *a)
{
	struct suite *t = a->t;
	struct host_buffer bufs[4];
	struct qd_kernel *k = NULL;
	struct qd_error err = { 0 };
	uint32_t n = operations(a->type), at = 0;
	qd_status st;

	fill(a);
	for (uint32_t j = 0; j < 3; j++)
		bufs[j] = (struct host_buffer){ a->in[j], a->n * element_size(a->type) };
	bufs[3] = (struct host_buffer){ a->out, (size_t)n * a->n * sizeof a->out[0] };
	st = make(a, &k, &err);
	if (!st)
		st = run_kernel(t, k, NULL, 0, QD_GRID, bufs, 4, &err);
	if (st)
		suite_fail(t, n, "corner %s: %s", qd_type_name(a->type), err.text);
	for (uint32_t i = 0; i < N_CORNER && !st; i++)
		if (corners[i].types >> a->type & 1)
			t->passed += check(a, &corners[i], a->out + (size_t)at++ * a->n);
	qd_kernel_free(k);
}

static void
run_corners(struct suite *t, const struct family *f)
{
	struct all *a = malloc(sizeof *a);

	(void)f;
	if (!a) {
		fputs("out of memory\n", stderr);
		exit(4);
	}
	for (size_t i = 0; i < sizeof stated / sizeof stated[0]; i++)
		if (ref_scalar(stated[i].op, stated[i].type, stated[i].x, stated[i].y, false) !=
		    stated[i].want)
			suite_fail(t, 0, "corner: the reference differs from row %u", (unsigned)i);
	for (qd_type type = QD_TYPE_I32; type <= QD_TYPE_F64; type++) {
		a->t = t;
		a->type = type;
		if (skip_reason(t, type))
			suite_skip(t, operations(type), skip_reason(t, type));
		else
			run_type(a);
	}
	free(a);
}

static uint64_t
count_corners(const struct suite *t, const struct family *f)
{
	uint64_t n = 0;

	(void)t;
	(void)f;
	for (qd_type type = QD_TYPE_I32; type <= QD_TYPE_F64; type++)
		n += operations(type);
	return n;
}

const struct family family_corner = { "corner", NULL, 0, run_corners, count_corners };
