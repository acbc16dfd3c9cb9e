/* Float operations, conversions and storage types. The references use sign, significand and
 * exponent; comparisons use sort keys. */
#include "unit.h"
#include "slow.h"

#include <math.h>

/* -- Floats as sign, significand and exponent --------------------------------------- */

struct format {
	unsigned exp_bits, frac_bits;
};

static const struct format F16 = { 5, 10 }, BF16 = { 8, 7 }, F32 = { 8, 23 }, F64 = { 11, 52 };

struct number {
	bool negative, nan, inf;
	uint64_t sig; /* the value is sig * 2^exp */
	int exp;
};

static struct number
decode(struct format f, uint64_t bits)
{
	const uint64_t frac = bits & low_bits(f.frac_bits);
	const uint64_t exp = bits >> f.frac_bits & low_bits(f.exp_bits);
	const int bias = (1 << (f.exp_bits - 1)) - 1;
	struct number n = { .negative = bit(bits, f.exp_bits + f.frac_bits) };

	if (exp == low_bits(f.exp_bits)) {
		n.nan = frac != 0;
		n.inf = frac == 0;
		return n;
	}
	n.sig = exp ? frac | UINT64_C(1) << f.frac_bits : frac;
	n.exp = (exp ? (int)exp : 1) - bias - (int)f.frac_bits;
	return n;
}

/* Rounds to nearest, ties to even. n must not be a NaN. */
static uint64_t
encode(struct format f, struct number n)
{
	const int bias = (1 << (f.exp_bits - 1)) - 1, least = 1 - bias - (int)f.frac_bits;
	const uint64_t sign = (uint64_t)n.negative << (f.exp_bits + f.frac_bits);
	const uint64_t inf = low_bits(f.exp_bits) << f.frac_bits;
	bool half = false, below = false; /* bits below the unit: the last one cut, and any before
					   * it */

	if (n.inf)
		return sign | inf;
	if (n.sig == 0)
		return sign;
	while (n.exp > least && n.sig >> f.frac_bits == 0) {
		n.sig <<= 1;
		n.exp--;
	}
	while (n.exp < least || n.sig >> (f.frac_bits + 1)) {
		below |= half;
		half = n.sig & 1;
		n.sig >>= 1;
		n.exp++;
	}
	if (half && (below || (n.sig & 1)))
		n.sig++;
	if (n.sig >> (f.frac_bits + 1)) {
		n.sig >>= 1;
		n.exp++;
	}
	if (n.sig >> f.frac_bits == 0)
		return sign | n.sig; /* subnormal */
	if (n.exp - least + 1 >= (int)low_bits(f.exp_bits))
		return sign | inf;
	return sign | (uint64_t)(n.exp - least + 1) << f.frac_bits |
	       (n.sig & low_bits(f.frac_bits));
}

static bool
is_nan(struct format f, uint64_t bits)
{
	return decode(f, bits).nan;
}

/* Zeros of both signs, ones, the edges of every range, ties, infinities, NaNs. */
enum { N_FLOAT = 88 };

static size_t
float_values(struct format f, uint64_t v[N_FLOAT], struct unit_rng *rng)
{
	static const int exps[] = { 0,	1,  -1, 7,  8,	15, 16, 23, 24, 30,
				    31, 32, 33, 51, 52, 53, 62, 63, 64, 65 };
	const uint64_t sign = UINT64_C(1) << (f.exp_bits + f.frac_bits);
	const uint64_t one = low_bits(f.exp_bits - 1) << f.frac_bits;
	const uint64_t inf = low_bits(f.exp_bits) << f.frac_bits;
	size_t n = 0;

	v[n++] = 0;
	v[n++] = 1;
	v[n++] = low_bits(f.frac_bits);
	v[n++] = UINT64_C(1) << f.frac_bits;
	v[n++] = inf - 1;
	v[n++] = inf;
	v[n++] = inf | 1;
	v[n++] = inf | UINT64_C(1) << (f.frac_bits - 1) | 5;
	v[n++] = one | UINT64_C(1) << (f.frac_bits - 1); /* 1.5 */
	v[n++] = one + (UINT64_C(1) << f.frac_bits) + (UINT64_C(1) << (f.frac_bits - 2)); /* 2.5 */
	for (size_t i = 0; i < QD_COUNT(exps) && n + 2 < N_FLOAT / 2; i++) {
		uint64_t power = one + ((uint64_t)(int64_t)exps[i] << f.frac_bits);
		v[n++] = power;
		if (i % 2)
			v[n++] = power - 1;
		else
			v[n++] = power + 1;
	}
	while (n < N_FLOAT / 2)
		v[n++] = unit_random(rng) & (sign - 1);
	for (size_t i = 0; i < N_FLOAT / 2; i++)
		v[n++] = v[i] | sign;
	return n;
}

