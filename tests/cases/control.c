/* Random structured programs: nested if, loop, break, continue, variables, loads and, in uniform
 * control flow, subgroup operations. Each kernel runs on the device and on the interpreter at the
 * same subgroup size; every stored value must agree. */
#include <stdlib.h>
#include <string.h>

#include "family.h"

enum { N_PROGRAM = 50, N_VAR = 5, BLOCK = 48, N_BLOCK = 3, N_DATA = 256, MAX_DEPTH = 4 };

struct gen {
	struct qd_builder *b;
	uint64_t rng;
	struct qd_array data;
	struct qd_var var[N_VAR]; /* u32 */
	struct qd_var wide;	  /* i64 */
	struct qd_val uniform;
	uint32_t budget; /* statements left */
	uint32_t loops;	 /* open loops; limits the product of their iterations */
};

static uint32_t
upto(struct gen *g, uint32_t n)
{
	return (uint32_t)(random_u64(&g->rng) >> 33) % n;
}

static struct qd_val
any_var(struct gen *g)
{
	return qd_get(g->b, g->var[upto(g, N_VAR)]);
}

/* Returns a u32 expression of the current state. */
static struct qd_val
expr(struct gen *g, uint32_t depth)
{
	struct qd_builder *b = g->b;
	struct qd_val x, y;

	if (depth == 0 || upto(g, 4) == 0) {
		if (upto(g, 3))
			return any_var(g);
		uint32_t bits = (uint32_t)random_u64(&g->rng);
		return qd_u32(b, bits >> upto(g, 32));
	}
	x = expr(g, depth - 1);
	y = expr(g, depth - 1);
	switch (upto(g, 12)) {
	case 0: return qd_add(b, x, y);
	case 1: return qd_sub(b, x, y);
	case 2: return qd_mul(b, x, y);
	case 3: return qd_xor(b, x, y);
	case 4: return qd_shr(b, x, y);
	case 5: return qd_rem(b, x, y);
	case 6: return qd_load(b, g->data, qd_and(b, x, qd_u32(b, 2 * N_DATA - 1)));
	case 7: return qd_select(b, qd_lt(b, x, y), x, y);
	case 8: return qd_cast(b, QD_TYPE_U32, qd_get(b, g->wide));
	case 9:
		x = qd_bitcast(b, QD_TYPE_I32, x);
		y = qd_bitcast(b, QD_TYPE_I32, y);
		return qd_bitcast(b, QD_TYPE_U32, qd_div(b, x, y));
	case 10: /* small floats: every sum is exact */
		x = qd_cast(b, QD_TYPE_F32, qd_and(b, x, qd_u32(b, 255)));
		y = qd_cast(b, QD_TYPE_F32, qd_and(b, y, qd_u32(b, 255)));
		return qd_cast(b, QD_TYPE_U32, qd_add(b, x, y));
	default: return qd_max(b, x, y);
	}
}

static struct qd_val
condition(struct gen *g)
{
	struct qd_val x = expr(g, 2);

	x = qd_and(g->b, x, qd_u32(g->b, 1u << upto(g, 4)));
	return qd_eq(g->b, x, qd_u32(g->b, 0));
}

static void
cross_lane(struct gen *g)
{
	struct qd_builder *b = g->b;
	struct qd_val x = expr(g, 1), r;

	switch (upto(g, 5)) {
	case 0: r = qd_subgroup_shuffle_xor(b, x, qd_u32(b, 1)); break;
	case 1: r = qd_subgroup_reduce_add(b, x); break;
	case 2: r = qd_subgroup_inclusive_add_tiled(b, x, 2); break;
	case 3: r = qd_subgroup_ballot_first_n(b, qd_and(b, x, qd_u32(b, 1)), 32); break;
	default: r = qd_subgroup_reduce_max_tiled(b, x, 1); break;
	}
	qd_set(b, g->var[upto(g, N_VAR)], r);
}

static void statements(struct gen *g, uint32_t depth, bool uniform);

/* Emits a loop of at most `rounds` iterations. The counter is incremented at the head, so a
 * continue cannot skip it. */
static void
loop(struct gen *g, uint32_t depth, bool uniform)
{
	struct qd_builder *b = g->b;
	uint32_t shape = upto(g, 3);
	struct qd_var count = qd_var(b, qd_u32(b, 0));
	struct qd_val rounds = qd_u32(b, 1 + upto(g, 5)), c;
	bool inner = uniform;

	if (upto(g, 2)) {
		rounds = uniform ? g->uniform : any_var(g);
		rounds = qd_and(b, rounds, qd_u32(b, 3));
	}
	g->loops++;
	qd_loop(b);
	c = qd_get(b, count);
	if (shape != 1) /* test at the head, else only in the middle or at the end */
		qd_break_if(b, qd_ge(b, c, rounds));
	qd_set(b, count, qd_add(b, c, qd_u32(b, 1)));
	/* A varying jump makes everything in the loop varying. */
	if (shape == 2) {
		inner = false;
		qd_if(b, condition(g));
		statements(g, depth + 1, false);
		if (upto(g, 2))
			qd_break(b);
		else
			qd_continue(b);
		qd_end(b);
	}
	statements(g, depth + 1, inner);
	if (shape == 1)
		qd_break_if(b, qd_ge(b, qd_get(b, count), rounds));
	qd_end(b);
	g->loops--;
}

