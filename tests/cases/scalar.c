/* Per-lane operations, conversions and storage types. */
#include <string.h>

#include "family.h"

#include <stdlib.h>

/* -- Arithmetic, bits, comparisons ---------------------------------------------------- */

struct scalar_op {
	const char *name;
	enum ref_op op;
	uint32_t types;
	qd_type result; /* NONE: the operand's */
	struct qd_val (*one)(struct qd_builder *, struct qd_val);
	struct qd_val (*two)(struct qd_builder *, struct qd_val, struct qd_val);
};

#define TWO(fn, op, types)  { #fn, op, types, QD_TYPE_NONE, NULL, qd_##fn }
#define CMP(fn, op, types)  { #fn, op, types, QD_TYPE_BOOL, NULL, qd_##fn }
#define ONE(fn, op, types)  { #fn, op, types, QD_TYPE_NONE, qd_##fn, NULL }
#define BITS(fn, op, types) { #fn, op, types, QD_TYPE_U32, qd_##fn, NULL }
#define TEST(fn, op, types) { #fn, op, types, QD_TYPE_BOOL, qd_##fn, NULL }
enum { UNSIGNED = QD_TYPE_BF16 + 1 }; /* the unsigned type of the operand's width */

static const struct scalar_op ops[] = {
	TWO(add, REF_OP_ADD, T_ALL), TWO(sub, REF_OP_SUB, T_ALL), TWO(mul, REF_OP_MUL, T_ALL),
	TWO(div, REF_OP_DIV, T_ALL), TWO(rem, REF_OP_REM, T_INT), TWO(min, REF_OP_MIN, T_ALL),
	TWO(max, REF_OP_MAX, T_ALL), TWO(mulhi, REF_OP_MULHI, T_INT),
	TWO(floordiv, REF_OP_FLOORDIV, T_ALL), TWO(floormod, REF_OP_FLOORMOD, T_INT),
	TWO(and, REF_OP_AND, T_INT), TWO(or, REF_OP_OR, T_INT), TWO(xor, REF_OP_XOR, T_INT),
	TWO(shl, REF_OP_SHL, T_INT), TWO(shr, REF_OP_SHR, T_INT),
	CMP(eq, REF_OP_EQ, T_ALL), CMP(ne, REF_OP_NE, T_ALL), CMP(lt, REF_OP_LT, T_ALL),
	CMP(le, REF_OP_LE, T_ALL), CMP(gt, REF_OP_GT, T_ALL), CMP(ge, REF_OP_GE, T_ALL),
	ONE(neg, REF_OP_NEG, T_ALL), ONE(abs, REF_OP_ABS, T_ALL), ONE(not, REF_OP_NOT, T_INT),
	BITS(popcount, REF_OP_POPCOUNT, T_INT), BITS(clz, REF_OP_CLZ, T_INT),
	BITS(ffs, REF_OP_FFS, T_INT), ONE(brev, REF_OP_BREV, T_INT),
	ONE(floor, REF_OP_FLOOR, T_FLT), ONE(ceil, REF_OP_CEIL, T_FLT),
	ONE(trunc, REF_OP_TRUNC, T_FLT), ONE(round, REF_OP_ROUND, T_FLT),
	ONE(sqrt, REF_OP_SQRT, T_FLT), TEST(isnan, REF_OP_ISNAN, T_FLT),
	TEST(isinf, REF_OP_ISINF, T_FLT),
	TWO(rotl, REF_OP_ROTL, T_INT), TWO(rotr, REF_OP_ROTR, T_INT), BITS(ctz, REF_OP_CTZ, T_INT),
	{ "abs_diff", REF_OP_ABS_DIFF, T_INT, UNSIGNED, NULL, qd_abs_diff },
	TWO(add_sat, REF_OP_ADD_SAT, T_INT), TWO(sub_sat, REF_OP_SUB_SAT, T_INT),
	TWO(average_floor, REF_OP_AVERAGE_FLOOR, T_INT),
	TWO(average_ceil, REF_OP_AVERAGE_CEIL, T_INT), ONE(sign, REF_OP_SIGN, T_ALL),
	TWO(copysign, REF_OP_COPYSIGN, T_FLT), TWO(step, REF_OP_STEP, T_FLT),
	ONE(fract, REF_OP_FRACT, T_FLT),
};

/* Returns the n-th operation that supports the type. */
static const struct scalar_op *
nth_op(qd_type type, uint32_t n)
{
	for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
		if ((ops[i].types >> type & 1) && n-- == 0)
			return &ops[i];
	return NULL;
}

