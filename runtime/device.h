/* Devices, and the interface of drivers. A driver provides memory, and queues that execute batches
 * of copies and dispatches. It is a directory here and one row in device.c. It sees images and
 * argument bytes, never a kernel's IR (except ref). Streams are implemented on top of this, once
 * for all drivers, in stream.c, transfer.c, buffer_lifetime.c and event.c. */
#ifndef QD_RUNTIME_DEVICE_H
#define QD_RUNTIME_DEVICE_H

#include <unistd.h>

#include "base.h"
#include "jit.h"

struct driver;

/* Value of watchdog_ns if a device is only known to have a watchdog: the shortest limit in use.
 * Windows allows a submission 2 s (TdrDelay), amdgpu 2 to 60 s (module parameter lockup_timeout;
 * the default depends on the kernel's version), xe 5 to 10 s. i915 ends a submission that delays a
 * heartbeat of 2.5 s (DRM_I915_HEARTBEAT_INTERVAL). */
#define WATCHDOG_NS UINT64_C(2000000000)

/* First member of a driver's device struct. */
struct qd_device {
	struct qd_context *ctx;
	const struct driver *driver;
	struct target target;  /* to compile for; m.subgroup_size is the selected size */
	uint32_t sizes;	       /* subgroup sizes of the hardware: bit log2 of each */
	struct qd_device_info info;
	pid_t pid;	       /* process that opened it; use after a fork is rejected */
	uint32_t forks;	       /* fork_count of its context */
	/* Fields of the common code, not the driver's, up to `checks`: */
	_Atomic(const struct jit_target *) sized[MAX_LOG2 + 1]; /* target at 1 << i lanes, or NULL */
	_Atomic uint32_t n_live; /* the open handle, buffers, streams, events */
	struct qd_device *next, **link; /* in the context's list (trim.c) */
	pthread_mutex_t lock;	 /* guards functions and loading */
	pthread_cond_t loaded;
	struct qd_function **functions; /* hash table of chains, by the hash of the image's key */
	struct qd_function *newest, *oldest; /* unreferenced functions (function_lru.c) */
	struct jit_hits hits;	 /* statistics of `functions` */
	uint32_t n_functions, log2_functions;
	struct loading *loading; /* images being loaded by threads */
	bool size_asked;       /* the selector names the subgroup size */
	bool checks;	       /* overlapping buffers are reported as a finding */
	/* Set by the driver when it opens: */
	bool hidden;   /* the host cannot access MEMORY_DEVICE */
	bool in_order; /* a batch sees the writes of all batches submitted earlier, on any queue */
	uint32_t max_x, max_y; /* maximum blocks of a dispatch */
	bool solid_blocks; /* dispatches preserve a block's three dimensions (image_block) */
	uint64_t watchdog_ns; /* earliest time at which a submission may be ended; 0: never */
	_Atomic(const char *) lost; /* call that lost the device, or NULL */
	/* Fields of the common code again: stream.c, buffer_lifetime.c. */
	pthread_mutex_t streams_lock;
	struct qd_stream *streams; /* in ascending order of ids */
	uint64_t last_id;	   /* id of the last stream */
	struct qd_stream *own;	   /* zeroes hidden memory; NULL if there is none */
	pthread_mutex_t freed_lock;
	struct qd_buffer *freed, **freed_end; /* freed by the user, but in use; oldest first */
	_Atomic uint32_t n_freed;
};

struct qd_function {
	struct qd_device *dev;
	struct qd_image *image; /* owns a reference */
	struct qd_function *next; /* function.c's chain, by hash */
	uint64_t hash;		  /* of its image */
	uint64_t refs;		  /* of the user; at 0, the function is in function_lru.c's list: */
	struct qd_function *newer, *older;
	struct wait *uses; /* must pass before it is unloaded; NULL: not determined yet */
	uint32_t n_uses;
	struct qd_function_info info;
	bool args_in_memory; /* dispatches take the address of the arguments */
	bool has_variables;  /* that launches write */
	bool relies;	     /* on launch facts */
	_Atomic(struct qd_function *) general; /* holds a reference; NULL: none was needed yet */
	uint64_t extent;     /* jit_extent of the image */
	_Atomic bool warned_extent;
	_Atomic uint64_t block_ps; /* upper bound of picoseconds per block; 0: not measured (watchdog.c) */
};

