/* Faults of the AMD generator: in the emitted words, or an omitted rule of its plan and masks.
 * `pick`, any number, chooses one of the possible places. */
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
	WORD_AND,     /* save = exec, exec &= cond: the save remains */
	WORD_ONLY,    /* exec = cond */
	WORD_CMPX,    /* exec &= a comparison */
	WORD_GUARD,   /* like AND, around memory accesses only */
	WORD_DPP,     /* exchanges the controls of two instructions */
	WORD_STRIDE   /* the element size in a buffer descriptor */
};

/* Writes the image with the fault in one place to `out`, which holds c->size bytes. Returns its
 * size; 0 if there is no such place. */
size_t injected_make(const struct mutant_code *c, enum injected_word what, uint64_t pick,
		     uint8_t *out);

/* -- injected_rules.c: plan, masks and order of loads that replace the library's ---------- */

enum injected_rule {
	RULE_NONE,
	RULE_LATEST,
	RULE_LOOP_END,
	RULE_JUMP,
	RULE_LINK,
	RULE_TOUCHED,
	RULE_NEXT, /* without a row in faults[] */
	RULE_OWNER,
	RULE_COPY,
	RULE_SINGLE, /* without a row in faults[] */
	RULE_LANES,
	RULE_MERGE,
	RULE_STORE, /* of schedule.c. The rules below have no row in faults[]: pass_values leaves no read
		     * after a write in a run, and the others do not affect values. */
	RULE_SET,
	RULE_BUDGET,
	RULE_ROUND,
	RULE_TAKE, /* from here on rules of exec.c, omitted at every use */
	RULE_XOR,
	RULE_STRAIGHT,
	RULE_LOOP_SKIP, /* without a row in faults[] */
	RULE_RESTORE
};

/* Omits a rule of the plan or of the order at one place: the first from `pick` on where that changes
 * the result. */
extern struct injected {
	enum injected_rule rule;
	uint64_t pick;
	bool done; /* the fault was applied */
} injected;

#endif
