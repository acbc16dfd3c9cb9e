/* Random legal bodies, and what a single lane makes of one: what the tests of the AMD
 * generator's plan and exec masks share. */
#ifndef UNIT_GCN_BODY_H
#define UNIT_GCN_BODY_H

#include "t_pass.h"

#include "gen.h"

enum { BODY_MAX = 400 /* instructions */, BODY_LANES = 8 };

/* One kernel lends its parameters to all bodies. */
struct gcn_rig {
	struct fx f;
	uint32_t src, dst, scalar; /* parameters */
	struct gen_target target;
	struct body body; /* the current one, of f.mem, with instructions, levels, uses */
	struct isa_in in;
};

bool gcn_rig_open(struct gcn_rig *r, struct unit_ctx *t);
void gcn_rig_close(struct gcn_rig *r);
/* Another body; forgets the last.  false, with a failed check, where it is not legal. */
bool gcn_rig_make(struct gcn_rig *r, uint64_t seed);
/* The same of a body that is written down: instructions from 0 on, partners left out. */
bool gcn_rig_take(struct gcn_rig *r, const struct ins *ins, uint32_t n);
/* Printed, with its seed, for who has to look at it. */
void gcn_rig_print(const struct gcn_rig *r, uint64_t seed);

/* gcn_make.c: appends a random one. */
void gcn_body_write(struct gcn_rig *r, struct appender *a, uint64_t seed);

/* What a lane stored, in order. */
struct gcn_trace {
	uint64_t hash;
	uint32_t n;
};
void gcn_trace_add(struct gcn_trace *t, uint32_t i, uint64_t at, uint64_t value);

/* What instruction i computes of its operands in a lane that has met so many jumps.  Other
 * lanes' values stand for the jumps met: who is there decides them. */
uint64_t gcn_body_eval(const struct ir *ir, uint32_t i, const uint64_t arg[3], uint32_t lane,
		       uint32_t jumps);
/* Values by number, one lane after the other. */
struct gcn_trace gcn_body_run(const struct ir *ir, uint32_t lane);

/* How many bodies a test makes: QD_TEST_ITERATIONS, else so many. */
uint32_t gcn_body_count(uint32_t usual);

#endif
