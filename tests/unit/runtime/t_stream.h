/* What the tests of streams share: a device of any driver, and two kernels. */
#ifndef T_STREAM_H
#define T_STREAM_H

#include "qd.h"
#include "unit.h"

struct stream_rig {
	struct unit_alloc alloc;
	struct qd_context *ctx;
	struct qd_device *dev;
	struct qd_stream *stream, *other;
	struct qd_function *inc, *spin;
	bool is_fake; /* fake.h takes it */
	bool is_cuda; /* cuda_fake.h's */
	bool is_amdgpu; /* amdgpu_fake.h's */
	struct qd_error e;
};

enum { SPIN_MS = 60 };

/* Before a Vulkan device is opened: Mesa keeps what it compiled only where driver.sh
 * gave it a folder; one for all would serve processes of different widths. */
void stream_mesa_cache(void);

/* A device that a row of tests runs on. */
struct stream_where {
	const char *name;
	bool (*open)(struct stream_rig *r); /* r->dev, or r->e says why not */
};

/* inc: data[block] += 1, one thread per block. */
struct qd_kernel *stream_make_inc(struct qd_context *ctx, struct qd_error *err);
qd_status stream_inc(struct stream_rig *r, struct qd_stream *s, struct qd_buffer *data,
		     uint32_t n_blocks, struct qd_error *err);
/* spin: n blocks that take their time; adds 1 to data[0], writes data[32...]. */
qd_status stream_spin(struct stream_rig *r, struct qd_stream *s, struct qd_buffer *data,
		      uint32_t n, struct qd_error *err);

/* QD_TEST_ITERATIONS, 500 without it. */
uint32_t stream_iterations(void);
struct qd_buffer *stream_buffer(struct unit_ctx *t, struct stream_rig *r, size_t size);
/* Runs fn on each device that is there; _on_all: on the emulators too, which execute a launch
 * before it returns, as ref does. */
void stream_on_each(struct unit_ctx *t, void (*fn)(struct unit_ctx *t, struct stream_rig *r));
void stream_on_all(struct unit_ctx *t, void (*fn)(struct unit_ctx *t, struct stream_rig *r));

/* Rows of the table in t_stream.c: t_stream_order.c */
void t_stream_in_order(struct unit_ctx *t);
void t_stream_large(struct unit_ctx *t);
void t_stream_ahead(struct unit_ctx *t);
void t_stream_short_of_memory(struct unit_ctx *t);

#define STREAM_OK(t, r, expr)                                                                      \
	do {                                                                                       \
		qd_status ok_ = (expr);                                                            \
		UNIT_CHECK(t, ok_ == QD_OK, "%s: %s", #expr, (r)->e.text);                         \
	} while (0)

#endif
