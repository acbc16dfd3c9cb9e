/* Calls of casts and built-in functions; other callees go to inline.c, prim.c. */
#include "lower.h"

/* -- Arguments ------------------------------------------------------------------- */

static bool
only_positional(struct lower *l, const struct node *n, const char *name)
{
	for (const struct node *a = n->b; a; a = a->next) {
		if (a->kind == N_NAMED)
			return lower_error(l, a, DIAG_E0131, name, SYM(l->m, a->sym));
	}
	return true;
}

static bool
takes(struct lower *l, const struct node *n, const char *name, uint32_t want)
{
	char text[32];

	if (!only_positional(l, n, name))
		return false;
	if (n->num == want)
		return true;
	snprintf(text, sizeof text, "%u argument%s", want, want == 1 ? "" : "s");
	return lower_error(l, n, DIAG_E0129, name, text, (unsigned)n->num);
}

/* -- Casts --------------------------------------------------------------------------- */

/* A literal becomes the type itself where it fits it, else what it would be on
 * its own; u32(-1) wraps, i64(1e18) does not pass through f32. */
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

static uint32_t
cast_call(struct lower *l, const struct node *n, struct value *out)
{
	qd_type to = scope_type(l, n->a, false);

	if (!to || !takes(l, n, type_info[to].name, 1))
		return CALL_FAILED;
	out[0] = value_cast(l, n, to, lower_expr(l, n->b, cast_hint(n->b, to)));
	return 1;
}

/* -- Built-in functions ------------------------------------------------------------------ */

static struct value
wrong_operand(struct lower *l, const struct node *n, qd_type type, uint32_t mask)
{
	char list[96];

	return value_refuse(l, n, DIAG_E0302, type_info[type].name, type_list(list, sizeof list, mask));
}

/* The quotient or the remainder of floor division: the truncated one, corrected
 * by 1 or by the divisor where the signs of remainder and divisor differ. */
static struct value
floor_const(struct lower *l, const struct node *n, bool quotient, const struct value *v)
{
	struct value r = value_apply(l, n, OP_REM, v, 2);
	struct value q = value_apply(l, n, OP_DIV, v, 2), fix[2];
	uint64_t sign = UINT64_C(1) << (type_bits(v[0].type) - 1);

	if (!type_info[v[0].type].is_signed || !r.bits || !((r.bits ^ v[1].bits) & sign))
		return quotient ? q : r;
	fix[0] = quotient ? q : r;
	fix[1] = quotient ? value_const(v[0].type, 1) : v[1];
	return value_apply(l, n, quotient ? OP_SUB : OP_ADD, fix, 2);
}

static struct value
floor_division(struct lower *l, const struct node *n, bool quotient, const struct value *v)
{
	uint32_t mask = quotient ? TM_NUM : TM_INT;
	struct value r = value_error;
	struct qd_val x, y;

	if (!type_is(v[0].type, mask))
		return wrong_operand(l, n, v[0].type, mask);
	if (v[0].type != v[1].type) {
		lower_error(l, n, DIAG_E0301, type_info[v[0].type].name, type_info[v[1].type].name);
		return r;
	}
	if (type_is(v[1].type, TM_INT) && v[1].kind == V_CONST && !v[1].bits && !l->n_dead) {
		lower_error(l, n, DIAG_E0217);
		return r;
	}
	if (v[0].kind == V_CONST && v[1].kind == V_CONST) {
		if (type_is(v[0].type, TM_INT))
			return floor_const(l, n, quotient, v);
		r = value_apply(l, n, OP_DIV, v, 2);
		return value_apply(l, n, OP_FLOOR, &r, 1);
	}
	if (!l->b) {
		lower_error(l, n, DIAG_E0218, l->const_what);
		return r;
	}
	lower_at(l, n);
	x = value_emit(l, &v[0]);
	y = value_emit(l, &v[1]);
	r = value_dyn(v[0].type, quotient ? qd_floordiv(l->b, x, y) : qd_floormod(l->b, x, y));
	r.known = v[0].known && v[1].known;
	r.deps = r.known ? v[0].deps | v[1].deps : 0;
	return r;
}

static struct value
is_inf(struct lower *l, const struct node *n, struct value v)
{
	struct value both[2];

	if (!type_is(v.type, TM_FLT))
		return wrong_operand(l, n, v.type, TM_FLT);
	both[0] = value_apply(l, n, OP_ABS, &v, 1);
	both[1] = value_const(v.type, type_limit(v.type, true));
	return value_apply(l, n, OP_EQ, both, 2);
}

static struct value
is_nan(struct lower *l, const struct node *n, struct value v)
{
	struct value both[2] = { v, v };

	if (!type_is(v.type, TM_FLT))
		return wrong_operand(l, n, v.type, TM_FLT);
	return value_apply(l, n, OP_NE, both, 2);
}

