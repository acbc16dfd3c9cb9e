/* Declarations that every component may use: status and errors, pool, arena, buffer, hash, log,
 * threads, the core of a context. Independent of kernels. */
#ifndef QD_BASE_H
#define QD_BASE_H

#include <fenv.h>
#include <stdarg.h>
#include <string.h>
#include <pthread.h>
#include <stdatomic.h>

#include "qd.h"
#include "cc.h"

/* -- Errors ---------------------------------------------------------------- */

#define QD_TRY(expr)                                                                               \
	do {                                                                                       \
		qd_status qd_try_ = (expr);                                                        \
		if (QD_UNLIKELY(qd_try_ != QD_OK))                                                 \
			return qd_try_;                                                            \
	} while (0)

/* Pass as err to discard an error. The thread's last error does not change either. */
extern struct qd_error qd_ignored_error;
#define QD_IGNORE_ERROR (&qd_ignored_error)

/* Fills err (may be NULL) and the thread's last error; returns code. */
QD_COLD qd_status qd_fail(struct qd_error *err, qd_status code, const char *fmt, ...)
	QD_PRINTF(3, 4);
QD_COLD qd_status qd_vfail(struct qd_error *err, qd_status code, uint32_t line, uint32_t col,
			   const char *fmt, va_list ap) QD_PRINTF(5, 0);
/* Same for an existing message. A message that is too long is truncated at a line. */
QD_COLD qd_status qd_fail_text(struct qd_error *err, qd_status code, uint32_t line, uint32_t col,
			       const char *text, size_t len);

/* Argument check at the beginning of a public function. */
#define QD_CHECK_ARG_OF(call, cond, err, what)                                                     \
	do {                                                                                       \
		if (QD_UNLIKELY(!(cond)))                                                          \
			return qd_fail(err, QD_E_INVALID, "%s: %s", call, what);                   \
	} while (0)
#define QD_CHECK_ARG(cond, err, what) QD_CHECK_ARG_OF(__func__, cond, err, what)

/* -- Forks: fork.c ---------------------------------------------------------------- */

/* Number of forks between this process and the first process that had a context. Reading it is
 * cheaper than getpid(). */
extern _Atomic uint32_t fork_count;
/* Starts counting. Returns false if out of memory. */
bool fork_watch(void);
static inline bool
forked_since(uint32_t count)
{
	return QD_UNLIKELY(atomic_load_explicit(&fork_count, memory_order_relaxed) != count);
}
QD_COLD qd_status fork_refused(struct qd_error *err, const char *call);

/* Follows QD_CHECK_ARG in every public function that may take a lock or memory. */
#define QD_CHECK_CTX(ctx, err)                                                                     \
	do {                                                                                       \
		if (forked_since((ctx)->forks))                                                    \
			return fork_refused(err, __func__);                                        \
	} while (0)

/* -- Pool: blocks of few sizes, kept for reuse ---------------------------------- */

/* Eight sizes per power of two: a block is at most one eighth larger than requested. */
enum { POOL_MIN_LOG2 = 6, POOL_MAX_LOG2 = 24,
       POOL_N_CLASS = 8 * (POOL_MAX_LOG2 - POOL_MIN_LOG2) + 1 };

struct pool_block {
	struct pool_block *next;
	size_t size; /* of the whole block, including the header */
};

struct pool {
	struct qd_allocator a;
	pthread_mutex_t lock;
	struct pool_block *free[POOL_N_CLASS];
	unsigned top;	   /* classes above it have no block */
	size_t kept, most; /* bytes in the lists: current, limit */
	uint32_t forks;	   /* fork_count at creation; after a fork, pool_get fails */
};

extern const struct qd_allocator pool_malloc; /* malloc and free */

void pool_init(struct pool *p, const struct qd_allocator *a);
void pool_fini(struct pool *p);
/* Limits the bytes of freed blocks that the pool keeps. Call it before the first pool_get. The
 * default is unlimited. */
void pool_limit(struct pool *p, size_t most);
/* Returns all kept blocks to the allocator, and their size in bytes. */
size_t pool_trim(struct pool *p);
size_t pool_kept(struct pool *p);
/* Returns a block of at least size usable bytes, or NULL. Usable bytes follow the header:
 * pool_data, pool_room. */
struct pool_block *pool_get(struct pool *p, size_t size);
void pool_put(struct pool *p, struct pool_block *b);
static inline void *
pool_data(struct pool_block *b)
{
	return b + 1;
}
static inline size_t
pool_room(const struct pool_block *b)
{
	return b->size - sizeof *b;
}
/* Allocates a zeroed object in its own block. Free it with pool_delete. */
void *pool_new(struct pool *p, size_t size);
void pool_delete(struct pool *p, void *obj);

/* Limit on the bytes that the calling thread holds of a pool between begin and end. pool_get
 * fails beyond it and sets `over`. Quotas may be nested; only the innermost counts. */
