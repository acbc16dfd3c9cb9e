/* Generation of statements. */
#include "program_gen.h"

enum { MAX_NEST = 5, MAX_LOOPS = 3 };

void
stmts_init(struct stmts *l)
{
	l->first = NULL;
	l->tail = &l->first;
}

struct stmt *
stmts_add(struct gen *g, struct stmts *l, enum skind kind)
{
	struct stmt *s = gen_alloc(g->p, sizeof *s);

	s->kind = (uint8_t)kind;
	s->op = OP_PLAIN;
	*l->tail = s;
	l->tail = &s->next;
	g->p->n_stmts++;
	return s;
}

/* -- Simple statements -------------------------------------------------------------- */

static uint16_t
declare_as(struct gen *g, struct stmts *l, struct expr *x, bool is_var, uint32_t same)
{
	struct stmt *s = stmts_add(g, l, S_LET);

	s->n = 1;
	s->flag = is_var;
	s->typed = gen_one_in(g, 2);
	s->e[0] = x;
	s->id[0] = gen_variable(g, x->type);
	gen_show(g, s->id[0], is_var, same);
	return s->id[0];
}

uint16_t
gen_declare(struct gen *g, struct stmts *l, struct expr *x, bool is_var, uint32_t same)
{
	return declare_as(g, l, is_var ? x_varies(g, x) : x, is_var, same);
}

static void
declare(struct gen *g, struct stmts *l)
{
	uint32_t same = gen_any_same(g, 3), flags = gen_flags_same(g, same);
	bool is_var = gen_one_in(g, 2);
	bool is_bool = gen_one_in(g, 6);
	qd_type type = gen_type(g);
	struct expr *x = is_bool ? gen_expr(g, QD_TYPE_BOOL, 2, flags) : gen_value(g, type, flags);

	gen_declare(g, l, x, is_var, same);
}

static void
set_one(struct gen *g, struct stmts *l)
{
	static const uint8_t ops[] = { REF_OP_ADD, REF_OP_SUB, REF_OP_MUL, REF_OP_AND,
				       REF_OP_OR,  REF_OP_XOR, REF_OP_SHL, REF_OP_SHR };
	uint32_t same = gen_any_same(g, 4);
	qd_type type = gen_type(g);
	uint16_t id = gen_pick(g, type, same, true);
	struct stmt *s;

	if (id == NO_VAR)
		return;
	s = stmts_add(g, l, S_SET);
	s->n = 1;
	s->id[0] = id;
	if (!ref_is_float(type) && gen_one_in(g, 2))
		s->op = ops[gen_upto(g, sizeof ops)];
	if (s->op == REF_OP_SHL || s->op == REF_OP_SHR)
		type = QD_TYPE_U32;
	s->e[0] = gen_value(g, type, gen_flags_same(g, same));
	if (s->op == OP_PLAIN)
		s->e[0] = x_varies(g, s->e[0]);
	if (s->op != OP_PLAIN && s->e[0]->kind == X_LITERAL)
		s->e[0]->plain = gen_one_in(g, 2);
}

/* Assigns to two variables at once, possibly exchanging them. */
static void
set_two(struct gen *g, struct stmts *l)
{
	qd_type type = gen_type(g);
	uint16_t a = gen_pick(g, type, false, true), b = gen_pick(g, type, false, true);
	struct stmt *s;

	if (a == NO_VAR || a == b)
		return;
	s = stmts_add(g, l, S_SET);
	s->n = 2;
	s->id[0] = a;
	s->id[1] = b;
	s->e[0] = gen_one_in(g, 2) ? x_var(g, b) : gen_value(g, type, gen_flags(g));
	s->e[1] = gen_one_in(g, 2) ? x_var(g, a) : gen_value(g, type, gen_flags(g));
	if (!ref_is_float(type) && gen_one_in(g, 4)) {
		s->op = gen_one_in(g, 2) ? REF_OP_ADD : REF_OP_XOR;
		gen_has(g, HAS_SET_OP_TWO);
		return;
	}
	s->e[0] = x_varies(g, s->e[0]);
	s->e[1] = x_varies(g, s->e[1]);
}

