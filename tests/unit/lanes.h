/* A small machine for tests of passes: a block of threads in lockstep, one
 * operation at a time, structured control flow by masks.
 *
 * It runs a body as it is meant (specialised), from what op.def and the law of
 * reductions say; or a legal body as a merciless target would: what an operand
 * that was not made safe would do there is a fault. */
#ifndef LANES_H
#define LANES_H

#include "pass.h"

struct lanes {
	const struct qd_kernel *k;
	const struct machine *m;
	bool legal;
	uint32_t block_idx, n_blocks;
	uint64_t *buf[MAX_PARAM]; /* storage bits of each element */
	uint32_t len[MAX_PARAM];
	uint64_t scalar[MAX_PARAM];
	char fault[160]; /* the first; empty if there is none */
	/* While it runs. */
	const struct ir *ir;
	uint32_t n_threads;
	uint64_t *v; /* of instruction i in thread t: [i * n_threads + t] */
	uint32_t rounds;
};

enum { LANES_MAX = 512 };

bool lanes_run(struct lanes *x, const struct ir *ir);
/* Is the body of operations that m says it has, in the form it asks for?  What
 * is wrong with it, else NULL. */
const char *lanes_illegal(const struct machine *m, const struct ir *ir);

#endif