/* Returns a key that orders the numbers, with equal keys for equal numbers. bits must not be a
 * NaN. */
static int64_t
order_key(struct format f, uint64_t bits)
{
	int64_t mag = (int64_t)(bits & low_bits(f.exp_bits + f.frac_bits));

	return decode(f, bits).negative ? -mag : mag;
}

/* Computes operations whose exact result follows from the operands: moves, comparisons, and
 * rounding to integers. Returns false for others. */
static bool
simple_float(enum op op, struct format f, uint64_t a, uint64_t b, uint64_t *want)
{
	const uint64_t sign = UINT64_C(1) << (f.exp_bits + f.frac_bits);
	const bool na = is_nan(f, a), nb = is_nan(f, b);
	const int64_t ka = na ? 0 : order_key(f, a), kb = nb ? 0 : order_key(f, b);
	struct number n = decode(f, a);
	bool half = false, below = false, up;

	switch ((int)op) {
	case OP_NEG: *want = a ^ sign; return true;
	case OP_ABS: *want = a & ~sign; return true;
	case OP_EQ: *want = !na && !nb && ka == kb; return true;
	case OP_NE: *want = na || nb || ka != kb; return true;
	case OP_LT: *want = !na && !nb && ka < kb; return true;
	case OP_LE: *want = !na && !nb && ka <= kb; return true;
	case OP_MIN:
	case OP_MAX:
		if (na || nb)
			*want = nb ? a : b;
		else if (ka != kb)
			*want = (ka < kb) == (op == OP_MIN) ? a : b;
		else
			*want = op == OP_MIN ? a | b : a & b; /* equal, or zeros */
		return true;
	case OP_FLOOR:
	case OP_CEIL:
	case OP_TRUNC:
	case OP_ROUND:
		*want = a;
		if (n.nan || n.inf || n.sig == 0 || n.exp >= 0)
			return true;
		while (n.exp < 0) {
			below |= half;
			half = n.sig & 1;
			n.sig >>= 1;
			n.exp++;
		}
		up = op == OP_FLOOR   ? n.negative && (half || below)
		     : op == OP_CEIL  ? !n.negative && (half || below)
		     : op == OP_ROUND ? half && (below || (n.sig & 1))
				      : false;
		n.sig += up;
		*want = encode(f, n);
		return true;
	default: return false;
	}
}

/* Computes in double. For f32 the result is rounded twice, which is harmless because a double has
 * at least 2 * 24 + 2 bits. */
static bool
arithmetic(enum op op, double a, double b, double *r)
{
	volatile double x = a, y = b;

	switch ((int)op) {
	case OP_ADD: *r = x + y; return true;
	case OP_SUB: *r = x - y; return true;
	case OP_MUL: *r = x * y; return true;
	case OP_DIV: *r = x / y; return true;
	case OP_SQRT: *r = sqrt(x); return true;
	case OP_FMA: *r = 0; return true; /* float.fma */
	default: return false;
	}
}

static void
check_float(struct unit_ctx *t, const struct alu *o, qd_type type, uint64_t a, uint64_t b)
{
	const struct format f = type == QD_TYPE_F32 ? F32 : F64;
	uint64_t want, got = ir_eval(o->op, type, type, a, b, 0);

	if (!simple_float(o->op, f, a, b, &want)) {
		double r;
		if (!arithmetic(o->op, type == QD_TYPE_F32 ? (double)f32_of(a) : f64_of(a),
				type == QD_TYPE_F32 ? (double)f32_of(b) : f64_of(b), &r)) {
			UNIT_CHECK(t, false, "%s has no reference", o->text);
			return;
		}
		if (o->op == OP_FMA)
			return;
		want = f64_bits(r);
		if (type == QD_TYPE_F32)
			want = is_nan(F64, want) ? 0x7fc00000 : encode(F32, decode(F64, want));
	}
	/* Moves preserve the bits of a NaN; arithmetic may return any NaN. Sign operations and
	 * roundings count as arithmetic. */
	bool moves = o->op == OP_MIN || o->op == OP_MAX || o->sig == SIG_CMP;
	bool same = got == want || (!moves && is_nan(f, got) && is_nan(f, want));
	UNIT_CHECK(t, same, "%s %s %#llx %#llx: %#llx, not %#llx", o->text, qd_type_name(type),
		   (unsigned long long)a, (unsigned long long)b, (unsigned long long)got,
		   (unsigned long long)want);
}

