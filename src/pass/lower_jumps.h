/* What lower_jumps.c must know before it writes: lower_jumps_find.c finds it. */
#ifndef QD_PASS_EXITS_H
#define QD_PASS_EXITS_H

#include "rewrite.h"

/* How a construct is left. */
enum exit_form {
	EXIT_NONE, /* by falling off its end */
	EXIT_HEAD, /* a loop, by one test at its head */
	EXIT_TAIL, /* a block, by conditions around its rest */
	EXIT_FLAG  /* by way of the variable */
};

struct exits {
	struct pass_ctx *p;
	const struct ir *in;
	bool limited;	/* loops may be ended from outside: all are flagged */
	uint32_t depth; /* of constructs */
	/* By construct. */
	uint8_t *form;
	uint8_t *crossed;      /* something inside leaves it for further out */
	uint8_t *rest_in_else; /* of an if: its arm ends in a jump, the rest is the other */
	uint32_t *number;      /* of a flagged one, from 1 */
	/* By jump: what it leaves, the innermost construct that comes to the same. */
	uint32_t *target;
	uint32_t n_flagged;
	/* Segments, from 1; NULL where nothing is flagged. */
	uint32_t *segment; /* by instruction: the innermost it stands in */
	uint32_t *parent;  /* by segment: the one around it */
	uint8_t *is_open;  /* by segment, while writing */
	uint8_t *begins;   /* by instruction: a segment begins with it */
	uint8_t *spill;	   /* by value: it is used outside its segment */
	uint32_t n_spilled;
};

/* Has it a block, or a loop that is not left by a test at its head alone? */
bool exits_asked(const struct ir *in);
qd_status exits_find(struct exits *e);

#endif
