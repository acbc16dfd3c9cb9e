/* Plain-C references of every primitive, written from their definitions and independently of the
 * IR's own tables. Values are bits, low in a u64. A subgroup of S lanes begins with n lanes; the
 * rest are padding threads. */
#ifndef QD_TESTS_REF_H
#define QD_TESTS_REF_H

#include <stdbool.h>
#include <stdint.h>

#include "qd.h"

enum { REF_MAX_LANES = 128 };

struct ref_subgroup {
	qd_type type;
	uint32_t size;	 /* S */
	uint32_t n;	 /* lanes without padding threads */
	bool flush;	 /* float arithmetic flushes subnormals, as one driver does */
	const uint64_t *v;
};

enum ref_reduction {
#define REDUCTION(name, result) REF_##name,
#include "reduction.def"
	REF_N_REDUCTION,
	REF_N_BLOCK_REDUCTION = REF_XOR + 1 /* the operators of block.reduce_x */
};

/* -- canonical_order.c: the canonical order of float sums and products ------------------------- */

/* T(v[0..n)) = T(v[0..h)) op T(v[h..n)), where h is the largest power of two below n. Integers
 * wrap. */
uint64_t ref_tree(enum ref_reduction op, qd_type type, const uint64_t *v, uint32_t n, bool flush);
/* Evaluates the same tree over n positions, where n is a power of two. Positions outside from..to
 * are empty; from..to must not be empty. */
uint64_t ref_tree_of(enum ref_reduction op, qd_type type, const uint64_t *v, uint32_t n,
		     uint32_t from, uint32_t to, bool flush);
uint64_t ref_identity(enum ref_reduction op, qd_type type); /* value of an empty exclusive scan */
uint64_t ref_add(qd_type type, uint64_t a, uint64_t b, bool flush);
uint64_t ref_mul(qd_type type, uint64_t a, uint64_t b, bool flush);

/* -- lane.c: a call computes every lane's result. A lane whose result is undefined
 * has defined[lane] = false. ----------------------------------------------------------- */

void ref_shuffle(const struct ref_subgroup *s, const uint32_t *index, uint64_t *out,
		 bool *defined);
void ref_shuffle_xor(const struct ref_subgroup *s, const uint32_t *mask, uint64_t *out,
		     bool *defined);
void ref_shuffle_up(const struct ref_subgroup *s, const uint32_t *offset, uint64_t *out,
		    bool *defined);
void ref_shuffle_down(const struct ref_subgroup *s, const uint32_t *offset, uint64_t *out,
		      bool *defined);
uint32_t ref_ballot_first_n(const struct ref_subgroup *s, uint32_t n);
/* Returns the bits of the lanes from 32 * word on. */
uint32_t ref_ballot_word(const struct ref_subgroup *s, uint32_t word);
enum ref_vote { REF_ALL_TRUE, REF_ANY_TRUE, REF_ALL_EQUAL };
void ref_vote(const struct ref_subgroup *s, enum ref_vote vote, uint32_t log2_size, uint64_t *out);

void ref_reduce(const struct ref_subgroup *s, enum ref_reduction op, uint32_t log2_size,
		uint64_t *out);
void ref_inclusive(const struct ref_subgroup *s, enum ref_reduction op, uint32_t log2_size,
		   uint64_t *out);
void ref_exclusive(const struct ref_subgroup *s, enum ref_reduction op, uint32_t log2_size,
		   uint64_t *out);

/* Reduces the lanes from the last head on. The first lane of a tile counts as a head. */
void ref_segmented(const struct ref_subgroup *s, enum ref_reduction op, const bool *head,
		   uint32_t log2_size, uint64_t *out);

/* Sorts the pairs (s->v, value). value_type is the type of the second. */
void ref_sort(const struct ref_subgroup *s, qd_type value_type, const uint64_t *value,
	      uint32_t log2_size, uint64_t *out_key, uint64_t *out_value);
/* Writes to order[i] the index of the pair at position i. */
enum { REF_MAX_BLOCK = 1024 };
void ref_sort_block(qd_type key_type, const uint64_t *key, qd_type value_type,
		    const uint64_t *value, uint32_t n, uint32_t *order);

/* nvvm.c: results of lane l, over the members in its mask among the 32 lanes of its warp. */
enum ref_member_vote { REF_VOTE_ALL, REF_VOTE_ANY, REF_VOTE_UNI };
bool ref_vote_members(const struct ref_subgroup *s, enum ref_member_vote vote, uint32_t mask,
		      uint32_t l);
uint32_t ref_ballot_members(const struct ref_subgroup *s, uint32_t mask, uint32_t l);
bool ref_elect(const struct ref_subgroup *s, uint32_t mask, uint32_t l);
enum ref_shfl { REF_SHFL_UP, REF_SHFL_DOWN, REF_SHFL_BFLY, REF_SHFL_IDX };
/* Returns whether the source lane is in range. */
bool ref_shfl(const struct ref_subgroup *s, enum ref_shfl how, uint32_t width, uint32_t mask,
	      uint32_t x, uint32_t l, uint64_t *out, bool *defined);
