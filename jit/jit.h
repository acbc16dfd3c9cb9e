/* Compiles a kernel to an image for a target and template values, and caches images. Used by
 * the runtime and the tools. */
#ifndef QD_JIT_H
#define QD_JIT_H

#include <stddef.h>

#include "launch_layout.h"
#include "isa.h"

/* A target, interned per context: equal targets have the same address. The context owns it. */
struct jit_target {
	struct target t;
	struct answers answers;
	uint64_t hash; /* of its name without launch facts */
	struct jit_target *other; /* the same target with launch facts, or without; NULL: none */
	struct jit_target *next; /* target.c's */
};

/* Returns the entry of an interned target. */
static inline const struct jit_target *
jit_target_of(const struct target *t)
{
	return (const struct jit_target *)(const void *)((const char *)t - offsetof(struct jit_target, t));
}

/* Finds or adds a target, and the same target with launch facts or without. */
qd_status jit_target(struct qd_context *ctx, const struct target *t, const struct jit_target **out,
		     struct qd_error *err);
/* Finds or adds the target with this text; parses it only if it is new. */
qd_status jit_target_named(struct qd_context *ctx, const char *text, const struct jit_target **out,
			   struct qd_error *err);

/* Key of an image: kernel, target, template values. Keys are compared as a whole, not only by
 * the hash. */
struct jit_key {
	const struct qd_kernel *k;   /* NULL: the key is an image from a file, */
	const struct qd_image *image; /* namely this one */
	const struct target *target; /* interned */
	const struct target *same; /* images of this target match too if facts make no difference, or NULL */
	const struct answers *answers; /* of the target */
	uint64_t hash;		     /* of kernel, target without facts, values and optimization level */
	int32_t tmpl[MAX_TMPL];	     /* the first n_tmpls of the kernel are set */
	const char *device;	     /* not compared: device in messages, or NULL */
	struct buf *marks;	     /* not compared: receives marks (isa.h), or NULL */
};

/* Code for one target, in one block of memory. Reference counted: the user, the cache and
 * loaded functions own references. */
struct qd_image {
	struct qd_context *ctx;
	_Atomic uint32_t refs;
	/* A reference: part of the key, and read by targets that run IR. NULL: the image is from
	 * a file and has no template values. */
	struct qd_kernel *kernel;
	/* Interned. With launch facts only if the code relies on them. */
	const struct target *target;
	const int32_t *tmpl;	     /* n_tmpls template values */
	uint64_t hash;		     /* of the key */
	struct qd_image *next;	     /* the cache's hash chain */
	struct qd_image *newer, *older; /* the cache's LRU list */
	uint64_t used;		     /* the cache's clock at the last use */
	struct qd_image *general; /* from a file, relies on launch facts: a reference to the image that does not; or NULL */
	_Atomic uint32_t n_held;     /* number of holders, see image_hold */
	enum code_kind kind;
	struct isa_meta meta;
	const struct launch_layout *layout; /* read by launches */
	const uint8_t *code;
	size_t code_size;
	struct ir ir; /* specialized IR if target->isa->runs_ir, else empty */
};

/* Resolves the template values of a call and computes the hash. */
qd_status jit_key_init(struct jit_key *key, const struct qd_kernel *k, const struct jit_target *t,
		       const struct qd_tmpl *tmpl, uint32_t n_tmpl, struct qd_error *err);
/* Initializes a key for the target of this text, at a subgroup size that the kernel accepts. */
qd_status jit_key_named(struct jit_key *key, struct qd_context *ctx, const struct qd_kernel *k,
			const char *target, const struct qd_tmpl *tmpl, uint32_t n_tmpl,
			struct qd_error *err);
/* Initializes a key for a lookup of the same image. */
void jit_key_of(struct jit_key *key, const struct qd_image *img);
/* Returns whether two kernels compile to the same image. If the image contains source locations
 * (`places`), they must be equal too. */
bool jit_same_kernel(const struct qd_kernel *a, const struct qd_kernel *b, bool places);
/* Returns whether the image contains source locations. */
static inline bool
jit_names_places(const struct qd_image *img)
{
	return img->target->isa->runs_ir || layout_report_at(img->layout);
}
/* Returns whether launches must satisfy the launch facts. */
static inline bool
jit_relies(const struct qd_image *img)
{
	return img->target->m.facts;
}
/* Returns whether two images from files have equal code and equal data for launches. */
bool jit_same_file(const struct qd_image *a, const struct qd_image *b);
/* Returns whether the image matches the key. */
static inline bool
jit_key_is_image(const struct jit_key *key, const struct qd_image *img)
{
	const struct qd_kernel *k = key->k;

	if (key->hash != img->hash ||
	    (key->target != img->target &&
	     (key->same != img->target || img->meta.flags & ISA_FACTS_DIFFER)))
		return false;
	if (!k || !img->kernel)
		return !k && !img->kernel && jit_same_file(key->image, img);
	return (k == img->kernel || jit_same_kernel(k, img->kernel, jit_names_places(img))) &&
	       (k->n_tmpls == 0 ||
		memcmp(key->tmpl, img->tmpl, k->n_tmpls * sizeof key->tmpl[0]) == 0);
}

