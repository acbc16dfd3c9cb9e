/* What a device is, and what a driver gives: memory, and queues that run batches
 * of copies and dispatches.  A driver is a folder here and one row in device.c;
 * it sees images and argument bytes, never a kernel's meaning (ref excepted).
 * What streams promise is made of that in stream.c, transfer.c, buffer_lifetime.c and
 * event.c, once for all drivers. */
#ifndef QD_RUNTIME_DEVICE_H
#define QD_RUNTIME_DEVICE_H

#include <unistd.h>

#include "base.h"
#include "jit.h"

struct driver;

/* What watchdog_ns is where all that is known is that there is a watchdog: the shortest of
 * those that devices have.  Windows gives a submission 2 s (TdrDelay), amdgpu 2 to 60 s
 * (its parameter lockup_timeout, by the version of the kernel), i915 as long as one
 * heartbeat of 2.5 s is not answered (DRM_I915_HEARTBEAT_INTERVAL), xe 5 to 10 s. */
#define WATCHDOG_NS UINT64_C(2000000000)

/* Drivers embed these as their first member. */
struct qd_device {
	struct qd_context *ctx;
	const struct driver *driver;
	struct target target;  /* what to compile for; m.subgroup_size is the one opened with */
	uint32_t sizes;	       /* subgroup sizes it can run: bit log2 of each */
	struct qd_device_info info;
	pid_t pid;	       /* who opened it: use after fork is refused */
	uint32_t forks;	       /* its context's fork_count */
	/* From here to `checks` the common part's, not the driver's. */
	_Atomic(const struct jit_target *) sized[MAX_LOG2 + 1]; /* target at 1 << i lanes, or NULL */
	_Atomic uint32_t n_live; /* the open handle, buffers, streams, events */
	struct qd_device *next, **link; /* of the context's: trim.c */
	pthread_mutex_t lock;	 /* of functions and loading */
	pthread_cond_t loaded;
	struct qd_function **functions; /* hash table of chains, by the hash of the image's key */
	struct qd_function *newest, *oldest; /* of those that nobody holds */
	struct jit_hits hits;	 /* in functions */
	uint32_t n_functions, log2_functions;
	struct loading *loading; /* images that threads are loading just now */
	bool size_asked;       /* the selector says the subgroup size */
	bool checks;	       /* overlapping buffers are a finding here */
	/* Set by the driver when it opens: */
	bool hidden;   /* the host does not see MEMORY_DEVICE */
	bool in_order; /* a batch sees what batches submitted before it, to whatever queue, did */
	uint32_t max_x, max_y; /* blocks of a dispatch */
	bool solid_blocks; /* dispatches have a block's threads in three dimensions (image_block) */
	uint64_t watchdog_ns; /* after which a submission may be ended, at the earliest; 0: never */
	_Atomic(const char *) lost; /* the call that lost the device, or NULL */
	/* The common part's again: stream.c, buffer_lifetime.c. */
	pthread_mutex_t streams_lock;
	struct qd_stream *streams; /* ids ascending */
	uint64_t last_id;	   /* of a stream */
	struct qd_stream *own;	   /* zeroes memory that is hidden; NULL where none is */
	pthread_mutex_t freed_lock;
	struct qd_buffer *freed, **freed_end; /* by the user, in use; oldest first */
	_Atomic uint32_t n_freed;
};

struct qd_function {
	struct qd_device *dev;
	struct qd_image *image; /* a reference */
	struct qd_function *next; /* function.c's chain, by hash */
	uint64_t hash;		  /* its image's */
	uint64_t refs;		  /* what the user holds; at 0 it stands in function_lru.c's list: */
	struct qd_function *newer, *older;
	struct wait *uses; /* what must pass before it is unloaded; NULL: not asked yet */
	uint32_t n_uses;
	struct qd_function_info info;
	bool args_in_memory; /* a dispatch takes the address of the arguments */
	bool has_variables;  /* which launches write */
	uint64_t extent;     /* jit_extent of the image */
	_Atomic bool told_extent;
	_Atomic uint64_t block_ps; /* picoseconds that a block takes at most; 0: not measured (watchdog.c) */
};

/* -- What a driver makes ------------------------------------------------------------ */

enum {
	MAX_BATCH = 8,	/* in flight per queue */
	MAX_WAITS = 16	/* on other timelines, per batch */
};

/* STAGING is seen by host and device; DEVICE is where kernels are fastest. */
enum memory_kind { MEMORY_DEVICE, MEMORY_STAGING };

struct device_memory {
	uint64_t addr;	/* as kernels see it */
	char *host;	/* as the host sees it, or NULL */
	uint64_t size;	/* what was asked for, or more */
	void *piece;	/* the driver's */
};

/* Counts the batches of a stream that are done, from 0.  Shared by the stream,
 * its events, the batches that wait for it and the buffers that it used, and outlives the
 * stream with them.  Freed, the stream has passed every value that anything waits for: that of
 * its last batch and the one after it, which belongs to a batch that was never submitted.
 * So drivers see values up to one more than they were given, also from threads that looked
 * at the timeline before the stream was freed. */
