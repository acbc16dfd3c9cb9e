/* What the files of the Vulkan driver share; tests include it to read counters
 * and to put faults into the symbol table.
 *
 * Locks, outermost first: streams_lock (the list), a stream's lock, queue_lock.
 * memory_lock, query_lock and layout_lock are taken last and alone. */
#ifndef QD_RUNTIME_VULKAN_INTERNAL_H
#define QD_RUNTIME_VULKAN_INTERNAL_H

#ifndef VK_NO_PROTOTYPES
#define VK_NO_PROTOTYPES
#endif
#include <vulkan/vulkan_core.h>

#include "device.h"

struct vulkan_global_symbols {
#define VULKAN_GLOBAL(name, need) PFN_##name name;
#include "sym.def"
};
struct vulkan_instance_symbols {
#define VULKAN_INSTANCE(name, need) PFN_##name name;
#include "sym.def"
};
struct vulkan_device_symbols {
#define VULKAN_DEVICE(name, need) PFN_##name name;
#include "sym.def"
};

/* -- instance.c: one per process, made on first use and kept ---------------------- */

struct vulkan_instance {
	PFN_vkGetInstanceProcAddr get;
	struct vulkan_global_symbols global;
	struct vulkan_instance_symbols vk;
	VkInstance handle;
	pid_t pid;
};

qd_status vulkan_instance_get(const struct vulkan_instance **out, struct qd_error *err);

/* Messages of the validation layer since the process started; they are logged
 * through the context whose device was opened last. */
uint64_t vulkan_validation_messages(void);

struct vulkan_log_link {
	struct vulkan_log_link *next;
	struct qd_context *ctx;
};
void vulkan_log_attach(struct vulkan_log_link *link, struct qd_context *ctx);
void vulkan_log_detach(struct vulkan_log_link *link);

/* -- physical.c: what a physical device has and lacks ------------------------------ */

struct vulkan_features {
	VkPhysicalDeviceFeatures2 core;
	VkPhysicalDeviceVulkan11Features v11;
	VkPhysicalDeviceVulkan12Features v12;
	VkPhysicalDeviceVulkan13Features v13;
};

struct vulkan_physical {
	VkPhysicalDevice handle;
	struct qd_device_info info; /* why[0]: the device is not usable */
	VkPhysicalDeviceType type;
	VkPhysicalDeviceLimits limits;
	VkPhysicalDeviceMemoryProperties memory;
	VkDriverId driver;
	uint64_t max_alloc, max_buffer;
	uint32_t max_subgroups; /* per block where a subgroup size is demanded */
	uint32_t sizes;		/* subgroup sizes: bit log2 of each */
	bool demand_size;	/* a pipeline must state its subgroup size */
	bool portability;	/* VK_KHR_portability_subset must be enabled */
	uint32_t family, timestamp_bits;
	uint64_t has; /* feature bits, as isa_meta.needs has them */
	uint32_t quirks;
	struct vulkan_features enable;
};

enum { VULKAN_MAX_PHYSICAL = 16 };

/* All of them, best first.  *n is above 0 on success. */
qd_status vulkan_physical_list(const struct vulkan_instance *in,
			       struct vulkan_physical out[VULKAN_MAX_PHYSICAL], uint32_t *n,
			       struct qd_error *err);
/* What to compile for, at this subgroup size. */
qd_status vulkan_physical_target(const struct vulkan_physical *p, uint32_t size, struct target *out,
				 struct qd_error *err);
/* Threads of a hardware block, at most: whole subgroups of this size. */
uint32_t vulkan_physical_threads(const struct vulkan_physical *p, uint32_t size);
/* "64-bit integers, f64": the names of feature bits. */
void vulkan_feature_names(uint64_t bits, char *out, size_t cap);

/* -- memory.c: blocks of device memory and pieces of them ---------------------------- */

enum { VULKAN_ALIGN = 256, VULKAN_N_CLASS = 40 };

struct vulkan_range {
	struct vulkan_block *block;
	struct vulkan_range *prev, *next; /* by address; used and free */
	struct vulkan_range *free_prev, *free_next;
	uint64_t offset, size;
	bool used;
};

