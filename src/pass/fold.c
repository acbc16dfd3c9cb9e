/* What is known already goes: constants, dead branches, dead values.
 *
 * Takes any body, specialised or legal, and gives one that computes the same
 * bits.  Forward: per-lane operations on constants are computed (eval.c), an
 * identity that holds for every bit is taken, an `if` on a constant leaves one
 * branch, code after a jump goes, and a leaf that stands outside control flow is
 * found again.  Floats know no identity but select.  Backward: a value that
 * nothing uses, loads and cross-lane results included, a variable that nothing
 * reads and an `if` around nothing go; loops stay.  Then the rest moves together.
 * Three walks, each linear; pass_sweep is the last two. */
#include "rewrite.h"

/* Leaves that are the same wherever they stand. */
enum { LEAF_LANE, LEAF_THREAD_IDX, LEAF_BLOCK_IDX, LEAF_GRID_DIM, LEAF_SUBGROUP_ID, N_LEAF };

struct fold {
	struct rw w;
	uint32_t leaf[N_LEAF];
	uint32_t param[MAX_PARAM], len[MAX_PARAM];
};

/* -- Identities ------------------------------------------------------------------ */

static uint32_t
choose(const struct rw *w, const struct ins *s)
{
	uint64_t c, x, y;

	if (rw_is_const(w, s->a, &c))
		return c ? s->b : s->c;
	if (s->b == s->c)
		return s->b;
	if (s->type == QD_TYPE_BOOL && rw_is_const(w, s->b, &x) && rw_is_const(w, s->c, &y) && x &&
	    !y)
		return s->a;
	return 0;
}

/* The value that s (operands new) is known to be, or 0.  A bit cast may get a
 * nearer operand. */
static uint32_t
simplify(struct rw *w, struct ins *s)
{
	const struct ins *a = &w->out->ins[s->a];
	const struct ins *b = &w->out->ins[op_info[s->op].n_args > 1 ? s->b : 0];
	uint64_t bits, ka, kb;

	switch (s->op) {
	case OP_SELECT: return choose(w, s);
	case OP_CVT:
		if (a->type == s->type)
			return s->a;
		break;
	case OP_NOT:
		if (a->op == OP_NOT)
			return a->a;
		break;
	case OP_BITCAST:
		if (a->op == OP_BITCAST) {
			s->a = a->a;
			a = &w->out->ins[s->a];
		}
		if (a->type == s->type)
			return s->a;
		break;
	default: break;
	}
	if (a->op == OP_CONST && rw_eval(w, s, &bits))
		return rw_const(w, s->type, bits);
	if (type_is(a->type, TM_FLT) || op_info[s->op].n_args != 2)
		return 0;
	ka = const_bits(a);
	kb = const_bits(b);
	switch (ir_known(s->op, (qd_type)a->type, s->a == s->b, a->op == OP_CONST ? &ka : NULL,
			 b->op == OP_CONST ? &kb : NULL)) {
	case KNOWN_A: return s->a;
	case KNOWN_B: return s->b;
	case KNOWN_ZERO: return rw_const(w, (qd_type)s->type, 0);
	case KNOWN_ONE: return rw_const(w, (qd_type)s->type, 1);
	case KNOWN_NOT: break;
	}
	return 0;
}

/* -- Forward ------------------------------------------------------------------------ */

static uint32_t *
leaf_slot(struct fold *f, const struct ins *s)
{
	if (s->aux)
		return NULL;
	switch (s->op) {
	case OP_LANE: return &f->leaf[LEAF_LANE];
	case OP_THREAD_IDX: return &f->leaf[LEAF_THREAD_IDX];
	case OP_BLOCK_IDX: return &f->leaf[LEAF_BLOCK_IDX];
	case OP_GRID_DIM: return &f->leaf[LEAF_GRID_DIM];
	case OP_SUBGROUP_ID: return &f->leaf[LEAF_SUBGROUP_ID];
	case OP_PARAM: return &f->param[s->x];
	case OP_LEN: return &f->len[s->x];
	default: return NULL;
	}
}

static uint32_t
fold_leaf(struct fold *f, const struct ins *s)
{
	uint32_t *slot = leaf_slot(f, s);

	if (!slot)
		return rw_commit(&f->w);
	if (*slot)
		return *slot;
	uint32_t v = rw_commit(&f->w);
	if (!f->w.n_open)
		*slot = v;
	return v;
}

