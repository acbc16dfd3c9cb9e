/* The tables of operations and signatures, and queries of an instruction. */
#include "ir.h"

#include <assert.h>

/* -- Signatures -------------------------------------------------------------- */

/* clang-format off */
#define OPND_MAY(kind) (OPND_MAY | OPND_##kind)
#define KIND(o) ((o) & ~OPND_MAY)
#define IS_VALUE(o) (KIND(o) >= OPND_T)
#define IS_NEEDED(o) ((o) >= OPND_T && !((o) & OPND_MAY))
#define IS_LEAD(o) (KIND(o) == OPND_T || KIND(o) == OPND_VAR)
#define IS_WHERE(o) ((o) == (OPND_MAY | OPND_BOOL))
#define IS_KNOWN(o) (KIND(o) == OPND_K || KIND(o) == OPND_N)
#define IS_MEMBERS(o) ((o) == OPND_MEMBERS)
#define IS_ACTIVE(o) (KIND(o) == OPND_ACTIVE)
#define BITS(is, a, b, c, d) ((is(a)) | (is(b)) << 1 | (is(c)) << 2 | (is(d)) << 3)
#define FIRST(is, a, b, c, d) ((is(a)) ? 0 : (is(b)) ? 1 : (is(c)) ? 2 : (is(d)) ? 3 : -1)

#define RESULTS_R0		.n_results = 0
#define RESULTS_R1(t)		.n_results = 1, .result = { OPND_##t }
#define RESULTS_R2(t, u)	.n_results = 2, .result = { OPND_##t, OPND_##u }
#define RESULTS_R4(t, u, v, w)	.n_results = 4, .result = { OPND_##t, OPND_##u, OPND_##v, OPND_##w }
#define RESULTS_RK		.n_results = RESULT_OF_REGION
#define RESULTS_RL(t)		.n_results = RESULT_OF_LIST, .result = { OPND_##t }

