/* Escapes text from files for output. */
#include "show.h"

#include <stdio.h>

#include "base.h"

size_t
show_utf8(const char *s, size_t size, uint32_t *c)
{
	static const struct {
		unsigned char mask, lead;
		uint32_t least;
	} forms[] = { { 0x80, 0, 0 }, { 0xe0, 0xc0, 0x80 }, { 0xf0, 0xe0, 0x800 },
		      { 0xf8, 0xf0, 0x10000 } };

	for (size_t n = 0; n < 4 && n < size; n++) {
		unsigned char first = (unsigned char)*s;
		if ((first & forms[n].mask) != forms[n].lead)
			continue;
		uint32_t v = first & (unsigned char)~forms[n].mask;
		for (size_t i = 1; i <= n; i++) {
			unsigned char next = (unsigned char)s[i];
			if ((next & 0xc0) != 0x80)
				return 0;
			v = v << 6 | (next & 0x3fu);
		}
		*c = v;
		return v >= forms[n].least && v <= 0x10ffff && (v < 0xd800 || v > 0xdfff) ? n + 1 : 0;
	}
	return 0;
}

/* Control characters, Unicode's Bidi_Control, and Unicode's separators of lines and paragraphs. */
bool
show_escapes(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x61c || c == 0x200e || c == 0x200f ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

size_t
show_next(const char *s, size_t size, int how, char *out, size_t *len)
{
	uint32_t c = 0;
	size_t n = show_utf8(s, size, &c);

	if (n && (!show_escapes(c) || (how == SHOW_LINES && (c == '\n' || c == '\t')))) {
		memcpy(out, s, n);
		*len = n;
		return n;
	}
	*len = (size_t)(n > 1 ? snprintf(out, SHOW_MOST + 1, "\\u%04x", (unsigned)(c & 0xffff))
			      : snprintf(out, SHOW_MOST + 1, "\\x%02x", (unsigned)(unsigned char)*s));
	return n ? n : 1;
}

bool
show_is_plain(const char *s, size_t size, int how)
{
	char out[SHOW_MOST + 1];
	size_t len;

	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c >= 0x20 && c < 0x7f)
			continue;
		size_t n = show_next(s + i, size - i, how, out, &len);
		if (len != n || memcmp(out, s + i, n) != 0)
			return false;
		i += n - 1;
	}
	return true;
}

size_t
show_text(char *out, size_t cap, const char *s, size_t size, int how)
{
	size_t at = 0, whole = 0, len; /* whole: the last position where "..." still fits */
	char one[SHOW_MOST + 1];

	for (size_t i = 0; i < size && s[i];) {
		/* Bytes after a NUL are not part of the text. */
		size_t room = size - i < 4 ? size - i : strnlen(s + i, 4);
		i += show_next(s + i, room, how, one, &len);
		if (at + len >= cap) {
			memcpy(out + whole, "...", 4);
			return whole + 3;
		}
		memcpy(out + at, one, len);
		at += len;
		whole = at + 4 <= cap ? at : whole;
	}
	out[at] = '\0';
	return at;
}

const char *
show_in(struct arena *mem, const char *s)
{
	size_t len = strlen(s), cap = SHOW_MOST * len + 1;
	char *out;

	if (show_is_plain(s, len, SHOW_NAME))
		return s;
	if ((out = arena_alloc(mem, cap)))
		show_text(out, cap, s, len, SHOW_NAME);
	return out;
}

struct shown
show_name(const char *s, size_t size)
{
	struct shown out;

	show_text(out.s, sizeof out.s, s, size, SHOW_NAME);
	return out;
}
