/* A libcuda.so.1 for tests: simulated devices whose kernels run on the PTX interpreter. It is
 * independent of qd's driver and strict where CUDA is lenient: it ends the program at an error.
 *
 *   - A handle is a number that is never reused. Using it after its end, or with another
 *     context current, is an error of the program.
 *   - New memory contains a fill pattern, and freed memory is unmapped. An asynchronous command
 *     reads and writes only when it executes, which may be late.
 *   - A stream is a thread, with random delays.
 *   - Any call can be made to fail. An object whose destruction fails is gone nevertheless.
 *   - Objects that are left at the end, or in a context that is destroyed, are an error of the
 *     program, unless a call was made to fail.
 *
 * config.c describes the configuration; without one there is no device. */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptx.h"

enum {
	OK = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_INITIALIZED = 3, NO_DEVICE = 100,
	INVALID_DEVICE = 101, INVALID_CONTEXT = 201, NO_BINARY = 209, INVALID_PTX = 218,
	UNSUPPORTED_PTX = 222, INVALID_HANDLE = 400, NOT_FOUND = 500, NOT_READY = 600,
	LAUNCH_FAILED = 719, NOT_SUPPORTED = 801
};

/* -- config.c ----------------------------------------------------------------------- */

enum { MAX_DEVICES = 8, MAX_FAULTS = 8, NAME = 64 };

struct fault {
	char function[NAME];
	unsigned at; /* number of the call; 0: every call */
	int code;
};

struct config {
	unsigned n_devices;
	unsigned sm[MAX_DEVICES];
	char name[NAME];
	uint64_t memory;
	int version;	     /* of the driver */
	unsigned ptx;	     /* the highest .version accepted */
	unsigned max_target; /* the highest .target accepted */
	int unified, mode, warp, timeout, threads, shared, blocks, uuid;
	int max_threads; /* maximum of every function; 0: as in its text */
	bool delays;
	unsigned compile_us; /* time to compile a PTX module */
	uint64_t max_steps;
	struct fault faults[MAX_FAULTS];
	unsigned n_faults;
};

/* The caller holds the lock. */
extern struct config config;
void config_read(void); /* reads the environment, at first use */
/* Counts a call of this function. Returns the requested failure, or OK. */
int config_call(const char *function);

/* -- object.c: handles, contexts, memory -------------------------------------------- */

enum kind { CONTEXT, STREAM, EVENT, MODULE, FUNCTION, LINK, DEVICE_MEMORY, HOST_MEMORY, N_KIND };

struct object {
	struct object *next; /* next in its bucket */
	uint64_t id;
	enum kind kind;
	struct context *ctx;
};

struct context {
	struct object o;
	int device;
	unsigned refs;
	_Atomic int sticky; /* error that every call returns from now on */
	uint64_t used;	    /* bytes */
};

struct memory {
	struct object o;
	struct memory *next, **link; /* list of all memory */
	char *at;
	uint64_t size;
	size_t mapped;
};

extern pthread_mutex_t lock; /* protects all but atomics and the streams' own state */
extern struct pool pool;

/* Prints an error of the program and ends it. */
_Noreturn void wrong(const char *call, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
uint64_t object_add(struct object *o, enum kind kind, struct context *ctx);
void object_remove(struct object *o);
/* Returns the object of a handle, which must be of this kind and of the current context. */
void *object_get(const char *call, const void *handle, enum kind kind);
void *handle_of(const struct object *o);
/* Returns the number of objects in this context; text as for objects_left. */
unsigned objects_in(const struct context *ctx, char *text, size_t size);
/* Destroys them. The caller does not hold the lock. */
void objects_sweep(const struct context *ctx);
/* Returns the number of objects, including contexts; text receives their kinds. */
unsigned objects_left(char *text, size_t size);

struct context *current(const char *call); /* never NULL */
int memory_new(struct context *ctx, enum kind kind, uint64_t size, struct memory **out);
void memory_delete(struct memory *m);
/* Returns the memory that contains these bytes, or NULL. The caller holds the lock. */
struct memory *memory_at(const struct context *ctx, uint64_t addr, uint64_t size);
/* Returns all memory of the context and of the host, by address. The caller frees the array. */
struct ptx_range *memory_ranges(const struct context *ctx, uint32_t *n);

/* -- stream.c: deferred commands ----------------------------------------------------- */

struct event {
	struct object o;
	unsigned flags;
	_Atomic int refs;
	pthread_mutex_t lock;
	pthread_cond_t moved;
	uint64_t recorded, passed; /* counts */
	uint64_t ns;
};

struct function {
	struct object o;
	struct module *module;
	const struct ptx_entry *entry;
};

struct module {
	struct object o;
	struct ptx_module *ptx;
	_Atomic int refs; /* running commands; unloading meanwhile is an error */
};

struct link {
	struct object o;
	char *log; /* log of its creator */
	size_t log_size, size;
	char *code;
};

void functions_delete(const struct module *m);
void module_delete(struct module *m);
void link_delete(struct link *l);

struct stream;

struct command {
	struct command *next;
	enum { COPY, SET, LAUNCH, RECORD, WAIT } what;
	uint64_t dst, src, size;
	uint32_t word;
	struct event *event;
	uint64_t generation;
	struct function *function;
	uint32_t grid[3], block[3], shared;
	char params[];
};

struct stream *stream_new(struct context *ctx);
struct object *stream_object(struct stream *s);
void stream_delete(struct stream *s); /* executes its commands first; without the lock */
void stream_put(struct stream *s, struct command *c);
void stream_drain(struct stream *s);
void streams_drain(const struct context *ctx); /* the caller does not hold the lock */
struct command *command_new(size_t params);
void event_unref(struct event *e);
uint64_t now_ns(void);

#endif
