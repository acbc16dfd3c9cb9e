/* The inside of a builder, and what the parser needs beyond the public calls:
 * positions, and errors of its own. */
#ifndef QD_IR_BUILD_H
#define QD_IR_BUILD_H

#include "diag.h"

enum { MAX_INS = 1 << 22 };
#define TOKEN_TEMPLATE 0x80000000u
#define TOKEN_VALUE    0x40000000u /* and a value's id: from texts only */

struct qd_builder {
	struct qd_context *ctx;
	struct qd_kernel *k; /* being filled; its arena is the builder's */
	uint32_t call;	     /* number of the current call, from 1 */
	const char *name;    /* and its name */
	const char **calls;  /* names so far, in the arena */
	uint32_t cap_calls;
	uint32_t pos;	     /* of what is appended */
	uint32_t arg_pos;    /* of the next call's template argument; 0: pos */
	bool positioned;     /* pos is set by build_at, else it is the call number */
	qd_status failed;    /* sticky */
	struct qd_error err; /* the first error */
	uint32_t open[MAX_NEST];
	uint32_t n_open;
	uint32_t region;     /* being built, or 0 */
	uint32_t scratch_cap;
};

/* Following calls stand at pos = POS(line, col) of this text (copied). */
void build_set_source(struct qd_builder *b, const char *file, const char *text, size_t len);
void build_at(struct qd_builder *b, uint32_t pos);
/* The template argument (log2_size, n) of the next call stands there. */
void build_arg_at(struct qd_builder *b, uint32_t pos);
/* A template argument that is computed, from constants of target and templates. */
static inline uint32_t
build_tile_value(struct qd_val v)
{
	return TOKEN_VALUE | v.id;
}

static inline bool
build_failed(const struct qd_builder *b)
{
	return b->failed != QD_OK;
}
/* NONE for what is no value. */
static inline qd_type
build_type(const struct qd_builder *b, struct qd_val v)
{
	return v.id && v.id < b->k->ir.n && b->k->ir.ins[v.id].op != OP_VAR
		       ? b->k->ir.ins[v.id].type
		       : QD_TYPE_NONE;
}
/* The value's bits, where it is a constant. */
bool build_is_const(const struct qd_builder *b, struct qd_val v, uint64_t *bits);
/* The storage type of an array's elements. */
qd_type build_element(const struct qd_builder *b, struct qd_array a);

/* Fails as a call at the current position would. */
QD_COLD void build_fail(struct qd_builder *b, const struct diag_note *note, enum diag d, ...);

/* Verified and sealed; uniformity is not checked yet.  qd_builder_finish
 * (pass/finish.c) is this and that.  The builder is gone either way. */
qd_status build_finish(struct qd_builder *b, struct qd_kernel **out, struct qd_error *err);

#endif
