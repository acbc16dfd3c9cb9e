/* The kernels of the ladder: a few instructions each, as text for every generation, so that
 * what a step tries is the device and neither qd's compiler nor anybody's. */
#ifndef QD_TOOLS_LADDER_KERNEL_H
#define QD_TOOLS_LADDER_KERNEL_H

#include "gcn.h"

enum ladder_kernel {
	LADDER_END,	  /* ends at once */
	LADDER_CONSTANT,  /* one lane stores a word */
	LADDER_CONSTANT2, /* the same, another word */
	LADDER_IDS,	  /* block << 16 | lane, in one dimension */
	LADDER_IDS3,	  /* where a lane is in three */
	LADDER_SHARED,	  /* through shared memory, that of a block no power of two */
	LADDER_STEP,	  /* out[i] = in[i] + 7 */
	LADDER_ATOMIC,	  /* every lane adds 1 to one word */
	LADDER_REGISTERS, /* through the last vector registers there are */
	LADDER_LANE,	  /* a lane's place in its wave */
	LADDER_N_KERNEL
};

/* How a kernel is launched, and what stands in its words of out then. */
struct ladder_shape {
	uint32_t blocks[3], block[3];
	uint32_t n_out; /* words that it stores */
	uint32_t (*want)(uint32_t i, const uint32_t *in, uint32_t wave); /* NULL: word in each */
	uint32_t word;
};
uint32_t ladder_want(const struct ladder_shape *s, uint32_t i, const uint32_t *in, uint32_t wave);
const struct ladder_shape *ladder_shape(enum ladder_kernel which);
enum { LADDER_MOST_OUT = 16384, LADDER_CODE_MAX = 4096 };

/* Arguments are the addresses of out and in.  A kernel descriptor, zeros, the code, and as much
 * behind it as is fetched ahead. */
struct ladder_code {
	uint32_t words[LADDER_CODE_MAX / 4];
	size_t size; /* bytes */
};
qd_status ladder_code(const struct gcn_target *t, enum ladder_kernel which, struct ladder_code *out,
		      struct qd_error *err);

#endif
