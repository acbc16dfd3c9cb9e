/* Common interface of the expansions. A legalizer is a rewriter: a caller appends an operation
 * with its op.def meaning, and the legalizer emits what the machine supports. Expansions
 * use these calls, so the operations that they append are legalized in turn.
 *
 *	emit.c	  one arithmetic operation, made legal
 *	bits.c	  counts, shifts, signs and float order on integers
 *	bytes.c	  permutations and dot products of bytes
 *	range.c	  ranges of integers; counter.c of loop counters; fact.c of what conditions imply
 *	divide_convert.c  division and conversions
 *	approx.c  exp, log, sin, cos, pow of f64
 *	lower_int64.c	  64-bit arithmetic on two words; local.c 64-bit variables
 *	neighbors.c  loads that share a guard; adjacent.c also stores, at aligned indices
 *	memory.c  guards, halves of 64-bit elements, 16-bit float elements
 *	atomic.c  orders as fences, float atomics on bits
 *	async.c	  copies from buffers to shared arrays
 *	shuffle.c lanes and lane patterns; reduce.c scan.c segment.c sort.c operator.c vote.c
 *	nvvm.c	  operations of a warp
 *	block.c	  operations of a block, with block_tree.c and slots.c (block.h)
 *	virtual_subgroup.c  subgroups that are not the hardware's
 *
 * A family of op.def (EXPANSIONS, ir.h) is a function expand_NAME(l, i), which appends the
 * legal form of input instruction i and maps it.
 */
#ifndef QD_PRIM_H
#define QD_PRIM_H

#include "rewrite.h"

/* tests/programs/rule.h disables each rule in turn, and a test must detect it. */
#ifndef PRIM_RULE
#define PRIM_RULE(name) true
#endif

/* State of the word exchange in virtual_subgroup.c. */
struct exchange {
	uint32_t mem; /* a shared array of two sets of words, one for each thread */
	uint32_t set; /* the set that was written last */
	uint32_t end; /* of the new body: the instruction after the last exchange; 0: none */
};

/* A comparison whose result is known (fact.c). */
struct fact {
	uint32_t value; /* new: the comparison */
	uint32_t arm;	/* the fact is valid to the end of the innermost construct that opens here */
	bool holds;
};
enum { MAX_FACTS = 32 };

/* Numbers from lo to hi, in the type of the value. */
struct range {
	int64_t lo, hi;
};

/* A variable of an open loop (counter.c). */
struct counter {
	uint32_t var;  /* new */
	uint32_t loop; /* of the input */
	struct range range;
};
enum { MAX_COUNTERS = 16 };

/* Accesses to adjacent elements (adjacent.c). */
enum { MOST_RUN = 16 };
struct run {
	uint32_t at[MOST_RUN]; /* by element: the access of the input, or 0 */
	uint32_t n, last;      /* elements; the last access */
	uint32_t base, from;   /* index of the first element: value `base` of the input, or 0, plus `from` */
	uint32_t of, log2;     /* not 0: base is `of` shifted left, or past the end if that wraps */
};