static uint32_t
scalar_variants(const struct suite *t, qd_type type)
{
	uint32_t n = 0;

	(void)t;
	while (nth_op(type, n))
		n++;
	return n;
}

static void
scalar_label(const struct suite *t, qd_type type, uint32_t variant, char *s, size_t size)
{
	(void)t;
	snprintf(s, size, " %s", nth_op(type, variant)->name);
}

static struct qd_val
scalar_build(struct qd_builder *b, const struct operands *o, uint32_t variant)
{
	const struct scalar_op *op = nth_op(o->type, variant);

	return op->one ? op->one(b, o->v) : op->two(b, o->v, o->w);
}

static void
scalar_want(const struct suite *t, const struct lanes *in, uint32_t variant, uint64_t *out,
	    bool *defined)
{
	const struct scalar_op *op = nth_op(in->s.type, variant);

	(void)defined;
	for (uint32_t l = 0; l < in->s.n; l++)
		out[l] = ref_scalar(op->op, in->s.type, in->s.v[l], in->w[l], t->flush);
}

/* Vulkan's sqrt is 1 / inversesqrt: two divisions' worth of error (Vulkan specification,
 * "Precision and Operation of SPIR-V Instructions": 2.5 and 2 units). */
static uint32_t
scalar_ulps(const struct suite *t, qd_type type, uint32_t variant)
{
	return nth_op(type, variant)->op == REF_OP_SQRT && type == QD_TYPE_F32 && t->inexact_root ? 5 : 0;
}

static qd_type
scalar_result(qd_type type, uint32_t variant)
{
	const struct scalar_op *op = nth_op(type, variant);

	if (op->result == UNSIGNED)
		return ref_width(type) == 64 ? QD_TYPE_U64 : QD_TYPE_U32;
	return op->result ? op->result : type;
}

/* -- The sign bit ----------------------------------------------------------------------- */

/* Operations that change only the sign bit. A NaN keeps its other bits, even if the same value is
 * an operand of arithmetic, for which targets have operand modifiers. */
struct sign_op {
	const char *name;
	struct qd_val (*build)(struct qd_builder *b, struct qd_val v, struct qd_val w);
	uint64_t (*want)(uint64_t v, uint64_t w, uint64_t sign); /* sign: the bit */
};

static struct qd_val
build_neg(struct qd_builder *b, struct qd_val v, struct qd_val w)
{
	(void)w;
	return qd_neg(b, v);
}

static uint64_t
want_neg(uint64_t v, uint64_t w, uint64_t sign)
{
	(void)w;
	return v ^ sign;
}

static struct qd_val
build_abs(struct qd_builder *b, struct qd_val v, struct qd_val w)
{
	(void)w;
	return qd_abs(b, v);
}

static uint64_t
want_abs(uint64_t v, uint64_t w, uint64_t sign)
{
	(void)w;
	return v & ~sign;
}

static struct qd_val
build_neg_abs(struct qd_builder *b, struct qd_val v, struct qd_val w)
{
	(void)w;
	return qd_neg(b, qd_abs(b, v));
}

static uint64_t
want_neg_abs(uint64_t v, uint64_t w, uint64_t sign)
{
	(void)w;
	return v | sign;
}

static struct qd_val
build_copysign(struct qd_builder *b, struct qd_val v, struct qd_val w)
{
	qd_type t = qd_val_type(b, v) == QD_TYPE_F64 ? QD_TYPE_I64 : QD_TYPE_I32;
	struct qd_val positive = qd_abs(b, v), negative = qd_neg(b, positive);
	struct qd_val bits = qd_bitcast(b, t, w), zero = qd_const_bits(b, t, 0);

	return qd_select(b, qd_lt(b, bits, zero), negative, positive);
}

static uint64_t
want_copysign(uint64_t v, uint64_t w, uint64_t sign)
{
	return (v & ~sign) | (w & sign);
}

/* The negated value is also an operand of a sum. */
static struct qd_val
build_neg_and_sum(struct qd_builder *b, struct qd_val v, struct qd_val w)
{
	struct qd_val minus = qd_neg(b, v), sum = qd_add(b, minus, w);

	return qd_select(b, qd_lt(b, sum, sum), sum, minus); /* never the sum */
}

