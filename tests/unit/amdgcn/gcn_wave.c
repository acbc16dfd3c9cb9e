/* Runs a body under exec masks, on the registers that gcn_regs.c allocates. A freed register is
 * filled with garbage, as are the bits of a new mask for inactive lanes. */
#include "gcn_regs.h"

#include <stdlib.h>

struct gcn_met gcn_met;

const struct gcn_ruleset gcn_ruleset = { gen_plan, gen_exec_init, gen_exec_at };

struct wave {
	struct gcn_rig *r;
	const struct ir *ir;
	const struct ins *ins;
	const struct gcn_way *way;
	const struct gcn_ruleset *rules;
	struct gen g;
	struct unit_rng rng;
	struct gcn_regs regs;
	/* Registers: V by lane, S uniform, MASK one bit for each lane. */
	uint64_t v[BODY_MAX][BODY_LANES], s[BODY_MAX], mask[BODY_MAX];
	uint64_t exec, all, lanes;
	uint64_t save[BODY_MAX]; /* by opener */
	uint32_t jumps[BODY_LANES];
	struct gcn_trace trace[BODY_LANES];
	uint32_t steps;
	char *why;
};

static bool
fails(struct wave *w, const char *what, uint32_t i)
{
	snprintf(w->why, 128, "%s at %%%u", what, i);
	return false;
}

/* -- Values --------------------------------------------------------------------------------- */

static uint64_t compute(struct wave *w, uint32_t i, uint32_t lane);

static uint64_t
read(struct wave *w, uint32_t v, uint32_t lane)
{
	const struct loc *l = &w->regs.loc[v];

	switch ((enum where)l->in) {
	case IN_S: return w->s[l->reg];
	case IN_V: return w->v[l->reg][lane];
	case IN_MASK: return w->mask[l->reg] >> lane & 1;
	case IN_CONST: return const_bits(&w->ins[l->reg]);
	default: return compute(w, v, lane);
	}
}

static uint64_t
compute(struct wave *w, uint32_t i, uint32_t lane)
{
	const struct ins *s = &w->ins[i];
	uint64_t arg[3] = { 0 };

	for (uint32_t j = 0; j < 3; j++)
		if (op_values[s->op] >> j & 1 && s->arg[j])
			arg[j] = read(w, s->arg[j], lane);
	if (s->op == OP_VAR || s->op == OP_GET)
		return arg[0];
	return s->op == OP_SET ? arg[1] : gcn_body_eval(w->ir, i, arg, lane, w->jumps[lane]);
}

/* Returns one bit of v for each lane. */
static uint64_t
mask_of(struct wave *w, uint32_t v)
{
	uint64_t bits = 0;

	for (uint32_t lane = 0; lane < w->way->lanes; lane++)
		bits |= (read(w, v, lane) & 1) << lane;
	return bits;
}

static uint32_t
first_lane(const struct wave *w)
{
	uint32_t lane = 0;

	while (w->exec && !(w->exec >> lane & 1))
		lane++;
	return lane;
}

static void
spoil(struct wave *w, const struct loc *l)
{
	for (uint32_t lane = 0; lane < w->way->lanes && l->in == IN_V; lane++)
		w->v[l->reg][lane] = (uint32_t)unit_random(&w->rng);
	if (l->in == IN_S)
		w->s[l->reg] = (uint32_t)unit_random(&w->rng);
	if (l->in == IN_MASK)
		w->mask[l->reg] = unit_random(&w->rng) & w->all;
}

static void
spoil_dead(struct wave *w, uint32_t i)
{
	for (uint32_t v = w->regs.dies[i]; v; v = w->regs.next[v])
		if (w->regs.loc[v].owns)
			spoil(w, &w->regs.loc[v]);
}

/* Returns true if a SET of this mask must keep the bits of inactive lanes. */
static bool
merges(const struct wave *w, uint32_t var, uint32_t i)
{
	for (uint32_t at = var + 1; at < i; at++)
		if (op_flow[w->ins[at].op] == FLOW_OPEN && ir_end_of(w->ir, at) > i &&
		    w->r->body.level[at] >= LEVEL_VARYING)
			return true;
	return false;
}

