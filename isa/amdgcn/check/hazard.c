/* Applies the rules of hazard.def: for each instruction that matches the later
 * instruction of a rule, searches backward over all paths.
 *
 * The state of a path is the step that it looks for and its distance so far. For the same
 * step, the nearer path finds everything that the farther one does, so a block is walked
 * again only for a smaller distance. A match never ends the path: a farther match may
 * complete the rule when the nearest does not. If a step compares registers with those of
 * the preceding match (BEFORE), the rest of the rule depends on that line only and is
 * searched once. */
#include "rule.h"

#include "table.h"

/* -- Search ----------------------------------------------------------------------- */

enum { MAX_TRANS = 2 };

struct search {
	const struct cfg *f;
	struct gcn_hazard_line *line;
	struct gcn_hazard_block *block;
	uint32_t stamp;
	const struct gcn_rule *rule;
	bool found;
	struct gcn_hazard worst;
	unsigned worst_rank;
};

/* A search from the line `at`, whose registers count. `one` is the register of `at`
 * being searched for; `other` is the register for REL_OTHER. n is 0 if any register
 * matches. */
struct walk {
	uint32_t at, later, stamp, queue;
	struct gcn_range one, other;
	bool chained;
	uint8_t touch;  /* chained search: touch of `at` */
	uint32_t chain; /* chained search: the result */
};
struct path {
	uint32_t first; /* line that matched the first step */
	uint16_t count;
	uint8_t trans, step;
};

static unsigned
cost(const struct search *s, uint32_t i, const struct gcn_step *st)
{
	const struct gcn_effect *e = &s->line[i].effect;

	if (st->need[0] == GCN_ANY_DISTANCE)
		return 0;
	switch (st->count) {
	case COUNT_WS: return s->line[i].states;
	case COUNT_LINES: return 1;
	case COUNT_SALU:
		return (e->class == CL_SALU || e->class == CL_BRANCH) &&
		       gcn_rows[s->f->line[i].insn.row].format != GCN_SOPP;
	case COUNT_SGPR:
		return (s->line[i].traits & T(WRITES_SGPR)) && e->class <= CL_MATRIX;
	default: return e->class == CL_VALU || e->class == CL_MATRIX;
	}
}

static bool
related(unsigned relation, const struct gcn_range *x, const struct gcn_range *y, bool same_opcode)
{
	bool same = x->first == y->first && x->n == y->n && x->half == y->half;

	if (x->file != y->file)
		return false;
	switch (relation) {
	case REL_EXACT: return same;
	case REL_PARTIAL: return !same && gcn_overlap(x, y);
	case REL_SAME_OPCODE: return same_opcode && gcn_overlap(x, y);
	case REL_OTHER_OPCODE: return !same_opcode && gcn_overlap(x, y);
	case REL_PAIR:
		return x->first >> 1 <= (y->first + y->n - 1) >> 1 &&
		       y->first >> 1 <= (x->first + x->n - 1) >> 1;
	default: return gcn_overlap(x, y);
	}
}

/* Returns true if a register of the line that the touch selects overlaps r or, for
 * REL_PAIR, shares a register pair with it. */
static bool
touches(const struct gcn_hazard_line *l, unsigned touch, unsigned relation, const struct gcn_range *r)
{
	for (unsigned i = 0; i < l->effect.n_range; i++) {
		if (gcn_touched(&l->effect.range[i], &gcn_touches[touch]) &&
		    related(relation, &l->effect.range[i], r, false))
			return true;
	}
	return false;
}

