/* Hazards: pairs of instructions that the hardware runs wrongly without
 * something between them.  The rules are the table hazard.def; what is here
 * finds them in linked code, along every path backwards. */
#ifndef AMDGCN_HAZARD_H
#define AMDGCN_HAZARD_H

#include "effect.h"
#include "flow.h"

/* Room of the caller's: per line, and GCN_HAZARD_MARKS per block. */
struct gcn_hazard_line {
	struct gcn_effect effect;
	uint32_t traits;
	uint32_t chain; /* what completes rule number chain_rule before this line */
	uint16_t chain_rule;
	uint8_t states;  /* wait states that it takes */
	uint8_t passes;  /* of a matrix instruction: which of the four numbers of a step */
	uint16_t opcode; /* row and form: the same instruction has the same */
	uint64_t events; /* the first 64 of hazard.def that the line is */
};
enum { GCN_RULE_STEPS = 3, GCN_HAZARD_MARKS = 2 * GCN_RULE_STEPS };
struct gcn_hazard_mark {
	uint32_t stamp, next, first;
	uint16_t count;
	bool queued;
};

struct gcn_hazard {
	const char *rule;    /* its name in hazard.def */
	const char *what;    /* what happens, in words */
	const char *fix;     /* the instruction that resolves it */
	uint32_t earlier, later; /* lines; the same where one alone is wrong */
	uint32_t middle;     /* between them, of rules that need three; or GCN_NOWHERE */
	uint16_t missing;    /* wait states; 0 when only `fix` helps */
};

/* Calls `found` for each hazard, in the order of the later instructions, one for
 * each rule and later instruction: the worst.  `line` has room for f->n_line,
 * `mark` for GCN_HAZARD_MARKS * f->n_block.  features_off: bits of enum
 * gcn_feature that the code will not run with, 0 where it may.  Code that no entry
 * reaches is not looked at.  Returns how many. */
size_t gcn_hazards(const struct cfg *f, struct gcn_hazard_line *line,
		   struct gcn_hazard_mark *mark, uint32_t features_off,
		   void (*found)(void *user, const struct gcn_hazard *h), void *user);

/* Names of the rules that hold for a target; NULL after the last. */
const char *gcn_hazard_rule(const struct gcn_target *t, size_t i);

#endif
