/* Calls of casts and built-in functions. Other callees are in inline.c and prim.c. */
#include "lower.h"

/* -- Arguments ------------------------------------------------------------------- */

bool
call_takes(struct lower *l, const struct node *n, const char *name, uint32_t want)
{
	return call_named(l, n, name, 0, 0) && call_has(l, n, name, want);
}

bool
call_has(struct lower *l, const struct node *n, const char *name, uint32_t want)
{
	uint32_t n_values = call_count(n);
	char text[32];

	if (n_values == want)
		return true;
	snprintf(text, sizeof text, "%u argument%s", want, want == 1 ? "" : "s");
	return lower_error(l, n, DIAG_E0129, name, text, n_values);
}

bool
call_named(struct lower *l, const struct node *n, const char *name, uint32_t one, uint32_t other)
{
	for (const struct node *a = n->b; a; a = a->next)
		if (a->kind == N_NAMED && !call_may_name(l, n, a, name, a->sym == one || a->sym == other))
			return false;
	return true;
}

bool
call_may_name(struct lower *l, const struct node *n, const struct node *a, const char *name, bool known)
{
	if (!known)
		return lower_error(l, a, DIAG_E0131, name, SYM(l->m, a->sym));
	return call_argument(n, a->sym) == a || lower_error(l, a, DIAG_E0143, SYM(l->m, a->sym));
}

uint32_t
call_count(const struct node *n)
{
	uint32_t count = 0;

	for (const struct node *a = n->b; a; a = a->next)
		count += a->kind != N_NAMED;
	return count;
}

const struct node *
call_next(const struct node *a)
{
	while (a && a->kind == N_NAMED)
		a = a->next;
	return a;
}

const struct node *
call_argument(const struct node *n, uint32_t sym)
{
	const struct node *a = n->b;

	while (a && (a->kind != N_NAMED || a->sym != sym))
		a = a->next;
	return a;
}

/* -- Casts --------------------------------------------------------------------------- */

/* Returns the type that a literal takes in a cast: the type itself if the literal fits it, else
 * the type it would have alone. So u32(-1) wraps, and i64(1e18) is not rounded to f32 first. */
static qd_type
cast_hint(const struct node *n, qd_type to)
{
	const struct node *lit = n->kind == N_UNARY && n->op == T_SUB ? n->a : n;
	bool negative = lit != n;

	if (n->flags & F_FLOAT)
		return type_info[to].is_float ? to : QD_TYPE_F64;
	if (!(n->flags & F_INT))
		return QD_TYPE_NONE;
	if (type_info[to].is_float)
		return to;
	if (lit->kind == N_INT && type_is(to, TM_INT) &&
	    lit->num <= (negative ? (type_info[to].is_signed ? type_limit(to, true) + 1 : 0)
				  : type_limit(to, true)))
		return to;
	if (lit->kind == N_INT && !negative && lit->num > INT64_MAX)
		return QD_TYPE_U64;
	return to == QD_TYPE_U64 && !negative && lit->kind != N_INT ? QD_TYPE_U64 : QD_TYPE_I64;
}

static struct value
cast_call(struct lower *l, const struct node *n)
{
	qd_type to = scope_type(l, n->a, false);

	if (!to || !call_takes(l, n, type_info[to].name, 1))
		return value_error;
	return value_cast(l, n, to, lower_expr(l, n->b, cast_hint(n->b, to)));
}

/* -- Built-in functions ------------------------------------------------------------------ */

/* Returns the truncated quotient or remainder, corrected by 1 or by the divisor if the signs of
 * remainder and divisor differ. */
static struct value
floor_division(struct lower *l, const struct node *n, bool quotient, const struct value *v)
{
	struct value zero = value_const(v[0].type, 0), off, r, q = value_error;

	if (!value_is(l, n, &v[0], quotient ? TM_NUM : TM_INT))
		return value_error;
	if (quotient)
		q = value_apply(l, n, OP_DIV, v, 2);
	if (type_info[v[0].type].is_float)
		return value_apply(l, n, OP_FLOOR, &q, 1);
	if (quotient && !type_info[v[0].type].is_signed)
		return q;
	r = value_apply(l, n, OP_REM, v, 2);
	if (!type_info[v[0].type].is_signed)
		return r;
	off = value_apply2(l, n, OP_LT, value_apply2(l, n, OP_XOR, r, v[1]), zero);
	off = value_apply2(l, n, OP_AND, off, value_apply2(l, n, OP_NE, r, zero));
	off = value_apply2(l, n, OP_AND, off, value_apply2(l, n, OP_NE, v[1], zero));
	if (!quotient)
		return value_select(
			l, n, (struct value[]){ off, value_apply2(l, n, OP_ADD, r, v[1]), r });
	r = value_apply2(l, n, OP_SUB, q, value_const(v[0].type, 1));
	return value_select(l, n, (struct value[]){ off, r, q });
}

