/* Rules of strict.c: one table for each family of instructions. */
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

/* Instructions that a rule can apply to, tested before the rule is called. */
enum need { ANY, SCALAR, LITERAL, EITHER, DPP };
/* Origin of a rule. HARDWARE: the hardware executes such words differently or not at all.
 * ASSEMBLER: such words have no text, or their text denotes other words. */
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
#define VALU (F(VOPD) | F(VOPD3) | F(VOP1) | F(VOP2) | F(VOPC) | F(VOP3) | F(VOP3P))
#define VMEM (F(FLAT) | F(GLOBAL) | F(SCRATCH) | F(MUBUF) | F(MTBUF))
#define SALU (F(SOP1) | F(SOP2) | F(SOPC) | F(SOPK) | F(SOPP))

/* Returns true if an operand number is a register on other targets only. */
bool gcn_register_unsupported(const struct strict *s);
/* Returns true if a literal does not fit an operand of 16 bits. */
bool gcn_half_literal_too_wide(const struct strict *s);

#endif
