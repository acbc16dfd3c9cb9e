/* Hazards: pairs of instructions that the hardware runs wrongly without
 * something between them.  The rules are the table hazard.def; what is here
 * finds them in linked code, along every path backwards. */
#ifndef AMDGCN_HAZARD_H
#define AMDGCN_HAZARD_H

#include "effect.h"
#include "flow.h"

/* Per line, per block and step of a rule: room of the caller's. */
struct gcn_hazard_line {
	struct gcn_effect effect;
	uint32_t traits;
	uint64_t events; /* the first 64 of hazard.def that the line is */
};
enum { GCN_RULE_STEPS = 3 };
struct gcn_hazard_mark {
	uint32_t stamp, next, at, first;
	uint16_t count;
	uint8_t trans;
	bool queued;
	uint32_t dead;
};

struct gcn_hazard {
	const char *rule;    /* its name in hazard.def */
	const char *what;    /* what happens, in words */
	const char *fix;     /* the instruction that resolves it */
	uint32_t earlier, later; /* lines */
	uint32_t middle;     /* between them, of rules that need three; or GCN_NOWHERE */
	uint16_t missing;    /* wait states; 0 when only `fix` helps */
};

/* Calls `found` for each hazard, in the order of the later instructions, one for
 * each rule and later instruction: the worst.  `line` has room for f->n_line,
 * `mark` for GCN_RULE_STEPS * f->n_block.  Code that no entry reaches is not
 * looked at.  Returns how many. */
size_t gcn_hazards(const struct gcn_flow *f, struct gcn_hazard_line *line,
		   struct gcn_hazard_mark *mark,
		   void (*found)(void *user, const struct gcn_hazard *h), void *user);

/* Names of the rules that hold for a target; NULL after the last. */
const char *gcn_hazard_rule(const struct gcn_target *t, size_t i);

#endif
