/* Radix ranks: the positions of a block's keys in the order of a digit.
 *
 * The keys of a subgroup form a sequence, thread after thread. A step ranks as many consecutive
 * keys as there are lanes, one in each lane, so threads with several keys first exchange them
 * through shared memory. Lanes find equal digits by ballots of the digit's bits.
 *
 * A table in shared memory has rows of a counter for each digit. One lane counts for all lanes
 * with its digit, so no atomics are needed; the counter's old value is the number of equal digits
 * in earlier steps. Then each thread takes some digits and replaces their counters with the
 * number of keys in the block that precede them. A key's rank is the sum of its counter and the
 * equal digits before it.
 *
 * With many subgroups or many digits, several subgroups share a row and use it in turn. No read of
 * the caller's arrays follows the last barrier. */
#include "block.h"

enum {
	PLACE_TABLE = MAX_YIELD, /* of slots: no other operation uses them */
	PLACE_KEYS,
	MAX_TABLE = 4096, /* counters, unless one row has more */
	MAX_KEYS = 2304,  /* slots for the exchange, unless one step has more */
	MAX_ROWS = 32,
	BANKS = 32 /* of shared memory */
};

/* Slots that exchange the keys of `steps` steps at a time, with a region for each subgroup. */
struct key_exchange {
	struct slots slots;
	uint32_t steps;
	uint32_t base;	       /* value: the subgroup's region */
	uint32_t own;	       /* value: position of the lane's first key in the subgroup */
	uint32_t at_own;       /* values: slots of position `own` and of position `lane`, in a region */
	uint32_t at_lane;      /* that begins with position 0 */
	bool padded;	       /* an unused slot follows every BANKS slots */
};

struct rank {
	uint32_t k, n_bits, n_words;
	struct key_exchange keys; /* of several keys in each thread */
	/* Values of each step. */
	uint32_t digit[MAX_YIELD], at[MAX_YIELD]; /* at: index in the table */
	uint32_t before[MAX_YIELD], total[MAX_YIELD]; /* equal digits of the step: in lower lanes, in
						       * all */
	uint32_t like[MAX_YIELD];	/* equal digits in earlier steps, and in earlier subgroups
					 * that share the row */
	uint32_t ordinary[MAX_YIELD];	/* false in padding threads; 0: there are none */
	uint32_t lower[4];		/* mask of the lanes below this one */
	uint32_t len, share;		/* digits; subgroups per row */
	struct slots table;
};

static uint32_t
both(struct lg *l, uint32_t a, uint32_t b)
{
	return a && b ? lg_bin(l, OP_AND, a, b) : a ? a : b;
}

static uint32_t
population(struct lg *l, uint32_t word)
{
	return lg_op(l, OP_POPCOUNT, QD_TYPE_U32, word, 0, 0);
}

/* Makes the writes of lanes visible to their subgroup. */
static void
lanes_meet(struct lg *l)
{
	if (machine_gathers(l->m))
		prim_meet(l);
	else
		lg_push_op(l, OP_SUBGROUP_SYNC, QD_TYPE_NONE, 0, 0);
}

/* -- In the subgroup ------------------------------------------------------------------- */

static void
find_lower(struct lg *l, struct rank *r)
{
	uint32_t lane = lg_lane(l), one = lg_u32(l, 1), below = lg_imm(l, OP_AND, lane, 31);

	below = lg_imm(l, OP_SUB, lg_bin(l, OP_SHL, one, below), 1);
	for (uint32_t w = 0; w < r->n_words; w++) {
		uint32_t in = lg_cmp_imm(l, OP_LT, lane, 32 * (w + 1)), none = lg_u32(l, 0);
		uint32_t above = lg_cmp_imm(l, OP_LT, lane, 32 * w); /* the word's lanes are above this one */

		r->lower[w] = below;
		if (w + 1 < r->n_words)
			r->lower[w] = lg_select(l, in, below, lg_u32(l, UINT32_MAX));
		if (w)
			r->lower[w] = lg_select(l, above, none, r->lower[w]);
	}
}