static bool
meets(const struct search *s, const struct walk *w, const struct gcn_step *st, uint32_t mine)
{
	const struct gcn_effect *a = &s->line[mine].effect, *b = &s->line[w->at].effect;
	bool same = s->line[mine].opcode == s->line[w->at].opcode;

	if (st->relation == REL_HWREG)
		return ((s->f->line[mine].insn.field[GCN_F_SIMM] ^ s->f->line[w->at].insn.field[GCN_F_SIMM]) & 63) == 0;
	if (st->relation == REL_SCRATCH)
		return gcn_scratch_halves(&s->f->line[mine].insn, a, true) &
		       gcn_scratch_halves(&s->f->line[w->at].insn, b, false);
	if (st->relation == REL_ANY && st->touch == TOUCH_NONE)
		return true;
	if (st->relation != REL_ANY && w->one.n)
		return touches(&s->line[mine], st->touch, REL_OVERLAP,
			       st->relation == REL_OTHER ? &w->other : &w->one);
	for (unsigned i = 0; i < a->n_range; i++) {
		if (!gcn_touched(&a->range[i], &gcn_touches[st->touch]))
			continue;
		if (st->relation == REL_ANY)
			return true;
		for (unsigned k = 0; k < b->n_range; k++) {
			if (gcn_touched(&b->range[k], &gcn_touches[w->chained ? w->touch : st->other]) &&
			    related(st->relation, &a->range[i], &b->range[k], same))
				return true;
		}
	}
	return false;
}

static unsigned
longest(const struct gcn_step *st)
{
	unsigned n = 0;

	for (unsigned i = 0; i < 4; i++)
		n = st->need[i] > n ? st->need[i] : n;
	return n;
}

static void
report(struct search *s, uint32_t later, uint32_t earlier, uint32_t middle, unsigned missing)
{
	unsigned rank = missing ? missing : 1;

	if (s->found && rank <= s->worst_rank)
		return;
	s->found = true;
	s->worst_rank = rank;
	s->worst = (struct gcn_hazard){ .rule = s->rule->name,
					.what = s->rule->what,
					.fix = s->rule->fix,
					.earlier = earlier,
					.middle = middle,
					.later = later,
					.missing = (uint16_t)missing };
}

static void walk_up(struct search *s, struct walk *w, uint32_t from, struct path p);
static uint32_t chain_of(struct search *s, uint32_t line, unsigned touch);

/* Line i matches the path's step, with `missing` wait states too few. */
static void
step_found(struct search *s, struct walk *w, uint32_t i, const struct path *p, unsigned missing)
{
	const struct gcn_step *next = &s->rule->step[p->step + 1];
	struct path q = { .first = p->step ? p->first : i, .step = (uint8_t)(p->step + 1) };
	uint32_t chain;

	if (p->step + 1 == GCN_RULE_STEPS || !next->event) {
		if (w->chained)
			w->chain = i;
		else
			report(s, w->later, i, p->first, missing);
		return;
	}
	if (next->partner < PARTNER_BEFORE) {
		if (next->partner == PARTNER_CONTINUE)
			q.count = (uint16_t)(p->count + cost(s, i, next));
		walk_up(s, w, i, q);
		return;
	}
	chain = chain_of(s, i, next->other);
	if (chain != GCN_NOWHERE)
		report(s, w->later, chain, q.first, missing);
}

static uint32_t
mark_of(uint32_t block, uint32_t step, uint32_t trans)
{
	return block * GCN_HAZARD_MARKS + step * MAX_TRANS + trans;
}

/* Examines one line of a path. Returns false if the path ends there. */
static bool
look(struct search *s, struct walk *w, uint32_t i, struct path *p)
{
	const struct gcn_step *st = &s->rule->step[p->step];
	const struct gcn_hazard_line *l = &s->line[i];
	unsigned need = longest(st), own;
	bool ended, any;

	if (s->f->line[i].flags & LINE_UNKNOWN)
		return false;
	ended = st->own_event && gcn_is(l, st->own_event) &&
		touches(l, st->own_touch, REL_OVERLAP, &w->one);
	if (ended && st->relation == REL_OTHER)
		return false;
	own = st->need[l->passes];
	any = own == GCN_ANY_DISTANCE;
	if (gcn_is(l, st->event) && (any || p->count < own) && meets(s, w, st, i)) {
		step_found(s, w, i, p, st->count == COUNT_WS && !any ? own - p->count : 0);
		if (st->relation == REL_OTHER) /* the value comes from this line */
			return false;
	}
	if (ended)
		return false;
	if (l->events & st->ends)
		return false;
	p->count = (uint16_t)(p->count + cost(s, i, st));
	if (st->count == COUNT_VALU_TRANS && (l->effect.flags & E(TRANS)) && ++p->trans >= MAX_TRANS)
		return false;
	return need == GCN_ANY_DISTANCE || p->count < need;
}

