/* Locations of the values of a body: registers allocated by a plan, or one register for each
 * value. */
#ifndef UNIT_GCN_REGS_H
#define UNIT_GCN_REGS_H

#include "gcn_wave.h"

enum where { IN_NONE, IN_S, IN_V, IN_MASK, IN_CONST, IN_USER, N_FILE = IN_CONST };

struct loc {
	uint8_t in; /* IN_USER: fused into its user */
	bool owns;
	uint32_t reg; /* for IN_CONST: the constant */
};

struct gcn_regs {
	const struct gcn_rig *r;
	const struct ins *ins;
	const struct gen_plan *plan;
	bool by_plan;
	struct unit_rng *rng;
	struct loc loc[BODY_MAX];
	/* Values that die at an instruction: linked lists of value numbers. */
	uint32_t dies[BODY_MAX], next[BODY_MAX];
	bool used[N_FILE][BODY_MAX];
	bool early[BODY_MAX]; /* the result is written before all operands are read */
};

/* Allocates registers. *w must be zeroed. */
void gcn_regs_assign(struct gcn_regs *w, const struct gcn_rig *r, const struct gen_plan *plan,
		     bool by_plan, struct unit_rng *rng);
/* Returns true if i shares the register of its operand. */
bool gcn_is_alias(const struct gcn_regs *w, uint32_t i);
/* Returns true if the instruction has a result to store. */
static inline bool
gcn_has_value(const struct ins *s)
{
	return s->type != QD_TYPE_NONE && s->op != OP_CONST;
}

#endif
