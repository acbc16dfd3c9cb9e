/* A handwritten program on the fake: four buffers, a kernel, and a stream built word by word. It
 * uses libdrm's interface directly, without a driver. */
#ifndef FAKE_RIG_H
#define FAKE_RIG_H

#include "abi.h"
#include "control.h"

enum { MAX_REGS = 64, MAX_STREAM = 4096, ITEMS = 64, GROUPS = 4 };

struct rig_memory {
	struct bo *bo;
	struct va_range *range;
	uint64_t va, size;
	uint8_t *host;
	bool unlisted;
};
struct rig_reg {
	uint32_t at, value;
	bool left_out;
};
enum { SHOWN_ARGS = 16 };
struct rig {
	const char *gpu;
	unsigned gen, wave; /* gen: 9, 90 (gfx90a), 94, 10, 11, 12 */
	int fd;
	struct device *d;
	struct ctx *ctx;
	struct bo_list *list;
	struct rig_memory code, stream, args, data;
	struct rig_reg regs[MAX_REGS];
	unsigned n_regs;
	uint32_t dims[3], initiator, n_user;
	bool no_acquire, no_drain, no_delay;
	uint32_t w[MAX_STREAM];
	uint32_t n;
	uint32_t ip, ring, ib_flags;
	uint64_t seq;
	uint64_t args_words[SHOWN_ARGS];
};

/* Opens the GPU; more: further words of QD_FAKE_AMDGPU. Prints the error and returns false on
 * failure. */
bool rig_open(struct rig *r, const char *gpu, unsigned wave, const char *more);
void rig_close(struct rig *r);
bool rig_memory(struct rig *r, struct rig_memory *m, uint64_t size, uint32_t heap,
		uint64_t bo_flags, uint64_t va_flags);
void rig_memory_free(struct rig_memory *m);
/* Assembles LLVM text into the code buffer at an offset, followed by the prefetched words. */
bool rig_kernel(struct rig *r, uint32_t at, const char *text);
/* Sets up the kernel that computes data[i] = i for all items of all groups, and its registers. */
bool rig_usual(struct rig *r);
struct rig_reg *rig_reg(struct rig *r, uint32_t at);
void rig_word(struct rig *r, uint32_t w);
void rig_acquire(struct rig *r);
void rig_between(struct rig *r); /* waits, then invalidates scalar and vector caches */
void rig_drain(struct rig *r);
void rig_set_regs(struct rig *r);
void rig_dispatch(struct rig *r);
void rig_pad(struct rig *r);
/* Builds a whole stream: acquire, registers, dispatch, drain, padding. */
void rig_stream(struct rig *r);
int rig_submit(struct rig *r);
/* Returns the fence's status, or 1 if it was not signaled in time. */
int rig_wait(struct rig *r);
int rig_run(struct rig *r); /* submits and waits */

#endif
