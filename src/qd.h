/* qd.h: compiles small SIMT kernels to GPU code and runs them.
 *
 * This header is the whole public interface and its manual. docs/c-api.md introduces it with
 * complete programs. The sections follow a kernel from its construction to its launch:
 *
 *   1 status and errors      5 primitives
 *   2 types                  6 modules: kernels from .qdk text
 *   3 context                7 targets and images
 *   4 builder                8 devices, buffers, streams, launch
 *                            9 fatbins: code compiled ahead of time
 *
 * Sections 1 to 7 emit code and need no GPU. The API distinguishes three objects: a kernel is
 * IR, an image is code for one target, a function is an image loaded on a device.
 *
 * Conventions. Every call that can fail returns a qd_status. Results are returned through the
 * pointer before err. err may be NULL; it belongs to the caller and is filled only on failure.
 * Calls that end in `free` or `close` accept NULL. Strings are UTF-8, NUL-terminated and copied.
 * The library never prints, exits or aborts.
 *
 * Threads and lifetimes. Several threads may use an object at once if the table below allows it.
 * No thread may free an object while another thread is in a call that was given this object. Any
 * other call may run at the same time as a free, even if the objects are related: the stream in
 * which an event was recorded, the parent of a slice, a buffer or a function that a stream uses,
 * the device of all of them, the kernel of a function. The call returns what it would return
 * before the free or after it. qd_stream_free completes all work of the stream, so an event
 * recorded in it has passed.
 *
 *	object      threads                         freed before  may be freed while
 *	context     any                             -             -
 *	builder     one at a time                   its context   -
 *	kernel      any; immutable                  its context   images and functions of it live
 *	module      any                             its context   its kernels live
 *	image       any; immutable                  its context   functions of it live
 *	fatbin      any                             its context   images and functions of it live
 *	device      any                             its context   buffers, streams, events live
 *	function    any                             its device    launches of it run
 *	buffer      any                             -             launches and copies use it
 *	slice       any                             -             its parent is freed or not
 *	stream      any, each call is atomic        -             its operations run; waits for them
 *	event       any                             -             streams wait for it
 *
 * All objects of a context must be freed before it. The status of a call does not reflect what
 * other threads did. qd_last_error returns the calling thread's error.
 *
 * A failed call (QD_E_NOMEM, QD_E_DEVICE_NOMEM and so on) has no effect and may be repeated.
 * QD_E_DEVICE_LOST is permanent for the device and all its objects. Any call may fail with
 * QD_E_INVALID for arguments that this manual does not allow, with QD_E_NOMEM, and with
 * QD_E_FORKED for objects created before a fork. Other errors are documented at the call. */
#ifndef QD_H
#define QD_H

#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QD_VERSION_MAJOR 0
#define QD_VERSION_MINOR 2
#define QD_VERSION_PATCH 0
#define QD_VERSION	 (QD_VERSION_MAJOR * 1000000 + QD_VERSION_MINOR * 1000 + QD_VERSION_PATCH)

#if defined(__GNUC__)
#define QD_API __attribute__((visibility("default")))
#else
#define QD_API
#endif

/* Compilers warn about deprecated names, unless QD_NO_DEPRECATED_WARNINGS is defined before this
 * header is included. */
#if defined(QD_NO_DEPRECATED_WARNINGS)
#define QD_DEPRECATED(instead)
#elif defined(__GNUC__)
#define QD_DEPRECATED(instead) __attribute__((deprecated(instead)))
#elif (defined(__cplusplus) && __cplusplus >= 201402L) ||                                          \
	(defined(__STDC_VERSION__) && __STDC_VERSION__ > 201710L)
#define QD_DEPRECATED(instead) [[deprecated(instead)]]
#else
#define QD_DEPRECATED(instead)
#endif

/* -- 1 Status and errors --------------------------------------------------
 *
 * Every call that can fail returns a status and describes the failure in a struct qd_error:
 *
 *	struct qd_error err;
 *	if (qd_context_create(&desc, &ctx, &err))
 *		fprintf(stderr, "%s\n", err.text);
 */

/* 0 is success. Values never change their meaning. */
typedef int32_t qd_status;
enum {
	QD_OK = 0,
	QD_E_NOMEM = 1,
	QD_E_INVALID = 2,
	QD_E_SYNTAX = 3,
	QD_E_TYPE = 4,
	QD_E_UNIFORM = 5,
	QD_E_TEMPLATE = 6,
	QD_E_TARGET = 7,
	QD_E_LIMIT = 8,
	QD_E_NOT_FOUND = 9,
	QD_E_VERSION = 10,
	QD_E_UNAVAILABLE = 11,
	QD_E_DRIVER = 12,
	QD_E_DEVICE_NOMEM = 13,
	QD_E_DEVICE_LOST = 14,
	QD_E_FORKED = 15,
	QD_E_FINDING = 16,
	QD_E_IO = 17,
	QD_E_BUSY = 18,
	QD_E_INTERNAL = 19,
	QD_E_CANCELED = 20
};

/* Description of a failure: what failed, on what, why, and what to do. The first line of text is
 * a summary. line and col count from 1; they are 0 if there is no source text. */
struct qd_error {
	qd_status code;
	uint32_t line, col;
	char text[1024];
};

/* Return the name ("QD_E_NOMEM") and a description ("out of memory"). Never NULL, whatever the
 * number. */
QD_API const char *qd_status_name(qd_status code);
QD_API const char *qd_status_text(qd_status code);

/* Returns a copy of the last error that a call of the calling thread reported. It is valid until
 * this thread's next failing call. */
QD_API const struct qd_error *qd_last_error(void);

/* Returns the library's version, encoded like QD_VERSION. */
QD_API uint32_t qd_version(void);

/* -- 2 Types --------------------------------------------------------------
 *
 * Types of values and of buffer elements, access modes of buffers, and the scope and order of
 * memory operations. Builder calls take them as arguments:
 *
 *	struct qd_array src = qd_param_buffer(b, "src", QD_TYPE_F16, QD_ACCESS_IN);
 *	struct qd_val x = qd_load(b, src, i);                f16 elements are loaded as f32
 *	struct qd_val n = qd_cast(b, QD_TYPE_U32, x);
 */

/* Values have one of the first seven types. The others are storage types, allowed only as
 * elements of buffers and shared arrays. They widen on load (to i32, u32 or f32) and narrow on
 * store: integers wrap, floats round to nearest even. */
typedef uint32_t qd_type;
enum {
	QD_TYPE_NONE = 0,
	QD_TYPE_BOOL = 1,
	QD_TYPE_I32 = 2,
	QD_TYPE_U32 = 3,
	QD_TYPE_I64 = 4,
	QD_TYPE_U64 = 5,
	QD_TYPE_F32 = 6,
	QD_TYPE_F64 = 7,
	QD_TYPE_I8 = 8,
	QD_TYPE_U8 = 9,
	QD_TYPE_I16 = 10,
	QD_TYPE_U16 = 11,
	QD_TYPE_F16 = 12,
	QD_TYPE_BF16 = 13
};

/* Access to a buffer in a kernel. No thread may write an `in` buffer during the launch. */
typedef uint32_t qd_access;
enum {
	QD_ACCESS_IN = 1,
	QD_ACCESS_OUT = 2,
	QD_ACCESS_INOUT = 3
};

/* Scope and order of atomics and fences. Writes that precede a release are visible after the
 * acquire that reads it; relaxed orders nothing. */
typedef uint32_t qd_mem_scope;
enum {
	QD_SCOPE_DEVICE = 0,
	QD_SCOPE_SUBGROUP = 1,
	QD_SCOPE_BLOCK = 2,
	QD_SCOPE_SYSTEM = 3 /* the host too; rejected if the device has no such scope */
};
typedef uint32_t qd_mem_order;
enum {
	QD_ORDER_RELAXED = 1,
	QD_ORDER_ACQUIRE = 2,
	QD_ORDER_RELEASE = 3,
	QD_ORDER_ACQ_REL = 4
};

QD_API const char *qd_type_name(qd_type type); /* "f32"; "none" for an invalid type */
QD_API size_t qd_type_size(qd_type type);      /* bytes in a buffer; 0 for bool and none */

/* -- 3 Context ------------------------------------------------------------
 *
 * A context owns the allocator, the log, and the cache of compiled images. A program usually
 * creates one:
 *
 *	struct qd_context_desc desc = { .version = QD_VERSION };
 *	struct qd_context *ctx;
 *	st = qd_context_create(&desc, &ctx, &err);
 */

/* A context may be used from any thread. All objects created from it must be freed first.
 *
 * After a fork the child must create its own context; the parent may have had any number of
 * threads. Calls on inherited objects return QD_E_FORKED or only read. Freeing inherited
 * objects has no effect. */
struct qd_context;

typedef uint32_t qd_log_level;
enum {
	QD_LOG_ERROR = 1,
	QD_LOG_WARNING = 2,
	QD_LOG_INFO = 3,
	QD_LOG_DEBUG = 4
};

/* Receives a log message. It is called from any thread and must not call back into the library.
 * msg has len bytes and is NUL-terminated too. */
typedef void qd_log_fn(void *user, qd_log_level level, const char *component, const char *msg,
		       size_t len);

/* Either all three are set or none. alloc returns memory aligned for any type, or NULL. */
struct qd_allocator {
	void *(*alloc)(void *user, size_t size);
	void (*free)(void *user, void *p, size_t size);
	void *user;
};

/* Mode of the disk cache, which stores the drivers' compiled code (docs/cache.md). */
typedef uint32_t qd_cache_mode;
enum {
	QD_CACHE_DEFAULT = 0, /* the value of QD_CACHE, else on */
	QD_CACHE_ON = 1,
	QD_CACHE_READ_ONLY = 2, /* nothing is written or removed */
	QD_CACHE_OFF = 3
};

/* Optimization level. Results, findings and remarks are the same at each. */
typedef uint32_t qd_opt;
enum {
	QD_OPT_DEFAULT = 0, /* the value of QD_OPT (0, 1 or 2), else full */
	QD_OPT_NONE = 1, /* level 0, for debugging: the code follows the source, one operation
			  * after the other */
	QD_OPT_SOME = 2, /* level 1: variables become values, equal operations are computed once,
			  * shifts replace multiplications and divisions by powers of two */
	QD_OPT_FULL = 3	 /* level 2: also, operations move out of loops, and known ranges of
			  * integers remove tests */
};

/* Launch facts: the size of each buffer argument of a launch is below 4 GiB, and its address is a
 * multiple of 16 bytes. Code that relies on them is shorter. Results are the same. */
typedef uint32_t qd_facts;
enum {
	QD_FACTS_DEFAULT = 0, /* the value of QD_FACTS (auto or none), else auto */
	QD_FACTS_AUTO = 1, /* functions rely on the facts; the first launch with other arguments
			    * compiles and loads a general variant */
	QD_FACTS_NONE = 2  /* all functions are general */
};

/* Limits on the resources of a text, a kernel and a launch, so that a program can compile and run
 * untrusted text (SECURITY.md). If a limit is exceeded, the call fails with QD_E_LIMIT, and the
 * error names the limit, its value and the field. Zero selects the default, which no kernel
 * written for a device reaches. qd_context_create rejects a value above the greatest allowed. */
struct qd_limits {
	uint32_t max_text;	   /* bytes of a .qdk text; default and at most 1 MiB */
	uint32_t max_depth;	   /* levels of nesting in it; default and at most 64 */
	uint32_t max_kernels;	   /* kernels and instantiations in it; default 65536 */
	uint32_t max_instructions; /* of a kernel before expansion; default and at most 2^22 */
	uint64_t max_shared;	   /* bytes of all shared arrays of a kernel; default 256 MiB */
	uint64_t max_memory;	   /* bytes that one parse or compile holds; default 4 GiB */
	/* Steps of one launch on ref and emu, of all its threads together: operations (ref) or
	 * instructions (emu) of subgroups. Default: the value of QD_STEPS, else unlimited.
	 * Beyond it the launch ends (qd_stream_limit). Other drivers do not count steps. */
	uint64_t max_steps;
};

/* Description of a context. Zero selects the default of every field except version. */
struct qd_context_desc {
	/* QD_VERSION. qd_context_create fails with QD_E_VERSION if the major or the minor
	 * version differs from the library's: before 1.0 each minor version may change structures
	 * and values. */
	uint32_t version;
	struct qd_allocator allocator;
	qd_log_fn *log; /* NULL: none, or stderr if QD_LOG is set */
	void *log_user;
	/* Upper limits of what the context caches while no caller holds it: */
	size_t max_image_bytes; /* compiled images with their kernels; default 64 MiB */
	size_t max_empty_bytes; /* freed memory that is kept for reuse; default 64 MiB */
	uint32_t max_functions; /* loaded functions per device; default 256 */
	qd_cache_mode cache_mode;
	/* Directory of the disk cache, created if it does not exist. NULL: the value of
	 * QD_CACHE_DIR, else $XDG_CACHE_HOME/qd, else $HOME/.cache/qd. */
	const char *cache_dir;
	struct qd_limits limits;
	qd_opt opt; /* of all kernels that the context compiles */
	qd_facts facts; /* of all functions of the context */
};

