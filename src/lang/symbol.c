/* Names as numbers: one table per module, which begins with the grammar's words. */
#include "lang.h"

static const struct symbol words[N_WORD] = {
	{ "", 0, 0 },
#define WORD(id, text) { text, sizeof text - 1, 0 },
#include "word.def"
};

/* Returns the slot of a name, or the free slot for it. The hash is mixed with random numbers, so
 * that no text can provoke collisions. */
static uint32_t
find_slot(const struct symtab *t, const char *s, uint32_t len)
{
	struct hash128 h = hash_bytes(s, len);
	uint32_t at = (uint32_t)((h.lo * t->seed[0] + h.hi * t->seed[1]) >> 32), i;

	while ((i = t->slot[at &= t->n_slots - 1]) &&
	       (t->sym[i].len != len || memcmp(t->sym[i].s, s, len) != 0))
		at++;
	return at;
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
		uint32_t at = find_slot(t, sym[i].s, sym[i].len);

		slot[at] = slot[at] ? slot[at] : i; /* the first one, not a twin */
	}
	return true;
}

uint32_t
symtab_find(const struct symtab *t, const char *s, uint32_t len)
{
	return t->slot[find_slot(t, s, len)];
}

uint32_t
symtab_intern(struct symtab *t, const char *s, uint32_t len)
{
	uint32_t at = find_slot(t, s, len);

	if (t->slot[at])
		return t->slot[at];
	if (t->n == t->cap) {
		if (!grow(t, 2 * t->n_slots))
			return 0;
		at = find_slot(t, s, len);
	}
	t->sym[t->n] = (struct symbol){ s, len, 0 };
	t->slot[at] = t->n;
	return t->n++;
}

uint32_t
symtab_twin(struct symtab *t, uint32_t sym)
{
	if (t->n == t->cap && !grow(t, 2 * t->n_slots))
		return 0;
	t->sym[t->n] = t->sym[sym];
	return t->n++;
}

bool
symtab_init(struct symtab *t, struct arena *mem)
{
	*t = (struct symtab){ .mem = mem };
	hash_seed(t->seed);
	if (!grow(t, 512))
		return false;
	memcpy(t->sym, words, sizeof words);
	t->n = N_WORD;
	return grow(t, 512);
}
