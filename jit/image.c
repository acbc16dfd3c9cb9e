/* Images: reference counting, queries, and the public calls that compile for a target given as
 * text. */
#include "key.h"

struct qd_image *
image_ref(struct qd_image *img)
{
	atomic_fetch_add_explicit(&img->refs, 1, memory_order_relaxed);
	return img;
}

void
qd_image_free(struct qd_image *img)
{
	while (img && !forked_since(img->ctx->forks) &&
	       atomic_fetch_sub_explicit(&img->refs, 1, memory_order_acq_rel) == 1) {
		struct qd_context *ctx = img->ctx;
		struct qd_image *general = img->general;
		qd_kernel_free(img->kernel);
		pool_delete(&ctx->pool, img);
		ctx_gone(ctx, LIVE_IMAGE);
		img = general;
	}
}

/* Hashes all parts that affect the behavior of a function of the image. */
static uint64_t
parts_hash(const struct image_parts *p, const struct jit_target *t)
{
	uint64_t h = hash_bytes(p->code, p->code_size).lo ^ t->hash;
	h ^= hash_bytes(p->meta, sizeof *p->meta).hi;
	h ^= (uint64_t)p->kind << 56;
	return h ^ hash_bytes(p->layout, p->layout_size).lo * UINT64_C(0x9e3779b97f4a7c15);
}

qd_status
jit_image_of_parts(struct qd_context *ctx, const struct image_parts *p, struct qd_image **out,
		   struct qd_error *err)
{
	const struct jit_target *t;
	QD_TRY(isa_meta_check(p->meta, err));
	QD_TRY(layout_check(p->layout, p->layout_size, err));
	QD_TRY(jit_target_named(ctx, p->target, &t, err));
	const struct launch_layout *d = p->layout;
	bool made = p->kind == CODE_CUBIN && t->t.isa->code == CODE_PTX;
	if (p->kind != t->t.isa->code && !made)
		return qd_fail(err, QD_E_INVALID,
			       "kernel '%s': the kind of code does not match target %s",
			       layout_name(d), t->t.m.name);
	if (layout_by_slots(d) && p->kind != CODE_AMD && p->kind != CODE_PTX)
		return qd_fail(err, QD_E_INVALID,
			       "kernel '%s': its arguments are laid out by slots, which %s does "
			       "not support",
			       layout_name(d), t->t.m.name);
	if (t->t.isa->runs_ir)
		return qd_fail(err, QD_E_INVALID,
			       "kernel '%s': target %s executes IR and has no code", layout_name(d),
			       t->t.m.name);
	if (d->subgroup_size != t->t.m.subgroup_size || p->meta->wave_size != t->t.m.lanes)
		return qd_fail(err, QD_E_INVALID,
			       "kernel '%s': its launch has subgroups of %u lanes composed of "
			       "subgroups of %u; those of target %s differ",
			       layout_name(d), d->subgroup_size, p->meta->wave_size, t->t.m.name);
	size_t head = (sizeof(struct qd_image) + 7) & ~(size_t)7;
	size_t about = (p->layout_size + LAYOUT_ALIGN - 1) & ~(size_t)(LAYOUT_ALIGN - 1);
	struct pool_block *block = pool_get(&ctx->pool, head + about + p->code_size);
	if (!block)
		return qd_fail(err, QD_E_NOMEM, "kernel '%s': out of memory", layout_name(d));
	struct qd_image *img = pool_data(block);
	char *at = (char *)img + head;
	*img = (struct qd_image){
		.ctx = ctx,
		.target = &t->t,
		.kind = p->kind,
		.hash = parts_hash(p, t),
		.meta = *p->meta,
		.layout = memcpy(at, p->layout, p->layout_size),
		.code = memcpy(at + about, p->code, p->code_size),
		.code_size = p->code_size,
	};
	atomic_init(&img->refs, 1);
	ctx_born(ctx, LIVE_IMAGE);
	*out = img;
	return QD_OK;
}

const void *
qd_image_data(const struct qd_image *img, size_t *size)
{
	if (size)
		*size = img ? img->code_size : 0;
	return img && img->code_size ? img->code : NULL;
}

const char *
qd_image_target(const struct qd_image *img)
{
	return img ? img->target->m.name : "";
}

uint32_t
qd_image_subgroup_size(const struct qd_image *img)
{
	return img ? img->target->m.subgroup_size : 0;
}

/* Returns whether the target's text contains a subgroup size. */
static bool
names_size(const char *target)
{
	for (const char *p = strchr(target, ':'); p; p = strchr(p + 1, ':')) {
		if (p[1] == 'w' && p[2] >= '0' && p[2] <= '9')
			return true;
	}
	return false;
}

/* Returns the sum of all subgroup sizes that the back end supports for this target. */
static uint32_t
sizes_of(const struct target *t)
{
	uint32_t sizes = 0;
	struct target sized;
	for (uint32_t i = 2; i <= MAX_LOG2; i++) {
		if (jit_sized_target(t, 1u << i, 1u << i, &sized, NULL) == QD_OK)
			sizes |= 1u << i;
	}
	return sizes;
}

qd_status
jit_key_named(struct jit_key *key, struct qd_context *ctx, const struct qd_kernel *kernel,
	      const char *target, const struct qd_tmpl *tmpl, uint32_t n_tmpl,
	      struct qd_error *err)
{
	const struct jit_target *t;
	QD_TRY(jit_target_named(ctx, target, &t, err));
	if (kernel->n_sizes) {
		uint32_t size;
		uint32_t sizes = names_size(target) ? t->t.m.lanes : sizes_of(&t->t);
		QD_TRY(jit_pick_size(kernel, &t->t, sizes, t->t.m.name, &size, err));
		struct target sized;
		QD_TRY(jit_sized_target(&t->t, size, sizes, &sized, err));
		QD_TRY(jit_target(ctx, &sized, &t, err));
	}
	return jit_key_init(key, kernel, t, tmpl, n_tmpl, err);
}

qd_status
qd_compile(struct qd_context *ctx, const struct qd_kernel *kernel, const char *target,
	   const struct qd_tmpl *tmpl, uint32_t n_tmpl, struct qd_image **out,
	   struct qd_error *err)
{
	QD_CHECK_ARG(ctx, err, "the context is NULL");
	QD_CHECK_ARG(kernel, err, "the kernel is NULL");
	QD_CHECK_ARG(kernel->ctx == ctx, err, "the kernel belongs to another context");
	QD_CHECK_ARG(target, err, "the target is NULL");
	QD_CHECK_ARG(tmpl || n_tmpl == 0, err, "the template values are NULL");
	QD_CHECK_ARG(out, err, "the result pointer is NULL");
	*out = NULL;
	QD_CHECK_CTX(ctx, err);
	struct jit_key key;
	QD_TRY(jit_key_named(&key, ctx, kernel, target, tmpl, n_tmpl, err));
	return jit_compile_key(ctx, &key, out, err);
}
