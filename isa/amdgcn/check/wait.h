/* Waits: the instructions outstanding at each line, and results that are used before a
 * wait. */
#ifndef AMDGCN_WAIT_H
#define AMDGCN_WAIT_H

#include "counter.h"
#include "flow.h"

enum gcn_wait_kind {
	WAIT_COVERS,      /* the wait in `line` makes `other` complete */
	WAIT_OUTSTANDING, /* `line` increments the counter, to n at most */
	WAIT_MISSING      /* `line` uses the range while `other` may not have written it */
};
struct gcn_wait_note {
	uint8_t kind, counter;
	uint16_t n;
	uint32_t line, other;
	struct gcn_range range; /* for WAIT_MISSING */
};

/* Memory instructions that may be outstanding at one line, each with the minimum number
 * of younger ones on any path. */
enum { GCN_MAX_PENDING = 128 };
struct gcn_pending {
	uint32_t line;
	uint8_t counter, younger;
	struct gcn_range dst; /* the range that it will write; n = 0: none */
};
struct gcn_wait_state {
	uint16_t n;
	bool seen, queued;
	bool full; /* the array was too small and some instructions are missing */
	uint8_t count[GCN_N_EVENT];
	struct gcn_pending p[GCN_MAX_PENDING];
};

/* Reports notes in the order of the lines. `state` has room for f->n_block + 1. Unreached
 * code is skipped. Calls are assumed to return with no load outstanding. */
void gcn_waits(const struct cfg *f, struct gcn_wait_state *state,
	       void (*note)(void *user, const struct gcn_wait_note *n), void *user);

#endif
