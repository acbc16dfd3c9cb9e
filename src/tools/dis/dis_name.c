/* Names of kernels and functions: selection by -k, and output. */
#include "dis.h"

#include <fnmatch.h>

#include "demangle.h"

/* part: the pattern may match a part of the name. */
static bool
matches(const struct dis *s, const char *name, bool part)
{
	const char *glob = s->req->kernel, *written;
	struct buf pattern;
	struct arena mem;
	bool found;

	buf_init(&pattern, &s->ctx->pool);
	buf_printf(&pattern, part ? "*%s*" : "%s", glob);
	if (pattern.nomem)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	arena_init(&mem, &s->ctx->pool);
	written = demangle(&mem, name);
	found = fnmatch(buf_data(&pattern), name, 0) == 0 ||
		(written && fnmatch(buf_data(&pattern), written, 0) == 0);
	arena_fini(&mem);
	buf_fini(&pattern);
	return found;
}

void
dis_choose_begin(struct dis *s)
{
	s->whole = false;
}

void
dis_choose(struct dis *s, const char *name)
{
	s->whole |= s->req->kernel && matches(s, name, false);
}

bool
dis_wanted(const struct dis *s, const char *name)
{
	if (!s->req->kernel || matches(s, name, !s->whole))
		return true;
	tool_names_add(s->others, name);
	return false;
}

/* -- Output ------------------------------------------------------------------------ */

void
dis_put_name(struct dis *s, const char *name)
{
	tool_put_name(s->out.file, name);
}

void
dis_put_written(struct dis *s, const char *name)
{
	struct arena mem;
	const char *written;

	arena_init(&mem, &s->ctx->pool);
	written = demangle(&mem, name);
	dis_put_name(s, written ? written : name);
	arena_fini(&mem);
}

/* Writes the name as in the file, and demangled if it is mangled. */
void
dis_json_name(struct dis *s, const char *name)
{
	FILE *f = s->out.file;
	const char *written;
	struct arena mem;

	arena_init(&mem, &s->ctx->pool);
	written = name ? demangle(&mem, name) : NULL;
	if (name)
		tool_json_string(f, name);
	else
		fputs("null", f);
	fputs(",\"demangled\":", f);
	if (written)
		tool_json_string(f, written);
	else
		fputs("null", f);
	arena_fini(&mem);
}
