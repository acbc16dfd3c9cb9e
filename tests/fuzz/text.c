/* Damage to texts: copies, moves, exchanges and replaces tokens and lines, so that many results are
 * nearly valid and pass the first checks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

enum { CAP = 1 << 16, MAX_LINES_MOVED = 6 };

struct text {
	char *p;
	size_t len, cap;
	struct fuzz_dice *d;
};

struct span {
	size_t at, len;
};

static size_t
upto(struct text *t, size_t n)
{
	return n ? (size_t)fuzz_random(t->d, n) : 0;
}

/* Replaces the span with s, which must not overlap the text. */
static void
replace(struct text *t, struct span old, const char *s, size_t len)
{
	if (t->len - old.len + len > t->cap)
		return;
	memmove(t->p + old.at + len, t->p + old.at + old.len, t->len - old.at - old.len);
	memcpy(t->p + old.at, s, len);
	t->len += len;
	t->len -= old.len;
}

/* -- Pieces ------------------------------------------------------------------------- */

static bool
is_word(const struct text *t, size_t at)
{
	char c = at < t->len ? t->p[at] : ' ';

	if (c == '.') /* part of subgroup.id and 1.5, but not of 0..4 */
		return at > 0 && at + 1 < t->len && t->p[at - 1] != '.' && t->p[at + 1] != '.';
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '%';
}

static bool
is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\t';
}

/* Returns the token at or after a position. */
static struct span
token_at(const struct text *t, size_t at)
{
	struct span s;

	while (at < t->len && is_space(t->p[at]))
		at++;
	s.at = at;
	if (is_word(t, at)) {
		while (s.at > 0 && is_word(t, s.at - 1))
			s.at--;
		while (is_word(t, at))
			at++;
	} else if (at < t->len) {
		at++;
		if (at < t->len && strchr("=<>&|.", t->p[at]) && strchr("=<>&|.!+-", t->p[at - 1]))
			at++;
	}
	s.len = at - s.at;
	return s;
}

static struct span
any_token(struct text *t)
{
	return token_at(t, upto(t, t->len));
}

/* Returns a token of the same kind: a name for a name, a number for a number. */
static struct span
similar_token(struct text *t, struct span like)
{
	struct span s = like;

	for (int i = 0; i < 20; i++) {
		s = any_token(t);
		if (s.len && (t->p[s.at] >= 'a') == (t->p[like.at] >= 'a') &&
		    (t->p[s.at] == '%') == (t->p[like.at] == '%') &&
		    is_word(t, s.at) == is_word(t, like.at) && s.at != like.at)
			break;
	}
	return s;
}

/* Returns n whole lines from a position on. */
static struct span
lines_at(const struct text *t, size_t at, size_t n)
{
	struct span s = { at, 0 };
	size_t end = at;

	while (s.at > 0 && t->p[s.at - 1] != '\n')
		s.at--;
	for (; n && end < t->len; end++)
		n -= t->p[end] == '\n';
	s.len = end - s.at;
	return s;
}

/* Returns the span from a brace to the matching one. */
static struct span
block_at(const struct text *t, size_t at)
{
	struct span s = { at, 0 };
	int depth = 0;

	while (s.at < t->len && t->p[s.at] != '{')
		s.at++;
	for (at = s.at; at < t->len; at++) {
		depth += (t->p[at] == '{') - (t->p[at] == '}');
		if (depth == 0)
			break;
	}
	s.len = at < t->len ? at + 1 - s.at : 0;
	return s;
}

/* -- Changes ---------------------------------------------------------------------------- */

static void
copy_over(struct text *t, struct span to, struct span from)
{
	static char s[CAP];
	size_t len = from.len < sizeof s ? from.len : sizeof s;

	memcpy(s, t->p + from.at, len);
	replace(t, to, s, len);
}

static void
exchange(struct text *t, struct span a, struct span b)
{
	static char s[CAP];
	struct span first = a.at < b.at ? a : b, second = a.at < b.at ? b : a;

	if (first.at + first.len > second.at || second.len > sizeof s)
		return;
	memcpy(s, t->p + second.at, second.len);
	copy_over(t, second, first);
	replace(t, first, s, second.len);
}

static void
put_word(struct text *t, struct span old)
{
	const char *w = fuzz_words[upto(t, fuzz_n_words)];
	char s[128];
	int n = snprintf(s, sizeof s, upto(t, 8) ? "%s " : "%s", w);

	replace(t, old, s, (size_t)n);
}

