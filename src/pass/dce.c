/* Dead-code elimination. Removes unused values, loads and cross-lane results included, and
 * variables that are never read. Removes empty ifs, blocks that no jump leaves (keeping their
 * contents), and code after a block whose end is unreachable. Keeps loops.
 *
 * A backward walk counts the uses by live instructions. If the body has variables or jumps, a
 * forward walk before it finds the variables that are read and the blocks that a jump
 * leaves. If anything is dead, a last forward walk compacts the rest. */
#include "rewrite.h"

enum {
	LIVE = CENSUS_LIVE,
	READ = 2,
	LEFT = 4,
	DEAD = 8,
	PASSED = 16,   /* of a variable: a store to it was visited before any read */
	MAX_WALKS = 16 /* walks of pass_silence that track reads exactly */
};

struct dce {
	const struct ir *ir;
	uint32_t *uses; /* the census's */
	uint8_t *live;	/* LIVE by instruction; READ, PASSED by variable; LEFT by block; DEAD */
	/* In count_uses: for each open `if` and block, the live count at its end. A construct
	 * whose count has not grown is empty. In compact: the open constructs that jumps can
	 * leave. */
	uint32_t *open;
	uint32_t n_open;
	uint32_t n; /* instructions that live */
	bool region; /* the walk is in a region whose operator is used */
	bool silent; /* debug operations are dead; only live reads count as reads */
	bool again;  /* a read was found of a variable whose stores were taken for dead */
	struct census census;
};

/* Returns the end of the instruction list that contains i: its end or else. */
static uint32_t
list_end(const struct ir *ir, uint32_t i)
{
	while (i < ir->n && op_flow[ir->ins[i].op] != FLOW_CLOSE &&
	       op_flow[ir->ins[i].op] != FLOW_ELSE)
		i = 1 + (op_flow[ir->ins[i].op] == FLOW_OPEN ? ir_end_of(ir, i) : i);
	return i;
}

/* Marks variables that are read (if `reads`), blocks that jumps leave, and unreachable code.
 * Code after a block is unreachable if the block ends in a jump to an outer construct and no jump
 * leaves the block itself. */
static void
look(const struct ir *ir, uint8_t *live, bool reads)
{
	uint32_t ends = 0; /* the last instruction that control never falls through */

	for (uint32_t i = 1; i < ir->n; i++) {
		const struct ins *s = &ir->ins[i];

		if (s->op == OP_GET) {
			live[s->a] |= reads ? READ : 0;
		} else if (s->op == OP_BREAK) {
			live[s->x] |= LEFT;
			ends = s->a ? ends : i;
		} else if (s->op == OP_END && ir->ins[s->x].op == OP_BLOCK &&
			   ends == i - 1 && !(live[s->x] & LEFT)) {
			ends = list_end(ir, i + 1) - 1;
			while (i < ends)
				live[++i] = DEAD;
		}
	}
}

/* Returns whether a control-flow instruction is live. Sets *counted if the instruction needs no
 * further accounting. */
static bool
flow_lives(struct dce *w, uint32_t i, bool *counted)
{
	const struct ir *ir = w->ir;
	const struct ins *s = &ir->ins[i];
	uint8_t opener;

	switch (s->op) {
	case OP_BREAK: return true;
	case OP_YIELD: return w->region;
	case OP_END:
		opener = ir->ins[s->x].op;
		if (opener == OP_IF || opener == OP_BLOCK) {
			w->open[w->n_open++] = w->n;
			*counted = true;
			return true;
		}
		w->region = opener == OP_REGION && w->uses[s->x];
		return opener != OP_REGION || w->region;
	case OP_ELSE:
		*counted = true;
		w->live[i] = w->n != w->open[w->n_open - 1] ? LIVE : 0;
		return true;
	case OP_IF:
		if (w->n == w->open[--w->n_open])
			return false;
		w->live[ir_end_of(ir, i)] = LIVE;
		w->n += ir->ins[s->x].op == OP_ELSE && w->live[s->x] ? 2 : 1;
		return true;
	case OP_BLOCK:
		w->n_open--;
		if (!(w->live[i] & LEFT))
			return false;
		w->live[s->x] = LIVE;
		w->n++;
		return true;
	case OP_REGION: return w->uses[i];
	default: return true; /* loop, grid */
	}
}