/* Computes i and writes it to `l`, its own location or, for a SET, the variable's. */
static void
write(struct wave *w, uint32_t i, const struct loc *l, bool keep)
{
	uint64_t got[BODY_LANES], bits = 0;

	if (w->regs.early[i] && w->ins[i].op != OP_SET) {
		/* An early write destroys operands in the same register before they are read. */
		for (uint32_t lane = 0; lane < w->way->lanes; lane++)
			if (l->in == IN_V && (w->exec >> lane & 1))
				w->v[l->reg][lane] = ~w->v[l->reg][lane];
		if (l->in == IN_S)
			w->s[l->reg] = ~w->s[l->reg];
		if (l->in == IN_MASK)
			w->mask[l->reg] ^= w->exec;
	}
	for (uint32_t lane = 0; lane < w->way->lanes; lane++) {
		got[lane] = compute(w, i, lane);
		bits |= (got[lane] & 1) << lane;
	}
	spoil_dead(w, i);
	if (l->in == IN_S) {
		w->s[l->reg] = got[first_lane(w)];
	} else if (l->in == IN_MASK) {
		uint64_t old = keep ? w->mask[l->reg] : unit_random(&w->rng) & w->all;

		w->mask[l->reg] = (bits & w->exec) | (old & ~w->exec);
	} else {
		for (uint32_t lane = 0; lane < w->way->lanes; lane++)
			if (w->exec >> lane & 1)
				w->v[l->reg][lane] = got[lane];
	}
}

static void
store(struct wave *w, uint32_t i)
{
	const struct ins *s = &w->ins[i];

	for (uint32_t lane = 0; lane < w->way->lanes; lane++)
		if ((w->exec >> lane & 1) && (!s->c || read(w, s->c, lane)))
			gcn_trace_add(&w->trace[lane], i, read(w, s->a, lane), read(w, s->b, lane));
	spoil_dead(w, i);
}

static void
run_one(struct wave *w, uint32_t i)
{
	const struct ins *s = &w->ins[i];
	const struct gen_plan *p = &w->g.plan[i];

	if (s->op == OP_STORE) {
		store(w, i);
	} else if (s->op == OP_SET) {
		const struct loc *x = &w->regs.loc[s->b], *var = &w->regs.loc[s->a];
		bool done = w->way->by_plan && (w->g.plan[s->b].flags & GEN_INTO) && !x->owns &&
			    x->in == var->in && x->reg == var->reg;

		if (!done)
			write(w, i, var, merges(w, s->a, i));
		else
			spoil_dead(w, i);
	} else if (gcn_has_value(&w->ins[i]) && !gcn_is_alias(&w->regs, i) &&
		   w->regs.loc[i].in != IN_USER) {
		write(w, i, &w->regs.loc[i], false);
	} else {
		spoil_dead(w, i);
	}
	if (w->way->by_plan && gcn_has_value(&w->ins[i]) && !p->end && w->regs.loc[i].owns)
		spoil(w, &w->regs.loc[i]);
}

/* -- Control flow ------------------------------------------------------------------------------ */

/* Decides a scalar branch. Without an active lane the condition is undefined: an IF goes either
 * way, and a loop that waits for the condition never ends. */
static bool
decide(struct wave *w, uint32_t i, uint64_t cond, bool *good)
{
	uint64_t here = cond & w->exec;

	if (!w->exec)
		return w->ins[i].op == OP_IF && unit_random(&w->rng) % 2;
	if (here && here != w->exec)
		*good = fails(w, "lanes diverge at a branch", i);
	return here != 0;
}

/* Returns the instruction whose actions contain the label of construct `at`. */
static uint32_t
label_at(const struct wave *w, uint32_t at, enum gen_label label)
{
	switch (label) {
	case GEN_HEAD: return at;
	case GEN_OTHER: return w->ins[at].x;
	default: return ir_end_of(w->ir, at);
	}
}

struct code {
	struct gen_act act[BODY_MAX];
	uint32_t n;
};

/* Runs the actions of i from index `from` on. *to is the next instruction, *entry the label at
 * which its actions begin. */
static bool
run_actions(struct wave *w, uint32_t i, const struct code *c, uint32_t from, uint32_t *to,
	    enum gen_label *entry)
{
	bool good = true, goes;
	uint64_t cond = w->ins[i].a && op_flow[w->ins[i].op] ? mask_of(w, w->ins[i].a) : w->all;

