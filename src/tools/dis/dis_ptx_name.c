/* Names in PTX: hashes, and tables of declared registers and shared variables. */
#include "dis_ptx.h"

/* -- Hashes -------------------------------------------------------------------------------------- */

static uint32_t
hash_more(uint32_t hash, char c)
{
	return (hash ^ (uint8_t)c) * 0x01000193u;
}

uint32_t
ptx_hash(const struct ptx *p, struct word w)
{
	uint32_t hash = (uint32_t)p->seed[0];

	for (uint32_t i = 0; i < w.len; i++)
		hash = hash_more(hash, w.s[i]);
	return hash;
}

/* -- Hash chains of rows, by name ------------------------------------------------------------------- */

/* Returns the head of a chain: the index of a row + 1; 0: empty. */
static uint32_t *
chain_of(const struct ptx *p, struct chains *c, uint32_t hash)
{
	return (uint32_t *)(void *)buf_data(&c->first) + ((hash * p->seed[1] >> 32) & c->mask);
}

/* Makes room for n rows. Returns true if all chains are now empty, so that all rows must be added
 * again. */
static bool
make_chains(struct chains *c, uint32_t n)
{
	size_t size = c->first.len ? (size_t)c->mask + 1 : 64;

	if (c->first.len && n <= size)
		return false;
	while (size < n)
		size *= 2;
	c->first.len = 0;
	char *to = buf_extend(&c->first, size * sizeof(uint32_t));
	if (!to)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	memset(to, 0, size * sizeof(uint32_t));
	c->mask = (uint32_t)size - 1;
	return true;
}

/* -- Declared registers -------------------------------------------------------------------------- */

static void
chain_decl(struct ptx *p, uint32_t i)
{
	struct decl *d = &CODE_ROWS(&p->decls, decl)[i];
	uint32_t *first = chain_of(p, &p->decl_chains, d->hash);

	d->next = *first;
	*first = i + 1;
}

void
ptx_open_decl(struct ptx *p, struct decl d)
{
	uint32_t n = CODE_COUNT(&p->decls, decl);

	d.hash = ptx_hash(p, d.name);
	code_add(&p->decls, &d, sizeof d);
	code_add(&p->open, &n, sizeof n);
	if (!make_chains(&p->decl_chains, n + 1)) {
		chain_decl(p, n);
		return;
	}
	const uint32_t *open = (const uint32_t *)(const void *)buf_data(&p->open);
	for (size_t i = 0; i < p->open.len / sizeof *open; i++)
		chain_decl(p, open[i]);
}

/* The newest row of a chain is its first, so the rows of a scope are removed in reverse. */
void
ptx_close_decls(struct ptx *p)
{
	const struct decl *d = CODE_ROWS(&p->decls, decl);
	const uint32_t *open = (const uint32_t *)(const void *)buf_data(&p->open);

	for (; p->open.len; p->open.len -= sizeof *open) {
		const struct decl *last = &d[open[p->open.len / sizeof *open - 1]];
		if (last->scope < p->scope)
			break;
		*chain_of(p, &p->decl_chains, last->hash) = last->next;
	}
}

/* maximum digits of a register's number */
enum { MOST_DIGITS = 20 };

static bool
declares(const struct decl *d, struct word w, uint64_t *number)
{
	uint32_t tail = w.len - d->name.len;

	*number = 0;
	if (d->n == NO_NUMBER || !tail)
		return d->n == NO_NUMBER && !tail;
	*number = word_number((struct word){ w.s + d->name.len, tail });
	return *number < d->n;
}

/* Looks up each prefix of the name that only digits follow. */
bool
ptx_find_decl(struct ptx *p, struct word w, uint32_t *decl, uint32_t *number)
{
	const struct decl *d = CODE_ROWS(&p->decls, decl);
	uint32_t digits = 0, best = 0, hash = (uint32_t)p->seed[0];
	uint64_t n;

	if (!p->decl_chains.first.len)
		return false;
	while (digits < w.len && digits < MOST_DIGITS && ptx_is_digit(w.s[w.len - 1 - digits]))
		digits++;
	for (uint32_t len = 0; len <= w.len; hash = len < w.len ? hash_more(hash, w.s[len]) : hash, len++) {
		if (len + digits < w.len)
			continue;
		for (uint32_t i = *chain_of(p, &p->decl_chains, hash); i > best; i = d[i - 1].next) {
			if (d[i - 1].hash != hash || !word_same(d[i - 1].name, (struct word){ w.s, len }) ||
			    !declares(&d[i - 1], w, &n))
				continue;
			best = i;
			*decl = i - 1;
			*number = (uint32_t)n;
		}
	}
	return best != 0;
}

/* -- Variables in shared memory -------------------------------------------------------------------- */

static void
chain_shared(struct ptx *p, uint32_t i)
{
	struct variable *v = &CODE_ROWS(&p->shared, variable)[i];
	uint32_t *first = chain_of(p, &p->shared_chains, v->hash);

	v->next = *first;
	*first = i + 1;
}

struct variable *
ptx_find_shared(struct ptx *p, struct word name)
{
	struct variable *v = CODE_ROWS(&p->shared, variable);
	uint32_t hash = ptx_hash(p, name);

	if (!p->shared_chains.first.len)
		return NULL;
	uint32_t i = *chain_of(p, &p->shared_chains, hash);
	while (i && (v[i - 1].hash != hash || !word_same(v[i - 1].name, name)))
		i = v[i - 1].next;
	return i ? &v[i - 1] : NULL;
}

void
ptx_add_shared(struct ptx *p, struct word name, uint64_t size)
{
	struct variable v = { .name = name, .size = size, .hash = ptx_hash(p, name) };
	uint32_t n = CODE_COUNT(&p->shared, variable);
	struct variable *same = ptx_find_shared(p, name);

	if (same) { /* a use of the name is a use of both */
		same->size += size;
		return;
	}
	code_add(&p->shared, &v, sizeof v);
	for (uint32_t i = make_chains(&p->shared_chains, n + 1) ? 0 : n; i <= n; i++)
		chain_shared(p, i);
}