struct pool_quota {
	struct pool_quota *outer;
	uint64_t held, most;
	bool over;
};
void pool_quota_begin(struct pool_quota *q, uint64_t most);
void pool_quota_end(struct pool_quota *q);
/* The calling thread's quota. A helper thread borrows the quota of the thread that waits for
 * it. */
struct pool_quota *pool_quota_now(void);
void pool_quota_lend(struct pool_quota *q);

/* -- Arena: bump allocation, freed or reset whole ------------------------------ */

struct arena {
	struct pool *pool;
	struct pool_block *blocks; /* newest first */
	char *at, *end;
};

void arena_init(struct arena *a, struct pool *pool);
void arena_fini(struct arena *a);
void arena_reset(struct arena *a); /* keeps one block, large enough for the same contents */
/* Resets the arena and keeps at most this many bytes. */
void arena_trim(struct arena *a, size_t keep);
void *arena_grow(struct arena *a, size_t size);
/* Aligned to 16 bytes, not zeroed; NULL when out of memory. */
static inline void *
arena_alloc(struct arena *a, size_t size)
{
	size = (size + 15) & ~(size_t)15;
	if (QD_UNLIKELY((size_t)(a->end - a->at) < size))
		return arena_grow(a, size);
	void *p = a->at;
	a->at += size;
	return p;
}
void *arena_zalloc(struct arena *a, size_t size);
/* Calls memset to 0. When a compiler knows the size, it may emit `rep stos`, whose startup takes
 * longer than the library call for a few hundred bytes. */
void mem_zero(void *p, size_t size);
char *arena_strdup(struct arena *a, const char *s, size_t len); /* NUL added */

/* -- Buffer: growable bytes, sticky out-of-memory ------------------------------- */

struct buf {
	struct pool *pool;
	struct pool_block *block;
	size_t len;
	bool nomem; /* sticky; checked once, at the end */
};

extern const char buf_empty[16]; /* the data of all empty buffers, aligned to 16 bytes */
void buf_init(struct buf *b, struct pool *pool);
void buf_fini(struct buf *b);
void *buf_extend(struct buf *b, size_t size); /* appends uninitialized room; NULL if nomem */
void buf_put(struct buf *b, const void *p, size_t size);
void buf_printf(struct buf *b, const char *fmt, ...) QD_PRINTF(2, 3);
/* Never NULL: an empty buffer has a valid address, so that arithmetic on it, memcpy and qsort are
 * defined. */
static inline char *
buf_data(const struct buf *b)
{
	return b->block ? (char *)(b->block + 1) : (char *)(uintptr_t)buf_empty;
}
/* Copies text to the caller by the rule of the public printing calls: at most cap bytes, NUL
 * included; *len is the whole length. */
qd_status buf_copy_out(const struct buf *b, char *text, size_t cap, size_t *len,
		       struct qd_error *err);

/* -- Hash ------------------------------------------------------------------------ */

struct hash128 {
	uint64_t lo, hi;
};
struct hash128 hash_bytes(const void *p, size_t size);
/* Two unpredictable odd numbers. */
void hash_seed(uint64_t seed[2]);

/* -- Numbers as text, independent of the locale ----------------------------------- */

/* Write the shortest decimal that reads back to the same bits: 10, 0.025, 1.5e+20, positional
 * from 1e-4 to below 1e16; nan inf -inf -0. They return the length. text_float takes any format
 * with a sign, up to 11 exponent bits and up to 52 fraction bits. */
int text_f32(char out[32], float v);
int text_f64(char out[32], double v);
int text_float(char out[32], uint64_t bits, unsigned exponent_bits, unsigned fraction_bits);
/* Read a decimal or hexadecimal floating constant, correctly rounded once to the type. They
 * return the number of characters used, 0 if there is no constant. */
size_t text_read_f32(const char *s, size_t len, float *out);
size_t text_read_f64(const char *s, size_t len, double *out);

/* -- Floats and their bits ------------------------------------------------------------ */

static inline float
f32_of(uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	float v;

	memcpy(&v, &low, sizeof v);
	return v;
}

static inline uint32_t
f32_bits(float v)
{
	uint32_t bits;

	memcpy(&bits, &v, sizeof bits);
	return bits;
}

static inline double
f64_of(uint64_t bits)
{
	double v;

	memcpy(&v, &bits, sizeof v);
	return v;
}

static inline uint64_t
f64_bits(double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof bits);
	return bits;
}

/* -- Float environment ------------------------------------------------------------- */

/* Sets rounding to nearest, subnormals preserved and no traps, whatever the program has set. If
 * it returns true, float_env_leave must restore the program's settings. */
static inline bool
float_env_enter(fenv_t *saved)
{
	if (QD_LIKELY(!QD_FLOAT_ENV_CHANGED()))
		return false;
	fegetenv(saved);
	fesetenv(FE_DFL_ENV);
	return true;
}
static inline void
float_env_leave(bool entered, const fenv_t *saved)
{
	if (QD_UNLIKELY(entered))
		fesetenv(saved);
}

/* -- Depth ---------------------------------------------------------------------------- */

