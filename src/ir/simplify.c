/* Simplifies per-lane operations, for every appender.
 *
 * Operations on constants are evaluated (eval.c). An identity applies if it holds for every bit,
 * so floats have almost none. */
#include "ir.h"

static enum law
law_of(enum op op, enum law_case c, qd_type t)
{
	uint32_t law = op_info[op].laws >> LAW_BITS * c;
	bool holds = law & LAW_FOR_UNSIGNED ? !type_info[t].is_signed
		     : law & LAW_FOR_BOOL   ? t == QD_TYPE_BOOL
					    : true;

	return holds ? (enum law)(law & LAW_RESULT) : LAW_NONE;
}

/* Returns the value of x op k: A is x, B is k. */
static enum law
with_constant(enum op op, qd_type t, uint64_t k)
{
	uint32_t width = type_bits(t);
	uint64_t all = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
	enum law law = LAW_NONE;

	if (op_info[op].sig == SIG_SHIFT)
		k &= width - 1;
	if (k == 0)
		law = law_of(op, LAW_IF_ZERO, t);
	if (k == 1)
		law = law_of(op, LAW_IF_ONE, t);
	return k == all && !law ? law_of(op, LAW_IF_ONES, t) : law;
}

static enum law
known(enum op op, qd_type t, bool same, const struct ins *a, const struct ins *b)
{
	enum law law;

	if (same)
		return law_of(op, LAW_IF_SAME, t);
	if (b->op == OP_CONST)
		return with_constant(op, t, const_bits(b));
	if (a->op != OP_CONST)
		return LAW_NONE;
	if (op_info[op].sig == SIG_SHIFT)
		return const_bits(a) == 0 ? LAW_A : LAW_NONE;
	if (!(op_info[op].laws & OP_COMMUTES))
		return LAW_NONE;
	law = with_constant(op, t, const_bits(a));
	return law == LAW_A ? LAW_B : law == LAW_B ? LAW_A : law;
}

/* Returns whether v is a constant whose mark must reach the instruction's result. */
static bool
is_marked(const struct appender *o, uint32_t v)
{
	return o->marks && o->ir->ins[v].op == OP_CONST && (o->ir->ins[v].attr & ATTR_WRAPPED);
}

/* Returns v as the result of an operation with other operands. If v is a constant, it is marked as
 * folded. */
static uint32_t
folded(struct appender *o, uint32_t v)
{
	uint64_t bits;

	return o->marks && append_is_const(o, v, &bits)
		       ? append_marked(o, (qd_type)o->ir->ins[v].type, bits, o->ir->ins[v].attr | ATTR_FOLDED)
		       : v;
}

static uint32_t
choose(struct appender *o, struct ins *s)
{
	const uint32_t v[2] = { s->b, s->c };
	uint64_t c, x, y;

	if (is_marked(o, s->a))
		return 0;
	if (append_is_const(o, s->a, &c))
		return o->ir->ins[s->a].attr & ATTR_FOLDED ? folded(o, v[!c]) : v[!c];
	if (s->b == s->c)
		return folded(o, s->b);
	if (o->ir->ins[s->a].op == OP_NOT) {
		uint32_t b = s->b;
		s->a = o->ir->ins[s->a].a;
		s->b = s->c;
		s->c = b;
	}
	if (s->type == QD_TYPE_BOOL && append_is_const(o, s->b, &x) &&
	    append_is_const(o, s->c, &y) && x && !y)
		return s->a;
	return 0;
}

/* Replaces the negation of a comparison with the opposite one: any on integers, eq and ne
 * on floats. */
static bool
negate(struct appender *o, struct ins *s, const struct ins *a)
{
	switch (a->op) {
	case OP_EQ:
	case OP_NE:
		*s = *a;
		s->op = a->op == OP_EQ ? OP_NE : OP_EQ;
		break;
	case OP_LT:
	case OP_LE:
		if (type_is(o->ir->ins[a->a].type, TM_FLT))
			return false;
		*s = *a;
		s->op = a->op == OP_LT ? OP_LE : OP_LT;
		s->a = a->b;
		s->b = a->a;
		break;
	default: return false;
	}
	s->attr = 0;
	return true;
}

/* Simplifies an operation with one operand by the operand's own operation. */
static uint32_t
look_through(struct appender *o, struct ins *s)
{
	const struct ins *a = &o->ir->ins[s->a];

	switch (s->op) {
	case OP_CVT: return a->type == s->type ? s->a : 0;
	case OP_ABS: return !type_info[a->type].is_float && !type_info[a->type].is_signed ? s->a : 0;
	case OP_NOT:
		if (a->op == OP_NOT)
			return a->a;
		negate(o, s, a);
		return 0;
	case OP_BITCAST:
		if (a->op == OP_BITCAST) {
			s->a = a->a;
			a = &o->ir->ins[s->a];
		}
		return a->type == s->type ? s->a : 0;
	case OP_LO: return a->op == OP_PAIR ? a->a : 0;
	case OP_HI: return a->op == OP_PAIR ? a->b : 0;
	default: return 0;
	}
}