/* Copies the value to a variable and back. */
static struct qd_val
build_twice(struct qd_builder *b, struct qd_val v, struct qd_val w)
{
	struct qd_val minus = qd_neg(b, v);
	struct qd_var var = qd_var(b, qd_add(b, minus, w));

	qd_set(b, var, minus);
	return qd_neg(b, qd_get(b, var));
}

static uint64_t
want_same(uint64_t v, uint64_t w, uint64_t sign)
{
	(void)w;
	(void)sign;
	return v;
}

/* Selects either value of the pair by comparisons. */
static struct qd_val
build_choice(struct qd_builder *b, struct qd_val v, struct qd_val w)
{
	struct qd_val v_is_nan = qd_isnan(b, v), w_is_nan = qd_isnan(b, w);
	struct qd_val minus = qd_neg(b, v), positive = qd_abs(b, w);
	struct qd_val other = qd_select(b, w_is_nan, positive, v);

	return qd_select(b, v_is_nan, minus, other);
}

static const struct sign_op sign_ops[] = {
	{ "-x", build_neg, want_neg },
	{ "abs", build_abs, want_abs },
	{ "-abs", build_neg_abs, want_neg_abs },
	{ "copysign", build_copysign, want_copysign },
	{ "-x and a sum", build_neg_and_sum, want_neg },
	{ "-x twice", build_twice, want_same },
	{ "choice", build_choice, NULL },
};

static uint32_t
sign_variants(const struct suite *t, qd_type type)
{
	(void)t;
	(void)type;
	return sizeof sign_ops / sizeof sign_ops[0];
}

static void
sign_label(const struct suite *t, qd_type type, uint32_t variant, char *s, size_t size)
{
	(void)t;
	(void)type;
	snprintf(s, size, " %s", sign_ops[variant].name);
}

static struct qd_val
sign_build(struct qd_builder *b, const struct operands *o, uint32_t variant)
{
	return sign_ops[variant].build(b, o->v, o->w);
}

static void
sign_want(const struct suite *t, const struct lanes *in, uint32_t variant, uint64_t *out, bool *defined)
{
	const struct sign_op *op = &sign_ops[variant];
	uint64_t sign = UINT64_C(1) << (ref_width(in->s.type) - 1);

	(void)t;
	(void)defined;
	for (uint32_t l = 0; l < in->s.n; l++) {
		uint64_t v = in->s.v[l], w = in->w[l];

		out[l] = op->want			? op->want(v, w, sign)
			 : ref_is_nan(in->s.type, v) ? v ^ sign
			 : ref_is_nan(in->s.type, w) ? w & ~sign
						     : v;
	}
}

static const struct row scalar_rows[] = {
	{ .name = "scalar", .types = T_ALL, .flags = ROW_ANY_NAN, .blocks = blocks_one,
	  .n_variants = scalar_variants, .label = scalar_label, .build = scalar_build,
	  .want = scalar_want, .ulps = scalar_ulps, .result_of = scalar_result },
	{ .name = "sign", .types = T_FLT, .blocks = blocks_one, .n_variants = sign_variants,
	  .label = sign_label, .build = sign_build, .want = sign_want },
};
const struct family family_scalar = { "scalar", scalar_rows, 2, NULL, NULL };

/* -- Conversions ---------------------------------------------------------------------------- */

static const qd_type cast_to[] = { QD_TYPE_I32, QD_TYPE_U32, QD_TYPE_I64,
				   QD_TYPE_U64, QD_TYPE_F32, QD_TYPE_F64 };

static uint32_t
cast_variants(const struct suite *t, qd_type type)
{
	(void)type;
	return t->has_f64 ? 6 : 5;
}

static void
cast_label(const struct suite *t, qd_type type, uint32_t variant, char *s, size_t size)
{
	(void)t;
	(void)type;
	snprintf(s, size, " to %s", qd_type_name(cast_to[variant]));
}

static struct qd_val
cast_build(struct qd_builder *b, const struct operands *o, uint32_t variant)
{
	return qd_cast(b, cast_to[variant], o->v);
}

static void
cast_want(const struct suite *t, const struct lanes *in, uint32_t variant, uint64_t *out,
	  bool *defined)
{
	(void)defined;
	for (uint32_t l = 0; l < in->s.n; l++)
		out[l] = in->s.type == cast_to[variant]
				 ? in->s.v[l]
				 : ref_cast(in->s.type, cast_to[variant], in->s.v[l], t->flush);
}

static qd_type
cast_result(qd_type type, uint32_t variant)
{
	(void)type;
	return cast_to[variant];
}

