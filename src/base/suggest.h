/* "did you mean 'x'?" */
#ifndef QD_SUGGEST_H
#define QD_SUGGEST_H

#include <stdbool.h>
#include <stdint.h>

enum { SUGGEST_LEN = 40 }; /* longer names are never suggested */

/* Search for the nearest of the offered names, if it is near enough. Among equals, the one with
 * the longest common prefix is taken, then the first. */
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
/* Same for a term of a fixed vocabulary, in which similar names have other meanings (reduce_and,
 * reduce_any; clz, ctz). The term is a candidate only if the name sought is a misspelling of
 * it. */
void suggest_offer_term(struct suggest *g, const char *s, uint32_t len);
/* Returns whether a, of n characters, is a misspelling of b. Both have the same words in the
 * same order, and each word has the same first letter and the same digits. Allowed differences:
 * case, underscores, two neighboring letters exchanged, a letter doubled; one edit in a word of
 * at least 5 letters, two in one of at least 8. */
bool suggest_misspells(const char *a, uint32_t n, const char *b, uint32_t m);
/* Returns "did you mean 'x'?", or otherwise if there is no suggestion. */
const char *suggest_text(struct suggest *g, const char *otherwise);

#endif
