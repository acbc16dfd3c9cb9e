/* Words of an instruction's text, for asm.c. */
#ifndef AMDGCN_TOKEN_H
#define AMDGCN_TOKEN_H

#include "table.h"

struct token {
	const char *at;
	size_t len;
};

/* How a number begins. */
static inline bool
token_is_numeric(char c)
{
	return (c >= '0' && c <= '9') || c == '-' || c == '.';
}

/* Most of what is asked for differs in its first letter. */
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

/* Takes s off the front when it stands there. */
static inline bool
token_skip(struct token *k, const char *s)
{
	if (!token_starts(*k, s))
		return false;
	token_drop(k, strlen(s));
	return true;
}

/* And off the end. */
static inline bool
token_strip(struct token *k, const char *s)
{
	size_t n = strlen(s);

	if (k->len < n || memcmp(k->at + k->len - n, s, n))
		return false;
	k->len -= n;
	return true;
}

/* What stands before the first of these characters, without it, or all; the rest stays. */
struct token token_until(struct token *k, const char *any);
/* Takes as many of these characters off the front as there are. */
void token_skip_all(struct token *k, const char *any);
/* One of these characters. */
bool token_has(struct token k, const char *any);
/* All of it: decimal or 0x, in 64 bits. */
bool token_wide(struct token k, uint64_t *v);
/* The same in 32 bits, a sign allowed. */
bool token_number(struct token k, uint32_t *v);
/* A whole number with a sign or none, from lo to hi. */
bool token_between(struct token k, int64_t lo, int64_t hi, int64_t *v);
/* Decimal digits alone, as register numbers are written. */
bool token_plain(struct token k, uint32_t *v);
/* The name of a label. */
bool token_is_word(struct token k);
/* Numbers of so many bits up to the closing bracket, the first lowest: how many. */
unsigned token_list(struct token k, unsigned bits, uint32_t *v);
/* What gcn_symbol_add writes, or a number of 16 bits. */
bool gcn_symbol_parse(const struct gcn_target *t, unsigned bank, struct token k, uint32_t *v);

#endif