static const struct row cast_rows[] = {
	{ .name = "cast", .types = T_ALL, .flags = ROW_ANY_NAN, .blocks = blocks_one,
	  .n_variants = cast_variants, .label = cast_label, .build = cast_build,
	  .want = cast_want, .result_of = cast_result },
};
const struct family family_cast = { "cast", cast_rows, 1, NULL, NULL };

/* -- Storage types: values of loads and stores -------------------------------------------- */

static uint32_t
load_variants(const struct suite *t, qd_type type)
{
	(void)t;
	(void)type;
	return 1;
}

static struct qd_val
load_build(struct qd_builder *b, const struct operands *o, uint32_t variant)
{
	(void)b;
	(void)variant;
	return o->v;
}

static void
load_want(const struct suite *t, const struct lanes *in, uint32_t variant, uint64_t *out,
	  bool *defined)
{
	(void)t;
	(void)variant;
	(void)defined;
	for (uint32_t l = 0; l < in->s.n; l++)
		out[l] = in->s.v[l];
}

static qd_type
load_result(qd_type type, uint32_t variant)
{
	(void)variant;
	return type >= QD_TYPE_F16 ? QD_TYPE_F32
	       : type == QD_TYPE_I8 || type == QD_TYPE_I16 ? QD_TYPE_I32
							   : QD_TYPE_U32;
}

static const struct row storage_rows[] = {
	{ .name = "load", .types = T_SMALL, .flags = ROW_ANY_NAN, .blocks = blocks_all,
	  .n_variants = load_variants, .build = load_build, .want = load_want,
	  .result_of = load_result },
};

/* Stores every storage type, from values that need rounding and wrapping. The neighboring elements
 * belong to other threads, so a store that is too wide is detected. */
static void
run_stores(struct suite *t, const struct family *f)
{
	enum { N = 448 };

	(void)f;
	for (qd_type type = QD_TYPE_I8; type <= QD_TYPE_BF16; type++) {
		qd_type wide = load_result(type, 0);
		uint64_t rng = t->seed + type, v[N];
		uint8_t src[4 * N], dst[2 * N];
		struct host_buffer bufs[2] = { { src, sizeof src },
					       { dst, N * qd_type_size(type) } };
		struct qd_kernel *k = NULL;
		struct qd_builder *b;
		struct qd_error err = { 0 };
		struct qd_array a, d;
		struct qd_val i;
		uint32_t bad = N;

		if (skip_reason(t, type)) {
			suite_skip(t, N_PATTERN, skip_reason(t, type));
			continue;
		}
		for (uint32_t n = 0; n < N; n++) {
			v[n] = pattern_value(wide, n % N_PATTERN, &rng);
			element_put(src, wide, n, v[n]);
		}
		memset(dst, 0x5a, sizeof dst);
		if (qd_builder_create(t->ctx, "store", &b, &err)) {
			suite_fail(t, N_PATTERN, "store: %s", err.text);
			continue;
		}
		a = qd_param_buffer(b, "src", wide, QD_ACCESS_IN);
		d = qd_param_buffer(b, "dst", type, QD_ACCESS_OUT);
		i = qd_grid(b, qd_len(b, a));
		qd_store(b, d, i, qd_load(b, a, i));
		if (qd_builder_finish(b, &k, &err) ||
		    run_kernel(t, k, NULL, 0, QD_GRID, bufs, 2, &err)) {
			suite_fail(t, N_PATTERN, "store %s: %s", qd_type_name(type), err.text);
			qd_kernel_free(k);
			continue;
		}
		for (uint32_t n = 0; n < N && bad == N; n++) {
			uint64_t got = element_get(dst, type, n), want = ref_narrow(type, v[n]);

			if (got != want &&
			    !(type >= QD_TYPE_F16 &&
			      same_value(QD_TYPE_F32, ref_widen(type, got), ref_widen(type, want),
					 true)))
				bad = n;
		}
		if (bad < N)
			suite_fail(t, N_PATTERN, "store %s of %08llx: got %04llx, want %04llx",
				   qd_type_name(type), (unsigned long long)v[bad],
				   (unsigned long long)element_get(dst, type, bad),
				   (unsigned long long)ref_narrow(type, v[bad]));
		else
			t->passed += N_PATTERN;
		qd_kernel_free(k);
	}
}

enum { N_HALF = 65536, N_NEAR = 6 };