/* -- extent.c --------------------------------------------------------------------------- */

/* Returns the mask of buffer parameters to which every iteration of the grid loop stores at its own
 * index. If such a buffer has fewer elements than the loop's count, some stores are dropped. Returns
 * 0 if no such buffer is known, as for every image from a file. */
uint64_t jit_extent(const struct qd_image *img);
/* Writes the source location of that store, as jit_place does. */
size_t jit_extent_place(const struct qd_image *img, uint32_t param, struct qd_error *out);

/* Compiles without the cache. The target must already have the subgroup size of
 * jit_pick_size. */
qd_status jit_compile(struct qd_context *ctx, const struct qd_kernel *k, const struct target *t,
		      const struct qd_tmpl *tmpl, uint32_t n_tmpl, struct qd_image **out,
		      struct qd_error *err);
/* Returns a new reference to the cached image, compiling it if necessary. */
qd_status jit_get(struct qd_context *ctx, const struct qd_kernel *k, const struct target *t,
		  const struct qd_tmpl *tmpl, uint32_t n_tmpl, struct qd_image **out,
		  struct qd_error *err);
qd_status jit_get_key(struct qd_context *ctx, const struct jit_key *key, struct qd_image **out,
		      struct qd_error *err);
/* Returns the image of the same kernel and template values for another target. */
qd_status jit_get_like(const struct qd_image *img, const struct target *t, struct qd_image **out,
		       struct qd_error *err);
/* Returns whether an image that relies on launch facts has a general variant. */
static inline bool
jit_has_general(const struct qd_image *img)
{
	return img->kernel || img->general;
}
/* Returns a new reference to that variant. */
qd_status jit_general(const struct qd_image *img, struct qd_image **out, struct qd_error *err);
/* Returns the offsets in the image's code where source locations of the kernel begin (struct
 * isa_mark). Compiles the kernel again. */
qd_status jit_marks(const struct qd_image *img, struct buf *marks, struct qd_error *err);
/* Writes the source location of position pos of the image's kernel to out->text, as
 * "FILE:LINE:COL: " or a similar text. Also sets line and column. If text is true, pos is a
 * position in the source text, else the number of a builder call. Returns the length of
 * out->text. */
size_t jit_place(const struct qd_image *img, uint32_t pos, bool text, struct qd_error *out);
/* Same for the position of a record whose first word is `first` (report.h). The position is unknown
 * if only the kernel maps it to a line, and the image has none. */
size_t jit_reported_place(const struct qd_image *img, uint32_t first, uint32_t pos, struct qd_error *out);
/* Parts of an image from a file, without a kernel. jit_image_of_parts validates them. */
struct image_parts {
	const char *target;
	enum code_kind kind; /* the kind of the target, or one compiled from it */
	const struct isa_meta *meta;
	const void *layout;
	size_t layout_size;
	const void *code;
	size_t code_size;
};
qd_status jit_image_of_parts(struct qd_context *ctx, const struct image_parts *p,
			     struct qd_image **out, struct qd_error *err);
struct qd_image *image_ref(struct qd_image *img);
/* Add and remove a holder, which is the cache or a loaded function and owns a reference too.
 * qd_cache_stats counts the images that have holders. */
void image_hold(struct qd_image *img);
void image_let_go(struct qd_image *img);

/* Statistics of a device's table of functions, which is searched before the cache; part of
 * qd_cache_stats. The table's lock guards updates. */
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

/* Selects the subgroup size to compile for: the target's, unless the kernel demands other sizes.
 * The order of preference among these is: the first size that the hardware has, the first that
 * consists of several hardware subgroups, the first that is a part of one. sizes: bitwise OR
 * of the hardware's sizes. */
qd_status jit_pick_size(const struct qd_kernel *k, const struct target *t, uint32_t sizes,
			const char *device, uint32_t *out, struct qd_error *err);
/* Returns the target with another subgroup size, and with the matching name. */
qd_status jit_sized_target(const struct target *t, uint32_t size, uint32_t sizes,
			   struct target *out, struct qd_error *err);

#endif
