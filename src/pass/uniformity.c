/* Computes the scope in which each value and each construct is uniform: the least levels that
 * satisfy all dependencies.
 *
 * A walk over the body builds a graph; then levels propagate along its edges. There are three
 * levels, so each node is raised at most twice and the cost is linear in the graph. If the body
 * has no loops or jumps, and no errors are reported, the walk computes the levels directly.
 *
 * A value depends on its operands. A variable, from a store on, depends on the stored value and
 * on its old value. It also depends on the control flow between its declaration and the store
 * and, at the head of a loop, on its value at the loop's end. An if depends on its condition. A
 * jump depends on its condition and on the control flow between it and its target. A loop
 * depends on all jumps out of it or past it, because threads that left are inactive in its whole
 * body. A block or grid depends on them only from the jump on.
 *
 * Padding threads of a grid loop follow the others, so in its body they do not count. After it
 * they do. Padding threads do not take a jump out of the body and past the loop, and outer
 * variables that the body sets keep their old values in them. */
#include "uniformity_check.h"

/* A variable at the head of a loop. */
struct phi {
	uint32_t var, node, next;
};

struct open {
	uint32_t at;
	uint32_t own;	/* node of its condition, or of its jumps; 0: none */
	uint32_t left;	/* node of the jumps that left it so far; 0: none */
	uint32_t past;	/* a jump inside the grid loop that left it; 0: none */
	uint32_t whole; /* node of all control flow down to here; 0: none */
	uint32_t phis;	/* of a loop: list of its variables' phis */
};

struct walk {
	struct levels *l;
	const struct ins *ins;
	struct open *open;
	uint32_t n_open, cap_open;
	uint32_t grid; /* the open grid loop; 0: none */
	/* Per variable: the node of its current value, and of all its values. */
	uint32_t *now, *ever;
	struct phi *phis; /* from 1 */
	uint32_t n_phis, cap_phis;
};

/* -- The graph ---------------------------------------------------------------------- */

static void *
grown(struct levels *l, const void *old, size_t size, size_t to)
{
	void *p = arena_alloc(l->u->mem, to);

	if (!p)
		l->nomem = true;
	else if (size)
		memcpy(p, old, size);
	return p;
}

static bool
grow_nodes(struct levels *l)
{
	uint32_t cap = 2 * l->cap;
	uint8_t *level = grown(l, l->level, l->n, cap);
	uint32_t *cause = grown(l, l->cause, l->n * sizeof *cause, cap * sizeof *cause);
	uint32_t *head = grown(l, l->head, l->n * sizeof *head, cap * sizeof *head);
	uint32_t *born = grown(l, l->born, l->n * sizeof *born, cap * sizeof *born);

	if (l->nomem)
		return false;
	l->born = born;
	l->level = level;
	l->cause = cause;
	l->head = head;
	l->cap = cap;
	return true;
}

static uint32_t
new_node(struct levels *l, uint32_t born)
{
	if (l->nomem || (l->n == l->cap && !grow_nodes(l)))
		return 0;
	l->level[l->n] = LEVEL_BLOCK;
	l->born[l->n] = born;
	l->cause[l->n] = l->head[l->n] = 0;
	return l->n++;
}

static void
raise(struct levels *l, uint32_t node, uint8_t level, uint32_t cause)
{
	if (level <= l->level[node] || l->nomem)
		return;
	l->level[node] = level;
	if (l->at_once)
		return;
	l->cause[node] = cause;
	if (l->n_queue == l->cap_queue) {
		uint32_t *queue = grown(l, l->queue, l->n_queue * sizeof *queue,
					2 * l->cap_queue * sizeof *queue);
		if (!queue)
			return;
		l->queue = queue;
		l->cap_queue *= 2;
	}
	l->queue[l->n_queue++] = node;
}

static void
add_edge(struct levels *l, uint32_t from, uint32_t to)
{
	if (!from || !to || l->nomem)
		return;
	if (l->at_once) {
		raise(l, to, l->level[from], from);
		return;
	}
	if (l->n_edges == l->cap_edges) {
		struct edge *edges = grown(l, l->edges, l->n_edges * sizeof *edges,
					   2 * l->cap_edges * sizeof *edges);
		if (!edges)
			return;
		l->edges = edges;
		l->cap_edges *= 2;
	}
	l->edges[l->n_edges] = (struct edge){ to, l->head[from] };
	l->head[from] = l->n_edges++;
}

