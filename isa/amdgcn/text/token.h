/* Tokens of assembly text. */
#ifndef AMDGCN_TOKEN_H
#define AMDGCN_TOKEN_H

#include "table.h"

struct token {
	const char *at;
	size_t len;
};

/* Returns whether c may begin a number. */
static inline bool
token_is_numeric(char c)
{
	return (c >= '0' && c <= '9') || c == '-' || c == '.';
}

/* A loop, not memcmp: most comparisons fail at the first character. */
static inline bool
token_starts(struct token k, const char *s)
{
	for (size_t i = 0; s[i]; i++) {
		if (i == k.len || k.at[i] != s[i])
			return false;
	}
	return true;
}

static inline bool
token_is(struct token k, const char *s)
{
	return token_starts(k, s) && strlen(s) == k.len;
}

static inline void
token_drop(struct token *k, size_t n)
{
	k->at += n;
	k->len -= n;
}

/* Removes the prefix s; returns false if the token does not begin with s. */
static inline bool
token_skip(struct token *k, const char *s)
{
	if (!token_starts(*k, s))
		return false;
	token_drop(k, strlen(s));
	return true;
}

/* Removes the suffix s; returns false if the token does not end in s. */
static inline bool
token_strip(struct token *k, const char *s)
{
	size_t n = strlen(s);

	if (k->len < n || memcmp(k->at + k->len - n, s, n))
		return false;
	k->len -= n;
	return true;
}

/* Removes and returns the text before the first of these characters, or all of it. *k then
 * begins with the character. */
struct token token_until(struct token *k, const char *any);
/* Removes all leading characters that are in `any`. */
void token_skip_all(struct token *k, const char *any);
/* The following functions return false unless the whole token is a number of their kind.
 * Decimal or 0x, in 64 bits. */
bool token_wide(struct token k, uint64_t *v);
/* Decimal or 0x in 32 bits, with an optional minus. */
bool token_number(struct token k, uint32_t *v);
/* Decimal or 0x with an optional minus, from lo to hi. */
bool token_between(struct token k, int64_t lo, int64_t hi, int64_t *v);
/* Only decimal digits, as in register numbers. */
bool token_plain(struct token k, uint32_t *v);
/* Returns whether the token is a label's name. */
bool token_is_word(struct token k);
/* Parses a list of numbers up to the closing bracket into *v, `bits` bits each, the first in the
 * lowest bits. Returns the length of the list, or 0. */
unsigned token_list(struct token k, unsigned bits, uint32_t *v);
/* Parses text of gcn_symbol_add, or a number of 16 bits. */
bool gcn_symbol_parse(const struct gcn_target *t, unsigned bank, struct token k, uint32_t *v);

#endif
