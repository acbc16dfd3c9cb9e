/* A libcuda.so.1 for tests: devices that are not there, whose kernels the PTX
 * interpreter runs.  It knows the driver's interface by itself and nothing of qd's driver,
 * and is strict where CUDA is lenient: what a program does wrong ends it.
 *
 *   - a handle is a number that is never used again; one that is used after its end, or
 *     where another context is current, is an error of the program's;
 *   - memory is full of rubbish when it is given out and gone when it is freed; an
 *     asynchronous command reads and writes when its turn comes, which may be late;
 *   - a stream is a thread, and waits now and then for no reason;
 *   - any call may be told to fail; what is destroyed by a call that fails is gone;
 *   - what is left at the end, or in a context that goes, is an error of the program's, if
 *     no call was told to fail.
 *
 * config.c says how it is told; without that there is no device. */
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
	unsigned at; /* which call; 0: every one */
	int code;
};

struct config {
	unsigned n_devices;
	unsigned sm[MAX_DEVICES];
	char name[NAME];
	uint64_t memory;
	int version;	     /* of the driver */
	unsigned ptx;	     /* the highest .version it takes */
	unsigned max_target; /* the highest .target it knows */
	int unified, mode, warp, timeout, threads, shared, blocks, uuid;
	int max_threads; /* that a function takes; 0: what its text says */
	bool delays;
	unsigned compile_us; /* that a text takes */
	uint64_t max_steps;
	struct fault faults[MAX_FAULTS];
	unsigned n_faults;
};

/* Under the lock. */
extern struct config config;
void config_read(void); /* the environment, at first use */
/* The call of this function is made: what it is to answer, or OK. */
int config_call(const char *function);

/* -- object.c: handles, contexts, memory -------------------------------------------- */

enum kind { CONTEXT, STREAM, EVENT, MODULE, FUNCTION, LINK, DEVICE_MEMORY, HOST_MEMORY, N_KIND };

struct object {
	struct object *next; /* of its bucket */
	uint64_t id;
	enum kind kind;
	struct context *ctx;
};

struct context {
	struct object o;
	int device;
	unsigned refs;
	_Atomic int sticky; /* what every call answers from now on */
	uint64_t used;	    /* bytes */
};

struct memory {
	struct object o;
	struct memory *next, **link; /* of all */
	char *at;
	uint64_t size;
	size_t mapped;
};

extern pthread_mutex_t lock; /* of all that is not atomic or a stream's */
extern struct pool pool;

/* What the program did is wrong: says so and ends it. */
_Noreturn void wrong(const char *call, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
uint64_t object_add(struct object *o, enum kind kind, struct context *ctx);
void object_remove(struct object *o);
/* A handle of the kind, whose context must be the current one. */
void *object_get(const char *call, const void *handle, enum kind kind);
void *handle_of(const struct object *o);
/* So many in this context, as objects_left says it. */
unsigned objects_in(const struct context *ctx, char *text, size_t size);
/* Destroys them; without the lock. */
void objects_sweep(const struct context *ctx);
/* So many objects; text: of which kinds.  Contexts count as well. */
unsigned objects_left(char *text, size_t size);

struct context *current(const char *call); /* never NULL */
int memory_new(struct context *ctx, enum kind kind, uint64_t size, struct memory **out);
void memory_delete(struct memory *m);
/* Whose bytes these are; NULL: nobody's.  Under the lock. */
struct memory *memory_at(const struct context *ctx, uint64_t addr, uint64_t size);
/* All of the context's and of the host, by address; the caller frees them. */
struct ptx_range *memory_ranges(const struct context *ctx, uint32_t *n);

/* -- stream.c: what runs later ------------------------------------------------------ */

struct event {
	struct object o;
	unsigned flags;
	_Atomic int refs;
	pthread_mutex_t lock;
	pthread_cond_t moved;
	uint64_t recorded, passed; /* how often */
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
	_Atomic int refs; /* commands that run it; unloading one that runs is wrong */
};

struct link {
	struct object o;
	char *log; /* of who made it */
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
void stream_delete(struct stream *s); /* runs what it has first; without the lock */
void stream_put(struct stream *s, struct command *c);
void stream_drain(struct stream *s);
void streams_drain(const struct context *ctx); /* without the lock */
struct command *command_new(size_t params);
void event_unref(struct event *e);
uint64_t now_ns(void);

#endif
