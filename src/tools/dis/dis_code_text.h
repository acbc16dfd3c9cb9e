/* An instruction of PTX or SPIR-V in pieces. */
#ifndef QD_TOOLS_DIS_CODE_TEXT_H
#define QD_TOOLS_DIS_CODE_TEXT_H

#include "dis_code.h"

struct code_pieces {
	const char *guard, *result, *op, *separator; /* "" where there is none */
	char **operand;
	uint32_t n;
	char *text; /* all of them: guard op operands, or result = op operands */
};

void code_pieces(const struct code *c, struct arena *mem, const struct code_insn *in,
		 struct code_pieces *p);

#endif