static uint32_t
fold_load(struct rw *w, struct ins *s)
{
	uint64_t c;

	if (s->c && rw_is_const(w, s->c, &c)) {
		if (!c)
			return s->b ? s->b : rw_const(w, s->type, 0);
		s->c = 0;
	}
	return rw_commit(w);
}

static void
fold_store(struct rw *w, struct ins *s)
{
	uint64_t c;

	if (s->c && rw_is_const(w, s->c, &c)) {
		if (!c)
			return;
		s->c = 0;
	}
	rw_commit(w);
}

/* The end of the construct that opens at i. */
static uint32_t
end_of(const struct ir *in, uint32_t i)
{
	uint32_t x = in->ins[i].x;

	return in->ins[x].op == OP_ELSE ? in->ins[x].x : x;
}

/* Nothing from i on runs: where the block that is open in out ends.  An `if`
 * that left only one of its branches has no value in out; its else and end are
 * dead too. */
static uint32_t
skip_dead(const struct rw *w, uint32_t i)
{
	const struct ir *in = w->in;

	for (; i < in->n; i++) {
		const struct ins *s = &in->ins[i];

		if (s->op == OP_END) {
			if (w->map[s->x])
				break;
		} else if (s->op == OP_ELSE) {
			if (w->map[in->ins[s->x].x])
				break;
			i = s->x;
		} else if (op_info[s->op].flags & OPF_OPEN) {
			i = end_of(in, i);
		}
	}
	return i;
}

/* Control flow; gives the next instruction to look at. */
static uint32_t
fold_control(struct rw *w, uint32_t i)
{
	const struct ir *in = w->in;
	const struct ins *s = &in->ins[i];
	uint64_t bits;

	switch (s->op) {
	case OP_IF:
		if (!rw_is_const(w, w->map[s->a], &bits))
			break;
		return bits ? i + 1 : s->x + 1; /* into the else, or behind the end */
	case OP_ELSE:
		if (!w->map[in->ins[s->x].x])
			return s->x + 1;
		break;
	case OP_END:
		if (!w->map[s->x])
			return i + 1;
		break;
	case OP_BREAK_IF:
		if (!rw_is_const(w, w->map[s->a], &bits))
			break;
		if (!bits)
			return i + 1;
		w->pos = in->pos[i];
		rw_op(w, OP_BREAK, QD_TYPE_NONE, 0, 0, 0);
		return skip_dead(w, i + 1);
	case OP_BREAK:
	case OP_CONTINUE: rw_copy(w, i); return skip_dead(w, i + 1);
	default: break;
	}
	rw_copy(w, i);
	return i + 1;
}

/* Folds instruction i; gives the next one to look at. */
static uint32_t
forward(struct fold *f, uint32_t i)
{
	struct rw *w = &f->w;
	const struct ins *old = &w->in->ins[i];
	const uint16_t flags = op_info[old->op].flags;
	struct ins *s;
	uint64_t bits;
	uint32_t v;

	if (flags & (OPF_OPEN | OPF_CLOSE | OPF_JUMP))
		return fold_control(w, i);
	if (old->op == OP_CONST) {
		w->pos = w->in->pos[i];
		w->map[i] = rw_const(w, old->type, const_bits(old));
		return i + 1;
	}
	s = rw_draft(w, i);
	if (flags & OPF_ALU) {
		v = simplify(w, s);
		w->map[i] = v ? v : rw_commit(w);
		return i + 1;
	}
	switch (s->op) {
	case OP_LOAD: v = fold_load(w, s); break;
	case OP_STORE: fold_store(w, s); return i + 1;
	case OP_REDUCE_ADD:
	case OP_REDUCE_MIN:
	case OP_REDUCE_MAX:
	case OP_INCLUSIVE_ADD:
		/* A tile of one lane. */
		v = s->b && rw_is_const(w, s->b, &bits) && !bits ? s->a : rw_commit(w);
		break;
	default: v = fold_leaf(f, s);
	}
	w->map[i] = v;
	return i + 1;
}

/* -- Backward ----------------------------------------------------------------------- */

enum { LIVE = 1, READ = 2 };

/* Marks what has an effect, or a use that has one; returns how many.  `kept`
 * holds, for each open `if`, the count at its end: an `if` whose count has not
 * grown holds nothing. */
