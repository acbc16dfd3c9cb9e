/* Expansions. A legalized kernel must compute the same results as the original, and must contain
 * only operations that the machine supports. Test machines have many or few native operations; each
 * is tested at every subgroup size. This file tests per-lane operations. */
#include "t_prim.h"

#include <stdio.h>

extern const struct unit units_prim[];
extern const unsigned n_units_prim;

/* -- Arithmetic ------------------------------------------------------------------------- */

typedef struct qd_val fn1(struct qd_builder *b, struct qd_val x);
typedef struct qd_val fn2(struct qd_builder *b, struct qd_val x, struct qd_val y);

/* Funnel shifts by a constant, by the low operand, and of one value. */
static struct qd_val
left_5(struct qd_builder *b, struct qd_val x, struct qd_val y)
{
	return qd_funnel_left(b, x, y, qd_u32(b, 5));
}

static struct qd_val
right_0(struct qd_builder *b, struct qd_val x, struct qd_val y)
{
	return qd_funnel_right(b, x, y, qd_u32(b, 64));
}

static struct qd_val
left_of(struct qd_builder *b, struct qd_val x, struct qd_val y)
{
	return qd_funnel_left(b, x, y, y);
}

static struct qd_val
right_of(struct qd_builder *b, struct qd_val x, struct qd_val y)
{
	return qd_funnel_right(b, x, y, y);
}

/* A rotation of 32 bits written as two shifts. */
static struct qd_val
shifted_twice(struct qd_builder *b, struct qd_val x, struct qd_val y)
{
	struct qd_val right = qd_shr(b, y, qd_u32(b, 25));

	return qd_or(b, right, qd_shl(b, x, qd_u32(b, 7)));
}

/* Products of numbers that have 24 bits or one more, signed or not. */
static struct qd_val
low_bits(struct qd_builder *b, struct qd_val x, uint32_t n)
{
	struct qd_val mask = qd_const_bits(b, qd_val_type(b, x), (UINT64_C(1) << n) - 1);

	return qd_and(b, x, mask);
}

static struct qd_val
product_24(struct qd_builder *b, struct qd_val x, struct qd_val y)
{
	uint32_t width = qd_val_type(b, x) == QD_TYPE_I32 || qd_val_type(b, x) == QD_TYPE_U32 ? 32 : 64;
	struct qd_val high = qd_shr(b, y, qd_u32(b, width - 24)), p, q;

	p = low_bits(b, x, 24);
	p = qd_mul(b, p, high);
	q = low_bits(b, y, 23);
	high = qd_shr(b, x, qd_u32(b, width - 24));
	q = qd_mul(b, high, q);
	return qd_sub(b, p, q);
}

static struct qd_val
product_25(struct qd_builder *b, struct qd_val x, struct qd_val y)
{
	uint32_t width = qd_val_type(b, x) == QD_TYPE_I32 || qd_val_type(b, x) == QD_TYPE_U32 ? 32 : 64;
	struct qd_val high = qd_shr(b, y, qd_u32(b, width - 25)), p, q;

	p = low_bits(b, x, 25);
	p = qd_mul(b, p, low_bits(b, y, 24));
	q = low_bits(b, x, 23);
	q = qd_mul(b, q, high);
	return qd_sub(b, p, q);
}

/* Selections of bits, and a majority, each in two forms. */
static struct qd_val
bits_chosen(struct qd_builder *b, struct qd_val x, struct qd_val y)
{
	struct qd_val z = qd_mul(b, x, y), not_y, p, q, r;

	not_y = qd_not(b, y);
	p = qd_and(b, x, y);
	q = qd_and(b, not_y, z);
	p = qd_or(b, q, p);
	r = qd_xor(b, z, y);
	r = qd_and(b, r, x);
	r = qd_xor(b, r, z);
	return qd_add(b, p, r);
}

