/* Source locations of an image's kernel, in its text or in C code. */
#include <stdio.h>

#include "jit.h"

/* Appends to the text, truncating it if it does not fit. */
static void QD_PRINTF(2, 3)
put(struct qd_error *e, const char *fmt, ...)
{
	size_t len = strlen(e->text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(e->text + len, sizeof e->text - len, fmt, ap);
	va_end(ap);
}

size_t
jit_place(const struct qd_image *img, uint32_t pos, bool text, struct qd_error *out)
{
	const struct qd_kernel *k = img->kernel;

	out->text[0] = '\0';
	if (!pos || pos == NO_POS)
		return 0;
	if (text) {
		struct line_place place = line_map_place(k ? &k->lines : NULL, k ? k->file : NULL, pos);

		out->line = place.line;
		out->col = place.col;
		if (k)
			put(out, "%s:%u:%u: ", place.file, out->line, out->col);
		else
			put(out, "line %u, column %u: ", out->line, out->col);
		return strlen(out->text);
	}
	struct diag_c c = k ? diag_place(k, pos) : (struct diag_c){ .file = NULL };
	out->line = c.line;
	if (c.file)
		put(out, "%s:%u: ", c.file, c.line);
	if (k && pos < k->n_calls && k->calls[pos])
		put(out, "call %u, %s: ", pos, k->calls[pos]);
	else
		put(out, "call %u: ", pos);
	return strlen(out->text);
}

size_t
jit_reported_place(const struct qd_image *img, uint32_t first, uint32_t pos, struct qd_error *out)
{
	bool unknown = REPORT_IS_MAPPED(first) && !img->kernel;

	return jit_place(img, unknown ? NO_POS : pos, REPORT_IS_TEXT(first), out);
}
