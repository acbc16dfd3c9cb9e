/* Lexer of PTX: whitespace and comments, names, ends of statements. */
#include "dis_ptx.h"

#include "lex.h"

TOOL_NORETURN void
ptx_broken(const struct ptx *p, const char *at, const char *what)
{
	uint32_t line = 1;

	for (const char *s = p->start; s < at; s++)
		line += *s == '\n';
	tool_die(EXIT_INPUT, "'%s': line %u: %s", p->c->label, line, what);
}

/* -- Words -------------------------------------------------------------------------------- */

bool
ptx_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

const char *
ptx_skip(const struct ptx *p, const char *s)
{
	struct lex lx = { .p = s, .end = p->end };

	return lex_skip(&lx) ? lx.p : p->end;
}

struct word
ptx_ident(const struct ptx *p, const char *s)
{
	const char *from = s;

	while (s < p->end && lex_is_word(*s))
		s++;
	return (struct word){ from, (uint32_t)(s - from) };
}

bool
word_is(struct word w, const char *text)
{
	return strlen(text) == w.len && memcmp(w.s, text, w.len) == 0;
}

bool
word_same(struct word a, struct word b)
{
	return a.len == b.len && memcmp(a.s, b.s, a.len) == 0;
}

bool
ptx_directive(const struct ptx *p, const char *s, const char *name)
{
	size_t len = strlen(name);

	return (size_t)(p->end - s) > len && memcmp(s, name, len) == 0 && !lex_is_word(s[len]);
}

uint64_t
word_number(struct word w)
{
	uint64_t v = 0;

	for (uint32_t i = 0; i < w.len && ptx_is_digit(w.s[i]) && v < UINT64_C(1) << 40; i++)
		v = 10 * v + (uint64_t)(w.s[i] - '0');
	return v;
}

const char *
ptx_line_end(const struct ptx *p, const char *s)
{
	const char *eol = memchr(s, '\n', (size_t)(p->end - s));

	return eol ? eol : p->end;
}

const char *
ptx_line_of(struct ptx *p, const char *s)
{
	if (p->line && p->line <= s && s <= p->line_end)
		return p->line;
	/* begins after the previous line, so that no byte is scanned twice */
	const char *from = p->line && p->line_end < s ? p->line_end : p->start, *bol = s;
	while (bol > from && bol[-1] != '\n')
		bol--;
	p->line = bol;
	p->line_end = ptx_line_end(p, s);
	return bol;
}

const char *
ptx_statement_end(const struct ptx *p, const char *s, const char *enders)
{
	const char *from = s;
	int depth = 0;

	while ((s = ptx_skip(p, s)) < p->end) {
		if (*s == '"') {
			for (s++; s < p->end && *s != '"'; s++)
				s += *s == '\\' && p->end - s > 1;
		} else if (depth == 0 && strchr(enders, *s)) {
			return s;
		} else if (*s == '(' || *s == '[' || *s == '{') {
			depth++;
		} else if (*s == ')' || *s == ']' || *s == '}') {
			depth--;
		}
		s += s < p->end;
	}
	ptx_broken(p, from, "the text ends within the construct that begins here");
}
