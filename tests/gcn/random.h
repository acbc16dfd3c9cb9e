/* Random instructions that the encoder accepts, made from the tables alone. */
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

/* Generates an instruction of the row with random operands, modifiers and form. The result is what
 * its text parses to: fields that the text does not show are zero. Returns false on failure;
 * `why` then contains the encoder's message for the last attempt. It begins with "!" if our
 * tables are inconsistent. */
bool gcn_random(struct dice *d, const struct gcn_target *t, unsigned row, struct sample *out,
		char why[256]);

#endif
