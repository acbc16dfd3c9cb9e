/* Issues loads early: reorders a legal body so that independent loads precede the first use of any
 * of them.
 *
 * Only instructions between two control-flow instructions, fences or barriers are reordered. The
 * walk copies them in order. Before it copies the first use of an outstanding load, it copies later
 * loads, with the operations that compute their operands, as far as the register budget allows.
 * Everything else keeps its order: stores, atomics, writes of variables, operations that involve
 * other lanes. A load does not pass a store or an atomic on its own memory. Different memories do
 * not overlap: a launch refuses arguments that overlap if one of them is written. A read of a
 * variable does not pass a write of that variable.
 *
 * The round of a load is the number of loads in the longest chain that ends with it. Loads of later
 * rounds wait until a load of their round is used. Each instruction enters at most two lists, so
 * the walk takes linear time. */
#include "pass.h"

#include <assert.h>

/* A test compiles this file with each rule disabled in turn and must detect it. */
#ifndef SCHEDULE_RULE
#define SCHEDULE_RULE(name) true
#endif

enum { MOST_ROUNDS = 8, SCALAR_BUDGET = 24 };

/* Kinds of instructions: END ends a run of reordered instructions; PURE is copied when its result
 * is needed; ALIAS is a PURE without code. All others keep their order among each other. */
enum kind { KIND_FIXED, KIND_PURE, KIND_ALIAS, KIND_GET, KIND_LOAD, KIND_END };

#define IS_ALIAS(op) ((op) == OP_BITCAST || (op) == OP_UNIFORM || (op) == OP_LO || (op) == OP_HI)
#define KIND(op, on_lane, effect)                                                                  \
	((op) == OP_GET ? KIND_GET :                                                               \
	 IS_ALIAS(op)	? KIND_ALIAS :                                                             \
	 (op) == OP_CP_ASYNC || (effect) >= EFFECT_FENCE ? KIND_END :                              \
	 (effect) == EFFECT_READ ? KIND_LOAD :                                                     \
	 (effect) == EFFECT_NONE && (on_lane) ? KIND_PURE : KIND_FIXED)