static struct qd_val
bits_of_most(struct qd_builder *b, struct qd_val x, struct qd_val y)
{
	struct qd_val z = qd_mul(b, x, y), p = qd_and(b, x, y), q = qd_and(b, z, x), r;

	r = qd_and(b, z, y);
	q = qd_or(b, p, q);
	p = qd_xor(b, p, r);
	q = qd_or(b, q, r);
	r = qd_and(b, x, z);
	r = qd_xor(b, r, p);
	return qd_sub(b, q, r);
}

static struct qd_val
bytes_of(struct qd_builder *b, struct qd_val x, struct qd_val y)
{
	return qd_byte_permute(b, x, y, y);
}

static struct qd_val
bytes_turned(struct qd_builder *b, struct qd_val x, struct qd_val y)
{
	return qd_byte_permute(b, x, y, qd_u32(b, 0x1605));
}

static struct qd_val
signs_of_bytes(struct qd_builder *b, struct qd_val x, struct qd_val y)
{
	return qd_byte_permute(b, x, y, qd_u32(b, 0xb2f8));
}

static struct qd_val
dot_signed(struct qd_builder *b, struct qd_val x, struct qd_val y)
{
	x = qd_bitcast(b, QD_TYPE_U32, x);
	return qd_dot4_i8(b, x, qd_bitcast(b, QD_TYPE_U32, y), y);
}

static struct qd_val
dot_unsigned(struct qd_builder *b, struct qd_val x, struct qd_val y)
{
	return qd_dot4_u8(b, x, y, y);
}

static struct qd_val
dot_mixed(struct qd_builder *b, struct qd_val x, struct qd_val y)
{
	x = qd_bitcast(b, QD_TYPE_U32, x);
	return qd_dot4_i8u8(b, x, qd_bitcast(b, QD_TYPE_U32, y), y);
}

static const struct {
	enum op op;
	fn1 *one;
	fn2 *two;
} functions[] = {
	{ OP_ADD, NULL, qd_add },   { OP_SUB, NULL, qd_sub }, { OP_MUL, NULL, qd_mul },
	{ OP_DIV, NULL, qd_div },   { OP_REM, NULL, qd_rem }, { OP_MIN, NULL, qd_min },
	{ OP_MAX, NULL, qd_max },   { OP_MULHI, NULL, qd_mulhi }, { OP_AND, NULL, qd_and },
	{ OP_OR, NULL, qd_or },	    { OP_XOR, NULL, qd_xor }, { OP_SHL, NULL, qd_shl },
	{ OP_SHR, NULL, qd_shr },   { OP_EQ, NULL, qd_eq },   { OP_NE, NULL, qd_ne },
	{ OP_LT, NULL, qd_lt },	    { OP_LE, NULL, qd_le },   { OP_NEG, qd_neg, NULL },
	{ OP_ABS, qd_abs, NULL },   { OP_NOT, qd_not, NULL }, { OP_POPCOUNT, qd_popcount, NULL },
	{ OP_CLZ, qd_clz, NULL },   { OP_FFS, qd_ffs, NULL }, { OP_BREV, qd_brev, NULL },
	{ OP_FUNNEL_LEFT, NULL, left_5 }, { OP_FUNNEL_RIGHT, NULL, right_0 },
	{ OP_FUNNEL_LEFT, NULL, left_of }, { OP_FUNNEL_RIGHT, NULL, right_of },
	{ OP_FUNNEL_LEFT, NULL, qd_rotl }, { OP_FUNNEL_RIGHT, NULL, qd_rotr },
	{ OP_SHL, NULL, shifted_twice }, { OP_XOR, NULL, bits_chosen },
	{ OP_MULHI, NULL, product_24 }, { OP_MULHI, NULL, product_25 },
	{ OP_XOR, NULL, bits_of_most },
	{ OP_BYTE_PERMUTE, NULL, bytes_of }, { OP_BYTE_PERMUTE, NULL, bytes_turned },
	{ OP_BYTE_PERMUTE, NULL, signs_of_bytes }, { OP_DOT4_I8, NULL, dot_signed },
	{ OP_DOT4_U8, NULL, dot_unsigned }, { OP_DOT4_I8U8, NULL, dot_mixed },
};

