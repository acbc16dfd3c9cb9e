/* Types and integer and bool operations, against bit-by-bit references. */
#include "unit.h"
#include "slow.h"

/* -- Integers ------------------------------------------------------------------ */

/* Computes the unsigned product of 2w bits as its w low and w high bits. */
static void
slow_mul(uint64_t a, uint64_t b, unsigned w, uint64_t *lo, uint64_t *hi)
{
	*lo = *hi = 0;
	for (unsigned i = w; i-- > 0;) {
		/* double, then add a */
		*hi = slow_add(*hi, *hi, bit(*lo, w - 1), w);
		*lo = slow_add(*lo, *lo, false, w);
		if (bit(b, i)) {
			uint64_t sum = slow_add(*lo, a, false, w);
			bool carry = slow_less(sum, a, (struct width){ w, false });
			*lo = sum;
			*hi = slow_add(*hi, 0, carry, w);
		}
	}
}

static void
slow_divide(uint64_t a, uint64_t b, unsigned w, uint64_t *quot, uint64_t *rest)
{
	*quot = *rest = 0;
	for (unsigned i = w; i-- > 0;) {
		bool over = bit(*rest, w - 1);
		*rest = slow_add(*rest, *rest, bit(a, i), w);
		if (over || !slow_less(*rest, b, (struct width){ w, false })) {
			*rest = slow_add(*rest, ~b, true, w);
			*quot |= UINT64_C(1) << i;
		}
	}
}

/* Returns false if the operation has no reference. b of a shift is any u32, as is c. */
static bool
slow_int(enum op op, struct width t, uint64_t a, uint64_t b, uint32_t c, uint64_t *r)
{
	const unsigned w = t.w;
	uint64_t lo, hi, n = 0;

	*r = 0;
	switch ((int)op) {
	case OP_ADD: *r = slow_add(a, b, false, w); return true;
	case OP_SUB: *r = slow_add(a, ~b, true, w); return true;
	case OP_NEG: *r = slow_neg(a, w); return true;
	case OP_ABS: *r = magnitude(a, t); return true;
	case OP_MUL:
		slow_mul(a, b, w, r, &hi);
		return true;
	case OP_MULHI:
		slow_mul(magnitude(a, t), magnitude(b, t), w, &lo, &hi);
		if (is_negative(a, t) != is_negative(b, t)) {
			lo = slow_neg(lo, w);
			hi = slow_add(0, ~hi, lo == 0, w);
		}
		*r = hi;
		return true;
	case OP_DIV:
	case OP_REM:
		if (b == 0) {
			*r = op == OP_DIV ? low_bits(w) : a;
			return true;
		}
		slow_divide(magnitude(a, t), magnitude(b, t), w, &lo, &hi);
		if (op == OP_DIV)
			*r = is_negative(a, t) != is_negative(b, t) ? slow_neg(lo, w) : lo;
		else
			*r = is_negative(a, t) ? slow_neg(hi, w) : hi;
		return true;
	case OP_MIN: *r = slow_less(b, a, t) ? b : a; return true;
	case OP_MAX: *r = slow_less(a, b, t) ? b : a; return true;
	case OP_EQ: *r = !slow_less(a, b, t) && !slow_less(b, a, t); return true;
	case OP_NE: *r = slow_less(a, b, t) || slow_less(b, a, t); return true;
	case OP_LT: *r = slow_less(a, b, t); return true;
	case OP_LE: *r = !slow_less(b, a, t); return true;
	case OP_AND:
	case OP_OR:
	case OP_XOR:
	case OP_NOT:
		for (unsigned i = 0; i < w; i++) {
			unsigned ones = bit(a, i) + bit(b, i);
			bool v = op == OP_AND	? ones == 2
				 : op == OP_OR	? ones > 0
				 : op == OP_XOR ? ones == 1
						: !bit(a, i);
			*r |= (uint64_t)v << i;
		}
		return true;
	case OP_SHL:
	case OP_SHR:
		for (unsigned i = 0; i < w; i++) {
			unsigned count = (unsigned)(b % w), from = i + count;
			bool v = op == OP_SHL ? i >= count && bit(a, i - count)
				 : from < w   ? bit(a, from)
					      : is_negative(a, t);
			*r |= (uint64_t)v << i;
		}
		return true;
	case OP_FUNNEL_LEFT:
	case OP_FUNNEL_RIGHT: /* bit i of the pair is that of b, from w on of a */
		for (unsigned i = 0; i < w; i++) {
			unsigned from = op == OP_FUNNEL_LEFT ? i + w - c % w : i + c % w;
			*r |= (uint64_t)(from < w ? bit(b, from) : bit(a, from - w)) << i;
		}
		return true;
	case OP_BYTE_PERMUTE: /* bit i is a bit of the byte that digit i / 8 selects, or its top one */
		for (unsigned i = 0; i < w; i++) {
			unsigned digit = c >> i / 8 * 4 & 15;
			unsigned from = digit % 8 * 8 + (digit < 8 ? i % 8 : 7);
			*r |= (uint64_t)(from < w ? bit(a, from) : bit(b, from - w)) << i;
		}
		return true;
	case OP_DOT4_I8:
	case OP_DOT4_U8:
	case OP_DOT4_I8U8: /* bits of a times bits of b; the top bit of a signed byte counts -128 */
		*r = c;
		for (unsigned i = 0; i < 256; i++) {
			unsigned at = i / 64 * 8, j = i / 8 % 8, k = i % 8;
			bool less = (j == 7 && op != OP_DOT4_U8) != (k == 7 && op == OP_DOT4_I8);
			uint64_t product = (uint64_t)(bit(a, at + j) && bit(b, at + k)) << (j + k);
			*r = slow_add(*r, less ? slow_neg(product, w) : product, false, w);
		}
		return true;
	case OP_POPCOUNT:
		for (unsigned i = 0; i < w; i++)
			n += bit(a, i);
		*r = n;
		return true;
	case OP_CLZ:
		while (n < w && !bit(a, w - 1 - (unsigned)n))
			n++;
		*r = n;
		return true;
	case OP_FFS:
		while (n < w && !bit(a, (unsigned)n))
			n++;
		*r = n < w ? n + 1 : 0;
		return true;
	case OP_BREV:
		for (unsigned i = 0; i < w; i++)
			*r |= (uint64_t)bit(a, i) << (w - 1 - i);
		return true;
	default: return false;
	}
}

