/* Allocates registers in one pass over the body, as the generator does. A result takes the register
 * of a value that dies there, or else the first free one. A register is free as soon as its value
 * is dead. */
#include "gcn_regs.h"

/* Operations that are a single instruction for some type. */
static const bool single[N_OP] = {
#define SINGLE(op, types) [OP_##op] = true,
#include "liveness.def"
};

static void
release(struct gcn_regs *w, uint32_t v)
{
	if (w->loc[v].owns)
		w->used[w->loc[v].in][w->loc[v].reg] = false;
}

/* Returns the register file of i's result. A scalar result moves to a vector register if an operand
 * is not scalar. */
static enum where
place(const struct gcn_regs *w, uint32_t i)
{
	const struct ins *s = &w->ins[i];
	static const enum where of[] = { [GEN_S] = IN_S, [GEN_V] = IN_V, [GEN_MASK] = IN_MASK };
	enum where in = of[gen_regclass(&w->r->target, (qd_type)s->type, w->r->body.level[i])];

	if (s->op == OP_VAR)
		return in;
	for (uint32_t j = 0; in == IN_S && j < 3; j++) {
		uint32_t v = op_values[s->op] >> j & 1 ? s->arg[j] : 0;

		if (v && w->loc[v].in != IN_S && w->loc[v].in != IN_CONST)
			in = IN_V;
	}
	return in;
}

static void
take(struct gcn_regs *w, uint32_t i, enum where in)
{
	uint32_t reg = 0;

	/* Reuse the register of a value that dies here, or else take the first free one. */
	for (uint32_t v = w->dies[i]; v && !w->early[i]; v = w->next[v]) {
		if (w->loc[v].owns && w->loc[v].in == in && !w->used[in][w->loc[v].reg]) {
			w->loc[i] = (struct loc){ (uint8_t)in, true, w->loc[v].reg };
			w->used[in][w->loc[v].reg] = true;
			return;
		}
	}
	while (w->used[in][reg])
		reg++;
	w->used[in][reg] = true;
	w->loc[i] = (struct loc){ (uint8_t)in, true, reg };
}

bool
gcn_is_alias(const struct gcn_regs *w, uint32_t i)
{
	const struct ins *s = &w->ins[i];

	return s->op == OP_BITCAST || s->op == OP_UNIFORM ||
	       (s->op == OP_GET && w->by_plan && !(w->plan[i].flags & GEN_COPY));
}

static void
assign(struct gcn_regs *w, uint32_t i)
{
	const struct ins *s = &w->ins[i];
	const struct gen_plan *p = &w->plan[i];
	bool into = w->by_plan && (p->flags & GEN_INTO);
	enum where in;

	if (s->op == OP_CONST) {
		w->loc[i] = (struct loc){ IN_CONST, false, i };
		return;
	}
	if (w->by_plan && gcn_has_value(&w->ins[i]) && (p->flags & GEN_FUSE)) {
		w->loc[i].in = IN_USER;
		gcn_met.fused++;
		return;
	}
	if (gcn_has_value(&w->ins[i]) && gcn_is_alias(w, i)) {
		w->loc[i] = w->loc[s->a];
		w->loc[i].owns = false;
		gcn_met.aliases += s->op == OP_GET;
		return;
	}
	/* Some operations write part of their result before they have read all operands. */
	w->early[i] =
		op_info[s->op].is_alu && (into ? !single[s->op] : unit_random(w->rng) % 4 == 0);
	for (uint32_t v = w->dies[i]; v && !w->early[i]; v = w->next[v])
		release(w, v);
	if (gcn_has_value(&w->ins[i])) {
		gcn_met.copies += s->op == OP_GET && w->by_plan;
		in = place(w, i);
		if (into && w->loc[p->link].in == in) {
			w->loc[i] = w->loc[p->link];
			w->loc[i].owns = false;
			gcn_met.into++;
		} else {
			gcn_met.refused += into;
			take(w, i, in);
		}
	}
	for (uint32_t v = w->dies[i]; v && w->early[i]; v = w->next[v])
		release(w, v);
	if (w->by_plan && gcn_has_value(&w->ins[i]) && !p->end)
		release(w, i);
}

void
gcn_regs_assign(struct gcn_regs *w, const struct gcn_rig *r, const struct gen_plan *plan,
		bool by_plan, struct unit_rng *rng)
{
	w->r = r;
	w->ins = r->body.ir.ins;
	w->plan = plan;
	w->by_plan = by_plan;
	w->rng = rng;
	for (uint32_t i = 1; i < r->body.ir.n && w->by_plan; i++) {
		uint32_t end = gcn_has_value(&w->ins[i]) ? w->plan[i].end : 0;

		w->next[i] = w->dies[end];
		if (end)
			w->dies[end] = i;
		gcn_met.repeated += end && w->ins[end].op == OP_END;
	}
	for (uint32_t i = 1; i < r->body.ir.n; i++)
		assign(w, i);
}
