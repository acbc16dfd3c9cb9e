/* Text to tokens. A bad token is reported here and returned as T_BAD. */
#include "lang.h"

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Reads a line directive at p->pos, which is a '#' at the start of a line. Returns false after an
 * error. */
static bool
line_directive(struct parser *p)
{
	const char *s = p->m->text, *at = s + p->pos + 1, *end = memchr(at, '\n', p->m->len - p->pos - 1), *name = NULL;
	const char *eol = end ? end : s + p->m->len, *close = NULL;
	uint64_t line = 0;
	uint32_t digits = 0;
	bool ok;

	while (eol > at && (eol[-1] == ' ' || eol[-1] == '\t' || eol[-1] == '\r'))
		eol--;
	ok = eol - at > 5 && memcmp(at, "line ", 5) == 0;
	for (at += ok ? 5 : 0; ok && at < eol && *at == ' '; at++)
		;
	for (; ok && at < eol && is_digit(*at) && digits < 10; at++, digits++)
		line = 10 * line + (uint64_t)(*at - '0');
	if (ok && at < eol && *at == ' ') {
		while (*at == ' ')
			at++;
		ok = *at == '"' && (close = memchr(at + 1, '"', (size_t)(eol - at) - 1));
		name = ok ? at + 1 : NULL;
		at = ok ? close + 1 : at;
	}
	ok = ok && at == eol && line && line <= INT32_MAX && (!name || close > name);
	for (const char *c = name; ok && name && c < close; c++)
		ok = *c >= ' ' && *c <= '~';
	if (!ok) {
		uint32_t len = (uint32_t)(eol - s) - p->pos;
		char found[64];

		snprintf(found, sizeof found, "'%.*s%s'", len > 40 ? 40 : (int)len, s + p->pos, len > 40 ? "..." : "");
		sink_error(p->sink, p->pos, len, NULL, DIAG_E0101, "#line 7 or #line 7 \"file\", on a line of its own", found);
	}
	if (ok && end && !import_set_line(p->m, p->sink, (uint32_t)(end - s) + 1, (uint32_t)line, name,
						name ? (uint32_t)(close - name) : 0))
		p->sink->nomem = true;
	p->pos = end ? (uint32_t)(end - s) : p->m->len;
	return ok && !p->sink->nomem;
}

/* Returns whether only blanks precede p->pos in its line. */
static bool
at_line_start(const struct parser *p)
{
	uint32_t at = p->pos;

	while (at && (p->m->text[at - 1] == ' ' || p->m->text[at - 1] == '\t'))
		at--;
	return !at || p->m->text[at - 1] == '\n';
}

/* Skips blanks, comments and line directives; false after an error. */
static bool
skip_blank(struct parser *p)
{
	const char *s = p->m->text;
	uint32_t len = p->m->len;

	for (;;) {
		while (p->pos < len &&
		       (s[p->pos] == ' ' || (s[p->pos] >= '\t' && s[p->pos] <= '\r')))
			p->pos++;
		if (p->pos + 6 < len && s[p->pos] == '#' && memcmp(s + p->pos + 1, "line", 4) == 0 && at_line_start(p)) {
			if (!line_directive(p))
				return false;
			continue;
		}
		if (p->pos + 1 >= len || s[p->pos] != '/')
			return true;
		if (s[p->pos + 1] == '/') {
			const char *eol = memchr(s + p->pos, '\n', len - p->pos);

			p->pos = eol ? (uint32_t)(eol - s) : len;
		} else if (s[p->pos + 1] == '*') {
			uint32_t start = p->pos;

			p->pos += 2;
			while (p->pos + 1 < len && !(s[p->pos] == '*' && s[p->pos + 1] == '/'))
				p->pos++;
			if (p->pos + 1 >= len) {
				p->pos = len;
				sink_error(p->sink, start, 2, NULL, DIAG_E0106);
				return false;
			}
			p->pos += 2;
		} else {
			return true;
		}
	}
}

/* Writes to out the spelling in this language of a number with '_' or with another language's
 * suffix. Returns false if there is none. */