enum { X_Y, X_CONST, CONST_Y, N_SHAPE };

static void
alu_case(struct unit_ctx *t, const struct machine *m, size_t f, qd_type type, int shape,
	 uint64_t constant)
{
	struct kit k;
	struct qd_builder *b = kit_open(&k, t, m, 96);
	struct qd_val x = kit_in(b, "x", type), y = x, r;
	uint32_t n_in = functions[f].two && shape == X_Y ? 2 : 1;
	char what[80];

	snprintf(what, sizeof what, "%s %s, shape %d, %llx", op_info[functions[f].op].text,
		 type_info[type].name, shape, (unsigned long long)constant);
	if (n_in == 2)
		y = kit_in(b, "y", type);
	else if (shape == X_CONST)
		y = qd_const_bits(b, type, constant);
	else if (shape == CONST_Y)
		x = qd_const_bits(b, type, constant);
	r = functions[f].one ? functions[f].one(b, x) : functions[f].two(b, x, y);
	k.same_nans = functions[f].op == OP_NEG || functions[f].op == OP_ABS;
	kit_result(b, r);
	kit_check(&k, what, n_in, shape == X_Y ? 3 : 1);
	kit_close(&k);
}

static void
alu(struct unit_ctx *t)
{
	for (unsigned i_m = 0; i_m < n_prim_machines; i_m++) {
		struct machine m = prim_machine(i_m, 5);
		for (size_t f = 0; f < QD_COUNT(functions); f++) {
			for (qd_type type = QD_TYPE_I32; type <= QD_TYPE_F64; type++) {
				if (!type_is(type, op_info[functions[f].op].types) ||
				    !kit_has_type(&m, type))
					continue;
				alu_case(t, &m, f, type, X_Y, 0);
			}
		}
	}
}

/* Checks expansions that a constant operand simplifies. */
static void
alu_constants(struct unit_ctx *t)
{
	struct unit_rng r = { 7 };

	for (unsigned i_m = 0; i_m < n_prim_machines; i_m++) {
		struct machine m = prim_machine(i_m, 3);
		for (size_t f = 0; f < QD_COUNT(functions); f++) {
			for (qd_type type = QD_TYPE_I32; type <= QD_TYPE_F64; type++) {
				if (!type_is(type, op_info[functions[f].op].types) ||
				    !kit_has_type(&m, type) || !functions[f].two)
					continue;
				for (int i = 0; i < 10; i++) {
					uint64_t c = (uint64_t)(i / 2) - 1;
					if (i >= 6)
						c = kit_value(&r, type);
					if (type_bits(type) == 32)
						c = (uint32_t)c;
					alu_case(t, &m, f, type, i % 2 ? X_CONST : CONST_Y, c);
				}
			}
		}
	}
}

static void
conversions(struct unit_ctx *t)
{
	for (unsigned i_m = 0; i_m < n_prim_machines; i_m++) {
		struct machine m = prim_machine(i_m, 4);
		for (qd_type from = QD_TYPE_I32; from <= QD_TYPE_F64; from++) {
			for (qd_type to = QD_TYPE_BOOL; to <= QD_TYPE_F64; to++) {
				struct kit k;
				char what[40];
				if (!kit_has_type(&m, from) || !kit_has_type(&m, to))
					continue;
				struct qd_builder *b = kit_open(&k, t, &m, 256);
				snprintf(what, sizeof what, "%s to %s", type_info[from].name,
					 type_info[to].name);
				kit_result(b, qd_cast(b, to, kit_in(b, "x", from)));
				kit_check(&k, what, 1, 4);
				kit_close(&k);
			}
		}
	}
}

