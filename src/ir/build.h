/* Internals of a builder, and the interface for the parser: positions, and errors of its own. */
#ifndef QD_IR_BUILD_H
#define QD_IR_BUILD_H

#include "diag.h"

enum { MAX_INS = LIMIT_INSTRUCTIONS };
/* A template argument is a number, a template parameter, or a value. */
#define TOKEN_TEMPLATE 0x80000000u
#define TOKEN_VALUE    0x40000000u

/* An open construct, as the caller sees it. */
struct build_open {
	uint32_t at;   /* the instruction */
	uint32_t body; /* of qd_loop: the block that continue leaves; else 0 */
	uint32_t var;  /* of qd_for: the variable incremented after the body; else 0 */
};

struct qd_builder {
	struct qd_context *ctx;
	uint32_t max_ins;
	struct qd_kernel *k; /* under construction; its arena is the builder's */
	uint32_t call;	     /* number of the current call, from 1 */
	const char *name;    /* its name */
	const char **calls;  /* names so far, in the arena */
	uint32_t cap_calls;
	struct c_place *places;
	uint32_t cap_places, cap_files;
	uint32_t pos;	     /* of appended instructions */
	uint32_t arg_pos;    /* of the next call's template argument; 0: pos */
	bool positioned;     /* pos is set by build_at, else it is the call number */
	qd_status failed;    /* sticky */
	struct qd_error err; /* the first error */
	struct appender o;
	struct build_open *open;
	uint32_t n_open, cap_open;
	uint32_t cap_mems; /* of the kernel's memories, once there is a shared array */
	struct qd_val active; /* for the next block operation that takes a count of active threads;
			       * no value: all */
	bool shape_used; /* the body uses block[]: it is too late for qd_block */
};

/* Makes `source` the text of the calls that follow; build_at sets their position, POS(line, col).
 * Takes a reference. */
void build_set_source(struct qd_builder *b, struct source *source);
void build_at(struct qd_builder *b, uint32_t pos);
/* Sets the position of the next call's template argument (log2_size, n). */
void build_arg_at(struct qd_builder *b, uint32_t pos);

static inline bool
build_failed(const struct qd_builder *b)
{
	return b->failed != QD_OK;
}
/* Returns the type of v, or NONE if it is not a value. */
static inline qd_type
build_type(const struct qd_builder *b, struct qd_val v)
{
	return v.id && v.id < b->k->ir.n && b->k->ir.ins[v.id].op != OP_VAR
		       ? b->k->ir.ins[v.id].type
		       : QD_TYPE_NONE;
}
/* Stores the value's bits if it is a constant. */
bool build_is_const(const struct qd_builder *b, struct qd_val v, uint64_t *bits);
/* Returns whether a parameter or shared array has that name. */
bool build_is_memory_name(const struct qd_builder *b, const char *name);

/* Constructs for the parser: a loop without a block for continue, and a jump out of any open
 * construct if c is true (id 0: always). */
uint32_t build_loop(struct qd_builder *b);
uint32_t build_block(struct qd_builder *b);
void build_break(struct qd_builder *b, uint32_t construct, struct qd_val c);

/* Reports an error at the current position. */
QD_COLD void build_fail(struct qd_builder *b, const struct diag_note *note, enum diag d, ...);

/* Verifies and seals the kernel without the uniformity check, which qd_builder_finish
 * (pass/finish.c) adds. Frees the builder in either case. */
qd_status build_finish(struct qd_builder *b, struct qd_kernel **out, struct qd_error *err);

#endif
