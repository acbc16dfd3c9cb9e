/* Reads the text in one pass, one number at a time. */
#include "hex.h"

#include <stdarg.h>
#include <stdio.h>

struct hex {
	const char *name;
	struct qd_error *err;
	const char *at, *end, *line; /* start of the line that contains `at` */
	unsigned line_number;
	uint8_t *out;
	size_t n; /* bytes */
};

/* Reports an error at p, which is in the current line. */
QD_COLD static qd_status QD_PRINTF(3, 4)
	wrong(const struct hex *h, const char *p, const char *fmt, ...)
{
	size_t len = (size_t)(h->end - h->line);
	uint32_t col = (uint32_t)(p - h->line) + 1;
	const char *newline = memchr(h->line, '\n', len);
	char what[128];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	len = newline ? (size_t)(newline - h->line) : len;
	/* Show the line if it is short. */
	qd_fail(h->err, QD_E_INVALID,
		len < 200 ? "%s:%u:%u: error: %s\n%5u | %.*s\n      | %*s" : "%s:%u:%u: error: %s",
		h->name, h->line_number, col, what, h->line_number, (int)len, h->line, (int)col,
		"^");
	if (h->err) {
		h->err->line = h->line_number;
		h->err->col = col;
	}
	return QD_E_INVALID;
}

static void
next_line(struct hex *h)
{
	h->line = ++h->at;
	h->line_number++;
}

/* Skips blanks, commas and comments; false at the end of the text. */
static bool
skip_blank(struct hex *h)
{
	while (h->at < h->end) {
		size_t left = (size_t)(h->end - h->at);
		bool comment = *h->at == ';' || *h->at == '#' ||
			       (left > 1 && h->at[0] == '/' && h->at[1] == '/');
		if (*h->at == '\n') {
			next_line(h);
		} else if (comment) {
			const char *newline = memchr(h->at, '\n', left);
			h->at = newline ? newline : h->end;
		} else if (strchr(" \t\r\f\v,", *h->at)) {
			h->at++;
		} else {
			return true;
		}
	}
	return false;
}

static int
digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

struct number {
	const char *at;
	size_t len, n_digits;
	uint32_t v; /* meaningless with more than 8 digits */
	bool prefix;
};

/* Reads up to a character that may follow a number. n_digits is 0 if it is not a number. */
static struct number
read_number(struct hex *h)
{
	struct number n = { .at = h->at };
	size_t i = 0;

	while (h->at < h->end && !strchr(" \t\r\n\f\v,;#[]/", *h->at))
		h->at++;
	n.len = (size_t)(h->at - n.at);
	n.prefix = n.len > 1 && n.at[0] == '0' && (n.at[1] == 'x' || n.at[1] == 'X');
	for (i = n.prefix ? 2 : 0; i < n.len && digit(n.at[i]) >= 0; i++)
		n.v = n.v << 4 | (uint32_t)digit(n.at[i]);
	n.n_digits = i == n.len ? n.len - (n.prefix ? 2 : 0) : 0;
	if (!n.len)
		n.len = 1; /* the invalid character */
	return n;
}

static int
shown(const struct number *n)
{
	return n->len < 40 ? (int)n->len : 40;
}

static void
put_bytes(struct hex *h, uint32_t v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		h->out[h->n++] = (uint8_t)(v >> 8 * i);
}

/* Reads bytes in brackets, the lowest of each word first: [0x00,0x00,0x80,0xbf]. */
static qd_status
read_list(struct hex *h)
{
	const char *open = h->at++;
	size_t before = h->n;
	struct hex start = *h;

	while (skip_blank(h) && *h->at != ']') {
		struct number n = read_number(h);
		if (!n.n_digits || n.n_digits > 2)
			return wrong(h, n.at, "'%.*s' is not a byte", shown(&n), n.at);
		put_bytes(h, n.v, 1);
	}
	if (h->at == h->end)
		return wrong(&start, open, "this list of bytes is not closed");
	if (h->n == before || (h->n - before) % 4)
		return wrong(&start, open, "%zu bytes are not a whole number of words",
			     h->n - before);
	h->at++;
	return QD_OK;
}

/* Reads a word. Two digits after 0x are the first byte of a word. */
static qd_status
read_word(struct hex *h)
{
	struct number n = read_number(h);
	struct hex start = *h;

	if (n.n_digits != 2 || !n.prefix) {
		if (!n.n_digits || n.n_digits > 8)
			return wrong(h, n.at, "'%.*s' is not a 32-bit word", shown(&n), n.at);
		put_bytes(h, n.v, 4);
		return QD_OK;
	}
	put_bytes(h, n.v, 1);
	for (int i = 1; i < 4; i++) {
		struct number next = { 0 };
		if (skip_blank(h) && *h->at != '[')
			next = read_number(h);
		if (next.n_digits != 2 || !next.prefix)
			return wrong(&start, n.at, "%d byte%s from here on do%s not form a word", i,
				     i == 1 ? "" : "s", i == 1 ? "es" : "");
		put_bytes(h, next.v, 1);
	}
	return QD_OK;
}

bool
hex_is_text(const char *p, size_t size)
{
	for (size_t i = 0; i < size;) {
		unsigned char c = (unsigned char)p[i];
		size_t n = c < 0x80		   ? 1
			   : c >= 0xc2 && c < 0xe0 ? 2
			   : c >= 0xe0 && c < 0xf0 ? 3
			   : c >= 0xf0 && c < 0xf5 ? 4
						   : 0;
		if (!n || n > size - i || c == 127 || (c < 32 && !strchr("\t\n\v\f\r", c)) || !c)
			return false;
		for (size_t k = 1; k < n; k++) {
			if (((unsigned char)p[i + k] & 0xc0) != 0x80)
				return false;
		}
		i += n;
	}
	return true;
}

qd_status
hex_read(struct arena *mem, const char *name, const char *p, size_t size, uint8_t **out, size_t *n,
	 struct qd_error *err)
{
	struct hex h = {
		.name = name, .err = err, .at = p, .end = p + size, .line = p, .line_number = 1
	};

	/* A single digit can be a word. */
	h.out = arena_alloc(mem, 4 * size);
	if (!h.out)
		return qd_fail(err, QD_E_NOMEM, "out of memory for %zu words", size);
	while (skip_blank(&h))
		QD_TRY(*h.at == '[' ? read_list(&h) : read_word(&h));
	if (!h.n)
		return wrong(&h, h.at, "the text contains no words");
	*out = h.out;
	*n = h.n;
	return QD_OK;
}
