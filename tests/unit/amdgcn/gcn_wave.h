/* Simulation of a wave in the AMD generator. Its lanes run under masks that the actions of exec.c
 * change. Optionally, its registers are freed as in the plan. */
#ifndef UNIT_GCN_WAVE_H
#define UNIT_GCN_WAVE_H

#include "gcn_body.h"

/* The functions under test, or copies of them with one rule disabled. */
struct gcn_ruleset {
	void (*plan)(struct gen *g);
	bool (*exec_init)(struct gen *g);
	void (*exec_at)(struct gen *g, uint32_t i);
};

extern const struct gcn_ruleset gcn_ruleset, gcn_ruleset_without; /* the second obeys gcn_fault */

enum gcn_fault {
	FAULT_NONE,
	FAULT_LATEST,
	FAULT_LOOP_END,
	FAULT_JUMP,
	FAULT_LINK,
	FAULT_TOUCHED,
	FAULT_NEXT,
	FAULT_OWNER,
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

/* Configuration of a run. */
struct gcn_way {
	bool by_plan;	/* otherwise each value has its own register, and no GET is an alias */
	bool any_skips; /* random choice of the arms that are branched over */
	uint32_t lanes;
};

/* Checks that each lane stores the same values as when it runs alone. Returns false, with the
 * reason in `why`, if not. */
bool gcn_wave_agrees(struct gcn_rig *r, const struct gcn_ruleset *rules, const struct gcn_way *way,
		     uint64_t seed, char why[128]);

/* Checks `usual` random bodies, or QD_TEST_ITERATIONS if it is set. */
void gcn_wave_all_agree(struct unit_ctx *t, const struct gcn_way *way, uint32_t usual);
/* A rule to disable. gcn_wave_without checks that for each rule some body detects it. */
struct gcn_left_out {
	const char *name;
	enum gcn_fault fault;
};
void gcn_wave_without(struct unit_ctx *t, const struct gcn_way *way, const struct gcn_left_out *rows,
		      uint32_t n);

/* Counts of the cases that the runs have covered. Tests check that none is 0. */
struct gcn_met {
	uint64_t bodies, fused, copies, into, refused, aliases, repeated, straight, apart, taken,
		skips, loop_skips, tails;
};
extern struct gcn_met gcn_met;

#endif