/* Copies n elements between buffers of different types. */
static qd_status
convert_elements(struct suite *t, qd_type from, const void *src, qd_type to, void *dst, uint32_t n,
		 struct qd_error *err)
{
	struct host_buffer bufs[2] = { { (void *)(uintptr_t)src, n * qd_type_size(from) },
				       { dst, n * qd_type_size(to) } };
	struct qd_kernel *k = NULL;
	struct qd_builder *b;
	struct qd_array a, d;
	struct qd_val i;
	qd_status st;

	if ((st = qd_builder_create(t->ctx, "convert", &b, err)))
		return st;
	a = qd_param_buffer(b, "src", from, QD_ACCESS_IN);
	d = qd_param_buffer(b, "dst", to, QD_ACCESS_OUT);
	i = qd_grid(b, qd_len(b, a));
	qd_store(b, d, i, qd_load(b, a, i));
	st = qd_builder_finish(b, &k, err);
	if (!st)
		st = run_kernel(t, k, NULL, 0, QD_GRID, bufs, 2, err);
	qd_kernel_free(k);
	return st;
}

/* Returns a float at or next to element h, or at or next to the middle of h and the next element. */
static uint32_t
float_near(qd_type type, uint32_t h, uint32_t which)
{
	uint32_t at = (uint32_t)ref_widen(type, h), next = (uint32_t)ref_widen(type, h + 1);
	uint32_t infinite = type == QD_TYPE_F16 ? 0x7c00 : 0x7f80;
	double middle = (ref_number(QD_TYPE_F32, at) + ref_number(QD_TYPE_F32, next)) / 2;

	if ((h & 0x7fff) >= infinite)
		return at + which;
	if ((h & 0x7fff) + 1 == infinite) /* the next element would be 2^16 or 2^128 */
		return at + (type == QD_TYPE_F16 ? 0x1000u : 0x8000u) + which % 3 - 1;
	if (which < 3)
		return at + which - (at & 0x7fffffff ? 1 : 0);
	return (uint32_t)ref_bits(QD_TYPE_F32, middle) + which - 4;
}

/* Loads all elements of 16 bits, and stores the floats at and next to each and its boundaries. */
static void
run_halves(struct suite *t, qd_type type)
{
	const bool flushes = type == QD_TYPE_BF16; /* its subnormals are those of f32 */
	uint32_t n = N_HALF * N_NEAR, bad = n;
	uint32_t *f = calloc(n, sizeof *f);
	uint16_t *h = calloc(n, sizeof *h);
	struct qd_error err = { 0 };
	bool failed = !f || !h;

	for (uint32_t i = 0; !failed && i < N_HALF; i++)
		h[i] = (uint16_t)i;
	failed = failed || convert_elements(t, type, h, QD_TYPE_F32, f, N_HALF, &err);
	for (uint32_t i = 0; !failed && i < N_HALF && bad == n; i++)
		if (!same_value(QD_TYPE_F32, f[i], ref_widen(type, i), true))
			bad = i;
	if (failed || bad < n)
		suite_fail(t, 1, "load %s of %04x: got %08x %s", qd_type_name(type), bad,
			   !failed ? f[bad] : 0, err.text);
	else
		t->passed++;
	for (uint32_t i = 0; !failed && i < n; i++)
		f[i] = float_near(type, i / N_NEAR, i % N_NEAR);
	failed = failed || convert_elements(t, QD_TYPE_F32, f, type, h, n, &err);
	bad = n;
	for (uint32_t i = 0; !failed && i < n && bad == n; i++) {
		uint64_t want = ref_narrow(type, f[i]);
		if (h[i] != want && !(flushes && !(f[i] & 0x7f800000)) &&
		    !same_value(QD_TYPE_F32, ref_widen(type, h[i]), ref_widen(type, want), true))
			bad = i;
	}
	if (failed || bad < n)
		suite_fail(t, 1, "store %s of %08x: got %04x %s", qd_type_name(type), bad < n ? f[bad] : 0,
			   bad < n ? h[bad] : 0, err.text);
	else
		t->passed++;
	free(f);
	free(h);
}

static void
run_storage(struct suite *t, const struct family *f)
{
	run_stores(t, f);
	for (qd_type type = QD_TYPE_F16; type <= QD_TYPE_BF16; type++) {
		if (skip_reason(t, type))
			suite_skip(t, 2, skip_reason(t, type));
		else
			run_halves(t, type);
	}
}

static uint64_t
count_stores(const struct suite *t, const struct family *f)
{
	(void)t;
	(void)f;
	return 6 * N_PATTERN + 4;
}

const struct family family_storage = { "storage", storage_rows, 1, run_storage, count_stores };
