/* Parts of a PTX or SPIR-V instruction. */
#ifndef QD_TOOLS_DIS_CODE_TEXT_H
#define QD_TOOLS_DIS_CODE_TEXT_H

#include "dis_code.h"

struct code_pieces {
	const char *guard, *result, *op, *separator; /* "": none */
	char **operand;
	uint32_t n;
	char *text; /* complete: guard op operands, or result = op operands */
};

void code_pieces(const struct code *c, struct arena *mem, const struct code_insn *in,
		 struct code_pieces *p);

#endif
