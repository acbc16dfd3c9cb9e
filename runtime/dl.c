/* Opening driver libraries and resolving symbol tables. */
#include <dlfcn.h>
#include <stdio.h>

#include "dl.h"

/* *found: the library exists but cannot be loaded. */
static void *
open_one(const char *soname, bool *found, char *why, size_t why_size)
{
	void *lib = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
	*found = false;
	if (lib)
		return lib;
	const char *text = dlerror();
	/* Shortens the usual message, "libx.so.1: cannot open shared object file: No such file or
	 * directory". */
	*found = text && !strstr(text, "No such file");
	if (*found)
		snprintf(why, why_size, "%s cannot be loaded: %s", soname, text);
	else
		snprintf(why, why_size, "%s not found", soname);
	return NULL;
}

void *
dl_open(const char *soname, char *why, size_t why_size)
{
	bool found;
	return open_one(soname, &found, why, why_size);
}

void *
dl_open_first(const char *const *names, size_t n, size_t *which, char *why, size_t why_size)
{
	char text[256];
	bool found, reported = false;
	size_t at = 0;
	for (size_t i = 0; i < n; i++) {
		void *lib = open_one(names[i], &found, text, sizeof text);
		if (lib) {
			*which = i;
			return lib;
		}
		if (found && !reported)
			snprintf(why, why_size, "%s", text);
		reported |= found;
	}
	for (size_t i = 0; i < n && !reported && at < why_size; i++) {
		int len = snprintf(why + at, why_size - at, "%s%s%s",
				   i == 0      ? ""
				   : i + 1 < n ? ", "
					       : " or ",
				   names[i], i + 1 < n ? "" : " not found");
		at += len > 0 ? (size_t)len : 0;
	}
	return NULL;
}

dl_fn *
dl_symbol(void *lib, const char *name)
{
	void *p = dlsym(lib, name);
	dl_fn *fn;
	_Static_assert(sizeof fn == sizeof p, "POSIX: both kinds of pointer have one size");
	memcpy(&fn, &p, sizeof fn);
	return fn;
}

const char *
dl_resolve(const struct dl_symbol *symbols, size_t n, void *table,
	   dl_fn *(*get)(void *user, const char *name), void *user)
{
	const char *missing = NULL;
	for (size_t i = 0; i < n; i++) {
		dl_fn *fn = get(user, symbols[i].name);
		memcpy((char *)table + symbols[i].offset, &fn, sizeof fn);
		if (!fn && symbols[i].required && !missing)
			missing = symbols[i].name;
	}
	return missing;
}