	for (uint32_t n = from; n < c->n && good; n++) {
		const struct gen_act *a = &c->act[n];
		uint64_t *save = &w->save[a->of];

		goes = false;
		switch ((enum gen_do)a->what) {
		case GEN_DO_LABEL: break;
		case GEN_DO_BRANCH: goes = true; break;
		case GEN_DO_BRANCH_IF: goes = decide(w, i, cond, &good); break;
		case GEN_DO_BRANCH_NOT: goes = !decide(w, i, cond, &good); break;
		case GEN_DO_EXECZ: goes = !w->exec; break;
		case GEN_DO_EXECNZ: goes = w->exec != 0; break;
		case GEN_DO_SAVE: *save = w->exec; break;
		case GEN_DO_AND_SAVE:
			*save = w->exec;
			w->exec &= cond;
			break;
		case GEN_DO_AND: w->exec &= cond; break;
		case GEN_DO_ONLY: w->exec = cond; break;
		case GEN_DO_NOT: w->exec = ~w->exec & w->all; break;
		case GEN_DO_XOR: w->exec ^= *save; break;
		case GEN_DO_RESTORE: w->exec = *save; break;
		case GEN_DO_ALL: w->exec = w->all; break;
		case GEN_DO_DROP: w->exec &= ~cond; break;
		case GEN_DO_NONE: w->exec = 0; break;
		case GEN_DO_LANES: w->lanes = w->exec & cond; break;
		case GEN_DO_TAKE: *save &= ~w->lanes; break;
		case GEN_DO_LEAVE: w->exec &= ~w->lanes; break;
		case GEN_DO_FREE: *save = unit_random(&w->rng) & w->all; break;
		}
		if (goes) {
			*to = label_at(w, a->of, (enum gen_label)a->label);
			*entry = (enum gen_label)a->label;
			return good;
		}
	}
	*to = i + 1;
	*entry = GEN_N_LABEL;
	return good;
}

static struct code code[BODY_MAX];

/* Returns the index of the action after that label. */
static uint32_t
after_label(const struct code *c, enum gen_label label)
{
	uint32_t n = 0;

	while (n < c->n && !(c->act[n].what == GEN_DO_LABEL && c->act[n].label == label))
		n++;
	return n + 1;
}

static bool
run(struct wave *w)
{
	uint32_t i = 1, to;
	enum gen_label entry = GEN_N_LABEL;

	while (i < w->ir->n) {
		const struct ins *s = &w->ins[i];

		if (++w->steps > 100000)
			return fails(w, "it never ends", i);
		if (!op_flow[s->op]) {
			run_one(w, i++);
			continue;
		}
		for (uint32_t lane = 0; lane < w->way->lanes && s->op == OP_BREAK; lane++)
			w->jumps[lane] += (uint32_t)(w->exec >> lane & 1);
		/* An instruction entered at a label skips the actions before the label. */
		if (!run_actions(w, i, &code[i],
				 entry == GEN_N_LABEL ? 0 : after_label(&code[i], entry), &to,
				 &entry))
			return false;
		if (to == i + 1 || s->op == OP_IF || s->op == OP_BREAK)
			spoil_dead(w, i);
		i = to;
	}
	return true;
}

static void
census(const struct wave *w, uint32_t i)
{
	const struct gen_exec *e = &w->g.exec;

	for (uint32_t n = 0; n < e->n_act; n++) {
		enum gen_do what = (enum gen_do)e->act[n].what;

		gcn_met.straight += w->ins[i].op == OP_BREAK &&
				    (what == GEN_DO_BRANCH || what == GEN_DO_BRANCH_IF);
		gcn_met.apart += what == GEN_DO_DROP || what == GEN_DO_LEAVE;
		gcn_met.taken += what == GEN_DO_TAKE;
		gcn_met.skips += what == GEN_DO_EXECZ;
		gcn_met.loop_skips += what == GEN_DO_EXECZ && w->ins[i].op == OP_LOOP;
		gcn_met.tails += what == GEN_DO_FREE && w->ins[i].op == OP_ELSE;
	}
}

