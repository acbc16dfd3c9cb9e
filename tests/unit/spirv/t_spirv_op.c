/* Native operations of the SPIR-V back end, and that each of them is emitted. */
#include "emit.h"
#include "t_spirv.h"

extern const struct unit units_spirv_op[];
extern const unsigned n_units_spirv_op;

static const qd_type any_type[] = { QD_TYPE_BOOL, QD_TYPE_I32, QD_TYPE_U32, QD_TYPE_I64,
				    QD_TYPE_U64,  QD_TYPE_F32, QD_TYPE_F64 };

/* -- Queries ---------------------------------------------------------------------- */

struct native_row {
	const char *target;
	struct query q;
	bool yes;
};

#define ASK(target, yes, ...) { target, { __VA_ARGS__, }, yes }
/* clang-format off */
static const struct native_row native_rows[] = {
	ASK("spirv", true, OP_ADD, QD_TYPE_I64, 0, 0, 0, 0, 0, 0),
	ASK("spirv:-i64", false, OP_ADD, QD_TYPE_I64, 0, 0, 0, 0, 0, 0),
	ASK("spirv:-f64", false, OP_ADD, QD_TYPE_F64, 0, 0, 0, 0, 0, 0),
	ASK("spirv:-i64", true, OP_ADD, QD_TYPE_F64, 0, 0, 0, 0, 0, 0),
	/* 64-bit bit counts are not valid; float min does not order zeros */
	ASK("spirv", true, OP_CLZ, QD_TYPE_U32, 0, 0, 0, 0, 0, 0),
	ASK("spirv", false, OP_CLZ, QD_TYPE_U64, 0, 0, 0, 0, 0, 0),
	ASK("spirv", false, OP_MULHI, QD_TYPE_I64, 0, 0, 0, 0, 0, 0),
	ASK("spirv", true, OP_MULHI, QD_TYPE_I32, 0, 0, 0, 0, 0, 0),
	ASK("spirv", false, OP_MIN, QD_TYPE_F32, 0, 0, 0, 0, 0, 0),
	ASK("spirv", false, OP_NEG, QD_TYPE_F32, 0, 0, 0, 0, 0, 0),
	ASK("spirv", true, OP_TRUNC, QD_TYPE_F64, 0, 0, 0, 0, 0, 0),
	ASK("spirv:+trunc64", false, OP_TRUNC, QD_TYPE_F64, 0, 0, 0, 0, 0, 0),
	ASK("spirv:+trunc64", false, OP_ROUND, QD_TYPE_F64, 0, 0, 0, 0, 0, 0),
	ASK("spirv:+trunc64", true, OP_ROUND, QD_TYPE_F32, 0, 0, 0, 0, 0, 0),
	ASK("spirv:+sign32", false, OP_FLOOR, QD_TYPE_F32, 0, 0, 0, 0, 0, 0),
	ASK("spirv:+sign32", true, OP_FLOOR, QD_TYPE_F64, 0, 0, 0, 0, 0, 0),
	ASK("spirv:+trunc64", true, OP_FLOOR, QD_TYPE_F64, 0, 0, 0, 0, 0, 0),
	/* GLSL.std.450 has these only for f32 */
	ASK("spirv", true, OP_EXP, QD_TYPE_F32, 0, 0, 0, 0, 0, 0),
	ASK("spirv", false, OP_EXP, QD_TYPE_F64, 0, 0, 0, 0, 0, 0),
	ASK("spirv", false, OP_POW, QD_TYPE_F64, 0, 0, 0, 0, 0, 0),
	/* a conversion depends on both types */
	ASK("spirv", true, OP_CVT, QD_TYPE_F64, QD_TYPE_I64, 0, 0, 0, 0, 0),
	ASK("spirv:-i64", false, OP_CVT, QD_TYPE_F64, QD_TYPE_I64, 0, 0, 0, 0, 0),
	ASK("spirv:-i64", false, OP_CVT, QD_TYPE_U64, QD_TYPE_F32, 0, 0, 0, 0, 0),
	ASK("spirv:-i64", true, OP_CVT, QD_TYPE_F64, QD_TYPE_I32, 0, 0, 0, 0, 0),
	ASK("spirv:-f64", false, OP_CVT, QD_TYPE_I32, QD_TYPE_F64, 0, 0, 0, 0, 0),
	ASK("spirv:-f64", false, OP_BITCAST, QD_TYPE_I64, QD_TYPE_F64, 0, 0, 0, 0, 0),
	ASK("spirv", true, OP_SELECT, QD_TYPE_BOOL, 0, 0, 0, 0, 0, 0),
	ASK("spirv:-i64", false, OP_SELECT, QD_TYPE_U64, 0, 0, 0, 0, 0, 0),
	/* words of types that exist */
	ASK("spirv:-i64", true, OP_LO, QD_TYPE_F64, 0, 0, 0, 0, 0, 0),
	ASK("spirv:-i64", false, OP_HI, QD_TYPE_U64, 0, 0, 0, 0, 0, 0),
	ASK("spirv:-i64", true, OP_PAIR, QD_TYPE_F64, 0, 0, 0, 0, 0, 0),
	/* memory depends on element and space; shared arrays contain value types */
	ASK("spirv", true, OP_LOAD, QD_TYPE_I8, 0, SPACE_GLOBAL, 0, 0, 0, 0),
	ASK("spirv:-i8", false, OP_STORE, QD_TYPE_I8, 0, SPACE_GLOBAL, 0, 0, 0, 0),
	ASK("spirv:-i16", false, OP_LOAD, QD_TYPE_F16, 0, SPACE_GLOBAL, 0, 0, 0, 0),
	ASK("spirv:-i8", true, OP_LOAD, QD_TYPE_BF16, 0, SPACE_GLOBAL, 0, 0, 0, 0),
	ASK("spirv:-i64", false, OP_LOAD, QD_TYPE_U64, 0, SPACE_GLOBAL, 0, 0, 0, 0),
	ASK("spirv:-i64", true, OP_LOAD, QD_TYPE_F64, 0, SPACE_GLOBAL, 0, 0, 0, 0),
	ASK("spirv", true, OP_STORE, QD_TYPE_F64, 0, SPACE_SHARED, 0, 0, 0, 0),
	ASK("spirv", false, OP_LOAD, QD_TYPE_U8, 0, SPACE_SHARED, 0, 0, 0, 0),
	ASK("spirv:-i64", false, OP_LOAD, QD_TYPE_I64, 0, SPACE_SHARED, 0, 0, 0, 0),
	/* lanes */
	ASK("spirv", true, OP_SHUFFLE, QD_TYPE_F64, 0, 0, 0, 0, 0, 0),
	ASK("spirv", false, OP_SHUFFLE_UP, QD_TYPE_U32, 0, 0, 0, 0, 0, 0),
	ASK("spirv", false, OP_SHUFFLE_XOR, QD_TYPE_U32, 0, 0, 0, 0, 0, 0),
	ASK("spirv", true, OP_LANE_PATTERN, QD_TYPE_F32, 0, 0, 0, 0, PATTERN_XOR, 0),
	ASK("spirv", true, OP_LANE_PATTERN, QD_TYPE_F64, 0, 0, 0, 0, PATTERN_PARTNER, 0),
	ASK("spirv", false, OP_LANE_PATTERN, QD_TYPE_F32, 0, 0, 0, 0, PATTERN_LAST, 0),
	ASK("spirv", false, OP_LANE_PATTERN, QD_TYPE_F32, 0, 0, 0, 0, PATTERN_SHIFT, 0),
	ASK("spirv", false, OP_LANE_PATTERN, QD_TYPE_F32, 0, 0, 0, 0, PATTERN_DOWN, 0),
	ASK("spirv:-i64", false, OP_LANE_PATTERN, QD_TYPE_U64, 0, 0, 0, 0, PATTERN_XOR, 0),
	ASK("spirv", true, OP_BALLOT_WORD, QD_TYPE_BOOL, 0, 0, 0, 0, 0, 0),
	ASK("spirv", false, OP_ELECT, QD_TYPE_I32, 0, 0, 0, 0, 0, 0),
	ASK("spirv", true, OP_SUBGROUP_ID, QD_TYPE_U32, 0, 0, 0, 0, 0, 0),
	/* reductions of the whole subgroup if their order is free; tiles with clusters */
	ASK("spirv:w8", true, OP_REDUCE_ADD, QD_TYPE_I32, 0, 0, 0, 0, 0, LOG2_FULL),
	ASK("spirv:w8", true, OP_REDUCE_MIN, QD_TYPE_U64, 0, 0, 0, 0, 0, 3),
	ASK("spirv:w8", false, OP_REDUCE_ADD, QD_TYPE_I32, 0, 0, 0, 0, 0, 2),
	ASK("spirv:w8", false, OP_REDUCE_ADD, QD_TYPE_F32, 0, 0, 0, 0, 0, LOG2_FULL),
	ASK("spirv:w8:+clusters", true, OP_REDUCE_ADD, QD_TYPE_I32, 0, 0, 0, 0, 0, 2),
	ASK("spirv:w8:+clusters", true, OP_REDUCE_MAX, QD_TYPE_I32, 0, 0, 0, 0, 0, LOG2_FULL),
	ASK("spirv:w8:+clusters", false, OP_REDUCE_ADD, QD_TYPE_I32, 0, 0, 0, 0, 0, 4),
	ASK("spirv:w8:+clusters", false, OP_REDUCE_ADD, QD_TYPE_F32, 0, 0, 0, 0, 0, 2),
	ASK("spirv:w8", true, OP_INCLUSIVE_ADD, QD_TYPE_I32, 0, 0, 0, 0, 0, LOG2_FULL),
	ASK("spirv:w8:+clusters", false, OP_INCLUSIVE_ADD, QD_TYPE_I32, 0, 0, 0, 0, 0, 2),
	ASK("spirv:w8", false, OP_REDUCE, QD_TYPE_I32, 0, 0, 0, 0, 0, LOG2_FULL),
};
/* clang-format on */

