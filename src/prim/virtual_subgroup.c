/* Kernel subgroups that differ from the hardware's. A subgroup made of several hardware
 * subgroups exchanges words through a shared array with a word for each thread. A subgroup that
 * is a part of a hardware subgroup is selected by the lane index.
 *
 * The whole block reaches these operations (pass_uniformity_check checks it), so barriers may be emitted
 * anywhere. An exchange is a store, a barrier and loads. The next exchange uses the other half
 * of the array: its writers have passed the barrier between, and so have all readers of that
 * half. If control flow separates two exchanges, the half read last is unknown, and a barrier
 * precedes the store. */
#include "prim.h"

/* -- Gathered ---------------------------------------------------------------------- */

static uint32_t
threads(const struct lg *l)
{
	return machine_rounded(l->m, l->p->k->block_dim);
}

static void
barrier(struct lg *l)
{
	lg_push(l, (struct ins){ .op = OP_BLOCK_SYNC });
}

/* Returns whether a thread may still read the words that the next exchange writes. */
static bool
may_be_read(const struct lg *l)
{
	const struct ir *out = l->w.o.ir;
	bool first = !l->exchange.end;

	for (uint32_t i = first ? 1 : l->exchange.end; i < out->n; i++) {
		if (first ? out->ins[i].op == OP_LOOP : op_flow[out->ins[i].op] != FLOW_NONE)
			return true;
	}
	return false;
}

/* Stores each thread's word. Returns a value: the index of the subgroup's first word. */
static uint32_t
publish(struct lg *l, uint32_t v)
{
	struct exchange *e = &l->exchange;
	uint32_t thread = lg_thread(l), n = threads(l), own;

	if (!e->end)
		e->mem = prim_shared(l, QD_TYPE_U32, 2 * n);
	if (may_be_read(l))
		barrier(l);
	e->set = !e->set;
	own = lg_imm(l, OP_ADD, thread, e->set * n);
	prim_store(l, (struct ins){ .a = own, .b = v, .x = e->mem });
	barrier(l);
	own = lg_imm(l, OP_AND, thread, ~(l->m->subgroup_size - 1));
	return lg_imm(l, OP_ADD, own, e->set * n);
}

static uint32_t
word_at(struct lg *l, uint32_t base, uint32_t index)
{
	uint32_t v = prim_load(l, (struct ins){ .a = lg_bin(l, OP_ADD, base, index),
						.x = l->exchange.mem });

	l->exchange.end = l->w.o.ir->n;
	return v;
}

/* Returns word `word` of the hardware's ballot. */
static uint32_t
own_ballot(struct lg *l, uint32_t p, uint32_t word)
{
	struct query q = { .op = OP_BALLOT_WORD, .type = QD_TYPE_BOOL, .to = QD_TYPE_BOOL };

	if (!l->m->native(l->m, &q))
		return lg_refuse(l, (enum op)l->w.in->ins[l->at].op, QD_TYPE_BOOL);
	return lg_push(l, (struct ins){ .op = OP_BALLOT_WORD, .type = QD_TYPE_U32, .a = p, .x = word });
}

/* Builds a word of the ballot from one or several words of hardware ballots. */
static uint32_t
gathered_ballot(struct lg *l, uint32_t p, uint32_t word)
{
	uint32_t lanes = l->m->lanes, first = 32 * word / lanes * lanes, base, all;
	uint32_t end = 32 * word + 32 < l->m->subgroup_size ? 32 * word + 32 : l->m->subgroup_size;

	base = publish(l, own_ballot(l, p, word % ((lanes + 31) / 32)));
	all = word_at(l, base, lg_u32(l, first));
	for (uint32_t lane = first + lanes; lane < end; lane += lanes) {
		uint32_t part = word_at(l, base, lg_u32(l, lane));
		all = lg_bin(l, OP_OR, all, lg_imm(l, OP_SHL, part, lane - 32 * word));
	}
	return all;
}

uint32_t
prim_gather(struct lg *l, enum op op, uint32_t v, uint32_t index)
{
	if (op == OP_SHUFFLE_XOR)
		index = lg_bin(l, OP_XOR, lg_lane(l), index);
	return word_at(l, publish(l, v), index);
}

/* -- Split ------------------------------------------------------------------------- */

/* Returns the first hardware lane of this subgroup. */
uint32_t
prim_first_lane(struct lg *l)
{
	return lg_imm(l, OP_AND, lg_hw_lane(l), l->m->lanes - l->m->subgroup_size);
}

static uint32_t
split_ballot(struct lg *l, uint32_t p, uint32_t word)
{
	uint32_t size = l->m->subgroup_size, step = size > 32 ? size / 32 : 1, here, other;
	uint32_t first = prim_first_lane(l), all = own_ballot(l, p, word);

	/* The other hardware words that may contain this word of the subgroup. */
	for (uint32_t at = word + step; 32 * at < l->m->lanes; at += step) {
		here = lg_cmp_imm(l, OP_EQ, lg_imm(l, OP_AND, first, ~31u), 32 * (at - word));
		other = own_ballot(l, p, at);
		all = lg_select(l, here, other, all);
	}
	if (size >= 32)
		return all;
	all = lg_op(l, OP_SHR, QD_TYPE_U32, all, lg_imm(l, OP_AND, first, 31), 0);
	return lg_imm(l, OP_AND, all, (1u << size) - 1);
}

/* -- Either ------------------------------------------------------------------------ */

uint32_t
prim_made_ballot(struct lg *l, uint32_t p, uint32_t word)
{
	return machine_splits(l->m) ? split_ballot(l, p, word) : gathered_ballot(l, p, word);
}

/* -- Order ------------------------------------------------------------------------- */

/* Widens subgroup scope to the block if a subgroup spans several hardware subgroups. */
enum mem_scope
prim_scope(const struct lg *l, enum mem_scope scope)
{
	return scope == MEM_SUBGROUP && machine_gathers(l->m) ? MEM_BLOCK : scope;
}

void
expand_order(struct lg *l, uint32_t i)
{
	struct ins s = rw_draft(&l->w, i);

	if (machine_gathers(l->m)) {
		uint32_t scope = prim_scope(l, ir_scope(&s));
		s.op = op_info[s.op].combine;
		s.attr = (uint16_t)((s.attr & ~(uint32_t)ATTR_SCOPE) | scope << ATTR_SCOPE_AT);
	}
	lg_push(l, s);
}
