/* The names that were perhaps meant. */
#include "suggest.h"

#include <stdio.h>
#include <string.h>

enum { SUGGEST_OFFERS = 4096 };

void
suggest_init(struct suggest *g, const char *s, uint32_t len)
{
	*g = (struct suggest){ .s = s, .len = len, .best_distance = 1 + (len + 1) / 3 };
	if (len < 2 || len > SUGGEST_LEN)
		g->best_distance = 0;
}

/* Edit distance with transpositions of neighbours. */
static uint32_t
distance(const char *a, uint32_t n, const char *b, uint32_t m)
{
	uint8_t row[3][SUGGEST_LEN + 1], *prev2 = row[0], *prev = row[1], *cur = row[2], *swap;

	for (uint32_t j = 0; j <= m; j++)
		prev[j] = (uint8_t)j;
	for (uint32_t i = 1; i <= n; i++) {
		cur[0] = (uint8_t)i;
		for (uint32_t j = 1; j <= m; j++) {
			uint32_t d = prev[j - 1] + (a[i - 1] != b[j - 1] ? 1u : 0u);

			if (prev[j] + 1u < d)
				d = prev[j] + 1u;
			if (cur[j - 1] + 1u < d)
				d = cur[j - 1] + 1u;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    prev2[j - 2] + 1u < d)
				d = prev2[j - 2] + 1u;
			cur[j] = (uint8_t)d;
		}
		swap = prev2;
		prev2 = prev;
		prev = cur;
		cur = swap;
	}
	return prev[m];
}

/* How many characters they begin with alike. */
static uint32_t
prefix(const char *a, uint32_t n, const char *b, uint32_t m)
{
	uint32_t i = 0;

	while (i < n && i < m && a[i] == b[i])
		i++;
	return i;
}

void
suggest_offer(struct suggest *g, const char *s, uint32_t len)
{
	uint32_t d, same;

	if (len > SUGGEST_LEN || len + g->best_distance < g->len + !g->best ||
	    g->len + g->best_distance < len + !g->best || g->n_offered++ > SUGGEST_OFFERS)
		return;
	d = distance(g->s, g->len, s, len);
	same = prefix(g->s, g->len, s, len);
	if (d < g->best_distance || (g->best && d == g->best_distance && same > g->best_prefix)) {
		g->best_distance = d;
		g->best_prefix = same;
		g->best = s;
		g->best_len = len;
	}
}

const char *
suggest_text(struct suggest *g, const char *otherwise)
{
	if (!g->best)
		return otherwise;
	snprintf(g->text, sizeof g->text, "did you mean '%.*s'?", (int)g->best_len, g->best);
	return g->text;
}
