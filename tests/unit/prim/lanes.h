/* Lockstep machine for tests of passes. It runs a block of threads, one operation at a time, with
 * structured control flow by masks.
 *
 * It runs a specialized body by the definitions of op.def and the canonical order of reductions. It
 * can also run a legal body as the strictest target would. An operand for which an instruction is
 * undefined is then a fault. A broken guarantee is a fault too, such as a value that is not uniform
 * or a subgroup that is not converged. */
#ifndef LANES_H
#define LANES_H

#include "pass.h"

enum { LANES_MAX = 512 };

struct lanes {
	const struct qd_kernel *k;
	const struct machine *m;
	const struct memory *mems; /* of the body; NULL: those of the kernel */
	uint32_t n_mems;
	bool legal;
	bool padded; /* padding threads execute the body, as they do if it is legal */
	/* Executes an instruction that is not control flow; NULL: lanes_step. */
	void (*step)(struct lanes *x, uint32_t i, const bool *act);
	uint32_t block_idx, n_blocks;
	uint64_t *buf[MAX_PARAM]; /* storage bits of each element */
	uint32_t len[MAX_PARAM];
	uint64_t scalar[MAX_PARAM];
	char fault[160]; /* first fault, or empty */
	/* State of a run. */
	const struct ir *ir;
	uint32_t n_threads;
	uint64_t *v;	  /* value of instruction i in thread t: [i * n_threads + t] */
	uint64_t *shared; /* the shared arrays, concatenated */
	bool here[LANES_MAX];	  /* false for padding threads */
	uint32_t away[LANES_MAX]; /* construct that the thread is leaving, or 0 */
	uint32_t rounds, n_picked;
};

bool lanes_run(struct lanes *x, const struct ir *ir);
void lanes_step(struct lanes *x, uint32_t i, const bool *act);
/* Returns the values of instruction i by thread. */
uint64_t *lanes_at(const struct lanes *x, uint32_t i);

/* Returns the first operation of the body that m does not have or that has a wrong form, or NULL
 * (lanes_form.c). With whole, the passes after legalize have run too. */
const char *lanes_illegal(const struct machine *m, const struct ir *ir, const struct memory *mems,
			  bool whole);

#endif
