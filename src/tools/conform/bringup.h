/* The bring-up steps (the ladder): tests of an AMD device before a kernel of qd runs on it.  Each
 * step adds one feature to the steps before it, so the first failure identifies the fault and ends
 * the sequence.  The steps call libdrm directly.  From the driver they use the library's functions,
 * the list of devices, and the packets. */
#ifndef QD_TOOLS_LADDER_H
#define QD_TOOLS_LADDER_H

#include "kgd.h"

enum ladder_state { LADDER_OK, LADDER_FAILED, LADDER_NONE /* unsupported by the device */ };

/* Callbacks during the steps: output is immediate, because a fault of the device can crash the
 * machine. */
struct ladder_ears {
	void (*begins)(void *user, unsigned step, const char *name);
	/* text: the observation, or the error. */
	void (*ended)(void *user, unsigned step, enum ladder_state state, const char *text);
	/* Lines about a failure: the words submitted to the device, and its response. */
	void (*detail)(void *user, const char *line);
	void *user;
};

/* Returns the name of a step and what it tests; false: no such step. */
bool ladder_step(unsigned i, const char **name, const char **what);
/* Runs all steps on the device of the selector ("amdgpu", "amdgpu:1"), up to the first failure.
 * QD_OK: the steps were run, and *failed is the result.  Other codes: there is no such device; err
 * has the reason. */
qd_status ladder_climb(const char *selector, const struct ladder_ears *ears, bool *failed,
		       struct qd_error *err);

/* -- Internal interface --------------------------------------------------------------- */

/* Slots for kernels, and one for each stream that does not begin with cache invalidation.  Such a
 * stream must be in memory that the device has not read before. */
enum { LADDER_SLOTS = 4, LADDER_IDLE, LADDER_WRITE, LADDER_CACHES, LADDER_COPIES, LADDER_ALL_SLOTS };
enum { LADDER_SLOT_WORDS = 1024, LADDER_STREAM_SIZE = 4 * LADDER_SLOT_WORDS * LADDER_ALL_SLOTS };
enum { LADDER_OUT_SIZE = 65536, LADDER_IN_AT = LADDER_SLOTS * LADDER_OUT_SIZE };
enum {
	LADDER_ARGS_AT = 2 * LADDER_IN_AT,
	LADDER_ARGS_SIZE = 256,
	LADDER_DATA_SIZE = 3 * LADDER_IN_AT
};

struct ladder_memory {
	struct amdgpu_bo *bo;
	struct amdgpu_va *va;
	uint64_t addr, size;
	void *host;
	bool mapped;
};

struct ladder {
	const struct kgd_symbols *drm;
	struct kgd_physical physical;
	const struct amd_gpu *gpu;
	int fd;
	struct amdgpu_device *handle;
	struct amdgpu_context *ctx;
	struct ladder_memory stream, data, code;
	struct amdgpu_bo_list *list;
	struct kgd_info info;
	struct kgd_engine compute;
	/* Per slot: the last stream submitted, and its sequence number. */
	uint32_t n_words[LADDER_ALL_SLOTS];
	uint64_t seq[LADDER_ALL_SLOTS];
	uint32_t engine; /* of the submission: KGD_IP_COMPUTE or LADDER_SDMA */
	int shown;	 /* the slot whose stream failed; -1: none */
	int last;	 /* the last slot submitted */
	char text[512];	 /* of the step */
};
enum { LADDER_SDMA = 2 };

/* Sets the text and returns the state, so that a step can return it. */
enum ladder_state ladder_say(struct ladder *l, enum ladder_state state, const char *fmt, ...)
	QD_PRINTF(3, 4);
/* Reports "amdgpu_bo_alloc failed: ENOMEM (-12)". */
enum ladder_state ladder_call_failed(struct ladder *l, const char *call, int r);

bool ladder_open(struct ladder *l);
bool ladder_memory(struct ladder *l, struct ladder_memory *m, uint32_t domain, uint64_t flags,
		   uint64_t size);
void ladder_memory_free(struct ladder *l, struct ladder_memory *m);
void ladder_close(struct ladder *l);

/* Start a stream in a slot's words with *p, submit it, and wait for it. */
void ladder_begin(struct ladder *l, unsigned slot, struct pm4 *p, struct qd_error *err);
bool ladder_submit(struct ladder *l, unsigned slot, struct pm4 *p);
bool ladder_submit_words(struct ladder *l, unsigned slot, uint32_t n);
bool ladder_wait(struct ladder *l, unsigned slot);

uint32_t *ladder_words(struct ladder *l, unsigned slot);
uint32_t *ladder_out(struct ladder *l, unsigned slot);
uint32_t *ladder_in(struct ladder *l);

#endif
