/* Operations over the threads of a block. Each subgroup first does its part as in the subgroup
 * operation. The results are then combined through slots in shared memory, with one barrier
 * (slots.c, block_tree.c). A block of one subgroup needs neither. */
#include "block.h"

/* -- Participating threads -------------------------------------------------------------- */

uint32_t
prim_active(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	uint32_t n = l->w.map[s->arg[op_sig((enum op)s->op)->active]];
	uint64_t bits;

	/* The hardware block may be larger than the kernel's; the rest is padding. */
	if (n && rw_is_const(&l->w, n, &bits) && bits >= prim_subgroups(l) * l->m->subgroup_size)
		return 0;
	return n;
}

/* Returns how many of the first n threads of the block are in the subgroup. */
static uint32_t
own_active(struct lg *l, uint32_t n)
{
	uint32_t first;

	if (!n || prim_subgroups(l) == 1)
		return n;
	first = lg_imm(l, OP_SHL, prim_subgroup(l), l->m->log2_size);
	return lg_bin(l, OP_SUB, n, lg_bin(l, OP_MIN, n, first));
}

/* Returns whether the thread is one of the first n. */
static uint32_t
takes_part(struct lg *l, uint32_t n)
{
	return lg_cmp(l, OP_LT, lg_thread(l), n);
}

/* Returns the operand that operation i combines. Threads that do not participate contribute the
 * value that the combination skips. If no thread participates, they contribute the identity,
 * which is then the result. */
static uint32_t
part(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	enum op combine = (enum op)op_info[s->op].combine;
	uint32_t v = l->w.map[s->a], n = prim_active(l, i), skipped;
	uint64_t identity, padding;
	qd_type t;

	if (!n || lg_failed(l))
		return v;
	t = lg_type(l, v);
	identity = ir_identity_bits(combine, t);
	padding = ir_skipped_bits(combine, t);
	skipped = lg_const(l, t, padding);
	if (identity != padding) {
		uint32_t none = lg_cmp_imm(l, OP_EQ, n, 0), of_none = lg_const(l, t, identity);

		skipped = lg_select(l, none, of_none, skipped);
	}
	return lg_select(l, takes_part(l, n), v, skipped);
}

/* -- Totals of subgroups ---------------------------------------------------------------- */

static uint32_t
is_lane(struct lg *l, uint32_t lane)
{
	return lg_cmp_imm(l, OP_EQ, lg_lane(l), lane);
}

/* Stores v[k] of lane `lane` in its subgroup's slots and returns the slots in s[k]. Contains a
 * block barrier. */
static void
publish(struct lg *l, const uint32_t *v, uint32_t k, uint32_t lane, struct slots *s)
{
	struct turn turn = prim_turn(l);
	uint32_t n = prim_subgroups(l), own = prim_subgroup(l), where = is_lane(l, lane);

	for (uint32_t j = 0; j < k; j++) {
		s[j] = prim_slots(l, turn, lg_type(l, v[j]), n, j);
		prim_slot_put(l, &s[j], own, v[j], where);
	}
	prim_meet(l);
}

/* Returns the total of the block; v: the total of the subgroup. */
static uint32_t
total(struct lg *l, enum op combine, enum padding_effect padding, uint32_t v)
{
	struct combiner c = { .op = combine, .k = 1 };
	struct slots s;

	if (lg_failed(l))
		return 0;
	if (prim_subgroups(l) > 1) {
		uint64_t bits = ir_padding_bits(padding, lg_type(l, v));

		publish(l, &v, 1, 0, &s);
		prim_fold(l, &c, &s, bits, 0, &v);
	}
	return lg_mark(l, v, LEVEL_BLOCK);
}

/* -- Votes ---------------------------------------------------------------------------- */

/* Returns the number of lanes of the subgroup in which p holds. */
static uint32_t
count(struct lg *l, uint32_t p)
{
	uint32_t word[4], n = prim_tile_ballot(l, p, l->m->log2_size, word);
	uint32_t r = lg_op(l, OP_POPCOUNT, QD_TYPE_U32, word[0], 0, 0);

	for (uint32_t j = 1; j < n; j++)
		r = lg_bin(l, OP_ADD, r, lg_op(l, OP_POPCOUNT, QD_TYPE_U32, word[j], 0, 0));
	return lg_bits(l, QD_TYPE_I32, r);
}