QD_API qd_status qd_context_create(const struct qd_context_desc *desc, struct qd_context **out,
				   struct qd_error *err);
QD_API void qd_context_free(struct qd_context *ctx);

/* Releases everything that the context caches and no caller holds:
 *
 *   - freed functions on all its devices; a function that a batch in flight uses stays until later
 *   - images that no function and no caller holds
 *   - scratch memory of compiles
 *   - unused memory blocks and unused staging memory
 *   - freed memory kept for reuse
 *
 * May be called from any thread during the context's lifetime; does not wait for a device.
 * Released objects are created again on demand. Without this call, functions and images beyond
 * the limits of the descriptor are released least recently used first, and unused memory beyond
 * its limit largest block first. Fails with QD_E_FORKED, or if ctx is NULL. */
QD_API qd_status qd_context_trim(struct qd_context *ctx, struct qd_error *err);

/* Counters of the cache since the context was created, and its current contents. */
struct qd_cache_stats {
	uint64_t hits, misses; /* a miss is one compile */
	uint64_t waits;	       /* calls that waited for another thread's compile of the same key */
	uint64_t failures;     /* compiles that ended with an error; they are not kept */
	uint64_t images;       /* currently in the cache or in a loaded function */
	uint64_t bytes;	       /* size of these images and their kernels */
	uint64_t functions;    /* currently loaded, on all devices */
	uint64_t unused;       /* loaded functions that no caller holds */
	uint64_t empty_bytes;  /* freed memory that is kept for reuse */
	/* Disk cache: compiles of drivers that it saved, and those it did not. */
	uint64_t disk_hits;
	uint64_t disk_misses;	/* the sum of disk_new to disk_off */
	uint64_t disk_writes;	/* writes so far; they happen after the call that caused them */
	uint64_t disk_dropped;	/* writes skipped: no space, no permission, or too many queued */
	uint64_t disk_new;	/* miss: the kernel is unknown */
	uint64_t disk_template; /* miss: cached with other template values only */
	uint64_t disk_driver;	/* miss: cached for another driver or driver version */
	uint64_t disk_device;	/* miss: cached for another device or target */
	uint64_t disk_emitter;	/* miss: cached from code of another version of qd, or of another
				 * optimization level */
	uint64_t disk_evicted;	/* miss: was cached, but evicted for other entries */
	uint64_t disk_damaged;	/* miss: the file is damaged, or the driver rejected it */
	uint64_t disk_off;	/* miss: the cache is off or unreadable */
};
QD_API void qd_cache_stats(struct qd_context *ctx, struct qd_cache_stats *out);

/* -- 4 Builder ------------------------------------------------------------
 *
 * A builder constructs a kernel by a sequence of calls that append typed operations. The calls
 * return no status: after the first error, further calls have no effect, and qd_builder_finish
 * reports the error with the number and name of the call.
 *
 *	struct qd_builder *b;
 *	qd_builder_create(ctx, "sum32", &b, &err);
 *	qd_block(b, 32, 1, 1);
 *	struct qd_array src = qd_param_buffer(b, "src", QD_TYPE_F32, QD_ACCESS_IN);
 *	struct qd_array dst = qd_param_buffer(b, "dst", QD_TYPE_F32, QD_ACCESS_OUT);
 *	struct qd_val i = qd_grid(b, qd_len(b, src));
 *	struct qd_val sum = qd_subgroup_reduce_add_tiled(b, qd_load(b, src, i), 5);
 *	qd_if(b, qd_eq(b, qd_subgroup_tile_lane(b, 5), qd_u32(b, 0)));
 *		qd_store(b, dst, qd_div(b, i, qd_u32(b, 32)), sum);
 *	qd_end(b);
 *	st = qd_builder_finish(b, &kernel, &err);
 *
 * Only one thread at a time may use a builder. A handle is valid only for the builder that
 * returned it. A value is valid only inside the block (if, else, loop) in which it was created.
 *
 * C evaluates the arguments of a call in any order. Either load may be appended first in
 * qd_sub(b, qd_load(b, x, i), qd_load(b, y, i)). The kernel computes the same either way, but
 * its code and the call numbers in messages differ between compilers. For identical bytes from
 * every compiler, at most one argument may append an operation; assign the others to variables:
 *
 *	struct qd_val u = qd_load(QD_AT(b), x, i);
 *	struct qd_val v = qd_load(QD_AT(b), y, i);
 *	struct qd_val d = qd_sub(QD_AT(b), u, v);
 *
 * Constants append operations too, so qd_add(b, v, qd_u32(b, 1)) meets this rule. */
struct qd_builder;
struct qd_kernel;

struct qd_val { uint32_t id; };	  /* a value, of one type, defined once */
struct qd_var { uint32_t id; };	  /* a mutable local; no address */
struct qd_array { uint32_t id; }; /* a buffer parameter or a shared array */

QD_API qd_status qd_builder_create(struct qd_context *ctx, const char *name,
				   struct qd_builder **out, struct qd_error *err);

/* Verifies the kernel and returns it. The kernel is immutable. The builder is freed in any
 * case. */
QD_API qd_status qd_builder_finish(struct qd_builder *b, struct qd_kernel **out,
				   struct qd_error *err);
QD_API void qd_builder_free(struct qd_builder *b); /* discards an unfinished kernel */

/* Returns QD_OK, or the error that qd_builder_finish will return (QD_E_INVALID for NULL).
 * Calling it is optional; it can save work after an error. */
QD_API qd_status qd_builder_status(const struct qd_builder *b);

/* Sets the source position of the following calls, until the next qd_at. Errors then begin with
 * "file:line: " and have the line in qd_error.line; this includes errors of qd_compile and
 * findings of a checking device. The position does not affect the code. Returns b, so it can be
 * used in a call: qd_add(QD_AT(b), x, y). */
QD_API struct qd_builder *qd_at(struct qd_builder *b, const char *file, uint32_t line);
#define QD_AT(b) qd_at((b), __FILE__, __LINE__)

/* Returns the type of a value, or QD_TYPE_NONE if v is not a value of b. */
QD_API qd_type qd_val_type(const struct qd_builder *b, struct qd_val v);

/* Images made from a kernel may outlive it. */
QD_API void qd_kernel_free(struct qd_kernel *kernel);
QD_API const char *qd_kernel_name(const struct qd_kernel *kernel);

/* Prints the kernel's IR as text, NUL-terminated. Writes at most cap bytes and sets *len to the
 * length without the NUL; call with cap 0 to get the length. */
QD_API qd_status qd_kernel_print(const struct qd_kernel *kernel, char *text, size_t cap,
				 size_t *len, struct qd_error *err);
/* Reads that text back. The result prints as the same text. */
QD_API qd_status qd_kernel_read(struct qd_context *ctx, const char *text, size_t len,
				const char *name, struct qd_kernel **out, struct qd_error *err);

struct qd_param_info {
	const char *name;
	qd_type type;	  /* of the scalar, or of the buffer's elements */
	bool is_buffer;
	qd_access access; /* of a buffer */
	uint32_t size;	  /* bytes of the scalar, or of one element */
};
QD_API uint32_t qd_kernel_param_count(const struct qd_kernel *kernel);
QD_API qd_status qd_kernel_param(const struct qd_kernel *kernel, uint32_t i,
				 struct qd_param_info *out, struct qd_error *err);

/* Attributes of the kernel.
 * block: threads per block along x, y, z. The block runs as x*y*z threads in one dimension, from
 * 1 to the device's limit (default 64).
 * subgroup_sizes: the subgroup sizes that the kernel accepts. A device that has none of them
 * emulates one: the first that consists of several device subgroups, else the first that is part
 * of one. Cross-lane operations then need control flow that is uniform in the block.
 * assume_*: disable the uniformity check, or remove the bounds guards. why states the reason and
 * must not be empty. */
QD_API void qd_block(struct qd_builder *b, uint32_t x, uint32_t y, uint32_t z);
QD_API void qd_subgroup_sizes(struct qd_builder *b, const uint32_t *sizes, uint32_t n);
QD_API void qd_assume_uniform(struct qd_builder *b, const char *why);
QD_API void qd_assume_in_bounds(struct qd_builder *b, const char *why);

/* Parameters, in the order of the calls; at most 64. The argument block holds them in this order
 * at natural alignment, a buffer as {u64 address, u64 elements}. */
QD_API struct qd_array qd_param_buffer(struct qd_builder *b, const char *name, qd_type element,
				       qd_access access);
QD_API struct qd_val qd_param_scalar(struct qd_builder *b, const char *name, qd_type type);

/* Declares an integer template parameter with values lo..=hi, chosen when the kernel is compiled.
 * Pass the returned token wherever a call takes a template argument (log2_size, n).
 * qd_template_value makes it an i32 value. */
QD_API uint32_t qd_template(struct qd_builder *b, const char *name, int32_t lo, int32_t hi);
QD_API struct qd_val qd_template_value(struct qd_builder *b, uint32_t token);
/* Converts a value to a template argument. v is an i32 or u32 that is known when the kernel is
 * compiled: constants, template values, qd_subgroup_log2_group_size and similar calls, and
 * arithmetic on them. */
QD_API uint32_t qd_template_arg(struct qd_builder *b, struct qd_val v);

/* Compilation fails with text if cond is false. cond must be constant when the kernel is
 * compiled. */
QD_API void qd_require(struct qd_builder *b, struct qd_val cond, const char *text);

/* Checks of a kernel's run on the interpreter (device "ref"). Emitted code is identical to that
 * of the kernel without them and without operations that only they use. Padding threads report
 * nothing. Both are allowed in any control flow.
 * assert: if cond is false, reports a finding with the text why. The thread continues, and the
 * launch ends with QD_E_FINDING.
 * print: prints one line per thread with text and then n values of any types, n from 0 to 16.
 * The lines of a launch go to the log when it is complete, at level info, component "print",
 * ordered by block, then thread, then time. After the first 1024, lines are only counted. At
 * most 400 bytes of a text are shown. */
QD_API void qd_assert(struct qd_builder *b, struct qd_val cond, const char *why);
QD_API void qd_print(struct qd_builder *b, const char *text, const struct qd_val *values,
		     uint32_t n);

/* Constants. */
QD_API struct qd_val qd_bool(struct qd_builder *b, bool v);
QD_API struct qd_val qd_i32(struct qd_builder *b, int32_t v);
QD_API struct qd_val qd_u32(struct qd_builder *b, uint32_t v);
QD_API struct qd_val qd_i64(struct qd_builder *b, int64_t v);
QD_API struct qd_val qd_u64(struct qd_builder *b, uint64_t v);
QD_API struct qd_val qd_f32(struct qd_builder *b, float v);
QD_API struct qd_val qd_f64(struct qd_builder *b, double v);
/* Any type, from the bits of the value, low bits first. NaN payloads are preserved. */
QD_API struct qd_val qd_const_bits(struct qd_builder *b, qd_type type, uint64_t bits);

/* Arithmetic. Both operands and the result have the same type. Integers wrap; x/0 is all ones
 * and x%0 is x; INT_MIN/-1 is INT_MIN with remainder 0; / and % truncate. Floats follow IEEE-754
 * and are never contracted. min and max return the other operand if one is NaN, and order -0
 * below +0. */
QD_API struct qd_val qd_add(struct qd_builder *b, struct qd_val x, struct qd_val y);
QD_API struct qd_val qd_sub(struct qd_builder *b, struct qd_val x, struct qd_val y);
QD_API struct qd_val qd_mul(struct qd_builder *b, struct qd_val x, struct qd_val y);
QD_API struct qd_val qd_div(struct qd_builder *b, struct qd_val x, struct qd_val y);
QD_API struct qd_val qd_rem(struct qd_builder *b, struct qd_val x, struct qd_val y);
QD_API struct qd_val qd_min(struct qd_builder *b, struct qd_val x, struct qd_val y);
QD_API struct qd_val qd_max(struct qd_builder *b, struct qd_val x, struct qd_val y);
QD_API struct qd_val qd_mulhi(struct qd_builder *b, struct qd_val x, struct qd_val y);
QD_API struct qd_val qd_floordiv(struct qd_builder *b, struct qd_val x, struct qd_val y);
QD_API struct qd_val qd_floormod(struct qd_builder *b, struct qd_val x, struct qd_val y);
QD_API struct qd_val qd_neg(struct qd_builder *b, struct qd_val x);
QD_API struct qd_val qd_abs(struct qd_builder *b, struct qd_val x); /* abs(INT_MIN) is INT_MIN */
QD_API struct qd_val qd_clamp(struct qd_builder *b, struct qd_val x, struct qd_val lo,
			      struct qd_val hi); /* min(max(x, lo), hi) */
