/* Assembles AMD text, for tests that inject instructions. */
#ifndef GCN_TEXT_H
#define GCN_TEXT_H

#include "gcn.h"
#include "unit.h"

/* Assembles lines that end in '\n' or ';'. A line "0x..." is one word. Returns the number of words,
 * or 0 after a failed check. */
size_t gcn_text_words(struct unit_ctx *t, const struct gcn_target *target, const char *text,
		      uint32_t *words, size_t cap);

#endif
