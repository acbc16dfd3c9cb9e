/* Accesses to adjacent elements of a buffer or a shared array, which machines with CAP_WIDE move at once.
 *
 * A run is n accesses to elements b to b + n - 1, where b is a multiple of n, a power of two. No operation between
 * them writes the memory, and stores have no operation between them that reads it. The run needs one
 * test, of its last element. If the test fails, each element has a test of its own. Loads are made where the
 * first of the run is, stores where the last is. The back end decides which elements it moves by one instruction. */
#include "prim.h"

enum {
	WINDOW = 96, /* instructions of the input from the first access of a run to the last */
	WIDEST = 16  /* bytes of an instruction */
};

/* An index of an access: base + add, where base is a multiple of 2^log2. `of` is not 0: base is `of` shifted
 * left, or, if that wraps, past the end of every buffer. */
struct index {
	uint32_t base, add, of, log2; /* base, of: of the input; base 0: a constant */
};

/* -- Finding runs ------------------------------------------------------------------------- */

static bool
is_constant(const struct ir *in, uint32_t v, uint64_t bits)
{
	return in->ins[v].op == OP_CONST && const_bits(&in->ins[v]) == bits;
}

/* Recognizes a shifted value that is replaced by the largest index if the shift wraps. */
static bool
parse_limited(const struct ir *in, uint32_t v, struct index *x)
{
	const struct ins *choice = &in->ins[v], *shift = &in->ins[choice->b], *fits = &in->ins[choice->a];

	if (choice->op != OP_SELECT || !is_constant(in, choice->c, UINT32_MAX) || shift->op != OP_SHL ||
	    in->ins[shift->b].op != OP_CONST || fits->op != OP_LT || fits->a != shift->a)
		return false;
	x->log2 = in->ins[shift->b].a & 31;
	x->of = shift->a;
	return x->log2 && is_constant(in, fits->b, UINT64_C(1) << (32 - x->log2));
}

static struct index
parse(const struct ir *in, uint32_t v)
{
	struct index x = { .base = v };
	const struct ins *s = &in->ins[v];
	const bool is_or = s->op == OP_OR;

	if (s->op == OP_CONST)
		return (struct index){ .add = s->a, .log2 = 31 };
	if ((s->op == OP_ADD || is_or) && in->ins[s->b].op == OP_CONST) {
		x.base = s->a;
		x.add = in->ins[s->b].a;
	}
	if (!parse_limited(in, x.base, &x)) {
		x.log2 = ir_zeros(in, x.base);
		x.log2 = x.log2 < 31 ? x.log2 : 31;
	} else if (x.add && !is_or) {
		return (struct index){ .log2 = 0 };
	}
	x.of = PRIM_RULE(WIDE_LIMIT) ? x.of : 0;
	if (is_or && x.add >> x.log2)
		x.log2 = 0;
	return x;
}

bool
adjacent_is_vector(const struct lg *l, uint32_t i)
{
	const struct index x = parse(l->w.in, l->w.in->ins[i].a);

	return l->m->facts && x.base && x.log2;
}

/* Returns the bytes of an element in the legal body. */
static uint32_t
element_size(const struct lg *l, const struct ins *s)
{
	return type_info[l->p->mems[s->x].type].size;
}

/* Returns whether the accesses of a run may move over instruction t. */
static bool
may_pass(const struct ins *s, const struct ins *t)
{
	const enum effect effect = (enum effect)op_info[t->op].effect;

	if (op_flow[t->op] || effect >= EFFECT_ATOMIC || op_has[t->op] & HAS_COPY) /* an atomic may be a fence */
		return false;
	if (effect == EFFECT_WRITE)
		return s->op == OP_LOAD && (t->x != s->x || !PRIM_RULE(WIDE_WRITES));
	return effect != EFFECT_READ || s->op == OP_LOAD || t->x != s->x;
}

/* Keeps the longest run from the first element of the block on, in which a run of loads may lack less than
 * half. Returns false if there is none. */
static bool
trim(struct run *r, uint32_t block, bool loads)
{
	for (r->n = block; r->n > 1; r->n /= 2) {
		uint32_t found = 0;

		r->last = 0;
		for (uint32_t k = 0; k < r->n; k++) {
			found += r->at[k] != 0;
			r->last = r->at[k] > r->last ? r->at[k] : r->last;
		}
		if (loads ? found > r->n / 2 : found == r->n)
			return true;
	}
	return false;
}

static bool
is_in(const struct run *r, uint32_t i)
{
	uint32_t k = 0;

	while (k < r->n && r->at[k] != i)
		k++;
	return k < r->n;
}

/* Returns whether two bases are equal. Where the hardware checks indices, only accesses of one call are merged: other
 * loads and stores take less time one by one than a test, or than moves to consecutive registers. */
static bool
is_same_base(const struct lg *l, uint32_t u, uint32_t v)
{
	return u == v || (!(l->m->caps & CAP_RANGE_CHECKED) && neighbors_are_alike(l->w.in, u, v));
}

