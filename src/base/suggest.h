/* "did you mean 'x'?" */
#ifndef QD_SUGGEST_H
#define QD_SUGGEST_H

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
/* "did you mean 'x'?", or what is given. */
const char *suggest_text(struct suggest *g, const char *otherwise);

#endif
