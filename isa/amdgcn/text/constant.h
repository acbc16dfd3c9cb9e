/* Numbers in assembly text as operands: inline constants and literals, by the operand's type. */
#ifndef AMDGCN_CONSTANT_H
#define AMDGCN_CONSTANT_H

#include "table.h"
#include "token.h"

struct number {
	union {
		int64_t whole;
		double real; /* infinite if the text overflows */
	};
	bool is_real;
	bool literal; /* lit(): must be a literal, even if an inline constant exists */
	bool wide;    /* lit64(): a literal of 64 bits */
};

bool gcn_number_read(struct token k, struct number *out);
/* Returns the type of an operand's number. An inline float constant of v_pk_fmac_f16 is only in
 * the lower half up to gfx10, and in both halves from gfx11 on. From gfx11 on 0.5 in the lower
 * half is therefore no inline constant (LLVM 22). */
enum { T_V2F16_TWICE = 0x40 };
static inline unsigned
gcn_number_type(const struct gcn_target *t, const struct gcn_row *r, unsigned type)
{
	bool twice = r == &gcn_rows[GCN_v_pk_fmac_f16_gfx10] && type == T_V2F16 && t->gen >= GCN_G11;

	return twice ? (unsigned)T_V2F16_TWICE : type;
}
/* Returns the number of an inline constant, or GCN_LITERAL or GCN_LITERAL64 with the literal in
 * word, or 0 if the type does not accept the number; `wide`: the instruction may have a literal of
 * 64 bits. */
unsigned gcn_number_code(const struct number *n, unsigned type, bool wide, uint32_t word[2]);
/* Converts a number that is always a literal; width is 16, 32 or 64 bits. */
bool gcn_number_word(const struct number *n, unsigned width, uint32_t word[2]);

#endif
