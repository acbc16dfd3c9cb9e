/* Test fixture of streams: a device of any driver, and two kernels. */
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
	bool is_fake; /* the device is one of fake.h */
	bool is_cuda; /* the device is one of cuda_fake.h */
	bool is_amdgpu; /* the device is one of amdgpu_fake.h */
	struct qd_error e;
};

enum { SPIN_MS = 60 };

/* Disables Mesa's shader cache unless driver.sh set a directory for it. Must precede the opening of
 * a Vulkan device. A shared directory would serve processes with different subgroup sizes. */
void stream_mesa_cache(void);

/* Device of a row of tests. */
struct stream_where {
	const char *name;
	bool (*open)(struct stream_rig *r); /* sets r->dev, or r->e to the reason */
};

/* inc: data[block] += 1, one thread per block. */
struct qd_kernel *stream_make_inc(struct qd_context *ctx, struct qd_error *err);
qd_status stream_inc(struct stream_rig *r, struct qd_stream *s, struct qd_buffer *data,
		     uint32_t n_blocks, struct qd_error *err);
/* spin: n blocks that run for a while; adds 1 to data[0], writes data[32...]. */
qd_status stream_spin(struct stream_rig *r, struct qd_stream *s, struct qd_buffer *data,
		      uint32_t n, struct qd_error *err);

/* Returns QD_TEST_ITERATIONS, or 500 if it is not set. */
uint32_t stream_iterations(void);
struct qd_buffer *stream_buffer(struct unit_ctx *t, struct stream_rig *r, size_t size);
/* Run fn on each available device. stream_on_all includes the emulators, which, like ref, execute a
 * launch before it returns. */
void stream_on_each(struct unit_ctx *t, void (*fn)(struct unit_ctx *t, struct stream_rig *r));
void stream_on_all(struct unit_ctx *t, void (*fn)(struct unit_ctx *t, struct stream_rig *r));

/* Rows of the table in t_stream.c, defined in t_stream_order.c. */
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
