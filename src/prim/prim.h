/* What the expansions share: a legalizer is a rewriter that appends an operation
 * as it is meant and leaves what the machine emits.  An expansion is written in
 * these calls, so what it uses is legalized in its turn.
 *
 *	emit.c	  one arithmetic operation, made legal
 *	bits.c	  counts, shifts, signs and float order on integers
 *	divide_convert.c  division and conversions
 *	approx.c  exp, log, sin, cos, pow of f64
 *	lower_int64.c	  64-bit arithmetic on two words, local.c variables of them
 *	memory.c  guards, halves of 64-bit elements, 16-bit float elements
 *	atomic.c  orders as fences, float atomics on bits
 *	async.c	  copies from buffers to shared arrays
 *	shuffle.c lanes and patterns of them; reduce.c scan.c segment.c sort.c operator.c vote.c
 *	nvvm.c	  what lanes of a warp do
 *	block.c	  what threads of a block do together, by block_tree.c and slots.c (block.h)
 *	virtual_subgroup.c  the same for subgroups that are not the hardware's
 *
 * A family of op.def (EXPANSIONS, ir.h) is a function expand_NAME(l, i), which
 * appends the legal form of input instruction i and maps it.
 */
#ifndef QD_PRIM_H
#define QD_PRIM_H

#include "rewrite.h"

/* What virtual_subgroup.c moves words with. */
struct exchange {
	uint32_t mem; /* a shared array of two sets of words, one for each thread */
	uint32_t set; /* the one that was written last */
	uint32_t end; /* of the new body: what stands behind the last exchange; 0: none */
};

struct lg {
	struct rw w;
	struct pass_ctx *p;
	const struct machine *m;
	qd_status st; /* the first failure; then nothing matters any more */
	uint32_t at;  /* the instruction of w.in that is worked on */
	struct answers answers; /* so far */
	/* Of these it has the operation on every operand. */
	uint16_t total[N_OP];
	uint32_t *hi; /* by variable of the input: the one of its high word; made when one is */
	const uint32_t *region_args; /* while a region is copied */
	uint32_t *region_out;
	uint32_t (*results)[MAX_YIELD]; /* of operations with several, in order */
	uint32_t n_results, cap_results;
	uint32_t *result_of; /* by operation of the input: its place in results, + 1 */
	/* slots.c: the variable of turns, or 0; how many were known, in which construct. */
	uint32_t turn, n_turns, turns_in;
	struct slot_pool *pools;
	struct exchange exchange;
};

static inline bool
is_int64(qd_type t)
{
	return type_is(t, TM_I64);
}
static inline bool
is_float(qd_type t)
{
	return type_is(t, TM_FLT);
}

/* After a failure operands are 0, of no type, and nothing may look at them. */
static inline bool
lg_failed(const struct lg *l)
{
	return l->w.o.nomem || l->st;
}
/* Is a value of this type two words here, and none of its own? */
static inline bool
lg_two_words(const struct lg *l, qd_type t)
{
	return is_int64(t) && !(l->m->caps & CAP_I64);
}

/* -- legalize.c ------------------------------------------------------------ */

/* Appends the legal form of input instruction i and maps it. */
void lg_visit(struct lg *l, uint32_t i);
/* v, known to be the same for all that `level` (enum level) means. */
uint32_t lg_mark(struct lg *l, uint32_t v, uint32_t level);
/* No lowering of op on t: E0502.  Returns 0, no value. */
QD_COLD uint32_t lg_refuse(struct lg *l, enum op op, qd_type t);

/* -- emit.c ---------------------------------------------------------------- */

/* One pure per-lane operation on new values, as op.def means it. */
uint32_t lg_op(struct lg *l, enum op op, qd_type type, uint32_t a, uint32_t b, uint32_t c);
/* The same without looking for constants and identities. */
uint32_t lg_legal(struct lg *l, enum op op, qd_type type, uint32_t a, uint32_t b, uint32_t c);
/* The target's own instruction; operands are safe.  Refuses what it has not. */
uint32_t lg_raw(struct lg *l, enum op op, qd_type type, uint32_t a, uint32_t b, uint32_t c);

