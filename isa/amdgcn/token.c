/* Words of an instruction's text: comparing, numbers, lists, lane patterns. */
#include "token.h"

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

bool
token_strip(struct token *k, const char *s)
{
	size_t n = strlen(s);

	if (k->len < n || memcmp(k->at + k->len - n, s, n))
		return false;
	k->len -= n;
	return true;
}

bool
token_has(struct token k, const char *any)
{
	for (size_t i = 0; i < k.len; i++) {
		if (strchr(any, k.at[i]))
			return true;
	}
	return false;
}

static int
digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

bool
token_plain(struct token k, uint32_t *v)
{
	return k.len && digit(k.at[0]) < 10 && !token_has(k, "xX") && token_number(k, v);
}

bool
token_number(struct token k, uint32_t *v)
{
	bool minus = token_skip(&k, "-");
	int base = token_skip(&k, "0x") || token_skip(&k, "0X") ? 16 : 10;
	uint64_t n = 0;

	if (!k.len || (base == 10 && k.len > 1 && k.at[0] == '0'))
		return false; /* octal elsewhere: better not read at all */
	for (size_t i = 0; i < k.len; i++) {
		if (digit(k.at[i]) >= base)
			return false;
		n = n * (unsigned)base + (unsigned)digit(k.at[i]);
		if (n > UINT32_MAX)
			return false;
	}
	if (minus && n > UINT32_C(1) << 31)
		return false;
	*v = minus ? 0u - (uint32_t)n : (uint32_t)n;
	return true;
}

static bool
is_letter(char c)
{
	return ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_' || c == '.' || c == '$';
}

bool
token_is_word(struct token k)
{
	for (size_t i = 0; i < k.len; i++) {
		if (!is_letter(k.at[i]) && !(i && digit(k.at[i]) < 10))
			return false;
	}
	return k.len > 0;
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
