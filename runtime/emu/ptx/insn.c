/* The table of instructions, and the lookup of an instruction by its name and words. */
#include "parse.h"

const struct row ptx_rows[] = {
#define ROW(name, words, operands, version, sm, family, kind, table)                               \
	{ name, words, operands, version, sm, family, K_##kind, (const void *)(table) },
#include "insn.def"
#undef ROW
};
const unsigned ptx_n_rows = QD_COUNT(ptx_rows);

/* -- Words -------------------------------------------------------------------------------- */

enum word_kind {
	WORD_FLAG,
	WORD_SEM,
	WORD_OP,
	WORD_CACHE,
	WORD_SCOPE,
	WORD_SPACE,
	WORD_CMP,
	WORD_ROUND,
	WORD_VEC
};

static const struct word {
	const char *s;
	uint8_t kind;
	uint32_t value;
} words[] = {
#define WORD(s, kind, value) { #s, WORD_##kind, value },
#include "word.def"
#undef WORD
};

static void
note_word(struct form *f, const char *s, size_t len)
{
	enum ptx_type_id t = ptx_type_named(s, (uint32_t)len);

	if (t != T_none && f->n_types < QD_COUNT(f->type)) {
		f->type[f->n_types++] = (uint8_t)t;
		return;
	}
	if (len == 11 && !memcmp(s, "shared::cta", 11))
		len = 6;
	else if (len > 5 && !memcmp(s, "param", 5))
		len = 5;
	for (size_t i = 0; i < QD_COUNT(words); i++) {
		const struct word *w = &words[i];

		if (w->s[0] != *s || strlen(w->s) != len || memcmp(w->s, s, len))
			continue;
		switch (w->kind) {
		case WORD_FLAG: f->flags |= w->value; break;
		case WORD_OP:
			if (f->n_ops < QD_COUNT(f->op))
				f->op[f->n_ops++] = (uint8_t)w->value;
			break;
		case WORD_SPACE: f->space = (uint8_t)w->value; break;
		case WORD_CMP: f->cmp = (uint8_t)w->value; break;
		case WORD_ROUND: f->round = (uint8_t)w->value; break;
		case WORD_VEC: f->vec = (uint8_t)w->value; break;
		default: break;
		}
		return;
	}
}

struct piece {
	const char *s;
	uint32_t len;
};
enum { MAX_PIECES = 16 };

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

/* -- Rows by name ------------------------------------------------------------------------- */

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

/* -- Forms -------------------------------------------------------------------------------- */

static const struct {
	const char *word;
	uint8_t version, sm;
} gates[] = {
#define GATE(word, version, sm) { word, version, sm },
#include "gate.def"
#undef GATE
};

static bool
allowed(struct parse *ps, const struct row *r, const struct form *f, const struct piece *p,
	uint32_t n)
{
	const struct ptx_module *m = ps->m;
	uint32_t version = r->version, sm = r->sm;

	for (uint32_t i = 0; i < n; i++)
		for (size_t g = 0; g < QD_COUNT(gates); g++)
			if (p[i].len == strlen(gates[g].word) &&
			    !memcmp(p[i].s, gates[g].word, p[i].len)) {
				version = version > gates[g].version ? version : gates[g].version;
				sm = sm > gates[g].sm ? sm : gates[g].sm;
			}

	if (version > m->version)
		return parse_fail_at(ps, QD_E_TARGET, ps->lx.t.line, ps->lx.t.col,
				     "%s requires .version %u.%u or later, found %u.%u", f->name,
				     version / 10, version % 10, m->version / 10, m->version % 10);
	if (sm > m->sm)
		return parse_fail_at(ps, QD_E_TARGET, ps->lx.t.line, ps->lx.t.col,
				     "%s requires .target sm_%u or later, found sm_%u", f->name, sm,
				     m->sm);
	if (r->family == 'a' && (!m->family || m->sm / 10 != sm / 10))
		return parse_fail_at(ps, QD_E_TARGET, ps->lx.t.line, ps->lx.t.col,
				     "%s requires .target sm_%ua", f->name, sm);
	if (r->family == 'o' && m->sm >= 70)
		return parse_fail_at(
			ps, QD_E_TARGET, ps->lx.t.line, ps->lx.t.col,
			"%s is not supported on sm_70 and later: use the form with .sync", f->name);
	return true;
}

static const struct form *
form_make(struct parse *ps, uint32_t hash)
{
	const struct token *t = &ps->lx.t;
	struct piece p[MAX_PIECES];
	uint32_t n = 0, best = 0;
	const char *s = t->s, *end = t->s + t->len;
	const char *dot = memchr(s, '.', t->len);
	uint32_t base = (uint32_t)((dot ? dot : end) - s);
	const struct row *found = NULL, *refused = NULL;
	bool known = false;
	struct form *f;

	for (s += base; s < end; n++) {
		const char *from = ++s;

		while (s < end && *s != '.')
			s++;
		if (n == MAX_PIECES) {
			parse_fail(ps, "the instruction has too many modifiers");
			return NULL;
		}
		p[n] = (struct piece){ from, (uint32_t)(s - from) };
	}
	pthread_once(&heads_made, make_heads);
	for (unsigned i = head[head_of(t->s, base)]; i; i = next_row[i - 1]) {
		const struct row *r = &ptx_rows[i - 1];
		uint32_t fit;

		if (strlen(r->name) != base || memcmp(r->name, t->s, base))
			continue;
		known = true;
		if (!match_row(r, p, n, &fit)) {
			best = fit > best ? fit : best;
			continue;
		}
		/* If several rows match, one that the target supports is used. */
		if (r->version <= ps->m->version && r->sm <= ps->m->sm) {
			found = r;
			break;
		}
		if (!refused)
			refused = r;
	}
	if (!found)
		found = refused;
	if (!found) {
		if (!known)
			parse_fail(ps, "unknown instruction %.*s", (int)base, t->s);
		else if (best < n)
			parse_fail(ps, "unknown instruction '%.*s': unexpected .%.*s",
				   TOKEN_ARGS(ps), (int)p[best].len, p[best].s);
		else
			parse_fail(ps,
				   "incomplete instruction '%.*s': a modifier or type is missing",
				   TOKEN_ARGS(ps));
		return NULL;
	}
	f = arena_zalloc(&ps->m->arena, sizeof *f);
	char *name = arena_strdup(&ps->m->arena, t->s, t->len);
	if (!f || !name) {
		parse_nomem(ps);
		return NULL;
	}
	f->name = name;
	f->len = t->len;
	f->hash = hash;
	f->row = found;
	for (uint32_t i = 0; i < n; i++)
		note_word(f, p[i].s, p[i].len);
	if (!allowed(ps, found, f, p, n))
		return NULL;
	f->next = ps->forms[hash % FORM_TABLE];
	ps->forms[hash % FORM_TABLE] = f;
	return f;
}

const struct form *
form_find(struct parse *ps)
{
	const struct token *t = &ps->lx.t;
	uint32_t h = t->len;

	for (uint32_t i = 0; i < t->len; i++)
		h = (h ^ (uint8_t)t->s[i]) * 0x01000193;
	h ^= h >> 15;
	for (const struct form *f = ps->forms[h % FORM_TABLE]; f; f = f->next)
		if (f->hash == h && f->len == t->len && !memcmp(f->name, t->s, t->len))
			return f;
	return form_make(ps, h);
}
