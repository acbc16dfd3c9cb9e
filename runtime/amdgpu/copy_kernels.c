/* Kernels that copy and fill, built with public functions and compiled for the device.
 *
 * A thread moves PER elements that are a block apart, so that neighboring threads access
 * neighboring elements, and several loads are in flight at a time. The unaligned ends of a copy
 * are moved by bytes. If source and destination are never aligned at the same time, each word is
 * combined from two source words. */
#include "kgd.h"

enum { BLOCK = 256, PER = 4 };

static const struct shape {
	const char *name;
	qd_type type;
	uint32_t size; /* of an element */
} shapes[KGD_N_BUILTIN] = {
	[KGD_COPY_BYTES] = { "copy_bytes", QD_TYPE_U8, 1 },
	[KGD_COPY_WORDS] = { "copy_words", QD_TYPE_U32, 4 },
	[KGD_COPY_PAIRS] = { "copy_pairs", QD_TYPE_U64, 8 },
	[KGD_COPY_SHIFTED] = { "copy_shifted", QD_TYPE_U32, 4 },
	[KGD_FILL_WORDS] = { "fill_words", QD_TYPE_U32, 4 },
};

/* -- The kernels ---------------------------------------------------------------------------- */

/* Computes the indices of a thread's elements. */
static void
put_indices(struct qd_builder *b, struct qd_val at[PER])
{
	struct qd_val block = qd_block_idx(b);
	struct qd_val thread = qd_block_thread_idx(b);
	struct qd_val step = qd_u32(b, BLOCK * PER);
	struct qd_val first = qd_mul(b, block, step);
	at[0] = qd_add(b, first, thread);
	for (uint32_t i = 1; i < PER; i++) {
		struct qd_val more = qd_u32(b, BLOCK * i);
		at[i] = qd_add(b, at[0], more);
	}
}

static void
put_copy(struct qd_builder *b, qd_type type)
{
	struct qd_array dst = qd_param_buffer(b, "dst", type, QD_ACCESS_OUT);
	struct qd_array src = qd_param_buffer(b, "src", type, QD_ACCESS_IN);
	struct qd_val at[PER], v[PER];
	put_indices(b, at);
	for (uint32_t i = 0; i < PER; i++)
		v[i] = qd_load(b, src, at[i]);
	for (uint32_t i = 0; i < PER; i++)
		qd_store(b, dst, at[i], v[i]);
}

/* Combines each word from two adjacent ones; `bits` are shifted out of the lower one. */
static void
put_shifted(struct qd_builder *b)
{
	struct qd_array dst = qd_param_buffer(b, "dst", QD_TYPE_U32, QD_ACCESS_OUT);
	struct qd_array src = qd_param_buffer(b, "src", QD_TYPE_U32, QD_ACCESS_IN);
	struct qd_val bits = qd_param_scalar(b, "word", QD_TYPE_U32);
	struct qd_val all = qd_u32(b, 32);
	struct qd_val rest = qd_sub(b, all, bits);
	struct qd_val one = qd_u32(b, 1);
	struct qd_val at[PER], low[PER], high[PER];
	put_indices(b, at);
	for (uint32_t i = 0; i < PER; i++) {
		struct qd_val next = qd_add(b, at[i], one);
		low[i] = qd_load(b, src, at[i]);
		high[i] = qd_load(b, src, next);
	}
	for (uint32_t i = 0; i < PER; i++) {
		struct qd_val l = qd_shr(b, low[i], bits);
		struct qd_val h = qd_shl(b, high[i], rest);
		struct qd_val v = qd_or(b, l, h);
		qd_store(b, dst, at[i], v);
	}
}

static void
put_fill(struct qd_builder *b)
{
	struct qd_array dst = qd_param_buffer(b, "dst", QD_TYPE_U32, QD_ACCESS_OUT);
	struct qd_val word = qd_param_scalar(b, "word", QD_TYPE_U32);
	struct qd_val at[PER];
	put_indices(b, at);
	for (uint32_t i = 0; i < PER; i++)
		qd_store(b, dst, at[i], word);
}

static qd_status
make_kernel(struct qd_context *ctx, enum kgd_copy_kind kind, struct qd_kernel **out,
	    struct qd_error *err)
{
	const struct shape *s = &shapes[kind];
	struct qd_builder *b;
	QD_TRY(qd_builder_create(ctx, s->name, &b, err));
	qd_block(b, BLOCK, 1, 1);
	if (kind == KGD_FILL_WORDS)
		put_fill(b);
	else if (kind == KGD_COPY_SHIFTED)
		put_shifted(b);
	else
		put_copy(b, s->type);
	return qd_builder_finish(b, out, err);
}

