/* Values while lowering: literals take a type, constants are folded with the target's arithmetic,
 * everything else becomes a builder call. */
#include "build_call.h"
#include "lower.h"
#include "build_call.h"

/* -- Types ---------------------------------------------------------------------- */

uint64_t
type_limit(qd_type type, bool max)
{
	uint64_t sign;

	if (type == QD_TYPE_F32)
		return max ? 0x7f800000 : 0xff800000;
	if (type == QD_TYPE_F64)
		return max ? UINT64_C(0x7ff0000000000000) : UINT64_C(0xfff0000000000000);
	sign = UINT64_C(1) << (type_bits(type) - 1);
	if (type_info[type].is_signed)
		return max ? sign - 1 : sign;
	return max ? sign | (sign - 1) : 0;
}

/* -- Literals --------------------------------------------------------------------- */

/* Reports a literal that does not fit its type. at: the literal, or its minus. */
static struct value
does_not_fit(struct lower *l, const struct node *at, const struct node *n, qd_type type)
{
	static const char *const suffix[N_TYPE] = {
		[QD_TYPE_U32] = "u", [QD_TYPE_I64] = "l", [QD_TYPE_U64] = "ul"
	};
	bool negative = at != n;
	char text[80], help[176];
	qd_type wide = QD_TYPE_NONE;
	uint32_t len = n->len > 60 ? 60 : n->len;

	snprintf(text, sizeof text, "%s%.*s", negative ? "-" : "", (int)len, l->m->text + n->at);
	if (n->kind == N_INT && !n->type && !type_info[type].is_float && type_info[type].size) {
		if (!negative && n->num <= UINT32_MAX)
			wide = QD_TYPE_U32;
		else if (n->num <= (uint64_t)INT64_MAX + negative)
			wide = QD_TYPE_I64;
		else if (!negative)
			wide = QD_TYPE_U64;
	}
	if (wide != QD_TYPE_NONE && wide != type && !(negative && !type_info[type].is_signed)) {
		snprintf(help, sizeof help, "%s%s is %s", text, suffix[wide], type_info[wide].name);
		l->help.help = help;
	}
	if (n->kind != N_INT && !type_info[type].is_float) {
		l->help.help = "an integer is expected here: write one, or convert the other operand: f32(x)";
	} else if (negative && n->kind == N_INT && !n->type && !type_info[type].is_signed && type_info[type].size) {
		uint64_t most = UINT64_MAX >> (64 - 8 * type_info[type].size);

		snprintf(help, sizeof help, "%s takes 0 to %llu; %s(%s) wraps to %llu", type_info[type].name,
			 (unsigned long long)most, type_info[type].name, text,
			 (unsigned long long)((0 - n->num) & most));
		l->help.help = help;
	}
	return value_refuse(l, at, DIAG_E0340, (int)strlen(text), text, type_info[type].name);
}

static struct value
integer_literal(struct lower *l, const struct node *at, const struct node *n, qd_type type)
{
	bool negative = at != n;
	uint64_t max, bits = negative ? 0 - n->num : n->num;

	if (type_info[type].is_float) {
		bits = ir_eval(OP_CVT, QD_TYPE_U64, type, n->num, 0, 0);
		return value_const(type, bits | (uint64_t)(negative && n->num)
							 << (type_bits(type) - 1));
	}
	max = type_limit(type, true);
	if (negative)
		max = type_info[type].is_signed ? max + 1 : 0;
	if (n->num > max)
		return does_not_fit(l, at, n, type);
	return value_const(type, type_bits(type) == 32 ? (uint32_t)bits : bits);
}

static struct value
decimal_literal(struct lower *l, const struct node *at, const struct node *n, qd_type type)
{
	const char *s = l->m->text + n->at;
	uint64_t bits;
	float f = 0;
	double d = 0;

	if (type == QD_TYPE_F32)
		text_read_f32(s, n->num, &f);
	else
		text_read_f64(s, n->num, &d);
	bits = type == QD_TYPE_F32 ? f32_bits(f) : f64_bits(d);
	if (!type_info[type].is_float || bits >= type_limit(type, true))
		return does_not_fit(l, at, n, type);
	return value_const(type, bits | (uint64_t)(at != n) << (type_bits(type) - 1));
}

struct value
value_literal(struct lower *l, const struct node *at, qd_type want)
{
	const struct node *n = at->kind == N_UNARY ? at->a : at;
	bool negative = at != n;
	qd_type type = n->type;
	uint64_t bits;

	if (n->kind == N_INT) {
		if (type == QD_TYPE_NONE)
			type = type_is(want, TM_NUM) ? want : QD_TYPE_I32;
		return integer_literal(l, at, n, type);
	}
	if (type == QD_TYPE_NONE)
		type = type_is(want, TM_NUM) ? want : QD_TYPE_F32;
	if (n->kind == N_FLOAT)
		return decimal_literal(l, at, n, type);
	if (!type_info[type].is_float)
		return does_not_fit(l, at, n, type);
	bits = type_limit(type, true);
	if (n->kind == N_NAN)
		bits |= UINT64_C(1) << (type == QD_TYPE_F32 ? 22 : 51);
	return value_const(type, bits | (uint64_t)negative << (type_bits(type) - 1));
}

