/* Arenas: many small allocations that are freed together. Blocks come from the pool and double
 * in size, so an arena of n bytes takes O(log n) blocks. */
#include "base.h"

enum { ARENA_FIRST = 4096, ARENA_LAST = 1 << 20 }; /* whole blocks, in bytes */

/* The position of an arena without blocks. With it, an allocation of no bytes has an address,
 * and end - at is a difference of pointers into one object. */
static _Alignas(16) char nothing[16];

void
arena_init(struct arena *a, struct pool *pool)
{
	*a = (struct arena){ .pool = pool, .at = nothing, .end = nothing };
}

static void
enter_block(struct arena *a)
{
	a->at = pool_data(a->blocks);
	a->end = a->at + pool_room(a->blocks);
}

void *
arena_grow(struct arena *a, size_t size)
{
	size_t want = ARENA_FIRST;

	if (a->blocks) {
		want = a->blocks->size < ARENA_LAST / 2 ? 2 * a->blocks->size : ARENA_LAST;
	}
	want -= sizeof(struct pool_block);
	struct pool_block *b = pool_get(a->pool, size > want ? size : want);
	if (!b)
		return NULL;
	b->next = a->blocks;
	a->blocks = b;
	enter_block(a);
	void *p = a->at;
	a->at += size;
	return p;
}

static void
put_blocks(struct arena *a, const struct pool_block *but)
{
	struct pool_block *next;

	for (struct pool_block *b = a->blocks; b; b = next) {
		next = b->next;
		if (b != but)
			pool_put(a->pool, b);
	}
}

void
arena_fini(struct arena *a)
{
	put_blocks(a, NULL);
	arena_init(a, a->pool);
}

/* Replaces several blocks with one of their total size, so that the next, similar use takes
 * nothing from the pool. If out of memory, keeps the largest block. */
void
arena_reset(struct arena *a)
{
	struct pool_block *keep = a->blocks;
	size_t size = 0;

	if (!keep)
		return;
	for (struct pool_block *b = a->blocks; b; b = b->next) {
		size += b->size;
		if (b->size > keep->size)
			keep = b;
	}
	if (keep->size < size) {
		put_blocks(a, keep);
		struct pool_block *one = pool_get(a->pool, size - sizeof *one);
		if (one) {
			pool_put(a->pool, keep);
			keep = one;
		}
	}
	keep->next = NULL;
	a->blocks = keep;
	enter_block(a);
}

void
arena_trim(struct arena *a, size_t keep)
{
	size_t size = 0;

	for (struct pool_block *b = a->blocks; b; b = b->next)
		size += b->size;
	if (size > keep)
		arena_fini(a);
	else
		arena_reset(a);
}

void *
arena_zalloc(struct arena *a, size_t size)
{
	void *p = arena_alloc(a, size);

	return p ? memset(p, 0, size) : NULL;
}

void
mem_zero(void *p, size_t size)
{
	memset(p, 0, size);
}

char *
arena_strdup(struct arena *a, const char *s, size_t len)
{
	char *p = arena_alloc(a, len + 1);

	if (!p)
		return NULL;
	if (len)
		memcpy(p, s, len);
	p[len] = '\0';
	return p;
}