/* What the machine says of a plain operation on this type, once for each. */
bool lg_ask(struct lg *l, const struct query *q);
static inline bool
lg_native(struct lg *l, enum op op, qd_type t)
{
	if (QD_LIKELY(l->answers.asked[op] >> t & 1))
		return l->answers.said[op] >> t & 1;
	return lg_ask(l, &(struct query){ .op = op, .type = t, .to = t });
}
static inline qd_type
lg_type(const struct lg *l, uint32_t v)
{
	return rw_type(&l->w, v);
}
static inline uint32_t
lg_const(struct lg *l, qd_type t, uint64_t bits)
{
	return rw_const(&l->w, t, bits);
}
static inline uint32_t
lg_u32(struct lg *l, uint32_t v)
{
	return rw_const(&l->w, QD_TYPE_U32, v);
}
static inline uint32_t
lg_un(struct lg *l, enum op op, uint32_t a)
{
	return lg_op(l, op, lg_type(l, a), a, 0, 0);
}
static inline uint32_t
lg_bin(struct lg *l, enum op op, uint32_t a, uint32_t b)
{
	return lg_op(l, op, lg_type(l, a), a, b, 0);
}
/* The second operand is a constant of the first's type (of u32 for shifts). */
static inline uint32_t
lg_imm(struct lg *l, enum op op, uint32_t a, uint64_t b)
{
	qd_type t = lg_type(l, a);

	return lg_op(l, op, t, a,
		     lg_const(l, op == OP_SHL || op == OP_SHR ? QD_TYPE_U32 : t, b), 0);
}
static inline uint32_t
lg_cmp(struct lg *l, enum op op, uint32_t a, uint32_t b)
{
	return lg_op(l, op, QD_TYPE_BOOL, a, b, 0);
}
static inline uint32_t
lg_cmp_imm(struct lg *l, enum op op, uint32_t a, uint64_t b)
{
	return lg_op(l, op, QD_TYPE_BOOL, a, lg_const(l, lg_type(l, a), b), 0);
}
static inline uint32_t
lg_select(struct lg *l, uint32_t c, uint32_t a, uint32_t b)
{
	return lg_op(l, OP_SELECT, lg_type(l, a), c, a, b);
}
static inline uint32_t
lg_cast(struct lg *l, qd_type to, uint32_t v)
{
	return lg_op(l, OP_CVT, to, v, 0, 0);
}
static inline uint32_t
lg_bits(struct lg *l, qd_type to, uint32_t v)
{
	return lg_op(l, OP_BITCAST, to, v, 0, 0);
}
/* 1 or 0 where c holds or not. */
static inline uint32_t
lg_bit(struct lg *l, uint32_t c)
{
	uint32_t one = lg_u32(l, 1);

	return lg_select(l, c, one, lg_u32(l, 0));
}
uint32_t lg_lane(struct lg *l);	  /* u32, in the subgroup */
uint32_t lg_hw_lane(struct lg *l); /* u32, in the hardware's */
uint32_t lg_thread(struct lg *l); /* u32, in the block */
/* Something of the input that is legal as it is, or of the machine's own. */
static inline uint32_t
lg_push(struct lg *l, struct ins ins)
{
	return append(&l->w.o, ins);
}
static inline uint32_t
lg_push_op(struct lg *l, enum op op, qd_type t, uint32_t a, uint32_t b)
{
	return append(&l->w.o, (struct ins){ .op = (uint8_t)op, .type = (uint8_t)t, .a = a, .b = b });
}

/* -- bits.c: on the machine's own words; t is a type the target has not got
 * the operation on ------------------------------------------------------------ */

