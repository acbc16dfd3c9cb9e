/* Text reports on the comparisons of all targets. */
#ifndef TEST_GCN_REPORT_H
#define TEST_GCN_REPORT_H

#include "tally.h"

struct report {
	const struct tally *tally;
	unsigned n_tallies;
	unsigned listed; /* differences shown */
	double least;    /* percent of the decoded words, and of all words */
};

void report_shares(const struct report *r);
void report_differences(const struct report *r);
/* Prints for explained.sh lines of rule, whether it is RULE_BOTH, target, words and LLVM's text. */
void report_examples(const struct report *r);
/* Prints the opcodes that LLVM decodes and that qd's tables lack. Returns their number. */
unsigned report_missing(const struct report *r);
/* Prints the rows without any equal word. Returns their number. */
unsigned report_unseen(const struct report *r);
/* Returns whether every format in scope on every target agrees well enough. */
bool report_agrees(const struct report *r);

#endif
