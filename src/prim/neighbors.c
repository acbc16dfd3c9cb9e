/* Loads of neighboring elements of a buffer, which share a bounds test.
 *
 * Loads at i + c, for one i and constants c, follow each other in one instruction list, without loops or jumps
 * between them. The first of them appends all: without tests if the smallest index does not exceed the greatest one, which then
 * has not wrapped, and the greatest is below the length; else each with its own test. The buffer is not
 * written during the launch, so the loads may be made early. */
#include "prim.h"

enum {
	MAX_TERMS = 6,	/* of an index */
	SUMS = 24,	/* operations between an index and a term */
	MAX_LOADS = 16, /* of a group */
	MAX_APART = 8,	/* elements of a group: they occupy registers from the first load on */
	LEAST_APART = 3,
	WINDOW = 64,	/* instructions of the input from the first load to the last */
	ALIKE = 4	/* operations that two terms may consist of, one in another */
};

/* An index: the sum of terms times factors, and of a constant, modulo 2^32. */
struct sum {
	uint32_t term[MAX_TERMS], factor[MAX_TERMS];
	uint32_t n, add;
};

struct group {
	uint32_t load[MAX_LOADS], which[MAX_LOADS], n; /* of the input; the element of `apart` of each */
	uint32_t apart[MAX_APART], n_apart; /* distances from the first index, modulo 2^32 */
	int64_t least, most; /* of `apart`, as signed numbers */
};

/* -- Finding neighbors ------------------------------------------------------------------ */

/* Returns the constant that an operation multiplies its operand a by; 0: it does not. */
static uint32_t
factor_of(const struct ir *in, const struct ins *s)
{
	if ((s->op != OP_MUL && s->op != OP_SHL) || in->ins[s->b].op != OP_CONST || !type_is((qd_type)s->type, TM_I32))
		return 0;
	return s->op == OP_MUL ? in->ins[s->b].a : UINT32_C(1) << (in->ins[s->b].a & 31);
}

/* Adds value v of the input times a factor. Returns false if the sum has too many terms. */
static bool
add_term(const struct ir *in, struct sum *s, uint32_t v, uint32_t factor, uint32_t depth)
{
	const struct ins *i = &in->ins[v];
	const uint32_t by = factor_of(in, i);

	if (i->op == OP_CONST) {
		s->add += i->a * factor;
		return true;
	}
	if (depth-- && s->n < MAX_TERMS) {
		if (i->op == OP_BITCAST && type_is((qd_type)in->ins[i->a].type, TM_I32))
			return add_term(in, s, i->a, factor, depth);
		if (by)
			return add_term(in, s, i->a, by * factor, depth);
		if (i->op == OP_ADD || i->op == OP_SUB)
			return add_term(in, s, i->a, factor, depth) &&
			       add_term(in, s, i->b, i->op == OP_SUB ? 0 - factor : factor, depth);
	}
	if (s->n == MAX_TERMS)
		return false;
	s->term[s->n] = v;
	s->factor[s->n++] = factor;
	return true;
}

static bool
is_alike(const struct ir *in, uint32_t u, uint32_t v, uint32_t depth)
{
	const struct ins *s = &in->ins[u], *t = &in->ins[v];

	if (u == v)
		return true;
	if (!depth-- || s->op != t->op || s->type != t->type || s->x != t->x)
		return false;
	if (s->op == OP_CONST)
		return const_bits(s) == const_bits(t);
	if (s->op == OP_PARAM || s->op == OP_LEN)
		return true;
	return op_info[s->op].is_alu && is_alike(in, s->a, t->a, depth) && is_alike(in, s->b, t->b, depth) &&
	       is_alike(in, s->c, t->c, depth);
}

bool
neighbors_are_alike(const struct ir *in, uint32_t u, uint32_t v)
{
	return is_alike(in, u, v, ALIKE);
}

/* Returns whether two sums differ by their constants only. */
static bool
has_same_terms(const struct ir *in, const struct sum *a, const struct sum *b)
{
	uint32_t used = 0, j;

	if (a->n != b->n)
		return false;
	for (uint32_t i = 0; i < a->n; i++) {
		for (j = 0; j < b->n; j++)
			if (!(used >> j & 1) && (a->factor[i] == b->factor[j] || !PRIM_RULE(SAME_FACTOR)) && is_alike(in, a->term[i], b->term[j], ALIKE))
				break;
		if (j == b->n)
			return false;
		used |= 1u << j;
	}
	return true;
}

static bool
may_join(const struct lg *l, const struct ins *s, uint32_t memory)
{
	return s->op == OP_LOAD && s->x == memory && s->attr & ATTR_GUARD && !s->b && !s->c &&
	       l->w.in->ins[s->a].type == QD_TYPE_U32;
}

/* Returns whether all distances of a group and `apart` can be constants of instructions. */
static bool
is_near(const struct group *g, uint32_t apart)
{
	const int64_t by = (int32_t)apart;

	return (by > g->most ? by : g->most) - (by < g->least ? by : g->least) <= MAX_NEAR;
}

/* Adds load i of the input, which is `apart` from the first. Returns false if the group has too many. */
static bool
join(struct group *g, uint32_t i, uint32_t apart)
{
	const int64_t by = (int32_t)apart;
	uint32_t same = 0;

	while (same < g->n_apart && g->apart[same] != apart)
		same++;
	if (g->n == MAX_LOADS || same == MAX_APART)
		return false;
	if (same == g->n_apart)
		g->apart[g->n_apart++] = apart;
	g->load[g->n] = i;
	g->which[g->n++] = same;
	g->least = by < g->least ? by : g->least;
	g->most = by > g->most ? by : g->most;
	return true;
}

