/* Active lanes: the effect of constructs and jumps on exec.
 *
 * A construct is varying if its level is varying: an IF because of its condition, a LOOP or BLOCK
 * because of the jumps out of it. Only varying constructs change exec. At its END a construct
 * restores exec to its value before the construct, minus the lanes that have jumped past that END.
 * A jump removes its lanes from the save of each construct that it crosses. The target's save keeps
 * them, so they are active again after the target's END.
 *
 * A jump that all active lanes take is a branch to its target's END. */
#include "gen.h"

/* A test compiles this file with each rule disabled in turn and must detect it. */
#ifndef EXEC_RULE
#define EXEC_RULE(name) true
#endif

/* Maximum cost of an arm that runs with an empty exec instead of being branched over. */
enum { GEN_SHORT = 8 };

bool
gen_exec_init(struct gen *g)
{
	const struct body *body = g->in->body;
	struct arena *mem = g->in->mem;
	size_t n = g->n_nest + 1;

	g->exec = (struct gen_exec){
		.ins = body->ir.ins,
		.n_ins = body->ir.n,
		.level = body->level,
		.plan = g->plan,
		.frame = arena_alloc(mem, n * sizeof(struct gen_frame)),
		/* A jump has the most actions: one for each save that it crosses, and a few others. */
		.act = arena_alloc(mem, (n + 4) * sizeof(struct gen_act)),
		.full = true,
	};
	return g->exec.frame && g->exec.act;
}

static void
act(struct gen_exec *e, enum gen_do what, const struct gen_frame *f, enum gen_label label)
{
	e->act[e->n_act++] = (struct gen_act){ (uint8_t)what, (uint8_t)label, f->at };
}

static bool
varies(const struct gen_exec *e, uint32_t i)
{
	return e->level[i] >= LEVEL_VARYING;
}

static bool
is_long(const struct gen_exec *e, uint32_t arm, uint8_t flags)
{
	return (e->plan[arm].flags & flags) || e->plan[arm].cost > GEN_SHORT;
}

static struct gen_frame *
push(struct gen_exec *e, uint32_t i)
{
	struct gen_frame *f = &e->frame[e->n_frame++];

	*f = (struct gen_frame){
		.at = i, .arm = i, .varies = varies(e, i), .full = e->full, .empty = e->empty
	};
	if (f->varies)
		e->full = false;
	return f;
}

/* Returns the label at which execution continues if the current arm has no active lane. */
static enum gen_label
way_out(const struct gen_exec *e, const struct gen_frame *f)
{
	const struct ins *s = &e->ins[f->at];

	return s->op == OP_IF && f->arm == f->at && s->x != e->plan[f->at].end ? GEN_OTHER
									       : GEN_BEHIND;
}

/* Begins an arm, which may have no active lane. A long arm is then branched over. */
static void
begin_arm(struct gen_exec *e, const struct gen_frame *f)
{
	e->empty = !is_long(e, f->arm, GEN_LOADS | GEN_LOOPS);
	if (!e->empty)
		act(e, GEN_DO_EXECZ, f, way_out(e, f));
}

/* -- Constructs ------------------------------------------------------------------------- */

/* Returns true if only ENDs follow `end`, none of them a loop's. */
static bool
only_ends_follow(const struct gen_exec *e, uint32_t end)
{
	while (++end < e->n_ins)
		if (e->ins[end].op != OP_END || e->ins[e->ins[end].x].op == OP_LOOP)
			return false;
	return true;
}

/* Returns true if the next instruction after `end` is an END that restores exec. */
static bool
end_restores_exec(const struct gen_exec *e, uint32_t end)
{
	const struct ins *next = &e->ins[end + 1];

	/* Its construct encloses the current one. */
	return e->n_frame > 1 && next->op == OP_END && e->ins[next->x].op == OP_IF &&
	       varies(e, next->x);
}

/* Returns true if the END at `end` need not restore exec. */
static bool
is_tail(const struct gen_exec *e, const struct gen_frame *f, uint32_t end)
{
	return f->varies && (only_ends_follow(e, end) || (!f->full && end_restores_exec(e, end)));
}

static void
open_if(struct gen_exec *e, uint32_t i)
{
	struct gen_frame *f = push(e, i);
	bool other = e->ins[i].x != e->plan[i].end;

	if (!f->varies) {
		act(e, GEN_DO_BRANCH_NOT, f, way_out(e, f));
		return;
	}
	f->tail = is_tail(e, f, e->plan[i].end);
	f->saves = !f->full && (other || !f->tail);
	act(e, f->full ? GEN_DO_ONLY : f->saves ? GEN_DO_AND_SAVE : GEN_DO_AND, f, GEN_HEAD);
	begin_arm(e, f);
}

