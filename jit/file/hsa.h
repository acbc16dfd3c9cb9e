/* Writes HSA code objects: ELF files with a descriptor, code and metadata for each kernel, which
 * the loaders of ROCm and HIP and codeobject.h read. The output depends only on the kernels. */
#ifndef JIT_HSA_H
#define JIT_HSA_H

#include "launch_layout.h"
#include "amd_abi.h"
#include "isa.h"

/* An image consists of 64 bytes of kernel descriptor, zeros, and code from HSA_ENTRY on. */
enum { HSA_ENTRY = AMD_CODE_ALIGN };
#define HSA_EXTENSION "hsaco" /* of files */

/* Parts of a kernel's image. */
struct hsa_kernel {
	const void *code;
	size_t size;
	const struct isa_meta *meta;
	const struct launch_layout *layout;
	const char *target; /* text of the target, stored in qd's note; NULL: no record in the note */
};

/* Appends one object with all kernels, in this order; their names must differ. On failure out
 * keeps its length. Returns QD_E_UNAVAILABLE if qd was built without libelf. */
qd_status hsa_write(struct buf *out, const struct isa_object *target,
		    const struct hsa_kernel *kernels, uint32_t n, struct qd_error *err);

/* hsa_check.c: checks that a code object can be created from the image, and that its descriptor
 * agrees with its other parts. */
qd_status hsa_check(const struct hsa_kernel *k, struct qd_error *err);

/* The note of qd in the object, which other loaders ignore: two words, HSA_NOTE_VERSION and the
 * number of records that follow. The target's text, including its NUL, and the description
 * follow each record, both padded with zeros to a multiple of 4 bytes. */
#define HSA_OWNER "qd"
enum { HSA_NOTE_OWN = 1, HSA_NOTE_VERSION = 1 };
struct hsa_record {
	uint32_t size; /* including the parts that follow */
	uint32_t target_size, layout_size, zero;
	struct isa_meta meta;
};
_Static_assert(sizeof(struct hsa_record) == 16 + sizeof(struct isa_meta), "no padding");

/* -- hsa_note.c -------------------------------------------------------------------- */

/* Appends the notes of the kernels' requirements, in the form of their section. */
void hsa_note(struct buf *out, const struct isa_object *target, const struct hsa_kernel *kernels,
	      uint32_t n);
/* Returns the version of the object: 6 for generic processors, which need it, else 5, which more
 * loaders support. */
static inline unsigned
hsa_version(const struct isa_object *target)
{
	return target->flags >> AMD_FLAG_GENERIC_SHIFT ? 6 : 5;
}

#endif
