/* What builder calls share.  Every one begins with build_enter and appends by
 * build_push; operands are checked where they are given, so that an error
 * carries the number and the name of its call. */
#ifndef QD_IR_BUILD_CALL_H
#define QD_IR_BUILD_CALL_H

#include "build.h"

#define FAIL(b, ...) build_fail(b, NULL, __VA_ARGS__)

static const struct qd_val no_val QD_UNUSED = { 0 };

/* First line of every call: false after an error. */
bool build_enter(struct qd_builder *b, const char *name);
QD_COLD void build_nomem(struct qd_builder *b);

uint32_t build_push_at(struct qd_builder *b, struct ins ins, uint32_t pos);
struct qd_val build_push(struct qd_builder *b, struct ins ins);
struct qd_val build_push_op(struct qd_builder *b, enum op op, qd_type type, struct qd_val x,
			    struct qd_val y, struct qd_val z);
struct qd_val build_constant(struct qd_builder *b, qd_type type, uint64_t bits);
/* One that an operation which wraps was folded to. */
struct qd_val build_wrapped(struct qd_builder *b, qd_type type, uint64_t bits);

/* The operand's type if it is one of mask, else an error and NONE. */
qd_type build_operand(struct qd_builder *b, struct qd_val v, uint32_t mask);
qd_type build_operands(struct qd_builder *b, struct qd_val x, struct qd_val y, uint32_t mask);
/* A lane, offset or mask operand, as u32; what: its name in messages. */
struct qd_val build_lane_operand(struct qd_builder *b, struct qd_val v, const char *what);
/* v != 0, as bool: what a condition is. */
struct qd_val build_truth(struct qd_builder *b, struct qd_val v);
/* The text's place in the kernel's table; false without memory. */
bool build_text(struct qd_builder *b, const char *text, uint32_t *x);
/* A list of k values, by their types. */
struct qd_val build_list(struct qd_builder *b, const struct qd_val *v, uint32_t k);
/* A template argument as an operand: a constant in lo..hi, a template's value, or a
 * value that qd_template_arg named. */
struct qd_val build_tmpl_operand(struct qd_builder *b, uint32_t token, int32_t lo, int32_t hi,
				 enum diag range);
/* The call of an operation by its row: operands checked and converted as its
 * signature says, token where it has a K (QD_FULL: missing) or N. */
struct qd_val build_op(struct qd_builder *b, const char *name, enum op op, const struct qd_val *arg,
		       uint32_t token);
/* The same of one that has n results. */
void build_several(struct qd_builder *b, const char *name, enum op op, const struct qd_val *arg,
		   uint32_t token, struct qd_val *out, uint32_t n);
/* What was said of n_active, once: operation op is of so many threads; 0: of all. */
uint32_t build_take_active(struct qd_builder *b, enum op op);
/* False after an error: what has no name, or one that is too long. */
bool build_name(struct qd_builder *b, const char *name);
/* An atomic on element `index` with what its signature has behind that; a fence.  Scope
 * and order are checked. */
struct qd_val build_atomic(struct qd_builder *b, const char *name, enum op op, struct qd_array a,
			   struct qd_val index, const struct qd_val *operand, qd_mem_scope scope,
			   qd_mem_order order);
void build_fence(struct qd_builder *b, const char *name, enum op op, qd_mem_scope scope,
		 qd_mem_order order);
/* The type of its one result, where its leading operand has type lead. */
qd_type build_result(enum op op, qd_type lead);
/* The call of an operation on k values that an operator combines; out may be them.
 * identity: of an exclusive scan. */
void build_operator(struct qd_builder *b, const char *name, enum op op, const struct qd_val *from,
		    const struct qd_val *identity, struct qd_val *out, uint32_t k, uint32_t token,
		    qd_operator_fn *combine, void *user);
/* Ranks of k keys by a digit; token: radix_bits, bit_start, num_bits. */
void build_rank(struct qd_builder *b, const char *name, const struct qd_val *key, struct qd_val *out,
		uint32_t k, const uint32_t token[3], struct qd_array bins,
		struct qd_array excl_prefix);

#endif
