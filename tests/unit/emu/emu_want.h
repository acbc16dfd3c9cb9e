/* Reference function of each kernel of tests/emu, for the table of emu_kernels.c. */
#ifndef EMU_WANT_H
#define EMU_WANT_H

#include "emu_kernels.h"

#define WANT(name)                                                                                 \
	void name(const struct emu_kernel *k, const struct emu_memory *m, struct emu_memory *want)

WANT(want_collatz);
WANT(want_factors);
WANT(want_shuffle);
WANT(want_shuffle64);
WANT(want_control);
WANT(want_vote);
WANT(want_match64);
WANT(want_redux);
WANT(want_block_sum);
WANT(want_block_scan);
WANT(want_block_sort);
WANT(want_matmul);
WANT(want_async_copy);
WANT(want_barriers);
WANT(want_spin);
WANT(want_lock);
WANT(want_atomics);
WANT(want_wide);
WANT(want_real32);
WANT(want_real64);
WANT(want_half);
WANT(want_bits);
WANT(want_spaces);
WANT(want_calls);

/* Convert results to a canonical form, because several are correct. */
void settle_atomics(const struct emu_kernel *k, struct emu_memory *m);
void settle_real32(const struct emu_kernel *k, struct emu_memory *m);
void settle_real64(const struct emu_kernel *k, struct emu_memory *m);
void settle_half(const struct emu_kernel *k, struct emu_memory *m);
void begin_atomics(struct emu_memory *m);

/* Structure that a kernel takes as its last parameter. */
struct shape {
	int16_t scale;
	uint8_t shift;
	double bias;
	uint32_t row[5];
};
extern const struct shape emu_shape;

uint32_t emu_reverse(uint32_t v); /* reverses the bits */

#endif
