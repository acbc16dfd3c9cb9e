/* AMD assembler text to words, for tables that inject instructions. */
#ifndef GCN_TEXT_H
#define GCN_TEXT_H

#include "gcn.h"
#include "unit.h"

/* Lines end in '\n' or ';'; a word as "0x...".  Number of words, or 0 after a
 * failed check. */
size_t gcn_text_words(struct unit_ctx *t, const struct gcn_target *target, const char *text,
		      uint32_t *words, size_t cap);

#endif
