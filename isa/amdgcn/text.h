/* Text that grows into a caller's buffer and is cut at its end. */
#ifndef AMDGCN_TEXT_H
#define AMDGCN_TEXT_H

#include "base.h"

struct gcn_text {
	char *at;
	size_t cap, len; /* len counts what was cut as well */
};

/* Of printf's conversions those that instructions need: %s %.*s %c %u %d %x. */
void gcn_add(struct gcn_text *x, const char *fmt, ...) QD_PRINTF(2, 3);
/* As snprintf. */
int gcn_format(char *out, size_t cap, const char *fmt, ...) QD_PRINTF(3, 4);

#endif
