/* Removes every visible effect of padding threads.
 *
 * Padding threads are the threads beyond block_dim of a hardware block, which is rounded up
 * to whole subgroups. In the body of the grid loop, threads whose index is not below its
 * count are padding too. Input and output are specialized IR; the output has no grid loop. The column `padding` of the operation
 * table determines the lowering of each operation. In addition:
 *
 *	Padding threads skip a body without cross-lane operations.
 *	A subgroup that is all padding skips a body with them. If the body has operations
 *	of the block, only a block that is all padding skips it. After that test the first lane of
 *	the subgroup is never padding, so code for that lane alone needs no condition.
 *	An access at the loop's own index, to a buffer whose length is the loop's count,
 *	needs no other guard.
 *	A guarded load that only feeds a reduction returns the value that the reduction
 *	skips. If it only feeds a sort, it returns the value that sorts last.
 *	Padding threads do not enter a loop with varying control flow, so none spins.
 *	Outer variables that the body changes are restored in padding threads.
 *
 * Scans need nothing: padding threads are the last lanes of their subgroup, and a scan reads
 * lower lanes only. */
#include "rewrite.h"

struct padding {
	struct rw w;
	uint8_t *level;	    /* of the input, computed on first use */
	uint8_t *extra;	    /* by construct of the input: additional ends to emit at its end */
	uint32_t *fed;	    /* by load: the reduction or sort that is its only use, or 0 */
	uint32_t sure;	    /* open constructs that no padding thread enters */
	uint32_t *sure_at;  /* by construct of the input: 1 if it counts in `sure` */
	uint32_t in_block;  /* value: the thread is below block_dim; 0: all are */
	uint32_t ordinary;   /* value: the thread is not padding here; 0: none is */
	uint32_t limit;	    /* value, u32: non-padding lanes of the subgroup; 0: all */
	uint32_t block_limit; /* the same outside the grid loop */
	uint32_t threads; /* value, u32: non-padding threads of the block; 0: all */
	uint32_t block_threads; /* the same outside the grid loop */
	/* The grid loop. */
	uint32_t grid, end;	  /* of the input; 0: none */
	uint32_t index, count, of; /* new: its index, its count; the memory whose length is the
				    * count, plus 1 */
	uint32_t block;		  /* new: the block that `continue` leaves, or 0 */
	uint32_t n_open;	  /* constructs to close at its end */
	bool ends_there;	  /* no code of the kernel follows it */
	bool cross, sync;	  /* it has operations of the subgroup, of the block */
	uint32_t *saved;	  /* by variable of the input: its value before the body, new */
};

/* -- Input analysis ----------------------------------------------------------------- */

static bool
nomem(struct padding *q)
{
	q->w.o.nomem = true;
	return false;
}

static uint8_t
level_of(struct padding *q, uint32_t i)
{
	if (!q->level && pass_levels(q->w.p, q->w.in, &q->level)) {
		nomem(q);
		return LEVEL_VARYING;
	}
	return q->level[i];
}

/* Returns a bit for each operand that is replaced by a neutral value in padding threads. */
static uint32_t
replaced(enum op op)
{
	enum padding_effect a = (enum padding_effect)op_info[op].padding;

	const struct sig_info *sig = op_sig(op);

	if (a == PADDING_LAST)
		return op_values[op] & ~(sig->known < 0 ? 0 : 1u << sig->known) &
		       ~(sig->active < 0 ? 0 : 1u << sig->active);
	return a >= PADDING_ADD && a <= PADDING_ONES;
}

/* Finds loads whose only use is a reduction or sort. */
static bool
find_fed(struct padding *q)
{
	const struct ir *in = q->w.in;
	uint8_t *uses;

	q->fed = arena_zalloc(q->w.p->mem, in->n * sizeof *q->fed);
	uses = arena_zalloc(q->w.p->mem, in->n);
	if (!q->fed || !uses)
		return nomem(q);
	for (uint32_t i = 1; i < in->n; i++) {
		const struct ins *s = &in->ins[i];

		for (uint32_t values = op_values[s->op], j = 0; values; values >>= 1, j++)
			if ((values & 1) && uses[s->arg[j]] < 2)
				uses[s->arg[j]]++;
		for (uint32_t values = replaced((enum op)s->op), j = 0; values; values >>= 1, j++)
			if (values & 1)
				q->fed[s->arg[j]] = i;
	}
	for (uint32_t i = 1; i < in->n; i++)
		if (uses[i] != 1 || in->ins[i].op != OP_LOAD || in->ins[i].b)
			q->fed[i] = 0;
	return true;
}

