/* Tokens of assembly text: comparison, numbers, lists. */
#include "token.h"

struct token
token_until(struct token *k, const char *any)
{
	struct token first = { k->at, 0 };

	while (first.len < k->len && !strchr(any, k->at[first.len]))
		first.len++;
	token_drop(k, first.len);
	return first;
}

void
token_skip_all(struct token *k, const char *any)
{
	while (k->len && strchr(any, *k->at))
		token_drop(k, 1);
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
	uint64_t n = 0;

	if (!k.len || k.len > 10 || (k.len > 1 && k.at[0] == '0'))
		return false;
	for (size_t i = 0; i < k.len; i++) {
		if (k.at[i] < '0' || k.at[i] > '9')
			return false;
		n = n * 10 + (uint64_t)(k.at[i] - '0');
	}
	*v = (uint32_t)n;
	return n <= UINT32_MAX;
}

bool
token_wide(struct token k, uint64_t *v)
{
	unsigned base = token_skip(&k, "0x") || token_skip(&k, "0X") ? 16 : 10;

	*v = 0;
	if (!k.len || (base == 10 && k.len > 1 && k.at[0] == '0'))
		return false; /* other assemblers parse this as octal, so reject it */
	for (size_t i = 0; i < k.len; i++) {
		unsigned d = (unsigned)digit(k.at[i]);
		/* 15 digits in either base cannot overflow. */
		if (d >= base || (i >= 15 && *v > (UINT64_MAX - d) / base))
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
	uint32_t one;
	unsigned n = 0;

	*v = 0;
	for (;; n++) {
		struct token e = token_until(&k, ",]");
		if (!k.len || !token_number(e, &one) || one >> bits || (n + 1) * bits > 31)
			return 0;
		*v |= one << n * bits;
		token_drop(&k, 1);
		if (k.at[-1] == ']')
			return k.len ? 0 : n + 1;
	}
}
