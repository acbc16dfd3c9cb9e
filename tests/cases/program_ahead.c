/* Variables whose new value is computed some statements before the assignment. In between, threads
 * leave or something reads the old value. */
#include "program_gen.h"

/* Declares a variable that no other statement can use. */
static uint16_t
make(struct gen *g, struct stmts *l, struct expr *x)
{
	struct stmt *s = stmts_add(g, l, S_LET);

	s->n = 1;
	s->e[0] = x;
	s->id[0] = gen_variable(g, x->type);
	return s->id[0];
}

static void
set(struct gen *g, struct stmts *l, uint16_t id, uint32_t op, uint16_t from)
{
	struct stmt *s = stmts_add(g, l, S_SET);

	s->n = 1;
	s->id[0] = id;
	s->op = (uint8_t)op;
	s->e[0] = x_var(g, from);
}

/* Emits a conditional jump, if one is possible. any_way: also a return. */
static void
leave(struct gen *g, struct stmts *l, struct expr *condition, bool any_way)
{
	struct stmts in;
	struct stmt *s;

	stmts_init(&in);
	gen_open(g, LV_IF, false, true);
	gen_leave(g, &in);
	for (uint32_t n = 0; n < 3 && any_way && !in.first; n++)
		gen_jump(g, &in);
	g->n_open--;
	if (!in.first)
		return;
	s = stmts_add(g, l, S_IF);
	s->e[0] = condition;
	s->body = in.first;
}

static struct expr *
next_value(struct gen *g, uint16_t var)
{
	static const uint8_t ops[] = { REF_OP_ADD, REF_OP_SUB, REF_OP_XOR };
	qd_type type = g->f->var[var].type;

	struct expr *by = x_literal(g, type, 1 + gen_upto(g, 60));
	enum ref_op op = (enum ref_op)ops[gen_upto(g, sizeof ops)];

	return x_binary(g, op, x_var(g, var), by);
}

/* Returns the value of another lane, by a shuffle pattern. */
static struct expr *
neighbor(struct gen *g, uint16_t var)
{
	struct expr *x = x_new(g, X_LANE, g->f->var[var].type, L_SHUFFLE_XOR);

	gen_note_lanes(g);
	gen_has(g, HAS_SHUFFLE);
	return x_arg(x_arg(x, x_var(g, var)), x_literal(g, QD_TYPE_U32, 1 + gen_upto(g, 3)));
}

void
gen_ahead(struct gen *g, struct stmts *l)
{
	qd_type type = gen_one_in(g, 2) ? QD_TYPE_U32 : QD_TYPE_I32;
	uint16_t var = gen_pick(g, type, SAME_NOWHERE, true), value, part = NO_VAR;
	uint16_t other = gen_pick(g, type, SAME_NOWHERE, true);
	bool lanes = (gen_flags(g) & GEN_LANES) && g->even % 4 == 0, crossed;
	struct expr *condition = gen_condition(g, 0);

	if (var == NO_VAR || other == var)
		return;
	gen_has(g, HAS_AHEAD);
	if (lanes)
		part = make(g, l, neighbor(g, var));
	else if (gen_one_in(g, 2))
		part = make(g, l, x_binary(g, REF_OP_SHL, x_var(g, var),
					   x_literal(g, QD_TYPE_U32, 1 + gen_upto(g, 4))));
	/* As in "var, other = other + 1, other ^ var": nothing before the value reads the variable. */
	crossed = part == NO_VAR && gen_one_in(g, 2);
	if (crossed)
		gen_has(g, HAS_AHEAD_CROSSED);
	value = make(g, l, next_value(g, crossed ? other : var));
	if (crossed || (part == NO_VAR && gen_one_in(g, 3)))
		set(g, l, other, REF_OP_XOR, var);
	if (part == NO_VAR || lanes)
		leave(g, l, condition, lanes);
	if (part != NO_VAR)
		set(g, l, other, REF_OP_ADD, part);
	set(g, l, var, OP_PLAIN, value);
}

/* Assigns a comparison to a bool, or the negation of another bool. */
void
gen_set_bool(struct gen *g, struct stmts *l)
{
	uint16_t var = gen_pick(g, QD_TYPE_BOOL, SAME_NOWHERE, true);
	uint16_t from = gen_pick(g, QD_TYPE_BOOL, SAME_NOWHERE, false);
	enum ref_op op = gen_one_in(g, 2) ? REF_OP_LT : REF_OP_NE;
	struct stmt *s;
	struct expr *x;

	if (var == NO_VAR)
		return;
	s = stmts_add(g, l, S_SET);
	s->n = 1;
	s->id[0] = var;
	if (!gen_one_in(g, 3)) {
		s->e[0] = x_arg(x_new(g, X_NOT, QD_TYPE_BOOL, 0), x_var(g, from));
	} else {
		x = gen_expr(g, QD_TYPE_U32, 1, gen_flags(g));
		s->e[0] = x_binary(g, op, x, x_literal(g, QD_TYPE_U32, gen_upto(g, 1000)));
	}
	gen_has(g, HAS_BOOL_SET);
}
