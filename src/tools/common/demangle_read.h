/* Interface shared by the files of demangle.c: text in an arena, and the state of types and names
 * during reading. Errors are sticky in the reader; later calls are safe and terminate. */
#ifndef QD_TOOLS_DEMANGLE_READ_H
#define QD_TOOLS_DEMANGLE_READ_H

#include "demangle.h"

enum { CXX_SUBS = 512, CXX_ARGS = 128, CXX_DEPTH = 128, CXX_TEXT = 1 << 16 };
enum cxx_kind { CXX_PLAIN, CXX_FUNCTION, CXX_ARRAY };

/* A type, as the text before and after a name that is declared with it. */
struct part {
	const char *left, *right;
	const char *base;      /* of a name: the name of its constructor */
	const struct part *to; /* of a reference: the type without it */
	uint8_t kind;
	uint8_t ref;   /* number of ampersands */
	bool has_args; /* of a template: its arguments have been read */
};

/* A single part, or the parts of a pack of template arguments. */
struct piece {
	const struct part *v;
	uint32_t n;    /* 1 if it is not a pack */
	bool pack;     /* elements are separate until an expansion */
	bool expanded; /* all elements, separated by commas */
};

struct name {
	struct piece text;
	const char *suffix;	      /* of a member function: its qualifiers */
	bool ends_in_args, no_result; /* constructors and conversions have no result type */
};

struct reader {
	struct arena *mem;
	const char *at;
	struct piece subs[CXX_SUBS], args[CXX_ARGS]; /* meanings of S_ and T_ */
	uint32_t n_subs, n_args, depth;
	size_t size; /* of all text so far */
	bool bad, in_lambda;
};

/* -- Text ------------------------------------------------------------------------- */

struct piece cxx_give_up(struct reader *r);
bool cxx_take(struct reader *r, const char *s);
bool cxx_next_is(const struct reader *r, const char *s);
void *cxx_room(struct reader *r, size_t size);
/* Concatenates the strings up to NULL. */
const char *cxx_join(struct reader *r, const char *first, ...);
const char *cxx_whole(struct reader *r, const struct part *p);
struct piece cxx_piece(struct reader *r, struct part p);
struct piece cxx_word(struct reader *r, const char *text);
/* Applies make to each element of p. */
struct piece cxx_each(struct reader *r, struct piece p,
		      struct part (*make)(struct reader *r, struct part p, const char *s),
		      const char *s);
/* Makes p available as a substitution. */
void cxx_push(struct reader *r, struct piece p);

/* A list with commas: one list, or for a pack one list per element. */
struct commas {
	const char **text;
	uint32_t n;
	bool pack;
};
struct commas cxx_commas(struct reader *r);
void cxx_add_comma(struct reader *r, struct commas *c, struct piece p);

/* Reads digits as text, which may be empty. */
const char *cxx_digits(struct reader *r);
/* Reads a sequence number in this base: "_" is 0, "0_" is 1; false: there is none. */
bool cxx_place(struct reader *r, unsigned base, uint32_t *v);
const char *cxx_source_name(struct reader *r);

/* -- Types and names -------------------------------------------------------------- */

struct piece cxx_type(struct reader *r);
struct piece cxx_template_param(struct reader *r);
struct piece cxx_substitution(struct reader *r);
/* Appends template arguments to the name p. tag: T_ refers to them from now on. */
struct piece cxx_with_args(struct reader *r, struct piece p, bool tag);
/* Reads parameter types up to the end of a function type. */
const char *cxx_params(struct reader *r);
/* Reads qualifiers such as const, in printing order. */
const char *cxx_qualifiers(struct reader *r);
struct name cxx_name(struct reader *r, bool tag);
/* Reads a name, for functions with parameters, for function templates with the result. */
const char *cxx_encoding(struct reader *r);

#endif
