/* Reads whole files; writes JSON strings. */
#include "tool.h"
#include "show.h"

#include <errno.h>
#include <stdlib.h>

static char *
grow(char *p, size_t size, const char *path)
{
	p = realloc(p, size);
	if (!p)
		tool_die(EXIT_ENVIRONMENT, "%s: out of memory (%zu bytes)", SHOWN(path), size);
	return p;
}

char *
tool_read(const char *path, size_t *size)
{
	bool is_stdin = strcmp(path, "-") == 0;
	FILE *f = is_stdin ? stdin : fopen(path, "rb");
	if (!f)
		tool_die(EXIT_ENVIRONMENT, "cannot open '%s': %s", SHOWN(path), strerror(errno));
	if (!is_stdin)
		tool_output_protect(path);
	size_t cap = 1 << 16, len = 0, n;
	char *text = grow(NULL, cap, path);
	while ((n = fread(text + len, 1, cap - len - 1, f)) > 0) {
		len += n;
		if (cap - len < 2)
			text = grow(text, cap *= 2, path);
	}
	if (ferror(f))
		tool_die(EXIT_ENVIRONMENT, "cannot read '%s': %s", SHOWN(path), strerror(errno));
	if (!is_stdin)
		fclose(f);
	text[len] = '\0';
	*size = len;
	return text;
}

/* Returns the length of white space and C comments at the beginning of a text. */
size_t
tool_skip_blank(const char *text, size_t size)
{
	size_t at = 0;

	while (at < size) {
		if (text[at] && strchr(" \t\r\n", text[at])) {
			at++;
		} else if (size - at > 1 && !memcmp(text + at, "//", 2)) {
			const char *end = memchr(text + at, '\n', size - at);
			at = end ? (size_t)(end - text) : size;
		} else if (size - at > 1 && !memcmp(text + at, "/*", 2)) {
			const char *end = memmem(text + at + 2, size - at - 2, "*/", 2);
			at = end ? (size_t)(end - text) + 2 : size;
		} else {
			break;
		}
	}
	return at;
}

const char *
tool_shown(const char *name)
{
	size_t len = strlen(name), cap = SHOW_MOST * len + 1;
	char *out;

	if (show_is_plain(name, len, SHOW_NAME))
		return name;
	if (!(out = malloc(cap)))
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	show_text(out, cap, name, len, SHOW_NAME);
	return out;
}

void
tool_put_name(FILE *f, const char *s)
{
	char out[SHOW_MOST + 1];
	size_t len;

	for (size_t n = strlen(s), i = 0; i < n;) {
		i += show_next(s + i, n - i, SHOW_NAME, out, &len);
		fwrite(out, 1, len, f);
	}
}

void
tool_json_string(FILE *f, const char *s)
{
	fputc('"', f);
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		uint32_t code = 0;
		size_t n = show_utf8(s, strnlen(s, 4), &code);
		/* A name in a file can contain any bytes; JSON is UTF-8. */
		if (!n) {
			fprintf(f, "\\u%04x", c);
			continue;
		}
		if (n > 1) {
			if (show_escapes(code))
				fprintf(f, "\\u%04x", (unsigned)code);
			else
				fwrite(s, 1, n, f);
			s += n - 1;
			continue;
		}
		if (c == '"' || c == '\\')
			fprintf(f, "\\%c", c);
		else if (c == '\n')
			fputs("\\n", f);
		else if (c == '\t')
			fputs("\\t", f);
		else if (show_escapes(c))
			fprintf(f, "\\u%04x", c);
		else
			fputc(c, f);
	}
	fputc('"', f);
}
