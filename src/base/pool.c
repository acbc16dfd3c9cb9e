/* The pool: all memory of the library comes from here, except the context itself, which contains
 * the pool. Freed blocks are kept for reuse in few sizes, eight per power of two, so that the
 * second compile needs no allocation. Larger blocks go directly to the allocator. Kept memory
 * has a limit, beyond which the largest blocks are released first: this takes the fewest calls,
 * and small blocks are needed most often. */
#include "base.h"

#include <assert.h>
#include <stdlib.h>

/* pool_data has the alignment of the block. */
_Static_assert(sizeof(struct pool_block) % 16 == 0, "the header keeps 16-byte alignment");

/* Blocks on a free list are unowned. The address sanitizer reports a double free or a later
 * access. */
static void
hide(struct pool_block *b)
{
#ifdef QD_ASAN
	(void)*(volatile char *)pool_data(b);
#endif
	QD_POISON(pool_data(b), pool_room(b));
}

static void
show(struct pool_block *b)
{
	QD_UNPOISON(pool_data(b), pool_room(b));
}

static void *
malloc_alloc(void *user, size_t size)
{
	(void)user;
	return malloc(size);
}

static void
malloc_free(void *user, void *p, size_t size)
{
	(void)user;
	(void)size;
	free(p);
}

const struct qd_allocator pool_malloc = { malloc_alloc, malloc_free, NULL };

void
pool_init(struct pool *p, const struct qd_allocator *a)
{
	memset(p, 0, sizeof *p);
	p->a = *a;
	p->most = SIZE_MAX;
	p->forks = atomic_load(&fork_count);
	pthread_mutex_init(&p->lock, NULL);
}

void
pool_limit(struct pool *p, size_t most)
{
	p->most = most;
}

/* Removes the largest blocks from the lists until at most this many bytes remain. Returns the
 * removed blocks. */
static struct pool_block *
shed(struct pool *p, size_t most)
{
	struct pool_block *out = NULL;

	while (p->kept > most) {
		while (!p->free[p->top])
			p->top--;
		struct pool_block *b = p->free[p->top];
		p->free[p->top] = b->next;
		p->kept -= b->size;
		b->next = out;
		out = b;
	}
	return out;
}

static size_t
give_back(struct pool *p, struct pool_block *list)
{
	size_t size = 0;

	while (list) {
		struct pool_block *b = list;
		list = b->next;
		size += b->size;
		show(b);
		p->a.free(p->a.user, b, b->size);
	}
	return size;
}

void
pool_fini(struct pool *p)
{
	give_back(p, shed(p, 0));
	pthread_mutex_destroy(&p->lock);
}

size_t
pool_trim(struct pool *p)
{
	pthread_mutex_lock(&p->lock);
	struct pool_block *out = shed(p, 0);
	pthread_mutex_unlock(&p->lock);
	return give_back(p, out);
}

size_t
pool_kept(struct pool *p)
{
	pthread_mutex_lock(&p->lock);
	size_t size = p->kept;
	pthread_mutex_unlock(&p->lock);
	return size;
}

/* Returns the class of a block of *size bytes and rounds *size up to it: 64, then 9/8, 10/8 ...
 * 16/8 of each power of two. */
static unsigned
size_class(size_t *size)
{
	if (*size <= (size_t)1 << POOL_MIN_LOG2) {
		*size = (size_t)1 << POOL_MIN_LOG2;
		return 0;
	}
	unsigned log2 = qd_log2(*size - 1), shift = log2 - 3;
	size_t eighths = ((*size - 1) >> shift) + 1; /* 9 to 16 */

	*size = eighths << shift;
	return 8 * (log2 - POOL_MIN_LOG2) + (unsigned)eighths - 8;
}

/* -- Quotas ----------------------------------------------------------------------------- */

static _Thread_local struct pool_quota *quota;

void
pool_quota_begin(struct pool_quota *q, uint64_t most)
{
	*q = (struct pool_quota){ .outer = quota, .most = most };
	quota = q;
}

void
pool_quota_end(struct pool_quota *q)
{
	quota = q->outer;
}

struct pool_quota *
pool_quota_now(void)
{
	return quota;
}

void
pool_quota_lend(struct pool_quota *q)
{
	quota = q;
}

static bool
quota_take(struct pool_quota *q, size_t size)
{
	if (size > q->most - q->held) {
		q->over = true;
		return false;
	}
	q->held += size;
	return true;
}

/* Also called for blocks taken before the quota began. */
static void
quota_give(struct pool_quota *q, size_t size)
{
	q->held -= size < q->held ? size : q->held;
}

/* -- Blocks ------------------------------------------------------------------------------ */

struct pool_block *
pool_get(struct pool *p, size_t size)
{
	struct pool_block *b = NULL;

	if (size > SIZE_MAX - sizeof *b || forked_since(p->forks))
		return NULL;
	size += sizeof *b;
	bool small = size <= (size_t)1 << POOL_MAX_LOG2;
	unsigned c = small ? size_class(&size) : 0;
	struct pool_quota *q = quota;
	if (QD_UNLIKELY(q != NULL) && !quota_take(q, size))
		return NULL;
	if (small) {
		pthread_mutex_lock(&p->lock);
		b = p->free[c];
		if (b) {
			p->free[c] = b->next;
			p->kept -= b->size;
		}
		pthread_mutex_unlock(&p->lock);
		if (b)
			show(b);
	}
	if (!b) {
		b = p->a.alloc(p->a.user, size);
		if (!b && pool_trim(p))
			b = p->a.alloc(p->a.user, size);
		if (!b) {
			if (q)
				quota_give(q, size);
			return NULL;
		}
		b->size = size;
	}
	b->next = NULL;
	return b;
}

void
pool_put(struct pool *p, struct pool_block *b)
{
	if (!b || forked_since(p->forks))
		return;
	if (QD_UNLIKELY(quota != NULL))
		quota_give(quota, b->size);
	if (b->size > (size_t)1 << POOL_MAX_LOG2) {
		p->a.free(p->a.user, b, b->size);
		return;
	}
	size_t size = b->size;
	unsigned c = size_class(&size);
	assert(b->size == size);
	hide(b);
	pthread_mutex_lock(&p->lock);
	b->next = p->free[c];
	p->free[c] = b;
	p->kept += size;
	if (p->top < c)
		p->top = c;
	struct pool_block *out = QD_UNLIKELY(p->kept > p->most) ? shed(p, p->most) : NULL;
	pthread_mutex_unlock(&p->lock);
	if (QD_UNLIKELY(out != NULL))
		give_back(p, out);
}

void *
pool_new(struct pool *p, size_t size)
{
	struct pool_block *b = pool_get(p, size);

	return b ? memset(pool_data(b), 0, size) : NULL;
}

void
pool_delete(struct pool *p, void *obj)
{
	if (obj)
		pool_put(p, (struct pool_block *)obj - 1);
}
