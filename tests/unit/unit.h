/* Interface of the unit tests. The tests are plain functions in tables, so every runner is a loop
 * over the same tables. A failed check is recorded, and the test continues; a test passes if no
 * check failed. */
#ifndef UNIT_H
#define UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base.h"

struct unit_ctx {
	unsigned n_checks, n_failed;
	bool skipped; /* text contains the reason */
	size_t text_len;
	char text[4096]; /* "file:line: message" per failed check, as many as fit */
};

/* Entry of a table. Each t_*.c has one table, units_NAME with n_units_NAME entries; tables.h lists
 * them. */
struct unit {
	const char *name; /* "pool.reuse" */
	void (*fn)(struct unit_ctx *t);
};

/* Checks cond. The other arguments are a printf format and its values, which report the values
 * seen. */
#define UNIT_CHECK(t, cond, ...)                                                                   \
	do {                                                                                       \
		(t)->n_checks++;                                                                   \
		if (!(cond))                                                                       \
			unit_fail(t, __FILE__, __LINE__, __VA_ARGS__);                             \
	} while (0)

void unit_fail(struct unit_ctx *t, const char *file, int line, const char *fmt, ...)
	QD_PRINTF(4, 5);
/* Marks the test as skipped; the test must return after the call. */
void unit_skip(struct unit_ctx *t, const char *why);

/* Runs one test in a cleared t. Returns true if the test passed or was skipped. */
bool unit_run(const struct unit *u, struct unit_ctx *t);

/* Pseudo-random generator with the same sequence on every machine. */
struct unit_rng {
	uint64_t state;
};
uint64_t unit_random(struct unit_rng *r);

/* Allocator that counts its live blocks and can fail. Call number fail_at (from 1) fails, and so
 * does a retry of that call after memory was freed. With fail_on, every later call fails too. The
 * allocator is thread-safe. unit_alloc_fini frees the blocks that a test leaks on purpose. */
struct unit_alloc {
	pthread_mutex_t lock;
	size_t n_calls, n_frees, n_out, bytes_out, most_out; /* most_out: peak of bytes_out */
	size_t fail_at, failed_size, failed_frees;
	bool fail_on;
	bool wrong_size; /* a size passed to free differed from the one passed to alloc */
	struct unit_block *out;
};
void unit_alloc_init(struct unit_alloc *a);
void unit_alloc_fini(struct unit_alloc *a);
struct qd_allocator unit_alloc_hooks(struct unit_alloc *a);

/* Creates an event and records it in the stream; *out is NULL on failure. */
qd_status unit_event(struct qd_device *dev, struct qd_stream *s, struct qd_event **out,
		     struct qd_error *err);

/* Objects that a context creates, one of each kind, on ref:8. The kernel comes from a given text,
 * the image is for a given target, and the buffer has 64 bytes. */
struct unit_things {
	struct qd_context *ctx;
	struct qd_module *module;
	struct qd_kernel *kernel;
	struct qd_image *image;
	struct qd_device *dev;
	struct qd_function *fn;
	struct qd_stream *stream;
	struct qd_buffer *buf;
	struct qd_event *event;
	struct qd_fatbin *fatbin; /* contains only the image */
	void *saved;
	size_t saved_size;
};
qd_status unit_things_make(struct unit_things *o, const struct qd_context_desc *desc,
			   const char *text, const char *kernel, const char *target,
			   const struct qd_tmpl *tmpl, uint32_t n_tmpl, struct qd_error *err);
void unit_things_free(struct unit_things *o); /* frees the members that were created */

/* Context whose memory is counted. */
struct unit_rig {
	struct unit_alloc mem;
	struct qd_context *ctx;
	struct qd_error e;
};
bool unit_rig_open(struct unit_ctx *t, struct unit_rig *r);
/* Closes the context and checks that no block is leaked. */
void unit_rig_close(struct unit_ctx *t, struct unit_rig *r);

#endif
