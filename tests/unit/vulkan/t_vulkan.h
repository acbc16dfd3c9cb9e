/* Fixture of the Vulkan unit tests: a device with a stream, and small kernels. */
#ifndef T_VULKAN_H
#define T_VULKAN_H

#include "unit.h"
#include "vulkan_internal.h"

struct vulkan_rig {
	struct unit_alloc alloc;
	struct qd_context *ctx;
	struct qd_device *dev;
	struct vulkan_device *vk; /* the same device */
	struct qd_stream *stream;
	struct qd_kernel *inc, *wide;
	struct qd_error e;
};

/* Opens "vulkan". Returns false, after recording why, if the test cannot continue. */
bool vulkan_rig_open(struct unit_ctx *t, struct vulkan_rig *r, bool staged);
/* Does the same without a device and a stream. */
bool vulkan_rig_context(struct unit_ctx *t, struct vulkan_rig *r);
/* Frees everything and checks that all host memory is freed. */
void vulkan_rig_close(struct unit_ctx *t, struct vulkan_rig *r);

struct qd_function *vulkan_rig_function(struct unit_ctx *t, struct vulkan_rig *r,
					const struct qd_kernel *k);
struct qd_buffer *vulkan_rig_buffer(struct unit_ctx *t, struct vulkan_rig *r, size_t size);
/* Launches inc: data[block] += 1, with one thread per block. The result shows blocks that run twice
 * or not at all. */
qd_status vulkan_rig_inc(struct qd_stream *s, struct qd_function *inc, struct qd_buffer *data,
			 uint32_t n_blocks, struct qd_error *err);
/* Launches wide: the same, with an argument block of about 500 bytes. It adds the sum of its
 * scalars 1 to 28, which is 406. */
enum { WIDE_SCALARS = 28, WIDE_BUFFERS = 24, WIDE_SUM = 406 };
qd_status vulkan_rig_wide(struct qd_stream *s, struct qd_function *wide, struct qd_buffer *data,
			  struct qd_buffer *spare, uint32_t n_blocks, struct qd_error *err);

#define VULKAN_OK(t, r, expr)                                                                      \
	do {                                                                                       \
		qd_status ok_ = (expr);                                                            \
		UNIT_CHECK(t, ok_ == QD_OK, "%s: %s", #expr, (r)->e.text);                         \
	} while (0)

/* Returns how many of n words differ from `want`. */
uint32_t vulkan_count_other(const uint32_t *p, uint32_t n, uint32_t want);

/* Tests in t_vulkan_run.c, for the table in t_vulkan.c. */
void t_vulkan_order_mapped(struct unit_ctx *t);
void t_vulkan_order_staged(struct unit_ctx *t);
void t_vulkan_large_mapped(struct unit_ctx *t);
void t_vulkan_large_staged(struct unit_ctx *t);
void t_vulkan_many_blocks(struct unit_ctx *t);
void t_vulkan_wide_args(struct unit_ctx *t);
void t_vulkan_warm_launch(struct unit_ctx *t);
void t_vulkan_streams(struct unit_ctx *t);
void t_vulkan_events(struct unit_ctx *t);
void t_vulkan_memory_mapped(struct unit_ctx *t);
void t_vulkan_memory_staged(struct unit_ctx *t);
void t_vulkan_free_in_use(struct unit_ctx *t);
void t_vulkan_zeros(struct unit_ctx *t);
/* t_vulkan_long.c */
void t_vulkan_long(struct unit_ctx *t);
void t_vulkan_long_after_short(struct unit_ctx *t);
void t_vulkan_short(struct unit_ctx *t);
/* t_vulkan_fault.c */
void t_vulkan_limits(struct unit_ctx *t);
void t_vulkan_lost(struct unit_ctx *t);
void t_vulkan_drained(struct unit_ctx *t);
void t_vulkan_short_of_memory(struct unit_ctx *t);
void t_vulkan_short_of_staging(struct unit_ctx *t);
void t_vulkan_short_of_pipelines(struct unit_ctx *t);
void t_vulkan_device_nomem(struct unit_ctx *t);
void t_vulkan_driver_error(struct unit_ctx *t);
void t_vulkan_event_busy(struct unit_ctx *t);
void t_vulkan_submit_retry(struct unit_ctx *t);
void t_vulkan_broken_stream(struct unit_ctx *t);
void t_vulkan_open_faults(struct unit_ctx *t);
void t_vulkan_host_nomem(struct unit_ctx *t);
/* t_vulkan_tables.c */
void t_vulkan_tables_mapped(struct unit_ctx *t);
void t_vulkan_tables_staged(struct unit_ctx *t);
void t_vulkan_tables_saved(struct unit_ctx *t);
void t_vulkan_tables_bad(struct unit_ctx *t);
void t_vulkan_tables_faults(struct unit_ctx *t);

#endif
