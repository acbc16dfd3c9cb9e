/* Analysis results of lower_jumps_find.c, for lower_jumps.c. */
#ifndef QD_PASS_EXITS_H
#define QD_PASS_EXITS_H

#include "rewrite.h"

/* Lowering of a construct's jumps. */
enum exit_form {
	EXIT_NONE, /* control only reaches its end */
	EXIT_HEAD, /* loop: one test at its head */
	EXIT_TAIL, /* block: conditions around its rest */
	EXIT_FLAG  /* the state variable */
};

struct jumps {
	struct pass_ctx *p;
	const struct ir *in;
	bool limited;	/* the driver may end loops: all are flagged */
	uint32_t depth; /* of constructs */
	/* By construct. */
	uint8_t *form;
	uint8_t *crossed;      /* a flagged jump inside leaves it for an outer construct */
	uint8_t *rest_in_else; /* of an if: its arm ends in a jump, and the rest becomes its
				* else */
	uint32_t *number;      /* of a flagged construct, from 1 */
	/* The target by jump, replaced by the innermost construct with the same effect. */
	uint32_t *target;
	uint32_t n_flagged;
	/* Segments, numbered from 1; NULL if nothing is flagged. */
	uint32_t *segment; /* by instruction: the innermost segment that contains it */
	uint32_t *parent;  /* by segment: the one around it */
	uint8_t *is_open;  /* by segment, while writing */
	uint8_t *begins;   /* by instruction: a segment begins with it */
	uint8_t *spill;	   /* by value: it is used outside its segment */
	uint32_t n_spilled;
};

/* Returns whether the body has a block, or a loop with any exit other than a test at its head. */
bool lower_jumps_needed(const struct ir *in);
qd_status lower_jumps_find(struct jumps *e);

#endif
