/* Memory of an image beside its code: variables that launches write, and words that hold
 * addresses, which are known once the image is loaded.  An image has them from a code object
 * (object_memory.c); each driver of AMD's code loads them by this.
 *
 * They stand in a record at the image's end, own[ISA_AMD_VARIABLES_AT], little-endian: words
 * `size`, `from`, `n_written`, `n_addresses`, then the place of each address.  The bytes before the
 * record are the memory's first bytes; zeros follow up to `size`.  An address is 8 bytes, which
 * hold the distance from the memory's first byte. */
#ifndef JIT_VARIABLES_H
#define JIT_VARIABLES_H

#include "jit.h"

enum { VARIABLES_HEAD = 16, VARIABLES_MAX = 1 << 28 /* bytes of an image's memory */ };

struct variables {
	uint32_t size;		  /* bytes of memory that the image takes */
	uint32_t n_bytes;	  /* of these the image has, from its first on */
	uint32_t from, n_written; /* what launches may write; 0 bytes: nothing */
	uint32_t n_addresses;
	const uint8_t *addresses; /* their places, 4 bytes each */
};

/* Whether functions of the image have state of their own, which goes on from launch to launch. */
static inline bool
image_has_variables(const struct qd_image *image)
{
	return image->kind == CODE_AMD && image->meta.own[ISA_AMD_VARIABLES_AT];
}

/* Reads the record of any image for an AMD target; without one the memory is the image's bytes.
 * QD_E_INVALID: the record is none that object_memory.c writes. */
qd_status variables_read(const struct qd_image *image, struct variables *out, struct qd_error *err);
/* Writes the v->size bytes as they are at device address addr. */
void variables_load(const struct qd_image *image, const struct variables *v, uint64_t addr, void *to);

#endif
