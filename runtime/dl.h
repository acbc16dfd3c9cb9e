/* Driver libraries, opened at run time. The symbols of a table are resolved into a struct of
 * function pointers. The binary therefore starts on any machine, and a missing library is a
 * status. */
#ifndef QD_RUNTIME_DL_H
#define QD_RUNTIME_DL_H

#include "base.h"

/* Function of any type; store it in a pointer of the right type before a call. */
typedef void dl_fn(void);

/* Row of a symbol table. offset: of the pointer in the struct. */
struct dl_symbol {
	const char *name;
	size_t offset;
	bool required;
};

/* Returns NULL if the library cannot be opened, with the reason in why. Libraries are never
 * closed, because drivers do not support it. */
void *dl_open(const char *soname, char *why, size_t why_size);

/* Opens the first of `n` names that can be opened; *which is its index. On failure, why lists all
 * names, or gives the reason why an existing library cannot be loaded. */
void *dl_open_first(const char *const *names, size_t n, size_t *which, char *why, size_t why_size);

/* Returns a symbol of the library, or NULL. */
dl_fn *dl_symbol(void *lib, const char *name);

/* Fills the pointers of `table` through get; missing ones become NULL. Returns the name of the
 * first required symbol that is missing, or NULL. */
const char *dl_resolve(const struct dl_symbol *symbols, size_t n, void *table,
		       dl_fn *(*get)(void *user, const char *name), void *user);

#endif
