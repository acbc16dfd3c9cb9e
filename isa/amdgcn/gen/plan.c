/* The backward walk: how long each value lives, and who makes it.
 *
 * What it must hold for whoever follows it with registers: a register is free behind the
 * instruction that is its value's end, a GET is its variable's register, what is made INTO
 * a variable is written there at once, and what is FUSEd is computed at its root, the
 * nearest user that is not fused itself.
 *
 * Of a variable two things are told from each other: TOUCHED, it is read between here and
 * its next write, so that no value made above may be written there early; and link, that
 * next write itself, which a GET above it must not outlive.  A fused reader is met above
 * its root, behind writes that stand between the two: there only link knows. */
#include "gen.h"

/* A test compiles this file once more with a rule left out, and must see it. */
#ifndef PLAN_RULE
#define PLAN_RULE(name) true
#endif

enum role { ROLE_VALUE, ROLE_ALIAS, ROLE_VAR, ROLE_GET, ROLE_SET, ROLE_PAIR };

static const uint8_t role_of[N_OP] = {
#define ROLE(op, role) [OP_##op] = ROLE_##role,
#include "plan.def"
};

/* What a lane computes: most of a body, of which there is little to ask. */
static const bool is_alu[N_OP] = {
#define OP(name, text, sig, types, scope, effect, level, absent, expand, combine, doc)              \
	[OP_##name] = EXPAND_##expand == EXPAND_alu,
#include "op.def"
};

static const uint16_t single_types[N_OP] = {
#define SINGLE(op, types) [OP_##op] = types,
#include "plan.def"
};

enum want { WANT_THREAD = 1, WANT_BLOCK = 2, WANT_WORD = 4, WANT_FIRST = 8, WANT_COUNT = 16 };

static const uint8_t wants_of[N_OP] = {
#define WANT(op, what) [OP_##op] = WANT_##what,
#include "plan.def"
};

/* -- The table of pairs ---------------------------------------------------------------- */

enum fused {
	FUSED_NONE,
#define FUSED(op) FUSED_##op,
#include "fuse.def"
	N_FUSED
};

/* What a reader of it has to look at: N_FUSED is a variable's value. */
static const uint8_t fused_of[N_OP] = {
	[OP_GET] = N_FUSED,
#define FUSED(op) [OP_##op] = FUSED_##op,
#include "fuse.def"
};

enum at { AT_A = 1, AT_B = 2, AT_C = 4, AT_AB = AT_A | AT_B, AT_ABC = AT_AB | AT_C };
enum where { WHERE_ANY, WHERE_V };
enum when {
	WHEN_ALWAYS,
	WHEN_COUNT,
	WHEN_POWER,
	WHEN_FIELD,
	WHEN_DPP,
	WHEN_LANES,
	WHEN_NEXT,
	WHEN_WRAPS,
	WHEN_ADDRESS,
	WHEN_NARROW
};
enum share { SHARE_FREE, SHARE_ALONE };

struct pair {
	uint16_t types;
	uint8_t at, where, when, share;
};

/* at 0: no pair. */
static const struct pair pairs[N_OP][N_FUSED] = {
#define FUSE(user, at, op, types, where, when, share)                                              \
	[OP_##user][FUSED_##op] = { types, AT_##at, WHERE_##where, WHEN_##when, SHARE_##share },
#include "fuse.def"
};

/* -- The walk ---------------------------------------------------------------------------- */

struct walk {
	struct gen *g;
	const struct ir *ir;
	const struct ins *ins; /* its */
	const uint32_t *uses;
	const uint8_t *level;
	struct gen_plan *plan;
	uint32_t block; /* the innermost opener around here: IF, ELSE, LOOP, BLOCK; 0: none */
	uint32_t loop;	/* the innermost open loop, or 0 */
	uint32_t jump;	/* the nearest jump below, or GEN_NEVER */
	uint32_t n_open;
};

static qd_type
lead_type(const struct walk *w, uint32_t i)
{
	return ir_lead_type(w->ir, &w->ins[i]);
}

/* The END of the outermost open loop that begins behind v, or 0. */
static uint32_t
repeated_until(const struct walk *w, uint32_t v)
{
	uint32_t end = 0;

	for (uint32_t loop = w->loop; loop > v; loop = w->plan[end].link)
		end = w->plan[loop].end;
	return PLAN_RULE(LOOP_END) ? end : 0;
}

/* v is read at `at`. */
static inline void
lives(const struct walk *w, uint32_t v, uint32_t at)
{
	struct gen_plan *p = &w->plan[v];

	if (w->loop) {
		uint32_t until = repeated_until(w, v);
		at = until > at ? until : at;
	}
	if (at > p->end && (PLAN_RULE(LATEST) || !p->end))
		p->end = at;
}

/* -- Fusing -------------------------------------------------------------------------------- */

static bool
constant(const struct walk *w, uint32_t v, uint64_t *bits)
{
	if (!v || w->ins[v].op != OP_CONST)
		return false;
	*bits = const_bits(&w->ins[v]);
	return true;
}

static bool
is_lane(const struct walk *w, uint32_t v)
{
	while (w->ins[v].op == OP_BITCAST)
		v = w->ins[v].a;
	return w->ins[v].op == OP_LANE;
}

/* Are a and b the two words of a mask of 64 lanes? */
static bool
is_whole_ballot(const struct walk *w, uint32_t a, uint32_t b)
{
	const struct ins *x = &w->ins[a], *y = &w->ins[b];

	return x->op == OP_BALLOT_WORD && y->op == OP_BALLOT_WORD && x->a == y->a && x->x + y->x == 1;
}

/* Does it hold in the wave's first lane alone? */
static bool
is_first_lane(const struct walk *w, uint32_t cond)
{
	const struct ins *s = &w->ins[cond];
	uint64_t wave = w->g->in->target->m.lanes, bits = 0;

	if (s->op != OP_EQ || !constant(w, s->b, &bits) || bits)
		return false;
	if (is_lane(w, s->a))
		return true;
	s = &w->ins[s->a];
	return s->op == OP_AND && constant(w, s->b, &bits) && (~bits & (wave - 1)) == 0 && is_lane(w, s->a);
}

/* Is v what a shuffle takes the low bits of for its lane's number? */
static bool
is_address(const struct walk *w, uint32_t v)
{
	const struct ins *root = &w->ins[w->plan[v].end];
	uint32_t and = root->op == OP_SHUFFLE ? root->b : 0;

	return and && w->plan[and].flags & GEN_FUSE && (v == and || (w->uses[v] == 1 && w->ins[and].a == v));
}

/* Operand j of i is v. */
static bool
holds(const struct walk *w, enum when when, uint32_t i, uint32_t j, uint32_t v)
{
	const struct ins *s = &w->ins[v];
	uint64_t bits = 0;

	switch (when) {
	case WHEN_ALWAYS: break;
	case WHEN_COUNT: return constant(w, s->b, &bits);
	case WHEN_POWER:
		return (constant(w, s->b, &bits) || constant(w, s->a, &bits)) && bits &&
		       !(bits & (bits - 1));
	case WHEN_FIELD:
		return constant(w, s->b, &bits) && constant(w, w->ins[i].arg[1 - j], &bits) &&
		       bits && !(bits & (bits + 1));
	case WHEN_LANES:
		if (!constant(w, w->ins[i].b, &bits))
			return false;
		if ((uint32_t)bits == UINT32_MAX)
			return is_whole_ballot(w, s->a, s->b);
		return !bits && constant(w, s->b, &bits) && is_lane(w, s->a);
	case WHEN_NEXT: return s->x == PATTERN_SHIFT && s->b == 1 && is_first_lane(w, w->ins[i].a);
	case WHEN_WRAPS:
		return constant(w, s->b, &bits) && w->level[v] >= LEVEL_VARYING &&
		       (~bits & (w->g->in->target->m.lanes - 1)) == 0 &&
		       w->g->t->wraps & w->g->in->target->m.lanes;
	case WHEN_NARROW: return w->g->in->target->m.lanes <= 32;
	case WHEN_ADDRESS: return constant(w, s->b, &bits) && is_address(w, i);
	case WHEN_DPP: return s->b < 16 && (w->g->t->dpp[s->x] >> s->b & 1);
	}
	return true;
}

/* Does i make v, its operand j, itself, which nobody else uses?  *alone: it makes one that wants
 * to be alone. */
static bool
fuses(const struct walk *w, uint32_t i, uint32_t j, uint32_t v, bool *alone)
{
	const struct pair *p = &pairs[w->ins[i].op][fused_of[w->ins[v].op]];

	if (!(p->at >> j & 1) || v < w->block || !(p->types >> lead_type(w, v) & 1))
		return false;
	if (p->where == WHERE_V && gen_place(w->g->t, lead_type(w, i), w->level[i]) == GEN_S)
		return false;
	if (p->share == SHARE_ALONE && (*alone || (w->plan[i].flags & GEN_FUSE)))
		return false;
	if (!holds(w, (enum when)p->when, i, j, v))
		return false;
	*alone |= p->share == SHARE_ALONE;
	if (p->when == WHEN_LANES && w->ins[w->ins[v].a].op != OP_BALLOT_WORD)
		w->plan[v].flags |= GEN_LANES;
	return true;
}

/* -- Variables ---------------------------------------------------------------------------- */

/* Would a SET here change some lanes of a mask alone?  So it does under what varies and was
 * opened behind the variable. */
static bool
merges(const struct walk *w, uint32_t var)
{
	if (w->ins[var].type != QD_TYPE_BOOL)
		return false;
	for (uint32_t at = w->block; at > var; at = w->plan[at].link)
		if (w->level[at] >= LEVEL_VARYING)
			return true;
	return false;
}

static void
plan_set(struct walk *w, uint32_t i)
{
	uint32_t var = w->ins[i].a, x = w->ins[i].b;
	struct gen_plan *v = &w->plan[var];
	qd_type type = (qd_type)w->ins[var].type;

	if (v->cand)
		w->plan[v->cand].flags &= (uint16_t)~GEN_INTO;
	v->cand = 0;
	v->link = i;
	v->flags &= (uint16_t)~GEN_TOUCHED;
	/* Made here, behind the variable, for this alone, at once, and where it goes to. */
	if (w->uses[x] != 1 || x < w->block || x < var ||
	    (PLAN_RULE(SINGLE) && !(single_types[w->ins[x].op] >> lead_type(w, x) & 1)) ||
	    gen_place(w->g->t, type, w->level[var]) != gen_place(w->g->t, type, w->level[x]) ||
	    (PLAN_RULE(MERGE) && merges(w, var)))
		return;
	v->cand = x;
	w->plan[x].flags |= GEN_INTO;
	w->plan[x].link = var;
}

static void
plan_into(struct walk *w, uint32_t i)
{
	struct gen_plan *v = &w->plan[w->plan[i].link];

	/* Who leaves before the SET must find the old value. */
	if ((PLAN_RULE(TOUCHED) && (v->flags & GEN_TOUCHED)) ||
	    (PLAN_RULE(JUMP) && w->jump < v->link))
		w->plan[i].flags &= (uint16_t)~GEN_INTO;
	else if (PLAN_RULE(LINK))
		v->link = i;
	v->cand = 0;
}

static void
plan_get(struct walk *w, uint32_t i)
{
	struct gen_plan *v = &w->plan[w->ins[i].a], *p = &w->plan[i];

	v->flags |= GEN_TOUCHED;
	if (v->link && v->link < p->end) {
		if (PLAN_RULE(COPY))
			p->flags |= GEN_COPY;
	} else if (p->end > v->end) {
		v->end = p->end;
	}
}

/* -- Constructs --------------------------------------------------------------------------- */

static void
open_arm(struct walk *w, uint32_t at, uint32_t around, uint32_t end)
{
	w->plan[at].end = end;
	w->plan[at].link = around;
	w->plan[at].cand = GEN_NEVER;
	w->block = at;
}

/* Control flow is met from its END on. */
static void
plan_close(struct walk *w, uint32_t i)
{
	uint32_t opener = w->ins[i].x, other = w->ins[opener].x;

	open_arm(w, opener, w->block, i);
	if (other != i)
		open_arm(w, other, opener, i);
	if (w->ins[opener].op == OP_LOOP) {
		w->plan[i].link = w->loop;
		w->loop = opener;
	}
	if (++w->n_open > w->g->n_nest)
		w->g->n_nest = w->n_open;
}

/* What is inside `arm` is inside `around` as well. */
static void
inherit(const struct walk *w, uint32_t around, uint32_t arm)
{
	const struct gen_plan *p = &w->plan[arm];
	struct gen_plan *o = &w->plan[around];
	unsigned cost = (unsigned)o->cost + p->cost;

	if (!around)
		return;
	o->flags |= p->flags & (GEN_LOADS | GEN_LOOPS);
	o->cost = (uint8_t)(cost > UINT8_MAX ? UINT8_MAX : cost);
	if (p->cand < o->cand)
		o->cand = p->cand;
}

/* Its first instruction has been passed: the arm is complete. */
static void
close_arm(struct walk *w, uint32_t at)
{
	struct gen_plan *p = &w->plan[at];

	if (p->cand < at)
		p->flags |= GEN_JUMPS;
	w->block = p->link;
}

static void
plan_open(struct walk *w, uint32_t i)
{
	uint32_t other = w->ins[i].x, around = w->plan[i].link;

	close_arm(w, i);
	if (w->ins[i].op == OP_LOOP) {
		w->loop = w->plan[w->plan[i].end].link;
		if (around)
			w->plan[around].flags |= GEN_LOOPS;
	}
	inherit(w, around, i);
	if (other != w->plan[i].end)
		inherit(w, around, other);
	w->n_open--;
}

static void
plan_else(struct walk *w, uint32_t i)
{
	struct gen_plan *p = &w->plan[i];

	/* Its IF stands further up than any that it could leave. */
	if (p->cand < p->link)
		p->flags |= GEN_JUMPS;
	w->block = p->link;
}

static void
plan_jump(struct walk *w, uint32_t i)
{
	w->jump = i;
	if (w->block && w->ins[i].x < w->plan[w->block].cand)
		w->plan[w->block].cand = w->ins[i].x;
}

/* -- The launch ---------------------------------------------------------------------------- */

static void
want_words(struct walk *w, uint32_t at, uint32_t size)
{
	assert(at % 4 == 0 && size % 4 == 0 && at + size <= 4 * GEN_ARG_WORDS);
	for (uint32_t n = at / 4; n < (at + size) / 4; n++)
		w->g->wants.words[n / 32] |= 1u << n % 32;
}

static void
plan_wants(struct walk *w, uint32_t i)
{
	const struct ins *s = &w->ins[i];
	const struct qd_kernel *k = w->g->in->k;
	uint8_t what = wants_of[s->op];

	switch ((enum x_kind)op_sig((enum op)s->op)->x) {
	case X_PARAM:
		want_words(w, k->params[s->x].offset, type_info[k->params[s->x].type].size);
		break;
	case X_BUFFER: want_words(w, k->params[s->x].offset + 8, 4); break;
	case X_MEMORY:
		/* Address and length are most of what describes a buffer to the hardware. */
		if (w->g->in->body->mems[s->x].space == SPACE_GLOBAL)
			want_words(w, k->params[s->x].offset, 16);
		break;
	default: break;
	}
	w->g->wants.thread |= (what & WANT_THREAD) != 0;
	w->g->wants.block |= (what & WANT_BLOCK) != 0;
	if (what & WANT_WORD)
		want_words(w, 4 * s->x, 4);
	if (what & WANT_FIRST)
		want_words(w, k->tail + 4 * TAIL_BLOCK_BASE, 4);
	if (what & WANT_COUNT)
		want_words(w, k->tail + 4 * TAIL_N_BLOCKS, 4);
}

/* What the construct around it must know. */
static inline void
count_alu(struct walk *w)
{
	struct gen_plan *p = &w->plan[w->block];

	if (w->block)
		p->cost = (uint8_t)(p->cost + (p->cost < UINT8_MAX));
}

static void
count(struct walk *w, uint32_t i)
{
	const struct op_info *info = &op_info[w->ins[i].op];
	struct gen_plan *p = &w->plan[w->block];

	if (!w->block)
		return;
	if (info->scope != SCOPE_LANE || info->effect == EFFECT_READ ||
	    info->effect == EFFECT_ATOMIC || info->effect == EFFECT_SYNC)
		p->flags |= GEN_LOADS;
	if (info->expand != EXPAND_constant && p->cost < UINT8_MAX)
		p->cost++;
}

/* -- One instruction ------------------------------------------------------------------------ */

/* Where i reads its operands. */
static uint32_t
read_at(const struct walk *w, uint32_t i)
{
	struct gen_plan *p = &w->plan[i];

	if (role_of[w->ins[i].op] == ROLE_ALIAS)
		return p->end;
	if (w->ins[i].op == OP_BALLOT_WORD)
		return p->end > i ? p->end : i; /* the register of a mask, where it has one */
	if (!(p->flags & GEN_FUSE))
		return i;
	/* Lanes that a jump takes away are still wanted by the others. */
	if (PLAN_RULE(LANES) && op_info[w->ins[i].op].scope != SCOPE_LANE && w->jump < p->end) {
		p->flags &= (uint16_t)~GEN_FUSE;
		return i;
	}
	return p->end;
}

/* i reads its operands at `at`. */
static inline void
plan_operands(struct walk *w, uint32_t i, uint32_t at)
{
	const struct ins *s = &w->ins[i];
	uint32_t values = op_values[s->op];
	bool alone = false;

	for (uint32_t j = 0; values; values >>= 1, j++) {
		uint32_t v = s->arg[j];

		if (!(values & 1) || !v)
			continue;
		lives(w, v, at);
		uint32_t what = fused_of[w->ins[v].op];
		if (what == N_FUSED)
			w->plan[w->ins[v].a].flags |= GEN_TOUCHED;
		else if (what && w->uses[v] == 1 && fuses(w, i, j, v, &alone))
			w->plan[v].flags |= GEN_FUSE;
	}
}

/* Its words are made where it stands. */
static void
plan_pair(struct walk *w, uint32_t i)
{
	const struct ins *s = &w->ins[i];

	for (uint32_t j = 0; j < 2 && !(w->plan[i].flags & GEN_FUSE); j++) {
		uint32_t v = s->arg[j];

		while (w->ins[v].op == OP_BITCAST && w->uses[v] == 1)
			v = w->ins[v].a;
		if (w->uses[v] != 1 || v < w->block)
			continue;
		w->plan[v].flags |= j ? GEN_HALF | GEN_HIGH : GEN_HALF;
		w->plan[v].link = i;
	}
}

/* All but what makes a value of its own out of others', as most do. */
static void
plan_other(struct walk *w, uint32_t i)
{
	switch ((enum flow_kind)op_flow[w->ins[i].op]) {
	case FLOW_CLOSE: plan_close(w, i); return;
	case FLOW_ELSE: plan_else(w, i); return;
	case FLOW_OPEN: plan_open(w, i); break;
	case FLOW_JUMP: plan_jump(w, i); break;
	case FLOW_NONE: break;
	}
	if (is_alu[w->ins[i].op]) {
		count_alu(w);
	} else {
		count(w, i);
		plan_wants(w, i);
	}
	if (w->plan[i].flags & GEN_INTO)
		plan_into(w, i);
	switch ((enum role)role_of[w->ins[i].op]) {
	case ROLE_SET: plan_set(w, i); break;
	case ROLE_GET: plan_get(w, i); break;
	case ROLE_PAIR: plan_pair(w, i); break;
	case ROLE_VALUE:
	case ROLE_ALIAS:
	case ROLE_VAR: break;
	}
	if (!(w->plan[i].flags & GEN_LANES))
		plan_operands(w, i, read_at(w, i));
}

void
gen_plan(struct gen *g)
{
	const struct body *body = g->in->body;
	struct walk w = { .g = g,
			  .ir = &body->ir,
			  .ins = body->ir.ins,
			  .uses = body->uses,
			  .level = body->level,
			  .plan = g->plan,
			  .jump = GEN_NEVER };

	g->n_nest = 0;
	g->wants = (struct gen_wants){ .thread = false };
	for (uint32_t i = body->ir.n; i-- > 1;) {
		uint32_t op = w.ins[i].op;

		if (QD_LIKELY(is_alu[op] && !w.plan[i].flags && role_of[op] == ROLE_VALUE)) {
			count_alu(&w);
			plan_operands(&w, i, i);
		} else if (op != OP_CONST) { /* of which there is nothing to say */
			plan_other(&w, i);
		}
	}
	assert(!w.n_open && !w.block && !w.loop);
}