static void
native_answers(struct unit_ctx *t)
{
	for (size_t i = 0; i < QD_COUNT(native_rows); i++) {
		const struct native_row *r = &native_rows[i];
		struct target g;
		isa_target(r->target, &g, NULL);
		UNIT_CHECK(t, g.m.native(&g.m, &r->q) == r->yes, "row %zu: %s, %s of %s to %s", i,
			   r->target, op_info[r->q.op].text, type_info[r->q.type].name,
			   type_info[r->q.to].name);
	}
	struct target g;
	isa_target("spirv:w8", &g, NULL);
	UNIT_CHECK(t, g.m.caps & CAP_FLAG_LOOPS && !(g.m.caps & CAP_HIDE_ZERO), "caps");
	isa_target("spirv:+hidezero:+u32f32", &g, NULL);
	UNIT_CHECK(t, g.m.caps & CAP_HIDE_ZERO && g.m.caps & CAP_U32_TO_F32_INEXACT, "quirks");
	isa_target("ref", &g, NULL);
	UNIT_CHECK(t, g.m.native(&g.m, &native_rows[1].q), "ref has all");
}

/* -- Every native operation is emitted ------------------------------------------------- */

static uint32_t
constant(struct spirv_fx *f, qd_type type, uint32_t bits)
{
	return spirv_push(f, OP_CONST, type, bits, 0, 0, 0);
}

