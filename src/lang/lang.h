/* The .qdk room from inside: tokens, the syntax tree, a parsed module, and how
 * its diagnostics are made.  Text becomes a tree once (lex.c, parse*.c); a walk
 * over the tree issues builder calls once per choice of templates (lower.h).
 * Offsets count bytes of the text; the tree is const after qd_module_parse. */
#ifndef QD_LANG_H
#define QD_LANG_H

#include "build.h"
#include "suggest.h"

enum {
	MAX_SOURCE = LIMIT_TEXT,
	MAX_DEPTH = LIMIT_DEPTH,	/* of blocks, parentheses, calls, unary operators */
	MAX_ARMS = 1000,		/* of an if with its else-ifs */
	MAX_STATEMENTS = 1000000,	/* of one kernel, after unrolling and inlining */
	MAX_WORK = 16 * MAX_STATEMENTS, /* nodes of the tree lowered for them */
	MAX_ERRORS = 20,
	MAX_VALUES = 16,    /* on one side of an assignment, or of one call */
	MAX_CHOICES = 1000, /* that one template parameter lists */
	MAX_NAME = 255,
	LANGUAGE_VERSION = 1
};

/* -- Words and symbols --------------------------------------------------------- */

enum word {
	W_NONE,
#define WORD(id, text) W_##id,
#include "word.def"
	N_WORD
};
enum { LAST_RESERVED = W_static_, FIRST_TYPE = W_bool_, LAST_TYPE = W_bf16, FIRST_MATH = W_abs };

static inline bool
word_is_type(uint32_t sym)
{
	return sym >= FIRST_TYPE && sym <= LAST_TYPE;
}
/* ORDER word.def: as QD_TYPE_BOOL and those that follow it. */
static inline qd_type
word_type(uint32_t sym)
{
	return QD_TYPE_BOOL + (sym - FIRST_TYPE);
}

/* A name, once per module: names are compared as numbers.  The first N_WORD
 * symbols are the words. */
struct symbol {
	const char *s;
	uint32_t len;
	uint32_t n_declared; /* how often a declaration of the file gives it a meaning */
};

struct symtab {
	struct arena *mem;
	struct symbol *sym;
	uint32_t *slot; /* open addressing; 0 is free */
	uint32_t n, cap, n_slots;
	uint64_t seed[2];
};

/* 0 when out of memory. */
uint32_t symtab_intern(struct symtab *t, const char *s, uint32_t len);
uint32_t symtab_find(const struct symtab *t, const char *s, uint32_t len); /* 0: not there */
bool symtab_init(struct symtab *t, struct arena *mem);

/* -- Tokens ----------------------------------------------------------------------- */

enum token_kind {
	T_EOF,
	T_BAD, /* reported already; also everything while the parser recovers */
	T_NAME,
	T_INT,
	T_FLOAT,
	T_STRING,
#define OPERATOR(name, ...) T_##name,
#include "token.def"
	N_TOKEN
};
extern const struct mark {
	char text[4];
	uint8_t len, level, op; /* of a binary operator: enum op */
} marks[N_TOKEN];

struct token {
	uint8_t kind;
	uint8_t type; /* of a literal's suffix; NONE without one */
	uint32_t at, len;
	uint32_t sym; /* of a name */
	uint64_t num; /* of an integer */
};

/* -- The tree ------------------------------------------------------------------------ */

enum node_kind {
	/* expressions */
	N_INT,	 /* num; type: of the suffix */
	N_FLOAT, /* text at..; type */
	N_INF,
	N_NAN,
	N_BOOL,	    /* num */
	N_NAME,	    /* sym */
	N_UNARY,    /* op a */
	N_BINARY,   /* a op b; d of any operand a: the operator */
	N_MEMBER,   /* a . sym */
	N_CALL,	    /* a ( b, ... ) */
	N_NAMED,    /* sym = a, among a call's arguments */
	N_INDEX,    /* a [ b, ... ] else c */
	N_TUPLE,    /* ( a, ... ), more than one */
	N_BITCAST,  /* bitcast < a > ( b ) */
	N_STRING,   /* the text between the quotes at at.. */
	N_TYPENAME, /* sym [ a, ... ]; F_ARRAY */
	/* statements */
	N_LET, /* op: is a var; names a, ... : b = c, ... */
	N_SHARED,
	N_ASSIGN, /* a, ... op= c, ...; op T_ASSIGN or a binary operator */
	N_IF,	  /* F_STATIC; if a b else c; d: the if whose else it is */
	N_WHILE,  /* while a b */
	N_FOR,	  /* F_STATIC: unroll; for sym in a .. b step c d */
	N_GRID,	  /* for sym in grid(a) b */
	N_BREAK,
	N_CONTINUE,
	N_RETURN, /* a, ... */
	N_EXPR,	  /* a */
	N_BLOCK,  /* a, ... */
	/* declarations */
	N_CONST,       /* sym : a = b */
	N_FN,	       /* sym < a > ( b ) -> c, ... d */
	N_KERNEL,      /* sym < a > ( b ) c, ... d; num: its entry's number */
	N_INSTANTIATE, /* a < b, ... > as sym; num: the same, once it has one */
	N_TPARAM,      /* F_STATIC; sym in { a, ... } or b ..= c */
	N_PARAM,       /* F_STATIC; sym : op a; op: QD_ACCESS_*, or 0 shared */
	N_ATTR	       /* sym ( a, ... ), or d: where the string stands */
};

