/* Declarations shared by the files of the CUDA driver; tests include this file. CUDA's types and
 * values are declared here, because the driver's own header is not free.
 *
 * Every call of the driver is made between cuda_enter and cuda_leave, so that the calling thread
 * keeps its current context.
 *
 * No other lock is taken while a timeline's lock, timestamps_lock or lost_lock is held. */
#ifndef QD_RUNTIME_CUDA_INTERNAL_H
#define QD_RUNTIME_CUDA_INTERNAL_H

#include "device.h"
#include "heap.h"

/* -- Driver interface; comments give the names in CUDA 13.0's cuda.h ---------------- */

struct CUctx_st;
struct CUmod_st;
struct CUfunc_st;
struct CUstream_st;
struct CUevent_st;
struct CUlinkState_st;

struct cuda_uuid {
	unsigned char bytes[16];
};

enum cuda_result { /* CUresult; all other codes are in result.def */
	CUDA_OK = 0,
	CUDA_NO_BINARY_FOR_GPU = 209,
	CUDA_INVALID_PTX = 218,
	CUDA_UNSUPPORTED_PTX_VERSION = 222,
	CUDA_NOT_READY = 600
};

enum { /* CUdevice_attribute, and values of some */
	CUDA_MAX_THREADS_PER_BLOCK = 1,
	CUDA_MAX_GRID_DIM_X = 5,
	CUDA_MAX_SHARED_PER_BLOCK = 8,
	CUDA_WARP_SIZE = 10,
	CUDA_EXEC_TIMEOUT = 17, /* KERNEL_EXEC_TIMEOUT: kernels have a time limit */
	CUDA_COMPUTE_MODE = 20,
	CUDA_MODE_PROHIBITED = 2,
	CUDA_PCI_BUS_ID = 33,
	CUDA_PCI_DEVICE_ID = 34,
	CUDA_UNIFIED_ADDRESSING = 41,
	CUDA_PCI_DOMAIN_ID = 50,
	CUDA_CAPABILITY_MAJOR = 75,
	CUDA_CAPABILITY_MINOR = 76
};

enum { /* CUfunction_attribute */
	CUDA_FUNC_MAX_THREADS = 0,
	CUDA_FUNC_SHARED = 1,
	CUDA_FUNC_LOCAL = 3,
	CUDA_FUNC_REGISTERS = 4
};

enum { CUDA_STREAM_NON_BLOCKING = 1 };
enum { CUDA_EVENT_BLOCKING_SYNC = 1, CUDA_EVENT_DISABLE_TIMING = 2 };
enum { CUDA_HOST_PORTABLE = 1, CUDA_HOST_DEVICEMAP = 2 };
enum { /* CUjit_option */
	CUDA_JIT_INFO_LOG = 3,
	CUDA_JIT_INFO_LOG_SIZE = 4,
	CUDA_JIT_ERROR_LOG = 5,
	CUDA_JIT_ERROR_LOG_SIZE = 6
};
enum { CUDA_JIT_INPUT_PTX = 1 };
/* Words of cuLaunchKernel's last argument, `extra`. */
#define CUDA_LAUNCH_END	   ((void *)0)
#define CUDA_LAUNCH_BUFFER ((void *)1)
#define CUDA_LAUNCH_SIZE   ((void *)2)

struct cuda_symbols {
#define CUDA(name, symbol, need, params) int (*name) params;
#include "sym.def"
};

/* -- library.c: the driver's library, opened on first use and kept ------------------ */

struct cuda_library {
	struct cuda_symbols cu;
	int version; /* 12040 for CUDA 12.4 */
	bool ready;
};

enum { CUDA_MIN_VERSION = 9000 };

qd_status cuda_library_get(const struct cuda_library **out, struct qd_error *err);

/* -- result.c ----------------------------------------------------------------------- */

struct cuda_device;

const char *cuda_result_name(int r);
/* Returns the status for a result, with the text "cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (2)".
 * dev may be NULL. Records a lost device. */
QD_COLD qd_status cuda_fail(struct cuda_device *dev, struct qd_error *err, int r, const char *call);
/* Does the same for calls whose error cannot be returned. Logs the text, unless the device was
 * lost before. */
QD_COLD void cuda_note(struct cuda_device *dev, int r, const char *call);

