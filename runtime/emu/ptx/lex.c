/* Tokenizer of PTX text (PTX ISA 9.0, 4.1 to 4.5). */
#include "lex.h"

enum { C_SPACE = 1, C_START = 2, C_WORD = 4, C_DIGIT = 8, C_HEX = 16 };

#define D (C_WORD | C_DIGIT | C_HEX)
#define H (C_WORD | C_START | C_HEX)
#define L (C_WORD | C_START)
/* clang-format off */
static const uint8_t class_of[256] = {
	[' '] = C_SPACE, ['\t'] = C_SPACE, ['\r'] = C_SPACE, ['\f'] = C_SPACE, ['\v'] = C_SPACE,
	['0'] = D, D, D, D, D, D, D, D, D, D,
	['A'] = H, H, H, H, H, H, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L,
	['a'] = H, H, H, H, H, H, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L,
	['_'] = L, ['$'] = L, ['%'] = L,
};
/* clang-format on */
#undef D
#undef H
#undef L

static inline bool
is(char c, unsigned class)
{
	return class_of[(uint8_t)c] & class;
}

void
lex_open(struct lex *lx, const char *text, size_t len)
{
	*lx = (struct lex){ .p = text, .end = text + len, .line_start = text, .line = 1 };
	lex_next(lx);
}

static bool
bad(struct lex *lx, const char *why)
{
	lx->t.kind = TOK_BAD;
	lx->bad = why;
	return false;
}

bool
lex_skip(struct lex *lx)
{
	const char *p = lx->p, *end = lx->end;

	for (; p < end; p++) {
		if (is(*p, C_SPACE))
			continue;
		if (*p == '\n') {
			lx->line++;
			lx->line_start = p + 1;
		} else if (*p == '/' && p + 1 < end && p[1] == '/') {
			p = memchr(p, '\n', (size_t)(end - p));
			if (!p) {
				p = end;
				break;
			}
			p--;
		} else if (*p == '/' && p + 1 < end && p[1] == '*') {
			const char *from = p;

			for (p += 2; p + 1 < end && !(p[0] == '*' && p[1] == '/'); p++)
				if (*p == '\n') {
					lx->line++;
					lx->line_start = p + 1;
				}
			if (p + 1 >= end) {
				lx->p = end;
				lx->t.s = from;
				return false;
			}
			p++;
		} else {
			break;
		}
	}
	lx->p = p;
	return true;
}

static int
digit(char c)
{
	return c <= '9' ? c - '0' : (c | 32) - 'a' + 10;
}

/* Reads exactly 2 * size hexadecimal digits after 0f or 0d. */
static bool
read_bits(struct lex *lx, uint8_t size)
{
	const char *p = lx->p + 2;
	uint64_t v = 0;
	unsigned n = 0;

	for (; p < lx->end && is(*p, C_HEX); p++, n++)
		v = v << 4 | (uint64_t)digit(*p);
	lx->p = p;
	if (n != 2u * size)
		return bad(lx, size == 4 ? "expected 8 hexadecimal digits after 0f"
					 : "expected 16 hexadecimal digits after 0d");
	lx->t.kind = TOK_FLOAT;
	lx->t.float_size = size;
	lx->t.value = v;
	return true;
}

