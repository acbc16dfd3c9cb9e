/* Machine words as hexadecimal text: words, bytes in brackets as llvm-mc prints
 * them or bare ones as it reads them, and comments behind ;, # and //. */
#ifndef QD_TOOLS_HEX_H
#define QD_TOOLS_HEX_H

#include "base.h"

/* Is it text: UTF-8 without control characters?  Code is not: a word with a 0 or
 * with 0x80 to 0xbf where a character must begin is none. */
bool hex_is_text(const char *p, size_t size);
/* Its words, each as four bytes, the lowest first.  err has the line and column of
 * what is not understood, under the name of the file. */
qd_status hex_read(struct arena *mem, const char *name, const char *p, size_t size, uint8_t **out,
		   size_t *n, struct qd_error *err);

#endif
