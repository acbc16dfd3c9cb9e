/* Calls of casts and built-in functions. Other callees are in inline.c and prim.c. */
#include "composed.h"
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
	struct value v;

	if (!to || !call_takes(l, n, type_info[to].name, 1))
		return value_error;
	v = lower_adapting(l, n->b, cast_hint(n->b, to));
	if (v.is_difference && (type_info[to].is_float || type_bits(to) == 64))
		lower_warn(l, n, DIAG_W0307, type_info[to].name);
	return adapt_cast(l, n, to, v);
}

/* -- Built-in functions ------------------------------------------------------------------ */

struct lowering {
	struct composer c;
	struct lower *l;
	const struct node *n;
	struct value v[COMPOSED_MAX_VALUE];
};

static void
lower_step(struct composer *c, uint32_t to, enum op op, qd_type type, const uint32_t *from, uint32_t n)
{
	struct lowering *s = (struct lowering *)c;
	struct value v[3] = { value_error };
	bool ok = true;

	for (uint32_t i = 0; i < n; i++) {
		v[i] = s->v[from[i]];
		ok = ok && v[i].kind != V_ERROR;
	}
	s->v[to] = !ok		     ? value_error
		   : op == OP_SELECT ? value_select(s->l, s->n, v)
				     : value_perform(s->l, s->n, op, type, v, n);
}

static void
lower_number(struct composer *c, uint32_t to, qd_type type, uint64_t bits)
{
	((struct lowering *)c)->v[to] = value_const(type, bits);
}

static struct value
compose(struct lower *l, const struct node *n, enum composed_id id, const struct value *v)
{
	struct lowering s = { .c = { .apply = lower_step, .constant = lower_number }, .l = l, .n = n };

	for (uint32_t i = 0; i < (uint32_t)composed[id].n_same + composed[id].n_counts; i++) {
		s.v[i] = v[i];
		s.c.type[i] = v[i].type;
	}
	return s.v[composed_apply(id, &s.c)];
}

/* A function that is an operation has its name. The others are composed. */
struct math {
	enum op op; /* or NONE */
	enum composed_id id;
	uint32_t types, n_words, n_same, n_counts; /* words precede the operands of one type */
	bool other; /* the result has another type */
};

static struct math
math_named(const char *name)
{
	struct math m = { .op = op_named(name) };

	if (m.op != OP_NONE) {
		m.types = op_info[m.op].types;
		m.n_words = op_word_operands(m.op);
		m.n_same = op_same_operands(m.op);
		m.n_counts = op_sig(m.op)->n_opnd - m.n_words - m.n_same;
		m.other = op_info[m.op].sig == SIG_COUNT;
		return m;
	}
	while (m.id + 1 < N_COMPOSED && strcmp(composed[m.id].name, name) != 0)
		m.id++;
	m.types = composed[m.id].types;
	m.n_same = composed[m.id].n_same;
	m.n_counts = composed[m.id].n_counts;
	m.other = composed[m.id].other;
	return m;
}

/* Returns the type of a literal operand: the only one that the function takes, or what the context
 * wants. */
static qd_type
math_want(const struct math *m, const struct node *first, qd_type want)
{
	if (m->types == TM(U32) || m->types == TM(I32))
		return m->types == TM(U32) ? QD_TYPE_U32 : QD_TYPE_I32;
	if (m->types == TM_FLT && (first->flags & F_INT) && !type_is(want, TM_FLT))
		return QD_TYPE_F32; /* sqrt(2) */
	return m->other ? QD_TYPE_NONE : want;
}

static struct value
math_call(struct lower *l, const struct node *n, qd_type want)
{
	const char *name = l->m->syms.sym[n->a->sym].s;
	struct math m = math_named(name);
	const struct node *arg = n->b;
	struct value v[COMPOSED_MAX_ARG];
	uint32_t i = 0;

	if (n->a->sym == W_select) {
		if (!call_takes(l, n, name, 3))
			return value_error;
		v[0] = lower_condition(l, n->b);
		return lower_same(l, n->b->next, 2, want, v + 1) ? value_select(l, n, v)
								 : value_error;
	}
	if (!call_takes(l, n, name, m.n_words + m.n_same + m.n_counts))
		return value_error;
	for (; i < m.n_words; i++, arg = arg->next)
		v[i] = lower_expr(l, arg, QD_TYPE_U32);
	if (!value_one_type(l, n, v, m.n_words, TM(U32)) ||
	    !lower_same(l, arg, m.n_same, math_want(&m, arg, want), v + i) ||
	    !value_one_type(l, n, v + i, m.n_same, m.types))
		return value_error;
	for (uint32_t j = 0; j < m.n_same; j++, i++)
		arg = arg->next;
	for (uint32_t j = 0; j < m.n_counts; j++, i++, arg = arg->next) {
		v[i] = lower_expr(l, arg, QD_TYPE_U32);
		if (!value_count(l, n, &v[i]))
			return value_error;
	}
	return m.op ? value_apply(l, n, m.op, v, i) : compose(l, n, m.id, v);
}

/* -- Any callee -------------------------------------------------------------------------- */

/* Marks the result of a function that returned an i32 in language version 1. */
static void
mark_signed(const struct lower *l, const struct node *name, struct results *out)
{
	if (out->n == 1 && out->v[0].kind == V_DYN)
		out->v[0].was_signed = warn_was_signed(&l->m->syms.sym[name->sym]);
}

bool
lower_call(struct lower *l, const struct node *n, qd_type want, struct results *out)
{
	const struct node *f = n->a;
	struct meaning m = { .is = M_NOTHING };
	uint32_t count;
	bool is_store;

	if (f->kind == N_MEMBER && (f->a->kind == N_NAME || scope_is_imported(l, f->a))) {
		m = scope_named(l, f->a);
		if (m.is == M_GROUP) {
			if (!lower_primitive(l, n, f, out))
				return false;
			mark_signed(l, f, out);
			return true;
		}
		if (m.is == M_NOTHING)
			return scope_wrong(l, f->a, "").kind;
	}
	if (f->kind == N_MEMBER && (m.is == B_ARRAY || m.is == M_TABLE)) {
		if (f->sym == W_len)
			return lower_error(l, f, DIAG_E0134, "len");
		if (wide_named(&l->m->syms.sym[f->sym], &count, &is_store))
			return lower_wide(l, n, count, is_store, out);
		return lower_expr(l, f, QD_TYPE_NONE).kind != V_ERROR; /* no such member */
	}
	if (f->kind == N_MEMBER && m.is != M_FILE)
		l->help.help = "there are no methods: write sqrt(x) for x.sqrt(), max(x, y) for x.max(y)";
	if (f->kind != N_NAME && m.is != M_FILE)
		return lower_error(l, f, DIAG_E0128);
	m = scope_named(l, f);
	if (m.is == M_FN)
		return lower_function(l, n, m.global, out);
	if (m.is == M_CHECK)
		return lower_check(l, n, out);
	out->n = 1;
	out->v[0] = m.is == B_TYPE   ? cast_call(l, n)
		    : m.is == M_MATH ? math_call(l, n, want)
				     : scope_wrong(l, f, "a function");
	if (m.is == M_MATH)
		mark_signed(l, f, out);
	return out->v[0].kind != V_ERROR;
}
