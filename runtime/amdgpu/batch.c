/* Recording of batches. A batch is streams of packets in memory that the device reads, with the
 * arguments of copies and fills at their ends.
 *
 * A batch begins with a wait for the waves that its ring ran earlier, and invalidates caches. The
 * previous batch is then complete, and earlier writes of the host are visible, including code.
 * Within a batch, a dispatch waits only if it touches memory that an earlier one writes, or writes
 * memory that an earlier one touches. The batch ends by writing its value, for threads that poll
 * it (queue.c). The memory of a batch stays with its slot in the queue, so that the next batch in
 * the slot allocates none. */
#include <assert.h>

#include "kgd.h"

/* The first chunk holds a full batch. Further chunks are for thousands of small copies. */
enum { FIRST_CHUNK = 48 << 10, MOST_CHUNK = 2 << 20, KEPT_CHUNKS = 4, ARGS_ALIGN = 64 };
enum { BEGIN_WORDS = 16, BARRIER_WORDS = 16, END_WORDS = 24, STAMP_WORDS = 8, UNIT = 8 };

static struct kgd_queue *
queue_of(struct queue *q)
{
	return (struct kgd_queue *)q;
}

static struct kgd_device *
device(const struct kgd_queue *q)
{
	return kgd_device_of(q->base.dev);
}

/* -- Chunks ------------------------------------------------------------------------------------ */

static void
free_chunks(struct kgd_device *dev, struct kgd_chunk *c)
{
	while (c) {
		struct kgd_chunk *next = c->next;
		heap_free(c->piece);
		pool_delete(&dev->base.ctx->pool, c);
		c = next;
	}
}

static qd_status
make_chunk(struct kgd_device *dev, uint32_t size, struct kgd_chunk **out, struct qd_error *err)
{
	struct kgd_chunk *c = pool_new(&dev->base.ctx->pool, sizeof *c);
	if (!c)
		return qd_fail(err, QD_E_NOMEM, "a batch: out of memory");
	qd_status st = kgd_piece(dev, KGD_COMMAND, size, &c->piece, err);
	if (st != QD_OK) {
		pool_delete(&dev->base.ctx->pool, c);
		return st;
	}
	c->size = size;
	*out = c;
	return QD_OK;
}

/* Continues the stream in this chunk. Caches are invalidated again, because checkers treat each
 * chunk as a stream of its own. */
static void
open_chunk(struct kgd_queue *q, struct kgd_chunk *c)
{
	struct kgd_device *dev = device(q);
	pm4_begin(&q->stream, dev->gpu->gen, kgd_piece_host(c->piece), c->size / 4, &q->why);
	q->args = c->size;
	q->batch->last = c;
	q->batch->n_chunks++;
	pm4_drain(&q->stream);
	pm4_cache(&q->stream, PM4_CACHE_START);
}

static qd_status
next_chunk(struct kgd_queue *q, struct qd_error *err)
{
	struct kgd_chunk *c = q->batch->last;
	if (q->batch->n_chunks == KGD_MAX_IBS)
		return qd_fail(err, QD_E_LIMIT, "%s: a batch has more than %d parts",
			       q->base.dev->info.selector, KGD_MAX_IBS);
	if (!c->next) {
		uint32_t size = c->size < MOST_CHUNK / 2 ? 2 * c->size : MOST_CHUNK;
		QD_TRY(make_chunk(device(q), size, &c->next, err));
	}
	pm4_pad(&q->stream);
	c->n_words = q->stream.n;
	open_chunk(q, c->next);
	return QD_OK;
}

/* Makes room for this many words and bytes of arguments, with space for the end of the chunk. */
static qd_status
reserve(struct kgd_queue *q, uint32_t words, uint32_t args, struct qd_error *err)
{
	uint64_t want = 4 * ((uint64_t)q->stream.n + words + END_WORDS) + args + ARGS_ALIGN;
	return QD_LIKELY(want <= q->args) ? QD_OK : next_chunk(q, err);
}

/* Takes room that reserve has found. */
static void *
take_args(struct kgd_queue *q, uint32_t size, uint64_t *addr)
{
	struct heap_piece *p = q->batch->last->piece;
	q->args = (q->args - size) & ~(uint32_t)(ARGS_ALIGN - 1);
	*addr = kgd_piece_addr(p) + q->args;
	q->stream.cap = q->args / 4;
	return (char *)kgd_piece_host(p) + q->args;
}

/* Makes room for commands that cannot return an error. If that fails, kgd_finish reports it. */
static bool
reserve_or_fail(struct kgd_queue *q, uint32_t words, uint32_t args)
{
	if (q->failed == QD_OK)
		q->failed = reserve(q, words, args, &q->why);
	return q->failed == QD_OK;
}