static void
branch(struct gen *g, uint32_t depth, bool uniform)
{
	struct qd_builder *b = g->b;
	bool same = uniform && upto(g, 2);
	struct qd_val c;

	if (same) {
		c = qd_and(b, g->uniform, qd_u32(b, 1u << upto(g, 3)));
		c = qd_ne(b, c, qd_u32(b, 0));
	} else {
		c = condition(g);
	}
	qd_if(b, c);
	statements(g, depth + 1, uniform && same);
	if (upto(g, 2)) {
		qd_else(b);
		statements(g, depth + 1, uniform && same);
	}
	qd_end(b);
}

/* Assigns a new value to a variable. */
static void
assign(struct gen *g, bool wide)
{
	struct qd_builder *b = g->b;
	struct qd_val x;

	if (wide) {
		x = qd_get(b, g->wide);
		x = qd_mul(b, x, qd_i64(b, 0x100000001));
		qd_set(b, g->wide, qd_add(b, x, qd_cast(b, QD_TYPE_I64, any_var(g))));
	} else {
		uint32_t to = upto(g, N_VAR);
		qd_set(b, g->var[to], expr(g, 3));
	}
}

static void
statements(struct gen *g, uint32_t depth, bool uniform)
{
	for (uint32_t n = 1 + upto(g, 4); n > 0 && g->budget > 0; n--) {
		uint32_t kind = upto(g, 8);

		g->budget--;
		if (kind == 0 && depth < MAX_DEPTH && g->loops < 3)
			loop(g, depth, uniform);
		else if (kind <= 2 && depth < MAX_DEPTH)
			branch(g, depth, uniform);
		else if (kind == 3 && uniform)
			cross_lane(g);
		else
			assign(g, kind == 4);
	}
}

static struct qd_kernel *
program(struct qd_context *ctx, uint64_t seed, struct qd_error *err)
{
	struct gen g = { .rng = seed, .budget = 40 };
	struct qd_kernel *k = NULL;
	struct qd_array out;
	struct qd_val i, at, wide;

	if (qd_builder_create(ctx, "program", &g.b, err))
		return NULL;
	qd_block(g.b, BLOCK, 1, 1);
	g.data = qd_param_buffer(g.b, "data", QD_TYPE_U32, QD_ACCESS_IN);
	out = qd_param_buffer(g.b, "out", QD_TYPE_U32, QD_ACCESS_OUT);
	i = qd_block_global_thread_idx(g.b);
	for (uint32_t n = 0; n < N_VAR; n++)
		g.var[n] = qd_var(g.b, qd_load(g.b, g.data,
					       qd_add(g.b, i, qd_u32(g.b, 13 * n))));
	g.wide = qd_var(g.b, qd_cast(g.b, QD_TYPE_I64, i));
	g.uniform = qd_load(g.b, g.data, qd_block_idx(g.b));
	statements(&g, 0, true);
	at = qd_mul(g.b, i, qd_u32(g.b, N_VAR + 1));
	for (uint32_t n = 0; n < N_VAR; n++) {
		i = qd_add(g.b, at, qd_u32(g.b, n));
		qd_store(g.b, out, i, qd_get(g.b, g.var[n]));
	}
	i = qd_add(g.b, at, qd_u32(g.b, N_VAR));
	wide = qd_get(g.b, g.wide);
	wide = qd_shr(g.b, wide, qd_u32(g.b, 16));
	qd_store(g.b, out, i, qd_cast(g.b, QD_TYPE_U32, wide));
	return qd_builder_finish(g.b, &k, err) ? NULL : k;
}

static void
run_program(struct suite *t, struct suite *oracle, uint64_t seed)
{
	enum { N_OUT = BLOCK * N_BLOCK * (N_VAR + 1) };
	uint32_t data[N_DATA], got[N_OUT], want[N_OUT];
	struct host_buffer a[2] = { { data, sizeof data }, { got, sizeof got } };
	struct host_buffer b[2] = { { data, sizeof data }, { want, sizeof want } };
	uint64_t rng = seed;
	struct qd_error err = { 0 };
	struct qd_kernel *k = program(t->ctx, seed, &err);
	uint32_t n = 0;

	for (uint32_t i = 0; i < N_DATA; i++)
		data[i] = (uint32_t)random_u64(&rng) >> i % 32;
	memset(got, 0, sizeof got);
	memset(want, 0, sizeof want);
	if (!k || run_kernel(t, k, NULL, 0, N_BLOCK, a, 2, &err) ||
	    run_kernel(oracle, k, NULL, 0, N_BLOCK, b, 2, &err)) {
		suite_fail(t, 1, "program %llu: %s", (unsigned long long)seed, err.text);
		qd_kernel_free(k);
		return;
	}
	if (t->inject && !t->injected) {
		got[0] ^= 1;
		t->injected = true;
	}
	while (n < N_OUT && got[n] == want[n])
		n++;
	if (n < N_OUT)
		suite_fail(t, 1, "program %llu: thread %u value %u: got %08x, want %08x",
			   (unsigned long long)seed, n / (N_VAR + 1), n % (N_VAR + 1), got[n],
			   want[n]);
	else
		t->passed++;
	qd_kernel_free(k);
}

static void
run_control(struct suite *t, const struct family *f)
{
	struct suite oracle;
	char name[16];

	(void)f;
	snprintf(name, sizeof name, "ref:%u", t->size);
	if (!suite_open(&oracle, t->ctx, name)) {
		suite_fail(t, N_PROGRAM, "control: %s does not open", name);
		return;
	}
	for (uint32_t n = 0; n < N_PROGRAM; n++)
		run_program(t, &oracle, t->seed * 1000 + n);
	suite_close(&oracle);
}

static uint64_t
count_control(const struct suite *t, const struct family *f)
{
	(void)t;
	(void)f;
	return N_PROGRAM;
}

const struct family family_control = { "control", NULL, 0, run_control, count_control };
