/* Damage to files of any kind: bits, bytes, and numbers at which sizes and offsets overflow. */
#include <string.h>

#include "fuzz.h"

static const uint64_t edges[] = { 0,
				  1,
				  2,
				  7,
				  8,
				  0x7f,
				  0x80,
				  0xff,
				  0x100,
				  0xfff,
				  0xffff,
				  0x10000,
				  0x7fffffff,
				  0x80000000,
				  0xffffffff,
				  0x100000000,
				  0x7fffffffffffffff,
				  0x8000000000000000,
				  0xffffffffffffffff };

size_t
fuzz_damage(uint8_t *p, size_t size, size_t cap, struct fuzz_dice *d)
{
	uint64_t n = 1 + fuzz_random(d, 6);

	(void)cap;
	while (n-- && size) {
		size_t at = (size_t)fuzz_random(d, size), left = size - at;
		uint64_t edge = edges[fuzz_random(d, sizeof edges / sizeof *edges)];
		size_t width = (size_t)1 << fuzz_random(d, 4);
		switch (fuzz_random(d, 6)) {
		case 0: p[at] ^= (uint8_t)(1u << fuzz_random(d, 8)); break;
		case 1: p[at] = (uint8_t)fuzz_random(d, 256); break;
		case 2: /* little-endian, as in all these formats but MessagePack */
			memcpy(p + at, &edge, left < width ? left : width);
			break;
		case 3: p[at] = (uint8_t)(p[at] + 1 - fuzz_random(d, 3)); break;
		case 4: {
			size_t from = (size_t)fuzz_random(d, size),
			       len = (size_t)fuzz_random(d, 64);
			len = len < left ? len : left;
			len = len < size - from ? len : size - from;
			memmove(p + at, p + from, len);
			break;
		}
		default:
			if (!fuzz_random(d, 8))
				size = at;
			break;
		}
	}
	return size;
}
