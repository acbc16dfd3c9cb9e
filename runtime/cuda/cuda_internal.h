/* What the files of the CUDA driver share; tests include it.  Types and values are
 * declared here: the driver's own header is not free.
 *
 * Every call of the driver is made between cuda_enter and cuda_leave, so that the
 * context which the calling thread had stays the one that it has.
 *
 * The locks of timelines, stamps_lock and lost_lock are taken last and alone. */
#ifndef QD_RUNTIME_CUDA_INTERNAL_H
#define QD_RUNTIME_CUDA_INTERNAL_H

#include "device.h"
#include "heap.h"

/* -- The driver's interface: what cuda.h of CUDA 13.0 calls these ------------------- */

struct CUctx_st;
struct CUmod_st;
struct CUfunc_st;
struct CUstream_st;
struct CUevent_st;
struct CUlinkState_st;

struct cuda_uuid {
	unsigned char bytes[16];
};

enum cuda_result { /* CUresult; the others stand in result.def */
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
	CUDA_EXEC_TIMEOUT = 17, /* KERNEL_EXEC_TIMEOUT: kernels have a limit of time */
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
/* Words of cuLaunchKernel's last argument. */
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
/* "cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (2)" under the status that the code
 * means; dev may be NULL.  A lost device is remembered. */
QD_COLD qd_status cuda_fail(struct cuda_device *dev, struct qd_error *err, int r, const char *call);
/* The same where nobody can be told: into the log, but for a device that is lost. */
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

/* -- physical.c: what the driver's devices are -------------------------------------- */

struct cuda_physical {
	int handle;
	struct qd_device_info info; /* why[0]: it is not usable */
	uint32_t sm;		    /* 90 for capability 9.0 */
	uint32_t max_threads, max_shared; /* of a block */
	uint32_t max_x; /* blocks of a grid */
	bool watchdog;	/* kernels that take long are ended */
};

enum { CUDA_MAX_PHYSICAL = 64 };

/* All of them, in the driver's order.  *n is above 0 on success. */
qd_status cuda_physical_list(const struct cuda_library *lib,
			     struct cuda_physical out[CUDA_MAX_PHYSICAL], uint32_t *n,
			     struct qd_error *err);
/* The one that a selector means. */
qd_status cuda_choose(const struct cuda_physical *all, uint32_t n, const char *which,
		      uint32_t *out, struct qd_error *err);
/* What to compile for: the newest that the back end has and the device runs. */
qd_status cuda_physical_target(const struct cuda_physical *p, struct target *out,
			       struct qd_error *err);
/* The next below it, with the same limits; false where there is none. */
bool cuda_lower_target(const struct cuda_physical *p, const struct target *t, struct target *out);

/* -- open.c: the device ------------------------------------------------------------- */

struct cuda_device {
	struct qd_device base;
	const struct cuda_library *lib;
	const struct cuda_symbols *cu; /* its */
	struct cuda_physical physical;
	char version[96];     /* of the driver, as fine as it is told */
	struct CUctx_st *ctx; /* the device's primary one, retained */
	struct heap device_heap, host_heap;
	pthread_mutex_t stamps_lock;
	struct cuda_stamp *stamps; /* free ones */
	pthread_mutex_t lost_lock;
	char lost_by[256]; /* the call and what it gave */
};

static inline struct cuda_device *
cuda_device_of(struct qd_device *dev)
{
	return (struct cuda_device *)dev;
}

/* Between them the device's context is the thread's. */
qd_status cuda_enter(struct cuda_device *dev, struct qd_error *err);
void cuda_leave(struct cuda_device *dev);

/* -- memory.c ----------------------------------------------------------------------- */

void cuda_memory_init(struct cuda_device *dev);
void cuda_memory_fini(struct cuda_device *dev);
qd_status cuda_memory_alloc(struct qd_device *dev, enum memory_kind kind, uint64_t size,
			    struct device_memory *out, struct qd_error *err);
void cuda_memory_free(struct qd_device *dev, struct device_memory *m);
bool cuda_trim(struct qd_device *dev);

/* -- queue.c: as device.h has them -------------------------------------------------- */

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
void cuda_put_stamp(struct queue *q, const struct stamp *s);
qd_status cuda_start(struct queue *q, const struct wait *waits, uint32_t n_waits,
		     struct qd_error *err);
qd_status cuda_finish(struct queue *q, uint64_t value, struct qd_error *err);
qd_status cuda_submit(struct queue *q, bool empty, const struct wait *waits, uint32_t n_waits,
		      uint64_t value, struct qd_error *err);

/* -- timestamp.c ------------------------------------------------------------------------ */

/* An event with a time.  A recorded batch that will write it has it too, beside who
 * took it. */
struct cuda_stamp {
	struct cuda_stamp *next;
	struct CUevent_st *event;
	_Atomic uint32_t refs;
};

qd_status cuda_stamp_take(struct qd_device *dev, struct stamp *out, struct qd_error *err);
void cuda_stamp_give(struct qd_device *dev, const struct stamp *s);
qd_status cuda_stamp_ns(struct qd_device *dev, const struct stamp *from, const struct stamp *to,
			uint64_t *ns, struct qd_error *err);
void cuda_stamp_unref(struct cuda_device *dev, struct cuda_stamp *s);
void cuda_stamps_fini(struct cuda_device *dev);

/* -- function.c --------------------------------------------------------------------- */

struct cuda_function {
	struct qd_function base;
	struct qd_image *lower; /* a reference: of a lower target, where the driver refused
				 * the image's; else NULL */
	struct CUmod_st *module;
	struct CUfunc_st *fn;
};

/* The image whose code is loaded. */
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
/* Between cuda_enter and cuda_leave: what the device's target should be, so that the
 * driver takes it. */
qd_status cuda_probe(struct cuda_device *dev, struct qd_error *err);
/* The machine code that the driver makes of a function, added to `out`. */
qd_status cuda_cubin(struct qd_function *fn, struct buf *out, struct qd_error *err);

#endif
