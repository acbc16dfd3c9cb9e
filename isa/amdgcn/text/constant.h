/* Numbers of a text as operands: inline constants and literals, by the operand's
 * type. */
#ifndef AMDGCN_CONSTANT_H
#define AMDGCN_CONSTANT_H

#include "table.h"
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
/* The type of an operand's number.  A float constant of v_pk_fmac_f16 is in the lower half until
 * gfx10 and in both from gfx11 on, so that 0.5 alone is no constant there (LLVM 22). */
enum { T_V2F16_TWICE = 0x40 };
static inline unsigned
gcn_number_type(const struct gcn_target *t, const struct gcn_row *r, unsigned type)
{
	bool twice = r == &gcn_rows[GCN_v_pk_fmac_f16_gfx10] && type == T_V2F16 && t->gen >= GCN_G11;

	return twice ? (unsigned)T_V2F16_TWICE : type;
}
/* The operand's number: of an inline constant, or GCN_LITERAL with the word in
 * *word; 0 when the type does not take it. */
unsigned gcn_number_code(const struct number *n, unsigned type, uint32_t *word);
/* What stands in a word of its own whatever its value is; of a fraction 16 or 32
 * bits. */
bool gcn_number_word(const struct number *n, unsigned width, uint32_t *word);

#endif
