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
	const char *target; /* its text, which goes with it; NULL: it is not told */
};

/* All of them into one object, in this order, behind what out has; no two may have
 * one name.  Where it fails, out is as long as it was.  QD_E_UNAVAILABLE: qd was built
 * without libelf. */
qd_status hsa_write(struct buf *out, const struct isa_object *target,
		    const struct hsa_kernel *kernels, uint32_t n, struct qd_error *err);

/* hsa_check.c: an image that a code object may be made of, which is the same in all that
 * stands twice. */
qd_status hsa_check(const struct hsa_kernel *k, struct qd_error *err);
/* A 32-bit word of the image's descriptor. */
static inline uint32_t
hsa_word(const struct hsa_kernel *k, unsigned byte)
{
	uint32_t v;

	memcpy(&v, (const char *)k->code + byte, sizeof v);
	return v;
}

/* A note of qd's own in the object, which other loaders pass over: two words, HSA_NOTE_VERSION
 * and how many records follow.  A record has the target's text, with its NUL, and the
 * description behind it, each with zeros up to a multiple of 4 bytes. */
#define HSA_OWNER "qd"
enum { HSA_NOTE_OWN = 1, HSA_NOTE_VERSION = 1 };
struct hsa_record {
	uint32_t size; /* of all of it */
	uint32_t target_size, description_size, zero;
	struct isa_meta meta;
};
_Static_assert(sizeof(struct hsa_record) == 16 + sizeof(struct isa_meta), "no padding");

/* -- hsa_note.c -------------------------------------------------------------------- */

/* The notes that say what the kernels need, as their section has them. */
void hsa_note(struct buf *out, const struct isa_object *target, const struct hsa_kernel *kernels,
	      uint32_t n);
/* Objects for generic processors need version 6; others are version 5, which more
 * loaders know. */
static inline unsigned
hsa_version(const struct isa_object *target)
{
	return target->flags >> 24 ? 6 : 5;
}

#endif