struct vulkan_block {
	struct vulkan_heap *heap;
	struct vulkan_block *prev, *next;
	struct vulkan_range *first;
	VkDeviceMemory memory;
	VkBuffer buffer;
	uint64_t addr, size;
	char *host;	/* NULL: the host cannot see it */
	bool dedicated; /* one piece; goes when it is freed */
};

struct vulkan_heap {
	uint32_t type; /* index of the memory type */
	bool mapped;
	uint64_t block_size;
	struct vulkan_block *blocks;
	struct vulkan_range *free[VULKAN_N_CLASS]; /* by floor(log2(size)) */
	uint32_t n_empty;			   /* blocks without a used piece */
};

struct vulkan_device;

qd_status vulkan_memory_init(struct vulkan_device *dev, struct qd_error *err);
void vulkan_memory_fini(struct vulkan_device *dev);
/* Contents are not defined.  size above 0. */
qd_status vulkan_memory_alloc(struct vulkan_device *dev, struct vulkan_heap *heap, uint64_t size,
			      struct vulkan_range **out, struct qd_error *err);
void vulkan_memory_free(struct vulkan_device *dev, struct vulkan_range *r);

/* -- Buffers --------------------------------------------------------------------------- */

/* Who used a buffer last: no stream, one stream up to a value, or several. */
#define VULKAN_USER_NONE UINT64_C(0)
#define VULKAN_USER_MANY UINT64_MAX

struct vulkan_buffer {
	struct qd_buffer base;
	struct vulkan_range *range;
	_Atomic uint64_t user;	/* id of a stream's timeline */
	_Atomic uint64_t value; /* of that timeline */
	struct vulkan_buffer *next_kept;
};

static inline struct vulkan_buffer *
vulkan_buffer_of(struct qd_buffer *buf)
{
	while (buf->parent)
		buf = buf->parent;
	return (struct vulkan_buffer *)buf;
}

/* -- stream.c: timelines, batches, submission ------------------------------------------ */

enum {
	VULKAN_MAX_LAUNCHES = 64, /* in a batch, before it is submitted */
	VULKAN_N_BATCH = 8,	  /* in flight per stream */
	VULKAN_MAX_WAITS = 16,	  /* on other streams, per batch */
	VULKAN_MAX_PENDING = 64	  /* downloads that sync copies from mapped memory */
};

/* Counts the batches of a stream that are done.  Shared by the stream, its
 * events and the batches that wait for it. */
struct vulkan_timeline {
	VkSemaphore semaphore;
	uint64_t id;	       /* of the stream; never used again */
	_Atomic uint64_t done; /* what is known to have passed */
	_Atomic uint32_t refs;
};

struct vulkan_timeline *vulkan_timeline_ref(struct vulkan_timeline *t);
void vulkan_timeline_unref(struct vulkan_device *dev, struct vulkan_timeline *t);
/* Has the value passed?  Asks the driver only if that is not known. */
qd_status vulkan_timeline_passed(struct vulkan_device *dev, struct vulkan_timeline *t,
				 uint64_t value, bool *passed, struct qd_error *err);
qd_status vulkan_timeline_wait(struct vulkan_device *dev, struct vulkan_timeline *t, uint64_t value,
			       struct qd_error *err);

struct vulkan_batch {
	VkCommandPool pool;
	VkCommandBuffer cmd;
	uint64_t value; /* passes when the batch is done; 0: never used */
	struct vulkan_timeline *held[VULKAN_MAX_WAITS];
	uint32_t n_held;
};

struct vulkan_wait {
	struct vulkan_timeline *timeline;
	uint64_t value;
};

/* A piece of a ring, and where its bytes go when `value` has passed. */
struct vulkan_slot {
	uint32_t at, size;
	uint64_t value;
	void *dst; /* NULL: nowhere */
	uint32_t dst_size;
};

enum { VULKAN_N_SLOT = 256 };

