/* Prints diagnostics as JSON: each is an object on one line of stderr. The input is the library's
 * text for people:
 *
 *	file:line:col: severity: message [code]
 *	    3 | the line
 *	      |     ^~~~
 *	file:line:col: note: message		with its own line and caret, or without
 *	help: message
 *
 * A diagnostic may lack a position. line, col and end_col count from 1; end_col is the column
 * after the underlined text. Without a position, all three are 0 and file is null. */
#include <stdlib.h>

#include "tool.h"

static const char *const severities[] = { "error", "warning", "finding", "remark", "print", "note",
					  "help" };

struct sentence {
	const char *file, *severity, *message, *code; /* parts of the text; NULL: none */
	unsigned line, col, end_col;
};

/* Reads the numbers of "file:3:14" and returns the end of "file"; NULL: no position. */
static char *
read_place(char *s, char *end, struct sentence *out)
{
	unsigned *const v[] = { &out->col, &out->line };

	for (size_t i = 0; i < QD_COUNT(v); i++) {
		char *digits = end;

		while (digits > s && digits[-1] >= '0' && digits[-1] <= '9')
			digits--;
		if (digits == end || digits == s || digits[-1] != ':')
			return NULL;
		*v[i] = (unsigned)strtoul(digits, NULL, 10);
		end = digits - 1;
	}
	return end;
}

/* Cuts "[E0102]" off the end and stores the code. */
static void
read_code(char *s, struct sentence *out)
{
	size_t len = strlen(s);

	if (len > 8 && s[len - 1] == ']' && s[len - 7] == '[' && s[len - 8] == ' ') {
		s[len - 8] = s[len - 1] = '\0';
		out->code = s + len - 6;
	}
}

/* Returns the first "severity: " at the beginning of the line or after a colon. */
static char *
find_severity(char *s, const char **severity)
{
	char mark[16], *at = NULL;

	for (size_t i = 0; i < QD_COUNT(severities); i++) {
		snprintf(mark, sizeof mark, "%s: ", severities[i]);
		char *p = strstr(s, mark);
		if (p && (p == s || (p - s > 1 && memcmp(p - 2, ": ", 2) == 0)) && (!at || p < at)) {
			at = p;
			*severity = severities[i];
		}
	}
	return at;
}

/* Splits a line in place. severity: the default, if the line has none. */
static struct sentence
read_sentence(char *s, const char *severity)
{
	struct sentence out = { .severity = severity, .message = s };
	char *at = find_severity(s, &out.severity), *file_end;

	read_code(s, &out);
	if (!at)
		return out;
	size_t skip = strlen(out.severity) + 2;
	if (at == s) {
		out.message = s + skip;
	} else if ((file_end = read_place(s, at - 2, &out))) {
		*file_end = '\0';
		out.file = s;
		out.end_col = out.col;
		out.message = at + skip;
	} else {
		/* "call 3, qd_add: finding: ...": the subject remains in the message. */
		out.line = out.col = 0;
		memmove(s + skip, s, (size_t)(at - s));
		out.message = s + skip;
	}
	return out;
}

/* Reads the width of the underline: " | ^~~~". */
static void
read_caret(const char *s, struct sentence *out)
{
	const char *caret = s + strspn(s, " |");

	if (*caret == '^' && caret - s >= 8)
		out->end_col = (unsigned)(caret - s - 8) + 1 + (unsigned)strspn(caret, "^~");
}

static bool
is_source(const char *s)
{
	const char *bar = s + strspn(s, " 0123456789");

	return bar - s >= 6 && bar[-1] == ' ' && bar[0] == '|' && bar[1] == ' ';
}

static void
put_sentence(FILE *f, const struct sentence *s)
{
	fputs("\"file\":", f);
	if (s->file)
		tool_json_string(f, s->file);
	else
		fputs("null", f);
	fprintf(f, ",\"line\":%u,\"col\":%u,\"end_col\":%u,\"severity\":\"%s\"", s->line, s->col,
		s->end_col, s->severity);
	fputs(",\"code\":", f);
	if (s->code)
		tool_json_string(f, s->code);
	else
		fputs("null", f);
	fputs(",\"message\":", f);
	tool_json_string(f, s->message);
}

enum { MAX_SENTENCE = 16 };

/* Splits a message into sentences, in place. The first is the diagnostic; the others are
 * its notes. */
static size_t
read_text(const char *severity, char *text, struct sentence *s)
{
	size_t n = 0;

	for (char *line = text, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (n && is_source(line)) {
			read_caret(line, &s[n - 1]);
		} else if (n < MAX_SENTENCE) {
			s[n] = read_sentence(line, n ? "note" : severity);
			n++;
		}
	}
	return n;
}

void
diag_object(FILE *f, const char *severity, const char *text)
{
	struct sentence s[MAX_SENTENCE];
	char *copy = strdup(text), none[1] = "";
	size_t n = read_text(severity, copy ? copy : none, s);

	fputc('{', f);
	put_sentence(f, &s[0]);
	fputs(",\"notes\":[", f);
	for (size_t i = 1; i < n; i++) {
		fputs(i > 1 ? ",{" : "{", f);
		put_sentence(f, &s[i]);
		fputc('}', f);
	}
	fputs("]}", f);
	free(copy);
}

void
diag_json(const char *severity, const char *text)
{
	char *line = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&line, &size);

	if (f) {
		diag_object(f, severity, text);
		fputc('\n', f);
		/* In one write, since other threads may print too. */
		if (fclose(f) == 0)
			fwrite(line, 1, size, stderr);
	}
	free(line);
}
