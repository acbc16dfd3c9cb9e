/* Forms: rows of the table of instructions with the meaning of their words. */
#include "parse.h"

/* Implementations, parallel to ptx_rows. */
static const void *const tables[] = {
#define ROW(name, words, operands, version, sm, family, kind, table) (const void *)(table),
#include "insn.def"
#undef ROW
};

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
	struct row_match m;
	const struct row *found = ptx_row_find(t->s, t->len, ps->m->version, ps->m->sm, &m);
	struct form *f;

	if (!found) {
		if (m.n > QD_COUNT(m.word))
			parse_fail(ps, "the instruction has too many modifiers");
		else if (!m.nearest)
			parse_fail(ps, "unknown instruction %.*s", (int)m.base, t->s);
		else if (m.fit < m.n)
			parse_fail(ps, "unknown instruction '%.*s': unexpected .%.*s",
				   TOKEN_ARGS(ps), (int)m.word[m.fit].len, m.word[m.fit].s);
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
	f->table = tables[found - ptx_rows];
	for (uint32_t i = 0; i < m.n; i++)
		note_word(f, m.word[i].s, m.word[i].len);
	if (!allowed(ps, found, f, m.word, m.n))
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
