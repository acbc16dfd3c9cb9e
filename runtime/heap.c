/* Divides blocks of the driver into pieces. An allocation larger than half a block gets a block of
 * its own.
 *
 * The pieces of a block form a list in order of address. Free pieces are also in a list of their
 * size class, so that allocating and freeing need no search. */
#include "heap.h"

enum { KEEP_EMPTY = 1 }; /* empty blocks that are kept */

/* -- Pieces; requires the lock ------------------------------------------------------ */

static uint32_t
floor_log2(uint64_t n)
{
	uint32_t r = 0;
	while (n >>= 1)
		r++;
	return r;
}

static void
push_free(struct heap *h, struct heap_piece *r)
{
	struct heap_piece **list = &h->free[floor_log2(r->size)];
	r->free_prev = NULL;
	r->free_next = *list;
	if (*list)
		(*list)->free_prev = r;
	*list = r;
}

static void
pull_free(struct heap *h, struct heap_piece *r)
{
	if (r->free_prev)
		r->free_prev->free_next = r->free_next;
	else
		h->free[floor_log2(r->size)] = r->free_next;
	if (r->free_next)
		r->free_next->free_prev = r->free_prev;
}

/* Any piece of a higher size class fits. In the class of `size`, the first few are examined. */
static struct heap_piece *
find_free(const struct heap *h, uint64_t size)
{
	enum { LOOK = 8 };
	uint32_t class = floor_log2(size);
	struct heap_piece *r = h->free[class];
	for (int i = 0; r && i < LOOK; i++, r = r->free_next) {
		if (r->size >= size)
			return r;
	}
	while (++class < HEAP_N_CLASS) {
		if (h->free[class])
			return h->free[class];
	}
	return NULL;
}

static bool
is_whole(const struct heap_piece *r)
{
	return !r->prev && !r->next;
}

/* Takes the first `size` bytes of a free piece; the rest stays free. */
static bool
cut(struct pool *pool, struct heap *h, struct heap_piece *r, uint64_t size)
{
	struct heap_piece *rest = NULL;
	if (r->size > size) {
		rest = pool_new(pool, sizeof *rest);
		if (!rest)
			return false;
	}
	h->n_empty -= is_whole(r);
	pull_free(h, r);
	r->used = true;
	if (!rest)
		return true;
	*rest = (struct heap_piece){
		.block = r->block,
		.prev = r,
		.next = r->next,
		.offset = r->offset + size,
		.size = r->size - size,
	};
	if (r->next)
		r->next->prev = rest;
	r->next = rest;
	r->size = size;
	push_free(h, rest);
	return true;
}

/* Merges r with the next piece, if that is free. */
static void
absorb_next(struct pool *pool, struct heap *h, struct heap_piece *r)
{
	struct heap_piece *next = r->next;
	if (!next || next->used)
		return;
	pull_free(h, next);
	r->size += next->size;
	r->next = next->next;
	if (r->next)
		r->next->prev = r;
	pool_delete(pool, next);
}

/* -- Blocks ------------------------------------------------------------------------- */

static void
destroy_block(struct heap_block *b)
{
	struct heap *h = b->heap;
	struct pool *pool = &h->dev->ctx->pool;
	for (struct heap_piece *r = b->first, *next; r; r = next) {
		next = r->next;
		pool_delete(pool, r);
	}
	h->empty(b);
	pool_delete(pool, b);
}

/* Creates a block with one free piece, which is in no list. Takes no lock. */
static qd_status
make_block(struct heap *h, uint64_t size, bool dedicated, struct heap_block **out,
	   struct qd_error *err)
{
	struct pool *pool = &h->dev->ctx->pool;
	struct heap_block *b = pool_new(pool, h->block_struct);
	struct heap_piece *r = pool_new(pool, sizeof *r);
	if (!b || !r) {
		pool_delete(pool, b);
		pool_delete(pool, r);
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	}
	b->heap = h;
	b->size = size;
	b->dedicated = dedicated;
	b->first = r;
	r->block = b;
	r->size = size;
	qd_status st = h->fill(b, err);
	if (st == QD_OK)
		*out = b;
	else
		destroy_block(b);
	return st;
}

/* Requires the lock. */
static void
link_block(struct heap_block *b)
{
	struct heap *h = b->heap;
	b->next = h->blocks;
	if (h->blocks)
		h->blocks->prev = b;
	h->blocks = b;
}