/* Skipping an arm without active lanes is an optimization only, so any choice must be correct. */
static void
draw_skips(struct wave *w)
{
	for (uint32_t i = 1; i < w->ir->n; i++) {
		struct gen_plan *p = &w->g.plan[i];

		if (op_flow[w->ins[i].op] != FLOW_OPEN && op_flow[w->ins[i].op] != FLOW_ELSE)
			continue;
		p->flags &= (uint16_t) ~(GEN_LOADS | GEN_LOOPS);
		p->cost = unit_random(&w->rng) % 2 ? 0 : UINT8_MAX;
	}
}

bool
gcn_wave_agrees(struct gcn_rig *r, const struct gcn_ruleset *rules, const struct gcn_way *way,
		uint64_t seed, char why[128])
{
	static struct wave w; /* too large for a stack */

	memset(&w, 0, sizeof w);
	w = (struct wave){ .r = r,
			   .ir = &r->body.ir,
			   .ins = r->body.ir.ins,
			   .way = way,
			   .rules = rules,
			   .rng = { seed },
			   .why = why,
			   .all = (UINT64_C(1) << way->lanes) - 1 };
	w.exec = w.all;
	w.g = (struct gen){ .in = &r->in, .t = &r->target };
	w.g.plan = arena_zalloc(&r->f.mem, r->body.ir.n * sizeof *w.g.plan);
	if (!w.g.plan)
		return fails(&w, "no memory", 0);
	rules->plan(&w.g);
	if (way->any_skips)
		draw_skips(&w);
	if (!rules->exec_init(&w.g))
		return fails(&w, "no memory", 0);
	for (uint32_t i = 1; i < w.ir->n; i++) {
		rules->exec_at(&w.g, i);
		code[i].n = w.g.exec.n_act;
		memcpy(code[i].act, w.g.exec.act, w.g.exec.n_act * sizeof *w.g.exec.act);
		census(&w, i);
	}
	gcn_met.bodies++;
	gcn_regs_assign(&w.regs, r, w.g.plan, way->by_plan, &w.rng);
	if (!run(&w))
		return false;
	if (w.exec != w.all)
		return fails(&w, "lanes are missing at the end", w.ir->n);
	for (uint32_t lane = 0; lane < way->lanes; lane++) {
		struct gcn_trace want = gcn_body_run(w.ir, lane);

		if (w.trace[lane].n != want.n || w.trace[lane].hash != want.hash)
			return fails(&w, "stores differ", lane);
	}
	return true;
}

/* -- Many bodies ------------------------------------------------------------------------------ */

void
gcn_wave_all_agree(struct unit_ctx *t, const struct gcn_way *way, uint32_t usual)
{
	uint32_t n = gcn_body_count(usual);
	struct gcn_rig r;
	char why[128];

	memset(&gcn_met, 0, sizeof gcn_met);
	if (!gcn_rig_open(&r, t))
		return;
	for (uint64_t seed = 1; seed <= n && !t->n_failed; seed++) {
		if (!gcn_rig_make(&r, seed))
			break;
		bool good = gcn_wave_agrees(&r, &gcn_ruleset, way, seed, why);
		if (!good)
			gcn_rig_print(&r, seed);
		UNIT_CHECK(t, good, "seed %llu: %s", (unsigned long long)seed, why);
	}
	gcn_rig_close(&r);
}

void
gcn_wave_without(struct unit_ctx *t, const struct gcn_way *way, const struct gcn_left_out *rows,
		 uint32_t n)
{
	enum { ENOUGH = 1000 /* bodies, within which each fault must be detected */ };
	struct gcn_rig r;

	if (!gcn_rig_open(&r, t))
		return;
	for (uint32_t k = 0; k < n; k++) {
		uint32_t seed = 0;
		bool reported = false;
		char why[128];

		gcn_fault = rows[k].fault;
		while (!reported && seed < ENOUGH && gcn_rig_make(&r, ++seed))
			reported = !gcn_wave_agrees(&r, &gcn_ruleset_without, way, seed, why);
		if (getenv("QD_TEST_VERBOSE"))
			fprintf(stderr, "without %s: %s, body %u\n", rows[k].name, why, seed);
		UNIT_CHECK(t, reported, "no finding reports that '%s' was removed", rows[k].name);
	}
	gcn_fault = FAULT_NONE;
	gcn_rig_close(&r);
}
