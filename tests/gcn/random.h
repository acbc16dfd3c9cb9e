/* Random instructions that the encoder accepts, made from the tables alone. */
#ifndef TEST_GCN_RANDOM_H
#define TEST_GCN_RANDOM_H

#include "dice.h"
#include "table.h"

struct sample {
	struct gcn_insn insn;
	uint32_t w[GCN_MAX_WORDS];
	int n_words;
	char text[512];
};

/* Makes an instruction of the row with random operands, modifiers and form. The result is what its
 * text parses to: fields that the text does not show are zero. Returns false on failure; then
 * `why` has the encoder's message for the last try. It begins with "!" if qd's tables are
 * inconsistent. */
bool gcn_random(struct dice *d, const struct gcn_target *t, unsigned row, struct sample *out,
		char why[256]);

#endif
