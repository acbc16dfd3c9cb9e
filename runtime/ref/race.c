/* Data races. Two threads race if they access the same bytes, at least one writes, not both
 * accesses are atomic, and nothing orders them. Writing equal values is a race too.
 *
 * Block barriers order the threads of a block, subgroup barriers the lanes of a subgroup. In the
 * grid loop they do not order padding threads. Each barrier is a tick of the launch's clock:
 * accesses before the last one are ordered. A fence or an ordered atomic is a tick too. It
 * orders accesses only with respect to what other threads observed, which is not tracked here.
 * So two accesses count as ordered if the first thread's block has released since and the second
 * thread's block has acquired. This may miss a race but never reports a false one.
 *
 * A buffer that a launch writes has a shadow: one cell per piece, with the last thread that wrote
 * it and the last that read it. The cells of a shared array are in the launch's memory. A piece
 * is the largest unit that no element of any view straddles, so races between overlapping slices
 * with different element types are found. The shadow belongs to the outermost buffer.
 *
 * A launch owns the shadow while it runs: it takes it from the buffer and returns it at its end.
 * A concurrent launch of another stream allocates its own. When a launch returns its shadow, the
 * one that the buffer has then is freed.
 *
 * Thread numbers are unique among the launches of a device, so a shadow is not cleared between
 * launches: numbers below the launch's base are stale. When the numbers run out, a new era
 * begins, and shadows of an older era are cleared on use. A launch with more threads than there
 * are numbers reuses them, which may miss a race but never reports a false one. */
#include "interp.h"

static uint32_t
log2_lowest(uint64_t v)
{
	uint32_t n = 0;

	while (n < 3 && !(v >> n & 1))
		n++;
	return n;
}

static struct ref_buffer *
buffer_of(const struct run *r, uint32_t param)
{
	return r->launch->bufs[param]->memory.piece;
}

static size_t
offset_of(const struct ref_buffer *b, const struct bound_param *p)
{
	return (size_t)(p->mem - (const uint8_t *)pool_data(b->m.mem));
}

/* Returns the first parameter of this launch with the same buffer that is written; it owns the
 * shadow. */
static uint32_t
first_view(const struct run *r, uint32_t param)
{
	uint32_t i = 0;

	while (!r->params[i].writable || buffer_of(r, i) != buffer_of(r, param))
		i++;
	return i;
}

/* Returns log2 of the buffer's piece. */
static uint32_t
log2_piece(const struct run *r, uint32_t param)
{
	const struct ref_buffer *b = buffer_of(r, param);
	uint64_t all = 0;

	for (uint32_t i = 0; i < r->image->kernel->n_params; i++) {
		const struct bound_param *p = &r->params[i];

		if (p->writable && buffer_of(r, i) == b)
			all |= offset_of(b, p) | p->size;
	}
	return log2_lowest(all);
}

static struct shadow
exchange(struct ref_device *dev, struct ref_buffer *b, struct shadow with)
{
	struct shadow old;

	pthread_mutex_lock(&dev->h.lock);
	old = b->shadow;
	b->shadow = with;
	pthread_mutex_unlock(&dev->h.lock);
	return old;
}

/* Takes the buffer's shadow, in pieces of at most 2^log2 bytes, for a launch with the numbers base
 * to end. Clears it if it contains numbers of another era or of a launch that took its numbers
 * later and has already ended. */
static bool
take_shadow(struct ref_device *dev, struct ref_buffer *b, uint32_t log2, uint32_t era,
	    uint32_t base, uint32_t end, struct shadow *s)
{
	bool fresh = false;

	*s = exchange(dev, b, (struct shadow){ .cells = NULL });
	if (s->cells && s->log2_piece > log2) {
		pool_put(&dev->h.d.ctx->pool, s->cells);
		s->cells = NULL;
	}
	if (!s->cells) {
		size_t n = (b->m.size >> log2) + 1;

		if (n > SIZE_MAX / 2 / sizeof(struct cell))
			return false;
		s->cells = pool_get(&dev->h.d.ctx->pool, n * sizeof(struct cell));
		s->log2_piece = log2;
		fresh = true;
	}
	if (s->cells && (fresh || s->era != era || s->end > base))
		memset(pool_data(s->cells), 0,
		       ((b->m.size >> s->log2_piece) + 1) * sizeof(struct cell));
	s->era = era;
	s->end = end;
	return s->cells != NULL;
}

