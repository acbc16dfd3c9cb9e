/* Expressions. A chain of binary operators is walked in a loop from the leaf up. Recursion is
 * bounded by the parser's depth. */
#include "lower.h"

/* -- Names, members, elements ------------------------------------------------------- */

static struct value
constant_value(const struct node *c)
{
	struct value v = value_const(c->type, c->num);

	v.adapts = c->flags & F_ADAPTS;
	v.literal = c->d;
	return v;
}

static struct value
name_value(struct lower *l, const struct node *n)
{
	struct meaning m = scope_named(l, n);

	switch (m.is) {
	case B_VALUE: return m.local->value;
	case B_VAR:
		if (m.local->local || !m.local->type)
			return m.local->value;
		lower_at(l, n);
		return value_dyn(m.local->type, qd_get(l->b, m.local->var));
	case M_CONST:
		if (m.global->state != CONST_DONE && !const_evaluate(l, n, m.global))
			return value_error;
		return constant_value(m.global);
	default: return scope_wrong(l, n, "a value");
	}
}

/* what: NULL for a buffer */
static struct value
no_member(struct lower *l, const struct node *n, const char *what, const char *help)
{
	const struct symbol *s = &l->m->syms.sym[n->sym];
	struct foreign f;
	const char *meant = what ? NULL : foreign_member(&f, "", s->s, s->len);
	struct suggest g;

	suggest_init(&g, s->s, s->len);
	if (!what)
		suggest_offer_term(&g, "len", 3);
	l->help.help = meant ? meant : suggest_text(&g, help);
	return value_refuse(l, n, DIAG_E0118, what ? what : "a buffer", SYM(l->m, n->sym));
}

/* T.max, T.min, T.zero */
static struct value
type_member(struct lower *l, const struct node *n)
{
	qd_type t = scope_type(l, n->a, false);

	if (!t)
		return value_error;
	if (n->sym == W_zero)
		return value_const(t, 0);
	if (t == QD_TYPE_BOOL)
		return no_member(l, n, "bool", "bool has .zero");
	if (n->sym == W_max || n->sym == W_min)
		return value_const(t, type_limit(t, n->sym == W_max));
	return no_member(l, n, type_info[t].name, "a type has .max, .min and .zero");
}

static struct value
member_value(struct lower *l, const struct node *n)
{
	struct meaning m = { .is = B_VALUE };

	if (n->a->kind == N_NAME || scope_is_imported(l, n->a))
		m = scope_named(l, n->a);
	switch (m.is) {
	case M_FILE: return name_value(l, n);
	case B_ARRAY:
		if (n->sym != W_len)
			return no_member(l, n, m.local->n_dims ? "a shared array" : NULL,
					 m.local->n_dims ? "a shared array has .len"
							 : "a buffer has .len");
		if (m.local->n_dims)
			return value_const(QD_TYPE_U32, shared_len(m.local));
		lower_at(l, n);
		return value_dyn(QD_TYPE_U32, qd_len(l->b, m.local->array));
	case M_TABLE: {
		struct binding *table = table_find(l, n->a, m.global);

		if (!table)
			return value_error;
		return n->sym == W_len ? value_const(QD_TYPE_U32, table->table->len)
				       : no_member(l, n, "a constant table", "a constant table has .len");
	}
	case B_TYPE: return type_member(l, n);
	case M_GROUP: return lower_primitive_field(l, n);
	case M_NOTHING: return scope_wrong(l, n->a, "");
	case B_VALUE:
		if (m.local && m.local->value.kind == V_ERROR)
			return value_error;
		break;
	default: break;
	}
	if (n->a->kind == N_INT)
		return no_member(l, n, meaning_text(&m), "a decimal has digits after its point: 2.0");
	if (n->a->kind == N_MEMBER && n->a->a->kind == N_NAME && n->a->a->sym == W_block)
		return no_member(l, n, meaning_text(&m),
				 "write block.thread_idx(0), (1) or (2) for x, y, z");
	return no_member(l, n, meaning_text(&m),
			 "buffers (.len), types (.max, .min, .zero) and groups of primitives have "
			 "members");
}

/* Returns the buffer or shared array that an expression names, or NULL after an error. */
struct binding *
lower_array(struct lower *l, const struct node *n)
{
	struct meaning m;

	if (n->kind == N_INDEX)
		l->help.help = "a buffer has one index: a[y * width + x]; a shared array s[y, x]";
	if (n->kind == N_NAME || scope_is_imported(l, n)) {
		m = scope_named(l, n);
		if (m.is == B_ARRAY)
			return m.local;
		if (m.is == M_TABLE)
			return table_find(l, n, m.global);
		if (m.is == M_NOTHING || (m.is == B_VALUE && m.local->value.kind == V_ERROR)) {
			scope_wrong(l, n, "");
			return NULL;
		}
	}
	lower_error(l, n, DIAG_E0346);
	return NULL;
}