/* -- Control flow -------------------------------------------------------------------- */

/* Sets the node of all control flow around construct d, including d. */
static void
set_whole(struct walk *w, uint32_t d)
{
	struct open *o = &w->open[d];
	uint32_t around = d ? o[-1].whole : 0;

	if (!o->own && !o->left) {
		o->whole = around;
		return;
	}
	o->whole = new_node(w->l, o->at);
	add_edge(w->l, around, o->whole);
	add_edge(w->l, o->own, o->whole);
	add_edge(w->l, o->left, o->whole);
}

static void
open_construct(struct walk *w, uint32_t i)
{
	enum op op = (enum op)w->ins[i].op;

	if (w->n_open == w->cap_open) {
		struct open *open = grown(w->l, w->open, w->n_open * sizeof *open,
					  2 * w->cap_open * sizeof *open);
		if (!open)
			return;
		w->open = open;
		w->cap_open *= 2;
	}
	w->open[w->n_open] = (struct open){ .at = i, .own = op == OP_IF || op == OP_LOOP ? i : 0 };
	if (op == OP_IF)
		add_edge(w->l, w->ins[i].a, i);
	set_whole(w, w->n_open++);
	if (op == OP_GRID)
		w->grid = i;
}

/* Adds edges to `node` from the control flow inside construct d. */
static void
add_inside(struct walk *w, uint32_t d, uint32_t node)
{
	for (d++; d < w->n_open; d++) {
		add_edge(w->l, w->open[d].own, node);
		add_edge(w->l, w->open[d].left, node);
	}
}

static void
visit_break(struct walk *w, uint32_t i)
{
	struct levels *l = w->l;
	uint32_t target = w->n_open - 1;

	while (w->open[target].at != w->ins[i].x)
		target--;
	add_edge(l, w->ins[i].a, i);
	add_inside(w, target, i);
	for (uint32_t d = target; d < w->n_open; d++) {
		struct open *o = &w->open[d];

		if (w->ins[o->at].op == OP_IF)
			continue;
		add_edge(l, i, o->at); /* a loop's own node; a block's level, for the caller */
		if (w->ins[o->at].op != OP_LOOP && d == target) {
			uint32_t left = new_node(l, i);
			add_edge(l, o->left, left);
			add_edge(l, i, left);
			o->left = left;
			o->past = o->at < w->grid ? i : o->past;
		}
	}
	for (uint32_t d = target; d < w->n_open; d++)
		set_whole(w, d);
}

/* -- Variables -------------------------------------------------------------------------- */

static uint32_t
add_phi(struct walk *w, struct open *loop, uint32_t var, uint32_t from)
{
	uint32_t node = new_node(w->l, loop->at);

	if (w->n_phis == w->cap_phis) {
		struct phi *phis = grown(w->l, w->phis, w->n_phis * sizeof *phis,
					 2 * w->cap_phis * sizeof *phis);
		if (!phis)
			return node;
		w->phis = phis;
		w->cap_phis *= 2;
	}
	add_edge(w->l, from, node);
	w->phis[w->n_phis] = (struct phi){ var, node, loop->phis };
	loop->phis = w->n_phis++;
	return node;
}

/* Returns the node of the variable's current value. Each loop entered since the store gets a
 * phi, because its body may store to the variable. */
static uint32_t
variable(struct walk *w, uint32_t var)
{
	uint32_t node = w->now[var], d = w->n_open;

	if (w->l->at_once) /* there are no loops */
		return node;
	while (d > 0 && w->open[d - 1].at > w->l->born[node])
		d--;
	for (; d < w->n_open; d++)
		if (w->ins[w->open[d].at].op == OP_LOOP)
			node = add_phi(w, &w->open[d], var, node);
	return w->now[var] = node;
}

static void
close_loop(struct walk *w, const struct open *loop)
{
	for (uint32_t i = loop->phis; i; i = w->phis[i].next)
		add_edge(w->l, w->now[w->phis[i].var], w->phis[i].node);
}

