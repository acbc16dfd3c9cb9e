/* Wait counters and the limits of wait instructions. The first event (effect.h) that a
 * counter counts identifies it. */
#ifndef AMDGCN_COUNTER_H
#define AMDGCN_COUNTER_H

#include "effect.h"

/* The counter of an event, its name and its largest value. */
struct gcn_counter {
	uint8_t of;
	uint8_t max;
	const char *name;
};
const struct gcn_counter *gcn_counter_of(const struct gcn_target *t, unsigned event);

enum { GCN_NO_WAIT = 255 };
/* Sets the limit of each counter, GCN_NO_WAIT if the instruction does not wait for it.
 * Returns false if it waits for no counter. */
bool gcn_wait_limits(const struct gcn_target *t, const struct gcn_insn *in,
		     uint8_t limit[GCN_N_EVENT]);

#endif
