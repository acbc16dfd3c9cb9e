/* Reads machine words as hexadecimal text: words, bytes in brackets as llvm-mc prints them, bare
 * bytes as it reads them, and comments after ;, # and //. */
#ifndef QD_TOOLS_HEX_H
#define QD_TOOLS_HEX_H

#include "base.h"

/* Returns whether the data is text: UTF-8 without control characters. Code is not text: a word
 * with a 0, or with 0x80 to 0xbf in place of a first byte, is invalid. */
bool hex_is_text(const char *p, size_t size);
/* Reads the words, each as four bytes, the lowest first. On an error, err has the line and column
 * in the file `name`. */
qd_status hex_read(struct arena *mem, const char *name, const char *p, size_t size, uint8_t **out,
		   size_t *n, struct qd_error *err);

#endif
