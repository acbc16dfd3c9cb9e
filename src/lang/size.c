/* Computes a lower bound of the statements after unrolling and inlining. Code that is much too
 * large is then rejected before it is built. It only counts what is certain without lowering:
 * bounds that are numbers or names of constants, and code that no static if and no jump can
 * skip. */
#include "lower.h"

enum {
	TOO_MANY = MAX_STATEMENTS + 1,
	MAX_SEEN = 256 /* nested lists that are examined */
};

struct measure {
	struct lower *l;
	const struct node *first; /* the innermost statement that exceeds the limit */
	uint32_t depth;
};

static uint64_t size(struct measure *m, const struct node *n);

/* Evaluates a bound that is a number, or a name that is declared only once and so has the same
 * meaning wherever it is visible. */
static bool
bound(const struct lower *l, const struct node *n, int64_t *out)
{
	struct meaning m;
	struct value v = value_const(QD_TYPE_I64, n->num);

	if (n->kind == N_NAME && l->m->syms.sym[n->sym].n_declared == 1) {
		m = scope_find(l, n->sym);
		v = m.is == B_VALUE ? m.local->value : value_error;
		if (m.is == M_CONST && m.global->state == CONST_DONE)
			v = value_const(m.global->type, m.global->num);
	} else if (n->kind != N_INT) {
		return false;
	}
	*out = v.type == QD_TYPE_I32 ? (int32_t)(uint32_t)v.bits : (int64_t)v.bits;
	return v.kind == V_CONST && type_is(v.type, TM_INT);
}

static uint64_t
rounds(const struct lower *l, const struct node *s)
{
	int64_t from, to, step = 1;
	uint64_t n;

	if (!(s->flags & F_STATIC))
		return 1;
	if (!bound(l, s->a, &from) || !bound(l, s->b, &to) || (s->c && !bound(l, s->c, &step)) ||
	    from >= to || step < 1)
		return 0;
	if (s->d->jumps & (J_BREAK | J_RETURN))
		return 1;
	n = ((uint64_t)to - (uint64_t)from - 1) / (uint64_t)step + 1;
	return n < TOO_MANY ? n : TOO_MANY;
}

static uint64_t
function_size(struct measure *m, const struct node *callee)
{
	struct lower *l = m->l;
	const struct node *fn = callee->kind == N_NAME ? global_find(l->m, l->file, callee->sym) : scope_named(l, callee).global;
	struct size *s;

	if (!fn || fn->kind != N_FN || l->m->syms.sym[callee->sym].n_declared != 1)
		return 0;
	s = &lower_symbol(l, fn->sym)->size;
	if (s->build != l->n_builds) {
		*s = (struct size){ l->n_builds, 0 }; /* for a recursive call */
		s->n = (uint32_t)size(m, fn->d->a);
	}
	return s->n;
}

/* Returns whether the statement may skip those after it. */
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

/* Returns the size of one node: a statement and its contents, or the calls in an expression,
 * except those on the right of && and ||. */
static uint64_t
node_size(struct measure *m, const struct node *n)
{
	uint64_t sum = n->kind >= N_LET, body, times;

	for (; n->kind == N_BINARY; n = n->a)
		sum += n->op > T_ANDAND ? size(m, n->b) : 0;
	sum += size(m, n->a);
	if (n->kind == N_FOR) {
		if ((times = rounds(m->l, n)))
			body = size(m, n->d->a);
		return times ? sum + times * (body ? body : 1) : sum;
	}
	if (n->kind == N_IF && (n->flags & F_STATIC))
		return sum;
	if (n->kind == N_CALL)
		sum += function_size(m, n->a);
	sum += size(m, n->b);
	return sum + size(m, n->c);
}

/* Returns the size of a list, up to where it may end early. */
static uint64_t
size(struct measure *m, const struct node *n)
{
	uint64_t sum = 0;

	if (depth_enter(&m->depth, MAX_SEEN)) {
		for (; n && sum < TOO_MANY; n = n->next) {
			sum += node_size(m, n);
			if (sum >= TOO_MANY && !m->first && n->kind >= N_LET)
				m->first = n;
			if (n->kind >= N_LET && may_end(n))
				break;
		}
		depth_leave(&m->depth);
	}
	return sum < TOO_MANY ? sum : TOO_MANY;
}

bool
size_check(struct lower *l, const struct node *at, const struct node *list, uint64_t times)
{
	struct measure m = { .l = l };
	uint64_t n = times ? size(&m, list) : 0;

	if (times < TOO_MANY && l->n_statements + n * times < TOO_MANY)
		return true;
	lower_too_much(l, m.first ? m.first : at, true);
	return false;
}