QD_API struct qd_val qd_fma(struct qd_builder *b, struct qd_val x, struct qd_val y,
			    struct qd_val z); /* on Vulkan the driver decides the rounding */
QD_API struct qd_val qd_sqrt(struct qd_builder *b, struct qd_val x);
QD_API struct qd_val qd_floor(struct qd_builder *b, struct qd_val x);
QD_API struct qd_val qd_ceil(struct qd_builder *b, struct qd_val x);
QD_API struct qd_val qd_trunc(struct qd_builder *b, struct qd_val x);
QD_API struct qd_val qd_round(struct qd_builder *b, struct qd_val x); /* ties to even */
/* abs_diff returns the unsigned type, mul_wide the product of 32-bit integers as a 64-bit one.
 * add_sat and sub_sat return the nearest value of the type; the averages do not overflow. */
QD_API struct qd_val qd_abs_diff(struct qd_builder *b, struct qd_val x, struct qd_val y);
QD_API struct qd_val qd_add_sat(struct qd_builder *b, struct qd_val x, struct qd_val y);
QD_API struct qd_val qd_sub_sat(struct qd_builder *b, struct qd_val x, struct qd_val y);
QD_API struct qd_val qd_average_floor(struct qd_builder *b, struct qd_val x, struct qd_val y);
QD_API struct qd_val qd_average_ceil(struct qd_builder *b, struct qd_val x, struct qd_val y);
QD_API struct qd_val qd_mul_wide(struct qd_builder *b, struct qd_val x, struct qd_val y);
/* sign returns -1, 0 or 1; a float zero or NaN stays as it is. mix returns x + z * (y - x), not
 * fused; step 0 if y < x, else 1; fract x - floor(x); copysign x with y's sign bit. */
QD_API struct qd_val qd_sign(struct qd_builder *b, struct qd_val x);
QD_API struct qd_val qd_copysign(struct qd_builder *b, struct qd_val x, struct qd_val y);
QD_API struct qd_val qd_mix(struct qd_builder *b, struct qd_val x, struct qd_val y,
			    struct qd_val z);
QD_API struct qd_val qd_step(struct qd_builder *b, struct qd_val x, struct qd_val y);
QD_API struct qd_val qd_fract(struct qd_builder *b, struct qd_val x);

/* Approximate functions. Each target computes them in its own way: the last bits are
 * unspecified, and they are never evaluated before the kernel runs. Operands are floats of one
 * type, which is the result's type too. The maximum error is in units of the last place, or
 * absolute if it is a power of two:
 *
 *	       f32				f64
 *	exp    3 + 2|x|				4
 *	log    5; 2^-21 between 0.5 and 2	4
 *	sin    2^-11 between -pi and pi		2^-50 between -2^20 and 2^20
 *	pow    as exp2(y * log2(x))		4 + 4|y log x|
 *
 * These bounds hold if arguments and results are normal numbers, and the arguments of log and the
 * x of pow are above 0. Otherwise the result is unspecified, and the interpreter prints a remark
 * on operands for which devices differ (docs/language.md has a table). */
QD_API struct qd_val qd_exp(struct qd_builder *b, struct qd_val x);
QD_API struct qd_val qd_log(struct qd_builder *b, struct qd_val x); /* natural logarithm */
QD_API struct qd_val qd_sin(struct qd_builder *b, struct qd_val x); /* x in radians */
QD_API struct qd_val qd_cos(struct qd_builder *b, struct qd_val x);
QD_API struct qd_val qd_pow(struct qd_builder *b, struct qd_val x, struct qd_val y);

/* Bits and logic. and, or, xor, not take integers or bools. A shift count is any integer, taken
 * modulo the width. shr is arithmetic on signed types. popcount, clz and ffs return a u32;
 * clz(0) is the width, ffs counts from 1, and ffs(0) is 0. */
QD_API struct qd_val qd_and(struct qd_builder *b, struct qd_val x, struct qd_val y);
QD_API struct qd_val qd_or(struct qd_builder *b, struct qd_val x, struct qd_val y);
QD_API struct qd_val qd_xor(struct qd_builder *b, struct qd_val x, struct qd_val y);
QD_API struct qd_val qd_not(struct qd_builder *b, struct qd_val x);
QD_API struct qd_val qd_shl(struct qd_builder *b, struct qd_val x, struct qd_val count);
QD_API struct qd_val qd_shr(struct qd_builder *b, struct qd_val x, struct qd_val count);
QD_API struct qd_val qd_popcount(struct qd_builder *b, struct qd_val x);
QD_API struct qd_val qd_clz(struct qd_builder *b, struct qd_val x);
QD_API struct qd_val qd_ffs(struct qd_builder *b, struct qd_val x);
QD_API struct qd_val qd_brev(struct qd_builder *b, struct qd_val x);
/* hi and lo are the words of a number twice as wide, which is shifted; the functions return its
 * high and its low word. rotl and rotr are those of x and x. ctz(0) is the width; the result is a
 * u32. */
QD_API struct qd_val qd_funnel_left(struct qd_builder *b, struct qd_val hi, struct qd_val lo,
				    struct qd_val n);
QD_API struct qd_val qd_funnel_right(struct qd_builder *b, struct qd_val hi, struct qd_val lo,
				     struct qd_val n);
QD_API struct qd_val qd_rotl(struct qd_builder *b, struct qd_val x, struct qd_val n);
QD_API struct qd_val qd_rotr(struct qd_builder *b, struct qd_val x, struct qd_val n);
QD_API struct qd_val qd_ctz(struct qd_builder *b, struct qd_val x);
/* A field has n bits from bit `first` on; both numbers are unsigned and are not taken modulo the
 * width. A field that passes the top bit is cut there. extract_bits returns 0 if n is 0 or first is
 * not below the width, and extends the field by its top bit if the type is signed; insert_bits
 * returns x with y's lowest bits in the field. */
QD_API struct qd_val qd_extract_bits(struct qd_builder *b, struct qd_val x, struct qd_val first,
				     struct qd_val n);
QD_API struct qd_val qd_insert_bits(struct qd_builder *b, struct qd_val x, struct qd_val y,
				    struct qd_val first, struct qd_val n);
/* Bytes of a u32; byte 0 is the lowest. pack4 returns the low byte of each operand, x's as byte 0;
 * the operands of pack4_i8 are i32. unpack returns byte n, modulo 4; unpack_i8 returns an i32.
 * Each 4 bits of the selector choose a byte of x (0 to 3) or y (4 to 7), the lowest for byte 0;
 * if their bit 3 is set, the byte consists of 8 copies of its top bit. */
QD_API struct qd_val qd_byte_permute(struct qd_builder *b, struct qd_val x, struct qd_val y,
				     struct qd_val z);
QD_API struct qd_val qd_pack4_i8(struct qd_builder *b, struct qd_val x, struct qd_val y,
				 struct qd_val z, struct qd_val w);
QD_API struct qd_val qd_pack4_u8(struct qd_builder *b, struct qd_val x, struct qd_val y,
				 struct qd_val z, struct qd_val w);
QD_API struct qd_val qd_unpack_i8(struct qd_builder *b, struct qd_val x, struct qd_val n);
QD_API struct qd_val qd_unpack_u8(struct qd_builder *b, struct qd_val x, struct qd_val n);
/* Returns z plus the four products of the bytes of x and y, which are u32. dot4_i8: signed bytes, z is
 * an i32; dot4_u8: unsigned, u32; dot4_i8u8: signed bytes of x and unsigned bytes of y, i32. */
QD_API struct qd_val qd_dot4_i8(struct qd_builder *b, struct qd_val x, struct qd_val y,
				struct qd_val z);
QD_API struct qd_val qd_dot4_u8(struct qd_builder *b, struct qd_val x, struct qd_val y,
				struct qd_val z);
QD_API struct qd_val qd_dot4_i8u8(struct qd_builder *b, struct qd_val x, struct qd_val y,
				  struct qd_val z);

/* Comparisons return a bool. With a NaN, all are false except ne. */
QD_API struct qd_val qd_eq(struct qd_builder *b, struct qd_val x, struct qd_val y);
QD_API struct qd_val qd_ne(struct qd_builder *b, struct qd_val x, struct qd_val y);
QD_API struct qd_val qd_lt(struct qd_builder *b, struct qd_val x, struct qd_val y);
QD_API struct qd_val qd_le(struct qd_builder *b, struct qd_val x, struct qd_val y);
QD_API struct qd_val qd_gt(struct qd_builder *b, struct qd_val x, struct qd_val y);
QD_API struct qd_val qd_ge(struct qd_builder *b, struct qd_val x, struct qd_val y);
QD_API struct qd_val qd_isnan(struct qd_builder *b, struct qd_val x);
QD_API struct qd_val qd_isinf(struct qd_builder *b, struct qd_val x);
QD_API struct qd_val qd_select(struct qd_builder *b, struct qd_val c, struct qd_val x,
			       struct qd_val y); /* c ? x : y; both are computed */

/* cast: integers wrap; a float converted to an integer truncates and saturates, and NaN gives 0;
 * a cast to bool is x != 0, so NaN is true. bitcast: same width, same bits. */
QD_API struct qd_val qd_cast(struct qd_builder *b, qd_type to, struct qd_val x);
QD_API struct qd_val qd_bitcast(struct qd_builder *b, qd_type to, struct qd_val x);

/* Mutable local variables. */
QD_API struct qd_var qd_var(struct qd_builder *b, struct qd_val init);
QD_API struct qd_val qd_get(struct qd_builder *b, struct qd_var var);
QD_API void qd_set(struct qd_builder *b, struct qd_var var, struct qd_val v);

/* Structured control flow. A loop runs until a break. A condition is any scalar, tested != 0.
 * A scope runs once. qd_leave continues after the n-th enclosing loop, scope or grid loop; 1 is
 * the innermost, and ifs do not count. qd_break leaves the innermost loop, and qd_continue ends
 * its current iteration. Values created in a construct cannot be used after it.
 *
 * qd_for opens a loop over begin, begin + 1, ... below end, of their integer type, and returns
 * its index. qd_while leaves the innermost loop if cond is false, like qd_break_if of the
 * negation. Both kinds of loop end with their qd_end:
 *
 *	struct qd_val j = qd_for(b, qd_u32(b, 0), n);
 *		qd_set(b, sum, qd_add(b, qd_get(b, sum), qd_load(b, src, j)));
 *	qd_end(b);
 */
QD_API void qd_if(struct qd_builder *b, struct qd_val cond);
QD_API void qd_else(struct qd_builder *b);
QD_API void qd_loop(struct qd_builder *b);
QD_API struct qd_val qd_for(struct qd_builder *b, struct qd_val begin, struct qd_val end);
QD_API void qd_while(struct qd_builder *b, struct qd_val cond);
QD_API void qd_break(struct qd_builder *b);
QD_API void qd_break_if(struct qd_builder *b, struct qd_val cond);
QD_API void qd_continue(struct qd_builder *b);
QD_API void qd_scope(struct qd_builder *b);
QD_API void qd_leave(struct qd_builder *b, uint32_t n);
QD_API void qd_leave_if(struct qd_builder *b, uint32_t n, struct qd_val cond);
QD_API void qd_end(struct qd_builder *b);

/* Memory. An index has any integer type. Every access to a buffer is guarded by its length: out
 * of range, a load returns zero (or other), and a store does nothing. Values have the element
 * type; storage types are widened. */
QD_API struct qd_val qd_len(struct qd_builder *b, struct qd_array a); /* u32, elements */
QD_API struct qd_val qd_load(struct qd_builder *b, struct qd_array a, struct qd_val index);
QD_API struct qd_val qd_load_else(struct qd_builder *b, struct qd_array a, struct qd_val index,
				  struct qd_val other);
QD_API void qd_store(struct qd_builder *b, struct qd_array a, struct qd_val index,
		     struct qd_val v);

/* Access the n adjacent elements n * index, n * index + 1, ... of a buffer, shared array or table. n is
 * 2, 4, 8 or 16, and the elements have at most 16 bytes. n * index does not wrap: such elements
 * are past the end. Each element of a buffer or table has a guard of its own, as above. out receives n
 * values; v holds n values. */
QD_API void qd_load_wide(struct qd_builder *b, struct qd_array a, struct qd_val index, uint32_t n,
			 struct qd_val *out);
