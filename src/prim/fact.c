/* Conditions that hold at the insertion point, at which the next instruction is appended.
 *
 * The condition of an `if` holds in its first arm and does not hold in its second. The condition
 * of a break does not hold in the rest of the arm around the break. Lanes for which the
 * condition differs are inactive there. A fact is removed at the end of its arm. The list is
 * short, so a query takes bounded time; facts beyond its capacity are not recorded. */
#include "prim.h"

enum { DEPTH = 4 /* of NOT, AND and OR */ };

static void
add_fact(struct lg *l, uint32_t arm, uint32_t value, bool holds, uint32_t depth)
{
	const struct ins *s = &l->w.o.ir->ins[value];

	if (!depth--)
		return;
	switch (s->op) {
	case OP_NOT: add_fact(l, arm, s->a, !holds, depth); break;
	case OP_UNIFORM: add_fact(l, arm, s->a, holds, depth); break;
	case OP_AND: case OP_OR:
		if (holds != (s->op == OP_AND))
			break;
		add_fact(l, arm, s->a, holds, depth);
		add_fact(l, arm, s->b, holds, depth);
		break;
	case OP_LT: case OP_LE:
		if (l->n_facts < MAX_FACTS)
			l->facts[l->n_facts++] = (struct fact){ value, arm, holds };
		break;
	default: break;
	}
}

/* Removes the facts of the arms that begin at or after an instruction of the new body. */
static void
forget(struct lg *l, uint32_t arm)
{
	while (l->n_facts && l->facts[l->n_facts - 1].arm >= arm)
		l->n_facts--;
}

void
fact_flow(struct lg *l, uint32_t i)
{
	const struct ins *in = l->w.in->ins, *s = &in[i];
	const struct appender *o = &l->w.o;
	const uint32_t *map = l->w.map;
	uint32_t opener;

	if (l->p->opt < OPT_FULL || lg_failed(l))
		return;
	switch (s->op) {
	case OP_IF: add_fact(l, map[i], map[s->a], true, DEPTH); break;
	case OP_ELSE:
		opener = in[s->x].x;
		forget(l, map[opener]);
		add_fact(l, map[opener], map[in[opener].a], false, DEPTH);
		break;
	case OP_BREAK:
		if (s->a && o->n_open)
			add_fact(l, o->open[o->n_open - 1], map[s->a], false, DEPTH);
		break;
	case OP_END: forget(l, map[s->x]); break;
	default: break;
	}
}

bool
fact_is_less(const struct lg *l, uint32_t a, uint32_t b)
{
	const struct ins *ins = l->w.o.ir->ins;

	for (uint32_t i = l->n_facts; i-- > 0;) {
		const struct fact *f = &l->facts[i];
		const struct ins *s = &ins[f->value];

		if (f->holds ? s->op == OP_LT && s->a == a && s->b == b :
			       s->op == OP_LE && s->a == b && s->b == a)
			return true;
	}
	return false;
}
