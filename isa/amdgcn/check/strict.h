/* Rules of strict.c, a table for each family of instructions. */
#ifndef AMDGCN_STRICT_H
#define AMDGCN_STRICT_H

#include "table.h"

struct strict {
	const struct gcn_target *t;
	const struct gcn_insn *in;
	const struct gcn_row *row;
	unsigned n;
	const struct gcn_view *op;
};

/* Which instructions a rule can concern at all: tested before the rule is asked. */
enum need { ANY, SCALAR, LITERAL, EITHER, DPP };
/* Whose rule it is: the hardware does something else or nothing with such words,
 * or they only have no text, or one that stands for other words. */
enum whose { HARDWARE, ASSEMBLER };
struct rule {
	uint32_t formats, targets; /* bits: F(format), classes */
	enum need need;
	enum whose whose;
	bool (*broken)(const struct strict *s);
	const char *why;
};
struct rules {
	uint32_t formats;
	size_t n;
	const struct rule *rule;
};
extern const struct rules gcn_vector_rules, gcn_memory_rules;

#define F(format) (1u << GCN_##format)
#define VALU (F(VOPD) | F(VOP1) | F(VOP2) | F(VOPC) | F(VOP3) | F(VOP3P))
#define VMEM (F(FLAT) | F(GLOBAL) | F(SCRATCH) | F(MUBUF) | F(MTBUF))
#define SALU (F(SOP1) | F(SOP2) | F(SOPC) | F(SOPK) | F(SOPP))

/* A number that other targets have a register for. */
bool gcn_register_absent(const struct strict *s);
/* More than an operand of 16 bits takes. */
bool gcn_half_literal_too_wide(const struct strict *s);

#endif
