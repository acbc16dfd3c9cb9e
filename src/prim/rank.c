/* Radix ranks: the positions of a block's keys in the order of a digit.
 *
 * A table in shared memory has rows of a counter for each digit.  Subgroups find equal digits by
 * ballots, so one lane counts for all lanes with its digit and no atomics are needed.  Then each
 * thread takes some digits and replaces their counters by the number of keys in the block that
 * precede them.  A key's rank is its counter plus the number of equal digits before it in the
 * subgroup.
 *
 * With many subgroups or many digits, several subgroups share a row and use it in turn.  No read of
 * the caller's arrays follows the last barrier. */
#include "block.h"

enum {
	PLACE_TABLE = MAX_YIELD, /* of slots: no other operation uses it */
	MAX_TABLE = 4096, /* counters, unless one row has more */
	MAX_ROWS = 32
};

struct rank {
	uint32_t k, n_bits, n_words;
	uint32_t digit[MAX_YIELD], at[MAX_YIELD]; /* at: index in the table */
	uint32_t before[MAX_YIELD], total[MAX_YIELD]; /* equal digits in the subgroup: lower ones,
						       * all */
	uint32_t like[MAX_YIELD];	/* equal digits in earlier subgroups that share the row */
	uint32_t ordinary;		/* value: false in padding threads; 0: there are none */
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
	return lg_bits(l, QD_TYPE_U32, lg_op(l, OP_POPCOUNT, QD_TYPE_I32, word, 0, 0));
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

/* Ballots each bit of digit j, then the threads that have one. */
static void
vote(struct lg *l, struct rank *r, uint32_t j, uint32_t (*word)[4])
{
	uint32_t yes = r->ordinary ? r->ordinary : lg_const(l, QD_TYPE_BOOL, 1);

	for (uint32_t n = 0; n < r->n_bits; n++) {
		uint32_t bit = lg_imm(l, OP_AND, r->digit[j], 1u << n);

		prim_tile_ballot(l, lg_cmp_imm(l, OP_NE, bit, 0), l->m->log2_size, word[n]);
	}
	prim_tile_ballot(l, yes, l->m->log2_size, word[r->n_bits]);
}

/* Counts the lanes whose key number j has the same digit as the lane's keys. */
static void
count_like(struct lg *l, struct rank *r, uint32_t j)
{
	uint32_t word[MAX_RADIX + 1][4], keep[MAX_RADIX];

	vote(l, r, j, word);
	for (uint32_t own = 0; own < r->k && !lg_failed(l); own++) {
		for (uint32_t n = 0; n < r->n_bits; n++) {
			uint32_t bit = lg_imm(l, OP_AND, r->digit[own], 1u << n);

			/* All ones if the bit is 0. */
			keep[n] = lg_imm(l, OP_SUB, lg_bit(l, lg_cmp_imm(l, OP_NE, bit, 0)), 1);
		}
		for (uint32_t w = 0; w < r->n_words; w++) {
			uint32_t all = word[r->n_bits][w];

			for (uint32_t n = 0; n < r->n_bits; n++)
				all = lg_bin(l, OP_AND, all, lg_bin(l, OP_XOR, word[n][w], keep[n]));
			r->total[own] = lg_bin(l, OP_ADD, r->total[own], population(l, all));
			all = lg_bin(l, OP_AND, all, r->lower[w]);
			r->before[own] = lg_bin(l, OP_ADD, r->before[own], population(l, all));
		}
		if (j < own) {
			uint32_t same = lg_cmp(l, OP_EQ, r->digit[j], r->digit[own]);

			same = both(l, same, r->ordinary);
			r->before[own] = lg_bin(l, OP_ADD, r->before[own], lg_bit(l, same));
		}
	}
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

	if (alone) {
		n = r->len;
		step = l->m->subgroup_size;
		lanes_meet(l);
	} else {
		prim_meet(l);
	}
	if (alone)
		at = lg_lane(l);
	for (uint32_t i = 0; i < n && !lg_failed(l); i += step) {
		uint32_t to = lg_imm(l, OP_ADD, at, i), in = 0;

		if (i + step > n)
			in = lg_cmp_imm(l, OP_LT, to, n);
		if (alone)
			to = lg_bin(l, OP_ADD, to,
				    lg_imm(l, OP_MUL, prim_subgroup(l), r->len));
		prim_slot_put(l, &r->table, to, lg_u32(l, 0), in);
	}
	if (alone)
		lanes_meet(l);
	else
		prim_meet(l);
}

/* Adds the counts; the first lane of equal digits writes.  Subgroups that share a row take
 * turns. */
static void
fill_table(struct lg *l, struct rank *r)
{
	uint32_t zero = lg_u32(l, 0), number = prim_subgroup(l);

	for (uint32_t turn = 0; turn < r->share && !lg_failed(l); turn++) {
		uint32_t own = 0;

		if (r->share > 1)
			own = lg_cmp_imm(l, OP_EQ, lg_imm(l, OP_REM, number, r->share), turn);
		for (uint32_t j = 0; j < r->k && turn; j++)
			r->like[j] = lg_bin(l, OP_ADD, r->like[j],
					    prim_slot_get(l, &r->table, r->at[j], own, zero));
		if (turn)
			lanes_meet(l);
		for (uint32_t j = 0; j < r->k; j++) {
			uint32_t first = lg_cmp_imm(l, OP_EQ, r->before[j], 0);
			uint32_t count = lg_bin(l, OP_ADD, r->like[j], r->total[j]);

			first = both(l, both(l, first, own), r->ordinary);
			prim_slot_put(l, &r->table, r->at[j], count, first);
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

/* Replaces a digit's counters by the number of keys before them.  v: keys with lower digits. */
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
	if (limit)
		r.ordinary = lg_cmp(l, OP_LT, lg_thread(l), limit);
	find_lower(l, &r);
	for (uint32_t j = 0; j < r.k; j++) {
		r.digit[j] = lg_imm(l, OP_AND, r.digit[j], r.len - 1);
		r.before[j] = r.total[j] = r.like[j] = lg_u32(l, 0);
	}
	for (uint32_t j = 0; j < r.k && !lg_failed(l); j++)
		count_like(l, &r, j);
	make_table(l, &r);
	clear_table(l, &r);
	fill_table(l, &r);
	add_up(l, &r, s->x, s->b);
	for (uint32_t j = 0; j < r.k && !lg_failed(l); j++) {
		out[j] = prim_slot_get(l, &r.table, r.at[j], 0, 0);
		out[j] = lg_bin(l, OP_ADD, out[j], lg_bin(l, OP_ADD, r.like[j], r.before[j]));
		out[j] = lg_bits(l, QD_TYPE_I32, out[j]);
	}
	prim_results(l, i, out, r.k);
}