/* Returns whether index is a grid loop's index over the array's length. It is then in range
 * in every thread that is not padding. */
static bool
is_own_element(const struct qd_builder *b, struct qd_array array, struct qd_val index)
{
	const struct ins *ins = b->k->ir.ins, *n = &ins[ins[index.id].a];

	return ins[index.id].op == OP_GRID && n->op == OP_LEN && n->x == array.id - 1;
}

struct value
lower_load(struct lower *l, const struct node *n, const struct binding *a, struct value index,
	   const struct value *other)
{
	qd_type type = type_info[a->type].wide;
	char name[MAX_NAME + 1];
	struct value v;

	if (a->access == QD_ACCESS_OUT)
		return value_refuse(l, n, DIAG_E0311, lower_name(l, a->sym, name));
	if (index.kind == V_ERROR || (other && other->kind == V_ERROR))
		return value_error;
	if (other && other->type != type) {
		lower_convert(l, type, NULL);
		return value_refuse(l, n->c, DIAG_E0308, type_info[type].name,
				    type_info[other->type].name);
	}
	if (l->in_operator)
		return value_refuse(l, n, DIAG_E0326, "a load");
	if (!l->b)
		return value_refuse(l, n, DIAG_E0218, l->const_what);
	lower_at(l, n);
	struct qd_val at = value_emit(l, &index);
	v = value_dyn(type, other ? qd_load_else(l->b, a->array, at, value_emit(l, other))
				  : qd_load(l->b, a->array, at));
	v.guarded = !other && !l->in_bounds && !a->n_dims && !is_own_element(l->b, a->array, index.v);
	return v;
}

/* Lowers one index of an array, which must be an integer. len: its limit if known, or 0. */
static bool
one_index(struct lower *l, const struct node *n, const struct binding *a, uint32_t len,
	  struct value *out)
{
	char name[MAX_NAME + 1];

	*out = adapt_index(l, n, lower_adapting(l, n, QD_TYPE_U32));
	if (out->kind == V_ERROR)
		return false;
	if (!type_is(out->type, TM_INT))
		return lower_error(l, n, DIAG_E0307, type_info[out->type].name);
	if (len && out->kind == V_CONST && out->bits >= len && !l->n_dead && !l->n_maybe)
		return lower_error(l, n, DIAG_E0363, (unsigned long long)out->bits,
				   lower_name(l, a->sym, name), len);
	return true;
}

bool
lower_index(struct lower *l, const struct node *n, const struct binding *a, struct value *out)
{
	uint32_t count = 0, i = 0, want = a->n_dims ? a->n_dims : 1;
	bool ok = true;
	char name[MAX_NAME + 1];

	for (const struct node *e = n->b; e; e = e->next)
		count++;
	if (count != want && a->n_dims)
		return lower_error(l, n, DIAG_E0365, lower_name(l, a->sym, name), want, count);
	if (count != want)
		return lower_error(l, n, DIAG_E0345, count);
	for (const struct node *e = n->b; e; e = e->next, i++) {
		struct value next;

		if (!one_index(l, e, a, a->n_dims ? a->dims[i] : 0, &next)) {
			ok = false;
		} else if (want == 1) {
			*out = next;
		} else {
			next = value_cast(l, e, QD_TYPE_U32, next);
			if (i && ok) {
				*out = value_apply2(l, e, OP_MUL, *out,
						    value_const(QD_TYPE_U32, a->dims[i]));
				next = value_apply2(l, e, OP_ADD, *out, next);
			}
			*out = next;
		}
	}
	return ok;
}

static struct value
index_value(struct lower *l, const struct node *n)
{
	struct binding *found = lower_array(l, n->a), a;
	struct value index, other = value_error;

	if (!found)
		return value_error;
	a = *found;
	if (!lower_index(l, n, &a, &index))
		index = value_error;
	if (n->c && a.n_dims)
		return value_refuse(l, n->c, DIAG_E0364);
	if (n->c)
		other = lower_expr(l, n->c, type_info[a.type].wide);
	if (a.table && index.kind == V_CONST && (!n->c || other.kind == V_CONST))
		return table_element(a.table, index.bits, n->c ? &other : NULL);
	if (a.table && l->b && !table_declare(l, n, found))
		return value_error;
	a.array = found->array;
	return lower_load(l, n, &a, index, n->c ? &other : NULL);
}

