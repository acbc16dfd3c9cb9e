/* Reading whole files, JSON strings. */
#include "tool.h"

#include <errno.h>
#include <stdlib.h>

static char *
grow(char *p, size_t size, const char *path)
{
	p = realloc(p, size);
	if (!p)
		tool_die(EXIT_ENVIRONMENT, "%s: out of memory (%zu bytes)", path, size);
	return p;
}

char *
tool_read(const char *path, size_t *size)
{
	bool is_stdin = strcmp(path, "-") == 0;
	FILE *f = is_stdin ? stdin : fopen(path, "rb");
	if (!f)
		tool_die(EXIT_ENVIRONMENT, "cannot open '%s': %s", path, strerror(errno));
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
		tool_die(EXIT_ENVIRONMENT, "cannot read '%s': %s", path, strerror(errno));
	if (!is_stdin)
		fclose(f);
	text[len] = '\0';
	*size = len;
	return text;
}

/* Bytes of the UTF-8 character at s; 0: it is none. */
static int
utf8_length(const char *s)
{
	static const struct {
		unsigned char mask, lead;
		uint32_t least;
	} forms[] = { { 0x80, 0, 0 }, { 0xe0, 0xc0, 0x80 }, { 0xf0, 0xe0, 0x800 },
		      { 0xf8, 0xf0, 0x10000 } };

	for (int n = 0; n < 4; n++) {
		unsigned char c = (unsigned char)*s;
		if ((c & forms[n].mask) != forms[n].lead)
			continue;
		uint32_t v = c & (unsigned char)~forms[n].mask;
		for (int i = 1; i <= n; i++) {
			unsigned char next = (unsigned char)s[i];
			if ((next & 0xc0) != 0x80)
				return 0;
			v = v << 6 | (next & 0x3fu);
		}
		bool good = v >= forms[n].least && v <= 0x10ffff && (v < 0xd800 || v > 0xdfff);
		return good ? n + 1 : 0;
	}
	return 0;
}

void
tool_json_string(FILE *f, const char *s)
{
	fputc('"', f);
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		int n = utf8_length(s);
		/* A name in a file may be any bytes; JSON is UTF-8. */
		if (!n) {
			fprintf(f, "\\u%04x", c);
			continue;
		}
		if (n > 1) {
			fwrite(s, 1, (size_t)n, f);
			s += n - 1;
			continue;
		}
		if (c == '"' || c == '\\')
			fprintf(f, "\\%c", c);
		else if (c == '\n')
			fputs("\\n", f);
		else if (c == '\t')
			fputs("\\t", f);
		else if (c < 32)
			fprintf(f, "\\u%04x", c);
		else
			fputc(c, f);
	}
	fputc('"', f);
}