/* Checks operations that move bits: casts, selects, variables, branches, parameters. */
static void
moves(struct unit_ctx *t)
{
	for (unsigned i_m = 0; i_m < n_prim_machines; i_m++) {
		struct machine m = prim_machine(i_m, 3);
		for (qd_type type = QD_TYPE_I32; type <= QD_TYPE_F64; type++) {
			struct kit k;
			if (!kit_has_type(&m, type))
				continue;
			struct qd_builder *b = kit_open(&k, t, &m, 64);
			struct qd_val x = kit_in(b, "x", type), y = kit_in(b, "y", type);
			struct qd_val s = qd_param_scalar(b, "s", type);
			struct qd_val c = qd_lt(b, kit_thread(b), qd_u32(b, 20));
			struct qd_var v = qd_var(b, qd_select(b, c, x, s));
			qd_if(b, qd_eq(b, x, y));
			qd_set(b, v, y);
			qd_else(b);
			qd_set(b, v, qd_bitcast(b, type,
						qd_bitcast(b, type_signed(type), qd_get(b, v))));
			qd_end(b);
			kit_result(b, qd_get(b, v));
			k.same_nans = true;
			k.what = "moves";
			if (kit_ready(&k)) {
				kit_fill(&k, 0);
				kit_fill(&k, 1);
				k.x.scalar[2] = kit_value(&k.rng, type);
				kit_compare(&k);
			}
			kit_close(&k);
		}
	}
}

/* Checks fma and functions that a machine may lack, and constants. */
static void
functions_of_floats(struct unit_ctx *t)
{
	for (unsigned i_m = 0; i_m < n_prim_machines; i_m++) {
		struct machine m = prim_machine(i_m, 3);
		for (qd_type type = QD_TYPE_F32; type <= QD_TYPE_F64; type++) {
			struct kit k;
			if (!kit_has_type(&m, type))
				continue;
			struct qd_builder *b = kit_open(&k, t, &m, 200);
			struct qd_val x = kit_in(b, "x", type), y = kit_in(b, "y", type);
			struct qd_val zero = qd_const_bits(b, type, 0);
			kit_result(b, qd_trunc(b, x));
			kit_result(b, qd_round(b, x));
			kit_result(b, qd_floor(b, x));
			kit_result(b, qd_ceil(b, x));
			kit_result(b, qd_isnan(b, x));
			kit_result(b, qd_isinf(b, x));
			kit_result(b, qd_clamp(b, x, y, zero));
			kit_result(b, qd_fma(b, zero, y, x));
			kit_check(&k, type_info[type].name, 2, 3);
			kit_close(&k);
		}
	}
}

/* -- Memory ------------------------------------------------------------------------------ */

/* Checks loads and stores of every storage type, including indices past the end, in block 0 of
 * 128 threads. */
static void
storage(struct unit_ctx *t)
{
	for (unsigned i_m = 0; i_m < n_prim_machines; i_m++) {
		struct machine m = prim_machine(i_m, 2);
		for (qd_type type = QD_TYPE_I32; type <= QD_TYPE_BF16; type++) {
			struct kit k;
			uint32_t size = type_info[type].size;
			if (!kit_has_type(&m, type) || (size == 1 && !(m.caps & CAP_STORE8)) ||
			    (size == 2 && !(m.caps & CAP_STORE16)))
				continue;
			struct qd_builder *b = kit_open(&k, t, &m, 128);
			struct qd_array x = qd_param_buffer(b, "x", type, QD_ACCESS_IN);
			struct qd_array y = qd_param_buffer(b, "y", type_info[type].wide,
							    QD_ACCESS_IN);
			struct qd_array out = qd_param_buffer(b, "out", type, QD_ACCESS_OUT);
			struct qd_array wide = qd_param_buffer(b, "wide", type_info[type].wide,
							       QD_ACCESS_OUT);
			struct qd_val i = kit_thread(b), other = qd_load(b, y, i);
			qd_store(b, out, i, other);
			qd_store(b, wide, i, qd_load(b, x, i));
			i = qd_add(b, i, qd_u32(b, 128));
			qd_store(b, wide, i, qd_load_else(b, x, i, other));
			k.what = type_info[type].name;
			k.same_nans = true;
			if (kit_ready(&k)) {
				k.x.len[0] = 177;
				k.x.len[2] = 99;
				for (int round = 0; round < 20; round++) {
					kit_fill(&k, 0);
					kit_fill(&k, 1);
					kit_compare(&k);
				}
			}
			kit_close(&k);
		}
	}
}