static void
enqueue(struct search *s, struct walk *w, uint32_t block, const struct path *p)
{
	uint32_t n = mark_of(block, p->step, p->trans);
	struct gcn_hazard_mark *m = &s->block[block].mark[n % GCN_HAZARD_MARKS];

	if (m->stamp == w->stamp && m->count <= p->count)
		return;
	if (m->stamp != w->stamp || !m->queued) {
		m->next = w->queue;
		w->queue = n;
	}
	m->stamp = w->stamp;
	m->queued = true;
	m->first = p->first;
	m->count = p->count;
}

/* Walks the block backward from the line before `from`, then queues its predecessors. */
static void
walk_block(struct search *s, struct walk *w, uint32_t block, uint32_t from, struct path p)
{
	const struct gcn_block *b = &s->f->block[block];

	for (uint32_t i = from; i-- > b->first;) {
		if (!look(s, w, i, &p))
			return;
	}
	for (uint32_t k = 0; k < b->n_pred; k++) {
		uint32_t pred = s->f->edge[b->pred + k];
		if (s->f->block[pred].reached)
			enqueue(s, w, pred, &p);
	}
}

static void
walk_up(struct search *s, struct walk *w, uint32_t from, struct path p)
{
	walk_block(s, w, s->f->line[from].block, from, p);
}

static bool
done(const struct search *s, const struct walk *w)
{
	if (w->chained)
		return w->chain != GCN_NOWHERE;
	return s->found && !s->worst.missing && s->rule->step[0].need[0] == GCN_ANY_DISTANCE;
}

static void
run(struct search *s, struct walk *w, uint32_t from, struct path p)
{
	w->queue = GCN_NOWHERE;
	w->stamp = ++s->stamp;
	walk_up(s, w, from, p);
	while (w->queue != GCN_NOWHERE && !done(s, w)) {
		uint32_t n = w->queue, block = n / GCN_HAZARD_MARKS;
		struct gcn_hazard_mark *m = &s->block[block].mark[n % GCN_HAZARD_MARKS];
		const struct gcn_block *b = &s->f->block[block];
		w->queue = m->next;
		m->queued = false;
		walk_block(s, w, block, b->first + b->n_line,
			   (struct path){ .first = m->first,
					  .count = m->count,
					  .trans = (uint8_t)(n % MAX_TRANS),
					  .step = (uint8_t)(n % GCN_HAZARD_MARKS / MAX_TRANS) });
	}
}

/* Calls look_at for each register of the touch: whole vectors, single scalars. vcc is one
 * register in a wait; as a mask it has two halves. */
static void
each_register(struct search *s, struct walk *w, unsigned touch,
	      void (*look_at)(struct search *, struct walk *))
{
	const struct gcn_effect *e = &s->line[w->at].effect;

	for (unsigned i = 0; i < e->n_range; i++) {
		bool split = e->range[i].file == FILE_S &&
			     (w->chained || e->range[i].first != GCN_VCC);
		if (!gcn_touched(&e->range[i], &gcn_touches[touch]))
			continue;
		w->one = e->range[i];
		if (split)
			w->one.n = 1;
		for (unsigned k = 0; k < (split ? e->range[i].n : 1u); k++) {
			look_at(s, w);
			w->one.first++;
		}
	}
}

/* Runs one chained search from a line that a preceding step matched. */
static void
chain(struct search *s, struct walk *w)
{
	struct path p = { .first = w->at, .step = 1 };

	if (s->rule->step[1].partner != PARTNER_BEFORE_OR_AT || look(s, w, w->at, &p))
		run(s, w, w->at, p);
}

/* Returns the line that completes the rule before this line, or GCN_NOWHERE. `touch`
 * selects this line's registers. A line is always queried with the same touch, because a
 * line that matches a step does not also end it. */