void
interp_unwatch(struct run *r)
{
	struct ref_device *dev = (struct ref_device *)r->stream->q.dev;

	for (uint32_t i = 0; i < r->image->kernel->n_params; i++) {
		struct bound_param *p = &r->params[i];

		if (p->shadow.cells)
			pool_put(&dev->h.d.ctx->pool,
				 exchange(dev, buffer_of(r, i), p->shadow).cells);
		p->shadow.cells = NULL;
	}
}

static uint32_t
number_of_threads(const struct run *r)
{
	uint64_t n = (uint64_t)r->n_blocks * r->block_dim;

	return n < UINT32_MAX / 2 ? (uint32_t)n : UINT32_MAX / 2;
}

/* Allocates numbers for the launch's threads; returns their era. */
static uint32_t
take_numbers(struct ref_device *dev, uint32_t n, uint32_t *base)
{
	uint32_t era;

	pthread_mutex_lock(&dev->h.lock);
	if (UINT32_MAX - dev->next_id <= n + 1) {
		dev->next_id = 1;
		dev->era++;
	}
	*base = dev->next_id;
	dev->next_id += n + 1;
	era = dev->era;
	pthread_mutex_unlock(&dev->h.lock);
	return era;
}

qd_status
interp_watch(struct run *r, struct qd_error *err)
{
	struct ref_device *dev = (struct ref_device *)r->stream->q.dev;
	const struct qd_kernel *k = r->image->kernel;
	uint32_t n = number_of_threads(r), era = take_numbers(dev, n, &r->id_base);
	uint32_t end = r->id_base + n + 1;

	for (uint32_t i = 0; i < k->n_params; i++) {
		struct bound_param *p = &r->params[i];
		const struct shadow *s;

		if (!p->writable)
			continue;
		uint32_t first = first_view(r, i);
		const struct ref_buffer *b = buffer_of(r, i);
		if (first == i && !take_shadow(dev, buffer_of(r, i), log2_piece(r, i), era,
					       r->id_base, end, &p->shadow)) {
			interp_unwatch(r);
			return qd_fail(
				err, QD_E_DEVICE_NOMEM,
				"out of memory to check %zu bytes of parameter '%s' for races",
				b->m.size, k->params[i].name);
		}
		s = &r->params[first].shadow;
		p->cells = (struct cell *)pool_data(s->cells) + (offset_of(b, p) >> s->log2_piece);
		p->n_cells = p->size >> s->log2_piece;
	}
	return QD_OK;
}

/* -- Cells --------------------------------------------------------------------------- */

/* Bits above the tick show whether the access was atomic and how many threads the cell covers.
 * The thread it names is the first of them: that thread only, several of its subgroup, of its
 * block, or of several blocks. */
enum { WITH_ATOMIC = CLOCK_MAX + 1, MANY_AT = 29, MANY = 3u << MANY_AT };
enum many { ONE, OF_SUBGROUP, OF_BLOCK, OF_BLOCKS };
_Static_assert((CLOCK_MAX | WITH_ATOMIC) < 1 << MANY_AT, "the fields do not overlap");

/* The position of a thread, by its number minus the launch's base. */
struct place {
	uint32_t block, subgroup, thread;
};

static struct place
place_of(const struct run *r, uint32_t number)
{
	uint32_t in_block = number % r->block_dim;

	return (struct place){ number / r->block_dim, in_block >> r->log2_lanes, in_block };
}

