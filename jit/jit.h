/* Compile and keep: kernel + target + template values to an image.  What the
 * runtime and the tools call. */
#ifndef QD_JIT_H
#define QD_JIT_H

#include "describe.h"
#include "isa.h"

/* A target as a context keeps it, once: equal ones have one address.  It goes
 * with the context. */
struct jit_target {
	struct target t;
	struct answers answers;
	uint64_t hash;
	struct jit_target *next; /* target.c's */
};

/* Finds or adds it. */
qd_status jit_target(struct qd_context *ctx, const struct target *t, const struct jit_target **out,
		     struct qd_error *err);
/* The one of this text, which is parsed when it is new. */
qd_status jit_target_named(struct qd_context *ctx, const char *text, const struct jit_target **out,
			   struct qd_error *err);

/* What decides an image: kernel, target, template values.  Compared whole; the
 * hash only finds the place. */
struct jit_key {
	const struct qd_kernel *k;   /* NULL: of an image that came from a file, */
	const struct qd_image *image; /* which is this one, and is its own key */
	const struct target *target; /* a kept one */
	const struct answers *answers; /* its machine's */
	uint64_t hash;		     /* the kernel's and the target's, mixed with the values */
	int32_t tmpl[MAX_TMPL];	     /* the kernel's n_tmpls are filled */
	const char *device;	     /* for messages, no part of it; NULL: none asks */
	struct buf *marks;	     /* where lines begin (isa.h), no part of it; NULL: none asks */
};

/* Bytes for one target, in one block with its code.  Reference counted: the user,
 * the cache and loaded functions own it together. */
struct qd_image {
	struct qd_context *ctx;
	_Atomic uint32_t refs;
	/* A reference, for its key; and what runs IR reads it.  NULL: it came from a file, with
	 * no template values. */
	struct qd_kernel *kernel;
	const struct target *target; /* a kept one */
	const int32_t *tmpl;	     /* values, the kernel's n_tmpls */
	uint64_t hash;		     /* its key's */
	struct qd_image *next;	     /* the memory cache's chain, */
	struct qd_image *newer, *older; /* its list by last use, */
	uint64_t used;		     /* and when that was */
	_Atomic uint32_t n_held;     /* by the cache and by functions */
	enum code_kind kind;
	struct isa_meta meta;
	const struct description *description; /* all that a launch reads */
	const uint8_t *code;
	size_t code_size;
	struct ir ir; /* specialized IR, where target->isa->runs_ir; else empty */
};

/* Resolves the template values of a call, and mixes the hash. */
qd_status jit_key_init(struct jit_key *key, const struct qd_kernel *k, const struct jit_target *t,
		       const struct qd_tmpl *tmpl, uint32_t n_tmpl, struct qd_error *err);
/* For the target of this text, at a subgroup size that the kernel accepts. */
qd_status jit_key_named(struct jit_key *key, struct qd_context *ctx, const struct qd_kernel *k,
			const char *target, const struct qd_tmpl *tmpl, uint32_t n_tmpl,
			struct qd_error *err);
/* The key that an image was made by, for a look-up. */
void jit_key_of(struct jit_key *key, const struct qd_image *img);
/* Is one kernel as good as the other, for an image that names places in it or not? */
bool jit_same_kernel(const struct qd_kernel *a, const struct qd_kernel *b, bool places);
/* Does an image name places? */
static inline bool
jit_names_places(const struct qd_image *img)
{
	return img->target->isa->runs_ir || describe_report_at(img->description);
}
/* The same of images from files: the code and all that a launch reads. */
bool jit_same_file(const struct qd_image *a, const struct qd_image *b);
/* Is the image what the key asks for? */
static inline bool
jit_key_is_image(const struct jit_key *key, const struct qd_image *img)
{
	const struct qd_kernel *k = key->k;

	if (key->hash != img->hash || key->target != img->target)
		return false;
	if (!k || !img->kernel)
		return !k && !img->kernel && jit_same_file(key->image, img);
	return (k == img->kernel || jit_same_kernel(k, img->kernel, jit_names_places(img))) &&
	       (k->n_tmpls == 0 ||
		memcmp(key->tmpl, img->tmpl, k->n_tmpls * sizeof key->tmpl[0]) == 0);
}

/* -- extent.c --------------------------------------------------------------------------- */

/* The buffer parameters, as bits, that the grid loop writes at its own index in every round: elements
 * from their end to its count are not written.  0: none is known, as of an image from a file. */
uint64_t jit_extent(const struct qd_image *img);
/* The place of that store, as jit_place writes it. */
size_t jit_extent_place(const struct qd_image *img, uint32_t param, struct qd_error *out);

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
qd_status jit_get_key(struct qd_context *ctx, const struct jit_key *key, struct qd_image **out,
		      struct qd_error *err);
/* The image of the same kernel and values for another target. */
qd_status jit_get_like(const struct qd_image *img, const struct target *t, struct qd_image **out,
		       struct qd_error *err);
/* Where places of the kernel begin in the image's code (struct isa_mark): it is compiled
 * once more. */
qd_status jit_marks(const struct qd_image *img, struct buf *marks, struct qd_error *err);
/* "FILE:LINE:COL: ", or what else names position pos of the image's kernel, in out->text, with
 * line and column; returns its length.  text: the position is one in a text, not the number of
 * a call. */
size_t jit_place(const struct qd_image *img, uint32_t pos, bool text, struct qd_error *out);
/* An image without a kernel, of what a file has: code for the target of this text, and what
 * stands beside it, which is checked. */
struct image_parts {
	const char *target;
	enum code_kind kind; /* the target's, or what is made of that */
	const struct isa_meta *meta;
	const void *description;
	size_t description_size;
	const void *code;
	size_t code_size;
};
qd_status jit_image_of_parts(struct qd_context *ctx, const struct image_parts *p,
			     struct qd_image **out, struct qd_error *err);
struct qd_image *image_ref(struct qd_image *img);
/* The cache or a loaded function holds the image, beside having a reference, and
 * lets it go: qd_cache_stats counts it meanwhile. */
void image_hold(struct qd_image *img);
void image_let_go(struct qd_image *img);

/* Hits of a device's table, which precedes the cache; a part of qd_cache_stats.  The table's lock
 * guards them. */
struct jit_hits {
	struct jit_hits *next, **link;
	_Atomic uint64_t n;
	_Atomic uint32_t n_functions, n_unused;
};
qd_status jit_hits_open(struct qd_context *ctx, struct jit_hits *h, struct qd_error *err);
void jit_hits_close(struct qd_context *ctx, struct jit_hits *h);
static inline void
jit_hits_add(struct jit_hits *h)
{
	atomic_store_explicit(&h->n, atomic_load_explicit(&h->n, memory_order_relaxed) + 1,
			      memory_order_relaxed);
}

/* The subgroup size to compile for: the target's own unless the kernel demands others.  Of
 * those the first that the hardware has, else the first that can be made of several of its
 * own, else the first that is a part of one.  sizes: that the hardware has, each its own
 * bit. */
qd_status jit_pick_size(const struct qd_kernel *k, const struct target *t, uint32_t sizes,
			const char *device, uint32_t *out, struct qd_error *err);
/* The same target at another subgroup size, renamed; everything else is kept. */
qd_status jit_sized_target(const struct target *t, uint32_t size, uint32_t sizes,
			   struct target *out, struct qd_error *err);

#endif
