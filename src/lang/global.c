/* Declarations of the files, by name. A file sees its own and those of the files that it imports
 * without a name. */
#include "lang.h"

uint32_t
file_of(const struct qd_module *m, uint32_t at)
{
	uint32_t lo = 0, hi = m->n_files;

	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (m->files[mid].from <= at)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

static bool
sees(const struct qd_module *m, uint32_t file, const struct global *g)
{
	return g->file == file ||
	       (g->node->kind != N_IMPORT && (m->files[file].sees[g->file / 64] >> g->file % 64 & 1));
}

struct node *
global_find(const struct qd_module *m, uint32_t file, uint32_t sym)
{
	const struct global *g = m->globals[sym];

	while (g && !sees(m, file, g))
		g = g->next;
	return g ? g->node : NULL;
}

struct node *
global_member(const struct qd_module *m, const struct node *import, uint32_t sym)
{
	const struct global *g = m->globals[sym];

	while (g && (g->file != import->num || g->node->kind == N_IMPORT))
		g = g->next;
	return g ? g->node : NULL;
}

/* Adds a declaration of a file. A function that is not the first of its name in the module gets a
 * symbol of its own, which identifies it. */
static bool
add(struct qd_module *m, struct sink *s, uint32_t file, struct node *n)
{
	struct global **to = &m->globals[n->sym], *g;
	uint32_t own = n->sym;

	for (; *to; to = &(*to)->next) {
		const struct node *first = (*to)->node;

		if ((*to)->file == file) {
			sink_error(s, n->at, n->len,
				   &(struct help){ first->at, first->len, "the first one is here", NULL }, DIAG_E0115,
				   SYM(m, n->sym));
			return true;
		}
		if (n->kind == N_FN && own == n->sym && !(own = symtab_twin(&m->syms, n->sym)))
			return false;
	}
	if (!(g = *to = arena_zalloc(&m->arena, sizeof *g)))
		return false;
	m->globals[own] = m->globals[n->sym];
	n->sym = own;
	*g = (struct global){ .node = n, .file = file };
	return true;
}

/* Reports two declarations of a name that a file sees. At least one of them is imported. */
static void
clash(const struct qd_module *m, struct sink *s, uint32_t file, const struct global *a, const struct global *b)
{
	const struct global *other = b->file == file ? a : b, *first = b->file == file ? b : a;
	const struct node *n = other->node, *import = m->files[file].items;
	struct line_place place = line_map_place(&m->map, m->name, sink_pos(s, n->at));

	while (import->kind != N_IMPORT || import->sym || import->num != other->file)
		import = import->next;
	sink_error(s, import->at, import->len,
		   &(struct help){ first->node->at, first->node->len, "the other declaration is here", NULL }, DIAG_E0147,
		   SYM(m, n->sym), place.file, place.line, place.col);
}

static void
check_clashes(const struct qd_module *m, struct sink *s, const struct global *all)
{
	for (uint32_t f = 0; f < m->n_files; f++) {
		const struct global *first = NULL;

		for (const struct global *g = all; g; g = g->next) {
			if (first && sees(m, f, g))
				clash(m, s, f, first, g);
			else if (sees(m, f, g))
				first = g;
		}
	}
}

bool
global_declare(struct qd_module *m, struct sink *s)
{
	uint32_t n_syms = m->syms.n, n_fns = 0;

	for (const struct node *n = m->items; n; n = n->next)
		n_fns += n->kind == N_FN;
	if (!(m->globals = arena_zalloc(&m->arena, (n_syms + n_fns) * sizeof *m->globals)))
		return false;
	for (uint32_t f = 0; f < m->n_files; f++) {
		struct node *n = m->files[f].items;

		for (uint32_t i = 0; i < m->files[f].n_items; i++, n = n->next) {
			if ((n->kind == N_INSTANTIATE && f) || (n->kind == N_IMPORT && !n->sym))
				continue;
			if (!add(m, s, f, n))
				return false;
		}
	}
	for (uint32_t i = 0; i < n_syms && m->n_files > 1 && !sink_full(s); i++)
		if (m->globals[i] && m->globals[i]->next)
			check_clashes(m, s, m->globals[i]);
	return true;
}