QD_API void qd_load_wide_else(struct qd_builder *b, struct qd_array a, struct qd_val index,
			      struct qd_val other, uint32_t n, struct qd_val *out);
QD_API void qd_store_wide(struct qd_builder *b, struct qd_array a, struct qd_val index,
			  const struct qd_val *v, uint32_t n);

/* Declares an array of `len` elements that the threads of a block share; elements may have any
 * type that elements of a buffer may have. Its initial contents are undefined. It has no guard:
 * an index out of range is undefined (QD_E_FINDING on ref; for a constant index, an error when
 * the kernel is compiled). It is accessed with the calls above. Declare all parameters first.
 * The name must differ from those of parameters and other arrays. All arrays together must fit
 * the device's shared memory. */
QD_API struct qd_array qd_shared(struct qd_builder *b, const char *name, qd_type element,
				 uint32_t len);

/* Declares a table of `len` constant elements, all of which are known when the kernel is built:
 * i32, u32, i64, u64, f32 or f64. values: `len` elements of that type, copied. A load may have any
 * index; past the end it gives zero, or `other` of qd_load_else. It is uniform if its index is. A
 * store fails with QD_E_INVALID. All tables of a kernel have at most 65536 bytes. The code object
 * contains them: .const memory on PTX, data after the code on AMD, constants on Vulkan. The name
 * follows the rules of qd_shared. */
QD_API struct qd_array qd_table(struct qd_builder *b, const char *name, qd_type element,
				const void *values, uint32_t len);

/* Atomics on an element of type i32, u32, i64, u64, f32 or f64 (and, or, xor: integers only).
 * They return the previous value. They are guarded like other accesses: out of range, they do
 * nothing and return 0. min and max order floats like qd_min. cas compares bits and stores
 * `desired` if they equal those of `expected`. A load may be relaxed or acquire, a store relaxed
 * or release, the others any of the four. 64-bit atomics need a device that supports them. */
QD_API struct qd_val qd_atomic_load(struct qd_builder *b, struct qd_array a, struct qd_val index,
				    qd_mem_scope scope, qd_mem_order order);
QD_API void qd_atomic_store(struct qd_builder *b, struct qd_array a, struct qd_val index,
			    struct qd_val v, qd_mem_scope scope, qd_mem_order order);
QD_API struct qd_val qd_atomic_add(struct qd_builder *b, struct qd_array a, struct qd_val index,
				   struct qd_val v, qd_mem_scope scope, qd_mem_order order);
QD_API struct qd_val qd_atomic_sub(struct qd_builder *b, struct qd_array a, struct qd_val index,
				   struct qd_val v, qd_mem_scope scope, qd_mem_order order);
QD_API struct qd_val qd_atomic_min(struct qd_builder *b, struct qd_array a, struct qd_val index,
				   struct qd_val v, qd_mem_scope scope, qd_mem_order order);
QD_API struct qd_val qd_atomic_max(struct qd_builder *b, struct qd_array a, struct qd_val index,
				   struct qd_val v, qd_mem_scope scope, qd_mem_order order);
QD_API struct qd_val qd_atomic_and(struct qd_builder *b, struct qd_array a, struct qd_val index,
				   struct qd_val v, qd_mem_scope scope, qd_mem_order order);
QD_API struct qd_val qd_atomic_or(struct qd_builder *b, struct qd_array a, struct qd_val index,
				  struct qd_val v, qd_mem_scope scope, qd_mem_order order);
QD_API struct qd_val qd_atomic_xor(struct qd_builder *b, struct qd_array a, struct qd_val index,
				   struct qd_val v, qd_mem_scope scope, qd_mem_order order);
QD_API struct qd_val qd_atomic_exchange(struct qd_builder *b, struct qd_array a,
					struct qd_val index, struct qd_val v, qd_mem_scope scope,
					qd_mem_order order);
QD_API struct qd_val qd_atomic_cas(struct qd_builder *b, struct qd_array a, struct qd_val index,
				   struct qd_val expected, struct qd_val desired, qd_mem_scope scope,
				   qd_mem_order order);

/* Barriers and fences. At a barrier, no thread of the block (no lane of the subgroup) continues
 * until all have arrived; after it, all see what any of them wrote before it, buffers included.
 * Control flow must be uniform in the block (in the subgroup). Fences order the calling thread's
 * own accesses as other threads see them and do not wait; order is acquire, release or acq_rel,
 * and any control flow is allowed. scope: device or system. */
QD_API void qd_block_sync(struct qd_builder *b);
QD_API void qd_subgroup_sync(struct qd_builder *b);
QD_API void qd_subgroup_mem_fence(struct qd_builder *b, qd_mem_order order);
QD_API void qd_block_mem_fence(struct qd_builder *b, qd_mem_order order);
QD_API void qd_grid_mem_fence(struct qd_builder *b, qd_mem_scope scope, qd_mem_order order);

/* The grid loop. Its body ends at its qd_end or at the end of the kernel, and runs in one thread
 * for each i below n; i has the type of n. Threads beyond n are padding threads in the body:
 * their stores have no effect, and reductions, scans, votes and ballots skip them. Before and
 * after the loop they are ordinary threads again, and their variables keep the values from before
 * it.
 *
 * The host computes the number of blocks. n may therefore only use constants, scalar parameters
 * and qd_len, combined by qd_add to qd_max, qd_neg, qd_abs, the bit functions up to qd_shr,
 * comparisons, qd_select, qd_cast and qd_bitcast. A count that wraps fails the launch. A kernel
 * has at most one grid loop, which may be inside scopes but no other control flow. */
QD_API struct qd_val qd_grid(struct qd_builder *b, struct qd_val n);

QD_API struct qd_val qd_block_idx(struct qd_builder *b);	/* u32 */
QD_API struct qd_val qd_block_dim(struct qd_builder *b);	/* u32 */
QD_API struct qd_val qd_grid_dim(struct qd_builder *b);		/* u32, blocks */
QD_API struct qd_val qd_block_thread_idx(struct qd_builder *b); /* u32, linear index */
QD_API struct qd_val qd_block_thread_idx_axis(struct qd_builder *b, uint32_t axis); /* u32 */
QD_API struct qd_val qd_block_global_thread_idx(struct qd_builder *b);	     /* u32 */

/* -- 5 Primitives ---------------------------------------------------------
 *
 * Primitives exchange values between the threads of a tile, a subgroup, a warp or a block:
 *
 *	struct qd_val next = qd_subgroup_shuffle_down(b, v, qd_u32(b, 1));
 *	struct qd_val tile = qd_subgroup_reduce_add_tiled(b, v, 3);       sum of 8 lanes
 *	struct qd_val rank = qd_block_exclusive_add(b, qd_u32(b, 1));
 *
 * docs/semantics.md specifies every result, including all edge cases.
 *
 * Values have any of the types i32, u32, i64, u64, f32, f64. Operands that are a lane, an offset
 * or a mask have type i32 or u32; an i32 is reinterpreted as u32. S is the subgroup size. A
 * tile is 2^log2_size aligned lanes; log2_size is a template argument with 2^log2_size <= S.
 * Control flow must be uniform at least in the subgroup.
 *
 * Padding lanes are the lanes of padding threads. These are threads beyond the end of a block
 * that is not a multiple of S, and threads beyond the count of a grid loop. Ballots do not count
 * them, and reductions and scans skip them. Results are defined in all other lanes, except for a
 * value fetched from a padding lane, which is undefined. */
QD_API struct qd_val qd_subgroup_id(struct qd_builder *b);	      /* u32, index in the block */
QD_API struct qd_val qd_subgroup_count(struct qd_builder *b);	      /* u32, per block */
QD_API struct qd_val qd_subgroup_invocation_id(struct qd_builder *b); /* u32, 0..S-1 */
QD_API struct qd_val qd_subgroup_group_size(struct qd_builder *b);    /* u32, the constant S */
QD_API struct qd_val qd_subgroup_log2_group_size(struct qd_builder *b); /* u32 */
QD_API struct qd_val qd_subgroup_tile_lane(struct qd_builder *b, uint32_t log2_size); /* u32 */

/* i32: 1 in lane 0 of each subgroup, 0 elsewhere. If lane 0 is inactive, no lane gets 1. */
QD_API struct qd_val qd_subgroup_elect(struct qd_builder *b);

/* v of lane index mod S; index may differ between lanes. A constant index outside 0..S-1 is a
 * compile-time error. */
QD_API struct qd_val qd_subgroup_shuffle(struct qd_builder *b, struct qd_val v,
					 struct qd_val index);
/* v of lane (l ^ mask) mod S, where l is the lane's own index */
QD_API struct qd_val qd_subgroup_shuffle_xor(struct qd_builder *b, struct qd_val v,
					     struct qd_val mask);
/* v of lane l - offset (up) or l + offset (down); the lane's own v if there is no such lane */
QD_API struct qd_val qd_subgroup_shuffle_up(struct qd_builder *b, struct qd_val v,
					    struct qd_val offset);
QD_API struct qd_val qd_subgroup_shuffle_down(struct qd_builder *b, struct qd_val v,
					      struct qd_val offset);
/* Like shuffle; index must be uniform in the subgroup. */
QD_API struct qd_val qd_subgroup_broadcast(struct qd_builder *b, struct qd_val v,
					   struct qd_val index);

/* u32: bit j is set if j < n and the predicate of lane j (any type, tested != 0) holds. n is a
 * template argument from 1 to 32. */
QD_API struct qd_val qd_subgroup_ballot_first_n(struct qd_builder *b, struct qd_val predicate,
						uint32_t n);

/* u64: the same of all lanes. With 128 lanes this call is an error; use ballot128, which writes
 * four u32 words to out, lowest lanes first. */
QD_API struct qd_val qd_subgroup_ballot(struct qd_builder *b, struct qd_val predicate);
QD_API void qd_subgroup_ballot128(struct qd_builder *b, struct qd_val predicate,
				  struct qd_val *out);

/* Masks of lanes, of 32 and of 64 bits. Bit j is set if j is equal to the lane (eq), at least
 * the lane (ge), above (gt), at most (le) or below it (lt). lane is any i32 or u32; a lane
 * beyond the mask counts as above all its bits. */
QD_API struct qd_val qd_subgroup_lanemask_eq(struct qd_builder *b, struct qd_val lane);
QD_API struct qd_val qd_subgroup_lanemask_ge(struct qd_builder *b, struct qd_val lane);
QD_API struct qd_val qd_subgroup_lanemask_gt(struct qd_builder *b, struct qd_val lane);
QD_API struct qd_val qd_subgroup_lanemask_le(struct qd_builder *b, struct qd_val lane);
QD_API struct qd_val qd_subgroup_lanemask_lt(struct qd_builder *b, struct qd_val lane);
QD_API struct qd_val qd_subgroup_lanemask64_eq(struct qd_builder *b, struct qd_val lane);
QD_API struct qd_val qd_subgroup_lanemask64_ge(struct qd_builder *b, struct qd_val lane);
QD_API struct qd_val qd_subgroup_lanemask64_gt(struct qd_builder *b, struct qd_val lane);
QD_API struct qd_val qd_subgroup_lanemask64_le(struct qd_builder *b, struct qd_val lane);
QD_API struct qd_val qd_subgroup_lanemask64_lt(struct qd_builder *b, struct qd_val lane);

/* Votes. The result is an i32, 1 or 0, the same in every lane of the tile.
 * all_true: whether the predicate holds in all lanes.
 * any_true: whether it holds in any lane.
 * all_equal: whether v is the same in all lanes, compared with ==. A NaN differs from every
 * value. */
QD_API struct qd_val qd_subgroup_all_true(struct qd_builder *b, struct qd_val predicate);
QD_API struct qd_val qd_subgroup_all_true_tiled(struct qd_builder *b, struct qd_val predicate,
						uint32_t log2_size);
QD_API struct qd_val qd_subgroup_any_true(struct qd_builder *b, struct qd_val predicate);
QD_API struct qd_val qd_subgroup_any_true_tiled(struct qd_builder *b, struct qd_val predicate,
						uint32_t log2_size);