/* -- Driver objects ----------------------------------------------------------------- */

enum {
	MAX_BATCH = 8,	/* batches in flight per queue */
	MAX_WAITS = 16	/* waits for other timelines, per batch */
};

/* Host and device access STAGING. DEVICE is the fastest for kernels. */
enum memory_kind { MEMORY_DEVICE, MEMORY_STAGING };

struct device_memory {
	uint64_t addr;	/* in kernels */
	char *host;	/* in the host, or NULL */
	uint64_t size;	/* the requested size or more */
	void *piece;	/* owned by the driver */
};

/* Counts the completed batches of a stream, from 0. The stream, its events, the batches that wait
 * for it and the buffers that it used share the timeline, which may outlive the stream. When a
 * stream is freed, every value that anything waits for has passed: that of its last batch, and the
 * next value, which belongs to a batch that was never submitted. Drivers therefore see values up
 * to one more than the last submitted value, also from threads that read the timeline before the
 * stream was freed. */
struct timeline {
	struct qd_device *dev;
	uint64_t id;	       /* of the stream; never reused */
	_Atomic uint64_t done; /* value that is known to have passed */
	struct watchdog *watchdog; /* owned by the common code; NULL: the device has none */
	_Atomic uint32_t refs;
};

/* Executes the batches of a stream in order. */
struct queue {
	struct qd_device *dev;
	struct timeline *timeline;
	/* A word that the device sets to a batch's value when the batch completes. Reading it is
	 * cheaper than a poll. NULL: not available. */
	_Atomic uint64_t *hint;
	/* Set by qd_stream_cancel from any thread; cleared by the call that reports it. */
	_Atomic bool canceled;
	uint64_t max_steps; /* limit of a launch, set by qd_stream_limit; 0: the device's */
};

#define FOREVER QD_FOREVER

struct wait {
	struct timeline *timeline;
	uint64_t value;
};

/* Location of a timestamp that a batch writes. */
struct timestamp {
	void *pool; /* NULL: the device has no clock */
	uint32_t slot;
};

struct dispatch {
	const struct launch *launch;
	uint32_t base;	    /* first block */
	uint32_t x, y;	    /* blocks; those beyond the launch's count exit at entry */
	const void *args;   /* argument block of the launch, with block_base */
	uint64_t args_addr; /* address of a copy, if the function has args_in_memory */
};

/* -- Objects of the user -------------------------------------------------------------- */

enum { N_USE = 4 }; /* streams whose uses a buffer records without an allocation */

struct qd_buffer {
	struct qd_device *dev;
	struct qd_buffer *parent; /* NULL unless it is a slice */
	_Atomic uint32_t refs;	  /* 1, and 1 for each slice */
	uint64_t addr;		  /* in kernels */
	void *host;		  /* in the host, or NULL */
	size_t size, offset;	  /* offset: in the outermost parent */
	/* Fields of a buffer that is not a slice: */
	struct device_memory memory;
	_Atomic uint64_t born;	/* value of dev->own's timeline at which it is zeroed; 0: zeroed */
	_Atomic uint32_t reads; /* pending downloads that read it from the host */
	_Atomic bool uses_busy;
	uint32_t n_uses, cap_uses;
	struct wait few_uses[N_USE], *uses; /* last use by each stream */
	struct qd_buffer *next;		    /* in the list of freed buffers */
};

struct qd_event {
	struct qd_device *dev;
	pthread_mutex_t lock;
	struct timeline *timeline; /* of the stream; NULL: not recorded */
	uint64_t value;
	struct timestamp timestamp;
};