/* Checks every operation on every pair of extremes. A wrong wrap, shift or division by zero would
 * make the interpreter and folded kernels disagree with every target. */
static void
eval_int(struct unit_ctx *t)
{
	static const qd_type types[] = { QD_TYPE_I32, QD_TYPE_U32, QD_TYPE_I64, QD_TYPE_U64 };
	struct unit_rng rng = { 7 };
	uint64_t v[40];
	size_t n_v = 0;

	for (uint64_t i = 0; i < 4; i++) {
		v[n_v++] = i;
		v[n_v++] = ~i;
		v[n_v++] = UINT64_C(0x8000000080000000) + i - 2;
		v[n_v++] = UINT64_C(0x7fffffff7fffffff) - i;
	}
	v[n_v++] = 10;
	v[n_v++] = 31;
	v[n_v++] = 32;
	v[n_v++] = 33;
	v[n_v++] = 63;
	v[n_v++] = 64;
	v[n_v++] = 65;
	v[n_v++] = 0x5555555555555555;
	v[n_v++] = 0xaaaaaaaaaaaaaaaa;
	v[n_v++] = UINT64_C(1) << 63;
	v[n_v++] = (UINT64_C(1) << 63) - 1;
	v[n_v++] = UINT32_MAX;
	v[n_v++] = (uint64_t)UINT32_MAX + 1;
	for (; n_v < QD_COUNT(v); n_v++) {
		v[n_v] = unit_random(&rng);
		v[n_v] >>= unit_random(&rng) % 60;
	}
	for (size_t k = 0; k < QD_COUNT(types); k++) {
		const struct width width = { type_bits(types[k]), type_info[types[k]].is_signed };
		const uint64_t mask = low_bits(width.w);
		for (size_t o = 0; o < QD_COUNT(alus); o++) {
			if (!type_is(types[k], alus[o].types))
				continue;
			const enum op op = alus[o].op;
			for (size_t i = 0; i < n_v * n_v; i++) {
				uint64_t a = v[i / n_v] & mask, b = v[i % n_v] & mask, want;
				if (alus[o].sig == SIG_SHIFT)
					b = (uint32_t)b;
				if (alus[o].n_args == 1) {
					if (i % n_v)
						continue;
					b = 0;
				}
				const uint32_t c = (uint32_t)v[i * 7 % n_v];
				if (!slow_int(op, width, a, b, c, &want)) {
					UNIT_CHECK(t, false, "%s has no reference", alus[o].text);
					break;
				}
				uint64_t got = ir_eval(op, types[k], types[k], a, b, c);
				UNIT_CHECK(t, got == want, "%s %s %#llx %#llx: %#llx, not %#llx",
					   alus[o].text, qd_type_name(types[k]),
					   (unsigned long long)a, (unsigned long long)b,
					   (unsigned long long)got, (unsigned long long)want);
			}
		}
	}
}

