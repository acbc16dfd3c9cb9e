/* Differences from LLVM with LLVM as the cause, by the rules of explain.def. */
#ifndef TEST_GCN_EXPLAIN_H
#define TEST_GCN_EXPLAIN_H

#include "table.h"

enum { MAX_RULES = 128 };

struct rule {
	const char *name;
	uint32_t has;         /* target classes */
	const char *encoding; /* name in encoding.def; "*" any */
	const char *llvm;     /* pattern of LLVM's text; "" no instruction */
	const char *ours;
	const char *why;
	bool both; /* LLVM's assembler agrees with its disassembler */
	bool wide; /* the words have a literal of 64 bits for a narrower operand */
};

extern const struct rule rules[];
extern const unsigned n_rules;

/* Returns the rule that applies to a difference of the words `w`, or n_rules. */
unsigned explain(const struct gcn_target *t, const char *encoding, const uint32_t *w,
		 const char *llvm, const char *ours);

#endif