static const uint8_t kinds[N_OP] = {
#define OP(name, text, sig, types, sc, eff, level, padding, expand, combine, doc)                   \
	[OP_##name] = KIND(OP_##name, SCOPE_##sc == SCOPE_LANE, EFFECT_##eff),
#include "op.def"
};

struct node {
	uint32_t to;	/* position in the output; 0: not copied yet */
	uint32_t left;	/* uses that are not copied yet */
	uint32_t after; /* the last FIXED that must precede it */
	uint32_t first, last; /* of a FIXED: the loads that it must precede */
	uint32_t next;	/* in such a list, or in a queue */
	uint32_t dies;	/* of an END: the values that die there; of a value: the next in that list */
	uint32_t set;	/* of a VAR: its last write in the run; of a LOOP: the enclosing loop */
	uint8_t round;	/* of a load, or the highest of the loads that it depends on */
	uint8_t vectors, scalars; /* registers of its result */
	bool flies;	/* a load or its alias that is outstanding */
};

struct queue {
	uint32_t first, last;
};

struct schedule {
	struct pass_ctx *p;
	const struct body *b;
	const struct ins *ins;
	struct node *node;
	uint32_t *order; /* the old index of each instruction of the output */
	uint32_t n;	 /* instructions of the output */
	uint32_t *written; /* by memory: the last store or atomic of the run */
	uint32_t *stack;
	struct queue ready[MOST_ROUNDS + 1]; /* loads that may be copied, by round */
	uint32_t loop;	 /* the innermost open loop, or 0 */
	uint32_t vectors, scalars; /* live registers */
	bool moves;
};

static void
enlist(struct schedule *s, uint32_t *first, uint32_t *last, uint32_t i)
{
	if (*first)
		s->node[*last].next = i;
	else
		*first = i;
	*last = i;
	s->node[i].next = 0;
}

/* -- Live registers ------------------------------------------------------------------------ */

static void
size(struct schedule *s, uint32_t i)
{
	const struct ins *in = &s->ins[i];
	struct node *n = &s->node[i];
	const uint8_t words = in->type == QD_TYPE_NONE ? 0 : (uint8_t)((type_info[in->type].size + 3) / 4);
	const bool varies = s->b->level[i] >= LEVEL_VARYING;

	if (in->op == OP_CONST || in->op == OP_GET || in->op == OP_SET)
		return;
	if (in->type == QD_TYPE_BOOL)
		n->scalars = 2;
	else if (varies || in->op == OP_LOAD || type_is((qd_type)in->type, TM_FLT))
		n->vectors = words;
	else
		n->scalars = words;
}

static void
release(struct schedule *s, uint32_t v)
{
	s->vectors -= s->node[v].vectors;
	s->scalars -= s->node[v].scalars;
}

/* Ends the life of v after its last use. In a loop that begins after v, that is the loop's end. */
static void
die(struct schedule *s, uint32_t v)
{
	uint32_t loop = s->loop;

	if (loop <= v) {
		release(s, v);
		return;
	}
	while (s->node[loop].set > v)
		loop = s->node[loop].set;
	struct node *end = &s->node[s->ins[loop].x];
	s->node[v].dies = end->dies;
	end->dies = v;
}

/* -- Copying -------------------------------------------------------------------------------- */

/* Copies instruction i, whose operands have been copied. */
static void
copy(struct schedule *s, uint32_t i)
{
	const struct ins *in = &s->ins[i];
	struct node *n = &s->node[i];

	for (uint32_t values = op_values[in->op], j = 0; values; values >>= 1, j++) {
		uint32_t v = values & 1 ? in->arg[j] : 0;
		if (!v)
			continue;
		n->flies |= kinds[in->op] == KIND_ALIAS && s->node[v].flies;
		s->node[v].flies &= kinds[in->op] == KIND_ALIAS;
		if (s->node[v].left && --s->node[v].left == 0)
			die(s, v);
	}
	n->flies |= in->op == OP_LOAD;
	if (n->left) {
		s->vectors += n->vectors;
		s->scalars += n->scalars;
	}
	s->moves |= s->n != i;
	n->to = s->n;
	s->order[s->n++] = i;
	if (!n->first)
		return;
	/* The loads that this instruction had to precede may be copied now. */
	for (uint32_t load = n->first, next; load; load = next) {
		next = s->node[load].next;
		enlist(s, &s->ready[s->node[load].round].first, &s->ready[s->node[load].round].last, load);
	}
}

/* Copies i after the operations that compute its operands. */
static void
copy_with_operands(struct schedule *s, uint32_t i)
{
	uint32_t n = 0;

	s->stack[n++] = i;
	while (n) {
		const uint32_t at = s->stack[n - 1];
		const struct ins *in = &s->ins[at];
		uint32_t missing = 0;

		for (uint32_t values = op_values[in->op], j = 0; values; values >>= 1, j++)
			if (values & 1 && in->arg[j] && !s->node[in->arg[j]].to)
				missing = in->arg[j];
		if (missing) {
			s->stack[n++] = missing;
			continue;
		}
		copy(s, at);
		n--;
	}
}

/* Copies the loads of rounds up to `round` that may be copied, within the budget. */
static void
issue(struct schedule *s, uint32_t round)
{
	for (uint32_t r = 1; r <= round; r++) {
		struct queue *q = &s->ready[r];

		while (q->first) {
			const uint32_t load = q->first;
			if (!s->node[load].to) {
				if ((s->vectors + s->node[load].vectors > s->p->load_registers ||
				     s->scalars > SCALAR_BUDGET) && SCHEDULE_RULE(BUDGET))
					return;
				copy_with_operands(s, load);
			}
			q->first = s->node[load].next;
		}
	}
}

/* Returns the highest round of the outstanding loads that i uses; 0: none. */
static uint32_t
waits_for(const struct schedule *s, uint32_t i)
{
	const struct ins *in = &s->ins[i];
	uint32_t round = 0;

	if (kinds[in->op] == KIND_ALIAS)
		return 0;
	for (uint32_t values = op_values[in->op], j = 0; values; values >>= 1, j++) {
		const struct node *v = &s->node[values & 1 ? in->arg[j] : 0];
		if (v->flies && v->round > round)
			round = v->round;
	}
	return round;
}

/* -- One run ---------------------------------------------------------------------------------- */

static void
later(struct node *n, uint32_t after)
{
	n->after = after > n->after ? after : n->after;
}

/* Finds what must precede instruction i of the run that begins at `from`. */
static void
look_at(struct schedule *s, uint32_t from, uint32_t i)
{
	const struct ins *in = &s->ins[i];
	struct node *n = &s->node[i];

	size(s, i);
	n->left = s->b->uses[i];
	if (kinds[in->op] == KIND_FIXED) {
		if (in->op == OP_SET)
			s->node[in->a].set = i;
		else if (op_info[in->op].effect == EFFECT_WRITE || op_info[in->op].effect == EFFECT_ATOMIC)
			s->written[in->x] = i;
		return;
	}
	for (uint32_t values = op_values[in->op], j = 0; values; values >>= 1, j++) {
		const uint32_t v = values & 1 ? in->arg[j] : 0;
		if (v < from)
			continue;
		if (kinds[s->ins[v].op] == KIND_FIXED) {
			later(n, v);
			continue;
		}
		later(n, s->node[v].after);
		n->round = s->node[v].round > n->round ? s->node[v].round : n->round;
	}
	if (in->op == OP_GET && s->node[in->a].set >= from && SCHEDULE_RULE(SET))
		later(n, s->node[in->a].set);
	if (in->op != OP_LOAD)
		return;
	if (s->written[in->x] >= from && SCHEDULE_RULE(STORE))
		later(n, s->written[in->x]);
	if (n->round == MOST_ROUNDS) /* it stays in place */
		return;
	if (!n->round || SCHEDULE_RULE(ROUND))
		n->round++;
	if (n->after)
		enlist(s, &s->node[n->after].first, &s->node[n->after].last, i);
	else
		enlist(s, &s->ready[n->round].first, &s->ready[n->round].last, i);
}

static void
reorder(struct schedule *s, uint32_t from, uint32_t end)
{
	memset(s->ready, 0, sizeof s->ready);
	for (uint32_t i = from; i < end; i++)
		look_at(s, from, i);
	for (uint32_t i = from; i < end; i++) {
		if (s->node[i].to)
			continue;
		issue(s, waits_for(s, i));
		if (!s->node[i].to) /* a load of an earlier run may make it an operand of issued loads */
			copy(s, i);
	}
}

static void
pass_end(struct schedule *s, uint32_t i)
{
	const struct ins *in = &s->ins[i];

	s->node[i].left = s->b->uses[i];
	copy(s, i);
	if (in->op == OP_LOOP) {
		s->node[i].set = s->loop;
		s->loop = i;
	} else if (in->op == OP_END && s->ins[in->x].op == OP_LOOP) {
		s->loop = s->node[in->x].set;
		for (uint32_t v = s->node[i].dies; v; v = s->node[v].dies)
			release(s, v);
	}
}

/* -- The body ----------------------------------------------------------------------------------- */

static bool
is_loaded(const struct ins *ins, uint32_t v)
{
	v = kinds[ins[v].op] == KIND_ALIAS ? ins[v].a : v;
	return ins[v].op == OP_LOAD;
}

/* Returns the last load that follows an instruction of its run that uses a load; 0: none. The
 * instructions after it stay in place. */
static uint32_t
late_load(const struct ir *ir)
{
	const struct ins *ins = ir->ins;
	uint32_t last = 0;
	bool waits = false;

	for (uint32_t i = 1; i < ir->n; i++) {
		const struct ins *s = &ins[i];
		if (s->op == OP_LOAD && waits)
			last = i;
		if (kinds[s->op] == KIND_END)
			waits = false;
		else if (!waits && kinds[s->op] != KIND_ALIAS)
			for (uint32_t values = op_values[s->op], j = 0; values; values >>= 1, j++)
				waits |= values & 1 && is_loaded(ins, s->arg[j]);
	}
	return last;
}

/* Writes the body in the new order. The first s->n instructions differ. */
static bool
permute(struct schedule *s, struct body *b)
{
	const uint32_t n = s->n;
	struct ins *ins = arena_alloc(s->p->mem, n * sizeof *ins);
	uint32_t *pos = arena_alloc(s->p->mem, 2 * n * sizeof *pos), *uses = pos + n;
	uint8_t *level = arena_alloc(s->p->mem, n);

	if (!ins || !pos || !level)
		return false;
	memcpy(ins, b->ir.ins, n * sizeof *ins);
	memcpy(pos, b->ir.pos, n * sizeof *pos);
	memcpy(uses, b->uses, n * sizeof *uses);
	memcpy(level, b->level, n);
	for (uint32_t i = 1; i < b->ir.n; i++) {
		struct ins *to = &b->ir.ins[i];
		if (i < n) {
			const uint32_t from = s->order[i];
			*to = ins[from];
			b->ir.pos[i] = pos[from];
			b->uses[i] = uses[from];
			b->level[i] = level[from];
		}
		for (uint32_t values = op_values[to->op], j = 0; values; values >>= 1, j++)
			if (values & 1 && to->arg[j] < n)
				to->arg[j] = s->node[to->arg[j]].to;
	}
	return true;
}

qd_status
pass_schedule(struct pass_ctx *p, struct body *b)
{
	const uint32_t n = late_load(&b->ir) + 1;
	struct schedule s = { .p = p, .b = b, .ins = b->ir.ins, .n = 1 };

	if (n == 1)
		return QD_OK;
	/* A construct's end may be after the last load. */
	s.node = arena_zalloc(p->mem, b->ir.n * sizeof *s.node);
	s.order = arena_alloc(p->mem, 2 * n * sizeof *s.order);
	s.written = arena_zalloc(p->mem, b->n_mems * sizeof *s.written);
	if (!s.node || !s.order || !s.written)
		return qd_fail(p->err, QD_E_NOMEM, "kernel '%s': out of memory", p->k->name);
	s.stack = s.order + n;
	for (uint32_t i = 1, end; i < n; i = end) {
		for (end = i; end < n && kinds[s.ins[end].op] != KIND_END; end++)
			;
		reorder(&s, i, end);
		if (end < n)
			pass_end(&s, end++);
	}
	assert(s.n == n);
	if (!s.moves)
		return QD_OK;
	b->early = true;
	p->err = QD_IGNORE_ERROR;
	return permute(&s, b) ? QD_OK : QD_E_NOMEM;
}
