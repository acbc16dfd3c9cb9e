/* Moves operations that have the same value in every iteration out of loops.
 *
 * The input is a legal body. An operation moves before the outermost loop in which its operands do
 * not change, if every iteration executes it: no `if` is between. Operations without effects
 * move, since they are total; also loads from `in` buffers, unless the kernel has no guards.
 * Operations that involve other lanes, reads of variables, and loads that control flow guards,
 * stay.
 *
 * A moved value occupies a register in the whole loop, so at most BUDGET values move out of one.
 * Constants and launch inputs are not counted. */
#include "rewrite.h"

/* A test compiles this file with each rule disabled in turn and must detect it. */
#ifndef HOIST_RULE
#define HOIST_RULE(name) true
#endif

enum { BUDGET = 8 };

/* An open loop, or the body itself. */
struct nest {
	uint32_t loop;	 /* the opener; 0: the body */
	uint32_t lowest; /* the level to which an operation directly in this loop may move */
	uint32_t ifs;	 /* open ifs in this loop */
	uint32_t n;	 /* values that moved before it */
};

struct hoist {
	struct rw w;
	uint32_t *at;		       /* by instruction: the level of its value */
	uint32_t *first, *last, *next; /* lists of instructions: by loop, by loop, by instruction */
	struct nest *levels;
	uint32_t n_levels;
	bool moves; /* any operation but a constant does */
};

/* Returns whether the operation may move. Sets *is_free if the budget does not count it. */
static bool
may_move(const struct hoist *h, const struct ins *s, bool *is_free)
{
	const struct op_info *info = &op_info[s->op];
	const struct sig_info *sig = &sig_info[info->sig];
	const struct pass_ctx *p = h->w.p;

	*is_free = s->op == OP_CONST || (!sig->n_opnd && sig->n_results == 1);
	if (info->effect == EFFECT_READ)
		return (!(s->attr & ATTR_HERE) && p->mems[s->x].access == QD_ACCESS_IN && !p->k->assume_in_bounds) ||
		       !HOIST_RULE(LOAD);
	return info->is_alu ||
	       (*is_free && info->effect == EFFECT_NONE && info->scope == SCOPE_LANE);
}

static void
move_before(struct hoist *h, uint32_t loop, uint32_t i)
{
	if (h->first[loop])
		h->next[h->last[loop]] = i;
	else
		h->first[loop] = i;
	h->last[loop] = i;
	h->moves = h->moves || h->w.in->ins[i].op != OP_CONST;
}

/* Returns the deepest level of `to` and the first three operands; what moves has no more. */
static uint32_t
deepest(const struct hoist *h, const struct ins *s, uint32_t to)
{
	for (uint32_t j = 0; j < 3; j++)
		to = h->at[s->arg[j]] > to ? h->at[s->arg[j]] : to;
	return to;
}

/* Finds the level of instruction i. */
static void
place(struct hoist *h, uint32_t i)
{
	const struct ins *s = &h->w.in->ins[i];
	const uint32_t here = h->n_levels - 1;
	uint32_t to = h->levels[here].lowest;
	bool is_free;

	h->at[i] = here;
	if (!here || (h->levels[here].ifs && HOIST_RULE(IF)) || !may_move(h, s, &is_free))
		return;
	if (s->op != OP_CONST)
		to = deepest(h, s, to);
	if (to == here || (h->levels[to + 1].n == BUDGET && !is_free && HOIST_RULE(BUDGET)))
		return;
	h->levels[to + 1].n += !is_free;
	h->at[i] = to;
	move_before(h, h->levels[to + 1].loop, i);
}

static void
control(struct hoist *h, uint32_t i)
{
	const struct ins *ins = h->w.in->ins, *s = &ins[i];
	struct nest *l = &h->levels[h->n_levels - 1];

	h->at[i] = h->n_levels - 1;
	if (op_flow[s->op] == FLOW_OPEN) {
		l->ifs += s->op == OP_IF;
		if (s->op != OP_LOOP)
			return;
		l[1] = (struct nest){
			.loop = i,
			.lowest = l->ifs && HOIST_RULE(NEST) ? h->n_levels - 1 : l->lowest
		};
		h->n_levels++;
	} else if (op_flow[s->op] == FLOW_CLOSE) {
		h->n_levels -= ins[s->x].op == OP_LOOP;
		l->ifs -= ins[s->x].op == OP_IF;
	}
}

static void
copy(struct hoist *h, uint32_t i)
{
	struct rw *w = &h->w;
	const struct ins *s = &w->in->ins[i];

	if (QD_LIKELY(op_info[s->op].is_alu && rw_has_room(w)))
		rw_move(w, i, w->map[s->a], w->map[s->b], w->map[s->c]);
	else
		w->map[i] = append_raw(&w->o, rw_draft(w, i));
}

static bool
begin(struct hoist *h, const struct ir *in, struct arena *mem)
{
	uint32_t deep = in->n < 2 * MAX_NEST ? in->n : 2 * MAX_NEST;

	h->at = arena_zalloc(mem, in->n * sizeof *h->at);
	h->first = arena_zalloc(mem, in->n * sizeof *h->first);
	h->last = arena_alloc(mem, in->n * sizeof *h->last);
	h->next = arena_zalloc(mem, in->n * sizeof *h->next);
	h->levels = arena_alloc(mem, (deep + 1) * sizeof *h->levels);
	if (!h->at || !h->first || !h->last || !h->next || !h->levels)
		return false;
	h->levels[0] = (struct nest){ .loop = 0 };
	h->n_levels = 1;
	return true;
}

/* Returns the first loop of the body, or its end. */
static uint32_t
first_loop(const struct ir *in)
{
	uint32_t i = 1;

	while (i < in->n && in->ins[i].op != OP_LOOP)
		i++;
	return i;
}

qd_status
pass_hoist(struct pass_ctx *p, const struct ir *in, struct ir *out)
{
	const uint32_t from = first_loop(in);
	struct hoist h = { .moves = false };

	*out = *in;
	if (from == in->n)
		return QD_OK;
	if (!begin(&h, in, p->mem))
		return qd_fail(p->err, QD_E_NOMEM, "kernel '%s': out of memory", p->k->name);
	h.w.in = in;
	h.w.p = p;
	for (uint32_t i = from; i < in->n; i++) {
		if (op_flow[in->ins[i].op])
			control(&h, i);
		else if (h.n_levels > 1)
			place(&h, i);
	}
	if (!h.moves)
		return QD_OK;
	QD_TRY(rw_begin(&h.w, p, in, out));
	for (uint32_t i = 1; i < in->n && !h.w.o.nomem; i++) {
		if (in->ins[i].op == OP_LOOP)
			for (uint32_t j = h.first[i]; j; j = h.next[j])
				copy(&h, j);
		if (!h.w.map[i])
			copy(&h, i);
	}
	return rw_end(&h.w);
}