/* Finds the run of access i, the first of it that is visited. */
static bool
find(const struct lg *l, uint32_t i, struct run *r)
{
	const struct ir *in = l->w.in;
	const struct ins *s = &in->ins[i];
	const struct index x = parse(in, s->a);
	const uint32_t end = in->n - i > WINDOW ? i + WINDOW : in->n;
	uint32_t block = WIDEST / element_size(l, s), from;

	block = x.log2 < 5 && block > 1u << x.log2 ? 1u << x.log2 : block;
	from = x.add - x.add % block;
	if (block < 2 || (in->ins[s->a].type != QD_TYPE_U32 && in->ins[s->a].op != OP_CONST))
		return false;
	*r = (struct run){ .base = x.base, .from = from, .of = x.of, .log2 = x.log2 };
	for (uint32_t j = i; j < end; j++) {
		const struct ins *t = &in->ins[j];
		struct index y;

		if (s->op == OP_LOAD && t->op == OP_LOAD && l->w.map[j]) /* with an earlier one */
			continue;
		if (t->op == s->op && t->x == s->x && t->c == s->c && t->attr == s->attr && (s->op == OP_STORE || t->b == s->b)) {
			y = parse(in, t->a);
			if (y.log2 != x.log2 || y.add - from >= block || r->at[y.add - from] || !is_same_base(l, y.base, x.base)) {
				if (s->op == OP_STORE)
					break;
				continue;
			}
			r->at[y.add - from] = j;
		} else if (!may_pass(s, t)) {
			break;
		}
	}
	if (!trim(r, block, s->op == OP_LOAD))
		return false;
	return is_in(r, i);
}

/* -- Appending -------------------------------------------------------------------------------- */

/* Returns the index of the first element, where it does not wrap. */
static uint32_t
first_index(struct lg *l, const struct run *r)
{
	uint32_t base;

	if (!r->base)
		return lg_u32(l, r->from);
	base = r->of ? lg_imm(l, OP_SHL, l->w.map[r->of], r->log2) : l->w.map[r->base];
	return r->from ? lg_imm(l, OP_ADD, base, r->from) : base;
}

/* Returns the index of element k everywhere. */
static uint32_t
index_of(struct lg *l, const struct run *r, uint32_t k)
{
	uint32_t base = r->base ? l->w.map[r->base] : 0;

	if (!r->base)
		return lg_u32(l, r->from + k);
	return r->from + k ? lg_imm(l, r->of ? OP_OR : OP_ADD, base, r->from + k) : base;
}

/* Returns the condition under which all elements are accessed; 0: always. *proved: the guard holds for all if the
 * access is made. */
static uint32_t
shared_test(struct lg *l, const struct run *r, const struct ins *s, bool *proved)
{
	const uint32_t where = l->w.map[s->c];
	uint32_t index, len, in;

	*proved = true;
	if (!(s->attr & ATTR_GUARD))
		return where;
	len = prim_length(l, s->x);
	if (r->of) {
		index = l->w.map[r->of];
		len = lg_imm(l, OP_SHR, len, r->log2);
	} else {
		index = lg_imm(l, OP_ADD, first_index(l, r), PRIM_RULE(WIDE_LAST) ? r->n - 1 : 0);
	}
	if (fact_is_less(l, index, len, where) || !PRIM_RULE(WIDE_TEST))
		return where;
	*proved = false;
	in = lg_cmp(l, OP_LT, index, len);
	return where ? lg_bin(l, OP_AND, in, where) : in;
}

/* Returns the access to element k, without an operand b; c is its condition. */
static struct ins
near_access(const struct ins *s, uint32_t first, uint32_t k, uint32_t c)
{
	return (struct ins){ .a = first, .c = c, .x = s->x,
			     .attr = (uint16_t)(ATTR_NEAR | k << ATTR_NEAR_AT | (s->attr & ATTR_GUARD ? ATTR_HERE : 0)) };
}

/* Returns the access to element k with its own test. */
static struct ins
own_access(struct lg *l, const struct run *r, const struct ins *s, uint32_t k, uint32_t other)
{
	struct ins own = { .a = index_of(l, r, k), .b = other, .c = l->w.map[s->c], .x = s->x };

	if (l->m->caps & CAP_RANGE_CHECKED && !(s->op == OP_LOAD && other))
		return own;
	uint32_t in = lg_cmp(l, OP_LT, own.a, prim_length(l, s->x));
	own.c = own.c ? lg_bin(l, OP_AND, in, own.c) : in;
	return own;
}

/* Returns whether the last element is past the end wherever the shared test fails. */
static bool
lacks_last(const struct lg *l, const struct run *r, const struct ins *s)
{
	return !l->w.map[s->c] && (!r->of || r->n == 1u << r->log2);
}

