/* The source text of a kernel, for its diagnostics. The module and all its kernels share one copy,
 * from any thread. The last reference frees it, which need not be the module's. */
#ifndef QD_IR_SOURCE_H
#define QD_IR_SOURCE_H

#include "base.h"

struct source {
	struct pool *pool;
	_Atomic uint32_t refs;
	size_t len;
	const char *file, *text; /* in the same block; NULs added */
};

/* Copies both strings; NULL if out of memory. */
struct source *source_new(struct pool *pool, const char *file, const char *text, size_t len);
struct source *source_ref(struct source *s);
void source_free(struct source *s); /* drops one reference; s may be NULL */

#endif
