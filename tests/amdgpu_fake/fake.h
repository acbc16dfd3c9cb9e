/* A libdrm_amdgpu.so.1 for tests: simulated GPUs whose queues execute PM4 and whose waves run on
 * the emulator. It follows the kernel's rules and the manuals, is independent of qd's driver, and
 * is strict where hardware hangs or is silently wrong (check.def).
 *
 *   - Memory exists twice: the host side, which a mapping shows, and the GPU side, in pages that
 *     a cache holds until a stream invalidates it. The host sees the writes of waves only after
 *     the fence has been signaled.
 *   - A submission runs later, in a thread of the device, when all its dependencies are signaled.
 *     The order of several is random, and fences are sometimes late.
 *   - The registers of a queue contain random values when a submission begins.
 *   - An ended object is remembered for a while, so that its use is reported.
 *
 * config.c describes the configuration; without one there is no device. */
#ifndef FAKE_AMDGPU_H
#define FAKE_AMDGPU_H

#include "amd.h"
#include "config.h"

enum { PAGE = 4096, FENCES = 32, N_RING = 4, MIN_VA = 1 << 16 };
#define HIGH_VA	 UINT64_C(0xffff800000000000)
#define MAX_VA	 UINT64_C(0x7fffffe00000)
#define FIRST_VA (UINT64_C(1) << 32)

/* -- Objects: object.c ------------------------------------------------------------- */

enum kind { DEVICE, BO, VA_RANGE, LIST, CTX, N_KIND };
struct object {
	struct object *next; /* next ended object */
	enum kind kind;
	bool dead;
};

extern pthread_mutex_t lock; /* protects all but the state of the device's thread */
extern pthread_cond_t moved; /* a fence was signaled, work arrived, or a device is closing */
extern struct pool pool;

void object_add(struct object *o, enum kind kind);
void object_end(struct object *o);
/* Returns whether o is a live object of this kind; reports an error if not. */
bool object_ok(const char *call, const void *o, enum kind kind);
unsigned objects_left(char *text, size_t size);

/* -- Memory ------------------------------------------------------------------------ */

/* A bit for each byte of a page. */
struct mask {
	uint64_t w[PAGE / 64];
};

/* Cache state of a page of a buffer: memory.c. */
struct page {
	uint64_t copied;   /* L2 generation when it was copied from the host side; 0: never */
	uint64_t dispatch; /* last dispatch that touched it */
	uint64_t job;
	size_t slot;				 /* index among the pages that the job touched */
	uint64_t at_drain, at_vector, at_scalar; /* generations at that time */
	bool hazard;		      /* one of the masks of earlier dispatches is not empty */
	struct mask dirty;	      /* written, not yet visible to the host */
	struct mask used;	      /* read by the job */
	struct mask wrote, read;      /* by the dispatch */
	struct mask fresh, seen;      /* written, read by earlier dispatches that may still run */
	struct mask stale_v, stale_s; /* bytes of which vector, scalar caches hold older values */
	uint8_t *old;		      /* the older bytes, or NULL */
};

struct bo {
	struct object o;
	struct device *d;
	unsigned refs, n_maps, n_jobs; /* of the CPU; submissions in flight */
	uint32_t handle, heap;
	uint64_t size, flags;
	uint8_t *host, *gpu; /* host: NULL if the host has no access */
	bool user;	     /* the host side is the program's own memory */
	uint64_t listed;     /* the running job that lists it */
	struct page **pages;
};

struct va_range {
	struct object o;
	struct device *d;
	struct va_range *next; /* next of the device's, by address */
	uint64_t va, size;
};

struct map {
	uint64_t va, size, off;
	struct bo *bo;
	uint32_t flags;
};
/* A snapshot of an address space, immutable after creation. */
struct vm {
	unsigned refs;
	uint32_t n;
	struct map maps[];
};

struct bo_list {
	struct object o;
	struct device *d;
	uint32_t id, n;
	struct bo **bos;
};

/* -- Submissions ------------------------------------------------------------------- */

/* Submissions of a context to one of its rings, in order. */
struct entity {
	struct ctx *ctx;
	uint32_t ip, ring;
	uint64_t last, passed; /* fences issued, and signaled */
	int error[FENCES];
	struct job *first, **end;
};

struct ctx {
	struct object o;
	struct device *d;
	struct ctx *next; /* next of the device's */
	uint32_t id;
	bool lost, guilty, vram_lost;
	unsigned resets, vram_losses; /* of the device, at creation */
	struct entity compute[N_RING], dma[2];
};

struct stream {
	uint64_t va;
	uint32_t n, flags;
	uint32_t *words; /* copy at submission, if the host can see the memory */
	struct bo *bo;	 /* buffer that contains it */
	uint64_t at;
};

struct job {
	struct job *next; /* next of its entity */
	struct entity *e;
	uint64_t seq, id;
	struct stream *streams;
	uint32_t n_streams;
	struct bo **bos;
	uint32_t n_bos;
	struct {
		struct entity *e;
		uint64_t seq;
	} * deps;
	uint32_t n_deps;
	bool done, running;
	int error;
	bool reset; /* of the whole device, with its contexts */
	bool vram_lost;
	bool soft; /* the error is its own, and the context is not lost */
	uint64_t pass_ns; /* earliest time */
	uint64_t l2;	  /* L2 generation when it began */
	struct page_of *touched;
	size_t n_touched, cap_touched;
};
struct page_of {
	struct bo *bo;
	uint64_t at; /* page number */
	struct mask wrote;
};

/* -- Devices ----------------------------------------------------------------------- */