void
expand_block_vote(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	enum op op = (enum op)s->op, combine = (enum op)op_info[op].combine;
	uint32_t p = l->w.map[s->a], log2_size = l->m->log2_size, n = prim_active(l, i), v;
	bool alone = prim_subgroups(l) == 1;

	if (lg_failed(l))
		return;
	if (n && combine == OP_AND)
		p = lg_bin(l, OP_OR, p, lg_un(l, OP_NOT, takes_part(l, n)));
	else if (n)
		p = lg_bin(l, OP_AND, p, takes_part(l, n));
	if (!alone && lg_native(l, op, QD_TYPE_BOOL)) {
		l->w.map[i] = lg_push_op(l, op, QD_TYPE_I32, p, 0);
		return;
	}
	if (alone)
		prim_meet(l);
	switch (combine) {
	case OP_AND: v = prim_vote(l, OP_ALL_TRUE, p, log2_size); break;
	case OP_OR: v = prim_vote(l, OP_ANY_TRUE, p, log2_size); break;
	default: v = count(l, p);
	}
	l->w.map[i] = total(l, combine, combine == OP_AND ? PADDING_ONES : PADDING_ZERO, v);
}

/* -- Movement --------------------------------------------------------------------------- */

/* Returns index modulo block_dim. */
static uint32_t
thread_of(struct lg *l, uint32_t index)
{
	uint32_t dim = l->p->k->block_dim;

	return dim & (dim - 1) ? lg_imm(l, OP_REM, index, dim) : lg_imm(l, OP_AND, index, dim - 1);
}

void
expand_block_move(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	bool one = op_info[s->op].level == LEVEL_BLOCK;
	uint32_t v = l->w.map[s->a], index = thread_of(l, l->w.map[s->b]), slot = 0, where = 0;
	uint32_t n = one ? 1 : prim_subgroups(l) * l->m->subgroup_size;
	struct slots slots;

	if (lg_failed(l))
		return;
	if (prim_subgroups(l) == 1) {
		v = prim_move(l, one ? OP_BROADCAST : OP_SHUFFLE, v, index);
	} else {
		slots = prim_slots(l, prim_turn(l), lg_type(l, v), n, 0);
		slot = lg_thread(l);
		if (one) {
			where = lg_cmp(l, OP_EQ, slot, index);
			slot = index = lg_u32(l, 0);
		}
		prim_slot_put(l, &slots, slot, v, where);
		prim_meet(l);
		v = prim_slot_get(l, &slots, index, 0, 0);
	}
	l->w.map[i] = one ? lg_mark(l, v, LEVEL_BLOCK) : v;
}

/* -- Reductions and scans ------------------------------------------------------------------ */

/* Returns the subgroup operation of that kind with the same combination. */
static enum op
of_subgroup(enum op op, enum expansion kind)
{
	uint32_t r = OP_NONE + 1;

	while (op_info[r].combine != op_info[op].combine || op_info[r].expand != kind)
		r++;
	return (enum op)r;
}

void
expand_block_reduce(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	const struct op_info *info = &op_info[s->op];
	enum op own = of_subgroup((enum op)s->op, EXPAND_reduce);
	uint32_t v = prim_reduce(l, own, part(l, i), l->m->log2_size);

	l->w.map[i] = total(l, (enum op)info->combine, (enum padding_effect)info->padding, v);
}

/* Combines v with the totals of lower subgroups. The inclusive scan of a subgroup's last lane is
 * its total. */
static void
above(struct lg *l, const struct combiner *c, const uint32_t *total, uint32_t limit, uint32_t *v,
      uint32_t *has)
{
	struct slots s[MAX_YIELD];

	publish(l, total, c->k, l->m->subgroup_size - 1, s);
	prim_nodes(l, c, s, limit, v, has);
}

void
expand_block_scan(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	enum op own = of_subgroup((enum op)s->op, EXPAND_scan);
	struct combiner c = { .op = (enum op)op_info[s->op].combine, .k = 1 };
	uint32_t v = prim_inclusive(l, own, part(l, i), l->m->log2_size), all = 0;

	if (prim_subgroups(l) > 1 && !lg_failed(l))
		above(l, &c, &v, 0, &v, &all);
	l->w.map[i] = v;
}