/* Appends op with operands of the kinds that its signature lists. Returns false if this test has no
 * operand of such a kind. */
static bool
push_op(struct spirv_fx *f, const struct query *q, qd_type to)
{
	const struct sig_info *sig = op_sig(q->op);
	uint32_t v[MAX_OPND] = { 0 };

	for (uint32_t i = 0; i < sig->n_opnd; i++) {
		switch (opnd_kind(sig->opnd[i])) {
		case OPND_T: v[i] = constant(f, q->type, 1); break;
		case OPND_INDEX:
		case OPND_UINDEX:
		case OPND_MEMBERS:
		case OPND_U32: v[i] = constant(f, QD_TYPE_U32, 1); break;
		case OPND_BOOL: v[i] = constant(f, QD_TYPE_BOOL, 1); break;
		case OPND_K:
			if (q->log2_size != LOG2_FULL)
				v[i] = constant(f, QD_TYPE_I32, q->log2_size);
			break;
		case OPND_N: v[i] = constant(f, QD_TYPE_I32, 3); break;
		case OPND_LIT: v[i] = 1; break;
		default: return false;
		}
	}
	spirv_push(f, q->op, to, v[0], v[1], v[2], sig->x == X_NUMBER ? q->pattern : 0);
	return true;
}

static qd_type
result_type(const struct query *q)
{
	switch (op_sig(q->op)->result[0]) {
	case OPND_BOOL: return QD_TYPE_BOOL;
	case OPND_I32: return QD_TYPE_I32;
	case OPND_U32: return QD_TYPE_U32;
	default: return q->to ? q->to : q->type;
	}
}