struct device {
	struct object o;
	unsigned index, refs;
	const struct gpu *gpu;
	int fd;
	unsigned n_bos, n_always;
	uint64_t used_vram, used_gtt;
	struct vm *vm;
	struct va_range *ranges;
	struct ctx *ctxs;
	unsigned resets, vram_losses;
	uint64_t fault_va;
	uint32_t fault_status;
	pthread_t thread;
	bool threaded, quits;
	uint64_t random;
	struct exec *x;
};

uint64_t now_ns(void);
uint64_t next_random(uint64_t *state);
static inline enum gen
gen_of(const struct device *d)
{
	return d->gpu->gen;
}

/* vm.c */
void vm_ref(struct vm *vm);
void vm_unref(struct vm *vm);
const struct map *vm_find(const struct vm *vm, uint64_t va);
/* bo.c */
void bo_unref(struct bo *b);	 /* the caller holds the lock */
void bos_lost(struct device *d); /* fills VRAM with random bytes again */
void bos_always(struct device *d, struct job *j);
struct bo *bo_of_handle(struct device *d, uint32_t handle);
/* list.c */
struct bo_list *list_of_id(struct device *d, uint32_t id);
/* ctx.c */
struct entity *entity_of(struct ctx *c, uint32_t ip, uint32_t instance, uint32_t ring);
struct entity *entity_at(struct ctx *c, unsigned i); /* i < N_RING + 2 */
int ctx_refuses(const struct ctx *c);		     /* -ECANCELED, or 0 */
/* ring.c */
qd_status ring_start(struct device *d);
void ring_stop(struct device *d); /* the caller does not hold the lock */
void job_free(struct job *j);	  /* the caller holds the lock */

/* -- Execution: state of the device's thread ---------------------------------------- */

struct exec {
	struct device *d;
	struct job *job;
	struct vm *vm;
	struct arena mem;
	uint64_t l2, drain, vector, scalar, insns; /* counts of invalidations and waits */
	uint64_t dispatch;			   /* number of the running dispatch */
	unsigned undrained;			   /* dispatches since the last wait */
	bool emptied[4];		    /* by the job: instructions, scalar, vector, L2 */
	uint32_t reported[(N_CHECK + 31) / 32]; /* reported already in this job */
	int error;			    /* of the job so far */
	const char *where_what;		    /* for complaints */
	uint32_t stream, word;
	uint32_t regs[0x400];
	uint32_t written[0x400 / 32];
	bool delay_set; /* CP_COHER_START_DELAY is written */
	struct {
		uint64_t page;
		const struct map *map;
	} near[256];
	uint8_t old[64 + 16]; /* bytes returned by a stale cache */
	struct code *codes[1024];
	size_t code_words;
	uint64_t n_jobs, n_dispatches;
};
enum { I_CACHE, S_CACHE, V_CACHE, L2_CACHE };

/* Reports a violation once for each job and check, and ends the job as the check's row specifies. Always
 * returns false. */
bool exec_wrong(struct exec *x, enum check c, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void exec_where(const struct exec *x, char *text, size_t size);
void exec_job(struct exec *x, struct job *j);
void exec_finish(struct exec *x, struct job *j); /* publishes the job's writes to the host */
/* memory.c */
/* Accesses of waves and of the queue itself: to its stream, which no cache holds; to other memory,
 * immediately or after everything that runs (QUEUE_END). */
enum access { READ, SCALAR, WRITE, ATOMIC, FETCH, STREAM, QUEUE_READ, QUEUE_WRITE, QUEUE_END };
/* Returns the n bytes for one access at this time, or NULL after a fault, which is reported. */
void *mem_at(struct exec *x, uint64_t va, uint64_t n, enum access how);
/* Returns how many bytes at va one call of mem_at can access. */
uint64_t mem_run(const struct exec *x, uint64_t va, uint64_t n);
bool mem_read(struct exec *x, uint64_t va, void *to, uint64_t n, enum access how);
bool mem_write(struct exec *x, uint64_t va, const void *from, uint64_t n, enum access how);
/* Reads memory for a check, without recording the access; false: not all is mapped. */
bool mem_peek(struct exec *x, uint64_t va, void *to, uint64_t n);
/* Returns how many bytes from va on may be fetched. */
uint64_t mem_code_size(const struct exec *x, uint64_t va);
void mem_begin(struct exec *x);
void mem_empty(struct exec *x, const bool which[4]);
void mem_drain(struct exec *x);
void mem_finish(struct exec *x, struct job *j);
void mem_page_free(struct page *p);
void copy_unreported(uint8_t *to, const uint8_t *from, size_t n);
/* code.c */
struct code {
	struct code *next;
	uint64_t va, entry_end;
	uint32_t n_words, *words;
	uint32_t before; /* how many of them precede va */
	const struct gcn_target *target;
	struct amd_code *code;
	uint64_t insns;	     /* cache generation when it was fetched */
	uint64_t descriptor; /* 0: not found */
	bool far;	     /* it includes words that may not be the kernel's */
};
struct code *code_at(struct exec *x, uint64_t va, const struct gcn_target *t);
void codes_free(struct exec *x);
/* pm4.c, dispatch.c, sdma.c */
bool pm4_run(struct exec *x, const uint32_t *words, uint32_t n);
bool sdma_run(struct exec *x, const uint32_t *words, uint32_t n);
bool dispatch_run(struct exec *x, const uint32_t dims[3], uint32_t initiator);
/* reg.c */
bool reg_write(struct exec *x, uint32_t at, uint32_t value);
void regs_poison(struct exec *x);
enum reg {
#define REG(name, ...) R_##name,
#include "reg.def"
	N_REG
};
uint32_t reg_of(const struct exec *x, enum reg r); /* its value; 0 if the target lacks it */
bool reg_there(const struct exec *x, enum reg r);
bool regs_needed(struct exec *x, bool scratch, unsigned n_user);

#endif