/* -- Operators ------------------------------------------------------------------------- */

struct value
lower_condition(struct lower *l, const struct node *n)
{
	return value_truth(l, n, lower_expr(l, n, QD_TYPE_NONE));
}

static bool
is_literal(const struct node *n)
{
	return n->kind == N_INT || n->kind == N_FLOAT;
}

static uint32_t
weight(const struct lower *l, const struct node *n)
{
	uint32_t w = 0;
	const struct node *f = n->a;
	struct meaning m;

	for (; n->kind == N_BINARY; f = (n = n->a)->a) {
		w |= weight(l, n->b);
		if ((n->op == T_DIV || n->op == T_REM) && !is_literal(n->b))
			w |= WEIGHT_DIVIDES;
	}
	switch (n->kind) {
	case N_CALL:
		/* A cast, a built-in function, or a primitive that only gives a number. */
		m.is = f->kind == N_NAME ? scope_find(l, f->sym).is : M_NOTHING;
		if (scope_is_imported(l, f))
			return WEIGHT_ACTS;
		if (f->kind == N_MEMBER)
			w |= weight(l, f);
		else if (m.is != B_TYPE && m.is != M_MATH)
			return WEIGHT_ACTS;
		else if (f->sym == W_floordiv || f->sym == W_floormod)
			w |= WEIGHT_DIVIDES;
		for (const struct node *a = n->b; a && !(w & WEIGHT_ACTS); a = a->next)
			w |= weight(l, a);
		return w;
	case N_UNARY: return w | weight(l, f);
	case N_BITCAST: return w | weight(l, n->b);
	case N_NAME:
		m = scope_find(l, n->sym);
		return m.is == B_VAR || (m.is == B_VALUE && !m.local->value.known)
			       ? w | WEIGHT_VARIES
			       : w;
	case N_MEMBER:
		m.is = f->kind == N_NAME ? scope_find(l, f->sym).is : M_NOTHING;
		if (m.is == M_FILE)
			return w;
		return w | (m.is == M_GROUP ? primitive_weight(l, n) : WEIGHT_VARIES);
	default: return n->kind <= N_BOOL ? w : WEIGHT_ACTS;
	}
}

/* Returns whether the expression may be evaluated even if its result is not needed. A
 * division may if all operands are constant when the kernel runs. */
static bool
is_harmless(const struct lower *l, const struct node *n)
{
	uint32_t w = weight(l, n);

	return !(w & WEIGHT_ACTS) && w != (WEIGHT_VARIES | WEIGHT_DIVIDES);
}

/* a && right, a || right. Evaluates the right side only if the left one does not determine the result. */
static struct value
logical(struct lower *l, const struct node *n, struct value a)
{
	bool is_and = n->op == T_ANDAND, settled, harmless;
	struct value both[2], cond;
	struct qd_var var = { 0 };

	a = value_truth(l, n->a, a);
	settled = a.kind == V_CONST;
	if (settled && (a.bits != 0) == is_and)
		return lower_condition(l, n->b);
	harmless = !l->b || l->in_operator || is_harmless(l, n->b);
	if (!harmless) {
		lower_at(l, n);
		var = qd_var(l->b, value_emit(l, &a));
		cond = is_and ? a : value_apply(l, n, OP_NOT, &a, 1);
		qd_if(l->b, value_emit(l, &cond));
	}
	l->n_dead += settled;
	both[0] = a;
	both[1] = lower_condition(l, n->b);
	l->n_dead -= settled;
	if (!harmless) {
		qd_set(l->b, var, value_emit(l, &both[1]));
		qd_end(l->b);
		lower_at(l, n);
	}
	if (both[0].kind == V_ERROR || both[1].kind == V_ERROR)
		return value_error;
	if (harmless)
		return settled ? a : value_apply(l, n, is_and ? OP_AND : OP_OR, both, 2);
	return settled ? a : value_dyn(QD_TYPE_BOOL, qd_get(l->b, var));
}

static struct value
combine(struct lower *l, const struct node *n, struct value a, struct value b)
{
	struct value v[2] = { a, b }, r;
	bool adapts = n->op != T_SHL && n->op != T_SHR && adapt_pair(l, n, v);

	a = v[0];
	b = v[1];
	if (n->op == T_GT || n->op == T_GE) {
		/* Report the types in the order of the text. */
		if (a.kind && b.kind && a.type != b.type) {
			lower_mixed(l, a.type, n->a, b.type, n->b);
			return value_refuse(l, n, DIAG_E0301, type_info[a.type].name,
					    type_info[b.type].name);
		}
		v[0] = b;
		v[1] = a;
	}
	r = value_apply(l, n, (enum op)marks[n->op].op, v, 2);
	if ((v[0].is_difference || v[1].is_difference) && n->op != T_EQ && n->op != T_NE && r.type == QD_TYPE_BOOL && !l->n_dead)
		lower_warn(l, n, DIAG_W0306);
	return adapts ? adapt_result(l, n, r) : r;
}