/* -- To instructions ------------------------------------------------------------------ */

struct qd_val
value_emit(struct lower *l, const struct value *v)
{
	switch (l->b ? v->kind : V_ERROR) {
	case V_CONST:
		return v->wraps ? build_wrapped(l->b, v->type, v->bits)
				: qd_const_bits(l->b, v->type, v->bits);
	case V_TOKEN: return qd_template_value(l->b, (uint32_t)v->bits);
	case V_DYN: return v->v;
	default: return (struct qd_val){ 0 };
	}
}

/* -- Operations ------------------------------------------------------------------------- */

bool
value_is(struct lower *l, const struct node *n, const struct value *v, uint32_t mask)
{
	char list[96];

	if (v->kind == V_ERROR || type_is(v->type, mask))
		return v->kind != V_ERROR;
	return lower_error(l, n, DIAG_E0302, type_info[v->type].name,
			   type_list(list, sizeof list, mask));
}

bool
value_one_type(struct lower *l, const struct node *n, const struct value *v, uint32_t n_args, uint32_t mask)
{
	for (uint32_t i = 0; i < n_args; i++)
		if (v[i].kind == V_ERROR)
			return false;
	for (uint32_t i = 0; i < n_args; i++) {
		if (!value_is(l, n, &v[i], mask))
			return false;
		if (v[i].type != v[0].type) {
			if (n->kind == N_BINARY && !n->a) { /* a += b */
				struct node whole = lower_whole(l, n->b);
				lower_convert(l, v[0].type, &whole);
				return lower_error(l, &whole, DIAG_E0301, type_info[v[0].type].name,
						   type_info[v[i].type].name);
			}
			const struct node *x = n->kind == N_CALL ? n->b : NULL, *y = x;

			for (uint32_t j = 0; j < i && y; j++)
				y = y->next;
			if (n->kind == N_BINARY && i == 1)
				x = n->a, y = n->b;
			lower_mixed(l, v[0].type, x, v[i].type, y);
			return lower_error(l, n, DIAG_E0301, type_info[v[0].type].name,
					   type_info[v[i].type].name);
		}
	}
	return true;
}

bool
value_count(struct lower *l, const struct node *n, struct value *v)
{
	if (v->kind == V_ERROR || !value_is(l, n, v, TM_INT))
		return false;
	*v = value_cast(l, n, QD_TYPE_U32, *v);
	return v->kind != V_ERROR;
}

/* Words precede the operands of one type. Counts follow them, and are converted. */
static bool
operands_fit(struct lower *l, const struct node *n, enum op op, struct value *v, uint32_t n_args)
{
	uint32_t n_words = op_word_operands(op), n_same = op_same_operands(op);

	if (!value_one_type(l, n, v, n_words, TM(U32)) ||
	    !value_one_type(l, n, v + n_words, n_same, op_info[op].types))
		return false;
	for (uint32_t i = n_words + n_same; i < n_args; i++)
		if (!value_count(l, n, &v[i]))
			return false;
	return true;
}

/* Returns whether the operation computes in u32 what language version 1 computed in i32. */
static bool
was_signed(enum op op, qd_type type, const struct value *v, uint32_t n_args)
{
	bool any = false;

	for (uint32_t i = 0; i < n_args; i++) {
		if (!v[i].known && !v[i].was_signed)
			return false;
		any = any || v[i].was_signed;
	}
	return any && type == QD_TYPE_U32 && op != OP_CVT && op != OP_BITCAST;
}

/* Folds an operation, or appends an instruction. The result is known if all operands are.
 * Approximate operations are never folded. */
