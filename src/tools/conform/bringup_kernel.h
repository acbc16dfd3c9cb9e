/* The kernels of the bring-up steps: a few instructions each, as text for every generation. So the
 * steps test the device and no compiler. */
#ifndef QD_TOOLS_BRINGUP_KERNEL_H
#define QD_TOOLS_BRINGUP_KERNEL_H

#include "gcn.h"

enum bringup_kernel {
	BRINGUP_END,	  /* ends immediately */
	BRINGUP_CONSTANT,  /* one lane stores a word */
	BRINGUP_CONSTANT2, /* another word */
	BRINGUP_IDS,	  /* block << 16 | lane, in one dimension */
	BRINGUP_IDS3,	  /* the lane's position, in three dimensions */
	BRINGUP_SHARED,	  /* exchange through shared memory, in blocks whose size is not 2^n */
	BRINGUP_STEP,	  /* out[i] = in[i] + 7 */
	BRINGUP_ATOMIC,	  /* every lane adds 1 to one word */
	BRINGUP_REGISTERS, /* use of the last available vector registers */
	BRINGUP_LANE,	  /* the lane's index in its wave */
	BRINGUP_N_KERNEL
};

/* Launch dimensions of a kernel, and its expected output. */
struct bringup_shape {
	uint32_t blocks[3], block[3];
	uint32_t n_out; /* words that it stores */
	uint32_t (*want)(uint32_t i, const uint32_t *in, uint32_t wave); /* expected word i; NULL:
									  * `word` everywhere */
	uint32_t word;
};
uint32_t bringup_want(const struct bringup_shape *s, uint32_t i, const uint32_t *in, uint32_t wave);
const struct bringup_shape *bringup_shape(enum bringup_kernel which);
enum { BRINGUP_MOST_OUT = 16384, BRINGUP_CODE_MAX = 4096 };

/* The arguments are the addresses of out and in. The words are a kernel descriptor, zeros, the
 * code, and padding for the instruction prefetch. */
struct bringup_code {
	uint32_t words[BRINGUP_CODE_MAX / 4];
	size_t size; /* bytes */
};
qd_status bringup_code(const struct gcn_target *t, enum bringup_kernel which,
		       struct bringup_code *out, struct qd_error *err);

#endif
