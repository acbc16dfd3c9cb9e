/* Replaces reads of variables with the values that they hold, and removes stores that nothing
 * reads.
 *
 * The walk knows a variable's value from a store, or from the first read of a merged value, to the
 * end of the innermost arm around it. An arm is the body of a construct, or one side of an `if`.
 * After a construct, the value of a variable that the construct sets is unknown: several values
 * may reach that point. It is also unknown at the head of a loop that sets the variable. The
 * reads and stores that remain are merges of loops and branches. An `if` whose condition becomes
 * constant is replaced by one of its sides.
 *
 * A store is dead if another store to the same variable follows in the same arm, no read that
 * remains is between them, and no jump between them leaves the arm.
 *
 * The journal contains the variables that each open arm sets, with their states before the arm.
 * The end of an arm moves its entries to the arm around it, so the work grows with the depth of
 * nesting. If it exceeds a multiple of the body's size, the body stays as it is. */
#include "rewrite.h"

/* A test compiles this file with each rule disabled in turn and must detect it. */
#ifndef VALUES_RULE
#define VALUES_RULE(name) true
#endif

enum { MAX_WORK = 16 /* entries that are moved, for each instruction */ };

struct local {
	uint32_t now;	  /* its value here, new; 0: unknown */
	uint32_t arm;	  /* the innermost open arm that declares it or has it in the journal */
	uint32_t set;	  /* the last store, if no read that remains has followed; else 0 */
	uint32_t set_arm; /* the arm of that store */
	bool read;	  /* a read remains */
};

/* An entry of the journal: the state of a variable before an arm. */
struct change {
	uint32_t local, now, arm;
};

struct arm {
	uint32_t at;	 /* the opener or the else */
	uint32_t opener; /* of the construct */
	uint32_t first;	 /* entry of the journal: the first of the construct */
	uint32_t own;	 /* the first of this arm */
};

/* A jump out of open constructs. */
struct jump {
	uint32_t at, depth; /* depth: of the arm that it leaves last */
};

struct values {
	struct rw w;
	uint32_t *slot; /* by instruction: index of the variable that it declares */
	struct local *locals;
	uint32_t *sets; /* all stores of the input, in order */
	uint32_t n_locals, n_sets, n_jumps, next_set;
	struct change *changes;
	uint32_t n_changes, cap_changes;
	struct arm *arms; /* arms[0] is the body */
	uint32_t n_arms, cap_arms;
	struct jump *jumps;
	uint64_t work;
};

static struct local *
local_of(const struct values *v, uint32_t var)
{
	return &v->locals[v->slot[var]];
}

static uint32_t
arm_of(const struct values *v)
{
	return v->arms[v->n_arms - 1].at;
}

/* Returns an array of twice the capacity with the same content. */
static void *
doubled(struct values *v, const void *old, uint32_t *cap, size_t size)
{
	void *p = arena_alloc(v->w.p->mem, 2 * *cap * size);

	if (!p) {
		v->w.o.nomem = true;
		return NULL;
	}
	memcpy(p, old, *cap * size);
	*cap *= 2;
	return p;
}

/* -- Known values ------------------------------------------------------------------------ */

static void
log_change(struct values *v, struct change c)
{
	struct change *changes = v->changes;

	if (v->n_changes == v->cap_changes) {
		changes = doubled(v, changes, &v->cap_changes, sizeof *changes);
		if (!changes)
			return;
		v->changes = changes;
	}
	changes[v->n_changes++] = c;
	v->work++;
}

/* Sets the value that the variable holds from here to the end of the arm; 0: unknown. */
static void
hold(struct values *v, struct local *l, uint32_t value)
{
	if (l->arm != arm_of(v)) {
		log_change(v, (struct change){ (uint32_t)(l - v->locals), l->now, l->arm });
		l->arm = arm_of(v);
	}
	l->now = value;
}

/* Replaces a store of the new body with an instruction without a use. */
static void
remove_set(struct values *v, uint32_t set)
{
	v->w.o.ir->ins[set] = (struct ins){ .op = OP_CONST, .type = QD_TYPE_U32 };
}

