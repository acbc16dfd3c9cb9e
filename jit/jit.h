/* Compile and keep: kernel + target + template values to an image.  What the
 * runtime and the tools call. */
#ifndef QD_JIT_H
#define QD_JIT_H

#include "isa.h"

/* Bytes for one target.  Reference counted: the user, the cache and loaded
 * functions own it together. */
struct qd_image {
	struct qd_context *ctx;
	_Atomic uint32_t refs;
	struct qd_kernel *kernel; /* a reference: parameters, argument layout, grid count */
	struct target target;
	int32_t tmpl[MAX_TMPL];
	struct isa_meta meta;
	const uint8_t *code;
	size_t code_size;
	struct arena mem;  /* of code, and of ir */
	struct ir ir;	   /* specialised IR, where target.isa->runs_ir; else empty */
	struct qd_image *cache_next; /* the memory cache's chain and hash; its own */
	struct hash128 cache_hash;
};

/* One compile, nothing kept.  For m.subgroup_size the target must have been
 * chosen already (jit_pick_size). */
qd_status jit_compile(struct qd_context *ctx, const struct qd_kernel *k, const struct target *t,
		      const struct qd_tmpl *tmpl, uint32_t n_tmpl, struct qd_image **out,
		      struct qd_error *err);
/* The same through the memory cache: 16 shards, single flight per key.  The
 * image is a new reference. */
qd_status jit_get(struct qd_context *ctx, const struct qd_kernel *k, const struct target *t,
		  const struct qd_tmpl *tmpl, uint32_t n_tmpl, struct qd_image **out,
		  struct qd_error *err);
struct qd_image *image_ref(struct qd_image *img);

/* The subgroup size to compile for: what the kernel demands if the device has
 * it, else `have`.  sizes: bit log2 of each size the device can run. */
qd_status jit_pick_size(const struct qd_kernel *k, uint32_t have, uint32_t sizes,
			const char *device, uint32_t *out, struct qd_error *err);
/* The same target at another subgroup size, renamed; everything else is kept. */
qd_status jit_sized_target(const struct target *t, uint32_t size, struct target *out,
			   struct qd_error *err);

#endif
