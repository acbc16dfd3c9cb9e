/* Opening driver libraries and resolving symbol tables. */
#include <dlfcn.h>
#include <stdio.h>

#include "dl.h"

void *
dl_open(const char *soname, char *why, size_t why_size)
{
	void *lib = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
	if (lib)
		return lib;
	const char *text = dlerror();
	/* "libx.so.1: cannot open shared object file: No such file or directory" is
	 * the usual case; say it in three words. */
	if (!text || strstr(text, "No such file"))
		snprintf(why, why_size, "%s not found", soname);
	else
		snprintf(why, why_size, "%s cannot be loaded: %s", soname, text);
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
