/* Compiles a kernel to an image. The arena and the emission buffer come from a free list of the
 * context, so repeated compiles of similar size allocate no scratch memory. */
#include "dump.h"

enum { KEEP_SCRATCH = 1 << 20 }; /* limit in bytes for an arena or a buffer on the free list */

struct scratch {
	struct scratch *next;
	struct arena mem;
	struct buf code;
};

struct scratch_list {
	pthread_mutex_t lock;
	struct scratch *free;
	struct dump dump;
};

static void
scratch_trim(struct qd_context *ctx, void *p)
{
	struct scratch_list *l = p;
	pthread_mutex_lock(&l->lock);
	struct scratch *s = l->free;
	l->free = NULL;
	pthread_mutex_unlock(&l->lock);
	for (struct scratch *next; s; s = next) {
		next = s->next;
		arena_fini(&s->mem);
		buf_fini(&s->code);
		pool_delete(&ctx->pool, s);
	}
}

static void
scratch_fini(struct qd_context *ctx, void *p)
{
	struct scratch_list *l = p;
	scratch_trim(ctx, p);
	pthread_mutex_destroy(&l->lock);
	pool_delete(&ctx->pool, l);
}

static void *
scratch_make(struct qd_context *ctx)
{
	struct scratch_list *l = pool_new(&ctx->pool, sizeof *l);
	if (l) {
		pthread_mutex_init(&l->lock, NULL);
		dump_init(&l->dump);
		ctx_slot_trim(ctx, CTX_SLOT_SCRATCH, scratch_trim);
	}
	return l;
}

static struct scratch *
scratch_get(struct qd_context *ctx, struct scratch_list **list)
{
	struct scratch_list *l = ctx_slot(ctx, CTX_SLOT_SCRATCH, scratch_make, scratch_fini);
	if (!l)
		return NULL;
	*list = l;
	pthread_mutex_lock(&l->lock);
	struct scratch *s = l->free;
	if (s)
		l->free = s->next;
	pthread_mutex_unlock(&l->lock);
	if (s)
		return s;
	s = pool_new(&ctx->pool, sizeof *s);
	if (s) {
		arena_init(&s->mem, &ctx->pool);
		buf_init(&s->code, &ctx->pool);
	}
	return s;
}

static void
scratch_put(struct scratch_list *l, struct scratch *s)
{
	arena_trim(&s->mem, KEEP_SCRATCH);
	if (s->code.block && s->code.block->size > KEEP_SCRATCH)
		buf_fini(&s->code);
	s->code.len = 0;
	s->code.nomem = false;
	pthread_mutex_lock(&l->lock);
	s->next = l->free;
	l->free = s;
	pthread_mutex_unlock(&l->lock);
}

/* Creates the image in one block: header, layout, code or IR, and template values. */
static qd_status
make_image(struct qd_context *ctx, const struct jit_key *key, const struct launch_layout *d,
	   const struct ir *ir, const struct buf *code, const struct isa_meta *meta,
	   struct qd_image **out, struct qd_error *err)
{
	uint32_t n = key->target->isa->runs_ir ? ir->n : 0;
	size_t head = (sizeof(struct qd_image) + 7) & ~(size_t)7;
	size_t ins_size = n * sizeof *ir->ins, pos_size = n * sizeof *ir->pos;
	size_t code_size = (code->len + 3) & ~(size_t)3;
	size_t about = d ? (d->size + LAYOUT_ALIGN - 1) & ~(size_t)(LAYOUT_ALIGN - 1) : 0;
	size_t tmpl_size = key->k->n_tmpls * sizeof *key->tmpl;
	struct qd_image *img = NULL;
	if (!code->nomem && d) {
		size_t size = head + about + code_size + ins_size + pos_size + tmpl_size;
		struct pool_block *block = pool_get(&ctx->pool, size);
		img = block ? pool_data(block) : NULL;
	}
	if (!img)
		return qd_fail(err, QD_E_NOMEM, "kernel '%s': out of memory", key->k->name);
	char *at = (char *)img + head;
	const struct launch_layout *layout = memcpy(at, d, d->size);
	at += about;
	*img = (struct qd_image){ .ctx = ctx,
				  .kernel = kernel_ref(key->k),
				  .target = meta->flags & ISA_FACTS_DIFFER || !key->same ? key->target : key->same,
				  .kind = key->target->isa->code,
				  .hash = key->hash,
				  .meta = *meta,
				  .layout = layout,
				  .code = (const uint8_t *)at,
				  .code_size = code->len };
	atomic_init(&img->refs, 1);
	if (code->len)
		memcpy(at, buf_data(code), code->len);
	at += code_size;
	if (n) {
		img->ir = (struct ir){ .ins = memcpy(at, ir->ins, ins_size),
				       .pos = memcpy(at + ins_size, ir->pos, pos_size),
				       .n = n,
				       .cap = n };
		at += ins_size + pos_size;
	}
	img->tmpl = memcpy(at, key->tmpl, tmpl_size);
	ctx_born(ctx, LIVE_IMAGE);
	*out = img;
	return QD_OK;
}

/* Runs the passes and the back end. unroll: loops may become copies; early: loads may be issued early.
 * An error is not reported if they did. */