enum node_flag {
	F_INT = 1,   /* an integer literal, or operators on such: adapts */
	F_FLOAT = 2, /* the same with a decimal one among them */
	F_CALL = 4,  /* calls what may be a function of the file; of a kernel: or unrolls */
	F_STATIC = 8,
	F_ARRAY = 16,
	F_UNTYPED = F_INT | F_FLOAT
};

/* Jumps that leave a statement, in node.jumps; in node.maybe those of them that some
 * threads may make where others do not. */
enum { J_RETURN = 1, J_BREAK = 2, J_CONTINUE = 4 };

struct node {
	uint8_t kind, op, type, flags;
	uint8_t jumps, maybe;
	uint8_t state;	  /* of a const: CONST_*; of a function: whether it was used */
	uint32_t at, len; /* what a diagnostic underlines */
	uint32_t sym;
	uint32_t n_nodes; /* of a kernel, a function: all that it is made of */
	struct node *a, *b, *c, *d, *next;
	uint64_t num;
};

/* -- Modules ----------------------------------------------------------------------------- */

/* A template parameter, its choices evaluated: n types or integers of a set, or a
 * range. */
struct tmpl_decl {
	const char *name;
	const struct node *node;
	bool is_type;
	uint32_t type_mask;
	int32_t lo, hi;
	int32_t *set; /* NULL: a range */
	uint32_t n;
};

/* A template value: a type, an integer, or left open. */
struct choice {
	bool given;
	qd_type type;
	int32_t value;
};

/* What qd_module_kernel finds by name: a kernel or an instantiation of one. */
struct entry {
	const char *name;
	const struct node *kernel;
	const struct tmpl_decl *tmpls;
	uint32_t n_tmpls;
	struct choice *bound;	 /* of an instantiation, n_tmpls; else NULL */
	uint32_t resolved;	 /* integers that decide the shape, a bit each */
	struct qd_kernel *built; /* at parse, where there was no choice to make; or NULL */
};

struct qd_module {
	struct qd_context *ctx;
	struct arena arena;
	struct source *source; /* a reference; name and text are its */
	const char *name, *text;
	uint32_t len;
	struct hash128 text_hash;
	uint32_t *lines; /* offset of each line's start */
	uint32_t n_lines;
	struct symtab syms;
	struct node *items;
	struct node **globals;		   /* by symbol: const, fn, kernel; or NULL */
	const struct tmpl_decl **fn_tmpls; /* of functions, by symbol */
	struct entry *entries;
	uint32_t n_entries;
};

/* -- Diagnostics (report.c) ----------------------------------------------------------------- */

/* Collects what one public call has to say: the first error is kept, all are
 * logged, none twice. */
struct sink {
	const struct qd_module *m;
	struct qd_error first;
	uint32_t n_errors, n_seen;
	uint32_t line;	   /* of the last position asked for */
	bool nomem, quiet; /* quiet: no warnings */
	struct {
		uint32_t at;
		enum diag d;
	} seen[4 * MAX_ERRORS];
};

struct help {
	uint32_t at, len; /* of the note; len 0: nowhere */
	const char *note, *help;
};

uint32_t sink_pos(struct sink *s, uint32_t at); /* POS of an offset */
void sink_error(struct sink *s, uint32_t at, uint32_t len, const struct help *help, enum diag d,
		...);
void sink_verror(struct sink *s, uint32_t at, uint32_t len, const struct help *help, enum diag d,
		 va_list ap);
