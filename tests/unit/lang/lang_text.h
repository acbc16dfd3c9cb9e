/* Texts that tests compose. */
#ifndef LANG_TEXT_H
#define LANG_TEXT_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cc.h"

struct text {
	char *s; /* NULL if empty; owned by the user, who frees it */
	size_t len, cap;
};

static inline void
put(struct text *x, const char *s)
{
	size_t len = strlen(s);

	if (x->len + len + 1 > x->cap) {
		char *grown = realloc(x->s, 2 * (x->len + len + 1));

		if (!grown)
			return;
		x->s = grown;
		x->cap = 2 * (x->len + len + 1);
	}
	memcpy(x->s + x->len, s, len + 1);
	x->len += len;
}

static inline void
repeat(struct text *x, const char *s, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		put(x, s);
}

static inline void QD_PRINTF(2, 3) putf(struct text *x, const char *fmt, ...)
{
	char line[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	put(x, line);
}

#endif