enum { NO_TAIL = UINT32_MAX >> 1 };

/* A launch whose arguments are checked and laid out. */
struct launch {
	struct qd_function *fn;
	uint32_t n_blocks;	   /* above 0 */
	void *args;		   /* argument block, with n_blocks but not yet block_base */
	uint32_t args_size;
	uint32_t tail;		   /* offset of its tail words (ir.h TAIL_*), or NO_TAIL */
	const uint64_t *bits;	   /* by parameter: a scalar's value, a buffer's element count */
	uint64_t grid_n;	   /* the grid loop's count; UINT64_MAX without one */
	struct qd_buffer *const *bufs; /* owners of the memory (no slices); NULL for scalars */
	uint32_t n_params;
};

/* Memory of a parameter that is a nonempty buffer, in addresses of kernels. */
struct launch_buffer {
	uint64_t addr, size;
	bool read_only;
};
static inline bool
launch_buffer_at(const struct launch *l, uint32_t i, struct launch_buffer *out)
{
	const struct layout_param *p = layout_params(l->fn->image->layout) + i;

	if (!p->align || !l->bits[i])
		return false;
	memcpy(&out->addr, (const char *)l->args + p->offset, sizeof out->addr);
	out->size = l->bits[i] * p->size;
	out->read_only = !(p->access & QD_ACCESS_OUT);
	return true;
}

/* Returns the memory that a launch reports into, or false if it cannot report. */
static inline bool
launch_report_at(const struct launch *l, struct launch_buffer *out)
{
	uint32_t at = layout_report_at(l->fn->image->layout);
	uint64_t words;

	if (!at)
		return false;
	memcpy(&out->addr, (const char *)l->args + at, sizeof out->addr);
	memcpy(&words, (const char *)l->args + at + 8, sizeof words);
	out->size = 4 * words;
	out->read_only = false;
	return true;
}

/* Returns the dimensions of a hardware block in threads. Kernels compiled by qd use only x,
 * whatever their block_dim; other kernels use theirs unchanged. */
static inline void
image_block(const struct qd_image *img, uint32_t block[3])
{
	const struct launch_layout *d = img->layout;

	for (unsigned k = 0; k < 3; k++)
		block[k] = layout_by_slots(d) ? d->block[k] : k ? 1 : img->meta.local_size;
}

struct selector {
	char driver[16];
	char which[48];	     /* index, name or other text between the colons; "" = default */
	uint32_t size;	     /* N of :wN; 0: the device's default */
};

struct driver {
	const char *name;
	/* Adds an entry per device, or one with usable = false and a reason. add may be called any
	 * number of times. */
	qd_status (*list)(struct qd_context *ctx,
			  void (*add)(void *user, const struct qd_device_info *info), void *user,
			  struct qd_error *err);
	qd_status (*open)(struct qd_context *ctx, const struct selector *sel,
			  struct qd_device **out, struct qd_error *err);
	void (*close)(struct qd_device *dev); /* all functions are unloaded already */
	/* Checks whether the device can run the image, which has the device's back end and one of
	 * its subgroup sizes. Loads nothing; the caller holds no lock. */
	qd_status (*accepts)(const struct qd_device *dev, const struct qd_image *image,
			     struct qd_error *err);
	/* Loads an image that `accepts` accepts. */
	qd_status (*load)(struct qd_device *dev, struct qd_image *image, struct qd_function **out,
			  struct qd_error *err);
	void (*unload)(struct qd_function *fn);

	/* Allocates memory of a size above 0, with undefined contents. Memory is freed when no
	 * running or pending batch uses it. */
	qd_status (*memory_alloc)(struct qd_device *dev, enum memory_kind kind, uint64_t size,
				  struct device_memory *out, struct qd_error *err);
	void (*memory_free)(struct qd_device *dev, struct device_memory *m);