/* Returns combination n of all operations with types, patterns and sizes, or false if it does not
 * exist. */
static bool
cell(uint32_t n, struct query *q)
{
	static const uint8_t sizes[] = { LOG2_FULL, 1, 2, 3, 5 };

	memset(q, 0, sizeof *q);
	q->op = (enum op)(n % N_OP);
	q->type = any_type[(n /= N_OP) % 7];
	q->to = (n /= 7) % 8 ? any_type[n % 8 - 1] : QD_TYPE_NONE;
	q->pattern = (uint8_t)((n /= 8) % 4);
	q->log2_size = sizes[n / 4 % QD_COUNT(sizes)];

	const struct op_info *info = &op_info[q->op];
	const struct sig_info *sig = op_sig(q->op);
	bool chooses = sig->result[0] == OPND_OWN && sig->lead >= 0; /* a conversion */
	bool has_size = info->expand == EXPAND_reduce || info->expand == EXPAND_scan;
	if (!info->is_alu && info->scope != SCOPE_SUBGROUP)
		return false;
	if (!type_is(q->type, info->types == TM_NONE ? (uint32_t)TM_BOOL : info->types))
		return false;
	if (chooses ? !type_is(q->to, info->types) : q->to != QD_TYPE_NONE)
		return false;
	if (q->op == OP_BITCAST && type_bits(q->type) != type_bits(q->to))
		return false;
	return (!q->pattern || q->op == OP_LANE_PATTERN) &&
	       (q->log2_size == LOG2_FULL || has_size);
}

/* Checks that every native combination of operation, types, pattern and size is emitted, all in one
 * module, which must not need what the target lacks. */
static void
native_is_emitted(struct unit_ctx *t)
{
	enum { N_CELL = N_OP * 7 * 8 * 4 * 5 };
	static const struct {
		const char *target;
		uint64_t lacks;
	} rows[] = {
		{ "spirv", SPV_NEED_CLUSTERED },
		{ "spirv:w8:+clusters", 0 },
		{ "spirv:w4:-i64", SPV_NEED_I64 | SPV_NEED_CLUSTERED },
		{ "spirv:w64:-f64", SPV_NEED_F64 | SPV_NEED_CLUSTERED },
		{ "spirv:-i64:-f64", SPV_NEED_I64 | SPV_NEED_F64 | SPV_NEED_CROSS64 },
	};

	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		struct spirv_fx f;
		struct query q;
		uint32_t n = 0;
		spirv_start(&f, t, rows[i].target, QD_TYPE_U32);
		for (uint32_t c = 0; c < N_CELL; c++) {
			if (cell(c, &q) && f.target.m.native(&f.target.m, &q))
				n += push_op(&f, &q, result_type(&q));
		}
		spirv_must_emit(&f);
		UNIT_CHECK(t, n > 100, "%s: %u cells", rows[i].target, n);
		UNIT_CHECK(t, !(f.meta.needs & rows[i].lacks), "%s needs %#llx", rows[i].target,
			   (unsigned long long)f.meta.needs);
		spirv_stop(&f);
	}
}

/* -- Arithmetic -------------------------------------------------------------------------- */

/* Checks that every float sum, product and quotient is decorated NoContraction, and no other
 * operation. */
