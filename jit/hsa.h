/* HSA code objects, written: an ELF file with a descriptor, code and metadata for
 * each kernel, as the loaders of ROCm and HIP take it and as codeobject.h reads it.
 * The same kernels give the same bytes, everywhere. */
#ifndef JIT_HSA_H
#define JIT_HSA_H

#include "describe.h"
#include "isa.h"

/* Of an image: 64 bytes of kernel descriptor, zeros, and from HSA_ENTRY on code. */
enum { HSA_DESCRIPTOR = 64, HSA_ENTRY = 256 };
#define HSA_EXTENSION "hsaco" /* of files */

/* A kernel's image, with what stands beside its code. */
struct hsa_kernel {
	const void *code;
	size_t size;
	const struct isa_meta *meta;
	const struct description *description;
};

/* All of them into one object, in this order, behind what out has; no two may have
 * one name.  Where it fails, out is as long as it was.  QD_E_UNAVAILABLE: qd was built
 * without libelf or msgpack-c. */
qd_status hsa_write(struct buf *out, const struct isa_object *target,
		    const struct hsa_kernel *kernels, uint32_t n, struct qd_error *err);

/* -- hsa_note.c -------------------------------------------------------------------- */

/* The note that says what the kernels need, as its section has it. */
void hsa_note(struct buf *out, const struct isa_object *target, const struct hsa_kernel *kernels,
	      uint32_t n);
/* A 32-bit word of the image's descriptor. */
uint32_t hsa_word(const struct hsa_kernel *k, unsigned byte);
/* Objects for generic processors need version 6; others are version 5, which more
 * loaders know. */
static inline unsigned
hsa_version(const struct isa_object *target)
{
	return target->flags >> 24 ? 6 : 5;
}

#endif