static void
read_number(struct lex *lx)
{
	const char *p = lx->p, *end = lx->end;
	char second = p + 1 < end ? (char)(p[1] | 32) : 0;
	int base = 10;
	uint64_t v = 0;

	if (*p == '0' && (second == 'f' || second == 'd')) {
		read_bits(lx, second == 'f' ? 4 : 8);
		return;
	}
	if (*p == '0' && (second == 'x' || second == 'b')) {
		base = second == 'x' ? 16 : 2;
		p += 2;
	} else {
		const char *q = p;

		while (q < end && is(*q, C_DIGIT))
			q++;
		if (q < end && (*q == '.' || (*q | 32) == 'e')) {
			double f;
			size_t n = text_read_f64(p, (size_t)(end - p), &f);

			lx->p = p + n;
			if (!n) {
				lx->p = q;
				bad(lx, "invalid number");
				return;
			}
			lx->t.kind = TOK_FLOAT;
			lx->t.float_size = 0;
			memcpy(&lx->t.value, &f, 8);
			return;
		}
		if (*p == '0')
			base = 8;
	}
	const char *digits = p;
	bool over = false;

	for (; p < end && is(*p, C_HEX); p++) {
		if (digit(*p) >= base)
			break;
		over |= v > (UINT64_MAX - (uint64_t)digit(*p)) / (uint64_t)base;
		v = v * (uint64_t)base + (uint64_t)digit(*p);
	}
	bool none = p == digits;

	if (p < end && (*p == 'U' || *p == 'u'))
		p++;
	lx->p = p;
	lx->t.kind = TOK_INT;
	lx->t.value = v;
	if (none || (p < end && is(*p, C_WORD)))
		bad(lx, "invalid number");
	else if (over)
		bad(lx, "the number does not fit in 64 bits");
}

bool
lex_is_word(char c)
{
	return is(c, C_WORD);
}

void
lex_next(struct lex *lx)
{
	if (!lex_skip(lx)) {
		lx->t.len = 2;
		lx->t.line = lx->line;
		lx->t.col = 1;
		bad(lx, "unterminated comment");
		return;
	}
	const char *s = lx->p, *end = lx->end;

	lx->t.s = s;
	lx->t.line = lx->line;
	lx->t.col = (uint32_t)(s - lx->line_start) + 1;
	lx->t.value = 0;
	if (s == end) {
		lx->t.kind = TOK_END;
		lx->t.len = 0;
		return;
	}
	if (is(*s, C_START)) {
		const char *p = s + 1;

		while (p < end && is(*p, C_WORD))
			p++;
		/* The special register %tid.x is one name. */
		if (*s == '%' && end - p >= 2 && *p == '.' && strchr("xyzwrgba", p[1]) && p[1] &&
		    (end - p == 2 || !is(p[2], C_WORD)))
			p += 2;
		lx->p = p;
		lx->t.kind = TOK_NAME;
	} else if (is(*s, C_DIGIT)) {
		read_number(lx);
	} else if (*s == '.' && end - s >= 2 && is(s[1], C_START)) {
		const char *p = s + 1;

		while (p < end && is(*p, C_WORD))
			p++;
		lx->t.s = s + 1;
		lx->p = p;
		lx->t.kind = TOK_DOT;
		lx->t.len = (uint32_t)(p - s - 1);
		return;
	} else if (*s == '"') {
		const char *p = s + 1;

		while (p < end && *p != '"' && *p != '\n')
			p += *p == '\\' && p + 1 < end && p[1] != '\n' ? 2 : 1;
		lx->t.kind = TOK_STRING;
		if (p >= end || *p != '"')
			bad(lx, "unterminated string");
		else
			p++;
		lx->p = p;
	} else {
		lx->t.kind = TOK_CHAR;
		lx->p = s + 1;
	}
	lx->t.len = (uint32_t)(lx->p - s);
}

void
lex_extend(struct lex *lx)
{
	const char *p = lx->t.s, *end = lx->end;

	for (; p < end; p++) {
		if (is(*p, C_WORD) || *p == '.')
			continue;
		if (*p == ':' && end - p >= 3 && p[1] == ':' && is(p[2], C_WORD))
			p++;
		else
			break;
	}
	lx->p = p;
	lx->t.len = (uint32_t)(p - lx->t.s);
}

void
lex_skip_line(struct lex *lx)
{
	const char *p = memchr(lx->t.s, '\n', (size_t)(lx->end - lx->t.s));

	lx->p = p ? p : lx->end;
	lex_next(lx);
}