static void
eval_float(struct unit_ctx *t)
{
	static const qd_type types[] = { QD_TYPE_F32, QD_TYPE_F64 };
	struct unit_rng rng = { 11 };

	for (size_t k = 0; k < QD_COUNT(types); k++) {
		const struct format f = types[k] == QD_TYPE_F32 ? F32 : F64;
		const uint64_t mask = low_bits(1 + f.exp_bits + f.frac_bits);
		uint64_t v[N_FLOAT];
		size_t n = float_values(f, v, &rng);
		for (size_t o = 0; o < QD_COUNT(alus); o++) {
			if (!type_is(types[k], alus[o].types))
				continue;
			for (size_t i = 0; i < n; i++)
				for (size_t j = 0; j < (alus[o].n_args > 1 ? n : 1); j++)
					check_float(t, &alus[o], types[k], v[i], v[j]);
			for (size_t i = 0; i < 500; i++) {
				uint64_t a = unit_random(&rng) & mask;
				check_float(t, &alus[o], types[k], a, unit_random(&rng) & mask);
			}
		}
	}
}

/* Checks rows written by hand from IEEE-754, which do not depend on the machine. */
static void
eval_float_rows(struct unit_ctx *t)
{
	static const struct {
		enum op op;
		uint32_t a, b, want;
	} row[] = {
		{ OP_ADD, 0x80000000, 0x80000000, 0x80000000 }, /* -0 + -0 */
		{ OP_ADD, 0x80000000, 0x00000000, 0x00000000 },
		{ OP_ADD, 0x4b800000, 0x3f800000, 0x4b800000 }, /* 2^24 + 1, tie to even */
		{ OP_ADD, 0x4b800001, 0x3f800000, 0x4b800002 },
		{ OP_ADD, 0x7f7fffff, 0x7f7fffff, 0x7f800000 },
		{ OP_SUB, 0x3f800000, 0x3f800000, 0x00000000 },
		{ OP_MUL, 0x00000001, 0x3f000000, 0x00000000 }, /* half of the smallest, to even */
		{ OP_MUL, 0x00000003, 0x3f000000, 0x00000002 },
		{ OP_MUL, 0x80000000, 0x3f800000, 0x80000000 },
		{ OP_DIV, 0x3f800000, 0x80000000, 0xff800000 }, /* 1 / -0 */
		{ OP_DIV, 0x3f800000, 0x40400000, 0x3eaaaaab },
		{ OP_DIV, 0x3f800000, 0xff800000, 0x80000000 },
		{ OP_SQRT, 0x80000000, 0, 0x80000000 },
		{ OP_SQRT, 0x40000000, 0, 0x3fb504f3 },
		{ OP_MIN, 0x00000000, 0x80000000, 0x80000000 },
		{ OP_MIN, 0x80000000, 0x00000000, 0x80000000 },
		{ OP_MAX, 0x00000000, 0x80000000, 0x00000000 },
		{ OP_MAX, 0x80000000, 0x00000000, 0x00000000 },
		{ OP_MIN, 0x7fc00000, 0x3f800000, 0x3f800000 },
		{ OP_MAX, 0xff800000, 0xffc00001, 0xff800000 },
		{ OP_ROUND, 0x3f000000, 0, 0x00000000 }, /* 0.5 */
		{ OP_ROUND, 0x3fc00000, 0, 0x40000000 }, /* 1.5 */
		{ OP_ROUND, 0x40200000, 0, 0x40000000 }, /* 2.5 */
		{ OP_ROUND, 0xbf000000, 0, 0x80000000 },
		{ OP_CEIL, 0xbf000000, 0, 0x80000000 },
		{ OP_FLOOR, 0x80000001, 0, 0xbf800000 },
		{ OP_TRUNC, 0xbf7fffff, 0, 0x80000000 },
		{ OP_NE, 0x7fc00000, 0x7fc00000, 1 },
		{ OP_EQ, 0x00000000, 0x80000000, 1 },
	};
	static const struct {
		enum op op;
		uint32_t a, b;
	} nan[] = {
		{ OP_ADD, 0x7f800000, 0xff800000 }, { OP_SUB, 0x7f800000, 0x7f800000 },
		{ OP_MUL, 0x7f800000, 0x00000000 }, { OP_DIV, 0x00000000, 0x80000000 },
		{ OP_DIV, 0x7f800000, 0xff800000 }, { OP_SQRT, 0xbf800000, 0 },
		{ OP_MIN, 0x7fc00000, 0xffc00000 },
	};

	for (size_t i = 0; i < QD_COUNT(row); i++) {
		uint64_t got = ir_eval(row[i].op, QD_TYPE_F32, QD_TYPE_F32, row[i].a, row[i].b, 0);
		UNIT_CHECK(t, got == row[i].want, "row %zu: %#llx", i, (unsigned long long)got);
	}
	for (size_t i = 0; i < QD_COUNT(nan); i++) {
		uint64_t got = ir_eval(nan[i].op, QD_TYPE_F32, QD_TYPE_F32, nan[i].a, nan[i].b, 0);
		UNIT_CHECK(t, is_nan(F32, got), "nan row %zu: %#llx", i, (unsigned long long)got);
	}
}

