/* Sorts the pairs of a tile or a block by a bitonic network on integers.
 *
 * A pair is encoded as one integer in up to four pieces, the highest first, whose order is that of
 * the pairs. The key comes first, in its order (floats by prim_order), then the value as an
 * unsigned integer of the same order. The keys +0 and -0 are equal, but keep their sign. Their
 * codes are 0 and -1, one of which is redundant. So a zero key has code -1, and the lower pieces
 * are twice the value, plus 1 for +0. The carry of this doubling makes the code 0. Different
 * pairs have different integers. Both lanes of an exchange evaluate the same comparison, so each
 * takes the pair that the other gives up. The integers are decoded at the end.
 *
 * In a block, lanes of the same subgroup exchange by shuffles, others through slots. This takes
 * one barrier, or two if a second set of slots would use much memory. A thread whose partner is
 * beyond the last thread keeps its pair. All runs ascend, so this equals padding with the greatest
 * pairs. */
#include "block.h"

struct number {
	uint32_t piece[4], n;
};

/* -- Numbers with the order of pairs ------------------------------------------------ */

/* Convert a key to an integer of its width with the same order, and back. */
static uint32_t
encode_key(struct lg *l, uint32_t key, qd_type t)
{
	return is_float(t) ? prim_order(l, lg_bits(l, type_signed(t), key)) : key;
}

static uint32_t
decode_key(struct lg *l, uint32_t code, qd_type t)
{
	return is_float(t) ? lg_bits(l, t, prim_order(l, code)) : code;
}

/* Convert a value to an unsigned integer of its width with the same order, and back. */
static uint32_t
encode_value(struct lg *l, uint32_t v, qd_type t)
{
	uint64_t top = UINT64_C(1) << (type_bits(t) - 1);

	if (is_float(t))
		v = prim_order(l, lg_bits(l, type_signed(t), v));
	v = lg_bits(l, type_unsigned(t), v);
	return is_float(t) || type_info[t].is_signed ? lg_imm(l, OP_XOR, v, top) : v;
}

static uint32_t
decode_value(struct lg *l, uint32_t code, qd_type t)
{
	uint64_t top = UINT64_C(1) << (type_bits(t) - 1);

	if (is_float(t) || type_info[t].is_signed)
		code = lg_imm(l, OP_XOR, code, top);
	if (is_float(t))
		code = prim_order(l, lg_bits(l, type_signed(t), code));
	return lg_bits(l, t, code);
}

/* Returns code + 1 as unsigned: 0 or 1 if the float key is a zero, whose code is -1 or 0. */
static uint32_t
above_zeros(struct lg *l, uint32_t code)
{
	return lg_bits(l, type_unsigned(lg_type(l, code)), lg_imm(l, OP_ADD, code, 1));
}

/* Moves the sign of a zero key to the bit below the value. Other pairs do not change. */
static void
spread_zeros(struct lg *l, uint32_t *key, uint32_t *value)
{
	qd_type k = lg_type(l, *key), v = lg_type(l, *value);
	uint32_t sign = above_zeros(l, *key), zero = lg_cmp_imm(l, OP_LT, sign, 2);
	uint32_t low = lg_imm(l, OP_SHL, *value, 1);
	uint32_t high = lg_cast(l, k, lg_imm(l, OP_SHR, *value, type_bits(v) - 1));

	low = lg_bin(l, OP_OR, low, lg_cast(l, v, sign));
	high = lg_imm(l, OP_SUB, high, 1);
	*key = lg_select(l, zero, high, *key);
	*value = lg_select(l, zero, low, *value);
}

static void
gather_zeros(struct lg *l, uint32_t *key, uint32_t *value)
{
	qd_type k = lg_type(l, *key), v = lg_type(l, *value);
	uint32_t top = above_zeros(l, *key), zero = lg_cmp_imm(l, OP_LT, top, 2);
	uint32_t low = lg_imm(l, OP_SHR, *value, 1);
	uint32_t sign = lg_cast(l, k, lg_imm(l, OP_AND, *value, 1));

	top = lg_imm(l, OP_SHL, lg_cast(l, v, top), type_bits(v) - 1);
	low = lg_bin(l, OP_OR, low, top);
	sign = lg_imm(l, OP_SUB, sign, 1);
	*key = lg_select(l, zero, sign, *key);
	*value = lg_select(l, zero, low, *value);
}