/* Finds the lanes with the same digit in a step. */
static void
match(struct lg *l, struct rank *r, uint32_t step)
{
	uint32_t all[4], word[4], zero = lg_u32(l, 0), ones = lg_u32(l, UINT32_MAX);
	uint32_t yes = r->ordinary[step] ? r->ordinary[step] : lg_const(l, QD_TYPE_BOOL, 1);

	prim_tile_ballot(l, yes, l->m->log2_size, all);
	for (uint32_t n = 0; n < r->n_bits && !lg_failed(l); n++) {
		uint32_t bit = lg_cmp_imm(l, OP_NE, lg_imm(l, OP_AND, r->digit[step], 1u << n), 0);
		uint32_t flip = lg_select(l, bit, zero, ones);

		prim_tile_ballot(l, bit, l->m->log2_size, word);
		for (uint32_t w = 0; w < r->n_words; w++)
			all[w] = lg_bin(l, OP_AND, all[w], lg_bin(l, OP_XOR, word[w], flip));
	}
	r->total[step] = r->before[step] = zero;
	for (uint32_t w = 0; w < r->n_words && !lg_failed(l); w++) {
		uint32_t below = lg_bin(l, OP_AND, all[w], r->lower[w]);

		r->total[step] = lg_bin(l, OP_ADD, r->total[step], population(l, all[w]));
		r->before[step] = lg_bin(l, OP_ADD, r->before[step], population(l, below));
	}
}

/* -- Keys to steps and back --------------------------------------------------------------- */

/* Returns the slot of a position, in a region that begins with position 0. */
static uint32_t
slot_of(struct lg *l, const struct key_exchange *x, uint32_t position)
{
	if (!x->padded)
		return position;
	return lg_bin(l, OP_ADD, position, lg_imm(l, OP_SHR, position, 5));
}

static uint32_t
slots_before(const struct key_exchange *x, uint32_t position)
{
	return position + (x->padded ? position / BANKS : 0);
}

static void
open_exchange(struct lg *l, struct rank *r)
{
	const uint32_t lanes = l->m->subgroup_size, n = prim_subgroups(l);
	struct key_exchange *x = &r->keys;
	uint32_t region, lane = lg_lane(l);

	x->padded = r->k % 2 == 0;
	x->steps = r->k + 1;
	do
		region = slots_before(x, --x->steps * lanes) + 1;
	while (x->steps > 1 && n * region > MAX_KEYS);
	x->slots = prim_slots(l, (struct turn){ .set = 0 }, QD_TYPE_U32, n * region, PLACE_KEYS);
	x->base = lg_imm(l, OP_MUL, prim_subgroup(l), region);
	x->own = lg_imm(l, OP_MUL, lane, r->k);
	x->at_own = lg_bin(l, OP_ADD, x->base, slot_of(l, x, x->own));
	x->at_lane = lg_bin(l, OP_ADD, x->base, slot_of(l, x, lane));
}

/* Returns the slot of the lane's key j in the region of the steps from `first` on. *where: whether
 * it is one of their keys; 0: it is. */
static uint32_t
own_slot(struct lg *l, const struct rank *r, uint32_t first, uint32_t j, uint32_t *where)
{
	const struct key_exchange *x = &r->keys;
	const uint32_t from = first * l->m->subgroup_size;
	uint32_t at, position = lg_imm(l, OP_ADD, x->own, j);

	*where = 0;
	if (x->steps < r->k)
		*where = lg_cmp_imm(l, OP_LT, lg_imm(l, OP_SUB, position, from),
				    x->steps * l->m->subgroup_size);
	if (!x->padded || BANKS % r->k == 0)
		at = lg_imm(l, OP_ADD, x->at_own, j);
	else
		at = lg_bin(l, OP_ADD, x->base, slot_of(l, x, position));
	return lg_imm(l, OP_SUB, at, slots_before(x, from));
}

static uint32_t
step_slot(struct lg *l, const struct rank *r, uint32_t first, uint32_t step)
{
	const uint32_t lanes = l->m->subgroup_size;

	return lg_imm(l, OP_ADD, r->keys.at_lane,
		      slots_before(&r->keys, step * lanes) - slots_before(&r->keys, first * lanes));
}

/* Replaces values of the lane's keys with those of the steps, or, with back, the reverse. */
static void
exchange(struct lg *l, const struct rank *r, uint32_t *v, bool back)
{
	uint32_t out[MAX_YIELD], where, n;

	for (uint32_t j = 0; j < r->k; j++)
		out[j] = lg_u32(l, 0);
	for (uint32_t first = 0; first < r->k && !lg_failed(l); first += n) {
		n = r->k - first < r->keys.steps ? r->k - first : r->keys.steps;
		lanes_meet(l);
		for (uint32_t s = first; back && s < first + n; s++)
			prim_slot_put(l, &r->keys.slots, step_slot(l, r, first, s), v[s], 0);
		for (uint32_t j = 0; !back && j < r->k; j++) {
			uint32_t to = own_slot(l, r, first, j, &where);
			prim_slot_put(l, &r->keys.slots, to, v[j], where);
		}
		lanes_meet(l);
		for (uint32_t s = first; !back && s < first + n; s++)
			out[s] = prim_slot_get(l, &r->keys.slots, step_slot(l, r, first, s), 0, 0);
		for (uint32_t j = 0; back && j < r->k; j++) {
			uint32_t from = own_slot(l, r, first, j, &where);
			out[j] = prim_slot_get(l, &r->keys.slots, from, where, where ? out[j] : 0);
		}
	}
	memcpy(v, out, r->k * sizeof *v);
}