/* Checks that fma rounds once: a separate product and sum would give 0. */
static void
eval_fma(struct unit_ctx *t)
{
	static const struct {
		double a, b, c, want;
	} row[] = {
		{ 0x1.001p0, 0x1.001p0, -0x1.002p0, 0x1p-24 },
		{ 0x1.fffffep0, 0x1.fffffep0, -0x1.fffffcp1, 0x1p-46 },
		{ 0x1.fffffep127, 2, -0x1.fffffep127, 0x1.fffffep127 },
		{ 0x1p-149, 0x1p-149, 1, 1 },
		{ 0x1p-75, 0x1p-75, 0x1p-149, 0x1p-148 }, /* 1.5 times the smallest, to even */
		{ 0x1p-75, 0x1p-75, 0x1p-148, 0x1p-148 }, /* 2.5 times the smallest */
		{ 3, 4, 5, 17 },
	};

	for (size_t i = 0; i < QD_COUNT(row); i++) {
		uint64_t a = encode(F32, decode(F64, f64_bits(row[i].a)));
		uint64_t b = encode(F32, decode(F64, f64_bits(row[i].b)));
		uint64_t c = encode(F32, decode(F64, f64_bits(row[i].c)));
		uint64_t got = ir_eval(OP_FMA, QD_TYPE_F32, QD_TYPE_F32, a, b, c);
		UNIT_CHECK(t, (double)f32_of(got) == row[i].want, "row %zu: %a, not %a", i, (double)f32_of(got),
			   row[i].want);
	}
	uint64_t got = ir_eval(OP_FMA, QD_TYPE_F64, QD_TYPE_F64, f64_bits(0x1.0000001p0),
			       f64_bits(0x1.0000001p0), f64_bits(-0x1.0000002p0));
	UNIT_CHECK(t, f64_of(got) == 0x1p-56, "f64: %a", f64_of(got));
	got = ir_eval(OP_FMA, QD_TYPE_F32, QD_TYPE_F32, 0x7f800000, 0, 0x3f800000);
	UNIT_CHECK(t, is_nan(F32, got), "inf * 0 + 1: %#llx", (unsigned long long)got);
	got = ir_eval(OP_FMA, QD_TYPE_F32, QD_TYPE_F32, 0x80000000, 0x3f800000, 0x80000000);
	UNIT_CHECK(t, got == 0x80000000, "-0 * 1 + -0: %#llx", (unsigned long long)got);
}

/* -- Conversions ------------------------------------------------------------------------ */