static void
eval_bool(struct unit_ctx *t)
{
	for (size_t o = 0; o < QD_COUNT(alus); o++) {
		if (!type_is(QD_TYPE_BOOL, alus[o].types))
			continue;
		for (unsigned i = 0; i < 4; i++) {
			uint64_t a = i >> 1, b = i & 1, want;
			bool known = slow_int(alus[o].op, (struct width){ 1, false }, a, b, 0, &want);
			uint64_t got = ir_eval(alus[o].op, QD_TYPE_BOOL, QD_TYPE_BOOL, a, b, 0);
			UNIT_CHECK(t, known && got == want, "%s %u %u: %u", alus[o].text,
				   (unsigned)a, (unsigned)b, (unsigned)got);
		}
	}
	const uint64_t x = 0xfedcba9876543210, y = 0x7ff0000000000001;
	UNIT_CHECK(t, ir_eval(OP_SELECT, QD_TYPE_BOOL, QD_TYPE_F64, 1, x, y) == x, "select true");
	UNIT_CHECK(t, ir_eval(OP_SELECT, QD_TYPE_BOOL, QD_TYPE_F64, 0, x, y) == y, "select false");
	UNIT_CHECK(t, ir_eval(OP_BITCAST, QD_TYPE_F64, QD_TYPE_I64, y, 0, 0) == y, "bitcast 64");
	UNIT_CHECK(t, ir_eval(OP_BITCAST, QD_TYPE_I32, QD_TYPE_F32, 0xff800001, 0, 0) == 0xff800001,
		   "bitcast 32");
}

/* Checks that constants are folded in the default floating-point environment, and that the
 * program's environment is restored. */
static void
eval_environment(struct unit_ctx *t)
{
	const uint32_t one = 0x3f800000, small = 0x30000000, tiny = 1, three = 0x40400000;
	fenv_t saved;
	uint64_t sum, less, product;
	int mode;

	fegetenv(&saved);
	fesetround(FE_UPWARD);
	sum = ir_eval(OP_ADD, QD_TYPE_F32, QD_TYPE_F32, one, small, 0);
	mode = fegetround();
	fesetround(FE_DOWNWARD);
	less = ir_eval(OP_SUB, QD_TYPE_F32, QD_TYPE_F32, one, small, 0);
	fesetenv(&saved);
#if defined(__GNUC__) && defined(__SSE2__)
	__builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040); /* FTZ and DAZ */
#endif
	product = ir_eval(OP_MUL, QD_TYPE_F32, QD_TYPE_F32, tiny, three, 0);
	fesetenv(&saved);
	UNIT_CHECK(t, sum == one && less == one, "rounded to %#llx, %#llx", (unsigned long long)sum,
		   (unsigned long long)less);
	UNIT_CHECK(t, mode == FE_UPWARD, "the program's rounding is lost: %d", mode);
	UNIT_CHECK(t, product == 3, "3 * 2^-149 is %#llx", (unsigned long long)product);
}

/* -- Types --------------------------------------------------------------------------------- */

/* Returns the value of v in a body whose only unknown has the value x. */
static uint64_t
value_of(const struct appender *o, uint32_t v, uint32_t unknown, uint64_t x)
{
	return v == unknown ? x : const_bits(&o->ir->ins[v]);
}

/* Checks that simplification preserves the result, for a constant on either side, and that it
 * applies often enough. */
