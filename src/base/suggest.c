/* Suggests a name that may have been meant. */
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

/* Returns the edit distance, with transposition of neighbors as one edit. */
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

/* Returns the length of the common prefix. */
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

/* -- Terms ----------------------------------------------------------------------------- */

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Returns whether the names are equal except for case and underscores. */
static bool
same_letters(const char *a, uint32_t n, const char *b, uint32_t m)
{
	uint32_t i = 0, j = 0;

	for (;;) {
		while (i < n && a[i] == '_')
			i++;
		while (j < m && b[j] == '_')
			j++;
		if (i == n || j == m)
			return i == n && j == m;
		if (lower(a[i++]) != lower(b[j++]))
			return false;
	}
}

static uint32_t
count(const char *s, uint32_t n, char c)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < n; i++)
		k += s[i] == c;
	return k;
}

/* Returns whether the longer word is the shorter one with a letter doubled. */
static bool
doubles(const char *longer, uint32_t n, const char *shorter)
{
	uint32_t i = prefix(longer, n, shorter, n - 1);

	return i > 0 && i < n && longer[i] == longer[i - 1] &&
	       memcmp(longer + i + 1, shorter + i, n - 1 - i) == 0;
}

static bool
misspells_word(const char *a, uint32_t n, const char *b, uint32_t m)
{
	uint32_t longer = n > m ? n : m, i;

	if (n == m && memcmp(a, b, n) == 0)
		return true;
	if (!n || !m || a[0] != b[0])
		return false;
	for (char c = '0'; c <= '9'; c++)
		if (count(a, n, c) != count(b, m, c))
			return false;
	if (longer >= 5)
		return distance(a, n, b, m) <= (longer >= 8 ? 2u : 1u);
	if (n == m) {
		i = prefix(a, n, b, m);
		return i + 1 < n && a[i] == b[i + 1] && a[i + 1] == b[i] &&
		       memcmp(a + i + 2, b + i + 2, n - i - 2) == 0;
	}
	return n == m + 1 ? doubles(a, n, b) : m == n + 1 && doubles(b, m, a);
}

bool
suggest_misspells(const char *a, uint32_t n, const char *b, uint32_t m)
{
	if (n > SUGGEST_LEN || m > SUGGEST_LEN)
		return false;
	if (same_letters(a, n, b, m))
		return true;
	for (;;) {
		const char *end_a = memchr(a, '_', n), *end_b = memchr(b, '_', m);
		uint32_t i = end_a ? (uint32_t)(end_a - a) : n,
			 j = end_b ? (uint32_t)(end_b - b) : m;

		if (!misspells_word(a, i, b, j) || !end_a != !end_b)
			return false;
		if (!end_a)
			return true;
		a += i + 1;
		n -= i + 1;
		b += j + 1;
		m -= j + 1;
	}
}

void
suggest_offer_term(struct suggest *g, const char *s, uint32_t len)
{
	uint32_t d;

	if (g->len < 2 || g->n_offered++ > SUGGEST_OFFERS ||
	    !suggest_misspells(g->s, g->len, s, len))
		return;
	d = same_letters(g->s, g->len, s, len) ? 0 : distance(g->s, g->len, s, len);
	if (!g->best || d < g->best_distance) {
		g->best_distance = d;
		g->best_prefix = prefix(g->s, g->len, s, len);
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