static struct number
int_number(uint64_t v, struct width w)
{
	return (struct number){ .negative = is_negative(v, w), .sig = magnitude(v, w) };
}

/* Truncates and saturates. */
static uint64_t
to_int(struct number n, struct width to)
{
	const uint64_t top = UINT64_C(1) << (to.w - 1);
	uint64_t most = to.is_signed ? n.negative ? top : top - 1
				     : n.negative ? 0 : low_bits(to.w);

	if (n.nan)
		return 0;
	for (; n.exp < 0; n.exp++)
		n.sig >>= 1;
	for (; n.sig && !n.inf && n.exp > 0; n.exp--) {
		if (bit(n.sig, 63))
			n.inf = true;
		n.sig <<= 1;
	}
	uint64_t mag = n.inf || n.sig > most ? most : n.sig;
	return n.negative ? slow_neg(mag, to.w) : mag;
}

static void
check_cvt(struct unit_ctx *t, qd_type from, qd_type to, uint64_t a)
{
	const struct width wf = { type_bits(from), type_info[from].is_signed };
	const struct width wt = { type_bits(to), type_info[to].is_signed };
	const struct format ff = from == QD_TYPE_F32 ? F32 : F64;
	const struct format ft = to == QD_TYPE_F32 ? F32 : F64;
	uint64_t got = ir_eval(OP_CVT, from, to, a, 0, 0), want;
	struct number n = type_info[from].is_float ? decode(ff, a) : int_number(a, wf);

	if (type_info[to].is_float) {
		if (n.nan) {
			UNIT_CHECK(t, is_nan(ft, got), "NaN %#llx from %s to %s: %#llx",
				   (unsigned long long)a, qd_type_name(from), qd_type_name(to),
				   (unsigned long long)got);
			return;
		}
		want = encode(ft, n);
	} else if (type_info[from].is_float) {
		want = to_int(n, wt);
	} else {
		want = 0; /* low bits with sign extension */
		for (unsigned i = 0; i < wt.w; i++)
			want |= (uint64_t)(i < wf.w ? bit(a, i) : is_negative(a, wf)) << i;
	}
	UNIT_CHECK(t, got == want, "%#llx from %s to %s: %#llx, not %#llx", (unsigned long long)a,
		   qd_type_name(from), qd_type_name(to), (unsigned long long)got,
		   (unsigned long long)want);
}

/* Checks every pair of value types at the edges of every range. */
static void
eval_cvt(struct unit_ctx *t)
{
	struct unit_rng rng = { 13 };

	for (qd_type from = QD_TYPE_I32; from <= QD_TYPE_F64; from++) {
		const uint64_t mask = low_bits(type_bits(from));
		uint64_t v[N_FLOAT];
		if (type_info[from].is_float)
			float_values(from == QD_TYPE_F32 ? F32 : F64, v, &rng);
		for (qd_type to = QD_TYPE_I32; to <= QD_TYPE_F64; to++) {
			if (from == to) {
				uint64_t a = 0xfff0000000000001 & mask;
				UNIT_CHECK(t, ir_eval(OP_CVT, from, to, a, 0, 0) == a, "%s",
					   qd_type_name(from));
				continue;
			}
			for (size_t i = 0; i < N_FLOAT && type_info[from].is_float; i++)
				check_cvt(t, from, to, v[i]);
			/* Around each power of two, which is an edge for integers and a change of
			 * exponent for the bits of a float. */
			for (unsigned p = 0; p < type_bits(from); p++)
				for (uint64_t d = 0; d < 5; d++) {
					uint64_t power = UINT64_C(1) << p;
					check_cvt(t, from, to, (power + d - 2) & mask);
					check_cvt(t, from, to, (0 - power + d - 2) & mask);
				}
			for (int i = 0; i < 2000; i++) {
				uint64_t bits = unit_random(&rng);
				check_cvt(t, from, to, bits >> unit_random(&rng) % 64 & mask);
			}
		}
	}
}

/* -- Storage types ------------------------------------------------------------------------ */

