/* The source text of a kernel, for its diagnostics. The module and all its kernels share one copy,
 * from any thread. The last reference frees it, which need not be the module's. */
#ifndef QD_IR_SOURCE_H
#define QD_IR_SOURCE_H

#include "line_map.h"

struct source {
	struct pool *pool;
	_Atomic uint32_t refs;
	size_t len;
	const char *file, *text; /* in the same block; NULs added */
	struct line_map lines;	 /* in a block of its own */
	struct pool_block *map;	 /* that block, or NULL */
};

/* Copies both strings; NULL if out of memory. text NULL: the caller writes len bytes. */
struct source *source_new(struct pool *pool, const char *file, const char *text, size_t len);
/* Appends a line break and a text, and returns the longer source. NULL if out of memory; s is then
 * unchanged. The strings move; there must be no other reference. */
struct source *source_append(struct source *s, const char *text, size_t len);
/* Copies the parts and their file names; false if out of memory. */
bool source_set_lines(struct source *s, const struct line_part *part, uint32_t n);
struct source *source_ref(struct source *s);
void source_free(struct source *s); /* drops one reference; s may be NULL */

#endif