/* Finds which steps of this lane rank a key of a thread below the limit. */
static void
find_present(struct lg *l, struct rank *r, uint32_t limit)
{
	const uint32_t lanes = l->m->subgroup_size;
	uint32_t at = lg_imm(l, OP_MUL, prim_subgroup(l), lanes * r->k);

	at = lg_bin(l, OP_ADD, at, lg_lane(l));
	if (r->k > 1) /* without the minimum, the product of a large limit wraps */
		limit = lg_imm(l, OP_MIN, limit, prim_subgroups(l) * lanes);
	limit = lg_imm(l, OP_MUL, limit, r->k);
	for (uint32_t s = 0; s < r->k; s++)
		r->ordinary[s] = lg_cmp(l, OP_LT, lg_imm(l, OP_ADD, at, s * lanes), limit);
}

/* -- The table --------------------------------------------------------------------------- */

static void
make_table(struct lg *l, struct rank *r)
{
	uint32_t n = prim_subgroups(l), rows = n, own;

	while (rows > MAX_ROWS || (rows > 1 && rows * r->len > MAX_TABLE))
		rows = (rows + 1) / 2;
	r->share = (n + rows - 1) / rows;
	rows = (n + r->share - 1) / r->share;
	r->table = prim_slots(l, (struct turn){ .set = 0 }, QD_TYPE_U32, rows * r->len, PLACE_TABLE);
	own = prim_subgroup(l);
	if (r->share > 1)
		own = lg_imm(l, OP_DIV, own, r->share);
	own = lg_imm(l, OP_MUL, own, r->len);
	for (uint32_t j = 0; j < r->k; j++)
		r->at[j] = lg_bin(l, OP_ADD, own, r->digit[j]);
}

/* Clears the table: each subgroup its own row, or all threads the whole table if rows are
 * shared. */
static void
clear_table(struct lg *l, struct rank *r)
{
	uint32_t n = r->table.len, step = prim_subgroups(l) * l->m->subgroup_size, at = lg_thread(l);
	bool alone = r->share == 1;
	uint32_t to = at;

	if (alone) {
		n = r->len;
		step = l->m->subgroup_size;
		at = lg_lane(l);
		to = lg_bin(l, OP_ADD, at, lg_imm(l, OP_MUL, prim_subgroup(l), r->len));
		lanes_meet(l);
	} else {
		prim_meet(l);
	}
	for (uint32_t i = 0; i < n && !lg_failed(l); i += step) {
		uint32_t in = 0, zero = lg_u32(l, 0);

		if (i + step > n)
			in = lg_cmp_imm(l, OP_LT, lg_imm(l, OP_ADD, at, i), n);
		prim_slot_put(l, &r->table, lg_imm(l, OP_ADD, to, i), zero, in);
	}
	if (alone)
		lanes_meet(l);
	else
		prim_meet(l);
}

/* Adds the counts of the steps; the first lane of equal digits writes. Subgroups that share a row
 * take turns. */
static void
fill_table(struct lg *l, struct rank *r)
{
	uint32_t zero = lg_u32(l, 0), number = prim_subgroup(l);

	for (uint32_t turn = 0; turn < r->share && !lg_failed(l); turn++) {
		uint32_t own = 0;

		if (r->share > 1)
			own = lg_cmp_imm(l, OP_EQ, lg_imm(l, OP_REM, number, r->share), turn);
		for (uint32_t s = 0; s < r->k; s++) {
			uint32_t first = lg_cmp_imm(l, OP_EQ, r->before[s], 0), count;

			if (s)
				lanes_meet(l);
			if (turn || s) {
				count = prim_slot_get(l, &r->table, r->at[s], own, own ? zero : 0);
				r->like[s] = lg_bin(l, OP_ADD, r->like[s], count);
				lanes_meet(l);
			}
			count = lg_bin(l, OP_ADD, r->like[s], r->total[s]);
			first = both(l, both(l, first, own), r->ordinary[s]);
			prim_slot_put(l, &r->table, r->at[s], count, first);
		}
		prim_meet(l);
	}
}

/* -- Digits ---------------------------------------------------------------------------------- */

/* The digits of a thread: n, from `first` on. */
struct share {
	uint32_t n, first;
	bool all; /* no thread has a digit beyond the last */
};

static uint32_t
is_digit(struct lg *l, const struct rank *r, const struct share *s, uint32_t d)
{
	return s->all ? 0 : lg_cmp_imm(l, OP_LT, d, r->len);
}