/* Returns whether a store here replaces the last one before anything reads it. */
static bool
is_replaced(const struct values *v, const struct local *l)
{
	if (!l->set || (l->set_arm != arm_of(v) && VALUES_RULE(SAME_ARM)))
		return false;
	return !v->n_jumps || v->jumps[v->n_jumps - 1].at < l->set || !VALUES_RULE(JUMP);
}

static void
visit_local(struct values *v, uint32_t i)
{
	struct rw *w = &v->w;
	const struct ins *s = &w->in->ins[i];
	struct local *l = local_of(v, s->op == OP_VAR ? i : s->a);
	uint32_t value;

	switch (s->op) {
	case OP_VAR:
		rw_copy(w, i);
		*l = (struct local){ .now = w->map[s->a], .arm = arm_of(v) };
		break;
	case OP_GET:
		if (l->now) {
			w->map[i] = l->now;
			break;
		}
		l->read = true;
		l->set = VALUES_RULE(READ) ? 0 : l->set;
		hold(v, l, rw_copy(w, i));
		break;
	default: /* OP_SET */
		value = w->map[s->b];
		v->next_set++;
		if (value == l->now)
			break;
		if (is_replaced(v, l)) {
			remove_set(v, w->map[l->set]);
			w->map[l->set] = 0;
		}
		rw_copy(w, i);
		l->set = i;
		l->set_arm = arm_of(v);
		hold(v, l, value);
	}
}

/* -- Control flow -------------------------------------------------------------------------- */

static void
open_arm(struct values *v, uint32_t i)
{
	const struct ir *in = v->w.in;
	struct arm *arms = v->arms;

	if (v->n_arms == v->cap_arms) {
		arms = doubled(v, arms, &v->cap_arms, sizeof *arms);
		if (!arms)
			return;
		v->arms = arms;
	}
	arms[v->n_arms++] = (struct arm){ i, i, v->n_changes, v->n_changes };
	if (in->ins[i].op != OP_LOOP)
		return;
	for (uint32_t j = v->next_set; j < v->n_sets && v->sets[j] < in->ins[i].x; j++) {
		uint32_t var = in->ins[v->sets[j]].a;

		v->work++;
		if (var < i && VALUES_RULE(LOOP))
			hold(v, local_of(v, var), 0);
	}
}

/* Restores the states of variables before the innermost arm. */
static void
restore(struct values *v)
{
	for (uint32_t j = v->n_changes; VALUES_RULE(RESTORE) && j-- > v->arms[v->n_arms - 1].own;) {
		const struct change *c = &v->changes[j];

		v->locals[c->local].now = c->now;
		v->locals[c->local].arm = c->arm;
	}
}

/* Begins the second arm of an `if`. The value of a variable that the first arm sets is known there
 * only if it is a constant. Any other value is read again, to share the variable's register. */
static void
open_else(struct values *v, uint32_t i)
{
	struct arm *a = &v->arms[v->n_arms - 1];
	const uint32_t from = a->own, to = v->n_changes;
	uint64_t bits;

	restore(v);
	a->at = i;
	a->own = to;
	for (uint32_t j = from; j < to; j++) {
		struct local *l = &v->locals[v->changes[j].local];

		if (l->now && !rw_is_const(&v->w, l->now, &bits))
			hold(v, l, 0);
	}
}

static void
close_arm(struct values *v)
{
	const struct arm *a = &v->arms[v->n_arms - 1];
	const uint32_t end = v->n_changes, around = a[-1].at;

	restore(v);
	v->n_arms--;
	v->n_changes = a->first;
	for (uint32_t j = a->first; j < end; j++) {
		const struct change c = v->changes[j];
		struct local *l = &v->locals[c.local];

		l->now = VALUES_RULE(MERGE) ? 0 : l->now;
		if (l->arm != around)
			v->changes[v->n_changes++] = c;
		l->arm = around;
	}
	v->work += end - a->first;
	while (v->n_jumps && v->jumps[v->n_jumps - 1].depth >= v->n_arms && VALUES_RULE(LANDED))
		v->n_jumps--;
}

/* Returns i, the next instruction to visit, after code that is dead. */
static uint32_t
skip_to(struct values *v, uint32_t i)
{
	while (v->next_set < v->n_sets && v->sets[v->next_set] < i)
		v->next_set++;
	return i;
}

