/* Formatting for the printer.  printf's own costs several times what the rest of
 * the printer does: it builds a stream for each call. */
#include "text.h"

#include <assert.h>
#include <stdarg.h>

static void
put(struct gcn_text *x, const char *s, size_t n)
{
	size_t room = x->len < x->cap ? x->cap - x->len : 0;

	if (n < room)
		memcpy(x->at + x->len, s, n);
	else if (room)
		memcpy(x->at + x->len, s, room - 1);
	x->len += n;
}

static void
put_number(struct gcn_text *x, uint32_t v, uint32_t base)
{
	char text[10], *end = text + sizeof text, *p = end;

	do
		*--p = "0123456789abcdef"[v % base];
	while (v /= base);
	put(x, p, (size_t)(end - p));
}

static void QD_PRINTF(2, 0)
put_all(struct gcn_text *x, const char *fmt, va_list ap)
{
	const char *s;
	char c;
	int v;

	for (; *fmt; fmt++) {
		for (s = fmt; *fmt && *fmt != '%'; fmt++) { }
		put(x, s, (size_t)(fmt - s));
		if (!*fmt)
			break;
		switch (*++fmt) {
		case 's':
			s = va_arg(ap, const char *);
			put(x, s, strlen(s));
			break;
		case '.':
			assert(fmt[1] == '*' && fmt[2] == 's');
			fmt += 2;
			v = va_arg(ap, int);
			s = va_arg(ap, const char *);
			put(x, s, strnlen(s, (size_t)v));
			break;
		case 'c':
			c = (char)va_arg(ap, int);
			put(x, &c, 1);
			break;
		case 'u': put_number(x, va_arg(ap, unsigned), 10); break;
		case 'x': put_number(x, va_arg(ap, unsigned), 16); break;
		default:
			assert(*fmt == 'd');
			v = va_arg(ap, int);
			if (v < 0)
				put(x, "-", 1);
			put_number(x, v < 0 ? 0u - (uint32_t)v : (uint32_t)v, 10);
		}
	}
	if (x->cap)
		x->at[x->len < x->cap ? x->len : x->cap - 1] = '\0';
}

void
gcn_add(struct gcn_text *x, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_all(x, fmt, ap);
	va_end(ap);
}

int
gcn_format(char *out, size_t cap, const char *fmt, ...)
{
	struct gcn_text x = { out, cap, 0 };
	va_list ap;

	va_start(ap, fmt);
	put_all(&x, fmt, ap);
	va_end(ap);
	return (int)x.len;
}