static qd_status
make(struct kgd_device *dev, enum kgd_copy_kind kind, struct qd_error *err)
{
	struct kgd_copy_kernels *all = dev->copy_kernels;
	struct qd_kernel *k;
	QD_TRY(make_kernel(dev->base.ctx, kind, &k, err));
	qd_status st = jit_compile(dev->base.ctx, k, &dev->base.target, NULL, 0, &all->images[kind],
				   err);
	qd_kernel_free(k);
	QD_TRY(st);
	struct qd_function *fn;
	QD_TRY(kgd_load(&dev->base, all->images[kind], &fn, err));
	fn->image = all->images[kind];
	all->functions[kind] = fn;
	return QD_OK;
}

qd_status
kgd_copy_kernels_init(struct kgd_device *dev, struct qd_error *err)
{
	dev->copy_kernels = pool_new(&dev->base.ctx->pool, sizeof *dev->copy_kernels);
	if (!dev->copy_kernels)
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	for (unsigned kind = 0; kind < KGD_N_BUILTIN; kind++)
		QD_TRY(make(dev, (enum kgd_copy_kind)kind, err));
	return QD_OK;
}

void
kgd_copy_kernels_fini(struct kgd_device *dev)
{
	struct kgd_copy_kernels *all = dev->copy_kernels;
	if (!all)
		return;
	for (unsigned kind = 0; kind < KGD_N_BUILTIN; kind++) {
		if (all->functions[kind])
			kgd_unload(all->functions[kind]);
		qd_image_free(all->images[kind]);
	}
	pool_delete(&dev->base.ctx->pool, all);
	dev->copy_kernels = NULL;
}

/* -- Moves ------------------------------------------------------------------------------------ */

/* Copies up to this size are not split. */
enum { FEW_BYTES = 64 };

static uint64_t
least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void
put_move(struct kgd_move **at, enum kgd_copy_kind kind, uint64_t *dst, uint64_t *src,
	 uint64_t *size, uint64_t n)
{
	if (!n)
		return;
	*(*at)++ = (struct kgd_move){ .kind = kind, .dst = *dst, .src = *src, .size = n };
	*dst += n;
	*src += n;
	*size -= n;
}

uint32_t
kgd_copy_moves(uint64_t *dst, uint64_t *src, uint64_t *size, struct kgd_move out[KGD_MOST_MOVES])
{
	struct kgd_move *at = out;
	uint64_t apart = *dst - *src;
	uint32_t unit = apart % 8 == 0 ? 8 : 4;
	if (*size <= FEW_BYTES) {
		put_move(&at, KGD_COPY_BYTES, dst, src, size, *size);
		return (uint32_t)(at - out);
	}
	put_move(&at, KGD_COPY_BYTES, dst, src, size, -*dst % unit);
	uint64_t body = least(*size, KGD_MOVE_MOST) / unit * unit;
	if (apart % 4) {
		uint32_t off = (uint32_t)(*src % 4);
		put_move(&at, KGD_COPY_SHIFTED, dst, src, size, body);
		at[-1].src -= off;
		at[-1].word = 8 * off;
	} else {
		put_move(&at, unit == 8 ? KGD_COPY_PAIRS : KGD_COPY_WORDS, dst, src, size, body);
	}
	if (*size < unit)
		put_move(&at, KGD_COPY_BYTES, dst, src, size, *size);
	return (uint32_t)(at - out);
}

static void
put64(char *to, uint64_t v)
{
	memcpy(to, &v, sizeof v);
}

uint32_t
kgd_move_args(const struct kgd_device *dev, const struct kgd_move *m, void *args)
{
	const struct launch_layout *d = dev->copy_kernels->images[m->kind]->layout;
	const struct layout_param *p = layout_params(d);
	uint64_t n = m->size / shapes[m->kind].size;
	uint32_t blocks = (uint32_t)((n + BLOCK * PER - 1) / (BLOCK * PER));
	char block[KGD_MOVE_ARGS] = { 0 };
	for (uint32_t i = 0; i < d->n_params; i++) {
		char *to = block + p[i].offset;
		if (!p[i].align) {
			memcpy(to, &m->word, sizeof m->word);
			continue;
		}
		/* The kernel also reads the word after the last. */
		bool is_src = p[i].access == QD_ACCESS_IN;
		put64(to, is_src ? m->src : m->dst);
		put64(to + 8, n + (is_src && m->kind == KGD_COPY_SHIFTED));
	}
	memcpy(block + d->tail + 4 * TAIL_N_BLOCKS, &blocks, sizeof blocks);
	memcpy(args, block, sizeof block);
	return blocks;
}
