/* A small machine for tests of passes: a block of threads in lockstep, one
 * operation at a time, structured control flow by masks.
 *
 * It runs a body as it is meant (specialized), from what op.def and the law of
 * reductions say; or a legal body as a merciless target would: what an operand
 * that was not made safe would do there is a fault, and so is a promise that is
 * not kept (one value in all lanes, threads that come together). */
#ifndef LANES_H
#define LANES_H

#include "pass.h"

enum { LANES_MAX = 512 };

struct lanes {
	const struct qd_kernel *k;
	const struct machine *m;
	const struct memory *mems; /* the body's; NULL: the kernel's */
	uint32_t n_mems;
	bool legal;
	uint32_t block_idx, n_blocks;
	uint64_t *buf[MAX_PARAM]; /* storage bits of each element */
	uint32_t len[MAX_PARAM];
	uint64_t scalar[MAX_PARAM];
	char fault[160]; /* the first; empty if there is none */
	/* While it runs. */
	const struct ir *ir;
	uint32_t n_threads;
	uint64_t *v;	  /* of instruction i in thread t: [i * n_threads + t] */
	uint64_t *shared; /* the shared arrays, one after the other */
	bool here[LANES_MAX];	  /* present */
	uint32_t away[LANES_MAX]; /* on the way out of this construct; 0: at work */
	uint32_t rounds, n_picked;
};

bool lanes_run(struct lanes *x, const struct ir *ir);

/* lanes_form.c: is the body of operations that m says it has, in the form it asks
 * for?  What is wrong with it, else NULL.  whole: after the passes behind legalize
 * too. */
const char *lanes_illegal(const struct machine *m, const struct ir *ir, const struct memory *mems,
			  bool whole);

#endif
