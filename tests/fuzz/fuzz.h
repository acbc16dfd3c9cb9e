/* What a fuzz target has: the entry point that libFuzzer calls, seeds, and its way
 * to damage an input. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* The i-th seed into out; its size, 0 behind the last. */
size_t fuzz_seed(size_t i, uint8_t *out, size_t cap);

/* Numbers that follow from where they began. */
struct fuzz_dice {
	uint64_t state; /* not 0 */
};
static inline uint64_t
fuzz_random(struct fuzz_dice *d, uint64_t below)
{
	d->state ^= d->state << 13;
	d->state ^= d->state >> 7;
	d->state ^= d->state << 17;
	return d->state % below;
}

/* Damages an input in place; its new size, at most cap. */
size_t fuzz_damage(uint8_t *p, size_t size, size_t cap, struct fuzz_dice *d);

#endif
