/* Statements by name: what gcn_parse does for one and gcn_assemble for many. */
#ifndef AMDGCN_ASM_H
#define AMDGCN_ASM_H

#include "token.h"

/* Rows of a target by their names without _e32 or _e64, so that not each
 * statement goes through all of them. */
enum { GCN_N_NAME_LIST = 1024 };
struct gcn_names {
	uint16_t first[GCN_N_NAME_LIST], next[GCN_N_ROW]; /* row + 1; 0 ends */
};
void gcn_names_init(struct gcn_names *names, const struct gcn_target *t);

/* As gcn_parse; `names` may be NULL.  A branch to a word leaves its field zero and
 * the word in *label.  Columns in err count from 1. */
qd_status gcn_parse_statement(const struct gcn_target *t, const struct gcn_names *names,
			      const char *text, struct gcn_insn *out, struct token *label,
			      struct qd_error *err);

#endif
