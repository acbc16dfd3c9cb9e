/* Hazards: pairs of instructions that the hardware executes incorrectly without something
 * between them. hazard.def contains the rules. This module finds their violations in
 * linked code, backward along every path. */
#ifndef AMDGCN_HAZARD_H
#define AMDGCN_HAZARD_H

#include "effect.h"
#include "flow.h"

/* Memory of the caller: one gcn_hazard_line for each line, one gcn_hazard_block for each
 * block. */
struct gcn_hazard_line {
	struct gcn_effect effect;
	uint32_t traits;
	uint32_t chain; /* line that completes rule number chain_rule before this line */
	uint16_t chain_rule;
	uint8_t states;  /* wait states that it takes */
	uint8_t passes;  /* of a matrix instruction: index into the four numbers of a step */
	uint16_t opcode; /* row and form; equal for the same instruction */
	uint64_t events; /* bit mask of the line's events, the first 64 of hazard.def */
};
enum { GCN_RULE_STEPS = 3, GCN_HAZARD_MARKS = 2 * GCN_RULE_STEPS };
struct gcn_hazard_mark {
	uint32_t stamp, next, first;
	uint16_t count;
	bool queued;
};
/* gfx12: state of scalar registers, over all paths that lead somewhere; see pair.c. */
struct gcn_pairs {
	uint64_t read;		   /* pairs that VALU has read */
	uint64_t salu[2], valu[2]; /* registers of these, written later by SALU or VALU */
};
struct gcn_hazard_block {
	struct gcn_hazard_mark mark[GCN_HAZARD_MARKS];
	struct gcn_pairs pairs; /* at its beginning */
	uint32_t next;
	bool queued;
};

struct gcn_hazard {
	const char *rule;    /* its name in hazard.def */
	const char *what;    /* description of the effect */
	const char *fix;     /* the instruction that resolves it */
	uint32_t earlier, later; /* lines; equal if a single instruction is wrong */
	uint32_t middle;     /* the line between them, for rules with three instructions; or GCN_NOWHERE */
	uint16_t missing;    /* missing wait states; 0 if only `fix` helps */
};

/* Calls `found` once for each rule and later instruction with a hazard, with the worst
 * one, in the order of the later instructions. `line` has room for f->n_line, `block` for
 * f->n_block. features_off is a bit mask of enum gcn_feature that the
 * code will not run with. Unreached code is not checked. Returns the number of calls. */
size_t gcn_hazards(const struct cfg *f, struct gcn_hazard_line *line,
		   struct gcn_hazard_block *block, uint32_t features_off,
		   void (*found)(void *user, const struct gcn_hazard *h), void *user);

/* Returns the name of the i-th rule that applies to the target, or NULL after the last. */
const char *gcn_hazard_rule(const struct gcn_target *t, size_t i);

#endif