/* -- Dependencies of dispatches ------------------------------------------------------------------- */

/* Orders the next command after earlier ones. Waits if they share memory that either writes. */
static void
put_order(struct kgd_queue *q, const struct pm4_use *uses, uint32_t n)
{
	struct pm4 *p = &q->stream;
	bool waited = pm4_barrier(p, q->uses, q->n_uses, uses, n);
	if (!waited && q->n_uses + n > KGD_MAX_USES) {
		pm4_drain(p);
		pm4_cache(p, PM4_CACHE_DATA);
		waited = true;
	}
	if (waited) {
		q->n_uses = 0;
		q->scratch_wave = 0;
	}
	for (uint32_t i = 0; i < n; i++)
		q->uses[q->n_uses++] = uses[i];
}

/* Lists the buffers of a launch, including the buffer of its reports. */
static uint32_t
uses_of(const struct launch *l, struct pm4_use out[MAX_PARAM + 1])
{
	struct launch_buffer b;
	uint32_t n = 0;
	for (uint32_t i = 0; i < l->n_params; i++) {
		if (launch_buffer_at(l, i, &b))
			out[n++] = (struct pm4_use){ .addr = b.addr, .size = b.size, .written = !b.read_only };
	}
	if (launch_report_at(l, &b))
		out[n++] = (struct pm4_use){ .addr = b.addr, .size = b.size, .written = true };
	return n;
}

/* -- Dispatches ------------------------------------------------------------------------------------ */

static void
note_function(struct kgd_batch *b, const struct kgd_function *fn)
{
	for (uint32_t i = b->n_fns; i-- > 0;) {
		if (b->fns[i] == fn)
			return;
	}
	if (b->n_fns < KGD_MAX_FNS)
		b->fns[b->n_fns++] = fn;
}

/* Most dispatches differ from the previous one of their function only in these words. */
static void
put_template(struct pm4 *p, const struct kgd_template *t, uint64_t kernarg, uint32_t x, uint32_t y)
{
	uint32_t *to = p->words + p->n;
	memcpy(to, t->words, t->n * sizeof *to);
	if (t->kernarg) {
		to[t->kernarg] = (uint32_t)kernarg;
		to[t->kernarg + 1] = (uint32_t)(kernarg >> 32);
	}
	to[t->blocks] = x;
	to[t->blocks + 1] = y;
	p->n += t->n;
}

/* Provides enough scratch, owned by the queue: the waves of two rings would get the same parts of
 * shared scratch. Replaced scratch is freed when the batch is complete. */
static qd_status
need_scratch(struct kgd_queue *q, const struct kgd_function *fn, struct pm4_scratch *s,
	     struct qd_error *err)
{
	struct kgd_device *dev = device(q);
	QD_TRY(pm4_scratch_need(dev->gpu, &fn->program, dev->physical.n_cu, dev->physical.n_engine, s,
				err));
	if (!q->scratch || q->scratch->size < s->size) {
		struct heap_piece *p;
		QD_TRY(kgd_piece(dev, KGD_DEVICE, s->size, &p, err));
		if (q->scratch)
			buf_put(&q->batch->scratch, &q->scratch, sizeof q->scratch);
		if (q->batch->scratch.nomem) {
			q->batch->scratch.nomem = false;
			heap_free(p);
			return qd_fail(err, QD_E_NOMEM, "a launch: out of memory");
		}
		q->scratch = p;
	}
	s->addr = kgd_piece_addr(q->scratch);
	return QD_OK;
}

/* Waves with different sizes of scratch must not use it at the same time. */
static void
order_scratch(struct kgd_queue *q, const struct kgd_function *fn)
{
	uint32_t wave = fn->program.scratch_size * fn->program.wave;
	if (q->scratch_wave && q->scratch_wave != wave) {
		pm4_drain(&q->stream);
		pm4_cache(&q->stream, PM4_CACHE_DATA);
		q->n_uses = 0;
	}
	q->scratch_wave = wave;
}

