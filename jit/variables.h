/* Variables of an image: memory that launches write, and words with addresses that are unknown
 * until the image is loaded. They come from a code object (object_memory.c). All drivers for AMD
 * code load them with these functions.
 *
 * A record at the image's end, at byte own[ISA_AMD_VARIABLES_AT], describes them, little-endian:
 * words `size`, `from`, `n_written`, `n_addresses`, then the offset of each address. The bytes
 * before the record are the first bytes of the memory; zeros follow up to `size`. An address
 * occupies 8 bytes, which contain its distance from the first byte of the memory. */
#ifndef JIT_VARIABLES_H
#define JIT_VARIABLES_H

#include "jit.h"

enum { VARIABLES_HEAD = 16, VARIABLES_MAX = 1 << 28 /* bytes of an image's memory */ };

struct variables {
	uint32_t size;		  /* bytes of memory for the image */
	uint32_t n_bytes;	  /* number of first bytes that the image contains */
	uint32_t from, n_written; /* range that launches may write */
	uint32_t n_addresses;
	const uint8_t *addresses; /* their offsets, 4 bytes each */
};

/* Returns whether functions of the image have state that persists between launches. */
static inline bool
image_has_variables(const struct qd_image *image)
{
	return image->kind == CODE_AMD && image->meta.own[ISA_AMD_VARIABLES_AT];
}

/* Reads the record of an image for an AMD target; without a record the memory is the image's
 * bytes. Returns QD_E_INVALID for a record that object_memory.c cannot have written. */
qd_status variables_read(const struct qd_image *image, struct variables *out, struct qd_error *err);
/* Writes the v->size bytes for device address addr to `to`. */
void variables_load(const struct qd_image *image, const struct variables *v, uint64_t addr, void *to);

#endif
