/* Text that grows into a caller's buffer and is cut at its end. */
#ifndef AMDGCN_TEXT_H
#define AMDGCN_TEXT_H

#include "base.h"

#include <stdarg.h>
#include <stdio.h>

struct gcn_text {
	char *at;
	size_t cap, len; /* len counts what was cut as well */
};

static inline void QD_PRINTF(2, 3)
gcn_add(struct gcn_text *x, const char *fmt, ...)
{
	size_t room = x->len < x->cap ? x->cap - x->len : 0;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(room ? x->at + x->len : NULL, room, fmt, ap);
	va_end(ap);
	if (n > 0)
		x->len += (size_t)n;
}

#endif
