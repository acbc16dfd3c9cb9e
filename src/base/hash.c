/* XXH3-128. A hash only locates an entry; the caller then compares the whole key. */
#include "base.h"

#include <sys/random.h>
#include <xxhash.h>

struct hash128
hash_bytes(const void *p, size_t size)
{
	XXH128_hash_t h = XXH3_128bits(p, size);

	return (struct hash128){ h.low64, h.high64 };
}

void
hash_seed(uint64_t seed[2])
{
	/* Early after boot there may be no random bytes; use the time then. */
	if (getrandom(seed, 2 * sizeof *seed, GRND_NONBLOCK) != 2 * sizeof *seed) {
		seed[0] = clock_ns();
		seed[1] = (uintptr_t)seed ^ seed[0] << 32;
	}
	seed[0] |= 1;
	seed[1] |= 1;
}