const struct sig_info sig_info[N_SIG] = {
#define SIG(name, flow_, x_, a, b, c, d, results)                                                  \
	[SIG_##name] = {                                                                           \
		.flow = FLOW_##flow_, .x = X_##x_,                                                 \
		.opnd = { OPND_##a, OPND_##b, OPND_##c, OPND_##d },                                \
		.n_opnd = OPND_##d ? 4 : OPND_##c ? 3 : OPND_##b ? 2 : OPND_##a ? 1 : 0,           \
		.values = BITS(IS_VALUE, OPND_##a, OPND_##b, OPND_##c, OPND_##d),                  \
		.needed = BITS(IS_NEEDED, OPND_##a, OPND_##b, OPND_##c, OPND_##d),                 \
		.lead = FIRST(IS_LEAD, OPND_##a, OPND_##b, OPND_##c, OPND_##d),                    \
		.known = FIRST(IS_KNOWN, OPND_##a, OPND_##b, OPND_##c, OPND_##d),                  \
		.where = FIRST(IS_WHERE, OPND_##a, OPND_##b, OPND_##c, OPND_##d),                  \
		.members = FIRST(IS_MEMBERS, OPND_##a, OPND_##b, OPND_##c, OPND_##d),              \
		.active = FIRST(IS_ACTIVE, OPND_##a, OPND_##b, OPND_##c, OPND_##d),                \
		RESULTS_##results                                                                          \
	},
#include "sig.def"
};

/* Signature columns by operation, for walks over every instruction. */
enum {
#define SIG(name, flow, x, a, b, c, d, results)                                                    \
	VALUES_##name = BITS(IS_VALUE, OPND_##a, OPND_##b, OPND_##c, OPND_##d),
#include "sig.def"
#define SIG(name, flow, ...) FLOW_OF_##name = FLOW_##flow,
#include "sig.def"
#define SIG(name, flow, x, a, b, c, d, results)                                                    \
	LEAD_##name = FIRST(IS_LEAD, OPND_##a, OPND_##b, OPND_##c, OPND_##d),
#include "sig.def"
#define SIG(name, flow, x, a, b, c, d, results)                                                    \
	HAS_OF_##name = (FLOW_##flow != FLOW_NONE ? HAS_FLOW : 0) |                                \
			(FLOW_##flow == FLOW_JUMP ? HAS_JUMP : 0),
#include "sig.def"
/* The result of a plain operation: 1 and its type, NONE for T. */
#define PLAIN_R0		0
#define PLAIN_R1(t)                                                                                \
	(OPND_##t == OPND_T	 ? 1 + (int)QD_TYPE_NONE                                           \
	 : OPND_##t == OPND_BOOL ? 1 + (int)QD_TYPE_BOOL                                           \
	 : OPND_##t == OPND_I32	 ? 1 + (int)QD_TYPE_I32                                            \
				 : 0)
#define PLAIN_R2(t, u)		0
#define PLAIN_R4(t, u, v, w)	0
#define PLAIN_RK		0
#define PLAIN_RL(t)		0
#define SIG(name, flow, x, a, b, c, d, results)                                                    \
	GIVES_##name = PLAIN_##results,                                                            \
	PLAIN_##name =                                                                             \
		OPND_##a != OPND_T || OPND_##d != OPND_NO ? 0                                      \
		: !OPND_##b && !OPND_##c ? 1                                                       \
		: OPND_##b == OPND_T && !OPND_##c ? 2                                              \
		: OPND_##b == OPND_T && OPND_##c == OPND_T ? 3 : 0,
#include "sig.def"
	N_VALUES_OF
};

const uint8_t op_values[N_OP] = {
#define OP(name, text, sig, ...) VALUES_##sig,
#include "op.def"
};
const int8_t op_lead[N_OP] = {
#define OP(name, text, sig, ...) LEAD_##sig,
#include "op.def"
};
const uint8_t op_flow[N_OP] = {
#define OP(name, text, sig, ...) FLOW_OF_##sig,
#include "op.def"
};

#define HAS_BY_LEVEL(level)                                                                        \
	(LEVEL_##level == LEVEL_TILE || LEVEL_##level == LEVEL_WARP ? HAS_TILE : 0)
#define HAS_BY_SCOPE(scope)                                                                        \
	(SCOPE_##scope == SCOPE_SUBGROUP ? HAS_CROSS : SCOPE_##scope == SCOPE_BLOCK ? HAS_MEETING : 0)
#define HAS_BY_EFFECT(effect)                                                                      \
	(EFFECT_##effect == EFFECT_LOCAL					  ? HAS_LOCAL      \
	 : EFFECT_##effect == EFFECT_ATOMIC || EFFECT_##effect == EFFECT_FENCE ? HAS_ATOMIC        \
	 : EFFECT_##effect == EFFECT_DEBUG				       ? HAS_DEBUG          \
									  : 0)
#define HAS_BY_NAME(op, sig)                                                                       \
	((op) == OP_LANE		 ? HAS_LANE                                                \
	 : SIG_##sig == SIG_OPEN ? HAS_LOOP                                                \
	 : SIG_##sig == SIG_COPY ? HAS_COPY                                                \
				 : 0)

const uint16_t op_has[N_OP] = {
#define OP(name, text, sig, types, scope, effect, level, ...)                                      \
	HAS_OF_##sig | HAS_BY_LEVEL(level) | HAS_BY_SCOPE(scope) | HAS_BY_EFFECT(effect) |         \
		HAS_BY_NAME(OP_##name, sig),
#include "op.def"
};

const struct op_plain op_plain[N_OP] = {
#define OP(name, text, sig, types_, scope, effect, level, padding, expand, combine, doc)            \
	{ .types = (uint16_t)(types_),                                                             \
	  .n = (uint8_t)(EXPAND_##expand == EXPAND_alu && GIVES_##sig > 0 ? PLAIN_##sig : 0),      \
	  .result = (uint8_t)(GIVES_##sig > 0 ? GIVES_##sig - 1 : 0) },
#include "op.def"
};

/* -- Operations ---------------------------------------------------------------- */

const struct op_info op_info[N_OP] = {
#define OP(name, text_, sig_, types_, scope_, effect_, level_, padding_, expand_, combine_, doc_)   \
	ROW(text_, sig_, types_, scope_, effect_, level_, padding_, expand_, combine_, doc_)
#define LOW(name, text_, sig_, types_, scope_, effect_, level_, padding_, expand_, combine_, doc_)  \
	ROW(text_, sig_, types_, scope_, effect_, level_, padding_, expand_, combine_, doc_,        \
	    .is_low = true)
#define COUNTED(name, text_, sig_, types_, scope_, effect_, level_, padding_, expand_, combine_, doc_) \
	ROW(text_, sig_, types_, scope_, effect_, level_, padding_, expand_, combine_, doc_,        \
	    .in_count = OP_##name == OP_CVT ? COUNT_WRAPS : COUNT_EXACT)
#define COUNT_WRAPS(c)	 COUNT_WRAPS
#define LANE_ROW(text_, sig_, types_, ...)                                                         \
	ROW(text_, sig_, types_, LANE, NONE, OPERANDS, RUNS, alu, NONE, "", __VA_ARGS__)
#define COMMUTES OP_COMMUTES
#define LAW_OF(when, case, result)                                                                 \
	((uint32_t)(LAW_##result | LAW_FOR_##when) << LAW_BITS * LAW_IF_##case)
#define LAW(case, result)      LAW_OF(ALL, case, result)
#define LAW_U(case, result)    LAW_OF(UNSIGNED, case, result)
#define LAW_BOOL(case, result) LAW_OF(BOOL, case, result)
#define ALU(name, text_, sig_, types_, count, laws_, u, s, f)                                      \
	LANE_ROW(text_, sig_, types_, .reads_number = true, .in_count = COUNT_##count, .laws = laws_)
#define SIGN(name, text_, sig_, types_, count, laws_, u, s, f)                                            \
	LANE_ROW(text_, sig_, types_, .reads_number = false, .in_count = COUNT_##count)
#define APPROX(name, text_, sig_, types_, f, inside, where_)                                       \
	LANE_ROW(text_, sig_, types_, .reads_number = true, .is_approx = true, .where = where_)
#define ROW(text_, sig_, types_, scope_, effect_, level_, padding_, expand_, combine_, ...)         \
	{ .text = text_, .types = types_, .sig = SIG_##sig_,                                       \
	  .scope = SCOPE_##scope_, .effect = EFFECT_##effect_, .level = LEVEL_##level_,            \
	  .padding = PADDING_##padding_, .expand = EXPAND_##expand_, .combine = OP_##combine_,        \
	  .is_alu = EXPAND_##expand_ == EXPAND_alu, .doc = __VA_ARGS__ },
#include "op.def"
};
/* clang-format on */

bool
op_is_known(enum op op)
{
	const struct op_info *info = &op_info[op];

	return (info->is_alu && !info->is_approx) || op == OP_CONST ||
	       (info->expand == EXPAND_folded && info->effect == EFFECT_NONE);
}

uint16_t
op_attrs(enum op op)
{
	return (uint16_t)((op_sig(op)->x == X_MEMORY ? ATTR_GUARD : 0) |
			  (op_orders(op) ? ATTR_SCOPE | ATTR_ORDER : 0) |
			  (op_copies(op) ? ATTR_COUNT : 0) | (op == OP_CONST ? ATTR_WRAPPED | ATTR_FOLDED : 0));
}

bool
op_reads(enum op op)
{
	return op_sig(op)->x == X_MEMORY && (op_sig(op)->n_results || op_copies(op));
}

/* An operation writes if it has an ELEM operand. */
bool
op_writes(enum op op)
{
	const struct sig_info *sig = op_sig(op);
	bool writes = false;

	for (uint32_t j = 0; j < sig->n_opnd; j++)
		writes = writes || sig->opnd[j] == OPND_ELEM;
	return writes;
}

const char *const mem_scope_name[] = { "device", "subgroup", "block", "system" };
const char *const mem_order_name[] = { "plain", "relaxed", "acquire", "release", "acq_rel" };

uint32_t
op_orders(enum op op)
{
	const uint32_t acquire = 1u << MEM_ACQUIRE, release = 1u << MEM_RELEASE;
	uint32_t set = 1u << MEM_RELAXED;

	switch ((enum effect)op_info[op].effect) {
	case EFFECT_FENCE: return acquire | release | 1u << MEM_ACQ_REL;
	case EFFECT_ATOMIC: break;
	default: return 0;
	}
	set |= op_reads(op) ? acquire : 0;
	set |= op_writes(op) ? release : 0;
	return op_reads(op) && op_writes(op) ? set | 1u << MEM_ACQ_REL : set;
}

/* Scopes of the fences, whose names imply them. An atomic takes any scope. */
static const uint8_t named_scopes[N_OP] = {
	[OP_SUBGROUP_FENCE] = 1u << MEM_SUBGROUP,
	[OP_BLOCK_FENCE] = 1u << MEM_BLOCK,
	[OP_GRID_FENCE] = 1u << MEM_DEVICE | 1u << MEM_SYSTEM,
};

uint32_t
op_scopes(enum op op)
{
	return op_info[op].effect == EFFECT_ATOMIC ? (2u << MEM_SYSTEM) - 1 : named_scopes[op];
}

uint64_t
ir_padding_bits(enum padding_effect padding, qd_type type)
{
	const struct type_info *t = &type_info[type];
	uint64_t top = UINT64_C(1) << (type_bits(type) - 1), ones = top | (top - 1);
	bool wide = type_bits(type) == 64;

	switch (padding) {
	case PADDING_ADD: return t->is_float ? top : 0; /* -0.0 */
	case PADDING_MUL:
		return !t->is_float ? 1 : wide ? UINT64_C(0x3ff0000000000000) : 0x3f800000;
	case PADDING_MIN:
	case PADDING_MAX:
		if (t->is_float) /* a NaN loses against every number */
			return wide ? UINT64_C(0x7ff8000000000000) : 0x7fc00000;
		if (padding == PADDING_MIN)
			return t->is_signed ? top - 1 : ones;
		return t->is_signed ? top : 0;
	case PADDING_ONES: return ones;
	case PADDING_LAST: return t->is_float || t->is_signed ? top - 1 : ones; /* a NaN */
	default: assert(padding == PADDING_ZERO); return 0;
	}
}

/* Returns the `padding` column of the reduction by that operation. */
static enum padding_effect
skipped(enum op combine)
{
	uint32_t op = OP_NONE + 1;

	while (op_info[op].combine != combine || op_info[op].expand != EXPAND_reduce)
		op++;
	return (enum padding_effect)op_info[op].padding;
}

uint64_t
ir_skipped_bits(enum op combine, qd_type type)
{
	return ir_padding_bits(skipped(combine), type);
}

/* Returns +0 or an infinity for floats. */
uint64_t
ir_identity_bits(enum op combine, qd_type type)
{
	uint64_t inf = type_bits(type) == 64 ? UINT64_C(0x7ff0000000000000) : 0x7f800000;
	uint64_t sign = UINT64_C(1) << (type_bits(type) - 1);

	if (type_info[type].is_float) {
		switch (skipped(combine)) {
		case PADDING_ADD: return 0;
		case PADDING_MIN: return inf;
		case PADDING_MAX: return sign | inf;
		default: break;
		}
	}
	return ir_skipped_bits(combine, type);
}

uint32_t
ir_copy_size(const struct ir *ir, const struct memory *mems, uint32_t x)
{
	uint32_t most = 0;

	for (uint32_t i = 1; i < ir->n && (ir->has & HAS_COPY); i++) {
		const struct ins *s = &ir->ins[i];
		uint32_t size;

		if (!op_copies((enum op)s->op) || (s->x != x && ir->ins[s->b].x != x))
			continue;
		size = ir_count(s) * type_info[mems[s->x].type].size;
		most = size > most ? size : most;
	}
	return most;
}

/* -- Results ---------------------------------------------------------------------- */

uint32_t
ir_vector_size(const struct ir *legal, uint32_t x)
{
	for (uint32_t i = 1; i < legal->n; i++) {
		const struct ins *s = &legal->ins[i];

		if ((s->op == OP_LOAD || s->op == OP_STORE) && s->x == x && s->attr & ATTR_NEAR)
			return 16;
	}
	return 1;
}

static uint32_t
zeros(const struct ir *ir, uint32_t v, uint32_t depth)
{
	const struct ins *s = &ir->ins[v];
	uint32_t a, b;

	if (s->op == OP_CONST)
		return s->a ? qd_lowest_bit(s->a) : 32;
	if (!depth-- || !type_is((qd_type)s->type, TM_I32))
		return 0;
	switch (s->op) {
	case OP_BITCAST: return zeros(ir, s->a, depth);
	case OP_SHL:
		a = zeros(ir, s->a, depth) + (ir->ins[s->b].op == OP_CONST ? ir->ins[s->b].a & 31 : 0);
		return a < 32 ? a : 32;
	case OP_SELECT:
		a = zeros(ir, s->b, depth);
		b = zeros(ir, s->c, depth);
		return a < b ? a : b;
	case OP_ADD: case OP_SUB: case OP_OR: case OP_XOR: case OP_AND: case OP_MUL: break;
	default: return 0;
	}
	a = zeros(ir, s->a, depth);
	b = zeros(ir, s->b, depth);
	if (s->op == OP_MUL)
		return a + b < 32 ? a + b : 32;
	return (a < b) != (s->op == OP_AND) ? a : b;
}

uint32_t
ir_zeros(const struct ir *ir, uint32_t v)
{
	enum { DEPTH = 4 };

	return zeros(ir, v, DEPTH);
}

uint32_t
ir_n_results(const struct ir *ir, uint32_t i)
{
	const struct ins *s = &ir->ins[i];
	uint32_t n = op_sig((enum op)s->op)->n_results;

	if (n == RESULT_OF_LIST) {
		n = 0;
		for (uint32_t list = s->a; list; list = ir->ins[list].b)
			n++;
		return n;
	}
	return n == RESULT_OF_REGION ? ir->ins[s->a].b : n;
}

/* Finds the type of a region's result by its yields, which are the region's last instructions. */
qd_type
ir_result_type(const struct ir *ir, uint32_t i, uint32_t n)
{
	const struct ins *s = &ir->ins[i];
	const struct sig_info *sig = op_sig((enum op)s->op);
	uint32_t j = 0;

	if (sig->n_results == RESULT_OF_REGION) {
		const struct ins *region = &ir->ins[s->a];
		return ir->ins[ir->ins[region->x - region->b + n].a].type;
	}
	if (sig->n_results == 1)
		return s->type;
	if (sig->n_results == RESULT_OF_LIST)
		n = 0;
	switch (sig->result[n]) {
	case OPND_T: return ir_lead_type(ir, s);
	case OPND_U:
	case OPND_ELEM:
		while (opnd_kind(sig->opnd[j]) != sig->result[n])
			j++;
		return ir->ins[s->arg[j]].type;
	case OPND_BOOL: return QD_TYPE_BOOL;
	case OPND_I32: return QD_TYPE_I32;
	default: assert(sig->result[n] == OPND_U32); return QD_TYPE_U32;
	}
}