uint64_t ref_redux(const struct ref_subgroup *s, enum ref_reduction op, uint32_t mask, uint32_t l);
/* match_any returns the members with the same bits. match_all returns whether all members have
 * them, and in *members these or 0. */
uint32_t ref_match_any(const struct ref_subgroup *s, uint32_t mask, uint32_t l);
bool ref_match_all(const struct ref_subgroup *s, uint32_t mask, uint32_t l, uint32_t *members);

/* Composition of maps x -> a*x + b, an operator that does not commute. A u64 per lane has a in its
 * low and b in its high half (u32 each, wrapping). */
uint64_t ref_affine(uint64_t lower, uint64_t upper);
void ref_affine_reduce(const struct ref_subgroup *s, uint32_t log2_size, uint64_t *out);
void ref_affine_scan(const struct ref_subgroup *s, uint32_t log2_size, uint64_t *out);
void ref_affine_exclusive(const struct ref_subgroup *s, uint64_t identity, uint32_t log2_size,
			  uint64_t *out);

/* -- scalar.c: per-lane operations --------------------------------------------------- */

bool ref_truth(qd_type type, uint64_t v); /* v != 0, NaN is true */
uint64_t ref_min(qd_type type, uint64_t a, uint64_t b);
uint64_t ref_max(qd_type type, uint64_t a, uint64_t b);
bool ref_is_nan(qd_type type, uint64_t v);
bool ref_is_float(qd_type type);
/* Conversion of the bits of a float to its number, and of a number to the nearest float. */
double ref_number(qd_type type, uint64_t v);
uint64_t ref_bits(qd_type type, double d);
uint32_t ref_width(qd_type type);

enum ref_op {
	REF_OP_ADD, REF_OP_SUB, REF_OP_MUL, REF_OP_DIV, REF_OP_REM, REF_OP_MIN, REF_OP_MAX,
	REF_OP_MULHI, REF_OP_FLOORDIV, REF_OP_FLOORMOD, REF_OP_AND, REF_OP_OR, REF_OP_XOR,
	REF_OP_SHL, REF_OP_SHR, REF_OP_EQ, REF_OP_NE, REF_OP_LT, REF_OP_LE, REF_OP_GT, REF_OP_GE,
	REF_OP_NEG, REF_OP_ABS, REF_OP_NOT, REF_OP_POPCOUNT, REF_OP_CLZ, REF_OP_FFS, REF_OP_BREV,
	REF_OP_FLOOR, REF_OP_CEIL, REF_OP_TRUNC, REF_OP_ROUND, REF_OP_SQRT,
	REF_OP_ISNAN, REF_OP_ISINF,
	REF_OP_ROTL, REF_OP_ROTR, REF_OP_CTZ, REF_OP_ABS_DIFF, REF_OP_ADD_SAT, REF_OP_SUB_SAT,
	REF_OP_AVERAGE_FLOOR, REF_OP_AVERAGE_CEIL, REF_OP_SIGN, REF_OP_COPYSIGN, REF_OP_STEP,
	REF_OP_FRACT, REF_OP_UNPACK_U8,
	REF_OP_FUNNEL_LEFT, REF_OP_FUNNEL_RIGHT, REF_OP_EXTRACT_BITS, REF_OP_BYTE_PERMUTE,
	REF_OP_DOT4_I8, REF_OP_DOT4_U8, REF_OP_DOT4_I8U8, N_REF_OP
};
/* Returns the result's bits. Comparisons give 0 or 1. */
uint64_t ref_scalar(enum ref_op op, qd_type type, uint64_t a, uint64_t b, bool flush);
/* The high word of hi:lo shifted left, or the low word of it shifted right; n modulo the width. */
uint64_t ref_funnel(bool left, qd_type type, uint64_t hi, uint64_t lo, uint64_t n);
/* n bits of v from bit `first` on; v with those bits of w. */
uint64_t ref_extract(qd_type type, uint64_t v, uint64_t first, uint64_t n);
uint64_t ref_insert(qd_type type, uint64_t v, uint64_t w, uint64_t first, uint64_t n);
/* Byte n of v, modulo 4, from the lowest on. Four of the bytes of x and y: digit i of the selector
 * names byte i. */
uint8_t ref_byte(uint32_t v, uint32_t n);
uint32_t ref_byte_permute(uint32_t x, uint32_t y, uint32_t selector);
/* acc plus the products of the bytes of x and y; op: REF_OP_DOT4_I8 and following. */
uint32_t ref_dot4(enum ref_op op, uint32_t x, uint32_t y, uint32_t acc);
/* An operation of three operands: REF_OP_FUNNEL_LEFT and following. */
uint64_t ref_ternary(enum ref_op op, qd_type type, const uint64_t *v);
uint64_t ref_cast(qd_type from, qd_type to, uint64_t v, bool flush);
/* Conversion of a memory element of a storage type to its widened value, and back. */
uint64_t ref_widen(qd_type storage, uint64_t bits);
uint64_t ref_narrow(qd_type storage, uint64_t bits);

#endif