/* Returns the sum of a digit's counters over all rows. */
static uint32_t
column(struct lg *l, const struct rank *r, uint32_t d, uint32_t in)
{
	uint32_t sum = 0, zero = lg_u32(l, 0);

	for (uint32_t row = 0; row < r->table.len; row += r->len) {
		uint32_t v = prim_slot_get(l, &r->table, lg_imm(l, OP_ADD, d, row), in, zero);

		sum = sum ? lg_bin(l, OP_ADD, sum, v) : v;
	}
	return sum;
}

/* Replaces a digit's counters with the number of keys before them. v: keys with lower
 * digits. */
static void
spread(struct lg *l, const struct rank *r, uint32_t d, uint32_t in, uint32_t v)
{
	uint32_t zero = lg_u32(l, 0);

	for (uint32_t row = 0; row < r->table.len; row += r->len) {
		uint32_t at = lg_imm(l, OP_ADD, d, row);
		uint32_t n = prim_slot_get(l, &r->table, at, in, zero);

		prim_slot_put(l, &r->table, at, v, in);
		v = lg_bin(l, OP_ADD, v, n);
	}
}

static void
put_bin(struct lg *l, uint32_t mem, uint32_t d, uint32_t v, uint32_t in)
{
	prim_store(l, (struct ins){ .a = d, .b = lg_bits(l, QD_TYPE_I32, v), .c = in, .x = mem });
}

static void
add_up(struct lg *l, const struct rank *r, uint32_t bins, uint32_t excl_prefix)
{
	uint32_t threads = prim_subgroups(l) * l->m->subgroup_size, sum = lg_u32(l, 0);
	struct share s = { .n = (r->len + threads - 1) / threads, .first = lg_thread(l) };

	s.all = s.n * threads == r->len;
	s.first = lg_imm(l, OP_MUL, s.first, s.n);
	for (uint32_t i = 0; i < s.n && !lg_failed(l); i++) {
		uint32_t d = lg_imm(l, OP_ADD, s.first, i), in = is_digit(l, r, &s, d);
		uint32_t n = column(l, r, d, in);

		put_bin(l, bins, d, n, in);
		sum = lg_bin(l, OP_ADD, sum, n);
	}
	sum = prim_below(l, sum);
	for (uint32_t i = 0; i < s.n && !lg_failed(l); i++) {
		uint32_t d = lg_imm(l, OP_ADD, s.first, i), in = is_digit(l, r, &s, d);
		uint32_t n = i + 1 < s.n ? column(l, r, d, in) : 0;

		put_bin(l, excl_prefix, d, sum, in);
		spread(l, r, d, in, sum);
		if (n)
			sum = lg_bin(l, OP_ADD, sum, n);
	}
	prim_meet(l);
}

void
expand_block_rank(struct lg *l, uint32_t i)
{
	const struct ins *s = &l->w.in->ins[i];
	struct rank r = { .len = l->p->mems[s->x].len, .n_words = (l->m->subgroup_size + 31) / 32 };
	uint32_t limit = prim_active(l, i), out[MAX_YIELD];
	uint64_t bits = 1;

	r.k = prim_list(l, s->a, r.digit);
	if (lg_failed(l))
		return;
	rw_is_const(&l->w, l->w.map[s->c], &bits);
	r.n_bits = bits > MAX_RADIX ? MAX_RADIX : (uint32_t)bits;
	find_lower(l, &r);
	for (uint32_t j = 0; j < r.k; j++) {
		r.digit[j] = lg_imm(l, OP_AND, r.digit[j], r.len - 1);
		r.like[j] = lg_u32(l, 0);
	}
	if (limit)
		find_present(l, &r, limit);
	if (r.k > 1) {
		open_exchange(l, &r);
		exchange(l, &r, r.digit, false);
	}
	for (uint32_t j = 0; j < r.k && !lg_failed(l); j++)
		match(l, &r, j);
	make_table(l, &r);
	clear_table(l, &r);
	fill_table(l, &r);
	add_up(l, &r, s->x, s->b);
	for (uint32_t j = 0; j < r.k && !lg_failed(l); j++) {
		out[j] = prim_slot_get(l, &r.table, r.at[j], 0, 0);
		out[j] = lg_bin(l, OP_ADD, out[j], lg_bin(l, OP_ADD, r.like[j], r.before[j]));
	}
	if (r.k > 1)
		exchange(l, &r, out, true);
	for (uint32_t j = 0; j < r.k && !lg_failed(l); j++)
		out[j] = lg_bits(l, QD_TYPE_I32, out[j]);
	prim_results(l, i, out, r.k);
}
