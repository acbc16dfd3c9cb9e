/* Random legal bodies and a reference interpreter of one lane. Shared by the tests of the AMD
 * generator's plan and exec masks. */
#ifndef UNIT_GCN_BODY_H
#define UNIT_GCN_BODY_H

#include "t_pass.h"

#include "gen.h"

enum { BODY_MAX = 400 /* instructions */, BODY_LANES = 8 };

/* Fixture whose kernel lends its parameters to all bodies. */
struct gcn_rig {
	struct fx f;
	uint32_t src, dst, scalar; /* parameters */
	struct gen_target target;
	struct body body; /* the current body, allocated in f.mem */
	struct isa_in in;
};

bool gcn_rig_open(struct gcn_rig *r, struct unit_ctx *t);
void gcn_rig_close(struct gcn_rig *r);
/* Generates the body of a seed in place of the previous one. Returns false, after a failed check,
 * if it is illegal. */
bool gcn_rig_make(struct gcn_rig *r, uint64_t seed);
/* Takes a given body: instructions from number 1 on, without links between partners. */
bool gcn_rig_take(struct gcn_rig *r, const struct ins *ins, uint32_t n);
/* Prints the body and its seed, for debugging. */
void gcn_rig_print(const struct gcn_rig *r, uint64_t seed);

/* gcn_make.c: appends a random body. */
void gcn_body_write(struct gcn_rig *r, struct appender *a, uint64_t seed);

/* Digest of the stores of a lane, in order. */
struct gcn_trace {
	uint64_t hash;
	uint32_t n;
};
void gcn_trace_add(struct gcn_trace *t, uint32_t i, uint64_t at, uint64_t value);

/* Returns the result of instruction i in a lane that has executed `jumps` jumps. A result that
 * depends on other lanes depends on `jumps`, because jumps determine which lanes are active. */
uint64_t gcn_body_eval(const struct ir *ir, uint32_t i, const uint64_t arg[3], uint32_t lane,
		       uint32_t jumps);
/* Interprets the body for one lane, with one value for each instruction. */
struct gcn_trace gcn_body_run(const struct ir *ir, uint32_t lane);

/* Returns the number of bodies to test: QD_TEST_ITERATIONS, or `usual` if it is not set. */
uint32_t gcn_body_count(uint32_t usual);

#endif
