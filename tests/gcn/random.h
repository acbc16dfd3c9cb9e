/* Random instructions that the encoder takes, made from the tables alone. */
#ifndef TEST_GCN_RANDOM_H
#define TEST_GCN_RANDOM_H

#include "dice.h"
#include "table.h"

struct sample {
	struct gcn_insn insn;
	uint32_t w[GCN_MAX_WORDS];
	int n_words;
	char text[256];
};

/* An instruction of the row with random operands, modifiers and form, as its
 * own text reads back: what the text does not show is zero.  False when none
 * was found; then `why` tells what the encoder had against the last try, or
 * begins with "!" when it is our tables that do not agree with themselves. */
bool gcn_random(struct dice *d, const struct gcn_target *t, unsigned row, struct sample *out,
		char why[256]);

#endif
