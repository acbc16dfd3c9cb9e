/* Numbers of a text as operands: inline constants and literals, by the operand's
 * type. */
#ifndef AMDGCN_CONSTANT_H
#define AMDGCN_CONSTANT_H

#include "token.h"

struct number {
	union {
		int64_t whole;
		double real; /* not finite when the text is too large for it */
	};
	bool is_real;
	bool literal; /* lit(): a literal, though there be a constant */
};

bool gcn_number_read(struct token k, struct number *out);
/* The operand's number: of an inline constant, or GCN_LITERAL with the word in
 * *word; 0 when the type does not take it. */
unsigned gcn_number_code(const struct number *n, unsigned type, uint32_t *word);
/* What stands in a word of its own whatever its value is; of a fraction 16 or 32
 * bits. */
bool gcn_number_word(const struct number *n, unsigned width, uint32_t *word);

#endif
