/* "did you mean 'x'?" */
#ifndef QD_SUGGEST_H
#define QD_SUGGEST_H

#include <stdbool.h>
#include <stdint.h>

enum { SUGGEST_LEN = 40 }; /* of names longer than that none is near another */

/* The nearest of the names offered, if it is near enough; of several the one that begins
 * longest alike, the first of those. */
struct suggest {
	const char *s;
	uint32_t len;
	uint32_t best_distance, best_prefix, n_offered;
	const char *best;
	uint32_t best_len;
	char text[SUGGEST_LEN + 24];
};
void suggest_init(struct suggest *g, const char *s, uint32_t len);
void suggest_offer(struct suggest *g, const char *s, uint32_t len);
/* The same for a term of a fixed vocabulary, in which near names have other meanings (reduce_and, reduce_any;
 * clz, ctz): it is a candidate only if what is searched is a misspelling of it. */
void suggest_offer_term(struct suggest *g, const char *s, uint32_t len);
/* Is a, of n characters, a misspelling of b?  The same words in the same order, each with its first letter
 * and its digits: another case, a missing underscore; neighbors exchanged or a letter doubled; in a
 * word of 5 letters one edit, in one of 8 two. */
bool suggest_misspells(const char *a, uint32_t n, const char *b, uint32_t m);
/* "did you mean 'x'?", or what is given. */
const char *suggest_text(struct suggest *g, const char *otherwise);

#endif