static void
eval_identities(struct unit_ctx *t)
{
	static const uint64_t v[] = { 0, 1, 2, 31, 32, 64, 0x7fffffff, 0x80000000, UINT32_MAX,
				      UINT64_C(1) << 63, UINT64_MAX };
	static const qd_type types[] = { QD_TYPE_BOOL, QD_TYPE_I32, QD_TYPE_U32, QD_TYPE_I64,
					 QD_TYPE_U64 };
	unsigned claimed = 0, changed = 0;
	struct pool pool;
	struct arena mem;

	pool_init(&pool, &pool_malloc);
	arena_init(&mem, &pool);
	for (size_t n = 0; n < QD_COUNT(types) * QD_COUNT(alus) * 121 * 3; n++) {
		const qd_type type = types[n % QD_COUNT(types)];
		const struct alu *alu = &alus[n / QD_COUNT(types) % QD_COUNT(alus)];
		size_t rest = n / QD_COUNT(types) / QD_COUNT(alus);
		qd_type second = alu->sig == SIG_SHIFT ? QD_TYPE_U32 : type;
		uint64_t a = v[rest % 11] & low_bits(type_bits(type));
		uint64_t b = v[rest / 11 % 11] & low_bits(type_bits(second)), got, want;
		struct ir ir = { 0 };
		struct appender o;
		struct ins s = { .op = (uint8_t)alu->op, .type = (uint8_t)type };
		uint32_t x, r;

		if (alu->n_args != 2 || !type_is(type, alu->types))
			continue;
		if (alu->sig == SIG_CMP)
			s.type = QD_TYPE_BOOL;
		arena_reset(&mem);
		append_init(&o, &ir, &mem);
		x = append_raw(&o, (struct ins){ .op = OP_PARAM, .type = (uint8_t)type });
		switch (rest / 121) {
		case 0:
			s.a = x;
			s.b = append_const(&o, second, b);
			break;
		case 1:
			s.a = append_const(&o, type, a);
			o.ir->ins[x].type = (uint8_t)second;
			s.b = x;
			break;
		default:
			if (second != type)
				continue;
			b = a;
			s.a = s.b = x;
			break;
		}
		want = ir_eval(alu->op, type, (qd_type)s.type, a, b, 0);
		r = simplify(&o, &s);
		claimed += r != 0;
		changed += s.op != alu->op;
		if (r)
			got = value_of(&o, r, x, rest / 121 == 1 ? b : a);
		else
			got = ir_eval((enum op)s.op, (qd_type)ir.ins[s.a].type, (qd_type)s.type,
				      value_of(&o, s.a, x, rest / 121 == 1 ? b : a),
				      value_of(&o, s.b, x, rest / 121 == 1 ? b : a), 0);
		UNIT_CHECK(t, got == want, "%s %s %#llx %#llx is %#llx, not %#llx", alu->text,
			   qd_type_name(type), (unsigned long long)a, (unsigned long long)b,
			   (unsigned long long)got, (unsigned long long)want);
	}
	arena_fini(&mem);
	pool_fini(&pool);
	UNIT_CHECK(t, claimed > 1000 && changed > 100, "only %u identities, %u changes", claimed,
		   changed);
}

static void
type_table(struct unit_ctx *t)
{
	static const struct {
		const char *name;
		unsigned size, bits;
		const char *wide;
	} row[N_TYPE] = {
		{ "none", 0, 0, "none" }, { "bool", 0, 1, "bool" }, { "i32", 4, 32, "i32" },
		{ "u32", 4, 32, "u32" },  { "i64", 8, 64, "i64" },  { "u64", 8, 64, "u64" },
		{ "f32", 4, 32, "f32" },  { "f64", 8, 64, "f64" },  { "i8", 1, 8, "i32" },
		{ "u8", 1, 8, "u32" },	  { "i16", 2, 16, "i32" },  { "u16", 2, 16, "u32" },
		{ "f16", 2, 16, "f32" },  { "bf16", 2, 16, "f32" },
	};

	for (qd_type i = 0; i < N_TYPE; i++) {
		const char *name = qd_type_name(i);
		UNIT_CHECK(t, !strcmp(name, row[i].name), "%u is '%s'", i, name);
		UNIT_CHECK(t, qd_type_size(i) == row[i].size && type_bits(i) == row[i].bits, "%s",
			   name);
		UNIT_CHECK(t, !strcmp(qd_type_name(type_info[i].wide), row[i].wide), "%s", name);
		UNIT_CHECK(t, type_info[i].is_signed == (name[0] == 'i'), "%s", name);
		UNIT_CHECK(t, type_info[i].is_float == (name[0] == 'f' || name[1] == 'f'), "%s",
			   name);
		UNIT_CHECK(t, type_by_name(name, strlen(name)) == i, "%s by name", name);
	}
	UNIT_CHECK(t, type_by_name("f32x", 3) == QD_TYPE_F32, "a name with a length");
	UNIT_CHECK(t, type_by_name("f3", 2) == QD_TYPE_NONE, "f3");
	UNIT_CHECK(t, type_by_name("f32x", 4) == QD_TYPE_NONE, "f32x");
	UNIT_CHECK(t, type_by_name("", 0) == QD_TYPE_NONE, "no name");
	UNIT_CHECK(t, !strcmp(qd_type_name(N_TYPE), "none") && !qd_type_size(UINT32_MAX),
		   "an invalid type");
}

const struct unit units_eval[] = {
	{ "type.table", type_table },
	{ "eval.int", eval_int },
	{ "eval.bool", eval_bool },
	{ "eval.identities", eval_identities },
	{ "eval.environment", eval_environment },
};
const unsigned n_units_eval = QD_COUNT(units_eval);
