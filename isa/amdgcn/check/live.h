/* Live registers: the number of registers whose value some path still reads. Vector
 * registers are counted for one lane. The reads of callers and callees are unknown: calls
 * and returns read their operands only, and the end of the program reads nothing. */
#ifndef AMDGCN_LIVE_H
#define AMDGCN_LIVE_H

#include "effect.h"
#include "flow.h"

struct gcn_live_set {
	uint64_t v[4], a[4], s[2]; /* one bit for each register of a file */
};
struct gcn_live {
	/* Live into the line or written by it. vcc counts as two SGPRs, or one in waves
	 * of 32 lanes. exec, m0 and trap handler registers do not count. */
	uint16_t vgprs, agprs, sgprs;
};

/* Fills `live`, which has room for f->n_line. `set` has room for f->n_block + 1.
 * Unreached lines get 0. */
void gcn_live(const struct cfg *f, struct gcn_live_set *set, struct gcn_live *live);

#endif
