/* What a device is.  A driver is a folder here and one row in device.c; it sees
 * images and argument bytes, never a kernel's meaning (ref excepted). */
#ifndef QD_RUNTIME_DEVICE_H
#define QD_RUNTIME_DEVICE_H

#include <unistd.h>

#include "base.h"
#include "jit.h"

struct driver;

/* Drivers embed these as their first member. */
struct qd_device {
	struct qd_context *ctx;
	const struct driver *driver;
	struct target target;  /* what to compile for; m.subgroup_size is the one opened with */
	uint32_t sizes;	       /* subgroup sizes it can run: bit log2 of each */
	struct qd_device_info info;
	pid_t pid;	       /* who opened it: use after fork is refused */
	uint32_t forks;	       /* device_forks at that time */
	/* From here to `checks` the common part's, not the driver's. */
	_Atomic(const struct jit_target *) sized[MAX_LOG2 + 1]; /* target at 1 << i lanes, or NULL */
	_Atomic uint32_t n_live; /* the open handle, buffers, streams, events */
	pthread_mutex_t lock;	 /* of functions and loading */
	pthread_cond_t loaded;
	struct qd_function **functions; /* hash table of chains, by the hash of the image's key */
	struct jit_hits hits;	 /* in functions */
	uint32_t n_functions, log2_functions;
	struct loading *loading; /* images that threads are loading just now */
	bool checks;	       /* overlapping buffers are a finding here */
};

struct qd_function {
	struct qd_device *dev;
	struct qd_image *image; /* a reference */
	struct qd_function *next; /* function.c's chain, by hash */
	uint64_t hash;		  /* its image's */
	struct qd_function_info info;
};

struct qd_buffer {
	struct qd_device *dev;
	struct qd_buffer *parent; /* of a slice */
	_Atomic uint32_t refs;	  /* own, and one per slice */
	uint64_t addr;		  /* as kernels see it */
	void *host;		  /* as the host sees it, or NULL */
	size_t size, offset;	  /* offset: in the outermost parent */
};

struct qd_stream {
	struct qd_device *dev;
};

struct qd_event {
	struct qd_device *dev;
};

/* One launch, checked and laid out. */
struct launch {
	struct qd_function *fn;
	uint32_t n_blocks;	   /* above 0 */
	const void *args;	   /* the argument block; n_blocks and block_base are filled */
	uint32_t args_size;
	uint32_t tail;		   /* offset of its tail words (ir.h TAIL_*) */
	uint64_t grid_n;	   /* the grid loop's count; UINT64_MAX without one */
	struct qd_buffer *const *bufs; /* who owns the memory (never a slice), by
					* parameter; NULL for scalars */
	uint32_t n_params;
};

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
	qd_status (*load)(struct qd_device *dev, struct qd_image *image, struct qd_function **out,
			  struct qd_error *err);
	void (*unload)(struct qd_function *fn);
	/* Zeroed memory, possibly of size 0.  free waits for the last use. */
	qd_status (*buffer_create)(struct qd_device *dev, size_t size, struct qd_buffer **out,
				   struct qd_error *err);
	void (*buffer_free)(struct qd_buffer *buf);
	qd_status (*stream_create)(struct qd_device *dev, struct qd_stream **out,
				   struct qd_error *err);
	void (*stream_free)(struct qd_stream *s);
	qd_status (*stream_sync)(struct qd_stream *s, struct qd_error *err);
	/* Ranges are checked and size is not 0; the buffer is never a slice. */
	qd_status (*upload)(struct qd_stream *s, struct qd_buffer *dst, size_t offset,
			    const void *src, size_t size, struct qd_error *err);
	qd_status (*download)(struct qd_stream *s, struct qd_buffer *src, size_t offset, void *dst,
			      size_t size, struct qd_error *err);
	qd_status (*launch)(struct qd_stream *s, const struct launch *l, struct qd_error *err);
	qd_status (*event_record)(struct qd_stream *s, struct qd_event **out, struct qd_error *err);
	qd_status (*event_elapsed)(struct qd_event *from, struct qd_event *to, uint64_t *ns,
				   struct qd_error *err);
	qd_status (*stream_wait)(struct qd_stream *s, struct qd_event *e, struct qd_error *err);
	void (*event_free)(struct qd_event *e);
};

extern const struct driver driver_ref, driver_vulkan;

/* How often this process has been forked off from one with a device open; asking
 * costs less than asking for the process id. */
extern _Atomic uint32_t device_forks;

#define QD_CHECK_FORK(dev, err)                                                                    \
	do {                                                                                       \
		if (QD_UNLIKELY((dev)->forks !=                                                    \
				atomic_load_explicit(&device_forks, memory_order_relaxed)))        \
			return qd_fail(err, QD_E_FORKED,                                           \
				       "%s: the device was opened by process %ld, before a fork; " \
				       "open one in this process",                                 \
				       __func__, (long)(dev)->pid);                                \
	} while (0)

#endif