struct timeline {
	struct qd_device *dev;
	uint64_t id;	       /* of the stream; never used again */
	_Atomic uint64_t done; /* what is known to have passed */
	struct watchdog *watchdog; /* NULL: the device has none; the common part's */
	_Atomic uint32_t refs;
};

/* What runs a stream's batches, one after the other. */
struct queue {
	struct qd_device *dev;
	struct timeline *timeline;
	/* A word that the device sets to a batch's value when it has come to its end,
	 * for who would rather look than poll; NULL: there is none. */
	_Atomic uint64_t *hint;
	/* Set by qd_stream_cancel, by any thread; cleared by the call that returns it. */
	_Atomic bool canceled;
	uint64_t max_steps; /* of a launch, as qd_stream_limit says; 0: the device's */
};

#define FOREVER QD_FOREVER

struct wait {
	struct timeline *timeline;
	uint64_t value;
};

/* A place for a time in a batch. */
struct stamp {
	void *pool; /* NULL: the device has no clock */
	uint32_t slot;
};

struct dispatch {
	const struct launch *launch;
	uint32_t base;	    /* its first block */
	uint32_t x, y;	    /* blocks; those past the launch's count leave at entry */
	const void *args;   /* the launch's, with block_base */
	uint64_t args_addr; /* of a copy, where the function takes args_in_memory */
};

/* -- What the user holds -------------------------------------------------------------- */

enum { N_USE = 4 }; /* streams that a buffer remembers without asking for memory */

struct qd_buffer {
	struct qd_device *dev;
	struct qd_buffer *parent; /* of a slice */
	_Atomic uint32_t refs;	  /* own, and one per slice */
	uint64_t addr;		  /* as kernels see it */
	void *host;		  /* as the host sees it, or NULL */
	size_t size, offset;	  /* offset: in the outermost parent */
	/* Of one that is no slice: */
	struct device_memory memory;
	_Atomic uint64_t born;	/* of dev->own's timeline: it is zero then; 0: it is */
	_Atomic uint32_t reads; /* downloads that will read it from the host */
	_Atomic bool uses_busy;
	uint32_t n_uses, cap_uses;
	struct wait few_uses[N_USE], *uses; /* by stream: the last use */
	struct qd_buffer *next;		    /* of those freed in use */
};

struct qd_event {
	struct qd_device *dev;
	pthread_mutex_t lock;
	struct timeline *timeline; /* of the stream, and what passes with it; NULL: not recorded */
	uint64_t value;
	struct stamp stamp;
};

enum { NO_TAIL = UINT32_MAX >> 1 };

/* One launch, checked and laid out. */
struct launch {
	struct qd_function *fn;
	uint32_t n_blocks;	   /* above 0 */
	void *args;		   /* the argument block; n_blocks is filled, block_base is not */
	uint32_t args_size;
	uint32_t tail;		   /* offset of its tail words (ir.h TAIL_*), or NO_TAIL */
	const uint64_t *bits;	   /* by parameter: a scalar's value, a buffer's elements */
	uint64_t grid_n;	   /* the grid loop's count; UINT64_MAX without one */
	struct qd_buffer *const *bufs; /* who owns the memory (never a slice), by
					* parameter; NULL for scalars */
	uint32_t n_params;
};

/* The memory of a parameter that is a buffer with elements, as kernels see it. */
struct launch_buffer {
	uint64_t addr, size;
	bool read_only;
};
static inline bool
launch_buffer_at(const struct launch *l, uint32_t i, struct launch_buffer *out)
{
	const struct description_param *p = describe_params(l->fn->image->description) + i;

	if (!p->align || !l->bits[i])
		return false;
	memcpy(&out->addr, (const char *)l->args + p->offset, sizeof out->addr);
	out->size = l->bits[i] * p->size;
	out->read_only = !(p->access & QD_ACCESS_OUT);
	return true;
}

/* The same of what a launch reports into, if it may report. */
static inline bool
launch_report_at(const struct launch *l, struct launch_buffer *out)
{
	uint32_t at = describe_report_at(l->fn->image->description);
	uint64_t words;

	if (!at)
		return false;
	memcpy(&out->addr, (const char *)l->args + at, sizeof out->addr);
	memcpy(&words, (const char *)l->args + at + 8, sizeof words);
	out->size = 4 * words;
	out->read_only = false;
	return true;
}

/* The threads of a hardware block.  Kernels of qd's own are counted along x alone, whatever
 * their block is; others want theirs as it is. */
static inline void
image_block(const struct qd_image *img, uint32_t block[3])
{
	const struct description *d = img->description;

	for (unsigned k = 0; k < 3; k++)
		block[k] = describe_by_slots(d) ? d->block[k] : k ? 1 : img->meta.local_size;
}