/* ORDER word.def: from abs on.  OP_NONE: by name, below; 0 arguments: not yet. */
static const struct {
	uint8_t op, n_args;
} math[] = {
	[W_abs - FIRST_MATH] = { OP_ABS, 1 },		[W_brev - FIRST_MATH] = { OP_BREV, 1 },
	[W_ceil - FIRST_MATH] = { OP_CEIL, 1 },		[W_clamp - FIRST_MATH] = { OP_NONE, 3 },
	[W_clz - FIRST_MATH] = { OP_CLZ, 1 },		[W_cos - FIRST_MATH] = { OP_NONE, 0 },
	[W_exp - FIRST_MATH] = { OP_NONE, 0 },		[W_ffs - FIRST_MATH] = { OP_FFS, 1 },
	[W_floor - FIRST_MATH] = { OP_FLOOR, 1 },	[W_floordiv - FIRST_MATH] = { OP_NONE, 2 },
	[W_floormod - FIRST_MATH] = { OP_NONE, 2 },	[W_fma - FIRST_MATH] = { OP_FMA, 3 },
	[W_isinf - FIRST_MATH] = { OP_NONE, 1 },	[W_isnan - FIRST_MATH] = { OP_NONE, 1 },
	[W_log - FIRST_MATH] = { OP_NONE, 0 },		[W_max - FIRST_MATH] = { OP_MAX, 2 },
	[W_min - FIRST_MATH] = { OP_MIN, 2 },		[W_mulhi - FIRST_MATH] = { OP_MULHI, 2 },
	[W_popcount - FIRST_MATH] = { OP_POPCOUNT, 1 }, [W_pow - FIRST_MATH] = { OP_NONE, 0 },
	[W_round - FIRST_MATH] = { OP_ROUND, 1 },	[W_select - FIRST_MATH] = { OP_NONE, 3 },
	[W_sin - FIRST_MATH] = { OP_NONE, 0 },		[W_sqrt - FIRST_MATH] = { OP_SQRT, 1 },
	[W_trunc - FIRST_MATH] = { OP_TRUNC, 1 },
};
_Static_assert(QD_COUNT(math) == N_WORD - FIRST_MATH, "a row for each built-in function");

static uint32_t
math_call(struct lower *l, const struct node *n, qd_type want, struct value *out)
{
	uint32_t w = n->a->sym, n_args = math[w - FIRST_MATH].n_args;
	enum op op = (enum op)math[w - FIRST_MATH].op;
	const char *name = l->m->syms.sym[w].s;
	struct value v[3];
	bool counts = op == OP_POPCOUNT || op == OP_CLZ || op == OP_FFS;

	if (!n_args) {
		lower_error(l, n, DIAG_E0117, name);
		return CALL_FAILED;
	}
	if (!takes(l, n, name, n_args))
		return CALL_FAILED;
	if (w == W_select) {
		v[0] = lower_condition(l, n->b);
		if (!lower_same(l, n->b->next, 2, want, v + 1))
			return CALL_FAILED;
		out[0] = value_select(l, n, v);
		return 1;
	}
	if (op_info[op].types == TM_FLT && (n->b->flags & F_INT) && !type_is(want, TM_FLT))
		want = QD_TYPE_F32; /* sqrt(2) */
	if (!lower_same(l, n->b, n_args,
			counts || w == W_isnan || w == W_isinf ? QD_TYPE_NONE : want, v))
		return CALL_FAILED;
	switch (w) {
	case W_clamp:
		v[0] = value_apply(l, n, OP_MAX, v, 2);
		v[1] = v[2];
		out[0] = value_apply(l, n, OP_MIN, v, 2);
		break;
	case W_floordiv:
	case W_floormod: out[0] = floor_division(l, n, w == W_floordiv, v); break;
	case W_isinf: out[0] = is_inf(l, n, v[0]); break;
	case W_isnan: out[0] = is_nan(l, n, v[0]); break;
	default: out[0] = value_apply(l, n, op, v, n_args);
	}
	return 1;
}

/* -- Any callee -------------------------------------------------------------------------- */

uint32_t
lower_call(struct lower *l, const struct node *n, qd_type want, struct value *out)
{
	const struct node *f = n->a;
	struct meaning m;

	if (f->kind == N_MEMBER && f->a->kind == N_NAME) {
		m = scope_find(l, f->a->sym);
		if (!m.local && !m.global && sym_is_group(f->a->sym))
			return lower_primitive(l, n, f, out);
		if (!m.local && !m.global && f->a->sym >= N_WORD) {
			scope_unknown(l, f->a, f->a->sym);
			return CALL_FAILED;
		}
	}
	if (f->kind != N_NAME) {
		lower_error(l, f, DIAG_E0128);
		return CALL_FAILED;
	}
	m = scope_find(l, f->sym);
	if (m.local ? m.local->kind == B_TYPE : !m.global && word_is_type(f->sym))
		return cast_call(l, n, out);
	if (m.global && m.global->kind == N_FN)
		return lower_function(l, n, m.global, out);
	if (!m.local && !m.global && f->sym >= FIRST_MATH && f->sym < N_WORD)
		return math_call(l, n, want, out);
	if (m.local || m.global)
		lower_error(l, f, DIAG_E0127, SYM(l->m, f->sym), meaning_text(&m), "a function");
	else if (sym_is_group(f->sym))
		lower_error(l, f, DIAG_E0127, SYM(l->m, f->sym), "a group of primitives",
			    "a function");
	else
		scope_unknown(l, f, f->sym);
	return CALL_FAILED;
}
