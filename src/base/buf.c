/* Growable bytes. Out of memory is sticky: later calls do nothing, and the user checks nomem
 * once. */
#include "base.h"

#include <stdio.h>

_Alignas(16) const char buf_empty[16];

void
buf_init(struct buf *b, struct pool *pool)
{
	*b = (struct buf){ .pool = pool };
}

void
buf_fini(struct buf *b)
{
	pool_put(b->pool, b->block);
	buf_init(b, b->pool);
}

/* Makes room for size more bytes without counting them in len. */
static bool
reserve(struct buf *b, size_t size)
{
	size_t room = b->block ? pool_room(b->block) : 0;

	if (b->nomem)
		return false;
	if (b->block && room - b->len >= size)
		return true;
	size_t need = b->len + size;
	struct pool_block *grown = NULL;
	if (need >= size)
		grown = pool_get(b->pool, need > 2 * room ? need : 2 * room);
	if (!grown) {
		b->nomem = true;
		return false;
	}
	if (b->len)
		memcpy(pool_data(grown), buf_data(b), b->len);
	pool_put(b->pool, b->block);
	b->block = grown;
	return true;
}

void *
buf_extend(struct buf *b, size_t size)
{
	if (!reserve(b, size))
		return NULL;
	char *p = buf_data(b) + b->len;
	b->len += size;
	return p;
}

void
buf_put(struct buf *b, const void *p, size_t size)
{
	void *to = buf_extend(b, size);

	if (to && size)
		memcpy(to, p, size);
}

/* For integers and strings only: the text of a float would depend on the locale. A NUL follows
 * the text until the next call. */
void
buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	if (!reserve(b, 1))
		return;
	size_t room = pool_room(b->block) - b->len;
	va_start(ap, fmt);
	int n = vsnprintf(buf_data(b) + b->len, room, fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n >= room) {
		if (!reserve(b, (size_t)n + 1))
			return;
		va_start(ap, fmt);
		n = vsnprintf(buf_data(b) + b->len, (size_t)n + 1, fmt, ap);
		va_end(ap);
	}
	if (n < 0)
		b->nomem = true;
	else
		b->len += (size_t)n;
}

qd_status
buf_copy_out(const struct buf *b, char *text, size_t cap, size_t *len, struct qd_error *err)
{
	if (b->nomem)
		return qd_fail(err, QD_E_NOMEM, "out of memory for a text of %zu bytes or more",
			       b->len);
	if (cap && !text)
		return qd_fail(err, QD_E_INVALID, "text is NULL, but cap is %zu", cap);
	if (cap) {
		size_t n = b->len < cap ? b->len : cap - 1;
		if (n)
			memcpy(text, buf_data(b), n);
		text[n] = '\0';
	}
	if (len)
		*len = b->len;
	return QD_OK;
}