/* Enters one more level of nesting. Returns false if `most` levels are open already; the caller
 * must then not recurse. Every recursive function of a reader calls this, or a wrapper of it, so
 * that no file can exhaust the stack; tests/hostile/depth.py checks it. */
static inline bool
depth_enter(uint32_t *depth, uint32_t most)
{
	if (QD_UNLIKELY(*depth >= most))
		return false;
	++*depth;
	return true;
}

static inline void
depth_leave(uint32_t *depth)
{
	--*depth;
}

/* -- Stacks -------------------------------------------------------------------------- */

/* Runs work(arg) on a stack of this size in bytes and waits for it. Returns false if it cannot
 * create the stack. */
bool run_on_new_stack(size_t size, void (*work)(void *), void *arg);

/* -- Context ----------------------------------------------------------------------- */

/* Slots for objects of higher components, created on first use. `fini` runs when the context is
 * freed, highest slot first. */
enum ctx_slot { CTX_SLOT_TARGETS, CTX_SLOT_SCRATCH, CTX_SLOT_DISK, CTX_SLOT_CACHE,
		CTX_SLOT_RUNTIME, CTX_N_SLOT };

/* Kinds of objects created from a context. A device holds images and kernels and lives at least
 * as long as its buffers, streams and events. An image, a module and a fatbin hold kernels. A
 * builder counts as a kernel. */
enum live { LIVE_DEVICE, LIVE_BUFFER, LIVE_STREAM, LIVE_EVENT, LIVE_FATBIN,
	    LIVE_IMAGE, LIVE_MODULE, LIVE_KERNEL, N_LIVE };

/* Defaults of struct qd_limits. LIMIT_TEXT, LIMIT_DEPTH and LIMIT_INSTRUCTIONS are also the
 * greatest values allowed. */
enum { LIMIT_TEXT = 1 << 20, LIMIT_DEPTH = 64, LIMIT_KERNELS = 1 << 16,
       LIMIT_INSTRUCTIONS = 1 << 22, LIMIT_SHARED = 1 << 28 };
#define LIMIT_MEMORY (UINT64_C(4) << 30)

enum { OPT_FULL = 2 };

struct qd_context {
	struct pool pool;
	qd_log_fn *log;
	void *log_user;
	qd_log_level log_max; /* messages above this level are not formatted */
	uint32_t forks;	      /* fork_count at creation */
	struct qd_limits limits; /* from the descriptor, or the defaults; max_steps 0: unlimited */
	size_t max_image_bytes; /* this and max_functions: from the descriptor */
	uint32_t max_functions;
	uint8_t opt;		/* optimization level: 0 to OPT_FULL */
	bool no_facts;		/* functions are compiled without launch facts */
	bool no_jit;		/* QD_JIT=0: nothing is compiled for a device */
	char only_target[256];	/* QD_TARGET: the only target used of a fatbin; "": any */
	qd_cache_mode cache_mode;
	const char *cache_dir; /* a copy, or NULL */
	size_t size;	       /* of the allocation that contains the context */
	pthread_mutex_t lock; /* protects the slots */
	struct {
		_Atomic(void *) p;
		void (*fini)(struct qd_context *ctx, void *p);
		void (*trim)(struct qd_context *ctx, void *p); /* may be NULL */
	} slot[CTX_N_SLOT];
	_Atomic uint32_t n_live[N_LIVE];
};

/* Enclose a parse or a compile, which may hold at most limits.max_memory bytes. end returns st,
 * or QD_E_LIMIT if the limit caused the failure. what appears in the message. */
void ctx_quota_begin(struct qd_context *ctx, struct pool_quota *q);
qd_status ctx_quota_end(struct qd_context *ctx, struct pool_quota *q, const char *what,
			qd_status st, struct qd_error *err);

/* For messages, after the value of a limit: the field that has lowered it, or "". */
#define LIMIT_FIELD(ctx, name, none) ((ctx)->limits.name < (none) ? " (limits." #name " of the context)" : "")

/* Count an object of this kind as created or freed. */
static inline void
ctx_born(struct qd_context *ctx, enum live kind)
{
	atomic_fetch_add(&ctx->n_live[kind], 1);
}

static inline void
ctx_gone(struct qd_context *ctx, enum live kind)
{
	atomic_fetch_sub(&ctx->n_live[kind], 1);
}

bool ctx_has_live(struct qd_context *ctx);

/* Returns the slot's object. If there is none, calls make under the context's lock; NULL if make
 * fails. */
void *ctx_slot(struct qd_context *ctx, enum ctx_slot slot, void *(*make)(struct qd_context *),
	       void (*fini)(struct qd_context *, void *));
/* For make: sets the function that releases the unused parts of the object. */
void ctx_slot_trim(struct qd_context *ctx, enum ctx_slot slot,
		   void (*trim)(struct qd_context *, void *));

void ctx_log(struct qd_context *ctx, qd_log_level level, const char *component, const char *fmt,
	     ...) QD_PRINTF(4, 5);

uint64_t clock_ns(void);

#endif
