/* Cases of tests/diag: kernels with their messages. tests/README.md describes their form. */
#include <stdio.h>

#include "diag_case.h"
#include "diag_texts.h"

/* Text around the statements of a case. */
static const struct {
	const char *name, *before, *after;
} frames[] = {
	{ "file", "", "" },
	{ "body", "kernel k(a: f32[], n: i32, u: u32) {\n\t", "}\n" },
	{ "grid", "kernel k(a: f32[], b: out f32[], n: i32) block(64) {\n  for i in grid(a.len) {\n    ", "  }\n}\n" },
	{ "slot", "kernel k(a: u32[], f: in f32[], n: u32) block(64) {\n  shared s: u32[64];\n  for i in grid(a.len) {\n    ", "  }\n}\n" },
};

/* Reads "== FRAME[, TARGET][: TITLE]". Returns the index of the frame, or QD_COUNT(frames). */
static size_t
read_head(const char *head, char target[32])
{
	char frame[8] = "", colon = 0;
	size_t i = 0;
	int n = 0;

	snprintf(target, 32, "spirv:w32");
	sscanf(head, "== %7[a-z]%n", frame, &n);
	if (head[n] == ',' && sscanf(head + n, ", %31[^ \n]%c", target, &colon) == 2 && colon == ' ')
		target[strlen(target) - 1] = '\0'; /* a title follows */
	while (i < QD_COUNT(frames) && strcmp(frames[i].name, frame))
		i++;
	return i;
}

bool
diag_text_next(struct diag_text_case *c)
{
	const char *head = NULL;

	for (; c->file < diag_n_texts && !head; c->file += !head) {
		head = strstr(c->at ? c->at : diag_texts[c->file].text, "\n== ");
		c->at = NULL;
	}
	if (!head)
		return false;
	const char *body = strchr(head + 1, '\n') + 1, *line = strstr(body, "\n--\n");
	const char *end = line ? strstr(line, "\n== ") : NULL, *note = line ? strstr(line, "\n\n#") : NULL;
	size_t frame = read_head(head + 1, c->target);

	/* An empty line and a comment end a case too. */
	if (!end || (note && note < end))
		end = note ? note : strchr(body, '\0') - 1;
	c->head = head + 1;
	c->at = end;
	c->valid = line && frame < QD_COUNT(frames);
	*c->qdk = *c->want = '\0';
	if (c->valid) {
		int n = snprintf(c->qdk, sizeof c->qdk, "%s%.*s%s", frames[frame].before,
				 (int)(line + 1 - body), body, frames[frame].after);
		int m = snprintf(c->want, sizeof c->want, "%.*s", (int)(end - line - 4), line + 4);
		c->valid = n < (int)sizeof c->qdk && m < (int)sizeof c->want;
	}
	return true;
}
