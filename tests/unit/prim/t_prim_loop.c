/* Loops rewritten to exit at their head. They must compute the same as the original, on random
 * programs, and loops in this form must not change. */
#include "t_prim.h"

#include <stdio.h>

enum { N_VAR = 4, DEPTH = 5 };

struct program {
	struct qd_builder *b;
	struct unit_rng rng;
	struct qd_var var[N_VAR];
	uint32_t left;	 /* statements still allowed */
	uint32_t n_loop; /* open loops */
};

static uint32_t
pick(struct program *p, uint32_t n)
{
	return (uint32_t)(unit_random(&p->rng) % n);
}

static struct qd_val
any_value(struct program *p)
{
	if (pick(p, 4) == 0)
		return qd_u32(p->b, pick(p, 7));
	return qd_get(p->b, p->var[pick(p, N_VAR)]);
}

static struct qd_val
expression(struct program *p)
{
	struct qd_val x = any_value(p), y = any_value(p);

	switch (pick(p, 5)) {
	case 0: return qd_add(p->b, x, y);
	case 1: return qd_xor(p->b, x, qd_shl(p->b, y, qd_u32(p->b, pick(p, 5))));
	case 2: return qd_mul(p->b, x, qd_u32(p->b, 3 + 2 * pick(p, 9)));
	case 3: return qd_rem(p->b, x, y);
	default: return qd_add(p->b, x, kit_thread(p->b));
	}
}

static struct qd_val
condition(struct program *p)
{
	struct qd_val x = expression(p);

	x = qd_and(p->b, x, qd_u32(p->b, 7));
	return qd_lt(p->b, x, qd_u32(p->b, pick(p, 8)));
}

static void statements(struct program *p, uint32_t depth, bool *jumped);

/* Emits a loop that ends after at most six iterations: at its head, in its middle, or by a break
 * under an if. An iteration may continue without losing the count. */
static void
loop(struct program *p, uint32_t depth)
{
	struct qd_builder *b = p->b;
	struct qd_var count = qd_var(b, qd_u32(b, 0));
	uint32_t kind = pick(p, 3);
	bool jumped = false;

	qd_loop(b);
	p->n_loop++;
	struct qd_val n = qd_get(b, count), x = n;
	struct qd_val last = qd_lt(b, qd_u32(b, pick(p, 6)), n);
	if (kind == 0)
		qd_break_if(b, last);
	qd_set(b, count, qd_add(b, n, qd_u32(b, 1)));
	if (kind != 0) { /* a value used before and after the test */
		x = expression(p);
		qd_set(b, p->var[0], x);
	}
	if (kind == 1)
		qd_break_if(b, last);
	if (kind == 2) {
		qd_if(b, last);
		qd_break(b);
		qd_end(b);
	}
	qd_set(b, p->var[1], qd_add(b, qd_get(b, p->var[1]), x));
	statements(p, depth + 1, &jumped);
	p->n_loop--;
	qd_end(b);
}

static void
branch(struct program *p, uint32_t depth)
{
	bool jumped = false;

	qd_if(p->b, condition(p));
	statements(p, depth + 1, &jumped);
	if (pick(p, 2)) {
		qd_else(p->b);
		statements(p, depth + 1, &jumped);
	}
	qd_end(p->b);
}

/* Emits statements. *jumped: the last statement leaves the block, so none may follow. */
static void
statements(struct program *p, uint32_t depth, bool *jumped)
{
	uint32_t n = 1 + pick(p, 4);

	*jumped = false;
	while (n-- && p->left) {
		uint32_t kind = pick(p, 12);
		p->left--;
		if (kind < 2 && depth < DEPTH) {
			loop(p, depth);
		} else if (kind < 5 && depth < DEPTH) {
			branch(p, depth);
		} else if (kind == 5 && p->n_loop) {
			qd_break_if(p->b, condition(p));
		} else if (kind == 6 && p->n_loop && !n && depth) {
			if (pick(p, 2))
				qd_break(p->b);
			else
				qd_continue(p->b);
			*jumped = true;
			return;
		} else {
			struct qd_var to = p->var[pick(p, N_VAR)];
			qd_set(p->b, to, expression(p));
		}
	}
}

/* Emits a random program. A body that always continues in its loop is well formed only if the count
 * is read first, as loop() does. */
static void
random_program(struct unit_ctx *t, const struct machine *m, uint64_t seed)
{
	struct kit k;
	struct program p = { .rng = { seed }, .left = 40 };
	char what[40];
	bool jumped;

	p.b = kit_open(&k, t, m, 32);
	struct qd_val x = kit_in(p.b, "x", QD_TYPE_U32);
	for (uint32_t i = 0; i < N_VAR; i++)
		p.var[i] = qd_var(p.b, qd_add(p.b, x, qd_u32(p.b, i)));
	while (p.left)
		statements(&p, 0, &jumped);
	for (uint32_t i = 0; i < N_VAR; i++)
		kit_result(p.b, qd_get(p.b, p.var[i]));
	snprintf(what, sizeof what, "program %llu", (unsigned long long)seed);
	kit_check(&k, what, 1, 1);
	kit_close(&k);
}