uint32_t
prim_below(struct lg *l, uint32_t v)
{
	struct combiner c = { .op = OP_ADD, .k = 1 };
	uint32_t to = prim_inclusive(l, OP_INCLUSIVE_ADD, v, l->m->log2_size), all = 0;

	if (prim_subgroups(l) > 1 && !lg_failed(l))
		above(l, &c, &to, 0, &to, &all);
	return lg_bin(l, OP_SUB, to, v);
}

/* Shifts v[k], the inclusive scan of the subgroups, up by one thread of the block. The first
 * thread gets `first`. limit: participating threads, 0: all. */
static void
move_up(struct lg *l, const struct combiner *c, uint32_t limit, uint32_t *v, const uint32_t *first)
{
	uint32_t below[MAX_YIELD], has = lg_cmp_imm(l, OP_NE, lg_lane(l), 0);

	for (uint32_t j = 0; j < c->k; j++)
		below[j] = prim_pattern(l, PATTERN_SHIFT, v[j], 1);
	if (prim_subgroups(l) > 1)
		above(l, c, v, limit, below, &has);
	else if (limit)
		has = lg_bin(l, OP_AND, has, lg_cmp_imm(l, OP_NE, limit, 0));
	for (uint32_t j = 0; j < c->k; j++)
		v[j] = lg_select(l, has, below[j], first[j]);
}

void
expand_block_exclusive(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	enum op op = (enum op)s->op, combine = (enum op)op_info[op].combine;
	struct combiner c = { .op = combine, .k = 1 };
	uint32_t given = part(l, i), log2_size = l->m->log2_size, v, first;
	qd_type t;

	if (lg_failed(l))
		return;
	t = lg_type(l, given);
	if (prim_subgroups(l) == 1) {
		l->w.map[i] = prim_exclusive(l, of_subgroup(op, EXPAND_exclusive), given, log2_size);
		return;
	}
	v = prim_inclusive(l, of_subgroup(op, EXPAND_scan), given, log2_size);
	/* The thread's own value is removed again, if the operation is exactly invertible. */
	if (!is_float(t) && (combine == OP_ADD || combine == OP_XOR)) {
		uint32_t all = 0;

		above(l, &c, &v, 0, &v, &all);
		l->w.map[i] = lg_bin(l, combine == OP_ADD ? OP_SUB : OP_XOR, v, given);
		return;
	}
	first = lg_const(l, t, ir_identity_bits(combine, t));
	move_up(l, &c, 0, &v, &first);
	l->w.map[i] = v;
}

/* -- Operators defined by the kernel --------------------------------------------------------- */

void
expand_block_operator_reduce(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	struct combiner c = { .region = s->a };
	struct slots slots[MAX_YIELD];
	uint32_t v[MAX_YIELD], limit = prim_active(l, i);

	c.k = prim_list(l, s->b, v);
	prim_operator_reduce(l, c.region, v, c.k, l->m->log2_size, own_active(l, limit));
	if (prim_subgroups(l) > 1 && !lg_failed(l)) {
		publish(l, v, c.k, 0, slots);
		prim_fold(l, &c, slots, 0, limit, v);
	}
	for (uint32_t j = 0; j < c.k && !lg_failed(l); j++)
		v[j] = lg_mark(l, v[j], LEVEL_BLOCK);
	prim_results(l, i, v, c.k);
}

void
expand_block_operator_scan(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	struct combiner c = { .region = s->a };
	uint32_t v[MAX_YIELD], limit = prim_active(l, i), all = 0;

	c.k = prim_list(l, s->b, v);
	prim_operator_scan(l, c.region, v, c.k, l->m->log2_size, own_active(l, limit));
	if (prim_subgroups(l) > 1 && !lg_failed(l))
		above(l, &c, v, limit, v, &all);
	prim_results(l, i, v, c.k);
}

void
expand_block_operator_exclusive(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	struct combiner c = { .region = s->a };
	uint32_t v[MAX_YIELD], first[MAX_YIELD], limit = prim_active(l, i);

	c.k = prim_list(l, s->b, v);
	prim_list(l, s->d, first);
	prim_operator_scan(l, c.region, v, c.k, l->m->log2_size, own_active(l, limit));
	if (!lg_failed(l))
		move_up(l, &c, limit, v, first);
	prim_results(l, i, v, c.k);
}
