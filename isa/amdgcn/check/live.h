/* Live vector registers: how many hold a value that some path still reads, as one
 * lane sees it.  What a caller or callee reads is not known: calls and returns
 * read what their operands say, the end of the program nothing. */
#ifndef AMDGCN_LIVE_H
#define AMDGCN_LIVE_H

#include "effect.h"
#include "flow.h"

struct gcn_live_set {
	uint64_t v[4], a[4]; /* a bit per register of each file */
};
struct gcn_live {
	uint16_t vgprs, agprs; /* live into the line or written by it */
};

/* `set` has room for f->n_block + 1, `live` for f->n_line.  Lines that no entry
 * reaches get 0. */
void gcn_live(const struct gcn_flow *f, struct gcn_live_set *set, struct gcn_live *live);

#endif
