/* Internals of the .qdk reader: tokens, the syntax tree, a parsed module, and diagnostics. The
 * text is parsed into a tree once (lex.c, parse*.c). For each choice of templates, a walk over
 * the tree issues builder calls (lower.h). Offsets count bytes of the text. The tree is const
 * after qd_module_parse. */
#ifndef QD_LANG_H
#define QD_LANG_H

#include "build.h"
#include "suggest.h"

enum {
	MAX_SOURCE = LIMIT_TEXT,
	MAX_DEPTH = LIMIT_DEPTH,	/* of blocks, parentheses, calls, unary operators */
	MAX_ARMS = 1000,		/* of an if with its else-ifs */
	MAX_STATEMENTS = 1000000,	/* of one kernel, unrolled and inlined */
	MAX_WORK = 16 * MAX_STATEMENTS, /* tree nodes lowered for one kernel */
	MAX_ERRORS = 20,
	MAX_VALUES = 16,    /* on one side of an assignment, or of a call */
	MAX_CHOICES = 1000, /* listed by one template parameter */
	MAX_NAME = 255,
	MAX_IMPORTS = 255,
	MAX_FILES = MAX_IMPORTS + 1, /* of a module */
	LANGUAGE_VERSION = 2
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
/* ORDER word.def: the types are in the order of QD_TYPE_BOOL and the following. */
static inline qd_type
word_type(uint32_t sym)
{
	return QD_TYPE_BOOL + (sym - FIRST_TYPE);
}

/* A name. Each name is stored once per module, so names are compared as numbers. The first
 * N_WORD symbols are the words. */
struct symbol {
	const char *s;
	uint32_t len;
	uint32_t n_declared; /* declarations of the file that define it */
};

struct symtab {
	struct arena *mem;
	struct symbol *sym;
	uint32_t *slot; /* open addressing; 0: free */
	uint32_t n, cap, n_slots;
	uint64_t seed[2];
};

/* Returns the symbol's number, 0 if out of memory. */
uint32_t symtab_intern(struct symtab *t, const char *s, uint32_t len);
uint32_t symtab_find(const struct symtab *t, const char *s, uint32_t len); /* 0: not found */
/* Adds a symbol with the same name, which symtab_find does not return; 0 if out of memory. */
uint32_t symtab_twin(struct symtab *t, uint32_t sym);
bool symtab_init(struct symtab *t, struct arena *mem);

/* -- Tokens ----------------------------------------------------------------------- */

enum token_kind {
	T_EOF,
	T_BAD, /* already reported; also all tokens during recovery */
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
	uint8_t len, level, op; /* of a binary operator: an enum op */
} marks[N_TOKEN];

struct token {
	uint8_t kind;
	uint8_t type; /* of a literal's suffix, or NONE */
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
	N_BINARY,   /* a op b; d of an operand a: its operator */
	N_MEMBER,   /* a . sym */
	N_CALL,	    /* a ( b, ... ) */
	N_NAMED,    /* sym = a, among a call's arguments */
	N_INDEX,    /* a [ b, ... ] else c */
	N_TUPLE,    /* ( a, ... ), more than one */
	N_LIST,	    /* [ a, ... ]; num: their number */
	N_BITCAST,  /* bitcast < a > ( b ) */
	N_STRING,   /* text between the quotes at at.. */
	N_TYPENAME, /* sym [ a, ... ]; F_ARRAY */
	/* statements */
	N_LET, /* op: whether a var; names a, ... : b = c, ... */
	N_SHARED,
	N_ASSIGN, /* a, ... op= c, ...; op T_ASSIGN or a binary operator */
	N_IF,	  /* F_STATIC; if a b else c; d: the if of which this is the else */
	N_WHILE,  /* while a b */
	N_FOR,	  /* F_STATIC: unroll; for sym in a .. b step c d */
	N_GRID,	  /* for sym in grid(a) b */
	N_BREAK,
	N_CONTINUE,
	N_RETURN, /* a, ... */
	N_EXPR,	  /* a */
	N_BLOCK,  /* a, ... */
	/* declarations */
	N_CONST,       /* sym : a = b; a with F_ARRAY: a table, b an N_LIST */
	N_FN,	       /* sym < a > ( b ) -> c, ... d */
	N_KERNEL,      /* sym < a > ( b ) c, ... d; num: index of its entry */
	N_INSTANTIATE, /* a < b, ... > as sym; a: a name, or a member of an import; num: as of a kernel */
	N_IMPORT,      /* the string a [as sym]; num: index of the file */
	N_TPARAM,      /* F_STATIC; sym in { a, ... } or b ..= c */
	N_PARAM,       /* F_STATIC; sym : op a; op: QD_ACCESS_*, or 0 shared */
	N_ATTR	       /* sym ( a, ... ), or d: position of the string */
};

enum node_flag {
	F_INT = 1,   /* an integer literal, or operators on such; takes a type from context */
	F_FLOAT = 2, /* the same with a decimal literal among them */
	F_CALL = 4,  /* may call a function of the file; of a kernel: or unrolls */
	F_STATIC = 8,
	F_ARRAY = 16,
	F_ADAPTS = 32, /* of a const: it has no type of its own */
	F_UNTYPED = F_INT | F_FLOAT
};

/* Jumps out of a statement, in node.jumps. node.maybe has the jumps that only some of the
 * threads may take. */
enum { J_RETURN = 1, J_BREAK = 2, J_CONTINUE = 4 };

struct node {
	uint8_t kind, op, type, flags;
	uint8_t jumps, maybe;
	uint8_t state;	  /* of a const: CONST_*; of a function: whether it is used */
	uint32_t at, len; /* range that a diagnostic underlines */
	uint32_t sym;
	uint32_t n_nodes; /* of a kernel or function: all its nodes */
	struct node *a, *b, *c, *d, *next;
	uint64_t num;
};

/* -- Modules ----------------------------------------------------------------------------- */

/* A template parameter with its choices evaluated: n types, n integers of a set, or a range. */
struct tmpl_decl {
	const char *name;
	const struct node *node;
	bool is_type;
	uint32_t type_mask;
	int32_t lo, hi;
	int32_t *set; /* NULL: a range */
	uint32_t n;
};

/* The elements of a constant table, once evaluated. */
struct table {
	qd_type type;
	uint32_t len;
	uint8_t *data;
};

/* A template value: a type, an integer, or not given. */
struct choice {
	bool given;
	qd_type type;
	int32_t value;
};

/* An entry that qd_module_kernel finds by name: a kernel or an instantiation. */
struct entry {
	const char *name;
	const struct node *kernel;
	const struct tmpl_decl *tmpls;
	uint32_t n_tmpls;
	struct choice *bound;	 /* of an instantiation: n_tmpls choices; else NULL */
	uint32_t resolved;	 /* bit i: the code's shape depends on integer i */
	struct qd_kernel *built; /* the kernel built at parse if there was no choice; or NULL */
};

/* A text of the module. File 0 is the one that is given to qd_module_parse. */
struct file {
	const char *name;
	uint32_t from; /* offset in the module's text */
	bool open;     /* its imports are being read */
	uint32_t importer, at, len; /* the first import that names it; none for file 0 */
	uint32_t n_items;
	struct node *items;
	uint64_t sees[MAX_FILES / 64]; /* files whose names are visible, one bit each */
};

/* A declaration of a file. */
struct global {
	struct node *node;
	uint32_t file;
	struct global *next; /* of the same name, in another file */
};

struct qd_module {
	struct qd_context *ctx;
	struct arena arena;
	struct source *source; /* a reference; owns name and text */
	const char *name, *text; /* the text of all files */
	uint32_t len;
	struct hash128 text_hash;
	uint32_t *lines; /* offset of the start of each row (line_map.h) */
	uint32_t n_lines, n_text_lines;
	struct line_map map;
	struct line_part *parts; /* of map, until the files are read */
	struct file *files;
	uint32_t n_files;
	struct symtab syms;
	struct node *items;		   /* of all files, in order */
	struct global **globals;	   /* by symbol */
	const struct tmpl_decl **fn_tmpls; /* of functions, by symbol */
	struct entry *entries; /* those of file 0, then n_imported kernels of others */
	uint32_t n_entries, n_imported;
	struct table *tables; /* a const's num is the index of its table */
	uint32_t n_tables;
};

/* -- Diagnostics (report.c) ----------------------------------------------------------------- */

/* Diagnostics of one public call. The first error is kept; all are logged, none twice. */
struct sink {
	const struct qd_module *m;
	struct qd_error first;
	uint32_t n_errors, n_seen;
	uint32_t line;	   /* of the last position requested */
	bool nomem, quiet; /* quiet: no warnings */
	struct {
		uint32_t at;
		enum diag d;
	} seen[4 * MAX_ERRORS];
};

struct help {
	uint32_t at, len; /* of the note; len 0: no position */
	const char *note, *help;
};

uint32_t sink_pos(struct sink *s, uint32_t at); /* the POS of an offset */
void sink_error(struct sink *s, uint32_t at, uint32_t len, const struct help *help, enum diag d,
		...);
void sink_verror(struct sink *s, uint32_t at, uint32_t len, const struct help *help, enum diag d,
		 va_list ap);
void sink_vwarn(struct sink *s, uint32_t at, uint32_t len, enum diag d, va_list ap);
/* Records an error that was already logged. */
void sink_take(struct sink *s, const struct qd_error *e);
/* Returns the call's status: OK, or the first error, copied to err. */
qd_status sink_end(struct sink *s, struct qd_error *err);
static inline bool
sink_full(const struct sink *s)
{
	return s->nomem || s->n_errors >= MAX_ERRORS;
}

/* Return the help for an error where `what` was expected, or NULL. help_found selects it by the
 * text found (an invalid character if what is "a character"), help_after by the word before. */
const char *help_found(const char *what, const char *found, uint32_t len);
const char *help_after(const char *what, const char *word, uint32_t len);
/* Returns what to use instead of a reserved name that this version does not implement, or NULL. */
const char *help_later(const char *name);
extern const char help_local_array[]; /* of a 'let' or 'var' with an array's type */

/* -- Names of other languages (foreign.c, foreign.def) -------------------------------------------- */

/* Buffer for one help text. */
struct foreign {
	char text[320];
};

/* Returns what to write instead of a name of another language, in f or a constant; NULL if the
 * name is unknown. */
const char *foreign_help(struct foreign *f, const char *s, uint32_t len);
/* Same for a member of a group; group "" for members of a buffer. */
const char *foreign_member(struct foreign *f, const char *group, const char *s, uint32_t len);
/* Returns the type that corresponds to a type name of another language, or NULL. */
const char *foreign_type(const struct symtab *syms, const char *s, uint32_t len);
/* Writes the name with synonyms replaced by the language's own words. Returns false if it
 * contains none. */
bool foreign_words(const char *s, uint32_t len, char *out, size_t size);

/* -- Reading (lex.c, parse.c, parse_stmt.c, parse_expr.c) -------------------------------------- */

struct parser {
	struct qd_module *m;
	struct sink *sink;
	uint32_t pos; /* offset of the lexer */
	struct token tok, ahead;
	bool has_ahead;
	bool panic; /* tok reads as T_BAD until recovery */
	bool grows; /* the declaration has an unroll or calls a function */
	uint32_t depth, n_nodes;
	uint32_t end;	   /* offset of the end of the last consumed token */
	uint32_t left_of;  /* 1 + offset of the first '{' whose '}' is indented less */
	const struct node *callee; /* the innermost call's callee, if a name */
	struct node spare; /* used when out of memory */
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
/* Consumes a name that may be declared. Returns 0 after an error. */
uint32_t parse_name(struct parser *p, struct node *out);
void parse_error_expected(struct parser *p, const char *what);
void parse_error_help(struct parser *p, const char *what, const struct help *help);
void parse_error(struct parser *p, enum diag d, ...);
void parse_recover(struct parser *p, bool top); /* skips to the next statement or declaration */
bool parse_at_declaration(const struct parser *p);
void parse_too_deep(struct parser *p);
bool parse_enter(struct parser *p); /* enters a nesting level; false after an error */
void parse_leave(struct parser *p);
struct node *parse_node(struct parser *p, enum node_kind kind, uint32_t at);
struct node *parse_node_end(struct parser *p, struct node *n); /* sets n->len */

struct list { /* initially tail points to first */
	struct node *first, **tail;
	uint32_t n;
};
void list_add(struct list *l, struct node *n);
/* Parses one or more items separated by commas and stores their number in *n. More than max is
 * the error d. */
struct node *parse_list(struct parser *p, struct node *(*item)(struct parser *), uint32_t max,
			enum diag d, uint64_t *n);

/* Returns whether a member of an array accesses adjacent elements, and their number (wide.c). */
bool wide_named(const struct symbol *s, uint32_t *n, bool *is_store);

struct node *parse_expr(struct parser *p);
struct node *parse_sum(struct parser *p);
struct node *parse_exprs(struct parser *p, uint64_t *n); /* one or more */
struct node *parse_type(struct parser *p);
struct node *parse_block(struct parser *p);
struct node *parse_const(struct parser *p);
struct node *parse_fn(struct parser *p);
struct node *parse_kernel(struct parser *p);
struct node *parse_instantiate(struct parser *p);
struct node *parse_import(struct parser *p);
void parse_module(struct parser *p, struct list *items);

/* -- Files (import.c, global.c) ------------------------------------------------------------------ */

/* Parses the text and its imports; false if out of memory. imports may be NULL. */
bool import_read(struct qd_module *m, struct sink *s, const struct qd_imports *imports);
uint32_t file_of(const struct qd_module *m, uint32_t at); /* index of the file at an offset */
/* Sets the number of the line at an offset in the last file, and its file name unless it is NULL;
 * false if out of memory. */
bool import_set_line(struct qd_module *m, struct sink *s, uint32_t at, uint32_t line, const char *name, uint32_t len);
/* Enters the declarations of all files; false if out of memory. */
bool global_declare(struct qd_module *m, struct sink *s);
/* Return the declaration that a file sees, and a file's own that an import with a name gives; NULL
 * if there is none. */
struct node *global_find(const struct qd_module *m, uint32_t file, uint32_t sym);
struct node *global_member(const struct qd_module *m, const struct node *import, uint32_t sym);

/* Arguments for "%.*s". */
#define SYM(mod, id) (int)(mod)->syms.sym[id].len, (mod)->syms.sym[id].s

#endif