static void
no_contraction(struct unit_ctx *t)
{
	static const enum op ops[] = { OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_FMA, OP_SQRT, OP_LT };
	struct spirv_fx f;

	for (size_t k = 0; k < N_SPIRV_TYPES; k++) {
		qd_type type = spirv_types[k];
		bool is_float = type_info[type].is_float;
		spirv_start(&f, t, "spirv", type);
		uint32_t v = spirv_push(&f, OP_PARAM, type, 0, 0, 0, SCALE);
		for (size_t i = 0; i < QD_COUNT(ops); i++) {
			qd_type to = ops[i] == OP_LT ? QD_TYPE_BOOL : type;
			if (is_float || (ops[i] != OP_FMA && ops[i] != OP_SQRT))
				spirv_push(&f, ops[i], to, v, v, v, 0);
		}
		spirv_must_emit(&f);
		uint32_t found = 0;
		EACH(&f, i)
			found += OPCODE(&f, i) == SPV_Decorate &&
				 f.w[i + 2] == SPV_Decoration_NoContraction;
		UNIT_CHECK(t, found == (is_float ? 4 : 0), "%s: %u", type_info[type].name, found);
		spirv_stop(&f);
	}
}

/* Checks that floats are compared with zero by their bits if the device may flush subnormals. */
static void
zero_tests(struct unit_ctx *t)
{
	static const struct {
		const char *target;
		qd_type type;
		uint32_t zero[2]; /* words of the constant */
		bool by_bits;
	} rows[] = {
		{ "spirv", QD_TYPE_F32, { 0 }, true },
		{ "spirv", QD_TYPE_F32, { 0x80000000 }, true },
		{ "spirv", QD_TYPE_F32, { 1 }, false },
		{ "spirv:+denorm32", QD_TYPE_F32, { 0 }, false },
		{ "spirv:+denorm32", QD_TYPE_F64, { 0, 0 }, true },
		{ "spirv:+denorm64", QD_TYPE_F64, { 0, 0 }, false },
		{ "spirv", QD_TYPE_F64, { 0, 0x80000000 }, true },
		{ "spirv", QD_TYPE_F64, { 1, 0 }, false },
		{ "spirv", QD_TYPE_U32, { 0 }, false },
	};

	for (size_t r = 0; r < QD_COUNT(rows); r++) {
		struct spirv_fx f;
		uint32_t shifts = 0, floats = 0;

		spirv_start(&f, t, rows[r].target, rows[r].type);
		uint32_t v = spirv_push(&f, OP_PARAM, rows[r].type, 0, 0, 0, SCALE);
		uint32_t zero = spirv_push(&f, OP_CONST, rows[r].type, rows[r].zero[0], rows[r].zero[1], 0, 0);

		spirv_push(&f, OP_NE, QD_TYPE_BOOL, v, zero, 0, 0);
		spirv_push(&f, OP_EQ, QD_TYPE_BOOL, v, zero, 0, 0);
		spirv_must_emit(&f);
		EACH(&f, i) {
			shifts += OPCODE(&f, i) == SPV_ShiftLeftLogical;
			floats += OPCODE(&f, i) == SPV_FUnordNotEqual || OPCODE(&f, i) == SPV_FOrdEqual;
		}
		UNIT_CHECK(t, shifts == (rows[r].by_bits ? 2 : 0) &&
				      floats == (rows[r].by_bits || rows[r].type == QD_TYPE_U32 ? 0 : 2),
			   "row %zu: %u shifts, %u comparisons of floats", r, shifts, floats);
		spirv_stop(&f);
	}
}

/* Checks that an atomic load of a shared array is a read-modify-write only for drivers that move
 * the load out of its loop. */
static void
rmw_loads(struct unit_ctx *t)
{
	static const struct {
		const char *target;
		bool shared;
		uint32_t loads, ors;
	} rows[] = { { "spirv", true, 1, 0 }, { "spirv:+rmwload", true, 0, 1 }, { "spirv:+rmwload", false, 1, 0 } };

	for (size_t r = 0; r < QD_COUNT(rows); r++) {
		struct spirv_fx f;
		uint32_t loads, ors, row = DST;

		spirv_start(&f, t, rows[r].target, QD_TYPE_U32);
		if (rows[r].shared)
			row = spirv_shared(&f, QD_TYPE_U32, 4);
		spirv_push(&f, OP_ATOMIC_LOAD, QD_TYPE_U32, spirv_u32(&f, 0), 0, 0, row);
		spirv_must_emit(&f);
		loads = spirv_count(&f, SPV_AtomicLoad);
		ors = spirv_count(&f, SPV_AtomicOr);
		UNIT_CHECK(t, loads == rows[r].loads && ors == rows[r].ors, "row %zu: %u loads, %u read-modify-writes",
			   r, loads, ors);
		spirv_stop(&f);
	}
}