/* Analyzes the body of the grid loop and the code after it. */
static bool
find_grid(struct padding *q)
{
	const struct ir *in = q->w.in;
	bool left = false;

	bool meets = in->has & (HAS_CROSS | HAS_MEETING), jumps = in->has & HAS_JUMP;

	for (uint32_t i = q->grid + 1; (meets || jumps) && i < q->end; i++) {
		const struct ins *s = &in->ins[i];

		q->cross = q->cross || op_info[s->op].scope == SCOPE_SUBGROUP;
		q->sync = q->sync || op_info[s->op].scope == SCOPE_BLOCK ||
			  (q->cross && machine_makes(q->w.p->m));
		left = left || (s->op == OP_BREAK && s->x <= q->grid);
	}
	q->block = left; /* replaced by the block's id when it is opened */
	q->ends_there = true;
	for (uint32_t i = q->end + 1; i < in->n; i++)
		q->ends_there = q->ends_there && in->ins[i].op == OP_END;
	if (q->ends_there || !(q->cross || q->sync))
		return true;
	/* Outer variables that the body changes and later code may read. */
	q->saved = arena_zalloc(q->w.p->mem, in->n * sizeof *q->saved);
	if (!q->saved)
		return nomem(q);
	for (uint32_t i = q->grid + 1; i < q->end; i++)
		if (in->ins[i].op == OP_SET && in->ins[i].a < q->grid)
			q->saved[in->ins[i].a] = 1;
	return true;
}

/* -- Padding conditions --------------------------------------------------------------- */

/* The index of the lane in its subgroup and of the thread in its block, in type t. */
static uint32_t
lane_in(struct rw *w, qd_type t)
{
	return rw_cvt(w, t, rw_op(w, OP_LANE, QD_TYPE_U32, 0, 0, 0));
}

static uint32_t
thread_in(struct rw *w, qd_type t)
{
	return rw_cvt(w, t, rw_op(w, OP_THREAD_IDX, QD_TYPE_U32, 0, 0, 0));
}

static uint32_t
mark(struct rw *w, uint32_t v, enum level level)
{
	struct ins ins = { .op = OP_UNIFORM, .type = (uint8_t)rw_type(w, v), .a = v, .x = level };

	return append(&w->o, ins);
}

/* Returns how many of `most` lanes or threads, counted from `base`, are below `end`: u32. */
static uint32_t
below(struct rw *w, uint32_t base, uint32_t end, uint32_t most)
{
	qd_type u = type_unsigned(rw_type(w, base));
	uint32_t n = rw_bitcast(w, u, end);

	n = rw_bin(w, OP_SUB, n, rw_bitcast(w, u, base));
	return rw_cvt(w, QD_TYPE_U32,
		      rw_bin(w, OP_MIN, n, rw_const(w, u, most)));
}

/* Computes the padding conditions of a rounded block, at the start of the body. */
static void
open_rounded(struct padding *q)
{
	struct rw *w = &q->w;
	uint32_t dim = rw_const(w, QD_TYPE_U32, w->p->k->block_dim);
	uint32_t thread = thread_in(w, QD_TYPE_U32), first;

	q->ordinary = q->in_block = rw_cmp(w, OP_LT, thread, dim);
	first = rw_bin(w, OP_SUB, thread, lane_in(w, QD_TYPE_U32));
	first = mark(w, first, LEVEL_SUBGROUP);
	if (machine_splits(w->p->m)) /* a part of the last one may be padding only */
		first = rw_bin(w, OP_MIN, first, dim);
	q->threads = q->block_threads = dim;
	q->limit = q->block_limit = below(w, first, dim, w->p->m->subgroup_size);
}

/* Returns the memory whose length is v, plus 1; 0 if v is not a length. */
static uint32_t
length_of(const struct rw *w, uint32_t v)
{
	const struct ins *s = &w->o.ir->ins[v];

	while (s->op == OP_CVT || s->op == OP_BITCAST)
		s = &w->o.ir->ins[s->a];
	return s->op == OP_LEN ? s->x + 1 : 0;
}