uint32_t prim_shift_count(struct lg *l, uint32_t count, uint32_t width);
uint32_t prim_count(struct lg *l, enum op op, qd_type t, uint32_t a);
uint32_t prim_mulhi(struct lg *l, qd_type t, uint32_t a, uint32_t b);
uint32_t prim_sign(struct lg *l, enum op op, qd_type t, uint32_t a); /* float neg, abs */
uint32_t prim_integral(struct lg *l, enum op op, qd_type t, uint32_t a); /* trunc, round */
/* Integers whose signed order is the floats', -0 below +0; its own inverse. */
uint32_t prim_order(struct lg *l, uint32_t bits);
uint32_t prim_is_nan(struct lg *l, uint32_t bits);
uint32_t prim_float_minmax(struct lg *l, enum op op, qd_type t, uint32_t a, uint32_t b);

/* -- divide_convert.c -------------------------------------------------------------- */

uint32_t prim_divide(struct lg *l, enum op op, qd_type t, uint32_t a, uint32_t b);
uint32_t prim_convert(struct lg *l, qd_type to, uint32_t a);
/* f32 from a word whose top bit is set, or a later bit that was lost in bit 0:
 * word * 2^(exponent - 31), rounded to nearest even.  exponent: u32. */
uint32_t prim_round_f32(struct lg *l, uint32_t word, uint32_t exponent);
uint32_t prim_widen_half(struct lg *l, qd_type storage, uint32_t bits);
uint32_t prim_narrow_half(struct lg *l, qd_type storage, uint32_t v);

/* -- approx.c -------------------------------------------------------------- */

uint32_t prim_approximate(struct lg *l, enum op op, qd_type t, uint32_t a, uint32_t b);

/* -- shuffle.c ----------------------------------------------------------------- */

/* SHUFFLE, SHUFFLE_XOR or BROADCAST with an index or mask below S already. */
uint32_t prim_move(struct lg *l, enum op op, uint32_t v, uint32_t index);
/* v of the lane that the pattern names at distance m. */
uint32_t prim_pattern(struct lg *l, enum lane_pattern pattern, uint32_t v, uint32_t m);
/* Is the own lane in the upper half of its block of 2m? */
uint32_t prim_is_upper(struct lg *l, uint32_t m);

/* -- virtual_subgroup.c: where machine_makes() -------------------------------------------------- */

/* prim_move of a word, where subgroups are made of several. */
uint32_t prim_gather(struct lg *l, enum op op, uint32_t v, uint32_t index);
/* The first of the hardware's lanes that are this subgroup, where it is a part of one. */
uint32_t prim_first_lane(struct lg *l);
/* The scope of an access or fence, as the machine has it. */
enum mem_scope prim_scope(const struct lg *l, enum mem_scope scope);
/* Bits 32 * word and up of a ballot, for which 32 * word is below S. */
uint32_t prim_made_ballot(struct lg *l, uint32_t p, uint32_t word);

/* -- memory.c ---------------------------------------------------------------------- */

/* Where the access that input instruction s means happens: its guard, its own
 * condition; 0: always. */
uint32_t prim_where(struct lg *l, const struct ins *s);
/* An access of new values, of memory x at a where c, as any type needs it; a load
 * gives b where c does not hold. */
uint32_t prim_load(struct lg *l, struct ins load);
void prim_store(struct lg *l, struct ins store);
/* Shared arrays of elements that are narrower than a word become ones of words, whatever
 * the machine has: two threads that write neighbours never write one word.  False: out of
 * memory. */
bool prim_hold_small(struct lg *l);
/* A new shared array, of values of type t; its number. */
uint32_t prim_shared(struct lg *l, qd_type t, uint32_t len);

/* -- slots.c: before the first instruction of the input ---------------------------- */

void prim_turns_begin(struct lg *l);

/* -- reduce.c, scan.c, operator.c ------------------------------------------------ */

/* Input instruction i, with several results, is these. */
void prim_results(struct lg *l, uint32_t i, const uint32_t *v, uint32_t n);

