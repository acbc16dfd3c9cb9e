/* Totals over the subgroups of a block. Each subgroup has stored the total of its lanes in a
 * slot. The slots are nodes of the block's tree of 2^n aligned threads, and this file computes
 * the rest of that tree. So the bits of a float result do not depend on the subgroup size.
 *
 * If the subgroups are few, every thread reads all slots. Otherwise each lane reads one slot, or
 * several adjacent ones, and the lanes continue as in a subgroup. If lane exchange is free
 * (CAP_LANES_CHEAP), this begins at three subgroups. */
#include "block.h"

enum { FEW = 8, FEWEST = 2 };

static bool
are_cheap(const struct lg *l, const struct combiner *c)
{
	return c->op && l->m->caps & CAP_LANES_CHEAP && !machine_makes(l->m);
}

/* Returns whether every thread reads all slots of n subgroups. */
static bool
are_few(const struct lg *l, const struct combiner *c, uint32_t n)
{
	return n <= (are_cheap(l, c) ? FEWEST : FEW);
}

void
prim_combine(struct lg *l, const struct combiner *c, const uint32_t *x, const uint32_t *y,
	     uint32_t *out)
{
	uint32_t args[2 * MAX_YIELD];

	if (lg_failed(l))
		return;
	if (c->op) {
		out[0] = lg_op(l, c->op, lg_type(l, x[0]), x[0], y[0], 0);
		return;
	}
	memcpy(args, x, c->k * sizeof *args);
	memcpy(args + c->k, y, c->k * sizeof *args);
	prim_inline(l, c->region, args, out);
}

/* -- The total ----------------------------------------------------------------------- */

struct fold {
	const struct combiner *c;
	const struct slots *s;
	uint32_t n;	/* subgroups */
	uint32_t limit; /* non-padding or active threads; 0: all */
	uint64_t padding;
	uint32_t first; /* value: the slot of the lane's first leaf; 0: it is slot 0 */
	uint32_t base;	/* value: the slot of lane 0; 0: it is slot 0 */
	bool pads;	/* some lane has a leaf without a subgroup */
};

/* Returns a value: whether any thread of the subgroup at this leaf is included. */
static uint32_t
is_included(struct lg *l, const struct fold *f, uint32_t at)
{
	if (!f->limit)
		return lg_cmp_imm(l, OP_LT, at, f->n);
	return lg_cmp(l, OP_LT, lg_imm(l, OP_MUL, at, l->m->subgroup_size), f->limit);
}

/* Combines x with y on its right if y is included; else copies x. */
static void
join(struct lg *l, const struct fold *f, uint32_t included, const uint32_t *x, const uint32_t *y,
     uint32_t *out)
{
	uint32_t both[MAX_YIELD];

	prim_combine(l, f->c, x, y, both);
	for (uint32_t j = 0; j < f->c->k && !lg_failed(l); j++)
		out[j] = included ? lg_select(l, included, both[j], x[j]) : both[j];
}

static void
leaf(struct lg *l, const struct fold *f, uint32_t at, uint32_t *out)
{
	uint32_t index = lg_u32(l, at), in = 0, other = 0;

	if (f->first)
		index = lg_bin(l, OP_ADD, f->first, index);
	for (uint32_t j = 0; j < f->c->k; j++) {
		const struct slots *s = &f->s[j];

		if (f->pads && f->c->op) {
			qd_type t = (qd_type)l->p->mems[s->mem].type;
			in = lg_cmp_imm(l, OP_LT, index, f->n);
			other = lg_const(l, t, f->padding);
		} else if (f->pads && !j) {
			index = lg_imm(l, OP_MIN, index, f->n - 1);
		}
		out[j] = prim_slot_get(l, s, index, in, other);
	}
}

/* Computes the node of leaves at..at+n. */
static void
subtree(struct lg *l, const struct fold *f, uint32_t at, uint32_t n, uint32_t *out)
{
	uint32_t half = 1, x[MAX_YIELD] = { 0 }, y[MAX_YIELD] = { 0 }, included = 0, from;

	if (n == 1) {
		leaf(l, f, at, out);
		return;
	}
	while (2 * half < n)
		half *= 2;
	subtree(l, f, at, half, x);
	subtree(l, f, at + half, n - half, y);
	if (!f->c->op && (f->pads || f->limit)) {
		from = lg_u32(l, at + half);
		if (f->first)
			from = lg_bin(l, OP_ADD, f->first, from);
		included = is_included(l, f, from);
	}
	join(l, f, included, x, y, out);
}

static enum op
reduction_by(enum op combine)
{
	uint32_t op = OP_NONE + 1;

	while (op_info[op].combine != combine || op_info[op].expand != EXPAND_reduce)
		op++;
	return (enum op)op;
}

