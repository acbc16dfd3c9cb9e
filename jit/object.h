/* Images of kernels in code objects. Arguments of another compiler's kernel become the slots of
 * a description; a kernel of qd is restored unchanged. object.c has the public call; this header
 * is internal to jit/. */
#ifndef JIT_OBJECT_H
#define JIT_OBJECT_H

#include "codeobject.h"
#include "jit.h"

/* State of converting a kernel of a code object to an image. */
struct object_kernel {
	const struct code_object *o;
	const struct code_kernel *k;
	const struct qd_object_options *options;
	const struct target *target;
	uint32_t wave;
	uint32_t block[3];
	uint32_t kernarg_size;
	uint32_t lds_size; /* of the kernel and of the options together */
	struct arena *mem;
};

/* Reports an error at a place in the metadata: "offset 0x40: kernel 'k': text". */
QD_COLD qd_status object_fail_at(const struct object_kernel *k, size_t meta_at,
				 struct qd_error *err, const char *fmt, ...) QD_PRINTF(4, 5);

/* object_args.c: creates the description from the kernel's arguments; sets lds_size. */
qd_status object_describe(struct object_kernel *k, struct launch_layout **out,
			  struct qd_error *err);
/* Lists the parameters of a launch and the required options, without creating an image. Also
 * works for kernels that object_describe rejects; omits unsupported hidden arguments. */
struct object_listing {
	const struct qd_param_info *params; /* in mem */
	uint32_t n_params, n_shared;
	bool wants_block;
};
qd_status object_list(const struct code_object *o, const struct code_kernel *kernel, struct arena *mem,
		      struct object_listing *out, struct qd_error *err);
/* object_memory.c: the bytes of an image: descriptor, constants, code, variables. */
struct object_memory {
	uint8_t *bytes;
	size_t size;
	uint32_t text_at, text_size;
	uint32_t variables_at; /* offset of the record (variables.h); 0: none */
};
qd_status object_load(const struct object_kernel *k, struct object_memory *out,
		      struct qd_error *err);
/* object_relocate.c: words that contain addresses. The addresses from `from` to `to` are in the
 * image, beginning at byte `base` of it. */
struct object_addresses {
	uint64_t from, to, base;
	const bool *taken; /* by section: whether the image contains it */
	uint32_t *places; /* offsets in the image */
	uint64_t *values; /* distances from the image's first byte */
	uint32_t n;
};
qd_status object_relocate(const struct object_kernel *k, struct object_addresses *a,
			  struct qd_error *err);
/* object_own.c: reads the image of a kernel that qd wrote; *found is false if the object has no
 * note of qd for this kernel. */
qd_status object_own(const struct code_object *o, const struct code_kernel *k, struct arena *mem,
		     struct image_parts *out, bool *found, struct qd_error *err);

#endif
