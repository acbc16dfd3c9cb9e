/* Kernels of tests/emu, their expected results, and a function to run PTX. */
#ifndef EMU_KERNELS_H
#define EMU_KERNELS_H

#include "ptx.h"
#include "unit.h"

/* PTX that nvcc generated, by module: "shuffle.sm_75". */
struct emu_text {
	const char *name, *text;
	uint32_t len;
};
extern const struct emu_text emu_texts[];
extern const unsigned emu_n_texts;

enum emu_fill { FILL_BITS, FILL_F32, FILL_F64, FILL_SMALL };

enum { EMU_IN = 1 << 14, EMU_OUT = 1 << 17, EMU_FLAGS = 1 << 12 }; /* bytes */

/* Memory of a launch: input, output, and words for synchronization between blocks. */
struct emu_memory {
	union {
		uint32_t w[EMU_IN / 4];
		uint64_t d[EMU_IN / 8];
		float f[EMU_IN / 4];
		double g[EMU_IN / 8];
	} in;
	union {
		uint32_t w[EMU_OUT / 4];
		uint64_t d[EMU_OUT / 8];
		float f[EMU_OUT / 4];
	} out;
	uint32_t flags[EMU_FLAGS / 4];
};

struct emu_kernel {
	const char *module, *name; /* the module without its sm */
	uint32_t grid[3], block[3], shared;
	uint32_t n;
	enum emu_fill fill;
	void (*want)(const struct emu_kernel *k, const struct emu_memory *m,
		     struct emu_memory *want);
	/* Converts both results to a canonical form, if several are correct. */
	void (*settle)(const struct emu_kernel *k, struct emu_memory *m);
	void (*begin)(struct emu_memory *m); /* sets the initial contents of out, otherwise zeros */
	bool flags;			     /* the third parameter is the address of flags */
};
extern const struct emu_kernel emu_kernels[];
extern const unsigned emu_n_kernels;

/* Fills in and clears the rest. */
void emu_fill(const struct emu_kernel *k, struct emu_memory *m, uint64_t seed);
/* Runs a kernel of a module, which may access only the memory in m. */
qd_status emu_run(struct pool *pool, const struct ptx_module *module, const struct emu_kernel *k,
		  struct emu_memory *m, uint64_t seed, struct qd_error *err);

#endif
