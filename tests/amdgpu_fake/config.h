/* What both libraries know: what the fake is told to be, calls that are to fail, complaints.
 * It lives in libdrm.so.2, which libdrm_amdgpu.so.1 needs as the real one does. */
#ifndef FAKE_CONFIG_H
#define FAKE_CONFIG_H

#include <pthread.h>

#include "abi.h"

enum gen { G906, G908, G90A, G94, G101, G103, G11, G12, N_GEN };

struct gpu {
	const char *name;
	enum gen gen;
	uint32_t family, rev;
	uint8_t core[3];
	uint16_t pci;
	uint32_t n_se, n_sa, n_cu;
	const char *marketing;
	bool apu;
};

enum { MAX_DEVICES = 8, MAX_FAULTS = 16, NAME = 64, FIRST_MINOR = 128 };

struct fault {
	char function[NAME];
	unsigned at; /* which call; 0: every one */
	int code;
};
/* What becomes of the n-th job that runs; reset: others in flight go with it; soft: none do. */
struct mishap {
	unsigned at;
	int code;
	bool guilty, reset, vram_lost, soft, used;
};

struct config {
	const struct gpu *gpus[MAX_DEVICES];
	unsigned n_devices;
	unsigned minor, discovery, rings, access, visible, vram, gtt, unified, delays, strict,
		reverse, xcp, faux, dies, page, /* page: of the host's kernel */
		lost; /* lost: microseconds that a queue stands still before it is reset */
	char driver[16];
	uint64_t seed, steps;
	struct fault faults[MAX_FAULTS];
	unsigned n_faults;
	struct mishap mishaps[MAX_FAULTS];
	unsigned n_mishaps;
};

/* The environment's, at first use, or the last fake_amdgpu_set's. */
FAKE_EXPORT const struct config *fake_config(void);
/* The call of this function is made: what it is to answer (-errno), or 0. */
FAKE_EXPORT int fake_call(const char *function);
/* Counts a job: what is to become of it, or NULL. */
FAKE_EXPORT const struct mishap *fake_job(void);
/* The device that a file of drmOpenRender is; -1: none. */
FAKE_EXPORT int fake_device_of(int fd);

enum check {
#define CHECK(name, end, what) CHECK_##name,
#include "check.def"
	N_CHECK
};
enum end { REFUSED, HANG, FAULT, TOLD, WARNED };
struct check_row {
	const char *name, *what;
	enum end end;
};
FAKE_EXPORT const struct check_row *fake_check(enum check c);
/* Where: which submission, word, register, address. */
FAKE_EXPORT void fake_tell(enum check c, const char *where, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* At the end of the process: says all that was told; ends it with a status of its own, where it is
 * to be strict.  left: what is not given back. */
FAKE_EXPORT void fake_end(const char *left);

#endif
