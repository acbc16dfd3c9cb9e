/* Unit tests: plain functions in tables, so that every runner (tests/run, one
 * with a framework) is a loop over the same tables.  A check that fails is
 * recorded and the test goes on; a test without a failed check has passed. */
#ifndef UNIT_H
#define UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base.h"

struct unit_ctx {
	unsigned n_checks, n_failed;
	bool skipped; /* why stands in text */
	size_t text_len;
	char text[4096]; /* "file:line: message" per failed check, as many as fit */
};

/* Each t_*.c has one table, units_NAME and n_units_NAME; tables.c lists them. */
struct unit {
	const char *name; /* "pool.reuse" */
	void (*fn)(struct unit_ctx *t);
};

/* fmt and what follows it say what was found. */
#define UNIT_CHECK(t, cond, ...)                                                                   \
	do {                                                                                       \
		(t)->n_checks++;                                                                   \
		if (!(cond))                                                                       \
			unit_fail(t, __FILE__, __LINE__, __VA_ARGS__);                             \
	} while (0)

void unit_fail(struct unit_ctx *t, const char *file, int line, const char *fmt, ...)
	QD_PRINTF(4, 5);
/* Nothing could be tested here; the test should return. */
void unit_skip(struct unit_ctx *t, const char *why);

/* Runs one test in a fresh ctx; true when it passed or was skipped. */
bool unit_run(const struct unit *u, struct unit_ctx *t);

/* Numbers that are the same on every machine. */
struct unit_rng {
	uint64_t state;
};
uint64_t unit_random(struct unit_rng *r);

/* An allocator that counts what is out, and can fail: call number fail_at, from
 * 1, also when it is tried again after something was freed, and with fail_on every
 * one after it.  Safe in threads.  It keeps its blocks
 * in a list, so that what a test loses on purpose is freed with it. */
struct unit_alloc {
	pthread_mutex_t lock;
	size_t n_calls, n_frees, n_out, bytes_out, most_out; /* most_out: of bytes_out */
	size_t fail_at, failed_size, failed_frees;
	bool fail_on;
	bool wrong_size; /* free was told another size than alloc */
	struct unit_block *out;
};
void unit_alloc_init(struct unit_alloc *a);
void unit_alloc_fini(struct unit_alloc *a);
struct qd_allocator unit_alloc_hooks(struct unit_alloc *a);

/* A new event, recorded in the stream; NULL on failure. */
qd_status unit_event(struct qd_device *dev, struct qd_stream *s, struct qd_event **out,
		     struct qd_error *err);

/* One object of each kind that a context makes, on ref:8: the kernel of this text, an
 * image of it for this target, its function, a stream, a buffer of 64 bytes, an event. */
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
	struct qd_fatbin *fatbin; /* of the image alone */
	void *saved;
	size_t saved_size;
};
qd_status unit_things_make(struct unit_things *o, const struct qd_context_desc *desc,
			   const char *text, const char *kernel, const char *target,
			   const struct qd_tmpl *tmpl, uint32_t n_tmpl, struct qd_error *err);
void unit_things_free(struct unit_things *o); /* as far as they were made */

/* A context whose memory is counted. */
struct unit_rig {
	struct unit_alloc mem;
	struct qd_context *ctx;
	struct qd_error e;
};
bool unit_rig_open(struct unit_ctx *t, struct unit_rig *r);
/* Checks that nothing is left. */
void unit_rig_close(struct unit_ctx *t, struct unit_rig *r);

#endif