static void
find_group(const struct lg *l, uint32_t first, struct group *g)
{
	const struct ir *in = l->w.in;
	const uint32_t memory = in->ins[first].x, end = first + WINDOW < in->n ? first + WINDOW : in->n;
	struct sum base = { .n = 0 };

	*g = (struct group){ .n = 0 };
	join(g, first, 0);
	if (!add_term(in, &base, in->ins[first].a, 1, SUMS))
		return;
	for (uint32_t i = first + 1, depth = 0; i < end; i++) {
		const enum flow_kind flow = (enum flow_kind)op_flow[in->ins[i].op];
		struct sum other = { .n = 0 };
		uint32_t apart;

		if (in->ins[i].op == OP_LOOP || (flow == FLOW_JUMP && PRIM_RULE(JUMP)) || (!depth && flow > FLOW_OPEN))
			return;
		depth += flow == FLOW_OPEN;
		depth -= flow == FLOW_CLOSE;
		if ((depth && PRIM_RULE(ARM)) || !may_join(l, &in->ins[i], memory) || !add_term(in, &other, in->ins[i].a, 1, SUMS) ||
		    (!has_same_terms(in, &base, &other) && PRIM_RULE(SAME_TERMS)))
			continue;
		apart = other.add - base.add;
		if ((is_near(g, apart) || !PRIM_RULE(NEAR)) && !join(g, i, apart))
			return;
	}
}

/* -- Appending -------------------------------------------------------------------------- */

bool
neighbors_is_invariant(const struct lg *l, uint32_t v)
{
	const struct appender *o = &l->w.o;

	for (uint32_t d = o->n_open; d-- > 0;)
		if (o->ir->ins[o->open[d]].op == OP_LOOP)
			return v < o->open[d] || o->ir->ins[v].op == OP_CONST;
	return false;
}

/* Returns the condition under which all indices are in range; 0: always. */
static uint32_t
shared_test(struct lg *l, const struct group *g, uint32_t index, uint32_t len)
{
	const struct range r = range_of(l, index);
	const bool wraps = r.lo + g->least < 0 || r.hi + g->most > UINT32_MAX;
	uint32_t most = lg_imm(l, OP_ADD, index, (uint32_t)g->most), least, in;

	if (!wraps && fact_is_less(l, most, len, 0))
		return 0;
	in = lg_cmp(l, OP_LT, PRIM_RULE(GREATEST) ? most : index, len);
	if (!wraps || !PRIM_RULE(LEAST))
		return in;
	least = lg_imm(l, OP_ADD, index, (uint32_t)g->least);
	return lg_bin(l, OP_AND, in, lg_cmp(l, OP_LE, least, most));
}

/* Returns whether a load gives the element without a conversion by other operations. */
static bool
element_is_plain(const struct lg *l, uint32_t memory)
{
	const qd_type t = (qd_type)l->p->mems[memory].type;

	return t != QD_TYPE_F16 && t != QD_TYPE_BF16;
}

/* Appends the loads of a group, in an arm where all indices are in range, or (len) with a test each. */
static void
append_loads(struct lg *l, const struct group *g, uint32_t memory, uint32_t index, uint32_t len, uint32_t *v,
	     const uint32_t *var)
{
	const bool near = l->m->caps & CAP_NEAR && !len && element_is_plain(l, memory);
	const uint32_t least = near ? lg_imm(l, OP_ADD, index, (uint32_t)g->least) : 0;

	for (uint32_t i = 0; i < g->n_apart && !lg_failed(l); i++) {
		struct ins load = { .a = least, .x = memory };

		if (near)
			load.attr = (uint16_t)(ATTR_NEAR | (g->apart[i] - (uint32_t)g->least) << ATTR_NEAR_AT);
		else
			load.a = lg_imm(l, OP_ADD, index, g->apart[i]);
		if (len && PRIM_RULE(OWN_TEST))
			load.c = lg_cmp(l, OP_LT, load.a, len);
		else
			load.attr |= ATTR_HERE;
		v[i] = prim_load(l, load);
		if (var)
			rw_set(&l->w, var[i], v[i]);
	}
}

bool
neighbors_load(struct lg *l, uint32_t first)
{
	const struct ins *s = &l->w.in->ins[first];
	const struct memory *mem = &l->p->mems[s->x];
	const uint32_t index = l->w.map[s->a];
	uint32_t v[MAX_APART], var[MAX_APART], len, test, zero;
	struct group g;

	if (!(l->m->caps & CAP_SHARED_TESTS) || l->p->opt < OPT_FULL || mem->access != QD_ACCESS_IN ||
	    type_info[mem->type].size > 4 || !may_join(l, s, s->x) || neighbors_is_invariant(l, index))
		return false;
	find_group(l, first, &g);
	if (g.n_apart < LEAST_APART)
		return false;
	len = prim_length(l, s->x);
	test = shared_test(l, &g, index, len);
	if (!test) {
		append_loads(l, &g, s->x, index, 0, v, NULL);
	} else {
		zero = lg_const(l, type_info[mem->type].wide, 0);
		for (uint32_t i = 0; i < g.n_apart && !lg_failed(l); i++) {
			var[i] = rw_var(&l->w, zero);
			l->w.o.ir->ins[var[i]].attr = ATTR_UNSET;
		}
		rw_open(&l->w, OP_IF, test);
		append_loads(l, &g, s->x, index, 0, v, var);
		rw_op(&l->w, OP_ELSE, QD_TYPE_NONE, 0, 0, 0);
		append_loads(l, &g, s->x, index, len, v, var);
		rw_close(&l->w);
		for (uint32_t i = 0; i < g.n_apart && !lg_failed(l); i++)
			v[i] = rw_get(&l->w, var[i]);
	}
	for (uint32_t i = 0; i < g.n; i++)
		l->w.map[g.load[i]] = v[g.which[i]];
	return true;
}
