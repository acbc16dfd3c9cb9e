/* Generation of loads at indices near 0 and near the length of src, with and without tests that imply
 * that the index is in range. */
#include "program_gen.h"

/* Relations of a limit to the length of src, of the tested number to the limit, and of an index to that number. */
enum tested { AT_LENGTH, AT_QUARTER, AT_MINIMUM, AT_SUM, AT_PRODUCT, AT_PART, N_TESTED };

static struct expr *
x_len(struct gen *g)
{
	struct expr *len = x_new(g, X_LEN, QD_TYPE_U32, 0);

	len->id = A_SRC;
	return len;
}

static struct expr *
x_with(struct gen *g, enum ref_op op, struct expr *x, uint32_t k)
{
	struct expr *r = x_binary(g, op, x, x_literal(g, QD_TYPE_U32, k));

	r->kind = op == REF_OP_MIN ? X_MATH : X_BINARY;
	return r;
}

static struct expr *
limit_of(struct gen *g, enum tested form)
{
	switch (form) {
	case AT_QUARTER: return x_with(g, REF_OP_DIV, x_len(g), 4);
	case AT_MINIMUM: return x_with(g, REF_OP_MIN, x_len(g), 5);
	case AT_PRODUCT: return x_with(g, REF_OP_MUL, x_len(g), 4);
	default: return x_len(g);
	}
}

static struct expr *
index_of(struct gen *g, enum tested form, uint16_t at)
{
	static const uint8_t parts[] = { REF_OP_SHR, REF_OP_REM, REF_OP_SUB, REF_OP_AND, REF_OP_DIV };
	struct expr *x = x_var(g, at);
	uint32_t k;

	switch (form) {
	case AT_QUARTER: return x_with(g, REF_OP_ADD, x_with(g, REF_OP_MUL, x, 4), gen_upto(g, 5));
	case AT_SUM: return x_with(g, REF_OP_ADD, x, gen_upto(g, 3));
	case AT_PRODUCT: return x_with(g, REF_OP_DIV, x, 3 + gen_upto(g, 2));
	case AT_PART:
		k = 1 + gen_upto(g, 3);
		return x_with(g, (enum ref_op)parts[gen_upto(g, sizeof parts)], x, k);
	default: return x;
	}
}

/* Sets a variable to the element of src at an index. */
static struct stmt *
edge_load(struct gen *g, uint16_t var, struct expr *index)
{
	struct stmts l;
	struct stmt *s;

	stmts_init(&l);
	s = stmts_add(g, &l, S_SET);
	s->n = 1;
	s->id[0] = var;
	s->e[0] = x_arg(x_new(g, X_LOAD, QD_TYPE_U32, 0), index);
	s->e[0]->id = A_SRC;
	if (gen_one_in(g, 2))
		x_arg(s->e[0], x_any_literal(g, QD_TYPE_U32));
	return l.first;
}

/* Adds an if that compares a number with a limit, exactly or not, and loads where that may imply that
 * the index is in range. */
void
gen_tested_load(struct gen *g, struct stmts *l)
{
	static const uint8_t tests[] = { REF_OP_LT, REF_OP_LT, REF_OP_LE, REF_OP_GT, REF_OP_GE };
	const enum tested form = (enum tested)gen_upto(g, N_TESTED);
	const uint32_t more = form == AT_SUM ? 1 + gen_upto(g, 2) : 0;
	uint16_t var, at;
	struct expr *x;
	struct stmt *s;

	if (!g->in_kernel)
		return;
	x = x_with(g, REF_OP_AND, gen_expr(g, QD_TYPE_U32, 1, gen_flags(g)), 3);
	x = x_binary(g, REF_OP_SUB, x_with(g, REF_OP_ADD, limit_of(g, form), 1), x);
	at = gen_declare(g, l, x, false, false);
	var = gen_pick(g, QD_TYPE_U32, SAME_NOWHERE, true); /* `at` may hide others */
	if (var == NO_VAR)
		return;
	s = stmts_add(g, l, S_IF);
	x = more ? x_with(g, REF_OP_ADD, x_var(g, at), more) : x_var(g, at);
	s->e[0] = x_binary(g, (enum ref_op)tests[gen_upto(g, sizeof tests)], x, limit_of(g, form));
	s->body = edge_load(g, var, index_of(g, form, at));
	if (gen_one_in(g, 2))
		s->other = edge_load(g, var, index_of(g, form, at));
	gen_has(g, form == AT_LENGTH ? HAS_TESTED : HAS_IMPLIED);
}