static qd_status
emit(const struct jit_key *key, struct scratch *s, bool unroll, bool early, struct body *body,
     struct isa_meta *meta, struct qd_error *err)
{
	const struct target *t = key->target;
	struct pass_ctx p;
	pass_ctx_init(&p, key->k, &t->m, &s->mem, err);
	p.answers = key->answers;
	p.device = key->device;
	p.unroll = unroll ? p.unroll : 0;
	p.load_registers = early ? p.load_registers : 0;
	memcpy(p.tmpl, key->tmpl, key->k->n_tmpls * sizeof p.tmpl[0]);
	*meta = (struct isa_meta){ .version = ISA_META_VERSION,
				   .local_size = key->k->block_dim,
				   .wave_size = t->m.subgroup_size };
	QD_TRY(pass_run(&p, t->isa->runs_ir, body));
	if (t->isa->runs_ir)
		return QD_OK;
	struct isa_in in = { .k = key->k, .body = body, .target = t, .mem = &s->mem,
			     .marks = key->marks };
	return t->isa->emit(&in, &s->code, meta, p.err);
}

/* Copies of loops and early loads may need more registers or shared memory than there are. The loops
 * then remain, and if that is not enough, the loads stay in order. */
static qd_status
emit_any(const struct jit_key *key, struct scratch *s, struct body *body, struct isa_meta *meta,
	 struct qd_error *err)
{
	size_t n_marks = key->marks ? key->marks->len : 0;
	bool unroll = true, early = true;
	qd_status st;

	while (QD_UNLIKELY((st = emit(key, s, unroll, early, body, meta, err)) != QD_OK)) {
		if (body->unrolled)
			unroll = false;
		else if (body->early)
			early = false;
		else
			return st;
		if (key->marks)
			key->marks->len = n_marks;
		s->code.len = 0;
		s->code.nomem = false;
		arena_reset(&s->mem);
	}
	return QD_OK;
}

/* Logs that values of the kernel are in private memory, which is slow. */
static QD_COLD void
log_scratch(const struct qd_image *img)
{
	struct qd_error at;
	size_t len = jit_place(img, img->kernel->block_pos, img->kernel->from_text, &at);

	ctx_log(img->ctx, QD_LOG_WARNING, "compile",
		"%.*sremark: the vector registers of %s do not suffice for kernel '%s': %u bytes of each thread are in private memory; use "
		"fewer values at once or a smaller block",
		(int)len, at.text, img->target->m.name, img->kernel->name, img->meta.scratch_size);
}

static qd_status
compile(struct qd_context *ctx, const struct jit_key *key, struct scratch *s,
	const struct dump *dump, struct qd_image **out, struct qd_error *err)
{
	const struct target *t = key->target;
	struct body body = { 0 };
	struct isa_meta meta;
	QD_TRY(emit_any(key, s, &body, &meta, err));
	meta.opt_below = (uint32_t)OPT_FULL - ctx->opt;
	if (QD_UNLIKELY(dump->kinds) && !s->code.nomem)
		dump_write(dump, ctx, key, &body.ir, &s->code);
	const struct launch_layout *d = layout_kernel(key->k, key->tmpl, t->m.subgroup_size,
						      body.report != NO_MEMORY, &s->mem);
	QD_TRY(make_image(ctx, key, d, &body.ir, &s->code, &meta, out, err));
	if (QD_UNLIKELY(meta.scratch_size && !key->marks))
		log_scratch(*out);
	return QD_OK;
}

qd_status
jit_compile_key(struct qd_context *ctx, const struct jit_key *key, struct qd_image **out,
		struct qd_error *err)
{
	struct scratch_list *l;
	struct scratch *s = scratch_get(ctx, &l);
	if (!s)
		return qd_fail(err, QD_E_NOMEM, "kernel '%s': out of memory", key->k->name);
	if (QD_UNLIKELY(atomic_load_explicit(&l->dump.wrong, memory_order_relaxed)) &&
	    atomic_exchange(&l->dump.wrong, false))
		ctx_log(ctx, QD_LOG_WARNING, "dump", "%s", l->dump.why);
	struct pool_quota quota;
	ctx_quota_begin(ctx, &quota);
	qd_status st = compile(ctx, key, s, &l->dump, out, err);
	scratch_put(l, s);
	return ctx_quota_end(ctx, &quota, key->k->name, st, err);
}

qd_status
jit_marks(const struct qd_image *img, struct buf *marks, struct qd_error *err)
{
	struct qd_image *again;
	struct jit_key key;
	if (!img->kernel)
		return no_kernel(img, err);
	jit_key_of(&key, img);
	key.marks = marks;
	QD_TRY(jit_compile_key(img->ctx, &key, &again, err));
	qd_image_free(again);
	return QD_OK;
}

qd_status
jit_compile(struct qd_context *ctx, const struct qd_kernel *k, const struct target *t,
	    const struct qd_tmpl *tmpl, uint32_t n_tmpl, struct qd_image **out,
	    struct qd_error *err)
{
	const struct jit_target *kept;
	struct jit_key key;
	QD_TRY(jit_target(ctx, t, &kept, err));
	QD_TRY(jit_key_init(&key, k, kept, tmpl, n_tmpl, err));
	return jit_compile_key(ctx, &key, out, err);
}
