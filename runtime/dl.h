/* Driver libraries opened at run time: a library, and a table of symbols in it
 * resolved into a struct of function pointers.  One binary then starts on any
 * machine; what is missing is a status. */
#ifndef QD_RUNTIME_DL_H
#define QD_RUNTIME_DL_H

#include "base.h"

/* Any function; cast by storing it in a pointer of the right type. */
typedef void dl_fn(void);

/* One row of a symbol table: where the pointer goes in the struct. */
struct dl_symbol {
	const char *name;
	size_t offset;
	bool required;
};

/* NULL where the library is not there; why then says what the system's loader
 * said.  Libraries are never closed: drivers do not survive it. */
void *dl_open(const char *soname, char *why, size_t why_size);

/* The first of `n` names that can be opened, in *which.  why names all of them, or says why one
 * that is there cannot be loaded. */
void *dl_open_first(const char *const *names, size_t n, size_t *which, char *why, size_t why_size);

/* One symbol of a library; NULL where there is none. */
dl_fn *dl_symbol(void *lib, const char *name);

/* Fills the pointers of `table` through get.  Missing ones are NULL; the result
 * is the name of the first required one that is missing, or NULL. */
const char *dl_resolve(const struct dl_symbol *symbols, size_t n, void *table,
		       dl_fn *(*get)(void *user, const char *name), void *user);

#endif