/* Assigns several results to variables of the same types, or to new names. */
void
gen_take(struct gen *g, struct stmts *l, struct expr *x, const qd_type *types, uint32_t n)
{
	struct stmt *s;
	uint16_t id[MAX_VALUES];
	bool fit = gen_one_in(g, 2);

	for (uint32_t i = 0; i < n && fit; i++) {
		id[i] = gen_pick(g, types[i], false, true);
		for (uint32_t j = 0; j <= i; j++)
			fit = fit && id[i] != NO_VAR && (j == i || id[j] != id[i]);
	}
	s = stmts_add(g, l, fit ? S_SET : S_LET);
	s->n = (uint8_t)n;
	s->e[0] = x;
	s->flag = gen_one_in(g, 2);
	for (uint32_t i = 0; i < n; i++)
		s->id[i] = fit ? id[i] : gen_variable(g, types[i]);
	for (uint32_t i = 0; i < n && !fit; i++)
		gen_show(g, s->id[i], s->flag, false);
}

void
gen_whole_statement(struct gen *g, struct stmts *l)
{
	uint32_t id = gen_upto(g, N_OPER);
	qd_type type = gen_type(g);
	qd_type types[2];
	struct expr *x;

	if (!gen_affords(g, 60))
		return;
	if (gen_one_in(g, 10)) {
		x = gen_sort(g, types);
		x->whole = true;
		x->tile = TILE_FULL;
		gen_take(g, l, x, types, 2);
		return;
	}
	if (!gen_one_in(g, 5)) {
		gen_take(g, l, gen_whole_call(g, type), &type, 1);
		return;
	}
	x = gen_generic(g, id);
	x->whole = true;
	x->tile = TILE_FULL;
	gen_take(g, l, x, opers[id].type, opers[id].k);
}

static void
generic(struct gen *g, struct stmts *l)
{
	static const qd_type words[] = { QD_TYPE_U32, QD_TYPE_U32, QD_TYPE_U32, QD_TYPE_U32 };
	uint32_t id = gen_upto(g, N_OPER);
	qd_type types[2];
	struct expr *x;

	if (!(gen_flags(g) & GEN_LANES) || !gen_affords(g, 60))
		return;
	if (gen_whole(g) && !gen_one_in(g, 4)) {
		gen_whole_statement(g, l);
	} else if (gen_one_in(g, 8)) {
		gen_take(g, l, gen_ballot(g, L_BALLOT128, 1), words, 4);
	} else if (gen_one_in(g, 5)) {
		x = gen_warp_two(g, types);
		gen_take(g, l, x, types, 2);
	} else if (gen_one_in(g, 3)) {
		x = gen_sort(g, types);
		gen_take(g, l, x, types, 2);
	} else {
		gen_take(g, l, gen_generic(g, id), opers[id].type, opers[id].k);
	}
}

void
gen_call_statement(struct gen *g, struct stmts *l)
{
	uint32_t id = g->n_callable ? gen_upto(g, g->n_callable) : 0;
	const struct function *fn;
	struct expr *x;
	struct stmt *s;

	/* Prefers the function with the deepest calls. */
	for (uint32_t i = gen_one_in(g, 2) ? 0 : g->n_callable; i < g->n_callable; i++)
		id = g->p->fn[i].depth > g->p->fn[id].depth ? i : id;
	fn = &g->p->fn[id];
	x = g->n_callable ? gen_call(g, id, 1, gen_flags(g)) : NULL;
	if (!x)
		return;
	if (fn->stores)
		gen_has(g, HAS_FN_STORES);
	if (fn->n_results && gen_one_in(g, 6)) {
		gen_has(g, HAS_IGNORED);
	} else if (fn->n_results) {
		if (fn->n_results > 1)
			gen_has(g, HAS_FN_RESULTS);
		gen_take(g, l, x, fn->result, fn->n_results);
		return;
	}
	s = stmts_add(g, l, S_DO);
	s->e[0] = x;
}

static void
store(struct gen *g, struct stmts *l)
{
	static const uint8_t ops[] = { REF_OP_ADD, REF_OP_XOR, REF_OP_SUB, REF_OP_MUL };
	struct stmt *s;
	uint32_t a = 0;
	struct expr *at, *offset;

	if (g->at == NO_VAR)
		return;
	while (!g->in_kernel && g->f->array[a] != A_ACC)
		a++;
	s = stmts_add(g, l, S_STORE);
	s->id[0] = (uint16_t)(g->in_kernel ? A_ACC : a);
	at = x_var(g, g->at);
	if (gen_one_in(g, 2)) {
		offset = x_literal(g, QD_TYPE_U32, gen_upto(g, 4));
	} else {
		offset = gen_expr(g, QD_TYPE_U32, 1, gen_flags(g));
		offset = x_binary(g, REF_OP_AND, offset, x_literal(g, QD_TYPE_U32, 3));
	}
	at = x_binary(g, REF_OP_ADD, at, offset);
	if (gen_one_in(g, 5)) {
		at = x_cast(g, gen_one_in(g, 2) ? QD_TYPE_I64 : QD_TYPE_I32, at);
		gen_has(g, HAS_WIDE_INDEX);
	}
	s->e[0] = at;
	s->e[1] = gen_expr(g, QD_TYPE_U32, 2, gen_flags(g) | GEN_LITERAL);
	if (gen_one_in(g, 3))
		s->op = ops[gen_upto(g, sizeof ops)];
}

