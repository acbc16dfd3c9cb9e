/* One statement's text on its way to fields: asm.c has the names and the order of
 * things, parse.c the operands. */
#ifndef AMDGCN_PARSE_H
#define AMDGCN_PARSE_H

#include "token.h"

struct parser {
	const struct gcn_target *t;
	struct gcn_insn *out;
	const char *at;    /* ends with NUL */
	const char *where; /* the word that `why` is about */
	const char *why;
	bool has_literal;
	bool has_format; /* of a typed buffer instruction, before its last operand */
	unsigned halves; /* bits: registers of 16 bits without .l or .h, and with */
	unsigned half_places; /* bits of op_sel that belong to them */
	unsigned vaddr;     /* registers that the text gives for BANK_VADDR */
	struct token label; /* of a branch, when its operand is a word and no number */
};

void gcn_skip_blanks(struct parser *p);
/* Up to a comma or blank outside brackets; none of it when there is nothing. */
struct token gcn_next_token(struct parser *p);
/* The operand that gcn_operand_view numbers i. */
bool gcn_operand_parse(struct parser *p, unsigned i, struct gcn_view o);
/* Modifiers before the operands: they say how many of those there are. */
void gcn_peek_modifiers(struct parser *p);

#endif