static void
unlink_block(struct heap_block *b)
{
	if (b->prev)
		b->prev->next = b->next;
	else
		b->heap->blocks = b->next;
	if (b->next)
		b->next->prev = b->prev;
}

/* -- Allocation and freeing --------------------------------------------------------- */

static qd_status
alloc_dedicated(struct heap *h, uint64_t size, struct heap_piece **out, struct qd_error *err)
{
	if (size > h->max_size)
		return qd_fail(err, QD_E_LIMIT,
			       "%s (%s): a buffer of %llu bytes; the device supports %llu at most",
			       h->dev->info.selector, h->dev->info.name, (unsigned long long)size,
			       (unsigned long long)h->max_size);
	struct heap_block *b = NULL;
	QD_TRY(make_block(h, size, true, &b, err));
	b->first->used = true;
	pthread_mutex_lock(&h->lock);
	link_block(b);
	pthread_mutex_unlock(&h->lock);
	*out = b->first;
	return QD_OK;
}

qd_status
heap_alloc(struct heap *h, uint64_t size, struct heap_piece **out, struct qd_error *err)
{
	if (size > UINT64_MAX - HEAP_ALIGN)
		return qd_fail(err, QD_E_LIMIT, "%s: a buffer of %llu bytes",
			       h->dev->info.selector, (unsigned long long)size);
	size = (size + HEAP_ALIGN - 1) & ~(uint64_t)(HEAP_ALIGN - 1);
	if (size > h->block_size / 2)
		return alloc_dedicated(h, size, out, err);

	pthread_mutex_lock(&h->lock);
	struct heap_piece *r = find_free(h, size);
	if (!r) {
		/* Call the driver without the lock: at worst, two threads create a block each. */
		pthread_mutex_unlock(&h->lock);
		struct heap_block *b = NULL;
		struct qd_error first;
		qd_status st = make_block(h, h->block_size, false, &b, &first);
		if (st == QD_E_DEVICE_NOMEM)
			return alloc_dedicated(h, size, out, err);
		if (st != QD_OK)
			return qd_fail_text(err, st, 0, 0, first.text, strlen(first.text));
		pthread_mutex_lock(&h->lock);
		link_block(b);
		r = b->first;
		push_free(h, r);
		h->n_empty++;
	}
	bool ok = cut(&h->dev->ctx->pool, h, r, size);
	pthread_mutex_unlock(&h->lock);
	if (!ok)
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	*out = r;
	return QD_OK;
}

void
heap_free(struct heap_piece *r)
{
	struct heap_block *b = r->block, *dead = NULL;
	struct heap *h = b->heap;
	struct pool *pool = &h->dev->ctx->pool;
	pthread_mutex_lock(&h->lock);
	if (b->dedicated) {
		dead = b;
	} else {
		r->used = false;
		absorb_next(pool, h, r);
		if (r->prev && !r->prev->used) {
			struct heap_piece *prev = r->prev;
			pull_free(h, prev);
			push_free(h, r); /* absorb_next removes it */
			absorb_next(pool, h, prev);
			r = prev;
		}
		if (is_whole(r) && h->n_empty >= KEEP_EMPTY) {
			dead = b;
		} else {
			h->n_empty += is_whole(r);
			push_free(h, r);
		}
	}
	if (dead)
		unlink_block(dead);
	pthread_mutex_unlock(&h->lock);
	if (dead)
		destroy_block(dead);
}

bool
heap_trim(struct heap *h)
{
	struct heap_block *dead = NULL;
	pthread_mutex_lock(&h->lock);
	for (struct heap_block *b = h->blocks, *next; b; b = next) {
		next = b->next;
		if (b->first->used || !is_whole(b->first))
			continue;
		pull_free(h, b->first);
		h->n_empty--;
		unlink_block(b);
		b->next = dead;
		dead = b;
	}
	pthread_mutex_unlock(&h->lock);
	bool any = dead != NULL;
	while (dead) {
		struct heap_block *b = dead;
		dead = b->next;
		destroy_block(b);
	}
	return any;
}

/* -- Heaps -------------------------------------------------------------------------- */

void
heap_init(struct heap *h)
{
	pthread_mutex_init(&h->lock, NULL);
}

void
heap_fini(struct heap *h)
{
	for (struct heap_block *b = h->blocks, *next; b; b = next) {
		next = b->next;
		destroy_block(b);
	}
	h->blocks = NULL;
	pthread_mutex_destroy(&h->lock);
}
