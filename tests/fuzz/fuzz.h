/* Interface of a fuzz target: libFuzzer's entry point, seeds, and a way to damage an input. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Writes the i-th seed to out. Returns its size, or 0 after the last one. */
size_t fuzz_seed(size_t i, uint8_t *out, size_t cap);

/* A deterministic random number generator. */
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

/* Damages an input in place. Returns its new size, at most cap. */
size_t fuzz_damage(uint8_t *p, size_t size, size_t cap, struct fuzz_dice *d);

#endif
