/* Expansions of the new operations of steps.md. */
#include "prim.h"

/* Compares with key and value of the neighboring lane, and sorts each pair of lanes. */
void
expand_made_sort(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	uint32_t k = l->w.map[s->a], v = l->w.map[s->b];
	uint32_t other_k = prim_pattern(l, PATTERN_XOR, k, 1);
	uint32_t other_v = prim_pattern(l, PATTERN_XOR, v, 1);
	uint32_t take = lg_select(l, prim_is_upper(l, 1), lg_cmp(l, OP_LT, k, other_k),
				  lg_cmp(l, OP_LT, other_k, k));
	uint32_t r[2] = { lg_select(l, take, other_k, k), lg_select(l, take, other_v, v) };

	prim_results(l, i, r, 2);
}

static uint32_t
lanes_with(struct lg *l, uint32_t v)
{
	return lg_push_op(l, OP_BALLOT_WORD, QD_TYPE_U32, v, 0);
}

void
expand_made_words(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	uint32_t zero = lg_u32(l, 0);

	if (lg_native(l, OP_MADE_WORDS, QD_TYPE_BOOL)) {
		rw_copy(&l->w, i);
		return;
	}
	prim_results(l, i, (uint32_t[]){ lanes_with(l, l->w.map[s->a]), zero, zero, zero }, 4);
}

void
expand_made_match(struct lg *l, uint32_t i)
{
	uint32_t v = l->w.map[l->w.in->ins[i].a], first = prim_move(l, OP_BROADCAST, v, lg_u32(l, 0));
	uint32_t all = lanes_with(l, lg_const(l, QD_TYPE_BOOL, 1));
	uint32_t same = lg_cmp(l, OP_EQ, lanes_with(l, lg_cmp(l, OP_EQ, v, first)), all);

	prim_results(l, i, (uint32_t[]){ lg_select(l, same, all, lg_u32(l, 0)), same }, 2);
}

/* No other thread accesses the element. */
void
expand_made_cas(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	const struct memory *mem = &l->p->mems[s->x];
	struct query q = { .op = OP_MADE_CAS, .type = mem->type, .to = mem->type, .space = mem->space,
			   .scope = (uint8_t)((s->attr & ATTR_SCOPE) >> ATTR_SCOPE_AT),
			   .order = (uint8_t)((s->attr & ATTR_ORDER) >> ATTR_ORDER_AT) };
	uint32_t where = prim_where(l, s), old, swap;

	if (l->m->native(l->m, &q)) {
		lg_refuse(l, OP_MADE_CAS, mem->type);
		return;
	}
	old = prim_load(l, (struct ins){ .a = l->w.map[s->a], .c = where, .x = s->x });
	swap = lg_cmp(l, OP_EQ, old, l->w.map[s->b]);
	swap = where ? lg_bin(l, OP_AND, swap, where) : swap;
	prim_store(l, (struct ins){ .a = l->w.map[s->a], .b = l->w.map[s->c], .c = swap, .x = s->x });
	prim_results(l, i, (uint32_t[]){ old, swap }, 2);
}

/* Each subgroup stores its sum in a slot; every thread adds up the slots. */
void
expand_made_total(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	qd_type t = (qd_type)s->type;
	uint32_t v = l->w.map[s->a], size = l->m->subgroup_size;
	uint32_t n = (l->p->k->block_dim + size - 1) / size, slots = prim_shared(l, t, n);

	for (uint32_t m = 1; m < size; m *= 2)
		v = lg_bin(l, OP_ADD, v, prim_pattern(l, PATTERN_PARTNER, v, m));
	prim_store(l, (struct ins){ .a = lg_imm(l, OP_SHR, lg_thread(l), l->m->log2_size), .b = v,
				    .c = lg_cmp_imm(l, OP_EQ, lg_lane(l), 0), .x = slots });
	lg_push_op(l, OP_MADE_BARRIER, QD_TYPE_NONE, 0, 0);
	v = prim_load(l, (struct ins){ .a = lg_u32(l, 0), .x = slots });
	for (uint32_t j = 1; j < n; j++)
		v = lg_bin(l, OP_ADD, v, prim_load(l, (struct ins){ .a = lg_u32(l, j), .x = slots }));
	lg_push_op(l, OP_MADE_BARRIER, QD_TYPE_NONE, 0, 0);
	l->w.map[i] = lg_mark(l, v, LEVEL_BLOCK);
}