static uint32_t
mark_live(const struct ir *ir, uint8_t *live)
{
	uint32_t kept[QD_COUNT(((struct rw *)0)->open)], n_if = 0, n = 0;
	bool region = false;

	for (uint32_t i = ir->n; --i > 0;) {
		const struct ins *s = &ir->ins[i];
		bool keep = live[i] & LIVE;

		switch (s->op) {
		case OP_STORE:
		case OP_BREAK:
		case OP_BREAK_IF:
		case OP_CONTINUE:
		case OP_REQUIRE:
		case OP_LOOP: keep = true; break;
		case OP_SET: keep = live[s->a] & READ; break;
		case OP_END:
			if (ir->ins[s->x].op == OP_IF) {
				kept[n_if++] = n;
				continue;
			}
			keep = ir->ins[s->x].op == OP_LOOP || (live[s->x] & LIVE);
			region = ir->ins[s->x].op == OP_REGION && keep;
			break;
		case OP_ELSE: live[i] = n != kept[n_if - 1]; continue;
		case OP_IF:
			keep = n != kept[--n_if];
			if (keep) {
				live[end_of(ir, i)] = LIVE;
				n += ir->ins[s->x].op == OP_ELSE && live[s->x] ? 2 : 1;
			}
			break;
		case OP_ARG:
		case OP_YIELD: keep = region; break;
		default: break;
		}
		if (!keep)
			continue;
		live[i] |= LIVE;
		n++;
		uint32_t values = ir_value_operands(s);
		if (values & 1)
			live[s->a] |= LIVE;
		if (values & 2)
			live[s->b] |= LIVE;
		if (values & 4)
			live[s->c] |= LIVE;
	}
	return n;
}

/* Moves what lives together, into the same arrays or others; to: new number of
 * each. */
static void
compact(const struct ir *ir, struct ir *out, const uint8_t *live, uint32_t *to)
{
	uint32_t n = 1;

	to[0] = 0;
	for (uint32_t i = 1; i < ir->n; i++)
		to[i] = live[i] & LIVE ? n++ : 0;
	for (uint32_t i = 1; i < ir->n; i++) {
		if (!(live[i] & LIVE))
			continue;
		const struct ins *from = &ir->ins[i];
		const uint32_t values = ir_value_operands(from), x = from->x;
		struct ins *s = &out->ins[to[i]];
		uint32_t a = values & 1 ? to[from->a] : from->a;
		uint32_t b = values & 2 ? to[from->b] : from->b;
		uint32_t c = values & 4 ? to[from->c] : from->c;
		if (op_info[from->op].flags & (OPF_OPEN | OPF_CLOSE))
			s->x = to[to[x] ? x : end_of(ir, i)]; /* a dead else */
		else
			s->x = x;
		s->op = from->op;
		s->type = from->type;
		s->aux = from->aux;
		s->a = a;
		s->b = b;
		s->c = c;
		out->pos[to[i]] = ir->pos[i];
	}
	out->n = n;
}

/* The body without what is dead.  out is `in` itself, or empty. */
static qd_status
drop_dead(struct pass_ctx *p, const struct ir *in, struct ir *out)
{
	uint8_t *live = arena_zalloc(p->mem, in->n);
	uint32_t *to;

	if (!live)
		goto nomem;
	for (uint32_t i = 1; i < in->n; i++)
		if (in->ins[i].op == OP_GET)
			live[in->ins[i].a] = READ;
	uint32_t n = mark_live(in, live);
	if (n == in->n - 1) {
		*out = *in;
		return QD_OK;
	}
	to = arena_alloc(p->mem, in->n * sizeof *to);
	if (!to || (in != out && !ir_reserve(out, p->mem, n + 1)))
		goto nomem;
	if (in != out) {
		out->ins[0] = in->ins[0];
		out->pos[0] = in->pos[0];
	}
	compact(in, out, live, to);
	return QD_OK;
nomem:
	return qd_fail(p->err, QD_E_NOMEM, "kernel '%s': out of memory", p->k->name);
}

/* -- The passes ----------------------------------------------------------------------- */

qd_status
pass_fold(struct pass_ctx *p, const struct ir *in, struct ir *out)
{
	struct fold f;

	QD_TRY(rw_begin(&f.w, p, in, out));
	memset(f.leaf, 0, sizeof f.leaf);
	memset(f.param, 0, p->k->n_params * sizeof *f.param);
	memset(f.len, 0, p->k->n_params * sizeof *f.len);
	for (uint32_t i = 1; i < in->n;)
		i = forward(&f, i);
	QD_TRY(rw_end(&f.w));
	return drop_dead(p, out, out);
}

qd_status
pass_sweep(struct pass_ctx *p, const struct ir *in, struct ir *out)
{
	memset(out, 0, sizeof *out);
	return drop_dead(p, in, out);
}
