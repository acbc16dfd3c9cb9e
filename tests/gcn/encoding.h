/* The encodings of encoding.def: lookup by word, and opcode fields. */
#ifndef TEST_GCN_ENCODING_H
#define TEST_GCN_ENCODING_H

#include "table.h"

enum { N_WORDS = 5, MAX_ENCODINGS = 64 };
enum scope { IN, OUT };

struct encoding {
	const char *name;
	uint8_t gens, scope, n_words;
	uint32_t mask, match;
	struct {
		uint8_t lo, width;
	} op[2]; /* width 0 after the last */
};

extern const struct encoding encodings[];
extern const unsigned n_encodings;

/* Returns the first entry that matches. There is always one. */
unsigned encoding_of(const struct gcn_target *t, uint32_t first_word);
/* Returns the first entry of the same name, which identifies the name. */
unsigned encoding_name(unsigned encoding);
bool encoding_on(const struct gcn_target *t, unsigned encoding);
/* Returns the number of opcodes of both fields together. */
unsigned encoding_n_opcodes(unsigned encoding);
/* Sets the bits that select the encoding, and the opcode unless it is negative. Returns false if
 * an earlier entry matches the result. */
bool encoding_set(const struct gcn_target *t, unsigned encoding, int opcode, uint32_t w[N_WORDS]);
/* Returns qd's bit layout of the encoding, or NULL. */
const struct gcn_layout *encoding_layout(const struct gcn_target *t, unsigned encoding);

/* Returns whether the target has the row. Dual instructions require waves of 32. */
static inline bool
row_on(const struct gcn_target *t, unsigned row)
{
	const struct gcn_row *r = &gcn_rows[row];

	return (gcn_row_has(r) & t->class_bit) && r->op[t->gen] != GCN_NA &&
	       (!gcn_is_dual(r->format) || t->wave == 32);
}

static inline void
bits_set(uint32_t *w, unsigned lo, unsigned width, uint32_t v)
{
	uint32_t mask = width == 32 ? 0xffffffff : (1u << width) - 1;

	w[lo / 32] = (w[lo / 32] & ~(mask << lo % 32)) | (v & mask) << lo % 32;
}

#endif
