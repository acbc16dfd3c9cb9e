/* Values without a type of their own: constants without a type, integer templates, and variables of
 * unrolled loops. They take the type of the other operand, as literals do.
 *
 * A known value is exact, in i64 or f64. The value of a template that is given later is an i32,
 * and is converted by the kernel. */
#include "build_call.h"
#include "lower.h"

static bool
is_late(const struct value *v)
{
	return v->kind != V_CONST;
}

struct value
adapt_integer(int64_t n)
{
	struct value v = value_const(QD_TYPE_I64, (uint64_t)n);

	v.adapts = true;
	return v;
}

/* -- Literals among them -------------------------------------------------------------------- */

/* Returns whether the expression consists of literals: a shift count may be something else. */
static bool
is_text(const struct node *n)
{
	for (; n->kind == N_BINARY; n = n->a)
		if (!is_text(n->b))
			return false;
	return n->kind == N_UNARY ? is_text(n->a) : n->kind <= N_NAN;
}

static bool
is_one_literal(const struct node *n)
{
	return (n->kind == N_UNARY && n->op == T_SUB ? n->a : n)->kind <= N_NAN;
}

struct value
adapt_text(struct lower *l, const struct node *n)
{
	bool is_float = n->flags & F_FLOAT;
	struct value v;

	if (!is_text(n))
		return lower_expr(l, n, QD_TYPE_NONE);
	v = lower_expr(l, n, is_float ? QD_TYPE_F64 : QD_TYPE_I64);
	if (v.kind == V_CONST && v.wraps)
		return value_refuse(l, n, DIAG_E0334, type_info[v.type].name);
	v.adapts = v.kind == V_CONST;
	v.literal = v.adapts && is_one_literal(n) ? n : NULL;
	return v;
}

bool
adapt_is(struct lower *l, const struct node *n)
{
	struct meaning m;

	for (; n->kind == N_BINARY && n->op > T_GE && !(n->flags & F_UNTYPED); n = n->a)
		if (n->op != T_SHL && n->op != T_SHR && !adapt_is(l, n->b))
			return false;
	if (n->flags & F_UNTYPED)
		return true;
	if (n->kind == N_UNARY && n->op != T_NOT)
		return adapt_is(l, n->a);
	m = scope_named(l, n);
	if (m.is == M_CONST)
		return (m.global->state == CONST_DONE || const_evaluate(l, n, m.global)) &&
		       m.global->flags & F_ADAPTS;
	return m.is == B_VALUE && m.local->value.adapts;
}

/* -- Conversions --------------------------------------------------------------------------- */

static bool
fits_integer(int64_t n, qd_type to)
{
	if (type_bits(to) == 64)
		return n >= 0 || type_info[to].is_signed;
	return type_info[to].is_signed ? n >= INT32_MIN && n <= INT32_MAX : n >= 0 && n <= UINT32_MAX;
}

/* Writes the value for a message. */
static void
show(const struct value *v, char *out, size_t size)
{
	double d;

	memcpy(&d, &v->bits, sizeof d);
	if (v->type == QD_TYPE_F64)
		snprintf(out, size, "%.17g", d);
	else
		snprintf(out, size, "%lld", (long long)v->bits);
}

static struct value
does_not_fit(struct lower *l, const struct node *n, const struct value *v, qd_type to)
{
	char text[40], what[MAX_NAME + 8] = "this value", help[96];

	show(v, text, sizeof text);
	if (n->kind == N_NAME || scope_is_imported(l, n))
		snprintf(what, sizeof what, "'%.*s'", SYM(l->m, n->sym));
	if (v->type == QD_TYPE_F64 && !type_info[to].is_float)
		l->help.help = "an integer is expected here: write one, or convert the other operand: f32(x)";
	else if (type_is(to, TM_INT) && (int64_t)v->bits < 0)
		l->help.help = "convert the other operand, if it may be negative: i32(x)";
	else if (to == QD_TYPE_I32) {
		snprintf(help, sizeof help, "convert it: %s(x)", fits_integer((int64_t)v->bits, QD_TYPE_U32) ? "u32" : "i64");
		l->help.help = help;
	}
	return value_refuse(l, n, DIAG_E0333, what, text, type_info[to].name);
}