static void
change_number(struct text *t)
{
	static const char *const edges[] = { "0",
					     "1",
					     "2",
					     "3",
					     "4",
					     "7",
					     "8",
					     "31",
					     "32",
					     "33",
					     "63",
					     "64",
					     "65",
					     "128",
					     "255",
					     "1000",
					     "1024",
					     "65535",
					     "65536",
					     "1048576",
					     "2147483647",
					     "2147483648",
					     "4294967295",
					     "4294967296",
					     "9223372036854775807",
					     "18446744073709551615",
					     "99999999999999999999",
					     "0x0",
					     "0xffffffff",
					     "0x7ff0000000000000",
					     "-1",
					     "1e38",
					     "1e-50" };
	struct span s = { 0, 0 };
	char text[32];
	size_t digits = 0;
	unsigned long v;

	for (int i = 0; i < 20; i++) {
		s = any_token(t);
		if (!s.len)
			continue;
		digits = t->p[s.at] == '%';
		if (digits < s.len && t->p[s.at + digits] >= '0' && t->p[s.at + digits] <= '9')
			break;
	}
	if (digits > s.len)
		return;
	s.at += digits;
	s.len -= digits;
	if (upto(t, 2)) {
		const char *edge = edges[upto(t, QD_COUNT(edges))];

		replace(t, s, edge, strlen(edge));
		return;
	}
	snprintf(text, sizeof text, "%.*s", (int)(s.len < 20 ? s.len : 20), t->p + s.at);
	v = strtoul(text, NULL, 0);
	v += upto(t, 5) - 2ul;
	replace(t, s, text, (size_t)snprintf(text, sizeof text, "%lu", v));
}

/* Inserts lines of another seed. */
static void
splice(struct text *t)
{
	static char other[CAP];
	static size_t n_seeds;
	struct text from = { .p = other, .d = t->d };
	struct span s;
	size_t at;

	while (!n_seeds || fuzz_seed(n_seeds, (uint8_t *)other, sizeof other))
		n_seeds++;
	from.len = fuzz_seed(upto(t, n_seeds), (uint8_t *)other, sizeof other);
	at = upto(t, from.len);
	s = lines_at(&from, at, 1 + upto(t, 3 * MAX_LINES_MOVED));
	replace(t, (struct span){ lines_at(t, upto(t, t->len), 1).at, 0 }, other + s.at, s.len);
}

/* Copies the beginning of a line up to '=' to another line, so that an unnamed value gets a
 * name. */
static void
copy_beginning(struct text *t)
{
	struct span from = lines_at(t, upto(t, t->len), 1), to = lines_at(t, upto(t, t->len), 1);
	const char *eq = from.len ? memchr(t->p + from.at, '=', from.len) : NULL;

	if (eq && from.at != to.at) {
		from.len = (size_t)(eq - (t->p + from.at)) + 1;
		copy_over(t, (struct span){ to.at, 0 }, from);
	}
}

static void
change(struct text *t)
{
	struct span a, b;
	size_t at;

	switch (upto(t, 17)) {
	case 0: put_word(t, any_token(t)); break;
	case 1: put_word(t, (struct span){ any_token(t).at, 0 }); break;
	case 2: replace(t, any_token(t), "", 0); break;
	case 3: /* replaces a token with one from elsewhere */
	case 4:
		a = any_token(t);
		copy_over(t, a, similar_token(t, a));
		break;
	case 5:
	case 6:
		a = any_token(t);
		exchange(t, a, similar_token(t, a));
		break;
	case 7:
	case 8: change_number(t); break;
	case 9: /* repeats some lines, here or elsewhere */
		at = upto(t, t->len);
		a = lines_at(t, at, 1 + upto(t, MAX_LINES_MOVED));
		b = upto(t, 2) ? a : lines_at(t, upto(t, t->len), 1);
		copy_over(t, (struct span){ b.at, 0 }, a);
		break;
	case 10:
		at = upto(t, t->len);
		replace(t, lines_at(t, at, 1 + upto(t, 2)), "", 0);
		break;
	case 11:
		a = lines_at(t, upto(t, t->len), 1);
		exchange(t, a, lines_at(t, upto(t, t->len), 1));
		break;
	case 12: /* replaces a block with another, repeats or removes it */
		a = block_at(t, upto(t, t->len));
		b = block_at(t, upto(t, t->len));
		if (upto(t, 3))
			copy_over(t, b, a);
		else
			replace(t, a, "", 0);
		break;
	case 13: splice(t); break;
	case 14: copy_beginning(t); break;
	case 15:
		if (t->len) {
			at = upto(t, t->len);
			t->p[at] ^= (char)(1 << upto(t, 7));
		}
		break;
	default: /* repeats one token many times */
		a = any_token(t);
		for (size_t n = upto(t, 8) ? upto(t, 4) : upto(t, 400); n > 0; n--)
			copy_over(t, (struct span){ a.at, 0 }, a);
		break;
	}
}

size_t
fuzz_damage(uint8_t *p, size_t size, size_t cap, struct fuzz_dice *d)
{
	struct text t = { .p = (char *)p, .len = size, .cap = cap, .d = d };

	for (size_t n = 1 + upto(&t, upto(&t, 4) ? 3 : 12); n > 0; n--)
		change(&t);
	return t.len;
}
