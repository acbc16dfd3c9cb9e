/* The rows of what is wrong on purpose: injected.c goes through them, a file for each kind has them.
 */
#ifndef FAKE_INJECTED_H
#define FAKE_INJECTED_H

#include "rig.h"

struct injected {
	const char *check, *gpu;
	int (*run)(struct rig *r);
	const char *also; /* a check that it breaks as well */
	const char *config;
};
extern const struct injected injected_calls[], injected_packets[], injected_waves[], injected_caches[];
extern const unsigned n_injected_calls, n_injected_packets, n_injected_waves, n_injected_caches;

/* Data that the usual kernel gives. */
bool injected_right(const struct rig *r);
/* The usual stream, built and run; with words behind it. */
int injected_run(struct rig *r);
int injected_run_with(struct rig *r, const uint32_t *w, unsigned n);
/* LLVM's text in the code buffer at an offset, and registers that lead there. */
bool injected_kernel(struct rig *r, uint32_t at, const char *text);
/* Maps all of it again, with other rights. */
int injected_remap(struct rig *r, struct rig_memory *m, uint64_t flags);
/* A register's value, and the usual stream. */
int injected_reg(struct rig *r, uint32_t at, uint32_t value);

/* data[COPY_WORDS + i] = data[i], on gfx1100. */
extern const char injected_copy[];
enum { SECOND = 4096, COPY_WORDS = 1024 };

#define INJECT_WORDS(name, ...)                                                                     \
	static int inject_##name(struct rig *r)                                                     \
	{                                                                                          \
		const uint32_t w[] = { __VA_ARGS__ };                                              \
		return injected_run_with(r, w, sizeof w / 4);                                       \
	}
#define INJECT_REG(name, at, value)                                                                 \
	static int inject_##name(struct rig *r)                                                     \
	{                                                                                          \
		return injected_reg(r, at, value);                                                  \
	}
#define INJECT_BITS(name, at, bits)                                                                 \
	static int inject_##name(struct rig *r)                                                     \
	{                                                                                          \
		return injected_reg(r, at, rig_reg(r, at)->value | (bits));                         \
	}

#endif
