/* Form of legal bodies (lanes.h). */
#include "lanes.h"

#include <stdio.h>

static bool
is_native(const struct machine *m, const struct ir *ir, const struct ins *s,
	  const struct memory *mems)
{
	const struct op_info *info = &op_info[s->op];
	const struct sig_info *sig = op_sig((enum op)s->op);
	struct query q = { .op = (enum op)s->op, .type = ir_lead_type(ir, s) };

	if (sig->x == X_MEMORY) {
		if (s->attr & (ATTR_LO | ATTR_HI | ATTR_BITS))
			return true;
		q.type = (qd_type)mems[s->x].type;
		q.space = mems[s->x].space;
	} else if (s->op == OP_LANE_PATTERN) {
		q.pattern = (uint8_t)s->x;
	} else if (info->is_low || (!info->is_alu && info->scope == SCOPE_LANE &&
				    s->op != OP_ELECT && s->op != OP_SUBGROUP_ID)) {
		return true;
	} else if (sig->known >= 0) {
		uint32_t k = s->arg[sig->known];

		q.log2_size = k ? (uint8_t)const_bits(&ir->ins[k]) : LOG2_FULL;
		if (sig->lead < 0)
			q.type = (qd_type)ir->ins[s->a].type;
	}
	q.to = info->sig == SIG_CVT ? (qd_type)s->type : q.type;
	return m->native(m, &q);
}

/* Returns true for a literal zero, and for values that a driver may find to be zero. These are
 * variables, and integers converted to floats, also through selects and lane patterns. */
static bool
literal_zero(const struct ir *ir, uint32_t v, uint32_t depth)
{
	const struct ins *s = &ir->ins[v];
	uint64_t sign = s->type == QD_TYPE_F64 ? 1ull << 63 : 1u << 31;

	switch (s->op) {
	case OP_CONST: return type_is(s->type, TM_FLT) && !(const_bits(s) & ~sign);
	case OP_GET:
	case OP_CVT: return type_is(s->type, TM_FLT);
	case OP_SELECT:
		return depth && (literal_zero(ir, s->b, depth - 1) ||
				 literal_zero(ir, s->c, depth - 1));
	case OP_UNIFORM:
	case OP_LANE_PATTERN: return depth && literal_zero(ir, s->a, depth - 1);
	default: return false;
	}
}

static bool
has_literal_zero(const struct ir *ir, const struct ins *s)
{
	uint32_t n = op_sig((enum op)s->op)->n_opnd;

	if (s->op != OP_ADD && s->op != OP_SUB && s->op != OP_MUL && s->op != OP_DIV &&
	    s->op != OP_FMA)
		return false;
	for (uint32_t j = 0; j < n; j++)
		if (literal_zero(ir, s->arg[j], 2))
			return true;
	return false;
}

/* Returns true for operations that are legal on no machine. */
static bool
is_foreign(const struct ins *s)
{
	switch (op_info[s->op].expand) {
	case EXPAND_gone:
	case EXPAND_folded:
	case EXPAND_arg:
	case EXPAND_yield:
	case EXPAND_result:
	case EXPAND_ballot:
	case EXPAND_all_equal:
	case EXPAND_segmented:
	case EXPAND_sort:
	case EXPAND_match:
	case EXPAND_elect_member:
	case EXPAND_redux:
	case EXPAND_operator_exclusive:
	case EXPAND_operator_reduce:
	case EXPAND_operator_scan: return true;
	default: break;
	}
	if (op_info[s->op].is_alu && !op_info[s->op].is_low)
		return s->attr != ATTR_RAW;
	return s->attr & ATTR_GUARD;
}

/* Returns true if the operation may precede the test of a loop: it only reads. */
static bool
keeps_head(const struct ins *s)
{
	const struct op_info *info = &op_info[s->op];

	return info->effect == EFFECT_NONE || info->effect == EFFECT_READ || s->op == OP_GET;
}

const char *
lanes_illegal(const struct machine *m, const struct ir *ir, const struct memory *mems, bool whole)
{
	static _Thread_local char text[96];
	bool at_head = false, flags = whole && (m->caps & CAP_FLAG_LOOPS);

	for (uint32_t i = 1; i < ir->n; i++) {
		const struct ins *s = &ir->ins[i];
		bool wrong = is_foreign(s) || !is_native(m, ir, s, mems);

		wrong |= type_is(s->type, TM_I64) && !(m->caps & CAP_I64);
		wrong |= s->type == QD_TYPE_F64 && !(m->caps & CAP_F64);
		wrong |= whole && (m->caps & CAP_HIDE_ZERO) && has_literal_zero(ir, s);
		if (s->op == OP_BREAK && flags)
			wrong |= !s->a || s->b != 1 || ir->ins[s->x].op != OP_LOOP || !at_head;
		at_head = s->op == OP_LOOP || (at_head && keeps_head(s));
		if (wrong) {
			snprintf(text, sizeof text, "%%%u = %s %s", i, op_info[s->op].text,
				 type_info[s->type].name);
			return text;
		}
	}
	return NULL;
}