/* log2 of the tile that the K operand of input instruction i names. */
uint32_t prim_tile(const struct lg *l, uint32_t i);
/* The reduction, inclusive or exclusive scan op of a tile. */
uint32_t prim_reduce(struct lg *l, enum op op, uint32_t v, uint32_t log2_size);
uint32_t prim_inclusive(struct lg *l, enum op op, uint32_t v, uint32_t log2_size);
uint32_t prim_exclusive(struct lg *l, enum op op, uint32_t v, uint32_t log2_size);
/* v of the lane below in the tile; where there is none, first. */
uint32_t prim_from_below(struct lg *l, uint32_t v, uint32_t first, uint32_t log2_size);
/* The total of the tile, op a reduction. */
uint32_t prim_reduce(struct lg *l, enum op op, uint32_t v, uint32_t log2_size);
/* Operation op of a tile itself if the target has it, else 0. */
uint32_t prim_lane_native(struct lg *l, enum op op, uint32_t v, uint32_t log2_size);
/* A float as a signed integer whose least or greatest, put back by prim_order, is the
 * floats'; a NaN is the one that loses, and a NaN where nothing else was there. */
uint32_t prim_extreme_bits(struct lg *l, enum op combine, uint32_t v);
/* Is op, of the least or greatest float of a tile, made of such integers here? */
bool prim_by_order(struct lg *l, enum op op, qd_type t, uint32_t log2_size);
/* Each lane's v with those below it in the tile: at distance m the lanes with bit m of
 * `takes`, which has none but those of the lane's own number. */
uint32_t prim_network(struct lg *l, enum op combine, uint32_t v, uint32_t takes,
		      uint32_t log2_size);
/* The words of the ballot of p that the lane's tile has bits in; how many. */
uint32_t prim_tile_ballot(struct lg *l, uint32_t p, uint32_t log2_size, uint32_t word[4]);
/* 1 where p holds in each lane of the tile, or in some: op is ALL_TRUE or ANY_TRUE. */
uint32_t prim_vote(struct lg *l, enum op op, uint32_t p, uint32_t log2_size);
uint32_t prim_subgroup(struct lg *l); /* u32, in the block */
/* The values of a list in v; their number. */
uint32_t prim_list(const struct lg *l, uint32_t pack, uint32_t *v);
/* The n values in v, combined by a region of the input in the tile; limit: lanes of the
 * subgroup that are present, 0 all. */
void prim_operator_reduce(struct lg *l, uint32_t region, uint32_t *v, uint32_t n,
			  uint32_t log2_size, uint32_t limit);
/* Of them, each lane's with those below it. */
void prim_operator_scan(struct lg *l, uint32_t region, uint32_t *v, uint32_t n,
			uint32_t log2_size, uint32_t limit);
/* Region `region` of the input on args, 2n values; its n values in out. */
void prim_inline(struct lg *l, uint32_t region, const uint32_t *args, uint32_t *out);

/* -- lower_int64.c: a 64-bit integer as two u32 ------------------------------------------- */

struct pair {
	uint32_t lo, hi;
};
/* Results that are no 64-bit integer stand in lo.  t: of the operands; b of a
 * shift is its count, in lo. */
struct pair pair_op(struct lg *l, enum op op, qd_type t, struct pair a, struct pair b);
struct pair pair_from(struct lg *l, uint32_t v, qd_type to); /* a number of any 32-bit type */
uint32_t pair_to_f32(struct lg *l, struct pair a, qd_type from);
/* Where the operands' type is f64, or the result's. */
uint32_t pair_to_f64(struct lg *l, struct pair a, qd_type from);
/* A 64-bit value and its words. */
struct pair pair_split(struct lg *l, uint32_t v);
uint32_t pair_join(struct lg *l, struct pair a, qd_type t);

/* -- local.c ------------------------------------------------------------------------- */

/* The variable of the high words, beside the one that map has. */
uint32_t prim_high_var(const struct lg *l, uint32_t var);

/* -- The families --------------------------------------------------------------------- */

#define X(name) void expand_##name(struct lg *l, uint32_t i);
EXPANSIONS(X)
#undef X

#endif
