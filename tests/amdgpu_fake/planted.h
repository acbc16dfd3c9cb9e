/* The rows of what is wrong on purpose: planted.c goes through them, a file for each kind has them.
 */
#ifndef FAKE_PLANTED_H
#define FAKE_PLANTED_H

#include "rig.h"

struct planted {
	const char *check, *gpu;
	int (*run)(struct rig *r);
	const char *also; /* a check that it breaks as well */
	const char *config;
};
extern const struct planted planted_calls[], planted_packets[], planted_waves[], planted_caches[];
extern const unsigned n_planted_calls, n_planted_packets, n_planted_waves, n_planted_caches;

/* Data that the usual kernel gives. */
bool planted_right(const struct rig *r);
/* The usual stream, built and run; with words behind it. */
int planted_run(struct rig *r);
int planted_run_with(struct rig *r, const uint32_t *w, unsigned n);
/* LLVM's text in the code buffer at an offset, and registers that lead there. */
bool planted_kernel(struct rig *r, uint32_t at, const char *text);
/* Maps all of it again, with other rights. */
int planted_remap(struct rig *r, struct rig_memory *m, uint64_t flags);
/* A register's value, and the usual stream. */
int planted_reg(struct rig *r, uint32_t at, uint32_t value);

/* data[COPY_WORDS + i] = data[i], on gfx1100. */
extern const char planted_copy[];
enum { SECOND = 4096, COPY_WORDS = 1024 };

#define PLANT_WORDS(name, ...)                                                                     \
	static int plant_##name(struct rig *r)                                                     \
	{                                                                                          \
		const uint32_t w[] = { __VA_ARGS__ };                                              \
		return planted_run_with(r, w, sizeof w / 4);                                       \
	}
#define PLANT_REG(name, at, value)                                                                 \
	static int plant_##name(struct rig *r)                                                     \
	{                                                                                          \
		return planted_reg(r, at, value);                                                  \
	}
#define PLANT_BITS(name, at, bits)                                                                 \
	static int plant_##name(struct rig *r)                                                     \
	{                                                                                          \
		return planted_reg(r, at, rig_reg(r, at)->value | (bits));                         \
	}

#endif