/* Records a kernel that has scratch or reads its dispatch packet. */
static qd_status
put_whole(struct kgd_queue *q, const struct kgd_function *fn, const struct dispatch *d,
	  const struct pm4_use *uses, uint32_t n_uses, struct qd_error *err)
{
	struct kgd_device *dev = device(q);
	struct pm4_dispatch p;
	void *packet = NULL;
	kgd_function_dispatch(dev, fn, &p);
	p.blocks[0] = d->x;
	p.blocks[1] = d->y;
	p.kernarg = d->args_addr;
	if (fn->program.scratch_size)
		QD_TRY(need_scratch(q, fn, &p.scratch, err));
	uint32_t bytes = fn->program.user & PM4_USER_DISPATCH_PTR ? PM4_DISPATCH_PACKET : 0;
	QD_TRY(reserve(q, 2 * BARRIER_WORDS + KGD_MAX_DISPATCH, bytes, err));
	if (bytes) {
		uint8_t words[PM4_DISPATCH_PACKET];
		if (!pm4_dispatch_packet(&p, words))
			return qd_fail(err, QD_E_LIMIT,
				       "%s: kernel '%s' counts its threads in 32 bits, but %u "
				       "blocks of %u have more",
				       dev->base.info.selector, layout_name(fn->base.image->layout),
				       d->x, fn->block[0] * fn->block[1] * fn->block[2]);
		packet = take_args(q, bytes, &p.packet);
		memcpy(packet, words, sizeof words);
	}
	put_order(q, uses, n_uses);
	if (fn->program.scratch_size)
		order_scratch(q, fn);
	pm4_dispatch(&q->stream, dev->gpu, &p);
	if (q->stream.st == QD_OK)
		return QD_OK;
	/* No packet was written. */
	qd_status st = q->stream.st;
	q->stream.st = QD_OK;
	return qd_fail_text(err, st, 0, 0, q->why.text, strlen(q->why.text));
}

qd_status
kgd_dispatch(struct queue *base, const struct dispatch *d, struct qd_error *err)
{
	struct kgd_queue *q = queue_of(base);
	const struct kgd_function *fn = (const struct kgd_function *)d->launch->fn;
	struct pm4_use uses[MAX_PARAM + 1];
	uint32_t n = uses_of(d->launch, uses);
	if (QD_LIKELY(fn->fixed)) {
		QD_TRY(reserve(q, BARRIER_WORDS + fn->dispatch.n, 0, err));
		put_order(q, uses, n);
		put_template(&q->stream, &fn->dispatch, d->args_addr, d->x, d->y);
	} else {
		QD_TRY(put_whole(q, fn, d, uses, n, err));
	}
	note_function(q->batch, fn);
	return QD_OK;
}

/* -- Copies and fills ------------------------------------------------------------------------------- */

static void
put_move(struct kgd_queue *q, const struct kgd_move *m)
{
	const struct kgd_copy_kernels *all = device(q)->copy_kernels;
	const struct kgd_function *fn = (const struct kgd_function *)all->functions[m->kind];
	uint64_t addr;
	if (!reserve_or_fail(q, BARRIER_WORDS + fn->dispatch.n, KGD_MOVE_ARGS))
		return;
	void *args = take_args(q, KGD_MOVE_ARGS, &addr);
	uint32_t blocks = kgd_move_args(device(q), m, args);
	put_template(&q->stream, &fn->dispatch, addr, blocks, 1);
	note_function(q->batch, fn);
}

/* Orders the moves of a copy or fill, after making room for the barrier. */
static bool
open_moves(struct kgd_queue *q, const struct pm4_use *uses, uint32_t n)
{
	if (!reserve_or_fail(q, BARRIER_WORDS, 0))
		return false;
	put_order(q, uses, n);
	return true;
}

void
kgd_copy(struct queue *base, const struct device_memory *dst, uint64_t to,
	 const struct device_memory *src, uint64_t from, uint64_t size)
{
	struct kgd_queue *q = queue_of(base);
	const struct pm4_use uses[] = {
		{ .addr = dst->addr + to, .size = size, .written = true },
		{ .addr = src->addr + from, .size = size },
	};
	uint64_t d = uses[0].addr, s = uses[1].addr;
	if (!open_moves(q, uses, QD_COUNT(uses)))
		return;
	while (size) {
		struct kgd_move moves[KGD_MOST_MOVES];
		uint32_t n = kgd_copy_moves(&d, &s, &size, moves);
		for (uint32_t i = 0; i < n; i++)
			put_move(q, &moves[i]);
	}
}

void
kgd_fill(struct queue *base, const struct device_memory *dst, uint64_t to, uint64_t size,
	 uint32_t word)
{
	struct kgd_queue *q = queue_of(base);
	const struct pm4_use use = { .addr = dst->addr + to, .size = size, .written = true };
	uint64_t at = use.addr;
	if (!open_moves(q, &use, 1))
		return;
	while (size) {
		struct kgd_move m = {
			.kind = KGD_FILL_WORDS,
			.dst = at,
			.size = size < KGD_MOVE_MOST ? size : KGD_MOVE_MOST,
			.word = word,
		};
		put_move(q, &m);
		at += m.size;
		size -= m.size;
	}
}