/* Adds assertions and prints. Their operands have no calls, hence no side effects. */
static void
report(struct gen *g, struct stmts *l)
{
	uint32_t n_callable = g->n_callable;
	struct stmt *s = stmts_add(g, l, S_DEBUG);
	bool lanes = gen_flags(g) & GEN_LANES && gen_one_in(g, 2);

	g->n_callable = 0;
	g->in_report = true;
	s->n = (uint8_t)(1 + gen_upto(g, MAX_VALUES));
	s->e[0] = lanes ? gen_lane(g, QD_TYPE_U32, 1, false)
			: gen_expr(g, QD_TYPE_U32, 2, gen_flags(g));
	for (uint32_t i = 1; i < s->n; i++)
		s->e[i] = gen_one_in(g, 4) ? gen_condition(g, gen_flags(g))
					   : gen_expr(g, gen_type(g), 1, gen_flags(g));
	g->n_callable = n_callable;
	g->in_report = false;
	gen_has(g, lanes ? HAS_REPORTED_LANES : HAS_REPORTED);
}

/* -- Constructs -------------------------------------------------------------------------- */

bool
stmts_end(const struct stmt *first, bool by_return)
{
	for (const struct stmt *s = first; s; s = s->next) {
		if (s->kind == S_RETURN ||
		    (!by_return && (s->kind == S_BREAK || s->kind == S_CONTINUE)))
			return true;
		if (s->kind == S_BLOCK && stmts_end(s->body, by_return))
			return true;
		if (s->kind == S_IF && stmts_end(s->body, by_return) &&
		    stmts_end(s->other, by_return))
			return true;
	}
	return false;
}

/* Adds a list in its own scope. jumps: it may end with a jump. */
static struct stmt *
body(struct gen *g, struct stmts *l, uint32_t n, uint32_t depth, bool jumps)
{
	uint32_t mark = gen_scope_open(g);

	gen_statements(g, l, n, depth + 1);
	if (jumps && gen_n_loops(g) && gen_affords(g, 40) && gen_one_in(g, 2))
		gen_ahead(g, l);
	if (jumps && gen_one_in(g, 3) && (DEAD_CODE || !stmts_end(l->first, false)))
		gen_jump(g, l);
	gen_scope_close(g, mark);
	return l->first;
}

static struct stmt *
new_body(struct gen *g, uint32_t depth, bool jumps)
{
	struct stmts l;

	stmts_init(&l);
	return body(g, &l, 1 + gen_upto(g, 3), depth, jumps);
}

static void
branch(struct gen *g, struct stmts *l, uint32_t depth)
{
	struct stmt *s = stmts_add(g, l, S_IF);
	uint32_t same = gen_any_same(g, 2);
	uint32_t arms = gen_one_in(g, 3) ? 1 + gen_upto(g, 3) : 1;

	if (gen_shaped(g) && gen_one_in(g, g->in_kernel ? 12 : 4)) {
		s->flag = true;
		s->e[0] = x_binary(g, REF_OP_GT, x_new(g, X_SHAPE, QD_TYPE_I32, 0),
				   x_literal(g, QD_TYPE_I32, gen_upto(g, 5)));
		gen_has(g, HAS_STATIC_IF);
		gen_open(g, LV_IF, true, true)->whole = true;
		s->body = new_body(g, depth, false);
		s->other = gen_one_in(g, 2) ? new_body(g, depth, false) : NULL;
		g->n_open--;
		return;
	}
	for (uint32_t arm = 0;; arm++) {
		s->e[0] = gen_condition(g, gen_flags_same(g, same));
		gen_open(g, LV_IF, same != SAME_NOWHERE, true)->whole = same == SAME_BLOCK;
		s->body = new_body(g, depth, true);
		if (arm + 1 == arms)
			break;
		/* The next arm's condition is nested in this one. */
		gen_has(g, HAS_ELSE_IF);
		s->other = gen_alloc(g->p, sizeof *s);
		s = s->other;
		s->kind = S_IF;
	}
	if (gen_one_in(g, 2))
		s->other = new_body(g, depth, true);
	g->n_open -= arms;
}

