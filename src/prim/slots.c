/* Slots in shared memory, through which the subgroups of a block exchange values.
 *
 * An exchange writes slots, waits at one block barrier, and reads. Two sets of slots alternate by
 * turns. Before a thread writes a set again, it passes the barrier of the turn between, which all
 * readers of the set have reached. All operations of a kernel share one sequence of turns.
 *
 * Operations that follow each other in the same construct, outside of loops, know their turn
 * statically. The others keep it in a variable, which is uniform in the block like its control
 * flow, and use sets of their own. */
#include "block.h"

struct slot_pool {
	struct slot_pool *next;
	uint32_t mem, len; /* slots of a set */
	uint8_t type, kind, set; /* set: if turns are known, each set is a memory; else a memory
				  * holds both */
	uint8_t place;
};

enum { KIND_KNOWN, KIND_VARIABLE };

uint32_t
prim_subgroups(const struct lg *l)
{
	return machine_rounded(l->m, l->p->k->block_dim) / l->m->subgroup_size;
}

void
prim_turns_begin(struct lg *l)
{
	const uint32_t both = HAS_MEETING | HAS_FLOW;

	if ((l->w.in->has & both) == both)
		l->turn = rw_var(&l->w, lg_u32(l, 0));
}

static bool
in_loop(const struct lg *l)
{
	const struct appender *o = &l->w.o;

	for (uint32_t d = 0; d < o->n_open; d++)
		if (o->ir->ins[o->open[d]].op == OP_LOOP)
			return true;
	return false;
}

struct turn
prim_turn(struct lg *l)
{
	const struct appender *o = &l->w.o;
	uint32_t inside = o->n_open ? o->open[o->n_open - 1] : 0;
	struct turn t = { .set = 0 };
	uint32_t now;

	if (!l->n_turns)
		l->turns_in = inside;
	if (inside == l->turns_in && !in_loop(l)) {
		t.set = l->n_turns++ & 1;
		return t;
	}
	l->n_turns = l->n_turns ? l->n_turns : 2;
	now = rw_get(&l->w, l->turn);
	t.now = now;
	rw_set(&l->w, l->turn, lg_imm(l, OP_XOR, now, 1));
	return t;
}

static struct slot_pool *
find_pool(struct lg *l, const struct slot_pool *want)
{
	struct slot_pool *p = l->pools;

	while (p && (p->type != want->type || p->kind != want->kind || p->set != want->set ||
		     p->place != want->place || p->len != want->len))
		p = p->next;
	if (p)
		return p;
	if (!(p = arena_alloc(l->p->mem, sizeof *p))) {
		l->w.o.nomem = true;
		return NULL;
	}
	*p = *want;
	p->mem = prim_shared(l, (qd_type)p->type, p->kind == KIND_VARIABLE ? 2 * p->len : p->len);
	p->next = l->pools;
	return l->pools = p;
}

struct slots
prim_slots(struct lg *l, struct turn turn, qd_type t, uint32_t len, uint32_t place)
{
	struct slot_pool want = { .type = (uint8_t)t, .len = len, .place = (uint8_t)place,
				  .kind = turn.now ? KIND_VARIABLE : KIND_KNOWN,
				  .set = (uint8_t)turn.set };
	const struct slot_pool *p = lg_failed(l) ? NULL : find_pool(l, &want);
	struct slots s = { .len = len };

	if (!p)
		return s;
	s.mem = p->mem;
	s.base = turn.now ? lg_imm(l, OP_MUL, turn.now, len) : 0;
	return s;
}

static uint32_t
place_of(struct lg *l, const struct slots *s, uint32_t index)
{
	return s->base ? lg_bin(l, OP_ADD, index, s->base) : index;
}

void
prim_slot_put(struct lg *l, const struct slots *s, uint32_t index, uint32_t v, uint32_t where)
{
	if (!lg_failed(l))
		prim_store(l, (struct ins){ .a = place_of(l, s, index), .b = v, .c = where,
					    .x = s->mem });
}

uint32_t
prim_slot_get(struct lg *l, const struct slots *s, uint32_t index, uint32_t where, uint32_t other)
{
	if (lg_failed(l))
		return 0;
	return prim_load(l, (struct ins){ .a = place_of(l, s, index), .b = other, .c = where,
					  .x = s->mem });
}

void
prim_meet(struct lg *l)
{
	lg_push_op(l, OP_BLOCK_SYNC, QD_TYPE_NONE, 0, 0);
}
