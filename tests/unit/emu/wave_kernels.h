/* Kernels of tests/emu/gcn, their expected results, and functions to run them. */
#ifndef WAVE_KERNELS_H
#define WAVE_KERNELS_H

#include "amd.h"
#include "unit.h"

struct wave_object {
	const char *source, *target;
	unsigned wave; /* 0: the default of the target */
	const uint8_t *data;
	uint32_t size;
};
extern const struct wave_object wave_objects[];
extern const unsigned wave_n_objects;

enum { WAVE_IN = 2048, WAVE_OUT = 4096 }; /* words */
struct wave_memory {
	union {
		uint32_t w[WAVE_IN];
		float f[WAVE_IN];
		double d[WAVE_IN / 2];
		uint8_t b[4 * WAVE_IN];
		int16_t s[2 * WAVE_IN];
	} in;
	union {
		uint32_t w[WAVE_OUT];
		uint64_t q[WAVE_OUT / 2];
		float f[WAVE_OUT];
		double d[WAVE_OUT / 2];
		uint8_t b[4 * WAVE_OUT];
		uint16_t s[2 * WAVE_OUT];
	} out;
};

struct wave_kernel {
	const char *source, *name;
	uint32_t grid, block, n;
	enum { BITS_IN, F32_IN, F64_IN } fill;
	void (*want)(struct wave_memory *m, const struct wave_kernel *k, unsigned wave);
};
extern const struct wave_kernel wave_kernels[];
extern const unsigned wave_n_kernels;

/* Returns true if the object's kernels are in that table. Other objects belong to t_foreign.c. */
bool wave_has_rows(const struct wave_object *o);

/* A parsed object; its words may be changed. */
struct wave_code {
	struct pool pool;
	const struct gcn_target *target;
	struct code_place {
		const char *name;
		const uint8_t *descriptor;
		uint32_t entry, end; /* words */
	} kernel[12];
	unsigned n_kernels;
	uint64_t addr;
	uint32_t n_words, *words;
	struct arena mem;
};
/* Returns false after a failed check. */
bool wave_code_read(struct unit_ctx *t, struct wave_code *c, const struct wave_object *o);
void wave_code_free(struct wave_code *c);
const struct code_place *wave_code_find(const struct wave_code *c, const char *name);

void wave_fill(struct wave_memory *m, const struct wave_kernel *k, uint64_t seed);
/* Launches with the current words. covered: as in amd_launch. */
qd_status wave_launch(struct wave_code *c, const struct wave_kernel *k, struct wave_memory *m,
		      uint64_t seed, uint32_t *covered, struct qd_error *err);

#endif