/* Chooses the properties of a loop: calm, or left by some threads. */
static struct level
plan_loop(struct gen *g, enum level_kind kind, bool uniform)
{
	struct level l = { .kind = (uint8_t)kind, .uniform = uniform };

	l.calm = gen_uniform(g) && uniform && !gen_one_in(g, 3);
	l.only_round = CALLS_BEFORE_JUMPS && !l.calm && gen_one_in(g, 2);
	l.whole = l.calm && gen_whole(g) && !gen_one_in(g, 3);
	return l;
}

/* Returns the scope in which a counter of the loop is uniform. */
static enum same
counts_alike(const struct gen *g, const struct level *l)
{
	bool alike = gen_uniform(g) && l->uniform && (l->calm || l->only_round);

	return !alike ? SAME_NOWHERE : l->whole ? SAME_BLOCK : SAME_SUBGROUP;
}

/* Returns the flags of the condition that controls the iterations. */
static uint32_t
flags_of(const struct gen *g, const struct level *l)
{
	return !l->uniform ? 0 : gen_flags_same(g, l->whole ? SAME_BLOCK : SAME_SUBGROUP);
}

static void
open_loop(struct gen *g, const struct level *l, uint32_t rounds)
{
	g->open[g->n_open++] = *l;
	g->rounds *= rounds;
	if (gen_n_loops(g) > 1)
		gen_has(g, HAS_NESTED);
	if (gen_n_loops(g) > 2)
		gen_has(g, HAS_NESTED3);
}

static void
close_loop(struct gen *g, uint32_t rounds)
{
	g->rounds /= rounds;
	g->n_open--;
}

enum { MAX_ROUNDS = 5 };

/* The counter is incremented at the head, so a continue cannot prevent the end of the loop. */
static void
while_loop(struct gen *g, struct stmts *l, uint32_t depth)
{
	struct level plan = plan_loop(g, LV_LOOP, gen_uniform(g) && !gen_one_in(g, 3));
	uint16_t count =
		declare_as(g, l, x_literal(g, QD_TYPE_U32, 0), true, counts_alike(g, &plan));
	struct stmt *s = stmts_add(g, l, S_WHILE), *step;
	struct stmts in;

	/* No other statement sets the counter. */
	g->see[g->n_see - 1].is_var = false;
	gen_has(g, HAS_WHILE);
	open_loop(g, &plan, MAX_ROUNDS);
	s->e[0] = x_binary(g, REF_OP_LT, x_var(g, count),
			   x_literal(g, QD_TYPE_U32, 1 + gen_upto(g, MAX_ROUNDS)));
	if (gen_one_in(g, 2)) {
		struct expr *both = x_new(g, X_AND, QD_TYPE_BOOL, 0);

		both->n = 2;
		both->arg[0] = s->e[0];
		both->arg[1] = gen_condition(g, flags_of(g, &plan));
		s->e[0] = both;
	}
	stmts_init(&in);
	step = stmts_add(g, &in, S_SET);
	step->n = 1;
	step->id[0] = count;
	step->op = REF_OP_ADD;
	step->e[0] = x_literal(g, QD_TYPE_U32, 1);
	s->body = body(g, &in, 1 + gen_upto(g, 4), depth, true);
	close_loop(g, MAX_ROUNDS);
}

static void
for_loop(struct gen *g, struct stmts *l, uint32_t depth)
{
	static const uint8_t types[] = { QD_TYPE_I32, QD_TYPE_U32, QD_TYPE_I32,
					 QD_TYPE_U32, QD_TYPE_I64, QD_TYPE_U64 };
	qd_type type = types[gen_upto(g, g->p->has_u64 ? 6 : 5)];
	bool constant = gen_one_in(g, 2),
	     uniform = constant || (gen_uniform(g) && gen_one_in(g, 2));
	struct level plan = plan_loop(g, LV_LOOP, uniform);
	uint32_t flags = flags_of(g, &plan), mark;
	struct stmt *s = stmts_add(g, l, S_FOR);
	enum same alike = counts_alike(g, &plan);

	gen_has(g, HAS_FOR);
	if (ref_width(type) == 64)
		gen_has(g, HAS_WIDE_LOOP);
	s->id[0] = gen_variable(g, type);
	s->e[0] = x_literal(g, type, gen_upto(g, 3));
	if (type == QD_TYPE_I32)
		s->e[0]->bits = (uint32_t)(0 - s->e[0]->bits);
	else if (type == QD_TYPE_I64)
		s->e[0]->bits = 0 - s->e[0]->bits;
	if (constant) {
		gen_has(g, HAS_SHORT_LOOP);
		s->e[1] = x_literal(g, type, 1 + gen_upto(g, MAX_ROUNDS - 1));
	} else {
		s->e[1] = gen_expr(g, type, 1, flags);
		s->e[1] = x_binary(g, REF_OP_AND, s->e[1], x_literal(g, type, 3));
	}
	if (gen_one_in(g, 3)) {
		s->e[2] = x_literal(g, type, 1 + gen_upto(g, 3));
		gen_has(g, HAS_STEP);
	}
	open_loop(g, &plan, MAX_ROUNDS + 1);
	mark = gen_scope_open(g);
	gen_show(g, s->id[0], false, alike);
	s->body = new_body(g, depth, true);
	gen_scope_close(g, mark);
	close_loop(g, MAX_ROUNDS + 1);
}