/* Checks that a subgroup barrier is a memory barrier on drivers that implement every control
 * barrier as one of the block. A block barrier remains a control barrier. */
static void
sync_fences(struct unit_ctx *t)
{
	static const struct {
		const char *target;
		enum op op;
		uint32_t controls, memories, scope;
	} rows[] = {
		{ "spirv", OP_SUBGROUP_SYNC, 1, 0, SPV_SCOPE_SUBGROUP },
		{ "spirv:+syncfence", OP_SUBGROUP_SYNC, 0, 1, SPV_SCOPE_SUBGROUP },
		{ "spirv:+syncfence", OP_BLOCK_SYNC, 1, 0, SPV_SCOPE_WORKGROUP },
	};

	for (size_t r = 0; r < QD_COUNT(rows); r++) {
		struct spirv_fx f;
		uint32_t controls, memories, at, scope = 0;

		spirv_start(&f, t, rows[r].target, QD_TYPE_U32);
		spirv_push(&f, rows[r].op, QD_TYPE_NONE, 0, 0, 0, 0);
		spirv_must_emit(&f);
		controls = spirv_count(&f, SPV_ControlBarrier);
		memories = spirv_count(&f, SPV_MemoryBarrier);
		at = spirv_find(&f, controls ? SPV_ControlBarrier : SPV_MemoryBarrier, 0);
		EACH(&f, i) {
			if (OPCODE(&f, i) == SPV_Constant && f.w[i + 2] == f.w[at + 1])
				scope = f.w[i + 3];
		}
		UNIT_CHECK(t, controls == rows[r].controls && memories == rows[r].memories && scope == rows[r].scope,
			   "row %zu: %u control barriers, %u memory barriers, scope %u", r, controls, memories, scope);
		spirv_stop(&f);
	}
}

/* Checks words of 64-bit values, and values composed of words, without 64-bit integers. */
static void
words(struct unit_ctx *t)
{
	static const struct {
		const char *target;
		qd_type type;
	} rows[] = { { "spirv:-i64", QD_TYPE_F64 }, { "spirv", QD_TYPE_U64 },
		     { "spirv:-f64", QD_TYPE_I64 } };

	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		struct spirv_fx f;
		spirv_start(&f, t, rows[i].target, rows[i].type);
		uint32_t v = spirv_push(&f, OP_PARAM, rows[i].type, 0, 0, 0, SCALE);
		uint32_t lo = spirv_push(&f, OP_LO, QD_TYPE_U32, v, 0, 0, 0);
		uint32_t hi = spirv_push(&f, OP_HI, QD_TYPE_U32, v, 0, 0, 0);
		uint32_t r = spirv_push(&f, OP_PAIR, rows[i].type, hi, lo, 0, 0);
		spirv_store(&f, spirv_u32(&f, 0), r, 0);
		spirv_must_emit(&f);
		/* The last ones; the earlier ones extract the block indices. */
		uint32_t n = spirv_count(&f, SPV_CompositeExtract);
		uint32_t low = spirv_find(&f, SPV_CompositeExtract, n - 2);
		uint32_t high = spirv_find(&f, SPV_CompositeExtract, n - 1);
		uint32_t pair = spirv_find(&f, SPV_CompositeConstruct,
					   spirv_count(&f, SPV_CompositeConstruct) - 1);
		UNIT_CHECK(t, f.w[low + 4] == 0 && f.w[high + 4] == 1, "low is the first");
		UNIT_CHECK(t, f.w[pair + 3] == f.w[high + 2] && f.w[pair + 4] == f.w[low + 2],
			   "the low word is first in the pair");
		UNIT_CHECK(t, spirv_has_cap(&f, SPV_Capability_Int64) ==
				      (rows[i].type != QD_TYPE_F64), "Int64");
		spirv_stop(&f);
	}
}