static void
check_narrow(struct unit_ctx *t, qd_type type, struct format f, uint64_t a)
{
	struct number n = decode(F32, a);
	uint64_t got = ir_narrow(type, a);

	if (n.nan) {
		UNIT_CHECK(t, is_nan(f, got) && got >> 15 == n.negative, "%s NaN %#llx: %#llx",
			   qd_type_name(type), (unsigned long long)a, (unsigned long long)got);
		return;
	}
	UNIT_CHECK(t, got == encode(f, n), "%s %#llx: %#llx, not %#llx", qd_type_name(type),
		   (unsigned long long)a, (unsigned long long)got,
		   (unsigned long long)encode(f, n));
}

/* Checks all values of both 16-bit formats, and values between neighbors. */
static void
eval_storage_float(struct unit_ctx *t)
{
	static const qd_type types[] = { QD_TYPE_F16, QD_TYPE_BF16 };
	struct unit_rng rng = { 17 };

	for (size_t k = 0; k < 2; k++) {
		const struct format f = k ? BF16 : F16;
		for (uint64_t h = 0; h < 0x10000; h++) {
			uint64_t wide = ir_widen(types[k], h);
			struct number n = decode(f, h);
			if (n.nan)
				UNIT_CHECK(t, is_nan(F32, wide), "%s %#llx widens to %#llx",
					   qd_type_name(types[k]), (unsigned long long)h,
					   (unsigned long long)wide);
			else
				UNIT_CHECK(t, wide == encode(F32, n), "%s %#llx widens to %#llx",
					   qd_type_name(types[k]), (unsigned long long)h,
					   (unsigned long long)wide);
			UNIT_CHECK(t, ir_narrow(types[k], wide) == h,
				   "%s %#llx comes back as %#llx", qd_type_name(types[k]),
				   (unsigned long long)h,
				   (unsigned long long)ir_narrow(types[k], wide));
			if (n.nan || n.inf || h % 7)
				continue;
			uint64_t next = ir_widen(types[k], h + 1);
			uint64_t mid = wide + (next - wide) / 2;
			check_narrow(t, types[k], f, mid - 1);
			check_narrow(t, types[k], f, mid);
			check_narrow(t, types[k], f, mid + 1);
		}
		uint64_t v[N_FLOAT];
		size_t n = float_values(F32, v, &rng);
		for (size_t i = 0; i < n; i++)
			check_narrow(t, types[k], f, v[i]);
		for (uint64_t e = 0; e < 512; e++)
			for (uint64_t d = 0; d < 3; d++) {
				check_narrow(t, types[k], f, (uint32_t)(e << 23 | d));
				check_narrow(t, types[k], f, (uint32_t)((e << 23) - d));
			}
		for (int i = 0; i < 10000; i++)
			check_narrow(t, types[k], f, unit_random(&rng) & UINT32_MAX);
	}
	UNIT_CHECK(t, ir_narrow(QD_TYPE_F16, 0x477fefff) == 0x7bff, "just below 65520");
	UNIT_CHECK(t, ir_narrow(QD_TYPE_F16, 0x477ff000) == 0x7c00, "65520 is not infinity");
	UNIT_CHECK(t, ir_narrow(QD_TYPE_BF16, 0xff7fffff) == 0xff80, "the largest is not infinity");
}

static void
eval_storage_int(struct unit_ctx *t)
{
	static const qd_type types[] = { QD_TYPE_I8, QD_TYPE_U8, QD_TYPE_I16, QD_TYPE_U16 };

	for (size_t k = 0; k < QD_COUNT(types); k++) {
		const struct width w = { type_bits(types[k]), type_info[types[k]].is_signed };
		for (uint64_t v = 0; v <= low_bits(w.w); v++) {
			uint64_t want = 0;
			for (unsigned i = 0; i < 32; i++)
				want |= (uint64_t)(i < w.w ? bit(v, i) : is_negative(v, w)) << i;
			UNIT_CHECK(t, ir_widen(types[k], v) == want, "%s %llu widens to %#llx",
				   qd_type_name(types[k]), (unsigned long long)v,
				   (unsigned long long)ir_widen(types[k], v));
			UNIT_CHECK(t, ir_narrow(types[k], want) == v &&
					      ir_narrow(types[k], (want ^ 0xabcd0000)) == v,
				   "%s %llu comes back as %#llx", qd_type_name(types[k]),
				   (unsigned long long)v,
				   (unsigned long long)ir_narrow(types[k], want));
		}
	}
	for (qd_type type = QD_TYPE_I32; type <= QD_TYPE_F64; type++) {
		uint64_t v = 0xfff8000000000001 & low_bits(type_bits(type));
		UNIT_CHECK(t, ir_widen(type, v) == v && ir_narrow(type, v) == v, "%s",
			   qd_type_name(type));
	}
}

