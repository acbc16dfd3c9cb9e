/* Words of an instruction's text: comparing, numbers, lists, lane patterns. */
#include "token.h"

#include <stdlib.h>

bool
token_is(struct token k, const char *s)
{
	return strlen(s) == k.len && !memcmp(s, k.at, k.len);
}

bool
token_starts(struct token k, const char *s)
{
	size_t n = strlen(s);

	return k.len >= n && !memcmp(s, k.at, n);
}

bool
token_skip(struct token *k, const char *s)
{
	if (!token_starts(*k, s))
		return false;
	k->at += strlen(s);
	k->len -= strlen(s);
	return true;
}

/* The whole token as a number; hexadecimal with 0x, a sign allowed. */
bool
token_number(struct token k, uint32_t *v)
{
	bool minus = token_skip(&k, "-");
	char text[16], *end;

	if (!k.len || k.len >= sizeof text || k.at[0] < '0' || k.at[0] > '9')
		return false;
	memcpy(text, k.at, k.len);
	text[k.len] = '\0';
	*v = (uint32_t)strtoul(text, &end, 0);
	if (minus)
		*v = 0u - *v;
	return !*end;
}

bool
token_list(struct token k, unsigned bits, uint32_t *v)
{
	struct token e = k;
	uint32_t one, at = 0;

	*v = 0;
	while (k.len && k.at[0] != ']') {
		e.at = k.at;
		e.len = 0;
		while (e.len < k.len && k.at[e.len] != ',' && k.at[e.len] != ']')
			e.len++;
		if (!token_number(e, &one) || one >> bits || at + bits > 31)
			return false;
		*v |= one << at;
		at += bits;
		if (e.len == k.len)
			return false;
		k.at += e.len + (k.at[e.len] == ',');
		k.len -= e.len + (k.at[-1] == ',');
	}
	return k.len == 1;
}