/* Converts a constant. */
static struct value
constant_to(struct lower *l, const struct node *n, struct value v, qd_type to)
{
	struct value r;

	if (v.type == QD_TYPE_I64 && type_is(to, TM_INT))
		return fits_integer((int64_t)v.bits, to)
			       ? value_const(to, type_bits(to) == 32 ? (uint32_t)v.bits : v.bits)
			       : does_not_fit(l, n, &v, to);
	if (v.literal && type_info[to].is_float)
		return value_literal(l, v.literal, to);
	if (!type_info[to].is_float)
		return does_not_fit(l, n, &v, to);
	if (v.type == to) {
		v.adapts = false;
		return v;
	}
	r = value_perform(l, n, OP_CVT, to, &v, 1);
	if (to == QD_TYPE_F32 && v.type == QD_TYPE_F64 && (r.bits & 0x7fffffff) == 0x7f800000 &&
	    v.bits << 1 != UINT64_C(0x7ff0000000000000) << 1)
		return does_not_fit(l, n, &v, to);
	return r;
}

/* Requires that a template's value, which the kernel converts to an unsigned type, is not negative.
 * The range of a template may show it. */
static void
require_positive(struct lower *l, const struct node *n, const struct value *v)
{
	static const char text[] = "a template value beside an unsigned operand is not negative";
	struct value is;

	if (!l->b || build_failed(l->b) || l->in_operator || l->n_dead ||
	    (v->kind == V_TOKEN && l->b->k->tmpls[v->bits & ~(uint64_t)TOKEN_TEMPLATE].lo >= 0))
		return;
	is = value_apply2(l, n, OP_LE, value_const(v->type, 0), *v);
	qd_require(l->b, value_emit(l, &is), text);
}

struct value
adapt_to(struct lower *l, const struct node *n, struct value v, qd_type to)
{
	if (v.kind == V_ERROR || !v.adapts)
		return v;
	if (!type_is(to, TM_NUM))
		to = v.type == QD_TYPE_F64 ? QD_TYPE_F32 : QD_TYPE_I32;
	if (!is_late(&v))
		return constant_to(l, n, v, to);
	if (type_is(to, TM_INT) && !type_info[to].is_signed)
		require_positive(l, n, &v);
	v.adapts = false;
	return v.type == to ? v : value_perform(l, n, OP_CVT, to, &v, 1);
}

struct value
adapt_index(struct lower *l, const struct node *n, struct value v)
{
	bool late = is_late(&v);

	if (!v.adapts || v.type != QD_TYPE_I64)
		return adapt_to(l, n, v, late ? QD_TYPE_I32 : QD_TYPE_U32);
	return adapt_to(l, n, v, !late && fits_integer((int64_t)v.bits, QD_TYPE_U32)   ? QD_TYPE_U32
				 : late || fits_integer((int64_t)v.bits, QD_TYPE_I32) ? QD_TYPE_I32
										      : QD_TYPE_I64);
}

struct value
adapt_cast(struct lower *l, const struct node *n, qd_type to, struct value v)
{
	if (v.adapts && !is_late(&v) && type_is(to, TM_NUM) &&
	    (type_info[to].is_float || (v.type == QD_TYPE_I64 && fits_integer((int64_t)v.bits, to))))
		return constant_to(l, n, v, to);
	v.adapts = false;
	return value_cast(l, n, to, v);
}

/* Gives two operands one type. Returns whether neither has a type of its own. */
bool
adapt_pair(struct lower *l, const struct node *n, struct value v[2])
{
	const struct node *at[2] = { n->a ? n->a : n, n->b };

	if ((!v[0].adapts && !v[1].adapts) || !v[0].kind || !v[1].kind)
		return false;
	for (uint32_t i = 0; i < 2; i++)
		if (!v[i].adapts)
			v[!i] = adapt_to(l, at[!i], v[!i], (qd_type)v[i].type);
	if (!v[0].adapts || !v[1].adapts || v[0].type == v[1].type)
		return v[0].adapts && v[1].adapts;
	for (uint32_t i = 0; i < 2; i++) {
		bool other_late = is_late(&v[!i]);

		if (v[i].type == QD_TYPE_F64 && other_late) { /* the kernel computes in f32 */
			v[i] = adapt_to(l, at[i], v[i], QD_TYPE_F32);
			v[!i] = adapt_to(l, at[!i], v[!i], QD_TYPE_F32);
			return false;
		}
		if (v[i].type == QD_TYPE_I64 && other_late) {
			v[i] = adapt_to(l, at[i], v[i], QD_TYPE_I32);
			return true;
		}
		if (v[i].type == QD_TYPE_I64)
			v[i] = value_perform(l, n, OP_CVT, QD_TYPE_F64, &v[i], 1);
	}
	return true;
}

struct value
adapt_result(struct lower *l, const struct node *n, struct value r)
{
	if (r.kind == V_ERROR || r.type == QD_TYPE_BOOL)
		return r;
	if (r.wraps && !l->n_dead)
		return value_refuse(l, n, DIAG_E0334, type_info[r.type].name);
	r.wraps = false;
	r.adapts = true;
	return r;
}