#define CUDA_TRY(dev, err, name, ...)                                                              \
	do {                                                                                       \
		int cuda_try_ = (dev)->cu->name(__VA_ARGS__);                                      \
		if (QD_UNLIKELY(cuda_try_ != CUDA_OK))                                             \
			return cuda_fail(dev, err, cuda_try_, #name);                              \
	} while (0)
#define CUDA_DROP(dev, name, ...)                                                                  \
	do {                                                                                       \
		int cuda_drop_ = (dev)->cu->name(__VA_ARGS__);                                     \
		if (QD_UNLIKELY(cuda_drop_ != CUDA_OK))                                            \
			cuda_note(dev, cuda_drop_, #name);                                         \
	} while (0)

/* -- physical.c: properties and targets of the driver's devices --------------------- */

struct cuda_physical {
	int handle;
	struct qd_device_info info; /* why is empty if it is usable */
	uint32_t sm;		    /* 90 for capability 9.0 */
	uint32_t max_threads, max_shared; /* per block */
	uint32_t max_x; /* maximum blocks of a grid */
	bool watchdog;	/* long kernels are ended */
};

enum { CUDA_MAX_PHYSICAL = 64 };

/* Lists all devices in the driver's order. *n is above 0 on success. */
qd_status cuda_physical_list(const struct cuda_library *lib,
			     struct cuda_physical out[CUDA_MAX_PHYSICAL], uint32_t *n,
			     struct qd_error *err);
/* Finds the device that a selector names. */
qd_status cuda_choose(const struct cuda_physical *all, uint32_t n, const char *which,
		      uint32_t *out, struct qd_error *err);
/* Returns the target to compile for: the newest that the back end supports and the device runs. */
qd_status cuda_physical_target(const struct cuda_physical *p, struct target *out,
			       struct qd_error *err);
/* Returns the next lower target with the same limits, or false if there is none. */
bool cuda_lower_target(const struct cuda_physical *p, const struct target *t, struct target *out);

/* -- open.c: the device ------------------------------------------------------------- */

struct cuda_device {
	struct qd_device base;
	const struct cuda_library *lib;
	const struct cuda_symbols *cu; /* lib->cu */
	struct cuda_physical physical;
	char version[96];     /* of the driver and its kernel module */
	struct CUctx_st *ctx; /* the device's primary context, retained */
	struct heap device_heap, host_heap;
	pthread_mutex_t timestamps_lock;
	struct cuda_timestamp *timestamps; /* free list */
	pthread_mutex_t lost_lock;
	char lost_by[256]; /* the call and its result */
};

static inline struct cuda_device *
cuda_device_of(struct qd_device *dev)
{
	return (struct cuda_device *)dev;
}

/* Make the device's context current in the thread, and restore the previous one. */
qd_status cuda_enter(struct cuda_device *dev, struct qd_error *err);
void cuda_leave(struct cuda_device *dev);

/* -- memory.c ----------------------------------------------------------------------- */

void cuda_memory_init(struct cuda_device *dev);
void cuda_memory_fini(struct cuda_device *dev);
qd_status cuda_memory_alloc(struct qd_device *dev, enum memory_kind kind, uint64_t size,
			    struct device_memory *out, struct qd_error *err);
void cuda_memory_free(struct qd_device *dev, struct device_memory *m);
bool cuda_trim(struct qd_device *dev);

/* -- queue.c: hooks of struct driver ------------------------------------------------ */

qd_status cuda_timeline_create(struct qd_device *dev, struct timeline **out, struct qd_error *err);
void cuda_timeline_free(struct timeline *t);
qd_status cuda_poll(struct timeline *t, struct qd_error *err);
qd_status cuda_wait(struct timeline *t, uint64_t value, uint64_t ns, struct qd_error *err);
void cuda_drain(struct qd_device *dev);
qd_status cuda_queue_create(struct qd_device *dev, struct timeline *t, struct queue **out,
			    struct qd_error *err);
void cuda_queue_free(struct queue *q);
qd_status cuda_begin(struct queue *q, uint32_t at, struct qd_error *err);
void cuda_copy(struct queue *q, const struct device_memory *dst, uint64_t to,
	       const struct device_memory *src, uint64_t from, uint64_t size);
void cuda_fill(struct queue *q, const struct device_memory *dst, uint64_t to, uint64_t size,
	       uint32_t word);
qd_status cuda_dispatch(struct queue *q, const struct dispatch *d, struct qd_error *err);
void cuda_put_timestamp(struct queue *q, const struct timestamp *s);
qd_status cuda_start(struct queue *q, const struct wait *waits, uint32_t n_waits,
		     struct qd_error *err);
qd_status cuda_finish(struct queue *q, uint64_t value, struct qd_error *err);
qd_status cuda_submit(struct queue *q, bool empty, const struct wait *waits, uint32_t n_waits,
		      uint64_t value, struct qd_error *err);

/* -- timestamp.c ------------------------------------------------------------------------ */

/* Event with a time. The caller that took it holds a reference, and so does each recorded batch
 * that will write it. */
struct cuda_timestamp {
	struct cuda_timestamp *next;
	struct CUevent_st *event;
	_Atomic uint32_t refs;
};

qd_status cuda_timestamp_take(struct qd_device *dev, struct timestamp *out, struct qd_error *err);
void cuda_timestamp_give(struct qd_device *dev, const struct timestamp *s);
qd_status cuda_timestamp_ns(struct qd_device *dev, const struct timestamp *from,
			    const struct timestamp *to, uint64_t *ns, struct qd_error *err);
void cuda_timestamp_unref(struct cuda_device *dev, struct cuda_timestamp *s);
void cuda_timestamps_fini(struct cuda_device *dev);

/* -- function.c --------------------------------------------------------------------- */

struct cuda_function {
	struct qd_function base;
	struct qd_image *lower; /* owned; for a lower target; NULL unless base.image was rejected */
	struct CUmod_st *module;
	struct CUfunc_st *fn;
};

/* Returns the image whose code is loaded. */
static inline const struct qd_image *
cuda_function_image(const struct cuda_function *fn)
{
	return fn->lower ? fn->lower : fn->base.image;
}

qd_status cuda_accepts(const struct qd_device *dev, const struct qd_image *image,
		       struct qd_error *err);
qd_status cuda_load(struct qd_device *dev, struct qd_image *image, struct qd_function **out,
		    struct qd_error *err);
void cuda_unload(struct qd_function *fn);
/* Lowers the device's target until the driver accepts code for it. Called between cuda_enter and
 * cuda_leave. */
qd_status cuda_probe(struct cuda_device *dev, struct qd_error *err);
/* Appends the machine code to which the driver compiles a function. */
qd_status cuda_cubin(struct qd_function *fn, struct buf *out, struct qd_error *err);

#endif
