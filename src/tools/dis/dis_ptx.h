/* Shared header of the PTX reader for the views. */
#ifndef QD_TOOLS_DIS_PTX_H
#define QD_TOOLS_DIS_PTX_H

#include "dis_code.h"

enum { KIND_PRED, KIND_16, KIND_32, KIND_64, KIND_128, N_KIND };

enum mix {
#define MIX(name) MIX_##name,
#define MIXES                                                                                      \
	MIX(alu) MIX(move) MIX(convert) MIX(matrix) MIX(memory) MIX(shared) MIX(param) MIX(atomic)  \
	MIX(lane) MIX(barrier) MIX(branch) MIX(other)
	MIXES N_MIX
#undef MIX
};

struct word {
	const char *s;
	uint32_t len;
};

/* A declaration of registers. A register gets its index only when it is first used. */
struct decl {
	struct word name;
	uint32_t hash, next; /* next open declaration in the chain + 1; 0: the last */
	uint32_t kind, scope, n; /* n: count of numbered ones; NO_NUMBER: one without */
};
#define NO_NUMBER UINT32_MAX

struct label {
	struct word name;
	uint32_t scope, insn, hash;
	bool list; /* of .branchtargets: its labels are `targets` from `insn` on */
	uint32_t n;
};

/* A branch, or a word of a list, and the label that its name refers to. */
struct jump {
	struct word name;
	uint32_t scope, insn;
	uint32_t label; /* NO_LABEL: none */
};
#define NO_LABEL UINT32_MAX

struct met { /* a register, by its declaration and number */
	uint32_t decl, number, reg;
};

struct variable { /* in shared memory, of the module */
	struct word name;
	uint64_t size;
	uint32_t function; /* last function that named it */
	uint32_t hash, next; /* next in its chain + 1; 0: the last */
};

/* Hash chains of rows, by name. */
struct chains {
	struct buf first;
	uint32_t mask;
};

struct ptx {
	struct code *c;
	const char *start, *at, *end;
	struct code_fn fn;
	struct buf decls, labels, jumps, targets, scopes, met, shared, files, loc_files;
	struct chains shared_chains, decl_chains;
	struct buf open; /* indices of declarations in open scopes, as in decl_chains */
	uint64_t seed[2]; /* of hashes: random, so that no file can cause collisions */
	uint32_t met_mask, n_met, scope;
	const char *line, *line_end; /* last result of ptx_line_of */
};

/* -- Words ------------------------------------------------------------------------ */

TOOL_NORETURN void ptx_broken(const struct ptx *p, const char *at, const char *what);
bool ptx_is_digit(char c);
const char *ptx_skip(const struct ptx *p, const char *s); /* skips whitespace and comments */
struct word ptx_ident(const struct ptx *p, const char *s);
/* Returns the beginning of the line that s is in; p->line_end is its end. */
const char *ptx_line_of(struct ptx *p, const char *s);
bool word_is(struct word w, const char *text);
bool word_same(struct word a, struct word b);
uint64_t word_number(struct word w); /* of its leading digits, up to about 2^40 */
bool ptx_directive(const struct ptx *p, const char *s, const char *name); /* ".reg" at s */
const char *ptx_line_end(const struct ptx *p, const char *s);
/* Returns the first of `enders` outside brackets, quotes and comments. */
const char *ptx_statement_end(const struct ptx *p, const char *s, const char *enders);

/* -- Names (dis_ptx_name.c) ----------------------------------------------------------- */

uint32_t ptx_hash(const struct ptx *p, struct word w);
void ptx_open_decl(struct ptx *p, struct decl d);
void ptx_close_decls(struct ptx *p); /* of the current scope */
/* Finds the innermost open declaration of a register, and its number. */
bool ptx_find_decl(struct ptx *p, struct word w, uint32_t *decl, uint32_t *number);
void ptx_add_shared(struct ptx *p, struct word name, uint64_t size);
struct variable *ptx_find_shared(struct ptx *p, struct word name); /* NULL: none */

/* -- Instructions ------------------------------------------------------------------- */

void ptx_read_reg(struct ptx *p, const char *s, const char *stop); /* s: after ".reg" */
void ptx_read_insn(struct ptx *p);
void ptx_add_label(struct ptx *p, struct word name);
void ptx_read_targets(struct ptx *p, const char *s, const char *stop); /* of .branchtargets */
void ptx_resolve(struct ptx *p); /* finds the targets of the function's branches */

#endif
