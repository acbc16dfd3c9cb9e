/* Text in a caller's buffer, truncated at the end of the buffer. */
#ifndef AMDGCN_TEXT_H
#define AMDGCN_TEXT_H

#include "base.h"

struct gcn_text {
	char *at;
	size_t cap, len; /* len includes the truncated part */
};

/* Appends n characters and a terminating NUL. */
void gcn_add_cut(struct gcn_text *x, const char *s, size_t n);
static inline void
gcn_add_text(struct gcn_text *x, const char *s, size_t n)
{
	if (QD_LIKELY(x->len + n < x->cap)) {
		for (size_t i = 0; i < n; i++)
			x->at[x->len + i] = s[i];
		x->len += n;
		x->at[x->len] = '\0';
	} else {
		gcn_add_cut(x, s, n);
	}
}
static inline void
gcn_add_string(struct gcn_text *x, const char *s)
{
	gcn_add_text(x, s, strlen(s));
}
void gcn_add_number(struct gcn_text *x, uint32_t v);
void gcn_add_hex(struct gcn_text *x, uint32_t v);
/* Appends formatted text; supports only the conversions %s %.*s %c %u %d %x. */
void gcn_add(struct gcn_text *x, const char *fmt, ...) QD_PRINTF(2, 3);

#endif
