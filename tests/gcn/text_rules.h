/* Explained differences between the assemblers: the rows of text_explain.def. */
#ifndef TEST_GCN_TEXT_RULES_H
#define TEST_GCN_TEXT_RULES_H

#include "table.h"

enum text_outcome {
	BOTH_TAKE, BOTH_REFUSE, OTHER_WORDS, ONLY_US_TAKE, ONLY_LLVM_TAKES, LLVM_CRASHED, N_TEXT_OUTCOME
};
struct text_rule {
	const char *name;
	uint32_t has;
	enum text_outcome outcome;
	const char *text, *reason, *why;
};
enum { MAX_TEXT_RULES = 96 };
extern const struct text_rule text_rules[];
extern const unsigned n_text_rules;

/* Returns the first rule that matches, or n_text_rules. `reason` is the message of the rejecting
 * side. */
unsigned text_explain(const struct gcn_target *t, enum text_outcome o, const char *text,
		      const char *reason);

#endif