/* x != x, or abs(x) == inf */
static struct value
is_special(struct lower *l, const struct node *n, bool nan, struct value v)
{
	if (!value_is(l, n, &v, TM_FLT))
		return value_error;
	if (nan)
		return value_apply2(l, n, OP_NE, v, v);
	return value_apply2(l, n, OP_EQ, value_apply(l, n, OP_ABS, &v, 1),
			    value_const(v.type, type_limit(v.type, true)));
}

/* Returns the number of operands and stores the operation. Functions that are an operation have
 * its name. */
static uint32_t
math_operands(uint32_t w, const char *name, enum op *op)
{
	switch (w) {
	case W_clamp: return 3;
	case W_floordiv:
	case W_floormod: return 2;
	case W_isinf:
	case W_isnan: return 1;
	default: *op = op_named(name); return op_sig(*op)->n_opnd;
	}
}

static struct value
math_call(struct lower *l, const struct node *n, qd_type want)
{
	enum op op = OP_NONE;
	const char *name = l->m->syms.sym[n->a->sym].s;
	uint32_t w = n->a->sym, n_args = math_operands(w, name, &op);
	struct value v[3];

	if (!call_takes(l, n, name, n_args))
		return value_error;
	if (w == W_select) {
		v[0] = lower_condition(l, n->b);
		return lower_same(l, n->b->next, 2, want, v + 1) ? value_select(l, n, v)
								 : value_error;
	}
	if (op_info[op].types == TM_FLT && (n->b->flags & F_INT) && !type_is(want, TM_FLT))
		want = QD_TYPE_F32; /* sqrt(2) */
	if (op_info[op].sig == SIG_COUNT || w == W_isnan || w == W_isinf)
		want = QD_TYPE_NONE;
	if (!lower_same(l, n->b, n_args, want, v))
		return value_error;
	switch (w) {
	case W_clamp:
		v[0] = value_apply(l, n, OP_MAX, v, 2);
		v[1] = v[2];
		return value_apply(l, n, OP_MIN, v, 2);
	case W_floordiv:
	case W_floormod: return floor_division(l, n, w == W_floordiv, v);
	case W_isinf:
	case W_isnan: return is_special(l, n, w == W_isnan, v[0]);
	default: return value_apply(l, n, op, v, n_args);
	}
}

/* -- Any callee -------------------------------------------------------------------------- */

bool
lower_call(struct lower *l, const struct node *n, qd_type want, struct results *out)
{
	const struct node *f = n->a;
	struct meaning m = { .is = M_NOTHING };

	if (f->kind == N_MEMBER && f->a->kind == N_NAME) {
		m = scope_find(l, f->a->sym);
		if (m.is == M_GROUP)
			return lower_primitive(l, n, f, out);
		if (m.is == M_NOTHING)
			return scope_wrong(l, f->a, f->a->sym, "").kind;
	}
	if (f->kind == N_MEMBER && m.is == B_ARRAY) {
		if (f->sym == W_len)
			return lower_error(l, f, DIAG_E0134, "len");
		return lower_expr(l, f, QD_TYPE_NONE).kind != V_ERROR; /* no such member */
	}
	if (f->kind == N_MEMBER)
		l->help.help = "there are no methods: write sqrt(x) for x.sqrt(), max(x, y) for x.max(y)";
	if (f->kind != N_NAME)
		return lower_error(l, f, DIAG_E0128);
	m = scope_find(l, f->sym);
	if (m.is == M_FN)
		return lower_function(l, n, m.global, out);
	if (m.is == M_CHECK)
		return lower_check(l, n, out);
	out->n = 1;
	out->v[0] = m.is == B_TYPE   ? cast_call(l, n)
		    : m.is == M_MATH ? math_call(l, n, want)
				     : scope_wrong(l, f, f->sym, "a function");
	return out->v[0].kind != V_ERROR;
}