/* Checks that a uniform mark is the value it marks. */
static void
uniform(struct unit_ctx *t)
{
	struct spirv_fx f;
	uint32_t n[2];

	for (int marked = 0; marked < 2; marked++) {
		spirv_start(&f, t, "spirv", QD_TYPE_F32);
		uint32_t v = spirv_load(&f, spirv_u32(&f, 1), 0);
		if (marked)
			v = spirv_push(&f, OP_UNIFORM, QD_TYPE_F32, v, 0, 0, LEVEL_BLOCK);
		spirv_store(&f, spirv_u32(&f, 0), v, 0);
		spirv_must_emit(&f);
		n[marked] = f.n;
		spirv_stop(&f);
	}
	UNIT_CHECK(t, n[0] == n[1], "%u words, %u with a mark", n[0], n[1]);
}

/* -- Lanes --------------------------------------------------------------------------------- */

/* Returns the u32 constant with this id. */
static uint32_t
constant_of(const struct spirv_fx *f, uint32_t id)
{
	EACH(f, i) {
		if (OPCODE(f, i) == SPV_Constant && f->w[i + 2] == id)
			return f->w[i + 3];
	}
	return ~0u;
}

static void
patterns(struct unit_ctx *t)
{
	struct spirv_fx f;

	for (uint32_t pattern = PATTERN_XOR; pattern < N_LANE_PATTERN; pattern++) {
		for (uint32_t m = 1; m <= 8; m++) {
			spirv_start(&f, t, "spirv:w8", QD_TYPE_F32);
			uint32_t v = spirv_push(&f, OP_PARAM, QD_TYPE_F32, 0, 0, 0, SCALE);
			spirv_push(&f, OP_LANE_PATTERN, QD_TYPE_F32, v, m, 0, pattern);
			if (pattern > PATTERN_PARTNER || m == 8) {
				UNIT_CHECK(t, spirv_emit(&f) == QD_E_INTERNAL, "%u of %u", m, pattern);
				spirv_stop(&f);
				continue;
			}
			spirv_must_emit(&f);
			uint32_t at = spirv_find(&f, SPV_GroupNonUniformShuffleXor, 0);
			UNIT_CHECK(t, at && constant_of(&f, f.w[at + 3]) == SPV_SCOPE_SUBGROUP &&
					   constant_of(&f, f.w[at + 5]) == m, "distance %u", m);
			spirv_stop(&f);
		}
	}
}

/* Checks the table of group operations: each associative operator has an instruction for integers,
 * and none for floats. */
static void
group_forms(struct unit_ctx *t)
{
	static const struct {
		enum op combine;
		uint32_t u, s;
	} rows[] = {
		{ OP_ADD, SPV_GroupNonUniformIAdd, SPV_GroupNonUniformIAdd },
		{ OP_MUL, SPV_GroupNonUniformIMul, SPV_GroupNonUniformIMul },
		{ OP_MIN, SPV_GroupNonUniformUMin, SPV_GroupNonUniformSMin },
		{ OP_MAX, SPV_GroupNonUniformUMax, SPV_GroupNonUniformSMax },
		{ OP_AND, SPV_GroupNonUniformBitwiseAnd, SPV_GroupNonUniformBitwiseAnd },
		{ OP_OR, SPV_GroupNonUniformBitwiseOr, SPV_GroupNonUniformBitwiseOr },
		{ OP_XOR, SPV_GroupNonUniformBitwiseXor, SPV_GroupNonUniformBitwiseXor },
		{ OP_SUB, 0, 0 }, { OP_NONE, 0, 0 }, { OP_FMA, 0, 0 },
	};

	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		enum op op = rows[i].combine;
		UNIT_CHECK(t, spv_group_form(op, QD_TYPE_U32) == rows[i].u &&
				   spv_group_form(op, QD_TYPE_U64) == rows[i].u, "%s, unsigned",
			   op_info[op].text);
		UNIT_CHECK(t, spv_group_form(op, QD_TYPE_I32) == rows[i].s &&
				   spv_group_form(op, QD_TYPE_I64) == rows[i].s, "%s, signed",
			   op_info[op].text);
		UNIT_CHECK(t, !spv_group_form(op, QD_TYPE_F32) && !spv_group_form(op, QD_TYPE_F64) &&
				   !spv_group_form(op, QD_TYPE_BOOL), "%s, others", op_info[op].text);
	}
}

