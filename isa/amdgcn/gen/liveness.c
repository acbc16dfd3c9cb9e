/* Backward walk: determines each value's lifetime and the instruction that emits it.
 *
 * The plan guarantees these invariants to register allocation. A register is free after the
 * instruction that is its value's end. A GET shares its variable's register unless it is a COPY. An
 * INTO value is written to the variable's register immediately. A fused value is computed at its
 * root, the nearest user that is not fused.
 *
 * The walk tracks two facts for each variable. TOUCHED: it is read between here and its next write,
 * so no value above may be written to it early. link: its next write, which a GET above must not
 * outlive. A fused reader is visited above its root and above the writes between the two; only link
 * covers that case. */
#include "gen.h"

/* A test compiles this file with each rule disabled in turn and must detect it. */
#ifndef PLAN_RULE
#define PLAN_RULE(name) true
#endif

/* -- Properties of operations ------------------------------------------------------------ */

enum role { ROLE_VALUE, ROLE_ALIAS, ROLE_VAR, ROLE_GET, ROLE_SET, ROLE_PAIR, ROLE_BALLOT };
enum want { WANT_THREAD = 1, WANT_BLOCK = 2, WANT_WORD = 4, WANT_FIRST = 8, WANT_COUNT = 16 };

/* The X kinds that refer to launch inputs; 0 for all others. */
enum {
#define SIG(name, flow, x, ...)                                                                    \
	FLOW_BY_##name = FLOW_##flow,                                                              \
	X_BY_##name = X_##x == X_PARAM || X_##x == X_BUFFER || X_##x == X_MEMORY ? X_##x : 0,
#include "sig.def"
	N_BY
};

enum fused {
	FUSED_NONE,
#define FUSED(op) FUSED_##op,
#include "fuse.def"
	FUSED_VARIABLE, /* a variable's value */
	N_FUSED
};

/* COUNTED: emits instructions; ALU: lane arithmetic; MET: involves other lanes; LOAD: waits for
 * memory or for other lanes. */
enum is { IS_COUNTED = 1, IS_ALU = 2, IS_MET = 4, IS_LOAD = GEN_LOADS };