static enum many
both(const struct run *r, uint32_t a, uint32_t b)
{
	struct place p = place_of(r, a), q = place_of(r, b);

	if (a == b)
		return ONE;
	return p.block != q.block ? OF_BLOCKS : p.subgroup != q.subgroup ? OF_BLOCK : OF_SUBGROUP;
}

/* Returns whether the barriers in the grid loop include this thread. */
static bool
is_below_count(const struct run *r, uint32_t number)
{
	return (uint64_t)r->block_base * r->block_dim + number < r->launch->grid_n;
}

/* Returns whether the accesses that a cell records for `number` at this time happened before
 * self's current access. */
static bool
is_ordered(const struct wave *w, uint32_t number, uint32_t time, uint32_t self)
{
	const struct run *r = w->run;
	enum many many = (enum many)((time & MANY) >> MANY_AT), apart;
	uint32_t then = time & CLOCK_MAX, block;

	if (QD_LIKELY(number == self && many == ONE))
		return true;
	apart = both(r, number, self);
	block = place_of(r, number).block;
	/* If a cell covers several threads, some may be padding. */
	bool all = many != ONE || (is_below_count(r, number) && is_below_count(r, self));

	many = apart > many ? apart : many;
	if (many == OF_SUBGROUP && then < (all ? w->met : w->met_all))
		return true;
	if (many <= OF_BLOCK)
		return then < (all ? r->met : r->met_all) ||
		       (then < r->released && then < r->acquired);
	if (!r->far_released || then >= r->far_acquired)
		return false;
	return (time & MANY) >> MANY_AT == OF_BLOCKS || then < r->far_released[block % r->n_far];
}

/* -- Advice on a race --------- */

/* Returns whether value v is computed from instruction `from`, by arithmetic alone. */
static bool
computed_from(const struct ir *ir, uint32_t v, uint32_t from, uint32_t depth)
{
	const struct ins *i = &ir->ins[v];

	if (v == from)
		return true;
	if (!v || v < from || !depth || !op_info[i->op].is_alu)
		return false;
	return computed_from(ir, i->a, from, depth - 1) ||
	       computed_from(ir, i->b, from, depth - 1) || computed_from(ir, i->c, from, depth - 1);
}

/* Returns whether the kernel loads an element and stores a value computed from it back, like a[k]
 * += 1. `at` is the load or the store. */
static bool
updates(const struct ir *ir, uint32_t at)
{
	const struct ins *i = &ir->ins[at];

	for (uint32_t k = 1; k < ir->n; k++) {
		const struct ins *o = &ir->ins[k];

		if (o->x != i->x || o->a != i->a)
			continue;
		if (i->op == OP_STORE && o->op == OP_LOAD && computed_from(ir, i->b, k, 16))
			return true;
		if (i->op == OP_LOAD && o->op == OP_STORE && computed_from(ir, o->b, at, 16))
			return true;
	}
	return false;
}

/* Returns whether `at` is a store and nothing else writes its memory. */
static bool
is_only_store(const struct ir *ir, uint32_t at)
{
	for (uint32_t k = 1; k < ir->n; k++)
		if (k != at && op_sig((enum op)ir->ins[k].op)->x == X_MEMORY &&
		    ir->ins[k].x == ir->ins[at].x && ir->ins[k].op != OP_LOAD)
			return false;
	return ir->ins[at].op == OP_STORE;
}

static bool
is_in_loop(const struct ir *ir, uint32_t at)
{
	for (uint32_t k = 1; k < at; k++)
		if (ir->ins[k].op == OP_LOOP && ir_end_of(ir, k) > at)
			return true;
	return false;
}

/* near: both threads are in the same block. */
static const char *
race_help(const struct ir *ir, uint32_t at, bool both_write, bool near)
{
	if (updates(ir, at))
		return "; threads that update one element need an atomic, such as atomic.add";
	if (both_write && is_only_store(ir, at))
		return is_in_loop(ir, at) && near
			       ? "; several threads store to one element: use an element per "
				 "thread, one storing thread or an atomic, or put block.sync() "
				 "between the iterations"
			       : "; several threads store to one element: use an element per "
				 "thread, one storing thread or an atomic";
	return near ? "; put block.sync() between the accesses"
		    : "; blocks do not synchronize: use an atomic, or a second launch";
}