/* Checks that all 65536 half-precision values widen according to the storage rules. */
static void
halves(struct unit_ctx *t)
{
	struct machine m = prim_machine(1, 5);

	for (qd_type type = QD_TYPE_F16; type <= QD_TYPE_BF16; type++) {
		struct kit k;
		struct qd_builder *b = kit_open(&k, t, &m, ELEMENTS);
		k.same_nans = true;
		k.what = "halves";
		kit_result(b, kit_in(b, "x", type));
		if (kit_ready(&k)) {
			for (uint32_t first = 0; first < 65536; first += ELEMENTS) {
				for (uint32_t e = 0; e < ELEMENTS; e++)
					kit_element(&k, MEANT, 0)[e] = first + e;
				kit_compare(&k);
			}
		}
		kit_close(&k);
	}
}

/* Checks stores that are masked in padding threads, by a branch, and by the length. */
static void
partial_block(struct unit_ctx *t)
{
	for (unsigned i_m = 0; i_m < n_prim_machines; i_m++) {
		struct machine m = prim_machine(i_m, 4);
		struct kit k;
		struct qd_builder *b = kit_open(&k, t, &m, 37);
		struct qd_val x = kit_in(b, "x", QD_TYPE_I64);
		qd_if(b, qd_lt(b, x, qd_i64(b, 1000)));
		kit_result(b, qd_mul(b, x, x));
		qd_end(b);
		kit_check(&k, "partial block", 1, 5);
		kit_close(&k);
	}
}

/* Checks a grid loop that ends in the middle of a block. With cross-lane operations, the first
 * index of the subgroup is marked uniform, as two words if necessary. */
static void
grid(struct unit_ctx *t)
{
	for (unsigned i_m = 0; i_m < 2 * n_prim_machines; i_m++) {
		for (qd_type type = QD_TYPE_I32; type <= QD_TYPE_U64; type++) {
			struct machine m = prim_machine(i_m / 2, 3);
			uint32_t dim = i_m == 4 ? 1 : 200, block = type_bits(type) == 64 ? 0x4000000 : 3;
			struct kit k;
			struct qd_builder *b = kit_open(&k, t, &m, dim);
			struct qd_val i = qd_grid(b, qd_param_scalar(b, "n", type));
			kit_result(b, i);
			if (i_m % 2)
				kit_result(b, qd_subgroup_reduce_add(b, qd_u32(b, 1)));
			k.what = "grid";
			if (kit_ready(&k)) {
				k.x.block_idx = block;
				k.x.scalar[0] = (uint64_t)block * dim + dim / 2 + 1;
				kit_compare(&k);
				UNIT_CHECK(t, *kit_element(&k, WHOLE, 1) == (uint64_t)block * dim,
					   "the first index is %llx",
					   (unsigned long long)*kit_element(&k, WHOLE, 1));
			}
			kit_close(&k);
		}
	}
}

/* -- Errors ------------------------------------------------------------------------------- */

static bool
native_no_sqrt(const struct machine *m, const struct query *q)
{
	(void)m;
	return q->op != OP_SQRT && q->op != OP_BALLOT_WORD;
}