void
prim_loops(struct unit_ctx *t)
{
	for (uint64_t seed = 1; seed <= 400; seed++) {
		struct machine m = prim_machine(seed % 4 == 0 ? 4 : seed % 2 ? 1 : 2, 3);
		random_program(t, &m, seed);
	}
}

static uint32_t
count(const struct ir *ir, enum op op)
{
	uint32_t n = 0;

	for (uint32_t i = 1; i < ir->n; i++)
		n += ir->ins[i].op == op;
	return n;
}

/* Checks that while (i < 5) ... gets no flag and no additional branch. With an additional break it
 * gets one flag, and one variable for the value that is used after the break. */
void
prim_loops_kept(struct unit_ctx *t)
{
	for (int with_break = 0; with_break < 2; with_break++) {
		struct machine m = prim_machine(1, 3);
		struct kit k;
		struct qd_builder *b = kit_open(&k, t, &m, 8);
		struct qd_var i = qd_var(b, kit_thread(b));
		qd_loop(b);
		qd_break_if(b, qd_lt(b, qd_u32(b, 5), qd_get(b, i)));
		qd_set(b, i, qd_add(b, qd_get(b, i), qd_u32(b, 2)));
		if (with_break) {
			qd_break_if(b, qd_eq(b, qd_get(b, i), qd_u32(b, 3)));
			qd_set(b, i, qd_add(b, qd_get(b, i), qd_u32(b, 1)));
		}
		qd_end(b);
		kit_result(b, qd_get(b, i));
		kit_check(&k, "kept", 0, 1);
		uint32_t n_var = count(&k.form[WHOLE], OP_VAR), n_if = count(&k.form[WHOLE], OP_IF);
		UNIT_CHECK(t, n_var == 1u + 2u * (uint32_t)with_break, "%u variables", n_var);
		UNIT_CHECK(t, n_if == 2u * (uint32_t)with_break, "%u branches", n_if);
		kit_close(&k);
	}
}

/* Checks that hundreds of exits out of one loop and out of one scope do not increase the
 * nesting. */
void
prim_loops_many_exits(struct unit_ctx *t)
{
	for (int scope = 0; scope < 2; scope++) {
		struct machine m = prim_machine(1, 3);
		struct kit k;
		struct qd_builder *b = kit_open(&k, t, &m, 32);
		struct qd_val x = kit_in(b, "x", QD_TYPE_U32);
		struct qd_var v = qd_var(b, x);
		uint32_t depth = 0, most = 0;

		if (scope)
			qd_scope(b);
		else
			qd_loop(b);
		for (uint32_t i = 0; i < 200; i++) {
			struct qd_val y = qd_get(b, v);
			qd_leave_if(b, 1, qd_eq(b, qd_and(b, y, qd_u32(b, 255)), qd_u32(b, i)));
			qd_set(b, v, qd_add(b, y, qd_xor(b, y, qd_u32(b, 3 * i + 1))));
			if (i == 100) { /* a value used before and after many exits */
				qd_set(b, v, qd_add(b, qd_get(b, v), y));
				x = y;
			}
			if (i == 190)
				qd_set(b, v, qd_add(b, qd_get(b, v), x));
		}
		if (!scope)
			qd_leave(b, 1);
		qd_end(b);
		kit_result(b, qd_get(b, v));
		kit_check(&k, "many exits", 1, 4);
		for (uint32_t i = 1; i < k.form[WHOLE].n; i++) {
			depth += op_flow[k.form[WHOLE].ins[i].op] == FLOW_OPEN;
			depth -= op_flow[k.form[WHOLE].ins[i].op] == FLOW_CLOSE;
			most = depth > most ? depth : most;
		}
		UNIT_CHECK(t, most <= 4, "nested %u deep", most);
		kit_close(&k);
	}
}

/* Checks that an endless loop gets a test too, because a target may require one. */
void
prim_loops_endless(struct unit_ctx *t)
{
	for (int nested = 0; nested < 2; nested++) {
		struct machine m = prim_machine(1, 3);
		struct kit k;
		struct qd_builder *b = kit_open(&k, t, &m, 8);
		struct qd_array out = qd_param_buffer(b, "out", QD_TYPE_I32, QD_ACCESS_OUT);
		qd_loop(b);
		if (nested) {
			qd_loop(b);
			qd_break_if(b, qd_eq(b, kit_thread(b), qd_u32(b, 1)));
			qd_store(b, out, kit_thread(b), qd_i32(b, 2));
			qd_end(b);
		}
		qd_store(b, out, kit_thread(b), qd_i32(b, 1));
		qd_end(b);
		k.what = "endless";
		UNIT_CHECK(t, kit_compile(&k) == QD_OK, "%s", k.err.text);
		for (int f = WHOLE; f < N_FORM; f++) {
			uint32_t n_loop = count(&k.form[f], OP_LOOP);
			uint32_t n_test = count(&k.form[f], OP_BREAK);
			UNIT_CHECK(t, n_loop == 1u + (uint32_t)nested && n_test == n_loop,
				   "form %d: %u loops, %u tests", f, n_loop, n_test);
			UNIT_CHECK(t, !lanes_illegal(&m, &k.form[f], k.p.mems, true), "form %d: %s", f,
				   lanes_illegal(&m, &k.form[f], k.p.mems, true));
		}
		kit_close(&k);
	}
}