static bool
our_number(const char *s, uint32_t len, char out[40])
{
	static const struct {
		const char *theirs, *ours;
	} suffixes[] = { { "f32", "" },	  { "f64", "d" }, { "u32", "u" },   { "i32", "" }, { "u64", "ul" }, { "i64", "l" },
			 { "usize", "u" }, { "ull", "ul" }, { "llu", "ul" }, { "lu", "ul" }, { "ll", "l" },   { "h", "" } };
	uint32_t n = 0;

	if (len >= 36 || (len > 1 && (s[1] == 'x' || s[1] == 'X')))
		return false;
	for (uint32_t i = 0; i < len; i++)
		if (s[i] != '_')
			out[n++] = (char)(s[i] >= 'A' && s[i] <= 'Z' && s[i] != 'E' ? s[i] | 32 : s[i]);
	out[n] = '\0';
	for (size_t i = 0; i < QD_COUNT(suffixes); i++) {
		uint32_t m = (uint32_t)strlen(suffixes[i].theirs);
		if (n > m && strcmp(out + n - m, suffixes[i].theirs) == 0 && (is_digit(out[n - m - 1]) || out[n - m - 1] == '.')) {
			strcpy(out + n - m, suffixes[i].ours);
			return true;
		}
	}
	return n < len;
}

static void
bad_number(struct parser *p, struct token *t, const char *why)
{
	const char *s = p->m->text + t->at;
	struct help help = { 0 };
	char text[80], ours[40];

	t->kind = T_BAD;
	/* C's 2.0f */
	if (t->len > 1 && t->len < 40 && (s[t->len - 1] | 32) == 'f' && is_digit(s[t->len - 2])) {
		snprintf(text, sizeof text, "write %.*s, which is an f32", (int)t->len - 1, s);
		help.help = text;
	} else if (our_number(s, t->len, ours)) {
		snprintf(text, sizeof text, "write %s", ours);
		help.help = text;
	}
	sink_error(p->sink, t->at, t->len, &help, DIAG_E0108, (int)(t->len > 60 ? 60 : t->len), s,
		   why);
}

/* Reads the digits of an integer, hexadecimal after 0x. */
static void
read_integer(struct parser *p, struct token *t, uint32_t digits)
{
	const char *s = p->m->text + t->at;
	bool hex = digits > 2 && (s[1] == 'x' || s[1] == 'X');
	uint64_t base = hex ? 16 : 10, v = 0;

	for (uint32_t i = hex ? 2 : 0; i < digits; i++) {
		uint64_t d = is_digit(s[i]) ? (uint64_t)(s[i] - '0')
					    : (uint64_t)((s[i] | 32) - 'a' + 10);

		if (v > (UINT64_MAX - d) / base) {
			t->kind = T_BAD;
			sink_error(p->sink, t->at, t->len, NULL, DIAG_E0109,
				   (int)(digits > 60 ? 60 : digits), s);
			return;
		}
		v = v * base + d;
	}
	t->num = v;
}

/* Reads a number. Suffixes: u l ul on integers, d on decimals. */
static void
read_number(struct parser *p, struct token *t)
{
	const char *s = p->m->text + t->at, *e = s, *suffix;
	bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X'), is_float = false, exponent = false;

	if (hex)
		e += 2;
	while (hex ? is_hex(*e) : is_digit(*e))
		e++;
	if (*e == '.' && (hex ? is_hex(e[1]) : is_digit(e[1]))) {
		is_float = true;
		for (e++; hex ? is_hex(*e) : is_digit(*e); e++)
			;
	}
	if ((*e | 32) == (hex ? 'p' : 'e')) {
		const char *x = e + 1;

		if (*x == '+' || *x == '-')
			x++;
		if (is_digit(*x)) {
			is_float = exponent = true;
			while (is_digit(*x))
				x++;
			e = x;
		}
	}
	suffix = e;
	while (is_letter(*e) || is_digit(*e))
		e++;
	t->kind = is_float ? T_FLOAT : T_INT;
	t->len = (uint32_t)(e - s);
	p->pos = t->at + t->len;
	if (hex && suffix == s + 2) {
		bad_number(p, t, "hexadecimal digits are missing");
		return;
	}
	if (hex && is_float && !exponent) {
		bad_number(p, t, "a hexadecimal fraction needs an exponent, as in 0x1.8p0");
		return;
	}
	t->num = (uint64_t)(suffix - s); /* of a decimal: characters without the suffix */
	if (e - suffix == 1 && *suffix == 'd' && is_float)
		t->type = QD_TYPE_F64;
	else if (e - suffix == 1 && *suffix == 'u' && !is_float)
		t->type = QD_TYPE_U32;
	else if (e - suffix == 1 && *suffix == 'l' && !is_float)
		t->type = QD_TYPE_I64;
	else if (e - suffix == 2 && memcmp(suffix, "ul", 2) == 0 && !is_float)
		t->type = QD_TYPE_U64;
	else if (e > suffix) {
		bad_number(p, t,
			   is_float ? "a decimal literal takes no suffix but d"
				    : "an integer literal takes no suffix but u, l and ul");
		return;
	}
	if (!is_float)
		read_integer(p, t, (uint32_t)(suffix - s));
}

