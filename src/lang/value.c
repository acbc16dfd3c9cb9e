/* Values while lowering: literals take a type, constants are folded as the
 * machine would compute them, everything else becomes a builder call. */
#include "lower.h"

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

/* at: the literal, or its minus. */
static struct value
does_not_fit(struct lower *l, const struct node *at, const struct node *n, qd_type type)
{
	static const char *const suffix[N_TYPE] = {
		[QD_TYPE_U32] = "u", [QD_TYPE_I64] = "l", [QD_TYPE_U64] = "ul"
	};
	bool negative = at != n;
	char text[80], help[96];
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
	return value_refuse(l, at, DIAG_E0340, (int)strlen(text), text, type_info[type].name);
}

static struct value
integer_literal(struct lower *l, const struct node *at, const struct node *n, qd_type type)
{
	bool negative = at != n;
	uint64_t max, bits = negative ? 0 - n->num : n->num;

	if (type == QD_TYPE_F32) {
		float v = (float)n->num;

		return value_const(type, f32_bits(negative && n->num ? -v : v));
	}
	if (type == QD_TYPE_F64) {
		double v = (double)n->num;

		return value_const(type, f64_bits(negative && n->num ? -v : v));
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
	bool negative = at != n;
	const char *s = l->m->text + n->at;
	float f = 0;
	double d = 0;

	if (!type_info[type].is_float)
		return does_not_fit(l, at, n, type);
	if (type == QD_TYPE_F32) {
		text_read_f32(s, n->num, &f);
		if (f32_bits(f) >= 0x7f800000)
			return does_not_fit(l, at, n, type);
		return value_const(type, f32_bits(f) | (uint64_t)negative << 31);
	}
	text_read_f64(s, n->num, &d);
	if (f64_bits(d) >= UINT64_C(0x7ff0000000000000))
		return does_not_fit(l, at, n, type);
	return value_const(type, f64_bits(d) | (uint64_t)negative << 63);
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
	case V_CONST: return qd_const_bits(l->b, v->type, v->bits);
	case V_TOKEN: return qd_template_value(l->b, (uint32_t)v->bits);
	case V_DYN: return v->v;
	default: return (struct qd_val){ 0 };
	}
}

static struct qd_val
emit(struct lower *l, enum op op, const struct qd_val *v)
{
	struct qd_builder *b = l->b;

	switch (op) {
	case OP_ADD: return qd_add(b, v[0], v[1]);
	case OP_SUB: return qd_sub(b, v[0], v[1]);
	case OP_MUL: return qd_mul(b, v[0], v[1]);
	case OP_DIV: return qd_div(b, v[0], v[1]);
	case OP_REM: return qd_rem(b, v[0], v[1]);
	case OP_MIN: return qd_min(b, v[0], v[1]);
	case OP_MAX: return qd_max(b, v[0], v[1]);
	case OP_MULHI: return qd_mulhi(b, v[0], v[1]);
	case OP_NEG: return qd_neg(b, v[0]);
	case OP_ABS: return qd_abs(b, v[0]);
	case OP_FMA: return qd_fma(b, v[0], v[1], v[2]);
	case OP_SQRT: return qd_sqrt(b, v[0]);
	case OP_FLOOR: return qd_floor(b, v[0]);
	case OP_CEIL: return qd_ceil(b, v[0]);
	case OP_TRUNC: return qd_trunc(b, v[0]);
	case OP_ROUND: return qd_round(b, v[0]);
	case OP_AND: return qd_and(b, v[0], v[1]);
	case OP_OR: return qd_or(b, v[0], v[1]);
	case OP_XOR: return qd_xor(b, v[0], v[1]);
	case OP_NOT: return qd_not(b, v[0]);
	case OP_SHL: return qd_shl(b, v[0], v[1]);
	case OP_SHR: return qd_shr(b, v[0], v[1]);
	case OP_POPCOUNT: return qd_popcount(b, v[0]);
	case OP_CLZ: return qd_clz(b, v[0]);
	case OP_FFS: return qd_ffs(b, v[0]);
	case OP_BREV: return qd_brev(b, v[0]);
	case OP_EQ: return qd_eq(b, v[0], v[1]);
	case OP_NE: return qd_ne(b, v[0], v[1]);
	case OP_LT: return qd_lt(b, v[0], v[1]);
	case OP_LE: return qd_le(b, v[0], v[1]);
	default: return (struct qd_val){ 0 };
	}
}

/* -- Operations ------------------------------------------------------------------------- */

static bool
operands_fit(struct lower *l, const struct node *n, enum op op, const struct value *v,
	     uint32_t n_args)
{
	const struct op_info *info = &op_info[op];
	uint32_t mask = info->sig == SIG_SHIFT ? TM_INT : info->types;
	char list[96];

	for (uint32_t i = 0; i < n_args; i++) {
		if (!type_is(v[i].type, mask))
			return lower_error(l, n, DIAG_E0302, type_info[v[i].type].name,
				    type_list(list, sizeof list, mask));
		if (info->sig != SIG_SHIFT && v[i].type != v[0].type)
			return lower_error(l, n, DIAG_E0301, type_info[v[0].type].name,
				    type_info[v[i].type].name);
	}
	if ((op == OP_DIV || op == OP_REM) && type_is(v[1].type, TM_INT) && v[1].kind == V_CONST &&
	    v[1].bits == 0 && !l->n_dead)
		return lower_error(l, n, DIAG_E0217);
	return true;
}

