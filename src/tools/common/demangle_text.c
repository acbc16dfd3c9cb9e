/* Text, lists, numbers and words of mangled names. */
#include "demangle_read.h"

#include <stdarg.h>

static const struct part no_part = { "", "", "", NULL, CXX_PLAIN, 0, false };

struct piece
cxx_give_up(struct reader *r)
{
	r->bad = true;
	return (struct piece){ .v = &no_part, .n = 1 };
}

bool
cxx_next_is(const struct reader *r, const char *s)
{
	return strncmp(r->at, s, strlen(s)) == 0;
}

bool
cxx_take(struct reader *r, const char *s)
{
	if (!cxx_next_is(r, s))
		return false;
	r->at += strlen(s);
	return true;
}

void *
cxx_room(struct reader *r, size_t size)
{
	void *p = r->size + size > CXX_TEXT ? NULL : arena_zalloc(r->mem, size);

	r->size += size;
	r->bad |= !p;
	return p;
}

/* Concatenates the strings up to NULL. */
const char *
cxx_join(struct reader *r, const char *first, ...)
{
	size_t len = strlen(first), n;
	const char *s;
	va_list ap;

	va_start(ap, first);
	while ((s = va_arg(ap, const char *)) != NULL)
		len += strlen(s);
	va_end(ap);
	char *text = cxx_room(r, len + 1);
	if (!text)
		return "";
	n = strlen(first);
	memcpy(text, first, n);
	va_start(ap, first);
	while ((s = va_arg(ap, const char *)) != NULL) {
		memcpy(text + n, s, strlen(s));
		n += strlen(s);
	}
	va_end(ap);
	return text;
}

const char *
cxx_whole(struct reader *r, const struct part *p)
{
	return *p->right ? cxx_join(r, p->left, p->right, NULL) : p->left;
}

struct piece
cxx_piece(struct reader *r, struct part p)
{
	struct part *v = cxx_room(r, sizeof *v);

	if (!v)
		return cxx_give_up(r);
	*v = p;
	return (struct piece){ .v = v, .n = 1 };
}

struct piece
cxx_word(struct reader *r, const char *text)
{
	return cxx_piece(r, (struct part){ text, "", text, NULL, CXX_PLAIN, 0, false });
}

/* Applies make to each element of p. */
struct piece
cxx_each(struct reader *r, struct piece p,
	 struct part (*make)(struct reader *r, struct part p, const char *s), const char *s)
{
	struct part *v = cxx_room(r, (p.n + 1) * sizeof *v);

	/* An expanded pack is a list, not a type. */
	if (!v || p.expanded)
		return cxx_give_up(r);
	for (uint32_t i = 0; i < p.n; i++)
		v[i] = make(r, p.v[i], s);
	p.v = v;
	return p;
}

void
cxx_push(struct reader *r, struct piece p)
{
	if (r->n_subs < CXX_SUBS)
		r->subs[r->n_subs++] = p;
	else
		r->bad = true;
}

/* -- Lists ----------------------------------------------------------------------------- */

struct commas
cxx_commas(struct reader *r)
{
	struct commas c = { cxx_room(r, sizeof *c.text), 1, false };

	if (c.text)
		c.text[0] = NULL;
	return c;
}

static void
add(struct reader *r, const char **text, const char *s)
{
	*text = *text ? cxx_join(r, *text, ", ", s, NULL) : s;
}

/* Adds one element, or each element of a pack, to the lists. */
void
cxx_add_comma(struct reader *r, struct commas *c, struct piece p)
{
	if (r->bad)
		return;
	if (p.pack && !p.expanded && !c->pack) {
		const char **text = cxx_room(r, (p.n + 1) * sizeof *text);
		for (uint32_t i = 0; text && i < p.n; i++)
			text[i] = c->text[0];
		*c = (struct commas){ text, p.n, true };
	}
	if (r->bad || (p.pack && !p.expanded && p.n != c->n)) {
		r->bad = true;
		return;
	}
	for (uint32_t i = 0; i < c->n; i++) {
		if (p.pack && !p.expanded) {
			add(r, &c->text[i], cxx_whole(r, &p.v[i]));
			continue;
		}
		for (uint32_t k = 0; k < p.n; k++)
			add(r, &c->text[i], cxx_whole(r, &p.v[k]));
	}
}

/* -- Numbers and words ---------------------------------------------------------------- */

/* Reads digits as text, which may be empty. */
const char *
cxx_digits(struct reader *r)
{
	size_t len = strspn(r->at, "0123456789");
	char *text = cxx_room(r, len + 1);

	if (!text)
		return "";
	memcpy(text, r->at, len);
	r->at += len;
	return text;
}

/* Reads a sequence number in this base: "_" is 0, "0_" is 1; false: there is none. */
bool
cxx_place(struct reader *r, unsigned base, uint32_t *v)
{
	uint64_t n = 0;
	const char *p = r->at;

	for (; *p && *p != '_'; p++) {
		unsigned digit = *p >= '0' && *p <= '9'	  ? (unsigned)(*p - '0')
				 : *p >= 'A' && *p <= 'Z' ? (unsigned)(*p - 'A') + 10
							  : 99;
		n = n * base + digit;
		if (digit >= base || n > CXX_SUBS)
			return false;
	}
	if (!*p)
		return false;
	*v = (uint32_t)(p > r->at ? n + 1 : 0);
	r->at = p + 1;
	return true;
}

const char *
cxx_source_name(struct reader *r)
{
	size_t len = 0;

	if (*r->at < '1' || *r->at > '9')
		return cxx_give_up(r).v->left;
	for (; *r->at >= '0' && *r->at <= '9' && len < CXX_TEXT; r->at++)
		len = 10 * len + (size_t)(*r->at - '0');
	if (strnlen(r->at, len) < len)
		return cxx_give_up(r).v->left;
	char *text = cxx_room(r, len + 1);
	if (!text)
		return "";
	memcpy(text, r->at, len);
	r->at += len;
	return strncmp(text, "_GLOBAL__N", 10) == 0 ? "(anonymous namespace)" : text;
}