/* Emits the butterfly over lanes that have `own` leaves each. */
static void
lanes(struct lg *l, const struct fold *f, uint32_t log2_size, uint32_t own, uint32_t *v)
{
	if (f->c->op) {
		v[0] = prim_reduce(l, reduction_by(f->c->op), v[0], log2_size);
		return;
	}
	for (uint32_t m = 1; m < 1u << log2_size && !lg_failed(l); m *= 2) {
		uint32_t upper = prim_is_upper(l, m), x[MAX_YIELD], y[MAX_YIELD], lane, leaf_at;

		for (uint32_t j = 0; j < f->c->k; j++) {
			uint32_t other = prim_pattern(l, PATTERN_PARTNER, v[j], m);

			x[j] = lg_select(l, upper, other, v[j]);
			y[j] = lg_select(l, upper, v[j], other);
		}
		lane = lg_imm(l, OP_AND, lg_lane(l), ((1u << log2_size) - 1) & ~(2 * m - 1));
		leaf_at = lg_imm(l, OP_MUL, lg_imm(l, OP_OR, lane, m), own);
		if (f->base)
			leaf_at = lg_bin(l, OP_ADD, f->base, leaf_at);
		join(l, f, f->pads || f->limit ? is_included(l, f, leaf_at) : 0, x, y, v);
	}
}

void
prim_fold(struct lg *l, const struct combiner *c, const struct slots *s, uint64_t padding,
	  uint32_t limit, uint32_t *out)
{
	uint32_t n = prim_subgroups(l), all = 1, own, log2_size = 0, lane;
	struct fold f = { .c = c, .s = s, .n = n, .limit = limit, .padding = padding };

	if (are_few(l, c, n) || (n <= FEW && n & (n - 1))) {
		subtree(l, &f, 0, n, out);
		return;
	}
	while (all < n)
		all *= 2;
	own = all > l->m->subgroup_size ? all / l->m->subgroup_size : 1;
	while (own << log2_size < all)
		log2_size++;
	lane = lg_imm(l, OP_AND, lg_lane(l), (1u << log2_size) - 1);
	f.first = lg_imm(l, OP_MUL, lane, own);
	f.pads = all != n;
	if (f.pads && limit) /* the limit may exceed all leaves */
		f.limit = lg_imm(l, OP_MIN, limit, n * l->m->subgroup_size);
	subtree(l, &f, 0, own, out);
	lanes(l, &f, log2_size, own, out);
}

/* -- Prefixes ----------------------------------------------------------------------------- */

/* Combines `node`, which begins at leaf `at`, with v on its right, in the subgroups in which
 * `here` holds. */
static void
take_node(struct lg *l, const struct fold *f, uint32_t here, uint32_t at, const uint32_t *node,
	  uint32_t *v, uint32_t *has)
{
	const struct combiner *c = f->c;
	uint32_t both[MAX_YIELD] = { 0 };

	if (f->limit)
		here = lg_bin(l, OP_AND, here, is_included(l, f, at));
	prim_combine(l, c, node, v, both);
	for (uint32_t j = 0; j < c->k && !lg_failed(l); j++) {
		if (*has)
			both[j] = lg_select(l, *has, both[j], node[j]);
		v[j] = lg_select(l, here, both[j], v[j]);
	}
	if (*has)
		*has = lg_bin(l, OP_OR, *has, here);
}

/* Returns whether the result is independent of the order of the values. */
static bool
is_free(const struct combiner *c, qd_type t)
{
	return !is_float(t) || c->op == OP_MIN || c->op == OP_MAX;
}

/* Computes the node of leaves at..at+n; at: a value. The slots are read if `here` holds; here 0:
 * always. */
static void
node_at(struct lg *l, const struct fold *f, uint32_t at, uint32_t n, uint32_t here, uint32_t *out)
{
	uint32_t x[MAX_YIELD] = { 0 }, y[MAX_YIELD] = { 0 }, half;

	if (n > 1) {
		node_at(l, f, at, n / 2, here, x);
		half = lg_imm(l, OP_ADD, at, n / 2);
		node_at(l, f, half, n / 2, here, y);
		join(l, f, f->limit ? is_included(l, f, half) : 0, x, y, out);
		return;
	}
	for (uint32_t j = 0; j < f->c->k; j++)
		out[j] = prim_slot_get(l, &f->s[j], at, here, 0);
}

