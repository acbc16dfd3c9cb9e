/* Lookup of a row of insn.def by the name and the words of an instruction. */
#include "row.h"

const struct row ptx_rows[] = {
#define ROW(name, words, operands, version, sm, family, kind, table)                               \
	{ name, words, operands, version, sm, family, K_##kind },
#include "insn.def"
#undef ROW
};
const unsigned ptx_n_rows = QD_COUNT(ptx_rows);

/* Matches a group of alternatives at *at against a piece; advances *at past it. */
static bool
match_group(const char **at, const struct piece *p, bool *optional)
{
	const char *s = *at;
	bool hit = false;

	for (;;) {
		const char *from = s;

		while (*s && *s != '|' && *s != ' ' && *s != '?')
			s++;
		if (p && (size_t)(s - from) == p->len && !memcmp(from, p->s, p->len))
			hit = true;
		if (*s != '|')
			break;
		s++;
	}
	*optional = *s == '?';
	if (*s == '?')
		s++;
	while (*s == ' ')
		s++;
	*at = s;
	return hit;
}

/* Returns whether the pieces match the whole row; *fit: the number that match. */
static bool
match_row(const struct row *r, const struct piece *p, uint32_t n, uint32_t *fit)
{
	const char *at = r->words;
	uint32_t i = 0;

	while (*at == ' ')
		at++;
	while (*at) {
		bool optional;

		if (match_group(&at, i < n ? &p[i] : NULL, &optional))
			i++;
		else if (!optional) {
			*fit = i;
			return false;
		}
	}
	*fit = i;
	return i == n;
}

enum { N_HEADS = 64 };
static uint16_t head[N_HEADS], next_row[QD_COUNT(ptx_rows)]; /* index plus one; 0: none */
static pthread_once_t heads_made = PTHREAD_ONCE_INIT;

static unsigned
head_of(const char *s, size_t len)
{
	return ((uint8_t)s[0] * 7u + (uint8_t)s[len - 1] * 3u + (unsigned)len) % N_HEADS;
}

static void
make_heads(void)
{
	for (size_t i = QD_COUNT(ptx_rows); i-- > 0;) {
		unsigned h = head_of(ptx_rows[i].name, strlen(ptx_rows[i].name));

		next_row[i] = head[h];
		head[h] = (uint16_t)(i + 1);
	}
}

const struct row *
ptx_row_find(const char *name, uint32_t len, uint32_t version, uint32_t sm, struct row_match *m)
{
	const char *s = name, *end = name + len, *dot = memchr(s, '.', len);
	const struct row *refused = NULL;

	*m = (struct row_match){ .base = (uint32_t)((dot ? dot : end) - s) };
	for (s += m->base; s < end; m->n++) {
		const char *from = ++s;

		while (s < end && *s != '.')
			s++;
		if (m->n < QD_COUNT(m->word))
			m->word[m->n] = (struct piece){ from, (uint32_t)(s - from) };
	}
	if (m->n > QD_COUNT(m->word) || !m->base)
		return NULL;
	pthread_once(&heads_made, make_heads);
	for (unsigned i = head[head_of(name, m->base)]; i; i = next_row[i - 1]) {
		const struct row *r = &ptx_rows[i - 1];
		uint32_t fit;

		if (strlen(r->name) != m->base || memcmp(r->name, name, m->base))
			continue;
		bool whole = match_row(r, m->word, m->n, &fit);

		if (!m->nearest || fit > m->fit) {
			m->nearest = r;
			m->fit = fit;
		}
		if (whole && r->version <= version && r->sm <= sm)
			return r;
		if (whole && !refused)
			refused = r;
	}
	return refused;
}