/* Returns the next instruction to visit. No code follows a jump that is always taken. */
static uint32_t
visit_jump(struct values *v, uint32_t i)
{
	struct ins jump = rw_draft(&v->w, i);
	uint32_t depth = v->n_arms - 1;
	uint64_t bits;

	while (v->arms[depth].opener != v->w.in->ins[i].x)
		depth--;
	v->jumps[v->n_jumps++] = (struct jump){ i, depth };
	if (jump.a && rw_is_const(&v->w, jump.a, &bits) && bits)
		jump.a = 0;
	append(&v->w.o, jump);
	return jump.a ? i + 1 : skip_to(v, rw_skip_dead(&v->w, i + 1));
}

/* Returns the next instruction to visit. An `if` on a constant has no value in the new body. */
static uint32_t
control(struct values *v, uint32_t i)
{
	struct rw *w = &v->w;
	const struct ins *s = &w->in->ins[i];
	uint64_t bits;

	switch ((enum flow_kind)op_flow[s->op]) {
	case FLOW_OPEN:
		if (s->op == OP_IF && rw_is_const(w, w->map[s->a], &bits))
			return bits ? i + 1 : skip_to(v, s->x + 1);
		rw_copy(w, i);
		open_arm(v, i);
		break;
	case FLOW_ELSE:
		if (!w->map[w->in->ins[s->x].x])
			return skip_to(v, s->x + 1);
		rw_copy(w, i);
		open_else(v, i);
		break;
	case FLOW_CLOSE:
		if (!w->map[s->x])
			break;
		rw_copy(w, i);
		close_arm(v);
		break;
	case FLOW_JUMP: return visit_jump(v, i);
	case FLOW_NONE: break;
	}
	return i + 1;
}

/* -- The walk ------------------------------------------------------------------------------ */

static bool
begin(struct values *v)
{
	const struct ir *in = v->w.in;
	struct arena *mem = v->w.p->mem;
	uint32_t n_jumps = 0;

	for (uint32_t i = 1; i < in->n; i++)
		n_jumps += in->ins[i].op == OP_BREAK;
	v->slot = arena_alloc(mem, in->n * sizeof *v->slot);
	v->sets = arena_alloc(mem, in->n * sizeof *v->sets);
	v->jumps = arena_alloc(mem, (n_jumps + 1) * sizeof *v->jumps);
	v->cap_changes = v->cap_arms = 16;
	v->changes = arena_alloc(mem, v->cap_changes * sizeof *v->changes);
	v->arms = arena_alloc(mem, v->cap_arms * sizeof *v->arms);
	if (!v->slot || !v->sets || !v->jumps || !v->changes || !v->arms)
		return false;
	for (uint32_t i = 1; i < in->n; i++) {
		if (in->ins[i].op == OP_VAR)
			v->slot[i] = v->n_locals++;
		else if (in->ins[i].op == OP_SET)
			v->sets[v->n_sets++] = i;
	}
	v->locals = arena_alloc(mem, (v->n_locals + 1) * sizeof *v->locals);
	v->arms[0] = (struct arm){ 0, 0, 0, 0 };
	v->n_arms = 1;
	return v->locals != NULL;
}

qd_status
pass_values(struct pass_ctx *p, const struct ir *in, struct ir *out)
{
	struct values v = { .n_locals = 0 };

	QD_TRY(rw_begin(&v.w, p, in, out));
	if (!begin(&v))
		v.w.o.nomem = true;
	for (uint32_t i = 1; i < in->n && !v.w.o.nomem;) {
		enum op op = (enum op)in->ins[i].op;

		if (QD_LIKELY(op_info[op].is_alu))
			rw_copy_alu(&v.w, i++);
		else if (op_flow[op])
			i = control(&v, i);
		else if (op_info[op].effect == EFFECT_LOCAL)
			visit_local(&v, i++);
		else
			rw_copy(&v.w, i++);
		if (QD_UNLIKELY(v.work > (uint64_t)MAX_WORK * in->n)) {
			*out = *in;
			return QD_OK;
		}
	}
	for (uint32_t j = 0; j < v.n_sets && !v.w.o.nomem; j++)
		if (v.w.map[v.sets[j]] && !local_of(&v, in->ins[v.sets[j]].a)->read)
			remove_set(&v, v.w.map[v.sets[j]]);
	return rw_end(&v.w);
}
