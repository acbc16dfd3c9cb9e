/* State shared by both libraries: configuration, calls that must fail, complaints. It is part of
 * libdrm.so.2, which libdrm_amdgpu.so.1 needs as the real one does. */
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
	unsigned at; /* number of the call; 0: every call */
	int code;
};
/* Outcome of the n-th job that runs; reset: other jobs in flight are lost too; soft: none are. */
struct mishap {
	unsigned at;
	int code;
	bool guilty, reset, vram_lost, soft, used;
};

struct config {
	const struct gpu *gpus[MAX_DEVICES];
	unsigned n_devices;
	unsigned minor, discovery, rings, access, visible, vram, gtt, unified, delays, strict,
		reverse, xcp, faux, dies, page, /* page: page size of the host's kernel */
		lost; /* lost: microseconds that a queue hangs before it is reset */
	char driver[16];
	uint64_t seed, steps;
	struct fault faults[MAX_FAULTS];
	unsigned n_faults;
	struct mishap mishaps[MAX_FAULTS];
	unsigned n_mishaps;
};

/* Returns the configuration: QD_FAKE_AMDGPU at first use, or the last fake_amdgpu_set. */
FAKE_EXPORT const struct config *fake_config(void);
/* Counts a call of this function. Returns the requested failure (-errno), or 0. */
FAKE_EXPORT int fake_call(const char *function);
/* Counts a job. Returns its requested outcome, or NULL. */
FAKE_EXPORT const struct mishap *fake_job(void);
/* Returns the device that a file descriptor of drmOpenRender refers to, or -1. */
FAKE_EXPORT int fake_device_of(int fd);

enum check {
#define CHECK(name, end, what) CHECK_##name,
#include "check.def"
	N_CHECK
};
enum end { REFUSED, HANG, FAULT, REPORTED, WARNED };
struct check_row {
	const char *name, *what;
	enum end end;
};
FAKE_EXPORT const struct check_row *fake_check(enum check c);
/* Reports a violation; where: the submission, word, register or address. */
FAKE_EXPORT void fake_report(enum check c, const char *where, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Prints the complaints when the process ends; a strict process then exits with a status of its
 * own. left: the objects that were not freed. */
FAKE_EXPORT void fake_end(const char *left);

#endif