static void
free_save(struct gen_exec *e, struct gen_frame *f)
{
	if (f->saves)
		act(e, GEN_DO_FREE, f, GEN_HEAD);
	f->saves = false;
}

static void
other_arm(struct gen_exec *e, uint32_t i)
{
	struct gen_frame *f = &e->frame[e->n_frame - 1];

	f->arm = i;
	if (!f->varies && !e->gone)
		act(e, GEN_DO_BRANCH, f, GEN_BEHIND);
	act(e, GEN_DO_LABEL, f, GEN_OTHER);
	e->gone = false;
	if (!f->varies) {
		e->empty = f->empty;
		return;
	}
	/* This also holds after jumps, which remove the same lanes from the save and from exec. */
	act(e, f->full || !EXEC_RULE(XOR) ? GEN_DO_NOT : GEN_DO_XOR, f, GEN_HEAD);
	if (f->tail)
		free_save(e, f);
	begin_arm(e, f);
}

static void
open_body(struct gen_exec *e, uint32_t i)
{
	struct gen_frame *f = push(e, i);
	bool loop = e->ins[i].op == OP_LOOP;

	f->tail = is_tail(e, f, e->plan[i].end);
	f->saves = f->varies && !f->full && !f->tail;
	if (f->saves)
		act(e, GEN_DO_SAVE, f, GEN_HEAD);
	if (!loop)
		return;
	/* A loop with a uniform exit may never exit if no lane is active. */
	if (e->empty && EXEC_RULE(LOOP_SKIP))
		act(e, GEN_DO_EXECZ, f, GEN_BEHIND);
	e->empty = false;
	act(e, GEN_DO_LABEL, f, GEN_HEAD);
}

static void
close_construct(struct gen_exec *e)
{
	struct gen_frame *f = &e->frame[--e->n_frame];

	if (e->ins[f->at].op == OP_LOOP && !e->gone)
		act(e, f->varies ? GEN_DO_EXECNZ : GEN_DO_BRANCH, f, GEN_HEAD);
	act(e, GEN_DO_LABEL, f, GEN_BEHIND);
	if (f->varies && !f->tail && EXEC_RULE(RESTORE))
		act(e, f->full ? GEN_DO_ALL : GEN_DO_RESTORE, f, GEN_HEAD);
	free_save(e, f);
	e->full = f->full;
	e->empty = f->empty || f->crossed;
	e->gone = false;
}

/* -- Jumps ---------------------------------------------------------------------------------- */

/* Skips the rest of the innermost varying arm if no lane is active. Lanes become active again at
 * its ELSE or END. */
static void
skip_rest(struct gen_exec *e)
{
	const struct gen_frame *f = &e->frame[e->n_frame - 1];

	while (!f->varies)
		f--;
	if (is_long(e, f->arm, GEN_LOADS)) {
		act(e, GEN_DO_EXECZ, f, way_out(e, f));
		e->empty = false;
	}
}

static void
jump(struct gen_exec *e, uint32_t i)
{
	const struct ins *s = &e->ins[i];
	struct gen_frame *top = &e->frame[e->n_frame - 1], *target = top;
	bool saves = false, apart = EXEC_RULE(STRAIGHT) ? varies(e, i) : s->a && varies(e, s->a);

	for (; target->at != s->x; target--)
		saves |= target->saves;
	if (!apart) {
		act(e, s->a ? GEN_DO_BRANCH_IF : GEN_DO_BRANCH, target, GEN_BEHIND);
		e->gone = !s->a;
		return;
	}
	for (struct gen_frame *f = target + 1; f <= top; f++)
		f->crossed = true;
	if (saves && EXEC_RULE(TAKE)) {
		act(e, GEN_DO_LANES, target, GEN_HEAD);
		for (struct gen_frame *f = target + 1; f <= top; f++)
			if (f->saves)
				act(e, GEN_DO_TAKE, f, GEN_HEAD);
		act(e, GEN_DO_LEAVE, target, GEN_HEAD);
	} else {
		act(e, s->a ? GEN_DO_DROP : GEN_DO_NONE, target, GEN_HEAD);
	}
	e->empty = true;
	if (s->a)
		skip_rest(e);
}

void
gen_exec_at(struct gen *g, uint32_t i)
{
	struct gen_exec *e = &g->exec;

	e->n_act = 0;
	switch ((enum flow_kind)op_flow[e->ins[i].op]) {
	case FLOW_OPEN: (e->ins[i].op == OP_IF ? open_if : open_body)(e, i); break;
	case FLOW_ELSE: other_arm(e, i); break;
	case FLOW_JUMP: jump(e, i); break;
	case FLOW_CLOSE: close_construct(e); break;
	case FLOW_NONE: break;
	}
}