static void
read_string(struct parser *p, struct token *t)
{
	const char *s = p->m->text;
	uint32_t e = t->at + 1, bad = 0;

	for (; e < p->m->len && s[e] != '"' && s[e] != '\n' && s[e] != '\r'; e++)
		if (!bad && (s[e] < ' ' || s[e] > '~'))
			bad = e;
	t->kind = bad ? T_BAD : T_STRING;
	if (bad)
		sink_error(p->sink, bad, 1, NULL, DIAG_E0105);
	if (e < p->m->len && s[e] == '"') {
		e++;
	} else {
		t->kind = T_BAD;
		sink_error(p->sink, t->at, e - t->at, NULL, DIAG_E0107);
	}
	p->pos = e;
	t->len = e - t->at;
}

static void
bad_character(struct parser *p, struct token *t)
{
	uint8_t c = (uint8_t)p->m->text[t->at];
	char text[8];

	t->kind = T_BAD;
	while (c >= 0x80 && p->pos < p->m->len && (uint8_t)p->m->text[p->pos] >= 0x80)
		p->pos++; /* report the whole character once */
	t->len = p->pos - t->at;
	if (c >= 0x80) {
		struct help help = { 0 };

		if (!t->at && p->m->len >= 3 && memcmp(p->m->text, "\xef\xbb\xbf", 3) == 0)
			help.help = "the file begins with a byte order mark: save it as UTF-8 "
				    "without one";
		sink_error(p->sink, t->at, 1, &help, DIAG_E0105);
		return;
	}
	uint32_t word = 0; /* length of the word in #pragma, @compute */

	while (t->at + 1 + word < p->m->len && (c == '#' || c == '@') && p->m->text[t->at + 1 + word] >= 'a' &&
	       p->m->text[t->at + 1 + word] <= 'z')
		word++;
	if (!help_found("a character", p->m->text + t->at, 1 + word))
		word = 0;
	if (c >= ' ' && c < 0x7f)
		snprintf(text, sizeof text, "'%c'", c);
	else
		snprintf(text, sizeof text, "0x%02x", c);
	sink_error(p->sink, t->at, 1,
		   &(struct help){ .help = help_found(c ? "a character" : "a zero byte",
						      p->m->text + t->at, 1 + word) },
		   DIAG_E0104, text);
}

const struct mark marks[N_TOKEN] = {
#define OPERATOR(name, text, level, op) [T_##name] = { text, sizeof text - 1, level, OP_##op },
#include "token.def"
};

/* Reads the longest mark that matches. */
static void
read_mark(struct parser *p, struct token *t)
{
	const char *s = p->m->text + t->at;

	for (uint32_t i = T_STRING + 1; i < N_TOKEN; i++) {
		const struct mark *m = &marks[i];

		if (s[0] == m->text[0] && m->len > t->len && strncmp(s, m->text, m->len) == 0) {
			t->kind = (uint8_t)i;
			t->len = m->len;
			if (i <= T_COLON)
				break; /* no longer mark begins with it */
		}
	}
	p->pos = t->at + (t->len ? t->len : 1);
	if (!t->len)
		bad_character(p, t);
}

struct token
lex_token(struct parser *p)
{
	struct token t = { .kind = T_EOF };
	const char *s = p->m->text;

	if (sink_full(p->sink))
		p->pos = p->m->len;
	if (!skip_blank(p))
		t.kind = T_BAD;
	t.at = p->pos;
	if (t.kind == T_BAD || p->pos >= p->m->len)
		return t;
	if (is_letter(s[t.at])) {
		while (is_letter(s[p->pos]) || is_digit(s[p->pos]))
			p->pos++;
		t.len = p->pos - t.at;
		t.kind = T_NAME;
		if (t.len > MAX_NAME) {
			sink_error(p->sink, t.at, t.len, NULL, DIAG_E0121, MAX_NAME);
			t.kind = T_BAD;
		} else if (!(t.sym = symtab_intern(&p->m->syms, s + t.at, t.len))) {
			p->sink->nomem = true;
			t.kind = T_BAD;
		}
	} else if (is_digit(s[t.at])) {
		read_number(p, &t);
	} else if (s[t.at] == '"') {
		read_string(p, &t);
	} else {
		read_mark(p, &t);
	}
	return t;
}