struct selector {
	char driver[16];
	char which[48];	     /* index, name or what stands between the colons; "" = default */
	uint32_t size;	     /* of :wN; 0: the device's own */
};

struct driver {
	const char *name;
	/* Adds an entry per device, or one with usable = false and why.  add may be
	 * called any number of times. */
	qd_status (*list)(struct qd_context *ctx,
			  void (*add)(void *user, const struct qd_device_info *info), void *user,
			  struct qd_error *err);
	qd_status (*open)(struct qd_context *ctx, const struct selector *sel,
			  struct qd_device **out, struct qd_error *err);
	void (*close)(struct qd_device *dev); /* functions are unloaded before */
	/* Can the device run it?  The image is of its back end and for subgroups that it
	 * has; nothing is loaded, no lock is held. */
	qd_status (*accepts)(const struct qd_device *dev, const struct qd_image *image,
			     struct qd_error *err);
	/* One that it accepts. */
	qd_status (*load)(struct qd_device *dev, struct qd_image *image, struct qd_function **out,
			  struct qd_error *err);
	void (*unload)(struct qd_function *fn);

	/* Memory, size above 0; contents are not defined.  Freed when no batch that
	 * uses it runs or will. */
	qd_status (*memory_alloc)(struct qd_device *dev, enum memory_kind kind, uint64_t size,
				  struct device_memory *out, struct qd_error *err);
	void (*memory_free)(struct qd_device *dev, struct device_memory *m);

	/* Timelines, from any thread.  poll sets done as far as it is known, and does
	 * not wait; wait returns when the value has passed, or so many nanoseconds
	 * (FOREVER: however many), and sets done too. */
	qd_status (*timeline_create)(struct qd_device *dev, struct timeline **out,
				     struct qd_error *err);
	void (*timeline_free)(struct timeline *t);
	qd_status (*poll)(struct timeline *t, struct qd_error *err);
	qd_status (*wait)(struct timeline *t, uint64_t value, uint64_t ns, struct qd_error *err);

	/* Queues, one call at a time.  A batch runs when those submitted to the queue
	 * before are done and what it waits for has passed; its commands run in order.
	 * begin: batch number `at`, below MAX_BATCH, is done; its parts may be used
	 * again.  finish fails for good; submit may be tried again.  done becomes value
	 * when the batch is over and the host sees what it wrote.  An empty batch was
	 * never begun: it only waits. */
	qd_status (*queue_create)(struct qd_device *dev, struct timeline *t, struct queue **out,
				  struct qd_error *err);
	void (*queue_free)(struct queue *q);
	qd_status (*begin)(struct queue *q, uint32_t at, struct qd_error *err);
	void (*copy)(struct queue *q, const struct device_memory *dst, uint64_t to,
		     const struct device_memory *src, uint64_t from, uint64_t size);
	/* With a word; to and size are multiples of 4. */
	void (*fill)(struct queue *q, const struct device_memory *dst, uint64_t to, uint64_t size,
		     uint32_t word);
	/* On failure nothing was recorded. */
	qd_status (*dispatch)(struct queue *q, const struct dispatch *d, struct qd_error *err);
	void (*stamp)(struct queue *q, const struct stamp *s);
	/* Gives the device what the open batch has so far, behind what the batch waits for; the
	 * batch stays open, and submit gives the rest.  On failure, submit tries again.  NULL: a
	 * batch is given as a whole, when it is submitted. */
	qd_status (*start)(struct queue *q, const struct wait *waits, uint32_t n_waits,
			   struct qd_error *err);
	qd_status (*finish)(struct queue *q, uint64_t value, struct qd_error *err);
	qd_status (*submit)(struct queue *q, bool empty, const struct wait *waits, uint32_t n_waits,
			    uint64_t value, struct qd_error *err);
	/* The driver ends a launch when its queue is canceled, and counts its steps. */
	bool cancels;
	/* What dispatches ended with so far, told once.  NULL: they end well. */
	qd_status (*ended)(struct queue *q, struct qd_error *err);

	/* Stamps have passed when they are read. */
	qd_status (*stamp_take)(struct qd_device *dev, struct stamp *out, struct qd_error *err);
	void (*stamp_give)(struct qd_device *dev, const struct stamp *s);
	qd_status (*stamp_ns)(struct qd_device *dev, const struct stamp *from,
			      const struct stamp *to, uint64_t *ns, struct qd_error *err);

	/* Waits for all that was submitted, as far as the driver can still tell, where
	 * wait has failed or the device is lost: then what batches use is freed.  NULL:
	 * there is nothing to wait for. */
	void (*drain)(struct qd_device *dev);

	/* Gives back memory of the device that is kept and not used; was there any?
	 * NULL: nothing is kept. */
	bool (*trim)(struct qd_device *dev);
};

extern const struct driver driver_amdgpu, driver_cuda, driver_emu, driver_ref, driver_vulkan;

/* For drivers: what is known of a timeline only grows. */
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
