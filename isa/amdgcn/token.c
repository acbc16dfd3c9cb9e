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

bool
token_lane_pattern(struct token k, uint32_t *ctrl)
{
	static const struct {
		const char *name;
		uint16_t base;
	} pattern[] = { { "row_shl:", 0x100 },	{ "row_shr:", 0x110 },	 { "row_ror:", 0x120 },
			{ "row_share:", 0x150 }, { "row_newbcast:", 0x150 }, { "row_xmask:", 0x160 } };
	static const struct {
		const char *name;
		uint16_t ctrl;
	} fixed[] = { { "wave_shl:1", 0x130 }, { "wave_rol:1", 0x134 }, { "wave_shr:1", 0x138 },
		      { "wave_ror:1", 0x13c }, { "row_mirror", 0x140 }, { "row_half_mirror", 0x141 },
		      { "row_bcast:15", 0x142 }, { "row_bcast:31", 0x143 } };
	uint32_t v;

	if (token_skip(&k, "quad_perm:["))
		return token_list(k, 2, ctrl);
	for (size_t i = 0; i < sizeof pattern / sizeof *pattern; i++) {
		if (token_skip(&k, pattern[i].name)) {
			*ctrl = pattern[i].base;
			if (!token_number(k, &v) || v > 15)
				return false;
			*ctrl |= v;
			return true;
		}
	}
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
		if (token_is(k, fixed[i].name)) {
			*ctrl = fixed[i].ctrl;
			return true;
		}
	}
	return false;
}
