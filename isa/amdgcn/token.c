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
token_wide(struct token k, uint64_t *v)
{
	unsigned base = token_skip(&k, "0x") || token_skip(&k, "0X") ? 16 : 10;

	*v = 0;
	if (!k.len || (base == 10 && k.len > 1 && k.at[0] == '0'))
		return false; /* octal elsewhere: better not read at all */
	for (size_t i = 0; i < k.len; i++) {
		unsigned d = (unsigned)digit(k.at[i]);
		if (d >= base || *v > (UINT64_MAX - d) / base)
			return false;
		*v = *v * base + d;
	}
	return true;
}

bool
token_number(struct token k, uint32_t *v)
{
	bool minus = token_skip(&k, "-");
	uint64_t n;

	if (!token_wide(k, &n) || n > (minus ? UINT64_C(1) << 31 : UINT32_MAX))
		return false;
	*v = minus ? 0u - (uint32_t)n : (uint32_t)n;
	return true;
}

bool
token_between(struct token k, int64_t lo, int64_t hi, int64_t *v)
{
	bool minus = token_skip(&k, "-");
	uint64_t n;

	if (!token_wide(k, &n) || n > INT64_MAX)
		return false;
	*v = minus ? -(int64_t)n : (int64_t)n;
	return *v >= lo && *v <= hi;
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

unsigned
token_list(struct token k, unsigned bits, uint32_t *v)
{
	struct token e = k;
	uint32_t one;
	unsigned n = 0;

	*v = 0;
	for (;; n++) {
		e.at = k.at;
		e.len = 0;
		while (e.len < k.len && k.at[e.len] != ',' && k.at[e.len] != ']')
			e.len++;
		if (e.len == k.len || !token_number(e, &one) || one >> bits || (n + 1) * bits > 31)
			return 0;
		*v |= one << n * bits;
		k.at += e.len + 1;
		k.len -= e.len + 1;
		if (k.at[-1] == ']')
			return k.len ? 0 : n + 1;
	}
}