QD_API struct qd_val qd_subgroup_all_equal(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_subgroup_all_equal_tiled(struct qd_builder *b, struct qd_val v,
						 uint32_t log2_size);

/* Reductions: every lane of the tile gets the total. Float min and max skip a NaN and order -0
 * below +0. and, or, xor take integers. Float sums and products use the same canonical order on
 * every target: T(v[0..n)) = T(v[0..h)) op T(v[h..n)), where h is the largest power of two below
 * n. */
QD_API struct qd_val qd_subgroup_reduce_add(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_subgroup_reduce_add_tiled(struct qd_builder *b, struct qd_val v,
						  uint32_t log2_size);
QD_API struct qd_val qd_subgroup_reduce_mul(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_subgroup_reduce_mul_tiled(struct qd_builder *b, struct qd_val v,
						  uint32_t log2_size);
QD_API struct qd_val qd_subgroup_reduce_min(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_subgroup_reduce_min_tiled(struct qd_builder *b, struct qd_val v,
						  uint32_t log2_size);
QD_API struct qd_val qd_subgroup_reduce_max(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_subgroup_reduce_max_tiled(struct qd_builder *b, struct qd_val v,
						  uint32_t log2_size);
QD_API struct qd_val qd_subgroup_reduce_and(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_subgroup_reduce_and_tiled(struct qd_builder *b, struct qd_val v,
						  uint32_t log2_size);
QD_API struct qd_val qd_subgroup_reduce_or(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_subgroup_reduce_or_tiled(struct qd_builder *b, struct qd_val v,
						 uint32_t log2_size);
QD_API struct qd_val qd_subgroup_reduce_xor(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_subgroup_reduce_xor_tiled(struct qd_builder *b, struct qd_val v,
						  uint32_t log2_size);
/* Aliases of the reductions above. */
QD_API struct qd_val qd_subgroup_reduce_all_add(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_subgroup_reduce_all_add_tiled(struct qd_builder *b, struct qd_val v,
						      uint32_t log2_size);
QD_API struct qd_val qd_subgroup_reduce_all_mul(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_subgroup_reduce_all_mul_tiled(struct qd_builder *b, struct qd_val v,
						      uint32_t log2_size);
QD_API struct qd_val qd_subgroup_reduce_all_min(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_subgroup_reduce_all_min_tiled(struct qd_builder *b, struct qd_val v,
						      uint32_t log2_size);
QD_API struct qd_val qd_subgroup_reduce_all_max(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_subgroup_reduce_all_max_tiled(struct qd_builder *b, struct qd_val v,
						      uint32_t log2_size);
QD_API struct qd_val qd_subgroup_reduce_all_and(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_subgroup_reduce_all_and_tiled(struct qd_builder *b, struct qd_val v,
						      uint32_t log2_size);
QD_API struct qd_val qd_subgroup_reduce_all_or(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_subgroup_reduce_all_or_tiled(struct qd_builder *b, struct qd_val v,
						     uint32_t log2_size);
QD_API struct qd_val qd_subgroup_reduce_all_xor(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_subgroup_reduce_all_xor_tiled(struct qd_builder *b, struct qd_val v,
						      uint32_t log2_size);

/* Inclusive scans: lane t of the tile gets T of the first t+1 values, so the last lane has the
 * reduction, bit for bit. */
QD_API struct qd_val qd_subgroup_inclusive_add(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_subgroup_inclusive_add_tiled(struct qd_builder *b, struct qd_val v,
						     uint32_t log2_size);
QD_API struct qd_val qd_subgroup_inclusive_mul(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_subgroup_inclusive_mul_tiled(struct qd_builder *b, struct qd_val v,
						     uint32_t log2_size);
QD_API struct qd_val qd_subgroup_inclusive_min(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_subgroup_inclusive_min_tiled(struct qd_builder *b, struct qd_val v,
						     uint32_t log2_size);
QD_API struct qd_val qd_subgroup_inclusive_max(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_subgroup_inclusive_max_tiled(struct qd_builder *b, struct qd_val v,
						     uint32_t log2_size);
QD_API struct qd_val qd_subgroup_inclusive_and(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_subgroup_inclusive_and_tiled(struct qd_builder *b, struct qd_val v,
						     uint32_t log2_size);
QD_API struct qd_val qd_subgroup_inclusive_or(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_subgroup_inclusive_or_tiled(struct qd_builder *b, struct qd_val v,
						    uint32_t log2_size);
QD_API struct qd_val qd_subgroup_inclusive_xor(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_subgroup_inclusive_xor_tiled(struct qd_builder *b, struct qd_val v,
						     uint32_t log2_size);
/* Exclusive scans: lane t gets the inclusive scan's result of lane t-1. Lane 0 gets the
 * identity, which is not combined with other values. It is 0 for add, or and xor; 1 for mul; the
 * greatest value or +inf for min; the least value or -inf for max; all ones for and. */
QD_API struct qd_val qd_subgroup_exclusive_add(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_subgroup_exclusive_add_tiled(struct qd_builder *b, struct qd_val v,
						     uint32_t log2_size);
QD_API struct qd_val qd_subgroup_exclusive_mul(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_subgroup_exclusive_mul_tiled(struct qd_builder *b, struct qd_val v,
						     uint32_t log2_size);
QD_API struct qd_val qd_subgroup_exclusive_min(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_subgroup_exclusive_min_tiled(struct qd_builder *b, struct qd_val v,
						     uint32_t log2_size);
QD_API struct qd_val qd_subgroup_exclusive_max(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_subgroup_exclusive_max_tiled(struct qd_builder *b, struct qd_val v,
						     uint32_t log2_size);
QD_API struct qd_val qd_subgroup_exclusive_and(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_subgroup_exclusive_and_tiled(struct qd_builder *b, struct qd_val v,
						     uint32_t log2_size);
QD_API struct qd_val qd_subgroup_exclusive_or(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_subgroup_exclusive_or_tiled(struct qd_builder *b, struct qd_val v,
						    uint32_t log2_size);
QD_API struct qd_val qd_subgroup_exclusive_xor(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_subgroup_exclusive_xor_tiled(struct qd_builder *b, struct qd_val v,
						     uint32_t log2_size);

/* Segmented reductions: each lane gets the total of the lanes of its tile from the last head up
 * to and including itself. A lane is a head if `head` (any type, tested != 0; NaN counts) holds;
 * the first lane of a tile is always a head. Floats use the canonical order of the tile, and the
 * lanes before the head are skipped like padding lanes. */
QD_API struct qd_val qd_subgroup_segmented_reduce_add(struct qd_builder *b, struct qd_val v,
						      struct qd_val head);
QD_API struct qd_val qd_subgroup_segmented_reduce_add_tiled(struct qd_builder *b,
							    struct qd_val v, struct qd_val head,
							    uint32_t log2_size);
QD_API struct qd_val qd_subgroup_segmented_reduce_min(struct qd_builder *b, struct qd_val v,
						      struct qd_val head);
QD_API struct qd_val qd_subgroup_segmented_reduce_min_tiled(struct qd_builder *b,
							    struct qd_val v, struct qd_val head,
							    uint32_t log2_size);
QD_API struct qd_val qd_subgroup_segmented_reduce_max(struct qd_builder *b, struct qd_val v,
						      struct qd_val head);
QD_API struct qd_val qd_subgroup_segmented_reduce_max_tiled(struct qd_builder *b,
							    struct qd_val v, struct qd_val head,
							    uint32_t log2_size);

/* Sort the pairs of a tile: lane t gets the t-th smallest pair, its key as out[0] and its value
 * as out[1]. Bits are preserved. Key and value may have different types.
 *
 * Pairs are ordered by key. Float keys are ordered from -NaN, -inf, through zero (-0 and +0 are
 * the same key), to +inf, +NaN; NaNs are ordered by their bits. Pairs with the same key are
 * ordered by value, in the same order, except that -0 is below +0. If the values are identical
 * too, a key of -0 precedes +0. The order is total, so the result does not depend on which lane
 * held a pair. Pairs of padding lanes come last. out may overlap key and value. */
QD_API void qd_subgroup_bitonic_sort_kv(struct qd_builder *b, struct qd_val key,
					struct qd_val value, struct qd_val *out);
QD_API void qd_subgroup_bitonic_sort_kv_tiled(struct qd_builder *b, struct qd_val key,
					      struct qd_val value, uint32_t log2_size,
					      struct qd_val *out);

/* Reduce and scan k values with a caller's operator. The operator takes x[0..k) of the lower
 * lanes and y[0..k), and writes out[0..k), all with the types of v. It must be associative and
 * need not be commutative. It is called once, while the operation is appended, and may only
 * append arithmetic. k is 1 to 8; out may be v; log2_size QD_FULL selects the whole subgroup. */
#define QD_FULL 0x7fffffffu
typedef void qd_operator_fn(struct qd_builder *b, void *user, const struct qd_val *x,
			    const struct qd_val *y, struct qd_val *out, uint32_t k);
QD_API void qd_subgroup_reduce(struct qd_builder *b, const struct qd_val *v, struct qd_val *out,
			       uint32_t k, uint32_t log2_size, qd_operator_fn *op, void *user);
QD_API void qd_subgroup_inclusive_scan(struct qd_builder *b, const struct qd_val *v,
				       struct qd_val *out, uint32_t k, uint32_t log2_size,
				       qd_operator_fn *op, void *user);
/* Lane t of the tile gets the inclusive scan's result of lane t-1. Lane 0 gets identity[0..k),
 * which is not combined with other values. */
QD_API void qd_subgroup_exclusive_scan(struct qd_builder *b, const struct qd_val *v,
				       const struct qd_val *identity, struct qd_val *out,
				       uint32_t k, uint32_t log2_size, qd_operator_fn *op,
				       void *user);

/* Warps. A warp is 32 lanes, as on NVIDIA hardware: the subgroup, or each 32 lanes of a wider
 * one. A narrower subgroup is a warp with padding lanes at the end; the kernel must list its
 * size in qd_subgroup_sizes. mask, a u32, selects the members among the warp's lanes, with lane
 * 0 as bit 0. The calling lane must be a member. All selected lanes that are not padding must
 * pass the same mask. All lanes of the subgroup must reach the call together. The mask
 * 0xffffffff is always valid. "Members" below excludes padding lanes. */

/* u32: the members whose v has the same 32 or 64 bits. */
QD_API struct qd_val qd_nvvm_match_any(struct qd_builder *b, struct qd_val mask, struct qd_val v);
/* out[0], u32: all members if v has the same bits in all of them, else 0. out[1], bool: whether
 * it has. */
QD_API void qd_nvvm_match_all(struct qd_builder *b, struct qd_val mask, struct qd_val v,
			      struct qd_val *out);

/* Votes on a predicate of any type, tested != 0.
 * all, any: bool, whether it holds in all members, in any member.
 * uni: bool, whether it holds in all members or in none.
 * ballot: u32, the members in which it holds. */
QD_API struct qd_val qd_nvvm_vote_all(struct qd_builder *b, struct qd_val mask, struct qd_val p);
QD_API struct qd_val qd_nvvm_vote_any(struct qd_builder *b, struct qd_val mask, struct qd_val p);
QD_API struct qd_val qd_nvvm_vote_uni(struct qd_builder *b, struct qd_val mask, struct qd_val p);
QD_API struct qd_val qd_nvvm_vote_ballot(struct qd_builder *b, struct qd_val mask,
					 struct qd_val p);
/* activemask: u32, the warp's lanes that are not padding.
 * lanemask: u32, the lanes equal to (eq), at least (ge), above (gt), at most (le), below (lt) the
 * calling lane.
 * elect: bool, whether the calling lane is the lowest member. */
QD_API struct qd_val qd_nvvm_activemask(struct qd_builder *b);
QD_API struct qd_val qd_nvvm_lanemask_eq(struct qd_builder *b);
QD_API struct qd_val qd_nvvm_lanemask_ge(struct qd_builder *b);
QD_API struct qd_val qd_nvvm_lanemask_gt(struct qd_builder *b);
QD_API struct qd_val qd_nvvm_lanemask_le(struct qd_builder *b);
QD_API struct qd_val qd_nvvm_lanemask_lt(struct qd_builder *b);
QD_API struct qd_val qd_nvvm_elect(struct qd_builder *b, struct qd_val mask);

/* Shuffles within segments of width lanes. width is a number: 1, 2, 4, 8, 16 or 32. n is the
 * low five bits of x, an i32 or u32; l is the lane's own index. The source is:
 *
 *   up     lane l - n, if it is in the segment
 *   down   lane l + n, if it is in the segment
 *   bfly   lane l ^ n, if it is in the segment or in a lower one
 *   idx    lane n mod width of the segment
 *
 * Without a source, the lane keeps its own v. The result is undefined if the source is a padding
 * lane or not a member. The _p forms return the result in out[0] and, as a bool in out[1],
 * whether there is a source. */
QD_API struct qd_val qd_nvvm_shfl_up(struct qd_builder *b, struct qd_val mask, struct qd_val v,
				     struct qd_val x, uint32_t width);
QD_API struct qd_val qd_nvvm_shfl_down(struct qd_builder *b, struct qd_val mask, struct qd_val v,
				       struct qd_val x, uint32_t width);
QD_API struct qd_val qd_nvvm_shfl_bfly(struct qd_builder *b, struct qd_val mask, struct qd_val v,
				       struct qd_val x, uint32_t width);
QD_API struct qd_val qd_nvvm_shfl_idx(struct qd_builder *b, struct qd_val mask, struct qd_val v,
				      struct qd_val x, uint32_t width);
QD_API void qd_nvvm_shfl_up_p(struct qd_builder *b, struct qd_val mask, struct qd_val v,
			      struct qd_val x, uint32_t width, struct qd_val *out);
QD_API void qd_nvvm_shfl_down_p(struct qd_builder *b, struct qd_val mask, struct qd_val v,
				struct qd_val x, uint32_t width, struct qd_val *out);
QD_API void qd_nvvm_shfl_bfly_p(struct qd_builder *b, struct qd_val mask, struct qd_val v,
				struct qd_val x, uint32_t width, struct qd_val *out);
QD_API void qd_nvvm_shfl_idx_p(struct qd_builder *b, struct qd_val mask, struct qd_val v,
			       struct qd_val x, uint32_t width, struct qd_val *out);

/* Total of v, an i32 or u32, over all members. */
QD_API struct qd_val qd_nvvm_redux_add(struct qd_builder *b, struct qd_val mask, struct qd_val v);
QD_API struct qd_val qd_nvvm_redux_min(struct qd_builder *b, struct qd_val mask, struct qd_val v);
QD_API struct qd_val qd_nvvm_redux_max(struct qd_builder *b, struct qd_val mask, struct qd_val v);
QD_API struct qd_val qd_nvvm_redux_and(struct qd_builder *b, struct qd_val mask, struct qd_val v);
QD_API struct qd_val qd_nvvm_redux_or(struct qd_builder *b, struct qd_val mask, struct qd_val v);
QD_API struct qd_val qd_nvvm_redux_xor(struct qd_builder *b, struct qd_val mask, struct qd_val v);

/* p2r, u32: bit i is set if p[i], a predicate of any type, holds; n is 1 to 32. r2p, bool:
 * whether bit i mod 32 of the word v is set. */
QD_API struct qd_val qd_nvvm_p2r(struct qd_builder *b, const struct qd_val *p, uint32_t n);
QD_API struct qd_val qd_nvvm_r2p(struct qd_builder *b, struct qd_val v, struct qd_val i);

/* syncwarp: the members wait for each other, and their earlier writes become visible to each
 * other. nanosleep: up to 2 * ns nanoseconds pass, possibly none; ns is capped at a million. */
QD_API void qd_nvvm_syncwarp(struct qd_builder *b, struct qd_val mask);
QD_API void qd_nvvm_nanosleep(struct qd_builder *b, struct qd_val ns);

/* Asynchronous copies. cp_async starts to copy n elements from element `index` of a buffer to
 * element `at` of a shared array of the same type. The type is a number of 32 or 64 bits, and
 * the n elements take 4, 8 or 16 bytes. Both indices must be multiples of n. A launch rejects a
 * slice whose first byte is not aligned to the size of such a copy. Beyond the buffer's end, 0
 * is copied.
 *
 * The copy may continue until the thread waits for it. Until then no thread may access those
 * elements of the array or write those of the buffer. After the wait, other threads may read the
 * elements after the next barrier. commit_group puts the thread's copies since the last one into
 * a group. wait_group waits for all its groups except the last n, 0 to 63. wait_all waits for
 * all its copies. These calls affect only the calling thread and are allowed in any control
 * flow. */
QD_API void qd_nvvm_cp_async(struct qd_builder *b, struct qd_array to, struct qd_val at,
			     struct qd_array from, struct qd_val index, uint32_t n);
QD_API void qd_nvvm_cp_async_commit_group(struct qd_builder *b);
QD_API void qd_nvvm_cp_async_wait_group(struct qd_builder *b, uint32_t n);
QD_API void qd_nvvm_cp_async_wait_all(struct qd_builder *b);

/* Block operations. They work over all threads of a block in the order of their index; results
 * do not depend on where subgroups end. Any block size is allowed. Control flow must be uniform
 * in the block, and loops are allowed. Only the first three, and the radix rank, are barriers.
 *
 * The first three return an i32 that is the same in all threads, and skip padding threads. The
 * predicate has any type, tested != 0. Each of them is a qd_block_sync too.
 * all_nonzero, any_nonzero: 1 if the predicate holds in all threads, in any thread; else 0.
 * count_nonzero: the number of threads in which it holds. */
QD_API struct qd_val qd_block_sync_all_nonzero(struct qd_builder *b, struct qd_val predicate);
QD_API struct qd_val qd_block_sync_any_nonzero(struct qd_builder *b, struct qd_val predicate);
QD_API struct qd_val qd_block_sync_count_nonzero(struct qd_builder *b, struct qd_val predicate);

/* v of thread index mod qd_block_dim. For broadcast, index must be uniform in the block; for
 * shuffle, it may differ between threads. A constant index beyond the block is a compile-time
 * error. */
QD_API struct qd_val qd_block_broadcast(struct qd_builder *b, struct qd_val v,
					struct qd_val index);
QD_API struct qd_val qd_block_shuffle(struct qd_builder *b, struct qd_val v, struct qd_val index);

/* Restricts the block's next vote, reduction, scan, sort or rank to its first n threads. n is a
 * u32 or i32, at most qd_block_dim, uniform in the block. Every thread must call that operation.
 * The other threads count as padding but get results: of a vote or reduction, the same as all; of
 * a scan, the total of the first n; of a sort, the greatest key and value; of a rank, the
 * position after all equal keys. If n is 0, reductions and scans return the identity with which
 * an exclusive scan begins. With a caller's operator, only the exclusive scan has an identity,
 * and n must not be 0 for the others. It is an error if the next block operation takes no n. */
QD_API void qd_block_n_active(struct qd_builder *b, struct qd_val n);

/* Reductions, under two names each: all threads get the total. The rules of the subgroup's
 * reductions apply, including the canonical order of floats. */
QD_API struct qd_val qd_block_reduce_add(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_block_reduce_mul(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_block_reduce_min(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_block_reduce_max(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_block_reduce_and(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_block_reduce_or(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_block_reduce_xor(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_block_reduce_all_add(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_block_reduce_all_mul(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_block_reduce_all_min(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_block_reduce_all_max(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_block_reduce_all_and(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_block_reduce_all_or(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_block_reduce_all_xor(struct qd_builder *b, struct qd_val v);
/* Scans, by the same rules. Inclusive: thread t gets T of the first t+1 values. Exclusive:
 * thread t gets the inclusive result of thread t-1, and thread 0 the identity. */
QD_API struct qd_val qd_block_inclusive_add(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_block_inclusive_mul(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_block_inclusive_min(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_block_inclusive_max(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_block_inclusive_and(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_block_inclusive_or(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_block_inclusive_xor(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_block_exclusive_add(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_block_exclusive_mul(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_block_exclusive_min(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_block_exclusive_max(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_block_exclusive_and(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_block_exclusive_or(struct qd_builder *b, struct qd_val v);
QD_API struct qd_val qd_block_exclusive_xor(struct qd_builder *b, struct qd_val v);
/* Sorts the pairs of the block in the order of qd_subgroup_bitonic_sort_kv: thread t gets the
 * t-th smallest pair. Pairs of padding threads come last. */
QD_API void qd_block_bitonic_sort_kv(struct qd_builder *b, struct qd_val key,
				     struct qd_val value, struct qd_val *out);
/* Return the position of the thread's key after a stable sort of the block's keys by a digit, the
 * num_bits bits from bit_start on. Keys with equal digits keep the order of their threads.
 * bins[d] receives the number of keys with digit d, excl_prefix[d] the number of keys with a
 * lower digit. Both are shared arrays of 2^radix_bits i32; all elements are written and may be
 * read immediately. num_bits <= radix_bits <= 12 and bit_start + num_bits <= 32; all three are
 * numbers or qd_template_arg()s. Padding threads have no key. The call is a barrier, like
 * qd_block_sync. _keys: each thread has k consecutive keys of the block, 1 to 8. */
QD_API struct qd_val qd_block_radix_rank_match_atomic_or(struct qd_builder *b, struct qd_val key,
							 uint32_t radix_bits, uint32_t bit_start,
							 uint32_t num_bits, struct qd_array bins,
							 struct qd_array excl_prefix);
QD_API void qd_block_radix_rank_match_atomic_or_keys(struct qd_builder *b,
						     const struct qd_val *key, struct qd_val *out,
						     uint32_t k, uint32_t radix_bits,
						     uint32_t bit_start, uint32_t num_bits,
						     struct qd_array bins,
						     struct qd_array excl_prefix);
/* Reductions and scans of k values with a caller's operator. */
QD_API void qd_block_reduce(struct qd_builder *b, const struct qd_val *v, struct qd_val *out,
			    uint32_t k, qd_operator_fn *op, void *user);
QD_API void qd_block_reduce_all(struct qd_builder *b, const struct qd_val *v, struct qd_val *out,
				uint32_t k, qd_operator_fn *op, void *user);
QD_API void qd_block_inclusive_scan(struct qd_builder *b, const struct qd_val *v,
				    struct qd_val *out, uint32_t k, qd_operator_fn *op,
				    void *user);
QD_API void qd_block_exclusive_scan(struct qd_builder *b, const struct qd_val *v,
				    const struct qd_val *identity, struct qd_val *out, uint32_t k,
				    qd_operator_fn *op, void *user);

/* Deprecated aliases of calls above. They behave identically but log a warning (W0305), like
 * their counterparts in .qdk text. A later version will remove them. */
QD_DEPRECATED("use qd_subgroup_sync")
QD_API void qd_subgroup_barrier(struct qd_builder *b);
QD_DEPRECATED("use qd_subgroup_mem_fence")
QD_API void qd_subgroup_memory_barrier(struct qd_builder *b, qd_mem_order order);
QD_DEPRECATED("use qd_subgroup_ballot")
QD_API struct qd_val qd_subgroup_ballot_full_subgroup(struct qd_builder *b,
						      struct qd_val predicate);
QD_DEPRECATED("use qd_block_mem_fence")
QD_API void qd_block_mem_sync(struct qd_builder *b, qd_mem_order order);
QD_DEPRECATED("use qd_grid_mem_fence")
QD_API void qd_grid_memfence(struct qd_builder *b, qd_mem_scope scope, qd_mem_order order);

/* -- 6 Modules ------------------------------------------------------------
 *
 * A module is a parsed .qdk text (docs/language.md), from which kernels are taken:
 *
 *	qd_module_parse(ctx, text, strlen(text), "sum.qdk", &module, &err);
 *	qd_module_kernel(module, "sum", NULL, 0, &kernel, &err);
 */

/* A module may be freed while its kernels live. If the text has several errors, err receives the
 * first and the log all of them. */
struct qd_module;

QD_API qd_status qd_module_parse(struct qd_context *ctx, const char *text, size_t len,
				 const char *name, struct qd_module **out, struct qd_error *err);
QD_API void qd_module_free(struct qd_module *module);

/* A text and its name, which messages show. The call that takes it copies both. */
struct qd_text {
	const char *name;
	const char *text; /* may be NULL if len is 0 */
	size_t len;
};

/* Finds the text of an import. name: as in the text; from: name of the file that imports it. Sets
 * *out, whose name identifies the file: texts with equal names are one file, of which only the
 * first is read. The strings must stay valid until the next call of the function or the return of
 * qd_module_parse_imports. On failure the function returns a status and writes a reason to
 * err->text; the error of the parse contains it. It is called in the thread of the parse, and must
 * not call functions of the same context. */
typedef qd_status qd_resolve_fn(void *user, const char *name, const char *from, struct qd_text *out,
				struct qd_error *err);

/* Sources of imported texts, searched in this order. An import of "b.qdk" in "dir/a.qdk" selects
 * the text with the name "dir/b.qdk", or else "b.qdk". */
struct qd_imports {
	const struct qd_text *texts;
	uint32_t n_texts;
	qd_resolve_fn *resolve; /* NULL: none */
	void *user;
};

/* Like qd_module_parse, for a text that imports others. A module has at most 256 files, and their
 * texts together at most qd_limits.max_text bytes. */
QD_API qd_status qd_module_parse_imports(struct qd_context *ctx, const struct qd_text *text,
					 const struct qd_imports *imports, struct qd_module **out,
					 struct qd_error *err);
/* The files that were read: the text itself (0), then its imports. */
QD_API uint32_t qd_module_file_count(const struct qd_module *module);
QD_API const char *qd_module_file_name(const struct qd_module *module, uint32_t i);

QD_API uint32_t qd_module_kernel_count(const struct qd_module *module);
QD_API const char *qd_module_kernel_name(const struct qd_module *module, uint32_t i);

/* A template value: a type if type is not QD_TYPE_NONE, else an integer. */
struct qd_tmpl {
	const char *name;
	int64_t value;
	qd_type type;
};

/* Returns the kernel with these template values. Each parameter is set once. Types, and
 * integers on which a static if, an unroll or a size depends, must be set here. The others may
 * be set here or later, in qd_compile or qd_function_get. The caller owns the kernel and frees
 * it with qd_kernel_free. */
QD_API qd_status qd_module_kernel(struct qd_module *module, const char *name,
				  const struct qd_tmpl *tmpl, uint32_t n_tmpl,
				  struct qd_kernel **out, struct qd_error *err);

/* A template parameter of kernel i of a module, in order of declaration. */
struct qd_tmpl_info {
	const char *name;
	bool is_type;
	int64_t lo, hi;	    /* of an integer: the least and the greatest value */
	const int32_t *set; /* the allowed values if not all of lo..=hi, else NULL */
	uint32_t n_set;
	uint32_t type_mask; /* of a type: bit (1 << QD_TYPE_*) for each allowed type */
};
QD_API uint32_t qd_module_tmpl_count(const struct qd_module *module, uint32_t kernel);
QD_API qd_status qd_module_tmpl(const struct qd_module *module, uint32_t kernel, uint32_t i,
				struct qd_tmpl_info *out, struct qd_error *err);

/* -- 7 Targets and images -------------------------------------------------
 *
 * Compilation without a device, for example to inspect the code or to save it:
 *
 *	qd_compile(ctx, kernel, "spirv:w16", NULL, 0, &image, &err);
 *	code = qd_image_data(image, &size);
 */

/* A target is a string: "spirv", "spirv:w16", "spirv:w4:-i64:-f64". wN is the subgroup size. +x
 * and -x enable and disable features. bN, gN, sN and aN are limits: threads of a block,
 * subgroups of a block, bytes of shared memory, bytes of arguments of a launch. The string alone
 * determines the code, so compiling for qd_device_target(dev) gives the code that dev would run.
 * qd_target_count and qd_target_name list the names without options. */
struct qd_image;

QD_API uint32_t qd_target_count(void);
QD_API const char *qd_target_name(uint32_t i);

/* Compiles for a target. Needs no device and caches nothing. A warm compile, for which the
 * scratch memory of earlier compiles suffices, makes no heap allocation. */
QD_API qd_status qd_compile(struct qd_context *ctx, const struct qd_kernel *kernel,
			    const char *target, const struct qd_tmpl *tmpl, uint32_t n_tmpl,
			    struct qd_image **out, struct qd_error *err);
QD_API void qd_image_free(struct qd_image *image);
QD_API const void *qd_image_data(const struct qd_image *image, size_t *size);
QD_API const char *qd_image_target(const struct qd_image *image);
QD_API uint32_t qd_image_subgroup_size(const struct qd_image *image);

/* save: writes the image, with everything that a launch needs, as the bytes of a file: a fatbin
 * of one entry, which linkers and qd's programs read. Sets *len to the number of bytes; writes
 * nothing if that exceeds cap. QD_E_UNAVAILABLE: the library was built without libelf.
 * load: checks and reads a saved image; qd_function_load loads it on a device. The caller may
 * reuse bytes after the call. */
QD_API qd_status qd_image_save(const struct qd_image *image, void *bytes, size_t cap, size_t *len,
			       struct qd_error *err);
QD_API qd_status qd_image_load(struct qd_context *ctx, const void *bytes, size_t size,
			       struct qd_image **out, struct qd_error *err);

/* Returns the image of a kernel in a code object for an AMD device, or in a bundle or an LLVM
 * offload binary of code objects. A code object is an ELF file (HSA versions 3 to 6) made by clang or another compiler.
 * name appears in messages; NULL: "code object". kernel may be NULL if the object has only one.
 * The image is loaded and launched like any other, with a number for n_blocks. A buffer
 * parameter takes qd_arg_buffer, although the kernel receives only the address. A scalar takes a
 * value of its type, or of its size if the file does not specify the type, or qd_arg_bytes.
 * Hidden arguments that compilers append are filled in. A kernel that qd compiled is restored
 * completely, including its grid loop. docs/code-objects.md lists unsupported objects, which
 * fail with QD_E_INVALID, QD_E_LIMIT or QD_E_TARGET and the position in the file.
 * QD_E_NOT_FOUND: there is no such kernel. The caller may reuse bytes after the call. */
struct qd_object_options {
	uint32_t block[3]; /* threads per block, unless the kernel requires its own */
	/* Size in bytes of each shared memory argument, in order. For a kernel without such
	 * arguments: one size, of the memory that follows its own shared memory. */
	const uint32_t *shared;
	uint32_t n_shared;
	const char *processor; /* "gfx1100": take this one of a bundle; NULL: any */
};
QD_API qd_status qd_image_from_object(struct qd_context *ctx, const void *bytes, size_t size,
				      const char *name, const char *kernel,
				      const struct qd_object_options *options,
				      struct qd_image **out, struct qd_error *err);

/* An image's kernel, and the parameters of a launch. Names live as long as the image. A
 * parameter of type QD_TYPE_NONE is `size` bytes of unknown type. */
QD_API const char *qd_image_kernel(const struct qd_image *image);
QD_API uint32_t qd_image_param_count(const struct qd_image *image);
QD_API qd_status qd_image_param(const struct qd_image *image, uint32_t i,
				struct qd_param_info *out, struct qd_error *err);

/* <qdgpu/dis.h> disassembles images. */

/* -- 8 Devices, buffers, streams, launch ----------------------------------
 *
 * This section runs kernels. qd_run is the shortest way; a program that launches a kernel more
 * than once makes these calls itself:
 *
 *	qd_device_open(ctx, NULL, &dev, &err);
 *	qd_function_get(dev, kernel, NULL, 0, &fn, &err);
 *	qd_stream_create(dev, &stream, &err);
 *	qd_buffer_create(dev, sizeof data, 0, &buf, &err);
 *	qd_buffer_upload(stream, buf, 0, data, sizeof data, &err);
 *	args[0] = qd_arg_buffer(buf);
 *	qd_launch(stream, fn, QD_GRID, args, 1, &err);
 *	qd_buffer_download(stream, buf, 0, data, sizeof data, &err);
 */

struct qd_device;
struct qd_function;
struct qd_buffer;
struct qd_stream;
struct qd_event;

/* Properties of a device as its driver reports them, or why it is not available. */
struct qd_device_info {
	char selector[64]; /* argument for qd_device_open */
	char name[256];
	char driver[256];  /* name and version */
	char uuid[40];	   /* "" if the driver reports none */
	char pci[16];	   /* "0000:01:00.0"; "" if not on that bus, or unknown */
	uint32_t vendor;   /* PCI vendor id, such as 0x10de; 0 if there is none */
	bool usable;
	char why[256];	   /* if not usable, or if the driver is missing */
	uint32_t subgroup_size, min_subgroup_size, max_subgroup_size;
	uint32_t max_block_dim;
	uint64_t memory; /* bytes */
	char target[256];
};

/* Lists the devices of all drivers. A missing driver has one entry that gives the reason.
 * Writes at most cap entries and sets *n to the number of entries. */
QD_API qd_status qd_device_list(struct qd_context *ctx, struct qd_device_info *out, uint32_t cap,
				uint32_t *n, struct qd_error *err);

/* Opens a device. selector: "cuda[:N|:name|:uuid]", "amdgpu[:N|:name|:gfxNNN|:pci]",
 * "vulkan[:N|:name|:uuid]", "ref:N", "emu:sm_NN" or "emu:gfxNNN", each with an optional ":wN".
 * NULL: the value of QD_DEVICE, else the best device available, CPU drivers last.
 *
 * "ref" is the interpreter. It is always available and reports errors in a kernel's execution.
 * The environment variable QD_REF_STEPS, read when the device is opened, limits the operations of
 * each thread in a launch (default 10^8). A loop that exceeds it is a finding, and the rest of
 * the launch is not run.
 *
 * "emu:sm_90" runs the PTX emitted for that target on the host. There QD_EMU_STEPS limits the
 * instructions of each thread, and QD_EMU_SEED is a number that selects the order in which warps
 * run. On ref and emu, QD_STEPS limits the steps of all threads of a launch together
 * (qd_stream_limit). */
QD_API qd_status qd_device_open(struct qd_context *ctx, const char *selector,
				struct qd_device **out, struct qd_error *err);
/* Closes a device and its functions, freed or not. The device stays open until the last of its
 * buffers, streams and events is freed. */
QD_API void qd_device_close(struct qd_device *dev);
QD_API qd_status qd_device_info(struct qd_device *dev, struct qd_device_info *out,
				struct qd_error *err);
QD_API const char *qd_device_target(const struct qd_device *dev);

/* Compiles a kernel and loads it. Results are cached: the same kernel and template values return
 * the same function at the cost of a lookup. */
QD_API qd_status qd_function_get(struct qd_device *dev, const struct qd_kernel *kernel,
				 const struct qd_tmpl *tmpl, uint32_t n_tmpl,
				 struct qd_function **out, struct qd_error *err);
/* Loads an image that qd_compile made for this device's target, or for another target that the
 * device can run. QD_E_TARGET names what the device lacks. Uses the same cache as
 * qd_function_get. An image of a code object with program variables (.data, .bss) is not shared:
 * each of its functions has its own variables, which keep their values between its launches. The
 * image may be freed. */
QD_API qd_status qd_function_load(struct qd_device *dev, struct qd_image *image,
				  struct qd_function **out, struct qd_error *err);
/* Releases one reference from qd_function_get or qd_function_load; call it before the device is
 * closed. Does not wait. Launches that use the function are not affected. When all references
 * are released, the function stays cached until there are too many (max_functions of the
 * context). It is unloaded when the device is done with it. A function that is never released
 * lives until qd_device_close. */
QD_API void qd_function_free(struct qd_function *fn);

struct qd_function_info {
	uint32_t subgroup_size, block_dim;
	/* Lanes of the device's own subgroup. If this differs from subgroup_size, each subgroup
	 * of the kernel is built from several device subgroups, which exchange values through
	 * shared memory, or is part of one. */
	uint32_t hardware_size;
	uint32_t barriers; /* barriers in the code; 0 on ref, which has no code */
	uint32_t max_block_dim;
	uint32_t registers, shared_size; /* 0 if the driver does not report them */
	uint32_t local_size;	  /* bytes of memory per thread, such as spills; 0 if unknown */
	uint32_t resident_blocks; /* resident on one processor of the device; 0 if unknown */
	size_t code_size;
};
QD_API qd_status qd_function_info(const struct qd_function *fn, struct qd_function_info *out,
				  struct qd_error *err);

/* Memory of one device, initially zero. flags must be 0. offset and size are in bytes. A slice
 * shares its parent's memory and keeps it alive. Freeing does not wait: the memory is released
 * after its last use. */
QD_API qd_status qd_buffer_create(struct qd_device *dev, size_t size, uint32_t flags,
				  struct qd_buffer **out, struct qd_error *err);
QD_API qd_status qd_buffer_slice(struct qd_buffer *parent, size_t offset, size_t size,
				 struct qd_buffer **out, struct qd_error *err);
QD_API void qd_buffer_free(struct qd_buffer *buf);
QD_API size_t qd_buffer_size(const struct qd_buffer *buf);
/* Maps the memory into the host's address space, or fails if that is not possible. The caller
 * must synchronize accesses. */
QD_API qd_status qd_buffer_map(struct qd_buffer *buf, void **out, struct qd_error *err);

/* A stream executes its operations in order. Any thread may submit them.
 *
 * An operation starts immediately if the device has no other work of this stream.
 * Otherwise it starts together with those submitted meanwhile. qd_stream_flush starts them
 * now, without waiting. On CUDA each operation is passed to the device immediately.
 *
 * A stream queues about 500 launches, copies and fills and a few megabytes of transfers.
 * Submitting to a full stream blocks until its oldest batch completes; other threads that then
 * submit to the same stream block too. On a device whose watchdog ends work that takes seconds,
 * a stream queues 2 s of long launches, or 8 of them. */
QD_API qd_status qd_stream_create(struct qd_device *dev, struct qd_stream **out,
				  struct qd_error *err);
QD_API void qd_stream_free(struct qd_stream *stream); /* waits for its operations */
QD_API qd_status qd_stream_flush(struct qd_stream *stream, struct qd_error *err);

/* Limits the later launches of the stream: all threads of a launch together may execute max_steps
 * operations (ref) or instructions (emu) of subgroups. 0 selects the device's limit (QD_STEPS,
 * or limits.max_steps of the context). Starting a block costs one step, plus one for each 64
 * bytes of its registers and shared memory. A launch that exceeds the limit ends, and the next
 * call that waits for the stream returns QD_E_LIMIT. QD_E_UNAVAILABLE if the driver cannot
 * count; docs/c-api.md describes what ends a launch there. */
QD_API qd_status qd_stream_limit(struct qd_stream *stream, uint64_t max_steps,
				 struct qd_error *err);
/* Ends the running launch of the stream, and later ones, until a call that waits for the stream
 * has returned QD_E_CANCELED, once. May be called from any thread, also while others are in
 * calls with the stream; does not wait. The output of an ended launch is incomplete. Copies,
 * fills, transfers and events are executed as usual. QD_E_UNAVAILABLE if the driver cannot end a
 * launch: only ref and emu can end one. */
QD_API qd_status qd_stream_cancel(struct qd_stream *stream, struct qd_error *err);

/* Waits until all operations submitted before the call are complete and all downloads have
 * arrived. The status with which launches ended (QD_E_FINDING, QD_E_LIMIT, QD_E_CANCELED) is
 * returned once, by the next call that waits for their stream: qd_stream_sync,
 * qd_stream_sync_for, or qd_buffer_download. The data is valid nevertheless.
 * _sync_for waits at most timeout_ns nanoseconds and sets *done: QD_OK and *done false mean that
 * operations are still running. _query does not wait and reports no findings. */
#define QD_FOREVER UINT64_MAX
QD_API qd_status qd_stream_sync(struct qd_stream *stream, struct qd_error *err);
QD_API qd_status qd_stream_sync_for(struct qd_stream *stream, uint64_t timeout_ns, bool *done,
				    struct qd_error *err);
QD_API qd_status qd_stream_query(struct qd_stream *stream, bool *done, struct qd_error *err);

/* Transfers of size bytes at an offset from the buffer's beginning.
 * upload: the caller may reuse src when the call returns.
 * download: dst is written when the call returns, after all earlier operations of the stream.
 * Fails like qd_stream_sync; in that case dst is not written after the call has returned.
 * upload_async may read src, and download_async may write dst, until the stream has executed the
 * transfer. That is certain when a later qd_stream_sync, or a qd_event_sync of an event recorded
 * later, has returned QD_OK or the status of a launch (QD_E_FINDING, QD_E_LIMIT, QD_E_CANCELED).
 * Other threads may submit to the stream meanwhile. If these calls fail with another status, the
 * memory must remain valid until one succeeds or the stream is freed. */
QD_API qd_status qd_buffer_upload(struct qd_stream *stream, struct qd_buffer *dst, size_t offset,
				  const void *src, size_t size, struct qd_error *err);
QD_API qd_status qd_buffer_upload_async(struct qd_stream *stream, struct qd_buffer *dst,
					size_t offset, const void *src, size_t size,
					struct qd_error *err);
QD_API qd_status qd_buffer_download(struct qd_stream *stream, struct qd_buffer *src,
				    size_t offset, void *dst, size_t size, struct qd_error *err);
QD_API qd_status qd_buffer_download_async(struct qd_stream *stream, struct qd_buffer *src,
					  size_t offset, void *dst, size_t size,
					  struct qd_error *err);
/* Copy and fill on the device, as operations of the stream. The two ranges of a copy must not
 * overlap. A fill repeats a value of 1, 2, 4 or 8 bytes; size must be a multiple of it. */
QD_API qd_status qd_buffer_copy(struct qd_stream *stream, struct qd_buffer *dst,
				size_t dst_offset, struct qd_buffer *src, size_t src_offset,
				size_t size, struct qd_error *err);
QD_API qd_status qd_buffer_fill(struct qd_stream *stream, struct qd_buffer *dst, size_t offset,
				size_t size, const void *value, size_t value_size,
				struct qd_error *err);

/* An event marks a position in a stream: where it was last recorded. Using an event that was
 * never recorded is QD_E_INVALID.
 * sync waits at most timeout_ns nanoseconds (QD_FOREVER: without limit) and sets *passed to
 * whether the stream has reached the event. passed may be NULL with QD_FOREVER. query does not
 * wait. Neither reports findings.
 * elapsed: nanoseconds between two passed events, the earlier one first. QD_E_BUSY if one has
 * not passed, QD_E_UNAVAILABLE if the device has no clock.
 * qd_stream_wait: later operations of the stream run after the event as it is recorded now. The
 * caller does not wait. */
QD_API qd_status qd_event_create(struct qd_device *dev, struct qd_event **out,
				 struct qd_error *err);
QD_API void qd_event_free(struct qd_event *event);
QD_API qd_status qd_event_record(struct qd_stream *stream, struct qd_event *event,
				 struct qd_error *err);
QD_API qd_status qd_event_sync(struct qd_event *event, uint64_t timeout_ns, bool *passed,
			       struct qd_error *err);
QD_API qd_status qd_event_query(struct qd_event *event, bool *passed, struct qd_error *err);
QD_API qd_status qd_event_elapsed(struct qd_event *from, struct qd_event *to, uint64_t *ns,
				  struct qd_error *err);
QD_API qd_status qd_stream_wait(struct qd_stream *stream, struct qd_event *event,
				struct qd_error *err);

/* A launch argument. Arguments are passed in the order of the parameters. */
struct qd_arg {
	struct qd_buffer *buffer; /* NULL: a scalar, or host memory */
	qd_type type;		  /* of the scalar */
	uint64_t bits;		  /* its value, low bits first */
	void *host;		  /* data of a buffer parameter (qd_run), or bytes of a value */
	size_t size;		  /* bytes at host */
};
QD_API struct qd_arg qd_arg_buffer(struct qd_buffer *buf);
QD_API struct qd_arg qd_arg_i32(int32_t v);
QD_API struct qd_arg qd_arg_u32(uint32_t v);
QD_API struct qd_arg qd_arg_i64(int64_t v);
QD_API struct qd_arg qd_arg_u64(uint64_t v);
QD_API struct qd_arg qd_arg_f32(float v);
QD_API struct qd_arg qd_arg_f64(double v);
QD_API struct qd_arg qd_arg_host(void *data, size_t size);
/* A value by its bytes, for kernels of other compilers. They are read during the launch call. */
QD_API struct qd_arg qd_arg_bytes(const void *data, size_t size);

/* Launches a function asynchronously. The interpreter runs it in the call, so it cannot find a
 * missing wait. With n_blocks QD_GRID, the host evaluates the grid loop's count; this is
 * rejected if the kernel has no grid loop. A number runs that many blocks, whatever the count:
 * if too few, the rest of the indices are not processed; 0 runs nothing.
 *
 * The launch checks number, type, access and owner of the arguments and names the parameter that
 * is wrong. It fails with QD_E_LIMIT if the type of the grid loop cannot represent its last
 * index, or if the count wraps. A count wraps if the result of one of its operations differs
 * from the mathematical one. This covers results past the type's range, a division by 0, and a
 * conversion between integers that changes the number. In qd_select only the chosen side counts.
 * The error prints the operation with its values.
 *
 * On a checking device, overlapping buffers of which one is written are QD_E_FINDING immediately,
 * and nothing runs. Other findings are returned by the next call that waits for the stream. */
#define QD_GRID UINT32_MAX
QD_API qd_status qd_launch(struct qd_stream *stream, struct qd_function *fn, uint32_t n_blocks,
			   const struct qd_arg *args, uint32_t n_args, struct qd_error *err);

/* Convenience call: uploads host data, runs a kernel given as text, and downloads the results.
 * Parses the text (name appears in messages; NULL: "text"), takes its kernel (NULL: its only one)
 * with these template values, and runs it for n_blocks (QD_GRID: the grid loop's count). Buffer
 * parameters take qd_arg_host or qd_arg_buffer. Host data is read and written according to the
 * parameter's access; for out, all of it is written, with zeros where the kernel stores nothing.
 * Returns when the results have arrived. The device's context caches the module and the image,
 * so a second call only looks them up; device memory is not cached. Fails like the calls it
 * combines; with QD_E_FINDING the data was written. */
QD_API qd_status qd_run(struct qd_device *dev, const char *text, size_t len, const char *name,
			const char *kernel, const struct qd_tmpl *tmpl, uint32_t n_tmpl,
			uint32_t n_blocks, const struct qd_arg *args, uint32_t n_args,
			struct qd_error *err);

/* -- 9 Fatbins -------------------------------------------------------------
 *
 * A fatbin holds code of kernels for many targets, compiled ahead of time. qd-aot writes it as
 * an object file, which a program is linked with or opens:
 *
 *	#include "kernels.h"                   written by qd-aot next to kernels.o
 *	qd_fatbin_open(ctx, qd_fatbin_kernels, QD_LINKED, NULL, &fatbin, &err);
 *	qd_fatbin_function(dev, fatbin, QD_KERNELS_SUM, tmpl, 2, &fn, &err);
 */

/* A function of a fatbin is launched like one from qd_function_get. If QD_JIT=0 is set in the
 * environment, nothing is compiled at run time, but ref still runs a kernel stored as IR. If
 * QD_TARGET is set, only entries of that target are used. */
struct qd_fatbin;

/* Opens a fatbin. With QD_LINKED, data is the symbol of the linked object. Otherwise it is the
 * bytes of an ELF file: an object, or a program with one or several linked in. data must remain
 * valid until the fatbin is freed. name appears in messages; NULL: "fatbin". All contents are
 * validated: QD_E_INVALID gives the offset of the error, QD_E_VERSION means that the format is
 * too new, QD_E_NOT_FOUND that the file has no fatbin. An image is checked when it is requested.
 * Unpacked, the contents of the file, or of the one linked fatbin, may take 64 times its size
 * plus 64 MiB; beyond that, QD_E_INVALID names the limit. */
#define QD_LINKED SIZE_MAX
QD_API qd_status qd_fatbin_open(struct qd_context *ctx, const void *data, size_t size,
				const char *name, struct qd_fatbin **out, struct qd_error *err);
/* Opens a file of at most 1 GiB, which is read whole. QD_E_IO if it cannot be read,
 * QD_E_NOT_FOUND if it does not exist, QD_E_INVALID if it is a directory or a device. */
QD_API qd_status qd_fatbin_open_file(struct qd_context *ctx, const char *path,
				     struct qd_fatbin **out, struct qd_error *err);
QD_API void qd_fatbin_free(struct qd_fatbin *fatbin);

/* An entry of a fatbin: a kernel with its template values, for one target. Its strings live as
 * long as the fatbin. */
struct qd_fatbin_entry {
	const char *kernel;
	const char *values; /* "T=f32;L=5", in the kernel's order; "" */
	const char *target; /* "gfx1100"; "qdir": the kernel's IR, for any device */
	const char *kind;   /* "ptx", "cubin", "amd", "spirv", "ir" */
	uint32_t subgroup_size;
	uint32_t block_dim;   /* threads of its block on the hardware */
	uint32_t shared_size; /* bytes */
	size_t size;	      /* bytes of the image with its description */
};
QD_API uint32_t qd_fatbin_count(const struct qd_fatbin *fatbin);
QD_API qd_status qd_fatbin_entry(const struct qd_fatbin *fatbin, uint32_t i,
				 struct qd_fatbin_entry *out, struct qd_error *err);
/* Returns the image of an entry. QD_E_INVALID for an entry that is the kernel's IR; use
 * qd_fatbin_kernel for it. */
QD_API qd_status qd_fatbin_image(struct qd_fatbin *fatbin, uint32_t i, struct qd_image **out,
				 struct qd_error *err);
QD_API qd_status qd_fatbin_kernel(struct qd_fatbin *fatbin, uint32_t i, struct qd_kernel **out,
				  struct qd_error *err);

/* Returns a function of a kernel with these template values (types and integers, in any order) on
 * this device. It uses the best entry, in this order:
 *
 *   1. code for the device's own processor
 *   2. code for an earlier processor that the device runs
 *   3. PTX or SPIR-V
 *   4. the kernel's IR, which is compiled
 *
 * Among equal entries, the one with the device's subgroup size is used. An entry is skipped if
 * it is damaged, if the driver rejects it, or if it cannot be compiled. The function is cached;
 * release it with qd_function_free.
 * QD_E_NOT_FOUND: no such kernel, or not with these values, or QD_TARGET is not a target.
 * QD_E_TARGET: no entry runs on the device; the text gives the reason for each. If the driver
 * rejected the best entry and all others, its status is returned. */
QD_API qd_status qd_fatbin_function(struct qd_device *dev, struct qd_fatbin *fatbin,
				    const char *kernel, const struct qd_tmpl *tmpl,
				    uint32_t n_tmpl, struct qd_function **out,
				    struct qd_error *err);

#ifdef __cplusplus
}
#endif
#endif