/* Host-visible memory that a stream's uploads, downloads and arguments pass
 * through, in order.  Made on first use. */
struct vulkan_ring {
	struct vulkan_range *range;
	char *host;
	VkBuffer buffer;
	uint64_t addr, offset; /* offset: in buffer */
	uint32_t size, head;
	struct vulkan_slot slots[VULKAN_N_SLOT];
	uint32_t first, n;    /* of slots, oldest first */
	uint32_t n_downloads; /* slots with a destination */
};

struct vulkan_download {
	const void *src;
	void *dst;
	size_t size, offset; /* offset: in buf */
	uint64_t value;
	struct vulkan_buffer *buf;
};

struct vulkan_stream {
	struct qd_stream base;
	struct vulkan_stream *next; /* in the device's list, ids ascending */
	pthread_mutex_t lock;
	struct vulkan_timeline *timeline;
	uint64_t submitted; /* value of the last batch given to the queue */
	enum { VULKAN_NO_BATCH, VULKAN_RECORDING, VULKAN_RECORDED } state;
	uint32_t at;	     /* batch being recorded, or recorded and not submitted */
	uint32_t n_launches; /* in it */
	bool barrier;	     /* what is recorded next depends on what is there */
	VkPipeline bound;
	qd_status broken; /* recorded work was lost: every later call fails */
	struct vulkan_wait waits[VULKAN_MAX_WAITS]; /* of the next batch */
	uint32_t n_waits;
	struct vulkan_download pending[VULKAN_MAX_PENDING];
	uint32_t n_pending;
	struct vulkan_batch batches[VULKAN_N_BATCH];
	struct vulkan_ring ring;
};

qd_status vulkan_stream_create(struct qd_device *dev, struct qd_stream **out, struct qd_error *err);
void vulkan_stream_free(struct qd_stream *stream);
qd_status vulkan_stream_sync(struct qd_stream *stream, struct qd_error *err);

/* With the stream's lock held: */

/* Lost devices and broken streams stop here. */
qd_status vulkan_stream_check(struct vulkan_stream *s, struct qd_error *err);
/* A command buffer to record into; a barrier before what follows if needed. */
qd_status vulkan_stream_record(struct vulkan_stream *s, VkCommandBuffer *out, struct qd_error *err);
/* Submits what is recorded, and pending waits. */
qd_status vulkan_stream_flush(struct vulkan_stream *s, struct qd_error *err);
/* What has arrived goes to its destinations; nothing above `done` is touched. */
void vulkan_stream_collect(struct vulkan_stream *s, uint64_t done);
/* The value that passes when all that was given to the stream so far is done. */
static inline uint64_t
vulkan_stream_value(const struct vulkan_stream *s)
{
	return s->submitted + (s->state != VULKAN_NO_BATCH || s->n_waits != 0);
}
void vulkan_buffer_used(struct vulkan_stream *s, struct vulkan_buffer *buf);

/* Without: waits until the buffer's last use, or everything, is over. */
qd_status vulkan_wait_buffer(struct vulkan_device *dev, struct vulkan_buffer *buf,
			     struct qd_error *err);
qd_status vulkan_wait_all(struct vulkan_device *dev, struct qd_error *err);

/* -- ring.c: with the stream's lock held ---------------------------------------------- */

/* Room for size bytes, which the batch recorded next uses; waits for older
 * batches where there is none, and may submit the present one.  *at: offset. */
qd_status vulkan_ring_take(struct vulkan_stream *s, uint32_t size, void *dst, uint32_t *at,
			   struct qd_error *err);
/* Bytes that one take may ask for. */
uint32_t vulkan_ring_chunk(const struct vulkan_stream *s);
/* Downloads into these bytes will not be copied out. */
void vulkan_ring_forget(struct vulkan_ring *r, const void *dst, size_t size);
void vulkan_ring_collect(struct vulkan_ring *r, uint64_t done);

/* -- copy.c --------------------------------------------------------------------------- */

qd_status vulkan_buffer_create(struct qd_device *dev, size_t size, struct qd_buffer **out,
			       struct qd_error *err);
