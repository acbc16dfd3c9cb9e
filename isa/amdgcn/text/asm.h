/* Statements by name: what gcn_parse does for one and gcn_assemble for many. */
#ifndef AMDGCN_ASM_H
#define AMDGCN_ASM_H

#include "token.h"

/* As gcn_parse.  A branch to a word leaves its field zero and the word in *label.
 * Columns in err count from 1. */
qd_status gcn_parse_statement(const struct gcn_target *t, const char *text, struct gcn_insn *out,
			      struct token *label, struct qd_error *err);

#endif