/* Appends the loads of elements in an arm, and sets variables to them. */
static void
load_in_arm(struct lg *l, const struct run *r, const struct ins *s, bool all, uint32_t other, const uint32_t *var)
{
	const uint32_t first = all ? first_index(l, r) : 0;
	const uint32_t end = all || !lacks_last(l, r, s) ? r->n : r->n - 1;
	uint32_t v[MOST_RUN] = { 0 };

	v[r->n - 1] = other ? other : lg_const(l, (qd_type)s->type, 0);
	for (uint32_t k = 0; k < end && !lg_failed(l); k++)
		if (r->at[k] || all)
			v[k] = prim_load(l, all ? near_access(s, first, k, 0) : own_access(l, r, s, k, other));
	for (uint32_t k = 0; k < r->n && !lg_failed(l); k++)
		if (r->at[k])
			rw_set(&l->w, var[k], v[k]);
}

/* Maps the loads to variables that two arms set. */
static void
load_by_arms(struct lg *l, const struct run *r, const struct ins *s, uint32_t test)
{
	const uint32_t zero = lg_const(l, (qd_type)s->type, 0), other = l->w.map[s->b];
	uint64_t bits;
	uint32_t var[MOST_RUN] = { 0 };

	for (uint32_t k = 0; k < r->n && !lg_failed(l); k++) {
		if (!r->at[k])
			continue;
		var[k] = rw_var(&l->w, zero);
		l->w.o.ir->ins[var[k]].attr = ATTR_UNSET;
	}
	rw_open(&l->w, OP_IF, test);
	load_in_arm(l, r, s, true, 0, var);
	rw_op(&l->w, OP_ELSE, QD_TYPE_NONE, 0, 0, 0);
	load_in_arm(l, r, s, false, rw_is_const(&l->w, other, &bits) && !bits ? 0 : other, var);
	rw_close(&l->w);
	for (uint32_t k = 0; k < r->n && !lg_failed(l); k++)
		if (r->at[k])
			l->w.map[r->at[k]] = rw_get(&l->w, var[k]);
}

static bool
may_be_wide(const struct lg *l)
{
	return l->m->caps & CAP_WIDE && l->p->opt == OPT_FULL;
}

bool
adjacent_load(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	struct run r;
	uint32_t test, first;
	bool proved;

	if (!may_be_wide(l) || l->p->mems[s->x].space == SPACE_TABLE || !prim_moves(l, OP_LOAD, s->x) || !find(l, i, &r))
		return false;
	test = shared_test(l, &r, s, &proved);
	if (!proved) {
		/* A load that the hardware checks takes less time than two arms. */
		if (l->m->caps & CAP_RANGE_CHECKED || neighbors_is_invariant(l, l->w.map[s->a]))
			return false;
		load_by_arms(l, &r, s, test);
		return true;
	}
	first = first_index(l, &r);
	for (uint32_t k = 0; k < r.n && !lg_failed(l); k++) {
		struct ins load = near_access(s, first, k, test);

		load.b = test ? l->w.map[s->b] : 0;
		if (r.at[k])
			l->w.map[r.at[k]] = prim_load(l, load);
	}
	return true;
}

/* Appends the stores, without others between them. */
static void
store_all(struct lg *l, const struct run *r, const struct ins *s, uint32_t where)
{
	const uint32_t first = first_index(l, r);
	struct ins store[MOST_RUN];

	for (uint32_t k = 0; k < r->n && !lg_failed(l); k++) {
		store[k] = near_access(s, first, k, where);
		store[k].b = l->w.map[l->w.in->ins[r->at[k]].b];
		prim_narrow_store(l, &store[k]);
	}
	for (uint32_t k = 0; k < r->n && !lg_failed(l); k++)
		lg_push(l, store[k]);
}

/* Appends the first stores, each with its own test. */
static void
store_each(struct lg *l, const struct run *r, const struct ins *s, uint32_t end)
{
	for (uint32_t k = 0; k < end && !lg_failed(l); k++) {
		struct ins own = own_access(l, r, s, k, 0);

		own.b = l->w.map[l->w.in->ins[r->at[k]].b];
		prim_store(l, own);
	}
}

static void
store_run(struct lg *l, const struct run *r, const struct ins *s)
{
	bool proved;
	const uint32_t test = shared_test(l, r, s, &proved);

	if (proved) {
		store_all(l, r, s, test);
	} else if (l->m->caps & CAP_RANGE_CHECKED && r->n * element_size(l, s) < WIDEST) {
		store_each(l, r, s, r->n);
	} else {
		rw_open(&l->w, OP_IF, test);
		store_all(l, r, s, 0);
		rw_op(&l->w, OP_ELSE, QD_TYPE_NONE, 0, 0, 0);
		store_each(l, r, s, lacks_last(l, r, s) ? r->n - 1 : r->n);
		rw_close(&l->w);
	}
}

bool
adjacent_store(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];

	if (i > l->run.last && !(may_be_wide(l) && prim_moves(l, OP_STORE, s->x) && find(l, i, &l->run))) {
		l->run.last = 0;
		return false;
	}
	if (!is_in(&l->run, i)) /* another element of the block */
		return false;
	if (i == l->run.last)
		store_run(l, &l->run, s);
	return true;
}
