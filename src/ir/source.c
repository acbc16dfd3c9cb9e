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
	if (text && len)
		memcpy(at + file_size, text, len);
	at[file_size + len] = '\0';
	return s;
}

struct source *
source_append(struct source *s, const char *text, size_t len)
{
	struct source *to;
	char *at;

	if (len > SIZE_MAX - s->len - 1 || !(to = source_new(s->pool, s->file, NULL, s->len + 1 + len)))
		return NULL;
	at = (char *)(uintptr_t)to->text;
	memcpy(at, s->text, s->len);
	at[s->len] = '\n';
	if (len)
		memcpy(at + s->len + 1, text, len);
	source_free(s);
	return to;
}

bool
source_set_lines(struct source *s, const struct line_part *part, uint32_t n)
{
	size_t size = n * sizeof *part;
	const char *last = NULL;
	struct line_part *to;
	char *at;

	for (uint32_t i = 0; i < n; i++) {
		size += part[i].file == last ? 0 : strlen(part[i].file) + 1;
		last = part[i].file;
	}
	if (!n)
		return true;
	if (!(s->map = pool_get(s->pool, size)))
		return false;
	to = pool_data(s->map);
	at = (char *)(to + n);
	for (uint32_t i = 0; i < n; i++) {
		size_t len = strlen(part[i].file) + 1;

		to[i] = part[i];
		if (i && part[i].file == part[i - 1].file) {
			to[i].file = to[i - 1].file;
			continue;
		}
		to[i].file = memcpy(at, part[i].file, len);
		at += len;
	}
	s->lines = (struct line_map){ to, n };
	return true;
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
	if (s && atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) == 1) {
		if (s->map)
			pool_put(s->pool, s->map);
		pool_delete(s->pool, s);
	}
}
