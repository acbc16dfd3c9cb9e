/* The tables of injected violations: injected.c runs them, and injected_*.c define them by kind. */
#ifndef FAKE_INJECTED_H
#define FAKE_INJECTED_H

#include "rig.h"

struct injected {
	const char *check, *gpu;
	int (*run)(struct rig *r);
	const char *also; /* another check that it violates */
	const char *config;
};
extern const struct injected injected_calls[], injected_packets[], injected_waves[],
	injected_caches[];
extern const unsigned n_injected_calls, n_injected_packets, n_injected_waves, n_injected_caches;

/* Returns whether the data is the usual kernel's result. */
bool injected_right(const struct rig *r);
/* Builds and runs the usual stream, with any extra words appended. */
int injected_run(struct rig *r);
int injected_run_with(struct rig *r, const uint32_t *w, unsigned n);
/* Assembles LLVM text into the code buffer at an offset and sets the registers to run it. */
bool injected_kernel(struct rig *r, uint32_t at, const char *text);
/* Maps the whole buffer again with other flags. */
int injected_remap(struct rig *r, struct rig_memory *m, uint64_t flags);
/* Sets a register's value and runs the usual stream. */
int injected_reg(struct rig *r, uint32_t at, uint32_t value);

/* data[COPY_WORDS + i] = data[i], on gfx1100. */
extern const char injected_copy[];
enum { SECOND = 4096, COPY_WORDS = 1024 };

#define INJECT_WORDS(name, ...)                                                                    \
	static int inject_##name(struct rig *r)                                                    \
	{                                                                                          \
		const uint32_t w[] = { __VA_ARGS__ };                                              \
		return injected_run_with(r, w, sizeof w / 4);                                      \
	}
#define INJECT_REG(name, at, value)                                                                \
	static int inject_##name(struct rig *r)                                                    \
	{                                                                                          \
		return injected_reg(r, at, value);                                                 \
	}
#define INJECT_BITS(name, at, bits)                                                                \
	static int inject_##name(struct rig *r)                                                    \
	{                                                                                          \
		return injected_reg(r, at, rig_reg(r, at)->value | (bits));                        \
	}

#endif
