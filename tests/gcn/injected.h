/* Faults of the AMD generator: in the words that it gives out, or a rule of its plan and masks
 * left out.  What chooses one of the places where a fault can be is `pick`, any number. */
#ifndef TEST_GCN_INJECTED_H
#define TEST_GCN_INJECTED_H

#include "dice.h"
#include "mutant.h"

/* -- injected_words.c ------------------------------------------------------------------- */

enum injected_word {
	WORD_NONE,
	WORD_WAIT,    /* a wait for memory */
	WORD_NOP,     /* an s_nop, or a wait for dependencies */
	WORD_RESTORE, /* exec = save */
	WORD_ALL,     /* exec = all ones */
	WORD_TAKE,    /* save &= ~lanes */
	WORD_LEAVE,   /* exec &= ~lanes */
	WORD_ELSE,    /* exec ^= save, exec = ~exec */
	WORD_AND,     /* save = exec, exec &= cond: the save stays */
	WORD_ONLY,    /* exec = cond */
	WORD_CMPX,    /* exec &= a comparison */
	WORD_GUARD,   /* as AND, around an access to memory alone */
	WORD_DPP,     /* the controls of two instructions, which are exchanged */
	WORD_STRIDE   /* the element's size in a buffer's descriptor */
};

/* The image with this fault in one place, into room for c->size; 0: it has no such place. */
size_t injected_make(const struct mutant_code *c, enum injected_word what, uint64_t pick, uint8_t *out);

/* -- injected_rules.c: the generator's plan and masks, in place of the library's ---------- */

enum injected_rule {
	RULE_NONE,
	RULE_LATEST,
	RULE_LOOP_END,
	RULE_JUMP,
	RULE_LINK,
	RULE_TOUCHED,
	RULE_COPY,
	RULE_SINGLE, /* no fault has it */
	RULE_LANES,
	RULE_MERGE,
	RULE_TAKE, /* from here on of exec.c, left out wherever they are asked */
	RULE_XOR,
	RULE_STRAIGHT,
	RULE_LOOP_SKIP, /* no fault has it */
	RULE_RESTORE
};

/* Of the plan one place is without the rule, one where the plan is another by that. */
extern struct injected {
	enum injected_rule rule;
	uint64_t pick;
	bool done; /* there was such a place */
} injected;

#endif