static bool
other_lives(struct dce *w, uint32_t i, bool *counted)
{
	const struct ins *s = &w->ir->ins[i];

	switch ((enum effect)op_info[s->op].effect) {
	case EFFECT_WRITE:
	case EFFECT_ATOMIC:
	case EFFECT_FENCE:
	case EFFECT_SYNC:
	case EFFECT_SLEEP:
	case EFFECT_CHECK: return true;
	case EFFECT_DEBUG: return !w->silent;
	case EFFECT_FLOW: return s->op == OP_ARG ? w->region : flow_lives(w, i, counted);
	case EFFECT_LOCAL:
		if (s->op != OP_SET)
			return w->uses[i];
		w->live[s->a] |= PASSED;
		return w->live[s->a] & READ;
	/* A live region keeps all its arguments. */
	default: return w->uses[i] || (w->silent && w->region && s->op == OP_ARG);
	}
}

/* Visits an operation that is not per-lane. */
static void
visit_other(struct dce *w, uint32_t i)
{
	const struct ins *s = &w->ir->ins[i];
	const struct op_info *info = &op_info[s->op];
	bool counted = false;

	if ((w->live[i] & DEAD) || !other_lives(w, i, &counted) || counted)
		return;
	if (QD_UNLIKELY(w->silent && s->op == OP_GET && !(w->live[s->a] & READ))) {
		w->again = w->again || (w->live[s->a] & PASSED);
		w->live[s->a] |= READ;
	}
	w->n++;
	w->live[i] |= LIVE;
	w->census.has |= op_has[s->op];
	w->census.types |= 1u << s->type;
	if (sig_info[info->sig].x == X_MEMORY)
		w->census.memories |= UINT64_C(1) << (s->x & 63);
	w->census.n_barriers += info->effect == EFFECT_SYNC;
	for (uint32_t values = op_values[s->op], j = 0; values; values >>= 1, j++)
		if (values & 1)
			w->uses[s->arg[j]]++;
}

static void
count_uses(struct dce *w)
{
	const struct ins *ins = w->ir->ins;
	uint32_t *uses = w->uses, types = 0, n = 0;

	for (uint32_t i = w->ir->n; --i > 0;) {
		const struct ins *s = &ins[i];

		if (QD_UNLIKELY(!op_info[s->op].is_alu)) {
			w->n += n;
			n = 0;
			visit_other(w, i);
		} else if (QD_LIKELY(uses[i])) {
			/* A missing operand is 0, whose count is reset later. */
			uses[s->a]++;
			uses[s->b]++;
			uses[s->c]++;
			types |= 1u << s->type;
			n++;
		}
	}
	w->n += n;
	w->census.types |= types;
}

/* Returns the number of constructs that a break to `target` leaves. */
static uint32_t
levels(const uint32_t *open, uint32_t n_open, uint32_t target)
{
	uint32_t n = 1;

	while (n_open > 0 && open[n_open - 1] != target) {
		n++;
		n_open--;
	}
	return n;
}

/* Compacts the live instructions and their uses into `out`, which may be the input. to: the new
 * number of each instruction. */