static void
refusals(struct unit_ctx *t)
{
	struct machine m = prim_machine(0, 3);
	struct kit k;
	struct qd_builder *b;
	qd_status st;

	m.native = native_no_sqrt;
	b = kit_open(&k, t, &m, 8);
	kit_result(b, qd_sqrt(b, kit_in(b, "x", QD_TYPE_F32)));
	st = kit_compile(&k);
	UNIT_CHECK(t, st == QD_E_TARGET, "status %d", (int)st);
	UNIT_CHECK(t, strstr(k.err.text, "qd_sqrt: no lowering of sqrt on f32 for target all "
					 "[E0502]"), "%s", k.err.text);
	kit_close(&k);

	b = kit_open(&k, t, &m, 8);
	kit_result(b, qd_subgroup_ballot_first_n(b, kit_in(b, "x", QD_TYPE_I32), 4));
	st = kit_compile(&k);
	UNIT_CHECK(t, st == QD_E_TARGET && strstr(k.err.text, "subgroup.ballot_first_n on bool"),
		   "%d %s", (int)st, k.err.text);
	kit_close(&k);
}

/* Checks doubles on a machine without 64-bit integers: they are compared, negated and converted
 * word by word. */
static void
doubles_without_int64(struct unit_ctx *t)
{
	static const qd_type ints[] = { QD_TYPE_I64, QD_TYPE_U64, QD_TYPE_I32, QD_TYPE_U32 };
	struct machine m = prim_machine(1, 3);

	m.caps &= ~(uint32_t)CAP_I64;
	for (unsigned i = 0; i < QD_COUNT(ints); i++) {
		struct kit k;
		struct qd_builder *b = kit_open(&k, t, &m, 8);
		struct qd_val x = kit_in(b, "x", QD_TYPE_F64), y = kit_in(b, "y", QD_TYPE_F64);
		struct qd_val n = kit_in(b, "n", ints[i]);

		kit_result(b, qd_min(b, x, y));
		kit_result(b, qd_neg(b, x));
		kit_result(b, qd_abs(b, x));
		kit_result(b, qd_subgroup_reduce_max(b, x));
		kit_result(b, qd_cast(b, ints[i], x));
		kit_result(b, qd_cast(b, QD_TYPE_F64, n));
		if (i < 2)
			kit_result(b, qd_bitcast(b, QD_TYPE_F64, n));
		k.what = "doubles without int64";
		kit_check(&k, "doubles without int64", 3, 8);
		kit_close(&k);
	}
}

/* Machine that only adds and compares 64-bit integers; the rest is expanded to words. */
static bool
native_adds(const struct machine *m, const struct query *q)
{
	(void)m;
	if (!type_is(q->type, TM_I64) && !type_is(q->to, TM_I64))
		return true;
	return q->op == OP_ADD || q->op == OP_SUB || q->op == OP_LT || q->op == OP_EQ ||
	       q->op == OP_BITCAST || q->op == OP_LOAD || q->op == OP_STORE || q->op == OP_SELECT;
}

static void
adds_only(struct unit_ctx *t)
{
	static const qd_type ints[] = { QD_TYPE_I64, QD_TYPE_U64 };
	struct machine m = prim_machine(0, 3);

	m.native = native_adds;
	for (unsigned i = 0; i < QD_COUNT(ints); i++) {
		struct kit k;
		struct qd_builder *b = kit_open(&k, t, &m, 8);
		struct qd_val x = kit_in(b, "x", ints[i]), y = kit_in(b, "y", ints[i]);

		kit_result(b, qd_add(b, x, y));
		kit_result(b, qd_mul(b, x, y));
		kit_result(b, qd_div(b, x, y));
		kit_result(b, qd_rem(b, x, y));
		kit_result(b, qd_mulhi(b, x, y));
		kit_result(b, qd_shl(b, x, y));
		kit_result(b, qd_shr(b, x, y));
		kit_result(b, qd_xor(b, x, y));
		kit_result(b, qd_min(b, x, y));
		kit_result(b, qd_le(b, x, y));
		kit_result(b, qd_ne(b, x, y));
		kit_result(b, qd_popcount(b, x));
		kit_result(b, qd_cast(b, QD_TYPE_F32, x));
		kit_result(b, qd_cast(b, QD_TYPE_U32, x));
		kit_result(b, qd_subgroup_reduce_add(b, x));
		kit_result(b, qd_subgroup_shuffle_xor(b, x, qd_u32(b, 1)));
		kit_check(&k, "adds only", 2, 8);
		kit_close(&k);
	}
}