static void
visit_set(struct walk *w, uint32_t i)
{
	struct levels *l = w->l;
	uint32_t var = w->ins[i].a, was = variable(w, var), is = new_node(l, i), d = w->n_open;

	add_edge(l, was, is);
	add_edge(l, w->ins[i].b, is);
	while (d > 0 && w->open[d - 1].at > var)
		d--;
	if (d == 0 && w->n_open)
		add_edge(l, w->open[w->n_open - 1].whole, is);
	else if (d < w->n_open)
		add_inside(w, d - 1, is);
	if (!w->ever[var])
		add_edge(l, var, w->ever[var] = new_node(l, var));
	add_edge(l, is, w->ever[var]);
	w->now[var] = is;
}

/* Ends the grid loop. All threads are active again, except threads that left it for an outer
 * construct; outer variables that it set differ in padding threads. If the count is a multiple
 * of block_dim, each block enters the loop as a whole, and nothing varies. */
static void
close_grid(struct walk *w, uint32_t end)
{
	const struct ins *count = &w->ins[w->ins[w->grid].a];
	struct levels *l = w->l;
	bool whole = count->op == OP_CONST && const_bits(count) % l->u->k->block_dim == 0;

	for (uint32_t d = 0; d < w->n_open && !whole; d++) {
		struct open *o = &w->open[d];

		if (o->past) {
			o->left = new_node(l, end);
			raise(l, o->left, LEVEL_VARYING, o->past);
		}
		set_whole(w, d);
	}
	for (uint32_t i = w->grid + 1; i < end && !whole; i++) {
		uint32_t var = w->ins[i].a, node;

		if (w->ins[i].op != OP_SET || var > w->grid || l->born[w->now[var]] == end)
			continue;
		node = w->now[var] = new_node(l, end);
		raise(l, node, LEVEL_VARYING, w->grid);
		add_edge(l, node, w->ever[var]);
	}
	w->grid = 0;
}

/* -- Values ---------------------------------------------------------------------------- */

static uint8_t
tile_level(const struct uniform *u, const struct ins *s)
{
	const struct sig_info *sig = op_sig((enum op)s->op);
	uint32_t k = sig->known >= 0 ? s->arg[sig->known] : 0;

	if (!k || u->log2_size == LOG2_FULL)
		return LEVEL_SUBGROUP;
	return u->ir->ins[k].op == OP_CONST && u->ir->ins[k].a == u->log2_size ? LEVEL_SUBGROUP
									       : LEVEL_VARYING;
}

static uint8_t
warp_level(const struct uniform *u)
{
	return u->log2_size == LOG2_FULL || u->log2_size <= WARP_LOG2 ? LEVEL_SUBGROUP
								      : LEVEL_VARYING;
}

static void
add_operands(struct walk *w, uint32_t i)
{
	const struct ins *s = &w->ins[i];
	const struct sig_info *sig = op_sig((enum op)s->op);

	for (uint32_t values = sig->values, j = 0; values; values >>= 1, j++)
		if (values & 1)
			add_edge(w->l,
				 sig->opnd[j] == OPND_VAR ? variable(w, s->arg[j]) : s->arg[j], i);
}

static void
visit_value(struct walk *w, uint32_t i)
{
	struct levels *l = w->l;
	const struct uniform *u = l->u;
	const struct ins *s = &w->ins[i];
	uint8_t level = LEVEL_BLOCK;

	switch ((enum level)op_info[s->op].level) {
	case LEVEL_BLOCK: break;
	case LEVEL_SUBGROUP:
	case LEVEL_VARYING: level = op_info[s->op].level; break;
	case LEVEL_OPERANDS: add_operands(w, i); break;
	case LEVEL_TILE: level = tile_level(u, s); break;
	case LEVEL_WARP:
		level = warp_level(u);
		add_edge(l, s->arg[op_sig((enum op)s->op)->members], i);
		break;
	case LEVEL_MEMORY:
		/* An `in` buffer is not written during the launch. */
		if (u->mems[s->x].access == QD_ACCESS_IN)
			add_operands(w, i);
		else
			level = LEVEL_VARYING;
		break;
	case LEVEL_MARK: level = (uint8_t)s->x; break;
	case LEVEL_LOCAL:
		if (s->op == OP_SET) {
			visit_set(w, i);
			break;
		}
		add_operands(w, i);
		w->now[i] = i;
		break;
	case LEVEL_FLOW: break;
	}
	if (level == LEVEL_SUBGROUP && u->one_subgroup)
		level = LEVEL_BLOCK;
	raise(l, i, level, 0);
}

