/* Names as numbers: one table per module, the grammar's words first. */
#include "lang.h"

static const struct symbol words[N_WORD] = {
	{ "", 0, 0 },
#define WORD(id, text) { text, sizeof text - 1, 0 },
#include "word.def"
};

static uint32_t
hash_name(const char *s, uint32_t len)
{
	uint32_t h = 2166136261u;

	for (uint32_t i = 0; i < len; i++)
		h = (h ^ (uint8_t)s[i]) * 16777619u;
	return h ^ h >> 15;
}

static bool
grow(struct symtab *t, uint32_t n_slots)
{
	struct symbol *sym = arena_alloc(t->mem, n_slots / 2 * sizeof *sym);
	uint32_t *slot = arena_zalloc(t->mem, n_slots * sizeof *slot);

	if (!sym || !slot)
		return false;
	if (t->n)
		memcpy(sym, t->sym, t->n * sizeof *sym);
	t->sym = sym;
	t->slot = slot;
	t->cap = n_slots / 2;
	t->n_slots = n_slots;
	for (uint32_t i = 1; i < t->n; i++) {
		uint32_t h = hash_name(sym[i].s, sym[i].len) & (n_slots - 1);

		while (slot[h])
			h = (h + 1) & (n_slots - 1);
		slot[h] = i;
	}
	return true;
}

uint32_t
symtab_intern(struct symtab *t, const char *s, uint32_t len)
{
	uint32_t h = hash_name(s, len) & (t->n_slots - 1), i;

	while ((i = t->slot[h])) {
		if (t->sym[i].len == len && memcmp(t->sym[i].s, s, len) == 0)
			return i;
		h = (h + 1) & (t->n_slots - 1);
	}
	if (t->n == t->cap)
		return grow(t, 2 * t->n_slots) ? symtab_intern(t, s, len) : 0;
	t->sym[t->n] = (struct symbol){ s, len, 0 };
	t->slot[h] = t->n;
	return t->n++;
}

bool
symtab_init(struct symtab *t, struct arena *mem)
{
	*t = (struct symtab){ .mem = mem };
	if (!grow(t, 512))
		return false;
	memcpy(t->sym, words, sizeof words);
	t->n = N_WORD;
	return grow(t, 512);
}