/* Fails each allocation of the pass once. The pass must return a status. */
static void
out_of_memory(struct unit_ctx *t)
{
	struct machine m = prim_machine(5, 3);
	struct kit k;
	struct qd_builder *b = kit_open(&k, t, &m, 8);
	struct qd_val x = kit_in(b, "x", QD_TYPE_I64);
	struct qd_var v = qd_var(b, x);

	qd_loop(b);
	qd_if(b, qd_eq(b, qd_get(b, v), qd_i64(b, 0)));
	qd_break(b);
	qd_end(b);
	qd_set(b, v, qd_div(b, qd_get(b, v), qd_i64(b, 3)));
	qd_end(b);
	kit_result(b, qd_subgroup_reduce_min(b, qd_div(b, x, qd_get(b, v))));
	k.what = "out of memory";
	if (kit_ready(&k)) {
		qd_status st = QD_E_NOMEM;
		size_t n;
		for (n = 1; st == QD_E_NOMEM && n < 1000; n++) {
			struct unit_alloc a;
			struct qd_allocator hooks;
			struct pool pool;
			struct arena mem;
			struct ir folded, out;
			unit_alloc_init(&a);
			hooks = unit_alloc_hooks(&a);
			pool_init(&pool, &hooks);
			arena_init(&mem, &pool);
			k.p.mem = &k.mem;
			UNIT_CHECK(t, !pass_dce(&k.p, &k.form[MEANT], &folded, NULL), "sweep");
			k.p.mem = &mem;
			a.fail_at = n;
			a.fail_on = n % 2;
			st = pass_legalize(&k.p, &folded, NULL, &out);
			UNIT_CHECK(t, !st || st == QD_E_NOMEM, "status %d", (int)st);
			arena_fini(&mem);
			pool_fini(&pool);
			UNIT_CHECK(t, a.n_out == 0, "%zu blocks are not freed", a.n_out);
			unit_alloc_fini(&a);
		}
		UNIT_CHECK(t, !st && n > 3, "%zu allocations, status %d", n, (int)st);
	}
	kit_close(&k);
}

/* -- Table --------------------------------------------------------------------------------- */

const struct unit units_prim[] = {
	{ "prim.alu", alu },
	{ "prim.alu_constants", alu_constants },
	{ "prim.conversions", conversions },
	{ "prim.moves", moves },
	{ "prim.functions_of_floats", functions_of_floats },
	{ "prim.approximations", prim_approximations },
	{ "prim.storage", storage },
	{ "prim.halves", halves },
	{ "prim.partial_block", partial_block },
	{ "prim.grid", grid },
	{ "prim.refusals", refusals },
	{ "prim.doubles_without_int64", doubles_without_int64 },
	{ "prim.adds_only", adds_only },
	{ "prim.out_of_memory", out_of_memory },
	{ "prim.shuffles", prim_shuffles },
	{ "prim.votes", prim_votes },
	{ "prim.reductions", prim_reductions },
	{ "prim.segments", prim_segments },
	{ "prim.sorts", prim_sorts },
	{ "prim.matches", prim_matches },
	{ "prim.warp_votes", prim_warp_votes },
	{ "prim.warp_shuffles", prim_warp_shuffles },
	{ "prim.redux", prim_redux },
	{ "prim.operators", prim_operators },
	{ "prim.loops", prim_loops },
	{ "prim.loops_kept", prim_loops_kept },
	{ "prim.loops_many_exits", prim_loops_many_exits },
	{ "prim.loops_endless", prim_loops_endless },
};
const unsigned n_units_prim = sizeof units_prim / sizeof units_prim[0];
