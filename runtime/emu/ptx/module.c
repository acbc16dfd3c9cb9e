/* Accessors of a module. */
#include "decode.h"

void
ptx_module_free(struct ptx_module *m)
{
	if (!m)
		return;
	buf_fini(&m->konst);
	buf_fini(&m->code);
	arena_fini(&m->arena);
	pool_delete(m->pool, m);
}

const struct ptx_entry *
ptx_module_entry(const struct ptx_module *m, const char *name)
{
	for (const struct func *f = m->funcs; f; f = f->next)
		if (f->is_entry && !strcmp(f->entry.name, name))
			return &f->entry;
	return NULL;
}

const struct ptx_entry *
ptx_module_first(const struct ptx_module *m)
{
	for (const struct func *f = m->funcs; f; f = f->next)
		if (f->is_entry)
			return &f->entry;
	return NULL;
}

const struct ptx_entry *
ptx_module_next(const struct ptx_module *m, const struct ptx_entry *prev)
{
	/* entry is the first member of struct func. */
	const struct func *f = prev ? ((const struct func *)(const void *)prev)->next : m->funcs;

	while (f && !f->is_entry)
		f = f->next;
	return f ? &f->entry : NULL;
}

uint32_t
ptx_module_version(const struct ptx_module *m)
{
	return m->version;
}

uint32_t
ptx_module_sm(const struct ptx_module *m)
{
	return m->sm;
}