void vulkan_buffer_free(struct qd_buffer *buf);
qd_status vulkan_upload(struct qd_stream *stream, struct qd_buffer *dst, size_t offset,
			const void *src, size_t size, struct qd_error *err);
qd_status vulkan_download(struct qd_stream *stream, struct qd_buffer *src, size_t offset, void *dst,
			  size_t size, struct qd_error *err);
/* Downloads that would have read mapped memory at the next sync become copies
 * in the stream, because something is about to follow them there. */
qd_status vulkan_stage_pending(struct vulkan_stream *s, struct qd_error *err);

/* -- function.c, launch.c --------------------------------------------------------------- */

struct vulkan_function {
	struct qd_function base;
	VkPipeline pipeline;
	VkPipelineLayout layout;
	uint32_t push_size;
	bool by_address;
};

qd_status vulkan_load(struct qd_device *dev, struct qd_image *image, struct qd_function **out,
		      struct qd_error *err);
void vulkan_unload(struct qd_function *fn);
qd_status vulkan_launch(struct qd_stream *stream, const struct launch *l, struct qd_error *err);

/* -- event.c ---------------------------------------------------------------------------- */

enum { VULKAN_QUERIES = 64 };

struct vulkan_queries {
	struct vulkan_queries *next;
	VkQueryPool pool;
	uint64_t used; /* bit per query */
};

qd_status vulkan_event_record(struct qd_stream *stream, struct qd_event **out,
			      struct qd_error *err);
qd_status vulkan_event_elapsed(struct qd_event *from, struct qd_event *to, uint64_t *ns,
			       struct qd_error *err);
qd_status vulkan_event_wait(struct qd_stream *stream, struct qd_event *e, struct qd_error *err);
void vulkan_event_free(struct qd_event *e);

/* -- open.c: the device ------------------------------------------------------------------- */

enum { VULKAN_MAX_PUSH = 256 };

struct vulkan_device {
	struct qd_device base;
	const struct vulkan_instance *instance;
	struct vulkan_device_symbols vk;
	struct vulkan_log_link log;
	VkDevice device;
	VkQueue queue;
	pthread_mutex_t queue_lock;
	struct vulkan_physical physical;
	uint32_t max_groups_x, max_groups_y;
	VkPipelineCache cache;
	pthread_mutex_t layout_lock;
	VkPipelineLayout layouts[VULKAN_MAX_PUSH / 4 + 1]; /* by push constant words */
	pthread_mutex_t memory_lock;
	struct vulkan_buffer *kept; /* freed by the user, perhaps still in use: go at close */
	struct vulkan_heap heaps[2];
	struct vulkan_heap *main, *staging; /* of heaps; the same where the host sees all */
	pthread_mutex_t streams_lock;
	struct vulkan_stream *streams;
	uint64_t last_id;
	struct vulkan_stream *own; /* for zeroing memory the host cannot see, else NULL */
	pthread_mutex_t query_lock;
	struct vulkan_queries *queries;
	_Atomic(const char *) lost; /* the call that lost the device, or NULL */
};

static inline struct vulkan_device *
vulkan_device_of(struct qd_device *dev)
{
	return (struct vulkan_device *)dev;
}

/* For tests, read when a device is opened: as if no memory were visible to the
 * host; and a last look at the symbol table. */
struct vulkan_hooks {
	bool staged;
	void (*symbols)(struct vulkan_device_symbols *vk);
};
extern struct vulkan_hooks vulkan_hooks;

/* -- result.c --------------------------------------------------------------------------- */

const char *vulkan_result_name(VkResult r);
/* "vkQueueSubmit2 failed: VK_ERROR_DEVICE_LOST (-4)" under the status that the
 * code means; dev may be NULL.  A lost device is remembered.  call is kept. */
QD_COLD qd_status vulkan_fail(struct vulkan_device *dev, struct qd_error *err, VkResult r,
			      const char *call);
/* Fails where the device was lost before. */
qd_status vulkan_check_lost(struct vulkan_device *dev, struct qd_error *err);

#endif