	/* Timelines, used from any thread. poll updates `done` without waiting. wait returns when
	 * the value has passed or after ns nanoseconds (FOREVER: no limit), and also updates
	 * `done`. */
	qd_status (*timeline_create)(struct qd_device *dev, struct timeline **out,
				     struct qd_error *err);
	void (*timeline_free)(struct timeline *t);
	qd_status (*poll)(struct timeline *t, struct qd_error *err);
	qd_status (*wait)(struct timeline *t, uint64_t value, uint64_t ns, struct qd_error *err);

	/* Queues; calls are serialized. A batch runs when the batches submitted earlier to the
	 * queue are complete and its waits have passed. Its commands run in order. begin: batch
	 * number `at`, below MAX_BATCH, is complete, and its resources may be reused. A failure of
	 * finish is permanent; submit may be repeated. `done` becomes value when the batch is
	 * complete and its writes are visible to the host. An empty batch has no begin: it only
	 * waits. */
	qd_status (*queue_create)(struct qd_device *dev, struct timeline *t, struct queue **out,
				  struct qd_error *err);
	void (*queue_free)(struct queue *q);
	qd_status (*begin)(struct queue *q, uint32_t at, struct qd_error *err);
	void (*copy)(struct queue *q, const struct device_memory *dst, uint64_t to,
		     const struct device_memory *src, uint64_t from, uint64_t size);
	/* Fills with a word; to and size are multiples of 4. */
	void (*fill)(struct queue *q, const struct device_memory *dst, uint64_t to, uint64_t size,
		     uint32_t word);
	/* On failure, nothing was recorded. */
	qd_status (*dispatch)(struct queue *q, const struct dispatch *d, struct qd_error *err);
	void (*timestamp)(struct queue *q, const struct timestamp *s);
	/* Submits the commands recorded so far, after the waits of the batch. The batch stays
	 * open, and submit adds the rest. On failure, submit tries again. NULL: submit takes
	 * whole batches. */
	qd_status (*start)(struct queue *q, const struct wait *waits, uint32_t n_waits,
			   struct qd_error *err);
	qd_status (*finish)(struct queue *q, uint64_t value, struct qd_error *err);
	qd_status (*submit)(struct queue *q, bool empty, const struct wait *waits, uint32_t n_waits,
			    uint64_t value, struct qd_error *err);
	/* The driver counts the steps of a launch, and ends it if its queue is canceled. */
	bool cancels;
	/* Returns how dispatches have ended, once. NULL: they do not fail. */
	qd_status (*ended)(struct queue *q, struct qd_error *err);

	/* timestamp_ns requires that both timestamps have passed. */
	qd_status (*timestamp_take)(struct qd_device *dev, struct timestamp *out,
				    struct qd_error *err);
	void (*timestamp_give)(struct qd_device *dev, const struct timestamp *s);
	qd_status (*timestamp_ns)(struct qd_device *dev, const struct timestamp *from,
				  const struct timestamp *to, uint64_t *ns, struct qd_error *err);

	/* Waits for all submitted work as far as possible, after wait failed or the device was
	 * lost. Afterwards, memory used by batches is freed. NULL: there is nothing to wait
	 * for. */
	void (*drain)(struct qd_device *dev);

	/* Frees cached memory of the device, and returns whether there was any. NULL: the driver
	 * caches none. */
	bool (*trim)(struct qd_device *dev);
};

extern const struct driver driver_amdgpu, driver_cuda, driver_emu, driver_ref, driver_vulkan;

/* For drivers: raises `done`, which never decreases. */
void timeline_advance(struct timeline *t, uint64_t done);

#define QD_CHECK_FORK_OF(call, dev, err)                                                           \
	do {                                                                                       \
		if (forked_since((dev)->forks))                                                    \
			return qd_fail(err, QD_E_FORKED,                                           \
				       "%s: the device was opened by process %ld, before a fork; " \
				       "open one in this process",                                 \
				       call, (long)(dev)->pid);                                    \
	} while (0)
#define QD_CHECK_FORK(dev, err) QD_CHECK_FORK_OF(__func__, dev, err)

#endif