/* Checks that the whole subgroup, explicit or not, is one kind of group operation, and a tile
 * another that needs a capability. Without the capability it is illegal IR. */
static void
groups(struct unit_ctx *t)
{
	static const struct {
		const char *target;
		enum op op;
		uint32_t log2_size, group; /* SPIR-V's kind; ~0: illegal */
	} rows[] = {
		{ "spirv:w8", OP_REDUCE_ADD, LOG2_FULL, SPV_GroupOperation_Reduce },
		{ "spirv:w8", OP_REDUCE_ADD, 3, SPV_GroupOperation_Reduce },
		{ "spirv:w8", OP_REDUCE_ADD, 2, ~0u },
		{ "spirv:w8", OP_INCLUSIVE_ADD, LOG2_FULL, SPV_GroupOperation_InclusiveScan },
		{ "spirv:w8", OP_INCLUSIVE_ADD, 3, SPV_GroupOperation_InclusiveScan },
		{ "spirv:w8", OP_INCLUSIVE_ADD, 1, ~0u },
		{ "spirv:w8:+clusters", OP_REDUCE_MIN, LOG2_FULL, SPV_GroupOperation_Reduce },
		{ "spirv:w8:+clusters", OP_REDUCE_MIN, 2, SPV_GroupOperation_ClusteredReduce },
		{ "spirv:w8:+clusters", OP_REDUCE_MAX, 1, SPV_GroupOperation_ClusteredReduce },
		{ "spirv:w8:+clusters", OP_REDUCE_MAX, 4, ~0u },
		{ "spirv:w8:+clusters", OP_INCLUSIVE_ADD, 2, ~0u },
	};

	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		struct spirv_fx f;
		spirv_start(&f, t, rows[i].target, QD_TYPE_I32);
		uint32_t v = spirv_push(&f, OP_PARAM, QD_TYPE_I32, 0, 0, 0, SCALE), k = 0;
		if (rows[i].log2_size != LOG2_FULL)
			k = constant(&f, QD_TYPE_I32, rows[i].log2_size);
		spirv_push(&f, rows[i].op, QD_TYPE_I32, v, k, 0, 0);
		if (rows[i].group == ~0u) {
			UNIT_CHECK(t, spirv_emit(&f) == QD_E_INTERNAL, "row %zu", i);
			spirv_stop(&f);
			continue;
		}
		spirv_must_emit(&f);
		bool tile = rows[i].group == SPV_GroupOperation_ClusteredReduce;
		uint32_t op = spv_group_form((enum op)op_info[rows[i].op].combine, QD_TYPE_I32);
		uint32_t at = spirv_find(&f, op, 0);
		UNIT_CHECK(t, at && f.w[at + 4] == rows[i].group, "row %zu", i);
		UNIT_CHECK(t, f.w[at] >> 16 == (tile ? 7 : 6), "row %zu: operands", i);
		if (tile)
			UNIT_CHECK(t, constant_of(&f, f.w[at + 6]) == 1u << rows[i].log2_size,
				   "row %zu: size", i);
		UNIT_CHECK(t, f.meta.needs == (SPV_NEED_SUBGROUP | (tile ? SPV_NEED_CLUSTERED :
								    SPV_NEED_ARITHMETIC)),
			   "row %zu needs %#llx", i, (unsigned long long)f.meta.needs);
		UNIT_CHECK(t, spirv_has_cap(&f, SPV_Capability_GroupNonUniformClustered) == tile,
			   "row %zu: capability", i);
		spirv_stop(&f);
	}
}

const struct unit units_spirv_op[] = {
	{ "spirv_op.native", native_answers },
	{ "spirv_op.emitted", native_is_emitted },
	{ "spirv_op.no_contraction", no_contraction },
	{ "spirv_op.zero_tests", zero_tests },
	{ "spirv_op.rmw_loads", rmw_loads },
	{ "spirv_op.sync_fences", sync_fences },
	{ "spirv_op.words", words },
	{ "spirv_op.uniform", uniform },
	{ "spirv_op.patterns", patterns },
	{ "spirv_op.group_forms", group_forms },
	{ "spirv_op.groups", groups },
};
const unsigned n_units_spirv_op = QD_COUNT(units_spirv_op);
