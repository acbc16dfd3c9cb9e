/* What the expansions share: a legaliser is a rewriter that appends an operation
 * as it is meant and leaves what the machine emits.  An expansion is written in
 * these calls, so what it uses is legalised in its turn.
 *
 *	emit.c	  one arithmetic operation, made legal
 *	bits.c	  counts, shifts, signs and float order on integers
 *	number.c  division and conversions
 *	memory.c  guards, 16-bit float elements
 *	shuffle.c reduce.c scan.c vote.c	the cross-lane families
 *	pair.c	  64-bit arithmetic on two words; split64.c the pass that uses it
 *	loop.c	  the pass that leaves loops at their head only
 */
#ifndef QD_PRIM_H
#define QD_PRIM_H

#include "rewrite.h"

/* Values of a generic reduction or scan, for its RESULTs. */
struct lane_results {
	struct lane_results *next;
	uint32_t at; /* the operation, in the input */
	uint32_t v[MAX_YIELD];
};

struct lg {
	struct rw w;
	struct pass_ctx *p;
	const struct machine *m;
	qd_status st;	 /* the first failure; then nothing matters any more */
	uint32_t at;	 /* the instruction of w.in that is worked on */
	bool two_words;	 /* 64-bit integers stay as they are meant: split64 follows */
	bool saw_64;	 /* and there are some */
	bool saw_loop;
	uint32_t lane, thread; /* made outside control flow already, or 0 */
	const uint32_t *region_args; /* while a region is copied */
	uint32_t *region_out;
	struct lane_results *results;
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
	return l->w.nomem || l->st;
}

/* -- legalise.c ------------------------------------------------------------ */

/* Appends the legal form of input instruction i and maps it. */
void lg_visit(struct lg *l, uint32_t i);
/* No lowering of op on t: E0502.  Returns 0, no value. */
QD_COLD uint32_t lg_refuse(struct lg *l, enum op op, qd_type t);
/* The target lacks what op needs: E0501. */
QD_COLD uint32_t lg_lacks(struct lg *l, enum op op, const char *what);

/* -- emit.c ---------------------------------------------------------------- */

/* One pure per-lane operation on new values, as op.def means it. */
uint32_t lg_op(struct lg *l, enum op op, qd_type type, uint32_t a, uint32_t b, uint32_t c);
/* The same without looking for constants and identities. */
uint32_t lg_legal(struct lg *l, enum op op, qd_type type, uint32_t a, uint32_t b, uint32_t c);
/* The target's own instruction; operands are safe.  Refuses what it has not. */
uint32_t lg_raw(struct lg *l, enum op op, qd_type type, uint32_t a, uint32_t b, uint32_t c);

static inline bool
lg_native(const struct lg *l, enum op op, qd_type t, uint32_t log2_size)
{
	return l->m->native(l->m, op, t, log2_size);
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
	return lg_select(l, c, lg_u32(l, 1), lg_u32(l, 0));
}
uint32_t lg_lane(struct lg *l);	  /* u32 */
uint32_t lg_thread(struct lg *l); /* u32, in the block */

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
/* v, or where v is a literal zero, or may turn out to be one, and the driver must
 * not see it, the same bits with a run-time zero among them. */
uint32_t prim_hide_zero(struct lg *l, uint32_t v);

/* -- number.c -------------------------------------------------------------- */

uint32_t prim_divide(struct lg *l, enum op op, qd_type t, uint32_t a, uint32_t b);
uint32_t prim_convert(struct lg *l, qd_type to, uint32_t a);
/* f32 from a word whose top bit is set, or a later bit that was lost in bit 0:
 * word * 2^(exponent - 31), rounded to nearest even.  exponent: u32. */
uint32_t prim_round_f32(struct lg *l, uint32_t word, uint32_t exponent);
uint32_t prim_widen_half(struct lg *l, qd_type storage, uint32_t bits);
uint32_t prim_narrow_half(struct lg *l, qd_type storage, uint32_t v);

/* -- memory.c: one instruction of the input ------------------------------------- */

void prim_load(struct lg *l, uint32_t i);
void prim_store(struct lg *l, uint32_t i);
uint32_t prim_grid(struct lg *l, qd_type t);

/* -- shuffle.c ----------------------------------------------------------------- */

/* SHUFFLE, SHUFFLE_XOR or BROADCAST with an index or mask below S already. */
uint32_t prim_move(struct lg *l, enum op op, uint32_t v, uint32_t index);
uint32_t prim_shuffle(struct lg *l, enum op op, uint32_t v, uint32_t index);
/* The partner at distance mask, a power of two below S. */
uint32_t prim_partner(struct lg *l, uint32_t v, uint32_t mask);

/* -- vote.c -------------------------------------------------------------------- */

uint32_t prim_elect(struct lg *l);
uint32_t prim_subgroup_id(struct lg *l);
uint32_t prim_ballot_first_n(struct lg *l, uint32_t predicate, uint32_t n);

/* -- reduce.c, scan.c: log2_size is a tile's, at most the subgroup's --------------- */

/* log2 of the tile that K operand k, a new value or 0, names. */
uint32_t prim_tile(const struct lg *l, uint32_t k);
/* The operation itself if the target has it, else 0. */
uint32_t prim_lane_native(struct lg *l, enum op op, uint32_t v, uint32_t log2_size);
uint32_t prim_reduce(struct lg *l, enum op op, uint32_t v, uint32_t log2_size);
uint32_t prim_inclusive_add(struct lg *l, uint32_t v, uint32_t log2_size);
/* Generic forms: input instruction i, its results kept for prim_result. */
void prim_reduce_op(struct lg *l, uint32_t i);
void prim_scan_op(struct lg *l, uint32_t i);
uint32_t prim_result(const struct lg *l, const struct ins *s);
/* Region `region` of the input on args, 2n values; its n values in out. */
void prim_inline(struct lg *l, uint32_t region, const uint32_t *args, uint32_t *out);
/* Operands of generic operation i in v; their number.  Puts up its results. */
uint32_t prim_operands(struct lg *l, uint32_t i, uint32_t *v, struct lane_results **out);

/* -- pair.c: a 64-bit integer as two u32 ------------------------------------------- */

struct pair {
	uint32_t lo, hi;
};
/* Results that are no 64-bit integer stand in lo.  t: of the operands; b of a
 * shift is its count, in lo. */
struct pair pair_op(struct lg *l, enum op op, qd_type t, struct pair a, struct pair b);
struct pair pair_from(struct lg *l, uint32_t v, qd_type to); /* a number of any 32-bit type */
uint32_t pair_to_f32(struct lg *l, struct pair a, qd_type from);
/* Between a value of the machine's own 64-bit integers and its words. */
struct pair pair_split(struct lg *l, uint32_t v);
uint32_t pair_join(struct lg *l, struct pair a, qd_type t);

/* -- Passes of their own over what lg_visit left ------------------------------------ */

qd_status prim_split64(struct lg *l, const struct ir *in, struct ir *out);
/* Does nothing and sets *out_used false where every loop has the form already. */
qd_status prim_flag_loops(struct lg *l, const struct ir *in, struct ir *out, bool *out_used);

#endif
