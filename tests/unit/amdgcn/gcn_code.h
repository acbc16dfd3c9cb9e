/* AMD assembler text parsed into linked blocks, with buffers for the analyses. */
#ifndef GCN_CODE_H
#define GCN_CODE_H

#include "gcn_text.h"
#include "hazard.h"
#include "wait.h"

enum { CODE_CAP = 256 };

struct gcn_code {
	uint32_t words[CODE_CAP];
	struct gcn_line line[CODE_CAP];
	struct gcn_block block[CODE_CAP];
	uint32_t edge[4 * CODE_CAP];
	struct gcn_hazard_line hazard[CODE_CAP];
	struct gcn_hazard_block hazard_block[CODE_CAP];
	struct gcn_wait_state state[CODE_CAP + 1];
	struct cfg flow;
};

/* Parses the text and links its blocks. Returns false after a failed check. */
bool gcn_code_read(struct unit_ctx *t, struct gcn_code *c, const struct gcn_target *target,
		   const char *text);

/* Hazards of a listing: their number and the last one. */
struct gcn_seen {
	size_t n;
	struct gcn_hazard h;
};
void gcn_see(void *seen, const struct gcn_hazard *h);
bool gcn_code_look(struct unit_ctx *t, struct gcn_code *c, const struct gcn_target *target,
		   const char *text, struct gcn_seen *s);

#endif