/* Adds a loop up to the length or about it, at most 5, which loads at its index plus or minus a constant. */
void
gen_counted_load(struct gen *g, struct stmts *l)
{
	const qd_type type = gen_one_in(g, 2) ? QD_TYPE_I32 : QD_TYPE_U32;
	const uint16_t var = gen_pick(g, QD_TYPE_U32, SAME_NOWHERE, true);
	struct expr *x;
	struct stmt *s;

	if (!g->in_kernel || var == NO_VAR)
		return;
	s = stmts_add(g, l, S_FOR);
	s->id[0] = gen_variable(g, type);
	s->e[0] = x_literal(g, type, gen_upto(g, 3));
	if (type == QD_TYPE_I32 && gen_one_in(g, 2))
		s->e[0]->bits = (uint32_t)(0 - s->e[0]->bits);
	x = x_with(g, REF_OP_SUB, x_with(g, REF_OP_ADD, x_len(g), 1), gen_upto(g, 3));
	x = x_with(g, REF_OP_MIN, x, 5);
	s->e[1] = type == QD_TYPE_I32 ? x_cast(g, type, x) : x;
	if (gen_one_in(g, 3))
		s->e[2] = x_literal(g, type, 1 + gen_upto(g, 3));
	x = x_var(g, s->id[0]);
	if (gen_one_in(g, 2)) {
		struct expr *k = x_literal(g, type, 1 + gen_upto(g, 2));
		x = x_binary(g, gen_one_in(g, 2) ? REF_OP_ADD : REF_OP_SUB, x, k);
	}
	s->body = edge_load(g, var, x);
	g->cost += 8 * g->rounds;
	gen_has(g, HAS_COUNTED);
}

/* Returns the index of one of several neighbors: near `at`, near a multiple of it, or near 0. */
static struct expr *
neighbor_of(struct gen *g, uint32_t form, uint16_t at)
{
	const uint32_t k = gen_upto(g, 4);
	const enum ref_op op = gen_one_in(g, 3) ? REF_OP_SUB : REF_OP_ADD;

	switch (form) {
	case 0: return x_literal(g, QD_TYPE_U32, k);
	case 1: return x_with(g, REF_OP_MUL, x_with(g, op, x_var(g, at), k), 3);
	default: return x_with(g, op, x_var(g, at), k);
	}
}

/* Adds a statement that sets a variable to a sum of n elements of src. */
static void
sum_neighbors(struct gen *g, struct stmts *l, uint16_t var, uint32_t form, uint16_t at, uint32_t n)
{
	struct expr *sum = x_var(g, var), *x;
	struct stmt *s;

	while (n--) {
		x = x_arg(x_new(g, X_LOAD, QD_TYPE_U32, 0), neighbor_of(g, form, at));
		x->id = A_SRC;
		sum = x_with(g, REF_OP_MUL, sum, 5);
		sum = x_binary(g, REF_OP_ADD, sum, x);
	}
	s = stmts_add(g, l, S_SET);
	s->n = 1;
	s->id[0] = var;
	s->e[0] = sum;
}

/* Adds to a variable elements of src around an index near 0 or near the length, perhaps with an if
 * between them that adds others. */
void
gen_neighbor_loads(struct gen *g, struct stmts *l)
{
	struct expr *x = x_with(g, REF_OP_AND, gen_expr(g, QD_TYPE_U32, 1, gen_flags(g)), 7);
	const uint32_t n = 2 + gen_upto(g, 4), form = gen_upto(g, 5);
	struct stmts arm;
	struct stmt *s;
	uint16_t at, var;

	if (!g->in_kernel)
		return;
	if (gen_one_in(g, 2))
		x = x_binary(g, REF_OP_SUB, x_with(g, REF_OP_ADD, x_len(g), 1), x);
	at = gen_declare(g, l, x, false, false);
	var = gen_pick(g, QD_TYPE_U32, SAME_NOWHERE, true);
	if (var == NO_VAR)
		return;
	sum_neighbors(g, l, var, form, at, n);
	if (gen_one_in(g, 2)) {
		s = stmts_add(g, l, S_IF);
		s->e[0] = x_binary(g, REF_OP_LT, x_var(g, at), x_var(g, var));
		stmts_init(&arm);
		sum_neighbors(g, &arm, var, form, at, 1);
		s->body = arm.first;
		sum_neighbors(g, l, var, form, at, n);
	}
	gen_has(g, HAS_NEIGHBORS);
}