/* All properties in one row. Most rows of a typical body are nearly empty. */
static const struct fact {
	uint16_t single; /* leading types */
	uint8_t role, wants;
	uint8_t flow, x; /* enum flow_kind, enum x_kind */
	uint8_t is;	 /* enum is */
} facts[N_OP] = {
#define OP(name, text, sig, types, sc, eff, level, padding, expand, combine, doc)                   \
	[OP_##name].flow = FLOW_BY_##sig, [OP_##name].x = X_BY_##sig,                              \
	[OP_##name].is = (EXPAND_##expand == EXPAND_alu ? IS_ALU : 0) |                            \
			 (EXPAND_##expand != EXPAND_constant ? IS_COUNTED : 0) |                   \
			 (SCOPE_##sc != SCOPE_LANE ? IS_MET | IS_LOAD : 0) |                       \
			 (EFFECT_##eff == EFFECT_READ || EFFECT_##eff == EFFECT_ATOMIC ||          \
					  EFFECT_##eff == EFFECT_SYNC                              \
				  ? IS_LOAD                                                        \
				  : 0),
#include "op.def"
#define ROLE(op, what)	  [OP_##op].role = ROLE_##what,
#define SINGLE(op, types) [OP_##op].single = types,
#define WANT(op, what)	  [OP_##op].wants = WANT_##what,
#include "liveness.def"
};

/* Column of may_fuse, by the operand's operation. */
static const uint8_t fused_as[N_OP] = {
#define FUSED(op) [OP_##op] = FUSED_##op,
#include "fuse.def"
	[OP_GET] = FUSED_VARIABLE
};

/* -- Fusible pairs --------------------------------------------------------------------- */

enum at { AT_A = 1, AT_B = 2, AT_C = 4, AT_AB = AT_A | AT_B, AT_ABC = AT_AB | AT_C, AT_GET = 16 };
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
	WHEN_OFFSET,
	WHEN_NARROW,
	WHEN_RDNA,
	WHEN_RDNA3,
	WHEN_BIT,
	WHEN_SUM,
	WHEN_SCALAR,
	WHEN_LOW
};
enum share { SHARE_FREE, SHARE_ALONE };

enum pair_id {
#define FUSE(user, at, op, ...) PAIR_##user##_##op,
#include "fuse.def"
};
static const struct pair {
	uint16_t types;
	uint8_t where, when, share;
} pairs[] = {
#define FUSE(user, at, op, types, where, when, share)                                              \
	{ types, WHERE_##where, WHEN_##when, SHARE_##share },
#include "fuse.def"
};

/* Indexed by user and fused operand: the pair, and the operand positions at which it applies; 0:
 * none. The column of variable values applies to every user. */
static const struct may_fuse {
	uint8_t at, pair;
} may_fuse[N_OP][32] = {
#define OP(name, ...) [OP_##name][FUSED_VARIABLE] = { AT_GET, 0 },
#include "op.def"
#define FUSE(user, at, op, ...) [OP_##user][FUSED_##op] = { AT_##at, PAIR_##user##_##op },
#include "fuse.def"
};
_Static_assert(N_FUSED <= QD_COUNT(may_fuse[0]) && QD_COUNT(pairs) <= UINT8_MAX + 1, "all have a place");

/* -- Walk -------------------------------------------------------------------------------- */

struct walk {
	struct gen *g;
	const struct ir *ir;
	const struct ins *ins; /* ir->ins */
	const uint32_t *uses;
	const uint8_t *level;
	struct gen_plan *plan;
	uint32_t block; /* innermost enclosing opener: IF, ELSE, LOOP, BLOCK; 0: none */
	uint32_t loop;	/* the innermost open loop, or 0 */
	uint32_t jump;	/* the nearest jump below, or GEN_NEVER */
	uint32_t n_open;
	uint32_t alone; /* the last user that has fused a SHARE_ALONE operand */
	uint32_t wants; /* enum want, accumulated */
	uint32_t n_counted;  /* instructions counted so far */
	uint32_t load, loop_at; /* nearest IS_LOAD and nearest loop below, or GEN_NEVER */
};

static qd_type
lead_type(const struct walk *w, uint32_t i)
{
	return ir_lead_type(w->ir, &w->ins[i]);
}

bool
gen_is_single(const struct ir *ir, uint32_t x)
{
	return facts[ir->ins[x].op].single >> ir_lead_type(ir, &ir->ins[x]) & 1;
}

/* Returns the END of the outermost open loop that begins after v, or 0. */
static uint32_t
repeated_until(const struct walk *w, uint32_t v)
{
	uint32_t end = 0;

	for (uint32_t loop = w->loop; loop > v; loop = w->plan[end].link)
		end = w->plan[loop].end;
	return PLAN_RULE(LOOP_END) ? end : 0;
}

/* Extends the lifetime of v to a read at `at`. */
QD_INLINE void
lives(const struct walk *w, uint32_t v, uint32_t at)
{
	struct gen_plan *p = &w->plan[v];

	if (QD_UNLIKELY(v < w->loop)) {
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

/* Returns true if a and b are the two words of a 64-lane ballot. */
static bool
is_whole_ballot(const struct walk *w, uint32_t a, uint32_t b)
{
	const struct ins *x = &w->ins[a], *y = &w->ins[b];

	return x->op == OP_BALLOT_WORD && y->op == OP_BALLOT_WORD && x->a == y->a && x->x + y->x == 1;
}

/* Returns true if cond is true in the wave's first lane only. */
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

/* Returns true if v is the fused AND that masks a shuffle's lane index, or that AND's only operand. */
static bool
is_address(const struct walk *w, uint32_t v)
{
	const struct ins *root = &w->ins[w->plan[v].end];
	uint32_t and = root->op == OP_SHUFFLE ? root->b : 0;

	return and && w->plan[and].flags & GEN_FUSE &&
	       (v == and || (w->ins[v].op == OP_BITCAST && w->uses[v] == 1 && w->ins[and].a == v));
}

/* Returns true if v reads the other half of the wave on a target that cannot exchange halves, and i
 * combines the two halves. */
static bool
is_of_halves(const struct walk *w, uint32_t i, uint32_t v)
{
	const struct ins *s = &w->ins[v], *user = &w->ins[i];

	return s->x == PATTERN_PARTNER && s->b == 32 && w->g->in->target->m.lanes == 64 && w->g->t->x16 &&
	       !w->g->t->half && user->op != OP_SUB && (user->a == s->a || user->b == s->a);
}

/* Returns true if v, an operand of the ADD i, is 1 or 0 and not the same in all lanes. */
static bool
is_bit(const struct walk *w, uint32_t i, uint32_t v)
{
	const struct ins *s = &w->ins[v];
	uint64_t yes, no;

	return s->op == OP_SELECT && v >= w->block && w->level[v] >= LEVEL_VARYING &&
	       s->type == w->ins[i].type && constant(w, s->b, &yes) && yes == 1 &&
	       constant(w, s->c, &no) && no == 0;
}

/* Checks the condition for fusing v, operand j of i. */
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
	case WHEN_BIT: return is_bit(w, i, v);
	case WHEN_SUM: return w->uses[w->ins[i].arg[1 - j]] != 1 || !is_bit(w, i, w->ins[i].arg[1 - j]);
	case WHEN_LOW:
		return constant(w, s->b, &bits) && bits == 1 &&
		       (w->ins[i].op == OP_NEG || (constant(w, w->ins[i].a, &bits) && !bits));
	case WHEN_RDNA: return w->g->t->x16;
	case WHEN_RDNA3: return w->g->t->half;
	case WHEN_SCALAR: return w->level[v] < LEVEL_VARYING;
	case WHEN_OFFSET:
		return w->g->in->body->mems[w->ins[i].x].space == SPACE_SHARED &&
		       (constant(w, s->b, &bits) || constant(w, s->a, &bits));
	case WHEN_ADDRESS: return constant(w, s->b, &bits) && is_address(w, i);
	case WHEN_DPP:
		return s->b < 16 ? w->g->t->dpp[s->x] >> s->b & 1 : is_of_halves(w, i, v);
	}
	return true;
}

/* Fuses v, operand j of i and used only there, into i if pair p allows it. */
static QD_APART void
fuse(struct walk *w, const struct pair *p, uint32_t i, uint32_t j, uint32_t v)
{
	/* An index before the construct has its operand in all lanes that are active in it. */
	if ((v < w->block && p->when != WHEN_OFFSET) || !(p->types >> lead_type(w, v) & 1))
		return;
	if (p->where == WHERE_V && w->level[i] < LEVEL_VARYING &&
	    gen_regclass(w->g->t, lead_type(w, i), w->level[i]) == GEN_S)
		return;
	if (p->share == SHARE_ALONE && (w->alone == i || (w->plan[i].flags & GEN_FUSE)))
		return;
	if (!holds(w, (enum when)p->when, i, j, v))
		return;
	if (p->share == SHARE_ALONE)
		w->alone = i;
	if (p->when == WHEN_LANES && w->ins[w->ins[v].a].op != OP_BALLOT_WORD)
		w->plan[v].flags |= GEN_LANES;
	w->plan[v].flags |= GEN_FUSE;
}

/* -- Variables ---------------------------------------------------------------------------- */

/* Returns true if a SET here changes only some lanes of a mask, because a varying construct was
 * opened after the variable. */
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
	uint32_t next = v->link;
	qd_type type = (qd_type)w->ins[var].type;

	if (v->cand)
		w->plan[v->cand].flags &= (uint16_t)~GEN_INTO;
	v->cand = 0;
	v->link = i;
	v->flags &= (uint16_t)~GEN_TOUCHED;
	/* INTO requires that x is computed in this construct, after the variable, for no other
	 * variable, by one instruction, and in the variable's register class. */
	if (w->plan[x].flags & GEN_INTO || x < w->block || x < var ||
	    (PLAN_RULE(SINGLE) && !(facts[w->ins[x].op].single >> lead_type(w, x) & 1)) ||
	    gen_regclass(w->g->t, type, w->level[var]) != gen_regclass(w->g->t, type, w->level[x]) ||
	    (PLAN_RULE(MERGE) && merges(w, var)))
		return;
	v->cand = x;
	w->plan[x].flags |= GEN_INTO;
	w->plan[x].link = var;
	w->plan[x].cand = next;
}

static void
plan_into(struct walk *w, uint32_t i)
{
	struct gen_plan *x = &w->plan[i], *v = &w->plan[x->link];

	v->cand = 0;
	/* Lanes that jump out before the SET must find the old value. The readers of x find it in the
	 * variable's register until the next write. */
	if ((PLAN_RULE(TOUCHED) && (v->flags & GEN_TOUCHED)) ||
	    (PLAN_RULE(JUMP) && w->jump < v->link) || (PLAN_RULE(NEXT) && x->cand && x->cand < x->end)) {
		x->flags &= (uint16_t)~GEN_INTO;
		return;
	}
	if (PLAN_RULE(LINK))
		v->link = i;
	if (x->end > v->end && PLAN_RULE(OWNER))
		v->end = x->end;
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
	w->plan[at].cost = (uint16_t)w->n_counted;
	w->block = at;
}

/* The backward walk visits a construct's END first. */
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

/* Completes an arm at its opener. The loads and loops seen since its end are in the arm. */
static void
close_arm(struct walk *w, uint32_t at)
{
	struct gen_plan *p = &w->plan[at];
	uint32_t end = w->ins[at].x; /* the arm's ELSE or END */

	p->cost = (uint16_t)(end - at > UINT16_MAX ? UINT16_MAX : w->n_counted - p->cost);
	p->flags |= (uint16_t)((p->cand < at ? GEN_JUMPS : 0) | (w->load < end ? GEN_LOADS : 0) |
			       (w->loop_at < end ? GEN_LOOPS : 0));
}

/* Propagates to `around` the outermost construct that a jump in `arm` leaves. */
static void
inherit(const struct walk *w, uint32_t around, uint32_t arm)
{
	if (around && w->plan[arm].cand < w->plan[around].cand)
		w->plan[around].cand = w->plan[arm].cand;
}

static void
plan_open(struct walk *w, uint32_t i)
{
	uint32_t other = w->ins[i].x, end = w->plan[i].end, around = w->plan[i].link;

	close_arm(w, i);
	w->block = around;
	if (w->ins[i].op == OP_LOOP) {
		w->loop = w->plan[end].link;
		w->loop_at = i;
	}
	inherit(w, around, i);
	if (other != end)
		inherit(w, around, other);
	w->n_open--;
}

static void
plan_else(struct walk *w, uint32_t i)
{
	struct gen_plan *p = &w->plan[i];

	close_arm(w, i);
	/* Its IF stands further up than any that it could leave. */
	if (p->cand < p->link)
		p->flags |= GEN_JUMPS;
	w->block = p->link;
	w->plan[w->block].cost = (uint16_t)w->n_counted;
}

static void
plan_jump(struct walk *w, uint32_t i)
{
	w->jump = i;
	if (w->block && w->ins[i].x < w->plan[w->block].cand)
		w->plan[w->block].cand = w->ins[i].x;
}

/* -- Launch inputs ------------------------------------------------------------------------- */

static void
want_words(struct walk *w, uint32_t at, uint32_t size)
{
	assert(at % 4 == 0 && size % 4 == 0 && at + size <= 4 * GEN_ARG_WORDS);
	gen_set_bits(w->g->inputs.words, at / 4, size / 4, true);
}

/* Records the words of the argument block that the instruction reads. */
static void
plan_wants(struct walk *w, const struct ins *s, const struct fact *f)
{
	const struct qd_kernel *k = w->g->in->k;

	switch ((enum x_kind)f->x) {
	case X_PARAM:
		want_words(w, k->params[s->x].offset, type_info[k->params[s->x].type].size);
		break;
	case X_BUFFER: want_words(w, k->params[s->x].offset + 8, 4); break;
	case X_MEMORY:
		/* A buffer's descriptor consists mostly of its address and length. The words of the
		 * report buffer are loaded on use, which is rare. */
		if (w->g->in->body->mems[s->x].space == SPACE_TABLE)
			w->g->inputs.tables = true;
		else if (w->g->in->body->mems[s->x].space == SPACE_GLOBAL && s->x != w->g->in->body->report)
			want_words(w, k->params[s->x].offset, 16);
		break;
	default: break;
	}
	if (f->wants & WANT_WORD)
		want_words(w, 4 * s->x, 4);
	if (f->wants & WANT_FIRST)
		want_words(w, k->tail + 4 * TAIL_BLOCK_BASE, 4);
	if (f->wants & WANT_COUNT)
		want_words(w, k->tail + 4 * TAIL_N_BLOCKS, 4);
}

/* -- One instruction ------------------------------------------------------------------------ */

/* Returns the instruction at which i reads its operands. */
static uint32_t
read_at(const struct walk *w, uint32_t i, const struct fact *f)
{
	struct gen_plan *p = &w->plan[i];

	if (f->role == ROLE_ALIAS)
		return p->end;
	if (f->role == ROLE_BALLOT)
		return p->end > i ? p->end : i; /* it shares the register of a mask that has one */
	if (!(p->flags & GEN_FUSE))
		return i;
	/* A jump deactivates lanes whose values the other lanes still need. */
	if (PLAN_RULE(LANES) && f->is & IS_MET && w->jump < p->end) {
		p->flags &= (uint16_t)~GEN_FUSE;
		return i;
	}
	return p->end;
}

/* Fuses v, operand j, into i if possible. Marks the variable as read if v is its value. */
static QD_APART void
plan_pair_of(struct walk *w, const struct may_fuse *m, uint32_t i, uint32_t j, uint32_t v)
{
	if (m->at == AT_GET)
		w->plan[w->ins[v].a].flags |= GEN_TOUCHED;
	else if (w->uses[v] == 1)
		fuse(w, &pairs[m->pair], i, j, v);
}

/* Records that i reads v, its operand j, at `at`. row: the row of may_fuse for i. */
QD_INLINE void
plan_operand(struct walk *w, const struct may_fuse *row, uint32_t i, uint32_t j, uint32_t v, uint32_t at)
{
	const struct may_fuse *m = &row[fused_as[w->ins[v].op]];

	lives(w, v, at);
	if (QD_UNLIKELY(m->at & (AT_GET | AT_A << j)))
		plan_pair_of(w, m, i, j, v);
}

/* Records that i reads its operands at `at`. Most instructions have two. An padding operand is
 * instruction 0, whose end is never used. */
QD_INLINE void
plan_operands(struct walk *w, uint32_t i, uint32_t values, uint32_t at)
{
	const struct ins *s = &w->ins[i];
	const struct may_fuse *row = may_fuse[s->op];

	if (values & 1)
		plan_operand(w, row, i, 0, s->a, at);
	if (values & 2)
		plan_operand(w, row, i, 1, s->b, at);
	for (uint32_t j = 2; QD_UNLIKELY(values >> j); j++)
		if (values >> j & 1)
			plan_operand(w, row, i, j, s->arg[j], at);
}

static void
plan_flow(struct walk *w, uint32_t i, enum flow_kind flow)
{
	switch (flow) {
	case FLOW_CLOSE: plan_close(w, i); break;
	case FLOW_ELSE: plan_else(w, i); break;
	case FLOW_OPEN: plan_open(w, i); break;
	case FLOW_JUMP: plan_jump(w, i); break;
	case FLOW_NONE: break;
	}
}

/* Plans the words of a PAIR to be computed in its registers. */
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

/* Plans an instruction other than plain lane arithmetic. Returns where i reads its operands, or
 * GEN_NEVER if it does not read them. */
static uint32_t
plan_other(struct walk *w, uint32_t i, const struct fact *f)
{
	const struct gen_plan *p = &w->plan[i];

	if (f->flow) {
		plan_flow(w, i, (enum flow_kind)f->flow);
		if (f->flow == FLOW_CLOSE || f->flow == FLOW_ELSE)
			return GEN_NEVER;
	}
	w->n_counted += f->is & IS_COUNTED;
	if (f->is & IS_LOAD)
		w->load = i;
	w->wants |= f->wants;
	if (f->x | (f->wants & (WANT_WORD | WANT_FIRST | WANT_COUNT)))
		plan_wants(w, &w->ins[i], f);
	if (!f->role) {
		if (!(p->flags & (GEN_INTO | GEN_LANES | GEN_FUSE)))
			return i;
	} else if (f->role == ROLE_SET) {
		plan_set(w, i);
	} else if (f->role == ROLE_GET) {
		plan_get(w, i);
	} else if (f->role == ROLE_PAIR) {
		plan_pair(w, i);
	}
	if (p->flags & GEN_INTO)
		plan_into(w, i);
	return p->flags & GEN_LANES ? GEN_NEVER : read_at(w, i, f);
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
			  .jump = GEN_NEVER,
			  .load = GEN_NEVER,
			  .loop_at = GEN_NEVER };

	g->n_nest = 0;
	g->inputs = (struct gen_kernel_inputs){ .thread = false };
	for (uint32_t i = body->ir.n; i-- > 1;) {
		const struct fact *f = &facts[w.ins[i].op];
		uint32_t at = i;

		/* Lane arithmetic, computed here or, if fused, at its root. */
		if (QD_LIKELY(f->is == (IS_ALU | IS_COUNTED) && f->role == ROLE_VALUE &&
			      !(w.plan[i].flags & ~GEN_FUSE))) {
			w.n_counted++;
			at = w.plan[i].flags ? w.plan[i].end : i;
		} else if (w.ins[i].op == OP_CONST || (at = plan_other(&w, i, f)) == GEN_NEVER) {
			continue; /* no operands to record */
		}
		plan_operands(&w, i, op_values[w.ins[i].op], at);
	}
	g->inputs.thread = (w.wants & WANT_THREAD) != 0;
	g->inputs.block = (w.wants & WANT_BLOCK) != 0;
	assert(!w.n_open && !w.block && !w.loop);
}
