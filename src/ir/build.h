/* The inside of a builder, and what the parser needs beyond the public calls:
 * positions, and errors of its own. */
#ifndef QD_IR_BUILD_H
#define QD_IR_BUILD_H

#include "diag.h"

enum { MAX_INS = LIMIT_INSTRUCTIONS };
/* A template argument is a number, a template parameter, or a value. */
#define TOKEN_TEMPLATE 0x80000000u
#define TOKEN_VALUE    0x40000000u

/* A construct as its caller sees it. */
struct build_open {
	uint32_t at;   /* the instruction */
	uint32_t body; /* the block that continue leaves, of a loop of qd_loop's; else 0 */
	uint32_t var;  /* that grows by one behind the body, of qd_for's; else 0 */
};

struct qd_builder {
	struct qd_context *ctx;
	uint32_t max_ins;
	struct qd_kernel *k; /* being filled; its arena is the builder's */
	uint32_t call;	     /* number of the current call, from 1 */
	const char *name;    /* and its name */
	const char **calls;  /* names so far, in the arena */
	uint32_t cap_calls;
	struct c_place *places;
	uint32_t cap_places, cap_files;
	uint32_t pos;	     /* of what is appended */
	uint32_t arg_pos;    /* of the next call's template argument; 0: pos */
	bool positioned;     /* pos is set by build_at, else it is the call number */
	qd_status failed;    /* sticky */
	struct qd_error err; /* the first error */
	struct appender o;
	struct build_open *open;
	uint32_t n_open, cap_open;
	uint32_t cap_mems; /* of the kernel's memories, once there is a shared array */
	struct qd_val active; /* of the block's next operation that takes it; no value: all */
	bool shape_used; /* block[] stands in the body: qd_block comes too late */
};

/* Following calls stand at pos = POS(line, col) of this text.  Takes a reference. */
void build_set_source(struct qd_builder *b, struct source *source);
void build_at(struct qd_builder *b, uint32_t pos);
/* The template argument (log2_size, n) of the next call stands there. */
void build_arg_at(struct qd_builder *b, uint32_t pos);

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
/* Is that the name of a parameter or shared array already? */
bool build_is_memory_name(const struct qd_builder *b, const char *name);

/* The parser's own constructs: a loop without a body of its own, and the jump out of
 * any construct that is still open, where c holds (id 0: always). */
uint32_t build_loop(struct qd_builder *b);
uint32_t build_block(struct qd_builder *b);
void build_break(struct qd_builder *b, uint32_t construct, struct qd_val c);

/* Fails as a call at the current position would. */
QD_COLD void build_fail(struct qd_builder *b, const struct diag_note *note, enum diag d, ...);

/* Verified and sealed; uniformity is not checked yet.  qd_builder_finish
 * (pass/finish.c) is this and that.  The builder is gone either way. */
qd_status build_finish(struct qd_builder *b, struct qd_kernel **out, struct qd_error *err);

#endif
