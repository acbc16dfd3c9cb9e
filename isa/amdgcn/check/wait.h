/* Wait counters: what a wait instruction waits for, what is outstanding where,
 * and results that are used before anything has waited for them.  A counter is
 * named by the first event (effect.h) that counts in it. */
#ifndef AMDGCN_WAIT_H
#define AMDGCN_WAIT_H

#include "effect.h"
#include "flow.h"

/* The counter of an event, its name and its largest value. */
struct gcn_counter {
	uint8_t of;
	uint8_t max;
	const char *name;
};
const struct gcn_counter *gcn_counter_of(const struct gcn_target *t, unsigned event);

enum { GCN_NO_WAIT = 255 };
/* Limits per counter, GCN_NO_WAIT where the instruction does not wait; false
 * when it waits for no counter at all. */
bool gcn_wait_limits(const struct gcn_target *t, const struct gcn_insn *in,
		     uint8_t limit[GCN_N_EVENT]);

enum gcn_wait_kind {
	WAIT_COVERS,      /* the wait in `line` makes `other` complete */
	WAIT_OUTSTANDING, /* `line` counts: n are outstanding in the counter then, at most */
	WAIT_MISSING      /* `line` uses the range while `other` may not have written it */
};
struct gcn_wait_note {
	uint8_t kind, counter;
	uint16_t n;
	uint32_t line, other;
	struct gcn_range range; /* of WAIT_MISSING */
};

/* Memory instructions that may be outstanding at one place, each with the least
 * number of younger ones on any path. */
enum { GCN_MAX_PENDING = 128 };
struct gcn_pending {
	uint32_t line;
	uint8_t counter, younger;
	struct gcn_range dst; /* that it will write; n 0: none */
};
struct gcn_wait_state {
	uint16_t n;
	bool seen, queued;
	bool full; /* more were outstanding than there is room for; some are forgotten */
	uint8_t count[GCN_N_EVENT];
	struct gcn_pending p[GCN_MAX_PENDING];
};

/* Notes in the order of the lines.  `state` has room for f->n_block + 1.  What no
 * entry reaches is left out; a call is taken to return with nothing loading. */
void gcn_waits(const struct cfg *f, struct gcn_wait_state *state,
	       void (*note)(void *user, const struct gcn_wait_note *n), void *user);

#endif