/* Visits a per-lane operation, whose level is that of its operands. Returns false for others. */
static bool
visit_plain(struct walk *w, uint32_t i)
{
	const struct ins *s = &w->ins[i];
	uint8_t level = LEVEL_BLOCK, *levels = w->l->level;

	if (!op_info[s->op].is_alu)
		return false;
	for (uint32_t values = op_values[s->op], j = 0; values; values >>= 1, j++) {
		uint8_t of = values & 1 ? levels[s->arg[j]] : LEVEL_BLOCK;
		level = of > level ? of : level;
	}
	levels[i] = level;
	return true;
}

static void
visit(struct walk *w, uint32_t i)
{
	const struct ins *s = &w->ins[i];

	switch ((enum flow_kind)op_flow[s->op]) {
	case FLOW_OPEN:
		open_construct(w, i);
		if (op_sig((enum op)s->op)->n_results) /* the index of a grid loop */
			raise(w->l, i, LEVEL_VARYING, 0);
		break;
	case FLOW_CLOSE:
		if (!w->n_open)
			break;
		close_loop(w, &w->open[--w->n_open]);
		if (w->grid && w->grid == s->x)
			close_grid(w, i);
		break;
	case FLOW_JUMP: visit_break(w, i); break;
	case FLOW_ELSE: break;
	case FLOW_NONE:
		visit_value(w, i);
		if (op_info[s->op].scope != SCOPE_LANE && w->n_open)
			w->l->control[i] = w->open[w->n_open - 1].whole;
		break;
	}
}

/* Allocates an array that only the graph uses; zeroing is skipped if there is no graph. */
static void *
of_graph(struct levels *l, size_t size)
{
	return l->at_once ? arena_alloc(l->u->mem, size) : arena_zalloc(l->u->mem, size);
}

qd_status
levels_find(struct levels *l, struct uniform *u)
{
	uint32_t n = u->ir->n;
	struct walk w = { .l = l, .ins = u->ir->ins, .cap_open = 16, .n_phis = 1, .cap_phis = 16 };

	*l = (struct levels){ .u = u,
			      .n = n,
			      .cap = n + n / 4 + 16,
			      .at_once = !u->check && !(u->ir->has & (HAS_LOOP | HAS_JUMP)),
			      .n_edges = 1,
			      .cap_edges = 2 * n + 16,
			      .cap_queue = n + 16 };
	l->level = arena_zalloc(u->mem, l->cap);
	l->cause = of_graph(l, l->cap * sizeof *l->cause);
	l->head = of_graph(l, l->cap * sizeof *l->head);
	l->control = of_graph(l, n * sizeof *l->control);
	l->edges = arena_alloc(u->mem, l->cap_edges * sizeof *l->edges);
	l->queue = arena_alloc(u->mem, l->cap_queue * sizeof *l->queue);
	l->born = arena_alloc(u->mem, l->cap * sizeof *l->born);
	w.now = arena_zalloc(u->mem, n * sizeof *w.now);
	w.ever = arena_zalloc(u->mem, n * sizeof *w.ever);
	w.open = arena_alloc(u->mem, w.cap_open * sizeof *w.open);
	w.phis = arena_alloc(u->mem, w.cap_phis * sizeof *w.phis);
	l->nomem = !l->level || !l->cause || !l->head || !l->control || !l->edges || !l->queue ||
		   !l->born || !w.now || !w.ever || !w.open || !w.phis;
	for (uint32_t i = 0, end = l->nomem ? 0 : n; i < end; i++)
		l->born[i] = i;
	for (uint32_t i = 1; i < n && !l->nomem; i++)
		if (!l->at_once || !visit_plain(&w, i))
			visit(&w, i);
	for (uint32_t at = 0; at < l->n_queue && !l->nomem; at++) {
		uint32_t from = l->queue[at];
		for (uint32_t e = l->head[from]; e; e = l->edges[e].next)
			raise(l, l->edges[e].to, l->level[from], from);
	}
	if (l->nomem)
		return qd_fail(u->err, QD_E_NOMEM, "kernel '%s': out of memory", u->k->name);
	/* The level of a variable covers all its values. */
	for (uint32_t i = 1; i < n; i++)
		if (w.ever[i])
			l->level[i] = l->level[w.ever[i]];
	u->level = l->level;
	return QD_OK;
}