/* -- Pieces: machine words ----------------------------------------------------------- */

static bool
is_packed(const struct lg *l, qd_type k, qd_type v)
{
	return type_info[k].size == 4 && type_info[v].size == 4 && (l->m->caps & CAP_I64);
}

/* Appends an integer, or its two words. */
static void
add_pieces(struct lg *l, struct number *x, uint32_t v)
{
	qd_type t = lg_type(l, v);
	struct pair p;

	if (!lg_two_words(l, t)) {
		x->piece[x->n++] = v;
		return;
	}
	p = pair_split(l, v);
	x->piece[x->n++] = type_info[t].is_signed ? lg_bits(l, QD_TYPE_I32, p.hi) : p.hi;
	x->piece[x->n++] = p.lo;
}

/* Reads the next integer of type t. */
static uint32_t
take_pieces(struct lg *l, const struct number *x, uint32_t *at, qd_type t)
{
	struct pair p;

	if (!lg_two_words(l, t))
		return x->piece[(*at)++];
	p.hi = lg_bits(l, QD_TYPE_U32, x->piece[(*at)++]);
	p.lo = x->piece[(*at)++];
	return pair_join(l, p, t);
}

static struct number
encode(struct lg *l, uint32_t key, qd_type k, uint32_t value, qd_type v)
{
	struct number x = { .n = 0 };
	struct pair p;

	key = encode_key(l, key, k);
	value = encode_value(l, value, v);
	if (is_float(k))
		spread_zeros(l, &key, &value);
	if (is_packed(l, k, v)) {
		bool is_signed = type_info[lg_type(l, key)].is_signed;

		p = (struct pair){ value, lg_bits(l, QD_TYPE_U32, key) };
		x.piece[x.n++] = pair_join(l, p, is_signed ? QD_TYPE_I64 : QD_TYPE_U64);
		return x;
	}
	add_pieces(l, &x, key);
	add_pieces(l, &x, value);
	return x;
}

static void
decode(struct lg *l, const struct number *x, qd_type k, qd_type v, uint32_t out[2])
{
	qd_type code = is_float(k) ? type_signed(k) : k;
	uint32_t at = 0;
	struct pair p;

	if (is_packed(l, k, v)) {
		p = pair_split(l, x->piece[0]);
		out[0] = lg_bits(l, code, p.hi);
		out[1] = p.lo;
	} else {
		out[0] = take_pieces(l, x, &at, code);
		out[1] = take_pieces(l, x, &at, type_unsigned(v));
	}
	if (is_float(k))
		gather_zeros(l, &out[0], &out[1]);
	out[0] = decode_key(l, out[0], k);
	out[1] = decode_value(l, out[1], v);
}

/* -- The network ------------------------------------------------------------------------ */

static uint32_t
is_less(struct lg *l, const struct number *a, const struct number *b)
{
	uint32_t n = a->n - 1, less = lg_cmp(l, OP_LT, a->piece[n], b->piece[n]);

	while (n-- > 0) {
		uint32_t same = lg_cmp(l, OP_EQ, a->piece[n], b->piece[n]);

		less = lg_bin(l, OP_AND, same, less);
		less = lg_bin(l, OP_OR, lg_cmp(l, OP_LT, a->piece[n], b->piece[n]), less);
	}
	return less;
}

enum {
	FEW_BYTES = 8192,
	PLACE_SORT = MAX_YIELD + 1 /* of slots that all such sorts share */
};

/* Fetches x of thread own ^ mask, which is in another subgroup; the thread's own x if there is
 * none. */