static void
compact(struct dce *w, struct ir *out, uint32_t *to)
{
	const struct ir *ir = w->ir;
	uint32_t n = 1;

	to[0] = 0;
	for (uint32_t i = 1; i < ir->n; i++)
		to[i] = census_lives(&w->census, i) ? n++ : 0;
	for (uint32_t i = 1; i < ir->n; i++) {
		if (!to[i])
			continue;
		struct ins s = ir->ins[i];
		const uint32_t values = op_values[s.op];

		s.a = values & 1 ? to[s.a] : s.a;
		s.b = values & 2 ? to[s.b] : s.b;
		s.c = values & 4 ? to[s.c] : s.c;
		s.d = values & 8 ? to[s.d] : s.d;
		if (QD_UNLIKELY(op_flow[s.op])) {
			if (s.op == OP_BREAK)
				s.b = levels(w->open, w->n_open, to[s.x]);
			else if (s.op == OP_LOOP || s.op == OP_BLOCK || s.op == OP_GRID)
				w->open[w->n_open++] = to[i];
			else if (s.op == OP_END && w->n_open &&
				 w->open[w->n_open - 1] == to[s.x])
				w->n_open--;
			s.x = to[to[s.x] ? s.x : ir_end_of(ir, i)]; /* a dead else */
		}
		out->ins[to[i]] = s;
		out->pos[to[i]] = ir->pos[i];
		w->uses[to[i]] = w->uses[i];
		w->live[to[i]] = w->live[i];
	}
	out->n = n;
}

/* In pass_silence only live instructions read a variable. A store in a loop may be visited
 * before a read that precedes it is found live; the walk is then repeated. After MAX_WALKS every
 * read counts. */
static void
look_and_count(struct dce *w)
{
	const struct ir *ir = w->ir;
	struct dce first;

	if (ir->has & (HAS_LOCAL | HAS_JUMP))
		look(ir, w->live, !w->silent);
	first = *w;
	count_uses(w);
	for (uint32_t walks = 1; w->again; walks++) {
		*w = first;
		memset(w->uses, 0, ir->n * sizeof *w->uses);
		for (uint32_t i = 1; i < ir->n; i++)
			w->live[i] &= (uint8_t)~(LIVE | PASSED);
		if (walks == MAX_WALKS)
			look(ir, w->live, true);
		count_uses(w);
	}
}

static qd_status
take_census(struct dce *w, struct pass_ctx *p, const struct ir *in, bool silent)
{
	uint32_t deep = in->n < 2 * MAX_NEST ? in->n : 2 * MAX_NEST;

	memset(w, 0, sizeof *w);
	w->ir = in;
	w->uses = w->census.uses = arena_zalloc(p->mem, in->n * (sizeof *w->uses + 1));
	w->open = arena_alloc(p->mem, deep * sizeof *w->open);
	if (!w->uses || !w->open)
		return qd_fail(p->err, QD_E_NOMEM, "kernel '%s': out of memory", p->k->name);
	w->live = w->census.live = (uint8_t *)(w->uses + in->n);
	w->silent = silent;
	look_and_count(w);
	w->uses[0] = 0;
	w->census.n = w->n;
	return QD_OK;
}

qd_status
pass_census(struct pass_ctx *p, const struct ir *in, struct census *out)
{
	struct dce w;

	QD_TRY(take_census(&w, p, in, false));
	*out = w.census;
	return QD_OK;
}

static qd_status
run(struct pass_ctx *p, const struct ir *in, struct ir *out, struct census *census, bool silent)
{
	uint32_t *to, raw = in->has & HAS_RAW;
	struct dce w;

	QD_TRY(take_census(&w, p, in, silent));
	if (w.n == in->n - 1) {
		*out = *in;
	} else {
		to = arena_alloc(p->mem, in->n * sizeof *to);
		if (in != out)
			memset(out, 0, sizeof *out);
		if (!to || (in != out && !ir_reserve(out, p->mem, w.n + 1)))
			return qd_fail(p->err, QD_E_NOMEM, "kernel '%s': out of memory",
				       p->k->name);
		if (in != out) {
			out->ins[0] = in->ins[0];
			out->pos[0] = in->pos[0];
		}
		compact(&w, out, to);
	}
	out->has = raw | w.census.has;
	if (census)
		*census = w.census;
	return QD_OK;
}

qd_status
pass_dce(struct pass_ctx *p, const struct ir *in, struct ir *out, struct census *census)
{
	return run(p, in, out, census, false);
}

qd_status
pass_silence(struct pass_ctx *p, const struct ir *in, struct ir *out)
{
	return run(p, in, out, NULL, true);
}
