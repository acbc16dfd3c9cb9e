/* Random numbers: the same seed gives the same numbers on every machine. */
#ifndef TEST_GCN_DICE_H
#define TEST_GCN_DICE_H

#include <stdint.h>

struct dice {
	uint64_t state;
};

/* splitmix64 */
static inline uint64_t
dice64(struct dice *d)
{
	uint64_t x = d->state += 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* Returns a generator. Different streams and neighboring seeds give unrelated numbers. */
static inline struct dice
dice(uint64_t seed, uint64_t stream)
{
	struct dice d = { seed };

	d.state = dice64(&d) + stream;
	d.state = dice64(&d);
	return d;
}

static inline uint32_t
dice32(struct dice *d)
{
	return (uint32_t)(dice64(d) >> 32);
}

/* Returns 0 to n - 1. */
static inline uint32_t
dice_below(struct dice *d, uint32_t n)
{
	return (uint32_t)((uint64_t)dice32(d) * n >> 32);
}

#endif
