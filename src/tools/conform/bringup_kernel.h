/* The kernels of the bring-up steps: a few instructions each, as text for every generation.  So the
 * steps test the device and no compiler. */
#ifndef QD_TOOLS_LADDER_KERNEL_H
#define QD_TOOLS_LADDER_KERNEL_H

#include "gcn.h"

enum ladder_kernel {
	LADDER_END,	  /* ends immediately */
	LADDER_CONSTANT,  /* one lane stores a word */
	LADDER_CONSTANT2, /* another word */
	LADDER_IDS,	  /* block << 16 | lane, in one dimension */
	LADDER_IDS3,	  /* the lane's position, in three dimensions */
	LADDER_SHARED,	  /* exchange through shared memory, in a block whose size is no power of two */
	LADDER_STEP,	  /* out[i] = in[i] + 7 */
	LADDER_ATOMIC,	  /* every lane adds 1 to one word */
	LADDER_REGISTERS, /* use of the last available vector registers */
	LADDER_LANE,	  /* the lane's index in its wave */
	LADDER_N_KERNEL
};

/* Launch dimensions of a kernel, and its expected output. */
struct ladder_shape {
	uint32_t blocks[3], block[3];
	uint32_t n_out; /* words that it stores */
	uint32_t (*want)(uint32_t i, const uint32_t *in, uint32_t wave); /* expected word i; NULL:
									  * `word` everywhere */
	uint32_t word;
};
uint32_t ladder_want(const struct ladder_shape *s, uint32_t i, const uint32_t *in, uint32_t wave);
const struct ladder_shape *ladder_shape(enum ladder_kernel which);
enum { LADDER_MOST_OUT = 16384, LADDER_CODE_MAX = 4096 };

/* The arguments are the addresses of out and in.  The words are a kernel descriptor, zeros, the
 * code, and padding for the instruction prefetch. */
struct ladder_code {
	uint32_t words[LADDER_CODE_MAX / 4];
	size_t size; /* bytes */
};
qd_status ladder_code(const struct gcn_target *t, enum ladder_kernel which, struct ladder_code *out,
		      struct qd_error *err);

#endif