struct value
value_perform(struct lower *l, const struct node *n, enum op op, qd_type type, const struct value *v,
	      uint32_t n_args)
{
	struct value r = value_dyn(type, (struct qd_val){ 0 });
	struct qd_val arg[3] = { { 0 } };
	uint64_t bits[3] = { 0 };
	bool constant = !op_info[op].is_approx, wraps = false;
	qd_type lead = v[op_word_operands(op)].type;

	if ((op == OP_DIV || op == OP_REM) && type_is(v[1].type, TM_INT) && v[1].kind == V_CONST &&
	    v[1].bits == 0 && !l->n_dead)
		return value_refuse(l, n, DIAG_E0217);
	r.known = constant;
	for (uint32_t i = 0; i < n_args; i++) {
		constant = constant && v[i].kind == V_CONST;
		bits[i] = v[i].bits;
		wraps = wraps || v[i].wraps;
		r.known = r.known && v[i].known;
		r.deps |= v[i].deps;
	}
	if (constant) {
		r = value_const(type, ir_eval(op, lead, type, bits[0], bits[1], bits[2]));
		r.wraps = wraps || (op_info[op].in_count == COUNT_WRAPS &&
				    ir_eval_wraps(op, lead, type, bits[0], bits[1]));
		return r;
	}
	if (!l->b) {
		if (op_info[op].is_approx)
			l->help.help = "it is computed when the kernel runs: write the number";
		return value_refuse(l, n, DIAG_E0218, l->const_what);
	}
	lower_at(l, n);
	for (uint32_t i = 0; i < n_args; i++)
		arg[i] = value_emit(l, &v[i]);
	r.v = build_push_op(l->b, op, type, arg[0], arg[1], arg[2]);
	r.was_signed = was_signed(op, type, v, n_args);
	r.is_difference = r.was_signed && op == OP_SUB;
	r.deps = r.known ? r.deps : 0;
	return r;
}

struct value
value_apply(struct lower *l, const struct node *n, enum op op, const struct value *v,
	    uint32_t n_args)
{
	struct value arg[3] = { value_error };

	memcpy(arg, v, n_args * sizeof *v);
	return operands_fit(l, n, op, arg, n_args)
		       ? value_perform(l, n, op, build_result(op, arg[op_word_operands(op)].type), arg, n_args)
		       : value_error;
}

struct value
value_truth(struct lower *l, const struct node *n, struct value v)
{
	if (v.kind == V_ERROR || v.type == QD_TYPE_BOOL)
		return v;
	return value_apply2(l, n, OP_NE, v, value_const(v.type, 0));
}

struct value
value_select(struct lower *l, const struct node *n, const struct value *v)
{
	if (v[0].kind == V_ERROR || v[1].kind == V_ERROR || v[2].kind == V_ERROR)
		return value_error;
	if (v[2].type == QD_TYPE_BOOL && v[1].type != QD_TYPE_BOOL)
		l->help.help = "the condition is the first argument: select(c, a, b) is a if c is true, else b";
	if (v[1].type != v[2].type && l->help.help)
		return value_refuse(l, n, DIAG_E0301, type_info[v[1].type].name, type_info[v[2].type].name);
	if (v[1].type != v[2].type) {
		const struct node *x = n->kind == N_CALL ? n->b : NULL;
		x = x && x->next && x->next->next ? x->next : NULL;
		lower_mixed(l, v[1].type, x, v[2].type, x ? x->next : NULL);
		return value_refuse(l, n, DIAG_E0301, type_info[v[1].type].name,
				    type_info[v[2].type].name);
	}
	if (v[0].kind == V_CONST)
		return v[0].bits ? v[1] : v[2];
	return value_perform(l, n, OP_SELECT, v[1].type, v, 3);
}

struct value
value_cast(struct lower *l, const struct node *n, qd_type to, struct value v)
{
	struct value pick[3] = { v };

	v.guarded = false;
	if (v.kind == V_ERROR || v.type == to)
		return v;
	if (to == QD_TYPE_BOOL)
		return value_truth(l, n, v);
	if (v.type != QD_TYPE_BOOL)
		return value_perform(l, n, OP_CVT, to, &v, 1);
	v = value_const(QD_TYPE_U32, 1);
	pick[1] = value_perform(l, n, OP_CVT, to, &v, 1);
	pick[2] = value_const(to, 0);
	return value_select(l, n, pick);
}

struct value
value_bitcast(struct lower *l, const struct node *n, qd_type to, struct value v)
{
	if (v.kind == V_ERROR || v.type == to)
		return v;
	if (type_info[v.type].size != type_info[to].size || !type_info[to].size)
		return value_refuse(l, n, DIAG_E0304, type_info[v.type].name, type_info[to].name);
	return value_perform(l, n, OP_BITCAST, to, &v, 1);
}

/* -- Required constants ------------------------------------------------------------------ */

bool
value_need(struct lower *l, const struct node *n, const struct value *v, const char *what,
	   int64_t *out)
{
	*out = 0;
	if (v->kind == V_ERROR)
		return false;
	if (v->kind == V_CONST) {
		if (!type_is(v->type, TM_BITS))
			return lower_error(l, n, DIAG_E0347, type_info[v->type].name, what);
		*out = v->type == QD_TYPE_I32 ? (int32_t)(uint32_t)v->bits : (int64_t)v->bits;
		return true;
	}
	if (v->known && !(v->deps & DEP_TARGET) && l->b) {
		/* The kernel is lowered again with values for these. */
		l->demand |= v->deps;
		l->stop = true;
		return false;
	}
	return lower_error(l, n, DIAG_E0218, what);
}
