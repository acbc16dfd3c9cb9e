/* Helpers shared by the builder calls. Every call begins with build_enter and appends with
 * build_push. Operands are checked in the call, so that an error contains the number and the name
 * of the call. */
#ifndef QD_IR_BUILD_CALL_H
#define QD_IR_BUILD_CALL_H

#include "build.h"

#define FAIL(b, ...) build_fail(b, NULL, __VA_ARGS__)

static const struct qd_val no_val QD_UNUSED = { 0 };

/* Begins every call. Returns false after an error. */
bool build_enter(struct qd_builder *b, const char *name);
QD_COLD void build_nomem(struct qd_builder *b);

uint32_t build_push_at(struct qd_builder *b, struct ins ins, uint32_t pos);
struct qd_val build_push(struct qd_builder *b, struct ins ins);
struct qd_val build_push_op(struct qd_builder *b, enum op op, qd_type type, struct qd_val x,
			    struct qd_val y, struct qd_val z);
struct qd_val build_constant(struct qd_builder *b, qd_type type, uint64_t bits);
/* Appends a constant folded from an operation that wraps. */
struct qd_val build_wrapped(struct qd_builder *b, qd_type type, uint64_t bits);

/* Returns the operand's type if it is in mask, else fails and returns NONE. */
qd_type build_operand(struct qd_builder *b, struct qd_val v, uint32_t mask);
qd_type build_operands(struct qd_builder *b, struct qd_val x, struct qd_val y, uint32_t mask);
/* Converts a lane, offset or mask operand to u32. what: its name in messages. */
struct qd_val build_lane_operand(struct qd_builder *b, struct qd_val v, const char *what);
/* Converts a shift count, which is any integer, to u32. */
struct qd_val build_count_operand(struct qd_builder *b, struct qd_val v);
/* Returns v != 0 as bool, the form of a condition. */
struct qd_val build_truth(struct qd_builder *b, struct qd_val v);
/* Stores the text's index in the kernel's table; false if out of memory. */
bool build_text(struct qd_builder *b, const char *text, uint32_t *x);
/* Appends a list of k values. */
struct qd_val build_list(struct qd_builder *b, const struct qd_val *v, uint32_t k);
/* Returns a template argument as an operand: a constant in lo..hi, a template parameter, or a value
 * from qd_template_arg. */
struct qd_val build_tmpl_operand(struct qd_builder *b, uint32_t token, int32_t lo, int32_t hi,
				 enum diag range);
/* Appends an operation by its row of op.def. Checks and converts the operands as the signature
 * requires. token is its K (QD_FULL: missing) or N. */
struct qd_val build_op(struct qd_builder *b, const char *name, enum op op, const struct qd_val *arg,
		       uint32_t token);
/* Appends an operation with n results. */
void build_several(struct qd_builder *b, const char *name, enum op op, const struct qd_val *arg,
		   uint32_t token, struct qd_val *out, uint32_t n);
/* Returns the pending n_active for operation op and clears it; 0: all threads. */
uint32_t build_take_active(struct qd_builder *b, enum op op);
/* Checks a parameter's name: not empty, and not too long. Returns false after an error. */
bool build_name(struct qd_builder *b, const char *name);
/* Returns the array's memory, or NULL after an error. */
const struct memory *build_memory(struct qd_builder *b, struct qd_array a);
/* Converts an index to u32. Buffers have fewer than 2^32 elements, so an index that does not fit
 * becomes the largest u32, which is always out of range. */
struct qd_val build_index_operand(struct qd_builder *b, struct qd_val v);
/* Appends a load, a store or an atomic of element `index` with the operands that follow the index.
 * Returns the value read, if any. A shared array has no guard. */
struct qd_val build_access(struct qd_builder *b, enum op op, struct qd_array a, struct qd_val index,
			   const struct qd_val *operand, uint32_t n, uint32_t attr);
/* Append an atomic on element `index` with the operands of its signature, or a fence. Scope and
 * order are checked. */
struct qd_val build_atomic(struct qd_builder *b, const char *name, enum op op, struct qd_array a,
			   struct qd_val index, const struct qd_val *operand, qd_mem_scope scope,
			   qd_mem_order order);
void build_fence(struct qd_builder *b, const char *name, enum op op, qd_mem_scope scope,
		 qd_mem_order order);
/* Returns the type of the operation's only result if its leading operand has type lead. */
qd_type build_result(enum op op, qd_type lead);
/* Appends an operation on k values that an operator combines. out may alias `from`. identity: of
 * an exclusive scan. */
void build_operator(struct qd_builder *b, const char *name, enum op op, const struct qd_val *from,
		    const struct qd_val *identity, struct qd_val *out, uint32_t k, uint32_t token,
		    qd_operator_fn *combine, void *user);
/* Ranks k keys by a digit. token: radix_bits, bit_start, num_bits. */
void build_rank(struct qd_builder *b, const char *name, const struct qd_val *key, struct qd_val *out,
		uint32_t k, const uint32_t token[3], struct qd_array bins,
		struct qd_array excl_prefix);

#endif
