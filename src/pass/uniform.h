/* The analysis behind pass_uniform, pass_levels and pass_check_kernel. */
#ifndef QD_PASS_UNIFORM_H
#define QD_PASS_UNIFORM_H

#include "pass.h"

struct uniform {
	const struct qd_kernel *k;
	const struct ir *ir;
	struct arena *mem;
	struct qd_error *err;
	uint32_t log2_size; /* LOG2_FULL: no target yet, every tile counts as a subgroup */
	bool one_subgroup;  /* the block is one: what is uniform in it is in the block too */
	bool check;	    /* report violations */
	uint8_t *level;	    /* result: one per instruction; of a loop, its own control level */
};

qd_status uniform_run(struct uniform *u);

#endif
