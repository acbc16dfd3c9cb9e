/* Parses one statement, for gcn_parse and gcn_assemble. */
#ifndef AMDGCN_ASM_H
#define AMDGCN_ASM_H

#include "token.h"

/* Does the same as gcn_parse, but accepts a branch to a label: the field is then zero and *label
 * is the name. Columns in err count from 1. */
qd_status gcn_parse_statement(const struct gcn_target *t, const char *text, struct gcn_insn *out,
			      struct token *label, struct qd_error *err);

#endif