/* Returns whether any lane of the subgroup is not padding. The first lane decides. */
static uint32_t
some_ordinary(struct padding *q, uint32_t first)
{
	struct rw *w = &q->w;
	const struct machine *m = w->p->m;
	uint32_t any = 0;

	if (q->sync || machine_makes(m) || !(m->caps & CAP_BALLOT_FREE) ||
	    machine_rounded(m, w->p->k->block_dim) <= m->subgroup_size)
		return rw_cmp(w, OP_LT, first, q->count);
	for (uint32_t n = 0; 32 * n < m->subgroup_size; n++) {
		uint32_t word = append(&w->o, (struct ins){ .op = OP_BALLOT_WORD, .type = QD_TYPE_U32,
							    .a = q->ordinary, .x = n });
		any = any ? rw_bin(w, OP_OR, any, word) : word;
	}
	return rw_cmp(w, OP_NE, any, rw_const(w, QD_TYPE_U32, 0));
}

static uint32_t
opened(struct padding *q, enum op op, uint32_t cond)
{
	q->n_open++;
	return rw_open(&q->w, op, cond);
}

static void
open_grid(struct padding *q, uint32_t i)
{
	struct rw *w = &q->w;
	const struct ins *s = &w->in->ins[i];
	uint32_t dim = w->p->k->block_dim, base, first, whole;
	qd_type t = (qd_type)s->type, u = type_unsigned(t);

	w->o.pos = w->in->pos[i];
	q->count = w->map[s->a];
	q->of = length_of(w, q->count);
	base = rw_cvt(w, u, rw_op(w, OP_BLOCK_IDX, QD_TYPE_U32, 0, 0, 0));
	base = rw_bin(w, OP_MUL, base, rw_const(w, u, dim));
	q->index = w->map[i] = rw_bitcast(w, t, rw_bin(w, OP_ADD, base, thread_in(w, u)));
	whole = q->ordinary;
	q->ordinary = rw_cmp(w, OP_LT, q->index, q->count);
	if (whole)
		q->ordinary = rw_bin(w, OP_AND, q->ordinary, whole);
	for (uint32_t v = 1; q->saved && v < i; v++)
		if (q->saved[v])
			q->saved[v] = rw_get(w, w->map[v]);
	if (q->block)
		q->block = opened(q, OP_BLOCK, 0);
	if (!q->cross && !q->sync) {
		opened(q, OP_IF, q->ordinary);
		q->sure++;
		return;
	}
	first = base = rw_bitcast(w, t, base);
	if (machine_rounded(w->p->m, dim) > w->p->m->subgroup_size)
		first = mark(w,
			     rw_bin(w, OP_SUB, q->index, rw_bitcast(w, t, lane_in(w, u))),
			     LEVEL_SUBGROUP);
	opened(q, OP_IF, some_ordinary(q, q->sync ? base : first));
	if (q->sync) { /* a subgroup may be padding only: then no lane is below the limit */
		first = rw_bin(w, OP_MIN, first, q->count);
		q->threads = below(w, base, q->count, dim);
	}
	whole = q->limit;
	q->limit = below(w, first, q->count, w->p->m->subgroup_size);
	if (whole)
		q->limit = rw_bin(w, OP_MIN, q->limit, whole);
}

static void
close_grid(struct padding *q)
{
	struct rw *w = &q->w;
	uint32_t ordinary = q->ordinary;

	if (!q->cross && !q->sync)
		q->sure--;
	while (q->n_open) {
		rw_close(w);
		q->n_open--;
	}
	for (uint32_t v = 1; q->saved && v < q->grid; v++)
		if (q->saved[v])
			rw_set(w, w->map[v],
			       rw_select(w, ordinary, rw_get(w, w->map[v]), q->saved[v]));
	q->grid = 0;
	q->ordinary = q->in_block;
	q->limit = q->block_limit;
	q->threads = q->block_threads;
}

/* -- Operations ------------------------------------------------------------------------- */

static uint32_t
both(struct rw *w, uint32_t condition, uint32_t ordinary)
{
	return condition ? rw_bin(w, OP_AND, condition, ordinary) : ordinary;
}

/* Returns whether old value v is the index of the grid loop, possibly bitcast. */
static bool
is_own_index(const struct padding *q, uint32_t v)
{
	const struct ins *s = &q->w.in->ins[v];

	while (s->op == OP_BITCAST)
		s = &q->w.in->ins[v = s->a];
	return q->grid && v == q->grid;
}

/* Returns whether s accesses one element, at the loop's own index, of the buffer whose length is
 * the count. */
