/* Shared source text: see source.h. */
#include "source.h"

struct source *
source_new(struct pool *pool, const char *file, const char *text, size_t len)
{
	size_t file_size = strlen(file) + 1;
	struct pool_block *block;
	struct source *s;
	char *at;

	if (len > SIZE_MAX - sizeof *s - file_size - 1)
		return NULL;
	block = pool_get(pool, sizeof *s + file_size + len + 1);
	if (!block)
		return NULL;
	s = pool_data(block);
	at = (char *)(s + 1);
	*s = (struct source){ .pool = pool, .len = len, .file = at, .text = at + file_size };
	atomic_init(&s->refs, 1);
	memcpy(at, file, file_size);
	if (len)
		memcpy(at + file_size, text, len);
	at[file_size + len] = '\0';
	return s;
}

struct source *
source_ref(struct source *s)
{
	atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
	return s;
}

void
source_free(struct source *s)
{
	if (s && atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) == 1)
		pool_delete(s->pool, s);
}
