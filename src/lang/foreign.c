/* Names of other languages (foreign.def), and the corresponding names of this one. */
#include <stdio.h>
#include <string.h>

#include "lang.h"

static const struct {
	const char *theirs, *ours, *note;
} foreign[] = {
#define FOREIGN(theirs, from, ours, note) { theirs, ours, note },
#include "foreign.def"
};

static const struct {
	const char *group, *theirs, *ours, *note;
} members[] = {
#define MEMBER(group, theirs, ours, note) { group, theirs, ours, note },
#include "foreign.def"
};

static const struct {
	const char *theirs, *ours;
} synonyms[] = {
#define SYNONYM(theirs, ours) { theirs, ours },
#include "foreign.def"
};

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

const char *
foreign_help(struct foreign *f, const char *s, uint32_t len)
{
	for (size_t i = 0; i < QD_COUNT(foreign); i++)
		if (same(foreign[i].theirs, s, len))
			return help_text(f, foreign[i].ours, foreign[i].note);
	return NULL;
}

const char *
foreign_type(const struct symtab *syms, const char *s, uint32_t len)
{
	for (size_t i = 0; i < QD_COUNT(foreign); i++) {
		const char *ours = foreign[i].ours;

		if (same(foreign[i].theirs, s, len))
			return word_is_type(symtab_find(syms, ours, (uint32_t)strlen(ours))) ? ours
											     : NULL;
	}
	return NULL;
}

const char *
foreign_member(struct foreign *f, const char *group, const char *s, uint32_t len)
{
	char ours[64];

	for (size_t i = 0; i < QD_COUNT(members); i++) {
		if (strcmp(members[i].group, group) != 0 || !same(members[i].theirs, s, len))
			continue;
		if (!*members[i].ours)
			return members[i].note;
		snprintf(ours, sizeof ours, "%s.%s", *group ? group : "a", members[i].ours);
		return help_text(f, ours, members[i].note);
	}
	return NULL;
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
