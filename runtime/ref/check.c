/* Data races.  Within a launch nothing orders two threads, so two of them that
 * touch the same bytes, one of them writing, race; equal values are no excuse.
 *
 * A buffer that a launch writes has a shadow: one cell per piece, with the last
 * thread that wrote it and the last that read it.  A piece is the largest unit
 * that no element of any view straddles, so overlapping slices with different
 * element types are seen too.  The shadow belongs to the outermost buffer.
 *
 * Threads have numbers that no other launch of the device has, so a shadow is
 * not cleared between launches: what is below the launch's base is old.  The
 * base itself stands for "several readers".  When the numbers run out, a new era
 * begins and shadows are cleared when they are met.  Launches of more threads
 * than there are numbers reuse them: a race may be missed, none is invented. */
#include "interp.h"

static uint32_t
log2_lowest(uint64_t v)
{
	uint32_t n = 0;

	while (n < 3 && !(v >> n & 1))
		n++;
	return n;
}

void
interp_unwatch(struct ref_buffer *b)
{
	if (b->shadow)
		pool_put(&b->dev->ctx->pool, b->shadow);
	b->shadow = NULL;
}

/* A shadow whose pieces are no larger than asked for. */
static bool
shadow(struct ref_device *dev, struct ref_buffer *b, uint32_t log2_piece)
{
	bool fresh = false;

	if (b->shadow && b->log2_piece > log2_piece)
		interp_unwatch(b);
	if (!b->shadow) {
		size_t n = (b->size >> log2_piece) + 1;

		if (n > SIZE_MAX / 2 / sizeof(struct cell))
			return false;
		b->shadow = pool_get(&dev->d.ctx->pool, n * sizeof(struct cell));
		b->log2_piece = log2_piece;
		fresh = true;
	}
	if (b->shadow && (fresh || b->era != dev->era))
		memset(pool_data(b->shadow), 0,
		       ((b->size >> b->log2_piece) + 1) * sizeof(struct cell));
	b->era = dev->era;
	return b->shadow != NULL;
}

static size_t
offset_of(const struct ref_buffer *b, const struct bound_param *p)
{
	return (size_t)(p->mem - (const uint8_t *)pool_data(b->mem));
}

static uint32_t
number_of_threads(const struct run *r)
{
	uint64_t n = (uint64_t)r->n_blocks * r->block_dim;

	return n < UINT32_MAX / 2 ? (uint32_t)n : UINT32_MAX / 2;
}

qd_status
interp_watch(struct run *r, struct qd_error *err)
{
	struct ref_device *dev = (struct ref_device *)r->stream->q.dev;
	const struct qd_kernel *k = r->image->kernel;
	uint32_t n = number_of_threads(r);
	struct ref_buffer *b;

	if (UINT32_MAX - dev->next_id <= n + 1) {
		dev->next_id = 1;
		dev->era++;
	}
	r->id_base = dev->next_id;
	dev->next_id += n + 1;
	/* All views of a buffer share its pieces, so first the sizes, then the cells. */
	for (uint32_t i = 0; i < k->n_params; i++) {
		const struct bound_param *p = &r->params[i];

		if (!p->writable)
			continue;
		b = r->launch->bufs[i]->memory.piece;
		if (!shadow(dev, b, log2_lowest(offset_of(b, p) | p->size)))
			return qd_fail(err, QD_E_DEVICE_NOMEM,
				       "no memory to watch %zu bytes of parameter '%s' for races",
				       b->size, k->params[i].name);
	}
	for (uint32_t i = 0; i < k->n_params; i++) {
		struct bound_param *p = &r->params[i];

		if (!p->writable)
			continue;
		b = r->launch->bufs[i]->memory.piece;
		p->cells = (struct cell *)pool_data(b->shadow) + (offset_of(b, p) >> b->log2_piece);
		p->n_cells = p->size >> b->log2_piece;
	}
	return QD_OK;
}

static QD_COLD void
report_race(struct wave *w, uint32_t ins, uint32_t lane, uint32_t index, bool write, uint32_t other,
	    bool other_writes)
{
	const struct run *r = w->run;
	const char *name = r->image->kernel->params[r->ir->ins[ins].x].name;
	const char *does = write ? "writes" : "reads";
	const char *did = other_writes ? "written" : "read";

	if (other == r->id_base) {
		interp_report(w, REPORT_FINDING, ins, lane,
			      "data race: %s %s[%u], which several threads have %s", does, name,
			      index, did);
		return;
	}
	other -= r->id_base + 1;
	interp_report(w, REPORT_FINDING, ins, lane,
		      "data race: %s %s[%u], which block %u, thread %u has %s", does, name, index,
		      other / r->block_dim + r->block_base, other % r->block_dim, did);
}

void
interp_touch(struct wave *w, uint32_t ins, uint32_t lane, uint32_t index, bool write)
{
	const struct run *r = w->run;
	const struct bound_param *p = &r->params[r->ir->ins[ins].x];
	struct cell *cell = p->cells + (size_t)index * p->n_cells;
	uint32_t base = r->id_base;
	uint64_t thread =
		(uint64_t)(w->block - r->block_base) * r->block_dim + wave_thread(w, lane);
	uint32_t self = base + 1 + (uint32_t)(thread % (UINT32_MAX / 2));
	uint32_t other = 0; /* with which it races; 0: none */
	bool other_writes = false;

	for (uint32_t i = 0; i < p->n_cells; i++) {
		uint32_t writer = cell[i].writer, reader = cell[i].reader;

		if (writer >= base && writer != self) {
			other = writer;
			other_writes = true;
		} else if (write && !other && reader >= base && reader != self) {
			other = reader;
		}
		if (write)
			cell[i].writer = self;
		else
			cell[i].reader = reader < base || reader == self ? self : base;
	}
	if (QD_UNLIKELY(other))
		report_race(w, ins, lane, index, write, other, other_writes);
}