static bool
is_own_access(const struct padding *q, const struct ins *s)
{
	return (s->attr & (ATTR_GUARD | ATTR_COUNT)) == ATTR_GUARD && q->of == s->x + 1 && is_own_index(q, s->a);
}

static void
access(struct padding *q, uint32_t i)
{
	struct rw *w = &q->w;
	const struct ins *old = &w->in->ins[i];
	const struct op_info *info = &op_info[old->op];
	bool own = is_own_access(q, old), idle = info->padding == PADDING_IDLE;
	struct ins s = rw_draft(w, i);
	int p = sig_info[info->sig].where;

	if (q->fed && q->fed[i] && own && !q->sure) {
		const struct op_info *user = &op_info[w->in->ins[q->fed[i]].op];
		s.b = rw_const(w, (qd_type)s.type,
			       ir_padding_bits((enum padding_effect)user->padding, (qd_type)s.type));
	}
	if (own)
		s.attr &= (uint16_t)~ATTR_GUARD;
	if (own && !q->sure) {
		s.arg[p] = both(w, s.arg[p], q->ordinary);
	} else if (!q->sure && (idle || (!(s.attr & ATTR_GUARD) &&
				     level_of(q, old->a) >
					     (q->sync ? LEVEL_BLOCK : LEVEL_SUBGROUP)))) {
		s.arg[p] = both(w, s.arg[p], q->ordinary);
	}
	w->map[i] = append(&w->o, s);
}

/* Returns v, the new value of operand `old` of instruction i, or the value that replaces it in
 * padding threads. */
static uint32_t
replace(struct padding *q, uint32_t i, uint32_t old, uint32_t v)
{
	struct rw *w = &q->w;
	qd_type t = rw_type(w, v);
	uint64_t bits = ir_padding_bits((enum padding_effect)op_info[w->in->ins[i].op].padding, t);

	if (q->fed && q->fed[old] == i && is_own_access(q, &w->in->ins[old]))
		return v;
	return rw_select(w, q->ordinary, v, rw_const(w, t, bits));
}

/* Returns the number of lanes or threads that instruction i includes: it skips padding and
 * threads from `active` on. */
static uint32_t
skipping(struct padding *q, uint32_t i, uint32_t active)
{
	if (op_info[q->w.in->ins[i].op].scope != SCOPE_BLOCK)
		return q->limit;
	return active ? rw_bin(&q->w, OP_MIN, active, q->threads) : q->threads;
}

static void
operation(struct padding *q, uint32_t i)
{
	struct rw *w = &q->w;
	const struct ins *old = &w->in->ins[i];
	enum padding_effect padding = (enum padding_effect)op_info[old->op].padding;
	struct ins s;

	if (padding == PADDING_RUNS || padding == PADDING_ABOVE || !q->ordinary ||
	    (q->sure && padding != PADDING_IDLE && padding != PADDING_GUARDED)) {
		rw_copy(w, i);
		return;
	}
	if (padding == PADDING_IDLE || padding == PADDING_GUARDED) {
		access(q, i);
		return;
	}
	s = rw_draft(w, i);
	if (padding == PADDING_FALSE) {
		s.a = both(w, s.a, q->ordinary);
	} else if (padding == PADDING_TRUE) {
		s.a = rw_bin(w, OP_OR, s.a, rw_op(w, OP_NOT, QD_TYPE_BOOL, q->ordinary, 0, 0));
	} else if (padding == PADDING_SKIPPED) {
		s.d = skipping(q, i, s.d);
	}
	for (uint32_t values = replaced((enum op)s.op), j = 0; values; values >>= 1, j++)
		if (values & 1)
			s.arg[j] = replace(q, i, old->arg[j], s.arg[j]);
	w->map[i] = append(&w->o, s);
}

/* -- Control flow ---------------------------------------------------------------------------- */

/* Returns whether the condition holds in non-padding threads only. In a subgroup or block that
 * is not all padding, the first lane or thread is not padding. */
