/* What the comparisons of all targets found, as text. */
#ifndef TEST_GCN_REPORT_H
#define TEST_GCN_REPORT_H

#include "tally.h"

struct report {
	const struct tally *tally;
	unsigned n_tallies;
	unsigned listed; /* differences shown */
	double least;    /* per cent of the decoded words, and of all */
};

void report_shares(const struct report *r);
void report_differences(const struct report *r);
/* Lines of rule, whether it is RULE_BOTH, target, words and LLVM's text, for
 * explained.sh. */
void report_examples(const struct report *r);
/* Opcodes that LLVM decodes and no row of ours does; their number. */
unsigned report_missing(const struct report *r);
/* Rows of which no word came out the same. */
unsigned report_unseen(const struct report *r);
/* Whether every format in scope on every target agrees enough. */
bool report_agrees(const struct report *r);

#endif