static qd_type
result_type(enum op op, qd_type type)
{
	switch (op_info[op].sig) {
	case SIG_CMP: return QD_TYPE_BOOL;
	case SIG_COUNT: return QD_TYPE_I32;
	default: return type;
	}
}

/* A value made by the builder from v, marked as known where they are. */
static struct value
derived(qd_type type, struct qd_val made, const struct value *v, uint32_t n_args)
{
	struct value r = value_dyn(type, made);

	r.known = true;
	for (uint32_t i = 0; i < n_args; i++) {
		r.known = r.known && v[i].known;
		r.deps |= v[i].deps;
	}
	if (!r.known)
		r.deps = 0;
	return r;
}

static bool
all_const(const struct value *v, uint32_t n_args)
{
	for (uint32_t i = 0; i < n_args; i++)
		if (v[i].kind != V_CONST)
			return false;
	return true;
}

static bool
any_error(const struct value *v, uint32_t n_args)
{
	for (uint32_t i = 0; i < n_args; i++)
		if (v[i].kind == V_ERROR)
			return true;
	return false;
}

static struct value
not_constant(struct lower *l, const struct node *n)
{
	return value_refuse(l, n, DIAG_E0218, l->const_what);
}

struct value
value_apply(struct lower *l, const struct node *n, enum op op, const struct value *v,
	    uint32_t n_args)
{
	struct qd_val arg[3] = { { 0 }, { 0 }, { 0 } };
	qd_type type;

	if (any_error(v, n_args) || !operands_fit(l, n, op, v, n_args))
		return value_error;
	type = result_type(op, v[0].type);
	if (all_const(v, n_args))
		return value_const(type,
				   ir_eval(op, v[0].type, type, v[0].bits,
					   n_args > 1 ? v[1].bits : 0, n_args > 2 ? v[2].bits : 0));
	if (!l->b)
		return not_constant(l, n);
	lower_at(l, n);
	for (uint32_t i = 0; i < n_args; i++)
		arg[i] = i == 1 && op_info[op].sig == SIG_SHIFT && v[i].kind == V_CONST
				 ? qd_u32(l->b, (uint32_t)v[i].bits)
				 : value_emit(l, &v[i]);
	return derived(type, emit(l, op, arg), v, n_args);
}

struct value
value_truth(struct lower *l, const struct node *n, struct value v)
{
	struct value both[2] = { v };

	if (v.kind == V_ERROR || v.type == QD_TYPE_BOOL)
		return v;
	both[1] = value_const(v.type, 0);
	return value_apply(l, n, OP_NE, both, 2);
}

struct value
value_select(struct lower *l, const struct node *n, const struct value *v)
{
	if (any_error(v, 3))
		return value_error;
	if (v[1].type != v[2].type)
		return value_refuse(l, n, DIAG_E0301, type_info[v[1].type].name, type_info[v[2].type].name);
	if (v[0].kind == V_CONST)
		return v[0].bits ? v[1] : v[2];
	if (!l->b)
		return not_constant(l, n);
	lower_at(l, n);
	return derived(
		v[1].type,
		qd_select(l->b, value_emit(l, &v[0]), value_emit(l, &v[1]), value_emit(l, &v[2])),
		v, 3);
}

struct value
value_cast(struct lower *l, const struct node *n, qd_type to, struct value v)
{
	if (v.kind == V_ERROR || v.type == to)
		return v;
	v.guarded = false;
	if (to == QD_TYPE_BOOL)
		return value_truth(l, n, v);
	if (v.kind == V_CONST && v.type == QD_TYPE_BOOL)
		v = value_const(QD_TYPE_U32, v.bits);
	if (v.type == to)
		return v;
	if (v.kind == V_CONST)
		return value_const(to, ir_eval(OP_CVT, v.type, to, v.bits, 0, 0));
	if (!l->b)
		return not_constant(l, n);
	lower_at(l, n);
	return derived(to, qd_cast(l->b, to, value_emit(l, &v)), &v, 1);
}

struct value
value_bitcast(struct lower *l, const struct node *n, qd_type to, struct value v)
{
	if (v.kind == V_ERROR)
		return v;
	if (type_info[v.type].size != type_info[to].size || !type_info[to].size)
		return value_refuse(l, n, DIAG_E0304, type_info[v.type].name, type_info[to].name);
	if (v.kind == V_CONST)
		return value_const(to, v.bits);
	if (!l->b)
		return not_constant(l, n);
	lower_at(l, n);
	return derived(to, qd_bitcast(l->b, to, value_emit(l, &v)), &v, 1);
}

/* -- Constants that are needed now ------------------------------------------------------- */

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
		/* The kernel is lowered again with a value for each of these. */
		l->demand |= v->deps;
		l->stop = true;
		return false;
	}
	return lower_error(l, n, DIAG_E0218, what);
}
