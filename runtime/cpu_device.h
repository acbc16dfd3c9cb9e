/* Common code of drivers whose devices are programs on the host. Memory is the process's own. A
 * queue executes commands when they are recorded, in the caller's thread. Queues of different
 * streams run concurrently. */
#ifndef QD_RUNTIME_HOST_H
#define QD_RUNTIME_HOST_H

#include "device.h"
#include "meter.h"

/* Drivers embed these as their first member. */
struct host_device {
	struct qd_device d;
	pthread_mutex_t lock; /* guards `used` and a driver's own fields; not held while a kernel runs */
	uint64_t used;	      /* bytes of memory in use */
	uint64_t max_launch;  /* steps per launch; UINT64_MAX: unlimited */
};

struct host_memory { /* the type of device_memory.piece */
	struct qd_device *dev;
	size_t size;
	struct pool_block *mem;
};

/* Fills in the properties common to these devices; the subgroup sizes are the target's. */
void host_describe(struct qd_device_info *info, const char *driver, const char *name,
		   const struct target *t);
void host_device_init(struct host_device *dev);
void host_device_fini(struct host_device *dev); /* also frees dev */

/* Entries for struct driver. piece: bytes of the driver's own struct, which begins with
 * host_memory. */
qd_status host_memory_alloc(struct qd_device *d, size_t piece, uint64_t size,
			    struct device_memory *out, struct qd_error *err);
void host_memory_free(struct qd_device *d, struct device_memory *m);
qd_status host_timeline_create(struct qd_device *d, struct timeline **out, struct qd_error *err);
void host_timeline_free(struct timeline *t);
qd_status host_poll(struct timeline *t, struct qd_error *err);
qd_status host_wait(struct timeline *t, uint64_t value, uint64_t ns, struct qd_error *err);
qd_status host_begin(struct queue *q, uint32_t at, struct qd_error *err);
void host_copy(struct queue *q, const struct device_memory *dst, uint64_t to,
	       const struct device_memory *src, uint64_t from, uint64_t size);
void host_fill(struct queue *q, const struct device_memory *dst, uint64_t to, uint64_t size,
	       uint32_t word);
qd_status host_submit(struct queue *q, bool empty, const struct wait *waits, uint32_t n_waits,
		      uint64_t value, struct qd_error *err);
qd_status host_timestamp_take(struct qd_device *d, struct timestamp *out, struct qd_error *err);
void host_timestamp_give(struct qd_device *d, const struct timestamp *s);
void host_timestamp(struct queue *q, const struct timestamp *s);
qd_status host_timestamp_ns(struct qd_device *d, const struct timestamp *from,
			    const struct timestamp *to, uint64_t *ns, struct qd_error *err);

/* Reads from `variable` the operations that a thread may execute in a launch; DEFAULT_STEPS if it
 * is not set. */
enum { DEFAULT_STEPS = 100000000 };
qd_status host_max_steps(const char *variable, uint64_t *out, struct qd_error *err);

/* Returns the steps that all threads of a launch may execute in total: the context's
 * desc.max_steps, else QD_STEPS, else unlimited. */
qd_status host_max_launch(const struct qd_context *ctx, uint64_t *out, struct qd_error *err);

/* Findings of launches since the last report, and the first abnormal end of a launch. */
struct host_findings {
	uint32_t n;
	struct qd_error first;
	struct qd_error ended; /* code QD_OK: no launch was ended */
};
void host_found(struct host_findings *f, const struct qd_error *e);
/* Records how dispatch d ended, from its meter. */
void host_over(struct queue *q, struct host_findings *f, const struct dispatch *d,
	       const struct meter *m);
qd_status host_ended(struct host_findings *f, struct qd_error *err);

/* Begins metering a launch, or continues if its blocks are several dispatches. */
void host_meter(struct queue *q, const struct dispatch *d, struct meter *m);

/* Rows of struct driver that all these drivers share. */
#define HOST_DRIVER                                                                                \
	.cancels = true, .timeline_create = host_timeline_create,                                  \
	.timeline_free = host_timeline_free, .poll = host_poll, .wait = host_wait,                 \
	.begin = host_begin, .copy = host_copy, .fill = host_fill, .submit = host_submit,          \
	.timestamp_take = host_timestamp_take, .timestamp_give = host_timestamp_give,              \
	.timestamp = host_timestamp, .timestamp_ns = host_timestamp_ns

#endif
