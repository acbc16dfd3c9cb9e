/* The bring-up steps: tests of an AMD device before a kernel of qd runs on it. Each
 * step adds one feature to the steps before it, so the first failure identifies the fault and ends
 * the sequence. The steps call libdrm directly. From the driver they use the library's functions,
 * the list of devices, and the packets. */
#ifndef QD_TOOLS_BRINGUP_H
#define QD_TOOLS_BRINGUP_H

#include "kgd.h"

enum bringup_state { BRINGUP_OK, BRINGUP_FAILED, BRINGUP_NONE /* unsupported by the device */ };

/* Callbacks during the steps: output is immediate, because a fault of the device can crash the
 * machine. */
struct bringup_listener {
	void (*begins)(void *user, unsigned step, const char *name);
	/* text: the observation, or the error. */
	void (*ended)(void *user, unsigned step, enum bringup_state state, const char *text);
	/* Lines about a failure: the words submitted to the device, and its response. */
	void (*detail)(void *user, const char *line);
	void *user;
};

/* Returns the name of a step and what it tests; false: no such step. */
bool bringup_step(unsigned i, const char **name, const char **what);
/* Runs all steps on the device of the selector ("amdgpu", "amdgpu:1"), up to the first failure.
 * QD_OK: the steps were run, and *failed is the result. Other codes: there is no such device; err
 * has the reason. */
qd_status bringup_run_steps(const char *selector, const struct bringup_listener *ears, bool *failed,
		       struct qd_error *err);

/* -- Internal interface --------------------------------------------------------------- */

/* Slots for kernels, and one for each stream that does not begin with cache invalidation. Such a
 * stream must be in memory that the device has not read before. */
enum {
	BRINGUP_SLOTS = 4,
	BRINGUP_IDLE,
	BRINGUP_WRITE,
	BRINGUP_CACHES,
	BRINGUP_COPIES,
	BRINGUP_ALL_SLOTS
};
enum {
	BRINGUP_SLOT_WORDS = 1024,
	BRINGUP_STREAM_SIZE = 4 * BRINGUP_SLOT_WORDS * BRINGUP_ALL_SLOTS
};
enum { BRINGUP_OUT_SIZE = 65536, BRINGUP_IN_AT = BRINGUP_SLOTS * BRINGUP_OUT_SIZE };
enum {
	BRINGUP_ARGS_AT = 2 * BRINGUP_IN_AT,
	BRINGUP_ARGS_SIZE = 256,
	BRINGUP_DATA_SIZE = 3 * BRINGUP_IN_AT
};

struct bringup_memory {
	struct amdgpu_bo *bo;
	struct amdgpu_va *va;
	uint64_t addr, size;
	void *host;
	bool mapped;
};

struct bringup {
	const struct kgd_symbols *drm;
	struct kgd_physical physical;
	const struct amd_gpu *gpu;
	int fd;
	struct amdgpu_device *handle;
	struct amdgpu_context *ctx;
	struct bringup_memory stream, data, code;
	struct amdgpu_bo_list *list;
	struct kgd_info info;
	struct kgd_engine compute;
	/* Per slot: the last stream submitted, and its sequence number. */
	uint32_t n_words[BRINGUP_ALL_SLOTS];
	uint64_t seq[BRINGUP_ALL_SLOTS];
	uint32_t engine; /* of the submission: KGD_IP_COMPUTE or BRINGUP_SDMA */
	int shown;	 /* the slot whose stream failed; -1: none */
	int last;	 /* the last slot submitted */
	char text[512];	 /* of the step */
};
enum { BRINGUP_SDMA = 2 };

/* Sets the text and returns the state, so that a step can return it. */
enum bringup_state bringup_say(struct bringup *l, enum bringup_state state, const char *fmt, ...)
	QD_PRINTF(3, 4);
/* Reports "amdgpu_bo_alloc failed: ENOMEM (-12)". */
enum bringup_state bringup_call_failed(struct bringup *l, const char *call, int r);

bool bringup_open(struct bringup *l);
bool bringup_memory(struct bringup *l, struct bringup_memory *m, uint32_t domain, uint64_t flags,
		   uint64_t size);
void bringup_memory_free(struct bringup *l, struct bringup_memory *m);
void bringup_close(struct bringup *l);

/* Start a stream in a slot's words with *p, submit it, and wait for it. */
void bringup_begin(struct bringup *l, unsigned slot, struct pm4 *p, struct qd_error *err);
bool bringup_submit(struct bringup *l, unsigned slot, struct pm4 *p);
bool bringup_submit_words(struct bringup *l, unsigned slot, uint32_t n);
bool bringup_wait(struct bringup *l, unsigned slot);

uint32_t *bringup_words(struct bringup *l, unsigned slot);
uint32_t *bringup_out(struct bringup *l, unsigned slot);
uint32_t *bringup_in(struct bringup *l);

#endif