struct lg {
	struct rw w;
	struct pass_ctx *p;
	const struct machine *m;
	qd_status st; /* the first failure; the body is unusable after it */
	uint32_t at;  /* the instruction of w.in that is being legalized */
	struct answers answers; /* cached answers of native() */
	/* A bit for each type, by operation: the machine has it for all operand values. */
	uint16_t total[N_OP];
	uint32_t *hi; /* by variable of the input: the variable of its high word; allocated on
		       * first use */
	const uint32_t *region_args; /* while a region is copied */
	uint32_t *region_out;
	uint32_t (*results)[MAX_YIELD]; /* of operations with several results, in order */
	uint32_t n_results, cap_results;
	uint32_t *result_of; /* by operation of the input: its index in `results`, plus 1 */
	/* slots.c: the turn's variable, or 0; the number of statically known turns, and the
	 * construct that contains them. */
	uint32_t turn, n_turns, turns_in;
	struct slot_pool *pools;
	struct exchange exchange;
	struct fact facts[MAX_FACTS];
	uint32_t n_facts;
	uint32_t *set_of; /* by variable of the input: its only store; NULL: no loops */
	struct counter counters[MAX_COUNTERS];
	uint32_t n_counters;
	struct run run; /* of stores, which its last access appends */
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

/* Returns whether legalization has failed. Operands are then 0, without a type, and must not be
 * inspected. */
static inline bool
lg_failed(const struct lg *l)
{
	return l->w.o.nomem || l->st;
}
/* Returns whether a value of this type must be represented by two words. */
static inline bool
lg_two_words(const struct lg *l, qd_type t)
{
	return is_int64(t) && !(l->m->caps & CAP_I64);
}

/* -- legalize.c ------------------------------------------------------------ */

/* Appends the legal form of input instruction i and maps it. */
void lg_visit(struct lg *l, uint32_t i);
/* Returns v marked as uniform in the scope `level` (enum level). */
uint32_t lg_mark(struct lg *l, uint32_t v, uint32_t level);
/* Reports E0502: op on t has no lowering. Returns 0, no value. */
QD_COLD uint32_t lg_refuse(struct lg *l, enum op op, qd_type t);

/* -- emit.c ---------------------------------------------------------------- */

/* Appends the legal form of one pure per-lane operation on new values. */
uint32_t lg_op(struct lg *l, enum op op, qd_type type, uint32_t a, uint32_t b, uint32_t c);
/* Does the same without folding constants and identities. */
uint32_t lg_legal(struct lg *l, enum op op, qd_type type, uint32_t a, uint32_t b, uint32_t c);
/* Appends the target's own instruction; the operands must be in its domain. Calls lg_refuse if
 * the target lacks it. */
uint32_t lg_raw(struct lg *l, enum op op, qd_type type, uint32_t a, uint32_t b, uint32_t c);

/* Returns whether the machine has an operation. Caches answers for plain operations. */
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
/* Appends op with a constant second operand, of the first operand's type (u32 for shifts). */
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
/* Returns 1 if c holds, else 0, as u32. */
static inline uint32_t
lg_bit(struct lg *l, uint32_t c)
{
	uint32_t one = lg_u32(l, 1);

	return lg_select(l, c, one, lg_u32(l, 0));
}
uint32_t lg_lane(struct lg *l);	  /* u32, in the subgroup */
uint32_t lg_hw_lane(struct lg *l); /* u32, in the hardware subgroup */
uint32_t lg_thread(struct lg *l); /* u32, in the block */
/* Appends an instruction that is already legal. */
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

/* -- bits.c: operations on machine words; t: a type for which the target
 * lacks the operation --------------------------------------------------------- */

uint32_t prim_funnel(struct lg *l, enum op op, uint32_t hi, uint32_t lo, uint32_t count);
/* Computes the low word of hi:lo, of an unsigned type, shifted right by 1 to width - 1. */
uint32_t prim_funnel_by(struct lg *l, uint32_t hi, uint32_t lo, uint32_t count);
/* Returns the result of or or xor as an operation that computes a and b too; 0 if the machine has
 * none (peephole.c). The machine has a funnel shift to the right. */
uint32_t prim_peephole(struct lg *l, enum op op, qd_type t, uint32_t a, uint32_t b);
uint32_t prim_shift_count(struct lg *l, uint32_t count, uint32_t width);
/* Returns the product of two integers if a simpler operation computes it; else 0. */
uint32_t prim_multiply(struct lg *l, qd_type t, uint32_t a, uint32_t b);
uint32_t prim_count(struct lg *l, enum op op, qd_type t, uint32_t a);
uint32_t prim_mulhi(struct lg *l, qd_type t, uint32_t a, uint32_t b);
uint32_t prim_sign(struct lg *l, enum op op, qd_type t, uint32_t a); /* float neg, abs */
uint32_t prim_integral(struct lg *l, enum op op, qd_type t, uint32_t a); /* trunc, round */
/* Maps float bits to integers whose signed order is that of the floats, -0 below +0. The
 * function is its own inverse. */
uint32_t prim_order(struct lg *l, uint32_t bits);
uint32_t prim_is_nan(struct lg *l, uint32_t bits);
uint32_t prim_float_minmax(struct lg *l, enum op op, qd_type t, uint32_t a, uint32_t b);

/* -- bytes.c ------------------------------------------------------------------------ */

uint32_t prim_byte_permute(struct lg *l, uint32_t x, uint32_t y, uint32_t selector);
/* Returns acc plus the products of the bytes; op: DOT4_I8, DOT4_U8 or DOT4_I8U8. */
uint32_t prim_dot4(struct lg *l, enum op op, uint32_t x, uint32_t y, uint32_t acc);

/* -- fact.c --------------------------------------------------------------------------- */

/* Updates the known conditions after control-flow instruction i of the input was copied. */
void fact_flow(struct lg *l, uint32_t i);
/* A known relation of two integers or floats of one type. */
struct relation {
	uint32_t less, greater;
	bool strict; /* they are not equal */
};
struct relation fact_relation(const struct lg *l, uint32_t fact);
/* Returns whether a < b holds here, read as u32, where condition `where` holds (0: always). */
bool fact_is_less(struct lg *l, uint32_t a, uint32_t b, uint32_t where);

/* -- range.c -------------------------------------------------------------------------- */

struct range range_of_type(qd_type t);
/* Returns a 32-bit integer as a number. */
static inline int64_t
range_number(qd_type t, uint64_t bits)
{
	return t == QD_TYPE_I32 ? (int32_t)(uint32_t)bits : (int64_t)(uint32_t)bits;
}
/* Returns the range of a 32-bit integer here. */
struct range range_of(const struct lg *l, uint32_t v);
/* Returns whether v is a 32-bit integer that is not negative. */
bool range_is_positive(const struct lg *l, uint32_t v);
/* Returns the value of op on a and b if their ranges decide it: a constant, a or b; else 0. */
uint32_t range_decide(struct lg *l, enum op op, uint32_t a, uint32_t b);

/* -- counter.c ------------------------------------------------------------------------ */

/* Finds the variables that are stored once. Returns false if out of memory. */
bool counter_begin(struct lg *l);
/* Updates the known counters before control-flow instruction i of the input is copied. */
void counter_flow(struct lg *l, uint32_t i);
/* Returns the range of a new variable of type t. */
struct range counter_range(const struct lg *l, uint32_t var, qd_type t);

/* -- divide_convert.c -------------------------------------------------------------- */

uint32_t prim_divide(struct lg *l, enum op op, qd_type t, uint32_t a, uint32_t b);
uint32_t prim_convert(struct lg *l, qd_type to, uint32_t a);
/* Returns word * 2^(exponent - 31) as f32, rounded to nearest even. The top bit of word is set;
 * bit 0 is sticky for lost lower bits. exponent: u32. */
uint32_t prim_round_f32(struct lg *l, uint32_t word, uint32_t exponent);

/* -- half.c ------------------------------------------------------------------ */

/* Expands WIDEN_F16, NARROW_F16 or NARROW_BF16 to operations on bits. */
uint32_t prim_convert_half(struct lg *l, enum op op, uint32_t v);
/* Convert between f32 and the bits of an element of type f16 or bf16, in the low half of a word. */
uint32_t prim_widen_half(struct lg *l, qd_type storage, uint32_t bits);
uint32_t prim_narrow_half(struct lg *l, qd_type storage, uint32_t v);

/* -- approx.c -------------------------------------------------------------- */

uint32_t prim_approximate(struct lg *l, enum op op, qd_type t, uint32_t a, uint32_t b);

/* -- shuffle.c ----------------------------------------------------------------- */

/* Appends SHUFFLE, SHUFFLE_XOR or BROADCAST. The index or mask must be below the subgroup size. */
uint32_t prim_move(struct lg *l, enum op op, uint32_t v, uint32_t index);
/* Returns v of the lane that the pattern selects at distance m. */
uint32_t prim_pattern(struct lg *l, enum lane_pattern pattern, uint32_t v, uint32_t m);
/* Returns whether the lane is in the upper half of its aligned group of 2m lanes. */
uint32_t prim_is_upper(struct lg *l, uint32_t m);

/* -- virtual_subgroup.c: used if machine_makes() ------------------------------------------------ */

/* Does prim_move of a word, for a subgroup of several hardware subgroups. */
uint32_t prim_gather(struct lg *l, enum op op, uint32_t v, uint32_t index);
/* Returns the first hardware lane of this subgroup, for a subgroup that is a part of a hardware
 * one. */
uint32_t prim_first_lane(struct lg *l);
/* Returns the machine's scope for an access or fence of scope `scope`. */
enum mem_scope prim_scope(const struct lg *l, enum mem_scope scope);
/* Returns bits 32 * word and up of a ballot; 32 * word must be below the subgroup size. */
uint32_t prim_made_ballot(struct lg *l, uint32_t p, uint32_t word);

/* -- memory.c ---------------------------------------------------------------------- */

/* Returns the length of memory x, a buffer or a table. */
uint32_t prim_length(struct lg *l, uint32_t x);
/* Returns the condition under which the access of input instruction s happens: its guard and its
 * own condition; 0: always. */
uint32_t prim_where(struct lg *l, const struct ins *s);
/* Access memory x at index a if c holds, with new values, for any element type. A load returns b
 * if c does not hold. */
uint32_t prim_load(struct lg *l, struct ins load);
void prim_store(struct lg *l, struct ins store);
/* Appends load i of the input together with those of neighboring elements after it, with one test, and maps
 * them (neighbors.c). Returns false if there are too few. */
bool neighbors_load(struct lg *l, uint32_t i);
/* Returns whether two values of the input are equal, by their operations. */
bool neighbors_are_alike(const struct ir *in, uint32_t u, uint32_t v);
/* Returns whether value v of the new body, perhaps a constant, does not change in the innermost open loop. Its loads may
 * then move out of it, which a shared test would prevent. */
bool neighbors_is_invariant(const struct lg *l, uint32_t v);
/* Append access i of the input, together with those to adjacent elements (adjacent.c). Return false if it has
 * no others. */
bool adjacent_load(struct lg *l, uint32_t i);
bool adjacent_store(struct lg *l, uint32_t i);
/* Returns whether access i may be part of a vector if launch facts hold. */
bool adjacent_is_vector(const struct lg *l, uint32_t i);
/* Returns whether one operation moves an element of memory x. */
bool prim_moves(struct lg *l, enum op op, uint32_t x);
/* Completes a store for prim_moves: converts its value to the element. */
void prim_narrow_store(struct lg *l, struct ins *store);
/* Widens shared-array elements that are narrower than a word to words, on every machine. So
 * threads that write adjacent elements never write the same word. Returns false if out of
 * memory. */
bool prim_hold_small(struct lg *l);
/* Adds a shared array of values of type t and returns its number. */
uint32_t prim_shared(struct lg *l, qd_type t, uint32_t len);

/* -- slots.c: called before the first instruction of the input --------------------- */

void prim_turns_begin(struct lg *l);

/* -- reduce.c, scan.c, operator.c ------------------------------------------------ */

/* Maps input instruction i, which has several results, to v[0..n). */
void prim_results(struct lg *l, uint32_t i, const uint32_t *v, uint32_t n);

/* Returns log2 of the tile size in the K operand of input instruction i. */
uint32_t prim_tile(const struct lg *l, uint32_t i);
/* Return reduction, inclusive scan or exclusive scan op in a tile. */
uint32_t prim_reduce(struct lg *l, enum op op, uint32_t v, uint32_t log2_size);
uint32_t prim_inclusive(struct lg *l, enum op op, uint32_t v, uint32_t log2_size);
uint32_t prim_exclusive(struct lg *l, enum op op, uint32_t v, uint32_t log2_size);
/* Returns v of the next lower lane of the tile; `first` in the lowest lane. */
uint32_t prim_from_below(struct lg *l, uint32_t v, uint32_t first, uint32_t log2_size);
/* Returns the total of the tile; op: a reduction. */
uint32_t prim_reduce(struct lg *l, enum op op, uint32_t v, uint32_t log2_size);
/* Appends op on a tile if the target has it; else returns 0. */
uint32_t prim_lane_native(struct lg *l, enum op op, uint32_t v, uint32_t log2_size);
/* Maps a float to a signed integer for min or max: prim_order maps the result back to the float
 * minimum or maximum. NaNs lose against numbers; if all values are NaN, the result is NaN. */
uint32_t prim_extreme_bits(struct lg *l, enum op combine, uint32_t v);
/* Returns whether op, a float min or max of a tile, is lowered to such integers. */
bool prim_by_order(struct lg *l, enum op op, qd_type t, uint32_t log2_size);
/* Combines each lane's v with those of lower lanes in the tile. A lane takes part at distance m
 * if bit m of `takes` is set; `takes` must be a subset of the lane index's bits. */
uint32_t prim_network(struct lg *l, enum op combine, uint32_t v, uint32_t takes,
		      uint32_t log2_size);
/* Stores the words of the ballot of p that contain bits of the lane's tile. Returns their
 * number. */
uint32_t prim_tile_ballot(struct lg *l, uint32_t p, uint32_t log2_size, uint32_t word[4]);
/* Returns 1 if p holds in all lanes of the tile, or in any: op is ALL_TRUE or ANY_TRUE. */
uint32_t prim_vote(struct lg *l, enum op op, uint32_t p, uint32_t log2_size);
uint32_t prim_subgroup(struct lg *l); /* u32, in the block */
/* Stores the values of a list in v. Returns their number. */
uint32_t prim_list(const struct lg *l, uint32_t pack, uint32_t *v);
/* Reduces the n values in v over the tile with a region of the input. limit: non-padding lanes of
 * the subgroup, 0: all. */
void prim_operator_reduce(struct lg *l, uint32_t region, uint32_t *v, uint32_t n,
			  uint32_t log2_size, uint32_t limit);
/* Scans them instead: each lane's values are combined with those of lower lanes. */
void prim_operator_scan(struct lg *l, uint32_t region, uint32_t *v, uint32_t n,
			uint32_t log2_size, uint32_t limit);
/* Inlines region `region` of the input on args, 2n values. Stores its n results in out. */
void prim_inline(struct lg *l, uint32_t region, const uint32_t *args, uint32_t *out);

/* -- lower_int64.c: a 64-bit integer as two u32 ------------------------------------------- */

struct pair {
	uint32_t lo, hi;
};
/* Lowers op. A result that is no 64-bit integer is in lo. t: type of the operands. For a shift,
 * b.lo is the count. */
struct pair pair_op(struct lg *l, enum op op, qd_type t, struct pair a, struct pair b);
struct pair pair_from(struct lg *l, uint32_t v, qd_type to); /* from any 32-bit type or f64 */
uint32_t pair_to_f32(struct lg *l, struct pair a, qd_type from);
/* Converts to f64, with f64 arithmetic. */
uint32_t pair_to_f64(struct lg *l, struct pair a, qd_type from);
/* Convert between a 64-bit value and its words. */
struct pair pair_split(struct lg *l, uint32_t v);
uint32_t pair_join(struct lg *l, struct pair a, qd_type t);

/* -- local.c ------------------------------------------------------------------------- */

/* Returns the variable of the high words; map holds that of the low words. */
uint32_t prim_high_var(const struct lg *l, uint32_t var);

/* -- The families --------------------------------------------------------------------- */

#define X(name) void expand_##name(struct lg *l, uint32_t i);
EXPANSIONS(X)
#undef X

#endif