/* Emits the butterfly step at distance m over the lanes' nodes. slot: each lane's slot. */
static void
widen(struct lg *l, const struct fold *f, uint32_t m, uint32_t slot, uint32_t *x)
{
	const struct combiner *c = f->c;
	uint32_t y[MAX_YIELD], upper = prim_is_upper(l, m), included = 0;

	for (uint32_t j = 0; j < c->k; j++) {
		uint32_t far = prim_pattern(l, PATTERN_PARTNER, x[j], m);

		y[j] = c->op ? far : lg_select(l, upper, x[j], far);
		x[j] = c->op ? x[j] : lg_select(l, upper, far, x[j]);
	}
	if (f->limit) {
		slot = lg_imm(l, OP_AND, slot, 0u - 2 * m);
		included = is_included(l, f, lg_imm(l, OP_OR, slot, m));
	}
	join(l, f, included, x, y, x);
}

/* Computes the node of m leaves below the lane's subgroup across the lanes. x: the lanes' nodes
 * of m leaves, or of half as many if there are no more lanes. slot: each lane's slot. */
static void
node_by_lanes(struct lg *l, const struct fold *f, uint32_t m, uint32_t at, uint32_t slot,
	      uint32_t *x, uint32_t *node)
{
	uint32_t size = l->m->subgroup_size;
	struct fold all = *f;

	if (m < size) {
		for (uint32_t j = 0; j < f->c->k; j++)
			node[j] = prim_move(l, OP_BROADCAST, x[j], lg_imm(l, OP_AND, at, size - 1));
		if (2 * m < size && 2 * m < f->n)
			widen(l, f, m, slot, x);
		return;
	}
	all.base = at;
	all.first = lg_bin(l, OP_ADD, at, lg_imm(l, OP_MUL, lg_lane(l), m / size));
	subtree(l, &all, 0, m / size, node);
	lanes(l, &all, l->m->log2_size, m / size, node);
}

/* Combines v with the total of all lower subgroups, for operations of any order: one reduction
 * over lanes whose slot is below the subgroup's own. */
static void
take_all(struct lg *l, const struct fold *f, uint32_t own, uint32_t *v, uint32_t *has)
{
	uint32_t log2_size = 0, slot, at, below, node, both, none;
	qd_type t = lg_type(l, *v);

	while (1u << log2_size < f->n)
		log2_size++;
	slot = lg_imm(l, OP_AND, lg_lane(l), (1u << log2_size) - 1);
	at = f->pads ? lg_imm(l, OP_MIN, slot, f->n - 1) : slot;
	below = lg_cmp(l, OP_LT, slot, own);
	none = lg_const(l, t, ir_skipped_bits(f->c->op, t));
	node = lg_select(l, below, prim_slot_get(l, f->s, at, 0, 0), none);
	node = prim_reduce(l, reduction_by(f->c->op), node, log2_size);
	prim_combine(l, f->c, &node, v, &both);
	if (lg_failed(l))
		return;
	*v = *has ? lg_select(l, *has, both, node) : both;
	if (*has)
		*has = lg_bin(l, OP_OR, *has, lg_cmp_imm(l, OP_NE, own, 0));
}

void
prim_nodes(struct lg *l, const struct combiner *c, const struct slots *s, uint32_t limit,
	   uint32_t *v, uint32_t *has)
{
	uint32_t n = prim_subgroups(l), size = l->m->subgroup_size, own = prim_subgroup(l), slot;
	uint32_t node[MAX_YIELD] = { 0 }, x[MAX_YIELD] = { 0 };
	struct fold f = { .c = c, .s = s, .n = n, .limit = limit, .pads = n & (n - 1) };
	bool few = are_few(l, c, n);

	if (lg_failed(l))
		return;
	if (!few && are_cheap(l, c) && is_free(c, lg_type(l, *v)) && !limit && n <= size) {
		take_all(l, &f, own, v, has);
		return;
	}
	if (limit) {
		uint32_t some = is_included(l, &f, own);

		*has = *has ? lg_bin(l, OP_AND, *has, some) : some;
	}
	/* The aligned group of slots that contains this subgroup's. */
	slot = lg_lane(l);
	if (n > size)
		slot = lg_bin(l, OP_OR, slot, lg_imm(l, OP_AND, own, ~(size - 1)));
	slot = lg_imm(l, OP_MIN, slot, n - 1);
	for (uint32_t j = 0; j < c->k && !few; j++)
		x[j] = prim_slot_get(l, &s[j], slot, 0, 0);
	for (uint32_t m = 1; m < n && !lg_failed(l); m *= 2) {
		uint32_t here = lg_cmp_imm(l, OP_NE, lg_imm(l, OP_AND, own, m), 0);
		uint32_t at = lg_imm(l, OP_AND, own, ~(2 * m - 1));

		/* Subgroups that do not take the node read other slots, which exist if the number
		 * of subgroups is a power of two. */
		if (!few)
			node_by_lanes(l, &f, m, at, slot, x, node);
		else
			node_at(l, &f, at, m, f.pads ? here : 0, node);
		take_node(l, &f, here, at, node, v, has);
	}
}