static bool
implies_ordinary(const struct padding *q, uint32_t cond)
{
	const struct ir *out = q->w.o.ir;
	const struct ins *s = &out->ins[cond];
	uint64_t bits;

	if (cond == q->ordinary || (!q->in_block && s->op == OP_LT && q->grid &&
				   s->a == q->index && s->b == q->count))
		return true;
	if (s->op == OP_AND)
		return implies_ordinary(q, s->a) || implies_ordinary(q, s->b);
	if (s->op != OP_EQ && s->op != OP_NE)
		return false;
	for (uint32_t j = 0; j < 2; j++) {
		const struct ins *v = &out->ins[s->arg[j]];

		if (!rw_is_const(&q->w, s->arg[!j], &bits))
			continue;
		while (v->op == OP_BITCAST)
			v = &out->ins[v->a];
		if (v->op == OP_LANE && s->op == OP_EQ && bits == 0 && !q->sync)
			return true;
		if (v->op == OP_THREAD_IDX && s->op == OP_EQ && bits == 0)
			return true;
		if (v->op == OP_ELECT && bits == (s->op == OP_EQ) && !q->sync)
			return true;
	}
	return false;
}

static void
set_sure(struct padding *q, uint32_t construct)
{
	q->sure_at[construct] = 1;
	q->sure++;
}

static void
visit_loop(struct padding *q, uint32_t i)
{
	struct rw *w = &q->w;
	uint8_t level = q->ordinary && !q->sure ? level_of(q, i) : LEVEL_BLOCK;

	if (level == LEVEL_VARYING || (level == LEVEL_SUBGROUP && q->sync)) {
		w->o.pos = w->in->pos[i];
		q->extra[i] = 1;
		if (level == LEVEL_VARYING) {
			rw_open(w, OP_IF, q->ordinary);
			set_sure(q, i);
		} else {
			rw_open(w, OP_IF,
				rw_cmp(w, OP_NE, q->limit, rw_const(w, QD_TYPE_U32, 0)));
		}
	}
	rw_copy(w, i);
}

/* Emits a jump out of the grid loop's body. Padding threads go to the body's end only, even if
 * the jump leaves outer constructs. */
static void
leave_grid(struct padding *q, uint32_t i)
{
	struct rw *w = &q->w;
	struct ins s = rw_draft(w, i);

	if (w->in->ins[i].x == q->grid || q->ends_there) {
		s.x = q->block;
	} else if (q->ordinary && !q->sure) {
		struct ins out = s;
		out.a = both(w, s.a, q->ordinary);
		append(&w->o, out);
		s.x = q->block;
	}
	append(&w->o, s);
}

static void
control(struct padding *q, uint32_t i)
{
	struct rw *w = &q->w;
	const struct ins *s = &w->in->ins[i];

	switch (s->op) {
	case OP_GRID:
		q->grid = i;
		q->end = s->x;
		if (find_grid(q))
			open_grid(q, i);
		return;
	case OP_IF:
		if (q->ordinary && !q->sure && implies_ordinary(q, w->map[s->a]))
			set_sure(q, i);
		break;
	case OP_ELSE:
		if (q->sure_at[w->in->ins[s->x].x]) {
			q->sure_at[w->in->ins[s->x].x] = 0;
			q->sure--;
		}
		break;
	case OP_LOOP: visit_loop(q, i); return;
	case OP_BREAK:
		if (q->grid && s->x <= q->grid) {
			leave_grid(q, i);
			return;
		}
		break;
	case OP_END:
		if (s->x == q->grid) {
			close_grid(q);
			return;
		}
		rw_copy(w, i);
		q->sure -= q->sure_at[s->x];
		if (q->extra[s->x])
			rw_close(w);
		return;
	default: break;
	}
	rw_copy(w, i);
}

qd_status
pass_mask_padding(struct pass_ctx *p, const struct ir *in, struct ir *out)
{
	struct padding q = { .level = NULL };

	QD_TRY(rw_begin(&q.w, p, in, out));
	q.extra = arena_zalloc(p->mem, in->n);
	q.sure_at = arena_zalloc(p->mem, in->n * sizeof *q.sure_at);
	if (!q.extra || !q.sure_at)
		return qd_fail(p->err, QD_E_NOMEM, "kernel '%s': out of memory", p->k->name);
	if (p->k->grid && (in->has & (HAS_CROSS | HAS_MEETING)))
		find_fed(&q);
	if (p->padded_block)
		open_rounded(&q);
	for (uint32_t i = 1; i < in->n && !q.w.o.nomem; i++) {
		if (QD_LIKELY(op_info[in->ins[i].op].is_alu))
			rw_copy_alu(&q.w, i);
		else if (op_flow[in->ins[i].op])
			control(&q, i);
		else
			operation(&q, i);
	}
	return rw_end(&q.w);
}
