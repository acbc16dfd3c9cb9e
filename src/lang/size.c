/* How many statements code becomes at least, once loops are unrolled and functions
 * inlined: so that what is far too large is refused before it is built.  Only what
 * is seen without lowering counts: bounds that are numbers or names of constants,
 * code that no static if and no jump may leave out. */
#include "lower.h"

enum {
	TOO_MANY = MAX_STATEMENTS + 1,
	MAX_SEEN = 256 /* lists of statements in each other that are looked into */
};

struct measure {
	struct lower *l;
	const struct node *first; /* the innermost statement that is too much */
	uint32_t depth;
};

static uint64_t list_size(struct measure *m, const struct node *list);

/* -- Bounds --------------------------------------------------------------------------- */

static bool
leaf(const struct lower *l, const struct node *n, int64_t *out)
{
	struct meaning m;
	struct value v = value_error;

	if (n->kind == N_INT) {
		*out = (int64_t)(n->num & INT64_MAX);
		return true;
	}
	/* A name that is declared once means the same wherever it means something. */
	if (n->kind != N_NAME || l->m->syms.sym[n->sym].n_declared != 1)
		return false;
	m = scope_find(l, n->sym);
	if (m.is == B_VALUE)
		v = m.local->value;
	else if (m.is == M_CONST && m.global->state == CONST_DONE)
		v = value_const(m.global->type, m.global->num);
	if (v.kind != V_CONST || !type_is(v.type, TM_INT))
		return false;
	*out = v.type == QD_TYPE_I32 ? (int32_t)(uint32_t)v.bits : (int64_t)v.bits;
	return true;
}

/* A number, a name, or one operator on two of these. */
static bool
bound(const struct lower *l, const struct node *n, int64_t *out)
{
	int64_t a, b;

	if (n->kind != N_BINARY)
		return leaf(l, n, out);
	if (!leaf(l, n->a, &a) || !leaf(l, n->b, &b))
		return false;
	if (a < 0 || a > INT32_MAX || b < 0 || b > INT32_MAX)
		return false;
	*out = n->op == T_ADD ? a + b : n->op == T_SUB ? a - b : n->op == T_MUL ? a * b : 0;
	return n->op == T_ADD || n->op == T_SUB || n->op == T_MUL;
}

static uint64_t
rounds(const struct lower *l, const struct node *s)
{
	int64_t from, to, step = 1;
	uint64_t n;

	if (!bound(l, s->a, &from) || !bound(l, s->b, &to) || (s->c && !bound(l, s->c, &step)) ||
	    from >= to || step < 1)
		return 0;
	if (s->d->jumps & (J_BREAK | J_RETURN))
		return 1;
	n = ((uint64_t)to - (uint64_t)from - 1) / (uint64_t)step + 1;
	return n < TOO_MANY ? n : TOO_MANY;
}

/* -- Code ----------------------------------------------------------------------------- */

static uint64_t
function_size(struct measure *m, uint32_t sym)
{
	struct lower *l = m->l;
	const struct node *fn = l->m->globals[sym];
	struct size *size = &l->sizes[sym];

	if (!fn || fn->kind != N_FN || l->m->syms.sym[sym].n_declared != 1)
		return 0;
	if (size->build != l->n_builds) {
		*size = (struct size){ l->n_builds, 0 }; /* for a call from within */
		size->n = (uint32_t)list_size(m, fn->d->a);
	}
	return size->n;
}

/* The calls in an expression, but for those on the right of && and ||. */
static uint64_t
calls_size(struct measure *m, const struct node *n)
{
	uint64_t sum = 0;

	for (; n && (n->flags & F_CALL) && sum < TOO_MANY; n = n->a) {
		if (n->kind == N_CALL && n->a->kind == N_NAME)
			sum += function_size(m, n->a->sym);
		if (n->kind == N_BINARY && n->op <= T_ANDAND)
			continue;
		for (const struct node *b = n->b; b; b = b->next)
			sum += calls_size(m, b);
		sum += calls_size(m, n->c);
	}
	return sum;
}

static uint64_t
loop_size(struct measure *m, const struct node *s)
{
	uint64_t n = s->flags & F_STATIC ? rounds(m->l, s) : 1, body;

	if (n == 0)
		return 0;
	body = list_size(m, s->d->a);
	return n * (body ? body : 1);
}

static uint64_t
statement_size(struct measure *m, const struct node *s)
{
	uint64_t n = 1;

	switch (s->kind) {
	case N_LET:
	case N_ASSIGN:
		for (const struct node *e = s->c; e; e = e->next)
			n += calls_size(m, e);
		return n;
	case N_EXPR:
	case N_RETURN:
		for (const struct node *e = s->a; e; e = e->next)
			n += calls_size(m, e);
		return n;
	case N_BLOCK: return n + list_size(m, s->a);
	case N_GRID:
	case N_WHILE: return n + list_size(m, s->b->a);
	case N_FOR: return n + loop_size(m, s);
	case N_IF:
		for (; s && s->kind == N_IF && !(s->flags & F_STATIC); s = s->c)
			n += list_size(m, s->b->a);
		return n + (s && s->kind == N_BLOCK ? list_size(m, s->a) : 0);
	default: return n;
	}
}

/* May what follows the statement be left out? */
static bool
may_end(const struct node *s)
{
	for (; s && s->kind == N_IF && !(s->flags & F_STATIC); s = s->c)
		if (!s->b->jumps)
			return false;
	if (s && s->kind == N_WHILE)
		return !(s->b->jumps & J_BREAK);
	return s && s->jumps;
}

static uint64_t
list_size(struct measure *m, const struct node *list)
{
	uint64_t sum = 0;

	if (m->depth++ < MAX_SEEN) {
		for (const struct node *s = list; s && sum < TOO_MANY; s = s->next) {
			sum += statement_size(m, s);
			if (sum >= TOO_MANY && !m->first)
				m->first = s;
			if (may_end(s))
				break;
		}
	}
	m->depth--;
	return sum < TOO_MANY ? sum : TOO_MANY;
}

bool
size_check(struct lower *l, const struct node *at, const struct node *list, uint64_t times)
{
	struct measure m = { .l = l };
	uint64_t n = times ? list_size(&m, list) : 0;

	if (times < TOO_MANY && l->n_statements + n * times < TOO_MANY)
		return true;
	lower_too_much(l, m.first ? m.first : at, true);
	return false;
}