static uint32_t
chain_of(struct search *s, uint32_t line, unsigned touch)
{
	struct gcn_hazard_line *l = &s->line[line];
	uint32_t rule = (uint32_t)(s->rule - gcn_rules) + 1;
	struct walk w = { .at = line, .chained = true, .touch = (uint8_t)touch, .chain = GCN_NOWHERE };

	if (l->chain_rule == rule)
		return l->chain;
	if (s->rule->step[1].own_event)
		each_register(s, &w, touch, chain);
	else
		chain(s, &w);
	l->chain_rule = (uint16_t)rule;
	return l->chain = w.chain;
}

static void
look_for(struct search *s, struct walk *w)
{
	run(s, w, w->at, (struct path){ .first = GCN_NOWHERE });
}

/* Searches with each other register that the line reads. */
static void
look_for_two(struct search *s, struct walk *w)
{
	const struct gcn_effect *e = &s->line[w->at].effect;

	for (unsigned k = 0; k < e->n_range; k++) {
		w->other = e->range[k];
		if (gcn_touched(&w->other, &gcn_touches[s->rule->touch]) &&
		    !related(REL_EXACT, &w->one, &w->other, false))
			look_for(s, w);
	}
}

/* Returns true if the line can be the rule's later instruction. */
static bool
concerns(const struct search *s, const struct gcn_rule *r, uint32_t later)
{
	const struct gcn_effect *e = &s->line[later].effect;

	if (!gcn_is(&s->line[later], r->event))
		return false;
	if (r->touch == TOUCH_NONE)
		return true;
	for (unsigned i = 0; i < e->n_range; i++) {
		if (gcn_touched(&e->range[i], &gcn_touches[r->touch]))
			return true;
	}
	return false;
}

static bool
apply(struct search *s, const struct gcn_rule *r, uint32_t later)
{
	struct walk w = { .at = later, .later = later };

	s->rule = r;
	s->found = false;
	if (!r->step[0].event)
		report(s, later, later, GCN_NOWHERE, 0);
	else if (r->step[0].own_event)
		each_register(s, &w, r->touch,
			      r->step[0].relation == REL_OTHER ? look_for_two : look_for);
	else
		look_for(s, &w);
	return s->found;
}

size_t
gcn_hazards_of(const struct cfg *f, struct gcn_hazard_line *line,
	       struct gcn_hazard_block *block, uint32_t features_off,
	       void (*found)(void *user, const struct gcn_hazard *h), void *user)
{
	const struct gcn_rule *in_force[GCN_N_RULE];
	struct search s = { .f = f, .line = line, .block = block };
	size_t n = 0, n_rule = 0;

	for (const struct gcn_rule *r = gcn_rules; r < gcn_rules + GCN_N_RULE; r++) {
		if (gcn_rule_holds(r, f->target, f->target->features & ~features_off))
			in_force[n_rule++] = r;
	}
	if (f->target->gen == GCN_G12)
		gcn_pairs_follow(f, line, block);
	for (size_t i = 0; i < f->n_block; i++)
		for (size_t k = 0; k < GCN_HAZARD_MARKS; k++)
			block[i].mark[k].stamp = 0;
	for (uint32_t i = 0; i < f->n_line; i++) {
		if (!f->block[f->line[i].block].reached)
			continue;
		for (size_t k = 0; k < n_rule; k++) {
			if (!concerns(&s, in_force[k], i) || !apply(&s, in_force[k], i))
				continue;
			n++;
			found(user, &s.worst);
		}
	}
	return n;
}

size_t
gcn_hazards(const struct cfg *f, struct gcn_hazard_line *line, struct gcn_hazard_block *block,
	    uint32_t features_off, void (*found)(void *user, const struct gcn_hazard *h),
	    void *user)
{
	for (size_t i = 0; i < f->n_line; i++)
		gcn_hazard_classify(f->target, &f->line[i], &line[i]);
	return gcn_hazards_of(f, line, block, features_off, found, user);
}
