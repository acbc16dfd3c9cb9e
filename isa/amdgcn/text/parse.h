/* State of parsing one statement. asm.c parses names and the sequence of operands and
 * modifiers, parse.c single operands. */
#ifndef AMDGCN_PARSE_H
#define AMDGCN_PARSE_H

#include "token.h"

struct parser {
	const struct gcn_target *t;
	struct gcn_insn *out;
	const char *at;    /* ends with NUL */
	const char *where; /* word to which `why` applies */
	const char *why;
	bool has_literal;
	bool has_format; /* a typed buffer format precedes the last operand */
	unsigned halves; /* bit 0: a 16-bit register without .l or .h; bit 1: one with */
	unsigned half_places; /* bits of op_sel that belong to 16-bit registers */
	unsigned vaddr;     /* number of registers that the text has for BANK_VADDR */
	struct token label; /* of a branch to a label */
};

void gcn_skip_blanks(struct parser *p);
/* Takes the text up to a comma or a blank outside brackets; may be empty. */
struct token gcn_next_token(struct parser *p);
/* Parses operand i of gcn_operand_view. */
bool gcn_operand_parse(struct parser *p, unsigned i, struct gcn_view o);
/* Parses the modifiers ahead of the operands, since they determine the number of operands. */
void gcn_peek_modifiers(struct parser *p);

#endif