/* Lowers a << n->b and a >> n->b. A value that adapts is shifted exactly by a constant. */
static struct value
shift(struct lower *l, const struct node *n, struct value a, qd_type want)
{
	struct value b = lower_adapting(l, n->b, QD_TYPE_U32);
	bool adapts;

	b = adapt_to(l, n->b, b, b.kind == V_CONST ? QD_TYPE_U32 : QD_TYPE_I32);
	adapts = a.adapts && (b.kind == V_CONST || a.kind != V_CONST) && b.known;
	if (a.adapts && !adapts)
		a = adapt_to(l, n->a ? n->a : n, a, want);
	b = combine(l, n, a, b);
	return adapts ? adapt_result(l, n, b) : b;
}

/* Reports a comparison of an unsigned value with a negative literal. */
static bool
never_equal(struct lower *l, const struct node *n, const struct node *literal, qd_type type)
{
	if (n->op <= T_ANDAND || n->op > T_GE || literal->kind != N_UNARY || literal->op != T_SUB ||
	    literal->a->kind != N_INT || !literal->a->num || !type_is(type, TM_INT) || type_info[type].is_signed)
		return false;
	lower_error(l, n, DIAG_E0335, type_info[type].name, (int)(literal->a->at + literal->a->len - literal->at), l->m->text + literal->at);
	return true;
}

static struct value
operate(struct lower *l, const struct node *n, struct value a, qd_type want)
{
	if (n->op == T_OROR || n->op == T_ANDAND)
		return logical(l, n, adapt_to(l, n->a, a, QD_TYPE_NONE));
	if (n->op == T_SHL || n->op == T_SHR)
		return shift(l, n, a, want);
	if (a.adapts && n->b->flags & F_UNTYPED)
		return combine(l, n, a, adapt_text(l, n->b));
	if (never_equal(l, n, n->b, (qd_type)a.type))
		return value_error;
	return combine(l, n, a, lower_adapting(l, n->b, a.adapts ? QD_TYPE_NONE : a.type));
}

struct value
lower_operation(struct lower *l, const struct node *n, struct value a)
{
	return operate(l, n, a, QD_TYPE_NONE);
}

static qd_type
default_type(uint8_t flags)
{
	return flags & F_FLOAT ? QD_TYPE_F32 : QD_TYPE_I32;
}

/* Lowers the operators at the bottom of a chain that take their type from an operator further up.
 * The first operator that does not adapt has a typed right side, which is lowered first. *at:
 * the leaf; on return, the last node that was lowered. */
static struct value
adapting_start(struct lower *l, const struct node *top, const struct node **at, qd_type hint)
{
	const struct node *n = *at, *up;
	struct value r;

	while (n != top && (n->d->flags & F_UNTYPED))
		n = n->d;
	if (n == top)
		return lower_expr(l, *at, type_is(hint, TM_NUM) ? hint : default_type(top->flags));
	up = n->d;
	*at = n;
	if (up->op <= T_ANDAND || up->op == T_SHL || up->op == T_SHR || (up->b->flags & F_UNTYPED))
		return lower_expr(
			l, n, default_type(up->op > T_ANDAND ? n->flags | up->b->flags : n->flags));
	*at = up;
	r = lower_adapting(l, up->b, QD_TYPE_NONE);
	if (!r.adapts && never_equal(l, up, n, (qd_type)r.type))
		return value_error;
	return combine(l, up, r.adapts ? adapt_text(l, n) : lower_expr(l, n, r.type), r);
}

static struct value
binary_value(struct lower *l, const struct node *top, qd_type want)
{
	const struct node *n = top;
	uint32_t count = 0;
	struct value a;

	for (; n->kind == N_BINARY; n = n->a, count++)
		if (n->op <= T_GE)
			want = QD_TYPE_NONE; /* the operands of a comparison have another type */
	if (!lower_count(l, top, count))
		return value_error;
	a = n->flags & F_UNTYPED ? adapting_start(l, top, &n, want) : lower_adapting(l, n, want);
	while (n != top && !l->stop)
		a = operate(l, n = n->d, a, want);
	return a;
}

