/* Formatting for the printer. snprintf would take several times longer than the rest of the
 * printer, since it builds a stream for each call. */
#include "text.h"

#include <assert.h>
#include <stdarg.h>

void
gcn_add_cut(struct gcn_text *x, const char *s, size_t n)
{
	size_t room = x->len < x->cap ? x->cap - x->len : 0;

	if (room) {
		size_t fits = n < room ? n : room - 1;
		memcpy(x->at + x->len, s, fits);
		x->at[x->len + fits] = '\0';
	}
	x->len += n;
}

void
gcn_add_number(struct gcn_text *x, uint32_t v)
{
	char text[10], *end = text + sizeof text, *p = end;

	for (; v >= 10; v /= 10)
		*--p = (char)('0' + v % 10);
	*--p = (char)('0' + v);
	gcn_add_text(x, p, (size_t)(end - p));
}

void
gcn_add_hex(struct gcn_text *x, uint32_t v)
{
	char text[8], *end = text + sizeof text, *p = end;

	do
		*--p = "0123456789abcdef"[v & 15];
	while (v >>= 4);
	gcn_add_text(x, p, (size_t)(end - p));
}

void
gcn_add(struct gcn_text *x, const char *fmt, ...)
{
	va_list ap;
	const char *s;
	char c;
	int v;

	va_start(ap, fmt);
	for (; *fmt; fmt++) {
		for (s = fmt; *fmt && *fmt != '%'; fmt++) { }
		gcn_add_text(x, s, (size_t)(fmt - s));
		if (!*fmt)
			break;
		switch (*++fmt) {
		case 's':
			s = va_arg(ap, const char *);
			gcn_add_text(x, s, strlen(s));
			break;
		case '.':
			assert(fmt[1] == '*' && fmt[2] == 's');
			fmt += 2;
			v = va_arg(ap, int);
			s = va_arg(ap, const char *);
			gcn_add_text(x, s, strnlen(s, (size_t)v));
			break;
		case 'c':
			c = (char)va_arg(ap, int);
			gcn_add_text(x, &c, 1);
			break;
		case 'u': gcn_add_number(x, va_arg(ap, unsigned)); break;
		case 'x': gcn_add_hex(x, va_arg(ap, unsigned)); break;
		default:
			assert(*fmt == 'd');
			v = va_arg(ap, int);
			if (v < 0)
				gcn_add_text(x, "-", 1);
			gcn_add_number(x, v < 0 ? 0u - (uint32_t)v : (uint32_t)v);
		}
	}
	va_end(ap);
}
