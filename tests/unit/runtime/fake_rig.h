/* Fixture of the tests of drivers on a fake: a device with a stream, and a log. */
#ifndef FAKE_RIG_H
#define FAKE_RIG_H

#include "t_stream.h"

struct fake_driver {
	const char *selector;
	bool (*begin)(struct unit_ctx *t, const char *config);
	void (*end)(struct unit_ctx *t);
};

struct fake_rig {
	const struct fake_driver *driver;
	struct unit_alloc alloc;
	struct qd_context *ctx;
	struct qd_device *dev;
	struct qd_stream *stream;
	struct qd_kernel *inc;
	struct qd_function *fn; /* of inc */
	char log[2048];		/* "level component: text\n", warnings and errors */
	struct qd_error e;
};

#define RIG_GOOD(t, r, expr)                                                                       \
	do {                                                                                       \
		qd_status ok_ = (expr);                                                            \
		UNIT_CHECK(t, ok_ == QD_OK, "%s: %s", #expr, (r)->e.text);                         \
	} while (0)

/* Creates a context with the fake configured. Opens no device. */
bool fake_rig_begin(struct unit_ctx *t, struct fake_rig *r, const struct fake_driver *d, const char *config);
/* Also opens the device, creates the stream and gets inc. */
bool fake_rig_open(struct unit_ctx *t, struct fake_rig *r, const struct fake_driver *d, const char *config);
/* Closes the stream and the device. */
void fake_rig_shut(struct fake_rig *r);
/* Frees everything and checks that nothing is leaked. */
void fake_rig_end(struct unit_ctx *t, struct fake_rig *r);

/* Create a buffer, launch inc, and count the words that differ from `want`. */
struct qd_buffer *fake_rig_buffer(struct unit_ctx *t, struct fake_rig *r, size_t size);
qd_status fake_rig_inc(struct qd_stream *s, struct qd_function *fn, struct qd_buffer *buf, uint32_t n,
		       struct qd_error *err);
uint32_t fake_rig_count_other(const uint32_t *p, uint32_t n, uint32_t want);

/* Tests of every driver, on an open rig, which they end. */
/* Runs each thread on its own stream. */
void fake_rig_threads(struct unit_ctx *t, struct fake_rig *r);
/* Allocates buffers of this size until memory is exhausted, which gives the text no_room after
 * `least` to `most` of them. Freed buffers, in use or not, must be available again. */
void fake_rig_memory(struct unit_ctx *t, struct fake_rig *r, uint32_t size, uint32_t least, uint32_t most,
		     const char *no_room, const char *limit);
void fake_rig_events(struct unit_ctx *t, struct fake_rig *r);
/* Checks that the child of a process with an open device is rejected, and that the parent continues.
 * The result of in_child is 0, or the number of the step that failed. */
void fake_rig_fork(struct unit_ctx *t, struct fake_rig *r,
		   int (*in_child)(struct fake_rig *r, struct qd_buffer *buf));

#endif
