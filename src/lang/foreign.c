/* Names of other languages (foreign.def), and the corresponding names of this one. */
#include <stdio.h>
#include <string.h>

#include "lang.h"

/* The texts of all rows, one after the other; pointers to them would take more memory. ROW: a name of the
 * line, for members. */
#define NAMED(name, line) name##line
#define NAME(name, line)  NAMED(name, line)
#define ROW(name)	  NAME(name, __LINE__)

static const struct {
#define FOREIGN(theirs, from, ours, note)                                                                  \
	char ROW(theirs_)[sizeof(theirs)], ROW(ours_)[sizeof(ours)], ROW(note_)[sizeof(note)];
#include "foreign.def"
} foreign = {
#define FOREIGN(theirs, from, ours, note) theirs, ours, note,
#include "foreign.def"
};

static const struct {
#define MEMBER(group, theirs, ours, note)                                                                  \
	char ROW(group_)[sizeof(group)], ROW(theirs_)[sizeof(theirs)], ROW(ours_)[sizeof(ours)],           \
		ROW(note_)[sizeof(note)];
#include "foreign.def"
} members = {
#define MEMBER(group, theirs, ours, note) group, theirs, ours, note,
#include "foreign.def"
};

static const struct {
	const char *theirs, *ours;
} synonyms[] = {
#define SYNONYM(theirs, ours) { theirs, ours },
#include "foreign.def"
};

/* Returns the nth text after s. */
static const char *
text_after(const char *s, uint32_t n)
{
	while (n--)
		s += strlen(s) + 1;
	return s;
}

static bool
same(const char *word, const char *s, uint32_t len)
{
	return strncmp(word, s, len) == 0 && !word[len];
}

static const char *
help_text(struct foreign *f, const char *ours, const char *note)
{
	if (!*ours)
		return note;
	snprintf(f->text, sizeof f->text, "write %s%s", ours, note);
	return f->text;
}

/* Returns the texts of a name's row, or NULL. */
static const char *
find_row(const char *s, uint32_t len)
{
	const char *row = (const char *)&foreign, *end = row + sizeof foreign;

	while (row < end && !same(row, s, len))
		row = text_after(row, 3);
	return row < end ? row : NULL;
}

const char *
foreign_help(struct foreign *f, const char *s, uint32_t len)
{
	const char *row = find_row(s, len);

	return row ? help_text(f, text_after(row, 1), text_after(row, 2)) : NULL;
}

const char *
foreign_type(const struct symtab *syms, const char *s, uint32_t len)
{
	const char *row = find_row(s, len), *ours = row ? text_after(row, 1) : "";

	return word_is_type(symtab_find(syms, ours, (uint32_t)strlen(ours))) ? ours : NULL;
}

const char *
foreign_member(struct foreign *f, const char *group, const char *s, uint32_t len)
{
	const char *row = (const char *)&members, *end = row + sizeof members, *note;
	char ours[64];

	while (row < end && (strcmp(row, group) != 0 || !same(text_after(row, 1), s, len)))
		row = text_after(row, 4);
	if (row == end)
		return NULL;
	note = text_after(row, 3);
	if (!*text_after(row, 2))
		return note;
	snprintf(ours, sizeof ours, "%s.%s", *group ? group : "a", text_after(row, 2));
	return help_text(f, ours, note);
}

static size_t
put_word(char *out, size_t size, size_t at, const char *s, size_t len)
{
	if (at + len + 1 >= size)
		return size;
	memcpy(out + at, s, len);
	out[at + len] = '\0';
	return at + len;
}

bool
foreign_words(const char *s, uint32_t len, char *out, size_t size)
{
	bool changed = false;
	size_t at = 0;

	for (uint32_t i = 0, n; i < len && at < size; i += n + 1) {
		const char *word = s + i;
		size_t word_len;

		for (n = 0; i + n < len && s[i + n] != '_';)
			n++;
		word_len = n;
		for (size_t k = 0; k < QD_COUNT(synonyms); k++) {
			if (same(synonyms[k].theirs, s + i, n)) {
				word = synonyms[k].ours;
				word_len = strlen(word);
				changed = true;
				break;
			}
		}
		at = put_word(out, size, at, word, word_len);
		if (i + n < len)
			at = put_word(out, size, at, "_", 1);
	}
	return changed && at < size;
}