void sink_warn(struct sink *s, uint32_t at, uint32_t len, enum diag d, ...);
/* Takes over an error that was logged already. */
void sink_take(struct sink *s, const struct qd_error *e);
/* The call's status: OK, or the first error, copied to err. */
qd_status sink_end(struct sink *s, struct qd_error *err);
static inline bool
sink_full(const struct sink *s)
{
	return s->nomem || s->n_errors >= MAX_ERRORS;
}

/* What to say where `what` was expected, "a character" of the language for one, and
 * the text at found stands; or NULL. */
const char *help_found(const char *what, const char *found, uint32_t len);
const char *help_after(const char *what, const char *word, uint32_t len);
/* What serves in place of a name that this version does not have; or NULL. */
const char *help_later(const char *name);
/* -- Names of other languages (foreign.c, foreign.def) -------------------------------------------- */

/* Room for one help. */
struct foreign {
	char text[320];
};

/* What to write for that name of another language, in f or a constant; NULL if it is none. */
const char *foreign_help(struct foreign *f, const char *s, uint32_t len);
/* The same for a member of a group, "" of a buffer. */
const char *foreign_member(struct foreign *f, const char *group, const char *s, uint32_t len);
/* The type that other languages call so; NULL if they call none so. */
const char *foreign_type(const struct symtab *syms, const char *s, uint32_t len);
/* Writes the name with the language's own words in place of their synonyms; false if it has none. */
bool foreign_words(const char *s, uint32_t len, char *out, size_t size);

/* -- Reading (lex.c, parse.c, parse_stmt.c, parse_expr.c) -------------------------------------- */

struct parser {
	struct qd_module *m;
	struct sink *sink;
	uint32_t pos; /* of the lexer */
	struct token tok, ahead;
	bool has_ahead;
	bool panic; /* tok reads as T_BAD until recovery */
	bool grows; /* the declaration has an unroll, or calls a function */
	uint32_t depth, n_nodes;
	uint32_t end;	   /* of the last token taken */
	uint32_t left_of;  /* 1 + where a '{' stands whose '}' stands left of its line, the first */
	const struct node *callee; /* of the innermost call whose arguments are read, if a name */
	struct node spare; /* stands in when memory runs out */
};

static inline bool
is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

struct token lex_token(struct parser *p);

void parse_advance(struct parser *p);
const struct token *parse_ahead(struct parser *p);
bool parse_is(const struct parser *p, enum token_kind kind);
bool parse_is_word(const struct parser *p, enum word w);
bool parse_take(struct parser *p, enum token_kind kind);
bool parse_take_word(struct parser *p, enum word w);
bool parse_expect(struct parser *p, enum token_kind kind, const char *what);
bool parse_expect_word(struct parser *p, enum word w);
/* A name that may be declared; 0 after an error. */
uint32_t parse_name(struct parser *p, struct node *out);
void parse_error_expected(struct parser *p, const char *what);
void parse_error_help(struct parser *p, const char *what, const struct help *help);
void parse_error(struct parser *p, enum diag d, ...);
void parse_recover(struct parser *p, bool top); /* to where a statement or declaration may stand */
bool parse_at_declaration(const struct parser *p);
void parse_too_deep(struct parser *p);
bool parse_enter(struct parser *p); /* one level deeper; false after an error */
void parse_leave(struct parser *p);
struct node *parse_node(struct parser *p, enum node_kind kind, uint32_t at);
struct node *parse_node_end(struct parser *p, struct node *n); /* sets its length */

struct list { /* begins with a tail at its own first */
	struct node *first, **tail;
	uint32_t n;
};
void list_add(struct list *l, struct node *n);
/* One or more, comma between, at most max, past which d says so; n: how many. */
struct node *parse_list(struct parser *p, struct node *(*item)(struct parser *), uint32_t max,
			enum diag d, uint64_t *n);

struct node *parse_expr(struct parser *p);
struct node *parse_sum(struct parser *p);
struct node *parse_exprs(struct parser *p, uint64_t *n); /* one or more */
struct node *parse_type(struct parser *p);
struct node *parse_block(struct parser *p);
struct node *parse_const(struct parser *p);
struct node *parse_fn(struct parser *p);
struct node *parse_kernel(struct parser *p);
struct node *parse_instantiate(struct parser *p);
void parse_module(struct parser *p);

/* For "%.*s". */
#define SYM(mod, id) (int)(mod)->syms.sym[id].len, (mod)->syms.sym[id].s

#endif