/* -- Stamps ----------------------------------------------------------------------------------------- */

void
kgd_put_timestamp(struct queue *base, const struct timestamp *s)
{
	struct kgd_queue *q = queue_of(base);
	struct kgd_timestamp *timestamp = s->pool;
	if (!reserve_or_fail(q, STAMP_WORDS, 0))
		return;
	void *to = buf_extend(&q->batch->timestamps, sizeof timestamp);
	if (!to) {
		q->batch->timestamps.nomem = false;
		q->failed = qd_fail(&q->why, QD_E_NOMEM, "a time: out of memory");
		return;
	}
	memcpy(to, &timestamp, sizeof timestamp);
	atomic_fetch_add(&timestamp->refs, 1);
	pm4_clock_end(&q->stream, kgd_piece_addr(timestamp->piece));
}

/* -- Batches ---------------------------------------------------------------------------------------- */

/* Releases resources of a completed batch. Its memory is kept, up to the usual size. */
static void
empty_batch(struct kgd_queue *q, struct kgd_batch *b)
{
	struct kgd_device *dev = device(q);
	struct kgd_timestamp *timestamp;
	struct heap_piece *piece;
	for (size_t at = 0; at < b->timestamps.len; at += sizeof timestamp) {
		memcpy(&timestamp, buf_data(&b->timestamps) + at, sizeof timestamp);
		kgd_timestamp_unref(dev, timestamp);
	}
	for (size_t at = 0; at < b->scratch.len; at += sizeof piece) {
		memcpy(&piece, buf_data(&b->scratch) + at, sizeof piece);
		heap_free(piece);
	}
	b->timestamps.len = b->scratch.len = 0;
	b->n_fns = b->n_chunks = 0;
	struct kgd_chunk *c = b->chunks;
	for (uint32_t i = 1; c && i < KEPT_CHUNKS; i++)
		c = c->next;
	if (c) {
		free_chunks(dev, c->next);
		c->next = NULL;
	}
}

qd_status
kgd_queue_create(struct qd_device *base, struct timeline *t, struct queue **out,
		 struct qd_error *err)
{
	struct kgd_queue *q = pool_new(&base->ctx->pool, sizeof *q);
	if (!q)
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	for (uint32_t i = 0; i < MAX_BATCH; i++) {
		buf_init(&q->batches[i].timestamps, &base->ctx->pool);
		buf_init(&q->batches[i].scratch, &base->ctx->pool);
	}
	q->base.hint = kgd_piece_host(((struct kgd_timeline *)t)->hint);
	*out = &q->base;
	return QD_OK;
}

void
kgd_queue_free(struct queue *base)
{
	struct kgd_queue *q = queue_of(base);
	struct kgd_device *dev = device(q);
	for (uint32_t i = 0; i < MAX_BATCH; i++) {
		struct kgd_batch *b = &q->batches[i];
		empty_batch(q, b);
		free_chunks(dev, b->chunks);
		buf_fini(&b->timestamps);
		buf_fini(&b->scratch);
	}
	if (q->scratch)
		heap_free(q->scratch);
	pool_delete(&dev->base.ctx->pool, q);
}

qd_status
kgd_begin(struct queue *base, uint32_t at, struct qd_error *err)
{
	struct kgd_queue *q = queue_of(base);
	struct kgd_batch *b = &q->batches[at];
	empty_batch(q, b);
	if (!b->chunks)
		QD_TRY(make_chunk(device(q), FIRST_CHUNK, &b->chunks, err));
	q->batch = b;
	q->failed = QD_OK;
	q->n_uses = 0;
	q->scratch_wave = 0;
	open_chunk(q, b->chunks);
	return QD_OK;
}

qd_status
kgd_finish(struct queue *base, uint64_t value, struct qd_error *err)
{
	struct kgd_queue *q = queue_of(base);
	struct pm4 *p = &q->stream;
	struct pm4_fence fence = {
		.addr = kgd_piece_addr(((struct kgd_timeline *)base->timeline)->hint),
		.value = value,
		.wide = true,
	};
	/* The fence is the last packet. After it, the device reads no more of the stream. */
	pm4_pad(p);
	pm4_fence(p, &fence);
	assert(p->st || p->n % UNIT == 0);
	if (q->failed == QD_OK)
		q->failed = p->st;
	q->batch->last->n_words = p->n;
	if (QD_LIKELY(q->failed == QD_OK))
		return QD_OK;
	return qd_fail_text(err, q->failed, 0, 0, q->why.text, strlen(q->why.text));
}