static QD_COLD void
report_race(struct wave *w, uint32_t ins, uint32_t lane, uint32_t index, uint32_t touch,
	    uint32_t number, uint32_t time, bool other_writes)
{
	const struct run *r = w->run;
	const char *name = r->image->kernel->mems[r->ir->ins[ins].x].name;
	const char *does = touch & TOUCH_WRITE ? "writes" : "reads";
	const char *did = other_writes ? "written" : "read";
	uint32_t block = w->block - r->block_base;
	bool near = place_of(r, number).block == block && (time & MANY) >> MANY_AT <= OF_BLOCK;
	bool both_write = other_writes && (touch & TOUCH_WRITE);
	const char *help = race_help(r->ir, ins, both_write, near);

	if (time & MANY) {
		interp_report(w, REPORT_FINDING, ins, lane,
			      "data race: %s %s[%u], which several threads have %s%s", does, name,
			      index, did, help);
		return;
	}
	interp_report(w, REPORT_FINDING, ins, lane,
		      "data race: %s %s[%u], which block %u, thread %u has %s%s", does, name, index,
		      number / r->block_dim + r->block_base, number % r->block_dim, did, help);
}

/* Records a read. If an earlier read is not known to precede it, the cell covers both. */
static void
note_read(const struct wave *w, struct cell *c, uint32_t self, uint32_t now)
{
	const struct run *r = w->run;
	uint32_t base = r->id_base + 1, many, first;

	if (c->reader < base || is_ordered(w, c->reader - base, c->read, self)) {
		c->reader = base + self;
		c->read = now;
		return;
	}
	first = c->reader - base;
	many = both(r, first, self);
	if (many < (c->read & MANY) >> MANY_AT)
		many = (c->read & MANY) >> MANY_AT;
	c->read = (now & CLOCK_MAX) | (now & c->read & WITH_ATOMIC) | many << MANY_AT;
}

void
interp_touch(struct wave *w, uint32_t ins, uint32_t lane, uint32_t index, uint32_t touch)
{
	const struct run *r = w->run;
	const struct bound_param *p = &r->params[r->ir->ins[ins].x];
	struct cell *cell = p->cells + (size_t)index * p->n_cells;
	uint32_t base = r->id_base + 1, atomic = touch & TOUCH_ATOMIC ? WITH_ATOMIC : 0;
	uint64_t thread =
		(uint64_t)(w->block - r->block_base) * r->block_dim + wave_thread(w, lane);
	uint32_t self = (uint32_t)(thread % (UINT32_MAX / 2)), now = r->clock | atomic;

	uint32_t with = 0, when = 0; /* the other access of a race */
	bool races = false, other_writes = false;

	if (QD_UNLIKELY(r->blind))
		return;
	for (uint32_t i = 0; i < p->n_cells; i++) {
		struct cell *c = &cell[i], was = *c;

		if (touch & TOUCH_WRITE) {
			c->writer = base + self;
			c->written = now;
		} else {
			note_read(w, c, self, now);
		}
		if (was.writer >= base && !(was.written & atomic) &&
		    QD_UNLIKELY(!is_ordered(w, was.writer - base, was.written, self))) {
			with = was.writer - base;
			when = was.written;
			races = other_writes = true;
		} else if ((touch & TOUCH_WRITE) && was.reader >= base && !(was.read & atomic) &&
			   !races &&
			   QD_UNLIKELY(!is_ordered(w, was.reader - base, was.read, self))) {
			with = was.reader - base;
			when = was.read;
			races = true;
		}
	}
	if (QD_UNLIKELY(races))
		report_race(w, ins, lane, index, touch, with, when, other_writes);
}
