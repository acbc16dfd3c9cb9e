/* Text from files and from strangers, as it is printed: what a terminal or a reader could take
 * for something else is escaped.  These are control characters (C0, DEL, C1), the controls of
 * bidirectional text, separators of lines and paragraphs, and bytes that are not UTF-8.  A byte
 * becomes \xNN, a character \uNNNN.
 *
 * All programs and all messages use these functions; docs/text-from-files.md lists the texts. */
#ifndef QD_SHOW_H
#define QD_SHOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SHOW_NAME = 0, /* no control character remains */
	SHOW_LINES = 1 /* newlines and tabs remain: of text that is lines */
};

enum { SHOW_MOST = 6 /* bytes that one byte or character becomes, and its NUL is one more */ };

/* The bytes of the first character of s, 1 to 4, or of what is none, 1. *len bytes of it are
 * written to out, which has SHOW_MOST + 1: the same, or the escape. */
size_t show_next(const char *s, size_t size, int how, char *out, size_t *len);
/* Is nothing of it escaped? */
bool show_is_plain(const char *s, size_t size, int how);
/* Bytes of a character's UTF-8, and the character; 0: it is none. */
size_t show_utf8(const char *s, size_t size, uint32_t *c);
/* Characters that are escaped in any text. */
bool show_escapes(uint32_t c);
/* Writes the text and a NUL to out, of cap bytes above SHOW_MOST; a longer one ends in "...".
 * Returns its length. */
size_t show_text(char *out, size_t cap, const char *s, size_t size, int how);

/* A name that a reader hands on: s itself, or an escaped copy; NULL: out of memory. */
struct arena;
const char *show_in(struct arena *mem, const char *s);

/* For the arguments of a message: qd_fail(..., "%s", SHOWN(name)). */
struct shown {
	char s[328];
};
struct shown show_name(const char *s, size_t size);
#define SHOWN(name) (show_name((name), SIZE_MAX).s)

#endif
