/* Images of kernels that stand in code objects: of other compilers, whose arguments become
 * the slots of a description, and of qd itself, which come back as they were.  object.c has
 * the public call; the parts are inside this room alone. */
#ifndef JIT_OBJECT_H
#define JIT_OBJECT_H

#include "codeobject.h"
#include "jit.h"

/* A kernel of an object that was read, on its way to an image. */
struct object_kernel {
	const struct code_object *o;
	const struct code_kernel *k;
	const struct qd_object_options *options;
	const struct target *target;
	uint32_t wave;
	uint32_t block[3];
	uint32_t kernarg_size;
	uint32_t lds_size; /* the kernel's own, and what the options add */
	struct arena *mem;
};

/* A word of the descriptor at this byte. */
static inline uint32_t
object_word(const struct code_kernel *k, unsigned byte)
{
	uint32_t v;

	memcpy(&v, k->descriptor + byte, sizeof v);
	return v;
}
/* "offset 0x40: kernel 'k': text", of a place in the metadata. */
QD_COLD qd_status object_fail_at(const struct object_kernel *k, size_t meta_at,
				 struct qd_error *err, const char *fmt, ...) QD_PRINTF(4, 5);

/* object_args.c: the description that its arguments make; sets lds_size. */
qd_status object_describe(struct object_kernel *k, struct description **out, struct qd_error *err);
/* The same without an image, of kernels that are refused too: what a launch would be given, and
 * which options they want.  Arguments that no launch has are left out where they are hidden. */
struct object_listing {
	const struct qd_param_info *params; /* in mem */
	uint32_t n_params, n_shared;
	bool wants_block;
};
qd_status object_list(const struct code_object *o, const struct code_kernel *kernel, struct arena *mem,
		      struct object_listing *out, struct qd_error *err);
/* object_memory.c: descriptor, constants, code, variables, as an image has them. */
struct object_memory {
	uint8_t *bytes;
	size_t size;
	uint32_t text_at, text_size;
	uint32_t variables_at; /* of the record (variables.h); 0: there is none */
};
qd_status object_load(const struct object_kernel *k, struct object_memory *out,
		      struct qd_error *err);
/* object_relocate.c: words that hold addresses.  from, to: the addresses that the image has, of
 * which the first is byte `base` of it; taken: by section, whether the image has it. */
struct object_addresses {
	uint64_t from, to, base;
	const bool *taken;
	uint32_t *places; /* bytes of the image */
	uint64_t *values; /* distances from its first byte */
	uint32_t n;
};
qd_status object_relocate(const struct object_kernel *k, struct object_addresses *a,
			  struct qd_error *err);
/* object_own.c: what qd noted beside its own kernels; *found false: nothing of this one. */
qd_status object_own(const struct code_object *o, const struct code_kernel *k, struct arena *mem,
		     struct image_parts *out, bool *found, struct qd_error *err);

#endif