static void
unroll(struct gen *g, struct stmts *l, uint32_t depth)
{
	bool shape = gen_shaped(g) && gen_one_in(g, 3);
	uint32_t rounds = shape ? g->p->shape : 1 + gen_upto(g, 4), mark;
	struct level plan = plan_loop(g, LV_UNROLL, true);
	struct stmt *s = stmts_add(g, l, S_FOR);

	/* The next iteration follows the jumps of this one. */
	plan.only_round = plan.only_round && rounds == 1;
	gen_has(g, HAS_UNROLL);
	s->flag = true;
	s->id[0] = gen_variable(g, QD_TYPE_I32);
	g->f->var[s->id[0]].adapts = true;
	s->e[0] = x_literal(g, QD_TYPE_I32, 0);
	s->e[1] = shape ? x_new(g, X_SHAPE, QD_TYPE_I32, 0) : x_literal(g, QD_TYPE_I32, rounds);
	g->inlined *= rounds;
	open_loop(g, &plan, rounds);
	mark = gen_scope_open(g);
	gen_show(g, s->id[0], false, false);
	s->body = new_body(g, depth, true);
	gen_scope_close(g, mark);
	close_loop(g, rounds);
	g->inlined /= rounds;
	if (DEAD_CODE || !stmts_end(s->body, true))
		return;
	/* The loop ends with a return in the first iteration. */
	for (s = s->body; s->next; s = s->next) {
	}
	s->removed = true;
}

static void
construct(struct gen *g, struct stmts *l, uint32_t depth)
{
	bool loops = gen_n_loops(g) < MAX_LOOPS && gen_affords(g, 60);

	if (depth >= 3)
		gen_has(g, HAS_DEPTH4);
	switch (gen_upto(g, 10)) {
	case 0:
		if (loops)
			while_loop(g, l, depth);
		break;
	case 1:
	case 2:
		if (loops)
			for_loop(g, l, depth);
		break;
	case 3:
		if (loops && g->inlined < 4)
			unroll(g, l, depth);
		break;
	case 4:
		if (gen_one_in(g, 3)) {
			struct stmt *s = stmts_add(g, l, S_BLOCK);

			s->body = new_body(g, depth, false);
			break;
		} /* fallthrough */
	case 8:
	case 9: memory_phases(g, l, depth); break;
	default: branch(g, l, depth); break;
	}
}

void
gen_statements(struct gen *g, struct stmts *l, uint32_t n, uint32_t depth)
{
	for (; n > 0 && gen_affords(g, 40) && g->n_see + 12 < MAX_VARS; n--) {
		if (!DEAD_CODE && stmts_end(l->first, false))
			break;
		if (depth < MAX_NEST && g->n_open + 6 < MAX_LEVELS && gen_one_in(g, 3)) {
			construct(g, l, depth);
			continue;
		}
		if (gen_one_in(g, 16)) {
			report(g, l);
			continue;
		}
		switch (gen_upto(g, 22)) {
		case 20:
		case 21: wide_statement(g, l); break;
		case 19: gen_neighbor_loads(g, l); break;
		case 17: gen_tested_load(g, l); break;
		case 18: gen_counted_load(g, l); break;
		case 13:
		case 16: gen_set_bool(g, l); break;
		case 14:
		case 15: gen_ahead(g, l); break;
		case 10:
		case 11:
		case 12: memory_statement(g, l); break;
		case 0: declare(g, l); break;
		case 1: set_two(g, l); break;
		case 2: generic(g, l); break;
		case 3:
		case 4: gen_call_statement(g, l); break;
		case 5:
		case 6: store(g, l); break;
		default: set_one(g, l); break;
		}
	}
}
