/* Source lines next to code: of the input, or of a file that the code names, if it is readable. */
#include "dis.h"

#include <sys/stat.h>

/* A source file; text NULL: not readable. */
struct dis_text {
	const char *name, *text;
	size_t size;
	uint32_t *line; /* offset of each line */
	uint32_t n_line;
	bool is_file; /* identified by the next two members, whatever its name */
	dev_t device;
	ino_t number;
	struct dis_text *next;
};

bool
dis_shows_source(const struct dis *s)
{
	return s->req->source == DIS_SOURCE_ON || (s->req->source == DIS_SOURCE_USUAL && s->from_text);
}

static void *
need(void *p)
{
	if (!p)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	return p;
}

/* Reads a file, or shares the lines of one that was read under another name. Does nothing if the
 * file is not readable or exceeds the limit. */
static void
read_text(struct dis *s, struct dis_text *t)
{
	struct stat st;
	size_t room = DIS_MAX_SOURCE;

	if (stat(t->name, &st) != 0 || !S_ISREG(st.st_mode))
		return;
	for (const struct dis_text *o = s->source; o; o = o->next) {
		if (o->is_file && o->device == st.st_dev && o->number == st.st_ino) {
			t->text = o->text;
			t->size = o->size;
			t->line = o->line;
			t->n_line = o->n_line;
			return;
		}
		room -= o->is_file ? o->size : 0;
	}
	FILE *f = (uint64_t)st.st_size <= room ? fopen(t->name, "rb") : NULL;
	if (!f)
		return;
	char *text = need(arena_alloc(&s->sources, (size_t)st.st_size + 1));
	t->size = fread(text, 1, (size_t)st.st_size, f);
	t->text = ferror(f) ? NULL : text;
	t->is_file = true;
	t->device = st.st_dev;
	t->number = st.st_ino;
	fclose(f);
}

static void
find_lines(struct dis *s, struct dis_text *t)
{
	uint32_t n = 1;

	if (t->line)
		return;
	for (size_t i = 0; t->text && i < t->size; i++)
		n += t->text[i] == '\n';
	t->line = need(arena_alloc(&s->sources, n * sizeof *t->line));
	if (t->text)
		t->line[t->n_line++] = 0;
	for (size_t i = 0; t->text && i < t->size; i++) {
		if (t->text[i] == '\n')
			t->line[t->n_line++] = (uint32_t)i + 1;
	}
}

static const struct dis_text *
text_of(struct dis *s, const char *file)
{
	struct dis_text *t = s->source;

	while (t && strcmp(t->name, file) != 0)
		t = t->next;
	if (t)
		return t;
	t = need(arena_zalloc(&s->sources, sizeof *t));
	t->name = need(arena_strdup(&s->sources, file, strlen(file)));
	if (s->from_text && strcmp(file, s->req->file) == 0) {
		t->size = s->size < DIS_MAX_SOURCE ? s->size : 0;
		t->text = need(arena_strdup(&s->sources, s->data, t->size));
	} else {
		read_text(s, t);
	}
	find_lines(s, t);
	t->next = s->source;
	s->source = t;
	return t;
}

void
dis_put_source(struct dis *s, const char *file, uint32_t line)
{
	const struct dis_text *t = file ? text_of(s, file) : NULL;
	FILE *f = s->out.file;

	if (file && !(s->from_text && strcmp(file, s->req->file) == 0)) {
		dis_put_name(s, file);
		fputc(':', f);
	}
	fprintf(f, "%u", line);
	if (!t || !line || line > t->n_line)
		return;
	const char *p = t->text + t->line[line - 1], *end = t->text + t->size;
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	fputs(": ", f);
	for (; p < end && *p != '\n' && *p != '\r'; p++) {
		if ((unsigned char)*p >= ' ' && *p != 127)
			fputc(*p, f);
		else
			fputc(' ', f);
	}
}
