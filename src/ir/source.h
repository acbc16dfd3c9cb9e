/* The text that a kernel came from, for its diagnostics: one copy, shared by the
 * module and by every kernel made of it, in any thread.  The last of them frees
 * it, which need not be the module. */
#ifndef QD_IR_SOURCE_H
#define QD_IR_SOURCE_H

#include "base.h"

struct source {
	struct pool *pool;
	_Atomic uint32_t refs;
	size_t len;
	const char *file, *text; /* in the same block; NULs added */
};

/* Copies both; NULL when out of memory. */
struct source *source_new(struct pool *pool, const char *file, const char *text, size_t len);
struct source *source_ref(struct source *s);
void source_free(struct source *s); /* gives up one reference; s may be NULL */

#endif
