/* What the files of demangle.c share: text that grows in an arena, what a type and a
 * name are while they are read.  Errors stick in the reader, which then reads on to
 * no purpose but ends. */
#ifndef QD_TOOLS_DEMANGLE_READ_H
#define QD_TOOLS_DEMANGLE_READ_H

#include "demangle.h"

enum { CXX_SUBS = 512, CXX_ARGS = 128, CXX_DEPTH = 128, CXX_TEXT = 1 << 16 };
enum cxx_kind { CXX_PLAIN, CXX_FUNCTION, CXX_ARRAY };

/* A type is what stands before and behind a name that is declared with it. */
struct part {
	const char *left, *right;
	const char *base;      /* of a name: what its constructor is called */
	const struct part *to; /* of a reference */
	uint8_t kind;
	uint8_t ref;   /* ampersands */
	bool has_args; /* of a template: it takes no more */
};

/* One, or as many as a pack of template arguments has. */
struct piece {
	const struct part *v;
	uint32_t n;    /* 1, where it is no pack */
	bool pack;     /* each element by itself, as long as nothing expands it */
	bool expanded; /* all of them, with commas */
};

struct name {
	struct piece text;
	const char *behind;	      /* of a member function: const and the like */
	bool ends_in_args, no_result; /* constructors and conversions give no type */
};

struct reader {
	struct arena *mem;
	const char *at;
	struct piece subs[CXX_SUBS], args[CXX_ARGS]; /* what S_ and T_ mean */
	uint32_t n_subs, n_args, depth;
	size_t size; /* of all text made so far */
	bool bad, in_lambda;
};

/* -- Text ------------------------------------------------------------------------- */

struct piece cxx_give_up(struct reader *r);
bool cxx_take(struct reader *r, const char *s);
bool cxx_next_is(const struct reader *r, const char *s);
void *cxx_room(struct reader *r, size_t size);
/* All of the strings up to NULL. */
const char *cxx_join(struct reader *r, const char *first, ...);
const char *cxx_whole(struct reader *r, const struct part *p);
struct piece cxx_piece(struct reader *r, struct part p);
struct piece cxx_word(struct reader *r, const char *text);
/* Each element of p through make. */
struct piece cxx_each(struct reader *r, struct piece p,
		      struct part (*make)(struct reader *r, struct part p, const char *s),
		      const char *s);
/* May be referred to from now on. */
void cxx_push(struct reader *r, struct piece p);

/* A list with commas: one, or of a pack that is in it one for each element. */
struct commas {
	const char **text;
	uint32_t n;
	bool pack;
};
struct commas cxx_commas(struct reader *r);
void cxx_add_comma(struct reader *r, struct commas *c, struct piece p);

/* Digits as they stand there; empty without. */
const char *cxx_digits(struct reader *r);
/* "_" is 0, "0_" 1, and so on, to the base; false: it is none. */
bool cxx_place(struct reader *r, unsigned base, uint32_t *v);
const char *cxx_source_name(struct reader *r);

/* -- Types and names -------------------------------------------------------------- */

struct piece cxx_type(struct reader *r);
struct piece cxx_template_param(struct reader *r);
struct piece cxx_substitution(struct reader *r);
/* "Foo" and what is between its brackets.  tag: T_ means those from now on. */
struct piece cxx_with_args(struct reader *r, struct piece p, bool tag);
/* Types up to the end of a function's. */
const char *cxx_params(struct reader *r);
/* const and the like, in the order in which they are printed. */
const char *cxx_qualifiers(struct reader *r);
struct name cxx_name(struct reader *r, bool tag);
/* A name, and of a function what it takes, and of a template's what it gives. */
const char *cxx_encoding(struct reader *r);

#endif
