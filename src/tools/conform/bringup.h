/* The ladder: what a device of AMD's is tried with before a kernel of qd's runs on it.  Each
 * step adds one thing to those before it, so the first that fails says what is wrong; it is
 * the last that is tried.  It talks to libdrm itself: of the driver it takes the library's
 * functions and the list of devices, and the packets. */
#ifndef QD_TOOLS_LADDER_H
#define QD_TOOLS_LADDER_H

#include "kgd.h"

enum ladder_state { LADDER_OK, LADDER_FAILED, LADDER_NONE /* the device has no such thing */ };

/* What is told as it happens, since a device may take the machine with it. */
struct ladder_ears {
	void (*begins)(void *user, unsigned step, const char *name);
	/* text: what was seen, or what is wrong. */
	void (*ended)(void *user, unsigned step, enum ladder_state state, const char *text);
	/* Lines about what failed: the words that the device was given, and what it says. */
	void (*detail)(void *user, const char *line);
	void *user;
};

/* Name of a step and what it tries; false: there are no more. */
bool ladder_step(unsigned i, const char **name, const char **what);
/* All steps on the device that the selector means ("amdgpu", "amdgpu:1"), up to the first
 * that fails.  QD_E_UNAVAILABLE and others: there is no such device; err says why.  QD_OK:
 * *failed says the rest. */
qd_status ladder_climb(const char *selector, const struct ladder_ears *ears, bool *failed,
		       struct qd_error *err);

/* -- Between its files ---------------------------------------------------------------- */

/* Slots for kernels, and one for each stream that does not begin with empty caches: it must stand
 * where the device has read nothing before. */
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
	/* Of each slot: the stream that was given last, and its number. */
	uint32_t n_words[LADDER_ALL_SLOTS];
	uint64_t seq[LADDER_ALL_SLOTS];
	uint32_t engine; /* of the submission: KGD_IP_COMPUTE or LADDER_SDMA */
	int shown;	 /* the slot whose stream failed; -1: none */
	int last;	 /* that was submitted last */
	char text[512];	 /* of the step */
};
enum { LADDER_SDMA = 2 };

/* Sets the text; returns the state, so that a step ends with it. */
enum ladder_state ladder_say(struct ladder *l, enum ladder_state state, const char *fmt, ...)
	QD_PRINTF(3, 4);
/* "amdgpu_bo_alloc failed: ENOMEM (-12)". */
enum ladder_state ladder_call_failed(struct ladder *l, const char *call, int r);

bool ladder_open(struct ladder *l);
bool ladder_memory(struct ladder *l, struct ladder_memory *m, uint32_t domain, uint64_t flags,
		   uint64_t size);
void ladder_memory_free(struct ladder *l, struct ladder_memory *m);
void ladder_close(struct ladder *l);

/* The words of a slot, in *p; then what was written is submitted; then waited for. */
void ladder_begin(struct ladder *l, unsigned slot, struct pm4 *p, struct qd_error *err);
bool ladder_submit(struct ladder *l, unsigned slot, struct pm4 *p);
bool ladder_submit_words(struct ladder *l, unsigned slot, uint32_t n);
bool ladder_wait(struct ladder *l, unsigned slot);

uint32_t *ladder_words(struct ladder *l, unsigned slot);
uint32_t *ladder_out(struct ladder *l, unsigned slot);
uint32_t *ladder_in(struct ladder *l);

#endif