/* Returns the bool c if a is c converted to 1 or 0 and b is 0, for a != b; else 0. */
static uint32_t
bool_of_bit(const struct appender *o, const struct ins *a, const struct ins *b)
{
	uint64_t yes, no;

	if (a->op == OP_BITCAST)
		a = &o->ir->ins[a->a];
	if (a->op != OP_SELECT || b->op != OP_CONST || const_bits(b) || type_is((qd_type)a->type, TM_FLT))
		return 0;
	return append_is_const(o, a->b, &yes) && append_is_const(o, a->c, &no) && yes && !no ? a->a : 0;
}

static bool
compute(struct appender *o, const struct ins *s, uint32_t n, uint64_t *bits, uint32_t *attr)
{
	uint64_t v[3] = { 0, 0, 0 };
	bool wraps = false;

	*attr = 0;
	if (op_info[s->op].is_approx)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		if (!append_is_const(o, s->arg[i], &v[i]))
			return false;
		wraps = wraps || is_marked(o, s->arg[i]);
		*attr |= o->marks ? o->ir->ins[s->arg[i]].attr & ATTR_FOLDED : 0;
	}
	wraps = wraps || (o->marks && op_info[s->op].in_count == COUNT_WRAPS &&
			  ir_eval_wraps((enum op)s->op, ir_lead_type(o->ir, s), (qd_type)s->type, v[0],
					v[1]));
	*attr |= wraps ? ATTR_WRAPPED : 0;
	*bits = ir_eval((enum op)s->op, ir_lead_type(o->ir, s), (qd_type)s->type, v[0], v[1], v[2]);
	return true;
}

/* Replaces an unsigned operation by a power of two with a shift or a mask. */
static void
reduce_strength(struct appender *o, struct ins *s, const struct ins *b)
{
	uint64_t k = const_bits(b);
	uint32_t log2 = 0;

	if (o->literal || b->op != OP_CONST || !k || (k & (k - 1)) || type_info[s->type].is_signed)
		return;
	if (s->op == OP_REM) {
		s->op = OP_AND;
		s->b = append_const(o, (qd_type)s->type, k - 1);
	} else if (s->op == OP_DIV) {
		while (k >> log2 != 1)
			log2++;
		s->op = OP_SHR;
		s->b = append_const(o, QD_TYPE_U32, log2);
	}
}

uint32_t
simplify(struct appender *o, struct ins *s)
{
	const struct ins *all = o->ir->ins, *a = &all[s->a], *b;
	uint32_t n = op_plain[s->op].n, v;
	uint64_t bits;
	uint32_t attr;

	/* The common case: nothing is known. */
	if (QD_LIKELY(n == 2 && s->a != s->b && a->op != OP_CONST && all[s->b].op != OP_CONST))
		return 0;
	n = op_sig((enum op)s->op)->n_opnd;
	if (s->op == OP_SELECT)
		return choose(o, s);
	if (n == 1 && (v = look_through(o, s)))
		return v;
	n = op_sig((enum op)s->op)->n_opnd; /* look_through may have replaced the operation */
	a = &all[s->a];
	if (a->op == OP_CONST && compute(o, s, n, &bits, &attr))
		return append_marked(o, (qd_type)s->type, bits, attr);
	if (n == 2 && (is_marked(o, s->a) || is_marked(o, s->b)))
		return 0;
	if (n != 2 || type_is(a->type, TM_FLT))
		return 0;
	b = &all[s->b];
	if (s->op == OP_PAIR)
		return a->op == OP_LO && b->op == OP_HI && a->a == b->a &&
				       all[a->a].type == s->type
			       ? a->a
			       : 0;
	switch (known((enum op)s->op, (qd_type)a->type, s->a == s->b, a, b)) {
	case LAW_A: return folded(o, s->a);
	case LAW_B: return folded(o, s->b);
	case LAW_ZERO: return append_folded(o, (qd_type)s->type, 0);
	case LAW_ONE: return append_folded(o, (qd_type)s->type, 1);
	default: break;
	}
	/* min(min(x, j), k) is min(x, j) if j <= k. */
	if (s->op == OP_MIN && b->op == OP_CONST && a->op == OP_MIN &&
	    !type_info[a->type].is_signed && all[a->b].op == OP_CONST &&
	    const_bits(&all[a->b]) <= const_bits(b))
		return s->a;
	if (s->op == OP_NE)
		return bool_of_bit(o, a, b);
	reduce_strength(o, s, b);
	return 0;
}
