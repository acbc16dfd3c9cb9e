/* Escapes text from files and other untrusted sources for output, so that neither a terminal nor
 * a reader misinterprets it. Escaped are control characters (C0, DEL, C1), controls of
 * bidirectional text, separators of lines and paragraphs, and bytes that are not UTF-8. A byte
 * becomes \xNN, a character \uNNNN.
 *
 * All programs and all messages use these functions; docs/text-from-files.md lists the texts. */
#ifndef QD_SHOW_H
#define QD_SHOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SHOW_NAME = 0, /* all control characters are escaped */
	SHOW_LINES = 1 /* newlines and tabs are kept, for text of several lines */
};

enum { SHOW_MOST = 6 /* longest escape of a byte or character, without NUL */ };

/* Writes the first character of s, or its escape, to out, which has room for SHOW_MOST + 1 bytes.
 * Sets *len to the bytes written. Returns the bytes read: 1 to 4 for a character, 1 if s does
 * not begin with one. */
size_t show_next(const char *s, size_t size, int how, char *out, size_t *len);
/* Returns whether the text contains nothing to escape. */
bool show_is_plain(const char *s, size_t size, int how);
/* Decodes a UTF-8 character. Returns its bytes, 0 if it is invalid. */
size_t show_utf8(const char *s, size_t size, uint32_t *c);
/* Returns whether a character is escaped in any text. */
bool show_escapes(uint32_t c);
/* Writes the text and a NUL to out, whose size cap is above SHOW_MOST. A longer text ends in
 * "...". Returns the length. */
size_t show_text(char *out, size_t cap, const char *s, size_t size, int how);

/* Escapes a name that a reader stores: returns s itself, or an escaped copy, or NULL if out of
 * memory. */
struct arena;
const char *show_in(struct arena *mem, const char *s);

/* For arguments of a message: qd_fail(..., "%s", SHOWN(name)). */
struct shown {
	char s[328];
};
struct shown show_name(const char *s, size_t size);
#define SHOWN(name) (show_name((name), SIZE_MAX).s)

#endif
