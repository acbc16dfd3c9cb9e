/* State of the verification of a body, shared by verify.c and verify_operand.c. */
#ifndef QD_VERIFY_H
#define QD_VERIFY_H

#include "diag.h"

/* VALUE: an operand that is not a variable, list or place. KNOWN: allowed as a log2_size. */
enum { VISIBLE = 1, KNOWN = 2, VALUE = 4 };

struct verify {
	const struct qd_kernel *k;
	struct ir *ir;
	struct ins *ins;
	const struct memory *mems;
	uint32_t n_mems;
	enum stage stage;
	struct qd_error *err;
	uint32_t *arm;	/* by instruction: the block of code that contains it */
	uint8_t *state; /* by value: VALUE, KNOWN; by arm: VISIBLE while it is open */
	uint32_t at;		   /* the innermost arm: a construct or an else, or 0 */
	uint32_t since;		   /* instructions after this one are visible */
	uint32_t region, n_yields; /* the open region */
	uint32_t n_open, open[2 * MAX_NEST]; /* open constructs */
};

#define FAIL(v, i, ...) diag_ins((v)->k, (v)->ir, i, (v)->err, NULL, __VA_ARGS__)

/* Returns whether id precedes i in an open block; in an operator, only its own are visible. */
static inline bool
in_sight(const struct verify *v, uint32_t i, uint32_t id)
{
	if (QD_LIKELY(id > v->since))
		return id < i;
	return id && id < i && id > v->region && (v->state[v->arm[id]] & VISIBLE);
}

/* Returns false for a variable, a list and a place, which have a type but are not values. */
static inline bool
gives_value(enum op op)
{
	return op != OP_VAR && op != OP_PACK && op != OP_PLACE;
}

/* Returns the type of value operand id of instruction i, or NONE if it is not a value. */
static inline qd_type
value(const struct verify *v, uint32_t i, uint32_t id)
{
	const struct ins *s = &v->ins[id];

	if (!in_sight(v, i, id) || !gives_value((enum op)s->op))
		return QD_TYPE_NONE;
	return (qd_type)s->type;
}

/* Checks operands and result of instruction i against the operation's row (verify_operand.c). */
qd_status verify_types(struct verify *v, uint32_t i);

#endif