static struct value
unary_value(struct lower *l, const struct node *n, qd_type want)
{
	struct value v, r;

	if (n->op == T_SUB && n->a->kind <= N_NAN)
		return value_literal(l, n, want);
	if (n->op == T_NOT) {
		v = lower_condition(l, n->a);
		return value_apply(l, n, OP_NOT, &v, 1);
	}
	v = lower_adapting(l, n->a, want);
	if (n->op == T_TILDE && !value_is(l, n, &v, TM_INT))
		return value_error;
	r = value_apply(l, n, n->op == T_SUB ? OP_NEG : OP_NOT, &v, 1);
	return v.adapts ? adapt_result(l, n, r) : r;
}

static struct value
bitcast_value(struct lower *l, const struct node *n)
{
	qd_type to = scope_type(l, n->a, false), want = QD_TYPE_NONE;

	if (!to)
		return value_error;
	if (n->b->flags & F_INT)
		want = type_unsigned(to);
	else if (n->b->flags & F_FLOAT)
		want = type_info[to].size == 8 ? QD_TYPE_F64 : QD_TYPE_F32;
	return value_bitcast(l, n, to, lower_expr(l, n->b, want));
}

/* A separate function, because results needs a large frame. */
static struct value
call_value(struct lower *l, const struct node *n, qd_type want)
{
	struct results r;

	if (!lower_call(l, n, want, &r))
		return value_error;
	if (r.n == 1)
		return r.v[0];
	if (!r.n)
		l->help.help = "the call returns no value: write it as a statement";
	return value_refuse(l, n, DIAG_E0137, r.n);
}

static struct value
any_value(struct lower *l, const struct node *n, qd_type want)
{
	switch (n->kind) {
	case N_INT:
	case N_FLOAT:
	case N_INF:
	case N_NAN: return value_literal(l, n, want);
	case N_BOOL: return value_const(QD_TYPE_BOOL, n->num);
	case N_NAME: return name_value(l, n);
	case N_UNARY: return unary_value(l, n, want);
	case N_BINARY: return binary_value(l, n, want);
	case N_MEMBER: return member_value(l, n);
	case N_CALL: return call_value(l, n, want);
	case N_INDEX: return index_value(l, n);
	case N_BITCAST: return bitcast_value(l, n);
	case N_STRING:
		return value_refuse(l, n, DIAG_E0127, 6, "string", "a text", "a value");
	default: lower_error(l, n, DIAG_E0137, (unsigned)n->num); return value_error;
	}
}

struct value
lower_adapting(struct lower *l, const struct node *n, qd_type want)
{
	struct value v = value_error;

	if (l->stop || !lower_count(l, n, 1) || !lower_deeper(l, n))
		return v;
	v = any_value(l, n, want);
	depth_leave(&l->depth);
	return l->stop ? value_error : v;
}

struct value
lower_expr(struct lower *l, const struct node *n, qd_type want)
{
	return adapt_to(l, n, lower_adapting(l, n, want), want);
}

/* Returns the type of operands none of which has one. */
static qd_type
common_type(struct lower *l, const struct node *e, uint32_t n)
{
	uint8_t flags = 0;

	for (; n--; e = e->next)
		if ((flags |= e->flags) && !(e->flags & F_UNTYPED) && lower_adapting(l, e, QD_TYPE_NONE).type == QD_TYPE_F64)
			flags |= F_FLOAT;
	return default_type(flags);
}

bool
lower_same(struct lower *l, const struct node *first, uint32_t n, qd_type want, struct value *out)
{
	qd_type type = want;
	const struct node *e = first;
	uint32_t typed = n;
	bool ok = true;

	for (uint32_t i = 0; i < n; i++, e = e->next) {
		if (typed == n && !adapt_is(l, e)) {
			out[i] = lower_expr(l, e, want);
			type = out[i].type;
			typed = i;
		}
	}
	if (typed == n && !type_is(want, TM_NUM))
		type = common_type(l, first, n);
	e = first;
	for (uint32_t i = 0; i < n; i++, e = e->next) {
		if (i != typed)
			out[i] = lower_expr(l, e, type);
		ok = ok && out[i].kind != V_ERROR;
	}
	return ok;
}

bool
lower_values(struct lower *l, const struct node *first, const uint8_t *want, uint32_t n_want,
	     struct results *out)
{
	if (!first->next && first->kind == N_CALL)
		return lower_call(l, first, n_want == 1 ? want[0] : QD_TYPE_NONE, out);
	out->n = 0;
	for (const struct node *e = first; e; e = e->next) {
		if (out->n == MAX_VALUES)
			return lower_error(l, e, DIAG_E0139, MAX_VALUES);
		out->v[out->n] = lower_expr(l, e, out->n < n_want ? want[out->n] : QD_TYPE_NONE);
		out->n++;
	}
	return true;
}