/* -- Approximate functions: values of the interpreter, and no folding --------------------- */

static void
eval_approx(struct unit_ctx *t)
{
	static const struct {
		enum op op;
		double x, y, want; /* within a few units in the last place; exact if 0, 1, infinite
				    * or NaN */
	} row[] = {
		{ OP_EXP, 0, 0, 1 }, { OP_EXP, 1, 0, 2.71828182845904524 },
		{ OP_EXP, -INFINITY, 0, 0 }, { OP_EXP, INFINITY, 0, INFINITY },
		{ OP_LOG, 1, 0, 0 }, { OP_LOG, 10, 0, 2.30258509299404568 },
		{ OP_LOG, 0, 0, -INFINITY }, { OP_LOG, -1, 0, NAN },
		{ OP_SIN, 0, 0, 0 }, { OP_SIN, 1, 0, 0.841470984807896507 },
		{ OP_SIN, INFINITY, 0, NAN }, { OP_COS, 0, 0, 1 },
		{ OP_COS, 2, 0, -0.416146836547142387 }, { OP_COS, NAN, 0, NAN },
		{ OP_POW, 2, 10, 1024 }, { OP_POW, 2, -0.5, 0.707106781186547524 },
		{ OP_POW, -2, 3, -8 }, { OP_POW, -2, 0.5, NAN }, { OP_POW, 0, -1, INFINITY },
	};

	for (size_t i = 0; i < QD_COUNT(row); i++) {
		double want = row[i].want;
		uint64_t x = f64_bits(row[i].x), y = f64_bits(row[i].y), bits;
		double d = f64_of(ir_eval(row[i].op, QD_TYPE_F64, QD_TYPE_F64, x, y, 0)), s;

		x = f32_bits((float)row[i].x);
		y = f32_bits((float)row[i].y);
		bits = ir_eval(row[i].op, QD_TYPE_F32, QD_TYPE_F32, x, y, 0);
		s = (double)f32_of(bits);
		if (isnan(want) || isinf(want) || want == 0 || want == 1) {
			UNIT_CHECK(t, isnan(want) ? isnan(d) && isnan(s) : d == want && s == want,
				   "row %zu: %g, %g", i, d, s);
		} else {
			UNIT_CHECK(t, fabs(d / want - 1) < 0x1p-50 && fabs(s / want - 1) < 0x1p-21,
				   "row %zu: %g, %g", i, d, s);
		}
	}
}

/* Checks that an approximate function of constants remains an instruction, and is not treated as
 * known. */
static void
eval_approx_stays(struct unit_ctx *t)
{
	struct pool pool;
	struct arena mem;

	pool_init(&pool, &pool_malloc);
	arena_init(&mem, &pool);
	for (uint32_t op = 0; op < N_OP; op++) {
		struct ir ir = { 0 };
		struct appender o;
		struct ins s = { .op = (uint8_t)op, .type = QD_TYPE_F32 };
		uint32_t v;

		if (!op_info[op].is_approx)
			continue;
		append_init(&o, &ir, &mem);
		s.a = append_const(&o, QD_TYPE_F32, 0x3f800000);
		s.b = op_sig((enum op)op)->n_opnd > 1 ? s.a : 0;
		v = append(&o, s);
		UNIT_CHECK(t, ir.ins[v].op == op, "%s is folded", op_info[op].text);
		UNIT_CHECK(t, op_info[op].is_alu && !op_is_known((enum op)op), "%s is known",
			   op_info[op].text);
	}
	arena_fini(&mem);
	pool_fini(&pool);
}

const struct unit units_float[] = {
	{ "float.ops", eval_float },
	{ "float.rows", eval_float_rows },
	{ "float.fma", eval_fma },
	{ "float.approx", eval_approx },
	{ "float.approx_stays", eval_approx_stays },
	{ "float.cvt", eval_cvt },
	{ "float.storage_float", eval_storage_float },
	{ "float.storage_int", eval_storage_int },
};
const unsigned n_units_float = QD_COUNT(units_float);
