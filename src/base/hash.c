/* XXH3-128.  A hash only finds; what it finds is compared whole. */
#include "base.h"

#include <xxhash.h>

struct hash128
hash_bytes(const void *p, size_t size)
{
	XXH128_hash_t h = XXH3_128bits(p, size);

	return (struct hash128){ h.low64, h.high64 };
}
