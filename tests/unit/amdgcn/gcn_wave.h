/* A wave as the AMD generator means it: lanes under masks that the actions of exec.c move,
 * and, where a plan is followed, registers that its ends free. */
#ifndef UNIT_GCN_WAVE_H
#define UNIT_GCN_WAVE_H

#include "gcn_body.h"

/* The functions under test, or the same with a rule left out. */
struct gcn_ruleset {
	void (*plan)(struct gen *g);
	bool (*exec_init)(struct gen *g);
	void (*exec_at)(struct gen *g, uint32_t i);
};

extern const struct gcn_ruleset gcn_ruleset, gcn_ruleset_without; /* the second heeds gcn_fault */

enum gcn_fault {
	FAULT_NONE,
	FAULT_LATEST,
	FAULT_LOOP_END,
	FAULT_JUMP,
	FAULT_LINK,
	FAULT_TOUCHED,
	FAULT_COPY,
	FAULT_SINGLE,
	FAULT_LANES,
	FAULT_MERGE,
	FAULT_TAKE,
	FAULT_XOR,
	FAULT_STRAIGHT,
	FAULT_LOOP_SKIP,
	FAULT_RESTORE
};
extern enum gcn_fault gcn_fault;

/* How the body is run. */
struct gcn_way {
	bool by_plan;	/* else each value has a register of its own, and no GET is an alias */
	bool any_skips; /* which arms are branched over is drawn by lot */
	uint32_t lanes;
};

/* Does each lane store what it stores alone?  Else why not, in `why`. */
bool gcn_wave_agrees(struct gcn_rig *r, const struct gcn_ruleset *rules, const struct gcn_way *way,
		     uint64_t seed, char why[128]);

/* So many usual bodies agree; QD_TEST_ITERATIONS says another number. */
void gcn_wave_all_agree(struct unit_ctx *t, const struct gcn_way *way, uint32_t usual);
/* With each rule left out in its turn some body does not. */
struct gcn_left_out {
	const char *name;
	enum gcn_fault fault;
};
void gcn_wave_without(struct unit_ctx *t, const struct gcn_way *way, const struct gcn_left_out *rows,
		      uint32_t n);

/* What the runs so far have met, so that no test is of nothing. */
struct gcn_met {
	uint64_t bodies, fused, copies, into, refused, aliases, repeated, straight, apart, taken,
		skips, loop_skips, tails;
};
extern struct gcn_met gcn_met;

#endif