static void
hand_over(struct lg *l, const struct number *x, uint32_t mask, struct number *other)
{
	uint32_t n = prim_subgroups(l) * l->m->subgroup_size, own = lg_thread(l);
	uint32_t at = lg_imm(l, OP_XOR, own, mask);
	struct turn turn = { .set = 0 };
	struct slots s[QD_COUNT(x->piece)];
	uint32_t size = 0, place = 0;

	for (uint32_t j = 0; j < x->n; j++)
		size += n * type_info[lg_type(l, x->piece[j])].size;
	if (size <= FEW_BYTES) {
		turn = prim_turn(l);
	} else {
		place = PLACE_SORT;
		prim_meet(l);
	}
	if (n & (n - 1))
		at = lg_select(l, lg_cmp_imm(l, OP_LT, at, n), at, own);
	for (uint32_t j = 0; j < x->n; j++) {
		s[j] = prim_slots(l, turn, lg_type(l, x->piece[j]), n, place + j);
		prim_slot_put(l, &s[j], own, x->piece[j], 0);
	}
	prim_meet(l);
	for (uint32_t j = 0; j < x->n; j++)
		other->piece[j] = prim_slot_get(l, &s[j], at, 0, 0);
}

/* Exchanges with lane or thread own ^ mask: it keeps the lesser number, or the greater one if
 * `upper`. */
static void
exchange(struct lg *l, struct number *x, uint32_t mask, uint32_t upper)
{
	struct number other = { .n = x->n };
	uint32_t swap;

	if (mask >= l->m->subgroup_size)
		hand_over(l, x, mask, &other);
	for (uint32_t j = 0; j < x->n && mask < l->m->subgroup_size; j++)
		other.piece[j] = prim_pattern(l, PATTERN_XOR, x->piece[j], mask);
	if (lg_failed(l))
		return;
	swap = lg_bin(l, OP_XOR, is_less(l, &other, x), upper);
	for (uint32_t j = 0; j < x->n; j++)
		x->piece[j] = lg_select(l, swap, other.piece[j], x->piece[j]);
}

/* Returns whether bit n of the thread index is set. */
static uint32_t
is_upper(struct lg *l, uint32_t n)
{
	if (n < l->m->log2_size)
		return prim_is_upper(l, 1u << n);
	return lg_cmp_imm(l, OP_NE, lg_imm(l, OP_AND, lg_thread(l), 1u << n), 0);
}

/* Merges ascending runs of 2, 4, 8 lanes and so on. Each merge compares the first lane with the
 * last, the second with the last but one, and continues on the halves. */
static void
sort(struct lg *l, struct number *x, uint32_t log2_size)
{
	uint32_t upper[16];

	_Static_assert(MAX_BLOCK < 1u << QD_COUNT(upper), "a position has as many bits");
	for (uint32_t n = 0; n < log2_size; n++)
		upper[n] = is_upper(l, n);
	for (uint32_t run = 1; run <= log2_size && !lg_failed(l); run++) {
		exchange(l, x, (1u << run) - 1, upper[run - 1]);
		for (uint32_t n = run - 1; n-- > 0 && !lg_failed(l);)
			exchange(l, x, 1u << n, upper[n]);
	}
}

/* Sorts 2^log2_size lanes or threads. */
/* takes_part: whether the thread participates, 0: all do. The pairs of other threads are the
 * last. */
static void
sort_pairs(struct lg *l, uint32_t i, uint32_t log2_size, uint32_t takes_part)
{
	const struct ins *s = &l->w.in->ins[i];
	uint32_t out[2] = { l->w.map[s->a], l->w.map[s->b] };
	qd_type k = (qd_type)l->w.in->ins[s->a].type, v = (qd_type)l->w.in->ins[s->b].type;
	struct number x;

	if (lg_failed(l))
		return;
	for (uint32_t j = 0; j < 2 && takes_part; j++) {
		qd_type t = j ? v : k;
		uint32_t last = lg_const(l, t, ir_padding_bits(PADDING_LAST, t));

		out[j] = lg_select(l, takes_part, out[j], last);
	}
	if (log2_size) {
		x = encode(l, out[0], k, out[1], v);
		sort(l, &x, log2_size);
		if (!lg_failed(l))
			decode(l, &x, k, v, out);
	}
	prim_results(l, i, out, 2);
}

void
expand_sort(struct lg *l, uint32_t i)
{
	sort_pairs(l, i, prim_tile(l, i), 0);
}

void
expand_block_sort(struct lg *l, uint32_t i)
{
	uint32_t n = prim_subgroups(l), log2_size = l->m->log2_size;

	while (1u << (log2_size - l->m->log2_size) < n)
		log2_size++;
	n = prim_active(l, i);
	sort_pairs(l, i, log2_size, n ? lg_cmp(l, OP_LT, lg_thread(l), n) : 0);
}
