/* Live registers: how many hold a value that some path still reads, the vector ones
 * as one lane sees it.  What a caller or callee reads is not known: calls and returns
 * read what their operands say, the end of the program nothing. */
#ifndef AMDGCN_LIVE_H
#define AMDGCN_LIVE_H

#include "effect.h"
#include "flow.h"

struct gcn_live_set {
	uint64_t v[4], a[4], s[2]; /* a bit per register of each file */
};
struct gcn_live {
	/* Live into the line or written by it; vcc is two SGPRs (one where waves have 32
	 * lanes), exec, m0 and what a trap handler has are none. */
	uint16_t vgprs, agprs, sgprs;
};

/* `set` has room for f->n_block + 1, `live` for f->n_line.  Lines that no entry
 * reaches get 0. */
void gcn_live(const struct cfg *f, struct gcn_live_set *set, struct gcn_live *live);

#endif
